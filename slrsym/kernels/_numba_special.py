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

from slrsym.kernels import laplace
from slrsym.kernels.special import (
    COUNTS,
    FALLS,
    LEAST,
    NODES,
    NOTHING,
    PIECE,
    REACH,
    SQRT2,
    WEIGHTS,
    WIDTHS,
)

__all__ = ["decay_integral", "erf_covariance", "erf_defect", "owens_t", "role_means"]

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


@njit(fastmath={"reassoc", "nsz", "contract"}, **_OPTIONS)
def _piece(rise, fall, least, low, width):
    total = 0.0
    for i in range(24):
        square = (low + width * NODES[_LAST, i]) ** 2
        exponent = least - rise * square - fall / square
        total += WEIGHTS[_LAST, i] / (1 + square) * _exp(max(exponent, -700.0))
    return total * width


@njit(**_OPTIONS)
def _log_pieces(rise, fall, least, low, stop):
    if not stop > low:
        return 0.0
    length = math.log(stop / low)
    count = max(1, math.ceil(length / PIECE))
    ratio = math.exp(length / count)
    total = 0.0
    for _ in range(count):
        width = low * (ratio - 1)
        total += _piece(rise, fall, least, low, width)
        low += width
    return total


@njit(**_OPTIONS)
def erf_covariance(x, y, r):
    """As `slrsym.kernels.special.erf_covariance`, for numbers."""
    if x != x or y != y or not abs(r) <= 1:
        return math.nan
    sign = 1.0
    if r < 0:
        sign, y, r = -1.0, -y, -r
    if r == 0:
        return 0.0
    rise, fall = ((x + y) / 2) ** 2, ((x - y) / 2) ** 2
    start = max(math.sqrt((1 - r) / (1 + r)), LEAST)
    best = min(1.0, max(start, (fall / rise) ** 0.25)) if rise > 0 else 1.0
    least = rise * best**2 + fall / best**2
    if (x * x + y * y) / 2 + least > NOTHING:
        return 0.0
    top = least + REACH
    root = (top + math.sqrt(max(top * top - 4 * rise * fall, 0.0))) / 2
    start = max(start, math.sqrt(fall / root))
    stop = min(1.0, math.sqrt(root / rise)) if rise > 0 else 1.0
    total = _log_pieces(rise, fall, least, start, best)
    total += _log_pieces(rise, fall, least, best, stop)
    return 4 / math.pi * sign * math.exp(-(x * x + y * y) / 2 - least) * total


@njit(**_OPTIONS)
def owens_t(h, a):
    """As `slrsym.kernels.special.owens_t`, for numbers."""
    if h != h or a != a:
        return math.nan
    sign = 1.0 if a > 0 else -1.0
    h, a = abs(h), abs(a)
    if a <= 1:
        half = h * h / 2
        return sign * math.exp(-half) * decay_integral(half, 0.0, a) / (2 * math.pi)
    k = min(a * h, 40.0) if h > 0 else 0.0
    half = k * k / 2
    value = math.exp(-half) * decay_integral(half, 0.0, 1 / a) / (2 * math.pi)
    tails = math.erfc(h / SQRT2) * math.erf(k / SQRT2) + math.erfc(k / SQRT2)
    return sign * (tails / 4 - value)


_LEFT, _RIGHT, _REACH = laplace.LEFT, laplace.RIGHT, laplace.REACH
_STEP_Y, _STEP_Z = laplace.STEP_Y, laplace.STEP_Z
_GRID = np.arange(_LEFT, _RIGHT + _STEP_Y, _STEP_Y)
_LOW = np.exp(_GRID - np.exp(_GRID)) * _STEP_Y
_FAST = {"fastmath": {"reassoc", "nsz", "contract"}, **_OPTIONS}
_BELL = 1 / math.sqrt(2 * math.pi)


@njit(**_FAST)
def _moving(middle, scale, step, found, i):
    """Nodes that move with the bell."""
    count = math.ceil(2 * _REACH / step) + 1
    for n in range(count):
        z = -_REACH + n * step
        w = _exp(min(middle + scale * z, 6.0))
        bell = _exp(-z * z / 2) * (_BELL * step)
        low = math.expm1(-w)
        found[16, i] -= low * bell
        weight = (1.0 + low) * bell
        for k in range(4):
            found[4 * k, i] += weight
            found[4 * k + 1, i] += weight * z
            found[4 * k + 2, i] += weight * z * z
            found[4 * k + 3, i] += weight * z * z * z
            weight *= w


@njit(**_FAST)
def _staying(middle, scale, found, i):
    """Nodes that stay, of the weights, which then are narrower than the bell."""
    s = np.zeros((3, 4))
    for n in range(len(_GRID)):
        zeta = (_GRID[n] - middle) / scale
        half = zeta * zeta / 2
        weight = _LOW[n] * _exp(-half) if half < 690.0 else 0.0
        w = _WEIGHT[n]
        for k in range(3):
            s[k, 0] += weight
            s[k, 1] += weight * zeta
            s[k, 2] += weight * zeta * zeta
            s[k, 3] += weight * zeta * zeta * zeta
            weight *= w
    above = 0.0
    below = 0.0
    for n in range(len(_GRID)):
        tail = 0.5 * math.erfc(abs(_GRID[n] - middle) / (scale * SQRT2))
        over = tail if _GRID[n] >= middle else 1.0 - tail
        above += over * _LOW[n]
        below += (tail if _GRID[n] < middle else 1.0 - tail) * _LOW[n]
    for k in range(3):
        for j in range(4):
            found[4 * k + 4 + j, i] = s[k, j] * (_BELL / scale)
    found[0, i] = below
    found[1, i] = -s[0, 0] * _BELL
    found[2, i] = below - s[0, 1] * _BELL
    found[3, i] = -(s[0, 2] + 2 * s[0, 0]) * _BELL
    found[16, i] = above


_WEIGHT = np.exp(_GRID)


@njit(**_OPTIONS)
def role_means(x, mu, mean, spread):
    """As `slrsym.kernels.laplace.role_means`."""
    scale = mu * spread
    found = np.zeros((17, len(x)))
    for i in range(len(x)):
        middle = x[i] + mu * mean
        if scale == 0.0:
            w = math.exp(min(middle, 6.0))
            for k in range(4):
                found[4 * k, i] = found[4 * k + 2, i] = w**k * math.exp(-w)
            found[16, i] = -math.expm1(-w)
        elif scale * 2 * _REACH < _RIGHT - _LEFT:
            _moving(middle, scale, min(_STEP_Y, _STEP_Z * scale) / scale, found, i)
        else:
            _staying(middle, scale, found, i)
    return found
