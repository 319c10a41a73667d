"""Coq as a third check: claims as Coq goals, and the option --coq of verify."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from slrsym.cli import shared

if TYPE_CHECKING:
    from slrsym.coq.development import CoqDevelopment
    from slrsym.prover.claims.ledger import Ledger


def coq_development(ledger: Ledger, claims: Iterable[str]) -> CoqDevelopment:
    """Return the Coq development of claims, with stored proofs; exit if files have problems."""
    from slrsym.coq import confirmed_claims, coq_tactics_by_claim_and_step
    from slrsym.coq.development import CoqDevelopment

    shared.exit_if_problems(ledger.problems)
    made = CoqDevelopment.from_claims(claims, ledger.find)
    made.store_known_proofs(coq_tactics_by_claim_and_step(), confirmed_claims())
    for name, reason in made.refused.items():
        typer.echo(f"error: {name} is not what the step says: {reason}", err=True)
    return made


def require_coq_installed() -> None:
    """Raise an error that says how to install Coq if it is missing."""
    from slrsym.coq.coq_calls import CoqError, coqc_path

    try:
        coqc_path()
    except CoqError as problem:
        raise typer.BadParameter(str(problem), param_hint="--coq") from None


def check_by_coq(ledger: Ledger, claims: Iterable[str], search: bool) -> None:
    """Run Coq on the steps and claims that it can prove; print how many it confirms."""
    from slrsym.coq.coq_calls import CoqError, prune_development_and_list_axioms

    try:
        with tempfile.TemporaryDirectory() as folder, shared.show_activity("running Coq"):
            made = coq_development(ledger, claims)
            found = prune_development_and_list_axioms(made, Path(folder), search=search)
    except CoqError as problem:
        typer.echo(f"error: {problem}", err=True)
        raise typer.Exit(1) from None
    typer.echo("also by Coq:")
    for kind, count, said, good in made.step_count_rows():
        typer.echo(f"  {good:5} of {count:5} {kind} ({said} can be said)")
    typer.echo(
        f"{len(made.whole)} claims as a whole by Coq, too: {', '.join(made.whole) or 'none'}"
    )
    for id, rests in made.whole.items():
        if rests:
            typer.echo(f"  {id} supposes {', '.join(rests)}")
    typer.echo(f"axioms that coqchk lists: {', '.join(found) or 'none'}")
