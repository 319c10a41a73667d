"""Numbers from definitions: expectations, each against a value that is known some other way."""

from __future__ import annotations

import mpmath
import pytest
from sympy import (
    Abs,
    E,
    EulerGamma,
    Heaviside,
    I,
    Integral,
    Max,
    N,
    Piecewise,
    Symbol,
    acos,
    asin,
    cos,
    erf,
    erfc,
    exp,
    gamma,
    log,
    oo,
    pi,
    sign,
    sin,
    sqrt,
    tan,
)
from sympy import zeta as riemann_zeta

from slrsym.crosscheck import Inconclusive, NotALaw, evaluate
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, NoiseLaw, ProductLaw, standard_normal
from slrsym.gaussian.special_functions import OwensT, normal_cdf, normal_pdf
from tests._profile import thorough_only
from tests.crosscheck.cases import NORMAL, PAIR, G, R, U, V, W, a, assert_zero, b, c, g, t, x

# -- expectations against closed forms ---------------------------------------------------------


@pytest.mark.parametrize("digits", [15, 30, 50, 60])
@pytest.mark.parametrize("scale", [R(1, 8), R(1), R(4)])
def test_mean_of_erf(scale, digits):
    closed = erf(t / sqrt(1 + 2 * g**2))
    point = {t: R(1, 3), g: scale}
    assert_zero(Expectation(erf(t + g * G), NORMAL) - closed, point, digits)


@pytest.mark.parametrize(
    ("variances", "covariance"),
    [((1, 1), R(1, 2)), ((R(1, 8), R(3, 2)), -R(1, 3)), ((1, 1), 1), ((1, 4), -2), ((2, 0), 0)],
)
def test_mean_of_a_product_of_erf(variances, covariance):
    closed = 2 / pi * asin(2 * c / sqrt((1 + 2 * a) * (1 + 2 * b)))
    point = {a: variances[0], b: variances[1], c: covariance}
    assert_zero(Expectation(erf(U) * erf(W), PAIR) - closed, point)


@pytest.mark.parametrize(
    ("monomial", "moment"),
    [
        (U**2, a),
        (U**3, 0),
        (U**4, 3 * a**2),
        (U**2 * W**2, a * b + 2 * c**2),
        (U**3 * W, 3 * a * c),
        (U**10, 945 * a**5),
    ],
)
def test_moments_are_those_of_isserlis(monomial, moment):
    assert_zero(Expectation(monomial, PAIR) - moment, {a: R(3, 2), b: R(2, 3), c: -R(1, 2)})


def test_moments_about_another_mean():
    law = GaussianLaw({U: t, W: g}, [[2, 1], [1, 3]])
    assert_zero(Expectation(U**2 * W, law) - (t**2 * g + 2 * g + 2 * t), {t: R(1, 3), g: R(2, 5)})


def test_polynomial_times_bell_in_three_dimensions():
    cov = [[1, R(1, 2), R(1, 3)], [R(1, 2), 2, 0], [R(1, 3), 0, 1]]
    law = GaussianLaw({U: t, V: 0, W: 1}, cov)
    # Stein's lemma, twice: only the first coordinate enters otherwise than polynomially.
    one = GaussianLaw({U: t}, [[1]])
    slope, bend = (Expectation(erf(U).diff(U, k), one) for k in (1, 2))
    assert_zero(Expectation(V * W * erf(U), law) - bend / 6 - slope / 2, {t: R(3, 4)})


@pytest.mark.parametrize(
    ("integrand", "closed"),
    [
        (exp(t * G), exp(t**2 / 2)),
        (exp(10 * G), exp(50)),
        (cos(t * G), exp(-(t**2) / 2)),
        (exp(I * t * G), exp(-(t**2) / 2)),
        (exp(R(9, 20) * G**2), sqrt(10)),
        (exp(-500 * G**2), 1 / sqrt(1001)),
        (1 / (1 + G**2), sqrt(pi / 2) * exp(R(1, 2)) * erfc(1 / sqrt(2))),
        (cos(32 * pi * G), exp(-512 * pi**2)),
        (normal_cdf(t + 2 * G), normal_cdf(t / sqrt(5))),
        (normal_pdf(t + G), normal_pdf(t / sqrt(2)) / sqrt(2)),
    ],
)
def test_other_integrands(integrand, closed):
    assert_zero(Expectation(integrand, NORMAL) - closed, {t: R(7, 5)})


def test_a_constant_integrand_is_its_own_expectation():
    assert evaluate(Expectation(t**2, NORMAL), {t: R(3)}).number == 9


def test_an_expectation_inside_an_expectation():
    inner = Expectation(erf(U + V), standard_normal(V))
    outer = Expectation(inner * U, standard_normal(U))
    assert_zero(outer - Expectation(erf(U + V) * U, standard_normal(U, V)))


def test_bound_variables_shadow_the_point():
    inner = Expectation(G**2, NORMAL)
    assert evaluate(G + Expectation(G**2 * inner, NORMAL), {G: R(5)}).number == 6


# -- what is not to be given a number ------------------------------------------------------------


@pytest.mark.parametrize("integrand", [exp(G**2), exp(G**2 / 2), exp(exp(G**2)), 1 / G, 1 / G**2])
def test_what_is_not_integrable_is_undecided(integrand):
    with pytest.raises(Inconclusive):
        evaluate(Expectation(integrand, NORMAL), {})


@pytest.mark.parametrize("integrand", [Abs(sin(G)), tan(G), 1 / sin(G) ** 2])
def test_what_is_not_smooth_gets_no_wrong_number(integrand):
    with pytest.raises(Inconclusive):
        evaluate(Expectation(integrand, NORMAL), {})


third = R(1, 3)


@pytest.mark.parametrize(
    ("integrand", "value"),
    [
        (Abs(G), sqrt(2 / pi)),
        (sign(G - third), -erf(third / sqrt(2))),
        (Heaviside(G) * G**3, sqrt(2 / pi)),
        (Piecewise((1, third < G), (0, True)), erfc(third / sqrt(2)) / 2),
        (Abs(G**2 - 1), 4 / sqrt(2 * pi * E)),
        (Max(Abs(G), third), third * erf(third / sqrt(2)) + exp(-R(1, 18)) * sqrt(2 / pi)),
        (Max(G, -G, 0), sqrt(2 / pi)),
    ],
)
def test_kinks_and_jumps_divide_the_line(integrand, value):
    assert_zero(Expectation(integrand, NORMAL) - value)


@pytest.mark.parametrize(
    ("integrand", "value"),
    [
        (sqrt(Abs(G)), 2 ** R(1, 4) * gamma(R(3, 4)) / sqrt(pi)),
        (log(Abs(G)), -(EulerGamma + log(2)) / 2),
        (erf(1000 * G + 1), erf(1 / sqrt(1 + 2 * R(1000) ** 2))),
        (U**2 * erf(1000 * G + 1), erf(1 / sqrt(1 + 2 * R(1000) ** 2))),
        (exp(G**2 / 2) / (1 + G**4), sqrt(pi) / 2),
        (exp(R(49, 100) * G**2), sqrt(50)),
        ((1 - cos(G)) / G**2, sqrt(pi / 2) * erf(1 / sqrt(2)) - 1 + exp(-R(1, 2))),
        (Abs(G**3 - G**2), 4 * normal_pdf(1) + 1 - erfc(1 / sqrt(2))),
        (Abs(G**3 - G), 8 * normal_pdf(1) - 2 * normal_pdf(0)),
        (log(G**2 - G / 2) - log(Abs(G - R(1, 2))) - log(Abs(G)), I * pi * erf(1 / sqrt(8)) / 2),
    ],
)
def test_integrands_may_be_steep_or_singular_in_one_direction(integrand, value):
    assert_zero(Expectation(integrand, ProductLaw(NORMAL, standard_normal(U))) - value)


def test_digits_lost_next_to_a_singularity_are_computed():
    found = evaluate(Expectation(1 / sqrt(Abs(G - 1)), NORMAL), {}, 25)
    with mpmath.workdps(40):
        size = mpmath.gamma(0.25) / (2 ** mpmath.mpf(0.25) * mpmath.sqrt(mpmath.pi))
        assert abs(found.number - size * mpmath.hyp1f1(0.25, 0.5, -0.5)) < mpmath.mpf(10) ** -24


@thorough_only
def test_kinks_divide_the_plane():
    here = {a: 1, b: 1, c: R(-2, 7)}
    angle = asin(R(-2, 7))
    assert_zero(Expectation(sign(U) * sign(W), PAIR) - 2 / pi * angle, here)
    assert_zero(Expectation(Max(U, W), PAIR) - sqrt((1 - c) / pi), here)
    wedge = (sqrt(1 - c**2) + c * (pi / 2 + angle)) / (2 * pi)
    assert_zero(Expectation(Max(U, 0) * Max(W, 0), PAIR) - wedge, here)


@thorough_only
def test_narrow_poles_are_resolved():
    closed = sqrt(pi / 2) * 50 * exp(1250) * erfc(50 / sqrt(2))
    assert_zero(Expectation(1 / (1 + G**2 / 2500), NORMAL) - closed)
    closed = sqrt(pi / 2) / 30 * exp(R(1, 1800)) * erfc(1 / (30 * sqrt(2)))
    assert_zero(Expectation(1 / (1 + 900 * G**2), NORMAL) - closed)


@pytest.mark.parametrize("entries", [(1, 1, 2), (-1, 1, 0), (0, 1, R(1, 9)), (0, 0, R(1, 9))])
def test_a_covariance_must_be_one(entries):
    with pytest.raises(NotALaw):
        evaluate(Expectation(erf(U) * W, PAIR), dict(zip((a, b, c), entries, strict=True)))


def test_a_covariance_with_roots_may_be_singular():
    # The determinant vanishes, which no finite precision sees.
    law = GaussianLaw({U: 0, W: 0}, [[2, sqrt(6)], [sqrt(6), 3]])
    same = Expectation(erf(sqrt(2) * G) * erf(sqrt(3) * G), NORMAL)
    assert_zero(Expectation(erf(U) * erf(W), law) - same)


def test_a_noise_must_have_a_variance():
    with pytest.raises(NotALaw):
        evaluate(Expectation(U**2, NoiseLaw(U, a)), {a: -1})


def test_steps_and_signs_at_their_corner():
    def at(expr, value):
        return evaluate(expr, {x: value}).number

    assert at(Heaviside(x), 0) == 0.5
    assert [at(Heaviside(x, R(1, 4)), value) for value in (-R(1, 9), 0, R(1, 9))] == [0, 0.25, 1]
    assert [at(sign(x), value) for value in (-R(1, 9), 0, R(1, 9))] == [-1, 0, 1]
    assert [at(Abs(x), value) for value in (-R(1, 4), 0, R(1, 4))] == [0.25, 0, 0.25]


@pytest.mark.parametrize("value", [-R(3, 2), -1, -R(1, 3), 0, R(2, 3), 1, R(5, 4), 3])
def test_inverse_sines_and_cosines_beyond_one(value):
    """Where they are complex, too, as SymPy has them."""
    for f in (asin, acos):
        assert_zero(f(x) - N(f(value), 50), {x: value})


@pytest.mark.parametrize("h", [0, R(1, 2), -R(3, 2)])
def test_owens_t_to_infinity(h):
    closed = erfc(Abs(x) / sqrt(2)) / 4
    assert_zero(OwensT(x, oo) - closed, {x: h})
    assert_zero(OwensT(x, -oo) + closed, {x: h})


def test_a_noise_inside_of_a_factor():
    inner = Expectation(G * U**2, NoiseLaw(U, 2))
    assert_zero(Expectation(G * inner, NORMAL) - 2)
    assert_zero(Expectation(inner * Expectation(U**2 + 1, NoiseLaw(U, 3)) * G, NORMAL) - 8)


def test_missing_values_are_named():
    with pytest.raises(ValueError, match="no value for t"):
        evaluate(Expectation(t * G**2, NORMAL), {})
    with pytest.raises(ValueError, match="digits must be at least 1"):
        evaluate(t, {t: 1}, digits=0)


def test_unknown_nodes_are_undecided():
    with pytest.raises(Inconclusive, match="zeta"):
        evaluate(riemann_zeta(x), {x: 3})
    with pytest.raises(Inconclusive):
        evaluate(1 / (x - 1), {x: 1})


# -- independence, noise, sums of copies -----------------------------------------------------------


def test_noise_is_neither_normal_nor_symmetric():
    e = Symbol("e", positive=True)
    law = NoiseLaw(x, e**2)
    point = {e: R(3, 2)}
    assert evaluate(Expectation(x, law), point).number == 0
    assert_zero(Expectation(x**2, law) - e**2, point)
    assert abs(evaluate(Expectation(x**3, law), point).number) > 1
    assert abs(evaluate(Expectation(x**4, law) - 3 * e**4, point).number) > 1


def test_independent_factors():
    law = ProductLaw(NORMAL, NoiseLaw(x, t), standard_normal(U, W))
    whole = Expectation((x + G * erf(G) + U * W) ** 2, law)
    assert_zero(whole - t - 1 - Expectation(G**2 * erf(G) ** 2, NORMAL), {t: R(2, 7)})


def test_a_factor_that_joins_blocks():
    law = ProductLaw(standard_normal(U), standard_normal(W))
    assert_zero(
        Expectation(erf(U + W) * W, law) - Expectation(erf(U + W) * W, standard_normal(U, W))
    )
    noisy = Expectation(erf(x + G), ProductLaw(NoiseLaw(x, 1), NORMAL))
    by_hand = (4 * erf(-1 / sqrt(3)) + 4 * erf(1 / sqrt(12)) + erf(2 / sqrt(3))) / 9
    assert_zero(noisy - by_hand)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_sums_of_copies(count):
    n = Symbol("n", integer=True, nonnegative=True)
    total = IIDSum(erf(U) * W + 1, PAIR, n)
    law = ProductLaw(NORMAL, NoiseLaw(x, t))
    first = Expectation(erf(U) * W + 1, PAIR)
    second = Expectation((erf(U) * W + 1) ** 2, PAIR)
    closed = n * second + n * (n - 1) * first**2 + 1 + t
    point = {n: count, a: R(3, 2), b: R(2, 3), c: -R(1, 2), t: R(1, 4)}
    assert_zero(Expectation((total + G - x) ** 2, law) - closed, point)


def test_equal_sums_of_copies_are_one_variable():
    first, other = (IIDSum(U**k, standard_normal(U), 2) for k in (1, 3))
    assert_zero(Expectation(first * first, NORMAL) - 2)
    assert_zero(Expectation(first * other, NORMAL))
    with pytest.raises(ValueError, match="outside of every expectation"):
        evaluate(first, {})


# -- conditional expectations, and integrals over the line ---------------------------------------


def test_a_conditional_expectation_is_merged_with_the_one_it_stands_in():
    given = GaussianLaw({U: a * W + b}, [[c**2]])
    nested = Expectation(W * Expectation(sin(U) * U, given), standard_normal(W))
    joint = GaussianLaw({U: b, W: 0}, [[a**2 + c**2, a], [a, 1]])
    point = {a: R(2, 3), b: R(1, 5), c: R(3, 4)}
    assert_zero(nested - Expectation(W * sin(U) * U, joint), point)


def test_nested_three_deep():
    inner = Expectation(erf(1 + U + V + W), standard_normal(U))
    nested = Expectation(Expectation(V * inner, standard_normal(V)) * W, standard_normal(W))
    flat = Expectation(V * W * erf(1 + U + V + W), standard_normal(U, V, W))
    assert_zero(nested - flat)
    assert abs(evaluate(flat, {}).number) > 1e-3


@thorough_only
def test_a_square_of_a_conditional_expectation_is_not_that_of_the_square():
    inner = Expectation(erf(U + W), standard_normal(U))
    square = Expectation(inner**2, standard_normal(W))
    # E[erf(U + W) | W] = erf(W / sqrt 3)
    assert_zero(square - Expectation(erf(W / sqrt(3)) ** 2, standard_normal(W)))


def test_the_variance_given_the_outer_variable_may_depend_on_it():
    given = GaussianLaw({U: 0}, [[W**2]])
    nested = Expectation(Expectation(U**2, given), standard_normal(W))
    assert_zero(nested - 1)


@pytest.mark.parametrize(
    ("integrand", "closed"),
    [
        (exp(-(x**2) / 2) * x**4, 3 * sqrt(2 * pi)),
        (exp(-((x - 30) ** 2)), sqrt(pi)),
        (exp(-(x**2) / 1000), sqrt(1000 * pi)),
        (1 / (1 + x**2), pi),
    ],
    ids=["bell", "far away", "wide", "slow"],
)
def test_integrals_over_the_line(integrand, closed):
    assert_zero(Integral(integrand, (x, -oo, oo)) - closed)
