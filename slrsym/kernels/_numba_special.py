"""The functions of the kernels that Python's math module lacks, compiled by Numba.

They say the same as their namesakes for NumPy. The quadrature has an exponential of its own: calls
of the C library are made one at a time, while a polynomial is evaluated for several nodes at once.
"""

# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from slrsym.kernels.special import COUNTS, FALLS, NODES, NOTHING, REACH, WEIGHTS, WIDTHS

__all__ = ["decay_integral", "erf_defect"]

# Division by zero gives an infinity, as in NumPy; a check of every divisor would keep the loop from
# being vectorised. Not kept on disk: what is compiled here becomes part of the machine code of its
# callers, which is, under a name that says which tables and text it was made from.
_OPTIONS = {"error_model": "numpy"}

_LOG2E = 1.4426950408889634
# The logarithm of 2, split so that small multiples of the first part are exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_C = tuple(1 / math.factorial(n) for n in range(14))

_LAST = len(COUNTS) - 1


@intrinsic
def _as_float(typing_context, bits):
    """The number with the given bits."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@njit(**_OPTIONS)
def _exp(x):
    """The exponential between -700 and 700, to one unit in the last place."""
    k = math.floor(x * _LOG2E + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (_C[2] + _C[3] * r) + (_C[4] + _C[5] * r) * r2
    middle = (_C[6] + _C[7] * r) + (_C[8] + _C[9] * r) * r2
    high = (_C[10] + _C[11] * r) + (_C[12] + _C[13] * r) * r2
    p = 1 + (r + r2 * (low + r4 * (middle + r4 * high)))
    return p * _as_float((np.int64(np.int32(k)) + 1023) << 52)


# The sum may be taken in any order: its terms are positive.
@njit(fastmath={"reassoc", "nsz", "contract"}, **_OPTIONS)
def _sum(rule, count, exponent, low, width):
    total = 0.0
    for i in range(count):
        step = width * NODES[rule, i]
        rise = step * (2 * low + step)
        total += WEIGHTS[rule, i] / (1 + low * low + rise) * _exp(-exponent * rise)
    return total * width


@njit(**_OPTIONS)
def decay_integral(exponent, low, width):
    """As `slrsym.kernels.special.decay_integral`, for numbers."""
    if exponent > NOTHING:
        return 0.0
    fall = exponent * (width * (2 * low + width))
    if fall > REACH:
        reach = REACH / exponent
        width = reach / (low + math.sqrt(low * low + reach))
    rule = 0
    while rule < _LAST and (width > WIDTHS[rule] or fall > FALLS[rule]):
        rule += 1
    return _sum(rule, COUNTS[rule], exponent, low, width)


@njit(**_OPTIONS)
def erf_defect(x, y):
    """The difference of x and erf(y), by the complement that is the smaller."""
    small = math.erfc(abs(y))
    return (x - 1) + small if y >= 0 else (x + 1) - small
