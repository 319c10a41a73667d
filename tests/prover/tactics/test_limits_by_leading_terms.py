"""Limits and leading terms of single expressions, and why some have none."""

from __future__ import annotations

import pytest
from sympy import (
    Abs,
    Limit,
    Rational,
    S,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    erf,
    erfc,
    exp,
    log,
    oo,
    pi,
    sin,
    sinh,
    sqrt,
    symbols,
    tanh,
)

from slrsym.checker import Rejected
from slrsym.gaussian import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.prover.tactics.limits_by_leading_terms import _LeadingTermFinder, _LimitEvaluator
from tests.prover.tactics._shown import emitter_and_context

t, a, b = symbols("t a b", real=True)
p, u = symbols("p u", positive=True)
m = Symbol("m", negative=True)
SLOW, half, third = Rational(1, 1000), S.Half, Rational(1, 3)


def evaluator(*given):
    return _LimitEvaluator(*emitter_and_context(*given))


@pytest.mark.parametrize(
    ("expr", "coefficient", "power"),
    [
        (a, a, 0),
        (u, 1, 1),
        (3 * u**2 - u + a, 3, 2),
        (a * u + b * u + 1, a + b, 1),
        ((u + 1) * (u - 1) - u**2, -1, 0),
        ((u + a) ** 3, 1, 3),
        ((2 * u + a) ** -2, Rational(1, 4), -2),
        (p * u**2 * sqrt(u), p, Rational(5, 2)),
        (1 / (m * u), 1 / m, -1),
        ((p * u + 1) ** third, p**third, third),
        # Functions near zero, at other points, and far out.
        (erf(1 / u), 2 / sqrt(pi), -1),
        (tanh(2 / u), 2, -1),
        (atan(a / u), a, -1),
        (sin(3 / u**2), 3, -2),
        (sinh(1 / u), 1, -1),
        (asin(p / u), p, -1),
        (acos(1 / u), pi / 2, 0),
        (cos(1 / u), 1, 0),
        (exp(1 / u), 1, 0),
        (erfc(1 / u), 1, 0),
        (normal_cdf(1 / u), half, 0),
        (normal_pdf(1 / u), 1 / sqrt(2 * pi), 0),
        (erf_second(1 / u), 0, 0),
        (atan(a + 1 / u), atan(a), 0),
        (asin(half + 1 / u), pi / 6, 0),
        (atan(u), pi / 2, 0),
        (atan(m * u), -pi / 2, 0),
        (erf(u), 1, 0),
        (erf(-u), -1, 0),
        (tanh(m * u), -1, 0),
        (erfc(u), 0, 0),
        (erfc(-u), 2, 0),
        (normal_cdf(u), 1, 0),
        (normal_cdf(-u), 0, 0),
        (sin(u), 0, SLOW),
        (cos(u), 0, SLOW),
        (log(p + 1 / u), log(p), 0),
        (log(u), 0, SLOW),
        # What is smaller than every power.
        (exp(-u), 0, -oo),
        (u**5 * exp(-u), 0, -oo),
        (exp(-u) + exp(-2 * u), 0, -oo),
        (normal_pdf(u), 0, -oo),
        (erf_prime(m * u), 0, -oo),
        (sin(exp(-u)), 0, -oo),
        (exp(exp(-u)), 1, 0),
        # A limit that cancels another.
        (erf(u) - 1, 0, -oo),
        (erf(u) + 1, 2, 0),
        (1 + erf(-u), 0, -oo),
        (u * (1 - tanh(u)), 0, -oo),
        (exp(2 / u) - 1, 2, -1),
        (u * (1 - cos(2 / u)), 2, -1),
        (exp(exp(-u)) - 1, 0, -oo),
        (cos(exp(-u)) - 1, 0, -oo),
        (exp(a + 1 / u) - exp(a), 0, 0),
        (zeta(a + 1 / u, 1 / u), zeta(a, 0), 0),
        (zeta(1 / u, p), zeta(0, p), 0),
        (zeta(u, u), 1, 0),
        (zeta(u**2, a * u), 1, 0),
        (zeta(a * u, m * u**2), 1, 0),
        (OwensT(a, 1 / u), OwensT(a, 0), 0),
        (OwensT(1 / u, p), OwensT(0, p), 0),
        (OwensT(m * u, u), 0, 0),
        (OwensT(a, u), (1 - erf(Abs(a) / sqrt(2))) / 4, 0),
        (OwensT(1 / u, m * u), -Rational(1, 4), 0),
    ],
    ids=str,
)
def test_leading_terms(expr, coefficient, power):
    c, q = _LeadingTermFinder(u, evaluator()).leading_term(expr)
    assert q == power
    assert (c - coefficient).simplify() == 0


@pytest.mark.parametrize(
    ("expr", "given", "why"),
    [
        (log(a + 1 / u), (), "the sign of a is not known"),
        (log(-p + 1 / u), (), "-p is not positive"),
        (log(m * u), (), "m is not positive"),
        (sqrt(m + 1 / u), (), "m is not positive, by which m"),
        (1 / (a + 1 / u), (), "the sign of a is not known"),
        (sqrt(a + 1 / u), (a >= 0,), "the sign of a is not known"),
        (asin(1 - 1 / u), (), "1 may reach the end of the domain"),
        (acos(a + 1 / u), (a <= 1,), "a may reach the end of the domain"),
        (exp(u), (), "is not known to tend to zero"),
        (sinh(u), (), "how sinh.* grows is not known"),
        (erf(a * u), (), "the sign of a is not known"),
        (sqrt(a) / u, (), "is not known to be a real number here"),
        (zeta(a * u, b), (), "whether .* tend to infinity is not known"),
        (zeta(a * u, u / 2 + sqrt(u)), (a > 0,), None),
        (zeta(u, a * u**2), (), "whether .* tend to infinity is not known"),
        (OwensT(a * u, p), (), "tends to infinity is not known"),
        (OwensT(p, a * u), (), "the sign of a is not known"),
        (Abs(u), (), None),
    ],
    ids=str,
)
def test_what_has_no_leading_term(expr, given, why):
    finder = _LeadingTermFinder(u, evaluator(*given))
    if why is None:
        finder.leading_term(expr)
        return
    with pytest.raises(Rejected, match=why):
        finder.leading_term(expr)


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        (Limit(sin(2 * t) / t, t, 0), 2),
        (Limit(sin(2 * t) / t, t, 0, "-"), 2),
        (Limit((t**2 - 9) / (t - 3), t, 3, "+-"), 6),
        (Limit(atan(1 / t), t, 0, "+"), pi / 2),
        (Limit(atan(1 / t), t, 0, "-"), -pi / 2),
        (Limit(1 / (1 + exp(-1 / t)), t, 0, "+"), 1),
        (Limit(t / sqrt(1 + t**2), t, oo), 1),
        (Limit(t / sqrt(1 + t**2), t, -oo), -1),
        (Limit(a / t, t, oo), 0),
        (Limit(Abs(t) / (t + 1), t, -oo), -1),
        (t, None),
    ],
    ids=str,
)
def test_limits_from_each_side(limit, value):
    assert evaluator().limit(limit) == value


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        (Limit(atan(1 / t), t, 0, "+-"), "after the limits are taken, Eq.* is not shown"),
        (Limit(a * t, t, oo), "is not known to have a finite limit"),
        (Limit(log(t), t, oo), "is not known to have a finite limit"),
        (Limit(1 / p, p, oo), "p has to be declared real, and no more"),
    ],
    ids=str,
)
def test_what_has_no_limit(limit, why):
    with pytest.raises(Rejected, match=why):
        evaluator().limit(limit)


@pytest.mark.parametrize(
    ("number", "given", "sign"),
    [(p, (), 1), (m, (), -1), (a, (a > 2,), 1), (a, (a < -2,), -1), (a - 1, (a > 2,), 1)],
)
def test_signs_of_numbers(number, given, sign):
    assert evaluator(*given).sign(number) == sign


@pytest.mark.parametrize(
    ("given", "is_nonzero"), [((a > 2,), True), ((a < 0,), True), ((a >= 0,), False), ((), False)]
)
def test_numbers_that_are_not_zero(given, is_nonzero):
    assert evaluator(*given).is_nonzero(a) == is_nonzero
