"""Online SGD of committees with kinks, whose means are over orthants of four variables."""

from functools import cache

import numpy as np
import pytest
from sympy import Abs, Max, Symbol

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from tests._profile import nightly_only, thorough, thorough_cases, thorough_only
from tests.kernels._cases import BACKENDS

UNITS = {
    "relu": (lambda z: Max(0, z), lambda z: np.maximum(0, z), lambda z: 1.0 * (z > 0)),
    "leaky": (
        lambda z: Max(z, z / 5),
        lambda z: np.maximum(z, z / 5),
        lambda z: np.where(z > 0, 1, 0.2),
    ),
    "size": (Abs, np.abs, np.sign),
}
NOISE, RATE = 0.3, 0.2


@cache
def online(unit, students=2, teachers=2):
    W = [Direction(f"w_{i}") for i in range(students)]
    U = [Direction(f"u_{i}", unit=True) for i in range(teachers)]
    g = UNITS[unit][0]
    data = TokenSequence(
        {Token(target=lambda X: sum(g(X @ x) for x in U)): 1},
        noise=Symbol("sigma", nonnegative=True),
    )
    zero = {U[i] @ U[j]: 0 for i in range(teachers) for j in range(i)}
    learner = model(data, Predictor(lambda X: sum(g(X @ x) for x in W)), inner_products=zero)
    return learner.equations("online-sgd", rate=RATE)


def state_of(e, students, teachers):
    rows = np.concatenate([students, teachers])
    gram = rows @ rows.T
    return np.array([gram[i, j] for i, j, _ in map(e.model.gram_indices.get, e.state)])


@thorough_cases("relu-2-2")
@pytest.mark.parametrize(
    ("unit", "students", "teachers"),
    [("relu", 2, 2), thorough("leaky", 2, 2), thorough("size", 2, 2), thorough("relu", 3, 2)],
)
def test_rates_are_means_over_samples(unit, students, teachers):
    e = online(unit, students, teachers)
    rng, d, count = np.random.default_rng(1), 6, 400_000
    W, U = rng.normal(size=(students, d)) / np.sqrt(d), np.eye(d)[:teachers]
    _, g, slope = UNITS[unit]
    X = rng.normal(size=(count, d))
    error = g(X @ U.T).sum(1) - g(X @ W.T).sum(1) + NOISE * rng.normal(size=count)
    gradient = -2 * error[:, None] * slope(X @ W.T)
    rows = np.concatenate([W, U])
    found = e.compile("numpy")(state_of(e, W, U), NOISE)
    for p, rate in zip(e.state, found, strict=True):
        i, j, _ = e.model.gram_indices[p]
        change = -RATE * gradient[:, i] * (X @ rows[j])
        if j < students:
            change -= RATE * gradient[:, j] * (X @ rows[i])
            change += RATE**2 * gradient[:, i] * gradient[:, j]
        assert abs(change.mean() - rate) < 4 * change.std() / np.sqrt(count), p


@thorough_only
@pytest.mark.parametrize("backend", BACKENDS)
def test_backends_agree(backend):
    e = online("relu")
    rng = np.random.default_rng(2)
    state = state_of(e, rng.normal(size=(2, 5)) / 2, np.eye(5)[:2])
    right = e.compile("numpy")(state, NOISE)
    options = {"dps": 20} if backend in ("mpmath", "ball") else {}
    found = e.compile(backend)([float(x) for x in state], NOISE, **options)
    np.testing.assert_allclose([float(x) for x in found], right, rtol=0, atol=1e-14)


def test_at_the_optimum_nothing_changes_and_noise_moves_lengths():
    e = online("relu")
    U = np.eye(4)[:2]
    at = state_of(e, U, U)
    change = e.compile("numpy")
    assert np.abs(change(at, 0.0)).max() < 1e-15
    # The second moment of noise times a slope, of equal and of independent slopes.
    right = [
        (RATE * 2 * NOISE) ** 2 * (0.5 if i == j else 0.25) if j < 2 else 0
        for i, j, _ in map(e.model.gram_indices.get, e.state)
    ]
    np.testing.assert_allclose(change(at, NOISE), right, atol=1e-15)
    start = dict(zip(e.state, at, strict=True))
    found = e.solve({"sigma": 0}, start, 20, points=3, backend="numpy")
    assert np.abs(found.risk).max() < 1e-10


def test_runs_from_a_drawn_start_to_their_end():
    e = online("relu")
    found = e.solve({"sigma": 0, "d": 400}, "uniform", 60, points=3, rng=3, backend="numpy")
    assert found.risk[-1] < 0.05 * found.risk[0]


def test_where_three_directions_align_rates_are_limits():
    e = online("relu")
    U = np.eye(4)[:2]
    noise = np.random.default_rng(0).normal(size=(2, 4))

    def rate(distance):
        state = state_of(e, U[[0, 0]] + distance * noise, U)
        return e.rate_of_change_at(dict(zip(e.state, state, strict=True)), {"sigma": 0.1})

    assert rate(0) == pytest.approx(rate(1e-7), abs=1e-6)
    assert rate(0) == pytest.approx(rate(1e-5), abs=1e-4)
    found = e.solve({"sigma": 0.1}, dict(zip(e.state, state_of(e, U[[0, 0]], U), strict=True)), 1)
    assert np.isfinite(found.risk).all()


@nightly_only
@pytest.mark.parametrize("unit", ["relu", "leaky"])
def test_runs_in_high_dimension_approach_the_equations(unit):
    e = online(unit)
    rng, runs, time = np.random.default_rng(4), 20, 2
    _, g, slope = UNITS[unit]
    for d in (400, 1600):
        U = np.eye(d)[:2]
        W0 = 0.3 * U + 0.5 * np.eye(d)[2:4]
        found = e.solve({"sigma": NOISE}, dict(zip(e.state, state_of(e, W0, U), strict=True)), time)
        ends = []
        for _ in range(runs):
            W = W0.copy()
            for _ in range(time * d):
                X = rng.normal(size=d)
                z = W @ X
                error = g(U @ X).sum() - g(z).sum() + NOISE * rng.normal()
                W += 2 * RATE / d * error * slope(z)[:, None] * X
            ends.append(state_of(e, W, U))
        limit = np.array([found[p.name].values[-1] for p in e.state])
        spread = np.std(ends, axis=0) / np.sqrt(runs)
        assert (np.abs(np.mean(ends, axis=0) - limit) < 3.5 * spread + 3 / d).all()
