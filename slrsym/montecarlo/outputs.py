"""The law of a predictor's output.

The output is T(X), as equations (1) to (3) define it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from slrsym.montecarlo.adaptive import Progress
from slrsym.montecarlo.plan import plan_of, require_dimension
from slrsym.montecarlo.positions import Directions, states_of
from slrsym.montecarlo.predictors import Predictor
from slrsym.montecarlo.quantities import OutputMoments
from slrsym.montecarlo.result import Estimate, OutputSummary, Quantile
from slrsym.task import ORACLE, OrderParameters, Task

__all__ = ["output_summary"]

# Up to how many outputs are kept for their quantiles.
_KEPT = 1_000_000

_LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)

_Array: TypeAlias = NDArray[np.float64]


def output_summary(
    predictor: Predictor,
    task: Task,
    at: ArrayLike | Directions = ORACLE,
    *,
    probabilities: ArrayLike | None = None,
    method: str = "projected",
    antithetic: bool = False,
    max_samples: int = 100_000,
    target_stderr: float | None = None,
    rng: Any = 0,
    progress: Progress | None = None,
) -> OutputSummary:
    """The law of a predictor's output: mean, second moment, product with Y, and quantiles.

    Parameters
    ----------
    predictor : HardOracle, Softmax, Erf or Linear
    task : Task
    at : array_like of shape (5,), or Directions, optional
        Overlaps kappa, nu, theta, eta, rho, or vectors in R^d; by default the oracle.
    probabilities : array_like, shape (L,), optional
        Of the locations; equal by default.
    method : {'projected', 'plain', 'conditioned'}, optional
        As for `risk_estimate`.
    antithetic : bool, optional
        Whether to draw pairs of samples that mirror each other; not for ``plain``.
    max_samples : int, optional
        How many samples of the task at most, at least 2.
    target_stderr : float, optional
        Stop as soon as the standard errors of all three moments are as small.
    rng : int, SeedSequence, Generator or None, optional
        Where the random numbers come from.
    progress : callable, optional
        Called after each block with the samples so far and the largest standard error.

    Returns
    -------
    OutputSummary
        Quantiles are those of the first million samples; there are none for ``conditioned`` and
        antithetic ones.

    Raises
    ------
    TypeError
        If the predictor or the task is none.
    ValueError
        If no vectors in R^d have these overlaps, or an argument is outside of its range.

    Examples
    --------
    >>> from slrsym import Task
    >>> from slrsym.montecarlo import HardOracle, output_summary
    >>> found = output_summary(HardOracle(), Task(d=400, L=10, gamma=0.5**0.5))
    >>> bool(abs(found.mean.zscore(0)) < 4), round(found.std, 1)
    (True, 0.7)
    """
    plan = plan_of(
        predictor,
        task,
        probabilities,
        method,
        antithetic,
        max_samples,
        target_stderr,
        rng,
        progress,
    )
    if not isinstance(at, Directions):
        states = states_of(at, task)
        if states.ndim != 1:
            raise ValueError(f"at must be one state, of shape (5,); got the shape {states.shape}")
        at = OrderParameters(*map(float, states))
    else:
        require_dimension(at, task)
    plan = plan.for_state(0)
    quantity = OutputMoments(plan.predictor)
    kept: list[_Array] = []

    def keep(rows: _Array) -> None:
        if not plan.reduced and sum(map(len, kept)) < _KEPT:
            kept.append(rows[:, 0].copy())

    moments = plan.moments(quantity, plan.source(at), keep)
    gain = plan.gain(quantity, at, moments)

    def part(i: int) -> Estimate:
        return plan.estimate(moments, gain, lambda x: float(x[i]))

    return OutputSummary(
        part(0),
        part(1),
        part(2),
        _quantiles(np.sort(np.concatenate(kept))[:_KEPT] if kept else None),
    )


def _quantiles(ordered: _Array | None) -> tuple[Quantile, ...]:
    """Quantiles of a sorted sample, between order statistics that enclose them."""
    if ordered is None:
        return ()
    n = ordered.size
    found = []
    for level in _LEVELS:
        # How many samples lie below the quantile is binomial.
        low, high = binom.ppf([0.0125, 0.9875], n, level).astype(int)
        ends = ordered[max(low - 1, 0)], ordered[min(high, n - 1)]
        found.append(Quantile(level, float(np.quantile(ordered, level)), *map(float, ends)))
    return tuple(found)
