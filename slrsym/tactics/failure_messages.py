"""Reasons why a search failed, in the wording of statements."""

from __future__ import annotations

from slrsym.checker import Rejected
from slrsym.statements.expressions import expression_text
from slrsym.tactics.binders import polynomial_term
from slrsym.tactics.emission import FAILURES, MissingFact, ProofEmitter
from slrsym.tactics.sign_search import RELATION_OF, UnknownSign
from slrsym.tactics.term_to_sympy import TermToSympy

# The longest polynomial, in terms, that is useful in a message.
_MOST_TERMS = 12


def rejection_in_words_of_statements(emitter: ProofEmitter, reason: Rejected) -> Rejected:
    """Return a new error for a failed search, with its reason in the wording of statements."""
    if not isinstance(reason, UnknownSign) or len(reason.polynomial) > _MOST_TERMS:
        return Rejected(str(reason))
    try:
        expr = TermToSympy(emitter.translator).expression(
            polynomial_term(reason.ring, reason.polynomial)
        )
    except (*FAILURES, IndexError, KeyError):
        return Rejected(str(reason))
    return MissingFact(f"{reason}: {expression_text(expr)} {RELATION_OF[reason.sign]} 0")
