"""Rules of algebra and calculus: normal forms, derivatives, integrals, finite sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy import Add, Derivative, Dummy, Expr, Ge, Integral, Le, S, Sum, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, zeta
from slrsym.gaussian.law import standard_normal
from slrsym.proofs.context import Context, near_point, require_defined
from slrsym.proofs.regularity import (
    derivative,
    expectations_in,
    require_admissible,
    require_convergent,
    require_decay,
    require_integrable,
    require_smooth,
)
from slrsym.proofs.step import Link, Proof, Rewriting, Rule, in_either_direction, require_equality
from slrsym.statements.expressions import Refused, put, rebuilt


def _require_mean(mean: Expectation, context: Context) -> None:
    """Refuse unless an expectation exists: by how its integrand grows, or as it closes."""
    try:
        require_integrable(mean, context)
    except Refused as reason:
        # Imported where it is used, as few proofs need it.
        from slrsym.gaussian.closed_form import evaluated

        try:
            value = evaluated(mean.integrand, mean.law, lambda e: bool(context.sign(e).positive))
        except ValueError:
            raise reason from None
        if value.has(Expectation):
            raise reason from None


class _Algebra(Rewriting):
    """Both sides have the same normal form over exp, erf, roots and the other atoms."""

    name = "algebra"

    def require(self, link: Link, context: Context) -> None:
        for mean in expectations_in(link.statement):
            _require_mean(mean, context)


algebra = _Algebra()


# The claims by which the derivatives in each argument of a function are known.
DERIVATIVE_CLAIMS = {
    OwensT: ("owens-t-derivative-h", "owens-t-derivative-a"),
    zeta: ("zeta-derivative", "zeta-derivative-s"),
}


def derivative_claims(expr: sp.Basic) -> tuple[str, ...]:
    """The claims by which derivatives in an expression are known."""
    used: dict[str, None] = {}
    for node in expr.atoms(Derivative):
        for function, names in DERIVATIVE_CLAIMS.items():
            for term in node.expr.atoms(function):
                for argument, name in zip(term.args, names, strict=True):
                    if argument.free_symbols & set(node.variables):
                        used[name] = None
    return tuple(used)


class _Differentiate(Rewriting):
    """The derivatives on the left, evaluated by the rules of calculus, give the right side.

    Integrals that are differentiated in a parameter rest on the axiom ``dominated-convergence``;
    slopes of special functions on claims such as ``owens-t-derivative-h``.
    """

    name = "differentiation"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("dominated-convergence",) if link.lhs.has(Integral) else ()

    def uses(self, link: Link) -> tuple[str, ...]:
        return derivative_claims(link.statement)

    def require(self, link: Link, context: Context) -> None:
        if not link.statement.has(Derivative):
            raise Refused("neither side has a derivative to evaluate")
        require_defined(link.statement, context)

    def rewritten(self, expr: Expr, context: Context) -> Expr:
        return with_derivatives_taken(expr, context)


def with_derivatives_taken(expr: Expr, context: Context) -> Expr:
    """The expression with its derivatives evaluated, where these are known to exist."""
    return rebuilt(expr, lambda node: _derivatives_of(node, context))


def _derivatives_of(expr: Expr, context: Context) -> Expr | None:
    if isinstance(expr, Derivative):
        inside = with_derivatives_taken(expr.expr, context)
        if inside.has(Expectation):
            return expr
        for variable, count in expr.variable_count:
            inside = derivative(inside, variable, context, int(count))
        return inside
    if isinstance(expr, sp.Subs):
        # A derivative at a point depends on what is near it, and on no hypothesis about symbols
        # that are bound here.
        for variable, value in zip(expr.variables, expr.point, strict=True):
            require_admissible(variable, value, context)
        places, near = near_point(expr)
        values = dict(zip(places.values(), expr.point, strict=True))
        return put(with_derivatives_taken(put(expr.expr, places), context.assuming(*near)), values)
    return None if expr.has(Derivative) else expr


differentiate = _Differentiate()


class _Definition(Rewriting):
    """Owen's T and zeta stand for their definitions.

    That of Owen's T is in D. B. Owen, Annals of Mathematical Statistics 27 (1956).
    """

    name = "definition"

    def rewritten(self, expr: Expr, context: Context) -> Expr:
        x, g = Dummy("x", real=True), Dummy("G", real=True)

        def owens_t(h: Expr, a: Expr) -> Expr:
            body = sp.exp(-(h**2) * (1 + x**2) / 2) / (1 + x**2)
            return Integral(body, (x, 0, a)) / (2 * sp.pi)

        def second_moment(t: Expr, s: Expr) -> Expr:
            return Expectation(sp.erf(t + s * g) ** 2, standard_normal(g))

        return expr.replace(OwensT, owens_t).replace(zeta, second_moment)


definition = _Definition()


@dataclass(frozen=True)
class _FundamentalTheorem(Rule):
    """The integral of a derivative is the difference of the values at the ends."""

    antiderivative: Expr
    variable: Symbol

    name = "fundamental theorem of calculus"
    rests_on = ("fundamental-theorem-of-calculus",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        integrals = [n for n in link.lhs.atoms(Integral) if len(n.limits) == 1]
        for node in integrals:
            x, low, high = node.limits[0]
            if x in context.restricted:
                continue
            require_convergent(node, context)
            primitive = self.antiderivative.xreplace({self.variable: x})
            if not context.equal(primitive.diff(x), node.function):
                continue
            require_smooth(primitive, x, context)
            value = self._at(primitive, x, high, context) - self._at(primitive, x, low, context)
            context.require_equal(link.lhs.xreplace({node: value}), link.rhs)
            return
        raise Refused(f"no integral on the left has the antiderivative {self.antiderivative}")

    @staticmethod
    def _at(primitive: Expr, x: Symbol, end: Expr, context: Context) -> Expr:
        if not end.is_infinite:
            return primitive.subs(x, end)
        require_decay(primitive, x, context)
        return sp.sympify(0)


def fundamental_theorem(antiderivative: Any, variable: Symbol) -> Rule:
    """Evaluate an integral by an antiderivative, which the rule differentiates to check.

    Rests on the axiom ``fundamental-theorem-of-calculus``.

    Parameters
    ----------
    antiderivative : expression
        In `variable`. At infinite ends it has to be a moderate function times a Gaussian.
    variable : Symbol
        The variable of integration.

    Returns
    -------
    Rule
        For links with the integral on the left.
    """
    return _FundamentalTheorem(sp.sympify(antiderivative), variable)


class _IntegralAlgebra(Rewriting):
    """Integrals over adjacent intervals add up.

    Rests on the axiom ``integral-linearity``.
    """

    name = "additivity of the integral"
    rests_on = ("integral-linearity",)

    def rewritten(self, expr: Expr, context: Context) -> Expr:
        for node in expr.atoms(Integral):
            if len(node.limits) != 1 or any(b.is_infinite for b in node.limits[0][1:]):
                raise Refused(f"{node} is not an integral over a bounded interval")
            x, low, high = node.limits[0]
            z = Dummy("x", real=True)
            body = node.function.xreplace({x: z})
            require_smooth(body, z, context)
            parts = Integral(body, (z, 0, high)) - Integral(body, (z, 0, low))
            expr = expr.xreplace({node: parts})
        return expr


integral_algebra = _IntegralAlgebra()


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
            if context.equal(link.lhs.xreplace({node: parts}), link.rhs):
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
    return _SingleOut(sp.sympify(place))


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

    rests_on = ("induction",)

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
        if isinstance(expr, Add | sp.Mul):
            return expr.func(*(self._opened(arg, found) for arg in expr.args))
        return expr

    def _term(self, difference: Expr, context: Context) -> Expr:
        """What the difference of the two sides is the sum of."""
        found: dict[Dummy, Expr] = {}
        linear = sp.expand(self._opened(difference, found))
        outside = linear.xreplace(dict.fromkeys(found, S.Zero))
        factors = {place: linear.coeff(place) for place in found}
        sums = Add(*(factors[place] * place for place in found))
        bound = set().union(*(factor.free_symbols for factor in factors.values())) & set(found)
        if bound or sp.expand(linear - outside - sums) != 0:
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
    shares = None if partition is None else sp.sympify(partition)
    return _Termwise(index, sp.sympify(low), sp.sympify(high), terms, facts, shares)
