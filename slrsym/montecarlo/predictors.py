r"""The predictors of the paper, as functions of the tokens' coordinates.

An attention predictor weighs the values :math:`X_l\cdot v` by what it makes of the scores
:math:`X_l\cdot k`. Softmax, erf and the hard maximum differ in the weights alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf, softmax

from slrsym.kernels.arguments import positive, real_array

__all__ = ["Attention", "Erf", "HardOracle", "Linear", "Predictor", "Softmax"]

_Array: TypeAlias = NDArray[np.float64]


class Attention:
    """A predictor that weighs values by scores.

    Whether it has directions k, v of its own, or uses the true ones, is its attribute `oracle`;
    whether a mirrored pair of samples mirrors all tokens or the informative one, `mirrors_all`.
    """

    name = ""
    oracle = False
    mirrors_all = True

    def weights(self, u: _Array) -> _Array:
        """The weight of each token.

        Parameters
        ----------
        u : ndarray, shape (n, L)
            Scores.

        Returns
        -------
        ndarray of shape (n, L)
        """
        raise NotImplementedError

    def own_slopes(self, u: _Array, a: _Array) -> _Array:
        """Derivative of each weight in its own score.

        Parameters
        ----------
        u, a : ndarray, shape (n, L)
            Scores and weights.

        Returns
        -------
        ndarray of shape (n, L)
        """
        raise NotImplementedError

    def slopes_in(self, u: _Array, a: _Array, at: NDArray[np.intp]) -> _Array:
        """Derivatives of all weights in one score.

        Parameters
        ----------
        u, a : ndarray, shape (n, L)
            Scores and weights.
        at : ndarray of int, shape (n,)
            Which score, for each sample.

        Returns
        -------
        ndarray of shape (n, L)
        """
        raise NotImplementedError

    def output_slopes(self, u: _Array, a: _Array, v: _Array) -> _Array:
        """Derivative of the output in each score.

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
class HardOracle(Attention):
    r"""The hard oracle, equation (1).

    It returns :math:`X_{\hat l}\cdot v^\star` for :math:`\hat l = \arg\max_l X_l\cdot k^\star`.
    """

    name = "hard oracle"
    oracle = True

    def weights(self, u: _Array) -> _Array:
        result = np.zeros_like(u)
        np.put_along_axis(result, u.argmax(axis=1)[:, None], 1.0, axis=1)
        return result


@dataclass(frozen=True)
class Softmax(Attention):
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
        object.__setattr__(self, "lam", positive("lam", self.lam))

    def weights(self, u: _Array) -> _Array:
        return np.asarray(softmax(self.lam * u, axis=1))

    def own_slopes(self, u: _Array, a: _Array) -> _Array:
        return self.lam * a * (1 - a)

    def slopes_in(self, u: _Array, a: _Array, at: NDArray[np.intp]) -> _Array:
        rows = np.arange(len(u))
        weight = self.lam * a[rows, at]
        result = -weight[:, None] * a
        result[rows, at] += weight
        return result

    def output_slopes(self, u: _Array, a: _Array, v: _Array) -> _Array:
        result: _Array = self.lam * a * (v - np.sum(a * v, axis=1, keepdims=True))
        return result


@dataclass(frozen=True)
class Erf(Attention):
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
        object.__setattr__(self, "lam", positive("lam", self.lam))

    def weights(self, u: _Array) -> _Array:
        return np.asarray(erf(self.lam * u))

    def own_slopes(self, u: _Array, a: _Array) -> _Array:
        result: _Array = self.lam * 2 / np.sqrt(np.pi) * np.exp(-((self.lam * u) ** 2))
        return result

    def slopes_in(self, u: _Array, a: _Array, at: NDArray[np.intp]) -> _Array:
        rows = np.arange(len(u))
        result = np.zeros_like(u)
        result[rows, at] = self.own_slopes(u[rows, at], a[rows, at])
        return result

    def output_slopes(self, u: _Array, a: _Array, v: _Array) -> _Array:
        return self.own_slopes(u, a) * v


@dataclass(frozen=True, eq=False)
class Linear:
    r"""A linear predictor :math:`\sum_l \beta_l\cdot X_l`.

    The best of them is that of Proposition 3.

    Parameters
    ----------
    coefficients : array_like, shape (L, 2), optional
        Of each token, along k* and v*; by default those of `slrsym.linear.best_linear`.

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
            beta = real_array("coefficients", self.coefficients)
            if beta.ndim != 2 or beta.shape[1] != 2 or not np.isfinite(beta).all():
                raise ValueError(
                    f"coefficients must be finite and of shape (L, 2); got {beta.tolist()}"
                )
            object.__setattr__(self, "coefficients", beta)


Predictor: TypeAlias = Attention | Linear
