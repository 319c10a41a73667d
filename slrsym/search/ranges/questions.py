"""The question that others ask: the range of an expression."""

from __future__ import annotations

from typing import Any

from sympy import sympify

from slrsym.search.ranges.enclosure import Enclosure
from slrsym.search.ranges.facts import Facts
from slrsym.search.ranges.intervals import Range

__all__ = ["range_of"]


def range_of(expr: Any, facts: Facts | None = None) -> Range:
    """An interval that contains every value of an expression.

    Examples
    --------
    >>> from sympy import Symbol, exp
    >>> x = Symbol("x", positive=True)
    >>> print(range_of(exp(-x)))
    (0, 1)
    """
    return Enclosure(facts or Facts()).range(sympify(expr))
