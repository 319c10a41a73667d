r"""Monte Carlo estimates of the risks of the paper's predictors.

Attention by softmax and by erf, equations (2) and (3), are stated models, whose sampling is that of
any model. The hard oracle, equation (1), weighs the tokens of the same samples by their largest
score; a linear predictor has coefficients for each position.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import erf

from slrsym.kernels.arguments import require_positive, require_real_array
from slrsym.models.definition.specification import softmax
from slrsym.models.sampling.estimates import Estimate, stack_estimates
from slrsym.models.sampling.running_means import (
    Progress,
    Quantity,
    child_seed_sequence,
    root_seed_sequence,
)
from slrsym.models.sampling.sampled_risk import (
    METHODS,
    Sampling,
    estimate_mean,
    make_plan,
    sample_risk,
    sampled_point,
)
from slrsym.models.sampling.token_batches import TokenBatch
from slrsym.papers.single_location.dynamics.initial_conditions import require_feasible
from slrsym.papers.single_location.linear import best_linear
from slrsym.papers.single_location.models import attention
from slrsym.papers.single_location.task import ORACLE, OrderParameters, Task

__all__ = ["METHODS", "Erf", "HardOracle", "Linear", "Softmax", "risk_estimate"]

_Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class HardOracle:
    r"""The hard oracle, equation (1), which knows the location and the true directions.

    It returns :math:`X_{\hat l}\cdot v^\star` for :math:`\hat l = \arg\max_l X_l\cdot k^\star`.
    """

    name = "hard oracle"

    def weights(self, scores: _Array) -> _Array:
        """Return 1 for the token of the largest score, and 0 for all others.

        Parameters
        ----------
        scores : ndarray, shape (n, L)

        Returns
        -------
        ndarray of shape (n, L)
        """
        result = np.zeros_like(scores)
        np.put_along_axis(result, scores.argmax(axis=1)[:, None], 1.0, axis=1)
        return result


@dataclass(frozen=True)
class _AtTemperature:
    """Attention with an inverse temperature, which is checked."""

    lam: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam", require_positive("lam", self.lam))


class Softmax(_AtTemperature):
    r"""Softmax attention, equation (2): weights :math:`\operatorname{softmax}(\lambda X k)_l`.

    Parameters
    ----------
    lam : float
        Inverse temperature, positive.

    Raises
    ------
    ValueError
        If `lam` is not positive and finite.
    """

    name = "softmax"


class Erf(_AtTemperature):
    r"""Erf attention, equation (3): weights :math:`\operatorname{erf}(\lambda X_l\cdot k)`.

    Parameters
    ----------
    lam : float
        Inverse temperature, positive.

    Raises
    ------
    ValueError
        If `lam` is not positive and finite.
    """

    name = "erf attention"


@dataclass(frozen=True, eq=False)
class Linear:
    r"""A linear predictor :math:`\sum_l \beta_l\cdot X_l`.

    The best of them is that of Proposition 3.

    Parameters
    ----------
    coefficients : array_like, shape (L, 2), optional
        Of each token, along k* and v*; by default those of
        `slrsym.papers.single_location.linear.best_linear`.

    Raises
    ------
    ValueError
        If the coefficients are not finite numbers, two for each token.
    """

    coefficients: ArrayLike | None = None

    name = "linear"

    def __post_init__(self) -> None:
        if self.coefficients is not None:
            beta = require_real_array("coefficients", self.coefficients)
            if beta.ndim != 2 or beta.shape[1] != 2 or not np.isfinite(beta).all():
                raise ValueError(
                    f"coefficients must be finite and of shape (L, 2); got {beta.tolist()}"
                )
            object.__setattr__(self, "coefficients", beta)


Predictor: TypeAlias = HardOracle | Softmax | Erf | Linear


def risk_estimate(
    predictor: Predictor,
    task: Task,
    start: ArrayLike = ORACLE,
    *,
    probabilities: ArrayLike | None = None,
    method: str = "projected",
    antithetic: bool = False,
    samples: int = 100_000,
    target_stderr: float | None = None,
    rng: Any = 0,
    progress: Progress | None = None,
) -> Estimate:
    r"""Estimate the risk :math:`\mathbb{E}(Y - T(X))^2`, equation (6), by sampling.

    Parameters
    ----------
    predictor : HardOracle, Softmax, Erf or Linear
        The hard oracle and linear predictors have the true directions, whatever `start` says.
    task : Task
        Dimension, number of tokens, gamma, epsilon. The noise is drawn from a normal law.
    start : array_like of shape (..., 5), optional
        Overlaps kappa, nu, theta, eta, rho; by default the oracle.
    probabilities : array_like, shape (L,), optional
        Of the locations; equal by default. They matter to linear predictors alone.
    method : {'projected', 'plain', 'conditioned'}, optional
        As of `slrsym.models.sampling.sample_risk`: whole tokens for ``plain``, and for
        ``conditioned`` the attention scores alone, given which the error is averaged.
    antithetic, samples, target_stderr, rng, progress : optional
        As there. Each state has its own stream of random numbers.

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

    Examples
    --------
    >>> from slrsym.papers.single_location import Task, risk
    >>> from slrsym.papers.single_location.sampled_risk import Erf, risk_estimate
    >>> task, state = Task(d=400, L=10, gamma=0.5**0.5), [0.5, 0.6, 0.1, -0.2, 0.3]
    >>> found = risk_estimate(Erf(0.1), task, state)
    >>> bool(abs(found.zscore(risk(state, 0.1, task))) < 4)
    True
    >>> risk_estimate(Erf(0.1), task, state, method="conditioned").gain > 1
    True
    """
    if not isinstance(predictor, Predictor):
        raise TypeError(
            f"predictor must be a HardOracle, Softmax, Erf or Linear; got {predictor!r}"
        )
    if not isinstance(task, Task):
        raise TypeError(f"task must be a Task; got {task!r}")
    make_plan(method, antithetic, samples, target_stderr, None)  # which looks at the arguments
    if isinstance(predictor, Linear) and method == "conditioned":
        raise ValueError(
            "method must be 'plain' or 'projected' for a linear predictor, which has no scores; "
            "got 'conditioned'"
        )
    best = best_linear(task, probabilities)  # which looks at the probabilities
    if isinstance(predictor, Linear):
        predictor = predictor if predictor.coefficients is not None else Linear(best.coefficients)
        shape = np.asarray(predictor.coefficients).shape
        if shape != (task.L, 2):
            raise ValueError(f"coefficients must have shape ({task.L}, 2); got {shape}")
    states, root = require_feasible_overlaps(start, task), root_seed_sequence(rng)
    options = {"method": method, "antithetic": antithetic, "samples": samples}
    options |= {"target_stderr": target_stderr, "progress": progress}
    found = [
        _estimate_at(predictor, task, state, probabilities, options | {"rng": child})
        for state, child in zip(
            states.reshape(-1, 5).tolist(),
            (child_seed_sequence(root, i) for i in range(states.size // 5)),
            strict=True,
        )
    ]
    return found[0] if states.ndim == 1 else stack_estimates(found, states.shape[:-1])


def _estimate_at(
    predictor: Predictor,
    task: Task,
    state: list[float],
    probabilities: ArrayLike | None,
    options: dict[str, Any],
) -> Estimate:
    """Return the estimate at one state."""
    model = attention(erf if isinstance(predictor, Erf) else softmax).model
    values = dict(zip(("gamma", "d", "L", "epsilon"), task.kernel_parameters, strict=True))
    values |= {"d": task.d, "lambda": predictor.lam if isinstance(predictor, Erf | Softmax) else 1}
    if isinstance(predictor, HardOracle | Linear):
        state = list(ORACLE)
    start = dict(zip(OrderParameters._fields, state, strict=True))
    if not isinstance(predictor, Linear):
        weights = predictor.weights if isinstance(predictor, HardOracle) else None
        return sample_risk(model, values, start=start, weights=weights, **options)
    plan = make_plan(**options)
    point = sampled_point(model, values, start, child_seed_sequence(plan.root, 0))
    beta = np.asarray(predictor.coefficients)
    shares = None if probabilities is None else np.asarray(probabilities, dtype=np.float64)

    def errors(way: Sampling) -> tuple[Quantity, Any]:
        return partial(_linear_squared_errors, beta, shares), way.source(*way.cases())

    return estimate_mean(plan, point, errors)


def _linear_squared_errors(beta: _Array, shares: _Array | None, batch: TokenBatch) -> _Array:
    """Return a linear predictor's squared error for each sample, shape (n, 1)."""
    informative = batch.projections[0]
    # At the true directions, scores and values are the coordinates along k* and v*.
    tokens = np.concatenate([part[..., :2] for part in batch.projections], axis=1)
    rows, place = np.arange(len(tokens)), _locations(shares, len(beta), batch.uniform)
    # The other tokens are alike: one of them leaves its place to the informative one.
    tokens[rows, 0] = tokens[rows, place]
    tokens[rows, place] = informative[:, 0, :2]
    error = informative[:, 0, 2] + batch.noise - np.einsum("nlc,lc->n", tokens, beta)
    return np.asarray(error[:, None] ** 2)


def _locations(shares: _Array | None, count: int, uniform: _Array) -> NDArray[np.intp]:
    """Return the location of the informative token, numbered from 0, by a uniform number."""
    if shares is None:
        return (uniform * count).astype(np.intp)
    # Rounding must not lead beyond the last location that is possible.
    last = int(np.flatnonzero(shares)[-1])
    return np.minimum(np.searchsorted(np.cumsum(shares), uniform, side="right"), last)


def require_feasible_overlaps(start: ArrayLike, task: Task, name: str = "start") -> _Array:
    """Return overlaps as an array; raise an error if no k, v, k*, v* in R^d have them."""
    states = require_real_array(name, start, "overlaps of shape (..., 5)")
    if states.ndim == 0 or states.shape[-1] != 5 or not states.size:
        raise ValueError(
            f"{name} must be overlaps of shape (..., 5): {', '.join(OrderParameters._fields)}; "
            f"got the shape {states.shape}"
        )
    require_feasible(states.reshape(-1, 5), min(task.d, 4), name)
    return states
