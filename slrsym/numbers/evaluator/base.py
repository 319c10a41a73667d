"""What all nodes need: the point, the digits, what is known already, and symbols."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Self

from flint import acb, arb, ctx, fmpq
from sympy import And, Basic, Expr, Not, Or, Rational, S, Subs, Symbol, sympify
from sympy.core.relational import Relational

from slrsym.numbers.balls import RELATIONS, ball_function, order_of, simplest
from slrsym.numbers.errors import Undecided
from slrsym.numbers.magnitudes import DIGITS_PER_BIT, Ball, magnitude
from slrsym.numbers.values import Later, Number

__all__ = ["Base"]


class Base:
    """Evaluation of symbols, numbers and known functions; a method for each other kind of node.

    Notes
    -----
    A node of kind ``Name`` is evaluated by ``_on_Name``, where a subclass has such a method. Equal
    expressions are evaluated once, but for those with a `Subs`: to SymPy 1.14, the values of f_xx
    and f_xy at (0, 0) are equal, since it names bound variables after the values they get.
    """

    def __init__(self, environment: Mapping[Any, Any], digits: int) -> None:
        self.environment = environment
        self.digits = digits
        self.bits = math.ceil((digits + 8) / DIGITS_PER_BIT) + 24
        self._known: dict[Basic, Number] = {}

    def ball(self, expr: Basic) -> Ball:
        """The value of an expression."""
        return self.number(expr)[0]

    def number(self, expr: Basic) -> Number:
        """The value of an expression, with the size of what was added for it."""
        if expr in self._known and not expr.has(Subs):
            return self._known[expr]
        with ctx.workprec(self.bits):
            ball, scale = self._number(expr)
            ball = simplest(ball)
            own = magnitude(ball)
            self._known[expr] = ball, max(scale, own)
        return self._known[expr]

    def _number(self, expr: Basic) -> Number:
        special = getattr(self, f"_on_{type(expr).__name__}", None)
        if special is not None:
            result: Number = special(expr)
            return result
        if isinstance(expr, Rational):
            return arb(fmpq(int(expr.p), int(expr.q))), -math.inf
        if isinstance(expr, Symbol):
            return self._bound(expr)
        if expr.is_Float:
            mantissa, exponent = expr._mpf_[1] * (-1) ** expr._mpf_[0], expr._mpf_[2]
            return arb(int(mantissa)) * arb(2) ** int(exponent), -math.inf
        function = self.function(expr)
        if function is not None:
            return function(*map(self._argument, expr.args)), -math.inf
        raise Undecided(f"no numerical evaluation for {type(expr).__name__}: {expr}")

    def at(self, values: Mapping[Any, Any], digits: int) -> Self:
        """An evaluator in the same environment, but for some values."""
        return type(self)({**self.environment, **values}, digits)

    def function(self, expr: Basic) -> Callable[..., Ball] | None:
        """What a node does to balls."""
        return ball_function(expr)

    def integer(self, expr: Expr) -> int:
        """The value of an expression that is an integer at this point."""
        ball = self.ball(expr)
        whole = ball.unique_fmpz() if isinstance(ball, arb) else None
        if whole is None or magnitude(ball - whole) > -8:
            raise Undecided(f"{expr} is not an integer at this point")
        return int(whole)

    def condition(self, expr: Basic) -> bool:
        """Truth of the condition of a branch; numbers that cannot be told apart count as equal."""
        with ctx.workprec(self.bits):
            if isinstance(expr, Relational):
                relation = RELATIONS[type(expr).__name__]
                return relation(order_of(self.ball(expr.lhs), self.ball(expr.rhs)))
            if expr in (S.true, S.false):
                result: bool = expr == S.true
                return result
            if isinstance(expr, And):
                return all(self.condition(arg) for arg in expr.args)
            if isinstance(expr, Or):
                return any(self.condition(arg) for arg in expr.args)
            if isinstance(expr, Not):
                return not self.condition(expr.args[0])
        raise Undecided(f"cannot decide the condition {expr}")

    def _argument(self, expr: Basic) -> Ball:
        if expr in (S.Infinity, S.NegativeInfinity):
            return arb.pos_inf() if expr == S.Infinity else arb.neg_inf()
        return self.ball(expr)

    def _bound(self, symbol: Basic) -> Number:
        try:
            value = self.environment[symbol]
        except KeyError:
            raise ValueError(f"the point has no value for {symbol}") from None
        if isinstance(value, Later):
            return type(self)(value.environment, self.digits).number(value.expr)
        if isinstance(value, arb | acb):
            return value, -math.inf
        return self.number(sympify(value))
