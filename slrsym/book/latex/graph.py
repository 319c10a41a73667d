"""The dependency graph as a picture in TikZ."""

from __future__ import annotations

from collections.abc import Sequence

from slrsym.book.document import Document
from slrsym.book.graph import laid_out, routed
from slrsym.book.prose import escaped

__all__ = ["page_with", "picture"]

# Of a page of the text, and of a node, in mm; a row has that much room at least.
_TEXT_WIDTH, _TEXT_HEIGHT = 160.0, 215.0
_NODE_WIDTH, _NODE_HEIGHT = 32.0, 8.0
_COLUMN, _ROW, _LOOSE_ROW = 38.0, 15.0, 17.0
# How many claims stand beside each other: on a page of the text, and on one of its own.
_FEW, _MANY = 4, 10
_CLEAR, _BESIDE = 1.2, 0.8
_MARGIN = 20.0


def picture(document: Document) -> tuple[str, float, float]:
    """The claims of a document and the arrows between them."""
    depends = {claim.id: claim.depends for claim in document.claims}
    graph = laid_out(depends, _FEW)
    if graph.rows * _ROW > _TEXT_HEIGHT:
        graph = laid_out(depends, _MANY)
    width = graph.columns * _COLUMN
    row = min(_LOOSE_ROW, max(_ROW, _TEXT_HEIGHT / max(graph.rows, 1)))
    places = {node.id: (node.column * _COLUMN, -node.row * row) for node in graph.nodes}
    reach = _NODE_WIDTH / 2 + _CLEAR
    ways = routed(graph, places, reach, (_CLEAR, width - _CLEAR), _BESIDE)
    status = {claim.id: claim.status for claim in document.claims}
    lines = [
        "\\begin{tikzpicture}[x=1mm,y=1mm,every node/.style={draw,rounded corners=1.5pt,"
        f"text width={_NODE_WIDTH - 2:g}mm,align=center,inner sep=1mm,font=\\scriptsize,"
        f"minimum height={_NODE_HEIGHT:g}mm}},>=stealth]"
    ]
    for node in graph.nodes:
        x, y = places[node.id]
        name = document.labels[node.id]
        label = escaped(node.id if name.kind == "Claim" else str(name))
        lines.append(
            f"\\node[draw=slr{status[node.id]},fill=slr{status[node.id]}!7] ({node.id}) "
            f"at ({x:.1f},{y:.1f}) {{\\hyperref[{node.id}]{{{label}}}}};"
        )
    lines.append("\\begin{scope}[on background layer]")
    for one, other in graph.edges:
        way = [places[one], *ways[one, other], places[other]]
        lines.append(f"\\draw[->,black!40] {_way(way)};")
    lines += ["\\end{scope}", "\\end{tikzpicture}"]
    return "\n".join(lines), width, max(graph.rows - 1, 0) * row + _NODE_HEIGHT


def _way(points: Sequence[tuple[float, float]]) -> str:
    """From below the first point, past the others, to above the last one."""
    half = _NODE_HEIGHT / 2
    x, y = points[0]
    y -= half
    drawn = f"({x:.1f},{y:.1f})"
    for number, (right, middle) in enumerate(points[1:], start=1):
        below = middle + half
        bend = (y + below) / 2
        drawn += f" .. controls ({x:.1f},{bend:.1f}) and ({right:.1f},{bend:.1f}) .. "
        drawn += f"({right:.1f},{below:.1f})"
        if number < len(points) - 1:
            drawn += f" -- ({right:.1f},{middle - half:.1f})"
        x, y = right, middle - half
    return drawn


def page_with(lead: str, width: float, height: float) -> list[str]:
    """LaTeX that shows the picture, in the text or on a page that is large enough for it."""
    if width <= _TEXT_WIDTH and height <= _TEXT_HEIGHT:
        return [lead, "\\noindent\\input{graph.tex}", "\\clearpage"]
    paper = (max(width, _TEXT_WIDTH) + 2 * _MARGIN, height + 2 * _MARGIN + 40)
    return [
        f"\\clearpage\\pdfpagewidth={paper[0]:.0f}mm\\pdfpageheight={paper[1]:.0f}mm",
        "\\thispagestyle{empty}",
        lead,
        "\\noindent\\vbox to 0pt{\\hbox to 0pt{\\input{graph.tex}\\hss}\\vss}",
        "\\clearpage\\pdfpagewidth=210mm\\pdfpageheight=297mm",
    ]
