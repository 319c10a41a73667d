"""Expressions as floating-point arrays, node by node."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
from scipy import special
from sympy import (
    Add,
    And,
    Basic,
    Derivative,
    Expr,
    Mul,
    Not,
    Or,
    Piecewise,
    Pow,
    Product,
    Sum,
    Symbol,
    false,
    true,
)
from sympy.core.relational import Relational
from sympy.tensor.indexed import Indexed

__all__ = ["Arithmetic", "NotSampled"]


class NotSampled(Exception):  # noqa: N818
    """Something that this kind of evidence cannot speak of."""


def _bell(x: Any) -> Any:
    return 2 / math.sqrt(math.pi) * np.exp(-np.square(x))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "tan")},
    **{name: getattr(np, name) for name in ("sinh", "cosh", "tanh", "sign")},
    **{name: getattr(special, name) for name in ("erf", "erfc", "erfi", "gamma")},
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "Abs": np.abs,
    "Max": lambda *xs: reduce(np.maximum, xs),
    "Min": lambda *xs: reduce(np.minimum, xs),
    "Heaviside": np.heaviside,
    "erf_prime": _bell,
    "erf_second": lambda x: -2 * x * _bell(x),
    "normal_pdf": lambda x: np.exp(-np.square(x) / 2) / math.sqrt(2 * math.pi),
    "normal_cdf": special.ndtr,
    "OwensT": special.owens_t,
}

_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "Equality": np.equal,
    "Unequality": np.not_equal,
    "LessThan": np.less_equal,
    "StrictLessThan": np.less,
    "GreaterThan": np.greater_equal,
    "StrictGreaterThan": np.greater,
}

_MOST_TERMS = 10_000


class Arithmetic:
    """Values of expressions."""

    def __init__(
        self,
        values: Mapping[Any, Any],
        special_node: Callable[[Basic, Arithmetic], Any],
    ) -> None:
        self.values = values
        self.special_node = special_node
        self._known: dict[Basic, Any] = {}

    def with_values(self, more: Mapping[Any, Any]) -> Arithmetic:
        """The same with more symbols, which hide those of the same name."""
        return Arithmetic({**self.values, **more}, self.special_node)

    def value(self, expr: Basic) -> Any:
        """The value of an expression."""
        if expr not in self._known:
            found = self.special_node(expr, self)
            self._known[expr] = self._value(expr) if found is None else found
        return self._known[expr]

    def _value(self, expr: Basic) -> Any:
        if expr.is_number and not expr.args:
            return _number(expr)
        if isinstance(expr, Symbol):
            if expr not in self.values:
                raise NotSampled(f"{expr} has no value")
            return self.values[expr]
        for kind, rule in _KINDS:
            if isinstance(expr, kind):
                return rule(self, expr)
        function = _FUNCTIONS.get(type(expr).__name__)
        if function is None:
            raise NotSampled(f"there is no way here to compute {type(expr).__name__}")
        return function(*map(self.value, expr.args))

    def _fold(self, combine: Callable[[Any, Any], Any], expr: Basic) -> Any:
        return reduce(combine, map(self.value, expr.args))

    def _power(self, expr: Pow) -> Any:
        base = self.value(expr.base)
        if expr.exp.is_Integer:
            return np.power(np.asarray(base, dtype=np.float64), int(expr.exp))
        return np.power(base, self.value(expr.exp))

    def _piecewise(self, expr: Piecewise) -> Any:
        values = [self.value(branch) for branch, _ in expr.args]
        conditions = [self.value(condition) for _, condition in expr.args]
        shape = np.broadcast_shapes(*(np.shape(x) for x in (*values, *conditions)))
        return np.select(
            [np.broadcast_to(c, shape) for c in conditions],
            [np.broadcast_to(v, shape) for v in values],
            np.nan,
        )

    def _terms(self, expr: Sum | Product) -> list[Any]:
        if len(expr.limits) != 1:
            raise NotSampled(f"{expr} has more than one index")
        index, low, high = expr.limits[0]
        first, last = (_integer(self.value(end)) for end in (low, high))
        if last - first > _MOST_TERMS:
            raise NotSampled(f"{expr} has {last - first + 1} terms at this point")
        return [self.with_values({index: j}).value(expr.function) for j in range(first, last + 1)]

    def _indexed(self, expr: Indexed) -> Any:
        entries = self.values.get(expr.base)
        if entries is None or len(expr.indices) != 1:
            raise NotSampled(f"{expr} has no value")
        at = _integer(self.value(expr.indices[0]))
        if not 1 <= at <= len(entries):
            raise NotSampled(f"{expr.base} has no entry {at} at this point")
        return float(entries[at - 1])

    def _derivative(self, expr: Derivative) -> Any:
        slope = expr.doit()
        if isinstance(slope, Derivative) or slope.has(Derivative):
            raise NotSampled(f"{expr} is not elementary")
        return self.value(slope)


def _number(expr: Basic) -> float:
    if expr.is_extended_real is False or not isinstance(expr, Expr):
        raise NotSampled(f"{expr} is not a real number")
    return float(expr)


def _integer(value: Any) -> int:
    if not (np.ndim(value) == 0 and float(value).is_integer()):
        raise NotSampled(f"{value} is not an integer")
    return int(value)


_KINDS: tuple[tuple[Any, Callable[[Arithmetic, Any], Any]], ...] = (
    (Add, lambda self, e: self._fold(operator.add, e)),
    (Mul, lambda self, e: self._fold(operator.mul, e)),
    (Pow, Arithmetic._power),
    (Piecewise, Arithmetic._piecewise),
    (Relational, lambda self, e: _RELATIONS[type(e).__name__](*map(self.value, e.args))),
    (And, lambda self, e: self._fold(np.logical_and, e)),
    (Or, lambda self, e: self._fold(np.logical_or, e)),
    (Not, lambda self, e: np.logical_not(self.value(e.args[0]))),
    (type(true), lambda self, e: True),
    (type(false), lambda self, e: False),
    (Sum, lambda self, e: sum(self._terms(e))),
    (Product, lambda self, e: math.prod(self._terms(e))),
    (Indexed, Arithmetic._indexed),
    (Derivative, Arithmetic._derivative),
)
