"""What is known of a value: an interval with exact ends, and a set of signs; arithmetic of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import arb, ctx, fmpq, fmpz
from sympy import Expr, Integer, Rational, S, integer_nthroot, oo, sympify

BITS = 128
LONGEST = 2048
_LARGEST_EXPONENT = 4096
_LARGEST_POWER = 4096
_LONGEST_EXACT_POWER = 2**16


def of_ball(ball: arb, upward: bool) -> Expr:
    """An end of a ball as a rational; infinite if the ball is no number."""
    if not ball.is_finite():
        return oo if upward else -oo
    return _exact(ball.upper() if upward else ball.lower(), upward)


def of_value(function: Callable[[arb], arb], value: Expr, upward: bool) -> Expr:
    """A bound of a function's value at a rational."""
    with ctx.workprec(BITS):
        return of_ball(function(_ball(value)), upward)


def shortened(value: Expr, upward: bool, longest: int = LONGEST) -> Expr:
    """An end, or something a little further out that is shorter to write."""
    if value.is_infinite or _length(value) <= longest:
        return value
    with ctx.workprec(min(longest, 2 * BITS)):
        return of_ball(_ball(value), upward)


def integer_power(end: Expr, n: int, upward: bool) -> Expr:
    """A positive integer power of an end, exact unless that is out of proportion."""
    if end.is_infinite or n == 1:
        return end**n
    if n <= _LARGEST_POWER and n * _length(end) <= _LONGEST_EXACT_POWER:
        return end**n
    return of_value(lambda x: x ** fmpz(n), end, upward)


def root(end: Expr, n: int, upward: bool) -> Expr:
    if end.is_infinite or n == 1:
        return end
    (p, p_exact), (q, q_exact) = integer_nthroot(int(end.p), n), integer_nthroot(int(end.q), n)
    if p_exact and q_exact:
        return Rational(p, q)
    value = of_value(lambda x: x.root(n), end, upward)
    return value if upward else max(value, S.Zero)


def _length(value: Expr) -> int:
    return max(int(value.p).bit_length(), int(value.q).bit_length())


def _ball(value: Expr) -> arb:
    return arb(fmpq(fmpz(int(value.p)), fmpz(int(value.q))))


def _exact(ball: arb, upward: bool) -> Expr:
    """The value of an exact ball, moved outwards where its exponent is out of proportion."""
    mantissa, exponent = (int(part) for part in ball.man_exp())
    if not mantissa:
        return S.Zero
    size = exponent + abs(mantissa).bit_length()
    if size > _LARGEST_EXPONENT:
        least = Integer(2) ** (_LARGEST_EXPONENT - 1)
        outwards, inwards = (oo, least) if mantissa > 0 else (-oo, -least)
        return outwards if upward is (mantissa > 0) else inwards
    if size < -_LARGEST_EXPONENT:
        if upward is not (mantissa > 0):
            return S.Zero
        tiny = Rational(1, Integer(2) ** _LARGEST_EXPONENT)
        return tiny if upward else -tiny
    scale = Integer(2) ** abs(exponent)
    return Integer(mantissa) * scale if exponent >= 0 else Rational(mantissa, scale)


class NoRange(ValueError):  # noqa: N818
    """An expression may be undefined, or is of a kind that is not understood."""


class Signed:
    """What is certain of something of which the possible signs are known."""

    possible: Any

    @property
    def positive(self) -> bool:
        return bool(self.possible == {1})

    @property
    def nonnegative(self) -> bool:
        return -1 not in self.possible

    @property
    def negative(self) -> bool:
        return bool(self.possible == {-1})

    @property
    def nonpositive(self) -> bool:
        return 1 not in self.possible

    @property
    def zero(self) -> bool:
        return bool(self.possible == {0})

    @property
    def nonzero(self) -> bool:
        return 0 not in self.possible


@dataclass(frozen=True)
class RealInterval(Signed):
    """A non-empty interval of real numbers.

    Notes
    -----
    Sums, products, powers and roots contain every value that the operation takes on the operands,
    and an end that is no such value is open, except where a bound had to be rounded.
    """

    low: Expr = -oo
    high: Expr = oo
    low_open: bool = False
    high_open: bool = False

    def __post_init__(self) -> None:
        for name, end in (("low", sympify(self.low)), ("high", sympify(self.high))):
            if not end.is_Rational and end not in (oo, -oo):
                raise ValueError(f"{name} must be a rational number or infinite; got {end}")
            object.__setattr__(self, name, end)
        object.__setattr__(self, "low_open", bool(self.low_open or self.low.is_infinite))
        object.__setattr__(self, "high_open", bool(self.high_open or self.high.is_infinite))
        empty = self.low == self.high and (self.low_open or self.high_open)
        if empty or self.low > self.high:
            raise ValueError(f"an interval from {self.low} to {self.high} is empty")

    def __str__(self) -> str:
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"{left}{self.low}, {self.high}{right}"

    @classmethod
    def point(cls, value: Any) -> RealInterval:
        return cls(value, value)

    # -- questions -----------------------------------------------------------------------------

    def __contains__(self, value: Any) -> bool:
        value = sympify(value)
        above = value > self.low or (value == self.low and not self.low_open)
        below = value < self.high or (value == self.high and not self.high_open)
        return bool(above and below)

    @cached_property
    def possible(self) -> frozenset[int]:
        signs = ((-1, self.low < 0), (0, 0 in self), (1, self.high > 0))
        return frozenset(sign for sign, is_there in signs if is_there)

    # -- sets ----------------------------------------------------------------------------------

    def intersection(self, other: RealInterval) -> RealInterval | None:
        """What the two have in common."""
        low = max(self.low, other.low)
        high = min(self.high, other.high)
        low_open = any(r.low_open for r in (self, other) if r.low == low)
        high_open = any(r.high_open for r in (self, other) if r.high == high)
        if low > high or (low == high and (low_open or high_open)):
            return None
        return RealInterval(low, high, low_open, high_open)

    def within(self, other: RealInterval) -> RealInterval:
        """The intersection; if there is none, the interval itself."""
        return self.intersection(other) or self

    def hull(self, other: RealInterval) -> RealInterval:
        low = min(self.low, other.low)
        high = max(self.high, other.high)
        return RealInterval(
            low,
            high,
            all(r.low_open for r in (self, other) if r.low == low),
            all(r.high_open for r in (self, other) if r.high == high),
        )

    def without_zero(self) -> RealInterval:
        """The interval without zero, where zero is an end of it."""
        if self.zero:
            raise NoRange("it is zero")
        return RealInterval(
            self.low,
            self.high,
            self.low_open or self.low == 0,
            self.high_open or self.high == 0,
        )

    def shortened(self, bits: int) -> RealInterval:
        """The interval, widened a little where its ends are long to write."""
        return RealInterval(
            shortened(self.low, upward=False, longest=bits),
            shortened(self.high, upward=True, longest=bits),
            self.low_open,
            self.high_open,
        )

    # -- arithmetic ----------------------------------------------------------------------------

    def __neg__(self) -> RealInterval:
        return RealInterval(-self.high, -self.low, self.high_open, self.low_open)

    def __add__(self, other: RealInterval) -> RealInterval:
        return _rounded(
            self.low + other.low,
            self.high + other.high,
            self.low_open or other.low_open,
            self.high_open or other.high_open,
        )

    def __sub__(self, other: RealInterval) -> RealInterval:
        return self + (-other)

    def __mul__(self, other: RealInterval) -> RealInterval:
        corners = []
        for x, x_open in ((self.low, self.low_open), (self.high, self.high_open)):
            for y, y_open in ((other.low, other.low_open), (other.high, other.high_open)):
                attained_zero = (x == 0 and not x_open) or (y == 0 and not y_open)
                corners.append((_product(x, y), (x_open or y_open) and not attained_zero))
        low = min(value for value, _ in corners)
        high = max(value for value, _ in corners)
        return _rounded(
            low,
            high,
            all(is_open for value, is_open in corners if value == low),
            all(is_open for value, is_open in corners if value == high),
        )

    def __abs__(self) -> RealInterval:
        if self.nonnegative:
            return self
        if self.nonpositive:
            return -self
        high = max(-self.low, self.high)
        ends = ((-self.low, self.low_open), (self.high, self.high_open))
        return RealInterval(0, high, False, all(is_open for end, is_open in ends if end == high))

    def reciprocal(self) -> RealInterval:
        if not self.nonzero:
            raise NoRange(f"1/x for x in {self}")
        if self.nonpositive:
            return -(-self).reciprocal()
        low = S.Zero if self.high is oo else 1 / self.high
        high = oo if self.low == 0 else 1 / self.low
        return _rounded(low, high, self.high_open, self.low_open)

    def power(self, n: int) -> RealInterval:
        if n < 0:
            return self.reciprocal().power(-n)
        if n == 0:
            return RealInterval.point(1)
        base = abs(self) if n % 2 == 0 else self
        return _rounded(
            integer_power(base.low, n, upward=False),
            integer_power(base.high, n, upward=True),
            base.low_open,
            base.high_open,
        )

    def root(self, n: int) -> RealInterval:
        if not self.nonnegative:
            raise NoRange(f"a root of x for x in {self}")
        return RealInterval(
            root(self.low, n, upward=False),
            root(self.high, n, upward=True),
            self.low_open,
            self.high_open,
        )

    def rational_power(self, exponent: Rational) -> RealInterval:
        return self.root(int(exponent.q)).power(int(exponent.p))

    def image(self, function: Callable[[arb], arb], whole: RealInterval) -> RealInterval:
        """The range of an increasing function."""
        low, high = (
            limit if end.is_infinite else of_value(function, end, upward)
            for end, limit, upward in ((self.low, whole.low, False), (self.high, whole.high, True))
        )
        return RealInterval(low, high, self.low_open, self.high_open).within(whole)


def _rounded(low: Expr, high: Expr, low_open: bool, high_open: bool) -> RealInterval:
    return RealInterval(
        shortened(low, upward=False),
        shortened(high, upward=True),
        low_open,
        high_open,
    )


REALS = RealInterval()


def irrational(value: Callable[[], arb]) -> RealInterval:
    with ctx.workprec(BITS):
        ball = value()
        low, high = (of_ball(ball, upward) for upward in (False, True))
        return RealInterval(low, high, True, True)


def _product(x: Expr, y: Expr) -> Expr:
    """The product of two ends, where zero times infinity is zero."""
    return S.Zero if x == 0 or y == 0 else x * y


@dataclass(frozen=True)
class Sign(Signed):
    """The signs that a real number may have.

    Sums, products and powers contain the sign of every result that numbers of these signs have.
    """

    possible: frozenset[int] = frozenset({-1, 0, 1})

    @property
    def decided(self) -> bool:
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
        return ZERO if value == 0 else POSITIVE if value > 0 else NEGATIVE

    @classmethod
    def of_range(cls, found: RealInterval) -> Sign:
        return cls(found.possible)

    @property
    def range(self) -> RealInterval:
        """The least interval that contains the numbers of this sign."""
        low, high = min(self.possible), max(self.possible)
        return RealInterval(-oo if low < 0 else 0, oo if high > 0 else 0, low > 0, high < 0)


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
