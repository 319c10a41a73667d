"""Multiple-location regression, equation (30): the output depends on n tokens in place of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slrsym.kernels.arguments import whole
from slrsym.task import Task

__all__ = ["MultipleLocation", "Real"]

# Of double precision, or of single where speed is what matters.
Real = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class MultipleLocation:
    r"""A multiple-location regression task.

    Tokens :math:`X_{J_i} = \sqrt{d/2}\, k^\star_i + \gamma G_i` at n distinct locations are
    informative, the others are standard normal, and
    :math:`Y = \sum_i X_{J_i} \cdot v^\star_i + \xi`.

    Parameters
    ----------
    task : Task
        Dimension, number of tokens, gamma, epsilon.
    n : int, optional
        How many tokens are informative, from 1 to `task.L`.
    shared : bool, optional
        Whether the informative tokens have the same noise G, as in the paper's notebooks. Its text
        says that they are independent.

    Raises
    ------
    ValueError
        If `n` is not an integer from 1 to L.
    """

    task: Task
    n: int = 1
    shared: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole("n", self.n, 1))
        if self.n > self.task.L:
            raise ValueError(f"n must be at most L = {self.task.L}; got {self.n}")

    def stars(self, rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        r"""Uniform directions, :math:`v^\star_i` orthogonal to :math:`k^\star_i`.

        Parameters
        ----------
        rng : Generator

        Returns
        -------
        k_star, v_star : ndarray, each of shape (n, d)
        """
        k, v = rng.standard_normal((2, self.n, self.task.d))
        k /= np.linalg.norm(k, axis=1, keepdims=True)
        v -= (v * k).sum(axis=1, keepdims=True) * k
        return k, v / np.linalg.norm(v, axis=1, keepdims=True)

    def draw(self, rng: Generator, k_star: Real, v_star: Real, count: int) -> tuple[Real, Real]:
        """Sequences and outputs, in the precision of the directions.

        The informative tokens come first: for what treats all tokens alike, and only for that, this
        is as good as any other law of the locations.

        Parameters
        ----------
        rng : Generator
        k_star, v_star : ndarray, shape (n, d)
        count : int

        Returns
        -------
        X : ndarray of shape (count, L, d)
        y : ndarray of shape (count,)
        """
        task, kind = self.task, k_star.dtype.type
        X = rng.standard_normal((count, task.L, task.d), dtype=kind)
        informative = X[:, : self.n]
        if self.shared:
            informative[:] = informative[:, :1]
        informative *= kind(task.gamma)
        informative += kind(np.sqrt(task.d / 2)) * k_star
        noise = kind(task.epsilon) * rng.standard_normal(count, dtype=kind)
        return X, np.einsum("bnd,nd->b", informative, v_star) + noise
