"""Limits by leading terms, and numbers compared by balls: accepted, refused, and why."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    Abs,
    Expr,
    Gt,
    Heaviside,
    Limit,
    Lt,
    Max,
    Min,
    Rational,
    S,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    log,
    oo,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tanh,
)

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    NoiseLaw,
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    standard_normal,
    zeta,
)
from slrsym.proof import ball_arithmetic, chain, limits
from slrsym.prover.statements.expressions import Refused
from tests._profile import thorough_cases

from ._steps import check

t, a, G, H = symbols("t a G H", real=True)
p = Symbol("p", positive=True)
LAW = standard_normal(G)


def E(integrand: Expr) -> Expectation:
    return Expectation(integrand, LAW)


LIMITS = [
    (Limit(1 / (1 + t**2), t, oo), 0),
    (Limit((2 * t + a) / (t + sqrt(t)), t, oo), 2),
    (Limit(sqrt(t**2 + p), t, 3), sqrt(9 + p)),
    (Limit(sin(t) / t, t, oo), 0),
    (Limit(log(2 + 1 / t), t, oo), log(2)),
    (Limit(log(t) / t, t, oo), 0),
    (Limit(exp(-p * t) * t, t, oo), 0),
    (Limit(t * (1 - cos(1 / t)), t, oo), 0),
    (Limit(t**2 * (1 - cos(1 / t)), t, oo), S.Half),
    (Limit(t * (exp(1 / t) - 1), t, oo), 1),
    (Limit(t * asin(1 / t), t, oo), 1),
    (Limit(acos(S.Half + 1 / t), t, oo), pi / 3),
    (Limit(cosh(1 / t), t, oo), None),
    (Limit(normal_cdf(-p * t), t, oo), 0),
    (Limit(erfc(t) + tanh(t), t, -oo), 1),
    (Limit(normal_pdf(t) + erf_prime(t) + erf_second(t), t, oo), 0),
    (Limit(zeta(1 / t, 2 + 1 / t), t, oo), zeta(0, 2)),
    (Limit(zeta(a, p * t), t, oo), 1),
    (Limit(OwensT(a / t, p), t, oo), OwensT(0, p)),
    (Limit(OwensT(t, p), t, oo), 0),
    (Limit(OwensT(p, t), t, oo), (1 - erf(p / sqrt(2))) / 4),
]


@pytest.mark.parametrize(("limit", "value"), LIMITS, ids=str)
def test_a_limit_is_shown_and_no_other_number_is(limit: Limit, value: Any) -> None:
    if value is None:
        with pytest.raises(Refused, match="how cosh"):
            check(chain(limit).then(1, by=limits))
        return
    check(chain(limit).then(value, by=limits))
    with pytest.raises(Refused):
        check(chain(limit).then(value + Rational(1, 7), by=limits))


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        (t, "neither side has a limit"),
        (Limit(t, t, oo), "is not known to have a finite limit"),
        (Limit(1 / p, p, 0), "has to be declared real, and no more"),
        (Limit(exp(a * t), t, oo), "the sign of a is not known"),
        (Limit(exp(t), t, oo), "is not known to tend to zero"),
        (Limit(1 / sqrt(1 + a**2 * t**2), t, oo), "the sign of a\\*\\*2 is not known"),
        (Limit(1 / (a * t), t, oo), "1/a is not known to be a real number"),
        (Limit(sinh(t), t, oo), "how sinh"),
        (Limit(log(a + 1 / t), t, oo), "the sign of a is not known"),
        (Limit(asin(1 - 1 / t), t, oo), "may reach the end of the domain"),
        (Limit(zeta(a * t, 1), t, oo), "tend to infinity is not known"),
        (Limit(OwensT(a * t, 1), t, oo), "tends to infinity is not known"),
        (Limit(E(erf(t + G)), t, oo), "how E.* grows is not known"),
    ],
    ids=str,
)
def test_what_may_have_no_limit_is_refused(limit: Expr, why: str) -> None:
    with pytest.raises(Refused, match=why):
        check(chain(limit).then(0, by=limits))


# Numbers, each with two between which it lies.
NUMBERS = [
    (pi * exp(1) - sqrt(2) * S(3) ** Rational(2, 3), (S(5), 6)),
    (exp(-1) + log(2) * atan(1) + asin(S.Half) - acos(S.Half), (S(0), 1)),
    (Max(pi, 3) + Min(pi, 3) + Abs(-pi) + sign(-pi) + Heaviside(pi), (S(9), 10)),
    (cosh(1) * tanh(1) - sinh(1), (-Rational(1, 1000), Rational(1, 1000))),
    (E(Abs(G)), (Rational(79, 100), Rational(80, 100))),
    (E(Max(G, 0) ** 2), (Rational(49, 100), Rational(51, 100))),
    (E(Heaviside(G) * exp(-(G**2)) + sign(G) * erfc(G)), (-S.One, 0)),
    (E(sqrt(1 + G**2)), (S.One, Rational(3, 2))),
    (E(log(1 + G**2)), (Rational(1, 2), Rational(3, 5))),
    (E(1 / (2 + cosh(G))), (Rational(1, 5), Rational(1, 3))),
    (E(atan(G) ** 2 + normal_cdf(G) * normal_pdf(G)), (Rational(3, 10), Rational(6, 10))),
    (E(erf_prime(G) - erf_second(G) + sin(G) * cos(G)), (Rational(6, 10), Rational(7, 10))),
]


@thorough_cases("E[Max(0, G)**2]-(49/100, 51/100)")
@pytest.mark.parametrize(("number", "between"), NUMBERS, ids=str)
def test_numbers_lie_where_they_are(number: Expr, between: tuple[Any, Any]) -> None:
    low, high = between
    check(chain(number).gt(low, by=ball_arithmetic))
    check(chain(number).lt(high, by=ball_arithmetic))
    for wrong in (
        chain(number).lt(low, by=ball_arithmetic),
        chain(number).ge(high, ball_arithmetic),
    ):
        with pytest.raises(Refused, match=r"do not lie apart|are not known to compare"):
            check(wrong)


@pytest.mark.parametrize(
    "function",
    [
        *(exp, log, erf, erfc, sin, cos, sinh, cosh, tanh, asin, acos, atan, sqrt, Abs, sign),
        *(erf_prime, erf_second, normal_pdf, normal_cdf, lambda x: x ** Rational(-2, 3)),
    ],
)
def test_functions_have_the_values_that_mpmath_gives(function: Any) -> None:
    number = function(Rational(3, 7)) * pi
    value = Rational(str(number.evalf(30)))
    check(chain(number).gt(value - Rational(1, 10**25), by=ball_arithmetic))
    check(chain(number).lt(value + Rational(1, 10**25), by=ball_arithmetic))


PLANE = GaussianLaw({G: 0, H: 0}, [[1, S.Half], [S.Half, 1]])


def test_a_function_of_one_affine_form_of_two_variables() -> None:
    check(chain(Expectation(tanh(G - H) ** 2, PLANE)).lt(S.Half, by=ball_arithmetic))


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        (Lt(a, 1), "a has no value here"),
        (Lt(E(tanh(G * Expectation(H, standard_normal(H))) ** 2), 2), "within another one"),
        (Gt(Expectation(tanh(G) * tanh(H), PLANE), -1), "is not a function of one affine form"),
        (Lt(Expectation(tanh(G), NoiseLaw(G, 1)), 1), "is not Gaussian"),
        (Lt(E(exp(6 * G) * tanh(G)), 2), "grows too fast for the rule"),
        (Lt(E(Heaviside(G, 1)), 2), "Heaviside.* has more than one argument"),
        (Lt(E(exp(-cosh(G))), 2), "how the exponential of"),
    ],
    ids=str,
)
def test_what_balls_do_not_enclose_is_refused(statement: Any, why: str) -> None:
    step = chain(statement.lhs)
    step = (step.lt if isinstance(statement, Lt) else step.gt)(statement.rhs, by=ball_arithmetic)
    with pytest.raises(Refused, match=why):
        check(step)


def test_balls_show_no_equality() -> None:
    with pytest.raises(Refused, match="is no relation"):
        check(chain(S.One).then(1, by=ball_arithmetic))
