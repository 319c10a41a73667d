"""Blocks of a document as HTML with MathML, for the site and for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from slrsym.documents.export.document import (
    AxiomReference,
    Block,
    Citation,
    ClaimEntry,
    ClaimNumberAndName,
    ClaimReference,
    Display,
    DisplayedLink,
    HeadedBlocks,
    Inline,
    LatexMath,
    Math,
    NotationReference,
    Paragraph,
    Text,
)
from slrsym.documents.export.rule_entries import rule_id_from_name
from slrsym.documents.typeset import Box, break_lines, to_mathml
from slrsym.documents.typeset.boxes import Operator, RowBox, relation_box, row_of_boxes
from slrsym.documents.typeset.latex_and_mathml import latex_to_mathml
from slrsym.prover.claims import step_name
from slrsym.prover.statements.expressions import expression_text

# The room for a displayed formula on a desk and on a phone, in em of the formula. `style.css` shows
# the one or the other.
WIDE, NARROW = 44.0, 18.0
_MOST_LINES = 15
_NARROW_RIGHT = 2.0

# How many characters of a formula fit on a line of a phone for certain.
_LONG = 24
_TAG = re.compile(r"<[^>]*>")
_LINK = re.compile(r"</?a\b[^>]*>")
# What stands between backticks.
_CODE = re.compile(r"`+([^`]+)`+")
# A number on both sides.
_SAME = re.compile(r": (\S+) and \1$")
_GLUE = "</span>"
_MARKS = re.compile(r"[.,;:)]+")
_SYMPY = {"=": "Eq", "<=": "Le", "<": "Lt", ">=": "Ge", ">": "Gt"}
_SIGNS = {"=": "=", "<=": "le", "<": "<", ">=": "ge", ">": ">"}


# Status, sign and meaning, in the order of the legend, which is from best to worst: the map draws
# an idea by the worst status in it. The sign is for those who see no colours.
STATUSES = {
    "proved": ("✓", "every step checked, and everything it rests on"),
    "certified": ("▣", "a rigorous enclosure on a stated box of parameters"),
    "empirical": ("≈", "no proof: an experiment with counts, which contradicts nothing"),
    "cited": ("❝", "its steps checked, but for a conclusion that is cited"),
    "conditional": ("◐", "its own steps checked; rests on what is not proved: a claim, or a rule"),
    "unproved": ("○", "there is no proof, and nothing speaks against it"),
    "unverified": ("?", "not checked"),
    "failed": ("✗", "a step was refused, or is wrong"),
}


def status_badge_html(status: str) -> str:
    """Return the HTML of a claim's status as a coloured word."""
    sign = STATUSES.get(status, STATUSES["unverified"])[0]
    shown = escape(status)
    return f'<span class="status {shown}"><span aria-hidden="true">{sign}</span> {shown}</span>'


def status_icon_html(status: str) -> str:
    """Return the HTML of a claim's status as a sign, which screen readers read as the word."""
    mark = STATUSES.get(status, STATUSES["unverified"])[0]
    shown = escape(status)
    named = f'role="img" aria-label="{shown}" title="{shown}"'
    return f'<span class="status {shown}" {named}>{mark}</span>'


def box_of_display(display: Display) -> Box:
    """Return the typeset box of a displayed chain, with all its relations in one row."""
    row = display.start.box
    for link in display.links:
        # What is no more than "= 0" needs no line of its own.
        right = link.formula.box
        row = relation_box(row, _SIGNS[link.sign], right, breaks=right.width > _NARROW_RIGHT)
    return row


def box_of_link(link: DisplayedLink) -> Box:
    """Return the typeset box of one relation of a chain: its sign and right side."""
    return row_of_boxes([Operator(_SIGNS[link.sign], "relation"), link.formula.box])


def _within_a_line(box: Box) -> str:
    element = to_mathml(box, display=False)
    # Within a line nothing is broken.
    kind = "wide" if box.width > NARROW else "whole"
    return f'<span class="{kind}">{element}{_GLUE}'


def _listed(box: Box) -> list[Box]:
    """Return a formula's boxes, split after commas if it is too wide for a phone's screen."""
    if box.width <= NARROW or not isinstance(box, RowBox):
        return [box]
    found: list[list[Box]] = [[]]
    for part in box.parts:
        found[-1].append(part)
        if isinstance(part, Operator) and part.kind == "comma":
            found.append([])
    return [row_of_boxes(parts) for parts in found if parts]


def axiom_file_stem(id: str) -> str:
    """Return the file name of an axiom's page."""
    return re.sub(r"[^a-z0-9]+", "-", id.lower()).strip("-")


def _agreement(check: Any) -> str:
    if check is None or check.digits is None:
        return ""
    return f' <span class="digits">{check.digits} digits</span>'


class HtmlRenderer:
    """Renderer of documents as HTML."""

    def __init__(
        self,
        labels: Mapping[str, ClaimNumberAndName],
        pages: Mapping[str, str] | None = None,
        axioms: str = "",
        claim: ClaimEntry | None = None,
        rules: str = "",
        sources: Mapping[Path, str] | None = None,
        root: str = "",
    ) -> None:
        self.root = root
        self.labels = labels
        self.pages = dict(pages or {})
        self.axioms = axioms
        self.claim = claim
        self.rules = rules
        self.sources = dict(sources or {})
        self.ids: set[str] = set()

    # -- within a line -------------------------------------------------------------------------

    def inline(self, parts: Iterable[Inline]) -> str:
        """Return the HTML of pieces of a paragraph."""
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
            case LatexMath(latex):
                element = f"<math>{latex_to_mathml(latex)}</math>"
                kind = "wide" if len(_TAG.sub("", element)) > _LONG else "whole"
                return f'<span class="{kind}">{element}{_GLUE}'
            case ClaimReference(id):
                return self.reference(id)
            case AxiomReference(id):
                shown = escape(id)
                return (
                    f'<a href="{self.axioms}{axiom_file_stem(id)}.html">{shown}</a>'
                    if self.axioms
                    else shown
                )
            case NotationReference():
                return f'<a href="{self.root}notation.html">Notation</a>'
            case Citation(key, place):
                return escape(", ".join(filter(None, (key, place))), quote=False)
        raise TypeError(f"no piece of a paragraph: {part!r}")

    def reference(self, id: str) -> str:
        """Return the HTML of a claim's name, with a link to its page if there is one."""
        label = self.labels.get(id)
        name = escape(str(label) if label else id).replace(" ", "\u00a0")
        if id not in self.pages:
            return name
        more = "" if str(label) == id else f' title="{escape(id)}"'
        return f'<a href="{escape(self.pages[id])}"{more}>{name}</a>'

    # -- blocks --------------------------------------------------------------------------------

    def blocks(self, blocks: Iterable[Block]) -> str:
        """Return the HTML of a sequence of blocks."""
        return "\n".join(map(self._block, blocks))

    def _block(self, block: Block) -> str:
        match block:
            case Paragraph(parts):
                return f"<p>{self.inline(parts)}</p>"
            case Display():
                return self.display(block)
            case HeadedBlocks(heading, inside):
                return (
                    f'<details class="group" open><summary>{self.inline(heading)}</summary>\n'
                    f"{self.blocks(inside)}\n</details>"
                )
        raise TypeError(f"no block: {block!r}")

    def display(self, display: Display) -> str:
        """Return the HTML of a displayed formula, or of a chain whose steps can be folded."""
        links = display.links
        if not any(link.why for link in links):
            if not display.why:
                return self.formula(box_of_display(display))
            told = expression_text(display.start.shown)
            return self._step(display.label, display.why, self._new(display), told)
        sides = [display.start.shown, *(link.formula.shown for link in links)]
        said = [
            f"{_SYMPY[link.sign]}({expression_text(left)}, {expression_text(right)})"
            for link, left, right in zip(links, sides, sides[1:], strict=False)
        ]
        if not any(link.why for link in links[:-1]):
            told = f"And({', '.join(said)})" if len(said) > 1 else said[0]
            return self._step(links[-1].label, links[-1].why, self._new(display), told)
        steps = [self._link(link, text) for link, text in zip(links, said, strict=True)]
        start = self.formula(display.start.box)
        return "\n".join(['<div class="chain">', start, *steps, "</div>"])

    def _new(self, display: Display) -> str:
        """Return the HTML of a step's formula; empty if it repeats the statement of its claim."""
        if self.claim and display.is_repeat_of(self.claim.statement):
            return ""
        return self.formula(box_of_display(display))

    def _link(self, link: DisplayedLink, said: str) -> str:
        return self._step(link.label, link.why, self.formula(box_of_link(link)), said)

    def _step(self, label: str, why: tuple[Inline, ...], shown: str, said: str) -> str:
        """Return the HTML of one step of a proof, with its justification below."""
        if not label:
            return shown
        name = step_name(self.claim.id, label) if self.claim else label
        check = self.claim.checks.get(label) if self.claim else None
        reason = self.inline(why)
        # What folds is a button itself: links of the reason stand below.
        return (
            f'<details class="step" id="{self._id(name)}" open><summary>'
            f'<span class="number">{name}</span> '
            f'<span class="why">{_LINK.sub("", reason)}</span>{_agreement(check)}</summary>\n'
            f"{shown}{self._more(check, reason, said)}\n</details>"
        )

    def _more(self, check: Any, reason: str, said: str) -> str:
        """Return the HTML of a step's details: rule, source, random point, text for SymPy."""
        parts = [f"by {reason}"] if _LINK.search(reason) else []
        if check is not None and self.claim is not None:
            rule, (file, line) = rule_id_from_name(check.rule), self.claim.place
            links = []
            if rule and self.rules:
                links.append(f'rule <a href="{self.rules}{rule}.html">{escape(check.rule)}</a>')
            if file in self.sources:
                place = f"{file.name}:{line}" if file else "source"
                links.append(f'<a href="{self.sources[file]}#L{line}">{escape(place)}</a>')
            parts += [" · ".join(links)] if links else []
            if check.example:
                example = _SAME.sub(r": both sides \1", check.example)
                parts.append(escape(example, quote=False))
            parts.append(f"<code>{escape(said, quote=False)}</code>")
        told = "".join(f"<p>{part}</p>" for part in parts)
        return f'\n<details class="more"><summary>more</summary>{told}</details>' if told else ""

    def _id(self, stem: str) -> str:
        name, count = stem, 1
        while name in self.ids:
            count += 1
            name = f"{stem}-{count}"
        self.ids.add(name)
        return name

    def formula(self, box: Box) -> str:
        """Return the HTML of a formula, with one layout for wide and one for narrow screens."""
        desk = to_mathml(break_lines(box, WIDE), annotated=True)
        if box.width <= NARROW:
            return _framed(desk, "formula")
        narrow = break_lines(box, NARROW)
        # What takes more than a screen on a phone is not written twice: it scrolls there.
        if len(narrow) == 1 or len(narrow) > _MOST_LINES:
            return _framed(desk, "formula")
        return _framed(desk, "formula desk") + _framed(to_mathml(narrow), "formula phone")


# An operator between others is infix, as browsers know; where a line begins with it, they do not.
_INFIX = re.compile(r'(</\w+>|/>)<mo form="infix">([^<]+)</mo>(?=<(?!/))')


def _framed(element: str, kind: str) -> str:
    shorter = _INFIX.sub(r"\1<mo>\2</mo>", element)
    return f'<div class="{kind}">{shorter}</div>'


def escape_html(said: str) -> str:
    """Escape plain text for HTML."""
    return escape(said, quote=False)
