"""Proofs by cases, which leave nothing out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Eq, Expr, Ge, Gt, Le, Lt, Ne
from sympy.core.relational import Relational

from slrsym.search.context import Context
from slrsym.search.step import Proof, Step, labelled
from slrsym.search.structure.conclusions import concludes
from slrsym.search.structure.steps import structural_step
from slrsym.statements.errors import Refused
from slrsym.statements.expressions import put

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

__all__ = ["cases"]


@dataclass(frozen=True)
class _Cases(Proof):
    goal: Boolean
    branches: tuple[tuple[Boolean, Proof], ...]

    @property
    def conclusion(self) -> Boolean:
        return self.goal

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        for number, (case, proof) in enumerate(self.branches, start=1):
            inner, goal = self._inside(case, context)
            here = labelled(label, f"case {number}")
            yield from proof.steps(inner, here)

            def verify(context: Context, proof: Proof = proof, goal: Boolean = goal) -> None:
                concludes(proof.conclusion, goal, context)

            yield structural_step(
                labelled(here, "conclusion"), goal, f"the case {case}", verify, inner, about=(case,)
            )
        yield structural_step(
            labelled(label, "conclusion"),
            self.goal,
            "the cases cover everything: " + "; ".join(str(case) for case, _ in self.branches),
            lambda context: _require_exhaustive([case for case, _ in self.branches], context),
            context,
        )

    def _inside(self, case: Boolean, context: Context) -> tuple[Context, Boolean]:
        if isinstance(case, Eq) and case.lhs.is_Symbol:
            values = {case.lhs: case.rhs}
            return context.substituted(values), put(self.goal, values)
        return context.assuming(case), self.goal


def cases(goal: Boolean, *branches: tuple[Boolean, Proof]) -> Proof:
    """Show a goal in each of several cases that leave nothing out.

    Parameters
    ----------
    goal : Boolean
        What is to be shown.
    *branches : pairs of a relation and a Proof
        The relations compare one quantity with one bound. In a case ``Eq(symbol, value)`` the proof
        is of the goal with the value put in.

    Returns
    -------
    Proof
        Of the goal.

    Raises
    ------
    ProofError
        If what shows a case is not a proof.
    """
    for case, proof in branches:
        Proof.require(proof, f"what shows the case {case}")
    return _Cases(goal, branches)


def _require_exhaustive(cases: list[Boolean], context: Context) -> None:
    """Refuse unless the cases, all about one quantity against one bound, leave nothing out."""
    signs: set[int] = set()
    quantity: Expr | None = None
    for case in cases:
        if not isinstance(case, Relational):
            raise Refused(f"the case {case} is no comparison")
        difference = (case.lhs - case.rhs).expand()
        if quantity is None:
            quantity = difference
        kinds = {Gt: {1}, Ge: {0, 1}, Lt: {-1}, Le: {-1, 0}, Eq: {0}, Ne: {-1, 1}}
        covered = kinds[type(case)]
        if (difference - quantity).expand() == 0:
            signs |= covered
        elif (difference + quantity).expand() == 0:
            signs |= {-s for s in covered}
        else:
            raise Refused(f"the cases compare different quantities: {difference} and {quantity}")
    assert quantity is not None
    if not context.is_real(quantity):
        raise Refused(f"{quantity} is not known to be real")
    known = context.sign(quantity)
    possible = {-1, 0, 1}
    if known.nonnegative:
        possible -= {-1}
    if known.nonpositive:
        possible -= {1}
    if known.nonzero:
        possible -= {0}
    if not possible <= signs:
        raise Refused("the cases leave something out")
