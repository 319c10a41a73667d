"""Evaluation of an expression at a point in ball arithmetic, node by node."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from typing import Any, Self

import sympy as sp
from flint import acb, arb, ctx, fmpq
from sympy import Basic, Expr, S, Symbol
from sympy.core.relational import Relational
from sympy.tensor.indexed import Indexed

from slrsym.crosscheck.ball_quadrature import (
    DIGITS_PER_BIT,
    Ball,
    DeferredExpression,
    Inconclusive,
    Number,
    compare_balls,
    complex_ball,
    drop_zero_imaginary_part,
    integrate_over_interval,
    log2_upper_bound,
    require_real_ball,
)
from slrsym.crosscheck.integrands import (
    IndependentLawBlock,
    evaluate_elementary_derivative,
    has_undefined_function_or_node_named,
    replace_index,
)
from slrsym.crosscheck.random_values import RandomSequence
from slrsym.gaussian.law import IIDSum


def square_root(x: Ball) -> Ball:
    """Return the principal square root of a ball.

    A real ball that contains 0 and is no larger than rounding errors is taken for a nonnegative
    number.
    """
    x = drop_zero_imaginary_part(x)
    if isinstance(x, acb):
        return x.sqrt()
    if x >= 0:
        return x.sqrt()
    if x < 0:
        return acb(0, (-x).sqrt())
    return (
        x.abs_upper().sqrt().union(arb(0)) if log2_upper_bound(x) < -ctx.prec / 2 else acb(x).sqrt()
    )


def _log(x: Ball) -> Ball:
    x = drop_zero_imaginary_part(x)
    return x.log() if isinstance(x, arb) and x > 0 else complex_ball(x).log()


def _real_inside(x: Ball) -> Ball:
    """Return a number as a real ball if it lies in [-1, 1], where arcsin is real, else complex."""
    x = drop_zero_imaginary_part(x)
    return x if isinstance(x, arb) and abs(x) <= 1 else complex_ball(x)


def _heaviside(x: Ball, at_zero: Ball | None = None) -> Ball:
    sign = compare_balls(x, arb(0))
    if sign == 0:
        return arb(fmpq(1, 2)) if at_zero is None else at_zero
    return arb(int(sign > 0))


def _owens_t(h: Ball, a: Ball) -> Ball:
    r"""Evaluate :math:`\frac1{2\pi}\int_0^a e^{-h^2(1+x^2)/2}/(1+x^2)\,dx`."""
    square = h * h / 2

    def density(x: Ball, _: bool = False) -> Ball:
        return (-square * (1 + x * x)).exp() / (1 + x * x)

    if isinstance(a, arb) and not a.is_finite():
        digits = int(ctx.prec * DIGITS_PER_BIT) - 10
        value = integrate_over_interval(density, arb(0), arb.pos_inf(), digits).value
        return (value if a > 0 else -value) / (2 * arb.pi())
    value = acb.integral(density, acb(0), complex_ball(a))
    real = all(isinstance(drop_zero_imaginary_part(x), arb) for x in (h, a))
    return (value.real if real else value) / (2 * arb.pi())


def _normal_cdf(x: Ball) -> Ball:
    return (-x / arb(2).sqrt()).erfc() / 2


def _bivariate_normal_cdf(h: Ball, k: Ball, r: Ball) -> Ball:
    """Evaluate the bivariate normal distribution function by Plackett's integral over an angle."""

    def density(t: Ball, _: bool = False) -> Ball:
        return (-(h * h - 2 * h * k * t.sin() + k * k) / (2 * t.cos() ** 2)).exp()

    integral = acb.integral(density, acb(0), complex_ball(_real_inside(r).asin()))
    real = all(isinstance(drop_zero_imaginary_part(x), arb) for x in (h, k, r))
    return _normal_cdf(h) * _normal_cdf(k) + (integral.real if real else integral) / (2 * arb.pi())


_FUNCTIONS: dict[str, Callable[..., Ball]] = {
    "exp": lambda x: x.exp(),
    "log": _log,
    "erf": lambda x: x.erf(),
    "erfc": lambda x: x.erfc(),
    "erfi": lambda x: x.erfi(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "tan": lambda x: x.tan(),
    "sinh": lambda x: x.sinh(),
    "cosh": lambda x: x.cosh(),
    "tanh": lambda x: x.tanh(),
    "asin": lambda x: _real_inside(x).asin(),
    "acos": lambda x: _real_inside(x).acos(),
    "atan": lambda x: x.atan(),
    "asinh": lambda x: x.asinh(),
    "gamma": lambda x: x.gamma(),
    "factorial": lambda x: (x + 1).gamma(),
    "re": lambda x: complex_ball(x).real,
    "im": lambda x: complex_ball(x).imag,
    "conjugate": lambda x: x.conjugate() if isinstance(x, acb) else x,
    "Abs": abs,
    "sign": lambda x: arb(compare_balls(x, arb(0))),
    "Heaviside": _heaviside,
    "floor": lambda x: require_real_ball(x, "floor").floor(),
    "ceiling": lambda x: require_real_ball(x, "ceiling").ceil(),
    "frac": lambda x: x - require_real_ball(x, "frac").floor(),
    "KroneckerDelta": lambda a, b: arb(int(compare_balls(a, b) == 0)),
    "Max": lambda *xs: reduce(lambda a, b: a if compare_balls(a, b) >= 0 else b, xs),
    "Min": lambda *xs: reduce(lambda a, b: a if compare_balls(a, b) <= 0 else b, xs),
    "erf_prime": lambda x: 2 * (-x * x).exp() / arb.pi().sqrt(),
    "erf_second": lambda x: -4 * x * (-x * x).exp() / arb.pi().sqrt(),
    "normal_pdf": lambda x: (-x * x / 2).exp() / (2 * arb.pi()).sqrt(),
    "normal_cdf": _normal_cdf,
    "OwensT": _owens_t,
    "bivariate_normal_cdf": _bivariate_normal_cdf,
}


_CONSTANTS: dict[str, Callable[[], Ball]] = {
    "Pi": arb.pi,
    "Exp1": lambda: arb(1).exp(),
    "EulerGamma": arb.const_euler,
    "ImaginaryUnit": lambda: acb(0, 1),
}


@lru_cache(maxsize=512)
def rational_power_function(exponent: sp.Rational) -> Callable[[Ball], Ball]:
    """Return the function that raises a ball to a given rational power."""
    if exponent == 2:
        return lambda x: x * x
    if exponent.is_Integer:
        n = int(exponent)
        return lambda x: x**n if n > 0 else 1 / x**-n
    p, q = int(exponent.p), int(exponent.q)
    if q == 2:
        root: Callable[[Ball], Ball] = (
            (lambda x: square_root(x) ** p) if p > 0 else lambda x: 1 / square_root(x) ** -p
        )
        return root

    def general(x: Ball) -> Ball:
        x = drop_zero_imaginary_part(x)
        if x.is_zero() and p > 0:
            return arb(0)
        return (_log(x) * fmpq(p, q)).exp()

    return general


def principal_power(base: Ball, exponent: Ball) -> Ball:
    """Return the principal value of a power of balls."""
    exponent = drop_zero_imaginary_part(exponent)
    if isinstance(exponent, arb) and exponent.is_integer():
        return rational_power_function(sp.Integer(int(exponent.unique_fmpz())))(base)
    return (_log(base) * exponent).exp()


RELATIONS: dict[str, Callable[[int], bool]] = {
    "Equality": lambda c: c == 0,
    "Unequality": lambda c: c != 0,
    "LessThan": lambda c: c <= 0,
    "StrictLessThan": lambda c: c < 0,
    "GreaterThan": lambda c: c >= 0,
    "StrictGreaterThan": lambda c: c > 0,
}


def evaluate_piecewise(*pairs: Any) -> Ball:
    """Return the first of alternating values and conditions whose condition is true."""
    for value, condition in zip(pairs[::2], pairs[1::2], strict=True):
        if condition:
            return value
    raise Inconclusive("no branch of a Piecewise applies")


_MOST_SUMMANDS = 100_000


class NodeEvaluator:
    """Evaluator of symbols, numbers and known functions, with a method for each kind of node.

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
        """Return the value of an expression as a ball."""
        return self.number(expr)[0]

    def number(self, expr: Basic) -> Number:
        """Return the value of an expression, and the size of the largest term added on the way."""
        if expr in self._known and not expr.has(sp.Subs):
            return self._known[expr]
        with ctx.workprec(self.bits):
            ball, scale = self._number(expr)
            ball = drop_zero_imaginary_part(ball)
            own = log2_upper_bound(ball)
            self._known[expr] = ball, max(scale, own)
        return self._known[expr]

    def _number(self, expr: Basic) -> Number:
        special = getattr(self, f"_on_{type(expr).__name__}", None)
        if special is not None:
            result: Number = special(expr)
            return result
        if isinstance(expr, sp.Rational):
            return arb(fmpq(int(expr.p), int(expr.q))), -math.inf
        if isinstance(expr, Symbol):
            return self._bound(expr)
        if expr.is_Float:
            mantissa, exponent = expr._mpf_[1] * (-1) ** expr._mpf_[0], expr._mpf_[2]
            return arb(int(mantissa)) * arb(2) ** int(exponent), -math.inf
        constant = _CONSTANTS.get(type(expr).__name__)
        if constant is not None:
            return constant(), -math.inf
        function = self.ball_function(expr)
        if function is not None:
            return function(*map(self._argument, expr.args)), -math.inf
        raise Inconclusive(f"no numerical evaluation for {type(expr).__name__}: {expr}")

    def with_values(self, values: Mapping[Any, Any], digits: int) -> Self:
        """Return an evaluator with some values of symbols replaced, working to given digits."""
        return type(self)({**self.environment, **values}, digits)

    def ball_function(self, expr: Basic) -> Callable[..., Ball] | None:
        """Return the function on balls for a node's outermost function, or None if it has none."""
        return _FUNCTIONS.get(type(expr).__name__)

    def power_function(self, exponent: sp.Rational | None) -> Callable[..., Ball]:
        """Return the function that raises a ball to a rational power, or to a second ball."""
        return principal_power if exponent is None else rational_power_function(exponent)

    def integer(self, expr: Expr) -> int:
        """Return an expression's value as an int; raise `Inconclusive` if it is not an integer."""
        ball = self.ball(expr)
        whole = ball.unique_fmpz() if isinstance(ball, arb) else None
        if whole is None or log2_upper_bound(ball - whole) > -8:
            raise Inconclusive(f"{expr} is not an integer at this point")
        return int(whole)

    def is_condition_true(self, expr: Basic) -> bool:
        """Return whether a branch's condition holds; indistinguishable numbers count as equal."""
        with ctx.workprec(self.bits):
            if isinstance(expr, Relational):
                relation = RELATIONS[type(expr).__name__]
                return relation(compare_balls(self.ball(expr.lhs), self.ball(expr.rhs)))
            if expr in (S.true, S.false):
                return bool(expr == S.true)
            if isinstance(expr, sp.And):
                return all(self.is_condition_true(arg) for arg in expr.args)
            if isinstance(expr, sp.Or):
                return any(self.is_condition_true(arg) for arg in expr.args)
            if isinstance(expr, sp.Not):
                return not self.is_condition_true(expr.args[0])
            if isinstance(expr, sp.ITE):
                test, yes, no = expr.args
                return self.is_condition_true(yes if self.is_condition_true(test) else no)
            if isinstance(expr, sp.Xor | sp.Implies | sp.Equivalent):
                return self.is_condition_true(expr.to_nnf(simplify=False))
        raise Inconclusive(f"cannot decide the condition {expr}")

    def _argument(self, expr: Basic) -> Ball:
        if expr in (S.Infinity, S.NegativeInfinity):
            return arb.pos_inf() if expr == S.Infinity else arb.neg_inf()
        return self.ball(expr)

    def _bound(self, symbol: Basic) -> Number:
        try:
            value = self.environment[symbol]
        except KeyError:
            raise ValueError(f"the point has no value for {symbol}") from None
        if isinstance(value, DeferredExpression):
            return type(self)(value.environment, self.digits).number(value.expr)
        if isinstance(value, arb | acb):
            return value, -math.inf
        return self.number(sp.sympify(value))

    def _on_Add(self, expr: sp.Add) -> Number:
        terms = [self.number(arg) for arg in expr.args]
        return reduce(operator.add, (b for b, _ in terms)), max(s for _, s in terms)

    def _on_Mul(self, expr: sp.Mul) -> Number:
        factors = [self.number(arg) for arg in expr.args]
        return reduce(operator.mul, (b for b, _ in factors)), sum(s for _, s in factors)

    def _on_Pow(self, expr: sp.Pow) -> Number:
        if expr.exp.is_Rational:
            base, scale = self.number(expr.base)
            large = float(expr.exp) * scale if expr.exp > 0 else -math.inf
            return self.power_function(expr.exp)(base), large
        if expr.base == sp.E:
            return self.ball(expr.exp).exp(), -math.inf
        return self.power_function(None)(self.ball(expr.base), self.ball(expr.exp)), -math.inf

    def _on_Abs(self, expr: Expr) -> Number:
        # What cancelled between the bars is what the error is relative to, as without the bars.
        inside, scale = self.number(expr.args[0])
        return abs(inside), scale

    def _on_Piecewise(self, expr: sp.Piecewise) -> Number:
        for value, condition in expr.args:
            if self.is_condition_true(condition):
                return self.number(value)
        raise Inconclusive(f"no branch of {expr} applies")

    def _on_Indexed(self, expr: Indexed) -> Number:
        indices = [self.integer(index) for index in expr.indices]
        exact = expr.base[tuple(map(sp.Integer, indices))]
        for key in (exact, expr):
            if key in self.environment:
                return self._bound(key)
        entries = self.environment.get(expr.base, self.environment.get(expr.base.label))
        several = len(indices) != 1
        if several and isinstance(entries, Mapping) and tuple(indices) in entries:
            return self.number(sp.sympify(entries[tuple(indices)]))
        if entries is None or several:
            raise ValueError(f"the point has no value for {exact}")
        if isinstance(entries, Mapping):
            return self.number(sp.sympify(entries[indices[0]]))
        if isinstance(entries, RandomSequence):
            return self.number(entries.entry(indices[0]))
        if not 1 <= indices[0] <= len(entries):
            raise ValueError(
                f"{exact} is outside of the {len(entries)} values given for {expr.base}"
            )
        return self.number(sp.sympify(entries[indices[0] - 1]))

    def _on_Sum(self, expr: Expr) -> Number:
        terms = [self.number(term) for term in self._written_out(expr)]
        total = reduce(operator.add, (b for b, _ in terms), arb(0))
        return total, max((s for _, s in terms), default=-math.inf)

    def _on_Product(self, expr: Expr) -> Number:
        factors = [self.number(factor) for factor in self._written_out(expr)]
        return reduce(operator.mul, (b for b, _ in factors), arb(1)), sum(s for _, s in factors)

    def _written_out(self, expr: Basic) -> list[Expr]:
        """Return all terms of a Sum, or factors of a Product, over its last index."""
        *inner, (index, low, high) = expr.args[1:]
        first, last = self.integer(low), self.integer(high)
        if last - first > _MOST_SUMMANDS:
            raise Inconclusive(f"{expr} has more than {_MOST_SUMMANDS} terms")
        body = expr.func(expr.args[0], *inner) if inner else expr.args[0]
        return [replace_index(body, index, sp.Integer(k)) for k in range(first, last + 1)]

    def expand_sums(
        self, expr: Expr, sums: dict[IIDSum, tuple[Expr, list[IndependentLawBlock]]]
    ) -> Expr:
        """Expand finite sums; those of independent copies get new variables for each copy."""
        if not has_undefined_function_or_node_named(expr):
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
                parts = [self.expand_sums(part, sums) for part in self._written_out(expr)]
            except ValueError:
                return expr  # its range depends on a variable of integration
            return sp.Add(*parts) if name == "Sum" else sp.Mul(*parts)
        if name == "Derivative":
            inner = expr.func(self.expand_sums(expr.expr, sums), *expr.variable_count)
            slope = (
                evaluate_elementary_derivative(inner)
                if type(inner).__name__ == "Derivative"
                else inner
            )
            return inner if slope is None else slope
        if name in ("Subs", "AtPoint"):
            body, variables, values = expr.args
            body = self.expand_sums(body, sums)
            values = [self.expand_sums(value, sums) for value in values]
            if has_undefined_function_or_node_named(body):
                return expr.func(body, variables, tuple(values))
            return body.xreplace(dict(zip(variables, values, strict=True)))
        return expr.func(*(self.expand_sums(arg, sums) for arg in expr.args))

    def _copies(self, node: IIDSum) -> tuple[Expr, list[IndependentLawBlock]]:
        if node.term.has(IIDSum):
            raise Inconclusive(f"a sum of copies inside a sum of copies: {node}")
        term = self.expand_sums(node.term, {})
        count = self.integer(node.count)
        if count < 0:
            raise Inconclusive(f"{node} has {count} copies at this point")
        terms: list[Expr] = []
        blocks: list[IndependentLawBlock] = []
        for _ in range(count):
            names: dict[Basic, Basic] = {}
            for block in IndependentLawBlock.parts_of_law(node.law):
                copy, renamed = block.copy_and_renaming()
                blocks.append(copy)
                names |= renamed
            terms.append(term.xreplace(names))
        return sp.Add(*terms), blocks

    def _on_IIDSum(self, expr: IIDSum) -> Number:
        raise ValueError(f"{expr} is random, and stands outside of every expectation")
