"""Rules of algebra and calculus: normal forms, derivatives, integrals, finite sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from sympy import Add, Derivative, Dummy, Expr, Ge, Integral, Le, Sum, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import standard_normal
from slrsym.gaussian.special_functions import OwensT, zeta
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Link, Proof, Rule, facts_beside_hypotheses
from slrsym.prover.statements.expressions import replace_outermost_parts, substitute_simultaneously


@dataclass(frozen=True, repr=False)
class AlgebraRule(Rule):
    """Both sides have the same normal form over exp, erf, roots and the other atoms."""

    facts: tuple[Proof, ...] = ()

    name = "algebra"

    def using(self, *facts: Proof | Rule) -> AlgebraRule:
        """Return the rule with equations to substitute first, such as values of expectations."""
        more = facts_beside_hypotheses(facts)
        return replace(self, facts=(*self.facts, *more))

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        for number, fact in enumerate(self.facts, start=1):
            yield f"fact {number}", fact, context


algebra = AlgebraRule()


# The claims by which the derivatives in each argument of a function are known.
DERIVATIVE_CLAIMS = {
    OwensT: ("owens-t-derivative-h", "owens-t-derivative-a"),
    zeta: ("zeta-derivative", "zeta-derivative-s"),
}


def derivative_claim_ids(expr: sp.Basic) -> tuple[str, ...]:
    """Return the ids of claims that prove derivative formulas needed in an expression."""
    used: dict[str, None] = {}
    for node in expr.atoms(Derivative):
        for function, names in DERIVATIVE_CLAIMS.items():
            for term in node.expr.atoms(function):
                for argument, name in zip(term.args, names, strict=True):
                    if argument.free_symbols & set(node.variables):
                        used[name] = None
    return tuple(used)


class DifferentiateRule(Rule):
    """The derivatives on the left, evaluated by the rules of calculus, give the right side.

    Integrals that are differentiated in a parameter rest on the axiom ``dominated-convergence``;
    slopes of special functions on claims such as ``owens-t-derivative-h``.
    """

    name = "differentiation"

    def uses(self, link: Link) -> tuple[str, ...]:
        return derivative_claim_ids(link.statement)

    def gives(self, link: Link, context: Context) -> Expr:
        return evaluate_derivatives(link.lhs)


def evaluate_derivatives(expr: Expr) -> Expr:
    """Evaluate all derivatives in an expression, except derivatives of expectations."""

    def taken(node: Any) -> Any:
        if isinstance(node, Derivative) and not node.expr.has(Expectation):
            return evaluate_derivatives(node.expr).diff(*node.variable_count)
        if isinstance(node, sp.Subs):
            values = dict(zip(node.variables, node.point, strict=True))
            return substitute_simultaneously(evaluate_derivatives(node.expr), values)
        return None

    return replace_outermost_parts(expr, taken)


differentiate = DifferentiateRule()


class DefinitionRule(Rule):
    """Owen's T and zeta equal their definitions.

    That of Owen's T is in D. B. Owen, Annals of Mathematical Statistics 27 (1956).
    """

    name = "definition"

    def gives(self, link: Link, context: Context) -> Expr:
        x, g = Dummy("x", real=True), Dummy("G", real=True)

        def owens_t(h: Expr, a: Expr) -> Expr:
            body = sp.exp(-(h**2) * (1 + x**2) / 2) / (1 + x**2)
            return Integral(body, (x, 0, a)) / (2 * sp.pi)

        def second_moment(t: Expr, s: Expr) -> Expr:
            return Expectation(sp.erf(t + s * g) ** 2, standard_normal(g))

        return link.lhs.replace(OwensT, owens_t).replace(zeta, second_moment)


definition = DefinitionRule()


@dataclass(frozen=True)
class FundamentalTheoremRule(Rule):
    """The integral of a derivative is the difference of the values at the ends."""

    antiderivative: Expr
    variable: Symbol

    name = "fundamental theorem of calculus"


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
    return FundamentalTheoremRule(sp.sympify(antiderivative), variable)


class LimitsRule(Rule):
    """Limits at infinity or at a point, evaluated by leading terms.

    As ``limits-of-functions`` says. The proof checker has no words for limits: a claim that uses
    this rule rests on the axiom that the rule is sound, and is ``conditional``.
    """

    name = "limits"


limits = LimitsRule()


class IntegralAlgebraRule(Rule):
    """Integrals over adjacent intervals add up.

    Rests on the axiom ``integral-linearity``.
    """

    name = "additivity of the integral"


integral_algebra = IntegralAlgebraRule()


@dataclass(frozen=True)
class SingleOutRule(Rule):
    """A finite sum is the terms before a chosen one, this term, and the terms after it."""

    place: Expr

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"the term {self.place} of a sum"


def single_out(place: Any) -> Rule:
    """Split a chosen term off a finite sum.

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
    return SingleOutRule(sp.sympify(place))


@dataclass(frozen=True)
class TermwiseRule(Rule):
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
        """Return one term's context: its index is in range, and the first `facts` facts hold."""
        bounds = (Ge(self.index, self.low), Le(self.index, self.high))
        shown = [fact.conclusion for fact in self.facts[:facts]]
        return context.assuming(*bounds, *shown)

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        for number, fact in enumerate(self.facts):
            yield f"fact {number + 1}", fact, self._inner(context, number)
        yield "terms", self.terms, self._inner(context, len(self.facts))

    def _opened(self, expr: Expr, found: dict[Dummy, Expr]) -> Expr:
        """Replace sums over the range by placeholders, and store their terms in `found`."""
        if isinstance(expr, Sum) and [lim[1:] for lim in expr.limits] == [(self.low, self.high)]:
            place = Dummy(real=True)
            found[place] = substitute_simultaneously(expr.function, {expr.limits[0][0]: self.index})
            return place
        if isinstance(expr, Add | sp.Mul):
            return expr.func(*(self._opened(arg, found) for arg in expr.args))
        return expr


def termwise(
    index: Symbol,
    low: Any,
    high: Any,
    terms: Proof,
    facts: Iterable[Proof] = (),
    partition: Any = None,
) -> Rule:
    """Compare two sums over the same range by comparing their terms.

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
    return TermwiseRule(index, sp.sympify(low), sp.sympify(high), terms, facts, shares)
