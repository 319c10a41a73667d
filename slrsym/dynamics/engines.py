"""What moves states by many steps: a loop in NumPy, machine code by Numba, or vectors in R^d.

An engine has the states of some runs, and ``advance`` moves all of them along a list of inverse
temperatures.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from slrsym.dynamics.given import lift
from slrsym.kernels.backends import numpy_parts
from slrsym.kernels.numba_backend import (
    BLOCK,
    DECORATOR,
    compiled_module,
    lanes_source,
    program_source,
)
from slrsym.kernels.program import Program, kept
from slrsym.models.paper import kernel
from slrsym.task import PLACES, Task

States = NDArray[np.float64]


def _least_room(d: int) -> float:
    """With less room than this in the feasible set, overlaps are put back into it after a step.

    Rounding takes them out of it where they lie on its boundary; and near the saddles, or where
    steps are large, they would leave for good: the map is unstable across the boundary. In two or
    three dimensions there is nothing but boundary.
    """
    return 0.0 if d >= 4 else np.inf


class Engine(Protocol):
    """Runs under way."""

    @property
    def states(self) -> States:
        """The states, (runs, n)."""
        ...

    def advance(self, temperatures: NDArray[np.float64], every: int) -> States:
        """Move by a step for each temperature."""
        ...


_overlap_program = kept("slrsym.models.steps.overlap_program")
_planar_program = kept("slrsym.models.steps.planar_program")
_restoring_program = kept("slrsym.models.steps.restoring_program")


def _program(count: int) -> Program:
    return _overlap_program() if count == len(PLACES) else _planar_program()


class NumpyEngine:
    """All runs together, step by step; `rank` is how many dimensions vectors are to fit in."""

    def __init__(
        self, states: States, task: Task, alpha: float, *, rank: int | None = None
    ) -> None:
        self.states = np.array(states)
        self._rest = (*task.numbers, alpha)
        rank = min(rank or 4, task.d, 4)
        self._constants, self._body, self._restore = _numpy_parts(states.shape[1], rank)
        self._least_room = _least_room(rank)

    def advance(self, temperatures: NDArray[np.float64], every: int) -> States:
        """Move by a step for each temperature."""
        columns: Any = tuple(np.ascontiguousarray(self.states.T))
        noted = np.empty((temperatures.size // every, *self.states.shape))
        last, fixed = None, ()
        for number, lam in enumerate(temperatures.tolist(), 1):
            if lam != last:
                last, fixed = lam, self._constants(lam, *self._rest)
            *columns, room = self._body(*columns, *fixed)
            if room.min() < self._least_room:
                outside = room < self._least_room
                for old, new in zip(columns, self._restore(*columns), strict=True):
                    np.copyto(old, new, where=outside)
            if number % every == 0:
                noted[number // every - 1] = np.transpose(columns)
        self.states = np.transpose(columns).copy()
        return noted


@cache
def _numpy_parts(count: int, d: int) -> tuple[Any, Any, Any]:
    return *numpy_parts(_program(count)), numpy_parts(_restoring_program(count, d))[1]


def _trajectory_source(program: Program) -> str:
    """A loop over steps, in a loop over blocks of runs; each step moves several runs at once."""
    count = len(program.state)
    fixed, rest = ", ".join(program.constants), ", ".join(program.parameters[1:])
    columns = ", ".join(f"work[{k * BLOCK} + i]" for k in range(count))
    room = f"work[{count * BLOCK} + i]"
    return (
        f"def trajectory(states, temperatures, every, {rest}, least_room, noted):\n"
        f"    work = np.empty({(count + 1) * BLOCK})\n"
        f"    for first in range(0, states.shape[0], {BLOCK}):\n"
        f"        runs = min({BLOCK}, states.shape[0] - first)\n"
        f"        lanes = filled(work, states[first : first + runs])\n"
        f"        last = temperatures[0]\n"
        f"        ({fixed},) = constants(last, {rest})\n"
        f"        for row in range(noted.shape[0]):\n"
        f"            for step in range(row * every, (row + 1) * every):\n"
        f"                if temperatures[step] != last:\n"
        f"                    last = temperatures[step]\n"
        f"                    ({fixed},) = constants(last, {rest})\n"
        f"{lanes_source(program, 16 * ' ')}"
        f"                outside = 0\n"
        f"                for i in range(lanes):\n"
        f"                    outside += {room} < least_room\n"
        f"                if outside:\n"
        f"                    for i in range(lanes):\n"
        f"                        if {room} < least_room:\n"
        f"                            ({columns},) = restore({columns})\n"
        f"            emptied(work, noted[row, first : first + runs])\n"
        f"        emptied(work, states[first : first + runs])\n"
    )


@cache
def _numba_trajectory(count: int, d: int) -> Any:
    program = _program(count)
    restore = _restoring_program(count, d).body.replace("def body(", "def restore(", 1)
    source = f"{program_source(program)}{DECORATOR}{restore}\n\n{DECORATOR}"
    source += _trajectory_source(program)
    return compiled_module(source).trajectory


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class NumbaEngine:
    """Runs in blocks, some blocks on each core, and several runs of a block by one instruction."""

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
        self._rest = (*task.numbers, alpha)
        rank = min(rank or 4, task.d, 4)
        self._trajectory = _numba_trajectory(states.shape[1], rank)
        self._least_room = _least_room(rank)
        self._workers = min(workers or cores(), len(states))

    def advance(self, temperatures: NDArray[np.float64], every: int) -> States:
        """Move by a step for each temperature."""
        rows = temperatures.size // every
        if not rows:
            return np.empty((0, *self.states.shape))

        def work(states: States) -> States:
            noted = np.empty((rows, *states.shape))
            self._trajectory(states, temperatures, every, *self._rest, self._least_room, noted)
            return noted

        # Machine code runs without the interpreter's lock.
        parts = [np.array(part) for part in np.array_split(self.states, self._workers)]
        with ThreadPoolExecutor(self._workers) as pool:
            noted = list(pool.map(work, parts))
        self.states = np.concatenate(parts)
        return np.concatenate(noted, axis=1)


class Vectors:
    r"""Vectors in :math:`\mathbb{R}^d`, moved by Definition 1; subclasses say by which gradient.

    Parameters
    ----------
    states : ndarray, shape (runs, 5) or (runs, 2)
        Overlaps; the vectors that have them are put in a random position.
    task : Task
    alpha : float
        Step size.
    seed : int, optional
        Of the random positions.

    Raises
    ------
    ValueError
        If no vectors in :math:`\mathbb{R}^d` have these overlaps.
    """

    def __init__(self, states: States, task: Task, alpha: float, seed: int = 0) -> None:
        self.k, self.v, self.k_star, self.v_star = lift(states, task.d, seed)
        self._task, self._alpha = task, alpha

    @property
    def vectors(self) -> tuple[States, ...]:
        """k, v, k*, v*, each (runs, d)."""
        return self.k, self.v, self.k_star, self.v_star

    @property
    def states(self) -> States:
        """Overlaps of the vectors, (runs, 5)."""
        x = self.vectors
        return np.stack([np.einsum("rd,rd->r", x[i], x[j]) for i, j in PLACES], axis=1)

    def advance(self, temperatures: NDArray[np.float64], every: int) -> States:
        """Move by a step for each temperature.

        Parameters
        ----------
        temperatures : ndarray, shape (rows * every,)
        every : int
            After how many steps the overlaps are noted.

        Returns
        -------
        ndarray of shape (rows, runs, 5)
        """
        noted = []
        for number, temperature in enumerate(temperatures.tolist(), 1):
            # Both gradients are taken at the old point.
            k_gradient, v_gradient = self._gradients(temperature)
            self.k, self.v = self._moved(self.k, k_gradient), self._moved(self.v, v_gradient)
            if number % every == 0:
                noted.append(self.states)
        return np.array(noted).reshape(-1, len(self.k), len(PLACES))

    def _gradients(self, temperature: float) -> tuple[States, States]:
        """Gradients in k and in v, each (runs, d)."""
        raise NotImplementedError

    def _moved(self, x: States, gradient: States) -> States:
        tangent = gradient - np.einsum("rd,rd->r", x, gradient)[:, None] * x
        moved = x - self._alpha * tangent
        result: States = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        return result


class VectorEngine(Vectors):
    """Vectors, moved by the gradient of the risk."""

    def __init__(
        self, states: States, task: Task, alpha: float, backend: str = "numpy", seed: int = 0
    ) -> None:
        super().__init__(states, task, alpha, seed)
        self._slopes = kernel("gradient", backend)
        self._rest = task.numbers

    def _gradients(self, temperature: float) -> tuple[States, States]:
        slopes = self._slopes(self.states, temperature, *self._rest)
        found: list[Any] = [0.0, 0.0]
        # The gradient of an inner product in one of its factors is the other factor.
        for (i, j), slope in zip(PLACES, slopes.T[:, :, None], strict=True):
            found[i] = found[i] + slope * self.vectors[j]
            if j < 2:
                found[j] = found[j] + slope * self.vectors[i]
        return found[0], found[1]
