r"""One Transformer layer, equation (29), read out at its register token.

With :math:`N = \mathrm{LayerNorm}([\mathrm{reg}; X])` and heads :math:`h = 1, \dots, H`,

.. math::
    A_h &= \mathrm{softmax}\bigl( (N W_{K,h}^\top)(W_{Q,h} N^\top) / \sqrt r \bigr), \\
    Z &= [\mathrm{reg}; X] + [A_1 N W_{V,1}, \dots, A_H N W_{V,H}]\, W_O, \\
    T(X) &= \theta \cdot \bigl( z + W_2\, \mathrm{ReLU}(W_1 z + b_1) + b_2 \bigr),

where z is the first row of Z, so that of A only the first row matters. LayerNorm has no parameters;
reg is not trained; with one head :math:`W_O` is the identity, and not trained.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.random import Generator
from numpy.typing import DTypeLike

from slrsym.transformers.task import Real

__all__ = ["Layer"]

# Added to standard deviations.
_LEAST = 1e-5


def _normalised(X: Real) -> Real:
    """LayerNorm, without parameters."""
    centred = X - X.mean(axis=-1, keepdims=True)
    deviation = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True))
    centred /= deviation + centred.dtype.type(_LEAST)
    return np.asarray(centred)


@dataclass(frozen=True)
class Layer:
    """The weights of a layer with H heads of rank r, in d dimensions, with m hidden units.

    Parameters
    ----------
    reg : ndarray, shape (d,)
        The register token.
    W_K, W_Q : ndarray, shape (H, r, d)
        Keys and queries.
    W_V : ndarray, shape (H, d, r)
        Values.
    W_O : ndarray, shape (H * r, d)
        What heads are put together by.
    W_1, W_2 : ndarray, shapes (m, d) and (d, m)
        Of the multilayer perceptron.
    b_1, b_2 : ndarray, shapes (m,) and (d,)
    theta : ndarray, shape (d,)
        The read-out.
    """

    reg: Real
    W_K: Real
    W_Q: Real
    W_V: Real
    W_O: Real
    W_1: Real
    W_2: Real
    b_1: Real
    b_2: Real
    theta: Real

    @classmethod
    def random(
        cls, rng: Generator, d: int, heads: int, width: int, dtype: DTypeLike = np.float64
    ) -> Layer:
        """The weights that descent starts from, as in the paper.

        Entries are centred and normal, with variance 2/(rows + columns), but 1/d of reg and of
        `W_O`, and 1/d^2 of theta; queries and biases are zero. With one head, whose values are
        square, this is also 1/d for `W_V`.

        Parameters
        ----------
        rng : Generator
        d, heads, width : int
            Dimension, a multiple of the number of heads, that number, and how many hidden units.
        dtype : dtype, optional
            Single or double precision.

        Returns
        -------
        Layer

        Raises
        ------
        ValueError
            If d is not a multiple of the number of heads.
        """
        if d % heads:
            raise ValueError(f"d must be a multiple of heads = {heads}; got {d}")
        r, m = d // heads, width

        def normal(variance: float, *shape: int) -> Real:
            return np.asarray(np.sqrt(variance) * rng.standard_normal(shape), dtype)

        return cls(
            reg=normal(1 / d, d),
            W_K=normal(2 / (r + d), heads, r, d),
            W_Q=np.zeros((heads, r, d), dtype),
            W_V=normal(2 / (r + d), heads, d, r),
            W_O=np.eye(d, dtype=dtype) if heads == 1 else normal(1 / d, d, d),
            W_1=normal(2 / (m + d), m, d),
            W_2=normal(2 / (m + d), d, m),
            b_1=np.zeros(m, dtype),
            b_2=np.zeros(d, dtype),
            theta=normal(1 / d**2, d),
        )

    def __iter__(self) -> Iterator[tuple[str, Real]]:
        """Names and values of what is trained."""
        for field in fields(self):
            if field.name != "reg" and (field.name != "W_O" or len(self.W_K) > 1):
                yield field.name, getattr(self, field.name)

    def predict(self, X: Real) -> Real:
        """The outputs of the layer.

        Parameters
        ----------
        X : ndarray, shape (count, L, d)

        Returns
        -------
        ndarray of shape (count,)
        """
        return _Pass(self, X).output

    def gradient(self, X: Real, y: Real) -> dict[str, Real]:
        """The gradient of the mean squared error on some sequences.

        Parameters
        ----------
        X : ndarray, shape (count, L, d)
        y : ndarray, shape (count,)

        Returns
        -------
        dict of str to ndarray
            For each weight that is trained an array of its shape.
        """
        return _Pass(self, X).backward(y)

    def score_directions(self) -> tuple[Real, Real]:
        """What each head selects tokens by, and how nearly it selects by that alone.

        Returns
        -------
        k : ndarray of shape (H, d)
            The first right singular vector of the product of W_K transposed and W_Q; its sign means
            nothing. It is undefined, and NaN, where queries are zero.
        ratio : ndarray of shape (H,)
            The second singular value over the first.
        """
        k = np.full((len(self.W_K), self.W_K.shape[2]), np.nan)
        ratio = np.full(len(k), np.nan)
        for h, (W_K, W_Q) in enumerate(zip(self.W_K, self.W_Q, strict=True)):
            if W_Q.any():
                _, values, right = np.linalg.svd(W_K.T.astype(float) @ W_Q)
                k[h], ratio[h] = right[0], values[1] / values[0]
        return k, ratio

    def value_directions(self) -> Real:
        """How the token that a head selects gets to the output, hidden units being linear.

        Returns
        -------
        ndarray of shape (H, d)
            The unit vector of theta (I + W_2 W_1) (W_V W_O)^T for each head, with its block of W_O.
        """
        read = self.theta + self.theta @ self.W_2 @ self.W_1
        blocks = self.W_O.reshape(len(self.W_V), -1, self.W_O.shape[1])
        v = np.einsum("d,hrd,her->he", read, blocks, self.W_V)
        return np.asarray(v / np.linalg.norm(v, axis=1, keepdims=True))


class _Pass:
    """The layer applied to sequences, forward; all that the way back needs is kept."""

    def __init__(self, layer: Layer, X: Real) -> None:
        self.layer = layer
        heads, r, d = layer.W_K.shape
        self.root = X.dtype.type(np.sqrt(r))
        self.N = np.empty((len(X), X.shape[1] + 1, d), X.dtype)
        self.N[:, 0] = self.n = _normalised(layer.reg)
        self.N[:, 1:] = _normalised(X)
        # The first row of scores: keys of the register token against queries of all.
        self.keys = layer.W_K @ self.n
        self.u = np.einsum("hrd,hr->hd", layer.W_Q, self.keys) / self.root
        scores = self.N @ self.u.T
        scores -= scores.max(axis=1, keepdims=True)
        self.A = np.exp(scores)
        self.A /= self.A.sum(axis=1, keepdims=True)
        self.selected = self.A.transpose(0, 2, 1) @ self.N
        values = [self.selected[:, h] @ layer.W_V[h] for h in range(heads)]
        self.values = np.concatenate(values, axis=1)
        self.z = layer.reg + (self.values if heads == 1 else self.values @ layer.W_O)
        self.hidden = self.z @ layer.W_1.T + layer.b_1
        self.active = np.maximum(self.hidden, 0)
        self.o = self.z + self.active @ layer.W_2.T + layer.b_2
        self.output = self.o @ layer.theta

    def backward(self, y: Real) -> dict[str, Real]:
        """From the error back to each weight; d... is the derivative of the mean squared error."""
        layer, N, A = self.layer, self.N, self.A
        heads, r, d = layer.W_K.shape
        error = (2 / len(y) * (self.output - y)).astype(N.dtype)
        d_o = error[:, None] * layer.theta
        d_hidden = (d_o @ layer.W_2) * (self.hidden > 0)
        d_z = d_o + d_hidden @ layer.W_1
        gradient = {
            "theta": error @ self.o,
            "b_2": d_o.sum(axis=0),
            "W_2": d_o.T @ self.active,
            "b_1": d_hidden.sum(axis=0),
            "W_1": d_hidden.T @ self.z,
        }
        d_values = d_z
        if heads > 1:
            gradient["W_O"] = self.values.T @ d_z
            d_values = d_z @ layer.W_O.T
        d_values = d_values.reshape(-1, heads, r)
        gradient["W_V"] = np.stack([self.selected[:, h].T @ d_values[:, h] for h in range(heads)])
        d_selected = np.stack([d_values[:, h] @ layer.W_V[h].T for h in range(heads)], axis=2)
        d_A = N @ d_selected
        # Softmax: of a change of the weights what is left after its mean.
        d_scores = A * (d_A - (A * d_A).sum(axis=1, keepdims=True))
        d_u = d_scores.reshape(-1, heads).T @ N.reshape(-1, d) / self.root
        gradient["W_Q"] = self.keys[:, :, None] * d_u[:, None, :]
        gradient["W_K"] = np.einsum("hrd,hd->hr", layer.W_Q, d_u)[:, :, None] * self.n
        return gradient
