"""Stochastic gradient descent: exact in law in the overlaps, whatever the dimension."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf
from scipy.stats import ks_2samp

from slrsym.dynamics import Sphere
from slrsym.dynamics.engines import NumpyEngine
from slrsym.dynamics.stochastic import (
    LEAST_DIMENSION,
    StochasticEngine,
    StochasticVectorEngine,
    token_program,
)
from slrsym.kernels.numpy_backend import numpy_parts
from slrsym.task import Task

RUNS = 3000


def spread(task, seed):
    """One start, for many runs."""
    return np.repeat(Sphere(1, seed).overlaps(task), RUNS, axis=0)


@pytest.mark.parametrize(
    ("d", "tokens", "batch"),
    [(6, 2, 1), (7, 1, 3), (20, 10, 5), (60, 4, 2)],
    ids=["least", "one token", "more tokens than dimensions", "fewer"],
)
def test_the_law_is_that_of_vectors(d, tokens, batch):
    task, lam = Task(d, tokens, 0.8, 0.3), np.full(6, 0.7)
    states = spread(task, d)
    reduced = StochasticEngine(states, task, 0.05, batch, seed=1).advance(lam, 3)
    full = StochasticVectorEngine(states, task, 0.05, batch, seed=2).advance(lam, 3)
    for row in range(2):
        for i in range(5):
            # Of forty tests in all, one in a hundred thousand fails by chance.
            assert ks_2samp(reduced[row, :, i], full[row, :, i]).pvalue > 2.5e-7
    # The test would notice another spread of the informative token.
    other = Task(d, tokens, 1.6, 0.3)
    wrong = StochasticEngine(states, other, 0.05, batch, seed=1).advance(lam, 3)
    assert min(ks_2samp(wrong[1, :, i], full[1, :, i]).pvalue for i in range(5)) < 1e-6


def test_the_drift_is_the_step_of_the_population():
    task, alpha, lam = Task(30, 4, 0.8, 0.3), 1e-7, np.full(1, 0.7)
    start = Sphere(1, 7).overlaps(task)
    states = np.repeat(start, 40_000, axis=0)
    moved = (StochasticEngine(states, task, alpha, 1, seed=3).advance(lam, 1)[0] - states) / alpha
    expected = (NumpyEngine(start, task, alpha).advance(lam, 1)[0, 0] - start[0]) / alpha
    error = moved.std(axis=0) / np.sqrt(len(moved))
    assert (np.abs(moved.mean(axis=0) - expected) < 4.5 * error).all()
    # And the errors are small enough to tell it from no drift.
    assert (np.abs(expected) > 9 * error).all()


def test_both_backends_draw_the_same_numbers():
    pytest.importorskip("numba", reason="numba is not installed")
    task, lam = Task(80, 10, 0.7, 0.1), 2 / (1 + 1e-3 * np.arange(60))
    states = Sphere(3, 1).overlaps(task)
    one, other = (
        StochasticEngine(states, task, 1e-3, 5, backend).advance(lam, 20)
        for backend in ("numpy", "numba")
    )
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("engine", [StochasticEngine, StochasticVectorEngine])
def test_a_run_does_not_depend_on_those_beside_it(engine):
    task, lam = Task(9, 3, 0.7, 0.1), np.full(8, 0.5)
    states = Sphere(4, 2).overlaps(task)
    whole = engine(states, task, 1e-2, 2).advance(lam, 4)
    alone = engine(states[:2], task, 1e-2, 2).advance(lam, 4)
    np.testing.assert_allclose(whole[:, :2], alone, rtol=0, atol=1e-14)
    assert not np.allclose(whole[:, 2], whole[:, 3])


def test_the_numbers_do_not_depend_on_what_is_noted():
    task, lam = Task(9, 3, 0.7, 0.1), np.full(12, 0.5)
    states = Sphere(2, 2).overlaps(task)
    often = StochasticEngine(states, task, 1e-2, 2).advance(lam, 1)
    seldom = StochasticEngine(states, task, 1e-2, 2)
    np.testing.assert_array_equal(often[5], seldom.advance(lam[:6], 6)[0])
    np.testing.assert_array_equal(often[11], seldom.advance(lam[6:], 6)[0])


def test_overlaps_stay_feasible():
    task, lam = Task(6, 5, 2.0, 0.5), np.full(200, 1.5)
    states = StochasticEngine(Sphere(20, 4).overlaps(task), task, 0.5, 1).advance(lam, 1)
    kappa, nu, theta, eta, rho = np.moveaxis(states, 2, 0)
    room = np.sqrt((1 - kappa**2 - eta**2) * (1 - theta**2 - nu**2))
    assert (np.abs(rho - kappa * theta - eta * nu) <= room + 1e-9).all()


def test_too_few_dimensions():
    task = Task(LEAST_DIMENSION - 1, 3, 0.7)
    with pytest.raises(ValueError, match="d must be at least 6 for batches in the overlaps; got 5"):
        StochasticEngine(Sphere(2).overlaps(task), task, 1e-2, 2)
    StochasticVectorEngine(Sphere(2).overlaps(task), task, 1e-2, 2).advance(np.full(2, 0.5), 1)


def test_the_weights_are_derivatives_of_the_prediction():
    constants, body = numpy_parts(token_program())
    u, w = np.random.default_rng(0).standard_normal((2, 50))
    fixed, h = constants(0.7), 1e-6
    part, part_u, part_w = body(u, w, *fixed)
    np.testing.assert_allclose(part, erf(0.7 * u) * w, rtol=1e-15)
    for slope, (du, dw) in ((part_u, (h, 0)), (part_w, (0, h))):
        difference = body(u + du, w + dw, *fixed)[0] - body(u - du, w - dw, *fixed)[0]
        np.testing.assert_allclose(difference / (2 * h), slope, rtol=0, atol=1e-8)
