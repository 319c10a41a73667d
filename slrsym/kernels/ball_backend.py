"""Programs in ball arithmetic: every result is an interval that certainly holds the value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from numbers import Rational
from typing import Any

import numpy as np
from flint import acb, arb, ctx, fmpq

from slrsym.kernels.arguments import whole
from slrsym.kernels.program import Program
from slrsym.kernels.source import body_source, compiled, constants_source

__all__ = ["ball", "ball_function", "bound_ball_function"]


def ball(x: Any) -> Any:
    """A number as a ball: a float exactly, a string as the decimal number that it says."""
    if isinstance(x, Rational):
        return arb(fmpq(int(x.numerator), int(x.denominator)))
    return arb(float(x) if isinstance(x, np.floating) else x)


def _decay_integral(exponent: Any, low: Any, width: Any) -> Any:
    """Arb's quadrature, at the ends: the integral falls in E and l, and it grows with w.

    Wide balls in the integrand would keep the quadrature busy without bringing it to an end.
    """
    exponent, low, width = arb(exponent), arb(low), arb(width)
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


def _erf_defect(x: Any, y: Any) -> Any:
    y = arb(y)
    if y >= 0:
        return (x - 1) + _erfc(y)
    if y <= 0:
        return (x + 1) - _erfc(-y)
    return x - _erf(y)


def _power(x: Any, n: int) -> Any:
    """An integer power, by its values at the ends.

    Arb's own is much wider for a wide ball, and no number for a ball around 0.
    """
    x = arb(x)
    if n < 0 or x.is_exact():
        return x**n
    if n % 2 == 0 and x.contains(0):
        return arb(0).union(x.abs_upper() ** n)
    return (x.lower() ** n).union(x.upper() ** n)


# Half a width from which on the ends are worth their price.
_WIDE = 2.0**-12


def _erf(x: Any) -> Any:
    """By the values at the ends, for a wide ball: Arb bounds its width by that times a slope."""
    x = arb(x)
    if not x.rad() > _WIDE:
        return x.erf()
    return x.lower().erf().union(x.upper().erf())


def _erfc(x: Any) -> Any:
    x = arb(x)
    if not x.rad() > _WIDE:
        return x.erfc()
    return x.lower().erfc().union(x.upper().erfc())


_NAMESPACE = {
    # Constants may be integers.
    "sqrt": lambda x: arb(x).sqrt(), "exp": lambda x: arb(x).exp(), "abs": abs,
    "maximum": lambda *x: reduce(arb.max, map(arb, x)),
    "minimum": lambda *x: reduce(arb.min, map(arb, x)),
    "arcsin": lambda x: arb(x).asin(), "arctan": lambda x: arb(x).atan(),
    "erf": _erf, "erfc": _erfc,
    "decay_integral": _decay_integral, "erf_defect": _erf_defect, "power": _power,
    "rational": lambda p, q: arb(fmpq(p, q)),
}  # fmt: skip


def ball_function(program: Program) -> Callable[..., Any]:
    """A function of one state, in balls."""
    source = constants_source(program, calls=True) + body_source(program, calls=True)

    def evaluate(state: Iterable[Any], *parameters: Any, dps: int = 30) -> list[Any]:
        with ctx.workdps(whole("dps", dps, 1)):
            scope = compiled(source, _NAMESPACE | {"pi": arb.pi()})
            fixed = scope["constants"](*map(ball, parameters))
            values = scope["body"](*map(ball, program.checked(state)), *fixed)
            return [arb(value) for value in values]

    return evaluate


def bound_ball_function(
    program: Program, parameters: Sequence[Any], dps: int = 30
) -> Callable[[Sequence[Any]], list[Any]]:
    """The function of `ball_function`, for parameters that stay the same over many states."""
    source = constants_source(program, calls=True) + body_source(program, calls=True)
    digits = whole("dps", dps, 1)
    with ctx.workdps(digits):
        scope = compiled(source, _NAMESPACE | {"pi": arb.pi()})
        fixed = scope["constants"](*map(ball, parameters))
    body = scope["body"]

    def evaluate(state: Sequence[Any]) -> list[Any]:
        with ctx.workdps(digits):
            return [arb(value) for value in body(*program.checked(state), *fixed)]

    return evaluate
