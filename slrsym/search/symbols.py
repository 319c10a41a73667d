"""The symbols that expressions speak of."""

from __future__ import annotations

from functools import lru_cache

from sympy import Basic, Symbol

__all__ = ["free"]


@lru_cache(maxsize=2**14)
def free(expr: Basic) -> frozenset[Symbol]:
    """The free symbols of an expression, which SymPy would look for anew each time."""
    return frozenset(expr.free_symbols)
