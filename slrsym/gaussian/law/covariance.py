"""What may be the covariance of a random vector."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Any

from sympy import Expr, ImmutableMatrix, Symbol, expand, factor, factor_terms

from slrsym.gaussian.law.declarations import real_expression

__all__ = ["covariance_matrix"]


def covariance_matrix(cov: Any, names: list[Symbol]) -> ImmutableMatrix:
    """The covariance matrix of a vector."""
    try:
        matrix = ImmutableMatrix(cov)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cov must be a matrix or nested lists of equal length; {error}") from None
    n = len(names)
    if matrix.shape != (n, n):
        raise ValueError(f"cov has shape {matrix.shape}; {n} coordinates need ({n}, {n})")
    for i in range(n):
        for j in range(i + 1):
            real_expression(matrix[i, j], f"cov[{i}, {j}]")
            if i != j and expand(matrix[i, j] - matrix[j, i]) != 0:
                raise ValueError(
                    f"cov is not symmetric: cov[{i}, {j}] = {matrix[i, j]}, "
                    f"cov[{j}, {i}] = {matrix[j, i]}"
                )
    found = _negative_minor(matrix)
    if found is not None:
        chosen, minor = found
        which = ", ".join(names[i].name for i in chosen)
        raise ValueError(
            f"cov is not positive semidefinite: the principal minor of ({which}) "
            f"is {factor_terms(minor)} < 0"
        )
    return matrix


@lru_cache(maxsize=1024)
def _negative_minor(matrix: ImmutableMatrix) -> tuple[tuple[int, ...], Expr] | None:
    """A principal minor that is certainly negative, with its rows."""
    n = matrix.rows
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            if size > 3 and not all(matrix[i, j].is_number for i in chosen for j in chosen):
                continue
            minor = matrix.extract(list(chosen), list(chosen)).det(method="berkowitz")
            if minor.is_negative or factor(minor).is_negative:
                return chosen, minor
    return None
