"""The bifurcation diagram: critical points as the inverse temperature changes.

The critical points are those of the risk, equation (6), on the product of the spheres.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.arguments import explain_arguments, require_integer
from slrsym.papers.single_location.dynamics.spheres import (
    dimensions_needed_for_critical_points,
    normalised,
    overlaps_of_vectors,
)
from slrsym.papers.single_location.landscape.continuation import (
    BranchPoint,
    HalfBranch,
    correct_to_critical_point,
    follow_branch,
    morse_indices_and_outer_curvatures,
)
from slrsym.papers.single_location.landscape.critical_point_enclosures import enclose_critical_point
from slrsym.papers.single_location.landscape.enumeration import (
    points_fixed_by_symmetry,
    search_critical_points,
)
from slrsym.papers.single_location.landscape.points import (
    OVERLAP_SIGNS,
    canonical_states,
    distance_up_to_symmetry,
    number_repeated_names,
    point_name,
    require_inverse_temperature,
)
from slrsym.papers.single_location.paper_risk import excess_risk
from slrsym.papers.single_location.task import OrderParameters, Task

_Array = NDArray[np.float64]

_SAME = 1e-4


@dataclass(frozen=True)
class BranchEvent:
    """An event on a branch of critical points: fold, fork, or change of stability.

    Parameters
    ----------
    kind : {'fold', 'pitchfork', 'stability'}
        It turns back in lambda; it meets its mirror image, mostly on a branch of more symmetry; or
        the number of descending directions changes, mostly because another branch is born there.
    lam : float
    state : OrderParameters
    """

    kind: str
    lam: float
    state: OrderParameters


@dataclass(frozen=True, eq=False)
class Branch:
    """A branch of critical points of the risk, sampled along a range of inverse temperatures.

    Parameters
    ----------
    name : str
        As in `CriticalPoint`, with a number where several have the same name.
    lam : ndarray, shape (n,)
        Inverse temperatures.
    points : ndarray, shape (n, 2, m)
        k and v, in coordinates of which the first two are along k* and v*.
    states : ndarray, shape (n, 5)
        Overlaps.
    excess_risk : ndarray, shape (n,)
    index : ndarray of int, shape (n,)
        How many directions descend, in all d dimensions.
    events : tuple of Event
        In order of lambda.
    """

    name: str
    lam: _Array
    points: _Array
    states: _Array
    excess_risk: _Array
    index: NDArray[np.int_]
    events: tuple[BranchEvent, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the branch as plain data for JSON."""
        return {
            "name": self.name,
            "lam": self.lam.tolist(),
            "states": self.states.tolist(),
            "excess_risk": self.excess_risk.tolist(),
            "index": self.index.tolist(),
            "events": [
                {"kind": e.kind, "lam": e.lam, "state": e.state._asdict()} for e in self.events
            ],
        }


@explain_arguments
def follow_branches(
    task: Task,
    low: float,
    high: float,
    *,
    anchors: int = 6,
    max_expected_missed: float = 0.3,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> list[Branch]:
    """Return the branches of all critical points over a range of inverse temperatures.

    Parameters
    ----------
    task : Task
    low, high : float
        The range, positive and increasing.
    anchors : int, optional
        At how many inverse temperatures critical points are looked for, two at least. A branch that
        lives between two of them only is missed.
    max_expected_missed : float, optional
        As for `find_critical_points`, at each of them.
    seed : int, optional
    progress : callable, optional
        Called with the part that is done.

    Returns
    -------
    list of Branch
        Without the null point, which is the same at all inverse temperatures.

    Raises
    ------
    ValueError
        If a number is out of its range, or the range does not go upwards.
    TypeError
        If `task` is not a `slrsym.papers.single_location.Task`.
    """
    require_inverse_temperature(low, task)
    require_inverse_temperature(high, task)
    if not low < high:
        raise ValueError(f"low must be less than high; got {low!r} and {high!r}")
    anchors = require_integer("anchors", anchors, 2)
    inverse_temperatures = np.geomspace(low, high, anchors)
    inverse_temperatures[[0, -1]] = low, high
    grid = np.geomspace(low, high, 61)
    grid[[0, -1]] = low, high
    found = [
        _fixed(point, grid, task)
        for point in points_fixed_by_symmetry(dimensions_needed_for_critical_points(task))
    ]
    for number, lam in enumerate(inverse_temperatures.tolist()):
        if progress is not None:
            progress(number / anchors)
        register, _, _ = search_critical_points(task, lam, max_expected_missed, 20_000, seed)
        for entry in register.entries:
            if entry.enclosure is None or _known(entry.state, lam, found, task):
                continue
            point = entry.point
            # Where the risk is flat out of the plane, a branch in it must not stray.
            if point.shape[1] > 2 and np.abs(point[:, 2:]).max() < 1e-9:
                point = point[:, :2]
            traces = [follow_branch(point, lam, task, side, low, high) for side in (-1, 1)]
            found.append(_branch(traces, task))
    if progress is not None:
        progress(1.0)
    ordered = sorted(found, key=lambda b: float(b.excess_risk[np.argmin(b.lam)]))
    return number_repeated_names(ordered)


def _known(state: _Array, lam: float, found: list[Branch], task: Task) -> bool:
    """Return whether a known branch passes through a critical point."""
    for branch in found:
        above = branch.lam >= lam
        here = np.flatnonzero(np.abs(np.log(branch.lam / lam)) < 1e-9)
        points = [branch.points[i] for i in here]
        points += [
            _between(branch, i, lam, task) for i in np.flatnonzero(above[1:] != above[:-1]).tolist()
        ]
        for point in points:
            if distance_up_to_symmetry(overlaps_of_vectors(point), state) < _SAME:
                return True
    return False


def _between(branch: Branch, i: int, lam: float, task: Task) -> _Array:
    ends = np.log(branch.lam[i : i + 2])
    part = (math.log(lam) - ends[0]) / (ends[1] - ends[0])
    mean = normalised((1 - part) * branch.points[i] + part * branch.points[i + 1])
    exact = correct_to_critical_point(mean, lam, task)
    return mean if exact is None else exact


def _branch_of(
    name: str, lam: _Array, points: _Array, index: list[int], events: list[BranchEvent], task: Task
) -> Branch:
    states = overlaps_of_vectors(points)
    # The same image of all places, so that the curve is continuous.
    middle = states[len(states) // 2]
    image = next(
        s for s in OVERLAP_SIGNS if np.allclose(s * middle, canonical_states(middle), atol=1e-6)
    )
    return Branch(
        name,
        lam,
        points,
        image * states + 0.0,
        excess_risk(states, lam, task),
        np.array(index),
        tuple(sorted(events, key=lambda e: e.lam)),
    )


def _state(point: _Array) -> OrderParameters:
    return OrderParameters(*(float(x) for x in canonical_states(overlaps_of_vectors(point))))


# -- branches that symmetries fix --------------------------------------------------------------


def _fixed(point: _Array, grid: _Array, task: Task) -> Branch:
    """Return the branch of a point that is critical at all inverse temperatures."""
    points = np.broadcast_to(point, (len(grid), *point.shape))
    indices = _indices(points, grid, task)
    events = []
    for i in range(len(grid) - 1):
        if indices[i] != indices[i + 1]:
            low, high = grid[i], grid[i + 1]
            while high / low - 1 > 1e-8:
                middle = math.sqrt(low * high)
                same = _indices(point, np.float64(middle), task)[0] == indices[i]
                low, high = (middle, high) if same else (low, middle)
            events.append(BranchEvent("stability", float(math.sqrt(low * high)), _state(point)))
    return _branch_of(point_name(_state(point)), grid, points, indices, events, task)


# -- branches that are followed ----------------------------------------------------------------


def _branch(traces: list[HalfBranch], task: Task) -> Branch:
    """Join the two halves of a branch, followed in opposite directions from one point."""
    down, up = traces
    places: list[BranchPoint] = [*reversed(down.places[1:]), *up.places]
    points = np.array([_embedded(p.point, task) for p in places])
    inverse_temperatures = np.exp([p.log_lam for p in places])
    index = _indices(points, inverse_temperatures, task)
    turns = [
        BranchEvent(kind, math.exp(p.log_lam), _state(p.point))
        for trace in traces
        for kind, p in trace.events
        if kind != "crossing"
    ]
    for i in np.flatnonzero(np.diff(index)):
        low, high = np.sort(inverse_temperatures[i : i + 2])
        if not any(low * (1 - 1e-6) <= e.lam <= high * (1 + 1e-6) for e in turns):
            ends = (float(inverse_temperatures[i]), float(inverse_temperatures[i + 1]))
            turns.append(_change(points[i], points[i + 1], *ends, task=task))
    name = point_name(_state(up.places[0].point))
    return _branch_of(name, inverse_temperatures, points, index, turns, task)


def _embedded(point: _Array, task: Task) -> _Array:
    more = dimensions_needed_for_critical_points(task) - point.shape[1]
    return np.pad(point, ((0, 0), (0, more)))


def _change(before: _Array, after: _Array, low: float, high: float, task: Task) -> BranchEvent:
    """Locate a change of a branch's index between two points by bisection; return the event."""
    start = _indices(before, np.float64(low), task)
    for _ in range(30):
        lam = math.sqrt(low * high)
        middle = correct_to_critical_point(normalised(before + after), lam, task)
        if middle is None:
            break
        if _indices(middle, np.float64(lam), task) == start:
            before, low = middle, lam
        else:
            after, high = middle, lam
    return BranchEvent("stability", math.sqrt(low * high), _state(before))


def _indices(points: _Array, lam: Any, task: Task) -> list[int]:
    """Return the number of descending directions at each point, certified where in doubt."""
    more = task.d - points.shape[-1]
    descending, across, sure = morse_indices_and_outer_curvatures(points, lam, task)
    found = np.atleast_1d(descending + more * (across < 0).sum(axis=-1)).tolist()
    for i in np.flatnonzero(~np.atleast_1d(sure)):
        point = points.reshape(-1, *points.shape[-2:])[i]
        enclosure = enclose_critical_point(point, float(np.atleast_1d(lam)[i]), task)
        if enclosure is not None and enclosure.is_decided:
            found[i] = int(enclosure.inside[0] + more * enclosure.across[0])
    return [int(x) for x in found]
