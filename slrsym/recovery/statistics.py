"""How often runs end where: counts, and Wilson's intervals of the probabilities."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

from slrsym.kernels.arguments import real_array, whole
from slrsym.recovery.verdicts import MOVING, VERDICTS

__all__ = ["CONFIDENCE", "counted", "tally", "wilson"]

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
