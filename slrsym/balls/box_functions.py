"""Functions on boxes, their enclosures in ball arithmetic, and what certificates show of them.

The one Newton test: whether a system has exactly one zero in a box, after Krawczyk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any

from flint import arb, arb_mat, ctx
from sympy import Expr, Integer, Symbol, default_sort_key

from slrsym.balls.boxes import Box, Range, box_to_balls, midpoint_box
from slrsym.kernels.ball_backend import compile_ball_function_at_parameters
from slrsym.kernels.jumps import derivative_away_from_jumps, jump_arguments
from slrsym.kernels.krawczyk import krawczyk_image
from slrsym.kernels.printing import is_known_to_backends, program_from_expressions
from slrsym.kernels.program import Program


class ParametricFunctions:
    """Symbolic functions of a few variables and of parameters, to be evaluated on boxes."""

    def __init__(
        self,
        outputs: Sequence[Expr],
        state: Sequence[Symbol],
        given: Mapping[Symbol, Expr] | None = None,
        parameters: Mapping[str, Symbol] | None = None,
    ) -> None:
        self.outputs = tuple(outputs)
        self.state = tuple(state)
        self.given = dict(given or {})
        self.parameters = dict(parameters or {})

    @cached_property
    def value_program(self) -> Program:
        """The program that computes the functions."""
        letters = tuple(self.parameters.values())
        return program_from_expressions(
            self.outputs, self.state, letters, self._used(*self.outputs)
        )

    @cached_property
    def jumps(self) -> tuple[tuple[Expr, ...] | None, ...]:
        """For each function, expressions that vanish where it jumps, or None if they are unknown.

        Nor are those of a function known whose derivatives cannot be computed in balls.
        """
        return tuple(self._jumps(f) for f in self.outputs)

    def _jumps(self, output: Expr) -> tuple[Expr, ...] | None:
        found: set[Expr] = set()
        for part in (output, *self._used(output).values()):
            places = jump_arguments(part)
            if places is None:
                return None
            found |= places
        if not all(map(is_known_to_backends, self._slopes(output))):
            return None
        return tuple(sorted(found, key=default_sort_key))

    @cached_property
    def _chain(self) -> _Chain:
        return _Chain(self._used(*self.outputs))

    def _slopes(self, output: Expr) -> list[Expr]:
        return [self._chain.derivative(output, x) for x in self.state]

    @cached_property
    def value_and_derivative_program(self) -> Program:
        """The program for the functions, all first derivatives, row by row, and all jumps."""
        unknown = [Integer(0)] * len(self.state)
        rows = [
            unknown if jumps is None else self._slopes(f)
            for f, jumps in zip(self.outputs, self.jumps, strict=True)
        ]
        slopes = [slope for row in rows for slope in row]
        jumps = [place for places in self.jumps for place in places or ()]
        known = self._used(*self.outputs) | self._chain.found
        return program_from_expressions(
            (*self.outputs, *slopes, *jumps), self.state, tuple(self.parameters.values()), known
        )

    def _used(self, *outputs: Expr) -> dict[Symbol, Expr]:
        found: dict[Symbol, Expr] = {}
        ahead = [s for f in outputs for s in _by_name(f.free_symbols)]
        while ahead:
            symbol = ahead.pop()
            if symbol in self.given and symbol not in found:
                found[symbol] = self.given[symbol]
                ahead += _by_name(found[symbol].free_symbols)
        return found

    def bind(self, parameters: Mapping[str, Any], dps: int) -> BoxFunctions:
        """Return the functions with parameters fixed to given balls, for evaluation on boxes."""
        return BoxFunctions(self, {n: parameters.get(n, arb(1)) for n in self.parameters}, dps)


def _by_name(symbols: Iterable[Symbol]) -> list[Symbol]:
    return sorted(symbols, key=str)


class _Chain:
    """Derivatives by the chain rule of expressions with named subexpressions."""

    def __init__(self, given: Mapping[Symbol, Expr]) -> None:
        self._given = given
        self._derivatives: dict[tuple[Symbol, Symbol], Expr] = {}
        self._totals: dict[tuple[Expr, Symbol], Expr] = {}
        self.found: dict[Symbol, Expr] = {}

    def derivative(self, expr: Expr, x: Symbol) -> Expr:
        if (expr, x) not in self._totals:
            total = derivative_away_from_jumps(expr, x)
            for symbol in _by_name(expr.free_symbols & self._given.keys()):
                total += derivative_away_from_jumps(expr, symbol) * self._of(symbol, x)
            self._totals[expr, x] = total
        return self._totals[expr, x]

    def _of(self, symbol: Symbol, x: Symbol) -> Expr:
        key = (symbol, x)
        if key not in self._derivatives:
            value = self.derivative(self._given[symbol], x)
            if value.free_symbols:
                name = Symbol(f"{symbol.name}_by_{x.name}", real=True)
                self.found[name] = value
                value = name
            self._derivatives[key] = value
        return self._derivatives[key]


@dataclass(frozen=True)
class BoxFunctions:
    """Functions of a few variables, with fixed parameters, for evaluation on boxes."""

    field: ParametricFunctions
    parameters: dict[str, Any]
    dps: int

    @cached_property
    def _values(self) -> Any:
        return compile_ball_function_at_parameters(
            self.field.value_program, list(self.parameters.values()), self.dps
        )

    @cached_property
    def _jet(self) -> Any:
        return compile_ball_function_at_parameters(
            self.field.value_and_derivative_program, list(self.parameters.values()), self.dps
        )

    @cached_property
    def _recent(self) -> dict[Box, tuple[list[Any], list[list[Any]]]]:
        return {}

    def natural_enclosure(self, box: Box) -> list[Any]:
        """Enclose the functions' values over a box by direct evaluation."""
        with ctx.workdps(self.dps):
            result: list[Any] = self._values(box_to_balls(box))
            return result

    def jacobian_enclosure(self, box: Box) -> tuple[list[Any], list[list[Any]]]:
        """Enclose the functions' values and first derivatives over a box.

        The derivatives of a function that may jump there, or leave its domain, are no numbers.
        """
        # A search asks twice: for the mean value form, and where to cut.
        if box not in self._recent:
            with ctx.workdps(self.dps):
                found = self._jet(box_to_balls(box))
            self._recent.clear()
            self._recent[box] = self._without_slopes_at_jumps(found)
        return self._recent[box]

    def _without_slopes_at_jumps(self, found: list[Any]) -> tuple[list[Any], list[list[Any]]]:
        n, count = len(self.field.state), len(self.field.outputs)
        places = iter(found[count + n * count :])
        rows = []
        for i, jumps in enumerate(self.field.jumps):
            near = jumps is None or [x for x in islice(places, len(jumps)) if x.contains(0)]
            smooth = not near and found[i].is_finite()
            start = count + n * i
            rows.append(found[start : start + n] if smooth else [arb("nan")] * n)
        return found[:count], rows

    def centred_enclosure(self, box: Box) -> list[Any]:
        """Enclose the functions' values over a box by the mean value theorem at its midpoint."""
        _, rows = self.jacobian_enclosure(box)
        with ctx.workdps(self.dps):
            middle = [arb((low + high) / 2) for low, high in box]
            offsets = [x - m for x, m in zip(box_to_balls(box), middle, strict=True)]
            values = self._values(middle)
            return [
                value + sum((a * b for a, b in zip(row, offsets, strict=True)), arb(0))
                for value, row in zip(values, rows, strict=True)
            ]


@dataclass(frozen=True)
class BoundMargins:
    """Distances of functions from given lower and upper bounds, as functions on boxes."""

    bound: BoxFunctions
    bounds: tuple[tuple[Any, Any], ...]

    @property
    def dps(self) -> int:
        """Working precision in decimal digits."""
        return self.bound.dps

    def natural_enclosure(self, box: Box) -> list[Any]:
        """Enclose the distances to the bounds over a box by direct evaluation."""
        return self._room(self.bound.natural_enclosure(box))

    def centred_enclosure(self, box: Box) -> list[Any]:
        """Enclose the distances to the bounds over a box by the mean value theorem."""
        return self._room(self.bound.centred_enclosure(box))

    def jacobian_enclosure(self, box: Box) -> tuple[list[Any], list[list[Any]]]:
        """Enclose the distances to the bounds, and their derivatives up to sign, over a box."""
        values, rows = self.bound.jacobian_enclosure(box)
        return self._room(values), [row for row in rows for _ in range(2)]

    def _room(self, values: list[Any]) -> list[Any]:
        with ctx.workdps(self.dps):
            pairs = zip(values, self.bounds, strict=True)
            return [x for value, (low, high) in pairs for x in (value - low, high - value)]


Functions = BoxFunctions | BoundMargins


@dataclass(frozen=True)
class CertificatePart:
    """One part of a certificate: functions, their box, and whether to show positivity or zeros."""

    name: str
    field: ParametricFunctions
    domain: Box
    zeros: bool = False
    labels: tuple[str, ...] = ()
    bounds: tuple[tuple[Any, Any], ...] = ()

    def bind(self, parameters: Mapping[str, Range], digits: int) -> Functions:
        """Return this certificate part's functions, with each parameter fixed to a range."""
        with ctx.workdps(digits):
            balls = {name: x.to_ball() for name, x in parameters.items()}
        bound = self.field.bind(balls, digits)
        return BoundMargins(bound, self.bounds) if self.bounds else bound


@dataclass(frozen=True)
class CertificateKind:
    """A kind of certificate: its statement, its parts, and its parameters."""

    statement: str
    parts: Callable[[Mapping[str, Fraction]], tuple[CertificatePart, ...]]
    names: tuple[str, ...]
    # Algebraic side conditions.
    facts: Callable[[], Mapping[str, bool]] = dict
    numbers: tuple[str, ...] = ()


def has_exactly_one_zero(functions: Functions, box: Box) -> bool:
    """Return whether a system is proved to have exactly one zero in a box."""
    _, rows = functions.jacobian_enclosure(box)
    values = functions.natural_enclosure(midpoint_box(box))
    with ctx.workdps(functions.dps):
        radii = [arb(high - low) / 2 for low, high in box]
        return krawczyk_image(values, arb_mat(rows), radii) is not None
