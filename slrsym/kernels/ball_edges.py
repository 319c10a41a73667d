"""Functions of `slrsym.kernels.edge_functions` for balls: they enclose all values and limits.

All that are monotone are evaluated at the ends of their balls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, ctx

from slrsym.gaussian.bivariate_normal_balls import (
    normal_cdf,
    normal_covariance_ball,
    probability_between,
    quadrant_ball,
)
from slrsym.gaussian.quadrant_moments_balls import (
    half_line_moment_to_all_bits,
    positive_power,
    quadrant_moment_ball,
    to_all_bits,
)
from slrsym.kernels.edge_arrays import ROUNDING
from slrsym.kernels.orthant_balls import orthant_moment, orthant_probability

# How often the number of bits is doubled.
_TRIES = 8
# What is infinite to a bounded function, all digits being the same.
_FAR = 4096


def _anything() -> Any:
    return arb(0, "inf")


def extended_to_infinity(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of balls with its limits at infinity."""
    return lambda *inputs: function(*map(_finite, inputs))


# Of what a normal law leaves beyond here, no number of digits that is computed with has a trace.
_BEYOND = 2**20


def _finite(x: Any) -> Any:
    x, far = arb(x), arb(2) ** _FAR
    if x.is_finite() or x.is_nan():
        return x
    if x.is_exact():
        return far if x > 0 else -far
    return arb(0, far)


def _sharper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is computed with as many more bits as its terms may cancel."""

    def evaluate(*inputs: Any) -> Any:
        with ctx.workprec(2 * ctx.prec + 40):
            value = function(*map(arb, inputs))
        return +value

    return evaluate


def ratio(n: Any, d: Any, size: Any) -> Any:
    """Enclose n/d for d >= 0: infinite where only d is 0, and 0 at 0/0."""
    n, d = arb(n), arb(d)
    if n.is_nan() or d.is_nan() or not d.contains(0):
        return n / d
    if d == 0 and abs(n) <= ROUNDING * arb(size):
        return arb(0)
    if d == 0:
        return arb("inf") if n > 0 else arb("-inf") if n < 0 else n if n == 0 else _anything()
    return _anything()


def root(x: Any, size: Any) -> Any:
    """Enclose the root of x, which is no number if x may be below 0 but by the ball's rounding."""
    x = arb(x)
    if x >= 0 or not x.contains(0) or x.rad() > arb(size) * arb(2) ** -(ctx.prec // 2):
        return x.sqrt()
    return arb.max(x, arb(0)).sqrt()


def quotient(exponent: Any, n: Any, d: Any) -> Any:
    """Enclose exp(e) n/d, which is 0 where exp(e) is 0."""
    bell, n, d = arb(exponent).exp(), arb(n), arb(d)
    if bell == 0 or (n == 0 and d == 0):
        return arb(0)
    if d.is_nan() or not d.contains(0):
        return bell * n / d
    if d == 0 and bell * n != 0:
        return arb("inf") if bell * n > 0 else arb("-inf")
    return arb("nan") if d == 0 or n.is_nan() else _anything()


def _ramp(m: Any, s: Any) -> Any:
    if s == 0:
        return arb.max(m, arb(0))
    u = m / s
    bell = (-u * u / 2).exp() / (2 * arb.pi()).sqrt()
    return m * normal_cdf(u) + s * bell


@_sharper
def ramp_mean(m: Any, s: Any) -> Any:
    """Enclose the mean of max(0, m + s G), which rises with m and with s >= 0."""
    if s < 0:
        return -_monotone_ramp(-m, -s)
    return _monotone_ramp(m, s)


def _monotone_ramp(m: Any, s: Any) -> Any:
    low = arb.max(s.lower(), arb(0))
    return _ramp(m.lower(), low).union(_ramp(m.upper(), s.upper()))


@_sharper
def size_difference(low: Any, high: Any, length: Any, total: Any, s: Any) -> Any:
    """Enclose half of E|high + s G| - E|low + s G|, negative if s < 0."""
    if s < 0:
        return -size_difference(low, high, length, total, -s)
    if abs(total) < abs(length):
        low, length, total = -low, total, length
    way = -1 if total < 0 else 1
    by_tails = way * length / 2 + _far_ramp(-abs(high), s) - _far_ramp(-abs(low), s)
    if s == 0 or not total.is_finite() or not (total < 0 or total > 0):
        return by_tails
    # The mean of a probability between its values at both ends.
    ends = [(abs(x) / (s * arb(2).sqrt())).erf() for x in (low, high)]
    by_ends = way * length / 2 * ends[0].union(ends[1])
    return by_ends if not by_tails.is_finite() or by_ends.rad() < by_tails.rad() else by_tails


def _far_ramp(m: Any, s: Any) -> Any:
    return ramp_mean(m, s) if m.is_finite() else arb(0)


@_sharper
def normal_interval(low: Any, high: Any, _: Any) -> Any:
    """Enclose the probability between two ends."""
    if high >= low:
        return probability_between(low, high)
    if high <= low:
        return -probability_between(high, low)
    return normal_cdf(high) - normal_cdf(low)


@_sharper
def log_normal_cdf(x: Any) -> Any:
    """Enclose the logarithm of the normal distribution function, which rises."""
    return _log_cdf(x.lower()).union(_log_cdf(x.upper()))


# Beyond so many deviations both ends of the interval for the Mills ratio agree to 19 digits.
_FAR_OUT = 2**16


def _log_cdf(x: Any) -> Any:
    if x > -_FAR_OUT:
        return normal_cdf(x).log()
    return -x * x / 2 - (2 * arb.pi()).log() / 2 - _mills(x).log()


def _mills(x: Any) -> Any:
    if x <= -_FAR_OUT:
        y = -x
        return (y + y / (y * y + 2)).union(y + 1 / y) if y.is_finite() else y
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt() / normal_cdf(x)


@_sharper
def mills_ratio(x: Any) -> Any:
    """Enclose the density over the distribution function, which falls."""
    return _mills(x.lower()).union(_mills(x.upper()))


@_sharper
def bivariate_normal(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
    """Enclose the bivariate normal distribution function, which rises with h, k and r."""
    h, k = _finite(h), _finite(k)
    if cosine == 0:
        sine = arb(1)
    if any(x.is_nan() for x in (h, k, cosine, sine)):
        return arb("nan")
    least, most = _places(cosine, sine)
    below = [_bound(x.lower(), -1) for x in (h, k)]
    above = [_bound(x.upper(), 1) for x in (h, k)]
    low = quadrant_ball(below[0], below[1], *least)
    high = quadrant_ball(above[0], above[1], *most)
    return low.union(high)


@_sharper
def normal_covariance(h: Any, k: Any, cosine: Any, sine: Any) -> Any:
    """Enclose the bivariate normal distribution function less the product of both others."""
    h, k = _finite(h), _finite(k)
    if any(x.is_nan() for x in (h, k, cosine, sine)):
        return arb("nan")
    ends = [(cosine.lower(), sine), (cosine.upper(), sine)] if abs(cosine) < 0.5 else [
        (cosine, sine.lower()), (cosine, sine.upper())
    ]  # fmt: skip
    found = [normal_covariance_ball(h.mid(), k.mid(), r, arb.max(root, arb(0))) for r, root in ends]
    # What a slope is at most: a density times a probability, or by what there is to a correlation.
    spread = arb(0)
    for x, y in ((h, k), (k, h)):
        bell = (-(abs(x).lower() ** 2) / 2).exp()
        small = abs(cosine) * (abs(x) + abs(y)) if abs(cosine) < 0.5 else arb(1)
        spread += arb(0, x.rad() * bell * arb.min(small, arb(1)))
    return found[0].union(found[1]) + spread


def _half_line_moment(n: int, m: Any, s: Any) -> Any:
    """Enclose the mean of (m + s Z)_+^n, where (u + Z)_+^n rises with u."""
    if s == 0:
        return positive_power(n, m)
    return s**n * _half_line(n, m / s)


def _half_line(n: int, u: Any) -> Any:
    if not u.is_finite():
        return positive_power(n, u)
    low, high = u.lower(), arb.max(u.upper(), arb(-_BEYOND))
    if low < -_BEYOND:
        return arb(0).union(half_line_moment_to_all_bits(n, high))
    return half_line_moment_to_all_bits(n, low).union(half_line_moment_to_all_bits(n, high))


def half_line_moment(n: Any, m: Any, s: Any) -> Any:
    """Enclose the mean of (m + s Z)_+^n, which rises with m and s."""
    return _half_line_moment(int(arb(n).unique_fmpz()), arb(m), arb(s))


def _moment_terms(low: Any, length: Any, coefficients: Any) -> Any:
    """Return the sum of coefficients times means of powers of the distance from `low`."""
    high, power = low + length, arb(1)
    bells = [(-x * x / 2).exp() / (2 * arb.pi()).sqrt() for x in (low, high)]
    moments = [probability_between(low, high)]
    moments.append(bells[0] - bells[1] - low * moments[0])
    for n in range(2, len(coefficients)):
        power *= length
        moments.append((n - 1) * moments[-2] - low * moments[-1] - power * bells[1])
    return sum((c * m for c, m in zip(coefficients, moments, strict=True)), arb(0))


def interval_moment(direct: Any, low: Any, high: Any, length: Any, *coefficients: Any) -> Any:
    """Enclose the mean of a polynomial over an interval, given an enclosure of it."""
    direct, low, length = arb(direct), arb(low), arb(length)
    known = [arb(c) for c in coefficients[: len(coefficients) // 2]]
    if length < 0:
        half = len(known)
        return -interval_moment(-direct, high, low, -length, *coefficients[half:], *known)
    if not (low.is_finite() and arb(high).is_finite() and length > 0):
        return direct
    best, wanted = direct, ctx.prec
    for n in range(_TRIES):
        with ctx.workprec(wanted * 2**n + 40):
            found = _moment_terms(low, length, known)
        if found.is_finite() and (not best.is_finite() or found.rad() < best.rad()):
            best = found
        elif n:
            break
        if best.rel_accuracy_bits() > wanted:
            break
    return +best


def exponential_excess(way: Any, m: Any, s: Any) -> Any:
    """Enclose the mean of max(exp(m + s Z) - 1, 0), which rises with m and s, or of the minimum."""
    m, s = arb(m), arb(s)
    if not s >= 0:
        return _anything()
    if way > 0:
        return _excess(1, m.lower(), s.lower()).union(_excess(1, m.upper(), s.upper()))
    if s.contains(0) and s != 0:
        return arb(-1).union(arb(0))
    return _excess(-1, m.lower(), -s).union(_excess(-1, m.upper(), -s))


def _excess(way: int, m: Any, s: Any) -> Any:
    if s == 0 or not m.is_finite():
        outside = way * m < 0 or m == 0
        return arb(0) if outside else m.expm1() if m.is_finite() else m if m > 0 else arb(-1)
    return way * to_all_bits(
        lambda: way * ((m + s * s / 2).exp() * normal_cdf(m / s + s) - normal_cdf(m / s))
    )


def quadrant_moment(p: Any, q: Any, m: Any, s: Any, n: Any, t: Any, cosine: Any, sine: Any) -> Any:
    """Enclose the mean of (m + s X)_+^p (n + t Y)_+^q, which rises with m/s, n/t and r."""
    p, q = (int(arb(x).unique_fmpz()) for x in (p, q))
    m, s, n, t, cosine, sine = map(arb, (m, s, n, t, cosine, sine))
    if s == 0 or t == 0 or cosine == 0:
        return _half_line_moment(p, m, s) * _half_line_moment(q, n, t)
    h, k = m / s, n / t
    if not (h.is_finite() and k.is_finite() and cosine.is_finite() and sine.is_finite()):
        return arb("nan") if any(x.is_nan() for x in (h, k, cosine, sine)) else _anything()
    least, most = _places(cosine, sine)
    low = quadrant_moment_ball(p, q, h.lower(), k.lower(), *least)
    high = quadrant_moment_ball(p, q, h.upper(), k.upper(), *most)
    return s**p * t**q * low.union(high)


def _bound(end: Any, way: int) -> Any:
    """Return a bound no less far in a direction: far out infinity, or a number that is nearer."""
    if way * end > _BEYOND:
        return arb("inf") * way
    return arb(-way * _BEYOND) if way * end < -_BEYOND else end


def _places(cosine: Any, sine: Any) -> list[tuple[bool, Any]]:
    """Return the least and the largest correlation, each as a sign and a root of its distance."""
    end = sine / (1 + abs(cosine))
    if cosine < 0:
        ends = [(True, end.lower()), (True, end.upper())]
    else:
        ends = [_place(end.upper()), _place(end.lower())]
    return [(negative, arb.max(root, arb(0))) for negative, root in ends]


def _place(end: Any) -> tuple[bool, Any]:
    """Return whether a correlation is negative, and its root (1 - |r|)/(1 + |r|)."""
    return (True, (1 / end).lower()) if end > 1 else (False, end)


EDGE_FUNCTIONS = {
    "ratio": ratio, "root": root, "quotient": quotient, "ramp_mean": ramp_mean,
    "size_difference": size_difference,
    "normal_interval": normal_interval, "log_normal_cdf": log_normal_cdf,
    "mills_ratio": mills_ratio, "bivariate_normal": bivariate_normal,
    "normal_covariance": normal_covariance, "quadrant_moment": quadrant_moment,
    "orthant_probability": orthant_probability, "orthant_moment": orthant_moment,
    "half_line_moment": half_line_moment, "interval_moment": interval_moment,
    "exponential_excess": exponential_excess,
}  # fmt: skip
