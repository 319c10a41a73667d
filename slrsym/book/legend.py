"""What each letter of a claim's formulas means, for reading them back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sympy import Basic, Symbol, preorder_traversal
from sympy.core.function import AppliedUndef
from sympy.tensor.indexed import Indexed

from slrsym import notation
from slrsym.book.shorthand import Shorthand
from slrsym.gaussian import Expectation, IIDSum
from slrsym.gaussian.law import Law
from slrsym.typeset import Printer, to_latex
from slrsym.typeset.boxes import Box, Operator, Root, Script, identifier, number, row
from slrsym.typeset.names import MOST_PRIMES
from slrsym.typeset.names import letter as drawn

__all__ = ["NAMES", "reading_names", "told_apart"]

NAMES: dict[str, Box] = {
    "sqrt(d/2)": Root(row([identifier("d"), Operator("/", "slash"), number(2)])),
    "R(6)": identifier("mathcal{R}"),
    "R^": identifier(r"widehat{\mathcal{R}}"),
    "R<": Script(identifier("mathcal{R}"), above=Operator("<", "prefix")),
}


def reading_names(shown: list[Basic], shorthand: Shorthand, printer: Printer) -> dict[str, Any]:
    """What each letter of the formulas means."""
    names: dict[str, Any] = {}
    for expr in shown:
        for node in preorder_traversal(expr):
            if isinstance(node, Indexed):
                label = to_latex(printer.symbol(node.base.label))
                names.setdefault(f"{label}_", node.base)
            elif isinstance(node, Symbol):
                names.setdefault(to_latex(printer.symbol(node)), node)
            elif isinstance(node, AppliedUndef):
                names.setdefault(to_latex(printer.symbol(node.func)), node.func)
            elif isinstance(node, Expectation | IIDSum):
                for symbol in node.law.symbols:
                    names.setdefault(to_latex(printer.symbol(symbol)), symbol)
    for function, meaning in shorthand.functions.items():
        names[to_latex(printer.symbol(function))] = meaning
        for node in meaning.expr.atoms(Symbol):
            names.setdefault(to_latex(printer.symbol(node)), node)
    for letter in shorthand.letters:
        if letter.name not in NAMES:
            names[to_latex(printer.symbol(letter))] = shorthand.meaning(letter)
    laws: dict[Symbol, Law] = dict(printer.laws or {})
    for symbol in laws:
        names.setdefault(to_latex(printer.symbol(symbol)), symbol)
    names.setdefault("d", notation.d)
    return names | {"laws": laws}


def told_apart(symbols: Iterable[Symbol], names: Mapping[str, Box]) -> dict[Symbol, Box]:
    """Other letters for symbols that would be written alike, such as x1 and x_1."""
    taken: set[str] = set()
    found: dict[Symbol, Box] = {}
    # What differs in its assumptions alone is in the same order each time.
    for symbol in sorted(symbols, key=lambda x: (x.name, str(sorted(x.assumptions0.items())))):
        box = names.get(symbol.name) or drawn(symbol.name)
        count = 0
        # A star leaves no room for more.
        while to_latex(box) in taken and count < 2 * MOST_PRIMES:
            count += 1
            mark = "'" * count if count <= MOST_PRIMES else f"^{count}"
            found[symbol] = box = drawn(f"{symbol.name}{mark}")
        taken.add(to_latex(box))
    return found
