"""Numbers for integrands that jump at integers or on curves, which have no closed form here."""

import math

import numpy as np
import pytest
from mpmath import mp
from sympy import (
    Abs,
    And,
    Eq,
    Float,
    Max,
    Piecewise,
    Rational,
    S,
    cbrt,
    ceiling,
    erf,
    erfc,
    exp,
    floor,
    frac,
    lambdify,
    sign,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, expectation, standard_normal
from tests._profile import thorough

x, y, z = symbols("x y z", real=True)
HALF = Rational(1, 2)
ONE, PAIR = standard_normal(x), standard_normal(x, y)
BENT = GaussianLaw({x: 1, y: 0}, [[2, 1], [1, 1]])
LINE = GaussianLaw({x: 0, y: 1}, [[1, 2], [2, 4]])


def one_if(condition):
    return Piecewise((1, condition), (0, True))


def between_integers(integrand, mean, deviation):
    """Integrate between multiples of 1/2, at which alone the integrand may jump."""
    function = lambdify(x, integrand, "mpmath")
    ends = [mp.mpf(k) / 2 for k in range(-40, 41)]
    return mp.quad(lambda t: function(t) * mp.npdf(t, mean, deviation), ends)


@pytest.mark.parametrize(
    "integrand",
    [
        floor(x),
        frac(x) ** 2,
        x * ceiling(x),
        floor(2 * x - 1) * sign(x - HALF),
        floor(x) ** 2 * erf(x),
        one_if(floor(x) >= 1) * x,
        one_if(Eq(ceiling(x), 2)),
        Max(floor(x), 0),
        Abs(frac(x) - HALF),
    ],
    ids=str,
)
def test_between_integers(integrand):
    found = Expectation(integrand, GaussianLaw({x: 1}, [[2]])).evalf(12)
    expected = Float(between_integers(integrand, mp.mpf(1), mp.sqrt(2)), 20)
    assert abs(found - expected) < 1e-12 * max(abs(expected), 1)


@pytest.mark.parametrize(
    ("integrand", "law", "exact"),
    [
        (floor(x), ONE, -HALF),
        (floor(x) * y, PAIR, S.Zero),
        (floor(x - y), GaussianLaw({x: 1, y: 1}, [[1, 1], [1, 1]]), S.Zero),
        (one_if(x**3 - x > 6), ONE, erfc(sqrt(2)) / 2),
        (one_if(x**3 - 3 * x**2 + 3 * x > 3), ONE, erfc((1 + cbrt(2)) / sqrt(2)) / 2),
        (one_if(x**2 + y**2 < 1), LINE, erf(Rational(4, 5) / sqrt(2)) / 2),
        (one_if(x * y > 2), GaussianLaw({x: 0, y: 0}, [[1, 2], [2, 4]]), erfc(1 / sqrt(2))),
    ],
    ids=str,
)  # fmt: skip
def test_exact_values(integrand, law, exact):
    assert abs(Expectation(integrand, law).evalf(15) - exact) < 1e-14


def by_polar_coordinates(integrand, law):
    """Sum over a grid of radii and angles, with an error of about its spacing."""
    radii, angles = np.meshgrid((np.arange(1500) + 0.5) / 200, (np.arange(720) + 0.5) * np.pi / 360)
    root = np.linalg.cholesky(np.array(law.cov, dtype=float))
    plane = np.array([radii * np.cos(angles), radii * np.sin(angles)])
    first, second = np.einsum("ij,jkl->ikl", root, plane)
    shift = [float(m) for m in law.mean.values()]
    values = lambdify((x, y), integrand, "numpy")(first + shift[0], second + shift[1])
    return float(np.sum(values * radii * np.exp(-(radii**2) / 2)) / 200 / 720)


@pytest.mark.parametrize(
    ("integrand", "law"),
    [
        (one_if(x**2 + y**2 < 1), PAIR),
        thorough(one_if(x**2 + y**2 < 1), BENT),
        thorough(x**2 * one_if(And(x**2 + y**2 < 1, x > y)), PAIR),
        (one_if(x * y > 1), PAIR),
        thorough(Abs(x**2 - y), BENT),
        thorough(Max(x * y, 1), BENT),
        thorough(one_if(x**2 - 2 * y**2 > 0) * x, BENT),
        thorough(one_if(x**2 + y**2 < 3) * one_if((x - 1) ** 2 + y**2 < 1), PAIR),
        thorough(floor(x + y) * x, BENT),
        thorough(floor(x) * floor(y), BENT),
    ],
    ids=str,
)
def test_in_two_dimensions(integrand, law):
    assert expectation(integrand, law).has(Expectation)
    expected = by_polar_coordinates(integrand, law)
    assert abs(Expectation(integrand, law).evalf(6) - expected) < 2e-3 * (1 + abs(expected))


def test_the_disc_to_all_digits():
    found = Expectation(one_if(x**2 + y**2 < 1), PAIR).evalf(12)
    assert abs(found - (1 - exp(-HALF)).evalf(20)) < 1e-12


@pytest.mark.parametrize(
    ("integrand", "law", "reason"),
    [
        (one_if(x**2 + y**2 + z**2 < 1), standard_normal(x, y, z),
         "it bends or jumps in 3 independent directions"),
        (one_if(exp(x) + y > 1), PAIR,
         r"where y \+ exp\(x\) - 1 vanishes is not known, and the integrand bends there"),
        (floor(1000 * x), ONE, "floor of 1000\\*x jumps more than 1000 times"),
        (one_if(x > 200), ONE, "its digits are not found; it may be 0"),
    ],
)  # fmt: skip
def test_what_has_no_number_says_why(integrand, law, reason):
    node = Expectation(integrand, law)
    with pytest.warns(UserWarning, match=rf"E\[.*\] has no number here: {reason}"):
        assert node.evalf(6) == node


def test_radii_of_the_reference():
    assert math.isclose(by_polar_coordinates(x**2 + y**2, BENT), 4, rel_tol=1e-4)
