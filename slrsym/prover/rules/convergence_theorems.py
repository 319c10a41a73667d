"""Hypotheses of the theorems on convergence from almost every start, or from a null set.

The proofs stand with the checker's schemas.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Add, Eq, Expr, Ge, Gt, Matrix, Symbol, Tuple
from sympy.core.symbol import uniquely_named_symbol
from sympy.logic.boolalg import Boolean

from slrsym.prover.rules.chain import D, at
from slrsym.prover.rules.descent_theorems import (
    TheoremHypotheses,
    TheoremHypothesis,
    box_invariance_and_given_hypotheses,
    require_goal_kind,
)
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.maps import BoxMap, point_set, value_at
from slrsym.prover.statements.orbits import (
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    Injective,
    InvertibleJacobian,
    LocalDiffeomorphism,
    NullStarts,
    OrbitsConvergeTo,
)


def unevaluated_jacobian_at(g: BoxMap, point: Any) -> tuple[tuple[Any, ...], ...]:
    """Return the unevaluated partial derivatives of a map at a point of its box.

    Parameters
    ----------
    g : BoxMap
        The map.
    point : Tuple
        The point.

    Returns
    -------
    tuple of tuple of Expr
        Row i holds those of the i-th image.
    """
    place = dict(zip(g.coordinates, point, strict=True))
    return tuple(tuple(at(D(image, x), place) for x in g.coordinates) for image in g.images)


# -- maps that keep points apart ---------------------------------------------------------------


def _apart(g: BoxMap, second: Any, factor: Any) -> dict[str, TheoremHypothesis]:
    if not isinstance(second, tuple) or len(second) != len(g.coordinates):
        raise ProofError(f"second must name {len(g.coordinates)} coordinates; got {second}")
    for x, y in zip(g.coordinates, second, strict=True):
        if not isinstance(y, Symbol) or y._assumptions_orig != x._assumptions_orig:
            raise ProofError(f"the second point's coordinate {y} has to be a symbol as {x} is")
    images = Add(*(abs(u - v) for u, v in zip(g.images, g.image_at(second), strict=True)))
    expands = Ge(images, factor * g.l1_distance(second), evaluate=False)
    return {
        "expands": TheoremHypothesis(
            expands, (*g.inside_conditions(), *g.inside_conditions(second))
        ),
        "factor": TheoremHypothesis(Gt(factor, 0, evaluate=False)),
    }


def expansion_injective_hypotheses(goal: Boolean, second: Any, factor: Expr) -> TheoremHypotheses:
    g = require_goal_kind(goal, Injective, "expansion-injective").map
    return TheoremHypotheses(_apart(g, second, factor), (*g.coordinates, *second))


def expansion_invertible_hypotheses(goal: Boolean, second: Any, factor: Expr) -> TheoremHypotheses:
    g = require_goal_kind(goal, InvertibleJacobian, "expansion-invertible").map
    hypotheses = _apart(g, second, factor)
    return TheoremHypotheses(hypotheses, (*g.coordinates, *second))


def local_inverse_hypotheses(goal: Boolean) -> TheoremHypotheses:
    goal = require_goal_kind(goal, LocalDiffeomorphism, "local-inverse")
    g = goal.map
    for point in goal.points:
        require_inside_box(g, point, "local-inverse")
    return TheoremHypotheses(
        {"invertible": TheoremHypothesis(InvertibleJacobian(g))}, g.coordinates
    )


def require_inside_box(g: BoxMap, point: Any, name: str) -> None:
    """Raise `ProofError` unless a point is known to lie in the interior of a map's box."""
    inside = zip(g.low, point, g.high, strict=True)
    if not all((low < x) == True and (x < high) == True for low, x, high in inside):  # noqa: E712
        raise ProofError(f"theorem {name} needs a point inside of the box; got {point}")


# -- starts that are few -----------------------------------------------------------------------


def center_stable_hypotheses(goal: Boolean, matrix: Any, eigenvalue: Expr) -> TheoremHypotheses:
    goal = require_goal_kind(goal, NullStarts, "center-stable")
    g = goal.map
    if len(goal.points) != 1:
        raise ProofError(f"theorem center-stable is about one point; got {goal.points}")
    (point,) = goal.points
    size = len(g.coordinates)
    require_inside_box(g, point, "center-stable")
    rows = tuple(matrix) if isinstance(matrix, tuple) else ()
    if len(rows) != size or any(len(row) != size for row in rows):
        raise ProofError(f"matrix must be {size} rows of {size} entries; got {matrix}")
    entries = zip(unevaluated_jacobian_at(g, point), rows, strict=True)
    hypotheses = box_invariance_and_given_hypotheses(g)
    for i, (derivatives, values) in enumerate(entries, start=1):
        for j, (derivative, value) in enumerate(zip(derivatives, values, strict=True), start=1):
            equal = Eq(derivative, value, evaluate=False)
            hypotheses[f"entry_{i}{j}"] = TheoremHypothesis(equal)
    for i, (image, x) in enumerate(zip(g.images, point, strict=True), start=1):
        there = at(image, dict(zip(g.coordinates, point, strict=True)))
        hypotheses[f"fixed_{i}"] = TheoremHypothesis(Eq(there, x, evaluate=False))
    root = uniquely_named_symbol("r", [*map(Tuple, rows), eigenvalue], real=True)
    characteristic = at((Matrix(rows) - root * sp.eye(size)).det(), {root: eigenvalue})
    hypotheses["eigenvalue"] = TheoremHypothesis(Eq(characteristic, 0, evaluate=False))
    hypotheses["expanding"] = TheoremHypothesis(Gt(eigenvalue, 1, evaluate=False))
    hypotheses["invertible"] = TheoremHypothesis(InvertibleJacobian(g))
    return TheoremHypotheses(hypotheses, g.coordinates)


def strict_maximum_hypotheses(goal: Boolean, risk: Any) -> TheoremHypotheses:
    goal = require_goal_kind(goal, NullStarts, "strict-maximum")
    g = goal.map
    hypotheses = box_invariance_and_given_hypotheses(g)
    for number, point in enumerate(sorted(goal.points, key=str), start=1):
        less = sp.Lt(g.value_before_step(risk), value_at(risk, point), evaluate=False)
        hypotheses[f"less_{number}"] = TheoremHypothesis(less, g.interior_conditions())
    hypotheses["decreases"] = TheoremHypothesis(DecreasesAlong(g, risk))
    return TheoremHypotheses(hypotheses, g.coordinates)


def null_union_hypotheses(goal: Boolean, parts: Any) -> TheoremHypotheses:
    goal = require_goal_kind(goal, NullStarts, "null-union")
    sets = [point_set(part) for part in parts]
    if set().union(*sets) != set(goal.points):
        raise ProofError(f"the parts do not make up {goal.points}; got {parts}")
    return TheoremHypotheses(
        {
            f"part_{number}": TheoremHypothesis(NullStarts(goal.map, part))
            for number, part in enumerate(sets, start=1)
        },
        goal.map.coordinates,
    )


def all_but_few_hypotheses(goal: Boolean, others: Any) -> TheoremHypotheses:
    goal = require_goal_kind(goal, AlmostEveryStartConvergesTo, "all-but-few")
    g, few = goal.map, point_set(others)
    return TheoremHypotheses(
        {
            "limits": TheoremHypothesis(OrbitsConvergeTo(g, point_set({*goal.points, *few}))),
            "few": TheoremHypothesis(NullStarts(g, few)),
        },
        g.coordinates,
    )
