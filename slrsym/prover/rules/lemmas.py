"""Use of claims proved elsewhere: in a step, as a whole proof, or to cite the literature.

That the conclusion of a theorem of the literature follows from its hypotheses is not checked: a
claim that rests on a citation has the status ``cited``, never ``proved``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, S, sympify
from sympy.logic.boolalg import Boolean

from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.prover.rules.axioms import find_axiom
from slrsym.prover.rules.chain import is_structural, structural_step
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Link, Proof, Rule, Step, join_labels
from slrsym.prover.statements.expressions import ProofError, Refused, Sentence, conjuncts


@dataclass(frozen=True)
class Lemma(Rule):
    """An instance of a proved claim."""

    id: str
    values: tuple[tuple[Any, Expr], ...]
    factor: Expr = S.One
    conditions: tuple[Proof, ...] = ()

    def where(self, *conditions: Proof) -> Lemma:
        """Return the lemma with proofs of those hypotheses that are not found automatically."""
        for condition in conditions:
            Proof.require(condition, "each condition")
        return replace(self, conditions=(*self.conditions, *conditions))

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        for number, condition in enumerate(self.conditions, start=1):
            yield f"condition {number}", condition, context

    def scaled(self, factor: Any) -> Lemma:
        """Return the lemma with its inequality multiplied by a nonnegative factor."""
        return replace(self, factor=sympify(factor))

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"claim {self.id}"

    def uses(self, link: Link) -> tuple[str, ...]:
        return (self.id,)


def lemma(id: str, values: Mapping[Any, Any] | None = None, /, **named: Any) -> Lemma:
    """Use a proved claim at chosen values of its symbols.

    Parameters
    ----------
    id : str
        The id of the claim.
    values : mapping, optional
        Symbols of the claim (or their names) and the expressions to put for them.
    **named : expression
        The same by name.

    Returns
    -------
    Lemma
        The rule.

    Examples
    --------
    ``by=lemma("lemma-18-ii", t=a, gamma=s)``
    """
    pairs = {**(values or {}), **named}
    return Lemma(id, tuple((s, with_own_owens_t(sympify(v))) for s, v in pairs.items()))


@dataclass(frozen=True)
class ClaimedProof(Proof):
    id: str
    values: tuple[tuple[Any, Expr], ...]
    goal: Boolean

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        yield structural_step(
            label or "1",
            self.goal,
            f"claim {self.id}",
            context,
            citing=(self.id,),
            about=self.values,
            numeric=not self._is_the_claim(context),
        )

    def _is_the_claim(self, context: Context) -> bool:
        """Return whether the goal is the claim itself, which needs no second cross-check."""
        try:
            claim = context.claim(self.id)
        except (ProofError, Refused):
            return False
        if self.goal.has(Sentence):
            # It is the same under more hypotheses, and what is said of orbits takes long.
            return not self.values and self.goal in conjuncts(claim.statement)
        return not self.values and not claim.hypotheses and claim.statement == self.goal


def by_claim(statement: Boolean, id: str, values: Mapping[Any, Any] | None = None) -> Proof:
    """Return a one-step proof of a statement that is an instance of a proved claim.

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
    return ClaimedProof(id, pairs, statement)


# The name of the rule, by which the ledger knows what it must not call proved.
CITED = "cited, not checked"


def citation_axiom_name(theorems: Iterable[str]) -> str:
    """Return the name of the axiom on which the conclusion of a citation rests."""
    return f"{CITED}: {', '.join(theorems)}"


def is_citation(rule: Rule) -> bool:
    """Return whether a rule is that of the step by which a citation concludes.

    A rule of the user's own may have the name of this one.
    """
    return is_structural(rule) and rule.name == CITED


@dataclass(frozen=True)
class _ByCitation(Proof):
    goal: Boolean
    theorems: tuple[str, ...]
    hypotheses: tuple[str, ...]

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        yield structural_step(
            join_labels(label, "citation"),
            self.goal,
            CITED,
            context,
            theorems=self.theorems,
            citing=self.hypotheses,
            numeric=False,
        )


def by_citation(goal: Boolean, *theorems: str, hypotheses: Iterable[str]) -> Proof:
    """Conclude a statement from theorems of the literature whose hypotheses are claims.

    Parameters
    ----------
    goal : Boolean
        The statement.
    *theorems : str
        Ids of axioms.
    hypotheses : iterable of str
        Ids of the claims that say that the hypotheses of the theorems are satisfied.

    Returns
    -------
    Proof
        In one step, which makes the claim ``cited``. The claims have to be accepted themselves.

    Raises
    ------
    ProofError
        If there is no theorem, an axiom is unknown, or there are no hypotheses.
    """
    if not theorems:
        raise ProofError(f"theorems must name a theorem that gives {goal}; got none")
    for name in theorems:
        find_axiom(name)
    needed = tuple(hypotheses)
    if not needed:
        raise ProofError(
            f"hypotheses must name the claims that satisfy those of {', '.join(theorems)}; got none"
        )
    return _ByCitation(goal, theorems, needed)
