"""Formulas as MathML, which browsers show without a script and without a network."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert


def _inline(writer, node):
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _display(writer, node):
    writer.body.append(
        f'<div class="math-display">{convert(node.astext(), display="block")}</div>\n'
    )
    raise nodes.SkipNode


def setup(app):
    """Register the renderer, and choose it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.config.html_math_renderer = "mathml"
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
