"""Rules about finite sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Add, Dummy, Expr, Ge, Le, Mul, S, Sum, Symbol, expand, sympify

from slrsym.search.context import Context
from slrsym.search.gate import require_defined
from slrsym.search.rules.calculus import in_either_direction, require_equality
from slrsym.search.step import Link, Proof, Rule
from slrsym.statements.errors import Refused
from slrsym.statements.expressions import put


@dataclass(frozen=True)
class _SingleOut(Rule):
    """A finite sum is what comes before one of its terms, that term, and what comes after."""

    place: Expr

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"the term {self.place} of a sum"

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        if not self.place.is_integer:
            raise Refused(f"{self.place} is not known to be an integer")
        in_either_direction(self._check_forward, link, context)

    def _check_forward(self, link: Link, context: Context) -> None:
        sums = [node for node in link.lhs.atoms(Sum) if len(node.limits) == 1]
        inside = [node for node in sums if self._contains(node, context)]
        if not inside:
            raise Refused(f"no sum is known to have a term number {self.place}")
        for node in inside:
            index, low, high = node.limits[0]
            before = Sum(node.function, (index, low, self.place - 1))
            after = Sum(node.function, (index, self.place + 1, high))
            parts = before + put(node.function, {index: self.place}) + after
            try:
                context.require_equal(link.lhs.xreplace({node: parts}), link.rhs)
            except Refused:
                continue
            return
        raise Refused(f"one side is not the other with the term {self.place} of a sum apart")

    def _contains(self, node: Sum, context: Context) -> bool:
        index, low, high = node.limits[0]
        ordered = (Ge(self.place, low), Le(self.place, high))
        return bool(
            low.is_integer
            and high.is_integer
            and index not in self.place.free_symbols
            and all(context.holds(bound) for bound in ordered)
        )


def single_out(place: Any) -> Rule:
    """Take one term out of a finite sum.

    Parameters
    ----------
    place : expression
        The value of the index; an integer that is known to lie between the ends.

    Returns
    -------
    Rule
        For links with the whole sum on one side, and on the other the sum of the terms before, the
        term, and the sum of the terms after.
    """
    return _SingleOut(sympify(place))


@dataclass(frozen=True)
class _Termwise(Rule):
    """Sums over the same range compare as their terms do.

    Every top-level sum over the range is replaced by its term at `index`, and what stands outside
    of these sums by its share according to `partition`, whose terms add up to one.
    """

    index: Symbol
    low: Expr
    high: Expr
    terms: Proof
    facts: tuple[Proof, ...]
    partition: Expr | None

    name = "term by term"

    def _inner(self, context: Context, facts: int) -> Context:
        """Where the terms are compared: the index is in range, and some facts have been shown."""
        bounds = (Ge(self.index, self.low), Le(self.index, self.high))
        shown = [fact.conclusion for fact in self.facts[:facts]]
        return context.assuming(*bounds, *shown)

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        for number, fact in enumerate(self.facts):
            yield f"fact {number + 1}", fact, self._inner(context, number)
        yield "terms", self.terms, self._inner(context, len(self.facts))

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("induction",)

    def check(self, link: Link, context: Context) -> None:
        self._require_range(link, context)
        shown = Link.of(self.terms.conclusion)
        if not link.follows_from(shown.relation):
            shown = shown.flipped
        # Of no terms at all, strictly less cannot be said.
        if link.relation in ("<", ">") or not link.follows_from(shown.relation):
            raise Refused(
                f"the terms compare by {shown.relation}, and this step by {link.relation}"
            )
        inner = self._inner(context, len(self.facts))
        # Of a difference, what cancels is not seen.
        for side in (link.lhs, link.rhs):
            terms: dict[Dummy, Expr] = {}
            for part in (self._opened(side, terms), *terms.values()):
                require_defined(part, inner)
        for side in (shown.lhs, shown.rhs):
            require_defined(side, inner)
        inner.require_equal(self._term(link.lhs - link.rhs, context), shown.lhs - shown.rhs)

    def _require_range(self, link: Link, context: Context) -> None:
        i = self.index
        if not i.is_integer or set(i._assumptions_orig) - {"commutative", "integer"}:
            raise Refused(f"the index {i} has to be declared an integer, and no more")
        restricted = context.restricted
        if i in restricted | self.low.free_symbols | self.high.free_symbols:
            raise Refused(f"the index {i} is restricted from outside; rename it")
        if i in link.statement.free_symbols:
            raise Refused(f"the index {i} stands freely in the step; rename it")
        if not self.low.is_integer or not self.high.is_integer:
            raise Refused(f"{self.low} and {self.high} are not known to be integers")
        context.require(
            context.holds(Le(self.low, self.high + 1, evaluate=False)),
            f"a sum from {self.low} to {self.high} may run backwards",
        )

    def _opened(self, expr: Expr, found: dict[Dummy, Expr]) -> Expr:
        """The expression with places for its top-level sums, whose terms are put into `found`."""
        if isinstance(expr, Sum) and [lim[1:] for lim in expr.limits] == [(self.low, self.high)]:
            place = Dummy(real=True)
            found[place] = put(expr.function, {expr.limits[0][0]: self.index})
            return place
        if isinstance(expr, Add | Mul):
            return expr.func(*(self._opened(arg, found) for arg in expr.args))
        return expr

    def _term(self, difference: Expr, context: Context) -> Expr:
        """What the difference of the two sides is the sum of."""
        found: dict[Dummy, Expr] = {}
        linear = expand(self._opened(difference, found))
        outside = linear.xreplace(dict.fromkeys(found, S.Zero))
        factors = {place: linear.coeff(place) for place in found}
        sums = Add(*(factors[place] * place for place in found))
        bound = set().union(*(factor.free_symbols for factor in factors.values())) & set(found)
        if bound or expand(linear - outside - sums) != 0:
            raise Refused("the step is not linear in its sums")
        total = Add(*(factors[place] * term for place, term in found.items()))
        if self.partition is None:
            context.require_equal(outside, S.Zero)
            return total
        share = Sum(self.partition, (self.index, self.low, self.high))
        context.require_equal(share, S.One)
        return total + outside * self.partition


def termwise(
    index: Symbol,
    low: Any,
    high: Any,
    terms: Proof,
    facts: Iterable[Proof] = (),
    partition: Any = None,
) -> Rule:
    """Compare sums over one range by comparing their terms.

    Rests on the axiom ``induction``.

    Parameters
    ----------
    index : Symbol
        Declared an integer, and standing nowhere else in the step.
    low, high : expression
        The ends of the sums.
    terms : Proof
        Of a relation between terms, at `index`. It may use that the index lies between the ends.
    facts : iterable of Proof, optional
        Of relations at `index` that `terms` may use, and each of them those before it.
    partition : expression, optional
        In `index`, of sum 1: the shares in which what stands outside of the sums is dealt out.

    Returns
    -------
    Rule
        For links whose sides are linear in sums over the range, and differ term by term by what the
        two sides of `terms` differ by.

    Raises
    ------
    ProofError
        If `terms` or a fact is not a proof.
    """
    facts = tuple(Proof.require(fact, "each fact") for fact in facts)
    Proof.require(terms, "terms")
    shares = None if partition is None else sympify(partition)
    return _Termwise(index, sympify(low), sympify(high), terms, facts, shares)
