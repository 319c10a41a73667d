"""Typesetting of formulas of the Gaussian calculus, as LaTeX and MathML."""

from typing import Any

from slrsym.documents.typeset.boxes import Box, FormulaLine, break_lines, widest_unbreakable_width
from slrsym.documents.typeset.calculus import choose_declared_laws
from slrsym.documents.typeset.latex_and_mathml import to_latex, to_mathml
from slrsym.documents.typeset.layout import FormulaPrinter
from slrsym.documents.typeset.order import PrintingOrder


def formula_latex(expr: Any) -> str:
    """Return the LaTeX of an expression, with the laws of its expectations."""
    return to_latex(FormulaPrinter(laws={}).box(expr))


def formula_mathml(expr: Any) -> str:
    """Return the MathML of an expression, with the laws of its expectations."""
    return to_mathml(FormulaPrinter(laws={}).box(expr))
