"""Small data to draw."""

from __future__ import annotations

import pytest

from slrsym import Task, simulate
from slrsym.dynamics import Inverse, Manifold, Sphere
from slrsym.surveys import OracleSurvey, SquareSurvey

TASK = Task(d=400, L=10, gamma=0.5**0.5)


@pytest.fixture(scope="session")
def runs():
    """Runs of figure 7b's setting, some of which recover and some do not."""
    return simulate(TASK, Sphere(12), 0.1, 4e-3, 4000, 100)


@pytest.fixture(scope="session")
def on_manifold():
    return simulate(TASK, Manifold(4), Inverse(1, 1e-3), 4e-3, 200, 20, dynamics="overlaps")


@pytest.fixture(scope="session")
def sampled():
    """The first steps of figure 5."""
    task = Task(d=80, L=10, gamma=0.5**0.5, epsilon=0.1)
    return simulate(task, Sphere(6), Inverse(2, 1e-4), 1e-3, 500, 20, batch=5)


@pytest.fixture(scope="session")
def risks():
    return OracleSurvey(exact=(10, 100, 1000), sampled=(10, 1000), samples=200).compute()


@pytest.fixture(scope="session")
def square():
    return SquareSurvey(points=33).compute()
