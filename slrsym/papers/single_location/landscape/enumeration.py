"""Critical points of the risk of a task: those of its model, with the paper's names.

The risk is that of equation (6), on the product of the spheres of k and v. The search is that of
every model, in three dimensions, where claim ``landscape-independent`` has all critical points but
one family. What is the task's own are the law of the starts, and the names.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slrsym.kernels.arguments import explain_arguments, float_or_nan, require_integer
from slrsym.models.landscape.branches import Branch, follow_parameter_branches
from slrsym.models.landscape.critical_point_table import (
    CriticalPoint,
    CriticalPoints,
    number_repeated_names,
)
from slrsym.models.landscape.critical_points import describe_point, search_in_batches
from slrsym.models.landscape.distinct_points import KnownPoints
from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections
from slrsym.models.landscape.search_starts import Starts
from slrsym.papers.single_location.dynamics.spheres import (
    SPHERES,
    dimensions_needed_for_critical_points,
)
from slrsym.papers.single_location.landscape.points import point_name, require_inverse_temperature
from slrsym.papers.single_location.models import task_model
from slrsym.papers.single_location.task import OrderParameters, Task

_Array = NDArray[np.float64]


class TaskStarts(Starts):
    """Random points where searches for critical points of a task begin, with the risk there.

    Parameters
    ----------
    task : Task
    lam : float
        Inverse temperature.
    rng : Generator
    m : int, optional
        How many coordinates k and v have, the first two along k* and v*; by default as many as
        critical points need.
    """

    def __init__(self, task: Task, lam: float, rng: Generator, m: int | None = None) -> None:
        m = dimensions_needed_for_critical_points(task) if m is None else m
        stated = task_model()
        self._by_name = {
            "lambda": lam, "gamma": task.gamma, "d": task.d, "L": task.L, "epsilon": task.epsilon
        }  # fmt: skip
        row = np.array([self._by_name[p.name] for p in stated.parameters], dtype=np.float64)
        axes = {r"k^\star": 0, r"v^\star": 1}
        fixed = np.eye(2, m)[[axes[x.name] for x in stated.fixed_directions]]
        self.there = RiskOfTrainedDirections(stated, row, fixed, [task.d])
        self._task, self._lam, self._rng = task, lam, rng

    @property
    def by_name(self) -> dict[str, Any]:
        return self._by_name

    def draw(self, count: int) -> tuple[RiskOfTrainedDirections, _Array]:
        """Draw pairs of unit vectors k and v, from four laws in turn; return the risk and them."""
        task, lam, rng = self._task, self._lam, self._rng
        points = rng.standard_normal((count, 2, self.there.fixed.shape[1]))
        points = SPHERES.normalise(points)
        drift = math.sqrt(task.d / 2)
        scores = min(1.0, 2 * math.hypot(1, math.sqrt(2) * lam * task.gamma) / (lam * drift))
        # What searches begin with changes from one start to the next, in fours.
        kinds = np.arange(count) // 4 % 4
        points[kinds == 1, 0, 0] *= scores
        points[kinds == 1, 1, 0] *= min(1.0, 2 / drift)
        points[kinds == 2, 0, 0] *= scores
        points[kinds == 2, 1, 0] *= min(1.0, 2 / drift)
        points[kinds == 2, :, 2:] = 0.0
        near = points[kinds == 3]
        reach = 10.0 ** rng.uniform(-4, 0, len(near)) * (rng.uniform(size=len(near)) > 0.1)
        # k from v*, and v from where it has no part along v*.
        near[:, 0, 1] = np.sign(near[:, 0, 1])
        near[:, 0, 0] *= scores * reach
        near[:, 0, 2:] *= reach[:, None]
        near[:, 1, 0] *= scores
        near[:, 1, 1] *= reach
        points[kinds == 3] = near
        return self.there, SPHERES.normalise(points)


def task_risk(task: Task, lam: float, m: int | None = None) -> KnownPoints:
    """Return the risk of a task as a function of k and v in m coordinates, without any point yet.

    The first two coordinates are along k* and v*; by default there are as many as critical points
    need.
    """
    starts = TaskStarts(task, lam, np.random.default_rng(0), m)
    return KnownPoints(starts.there, starts.by_name)


@explain_arguments
def find_critical_points(
    task: Task,
    lam: float,
    *,
    max_expected_missed: float = 0.1,
    max_starts: int = 40_000,
    rng: int = 0,
) -> CriticalPoints:
    """Find the critical points of the risk as a function of k and v on the spheres.

    Parameters
    ----------
    task : Task
    lam : float
        Inverse temperature, positive.
    max_expected_missed : float, optional
        Stop once the expected number of undiscovered points, `SearchCoverage.expected_missed`, is
        at most this, unless the indices of those found violate the theorem of Poincare and Hopf
        (`CriticalPoints.is_balanced`).
    max_starts : int, optional
        Maximum number of searches.
    rng : int, optional
        Seed of the starts.

    Returns
    -------
    CriticalPoints
        In order of their excess risk, one of each set that symmetries relate.

    Raises
    ------
    ValueError
        If a number is out of its range.
    TypeError
        If `task` is none.

    Notes
    -----
    Starts are random, and every other time led along valleys between points that are known. That
    nothing is missing is likely, and not proved: a point that few starts lead to may be missed
    together with another of the opposite sign.

    Examples
    --------
    >>> from slrsym.papers.single_location import Task
    >>> from slrsym.papers.single_location.landscape import find_critical_points
    >>> task = Task(d=400, L=10, gamma=0.5**0.5)
    >>> found = find_critical_points(task, 0.1, max_expected_missed=0.5)
    >>> [point.name for point in found.minima]
    ['oracle', 'swap']
    >>> found.is_balanced
    True
    """
    require_inverse_temperature(lam, task)
    known = search_critical_points(task, float(lam), max_expected_missed, max_starts, rng)
    points = [_described(known, entry) for entry in known.entries]
    ordered = sorted(points, key=lambda p: (p.excess_risk, p.state))
    return CriticalPoints(
        OrderParameters._fields, tuple(number_repeated_names(ordered)), known.coverage,
        len(known.symmetries.transformations), known.euler_sum(), known.euler_expected,
        known.by_name,
    )  # fmt: skip


def _described(known: KnownPoints, entry: Any) -> CriticalPoint:
    found = describe_point(known, entry)
    state = OrderParameters(*map(float, found.state))
    if entry.enclosure is None:
        # No sign is certain.
        found = replace(
            found, index=sum(n for x, n in found.spectrum if x < 0), flat=len(found.eigenvalues)
        )
    return replace(found, state=state, name=point_name(state))


_BATCH = 512


def search_critical_points(
    task: Task, lam: float, max_expected_missed: float, max_starts: int, rng: int
) -> KnownPoints:
    """Search for critical points of a task, as for those of a model; return them."""
    if not float_or_nan(max_expected_missed) > 0:
        raise ValueError(f"max_expected_missed must be positive; got {max_expected_missed!r}")
    max_starts = require_integer("max_starts", max_starts, 1)
    generator = np.random.default_rng(require_integer("rng", rng, 0))
    return search_in_batches(
        TaskStarts(task, lam, generator), generator, min(_BATCH, max_starts), max_expected_missed,
        max_starts, False, enclose=True, isolated=True,
    )  # fmt: skip


@explain_arguments
def follow_branches(
    task: Task,
    low: float,
    high: float,
    *,
    anchors: int = 6,
    max_expected_missed: float = 0.3,
    rng: int = 0,
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
    rng : int, optional
        Seed of the starts, the same at each of them.
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

    def search(lam: float) -> KnownPoints:
        return search_critical_points(task, lam, max_expected_missed, 20_000, rng)

    def name(known: KnownPoints, state: _Array) -> str:
        return point_name(OrderParameters(*map(float, known.copies(state)[1])))

    return follow_parameter_branches(
        "lambda", low, high, search, name, anchors=anchors, progress=progress
    )
