"""Compilation of an integrand to a straight-line program on balls."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from flint import arb
from sympy import (
    Add,
    And,
    Basic,
    Expr,
    Mul,
    Not,
    Or,
    Piecewise,
    Pow,
    Symbol,
    default_sort_key,
)
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.numbers.balls import (
    RELATIONS,
    general_power,
    order_of,
    rational_power,
    select,
)
from slrsym.numbers.magnitudes import DIGITS_PER_BIT, Ball, magnitude
from slrsym.numbers.program import Program
from slrsym.search.symbols import free

if TYPE_CHECKING:
    from slrsym.numbers.evaluator.base import Base

__all__ = ["Compiler"]


class Compiler:
    """Compilation of an integrand to a program."""

    def __init__(
        self, evaluator: Base, depth: int, rows: Mapping[Any, tuple[Ball, list[Ball]]]
    ) -> None:
        self.evaluator = evaluator
        self.program = Program(depth)
        self.rows = rows
        self.random = frozenset(rows)
        self._known: dict[Basic, int] = {}

    def affine(self, expr: Expr) -> tuple[Ball, dict[Symbol, Ball]] | None:
        """Constant and coefficients of an affine form."""
        if not free(expr) & self.random:
            return self.evaluator.ball(expr), {}
        if isinstance(expr, Symbol):
            return arb(0), {expr: arb(1)}
        if isinstance(expr, Add):
            constant, form = arb(0), dict[Symbol, Ball]()
            for arg in expr.args:
                part = self.affine(arg)
                if part is None:
                    return None
                constant += part[0]
                for symbol, coefficient in part[1].items():
                    form[symbol] = form.get(symbol, arb(0)) + coefficient
            return constant, form
        if isinstance(expr, Mul):
            inner = [arg for arg in expr.args if free(arg) & self.random]
            part = self.affine(inner[0]) if len(inner) == 1 else None
            if part is None:
                return None
            factor = self.evaluator.ball(Mul(*(arg for arg in expr.args if arg is not inner[0])))
            return factor * part[0], {s: factor * c for s, c in part[1].items()}
        return None

    def register(self, expr: Basic) -> int:
        """The register that will hold the value of an expression."""
        if expr not in self._known:
            self._known[expr] = self._register(expr)
        return self._known[expr]

    def _register(self, expr: Basic) -> int:
        emit, fold = self.program.emit, self.program.fold
        if not free(expr) & self.random:
            if isinstance(expr, Boolean) and not isinstance(expr, Symbol):
                return self.program.constant(self.evaluator.condition(expr))
            return self.program.constant(self.evaluator.ball(expr))
        form = self.affine(expr) if isinstance(expr, Expr) else None
        if form is not None:
            return self._affine_register(*form)
        if isinstance(expr, Add):
            return fold(operator.add, [self.register(arg) for arg in expr.args])
        if isinstance(expr, Mul):
            return fold(operator.mul, [self.register(arg) for arg in expr.args])
        if isinstance(expr, Pow):
            base = self.register(expr.base)
            if expr.exp.is_Rational:
                return emit(rational_power(expr.exp), base)
            return emit(general_power, base, self.register(expr.exp))
        if isinstance(expr, Piecewise):
            return emit(select, *(self.register(part) for pair in expr.args for part in pair))
        if isinstance(expr, Relational):
            relation = RELATIONS[type(expr).__name__]
            return emit(
                lambda a, b: relation(order_of(a, b)),
                self.register(expr.lhs),
                self.register(expr.rhs),
            )
        if isinstance(expr, And | Or | Not):
            logic: Callable[..., bool] = {
                And: lambda *xs: all(xs),
                Or: lambda *xs: any(xs),
                Not: operator.not_,
            }[type(expr)]
            return emit(logic, *(self.register(arg) for arg in expr.args))
        function = self.evaluator.function(expr)
        if function is not None:
            return emit(function, *(self.register(arg) for arg in expr.args))
        return self._nested(expr)

    def _affine_register(self, constant: Ball, form: dict[Symbol, Ball]) -> int:
        total = [arb(0)] * self.program.depth
        for symbol, coefficient in form.items():
            own, row = self.rows[symbol]
            constant = constant + coefficient * own
            total = [t + coefficient * c for t, c in zip(total, row, strict=True)]
        size = max((magnitude(c) for c in total), default=-math.inf)
        floor = size - (self.evaluator.digits + 5) / DIGITS_PER_BIT
        result = self.program.constant(constant)
        for i, coefficient in enumerate(total):
            # The rotation makes these vanish; what is left of them is rounding.
            if coefficient.is_zero() or magnitude(coefficient) <= floor:
                continue
            product = self.program.emit(operator.mul, self.program.constant(coefficient), i)
            result = self.program.emit(operator.add, result, product)
        return result

    def _nested(self, expr: Basic) -> int:
        """An expectation or integral whose parameters are variables of this one."""
        symbols = sorted(free(expr) & self.random, key=default_sort_key)
        evaluator = self.evaluator

        def inner(*values: Ball) -> Ball:
            here = dict(zip(symbols, values, strict=True))
            return evaluator.at(here, evaluator.digits + 6).ball(expr)

        return self.program.emit(inner, *(self.register(symbol) for symbol in symbols))
