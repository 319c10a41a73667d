"""Putting values for symbols, all at once, without evaluating the relation itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Basic, Dummy, Expr, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction

__all__ = ["put"]


def put(expr: Any, values: Mapping[Symbol, Expr]) -> Any:
    """`expr` with values for symbols.

    The values may contain the symbols. Bound variables are left alone, and renamed where a value
    would be captured. Relations stay relations, even those that have become obvious.
    """
    if not values:
        return expr
    if isinstance(expr, Relational):
        return expr.func(put(expr.lhs, values), put(expr.rhs, values), evaluate=False)
    if isinstance(expr, BooleanFunction):
        return expr.func(*(put(arg, values) for arg in expr.args), evaluate=False)
    if not isinstance(expr, Basic):
        return expr
    # SymPy's own simultaneous substitution goes through symbols that are not declared real.
    places = {s: Dummy(s.name, **s._assumptions_orig) for s in values}
    for symbol, place in places.items():
        expr = expr.subs(symbol, place)
    for symbol, place in places.items():
        expr = expr.subs(place, values[symbol])
    return expr
