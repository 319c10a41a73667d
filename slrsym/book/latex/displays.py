"""Lines of text and displayed formulas as LaTeX."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from slrsym.book.document import (
    AxiomReference,
    Citation,
    Display,
    Formula,
    Inline,
    Label,
    Link,
    Math,
    Raw,
    Reference,
    Text,
)
from slrsym.book.text import escaped
from slrsym.typeset import Box, Line, broken, to_latex
from slrsym.typeset.boxes import Operator, Row

__all__ = ["SIGNS", "TEXT_WIDTH", "Displays", "snippet"]

# The room for a displayed formula on the page that `preamble` lays out, in em.
TEXT_WIDTH = 36.0
# A left side that is wider than this stands in a line of its own.
_WIDE_LEFT = 14.0
# Also where what follows does not fit beside it, unless it is narrow.
_NARROW_LEFT = 5.0
_INDENT = 2.0

SIGNS = {"=": "=", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">"}


class Displays:
    r"""Writes paragraphs and displayed formulas."""

    def __init__(
        self,
        labels: Mapping[str, Label],
        linked: Collection[str] = (),
        axioms: Collection[str] = (),
        step_numbers: bool = True,
    ) -> None:
        self.labels = labels
        self.linked = frozenset(linked)
        self.axioms = frozenset(axioms)
        self.step_numbers = step_numbers

    def inline(self, parts: Iterable[Inline]) -> str:
        """Pieces of a paragraph."""
        return "".join(map(self.piece, parts))

    def piece(self, part: Inline) -> str:
        """A piece of a paragraph."""
        match part:
            case Text(text):
                return escaped(text)
            case Math(box) if _unbreakable(box) > TEXT_WIDTH - 6:
                shown = self.display(Display(Formula(box, None)))
                return f"\n{shown}\n"
            case Math(box):
                return f"${_small(to_latex(box))}$"
            case Raw(latex):
                return f"${latex}$"
            case Reference(id):
                if id in self.linked:
                    return rf"\cref{{{id}}}"
                label = self.labels.get(id)
                return escaped(str(label) if label else id).replace(" ", "~", 1)
            case AxiomReference(id):
                shown = escaped(id)
                return rf"\hyperref[axiom:{id}]{{{shown}}}" if id in self.axioms else shown
            case Citation(key, place):
                return rf"\cite[{escaped(place)}]{{{key}}}" if place else rf"\cite{{{key}}}"
        raise TypeError(f"no piece of a paragraph: {part!r}")

    def display(self, display: Display, width: float = TEXT_WIDTH) -> str:
        r"""A displayed formula or chain, as an ``align*`` environment."""
        rows = "\\\\\n".join(self._rows(display, width))
        return f"\\begin{{align*}}\n{rows}\n\\end{{align*}}"

    def _rows(self, display: Display, width: float) -> list[str]:
        start = display.start.box
        if not display.links:
            lines = broken(start, width)
            rows = [f"& {_line(line)}" for line in lines]
            return [*rows[:-1], rows[-1] + self.tag(display.label, display.why)]
        fits = all(link.formula.box.width <= width - start.width - 2.0 for link in display.links)
        beside = start.width <= (_WIDE_LEFT if fits else _NARROW_LEFT)
        if beside:
            room = width - start.width - 2.0
            rows = [f"{to_latex(start)}"]
        else:
            room = width - _INDENT - 2.0
            rows = [f"& {_line(line)}" for line in broken(start, width)]
        for place, link in enumerate(display.links):
            lines = broken(link.formula.box, room)
            sign = SIGNS[link.sign]
            before = "" if beside else r"\quad "
            made = [
                f"& {before}{sign} {to_latex(lines[0].box)}",
                *(f"& {before}{_line(line)}" for line in lines[1:]),
            ]
            made[-1] += self.tag(link.label, link.why)
            if beside and place == 0:
                rows[0] += made.pop(0)
            rows += made
        return rows

    def tag(self, label: str, why: tuple[Inline, ...]) -> str:
        """The justification at the right of a line."""
        if not why:
            return ""
        number = label.rsplit(".", 1)[-1]
        shown = number if self.step_numbers and number.isdigit() else ""
        return rf" \slrwhy{{{shown}}}{{{self.inline(why)}}}"


def _unbreakable(box: Box) -> float:
    """The width of the longest part of a list, after each of whose commas a line may end."""
    if not isinstance(box, Row):
        return box.width
    longest = width = 0.0
    for part in box.parts:
        if isinstance(part, Operator) and part.kind == "comma":
            longest, width = max(longest, width), 0.0
        elif isinstance(part, Row):
            longest, width = max(longest, width + _unbreakable(part)), _unbreakable(part)
        else:
            width += part.width
    return max(longest, width)


def _small(latex: str) -> str:
    """A formula within the text: small matrices, and lists that may be broken."""
    if "pmatrix" in latex:
        latex = latex.replace(r"\begin{pmatrix}", r"\bigl(\begin{smallmatrix}")
        latex = latex.replace(r"\end{pmatrix}", r"\end{smallmatrix}\bigr)")
        latex = latex.replace(r"\biggl", r"\bigl").replace(r"\biggr", r"\bigr")
    result, depth = "", 0
    for place, character in enumerate(latex):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        listed = character == "," and depth == 0 and latex[place - 1] != "\\"
        result += r",\allowbreak" if listed else character
    return result


def _line(line: Line) -> str:
    text = to_latex(line.box)
    if text.startswith(("+", "-", "=", "\\cdot")) or line.indent:
        text = "{}" + text
    return f"\\hspace{{{line.indent:g}em}}{text}" if line.indent else text


def snippet(display: Display, width: float = TEXT_WIDTH) -> str:
    """A displayed formula alone, for pasting."""
    links = tuple(Link(link.sign, link.formula) for link in display.links)
    boxes: list[Box] = [f.box for f in display.formulas]
    if len(links) <= 1 and sum(box.width for box in boxes) + 2 <= width:
        parts = [to_latex(boxes[0])]
        for link in links:
            parts += [SIGNS[link.sign], to_latex(link.formula.box)]
        return " ".join(parts)
    rows = Displays({})._rows(Display(display.start, links), width)
    return "\\begin{aligned}\n" + "\\\\\n".join(rows) + "\n\\end{aligned}"
