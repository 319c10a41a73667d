"""Formulas in titles that are written as plain text, such as E (G + x)^2 = 1 + x^2."""

from __future__ import annotations

import re

from slrsym.documents.export.document import Inline, Text
from slrsym.documents.export.prose import split_at_dollar_signs
from slrsym.documents.typeset.letters import GREEK

_SIGNS = frozenset(["=", "<", ">", "<=", ">=", "!=", "+", "-", "*", "/", "->"])
_RELATIONS = frozenset(["=", "<", ">", "<=", ">="])
_FUNCTIONS = frozenset([
    "erf", "erfc", "exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "max", "min", "tr", "Phi",
    *GREEK,
])  # fmt: skip
_CHARACTERS = re.compile(r"[A-Za-z0-9.\-+*/^_()\[\]|,=<>!]+")
_ENDING = ".,;:"


def split_title(title: str) -> tuple[Inline, ...]:
    r"""Split a title into words and formulas, those between dollar signs and plain ones.

    A plain formula has a relation or a power in it, and its brackets are balanced.

    Examples
    --------
    >>> split_title("A bound: x^2 <= 1")
    (Text(text='A bound: '), LatexMath(latex='x^{2}\\le 1'))
    """
    parts: list[Inline] = []
    for part in split_at_dollar_signs(title):
        parts += _with_plain_formulas(part.text) if isinstance(part, Text) else [part]
    return tuple(parts)


def _with_plain_formulas(text: str) -> list[Inline]:
    words = re.split(r"( +)", text)
    made: list[Inline] = []
    said, place = "", 0
    while place < len(words):
        end = _end_of_formula(words, place)
        if end is None:
            said += words[place]
            place += 1
            continue
        run = "".join(words[place:end])
        formula = run.rstrip(_ENDING)
        made += [Text(said)] * bool(said)
        made += split_at_dollar_signs(f"${formula}$")
        said, place = run[len(formula) :], end
    return [*made, *([Text(said)] if said else [])]


def _end_of_formula(words: list[str], start: int) -> int | None:
    """Return the place after the longest formula that starts with a word, or None."""
    best, end = None, start
    if not words[start].strip() or words[start] in _SIGNS:
        return None
    is_article = words[start] in ("a", "A", "I")
    if is_article and not (start + 2 < len(words) and words[start + 2] in _SIGNS):
        return None
    while end < len(words) and _may_be_of_formula(words[end]):
        end += 1
        run = "".join(words[start:end]).strip()
        if words[end - 1].strip() and _is_formula(run.rstrip(_ENDING)):
            best = end
        # A comma ends it, but within brackets.
        if run.endswith(tuple(_ENDING)) and run.count("(") == run.count(")"):
            break
    return best


def _may_be_of_formula(word: str) -> bool:
    """Return whether a word has only letters, names of functions, numbers and signs."""
    core = word.rstrip(_ENDING)
    if not word.strip() or core in _SIGNS:
        return True
    names = re.findall(r"[A-Za-z]+", core)
    is_plain = _CHARACTERS.fullmatch(core) is not None
    return is_plain and all(len(n) == 1 or n in _FUNCTIONS for n in names)


def _is_formula(text: str) -> bool:
    depth = 0
    for c in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
        if depth < 0:
            return False
    words = text.split()
    if depth or words[-1] in _SIGNS or text[-1] in "^_+*/=<>-":
        return False
    return "^" in text or any(w in _RELATIONS for w in words) or bool(re.search(r"\w[=<>]", text))
