"""Boxes as LaTeX, for amsmath or MathJax."""

from __future__ import annotations

import re

from slrsym.typeset.boxes import (
    Atom,
    Box,
    Delimiter,
    Fence,
    Fraction,
    Grid,
    Operator,
    Root,
    Row,
    Script,
    Space,
)

__all__ = ["to_latex"]

_LEFT = ("", r"\bigl", r"\Bigl", r"\biggl")
_RIGHT = ("", r"\bigr", r"\Bigr", r"\biggr")
_SPECIAL = {"{": r"\{", "}": r"\}"}
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")


def to_latex(box: Box) -> str:
    r"""A box as LaTeX in math mode.

    Examples
    --------
    >>> from slrsym.typeset.boxes import Fraction, identifier, number
    >>> to_latex(Fraction(number(2), identifier("pi")))
    '\\frac{2}{\\pi}'
    """
    match box:
        case Row(parts):
            return _joined([to_latex(part) for part in parts])
        case Atom():
            return _atom(box)
        case Operator():
            return _operator(box)
        case Space(quads):
            if not quads:
                return ""
            return r"\," if quads < 0.5 else r"\quad " if quads < 1.5 else r"\qquad "
        case Fraction(numerator, denominator):
            return rf"\frac{{{to_latex(numerator)}}}{{{to_latex(denominator)}}}"
        case Script(base, below, above):
            text = to_latex(base)
            if below is not None:
                text += f"_{{{to_latex(below)}}}"
            if above is not None:
                if isinstance(above, Atom) and set(above.text) == {"'"}:
                    text += above.text
                else:
                    text += f"^{{{to_latex(above)}}}"
            return text
        case Root(radicand):
            return rf"\sqrt{{{to_latex(radicand)}}}"
        case Delimiter("|", 0, side):
            # Bars within bars could be read in more than one way.
            return r"\lvert " if side == "open" else r"\rvert "
        case Delimiter(text, size, side):
            sized = (_LEFT if side == "open" else _RIGHT)[size]
            return sized + _SPECIAL.get(text, text)
        case Fence():
            return _joined([to_latex(b) for b in (box.opened, box.body, box.closed)])
        case Grid(rows):
            lines = (" & ".join(map(to_latex, entries)) for entries in rows)
            return r"\begin{pmatrix} " + r" \\ ".join(lines) + r" \end{pmatrix}"
    raise TypeError(f"no box: {box!r}")


def _atom(atom: Atom) -> str:
    if atom.kind == "identifier":
        return f"\\{atom.text}" if len(atom.text) > 1 else atom.text
    if atom.kind in ("number", "raw"):
        return atom.text
    if atom.kind == "words":
        return rf"\text{{ {atom.text} }}"
    if atom.text in ("E", "R"):
        return rf"\mathbb{{{atom.text}}}"
    if not atom.text.isascii():
        # TeX's standard fonts have the letters of few alphabets.
        known = (c if ord(c) < 0x100 else f"U+{ord(c):04X}" for c in atom.text)
        return rf"\text{{{''.join(known)}}}"
    if len(atom.text) == 1:
        return rf"\mathrm{{{atom.text}}}"
    return rf"\operatorname{{{atom.text}}}"


def _operator(operator: Operator) -> str:
    sign = f"\\{operator.text}" if operator.text.isalpha() else operator.text
    if operator.kind == "binary":
        return f" {sign} "
    if operator.kind == "relation":
        return f" {sign} "
    if operator.kind == "comma":
        return f"{sign} "
    return sign


def _joined(texts: list[str]) -> str:
    result = ""
    for text in texts:
        if text[:1].isalpha() and _ENDS_IN_COMMAND.search(result):
            result += " "
        if result.endswith(" ") and text.startswith(" "):
            text = text.lstrip()
        result += text
    return result.strip()
