r"""The second check of every step: both sides as numbers, at random exact points.

Nothing here knows a closed form. Every expectation is computed from its definition by quadrature,
every derivative of what cannot be differentiated term by term as a difference quotient, every
special function from its defining integral. What is shared with the symbolic side is the notation:
SymPy's expression tree, the laws, and the `Expectation` node.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Any, TypeAlias

import mpmath
from flint import acb, arb, ctx, fmpq
from mpmath.libmp import from_man_exp
from numpy.random import Generator
from sympy import (
    ITE,
    Add,
    And,
    Basic,
    Dummy,
    E,
    Eq,
    Equivalent,
    Expr,
    Implies,
    Integer,
    Mul,
    Ne,
    Not,
    Or,
    Piecewise,
    Pow,
    Rational,
    S,
    Symbol,
    Xor,
    cos,
    cosh,
    default_sort_key,
    erf,
    exp,
    pi,
    sin,
    sinh,
    sqrt,
    sympify,
)
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean
from sympy.tensor.indexed import Indexed

from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw, standard_normal
from slrsym.gaussian.unevaluated import Expectation
from slrsym.proof.quadrature import (
    Ball,
    NotALaw,
    Program,
    Sum,
    Undecided,
    double_exponential,
    gauss_hermite,
    gaussian_sum,
    magnitude,
)
from slrsym.proof.sampling import NoPoint, parameters, random_test_function, sample_points

__all__ = [
    "Comparison",
    "Disagreement",
    "NotALaw",
    "Undecided",
    "Value",
    "compare",
    "evaluate",
    "random_test_function",
    "truth",
]

Point: TypeAlias = Mapping[Any, Any]
Number: TypeAlias = tuple[Ball, float]

_DIGITS_PER_BIT = math.log10(2)
_SLACK = 2
_NEGLIGIBLE = 1e-15
_MOST_TERMS = 4000
_MOST_SUMMANDS = 100_000
_MOST_REJECTED = 200


# -- functions on balls -----------------------------------------------------------------------


def _complex(x: Ball) -> Ball:
    return x if isinstance(x, acb) else acb(x)


def _simplest(x: Ball) -> Ball:
    """The real ball of a complex one whose imaginary part is exactly zero."""
    return x.real if isinstance(x, acb) and x.imag.is_zero() else x


def _real(x: Ball, what: str) -> Ball:
    x = _simplest(x)
    if isinstance(x, arb):
        return x
    if x.imag.contains(0):
        return x.real
    raise Undecided(f"{what} needs a real number; got {x.str(8)}")


def _compared(a: Ball, b: Ball) -> int:
    """The sign of a - b; zero where the balls are small and overlap."""
    d = _real(a - b, "an order")
    if d > 0:
        return 1
    if d < 0:
        return -1
    size = max(magnitude(a), magnitude(b), 0.0)
    if d.is_zero() or magnitude(d) < size - ctx.prec / 2:
        return 0
    raise Undecided("a sign is lost in rounding")


def _sqrt(x: Ball) -> Ball:
    x = _simplest(x)
    if isinstance(x, acb):
        return x.sqrt()
    if x >= 0:
        return x.sqrt()
    if x < 0:
        return acb(0, (-x).sqrt())
    return x.abs_upper().sqrt().union(arb(0)) if magnitude(x) < -ctx.prec / 2 else acb(x).sqrt()


def _log(x: Ball) -> Ball:
    x = _simplest(x)
    return x.log() if isinstance(x, arb) and x > 0 else _complex(x).log()


def _asin(x: Ball) -> Ball:
    x = _simplest(x)
    return x.asin() if isinstance(x, arb) and abs(x) <= 1 else _complex(x).asin()


def _acos(x: Ball) -> Ball:
    x = _simplest(x)
    return x.acos() if isinstance(x, arb) and abs(x) <= 1 else _complex(x).acos()


def _sign(x: Ball) -> Ball:
    return arb(_compared(x, arb(0)))


def _absolute(x: Ball) -> Ball:
    return abs(x)


def _heaviside(x: Ball, at_zero: Ball | None = None) -> Ball:
    sign = _compared(x, arb(0))
    if sign == 0:
        return arb(fmpq(1, 2)) if at_zero is None else at_zero
    return arb(int(sign > 0))


def _delta(a: Ball, b: Ball) -> Ball:
    return arb(int(_compared(a, b) == 0))


def _erf_prime(x: Ball) -> Ball:
    return 2 * (-x * x).exp() / arb.pi().sqrt()


def _erf_second(x: Ball) -> Ball:
    return -4 * x * (-x * x).exp() / arb.pi().sqrt()


def _normal_pdf(x: Ball) -> Ball:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _normal_cdf(x: Ball) -> Ball:
    return (-x / arb(2).sqrt()).erfc() / 2


def _owens_t(h: Ball, a: Ball) -> Ball:
    r""":math:`\frac1{2\pi}\int_0^a e^{-h^2(1+x^2)/2}/(1+x^2)\,dx`."""
    square = h * h / 2
    if isinstance(a, arb) and not a.is_finite():
        digits = int(ctx.prec * _DIGITS_PER_BIT) - 10

        def density(x: Ball) -> Ball:
            return (-square * (1 + x * x)).exp() / (1 + x * x)

        value = double_exponential(density, arb(0), arb.pos_inf(), digits).value
        return (value if a > 0 else -value) / (2 * arb.pi())
    value = acb.integral(
        lambda x, _: (-square * (1 + x * x)).exp() / (1 + x * x), acb(0), _complex(a)
    )
    real = isinstance(_simplest(h), arb) and isinstance(_simplest(a), arb)
    return (value.real if real else value) / (2 * arb.pi())


_T, _S, _G = (Dummy(name, real=True) for name in "tsG")
_ZETA = Expectation(erf(_T + _S * _G) ** 2, standard_normal(_G))


def _zeta(t: Ball, s: Ball) -> Ball:
    r""":math:`\mathbb{E}\operatorname{erf}(t + sG)^2`."""
    digits = int(ctx.prec * _DIGITS_PER_BIT) - 12
    return Evaluator({_T: t, _S: s}, digits).ball(_ZETA)


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
    "asin": _asin,
    "acos": _acos,
    "atan": lambda x: x.atan(),
    "asinh": lambda x: x.asinh(),
    "gamma": lambda x: x.gamma(),
    "factorial": lambda x: (x + 1).gamma(),
    "re": lambda x: _complex(x).real,
    "im": lambda x: _complex(x).imag,
    "conjugate": lambda x: x.conjugate() if isinstance(x, acb) else x,
    "Abs": _absolute,
    "sign": _sign,
    "Heaviside": _heaviside,
    "KroneckerDelta": _delta,
    "Max": lambda *xs: reduce(lambda a, b: a if _compared(a, b) >= 0 else b, xs),
    "Min": lambda *xs: reduce(lambda a, b: a if _compared(a, b) <= 0 else b, xs),
    "erf_prime": _erf_prime,
    "erf_second": _erf_second,
    "normal_pdf": _normal_pdf,
    "normal_cdf": _normal_cdf,
    "OwensT": _owens_t,
    "zeta": _zeta,
}


def _ball_function(expr: Basic) -> Callable[..., Ball] | None:
    """The function of a node, by name; SymPy's zeta is Riemann's, and is not ours."""
    kind = type(expr)
    if kind.__name__ == "zeta" and kind.__module__.startswith("sympy."):
        return None
    return _FUNCTIONS.get(kind.__name__)


@lru_cache(maxsize=512)
def _power(exponent: Rational) -> Callable[[Ball], Ball]:
    """Raising to a rational power."""
    if exponent == 2:
        return lambda x: x * x
    if exponent.is_Integer:
        n = int(exponent)
        return lambda x: x**n if n > 0 else 1 / x**-n
    p, q = int(exponent.p), int(exponent.q)
    if q == 2:
        root: Callable[[Ball], Ball] = (
            (lambda x: _sqrt(x) ** p) if p > 0 else lambda x: 1 / _sqrt(x) ** -p
        )
        return root

    def general(x: Ball) -> Ball:
        x = _simplest(x)
        if x.is_zero() and p > 0:
            return arb(0)
        return (_log(x) * fmpq(p, q)).exp()

    return general


def _general_power(base: Ball, exponent: Ball) -> Ball:
    exponent = _simplest(exponent)
    if isinstance(exponent, arb) and exponent.is_integer():
        return _power(Integer(int(exponent.unique_fmpz())))(base)
    return (_log(base) * exponent).exp()


_RELATIONS: dict[str, Callable[[int], bool]] = {
    "Equality": lambda c: c == 0,
    "Unequality": lambda c: c != 0,
    "LessThan": lambda c: c <= 0,
    "StrictLessThan": lambda c: c < 0,
    "GreaterThan": lambda c: c >= 0,
    "StrictGreaterThan": lambda c: c > 0,
}


def _select(*pairs: Any) -> Ball:
    """The value of a Piecewise from its values and conditions, in turn."""
    for value, condition in zip(pairs[::2], pairs[1::2], strict=True):
        if condition:
            return value
    raise Undecided("no branch of a Piecewise applies")


# -- rewriting that needs no numbers ----------------------------------------------------------

_BINDERS = ("Derivative", "Expectation", "IIDSum", "Integral", "Limit", "Product", "Subs", "Sum")


def _binds(expr: Basic, kinds: Sequence[str] = _BINDERS) -> bool:
    if type(expr).__name__ in kinds or isinstance(expr, AppliedUndef):
        return True
    return any(_binds(arg, kinds) for arg in expr.args)


_SLOPES: dict[str, Callable[[Expr], Expr]] = {
    "exp": exp,
    "log": lambda x: 1 / x,
    "erf": lambda x: 2 / sqrt(pi) * exp(-(x**2)),
    "erfc": lambda x: -2 / sqrt(pi) * exp(-(x**2)),
    "erfi": lambda x: 2 / sqrt(pi) * exp(x**2),
    "sin": cos,
    "cos": lambda x: -sin(x),
    "sinh": cosh,
    "cosh": sinh,
    "atan": lambda x: 1 / (1 + x**2),
    "asin": lambda x: 1 / sqrt(1 - x**2),
    "acos": lambda x: -1 / sqrt(1 - x**2),
    "erf_prime": lambda x: -4 * x / sqrt(pi) * exp(-(x**2)),
    "erf_second": lambda x: (8 * x**2 - 4) / sqrt(pi) * exp(-(x**2)),
    "normal_pdf": lambda x: -x / sqrt(2 * pi) * exp(-(x**2) / 2),
    "normal_cdf": lambda x: exp(-(x**2) / 2) / sqrt(2 * pi),
}


def _slope(expr: Expr, x: Symbol) -> Expr | None:
    """The derivative of an elementary expression; None where it is not one that is known."""
    if x not in expr.free_symbols:
        return None if _binds(expr) and x in expr.atoms(Symbol) else S.Zero
    if expr == x:
        return S.One
    name = type(expr).__name__
    if isinstance(expr, Add | Mul):
        slopes = [_slope(arg, x) for arg in expr.args]
        if any(slope is None for slope in slopes):
            return None
        if isinstance(expr, Add):
            return Add(*slopes)
        args = expr.args
        return Add(*(Mul(*args[:i], slope, *args[i + 1 :]) for i, slope in enumerate(slopes)))
    if isinstance(expr, Pow) and x not in expr.exp.free_symbols:
        inner = _slope(expr.base, x)
        return None if inner is None else expr.exp * expr.base ** (expr.exp - 1) * inner
    if name in _SLOPES and len(expr.args) == 1:
        inner = _slope(expr.args[0], x)
        return None if inner is None else _SLOPES[name](expr.args[0]) * inner
    return None


def _with_functions(expr: Basic, functions: Mapping[Any, Any]) -> Basic:
    """The expression with undefined functions replaced by concrete ones."""
    chosen = {
        getattr(h, "func", h) if isinstance(h, AppliedUndef) else h: f for h, f in functions.items()
    }
    if chosen:
        expr = _rebuilt(expr, chosen)
    unknown = sorted(str(e.func) for e in expr.atoms(AppliedUndef))
    if unknown:
        raise ValueError(
            f"no function is given for {unknown[0]}; pass functions={{{unknown[0]}: ...}}, for "
            f"example random_test_function(rng, ...)"
        )
    return expr


def _rebuilt(expr: Basic, chosen: Mapping[Any, Any]) -> Basic:
    """The expression with functions put in; no relation is left to SymPy to decide."""
    if not expr.args:
        return expr
    args = [_rebuilt(arg, chosen) for arg in expr.args]
    if isinstance(expr, AppliedUndef) and expr.func in chosen:
        return chosen[expr.func](*args)
    if all(new is old for new, old in zip(args, expr.args, strict=True)):
        return expr
    if isinstance(expr, Relational | And | Or | Not):
        return expr.func(*args, evaluate=False)
    return expr.func(*args)


def _products(expr: Expr, random: frozenset[Symbol]) -> list[tuple[Expr, ...]]:
    """The factors of each addend, when products and powers of random sums are multiplied out."""
    if not expr.free_symbols & random:
        return [(expr,)]
    if isinstance(expr, Add):
        return [factors for arg in expr.args for factors in _products(arg, random)]
    if isinstance(expr, Mul):
        result: list[tuple[Expr, ...]] = [()]
        for arg in expr.args:
            right = _products(arg, random)
            if len(result) * len(right) > _MOST_TERMS:
                return [(expr,)]
            result = [f + g for f in result for g in right]
        return result
    if isinstance(expr, Pow) and expr.exp.is_Integer and 1 < expr.exp <= 12:
        base, n = _products(expr.base, random), int(expr.exp)
        if len(base) == 1:
            return [tuple(factor**n for factor in base[0])]
        if math.comb(len(base) + n - 1, n) <= _MOST_TERMS:
            counts = Counter({(0,) * len(base): 1})
            for _ in range(n):
                step: Counter[tuple[int, ...]] = Counter()
                for powers, ways in counts.items():
                    for i in range(len(base)):
                        step[(*powers[:i], powers[i] + 1, *powers[i + 1 :])] += ways
                counts = step
            return [
                (Integer(w), *(f**p for fs, p in zip(base, ps, strict=True) if p for f in fs))
                for ps, w in counts.items()
            ]
    return [(expr,)]


@dataclass(frozen=True)
class _Block:
    """One independent part of a law, without the checks of the laws themselves."""

    symbols: tuple[Symbol, ...]
    mean: tuple[Expr, ...]
    cov: Any

    @classmethod
    def of(cls, law: Law) -> list[_Block]:
        blocks = []
        for part in law.blocks():
            if isinstance(part, GaussianLaw):
                blocks.append(cls(part.symbols, tuple(part.mean.values()), part.cov))
            elif isinstance(part, NoiseLaw):
                blocks.append(cls(part.symbols, (), part.variance))
            else:
                raise Undecided(f"no quadrature for a law of type {type(part).__name__}")
        return blocks

    def copy(self) -> tuple[_Block, dict[Symbol, Symbol]]:
        names = {s: Dummy(s.name, real=True) for s in self.symbols}
        return _Block(tuple(names.values()), self.mean, self.cov), names

    @property
    def gaussian(self) -> bool:
        return bool(self.mean)


# A noise of mean 0 and variance 1 that shares no other moment with the normal law.
_NOISE = ((-1, 1, 4, 9), (1, 2, 4, 9), (2, 1, 1, 9))


@dataclass(frozen=True)
class _Later:
    """An expression that is to be evaluated in its own environment, at whatever precision."""

    expr: Expr
    environment: Mapping[Any, Any]


# -- values -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Value:
    """A number and how far to trust it.

    Attributes
    ----------
    number : mpf or mpc
        The midpoint.
    error : mpf
        Bound of the error. That of rounding is rigorous, that of quadrature estimated.
    scale : float
        Binary logarithm of the largest term that was added on the way.
    """

    number: Any
    error: Any
    scale: float

    @property
    def digits(self) -> float:
        """Decimal digits that are right, relative to the number; infinite if it is exact."""
        return _digits(self.error, abs(self.number))

    def __str__(self) -> str:
        return mpmath.nstr(self.number, int(max(2.0, min(60.0, self.digits))))


def _digits(error: Any, size: Any) -> float:
    """How many digits of `size` an error leaves."""
    if error == 0:
        return math.inf
    if size == 0:
        return -math.inf
    return float(mpmath.log10(size) - mpmath.log10(error))


def _mpf(exact: Ball) -> Any:
    mantissa, exponent = exact.man_exp()
    return mpmath.make_mpf(from_man_exp(int(mantissa), int(exponent)))


def _value(number: Number) -> Value:
    ball, scale = number
    ball = _simplest(ball)
    if isinstance(ball, arb):
        return Value(_mpf(ball.mid()), _mpf(ball.rad()), scale)
    real, imag = _mpf(ball.real.mid()), _mpf(ball.imag.mid())
    error = _mpf(ball.real.rad() + ball.imag.rad())
    return Value(mpmath.make_mpc((real._mpf_, imag._mpf_)), error, scale)


class Evaluator:
    """Evaluation of expressions at one point, to a fixed number of digits.

    Parameters
    ----------
    environment : mapping
        Values of the free symbols: exact numbers, balls, or expressions to be evaluated.
    digits : int
        Digits aimed at, relative to the largest term added.
    """

    def __init__(self, environment: Mapping[Any, Any], digits: int) -> None:
        self.environment = environment
        self.digits = digits
        self.bits = math.ceil((digits + 8) / _DIGITS_PER_BIT) + 24
        self._known: dict[Basic, Number] = {}
        self._integrals: dict[Any, Number] = {}
        self._factors: dict[Any, list[list[Ball]]] = {}
        self._canonical: list[Symbol] = []

    def ball(self, expr: Basic) -> Ball:
        """The value as a ball."""
        return self.number(expr)[0]

    def number(self, expr: Basic) -> Number:
        """The value as a ball, and the binary logarithm of the largest term added."""
        if expr not in self._known:
            with ctx.workprec(self.bits):
                ball, scale = self._number(expr)
                ball = _simplest(ball)
                own = magnitude(ball)
                self._known[expr] = ball, max(scale, own)
        return self._known[expr]

    def _number(self, expr: Basic) -> Number:
        special = getattr(self, f"_on_{type(expr).__name__}", None)
        if special is not None:
            return special(expr)
        if isinstance(expr, Rational):
            return arb(fmpq(int(expr.p), int(expr.q))), -math.inf
        if isinstance(expr, Symbol):
            return self._bound(expr)
        if expr.is_Float:
            mantissa, exponent = expr._mpf_[1] * (-1) ** expr._mpf_[0], expr._mpf_[2]
            return arb(int(mantissa)) * arb(2) ** int(exponent), -math.inf
        function = _ball_function(expr)
        if function is not None:
            return function(*map(self._argument, expr.args)), -math.inf
        raise Undecided(f"no numerical evaluation for {type(expr).__name__}: {expr}")

    def _argument(self, expr: Basic) -> Ball:
        if expr in (S.Infinity, S.NegativeInfinity):
            return arb.pos_inf() if expr == S.Infinity else arb.neg_inf()
        return self.ball(expr)

    def _bound(self, symbol: Basic) -> Number:
        try:
            value = self.environment[symbol]
        except KeyError:
            raise ValueError(f"the point has no value for {symbol}") from None
        if isinstance(value, _Later):
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
            return _power(expr.exp)(base), large
        if expr.base == E:
            return self.ball(expr.exp).exp(), -math.inf
        return _general_power(self.ball(expr.base), self.ball(expr.exp)), -math.inf

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
        if entries is None or len(indices) != 1:
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

        Raises
        ------
        Undecided
            If it is not.
        """
        ball = self.ball(expr)
        whole = ball.unique_fmpz() if isinstance(ball, arb) else None
        if whole is None or magnitude(ball - whole) > -8:
            raise Undecided(f"{expr} is not an integer at this point")
        return int(whole)

    def condition(self, expr: Basic) -> bool:
        """Truth of the condition of a branch; numbers that cannot be told apart count as equal."""
        with ctx.workprec(self.bits):
            if isinstance(expr, Relational):
                relation = _RELATIONS[type(expr).__name__]
                return relation(_compared(self.ball(expr.lhs), self.ball(expr.rhs)))
            if expr in (S.true, S.false):
                return expr == S.true
            if isinstance(expr, And):
                return all(self.condition(arg) for arg in expr.args)
            if isinstance(expr, Or):
                return any(self.condition(arg) for arg in expr.args)
            if isinstance(expr, Not):
                return not self.condition(expr.args[0])
        raise Undecided(f"cannot decide the condition {expr}")

    # -- sums, limits, substitution -----------------------------------------------------------

    def _written_out(self, expr: Basic) -> list[Expr]:
        """The summands of a Sum or factors of a Product over its last range."""
        *inner, (index, low, high) = expr.args[1:]
        first, last = self.integer(low), self.integer(high)
        if last - first > _MOST_SUMMANDS:
            raise Undecided(f"{expr} has more than {_MOST_SUMMANDS} terms")
        body = expr.func(expr.args[0], *inner) if inner else expr.args[0]
        return [_replaced(body, index, Integer(k)) for k in range(first, last + 1)]

    def _on_Sum(self, expr: Expr) -> Number:
        terms = [self.number(term) for term in self._written_out(expr)]
        total = reduce(operator.add, (b for b, _ in terms), arb(0))
        return total, max((s for _, s in terms), default=-math.inf)

    def _on_Product(self, expr: Expr) -> Number:
        factors = [self.number(factor) for factor in self._written_out(expr)]
        return reduce(operator.mul, (b for b, _ in factors), arb(1)), sum(s for _, s in factors)

    def _on_Subs(self, expr: Expr) -> Number:
        body, variables, values = expr.args
        new = {x: _Later(v, self.environment) for x, v in zip(variables, values, strict=True)}
        return Evaluator({**self.environment, **new}, self.digits).number(body)

    def _on_Limit(self, expr: Expr) -> Number:
        body, x, target, direction = expr.args
        sides = (-1, 1) if str(direction) == "+-" else (1 if str(direction) == "+" else -1,)
        if target.is_infinite:
            sides = (1 if target == S.Infinity else -1,)
        results = [self._limit(body, x, target, side) for side in sides]
        if len(results) == 2:
            gap = results[0] - results[1]
            if (magnitude(gap) - max(magnitude(results[0]), 0.0)) * _DIGITS_PER_BIT > -self.digits:
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
                here = {**self.environment, x: _Later(place, self.environment)}
                new = [Evaluator(here, inner.digits).ball(body)]
                for j, old in enumerate(row):
                    new.append(new[j] + (new[j] - old) / (2 ** (j + 1) - 1))
                if row:
                    gap = new[-1] - row[-1]
                    size = max(magnitude(new[-1]), magnitude(row[0]), -1.0)
                    close = (magnitude(gap) - size) * _DIGITS_PER_BIT < -self.digits - 2
                    agreed = agreed + 1 if close else 0
                    if agreed == 2:
                        margin = gap.abs_upper() if isinstance(gap, arb) else abs(gap).upper()
                        return new[-1] + arb(0, margin)
                row = new
        raise Undecided(f"the values of {body} as {x} tends to {target} do not settle")

    # -- derivatives --------------------------------------------------------------------------

    def _on_Derivative(self, expr: Expr) -> Number:
        slope = _differentiated(expr)
        if slope is not None:
            return self.number(slope)
        orders = Counter({x: int(n) for x, n in expr.variable_count})
        return self._difference_quotient(expr.expr, list(orders.items()))

    def _difference_quotient(self, body: Expr, orders: list[tuple[Symbol, int]]) -> Number:
        total = sum(n for _, n in orders)
        accuracy = 1 if total <= 2 else 2
        lost = (self.digits + 7) / (2 * accuracy)
        step = Rational(1, 2 ** math.ceil(lost / _DIGITS_PER_BIT))
        inner = math.ceil(self.digits + 4 + total * lost)
        stencils = [_stencil(n, accuracy) for _, n in orders]

        def shifted(shifts: Sequence[Rational], digits: int) -> Ball:
            moved = {
                x: _Later(x + shift, self.environment)
                for (x, _), shift in zip(orders, shifts, strict=True)
            }
            return Evaluator({**self.environment, **moved}, digits).ball(body)

        # A derivative that vanishes is judged against the function that is differentiated.
        result, size = arb(0), -math.inf
        with ctx.workprec(math.ceil((inner + 8) / _DIGITS_PER_BIT) + 24):
            for choice in _grid(stencils):
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
        a, b = (_real(self._argument(end), "a limit of integration") for end in (low, high))
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
        compiler = _Compiler(self, 1, {x: (arb(0), [arb(1)])})
        program = compiler.program
        program.output = compiler.register(self.prepared(body, {}))
        if program.levels[program.output] == 0:
            value = program.values[program.output] * (high - low)
            return Sum(value, magnitude(value))
        if not low.is_finite() and not high.is_finite():
            try:
                return _whole_line(program, digits)
            except Undecided:
                pass  # it decays too slowly for the trapezoid rule
        return double_exponential(program.evaluate, low, high, digits)

    def prepared(self, expr: Expr, sums: dict[IIDSum, tuple[Expr, list[_Block]]]) -> Expr:
        """The integrand with finite sums, elementary derivatives and sums of copies written out."""
        if not _binds(expr):
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
            slope = _differentiated(inner) if type(inner).__name__ == "Derivative" else inner
            return inner if slope is None else slope
        if name == "Subs":
            body, variables, values = expr.args
            body = self.prepared(body, sums)
            values = [self.prepared(value, sums) for value in values]
            if _binds(body):
                return expr.func(body, variables, tuple(values))
            return body.xreplace(dict(zip(variables, values, strict=True)))
        return expr.func(*(self.prepared(arg, sums) for arg in expr.args))

    def _copies(self, node: IIDSum) -> tuple[Expr, list[_Block]]:
        if node.term.has(IIDSum):
            raise Undecided(f"a sum of copies inside a sum of copies: {node}")
        term = self.prepared(node.term, {})
        count = self.integer(node.count)
        if count < 0:
            raise Undecided(f"{node} has {count} copies at this point")
        terms: list[Expr] = []
        blocks: list[_Block] = []
        for _ in range(count):
            names: dict[Basic, Basic] = {}
            for block in _Block.of(node.law):
                copy, renamed = block.copy()
                blocks.append(copy)
                names |= renamed
            terms.append(term.xreplace(names))
        return Add(*terms), blocks

    def _on_IIDSum(self, expr: IIDSum) -> Number:
        raise ValueError(f"{expr} is random, and stands outside of every expectation")

    # -- expectations -------------------------------------------------------------------------

    def _on_Expectation(self, node: Expectation) -> Number:
        sums: dict[IIDSum, tuple[Expr, list[_Block]]] = {}
        integrand = self.prepared(node.integrand, sums)
        blocks = _Block.of(node.law) + [b for _, extra in sums.values() for b in extra]
        outer = frozenset(symbol for block in blocks for symbol in block.symbols)
        terms = []
        for factors in _products(integrand, outer):
            merged, extra = self._merged(factors, outer)
            blocks += extra
            terms.append(merged)
        for block in blocks:
            self._check_law(block)
        owner = {symbol: i for i, block in enumerate(blocks) for symbol in block.symbols}
        random = frozenset(owner)
        pooled: dict[tuple[tuple[frozenset[int], Expr], ...], list[Expr]] = {}
        for factors in (f for term in terms for f in _products(term, random)):
            constant, parts = _by_component(factors, owner, random)
            key, rest = _split_off_polynomial(parts, random)
            pooled.setdefault(key, []).append(constant * rest)
        total, scale = arb(0), -math.inf
        for key, coefficients in pooled.items():
            parts = dict(key)
            if len(parts) == 1:
                ((component, factor),) = parts.items()
                parts = {component: factor * Add(*coefficients)}
                coefficients = [S.One]
            term, size = self.number(Add(*coefficients))
            for component, factor in parts.items():
                value, absolute = self._integral(factor, [blocks[i] for i in sorted(component)])
                term, size = term * value, size + absolute
            total, scale = total + term, max(scale, size)
        return total, scale

    def _merged(
        self, factors: tuple[Expr, ...], outer: frozenset[Symbol]
    ) -> tuple[Expr, list[_Block]]:
        """A product in which a conditional expectation is merged with the one it stands in.

        An inner Gaussian whose mean alone depends on the outer variables is that mean plus an
        independent Gaussian. Anything else stays a quadrature inside of a quadrature.
        """
        result: list[Expr] = []
        blocks: list[_Block] = []
        for factor in factors:
            if not isinstance(factor, Expectation) or not factor.free_symbols & outer:
                result.append(factor)
                continue
            inner = _Block.of(factor.law)
            if any(sympify(block.cov).free_symbols & outer for block in inner):
                result.append(factor)
                continue
            sums: dict[IIDSum, tuple[Expr, list[_Block]]] = {}
            body = self.prepared(factor.integrand, sums)
            inner += [b for _, extra in sums.values() for b in extra]
            images: dict[Symbol, Expr] = {}
            for block in inner:
                copy, names = block.copy()
                for (old, new), mean in zip(
                    names.items(), block.mean or (S.Zero,) * len(names), strict=True
                ):
                    images[old] = mean + new
                centred = tuple(S.Zero for _ in block.mean)
                blocks.append(_Block(copy.symbols, centred, copy.cov))
            here = outer | {s for block in blocks for s in block.symbols}
            deeper = [self._merged(f, here) for f in _products(body.xreplace(images), here)]
            result.append(Add(*(term for term, _ in deeper)))
            blocks += [block for _, extra in deeper for block in extra]
        return Mul(*result), blocks

    def check_law(self, law: Law) -> None:
        """Refuse a law that is not one at this point.

        Raises
        ------
        NotALaw
            If a covariance is not positive semidefinite.
        """
        with ctx.workprec(self.bits):
            for block in _Block.of(law):
                self._check_law(block)

    def _check_law(self, block: _Block) -> None:
        if block.gaussian:
            self._root(block)
        else:
            variance = _real(self.ball(block.cov), "a variance")
            if variance < 0:
                raise NotALaw(f"the variance {block.cov} of {block.symbols[0]} is negative")

    def _root(self, block: _Block) -> list[list[Ball]]:
        """A matrix A with A A' the covariance, by Cholesky's method with pivots."""
        key = block.cov
        if key in self._factors:
            return self._factors[key]
        n = len(block.symbols)
        rest = [
            [_real(self.ball(block.cov[i, j]), "a covariance") for j in range(n)] for i in range(n)
        ]
        largest = max(max(magnitude(rest[i][i]) for i in range(n)), -1000.0)
        # A variance below this moves a smooth expectation by no more than itself.
        floor = largest - (self.digits + 5) / _DIGITS_PER_BIT
        columns: list[list[Ball]] = []
        left = set(range(n))
        while left:
            if any(rest[i][i] < 0 and magnitude(rest[i][i]) > floor for i in left):
                raise NotALaw(f"the covariance of {block.symbols} is not positive semidefinite")
            pivot = max(left, key=lambda i: float(rest[i][i].mid()))
            if magnitude(rest[pivot][pivot]) <= floor:
                off = max(magnitude(rest[i][j]) for i in left for j in left)
                if off > (largest + floor) / 2 + 4:
                    raise NotALaw(f"the covariance of {block.symbols} is not positive semidefinite")
                break
            if not rest[pivot][pivot] > 0:
                raise Undecided(f"a variance of {block.symbols} is lost in rounding")
            root = rest[pivot][pivot].sqrt()
            column = [rest[i][pivot] / root if i in left else arb(0) for i in range(n)]
            column[pivot] = root
            columns.append(column)
            left.discard(pivot)
            for i in left:
                for j in left:
                    rest[i][j] = rest[i][j] - column[i] * column[j]
        self._factors[key] = [[column[i] for column in columns] for i in range(n)]
        return self._factors[key]

    def _integral(self, factor: Expr, blocks: list[_Block]) -> Number:
        """Expectation of an integrand over a few blocks; equal ones are computed once."""
        names = [s for block in blocks for s in block.symbols]
        while len(self._canonical) < len(names):
            self._canonical.append(Dummy(f"x_{len(self._canonical)}", real=True))
        renaming = dict(zip(names, self._canonical, strict=False))
        key = (factor.xreplace(renaming), tuple((b.mean, b.cov) for b in blocks))
        if key not in self._integrals:
            self._integrals[key] = self._quadrature(factor, blocks)
        return self._integrals[key]

    def _quadrature(self, factor: Expr, blocks: list[_Block]) -> Number:
        involved = factor.free_symbols
        means: dict[Symbol, Ball] = {}
        roots: dict[Symbol, list[Ball]] = {}
        noises: dict[Symbol, Ball] = {}
        width = 0
        for block in blocks:
            if not block.gaussian:
                noises[block.symbols[0]] = _sqrt(self.ball(block.cov))
                continue
            root = self._root(block)
            rank = len(root[0])
            for symbol, mean, row in zip(block.symbols, block.mean, root, strict=True):
                if symbol in involved:
                    means[symbol] = _real(self.ball(mean), "a mean")
                    roots[symbol] = [arb(0)] * width + row
            width += rank
        for row in roots.values():
            row.extend([arb(0)] * (width - len(row)))
        return self._rotated(factor, means, roots, noises)

    def _rotated(
        self,
        factor: Expr,
        means: dict[Symbol, Ball],
        roots: dict[Symbol, list[Ball]],
        noises: dict[Symbol, Ball],
    ) -> Number:
        """Quadrature in coordinates rotated so that few of them need the trapezoid rule."""
        random = frozenset(means) | frozenset(noises)
        probe = _Compiler(self, 0, dict.fromkeys(random, (arb(0), [])))
        basis: list[list[Ball]] = []
        for form in _essential_forms(factor, random, probe.affine):
            for row in self._combined(form, roots):
                basis += _orthogonal_part(row, basis, self.digits)
        smooth = len(basis)
        for row in roots.values():
            basis += _orthogonal_part(row, basis, self.digits)
        depth = len(basis) + len(noises)
        rows: dict[Symbol, tuple[Ball, list[Ball]]] = {}
        for symbol, mean in means.items():
            coordinates = [_dot(roots[symbol], direction) for direction in basis]
            rows[symbol] = mean, coordinates + [arb(0)] * len(noises)
        for i, (symbol, deviation) in enumerate(noises.items()):
            rows[symbol] = arb(0), [arb(0)] * depth
            rows[symbol][1][len(basis) + i] = deviation
        compiler = _Compiler(self, depth, rows)
        program = compiler.program
        program.output = compiler.register(factor)
        if program.levels[program.output] == 0:
            constant = program.values[program.output]
            return constant, magnitude(constant)
        count = _degree(factor, frozenset(means)) // 2 + 1
        noise = tuple((arb(fmpq(a, b)), arb(fmpq(p, q)), 0.0) for a, b, p, q in _NOISE)
        hermite = gauss_hermite(count, ctx.prec)
        rules = [hermite] * (len(basis) - smooth) + [noise] * len(noises)
        total = gaussian_sum(program, smooth, rules, self.digits)
        return total.value, total.absolute

    def _combined(
        self, form: dict[Symbol, Ball], roots: dict[Symbol, list[Ball]]
    ) -> list[list[Ball]]:
        """A form in whitened coordinates; a complex one as its real and its imaginary part."""
        total = [arb(0)] * len(next(iter(roots.values()), []))
        for symbol, coefficient in form.items():
            if symbol in roots:
                total = [t + coefficient * r for t, r in zip(total, roots[symbol], strict=True)]
        if any(isinstance(t, acb) for t in total):
            return [[_complex(t).real for t in total], [_complex(t).imag for t in total]]
        return [total]


def _whole_line(program: Program, digits: int) -> Sum:
    """Integral over the line of an integrand that decays as a Gaussian does."""
    root = (2 * arb.pi()).sqrt()
    ratio = program.emit(lambda x: root * (x * x / 2).exp(), 0)
    original, program.output = program.output, program.emit(operator.mul, program.output, ratio)
    try:
        return gaussian_sum(program, 1, (), digits)
    finally:
        program.output = original


def _replaced(expr: Basic, index: Symbol, value: Integer) -> Any:
    """Substitution for an index, but not where an inner sum or integral binds the same name."""
    if expr == index:
        return value
    if index not in expr.free_symbols:
        return expr
    if type(expr).__name__ in ("Sum", "Product", "Integral"):
        limits = [
            (x, *(_replaced(end, index, value) for end in ends)) for x, *ends in expr.args[1:]
        ]
        shadowed = any(x == index for x, *_ in limits)
        body = expr.args[0] if shadowed else _replaced(expr.args[0], index, value)
        return expr.func(body, *limits)
    return expr.func(*(_replaced(arg, index, value) for arg in expr.args))


def _differentiated(expr: Expr) -> Expr | None:
    slope: Expr | None = expr.expr
    for x, n in expr.variable_count:
        if not n.is_Integer or not isinstance(x, Symbol):
            raise Undecided(f"cannot differentiate {n} times in {x}")
        for _ in range(int(n)):
            slope = None if slope is None else _slope(slope, x)
    return slope


@lru_cache(maxsize=64)
def _stencil(order: int, accuracy: int) -> tuple[tuple[Rational, Rational], ...]:
    """Nodes and weights of a central difference that errs by the step to the 2 `accuracy`."""
    reach = (order + 1) // 2 + accuracy - 1
    nodes = list(range(-reach, reach + 1))
    if order % 2:
        nodes.remove(0)
    # Solve sum_j w_j x_j^k = k! [k = order] by exact elimination.
    n = len(nodes)
    rows = [
        [Rational(x) ** k for x in nodes] + [Rational(math.factorial(k) if k == order else 0)]
        for k in range(n)
    ]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    pairs = [(Rational(x), rows[i][n]) for i, x in enumerate(nodes)]
    return tuple((x, w) for x, w in pairs if w != 0)


def _grid(stencils: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    if not stencils:
        yield ()
        return
    for entry in stencils[0]:
        for rest in _grid(stencils[1:]):
            yield (entry, *rest)


def _by_component(
    factors: Iterable[Expr], owner: Mapping[Symbol, int], random: frozenset[Symbol]
) -> tuple[Expr, dict[frozenset[int], Expr]]:
    """The constant factor, and for each set of dependent blocks the factor that concerns it."""
    constant: list[Expr] = []
    parts: dict[frozenset[int], Expr] = {}
    for factor in factors:
        concerned = frozenset(owner[s] for s in factor.free_symbols & random)
        if not concerned:
            constant.append(factor)
            continue
        product = factor
        for other in [component for component in parts if component & concerned]:
            product *= parts.pop(other)
            concerned |= other
        parts[concerned] = product
    return Mul(*constant), parts


def _split_off_polynomial(
    parts: dict[frozenset[int], Expr], random: frozenset[Symbol]
) -> tuple[tuple[tuple[frozenset[int], Expr], ...], Expr]:
    """Where one component is concerned, its polynomial factor is taken out, to be pooled."""
    if len(parts) != 1:
        return tuple(sorted(parts.items(), key=lambda part: sorted(part[0]))), S.One
    ((component, product),) = parts.items()
    factors = Mul.make_args(product)
    polynomial = [f for f in factors if f.as_base_exp()[0] in random and _degree(f, random) > 0]
    rest = [f for f in factors if f not in polynomial]
    return ((component, Mul(*rest)),), Mul(*polynomial)


def _degree(expr: Expr, random: frozenset[Symbol]) -> int:
    """Bound of the degree of an expression in what it depends on polynomially."""
    if not expr.free_symbols & random:
        return 0
    if isinstance(expr, Symbol):
        return 1
    if isinstance(expr, Add):
        return max(_degree(arg, random) for arg in expr.args)
    if isinstance(expr, Mul):
        return sum(_degree(arg, random) for arg in expr.args)
    if isinstance(expr, Pow) and expr.exp.is_Integer and expr.exp > 0:
        return int(expr.exp) * _degree(expr.base, random)
    return 0


def _essential_forms(
    expr: Expr,
    random: frozenset[Symbol],
    affine: Callable[[Expr], tuple[Ball, dict[Symbol, Ball]] | None],
) -> list[dict[Symbol, Ball]]:
    """The linear forms in which an integrand is not polynomial."""
    found: dict[Expr, dict[Symbol, Ball]] = {}

    def inside(node: Basic) -> None:
        if not node.free_symbols & random:
            return
        form = affine(node) if isinstance(node, Expr) else None
        if form is not None:
            found.setdefault(node, form[1])
        elif _binds(
            node, ("Expectation", "Integral", "Limit", "Sum", "Product", "Derivative", "Subs")
        ):
            for symbol in sorted(node.free_symbols & random, key=default_sort_key):
                found.setdefault(symbol, {symbol: arb(1)})
        else:
            for arg in node.args:
                inside(arg)

    def outside(node: Expr) -> None:
        if isinstance(node, Symbol) or not node.free_symbols & random:
            return
        if isinstance(node, Add | Mul):
            for arg in node.args:
                outside(arg)
        elif isinstance(node, Pow) and node.exp.is_Integer and node.exp > 0:
            outside(node.base)
        else:
            inside(node)

    outside(expr)
    return [
        found[form] for form in sorted(found, key=lambda f: (len(found[f]), default_sort_key(f)))
    ]


def _dot(a: Sequence[Ball], b: Sequence[Ball]) -> Ball:
    return sum((x * y for x, y in zip(a, b, strict=True)), arb(0))


def _orthogonal_part(
    vector: Sequence[Ball], basis: Sequence[Sequence[Ball]], digits: int
) -> list[list[Ball]]:
    """The normalised part of a vector that is orthogonal to a basis; empty if there is none."""
    size = max((magnitude(x) for x in vector), default=-math.inf)
    rest = list(vector)
    for _ in range(2):
        for direction in basis:
            along = _dot(rest, direction)
            rest = [x - along * d for x, d in zip(rest, direction, strict=True)]
    largest = max((magnitude(x) for x in rest), default=-math.inf)
    if largest == -math.inf or largest < size - (digits + 3) / _DIGITS_PER_BIT:
        return []
    norm = _dot(rest, rest).sqrt()
    return [[x / norm for x in rest]]


class _Compiler:
    """Compilation of an integrand to a program.

    Parameters
    ----------
    evaluator : Evaluator
        Evaluates what does not depend on the variables.
    depth : int
        The number of loops.
    rows : mapping
        For each variable, its constant term and its coefficients in the loop variables.
    """

    def __init__(
        self, evaluator: Evaluator, depth: int, rows: Mapping[Any, tuple[Ball, list[Ball]]]
    ) -> None:
        self.evaluator = evaluator
        self.program = Program(depth)
        self.rows = rows
        self.random = frozenset(rows)
        self._known: dict[Basic, int] = {}

    def affine(self, expr: Expr) -> tuple[Ball, dict[Symbol, Ball]] | None:
        """Constant and coefficients of an affine form, None of anything else."""
        if not expr.free_symbols & self.random:
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
            inner = [arg for arg in expr.args if arg.free_symbols & self.random]
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
        if not expr.free_symbols & self.random:
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
                return emit(_power(expr.exp), base)
            return emit(_general_power, base, self.register(expr.exp))
        if isinstance(expr, Piecewise):
            return emit(_select, *(self.register(part) for pair in expr.args for part in pair))
        if isinstance(expr, Relational):
            relation = _RELATIONS[type(expr).__name__]
            return emit(
                lambda a, b: relation(_compared(a, b)),
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
        function = _ball_function(expr)
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
        floor = size - (self.evaluator.digits + 5) / _DIGITS_PER_BIT
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
        symbols = sorted(expr.free_symbols & self.random, key=default_sort_key)
        environment, digits = self.evaluator.environment, self.evaluator.digits

        def inner(*values: Ball) -> Ball:
            here = {**environment, **dict(zip(symbols, values, strict=True))}
            return Evaluator(here, digits + 6).ball(expr)

        return self.program.emit(inner, *(self.register(symbol) for symbol in symbols))


# -- the public functions ---------------------------------------------------------------------


def evaluate(
    expr: Any, point: Point, digits: int = 30, functions: Mapping[Any, Any] | None = None
) -> Value:
    r"""The value of an expression at a point.

    Parameters
    ----------
    expr : expression
        May contain expectations, integrals, derivatives, limits, finite sums.
    point : mapping
        An exact number for each free symbol. Entries of an `IndexedBase` p are given as ``p[1]``,
        ``p[2]``, ... or as a sequence under the key ``p``, whose first entry is ``p[1]``.
    digits : int, optional
        Digits wanted, relative to the value; or to the largest term added on the way, where the
        value is less than 1e-15 of that.
    functions : mapping, optional
        Concrete functions, such as a Lambda, in the place of undefined ones.

    Returns
    -------
    Value
        Number, error and scale. The error may be larger than asked for.

    Raises
    ------
    Undecided
        If something is not integrable, does not converge, or is of an unknown kind.
    NotALaw
        If a covariance is not positive semidefinite here.
    ValueError
        If a free symbol has no value, or `digits` is not positive.

    Examples
    --------
    >>> from sympy import Symbol, erf
    >>> from slrsym.gaussian.law import standard_normal
    >>> G = Symbol("G", real=True)
    >>> evaluate(Expectation(erf(1 + G) ** 2, standard_normal(G)), {}).number
    mpf('0.62429667035758772')
    """
    if digits < 1:
        raise ValueError(f"digits must be at least 1; got {digits}")
    expr = _with_functions(sympify(expr), functions or {})
    working = digits + 3
    for _ in range(4):
        value = _value(Evaluator(point, working).number(expr))
        reference = _reference(value)
        missing = digits - _digits(value.error, reference)
        if missing <= 0 or math.isinf(missing):
            break
        working += math.ceil(missing) + 4
    return value


def _reference(*values: Value) -> Any:
    """What errors are relative to: the larger value, or the largest term if that dwarfs it."""
    size = max(abs(value.number) for value in values)
    scale = max(value.scale for value in values)
    largest = mpmath.mpf(0) if scale == -math.inf else mpmath.mpf(2) ** scale
    return largest if size < _NEGLIGIBLE * largest else size


class Disagreement(Exception):  # noqa: N818
    """A statement fails at a point.

    Attributes
    ----------
    statement : Boolean
        The relation that fails, or decides the failure of the whole.
    point : mapping
        The point.
    lhs, rhs : str
        Both sides there, to at least twenty digits.
    """

    def __init__(self, statement: Any, point: Mapping[Any, Any], lhs: str, rhs: str) -> None:
        self.statement, self.point, self.lhs, self.rhs = statement, point, lhs, rhs
        super().__init__(f"{statement} fails{_place(point)}: {lhs} against {rhs}")


def _place(point: Mapping[Any, Any]) -> str:
    where = ", ".join(f"{symbol} = {value}" for symbol, value in point.items())
    return f" at {where}" if where else ""


@dataclass(frozen=True)
class Comparison:
    """A statement held at every point at which it was examined.

    Attributes
    ----------
    relation : Boolean
        The statement.
    points : tuple of mapping
        The points.
    digits : int or None
        The fewest digits to which the sides of an equality agreed, at most the number asked for.
        None if no equality was found to hold.
    """

    relation: Any
    points: tuple[Mapping[Any, Any], ...]
    digits: int | None


@dataclass
class _Judge:
    """Decides statements at one point, and remembers the numbers that decided."""

    point: Point
    digits: int
    last: tuple[Any, Value, Value] | None = field(default=None)
    agreed: float = math.inf
    missed: float = 0.0

    def holds(self, statement: Basic) -> bool:
        if statement in (S.true, S.false):
            return statement == S.true
        if isinstance(statement, Relational):
            return self._relation(statement)
        if isinstance(statement, Not):
            return not self.holds(statement.args[0])
        if isinstance(statement, And | Or | Implies | ITE):
            return self._connected(statement)
        if isinstance(statement, Equivalent | Xor):
            values = [self.holds(arg) for arg in statement.args]
            if isinstance(statement, Xor):
                return sum(values) % 2 == 1
            return len(set(values)) == 1
        raise ValueError(
            f"{statement} is not a relation, nor a combination of relations by And, Or, Not, "
            f"Implies, Equivalent, Xor, ITE"
        )

    def _connected(self, statement: Basic) -> bool:
        if isinstance(statement, Implies):
            premise, conclusion = statement.args
            return self._connected(Or(Not(premise), conclusion, evaluate=False))
        if isinstance(statement, ITE):
            condition, yes, no = statement.args
            return self.holds(yes if self.holds(condition) else no)
        decisive = isinstance(statement, Or)
        undecided: Undecided | None = None
        for part in statement.args:
            try:
                if self.holds(part) is decisive:
                    return decisive
            except Undecided as reason:
                undecided = reason
        if undecided is not None:
            raise undecided
        return not decisive

    def _relation(self, relation: Relational) -> bool:
        for digits in (self.digits, 2 * self.digits, 4 * self.digits):
            verdict = self._compared(relation, digits)
            if verdict is not None:
                return verdict
        raise Undecided(f"{relation} cannot be decided at {4 * self.digits} digits")

    def _compared(self, relation: Relational, digits: int) -> bool | None:
        """The verdict; None asks for more digits."""
        left, right = (evaluate(side, self.point, digits) for side in relation.args)
        self.last = relation, left, right
        with mpmath.workdps(digits + 40):
            difference = left.number - right.number
            error = left.error + right.error
            reference = _reference(left, right)
            apart = abs(difference)
            agreed = _digits(apart + error, reference)
            if isinstance(relation, Eq):
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
                if isinstance(relation, Ne):
                    return True
                if isinstance(difference, mpmath.mpc):
                    raise Undecided(f"{relation} orders numbers that are not real")
                sign = 1 if difference > 0 else -1
                return _RELATIONS[type(relation).__name__](sign)
            if agreed < digits - _SLACK:
                return None
            # Equal as far as can be seen. For a strict relation look once more, twice as far.
            if type(relation).__name__ in ("LessThan", "GreaterThan"):
                return True
            return None if digits == self.digits else False

    def disagreement(self, statement: Basic) -> Disagreement:
        if self.last is None:
            return Disagreement(statement, self.point, "False", "True")
        relation, left, right = self.last
        shown = max(20, int(self.missed) + 6)
        lhs, rhs = (mpmath.nstr(side.number, shown) for side in (left, right))
        return Disagreement(relation, self.point, lhs, rhs)


def truth(
    statement: Any, point: Point, digits: int = 30, functions: Mapping[Any, Any] | None = None
) -> bool:
    """Whether a statement holds at a point.

    Parameters
    ----------
    statement : Boolean
        A relation, or a combination of relations.
    point : mapping
        An exact number for each free symbol.
    digits : int, optional
        Digits to which the sides of an equality have to agree, but for two.
    functions : mapping, optional
        Concrete functions in the place of undefined ones.

    Raises
    ------
    Undecided
        If it cannot be decided.
    """
    return _Judge(point, digits).holds(_with_functions(sympify(statement), functions or {}))


def compare(
    relation: Any,
    given: Iterable[Any] = (),
    *,
    rng: Generator,
    points: int = 3,
    digits: int = 30,
    functions: Mapping[Any, Any] | None = None,
) -> Comparison:
    """Examine a statement at random exact points of its domain.

    Parameters
    ----------
    relation : Boolean
        An equality, an inequality, or a combination of them.
    given : iterable of Boolean
        Hypotheses that the points obey, besides the assumptions of the symbols. Points at which a
        covariance in the statement is not positive semidefinite are not used either.
    rng : numpy.random.Generator
        Decides the points.
    points : int, optional
        How many points. A statement without parameters is examined once.
    digits : int, optional
        Digits of the comparison.
    functions : mapping, optional
        Concrete functions in the place of undefined ones.

    Returns
    -------
    Comparison
        The points, and to how many digits equalities hold.

    Raises
    ------
    Disagreement
        If the statement fails at a point.
    Undecided
        If a value at one of the points cannot be computed well enough. Nothing is skipped: a
        statement about a divergent expectation must not pass for its convergent cases.
    NoPoint
        If no point of the domain is found.

    Notes
    -----
    An equality is accepted if both sides agree to all but two of the digits asked for, and are not
    seen to differ in these two. Agreement is relative to the larger side; or to the largest term
    added on the way, where both sides are below 1e-15 of that. A strict inequality whose sides are
    equal to twice the digits is rejected.
    """
    statement = _with_functions(sympify(relation), functions or {})
    hypotheses = [sympify(h) for h in given]
    symbols = parameters(statement, *hypotheses)
    laws = sorted(statement.atoms(Law), key=default_sort_key)
    used: list[Mapping[Any, Any]] = []
    agreed = math.inf
    rejected = 0
    while len(used) < (points if parameters(statement) else 1):
        (point,) = sample_points(symbols, hypotheses, rng, 1, laws=laws)
        judge = _Judge(point, digits)
        try:
            verdict = judge.holds(statement)
        except NotALaw as reason:
            rejected += 1
            if rejected > _MOST_REJECTED:
                raise NoPoint(f"{reason}, at each of {rejected} points{_place(point)}") from None
            continue
        except Undecided as reason:
            raise Undecided(f"{reason}{_place(point)}") from reason
        if not verdict:
            raise judge.disagreement(statement)
        used.append(point)
        agreed = min(agreed, judge.agreed)
    return Comparison(relation, tuple(used), None if agreed == math.inf else int(agreed))
