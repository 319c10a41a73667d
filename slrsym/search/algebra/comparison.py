"""Equality that shows as soon as products are multiplied out, without a normal form."""

from __future__ import annotations

from sympy import (
    Abs,
    Add,
    Basic,
    Expr,
    Function,
    Mul,
    Pow,
    Rational,
    Symbol,
    default_sort_key,
    erf,
    exp,
    expand,
    pi,
)

from slrsym.gaussian.functions import erf_prime, erf_second, zeta

__all__ = ["is_same_multiplied_out"]

# Nothing here binds a variable, takes a limit, or is defined by a sum that may diverge.
_PLAIN = (Add, Mul, Pow, Rational, Symbol, type(pi), Abs, exp, erf, erf_prime, erf_second, zeta)
_HINTS = {"power_base": False, "power_exp": False, "log": False, "basic": False}

# An absolute value, which is not to be evaluated any more.
_BARS = Function("bars")


def is_same_multiplied_out(first: Expr, second: Expr) -> bool:
    """Whether two expressions have the same terms when all products of sums are multiplied out.

    What stands between bars is taken up to its sign. Where the two are defined nothing is asked, so
    that an expression may have gaps where the other one has none.

    Examples
    --------
    >>> from sympy import Abs, symbols
    >>> x, y = symbols("x y", real=True)
    >>> is_same_multiplied_out((x - y) * Abs(x - y), x * Abs(y - x) - y * Abs(x - y))
    True
    >>> is_same_multiplied_out(x / (x + x * y), 1 / (1 + y))
    False
    """
    if not (_is_plain(first) and _is_plain(second)):
        return False
    result: bool = first == second or _multiplied_out(first) == _multiplied_out(second)
    return result


def _is_plain(expr: Basic) -> bool:
    return isinstance(expr, _PLAIN) and all(map(_is_plain, expr.args))


def _multiplied_out(expr: Expr) -> Expr:
    return expand(_barred(expr), **_HINTS)


def _barred(expr: Expr) -> Expr:
    """The expression with its absolute values as those of one of the two opposite arguments."""
    if isinstance(expr, Abs):
        inside = _multiplied_out(expr.args[0])
        return _BARS(min(inside, expand(-inside, **_HINTS), key=default_sort_key))
    if not expr.has(Abs):
        return expr
    return expr.func(*map(_barred, expr.args))
