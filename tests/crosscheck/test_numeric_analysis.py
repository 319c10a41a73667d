"""Numbers of derivatives, limits, integrals, sums and special functions, each known otherwise."""

from __future__ import annotations

import itertools

import flint
import mpmath
import pytest
from sympy import (
    Abs,
    Derivative,
    Function,
    I,
    IndexedBase,
    Integral,
    Lambda,
    Limit,
    Product,
    Subs,
    Sum,
    Symbol,
    asin,
    cos,
    erf,
    erfc,
    erfi,
    exp,
    log,
    oo,
    pi,
    sin,
    sqrt,
    symbols,
)

from slrsym.crosscheck import Inconclusive, evaluate
from slrsym.crosscheck.ball_quadrature import _OFFSETS
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)
from tests._profile import thorough, thorough_only
from tests.crosscheck.cases import NORMAL, PAIR, G, R, U, W, a, assert_zero, b, c, g, t, x, y

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
