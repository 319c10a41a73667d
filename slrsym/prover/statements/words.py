"""Statements in words, which only a citation of the literature can conclude."""

from __future__ import annotations

from typing import Any

from sympy import Symbol

from slrsym.prover.statements import remove_dollar_signs
from slrsym.prover.statements.expressions import ProofError, Sentence


class InWords(Sentence):
    """A statement in words, which only a citation of the literature can conclude."""

    def _sympystr(self, printer: Any) -> str:
        return remove_dollar_signs(self.args[0].name)

    def _latex(self, printer: Any) -> str:
        return rf"\text{{{remove_dollar_signs(self.args[0].name)}}}"


def in_words(text: str) -> InWords:
    """Return a statement, given as a text, that only a citation can prove.

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
