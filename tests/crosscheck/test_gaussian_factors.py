"""Quadratures in two directions and more: Gaussian factors are taken into the weight."""

from __future__ import annotations

import pytest
from mpmath import mp, mpf
from sympy import Abs, Heaviside, Matrix, N, Rational, asin, cos, erf, exp, eye, pi, sqrt, symbols

from slrsym.crosscheck import evaluate, expectations
from slrsym.crosscheck.gaussian_factors import split_off_gaussian_exponent
from slrsym.gaussian import Expectation, GaussianLaw, erf_prime, standard_normal
from slrsym.prover.tactics.existence_of_laws_and_expectations import _rank_one_factor
from tests._profile import thorough_only

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


def outer_integral(function, breaks, mean=0):
    """Integrate over x of variance 1 to 35 digits."""
    with mp.workdps(35):
        total = mp.quad(
            lambda t: mp.npdf(t, mean) * mp.exp(-(t**2) / 4) * function(t),
            [-14, -4, *breaks, 4, 14],
        )
        return str(total)[:28]


@pytest.fixture
def absorbed(monkeypatch):
    """Count the integrals whose Gaussian factors were taken into the weight."""
    found, original = [], expectations.absorb_exponential_into_density

    def counted(exponent, *rest):
        found.append(exponent)
        return original(exponent, *rest)

    monkeypatch.setattr(expectations, "absorb_exponential_into_density", counted)
    return found


# The reference has the integral over y in closed form: exp(-(x - y)^2/2) times the density of y is
# exp(-x^2/4) times that of a Gaussian with mean x/2 and variance 1/2, over the root of 2.


@thorough_only
def test_two_directions(absorbed):
    law = GaussianLaw({x: Rational(1, 2), y: 0}, eye(2))
    found = digits_of(Expectation(exp(-((x - y) ** 2) / 2) * erf(x) * erf(y), law))
    assert absorbed
    assert found == outer_integral(
        lambda t: mp.erf(t) * mp.erf(t / mp.sqrt(8)) / mp.sqrt(2), [0, 1], mpf(1) / 2
    )


# The forms do not vary, or the factor is narrow.
@thorough_only
def test_kinks_move_with_the_variables(absorbed):
    integrand = exp(-((x - y) ** 2) / 2) * Heaviside(x + y - Rational(1, 3)) * Abs(x)
    found = digits_of(Expectation(integrand, standard_normal(x, y)))
    assert absorbed
    assert found == outer_integral(
        lambda t: abs(t) * mp.erfc(mpf(1) / 3 - 3 * t / 2) / mp.sqrt(8), [0, mpf(2) / 9, 1]
    )


def test_kinks_of_forms_that_do_not_vary(absorbed):
    # y is a multiple of x - 1, and so the argument of the step is 2/3.
    law = GaussianLaw({x: 1, y: 0, z: 0}, [[3, sqrt(6), 0], [sqrt(6), 2, 0], [0, 0, 1]])
    smooth = exp(-((x - z) ** 2)) * cos(x) * cos(z)
    step = Heaviside(x - sqrt(Rational(3, 2)) * y - Rational(1, 3))
    assert digits_of(Expectation(smooth * step, law)) == digits_of(Expectation(smooth, law))
    assert absorbed


def test_exponents_with_noise_stay():
    noise = symbols("xi", real=True)
    integrand = exp(noise * x) * exp(-(y**2)) * cos(x + y)
    _, rest, exponent = split_off_gaussian_exponent(
        integrand, frozenset((x, y)), frozenset((x, y, noise))
    )
    assert (rest, exponent) == (exp(noise * x) * cos(x + y), -(y**2))


def test_a_narrow_factor():
    # One of width 1/1000 leaves the value at x = y + 1, but for 1 part in a million.
    narrow = sqrt(10**6 / pi) * exp(-(10**6) * (x - y - 1) ** 2)
    integrand = narrow * erf(x) * Heaviside(x) * exp(y)
    found = float(digits_of(Expectation(integrand, standard_normal(x, y))))
    line = mp.quad(lambda t: mp.npdf(t) * mp.npdf(t - 1) * mp.erf(t) * mp.exp(t - 1), [0, 1, 3, 12])
    assert found == pytest.approx(float(line), rel=1e-5)


@pytest.mark.parametrize("column", [(x, y), (0, x, -y), (x, 2 * x, -3 * z)])
def test_columns_of_matrices_of_rank_one(column):
    column = Matrix(column)
    matrix = (column * column.T).applyfunc(lambda entry: entry.expand())
    found = Matrix(_rank_one_factor(matrix))
    assert (found * found.T - matrix).applyfunc(lambda entry: entry.expand()).is_zero_matrix


def test_other_matrices_have_no_column():
    assert _rank_one_factor(Matrix([[1, x], [x, 1]])) is None
    assert _rank_one_factor(Matrix([[x**2, -x * y, z], [-x * y, y**2, 0], [z, 0, z**2]])) is None
