"""Integrands and conditions in forms that are seldom written, with means known by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from sympy import (
    Abs,
    And,
    Contains,
    Derivative,
    DiracDelta,
    E,
    Eq,
    Function,
    Heaviside,
    I,
    Integral,
    Interval,
    Max,
    Min,
    Ne,
    Not,
    Piecewise,
    Rational,
    Symbol,
    erf,
    exp,
    log,
    oo,
    pi,
    sign,
    sqrt,
    symbols,
)
from sympy.core.rules import Transform

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    IntegrabilityError,
    NoiseLaw,
    ProductLaw,
    expectation,
    standard_normal,
    zeta,
)
from slrsym.gaussian import erf_derivatives_and_normal_law as module_of_functions
from slrsym.gaussian.law import Law, replace_sympy_stats_variables

x, y, z, w, a = symbols("x y z w a", real=True)
n = Symbol("n", integer=True, positive=True)
HALF = Rational(1, 2)
ONE, TWO, THREE = standard_normal(x), standard_normal(x, y), standard_normal(x, y, z)
BELL = exp(-HALF) / sqrt(2 * pi)  # The density at 1.
OUTSIDE = 1 + 2 * BELL - erf(1 / sqrt(2))  # The mean of x^2 where |x| > 1.


def cases(value: Any, condition: Any) -> Piecewise:
    return Piecewise((value, condition), (0, True))


@pytest.mark.parametrize(
    ("integrand", "exact"),
    [
        (cases(x**2, Not(And(x > -1, x < 1))), OUTSIDE),
        (cases(x**2, Abs(x) > 1), OUTSIDE),
        (cases(x**2, Abs(x) < 1), 1 - OUTSIDE),
        (cases(x**2, Abs(x) < Abs(y)), HALF - 1 / pi),
        (Piecewise((x, Eq(x, a)), (x**2, Ne(x, 1)), (0, True)), 1),
        (Max(x + exp(x), x), sqrt(E)),
        (Min(x + exp(x), x), 0),
        (x * sign(x**3), sqrt(2 / pi)),
        (x**2 * sign((x - 1) ** 2), 1),
        (x * sign(x**2 - 2 * x + 1), 0),
        (x * sign((x - 1) ** 3 * (x + 1) ** 2), 2 * BELL),
        (x * sign(x**3 + x**2 - x - 1), 2 * BELL),
        (x**2 * sign(2 * x - x**2 - 3), -1),
        (sign(4 - (x + y) ** 2), 2 * erf(1) - 1),
        (sign((x + y) ** 2 - 4), 1 - 2 * erf(1)),
        (sign(x * y + x + y + 1), erf(1 / sqrt(2)) ** 2),
        (x * Max(2 * exp(x) - 2 * exp(-x), 0), 2 * sqrt(E)),
        (x * Max(2 * exp(-x) - 2 * exp(x), 0), -2 * sqrt(E)),
        (Heaviside(3 * exp(x) - 2), (1 + erf(log(Rational(3, 2)) / sqrt(2))) / 2),
        (Heaviside(2 - 3 * exp(x)), (1 - erf(log(Rational(3, 2)) / sqrt(2))) / 2),
        (Abs(Derivative(x**2, x)), 2 * sqrt(2 / pi)),
        (x**2 * sign(x) ** 2, 1),
        (sign(y) * exp(x * sign(y)) * sign(x), 2 * sqrt(E) * erf(1 / sqrt(2)) / 2),
        (exp(x * y + x) * DiracDelta(y) * DiracDelta(x - 1), sqrt(E) / (2 * pi)),
        (Abs(x - y) * Abs(x + y + z), 2 * sqrt(6) / pi),
        (2**x * x, log(2) * exp(log(2) ** 2 / 2)),
        (exp(2 * I * y + 3) * x**2, E),
    ],
    ids=str,
)
def test_a_mean_known_by_hand(integrand: Any, exact: Any) -> None:
    law = standard_normal(*(v for v in (x, y, z) if v in integrand.free_symbols))
    found = expectation(integrand, law)
    assert abs((found - exact).evalf(20, chop=True)) < 1e-15


@pytest.mark.parametrize(
    ("integrand", "why"),
    [
        (cases(1, Contains(x, Interval(0, 1))), "is no condition on real numbers"),
        (Derivative(Function("f")(x), x), "cannot be differentiated"),
        (DiracDelta(x, 1), "is no density of an affine form"),
        (exp(I * x**2), "the quadratic part of the exponent is not real"),
        (exp(x) * exp(x**3 - x**4), "is not quadratic"),
        (exp(I * x) ** HALF, "is not a positive integer power"),
        (exp(I * x) ** a, "is not a positive integer power"),
        (erf(x**2), "the argument of erf(x**2) is not affine"),
        (sign(exp(x) - a * exp(2 * x)), "is not one of affine forms"),
        (sign(exp(2 * x) + exp(x) - 2), "is not one of affine forms"),
        (sign(x**2 + x * y + a), "is not one of affine forms"),
        (log(a * x**2), "is no polynomial, exponential, erf or sign of affine forms"),
    ],
    ids=str,
)
def test_what_has_no_closed_form_says_why(integrand: Any, why: str) -> None:
    found = expectation(integrand, TWO)
    assert isinstance(found, Expectation)
    assert why in found.reason


@pytest.mark.parametrize(
    ("integrand", "law"),
    [
        (IIDSum(x, ONE, n) ** 3, ONE),
        (exp(IIDSum(x, ONE, n)), ONE),
        (x**2 * Abs(y + 1), ProductLaw(ONE, NoiseLaw(y, 2))),
        (Abs(x * y + 1), ProductLaw(ONE, NoiseLaw(y, 2))),
        (erf(x + y + z) * Expectation(Abs(w + x + y + z), standard_normal(w)), THREE),
        (log(Abs(x)), GaussianLaw({x: 0}, [[a**2]])),
        (log(-2 * Abs(x)), ONE),
        (DiracDelta(x - y) * x, GaussianLaw({x: 0, y: 0}, [[1, 1], [1, 1]])),
        (a**x, ONE),
    ],
    ids=str,
)
def test_a_mean_that_stays(integrand: Any, law: Law) -> None:
    assert expectation(integrand, law).has(Expectation)


def test_one_factor_in_several_laws() -> None:
    found = expectation(erf(x + y), ProductLaw(ONE, GaussianLaw({y: a}, [[2]])))
    assert found == erf(a / sqrt(7))


def test_a_mean_that_does_not_exist_says_why() -> None:
    node = Expectation(exp(x**2), ONE)
    assert node.reason.startswith("not integrable: the exponential outgrows the density")
    with pytest.raises(IntegrabilityError, match="outgrows the density"):
        expectation(*node.args)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: IIDSum(x, 3, n), TypeError, "law must be a Law, such as a GaussianLaw; got 3"),
        (lambda: IIDSum(a * x, ONE, n).diff(a), NotImplementedError, "copies in a"),
        (TWO.marginal, ValueError, "at least one of x, y; got none"),
        (lambda: TWO.marginal(y, x, y), ValueError, "names a coordinate twice: y, x, y"),
        (lambda: standard_normal(x, y, x), ValueError, "must be different; x occurs 2 times"),
        (lambda: NoiseLaw(x, x > 0), TypeError, "variance of x must be an expression; got x > 0"),
        (lambda: NoiseLaw(x, x**2), ValueError, "must not depend on x"),
        (ProductLaw, ValueError, "one law at least"),
        (lambda: ProductLaw(ONE, 3), TypeError, "laws must be Laws"),
        (lambda: module_of_functions.no_such_name, AttributeError, "no attribute 'no_such_name'"),
    ],
)
def test_refusals(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_symbol_of_the_same_name_as_a_random_variable() -> None:
    from sympy.stats import Normal

    with pytest.raises(ValueError, match="a symbol of the same name as a variable: X"):
        replace_sympy_stats_variables(Normal("X", 0, 1) * Symbol("X", real=True))


def test_binders_take_transforms_of_sympy() -> None:
    doubled = Transform(lambda node: 2 * a, lambda node: node == a)
    assert Expectation(a * x, ONE).xreplace(doubled) == Expectation(2 * a * x, ONE)
    assert IIDSum(a * x, ONE, n).diff(z) == 0


def test_zeta_is_the_integral_that_it_is_rewritten_as() -> None:
    found = zeta(Rational(1, 3), HALF).rewrite(Integral)
    ((variable, *ends),) = found.limits
    assert ends == [-oo, oo]
    density = math.exp(-0.32) / math.sqrt(2 * math.pi)
    value = float(found.function.subs(variable, Rational(4, 5)))
    assert value == pytest.approx(math.erf(1 / 3 + 0.4) ** 2 * density, rel=1e-14)
