"""Proofs that are put together from others, and add no step: parts, and facts on the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import And, Expr
from sympy.core.relational import Relational

from slrsym.search.chain import chain
from slrsym.search.context import Context
from slrsym.search.step import Proof, Rule, Step, labelled
from slrsym.statements.errors import ProofError

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

__all__ = ["all_of", "as_proof", "having"]


@dataclass(frozen=True)
class _AllOf(Proof):
    parts: tuple[Proof, ...]

    @property
    def conclusion(self) -> Boolean:
        return And(*(p.conclusion for p in self.parts), evaluate=False)

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        for number, part in enumerate(self.parts, start=1):
            yield from part.steps(context, labelled(label, f"part {number}"))


def all_of(*parts: Proof) -> Proof:
    """Show a conjunction part by part.

    Parameters
    ----------
    *parts : Proof
        The proofs of the parts.

    Returns
    -------
    Proof
        Of the conjunction of what they conclude.

    Raises
    ------
    ProofError
        If a part is not a proof.
    """
    for part in parts:
        Proof.require(part, "each part")
    return _AllOf(parts)


@dataclass(frozen=True)
class _Having(Proof):
    fact: Proof
    then: Proof

    @property
    def conclusion(self) -> Boolean:
        return self.then.conclusion

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        yield from self.fact.steps(context, labelled(label, "fact"))
        yield from self.then.steps(context.assuming(self.fact.conclusion), label)


def having(fact: Proof, then: Proof) -> Proof:
    """Show a relation, and use it as a hypothesis of what follows.

    Parameters
    ----------
    fact : Proof
        Of the relation, for all values that the hypotheses allow.
    then : Proof
        What follows; its steps may use the relation.

    Returns
    -------
    Proof
        Of what `then` shows.

    Raises
    ------
    ProofError
        If one of them is not a proof, or `fact` does not show a relation.
    """
    Proof.require(fact, "the fact")
    Proof.require(then, "what follows")
    if not isinstance(fact.conclusion, Relational):
        raise ProofError(f"the fact must be a relation; got {fact.conclusion}")
    return _Having(fact, then)


def as_proof(start: Expr, end: Expr, proof: Proof | Rule) -> Proof:
    """A part of a proof that may be given by a rule alone."""
    if isinstance(proof, Rule):
        return chain(start).then(end, by=proof)
    return Proof.require(proof, "what shows a part")
