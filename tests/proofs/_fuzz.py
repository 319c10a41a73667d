"""Random expressions, hypotheses and points, and values of expressions at points."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from mpmath import mp, mpc, mpf
from sympy import (
    Abs,
    Add,
    Eq,
    Expr,
    Ge,
    Gt,
    Heaviside,
    Le,
    Lt,
    Max,
    Min,
    Mul,
    Ne,
    Pow,
    Rational,
    S,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    log,
    sign,
    sin,
    sinh,
    sqrt,
    tanh,
)

from slrsym.gaussian import multiprecision
from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta

X, Y = Symbol("x", real=True), Symbol("y", real=True)
P = Symbol("p", positive=True)
Q = Symbol("q", nonnegative=True)
M = Symbol("m", negative=True)
Z = Symbol("z", real=True, nonzero=True)
N = Symbol("n", integer=True)
SYMBOLS = (X, Y, P, Q, M, Z, N)

_NUMBERS = tuple(map(Rational, ("-3", "-2", "-1", "-1/2", "1/3", "1/2", "1", "2", "5/2")))
_VALUES = tuple(
    map(
        Rational,
        ("-20", "-2", "-1", "-1/2", "-1/1000", "0", "1/1000", "1/2", "1", "3/2", "3", "20"),
    )
)
_EXTREMES = tuple(map(Rational, ("-1000000", "-1/1000000", "1/1000000", "1000000")))

_FUNCTIONS: dict[type, Callable[..., Any]] = {
    Abs: abs,
    Heaviside: lambda u, at_zero: at_zero if u == 0 else mpf(u > 0),
    Max: max,
    Min: min,
    OwensT: multiprecision.owens_t,
    acos: mp.acos,
    asin: mp.asin,
    atan: mp.atan,
    cos: mp.cos,
    cosh: mp.cosh,
    erf: mp.erf,
    erf_prime: multiprecision.erf_prime,
    erf_second: multiprecision.erf_second,
    erfc: mp.erfc,
    exp: mp.exp,
    log: mp.log,
    normal_cdf: multiprecision.normal_cdf,
    normal_pdf: multiprecision.normal_pdf,
    sign: mp.sign,
    sin: mp.sin,
    sinh: mp.sinh,
    tanh: mp.tanh,
    zeta: multiprecision.gaussian_zeta,
}
_UNARY = tuple(f for f in _FUNCTIONS if f not in (Max, Min, OwensT, zeta, log, asin, acos))


class Undefined(ArithmeticError):  # noqa: N818
    """The expression has no real value at the point."""


class Unclear(ArithmeticError):  # noqa: N818
    """The value is too large, or lost to cancellation."""


def random_expression(rng: random.Random, depth: int, symbols: tuple[Symbol, ...]) -> Expr:
    """An expression of at most that depth; it may be undefined at some points."""
    if depth == 0 or rng.random() < 0.12:
        return rng.choice(symbols) if rng.random() < 0.75 else rng.choice(_NUMBERS)

    def part() -> Expr:
        return random_expression(rng, depth - 1, symbols)

    kind = rng.random()
    if kind < 0.36:
        return Add(*(part() for _ in range(rng.choice((2, 2, 3)))))
    if kind < 0.58:
        return Mul(*(part() for _ in range(rng.choice((2, 2, 3)))))
    if kind < 0.72:
        return Pow(part(), rng.choice((2, 2, 3, 4, -1, -2)))
    if kind < 0.78:
        inner = part()
        return sqrt(rng.choice((inner, 1 + inner**2, inner**2, 1 - inner**2)))
    if kind < 0.81:
        inner = part()
        return Pow(rng.choice((inner, 1 + inner**2)), rng.choice((S(1) / 3, S(3) / 2, -S.Half)))
    if kind < 0.84:
        return OwensT(part(), part())
    if kind < 0.86:
        return rng.choice((Max, Min))(part(), part())
    if kind < 0.88:
        return rng.choice((log, asin, acos))(part())
    if kind < 0.89 and depth == 1:
        return zeta(part(), part())
    return rng.choice(_UNARY)(part())


def random_hypothesis(rng: random.Random, symbols: tuple[Symbol, ...]) -> Any:
    """A relation that some values satisfy, more often than not."""
    a, b = rng.choice(symbols), rng.choice(symbols)
    c, d = rng.choice(_NUMBERS), rng.choice(_NUMBERS)
    forms: tuple[Callable[[], Any], ...] = (
        lambda: rng.choice((Gt, Ge, Lt, Le))(a, c),
        lambda: rng.choice((Gt, Ge, Lt, Le))(a, b + c),
        lambda: rng.choice((Gt, Ge, Lt, Le))(c * a + d * b, rng.choice(_NUMBERS)),
        lambda: rng.choice((Lt, Le))(a**2, c**2),
        lambda: rng.choice((Lt, Le))(a**2 + b**2, c**2 + 1),
        lambda: rng.choice((Lt, Le, Gt, Ge))(a * b, c),
        lambda: rng.choice((Lt, Le, Gt, Ge))(a**2 * b, 0),
        lambda: rng.choice((Lt, Le, Gt, Ge))(a / (1 + b**2), c),
        lambda: rng.choice((Lt, Le, Gt, Ge))(exp(a), abs(c)),
        lambda: Ne(a, rng.choice((S.Zero, b, c))),
        lambda: Ne(a * b, 1),
        lambda: Eq(a, rng.choice((c, b, b + 1, c * b, b**2))),
    )
    return rng.choice(forms)()


def points(
    rng: random.Random, symbols: tuple[Symbol, ...], given: list[Any], count: int, extreme: bool
) -> Iterator[dict[Symbol, Rational]]:
    """Points that the declarations and the hypotheses allow, each found by trial."""
    pool = _VALUES + (_EXTREMES if extreme else ())
    found = 0
    for _ in range(12 * count):
        values: dict[Symbol, Rational] = {}
        for s in symbols:
            values[s] = (
                rng.choice(pool) if rng.random() < 0.8 else Rational(rng.randint(-99, 99), 40)
            )
        for relation in given:
            if isinstance(relation, Eq) and relation.lhs in values:
                values[relation.lhs] = relation.rhs.xreplace(values)
        if all(map(_allows, values, values.values())) and all(_true(h, values) for h in given):
            yield values
            found += 1
            if found == count:
                return


def _allows(symbol: Symbol, value: Rational) -> bool:
    return not (
        (symbol.is_positive and value <= 0)
        or (symbol.is_nonnegative and value < 0)
        or (symbol.is_negative and value >= 0)
        or (symbol.is_zero is False and value == 0)
        or (symbol.is_integer and value.q != 1)
    )


def _true(relation: Any, values: dict[Symbol, Rational]) -> bool:
    try:
        left, right = (value_at(side, values, 40) for side in relation.args)
    except ArithmeticError:
        return False
    if isinstance(relation, Eq):
        return bool(left == right)
    if isinstance(relation, Ne):
        return bool(left != right)
    if isinstance(relation, Gt | Ge):
        return bool(left > right or (left == right and isinstance(relation, Ge)))
    return bool(left < right or (left == right and isinstance(relation, Le)))


def value_at(expr: Expr, values: dict[Symbol, Rational], digits: int = 40) -> Any:
    """The value of an expression: a rational where possible, otherwise of mpmath.

    Raises
    ------
    Undefined, Unclear
    """
    with mp.workdps(digits):
        return _value(expr, values)


def _number(value: Any) -> Any:
    if isinstance(value, Rational):
        return mpf(int(value.p)) / int(value.q)
    return value


def _value(expr: Expr, values: dict[Symbol, Rational]) -> Any:
    if isinstance(expr, Rational):
        return expr
    if expr in values:
        return values[expr]
    if expr is S.Pi or expr is S.Exp1:
        return +(mp.pi if expr is S.Pi else mp.e)
    parts = [_value(arg, values) for arg in expr.args]
    exact = all(isinstance(part, Rational) for part in parts)
    if isinstance(expr, Add | Mul):
        parts = parts if exact else [_number(part) for part in parts]
        result = parts[0]
        for part in parts[1:]:
            result = result + part if isinstance(expr, Add) else result * part
        return result
    if isinstance(expr, Pow):
        base, power = parts
        if base == 0 and power < 0:
            raise Undefined(f"{expr} divides by 0")
        if isinstance(base, Rational) and getattr(power, "is_Integer", False):
            return base**power
        if base < 0 and not getattr(power, "is_Integer", False):
            raise Undefined(f"{expr} is a root of {base}")
        return _number(base) ** (
            int(power) if getattr(power, "is_Integer", False) else _number(power)
        )
    numbers = [_number(part) for part in parts]
    if isinstance(expr, Abs | Max | Min | sign) and exact:
        return expr.func(*parts)
    if isinstance(expr, exp | sinh | cosh) and abs(numbers[0]) > 1e3:
        raise Unclear(f"{expr} at {numbers[0]}")
    if isinstance(expr, sin | cos) and abs(numbers[0]) > 1e30:
        raise Unclear(f"{expr} at {numbers[0]}")
    if isinstance(expr, OwensT | zeta) and max(map(abs, numbers)) > 1e4:
        raise Unclear(f"{expr} at {numbers}")
    if isinstance(expr, log) and numbers[0] <= 0:
        raise Undefined(f"{expr} at {numbers[0]}")
    result = _FUNCTIONS[type(expr)](*numbers)
    if isinstance(result, mpc) or not mp.isfinite(result):
        raise Undefined(f"{expr} at {numbers}")
    return result


def sharp_value(expr: Expr, values: dict[Symbol, Rational]) -> Any:
    """The value with its sign for certain: more digits are taken where it is close to zero.

    Raises
    ------
    Undefined, Unclear
    """
    value = value_at(expr, values, 40)
    if isinstance(value, Rational) or abs(value) > 1e-20:
        return value
    slow = expr.has(OwensT, zeta)
    value = value_at(expr, values, 80 if slow else 600)
    if abs(value) < mpf(10) ** (-60 if slow else -580):
        raise Unclear(f"{expr} is close to 0")
    return value
