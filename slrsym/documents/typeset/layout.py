"""Layout of SymPy expressions and statements as typeset boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import sympy as sp
from sympy import (
    Add,
    Derivative,
    Expr,
    Function,
    Ge,
    Gt,
    Integral,
    Le,
    Limit,
    Lt,
    Mul,
    Ne,
    Pow,
    S,
    Subs,
    Sum,
    Symbol,
    latex,
)
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, Equivalent, Implies, Not, Or
from sympy.matrices import MatrixBase
from sympy.tensor.indexed import Indexed, IndexedBase

from slrsym.documents.typeset.boxes import (
    Atom,
    Box,
    BracketedBox,
    Fraction,
    MatrixBox,
    Operator,
    Root,
    ScriptBox,
    Space,
    comma_separated_row,
    number_box,
    relation_box,
    row_of_boxes,
)
from slrsym.documents.typeset.calculus import CalculusPrinter, ExpectationPrinter
from slrsym.documents.typeset.matrices import MatrixPrinter
from slrsym.documents.typeset.order import ProductParts, is_negative_term
from slrsym.documents.typeset.printer_base import (
    ATOM,
    LOGIC,
    POWER,
    PREFIX,
    PRODUCT,
    RELATION,
    SUM,
    PrinterBase,
)
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import IIDSum, Law
from slrsym.matrices.functions import (
    ForAllMatrices,
    GradientAt,
    HessianAt,
    SmoothFunction,
    ValueAt,
)
from slrsym.matrices.letters import Letter
from slrsym.matrices.means import Along, Loewner, MatrixMean
from slrsym.prover.statements.expressions import ForAll, conjuncts

# A fraction of a denominator from this on is written as a decimal of fewer places than that.
_LARGE, _MOST_PLACES = 1000, 13
# What stands below a slash is no wider than this, in em.
_WIDE_DIVISOR = 7.0
# What stands after a fraction, rather than in its numerator, is wider than this.
_WIDE_FACTOR = 11.0
# A sum above a fraction bar is no wider than this, in em.
_WIDE_SUM = 20.0


class ArithmeticPrinter(PrinterBase):
    """Base class of the formula printer, with its methods for sums, products and powers."""

    def _sum(self, expr: Add, inline: bool) -> tuple[Box, int]:
        parts: list[Box] = []
        for place, term in enumerate(self.order.sorted_terms(expr.args, self._bound)):
            negative = is_negative_term(term)
            if place:
                parts.append(Operator("-" if negative else "+", "binary", breaks=True))
            elif negative:
                parts.append(Operator("-", "prefix"))
            parts.append(self._print_at_precedence(-term if negative else term, PRODUCT, inline))
        return row_of_boxes(parts), SUM

    def _product(self, expr: Expr, inline: bool) -> tuple[Box, int]:
        if expr.is_Rational and expr > 0 and (digits := _short_decimal(expr)):
            return number_box(digits), ATOM
        product = ProductParts.from_product(expr)
        if product.negative:
            positive = self._print_at_precedence(-expr, PRODUCT, inline)
            return row_of_boxes([Operator("-", "prefix"), positive]), SUM
        if product.is_power:
            return self._power(expr.base, expr.exp), POWER
        simple, tail = self._split_factors(product)
        below, rest = self._split_factors(product.denominator)
        denominator = [*below, *rest]
        if not denominator:
            factors = [*simple, *tail] or [number_box(1)]
            return self._row_of_factors(factors), PRODUCT if len(factors) > 1 else POWER
        if inline and len(denominator) <= 2 and _fit_below_slash(denominator):
            under = self._row_of_factors(denominator)
            if len(denominator) > 1 and not isinstance(under, BracketedBox):
                under = BracketedBox("(", under, ")")
            above = self._row_of_factors([*simple, *tail] or [number_box(1)])
            return row_of_boxes([above, Operator("/", "slash"), under]), PRODUCT
        width = sum(box.width for box in tail)
        if not simple and len(tail) == 1 and _is_flat_sum(tail[0]):
            return self._fraction(tail, denominator), PRODUCT
        loose = product.has_open_ended_factor or any(
            isinstance(box, BracketedBox) or box.height >= 2 for box in tail
        )
        if tail and (loose or width > _WIDE_FACTOR):
            return self._row_of_factors([self._fraction(simple, denominator), *tail]), PRODUCT
        return self._fraction([*simple, *tail], denominator), PRODUCT

    def _fraction(self, above: list[Box], below: list[Box]) -> Box:
        parts = [self._row_of_factors(boxes or [number_box(1)]) for boxes in (above, below)]
        bare = [p.body if isinstance(p, BracketedBox) and p.opening == "(" else p for p in parts]
        return Fraction(*bare)

    def _split_factors(self, product: ProductParts) -> tuple[list[Box], list[Box]]:
        """Return two lists of boxes of factors: those in a fraction, and those that follow it."""
        simple: list[Box] = [] if product.number == 1 else [number_box(product.number)]
        tail: list[Box] = []
        roots: list[Box] = []
        above, below = product.roots, product.denominator_radicands
        if above or below:
            alone = len(above) == 1 and not below
            inside: Box = (
                self._print(above[0])[0]
                if alone
                else self._row_of_factors([self._power(b, S.One) for b in above] or [number_box(1)])
            )
            if below:
                under = self._row_of_factors([self._power(b, S.One) for b in below])
                inside = row_of_boxes([inside, Operator("/", "slash"), under])
            roots = [Root(inside)]
            if all(b.is_number for b in above):
                simple, roots = [*simple, *roots], []
        letters = self.order.sorted_factors(product.letters, self._bound)
        for factor in letters:
            base, exponent = factor.as_base_exp() if isinstance(factor, Pow) else (factor, S.One)
            if base in self._bound and roots:
                simple += roots
                roots = []
            simple.append(self._power(base, exponent))
        simple += roots
        others = self.order.sorted_factors(product.others, self._bound)
        for place, factor in enumerate(others):
            last = place == len(others) - 1
            tail.append(self._print_at_precedence(factor, PREFIX if last else POWER))
        return simple, tail

    def _power(self, base: Expr, exponent: Expr) -> Box:
        if exponent == S.Half:
            return Root(self._print(base)[0])
        if exponent == 1:
            return self._print_at_precedence(base, POWER)
        above = self._print(exponent, inline=True)[0]
        plain = isinstance(base, Function) and base.func in self.named
        if plain and exponent.is_Integer and exponent.is_positive:
            called = self.named[base.func]
            if isinstance(called, Atom) and called.kind == "name":
                return self._function_call(ScriptBox(called, above=above), base.args)
        if isinstance(base, Function) and not isinstance(base, sp.exp | sp.Abs):
            return ScriptBox(self._print(base)[0], above=above)
        box = self._print_at_precedence(base, ATOM)
        if isinstance(box, ScriptBox) and box.above is None:
            return ScriptBox(box.base, box.below, above)
        if isinstance(box, ScriptBox):
            box = BracketedBox("(", box, ")")
        return ScriptBox(box, above=above)


def _short_decimal(value: Expr) -> str:
    """Return a fraction with a large denominator as a short decimal, or an empty text."""
    places = next((n for n in range(3, _MOST_PLACES) if (value * 10**n).is_Integer), 0)
    if value.q < _LARGE or not places:
        return ""
    whole, part = divmod(int(value * 10**places), 10**places)
    return f"{whole}.{part:0{places}d}"


def _is_flat_sum(box: Box) -> bool:
    """Return whether a box is a bracketed sum, low and narrow enough for a numerator."""
    return isinstance(box, BracketedBox) and box.height < 2 and box.width <= _WIDE_SUM


def _fit_below_slash(boxes: list[Box]) -> bool:
    loose = len(boxes) > 1 and any(isinstance(box, BracketedBox) for box in boxes)
    wide = sum(box.width for box in boxes) >= _WIDE_DIVISOR
    return not loose and not wide and not any(box.height >= 2 for box in boxes)


_SIGNS = {
    "Equality": "=", "Unequality": "neq", "LessThan": "le", "StrictLessThan": "<",
    "GreaterThan": "ge", "StrictGreaterThan": ">",
}  # fmt: skip
_WORDS: dict[Any, Box] = {
    And: Atom("and", "words"),
    Or: Atom("or", "words"),
    Implies: Operator("implies", "relation", breaks=True),
    Equivalent: Operator("iff", "relation", breaks=True),
}


class StatementPrinter(PrinterBase):
    """Base class of the formula printer, with its methods for statements."""

    def _relation(self, expr: Relational) -> tuple[Box, int]:
        left, right = (self._print_at_precedence(side, SUM) for side in expr.args)
        return relation_box(left, _SIGNS[type(expr).__name__], right, breaks=True), RELATION

    def _logic(self, expr: Any) -> tuple[Box, int]:
        points = self._set_of_points(expr)
        if points is not None:
            return points, RELATION
        args = expr.args
        if not isinstance(expr, Implies):
            args = sorted(args, key=str)
        if isinstance(expr, Equivalent):
            args = sorted(args, key=lambda arg: self._set_of_points(arg) is not None)
        parts: list[Box] = []
        for arg in args:
            parts += [_WORDS[expr.func]] if parts else []
            parts.append(self._print_at_precedence(arg, RELATION))
        return row_of_boxes(parts), LOGIC

    def _for_all(self, expr: Any) -> tuple[Box, int]:
        x = expr.variable
        signs = ((x.is_positive, Gt), (x.is_nonnegative, Ge), (x.is_negative, Lt),
                 (x.is_nonpositive, Le), (x.is_nonzero, Ne))  # fmt: skip
        domain = next((kind(x, 0, evaluate=False) for holds, kind in signs if holds), x)
        over = Atom("for all integers" if x.is_integer else "for all", "words")
        return row_of_boxes([self.box(expr.statement), over, self.box(domain)]), LOGIC

    def _set_of_points(self, expr: Any) -> Box | None:
        """Return "x is one of these values", stated as an Or of equations, as a box, or None."""
        if not isinstance(expr, Or):
            return None
        points = []
        for option in expr.args:
            equations = conjuncts(option)
            if not all(isinstance(e, sp.Eq) and e.lhs.is_Symbol for e in equations):
                return None
            points.append({e.lhs: e.rhs for e in equations})
        names = sorted(points[0], key=self.order.symbol_key)
        if any(set(point) != set(names) for point in points):
            return None
        listed = sorted(
            ([point[s] for s in names] for point in points), key=sp.default_sort_key, reverse=True
        )
        inside = comma_separated_row(map(self._tuple_of_symbols, listed), Space(breaks=True))
        values = BracketedBox("{", inside, "}")
        return relation_box(self._tuple_of_symbols(names), "in", values, breaks=True)

    def _negation(self, expr: Not) -> tuple[Box, int]:
        return row_of_boxes(
            [Operator("neg", "prefix"), self._print_at_precedence(expr.args[0], ATOM)]
        ), LOGIC


# An exponential is written with exp where its exponent is wider than this, in em.
_WIDE_EXPONENT = 4.5


class FormulaPrinter(
    ArithmeticPrinter, ExpectationPrinter, CalculusPrinter, StatementPrinter, MatrixPrinter
):
    """Printer of expressions as typeset boxes, ordered and bracketed as by hand."""

    def _print(self, expr: Any, inline: bool = False) -> tuple[Box, int]:
        # SymPy takes some different derivatives at a point for equal.
        if (
            not isinstance(expr, Add | Mul | Pow)
            or isinstance(expr, sp.MatrixExpr)
            or expr.has(Subs)
        ):
            return self._print_uncached(expr, inline)
        around = (expr, inline, self._bound, self._copied, self._depth)
        if around not in self._known:
            self._known[around] = self._print_uncached(expr, inline)
        return self._known[around]

    def _print_uncached(self, expr: Any, inline: bool) -> tuple[Box, int]:
        # Products of matrices are products to SymPy, too, and keep the order of their factors.
        is_matrix = isinstance(expr, sp.MatrixExpr)
        if isinstance(expr, Add) and not is_matrix:
            return self._sum(expr, inline)
        if isinstance(expr, Mul | Pow | sp.Rational) and not is_matrix:
            return self._product(expr, inline)
        for kind, write in self._KINDS.items():
            if isinstance(expr, kind):
                return write(self, expr)
        if expr.func in self.named:
            return self._function_call(self.named[expr.func], expr.args), POWER
        return Atom(latex(expr), "raw"), SUM

    def _exponential(self, expr: sp.exp) -> tuple[Box, int]:
        exponent = self._print(expr.exp, inline=True)[0]
        if exponent.width <= _WIDE_EXPONENT and exponent.height < 2:
            return ScriptBox(Atom("e", "name"), above=exponent), POWER
        return self._function_call(Atom("exp", "name"), (expr.exp,)), POWER

    def _undefined_function(self, expr: AppliedUndef) -> tuple[Box, int]:
        return self._function_call(self.symbol(expr.func), expr.args), POWER

    def _heaviside(self, expr: sp.Heaviside) -> tuple[Box, int]:
        # SymPy keeps the value at 0 as a second argument.
        args = expr.args[:1] if expr.args[1:] == (S.Half,) else expr.args
        return self._function_call(self.named[sp.Heaviside], args), POWER

    def _absolute(self, expr: sp.Abs) -> tuple[Box, int]:
        return BracketedBox("|", self._print(expr.args[0])[0], "|"), ATOM

    def _matrix(self, expr: sp.ImmutableMatrix) -> tuple[Box, int]:
        rows = (tuple(self._print(entry)[0] for entry in line) for line in expr.tolist())
        return MatrixBox(tuple(rows)), ATOM

    def _atom(self, expr: Any) -> tuple[Box, int]:
        return self.symbol(expr), ATOM

    def _indexed(self, expr: Indexed) -> tuple[Box, int]:
        places = self._comma_separated(expr.indices)
        base = self.symbol(expr.base.label)
        if isinstance(base, ScriptBox) and base.below is None:
            return ScriptBox(base.base, places, base.above), ATOM
        if isinstance(base, ScriptBox):
            base = BracketedBox("(", base, ")")
        return ScriptBox(base, places), ATOM

    def _kronecker(self, expr: sp.KroneckerDelta) -> tuple[Box, int]:
        places = row_of_boxes([self._print(index)[0] for index in expr.args])
        return ScriptBox(self.symbol(Symbol("delta")), places), ATOM

    def _constant(self, expr: Any) -> tuple[Box, int]:
        texts = {sp.pi: "pi", sp.oo: "infty"}
        return Atom(texts[expr]), ATOM

    def _minus_infinity(self, expr: Any) -> tuple[Box, int]:
        return row_of_boxes([Operator("-", "prefix"), Atom("infty")]), SUM

    def _euler(self, expr: Any) -> tuple[Box, int]:
        return Atom("e", "name"), ATOM

    _KINDS: ClassVar[dict[Any, Callable[[Any, Any], tuple[Box, int]]]] = {
        Symbol: _atom,
        Letter: _atom,
        sp.Identity: MatrixPrinter._identity,
        sp.ZeroMatrix: MatrixPrinter._zero_matrix,
        sp.Transpose: MatrixPrinter._transpose,
        sp.MatPow: MatrixPrinter._matrix_power,
        sp.Trace: MatrixPrinter._trace,
        sp.MatMul: MatrixPrinter._matrix_product,
        sp.MatAdd: MatrixPrinter._matrix_sum,
        MatrixMean: MatrixPrinter._matrix_mean,
        Along: MatrixPrinter._along,
        Loewner: MatrixPrinter._loewner,
        SmoothFunction: _atom,
        ValueAt: MatrixPrinter._function_at,
        GradientAt: MatrixPrinter._gradient_at,
        HessianAt: MatrixPrinter._hessian_at,
        ForAllMatrices: MatrixPrinter._for_all_matrices,
        type(sp.pi): _constant,
        type(sp.oo): _constant,
        type(-sp.oo): _minus_infinity,
        type(sp.E): _euler,
        sp.exp: _exponential,
        sp.Abs: _absolute,
        sp.Heaviside: _heaviside,
        MatrixBase: _matrix,
        AppliedUndef: _undefined_function,
        Indexed: _indexed,
        sp.KroneckerDelta: _kronecker,
        IndexedBase: _atom,
        Expectation: ExpectationPrinter._expectation,
        IIDSum: ExpectationPrinter._sum_of_copies,
        Derivative: CalculusPrinter._derivative,
        Subs: CalculusPrinter._substitution,
        Integral: CalculusPrinter._integral,
        Sum: CalculusPrinter._finite_sum,
        Limit: CalculusPrinter._limit,
        Relational: StatementPrinter._relation,
        And: StatementPrinter._logic,
        Or: StatementPrinter._logic,
        Implies: StatementPrinter._logic,
        Equivalent: StatementPrinter._logic,
        Not: StatementPrinter._negation,
        ForAll: StatementPrinter._for_all,
        Law: ExpectationPrinter._law,
    }
