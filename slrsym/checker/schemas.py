"""Theorems on orbits of maps of a box: what each concludes, and from what.

A schema reads its goal and a few terms that it speaks of, and says what has to hold; that becomes
hypotheses of the theorem, which other theorems remove. A box map g is the tuple of a function with
as many values as variables, and the ends of the box, which are rational. It is a map of the box
alone: an orbit goes on as long as it stays there, and that it converges says that it does. What a
sentence means is said in `slrsym.statements.orbits`. The proofs are in the docstrings; what they
take from the literature stands beside the name, as axioms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any, NamedTuple

from slrsym.checker.calculus import square
from slrsym.checker.expect import ONE, ZERO
from slrsym.checker.term import (
    Rejected,
    Term,
    apart,
    applied,
    bound,
    defined,
    free,
    inside,
    is_term,
    key,
    neg,
    num,
    require,
    substitute,
)
from slrsym.checker.theorem import checked, rule

SMOOTH = frozenset({"exp", "erf", "erf_prime", "erf_second", "sin", "cos", "sinh", "cosh", "tanh",
                    "atan", "zeta", "owens"})  # fmt: skip


def smooth(t: Term, names: frozenset[Term]) -> list[Term]:
    """Relations that make a term a smooth function of the names wherever they hold.

    They hold on open sets, so that at a point they say that it is smooth near the point.
    """
    if not free(t) & names:
        return [] if t[0] in ("n", "pi") else [defined(t)]
    if t in names:
        return []
    parts = {"+": t[1:], "*": t[1:], "^": t[3:], "f": t[2:], "u": t[4:]}.get(t[0])
    if parts is None:
        raise Rejected(f"{t[0]} is not known to be smooth")
    asked = [p for part in parts for p in smooth(part, names)]
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
def _smooth(function: Term, point: Term) -> Any:
    """Near the point, all values of the function are smooth functions of its variables."""
    require(
        function[0] == "lam" and point[0] == "tuple", "the arguments are not a function and a point"
    )
    names, place = bound(function), point[1:]
    require(
        len(names) == len(place) and all(x[2] == "R" for x in names),
        "a variable of the function is not real, or the point has another number of coordinates",
    )
    require(all(map(is_term, place)), "a coordinate of the point is no term")
    new = apart(names, free(function) | free(point))
    bodies = [substitute(b, new) for b in inside(function)]
    put = dict(zip(new.values(), place, strict=True))
    asked = [substitute(p, put) for b in bodies for p in smooth(b, frozenset(new.values()))]
    return [*asked, *map(defined, place)], ("o", "smooth", function, point), ()


class MapOnBox(NamedTuple):
    """A map of a box, with coordinates that nothing else is called."""

    names: tuple[Term, ...]
    images: tuple[Term, ...]
    low: tuple[Term, ...]
    high: tuple[Term, ...]

    def at(self, function: Term, point: Sequence[Term]) -> Term:
        return applied(function, (), tuple(point))

    def inside(self, point: Sequence[Term], kind: str = "<=") -> list[Term]:
        ends = zip(self.low, point, self.high, strict=True)
        return [r for a, x, b in ends for r in ((kind, a, x), (kind, x, b))]

    def everywhere(self, p: Term, kind: str = "<=", more: Sequence[Term] = ()) -> Term:
        """What holds at all points of the box, and at all other ones, too."""
        where = self.inside(self.names, kind) + (self.inside(more) if more else [])
        p = ("implies", ("and", *where), p)
        for x in reversed((*self.names, *more)):
            p = ("forall", (x,), (p,), ())
        return p

    def stays(self) -> Term:
        return self.everywhere(("and", *self.inside(self.images)))

    def smooth(self, *bodies: Term) -> Term:
        function = ("lam", self.names, bodies, ())
        return self.everywhere(("o", "smooth", function, ("tuple", *self.names)))


def box(g: Term, taken: Iterable[Term]) -> MapOnBox:
    """A map of a box, as a tuple says it."""
    require(
        g[:2] == ("tuple", ("text", "BoxMap")) and len(g) == 5, "the subject is no map of a box"
    )
    images, low, high = g[2:]
    require(images[0] == "lam" and low[0] == high[0] == "tuple", "the subject is no map of a box")
    names = bound(images)
    require(all(x[2] == "R" for x in names), "a coordinate of the map is not real")
    require(
        len(names) == len(inside(images)) == len(low) - 1 == len(high) - 1,
        "the map and its box have different numbers of coordinates",
    )
    for a, b in zip(low[1:], high[1:], strict=True):
        require(
            a[0] == b[0] == "n" and a[1] * b[2] < b[1] * a[2],
            "the ends of the box are not numbers in order",
        )
    new = apart(names, taken)
    values = tuple(substitute(t, new) for t in inside(images))
    return MapOnBox(tuple(new.values()), values, low[1:], high[1:])


@dataclass(frozen=True)
class Goal:
    """What a schema is to show: of which kind, of which map, about what else, by which terms."""

    kind: str
    map: Term
    about: tuple[Term, ...]
    values: tuple[Term, ...]

    @cached_property
    def taken(self) -> frozenset[Term]:
        """The names that mean something in what it speaks of."""
        return frozenset().union(*map(free, (self.map, *self.about, *self.values)))

    @cached_property
    def g(self) -> MapOnBox:
        return box(self.map, self.taken)

    def function(self, t: Term, size: int | None = 1) -> Term:
        """A function of the coordinates."""
        require(t[0] == "lam" and len(bound(t)) == len(self.g.names), "the argument is no function")
        require(all(x[2] == "R" for x in bound(t)), "a variable of the function is not real")
        require(size is None or len(inside(t)) == size, "a function of another number of values")
        return t

    def here(self, f: Term) -> Term:
        return self.g.at(self.function(f), self.g.names)

    def next(self, f: Term) -> Term:
        return self.g.at(self.function(f), self.g.images)

    def points(self, t: Term) -> list[tuple[Term, ...]]:
        return points(t, len(self.g.names))


def points(t: Term, size: int) -> list[tuple[Term, ...]]:
    """A finite set of points."""
    require(t[0] == "set" and len(t) > 1, "the argument is no set of points, or is empty")
    require(
        all(p[0] == "tuple" and len(p) == size + 1 for p in t[1:]),
        "a point has another number of coordinates than the box",
    )
    require(
        all(is_term(x) and not free(x) for p in t[1:] for x in p[1:]),
        "a coordinate of a point is no term without symbols",
    )
    return [p[1:] for p in t[1:]]


SCHEMAS: dict[str, tuple[str, int, Callable[[Goal], list[Term]], tuple[str, ...]]] = {}


def schema(name: str, kind: str, values: int, *axioms: str) -> Callable[[Any], Any]:
    """A theorem that shows a kind of sentence, by so many terms, from axioms of the literature."""

    def register(function: Any) -> Any:
        SCHEMAS[name] = (kind, values, function, axioms)
        return function

    return register


@rule("theorem", "json", "t", "ts")
def _theorem(name: Any, goal: Term, values: tuple[Term, ...]) -> Any:
    """A sentence on orbits, by a schema."""
    require(isinstance(name, str) and name in SCHEMAS, "there is no theorem of this name")
    kind, count, needs, axioms = SCHEMAS[name]
    require(goal[0] == "o" and goal[1] in kind.split() and len(goal) > 2, f"{name} shows {kind}")
    require(len(values) == count, f"{name} speaks of {count} terms")
    asked = needs(Goal(goal[1], goal[2], goal[3:], values))
    return list(map(checked, asked)), goal, (f"theorem {name}", *axioms)


def total(terms: Iterable[Term]) -> Term:
    return ("+", *terms)


def about_one(goal: Goal) -> Term:
    require(len(goal.about) == 1, "the sentence is not about exactly one more thing")
    return goal.about[0]


def number(t: Term) -> Term:
    require(is_term(t), "a value is no term")
    return t


# -- descent --------------------------------------------------------------------------------------


@schema("decrease", "DecreasesAlong", 0, "induction")
def _decrease(goal: Goal) -> list[Term]:
    """$f$ never increases along orbits, if steps stay in the box, and $f(g(x)) <= f(x)$ there.

    By induction every point of the orbit is in the box, so the inequality holds at each.
    """
    f = about_one(goal)
    change = ("+", goal.next(f), neg(goal.here(f)))
    return [goal.g.stays(), goal.g.everywhere(("<=", change, ZERO))]


@schema("bounded-descent", "VanishesAlong", 3,
        "induction", "monotone-convergence", "limits-of-sequences")  # fmt: skip
def _bounded_descent(goal: Goal) -> list[Term]:
    """$S$ tends to 0 along orbits, if steps lower a bounded function by a multiple of $S$.

    With $f(g(x)) - f(x) + c S(x) <= 0$, $S >= 0$, a constant $c > 0$ and $f >= m$ on the box, which
    steps do not leave: $f$ decreases along the orbit and is bounded, so it converges; the
    differences of a convergent sequence tend to 0; and $0 <= S(x_t) <= (f(x_t) - f(x_{t+1}))/c$.
    """
    f, rate, floor = goal.values
    slack = goal.here(about_one(goal))
    change = ("+", goal.next(f), neg(goal.here(f)), ("*", number(rate), slack))
    return [
        goal.g.stays(),
        goal.g.everywhere(("<=", change, ZERO)),
        goal.g.everywhere(("<=", ZERO, slack)),
        goal.g.everywhere(("<=", number(floor), goal.here(f))),
        ("<", ZERO, rate),
    ]


def _at_most_a_multiple(goal: Goal, squares: Term) -> list[Term]:
    slack, factor = goal.values
    least = ("+", squares, neg(("*", number(factor), goal.here(slack))))
    vanishes = ("o", "VanishesAlong", goal.map, slack)
    return [goal.g.stays(), goal.g.everywhere(("<=", least, ZERO)), vanishes]


@schema("small-steps", "StepsVanish", 2, "induction", "limits-of-sequences")
def _small_steps(goal: Goal) -> list[Term]:
    """Steps of $g$ tend to 0, if the squared step is at most a multiple of what tends to 0.

    From $0 <= |g(x) - x|^2 <= C S(x)$ on the box, which steps do not leave, and $S(x_t) -> 0$.
    """
    require(not goal.about, "the sentence is about more than the map")
    steps = zip(goal.g.images, goal.g.names, strict=True)
    return _at_most_a_multiple(goal, total(square(("+", y, neg(x))) for y, x in steps))


@schema("limits-solve", "AccumulationPointsSolve", 2, "induction", "limits-of-sequences")
def _limits_solve(goal: Goal) -> list[Term]:
    """Accumulation points solve $e = 0$, if $|e|^2$ is at most a multiple of what tends to 0.

    From $|e(x)|^2 <= C S(x)$ on the box, which steps do not leave, and $S(x_t) -> 0$: $e$ tends to
    0 along the orbit. An accumulation point is in the box, which is closed; $e$ is continuous
    there.
    """
    put = dict(zip(bound(goal.function(about_one(goal), None)), goal.g.names, strict=True))
    values = [substitute(e, put) for e in inside(about_one(goal))]
    return [*_at_most_a_multiple(goal, total(map(square, values))), goal.g.smooth(*values)]


@schema("connected-limits", "OrbitsConvergeTo", 1,
        "induction", "bolzano-weierstrass", "connected-accumulation-points")  # fmt: skip
def _connected_limits(goal: Goal) -> list[Term]:
    """Orbits converge to points of $P$, if steps vanish, and accumulation points solve equations.

    Orbits stay in the box, so they are bounded. As their steps tend to 0, the set of accumulation
    points is connected; by the equations it is part of the finite set $P$; a finite set that is
    connected is empty or has one point. A bounded sequence with one accumulation point converges.
    """
    (equations,) = goal.values
    put = dict(zip(bound(goal.function(equations, None)), goal.g.names, strict=True))
    system = ("and", *(("=", substitute(e, put), ZERO) for e in inside(equations)))
    listed = [
        ("and", *(("=", x, v) for x, v in zip(goal.g.names, p, strict=True)))
        for p in goal.points(about_one(goal))
    ]
    solved = ("implies", system, ("or", *listed))
    return [
        goal.g.stays(),
        goal.g.everywhere(solved),
        ("o", "StepsVanish", goal.map),
        ("o", "AccumulationPointsSolve", goal.map, equations),
    ]


@schema("on-face", "OrbitsConvergeTo DecreasesAlong", 4, "induction", "limits-of-sequences")
def _on_face(goal: Goal) -> list[Term]:
    """On a face of a box orbits converge, or $f$ never increases, if so it is on the box.

    As a step from the face keeps the coordinate that is fixed there, by induction the orbits of the
    map on the face are orbits of the whole map. A limit of points of the face lies on it, so that
    it is one of the points listed that do.
    """
    whole, place, value, of = goal.values
    large = box(whole, goal.taken)
    require(
        place[0] == "n" and place[2] == 1 and 0 <= place[1] < len(large.names),
        "the place is not that of a coordinate",
    )
    i = place[1]
    a, b = large.low[i], large.high[i]
    require(value[0] == "n" and a[1] * value[2] <= value[1] * a[2], "the value is below the box")
    require(value[1] * b[2] <= b[1] * value[2], "the value is above the box")
    others = [j for j in range(len(large.names)) if j != i]
    require(len(others) == len(goal.g.names), "the map on the face has not one coordinate less")
    for mine, theirs in ((goal.g.low, large.low), (goal.g.high, large.high)):
        require(mine == tuple(theirs[j] for j in others), "the ends of the face are others")
    here = (*goal.g.names[:i], value, *goal.g.names[i:])
    put = dict(zip(large.names, here, strict=True))
    images = [substitute(t, put) for t in large.images]
    asked = [goal.g.everywhere(("=", images[i], value))]
    asked += [
        goal.g.everywhere(("=", mine, images[j]))
        for mine, j in zip(goal.g.images, others, strict=True)
    ]
    asked.append(("o", goal.kind, whole, of))
    if goal.kind == "DecreasesAlong":
        require(
            of[0] == "lam" and len(bound(of)) == len(here),
            "the argument is no function of the whole box",
        )
        require(all(x[2] == "R" for x in bound(of)), "a variable of the function is not real")
        return [*asked, goal.g.everywhere(("=", goal.here(about_one(goal)), applied(of, (), here)))]
    listed = [tuple(map(key, p)) for p in goal.points(about_one(goal))]
    for p in points(of, len(large.names)):
        require(
            p[i][0] == "n",
            "a coordinate of a point that decides on which face it lies is no number",
        )
        rest = tuple(key(x) for j, x in enumerate(p) if j != i)
        require(p[i] != value or rest in listed, "a limit on the face that is not listed")
    return asked


# -- points that are kept apart -------------------------------------------------------------------


def _expands(goal: Goal) -> list[Term]:
    (factor,) = goal.values
    require(not goal.about, "the sentence is about more than the map")
    new = apart(goal.g.names, frozenset(goal.g.names) | free(goal.map) | free(factor))
    second = tuple(new.values())

    def distance(a: Iterable[Term], b: Iterable[Term]) -> Term:
        return total(("f", "abs", ("+", x, neg(y))) for x, y in zip(a, b, strict=True))

    moved = [substitute(t, new) for t in goal.g.images]
    least = ("*", number(factor), distance(goal.g.names, second))
    expands = ("<=", least, distance(goal.g.images, moved))
    return [goal.g.everywhere(expands, more=second), ("<", ZERO, factor)]


@schema("expansion-injective", "Injective", 1)
def _expansion_injective(goal: Goal) -> list[Term]:
    """$g$ is injective, if $|g(x) - g(y)|_1 >= c |x - y|_1$ on the box, with a constant $c > 0$.

    If the images are equal, the right side is 0, and so $x = y$.
    """
    return _expands(goal)


@schema("expansion-invertible", "InvertibleJacobian", 1,
        "continuous-derivatives", "limits-of-sequences")  # fmt: skip
def _expansion_invertible(goal: Goal) -> list[Term]:
    """A smooth $g$ has an invertible Jacobian, if $|g(x) - g(y)|_1 >= c |x - y|_1$ with $c > 0$.

    At a point $x$ of the open box, $(g(x + t h) - g(x))/t$ tends to $Dg(x) h$ as $t -> 0$, so that
    $|Dg(x) h|_1 >= c |h|_1$ for every $h$. As $Dg$ is continuous on the closed box, this holds on
    its boundary, too. So $Dg(x) h = 0$ only for $h = 0$.
    """
    return [*_expands(goal), goal.g.smooth(*goal.g.images)]


@schema("local-inverse", "LocalDiffeomorphism", 0,
        "continuous-derivatives", "inverse-function-theorem")  # fmt: skip
def _local_inverse(goal: Goal) -> list[Term]:
    """$g$ is a local diffeomorphism on $P$ inside of the box, if its Jacobian is invertible.

    The images are smooth on a neighbourhood of the box, so that near a point inside of it $g$ is
    continuously differentiable; the inverse function theorem gives the inverse.
    """
    strict = [p for point in goal.points(about_one(goal)) for p in goal.g.inside(point, "<")]
    return [("o", "InvertibleJacobian", goal.map), *strict, goal.g.smooth(*goal.g.images)]


# -- starts that are few --------------------------------------------------------------------------


@schema("center-stable", "NullStarts", 2,
        "induction", "continuous-derivatives", "inverse-function-theorem", "center-stable-manifold",
        "null-sets-unions", "null-sets-images", "null-sets-faces", "null-sets-discs",
        "lindelof")  # fmt: skip
def _center_stable(goal: Goal) -> list[Term]:
    """Only a null set tends to a fixed point $p$ inside of the box that has an eigenvalue above 1.

    The map is smooth on a neighbourhood of the box, and its Jacobian matrix is invertible at $p$,
    so that it is a local diffeomorphism at $p$. Let $W$ be the local center-stable disc at $p$, and
    $B$ a neighbourhood of $p$ such that points whose orbits stay in $B$ lie in $W$. Its dimension
    is the number of eigenvalues of modulus at most 1, which is less than that of the box, as an
    eigenvalue is above 1; so $W$ is a null set. If the orbit of $x$ converges to $p$, then all of
    it from some $N$ on lies in $B$, and $g^N(x)$ is in $W$. So the starts lie in the union over $N$
    of the preimages of $W$ under $g^N$. Preimages of a null set under $g$ within the box are null
    sets: its boundary is one, and at each point of its inside $g$ has, near by, an inverse that is
    continuously differentiable, which maps null sets to null sets; countably many of these
    neighbourhoods cover the inside. The orbit does not leave the box, so this can be done $N$
    times.
    """
    g, (matrix, eigenvalue) = goal.g, goal.values
    require(len(goal.points(about_one(goal))) == 1, "there is more than one point")
    (point,) = goal.points(about_one(goal))
    n = len(g.names)
    require(
        matrix[0] == "tuple" and len(matrix) == n * n + 1 <= 17,
        "the matrix is not square, or has more than four rows",
    )
    require(all(map(is_term, matrix[1:])), "an entry of the matrix, or the eigenvalue, is no term")
    rows = [matrix[1 + n * i : 1 + n * (i + 1)] for i in range(n)]
    put = dict(zip(g.names, point, strict=True))
    asked = [g.stays()]
    for i, image in enumerate(g.images):
        for j in range(n):
            orders = tuple(int(k == j) for k in range(n))
            asked.append(("=", ("d", orders, g.names, (image,), point), rows[i][j]))
    asked += [("=", substitute(t, put), x) for t, x in zip(g.images, point, strict=True)]
    lessened = [
        [("+", c, neg(number(eigenvalue))) if i == j else c for j, c in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    return [
        *asked, ("=", determinant(lessened), ZERO), ("<", ONE, eigenvalue),
        ("o", "InvertibleJacobian", goal.map), *g.inside(point, "<"), g.smooth(*g.images),
    ]  # fmt: skip


def determinant(rows: Sequence[Sequence[Term]]) -> Term:
    """By the sum over permutations."""
    terms = []
    for p in permutations(range(len(rows))):
        inversions = sum(p[i] > p[j] for j in range(len(p)) for i in range(j))
        terms.append(("*", num((-1) ** inversions), *(rows[i][j] for i, j in enumerate(p))))
    return total(terms)


@schema("strict-maximum", "NullStarts", 1, "induction", "limits-of-sequences", "null-sets-faces")
def _strict_maximum(goal: Goal) -> list[Term]:
    """Only a null set tends to $P$, if $f$ never increases and is less inside than on $P$.

    If the orbit of $x$ converges to $p$ in $P$, then $f(x) >= f(x_t) -> f(p)$, since $f$ is
    continuous on the box, which the orbit does not leave. So $x$ does not lie inside of the box.
    Its boundary is a null set.
    """
    (f,) = goal.values
    less = [
        goal.g.everywhere(("<", goal.here(f), goal.g.at(f, p)), "<")
        for p in goal.points(about_one(goal))
    ]
    along = ("o", "DecreasesAlong", goal.map, f)
    return [goal.g.stays(), *less, along, goal.g.smooth(goal.here(f))]


@schema("null-union", "NullStarts", 1, "null-sets-unions")
def _null_union(goal: Goal) -> list[Term]:
    """Only a null set tends to $P$, if that is so of sets of which $P$ is the union.

    What converges to a point of $P$ converges to one of a part; finitely many null sets make up
    one.
    """
    (parts,) = goal.values
    require(parts[0] == "tuple" and len(parts) > 1, "the parts are no tuple of sets of points")
    goal.points(about_one(goal))
    covered = {key(("tuple", *p)) for part in parts[1:] for p in goal.points(part)}
    require({key(p) for p in about_one(goal)[1:]} <= covered, "the parts do not make up the set")
    return [("o", "NullStarts", goal.map, part) for part in parts[1:]]


@schema("all-but-few", "AlmostEveryStartConvergesTo", 1)
def _all_but_few(goal: Goal) -> list[Term]:
    """From almost every start to $P$, if orbits converge to $P$ or $Q$, to $Q$ from null sets.

    A start from which the orbit does not converge to a point of $P$ is in the null set.
    """
    (few,) = goal.values
    both = {key(p): p for t in (about_one(goal), few) for p in t[1:]}
    require(
        goal.points(about_one(goal)) and goal.points(few),
        "the arguments are not two sets of points",
    )
    either = ("set", *(both[k] for k in sorted(both)))
    return [("o", "OrbitsConvergeTo", goal.map, either), ("o", "NullStarts", goal.map, few)]
