"""Plain text in LaTeX."""

from __future__ import annotations

import re

__all__ = ["escaped"]

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
_NAMED = re.compile("|".join(map(re.escape, _SPECIAL)))


def escaped(text: str) -> str:
    """Plain text for LaTeX in text mode.

    Parameters
    ----------
    text : str
        Anything.

    Returns
    -------
    str
        It shows the same characters. Those that TeX's standard fonts may lack become a question
        mark, so that no document fails to compile for them.
    """
    text = _NAMED.sub(lambda match: _SPECIAL[match[0]], text)
    return "".join(c if c.isascii() or c in _LATIN else "?" for c in text)


_LATIN = set("àáâäåæçèéêëìíîïñòóôöøùúûüßÀÁÄÅÉÖØÜ–—‘’“”")
