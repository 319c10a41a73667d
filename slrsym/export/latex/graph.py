"""The dependency graph as a picture in TikZ."""

from __future__ import annotations

from slrsym.export.document import Document
from slrsym.export.graph import laid_out
from slrsym.export.text import escaped

__all__ = ["picture"]

_WIDTH, _HEIGHT = 160.0, 205.0
_MOST_ROW = 17.0
_COLUMNS = 6


def picture(document: Document) -> str:
    """The claims of a document and the arrows between them.

    Parameters
    ----------
    document : Document
        The document.

    Returns
    -------
    str
        A ``tikzpicture`` that fits on a page; each node is a link to its claim, and its frame has
        the colour of its status.
    """
    graph = laid_out({claim.id: claim.depends for claim in document.claims}, _COLUMNS)
    wide = _WIDTH / graph.columns
    high = min(_MOST_ROW, _HEIGHT / max(graph.rows, 1))
    status = {claim.id: claim.status for claim in document.claims}
    lines = [
        "\\begin{tikzpicture}[x=1mm,y=1mm,every node/.style={draw,rounded corners=1.5pt,"
        f"text width={wide - 5:.1f}mm,align=center,inner sep=1.2pt,font=\\tiny,"
        "minimum height=4mm},>=stealth]"
    ]
    for node in graph.nodes:
        x, y = node.column * wide, -node.row * high
        name = document.labels[node.id]
        label = escaped(node.id if name.kind == "Claim" else str(name))
        lines.append(
            f"\\node[draw=slr{status[node.id]},fill=slr{status[node.id]}!7] ({node.id}) "
            f"at ({x:.1f},{y:.1f}) {{\\hyperref[{node.id}]{{{label}}}}};"
        )
    lines.append("\\begin{scope}[on background layer]")
    lines += [
        f"\\draw[->,black!40] ({one}.south) to[out=-90,in=90] ({other}.north);"
        for one, other in graph.edges
    ]
    lines += ["\\end{scope}", "\\end{tikzpicture}"]
    return "\n".join(lines)
