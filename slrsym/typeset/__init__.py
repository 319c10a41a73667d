"""Formulas of Gaussian calculus as LaTeX and MathML, written as a person would write them."""

from typing import Any

from slrsym.typeset.backends import to_latex, to_mathml
from slrsym.typeset.boxes import Box, FormulaLine, broken, widest
from slrsym.typeset.calculus import declared_laws
from slrsym.typeset.layout import Printer
from slrsym.typeset.order import Order


def formula_latex(expr: Any) -> str:
    """An expression by itself, with the laws of its expectations, in LaTeX."""
    return to_latex(Printer(laws={}).box(expr))


def formula_html(expr: Any) -> str:
    """An expression by itself, with the laws of its expectations, as MathML."""
    return to_mathml(Printer(laws={}).box(expr))
