"""Formulas of Gaussian calculus as LaTeX and MathML, written as a person would write them."""

from slrsym.typeset.boxes import Box as Box
from slrsym.typeset.breaking import Line as Line
from slrsym.typeset.breaking import broken as broken
from slrsym.typeset.breaking import widest as widest
from slrsym.typeset.latex import to_latex as to_latex
from slrsym.typeset.laws import declared_laws as declared_laws
from slrsym.typeset.mathml import to_mathml as to_mathml
from slrsym.typeset.order import Order as Order
from slrsym.typeset.printer import Printer as Printer
