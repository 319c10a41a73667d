"""Formulas of Gaussian calculus as LaTeX and MathML, written as a person would write them."""

from slrsym.gaussian.typeset.boxes import Box as Box
from slrsym.gaussian.typeset.breaking import Line as Line
from slrsym.gaussian.typeset.breaking import broken as broken
from slrsym.gaussian.typeset.breaking import widest as widest
from slrsym.gaussian.typeset.latex import to_latex as to_latex
from slrsym.gaussian.typeset.laws import declared_laws as declared_laws
from slrsym.gaussian.typeset.mathml import to_mathml as to_mathml
from slrsym.gaussian.typeset.order import Order as Order
from slrsym.gaussian.typeset.printer import Printer as Printer
