"""Where runs end: at the oracle, at a swap point, near the manifold, elsewhere; or not at all yet.

The oracle is that of Theorem 5; swap points are those of the claims ``swap-critical`` and
``swap-least``.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

from slrsym.dynamics.spheres import curvature, vectors
from slrsym.kernels.arguments import real_array, whole
from slrsym.landscape.points import distance
from slrsym.landscape.stability import swap_point
from slrsym.task import ORACLE, Task

__all__ = [
    "CONFIDENCE",
    "MOVING",
    "NEAR",
    "STILL",
    "VERDICTS",
    "counted",
    "ends",
    "margins",
    "moving",
    "tally",
    "verdicts",
    "wilson",
]

_Array = NDArray[np.float64]

VERDICTS = ("oracle", "swap", "manifold", "elsewhere", "moving")
MOVING = VERDICTS.index("moving")

# How far any overlap may be from that of a point for a run to have ended there.
NEAR = 0.1

# How far as many steps more may take a run that has ended. Where scores are saturated, runs creep
# with the logarithm of the steps: each doubling takes them as far as the last one did.
STILL = 1e-3


def _distances(states: _Array, lam: float, task: Task) -> _Array:
    """To the oracle, to a swap point, and to M: the largest difference of an overlap, (..., 3)."""
    swap, _ = swap_point(task, lam)
    found = [distance(states, np.array(point)) for point in (ORACLE, swap)]
    found.append(np.abs(states[..., 2:]).max(axis=-1))
    return np.stack(found, axis=-1)


def verdicts(states: _Array, lam: float, task: Task) -> NDArray[np.int8]:
    """Where states are, as numbers of `VERDICTS`.

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
        ended there, a state does not say: see `ends`.

    Examples
    --------
    >>> import numpy as np
    >>> from slrsym import Task
    >>> states = np.array([[-1, -0.99, 0, 0, 0], [0, 0, 0.63, 1, 0], [0.5, 1, 0, 0, 0]])
    >>> verdicts(states, 0.1, Task(d=400, L=10, gamma=0.5**0.5)).tolist()
    [0, 1, 2]
    """
    near = _distances(np.asarray(states, dtype=np.float64), lam, task) <= NEAR
    # The first that is true; the last always is.
    whole = np.concatenate([near, np.ones((*near.shape[:-1], 1), dtype=bool)], axis=-1)
    return np.asarray(np.argmax(whole, axis=-1), dtype=np.int8)


def margins(states: _Array, lam: float, task: Task) -> _Array:
    """How far every overlap may move before the verdict changes."""
    far = _distances(states, lam, task)
    found = verdicts(states, lam, task)
    own = np.take_along_axis(far, np.minimum(found, 2)[..., None].astype(int), axis=-1)[..., 0]
    # A verdict changes where it is no longer near, or where an earlier one is.
    inside = np.where(found < 3, NEAR - own, np.inf)
    earlier = np.where(np.arange(3) < found[..., None], far - NEAR, np.inf).min(axis=-1)
    return np.asarray(np.minimum(inside, earlier))


def moving(states: _Array, lam: float, task: Task, alpha: float, steps: int) -> NDArray[np.bool_]:
    """Which states as many steps more would take farther than `STILL`, as far as they tell.

    By the length of a step there, or by a direction of negative curvature, along which whatever
    there is grows by a factor e.
    """
    slope, bend, _ = curvature(vectors(states, task), lam, task)
    time = alpha * steps
    far = time * np.linalg.norm(slope, axis=-1) > STILL
    return np.asarray(far | (-time * np.linalg.eigvalsh(bend)[:, 0] > 1))


def ends(
    states: _Array, lam: float, later: float, task: Task, alpha: float, steps: int
) -> NDArray[np.int8]:
    """Verdicts of runs after some steps; those that would go on in as many more are `MOVING`.

    The oracle and swap points attract what is near them where they are minima themselves. All
    else has ended if it stays at the inverse temperature that it has, and at a later one.
    """
    found = verdicts(states, lam, task)
    swap, _ = swap_point(task, lam)
    attract = ~moving(np.array([ORACLE, swap]), lam, task, alpha, steps)
    for at in (lam, later):
        asked = np.flatnonzero(~np.append(attract, [False, False, True])[found])
        if asked.size:
            found[asked[moving(states[asked], at, task, alpha, steps)]] = MOVING
    return found


CONFIDENCE = 0.95


def wilson(counts: ArrayLike, total: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's intervals of probabilities, which hold them with probability `CONFIDENCE`.

    The interval is that of E. B. Wilson, Journal of the American Statistical Association 22 (1927).

    Parameters
    ----------
    counts : array_like of int, any shape
        How often each was seen.
    total : int
        Among how many, at least 1.

    Returns
    -------
    lower, upper : ndarray, of the shape of `counts`

    Raises
    ------
    ValueError
        If `total` is not an integer of at least 1, or a count is not one from 0 to `total`.

    Examples
    --------
    >>> lower, upper = wilson([16], 300)
    >>> [lower.round(3).tolist(), upper.round(3).tolist()]
    [[0.033], [0.085]]
    """
    total = whole("total", total, 1)
    array = real_array("counts", counts)
    if not ((array >= 0) & (array <= total) & (array == np.floor(array))).all():
        raise ValueError(f"counts must be integers from 0 to {total}; got {counts!r}")
    found = np.array(
        [
            binomtest(int(k), total).proportion_ci(CONFIDENCE, method="wilson")
            for k in array.reshape(-1)
        ]
    ).reshape(*array.shape, 2)
    return found[..., 0], found[..., 1]


def tally(verdict: NDArray[np.int8]) -> NDArray[np.int32]:
    """How many runs have each verdict."""
    numbers = np.arange(len(VERDICTS))
    found: NDArray[np.int32] = np.sum(
        verdict[..., None, :] == numbers[:, None], axis=-1, dtype=np.int32
    )
    return found


def counted(counts: NDArray[np.int32], runs: int, names: tuple[str, ...]) -> dict[str, xr.Variable]:
    """Counts, fractions and intervals as labelled variables: of the runs that have ended.

    Of those that still move there is the fraction of all runs, and no interval.
    """
    rows = counts.reshape(-1, len(VERDICTS))
    fraction, lower, upper = (np.full(rows.shape, np.nan) for _ in range(3))
    ends = np.arange(len(VERDICTS)) != MOVING
    for i, row in enumerate(rows):
        fraction[i, MOVING] = row[MOVING] / runs
        if ended := int(row[ends].sum()):
            fraction[i, ends] = row[ends] / ended
            lower[i, ends], upper[i, ends] = wilson(row[ends], ended)
    values = {"count": rows, "fraction": fraction, "lower": lower, "upper": upper}
    return {
        name: xr.Variable((*names, "verdict"), value.reshape(counts.shape))
        for name, value in values.items()
    }
