"""Enclosures of Gaussian means: they contain the mean, are narrow, and say why there is none."""

from __future__ import annotations

import mpmath
import pytest
from sympy import (
    Abs,
    E,
    Heaviside,
    Max,
    Min,
    Rational,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    gamma,
    lambdify,
    log,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    sympify,
    tanh,
)

from slrsym.checker import Rejected
from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    NoiseLaw,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    standard_normal,
)
from slrsym.prover.tactics.enclosures import (
    _growth_bound,
    _positive_lower_bound,
    rational_bounds_of_mean,
)

G, U, W, a, z = (Symbol(name, real=True) for name in "GUWaz")
UNIT = standard_normal(G)
SHIFTED = GaussianLaw({U: 1}, [[4]])
# The sum has mean 3 and variance 7, and the difference mean 1 and variance 3.
PAIR = GaussianLaw({U: 1, W: 2}, [[2, 1], [1, 3]])
half, third = Rational(1, 2), Rational(1, 3)


@pytest.mark.parametrize(
    ("of", "law", "mean"),
    [
        (Abs(G), UNIT, sqrt(2 / pi)),
        (sign(G) * G, UNIT, sqrt(2 / pi)),
        (Max(G, 0), UNIT, 1 / sqrt(2 * pi)),
        (Min(0, G), UNIT, -1 / sqrt(2 * pi)),
        (Heaviside(G), UNIT, half),
        (pi * G**2 - E * G**4, UNIT, pi - 3 * E),
        (G * sin(G), UNIT, exp(-half)),
        (cos(2 * G), UNIT, exp(-2)),
        (G * sinh(G), UNIT, exp(half)),
        (cosh(G), UNIT, exp(half)),
        (erfc(G) + G, UNIT, 1),
        (G * erf(G), UNIT, 2 / sqrt(3 * pi)),
        (exp(3 - 2 * G**2), UNIT, exp(3) / sqrt(5)),
        (erf_prime(G), UNIT, 2 / sqrt(3 * pi)),
        (G * erf_second(G), UNIT, -4 / (3 * sqrt(3 * pi))),
        (normal_pdf(G), UNIT, 1 / (2 * sqrt(pi))),
        (normal_cdf(G + 1), UNIT, (1 + erf(half)) / 2),
        (asin(third) * G**2 + acos(third) + atan(2) * G, UNIT, pi / 2),
        (U**2 + U, SHIFTED, 6),
        (pi, UNIT, pi),
        (exp(5 * G), UNIT, exp(Rational(25, 2))),
        (exp((U + W) / 2), PAIR, exp(Rational(19, 8))),
        ((W - U) ** 2, PAIR, 4),
        (W**2, PAIR, 7),
        # By quadrature.
        (tanh(G) ** 2, UNIT, "0.3942944903978411744164597724"),
        (log(1 + G**2), UNIT, "0.5334531798441348312551182053"),
        (G * atan(G), UNIT, "0.6556795424187984715438712307"),
        (sqrt(1 + G**2), UNIT, "1.35453080648131530205311673"),
        (1 / sqrt(1 + G**2), UNIT, "0.7896399592356570827675405785"),
        ((2 + G**2) ** third, UNIT, "1.41732824348247480286372873"),
        ((2 + G**2) ** (-2 * third), UNIT, "0.5180983290635919594868211181"),
        (1 / (3 + exp(G) + Abs(G)), UNIT, "0.2025422468437238330504714776"),
    ],
    ids=str,
)
def test_bounds_contain_the_mean_and_are_narrow(of, law, mean):
    low, high = rational_bounds_of_mean(Expectation(of, law))
    value, rounding = Rational(str(sympify(mean, rational=True).evalf(34))), Rational(1, 10**25)
    assert low - rounding <= value <= high + rounding
    assert high - low < Rational(1, 10**11)


@pytest.mark.parametrize(
    ("of", "law", "said"),
    [
        (tanh(a * G), UNIT, "a has no value here"),
        (Abs(U), NoiseLaw(U, 1), "is not Gaussian"),
        (exp(G**2), UNIT, "**2 grows too fast for the rule"),
        (exp(G**3), UNIT, "how the exponential of "),
        (cosh(G**2), UNIT, "how the exponential of "),
        (exp(6 * G), UNIT, "exp(6*G) grows too fast for the rule"),
        (1 / G, UNIT, " is not known to stay away from zero"),
        (1 / (1 + G), UNIT, " is not known to stay away from zero"),
        (1 / (1 + G**3), UNIT, " is not known to stay away from zero"),
        (log(G**2), UNIT, " is not known to stay away from zero"),
        (gamma(G), UNIT, "how gamma("),
        (G + gamma(third), UNIT, "gamma(1/3) is not enclosed"),
        (U * W, PAIR, "U*W is not a function of one affine form"),
        (G * Expectation(tanh(U), SHIFTED), UNIT, "an expectation within another one"),
    ],
    ids=str,
)
def test_why_there_is_no_enclosure(of, law, said):
    with pytest.raises(Rejected) as refused:
        rational_bounds_of_mean(Expectation(of, law))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "of",
    [
        3 - z,
        z * Abs(z) + Min(z, 2) - Max(z, -3, 1),
        (2 * z - 1) ** 5 / 7,
        Abs(3 * z) ** third,
        sqrt(Abs(z) / 9),
        erf(z) + 2 * tanh(z) - sin(z) * cos(z),
        sign(z) * Heaviside(z),
        normal_cdf(z) - normal_pdf(z),
        erfc(z),
        atan(z),
        2 * erf_prime(z),
        erf_second(z),
        exp(3 * z - 2),
        exp(1 + z - z**2 / 9),
        sinh(2 * z - 1),
        cosh(1 - 3 * z),
        log(Rational(1, 100) + z**2),
        log(4 + z**4 * exp(z)),
        1 / (third + z**2),
        (2 + cosh(z)) ** (-third),
        1 / sqrt(half + 3 * Abs(z) + z**2 * Abs(z)),
    ],
    ids=str,
)
def test_a_function_stays_below_its_growth_bound(of):
    size, rate = (float(x.upper()) for x in _growth_bound(of, z))
    value = lambdify(z, of.doit(), "mpmath")
    for k in range(-15, 16):
        x = mpmath.mpf(k * abs(k)) / 4
        assert abs(value(x)) <= size * mpmath.exp(rate * abs(x)) * (1 + 1e-12)


AT_MOST = [
    (pi, pi, 0),
    (exp(0) - 4, 3, 0),
    # |z| exp(-|z|/4) is largest at 4.
    (z, 4 / E, Rational(1, 4)),
    (-2 * z, 8 / E, Rational(1, 4)),
    (z**2, 16 / E**2, half),
    (z + 3 - exp(2 * z), 4 / E + 4, 2),
    (Max(z, 2), 4 / E + 2, Rational(1, 4)),
    (Abs(exp(z)), 1, 1),
    (z * exp(2 * z), 4 / E, Rational(9, 4)),
    (exp(3 * z - 2), exp(2), 3),
    (exp(1 + z - z**2), E, 1),
    (sinh(2 * z - 1), E, 2),
    (cosh(1 - z), E, 1),
    (sqrt((2 * cosh(z) + exp(z)) / 8), 1, half),
    (sqrt(4 * exp(z)), 2, half),
    (log(half + z**2), half + 16 / E**2 + 2, half),
    (1 / (2 + z**2), half, 0),
    (1 / sqrt(4 + Abs(z)), half, 0),
    *((f(z), 1, 0) for f in (erf, tanh, sin, cos, sign, Heaviside, normal_cdf, normal_pdf)),
    *((f(z), 2, 0) for f in (erfc, atan, erf_prime, erf_second)),
]


@pytest.mark.parametrize(("of", "size", "rate"), AT_MOST, ids=str)
def test_growth_bounds(of, size, rate):
    found = _growth_bound(of, z)
    for bound, value in zip(found, (size, rate), strict=True):
        assert float(bound.mid()) == pytest.approx(float(value), rel=1e-14)


@pytest.mark.parametrize(
    ("of", "low"),
    [
        (2 + z**2, 2),
        (third + Abs(z) * cosh(z) + 2 * exp(z) * z**4, third),
        (z**2, None),
        (z**2 - 1, None),
        (2 + z**3, None),
        (2 + sqrt(z), None),
        (2 - z**2, None),
        (2 + z * cosh(z), None),
        (2 + z + z**2, None),
    ],
    ids=str,
)
def test_positive_lower_bounds(of, low):
    if low is None:
        with pytest.raises(Rejected, match="is not known to stay away from zero"):
            _positive_lower_bound(of, z)
    else:
        assert float(_positive_lower_bound(of, z)) == pytest.approx(float(low), rel=1e-14)
