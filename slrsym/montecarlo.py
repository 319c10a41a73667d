r"""Risks by sampling the task, with error bars.

The tokens are drawn as the task says, and predictors are applied to them; nothing that was derived
is used. A predictor sees a token only through its inner products with
:math:`k, v, k^\star, v^\star`. Those are coordinates of the token in a space of four dimensions, in
which its law is the same again: a standard normal vector, or one of variance :math:`\gamma^2`
about :math:`\sqrt{d/2}\,k^\star`. So four coordinates stand for d, exactly in law.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf

from slrsym.dynamics.starts import lift
from slrsym.linear import best_linear
from slrsym.task import Task

__all__ = ["Estimate", "linear_risk_estimate", "risk_estimate", "risk_estimate_vectors"]

# How many numbers are drawn at once.
_CHUNK = 1_000_000

_SLACK = 1e-8

_Predictor = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class Estimate(NamedTuple):
    """A mean over independent samples, and how far off it may be.

    Parameters
    ----------
    value : float or ndarray
        The mean.
    error : float or ndarray
        The standard error of the mean.
    """

    value: Any
    error: Any


def risk_estimate(
    state: ArrayLike, lam: float, task: Task, samples: int = 10_000, seed: int = 0
) -> Estimate:
    r"""The risk of erf attention at given overlaps, by sampling four coordinates of each token.

    Parameters
    ----------
    state : array_like, shape (..., 5)
        Overlaps kappa, nu, theta, eta, rho.
    lam : float
        Inverse temperature, positive.
    task : Task
        Dimension, number of tokens, gamma, epsilon. The noise is drawn from a normal law.
    samples : int, optional
        How many, at least 2.
    seed : int, optional
        Of the random numbers; each state has its own stream.

    Returns
    -------
    Estimate
        Of floats, or of arrays of shape (...).

    Raises
    ------
    ValueError
        If no vectors in :math:`\mathbb{R}^d` have these overlaps, or a number is out of its range.

    Examples
    --------
    >>> from slrsym import risk
    >>> task, state = Task(d=400, L=10, gamma=0.5**0.5), [0.5, 0.6, 0.1, -0.2, 0.3]
    >>> value, error = risk_estimate(state, 0.1, task)
    >>> bool(abs(value - risk(state, 0.1, task)) < 4 * error)
    True
    """
    states = np.asarray(state, dtype=np.float64)
    if states.ndim == 0 or states.shape[-1] != 5 or not np.isfinite(states).all():
        raise ValueError(
            "state must be finite and of shape (..., 5): kappa, nu, theta, eta, rho; "
            f"got {states.tolist()}"
        )
    lam = _positive(lam)
    rows = states.reshape(-1, 5)
    try:
        vectors = lift(rows, min(task.d, 4), seed)
    except ValueError as problem:
        raise ValueError(f"state must be feasible: {problem}") from None
    results = [
        _estimate(task, _attention(k, v, lam), k_star, v_star, samples, rng)
        for k, v, k_star, v_star, rng in zip(*vectors, _streams(seed, len(rows)), strict=True)
    ]
    shape = states.shape[:-1]
    value, error = np.array(results).reshape(*shape, 2).transpose(-1, *range(len(shape)))
    return Estimate(value[()], error[()])


def risk_estimate_vectors(
    k: ArrayLike,
    v: ArrayLike,
    k_star: ArrayLike,
    v_star: ArrayLike,
    lam: float,
    task: Task,
    samples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    r"""The risk of erf attention, by sampling whole tokens in :math:`\mathbb{R}^d`.

    Parameters
    ----------
    k, v : array_like, shape (d,)
        The directions of the predictor, unit vectors.
    k_star, v_star : array_like, shape (d,)
        Those of the task, unit vectors, orthogonal.
    lam : float
        Inverse temperature, positive.
    task : Task
        Dimension, number of tokens, gamma, epsilon. The noise is drawn from a normal law.
    samples : int, optional
        How many, at least 2.
    seed : int, optional
        Of the random numbers.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If the vectors are not as they should be, or a number is out of its range.
    """
    named = {"k": k, "v": v, "k_star": k_star, "v_star": v_star}
    vectors = {name: np.asarray(x, dtype=np.float64) for name, x in named.items()}
    for name, x in vectors.items():
        if x.shape != (task.d,):
            raise ValueError(f"{name} must have shape ({task.d},); got {x.shape}")
        if not abs(np.linalg.norm(x) - 1) < _SLACK:
            raise ValueError(f"{name} must be a unit vector; its norm is {np.linalg.norm(x)}")
    inner = float(vectors["k_star"] @ vectors["v_star"])
    if not abs(inner) < _SLACK:
        raise ValueError(f"k_star and v_star must be orthogonal; their inner product is {inner}")
    predictor = _attention(vectors["k"], vectors["v"], _positive(lam))
    (rng,) = _streams(seed, 1)
    return _estimate(task, predictor, vectors["k_star"], vectors["v_star"], samples, rng)


def linear_risk_estimate(
    task: Task,
    coefficients: ArrayLike | None = None,
    samples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    """The risk of a linear predictor, by sampling two coordinates of each token.

    Parameters
    ----------
    task : Task
        Dimension, number of tokens, gamma, epsilon. The noise is drawn from a normal law.
    coefficients : array_like, shape (L, 2), optional
        Of each token, along k* and v*; by default those of `slrsym.linear.best_linear`.
    samples : int, optional
        How many, at least 2.
    seed : int, optional
        Of the random numbers.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If the coefficients have another shape, or a number is out of its range.
    """
    beta = np.asarray(best_linear(task).coefficients if coefficients is None else coefficients)
    if beta.shape != (task.L, 2):
        raise ValueError(f"coefficients must have shape ({task.L}, 2); got {beta.shape}")
    k_star, v_star = np.eye(2)
    (rng,) = _streams(seed, 1)
    return _estimate(
        task, lambda tokens: np.einsum("nlm,lm->n", tokens, beta), k_star, v_star, samples, rng
    )


# -- the task and the predictor, as defined ----------------------------------------------------


def _draw(
    task: Task,
    k_star: NDArray[np.float64],
    v_star: NDArray[np.float64],
    count: int,
    rng: Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Tokens, (count, L, m) in a space that holds k* and v*, and outputs."""
    tokens = rng.standard_normal((count, task.L, k_star.size))
    location = np.arange(count), rng.integers(task.L, size=count)
    tokens[location] = np.sqrt(task.d / 2) * k_star + task.gamma * tokens[location]
    return tokens, tokens[location] @ v_star + task.epsilon * rng.standard_normal(count)


def _attention(k: NDArray[np.float64], v: NDArray[np.float64], lam: float) -> _Predictor:
    return lambda tokens: np.sum(erf(lam * (tokens @ k)) * (tokens @ v), axis=1)


def _estimate(
    task: Task,
    predictor: _Predictor,
    k_star: NDArray[np.float64],
    v_star: NDArray[np.float64],
    samples: int,
    rng: Generator,
) -> Estimate:
    count = operator.index(samples)
    if count < 2:
        raise ValueError(f"samples must be an integer of at least 2; got {samples!r}")
    losses = np.empty(count)
    chunk = max(1, _CHUNK // (task.L * k_star.size))
    for first in range(0, count, chunk):
        size = min(chunk, count - first)
        tokens, outputs = _draw(task, k_star, v_star, size, rng)
        losses[first : first + size] = (outputs - predictor(tokens)) ** 2
    return Estimate(float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(count)))


def _streams(seed: int, count: int) -> list[Generator]:
    return [default_rng(child) for child in SeedSequence(seed).spawn(count)]


def _positive(lam: float) -> float:
    number = float(lam)
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"lam must be positive and finite; got {lam!r}")
    return number
