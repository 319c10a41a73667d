"""Names of symbols as letters with scripts."""

from __future__ import annotations

import re
import unicodedata

from slrsym.typeset.boxes import (
    Atom,
    Box,
    Fence,
    Operator,
    Script,
    identifier,
    number,
    row,
)

__all__ = ["GREEK", "MOST_PRIMES", "greek_name", "letter"]

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


def greek_name(character: str) -> str:
    """What TeX calls a Greek letter.

    Examples
    --------
    >>> greek_name("λ"), greek_name("Γ"), greek_name("l")
    ('lambda', 'Gamma', '')
    """
    words = unicodedata.name(character, "").replace("LAMDA", "LAMBDA").split()
    if words[:1] != ["GREEK"] or words[2:3] != ["LETTER"] or len(words) != 4:
        return ""
    name = words[3].capitalize() if words[1] == "CAPITAL" else words[3].lower()
    return name if name in GREEK else ""


def letter(name: str) -> Box:
    r"""A symbol's name, typeset.

    Examples
    --------
    >>> from slrsym.typeset.latex import to_latex
    >>> [to_latex(letter(name)) for name in ("kappa", "U_1", "x2", "rate", "k_star")]
    ['\\kappa', 'U_{1}', 'x_{2}', '\\operatorname{rate}', 'k^{\\star}']
    """
    primes = sum(map(name.count, "'′"))
    name = re.sub("['′]", "", name)
    name, _, raised = name.partition("^")
    stem, *scripts = name.strip("_").split("_") if name.strip("_") else ["x"]
    match = _PARTS.fullmatch(stem)
    if match and match[2]:
        stem, scripts = match[1], [match[2], *scripts]
    above = "star" in scripts
    below = [_plain(s) for s in scripts if s and s != "star"]
    commas = [box for script in below for box in (Operator(",", "comma"), script)][1:]
    base = _plain(stem)
    # A number above a letter is no power.
    mark: Box | None = Fence("(", _plain(raised), ")") if raised.isalnum() else None
    if primes and mark is None:
        mark = Atom("'" * min(primes, MOST_PRIMES), "name")
    if above:
        mark = identifier("star")
    if not below and mark is None:
        return base
    return Script(base, row(commas) if below else None, mark)


def _plain(text: str) -> Box:
    if text.isdigit():
        return number(text)
    text = greek_name(text) or text if len(text) == 1 else text
    text = _DRAWN.get(text, text)
    if text in GREEK or (len(text) == 1 and text.isascii()):
        return identifier(text)
    return Atom(re.sub(r"[\W_]", "", text) or "x", "name")
