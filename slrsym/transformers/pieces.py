"""Runs made in pieces over processes, so that they can be interrupted, saved, and gone on with.

A piece is some rows of the log for some runs. Every row has random numbers of its own, so that runs
are the same, to the last bit, however they were cut, and however many stand beside them.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.random import Generator, SeedSequence, default_rng

from slrsym.dynamics.engines import cores
from slrsym.files import Saved, require_writable
from slrsym.jobs import Jobs, as_maker, completed
from slrsym.progress import advancing
from slrsym.transformers.task import Real

__all__ = ["RunsInPieces", "in_processes", "stream"]

# Matrices are too small to be shared between cores; BLAS tries, and is slower by far.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def stream(seed: int, run: int, *place: int) -> Generator:
    """Random numbers of a run, for some purpose or row of its log."""
    return default_rng(SeedSequence(seed, spawn_key=(run, *place)))


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes that start meanwhile leave the other cores to each other."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def in_processes(jobs: Jobs, workers: int) -> Iterator[tuple[Any, Any]]:
    """Results of jobs, as they come, by processes, or with one worker in this one."""
    if workers > 1:
        with _one_thread_each():
            yield from completed(jobs, *as_maker(None, workers))
    while jobs:
        name, function, arguments = jobs.popleft()
        yield name, function(*arguments)


class RunsInPieces(Saved, ABC):
    """Runs of descent, logged; `slrsym.experiments.fetch` takes them."""

    runs: int
    steps: int
    log_every: int

    # How many rows of the log a piece has, and how many runs at most.
    _rows: int
    _together: int

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What the runs depend on; they are attributes of the data."""

    @abstractmethod
    def _begin(self, runs: list[int]) -> Real:
        """The states of some runs before the first step, (runs, size)."""

    @abstractmethod
    def _walk(self, runs: list[int], states: Real, first: int, stop: int) -> tuple[Real, Any]:
        """Go from the row before `first` (from the start, if it is 0) to the one before `stop`.

        Returns the states there, and a dictionary of what is logged: arrays (runs, rows, ...).
        """

    @abstractmethod
    def _blank(self) -> dict[str, tuple[tuple[str, ...], Real]]:
        """Dimensions of what is logged, and arrays of NaN."""

    @property
    def _logged(self) -> Any:
        return np.append(np.arange(0, self.steps, self.log_every), self.steps)

    def compute(
        self,
        path: str | Path | None = None,
        progress: bool | None = None,
        workers: int | None = None,
    ) -> xr.Dataset:
        """Make the runs; a path is where to save them, at the end and when interrupted.

        They are made by as many processes as there are cores, or with one worker in this one.
        """
        data = xr.Dataset(
            self._blank(),
            {"run": np.arange(self.runs, dtype=np.int32), "step": self._logged.astype(np.int32)},
            self.settings | {f"version_{name}": version(name) for name in ("slrsym", "numpy")},
        )
        data["rows"] = ("run", np.zeros(self.runs, dtype=np.int32))
        data["state"] = (("run", "weight"), self._begin(list(range(self.runs))))
        return self.complete(data.assign_attrs(seconds=0.0), path, progress, workers)

    def complete(
        self,
        data: xr.Dataset,
        path: str | Path | None = None,
        progress: bool | None = None,
        workers: int | None = None,
    ) -> xr.Dataset:
        """Go on with runs that were interrupted, and save them; the same if none was."""
        if "state" not in data:
            return data
        if path is not None:
            require_writable(path)
        data = data.copy(deep=True)
        logged = self._logged
        begin = time.perf_counter()
        try:
            left = self.steps * self.runs - int(logged[np.maximum(data.rows - 1, 0)].sum())
            with advancing(progress, "steps", left) as shown:
                for runs, first, stop, states, values in self._pieces(data, workers):
                    for name, value in values.items():
                        data[name][runs, first:stop] = value
                    data["state"][runs], data["rows"][runs] = states, stop
                    shown(len(runs) * int(logged[stop - 1] - logged[max(first - 1, 0)]))
            data = data.drop_vars(["state", "rows"])
        finally:
            # What is complete is kept, whatever came in between.
            data.attrs["seconds"] += time.perf_counter() - begin
            self._kept(data, path)
        return data

    def _pieces(self, data: xr.Dataset, workers: int | None) -> Iterator[Any]:
        """Make what is missing, as it comes: runs, rows from and to, states, what is logged."""
        workers = workers or cores()
        rows, states = data.rows.values.copy(), data.state.values
        groups: list[list[int]] = []
        for row in np.unique(rows[rows < len(self._logged)]):
            same = np.flatnonzero(rows == row)
            parts = max(-(-len(same) // self._together), min(workers, len(same)))
            groups += [part.tolist() for part in np.array_split(same, parts)]

        def job(group: list[int], at: Real) -> Any:
            first = int(rows[group[0]])
            stop = min(first + self._rows, len(self._logged))
            return (group, first, stop), self._walk, (group, at, first, stop)

        jobs = deque(job(group, states[group]) for group in groups)
        for (group, first, stop), (at, values) in in_processes(jobs, min(workers, len(groups))):
            rows[group] = stop
            if stop < len(self._logged):
                jobs.append(job(group, at))
            yield group, first, stop, at, values
