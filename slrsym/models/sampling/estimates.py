"""Monte Carlo estimates, with their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from slrsym.kernels.arguments import float_or_nan

# Of a mean of many terms, relative to it.
_ROUNDING = 8 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Estimate:
    """A Monte Carlo estimate: the mean over independent observations, with its error.

    Attributes
    ----------
    value : float or ndarray
        The mean. Its shape is that of the estimated quantity, after the leading axes of the states.
    stderr : float or ndarray, the shape of `value`
        The standard error of each of its components.
    samples : int or ndarray of int, the shape of the leading axes
        How many times the task was sampled; both of an antithetic pair count.
    observations : int or ndarray of int, the shape of the leading axes
        How many independent terms the mean has: as many as samples, or half as many for pairs.
    gain : float, ndarray of the shape of `value`, or None
        By which factor variance reduction made the variance smaller, for the same number of samples
        of the task; less than 1 if it made it larger. None where there was nothing to reduce.
    target_stderr : float or None
        The standard error that was asked for.
    """

    value: Any
    stderr: Any
    samples: Any
    observations: Any
    gain: Any = None
    target_stderr: float | None = None

    @property
    def is_reached(self) -> bool:
        """Whether the standard error is below the target; true if there is no target."""
        return self.target_stderr is None or bool(np.all(self.stderr <= self.target_stderr))

    def interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """Return lower and upper ends of the estimate's confidence intervals, by Student's law.

        Parameters
        ----------
        level : float, optional
            The probability that it holds the true value, in (0, 1).

        Returns
        -------
        low, high : float or ndarray

        Raises
        ------
        ValueError
            If the level is not in (0, 1).
        """
        share = float_or_nan(level)
        if not 0 < share < 1:
            raise ValueError(f"level must lie in (0, 1); got {level!r}")
        half = stdtrit(self._aligned(self.observations) - 1, (1 + share) / 2) * self.stderr
        return self.value - half, self.value + half

    def zscore(self, reference: ArrayLike) -> Any:
        """Return the estimate's deviation from a reference value, in standard errors.

        Parameters
        ----------
        reference : array_like
            It broadcasts with the value.

        Returns
        -------
        float or ndarray
            Zero where the two are equal up to rounding; infinite where they differ and the standard
            error is zero.
        """
        other = np.asarray(reference, dtype=np.float64)
        apart = np.asarray(self.value) - other
        rounding = _ROUNDING * np.maximum(np.abs(self.value), np.abs(other))
        with np.errstate(divide="ignore", invalid="ignore"):
            z = apart / self.stderr
        return np.where(np.abs(apart) <= rounding, 0.0, z)[()]

    def _aligned(self, counts: Any) -> Any:
        """Reshape counts so that they broadcast with the estimate's value."""
        counts = np.asarray(counts)
        return counts.reshape(counts.shape + (1,) * (np.ndim(self.value) - counts.ndim))


def stack_estimates(estimates: Sequence[Estimate], shape: tuple[int, ...]) -> Estimate:
    """Combine the estimates for several states to one estimate with array values."""

    def joined(name: str) -> Any:
        parts = np.array([getattr(e, name) for e in estimates])
        return parts.reshape(shape + parts.shape[1:])[()]

    gain = None if estimates[0].gain is None else joined("gain")
    return Estimate(
        joined("value"),
        joined("stderr"),
        joined("samples"),
        joined("observations"),
        gain,
        estimates[0].target_stderr,
    )
