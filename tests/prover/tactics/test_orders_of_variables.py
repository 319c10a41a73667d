"""Means whose Gaussian variables stand in another order are proved equal, and others are not."""

from __future__ import annotations

import pytest
from sympy import Function, Rational, exp, sin, symbols

from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from slrsym.proof import algebra
from tests.prover.tactics._shown import claim_by, equal, refusals

X, Y, r, t = symbols("X Y r t", real=True)
f, g = Function("f", real=True), Function("g", real=True)
half = Rational(1, 2)
one = GaussianLaw({X: 1, Y: t}, [[2, half], [half, 1]])
other = GaussianLaw({Y: t, X: 1}, [[1, half], [half, 2]])
joint = GaussianLaw({X: 0, Y: 0}, [[1, 0], [0, 1]])
unequal = GaussianLaw({Y: t, X: 1}, [[2, half], [half, 1]])


def swapped(integrand, law=one, second=other):
    return equal(Expectation(integrand, law), Expectation(integrand, second))


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(
            swapped(f(X) * g(Y), standard_normal(X, Y), standard_normal(Y, X)), id="apart"
        ),
        pytest.param(swapped(f(X) * g(Y)), id="correlated"),
        pytest.param(swapped(f(X - 2 * Y) * sin(X), joint, standard_normal(Y, X)), id="joint-law"),
        pytest.param(
            equal(
                Expectation(f(X + Y) * (X + Y) ** 2, one),
                Expectation(f(X + Y) * (X**2 + 2 * X * Y + Y**2), other),
            ),
            id="other-form",
        ),
    ],
)
def test_variables_in_another_order(statement):
    assert refusals(claim_by(statement, algebra)) == {}


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(swapped(f(X) * g(Y), one, unequal), id="variances"),
        pytest.param(
            equal(
                Expectation(f(X) * exp(Y), one),
                Expectation(f(Y) * exp(X), other),
            ),
            id="names",
        ),
    ],
)
def test_means_under_other_laws_are_not_equal(statement):
    assert refusals(claim_by(statement, algebra))
