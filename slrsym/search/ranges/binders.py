"""Ranges of what binds symbols: expectations, sums of copies, integrals and sums.

A rule gets an enclosure and the arguments of the node. What is bound becomes a symbol of its own,
so that no hypothesis about an outer symbol of the same name is taken to speak of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sympy import Add, Dummy, Expr, Ge, Gt, Integer, Integral, Le, Lt, Mul, Sum, Symbol, oo

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.search.ranges.intervals import REALS, NoRange, Range

if TYPE_CHECKING:
    from slrsym.search.ranges.enclosure import Enclosure

__all__ = ["BINDERS"]


# -- laws --------------------------------------------------------------------------------------


def _expectation(enclosure: Enclosure, integrand: Expr, law: Law) -> Range:
    # An interval contains the mean of whatever lies in it, and is left by no strict bound.
    return _over_law(enclosure, integrand, law)


def _iid_sum(enclosure: Enclosure, term: Expr, law: Law, count: Expr) -> Range:
    copies = enclosure.range(count)
    if not copies.nonnegative:
        raise NoRange(f"{count} copies may be fewer than none")
    return copies * _over_law(enclosure, term, law)


def _over_law(enclosure: Enclosure, integrand: Expr, law: Law) -> Range:
    """The range of an integrand over all real values of what the law binds."""
    _require_parameters(enclosure, law)
    anything = {s: Dummy(s.name, real=True) for s in law.symbols}
    return enclosure.inside().range(integrand.xreplace(anything))


def _require_parameters(enclosure: Enclosure, law: Law) -> None:
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


def _integral(enclosure: Enclosure, function: Expr, *limits: Any) -> Range:
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


def _sum(enclosure: Enclosure, function: Expr, *limits: Any) -> Range:
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


def _length(enclosure: Enclosure, low: Expr, high: Expr) -> Range | None:
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
