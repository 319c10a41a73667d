"""Runs of one setting, some at a time: what a worker computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.dynamics.engines import NumbaEngine, NumpyEngine
from slrsym.recovery.setting import Setting
from slrsym.recovery.tubes import Tube, tube_around
from slrsym.recovery.verdicts import VERDICTS, ends, margins

__all__ = ["Ends", "checkpoints", "follow", "tubes"]

_Array = NDArray[np.float64]

# After how many steps runs are looked at.
_EVERY = 500

# Runs that are followed to their ends first, and from how many runs on that pays.
_PILOTS = 64
_ENOUGH = 1000
# Ends that differ by more in an overlap are different.
_APART = 0.05
# When a pilot is in three dimensions, nearly.
_FLAT = 1e-9
_MOST_TUBES = 6


def checkpoints(steps: int) -> NDArray[np.int64]:
    """The steps at which runs are looked at, the last one included."""
    first = steps % _EVERY or min(_EVERY, steps)
    return np.arange(first, steps + 1, _EVERY, dtype=np.int64)


@dataclass(frozen=True)
class Ends:
    """Where runs started and ended."""

    start: _Array
    end: _Array
    verdict: NDArray[np.int8]
    decided: NDArray[np.int64]

    def as_dict(self) -> dict[str, NDArray[Any]]:
        """Names and arrays."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def _engine(states: _Array, setting: Setting, backend: str, rank: int | None = None) -> Any:
    if backend == "numba":
        return NumbaEngine(states, setting.task, setting.alpha, 1, rank=rank)
    return NumpyEngine(states, setting.task, setting.alpha, rank=rank)


def _ends(states: _Array, setting: Setting) -> NDArray[np.int8]:
    lam = (float(setting.final_lam), setting.later_lam)
    return ends(states, *lam, setting.task, setting.alpha, setting.steps)


def tubes(setting: Setting, seed: int, runs: int, backend: str) -> tuple[Tube, ...]:
    """Tubes around some runs, one for each place where they end."""
    if runs < _ENOUGH:
        return ()
    lam, task = setting.temperatures, setting.task
    times = checkpoints(setting.steps)
    engine = _engine(setting.starts(seed, 0, _PILOTS), setting, backend)
    log, done = [], 0
    for step in times.tolist():
        engine.advance(lam[done:step], step - done)
        log.append(engine.states)
        done = step
    pilots = np.stack(log, axis=1)
    found: list[Tube] = []
    kept: list[_Array] = []
    for pilot in pilots:
        end = np.abs(pilot[-1])
        if any(np.abs(end - other).max() < _APART for other in kept) or len(kept) == _MOST_TUBES:
            continue
        kept.append(end)
        flat = np.flatnonzero(_beyond(pilot[:-1]) < _FLAT)
        if not flat.size:
            continue
        begin = int(times[flat[0]])
        first = pilot[flat[:1]]
        # What descent converges to lies in three dimensions, and so do tubes.
        run = _engine(first, setting, backend, 3).advance(lam[begin:-1], 1)[:, 0]
        verdict = int(_ends(run[-1:], setting)[0])
        if VERDICTS[verdict] not in ("oracle", "swap"):
            # To be near is not enough there, and so tubes say nothing.
            continue
        margin = float(margins(run[-1], lam[-1], task))
        states = np.concatenate([first, run])
        tube = tube_around(
            states, lam[begin:], task, setting.alpha, times - begin, verdict, margin, backend
        )
        if tube.radii[:-1].any():
            found.append(tube)
    return tuple(found)


def _beyond(states: _Array) -> _Array:
    """The Gram determinant of what k and v have beyond k* and v*: 0 in three dimensions."""
    kappa, nu, theta, eta, rho = np.moveaxis(states, -1, 0)
    inner = rho - kappa * theta - eta * nu
    return np.asarray((1 - kappa**2 - eta**2) * (1 - theta**2 - nu**2) - inner**2)


def follow(
    setting: Setting,
    seed: int,
    first: int,
    stop: int,
    known: tuple[Tube, ...] = (),
    backend: str = "numpy",
    stopping: bool = True,
) -> Ends:
    """Follow some runs until their verdicts are known."""
    lam = setting.temperatures
    start = setting.starts(seed, first, stop)
    count = len(start)
    result = Ends(start, start.copy(), np.full(count, -1, np.int8), np.full(count, setting.steps))
    live = np.arange(count)
    engine = _engine(start, setting, backend)
    done = 0
    for time, step in enumerate(checkpoints(setting.steps).tolist()):
        engine.advance(lam[done:step], step - done)
        done, states = step, engine.states
        found = np.full(live.size, -1, np.int8)
        if done == setting.steps:
            found[:] = _ends(states, setting)
        elif stopping:
            for tube in known:
                found[(found < 0) & tube.holds(states, time)] = tube.verdict
        stopped = found >= 0
        at = live[stopped]
        result.end[at], result.verdict[at] = states[stopped], found[stopped]
        result.decided[at] = done
        if stopped.any():
            live = live[~stopped]
            if not live.size:
                break
            engine = _engine(states[~stopped], setting, backend)
    return result
