"""Rigorous ranges: an interval that contains every value of an expression.

Nothing is taken from SymPy's assumption queries on compound expressions. A range is built from what
the symbols declare of themselves, from hypotheses, and from one rule for each kind of node. End
points are exact rationals or infinite; where a value is irrational they are rounded outwards from
ball arithmetic.

`Expectation` and `Integral` nodes are taken to exist: whoever writes one down answers for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add, mul
from typing import Any, Self

from sympy import (
    Add,
    Basic,
    Eq,
    Expr,
    Ge,
    Gt,
    Indexed,
    Integral,
    Le,
    Lt,
    Mul,
    Ne,
    Pow,
    Rational,
    S,
    Sum,
    Symbol,
    ceiling,
    expand,
    floor,
    oo,
    sympify,
)
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import And

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import IIDSum
from slrsym.search.intervals import NONNEGATIVE, NoRange, Range
from slrsym.search.range_rules import BINDERS, CONSTANTS, FUNCTIONS


def is_name(expr: Basic) -> bool:
    """Whether something stands for an arbitrary value, and may declare properties of it."""
    return isinstance(expr, Symbol | Indexed | AppliedUndef)


def declared(name: Expr) -> Range:
    """The range that a name declares."""
    if name.is_real is not True:
        raise NoRange(f"{name} is not declared real")
    low, high = -oo, oo
    low_open = high_open = False
    if name.is_nonnegative:
        low, low_open = S.Zero, bool(name.is_positive)
    if name.is_nonpositive:
        high, high_open = S.Zero, bool(name.is_negative)
    found = Range(low, high, low_open, high_open)
    return between_integers(found) if name.is_integer else found


def between_integers(found: Range) -> Range:
    """The interval from the least to the greatest integer in another one."""
    low, high = found.low, found.high
    if low is not -oo:
        low = low + 1 if low.is_Integer and found.low_open else ceiling(low)
    if high is not oo:
        high = high - 1 if high.is_Integer and found.high_open else floor(high)
    return Range(low, high) if low <= high else found


_RULES = {**FUNCTIONS, **BINDERS}


class Enclosure:
    """Ranges of expressions under facts.

    Some methods are hooks for a subclass that knows more; its answers may depend on ranges, and
    ranges on its answers.
    """

    def __init__(self, facts: Facts, bounds: Mapping[Expr, Range] | None = None) -> None:
        self.facts = facts
        self.bounds = facts.bounds if bounds is None else bounds
        self._known: dict[Expr, Range] = {}

    def inside(self, *more: Any) -> Self:
        """An enclosure of the same kind, for what is bound by an integral or an expectation.

        Facts that speak of integrals, sums or expectations stay outside: asking for the range of
        one within another would come back to itself.
        """
        return type(self)(self.facts.extended(*more).plain)

    def range(self, expr: Expr) -> Range:
        """An interval that contains every value of an expression."""
        found = self._known.get(expr)
        if found is None:
            found = self.by_node(expr)
            bound = self.bounds.get(expr)
            if bound is not None:
                found = found.within(bound)
            found = self.refined(expr, found)
            self._remember(expr, found)
        return found

    def _remember(self, expr: Expr, found: Range) -> None:
        self._known[expr] = found

    # -- hooks ---------------------------------------------------------------------------------

    def refined(self, expr: Expr, found: Range) -> Range:
        """A smaller range than what the node alone tells."""
        return found

    def radicand(self, expr: Expr) -> Range:
        """The range of something that has to be nonnegative."""
        return self.range(expr)

    def sine(self, expr: Expr) -> Range:
        """The range of something that has to be in [-1, 1]."""
        return self.range(expr)

    def nonzero(self, expr: Expr) -> bool:
        """Whether an expression is certainly defined and not zero."""
        if not self.range(expr).contains_zero or (is_name(expr) and expr.is_nonzero is True):
            return True
        if isinstance(expr, Mul):
            return all(map(self.nonzero, expr.args))
        if isinstance(expr, Pow) and expr.exp.is_Rational:
            return self.nonzero(expr.base)
        return any(expr in (other, -other) for other in self.facts.nonzeros)

    # -- by kind of node -----------------------------------------------------------------------

    def by_node(self, expr: Expr) -> Range:
        """The range that the kind of node tells, from those of its arguments."""
        if isinstance(expr, Rational):
            return Range.point(expr)
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
        rule = _RULES.get(type(expr))
        if rule is None:
            raise NoRange(f"{expr} is not understood")
        return rule(self, *expr.args)


_PASSES = 3


@dataclass(frozen=True)
class Facts:
    """What is given of the values of symbols, besides what they declare of themselves.

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

    @property
    def plain(self) -> Facts:
        """Those that speak of no integral, sum or expectation."""
        return Facts(g for g in self.given if not g.has(Expectation, IIDSum, Integral, Sum))

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
    if is_name(core) and core.is_integer is True:
        found = between_integers(found)
    narrowed = before.intersection(found)
    if narrowed is None or narrowed == before:
        return
    known[core] = narrowed
    if isinstance(core, Pow) and is_name(core.base) and core.exp.is_Integer and core.exp > 0:
        n = int(core.exp)
        inner = Enclosure(Facts(), known).range(core.base)
        if n % 2 == 0:
            reach = narrowed.within(NONNEGATIVE.range).root(n)
            wider = Range(-reach.high, reach.high, reach.high_open, reach.high_open)
            if inner.nonnegative:
                wider = reach
            elif inner.nonpositive:
                wider = -reach
            _learn(core.base, inner, wider, known)


def _multiplied_out(expr: Expr) -> Expr:
    """Products of sums expanded; powers, logarithms and functions are left as they are."""
    hints = {"deep": False, "power_base": False, "power_exp": False, "log": False, "basic": False}
    return Add(*(expand(term, **hints) for term in Add.make_args(expr)))


def range_of(expr: Any, facts: Facts | None = None) -> Range:
    """An interval that contains every value of an expression.

    Examples
    --------
    >>> from sympy import Symbol, exp
    >>> x = Symbol("x", positive=True)
    >>> print(range_of(exp(-x)))
    (0, 1)
    """
    return Enclosure(facts or Facts()).range(sympify(expr))
