"""Why a step holds, in a few words."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Lambda, Symbol

from slrsym.book.document import Inline, Math, Raw, Reference, Text
from slrsym.book.prose import pieces
from slrsym.claims.claim import Claim
from slrsym.search.rules.lemmas import Lemma
from slrsym.typeset import Box, Printer
from slrsym.typeset.boxes import Operator, row

__all__ = ["inline_text", "why"]

# What a reason may be wide, in em, beyond the name of the claim.
_ROOM = 22.0


def inline_text(text: str) -> tuple[Inline, ...]:
    """Plain text with the formulas in it set as formulas."""
    return tuple(Raw(part) if formula else Text(part) for part, formula in pieces(text))


def why(rule: Any, printer: Printer, shorten: Any, find: Any) -> tuple[Inline, ...]:
    """The rule of a step as a justification."""
    if isinstance(rule, Lemma):
        return (Reference(rule.id), *_values(rule, printer, shorten, find))
    inner = getattr(rule, "by", None)
    if inner is not None and rule.name == f"inside the expectation, {inner.name}":
        return (Text("inside the expectation, "), *why(inner, printer, shorten, find))
    if rule.name.startswith("claim "):
        return (Reference(rule.name.removeprefix("claim ")),)
    variables = getattr(rule, "variables", None)
    if variables and rule.name.startswith("Stein's lemma in "):
        return (Text("Stein\u2019s lemma in "), Math(_listed(list(variables), printer)))
    of, variable = getattr(rule, "of", None), getattr(rule, "variable", None)
    if isinstance(of, Expr) and isinstance(variable, Symbol) and rule.name == "monotonicity":
        return (Text("monotonicity in "), Math(printer.symbol(variable)))
    return inline_text(rule.name)


def _values(rule: Lemma, printer: Printer, shorten: Any, find: Any) -> tuple[Inline, ...]:
    """What is put for the symbols of the claim, as far as it is something else, and fits."""
    try:
        claim: Claim = find(rule.id)
        pairs = [(claim.symbol(symbol), value) for symbol, value in rule.values]
    except Exception:  # what cannot be looked up has failed already
        return ()
    boxes: list[Box] = []
    for symbol, value in pairs:
        short = value.expr if isinstance(value, Lambda) else shorten(value)
        if getattr(short, "name", None) == symbol.name or isinstance(value, Lambda):
            continue
        put = [printer.symbol(symbol), Operator("to", "relation"), printer.box(short, inline=True)]
        boxes += [Operator(",", "comma"), row(put)] if boxes else [row(put)]
    if not boxes or row(boxes).width > _ROOM or row(boxes).height >= 2:
        return ()
    return (Text(", "), Math(row(boxes)))


def _listed(symbols: list[Any], printer: Printer) -> Box:
    boxes: list[Box] = []
    for symbol in symbols:
        boxes += [Operator(",", "comma")] if boxes else []
        boxes.append(printer.symbol(symbol))
    return row(boxes)
