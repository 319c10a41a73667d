"""Expressions as straight-line programs: what depends on parameters only is computed once.

A `Program` has constants, which are functions of the parameters, and steps, which depend on the
state. Every backend prints the same program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sympy import Add, Basic, Expr, Mul, Pow, Symbol, cse

from slrsym.kernels.special import ErfVariance

__all__ = ["Program"]


@dataclass(frozen=True)
class Program:
    """A list of assignments.

    Attributes
    ----------
    state, parameters : tuple of Symbol
        The inputs.
    scalars : tuple of (Symbol, Expr)
        Assignments that depend on parameters only, in order.
    constants : tuple of Symbol
        The scalars that the steps use.
    steps : tuple of (Symbol, Expr)
        Assignments that depend on the state, in order.
    outputs : tuple of Expr
        The results, in the names assigned before.
    """

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
        """The program of some expressions.

        Parameters
        ----------
        expressions : sequence of expressions
            The outputs.
        state, parameters : sequence of Symbol
            The inputs.
        given : mapping of Symbol to expression, optional
            What other symbols in `expressions`, and in one another, stand for.

        Raises
        ------
        ValueError
            If an expression has a symbol that is none of these, or one is given by way of itself.
        """
        given = given or {}
        used = set().union(*(e.free_symbols for e in (*expressions, *given.values())))
        loose = used - given.keys() - {*state, *parameters}
        if loose:
            names = ", ".join(sorted(map(str, loose)))
            raise ValueError(f"expressions contain {names}, neither of the state nor parameters")
        # Inputs are printed as they are, and lambda is a word of Python's.
        plain = {p: Symbol(f"{p.name}_", real=True) for p in parameters}
        hoisted: dict[Expr, Symbol] = {}
        varying = frozenset((*state, *given))

        def body(expr: Expr) -> Expr:
            expr = expr.replace(lambda e: isinstance(e, ErfVariance), lambda e: e.as_integral())
            return _hoisted(expr.xreplace(plain), varying, hoisted)

        bodies = [body(e) for e in (*given.values(), *expressions)]
        shared, reduced = cse(bodies, symbols=_names("x"), order="none")
        steps = _in_order([*shared, *zip(given, reduced, strict=False)])
        outputs = reduced[len(given) :]
        scalars, values = cse(list(hoisted), symbols=_names("s"), order="none")
        assigned = [*scalars, *zip(hoisted.values(), values, strict=True)]
        return cls(
            tuple(state),
            tuple(plain.values()),
            tuple(assigned),
            tuple(hoisted.values()),
            tuple(steps),
            tuple(outputs),
        )


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
            raise ValueError(f"{symbol} is given by way of itself")
        for used in sorted(values[symbol].free_symbols & values.keys(), key=str):
            place(used, (*above, symbol))
        ordered[symbol] = values[symbol]

    for symbol in values:
        place(symbol, ())
    return list(ordered.items())


def _hoisted(expr: Basic, varying: frozenset[Symbol], found: dict[Expr, Symbol]) -> Expr:
    """The expression with its largest parts that do not vary named."""
    if not expr.free_symbols & varying:
        if expr.is_Integer:
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
