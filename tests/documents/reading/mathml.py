"""MathML read back as LaTeX, for those who read LaTeX: what a page shows, not what it is made of.

It shares no code with what writes MathML, and does not look at annotations.
"""

import re
import unicodedata
from xml.etree.ElementTree import Element, fromstring

from slrsym.documents.export.document import Display
from slrsym.documents.export.html import HtmlRenderer
from tests.documents.reading import ReadingError

__all__ = ["ShownRenderer", "latex_of"]

_BARS = {"prefix": "\\lvert ", "postfix": "\\rvert "}
_FORMULA = re.compile(r'<div class="formula( desk| phone)?">(<math.*?</math>)</div>', re.DOTALL)
_LETTERS = {
    "\u03b5": "\\varepsilon", "\u03f5": "\\epsilon", "\u03c6": "\\varphi", "\u03d5": "\\phi",
    "\u03d1": "\\vartheta", "\u03bb": "\\lambda", "\u039b": "\\Lambda", "\u2113": "\\ell",
    "\u221e": "\\infty", "\u2202": "\\partial", "\u22c6": "\\star", "\u22a4": "\\top",
}  # fmt: skip
_SIGNS = {
    "\u2212": "-", "\u2264": "\\le", "\u2265": "\\ge", "\u2260": "\\neq", "\u2208": "\\in",
    "\u223c": "\\sim", "\u2192": "\\to", "\u27f9": "\\implies", "\u27fa": "\\iff",
    "\u22c5": "\\cdot", "\u00ac": "\\neg", "\u2211": "\\sum", "\u222b": "\\int",
    "{": "\\{", "}": "\\}", "\u2061": "", "\u2032": "'", "\u2033": "''", "\u2034": "'''",
}  # fmt: skip
_SCRIPTS = {
    "msub": "_", "munder": "_", "msup": "^", "mover": "^", "msubsup": "_^", "munderover": "_^"
}  # fmt: skip


class ShownRenderer:
    """Writes displays as the LaTeX that their MathML reads as."""

    def __init__(self, kind: str = "desk") -> None:
        self.kind = kind

    def display(self, display: Display) -> str:
        """A display, by way of its page."""
        html = HtmlRenderer({}).display(display)
        shown = (math for kind, math in _FORMULA.findall(html) if kind.strip() in ("", self.kind))
        return " ".join(map(latex_of, shown))


def latex_of(element: str) -> str:
    r"""A ``math`` element in LaTeX.

    Examples
    --------
    >>> latex_of("<math><msup><mi>κ</mi><mn>2</mn></msup></math>")
    '\\kappa^{2}'
    """
    return _latex(fromstring(element)).strip()


def _latex(node: Element) -> str:
    text = (node.text or "").strip(" \n")
    children = [child for child in node if child.tag != "annotation"]
    match node.tag:
        case "math" | "mrow" | "semantics" | "mtd":
            return _row(children)
        case "mi":
            return _letter(text, node.get("mathvariant") == "normal")
        case "mn":
            return f"{text} "
        case "mo" if text == "|" and node.get("form") in _BARS:
            return _BARS[node.get("form", "")]
        case "mo":
            return f"{_SIGNS.get(text, text)} "
        case "mtext":
            return f"\\text{{{text}}}".replace("\u00a0", " ")
        case "mspace":
            return " "
        case "mfrac":
            above, below = map(_latex, children)
            return f"\\frac{{{above}}}{{{below}}}"
        case "msqrt":
            return f"\\sqrt{{{_row(children)}}}"
        case "mtable":
            rows = [" & ".join(map(_latex, row)) for row in children]
            if node.get("class") == "lines":
                return " ".join(rows)
            return "\\begin{pmatrix} " + " \\\\ ".join(rows) + " \\end{pmatrix}"
        case "mover" if (children[1].text or "").strip() == "^":
            return f"\\widehat{{{_latex(children[0]).strip()}}}"
        case tag if tag in _SCRIPTS:
            base, *scripts = map(_latex, children)
            # A bar with something below it is that of a value at a point.
            base = "|" if base in _BARS.values() else base
            marks = zip(_SCRIPTS[tag], scripts, strict=True)
            return base.strip() + "".join(f"{mark}{{{s.strip()}}}" for mark, s in marks)
    raise ReadingError(f"no element of a page: {node.tag}")


def _row(children: list[Element]) -> str:
    parts = [_latex(child) for child in children]
    for place, child in enumerate(children):
        if child.tag == "mtable" and child.get("class") != "lines":
            # The brackets belong to the matrix.
            parts[place - 1] = parts[place + 1] = ""
    return "".join(parts)


def _letter(text: str, upright: bool) -> str:
    if len(text) > 1:
        return f"\\operatorname{{{text}}}"
    if text in _LETTERS:
        return f"{_LETTERS[text]} "
    if text.isascii():
        return f"\\mathrm{{{text}}}" if upright else text
    name = unicodedata.name(text)
    plain = unicodedata.normalize("NFKC", text)
    if "DOUBLE-STRUCK" in name:
        return f"\\mathbb{{{plain}}}"
    if "SCRIPT" in name:
        return f"\\mathcal{{{plain}}}"
    if name.startswith("GREEK "):
        word = name.split()[-1].lower()
        return f"\\{word.capitalize() if 'CAPITAL' in name else word} "
    raise ReadingError(f"no letter of a page: {text}")
