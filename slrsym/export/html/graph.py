"""The dependency graph as a picture that can be clicked."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from slrsym.export.document import Document
from slrsym.export.graph import laid_out
from slrsym.export.html.page import STATUSES

__all__ = ["picture"]

_NODE_WIDTH, _NODE_HEIGHT = 128.0, 30.0
_COLUMN, _ROW = 146.0, 66.0
_MARGIN = 8.0
# A letter of a label is about this wide; longer labels are drawn smaller.
_LETTER, _FONT, _LEAST_FONT = 0.56, 12.5, 8.5


def picture(document: Document, pages: Mapping[str, str], columns: int = 6) -> str:
    """The claims of a document and the arrows between them.

    Parameters
    ----------
    document : Document
        The document.
    pages : mapping of str to str
        The page of each claim.
    columns : int, optional
        The most claims in a row.

    Returns
    -------
    str
        An ``svg`` element, whose nodes are links. Arrows go from a claim to those that use it.
    """
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
    edges = "\n".join(_edge(one, other, places) for one, other in graph.edges)
    nodes = []
    for node in graph.nodes:
        claim = claims[node.id]
        x, y = places[node.id]
        name = node.id if claim.label.kind == "Claim" else str(claim.label)
        size = min(_FONT, max(_LEAST_FONT, (_NODE_WIDTH - 8) / (_LETTER * len(name))))
        sign = STATUSES.get(claim.status, STATUSES["unverified"])[0]
        mark = "" if claim.status == "proved" else f"{sign} "
        told = escape(f"{claim.label}, {claim.id}: {claim.status}", quote=True)
        nodes.append(
            f'<a href="{escape(pages[node.id])}" class="node {escape(claim.status)}" '
            f'data-id="{node.id}" aria-label="{told}">'
            f"<title>{told}</title>"
            f'<rect x="{x - _NODE_WIDTH / 2:.1f}" y="{y - _NODE_HEIGHT / 2:.1f}" '
            f'width="{_NODE_WIDTH:g}" height="{_NODE_HEIGHT:g}" rx="5"/>'
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.1f}">{mark}{escape(name)}</text></a>'
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


def _edge(one: str, other: str, places: Mapping[str, tuple[float, float]]) -> str:
    (x, y), (right, below) = places[one], places[other]
    y, below = y + _NODE_HEIGHT / 2, below - _NODE_HEIGHT / 2 - 1
    bend = max(14.0, min(34.0, (below - y) / 2))
    return (
        f'<path data-from="{one}" data-to="{other}" d="M{x:.1f} {y:.1f}C{x:.1f} {y + bend:.1f} '
        f'{right:.1f} {below - bend:.1f} {right:.1f} {below:.1f}" marker-end="url(#arrow)"/>'
    )
