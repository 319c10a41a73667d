r"""Rigorous ranges: an interval that contains every value of an expression.

Nothing is taken from SymPy's assumption queries on compound expressions. A range is built from what
the symbols declare of themselves, from hypotheses, and from one rule for each kind of node. End
points are exact rationals or infinite; where a value is irrational they are rounded outwards from
ball arithmetic.

`Expectation` and `Integral` nodes are taken to exist: whoever writes one down answers for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add, mul
from typing import Any

from flint import arb, ctx, fmpq, fmpz
from sympy import (
    Abs,
    Add,
    Basic,
    Dummy,
    Eq,
    Expr,
    Ge,
    Gt,
    Heaviside,
    Indexed,
    Integer,
    Integral,
    Le,
    Lt,
    Max,
    Min,
    Mul,
    Ne,
    Piecewise,
    Pow,
    Rational,
    S,
    Sum,
    Symbol,
    acos,
    asin,
    atan,
    ceiling,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    expand,
    floor,
    integer_nthroot,
    log,
    oo,
    sign,
    sin,
    sinh,
    sympify,
    tanh,
)
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import And

from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.gaussian.unevaluated import Expectation

__all__ = ["REALS", "Enclosure", "Facts", "NoRange", "Range", "range_of"]

_BITS = 128
_LARGEST_EXPONENT = 4096
_LONGEST = 2048
_LARGEST_POWER = 4096
_PASSES = 3


class NoRange(ValueError):  # noqa: N818
    """An expression may be undefined, or is of a kind that is not understood."""


# -- outward rounding --------------------------------------------------------------------------


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


def _bound(ball: arb, upward: bool) -> Expr:
    """An end of a ball as a rational, rounded outwards; infinite if the ball is no number."""
    if not ball.is_finite():
        return oo if upward else -oo
    return _exact(ball.upper() if upward else ball.lower(), upward)


def _ball(value: Expr) -> arb:
    return arb(fmpq(fmpz(int(value.p)), fmpz(int(value.q))))


def _outwards(function: Callable[[arb], arb], value: Expr, upward: bool) -> Expr:
    """A bound of a function's value at a rational."""
    with ctx.workprec(_BITS):
        return _bound(function(_ball(value)), upward)


def _shortened(value: Expr, upward: bool, longest: int = _LONGEST) -> Expr:
    """The value, or something a little further out that is shorter to write."""
    if value.is_infinite or max(int(value.p).bit_length(), int(value.q).bit_length()) <= longest:
        return value
    with ctx.workprec(min(longest, 2 * _BITS)):
        return _bound(_ball(value), upward)


def _product(x: Expr, y: Expr) -> Expr:
    """The product of two end points, where zero times infinity is zero."""
    return S.Zero if x == 0 or y == 0 else x * y


# -- intervals ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Range:
    """A non-empty interval of real numbers.

    Parameters
    ----------
    low, high : Rational or infinite
        Its ends.
    low_open, high_open : bool
        Whether the ends are left out. Infinite ends always are.

    Raises
    ------
    ValueError
        If an end is no rational number and not infinite, or the interval is empty.

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
    def point(cls, value: Any) -> Range:
        """The interval that consists of one rational number."""
        return cls(value, value)

    # -- questions -----------------------------------------------------------------------------

    def __contains__(self, value: Any) -> bool:
        value = sympify(value)
        above = value > self.low or (value == self.low and not self.low_open)
        below = value < self.high or (value == self.high and not self.high_open)
        return bool(above and below)

    @property
    def contains_zero(self) -> bool:
        """Whether zero is in the interval."""
        return 0 in self

    @property
    def positive(self) -> bool:
        """Whether all of it is positive."""
        return bool(self.low > 0 or (self.low == 0 and self.low_open))

    @property
    def nonnegative(self) -> bool:
        """Whether none of it is negative."""
        return bool(self.low >= 0)

    @property
    def negative(self) -> bool:
        """Whether all of it is negative."""
        return bool(self.high < 0 or (self.high == 0 and self.high_open))

    @property
    def nonpositive(self) -> bool:
        """Whether none of it is positive."""
        return bool(self.high <= 0)

    @property
    def zero(self) -> bool:
        """Whether it is the number zero."""
        return bool(self.low == 0 and self.high == 0)

    # -- sets ----------------------------------------------------------------------------------

    def intersection(self, other: Range) -> Range | None:
        """What the two have in common, None if that is nothing."""
        low = max(self.low, other.low)
        high = min(self.high, other.high)
        low_open = any(r.low_open for r in (self, other) if r.low == low)
        high_open = any(r.high_open for r in (self, other) if r.high == high)
        if low > high or (low == high and (low_open or high_open)):
            return None
        return Range(low, high, low_open, high_open)

    def within(self, other: Range) -> Range:
        """The intersection; if there is none, the interval itself."""
        return self.intersection(other) or self

    def hull(self, other: Range) -> Range:
        """The least interval that contains both."""
        low = min(self.low, other.low)
        high = max(self.high, other.high)
        return Range(
            low,
            high,
            all(r.low_open for r in (self, other) if r.low == low),
            all(r.high_open for r in (self, other) if r.high == high),
        )

    def without_zero(self) -> Range:
        """The interval with zero left out where it is an end; a wider one is returned unchanged."""
        if self.zero:
            raise NoRange("it is zero")
        return Range(
            self.low,
            self.high,
            self.low_open or self.low == 0,
            self.high_open or self.high == 0,
        )

    def shortened(self, bits: int) -> Range:
        """The interval, widened a little where its ends take more than that many bits."""
        return Range(
            _shortened(self.low, upward=False, longest=bits),
            _shortened(self.high, upward=True, longest=bits),
            self.low_open,
            self.high_open,
        )

    # -- arithmetic ----------------------------------------------------------------------------

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low, self.high_open, self.low_open)

    def __add__(self, other: Range) -> Range:
        return _rounded(
            self.low + other.low,
            self.high + other.high,
            self.low_open or other.low_open,
            self.high_open or other.high_open,
        )

    def __sub__(self, other: Range) -> Range:
        return self + (-other)

    def __mul__(self, other: Range) -> Range:
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

    def __abs__(self) -> Range:
        if self.nonnegative:
            return self
        if self.nonpositive:
            return -self
        high = max(-self.low, self.high)
        ends = ((-self.low, self.low_open), (self.high, self.high_open))
        return Range(0, high, False, all(is_open for end, is_open in ends if end == high))

    def reciprocal(self) -> Range:
        """The range of 1/x.

        Raises
        ------
        NoRange
            If the interval contains zero.
        """
        if self.contains_zero:
            raise NoRange(f"1/x for x in {self}")
        if self.nonpositive:
            return -(-self).reciprocal()
        low = S.Zero if self.high is oo else 1 / self.high
        high = oo if self.low == 0 else 1 / self.low
        return _rounded(low, high, self.high_open, self.low_open)

    def power(self, n: int) -> Range:
        """The range of x**n, n an integer.

        Raises
        ------
        NoRange
            If n is negative and the interval contains zero.
        """
        if n < 0:
            return self.reciprocal().power(-n)
        if n == 0:
            return Range.point(1)
        base = abs(self) if n % 2 == 0 else self
        return _rounded(
            _integer_power(base.low, n, upward=False),
            _integer_power(base.high, n, upward=True),
            base.low_open,
            base.high_open,
        )

    def root(self, n: int) -> Range:
        """The range of the nth root, n positive.

        Raises
        ------
        NoRange
            If the interval contains a negative number.
        """
        if not self.nonnegative:
            raise NoRange(f"a root of x for x in {self}")
        return Range(
            _root(self.low, n, upward=False),
            _root(self.high, n, upward=True),
            self.low_open,
            self.high_open,
        )

    def rational_power(self, exponent: Rational) -> Range:
        """The range of x**(p/q), x nonnegative.

        Raises
        ------
        NoRange
            If the interval contains a negative number, or zero while the exponent is negative.
        """
        return self.root(int(exponent.q)).power(int(exponent.p))

    def image(self, function: Callable[[arb], arb], whole: Range) -> Range:
        """The range of an increasing function.

        Parameters
        ----------
        function : callable
            The function on balls.
        whole : Range
            The values of the function on the whole of its domain, which ends where `self` is
            infinite.
        """
        low = whole.low if self.low is -oo else _outwards(function, self.low, upward=False)
        high = whole.high if self.high is oo else _outwards(function, self.high, upward=True)
        return Range(low, high, self.low_open, self.high_open).within(whole)


def _rounded(low: Expr, high: Expr, low_open: bool, high_open: bool) -> Range:
    return Range(_shortened(low, upward=False), _shortened(high, upward=True), low_open, high_open)


def _integer_power(end: Expr, n: int, upward: bool) -> Expr:
    if end.is_infinite or n == 1:
        return end**n
    if n <= _LARGEST_POWER and n * max(int(end.p).bit_length(), int(end.q).bit_length()) <= 2**16:
        return end**n
    return _outwards(lambda x: x ** fmpz(n), end, upward)


def _root(end: Expr, n: int, upward: bool) -> Expr:
    if end.is_infinite or n == 1:
        return end
    (p, p_exact), (q, q_exact) = integer_nthroot(int(end.p), n), integer_nthroot(int(end.q), n)
    if p_exact and q_exact:
        return Rational(p, q)
    value = _outwards(lambda x: x.root(n), end, upward)
    return value if upward else max(value, S.Zero)


REALS = Range()
_NONNEGATIVE = Range(0, oo)
_POSITIVE = Range(0, oo, low_open=True)
_UNIT = Range(-1, 1)
_OPEN_UNIT = Range(-1, 1, True, True)


def _constant(value: Callable[[], arb]) -> Range:
    """An irrational number."""
    with ctx.workprec(_BITS):
        ball = value()
        return Range(_bound(ball, upward=False), _bound(ball, upward=True), True, True)


_PI = _constant(arb.pi)
_CONSTANTS = {S.Pi: _PI, S.Exp1: _constant(arb.const_e)}


# -- hypotheses --------------------------------------------------------------------------------


def _multiplied_out(expr: Expr) -> Expr:
    """Products of sums expanded; powers, logarithms and functions are left as they are."""
    hints = {"deep": False, "power_base": False, "power_exp": False, "log": False, "basic": False}
    return Add(*(expand(term, **hints) for term in Add.make_args(expr)))


def _is_name(expr: Basic) -> bool:
    """Whether something stands for an arbitrary value, and may declare properties of it."""
    return isinstance(expr, Symbol | Indexed | AppliedUndef)


@dataclass(frozen=True)
class Facts:
    """What is given of the values of symbols, besides what they declare of themselves.

    Parameters
    ----------
    given : iterable of Boolean
        Relations, and conjunctions of relations. Anything else is kept, and not used.

    Examples
    --------
    >>> from sympy import symbols
    >>> x, y = symbols("x y", real=True)
    >>> print(Facts([x >= 1, y - x > 2]).bounds[y])
    (3, oo)
    """

    given: tuple[Basic, ...] = ()

    def __init__(self, given: Iterable[Any] = ()) -> None:
        object.__setattr__(self, "given", tuple(sympify(hypothesis) for hypothesis in given))

    def extended(self, *more: Any) -> Facts:
        """These facts and more."""
        return Facts((*self.given, *more))

    @cached_property
    def relations(self) -> tuple[Relational, ...]:
        """The relations between finite expressions, one by one."""
        found: list[Relational] = []
        for hypothesis in self.given:
            parts = hypothesis.args if isinstance(hypothesis, And) else (hypothesis,)
            found += [
                part
                for part in parts
                if isinstance(part, Relational)
                and all(isinstance(side, Expr) for side in part.args)
                and not part.has(oo, -oo, S.ComplexInfinity, S.NaN)
            ]
        return tuple(found)

    @cached_property
    def inequalities(self) -> tuple[tuple[Expr, bool], ...]:
        """Expressions that are nonnegative, each with whether it is even positive."""
        found: list[tuple[Expr, bool]] = []
        for relation in self.relations:
            difference = relation.lhs - relation.rhs
            if isinstance(relation, Ge | Gt):
                found.append((difference, isinstance(relation, Gt)))
            elif isinstance(relation, Le | Lt):
                found.append((-difference, isinstance(relation, Lt)))
        return tuple(found)

    @cached_property
    def zeros(self) -> tuple[Expr, ...]:
        """Expressions that are zero."""
        return tuple(r.lhs - r.rhs for r in self.relations if isinstance(r, Eq))

    @cached_property
    def nonzeros(self) -> tuple[Expr, ...]:
        """Expressions that are not zero."""
        return tuple(r.lhs - r.rhs for r in self.relations if isinstance(r, Ne))

    @cached_property
    def values(self) -> tuple[tuple[Symbol, Expr], ...]:
        """The symbols that are given a value in terms of the others."""
        found: list[tuple[Symbol, Expr]] = []
        for relation in self.relations:
            if isinstance(relation, Eq):
                for one, other in (relation.args, relation.args[::-1]):
                    if isinstance(one, Symbol) and one not in other.free_symbols:
                        found.append((one, other))
                        break
        return tuple(found)

    @cached_property
    def bounds(self) -> Mapping[Expr, Range]:
        """Ranges of symbols, of powers of them, and of other terms, read off the relations."""
        known: dict[Expr, Range] = {}
        statements = [
            *self.inequalities,
            *((side, False) for zero in self.zeros for side in (zero, -zero)),
        ]
        prepared = [(Add.make_args(_multiplied_out(g)), strict) for g, strict in statements]
        for _ in range(_PASSES):
            before = dict(known)
            for terms, strict in prepared:
                for term in terms:
                    _read_off(term, [t for t in terms if t is not term], strict, known)
            if known == before:
                break
        return known


def _read_off(term: Expr, rest: list[Expr], strict: bool, known: dict[Expr, Range]) -> None:
    """What term + rest >= 0 says of the term, added to what is known."""
    coefficient, core = term.as_independent(*term.free_symbols, as_Add=False)
    if not core.free_symbols:
        return
    enclosure = Enclosure(Facts(), known)
    try:
        scale = enclosure.range(coefficient)
        others = -reduce(add, map(enclosure.range, rest), Range.point(0))
        known_core = enclosure.range(core)
        if not (scale.positive or scale.negative):
            return
        least = Range(others.low, oo, others.low_open or strict)
        found = least * scale.reciprocal()
    except NoRange:
        return
    if found.low is -oo and found.high is oo:
        return
    _learn(core, known_core, found, known)


def _learn(core: Expr, before: Range, found: Range, known: dict[Expr, Range]) -> None:
    if _is_name(core) and core.is_integer is True:
        found = _between_integers(found)
    narrowed = before.intersection(found)
    if narrowed is None or narrowed == before:
        return
    known[core] = narrowed
    if isinstance(core, Pow) and _is_name(core.base) and core.exp.is_Integer and core.exp > 0:
        n = int(core.exp)
        inner = Enclosure(Facts(), known).range(core.base)
        if n % 2 == 0:
            reach = narrowed.within(_NONNEGATIVE).root(n)
            wider = Range(-reach.high, reach.high, reach.high_open, reach.high_open)
            if inner.nonnegative:
                wider = reach
            elif inner.nonpositive:
                wider = -reach
            _learn(core.base, inner, wider, known)


def _between_integers(found: Range) -> Range:
    """The interval from the least to the greatest integer in it; unchanged if it has none."""
    low, high = found.low, found.high
    if low is not -oo:
        low = low + 1 if low.is_Integer and found.low_open else ceiling(low)
    if high is not oo:
        high = high - 1 if high.is_Integer and found.high_open else floor(high)
    return Range(low, high) if low <= high else found


# -- expressions -------------------------------------------------------------------------------


def _declared(name: Expr) -> Range:
    """What a symbol, indexed symbol or undefined function says of itself."""
    if name.is_real is not True:
        raise NoRange(f"{name} is not declared real")
    low, high = -oo, oo
    low_open = high_open = False
    if name.is_nonnegative:
        low, low_open = S.Zero, bool(name.is_positive)
    if name.is_nonpositive:
        high, high_open = S.Zero, bool(name.is_negative)
    found = Range(low, high, low_open, high_open)
    return _between_integers(found) if name.is_integer else found


class Enclosure:
    """Ranges of expressions under facts, each computed once.

    Parameters
    ----------
    facts : Facts
        What is given.
    bounds : mapping of expressions to Range, optional
        What is known of some terms; by default what the facts say.
    """

    def __init__(self, facts: Facts, bounds: Mapping[Expr, Range] | None = None) -> None:
        self.facts = facts
        self.bounds = facts.bounds if bounds is None else bounds
        self._known: dict[Expr, Range] = {}

    def inside(self, facts: Facts) -> Enclosure:
        """An enclosure of the same kind, for what is bound by an integral or an expectation.

        Facts that speak of integrals, sums or expectations stay outside: asking for the range of
        one within another would come back to itself.
        """
        plain = [g for g in facts.given if not g.has(Expectation, IIDSum, Integral, Sum)]
        return type(self)(Facts(plain))

    def range(self, expr: Expr) -> Range:
        """An interval that contains every value of the expression.

        Raises
        ------
        NoRange
            If the expression may be undefined, or is not understood.
        """
        found = self._known.get(expr)
        if found is None:
            found = self._by_node(expr)
            bound = self.bounds.get(expr)
            if bound is not None:
                found = found.within(bound)
            found = self.refined(expr, found)
            self._remember(expr, found)
        return found

    def _remember(self, expr: Expr, found: Range) -> None:
        self._known[expr] = found

    def refined(self, expr: Expr, found: Range) -> Range:
        """A hook for those who know more."""
        return found

    def radicand(self, expr: Expr) -> Range:
        """The range of something that has to be nonnegative; another hook."""
        return self.range(expr)

    def sine(self, expr: Expr) -> Range:
        """The range of something that has to be in [-1, 1]; another hook."""
        return self.range(expr)

    def nonzero(self, expr: Expr) -> bool:
        """Whether an expression is certainly defined and not zero."""
        if not self.range(expr).contains_zero or (_is_name(expr) and expr.is_nonzero is True):
            return True
        if isinstance(expr, Mul):
            return all(map(self.nonzero, expr.args))
        if isinstance(expr, Pow) and expr.exp.is_Rational:
            return self.nonzero(expr.base)
        return any(expr in (other, -other) for other in self.facts.nonzeros)

    # -- by kind of node -----------------------------------------------------------------------

    def _by_node(self, expr: Expr) -> Range:
        if isinstance(expr, Rational):
            return Range.point(expr)
        if expr in _CONSTANTS:
            return _CONSTANTS[expr]
        if _is_name(expr):
            return self._name(expr)
        if isinstance(expr, Add):
            return reduce(add, map(self.range, expr.args))
        if isinstance(expr, Mul):
            coefficient, rest = expr.as_coeff_Mul()
            if coefficient is not S.One:
                return self.range(coefficient) * self.range(rest)
            return reduce(mul, map(self.range, expr.args))
        if isinstance(expr, Pow):
            return self._power(*expr.args)
        rule = _RULES.get(type(expr))
        if rule is None:
            raise NoRange(f"{expr} is not understood")
        return rule(self, *expr.args)

    def _name(self, name: Expr) -> Range:
        for part in name.args if isinstance(name, AppliedUndef) else ():
            self.range(part)
        return _declared(name)

    def _power(self, base: Expr, exponent: Expr) -> Range:
        if base is S.Exp1:
            return self._exp(exponent)
        inner = self.range(base)
        if isinstance(exponent, Integer):
            n = int(exponent)
            if n >= 0:
                return inner.power(n)
            if inner.contains_zero:
                if not self.nonzero(base):
                    raise NoRange(f"{base} may be zero, and stands in a denominator")
                inner = inner.without_zero()
                if inner.contains_zero:
                    if n % 2:
                        return REALS
                    return abs(inner).without_zero().power(n)
            return inner.power(n)
        inner = self.radicand(base)
        if isinstance(exponent, Rational):
            if not inner.nonnegative:
                raise NoRange(f"{base} may be negative, and stands under a root")
            if exponent < 0 and inner.contains_zero:
                if not self.nonzero(base):
                    raise NoRange(f"{base} may be zero, and stands in a denominator")
                inner = inner.without_zero()
            return inner.rational_power(exponent)
        if not inner.positive:
            raise NoRange(f"{base} may fail to be positive, and has the exponent {exponent}")
        return _exp(self.range(exponent) * _log(inner))

    def _exp(self, x: Expr) -> Range:
        return _exp(self.range(x))

    def _log(self, x: Expr) -> Range:
        inner = self.radicand(x)
        if not inner.nonnegative or (inner.contains_zero and not self.nonzero(x)):
            raise NoRange(f"{x} may fail to be positive, and stands in a logarithm")
        return _log(inner.without_zero())

    def _arc(self, x: Expr) -> Range:
        inner = self.sine(x)
        if inner.low < -1 or inner.high > 1:
            raise NoRange(f"{x} may leave [-1, 1], and stands in asin or acos")
        half = _constant(lambda: arb.pi() / 2)
        return inner.image(arb.asin, Range(-half.high, half.high))

    def _acos(self, x: Expr) -> Range:
        half = _constant(lambda: arb.pi() / 2)
        return (half - self._arc(x)).within(_NONNEGATIVE)

    def _bounded_wave(self, x: Expr) -> Range:
        self.range(x)
        return _UNIT

    def _cosh(self, x: Expr) -> Range:
        return abs(self.range(x)).image(arb.cosh, Range(1, oo))

    def _sign(self, x: Expr) -> Range:
        inner = self.range(x)
        low = 1 if inner.positive else 0 if inner.nonnegative else -1
        high = -1 if inner.negative else 0 if inner.nonpositive else 1
        return Range(low, high)

    def _heaviside(self, x: Expr, at_zero: Expr = S.Half) -> Range:
        inner = self.range(x)
        if not at_zero.is_Rational or at_zero not in Range(0, 1):
            raise NoRange(f"Heaviside({x}) with the value {at_zero} at zero")
        return Range(1 if inner.positive else 0, 0 if inner.negative else 1)

    def _erfc(self, x: Expr) -> Range:
        return (-self.range(x)).image(lambda u: (-u).erfc(), Range(0, 2, True, True))

    def _maximum(self, *args: Expr) -> Range:
        ranges = list(map(self.range, args))
        low = max(r.low for r in ranges)
        high = max(r.high for r in ranges)
        return Range(
            low,
            high,
            any(r.low_open for r in ranges if r.low == low),
            all(r.high_open for r in ranges if r.high == high),
        )

    def _minimum(self, *args: Expr) -> Range:
        ranges = [-self.range(arg) for arg in args]
        low = max(r.low for r in ranges)
        high = max(r.high for r in ranges)
        return -Range(
            low,
            high,
            any(r.low_open for r in ranges if r.low == low),
            all(r.high_open for r in ranges if r.high == high),
        )

    def _piecewise(self, *pieces: Any) -> Range:
        if pieces[-1].args[1] != True:  # noqa: E712
            raise NoRange("the pieces of a Piecewise may leave something out")
        for comparison in {c for piece in pieces for c in piece.args[1].atoms(Relational)}:
            for side in comparison.args:
                self.range(side)
        return reduce(Range.hull, (self.range(piece.args[0]) for piece in pieces))

    def _erf_prime(self, x: Expr) -> Range:
        bell = _exp(-self.range(x).power(2))
        return bell * _constant(lambda: 2 / arb.pi().sqrt())

    def _erf_second(self, x: Expr) -> Range:
        slope = Range.point(-2) * self.range(x) * self._erf_prime(x)
        # The largest value is that at -1/sqrt(2): sqrt(8/(pi e)) = 0.96788...
        return slope.within(Range(-Rational(121, 125), Rational(121, 125)))

    def _normal_pdf(self, x: Expr) -> Range:
        bell = _exp(Range.point(-S.Half) * self.range(x).power(2))
        return bell * _constant(lambda: 1 / (2 * arb.pi()).sqrt())

    def _normal_cdf(self, x: Expr) -> Range:
        def phi(u: arb) -> arb:
            return (-u / arb(2).sqrt()).erfc() / 2

        return self.range(x).image(phi, Range(0, 1, True, True))

    def _owens_t(self, h: Expr, a: Expr) -> Range:
        # T = atan(a)/(2 pi) times a weighted mean of exp(-h^2 (1 + x^2)/2) over x between 0 and a.
        slope = self.range(a)
        angle = _atan(slope) * _constant(lambda: 1 / (2 * arb.pi()))
        if slope.low >= -1 and slope.high <= 1:
            eighth = Rational(1, 8)
            angle = angle.within(Range(-eighth, eighth, slope.low_open, slope.high_open))
        most = _exp(Range.point(-S.Half) * self.range(h).power(2))
        weight = Range(0, most.high, True, most.high_open)
        return (angle * weight).within(Range(-Rational(1, 4), Rational(1, 4), True, True))

    def _zeta(self, t: Expr, s: Expr) -> Range:
        self.range(t), self.range(s)
        strict = self.nonzero(t) or self.nonzero(s)
        return Range(0, 1, strict, True)

    # -- what binds symbols --------------------------------------------------------------------

    def _law(self, law: Law) -> None:
        """Refuse a law whose parameters may be undefined."""
        for block in law.blocks():
            if isinstance(block, GaussianLaw):
                parameters = [*block.mean.values(), *block.cov]
            elif isinstance(block, NoiseLaw):
                parameters = [block.variance]
            else:
                raise NoRange(f"the law {block} is not understood")
            for parameter in parameters:
                self.range(parameter)

    def _over_law(self, integrand: Expr, law: Law) -> Range:
        """The range of an integrand over all real values of what the law binds."""
        self._law(law)
        anything = {s: Dummy(s.name, real=True) for s in law.symbols}
        return self.inside(self.facts).range(integrand.xreplace(anything))

    def _expectation(self, integrand: Expr, law: Law) -> Range:
        # An interval contains the mean of whatever lies in it, and is left by no strict bound.
        return self._over_law(integrand, law)

    def _iid_sum(self, term: Expr, law: Law, count: Expr) -> Range:
        copies = self.range(count)
        if not copies.nonnegative:
            raise NoRange(f"{count} copies may be fewer than none")
        return copies * self._over_law(term, law)

    def _integral(self, function: Expr, *limits: Any) -> Range:
        inner = Integral(function, *limits[:-1]) if len(limits) > 1 else function
        if len(limits[-1]) != 3:
            raise NoRange(f"an integral over {limits[-1]} is not definite")
        variable, low, high = limits[-1]
        if low.is_infinite and low == high:
            return Range.point(0)
        if low is oo or high is -oo:
            return -self._integral(inner, (variable, high, low))
        length = self._length(low, high)
        if length is not None and not length.nonnegative:
            if length.nonpositive:
                return -self._integral(inner, (variable, high, low))
            raise NoRange(f"it is not known which of {low} and {high} is the larger")
        x = Dummy(variable.name, real=True)
        interior = [
            *([Gt(x, low)] if low is not -oo else []),
            *([Lt(x, high)] if high is not oo else []),
        ]
        mean = self.inside(self.facts.extended(*interior)).range(inner.xreplace({variable: x}))
        return _total(mean, length)

    def _length(self, low: Expr, high: Expr) -> Range | None:
        """The range of high - low, None where it is infinite."""
        for end in (low, high):
            if end not in (oo, -oo):
                self.range(end)
        return None if low is -oo or high is oo else self.range(high - low)

    def _sum(self, function: Expr, *limits: Any) -> Range:
        inner = Sum(function, *limits[:-1]) if len(limits) > 1 else function
        index, low, high = limits[-1]
        if not all(end is oo or _is_integral(end) for end in (low, high)) or low is oo:
            raise NoRange(f"a sum from {low} to {high} is not understood")
        count = self._length(low - 1, high)
        if count is not None and not count.nonnegative:
            raise NoRange(f"a sum from {low} to {high} may run backwards")
        k = Dummy(index.name, integer=True)
        within = [Ge(k, low), *([Le(k, high)] if high is not oo else [])]
        return _total(
            self.inside(self.facts.extended(*within)).range(inner.xreplace({index: k})), count
        )


def _is_integral(expr: Expr) -> bool:
    """Whether something is an integer because it is built from integers."""
    if isinstance(expr, Add | Mul):
        return all(map(_is_integral, expr.args))
    return bool(isinstance(expr, Integer) or (isinstance(expr, Symbol) and expr.is_integer))


def _total(mean: Range, length: Range | None) -> Range:
    """The range of mean times length, where only the sign survives an infinite length."""
    if length is not None:
        return mean * length
    if mean.zero:
        return mean
    if mean.nonnegative:
        return Range(0, oo, mean.positive)
    if mean.nonpositive:
        return Range(-oo, 0, high_open=mean.negative)
    return REALS


def _exp(inner: Range) -> Range:
    return inner.image(arb.exp, _POSITIVE)


def _log(inner: Range) -> Range:
    low = -oo if inner.low == 0 else _outwards(arb.log, inner.low, upward=False)
    high = oo if inner.high is oo else _outwards(arb.log, inner.high, upward=True)
    return Range(low, high, inner.low_open, inner.high_open)


def _atan(inner: Range) -> Range:
    half = _constant(lambda: arb.pi() / 2)
    return inner.image(arb.atan, Range(-half.high, half.high, True, True))


def _increasing(function: Callable[[arb], arb], whole: Range) -> Callable[..., Range]:
    def rule(enclosure: Enclosure, x: Expr) -> Range:
        return enclosure.range(x).image(function, whole)

    return rule


_RULES: dict[type, Callable[..., Range]] = {
    Abs: lambda enclosure, x: abs(enclosure.range(x)),
    Expectation: Enclosure._expectation,
    Heaviside: Enclosure._heaviside,
    IIDSum: Enclosure._iid_sum,
    Integral: Enclosure._integral,
    Max: Enclosure._maximum,
    Min: Enclosure._minimum,
    OwensT: Enclosure._owens_t,
    Piecewise: Enclosure._piecewise,
    Sum: Enclosure._sum,
    acos: Enclosure._acos,
    asin: Enclosure._arc,
    atan: lambda enclosure, x: _atan(enclosure.range(x)),
    cos: Enclosure._bounded_wave,
    cosh: Enclosure._cosh,
    erf: _increasing(arb.erf, _OPEN_UNIT),
    erf_prime: Enclosure._erf_prime,
    erf_second: Enclosure._erf_second,
    erfc: Enclosure._erfc,
    exp: Enclosure._exp,
    log: Enclosure._log,
    normal_cdf: Enclosure._normal_cdf,
    normal_pdf: Enclosure._normal_pdf,
    sign: Enclosure._sign,
    sin: Enclosure._bounded_wave,
    sinh: _increasing(arb.sinh, REALS),
    tanh: _increasing(arb.tanh, _OPEN_UNIT),
    zeta: Enclosure._zeta,
}


def range_of(expr: Any, facts: Facts | None = None) -> Range:
    """An interval that contains every value of an expression.

    Parameters
    ----------
    expr : expression
        Real on the whole domain.
    facts : Facts, optional
        What is given besides the declarations of the symbols.

    Raises
    ------
    NoRange
        If the expression may be undefined somewhere, or is of a kind that is not understood; also
        if a symbol is not declared real.

    Examples
    --------
    >>> from sympy import Symbol, exp
    >>> x = Symbol("x", positive=True)
    >>> print(range_of(exp(-x)))
    (0, 1)
    """
    return Enclosure(facts or Facts()).range(sympify(expr))
