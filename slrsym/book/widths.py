"""Letters of a claim's own, where a formula is too wide for a line and cannot be broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from sympy import Basic, Expr, Symbol, preorder_traversal
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from slrsym.book.shorthand import Shorthand, names_in
from slrsym.gaussian import Expectation
from slrsym.gaussian.law import Law
from slrsym.statements.expressions import free as free_symbols
from slrsym.typeset import Box, Printer, widest

__all__ = ["narrowed"]

# What cannot be broken has to be narrower than this, in em; what a letter stands for has to be
# wider than that, and fit on a line itself.
_ROOM, _LEAST, _MOST = 33.0, 7.0, 36.0
_LETTERS = ("S", "W", "Q", "N", "M")
_MOST_LETTERS = 8
# With fewer operations a formula fits in any case.
_FEW = 25


def narrowed(
    shorthand: Shorthand,
    shown: Collection[Basic],
    symbols: Collection[Symbol],
    names: Mapping[str, Box],
) -> Shorthand:
    """The abbreviations, with more letters if what is to be shown does not fit on lines."""
    printer = Printer(names=names)
    taken = names_in(shown)
    stem = next((x for x in _LETTERS if not any(t.startswith(x) for t in taken)), None)
    if stem is None:
        return shorthand
    free = set(symbols)
    sides = [side for e in shown for side in _sides(e)]
    # A letter makes nothing wider.
    wide = [e for e in dict.fromkeys(sides) if e.count_ops() > _FEW]
    for number in range(1, _MOST_LETTERS + 1):
        wide = [e for e in wide if widest(printer.box(shorthand(e))) > _ROOM]
        best = _candidate(wide, shorthand, printer, free)
        if best is None:
            return shorthand
        shorthand = shorthand.with_letter(Symbol(f"{stem}_{number}", real=True), best)
    return shorthand


def _sides(statement: Any) -> list[Any]:
    """The expressions that a statement is made of."""
    if isinstance(statement, Expr):
        return [statement]
    if isinstance(statement, Law):
        return []
    return [side for arg in statement.args for side in _sides(arg)]


def _candidate(
    wide: list[Expr], shorthand: Shorthand, printer: Printer, free: set[Symbol]
) -> Expr | None:
    """What is worth a letter most: wide, and there often."""
    counts: Counter[Expr] = Counter()
    for side in wide:
        for node in preorder_traversal(side):
            if isinstance(node, Relational | Law) or not isinstance(node, Expr):
                continue
            if not node.args:
                continue
            own = free_symbols(node)
            plain = bool(own)
            closed = {s for s in own if isinstance(s, Symbol)} <= free
            whole = node == side or node in shorthand.local
            if plain and closed and not whole and not node.has(AppliedUndef, Expectation):
                counts[node] += 1
    worth: list[tuple[float, str, Expr]] = []
    for node, count in counts.items():
        width = printer.box(shorthand(node)).width
        if _LEAST < width < _MOST:
            worth.append((-(width - 2) * count, str(node), node))
    return min(worth, key=lambda item: item[:2])[2] if worth else None
