"""Theorems on which starts have orbits that converge to a point: almost all, or almost none."""

from __future__ import annotations

from typing import Any

from sympy import Add, Eq, Expr, Ge, Gt, Lt, Matrix, Symbol, Tuple, eye
from sympy.logic.boolalg import Boolean

from slrsym.search.chain import D, at
from slrsym.search.dynamical.descent import about, on_box
from slrsym.search.dynamical.theorems import Hypothesis, Needs, theorem_rule
from slrsym.statements.errors import ProofError
from slrsym.statements.maps import BoxMap, function_of, point_set, value_at
from slrsym.statements.orbits import (
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    Injective,
    InvertibleJacobian,
    LocalDiffeomorphism,
    NullStarts,
    OrbitsConvergeTo,
)

__all__ = ["jacobian_at"]


def jacobian_at(g: BoxMap, point: Any) -> tuple[tuple[Any, ...], ...]:
    """The partial derivatives of a map at a point of its box, none of them evaluated.

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


def _apart(g: BoxMap, second: Any, factor: Any) -> dict[str, Hypothesis]:
    if not isinstance(second, tuple) or len(second) != len(g.coordinates):
        raise ProofError(f"second must name {len(g.coordinates)} coordinates; got {second}")
    for x, y in zip(g.coordinates, second, strict=True):
        if not isinstance(y, Symbol) or y._assumptions_orig != x._assumptions_orig:
            raise ProofError(f"the second point's coordinate {y} has to be a symbol as {x} is")
    images = Add(*(abs(u - v) for u, v in zip(g.images, g.moved(second), strict=True)))
    expands = Ge(images, factor * g.distance(second), evaluate=False)
    return {
        "expands": Hypothesis(expands, (*g.inside(), *g.inside(second))),
        "factor": Hypothesis(Gt(factor, 0, evaluate=False)),
    }


@theorem_rule("expansion-injective")
def _expansion_injective(goal: Boolean, second: Any, factor: Expr) -> Needs:
    """Injective(g), if |g(x) - g(y)|_1 >= c |x - y|_1 on the box, with a constant c > 0.

    If the images are equal, the right side is 0, and so x = y.
    """
    g = about(goal, Injective, "expansion-injective").map
    return Needs(_apart(g, second, factor), (*g.coordinates, *second))


@theorem_rule("expansion-invertible", "continuous-derivatives", "limits-of-sequences")
def _expansion_invertible(goal: Boolean, second: Any, factor: Expr) -> Needs:
    """InvertibleJacobian(g), if |g(x) - g(y)|_1 >= c |x - y|_1 on the box, and g is smooth there.

    At a point x of the open box, (g(x + t h) - g(x))/t tends to Dg(x) h as t -> 0, so that
    |Dg(x) h|_1 >= c |h|_1 for every h. As Dg is continuous on the closed box, this holds on its
    boundary, too. So Dg(x) h = 0 only for h = 0.
    """
    g = about(goal, InvertibleJacobian, "expansion-invertible").map
    hypotheses = _apart(g, second, factor)
    return Needs(hypotheses, (*g.coordinates, *second), (Tuple(*g.images),), g.inside())


@theorem_rule("local-inverse", "continuous-derivatives", "inverse-function-theorem")
def _local_inverse(goal: Boolean) -> Needs:
    """LocalDiffeomorphism(g, P), if the Jacobian of g is invertible and P lies inside of the box.

    The images are smooth on a neighbourhood of the box, so that near a point inside of it g is
    continuously differentiable; the inverse function theorem gives the inverse.
    """
    goal = about(goal, LocalDiffeomorphism, "local-inverse")
    g = goal.map
    for point in goal.points:
        require_inside(g, point, "local-inverse")
    return Needs(
        {"invertible": Hypothesis(InvertibleJacobian(g))},
        g.coordinates,
        (Tuple(*g.images),),
        g.inside(),
    )


def require_inside(g: BoxMap, point: Any, name: str) -> None:
    """Refuse a point that is not known to lie in the open box."""
    inside = zip(g.low, point, g.high, strict=True)
    if not all((low < x) == True and (x < high) == True for low, x, high in inside):  # noqa: E712
        raise ProofError(f"theorem {name} needs a point inside of the box; got {point}")


# -- starts that are few -----------------------------------------------------------------------


@theorem_rule(
    "center-stable",
    "induction",
    "continuous-derivatives",
    "inverse-function-theorem",
    "center-stable-manifold",
    "null-sets-unions",
    "null-sets-images",
    "null-sets-faces",
    "null-sets-discs",
    "lindelof",
)
def _center_stable(goal: Boolean, matrix: Any, eigenvalue: Expr) -> Needs:
    """NullStarts(g, {p}), if p is a fixed point inside of the box with an eigenvalue above 1.

    The map is smooth on a neighbourhood of the box, and its Jacobian matrix is invertible at p, so
    that it is a local diffeomorphism at p. Let W be the local center-stable disc at p, and B a
    neighbourhood of p such that points whose orbits stay in B lie in W. Its dimension is the number
    of eigenvalues of modulus at most 1, which is less than that of the box, as an eigenvalue is
    above 1; so W is a null set. If the orbit of x converges to p, then all of it from some N on
    lies in B, and g^N(x) is in W. So the starts lie in the union over N of the preimages of W under
    g^N. Preimages of a null set under g within the box are null sets: its boundary is one, and at
    each point of its inside g has, near by, an inverse that is continuously differentiable, which
    maps null sets to null sets; countably many of these neighbourhoods cover the inside. The orbit
    does not leave the box, so this can be done N times.
    """
    goal = about(goal, NullStarts, "center-stable")
    g = goal.map
    if len(goal.points) != 1:
        raise ProofError(f"theorem center-stable is about one point; got {goal.points}")
    (point,) = goal.points
    size = len(g.coordinates)
    require_inside(g, point, "center-stable")
    rows = tuple(matrix) if isinstance(matrix, tuple) else ()
    if len(rows) != size or any(len(row) != size for row in rows):
        raise ProofError(f"matrix must be {size} rows of {size} entries; got {matrix}")
    entries = zip(jacobian_at(g, point), rows, strict=True)
    hypotheses = on_box(g)
    for i, (derivatives, values) in enumerate(entries, start=1):
        for j, (derivative, value) in enumerate(zip(derivatives, values, strict=True), start=1):
            equal = Eq(derivative, value, evaluate=False)
            hypotheses[f"entry_{i}{j}"] = Hypothesis(equal)
    for i, (image, x) in enumerate(zip(g.images, point, strict=True), start=1):
        fixed = value_at(function_of(g.coordinates, image), point)
        hypotheses[f"fixed_{i}"] = Hypothesis(Eq(fixed, x, evaluate=False))
    characteristic = (Matrix(rows) - eigenvalue * eye(size)).det()
    hypotheses["eigenvalue"] = Hypothesis(Eq(characteristic, 0, evaluate=False))
    hypotheses["expanding"] = Hypothesis(Gt(eigenvalue, 1, evaluate=False))
    hypotheses["invertible"] = Hypothesis(InvertibleJacobian(g))
    return Needs(hypotheses, g.coordinates, (Tuple(*g.images),), g.inside())


@theorem_rule("strict-maximum", "induction", "limits-of-sequences", "null-sets-faces")
def _strict_maximum(goal: Boolean, risk: Any) -> Needs:
    """NullStarts(g, P), if f never increases, and is less inside of the box than at points of P.

    If the orbit of x converges to p in P, then f(x) >= f(x_t) -> f(p), since f is continuous on the
    box, which the orbit does not leave. So x does not lie inside of the box. Its boundary is a null
    set.
    """
    goal = about(goal, NullStarts, "strict-maximum")
    g = goal.map
    hypotheses = on_box(g)
    for number, point in enumerate(sorted(goal.points, key=str), start=1):
        less = Lt(g.before(risk), value_at(risk, point), evaluate=False)
        hypotheses[f"less_{number}"] = Hypothesis(less, g.interior())
    hypotheses["decreases"] = Hypothesis(DecreasesAlong(g, risk))
    return Needs(hypotheses, g.coordinates, (g.before(risk),), g.inside())


@theorem_rule("null-union", "null-sets-unions")
def _null_union(goal: Boolean, parts: Any) -> Needs:
    """NullStarts(g, P), from the same of sets that P is the union of.

    What converges to a point of P converges to one of a part; finitely many null sets make up one.
    """
    goal = about(goal, NullStarts, "null-union")
    sets = [point_set(part) for part in parts]
    if set().union(*sets) != set(goal.points):
        raise ProofError(f"the parts do not make up {goal.points}; got {parts}")
    return Needs(
        {
            f"part_{number}": Hypothesis(NullStarts(goal.map, part))
            for number, part in enumerate(sets, start=1)
        },
        goal.map.coordinates,
    )


@theorem_rule("all-but-few")
def _all_but_few(goal: Boolean, others: Any) -> Needs:
    """AlmostEveryStartConvergesTo(g, P), if orbits converge to P or Q, and to Q from null sets.

    A start from which the orbit does not converge to a point of P is in the null set.
    """
    goal = about(goal, AlmostEveryStartConvergesTo, "all-but-few")
    g, few = goal.map, point_set(others)
    return Needs(
        {
            "limits": Hypothesis(OrbitsConvergeTo(g, point_set({*goal.points, *few}))),
            "few": Hypothesis(NullStarts(g, few)),
        },
        g.coordinates,
    )
