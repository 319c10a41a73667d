"""What is given: hypotheses, sorted, and the bounds that can be read off them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any

from sympy import (
    Add,
    Basic,
    Eq,
    Expr,
    Ge,
    Gt,
    Integral,
    Le,
    Lt,
    Ne,
    Pow,
    S,
    Sum,
    Symbol,
    expand,
    oo,
    sympify,
)
from sympy.core.relational import Relational
from sympy.logic.boolalg import And

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import IIDSum
from slrsym.search.ranges.enclosure import Enclosure
from slrsym.search.ranges.intervals import NONNEGATIVE, NoRange, Range
from slrsym.search.ranges.names import between_integers, is_name

__all__ = ["Facts"]

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
            reach = narrowed.within(NONNEGATIVE).root(n)
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
