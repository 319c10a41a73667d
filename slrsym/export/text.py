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


_LATIN = set("\u00e0\u00e1\u00e2\u00e4\u00e5\u00e6\u00e7\u00e8\u00e9\u00ea\u00eb\u00ec\u00ed\u00ee"
             "\u00ef\u00f1\u00f2\u00f3\u00f4\u00f6\u00f8\u00f9\u00fa\u00fb\u00fc\u00df\u00c0\u00c1"
             "\u00c4\u00c5\u00c9\u00d6\u00d8\u00dc\u2013\u2014\u2018\u2019\u201c\u201d")  # fmt: skip
