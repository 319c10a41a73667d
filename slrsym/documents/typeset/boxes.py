"""Formulas as boxes: rows, scripts, fractions, and line breaking."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

# Estimates in em of the text font, from the widths of Computer Modern; they decide where lines
# break, and err on the wide side.
_SCRIPT = 0.72
_NARROW = set("ijltf.,'!|()[]1")
_WIDE = set("mwMW")


@dataclass(frozen=True)
class Box:
    """Base class of formulas as boxes, nested as in TeX."""

    @property
    def width(self) -> float:
        """Approximate width of the box in em."""
        raise NotImplementedError

    @property
    def height(self) -> int:
        """Height class of the box: 0 a plain line, 1 with brackets, 2 with fractions, 3 taller."""
        return 0


@dataclass(frozen=True)
class Atom(Box):
    """A typeset letter, number, upright name, group of words, or piece of raw LaTeX.

    A Greek letter is given by its name.
    """

    text: str
    kind: Literal["identifier", "number", "name", "words", "raw"] = "identifier"

    @property
    def width(self) -> float:
        if self.kind == "identifier":
            return 0.62 if self.text not in "ijltf" else 0.42
        sizes = (0.36 if c in _NARROW else 0.85 if c in _WIDE else 0.54 for c in self.text)
        return sum(sizes) + (0.17 if self.kind == "name" else 0)


@dataclass(frozen=True)
class Operator(Box):
    r"""An operator or relation sign between or before formulas."""

    text: str
    kind: Literal["binary", "relation", "prefix", "large", "slash", "comma"] = "binary"
    breaks: bool = False

    @property
    def width(self) -> float:
        wide = {"implies": 2.3, "iff": 2.6}.get(self.text, 1.33)
        return {
            "binary": 1.22, "relation": wide, "prefix": 0.78,
            "large": 1.3, "slash": 0.5, "comma": 0.45,
        }[self.kind]  # fmt: skip

    @property
    def height(self) -> int:
        return 3 if self.kind == "large" else 0


@dataclass(frozen=True)
class Space(Box):
    """A horizontal space within a formula, with its width in em."""

    quads: float = 0.17
    breaks: bool = False

    @property
    def width(self) -> float:
        return self.quads


@dataclass(frozen=True)
class RowBox(Box):
    """A row: typeset boxes of formulas side by side."""

    parts: tuple[Box, ...]

    @cached_property
    def width(self) -> float:
        return sum(part.width for part in self.parts)

    @cached_property
    def height(self) -> int:
        return max((part.height for part in self.parts), default=0)


def _width_of_limits_beside_signs(box: Box) -> float:
    """Return the width that a formula gains in a fraction, where limits stand beside sum signs."""
    match box:
        case ScriptBox(base=Operator(text="sum"), below=below, above=above):
            return max((s.width * _SCRIPT for s in (below, above) if s is not None), default=0.0)
        case ScriptBox(base=inside) | Root(inside) | BracketedBox(body=inside):
            return _width_of_limits_beside_signs(inside)
        case RowBox(parts):
            return sum(map(_width_of_limits_beside_signs, parts))
    return 0.0


@dataclass(frozen=True)
class Fraction(Box):
    """A fraction: a numerator above a denominator."""

    numerator: Box
    denominator: Box

    @cached_property
    def width(self) -> float:
        return (
            max(
                x.width + _width_of_limits_beside_signs(x)
                for x in (self.numerator, self.denominator)
            )
            + 0.25
        )

    @cached_property
    def height(self) -> int:
        return 2 if max(self.numerator.height, self.denominator.height) < 2 else 3


@dataclass(frozen=True)
class ScriptBox(Box):
    """A box with a subscript and a superscript; for a large operator, with limits."""

    base: Box
    below: Box | None = None
    above: Box | None = None

    @cached_property
    def width(self) -> float:
        scripts = [s.width * _SCRIPT for s in (self.below, self.above) if s is not None]
        if isinstance(self.base, Operator) and self.base.text == "sum":
            return max([self.base.width, *scripts])
        return self.base.width + max(scripts, default=0)

    @cached_property
    def height(self) -> int:
        return self.base.height


@dataclass(frozen=True)
class Root(Box):
    """The square root of a box."""

    radicand: Box

    @cached_property
    def width(self) -> float:
        return self.radicand.width + 0.9

    @cached_property
    def height(self) -> int:
        return self.radicand.height


@dataclass(frozen=True)
class Delimiter(Box):
    """A single bracket of a pair that a line break separates."""

    text: str
    size: int
    side: Literal["open", "close"]

    @cached_property
    def width(self) -> float:
        return (0.4, 0.48, 0.62, 0.75)[self.size]

    @cached_property
    def height(self) -> int:
        return max(1, self.size)


@dataclass(frozen=True)
class BracketedBox(Box):
    """A box between brackets of matching size; lines may break inside, or start with it."""

    opening: str
    body: Box
    closing: str
    breaks: bool = True
    starts_line: bool = False

    @cached_property
    def width(self) -> float:
        return self.body.width + self.opening_delimiter.width + self.closing_delimiter.width

    @property
    def size(self) -> int:
        """Size of the brackets, from 0 (normal) to 3 (largest)."""
        return self.body.height

    @property
    def opening_delimiter(self) -> Delimiter:
        """The opening delimiter of this bracketed box, at the box's size."""
        return Delimiter(self.opening, self.size, "open")

    @property
    def closing_delimiter(self) -> Delimiter:
        """The closing delimiter of this bracketed box, at the box's size."""
        return Delimiter(self.closing, self.size, "close")

    @cached_property
    def height(self) -> int:
        return max(1, self.body.height)


@dataclass(frozen=True)
class MatrixBox(Box):
    """A typeset matrix, made of one box for each entry."""

    rows: tuple[tuple[Box, ...], ...]

    @cached_property
    def width(self) -> float:
        columns = zip(*self.rows, strict=True)
        result: float = sum(max(box.width for box in column) + 1.0 for column in columns) + 0.6
        return result

    @cached_property
    def height(self) -> int:
        return 3


def number_box(text: object) -> Atom:
    """Return the typeset box of a number's text."""
    return Atom(str(text), "number")


def row_of_boxes(parts: Iterable[Box]) -> Box:
    """Return one row of the given typeset boxes; nested rows are flattened."""
    flat: list[Box] = []
    for part in parts:
        flat += part.parts if isinstance(part, RowBox) else (part,)
    return flat[0] if len(flat) == 1 else RowBox(tuple(flat))


COMMA = Operator(",", "comma")


def comma_separated_row(boxes: Iterable[Box], *after: Box) -> Box:
    """Return one row of the given typeset boxes, with a comma and `after` it between them."""
    parts: list[Box] = []
    for box in boxes:
        parts += [COMMA, *after, box] if parts else [box]
    return row_of_boxes(parts)


def relation_box(left: Box, sign: str, right: Box, breaks: bool = False) -> Box:
    """Return the typeset box of a relation, before whose sign a line may break."""
    return row_of_boxes([left, Operator(sign, "relation", breaks), right])


# What a line costs, what it costs to break inside of brackets, once for each pair, and how much
# unused room weighs.
_LINE, _INSIDE, _RAGGED = 1.0, 0.45, 0.5
_OVERFULL = 1000.0
# How far continuation lines stand to the right, and how much further for each bracket, in em.
_INDENT, _DEEPER = 2.0, 1.0
_MOST_INDENT = 5.0
# Breaking between factors, or after a comma, is as bad as breaking inside of so many brackets.
_RELUCTANT = 2
# And inside of one that is squared, which is done only if it is wider than a line by itself.
_RAISED = 4
_TIMES = Operator("cdot")


@dataclass(frozen=True)
class FormulaLine:
    """One line of a formula that is broken into lines, with its indent."""

    box: Box
    indent: float = 0.0


@dataclass(frozen=True)
class _FormulaPiece:
    """A piece of a formula, its depth of brackets, and whether a line may start with it."""

    box: Box
    depth: int
    breaks: bool


def break_lines(box: Box, width: float) -> list[FormulaLine]:
    """Break a formula into lines of at most a given width in em, few and where it reads best."""
    if box.width <= width:
        return [FormulaLine(box)]
    pieces = _split_into_pieces(box, 0)
    starts = [0, *(i for i, piece in enumerate(pieces) if piece.breaks and i > 0), len(pieces)]
    lengths = [0.0]
    for piece in pieces:
        lengths.append(lengths[-1] + piece.box.width)
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(starts)):
        options = []
        for begin in range(end):
            used = (
                _line_indent(pieces, starts[begin]) + lengths[starts[end]] - lengths[starts[begin]]
            )
            used += sum(sign.width for sign in _times_sign_at_line_start(pieces, starts[begin]))
            cost = best[begin][0] + _LINE + _INSIDE * _break_depth(pieces, starts[begin])
            if used > width:
                cost += _OVERFULL * (used - width)
            elif end < len(starts) - 1:
                cost += _RAGGED * ((width - used) / width) ** 2
            options.append((cost, begin))
        best.append(min(options))
    ends = []
    place = len(starts) - 1
    while place > 0:
        ends.append(place)
        place = best[place][1]
    lines, begin = [], 0
    for end in reversed(ends):
        chosen = pieces[starts[begin] : starts[end]]
        parts = [*_times_sign_at_line_start(pieces, starts[begin]), *(p.box for p in chosen)]
        lines.append(FormulaLine(row_of_boxes(parts), _line_indent(pieces, starts[begin])))
        begin = end
    return lines


def _times_sign_at_line_start(pieces: list[_FormulaPiece], at: int) -> list[Box]:
    """Return a list with a times sign if a line that starts at a given piece needs one, or []."""
    if not at or not isinstance(pieces[at].box, Space) or at + 1 == len(pieces):
        return []
    around = (pieces[at - 1].box, pieces[at + 1].box)
    return [] if any(isinstance(box, Operator) for box in around) else [_TIMES]


def _break_depth(pieces: list[_FormulaPiece], at: int) -> int:
    return pieces[at].depth if at else 0


def _line_indent(pieces: list[_FormulaPiece], at: int) -> float:
    return min(_INDENT + _DEEPER * pieces[at].depth, _MOST_INDENT) if at else 0.0


def _split_into_pieces(box: Box, depth: int) -> list[_FormulaPiece]:
    """Split a formula into pieces, at some of which a line may start."""
    match box:
        case RowBox(parts):
            return [piece for part in parts for piece in _split_into_pieces(part, depth)]
        case BracketedBox(breaks=True) if _has_possible_break(box.body):
            return [
                _FormulaPiece(box.opening_delimiter, depth, False),
                *_split_into_pieces(box.body, depth + 1),
                _FormulaPiece(box.closing_delimiter, depth, False),
            ]
        case ScriptBox(base=BracketedBox(breaks=True) as base) if _has_possible_break(base.body):
            *front, last = _split_into_pieces(base, depth + _RAISED)
            return [*front, replace(last, box=replace(box, base=last.box))]
        case Operator(breaks=True):
            return [_FormulaPiece(box, depth, True)]
        case Space(breaks=True):
            return [_FormulaPiece(box, depth + _RELUCTANT, True)]
        case BracketedBox(starts_line=True):
            return [_FormulaPiece(box, depth + _RELUCTANT, True)]
    return [_FormulaPiece(box, depth, False)]


def widest_unbreakable_width(box: Box) -> float:
    """Return the width in em of the widest part of a formula without a possible line break."""
    width = most = 0.0
    for piece in _split_into_pieces(box, 0):
        width = piece.box.width + (0.0 if piece.breaks else width)
        most = max(most, width)
    return most


def _has_possible_break(box: Box) -> bool:
    match box:
        case RowBox(parts):
            return any(_has_possible_break(part) for part in parts)
        case Operator(breaks=breaks) | Space(breaks=breaks):
            return breaks
        case BracketedBox(body=body, breaks=breaks):
            return breaks and _has_possible_break(body)
        case ScriptBox(base=BracketedBox() as base):
            return _has_possible_break(base)
    return False
