"""Estimators of the risk, of its gradient, and of the outputs of a predictor."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from slrsym.papers.single_location.montecarlo.plan import (
    Directions,
    SamplingPlan,
    estimate_at_states,
    make_plan,
    overlap_gradients_gram_matrix,
    require_feasible_overlaps,
    require_task_dimension,
)
from slrsym.papers.single_location.montecarlo.predictors import (
    AttentionPredictorBase,
    Predictor,
    output_moment_integrands,
    overlap_gradients,
    squared_errors,
    vector_gradients,
)
from slrsym.papers.single_location.montecarlo.sampling import (
    Estimate,
    OutputSummary,
    Progress,
    Quantile,
)
from slrsym.papers.single_location.task import ORACLE, OrderParameters, Task

_Array: TypeAlias = NDArray[np.float64]


def risk_estimate(
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
) -> Estimate:
    r"""Estimate the risk :math:`\mathbb{E}(Y - T(X))^2`, equation (6), by sampling.

    Parameters
    ----------
    predictor : HardOracle, Softmax, Erf or Linear
        The hard oracle and linear predictors have the true directions, whatever `at` says.
    task : Task
        Dimension, number of tokens, gamma, epsilon. The noise is drawn from a normal law.
    at : array_like of shape (..., 5), or Directions, optional
        Overlaps kappa, nu, theta, eta, rho, or vectors in R^d; by default the oracle.
    probabilities : array_like, shape (L,), optional
        Of the locations; equal by default.
    method : {'projected', 'plain', 'conditioned'}, optional
        ``plain`` draws whole tokens in R^d, as the task is defined; ``projected`` the coordinates
        that matter, exactly in law and at a cost free of d; ``conditioned`` the attention scores
        alone, over which the squared error is averaged in closed form given these.
    antithetic : bool, optional
        Whether to draw pairs of samples that mirror each other; not for ``plain``.
    max_samples : int, optional
        How many samples of the task at most, at least 2; exactly so many if there is no target. Of
        an odd number, one is left out for pairs.
    target_stderr : float, optional
        Stop as soon as the standard error is as small; it is looked at after every 4096
        observations, two times at least.
    rng : int, SeedSequence, Generator or None, optional
        Where the random numbers come from. Each state has its own stream.
    progress : callable, optional
        Called after each block with the samples so far and the standard error.

    Returns
    -------
    Estimate
        Of floats, or of arrays of shape (...).

    Raises
    ------
    TypeError
        If the predictor or the task is none.
    ValueError
        If no vectors in R^d have these overlaps, or an argument is outside of its range.

    Notes
    -----
    Which random numbers are drawn does not depend on how many are held in memory at once, which is
    about 8 megabytes, or one token if that is larger; more samples begin with those of fewer.
    Stopping at a target makes the interval shorter than its level by a little, as any rule does
    that looks at the data. Where the attention is saturated, for a large mean score, what is left
    of a risk or a gradient may rest on samples that are too rare to be met; an estimate without
    them is off by more than its standard error says.

    Examples
    --------
    >>> from slrsym.papers.single_location import Task, risk
    >>> from slrsym.papers.single_location.montecarlo import Erf, risk_estimate
    >>> task, state = Task(d=400, L=10, gamma=0.5**0.5), [0.5, 0.6, 0.1, -0.2, 0.3]
    >>> found = risk_estimate(Erf(0.1), task, state)
    >>> bool(abs(found.zscore(risk(state, 0.1, task))) < 4)
    True
    >>> risk_estimate(Erf(0.1), task, state, method="conditioned").gain > 1
    True
    """
    how = (probabilities, method, antithetic, max_samples, target_stderr, rng, progress)
    plan = make_plan(predictor, task, *how)
    quantity = partial(squared_errors, plan.predictor)

    def estimate_at(plan: SamplingPlan, at: OrderParameters | Directions) -> Estimate:
        moments = plan.sample_moments(quantity, plan.sample_source(at))
        return plan.estimate(
            moments, plan.variance_gain(quantity, at, moments), lambda x: float(x[0])
        )

    return estimate_at_states(plan, at, estimate_at)


def gradient_estimate(
    predictor: AttentionPredictorBase,
    task: Task,
    at: ArrayLike | Directions = ORACLE,
    *,
    kind: str = "euclidean",
    probabilities: ArrayLike | None = None,
    method: str = "projected",
    antithetic: bool = False,
    max_samples: int = 100_000,
    target_stderr: float | None = None,
    rng: Any = 0,
    progress: Progress | None = None,
) -> Estimate:
    r"""Estimate the gradient of the risk in k and v from samples of the task.

    The risk is that of equation (6), and no closed form of it is used.

    Parameters
    ----------
    predictor : Softmax or Erf
        One that has directions of its own.
    task : Task
        Dimension, number of tokens, gamma, epsilon. The noise is drawn from a normal law.
    at : array_like of shape (..., 5), or Directions, optional
        Overlaps kappa, nu, theta, eta, rho, or vectors in R^d; by default the oracle's overlaps.
    kind : {'euclidean', 'riemannian'}, optional
        At overlaps: partial derivatives in these; or the velocities of the overlaps along the
        Riemannian gradient on the product of two spheres. At vectors: the gradients of the risk as
        a function on R^d, of vectors of any length; or their projections to the tangent spaces.
    probabilities : array_like, shape (L,), optional
        As for `risk_estimate`.
    method : {'projected', 'plain', 'conditioned'}, optional
        As for `risk_estimate`. At vectors, ``projected`` draws tokens in the span of the four
        vectors, which holds the gradient; ``conditioned``, like `antithetic`, is for overlaps.
    antithetic, max_samples, target_stderr, rng, progress : optional
        As for `risk_estimate`; an error is the largest of all components.

    Returns
    -------
    Estimate
        Of shape (..., 5) at overlaps, (2, d) at vectors, k first.

    Raises
    ------
    TypeError
        If the predictor or the task is none.
    ValueError
        If the predictor has no directions of its own, no vectors in R^d have these overlaps, or an
        argument is outside of its range.

    Notes
    -----
    At vectors each sample is differentiated. In the order parameters, derivatives are those of the
    means and covariances of the coordinates, which hold on the boundary of the feasible set, too.

    Examples
    --------
    >>> from slrsym.papers.single_location import Task, gradient
    >>> from slrsym.papers.single_location.montecarlo import Erf, gradient_estimate
    >>> task, state = Task(d=400, L=10, gamma=0.5**0.5), [0.5, 0.6, 0.1, -0.2, 0.3]
    >>> found = gradient_estimate(Erf(0.1), task, state)
    >>> bool((abs(found.zscore(gradient(state, 0.1, task))) < 4).all())
    True
    """
    how = (probabilities, method, antithetic, max_samples, target_stderr, rng, progress)
    plan = make_plan(predictor, task, *how)
    if kind not in ("euclidean", "riemannian"):
        raise ValueError(f"kind must be 'euclidean' or 'riemannian'; got {kind!r}")
    if predictor.oracle or not isinstance(predictor, AttentionPredictorBase):
        raise ValueError(
            f"predictor must have directions k, v of its own, as Softmax and Erf do; "
            f"got {predictor!r}"
        )
    riemannian = kind == "riemannian"
    if isinstance(at, Directions):
        require_task_dimension(at, task)
        if plan.uses_variance_reduction:
            raise ValueError(
                "method must be 'plain' or 'projected', and antithetic False, for a gradient at "
                "vectors; variance is reduced at overlaps"
            )
        return _vector_gradient(plan.for_state(0), predictor, at, riemannian)

    def estimate_at(plan: SamplingPlan, at: OrderParameters | Directions) -> Estimate:
        assert isinstance(at, OrderParameters)
        metric = overlap_gradients_gram_matrix(at, task) if riemannian else None
        quantity = partial(overlap_gradients, predictor, task, metric=metric)
        moments = plan.sample_moments(quantity, plan.sample_source(at))
        return plan.estimate(moments, plan.variance_gain(quantity, at, moments), lambda x: x)

    return estimate_at_states(plan, at, estimate_at)


def _vector_gradient(
    plan: SamplingPlan, predictor: AttentionPredictorBase, at: Directions, riemannian: bool
) -> Estimate:
    if plan.method == "plain":
        quantity = partial(vector_gradients, predictor, at.k, at.v, riemannian)
        moments = plan.sample_moments(quantity, plan.whole_token_source(at, kept=True))
        return plan.estimate(moments, None, lambda x: x.reshape(2, -1))
    small, frame = at.in_span_basis()
    quantity = partial(vector_gradients, predictor, small.k, small.v, riemannian)
    moments = plan.sample_moments(quantity, plan.whole_token_source(small, kept=True))
    m = frame.shape[1]
    blocks = (moments.covariance[:m, :m], moments.covariance[m:, m:])
    variances = [np.einsum("di,ij,dj->d", frame, block, frame) for block in blocks]
    stderr = np.sqrt(np.maximum(variances, 0.0) / moments.count)
    found = plan.estimate(moments, None, lambda x: x)
    return replace(found, value=moments.mean.reshape(2, m) @ frame.T, stderr=stderr)


# Up to how many outputs are kept for their quantiles.
_KEPT = 1_000_000

_LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)


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
    """Return moments and quantiles of a predictor's outputs on samples of the task.

    The output is T(X), as equations (1) to (3) define it.

    Parameters
    ----------
    predictor : HardOracle, Softmax, Erf or Linear
    task : Task
    at : array_like of shape (5,), or Directions, optional
        Overlaps kappa, nu, theta, eta, rho, or vectors in R^d; by default the oracle.
    probabilities : array_like, shape (L,), optional
        As for `risk_estimate`, like all that follows; an error is the largest of all three moments.
    method, antithetic, max_samples, target_stderr, rng, progress : optional
        As there.

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
    >>> from slrsym.papers.single_location import Task
    >>> from slrsym.papers.single_location.montecarlo import HardOracle, output_summary
    >>> found = output_summary(HardOracle(), Task(d=400, L=10, gamma=0.5**0.5))
    >>> bool(abs(found.mean.zscore(0)) < 4), round(found.std, 1)
    (True, 0.7)
    """
    settings = probabilities, method, antithetic, max_samples, target_stderr, rng, progress
    plan = make_plan(predictor, task, *settings).for_state(0)
    if not isinstance(at, Directions):
        states = require_feasible_overlaps(at, task)
        if states.ndim != 1:
            raise ValueError(f"at must be one state, of shape (5,); got the shape {states.shape}")
        at = OrderParameters(*map(float, states))
    else:
        require_task_dimension(at, task)
    quantity = partial(output_moment_integrands, plan.predictor)
    kept: list[_Array] = []

    def keep(rows: _Array) -> None:
        if not plan.uses_variance_reduction and sum(map(len, kept)) < _KEPT:
            kept.append(rows[:, 0].copy())

    moments = plan.sample_moments(quantity, plan.sample_source(at), keep)
    gain = plan.variance_gain(quantity, at, moments)

    def part(i: int) -> Estimate:
        return plan.estimate(moments, gain, lambda x: float(x[i]))

    return OutputSummary(
        part(0),
        part(1),
        part(2),
        _quantiles(np.sort(np.concatenate(kept))[:_KEPT] if kept else None),
    )


def _quantiles(ordered: _Array | None) -> tuple[Quantile, ...]:
    """Return quantiles of a sorted sample, with order statistics as confidence bounds."""
    if ordered is None:
        return ()
    n = ordered.size
    found = []
    for level in _LEVELS:
        # How many samples lie below the quantile is binomial.
        low, high = scipy.stats.binom.ppf([0.0125, 0.9875], n, level).astype(int)
        ends = ordered[max(low - 1, 0)], ordered[min(high, n - 1)]
        found.append(Quantile(level, float(np.quantile(ordered, level)), *map(float, ends)))
    return tuple(found)
