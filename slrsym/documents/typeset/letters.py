r"""Letters of formulas: the names of symbols, with scripts.

Names are plain, as ``u_star``, or LaTeX, as ``\langle u, w^*\rangle``.
"""

from __future__ import annotations

import re
import unicodedata

from slrsym.documents.typeset.boxes import (
    COMMA,
    Atom,
    Box,
    BracketedBox,
    ScriptBox,
    comma_separated_row,
    number_box,
    row_of_boxes,
)

GREEK = frozenset(
    [
        *("alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta"),
        *("vartheta", "iota", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau"),
        *("upsilon", "phi", "varphi", "chi", "psi", "omega", "ell", "Gamma", "Delta", "Theta"),
        *("Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"),
    ]
)
# Letters that TeX draws otherwise than papers do.
_DRAWN = {"epsilon": "varepsilon", "lam": "lambda"}
_PARTS = re.compile(r"([^\W\d_]+)_?(\d*)")
MOST_PRIMES = 3


def tex_name_of_greek_letter(character: str) -> str:
    """Return a Greek letter's TeX name without the backslash; empty for other characters.

    Examples
    --------
    >>> tex_name_of_greek_letter("λ"), tex_name_of_greek_letter("Γ"), tex_name_of_greek_letter("l")
    ('lambda', 'Gamma', '')
    """
    words = unicodedata.name(character, "").replace("LAMDA", "LAMBDA").split()
    if words[:1] != ["GREEK"] or words[2:3] != ["LETTER"] or len(words) != 4:
        return ""
    name = words[3].capitalize() if words[1] == "CAPITAL" else words[3].lower()
    return name if name in GREEK else ""


def box_of_symbol_name(name: str) -> Box:
    r"""Return the typeset box of a symbol's name, with subscripts, primes and stars.

    Examples
    --------
    >>> from slrsym.documents.typeset.latex_and_mathml import to_latex
    >>> [to_latex(box_of_symbol_name(name)) for name in ("kappa", "U_1", "x2", "rate", "k_star")]
    ['\\kappa', 'U_{1}', 'x_{2}', '\\operatorname{rate}', 'k^{\\star}']
    >>> to_latex(box_of_symbol_name(r"\langle k, v^*\rangle"))
    '\\langle k, v^{\\star}\\rangle'
    """
    if any(c in name for c in "\\{}"):
        try:
            return _LatexNameParser(name).parse()
        except _UnsupportedNameError:
            pass
    primes = sum(map(name.count, "'′"))
    name = re.sub("['′]", "", name)
    name, _, raised = name.partition("^")
    stem, *scripts = name.strip("_").split("_") if name.strip("_") else ["x"]
    match = _PARTS.fullmatch(stem)
    if match and match[2]:
        stem, scripts = match[1], [match[2], *scripts]
    above = "star" in scripts or raised == "*"
    below = [_plain_name_box(s) for s in scripts if s and s != "star"]
    base = _plain_name_box(stem)
    # A number above a letter is no power.
    mark: Box | None = BracketedBox("(", _plain_name_box(raised), ")") if raised.isalnum() else None
    if primes and mark is None:
        mark = Atom("'" * min(primes, MOST_PRIMES), "name")
    if above:
        mark = Atom("star")
    if not below and mark is None:
        return base
    return ScriptBox(base, comma_separated_row(below) if below else None, mark)


def _plain_name_box(text: str) -> Box:
    if text.isdigit():
        return number_box(text)
    text = tex_name_of_greek_letter(text) or text if len(text) == 1 else text
    text = _DRAWN.get(text, text)
    if text in GREEK or (len(text) == 1 and text.isascii()):
        return Atom(text)
    return Atom(re.sub(r"[\W_]", "", text) or "x", "name")


_TOKEN = re.compile(r"\s+|\\[A-Za-z]+|[^\W_]+|.", re.DOTALL)
_CLOSING = {"{": "}", "(": ")", "[": "]", "\\langle": "\\rangle"}
_ANGLES = ("\u27e8", "\u27e9")


class _UnsupportedNameError(Exception):
    """Error raised for a symbol name that is not in the supported LaTeX syntax."""


class _LatexNameParser:
    """A parser of symbol names in LaTeX: letters, groups, brackets, and their scripts."""

    def __init__(self, name: str) -> None:
        self.tokens: list[str] = [t for t in _TOKEN.findall(name) if not t.isspace()]
        self.at = 0

    def parse(self) -> Box:
        """Parse the whole name to a box; raise an error if its LaTeX is not supported."""
        box = self._parse_row(None)
        if self.at < len(self.tokens):
            raise _UnsupportedNameError(f"unexpected {self.tokens[self.at]}")
        return box

    def _parse_row(self, closing: str | None) -> Box:
        """Parse a symbol name's tokens up to a closing bracket, or to the end, to a box."""
        parts: list[Box] = []
        while self.at < len(self.tokens) and self.tokens[self.at] != closing:
            parts.append(self._parse_with_scripts())
        if not parts:
            raise _UnsupportedNameError("an empty group")
        return row_of_boxes(parts)

    def _parse_with_scripts(self) -> Box:
        """Parse the next letter or group in a symbol name, with its scripts, to a box."""
        base, marks, primes = self._parse_letter_or_group(), dict[str, Box](), 0
        while self.at < len(self.tokens) and self.tokens[self.at] in ("_", "^", "'"):
            sign = self._next_token()
            if sign in marks or (sign == "'" and "^" in marks):
                raise _UnsupportedNameError("two scripts at one place")
            if sign == "'":
                primes += 1
            else:
                marks[sign] = self._parse_letter_or_group()
        if primes:
            mark = Atom("'" * primes, "name")
            marks["^"] = row_of_boxes([mark, marks["^"]]) if "^" in marks else mark
        if not marks:
            return base
        if isinstance(base, ScriptBox):  # A letter with scripts that gets others, of another place.
            below, above = base.below, base.above
            if ("_" in marks and below is not None) or ("^" in marks and above is not None):
                return ScriptBox(BracketedBox("(", base, ")"), marks.get("_"), marks.get("^"))
            return ScriptBox(base.base, marks.get("_", below), marks.get("^", above))
        return ScriptBox(base, marks.get("_"), marks.get("^"))

    def _parse_letter_or_group(self) -> Box:
        """Parse the next letter, number, group or bracket pair in a symbol name to a box."""
        token = self._next_token()
        if token in _CLOSING:
            inside = self._parse_row(_CLOSING[token])
            if self._next_token() != _CLOSING[token]:
                raise _UnsupportedNameError(f"{token} is not closed")
            if token == "{":
                return inside
            ends = _ANGLES if token == "\\langle" else (token, _CLOSING[token])
            return BracketedBox(ends[0], inside, ends[1], breaks=False)
        if token == ",":
            return COMMA
        if token in ("*", "\\star", "\\ast"):
            return Atom("star")
        if token.startswith("\\") and token[1:] in GREEK:
            return Atom(token[1:])
        if token.isalnum():
            return box_of_symbol_name(token)
        raise _UnsupportedNameError(f"unexpected {token}")

    def _next_token(self) -> str:
        if self.at == len(self.tokens):
            raise _UnsupportedNameError("the name ends early")
        self.at += 1
        return self.tokens[self.at - 1]
