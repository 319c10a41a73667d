"""Exact matrices as lists of rows, and numbers with a derivative."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from flint import arb_mat, fmpq, fmpq_mat

from slrsym.crosscheck.waves import as_ball, sign_of_difference

Rows = list[list[Any]]


class Dual:
    """A number a + b e with e^2 = 0: a value and its derivative."""

    def __init__(self, a: Any, b: Any = 0) -> None:
        self.a, self.b = a, b

    def __add__(self, other: Any) -> Dual:
        other = as_dual(other)
        return Dual(self.a + other.a, self.b + other.b)

    def __mul__(self, other: Any) -> Dual:
        other = as_dual(other)
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    __radd__, __rmul__ = __add__, __mul__

    def inverse(self) -> Dual:
        return Dual(1 / self.a, -self.b / self.a**2)


def as_dual(x: Any) -> Dual:
    """Return a number as one with a derivative."""
    return x if isinstance(x, Dual) else Dual(x)


def rows_of(m: Any) -> Rows:
    """Return the rows of a matrix of python-flint."""
    return [[m[i, j] for j in range(m.ncols())] for i in range(m.nrows())]


def diagonal(values: Sequence[Any]) -> Any:
    """Return a diagonal matrix of python-flint."""
    m = fmpq_mat(len(values), len(values))
    for i, v in enumerate(values):
        m[i, i] = v
    return m


def conjugated(turn: Any, values: Sequence[Any]) -> Rows:
    """Return a diagonal matrix in the axes of a rotation."""
    return rows_of(turn * diagonal(values) * turn.transpose())


def total(parts: Sequence[Any]) -> Any:
    """Return the sum of one number or more, of any kind."""
    first, *rest = parts
    for part in rest:
        first = first + part
    return first


def multiply(factors: Sequence[Rows]) -> Rows:
    """Return the product of one matrix or more."""
    first, *rest = factors
    for m in rest:
        columns = list(zip(*m, strict=True))
        first = [[total([x * y for x, y in zip(row, c, strict=True)]) for c in columns]
                 for row in first]  # fmt: skip
    return first


def is_semidefinite(m: Rows) -> bool:
    """Return whether a matrix is symmetric and positive semidefinite, by its principal minors."""
    n = len(m)
    if any(not isinstance(c, fmpq) for row in m for c in row):
        balls = [[as_ball(c) for c in row] for row in m]
        is_symmetric = not any(sign_of_difference(m[i][j], m[j][i]) for i, j in _pairs(n))
        return is_symmetric and not any(minor < 0 for minor in _principal_minors(arb_mat, balls))
    if any(m[i][j] != m[j][i] for i, j in _pairs(n)):
        return False
    return all(minor >= 0 for minor in _principal_minors(fmpq_mat, m))


def _pairs(n: int) -> Iterable[tuple[int, int]]:
    return combinations(range(n), 2)


def _principal_minors(kind: Any, m: Rows) -> Iterable[Any]:
    for k in range(1, len(m) + 1):
        for places in combinations(range(len(m)), k):
            yield kind([[m[i][j] for j in places] for i in places]).det()
