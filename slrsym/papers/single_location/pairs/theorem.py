"""Hypotheses of the theorem that reduces descent of pairs of vectors to a map of two overlaps.

Its proof stands with the checker's schema ``from-overlaps-and-edges``.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Add, And, Eq, Expr, Ge, Matrix, Symbol, Tuple
from sympy.logic.boolalg import Boolean

from slrsym.papers.single_location.pairs.statements import (
    AlmostEveryPairConvergesTo,
    NullPairs,
    SphereDescent,
)
from slrsym.prover.rules.chain import D, at
from slrsym.prover.rules.descent_theorems import (
    TheoremHypotheses,
    TheoremHypothesis,
    require_goal_kind,
)
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.maps import BoxMap, point_set, value_at
from slrsym.prover.statements.orbits import AlmostEveryStartConvergesTo, NullStarts


def overlap_chain_rule_statement() -> Boolean:
    """Return the statement of the chain rule from the five overlaps to coordinates of k, v."""
    k, v = sp.symbols("k_1:6", real=True), sp.symbols("v_1:6", real=True)
    places = sp.symbols("x_1:6", real=True)
    function = sp.Function("F", real=True)
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
    return And(*equations)


def _next_overlap(overlap: Symbol, slope: Expr, rate: Expr) -> Expr:
    """Return the overlap of a unit vector and a fixed one after a step along the fixed one."""
    # In the plane of the two, where the fixed one is (1, 0).
    here, gradient = Matrix([overlap, sp.sqrt(1 - overlap**2)]), Matrix([slope, 0])
    moved = here - rate * (gradient - here.dot(gradient) * here)
    return moved[0] / sp.sqrt(moved.dot(moved))


def overlap_identities_statement() -> Boolean:
    """Return identities of overlaps after k, v move along k*, v*, and of |k - s k*|^2."""
    size, n = Symbol("N", integer=True, positive=True), Symbol("n", integer=True)
    names = ("k", "v", "k^*", "v^*")
    k, v, k_star, v_star = (sp.IndexedBase(name, shape=(size,), real=True)[n] for name in names)
    c, e, c_2, e_2, s = sp.symbols("c e c_2 e_2 s", real=True)

    def dot(p: Expr, q: Expr) -> Expr:
        return sp.Sum(p * q, (n, 1, size))

    k_next, v_next = c * k + e * k_star, c_2 * v + e_2 * v_star
    crossed = e * e_2 * dot(k_star, v_star)
    distance = dot(k, k) - 2 * s * dot(k, k_star) + s**2 * dot(k_star, k_star)
    sides = (
        (dot(v_next, k_star), c_2 * dot(v, k_star) + e_2 * dot(k_star, v_star)),
        (dot(k_next, v_star), c * dot(k, v_star) + e * dot(k_star, v_star)),
        (
            dot(k_next, v_next),
            c * c_2 * dot(k, v) + c * e_2 * dot(k, v_star) + e * c_2 * dot(k_star, v) + crossed,
        ),
        (dot(k - s * k_star, k - s * k_star), distance),
    )
    return And(*(Eq(*pair, evaluate=False) for pair in sides))


def manifold_gram_determinants_statement(x: Expr, y: Expr) -> Boolean:
    """Return a statement of Gram determinants of the gradients of the manifold's equations.

    Of all five equations; of those of k alone; of those of v with k fixed. An orthonormal basis is
    used that begins with k*, v*, and what is left of k and of v.
    """
    # What is left is put in behind the determinants: SymPy would evaluate them before anyone looks.
    k_3, v_4 = sp.symbols("k_3 v_4", real=True)
    left = {k_3: sp.sqrt(1 - x**2), v_4: sp.sqrt(1 - y**2)}
    k, v = Matrix([x, 0, k_3, 0]), Matrix([0, y, 0, v_4])
    k_star, v_star, zero = Matrix([1, 0, 0, 0]), Matrix([0, 1, 0, 0]), Matrix([0, 0, 0, 0])
    of_k, of_v = (k, v_star), (v, k_star)
    both = [*((w, zero) for w in of_k), *((zero, w) for w in of_v), (v, k)]

    def determinant(gradients: Any) -> Expr:
        rows = [Matrix.vstack(*g) for g in gradients]
        gram = Matrix(len(rows), len(rows), lambda i, j: rows[i].dot(rows[j]))
        return at(gram.det(method="berkowitz"), left)

    values = (
        (determinant(both), 2 - x**2 - y**2),
        (determinant([(w,) for w in of_k]), sp.Integer(1)),
        (determinant([(w,) for w in (*of_v, k)]), 1 - x**2),
    )
    return And(*(Eq(*pair, evaluate=False) for pair in values))


def _on_the_manifold(goal: Any, planar: Any, slopes: Any) -> dict[str, TheoremHypothesis]:
    """Return the hypotheses that pairs of vectors on the manifold follow a planar map."""
    descent: SphereDescent = goal.map
    overlaps = descent.function.variables
    if type(planar) is not BoxMap or (planar.low, planar.high) != ((-1, -1), (1, 1)):
        raise ProofError(f"planar must be a BoxMap of the square [-1, 1]^2; got {planar}")
    if planar.coordinates != overlaps[:2]:
        raise ProofError(
            f"the coordinates of the map must be called {overlaps[0]} and {overlaps[1]}; got "
            f"{planar.coordinates}"
        )
    if type(slopes) is not sp.Lambda or len(value_at(slopes, planar.coordinates)) != 2:
        raise ProofError(f"slopes must be two functions of two overlaps; got {slopes}")
    square = planar.inside_conditions()
    values = tuple(value_at(slopes, planar.coordinates))
    hypotheses = {
        "chain_rule": TheoremHypothesis(overlap_chain_rule_statement()),
        "vectors": TheoremHypothesis(overlap_identities_statement()),
    }
    for number, x in enumerate(overlaps[2:], start=1):
        partial = at(D(descent.function.expr, x), descent.zero_overlaps_on_manifold)
        hypotheses[f"across_{number}"] = TheoremHypothesis(Eq(partial, 0, evaluate=False), square)
    for number, (x, slope, image) in enumerate(
        zip(overlaps, values, planar.images, strict=False), start=1
    ):
        partial = at(D(descent.function.expr, x), descent.zero_overlaps_on_manifold)
        moved = _next_overlap(x, slope, descent.step_size)
        hypotheses[f"slope_{number}"] = TheoremHypothesis(
            Eq(partial, slope, evaluate=False), square
        )
        hypotheses[f"step_{number}"] = TheoremHypothesis(Eq(moved, image, evaluate=False), square)
    enough = Ge(descent.space_dimension, 3, evaluate=False)
    volume = manifold_gram_determinants_statement(*planar.coordinates)
    return hypotheses | {
        "planar": TheoremHypothesis(_of_the_map(goal, planar, goal.points)),
        "dimension": TheoremHypothesis(enough),
        "volume": TheoremHypothesis(volume, square),
    }


def _of_the_map(goal: Any, map: BoxMap, points: Any) -> Any:
    """Translate a statement about pairs of vectors to one about their planar map."""
    kind = NullStarts if type(goal) is NullPairs else AlmostEveryStartConvergesTo
    return kind(map, point_set(points))


def from_overlaps_and_edges_hypotheses(
    goal: Boolean, planar: Any, slopes: Any
) -> TheoremHypotheses:
    kind = NullPairs if type(goal) is NullPairs else AlmostEveryPairConvergesTo
    goal = require_goal_kind(goal, kind, "from-overlaps-and-edges")
    hypotheses = _on_the_manifold(goal, planar, slopes)
    for place, (x, image) in enumerate(zip(planar.coordinates, planar.images, strict=True)):
        for value, side in ((1, "high"), (-1, "low")):
            keeps = Eq(at(image, {x: value}), value, evaluate=False)
            hypotheses[f"edge_stays_{place + 1}_{side}"] = TheoremHypothesis(
                keeps, planar.inside_conditions()
            )
            ends = [Tuple(point[1 - place]) for point in goal.points if point[place] == value]
            if ends or type(goal) is not NullPairs:
                edge = _of_the_map(goal, planar.face(x, value), ends)
                hypotheses[f"edge_{place + 1}_{side}"] = TheoremHypothesis(edge)
    return TheoremHypotheses(hypotheses, goal.map.function.variables)
