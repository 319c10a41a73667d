"""How certain a frequency is."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from slrsym.kernels.arguments import real_array, whole

# Of intervals.
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
    # From where on the normal law leaves half of the rest.
    z = ndtri((1 + CONFIDENCE) / 2)
    middle, half = array + z * z / 2, z * np.sqrt(array * (1 - array / total) + z * z / 4)
    lower = np.where(array == 0, 0.0, (middle - half) / (total + z * z))
    return lower, np.where(array == total, 1.0, (middle + half) / (total + z * z))
