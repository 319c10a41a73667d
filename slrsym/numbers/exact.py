"""Hypotheses that need no rounding: relations between polynomials and absolute values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import add, eq, ge, gt, le, lt, mul, ne
from typing import Any

from flint import fmpq
from sympy import Abs, Add, Basic, Eq, Expr, Ge, Gt, Integer, Le, Lt, Mul, Ne, Pow, Rational, Symbol

__all__ = ["exact_truth"]

_ORDERS: dict[type, Callable[[Any, Any], bool]] = {Eq: eq, Ne: ne, Lt: lt, Le: le, Gt: gt, Ge: ge}
_HIGHEST_POWER = 24

_Number = Callable[[Mapping[Any, Any]], Any]


def exact_truth(relation: Basic) -> Callable[[Mapping[Any, Any]], bool] | None:
    """What decides a relation at points, by exact arithmetic.

    Examples
    --------
    >>> from sympy import Abs, Rational, symbols
    >>> x, y = symbols("x y", real=True)
    >>> exact_truth(Abs(x - y) <= x**2)({x: Rational(1, 3), y: Rational(2, 9)})
    True
    """
    order = _ORDERS.get(type(relation))
    if order is None:
        return None
    left, right = (_number(side) for side in relation.args)
    if left is None or right is None:
        return None
    return lambda point: bool(order(left(point), right(point)))


def _number(expr: Basic) -> _Number | None:
    """What computes an expression, if that is a matter of exact arithmetic."""
    if isinstance(expr, Rational):
        constant = _exact(expr)
        return lambda point: constant
    if isinstance(expr, Symbol):
        return (lambda point: _exact(point[expr])) if expr.is_real else None
    if isinstance(expr, Add | Mul):
        parts = [_number(arg) for arg in expr.args]
        known = [part for part in parts if part is not None]
        operation = add if isinstance(expr, Add) else mul
        if len(known) < len(parts):
            return None
        return lambda point: reduce(operation, (part(point) for part in known))
    if isinstance(expr, Abs):
        inside = _number(expr.args[0])
        return inside and (lambda point: abs(inside(point)))
    if isinstance(expr, Pow) and isinstance(expr.exp, Integer) and 0 < expr.exp <= _HIGHEST_POWER:
        base, n = _number(expr.base), int(expr.exp)
        return base and (lambda point: base(point) ** n)
    return None


def _exact(value: Expr) -> fmpq:
    return fmpq(int(value.p), int(value.q))
