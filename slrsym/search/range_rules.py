"""Ranges of powers, of the values of functions, and of what binds symbols: a rule a kind of node.

A rule gets an enclosure, which it asks for the ranges of the arguments, and the arguments. It
raises `NoRange` where the node may be undefined. What is bound becomes a symbol of its own, so that
no hypothesis about an outer symbol of the same name is taken to speak of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Protocol

from flint import arb
from sympy import (
    Abs,
    Add,
    Dummy,
    E,
    Expr,
    Ge,
    Gt,
    Heaviside,
    Integer,
    Integral,
    Le,
    Lt,
    Max,
    Min,
    Mul,
    Piecewise,
    Pow,
    Rational,
    S,
    Sum,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    factorial,
    log,
    oo,
    pi,
    sign,
    sin,
    sinh,
    tanh,
)
from sympy.core.relational import Relational

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.search.intervals import (
    NONNEGATIVE,
    POSITIVE,
    REALS,
    NoRange,
    Range,
    irrational,
    of_value,
)


class RangeQuestions(Protocol):
    """What a rule may ask."""

    def range(self, expr: Expr) -> Range:
        """An interval that contains every value of an expression."""

    def inside(self, *more: Any) -> RangeQuestions:
        """The same for what is bound, under more facts."""

    def radicand(self, expr: Expr) -> Range:
        """The range of something that has to be nonnegative."""

    def sine(self, expr: Expr) -> Range:
        """The range of something that has to be in [-1, 1]."""

    def nonzero(self, expr: Expr) -> bool:
        """Whether an expression is certainly defined and not zero."""


CONSTANTS: Mapping[Expr, Range] = {pi: irrational(arb.pi), E: irrational(arb.const_e)}
_HALF_PI = irrational(lambda: arb.pi() / 2)
_OVER_TWO_PI = irrational(lambda: 1 / (2 * arb.pi()))
_TOP_OF_ERF_PRIME = irrational(lambda: 2 / arb.pi().sqrt())
_TOP_OF_NORMAL_PDF = irrational(lambda: 1 / (2 * arb.pi()).sqrt())
# The largest value of erf'' is that at -1/sqrt(2): sqrt(8/(pi e)) = 0.96788...
_TOP_OF_ERF_SECOND = Rational(121, 125)

_UNIT = Range(-1, 1)
_OPEN_UNIT = Range(-1, 1, True, True)


# -- images of intervals -----------------------------------------------------------------------


def _exp_image(inner: Range) -> Range:
    return inner.image(arb.exp, POSITIVE.range)


def _log_image(inner: Range) -> Range:
    low = -oo if inner.low == 0 else of_value(arb.log, inner.low, upward=False)
    high = oo if inner.high is oo else of_value(arb.log, inner.high, upward=True)
    return Range(low, high, inner.low_open, inner.high_open)


def _atan_image(inner: Range) -> Range:
    return inner.image(arb.atan, Range(-_HALF_PI.high, _HALF_PI.high, True, True))


def _largest(ranges: list[Range]) -> Range:
    """The range of the largest of several numbers."""
    low = max(r.low for r in ranges)
    high = max(r.high for r in ranges)
    return Range(
        low,
        high,
        any(r.low_open for r in ranges if r.low == low),
        all(r.high_open for r in ranges if r.high == high),
    )


# -- powers -----------------------------------------------------------------------------------


def _power(enclosure: RangeQuestions, base: Expr, exponent: Expr) -> Range:
    if base is S.Exp1:
        return _exp_image(enclosure.range(exponent))
    inner = enclosure.range(base)
    if isinstance(exponent, Integer):
        n = int(exponent)
        if n >= 0:
            return inner.power(n)
        if inner.contains_zero:
            if not enclosure.nonzero(base):
                raise NoRange(f"{base} may be zero, and stands in a denominator")
            inner = inner.without_zero()
            if inner.contains_zero:
                if n % 2:
                    return REALS
                return abs(inner).without_zero().power(n)
        return inner.power(n)
    inner = enclosure.radicand(base)
    if isinstance(exponent, Rational):
        if not inner.nonnegative:
            raise NoRange(f"{base} may be negative, and stands under a root")
        if exponent < 0 and inner.contains_zero:
            if not enclosure.nonzero(base):
                raise NoRange(f"{base} may be zero, and stands in a denominator")
            inner = inner.without_zero()
        return inner.rational_power(exponent)
    if not inner.positive:
        raise NoRange(f"{base} may fail to be positive, and has the exponent {exponent}")
    return _exp_image(enclosure.range(exponent) * _log_image(inner))


# -- functions --------------------------------------------------------------------------------


def _increasing(function: Callable[[arb], arb], whole: Range) -> Callable[..., Range]:
    def rule(enclosure: RangeQuestions, x: Expr) -> Range:
        return enclosure.range(x).image(function, whole)

    return rule


def _log(enclosure: RangeQuestions, x: Expr) -> Range:
    inner = enclosure.radicand(x)
    if not inner.nonnegative or (inner.contains_zero and not enclosure.nonzero(x)):
        raise NoRange(f"{x} may fail to be positive, and stands in a logarithm")
    return _log_image(inner.without_zero())


def _arc(enclosure: RangeQuestions, x: Expr) -> Range:
    inner = enclosure.sine(x)
    if inner.low < -1 or inner.high > 1:
        raise NoRange(f"{x} may leave [-1, 1], and stands in asin or acos")
    return inner.image(arb.asin, Range(-_HALF_PI.high, _HALF_PI.high))


def _acos(enclosure: RangeQuestions, x: Expr) -> Range:
    return (_HALF_PI - _arc(enclosure, x)).within(NONNEGATIVE.range)


def _bounded_wave(enclosure: RangeQuestions, x: Expr) -> Range:
    enclosure.range(x)
    return _UNIT


def _cosh(enclosure: RangeQuestions, x: Expr) -> Range:
    return abs(enclosure.range(x)).image(arb.cosh, Range(1, oo))


def _sign(enclosure: RangeQuestions, x: Expr) -> Range:
    inner = enclosure.range(x)
    low = 1 if inner.positive else 0 if inner.nonnegative else -1
    high = -1 if inner.negative else 0 if inner.nonpositive else 1
    return Range(low, high)


def _heaviside(enclosure: RangeQuestions, x: Expr, at_zero: Expr = S.Half) -> Range:
    inner = enclosure.range(x)
    if not at_zero.is_Rational or at_zero not in Range(0, 1):
        raise NoRange(f"Heaviside({x}) with the value {at_zero} at zero")
    return Range(1 if inner.positive else 0, 0 if inner.negative else 1)


def _erfc(enclosure: RangeQuestions, x: Expr) -> Range:
    return (-enclosure.range(x)).image(lambda u: (-u).erfc(), Range(0, 2, True, True))


def _factorial(enclosure: RangeQuestions, count: Expr) -> Range:
    if not _is_integral(count) or not enclosure.range(count).nonnegative:
        raise NoRange(f"{count} is not known to be an integer that is not negative")
    return Range(1, oo)


def _maximum(enclosure: RangeQuestions, *args: Expr) -> Range:
    return _largest([enclosure.range(arg) for arg in args])


def _minimum(enclosure: RangeQuestions, *args: Expr) -> Range:
    return -_largest([-enclosure.range(arg) for arg in args])


def _piecewise(enclosure: RangeQuestions, *pieces: Any) -> Range:
    if pieces[-1].args[1] != True:  # noqa: E712
        raise NoRange("the pieces of a Piecewise may leave something out")
    for comparison in {c for piece in pieces for c in piece.args[1].atoms(Relational)}:
        for side in comparison.args:
            enclosure.range(side)
    return reduce(Range.hull, (enclosure.range(piece.args[0]) for piece in pieces))


def _erf_prime(enclosure: RangeQuestions, x: Expr) -> Range:
    return _exp_image(-enclosure.range(x).power(2)) * _TOP_OF_ERF_PRIME


def _erf_second(enclosure: RangeQuestions, x: Expr) -> Range:
    slope = Range.point(-2) * enclosure.range(x) * _erf_prime(enclosure, x)
    return slope.within(Range(-_TOP_OF_ERF_SECOND, _TOP_OF_ERF_SECOND))


def _normal_pdf(enclosure: RangeQuestions, x: Expr) -> Range:
    bell = _exp_image(Range.point(-S.Half) * enclosure.range(x).power(2))
    return bell * _TOP_OF_NORMAL_PDF


def _normal_cdf(enclosure: RangeQuestions, x: Expr) -> Range:
    def phi(u: arb) -> arb:
        return (-u / arb(2).sqrt()).erfc() / 2

    return enclosure.range(x).image(phi, Range(0, 1, True, True))


def _owens_t(enclosure: RangeQuestions, h: Expr, a: Expr) -> Range:
    # T = atan(a)/(2 pi) times a weighted mean of exp(-h^2 (1 + x^2)/2) over x between 0 and a.
    slope = enclosure.range(a)
    angle = _atan_image(slope) * _OVER_TWO_PI
    if slope.low >= -1 and slope.high <= 1:
        eighth = Rational(1, 8)
        angle = angle.within(Range(-eighth, eighth, slope.low_open, slope.high_open))
    most = _exp_image(Range.point(-S.Half) * enclosure.range(h).power(2))
    weight = Range(0, most.high, True, most.high_open)
    return (angle * weight).within(Range(-Rational(1, 4), Rational(1, 4), True, True))


def _zeta(enclosure: RangeQuestions, t: Expr, s: Expr) -> Range:
    enclosure.range(t), enclosure.range(s)
    strict = enclosure.nonzero(t) or enclosure.nonzero(s)
    return Range(0, 1, strict, True)


FUNCTIONS: Mapping[type, Callable[..., Range]] = {
    factorial: _factorial,
    Abs: lambda enclosure, x: abs(enclosure.range(x)),
    Heaviside: _heaviside,
    Max: _maximum,
    Min: _minimum,
    OwensT: _owens_t,
    Piecewise: _piecewise,
    Pow: _power,
    acos: _acos,
    asin: _arc,
    atan: lambda enclosure, x: _atan_image(enclosure.range(x)),
    cos: _bounded_wave,
    cosh: _cosh,
    erf: _increasing(arb.erf, _OPEN_UNIT),
    erf_prime: _erf_prime,
    erf_second: _erf_second,
    erfc: _erfc,
    exp: _increasing(arb.exp, POSITIVE.range),
    log: _log,
    normal_cdf: _normal_cdf,
    normal_pdf: _normal_pdf,
    sign: _sign,
    sin: _bounded_wave,
    sinh: _increasing(arb.sinh, REALS),
    tanh: _increasing(arb.tanh, _OPEN_UNIT),
    zeta: _zeta,
}


# -- laws --------------------------------------------------------------------------------------


def _expectation(enclosure: RangeQuestions, integrand: Expr, law: Law) -> Range:
    # An interval contains the mean of whatever lies in it, and is left by no strict bound.
    return _over_law(enclosure, integrand, law)


def _iid_sum(enclosure: RangeQuestions, term: Expr, law: Law, count: Expr) -> Range:
    copies = enclosure.range(count)
    if not copies.nonnegative:
        raise NoRange(f"{count} copies may be fewer than none")
    return copies * _over_law(enclosure, term, law)


def _over_law(enclosure: RangeQuestions, integrand: Expr, law: Law) -> Range:
    """The range of an integrand over all real values of what the law binds."""
    _require_parameters(enclosure, law)
    anything = {s: Dummy(s.name, real=True) for s in law.symbols}
    return enclosure.inside().range(integrand.xreplace(anything))


def _require_parameters(enclosure: RangeQuestions, law: Law) -> None:
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


def _integral(enclosure: RangeQuestions, function: Expr, *limits: Any) -> Range:
    inner = Integral(function, *limits[:-1]) if len(limits) > 1 else function
    if len(limits[-1]) != 3:
        raise NoRange(f"an integral over {limits[-1]} is not definite")
    variable, low, high = limits[-1]
    if low.is_infinite and low == high:
        return Range.point(0)
    if low is oo or high is -oo:
        return -_integral(enclosure, inner, (variable, high, low))
    length = _length(enclosure, low, high)
    if length is not None and not length.nonnegative:
        if length.nonpositive:
            return -_integral(enclosure, inner, (variable, high, low))
        raise NoRange(f"it is not known which of {low} and {high} is the larger")
    x = Dummy(variable.name, real=True)
    interior = [
        *([Gt(x, low)] if low is not -oo else []),
        *([Lt(x, high)] if high is not oo else []),
    ]
    return _total(enclosure.inside(*interior).range(inner.xreplace({variable: x})), length)


def _sum(enclosure: RangeQuestions, function: Expr, *limits: Any) -> Range:
    inner = Sum(function, *limits[:-1]) if len(limits) > 1 else function
    index, low, high = limits[-1]
    if not all(end is oo or _is_integral(end) for end in (low, high)) or low is oo:
        raise NoRange(f"a sum from {low} to {high} is not understood")
    count = _length(enclosure, low - 1, high)
    if count is not None and not count.nonnegative:
        raise NoRange(f"a sum from {low} to {high} may run backwards")
    k = Dummy(index.name, integer=True)
    within = [Ge(k, low), *([Le(k, high)] if high is not oo else [])]
    return _total(enclosure.inside(*within).range(inner.xreplace({index: k})), count)


def _length(enclosure: RangeQuestions, low: Expr, high: Expr) -> Range | None:
    """The range of high - low, None where it is infinite."""
    for end in (low, high):
        if end not in (oo, -oo):
            enclosure.range(end)
    return None if low is -oo or high is oo else enclosure.range(high - low)


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


BINDERS: Mapping[type, Callable[..., Range]] = {
    Expectation: _expectation,
    IIDSum: _iid_sum,
    Integral: _integral,
    Sum: _sum,
}
