"""Sampling the task: it agrees with what was derived, and would not agree with anything else."""

from __future__ import annotations

import numpy as np
import pytest

from slrsym import Task, risk
from slrsym.dynamics.starts import lift
from slrsym.linear import best_linear
from slrsym.montecarlo import linear_risk_estimate, risk_estimate, risk_estimate_vectors

TASK = Task(d=40, L=4, gamma=0.8, epsilon=0.3)
LAM = 0.4
SAMPLES = 100_000


def random_states(count: int, dimension: int = 4, seed: int = 1) -> np.ndarray:
    """Overlaps of random vectors, all far from zero."""
    k, v = np.random.default_rng(seed).standard_normal((2, count, dimension))
    k, v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (k, v))
    return np.stack([k[:, 0], v[:, 1], v[:, 0], k[:, 1], np.sum(k * v, axis=1)], axis=1)


STATES = random_states(6)


@pytest.fixture(scope="module")
def estimate():
    return risk_estimate(STATES, LAM, TASK, SAMPLES)


def deviations(estimate, values):
    return (estimate.value - values) / estimate.error


def test_the_risk_is_what_sampling_gives(estimate):
    assert np.abs(deviations(estimate, risk(STATES, LAM, TASK))).max() < 4


@pytest.mark.parametrize(
    ("state", "lam", "task"),
    [
        (STATES * [1, 1, 1, 1, -1], LAM, TASK),
        (STATES[:, [0, 1, 3, 2, 4]], LAM, TASK),
        (STATES, LAM * 1.05, TASK),
        (STATES, LAM, Task(TASK.d, TASK.L + 1, TASK.gamma, TASK.epsilon)),
        (STATES, LAM, Task(TASK.d, TASK.L, TASK.gamma**2, TASK.epsilon)),
        (STATES, LAM, Task(TASK.d, TASK.L, TASK.gamma, 0.0)),
        (STATES, LAM, Task(TASK.d * 2, TASK.L, TASK.gamma, TASK.epsilon)),
    ],
    ids=["rho", "theta and eta", "lambda", "L", "gamma", "epsilon", "d"],
)
def test_a_wrong_risk_is_noticed(estimate, state, lam, task):
    assert np.abs(deviations(estimate, risk(state, lam, task))).max() > 6


@pytest.mark.parametrize("d", [2, 3, 7])
def test_whole_tokens_have_the_same_risk(d):
    task = Task(d, 3, 0.8, 0.3)
    state = random_states(1, min(d, 4))
    k, v, k_star, v_star = (x[0] for x in lift(state, d))
    whole = risk_estimate_vectors(k, v, k_star, v_star, LAM, task, SAMPLES)
    reduced = risk_estimate(state[0], LAM, task, SAMPLES)
    for estimate in (whole, reduced):
        assert abs(deviations(estimate, risk(state[0], LAM, task))) < 4


def test_error_bars_are_as_long_as_they_say():
    # For losses with such heavy tails, 400 samples are few: the deviations are not quite normal.
    states = np.repeat(STATES[:1], 300, axis=0)
    far = deviations(risk_estimate(states, LAM, TASK, 400), risk(STATES[0], LAM, TASK))
    assert 0.9 < far.std() < 1.15
    assert abs(far.mean()) < 0.3


def test_shapes_and_seeds():
    task = Task(10, 2, 1.0)
    one = risk_estimate(STATES[0], LAM, task, 50)
    assert isinstance(one.value, float)
    many = risk_estimate(STATES.reshape(2, 3, 5), LAM, task, 50)
    assert many.value.shape == many.error.shape == (2, 3)
    assert many.value[0, 0] == one.value
    assert risk_estimate(STATES[0], LAM, task, 50) == one
    assert risk_estimate(STATES[0], LAM, task, 50, seed=1) != one


def test_chunks_are_put_together(monkeypatch):
    whole = risk_estimate(STATES[0], LAM, TASK, 10_001)
    monkeypatch.setattr("slrsym.montecarlo._CHUNK", 1000)
    parts = risk_estimate(STATES[0], LAM, TASK, 10_001)
    assert parts != whole
    assert abs(parts.value - whole.value) < 5 * whole.error
    assert parts.error == pytest.approx(whole.error, rel=0.1)


@pytest.mark.parametrize(
    ("state", "lam", "samples", "said"),
    [
        ([1, 1, 1, 0, 0], 1.0, 10, "state must be feasible"),
        ([1, 1, 0, 0], 1.0, 10, "state must be finite and of shape"),
        ([1, np.nan, 0, 0, 0], 1.0, 10, "state must be finite and of shape"),
        ([1, 1, 0, 0, 0], 0.0, 10, "lam must be positive and finite; got 0.0"),
        ([1, 1, 0, 0, 0], 1.0, 1, "samples must be an integer of at least 2; got 1"),
    ],
)
def test_bad_input(state, lam, samples, said):
    with pytest.raises(ValueError, match=said):
        risk_estimate(state, lam, TASK, samples)


def test_vectors_must_be_as_in_the_task():
    e = np.eye(3)
    task = Task(3, 2, 1.0)
    for vectors, said in (
        ((e[0], e[1], e[0], e[0]), "k_star and v_star must be orthogonal"),
        ((2 * e[0], e[1], e[0], e[1]), "k must be a unit vector; its norm is 2"),
        ((e[0], e[1][:2], e[0], e[1]), r"v must have shape \(3,\); got \(2,\)"),
    ):
        with pytest.raises(ValueError, match=said):
            risk_estimate_vectors(*vectors, 1.0, task, 10)


# -- the linear predictor ----------------------------------------------------------------------

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


def test_one_token_is_linear_regression():
    assert best_linear(Task(50, 1, 0.7, 0.1)).risk == pytest.approx(0.01, rel=1e-12)


def test_the_linear_risk_is_what_sampling_gives():
    task = Task(50, 4, 0.7, 0.1)
    found = best_linear(task)
    estimate = linear_risk_estimate(task, samples=SAMPLES)
    assert abs(deviations(estimate, found.risk)) < 4
    # With other coefficients it is larger, and sampling sees that.
    for changed in (
        0 * found.coefficients,
        found.coefficients + np.array([0.1, 0]),
        2 * found.coefficients,
    ):
        other = linear_risk_estimate(task, changed, SAMPLES)
        assert deviations(other, found.risk) > 6


@pytest.mark.parametrize("p", [[0.5, 0.5], [0.5, 0.6, -0.1, 0], [0.25, 0.25, 0.25, 0.3]])
def test_probabilities_must_be_some(p):
    with pytest.raises(ValueError, match=r"probabilities must be 4 numbers in \[0, 1\] of sum 1"):
        best_linear(TASK, p)


def test_coefficients_must_be_two_for_each_token():
    with pytest.raises(ValueError, match=r"coefficients must have shape \(4, 2\); got \(4,\)"):
        linear_risk_estimate(TASK, np.zeros(4))
