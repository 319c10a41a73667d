"""The command that judges a proof log with the kernel alone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from slrsym.cli.options import PATHS
from slrsym.cli.output import reported

if TYPE_CHECKING:
    from slrsym.trusted import Judged

FILE = Annotated[Path, typer.Argument(metavar="FILE", help="A log that verify --log has written.")]


@reported()
def recheck(
    file: FILE,
    path: PATHS = None,
    alone: Annotated[
        bool,
        typer.Option("--alone", help="Do not compare the statements with those of derivations."),
    ] = False,
) -> None:
    """Judge a proof log again, with the proof kernel alone.

    The kernel reads the log in its own form and loads no derivation and no SymPy. A second process,
    which judges nothing, says what the derivations state, and the two are compared. What has no
    evidence in the log is counted, and never called checked.
    """
    from slrsym.trusted import Refused
    from slrsym.trusted import recheck as judge

    if not file.is_file():
        raise typer.BadParameter(f"there is no file {file}", param_hint="FILE")
    try:
        judged = judge(file)
        if not alone:
            _compare(judged, path or [])
    except (Refused, UnicodeDecodeError) as reason:
        typer.echo(f"refused: {file}: {reason}", err=True)
        raise typer.Exit(1) from None
    unchecked = Counter(
        name for found in judged for _, _, axioms in found.steps for name in _open(axioms)
    )
    steps = sum(len(found.steps) for found in judged)
    rests = sum(bool(_open(axioms)) for found in judged for _, _, axioms in found.steps)
    whole = sum(not _open(found.axioms) for found in judged)
    typer.echo(
        f"{steps - rests} of {steps} steps follow by the kernel from axioms of the literature"
    )
    typer.echo(f"{whole} of {len(judged)} claims rest on nothing else")
    for name, count in unchecked.most_common():
        typer.echo(f"  {count:5} steps rest on {name}")
    if not alone:
        typer.echo("Every claim says what its derivation says.")


def _open(axioms: frozenset[str]) -> list[str]:
    """What has no evidence in the log, and is an axiom of it by that very fact."""
    return sorted(name for name in axioms if name.startswith("unchecked"))


def _compare(judged: list[Judged], paths: list[Path]) -> None:
    """Refuse a log that says something else of a claim than its derivation."""
    from slrsym.trusted import Refused
    from slrsym.trusted.term import key, parse

    asked = {"ids": [found.id for found in judged], "paths": [str(path) for path in paths]}
    told = subprocess.run(
        [sys.executable, "-m", "slrsym.evidence"],
        input=json.dumps(asked), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if told.returncode:
        raise ValueError(f"the derivations do not load: {told.stderr.strip()[-400:]}")
    said = {found["claim"]: found for found in map(json.loads, told.stdout.splitlines())}
    for found in judged:
        mine = said.get(found.id)
        if mine is None:
            raise Refused(
                f"claim {found.id} is none of the derivations; --alone judges it as it is"
            )
        given = sorted(key(parse(h)) for h in mine["given"])
        if key(parse(mine["statement"])) != key(found.statement) or given != sorted(
            map(key, found.given)
        ):
            raise Refused(f"claim {found.id} says something else in its derivation")
