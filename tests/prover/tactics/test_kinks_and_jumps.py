"""Means of functions with a kink or a jump, proved from the table without an axiom of their own."""

from __future__ import annotations

import pytest
from sympy import Abs, Heaviside, Integer, Max, Min, Rational, Symbol, cos, exp, pi, sign, sqrt

from slrsym.gaussian import Expectation, GaussianLaw, normal_cdf, normal_pdf, standard_normal
from slrsym.proof import gaussian_calculus
from tests._profile import thorough, thorough_only
from tests.prover.tactics._shown import claim_by, equal, refusals

a, m, r, x = (Symbol(name, real=True) for name in "amrx")
s = Symbol("s", positive=True)
G, U, W, X = (Symbol(name, real=True) for name in "GUWX")
MOVED = GaussianLaw({X: m}, [[s**2]])
PAIR = GaussianLaw({U: 0, W: 0}, [[1, r], [r, 1]])
w = (m - a) / s


def E(integrand, law=None):
    return Expectation(integrand, law or standard_normal(G))


def is_proved(left, right, given=()):
    return refusals(claim_by(equal(left, right), gaussian_calculus, given)) == {}


@pytest.mark.parametrize(
    ("mean", "value"),
    [
        (E(Max(G - a, 0) ** 2), (1 + a**2) * normal_cdf(-a) - a * normal_pdf(a)),
        (
            E(Max(X, a) ** 2, MOVED),
            a**2 * normal_cdf(-w) + (m**2 + s**2) * normal_cdf(w) + (m + a) * s * normal_pdf(w),
        ),
        # No rounding and no bound decides far in the tail.
        (E(Max(G - 40, 0) ** 2), 1601 * normal_cdf(-40) - 40 * normal_pdf(40)),
        (E(G**2 * Heaviside(G - a)), a * normal_pdf(a) + normal_cdf(-a)),
        thorough(
            E(Max(X - a, 0) ** 2, MOVED),
            ((m - a) ** 2 + s**2) * normal_cdf(w) + (m - a) * s * normal_pdf(w),
        ),
        thorough(E(G**2 * Abs(G)), 2 * sqrt(2 / pi)),
        thorough(
            E(Max(G - a, 0) ** 3), (a**2 + 2) * normal_pdf(a) - (a**3 + 3 * a) * normal_cdf(-a)
        ),
        thorough(
            E(Min(X, a) ** 2, MOVED),
            a**2 * normal_cdf(w) + (m**2 + s**2) * normal_cdf(-w) - (m + a) * s * normal_pdf(w),
        ),
    ],
)
def test_moments_beside_a_kink(mean, value):
    assert is_proved(mean, value)


@pytest.mark.parametrize(
    ("mean", "value"),
    [
        (E(G**2 * Abs(G)), sqrt(2 / pi)),
        (E(Max(G - 1, 0) ** 2), 2 * normal_cdf(-1) + normal_pdf(1)),
    ],
)
def test_moments_beside_a_false_value(mean, value):
    assert not is_proved(mean, value)


@thorough_only
def test_the_larger_of_two_that_are_shifted():
    spread = sqrt(2 - 2 * r)
    value = (1 + a**2) * normal_cdf(-a / spread) + normal_cdf(a / spread)
    value -= a * spread * normal_pdf(a / spread)
    given = (r > -1, r < 1)
    assert is_proved(E(Max(U - a, W) ** 2, PAIR), value, given)


@pytest.mark.parametrize("of", [Max(X - a, 0) ** 2, Max(X, a) ** 2])
def test_a_variance_of_zero(of):
    assert is_proved(E(of, GaussianLaw({X: m}, [[0]])), of.subs(X, m))


def test_a_variance_that_may_be_zero():
    """Where it is 0, the value divides by 0."""
    v = Symbol("v", nonnegative=True)
    value = v * normal_cdf(m / sqrt(v)) + m**2 * normal_cdf(m / sqrt(v))
    value += m * sqrt(v) * normal_pdf(m / sqrt(v))
    mean = E(Max(X, 0) ** 2, GaussianLaw({X: m}, [[v]]))
    assert is_proved(mean, value, (v > 0,))
    assert not is_proved(mean, value)


@pytest.mark.parametrize(
    ("even", "whole"), [(cos(a * G), exp(-(a**2) / 2)), (G**4, Integer(3)), (G**2, Integer(1))]
)
def test_an_even_function_on_a_half_line(even, whole):
    assert is_proved(E(even * Heaviside(G)), whole / 2)
    assert is_proved(E(even * sign(G)), Integer(0))


def test_a_function_that_is_not_even_on_a_half_line():
    assert not is_proved(E(cos(a + G) * Heaviside(G)), E(cos(a + G)) / 2)
    assert not is_proved(E((G + 1) ** 2 * Heaviside(G)), Rational(1))
