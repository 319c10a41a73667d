"""Descent of the task: engines that take steps of its model, on the risk or on batches.

A state are k and v in an orthonormal basis whose first two axes are k* and v*; with two more it
holds all that the risk depends on. Their Gram matrix is feasible whatever rounding does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.kept_programs import program_function_cached_on_disk
from slrsym.models.training.step_programs import StepProgram
from slrsym.papers.single_location.dynamics.spheres import (
    frame_coordinates,
    manifold_vectors,
    overlaps_of_vectors,
)
from slrsym.papers.single_location.task import Task

States = NDArray[np.float64]

_program = program_function_cached_on_disk(
    "slrsym.papers.single_location.step_programs.descent_step_program"
)

# By whether it is that of M: of which coordinates of k and v, one after the other, a step is.
COORDINATES = {False: [2, 3, 1, 0, 6, 7, 5, 4], True: [2, 0, 7, 5]}


@cache
def compiled_steps(on_manifold: bool) -> StepProgram:
    """Return the steps of k and v, or on the manifold of kappa and nu, compiled once."""
    return StepProgram(_program(on_manifold))


def vectors_of_start(states: States, d: int, *, in_dimension: bool = False) -> States:
    """Return k and v with given overlaps, in four coordinates.

    Parameters
    ----------
    states : ndarray, shape (runs, 5) or (runs, 2)
        With kappa and nu alone, k and v are on the manifold, also if d is too small for it.
    d : int
        Dimension; below 4 the last coordinates are 0.
    in_dimension : bool, optional
        Whether they have to be in R^d on the manifold, too.

    Returns
    -------
    ndarray of shape (runs, 2, 4)
    """
    if not states[:, 2:].any() and not (in_dimension and d < 4):
        return manifold_vectors(states[:, :2])
    found = frame_coordinates(states, min(d, 4))[:, :2]
    return np.pad(found, ((0, 0), (0, 0), (0, 4 - found.shape[-1])))


class TaskEngine:
    """Engine of descent by the gradient of the risk; on the manifold it moves kappa and nu alone.

    Parameters
    ----------
    points : ndarray, shape (runs, 2, 4)
        k and v, as of `vectors_of_start`.
    task : Task
    alpha : float
        Step size.
    backend : {'numpy', 'numba'}, optional
    workers : int, optional
        On how many cores machine code runs; by default on all.
    """

    def __init__(
        self,
        points: States,
        task: Task,
        alpha: float,
        backend: str = "numpy",
        workers: int | None = None,
    ) -> None:
        self.states = np.array(points)
        on_manifold = not np.delete(points.reshape(-1, 8), COORDINATES[True], axis=1).any()
        self._backend, self._workers = backend, workers
        self._steps, self._coordinates = compiled_steps(on_manifold), COORDINATES[on_manifold]
        gamma, d, L, epsilon = task.kernel_parameters
        self._before: Any = [np.array([float(x)]) for x in (L, d, epsilon, gamma)]
        self._alpha = np.array([float(alpha)])

    def advance(self, inverse_temperatures: NDArray[np.float64], every: int) -> States:
        """Take a descent step per inverse temperature in all runs; return each `every`-th state."""
        packed, noted = self._steps.iterate(
            self._backend,
            self.states.reshape(-1, 8)[:, self._coordinates],
            (*self._before, inverse_temperatures, self._alpha),
            inverse_temperatures.size,
            every,
            self._workers,
        )
        self.states = self._whole(packed)
        return self._whole(noted)

    def _whole(self, packed: States) -> States:
        found = np.zeros((*packed.shape[:-1], 8))
        found[..., self._coordinates] = packed
        return found.reshape(*packed.shape[:-1], 2, 4)

    @property
    def overlaps(self) -> States:
        """The overlaps of all runs, shape (runs, 5)."""
        return overlaps_of_vectors(self.states)


class BatchTaskEngine:
    """Engine of stochastic gradient descent, on batches of the task's model, exact in law.

    Parameters
    ----------
    points : ndarray, shape (runs, 2, 4)
        k and v, in R^d.
    task : Task
    alpha : float
        Step size.
    batch : int
        How many sequences of tokens a step draws.
    backend : {'numpy', 'numba'}, optional
        Both draw the same numbers.
    seed : int, optional
        Of the random numbers.
    start : int, optional
        The step that the points belong to. Runs that go on from it are, to the last bit, those that
        were never interrupted.
    labels : sequence of int, optional
        Numbers of the runs, by which their random numbers are told apart; by default 0, 1, ...
    """

    def __init__(
        self,
        points: States,
        task: Task,
        alpha: float,
        batch: int,
        backend: str = "numpy",
        seed: int = 0,
        start: int = 0,
        labels: Sequence[int] | None = None,
    ) -> None:
        # What is kept of the task's risk is found without.
        from slrsym.models.sampling.batch_descent import BatchEngine
        from slrsym.papers.single_location.models import attention

        stated = attention()
        model, d = stated.model, task.d
        vectors = [stated.k, stated.v].index
        axes = [stated.k_star, stated.v_star].index
        # In each row k or v, in the order of the model, along its fixed directions and beyond.
        self._order = [vectors(x) for x in model.trained_directions]
        self._axes = [*map(axes, model.directions[2:]), 2, 3]
        factor = np.zeros((len(points), 1, 4, 4))
        factor[:, 0, :2] = points[:, self._order][..., self._axes]
        factor[:, 0, 2:, :2] = np.eye(2)
        values = {"gamma": task.gamma, "d": d, "L": task.L, "epsilon": task.epsilon, "lambda": 1.0}
        row = np.array([float(values[p.name]) for p in model.parameters])
        self._row, self._varying = row, [p.name for p in model.parameters].index("lambda")
        self._engine = BatchEngine(
            model, factor, row, values, [d], alpha, batch, seed, backend, start, labels
        )

    @property
    def states(self) -> States:
        """K and v of all runs, shape (runs, 2, 4)."""
        return self._points(self._engine.states)

    def advance(self, inverse_temperatures: NDArray[np.float64], every: int) -> States:
        """Take a descent step per inverse temperature in all runs; return each `every`-th state."""
        rows = np.tile(self._row, (inverse_temperatures.size, 1))
        rows[:, self._varying] = inverse_temperatures
        return self._points(self._engine.advance(rows, every))

    def _points(self, states: States) -> States:
        found = np.empty((*states.shape[:-3], 2, 4))
        for i, place in enumerate(self._order):
            found[..., place, self._axes] = states[..., 0, i, :]
        return found
