"""Lines of text, blocks and formulas as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape

from slrsym.book.document import (
    AxiomReference,
    Block,
    Citation,
    Display,
    Group,
    Inline,
    Label,
    Link,
    Math,
    Paragraph,
    Raw,
    Reference,
    Text,
)
from slrsym.typeset import Box, broken, to_mathml
from slrsym.typeset.boxes import Operator, Row, row
from slrsym.typeset.mathml import converted

__all__ = ["NARROW", "STATUSES", "WIDE", "Renderer", "badge", "relation"]

# The room for a displayed formula on a desk and on a phone, in em of the formula. `style.css` shows
# the one or the other.
WIDE, NARROW = 44.0, 18.0

# How many characters of a formula fit on a line of a phone for certain.
_LONG = 24
_TAG = re.compile(r"<[^>]*>")
# What stands between backticks.
_CODE = re.compile(r"`+([^`]+)`+")
_GLUE = "</span>"
_MARKS = re.compile(r"[.,;:)]+")
_SIGNS = {"=": "=", "<=": "le", "<": "<", ">=": "ge", ">": ">"}


# Status, sign and meaning, in the order of the legend; the sign is for those who see no colours.
STATUSES = {
    "proved": ("✓", "every step checked, and everything it rests on"),
    "certified": ("▣", "a rigorous enclosure on a stated box of parameters"),
    "tested": ("≈", "no proof: an experiment with counts, which contradicts nothing"),
    "cited": ("❝", "its steps checked, but for a conclusion that is cited"),
    "open": ("○", "its own steps checked, but it rests on a claim that is not proved"),
    "failed": ("✗", "a step was refused, or there is no proof"),
    "unverified": ("?", "not checked"),
}


def badge(status: str) -> str:
    """A status as a coloured word."""
    sign = STATUSES.get(status, STATUSES["unverified"])[0]
    shown = escape(status)
    return f'<span class="status {shown}"><span aria-hidden="true">{sign}</span> {shown}</span>'


def relation(display: Display) -> Box:
    """A display as one formula."""
    parts: list[Box] = [display.start.box]
    for link in display.links:
        parts += [Operator(_SIGNS[link.sign], "relation", breaks=True), link.formula.box]
    return row(parts)


def _within_a_line(box: Box) -> str:
    element = to_mathml(box, display=False, annotated=True)
    # Within a line nothing is broken.
    kind = "wide" if box.width > NARROW else "whole"
    return f'<span class="{kind}">{element}{_GLUE}'


def _listed(box: Box) -> list[Box]:
    """A list that is too long for a phone, in parts that end in commas; else the box itself."""
    if box.width <= NARROW or not isinstance(box, Row):
        return [box]
    found: list[list[Box]] = [[]]
    for part in _flat(box):
        found[-1].append(part)
        if isinstance(part, Operator) and part.kind == "comma":
            found.append([])
    return [row(parts) for parts in found if parts]


def _flat(box: Row) -> list[Box]:
    return [x for part in box.parts for x in (_flat(part) if isinstance(part, Row) else [part])]


class Renderer:
    """Writes HTML."""

    def __init__(
        self,
        labels: Mapping[str, Label],
        pages: Mapping[str, str] | None = None,
        axioms: str = "",
        digits: Mapping[str, int | None] | None = None,
    ) -> None:
        self.labels = labels
        self.pages = dict(pages or {})
        self.axioms = axioms
        self.digits = dict(digits or {})
        self._ids: set[str] = set()

    # -- within a line -------------------------------------------------------------------------

    def inline(self, parts: Iterable[Inline]) -> str:
        """Pieces of a paragraph."""
        result = ""
        parts = list(parts)
        for place, part in enumerate(parts):
            shown = self._piece(part)
            if isinstance(part, Text) and place and not isinstance(parts[place - 1], Text):
                # No line begins with a comma.
                mark = _MARKS.match(shown)
                if mark and result.endswith(_GLUE):
                    result = f"{result.removesuffix(_GLUE)}{mark[0]}{_GLUE}"
                    shown = shown[mark.end() :]
            result += shown
        return result

    def _piece(self, part: Inline) -> str:
        match part:
            case Text(text):
                return _CODE.sub(r"<code>\1</code>", escape(text, quote=False))
            case Math(box):
                return " ".join(map(_within_a_line, _listed(box)))
            case Raw(latex):
                element = f"<math>{converted(latex)}</math>"
                kind = "wide" if len(_TAG.sub("", element)) > _LONG else "whole"
                return f'<span class="{kind}">{element}{_GLUE}'
            case Reference(id):
                return self.reference(id)
            case AxiomReference(id):
                shown = escape(id)
                return f'<a href="{self.axioms}#{shown}">{shown}</a>' if self.axioms else shown
            case Citation(key, place):
                return escape(", ".join(filter(None, (key, place))), quote=False)
        raise TypeError(f"no piece of a paragraph: {part!r}")

    def reference(self, id: str) -> str:
        """A claim by its name, with a link to its page if it has one."""
        label = self.labels.get(id)
        name = escape(str(label) if label else id).replace(" ", "\u00a0")
        if id not in self.pages:
            return name
        return f'<a href="{escape(self.pages[id])}" title="{escape(id)}">{name}</a>'

    # -- blocks --------------------------------------------------------------------------------

    def blocks(self, blocks: Iterable[Block]) -> str:
        """Blocks below each other."""
        return "\n".join(map(self._block, blocks))

    def _block(self, block: Block) -> str:
        match block:
            case Paragraph(parts):
                return f"<p>{self.inline(parts)}</p>"
            case Display():
                return self.display(block)
            case Group(heading, inside):
                return (
                    f'<details class="group" open><summary>{self.inline(heading)}</summary>\n'
                    f"{self.blocks(inside)}\n</details>"
                )
        raise TypeError(f"no block: {block!r}")

    def display(self, display: Display) -> str:
        """A displayed formula, or a chain whose steps can be folded."""
        links = display.links
        if not any(link.why for link in links):
            shown = self.formula(relation(display))
            return self._step(display.label, display.why, shown) if display.why else shown
        if len(links) == 1:
            return self._step(links[0].label, links[0].why, self.formula(relation(display)))
        steps = [self._link(link) for link in links]
        start = self.formula(display.start.box)
        return "\n".join(['<div class="chain">', start, *steps, "</div>"])

    def _link(self, link: Link) -> str:
        sign = Operator(_SIGNS[link.sign], "relation")
        return self._step(link.label, link.why, self.formula(row([sign, link.formula.box])))

    def _step(self, label: str, why: tuple[Inline, ...], shown: str) -> str:
        """What one step of the proof says, below the reason for it."""
        if not label:
            return shown
        number = label.rsplit(".", 1)[-1]
        counted = f'<span class="number">{number}</span> ' if number.isdigit() else ""
        return (
            f'<details class="step" id="{self._id(label)}" open><summary>{counted}'
            f'<span class="why">{self.inline(why)}</span>{self._agreement(label)}</summary>\n'
            f"{shown}\n</details>"
        )

    def _id(self, label: str) -> str:
        stem = "step-" + re.sub(r"[^A-Za-z0-9.]+", "-", label)
        name, count = stem, 1
        while name in self._ids:
            count += 1
            name = f"{stem}-{count}"
        self._ids.add(name)
        return name

    def _agreement(self, label: str) -> str:
        digits = self.digits.get(label)
        if digits is None:
            return ""
        told = f"both sides agree to {digits} digits at random points"
        return f' <span class="digits" title="{told}">{digits} digits</span>'

    def formula(self, box: Box) -> str:
        """A displayed formula, in lines that fit on a desk, and in others that fit on a phone."""
        wide = broken(box, WIDE)
        if box.width <= NARROW:
            return _framed(to_mathml(wide, annotated=True), "formula")
        narrow = broken(box, NARROW)
        both = (to_mathml(wide, annotated=True), to_mathml(narrow, annotated=True))
        if len(narrow) == 1:
            return _framed(both[0], "formula")
        return _framed(both[0], "formula desk") + _framed(both[1], "formula phone")


def _framed(element: str, kind: str) -> str:
    return f'<div class="{kind}">{element}</div>'
