"""Ball arithmetic backend: compiled functions return intervals that contain the values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from numbers import Rational
from typing import Any

import mpmath
import numpy as np
from flint import acb, arb, ctx, fmpq

from slrsym.kernels.arguments import require_integer
from slrsym.kernels.ball_edges import EDGE_FUNCTIONS, extended_to_infinity
from slrsym.kernels.program import Program, execute_source


def to_ball(x: Any) -> Any:
    """Convert a number to a ball: a float exactly, a string by its decimal digits."""
    if isinstance(x, Rational):
        return arb(fmpq(int(x.numerator), int(x.denominator)))
    return arb(float(x) if isinstance(x, np.floating) else x)


def _is_infinite(x: Any) -> bool:
    """Return whether a ball is one of the two infinities."""
    return not x.is_finite() and bool(x > 0 or x < 0) and x.is_exact()


def _decay_integral(exponent: Any, low: Any, width: Any) -> Any:
    """Enclose the integral of `DecayIntegral` for balls, by its monotonicity in E, l and w.

    Wide balls in the integrand would keep the quadrature busy without bringing it to an end.
    """
    exponent, low, width = arb(exponent), arb(low), arb(width)
    if _is_infinite(exponent):
        return arb(0)
    least = _exact_integral(exponent.upper(), low.upper(), arb.max(width.lower(), arb(0)))
    most = _exact_integral(exponent.lower(), arb.max(low.lower(), arb(0)), width.upper())
    return least.union(most)


def _exact_integral(exponent: Any, low: Any, width: Any) -> Any:
    negative, base, twice = -acb(exponent), acb(1 + low * low), acb(2 * low)

    def integrand(y: Any, analytic: bool) -> Any:
        # Meromorphic: a ball that holds a pole divides by zero, which Arb notices.
        rise = y * (twice + y)
        return (negative * rise).exp() / (base + rise)

    return acb.integral(integrand, acb(0), acb(width)).real


def _owens_t(h: Any, a: Any) -> Any:
    """Enclose Owen's T for balls, by its monotonicity in |h| and a."""
    h, a = abs(arb(h)), arb(a)
    near, far = arb.max(h.lower(), arb(0)), h.upper()
    least = _exact_t(far if a.lower() > 0 else near, a.lower())
    most = _exact_t(near if a.upper() > 0 else far, a.upper())
    return least.union(most)


def _exact_t(h: Any, a: Any) -> Any:
    """Return a ball around Owen's T(h, a) for exact numbers h >= 0 and a."""
    if a < 0:
        return -_exact_t(h, -a)
    if _is_infinite(h):
        return arb(0)
    two = arb(2)
    if _is_infinite(a):
        return (h / two.sqrt()).erfc() / 4
    if not a > 1:
        half = h * h / 2
        return (-half).exp() * _exact_integral(half, arb(0), a) / (2 * arb.pi())
    k, root = a * h, two.sqrt()
    half = k * k / 2
    inner = (-half).exp() * _exact_integral(half, arb(0), 1 / a) / (2 * arb.pi())
    return ((h / root).erfc() * (k / root).erf() + (k / root).erfc()) / 4 - inner


def _erf_covariance(x: Any, y: Any, r: Any) -> Any:
    """Enclose `ErfCovariance` for balls, by its midpoint value and bounds of its derivatives."""
    x, y, r = arb(x), arb(y), arb(r)
    if (abs(x) > _BEYOND or abs(y) > _BEYOND) and abs(r) <= 1:
        # It is below 2 erfc of the larger one.
        larger = min(z.abs_lower() for z in (x, y) if abs(z) > _BEYOND)
        return arb(0) if _is_infinite(larger) else arb(0, 2 * larger.erfc().upper())
    value = _exact_covariance(x.mid(), y.mid(), r.mid())
    if x.is_exact() and y.is_exact() and r.is_exact():
        return value
    left = 1 - r * r
    root = left.sqrt()
    for z, other in ((x, y), (y, x)):
        bell = 2 / arb.pi().sqrt() * (-_power(z, 2)).exp()
        value += arb(0, z.rad()) * bell * (_erf((other - r * z) / root) - _erf(other))
    square = (_power(x - y, 2) / (1 - r) + _power(x + y, 2) / (1 + r)) / 2
    return value + arb(0, r.rad()) * 2 / arb.pi() * (-square).exp() / root


def _exact_covariance(x: Any, y: Any, r: Any) -> Any:
    if r < 0:
        return -_exact_covariance(x, -y, -r)
    rise, fall = acb((x + y) ** 2 / 4), acb((x - y) ** 2 / 4)
    start, beyond = ((1 - r) / (1 + r)).sqrt(), arb(0)
    if fall != 0 and not start > 0:
        # The integrand is below 1.
        start = arb(2) ** (-ctx.prec - 20)
        beyond = arb(0, start)
    # Arb counts errors in absolute terms: about where the integrand is largest it becomes 1.
    peak = float(start.mid())
    if fall != 0 and not rise.contains(0):
        peak = min(1.0, max(peak, float((fall / rise).real.mid()) ** 0.25))
    elif fall != 0:
        peak = 1.0

    def exponent(w: Any) -> Any:
        square = w * w
        return rise * square + (fall / square if fall != 0 else 0)

    least = exponent(acb(peak))

    def integrand(w: Any, analytic: bool) -> Any:
        return (least - exponent(w)).exp() / (1 + w * w)

    integral = (-least.real).exp() * acb.integral(integrand, acb(start), acb(1)).real + beyond
    return 4 / arb.pi() * (-(x * x + y * y) / 2).exp() * integral


def _sign(x: Any) -> Any:
    x = arb(x)
    if x.is_nan():
        return x
    return arb(1) if x > 0 else arb(-1) if x < 0 else arb(0) if x == 0 else arb(0, 1)


_NAN = arb("nan")


def _compare(x: Any, relation: str, y: Any) -> Any:
    """Return whether a relation holds between two balls: None if only for some numbers.

    Where a side is no number, neither is the result.
    """
    x, y = arb(x), arb(y)
    if x.is_nan() or y.is_nan():
        return _NAN
    order = {"<": (x < y, x >= y), "<=": (x <= y, x > y), ">": (x > y, x <= y)}
    order |= {">=": (x >= y, x < y), "==": (x == y, x != y), "!=": (x != y, x == y)}
    yes, no = order[relation]
    return True if yes else False if no else None


def _select(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    if test is _NAN:
        return test
    if test is None:
        return arb(then()).union(arb(otherwise()))
    return then() if test else otherwise()


def _erf_defect(x: Any, y: Any) -> Any:
    y = arb(y)
    if y >= 0:
        return (x - 1) + _erfc(y)
    if y <= 0:
        return (x + 1) - _erfc(-y)
    return x - _erf(y)


def _power(x: Any, n: int) -> Any:
    """Raise a ball to an integer power, by the powers of its ends.

    Arb's own is much wider for a wide ball, and no number for a ball around 0.
    """
    x = arb(x)
    if n > 0 and _is_infinite(x):
        return x if n % 2 else abs(x)
    if n < 0 or x.is_exact():
        return x**n
    if n % 2 == 0 and x.contains(0):
        return arb(0).union(x.abs_upper() ** n)
    return (x.lower() ** n).union(x.upper() ** n)


def _cosine_of_slope(x: Any) -> Any:
    # At infinity a number that vanishes beside every other, but does not make infinity nothing.
    return arb(2) ** -(10**6) if _is_infinite(arb(x)) else (1 + _power(x, 2)).rsqrt()


def _sine_of_slope(x: Any) -> Any:
    x = arb(x)
    return arb(1 if x > 0 else -1) if _is_infinite(x) else x * _cosine_of_slope(x)


def _over_root(x: Any, c: Any, y: Any) -> Any:
    if _is_infinite(arb(y)):
        return x * _cosine_of_slope(y)
    return x * (1 + c * _power(y, 2)).rsqrt()


def _divided_square(x: Any, c: Any, y: Any) -> Any:
    if _is_infinite(arb(y)):
        return _power(_over_root(x, c, y), 2)
    return _power(x, 2) / (1 + c * _power(y, 2))


def _damped_factor(u: Any, factor: Any) -> Any:
    return arb(0) if _is_infinite(arb(u)) and u < 0 else factor


_FAR, _BEYOND = arb(2) ** 40, 10**4

# Half a width from which on the ends are worth their price.
_WIDE = 2.0**-12


def _monotone(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Extend a monotone function of exact balls to wide balls, by its values at both ends.

    At infinity it has the value that it has far out, to all digits.
    """

    def evaluate(x: Any) -> Any:
        x = arb(x)
        if _is_infinite(x):
            return function(_FAR if x > 0 else -_FAR).mid().floor()
        if not x.rad() > _WIDE:
            return function(x)
        return function(x.lower()).union(function(x.upper()))

    return evaluate


_erf, _erfc = _monotone(arb.erf), _monotone(arb.erfc)


def _erfinv(x: Any) -> Any:
    """Enclose the inverse of erf by ends of which erf is certainly below and above."""
    x = arb(x)
    with mpmath.workdps(ctx.dps):
        low, high = (
            arb(mpmath.erfinv(mpmath.mpf(end.mid().str(ctx.dps, radius=False))))
            for end in (x.lower(), x.upper())
        )
    step = arb(2) ** (16 - ctx.prec)
    while step < 1:
        found = (low - step).union(high + step)
        if found.lower().erf() < x and found.upper().erf() > x:
            return found
        step *= 2**16
    return _NAN


_NAMESPACE = {
    # Constants may be integers.
    "sqrt": lambda x: arb(x).sqrt(), "exp": lambda x: arb(x).exp(), "abs": abs,
    "maximum": lambda *x: reduce(arb.max, map(arb, x)),
    "minimum": lambda *x: reduce(arb.min, map(arb, x)),
    "arcsin": lambda x: arb(x).asin(), "arctan": lambda x: arb(x).atan(),
    "erf": _erf, "erfc": _erfc, "erfinv": _erfinv,
    "sin": lambda x: arb(x).sin(), "cos": lambda x: arb(x).cos(), "log": lambda x: arb(x).log(),
    "tanh": lambda x: arb(x).tanh(), "sign": _sign, "nan": _NAN,
    "normal_cdf": lambda x: _erfc(-arb(x) / arb(2).sqrt()) / 2,
    "select": _select, "compare": _compare, "owens_t": _owens_t,
    "erf_covariance": _erf_covariance,
    "decay_coefficients": lambda *ends: ends,
    "evaluate_erf_variance_integral": lambda exponent, ends: _decay_integral(exponent, *ends),
    "erf_defect": _erf_defect, "power": _power, "damped_factor": _damped_factor,
    "with_slopes_of_zeta": lambda value, t, s: value,
    "scaled_argument": lambda x, scale: arb(0) if x == 0 or scale == 0 else x * scale,
    "divided_square": _divided_square, "over_root": _over_root,
    "cosine_of_slope": _cosine_of_slope, "sine_of_slope": _sine_of_slope,
    "rational": lambda p, q: arb(fmpq(p, q)),
    **EDGE_FUNCTIONS,
}  # fmt: skip

for _name in ("erf", "erfc", "normal_cdf", "owens_t", "tanh"):
    _NAMESPACE[_name] = extended_to_infinity(_NAMESPACE[_name])


def _scope(program: Program) -> dict[str, Any]:
    if program.means:
        raise ValueError("means by quadrature are not enclosed: there are no balls of this model")
    return execute_source(program.setup + program.body, _NAMESPACE | {"pi": arb.pi()}, "balls")


def compile_ball_function(program: Program) -> Callable[..., Any]:
    """Return a function that runs a program in ball arithmetic at one state."""
    scope = _scope(program)

    def evaluate(state: Iterable[Any], *parameters: Any, dps: int = 30) -> list[Any]:
        with ctx.workdps(require_integer("dps", dps, 1)):
            scope["pi"] = arb.pi()
            fixed = scope["constants"](*map(to_ball, parameters))
            values = scope["body"](*map(to_ball, program.require_state(state)), *fixed)
            return [arb(value) for value in values]

    return evaluate


def compile_ball_function_at_parameters(
    program: Program, parameters: Sequence[Any], dps: int = 30
) -> Callable[[Sequence[Any]], list[Any]]:
    """Return a function that runs a program in balls at a state, with parameters fixed."""
    digits = require_integer("dps", dps, 1)
    with ctx.workdps(digits):
        scope = _scope(program)
        fixed = scope["constants"](*map(to_ball, parameters))
    body = scope["body"]

    def evaluate(state: Sequence[Any]) -> list[Any]:
        with ctx.workdps(digits):
            return [arb(value) for value in body(*program.require_state(state), *fixed)]

    return evaluate
