"""Random exact numbers with the properties of a symbol."""

from __future__ import annotations

import math
from collections.abc import Callable

from numpy.random import Generator
from sympy import Expr, I, Integer, Rational, S, Symbol

from slrsym.numbers.sampling.bounds import Bounds

__all__ = ["fits", "random_value"]

_DENOMINATORS = (1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 64)
_AT_A_BOUND = 0.04

# What SymPy would find out of each number anew, and slowly.
_OF_RATIONALS: dict[str, Callable[[Rational], bool]] = {
    **dict.fromkeys(("commutative", "complex", "real", "extended_real", "finite"), lambda x: True),
    "integer": lambda x: bool(x.q == 1),
    "positive": lambda x: bool(x.p > 0),
    "negative": lambda x: bool(x.p < 0),
    "nonnegative": lambda x: bool(x.p >= 0),
    "nonpositive": lambda x: bool(x.p <= 0),
    "nonzero": lambda x: bool(x.p != 0),
    "zero": lambda x: bool(x.p == 0),
}


def random_value(symbol: Symbol, bounds: Bounds, rng: Generator, size: Rational) -> Rational | None:
    """A random number with the properties of a symbol."""
    for _ in range(60):
        value = _candidate(symbol, bounds, rng, size)
        if symbol.is_imaginary:
            value = I * value
        elif not bounds.allow(value):
            continue
        if fits(value, symbol):
            return value
    return None


def _candidate(symbol: Symbol, bounds: Bounds, rng: Generator, size: Rational) -> Rational:
    low, high = bounds.low, bounds.high
    if symbol.is_integer:
        first = -6 if low is None else math.ceil(low)
        last = first + 12 if low is None else first + 4
        if high is not None:
            last = math.floor(high) if low is None else min(math.floor(high), first + 6)
            first = last - 4 if low is None else first
        return Integer(int(rng.integers(first, max(first, last) + 1)))
    ends = [
        end
        for end, closed in ((low, not bounds.low_open), (high, not bounds.high_open))
        if end is not None and closed
    ]
    if ends and rng.random() < _AT_A_BOUND:
        return ends[int(rng.integers(len(ends)))]
    denominator = _DENOMINATORS[int(rng.integers(len(_DENOMINATORS)))]
    if low is not None and high is not None:
        share = Rational(int(rng.integers(0, denominator + 1)), denominator)
        value = low + (high - low) * share
        # Nearer to zero, or else to the lower end, when large values keep being rejected.
        centre = S.Zero if low <= 0 <= high else low
        return centre + (value - centre) * size
    exponent = rng.uniform(-3.0, 2.0)
    length = Rational(max(1, round(2.0**exponent * denominator)), denominator)
    if low is not None:
        return low + length * size
    if high is not None:
        return high - length * size
    return (length if rng.random() < 0.5 else -length) * size


def fits(value: Expr, symbol: Symbol) -> bool:
    """Whether a number has every property that a symbol was declared with."""
    known = _OF_RATIONALS if isinstance(value, Rational) else {}
    for fact, holds in symbol._assumptions_orig.items():
        found = known[fact](value) if fact in known else getattr(value, f"is_{fact}")
        if found is not holds:
            return False
    return True
