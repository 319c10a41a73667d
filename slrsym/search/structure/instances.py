"""Proofs in one step: a statement is an instance of a whole claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import And, Expr, sympify

from slrsym.search.context import Context
from slrsym.search.rules.lemmas import instance
from slrsym.search.step import Proof, Step
from slrsym.search.structure.conclusions import concludes
from slrsym.search.structure.steps import structural_step
from slrsym.statements.errors import ProofError, Refused
from slrsym.statements.orbits import Sentence

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

__all__ = ["claimed"]


@dataclass(frozen=True)
class _Claimed(Proof):
    id: str
    values: tuple[tuple[Any, Expr], ...]
    statement: Boolean

    @property
    def conclusion(self) -> Boolean:
        return self.statement

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        def verify(context: Context) -> None:
            claim = context.claim(self.id)
            values = {claim.symbol(s): v for s, v in self.values}
            concludes(instance(claim, values, context), self.statement, context)

        yield structural_step(
            label or "1",
            self.statement,
            f"claim {self.id}",
            verify,
            context,
            uses=(self.id,),
            numeric=not self._is_the_claim(context),
        )

    def _is_the_claim(self, context: Context) -> bool:
        """Whether it is the claim as it stands, which is examined by numbers where it is proved."""
        try:
            claim = context.claim(self.id)
        except (ProofError, Refused):
            return False
        if self.statement.has(Sentence):
            # It is the same under more hypotheses, and what is said of orbits takes long.
            return not self.values and self.statement in And.make_args(claim.statement)
        return not self.values and not claim.given and claim.statement == self.statement


def claimed(statement: Boolean, id: str, values: Mapping[Any, Any] | None = None) -> Proof:
    """A statement that is an instance of a proved claim.

    Parameters
    ----------
    statement : Boolean
        The statement.
    id : str
        The id of the claim.
    values : mapping, optional
        Symbols of the claim (or their names) and the expressions to put for them.

    Returns
    -------
    Proof
        Of the statement, in one step.
    """
    pairs = tuple((s, sympify(v)) for s, v in (values or {}).items())
    return _Claimed(id, pairs, statement)
