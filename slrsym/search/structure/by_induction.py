"""Proofs by induction on a non-negative integer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import Eq, S, Symbol
from sympy.core.relational import Relational

from slrsym.search.algebra import Freedom
from slrsym.search.context import Context
from slrsym.search.step import Link, Proof, Rule, Step, labelled
from slrsym.search.structure.conclusions import concludes
from slrsym.search.structure.parts import as_proof
from slrsym.search.structure.steps import structural_step
from slrsym.statements.errors import ProofError, Refused
from slrsym.statements.expressions import put

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

__all__ = ["induction"]


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
