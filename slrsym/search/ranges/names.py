"""What names declare of themselves: symbols, indexed symbols, undefined functions."""

from __future__ import annotations

from sympy import Basic, Expr, Indexed, S, Symbol, ceiling, floor, oo
from sympy.core.function import AppliedUndef

from slrsym.search.ranges.intervals import NoRange, Range

__all__ = ["between_integers", "declared", "is_name"]


def is_name(expr: Basic) -> bool:
    """Whether something stands for an arbitrary value, and may declare properties of it."""
    return isinstance(expr, Symbol | Indexed | AppliedUndef)


def declared(name: Expr) -> Range:
    """The range that a name declares."""
    if name.is_real is not True:
        raise NoRange(f"{name} is not declared real")
    low, high = -oo, oo
    low_open = high_open = False
    if name.is_nonnegative:
        low, low_open = S.Zero, bool(name.is_positive)
    if name.is_nonpositive:
        high, high_open = S.Zero, bool(name.is_negative)
    found = Range(low, high, low_open, high_open)
    return between_integers(found) if name.is_integer else found


def between_integers(found: Range) -> Range:
    """The interval from the least to the greatest integer in another one."""
    low, high = found.low, found.high
    if low is not -oo:
        low = low + 1 if low.is_Integer and found.low_open else ceiling(low)
    if high is not oo:
        high = high - 1 if high.is_Integer and found.high_open else floor(high)
    return Range(low, high) if low <= high else found
