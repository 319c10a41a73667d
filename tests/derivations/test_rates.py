"""The claims on rates hold for the compiled risk, and are near to its minimum."""

import numpy as np
import pytest

from slrsym.papers.single_location import Task, excess_risk
from slrsym.papers.single_location.task import ORACLE, OrderParameters

EXCHANGED = OrderParameters(kappa=0, nu=0, theta=1, eta=1, rho=0)
# Inverse temperatures around log(d/L)/d and far beyond it.
TASKS = [Task(d, L, gamma) for d, L in ((100, 10), (30_000, 20), (10**9, 30)) for gamma in (1, 1.5)]


def temperatures(task):
    return np.sqrt(np.geomspace(1e-3, 1e3, 4001) * np.log(task.d / task.L) / task.d)


def least(point, task):
    return excess_risk(np.array(point), temperatures(task), task).min()


@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_has_the_rate_from_both_sides(task):
    """Claims gap-of-rates-large-variance and sharp-rate."""
    d, L, gamma = task.d, task.L, task.gamma
    ratio, delta = np.log(d / L), 0.5
    lower = ratio * (L - 1) / (np.pi * (d + ratio / 2))
    upper = L / d * (2 * gamma**2 + 4 / np.pi * (1 + delta) * ratio)
    found = least(ORACLE, task)
    assert lower <= found <= 10 * lower
    if 4 * gamma**2 * (1 + delta) * ratio <= delta * d:
        tuned = np.sqrt((1 + delta) * ratio / d)
        assert found <= excess_risk(np.array(ORACLE), tuned, task) <= upper <= 4 * found


@pytest.mark.parametrize("task", TASKS)
def test_the_exchanged_pair_has_a_better_rate(task):
    """Claims exchanged-pair-rate and exchanged-pair-better."""
    d, L, gamma = task.d, task.L, task.gamma
    found = excess_risk(np.array(EXCHANGED), np.sqrt(np.pi / (2 * d)), task)
    assert 0 < found <= ((np.pi + 2) * gamma**4 + 2 * (L - 1)) / d
    if gamma <= 1 and d >= 1200 * L:
        assert found < least(ORACLE, task)


def random_overlaps(rng, count, dimension=5):
    """Return overlaps of random unit vectors, some of them near k* or v*."""
    k, v = rng.standard_normal((2, count, dimension))
    k[:, :2] *= np.exp(rng.uniform(0, 6, (count, 2)))
    v[:, :2] *= np.exp(rng.uniform(0, 6, (count, 2)))
    k /= np.linalg.norm(k, axis=1, keepdims=True)
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    return np.stack([k[:, 0], v[:, 1], v[:, 0], k[:, 1], (k * v).sum(axis=1)], axis=1)


@pytest.mark.parametrize("task", TASKS)
def test_no_pair_is_below_the_floor(task):
    """Claim attention-floor; the exchanged pair is within a factor of 2 of it."""
    rng = np.random.default_rng(0)
    others = 2 * (task.L - 1)
    floor = task.gamma**2 * others / (task.gamma**2 * (task.d + 2 * np.pi) + others)
    points = random_overlaps(rng, 300)
    values = excess_risk(points[:, None, :], temperatures(task)[::20], task)
    assert values.min() >= floor
    assert excess_risk(np.array(EXCHANGED), np.sqrt(np.pi / (2 * task.d)), task) <= 2 * floor
