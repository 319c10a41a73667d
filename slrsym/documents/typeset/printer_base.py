"""Base class of formula printers, with the layout of brackets, function calls and lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Any, ClassVar

import sympy as sp
from sympy import Expr, Symbol

from slrsym.documents.typeset.boxes import (
    Atom,
    Box,
    BracketedBox,
    Operator,
    Root,
    ScriptBox,
    Space,
    comma_separated_row,
    row_of_boxes,
)
from slrsym.documents.typeset.letters import box_of_symbol_name
from slrsym.documents.typeset.order import PrintingOrder
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.gaussian.law import Law
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)

# How tightly a formula holds together.
LOGIC, RELATION, SUM, PRODUCT, PREFIX, POWER, ATOM = range(7)

# A function of something wider than this, in em, may be broken inside.
_WIDE_ARGUMENT = 20.0
# Between the factors of a product that is wider, a line may be broken, though reluctantly.
_WIDE_PRODUCT = 30.0
# Narrower brackets are not broken.
_NARROW_BRACKET = 9.0


def add_primes(base: Box, count: int) -> Box:
    """Return the typeset box of a letter or name with a given number of primes."""
    return ScriptBox(base, above=Atom("'" * count, "name"))


NAMES: dict[Any, Box] = {
    erf_prime: add_primes(Atom("erf", "name"), 1),
    erf_second: add_primes(Atom("erf", "name"), 2),
    normal_pdf: Atom("varphi"),
    normal_cdf: Atom("Phi"),
    bivariate_normal_cdf: ScriptBox(Atom("Phi"), below=Atom("2")),
    OwensT: Atom("T"),
    zeta: Atom("zeta"),
    sp.Heaviside: Atom("Theta"),
    **{
        kind: Atom(text, "name")
        for text, kind in {
            "erf": sp.erf, "erfc": sp.erfc, "log": sp.log, "sin": sp.sin, "cos": sp.cos,
            "tan": sp.tan, "arcsin": sp.asin, "arccos": sp.acos, "arctan": sp.atan,
            "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "arsinh": sp.asinh,
            "arcosh": sp.acosh, "artanh": sp.atanh, "sign": sp.sign, "max": sp.Max, "min": sp.Min,
        }.items()
    },
}  # fmt: skip


class PrinterBase:
    """Base class of formula printers: names, laws, and boxes of symbols, calls and lists."""

    named: ClassVar[dict[Any, Box]] = NAMES

    def __init__(
        self,
        order: PrintingOrder | None = None,
        laws: Mapping[Symbol, Law] | None = None,
        names: Mapping[Any, Box] | None = None,
        inside: Mapping[Symbol, Set[Symbol]] | None = None,
    ) -> None:
        self.order = order or PrintingOrder()
        self.laws = laws
        self.names = dict(names or {})
        self.inside = dict(inside or {})
        self._bound: frozenset[Symbol] = frozenset()
        self._copied: frozenset[Symbol] = frozenset()
        self._depth = 0
        self._known: dict[tuple[Any, ...], tuple[Box, int]] = {}

    def box(self, expr: Any, inline: bool = False) -> Box:
        """Return the typeset box of an expression, a statement or a law."""
        return self._print(expr, inline)[0]

    def symbol(self, symbol: Any) -> Box:
        """Return the typeset box of a symbol, marked as a copy within a sum of copies."""
        box = (
            self.names.get(symbol) or self.names.get(symbol.name) or box_of_symbol_name(symbol.name)
        )
        if symbol in self._copied:
            copy = BracketedBox("(", Atom("ell"), ")")
            if isinstance(box, ScriptBox):
                return ScriptBox(box.base, box.below, copy)
            return ScriptBox(box, above=copy)
        return box

    def _print(self, expr: Any, inline: bool = False) -> tuple[Box, int]:
        """Return the typeset box and the precedence of an expression, a statement or a law."""
        raise NotImplementedError

    def _power(self, base: Expr, exponent: Expr) -> Box:
        raise NotImplementedError

    def _print_at_precedence(self, expr: Any, least: int, inline: bool = False) -> Box:
        """Return an expression's typeset box, in brackets if its precedence is below a level."""
        box, level = self._print(expr, inline)
        return box if level >= least else add_brackets(box)

    @contextmanager
    def _binding(self, symbols: Any, copied: bool = False) -> Iterator[None]:
        before = self._bound, self._copied
        self._bound |= set(symbols)
        self._copied |= set(symbols if copied else ())
        try:
            yield
        finally:
            self._bound, self._copied = before

    @staticmethod
    def _row_of_factors(boxes: list[Box]) -> Box:
        """Return a row of boxes of factors, with a space or a dot where they would run together."""
        parts: list[Box] = []
        for box in boxes:
            if parts and (isinstance(parts[-1], Root) or _ends_in_root(parts[-1])):
                parts.append(Space())
            elif parts and _starts_with_number(box):
                parts.append(Operator("cdot"))
            elif parts and _starts_with_large_sign(box) and not isinstance(parts[-1], BracketedBox):
                parts.append(Space())
            parts.append(box)
        if sum(box.width for box in parts) > _WIDE_PRODUCT:
            loose = [parts[0]]
            for box in parts[1:]:
                loose += [box] if isinstance(box, Space) else [Space(0.0, breaks=True), box]
            return row_of_boxes(loose)
        return row_of_boxes(parts)

    def _function_call(self, called: Box, args: Any) -> Box:
        boxes = (self._print(arg, inline=True)[0] for arg in args)
        body = comma_separated_row(boxes, Space(0.0, breaks=True))
        return row_of_boxes(
            [called, BracketedBox("(", body, ")", breaks=body.width > _WIDE_ARGUMENT)]
        )

    def _tuple_of_symbols(self, symbols: Any, brackets: bool = True) -> Box:
        inside = self._comma_separated(symbols)
        return BracketedBox("(", inside, ")", False) if brackets and len(symbols) > 1 else inside

    def _comma_separated(self, expressions: Any) -> Box:
        return comma_separated_row(self._print(expr)[0] for expr in expressions)


def add_brackets(box: Box) -> Box:
    """Return a formula's box in parentheses; if it is short, no line may break inside."""
    return BracketedBox("(", box, ")", breaks=box.width > _NARROW_BRACKET)


def _ends_in_root(box: Box) -> bool:
    parts: tuple[Box, ...] = getattr(box, "parts", ())
    return bool(parts) and isinstance(parts[-1], Root)


def _starts_with_number(box: Box) -> bool:
    first = box.parts[0] if hasattr(box, "parts") else box
    base = getattr(first, "base", first)
    return isinstance(base, Atom) and base.kind == "number"


def _starts_with_large_sign(box: Box) -> bool:
    """Return whether a formula starts with a sum, integral, expectation or partial sign."""
    first = box.parts[0] if hasattr(box, "parts") else box
    base = getattr(first, "base", first)
    return (isinstance(base, Operator) and base.kind == "large") or base in (
        Atom("E", "name"),
        Atom("partial"),
    )
