"""Generators for the theorems on flows, each a row of its own."""

from __future__ import annotations

from typing import Any

from slrsym.checker.extensions.dynamics import FLOW_SCHEMAS
from slrsym.checker.term import Term, neg, num

from . import both
from .generators import Maker, generator
from .orbits import MINUS, constant, function, number, points, size
from .terms import ONE, TWO, ZERO, fn

both.SCHEMAS |= FLOW_SCHEMAS.keys()


def _flow(m: Maker, n: int) -> Term:
    return ("tuple", ("text", "Flow"), function(m, n, n), function(m, n, m.rng.choice((1, 1, 2))))


def _region(m: Maker, n: int) -> Term:
    return function(m, n, m.rng.choice((1, 1, 2, 3)))


def _goal(m: Maker, kind: str, n: int, *parts: Term) -> Term:
    return ("o", kind, _flow(m, n), _region(m, n), *parts)


def _count(region: Term) -> int:
    return len(region[2])


def _place(m: Maker, region: Term) -> Term:
    """Return the place of a function of a region, and now and then a number that is none."""
    return num(m.rng.randrange(_count(region)) if m.chance(0.95) else _count(region))


def _rate(m: Maker) -> Term:
    """Return a number, which may have the name of a coordinate, or be undefined."""
    return m.t.pick(constant(m), number(m), ("s", "x", "R"), fn("log", ZERO), ("s", "x_1", "R"))


@generator("flow theorem: flow-barrier")
def _barrier(m: Maker) -> Any:
    goal = _goal(m, "RegionKept", size(m))
    return (), "flow-barrier", goal, (_place(m, goal[3]),)


@generator("flow theorem: flow-cofactor")
def _cofactor(m: Maker) -> Any:
    n = size(m)
    goal = _goal(m, "RegionKept", n)
    return (), "flow-cofactor", goal, (function(m, n, _count(goal[3])),)


@generator("flow theorem: flow-gronwall")
def _gronwall(m: Maker) -> Any:
    n = size(m)
    kind, more = m.rng.choice((("ConstantAlong", ()), ("DecaysAlong", (_rate(m),))))
    return (), "flow-gronwall", _goal(m, kind, n, function(m, n), *more), ()


@generator("flow theorem: flow-for-ever")
def _for_ever(m: Maker) -> Any:
    n = m.rng.choice((1, 1, 2))
    bounds = (function(m, n + 1), function(m, n + 1))
    return (), "flow-for-ever", _goal(m, "LastsForEver", n), (function(m, n), _rate(m), *bounds)


@generator("flow theorem: flow-lasalle")
def _lasalle(m: Maker) -> Any:
    n = size(m)
    goal = _goal(m, "FlowLimitsSolve", n, function(m, n, m.rng.randint(1, 2)))
    return (), "flow-lasalle", goal, (function(m, n), _rate(m), _rate(m))


@generator("flow theorem: flow-limit")
def _limit(m: Maker) -> Any:
    n = size(m)
    goal = _goal(m, "FlowsConvergeTo", n, points(m, n))
    outside = [("tuple", *(_rate(m) for _ in range(n)), _place(m, goal[3]))
               for _ in range(m.rng.randint(0, 2))]  # fmt: skip
    return (), "flow-limit", goal, (function(m, n, m.rng.randint(1, 2)), ("tuple", *outside))


@generator("flow theorem: flow-solution")
def _solution(m: Maker) -> Any:
    n = m.rng.choice((1, 1, 2, 2, 3))
    return (), "flow-solution", _goal(m, "SolvedBy", n, function(m, n + 1, n)), ()


@generator("flow theorem: flow-time")
def _time(m: Maker) -> Any:
    ends = ("tuple", _rate(m), _rate(m))
    goal = ("o", "ArrivesAt", _flow(m, 1), ends, m.t.pick(_rate(m), fn("log", TWO)))
    field = goal[2][2]
    slowness = m.t.pick(function(m, 1), ("lam", field[1], (("^", -1, 1, field[2][0]),), ()))
    direction = m.t.pick(ONE, MINUS) if m.chance(0.95) else m.t.pick(TWO, ZERO, neg(ONE))
    return (), "flow-time", goal, (direction, slowness)


@generator("flow theorem: flow-ends")
def _ends(m: Maker) -> Any:
    n = size(m)
    return (), "flow-ends", _goal(m, "EndsBy", n, function(m, n)), ()


@generator("flow theorem: flow-center-stable")
def _center(m: Maker) -> Any:
    n = m.rng.choice((1, 1, 2, 2, 3, 4))
    at = ("set", ("tuple", *(_rate(m) for _ in range(n))))
    goal = ("o", "NullFlowStarts", _flow(m, n), at)
    matrix = ("tuple", *(m.t.pick(number(m), m.t.coefficient()) for _ in range(n * n)))
    return (), "flow-center-stable", goal, (matrix, _rate(m))
