"""The steps of a claim's proof, the last of which says that they conclude it, and their seeds."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

from slrsym.claims.citation import InWords
from slrsym.claims.claim import Claim
from slrsym.search.context import Context
from slrsym.search.dynamical.statements import OrbitStatement
from slrsym.search.errors import Refused
from slrsym.search.laws import covariances
from slrsym.search.step import Step
from slrsym.search.structure import concludes, structural_step

__all__ = ["step_seed", "steps_of"]


def steps_of(claim: Claim, find: Callable[[str], Claim]) -> list[Step]:
    """The steps of a claim's proof, the last one being that they conclude its statement."""
    if claim.is_tested or claim.evidence() is not None:
        return []

    def other(name: str) -> Claim:
        if name == claim.id:
            raise Refused(f"claim {name} is used in its own proof")
        return find(name)

    context = Context(claim.given, other, covariances=covariances(claim.statement, *claim.given))
    proof = claim.build_proof()
    conclusion = proof.conclusion
    steps = list(proof.steps(context))
    last = structural_step(
        "statement",
        claim.statement,
        "the proof concludes the statement",
        lambda context: concludes(conclusion, claim.statement, context),
        context,
        numeric=_is_to_be_examined(claim.statement, conclusion),
    )
    return [*steps, last]


def _is_to_be_examined(statement: Any, conclusion: Any) -> bool:
    """Whether numbers are asked about a statement, or have been, or have nothing to say."""
    if statement.has(InWords):
        return False
    # Orbits take long; what was said of them before is not examined again.
    return not (statement.has(OrbitStatement) and conclusion == statement)


def step_seed(claim: Claim, number: int, seed: int) -> tuple[int, ...]:
    """The seed of one step's random points."""
    return (seed, zlib.crc32(claim.id.encode()), number)
