"""Expressions as straight-line programs: what depends on parameters only is computed once.

A `Program` has constants, which are functions of the parameters, and steps, which depend on the
state. Every backend prints the same program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import (
    Abs,
    Add,
    Basic,
    E,
    Expr,
    Float,
    Max,
    Min,
    Mul,
    Pow,
    Rational,
    Symbol,
    asin,
    atan,
    cse,
    erf,
    erfc,
    exp,
    pi,
    preorder_traversal,
    sympify,
)

from slrsym.kernels.special import DecayIntegral, ErfDefect, ErfVariance

__all__ = ["Program"]

# What every backend can compute.
_KNOWN = (
    Symbol, Rational, Float, Add, Mul, Pow, exp, erf, erfc, asin, atan, Abs, Max, Min,
    ErfVariance, DecayIntegral, ErfDefect,
)  # fmt: skip


@dataclass(frozen=True)
class Program:
    """A list of assignments."""

    state: tuple[Symbol, ...]
    parameters: tuple[Symbol, ...]
    scalars: tuple[tuple[Symbol, Expr], ...]
    constants: tuple[Symbol, ...]
    steps: tuple[tuple[Symbol, Expr], ...]
    outputs: tuple[Expr, ...]

    @classmethod
    def of(
        cls,
        expressions: Sequence[Expr],
        state: Sequence[Symbol],
        parameters: Sequence[Symbol],
        given: Mapping[Symbol, Expr] | None = None,
    ) -> Program:
        """The program of some expressions."""
        given = given or {}
        expressions = [_computable(e) for e in expressions]
        used = set().union(*(e.free_symbols for e in (*expressions, *given.values())))
        loose = used - given.keys() - {*state, *parameters}
        if loose:
            names = ", ".join(sorted(map(str, loose)))
            raise ValueError(f"expressions contain {names}, neither of the state nor parameters")
        plain = _plain((*state, *parameters, *given))
        hoisted: dict[Expr, Symbol] = {}
        varying = frozenset(plain[x] for x in (*state, *given))

        def body(expr: Expr) -> Expr:
            expr = expr.replace(lambda e: isinstance(e, ErfVariance), lambda e: e.as_integral())
            return _hoisted(expr.xreplace(plain), varying, hoisted)

        bodies = [body(e) for e in (*map(_computable, given.values()), *expressions)]
        shared, reduced = cse(bodies, symbols=_names("x"), order="none")
        steps = _in_order([*shared, *zip(map(plain.get, given), reduced, strict=False)])
        outputs = reduced[len(given) :]
        scalars, values = cse(list(hoisted), symbols=_names("s"), order="none")
        assigned = [*scalars, *zip(hoisted.values(), values, strict=True)]
        return cls(
            tuple(plain[x] for x in state),
            tuple(plain[x] for x in parameters),
            tuple(assigned),
            tuple(hoisted.values()),
            tuple(steps),
            tuple(outputs),
        )

    def checked(self, state: Iterable[Any]) -> list[Any]:
        """The numbers of a state, if they are as many as they should be."""
        numbers = list(state)
        if len(numbers) != len(self.state):
            raise ValueError(f"state must have {len(self.state)} numbers; got {len(numbers)}")
        return numbers


def _computable(expr: Expr) -> Expr:
    expr = sympify(expr)
    for part in preorder_traversal(expr):
        if not isinstance(part, _KNOWN) and part not in (pi, E):
            raise ValueError(f"expressions contain {part}, which kernels cannot compute")
    return expr


def _plain(inputs: Sequence[Symbol]) -> dict[Symbol, Symbol]:
    """Names that Python allows, and that nothing else in a program has: they end in _."""
    names = [x.name if x.name.isidentifier() else f"_{i}" for i, x in enumerate(inputs)]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValueError(f"state and parameters must have different names; {name} occurs twice")
    return {x: Symbol(f"{name}_", real=True) for x, name in zip(inputs, names, strict=True)}


def _names(prefix: str) -> Iterator[Symbol]:
    number = 0
    while True:
        yield Symbol(f"{prefix}{number}", real=True)
        number += 1


def _in_order(steps: list[tuple[Symbol, Expr]]) -> list[tuple[Symbol, Expr]]:
    """The assignments, each after those that it uses."""
    values = dict(steps)
    ordered: dict[Symbol, Expr] = {}

    def place(symbol: Symbol, above: tuple[Symbol, ...]) -> None:
        if symbol in ordered:
            return
        if symbol in above:
            raise ValueError(f"{symbol.name[:-1]} is given by way of itself")
        for used in sorted(values[symbol].free_symbols & values.keys(), key=str):
            place(used, (*above, symbol))
        ordered[symbol] = values[symbol]

    for symbol in values:
        place(symbol, ())
    return list(ordered.items())


def _hoisted(expr: Basic, varying: frozenset[Symbol], found: dict[Expr, Symbol]) -> Expr:
    """The expression with its largest parts that do not vary named."""
    if not expr.free_symbols & varying:
        if expr.is_Number:
            return expr
        return found.setdefault(expr, Symbol(f"c{len(found)}", real=True))
    if not expr.args:
        return expr
    if isinstance(expr, Pow) and expr.exp.is_Rational:
        return Pow(_hoisted(expr.base, varying, found), expr.exp)
    if isinstance(expr, Add | Mul):
        fixed, free = expr.as_independent(*varying, as_Add=isinstance(expr, Add))
        parts = [_hoisted(arg, varying, found) for arg in expr.func.make_args(free)]
        if fixed != expr.func.identity:
            parts.append(_hoisted(fixed, varying, found))
        return expr.func(*parts)
    return expr.func(*(_hoisted(arg, varying, found) for arg in expr.args))
