"""Moments of `slrsym.kernels.quadrant_arrays` for single numbers, compiled with Numba."""

# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np
from numba import njit

from slrsym.kernels import quadrant_arrays
from slrsym.kernels.edge_arrays import LEAST_ANGLE, ROOT_TWO_PI
from slrsym.kernels.numpy_special_functions import NODES, PIECE, REACH, SQRT2, WEIGHTS
from slrsym.kernels.quadrant_arrays import CERTAIN, NEGLIGIBLE, NEVER, PIECES

_compiled = njit(error_model="numpy")
_ORDERS = range(4)
# The factors of Taylor's formula, by p, q and the order of the derivative.
_TAYLOR = np.array(
    [[[quadrant_arrays.coefficient(p, q, j) if j <= min(p, q) else 0.0 for j in _ORDERS]
      for q in _ORDERS] for p in _ORDERS]
)  # fmt: skip
_REST = np.array([[quadrant_arrays.rest_coefficient(p, q) for q in _ORDERS] for p in _ORDERS])


@_compiled
def _moment(n, u):
    """Return the mean of (u + Z)_+^n."""
    before = 0.5 * math.erfc(-u / SQRT2)
    if n == 0:
        return before
    pdf = math.exp(-u * u / 2) / ROOT_TWO_PI
    if u > 0:
        above = u * before + pdf
        for m in range(1, n):
            before, above = above, u * above + m * before
        return above
    width = REACH / (math.sqrt(u * u + 2 * REACH) - u)
    total = 0.0
    for piece in range(2):
        for i in range(len(NODES)):
            t = width * (piece + NODES[i])
            total += WEIGHTS[i] * t**n * math.exp(-t * (t / 2 - u))
    return pdf * total * width


@_compiled
def _power(p, m):
    if p == 0:
        return 1.0 if m > 0 else 0.0 if m < 0 else 0.5 if m == 0 else m
    return m**p if not m <= 0 else 0.0


@_compiled
def half_line_moment(p, m, s):
    """Return the mean of (m + s Z)_+^p."""
    if s == 0 or abs(m) >= CERTAIN * s:
        return _power(p, m)
    return s**p * _moment(p, max(m / s, NEVER))


@_compiled
def _inside(p, q, h, k, rise):
    if not h + k > 0:
        return 0.0
    low, high = -h, k
    nearest = min(max(0.0, low), high)
    reach = math.sqrt(nearest * nearest + 2 * REACH)
    low, high = max(low, -reach), min(high, reach)
    width, total = (high - low) / PIECES, 0.0
    for piece in range(PIECES):
        for i in range(len(NODES)):
            x = low + width * (piece + NODES[i])
            above, below = max(h + x, 0.0), max(k - x, 0.0)
            terms = 0.0
            for j in range(q + 1):
                terms += _TAYLOR[p, q, j] * rise**j * above ** (p - j) * below ** (q - j)
            total += WEIGHTS[i] * terms * math.exp(-x * x / 2)
    return total * width / ROOT_TWO_PI


@_compiled
def _integrand(p, q, w, a, b, y, end):
    square = 1 + w * w
    u = a / w + b * w
    apart = 2 * abs((w - end) * (w + end)) / (square * (1 + end * end))
    if p == q:
        return apart**q * math.exp(-(y * y + u * u) / 2) / (math.pi * square)
    sine = 2 * w / square
    scaled = sine ** (p - q - 1) * _moment(p - q - 1, max(u, NEVER))
    return apart**q * math.exp(-y * y / 2) / ROOT_TWO_PI * scaled * 2 * sine / square


@_compiled
def _rest(p, q, negative, h, y, end):
    a, b = (h - y) / 2, (h + y) / 2
    least_part = 1e-18 if p == q else NEGLIGIBLE
    start, stop = max(end, least_part), 1.0
    if negative:
        start, stop = least_part * end, end
    if not stop > start:
        return 0.0
    middle = stop if b == 0 else min(max(math.sqrt(abs(a) / abs(b)), start), stop)
    first, second, third = a / start + b * start, a / middle + b * middle, a / stop + b * stop
    if p == q:
        least = 0.0
        if (first > 0) == (third > 0):
            least = min(abs(first), abs(second), abs(third))
        falls, rises = a != 0, b != 0
    else:
        least = min(max(-first, 0.0), max(-second, 0.0), max(-third, 0.0))
        falls, rises = a < 0, b < 0
    far = math.sqrt(least * least + 2 * REACH)
    bend = far + math.sqrt(max(far * far - 4 * a * b, 0.0))
    if rises:
        stop = min(stop, bend / (2 * abs(b)))
    if falls:
        start = max(start, 2 * abs(a) / bend)
    if p != q:
        start = max(start, NEGLIGIBLE * stop)
    if not stop > start:
        return 0.0
    length = math.log(stop / start)
    count = max(1, math.ceil(length / PIECE))
    ratio, total, low = math.exp(length / count), 0.0, start
    for _ in range(count):
        width = low * (ratio - 1)
        for i in range(len(NODES)):
            total += width * WEIGHTS[i] * _integrand(p, q, low + width * NODES[i], a, b, y, end)
        low += width
    return _REST[p, q] * total


@_compiled
def quadrant_moment(p, q, m, s, n, t, cosine, sine):
    """Return the mean of (m + s X)_+^p (n + t Y)_+^q."""
    if not (m == m and n == n and s >= 0 and t >= 0 and cosine == cosine):
        return math.nan
    if s == 0 or t == 0 or cosine == 0 or abs(m) >= CERTAIN * s or abs(n) >= CERTAIN * t:
        return half_line_moment(p, m, s) * half_line_moment(q, n, t)
    if not sine >= 0:
        return math.nan
    h, k = max(m / s, NEVER), max(n / t, NEVER)
    end = sine / (1 + abs(cosine))
    end = 0.0 if end < LEAST_ANGLE else end
    if cosine < 0:
        base = _inside(p, q, h, k, sine * sine / (1 - cosine))
        found = base + _rest(p, q, True, h, -k, end)
    else:
        found = _rest(p, q, False, h, k, end)
        for j in range(q + 1):
            found += _TAYLOR[p, q, j] * cosine**j * _moment(p - j, h) * _moment(q - j, k)
    return s**p * t**q * found
