"""Quadratures in more than two directions: Gaussian factors are taken into the weight."""

from __future__ import annotations

import pytest
from sympy import Matrix, N, Rational, asin, erf, exp, eye, pi, sqrt, symbols

from slrsym.crosscheck import evaluate
from slrsym.gaussian import Expectation, GaussianLaw, erf_prime
from slrsym.tactics.laws import _column

X = x, y, z, w = symbols("x y z w", real=True)
ROOT = Matrix([[1, 0, 0, 0], [1, 2, 0, 0], [-1, 1, 1, 0], [2, -1, 1, 3]]) / 3
COVARIANCE = ROOT * ROOT.T


def digits_of(value):
    return str(evaluate(value, {}))[:28]


def test_means_of_exponentials_of_quadratic_forms():
    # |B x - c|^2 of Gaussian x: both linear and quadratic terms, and a mean that is not 0.
    mean = Matrix([Rational(1, 2), -1, 0])
    forms = Matrix([[1, 0, 0], [1, 1, 0], [0, 1, -1]])
    law = GaussianLaw(dict(zip(X[:3], mean, strict=True)), COVARIANCE[:3, :3])
    shift = forms * mean - Matrix([1, 0, 2])
    spread = eye(3) + forms * COVARIANCE[:3, :3] * forms.T
    exact = exp(-(shift.T * spread.inv() * shift)[0] / 2) / sqrt(spread.det())
    integrand = exp(-((x - 1) ** 2) / 2) * exp(-((x + y) ** 2) / 2) * exp(-((y - z - 2) ** 2) / 2)
    assert digits_of(Expectation(integrand, law)) == str(N(exact, 32))[:28]


def test_two_slopes_and_two_outputs():
    law = GaussianLaw(dict.fromkeys(X, 0), COVARIANCE)
    inner = (eye(2) + COVARIANCE[:2, :2]).inv()
    left = COVARIANCE[2:, 2:] - COVARIANCE[2:, :2] * inner * COVARIANCE[:2, 2:]
    sine = left[0, 1] / sqrt((1 + left[0, 0]) * (1 + left[1, 1]))
    exact = 4 / pi**2 * sqrt(inner.det()) * asin(sine)
    slopes = [erf_prime(u / sqrt(2)) / sqrt(2) for u in (x, y)]
    integrand = slopes[0] * slopes[1] * erf(z / sqrt(2)) * erf(w / sqrt(2))
    assert digits_of(Expectation(integrand, law)) == str(N(exact, 32))[:28]


@pytest.mark.parametrize("column", [(x, y), (0, x, -y), (x, 2 * x, -3 * z)])
def test_columns_of_matrices_of_rank_one(column):
    column = Matrix(column)
    matrix = (column * column.T).applyfunc(lambda entry: entry.expand())
    found = Matrix(_column(matrix))
    assert (found * found.T - matrix).applyfunc(lambda entry: entry.expand()).is_zero_matrix


def test_other_matrices_have_no_column():
    assert _column(Matrix([[1, x], [x, 1]])) is None
    assert _column(Matrix([[x**2, -x * y, z], [-x * y, y**2, 0], [z, 0, z**2]])) is None
