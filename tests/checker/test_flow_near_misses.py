"""Inferences on flows that look right: each asks for something that is false at a point.

These are rows of the table in ``docs/reference/checker-dynamics.md`` and relatives of them.
"""

from __future__ import annotations

import itertools
import random

import mpmath
import pytest

from tests.checker.reference import terms

from .flow_examples import (
    ALL,
    BLOW_UP,
    DECAY,
    DISC,
    EXAMPLES,
    GROWTH,
    HALF,
    LOGISTIC,
    MINUS,
    ONE,
    TWO,
    ZERO,
    P,
    T,
    X,
    Y,
    add,
    flow,
    fn,
    key,
    lam,
    line,
    mul,
    n,
    neg,
    node,
    plane,
    points,
    power,
    prove,
    says,
    timed,
)

# --- numbers ---------------------------------------------------------------


class Undefined(Exception):  # noqa: N818
    """Say that a term has no value."""


FUNCTIONS = {"exp": mpmath.exp, "log": mpmath.log, "abs": abs, "cos": mpmath.cos}


def value(t, env):
    """The value of a term, to some thirty digits."""
    if t.head == "n":
        return mpmath.mpf(t.params[0]) / t.params[1]
    if t.head == "s":
        return env[t]
    if t.head == "d":
        return rate(t, env)
    if t.head == "int":
        ends = [value(e, env) for e in t.outside]
        return mpmath.quad(lambda x: value(t.inside[0], {**env, t.vars[0]: x}), ends)
    parts = [value(p, env) for p in t.parts]
    if t.head == "+":
        return mpmath.fsum(parts)
    if t.head == "*":
        return mpmath.fprod(parts)
    if t.head == "^":
        (p, q), (b,) = t.params, parts
        if (q > 1 and b < 0) or (p < 0 and b == 0):
            raise Undefined
        return b**p if q == 1 else mpmath.root(b, q) ** p
    assert t.head == "f"
    if t.params[0] == "log" and parts[0] <= 0:
        raise Undefined
    return FUNCTIONS[t.params[0]](*parts)


def rate(t, env):
    """The value of a first derivative, if the quotients from both sides agree."""
    (at,) = (i for i, order in enumerate(t.params[0]) if order)
    here = dict(zip(t.vars, (value(p, env) for p in t.outside), strict=True))
    x, h = t.vars[at], mpmath.mpf(10) ** -20

    def body(step):
        return value(t.inside[0], {**env, **here, x: here[x] + step})

    left, right = ((body(0) - body(-h)) / h, (body(h) - body(0)) / h)
    if abs(left - right) > 1e-9 * (1 + abs(left)):
        raise Undefined
    return (left + right) / 2


def is_smooth(p, env):
    """Whether bodies have, at a point, first derivatives that nothing speaks against."""
    function, point = p.parts
    for i in range(len(function.vars)):
        orders = [int(i == j) for j in range(len(function.vars))]
        for b in function.inside:
            value(terms.deriv(orders, function.vars, b, point.parts), env)
    return True


def holds(p, env, numbers=()):
    """Whether a formula is true, with these numbers for the names that it binds first."""
    try:
        return truth(p, env, list(numbers))
    except Undefined:
        return False


def truth(p, env, numbers):
    if p.head == "forall":
        (x,) = p.vars
        assert x.params[1] != "R>=0" or numbers[0] >= 0
        return holds(p.inside[0], {**env, x: mpmath.mpf(numbers[0])}, numbers[1:])
    if p.head == "o":
        assert p.params[0] == "smooth"
        return is_smooth(p, env)
    if p.head in ("=", "<", "<="):
        a, b = (value(part, env) for part in p.parts)
        near = abs(a - b) < mpmath.mpf(10) ** -12 * (1 + abs(a))
        return {"=": near, "<": a < b and not near, "<=": a <= b or near}[p.head]
    parts = [holds(part, env, numbers) for part in p.parts]
    return {
        "and": all(parts),
        "or": any(parts),
        "implies": not parts[0] or parts[-1],
    }[p.head]


def asked(name, goal, values):
    """The hypotheses, in the order of the specification."""
    return list(prove(name, goal, values).hypotheses.values())


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(50):
        yield


def is_on_numbers(h):
    while h.head == "forall":
        (h,) = h.inside
    return h.head != "o" or h.params[0] == "smooth"


def names_of(h):
    """The names that a formula binds first."""
    out = []
    while h.head == "forall":
        out += h.vars
        (h,) = h.inside
    return out


def drawn(rng, x):
    number = rng.choice([-1, 0, 1, rng.uniform(-3, 3)])
    return abs(number) if x.params[1] == "R>=0" else number


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_an_example_asks_of_numbers_is_true(name):
    rng = random.Random(name)
    env = {node(P): mpmath.mpf(1)} if name == "flow-for-ever" else {node(P): mpmath.mpf(5) / 2}
    for h in filter(is_on_numbers, asked(name, *EXAMPLES[name][:2])):
        names, met = names_of(h), 0
        for _ in range(40 if names else 1):
            numbers = [drawn(rng, x) for x in names]
            assert holds(h, env, numbers), (terms.show(h), numbers)
            here = {**env, **dict(zip(names, map(mpmath.mpf, numbers), strict=True))}
            met += not names or holds(conditions(h), here)
        assert met, f"the conditions were never met: {terms.show(h)}"


def conditions(h):
    """The conditions of a formula that holds for all numbers."""
    while h.head == "forall":
        (h,) = h.inside
    return h.parts[0]


# --- inferences that look right --------------------------------------------

ROOT = power(X, 1, 2)
SQUARE = power(X, 2)
INVERSE = power(X, -1)
CUBIC = flow(line(power(X, 3)))
UNIT = flow(line(ONE))
FALL = flow(line(MINUS))
SUN = add(ONE, neg(power(X, 2)), neg(power(Y, 2)))
CYCLE = flow(plane(add(mul(X, SUN), neg(Y)), add(mul(Y, SUN), X)))
SINKING = flow(line(neg(INVERSE)), line(X))
LOOP = flow(line(LOGISTIC))
UNITS = line(X, add(ONE, neg(X)))
NEITHER = ["tuple"]


def kept(f, *region):
    return says("RegionKept", f, lam(f[2][1], *region))


def solved(f, region, phi):
    return says("SolvedBy", f, region, timed(phi))


def decays(f, region, v, r):
    return says("DecaysAlong", f, region, line(v), r)


def limits(f, region, *e):
    return says("FlowLimitsSolve", f, region, line(*e))


def tends(f, region, p):
    return says("FlowsConvergeTo", f, region, points([p]))


def arrives(f, a, b, time):
    return says("ArrivesAt", f, ["tuple", a, b], time)


def ends(f, region, left):
    return says("EndsBy", f, region, line(left))


def few(f, p):
    return says("NullFlowStarts", f, points([p]))


# Name, goal, values; the number of the hypothesis that is false, and numbers for its names (and for
# the parameter x, if there is one more).
FALSE = {
    "a solution that runs to infinity": (
        "flow-solution",
        solved(flow(line(SQUARE)), line(X), mul(X, power(add(ONE, neg(mul(X, T))), -1))),
        [], 2, [1, 1],
    ),
    "a solution that goes on by its formula": (
        "flow-solution",
        solved(flow(line(neg(ROOT)), line(X)), ALL, power(add(ROOT, neg(mul(HALF, T))), 2)),
        [], 2, [1, 3],
    ),
    "a solution that reaches the edge": (
        "flow-solution",
        solved(flow(line(neg(ROOT)), line(X)), ALL, power(add(ROOT, neg(mul(HALF, T))), 2)),
        [], 3, [1, 2],
    ),
    "another start": (
        "flow-solution", solved(GROWTH, ALL, mul(TWO, X, fn("exp", T))), [], 1, [1],
    ),
    "a barrier that jumps": ("flow-barrier", kept(FALL, INVERSE), [ZERO], 1, [0]),
    "a cofactor of a function that jumps": (
        "flow-cofactor", kept(FALL, INVERSE), [line(INVERSE)], 1, [0],
    ),
    "a barrier that only touches": ("flow-barrier", kept(UNIT, neg(SQUARE)), [ZERO], 2, [0]),
    "a cofactor for nonnegative values alone": (
        "flow-cofactor", kept(UNIT, neg(SQUARE)), [line(n(1000))], 2, [1e-4],
    ),
    "a cofactor that is not smooth": (
        "flow-cofactor", kept(UNIT, neg(SQUARE)), [line(mul(TWO, INVERSE))], 1, [0],
    ),
    "a barrier with a weak inequality": (
        "flow-barrier", kept(flow(plane(Y, MINUS)), X), [ZERO], 2, [0, 0],
    ),
    "a barrier that the flow crosses": ("flow-barrier", kept(FALL, X), [ZERO], 2, [0]),
    "a cofactor where all functions count": (
        "flow-cofactor", kept(flow(plane(Y, ZERO)), X, Y), [plane(ZERO, ZERO)], 2, [0, -1],
    ),
    "a cofactor where its own function counts": (
        "flow-cofactor", kept(FALL, X), [line(neg(INVERSE))], 1, [0],
    ),
    "a barrier with an edge that is not smooth": ("flow-barrier", kept(UNIT, ROOT), [ZERO], 1, [0]),
    "a cofactor with an edge that is not smooth": (
        "flow-cofactor", kept(UNIT, ROOT), [line(ZERO)], 1, [0],
    ),
    "a decay that is smooth inside alone": (
        "flow-gronwall", decays(DECAY, line(X), ROOT, HALF), [], 1, [0],
    ),
    "a decay that is too fast": (
        "flow-gronwall", decays(DECAY, line(X), X, TWO), [], 2, [1],
    ),
    "a constant that is none": (
        "flow-gronwall", says("ConstantAlong", DECAY, line(X), line(X)), [], 2, [1],
    ),
    "a rate that is no number": (
        "flow-gronwall",
        decays(DECAY, line(MINUS), X, fn("log", MINUS)), [], 3, [],
    ),
    "a rate that depends on the coordinates": (
        "flow-gronwall", decays(flow(line(neg(SQUARE))), line(X), X, X), [], 2, [1, 2],
    ),
    "a limit that depends on the coordinates": (
        "flow-limit", tends(DECAY, ALL, X), [line(X), NEITHER], 1, [0, 5],
    ),
    "a bound that depends on the coordinates": (
        "flow-lasalle", limits(DECAY, DISC, X), [line(SQUARE), ONE, X], 2, [1, 0],
    ),
    "a factor that depends on the coordinates": (
        "flow-lasalle",
        limits(DECAY, DISC, X), [line(SQUARE), X, ONE], 4, [1, 0.25],
    ),
    "an end that depends on the coordinates": (
        "flow-time",
        arrives(UNIT, ZERO, X, ONE), [ONE, ALL], 4, [3],
    ),
    "a cofactor with the name of a coordinate": (
        "flow-cofactor", kept(LOOP, X), [lam([Y], add(ONE, neg(X)))], 2, [1, 0],
    ),
    "a region with the name of a coordinate": (
        "flow-barrier", says("RegionKept", UNIT, lam([Y], X)), [ZERO], 2, [5, 0],
    ),
    "limits of what runs to infinity": (
        "flow-lasalle",
        limits(UNIT, line(X), fn("exp", neg(mul(HALF, X)))),
        [line(fn("exp", neg(X))), ONE, n(10)], 2, [11],
    ),
    "a region that is not closed": (
        "flow-lasalle", limits(DECAY, line(add(INVERSE, MINUS)), X),
        [line(SQUARE), ONE, ONE], 1, [0],
    ),
    "a region that touches the edge": (
        "flow-lasalle", limits(flow(line(neg(X)), line(X)), DISC, X),
        [line(SQUARE), ONE, ONE], 2, [0],
    ),
    "a region that the domain alone bounds": (
        "flow-lasalle",
        limits(flow(line(neg(X)), line(X)), line(add(ONE, neg(X))), X),
        [line(SQUARE), ONE, ONE], 2, [-5],
    ),
    "a limit cycle as zeros of the field": (
        "flow-lasalle",
        says("FlowLimitsSolve", CYCLE, plane(add(ONE, SUN)), CYCLE[2]),
        [plane(power(SUN, 2)), ONE, TWO], 4, [1, 0],
    ),
    "a factor that is not positive": (
        "flow-lasalle", limits(GROWTH, DISC, X), [line(SQUARE), MINUS, ONE], 5, [],
    ),
    "a limit that starts may miss": (
        "flow-limit", tends(LOOP, UNITS, ONE), [line(LOGISTIC), NEITHER], 1, [0],
    ),
    "a limit on the edge as outside": (
        "flow-limit", tends(LOOP, UNITS, ONE),
        [line(LOGISTIC), ["tuple", ["tuple", ZERO, ZERO]]], 1, [],
    ),
    "a limit inside as outside": (
        "flow-limit", tends(LOOP, UNITS, ONE),
        [line(LOGISTIC), ["tuple", ["tuple", ZERO, ONE]]], 1, [],
    ),
    "a limit that is undefined": (
        "flow-limit", tends(DECAY, ALL, fn("log", ZERO)),
        [line(X), NEITHER], 1, [0],
    ),
    "for ever up to the edge": (
        "flow-for-ever", says("LastsForEver", SINKING, line(X)),
        [line(SQUARE), ZERO, timed(add(ONE, SQUARE)), timed(n(1, 1000))], 4, [1e-6, 1, 1],
    ),
    "for ever with no distance to the edge": (
        "flow-for-ever", says("LastsForEver", SINKING, line(X)),
        [line(SQUARE), ZERO, timed(add(ONE, SQUARE)), timed(ZERO)], 4, [1, 1, 1],
    ),
    "for ever where the domain is large at its edge": (
        "flow-for-ever", says("LastsForEver", flow(line(MINUS), line(power(X, -2))), line(X)),
        [line(X), ZERO, timed(X), timed(power(X, -2))], 3, [0, 1, 0],
    ),
    "for ever by a decay": (
        "flow-for-ever", says("LastsForEver", DECAY, ALL),
        [line(SQUARE), ONE, timed(add(ONE, SQUARE)), timed(ONE)], 2, [],
    ),
    "for ever without a bound": (
        "flow-for-ever", says("LastsForEver", flow(line(SQUARE)), ALL),
        [line(ONE), ZERO, timed(ONE), timed(ONE)], 4, [7, 0, 0],
    ),
    "a rest point that is reached": (
        "flow-time", arrives(flow(line(add(ONE, neg(X)))), ZERO, ONE, n(5)),
        [ONE, line(power(add(ONE, neg(X)), -1))], 2, [1],
    ),
    "a time before the start": (
        "flow-time", arrives(UNIT, ONE, ZERO, MINUS), [ONE, ALL], 1, [],
    ),
    "a field that pushes the other way": (
        "flow-time", arrives(UNIT, ONE, ZERO, MINUS), [MINUS, ALL], 2, [0.5],
    ),
    "the time by another function": (
        "flow-time", arrives(GROWTH, ONE, TWO, ONE), [ONE, ALL], 3, [2],
    ),
    "the time the other way round": (
        "flow-time", arrives(FALL, ONE, ZERO, MINUS), [MINUS, line(MINUS)], 4, [],
    ),
    "a start outside of the domain": (
        "flow-time", arrives(flow(line(ONE), line(X)), MINUS, ONE, TWO), [ONE, ALL],
        2, [-1],
    ),
    "an end that is too early": (
        "flow-ends", ends(BLOW_UP, ALL, mul(HALF, INVERSE)), [], 3, [1],
    ),
    "an end that is negative": ("flow-ends", ends(UNIT, ALL, neg(X)), [], 2, [1]),
    "an end that is not smooth": (
        "flow-ends", ends(FALL, line(X), ROOT), [], 1, [0],
    ),
    "a saddle of the third order": (
        "flow-center-stable", few(CUBIC, ZERO), [["tuple", ZERO], ZERO], 5, [],
    ),
    "a saddle outside of the domain": (
        "flow-center-stable", few(flow(line(X), line(X)), ZERO),
        [["tuple", ONE], ONE], 1, [],
    ),
    "a point that moves": (
        "flow-center-stable", few(GROWTH, ONE), [["tuple", ONE], ONE], 2, [],
    ),
    "another matrix": (
        "flow-center-stable", few(DECAY, ZERO), [["tuple", ONE], ONE], 3, [],
    ),
    "a number that is no eigenvalue": (
        "flow-center-stable", few(GROWTH, ZERO), [["tuple", ONE], TWO], 4, [],
    ),
    "trajectories that branch": (
        "flow-solution",
        solved(flow(line(mul(TWO, power(fn("abs", X), 1, 2)))), line(X), power(add(ROOT, T), 2)),
        [], 0, [0],
    ),
    "trajectories that branch in time": (
        "flow-time",
        arrives(flow(line(mul(n(3), power(SQUARE, 1, 3)))), ONE, n(8), ONE),
        [ONE, line(mul(n(1, 3), power(SQUARE, -1, 3)))], 0, [0],
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", FALSE)
def test_what_looks_right_asks_for_something_false(row):
    name, goal, values, number, numbers = FALSE[row]
    h = asked(name, goal, values)[number]
    count, env = len(names_of(h)), {}
    if len(numbers) > count:
        *numbers, env[node(X)] = numbers
    assert len(numbers) == count
    assert node(X) in h.free or not env
    assert not holds(h, env, numbers), terms.show(h)


@pytest.mark.parametrize(
    ("name", "goal", "values"),
    [
        ("flow-gronwall", decays(FALL, line(X), ONE, ZERO), []),
        ("flow-gronwall", says("ConstantAlong", FALL, line(X), line(ONE)), []),
        ("flow-for-ever", says("LastsForEver", FALL, line(X)),
         [line(X), ZERO, timed(X), timed(ONE)]),
        ("flow-lasalle", limits(FALL, UNITS, power(add(X), 2)),
         [line(X), ONE, ONE]),
        ("flow-ends", ends(FALL, line(X), X), []),
    ],
)  # fmt: skip
def test_a_region_that_trajectories_leave_is_asked_to_be_kept(name, goal, values):
    # All else is true at these points: x falls through the edge at 0.
    first, *rest = asked(name, goal, values)
    assert terms.key(first) == key(says("RegionKept", *goal[2:4]))
    for h, numbers in itertools.product(rest, ([0, 1, 1], [0.5, 1, 2], [1, 1, 0])):
        assert not is_on_numbers(h) or holds(h, {}, numbers[: len(names_of(h))]), terms.show(h)


def test_a_region_is_kept_if_its_functions_come_in_the_other_order():
    goal = kept(flow(plane(Y, ZERO)), Y, X)
    for h, numbers in itertools.product(
        asked("flow-cofactor", goal, [plane(ZERO, ZERO)]), itertools.product([-1, 0, 2], [-1, 0, 2])
    ):
        assert holds(h, {}, numbers)
