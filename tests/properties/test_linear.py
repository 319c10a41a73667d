"""Proposition 3: no linear predictor beats the formula, whatever the locations' probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slrsym.papers.single_location.linear import best_linear
from slrsym.papers.single_location.testing.strategies import log_uniform, tasks

from ._examples import EPS

TASKS = tasks(d=(2, 400), L=(1, 12))


@st.composite
def tasks_with_locations(draw):
    """A task, and how probable each location is: even, any, or certain."""
    task = draw(TASKS)
    weights = draw(
        st.just([1.0] * task.L)
        | st.lists(log_uniform(1e-3, 1.0), min_size=task.L, max_size=task.L)
        | st.integers(0, task.L - 1).map(lambda i: np.eye(task.L)[i].tolist())
    )
    return task, np.array(weights) / np.sum(weights)


def formula(task, p):
    """Coefficients along v*, and the risk, as they stand in the paper."""
    square = task.gamma**2
    share = p / (1 + p * (square - 1))
    return square * share, task.epsilon**2 + square - square**2 * np.sum(p * share)


def rounding(task):
    """What rounding may make of a risk, in which the variances are added and taken off again."""
    return 64 * EPS * (1 + task.gamma**2 + task.epsilon**2)


def risk_of(beta, task, p):
    """Of any linear predictor, (L, d), by expanding the square; k* and v* are the first axes.

    Given the location l, the output is the coordinate along v* of X_l, which has the variance
    gamma^2 in every direction about sqrt(d / 2) k*; the others are centred, of variance 1.
    """
    square, drift = task.gamma**2, np.sqrt(task.d / 2)
    norms = np.sum(beta**2, axis=1)
    total = 0.0
    for location, weight in enumerate(p):
        others = norms.sum() - norms[location]
        error = beta[location].copy()
        error[1] -= 1.0
        total += weight * (square * (error @ error) + (drift * beta[location, 0]) ** 2 + others)
    return total + task.epsilon**2


@given(tasks_with_locations())
def test_the_best_linear_predictor_is_that_of_the_formula(task_and_p):
    task, p = task_and_p
    coefficients, risk = formula(task, p)
    best = best_linear(task, p)
    assert best.risk == pytest.approx(risk, abs=rounding(task))
    assert best.coefficients[:, 1] == pytest.approx(coefficients, rel=1e-12)
    assert np.abs(best.coefficients[:, 0]).max() <= 1e-12 * coefficients.max()


@given(tasks_with_locations(), st.integers(0, 2**32), log_uniform(1e-4, 10.0))
def test_no_linear_predictor_is_better(task_and_p, seed, size):
    task, p = task_and_p
    coefficients, least = formula(task, p)
    best = np.zeros((task.L, task.d))
    best[:, 1] = coefficients
    slack = task.L * rounding(task)
    assert risk_of(best, task, p) == pytest.approx(least, abs=slack)
    rng = np.random.default_rng(seed)
    for move in (
        rng.standard_normal((task.L, task.d)),
        # In the plane that matters, and for one token only.
        np.pad(rng.standard_normal((task.L, 2)), ((0, 0), (0, task.d - 2))),
        np.eye(task.L)[:, [rng.integers(task.L)]] * rng.standard_normal(task.d),
    ):
        move = size * move / np.linalg.norm(move)
        there, opposite = (risk_of(best + sign * move, task, p) for sign in (1, -1))
        assert min(there, opposite) >= least - slack
        # A minimum, not only a lower bound: what is linear in the move vanishes.
        assert there - opposite == pytest.approx(0, abs=1e-10 * (1 + there))


@given(tasks_with_locations())
def test_the_lower_bound_of_the_risk(task_and_p):
    task, p = task_and_p
    square = task.gamma**2
    bound = task.epsilon**2 + square * (1 - max(1.0, square) * np.sum(p**2))
    assert best_linear(task, p).risk >= bound - rounding(task)
    even = best_linear(task).risk
    exact = task.epsilon**2 + square - square**2 / (task.L + square - 1)
    assert even == pytest.approx(exact, abs=rounding(task))


@given(tasks_with_locations(), st.randoms(use_true_random=False))
def test_tokens_may_change_places(task_and_p, random):
    task, p = task_and_p
    order = list(range(task.L))
    random.shuffle(order)
    before, after = best_linear(task, p), best_linear(task, p[order])
    assert after.risk == pytest.approx(before.risk, abs=rounding(task))
    assert after.coefficients == pytest.approx(before.coefficients[order], rel=1e-12, abs=1e-300)
