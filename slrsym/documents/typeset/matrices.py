"""Typeset boxes of matrices of free size, their traces, and means over Gaussian matrices."""

from __future__ import annotations

from typing import Any

import sympy as sp

from slrsym.documents.typeset.boxes import (
    Atom,
    Box,
    BracketedBox,
    Operator,
    ScriptBox,
    comma_separated_row,
    number_box,
    relation_box,
    row_of_boxes,
)
from slrsym.documents.typeset.printer_base import (
    ATOM,
    LOGIC,
    POWER,
    PRODUCT,
    RELATION,
    SUM,
    PrinterBase,
)
from slrsym.matrices.functions import ForAllMatrices, GradientAt, HessianAt, ValueAt
from slrsym.matrices.means import Along, Loewner, MatrixMean


class MatrixPrinter(PrinterBase):
    """Base class of the formula printer, with its methods for matrices of free size."""

    def _identity(self, expr: sp.Identity) -> tuple[Box, int]:
        return ScriptBox(Atom("I"), self._print(expr.args[0])[0]), ATOM

    def _zero_matrix(self, expr: Any) -> tuple[Box, int]:
        return number_box(0), ATOM

    def _matrix_script(self, base: Any, above: Box) -> tuple[Box, int]:
        box = self._print_at_precedence(base, ATOM)
        if isinstance(box, ScriptBox) and box.above is None:
            return ScriptBox(box.base, box.below, above), POWER
        if isinstance(box, ScriptBox):
            box = BracketedBox("(", box, ")")
        return ScriptBox(box, above=above), POWER

    def _transpose(self, expr: sp.Transpose) -> tuple[Box, int]:
        return self._matrix_script(expr.arg, Atom("T", "name"))

    def _matrix_power(self, expr: Any) -> tuple[Box, int]:
        exponent = expr.exp
        base = expr.base
        if isinstance(base, sp.Inverse):
            base, exponent = base.arg, -exponent
        return self._matrix_script(base, self._print(exponent)[0])

    def _trace(self, expr: sp.Trace) -> tuple[Box, int]:
        return self._function_call(Atom("tr", "name"), (expr.arg,)), POWER

    def _matrix_product(self, expr: sp.MatMul) -> tuple[Box, int]:
        factor, parts = expr.as_coeff_matrices()
        negative = factor.could_extract_minus_sign()
        factor = -factor if negative else factor
        boxes = [self._print_at_precedence(part, POWER) for part in parts]
        if factor != 1:
            boxes = [self._print_at_precedence(factor, PRODUCT), *boxes]
        row = self._row_of_factors(boxes)
        return (row_of_boxes([Operator("-", "prefix"), row]), SUM) if negative else (row, PRODUCT)

    def _matrix_sum(self, expr: sp.MatAdd) -> tuple[Box, int]:
        boxes: list[Box] = []
        for place, term in enumerate(expr.args):
            negative = term.as_coeff_mmul()[0].could_extract_minus_sign()
            if place:
                boxes.append(Operator("-" if negative else "+", "binary", breaks=True))
            elif negative:
                boxes.append(Operator("-", "prefix"))
            boxes.append(self._print_at_precedence(-term if negative else term, PRODUCT))
        return row_of_boxes(boxes), SUM

    def _matrix_mean(self, expr: MatrixMean) -> tuple[Box, int]:
        laws = comma_separated_row([self.matrix_law(*law) for law in expr.laws])
        body = BracketedBox("[", self._print(expr.body)[0], "]")
        return row_of_boxes([ScriptBox(Atom("E", "name"), laws), body]), POWER

    def matrix_law(self, x: Any, rows: Any, columns: Any) -> Box:
        """Return the box of a law, by the covariance of the entries one column after the other."""
        covariance = self._print(rows)[0]
        if columns != sp.Identity(1):
            other = self._print(columns)[0]
            covariance = row_of_boxes([other, Operator("otimes", "binary"), covariance])
        inside = BracketedBox("(", comma_separated_row([number_box(0), covariance]), ")", False)
        return relation_box(self._print(x)[0], "sim", row_of_boxes([Atom("mathcal{N}"), inside]))

    def _along(self, expr: Along) -> tuple[Box, int]:
        """Print a derivative along a direction as D f[H, ...] with the letters that move below."""
        names = comma_separated_row([self._print(x)[0] for x, _ in expr.moves])
        body = BracketedBox("[", self._print(expr.body)[0], "]")
        along = comma_separated_row([self._print(h)[0] for _, h in expr.moves])
        sign = ScriptBox(Atom("D", "name"), names)
        return row_of_boxes([sign, body, BracketedBox("(", along, ")")]), POWER

    def _function_at(self, expr: ValueAt) -> tuple[Box, int]:
        return self._function_call(self.symbol(expr.function), (expr.vector,)), POWER

    def _gradient_at(self, expr: GradientAt) -> tuple[Box, int]:
        call = self._function_call(self.symbol(expr.function), (expr.vector,))
        return row_of_boxes([Atom("nabla"), call]), POWER

    def _hessian_at(self, expr: HessianAt) -> tuple[Box, int]:
        call = self._function_call(self.symbol(expr.function), (expr.vector,))
        return row_of_boxes([ScriptBox(Atom("nabla"), above=number_box(2)), call]), POWER

    def _for_all_matrices(self, expr: ForAllMatrices) -> tuple[Box, int]:
        x, (rows, columns) = expr.letter, expr.letter.shape
        size = self._print(rows)[0]
        if columns != 1:
            size = row_of_boxes([size, Operator("times", "binary"), self._print(columns)[0]])
        domain = relation_box(self.symbol(x), "in", ScriptBox(Atom("mathbb{R}"), above=size))
        over = Atom("for all", "words")
        return row_of_boxes([self._print(expr.statement)[0], over, domain]), LOGIC

    def _loewner(self, expr: Loewner) -> tuple[Box, int]:
        difference = self._print_at_precedence(expr.difference, SUM)
        return relation_box(difference, "succeq", number_box(0)), RELATION
