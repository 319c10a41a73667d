"""Matrices that are positive semidefinite wherever hypotheses hold, as elimination shows."""

from __future__ import annotations

from sympy import Matrix, expand

from slrsym.search.context import Context

__all__ = ["is_semidefinite"]


def is_semidefinite(matrix: Matrix, context: Context) -> bool:
    """Whether elimination shows a symmetric matrix to be positive semidefinite."""
    work = matrix.copy()
    n = work.shape[0]
    for i in range(n):
        pivot = work[i, i].cancel()
        sign = context.sign(pivot)
        if sign.zero:
            if any(expand(work[i, j]) != 0 for j in range(i + 1, n)):
                return False
            continue
        if not sign.positive:
            if not sign.nonnegative or i < n - 2:
                return False
            if i == n - 1:
                return True
            # Two rows are left, of which the first may vanish: their determinant has to.
            determinant = work[i, i] * work[i + 1, i + 1] - work[i, i + 1] ** 2
            return expand(determinant) == 0 and context.sign(work[i + 1, i + 1]).nonnegative
        for j in range(i + 1, n):
            for k in range(i + 1, n):
                work[j, k] = (work[j, k] - work[j, i] * work[i, k] / pivot).cancel()
    return True
