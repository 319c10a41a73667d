r"""Moments of a quadrant, :math:`\mathbb{E}[(h+X)_+^p (k+Y)_+^q]`, for arrays of NumPy or JAX.

X and Y are standard normal numbers of correlation r, p and q are at most 3, and powers of order 0
are steps. The closed form of these moments cancels near r = -1 and far out. Here all terms are
positive: with :math:`J_{p,q}(r)` for the moment,

.. math:: \partial_r J_{p,q} = pq\,J_{p-1,q-1}, \qquad
          \partial_r J_{d,0} = d\,\varphi(k)\,\sigma^{d-1} G_{d-1}\Big(\frac{h - rk}\sigma\Big),
          \qquad \partial_r J_{0,0} = \varphi(k)\,\varphi\Big(\frac{h - rk}\sigma\Big)/\sigma,

where :math:`\sigma^2 = 1 - r^2` and :math:`G_n(u) = \mathbb{E}(u + Z)_+^n`, so that Taylor's
formula with an integral for its rest goes up from r = 0 or from r = -1, where one variable is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from slrsym.kernels.edge_arrays import LEAST_ANGLE, ROOT_TWO_PI
from slrsym.kernels.numpy_special_functions import NODES, REACH, SQRT2, WEIGHTS

# Beyond so many deviations from the kink, nothing but the mean is left.
CERTAIN = 1e17
# Below, nothing of a normal law is left in double precision, whatever it is multiplied by.
NEVER = -40.0
# Pieces of an interval, up to 18 long, of a normal law.
PIECES = 6
# How many of the smallest angles contribute nothing: their part falls as the square.
NEGLIGIBLE = 1e-9

_TWO_PIECES, _TWICE = np.add.outer(range(2), NODES).ravel(), np.tile(WEIGHTS, 2)
_ALL_PIECES = np.add.outer(range(PIECES), NODES).ravel()
_SIX_TIMES = np.tile(WEIGHTS, PIECES)


def coefficient(p: int, q: int, j: int) -> float:
    """Return the factor of the derivative of order j in Taylor's formula."""
    both = math.factorial(p) * math.factorial(q)
    return both / (math.factorial(p - j) * math.factorial(q - j) * math.factorial(j))


def rest_coefficient(p: int, q: int) -> float:
    """Return the factor of the rest in Taylor's formula."""
    return math.factorial(p) / math.factorial(max(p - q - 1, 0))


def half_line_moments(xp: Any, erfc: Callable[[Any], Any]) -> Callable[[int, Any], Any]:
    """Return the function that computes the mean of (u + Z)_+^n from n and u."""

    def moment(n: int, u: Any) -> Any:
        cdf = 0.5 * erfc(-u / SQRT2)
        if n == 0:
            return cdf
        pdf = xp.exp(-u * u / 2) / ROOT_TWO_PI
        near = xp.where(u > 0, u, 0.0)
        before, above = 0.5 * erfc(-near / SQRT2), near * 0.5 * erfc(-near / SQRT2)
        above = above + xp.exp(-near * near / 2) / ROOT_TWO_PI
        for m in range(1, n):
            before, above = above, near * above + m * before
        # The bell times the integral of t^n exp(-x t - t^2/2).
        x = xp.where(u < 0, -u, 0.0)
        width = (2 * REACH / (x + xp.sqrt(x * x + 2 * REACH))) / 2
        t = width[..., None] * _TWO_PIECES
        below = xp.sum(_TWICE * t**n * xp.exp(-t * (x[..., None] + t / 2)), axis=-1)
        return xp.where(u > 0, above, pdf * below * width)

    return moment


def quadrant_functions(
    xp: Any, erfc: Callable[[Any], Any], integrate: Callable[..., Any]
) -> dict[str, Callable[..., Any]]:
    """Return the functions by their names in programs, for arrays of NumPy or JAX.

    ``integrate(f, parameters, start, stop)`` integrates f(w, *parameters) on pieces equally long
    in log w.
    """
    moment = half_line_moments(xp, erfc)

    def power(p: int, m: Any) -> Any:
        if p == 0:
            return (1 + xp.sign(m)) / 2
        return xp.where(m > 0, m, 0.0) ** p

    def half_line_moment(p: int, m: Any, s: Any) -> Any:
        certain = (s == 0) | (xp.abs(m) >= CERTAIN * s)
        u = xp.where(certain, 0.0, m) / xp.where(s == 0, 1.0, s)
        return xp.where(certain, power(p, m), s**p * moment(p, xp.maximum(u, NEVER)))

    def inside(p: int, q: int, h: Any, k: Any, rise: Any) -> Any:
        """Integrate over X from -h to k, at Y = -X, the terms of Taylor's formula at r = -1."""
        low, high = xp.minimum(-h, k), k
        nearest = xp.clip(0.0, low, high)
        reach = xp.sqrt(nearest * nearest + 2 * REACH)
        low, high = xp.maximum(low, -reach), xp.minimum(high, reach)
        width = (high - low) / PIECES
        x = low[..., None] + width[..., None] * _ALL_PIECES
        above, below = xp.maximum(h[..., None] + x, 0.0), xp.maximum(k[..., None] - x, 0.0)
        terms = sum(
            coefficient(p, q, j) * rise[..., None] ** j * above ** (p - j) * below ** (q - j)
            for j in range(q + 1)
        )
        total = xp.sum(_SIX_TIMES * terms * xp.exp(-x * x / 2), axis=-1)
        return xp.where(h + k > 0, total * width / ROOT_TWO_PI, 0.0)

    def rest(p: int, q: int, negative: Any, h: Any, y: Any, end: Any) -> Any:
        """Integrate what Taylor's formula leaves, over the root w of (1 - r)/(1 + r)."""
        a, b = (h - y) / 2, (h + y) / 2
        stop = xp.where(negative, end, 1.0)
        start = xp.where(negative, NEGLIGIBLE * end, xp.maximum(end, NEGLIGIBLE))
        if p == q:
            start = xp.where(negative, 1e-18 * end, xp.maximum(end, 1e-18))
        # Where the exponent is least, and where it is so much larger that nothing is left.
        stop = xp.maximum(stop, start)
        middle = xp.sqrt(xp.abs(a) / xp.where(b == 0, 1.0, xp.abs(b)))
        middle = xp.clip(xp.where(b == 0, stop, middle), start, stop)
        slopes = [a / w + b * w for w in (start, middle, stop)]
        if p == q:
            same = (slopes[0] > 0) == (slopes[2] > 0)
            least = xp.where(same, reduce_min(xp, [xp.abs(u) for u in slopes]), 0.0)
        else:
            least = reduce_min(xp, [xp.maximum(-u, 0.0) for u in slopes])
        far = xp.sqrt(least * least + 2 * REACH)
        bend = far + xp.sqrt(xp.maximum(far * far - 4 * a * b, 0.0))
        falls, rises = (a < 0, b < 0) if p != q else (a != 0, b != 0)
        low = xp.where(falls, 2 * xp.abs(a) / bend, 0.0)
        high = xp.where(rises, bend / (2 * xp.where(rises, xp.abs(b), 1.0)), xp.inf)
        stop = xp.minimum(stop, high)
        start = xp.minimum(xp.maximum(start, low), stop)
        if p != q:
            start = xp.maximum(start, NEGLIGIBLE * stop)

        def integrand(w: Any, a: Any, b: Any, y: Any, end: Any) -> Any:
            square = 1 + w * w
            u = a / w + b * w
            # The distance of the two correlations, and what the step in w is of that in theirs.
            apart = 2 * xp.abs((w - end) * (w + end)) / (square * (1 + end * end))
            if p == q:
                bell = xp.exp(-(y * y + u * u) / 2) / (2 * math.pi)
                return apart**q * bell * 2 / square
            sine = 2 * w / square
            bell = xp.exp(-y * y / 2) / ROOT_TWO_PI
            scaled = sine ** (p - q - 1) * moment(p - q - 1, xp.maximum(u, NEVER))
            return apart**q * bell * scaled * 2 * sine / square

        found = integrate(integrand, (a, b, y, end), start, stop)
        return rest_coefficient(p, q) * xp.where(end > 0, found, xp.where(negative, 0.0, found))

    def quadrant_moment(
        p: int, q: int, m: Any, s: Any, n: Any, t: Any, cosine: Any, sine: Any
    ) -> Any:
        m, s, n, t, cosine, sine = xp.broadcast_arrays(m, s, n, t, cosine, sine)
        first = (s == 0) | (xp.abs(m) >= CERTAIN * s)
        other = (t == 0) | (xp.abs(n) >= CERTAIN * t)
        apart = first | other | (cosine == 0)
        product = half_line_moment(p, m, s) * half_line_moment(q, n, t)
        h = xp.where(apart, 0.0, m) / xp.where(apart, 1.0, s)
        k = xp.where(apart, 0.0, n) / xp.where(apart, 1.0, t)
        h, k = xp.maximum(h, NEVER), xp.maximum(k, NEVER)
        cosine, sine = xp.where(apart, 0.5, cosine), xp.where(apart, math.sqrt(0.75), sine)
        negative = cosine < 0
        end = sine / (1 + xp.abs(cosine))
        end = xp.where(end < LEAST_ANGLE, 0.0, end)
        rise = sine * sine / (1 + xp.abs(cosine))
        up = sum(
            coefficient(p, q, j) * cosine**j * moment(p - j, h) * moment(q - j, k)
            for j in range(q + 1)
        )
        base = xp.where(negative, inside(p, q, h, k, rise), up)
        found = base + rest(p, q, negative, h, xp.where(negative, -k, k), end)
        valid = (sine >= 0) & (cosine == cosine)
        found = xp.where(valid, s**p * t**q * found, xp.nan)
        return xp.where(apart, product, found)

    return {"quadrant_moment": quadrant_moment, "half_line_moment": half_line_moment}


def reduce_min(xp: Any, values: list[Any]) -> Any:
    """Return the least of several arrays, elementwise."""
    least = values[0]
    for value in values[1:]:
        least = xp.minimum(least, value)
    return least
