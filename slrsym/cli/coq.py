"""Coq as a third check: the command that writes the development, and what verify --coq does."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from slrsym.cli.export import OUTPUT, writable
from slrsym.cli.output import CLAIMS, PATHS, reported
from slrsym.cli.verify import loaded
from slrsym.files import write_folder

if TYPE_CHECKING:
    from slrsym.coq.development import Development


@reported()
def coq(claims: CLAIMS = None, output: OUTPUT = None, paths: PATHS = None) -> None:
    """Write claims and their steps as a development of Coq.

    Steps that Coq is known to prove are lemmas; of the others the reason is said. Coq is not needed
    for writing. To check the files, see README in DIR, or let verify --coq do it.
    """
    folder = writable(output, ".v")
    start = time.perf_counter()
    made = development(claims, paths)
    files = made.files()
    write_folder(
        folder, {**files, "README": _HOW_TO + " && ".join(f"coqc {f}" for f in files) + "\n"}
    )
    said = sum(bool(goal.text) for goal in made.all_goals)
    typer.echo(
        f"{folder}: {len(made.all_goals)} steps, {said} of them in words of Coq, "
        f"{len(made.tactics)} with a proof, {len(made.whole)} claims as a whole, "
        f"in {time.perf_counter() - start:.1f} s"
    )


_HOW_TO = (
    "Coq 8.16 or newer with Coquelicot (Debian: apt-get install coq libcoq-coquelicot).\n"
    "In this folder, in this order:\n"
)


def development(claims: list[str] | None, paths: list[Path] | None) -> Development:
    """The goals of the claims asked for, with the proofs that are known."""
    from slrsym.coq.development import Development, confirmed, confirmed_claims

    ledger = loaded(paths, claims)
    for problem in ledger.problems:
        typer.echo(f"error: {problem}", err=True)
    if ledger.problems:
        raise typer.Exit(1)
    made = Development.of(claims or ledger.claims, ledger.find)
    made.use(confirmed(), confirmed_claims())
    for name, reason in made.refused.items():
        typer.echo(f"error: {name} is not what the step says: {reason}", err=True)
    return made


def require_installed() -> None:
    """Refuse --coq where there is no Coq, and say how to install it."""
    from slrsym.coq.running import CoqError, require_coq

    try:
        require_coq()
    except CoqError as problem:
        raise typer.BadParameter(str(problem), param_hint="--coq") from None


def check_by_coq(claims: list[str] | None, paths: list[Path] | None) -> None:
    """Let Coq check what it is known to prove, try a user's own steps, and say what it found."""
    from slrsym.coq.running import CoqError, checked

    try:
        with tempfile.TemporaryDirectory() as folder:
            made = development(claims, paths)
            found = checked(made, Path(folder), search=bool(paths))
    except CoqError as problem:
        typer.echo(f"error: {problem}", err=True)
        raise typer.Exit(1) from None
    total = Counter(goal.kind for goal in made.all_goals)
    said = Counter(goal.kind for goal in made.all_goals if goal.text)
    good = Counter(goal.kind for goal in made.all_goals if goal.name in made.tactics)
    typer.echo("also by Coq:")
    for kind, count in total.most_common():
        if said[kind]:
            typer.echo(f"  {good[kind]:5} of {count:5} {kind} ({said[kind]} can be said)")
    typer.echo(f"  {good.total():5} of {total.total():5} steps in all")
    typer.echo(
        f"{len(made.whole)} claims as a whole by Coq, too: {', '.join(made.whole) or 'none'}"
    )
    for id, rests in made.whole.items():
        if rests:
            typer.echo(f"  {id} supposes {', '.join(rests)}")
    typer.echo(f"axioms that coqchk lists: {', '.join(found) or 'none'}")
