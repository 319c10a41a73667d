"""The command that judges a proof log again."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.cli.verify import require_derivations

if TYPE_CHECKING:
    from slrsym.checker import JudgedClaim


@as_command
def recheck(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A log that verify --proof-log has written; by default the log of all claims, "
            "which comes with slrsym.",
        ),
    ] = None,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Files or folders of the derivations that the log is of, if it has other claims "
            "than those that come with slrsym.",
        ),
    ] = None,
    path: Annotated[
        list[Path] | None, typer.Option(metavar="PATH", help="The same as PATH.")
    ] = None,
    no_compare: Annotated[
        bool,
        typer.Option(
            "--no-compare", help="Do not compare the statements with those of derivations."
        ),
    ] = False,
    list_unchecked: Annotated[
        bool, typer.Option("--list-unchecked", help="List the steps that have no evidence.")
    ] = False,
    no_extensions: Annotated[
        bool,
        typer.Option("--no-extensions", help="Refuse a log that uses an extension of the checker."),
    ] = False,
) -> None:
    """Judge a proof log again, with the proof checker alone.

    It reads the log in its own form and loads no derivation and no SymPy. A second process, which
    judges nothing, says what the derivations state, and the two are compared. What has no evidence
    in the log is counted, and never called checked.
    """
    from slrsym.checker import Rejected, describe_claim_difference
    from slrsym.checker import recheck as judge
    from slrsym.checker.log import EXTENSIONS
    from slrsym.checker.term import canonical_key

    if file is None:
        from slrsym.prover.tactics.bundled_log import BUNDLED_LOG

        file = BUNDLED_LOG
    paths = [*(paths or []), *(path or [])]
    if file.is_dir() or file.suffix == ".py":
        raise typer.BadParameter(
            f"{file} is no proof log; write one with: slrsym verify {file} --proof-log proofs.log, "
            f"and check it with: slrsym recheck proofs.log {file}",
            param_hint="FILE",
        )
    if not file.is_file():
        raise typer.BadParameter(f"there is no file {file}", param_hint="FILE")
    require_derivations(paths)
    ids = [] if no_compare else _ids(file)
    builtin = ids if no_compare else _maybe_builtin(ids)
    if not paths and len(builtin) < len(ids):
        other = next(id for id in ids if id not in builtin)
        raise typer.BadParameter(
            f"claim {other} of {file} does not come with slrsym; name its derivations: "
            f"slrsym recheck {file} PATH (or --path PATH), or do not compare: --no-compare",
            param_hint="PATH",
        )
    with shared.show_activity("checking the log"), ThreadPoolExecutor() as pool:
        # Meanwhile, as it takes as long.
        said = None if no_compare else pool.submit(_stated, ids, paths)
        own = pool.submit(_stated, builtin, []) if paths and builtin and not no_compare else None
        try:
            judged = judge(file, () if no_extensions else EXTENSIONS)
            if said is not None:
                _compare(judged, said.result())
        except Rejected as reason:
            typer.echo(f"refused: {file}: {reason}", err=True)
            raise typer.Exit(1) from None
        others = own.result() if own is not None else {}
    replaced = [
        found.id for found in judged
        if found.id in others
        and describe_claim_difference(found, others[found.id]) not in ("", "steps")
    ]  # fmt: skip
    rests_on = Counter(
        name for found in judged for step in found.steps for name in _open(step.axioms)
    )
    steps = sum(len(found.steps) for found in judged)
    rests = sum(bool(_open(step.axioms)) for found in judged for step in found.steps)
    whole = sum(not _open(found.axioms) for found in judged)
    by_checker = "follow by the proof checker from axioms of the literature"
    typer.echo(f"{steps - rests} of {steps} steps {by_checker}")
    supposing = sum(
        not {*map(canonical_key, step.hypotheses)} <= {*map(canonical_key, found.given)}
        for found in judged for step in found.steps
    )  # fmt: skip
    typer.echo(f"{supposing} of {steps} steps have hypotheses that their claims do not have")
    typer.echo(f"{whole} of {len(judged)} claims rest on nothing else")
    for text in _uses_of_extensions(judged):
        typer.echo(text)
    for name, count in rests_on.most_common():
        typer.echo(f"  {count:5} steps rest on {name}")
    if list_unchecked:
        from slrsym.prover.tactics.log_reuse import unchecked_steps_with_axioms

        found = list(unchecked_steps_with_axioms(file))
        so = "; not so:" if found else ""
        typer.echo(f"{steps - len(found)} of {steps} steps have evidence of their own{so}")
        for claim, label, what in found:
            typer.echo(f"  {claim} {label}: {what}")
    if not no_compare:
        typer.echo("Every claim, and every step, says what its derivation says.")
    if replaced:
        typer.echo(f"in the place of a claim that comes with slrsym: {', '.join(replaced)}")


def _uses_of_extensions(judged: list[JudgedClaim]) -> Iterator[str]:
    """Yield lines that tell which claims of a log use, or rest on, which extension."""
    for name in sorted({name for found in judged for name in found.extensions}):
        rules, rest = [], []
        for found in judged:
            if name in found.extensions:
                rules.append(found.id)
            elif f"extension {name}" in found.axioms.union(*(s.axioms for s in found.steps)):
                rest.append(found.id)
        yield f"{len(rules)} of {len(judged)} claims use rules of the extension {name}"
        yield _ids_in_lines(rules)
        if rest:
            yield f"  {len(rest)} more rest on these"
            yield _ids_in_lines(rest)


def _ids_in_lines(ids: list[str]) -> str:
    return fill(", ".join(ids), 100, initial_indent="    ", subsequent_indent="    ",
                break_long_words=False, break_on_hyphens=False)  # fmt: skip


def _open(axioms: frozenset[str]) -> list[str]:
    """Return the names of those axioms that stand for missing evidence of a step."""
    return sorted(name for name in axioms if name.startswith("unchecked"))


def _compare(judged: list[JudgedClaim], said: dict[str, Any]) -> None:
    """Raise `Rejected` if a claim of a proof log or its steps differ from the derivation."""
    from slrsym.checker import Rejected, describe_claim_difference

    for found in judged:
        if found.id not in said:
            raise Rejected(
                f"claim {found.id} is none of the derivations; name those that make it as PATH, "
                "or do not compare: --no-compare"
            )
        if name := describe_claim_difference(found, said[found.id]):
            what = "has other steps" if name == "steps" else "says something else"
            raise Rejected(f"claim {found.id} {what} in its derivation")


def _ids(file: Path) -> list[str]:
    """Return the ids of the claims in a proof log, read without checking the log."""
    from slrsym.checker import Rejected
    from slrsym.checker.log import read_log_text_lines

    found: list[str] = []
    with suppress(Rejected):
        for text in read_log_text_lines(file):
            found += re.findall(r'^\{"claim": ?"([\x20-\x7e]{1,200}?)"', text)
    return found


def _maybe_builtin(ids: list[str]) -> list[str]:
    """Return those ids that seem to be claims of slrsym, by the text of derivation files."""
    from slrsym.prover.claims.file_search import builtin_derivation_folder, files_with_claim

    return [id for id in ids if files_with_claim(id, builtin_derivation_folder())]


def _stated(ids: list[str], paths: list[Path]) -> dict[str, Any]:
    """Return, by id, claims as their derivation files state them, run in a separate process."""
    told = subprocess.run(
        # Safely: nothing is imported from where the log happens to lie.
        [sys.executable, "-P", "-m", "slrsym.prover.claims"],
        input=json.dumps({"ids": ids, "paths": [str(path) for path in paths]}),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if told.returncode:
        raise ValueError(f"the derivations do not load: {told.stderr.strip()[-400:]}")
    return {found["claim"]: found for found in map(json.loads, told.stdout.splitlines())}
