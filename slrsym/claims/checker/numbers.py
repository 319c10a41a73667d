"""The second check of a step: its two sides as numbers, or its orbits, at random points."""

from __future__ import annotations

from typing import Any

import numpy as np
from sympy import And, Derivative, Integral, Limit, Sum
from sympy.core.function import AppliedUndef

from slrsym.gaussian import Expectation, OwensT, zeta
from slrsym.numbers import Disagreement, NoPoint, Undecided, compare, random_test_function
from slrsym.search.dynamical.statements import OrbitStatement
from slrsym.search.step import Step

__all__ = ["DIGITS", "POINTS", "POINTS_OF_QUADRATURE", "numerical_check"]

# Digits of the numerical check, and how many random points each step is tried at. Quadrature costs
# a thousand times what elementary functions do, and so do sums of sums.
DIGITS = 30
POINTS = 10
POINTS_OF_QUADRATURE = 2


def numerical_check(
    step: Step, seed: tuple[int, ...], points: int = POINTS
) -> tuple[int | None, str]:
    """Check one step numerically."""
    rng = np.random.default_rng(np.random.SeedSequence(list(seed)))
    if step.statement.has(OrbitStatement):
        return _check_of_orbits(step, rng, points)
    return _check_at_points(step.statement, step, rng, points)


def _check_of_orbits(step: Step, rng: np.random.Generator, points: int) -> tuple[int | None, str]:
    """The parts of a conjunction that are about orbits by iterating, the others at points."""
    # Imported late: most claims are not about orbits.
    from slrsym.search.dynamical.evidence import Contradicted, examine

    others = []
    try:
        for part in And.make_args(step.statement):
            if isinstance(part, OrbitStatement):
                examine(part, step.context.hypotheses, rng)
            else:
                others.append(part)
    except Contradicted as found:
        return None, f"contradicted numerically: {found}"
    except (Undecided, NoPoint) as reason:
        return None, f"the numerical check could not decide: {reason}"
    if not others:
        return None, ""
    return _check_at_points(And(*others, evaluate=False), step, rng, points)


def _check_at_points(
    statement: Any, step: Step, rng: np.random.Generator, points: int
) -> tuple[int | None, str]:
    unknown = {f.func: len(f.args) for f in statement.atoms(AppliedUndef)}
    functions = {
        f: random_test_function(rng, n) for f, n in sorted(unknown.items(), key=lambda p: str(p[0]))
    }
    costly = statement.has(Expectation, Integral, Derivative, Limit, zeta, OwensT)
    costly = costly or any(node.function.has(Sum) for node in statement.atoms(Sum))
    try:
        comparison = compare(
            statement,
            given=step.context.hypotheses,
            rng=rng,
            points=min(points, POINTS_OF_QUADRATURE if costly else POINTS),
            digits=DIGITS,
            functions=functions,
        )
    except Disagreement as found:
        return None, f"contradicted numerically: {found}"
    except (Undecided, NoPoint) as reason:
        return None, f"the numerical check could not decide: {reason}"
    return comparison.digits, ""
