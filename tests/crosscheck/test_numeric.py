"""Numbers from definitions: each against a value that is known some other way."""

from __future__ import annotations

import itertools
import math

import flint
import mpmath
import numpy as np
import pytest
from sympy import (
    Abs,
    And,
    Derivative,
    E,
    Eq,
    Equivalent,
    EulerGamma,
    Function,
    Ge,
    Gt,
    Heaviside,
    I,
    Implies,
    IndexedBase,
    Integral,
    Lambda,
    Limit,
    Lt,
    Max,
    N,
    Ne,
    Not,
    Or,
    Piecewise,
    Product,
    Rational,
    Subs,
    Sum,
    Symbol,
    acos,
    asin,
    cos,
    erf,
    erfc,
    erfi,
    exp,
    gamma,
    log,
    oo,
    pi,
    re,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
)
from sympy import zeta as riemann_zeta

from slrsym.crosscheck import (
    Disagreement,
    Inconclusive,
    NotALaw,
    compare,
    evaluate,
    is_true_at,
    random_test_function,
)
from slrsym.crosscheck.ball_quadrature import _OFFSETS
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, NoiseLaw, ProductLaw, standard_normal
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)
from tests._profile import thorough, thorough_only

R = Rational
t, g, a, b, c, x, y = symbols("t g a b c x y", real=True)
G, H, U, V, W = symbols("G H U V W", real=True)
NORMAL = standard_normal(G)
PAIR = GaussianLaw({U: 0, W: 0}, [[a, c], [c, b]])


def equal(lhs, rhs):
    """The equation as it stands: SymPy is not to decide it."""
    return Eq(lhs, rhs, evaluate=False)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def assert_zero(expr, point=None, digits=30):
    """The expression vanishes to the digits asked for, on the scale of its terms."""
    value = evaluate(expr, point or {}, digits)
    scale = mpmath.mpf(2) ** value.scale if value.scale > -oo else 0
    assert abs(value.number) + value.error <= scale * mpmath.mpf(10) ** (1 - digits)


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


# -- derivatives, limits, integrals, sums ---------------------------------------------------------


@pytest.mark.parametrize("order", [(t,), (g,), (t, t), (t, g), (t, t, t), (t, g, g)])
def test_derivatives_of_expectations(order):
    node = Expectation(erf(t + g * G), NORMAL)
    closed = erf(t / sqrt(1 + 2 * g**2)).diff(*order)
    assert_zero(Derivative(node, *order) - closed, {t: R(1, 3), g: R(5, 4)})


@thorough_only
def test_derivative_in_a_covariance():
    node = Expectation(erf(U) * erf(W), PAIR)
    closed = (2 / pi * asin(2 * c / sqrt((1 + 2 * a) * (1 + 2 * b)))).diff(c)
    assert_zero(Derivative(node, c) - closed, {a: R(1, 2), b: R(1, 3), c: -R(1, 8)})


def test_elementary_derivatives_are_those_of_difference_quotients():
    for f in (
        erf(x) * exp(-x * y) / (1 + x**2),
        sqrt(1 + x**2) * log(2 + sin(x)) ** 3,
        erf_prime(x * y) + erf_second(x) + normal_pdf(x) * normal_cdf(2 * x),
        asin(x / 3) * erfi(x) * erfc(x),
    ):
        # A vanishing expectation in front forbids differentiation term by term.
        hidden = f + Expectation(x * G, NORMAL)
        point = {x: R(2, 3), y: R(4, 5)}
        assert_zero(Derivative(f, x) - Derivative(hidden, x), point)


def test_kinks_have_no_derivative():
    with pytest.raises(Inconclusive, match="no derivative"):
        evaluate(Derivative(Abs(t) * Expectation(G**2, NORMAL), t), {t: 0})
    assert_zero(Derivative(Abs(t) * Expectation(G**2, NORMAL), t) + 1, {t: -R(1, 3)})


def test_substitution_into_a_derivative():
    h = Function("h")
    node = Expectation(Subs(Derivative(h(x), x), x, t + g * G), NORMAL)
    closed = Expectation(cos(t + g * G), NORMAL)
    value = evaluate(node - closed, {t: 1, g: R(1, 3)}, functions={h: Lambda(x, sin(x))})
    assert abs(value.number) < 1e-29
    outer = Subs(Derivative(Expectation(erf(t + G), NORMAL), t), t, 2 * g)
    assert_zero(outer - erf_prime(2 * g / sqrt(3)) / sqrt(3), {g: R(1, 3)})


@pytest.mark.parametrize(
    ("integral", "closed"),
    [
        (Integral(exp(-(x**2)), (x, 0, oo)), sqrt(pi) / 2),
        (Integral(exp(-(x**2)) * cos(x), (x, -oo, oo)), sqrt(pi) * exp(-R(1, 4))),
        (Integral(exp(2 * x), (x, -oo, t)), exp(2 * t) / 2),
        (Integral(1 / (1 + x**2), (x, -oo, oo)), pi),
        (Integral(1 / sqrt(1 - x**2), (x, -1, 1)), pi),
        (Integral(x**2, (x, t, 0)), -(t**3) / 3),
        (Integral(3, (x, 0, t)), 3 * t),
        thorough(Integral(x * y, (x, 0, y), (y, 0, t)), t**4 / 8),
        (Integral(Derivative(erf(x), x), (x, 0, t)), erf(t)),
    ],
)
def test_integrals(integral, closed):
    assert_zero(integral - closed, {t: R(4, 3)})


@pytest.mark.parametrize(
    "integral",
    [
        Integral(1 / x, (x, 0, 1)),
        Integral(1, (x, 0, oo)),
        Integral(Abs(x - R(1, 3)), (x, 0, 1)),
        Integral(sin(x), (x, 0, oo)),
        Integral(x, x),
    ],
)
def test_integrals_that_get_no_number(integral):
    with pytest.raises(Inconclusive):
        evaluate(integral, {x: 1})


@pytest.mark.parametrize(
    ("limit", "closed"),
    [
        (Limit(erf(x), x, oo), 1),
        (Limit(erf(x), x, -oo), -1),
        (Limit(x * erf(1 / x), x, oo), 2 / sqrt(pi)),
        (Limit(sin(x) / x, x, 0), 1),
        (Limit(Abs(x) / x, x, 0, "-"), -1),
        (Limit((cos(x) - 1) / x**2, x, 0, "+-"), -R(1, 2)),
    ],
)
def test_limits(limit, closed):
    assert_zero(limit - closed)


@pytest.mark.parametrize(
    "limit", [Limit(sin(pi * x), x, oo), Limit(Abs(x) / x, x, 0, "+-"), Limit(log(x), x, 0)]
)
def test_limits_that_do_not_exist(limit):
    with pytest.raises(Inconclusive):
        evaluate(limit, {})


def test_sums_and_families():
    p, n = IndexedBase("p"), Symbol("n", integer=True, positive=True)
    j, k = symbols("j k", integer=True)
    entries = (R(1, 2), R(1, 3), R(1, 6))
    assert_zero(Sum(p[j], (j, 1, n)) - 1, {p: entries, n: 3})
    assert_zero(Product(p[j], (j, 1, n)) - R(1, 36), {p: entries, n: 3})
    assert_zero(p[2] - R(1, 3), {p[2]: R(1, 3)})
    assert_zero(Sum(p[j] * k, (k, 1, j), (j, 1, 2)) - R(3, 2), {p: entries})
    shadowed = Sum(p[j] * Sum(j, (j, 1, 2)), (j, 1, 3))
    assert_zero(shadowed - 3, {p: entries})
    assert evaluate(Sum(j, (j, 1, 0)), {}).number == 0
    inside = Expectation(Sum(p[j] * G**j, (j, 1, n)), NORMAL)
    assert_zero(inside - p[2], {p: entries, n: 3})
    with pytest.raises(ValueError, match=r"p\[4\]"):
        evaluate(p[4], {p: entries})
    with pytest.raises(Inconclusive, match="not an integer"):
        evaluate(Sum(j, (j, 1, x)), {x: R(5, 2)})


# -- special functions against mpmath -------------------------------------------------------------


@pytest.mark.parametrize(
    ("h", "slope"),
    [thorough(R(1, 2), R(3, 4)), thorough(R(-3, 2), 5), (2, R(-1, 8)), (0, 1), (R(1, 3), 100)],
)
def test_owens_t(h, slope):
    with mpmath.workdps(40):
        square, end = mpmath.mpf(int(R(h).p)) ** 2 / int(R(h).q) ** 2, mpmath.mpf(float(slope))
        reference = mpmath.quad(
            lambda u: mpmath.exp(-square * (1 + u * u) / 2) / (1 + u * u) / (2 * mpmath.pi),
            mpmath.linspace(0, end, 40),
        )
        value = evaluate(OwensT(x, y, evaluate=False), {x: h, y: slope})
        assert abs(value.number - reference) < 1e-30
    far = evaluate(OwensT(x, oo, evaluate=False), {x: h})
    assert abs(far.number - evaluate(erfc(Abs(x) / sqrt(2)) / 4, {x: h}).number) < 1e-30


@thorough_only
@pytest.mark.parametrize(
    ("place", "scale"), [(R(1, 3), R(1, 2)), thorough(R(-5, 4), 2), thorough(0, 1)]
)
def test_zeta(place, scale):
    point = {t: place, g: scale}
    with mpmath.workdps(40):
        T, S = (mpmath.mpf(int(R(v).p)) / int(R(v).q) for v in (place, scale))
        reference = mpmath.quad(
            lambda u: mpmath.erf(T + S * u) ** 2 * mpmath.npdf(u), mpmath.linspace(-14, 14, 29)
        )
        assert abs(evaluate(zeta(t, g, evaluate=False), point).number - reference) < 1e-30


def test_derivatives_of_erf():
    for value in (R(1, 3), R(-5, 2)):
        assert_zero(erf_prime(x) - Derivative(erf(x), x), {x: value})
        assert_zero(erf_second(x) - Derivative(erf(x), x, x), {x: value})


def test_complex_values():
    assert_zero(erf(I * x) - I * erfi(x), {x: R(2, 3)})
    assert_zero((1 + I * x) ** 3 - (1 - 3 * x**2) - I * (3 * x - x**3), {x: R(2, 3)})
    assert_zero(sqrt(-x) - I * sqrt(x), {x: R(2, 3)})


def test_error_bounds_are_honest():
    value = evaluate(exp(x), {x: R(1, 3)}, 20)
    with mpmath.workdps(60):
        assert abs(value.number - mpmath.exp(mpmath.mpf(1) / 3)) <= value.error
    assert value.digits >= 20
    # Here a wave that is long in the direction (1, 1) is the leading error of a lattice.
    product = evaluate(Expectation(erf(U) * erf(W), PAIR), {a: R(1, 4), b: R(8, 3), c: R(1, 2)}, 28)
    with mpmath.workdps(60):
        exact = 2 / mpmath.pi * mpmath.asin(1 / mpmath.sqrt(mpmath.mpf(3) / 2 * 19 / 3))
        assert abs(product.number - exact) <= product.error
    cancelled = evaluate(erfc(x) - exp(-(x**2)) / x, {x: 9}, 25)
    assert cancelled.digits >= 25
    assert str(evaluate(R(1, 2) + x, {x: 1})) == "1.5"


def test_no_short_wave_is_summed_alike_by_both_lattices():
    shifts = [shift / 4096 for shift in _OFFSETS]
    for size in (1, 2, 3, 4):
        for wave in itertools.product((-1, 0, 1), repeat=size):
            turns = sum(k * shift for k, shift in zip(wave, shifts, strict=False))
            assert not any(wave) or abs(turns - round(turns)) > 0.01


def test_precision_of_flint_is_left_alone():
    before = flint.ctx.prec
    evaluate(Expectation(erf(G) ** 2, NORMAL), {}, 50)
    with pytest.raises(Inconclusive):
        evaluate(Expectation(exp(G**2), NORMAL), {})
    assert flint.ctx.prec == before


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


# -- conditional expectations, lines, zeros -----------------------------------------------------


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
