"""Axiom schemes that reduce statements on unit vectors or token matrices to ones on numbers.

Orthonormal k* and v* of R^n are given, and R is a function of the overlaps k.k*, v.v*, v.k*, k.v*,
k.v of two unit vectors. A step takes k to the projection onto the unit sphere of k - alpha (I - k
k') grad_k R, and v likewise, both at once. The manifold is where the last three overlaps vanish;
its volume is its Hausdorff measure of dimension 2n - 5. A sentence about pairs is about integers n
alone: for another n there is no space R^n, and the sentence is true.

They are an extension: a record of a log that uses one of them has to name it. They are no schemas
of the rule `theorem`, but of a rule of their own, so that the default base is the same whether this
file is loaded or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from slrsym.checker.differentiation import square_term
from slrsym.checker.expectations import ONE, ZERO, make_expectation
from slrsym.checker.orbit_theorems import (
    MapOnBox,
    OrbitGoal,
    Schemas,
    conclude_by_schema,
    map_from_tuple,
    only_object_besides_map,
    points_of_set,
    require_real_function,
    require_term,
)
from slrsym.checker.orbit_theorems import register_theorem as register_base_theorem
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    fresh_symbols_by_symbol,
    neg,
    num,
    require,
    substitute,
)
from slrsym.checker.theorem import rule

VECTOR_SCHEMAS: Schemas = {}
register_theorem = partial(register_base_theorem, schemas=VECTOR_SCHEMAS)


@rule("vector theorem", "json", "t", "ts", extension="vectors")
def _vector_theorem(name: Any, goal: Term, values: tuple[Term, ...]) -> Any:
    """Conclude a statement about vectors by a named theorem, under the theorem's hypotheses."""
    return conclude_by_schema(VECTOR_SCHEMAS, name, goal, values)


MINUS_ONE = num(-1)
# What a sentence about pairs comes to for a map of their overlaps.
ALMOST_EVERY = "AlmostEveryPairConvergesTo"
_OF_THE_MAP = {ALMOST_EVERY: "AlmostEveryStartConvergesTo", "NullPairs": "NullStarts"}


def _parts_of_sphere_descent(t: Term) -> tuple[Term, Term, Term]:
    """Return the risk, step size and dimension of a projected gradient descent on spheres."""
    is_descent = t[:2] == ("tuple", ("text", "SphereDescent")) and len(t) == 5
    require(is_descent, "the subject is no descent on spheres")
    function, rate, dimension = t[2:]
    return require_real_function(function, 5), require_term(rate), require_term(dimension)


def _conditions_of_planar_map(
    goal: OrbitGoal,
) -> tuple[MapOnBox, Sequence[Term], list[Term]]:
    """Return the planar map, the limit points, and conditions that pairs follow the map."""
    function, rate, dimension = _parts_of_sphere_descent(goal.map)
    planar, slopes = goal.values[:2]
    g = map_from_tuple(planar, goal.free_symbols)
    is_of_square = g.low == (MINUS_ONE,) * 2 and g.high == (ONE,) * 2
    require(is_of_square, "the first value is no map of the square from -1 to 1")
    slopes = require_real_function(slopes, 2, 2)
    ends = points_of_set(only_object_besides_map(goal), 2)
    allowed = (ONE, MINUS_ONE) if goal.kind == ALMOST_EVERY else (ONE, MINUS_ONE, ZERO)
    are_allowed = all(c in allowed for p in ends for c in p)
    require(are_allowed, "a coordinate of a point is not 1 or -1, or 0 for null sets")
    names = bound_variables(function)
    across = tuple(
        fresh_symbols_by_symbol(names[2:], goal.free_symbols | frozenset(g.names)).values()
    )
    here = (*g.names, *across)
    risk = substitute(binder_bodies(function)[0], dict(zip(names, here, strict=True)))
    values = [
        substitute(t, dict(zip(bound_variables(slopes), g.names, strict=True)))
        for t in binder_bodies(slopes)
    ]
    flat = ("tuple", *g.names, ZERO, ZERO, ZERO)
    asked: list[Term] = [("<=", num(3), dimension)]
    asked.append(g.for_all_points(("o", "smooth", function, flat)))
    for x, slope in zip(here, (*values, ZERO, ZERO, ZERO), strict=True):
        in_x: Term = ("d", (1,), (x,), (risk,), (x,))
        asked.append(g.for_all_points(("=", ("d", (0, 0, 0), across, (in_x,), flat[3:]), slope)))
    for x, slope, image in zip(g.names, values, g.images, strict=True):
        beside = ("+", ONE, neg(square_term(x)))
        length = ("+", ONE, ("*", square_term(("*", rate, slope)), beside))
        moved = ("+", x, neg(("*", rate, slope, beside)))
        asked.append(g.for_all_points(("=", ("*", moved, ("^", -1, 2, length)), image)))
    asked.append(("o", _OF_THE_MAP[goal.kind], planar, goal.about[0]))
    return g, ends, asked


@register_theorem("from-overlaps-and-edges", " ".join(_OF_THE_MAP), 6,
        "sphere-coordinates", "coarea-formula", "continuous-derivatives", "tonelli", "induction",
        "null-sets-images")  # fmt: skip
def _from_overlaps_and_edges(goal: OrbitGoal) -> list[Term]:
    """Pairs that begin on the manifold behave as the map of their first two overlaps does.

    $R$ is differentiable near $(x, y, 0, 0, 0)$. There its last three partial derivatives vanish,
    and the first two are $p$ and $q$, so that by the chain rule its gradient in $k$ is $p k*$, and
    that in $v$ is $q v*$. The next $k$ is a sum of multiples of $k$ and $k*$, the next $v$ of $v$
    and $v*$, so that the last three overlaps of these vanish, too: the manifold is invariant. With
    $u = k* - x k$, orthogonal to $k$ and of squared length $1 - x^2$, the next $k$ is $k - alpha p
    u$ divided by its length, the root of $1 + alpha^2 p^2 (1 - x^2)$. As $u . k* = 1 - x^2$, its
    overlap is $x - alpha p (1 - x^2)$ over that, the first image of the planar map; so for $v$. By
    induction the overlaps of all iterates follow the map.

    If the overlap of $k$ with $k*$ tends to $s$, which is 1 or $-1$, then $|k - s k*|^2 = 2 - 2 s
    (k . k*)$ tends to 0; so for $v$.

    With $n >= 4$, let $N$ be a null set of the square; the pairs of the manifold whose first two
    overlaps lie in $N$ have volume 0, as follows. The pairs with $k = s k*$ are of $n - 2 < 2n - 5$
    dimensions. The others make up a smooth manifold, as the gradients of its five equations have
    the Gram determinant $2 - x^2 - y^2 > 0$. Its projection $(k, v) -> k$ goes to the unit sphere
    orthogonal to $v*$; those of the equations of $v$, with $k$ fixed, have $1 - x^2 > 0$, so that
    the Jacobian of the projection, the root of $(1 - x^2)/(2 - x^2 - y^2)$, is positive. By the
    coarea formula for maps between manifolds, a set of these pairs has volume 0 if for almost every
    $k$ those $v$ that belong to it are a null set of the fibre, the unit sphere orthogonal to $k*$
    and $k$. The overlap of $v$ with $v*$ is one coordinate of a point of this sphere, which spans
    $n - 2 >= 2$ dimensions that contain $v*$, and has a density; so they are a null set if the $y$
    with $(x, y)$ in $N$ are one. By Tonelli's theorem that holds for almost every $x$; and as the
    overlap of $k$ with $k*$, one coordinate of a point of a sphere that spans $n - 1$ dimensions,
    has a density, it holds for almost every $k$.

    With $n = 3$, in coordinates along $k*$, $v*$ and a third axis, $k$ is $(x, 0, z)$ and $v$ is
    $(0, y, w)$ with $z w = 0$. So the manifold consists of four circles: $k$ is one of $k*$ and
    $-k*$, and $v$ on the circle orthogonal to $k*$; or $v$ is one of $v*$ and $-v*$, and $k$ on the
    circle orthogonal to $v*$. The overlaps are on an edge of the square, on which steps stay, and
    the one that moves is the cosine of the angle on the circle. Cosine has a differentiable inverse
    on $(0, pi)$ and on $(pi, 2 pi)$, so that what it maps to a null set of $[-1, 1]$ is a null set
    of the circle. The statement about the edge has such a null set; where no point of the list is
    on an edge, no orbit that stays there tends to one.
    """
    g, ends, asked = _conditions_of_planar_map(goal)
    for k, face in enumerate(goal.values[2:]):
        i, end = k // 2, (ONE, MINUS_ONE)[k % 2]
        edge = map_from_tuple(face, goal.free_symbols | frozenset(g.names))
        is_edge = edge.low == (MINUS_ONE,) and edge.high == (ONE,)
        require(is_edge, "a value is no map of an edge of the square")
        put = {g.names[i]: end, g.names[1 - i]: edge.names[0]}
        asked.append(edge.for_all_points(("=", substitute(g.images[i], put), end)))
        asked.append(edge.for_all_points(("=", edge.images[0], substitute(g.images[1 - i], put))))
        there = tuple(("tuple", p[1 - i]) for p in ends if p[i] == end)
        require(there or goal.kind != ALMOST_EVERY, "no end of an edge is listed")
        if there:
            asked.append(("o", _OF_THE_MAP[goal.kind], face, ("set", *there)))
    return asked


BAYES_RISK = (
    "Every measurable predictor $p$ of the matrix $X$ of all tokens has the risk $E (Y - p(X))^2 = "
    "E (Y - E[Y | X])^2 + E (E[Y | X] - p(X))^2$, and $E (Y - E[Y | X])^2$ is at least $epsilon^2$."
)


@register_theorem("conditional-risk", "InWords", 0, "conditional-risk", "conditional-expectation")
def _conditional_risk(goal: OrbitGoal) -> list[Term]:
    """Measurable predictors $p$ have the risk $E (Y - E[Y | X])^2 + E (E[Y | X] - p(X))^2$.

    This is an axiom, but for the algebra that it asks for, as no term is a measurable predictor. So
    the model is part of the axiom: $Y = X_J . v* + xi$ has a finite second moment; given the matrix
    $X$ of all tokens, $J$ is $l$ with a probability $w_l/W$; the noise $xi$ is centred, has the
    variance $epsilon^2$, and is independent of both. Then $E[Y | X]$ is $M = sum w_l y_l/W$ with
    $y_l = X_l . v*$. The mean squared error given $X$ is the left side of the second hypothesis, at
    $p = p(X)$; it is not negative, so that its mean is the risk, be it infinite; likewise with $M$
    in the place of $p$. Given also the location it is at least $epsilon^2$.
    """
    is_goal = goal.map == ("text", BAYES_RISK) and not goal.about
    require(is_goal, "the goal is not the sentence that the theorem shows")
    m, p, place = ("s", "m", "R"), ("s", "p", "R"), ("s", "l", "Z")
    xi, variance = ("s", "xi", "R"), square_term(("s", "epsilon", "R>=0"))
    w, y = (("ix", name, "R", place) for name in "wy")

    def sum_over_tokens(term: Term) -> Term:
        return ("sum", (place,), (term,), (ONE, ("s", "L", "Z>0")))

    def average(term: Term) -> Term:
        return ("*", ("^", -1, 1, sum_over_tokens(w)), sum_over_tokens(("*", w, term)))

    def error(value: Term, said: Term) -> Term:
        return ("+", square_term(("+", value, neg(said))), variance)

    best = average(y)
    given_tokens = ("+", average(error(y, best)), square_term(("+", best, neg(p))))
    noisy = make_expectation([xi], square_term(("+", m, xi, neg(p))), [("noise", variance)])
    asked: list[Term] = [
        ("=", noisy, error(m, p)),
        ("implies", ("<", ZERO, sum_over_tokens(w)), ("=", average(error(y, p)), given_tokens)),
        ("<=", variance, error(m, p)),
    ]
    return [("forall", (m,), (("forall", (p,), (q,), ()),), ()) for q in asked]
