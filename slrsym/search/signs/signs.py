"""Sets of signs, and their arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import oo

from slrsym.search.bounds.intervals import Range


@dataclass(frozen=True)
class Sign:
    """The signs that a real number may have.

    Sums, products and powers contain the sign of every result that numbers of these signs have.

    Examples
    --------
    >>> NONNEGATIVE * NEGATIVE
    Sign(<= 0)
    >>> (POSITIVE + NONNEGATIVE).positive
    True
    """

    possible: frozenset[int] = frozenset({-1, 0, 1})

    @property
    def positive(self) -> bool:
        """Certainly > 0."""
        return self.possible == {1}

    @property
    def nonnegative(self) -> bool:
        """Certainly >= 0."""
        return -1 not in self.possible

    @property
    def negative(self) -> bool:
        """Certainly < 0."""
        return self.possible == {-1}

    @property
    def nonpositive(self) -> bool:
        """Certainly <= 0."""
        return 1 not in self.possible

    @property
    def zero(self) -> bool:
        """Certainly 0."""
        return self.possible == {0}

    @property
    def nonzero(self) -> bool:
        """Certainly not 0."""
        return 0 not in self.possible

    @property
    def decided(self) -> bool:
        """Whether a single sign is left."""
        return len(self.possible) == 1

    def __neg__(self) -> Sign:
        return Sign(frozenset(-s for s in self.possible))

    def __mul__(self, other: Sign) -> Sign:
        return Sign(frozenset(x * y for x in self.possible for y in other.possible))

    def __add__(self, other: Sign) -> Sign:
        found: set[int] = set()
        for x in self.possible:
            for y in other.possible:
                found |= {-1, 0, 1} if x * y < 0 else {x or y}
        return Sign(frozenset(found))

    def __pow__(self, n: int) -> Sign:
        return POSITIVE if n == 0 else Sign(frozenset(s if n % 2 else s * s for s in self.possible))

    def __and__(self, other: Sign) -> Sign:
        """Both pieces of knowledge; the first alone if they contradict each other."""
        both = self.possible & other.possible
        return Sign(both) if both else self

    @property
    def relation(self) -> str:
        """How a number of this sign compares with zero, in words or symbols."""
        return _RELATIONS[self.possible]

    def __repr__(self) -> str:
        return f"Sign({self.relation})"

    @classmethod
    def of_number(cls, value: Any) -> Sign:
        """The sign of a number."""
        return ZERO if value == 0 else POSITIVE if value > 0 else NEGATIVE

    @classmethod
    def of_range(cls, found: Range) -> Sign:
        """The signs of the numbers in an interval."""
        return cls(
            frozenset(
                s
                for s, absent in (
                    (-1, found.nonnegative),
                    (0, not found.contains_zero),
                    (1, found.nonpositive),
                )
                if not absent
            )
        )

    @property
    def range(self) -> Range:
        """The least interval that contains the numbers of this sign."""
        low, high = min(self.possible), max(self.possible)
        return Range(-oo if low < 0 else 0, oo if high > 0 else 0, low > 0, high < 0)


UNKNOWN = Sign()
POSITIVE, NEGATIVE, ZERO = (Sign(frozenset({s})) for s in (1, -1, 0))
NONNEGATIVE, NONPOSITIVE = Sign(frozenset({0, 1})), Sign(frozenset({-1, 0}))
NONZERO = Sign(frozenset({-1, 1}))
_RELATIONS = {
    UNKNOWN.possible: "unknown",
    POSITIVE.possible: "> 0",
    NEGATIVE.possible: "< 0",
    ZERO.possible: "= 0",
    NONNEGATIVE.possible: ">= 0",
    NONPOSITIVE.possible: "<= 0",
    NONZERO.possible: "!= 0",
}
