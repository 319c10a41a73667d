"""Means and covariances of observations that come in parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Moments"]

# Up to this many components the whole covariance is kept, not the variances alone.
_SMALL = 16


class Moments:
    """Mean and covariance, updated part by part in a way that loses no digits to large means.

    Notes
    -----
    Each part gives its own mean and centred sum of squares; two of these are merged as in T. F.
    Chan, G. H. Golub, R. J. LeVeque, *Algorithms for computing the sample variance* (1983).
    """

    def __init__(self, size: int) -> None:
        self.count = 0
        self.mean = np.zeros(size)
        self._whole = size <= _SMALL
        self._squares = np.zeros((size, size) if self._whole else size)

    def add(self, rows: NDArray[np.float64]) -> None:
        """Take in observations."""
        if not len(rows):
            return
        mean = rows.mean(axis=0)
        centred = rows - mean
        apart = mean - self.mean
        total = self.count + len(rows)
        weight = self.count * (len(rows) / total)
        if self._whole:
            self._squares += centred.T @ centred + weight * np.outer(apart, apart)
        else:
            self._squares += np.einsum("ni,ni->i", centred, centred) + weight * apart**2
        self.mean = self.mean + apart * (len(rows) / total)
        self.count = total

    @property
    def variance(self) -> NDArray[np.float64]:
        """Variance of each component of one observation, shape (size,)."""
        squares = np.diag(self._squares) if self._whole else self._squares
        return squares / (self.count - 1)

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance of one observation, shape (size, size); for few components only."""
        if not self._whole:
            raise ValueError(f"covariances are kept for at most {_SMALL} components")
        return self._squares / (self.count - 1)

    @property
    def stderr(self) -> NDArray[np.float64]:
        """Standard errors of the mean, shape (size,)."""
        return np.sqrt(self.variance / self.count)
