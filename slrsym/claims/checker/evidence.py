"""What is seen of a claim besides its proof: certificates, experiments, samples."""

from __future__ import annotations

import numpy as np

from slrsym.claims.checker.steps import step_seed
from slrsym.claims.claim import Claim
from slrsym.claims.trials import Trials
from slrsym.gaussian import Expectation
from slrsym.numbers.montecarlo import MonteCarlo
from slrsym.search.text import spoken

__all__ = ["certified", "monte_carlo", "tried"]


def certified(claim: Claim) -> tuple[str, str]:
    """What the evidence of a claim shows that has no proof."""
    evidence = claim.evidence()
    return ("", "") if evidence is None else (evidence.check(claim.statement), evidence.box)


def tried(claim: Claim, seed: int = 0) -> Trials | None:
    """What the experiment of a claim sees that has no proof."""
    return claim.experiment(np.random.default_rng(list(step_seed(claim, 0, seed))))


def monte_carlo(claim: Claim, seed: int = 0) -> tuple[MonteCarlo, ...]:
    """What sampling says of a claim's statement."""
    if not claim.statement.has(Expectation):
        return ()
    try:
        return sampled_evidence(claim.statement, claim.given, step_seed(claim, 0, seed))
    except Exception as problem:  # numbers that cannot be computed are no evidence
        broke = f"the sampling broke: {type(problem).__name__}: {problem}"
        return (MonteCarlo(spoken(claim.statement), contradiction=broke),)
