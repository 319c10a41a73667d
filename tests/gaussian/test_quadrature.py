"""Numerical expectations from the definition: digits, reductions, and what is refused."""

from typing import Any

import mpmath
import pytest
from mpmath import mp
from sympy import (
    Abs,
    CRootOf,
    Derivative,
    EulerGamma,
    Float,
    Function,
    GoldenRatio,
    Heaviside,
    I,
    Piecewise,
    Rational,
    S,
    Symbol,
    atan,
    besseli,
    besselj,
    binomial,
    cos,
    erf,
    erfc,
    exp,
    log,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
)

from slrsym.crosscheck.expectation_evalf import evaluate
from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    OwensT,
    ProductLaw,
    expectation,
    normal_cdf,
    normal_pdf,
    standard_normal,
    zeta,
)
from tests._profile import one_in, thorough, thorough_only

x, y, z, xi, a = symbols("x y z xi a", real=True)
ONE = standard_normal(x)
HALF, THIRD, QUARTER = Rational(1, 2), Rational(1, 3), Rational(1, 4)
PAIR = GaussianLaw({x: THIRD, y: -HALF}, [[1, HALF], [HALF, 2]])


def agrees(integrand: Any, law: Any, exact: Any, digits: int) -> bool:
    """Whether the value is a number that is right to that many digits."""
    found = Expectation(integrand, law).evalf(digits)
    assert found.is_number, found
    with mp.workdps(digits + 10):
        number = exact.evalf(digits + 10)._to_mpmath(mp.prec)
        error = abs(found._to_mpmath(mp.prec) - number)
        # One unit for the rounding to that many digits.
        return bool(error <= 2 * mp.mpf(10) ** -digits * abs(number))


def assert_has_no_number(node: Any) -> None:
    """Check that an expectation stays as it is, and that it is said why."""
    with pytest.warns(UserWarning, match="has no number here: "):
        assert node.evalf() == node


EXACT_1D = [
    (x**2, ONE, S.One),
    (x**10, ONE, S(945)),
    ((x + 1) ** 3, ONE, S(4)),
    (exp(x), ONE, exp(HALF)),
    (exp(10 * x), ONE, exp(S(50))),
    (exp(x**2 / 3), ONE, sqrt(3)),
    (exp(Rational(49, 100) * x**2), ONE, sqrt(50)),
    (exp(-50 * (x - 8) ** 2), ONE, exp(-Rational(3200, 101)) / sqrt(101)),
    (cos(3 * x), ONE, exp(-Rational(9, 2))),
    (x * sin(x), ONE, exp(-HALF)),
    (erf(x + THIRD), ONE, erf(THIRD / sqrt(3))),
    (erf(40 * x + THIRD), ONE, erf(THIRD / sqrt(3201))),
    (erf(x) ** 2, ONE, 1 - 8 * atan(1 / sqrt(5)) / (2 * pi)),
    (normal_cdf(2 * x - 1), ONE, normal_cdf(-1 / sqrt(5))),
    (normal_pdf(x), ONE, 1 / (2 * sqrt(pi))),
    (exp(I * x), ONE, exp(-HALF)),
    (x, GaussianLaw({x: 7}, [[0]]), S(7)),
]


@pytest.mark.parametrize("digits", [thorough(15), 40])
@pytest.mark.parametrize(("integrand", "law", "exact"), one_in(2, EXACT_1D))
def test_one_variable(integrand, law, exact, digits):
    assert agrees(integrand, law, exact, digits)


def test_a_hundred_digits():
    assert agrees(erf(x + THIRD), ONE, erf(THIRD / sqrt(3)), 100)


@pytest.mark.parametrize(
    ("integrand", "law", "exact"),
    [
        (exp(x * y / 4), standard_normal(x, y), 4 / sqrt(15)),
        (cos(x * y), standard_normal(x, y), 1 / sqrt(2)),
        (normal_cdf(x - y), PAIR, normal_cdf(Rational(5, 6) / sqrt(3))),
        (x * exp(y), PAIR, Rational(5, 6) * exp(HALF)),
        thorough(erf(x) * erf(y), GaussianLaw({x: 0, y: 0}, [[1, HALF], [HALF, 1]]), S(0)),
    ],
)
def test_two_variables(integrand, law, exact):
    if exact == 0:  # the arc sine law
        from sympy import asin

        exact = 2 / pi * asin(THIRD)
    assert agrees(integrand, law, exact, 15)


def test_forms_are_reduced():
    """Four variables; the integrand is erf of one form times a polynomial in two others."""
    w = Symbol("w", real=True)
    cov = [[2, 1, 0, 1], [1, 2, 1, 0], [0, 1, 2, 1], [1, 0, 1, 3]]
    law = GaussianLaw({x: 0, y: HALF, z: 0, w: 1}, cov)
    u = x + y - z  # of mean 1/2 and variance 6, covariance 2 with y and 0 with w
    exact = erf(HALF / sqrt(13)) / 2 + 4 / sqrt(pi) * exp(-Rational(1, 52)) / sqrt(13)
    assert agrees(y * erf(u), law, exact, 25)
    assert agrees(y * w * erf(u), law, exact, 25)


def test_singular_covariance():
    law = GaussianLaw({x: THIRD, y: -HALF}, [[1, 2], [2, 4]])
    # y = 2x - 7/6
    same = Expectation((erf(x) * erf(2 * x - Rational(7, 6))), GaussianLaw({x: THIRD}, [[1]]))
    assert agrees(erf(x) * erf(y), law, same.evalf(45), 30)


def test_irrational_singular_covariance():
    law = GaussianLaw({x: 0, y: 0}, [[2, 2 * sqrt(3)], [2 * sqrt(3), 6]])
    exact = (exp(-((1 + sqrt(3)) ** 2)) + exp(-((1 - sqrt(3)) ** 2))) / 2
    assert agrees(cos(x) * cos(y), law, exact, 30)


def test_three_variables():
    law = GaussianLaw({x: 0, y: HALF, z: THIRD}, [[1, 1, 0], [1, 2, 0], [0, 0, 1]])
    assert agrees(cos(x) * cos(z), law, exp(-1) * cos(THIRD), 10)
    # x + y + z has variance 6.
    assert agrees(cos(x + y + z), law, exp(-3) * cos(HALF + THIRD), 20)


@thorough_only
def test_three_variables_of_which_two_are_correlated():
    law = GaussianLaw({x: 0, y: HALF, z: THIRD}, [[1, 1, 0], [1, 2, 0], [0, 0, 1]])
    # With y - x independent of x, and cos(x + z) cos(z) = (cos(x + 2z) + cos(x))/2:
    exact = exp(1) * (exp(-Rational(5, 2)) * cos(2 * THIRD) + exp(-HALF)) / 2
    assert agrees(cos(x + z) * exp(y - x) * cos(z), law, exact, 5)


def test_noise_is_averaged():
    law = ProductLaw(ONE, NoiseLaw(xi, Rational(1, 4)))
    exact = 1 - 8 * atan(1 / sqrt(5)) / (2 * pi) + Rational(1, 4)
    assert agrees((erf(x) + xi) ** 2, law, exact, 20)
    inner = Expectation((erf(x) + xi) ** 2, law)
    assert agrees(y**2 * inner, standard_normal(y), exact, 20)


@pytest.mark.parametrize(
    "integrand", [xi**3, erf(xi), x**2 * Abs(xi), IIDSum(xi, NoiseLaw(xi, 1), 3) ** 2]
)
def test_other_moments_of_a_noise_are_not_known(integrand):
    node = Expectation(integrand, ProductLaw(ONE, NoiseLaw(xi, Rational(1, 4))))
    for left in (node, Expectation(node * y**2, standard_normal(y))):
        assert_has_no_number(left)


def test_nested_expectation():
    inner = Expectation(exp(y), standard_normal(y))
    assert agrees(inner * x**2, ONE, exp(HALF), 20)
    conditional = Expectation(Expectation(x * y, standard_normal(y)), ONE)
    assert_has_no_number(conditional)


@thorough_only
def test_kinks_and_singularities():
    assert agrees(Abs(x), ONE, sqrt(2 / pi), 20)
    assert agrees(Abs(x + THIRD), ONE, 2 * normal_pdf(THIRD) + THIRD * erf(THIRD / sqrt(2)), 20)
    assert agrees(sign(x + 1), ONE, erf(1 / sqrt(2)), 20)
    assert agrees(Heaviside(x - 1), ONE, erfc(1 / sqrt(2)) / 2, 20)
    assert agrees(log(x**2), ONE, -log(2) - Float(mpmath.euler, 30), 15)


def test_zero_by_symmetry():
    for integrand in (
        x,
        x * Abs(x),
        sin(x) * erf(x) ** 2,
        x * exp(x**2 / 4),
        Derivative(erf(x) ** 2, x),
    ):
        assert Expectation(integrand, ONE).evalf() == 0
    # Odd in one of two variables that are correlated.
    law = GaussianLaw({x: 0, y: 0}, [[1, HALF], [HALF, 1]])
    assert agrees(x * y, law, HALF, 15)
    law = GaussianLaw({x: 1, y: -HALF}, [[1, 0], [0, 1]])
    assert Expectation((y + HALF) * erf(x), law).evalf() == 0
    assert Expectation((x - THIRD) * cos(x - THIRD) * (y + HALF) ** 2, PAIR).evalf() == 0


def test_digits_are_not_lost_to_cancellation():
    tiny = Rational(1, 10**12)
    assert agrees(x**2 + tiny * x**4 - cos(0), ONE, 3 * tiny, 15)
    assert agrees(erf(x + 6) - 1, ONE, erf(6 / sqrt(3)) - 1, 15)
    less = tiny / 10**10
    assert agrees(x**2 + less * x**4 - cos(0), ONE, 3 * less, 15)


@thorough_only
def test_steps_shrink_until_the_grids_agree():
    """Poles near the real line need far smaller steps than the first."""
    exact = sqrt(pi / 2) / 10 * exp(Rational(1, 200)) * erfc(1 / sqrt(200))
    assert agrees(1 / (1 + 100 * x**2), ONE, exact, 15)


@thorough_only
def test_narrow_peaks_are_seen():
    sharp = exp(-(10**4) * (x - Rational(123, 1000)) ** 2)
    exact = exp(-(Rational(123, 1000) ** 2) * 10**4 / (1 + 2 * S(10) ** 4)) / sqrt(
        1 + 2 * S(10) ** 4
    )
    assert agrees(1 + sharp, ONE, 1 + exact, 15)


@pytest.mark.parametrize(
    "integrand",
    [
        exp(x**2),
        exp(x**2 / 2),
        x * exp(x**2),
        1 / x,
        thorough(1 / x**2),
        tan(x),
        x + 1 / x,
        x**2 - 1,
        sqrt(x),
        Heaviside(x - 1000),
        Function("f")(x),
        IIDSum(x, ONE, 3),
    ],
)
def test_out_of_reach_is_left_as_it_is(integrand):
    assert_has_no_number(Expectation(integrand, ONE))


def test_a_parameter_without_a_value_is_left_as_it_is():
    node = Expectation(a * x**2, ONE)
    assert node.evalf() == node


def test_five_nonlinear_variables_are_out_of_reach():
    names = symbols("p:5", real=True)
    law = standard_normal(*names)
    product = S.One
    for i, name in enumerate(names):
        product *= erf(name + sum(names) + i)
    assert_has_no_number(Expectation(product, law))


@thorough_only
def test_special_functions_in_the_integrand():
    with mp.workdps(25):
        expected = mp.quad(lambda t: mp.npdf(t) * mp.atan(t) ** 2, [-30, -2, 0, 2, 30])
        found = Expectation(atan(x) ** 2, ONE).evalf(20)._to_mpmath(80)
        assert abs(found - expected) < mp.mpf(10) ** -19
    at_zero = Expectation(zeta(x, 1), ONE).evalf(15)
    # E erf(x + G)^2 with x + G of variance 2
    assert abs(at_zero - (1 - 4 / pi * atan(1 / S(3))).evalf(20)) < 1e-14


@pytest.mark.parametrize(
    ("integrand", "exact"),
    [
        (besselj(0, x), exp(-QUARTER) * besseli(0, QUARTER)),
        (GoldenRatio * x**2, GoldenRatio),
        (CRootOf(x**5 - x - 1, 0) * cos(x), CRootOf(x**5 - x - 1, 0) * exp(-HALF)),
        (binomial(x, 2), HALF),
        (Derivative(cos(x), x) * x, -exp(-HALF)),
        (log(x**2), -log(2) - EulerGamma),
        ((1 - cos(x)) / x**2, sqrt(pi / 2) * erf(1 / sqrt(2)) - 1 + exp(-HALF)),
    ],
)
def test_functions_and_numbers_of_sympy(integrand, exact):
    assert agrees(integrand, ONE, exact, 25)


@thorough_only
def test_owens_t_in_the_integrand():
    owen = Expectation(OwensT(1, x + 1), ONE).evalf(10)
    with mp.workdps(20):
        expected = mp.quad(
            lambda t: (
                mp.npdf(t)
                * mp.quad(lambda v: mp.exp(-(1 + v * v) / 2) / (1 + v * v), [0, t + 1])
                / (2 * mp.pi)
            ),
            [-12, -1, 4, 12],
        )
    assert abs(owen - Float(expected, 18)) < 1e-9


def test_the_cache_keeps_precisions_apart():
    law = GaussianLaw({x: 0}, [[1]])
    low, high = evaluate(exp(x), law, 53), evaluate(exp(x), law, 200)
    assert low is not None
    assert high is not None
    assert low._prec == 53
    assert high._prec == 200
    with mp.workprec(230):
        assert abs(high._to_mpmath(230) - mp.exp(0.5)) < mp.mpf(10) ** -58


@pytest.mark.parametrize(
    ("condition", "correlation"),
    [((x > 1) & (y > 1), 1 - Rational(1, 10**k)) for k in (2, 4, 9)]
    + [((x > 1) & (y < 1), -1 + Rational(1, 10**9))],
)
def test_jumps_on_lines_that_almost_coincide(condition, correlation):
    """Between them is a region that no panel of the outer integral would see."""
    law = GaussianLaw({x: 0, y: 0}, [[1, correlation], [correlation, 1]])
    step = Piecewise((1, condition), (0, True))
    assert float(Expectation(step, law)) == pytest.approx(float(expectation(step, law)), rel=1e-13)


def test_jumps_on_lines_too_close_have_no_number():
    near = 1 - Rational(1, 10**15)
    law = GaussianLaw({x: 0, y: 0}, [[1, near], [near, 1]])
    with pytest.warns(UserWarning, match="almost coincide"):
        assert not Expectation(Piecewise((1, (x > 1) & (y > 1)), (0, True)), law).evalf().is_number


@pytest.mark.parametrize("tiny", [Rational(1, 10**20), exp(-50)])
def test_variances_of_unlike_size(tiny):
    law = GaussianLaw({x: 0, y: 0}, [[tiny**2, tiny / 2], [tiny / 2, 1]])
    assert agrees(sign(x) * sign(y), law, Rational(1, 3), 15)
    assert agrees(Abs(x) / tiny, law, sqrt(2 / pi), 15)


def test_what_is_left_of_a_variance_decides_a_jump():
    law = GaussianLaw({x: 0, y: 0}, [[1, 1], [1, 1 + Rational(1, 10**30)]])
    assert agrees(Heaviside(y - x, 0), law, HALF, 15)


@pytest.mark.parametrize("place", [-15, 11])
def test_far_jumps_have_their_weight(place):
    condition = x > place if place > 0 else x < place
    step = Piecewise((10**30, condition), (1, True))
    tail = normal_cdf(-abs(place))
    assert agrees(step, ONE, 1 + (10**30 - 1) * tail, 15)
    assert agrees(step - 1, ONE, (10**30 - 1) * tail, 15)


def test_far_jumps_in_two_dimensions_have_no_number():
    step = Piecewise((10**60, (x > 15) & (y > 0)), (1, True))
    with pytest.warns(UserWarning, match="far from the mean"):
        assert (
            not Expectation(step, GaussianLaw({x: 0, y: 0}, [[1, HALF], [HALF, 1]]))
            .evalf()
            .is_number
        )
