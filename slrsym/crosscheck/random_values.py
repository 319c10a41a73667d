"""Random exact values of symbols, within the bounds that hypotheses state."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from operator import add, eq, ge, gt, le, lt, mul, ne
from typing import TYPE_CHECKING, Any, Self

import sympy as sp
from flint import fmpq
from numpy.random import default_rng
from sympy import Basic, Expr, S, Symbol
from sympy.logic.boolalg import Boolean
from sympy.tensor.indexed import Indexed, IndexedBase

if TYPE_CHECKING:
    from numpy.random import Generator

_ORDERS: dict[type, Callable[[Any, Any], bool]] = {
    sp.Eq: eq,
    sp.Ne: ne,
    sp.Lt: lt,
    sp.Le: le,
    sp.Gt: gt,
    sp.Ge: ge,
}
_HIGHEST_POWER = 24

_Number = Callable[[Mapping[Any, Any]], Any]


def compile_exact_decision(relation: Basic) -> Callable[[Mapping[Any, Any]], bool] | None:
    """Compile a relation to an exact test on rational values, or return None if that is impossible.

    The values are rational numbers of SymPy or of FLINT.

    Examples
    --------
    >>> from sympy import Abs, Rational, symbols
    >>> x, y = symbols("x y", real=True)
    >>> compile_exact_decision(Abs(x - y) <= x**2)({x: Rational(1, 3), y: Rational(2, 9)})
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
    """Compile an expression to exact rational arithmetic, or return None if that is impossible."""
    if isinstance(expr, sp.Rational):
        constant = _exact(expr)
        return lambda point: constant
    if isinstance(expr, Symbol):
        return (lambda point: _exact(point[expr])) if expr.is_real else None
    if isinstance(expr, sp.Add | sp.Mul):
        parts = [_number(arg) for arg in expr.args]
        known = [part for part in parts if part is not None]
        operation = add if isinstance(expr, sp.Add) else mul
        if len(known) < len(parts):
            return None
        return lambda point: reduce(operation, (part(point) for part in known))
    if isinstance(expr, sp.Abs):
        inside = _number(expr.args[0])
        return inside and (lambda point: abs(inside(point)))
    if (
        isinstance(expr, sp.Pow)
        and isinstance(expr.exp, sp.Integer)
        and 0 < expr.exp <= _HIGHEST_POWER
    ):
        base, n = _number(expr.base), int(expr.exp)
        return base and (lambda point: base(point) ** n)
    return None


def _exact(value: Any) -> fmpq:
    return value if isinstance(value, fmpq) else fmpq(int(value.p), int(value.q))


@dataclass(frozen=True)
class Bounds:
    """Lower and upper bound of a symbol, each of which may be strict or missing.

    They are rational numbers of SymPy or, like the values that they are asked about, of FLINT.
    """

    low: Any = None
    high: Any = None
    low_open: bool = False
    high_open: bool = False

    def intersect(self, other: Bounds) -> Bounds:
        """Return the intersection with other bounds."""
        lows = [(b.low, b.low_open) for b in (self, other) if b.low is not None]
        highs = [(b.high, not b.high_open) for b in (self, other) if b.high is not None]
        # Of equal ends the open one: True is more than False.
        low, low_open = max(lows, default=(None, False))
        high, high_closed = min(highs, default=(None, True))
        return Bounds(low, high, low_open, not high_closed)

    @property
    def is_empty(self) -> bool:
        """Whether no number satisfies both bounds; equal bounds leave one, unless one is strict."""
        if self.low is None or self.high is None:
            return False
        open_end = self.low_open or self.high_open
        return bool(self.low > self.high) or (bool(self.low == self.high) and open_end)

    def contains(self, value: Any) -> bool:
        """Return whether a number lies within the bounds."""
        low, high = self.low, self.high
        if low is not None and (value < low or (self.low_open and value == low)):
            return False
        return not (high is not None and (value > high or (self.high_open and value == high)))


def symbol_and_bounds_from_hypothesis(hypothesis: Boolean) -> tuple[Symbol, Bounds] | None:
    """Return the symbol and its bounds from a hypothesis about one symbol, or None."""
    if not isinstance(hypothesis, sp.Le | sp.Lt | sp.Ge | sp.Gt):
        return None
    small, large = hypothesis.lts, hypothesis.gts
    strict = isinstance(hypothesis, sp.Lt | sp.Gt)
    for x, number, above in ((small, large, True), (large, small, False)):
        sign = 1
        if isinstance(x, sp.Mul) and x.args[0] == -1 and len(x.args) == 2:
            x, sign = x.args[1], -1
        if isinstance(x, Symbol) and number.is_Rational:
            if above is (sign == 1):
                return x, Bounds(high=sign * number, high_open=strict)
            return x, Bounds(low=sign * number, low_open=strict)
    return None


def declared_bounds(symbol: Symbol) -> Bounds:
    """Return the bounds that a symbol's assumptions state."""
    if symbol.is_positive:
        return Bounds(low=S.Zero, low_open=True)
    if symbol.is_nonnegative:
        return Bounds(low=S.Zero)
    if symbol.is_negative:
        return Bounds(high=S.Zero, high_open=True)
    if symbol.is_nonpositive:
        return Bounds(high=S.Zero)
    return Bounds()


def solve_equations_for_symbols(
    equations: Iterable[sp.Eq], symbols: Iterable[Symbol], families: Sequence[IndexedBase]
) -> tuple[list[tuple[Symbol, Expr]], dict[IndexedBase, Expr]]:
    """Solve equations for symbols; return their values, and the families that sum to one."""
    definitions: list[tuple[Symbol, Expr]] = []
    normalised: dict[IndexedBase, Expr] = {}
    for equation in equations:
        family = _normalised_family(equation, families)
        if family is not None:
            normalised[family[0]] = family[1]
            continue
        known = {x for x, _ in definitions}
        used = {x for _, value in definitions for x in value.free_symbols}
        difference = equation.lhs - equation.rhs
        candidates = difference.free_symbols & set(symbols) - known - used
        for x in sorted(candidates, key=sp.default_sort_key):
            slope = _slope(difference, x)
            if slope is not None:
                definitions.append((x, -difference.xreplace({x: S.Zero}) / slope))
                break
    return definitions, normalised


def _slope(expr: Expr, x: Symbol) -> Expr | None:
    """Return the coefficient of a symbol in an affine expression, or None for others."""
    slope = S.Zero
    for addend in sp.Add.make_args(expr):
        if x in addend.free_symbols:
            rest = sp.Mul(*(factor for factor in sp.Mul.make_args(addend) if factor != x))
            if x in rest.free_symbols:
                return None
            slope += rest
    return None if slope == 0 else slope


def _normalised_family(
    equation: sp.Eq, families: Sequence[IndexedBase]
) -> tuple[IndexedBase, Expr] | None:
    """Return P and L for an equation P_1 + ... + P_L = 1, or None for others."""
    for total, one in (equation.args, equation.args[::-1]):
        if one == 1 and isinstance(total, sp.Sum) and len(total.limits) == 1:
            index, low, high = total.limits[0]
            term = total.function
            if isinstance(term, Indexed) and term.indices == (index,) and low == 1:
                base = next((f for f in families if f == term.base), None)
                if base is not None:
                    return base, high
    return None


_DENOMINATORS = (1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 64)
_AT_A_BOUND = 0.04
_FARTHEST = math.log2(1e8)
_ONE = fmpq(1)

# What SymPy would find out of each number anew, and slowly.
_OF_RATIONALS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("commutative", "complex", "real", "extended_real", "finite"), lambda x: True),
    "integer": lambda x: bool(x.q == 1),
    "positive": lambda x: bool(x.p > 0),
    "negative": lambda x: bool(x.p < 0),
    "nonnegative": lambda x: bool(x.p >= 0),
    "nonpositive": lambda x: bool(x.p <= 0),
    "nonzero": lambda x: bool(x.p != 0),
    "zero": lambda x: bool(x.p == 0),
}


class NumberSampler:
    """Sampler of random rational values of one symbol, within bounds.

    Most values are thrown away, since hypotheses refuse them. So they are numbers of FLINT, which
    are drawn and compared some twenty times as fast as those of SymPy.

    Parameters
    ----------
    symbol : Symbol
    bounds : Bounds
        What hypotheses say, beside the symbol's own assumptions.
    """

    def __init__(self, symbol: Symbol, bounds: Bounds) -> None:
        self._symbol = symbol
        self._is_integer, self._is_imaginary = bool(symbol.is_integer), bool(symbol.is_imaginary)
        low, high = (None if end is None else _exact(end) for end in (bounds.low, bounds.high))
        self._bounds = replace(bounds, low=low, high=high)
        ends = ((low, not bounds.low_open), (high, not bounds.high_open))
        self._closed_ends = [end for end, closed in ends if end is not None and closed]
        facts = symbol._assumptions_orig
        self._tests = [(_OF_RATIONALS[fact], holds) for fact, holds in facts.items()
                       if fact in _OF_RATIONALS]  # fmt: skip
        self._is_quickly_known = not self._is_imaginary and len(self._tests) == len(facts)

    def draw(self, rng: Generator, size: fmpq = _ONE, far_direction: int | None = None) -> Any:
        """Draw a number, far from 0 if `far_direction` is 1, -1 or 0 (either); None if none is.

        Returns
        -------
        fmpq or None
            Times i for an imaginary symbol.
        """
        for _ in range(60):
            if far_direction is None:
                value = self._candidate(rng, size)
            else:
                value = self._far_candidate(rng, far_direction)
            if not (self._is_imaginary or self._bounds.contains(value)):
                continue
            if self._is_quickly_known:
                if all(test(value) is holds for test, holds in self._tests):
                    return value
            elif has_declared_properties(self.expression(value), self._symbol):
                return value
        return None

    def expression(self, value: fmpq) -> Expr:
        """Return a value that was drawn as an expression of SymPy."""
        number = sp.Rational(int(value.p), int(value.q))
        return sp.I * number if self._is_imaginary else number

    def _candidate(self, rng: Generator, size: fmpq) -> fmpq:
        low, high = self._bounds.low, self._bounds.high
        if self._is_integer:
            first = -6 if low is None else int(low.ceil())
            last = first + 12 if low is None else first + 4
            if high is not None:
                most = int(high.floor())
                last = most if low is None else min(most, first + 6)
                first = last - 4 if low is None else first
            return fmpq(int(rng.integers(first, max(first, last) + 1)))
        ends = self._closed_ends
        if ends and rng.random() < _AT_A_BOUND:
            return ends[int(rng.integers(len(ends)))]
        denominator = _DENOMINATORS[int(rng.integers(len(_DENOMINATORS)))]
        if low is not None and high is not None:
            share = fmpq(int(rng.integers(0, denominator + 1)), denominator)
            value = low + (high - low) * share
            # Nearer to zero, or else to the lower end, when large values keep being rejected.
            centre = fmpq(0) if low <= 0 <= high else low
            return centre + (value - centre) * size
        exponent = rng.uniform(-3.0, 2.0)
        length = fmpq(max(1, round(2.0**exponent * denominator)), denominator)
        if low is not None:
            return low + length * size
        if high is not None:
            return high - length * size
        return (length if rng.random() < 0.5 else -length) * size

    def _far_candidate(self, rng: Generator, far: int) -> fmpq:
        """Draw a rational number of very large or very small absolute value."""
        low, high = self._bounds.low, self._bounds.high
        exponent = float(rng.uniform(_FARTHEST * (0.75 if far else -1.0), _FARTHEST))
        upwards = far > 0 if far else rng.random() < 0.5
        if far and (low is None) != (high is None) and upwards == (low is None):
            exponent = -exponent
        if self._is_integer:
            away = round(2.0 ** (exponent if far else abs(exponent)))
            if low is None and (high is not None or not upwards):
                return fmpq((0 if high is None else high.floor()) - away)
            return fmpq((0 if low is None else low.ceil()) + away)
        length = fmpq(max(1, round(2.0 ** (exponent + 10))), 2**10)
        if exponent < 0:
            length = fmpq(1, round(2.0**-exponent))
        if low is not None and high is not None:
            part = (high - low) / (1 + round(2.0 ** abs(exponent)))
            return low + part if upwards else high - part
        if low is not None:
            return low + length
        if high is not None:
            return high - length
        return length if upwards else -length

    def draw_expressions(self, rng: Generator, count: int) -> list[Expr] | None:
        """Draw some values as expressions; return None if one was not found."""
        values = [self.draw(rng) for _ in range(count)]
        found = [self.expression(value) for value in values if value is not None]
        return found if len(found) == count else None


def has_declared_properties(value: Expr, symbol: Symbol) -> bool:
    """Return whether a number satisfies all assumptions of a symbol."""
    known = _OF_RATIONALS if isinstance(value, sp.Rational) else {}
    for fact, holds in symbol._assumptions_orig.items():
        found = known[fact](value) if fact in known else getattr(value, f"is_{fact}")
        if found is not holds:
            return False
    return True


# How many entries are drawn at first of a family that does not say how many it has.
_ENTRIES = 6


class RandomSequence(tuple[sp.Rational, ...]):
    """Random entries of a sequence, the first of which are drawn, and any other when asked for."""

    _label: Symbol
    _others: dict[int, sp.Rational]

    def __new__(cls, entries: Iterable[sp.Rational], label: Symbol) -> Self:
        new = super().__new__(cls, entries)
        new._label, new._others = label, {}
        return new

    def entry(self, index: int) -> sp.Rational:
        """Return the entry at any integer, also at 0 and below; the first entry has the index 1."""
        if 1 <= index <= len(self):
            return self[index - 1]
        if index not in self._others:
            first = zlib.crc32(str(tuple(self)).encode())
            rng = default_rng([first, int(index >= 0), abs(index)])
            found = NumberSampler(self._label, declared_bounds(self._label)).draw_expressions(
                rng, 1
            )
            if found is None:
                raise ValueError(f"no value was found for {self._label}[{index}]")
            (self._others[index],) = found
        return self._others[index]


def random_family_entries(
    family: IndexedBase,
    length_if_summing_to_one: Expr | None,
    point: Mapping[Any, Any],
    rng: Generator,
) -> tuple[sp.Rational, ...] | dict[tuple[int, ...], sp.Rational] | None:
    """Draw the entries of an indexed family of symbols; probabilities sum to one."""
    shape = family.shape or ()
    if len(shape) > 1:
        return _array(family, [size.xreplace(point) for size in shape], rng)
    length = (
        length_if_summing_to_one if length_if_summing_to_one is not None or not shape else shape[0]
    )
    if length is None:
        whole = [int(v) for x, v in point.items() if x.is_Symbol and x.is_integer]
        number = max([_ENTRIES, *whole])
    else:
        length = length.xreplace(point)
        if not length.is_Integer or length < 0:
            return None
        number = int(length)
    label = family.label
    bounds = declared_bounds(label)
    if length_if_summing_to_one is not None:
        bounds = bounds.intersect(Bounds(low=S.Zero))
    entries = NumberSampler(label, bounds).draw_expressions(rng, number)
    if entries is None:
        return None
    if length_if_summing_to_one is not None:
        total = sp.Add(*entries)
        return None if total == 0 else tuple(entry / total for entry in entries)
    if length is None:
        return RandomSequence(entries, label)
    return tuple(entries)


def _array(
    family: IndexedBase, sizes: Sequence[Expr], rng: Generator
) -> dict[tuple[int, ...], sp.Rational] | None:
    """Draw the entries of a multidimensional array of symbols."""
    if any(not size.is_Integer or size < 0 for size in sizes):
        return None
    places = list(product(*(range(1, int(size) + 1) for size in sizes)))
    label = family.label
    drawn = NumberSampler(label, declared_bounds(label)).draw_expressions(rng, len(places))
    return None if drawn is None else dict(zip(places, drawn, strict=True))
