"""Checking a step by its rule and by numbers, and a claim by its steps and by samples."""

from __future__ import annotations

import time
from collections.abc import Callable

from slrsym.claims.axioms import axiom
from slrsym.claims.checker.evidence import certified, monte_carlo, tried
from slrsym.claims.checker.numbers import POINTS, numerical_check
from slrsym.claims.checker.steps import step_seed, steps_of
from slrsym.claims.checker.verdicts import StepReport, Verdict, sealed
from slrsym.claims.claim import Claim
from slrsym.search.errors import ProofError, Refused
from slrsym.search.step import Step

__all__ = ["check_claim", "check_step"]


def check_step(step: Step, seed: tuple[int, ...], points: int = POINTS) -> StepReport:
    """Check one step by its rule and numerically."""
    try:
        step.check()
        refusal = ""
    except (Refused, ProofError) as reason:
        refusal = str(reason)
    except Exception as problem:  # a rule that breaks has not accepted
        refusal = f"the rule broke: {type(problem).__name__}: {problem}"
    try:
        digits, contradiction = numerical_check(step, seed, points) if step.numeric else (None, "")
    except Exception as problem:  # nor have numbers that cannot be computed
        broke = f"{type(problem).__name__}: {problem}"
        digits, contradiction = None, f"the numerical check broke: {broke}"
    return StepReport(step.label, step.rule.name, step.statement, digits, refusal, contradiction)


def check_claim(claim: Claim, find: Callable[[str], Claim], seed: int = 0) -> Verdict:
    """Check a claim, taking the claims that it uses for granted.

    Parameters
    ----------
    claim : Claim
        The claim.
    find : callable
        The claim of an id; raises `ProofError` if there is none.
    seed : int, optional
        Moves the random points of the numerical check.

    Returns
    -------
    Verdict
        A proof that raises is one that is not accepted.
    """
    start = time.perf_counter()
    reports: list[StepReport] = []
    depends: dict[str, None] = {}
    axioms: dict[str, None] = {}
    error = box = ""
    trials = None
    try:
        error, box = certified(claim)
        trials = tried(claim, seed)
        error = error or (trials.problem if trials else "")
        for number, step in enumerate(steps_of(claim, find)):
            depends |= dict.fromkeys(step.uses)
            axioms |= dict.fromkeys(axiom(name).id for name in step.axioms)
            reports.append(check_step(step, step_seed(claim, number, seed)))
    # A proof is user code: whatever it raises is its verdict, an attempt to leave included.
    except (Exception, SystemExit) as problem:
        error = f"{type(problem).__name__}: {problem}"
    samples = monte_carlo(claim, seed)
    seconds = time.perf_counter() - start
    found = (tuple(reports), tuple(depends), tuple(axioms), error, seconds, samples, box, trials)
    return sealed(claim.id, *found)
