"""Evaluation of an expression of any kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import ctx
from sympy import Basic, Dummy, erf

from slrsym.gaussian.law import Law, standard_normal
from slrsym.gaussian.unevaluated import Expectation
from slrsym.numbers.evaluator.arithmetic import Arithmetic
from slrsym.numbers.evaluator.calculus import Calculus
from slrsym.numbers.expectations import Expectations
from slrsym.numbers.integrands import Block
from slrsym.numbers.magnitudes import DIGITS_PER_BIT, Ball
from slrsym.numbers.values import Number

__all__ = ["Evaluator"]

_T, _S, _G = (Dummy(name, real=True) for name in "tsG")
_ZETA = Expectation(erf(_T + _S * _G) ** 2, standard_normal(_G))


class Evaluator(Arithmetic, Calculus):
    """Evaluation of expressions at one point, to a fixed number of digits."""

    def __init__(self, environment: Mapping[Any, Any], digits: int) -> None:
        super().__init__(environment, digits)
        self.expectations = Expectations(self)

    def function(self, expr: Basic) -> Callable[..., Ball] | None:
        """What a node does to balls."""
        kind = type(expr)
        if kind.__name__ == "zeta" and not kind.__module__.startswith("sympy."):
            return _zeta
        return super().function(expr)

    def check_law(self, law: Law) -> None:
        """Refuse a law that is not one at this point."""
        with ctx.workprec(self.bits):
            for block in Block.of(law):
                self.expectations.check(block)

    def _on_Expectation(self, node: Expectation) -> Number:
        return self.expectations.value(node)


def _zeta(t: Ball, s: Ball) -> Ball:
    r""":math:`\mathbb{E}\operatorname{erf}(t + sG)^2`."""
    digits = int(ctx.prec * DIGITS_PER_BIT) - 12
    return Evaluator({_T: t, _S: s}, digits).ball(_ZETA)
