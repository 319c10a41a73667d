"""Statements as lines of text."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import And, Basic, Equivalent, Implies, Not, Or, Subs
from sympy.core.relational import Relational

__all__ = ["spoken"]


_SIGNS = {
    "Equality": "=", "Unequality": "!=", "LessThan": "<=", "StrictLessThan": "<",
    "GreaterThan": ">=", "StrictGreaterThan": ">",
}  # fmt: skip
_WORDS = {And: " and ", Or: " or ", Implies: " => ", Equivalent: " <=> "}


# A link of a chain says again what the one before it has said.
_remembered = lru_cache(maxsize=256)(str)


def _line(expr: Any) -> str:
    # To SymPy, a `Subs` is equal to others that read differently.
    plain = isinstance(expr, Basic) and not expr.has(Subs)
    return _remembered(expr) if plain else str(expr)


def spoken(statement: Any) -> str:
    """A statement in infix notation.

    Examples
    --------
    >>> from sympy import And, Eq, Symbol
    >>> x = Symbol("x", real=True)
    >>> spoken(And(Eq(x**2, 4), x > 0))
    '(x**2 = 4) and (x > 0)'
    """
    if isinstance(statement, Relational):
        return f"{_line(statement.lhs)} {_SIGNS[type(statement).__name__]} {_line(statement.rhs)}"
    if isinstance(statement, Not):
        return f"not ({spoken(statement.args[0])})"
    for kind, word in _WORDS.items():
        if isinstance(statement, kind):
            # SymPy orders the arguments of Implies alone by meaning, of the others by name.
            parts = statement.args if kind is Implies else sorted(statement.args, key=_line)
            return word.join(f"({spoken(part)})" for part in parts)
    return _line(statement)
