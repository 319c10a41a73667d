r"""The best linear predictor :math:`\sum_l \beta_l \cdot X_l`, from second moments.

It solves the normal equations, which need no more of the law of the tokens than
:math:`\mathbb{E}[X_l X_m^\top]` and :math:`\mathbb{E}[Y X_l]`. Two different tokens are
uncorrelated: given the location they are independent, and one of them is centred. So there is one
system for each token. What lies orthogonal to :math:`k^\star` and :math:`v^\star` is uncorrelated
with these two coordinates and with the output, so that two equations in two unknowns are left,
whatever d.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slrsym.kernels.arguments import require_real_array
from slrsym.papers.single_location.task import Task

__all__ = ["LinearPredictor", "best_linear"]


class LinearPredictor(NamedTuple):
    r"""A linear predictor, with its coefficients and its risk.

    Proposition 3 has the closed form of the best one.

    Parameters
    ----------
    coefficients : ndarray, shape (L, 2)
        Of each token, along :math:`k^\star` and :math:`v^\star`; there is nothing else in them.
    risk : float
        Its risk, with the noise.
    """

    coefficients: NDArray[np.float64]
    risk: float


def best_linear(task: Task, probabilities: ArrayLike | None = None) -> LinearPredictor:
    """Return the linear predictor with the least risk (Proposition 3).

    Parameters
    ----------
    task : Task
        Dimension, number of tokens, gamma, epsilon.
    probabilities : array_like, shape (L,), optional
        Of the locations; equal by default.

    Returns
    -------
    LinearPredictor

    Raises
    ------
    ValueError
        If the probabilities are not L numbers in [0, 1] of sum 1.

    Examples
    --------
    >>> round(best_linear(Task(d=400, L=10, gamma=0.5**0.5)).risk, 6)
    0.473684
    """
    p = _distribution(probabilities, task.L)[:, None, None]
    signal = np.array([np.sqrt(task.d / 2), 0.0])
    informative = task.gamma**2 * np.eye(2) + np.outer(signal, signal)
    moments = p * informative + (1 - p) * np.eye(2)
    # The output is the informative token's coordinate along v*, and noise.
    with_output = p[..., 0] * informative[:, 1]
    coefficients = np.linalg.solve(moments, with_output[..., None])[..., 0].astype(np.float64)
    # What a token leaves of p gamma^2, its part of the variance; a difference would cancel.
    left = p * (1 - p) * informative[1, 1] / moments[:, 1:, 1:]
    return LinearPredictor(coefficients, float(left.sum() + task.epsilon**2))


def _distribution(probabilities: ArrayLike | None, count: int) -> NDArray[np.float64]:
    if probabilities is None:
        return np.full(count, 1 / count)
    p = require_real_array("probabilities", probabilities)
    if p.shape != (count,) or not (p >= 0).all() or not np.isclose(p.sum(), 1, rtol=0, atol=1e-9):
        raise ValueError(
            f"probabilities must be {count} numbers in [0, 1] of sum 1; got {p.tolist()}"
        )
    return p
