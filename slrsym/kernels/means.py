r"""Means of functions that have no closed form, by quadrature, as functions of kernels.

:math:`E f(m + \sqrt v\,G)` is a SymPy function of m, v and the parameters of f, whose slope in m is
the same of the derivative of f. The trapezoidal rule converges exponentially for analytic f: once
two grids, shifted by half a step, agree to 1e-9, their mean is good to the last digits. The first
step is half a unit of the argument of f, on which functions of a score vary. Where v is above 1,
the mean of the derivative of order n is that of :math:`f\,He_n(G) / v^{n/2}`, which loses no
digits: derivatives of a steep f are large, and their mean is small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Of the grids: from where to where, the first step, what they agree to, how often it is halved.
REACH, STEP, AGREED, HALVINGS = 10.0, 0.5, 1e-9, 12


def hermite(z: Any, order: int) -> Any:
    """The polynomials He of probability theory."""
    value, before = z**0, 0 * z
    for k in range(order):
        value, before = z * value - k * before, value
    return value


def trapezoid_arrays(
    f: Callable[..., Any], order: int, m: Any, v: Any, *parameters: Any
) -> NDArray[np.float64]:
    """Means over arrays that broadcast; f(z, ...) is a pair, the derivative and the function."""
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (m, v, *parameters)))
    shape = arrays[0].shape
    mean, spread, *values = (x.reshape(-1)[:, None] for x in arrays)
    spread = np.sqrt(spread)
    found = np.full(mean.shape[0], np.nan)
    with np.errstate(invalid="ignore"):
        levels = np.ceil(np.log2(np.maximum(spread[:, 0], 1.0)))
    for level in np.unique(levels[np.isfinite(levels)]):
        left = np.flatnonzero(levels == level)
        step = STEP / 2.0**level

        def sums(rows: Any, step: float, start: float, steep: Any = level > 0) -> Any:
            """The rule for the integrand and for its size, some nodes at a time."""
            nodes = np.arange(start - REACH, REACH + step / 4, step)
            total, size = np.zeros(len(rows)), np.zeros(len(rows))
            for first in range(0, len(nodes), 64):
                z = nodes[first : first + 64]
                bell = np.exp(-z * z / 2) * (step / np.sqrt(2 * np.pi))
                at = f(mean[rows] + spread[rows] * z, *(x[rows] for x in values))
                if steep:
                    bell = bell * hermite(z, order) / spread[rows] ** order
                terms = at[int(steep)] * bell
                total += terms.sum(axis=-1)
                size += np.abs(terms).sum(axis=-1)
            return total, size

        total, size = sums(left, step, 0.0)
        for _ in range(HALVINGS):
            other, more = sums(left, step, step / 2)
            agree = np.abs(total - other) <= AGREED * (size + more)
            total, size, step = (total + other) / 2, (size + more) / 2, step / 2
            found[left[agree]] = total[agree]
            left, total, size = left[~agree], total[~agree], size[~agree]
            if not left.size:
                break
    result: NDArray[np.float64] = found.reshape(shape)
    return result


# The same for Numba, of one number.
NUMBA_SOURCE = f"""\
def NAME(m, v, PARAMETERS):
    spread = sqrt(v)
    step = {STEP} / 2.0 ** np.ceil(np.log2(max(spread, 1.0)))
    total, size, start, count = 0.0, 0.0, -{REACH}, int({2 * REACH} / step) + 1
    for halving in range({HALVINGS + 1}):
        other, more = 0.0, 0.0
        for n in range(count):
            z = start + n * step
            if spread > 1.0:
                term, before = 1.0, 0.0
                for k in range(ORDER):
                    term, before = z * term - k * before, term
                term *= BODY(m + spread * z, PARAMETERS)[1] / spread**ORDER
            else:
                term = BODY(m + spread * z, PARAMETERS)[0]
            term *= exp(-0.5 * z * z) * step
            other += term
            more += abs(term)
        if halving == 0:
            total, size, start = other, more, start + 0.5 * step
            continue
        agree = abs(total - other) <= {AGREED} * (size + more)
        total, size = 0.5 * (total + other), 0.5 * (size + more)
        if agree:
            return total * {1 / math.sqrt(2 * math.pi)!r}
        count, step = 2 * count, 0.5 * step
        start = -{REACH} + 0.5 * step
    return nan
"""
