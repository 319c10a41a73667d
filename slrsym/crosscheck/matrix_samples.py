"""Matrix expressions in floating point, and random samples of Gaussian matrices, one a sample."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, Protocol

import numpy as np
import sympy as sp
from numpy.random import Generator
from sympy import Basic

from slrsym.crosscheck.ball_quadrature import Inconclusive
from slrsym.matrices.functions import GradientAt, HessianAt
from slrsym.matrices.letters import Letter
from slrsym.matrices.means import MatrixMean


class EvaluatorOfNumbers(Protocol):
    """The evaluator of numbers, as far as matrices need it."""

    values: Mapping[Any, Any]

    def value(self, expr: Basic) -> Any:
        """Return the values of a number, one for each sample."""


def matrix_value(at: EvaluatorOfNumbers, e: Any) -> Any:
    """Return the values of a matrix expression, shape (rows, columns) or (samples, ...)."""
    if isinstance(e, Letter):
        return at.values[e]
    if isinstance(e, sp.Identity | sp.ZeroMatrix):
        rows, columns = (int(at.value(n)) for n in e.shape)
        return np.eye(rows) if isinstance(e, sp.Identity) else np.zeros((rows, columns))
    if isinstance(e, sp.Transpose):
        return np.swapaxes(matrix_value(at, e.arg), -1, -2)
    # Inverses are powers, too. A sum may have none.
    has_power = isinstance(e, sp.MatPow) and e.exp.is_Integer
    if has_power and (e.exp > 0 or isinstance(e.base, Letter | sp.Transpose)):
        return np.linalg.matrix_power(matrix_value(at, e.base), int(e.exp))
    if isinstance(e, sp.MatMul):
        factor, parts = e.as_coeff_matrices()
        product = reduce(np.matmul, (matrix_value(at, part) for part in parts))
        return np.asarray(at.value(factor))[..., None, None] * product
    if isinstance(e, sp.MatAdd):
        return sum(matrix_value(at, part) for part in e.args)
    if isinstance(e, GradientAt | HessianAt):
        vectors = matrix_value(at, e.vector)
        return at.values[e.function].samples(vectors, 1 if isinstance(e, GradientAt) else 2)
    raise Inconclusive(f"no value in coordinates for {e}")


def trace_value(at: EvaluatorOfNumbers, e: Any) -> Any:
    """Return the values of a trace, one for each sample."""
    return np.trace(matrix_value(at, e.arg), axis1=-2, axis2=-1)


def function_value(at: EvaluatorOfNumbers, e: Any) -> Any:
    """Return the values of an unknown function at vectors, one for each sample."""
    return at.values[e.function].samples(matrix_value(at, e.vector), 0)


def drawn_matrices(
    e: MatrixMean, at: EvaluatorOfNumbers, rng: Generator, n: int
) -> Mapping[Any, Any]:
    """Return random samples of each matrix of a mean, shape (n, rows, columns)."""
    drawn = {}
    for x, *covariances in e.laws:
        left, right = (_root(np.asarray(matrix_value(at, c), dtype=float)) for c in covariances)
        normals = rng.standard_normal((n, left.shape[1], right.shape[1]))
        drawn[x] = left @ normals @ right.T
    return drawn


def _root(covariance: Any) -> Any:
    values, axes = np.linalg.eigh(covariance)
    return axes * np.sqrt(np.maximum(values, 0.0))
