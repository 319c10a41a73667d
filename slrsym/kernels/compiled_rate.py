"""Solutions of differential equations whose rate of change is machine code."""

from __future__ import annotations

import time as clock
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853

from slrsym.kernels.numba_backend import import_generated_module

Array = NDArray[np.float64]

# Machine code hears no signal: it takes so many steps at a time as a fraction of a second has.
_FIRST, _PIECE = 20, 0.2


@cache
def _steps() -> ModuleType:
    file = Path(__file__).with_name("_numba_dop853.py")
    return import_generated_module(file.read_text(encoding="utf-8"))


class CompiledRate(NamedTuple):
    """A rate of change in machine code, ``function(states, parameters, work, places, rates)``.

    States, parameters and rates are arrays of rows; `work` has `room` numbers.
    """

    function: Any
    places: NDArray[np.int64]
    room: int


class CompiledSolver:
    """Steps of DOP853 in machine code, from where a solver of SciPy begins, with its attributes.

    Notes
    -----
    `states` has the solution at the first `done` of all `times`, the first of which is the start.
    """

    def __init__(
        self, rate: CompiledRate, solver: DOP853, row: Any, times: Array, tolerance: float
    ) -> None:
        machine = _steps()
        self._machine, self._tolerance = machine, tolerance
        self._times = np.ascontiguousarray(times)
        self._room = np.zeros((machine.ROWS, solver.n))
        self._room[machine.STATE], self._room[0] = solver.y, solver.f
        self._numbers = np.array([solver.t, solver.h_abs, np.nan])
        self._counts = np.array([1, 0, 0])
        self.states = np.empty((len(times), solver.n))
        self.states[0] = solver.y
        self.status = "running"
        parameters = np.array(row, dtype=np.float64).reshape(1, -1)
        self._given = (rate.function, parameters, rate.places, np.empty(rate.room))

    def advance(self, steps: int, failures: int) -> str | None:
        """Take so many steps at most; return why it failed, if so."""
        machine, most, taken = self._machine, _FIRST, 0
        ended = machine.RUNNING
        while ended == machine.RUNNING and taken < steps:
            begin = clock.perf_counter()
            some = min(most, steps - taken)
            ended = machine.advance(
                *self._given, self._times, self.states, self._room, self._numbers, self._counts,
                self._tolerance, some, failures,
            )  # fmt: skip
            taken += some
            seconds = max(clock.perf_counter() - begin, 1e-9)
            most = max(1, min(10 * most, int(some * _PIECE / seconds)))
        if ended == machine.FINISHED:
            self.status = "finished"
        elif ended != machine.RUNNING:
            self.status = "failed"
        return DOP853.TOO_SMALL_STEP if ended == machine.TOO_SHORT else None

    @property
    def t(self) -> float:
        """The time that was reached."""
        return float(self._numbers[0])

    @property
    def y(self) -> Array:
        """The state that was reached."""
        found: Array = self._room[self._machine.STATE]
        return found

    @property
    def done(self) -> int:
        """How many of the times were reached."""
        return int(self._counts[0])

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return int(self._counts[1])

    @property
    def failures(self) -> tuple[int, float, Array, Array]:
        """How often no rate was finite, and the time, state and rate of the last time."""
        room, machine = self._room, self._machine
        return (
            int(self._counts[2]), float(self._numbers[2]),
            room[machine.FAILED], room[machine.FAILED_RATE],
        )  # fmt: skip
