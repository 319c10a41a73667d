"""The program: its commands, and those that papers register."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from slrsym.cli import shared
from slrsym.cli.export import coq, everything, export, html
from slrsym.cli.figure import figure
from slrsym.cli.models import check, landscape, recovery, simulate
from slrsym.cli.recheck import recheck
from slrsym.cli.shared import EXIT_CODES, format_examples
from slrsym.cli.verify import axioms, derivations, verify
from slrsym.prover.claims.papers import registered_by_papers

__all__ = ["main"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Derive, prove and simulate exact results about learning from Gaussian data.",
    epilog=f"{format_examples('')}\n\n{EXIT_CODES}",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"slrsym {version('slrsym')}")
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
    shared.set_traceback_display(debug)


for _command in (
    verify,
    recheck,
    axioms,
    derivations,
    simulate,
    landscape,
    recovery,
    check,
    figure,
):
    app.command(epilog=format_examples(_command.__name__))(_command)
export.command(epilog=format_examples("export html"))(html)
export.command(epilog=format_examples("export coq"))(coq)
export.command("all", epilog=format_examples("export all"))(everything)
app.add_typer(export)
_paper = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Commands that only one paper has."
)
with shared.show_warnings():
    _of_papers = registered_by_papers("commands")
for _name, _commands in _of_papers.items():
    _paper.add_typer(_commands, name=_name)
app.add_typer(_paper, name="paper")


def main() -> None:
    """Run the command line program, and exit.

    The exit code is 0 if nothing failed, 1 if something did, 2 for bad usage, 130 if interrupted,
    143 if terminated.
    """
    # What libraries are made of stays to the end, and is looked through in vain again and again,
    # at last when all is given back.
    gc.set_threshold(100_000, 10, 10)
    atexit.register(gc.freeze)
    for name in ("stdout", "stderr"):
        # Closed by the shell, as by >&-: then there is nobody to read.
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            # A console of Windows does not have every letter of a path or title.
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="slrsym")
    except OSError as problem:  # what help and version are written to, which are no commands
        shared.report_stdout_failure(problem)
        sys.exit(1)
