"""Covariance matrices: elimination, and which of them are plainly positive semidefinite."""

from __future__ import annotations

from typing import Any

import sympy as sp


def ldl_decomposition(matrix: sp.Matrix) -> tuple[list[Any], sp.Matrix] | None:
    """Return D and L of M = L D L^T; None where a pivot vanishes, and its row does not."""
    work, n = matrix.copy(), matrix.rows
    diagonal, lower = [], sp.eye(n)
    for i in range(n):
        pivot = sp.factor(work[i, i])
        diagonal.append(pivot)
        for j in range(i + 1, n):
            entry = sp.cancel(work[j, i])
            if entry == 0:
                continue
            if pivot == 0:
                return None
            lower[j, i] = sp.cancel(entry / pivot)
            for k in range(i + 1, n):
                work[j, k] = sp.cancel(work[j, k] - lower[j, i] * work[i, k])
    return diagonal, lower


def is_plainly_semidefinite(matrix: sp.Matrix) -> bool:
    """Tell whether the declarations of symbols show a matrix to be positive semidefinite.

    If not, a claim that speaks of the law supposes that it exists.
    """
    found = ldl_decomposition(matrix)
    if found is None:
        return False
    diagonal, lower = found
    divided = [
        pivot
        for i, pivot in enumerate(diagonal)
        if any(lower[j, i] != 0 for j in range(i + 1, len(diagonal)))
    ]
    return all(p.is_positive for p in divided) and all(p.is_nonnegative for p in diagonal)
