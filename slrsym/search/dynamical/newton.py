"""Newton's method in many digits, which says nothing rather than something doubtful."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np

__all__ = ["DIGITS", "REGULAR", "close", "slopes_at", "solved"]

DIGITS = 50

# How small the last step has to be, and how far from singular the derivative.
_SETTLED = mpmath.mpf(10) ** -30
REGULAR = 1e-8
_MOST = 12
_FAR = 100


def solved(function: Callable[..., Any], start: Sequence[Any]) -> tuple[Any, ...] | None:
    """A zero to which Newton's method leads."""
    size = len(start)
    with mpmath.workdps(DIGITS):
        x = [mpmath.mpf(float(c)) for c in start]
        try:
            for _ in range(_MOST):
                value = mpmath.matrix(function(*x))
                slopes = slopes_at(function, x)
                # A zero already has no way to go, even where the derivative is singular.
                exact = mpmath.norm(value) == 0
                way = mpmath.matrix(size, 1) if exact else mpmath.lu_solve(slopes, -value)
                x = [a + b for a, b in zip(x, way, strict=True)]
                if mpmath.norm(way) < _SETTLED:
                    return tuple(x) if _is_regular(slopes) else None
                if mpmath.norm(mpmath.matrix(x)) > _FAR:
                    return None
        except (ZeroDivisionError, ValueError, TypeError, OverflowError):
            return None
    return None


def _is_regular(slopes: Any) -> bool:
    matrix = np.array(slopes.tolist(), dtype=float)
    return bool(np.isfinite(matrix).all() and np.linalg.svd(matrix)[1].min() > REGULAR)


def slopes_at(function: Callable[..., Any], x: Sequence[Any]) -> Any:
    """The derivative of a function, by central differences that leave two thirds of the digits."""
    size = len(x)
    step = mpmath.mpf(10) ** (-DIGITS // 3)
    matrix = mpmath.matrix(size, size)
    for j in range(size):
        up, down = ([c + s * step * (i == j) for i, c in enumerate(x)] for s in (1, -1))
        for i, (a, b) in enumerate(zip(function(*up), function(*down), strict=True)):
            matrix[i, j] = (a - b) / (2 * step)
    return matrix


def close(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether two points are the same but for rounding errors."""
    return all(abs(x - y) < 1e-6 for x, y in zip(a, b, strict=True))
