"""Formulas as boxes: what stands beside, above and below what, before it is LaTeX or MathML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Atom",
    "Box",
    "Delimiter",
    "Fence",
    "Fraction",
    "Grid",
    "Operator",
    "Root",
    "Row",
    "Script",
    "Space",
    "identifier",
    "name",
    "number",
    "row",
    "words",
]

# Estimates in em of the text font, from the widths of Computer Modern; they decide where lines
# break, and err on the wide side.
_SCRIPT = 0.72
_NARROW = set("ijltf.,'!|()[]1")
_WIDE = set("mwMW")


@dataclass(frozen=True)
class Box:
    """A formula, or a part of one."""

    @property
    def width(self) -> float:
        """How wide it is, about, in em."""
        raise NotImplementedError

    @property
    def height(self) -> int:
        """0 for a plain line, 1 with brackets in it, 2 with fractions, 3 beyond that."""
        return 0


@dataclass(frozen=True)
class Atom(Box):
    r"""A letter, a number, or the name of a function."""

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
    r"""A sign between or before formulas."""

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
    """A thin space, or a wider one."""

    quads: float = 0.17
    breaks: bool = False

    @property
    def width(self) -> float:
        return self.quads


@dataclass(frozen=True)
class Row(Box):
    """Boxes beside each other."""

    parts: tuple[Box, ...]

    @property
    def width(self) -> float:
        return sum(part.width for part in self.parts)

    @property
    def height(self) -> int:
        return max((part.height for part in self.parts), default=0)


def _limits_aside(box: Box) -> float:
    """By how much a formula is wider in a fraction, where the limits of sums stand beside them."""
    match box:
        case Script(base=Operator(text="sum"), below=below, above=above):
            return max((s.width * _SCRIPT for s in (below, above) if s is not None), default=0.0)
        case Script(base=inside) | Root(inside) | Fence(body=inside):
            return _limits_aside(inside)
        case Row(parts):
            return sum(map(_limits_aside, parts))
    return 0.0


@dataclass(frozen=True)
class Fraction(Box):
    """One box above another."""

    numerator: Box
    denominator: Box

    @property
    def width(self) -> float:
        return max(x.width + _limits_aside(x) for x in (self.numerator, self.denominator)) + 0.25

    @property
    def height(self) -> int:
        return 2 if max(self.numerator.height, self.denominator.height) < 2 else 3


@dataclass(frozen=True)
class Script(Box):
    """A box with another below or above to its right; or, of a large operator, below and above."""

    base: Box
    below: Box | None = None
    above: Box | None = None

    @property
    def width(self) -> float:
        scripts = [s.width * _SCRIPT for s in (self.below, self.above) if s is not None]
        if isinstance(self.base, Operator) and self.base.text == "sum":
            return max([self.base.width, *scripts])
        return self.base.width + max(scripts, default=0)

    @property
    def height(self) -> int:
        return self.base.height


@dataclass(frozen=True)
class Root(Box):
    """The square root of a box."""

    radicand: Box

    @property
    def width(self) -> float:
        return self.radicand.width + 0.9

    @property
    def height(self) -> int:
        return self.radicand.height


@dataclass(frozen=True)
class Delimiter(Box):
    """One bracket by itself, as line breaks leave it."""

    text: str
    size: int
    side: Literal["open", "close"]

    @property
    def width(self) -> float:
        return (0.4, 0.48, 0.62, 0.75)[self.size]

    @property
    def height(self) -> int:
        return max(1, self.size)


@dataclass(frozen=True)
class Fence(Box):
    """A box between brackets, whose size follows from what they hold."""

    opening: str
    body: Box
    closing: str
    breaks: bool = True

    @property
    def width(self) -> float:
        return self.body.width + self.opened.width + self.closed.width

    @property
    def size(self) -> int:
        """How large the brackets are: 0 for plain ones, up to 3."""
        return self.body.height

    @property
    def opened(self) -> Delimiter:
        """The bracket on the left."""
        return Delimiter(self.opening, self.size, "open")

    @property
    def closed(self) -> Delimiter:
        """The bracket on the right."""
        return Delimiter(self.closing, self.size, "close")

    @property
    def height(self) -> int:
        return max(1, self.body.height)


@dataclass(frozen=True)
class Grid(Box):
    """A matrix."""

    rows: tuple[tuple[Box, ...], ...]

    @property
    def width(self) -> float:
        columns = zip(*self.rows, strict=True)
        result: float = sum(max(box.width for box in column) + 1.0 for column in columns) + 0.6
        return result

    @property
    def height(self) -> int:
        return 3


def identifier(text: str) -> Atom:
    """A letter in italics, or a Greek one by its name."""
    return Atom(text)


def number(text: object) -> Atom:
    """Digits."""
    return Atom(str(text), "number")


def name(text: str) -> Atom:
    """The upright name of a function."""
    return Atom(text, "name")


def words(text: str) -> Atom:
    """A piece of prose within a formula, with the spaces around it."""
    return Atom(text, "words")


def row(parts: Iterable[Box]) -> Box:
    """Boxes beside each other; rows in it are taken apart."""
    flat: list[Box] = []
    for part in parts:
        flat += part.parts if isinstance(part, Row) else (part,)
    return flat[0] if len(flat) == 1 else Row(tuple(flat))
