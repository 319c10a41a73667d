"""Programs in ball arithmetic: every result is an interval that certainly holds the value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flint import acb, arb, ctx, fmpq

from slrsym.kernels.program import Program
from slrsym.kernels.source import body_source, compiled, constants_source

__all__ = ["ball", "ball_function"]


def ball(x: Any) -> Any:
    """A number as a ball: a float exactly, a string as the decimal number that it says.

    Parameters
    ----------
    x : arb, float, int, str or fmpq

    Returns
    -------
    arb
    """
    return arb(x)


def _decay_integral(exponent: Any, low: Any, width: Any) -> Any:
    """Arb's quadrature, whose result encloses the integral."""
    exponent, base, twice = acb(exponent), acb(1 + low * low), acb(2 * low)

    def integrand(y: Any, analytic: bool) -> Any:
        # Meromorphic: a ball that holds a pole divides by zero, which Arb notices.
        rise = y * (twice + y)
        return (-exponent * rise).exp() / (base + rise)

    return acb.integral(integrand, acb(0), acb(width)).real


def _erf_defect(x: Any, y: Any) -> Any:
    if y >= 0:
        return (x - 1) + y.erfc()
    if y <= 0:
        return (x + 1) - (-y).erfc()
    return x - y.erf()


_NAMESPACE = {
    # Constants may be integers.
    "sqrt": lambda x: arb(x).sqrt(), "exp": lambda x: arb(x).exp(), "abs": abs,
    "maximum": lambda x, y: arb(x).max(y), "minimum": lambda x, y: arb(x).min(y),
    "arcsin": lambda x: arb(x).asin(), "arctan": lambda x: arb(x).atan(),
    "erf": lambda x: arb(x).erf(), "erfc": lambda x: arb(x).erfc(),
    "decay_integral": _decay_integral, "erf_defect": _erf_defect,
    "rational": lambda p, q: arb(fmpq(p, q)),
}  # fmt: skip


def ball_function(program: Program) -> Callable[..., Any]:
    """A function of one state, in balls.

    Parameters
    ----------
    program : Program
        What to compute.

    Returns
    -------
    callable
        ``f(state, *parameters, dps=30)`` gives a list of arb, one for each output, computed with
        that many digits. Inputs may be balls of positive radius: the outputs then hold the values
        at all points of them.
    """
    source = constants_source(program) + body_source(program)

    def evaluate(state: Iterable[Any], *parameters: Any, dps: int = 30) -> list[Any]:
        with ctx.workdps(dps):
            scope = compiled(source, _NAMESPACE | {"pi": arb.pi()})
            fixed = scope["constants"](*map(ball, parameters))
            return [arb(value) for value in scope["body"](*map(ball, state), *fixed)]

    return evaluate
