"""Tables in HTML for notebooks: of objects with their parts, and of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from fractions import Fraction
from html import escape
from typing import Any

from sympy import Basic, Symbol

from slrsym.documents.typeset.latex_and_mathml import to_mathml
from slrsym.documents.typeset.layout import FormulaPrinter

_LEFT = ' style="text-align: left"'
_MOST_LETTERS, _MOST_ROWS = 300, 60


def formula_html(expr: Any, printer: FormulaPrinter | None = None) -> str:
    """Return the MathML of an expression within text."""
    return to_mathml((printer or FormulaPrinter(laws={})).box(expr), display=False)


def html_of_parts(caption: str, parts: Mapping[str, str]) -> str:
    """Return a table of two columns: names, and what they have, given as HTML."""
    rows = "".join(
        f'<tr><th scope="row"{_LEFT}>{escape(name)}</th><td{_LEFT}>{value}</td></tr>'
        for name, value in parts.items()
    )
    return f"<table><caption{_CAPTION}>{caption}</caption><tbody>{rows}</tbody></table>"


_CAPTION = ' style="caption-side: top; text-align: left; font-weight: bold"'


def html_of_rows(
    caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], below: str = ""
) -> str:
    """Return a table of rows, given as HTML, with a line of text below."""
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    shown = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows[:_MOST_ROWS]
    )
    if len(rows) > _MOST_ROWS:
        shown += f'<tr><td colspan="{len(heads)}">{len(rows) - _MOST_ROWS} more</td></tr>'
    said = f"<p>{escape(below).replace(chr(10), '<br/>')}</p>" if below else ""
    return (
        f'<div style="overflow-x: auto"><table><caption{_CAPTION}>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{shown}</tbody></table></div>{said}"
    )


def html_of_fields(thing: Any, names: Iterable[str] = ()) -> str:
    """Return a table of some attributes of an object, by default the fields of a dataclass."""
    shown = list(names) or [f.name for f in fields(thing) if not f.name.startswith("_")]
    parts = {
        name.replace("_", " "): _value_html(value)
        for name in shown
        if (value := getattr(thing, name)) is not None and not _is_empty(value)
    }
    return html_of_parts(_in_words(type(thing).__name__), parts)


def _in_words(name: str) -> str:
    """Return the name of a class as words: Certificate, or Step size."""
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()
    return words[:1].upper() + words[1:]


def _is_empty(value: Any) -> bool:
    return isinstance(value, str | tuple | Mapping) and not value


def _value_html(value: Any) -> str:
    """Return a value as HTML: formulas as MathML, long ones cut."""
    if hasattr(value, "_repr_html_") and not isinstance(value, Basic):
        return str(value._repr_html_())
    if isinstance(value, Enum):
        return escape(str(value.value))
    if isinstance(value, Symbol):
        return formula_html(value)
    if isinstance(value, Mapping):
        return "<br/>".join(f"{_value_html(k)}: {_value_html(v)}" for k, v in value.items())
    if isinstance(value, Fraction):
        return escape(str(value))
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return escape(text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 3] + "...")
