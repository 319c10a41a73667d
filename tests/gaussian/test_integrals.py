"""The integrals that others are reduced to: against SciPy's bivariate normal law."""

from math import sqrt
from typing import Any

import pytest
from scipy.stats import multivariate_normal, norm
from sympy import Matrix, Piecewise, Rational, S, Symbol, expand, eye, zeros

from slrsym.gaussian.integrals import (
    IntegrabilityError,
    complete_square,
    erf_mean,
    erf_product_mean,
)

t = Symbol("t", real=True)
p = Symbol("p", positive=True)
THIRD, HALF = Rational(1, 3), Rational(1, 2)


def mean_of_signs(means: Any, variances: Any, covariance: Any, noise: Any) -> float:
    """Return the mean of a product of erf or signs by the probability that both are positive."""
    # erf(u) is the mean of the sign of u + Z for an independent Z of variance 1/2.
    spread = [[0.0, float(covariance)], [float(covariance), 0.0]]
    for i in range(2):
        spread[i][i] = float(variances[i]) + noise[i] / 2
    h, k = (float(m) / sqrt(spread[i][i]) for i, m in enumerate(means))
    both = multivariate_normal([0, 0], spread).cdf([float(m) for m in means])
    return float(4 * both - 2 * norm.cdf(h) - 2 * norm.cdf(k) + 1)


@pytest.mark.parametrize("noise", [(1, 1), (0, 0), (1, 0), (0, 1)], ids=str)
@pytest.mark.parametrize(
    ("means", "variances", "covariance"),
    [
        ((0, 0), (1, 2), HALF),
        ((0, THIRD), (1, 2), HALF),
        ((-THIRD, 0), (1, 2), -HALF),
        ((THIRD, THIRD), (2, 2), 1),
        ((-THIRD, -THIRD), (2, 2), -HALF),
        ((THIRD, -THIRD), (2, 2), HALF),
        ((-HALF, HALF), (2, 2), -1),
        ((HALF, HALF), (1, 2), HALF),
        ((HALF, -HALF), (1, 2), -1),
        ((-THIRD, HALF), (1, 2), THIRD),
        ((THIRD, 2), (3, 1), -1),
        ((THIRD, 2), (3, 1), 0),
    ],
    ids=str,
)
def test_a_product_of_error_functions(means, variances, covariance, noise):
    found = erf_product_mean(*map(S, (*means, *variances, covariance)), *noise)
    assert abs(float(found) - mean_of_signs(means, variances, covariance, noise)) < 2e-8


def test_means_of_unknown_sign_have_cases_at_zero():
    """Of the five branches, those that are asked for are those that the signs leave open."""
    one, two = S.One, S(2)
    found = erf_product_mean(2 * t, t + THIRD, one, two, HALF)
    assert isinstance(found, Piecewise)
    assert len(found.args) == 3
    for value in (-1, 0, -THIRD, HALF):
        wanted = mean_of_signs((2 * value, value + THIRD), (1, 2), HALF, (1, 1))
        assert abs(float(found.subs(t, value)) - wanted) < 2e-8, value
    assert len(erf_product_mean(p, t, one, two, HALF).args) == 2
    assert len(erf_product_mean(t, p, one, two, HALF).args) == 2
    assert not erf_product_mean(p, -p, one, two, HALF).has(Piecewise)


def test_a_single_error_function():
    for noise in (0, 1):
        found = float(erf_mean(HALF, S(2), noise))
        assert abs(found - (2 * norm.cdf(0.5 / sqrt(2 + noise / 2)) - 1)) < 1e-14


@pytest.mark.parametrize(
    ("form", "semidefinite"),
    [
        ([[p]], True),
        ([[t**2]], True),
        ([[t]], False),
        ([[-1]], False),
        ([[1, 1], [1, 1]], True),
        ([[1, 2], [2, 1]], False),
        ([[0, 0], [0, 1]], True),
        ([[0, 1], [1, 1]], False),
        ([[2, 1, 1], [1, 2, 1], [1, 1, 2]], True),
        ([[1, 0, 1], [0, 1, 1], [1, 1, 2]], True),
        ([[1, 0, 1], [0, 1, 1], [1, 1, 1]], False),
        ([[1, 1, 1], [1, 1, 0], [1, 0, 1]], False),
        ([[4, 2, 0], [2, 1, 0], [0, 0, 0]], True),
    ],
    ids=str,
)
def test_a_semidefinite_form_in_the_exponent_needs_no_condition(form, semidefinite):
    """Else there is one on the variance, which is a symbol of any sign here."""
    size, variance = len(form), Symbol("v", real=True)
    law = [Matrix(form), *2 * [zeros(size, 1)], variance * eye(size)]
    if semidefinite:
        assert expand(complete_square(*law)[1] - (eye(size) + variance * law[0]).det()) == 0
        return
    with pytest.raises(IntegrabilityError, match=r"integrable|integrability"):
        complete_square(*law)
    # Unless who knows more says that it holds.
    if form != [[-1]]:
        complete_square(*law, lambda condition: True)
