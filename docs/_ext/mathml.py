"""Formulas as MathML, which browsers show without a script and without a network."""

from __future__ import annotations

import re

from docutils import nodes
from latex2mathml.converter import convert

_TIGHT = 'lspace="0" rspace="0"'

# What is written, and what the converter has to be told.
_LATEX = (
    (re.compile(r"\\arg\b"), r"\\operatorname{arg}"),
    (re.compile(r"\\(begin|end)\{aligned\}"), r"\\\1{align*}"),
)

# The room that TeX leaves, where browsers leave more or none.
_ROOM = (
    # Names of functions.
    (r"<m[io]>([A-Za-z]{2,})</m[io]>", r'<mo lspace="0.17em" rspace="0.17em">\1</mo>'),
    # Primes stand beside a letter, not raised once more.
    (
        r"<msup>(<m[io][^>]*>[^<]*</m[io]>)<mi>(&#x0203[23];)</mi></msup>",
        rf"<mrow>\1<mo {_TIGHT}>\2</mo></mrow>",
    ),
    # A name before a parenthesis.
    (
        r'rspace="0.17em">(\w+</mo>(?:<mo [^>]*>&#x0203[23];</mo></mrow>)?'
        r"<mo[^>]*>(?:&#x00028;|\(|\[)</mo>)",
        r'rspace="0">\1',
    ),
    (r"<mo>(&#x0002F;)</mo>", rf"<mo {_TIGHT}>\1</mo>"),
    (r"<mo[^>]*>(&#x0007C;)</mo>", rf'<mo {_TIGHT} stretchy="false">\1</mo>'),
    (r"<mo>(&#x02202;)</mo>", r'<mi mathvariant="normal">\1</mi>'),
    (r"<mi>&#x0007E;</mi>", r"<mo>&#x0223C;</mo>"),
    (r"<mi>(&#x02AB0;)</mi>", r"<mo>\1</mo>"),
    (r"<mo>&#x0005E;</mo></mover>", r'<mo stretchy="false">&#x002C6;</mo></mover>'),
    # A sign at the beginning, or after a relation, a parenthesis or a comma.
    (
        r"((?:&#x(?:0003D|02264|02265|0003C|0003E|02208|00028|0002C|0007B);|\[)</mo>)"
        r"<mo>&#x02212;</mo>",
        r'\1<mo form="prefix">&#x02212;</mo>',
    ),
)


def mathml(latex, display="inline"):
    """Convert a formula to MathML, with the space that TeX leaves in it."""
    # An alignment may stand without its environment, as in LaTeX documents of Sphinx.
    if "&" in latex and r"\begin" not in latex:
        latex = rf"\begin{{align*}}{latex}\end{{align*}}"
    for pattern, said in _LATEX:
        latex = pattern.sub(said, latex)
    text = convert(latex, display=display)
    for pattern, said in _ROOM:
        text = re.sub(pattern, said, text)
    return text


# A formula in a line is not broken; one of more letters may be wider than a phone.
_LONG = 30


def _inline(writer, node):
    latex = node.astext()
    formula = mathml(latex)
    if len(latex) > _LONG:
        formula = f'<span class="math-inline">{formula}</span>'
    writer.body.append(formula)
    raise nodes.SkipNode


def _display(writer, node):
    writer.body.append(f'<div class="math-display">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Register the renderer, and choose it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.config.html_math_renderer = "mathml"
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
