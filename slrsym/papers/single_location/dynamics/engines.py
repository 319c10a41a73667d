"""Engines that advance states by many steps: NumPy, Numba, or vectors in R^d.

An engine has the states of some runs, and ``advance`` moves all of them along a list of inverse
temperatures.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.compile import iterate_step, numpy_constant_and_output_functions
from slrsym.kernels.numba_backend import (
    BLOCK,
    DECORATOR,
    blockwise_loop_source,
    compile_loop,
    iterate_compiled,
)
from slrsym.kernels.program import Program, program_function_cached_on_disk
from slrsym.models.training.runs import Engine
from slrsym.papers.single_location.dynamics.initial_conditions import (
    draw_vectors_and_stars_with_overlaps,
)
from slrsym.papers.single_location.dynamics.spheres import SPHERES
from slrsym.papers.single_location.paper_risk import kernel
from slrsym.papers.single_location.task import PLACES, Task

States = NDArray[np.float64]


def _least_room(d: int) -> float:
    """Return the distance from the feasible set's boundary below which overlaps are corrected.

    Rounding takes them out of it where they lie on its boundary; and near the saddles, or where
    steps are large, they would leave for good: the map is unstable across the boundary. In two or
    three dimensions there is nothing but boundary.
    """
    return 0.0 if d >= 4 else np.inf


_overlap_program = program_function_cached_on_disk(
    "slrsym.papers.single_location.paper_risk_expressions.overlap_step_program"
)
_planar_program = program_function_cached_on_disk(
    "slrsym.papers.single_location.paper_risk_expressions.planar_step_program"
)
_restoring_program = program_function_cached_on_disk(
    "slrsym.papers.single_location.paper_risk_expressions.feasibility_correction_program"
)


def _program(count: int) -> Program:
    return _overlap_program() if count == len(PLACES) else _planar_program()


class _OverlapEngine:
    """Base class of engines that move the overlaps of all runs."""

    def __init__(
        self,
        states: States,
        task: Task,
        alpha: float,
        workers: int | None = None,
        *,
        rank: int | None = None,
    ) -> None:
        self.states = np.array(states)
        self._rest = tuple(np.array([float(x)]) for x in (*task.kernel_parameters, alpha))
        self._rank = min(rank or 4, task.d, 4)
        self._least_room = _least_room(self._rank)
        self._workers = workers


class NumpyEngine(_OverlapEngine):
    """An engine that moves the overlaps of all runs together, in NumPy."""

    def advance(self, inverse_temperatures: NDArray[np.float64], every: int) -> States:
        """Take a descent step per inverse temperature in all runs; return each `every`-th state."""
        count = self.states.shape[1]
        constants, body, restore = _numpy_parts(count, self._rank)

        def step(columns: Any, fixed: Any) -> Any:
            *columns, room = body(*columns, *fixed)
            if room.min() < self._least_room:
                outside = room < self._least_room
                for old, new in zip(columns, restore(*columns), strict=True):
                    np.copyto(old, new, where=outside)
            return columns

        given, steps = (inverse_temperatures, *self._rest), inverse_temperatures.size
        start: Any = tuple(np.ascontiguousarray(self.states.T))
        columns, noted = iterate_step(step, constants, start, given, steps, every, np.transpose)
        self.states = np.transpose(columns).copy()
        return noted.reshape(-1, *self.states.shape)


@cache
def _numpy_parts(count: int, d: int) -> tuple[Any, Any, Any]:
    constants, body = numpy_constant_and_output_functions(_program(count))
    _, restore = numpy_constant_and_output_functions(_restoring_program(count, d))
    return constants, body, restore


@cache
def _numba_trajectory(count: int, d: int) -> Any:
    """Return a Numba-compiled loop that moves the overlaps of several runs at once."""
    program = _program(count)
    restore = _restoring_program(count, d).body.replace("def body(", "def restore(", 1)
    columns = ", ".join(f"work[{k * BLOCK} + i]" for k in range(count))
    room = f"work[{count * BLOCK} + i]"
    return compile_loop(
        program,
        "least_room",
        f"work = np.empty({(count + 1) * BLOCK})\n"
        "lanes = filled(work, states[first : first + runs])",
        f"{blockwise_loop_source(program, '')}"
        f"outside = 0\n"
        f"for i in range(lanes):\n"
        f"    outside += {room} < least_room\n"
        f"if outside:\n"
        f"    for i in range(lanes):\n"
        f"        if {room} < least_room:\n"
        f"            ({columns},) = restore({columns})",
        "emptied(work, states[first : first + runs])",
        "emptied(work, noted[row, first : first + runs])",
        f"{DECORATOR}{restore}",
    )


class NumbaEngine(_OverlapEngine):
    """An engine that moves overlaps of blocks of runs by Numba, on several processor cores."""

    def advance(self, inverse_temperatures: NDArray[np.float64], every: int) -> States:
        """Take a descent step per inverse temperature in all runs; return each `every`-th state."""
        self.states, noted = iterate_compiled(
            _numba_trajectory(self.states.shape[1], self._rank),
            self.states,
            (inverse_temperatures, *self._rest),
            inverse_temperatures.size,
            every,
            self._least_room,
            workers=self._workers,
        )
        return noted


class VectorEngineBase(Engine):
    r"""Base class of engines that move vectors in :math:`\mathbb{R}^d` (Definition 1).

    Vectors that have the overlaps of the states are put in a random position.
    """

    def __init__(self, states: States, task: Task, alpha: float, seed: int = 0) -> None:
        self.k, self.v, self.k_star, self.v_star = draw_vectors_and_stars_with_overlaps(
            states, task.d, seed
        )
        self._task, self._alpha = task, alpha

    @property
    def vectors(self) -> tuple[States, ...]:
        """The vectors k, v, k*, v*, each of shape (runs, d)."""
        return self.k, self.v, self.k_star, self.v_star

    @property
    def states(self) -> States:
        """The overlaps of k, v, k* and v* in each run, shape (runs, 5)."""
        x = self.vectors
        return np.stack([np.einsum("rd,rd->r", x[i], x[j]) for i, j in PLACES], axis=1)

    def advance(self, inverse_temperatures: NDArray[np.float64], every: int) -> States:

        def step(_: Any, inverse_temperature: float) -> None:
            # Both gradients are taken at the old point.
            k_gradient, v_gradient = self._gradients(inverse_temperature)
            self.k = SPHERES.step(self.k, k_gradient, self._alpha)
            self.v = SPHERES.step(self.v, v_gradient, self._alpha)

        steps, given = inverse_temperatures.size, (inverse_temperatures,)
        noted = iterate_step(step, float, None, given, steps, every, lambda _: self.states)[1]
        return noted.reshape(-1, len(self.k), len(PLACES))

    def _gradients(self, inverse_temperature: float) -> tuple[States, States]:
        """Return gradients of the risk, or estimates, in k and in v, each of shape (runs, d)."""
        raise NotImplementedError


class VectorEngine(VectorEngineBase):
    """An engine that moves k and v in R^d by the exact gradient of the risk."""

    def __init__(
        self, states: States, task: Task, alpha: float, backend: str = "numpy", seed: int = 0
    ) -> None:
        super().__init__(states, task, alpha, seed)
        self._slopes = kernel("gradient", backend)
        self._rest = task.kernel_parameters

    def _gradients(self, inverse_temperature: float) -> tuple[States, States]:
        slopes = self._slopes(self.states, inverse_temperature, *self._rest)
        found: list[Any] = [0.0, 0.0]
        # The gradient of an inner product in one of its factors is the other factor.
        for (i, j), slope in zip(PLACES, slopes.T[:, :, None], strict=True):
            found[i] = found[i] + slope * self.vectors[j]
            if j < 2:
                found[j] = found[j] + slope * self.vectors[i]
        return found[0], found[1]
