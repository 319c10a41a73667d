"""Finite sums and products, and sums of copies: they are written out."""

from __future__ import annotations

import math
import operator
from functools import reduce

from flint import arb
from sympy import Add, Basic, Expr, Integer, Mul

from slrsym.gaussian.law import IIDSum
from slrsym.numbers.errors import Undecided
from slrsym.numbers.evaluator.base import Base
from slrsym.numbers.integrands import Block
from slrsym.numbers.rewriting import binds, derivative_of, replaced
from slrsym.numbers.values import Number

__all__ = ["Sums"]

_MOST_SUMMANDS = 100_000


class Sums(Base):
    """Evaluation of sums and products, and integrands in which they are written out."""

    def _on_Sum(self, expr: Expr) -> Number:
        terms = [self.number(term) for term in self._written_out(expr)]
        total = reduce(operator.add, (b for b, _ in terms), arb(0))
        return total, max((s for _, s in terms), default=-math.inf)

    def _on_Product(self, expr: Expr) -> Number:
        factors = [self.number(factor) for factor in self._written_out(expr)]
        return reduce(operator.mul, (b for b, _ in factors), arb(1)), sum(s for _, s in factors)

    def _written_out(self, expr: Basic) -> list[Expr]:
        """The summands of a Sum or factors of a Product over its last range."""
        *inner, (index, low, high) = expr.args[1:]
        first, last = self.integer(low), self.integer(high)
        if last - first > _MOST_SUMMANDS:
            raise Undecided(f"{expr} has more than {_MOST_SUMMANDS} terms")
        body = expr.func(expr.args[0], *inner) if inner else expr.args[0]
        return [replaced(body, index, Integer(k)) for k in range(first, last + 1)]

    def prepared(self, expr: Expr, sums: dict[IIDSum, tuple[Expr, list[Block]]]) -> Expr:
        """The integrand with finite sums, elementary derivatives and sums of copies written out."""
        if not binds(expr):
            return expr
        name = type(expr).__name__
        if name in ("Expectation", "Integral", "Limit"):
            return expr
        if isinstance(expr, IIDSum):
            if expr not in sums:
                sums[expr] = self._copies(expr)
            return sums[expr][0]
        if name in ("Sum", "Product"):
            try:
                parts = [self.prepared(part, sums) for part in self._written_out(expr)]
            except ValueError:
                return expr  # its range depends on a variable of integration
            return Add(*parts) if name == "Sum" else Mul(*parts)
        if name == "Derivative":
            inner = expr.func(self.prepared(expr.expr, sums), *expr.variable_count)
            slope = derivative_of(inner) if type(inner).__name__ == "Derivative" else inner
            return inner if slope is None else slope
        if name in ("Subs", "AtPoint"):
            body, variables, values = expr.args
            body = self.prepared(body, sums)
            values = [self.prepared(value, sums) for value in values]
            if binds(body):
                return expr.func(body, variables, tuple(values))
            return body.xreplace(dict(zip(variables, values, strict=True)))
        return expr.func(*(self.prepared(arg, sums) for arg in expr.args))

    def _copies(self, node: IIDSum) -> tuple[Expr, list[Block]]:
        if node.term.has(IIDSum):
            raise Undecided(f"a sum of copies inside a sum of copies: {node}")
        term = self.prepared(node.term, {})
        count = self.integer(node.count)
        if count < 0:
            raise Undecided(f"{node} has {count} copies at this point")
        terms: list[Expr] = []
        blocks: list[Block] = []
        for _ in range(count):
            names: dict[Basic, Basic] = {}
            for block in Block.of(node.law):
                copy, renamed = block.copy()
                blocks.append(copy)
                names |= renamed
            terms.append(term.xreplace(names))
        return Add(*terms), blocks

    def _on_IIDSum(self, expr: IIDSum) -> Number:
        raise ValueError(f"{expr} is random, and stands outside of every expectation")
