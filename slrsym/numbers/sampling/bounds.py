"""Bounds of single symbols, as hypotheses and declarations state them."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Ge, Gt, Le, Lt, Mul, Rational, S, Symbol
from sympy.logic.boolalg import Boolean

__all__ = ["Bounds", "bound_of", "declared"]


@dataclass(frozen=True)
class Bounds:
    """Between which numbers a symbol lies."""

    low: Rational | None = None
    high: Rational | None = None
    low_open: bool = False
    high_open: bool = False

    def narrowed(self, other: Bounds) -> Bounds:
        """What both bounds allow."""
        low, low_open = self.low, self.low_open
        if other.low is not None and (low is None or other.low > low):
            low, low_open = other.low, other.low_open
        elif other.low is not None and other.low == low:
            low_open = low_open or other.low_open
        high, high_open = self.high, self.high_open
        if other.high is not None and (high is None or other.high < high):
            high, high_open = other.high, other.high_open
        elif other.high is not None and other.high == high:
            high_open = high_open or other.high_open
        return Bounds(low, high, low_open, high_open)

    @property
    def is_empty(self) -> bool:
        """Whether no number lies within them."""
        if self.low is None or self.high is None:
            return False
        open_end = self.low_open or self.high_open
        return bool(self.low > self.high) or (bool(self.low == self.high) and open_end)

    def allow(self, value: Rational) -> bool:
        """Whether a number lies within them."""
        low, high = self.low, self.high
        if low is not None and (value < low or (self.low_open and value == low)):
            return False
        return not (high is not None and (value > high or (self.high_open and value == high)))


def bound_of(hypothesis: Boolean) -> tuple[Symbol, Bounds] | None:
    """What a hypothesis says of one symbol by itself."""
    if not isinstance(hypothesis, Le | Lt | Ge | Gt):
        return None
    small, large = hypothesis.lts, hypothesis.gts
    strict = isinstance(hypothesis, Lt | Gt)
    for x, number, above in ((small, large, True), (large, small, False)):
        sign = 1
        if isinstance(x, Mul) and x.args[0] == -1 and len(x.args) == 2:
            x, sign = x.args[1], -1
        if isinstance(x, Symbol) and number.is_Rational:
            if above is (sign == 1):
                return x, Bounds(high=sign * number, high_open=strict)
            return x, Bounds(low=sign * number, low_open=strict)
    return None


def declared(symbol: Symbol) -> Bounds:
    """What a symbol says of itself."""
    if symbol.is_positive:
        return Bounds(low=S.Zero, low_open=True)
    if symbol.is_nonnegative:
        return Bounds(low=S.Zero)
    if symbol.is_negative:
        return Bounds(high=S.Zero, high_open=True)
    if symbol.is_nonpositive:
        return Bounds(high=S.Zero)
    return Bounds()
