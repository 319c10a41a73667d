"""The invariant manifold is kept, and steps of the model and of vectors in R^d agree.

Rounding errors are as large as the terms that are added, and a step magnifies what is there
already, by as much as the gradient differs between two neighbours. `allowed` follows both, along a
run: it grows with the step size, as errors do, and is of the order of 1e-15 where steps are small.
"""

import importlib.util

import numpy as np
import pytest
from hypothesis import example, given

from slrsym.papers.single_location import OrderParameters, Task, gradient, hessian, simulate
from slrsym.papers.single_location.dynamics.spheres import gram_matrices
from slrsym.papers.single_location.testing.strategies import (
    manifold_overlaps,
    overlaps,
    schedules,
    step_sizes,
    tasks,
)
from tests.papers.single_location.dynamics._vectors import VectorEngine

from ._examples import EPS, costly, with_points

# Vectors are held in full.
SMALL = tasks(d=(2, 60))

BACKENDS = [
    "numpy",
    pytest.param(
        "numba",
        marks=pytest.mark.skipif(not importlib.util.find_spec("numba"), reason="needs numba"),
    ),
]


def run(task, states, schedule, alpha, backend="numpy"):
    """States at all steps, (runs, steps + 1, 5)."""
    # The last inverse temperature belongs to a step that is not made.
    runs = simulate(
        task, states, [*schedule, schedule[-1]], alpha, len(schedule), backend=backend,
        progress=False,
    )  # fmt: skip
    return np.stack([runs[name].values for name in OrderParameters._fields], axis=-1)


def allowed(states, schedule, alpha, task, dimension=1, power=1):
    """What rounding may have made of a run, after each step, given the run itself.

    The power is 2 off the manifold, where terms of the square of the gradient's norm cancel if it
    is hardly tangential.
    """
    bounds = [8 * EPS * np.sqrt(dimension)]
    for state, lam in zip(states, schedule, strict=False):
        slope = np.abs(gradient(state, lam, task)).sum()
        bend = np.abs(hessian(state, lam, task)).sum()
        made = 16 * EPS * np.sqrt(dimension) * (1 + alpha * slope) ** power
        bounds.append(bounds[-1] * (1 + 2 * alpha * (slope + bend)) ** 2 + made)
    return np.array(bounds)


def vectors_in_full(task, state, schedule, alpha):
    """The same of vectors in R^d."""
    engine = VectorEngine(np.array([state]), task, alpha)
    return np.concatenate([engine.states, engine.advance(np.array(schedule), 1)[:, 0]])


@pytest.mark.parametrize("backend", BACKENDS)
@costly()
@given(with_points(tasks(), manifold_overlaps), schedules(), step_sizes())
def test_five_overlaps_never_leave_the_manifold(backend, task_and_start, schedule, alpha):
    task, start = task_and_start
    states = run(task, [start], schedule, alpha, backend)
    # Not to rounding, but exactly: every term of these has one of them as a factor.
    assert (states[..., 2:] == 0).all()


@pytest.mark.parametrize("backend", BACKENDS)
@costly()
@given(tasks(), manifold_overlaps(), schedules(), step_sizes())
def test_kappa_and_nu_stay_in_the_square(backend, task, start, schedule, alpha):
    states = run(task, [start[:2]], schedule, alpha, backend)
    assert (np.abs(states) <= 1 + 4 * len(schedule) * EPS).all()


@costly()
@given(with_points(SMALL, manifold_overlaps), schedules(), step_sizes())
def test_vectors_stay_on_the_manifold(task_and_start, schedule, alpha):
    task, start = task_and_start
    states = vectors_in_full(task, start, schedule, alpha)
    bounds = allowed(states, schedule, alpha, task, task.d)
    assert (np.linalg.norm(states[:, 2:], axis=1) <= bounds).all()


@costly()
@given(with_points(SMALL, overlaps), schedules(), step_sizes())
def test_vectors_move_as_their_overlaps_do(task_and_start, schedule, alpha):
    task, start = task_and_start
    vectors = vectors_in_full(task, start, schedule, alpha)
    # Vectors have the overlaps that were asked for up to rounding only.
    five = run(task, vectors[:1], schedule, alpha)[0]
    bounds = allowed(vectors, schedule, alpha, task, task.d, power=2)
    assert (np.abs(five - vectors).max(axis=1) <= bounds).all()


@costly()
@given(with_points(SMALL, manifold_overlaps), schedules(), step_sizes())
def test_vectors_move_as_kappa_and_nu_do(task_and_start, schedule, alpha):
    task, start = task_and_start
    vectors = vectors_in_full(task, start, schedule, alpha)
    two = run(task, vectors[:1, :2], schedule, alpha)[0]
    bounds = allowed(two, schedule, alpha, task, task.d)
    assert (np.abs(two - vectors).max(axis=1) <= bounds).all()


# In two dimensions there is nothing but boundary, and this run once left it and ended in NaN.
PLANE = OrderParameters(
    0.7521171890709633, 0.0073782006071659145, 0.9999727807074552, 0.659029387739267,
    0.756959168001924,
)  # fmt: skip


@costly()
@example((Task(2, 3, 1.7807614728601877), PLANE), np.full(19, 0.36787944117144233), 1.755)
@given(with_points(tasks(), overlaps), schedules(20), step_sizes())
def test_overlaps_stay_feasible(task_and_start, schedule, alpha):
    task, start = task_and_start
    states = run(task, [start], schedule, alpha)[0]
    values = np.linalg.eigvalsh(gram_matrices(states))
    assert values.min() > -1e-9
    # In two and three dimensions the Gram matrix is singular.
    assert (values[:, : max(0, 4 - task.d)] < 1e-9).all()
