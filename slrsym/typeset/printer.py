"""Expressions and statements as boxes, in the order and the form in which a person writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import sympy as sp
from sympy import Add, Derivative, Integral, Limit, Mul, Pow, Subs, Sum, Symbol, latex
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, Equivalent, Implies, Not, Or
from sympy.matrices import MatrixBase
from sympy.tensor.indexed import Indexed, IndexedBase

from slrsym.gaussian.law import IIDSum, Law
from slrsym.gaussian.unevaluated import Expectation
from slrsym.typeset.arithmetic import Arithmetic
from slrsym.typeset.boxes import (
    Atom,
    Box,
    Fence,
    Grid,
    Operator,
    Script,
    identifier,
    name,
    row,
)
from slrsym.typeset.calculus import Calculus
from slrsym.typeset.expectations import Expectations
from slrsym.typeset.statements import Statements
from slrsym.typeset.writing import ATOM, COMMA, POWER, SUM

__all__ = ["Printer"]

# An exponential is written with exp where its exponent is wider than this, in em.
_WIDE_EXPONENT = 4.5


class Printer(Arithmetic, Expectations, Calculus, Statements):
    """Writes expressions, with a person's order and brackets."""

    def _print(self, expr: Any, inline: bool = False) -> tuple[Box, int]:
        # SymPy takes some different derivatives at a point for equal.
        if not isinstance(expr, Add | Mul | Pow) or expr.has(Subs):
            return self._written(expr, inline)
        around = (expr, inline, self._bound, self._copied, self._depth)
        if around not in self._known:
            self._known[around] = self._written(expr, inline)
        return self._known[around]

    def _written(self, expr: Any, inline: bool) -> tuple[Box, int]:
        if isinstance(expr, Add):
            return self._sum(expr, inline)
        if isinstance(expr, Mul | Pow | sp.Rational):
            return self._product(expr, inline)
        for kind, write in self._KINDS.items():
            if isinstance(expr, kind):
                return write(self, expr)
        if expr.func in self.named:
            return self._call(self.named[expr.func], expr.args), POWER
        return Atom(latex(expr), "raw"), SUM

    def _exponential(self, expr: sp.exp) -> tuple[Box, int]:
        exponent = self._print(expr.exp, inline=True)[0]
        if exponent.width <= _WIDE_EXPONENT and exponent.height < 2:
            return Script(name("e"), above=exponent), POWER
        return self._call(name("exp"), (expr.exp,)), POWER

    def _applied(self, expr: AppliedUndef) -> tuple[Box, int]:
        return self._call(self.symbol(expr.func), expr.args), POWER

    def _absolute(self, expr: sp.Abs) -> tuple[Box, int]:
        return Fence("|", self._print(expr.args[0])[0], "|"), ATOM

    def _matrix(self, expr: sp.ImmutableMatrix) -> tuple[Box, int]:
        rows = (tuple(self._print(entry)[0] for entry in line) for line in expr.tolist())
        return Grid(tuple(rows)), ATOM

    def _atom(self, expr: Any) -> tuple[Box, int]:
        return self.symbol(expr), ATOM

    def _indexed(self, expr: Indexed) -> tuple[Box, int]:
        inside: list[Box] = []
        for index in expr.indices:
            inside += [COMMA] if inside else []
            inside.append(self._print(index)[0])
        base = self.symbol(expr.base.label)
        if isinstance(base, Script) and base.below is None:
            return Script(base.base, row(inside), base.above), ATOM
        if isinstance(base, Script):
            base = Fence("(", base, ")")
        return Script(base, row(inside)), ATOM

    def _constant(self, expr: Any) -> tuple[Box, int]:
        texts = {sp.pi: "pi", sp.oo: "infty"}
        return identifier(texts[expr]), ATOM

    def _minus_infinity(self, expr: Any) -> tuple[Box, int]:
        return row([Operator("-", "prefix"), identifier("infty")]), SUM

    def _euler(self, expr: Any) -> tuple[Box, int]:
        return name("e"), ATOM

    _KINDS: ClassVar[dict[Any, Callable[[Any, Any], tuple[Box, int]]]] = {
        Symbol: _atom,
        type(sp.pi): _constant,
        type(sp.oo): _constant,
        type(-sp.oo): _minus_infinity,
        type(sp.E): _euler,
        sp.exp: _exponential,
        sp.Abs: _absolute,
        MatrixBase: _matrix,
        AppliedUndef: _applied,
        Indexed: _indexed,
        IndexedBase: _atom,
        Expectation: Expectations._expectation,
        IIDSum: Expectations._copies,
        Derivative: Calculus._derivative,
        Subs: Calculus._substitution,
        Integral: Calculus._integral,
        Sum: Calculus._series,
        Limit: Calculus._limit,
        Relational: Statements._relation,
        And: Statements._logic,
        Or: Statements._logic,
        Implies: Statements._logic,
        Equivalent: Statements._logic,
        Not: Statements._negation,
        Law: Expectations._law,
    }
