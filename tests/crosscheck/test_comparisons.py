"""Comparisons at random points: what agrees, what does not, and where nothing can be told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sympy import (
    Abs,
    And,
    Derivative,
    Eq,
    Equivalent,
    Function,
    Ge,
    Gt,
    Heaviside,
    I,
    Implies,
    Lambda,
    Limit,
    Lt,
    Max,
    Ne,
    Not,
    Or,
    Piecewise,
    Subs,
    Symbol,
    asin,
    cos,
    erf,
    exp,
    log,
    pi,
    re,
    sin,
    sqrt,
    symbols,
)

from slrsym.crosscheck import (
    Disagreement,
    Inconclusive,
    compare,
    evaluate,
    is_true_at,
    random_test_function,
)
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import NoiseLaw
from slrsym.gaussian.special_functions import OwensT, normal_pdf
from tests.crosscheck.cases import NORMAL, PAIR, G, R, U, W, a, b, c, equal, g, rng, t, x, y

# -- comparisons --------------------------------------------------------------------------------


def test_true_identities_are_accepted():
    node = Expectation(erf(t + g * G), NORMAL)
    result = compare(equal(node, erf(t / sqrt(1 + 2 * g**2))), rng=rng())
    assert result.digits == 30
    assert len(result.points) == 3


@pytest.mark.parametrize(
    "closed",
    [
        erf(t / sqrt(1 + g**2)),
        erf(t / sqrt(1 + 2 * g)),
        erf(t / sqrt(1 + 2 * g**2)) + R(1, 10**20),
        erf(t / sqrt(1 + 2 * g**2)) * (1 + R(1, 10**26)),
    ],
)
def test_false_identities_are_contradicted(closed):
    node = Expectation(erf(t + g * G), NORMAL)
    with pytest.raises(Disagreement) as caught:
        compare(equal(node, closed), rng=rng())
    assert set(caught.value.point) == {t, g}
    assert caught.value.lhs != caught.value.rhs


@pytest.mark.parametrize(
    "statement",
    [
        equal(pi, R(314159265358979323846, 10**20)),
        equal(exp(pi * sqrt(163)), 262537412640768744),
        equal(sqrt(2) + R(1, 10**22), sqrt(2)),
    ],
)
def test_near_coincidences_are_contradicted(statement):
    with pytest.raises(Disagreement) as caught:
        compare(statement, rng=rng())
    assert caught.value.lhs != caught.value.rhs


def test_zero_is_judged_by_what_was_added():
    compare(equal((1 + t) ** 2 - 1 - 2 * t - t**2, 0), rng=rng())
    tiny = (1 + t) ** 2 - 1 - 2 * t - t**2 + R(1, 10**20)
    with pytest.raises(Disagreement):
        compare(equal(tiny, 0), rng=rng())
    small = (1 + t) ** 2 - 1 - 2 * t - t**2 + R(1, 10**10)
    compare(equal(small, R(1, 10**10)), rng=rng())
    with pytest.raises(Disagreement):
        compare(equal(small, R(1, 10**10) + R(1, 10**34)), rng=rng())
    # Both sides are tiny without cancellation: the comparison is relative.
    with pytest.raises(Disagreement):
        compare(equal(exp(-200), exp(-201)), rng=rng())


def test_noise_is_not_taken_for_normal():
    law = NoiseLaw(x, t**2)
    compare(equal(Expectation((x + 1) ** 2, law), 1 + t**2), rng=rng())
    with pytest.raises(Disagreement):
        compare(equal(Expectation(x**4, law), 3 * t**4), rng=rng())
    with pytest.raises(Disagreement):
        compare(equal(Expectation(x**3, law), 0), [Ne(t, 0)], rng=rng())


def test_stein_for_random_functions():
    h = Function("h")
    given = [a > 0, b > 0, a * b >= c**2]
    lhs = Expectation(U * h(U, W), PAIR)
    slopes = [Expectation(Derivative(h(U, W), v), PAIR) for v in (U, W)]
    for seed in range(2):
        functions = {h: random_test_function(rng(seed), 2)}
        right = equal(lhs, a * slopes[0] + c * slopes[1])
        assert compare(right, given, rng=rng(seed), functions=functions).digits == 30
        wrong = equal(lhs, a * slopes[0] - c * slopes[1])
        with pytest.raises(Disagreement):
            compare(wrong, given, rng=rng(seed), functions=functions)
    with pytest.raises(ValueError, match="no function is given for h"):
        compare(right, given, rng=rng())


def test_divergence_is_not_skipped():
    statement = equal(Expectation(exp(a * G**2), NORMAL), 1 / sqrt(1 - 2 * a))
    with pytest.raises(Inconclusive, match="at a ="):
        compare(statement, rng=rng(), points=30)
    assert compare(statement, [a < R(2, 5)], rng=rng()).digits == 30


def test_inequalities():
    square = Expectation(erf(t + G) ** 2, NORMAL)
    mean = Expectation(erf(t + G), NORMAL)
    assert compare(square >= mean**2, rng=rng()).digits is None
    compare(square > mean**2, rng=rng())
    with pytest.raises(Disagreement):
        compare(square <= mean**2, rng=rng())
    compare(erf(t) < 1, rng=rng())
    compare(1 - R(1, 10**40) < 1 + x**2 - x**2, rng=rng())


def test_equal_sides_contradict_a_strict_inequality():
    left, right = sin(t) ** 2 + cos(t) ** 2, 1 + 0 * t
    compare(left <= right, rng=rng())
    compare(left >= right, rng=rng())
    for statement in (left < right, left > right, Ne(left, right)):
        with pytest.raises(Disagreement):
            compare(statement, rng=rng())
    compare(Ne(left, right + R(1, 10**35)), rng=rng())


def test_complex_numbers_have_no_order():
    with pytest.raises(Inconclusive):
        is_true_at(Lt(re(I * x) + (1 + I) * y, 1, evaluate=False), {x: 1, y: -1})


def test_a_relation_with_a_side_that_is_not_real_is_false():
    a, b = symbols("a b", real=True)
    heaviside = equal(Heaviside(b * exp(Abs(log(a)))), Heaviside(b))
    place = {a: R(-4, 3), b: R(1, 3)}
    for statement in (
        sqrt(a) < 1,
        Ne(sqrt(a), 1),
        equal(sqrt(2 * pi) * normal_pdf(sqrt(a)), exp(-a / 2)),
        Gt(normal_pdf(sqrt(a)), 0, evaluate=False),
        heaviside,
        Ge(asin(a - 1) ** 2, 0, evaluate=False),
        equal(Abs(a**b), Abs(a) ** b),
    ):
        assert not is_true_at(statement, place)
        with pytest.raises(Disagreement):
            compare(statement, rng=rng(), points=8)
    with pytest.raises(Inconclusive, match="not finite"):
        is_true_at(equal(Expectation(Abs(sqrt(G)) ** 2, NORMAL), sqrt(2 / pi)), {})
    with pytest.raises(Disagreement, match="a side is undefined, since log of -"):
        compare(heaviside, [a < 0], rng=rng())
    # Far out, too.
    with pytest.raises(Disagreement, match="a side is undefined, since a fractional power of -"):
        compare(Ge(sqrt(1000 - a), 0, evaluate=False), [a > -1], rng=rng(), extremes=4)


def test_what_is_undefined_may_stand_where_it_does_not_count():
    a = Symbol("a", real=True)
    part = Piecewise((sqrt(a), a >= 0), (0, True))
    for statement in (
        Or(a < 0, sqrt(a) >= 0),
        Equivalent(Gt(sqrt(a), 1), Gt(a, 1)),
        equal(part**2, Max(a, 0)),
        equal(Expectation(part.subs(a, G) ** 2, NORMAL), 1 / sqrt(2 * pi)),
        equal(Limit(sqrt(1 - 100 * a), a, 0), 1),
    ):
        compare(statement, rng=rng(), points=6)
    compare(equal(sqrt(a) ** 4, a**2), [sqrt(a) >= 0], rng=rng())
    # Of complex numbers they are not undefined.
    assert is_true_at(equal(sqrt(y), 2 * I), {y: -4})


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (And(x > 0, y < 0), True),
        (And(x > 0, y > 0), False),
        (Or(x < 0, y < 0), True),
        (Or(x < 0, y > 0), False),
        (Not(Eq(x, y)), True),
        (Implies(x < 0, y > 0), True),
        (Implies(x > 0, y > 0), False),
        (Equivalent(x > 0, y < 0), True),
        (Equivalent(x > 0, y > 0), False),
    ],
)
def test_combinations(statement, expected):
    point = {x: R(1, 3), y: -2}
    assert is_true_at(statement, point) is expected
    given = [equal(x, R(1, 3)), equal(y, -2)]
    if expected:
        compare(statement, given, rng=rng())
    else:
        with pytest.raises(Disagreement):
            compare(statement, given, rng=rng())


def test_an_undecided_part_decides_nothing_unless_another_does():
    unknown = Expectation(Abs(sin(G)), NORMAL) < x
    assert is_true_at(Or(unknown, x > 0), {x: 1})
    assert not is_true_at(And(unknown, x < 0), {x: 1})
    with pytest.raises(Inconclusive):
        is_true_at(And(unknown, x > 0), {x: 1})
    with pytest.raises(ValueError, match="not a relation"):
        is_true_at(Symbol("q"), {})


def test_points_where_there_is_no_law_are_not_used():
    statement = equal(Expectation(U * W, PAIR), c)
    points = compare(statement, rng=rng(), points=6).points
    assert all(p[a] * p[b] >= p[c] ** 2 and p[a] >= 0 for p in points)


def test_same_seed_same_points():
    statement = equal(Expectation(erf(t + g * G), NORMAL), erf(t / sqrt(1 + 2 * g**2)))
    first, again, other = (compare(statement, rng=rng(s)).points for s in (5, 5, 6))
    assert first == again
    assert first != other


def test_a_statement_without_parameters_is_examined_once():
    assert len(compare(equal(Expectation(G**2, NORMAL), 1), rng=rng()).points) == 1


@pytest.mark.parametrize("digits", [20, 45, 60])
def test_other_precisions(digits):
    node = Expectation(erf(t + g * G) ** 2, NORMAL)
    closed = 1 - 8 * OwensT(sqrt(2) * t / sqrt(1 + 2 * g**2), 1 / sqrt(1 + 4 * g**2))
    assert compare(equal(node, closed), rng=rng(), digits=digits).digits >= digits - 2
    off = equal(node, closed * (1 + R(1, 10 ** (digits - 4))))
    with pytest.raises(Disagreement):
        compare(off, rng=rng(), digits=digits)


# -- zeros, and what SymPy would decide ----------------------------------------------------------


def test_a_derivative_that_vanishes_is_judged_against_its_function():
    even = Expectation(erf(t + G) ** 2, NORMAL)
    slope = Derivative(even, t, evaluate=False)
    assert compare(equal(Subs(slope, t, 0), 0), rng=rng()).digits >= 28
    with pytest.raises(Disagreement):
        compare(equal(Subs(slope, t, R(1, 10**12)), 0), rng=rng())


def test_nothing_is_left_for_sympy_to_decide():
    h = Function("h", real=True)
    statement = equal(h(x) ** 2 - h(x) ** 2 + h(x), h(x))
    found = compare(statement, rng=rng(), functions={h: Lambda(x, x + 1)})
    assert found.points[0]
    assert found.digits == 30


def test_conditions_of_branches():
    step = Piecewise((1, x < R(1, 3)), (2, Eq(x, R(1, 3))), (3, True))
    assert [evaluate(step, {x: v}).number for v in (0, R(1, 3), 1)] == [1, 2, 3]


def test_what_sympy_takes_for_equal_is_told_apart():
    f = x**3 * y + x**2
    first, second = (Subs(Derivative(f, x, z), (x, y), (0, 0)) for z in (x, y))
    assert first == second  # SymPy's mistake
    assert evaluate(sin(first) + cos(second), {}).number == pytest.approx(math.sin(2) + 1)
    with pytest.raises(Disagreement):
        compare(Eq(first, second, evaluate=False), rng=np.random.default_rng(0))
