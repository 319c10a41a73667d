"""Abbreviations that any document needs: letters for wide formulas, and primes for equal names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from math import inf
from typing import Any

from sympy import Basic, Expr, Symbol, preorder_traversal
from sympy.core.function import AppliedUndef
from sympy.tensor.indexed import Indexed

from slrsym.documents.export.shorthand import Shorthand, symbol_and_function_names
from slrsym.documents.typeset import FormulaPrinter, to_latex, widest_unbreakable_width
from slrsym.documents.typeset.boxes import Box
from slrsym.documents.typeset.letters import MOST_PRIMES
from slrsym.documents.typeset.letters import box_of_symbol_name as drawn
from slrsym.gaussian import Expectation, IIDSum
from slrsym.gaussian.law import Law
from slrsym.prover.statements.expressions import expression_text, free_symbols

# What cannot be broken has to be narrower than this, in em; what a letter stands for has to be
# wider than that.
_ROOM, _LEAST = 33.0, 7.0
# It fits on a line itself.
_LINE = 36.0
_LETTERS = ("S", "W", "Q", "N", "M")
_MOST_LETTERS = 8
# With fewer parts a formula fits in any case.
_FEW = 35


def extend_shorthand_to_fit_page(
    shorthand: Shorthand,
    shown: Collection[Basic],
    symbols: Collection[Symbol],
    printer_of: Callable[[Shorthand], FormulaPrinter],
) -> tuple[Shorthand, FormulaPrinter]:
    """Add abbreviations until every formula fits the page; return them and the printer.

    Also the printer, which knows the formulas that it has measured.
    """
    printer = printer_of(shorthand)
    taken = symbol_and_function_names(shown)
    stem = next((x for x in _LETTERS if not any(t.startswith(x) for t in taken)), None)
    if stem is None:
        return shorthand, printer
    free = set(symbols)
    sides = [side for e in shown for side in _sides(e)]
    wide = [e for e in dict.fromkeys(sides) if any(islice(preorder_traversal(e), _FEW, None))]
    short, its_printer, fits = _with_letters(shorthand, wide, stem, free, printer_of, _LINE)
    if not fits:
        # Letters for what fits on a line are not enough: they stand for sums of several lines.
        others = _with_letters(shorthand, wide, stem, free, printer_of, inf)
        if others[2]:
            return others[0], others[1]
    return short, its_printer


def _with_letters(
    shorthand: Shorthand,
    wide: list[Expr],
    stem: str,
    free: set[Symbol],
    printer_of: Callable[[Shorthand], FormulaPrinter],
    most: float,
) -> tuple[Shorthand, FormulaPrinter, bool]:
    """Return abbreviations with letters for parts narrower than `most`, and if all fits then."""
    printer = printer_of(shorthand)
    for place in range(1, _MOST_LETTERS + 1):
        # A letter makes nothing wider.
        wide = _too_wide(wide, shorthand, printer)
        best = _candidate(wide, shorthand, printer, free, most)
        if best is None:
            break
        shorthand = shorthand.with_letter(Symbol(f"{stem}_{place}", real=True), best)
        printer = printer_of(shorthand)
    return shorthand, printer, not _too_wide(wide, shorthand, printer)


def _too_wide(sides: list[Expr], shorthand: Shorthand, printer: FormulaPrinter) -> list[Expr]:
    """Return those of some expressions that do not fit the page, however they are broken."""
    return [e for e in sides if widest_unbreakable_width(printer.box(shorthand(e))) > _ROOM]


def _sides(statement: Any) -> list[Any]:
    """Return a list of the expressions on both sides of all relations in a statement."""
    if isinstance(statement, Expr):
        return [statement]
    if isinstance(statement, Law):
        return []
    return [side for arg in statement.args for side in _sides(arg)]


def _candidate(
    wide: list[Expr],
    shorthand: Shorthand,
    printer: FormulaPrinter,
    free: set[Symbol],
    most: float,
) -> Expr | None:
    """Return the subexpression, narrower than `most`, whose letter shortens formulas most."""
    counts = Counter(node for side in wide for node in islice(preorder_traversal(side), 1, None))
    worth: dict[Expr, float] = {}
    for node, count in counts.items():
        if not isinstance(node, Expr) or isinstance(node, Law) or not node.args:
            continue
        own = {s for s in free_symbols(node) if isinstance(s, Symbol)}
        if not own or not own <= free or node in shorthand.local:
            continue
        if node.has(AppliedUndef, Expectation):
            continue
        box = printer.box(shorthand(node))
        width = box.width
        if _LEAST < width < most and (width < _LINE or widest_unbreakable_width(box) <= _ROOM):
            worth[node] = (width - 2) * count
    best = max(worth.values(), default=0.0)
    return min(
        (node for node, value in worth.items() if value == best), key=expression_text, default=None
    )


def _name_and_assumptions(symbol: Symbol) -> tuple[str, str]:
    """Return a key by which symbols are in the same order in each process."""
    return symbol.name, str(sorted(symbol.assumptions0.items()))


def printed_letter_meanings(
    shown: list[Basic],
    shorthand: Shorthand,
    printer: FormulaPrinter,
    fixed: Collection[str],
    known: Mapping[str, Symbol],
) -> dict[str, Any]:
    """Return what printed letters stand for, by their LaTeX; key `laws` has laws by symbol.

    Letters of `fixed` names are drawn as what they stand for; `known` ones may be spoken of, too.
    """
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
        for node in sorted(meaning.expr.atoms(Symbol), key=_name_and_assumptions):
            names.setdefault(to_latex(printer.symbol(node)), node)
    for letter in shorthand.letters:
        if letter.name not in fixed:
            names[to_latex(printer.symbol(letter))] = shorthand.meaning(letter)
    laws: dict[Symbol, Law] = dict(printer.laws or {})
    for symbol in laws:
        names.setdefault(to_latex(printer.symbol(symbol)), symbol)
    return {**known, **names, "laws": laws}


def boxes_of_clashing_symbols(
    symbols: Iterable[Symbol], names: Mapping[str, Box]
) -> dict[Symbol, Box]:
    """Return boxes with primes for those symbols that would look like another one in print."""
    taken: set[str] = set()
    found: dict[Symbol, Box] = {}
    for symbol in sorted(symbols, key=_name_and_assumptions):
        box = names.get(symbol.name) or drawn(symbol.name)
        count = 0
        # A star leaves no room for more.
        while to_latex(box) in taken and count < 2 * MOST_PRIMES:
            count += 1
            mark = "'" * count if count <= MOST_PRIMES else f"^{count}"
            found[symbol] = box = drawn(f"{symbol.name}{mark}")
        taken.add(to_latex(box))
    return found
