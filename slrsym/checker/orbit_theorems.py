"""Theorems on orbits of maps of a box: the conclusion and the hypotheses of each.

A schema reads its goal and a few terms that it speaks of, and says what has to hold; that becomes
hypotheses of the theorem, which other theorems remove. A box map g is the tuple of a function with
as many values as variables, and the ends of the box, which are rational. It is a map of the box
alone: an orbit goes on as long as it stays there, and that it converges says that it does. What a
sentence means is said in `slrsym.prover.statements.orbits`. The proofs are in the docstrings; what
they take from the literature stands beside the name, as axioms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any, NamedTuple

from slrsym.checker.differentiation import square_term
from slrsym.checker.expectations import ONE, ZERO
from slrsym.checker.term import (
    Rejected,
    Term,
    apply_function_at,
    binder_bodies,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    fresh_symbols_by_symbol,
    is_term,
    neg,
    num,
    require,
    substitute,
)
from slrsym.checker.theorem import rule, well_formed_node

SMOOTH = frozenset({"exp", "erf", "erf_prime", "erf_second", "sin", "cos", "sinh", "cosh", "tanh",
                    "atan", "zeta", "owens"})  # fmt: skip


def smoothness_conditions(t: Term, names: frozenset[Term]) -> list[Term]:
    """Return relations such that a term is a smooth function of given symbols where they hold.

    They hold on open sets, so that at a point they say that it is smooth near the point.
    """
    if not free_symbols(t) & names:
        return [] if t[0] in ("n", "pi") else [definedness_equation(t)]
    if t in names:
        return []
    parts = {"+": t[1:], "*": t[1:], "^": t[3:], "f": t[2:], "u": t[4:]}.get(t[0])
    if parts is None:
        raise Rejected(f"{t[0]} is not known to be smooth")
    asked = [p for part in parts for p in smoothness_conditions(part, names)]
    u = parts[0]
    if t[0] == "^" and t[2] != 1:
        asked.append(("<", ZERO, u))
    elif t[0] == "^" and t[1] < 0:
        asked.append(("!=", u, ZERO))
    elif t[0] == "f" and t[1] not in SMOOTH:
        where = {"log": ("<", ZERO, u), "abs": ("!=", u, ZERO),
                 "asin": ("<", ("^", 2, 1, u), ONE)}.get(t[1])  # fmt: skip
        if where is None:
            raise Rejected(f"{t[1]} is not known to be smooth")
        asked.append(where)
    return asked


@rule("smooth", "t", "t")
def _smooth_near_point(function: Term, point: Term) -> Any:
    """Conclude that a function's values are smooth functions of its variables near a point."""
    require(point[0] == "tuple", "the second argument is no point")
    place = point[1:]
    names = bound_variables(require_real_function(function, len(place), None))
    require(all(map(is_term, place)), "a coordinate of the point is no term")
    new = fresh_symbols_by_symbol(names, free_symbols(function) | free_symbols(point))
    bodies = [substitute(b, new) for b in binder_bodies(function)]
    put = dict(zip(new.values(), place, strict=True))
    near = frozenset(new.values())
    asked = [substitute(p, put) for b in bodies for p in smoothness_conditions(b, near)]
    return [*asked, *map(definedness_equation, place)], ("o", "smooth", function, point), ()


def require_real_function(t: Term, variable_count: int, values: int | None = 1) -> Term:
    """Return a function with given numbers of real variables and values; refuse other terms."""
    require(t[0] == "lam", "the argument is no function")
    require(
        len(bound_variables(t)) == variable_count,
        f"the function has not {variable_count} variables",
    )
    require(all(x[2] == "R" for x in bound_variables(t)), "a variable of the function is not real")
    require(values in (None, len(binder_bodies(t))), f"the function has not {values} values")
    return t


class MapOnBox(NamedTuple):
    """A map of a box with fresh names for its coordinates."""

    names: tuple[Term, ...]
    images: tuple[Term, ...]
    low: tuple[Term, ...]
    high: tuple[Term, ...]

    def inside_conditions(self, point: Sequence[Term], kind: str = "<=") -> list[Term]:
        """Return the inequalities which say that a point is in the box."""
        ends = zip(self.low, point, self.high, strict=True)
        return [r for a, x, b in ends for r in ((kind, a, x), (kind, x, b))]

    def for_all_points(self, p: Term, kind: str = "<=", more: Sequence[Term] = ()) -> Term:
        """Return the formula which says that the formula p holds at all points of the box.

        If p is of a second point, with the coordinates `more`, of the box, too.
        """
        where = self.inside_conditions(self.names, kind) + (
            self.inside_conditions(more) if more else []
        )
        p = ("implies", ("and", *where), p)
        for x in reversed((*self.names, *more)):
            p = ("forall", (x,), (p,), ())
        return p

    def invariance_formula(self) -> Term:
        """Return the formula which says that the map takes the box into itself."""
        return self.for_all_points(("and", *self.inside_conditions(self.images)))

    def smoothness_formula(self, *bodies: Term) -> Term:
        """Return the formula which says that functions of the coordinates are smooth on the box."""
        function = ("lam", self.names, bodies, ())
        return self.for_all_points(("o", "smooth", function, ("tuple", *self.names)))


def map_from_tuple(g: Term, taken: Iterable[Term]) -> MapOnBox:
    """Return the map of a box that a tuple encodes, with coordinate names that are not taken."""
    is_map = g[:2] == ("tuple", ("text", "BoxMap")) and len(g) == 5
    require(is_map and g[3][0] == g[4][0] == "tuple", "the subject is no map of a box")
    images, low, high = g[2:]
    fits = len(low) == len(high) == len(bound_variables(images)) + 1
    require(fits, "the map and its box have different numbers of coordinates")
    names = bound_variables(require_real_function(images, len(low) - 1, len(low) - 1))
    for a, b in zip(low[1:], high[1:], strict=True):
        in_order = a[0] == b[0] == "n" and a[1] * b[2] < b[1] * a[2]
        require(in_order, "the ends of the box are not numbers in order")
    new = fresh_symbols_by_symbol(names, taken)
    values = tuple(substitute(t, new) for t in binder_bodies(images))
    return MapOnBox(tuple(new.values()), values, low[1:], high[1:])


@dataclass(frozen=True)
class OrbitGoal:
    """A statement about orbits to be concluded, with the terms that the theorem's schema needs."""

    kind: str
    map: Term
    about: tuple[Term, ...]
    values: tuple[Term, ...]

    @cached_property
    def free_symbols(self) -> frozenset[Term]:
        """The free symbols of the statement and of its terms."""
        return frozenset().union(*map(free_symbols, (self.map, *self.about, *self.values)))

    @cached_property
    def map_with_fresh_names(self) -> MapOnBox:
        """The map of the statement, with coordinate names that no other symbol has."""
        return map_from_tuple(self.map, self.free_symbols)

    def value_at(self, point: tuple[Term, ...], f: Term) -> Term:
        """Return the value of a function of the coordinates at a given point."""
        return apply_function_at(
            require_real_function(f, len(self.map_with_fresh_names.names)), (), point
        )

    def value_at_generic_point(self, f: Term) -> Term:
        """Return the value of a function at a generic point of the box."""
        return self.value_at(self.map_with_fresh_names.names, f)

    def value_after_step(self, f: Term) -> Term:
        """Return the value of a function at the image of a generic point under the map."""
        return self.value_at(self.map_with_fresh_names.images, f)

    def components_at_generic_point(self, f: Term) -> list[Term]:
        """Return all components of a vector-valued function at a generic point of the box."""
        g = self.map_with_fresh_names
        names = bound_variables(require_real_function(f, len(g.names), None))
        put = dict(zip(names, g.names, strict=True))
        return [substitute(e, put) for e in binder_bodies(f)]

    def points_of_finite_set(self, t: Term) -> list[tuple[Term, ...]]:
        """Return the points of a finite set; refuse other numbers of coordinates than the map's."""
        return points_of_set(t, len(self.map_with_fresh_names.names))


def points_of_set(t: Term, size: int) -> list[tuple[Term, ...]]:
    """Return the points of a finite set; refuse an empty set or coordinates with symbols."""
    require(t[0] == "set" and len(t) > 1, "the argument is no set of points, or is empty")
    are_points = all(p[0] == "tuple" and len(p) == size + 1 for p in t[1:])
    require(are_points, "a point has another number of coordinates than the box")
    closed = all(is_term(x) and not free_symbols(x) for p in t[1:] for x in p[1:])
    require(closed, "a coordinate of a point is no term without symbols")
    return [p[1:] for p in t[1:]]


Schemas = dict[str, tuple[str, int, Callable[[OrbitGoal], list[Term]], tuple[str, ...]]]
SCHEMAS: Schemas = {}


def register_theorem(
    name: str, kind: str, values: int, *axioms: str, schemas: Schemas = SCHEMAS
) -> Callable[[Any], Any]:
    """Return a decorator that registers a theorem, by default one on orbits, among schemas."""

    def register(function: Any) -> Any:
        require(name not in schemas, f"two theorems have the name {name}")
        schemas[name] = (kind, values, function, axioms)
        return function

    return register


@rule("theorem", "json", "t", "ts")
def _orbit_theorem(name: Any, goal: Term, values: tuple[Term, ...]) -> Any:
    """Conclude a statement about orbits by a named theorem, under the theorem's hypotheses."""
    return conclude_by_schema(SCHEMAS, name, goal, values)


def conclude_by_schema(schemas: Schemas, name: Any, goal: Term, values: tuple[Term, ...]) -> Any:
    """Conclude a statement by one of some named theorems, under the theorem's hypotheses."""
    require(isinstance(name, str) and name in schemas, "there is no theorem of this name")
    kind, count, needs, axioms = schemas[name]
    require(goal[0] == "o" and goal[1] in kind.split() and len(goal) > 2, f"the goal is no {kind}")
    require(len(values) == count, f"{name} takes {count} values")
    asked = needs(OrbitGoal(goal[1], goal[2], goal[3:], values))
    return list(map(well_formed_node, asked)), goal, (f"theorem {name}", *axioms)


def only_object_besides_map(goal: OrbitGoal) -> Term:
    """Return the only object besides the map that a statement is about; refuse none or several."""
    require(len(goal.about) == 1, "the sentence is not about exactly one more thing")
    return goal.about[0]


def require_term(t: Term) -> Term:
    """Return a term; refuse anything else."""
    require(is_term(t), "a value is no term")
    return t


# -- descent --------------------------------------------------------------------------------------


@register_theorem("decrease", "DecreasesAlong", 0, "induction")
def _decrease(goal: OrbitGoal) -> list[Term]:
    """$f$ never increases along orbits, if steps stay in the box, and $f(g(x)) <= f(x)$ there.

    By induction every point of the orbit is in the box, so the inequality holds at each.
    """
    f = only_object_besides_map(goal)
    change = ("+", goal.value_after_step(f), neg(goal.value_at_generic_point(f)))
    return [
        goal.map_with_fresh_names.invariance_formula(),
        goal.map_with_fresh_names.for_all_points(("<=", change, ZERO)),
    ]


@register_theorem("bounded-descent", "VanishesAlong", 3,
        "induction", "monotone-convergence", "limits-of-sequences")  # fmt: skip
def _bounded_descent(goal: OrbitGoal) -> list[Term]:
    """$S$ tends to 0 along orbits, if steps lower a bounded function by a multiple of $S$.

    With $f(g(x)) - f(x) + c S(x) <= 0$, $S >= 0$, a constant $c > 0$ and $f >= m$ on the box, which
    steps do not leave: $f$ decreases along the orbit and is bounded, so it converges; the
    differences of a convergent sequence tend to 0; and $0 <= S(x_t) <= (f(x_t) - f(x_{t+1}))/c$.
    """
    f, rate, floor = goal.values
    slack = goal.value_at_generic_point(only_object_besides_map(goal))
    change = (
        "+",
        goal.value_after_step(f),
        neg(goal.value_at_generic_point(f)),
        ("*", require_term(rate), slack),
    )
    return [
        goal.map_with_fresh_names.invariance_formula(),
        goal.map_with_fresh_names.for_all_points(("<=", change, ZERO)),
        goal.map_with_fresh_names.for_all_points(("<=", ZERO, slack)),
        goal.map_with_fresh_names.for_all_points(
            ("<=", require_term(floor), goal.value_at_generic_point(f))
        ),
        ("<", ZERO, rate),
    ]


def _bound_by_multiple_formulas(goal: OrbitGoal, terms: Iterable[Term]) -> list[Term]:
    """Return formulas which say that a sum of squares is at most C S, and S tends to 0."""
    slack, factor = goal.values
    least = (
        "+",
        ("+", *map(square_term, terms)),
        neg(("*", require_term(factor), goal.value_at_generic_point(slack))),
    )
    vanishes = ("o", "VanishesAlong", goal.map, slack)
    return [
        goal.map_with_fresh_names.invariance_formula(),
        goal.map_with_fresh_names.for_all_points(("<=", least, ZERO)),
        vanishes,
    ]


@register_theorem("small-steps", "StepsVanish", 2, "induction", "limits-of-sequences")
def _small_steps(goal: OrbitGoal) -> list[Term]:
    """$g(x_t) - x_t$ tends to 0, if $|g(x) - x|^2 <= C S(x)$ on the box and $S$ tends to 0.

    From $0 <= |g(x) - x|^2 <= C S(x)$ on the box, which steps do not leave, and $S(x_t) -> 0$.
    """
    require(not goal.about, "the sentence is about more than the map")
    steps = zip(goal.map_with_fresh_names.images, goal.map_with_fresh_names.names, strict=True)
    return _bound_by_multiple_formulas(goal, (("+", y, neg(x)) for y, x in steps))


@register_theorem("limits-solve", "AccumulationPointsSolve", 2, "induction", "limits-of-sequences")
def _limits_solve(goal: OrbitGoal) -> list[Term]:
    """Accumulation points solve $e = 0$ if $|e|^2 <= C S$ on the box, $S -> 0$, and $e$ is smooth.

    From $|e(x)|^2 <= C S(x)$ on the box, which steps do not leave, and $S(x_t) -> 0$: $e$ tends to
    0 along the orbit. An accumulation point is in the box, which is closed; $e$ is continuous
    there.
    """
    values = goal.components_at_generic_point(only_object_besides_map(goal))
    return [
        *_bound_by_multiple_formulas(goal, values),
        goal.map_with_fresh_names.smoothness_formula(*values),
    ]


@register_theorem("connected-limits", "OrbitsConvergeTo", 1,
        "induction", "bolzano-weierstrass", "connected-accumulation-points")  # fmt: skip
def _connected_limits(goal: OrbitGoal) -> list[Term]:
    """Orbits converge to points of $P$, if steps vanish, and accumulation points solve equations.

    Orbits stay in the box, so they are bounded. As their steps tend to 0, the set of accumulation
    points is connected; by the equations it is part of the finite set $P$; a finite set that is
    connected is empty or has one point. A bounded sequence with one accumulation point converges.
    """
    (equations,) = goal.values
    system = ("and", *(("=", e, ZERO) for e in goal.components_at_generic_point(equations)))
    listed = [
        ("and", *(("=", x, v) for x, v in zip(goal.map_with_fresh_names.names, p, strict=True)))
        for p in goal.points_of_finite_set(only_object_besides_map(goal))
    ]
    solved = ("implies", system, ("or", *listed))
    return [
        goal.map_with_fresh_names.invariance_formula(),
        goal.map_with_fresh_names.for_all_points(solved),
        ("o", "StepsVanish", goal.map),
        ("o", "AccumulationPointsSolve", goal.map, equations),
    ]


@register_theorem(
    "on-face", "OrbitsConvergeTo DecreasesAlong", 4, "induction", "limits-of-sequences"
)
def _on_face(goal: OrbitGoal) -> list[Term]:
    """Orbits on a slice of a box converge, or $f$ never rises on them, if this holds on the box.

    On the slice one coordinate is a number within its ends. As a step from it keeps the coordinate
    that is fixed there, by induction the orbits of the map on the face are orbits of the whole map.
    A limit of points of the face lies on it, so that it is one of the points listed that do.
    """
    whole, place, value, of = goal.values
    large = map_from_tuple(whole, goal.free_symbols)
    is_place = place[0] == "n" and place[2] == 1 and 0 <= place[1] < len(large.names)
    require(is_place, "the place is not that of a coordinate")
    i = place[1]
    a, b = large.low[i], large.high[i]
    require(value[0] == "n" and a[1] * value[2] <= value[1] * a[2], "the value is below the box")
    require(value[1] * b[2] <= b[1] * value[2], "the value is above the box")
    others = [j for j in range(len(large.names)) if j != i]
    require(
        len(others) == len(goal.map_with_fresh_names.names),
        "the map on the face has not one coordinate less",
    )
    for mine, theirs in (
        (goal.map_with_fresh_names.low, large.low),
        (goal.map_with_fresh_names.high, large.high),
    ):
        require(mine == tuple(theirs[j] for j in others), "the ends of the face are others")
    here = (*goal.map_with_fresh_names.names[:i], value, *goal.map_with_fresh_names.names[i:])
    put = dict(zip(large.names, here, strict=True))
    images = [substitute(t, put) for t in large.images]
    kept = [("=", images[i], value)]
    kept += [
        ("=", mine, images[j])
        for mine, j in zip(goal.map_with_fresh_names.images, others, strict=True)
    ]
    asked = [*map(goal.map_with_fresh_names.for_all_points, kept), ("o", goal.kind, whole, of)]
    if goal.kind == "DecreasesAlong":
        value_of = apply_function_at(require_real_function(of, len(here)), (), here)
        return [
            *asked,
            goal.map_with_fresh_names.for_all_points(
                ("=", goal.value_at_generic_point(only_object_besides_map(goal)), value_of)
            ),
        ]
    listed = [
        tuple(map(canonical_key, p))
        for p in goal.points_of_finite_set(only_object_besides_map(goal))
    ]
    for p in points_of_set(of, len(large.names)):
        require(p[i][0] == "n", "the coordinate of a point across the face is no number")
        rest = tuple(canonical_key(x) for j, x in enumerate(p) if j != i)
        require(p[i] != value or rest in listed, "a limit on the face that is not listed")
    return asked


# -- points that are kept apart -------------------------------------------------------------------


def _expansion_formulas(goal: OrbitGoal) -> list[Term]:
    """Return formulas which say that a map multiplies distances by at least a factor c > 0."""
    (factor,) = goal.values
    require(not goal.about, "the sentence is about more than the map")
    new = fresh_symbols_by_symbol(
        goal.map_with_fresh_names.names,
        frozenset(goal.map_with_fresh_names.names) | free_symbols(goal.map) | free_symbols(factor),
    )
    second = tuple(new.values())

    def distance(a: Iterable[Term], b: Iterable[Term]) -> Term:
        return ("+", *(("f", "abs", ("+", x, neg(y))) for x, y in zip(a, b, strict=True)))

    moved = [substitute(t, new) for t in goal.map_with_fresh_names.images]
    least = ("*", require_term(factor), distance(goal.map_with_fresh_names.names, second))
    expands = ("<=", least, distance(goal.map_with_fresh_names.images, moved))
    return [goal.map_with_fresh_names.for_all_points(expands, more=second), ("<", ZERO, factor)]


@register_theorem("expansion-injective", "Injective", 1)
def _expansion_injective(goal: OrbitGoal) -> list[Term]:
    """$g$ is injective, if $|g(x) - g(y)|_1 >= c |x - y|_1$ on the box, with a constant $c > 0$.

    If the images are equal, the right side is 0, and so $x = y$.
    """
    return _expansion_formulas(goal)


@register_theorem("expansion-invertible", "InvertibleJacobian", 1,
        "continuous-derivatives", "limits-of-sequences")  # fmt: skip
def _expansion_invertible(goal: OrbitGoal) -> list[Term]:
    """$Dg$ is invertible, if $g$ is smooth and $|g(x) - g(y)|_1 >= c |x - y|_1$ with $c > 0$.

    At a point $x$ of the open box, $(g(x + t h) - g(x))/t$ tends to $Dg(x) h$ as $t -> 0$, so that
    $|Dg(x) h|_1 >= c |h|_1$ for every $h$. As $Dg$ is continuous on the closed box, this holds on
    its boundary, too. So $Dg(x) h = 0$ only for $h = 0$.
    """
    return [
        *_expansion_formulas(goal),
        goal.map_with_fresh_names.smoothness_formula(*goal.map_with_fresh_names.images),
    ]


@register_theorem("local-inverse", "LocalDiffeomorphism", 0,
        "continuous-derivatives", "inverse-function-theorem")  # fmt: skip
def _local_inverse(goal: OrbitGoal) -> list[Term]:
    """$g$ is a local diffeomorphism on $P$ inside of the box, if its Jacobian is invertible.

    The images are smooth on a neighbourhood of the box, so that near a point inside of it $g$ is
    continuously differentiable; the inverse function theorem gives the inverse.
    """
    strict = [
        p
        for point in goal.points_of_finite_set(only_object_besides_map(goal))
        for p in goal.map_with_fresh_names.inside_conditions(point, "<")
    ]
    return [
        ("o", "InvertibleJacobian", goal.map),
        *strict,
        goal.map_with_fresh_names.smoothness_formula(*goal.map_with_fresh_names.images),
    ]


# -- starts that are few --------------------------------------------------------------------------


@register_theorem("center-stable", "NullStarts", 2,
        "induction", "continuous-derivatives", "inverse-function-theorem", "center-stable-manifold",
        "null-sets-unions", "null-sets-images", "null-sets-faces", "null-sets-discs",
        "lindelof")  # fmt: skip
def _center_stable(goal: OrbitGoal) -> list[Term]:
    """Only a null set tends to a fixed point $p$ inside of the box that has an eigenvalue above 1.

    The map is smooth on a neighbourhood of the box, and its Jacobian matrix is nowhere singular on
    it, so that it is a local diffeomorphism at each point inside. Let $W$ be the local
    center-stable disc at $p$, and $B$ a neighbourhood of $p$ such that points whose orbits stay in
    $B$ lie in $W$. Its dimension is the number of eigenvalues of modulus at most 1, which is less
    than that of the box, as an eigenvalue is above 1; so $W$ is a null set. If the orbit of $x$
    converges to $p$, then all of it from some $N$ on lies in $B$, and $g^N(x)$ is in $W$. So the
    starts lie in the union over $N$ of the preimages of $W$ under $g^N$. Preimages of a null set
    under $g$ within the box are null sets: its boundary is one, and at each point of its inside $g$
    has, near by, an inverse that is continuously differentiable, which maps null sets to null sets;
    countably many of these neighbourhoods cover the inside. The orbit does not leave the box, so
    this can be done $N$ times.
    """
    g, (matrix, eigenvalue) = goal.map_with_fresh_names, goal.values
    require(
        len(goal.points_of_finite_set(only_object_besides_map(goal))) == 1,
        "there is more than one point",
    )
    (point,) = goal.points_of_finite_set(only_object_besides_map(goal))
    n = len(g.names)
    is_square = matrix[0] == "tuple" and len(matrix) == n * n + 1 <= 17
    require(is_square, "the matrix is not square, or has more than four rows")
    require(all(map(is_term, matrix[1:])), "an entry of the matrix is no term")
    rows = [matrix[1 + n * i : 1 + n * (i + 1)] for i in range(n)]
    put = dict(zip(g.names, point, strict=True))
    asked = [g.invariance_formula()]
    for i, image in enumerate(g.images):
        for j in range(n):
            orders = tuple(int(k == j) for k in range(n))
            asked.append(("=", ("d", orders, g.names, (image,), point), rows[i][j]))
    asked += [("=", substitute(t, put), x) for t, x in zip(g.images, point, strict=True)]
    lessened = [
        [("+", c, neg(require_term(eigenvalue))) if i == j else c for j, c in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    return [
        *asked, ("=", determinant_term(lessened), ZERO), ("<", ONE, eigenvalue),
        ("o", "InvertibleJacobian", goal.map),
        *g.inside_conditions(point, "<"), g.smoothness_formula(*g.images),
    ]  # fmt: skip


def determinant_term(rows: Sequence[Sequence[Term]]) -> Term:
    """Return the determinant of a matrix, as a sum over permutations."""
    terms = []
    for p in permutations(range(len(rows))):
        inversions = sum(p[i] > p[j] for j in range(len(p)) for i in range(j))
        terms.append(("*", num((-1) ** inversions), *(rows[i][j] for i, j in enumerate(p))))
    return ("+", *terms)


@register_theorem(
    "strict-maximum", "NullStarts", 1, "induction", "limits-of-sequences", "null-sets-faces"
)
def _strict_maximum(goal: OrbitGoal) -> list[Term]:
    """Only a null set tends to $P$, if $f$ never increases and is less inside than on $P$.

    If the orbit of $x$ converges to $p$ in $P$, then $f(x) >= f(x_t) -> f(p)$, since $f$ is
    continuous on the box, which the orbit does not leave. So $x$ does not lie inside of the box.
    Its boundary is a null set.
    """
    (f,) = goal.values
    less = [
        goal.map_with_fresh_names.for_all_points(
            ("<", goal.value_at_generic_point(f), goal.value_at(p, f)), "<"
        )
        for p in goal.points_of_finite_set(only_object_besides_map(goal))
    ]
    along = ("o", "DecreasesAlong", goal.map, f)
    return [
        goal.map_with_fresh_names.invariance_formula(),
        *less,
        along,
        goal.map_with_fresh_names.smoothness_formula(goal.value_at_generic_point(f)),
    ]


@register_theorem("null-union", "NullStarts", 1, "null-sets-unions")
def _null_union(goal: OrbitGoal) -> list[Term]:
    """Only a null set tends to $P$ if each point of it is in a set to which only a null set does.

    What converges to a point of $P$ converges to one of a part; finitely many null sets make up
    one.
    """
    (parts,) = goal.values
    require(parts[0] == "tuple" and len(parts) > 1, "the parts are no tuple of sets of points")
    goal.points_of_finite_set(only_object_besides_map(goal))
    covered = {
        canonical_key(("tuple", *p)) for part in parts[1:] for p in goal.points_of_finite_set(part)
    }
    require(
        {canonical_key(p) for p in only_object_besides_map(goal)[1:]} <= covered,
        "the parts do not make up the set",
    )
    return [("o", "NullStarts", goal.map, part) for part in parts[1:]]


@register_theorem("all-but-few", "AlmostEveryStartConvergesTo", 1)
def _all_but_few(goal: OrbitGoal) -> list[Term]:
    """Almost every orbit tends to $P$, if all tend to $P$ or $Q$, and only a null set to $Q$.

    A start from which the orbit does not converge to a point of $P$ is in the null set.
    """
    (few,) = goal.values
    both = {canonical_key(p): p for t in (only_object_besides_map(goal), few) for p in t[1:]}
    for t in (only_object_besides_map(goal), few):
        goal.points_of_finite_set(t)
    either = ("set", *(both[k] for k in sorted(both)))
    return [("o", "OrbitsConvergeTo", goal.map, either), ("o", "NullStarts", goal.map, few)]
