"""What floating-point numbers on a grid say of step sizes: a hint to the search, and no proof.

The conditions are those of Propositions 8 and 12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from slrsym.certify.boxes import Box
from slrsym.certify.closed_form import closed_form_step
from slrsym.certify.numbers import Range, ranges
from slrsym.certify.statements import KINDS
from slrsym.kernels.arguments import whole
from slrsym.models.expressions import kernel

__all__ = ["grid_step", "suspects"]

# To which part of itself the step size is found.
_PRECISION = 1e-5


@cache
def _condition_kernel() -> Any:
    from slrsym.kernels.numpy_backend import numpy_function

    return numpy_function(KINDS["alpha"].parts({})[0].field.values)


@cache
def _planar_kernel() -> Any:
    from slrsym.dynamics.maps import planar_program
    from slrsym.kernels.numpy_backend import numpy_function

    return numpy_function(planar_program())


def _grid(count: int) -> NDArray[np.float64]:
    side = np.linspace(-1, 1, count)
    return np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1)


def _conditions(points: Any, at: Sequence[float], alpha: float) -> Any:
    return _condition_kernel()(points, *at, alpha, 1.0, 0.0, 1.0)


def _allows(points: Any, at: Sequence[float], alpha: float) -> bool:
    """Whether, as far as can be seen, g is injective with a positive determinant and descends."""
    values = _conditions(points, at, alpha)
    poles, slope_nu, determinant = values[..., :2], values[..., 3], values[..., 4]
    if not ((poles > 0).all() and (slope_nu > 0).all() and (determinant > 0).all()):
        return False
    inner = points[1:-1, 1:-1]
    lam, gamma, d = at
    new = _planar_kernel()(inner, lam, gamma, d, 1.0, 0.0, alpha)[..., :2]
    risk = kernel("excess_risk")
    zero = np.zeros((*inner.shape[:-1], 3))
    before, after = (
        risk(np.concatenate([x, zero], axis=-1), lam, gamma, d, 1.0, 0.0)[..., 0]
        for x in (inner, new)
    )
    # Of the size of the risk, and of rounding.
    return bool((after <= before + 1e-14 * gamma**2).all())


def grid_step(lam: Any, gamma: Any, d: Any, count: int = 401) -> float:
    """The largest step size that floating-point numbers allow on a grid; this proves nothing.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `slrsym.certify.alpha_bar`. Of ranges, the ends are looked at.
    count : int, optional
        How many points the grid has along a side, at least 3; of ranges, a quarter of that.

    Returns
    -------
    float
        By bisection, to five digits: the risk decreases along every step, the determinant of the
        Jacobian matrix of g is positive, and nu' grows with nu.

    Raises
    ------
    ValueError
        If `lam`, `gamma` or `d` is no number in its range, or `count` is below 3.
    """
    given = ranges(lam, gamma, d)
    count = whole("count", count, 3)
    if not all(x.is_point for x in given.values()):
        count = 1 + count // 4
    corners = product(*({float(x.low), float(x.high)} for x in given.values()))
    return min(_grid_step(ends, count) for ends in corners)


def _grid_step(at: Sequence[float], count: int) -> float:
    # A coarse grid of some of the points allows more.
    high = low = float(closed_form_step(at[0], at[1], at[2]))
    for points in (_grid(1 + count // 4), _grid(count)):
        while not _allows(points, at, low):
            low *= 0.99
        high = max(low, high)
        while _allows(points, at, high):
            low, high = high, (2 * high if points.shape[0] < count else 1.01 * high)
        while high - low > _PRECISION * high:
            middle = (low + high) / 2
            low, high = (middle, high) if _allows(points, at, middle) else (low, middle)
    return low


def suspects(given: Mapping[str, Range], alpha: float) -> tuple[Box, ...]:
    """The points of a coarse grid where the conditions look worst, at the ends of all ranges."""
    points = _grid(129)
    found: dict[Box, None] = {}
    for ends in product(*({float(x.low), float(x.high)} for x in given.values())):
        worst = _conditions(points, ends, alpha).min(axis=-1)
        at = points[np.unravel_index(int(worst.argmin()), worst.shape)]
        found[tuple((fmpq(*float(x).as_integer_ratio()),) * 2 for x in at)] = None
    return tuple(found)
