"""One setting of descent: what it depends on, and how its runs are followed to their ends."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.dynamics.engines import NumbaEngine, NumpyEngine
from slrsym.dynamics.schedules import Inverse, temperatures
from slrsym.dynamics.starts import uniform_overlaps
from slrsym.kernels.arguments import positive, whole
from slrsym.recovery.tubes import Tube, tube_around
from slrsym.recovery.verdicts import VERDICTS, ends, margins
from slrsym.task import Task

__all__ = ["Ends", "Setting", "checkpoints", "follow", "tubes"]


@dataclass(frozen=True)
class Setting:
    r"""Projected gradient descent with :math:`\lambda_t = \lambda_0/(1 + ct)`.

    It is that of Definition 1, with the schedule of figures 4(a) and 5.

    Parameters
    ----------
    lam0 : float
        Inverse temperature at the start, positive.
    rate : float
        The c of the schedule, not negative; 0 for a constant inverse temperature.
    d : int
        Dimension of a token, at least 2.
    L : int
        Number of tokens, at least 1.
    gamma : float
        Standard deviation of the informative token, positive.
    alpha : float
        Step size, positive.
    steps : int
        How many steps, at least 1.

    Raises
    ------
    ValueError
        If a value is out of its range; it names the argument, its value and what is allowed.

    Examples
    --------
    >>> Setting(1, 1e-4, 400, 10, 0.5**0.5, 4e-3, 120_000).final_lam.round(4)
    np.float64(0.0769)
    """

    lam0: float
    rate: float
    d: int
    L: int
    gamma: float
    alpha: float
    steps: int

    def __post_init__(self) -> None:
        try:
            schedule = Inverse(self.lam0, self.rate)
        except ValueError as problem:
            # There they are called lam0 and c.
            raise ValueError(str(problem).replace("c must", "rate must", 1)) from None
        task = Task(self.d, self.L, self.gamma)
        checked = {
            "lam0": schedule.lam0,
            "rate": schedule.c,
            "d": task.d,
            "L": task.L,
            "gamma": task.gamma,
            "alpha": positive("alpha", self.alpha),
            "steps": whole("steps", self.steps, 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def task(self) -> Task:
        """Dimension, number of tokens and gamma; output noise does not matter."""
        return Task(self.d, self.L, self.gamma)

    @property
    def temperatures(self) -> NDArray[np.float64]:
        """The inverse temperature before each step, and after the last, (steps + 1,)."""
        return temperatures(Inverse(self.lam0, self.rate), 0, self.steps)

    @property
    def final_lam(self) -> np.float64:
        """The inverse temperature after the last step."""
        return np.float64(self.temperatures[-1])

    @property
    def later_lam(self) -> float:
        """The inverse temperature after as many steps more."""
        return float(Inverse(self.lam0, self.rate)(np.array(2 * self.steps)))

    def entropy(self, seed: int) -> list[int]:
        """What the random numbers of this setting are made from, independent of other settings.

        Parameters
        ----------
        seed : int
            Not negative.

        Returns
        -------
        list of int
        """
        digest = hashlib.sha256(repr(self).encode()).digest()
        return [seed, *np.frombuffer(digest[:16], dtype="<u4").tolist()]

    def starts(self, seed: int, first: int, stop: int) -> NDArray[np.float64]:
        """Overlaps of uniform k and v, for some of the runs.

        Parameters
        ----------
        seed : int
        first, stop : int
            From which run, and up to which, which is not included.

        Returns
        -------
        ndarray of shape (stop - first, 5)
        """
        return uniform_overlaps(self.d, self.entropy(seed), first, stop)

    def as_dict(self) -> dict[str, Any]:
        """Names and values.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


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
