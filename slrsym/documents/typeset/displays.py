"""Equations as LaTeX displays, broken into lines that fit a page."""

from __future__ import annotations

from collections.abc import Iterable

from slrsym.documents.typeset.boxes import Box, FormulaLine, break_lines
from slrsym.documents.typeset.latex_and_mathml import to_latex

# The room for a display in a text of 6.5 in, in em; widths are estimates.
PAGE_WIDTH = 35.2
# A left side that is wider than this stands in a line of its own.
_WIDE_LEFT = 14.0


def equation_rows(left: Box, right: Box, width: float = PAGE_WIDTH) -> list[str]:
    """Return the rows of an equation for an ``align*`` environment, aligned at the equals sign.

    Before a row that is wider than the page stands a comment that says so.
    """
    beside = left.width <= _WIDE_LEFT
    room = width - 2.0 - (left.width if beside else 2.0)
    lines = break_lines(right, room)
    first = f"{to_latex(left)} &= " if beside else f"& {to_latex(left)} \\\\\n& \\quad = "
    before = "& " if beside else r"& \quad "
    rows = [first + to_latex(lines[0].box), *(before + line_latex(x) for x in lines[1:])]
    return [_note(line, room) + row for row, line in zip(rows, lines, strict=True)]


def _note(line: FormulaLine, room: float) -> str:
    wide = line.box.width + line.indent > room
    return "% This line is wider than 6.5 in: there is no place to break it.\n" if wide else ""


def line_latex(line: FormulaLine) -> str:
    """Return the LaTeX of one line of a broken formula, with its indent."""
    text = to_latex(line.box)
    if text.startswith(("+", "-", "=", "\\cdot")) or line.indent:
        text = "{}" + text
    return f"\\hspace{{{line.indent:g}em}}{text}" if line.indent else text


def aligned(rows: Iterable[str], environment: str = "align*") -> str:
    """Return rows of formulas in an environment of amsmath."""
    body = "\\\\\n".join(rows)
    return f"\\begin{{{environment}}}\n{body}\n\\end{{{environment}}}"
