"""The table of notation: the paper's letters, what they mean, and the laws of the tokens."""

from __future__ import annotations

import re
from typing import Any

from slrsym import notation
from slrsym.book.claims import NAMES, ORDER
from slrsym.book.document import Block, Display, Formula, Inline, Link, Paragraph, Raw, Text
from slrsym.book.justification import inline_text
from slrsym.book.shorthand import chosen
from slrsym.typeset import Printer, declared_laws

__all__ = ["notation_table"]

_ROW = re.compile(r"^:math:`(.+?)` +``\w+``[ \t]*(.*)$", re.MULTILINE)
_MATH = re.compile(r":math:`(.+?)`")


def notation_table() -> tuple[Any, ...]:
    """The letters of `slrsym.notation`, and the definition of the risk."""
    rows: list[tuple[tuple[Inline, ...], tuple[Inline, ...]]] = []
    for letter, meaning in _ROW.findall(notation.__doc__ or ""):
        rows.append(((Raw(letter),), _meaning(meaning)))
    return (tuple(rows), _risk()) if rows else ()


def _meaning(text: str) -> tuple[Inline, ...]:
    parts: list[Inline] = []
    place = 0
    for match in _MATH.finditer(text):
        parts += [Text(text[place : match.start()]), Raw(match[1])]
        place = match.end()
    for piece in re.split(r"(\b[kv]\*)", text[place:]):
        if piece.endswith("*"):
            parts.append(Raw(rf"{piece[0]}^{{\star}}"))
        else:
            parts += inline_text(piece) if piece.strip() else (Text(piece),)
            parts += [Text(" ")] if piece.endswith(" ") and piece.strip() else []
    return tuple(parts)


def _risk() -> tuple[Block, ...]:
    from slrsym.symbolic import risk_definition

    definition = risk_definition()
    shorthand = chosen([definition], risk=True)
    name = shorthand(definition)
    printer = Printer(ORDER, declared_laws([definition]), NAMES)
    shown = Formula(printer.box(chosen([definition], risk=False)(definition)), definition)
    laws = list(dict.fromkeys((printer.laws or {}).values()))
    blocks: list[Block] = [
        Paragraph(
            (
                Text("The risk, given the location, is the mean square of the error. "),
                Raw("U_1, V_1, Y_1"),
                Text(" are the projections of the informative token on "),
                Raw(r"k, v, v^{\star}"),
                Text("; "),
                Raw("U, V"),
                Text(" those of another token on "),
                Raw("k, v"),
                Text(", of which there are "),
                Raw("L - 1"),
                Text(" independent copies; "),
                Raw(r"\xi"),
                Text(" is the noise of the output."),
            )
        ),
        Display(Formula(printer.box(name), definition), (Link("=", shown),)),
        Paragraph((Text("Here"),)),
    ]
    blocks += [Display(Formula(printer.law(law), law)) for law in laws]
    return tuple(blocks)
