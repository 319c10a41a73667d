"""Noise of mean zero, of which the variance is known, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Basic, Expr, Symbol

from slrsym.gaussian.law.base import Law
from slrsym.gaussian.law.declarations import real_expression, real_symbol

__all__ = ["NoiseLaw"]


class NoiseLaw(Law):
    """A real random variable of mean zero and known variance, and otherwise arbitrary.

    Parameters
    ----------
    symbol : Symbol
        Its name, declared real.
    variance : expression
        Its second moment, not negative.

    Raises
    ------
    TypeError
        If the name is not a Symbol, or the variance not an expression.
    ValueError
        If the variance is certainly negative or depends on the variable, or something is not
        declared real.
    """

    def __new__(cls, symbol: Any, variance: Any) -> NoiseLaw:
        symbol = real_symbol(symbol, "a noise variable")
        variance = real_expression(variance, f"variance of {symbol}")
        if symbol in variance.free_symbols:
            raise ValueError(f"variance of {symbol} must not depend on {symbol}; got {variance}")
        if variance.is_negative:
            raise ValueError(f"variance of {symbol} must not be negative; got {variance}")
        result: NoiseLaw = Basic.__new__(cls, symbol, variance)
        return result

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return (self.args[0],)

    @property
    def variance(self) -> Expr:
        """The second moment."""
        return self.args[1]

    @property
    def parameters(self) -> set[Symbol]:
        return set(self.variance.free_symbols)

    def renamed(self, names: Mapping[Symbol, Symbol]) -> NoiseLaw:
        return NoiseLaw(names.get(self.args[0], self.args[0]), self.variance)

    def _latex(self, printer: Any) -> str:
        xi, variance = map(printer._print, self.args)
        return (
            rf"\mathbb{{E}}\left[{xi}\right] = 0,\; "
            rf"\operatorname{{Var}}\left({xi}\right) = {variance}"
        )
