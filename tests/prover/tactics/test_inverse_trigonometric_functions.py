"""Equations of inverse sines and tangents of one angle."""

from __future__ import annotations

import pytest
from sympy import Heaviside, Rational, acos, asin, atan, pi, sqrt, symbols

from slrsym.gaussian import Expectation, GaussianLaw, normal_cdf, standard_normal
from slrsym.proof import algebra, gaussian_calculus
from tests._profile import thorough, thorough_cases, thorough_only
from tests.prover.tactics._shown import claim_by, equal, refusals

b, r, x, G, U, W = symbols("b r x G U W", real=True)
inside = [x > -1, x < 1]


@thorough_cases("half-angle")
@pytest.mark.parametrize(
    ("left", "right", "given"),
    [
        pytest.param(atan(x), asin(x / sqrt(1 + x**2)), [], id="tangent"),
        pytest.param(atan(x) + atan(1 / x), pi / 2, [x > 0], id="reciprocal"),
        pytest.param(atan(x) + atan(1 / x), -pi / 2, [x < 0], id="negative-reciprocal"),
        pytest.param(2 * asin(sqrt((1 - x) / 2)), acos(x), inside, id="half-angle"),
        thorough(asin(x), atan(x / sqrt(1 - x**2)), inside),
        thorough(asin(sqrt(1 - x**2)), acos(x), [x >= 0, x <= 1]),
        thorough(2 * atan(x), asin(2 * x / (1 + x**2)), [x >= -1, x <= 1]),
    ],
)
def test_equations_of_one_angle(left, right, given):
    assert refusals(claim_by(equal(left, right), algebra, given)) == {}


@pytest.mark.parametrize(
    ("left", "right", "given"),
    [
        (atan(x) + atan(1 / x), pi / 2, []),
        (atan(x) + atan(1 / x), pi / 2, [x < 0]),
        (atan(x), asin(x / sqrt(1 - x**2)), inside),
        (atan(x), atan(x) + pi, []),
        thorough(2 * asin(sqrt((1 - x) / 2)), -acos(x), inside),
    ],
)
def test_wrong_equations_of_one_angle(left, right, given):
    assert refusals(claim_by(equal(left, right), algebra, given)) != {}


def quadrant(rho):
    pair = GaussianLaw({U: 0, W: 0}, [[1, rho], [rho, 1]])
    return Expectation(Heaviside(U) * Heaviside(W), pair)


def test_probabilities_of_quadrants_in_either_function():
    half = Expectation(Heaviside(G) * normal_cdf(b * G), standard_normal(G))
    right = Rational(1, 4) + atan(b) / (2 * pi)
    assert refusals(claim_by(equal(half, right), gaussian_calculus)) == {}


@thorough_only
def test_other_probabilities_of_quadrants():
    half = Expectation(Heaviside(G) * normal_cdf(b * G), standard_normal(G))
    right = Rational(1, 4) - atan(b) / (2 * pi)
    assert refusals(claim_by(equal(half, right), gaussian_calculus)) != {}
    right = Rational(1, 4) + atan(r / sqrt(1 - r**2)) / (2 * pi)
    claim = claim_by(equal(quadrant(r), right), gaussian_calculus, [r > -1, r < 1])
    assert refusals(claim) == {}
