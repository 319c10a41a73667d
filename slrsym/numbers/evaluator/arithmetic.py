"""Sums and products, powers, constants, branches, and numbered symbols."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from functools import reduce

from flint import acb, arb
from sympy import Add, E, Expr, Integer, Mul, Piecewise, Pow, sympify
from sympy.tensor.indexed import Indexed

from slrsym.numbers.balls import general_power, rational_power
from slrsym.numbers.errors import Undecided
from slrsym.numbers.evaluator.base import Base
from slrsym.numbers.values import Number

__all__ = ["Arithmetic"]


class Arithmetic(Base):
    """Evaluation of what binds no variables."""

    def _on_Add(self, expr: Add) -> Number:
        terms = [self.number(arg) for arg in expr.args]
        return reduce(operator.add, (b for b, _ in terms)), max(s for _, s in terms)

    def _on_Mul(self, expr: Mul) -> Number:
        factors = [self.number(arg) for arg in expr.args]
        return reduce(operator.mul, (b for b, _ in factors)), sum(s for _, s in factors)

    def _on_Pow(self, expr: Pow) -> Number:
        if expr.exp.is_Rational:
            base, scale = self.number(expr.base)
            large = float(expr.exp) * scale if expr.exp > 0 else -math.inf
            return rational_power(expr.exp)(base), large
        if expr.base == E:
            return self.ball(expr.exp).exp(), -math.inf
        return general_power(self.ball(expr.base), self.ball(expr.exp)), -math.inf

    def _on_Abs(self, expr: Expr) -> Number:
        # What cancelled between the bars is what the error is relative to, as without the bars.
        inside, scale = self.number(expr.args[0])
        absolute = self.function(expr)
        assert absolute is not None
        return absolute(inside), scale

    def _on_Pi(self, expr: Expr) -> Number:
        return arb.pi(), -math.inf

    def _on_Exp1(self, expr: Expr) -> Number:
        return arb(1).exp(), -math.inf

    def _on_EulerGamma(self, expr: Expr) -> Number:
        return arb.const_euler(), -math.inf

    def _on_ImaginaryUnit(self, expr: Expr) -> Number:
        return acb(0, 1), -math.inf

    def _on_Piecewise(self, expr: Piecewise) -> Number:
        for value, condition in expr.args:
            if self.condition(condition):
                return self.number(value)
        raise Undecided(f"no branch of {expr} applies")

    def _on_Indexed(self, expr: Indexed) -> Number:
        indices = [self.integer(index) for index in expr.indices]
        exact = expr.base[tuple(map(Integer, indices))]
        for key in (exact, expr):
            if key in self.environment:
                return self._bound(key)
        entries = self.environment.get(expr.base, self.environment.get(expr.base.label))
        several = len(indices) != 1
        if several and isinstance(entries, Mapping) and tuple(indices) in entries:
            return self.number(sympify(entries[tuple(indices)]))
        if entries is None or several:
            raise ValueError(f"the point has no value for {exact}")
        if isinstance(entries, Mapping):
            return self.number(sympify(entries[indices[0]]))
        if not 1 <= indices[0] <= len(entries):
            raise ValueError(
                f"{exact} is outside of the {len(entries)} values given for {expr.base}"
            )
        return self.number(sympify(entries[indices[0] - 1]))
