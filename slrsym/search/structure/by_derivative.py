"""Proofs that two functions agree, by their derivatives and their values at one point."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import Eq, Expr, Symbol, sympify
from sympy.core.relational import Relational

from slrsym.search.chain import D
from slrsym.search.context import Context
from slrsym.search.convergence import require_differentiable
from slrsym.search.interval import require_interval
from slrsym.search.step import Proof, Rule, Step, labelled
from slrsym.search.structure.conclusions import concludes
from slrsym.search.structure.parts import as_proof
from slrsym.search.structure.steps import structural_step
from slrsym.statements.errors import ProofError
from slrsym.statements.expressions import put

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

__all__ = ["equal_by_derivative"]


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
