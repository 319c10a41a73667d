"""The steps of a claim's proof, up to the claim's statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from slrsym.prover.rules.chain import structural_step
from slrsym.prover.rules.context import CitableClaim, Context, covariances_of_laws
from slrsym.prover.rules.step import Proof, Step
from slrsym.prover.statements.expressions import Refused
from slrsym.prover.statements.orbits import OrbitStatement
from slrsym.prover.statements.words import InWords


class ClaimWithEvidence(CitableClaim, Protocol):
    """Protocol of claims with a proof or other evidence; `slrsym.proof.Claim` implements it."""

    @property
    def is_empirical(self) -> bool:
        """Whether the claim rests on an experiment instead of a proof."""

    def certificate(self) -> Any:
        """Return the certificate that the claim rests on instead of a proof, or None."""

    def build_proof(self) -> Proof:
        """Build the proof of the claim."""


# The claim and the search for others that were asked about last, with the steps: a check of a claim
# asks several times.
_last: tuple[ClaimWithEvidence, Callable[[str], Any], tuple[Step, ...]] | None = None


def steps_of_claim(claim: ClaimWithEvidence, find: Callable[[str], Any]) -> list[Step]:
    """Return the steps of a claim's proof; the last step concludes the claim's statement."""
    global _last
    if _last is None or _last[0] is not claim or _last[1] != find:
        _last = claim, find, tuple(_steps_of_claim(claim, find))
    return list(_last[2])


def _steps_of_claim(claim: ClaimWithEvidence, find: Callable[[str], Any]) -> list[Step]:
    if claim.is_empirical or claim.certificate() is not None:
        return []

    def other(name: str) -> Any:
        if name == claim.id:
            raise Refused(f"claim {name} is used in its own proof")
        return find(name)

    context = Context(
        claim.hypotheses, other, covariances=covariances_of_laws(claim.statement, *claim.hypotheses)
    )
    proof = claim.build_proof()
    conclusion = proof.conclusion
    steps = list(proof.steps(context))
    last = structural_step(
        "statement",
        claim.statement,
        "the proof concludes the statement",
        context,
        numeric=_is_to_be_examined(claim.statement, conclusion),
    )
    return [*steps, last]


def _is_to_be_examined(statement: Any, conclusion: Any) -> bool:
    """Return whether the numerical cross-check still has to test a statement."""
    if statement.has(InWords):
        return False
    # Orbits take long; what was said of them before is not examined again.
    return not (statement.has(OrbitStatement) and conclusion == statement)
