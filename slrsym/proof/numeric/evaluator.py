"""Evaluation of an expression at one point, node by node."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from flint import acb, arb, ctx, fmpq
from sympy import (
    Add,
    And,
    Basic,
    Dummy,
    E,
    Expr,
    Integer,
    Mul,
    Not,
    Or,
    Piecewise,
    Pow,
    Rational,
    S,
    Subs,
    Symbol,
    erf,
    sympify,
)
from sympy.core.relational import Relational
from sympy.tensor.indexed import Indexed

from slrsym.gaussian.law import IIDSum, Law, standard_normal
from slrsym.gaussian.unevaluated import Expectation
from slrsym.proof.numeric.balls import (
    RELATIONS,
    ball_function,
    general_power,
    order_of,
    rational_power,
    real_ball,
    simplest,
)
from slrsym.proof.numeric.compiler import Compiler
from slrsym.proof.numeric.differences import grid, stencil
from slrsym.proof.numeric.double_exponential import double_exponential
from slrsym.proof.numeric.errors import Undecided
from slrsym.proof.numeric.expectations import Expectations
from slrsym.proof.numeric.integrands import Block
from slrsym.proof.numeric.magnitudes import DIGITS_PER_BIT, Ball, magnitude
from slrsym.proof.numeric.quadrature import Sum, whole_line
from slrsym.proof.numeric.rewriting import binds, derivative_of, replaced
from slrsym.proof.numeric.values import Later, Number

__all__ = ["Evaluator"]

_MOST_SUMMANDS = 100_000

_T, _S, _G = (Dummy(name, real=True) for name in "tsG")
_ZETA = Expectation(erf(_T + _S * _G) ** 2, standard_normal(_G))


class Evaluator:
    """Evaluation of expressions at one point, to a fixed number of digits.

    Parameters
    ----------
    environment : mapping
        Values of the free symbols: exact numbers, balls, or expressions to be evaluated.
    digits : int
        Digits aimed at, relative to the largest term added.

    Notes
    -----
    Equal expressions are evaluated once, but for those with a `Subs`: to SymPy 1.14, the values of
    f_xx and f_xy at (0, 0) are equal, since it names bound variables after the values they get.
    """

    def __init__(self, environment: Mapping[Any, Any], digits: int) -> None:
        self.environment = environment
        self.digits = digits
        self.bits = math.ceil((digits + 8) / DIGITS_PER_BIT) + 24
        self._known: dict[Basic, Number] = {}
        self.expectations = Expectations(self)

    def ball(self, expr: Basic) -> Ball:
        """The value of an expression.

        Parameters
        ----------
        expr : Basic
            The expression.

        Returns
        -------
        arb or acb
            The value as a ball.

        Raises
        ------
        Undecided
            If the value cannot be computed.
        NotALaw
            If a covariance is not positive semidefinite at this point.
        ValueError
            If a free symbol has no value.
        """
        return self.number(expr)[0]

    def number(self, expr: Basic) -> Number:
        """The value of an expression, with the size of what was added for it.

        Parameters
        ----------
        expr : Basic
            The expression.

        Returns
        -------
        (arb or acb, float)
            The value as a ball, and the binary logarithm of the largest term added.

        Raises
        ------
        Undecided
            If the value cannot be computed.
        NotALaw
            If a covariance is not positive semidefinite at this point.
        ValueError
            If a free symbol has no value.
        """
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

    def at(self, values: Mapping[Any, Any], digits: int) -> Evaluator:
        """An evaluator in the same environment, but for some values.

        Parameters
        ----------
        values : mapping
            The new values.
        digits : int
            Digits aimed at.

        Returns
        -------
        Evaluator
            A new one, which remembers nothing.
        """
        return Evaluator({**self.environment, **values}, digits)

    def function(self, expr: Basic) -> Callable[..., Ball] | None:
        """What a node does to balls.

        Parameters
        ----------
        expr : Basic
            The node.

        Returns
        -------
        callable or None
            Takes the arguments of the node as balls; None for a node that is no known function.
        """
        kind = type(expr)
        if kind.__name__ == "zeta" and not kind.__module__.startswith("sympy."):
            return _zeta
        return ball_function(expr)

    def check_law(self, law: Law) -> None:
        """Refuse a law that is not one at this point.

        Parameters
        ----------
        law : Law
            The law.

        Raises
        ------
        NotALaw
            If a covariance is not positive semidefinite.
        """
        with ctx.workprec(self.bits):
            for block in Block.of(law):
                self.expectations.check(block)

    def _on_Expectation(self, node: Expectation) -> Number:
        return self.expectations.value(node)

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
            return Evaluator(value.environment, self.digits).number(value.expr)
        if isinstance(value, arb | acb):
            return value, -math.inf
        return self.number(sympify(value))

    # -- algebra ------------------------------------------------------------------------------

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

    def integer(self, expr: Expr) -> int:
        """The value of an expression that is an integer at this point.

        Parameters
        ----------
        expr : Expr
            The expression.

        Returns
        -------
        int
            The integer.

        Raises
        ------
        Undecided
            If it is not one.
        """
        ball = self.ball(expr)
        whole = ball.unique_fmpz() if isinstance(ball, arb) else None
        if whole is None or magnitude(ball - whole) > -8:
            raise Undecided(f"{expr} is not an integer at this point")
        return int(whole)

    def condition(self, expr: Basic) -> bool:
        """Truth of the condition of a branch; numbers that cannot be told apart count as equal.

        Parameters
        ----------
        expr : Boolean
            A relation, or a combination of relations by And, Or and Not.

        Returns
        -------
        bool
            Whether it holds at this point.

        Raises
        ------
        Undecided
            If it is of another kind, or a sign is lost in rounding.
        """
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

    def _on_Abs(self, expr: Expr) -> Number:
        # What cancelled between the bars is what the error is relative to, as without the bars.
        inside, scale = self.number(expr.args[0])
        absolute = self.function(expr)
        assert absolute is not None
        return absolute(inside), scale

    # -- sums, limits, substitution -----------------------------------------------------------

    def _written_out(self, expr: Basic) -> list[Expr]:
        """The summands of a Sum or factors of a Product over its last range."""
        *inner, (index, low, high) = expr.args[1:]
        first, last = self.integer(low), self.integer(high)
        if last - first > _MOST_SUMMANDS:
            raise Undecided(f"{expr} has more than {_MOST_SUMMANDS} terms")
        body = expr.func(expr.args[0], *inner) if inner else expr.args[0]
        return [replaced(body, index, Integer(k)) for k in range(first, last + 1)]

    def _on_Sum(self, expr: Expr) -> Number:
        terms = [self.number(term) for term in self._written_out(expr)]
        total = reduce(operator.add, (b for b, _ in terms), arb(0))
        return total, max((s for _, s in terms), default=-math.inf)

    def _on_Product(self, expr: Expr) -> Number:
        factors = [self.number(factor) for factor in self._written_out(expr)]
        return reduce(operator.mul, (b for b, _ in factors), arb(1)), sum(s for _, s in factors)

    def _on_Subs(self, expr: Expr) -> Number:
        body, variables, values = expr.args
        new = {x: Later(v, self.environment) for x, v in zip(variables, values, strict=True)}
        return Evaluator({**self.environment, **new}, self.digits).number(body)

    _on_AtPoint = _on_Subs  # noqa: N815

    def _on_Limit(self, expr: Expr) -> Number:
        body, x, target, direction = expr.args
        sides = (-1, 1) if str(direction) == "+-" else (1 if str(direction) == "+" else -1,)
        if target.is_infinite:
            sides = (1 if target == S.Infinity else -1,)
        results = [self._limit(body, x, target, side) for side in sides]
        if len(results) == 2:
            gap = results[0] - results[1]
            if (magnitude(gap) - max(magnitude(results[0]), 0.0)) * DIGITS_PER_BIT > -self.digits:
                raise Undecided(f"the two one-sided limits of {body} at {target} differ")
        return results[0], -math.inf

    def _limit(self, body: Expr, x: Symbol, target: Expr, side: int) -> Ball:
        """Richardson extrapolation in the distance to the target, halved again and again."""
        inner = Evaluator(self.environment, 2 * self.digits + 15)
        row: list[Ball] = []
        agreed = 0
        with ctx.workprec(inner.bits):
            for k in range(2, 48):
                # Not a power of two: periodic functions must not look constant.
                far = Rational(1237 * 2**k, 1009) * side
                place = far if target.is_infinite else target + 1 / far
                here = {**self.environment, x: Later(place, self.environment)}
                new = [Evaluator(here, inner.digits).ball(body)]
                for j, old in enumerate(row):
                    new.append(new[j] + (new[j] - old) / (2 ** (j + 1) - 1))
                if row:
                    gap = new[-1] - row[-1]
                    size = max(magnitude(new[-1]), magnitude(row[0]), -1.0)
                    close = (magnitude(gap) - size) * DIGITS_PER_BIT < -self.digits - 2
                    agreed = agreed + 1 if close else 0
                    if agreed == 2:
                        margin = gap.abs_upper() if isinstance(gap, arb) else abs(gap).upper()
                        return new[-1] + arb(0, margin)
                row = new
        raise Undecided(f"the values of {body} as {x} tends to {target} do not settle")

    # -- derivatives --------------------------------------------------------------------------

    def _on_Derivative(self, expr: Expr) -> Number:
        slope = derivative_of(expr)
        if slope is not None:
            return self.number(slope)
        orders = Counter({x: int(n) for x, n in expr.variable_count})
        return self._difference_quotient(expr.expr, list(orders.items()))

    def _difference_quotient(self, body: Expr, orders: list[tuple[Symbol, int]]) -> Number:
        total = sum(n for _, n in orders)
        accuracy = 1 if total <= 2 else 2
        lost = (self.digits + 7) / (2 * accuracy)
        step = Rational(1, 2 ** math.ceil(lost / DIGITS_PER_BIT))
        inner = math.ceil(self.digits + 4 + total * lost)
        stencils = [stencil(n, accuracy) for _, n in orders]

        def shifted(shifts: Sequence[Rational], digits: int) -> Ball:
            moved = {
                x: Later(x + shift, self.environment)
                for (x, _), shift in zip(orders, shifts, strict=True)
            }
            return Evaluator({**self.environment, **moved}, digits).ball(body)

        # A derivative that vanishes is judged against the function that is differentiated.
        result, size = arb(0), -math.inf
        with ctx.workprec(math.ceil((inner + 8) / DIGITS_PER_BIT) + 24):
            for choice in grid(stencils):
                weight = math.prod((w for _, w in choice), start=Rational(1))
                value = shifted([shift * step for shift, _ in choice], inner)
                size = max(size, magnitude(value))
                result += fmpq(int(weight.p), int(weight.q)) * value
            result = result / arb(fmpq(int(step.p), int(step.q))) ** total
            if total == 1:
                # At a kink the second difference is of the first order in the step.
                near = Rational(1, 2**40)
                left, mid, right = (shifted([k * near], 20) for k in (-1, 0, 1))
                bend = (left - 2 * mid + right) * 2**40
                if magnitude(bend) > max(magnitude(result), 0.0) - 12:
                    raise Undecided(f"{body} has no derivative in {orders[0][0]} here")
        return result, size

    # -- integrals ----------------------------------------------------------------------------

    def _on_Integral(self, expr: Expr) -> Number:
        *inner, limits = expr.args[1:]
        if len(limits) != 3:
            raise Undecided(f"{expr} has no limits of integration")
        body = expr.func(expr.args[0], *inner) if inner else expr.args[0]
        x, low, high = limits
        a, b = (real_ball(self._argument(end), "a limit of integration") for end in (low, high))
        sign = 1
        if a == b and a.is_finite():
            return arb(0), -math.inf
        if a > b:
            a, b, sign = b, a, -1
        # Near a singular end, digits are lost in the distance to it: make a second try with more.
        for evaluator in (self, Evaluator(self.environment, 3 * self.digits + 10)):
            with ctx.workprec(evaluator.bits):
                try:
                    total = evaluator._line_integral(body, x, a, b, self.digits)
                    return sign * total.value, total.absolute
                except Undecided as reason:
                    undecided = reason
        raise undecided

    def _line_integral(self, body: Expr, x: Symbol, low: Ball, high: Ball, digits: int) -> Sum:
        compiler = Compiler(self, 1, {x: (arb(0), [arb(1)])})
        program = compiler.program
        program.output = compiler.register(self.prepared(body, {}))
        if program.levels[program.output] == 0:
            value = program.values[program.output] * (high - low)
            return Sum(value, magnitude(value))
        if not low.is_finite() and not high.is_finite():
            try:
                return whole_line(program, digits)
            except Undecided:
                pass  # it decays too slowly for the trapezoid rule
        return double_exponential(program.evaluate, low, high, digits)

    def prepared(self, expr: Expr, sums: dict[IIDSum, tuple[Expr, list[Block]]]) -> Expr:
        """The integrand with finite sums, elementary derivatives and sums of copies written out.

        Parameters
        ----------
        expr : Expr
            The integrand.
        sums : dict of IIDSum to (Expr, list of Block)
            Each sum of copies met so far, written out, with the law of its copies. It is added to.

        Returns
        -------
        Expr
            An expression of the same value.

        Raises
        ------
        Undecided
            If a sum has too many terms, or a sum of copies has no number of copies.
        """
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


def _zeta(t: Ball, s: Ball) -> Ball:
    r""":math:`\mathbb{E}\operatorname{erf}(t + sG)^2`."""
    digits = int(ctx.prec * DIGITS_PER_BIT) - 12
    return Evaluator({_T: t, _S: s}, digits).ball(_ZETA)
