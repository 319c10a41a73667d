r"""Functions of `slrsym.kernels.edge_functions` for arrays of NumPy or JAX.

The tail of the normal law over its density, :math:`M(x) = Q(x)/\varphi(x)`, has from 10 on the
asymptotic series :math:`x M(x) = \sum_n (-1)^n (2n-1)!!/x^{2n}`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from slrsym.kernels.numpy_special_functions import NODES, REACH, SQRT2, WEIGHTS

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
ROOT_TWO_PI = math.sqrt(2 * math.pi)


def edge_functions(
    xp: Any, erfc: Callable[[Any], Any], log_pieces: Callable[..., Any]
) -> dict[str, Callable[..., Any]]:
    """Return the functions by their names in programs, for arrays of NumPy or JAX."""

    def ratio(n: Any, d: Any, size: Any = 0.0) -> Any:
        n = xp.where((d == 0) & (xp.abs(n) <= ROUNDING * size), 0.0, n)
        edge = xp.where(
            n > 0, math.inf, xp.where(n < 0, -math.inf, xp.where(n == 0, 0.0, math.nan))
        )
        return xp.where(d == 0, edge, n / xp.where(d == 0, 1.0, d))

    def root(x: Any, size: Any) -> Any:
        edge = xp.where(x >= -ROUNDING * size, 0.0, math.nan)
        return xp.where(x > 0, xp.sqrt(xp.where(x > 0, x, 1.0)), edge)

    def quotient(exponent: Any, n: Any, d: Any) -> Any:
        bell = xp.exp(xp.where(exponent < NOTHING, 0.0, exponent))
        found = bell * n * xp.where(d == 0, math.inf, 1.0) / xp.where(d == 0, 1.0, d)
        return xp.where(exponent < NOTHING, 0.0, found)

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
        u = m / xp.where(s == 0, 1.0, s)
        low = xp.where(u < -2, xp.minimum(-u, BEYOND), 2.0)
        found = xp.where(u < -2, s * pdf(low) * defect(low), m * cdf(u) + s * pdf(u))
        flat = xp.where(s == 0, xp.maximum(m, 0.0), xp.where(m == math.inf, m, found))
        return sign * flat

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

    def bivariate_normal(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
        h, k, cosine, sine = xp.broadcast_arrays(h, k, cosine, sine)
        # Independent of a variable of variance 0.
        sine = xp.where(cosine == 0, 1.0, sine)
        h, k = xp.clip(h, -BEYOND, BEYOND), xp.clip(k, -BEYOND, BEYOND)
        negative = cosine < 0
        end = sine / (1 + xp.abs(cosine))
        x, y = h / SQRT2, xp.where(negative, -k, k) / SQRT2
        rise, fall = ((x + y) / 2) ** 2, ((x - y) / 2) ** 2
        stop = xp.where(negative, xp.where(end > 0, end, 1.0), 1.0)
        start = xp.maximum(xp.where(negative, xp.where(end > 0, 0.0, 1.0), end), 1e-18 * stop)
        # The exponent is least here; it is cut where it has grown by so much.
        best = xp.where(rise > 0, (fall / xp.where(rise > 0, rise, 1.0)) ** 0.25, stop)
        best = xp.clip(xp.where(fall > 0, best, 0.0), start, stop)
        least = rise * best**2 + fall / best**2
        top = least + REACH
        bend = (top + xp.sqrt(xp.maximum(top * top - 4 * rise * fall, 0.0))) / 2
        start = xp.maximum(start, xp.sqrt(fall / bend))
        stop = xp.minimum(stop, xp.sqrt(bend / xp.where(rise > 0, rise, 1e-300)))
        total = log_pieces(rise, fall, least, start, xp.maximum(best, start))
        total += log_pieces(rise, fall, least, xp.maximum(best, start), stop)
        covered = xp.exp(-(x * x + y * y) / 2 - least) * total / math.pi
        between = xp.where(h + k > 0, normal_interval(-k, h, h + k), 0.0)
        return xp.where(negative, between, cdf(h) * cdf(k)) + covered

    return {
        "ratio": ratio, "root": root, "quotient": quotient, "ramp_mean": ramp_mean,
        "normal_interval": normal_interval, "log_normal_cdf": log_normal_cdf,
        "mills_ratio": mills_ratio, "bivariate_normal": bivariate_normal,
    }  # fmt: skip
