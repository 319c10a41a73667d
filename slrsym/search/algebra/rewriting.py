"""Functions that are combinations of others, and how they are written so."""

from __future__ import annotations

from collections.abc import Callable

from sympy import (
    Abs,
    Expr,
    I,
    Pow,
    acos,
    asin,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    pi,
    sin,
    sinh,
    sqrt,
    tan,
)

from slrsym.gaussian.functions import erf_prime, erf_second, normal_cdf, normal_pdf

__all__ = ["rewritten"]

_COMBINATIONS: dict[type, Callable[[Expr], Expr]] = {
    acos: lambda u: pi / 2 - asin(u),
    cos: lambda u: (exp(I * u) + exp(-I * u)) / 2,
    cosh: lambda u: (exp(u) + exp(-u)) / 2,
    erf_prime: lambda u: 2 / sqrt(pi) * exp(-(u**2)),
    erf_second: lambda u: -4 / sqrt(pi) * u * exp(-(u**2)),
    erfc: lambda u: 1 - erf(u),
    normal_cdf: lambda u: (1 + erf(u / sqrt(2))) / 2,
    normal_pdf: lambda u: exp(-(u**2) / 2) / sqrt(2 * pi),
    sin: lambda u: (exp(I * u) - exp(-I * u)) / (2 * I),
    sinh: lambda u: (exp(u) - exp(-u)) / 2,
    tan: lambda u: sin(u) / cos(u),
}


def rewritten(expr: Expr, nonnegative: Callable[[Expr], bool]) -> Expr | None:
    """A function's value, written by means of exponentials, erf, arc sine and roots."""
    if type(expr) in _COMBINATIONS:
        return _COMBINATIONS[type(expr)](expr.args[0])
    if not isinstance(expr, Abs):
        return None
    (u,) = expr.args
    if u.is_real is False:
        return None
    if nonnegative(u):
        return u
    if nonnegative(-u):
        return -u
    return sqrt(Pow(u, 2, evaluate=False), evaluate=False) if u.is_real else None
