"""The best linear predictor: from second moments in full, and as Proposition 3 says."""

from fractions import Fraction

import numpy as np
import pytest

from slrsym.papers.single_location import Task
from slrsym.papers.single_location.linear import best_linear

TASK = Task(d=40, L=4, gamma=0.8, epsilon=0.3)
PROBABILITIES = np.array([0.5, 0.3, 0.2, 0.0])


def moments_in_full(task: Task, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Second moments of all coordinates of all tokens, and with the output, location by location.

    The true directions are the first two axes.
    """
    size = task.L * task.d
    second, cross = np.zeros((size, size)), np.zeros(size)
    for place, weight in enumerate(p):
        mean, variance = np.zeros(size), np.ones(size)
        mean[place * task.d] = np.sqrt(task.d / 2)
        variance[place * task.d : (place + 1) * task.d] = task.gamma**2
        second += weight * (np.diag(variance) + np.outer(mean, mean))
        cross[place * task.d + 1] += weight * task.gamma**2
    return second, cross


@pytest.mark.parametrize("p", [PROBABILITIES, None], ids=["unequal", "equal"])
def test_the_small_systems_are_the_whole_one(p):
    task = Task(5, 4, 0.7, 0.2)
    weights = np.full(4, 0.25) if p is None else p
    second, cross = moments_in_full(task, weights)
    beta = np.linalg.solve(second, cross)
    found = best_linear(task, p)
    assert np.allclose(found.coefficients, beta.reshape(4, 5)[:, :2], atol=1e-14)
    assert np.allclose(beta.reshape(4, 5)[:, 2:], 0, atol=1e-14)
    assert found.risk == pytest.approx(task.gamma**2 + task.epsilon**2 - cross @ beta, rel=1e-14)


@pytest.mark.parametrize("gamma", [0.3, 1.0, 2.0])
def test_proposition_3(gamma):
    task = Task(50, 4, gamma, 0.1)
    g = gamma**2
    p = PROBABILITIES
    found = best_linear(task, p)
    assert found.risk == pytest.approx(
        0.01 + g - g**2 * np.sum(p**2 / (1 + (g - 1) * p)), rel=1e-13
    )
    assert np.allclose(found.coefficients[:, 1], g * p / (1 + p * (g - 1)), atol=1e-14)
    assert not found.coefficients[:, 0].any()
    assert best_linear(task).risk == pytest.approx(0.01 + g - g**2 / (4 + g - 1), rel=1e-13)


@pytest.mark.parametrize("gamma", [1e-6, 1e3, 1e6, 1e9, 1e100])
@pytest.mark.parametrize("p", [[0.5, 0.25, 0.25, 0.0], None], ids=["unequal", "equal"])
def test_the_risk_keeps_its_digits(gamma, p):
    """Where it is a small part of the variance of the output, by fractions."""
    square = Fraction(gamma * gamma)
    weights = [Fraction(x) for x in p or [0.25] * 4]
    explained = sum(w**2 * square**2 / (1 + (square - 1) * w) for w in weights)
    found = best_linear(Task(50, 4, gamma), p).risk
    assert found == pytest.approx(float(square - explained), rel=1e-14)


def test_one_token_is_linear_regression():
    assert best_linear(Task(50, 1, 0.7, 0.1)).risk == pytest.approx(0.01, rel=1e-12)


@pytest.mark.parametrize("p", [[0.5, 0.5], [0.5, 0.6, -0.1, 0], [0.25, 0.25, 0.25, 0.3]])
def test_probabilities_must_be_some(p):
    with pytest.raises(ValueError, match=r"probabilities must be 4 numbers in \[0, 1\] of sum 1"):
        best_linear(TASK, p)


def test_probabilities_must_be_numbers():
    with pytest.raises(ValueError, match="probabilities must be real numbers; got 'even'"):
        best_linear(TASK, "even")
