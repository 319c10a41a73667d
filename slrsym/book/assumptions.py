"""What a claim supposes: of its symbols, its functions, its random variables, and besides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sympy import Basic, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.relational import (
    GreaterThan,
    LessThan,
    Relational,
    StrictGreaterThan,
    StrictLessThan,
)
from sympy.tensor.indexed import Indexed

from slrsym.book.document import Block, Inline, Math, Paragraph, Text, listed
from slrsym.gaussian.law import Law, ProductLaw
from slrsym.notation import ORDER_PARAMETERS
from slrsym.search.lemmas import InWords
from slrsym.typeset import Printer
from slrsym.typeset.boxes import Atom, Box, Operator, number, row

__all__ = ["assumed", "bounds", "free_in", "functions_in"]


def free_in(statements: Iterable[Basic]) -> list[Any]:
    """The symbols of which assumptions speak; of those with an index, one member."""
    statements = list(statements)
    indexed: dict[Any, Any] = {}
    for node in sorted(set().union(*(e.atoms(Indexed) for e in statements)), key=str):
        indexed.setdefault(node.base.label, node)
    free = set().union(*(e.free_symbols for e in statements))
    plain = {s for s in free if isinstance(s, Symbol) and s not in indexed}
    # A statement in words holds them as the name of a symbol.
    plain -= {s for e in statements for words in e.atoms(InWords) for s in words.free_symbols}
    return [*sorted(plain, key=str), *indexed.values()]


def functions_in(shown: Iterable[Basic]) -> list[AppliedUndef]:
    """The undefined functions in some expressions."""
    first: dict[tuple[str, int], AppliedUndef] = {}
    for f in sorted(set().union(*(e.atoms(AppliedUndef) for e in shown)), key=str):
        first.setdefault((f.func.__name__, len(f.args)), f)
    return list(first.values())


def assumed(
    symbols: Iterable[Symbol],
    functions: Iterable[AppliedUndef],
    given: Iterable[Any],
    laws: Mapping[Symbol, Law],
    printer: Printer,
) -> tuple[Block, ...]:
    """The assumptions of a claim as a paragraph."""
    sentences: list[tuple[Inline, ...]] = []
    declared = [Math(box) for box in _domains(symbols, printer)]
    named = sorted({(f.func.__name__, len(f.args)) for f in functions})
    if declared:
        sentences.append((Text("Let "), *listed(declared), Text(".")))
    for name, count in named:
        box = printer.names.get(name) or printer.symbol(Symbol(name))
        kind = "real function" if count == 1 else f"real function of {count} variables"
        sentences.append((
            Text("Let "), Math(box), Text(f" be a smooth {kind} of moderate growth."),
        ))  # fmt: skip
    hypotheses = [Math(box) for box in bounds(list(given), printer)]
    if hypotheses:
        sentences.append((Text("Suppose "), *listed(hypotheses), Text(".")))
    blocks = list(dict.fromkeys(laws.values()))
    if blocks:
        independent = len(blocks) > 1 or isinstance(blocks[0], ProductLaw)
        tail = ", independent." if independent else "."
        sentences.append((*listed([Math(printer.law(b)) for b in blocks]), Text(tail)))
    parts: list[Inline] = []
    for sentence in sentences:
        parts += [Text(" "), *sentence] if parts else sentence
    return (Paragraph(tuple(parts)),) if parts else ()


def _domains(symbols: Iterable[Symbol], printer: Printer) -> list[Box]:
    """The symbols by what they declare, each kind once."""
    kinds: dict[tuple[str, str], list[Symbol]] = {}
    for symbol in _in_order(symbols, printer):
        kinds.setdefault(_domain(symbol), []).append(symbol)
    boxes = []
    for (sign, right), members in kinds.items():
        letters: list[Box] = []
        for member in members:
            letters += [Operator(",", "comma")] if letters else []
            letters.append(printer.box(member))
        of = number(right) if right.isdigit() else Atom(right)
        boxes.append(row([row(letters), Operator(sign, "relation"), of]))
    return boxes


def _in_order(symbols: Iterable[Symbol], printer: Printer) -> list[Symbol]:
    """As the printer orders them; but order parameters, among themselves, as the paper lists them.

    In a product eta and theta stand before the others.
    """
    ordered = sorted(symbols, key=printer.order.symbol)
    listed = [p.name for p in ORDER_PARAMETERS]
    here = [s for s in ordered if getattr(s, "name", "") in listed]
    rest = iter(sorted(here, key=lambda s: listed.index(s.name)))
    return [next(rest) if s in here else s for s in ordered]


def _domain(symbol: Symbol) -> tuple[str, str]:
    if symbol.is_integer:
        least = "1" if symbol.is_positive else "0" if symbol.is_nonnegative else ""
        return ("in", rf"mathbb{{Z}}_{{\ge {least}}}" if least else "mathbb{Z}")
    if symbol.is_positive:
        return (">", "0")
    if symbol.is_negative:
        return ("<", "0")
    if symbol.is_nonnegative:
        return ("ge", "0")
    if symbol.is_nonpositive:
        return ("le", "0")
    if symbol.is_nonzero:
        return ("neq", "0")
    return ("in", "mathbb{R}" if symbol.is_real else "mathbb{C}")


def bounds(given: list[Any], printer: Printer) -> list[Box]:
    """Hypotheses; two bounds of one expression are written around it."""
    low: dict[Any, Any] = {}
    high: dict[Any, Any] = {}
    for hypothesis in given:
        bound = _bound(hypothesis)
        if bound is not None:
            side, of, _, _ = bound
            (low if side == "low" else high).setdefault(of, hypothesis)
    pairs = {of: (low[of], high[of]) for of in low if of in high}
    boxes: list[Box] = []
    for hypothesis in given:
        bound = _bound(hypothesis)
        least, most = pairs.get(bound[1], (None, None)) if bound is not None else (None, None)
        # A second bound on the same side stands by itself.
        if hypothesis not in (least, most):
            boxes.append(printer.box(hypothesis))
        elif hypothesis == next(h for h in given if h in (least, most)):
            below, above = _bound(least), _bound(most)
            assert below is not None
            assert above is not None
            boxes.append(row([
                printer.box(below[2]), Operator(below[3], "relation"), printer.box(below[1]),
                Operator(above[3], "relation"), printer.box(above[2]),
            ]))  # fmt: skip
    return boxes


def _bound(hypothesis: Any) -> tuple[str, Any, Any, str] | None:
    if not isinstance(hypothesis, Relational):
        return None
    if not hypothesis.rhs.is_number and not hypothesis.lhs.is_Symbol:
        return None
    strict = isinstance(hypothesis, StrictLessThan | StrictGreaterThan)
    sign = "<" if strict else "le"
    if isinstance(hypothesis, GreaterThan | StrictGreaterThan):
        return ("low", hypothesis.lhs, hypothesis.rhs, sign)
    if isinstance(hypothesis, LessThan | StrictLessThan):
        return ("high", hypothesis.lhs, hypothesis.rhs, sign)
    return None
