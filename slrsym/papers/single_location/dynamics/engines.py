"""Descent of the task: an engine that takes steps of its model, from overlaps or vectors.

A state are k and v in an orthonormal basis whose first two axes are k* and v*; with two more it
holds all that the risk depends on. Their Gram matrix is feasible whatever rounding does.
"""

from __future__ import annotations

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


def vectors_of_start(states: States, d: int) -> States:
    """Return k and v with given overlaps, in four coordinates.

    Parameters
    ----------
    states : ndarray, shape (runs, 5) or (runs, 2)
        With kappa and nu alone, k and v are on the manifold, also if d is too small for it.
    d : int
        Dimension; below 4 the last coordinates are 0.

    Returns
    -------
    ndarray of shape (runs, 2, 4)
    """
    if not states[:, 2:].any():
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
