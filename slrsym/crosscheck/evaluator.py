"""Numerical evaluation of expressions and statements at a point."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import product
from typing import Any

import mpmath
import sympy as sp
from flint import acb, arb, ctx, fmpq
from sympy import Basic, Expr, Matrix, S, Symbol
from sympy.core.relational import Relational

from slrsym.crosscheck.ball_quadrature import (
    DIGITS_PER_BIT,
    Ball,
    DeferredExpression,
    Inconclusive,
    NotReal,
    Number,
    NumberWithError,
    Point,
    QuadratureResult,
    ball_to_number_with_error,
    correct_digits,
    drop_zero_imaginary_part,
    integrate_over_interval,
    integrate_over_real_line,
    log2_upper_bound,
    require_real_ball,
)
from slrsym.crosscheck.expectations import ExpectationValues, IntegrandCompiler
from slrsym.crosscheck.integrands import (
    IndependentLawBlock,
    evaluate_elementary_derivative,
    replace_undefined_functions,
)
from slrsym.crosscheck.node_evaluator import RELATIONS, NodeEvaluator
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import Law, standard_normal
from slrsym.prover.statements.expressions import infix_text

_T, _S, _G = (sp.Dummy(name, real=True) for name in "tsG")
_ZETA = Expectation(sp.erf(_T + _S * _G) ** 2, standard_normal(_G))


class Evaluator(NodeEvaluator):
    """Evaluator of expressions at one point, to a fixed number of digits."""

    def __init__(self, environment: Mapping[Any, Any], digits: int) -> None:
        super().__init__(environment, digits)
        self.expectations = ExpectationValues(self)

    def _on_Subs(self, expr: Expr) -> Number:
        body, variables, values = expr.args
        new = {
            x: DeferredExpression(v, self.environment)
            for x, v in zip(variables, values, strict=True)
        }
        return self.with_values(new, self.digits).number(body)

    _on_AtPoint = _on_Subs  # noqa: N815

    def _on_Limit(self, expr: Expr) -> Number:
        body, x, target, direction = expr.args
        sides = (-1, 1) if str(direction) == "+-" else (1 if str(direction) == "+" else -1,)
        if target.is_infinite:
            sides = (1 if target == S.Infinity else -1,)
        results = [self._limit(body, x, target, side) for side in sides]
        if len(results) == 2:
            gap = results[0] - results[1]
            if (
                log2_upper_bound(gap) - max(log2_upper_bound(results[0]), 0.0)
            ) * DIGITS_PER_BIT > -self.digits:
                raise Inconclusive(f"the two one-sided limits of {body} at {target} differ")
        return results[0], -math.inf

    def _limit(self, body: Expr, x: Symbol, target: Expr, side: int) -> Ball:
        """Evaluate a limit by Richardson extrapolation in the distance to the limit point."""
        inner = self.with_values({}, 2 * self.digits + 15)
        row: list[Ball] = []
        agreed = 0
        with ctx.workprec(inner.bits):
            for k in range(2, 48):
                # Not a power of two: periodic functions must not look constant.
                far = sp.Rational(1237 * 2**k, 1009) * side
                place = far if target.is_infinite else target + 1 / far
                values = {x: DeferredExpression(place, self.environment)}
                try:
                    new = [self.with_values(values, inner.digits).ball(body)]
                except NotReal:
                    # It may be real nearer to the limit point.
                    row, agreed = [], 0
                    continue
                for j, old in enumerate(row):
                    new.append(new[j] + (new[j] - old) / (2 ** (j + 1) - 1))
                if row:
                    gap = new[-1] - row[-1]
                    size = max(log2_upper_bound(new[-1]), log2_upper_bound(row[0]), -1.0)
                    close = (log2_upper_bound(gap) - size) * DIGITS_PER_BIT < -self.digits - 2
                    agreed = agreed + 1 if close else 0
                    if agreed == 2:
                        margin = gap.abs_upper() if isinstance(gap, arb) else abs(gap).upper()
                        return new[-1] + arb(0, margin)
                row = new
        raise Inconclusive(f"the values of {body} as {x} tends to {target} do not settle")

    def _on_Derivative(self, expr: Expr) -> Number:
        slope = evaluate_elementary_derivative(expr)
        if slope is not None:
            return self.number(slope)
        orders = Counter({x: int(n) for x, n in expr.variable_count})
        return self._difference_quotient(expr.expr, list(orders.items()))

    def _difference_quotient(self, body: Expr, orders: list[tuple[Symbol, int]]) -> Number:
        total = sum(n for _, n in orders)
        accuracy = 1 if total <= 2 else 2
        lost = (self.digits + 7) / (2 * accuracy)
        step = sp.Rational(1, 2 ** math.ceil(lost / DIGITS_PER_BIT))
        inner = math.ceil(self.digits + 4 + total * lost)
        stencils = [_stencil(n, accuracy) for _, n in orders]

        def shifted(shifts: Sequence[sp.Rational], digits: int) -> Ball:
            moved = {
                x: DeferredExpression(x + shift, self.environment)
                for (x, _), shift in zip(orders, shifts, strict=True)
            }
            return self.with_values(moved, digits).ball(body)

        # A derivative that vanishes is judged against the function that is differentiated.
        result, size = arb(0), -math.inf
        with ctx.workprec(math.ceil((inner + 8) / DIGITS_PER_BIT) + 24):
            for choice in product(*stencils):
                weight = math.prod((w for _, w in choice), start=sp.Rational(1))
                value = shifted([shift * step for shift, _ in choice], inner)
                size = max(size, log2_upper_bound(value))
                result += fmpq(int(weight.p), int(weight.q)) * value
            result = result / arb(fmpq(int(step.p), int(step.q))) ** total
            if total == 1:
                # At a kink the second difference is of the first order in the step.
                near = sp.Rational(1, 2**40)
                left, mid, right = (shifted([k * near], 20) for k in (-1, 0, 1))
                bend = (left - 2 * mid + right) * 2**40
                if log2_upper_bound(bend) > max(log2_upper_bound(result), 0.0) - 12:
                    raise Inconclusive(f"{body} has no derivative in {orders[0][0]} here")
        return result, size

    def _on_Integral(self, expr: Expr) -> Number:
        *inner, limits = expr.args[1:]
        if len(limits) != 3:
            raise Inconclusive(f"{expr} has no limits of integration")
        body = expr.func(expr.args[0], *inner) if inner else expr.args[0]
        x, low, high = limits
        a, b = (
            require_real_ball(self._argument(end), "a limit of integration") for end in (low, high)
        )
        sign = 1
        if a == b and a.is_finite():
            return arb(0), -math.inf
        if a > b:
            a, b, sign = b, a, -1
        # Near a singular end, digits are lost in the distance to it: make a second try with more.
        for evaluator in (self, self.with_values({}, 3 * self.digits + 10)):
            with ctx.workprec(evaluator.bits):
                try:
                    value, absolute = evaluator._line_integral(body, x, a, b, self.digits)
                    return sign * value, absolute
                except Inconclusive as reason:
                    undecided = reason
        raise undecided

    def _line_integral(
        self, body: Expr, x: Symbol, low: Ball, high: Ball, digits: int
    ) -> QuadratureResult:
        compiler = IntegrandCompiler(self, 1, {x: (arb(0), [arb(1)])})
        program = compiler.program
        program.output = compiler.register_of_value(self.expand_sums(body, {}))
        if program.levels[program.output] == 0:
            value = program.values[program.output] * (high - low)
            return QuadratureResult(value, log2_upper_bound(value))
        if not low.is_finite() and not high.is_finite():
            try:
                return integrate_over_real_line(program, digits)
            except Inconclusive:
                pass  # it decays too slowly for the trapezoid rule
        return integrate_over_interval(program.evaluate, low, high, digits)

    def ball_function(self, expr: Basic) -> Callable[..., Ball] | None:
        """Return the function on balls for a node's outermost function, or None if it has none."""
        kind = type(expr)
        if kind.__name__ == "zeta" and not kind.__module__.startswith("sympy."):
            return _zeta
        return super().ball_function(expr)

    def check_law(self, law: Law) -> None:
        """Raise `NotALaw` if a law's covariance is not positive semidefinite at this point."""
        with ctx.workprec(self.bits):
            for block in IndependentLawBlock.parts_of_law(law):
                self.expectations.require_semidefinite(block)

    def _on_Expectation(self, node: Expectation) -> Number:
        return self.expectations.value(node)


class RealEvaluator(Evaluator):
    """Evaluator in real numbers, which raises `NotReal` for roots and logarithms of negatives."""

    def ball_function(self, expr: Basic) -> Callable[..., Ball] | None:
        """Return the function on balls for a node's outermost function, or None if it has none."""
        function, name = super().ball_function(expr), type(expr).__name__
        is_outside = _OUTSIDE_OF_DOMAIN.get(name)
        if function is None or is_outside is None:
            return function
        return _within_domain(function, is_outside, name)

    def power_function(self, exponent: sp.Rational | None) -> Callable[..., Ball]:
        """Return the function that raises a ball to a rational power, or to a second ball."""
        function = super().power_function(exponent)
        if exponent is not None and exponent.is_Integer:
            return function
        return _within_domain(function, _has_no_real_power, "a fractional power")

    def _on_ImaginaryUnit(self, expr: Expr) -> Number:
        # SymPy has written a root of a negative number so, where a value was put in.
        raise NotReal("the imaginary unit is not a real number")


_OUTSIDE_OF_DOMAIN: dict[str, Callable[..., bool]] = {
    "log": lambda x: bool(x <= 0),
    "asin": lambda x: bool(abs(x) > 1),
    "acos": lambda x: bool(abs(x) > 1),
}


def _has_no_real_power(base: Ball, exponent: Ball | None = None) -> bool:
    return bool(base < 0) and not (exponent is not None and exponent.is_integer())


def _within_domain(
    function: Callable[..., Ball], is_outside: Callable[..., bool], name: str
) -> Callable[..., Ball]:
    """Return a function on balls that raises `NotReal` where it is certainly not real."""

    def value(*arguments: Ball) -> Ball:
        arguments = tuple(map(drop_zero_imaginary_part, arguments))
        # A root of a ball around 0 is complex, though its number may be real.
        if not any(isinstance(x, acb) for x in arguments) and is_outside(*arguments):
            raise NotReal(f"{name} of {arguments[0].str(8, radius=False)} is not a real number")
        return function(*arguments)

    return value


def _zeta(t: Ball, s: Ball) -> Ball:
    r"""Evaluate zeta(t, s), the mean :math:`\mathbb{E}\operatorname{erf}(t + sG)^2`, in balls."""
    digits = int(ctx.prec * DIGITS_PER_BIT) - 12
    return Evaluator({_T: t, _S: s}, digits).ball(_ZETA)


@lru_cache(maxsize=64)
def _stencil(order: int, accuracy: int) -> tuple[tuple[sp.Rational, sp.Rational], ...]:
    """Return the nodes and weights of a central finite difference of given order and accuracy."""
    reach = (order + 1) // 2 + accuracy - 1
    nodes = [sp.Rational(x) for x in range(-reach, reach + 1) if x or order % 2 == 0]
    # Exact for each power of x below the number of nodes.
    powers = Matrix(len(nodes), len(nodes), lambda k, j: nodes[j] ** k)
    values = Matrix(len(nodes), 1, lambda k, _: math.factorial(k) if k == order else 0)
    weights = powers.LUsolve(values)
    return tuple((x, w) for x, w in zip(nodes, weights, strict=True) if w != 0)


_SLACK = 2
_NEGLIGIBLE = 1e-15


def evaluate(
    expr: Any, point: Point, digits: int = 30, functions: Mapping[Any, Any] | None = None
) -> NumberWithError:
    """Evaluate an expression at a point, with an error bound.

    Examples
    --------
    >>> from sympy import Symbol, erf
    >>> from slrsym.gaussian import Expectation, standard_normal
    >>> G = Symbol("G", real=True)
    >>> evaluate(Expectation(erf(1 + G) ** 2, standard_normal(G)), {}).number
    mpf('0.62429667035758772')
    """
    if digits < 1:
        raise ValueError(f"digits must be at least 1; got {digits}")
    expr = replace_undefined_functions(sp.sympify(expr), functions or {})
    return _evaluated(expr, digits, lambda working: Evaluator(point, working))


def _evaluated(expr: Basic, digits: int, evaluator: Callable[[int], Evaluator]) -> NumberWithError:
    """Evaluate an expression with more and more working digits until enough are correct."""
    working = digits + 3
    for _ in range(4):
        value = ball_to_number_with_error(evaluator(working).number(expr))
        reference = _reference_size(value)
        missing = digits - correct_digits(value.error, reference)
        if missing <= 0 or math.isinf(missing):
            break
        working += math.ceil(missing) + 4
    return value


def _reference_size(*values: NumberWithError) -> Any:
    """Return the size relative to which the error of a comparison is measured."""
    size = max(abs(value.number) for value in values)
    scale = max(value.scale for value in values)
    largest = mpmath.mpf(0) if scale == -math.inf else mpmath.mpf(2) ** scale
    return largest if size < _NEGLIGIBLE * largest else size


class Disagreement(Exception):  # noqa: N818
    """Error for a statement that numbers show to be false at a point."""

    def __init__(
        self, statement: Any, point: Mapping[Any, Any], lhs: str, rhs: str, undefined: str = ""
    ) -> None:
        self.statement, self.point, self.lhs, self.rhs = statement, point, lhs, rhs
        why = f"a side is undefined, since {undefined}" if undefined else f"{lhs} against {rhs}"
        super().__init__(f"{infix_text(statement)} fails{describe_point(point)}: {why}")


def describe_point(point: Mapping[Any, Any]) -> str:
    where = ", ".join(f"{symbol} = {value}" for symbol, value in point.items())
    return f" at {where}" if where else ""


@lru_cache(maxsize=512)
def _is_complex(relation: Basic) -> bool:
    """Return whether a relation speaks of numbers that are not real."""
    return relation.has(S.ImaginaryUnit) or any(x.is_real is False for x in relation.atoms(Symbol))


@dataclass
class StatementJudge:
    """Decider whether statements hold at one point, with a record of the compared numbers.

    Notes
    -----
    A relation with an undefined side is false. Sides without the imaginary unit and imaginary
    symbols are read in real numbers, where roots and logarithms of negative numbers are undefined.
    """

    point: Point
    digits: int
    # Far out, sides that differ may be too close to each other to be told apart.
    lenient: bool = False
    last: tuple[Any, NumberWithError, NumberWithError] | None = field(default=None)
    agreed: float = math.inf
    missed: float = 0.0
    # By their kind and digits; what both sides contain is evaluated once.
    evaluators: dict[tuple[type[Evaluator], int], Evaluator] = field(default_factory=dict)
    # The relation that was found to have an undefined side last, and why it is undefined.
    undefined: tuple[Any, str] | None = field(default=None)

    def _evaluator(self, kind: type[Evaluator], working: int) -> Evaluator:
        key = kind, working
        if key not in self.evaluators:
            self.evaluators[key] = kind(self.point, working)
        return self.evaluators[key]

    def holds(self, statement: Basic) -> bool:
        if statement in (S.true, S.false):
            return bool(statement == S.true)
        if isinstance(statement, Relational):
            return self._relation(statement)
        if isinstance(statement, sp.Not):
            return not self.holds(statement.args[0])
        if isinstance(statement, sp.And | sp.Or | sp.Implies | sp.ITE):
            return self._connected(statement)
        if isinstance(statement, sp.Equivalent | sp.Xor):
            values = [self.holds(arg) for arg in statement.args]
            if isinstance(statement, sp.Xor):
                return sum(values) % 2 == 1
            return len(set(values)) == 1
        raise ValueError(
            f"{statement} is not a relation, nor a combination of relations by And, Or, Not, "
            f"Implies, Equivalent, Xor, ITE"
        )

    def _connected(self, statement: Basic) -> bool:
        if isinstance(statement, sp.Implies):
            premise, conclusion = statement.args
            return self._connected(sp.Or(sp.Not(premise), conclusion))
        if isinstance(statement, sp.ITE):
            condition, yes, no = statement.args
            return self.holds(yes if self.holds(condition) else no)
        decisive = isinstance(statement, sp.Or)
        undecided: Inconclusive | None = None
        for part in statement.args:
            try:
                if self.holds(part) is decisive:
                    return decisive
            except Inconclusive as reason:
                undecided = reason
        if undecided is not None:
            raise undecided
        return not decisive

    def _relation(self, relation: Relational) -> bool:
        for digits in (self.digits, 2 * self.digits, 4 * self.digits):
            try:
                verdict = self._compared(relation, digits)
            except NotReal as reason:
                self.undefined = relation, str(reason)
                return False
            if verdict is not None:
                return verdict
        raise Inconclusive(f"{infix_text(relation)} cannot be decided at {4 * self.digits} digits")

    def _compared(self, relation: Relational, digits: int) -> bool | None:
        """Return whether a relation holds numerically; None if more digits are needed to decide."""
        kind = Evaluator if _is_complex(relation) else RealEvaluator
        evaluator = partial(self._evaluator, kind)
        left, right = (_evaluated(side, digits, evaluator) for side in relation.args)
        self.last, self.undefined = (relation, left, right), None
        with mpmath.workdps(digits + 40):
            difference = left.number - right.number
            error = left.error + right.error
            reference = _reference_size(left, right)
            apart = abs(difference)
            agreed = correct_digits(apart + error, reference)
            if isinstance(relation, sp.Eq):
                # Sides known so well that they are seen to differ do not count as equal.
                differ = apart > 4 * error and apart > reference * mpmath.mpf(10) ** -self.digits
                if agreed >= self.digits - _SLACK and not differ:
                    self.agreed = min(self.agreed, agreed, float(self.digits))
                    return True
                if apart > 2 * error:
                    self.missed = agreed
                    return False
                return None
            tolerance = 2 * error + reference * mpmath.mpf(10) ** -digits
            if apart > tolerance:
                if isinstance(relation, sp.Ne):
                    return True
                if isinstance(difference, mpmath.mpc):
                    raise Inconclusive(f"{relation} orders numbers that are not real")
                sign = 1 if difference > 0 else -1
                return RELATIONS[type(relation).__name__](sign)
            if agreed < digits - _SLACK:
                return None
            # Equal as far as can be seen. For a strict relation look once more, twice as far.
            if type(relation).__name__ in ("LessThan", "GreaterThan"):
                return True
            return None if digits == self.digits or self.lenient else False

    def describe_last_comparison(self) -> str:
        """Return a text with the point and both sides of the last comparison; empty if none."""
        if self.last is None:
            return ""
        left, right = (mpmath.nstr(side.number, self.digits) for side in self.last[1:])
        return f"{describe_point(self.point)}: {left} and {right}".removeprefix(" ")

    def make_disagreement(self, statement: Basic) -> Disagreement:
        if self.undefined is not None:
            return Disagreement(self.undefined[0], self.point, "", "", self.undefined[1])
        if self.last is None:
            return Disagreement(statement, self.point, "False", "True")
        relation, left, right = self.last
        shown = max(20, int(self.missed) + 6)
        lhs, rhs = (mpmath.nstr(side.number, shown) for side in (left, right))
        return Disagreement(relation, self.point, lhs, rhs)


def is_true_at(
    statement: Any, point: Point, digits: int = 30, functions: Mapping[Any, Any] | None = None
) -> bool:
    """Return whether a statement holds at a point."""
    return StatementJudge(point, digits).holds(
        replace_undefined_functions(sp.sympify(statement), functions or {})
    )
