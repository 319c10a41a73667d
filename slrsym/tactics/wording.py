"""Translation of the checker's terms to SymPy, for computing and for messages."""

from __future__ import annotations

from typing import Any

import sympy as sp

from slrsym.checker import Rejected
from slrsym.checker.term import Term
from slrsym.statements.expressions import text_of
from slrsym.tactics.binders import polynomial_term
from slrsym.tactics.certificates import RELATION_OF, NotKnown
from slrsym.tactics.emission import FAILURES, Emission, Missing
from slrsym.tactics.translate import FUNCTIONS

_CLASSES = {name: made for made, name in FUNCTIONS.items()}
# Longer polynomials say little.
_MOST_TERMS = 12


class Expressions:
    """Translates terms back, as far as they are built of symbols, powers and functions."""

    def __init__(self, em: Emission) -> None:
        self._symbols = {t: x for x, t in em.translator.symbols()}

    def of(self, t: Term) -> Any:
        """Return the expression of a term; raises `Rejected` where there is none."""
        head = t[0]
        if head == "n":
            return sp.Rational(t[1], t[2])
        if head == "pi":
            return sp.pi
        if head == "s" and t in self._symbols:
            return self._symbols[t]
        if head in ("+", "*"):
            return (sp.Add if head == "+" else sp.Mul)(*map(self.of, t[1:]))
        if head == "^":
            return self.of(t[3]) ** sp.Rational(t[1], t[2])
        if head == "f" and t[1] in _CLASSES:
            return _CLASSES[t[1]](*map(self.of, t[2:]))
        raise Rejected(f"no expression for {head}")


def worded(em: Emission, reason: Rejected) -> Rejected:
    """Return the reason of a search that failed in the words of the statement."""
    if not isinstance(reason, NotKnown) or len(reason.polynomial) > _MOST_TERMS:
        return Rejected(str(reason))
    try:
        expr = Expressions(em).of(polynomial_term(reason.ring, reason.polynomial))
    except (*FAILURES, IndexError, KeyError):
        return Rejected(str(reason))
    return Missing(f"{reason}: {text_of(expr)} {RELATION_OF[reason.sign]} 0")
