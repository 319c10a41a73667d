"""Definitions of a statement's letters, for pages that must be readable alone.

A book has the table of notation once. A page of the site repeats what its statement needs of it:
the abbreviations with what they stand for, the risk, zeta and Owen's function with their
definitions, and for all other letters a link to the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Symbol

from slrsym.documents.export.document import (
    Block,
    Inline,
    LatexMath,
    Math,
    NotationReference,
    Paragraph,
    Text,
)
from slrsym.documents.export.prose import split_at_dollar_signs
from slrsym.documents.export.shorthand import Shorthand
from slrsym.documents.typeset import FormulaPrinter
from slrsym.documents.typeset.boxes import relation_box
from slrsym.gaussian import OwensT, zeta
from slrsym.papers.single_location import notation
from slrsym.papers.single_location.documents.abbreviations import (
    NAMES,
    has_meaning_of_notation_table,
)
from slrsym.papers.single_location.documents.task_shorthand import RISK

_DEFINED = (
    (zeta, r"\zeta(t, s) = \mathbb{E}\,\operatorname{erf}(t + sG)^2", " for a standard normal $G$"),
    (
        OwensT,
        r"T(h, x) = \frac{1}{2\pi}\int_0^x \exp(-h^2(1 + u^2)/2)/(1 + u^2)\,\mathrm{d}u",
        "",
    ),
)
_RISK = (
    LatexMath(r"\mathcal{R}(\kappa, \nu, \theta, \eta, \rho)"),
    Text(" is the risk at these overlaps"),
)
# The letters that the table explains and that are not abbreviations.
_PAPER = {
    *("d", "L", "gamma", "epsilon", "lambda", "alpha"),
    *(x.name for x in notation.ORDER_PARAMETERS),
}


def explain_letters_of_notation_table(
    shorthand: Shorthand, used: set[Symbol], said: Iterable[Any], printer: FormulaPrinter
) -> tuple[Block, ...]:
    """Return a paragraph, or none, on those letters of a statement that the notation table defines.

    `used` are the abbreviations with which the statement and its definitions are written, `said` is
    the statement with its hypotheses, abbreviated.
    """
    said = list(said)
    clauses: list[tuple[Inline, ...]] = []
    for letter, value in shorthand.letters.items():
        if (
            letter in used
            and letter.name not in NAMES
            and has_meaning_of_notation_table(shorthand, letter)
        ):
            right = printer.box(value, inline=True)
            clauses.append((Math(relation_box(printer.symbol(letter), "=", right)),))
    written = [
        *said,
        *(shorthand.letter_definition(x) for x in shorthand.local.values() if x in used),
    ]
    if RISK in shorthand.functions:
        clauses.append(_RISK)
    for function, formula, more in _DEFINED:
        if any(expr.has(function) for expr in written):
            clauses.append((LatexMath(formula), *split_at_dollar_signs(more)))
    names = {s.name for expr in written for s in expr.atoms(Symbol)}
    if not clauses and not names & _PAPER:
        return ()
    parts: list[Inline] = []
    for place, clause in enumerate(clauses):
        last = place == len(clauses) - 1
        parts += [Text("Here " if not place else " and " if last else ", "), *clause]
    lead = "; other letters are explained under " if parts else "The letters are explained under "
    return (Paragraph((*parts, Text(lead), NotationReference(), Text("."))),)
