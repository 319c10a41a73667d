"""Settings of recovery runs, the runs themselves, and the classes of their endpoints.

The oracle is that of Theorem 5; swap points are those of the claims ``swap-critical`` and
``swap-least``.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from slrsym.kernels.arguments import float_or_nan, require_integer, require_positive
from slrsym.models.training.runs import wilson_intervals
from slrsym.models.training.schedules import InverseTimeDecay, parameter_values
from slrsym.papers.single_location.dynamics.engines import TaskEngine, vectors_of_start
from slrsym.papers.single_location.dynamics.initial_conditions import uniform_overlaps
from slrsym.papers.single_location.dynamics.spheres import (
    gram_entries_of_orthogonal_parts,
    overlaps_of_vectors,
    riemannian_derivatives_and_basis,
    vectors_from_overlaps,
)
from slrsym.papers.single_location.landscape.points import distance_up_to_symmetry
from slrsym.papers.single_location.landscape.stability import swap_point_and_excess_risk
from slrsym.papers.single_location.recovery.tubes import Tube, lift_overlaps, tube_around_run
from slrsym.papers.single_location.task import ORACLE, Task

_Array = NDArray[np.float64]

VERDICTS = ("oracle", "swap", "manifold", "elsewhere", "moving")
MOVING = VERDICTS.index("moving")

# How far any overlap may be from that of a point for a run to have ended there.
NEAR = 0.1

# How far as many steps more may take a run that has ended. Where scores are saturated, runs creep
# with the logarithm of the steps: each doubling takes them as far as the last one did.
STILL = 1e-3


def _distances(states: _Array, lam: float, task: Task) -> _Array:
    """Return max-norm distances to oracle and swap point, up to symmetry, and to manifold."""
    swap, _ = swap_point_and_excess_risk(task, lam)
    found = [distance_up_to_symmetry(states, np.array(point)) for point in (ORACLE, swap)]
    found.append(np.abs(states[..., 2:]).max(axis=-1))
    return np.stack(found, axis=-1)


def classify_states(states: _Array, lam: float, task: Task) -> NDArray[np.int8]:
    """Return which place each state is near, ended or not, as an index of `VERDICTS`.

    Parameters
    ----------
    states : ndarray, shape (..., 5)
    lam : float
        Inverse temperature: swap points depend on it.
    task : Task

    Returns
    -------
    ndarray of shape (...), int8
        0, at the oracle up to its sign; 1, at a swap point; 2, near the manifold M and not at the
        oracle; 3, elsewhere. Near is by no more than `NEAR` in every overlap. Whether a run has
        ended there, a state does not say: see `classify_endpoints`.

    Examples
    --------
    >>> import numpy as np
    >>> from slrsym.papers.single_location import Task
    >>> states = np.array([[-1, -0.99, 0, 0, 0], [0, 0, 0.63, 1, 0], [0.5, 1, 0, 0, 0]])
    >>> classify_states(states, 0.1, Task(d=400, L=10, gamma=0.5**0.5)).tolist()
    [0, 1, 2]
    """
    near = _distances(np.asarray(states, dtype=np.float64), lam, task) <= NEAR
    # The first that is true; the last always is.
    whole = np.concatenate([near, np.ones((*near.shape[:-1], 1), dtype=bool)], axis=-1)
    return np.asarray(np.argmax(whole, axis=-1), dtype=np.int8)


def distances_to_class_change(states: _Array, lam: float, task: Task) -> _Array:
    """Return how far every overlap may move before the class of a state changes."""
    far = _distances(states, lam, task)
    found = classify_states(states, lam, task)
    own = np.take_along_axis(far, np.minimum(found, 2)[..., None].astype(int), axis=-1)[..., 0]
    # A verdict changes where it is no longer near, or where an earlier one is.
    inside = np.where(found < 3, NEAR - own, np.inf)
    earlier = np.where(np.arange(3) < found[..., None], far - NEAR, np.inf).min(axis=-1)
    return np.asarray(np.minimum(inside, earlier))


def is_still_moving(
    states: _Array, lam: float, task: Task, alpha: float, steps: int
) -> NDArray[np.bool_]:
    """Return for each state whether as many more steps would move it by more than `STILL`.

    By the length of a step there, or by a direction of negative curvature, along which whatever
    there is grows by a factor e.
    """
    grad, hess, _ = riemannian_derivatives_and_basis(vectors_from_overlaps(states, task), lam, task)
    time = alpha * steps
    far = time * np.linalg.norm(grad, axis=-1) > STILL
    return np.asarray(far | (-time * np.linalg.eigvalsh(hess)[:, 0] > 1))


def classify_endpoints(states: _Array, setting: Setting) -> NDArray[np.int8]:
    """Return the class of each endpoint, or "moving" for runs that have not converged.

    The oracle and swap points attract what is near them where they are minima themselves. All
    else has ended if it stays at the inverse temperature that it has, and at a later one.
    """
    lam, rest = float(setting.final_lam), (setting.task, setting.alpha, setting.steps)
    found = classify_states(states, lam, setting.task)
    swap, _ = swap_point_and_excess_risk(setting.task, lam)
    attract = ~is_still_moving(np.array([ORACLE, swap]), lam, *rest)
    for at in (lam, setting.later_inverse_temperature):
        asked = np.flatnonzero(~np.append(attract, [False, False, True])[found])
        if asked.size:
            found[asked[is_still_moving(states[asked], at, *rest)]] = MOVING
    return found


def count_verdicts(verdict: NDArray[np.int8]) -> NDArray[np.int32]:
    """Return the number of runs in each class of endpoints, from the runs' class indices."""
    numbers = np.arange(len(VERDICTS))
    found: NDArray[np.int32] = np.sum(
        verdict[..., None, :] == numbers[:, None], axis=-1, dtype=np.int32
    )
    return found


def endpoint_statistics(
    counts: NDArray[np.int32], runs: int, names: tuple[str, ...]
) -> dict[str, xr.Variable]:
    """Return counts, fractions and confidence intervals of the classes of endpoints.

    Of those that still move there is the fraction of all runs, and no interval.
    """
    rows = counts.reshape(-1, len(VERDICTS))
    fraction, lower, upper = (np.full(rows.shape, np.nan) for _ in range(3))
    ends = np.arange(len(VERDICTS)) != MOVING
    for i, row in enumerate(rows):
        fraction[i, MOVING] = row[MOVING] / runs
        if ended := int(row[ends].sum()):
            fraction[i, ends] = row[ends] / ended
            lower[i, ends], upper[i, ends] = wilson_intervals(row[ends], ended)
    values = {"count": rows, "fraction": fraction, "lower": lower, "upper": upper}
    return {
        name: xr.Variable((*names, "verdict"), value.reshape(counts.shape))
        for name, value in values.items()
    }


@dataclass(frozen=True)
class Setting:
    r"""Parameters of descent with the inverse temperature :math:`\lambda_t = \lambda_0/(1 + ct)`.

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
        rate = float_or_nan(self.rate)
        if not (math.isfinite(rate) and rate >= 0):
            raise ValueError(f"rate must be finite and not negative; got {self.rate!r}")
        task = Task(self.d, self.L, self.gamma)
        checked = {
            "lam0": InverseTimeDecay(self.lam0, rate).lam0,
            "rate": rate,
            "d": task.d,
            "L": task.L,
            "gamma": task.gamma,
            "alpha": require_positive("alpha", self.alpha),
            "steps": require_integer("steps", self.steps, 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def task(self) -> Task:
        """The task; the noise of the output is 0, since it has no effect."""
        return Task(self.d, self.L, self.gamma)

    @property
    def inverse_temperatures(self) -> NDArray[np.float64]:
        """The inverse temperatures before each step and after the last one, shape (steps + 1,)."""
        return parameter_values(InverseTimeDecay(self.lam0, self.rate), 0, self.steps)

    @property
    def final_lam(self) -> np.float64:
        """The inverse temperature after the last step."""
        return np.float64(self.inverse_temperatures[-1])

    @property
    def later_inverse_temperature(self) -> float:
        """The inverse temperature after twice the setting's number of steps."""
        return float(InverseTimeDecay(self.lam0, self.rate)(np.array(2 * self.steps)))

    def entropy(self, rng: int) -> list[int]:
        """Return the entropy that seeds this setting's random numbers, unlike other settings'.

        Parameters
        ----------
        rng : int
            Not negative.

        Returns
        -------
        list of int
        """
        digest = hashlib.sha256(repr(self).encode()).digest()
        return [rng, *np.frombuffer(digest[:16], dtype="<u4").tolist()]

    def draw_starts(self, rng: int, first: int, stop: int) -> NDArray[np.float64]:
        """Draw the five overlaps of uniform unit vectors k and v, for runs `first` to `stop - 1`.

        Parameters
        ----------
        rng : int
        first, stop : int
            From which run, and up to which, which is not included.

        Returns
        -------
        ndarray of shape (stop - first, 5)
        """
        return uniform_overlaps(self.d, self.entropy(rng), first, stop)

    def as_dict(self) -> dict[str, Any]:
        """Return the setting as a dictionary."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


# After how many steps runs are looked at.
_EVERY = 500

# Runs that are followed to their ends first, and from how many runs on that pays.
_PILOTS = 64
_ENOUGH = 1000
# Ends that differ by more in an overlap are different.
_APART = 0.05
# With a smaller determinant of what k and v have beyond k* and v*, a pilot is in three dimensions.
_FLAT = 1e-9
_MOST_TUBES = 6


def steps_when_runs_are_classified(steps: int) -> NDArray[np.int64]:
    """Return the steps at which runs are classified, the last one included."""
    first = steps % _EVERY or min(_EVERY, steps)
    return np.arange(first, steps + 1, _EVERY, dtype=np.int64)


@dataclass(frozen=True)
class ClassifiedRuns:
    """The start and end states of runs, with their classes."""

    start: _Array
    end: _Array
    verdict: NDArray[np.int8]
    decided: NDArray[np.int64]


def _engine(points: _Array, setting: Setting, backend: str) -> TaskEngine:
    return TaskEngine(points, setting.task, setting.alpha, backend, workers=1)


def build_tubes(setting: Setting, rng: int, runs: int, backend: str) -> tuple[Tube, ...]:
    """Build a tube around a pilot run for each kind of endpoint; none if there are few runs."""
    if runs < _ENOUGH:
        return ()
    lam, task = setting.inverse_temperatures, setting.task
    times = steps_when_runs_are_classified(setting.steps)
    starts = setting.draw_starts(rng, 0, _PILOTS)
    engine = _engine(vectors_of_start(starts, setting.d), setting, backend)
    log, done = [], 0
    for step in times.tolist():
        engine.advance(lam[done:step], step - done)
        log.append(engine.overlaps)
        done = step
    pilots = np.stack(log, axis=1)
    found: list[Tube] = []
    kept: list[_Array] = []
    for pilot in pilots:
        end = np.abs(pilot[-1])
        if any(np.abs(end - other).max() < _APART for other in kept) or len(kept) == _MOST_TUBES:
            continue
        kept.append(end)
        k_rest, v_rest, inner = gram_entries_of_orthogonal_parts(pilot[:-1])
        flat = np.flatnonzero(k_rest * v_rest - inner**2 < _FLAT)
        if not flat.size:
            continue
        begin = int(times[flat[0]])
        first = pilot[flat[:1]]
        # What descent converges to lies in three dimensions, and so do tubes.
        logged = _engine(lift_overlaps(first), setting, backend).advance(lam[begin:-1], 1)
        run = overlaps_of_vectors(logged)[:, 0]
        verdict = int(classify_endpoints(run[-1:], setting)[0])
        if VERDICTS[verdict] not in ("oracle", "swap"):
            # To be near is not enough there, and so tubes say nothing.
            continue
        margin = float(distances_to_class_change(run[-1], lam[-1], task))
        states = np.concatenate([first, run])
        tube = tube_around_run(
            states, lam[begin:], task, setting.alpha, times - begin, verdict, margin, backend
        )
        if tube.radii[:-1].any():
            found.append(tube)
    return tuple(found)


def follow_to_ends(
    setting: Setting,
    rng: int,
    first: int,
    stop: int,
    tubes: tuple[Tube, ...] = (),
    backend: str = "numpy",
    stopping: bool = True,
) -> ClassifiedRuns:
    """Run descent from random starts until each end is classified; return the endpoints."""
    lam = setting.inverse_temperatures
    start = setting.draw_starts(rng, first, stop)
    count = len(start)
    result = ClassifiedRuns(
        start, start.copy(), np.full(count, -1, np.int8), np.full(count, setting.steps)
    )
    live = np.arange(count)
    engine = _engine(vectors_of_start(start, setting.d), setting, backend)
    done = 0
    for time, step in enumerate(steps_when_runs_are_classified(setting.steps).tolist()):
        engine.advance(lam[done:step], step - done)
        done, states = step, engine.overlaps
        found = np.full(live.size, -1, np.int8)
        if done == setting.steps:
            found[:] = classify_endpoints(states, setting)
        elif stopping:
            for tube in tubes:
                found[(found < 0) & tube.is_inside(states, time)] = tube.verdict
        stopped = found >= 0
        at = live[stopped]
        result.end[at], result.verdict[at] = states[stopped], found[stopped]
        result.decided[at] = done
        if stopped.any():
            live = live[~stopped]
            if not live.size:
                break
            engine = _engine(engine.states[~stopped], setting, backend)
    return result
