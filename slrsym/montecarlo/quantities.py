r"""What is averaged: the squared error, its derivatives, and moments of the output.

Each is written for a batch whose values and outputs are Gaussian given the scores; a batch of
samples is the case of variance zero. With :math:`T = \sum_l a_l(u)\,v_l` and :math:`e = y - T`,
forms that are linear in values and output have means and covariances given the scores, and that is
all that is needed.

Derivatives in the order parameters follow from the law of the coordinates, of which these are
means and covariances: :math:`\partial_m\,\mathbb{E}f = \mathbb{E}\,\partial_x f` for a mean m of x,
and :math:`\partial_c\,\mathbb{E}f = \mathbb{E}\,\partial_x\partial_y f` for a covariance c of x and
y (R. L. Plackett, *A reduction formula for normal multivariate integrals*, 1954). They hold where
the law is degenerate, too, at the oracle among others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.montecarlo.draws import Batch
from slrsym.montecarlo.predictors import Attention, Linear, Predictor
from slrsym.task import Task

__all__ = ["Loss", "OutputMoments", "OverlapGradient", "VectorGradient"]


def _outputs(predictor: Predictor, batch: Batch) -> tuple[Any, Any]:
    """Outputs (n,), or their means given the scores, and the weights of the values."""
    if isinstance(predictor, Linear):
        # At the true directions, scores and values are the coordinates along k* and v*.
        along_k, along_v = np.asarray(predictor.coefficients).T
        return batch.u @ along_k + batch.v @ along_v, np.broadcast_to(along_v, batch.u.shape)
    a = predictor.weights(batch.u)
    return np.sum(a * batch.v, axis=1), a


def _variance(batch: Batch, a: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance of T given the scores."""
    result: NDArray[np.float64] = np.sum(
        batch.weighted(batch.var_own, batch.var_other) * a**2, axis=1
    )
    return result


@dataclass(frozen=True)
class Loss:
    """The squared error."""

    predictor: Predictor

    size = 1

    def of(self, batch: Batch) -> NDArray[np.float64]:
        """One row for each sample."""
        output, a = _outputs(self.predictor, batch)
        spread = batch.var_y - 2 * batch.own(a) * batch.cov + _variance(batch, a)
        result: NDArray[np.float64] = ((batch.y - output) ** 2 + spread)[:, None]
        return result


@dataclass(frozen=True)
class OutputMoments:
    """Output, its square, and its product with the task's output."""

    predictor: Predictor

    size = 3

    def of(self, batch: Batch) -> NDArray[np.float64]:
        """One row for each sample."""
        output, a = _outputs(self.predictor, batch)
        square = output**2 + _variance(batch, a)
        return np.stack([output, square, output * batch.y + batch.own(a) * batch.cov], axis=1)


@dataclass(frozen=True, eq=False)
class OverlapGradient:
    """Derivatives of the risk in kappa, nu, theta, eta, rho."""

    predictor: Attention
    task: Task
    metric: NDArray[np.float64] | None = None

    size = 5

    def of(self, batch: Batch) -> NDArray[np.float64]:
        """One row for each sample."""
        u, v, own = batch.u, batch.v, batch.own
        g2, signal = self.task.gamma**2, np.sqrt(self.task.d / 2)
        a = self.predictor.weights(u)
        error = batch.y - np.sum(a * v, axis=1)
        slopes = self.predictor.output_slopes(u, a, v)
        # E[e dT/du] for the informative token's score, given all scores.
        row = self.predictor.slopes_in(u, a, batch.place)
        spread = batch.weighted(batch.var_own, batch.var_other)
        joint = error * own(slopes) + own(row) * batch.cov - np.sum(spread * a * row, axis=1)
        mixed = 2 * a * slopes - 2 * error[:, None] * self.predictor.own_slopes(u, a)
        rows = np.stack(
            [
                -2 * signal * joint,
                -2 * g2 * own(a),
                -2 * signal * own(a) * error,
                -2 * g2 * own(slopes),
                np.sum(batch.weighted(g2, 1.0) * mixed, axis=1),
            ],
            axis=1,
        )
        return rows if self.metric is None else rows @ self.metric.T


@dataclass(frozen=True, eq=False)
class VectorGradient:
    """Gradients of the risk in k and v, from whole tokens."""

    predictor: Attention
    k: NDArray[np.float64]
    v: NDArray[np.float64]
    riemannian: bool

    @property
    def size(self) -> int:
        """How many components there are."""
        return 2 * self.k.size

    def of(self, batch: Batch) -> NDArray[np.float64]:
        """One row for each sample, the gradient in k first."""
        assert batch.tokens is not None
        a = self.predictor.weights(batch.u)
        error = batch.y - np.sum(a * batch.v, axis=1)
        slopes = self.predictor.output_slopes(batch.u, a, batch.v)
        parts = []
        for direction, weights in ((self.k, slopes), (self.v, a)):
            part = np.einsum("nl,nlm->nm", -2 * error[:, None] * weights, batch.tokens)
            if self.riemannian:
                part -= np.outer(part @ direction, direction)
            parts.append(part)
        return np.concatenate(parts, axis=1)
