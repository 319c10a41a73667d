"""The names that expressions use, which must not be taken for anything else."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from sympy import Symbol
from sympy.core.function import AppliedUndef

__all__ = ["names_in"]


def names_in(expressions: Iterable[Any]) -> set[str]:
    """The names of all symbols and functions."""
    return set().union(*map(_names, expressions))


# A claim is asked for its names more than once.
@lru_cache(maxsize=1024)
def _names(expr: Any) -> frozenset[str]:
    found = expr.atoms(Symbol, AppliedUndef)
    return frozenset(x.name if isinstance(x, Symbol) else x.func.__name__ for x in found)
