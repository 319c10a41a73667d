"""The command line: parse, call, show."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.cli import certify
from slrsym.cli.checking import checked, cores, loaded
from slrsym.cli.checking import unknown as unknown_claim
from slrsym.cli.compare import compare
from slrsym.cli.examples import EXIT_CODES, example
from slrsym.cli.export import export
from slrsym.cli.export_all import everything
from slrsym.cli.export_html import html
from slrsym.cli.figure import figure
from slrsym.cli.json_output import JsonFile, for_programs, write_json
from slrsym.cli.landscape import landscape
from slrsym.cli.options import PATHS, SEED, WORKERS
from slrsym.cli.recovery import recovery
from slrsym.cli.reporting import reported, show_tracebacks
from slrsym.cli.simulate import simulate

if TYPE_CHECKING:
    from slrsym.claims.check import Verdict

__all__ = ["main"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Verify, simulate and draw a paper on attention and single-location regression.",
    epilog=f"{example('')}\n\n{EXIT_CODES}",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from slrsym import __version__

        typer.echo(f"slrsym {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")
    ] = False,
) -> None:
    show_tracebacks(debug)


# -- commands ----------------------------------------------------------------------------------

_PATHS = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH",
        help="Files or folders of derivations; by default those that come with the package.",
        show_default=False,
    ),
]


@app.command(epilog=example("verify"))
@reported()
def verify(
    paths: _PATHS = None,
    claim: Annotated[
        list[str] | None,
        typer.Option(
            "--claim",
            metavar="ID",
            help="Check this claim and what it rests on. May be given more than once.",
            show_default=False,
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show each proof step by step.")
    ] = False,
    json_file: JsonFile = None,
    seed: SEED = 0,
    workers: WORKERS = None,
) -> None:
    """Prove every claim; each step is checked twice.

    Once by its rule, and once by numbers at random points.
    """
    to_stdout = for_programs(json_file)

    from slrsym import display

    start = time.perf_counter()
    ledger = loaded(paths)
    ids = unknown = None
    if claim:
        ids = [id for id in claim if ledger.knows(id)]
        unknown = [unknown_claim(ledger, id) for id in claim if not ledger.knows(id)]
    verdicts: dict[str, Verdict] = {}
    rows = checked(ledger, ids, seed, workers or cores(), verdicts)
    write_json(json_file, [row.as_dict() for row in rows])

    problems = [*ledger.problems, *(unknown or ())]
    if not rows:
        for problem in problems or ["there is no claim to verify"]:
            typer.echo(f"error: {problem}", err=True)
        raise typer.Exit(1)
    out = display.console(sys.stderr if to_stdout else sys.stdout)
    asked = set(claim or [row.id for row in rows])
    if verbose:
        for row in rows:
            if row.id in asked:
                display.proof(ledger.find(row.id), verdicts[row.id], row, out)
    # What someone may search for is neither cut nor broken where nobody looks on.
    whole = not out.is_terminal
    out.print(display.table(rows, None if whole else out.width))
    out.print(display.axiom_summary(rows), soft_wrap=whole)
    samples = display.monte_carlo_summary(rows)
    if samples is not None:
        out.print(samples, soft_wrap=whole)
    for line in display.boxes(rows):
        out.print(line, soft_wrap=whole)
    for failure in display.failures(rows):
        out.print(failure, soft_wrap=whole)
    for problem in problems:
        typer.echo(f"error: {problem}", err=True)
    out.print(display.verdict(rows, time.perf_counter() - start))
    if problems or any(row.status in ("open", "failed") for row in rows):
        raise typer.Exit(1)


@app.command(epilog=example("axioms"))
@reported()
def axioms(
    id: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="A claim; all axioms if left out.", show_default=False),
    ] = None,
    path: PATHS = None,
    json_file: JsonFile = None,
) -> None:
    """List the axioms and claims that a claim rests on."""
    to_stdout = for_programs(json_file)
    from slrsym import display
    from slrsym.claims.axioms import AXIOMS, axiom

    ledger = loaded(path)
    for problem in ledger.problems:
        typer.echo(f"error: {problem}", err=True)
    out = display.console(sys.stderr if to_stdout else sys.stdout)
    if id is not None and not ledger.knows(id):
        typer.echo(f"error: {unknown_claim(ledger, id)}", err=True)
        raise typer.Exit(1)
    if id is None:
        users: dict[str, list[str]] = {}
        for name in ledger.claims:
            for used in ledger.foundations(name)[name].axioms:
                users.setdefault(used, []).append(name)
        display.axiom_list(AXIOMS.values(), users, out)
        content: Any = [
            asdict(item) | {"claims": users.get(name, [])} for name, item in AXIOMS.items()
        ]
    else:
        found = ledger.foundations(id)
        display.claim_foundations(id, found, out)
        names = sorted({name for foundation in found.values() for name in foundation.axioms})
        content = {
            "claim": id,
            "axioms": [asdict(axiom(name)) for name in names],
            "claims": {name: asdict(foundation) for name, foundation in found.items()},
        }
    write_json(json_file, content)
    if ledger.problems:
        raise typer.Exit(1)


for _command in (compare, simulate, figure, landscape, recovery):
    app.command(epilog=example(_command.__name__))(_command)
export.command(epilog=example("export html"))(html)
export.command("all", epilog=example("export all"))(everything)
app.add_typer(export)
app.add_typer(certify.app, name="certify")


def main() -> None:
    """Run the command line, and exit.

    The exit code is 0 if nothing failed, 1 if something did, 2 for bad usage, 130 if interrupted.
    """
    for name in ("stdout", "stderr"):
        # Closed by the shell, as by >&-: then there is nobody to read.
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    try:
        app(prog_name="slrsym")
    except OSError as problem:  # what help and version are written to, which are no commands
        typer.echo(f"error: {problem}", err=True)
        # What is still to be written would fail again, when Python ends.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
