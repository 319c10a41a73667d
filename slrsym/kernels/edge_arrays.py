r"""Functions of `slrsym.kernels.edge_functions` for arrays of NumPy or JAX.

The tail of the normal law over its density, :math:`M(x) = Q(x)/\varphi(x)`, has from 10 on the
asymptotic series :math:`x M(x) = \sum_n (-1)^n (2n-1)!!/x^{2n}`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from slrsym.kernels.numpy_special_functions import NEAR, NODES, REACH, SQRT2, WEIGHTS

# What a difference may be off, relative to the size of its numbers: twice the last digit.
ROUNDING = 4.5e-16
# An exponential with a lower exponent is 0 beside every number.
NOTHING = -1e5
# From here on the asymptotic series has all digits.
FAR = 10.0
_DOUBLE_FACTORIALS = [1.0]
for _n in range(1, 24):
    _DOUBLE_FACTORIALS.append(-(2 * _n - 1) * _DOUBLE_FACTORIALS[-1])
# Of 1 - x M(x) in 1/x^2, without the factor 1/x^2.
SERIES = tuple(-c for c in _DOUBLE_FACTORIALS[1:])
# Beyond, nothing of a normal law is left in double precision.
BEYOND = 40.0
# What is below is 0: a part of it, with which an integral begins, would be no normal number.
LEAST_ANGLE = 1e-280
# In place of 0 in a quotient that is not taken. XLA may compute a difference twice in one program,
# rounded to 0 in one place alone: so near to 0 the quotient has the limit that is meant.
TINY = 1e-300
# An interval from 1 down on which no density of a normal pair varies much.
SHORT = 1e-3
# What is further from its mean has less than a digit of a probability.
MOST_DEVIATIONS = 9.0
ROOT_TWO_PI = math.sqrt(2 * math.pi)


# Of integrals in two pieces and in six.
_HALVES, _TWICE = np.add.outer(range(2), NODES).ravel() / 2, np.tile(WEIGHTS, 2)
_SIXTHS, _SIX_TIMES = np.add.outer(range(6), NODES).ravel() / 6, np.tile(WEIGHTS, 6)


def edge_functions(
    xp: Any,
    erf: Callable[[Any], Any],
    erfc: Callable[[Any], Any],
    log_pieces: Callable[..., Any],
) -> dict[str, Callable[..., Any]]:
    """Return the functions by their names in programs, for arrays of NumPy or JAX."""

    def ratio(n: Any, d: Any, size: Any = 0.0) -> Any:
        n = xp.where((d == 0) & (xp.abs(n) <= ROUNDING * size), 0.0, n)
        edge = xp.where(
            n > 0, math.inf, xp.where(n < 0, -math.inf, xp.where(n == 0, 0.0, math.nan))
        )
        return xp.where(d == 0, edge, n / xp.where(d == 0, TINY, d))

    def root(x: Any, size: Any) -> Any:
        edge = xp.where(x >= -ROUNDING * size, 0.0, math.nan)
        return xp.where(x > 0, xp.sqrt(xp.where(x > 0, x, TINY)), edge)

    def quotient(exponent: Any, n: Any, d: Any) -> Any:
        bell = xp.exp(xp.where(exponent < NOTHING, 0.0, exponent))
        found = bell * n / xp.where(d == 0, TINY, d) * xp.where(d == 0, math.inf, 1.0)
        return xp.where((exponent < NOTHING) | (n == 0) & (d == 0), 0.0, found)

    def pdf(x: Any) -> Any:
        return xp.exp(-x * x / 2) / ROOT_TWO_PI

    def cdf(x: Any) -> Any:
        return 0.5 * erfc(-x / SQRT2)

    def defect(x: Any) -> Any:
        """Compute 1 - x M(x) for x >= 2, where it is about 1/x^2."""
        far = x >= FAR
        square = 1 / xp.where(far, x, FAR) ** 2
        total = SERIES[-1]
        for c in SERIES[-2::-1]:
            total = total * square + c
        near = xp.where(far, FAR, x)
        return xp.where(far, total * square, 1 - near * cdf(-near) / pdf(near))

    def log_normal_cdf(x: Any) -> Any:
        low = xp.where(x < -FAR, -x, FAR)
        far = -low * low / 2 - xp.log(low * ROOT_TWO_PI) + xp.log1p(-defect(low))
        near = xp.where(x < -FAR, -FAR, x)
        middle = xp.where(near > 0, xp.log1p(-cdf(-near)), xp.log(cdf(near)))
        return xp.where(x < -FAR, far, middle)

    def mills_ratio(x: Any) -> Any:
        low = xp.where(x < -FAR, -x, FAR)
        near = xp.where(x < -FAR, -FAR, x)
        return xp.where(x < -FAR, low / (1 - defect(low)), pdf(near) / cdf(near))

    def ramp_mean(m: Any, s: Any) -> Any:
        sign = xp.where(s < 0, -1.0, 1.0)
        m, s = sign * m, sign * s
        u = m / xp.where(s == 0, TINY, s)
        low = xp.where(u < -2, xp.minimum(-u, BEYOND), 2.0)
        found = xp.where(u < -2, s * pdf(low) * defect(low), m * cdf(u) + s * pdf(u))
        flat = xp.where(s == 0, xp.maximum(m, 0.0), xp.where(m == math.inf, m, found))
        return sign * flat

    def size_difference(low: Any, high: Any, length: Any, total: Any, s: Any) -> Any:
        low, high, length, total, s = xp.broadcast_arrays(low, high, length, total, s)
        sign, s = xp.where(s < 0, -1.0, 1.0), xp.abs(s)
        # The same by half of the sum, if that is smaller; then both ends have one sign.
        turned = xp.abs(total) < xp.abs(length)
        low = xp.where(turned, -low, low)
        length, total = xp.where(turned, total, length), xp.where(turned, length, total)
        short = xp.abs(length) <= 2 * s
        over = xp.where(short & (s > 0), s, 1.0)
        places = (low[..., None] + length[..., None] * NODES) / over[..., None]
        way = xp.where(total < 0, -1.0, 1.0)
        near = way * length * xp.sum(WEIGHTS * erf(xp.abs(places) / SQRT2), axis=-1) / 2
        tails = ramp_mean(-xp.abs(high), s) - ramp_mean(-xp.abs(low), s)
        return sign * xp.where(short, near, way * length / 2 + tails)

    def normal_interval(low: Any, high: Any, length: Any) -> Any:
        short = xp.abs(length) * xp.maximum(xp.abs(low), xp.abs(high)) < 8
        short = short & (xp.abs(length) <= 2)
        start, width = xp.where(short, low, 0.0), xp.where(short, length, 0.0)
        total = sum(
            w * pdf(start + width * t)
            for t, w in zip(NODES.tolist(), WEIGHTS.tolist(), strict=True)
        )
        above = low + high > 0
        tails = xp.where(above, cdf(-low) - cdf(-high), cdf(high) - cdf(low))
        return xp.where(short, width * total, tails)

    def interval_moment(direct: Any, low: Any, high: Any, length: Any, *coefficients: Any) -> Any:
        # By the distance t from the end that is nearer to 0, at distance a from it.
        flipped = low + high < 0
        way, size = xp.where(length < 0, -1.0, 1.0), xp.abs(length)
        least, most = xp.where(way < 0, high, low), xp.where(way < 0, low, high)
        a = xp.where(flipped, -most, least)
        near = ((size <= 2) | (a >= 0)) & (xp.abs(a) < BEYOND)
        a = xp.where(near, a, 1.0)
        width = xp.where(near, size, 1.0)
        far = xp.where(a > 0, a, 0.0)
        width = xp.where(a >= 0, xp.minimum(width, 2 * REACH / (far + xp.sqrt(far**2 + 2 * REACH))),
                         width)  # fmt: skip
        half = len(coefficients) // 2
        turned = flipped != (way < 0)
        inputs = xp.broadcast_arrays(a, width, flipped, turned, *coefficients)
        a, width, flipped, turned, *terms = (z[..., None] for z in inputs)
        t = width * _HALVES
        y = xp.where(flipped, -t, t)
        from_low, from_high = terms[half - 1], terms[-1]
        for c, d in zip(terms[half - 2 :: -1], terms[-2 : half - 1 : -1], strict=True):
            from_low, from_high = from_low * y + c, from_high * y + d
        heights = pdf(a + t) * xp.where(turned, from_high, from_low)
        total = width[..., 0] * xp.sum(_TWICE / 2 * heights, axis=-1)
        return xp.where(near, way * total, direct)

    def exponential_excess(way: int, m: Any, s: Any) -> Any:
        # By the distance t of Z from where m + s Z is 0, or from -9 if that is below.
        s = way * s
        small = (xp.abs(s) <= 1) & (s != 0)
        over = xp.where(small, s, 1.0)
        u = m / over
        shift = xp.maximum(over, 0.0)
        cut = u > MOST_DEVIATIONS
        start = xp.where(cut, -MOST_DEVIATIONS, xp.maximum(-u, -MOST_DEVIATIONS))
        start = xp.minimum(start, BEYOND)
        base = xp.where(cut, m - MOST_DEVIATIONS * over, 0.0)
        fall = xp.maximum(start - shift, 0.0)
        width = 2 * REACH / (fall + xp.sqrt(fall**2 + 2 * REACH)) + shift
        width = xp.where(u > 0, MOST_DEVIATIONS + shift - start, width)
        inputs = xp.broadcast_arrays(width, base, over, start)
        width, base, slope, start = (z[..., None] for z in inputs)
        t = width * _SIXTHS
        terms = _SIX_TIMES / 6 * xp.expm1(base + slope * t) * pdf(start + t)
        total = width[..., 0] * xp.sum(terms, axis=-1)
        wide = xp.where(small | (s == 0), 1.0, s)
        sure = xp.exp(m + wide * wide / 2) * cdf(m / wide + wide) - cdf(m / wide)
        edge = xp.where(way * m > 0, xp.expm1(m), 0.0 * m)
        return xp.where(small, total, xp.where(s == 0, edge, sure))

    def bivariate_normal(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
        negative, covered = between(h, k, cosine, sine)
        length = xp.clip(h, -BEYOND, BEYOND) + xp.clip(k, -BEYOND, BEYOND)
        low, high = xp.clip(-k, -BEYOND, BEYOND), xp.clip(h, -BEYOND, BEYOND)
        inside = xp.where(length > 0, normal_interval(low, high, length), 0.0)
        return xp.where(negative, inside, cdf(high) * cdf(-low)) + covered

    def normal_covariance(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
        # By symmetry from a positive correlation, of which it is what the integral covers.
        sign = xp.where(cosine < 0, -1.0, 1.0)
        h, k, cosine, sine = xp.broadcast_arrays(h, sign * k, xp.abs(cosine), sine)
        covered = between(h, k, cosine, sine)[1]
        # For small correlations, over what is left to 1, which is no difference here.
        gap = (cosine + cosine**2 / (1 + sine)) / (1 + cosine)
        gap = xp.where(cosine == 0, 0.0, gap)
        h, k = xp.clip(h, -BEYOND, BEYOND), xp.clip(k, -BEYOND, BEYOND)
        gap, rise, fall = (
            gap[..., None],
            ((h + k) ** 2 / 8)[..., None],
            ((h - k) ** 2 / 8)[..., None],
        )
        square = (1 - xp.minimum(gap, SHORT) * NODES) ** 2
        exponent = -(h * h + k * k)[..., None] / 4 - rise * square - fall / square
        terms = WEIGHTS / (1 + square) * xp.exp(exponent)
        short = gap[..., 0] * xp.sum(terms, axis=-1) / math.pi
        return sign * xp.where(gap[..., 0] < SHORT, short, covered)

    def between(h: Any, k: Any, cosine: Any, sine: Any) -> tuple[Any, Any]:
        """Integrate the density over the correlation, from 0 or from -1."""
        h, k, cosine, sine = xp.broadcast_arrays(h, k, cosine, sine)
        # Independent of a variable of variance 0.
        sine = xp.where(cosine == 0, 1.0, sine)
        h, k = xp.clip(h, -BEYOND, BEYOND), xp.clip(k, -BEYOND, BEYOND)
        negative = cosine < 0
        end = sine / (1 + xp.abs(cosine))
        end = xp.where(end < LEAST_ANGLE, 0.0, end)
        k = xp.where(negative, -k, k)
        rise, fall = (h + k) ** 2 / 8, (h - k) ** 2 / 8
        stop = xp.where(negative, xp.where(end > 0, end, 1.0), 1.0)
        start = xp.maximum(xp.where(negative, xp.where(end > 0, 0.0, 1.0), end), 1e-18 * stop)
        # The exponent is least here; it is cut where it has grown by so much. Nearer to 0 it does
        # not change, and what is rounded of a difference of equal numbers would be large over it.
        best = xp.where(rise > 0, (fall / xp.where(rise > 0, rise, 1.0)) ** 0.25, stop)
        best = xp.clip(best, xp.maximum(start, NEAR * stop), stop)
        # Not over the square, which may be too small for a number.
        least = rise * best**2 + (xp.sqrt(fall) / xp.where(best > 0, best, 1.0)) ** 2
        top = least + REACH
        bend = (top + xp.sqrt(xp.maximum(top * top - 4 * rise * fall, 0.0))) / 2
        start = xp.maximum(start, xp.sqrt(fall / bend))
        stop = xp.minimum(stop, xp.sqrt(bend / xp.where(rise > 0, rise, 1e-300)))
        total = log_pieces(rise, fall, least, start, xp.maximum(best, start))
        total += log_pieces(rise, fall, least, xp.maximum(best, start), stop)
        return negative, xp.exp(-(h * h + k * k) / 4 - least) * total / math.pi

    return {
        "ratio": ratio, "root": root, "quotient": quotient, "ramp_mean": ramp_mean,
        "interval_moment": interval_moment, "exponential_excess": exponential_excess,
        "size_difference": size_difference,
        "normal_interval": normal_interval, "log_normal_cdf": log_normal_cdf,
        "mills_ratio": mills_ratio, "bivariate_normal": bivariate_normal,
        "normal_covariance": normal_covariance,
    }  # fmt: skip
