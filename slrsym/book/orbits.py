"""Statements about orbits as blocks: the map and the functions displayed, then a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sympy import Basic, FiniteSet, Function, Tuple, default_sort_key

from slrsym.book.assumptions import bounds
from slrsym.book.document import Block, Display, Formula, Inline, Link, Math, Paragraph, Text
from slrsym.book.justification import inline_text
from slrsym.statements.maps import BoxMap
from slrsym.statements.orbits import OrbitStatement, Piece
from slrsym.typeset import Box
from slrsym.typeset.boxes import Fence, Operator, row

if TYPE_CHECKING:
    from slrsym.book.writer import Writer

__all__ = ["orbit_blocks"]


def orbit_blocks(
    statement: OrbitStatement,
    writer: Writer,
    reason: tuple[Inline, ...] = (),
    with_map: bool = True,
) -> list[Block]:
    """A statement about orbits, as a person writes it."""
    blocks = _map(statement.map, writer) if with_map else []
    said: list[Inline] = []
    for piece in statement.sentence():
        said += _piece(piece, writer, first=not said)
    if reason:
        said += [Text(" ("), *reason, Text(")")]
    shown = _functions(statement, writer)
    blocks.append(Paragraph((*said, Text(", where" if shown else "."))))
    return [*blocks, *shown]


def _map(map: Any, writer: Writer) -> list[Block]:
    if not isinstance(map, BoxMap):
        return []
    names = [f"g_{place}" for place in range(1, len(map.coordinates) + 1)]
    inside: list[Inline] = []
    for place, box in enumerate(bounds(list(map.inside()), writer.printer)):
        start = (*inline_text("Orbits are those of the map g,"), Text(" for "))
        lead = (Text(", "),) if place else start
        inside += [*lead, Math(box)]
    blocks: list[Block] = [Paragraph((*inside, Text(", with the coordinates")))]
    for name, image in zip(names, map.images, strict=True):
        blocks.append(_equation(name, map.coordinates, image, writer))
    return blocks


def _functions(statement: OrbitStatement, writer: Writer) -> list[Block]:
    blocks: list[Block] = []
    for name, function in statement.definitions:
        values = list(function.expr) if isinstance(function.expr, Tuple) else [function.expr]
        for place, value in enumerate(values, start=1):
            called = f"{name}_{place}" if len(values) > 1 else name
            blocks.append(_equation(called, function.variables, value, writer))
    return blocks


def _equation(name: str, variables: Any, value: Any, writer: Writer) -> Block:
    applied = Formula(writer.printer.box(Function(name, real=True)(*variables)), None)
    return Display(applied, (Link("=", writer.formula(value)),))


def _piece(piece: Piece, writer: Writer, first: bool) -> list[Inline]:
    if isinstance(piece, FiniteSet):
        parts: list[Inline] = []
        for point in sorted(piece, key=default_sort_key):
            parts += [Text(" or ")] if parts else []
            parts.append(Math(_point(point, writer)))
        return parts
    if isinstance(piece, Basic):
        return [Math(writer.printer.box(writer.shorten(piece), inline=True))]
    text = piece[:1].upper() + piece[1:] if first else piece
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return [*_space(before), *inline_text(text), *_space(after)]


def _space(text: str) -> list[Inline]:
    return [Text(" ")] if text else []


def _point(point: Any, writer: Writer) -> Box:
    inside: list[Box] = []
    for x in point:
        inside += [Operator(",", "comma")] if inside else []
        inside.append(writer.printer.box(x))
    return Fence("(", row(inside), ")")
