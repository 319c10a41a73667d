"""Terms of the checker as SymPy expressions, and formulas in words, for messages."""

from __future__ import annotations

from typing import Any

import sympy as sp

from slrsym.checker import Rejected
from slrsym.checker.expectations import affine_coefficients
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    free_symbols,
    is_same_term,
)
from slrsym.prover.statements.expressions import expression_text, infix_text
from slrsym.prover.tactics.refusals_in_words import term_in_infix_notation
from slrsym.prover.tactics.subterm_paths import subterms
from slrsym.prover.tactics.translation import FUNCTIONS, Translator

_CLASSES = {name: made for made, name in FUNCTIONS.items()} | {"max": sp.Max}
_RELATIONS = {"=": sp.Eq, "!=": sp.Ne, "<": sp.Lt, "<=": sp.Le}
# The longest text, in characters, that is useful in a message.
_MOST = 300


class TermToSympy:
    """Translator from terms of the proof checker back to SymPy expressions."""

    def __init__(self, translator: Translator) -> None:
        self._known = {canonical_key(t): e for e, t in translator.translated_pairs()}

    def expression(self, t: Term) -> Any:
        """Return a term as a SymPy expression; raise `Rejected` if there is none."""
        head = t[0]
        if head == "n":
            return sp.Rational(t[1], t[2])
        if head == "pi":
            return sp.pi
        if canonical_key(t) in self._known:
            return self._known[canonical_key(t)]
        if head in ("+", "*"):
            return (sp.Add if head == "+" else sp.Mul)(*map(self.expression, t[1:]))
        if head == "^":
            return self.expression(t[3]) ** sp.Rational(t[1], t[2])
        if head == "f" and t[1] in _CLASSES:
            return _CLASSES[t[1]](*map(self.expression, t[2:]))
        raise Rejected(f"no expression for {head}")


def _text_of_term(words: TermToSympy, t: Term) -> str:
    """Return a term in the wording of statements, or else in infix notation."""
    try:
        return expression_text(words.expression(t))
    except (Rejected, IndexError):
        return term_in_infix_notation(canonical_key(t))


def formula_text(translator: Translator, p: Term) -> str:
    """Return a formula in the wording of statements, or "a side condition" if it has none."""
    words = TermToSympy(translator)
    try:
        if p[0] == "=" and is_same_term(p[1], p[2]):
            text = f"the existence of {_text_of_term(words, p[1])}"
        elif p[0] in _RELATIONS:
            text = infix_text(_RELATIONS[p[0]](*map(words.expression, p[1:]), evaluate=False))
        elif p[:2] == ("o", "psd"):
            entries = ", ".join(expression_text(words.expression(c)) for c in p[2][1:])
            text = f"({entries}) are the entries of a covariance matrix"
        elif p[:2] == ("o", "integer"):
            text = f"{expression_text(words.expression(p[2]))} is an integer"
        elif p[0] in ("and", "or"):
            text = f" {p[0]} ".join(f"({formula_text(translator, q)})" for q in p[1:])
        else:
            text = term_in_infix_notation(canonical_key(p))
    except (Rejected, IndexError):
        text = term_in_infix_notation(canonical_key(p))
    return text if 0 < len(text) <= _MOST else "a side condition"


def not_shown(translator: Translator, p: Term) -> str:
    """Return that a formula is not shown; of a mean that may not exist, also what to suppose."""
    text = formula_text(translator, p)
    said = f"{text} is not shown"
    if p[0] == "=" and is_same_term(*p[1:]) and (why := reason_to_suppose_mean(p[1])):
        mean = text.removeprefix("the existence of ")
        said += f": {why}; suppose it by a hypothesis, such as {mean} <= m with a new symbol m"
    return said


def reason_to_suppose_mean(t: Term) -> str:
    """Return why a mean may not exist for all that is known, though it may; empty if none is seen.

    Other exponentials than of affine functions may have no mean at all, and none is to be supposed.
    """
    if t[0] != "E":
        return ""
    names = set(bound_variables(t))
    nodes = [s for s in subterms(binder_bodies(t)[0], deep=True) if names & free_symbols(s)]
    curved = [s for s in nodes if not all(_is_affine(part, names) for part in _arguments(s))]
    if any(s[0] == "u" for s in curved):
        return (
            "an unknown function may grow as an exponential, which has no mean if what it is "
            "applied to is not affine"
        )
    is_quotient = any((s[0] == "^" and s[1] < 0) or s[:2] == ("f", "log") for s in nodes)
    if is_quotient and not any(s[:2] == ("f", "exp") for s in curved):
        return "no rule says it of quotients and logarithms of the variables"
    return ""


def _arguments(t: Term) -> tuple[Term, ...]:
    return t[4:] if t[0] == "u" else t[2:] if t[0] == "f" else ()


def _is_affine(t: Term, names: set[Term]) -> bool:
    try:
        affine_coefficients(t, sorted(names))
    except Rejected:
        return False
    return True
