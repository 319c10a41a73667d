r"""Moments of a quadrant, :math:`\mathbb{E}[(h+X)_+^p (k+Y)_+^q]`, in balls.

Stein's lemma lowers the powers, down to a bivariate normal probability. Its terms cancel near a
correlation of -1 and far out, so that as many bits are added as are lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flint import arb, ctx

from slrsym.gaussian.bivariate_normal_balls import normal_cdf, quadrant_ball

_TRIES = 8
# So many deviations below 0 a moment is told by its upper bound alone.
_FAR = 10**4


def _bell(x: Any) -> Any:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def half_line_moment_ball(n: int, mean: Any, deviation: Any) -> Any:
    """Return the mean of (mean + deviation Z)_+^n."""
    if deviation == 0:
        return positive_power(n, mean)
    cdf, bell = normal_cdf(mean / deviation), _bell(mean / deviation)
    before, found = cdf, mean * cdf + deviation * bell
    if n == 0:
        return cdf
    for m in range(1, n):
        before, found = found, mean * found + m * deviation**2 * before
    return found


def positive_power(n: int, mean: Any) -> Any:
    """Return a ball around mean^n above 0 and 0 below, a step for n = 0."""
    if n:
        return arb.max(mean, arb(0)) ** n
    if mean > 0 or mean < 0:
        return arb(1 if mean > 0 else 0)
    return arb(0.5) if mean == 0 else arb(0.5, 0.5)


def _by_steins_lemma(p: int, q: int, h: Any, k: Any, negative: bool, end: Any) -> Any:
    """Return the moment at exact numbers, with the root `end` of (1 - |r|)/(1 + |r|)."""
    square = 1 + end * end
    cosine, sine = (1 - end) * (1 + end) / square, 2 * end / square
    r = -cosine if negative else cosine
    known: dict[tuple[int, int], Any] = {}

    def moment(p: int, q: int) -> Any:
        if p == q == 0:
            return quadrant_ball(h, k, negative, end)
        if (p, q) not in known:
            known[p, q] = lowered(p, q) if p else flipped(q)
        return known[p, q]

    def lowered(p: int, q: int) -> Any:
        total = h * moment(p - 1, q)
        if p > 1:
            total += (p - 1) * moment(p - 2, q)
        else:
            total += _bell(h) * half_line_moment_ball(q, k - r * h, sine)
        if q:
            return total + r * q * moment(p - 1, q - 1)
        inner = h - r * k
        return total + r * _bell(k) * half_line_moment_ball(p - 1, inner, sine)

    def flipped(q: int) -> Any:
        total = k * moment(0, q - 1) + r * _bell(h) * half_line_moment_ball(q - 1, k - r * h, sine)
        if q > 1:
            return total + (q - 1) * moment(0, q - 2)
        return total + _bell(k) * half_line_moment_ball(0, h - r * k, sine)

    return moment(p, q)


def quadrant_moment_ball(p: int, q: int, h: Any, k: Any, negative: bool, end: Any) -> Any:
    """Return a ball around the mean of (h + X)_+^p (k + Y)_+^q at exact numbers.

    The correlation is given by its sign and the root of (1 - |r|)/(1 + |r|).
    """
    if negative and h + k < 0 and end < 1:
        # Both powers are at most those of X + Y + h + k, whose deviation this is.
        deviation = 2 * end / (1 + end * end).sqrt()
        if h + k < -_FAR * deviation:
            return arb(0).union(_upper_bound(p + q, h + k, deviation))
    for x, n in ((h, p), (k, q)):
        if x < -_FAR:
            # By the Cauchy-Schwarz inequality.
            other, m = (k, q) if x is h else (h, p)
            most = _upper_bound(2 * n, x, arb(1)) * half_line_moment_ball(2 * m, other, arb(1))
            return arb(0).union(most.sqrt().upper())
    return to_all_bits(lambda: _by_steins_lemma(p, q, h, k, negative, end))


def _upper_bound(n: int, mean: Any, deviation: Any) -> Any:
    """Return what the mean of (mean + deviation Z)_+^n is at most, far below 0."""
    if deviation == 0:
        return arb(0)
    u = mean / deviation
    return (deviation**n * math.factorial(n) * _bell(u) / abs(u)).upper()


def half_line_moment_to_all_bits(n: int, u: Any) -> Any:
    """Return a ball around the mean of (u + Z)_+^n at an exact number."""
    return to_all_bits(lambda: half_line_moment_ball(n, u, arb(1)))


def to_all_bits(compute: Callable[[], Any]) -> Any:
    """Return a ball around a number that is not below 0, with more bits until all are known."""
    wanted = precision = ctx.prec
    for _ in range(_TRIES):
        with ctx.workprec(precision + 30):
            found = compute()
            if found == 0 or found.rel_accuracy_bits() > wanted:
                break
        precision *= 2
    # What stays undecided is no less than 0.
    return arb(0).union(found.upper()) if found.contains(0) and found != 0 else found
