"""A document as a static site: HTML, MathML and SVG, with nothing from elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from slrsym.book.document import (
    AxiomReference,
    Block,
    Citation,
    Display,
    Document,
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
from slrsym.book.errata import LEAD
from slrsym.book.graph import laid_out, routed
from slrsym.book.prose import inline_text
from slrsym.claims.names import step_name
from slrsym.search.axioms import axiom
from slrsym.typeset import Box, broken, to_mathml
from slrsym.typeset.boxes import Operator, Row, row
from slrsym.typeset.writers import converted

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
        claim: str = "",
    ) -> None:
        self.labels = labels
        self.pages = dict(pages or {})
        self.axioms = axioms
        self.digits = dict(digits or {})
        self.claim = claim
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
        name = step_name(self.claim, label) if self.claim else label
        return (
            f'<details class="step" id="{self._id(name)}" open><summary>'
            f'<span class="number">{name}</span> '
            f'<span class="why">{self.inline(why)}</span>{self._agreement(label)}</summary>\n'
            f"{shown}\n</details>"
        )

    def _id(self, stem: str) -> str:
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


_NODE_WIDTH, _NODE_HEIGHT = 120.0, 34.0
_COLUMN, _ROW = 140.0, 72.0
_MARGIN = 8.0
# How far arrows keep from nodes, and from each other beside them.
_CLEAR, _BESIDE = 3.0, 3.5
# How high letters are, and how far lines are apart. A letter is about so many times as wide as
# it is high; what is longer than a line goes on in a second one.
_FONT, _LINE, _LETTER = 12.0, 14.0, 0.57


def picture(document: Document, pages: Mapping[str, str], columns: int = 8) -> str:
    """The claims of a document and the arrows between them."""
    graph = laid_out({claim.id: claim.depends for claim in document.claims}, columns)
    claims = {claim.id: claim for claim in document.claims}
    width = graph.columns * _COLUMN + 2 * _MARGIN
    height = max(graph.rows - 1, 0) * _ROW + _NODE_HEIGHT + 2 * _MARGIN
    places = {
        node.id: (
            _MARGIN + node.column * _COLUMN,
            _MARGIN + node.row * _ROW + _NODE_HEIGHT / 2,
        )
        for node in graph.nodes
    }
    ways = routed(graph, places, _NODE_WIDTH / 2 + _CLEAR, (_CLEAR, width - _CLEAR), _BESIDE)
    edges = "\n".join(_edge(one, other, places, ways[one, other]) for one, other in graph.edges)
    nodes = []
    for node in graph.nodes:
        claim = claims[node.id]
        x, y = places[node.id]
        name = str(claim.label)
        sign = STATUSES.get(claim.status, STATUSES["unverified"])[0]
        mark = "" if claim.status == "proved" else f"{sign} "
        told = escape(f"{claim.label}, {claim.id}: {claim.status}", quote=True)
        nodes.append(
            f'<a href="{escape(pages[node.id])}" class="node {escape(claim.status)}" '
            f'data-id="{node.id}" aria-label="{told}">'
            f"<title>{told}</title>"
            f'<rect x="{x - _NODE_WIDTH / 2:.1f}" y="{y - _NODE_HEIGHT / 2:.1f}" '
            f'width="{_NODE_WIDTH:g}" height="{_NODE_HEIGHT:g}" rx="5"/>'
            f"{_text(mark + name, x, y)}</a>"
        )
    shown = "\n".join(nodes)
    return (
        f'<svg class="graph" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="group" aria-labelledby="graph-title graph-text">\n'
        f'<title id="graph-title">Dependency graph</title>\n'
        f'<desc id="graph-text">{len(nodes)} claims, {len(graph.edges)} arrows, each from a claim '
        f"to one that uses it. The ledger below lists the same claims.</desc>\n"
        f'<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0.8 8 4 0 7.2z"/></marker></defs>\n'
        f'<g class="edges" aria-hidden="true">\n{edges}\n</g>\n{shown}\n</svg>'
    )


def _text(name: str, x: float, y: float) -> str:
    """A name in one line or two, broken where it reads best, and as large as fits."""
    lines = [name]
    if _LETTER * _FONT * len(name) > _NODE_WIDTH - 8 and re.search(r"[- ]", name):
        cuts = [match.end() for match in re.finditer(r"[- ]", name)]
        cut = min(cuts, key=lambda c: max(c, len(name) - c))
        lines = [name[:cut], name[cut:]]
    size = min(_FONT, (_NODE_WIDTH - 8) / (_LETTER * max(map(len, lines))))
    top = y - _LINE * (len(lines) - 1) / 2
    spans = "".join(
        f'<tspan x="{x:.1f}" y="{top + _LINE * place:.1f}">{escape(line)}</tspan>'
        for place, line in enumerate(lines)
    )
    return f'<text font-size="{size:.1f}">{spans}</text>'


def _edge(
    one: str,
    other: str,
    places: Mapping[str, tuple[float, float]],
    way: Sequence[tuple[float, float]],
) -> str:
    half = _NODE_HEIGHT / 2
    x, y = places[one]
    y += half
    path = f"M{x:.1f} {y:.1f}"
    for right, middle in way:
        path += _bend(x, y, right, middle - half) + f"V{middle + half:.1f}"
        x, y = right, middle + half
    right, below = places[other]
    path += _bend(x, y, right, below - half - 1)
    ends = f'data-from="{one}" data-to="{other}"'
    return f'<path {ends} d="{path}" marker-end="url(#arrow)"/>'


def _bend(x: float, y: float, right: float, below: float) -> str:
    middle = (y + below) / 2
    return f"C{x:.1f} {middle:.1f} {right:.1f} {middle:.1f} {right:.1f} {below:.1f}"


MAIN = "index.html"
DEFAULT_TITLE = "Derivations, as they are checked"
_ASSETS = ("style.css", "site.js")


def _escaped(said: str) -> str:
    return escape(said, quote=False)


def _reference(id: str, show: Renderer) -> str:
    return show.reference(id)


def _environment() -> Environment:
    # What renderers write is HTML already; the filter text is for all else.
    made = Environment(
        loader=PackageLoader("slrsym.book"),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )
    made.filters |= {"text": _escaped, "reference": _reference}
    made.globals |= {"axiom": axiom, "badge": badge, "inline_text": inline_text}
    return made


def site_files(document: Document, title: str = DEFAULT_TITLE) -> dict[str, str]:
    """The files of a static site."""
    claims = document.claims
    from_front = {claim.id: f"claims/{claim.id}.html" for claim in claims}
    from_claims = {claim.id: f"{claim.id}.html" for claim in claims}
    parts = [("Ledger", f"{MAIN}#ledger")]
    parts += [("Axioms", "axioms.html")] if document.axioms else []
    parts += [("Notation", "notation.html")] if document.notation else []
    parts += [("Errata", "errata.html")] if document.errata else []
    environment = _environment()
    front = Renderer(document.labels, from_front)

    def made(template: str, heading: str, show: Renderer, root: str = "", **inside: Any) -> str:
        around = {"heading": heading, "site": title, "root": root, "parts": parts}
        return environment.get_template(template).render(
            document=document, show=show, **around, **inside
        )

    package = files(__package__) / "templates"
    pages = {name: (package / name).read_text(encoding="utf-8") for name in _ASSETS}
    pages[MAIN] = made(
        "front.html", title, front, statuses=STATUSES, picture=picture(document, from_front),
        counts=Counter(claim.status for claim in claims),
    )  # fmt: skip
    if document.axioms:
        pages["axioms.html"] = made("axioms.html", "Axioms", front)
    if document.notation:
        pages["notation.html"] = made("notation.html", "Notation", Renderer(document.labels))
    if document.errata:
        pages["errata.html"] = made("errata.html", "Errata and remarks", front, lead=LEAD)
    known = {claim.id: claim for claim in claims}
    for place, claim in enumerate(claims):
        axioms = "../axioms.html" if document.axioms else ""
        pages[from_front[claim.id]] = made(
            "claim.html",
            str(claim.label),
            Renderer(document.labels, from_claims, axioms, claim.agreement, claim.id),
            "../",
            claim=claim,
            known=known,
            users=[other.id for other in claims if claim.id in other.depends],
            axioms=[entry for entry in document.axioms if entry.id in claim.axioms],
            before=claims[place - 1] if place else None,
            after=claims[place + 1] if place + 1 < len(claims) else None,
        )
    return pages
