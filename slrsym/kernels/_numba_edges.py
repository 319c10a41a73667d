"""Functions of `slrsym.kernels.edge_functions` for single numbers, compiled with Numba."""

# mypy: ignore-errors

from __future__ import annotations

import math

from numba import njit

from slrsym.kernels._numba_special import _integral_on_geometric_pieces
from slrsym.kernels.edge_arrays import (
    BEYOND,
    FAR,
    LEAST_ANGLE,
    MOST_DEVIATIONS,
    NOTHING,
    ROOT_TWO_PI,
    ROUNDING,
    SERIES,
    SHORT,
)
from slrsym.kernels.numpy_special_functions import NODES, REACH, SQRT2, WEIGHTS

_compiled = njit(error_model="numpy")


@_compiled
def ratio(n, d, size):
    """Return n/d, infinite where only d is 0, and 0 at 0/0."""
    if d != 0:
        return n / d
    if abs(n) <= ROUNDING * size:
        return 0.0
    return math.inf if n > 0 else -math.inf if n < 0 else 0.0 * n


@_compiled
def root(x, size):
    """Return the root of x, or 0 where x is below 0 by rounding."""
    if x > 0:
        return math.sqrt(x)
    return 0.0 if x >= -ROUNDING * size else math.nan


@_compiled
def quotient(exponent, n, d):
    """Return exp(e) n/d, and 0 where exp(e) is 0 beside every number."""
    if exponent < NOTHING or (n == 0 and d == 0):
        return 0.0
    return math.exp(exponent) * n / (abs(d) if d == 0 else d)


@_compiled
def _pdf(x):
    return math.exp(-x * x / 2) / ROOT_TWO_PI


@_compiled
def _cdf(x):
    return 0.5 * math.erfc(-x / SQRT2)


@_compiled
def _defect(x):
    """Compute 1 - x M(x) for x >= 2, with M the tail over the density."""
    if x < FAR:
        return 1 - x * _cdf(-x) / _pdf(x)
    square, total = 1 / x**2, 0.0
    for i in range(len(SERIES) - 1, -1, -1):
        total = total * square + SERIES[i]
    return total * square


@_compiled
def log_normal_cdf(x):
    """Return the logarithm of the normal distribution function."""
    if x < -FAR:
        return -x * x / 2 - math.log(-x * ROOT_TWO_PI) + math.log1p(-_defect(-x))
    return math.log1p(-_cdf(-x)) if x > 0 else math.log(_cdf(x))


@_compiled
def mills_ratio(x):
    """Return the normal density over the distribution function."""
    return -x / (1 - _defect(-x)) if x < -FAR else _pdf(x) / _cdf(x)


@_compiled
def ramp_mean(m, s):
    """Return the mean of max(0, m + s G), or of min(0, m + s G) if s < 0."""
    if s < 0:
        return -ramp_mean_up(-m, -s)
    return ramp_mean_up(m, s)


@_compiled
def ramp_mean_up(m, s):
    """Return the mean of max(0, m + s G) for s >= 0."""
    if s == 0 or m == math.inf:
        return m if m > 0 else 0.0 * m if m == m else m
    u = m / s
    if u < -2:
        u = min(-u, BEYOND)
        return s * _pdf(u) * _defect(u)
    return m * _cdf(u) + s * _pdf(u)


@_compiled
def interval_moment(direct, low, high, length, c0, c1, c2, c3, c4, d0, d1, d2, d3, d4):
    """Return the mean of a polynomial of a standard normal number over an interval."""
    flipped, way, width = low + high < 0, -1.0 if length < 0 else 1.0, abs(length)
    least, most = (high, low) if length < 0 else (low, high)
    a = -most if flipped else least
    if not (abs(a) < BEYOND and (width <= 2 or a >= 0)):
        return direct
    turned = flipped != (length < 0)
    if a >= 0:
        width = min(width, 2 * REACH / (a + math.sqrt(a * a + 2 * REACH)))
    total = 0.0
    for piece in range(2):
        for i in range(len(NODES)):
            t = width * (piece + NODES[i]) / 2
            y = -t if flipped else t
            if turned:
                value = d0 + y * (d1 + y * (d2 + y * (d3 + y * d4)))
            else:
                value = c0 + y * (c1 + y * (c2 + y * (c3 + y * c4)))
            total += WEIGHTS[i] * _pdf(a + t) * value
    return way * total * width / 2


@_compiled
def exponential_excess(way, m, s):
    """Return the mean of max(exp(m + s Z) - 1, 0), or of the minimum if `way` is -1."""
    s = way * s
    if s == 0:
        return math.expm1(m) if not way * m <= 0 else 0.0
    u = m / s
    if abs(s) > 1:
        return math.exp(m + s * s / 2) * _cdf(u + s) - _cdf(u)
    shift = max(s, 0.0)
    base, start = 0.0, -u
    if u > MOST_DEVIATIONS:
        base, start = m - MOST_DEVIATIONS * s, -MOST_DEVIATIONS
    start = min(start, BEYOND)
    if u > 0:
        width = MOST_DEVIATIONS + shift - start
    else:
        fall = max(start - shift, 0.0)
        width = 2 * REACH / (fall + math.sqrt(fall * fall + 2 * REACH)) + shift
    total = 0.0
    for piece in range(6):
        for i in range(len(NODES)):
            t = width * (piece + NODES[i]) / 6
            total += WEIGHTS[i] * math.expm1(base + s * t) * _pdf(start + t)
    return total * width / 6


@_compiled
def size_difference(low, high, length, total, s):
    """Return half of E|high + s G| - E|low + s G|, negative if s < 0."""
    if s < 0:
        return -size_difference(low, high, length, total, -s)
    if abs(total) < abs(length):
        low, length, total = -low, total, length
    way = -1.0 if total < 0 else 1.0
    if abs(length) > 2 * s:
        return way * length / 2 + ramp_mean_up(-abs(high), s) - ramp_mean_up(-abs(low), s)
    if s == 0:
        return 0.0 * s
    found = 0.0
    for i in range(len(NODES)):
        found += WEIGHTS[i] * math.erf(abs(low + length * NODES[i]) / (s * SQRT2))
    return way * length * found / 2


@_compiled
def normal_interval(low, high, length):
    """Return the probability between two ends."""
    if abs(length) * max(abs(low), abs(high)) < 8 and abs(length) <= 2:
        total = 0.0
        for i in range(len(NODES)):
            total += WEIGHTS[i] * _pdf(low + length * NODES[i])
        return length * total
    if low + high > 0:
        return _cdf(-low) - _cdf(-high)
    return _cdf(high) - _cdf(low)


@_compiled
def bivariate_normal(h, k, cosine, sine):
    """Return the bivariate normal distribution function."""
    h, k = _clipped(h), _clipped(k)
    base = _cdf(h) * _cdf(k)
    if cosine < 0:
        base = normal_interval(-k, h, h + k) if h + k > 0 else 0.0
    return base + _between(h, k, cosine, sine)


@_compiled
def normal_covariance(h, k, cosine, sine):
    """Return the bivariate normal distribution function less the product of both others."""
    if cosine < 0:
        return -normal_covariance(h, -k, -cosine, sine)
    if cosine == 0 and h == h and k == k:
        return 0.0
    h, k = _clipped(h), _clipped(k)
    gap = (cosine + cosine**2 / (1 + sine)) / (1 + cosine)
    if not gap < SHORT:
        return _between(h, k, cosine, sine)
    total = 0.0
    for i in range(len(NODES)):
        square = (1 - gap * NODES[i]) ** 2
        exponent = -(h * h + k * k) / 4 - (h + k) ** 2 / 8 * square - (h - k) ** 2 / 8 / square
        total += WEIGHTS[i] / (1 + square) * math.exp(exponent)
    return gap * total / math.pi


@_compiled
def _clipped(x):
    return -BEYOND if x < -BEYOND else BEYOND if x > BEYOND else x


@_compiled
def _between(h, k, cosine, sine):
    """Integrate the density over the correlation, from 0 or from -1."""
    if cosine == 0:
        sine = 1.0
    if not (h == h and k == k and sine >= 0 and cosine == cosine):
        return math.nan
    end = sine / (1 + abs(cosine))
    end = 0.0 if end < LEAST_ANGLE else end
    if cosine < 0:
        start, stop, x, y = 1e-18 * end, end, h / SQRT2, -k / SQRT2
    else:
        start, stop, x, y = max(end, 1e-18), 1.0, h / SQRT2, k / SQRT2
    if not stop > start:
        return 0.0
    rise, fall = ((x + y) / 2) ** 2, ((x - y) / 2) ** 2
    best = stop
    if fall == 0:
        best = start
    elif rise > 0:
        best = max(start, min(stop, (fall / rise) ** 0.25))
    least = rise * best**2 + (math.sqrt(fall) / best) ** 2
    top = least + REACH
    bend = (top + math.sqrt(max(top * top - 4 * rise * fall, 0.0))) / 2
    start = max(start, math.sqrt(fall / bend))
    if rise > 0:
        stop = min(stop, math.sqrt(bend / rise))
    best = max(best, start)
    total = _integral_on_geometric_pieces(rise, fall, least, start, best)
    total += _integral_on_geometric_pieces(rise, fall, least, best, stop)
    return math.exp(-(x * x + y * y) / 2 - least) * total / math.pi
