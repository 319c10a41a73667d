"""The estimators: of the risk, of its gradient, and of the law of the output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from slrsym.kernels.arguments import positive, whole
from slrsym.linear import best_linear
from slrsym.montecarlo.adaptive import Progress, Quantity, root_of, sampled
from slrsym.montecarlo.draws import Coordinates, Locations, Tokens
from slrsym.montecarlo.moments import Moments
from slrsym.montecarlo.positions import ORACLE, Directions, metric, states_of
from slrsym.montecarlo.predictors import Attention, Linear, Predictor
from slrsym.montecarlo.quantities import Loss, OutputMoments, OverlapGradient, VectorGradient
from slrsym.montecarlo.result import Estimate, OutputSummary, Quantile, stacked
from slrsym.task import OrderParameters, Task

__all__ = ["METHODS", "gradient_estimate", "output_summary", "risk_estimate"]

METHODS = ("plain", "projected", "conditioned")

# How many observations the variance without reduction is measured with.
_PILOT = 10_000

# Up to how many outputs are kept for their quantiles.
_KEPT = 1_000_000

_LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)

_Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class _Plan:
    """What all estimators have in common: arguments, checked."""

    predictor: Predictor
    task: Task
    locations: Locations
    method: str
    antithetic: bool
    observations: int
    target: float | None
    root: SeedSequence
    progress: Progress | None

    @property
    def reduced(self) -> bool:
        return self.antithetic or self.method == "conditioned"

    @property
    def per_observation(self) -> int:
        return 2 if self.antithetic else 1

    def for_state(self, index: int) -> _Plan:
        """The same with a stream of its own."""
        return replace(self, root=self._child(index))

    def _child(self, *key: int) -> SeedSequence:
        return SeedSequence(
            self.root.entropy,
            spawn_key=(*self.root.spawn_key, *key),
            pool_size=self.root.pool_size,
        )

    def source(self, at: OrderParameters | Directions) -> Tokens | Coordinates:
        """Where samples come from."""
        if self.method != "plain":
            state = at.overlaps if isinstance(at, Directions) else at
            state = ORACLE if self.predictor.oracle else state
            return Coordinates(
                self.task,
                replace(self.locations, fixed=isinstance(self.predictor, Attention)),
                state,
                self.method == "conditioned",
                self.antithetic,
                self.predictor.mirrors_all,
            )
        if not isinstance(at, Directions):
            at = Directions.at(at, self.task, self._child(0))
        return self.tokens(at)

    def tokens(self, at: Directions) -> Tokens:
        """Whole tokens, in the space of the vectors."""
        k, v = (at.k_star, at.v_star) if self.predictor.oracle else (at.k, at.v)
        return Tokens(self.task, self.locations, k, v, at.k_star, at.v_star)

    def moments(
        self,
        quantity: Quantity,
        source: Tokens | Coordinates,
        keep: Callable[[_Array], None] | None = None,
    ) -> Moments:
        progress = self.progress
        if progress is not None and self.antithetic:
            told = progress

            def progress(done: int, error: float) -> None:
                told(2 * done, error)

        return sampled(
            quantity, source, self._child(1), self.observations, self.target, progress, keep
        )

    def gain(self, quantity: Quantity, at: Any, moments: Moments) -> _Array | None:
        """How much variance was saved, measured beside samples without reduction."""
        if not self.reduced:
            return None
        plan = replace(self, method="projected", antithetic=False)
        count = max(2, min(_PILOT, self.observations))
        pilot = sampled(quantity, plan.source(at), self._child(2), count)
        with np.errstate(divide="ignore", invalid="ignore"):
            return pilot.variance / (self.per_observation * moments.variance)

    def estimate(
        self,
        moments: Moments,
        gain: _Array | None,
        shape: Callable[[_Array], Any],
        stderr: _Array | None = None,
    ) -> Estimate:
        return Estimate(
            shape(moments.mean),
            shape(moments.stderr if stderr is None else stderr),
            moments.count * self.per_observation,
            moments.count,
            None if gain is None else shape(gain),
            self.target,
        )


def _plan(
    predictor: Predictor,
    task: Task,
    probabilities: ArrayLike | None,
    method: str,
    antithetic: bool,
    max_samples: int,
    target_stderr: float | None,
    rng: Any,
    progress: Progress | None,
) -> _Plan:
    if not isinstance(predictor, Attention | Linear):
        raise TypeError(
            f"predictor must be a HardOracle, Softmax, Erf or Linear; got {predictor!r}"
        )
    if not isinstance(task, Task):
        raise TypeError(f"task must be a slrsym.Task; got {task!r}")
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    if not isinstance(antithetic, bool | np.bool_):
        raise ValueError(f"antithetic must be True or False; got {antithetic!r}")
    if antithetic and method == "plain":
        raise ValueError("antithetic must be False for method='plain'; 'projected' has pairs")
    if isinstance(predictor, Linear) and method == "conditioned":
        raise ValueError(
            "method must be 'plain' or 'projected' for a linear predictor, which has no scores; "
            "got 'conditioned'"
        )
    count = whole("max_samples", max_samples, 4 if antithetic else 2)
    target = None if target_stderr is None else positive("target_stderr", target_stderr)
    p = None if probabilities is None else np.asarray(probabilities, dtype=np.float64)
    if p is not None or isinstance(predictor, Linear):
        best = best_linear(task, p)  # which looks at the probabilities
    if isinstance(predictor, Linear):
        if predictor.coefficients is None:
            predictor = Linear(best.coefficients)
        shape = np.asarray(predictor.coefficients).shape
        if shape != (task.L, 2):
            raise ValueError(f"coefficients must have shape ({task.L}, 2); got {shape}")
    return _Plan(
        predictor,
        task,
        Locations(task, p),
        method,
        bool(antithetic),
        count // 2 if antithetic else count,
        target,
        root_of(rng),
        progress,
    )


def _over_states(
    plan: _Plan,
    at: ArrayLike | Directions,
    one: Callable[[_Plan, OrderParameters | Directions], Estimate],
) -> Estimate:
    if isinstance(at, Directions):
        _require_dimension(at, plan.task)
        return one(plan.for_state(0), at)
    states = states_of(at, plan.task)
    rows = [OrderParameters(*map(float, row)) for row in states.reshape(-1, 5)]
    found = [one(plan.for_state(i), row) for i, row in enumerate(rows)]
    return found[0] if states.ndim == 1 else stacked(found, states.shape[:-1])


def _require_dimension(at: Directions, task: Task) -> None:
    if at.k.shape != (task.d,):
        raise ValueError(f"at must have vectors of shape ({task.d},); got {at.k.shape}")


def _scalar(x: _Array) -> float:
    return float(x[0])


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
    r"""The risk (6) of a predictor, :math:`\mathbb{E}(Y - T(X))^2`, by sampling the task.

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
    about 8 megabytes, or one sample if that is larger; more samples begin with those of fewer.
    Stopping at a target makes the interval shorter than its level by a little, as any rule does
    that looks at the data.

    Examples
    --------
    >>> from slrsym import Task, risk
    >>> from slrsym.montecarlo import Erf, risk_estimate
    >>> task, state = Task(d=400, L=10, gamma=0.5**0.5), [0.5, 0.6, 0.1, -0.2, 0.3]
    >>> found = risk_estimate(Erf(0.1), task, state)
    >>> bool(abs(found.zscore(risk(state, 0.1, task))) < 4)
    True
    >>> risk_estimate(Erf(0.1), task, state, method="conditioned").gain > 1
    True
    """
    plan = _plan(
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
    quantity = Loss(plan.predictor)

    def one(plan: _Plan, at: OrderParameters | Directions) -> Estimate:
        moments = plan.moments(quantity, plan.source(at))
        return plan.estimate(moments, plan.gain(quantity, at, moments), _scalar)

    return _over_states(plan, at, one)


def gradient_estimate(
    predictor: Attention,
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
    r"""The gradient of the risk of an attention predictor, by sampling the task.

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
        Of the locations; equal by default.
    method : {'projected', 'plain', 'conditioned'}, optional
        As for `risk_estimate`. At vectors, ``projected`` draws tokens in the span of the four
        vectors, which holds the gradient; ``conditioned`` is for overlaps.
    antithetic : bool, optional
        Whether to draw pairs of samples that mirror each other; at overlaps, not for ``plain``.
    max_samples : int, optional
        How many samples of the task at most, at least 2.
    target_stderr : float, optional
        Stop as soon as the standard errors of all components are as small.
    rng : int, SeedSequence, Generator or None, optional
        Where the random numbers come from. Each state has its own stream.
    progress : callable, optional
        Called after each block with the samples so far and the largest standard error.

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
    >>> from slrsym import Task, gradient
    >>> from slrsym.montecarlo import Erf, gradient_estimate
    >>> task, state = Task(d=400, L=10, gamma=0.5**0.5), [0.5, 0.6, 0.1, -0.2, 0.3]
    >>> found = gradient_estimate(Erf(0.1), task, state)
    >>> bool((abs(found.zscore(gradient(state, 0.1, task))) < 4).all())
    True
    """
    plan = _plan(
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
    if kind not in ("euclidean", "riemannian"):
        raise ValueError(f"kind must be 'euclidean' or 'riemannian'; got {kind!r}")
    if predictor.oracle or not isinstance(predictor, Attention):
        raise ValueError(
            f"predictor must have directions k, v of its own, as Softmax and Erf do; "
            f"got {predictor!r}"
        )
    riemannian = kind == "riemannian"
    if isinstance(at, Directions):
        _require_dimension(at, task)
        if plan.reduced:
            raise ValueError(
                "method must be 'plain' or 'projected', and antithetic False, for a gradient at "
                "vectors; variance is reduced at overlaps"
            )
        return _vector_gradient(plan.for_state(0), predictor, at, riemannian)

    def one(plan: _Plan, at: OrderParameters | Directions) -> Estimate:
        assert isinstance(at, OrderParameters)
        quantity = OverlapGradient(predictor, task, metric(at) if riemannian else None)
        moments = plan.moments(quantity, plan.source(at))
        return plan.estimate(moments, plan.gain(quantity, at, moments), lambda x: x)

    return _over_states(plan, at, one)


def _vector_gradient(
    plan: _Plan, predictor: Attention, at: Directions, riemannian: bool
) -> Estimate:
    if plan.method == "plain":
        quantity = VectorGradient(predictor, at.k, at.v, riemannian)
        moments = plan.moments(quantity, plan.tokens(at))
        return plan.estimate(moments, None, lambda x: x.reshape(2, -1))
    small, frame = at.framed()
    quantity = VectorGradient(predictor, small.k, small.v, riemannian)
    moments = plan.moments(quantity, plan.tokens(small))
    m = frame.shape[1]
    blocks = (moments.covariance[:m, :m], moments.covariance[m:, m:])
    variances = [np.einsum("di,ij,dj->d", frame, block, frame) for block in blocks]
    stderr = np.sqrt(np.maximum(variances, 0.0) / moments.count)
    found = plan.estimate(moments, None, lambda x: x)
    return replace(found, value=moments.mean.reshape(2, m) @ frame.T, stderr=stderr)


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
    plan = _plan(
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
        _require_dimension(at, task)
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
