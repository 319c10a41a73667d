"""Proofs of equalities by induction, and by derivatives and the values at one point."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import Eq, Expr, S, Symbol, sympify
from sympy.core.relational import Relational

from slrsym.search.algebra.atoms import Freedom
from slrsym.search.chain import D
from slrsym.search.context import Context
from slrsym.search.regularity import require_differentiable, require_interval
from slrsym.search.step import Link, Proof, Rule, Step, labelled
from slrsym.search.structure.parts import as_proof, concludes, structural_step
from slrsym.statements.errors import ProofError, Refused
from slrsym.statements.expressions import put

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean


@dataclass(frozen=True)
class _EqualByDerivative(Proof):
    goal: Relational
    variable: Symbol
    at: Expr
    value: Proof
    derivative: Proof

    @property
    def conclusion(self) -> Boolean:
        return self.goal

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        t, at = self.variable, self.at
        inside = context.substituted({t: at})
        start = put(self.goal, {t: at})
        slope = Eq(D(self.goal.lhs, t), D(self.goal.rhs, t), evaluate=False)
        yield from self.value.steps(inside, labelled(label, "value"))
        yield from self.derivative.steps(context, labelled(label, "derivative"))

        def verify(context: Context) -> None:
            require_interval(t, at, context)
            for side in (self.goal.lhs, self.goal.rhs):
                require_differentiable(side, t, context)
            concludes(self.value.conclusion, start, inside)
            concludes(self.derivative.conclusion, slope, context)

        yield structural_step(
            labelled(label, "conclusion"),
            self.goal,
            f"equal at {t} = {at}, with equal derivatives in {t}",
            verify,
            context,
            axioms=("mean-value-theorem",),
            about=(Eq(t, at, evaluate=False), t),
        )


def equal_by_derivative(
    goal: Relational, variable: Symbol, *, at: Any, value: Proof | Rule, derivative: Proof | Rule
) -> Proof:
    """Two functions agree if they agree at one point and have the same derivative.

    Rests on the axiom ``mean-value-theorem``.

    Parameters
    ----------
    goal : Eq
        What is to be shown, for every value of `variable`.
    variable : Symbol
        A real variable, whose domain is an interval.
    at : expression
        A point of the domain.
    value : Proof or Rule
        That both sides agree at `at`.
    derivative : Proof or Rule
        That ``D(goal.lhs, variable)`` equals ``D(goal.rhs, variable)``.

    Returns
    -------
    Proof
        Of the goal.

    Raises
    ------
    ProofError
        If the goal is not an equality, or a part is neither a proof nor a rule.
    """
    if not isinstance(goal, Eq):
        raise ProofError(f"equal_by_derivative shows equalities; the goal is {goal}")
    at = sympify(at)
    value = as_proof(put(goal.lhs, {variable: at}), put(goal.rhs, {variable: at}), value)
    derivative = as_proof(D(goal.lhs, variable), D(goal.rhs, variable), derivative)
    return _EqualByDerivative(goal, variable, at, value, derivative)


@dataclass(frozen=True)
class _Induction(Proof):
    goal: Relational
    variable: Symbol
    base: Proof
    step: Proof

    @property
    def conclusion(self) -> Boolean:
        return self.goal

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        n = self.variable
        first = put(self.goal, {n: S.Zero})
        following = put(self.goal, {n: n + 1})
        yield from self.base.steps(context.substituted({n: S.Zero}), labelled(label, "base"))
        yield from self.step.steps(context.granting(self.goal), labelled(label, "step"))

        def verify(context: Context) -> None:
            if not (n.is_integer and n.is_nonnegative) or n.is_positive:
                raise Refused(f"{n} is not declared a non-negative integer")
            if any(n in h.free_symbols for h in context.hypotheses):
                raise Refused(f"a hypothesis restricts {n}")
            concludes(self.base.conclusion, first, context.substituted({n: S.Zero}))
            concludes(self.step.conclusion, following, context)

        yield structural_step(
            labelled(label, "conclusion"),
            self.goal,
            f"induction on {n}",
            verify,
            context,
            axioms=("induction",),
            about=(n,),
        )


def induction(goal: Relational, variable: Symbol, base: Proof | Rule, step: Any) -> Proof:
    """Show an equality for every non-negative integer.

    Rests on the axiom ``induction``.

    Parameters
    ----------
    goal : Eq
        What is to be shown for every value of `variable`.
    variable : Symbol
        Declared a non-negative integer.
    base : Proof or Rule
        The goal at 0.
    step : callable
        Takes the rule "induction hypothesis" and returns the proof of the goal at ``variable + 1``.

    Returns
    -------
    Proof
        Of the goal.

    Raises
    ------
    ProofError
        If the goal is not an equality, or a part is neither a proof nor a rule.
    """
    if not isinstance(goal, Eq):
        raise ProofError(f"induction shows equalities; the goal is {goal}")
    at_zero = put(goal, {variable: S.Zero})
    following = put(goal, {variable: variable + 1})
    return _Induction(
        goal,
        variable,
        as_proof(at_zero.lhs, at_zero.rhs, base),
        as_proof(following.lhs, following.rhs, step(_Hypothesis(goal))),
    )


@dataclass(frozen=True)
class _Hypothesis(Rule):
    """The induction hypothesis."""

    goal: Relational

    name = "induction hypothesis"

    def check(self, link: Link, context: Context) -> None:
        context.require(link.relation == "=", "the induction hypothesis is an equality")
        context.require(
            self.goal in context.granted, "the induction hypothesis is used outside of its step"
        )
        context.require_equal(
            link.lhs,
            link.rhs,
            Freedom(linearity=True),
            given=((self.goal.lhs, self.goal.rhs),),
        )
