"""Statements in words, and what is concluded by theorems of the literature that are not checked.

The hypotheses of such a theorem are claims, checked like any other. That the conclusion follows
from them is not checked: a claim that rests on it has the status ``cited``, never ``proved``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Symbol
from sympy.logic.boolalg import Boolean

from slrsym.search.axioms import axiom
from slrsym.search.context import Context
from slrsym.search.step import Proof, Step, labelled
from slrsym.search.structure import structural_step
from slrsym.statements.errors import ProofError
from slrsym.statements.orbits import Sentence

__all__ = ["CITED", "InWords", "by_citation", "in_words"]


# The name of the rule, by which the ledger knows what it must not call proved.
CITED = "cited, not checked"


class InWords(Sentence):
    """A statement in words, which nothing but a citation can conclude."""

    def _sympystr(self, printer: Any) -> str:
        return str(self.args[0].name)

    def _latex(self, printer: Any) -> str:
        return rf"\text{{{self.args[0].name}}}"


def in_words(text: str) -> InWords:
    """A statement in words.

    Parameters
    ----------
    text : str
        The statement.

    Returns
    -------
    InWords
        It has no numbers to be examined by.

    Raises
    ------
    ProofError
        If the text is empty.
    """
    if not isinstance(text, str) or not text.strip():
        raise ProofError(f"a statement in words must not be empty; got {text!r}")
    return InWords(Symbol(" ".join(text.split())))


@dataclass(frozen=True)
class _ByCitation(Proof):
    goal: Boolean
    theorems: tuple[str, ...]
    hypotheses: tuple[str, ...]

    @property
    def conclusion(self) -> Boolean:
        return self.goal

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        def verify(context: Context) -> None:
            for id in self.hypotheses:
                context.claim(id)

        yield structural_step(
            labelled(label, "citation"),
            self.goal,
            CITED,
            verify,
            context,
            axioms=self.theorems,
            uses=self.hypotheses,
            numeric=False,
        )


def by_citation(goal: Boolean, *theorems: str, hypotheses: Iterable[str]) -> Proof:
    """Conclude a statement by theorems of the literature, whose hypotheses are other claims.

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
        raise ProofError("a citation has to name a theorem")
    for name in theorems:
        axiom(name)
    needed = tuple(hypotheses)
    if not needed:
        raise ProofError("a citation has to name the claims that satisfy its hypotheses")
    return _ByCitation(goal, theorems, needed)
