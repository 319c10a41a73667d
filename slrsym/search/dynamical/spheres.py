r"""Pairs of unit vectors that move by projected gradient descent of a function of their overlaps.

Fixed orthonormal vectors k* and v* of R^n are given, and a function R of the five overlaps

.. math:: k \cdot k^\star,\; v \cdot v^\star,\; v \cdot k^\star,\; k \cdot v^\star,\; k \cdot v.

A step takes k to the projection onto the unit sphere of :math:`k - \alpha (I - k k^T) \nabla_k R`,
and v likewise, both at once. The *manifold* is where the last three overlaps vanish.
"""

from __future__ import annotations

from typing import Any

from sympy import (
    Add,
    And,
    Eq,
    Expr,
    Function,
    Ge,
    Lambda,
    Matrix,
    Symbol,
    sqrt,
    symbols,
)
from sympy.logic.boolalg import Boolean

from slrsym.search.chain import D, at
from slrsym.search.dynamical.descent import about
from slrsym.search.dynamical.theorems import Hypothesis, Needs, theorem_rule
from slrsym.statements.errors import ProofError
from slrsym.statements.maps import BoxMap, value_at
from slrsym.statements.orbits import AlmostEveryPairConvergesTo, AlmostEveryStartConvergesTo

__all__ = ["chain_rule"]


# -- from vectors to overlaps ------------------------------------------------------------------


def chain_rule() -> Boolean:
    """The gradient of a function of the overlaps, in the coordinates of k and of v."""
    k, v = symbols("k_1:6", real=True), symbols("v_1:6", real=True)
    places = symbols("x_1:6", real=True)
    function = Function("F", real=True)
    overlaps = (k[0], v[1], v[0], k[1], Add(*(x * y for x, y in zip(k, v, strict=True))))
    partial = [
        at(D(function(*places), place), dict(zip(places, overlaps, strict=True)))
        for place in places
    ]
    along_k_star, along_v_star = (1, 0, 0, 0, 0), (0, 1, 0, 0, 0)
    equations = []
    for x, a, b, other in (
        *zip(k, along_k_star, along_v_star, v, strict=True),
        *zip(v, along_v_star, along_k_star, k, strict=True),
    ):
        first, second = (partial[0], partial[3]) if x in k else (partial[1], partial[2])
        gradient = first * a + second * b + partial[4] * other
        equations.append(Eq(D(function(*overlaps), x), gradient, evaluate=False))
    return And(*equations, evaluate=False)


def _next_overlap(overlap: Symbol, slope: Expr, rate: Expr) -> Expr:
    """The overlap of a unit vector with a fixed one, after a step; its gradient is along that."""
    # In the plane of the two, where the fixed one is (1, 0).
    here, gradient = Matrix([overlap, sqrt(1 - overlap**2)]), Matrix([slope, 0])
    moved = here - rate * (gradient - here.dot(gradient) * here)
    return moved[0] / sqrt(moved.dot(moved))


@theorem_rule(
    "from-overlaps", "sphere-coordinates", "continuous-derivatives", "fubini", "induction"
)
def _from_overlaps(goal: Boolean, planar: Any, slopes: Any) -> Needs:
    """AlmostEveryPairConvergesTo(descent, P), from the same of the map of the first two overlaps.

    On the manifold the gradient in k is p k*, and that in v is q v*, with p and q the partial
    derivatives of R in the first two overlaps: by the chain rule, as the other three vanish. So the
    next k lies in the plane of k and k*, the next v in that of v and v*. On the manifold k is
    orthogonal to v*, v to k*, and k to v; so are the next ones: the manifold is invariant. In the
    plane of k and k* the step is computed from the overlap of the two alone, and it is the first
    image of the planar map; so for v. By induction the overlaps of all iterates follow the map.

    If the overlap of k with k* tends to s, which is 1 or -1, then |k - s k*|^2 = 2 - 2 s (k . k*)
    tends to 0; so for v.

    With n >= 4, the overlap of k with k* is one coordinate of a uniform point of the unit sphere of
    a space of n - 1 dimensions, and has a density. Given k, that of v with v* is one of a uniform
    point of the unit sphere of a space of n - 2 >= 2 dimensions which contains v*, whatever k is,
    unless k = s k*. So the two have a joint density, the product of the two, and lie in a null set
    of the square with probability 0.
    """
    goal = about(goal, AlmostEveryPairConvergesTo, "from-overlaps")
    descent = goal.map
    overlaps = descent.function.variables
    if type(planar) is not BoxMap or (planar.low, planar.high) != ((-1, -1), (1, 1)):
        raise ProofError(f"planar must be a BoxMap of the square [-1, 1]^2; got {planar}")
    if planar.coordinates != overlaps[:2]:
        raise ProofError(
            f"the coordinates of the map must be called {overlaps[0]} and {overlaps[1]}; got "
            f"{planar.coordinates}"
        )
    if type(slopes) is not Lambda or len(value_at(slopes, planar.coordinates)) != 2:
        raise ProofError(f"slopes must be two functions of two overlaps; got {slopes}")
    square = planar.inside()
    values = tuple(value_at(slopes, planar.coordinates))
    hypotheses = {
        "chain_rule": Hypothesis(chain_rule()),
        "planar": Hypothesis(AlmostEveryStartConvergesTo(planar, goal.points)),
        "dimension": Hypothesis(Ge(descent.dimension, 4, evaluate=False)),
    }
    for number, x in enumerate(overlaps[2:], start=1):
        partial = at(D(descent.function.expr, x), descent.across)
        hypotheses[f"across_{number}"] = Hypothesis(Eq(partial, 0, evaluate=False), square)
    for number, (x, slope, image) in enumerate(
        zip(overlaps, values, planar.images, strict=False), start=1
    ):
        partial = at(D(descent.function.expr, x), descent.across)
        moved = _next_overlap(x, slope, descent.rate)
        hypotheses[f"slope_{number}"] = Hypothesis(Eq(partial, slope, evaluate=False), square)
        hypotheses[f"step_{number}"] = Hypothesis(Eq(moved, image, evaluate=False), square)
    feasible = tuple(relation for x in overlaps for relation in (Ge(x, -1, evaluate=False), x <= 1))
    return Needs(hypotheses, overlaps, (descent.function.expr,), feasible)
