"""Exact numbers, ranges between two of them, boxes, and trees of subdivided boxes.

A subdivision tree is stored as a string; by construction its leaves cover the box.

Each character describes a box, followed by the description of its parts: a digit is the index of
the variable whose range was halved, lower half first. Anything else is the mark of a leaf.

========  ==========================================================================================
mark      how the leaf was decided
========  ==========================================================================================
``.``     shown by evaluating the functions over it
``:``     shown by the mean value theorem
``*``     it lies in a box that is listed: one that holds exactly one zero
``?``     undecided
========  ==========================================================================================
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from numbers import Integral, Rational, Real
from typing import Any

from flint import arb, fmpq

_DECIMAL = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?"
_RATIO = rf"({_DECIMAL})(?:\s*/\s*({_DECIMAL}))?"
_NUMBER = re.compile(rf"\s*{_RATIO}\s*")
_ROOT = re.compile(rf"\s*sqrt\(\s*{_RATIO}\s*\)\s*")
_FORMS = "a decimal number, a fraction such as 1/2, or a root such as sqrt(1/2)"


def to_flint_rational(x: Fraction) -> Any:
    """Convert a fraction to a rational number of the FLINT library."""
    return fmpq(x.numerator, x.denominator)


@total_ordering
@dataclass(frozen=True)
class RationalOrSquareRoot:
    """A nonnegative rational number, or the square root of one."""

    radicand: Fraction
    root: bool = False

    def to_ball(self) -> Any:
        """Return a ball that contains the number, at the current precision."""
        x = arb(to_flint_rational(self.radicand))
        return x.sqrt() if self.root else x

    @property
    def square(self) -> Fraction:
        """The square of the number, by which numbers are compared."""
        return self.radicand if self.root else self.radicand**2

    def __float__(self) -> float:
        return math.sqrt(self.radicand) if self.root else float(self.radicand)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RationalOrSquareRoot) and self.square == other.square

    def __hash__(self) -> int:
        return hash(self.square)

    def __lt__(self, other: RationalOrSquareRoot) -> bool:
        return self.square < other.square

    def __str__(self) -> str:
        text = str(self.radicand)
        return f"sqrt({text})" if self.root else text

    @property
    def short_text(self) -> str:
        """The number as a short decimal if that is exact, else as a fraction or square root."""
        text = decimal_or_fraction_text(self.radicand)
        return f"sqrt({text})" if self.root else text


def decimal_or_fraction_text(number: Fraction) -> str:
    """Return a number as a short decimal if that is exact, else as a fraction."""
    short = f"{float(number):.10g}"
    return short if Fraction(short) == number else str(number)


def parse_rational_or_root(name: str, value: Any) -> RationalOrSquareRoot:
    """Return the nonnegative exact number that a text or value denotes, or raise ValueError.

    Examples
    --------
    >>> print(*(parse_rational_or_root("lam", x) for x in ("sqrt(1/2)", "0.1", 0.125)))
    sqrt(1/2) 1/10 1/8
    """
    found = value if isinstance(value, RationalOrSquareRoot) else _parsed(value)
    if found is None or found.radicand < 0:
        raise ValueError(f"{name} must be {_FORMS}, not negative; got {value!r}")
    return found


def _parsed(value: Any) -> RationalOrSquareRoot | None:
    if isinstance(value, str):
        for pattern, root in ((_NUMBER, False), (_ROOT, True)):
            match = pattern.fullmatch(value)
            if match and Fraction(match[2] or 1) != 0:
                return RationalOrSquareRoot(Fraction(match[1]) / Fraction(match[2] or 1), root)
        return None
    if isinstance(value, bool):
        return None
    if isinstance(value, Rational | Integral):
        return RationalOrSquareRoot(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Real) and math.isfinite(value):
        return RationalOrSquareRoot(Fraction(float(value)))
    return None


@dataclass(frozen=True)
class Range:
    """The range of all numbers between two exact numbers."""

    low: RationalOrSquareRoot
    high: RationalOrSquareRoot

    def __post_init__(self) -> None:
        if self.high < self.low:
            raise ValueError(f"a range must go upwards; got {self}")

    @property
    def is_point(self) -> bool:
        """Whether the range is a single number."""
        return self.low == self.high

    @property
    def width(self) -> float:
        """The width of the range relative to its upper end, used only to choose where to cut."""
        return 1 - float(self.low) / float(self.high) if float(self.high) else 0.0

    def to_ball(self) -> Any:
        """Return a ball that contains the whole range, at the current precision."""
        low = self.low.to_ball()
        return low if self.is_point else low.union(self.high.to_ball())

    def halves(self) -> tuple[Range, Range]:
        """Return the two halves of the range, which share one point."""
        # Which point it is does not matter, only that both halves have it.
        middle = RationalOrSquareRoot(Fraction((float(self.low) + float(self.high)) / 2))
        if not self.low < middle < self.high:
            raise ValueError(f"the range {self} is too narrow to be cut")
        return Range(self.low, middle), Range(middle, self.high)

    def __str__(self) -> str:
        return str(self.low) if self.is_point else f"{self.low}..{self.high}"


# What parameters must be at least; others must be positive.
_LEAST = {"d": 2, "L": 1, "epsilon": 0}
# Where boxes are cut, and in grids of floats, their powers must neither overflow nor vanish.
_TINY, _HUGE = Fraction(1e-50), Fraction(1e50)


def parse_parameter_range(name: str, value: Any) -> Range:
    """Return a parameter of the task as a range, from one value or from an interval.

    Examples
    --------
    >>> print(parse_parameter_range("lam", "0.05..0.2"), parse_parameter_range("d", (2, 400)))
    1/20..1/5 2..400
    """
    if isinstance(value, Range):
        found = value
    else:
        parts = value.split("..") if isinstance(value, str) else value
        parts = list(parts) if isinstance(parts, list | tuple) else [parts]
        if len(parts) not in (1, 2):
            raise ValueError(f"{name} must be a number or two ends of a range; got {value!r}")
        ends = [parse_rational_or_root(name, part) for part in parts]
        if ends[-1] < ends[0]:
            raise ValueError(f"{name} must be a range that goes upwards; got {value!r}")
        found = Range(ends[0], ends[-1])
    least = _LEAST.get(name)
    if least is None and found.low.square == 0:
        raise ValueError(f"{name} must be positive; got {value!r}")
    if least is not None and found.low.square < least**2:
        raise ValueError(f"{name} must be at least {least}; got {value!r}")
    if least is None and found.low.square < _TINY**2:
        raise ValueError(f"{name} must be at least 1e-50; got {value!r}")
    if found.high.square > _HUGE**2:
        raise ValueError(f"{name} must be at most 1e50; got {value!r}")
    return found


def parse_task_ranges(lam: Any, gamma: Any, d: Any, **others: Any) -> dict[str, Range]:
    """Return lam, gamma, d and other parameters as a dictionary of ranges by name."""
    given = {"lam": lam, "gamma": gamma, "d": d} | others
    return {name: parse_parameter_range(name, value) for name, value in given.items()}


def parse_rational_interval(name: str, value: Any) -> tuple[Fraction, Fraction]:
    """Return the ends of an interval of rational numbers, or a single number twice."""
    parts = value.split("..") if isinstance(value, str) else value
    parts = list(parts) if isinstance(parts, list | tuple) else [parts]
    ends = [_parsed(part) for part in parts]
    if len(ends) not in (1, 2) or any(end is None or end.root for end in ends):
        raise ValueError(
            f"{name} must be a rational number, or an interval such as -0.5..1/3; got {value!r}"
        )
    low, high = (end.radicand for end in (ends[0], ends[-1]) if end is not None)
    if high < low:
        raise ValueError(f"{name} must be an interval that goes upwards; got {value!r}")
    return low, high


def decimal_text_below(x: Any, digits: int = 4) -> str:
    """Return a short decimal number that is smaller than every number in a ball."""
    for more in (0, 1):
        middle = float(x.lower().mid())
        text = f"{middle - abs(middle) * more * 2 * 10.0 ** (1 - digits):.{digits - 1}e}"
        if arb(text) < x:
            return text
    return str(Fraction(float(x.lower().mid())) - 1)


# One pair of ends for each variable.
Box = tuple[tuple[Any, Any], ...]


def box_to_balls(box: Box) -> list[Any]:
    """Return a ball for each side of a box, at the current precision."""
    return [arb(low) if low == high else arb(low).union(arb(high)) for low, high in box]


def midpoint_box(box: Box) -> Box:
    """Return the midpoint of a box, as a box of width 0."""
    return tuple(((low + high) / 2,) * 2 for low, high in box)


def bisect(box: Box, axis: int) -> tuple[Box, Box]:
    """Return the two halves of a box, cut along an axis."""
    low, high = box[axis]
    middle = (low + high) / 2
    return (
        (*box[:axis], (low, middle), *box[axis + 1 :]),
        (*box[:axis], (middle, high), *box[axis + 1 :]),
    )


def box_volume(box: Box) -> Any:
    """Return the product of the sides of a box."""
    return math.prod((high - low for low, high in box), start=fmpq(1))


def is_within(inner: Box, outer: Box) -> bool:
    """Return whether a box is contained in another box."""
    return all(a >= c and b <= d for (a, b), (c, d) in zip(inner, outer, strict=True))


def is_strictly_within(inner: Box, outer: Box) -> bool:
    """Return whether a box is contained in the interior of another box."""
    return all(a > c and b < d for (a, b), (c, d) in zip(inner, outer, strict=True))


def has_common_point(one: Box, other: Box) -> bool:
    """Return whether two boxes have a point in common."""
    return all(a <= d and c <= b for (a, b), (c, d) in zip(one, other, strict=True))


NATURAL, CENTRED, INSIDE, UNDECIDED = ".", ":", "*", "?"


def subdivision_leaves(box: Box, marks: Iterator[str]) -> Iterator[tuple[Box, str]]:
    """Yield the smallest boxes of a subdivision tree, which cover the box, with their marks."""
    mark = next(marks, "")
    if mark.isdigit() and int(mark) < len(box):
        for half in bisect(box, int(mark)):
            yield from subdivision_leaves(half, marks)
    elif mark in (NATURAL, CENTRED, INSIDE) and mark:
        yield box, mark
    else:
        raise ValueError(f"no mark of a leaf: {mark!r}")
