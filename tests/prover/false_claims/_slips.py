"""What a generated false statement is: with a witness, at which numbers show that it is false.

A statement comes with values of its symbols at which its hypotheses hold and it does not: its two
sides, evaluated there by means that the engine does not use, compare otherwise, or one of them is
no real number. Where no number shows it, as for an expectation that diverges, a reason stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from sympy import Expr, Symbol

from slrsym.gaussian import Expectation

from ._entries import says


@dataclass(frozen=True)
class Slip:
    """A false statement.

    Attributes
    ----------
    family
        What kind of slip it is.
    lhs, relation, rhs
        What it says.
    witness
        Values at which it fails.
    reason
        Why it fails, where no number can show it; empty otherwise.
    given
        Its hypotheses, which hold at the witness.
    """

    family: str
    lhs: Expr
    relation: str
    rhs: Expr
    witness: Mapping[Symbol, Any] = field(default_factory=dict)
    reason: str = ""
    given: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for side in ("lhs", "rhs"):
            object.__setattr__(self, side, sp.sympify(getattr(self, side)))

    @property
    def statement(self) -> Any:
        """The relation, which nothing evaluates."""
        return says(self.lhs, self.relation, self.rhs)

    def __str__(self) -> str:
        return f"{self.family}: {self.lhs} {self.relation} {self.rhs}"


# -- what a statement is worth at its witness -----------------------------------------------------

_GRID = np.linspace(-12, 12, 6001)
_COARSE = np.linspace(-9, 9, 721)


def _density(v: Any, mean: float, variance: float) -> Any:
    return np.exp(-((v - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


@lru_cache(maxsize=4000)
def _mean(node: Expectation) -> float:
    """An expectation under one or two standard or shifted normals, by a sum over a grid."""
    names, law = node.law.symbols, node.law
    if len(names) == 1:
        m, v = float(law.mean[names[0]]), float(law.cov[0, 0])
        grid = m + np.sqrt(v) * _GRID
        of = sp.lambdify(names[0], node.integrand, ["scipy", "numpy"])
        with np.errstate(all="ignore"):
            values = np.broadcast_to(of(grid), grid.shape) * _density(grid, m, v)
        return float(np.trapezoid(values, grid))
    a, b = np.meshgrid(_COARSE, _COARSE, indexing="ij")
    m = [float(law.mean[name]) for name in names]
    root = np.linalg.cholesky(np.array(law.cov, dtype=float) + 1e-14 * np.eye(2))
    u, w = m[0] + root[0, 0] * a, m[1] + root[1, 0] * a + root[1, 1] * b
    of = sp.lambdify(names, node.integrand, ["scipy", "numpy"])
    values = np.broadcast_to(of(u, w), a.shape) * _density(a, 0, 1) * _density(b, 0, 1)
    step = _COARSE[1] - _COARSE[0]
    return float(values.sum() * step**2)


def value(expr: Any, point: Mapping[Symbol, Any]) -> Any:
    """A side at a point, from the leaves up; None as soon as a part has no real value there."""
    expr = sp.sympify(expr)
    if expr.is_Symbol:
        return None if expr not in point else _number(sp.sympify(point[expr]))
    if expr.is_number and not expr.args:
        return _number(expr)
    if isinstance(expr, Expectation):
        return mpmath.mpf(_mean(expr))
    if isinstance(expr, sp.Derivative):
        return _slope(expr, point)
    if isinstance(expr, sp.Sum):
        ((i, *ends),) = expr.limits
        low, high = (value(end, point) for end in ends)
        terms = [value(expr.function, {**point, i: j}) for j in range(int(low), int(high) + 1)]
        return None if None in terms else mpmath.fsum(terms)
    if isinstance(expr, sp.Piecewise):
        for branch, where in expr.args:
            if bool(where.subs(point)):
                return value(branch, point)
        return None
    parts = [value(part, point) for part in expr.args]
    if None in parts:
        return None
    try:
        found = _APPLIED.get(type(expr), _named(expr))(*parts)
    except (ZeroDivisionError, ValueError):
        return None
    real = isinstance(found, mpmath.mpf | int) or (hasattr(found, "imag") and found.imag == 0)
    return mpmath.mpf(found.real) if real and mpmath.isfinite(found) else None


def _number(value: Any) -> Any:
    return mpmath.mpf(value.p) / value.q if value.is_Rational else mpmath.mpf(str(sp.N(value, 40)))


def _named(expr: Any) -> Any:
    return getattr(mpmath, type(expr).__name__.lower(), None)


def _power(base: Any, exponent: Any) -> Any:
    if base < 0 and exponent != int(exponent):
        raise ValueError("the power of a negative number")
    return base**exponent


_APPLIED: dict[Any, Any] = {
    sp.Add: lambda *parts: mpmath.fsum(parts), sp.Mul: lambda *parts: mpmath.fprod(parts),
    sp.Pow: _power, sp.Abs: abs, sp.Max: max, sp.Min: min, sp.log: mpmath.log,
    sp.Heaviside: lambda x, at: 1 if x > 0 else 0 if x < 0 else at, sp.floor: mpmath.floor,
    sp.ceiling: mpmath.ceil, sp.factorial: mpmath.factorial,
}  # fmt: skip


def _slope(node: sp.Derivative, point: Mapping[Symbol, Any]) -> Any:
    """By differences from both sides, which agree if there is a derivative."""
    ((v, order),) = node.variable_count
    at, h = sp.sympify(point[v]), sp.Rational(1, 10**10)
    f = [value(node.expr, {**point, v: at + k * h}) for k in (-1, 0, 1)]
    if None in f:
        return None
    step = mpmath.mpf(10) ** -10
    if order == 2:
        return (f[0] - 2 * f[1] + f[2]) / step**2
    left, right = (f[1] - f[0]) / step, (f[2] - f[1]) / step
    return None if abs(left - right) > 1e-3 * (1 + abs(left)) else (left + right) / 2


def fails(slip: Slip) -> bool:
    """Whether the statement is false, or says nothing, at its witness, and its hypotheses hold."""
    for fact in slip.given:
        if not bool(fact.subs(slip.witness)):
            return False
    for symbol, at in slip.witness.items():
        at = sp.sympify(at)
        for fact in ("positive", "nonnegative", "negative", "integer", "real"):
            if getattr(symbol, f"is_{fact}") and not getattr(at, f"is_{fact}"):
                return False
    with mpmath.workdps(40):
        a, b = value(slip.lhs, slip.witness), value(slip.rhs, slip.witness)
        if a is None or b is None:
            return True
        rough = slip.lhs.has(Expectation, sp.Derivative) or slip.rhs.has(Expectation)
        room = 1e-4 * (1 + min(abs(a), abs(b))) if rough else mpmath.mpf(10) ** -25
        apart = {"=": abs(a - b) > room, "<": a - b > -room, "<=": a - b > room,
                 ">": b - a > -room, ">=": b - a > room}  # fmt: skip
    return bool(apart[slip.relation])
