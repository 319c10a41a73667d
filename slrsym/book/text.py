"""Plain text in LaTeX."""

from __future__ import annotations

import re
import unicodedata

from slrsym.typeset.names import greek_name

__all__ = ["escaped"]

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
_NAMED = re.compile("|".join(map(re.escape, _SPECIAL)))
_CODE = re.compile(r"`+([^`]+)`+")
_OPENING_QUOTE = re.compile(r'(?<![^\s(\[])"')

_LATIN = set("àáâäåæçèéêëìíîïñòóôöøùúûüßÀÁÄÅÉÖØÜ–—‘’“”")
# What stands above or below a letter, as TeX puts it there.
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
_LETTERS = {
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "Æ": r"\AE{}",
    "…": r"\dots{}",
}
_SIGNS = {
    "≤": "le", "≥": "ge", "≠": "ne", "≈": "approx", "±": "pm", "×": "times", "·": "cdot",
    "⋅": "cdot", "→": "to", "⇒": "Rightarrow", "∞": "infty", "∈": "in", "∂": "partial",
    "∇": "nabla", "∑": "sum", "∫": "int", "⟂": "perp", "⋆": "star", "°": "circ", "−": "-",
    "²": "^2", "³": "^3", "′": "'", "ℝ": "mathbb{R}", "√": "surd",
}  # fmt: skip


def escaped(text: str) -> str:
    """Plain text for LaTeX in text mode."""
    parts = _CODE.split(text)
    # Every second one stood between backticks.
    parts[::2] = [
        _characters(_OPENING_QUOTE.sub("``", part).replace('"', "''")) for part in parts[::2]
    ]
    parts[1::2] = [f"\\texttt{{{_characters(part)}}}" for part in parts[1::2]]
    return "".join(parts)


def _characters(text: str) -> str:
    text = _NAMED.sub(lambda match: _SPECIAL[match[0]], text)
    return "".join(map(_character, unicodedata.normalize("NFC", text)))


def _character(c: str) -> str:
    if c.isascii() or c in _LATIN:
        return c
    if c in _LETTERS:
        return _LETTERS[c]
    if c in _SIGNS:
        sign = _SIGNS[c]
        return f"$\\{sign}$" if sign[0].isalpha() else f"${sign}$"
    greek = greek_name(c)
    if greek:
        return f"$\\{greek}$"
    base, *marks = list(unicodedata.normalize("NFD", c))
    if base.isascii() and len(marks) == 1 and marks[0] in _ACCENTS:
        base = f"\\{base}" if base in "ij" else base
        return f"\\{_ACCENTS[marks[0]]}{{{base}}}"
    return "?"
