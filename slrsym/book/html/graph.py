"""The dependency graph as a picture that can be clicked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from slrsym.book.document import Document
from slrsym.book.graph import laid_out, routed
from slrsym.book.html.render import STATUSES

__all__ = ["picture"]

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
        name = node.id if claim.label.kind == "Claim" else str(claim.label)
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
