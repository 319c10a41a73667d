"""Rigorous ranges: an interval that contains every value of an expression.

Nothing is taken from SymPy's assumption queries on compound expressions. A range is built from what
the symbols declare of themselves, from hypotheses, and from one rule for each kind of node, which
refuses a node that may be undefined. End points are exact rationals or infinite; where a value is
irrational they are rounded outwards from ball arithmetic. What is bound becomes a symbol of its
own, so that no hypothesis about an outer symbol of the same name is taken to speak of it.

`Expectation` and `Integral` nodes are taken to exist: whoever writes one down answers for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add, mul
from typing import Any, Self

import sympy as sp
from flint import arb
from sympy import Add, Basic, Dummy, Eq, Expr, Gt, Integral, Lt, Mul, Pow, Rational, S, Sum, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.proofs.intervals import (
    NONNEGATIVE,
    POSITIVE,
    REALS,
    NoRange,
    RealInterval,
    irrational,
    of_value,
)
from slrsym.statements.expressions import conjuncts

_PI = irrational(arb.pi)
CONSTANTS: Mapping[Expr, RealInterval] = {sp.pi: _PI, sp.E: irrational(arb.const_e)}
_HALF_PI = RealInterval.point(S.Half) * _PI
_OVER_TWO_PI = (RealInterval.point(2) * _PI).power(-1)
_TOP_OF_ERF_PRIME = RealInterval.point(2) * _PI.root(2).power(-1)
_TOP_OF_NORMAL_PDF = (RealInterval.point(2) * _PI).root(2).power(-1)
# The largest value of erf'' is that at -1/sqrt(2): sqrt(8/(pi e)) = 0.96788...
_ERF_SECOND = RealInterval(-Rational(121, 125), Rational(121, 125))

_UNIT = RealInterval(-1, 1)
_OPEN_UNIT = RealInterval(-1, 1, True, True)


# -- images of intervals -----------------------------------------------------------------------


def _exp_image(inner: RealInterval) -> RealInterval:
    return inner.image(arb.exp, POSITIVE.range)


def _log_image(inner: RealInterval) -> RealInterval:
    low = -sp.oo if inner.low == 0 else of_value(arb.log, inner.low, upward=False)
    high = sp.oo if inner.high is sp.oo else of_value(arb.log, inner.high, upward=True)
    return RealInterval(low, high, inner.low_open, inner.high_open)


def _atan_image(inner: RealInterval) -> RealInterval:
    return inner.image(arb.atan, RealInterval(-_HALF_PI.high, _HALF_PI.high, True, True))


def _erf_prime_image(inner: RealInterval) -> RealInterval:
    return _exp_image(-inner.power(2)) * _TOP_OF_ERF_PRIME


def _largest(ranges: list[RealInterval]) -> RealInterval:
    low = max(r.low for r in ranges)
    high = max(r.high for r in ranges)
    return RealInterval(
        low,
        high,
        any(r.low_open for r in ranges if r.low == low),
        all(r.high_open for r in ranges if r.high == high),
    )


# -- powers -----------------------------------------------------------------------------------


def _power(enclosure: RangeFinder, base: Expr, exponent: Expr) -> RealInterval:
    if base is S.Exp1:
        return _exp_image(enclosure.range(exponent))
    inner = enclosure.range(base)
    if isinstance(exponent, sp.Integer):
        n = int(exponent)
        if n >= 0:
            return inner.power(n)
        if not inner.nonzero:
            if not enclosure.nonzero(base):
                raise NoRange(f"{base} may be zero, and stands in a denominator")
            inner = inner.without_zero()
            if not inner.nonzero:
                if n % 2:
                    return REALS
                return abs(inner).without_zero().power(n)
        return inner.power(n)
    inner = enclosure.radicand(base)
    if isinstance(exponent, Rational):
        if not inner.nonnegative:
            raise NoRange(f"{base} may be negative, and stands under a root")
        if exponent < 0 and not inner.nonzero:
            if not enclosure.nonzero(base):
                raise NoRange(f"{base} may be zero, and stands in a denominator")
            inner = inner.without_zero()
        return inner.rational_power(exponent)
    if not inner.positive:
        raise NoRange(f"{base} may fail to be positive, and has the exponent {exponent}")
    return _exp_image(enclosure.range(exponent) * _log_image(inner))


# -- functions --------------------------------------------------------------------------------


def _log(enclosure: RangeFinder, x: Expr) -> RealInterval:
    inner = enclosure.radicand(x)
    if not inner.nonnegative or (not inner.nonzero and not enclosure.nonzero(x)):
        raise NoRange(f"{x} may fail to be positive, and stands in a logarithm")
    return _log_image(inner.without_zero())


def _arc(enclosure: RangeFinder, x: Expr) -> RealInterval:
    inner = enclosure.sine(x)
    if inner.low < -1 or inner.high > 1:
        raise NoRange(f"{x} may leave [-1, 1], and stands in asin or acos")
    return inner.image(arb.asin, RealInterval(-_HALF_PI.high, _HALF_PI.high))


def _acos(enclosure: RangeFinder, x: Expr) -> RealInterval:
    return (_HALF_PI - _arc(enclosure, x)).within(NONNEGATIVE.range)


def _heaviside(enclosure: RangeFinder, x: Expr, at_zero: Expr = S.Half) -> RealInterval:
    inner = enclosure.range(x)
    if not at_zero.is_Rational or at_zero not in RealInterval(0, 1):
        raise NoRange(f"Heaviside({x}) with the value {at_zero} at zero")
    return RealInterval(1 if inner.positive else 0, 0 if inner.negative else 1)


def _factorial(enclosure: RangeFinder, count: Expr) -> RealInterval:
    if not _is_integral(count) or not enclosure.range(count).nonnegative:
        raise NoRange(f"{count} is not known to be an integer that is not negative")
    return RealInterval(1, sp.oo)


def _maximum(enclosure: RangeFinder, *args: Expr) -> RealInterval:
    return _largest([enclosure.range(arg) for arg in args])


def _minimum(enclosure: RangeFinder, *args: Expr) -> RealInterval:
    return -_largest([-enclosure.range(arg) for arg in args])


def _piecewise(enclosure: RangeFinder, *pieces: Any) -> RealInterval:
    if pieces[-1].args[1] != True:  # noqa: E712
        raise NoRange("the pieces of a Piecewise may leave something out")
    for comparison in {c for piece in pieces for c in piece.args[1].atoms(Relational)}:
        for side in comparison.args:
            enclosure.range(side)
    return reduce(RealInterval.hull, (enclosure.range(piece.args[0]) for piece in pieces))


def _owens_t(enclosure: RangeFinder, h: Expr, a: Expr) -> RealInterval:
    # T = atan(a)/(2 pi) times a weighted mean of exp(-h^2 (1 + x^2)/2) over x between 0 and a.
    slope = enclosure.range(a)
    angle = _atan_image(slope) * _OVER_TWO_PI
    if slope.low >= -1 and slope.high <= 1:
        eighth = Rational(1, 8)
        angle = angle.within(RealInterval(-eighth, eighth, slope.low_open, slope.high_open))
    most = _exp_image(RealInterval.point(-S.Half) * enclosure.range(h).power(2))
    weight = RealInterval(0, most.high, True, most.high_open)
    return (angle * weight).within(RealInterval(-Rational(1, 4), Rational(1, 4), True, True))


def _zeta(enclosure: RangeFinder, t: Expr, s: Expr) -> RealInterval:
    enclosure.range(t), enclosure.range(s)
    strict = enclosure.nonzero(t) or enclosure.nonzero(s)
    return RealInterval(0, 1, strict, True)


# By the range of the only argument.
IMAGES: Mapping[type, Callable[[RealInterval], RealInterval]] = {
    sp.Abs: abs,
    sp.atan: _atan_image,
    sp.cos: lambda inner: _UNIT,
    sp.cosh: lambda inner: abs(inner).image(arb.cosh, RealInterval(1, sp.oo)),
    sp.erf: lambda inner: inner.image(arb.erf, _OPEN_UNIT),
    erf_prime: _erf_prime_image,
    erf_second: lambda inner: (RealInterval.point(-2) * inner * _erf_prime_image(inner)).within(
        _ERF_SECOND
    ),
    sp.erfc: lambda inner: (-inner).image(lambda u: (-u).erfc(), RealInterval(0, 2, True, True)),
    sp.exp: _exp_image,
    normal_cdf: lambda inner: inner.image(
        lambda u: (-u / arb(2).sqrt()).erfc() / 2, RealInterval(0, 1, True, True)
    ),
    normal_pdf: lambda inner: (
        _exp_image(RealInterval.point(-S.Half) * inner.power(2)) * _TOP_OF_NORMAL_PDF
    ),
    sp.sign: lambda inner: RealInterval(min(inner.possible), max(inner.possible)),
    sp.sin: lambda inner: _UNIT,
    sp.sinh: lambda inner: inner.image(arb.sinh, REALS),
    sp.tanh: lambda inner: inner.image(arb.tanh, _OPEN_UNIT),
}
# By an enclosure and the arguments.
FUNCTIONS: Mapping[type, Callable[..., RealInterval]] = {
    sp.factorial: _factorial,
    sp.Heaviside: _heaviside,
    sp.Max: _maximum,
    sp.Min: _minimum,
    OwensT: _owens_t,
    sp.Piecewise: _piecewise,
    Pow: _power,
    sp.acos: _acos,
    sp.asin: _arc,
    sp.log: _log,
    zeta: _zeta,
}


# -- laws --------------------------------------------------------------------------------------


def _expectation(enclosure: RangeFinder, integrand: Expr, law: Law) -> RealInterval:
    # An interval contains the mean of whatever lies in it, and is left by no strict bound.
    return _over_law(enclosure, integrand, law)


def _iid_sum(enclosure: RangeFinder, term: Expr, law: Law, count: Expr) -> RealInterval:
    copies = enclosure.range(count)
    if not copies.nonnegative:
        raise NoRange(f"{count} copies may be fewer than none")
    return copies * _over_law(enclosure, term, law)


def _over_law(enclosure: RangeFinder, integrand: Expr, law: Law) -> RealInterval:
    """The range of an integrand over all real values of what the law binds."""
    _require_parameters(enclosure, law)
    anything = {s: Dummy(s.name, real=True) for s in law.symbols}
    return enclosure.inside().range(integrand.xreplace(anything))


def _require_parameters(enclosure: RangeFinder, law: Law) -> None:
    """Refuse a law whose parameters may be undefined."""
    for block in law.blocks():
        if isinstance(block, GaussianLaw):
            parameters = [*block.mean.values(), *block.cov]
        elif isinstance(block, NoiseLaw):
            parameters = [block.variance]
        else:
            raise NoRange(f"the law {block} is not understood")
        for parameter in parameters:
            enclosure.range(parameter)


# -- integrals and sums ------------------------------------------------------------------------


def _integral(enclosure: RangeFinder, function: Expr, *limits: Any) -> RealInterval:
    inner = Integral(function, *limits[:-1]) if len(limits) > 1 else function
    if len(limits[-1]) != 3:
        raise NoRange(f"an integral over {limits[-1]} is not definite")
    variable, low, high = limits[-1]
    if low.is_infinite and low == high:
        return RealInterval.point(0)
    if low is sp.oo or high is -sp.oo:
        return -_integral(enclosure, inner, (variable, high, low))
    length = _length(enclosure, low, high)
    if length is not None and not length.nonnegative:
        if length.nonpositive:
            return -_integral(enclosure, inner, (variable, high, low))
        raise NoRange(f"it is not known which of {low} and {high} is the larger")
    x = Dummy(variable.name, real=True)
    interior = [
        *([Gt(x, low)] if low is not -sp.oo else []),
        *([Lt(x, high)] if high is not sp.oo else []),
    ]
    return _total(enclosure.inside(*interior).range(inner.xreplace({variable: x})), length)


def _sum(enclosure: RangeFinder, function: Expr, *limits: Any) -> RealInterval:
    inner = Sum(function, *limits[:-1]) if len(limits) > 1 else function
    index, low, high = limits[-1]
    if not all(end is sp.oo or _is_integral(end) for end in (low, high)) or low is sp.oo:
        raise NoRange(f"a sum from {low} to {high} is not understood")
    count = _length(enclosure, low - 1, high)
    if count is not None and not count.nonnegative:
        raise NoRange(f"a sum from {low} to {high} may run backwards")
    k = Dummy(index.name, integer=True)
    within = [sp.Ge(k, low), *([sp.Le(k, high)] if high is not sp.oo else [])]
    return _total(enclosure.inside(*within).range(inner.xreplace({index: k})), count)


def _length(enclosure: RangeFinder, low: Expr, high: Expr) -> RealInterval | None:
    """The range of high - low, None where it is infinite."""
    for end in (low, high):
        if end not in (sp.oo, -sp.oo):
            enclosure.range(end)
    return None if low is -sp.oo or high is sp.oo else enclosure.range(high - low)


def _is_integral(expr: Expr) -> bool:
    """Whether something is an integer because it is built from integers."""
    if isinstance(expr, Add | Mul):
        return all(map(_is_integral, expr.args))
    return bool(isinstance(expr, sp.Integer) or (isinstance(expr, Symbol) and expr.is_integer))


def _total(mean: RealInterval, length: RealInterval | None) -> RealInterval:
    """The range of mean times length, where only the sign survives an infinite length."""
    if length is not None:
        return mean * length
    if mean.zero:
        return mean
    if mean.nonnegative:
        return RealInterval(0, sp.oo, mean.positive)
    if mean.nonpositive:
        return RealInterval(-sp.oo, 0, high_open=mean.negative)
    return REALS


BINDERS: Mapping[type, Callable[..., RealInterval]] = {
    Expectation: _expectation,
    IIDSum: _iid_sum,
    Integral: _integral,
    Sum: _sum,
}


def is_name(expr: Basic) -> bool:
    """Whether something stands for an arbitrary value, and may declare properties of it."""
    return isinstance(expr, Symbol | sp.Indexed | AppliedUndef)


def declared(name: Expr) -> RealInterval:
    if name.is_real is not True:
        raise NoRange(f"{name} is not declared real")
    low, high = -sp.oo, sp.oo
    low_open = high_open = False
    if name.is_nonnegative:
        low, low_open = S.Zero, bool(name.is_positive)
    if name.is_nonpositive:
        high, high_open = S.Zero, bool(name.is_negative)
    found = RealInterval(low, high, low_open, high_open)
    return between_integers(found) if name.is_integer else found


def between_integers(found: RealInterval) -> RealInterval:
    """The interval from the least to the greatest integer in another one."""
    low, high = found.low, found.high
    if low is not -sp.oo:
        low = low + 1 if low.is_Integer and found.low_open else sp.ceiling(low)
    if high is not sp.oo:
        high = high - 1 if high.is_Integer and found.high_open else sp.floor(high)
    return RealInterval(low, high) if low <= high else found


_RULES = {**FUNCTIONS, **BINDERS}


class RangeFinder:
    """Ranges of expressions under facts.

    Some methods are hooks for a subclass that knows more; its answers may depend on ranges, and
    ranges on its answers.
    """

    def __init__(
        self, facts: GivenValues, bounds: Mapping[Expr, RealInterval] | None = None
    ) -> None:
        self.facts = facts
        self.bounds = facts.bounds if bounds is None else bounds
        self._known: dict[Expr, RealInterval] = {}

    def inside(self, *more: Any) -> Self:
        """An enclosure of the same kind, for what is bound by an integral or an expectation.

        Facts that speak of integrals, sums or expectations stay outside: asking for the range of
        one within another would come back to itself.
        """
        return type(self)(self.facts.extended(*more).plain)

    def range(self, expr: Expr) -> RealInterval:
        found = self._known.get(expr)
        if found is None:
            found = self.by_node(expr)
            bound = self.bounds.get(expr)
            if bound is not None:
                found = found.within(bound)
            found = self.refined(expr, found)
            self._remember(expr, found)
        return found

    def _remember(self, expr: Expr, found: RealInterval) -> None:
        self._known[expr] = found

    # -- hooks ---------------------------------------------------------------------------------

    def refined(self, expr: Expr, found: RealInterval) -> RealInterval:
        """A smaller range than what the node alone tells."""
        return found

    def radicand(self, expr: Expr) -> RealInterval:
        """The range of something that has to be nonnegative."""
        return self.range(expr)

    def sine(self, expr: Expr) -> RealInterval:
        """The range of something that has to be in [-1, 1]."""
        return self.range(expr)

    def nonzero(self, expr: Expr) -> bool:
        """Whether an expression is certainly defined and not zero."""
        if self.range(expr).nonzero or (is_name(expr) and expr.is_nonzero is True):
            return True
        if isinstance(expr, Mul):
            return all(map(self.nonzero, expr.args))
        if isinstance(expr, Pow) and expr.exp.is_Rational:
            return self.nonzero(expr.base)
        return any(expr in (other, -other) for other in self.facts.nonzeros)

    # -- by kind of node -----------------------------------------------------------------------

    def by_node(self, expr: Expr) -> RealInterval:
        """The range that the kind of node tells, from those of its arguments."""
        if isinstance(expr, Rational):
            return RealInterval.point(expr)
        if expr in CONSTANTS:
            return CONSTANTS[expr]
        if is_name(expr):
            for part in expr.args if isinstance(expr, AppliedUndef) else ():
                self.range(part)
            return declared(expr)
        if isinstance(expr, Add):
            return reduce(add, map(self.range, expr.args))
        if isinstance(expr, Mul):
            coefficient, rest = expr.as_coeff_Mul()
            if coefficient is not S.One:
                return self.range(coefficient) * self.range(rest)
            return reduce(mul, map(self.range, expr.args))
        if type(expr) in IMAGES:
            return IMAGES[type(expr)](self.range(expr.args[0]))
        rule = _RULES.get(type(expr))
        if rule is None:
            raise NoRange(f"{expr} is not understood")
        return rule(self, *expr.args)


_PASSES = 3


@dataclass(frozen=True)
class GivenValues:
    """What is given of the values of symbols, besides what they declare of themselves."""

    given: tuple[Basic, ...] = ()

    def __init__(self, given: Iterable[Any] = ()) -> None:
        object.__setattr__(self, "given", tuple(sp.sympify(hypothesis) for hypothesis in given))

    def extended(self, *more: Any) -> GivenValues:
        return GivenValues((*self.given, *more))

    @property
    def plain(self) -> GivenValues:
        """Those that speak of no integral, sum or expectation."""
        return GivenValues(g for g in self.given if not g.has(Expectation, IIDSum, Integral, Sum))

    @cached_property
    def relations(self) -> tuple[Relational, ...]:
        """The relations between finite expressions, one by one."""
        found: list[Relational] = []
        for hypothesis in self.given:
            found += [
                part
                for part in conjuncts(hypothesis)
                if isinstance(part, Relational)
                and all(isinstance(side, Expr) for side in part.args)
                and not part.has(sp.oo, -sp.oo, S.ComplexInfinity, S.NaN)
            ]
        return tuple(found)

    @cached_property
    def inequalities(self) -> tuple[tuple[Expr, bool], ...]:
        """Expressions that are nonnegative, each with whether it is even positive."""
        found: list[tuple[Expr, bool]] = []
        for relation in self.relations:
            difference = relation.lhs - relation.rhs
            if isinstance(relation, sp.Ge | Gt):
                found.append((difference, isinstance(relation, Gt)))
            elif isinstance(relation, sp.Le | Lt):
                found.append((-difference, isinstance(relation, Lt)))
        return tuple(found)

    @cached_property
    def zeros(self) -> tuple[Expr, ...]:
        return tuple(r.lhs - r.rhs for r in self.relations if isinstance(r, Eq))

    @cached_property
    def nonzeros(self) -> tuple[Expr, ...]:
        return tuple(r.lhs - r.rhs for r in self.relations if isinstance(r, sp.Ne))

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
    def bounds(self) -> Mapping[Expr, RealInterval]:
        """Ranges of symbols, of powers of them, and of other terms, read off the relations."""
        known: dict[Expr, RealInterval] = {}
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


def _read_off(term: Expr, rest: list[Expr], strict: bool, known: dict[Expr, RealInterval]) -> None:
    """What term + rest >= 0 says of the term, added to what is known."""
    coefficient, core = term.as_independent(*term.free_symbols, as_Add=False)
    if not core.free_symbols:
        return
    enclosure = RangeFinder(GivenValues(), known)
    try:
        scale = enclosure.range(coefficient)
        others = -reduce(add, map(enclosure.range, rest), RealInterval.point(0))
        known_core = enclosure.range(core)
        if not (scale.positive or scale.negative):
            return
        least = RealInterval(others.low, sp.oo, others.low_open or strict)
        found = least * scale.reciprocal()
    except NoRange:
        return
    if found.low is -sp.oo and found.high is sp.oo:
        return
    _learn(core, known_core, found, known)


def _learn(
    core: Expr, before: RealInterval, found: RealInterval, known: dict[Expr, RealInterval]
) -> None:
    if is_name(core) and core.is_integer is True:
        found = between_integers(found)
    narrowed = before.intersection(found)
    if narrowed is None or narrowed == before:
        return
    known[core] = narrowed
    if isinstance(core, Pow) and is_name(core.base) and core.exp.is_Integer and core.exp > 0:
        n = int(core.exp)
        inner = RangeFinder(GivenValues(), known).range(core.base)
        if n % 2 == 0:
            reach = narrowed.within(NONNEGATIVE.range).root(n)
            wider = RealInterval(-reach.high, reach.high, reach.high_open, reach.high_open)
            if inner.nonnegative:
                wider = reach
            elif inner.nonpositive:
                wider = -reach
            _learn(core.base, inner, wider, known)


def _multiplied_out(expr: Expr) -> Expr:
    """Products of sums expanded; powers, logarithms and functions are left as they are."""
    hints = {"deep": False, "power_base": False, "power_exp": False, "log": False, "basic": False}
    return Add(*(sp.expand(term, **hints) for term in Add.make_args(expr)))
