"""Theorems on flows of vector fields: the conclusion and the hypotheses of each.

A flow is the tuple of a field f, a function with as many values as variables, and of functions h,
whose positive values make up its domain U. The trajectory of a point of U is the solution in U of
y' = f(y) on the longest interval, [0, T(x)); it exists and is unique if f and h are smooth on U,
which each sentence says first, and T(x) may be a number or infinite. The functions a of a region
give A, the part of U where none of them is negative. No sentence is about a function of time that
is supposed to exist. The page "Specification of the checker's extension dynamics" says what each
sentence means, and has the proofs in full; those in the docstrings are shorter.

They are an extension: a record of a log that uses one of them has to name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from slrsym.checker.differentiation import elementary_function_term, square_term
from slrsym.checker.expectations import ONE, ZERO
from slrsym.checker.orbit_theorems import determinant_term, require_real_function, require_term
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
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

MINUS_ONE = num(-1)
# The largest matrix whose determinant is written out.
_ROWS = 4


class FlowGoal:
    """A sentence about a flow, to be concluded, with new names for the coordinates."""

    def __init__(self, goal: Term, values: Sequence[Term]) -> None:
        is_sentence = goal[0] == "o" and goal[1] in _PARTS and len(goal) == 3 + len(_PARTS[goal[1]])
        require(is_sentence, "the goal is no sentence about a flow")
        self.kind, self.flow, self.values = goal[1], goal[2], tuple(values)
        is_flow = self.flow[:2] == ("tuple", ("text", "Flow")) and len(self.flow) == 4
        require(is_flow, "the subject is no flow")
        field, domain = self.flow[2:]
        require(field[0] == "lam", "the field is no function")
        self.size = len(bound_variables(field))
        require_real_function(field, self.size, self.size)
        require_real_function(domain, self.size, None)
        self.about = dict(zip(_PARTS[self.kind], goal[3:], strict=True))
        for what, part in self.about.items():
            _PART_CHECKS[what](part, self.size)
        self._taken = set().union(*map(free_symbols, (goal, *values)))
        self.names = self.new_symbols(("s", "x", "R"), self.size)
        self.field, self.domain = self.at(field), self.at(domain)
        self.region = self.at(self.about["region"]) if "region" in self.about else []

    def new_symbols(self, like: Term, count: int = 1) -> tuple[Term, ...]:
        """Return symbols of the sort of a given one, whose names nothing else has."""
        made = []
        for _ in range(count):
            (new,) = fresh_symbols_by_symbol([like], self._taken).values()
            self._taken.add(new)
            made.append(new)
        return tuple(made)

    def at(self, function: Term, point: Sequence[Term] | None = None) -> list[Term]:
        """Return the values of a function at a point, by default at the coordinates."""
        put = dict(zip(bound_variables(function), point or self.names, strict=True))
        return [substitute(body, put) for body in binder_bodies(function)]

    def value(self, function: Term, more: int = 0) -> Term:
        """Return a value of the theorem that has to be a real function of the coordinates."""
        return require_real_function(function, self.size + more, 1)

    def along(self, v: Term) -> Term:
        """Return the derivative of a term in the coordinates along the field."""
        slopes = [("d", (1,), (x,), (v,), (x,)) for x in self.names]
        return ("+", *(("*", s, f) for s, f in zip(slopes, self.field, strict=True)))

    def domain_at(self, point: Sequence[Term] | None = None) -> list[Term]:
        """Return the relations which say that a point is in the domain."""
        return [("<", ZERO, h) for h in self.at(self.flow[3], point)]

    def region_at(
        self, point: Sequence[Term] | None = None, count: int | None = None
    ) -> list[Term]:
        """Return the relations that the first functions of the region are not negative."""
        return [("<=", ZERO, a) for a in self.at(self.about["region"], point)[:count]]

    @property
    def in_region(self) -> list[Term]:
        """The relations which say that the coordinates are a point of the region."""
        return [*self.domain_at(), *self.region_at()]

    def cube(self, half: Term) -> list[Term]:
        """Return the relations which say that all coordinates are small enough."""
        return [r for x in self.names for r in (("<=", neg(half), x), ("<=", x, half))]

    def on(self, p: Term, where: Iterable[Term], more: Sequence[Term] = ()) -> Term:
        """Return the formula that p holds at all points, and further ones, with given relations."""
        return for_all((*self.names, *more), ("implies", ("and", *where), p))

    def smooth(self, bodies: Iterable[Term]) -> Term:
        """Return the sentence that terms are smooth functions near the coordinates' point."""
        return ("o", "smooth", ("lam", self.names, tuple(bodies), ()), ("tuple", *self.names))

    @property
    def is_smooth(self) -> Term:
        """The formula that the flow is smooth."""
        return self.on(self.smooth((*self.field, *self.domain)), self.domain_at())

    def is_kept(self, count: int | None = None) -> Term:
        """Return the sentence that the region of the first functions, or of all, is kept."""
        region = self.about["region"]
        bodies = binder_bodies(region)[:count]
        return ("o", "RegionKept", self.flow, ("lam", bound_variables(region), bodies, ()))


def for_all(names: Sequence[Term], p: Term) -> Term:
    """Return a formula with symbols bound, the first one outermost."""
    for x in reversed(names):
        p = ("forall", (x,), (p,), ())
    return p


# -- what sentences are about ---------------------------------------------------------------------


def _require_function(t: Term, size: int) -> None:
    require_real_function(t, size, None)


def _require_real(t: Term, size: int) -> None:
    require_real_function(t, size, 1)


def _require_solution(t: Term, size: int) -> None:
    require_real_function(t, size + 1, size)


def _require_points(t: Term, size: int) -> None:
    require(t[0] == "set" and len(t) > 1, "the argument is no set of points, or is empty")
    for p in t[1:]:
        require(p[0] == "tuple" and len(p) == size + 1, "a point has another number of coordinates")
        require(all(map(is_term, p[1:])), "a coordinate of a point is no term")


def _require_ends(t: Term, size: int) -> None:
    require(size == 1, "the flow has more than one coordinate")
    require(t[0] == "tuple" and len(t) == 3 and all(map(is_term, t[1:])), "the ends are no pair")


# The parts of each sentence after the flow.
_PARTS: dict[str, tuple[str, ...]] = {
    "RegionKept": ("region",),
    "ConstantAlong": ("region", "function"),
    "DecaysAlong": ("region", "function", "number"),
    "LastsForEver": ("region",),
    "FlowLimitsSolve": ("region", "equations"),
    "FlowsConvergeTo": ("region", "points"),
    "SolvedBy": ("region", "solution"),
    "ArrivesAt": ("ends", "number"),
    "EndsBy": ("region", "function"),
    "NullFlowStarts": ("points",),
}
_PART_CHECKS: dict[str, Callable[[Term, int], Any]] = {
    "region": _require_function, "equations": _require_function, "function": _require_real,
    "solution": _require_solution, "points": _require_points, "ends": _require_ends,
    "number": lambda t, size: require_term(t),
}  # fmt: skip

FLOW_SCHEMAS: dict[str, tuple[str, int, Callable[[FlowGoal], list[Term]], tuple[str, ...]]] = {}


def register_theorem(name: str, kind: str, values: int, *axioms: str) -> Callable[[Any], Any]:
    """Return a decorator that registers a theorem on flows."""

    def register(function: Any) -> Any:
        require(name not in FLOW_SCHEMAS, f"two theorems have the name {name}")
        FLOW_SCHEMAS[name] = (kind, values, function, axioms)
        return function

    return register


@rule("flow theorem", "json", "t", "ts", extension="dynamics")
def _flow_theorem(name: Any, goal: Term, values: tuple[Term, ...]) -> Any:
    """Conclude a sentence about a flow by a named theorem, under the theorem's hypotheses."""
    require(isinstance(name, str) and name in FLOW_SCHEMAS, "there is no theorem of this name")
    kind, count, needs, axioms = FLOW_SCHEMAS[name]
    require(goal[0] == "o" and goal[1] in kind.split(), f"the goal is no {kind}")
    require(len(values) == count, f"{name} takes {count} values")
    asked = needs(FlowGoal(goal, values))
    return list(map(well_formed_node, asked)), goal, (f"theorem {name}", *axioms)


# -- regions that are kept ------------------------------------------------------------------------


def _place(t: Term, count: int) -> int:
    """Return a number of functions of a region, or the place of one, less than a given count."""
    require(t[0] == "n" and t[2] == 1 and 0 <= t[1] < count, "the value is no place in the region")
    return int(t[1])


@register_theorem("flow-barrier", "RegionKept", 1, "picard-lindelof")
def _barrier(goal: FlowGoal) -> list[Term]:
    """Trajectories stay in $A$, if its first functions stay $>= 0$, and the others rise at 0.

    Let $s$ be the last time up to which a trajectory from $A$ is in $A$, and suppose that it goes
    on. All functions are continuous on the domain, so that $y(s)$ is in $A$. By the hypothesis
    about them, the first functions stay at least 0. Each other one either is positive at $y(s)$,
    and so it is for a while; or it is 0 there, and its derivative along the field is positive, so
    that it is positive just afterwards. So the trajectory is in $A$ a little longer.
    """
    first = _place(goal.values[0], len(goal.region))
    before = goal.is_kept(first) if first else goal.is_smooth
    rises = [
        goal.on(("<", ZERO, goal.along(a)), [*goal.in_region, ("<=", a, ZERO)])
        for a in goal.region[first:]
    ]
    # On the whole domain: where a function is not continuous, the region is not closed.
    return [before, goal.on(goal.smooth(goal.region), goal.domain_at()), *rises]


@register_theorem("flow-cofactor", "RegionKept", 1,
           "picard-lindelof", "mean-value-theorem", "bolzano-weierstrass")  # fmt: skip
def _cofactor(goal: FlowGoal) -> list[Term]:
    """Trajectories stay in $A$, if $a_i' >= k_i a_i$ where the functions before $a_i$ are $>= 0$.

    Here $a_i'$ is the derivative along the field; $a_i$ and $k_i$ are smooth there. By induction
    the functions before $a_i$ stay at least 0, so that the inequality holds along the trajectory.
    Suppose that $a_i$ is negative at a time $t$, and let $s$ be the last time before with $a_i =
    0$. In between $|k_i| <= M$ with a number $M$, so that $a_i' >= M a_i$, and $a_i exp(-M t)$ does
    not fall: it is at least 0 at $t$, against what was supposed.
    """
    cofactors = require_real_function(goal.values[0], goal.size, len(goal.region))
    asked = [goal.is_smooth]
    for i, (a, k) in enumerate(zip(goal.region, goal.at(cofactors), strict=True)):
        here = [*goal.domain_at(), *goal.region_at(count=i)]
        asked.append(goal.on(goal.smooth((a, k)), here))
        asked.append(goal.on(("<=", ("*", k, a), goal.along(a)), here))
    return asked


# -- functions along trajectories -----------------------------------------------------------------


@register_theorem("flow-gronwall", "DecaysAlong ConstantAlong", 0,
           "picard-lindelof", "mean-value-theorem")  # fmt: skip
def _gronwall(goal: FlowGoal) -> list[Term]:
    """$V(y(t)) <= V(x) exp(-r t)$, if $V' + r V <= 0$ on a kept region; constant, if $V' = 0$.

    Here $V'$ is the derivative along the field. As $V(y(t)) exp(r t)$ has the derivative $(V' + r
    V) exp(r t)$, it never rises. If $V' = 0$, $V(y(t))$ has the derivative 0.
    """
    (v,) = goal.at(goal.about["function"])
    asked = [goal.is_kept(), goal.on(goal.smooth([v]), goal.in_region)]
    if goal.kind == "ConstantAlong":
        return [*asked, goal.on(("=", goal.along(v), ZERO), goal.in_region)]
    rate = goal.about["number"]
    change = ("+", goal.along(v), ("*", rate, v))
    return [*asked, goal.on(("<=", change, ZERO), goal.in_region), definedness_equation(rate)]


@register_theorem("flow-for-ever", "LastsForEver", 4,
           "picard-lindelof", "maximal-solutions-leave-compact-sets",
           "bolzano-weierstrass")  # fmt: skip
def _for_ever(goal: FlowGoal) -> list[Term]:
    """Trajectories last for ever, if what a function of bounded growth allows is compact.

    The function is $V$, and $V(y(t)) <= V(x) exp(-r t)$ with $r <= 0$ along trajectories. Suppose
    that the trajectory of a start ends at the time $T$. Until then $V <= |V(x)| exp(-r T)$; all
    points of the kept region where that holds are in a cube, and there each function $h$ of the
    domain is at least some $c > 0$. As $h$ is smooth on the whole cube, the points of the cube with
    $h >= c$ are a compact part of the domain; a trajectory that ends leaves it.
    """
    v, rate, bound, least = goal.values
    v, bound, least = goal.value(v), goal.value(bound, 1), goal.value(least, 1)
    start = goal.new_symbols(("s", "z", "R"), goal.size)
    (time,) = goal.new_symbols(("s", "t", "R>=0"))
    more = (*start, time)
    (half,), (floor,) = goal.at(bound, (time, *start)), goal.at(least, (time, *start))
    begins = [*goal.domain_at(start), *goal.region_at(start)]
    (now,), (first,) = goal.at(v), goal.at(v, start)
    growth = elementary_function_term("exp", ("*", MINUS_ONE, require_term(rate), time))
    allowed = ("<=", now, ("*", elementary_function_term("abs", first), growth))
    inside = [("<", ZERO, floor), *goal.cube(half), *(("<=", floor, h) for h in goal.domain)]
    return [
        goal.is_kept(),
        ("o", "DecaysAlong", goal.flow, goal.about["region"], v, rate),
        ("<=", rate, ZERO),
        goal.on(goal.smooth(goal.domain), [*begins, *goal.cube(half)], more),
        goal.on(("and", *inside), [*begins, *goal.in_region, allowed], more),
    ]


@register_theorem("flow-ends", "EndsBy", 0, "picard-lindelof", "mean-value-theorem")
def _ends(goal: FlowGoal) -> list[Term]:
    """Trajectories end by the time $T(x)$, if $T >= 0$ on a kept region, and falls at a rate of 1.

    The derivative of $T$ along the field is at most -1, so that $T(y(t)) + t$ never rises. So $t <=
    T(x)$ for every time $t$ of the trajectory.
    """
    (end,) = goal.at(goal.about["function"])
    return [
        goal.is_kept(),
        goal.on(goal.smooth([end]), goal.in_region),
        goal.on(("<=", ZERO, end), goal.in_region),
        goal.on(("<=", ("+", goal.along(end), ONE), ZERO), goal.in_region),
    ]


# -- where trajectories end -----------------------------------------------------------------------


@register_theorem("flow-lasalle", "FlowLimitsSolve", 3,
           "picard-lindelof", "maximal-solutions-leave-compact-sets", "mean-value-theorem",
           "monotone-convergence", "bolzano-weierstrass")  # fmt: skip
def _lasalle(goal: FlowGoal) -> list[Term]:
    """Accumulation points solve $e = 0$, if $|e|^2 + C V' <= 0$ on a kept region that is compact.

    Here $C > 0$, $V$ is smooth, and $V'$ is the derivative along the field. All points of $R^n$ at
    which the functions of the region are not negative lie in the domain and in the cube $|x_i| <=
    b$, and these functions are smooth on the whole cube; so the region is compact. A trajectory
    stays in it, so that it lasts for ever, as one that ends leaves every compact part of the
    domain. Along it $V$ never rises and is bounded; so it has a limit $m$. Let $p$ be a limit of
    $y(t_k)$, and $w$ its trajectory. Then $V(w(s))$ is the limit of $V(y(t_k + s))$, $m$, for all
    $s >= 0$. So $V' = 0$ at $p$, and $e(p) = 0$.
    """
    v, factor, half = goal.values
    (v,), factor, half = goal.at(goal.value(v)), require_term(factor), require_term(half)
    squares = map(square_term, goal.at(goal.about["equations"]))
    least = ("+", *squares, ("*", factor, goal.along(v)))
    small = goal.cube(half)
    return [
        goal.is_kept(),
        goal.on(goal.smooth(goal.region), small),
        goal.on(("and", *goal.domain_at(), *small), goal.region_at()),
        goal.on(goal.smooth([v]), goal.in_region),
        goal.on(("<=", least, ZERO), goal.in_region),
        ("<", ZERO, factor),
    ]


@register_theorem("flow-limit", "FlowsConvergeTo", 2,
           "bolzano-weierstrass", "intermediate-value-theorem")  # fmt: skip
def _limit(goal: FlowGoal) -> list[Term]:
    """Trajectories tend to points of $P$, if accumulation points solve $e = 0$, as only $P$ does.

    That is, of the region no other points do; points at which one of its functions is negative may
    be listed besides. A trajectory stays in a compact part of the region, so that it has an
    accumulation point there, which is in $P$. If it had two, its distance to one of them would, at
    arbitrarily late times, be equal to a number less than the distance of this one to all other
    points of $P$; then it had an accumulation point at this distance, which is not in $P$. A
    bounded trajectory with one accumulation point converges to it.
    """
    equations, outside = goal.values
    values = goal.at(require_real_function(equations, goal.size, None))
    require(outside[0] == "tuple", "the points outside are no tuple")
    listed = [p[1:] for p in goal.about["points"][1:]]
    asked: list[Term] = [("o", "FlowLimitsSolve", goal.flow, goal.about["region"], equations)]
    for q in outside[1:]:
        require(q[0] == "tuple" and len(q) == goal.size + 2, "a point outside is none")
        point, place = q[1:-1], _place(q[-1], len(goal.region))
        require(all(map(is_term, point)), "a coordinate of a point is no term")
        asked.append(("<", goal.at(goal.about["region"], point)[place], ZERO))
        listed.append(point)
    system = ("and", *(("=", e, ZERO) for e in values))
    points = [("and", *(("=", x, c) for x, c in zip(goal.names, p, strict=True))) for p in listed]
    solved = ("implies", system, ("or", *points))
    return [*asked, goal.on(solved, goal.in_region)]


@register_theorem("flow-center-stable", "NullFlowStarts", 2,
           "picard-lindelof", "variational-equation", "center-stable-manifold",
           "null-sets-unions", "null-sets-images", "null-sets-discs")  # fmt: skip
def _center_stable(goal: FlowGoal) -> list[Term]:
    """Only a null set tends to a zero $p$ of the field whose linear part has an eigenvalue above 0.

    The point $p$ is in the domain. The map $x -> y(1)$ is one to one from an open set onto one, and
    continuously differentiable like its inverse. It leaves $p$ fixed; its derivative there is the
    exponential of that of the field, and so has an eigenvalue above 1. Let $W$ be the local
    center-stable disc of this map at $p$, and $B$ a neighbourhood of $p$ such that points whose
    iterates stay in $B$ lie in $W$. The disc is of less dimensions than the space, so it is a null
    set. If $y(t)$ tends to $p$, then $y(t)$ is in $B$ from some integer $N$ on, so that $y(N)$ is
    in $W$. So the start is in the image of a null set under the inverse of $x -> y(N)$, a null set;
    these are countably many.
    """
    points = goal.about["points"]
    require(len(points) == 2, "there is more than one point")
    point = points[1][1:]
    matrix, eigenvalue = goal.values
    n = goal.size
    is_square = matrix[0] == "tuple" and len(matrix) == n * n + 1 and n <= _ROWS
    require(is_square, "the matrix is not square, or has more than four rows")
    require(all(map(is_term, matrix[1:])), "an entry of the matrix is no term")
    rows = [matrix[1 + n * i : 1 + n * (i + 1)] for i in range(n)]
    asked = [goal.is_smooth, *goal.domain_at(point)]
    asked += [("=", f, ZERO) for f in goal.at(goal.flow[2], point)]
    for i, f in enumerate(goal.field):
        for j in range(n):
            orders = tuple(int(k == j) for k in range(n))
            asked.append(("=", ("d", orders, goal.names, (f,), point), rows[i][j]))
    lessened = [
        [("+", c, neg(require_term(eigenvalue))) if i == j else c for j, c in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    return [*asked, ("=", determinant_term(lessened), ZERO), ("<", ZERO, eigenvalue)]


# -- solutions ------------------------------------------------------------------------------------


@register_theorem("flow-solution", "SolvedBy", 0, "picard-lindelof")
def _solution(goal: FlowGoal) -> list[Term]:
    """Trajectories are $f(t, x)$, and last for ever, if $f$ solves the equation for all $t >= 0$.

    It is $x$ at the time 0, differentiable with the right derivative at all times $t >= 0$, and in
    the domain then. So it is a solution on $[0, oo)$, and solutions are unique.
    """
    solution = goal.about["solution"]
    (time,) = goal.new_symbols(("s", "t", "R>=0"))
    (moving,) = goal.new_symbols(("s", "s", "R"))
    there, free = goal.at(solution, (time, *goal.names)), goal.at(solution, (moving, *goal.names))
    begins = zip(goal.at(solution, (ZERO, *goal.names)), goal.names, strict=True)
    solved = zip(free, goal.at(goal.flow[2], there), strict=True)
    moves = [("=", ("d", (1,), (moving,), (u,), (time,)), f) for u, f in solved]
    return [
        goal.is_smooth,
        *(goal.on(("=", u, x), goal.in_region) for u, x in begins),
        *(goal.on(p, goal.in_region, (time,)) for p in (*moves, *goal.domain_at(there))),
    ]


@register_theorem("flow-time", "ArrivesAt", 2,
           "picard-lindelof", "fundamental-theorem-of-calculus", "inverse-function-theorem",
           "mean-value-theorem", "intermediate-value-theorem")  # fmt: skip
def _time(goal: FlowGoal) -> list[Term]:
    """In one dimension the trajectory of $a$ is at $b$ at the time $int 1/f$, from $a$ to $b$.

    Let $f > 0$ from $a$ up to $b$, or $f < 0$ from $a$ down to $b$, and let the domain contain all
    points in between; $1/f$ may be written as any function $q$ with $f q = 1$ there. The integral
    of $1/f$ from $a$ to $x$ is a function of $x$ with the derivative $1/f$, also a little beyond
    both ends. Its inverse solves the equation, starts at $a$, and is $b$ at that time; solutions
    are unique.
    """
    direction, reciprocal = goal.values
    (q,) = goal.at(goal.value(reciprocal))
    require(direction in (ONE, MINUS_ONE), "the direction is not 1 or -1")
    a, b = goal.about["ends"][1:]
    (x,), (f,) = goal.names, goal.field
    low, high = (a, b) if direction == ONE else (b, a)
    pushes = ("<", ZERO, f) if direction == ONE else ("<", f, ZERO)
    between = [("<=", low, x), ("<=", x, high)]
    return [
        goal.is_smooth,
        ("<=", low, high),
        goal.on(("and", *goal.domain_at(), pushes), between),
        goal.on(("=", ("*", f, q), ONE), between),
        ("=", goal.about["number"], ("int", (x,), (q,), (a, b))),
    ]
