"""What an estimator returns: a value, its standard error, and what they were made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from slrsym.kernels.arguments import number

# Of a mean of many terms, relative to it.
_ROUNDING = 8 * np.finfo(float).eps

__all__ = ["Estimate", "OutputSummary", "Quantile", "stacked"]


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean over independent observations, and how far off it may be.

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
    def reached(self) -> bool:
        """Whether the standard error is as small as was asked for; true if nothing was."""
        return self.target_stderr is None or bool(np.all(self.stderr <= self.target_stderr))

    def interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """A confidence interval for each component, by Student's law.

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
        share = number(level)
        if not 0 < share < 1:
            raise ValueError(f"level must lie in (0, 1); got {level!r}")
        half = stdtrit(self._aligned(self.observations) - 1, (1 + share) / 2) * self.stderr
        return self.value - half, self.value + half

    def zscore(self, reference: ArrayLike) -> Any:
        """How many standard errors the value lies above a reference.

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
        """Counts, one for each leading entry of the value."""
        counts = np.asarray(counts)
        return counts.reshape(counts.shape + (1,) * (np.ndim(self.value) - counts.ndim))


@dataclass(frozen=True)
class Quantile:
    """A quantile of a sampled law, and a confidence interval of level at least 0.95.

    The interval is made of order statistics: how many of n values lie below a quantile is binomial,
    whatever the law (David and Nagaraja, *Order Statistics*, 3rd ed., Section 7.1).

    Attributes
    ----------
    level : float
        The probability below it.
    value, low, high : float
        The quantile of the sample, and the order statistics that enclose that of the law.
    """

    level: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class OutputSummary:
    """The law of a predictor's output.

    The output is T(X), as equations (1) to (3) define it.

    Attributes
    ----------
    mean : Estimate
        Of the output T.
    second_moment : Estimate
        Of T^2.
    with_target : Estimate
        Of the product of T and the task's output Y.
    quantiles : tuple of Quantile
        Of T, from the samples themselves; empty if these were conditioned or paired.
    """

    mean: Estimate
    second_moment: Estimate
    with_target: Estimate
    quantiles: tuple[Quantile, ...]

    @property
    def std(self) -> float:
        """The standard deviation of T, from the two moments."""
        return float(np.sqrt(max(0.0, self.second_moment.value - self.mean.value**2)))


def stacked(estimates: Sequence[Estimate], shape: tuple[int, ...]) -> Estimate:
    """Estimates for several states, as one of arrays."""

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
