"""Functions of `slrsym.kernels.edge_functions` for balls: they enclose all values and limits.

All that are monotone are evaluated at the ends of their balls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, ctx

from slrsym.gaussian.bivariate_normal_balls import normal_cdf, probability_between, quadrant_ball
from slrsym.kernels.edge_arrays import ROUNDING

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
    if bell == 0:
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
    return normal_cdf(x.lower()).log().union(normal_cdf(x.upper()).log())


def _mills(x: Any) -> Any:
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
    if cosine < 0:
        end = sine / (1 - cosine)
        least, most = (True, end.lower()), (True, end.upper())
    else:
        end = sine / (1 + cosine)
        least, most = _place(end.upper()), _place(end.lower())
    below = [_bound(x.lower(), -1) for x in (h, k)]
    above = [_bound(x.upper(), 1) for x in (h, k)]
    low = quadrant_ball(below[0], below[1], least[0], arb.max(least[1], arb(0)))
    high = quadrant_ball(above[0], above[1], most[0], arb.max(most[1], arb(0)))
    return low.union(high)


def _bound(end: Any, way: int) -> Any:
    """Return a bound no less far in a direction: far out infinity, or a number that is nearer."""
    if way * end > _BEYOND:
        return arb("inf") * way
    return arb(-way * _BEYOND) if way * end < -_BEYOND else end


def _place(end: Any) -> tuple[bool, Any]:
    """Return whether a correlation is negative, and its root (1 - |r|)/(1 + |r|)."""
    return (True, (1 / end).lower()) if end > 1 else (False, end)


EDGE_FUNCTIONS = {
    "ratio": ratio, "root": root, "quotient": quotient, "ramp_mean": ramp_mean,
    "normal_interval": normal_interval, "log_normal_cdf": log_normal_cdf,
    "mills_ratio": mills_ratio, "bivariate_normal": bivariate_normal,
}  # fmt: skip
