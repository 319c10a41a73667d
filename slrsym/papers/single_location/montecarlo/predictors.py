r"""The predictors of the paper, as functions of scores and values of tokens.

An attention predictor weighs the values :math:`X_l\cdot v` by what it makes of the scores
:math:`X_l\cdot k`. Softmax, erf and the hard maximum differ in the weights alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf, softmax

from slrsym.kernels.arguments import require_positive, require_real_array
from slrsym.papers.single_location.montecarlo.sampling import Batch
from slrsym.papers.single_location.task import Task

_Array: TypeAlias = NDArray[np.float64]


class AttentionPredictorBase:
    """Base class of predictors that sum values with weights that depend on scores.

    Whether it has directions k, v of its own, or uses the true ones, is its attribute `oracle`;
    whether a mirrored pair of samples mirrors all tokens or the informative one, `mirrors_all`.
    """

    name = ""
    oracle = False
    mirrors_all = True

    def weights(self, u: _Array) -> _Array:
        """Return the weight of each token's value in the output, from the tokens' scores.

        Parameters
        ----------
        u : ndarray, shape (n, L)
            Scores.

        Returns
        -------
        ndarray of shape (n, L)
        """
        raise NotImplementedError

    def weight_slopes_in_own_score(self, u: _Array, a: _Array) -> _Array:
        """Return the derivative of each token's weight in that token's own score.

        Parameters
        ----------
        u, a : ndarray, shape (n, L)
            Scores and weights.

        Returns
        -------
        ndarray of shape (n, L)
        """
        raise NotImplementedError

    def weight_slopes_in_score(self, u: _Array, a: _Array, token: NDArray[np.intp]) -> _Array:
        """Return the derivatives of all weights in one token's score.

        Parameters
        ----------
        u, a : ndarray, shape (n, L)
            Scores and weights.
        token : ndarray of int, shape (n,)
            Which score, for each sample.

        Returns
        -------
        ndarray of shape (n, L)
        """
        raise NotImplementedError

    def output_slopes(self, u: _Array, a: _Array, v: _Array) -> _Array:
        """Return the derivatives of the predictor's output in the scores of all tokens.

        Parameters
        ----------
        u, a, v : ndarray, shape (n, L)
            Scores, weights and values.

        Returns
        -------
        ndarray of shape (n, L)
        """
        raise NotImplementedError


@dataclass(frozen=True)
class HardOracle(AttentionPredictorBase):
    r"""The hard oracle, equation (1), which knows the location and the true directions.

    It returns :math:`X_{\hat l}\cdot v^\star` for :math:`\hat l = \arg\max_l X_l\cdot k^\star`.
    """

    name = "hard oracle"
    oracle = True

    def weights(self, u: _Array) -> _Array:
        result = np.zeros_like(u)
        np.put_along_axis(result, u.argmax(axis=1)[:, None], 1.0, axis=1)
        return result


@dataclass(frozen=True)
class Softmax(AttentionPredictorBase):
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

    lam: float

    name = "softmax"

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam", require_positive("lam", self.lam))

    def weights(self, u: _Array) -> _Array:
        return np.asarray(softmax(self.lam * u, axis=1))

    def weight_slopes_in_own_score(self, u: _Array, a: _Array) -> _Array:
        return self.lam * a * (1 - a)

    def weight_slopes_in_score(self, u: _Array, a: _Array, token: NDArray[np.intp]) -> _Array:
        rows = np.arange(len(u))
        weight = self.lam * a[rows, token]
        result = -weight[:, None] * a
        result[rows, token] += weight
        return result

    def output_slopes(self, u: _Array, a: _Array, v: _Array) -> _Array:
        result: _Array = self.lam * a * (v - np.sum(a * v, axis=1, keepdims=True))
        return result


@dataclass(frozen=True)
class Erf(AttentionPredictorBase):
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

    lam: float

    name = "erf attention"
    # The other tokens enter the risk by even functions, at least on M: their mirror images would
    # say the same again.
    mirrors_all = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam", require_positive("lam", self.lam))

    def weights(self, u: _Array) -> _Array:
        return np.asarray(erf(self.lam * u))

    def weight_slopes_in_own_score(self, u: _Array, a: _Array) -> _Array:
        result: _Array = self.lam * 2 / np.sqrt(np.pi) * np.exp(-((self.lam * u) ** 2))
        return result

    def weight_slopes_in_score(self, u: _Array, a: _Array, token: NDArray[np.intp]) -> _Array:
        rows = np.arange(len(u))
        result = np.zeros_like(u)
        result[rows, token] = self.weight_slopes_in_own_score(u[rows, token], a[rows, token])
        return result

    def output_slopes(self, u: _Array, a: _Array, v: _Array) -> _Array:
        return self.weight_slopes_in_own_score(u, a) * v


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
    oracle = True
    mirrors_all = True

    def __post_init__(self) -> None:
        if self.coefficients is not None:
            beta = require_real_array("coefficients", self.coefficients)
            if beta.ndim != 2 or beta.shape[1] != 2 or not np.isfinite(beta).all():
                raise ValueError(
                    f"coefficients must be finite and of shape (L, 2); got {beta.tolist()}"
                )
            object.__setattr__(self, "coefficients", beta)


Predictor: TypeAlias = AttentionPredictorBase | Linear


def _outputs(predictor: Predictor, batch: Batch) -> tuple[Any, Any]:
    """Return the outputs of a predictor on samples (or conditional means), and the weights."""
    if isinstance(predictor, Linear):
        # At the true directions, scores and values are the coordinates along k* and v*.
        along_k, along_v = np.asarray(predictor.coefficients).T
        return batch.u @ along_k + batch.v @ along_v, np.broadcast_to(along_v, batch.u.shape)
    a = predictor.weights(batch.u)
    return np.sum(a * batch.v, axis=1), a


def _variance(batch: Batch, a: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the conditional variance of the output given the scores."""
    result: NDArray[np.float64] = np.sum(
        batch.array_by_token_kind(batch.var_own, batch.var_other) * a**2, axis=1
    )
    return result


# -- what is averaged ---------------------------------------------------------------------------
#
# Each is written for a batch whose values and outputs are Gaussian given the scores; a batch of
# samples is the case of variance zero. With `T = \sum_l a_l(u)\,v_l` and `e = y - T`,
# forms that are linear in values and output have means and covariances given the scores, and that
# is all that is needed.
#
# Derivatives in the order parameters follow from the law of the coordinates, of which these are
# means and covariances: `\partial_m\,\mathbb{E}f = \mathbb{E}\,\partial_x f` for a mean m of x,
# and `\partial_c\,\mathbb{E}f = \mathbb{E}\,\partial_x\partial_y f` for a covariance c of x and
# y (R. L. Plackett, *A reduction formula for normal multivariate integrals*, 1954). They hold where
# the law is degenerate, too, at the oracle among others.


def squared_errors(predictor: Predictor, batch: Batch) -> NDArray[np.float64]:
    """Return the predictor's squared error, or its conditional mean, for each sample."""
    output, a = _outputs(predictor, batch)
    spread = batch.var_y - 2 * batch.informative_entry(a) * batch.cov + _variance(batch, a)
    result: NDArray[np.float64] = ((batch.y - output) ** 2 + spread)[:, None]
    return result


def output_moment_integrands(predictor: Predictor, batch: Batch) -> NDArray[np.float64]:
    """Return output, its square and its product with the target, one row for each sample."""
    output, a = _outputs(predictor, batch)
    square = output**2 + _variance(batch, a)
    return np.stack(
        [output, square, output * batch.y + batch.informative_entry(a) * batch.cov], axis=1
    )


def overlap_gradients(
    predictor: AttentionPredictorBase,
    task: Task,
    batch: Batch,
    metric: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the gradient of the risk in the five overlaps, one row for each sample."""
    u, v, own = batch.u, batch.v, batch.informative_entry
    g2, signal = task.gamma**2, np.sqrt(task.d / 2)
    a = predictor.weights(u)
    error = batch.y - np.sum(a * v, axis=1)
    slopes = predictor.output_slopes(u, a, v)
    # E[e dT/du] for the informative token's score, given all scores.
    row = predictor.weight_slopes_in_score(u, a, batch.place)
    spread = batch.array_by_token_kind(batch.var_own, batch.var_other)
    joint = error * own(slopes) + own(row) * batch.cov - np.sum(spread * a * row, axis=1)
    mixed = 2 * a * slopes - 2 * error[:, None] * predictor.weight_slopes_in_own_score(u, a)
    rows = np.stack(
        [
            -2 * signal * joint,
            -2 * g2 * own(a),
            -2 * signal * own(a) * error,
            -2 * g2 * own(slopes),
            np.sum(batch.array_by_token_kind(g2, 1.0) * mixed, axis=1),
        ],
        axis=1,
    )
    return rows if metric is None else rows @ metric.T


def vector_gradients(
    predictor: AttentionPredictorBase,
    k: NDArray[np.float64],
    v: NDArray[np.float64],
    riemannian: bool,
    batch: Batch,
) -> NDArray[np.float64]:
    """Return the gradient of the risk in (k, v) on whole tokens, one row for each sample."""
    assert batch.tokens is not None
    a = predictor.weights(batch.u)
    error = batch.y - np.sum(a * batch.v, axis=1)
    slopes = predictor.output_slopes(batch.u, a, batch.v)
    parts = []
    for direction, weights in ((k, slopes), (v, a)):
        part = np.einsum("nl,nlm->nm", -2 * error[:, None] * weights, batch.tokens)
        if riemannian:
            part -= np.outer(part @ direction, direction)
        parts.append(part)
    return np.concatenate(parts, axis=1)
