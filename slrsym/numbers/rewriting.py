"""Rewriting of expressions that needs no numbers: elementary derivatives, functions put in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sympy import (
    Add,
    And,
    Basic,
    Expr,
    Function,
    Integer,
    Mul,
    Not,
    Or,
    Pow,
    S,
    Symbol,
    cos,
    cosh,
    exp,
    pi,
    sin,
    sinh,
    sqrt,
)
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from slrsym.numbers.errors import Undecided
from slrsym.search.symbols import free

__all__ = ["binds", "derivative_of", "named_anew", "replaced", "with_functions"]

_BINDERS = (
    "AtPoint",
    "Derivative",
    "Expectation",
    "IIDSum",
    "Integral",
    "Limit",
    "Product",
    "Subs",
    "Sum",
)


def named_anew(expr: Basic, names: Mapping[Symbol, Symbol]) -> Any:
    """What is equal for expressions that are equal once their symbols have new names.

    The new expressions themselves would be as good, but to make them takes longer.
    """
    if isinstance(expr, Symbol):
        return names.get(expr, expr)
    if not expr.args:
        return expr
    if isinstance(expr, Add | Mul):
        # The order of terms depends on names. A product that is not evaluated may repeat a factor.
        parts = Counter(named_anew(arg, names) for arg in expr.args)
        return expr.func, frozenset(parts.items())
    if isinstance(expr, Pow | Function):
        return expr.func, *(named_anew(arg, names) for arg in expr.args)
    return expr.xreplace(dict(names))


def binds(expr: Basic, kinds: Sequence[str] = _BINDERS) -> bool:
    """Whether a node of some kinds, or an undefined function, occurs in an expression."""
    if type(expr).__name__ in kinds or isinstance(expr, AppliedUndef):
        return True
    return any(binds(arg, kinds) for arg in expr.args)


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


def _slope_of(expr: Expr, x: Symbol) -> Expr | None:
    """The derivative of an elementary expression; None where it is not one that is known."""
    if x not in free(expr):
        return None if binds(expr) and x in expr.atoms(Symbol) else S.Zero
    if expr == x:
        return S.One
    name = type(expr).__name__
    if isinstance(expr, Add | Mul):
        slopes = [_slope_of(arg, x) for arg in expr.args]
        if any(slope is None for slope in slopes):
            return None
        if isinstance(expr, Add):
            return Add(*slopes)
        args = expr.args
        return Add(*(Mul(*args[:i], slope, *args[i + 1 :]) for i, slope in enumerate(slopes)))
    if isinstance(expr, Pow) and x not in free(expr.exp):
        inner = _slope_of(expr.base, x)
        return None if inner is None else expr.exp * expr.base ** (expr.exp - 1) * inner
    if name in _SLOPES and len(expr.args) == 1:
        inner = _slope_of(expr.args[0], x)
        return None if inner is None else _SLOPES[name](expr.args[0]) * inner
    return None


def with_functions(expr: Basic, functions: Mapping[Any, Any]) -> Basic:
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


def replaced(expr: Basic, index: Symbol, value: Integer) -> Any:
    """Substitution for an index, but not where an inner sum or integral binds the same name."""
    if expr == index:
        return value
    if index not in free(expr):
        return expr
    if type(expr).__name__ in ("Sum", "Product", "Integral"):
        limits = [(x, *(replaced(end, index, value) for end in ends)) for x, *ends in expr.args[1:]]
        shadowed = any(x == index for x, *_ in limits)
        body = expr.args[0] if shadowed else replaced(expr.args[0], index, value)
        return expr.func(body, *limits)
    return expr.func(*(replaced(arg, index, value) for arg in expr.args))


def derivative_of(expr: Expr) -> Expr | None:
    """The derivative that a `Derivative` node means, if it is elementary."""
    slope: Expr | None = expr.expr
    for x, n in expr.variable_count:
        if not n.is_Integer or not isinstance(x, Symbol):
            raise Undecided(f"cannot differentiate {n} times in {x}")
        for _ in range(int(n)):
            slope = None if slope is None else _slope_of(slope, x)
    return slope
