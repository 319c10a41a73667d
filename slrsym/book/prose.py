r"""Titles and ideas of claims, which are plain text with formulas in it, as text and formulas.

Titles such as ``E erf'(t + gamma G)`` are written for a terminal. What is certainly a formula in
them is set as one; the rest is left as it is.
"""

from __future__ import annotations

import re

from slrsym.typeset.names import GREEK

__all__ = ["Piece", "pieces"]

# A piece of text, or of LaTeX for math mode.
Piece = tuple[str, bool]

_FUNCTIONS = {
    "erf": "erf", "erfc": "erfc", "exp": "exp", "log": "log", "atan": "arctan", "asin": "arcsin",
    "sinh": "sinh", "Cov": "Cov", "Var": "Var", "max": "max", "min": "min",
}  # fmt: skip
_OPERATORS = {".", "=", "<=", ">=", "<", ">", "+", "-", "=>", "!=", "*", "/"}
_SIGNS = {
    "<=": r"\le ", ">=": r"\ge ", "=>": r"\Rightarrow ", "!=": r"\ne ", "+-": r"\pm ",
    "->": r"\to ", "*": r"\,",
    ".": r"\cdot ",
}  # fmt: skip
_TOKEN = re.compile(r"[A-Za-z]+|\d+|<=|>=|=>|!=|\+-|->|.", re.DOTALL)
_ENDING = re.compile(r"[.,;:]*$")


def pieces(text: str) -> list[Piece]:
    r"""Plain text taken apart.

    Examples
    --------
    >>> pieces("slope of zeta at t = 0")
    [('slope of ', False), ('\\zeta', True), (' at ', False), ('t=0', True)]
    """
    words = _balanced(text.split())
    kinds = [_kind(word) for word in words]
    for place, word in enumerate(words[1:], start=1):
        if word == "sum" and kinds[place - 1] == "operator":
            kinds[place] = "formula"
    result: list[Piece] = []
    place = 0
    while place < len(words):
        end = place
        while end < len(words) and kinds[end] != "text":
            end += 1
            if _ENDING.search(words[end - 1])[0] and words[end - 1] != ".":  # type: ignore[index]
                break
        # A letter that is also a word, or a number, is a formula beside others only.
        strong = [k for k in kinds[place:end] if k in ("formula", "letter")]
        if end > place and (strong or _ends_text(words, place, end)):
            body = " ".join(words[place:end])
            ending = _ENDING.search(body)[0]  # type: ignore[index]
            _add(result, _latex(body[: len(body) - len(ending)]), True)
            _add(result, ending, False)
            place = end
        else:
            end = max(end, place + 1)
            _add(result, " ".join(words[place:end]), False)
            place = end
        if place < len(words):
            _add(result, " ", False)
    return result


def _add(result: list[Piece], text: str, formula: bool) -> None:
    if not text:
        return
    if result and not formula and not result[-1][1]:
        result[-1] = (result[-1][0] + text, False)
    else:
        result.append((text, formula))


def _balanced(words: list[str]) -> list[str]:
    """Words joined until their brackets close."""
    result: list[str] = []
    for word in words:
        last = result[-1] if result else ""
        mean = re.match(r"\W?E\[", last) and last.count("[") > last.count("]")
        if last.count("(") > last.count(")") or mean:
            result[-1] = f"{last} {word}"
        else:
            result.append(word)
    return result


def _kind(word: str) -> str:
    """formula, letter, operator, number, article or text."""
    bare = word[: len(word) - len(_ENDING.search(word)[0])]  # type: ignore[index]
    if bare in _OPERATORS or word == ".":
        return "operator"
    if re.fullmatch(r"\([-+\d, ]+,[-+\d, ]+\)|-\d+", bare):
        return "formula"
    if re.fullmatch(r"[+-]{0,2}\d+(/\d+)?", bare):
        return "number"
    if re.fullmatch(r"[A-Za-z]", bare):
        return "article" if bare in "aAI" else "letter"
    if bare in ("max", "min") or re.search(r"^[\^_]|[\^_](?![\w({*])", bare):
        return "text"
    if re.search(r"[{}]", re.sub(r"[\^_]\{[^{}]*\}", "", bare)):
        return "text"
    if (
        bare.removeprefix("-") in GREEK
        or bare in _FUNCTIONS
        or re.fullmatch(r"(erf|h|f|g)'+", bare)
    ):
        return "formula"
    if re.search(r"[\^_=<>|/*]|\d[A-Za-z(]|[A-Za-z]'*\([^)]*\)|\+\d|\+\w", bare) and re.fullmatch(
        r"[\w'()\[\]{}^*/+,=<>|.\- ]+", bare
    ):
        letters = re.findall(r"[A-Za-z]+", bare)
        known = {*GREEK, *_FUNCTIONS, "sqrt", "sum", "pi"}
        if all(len(name) <= 2 or name in known for name in letters):
            return "formula"
    return "text"


def _ends_text(words: list[str], start: int, end: int) -> bool:
    """Whether a lone article stands where it can only be a letter."""
    return end - start == 1 and words[start][:1] in "aA" and (
        end == len(words) or bool(_ENDING.search(words[start])[0])  # type: ignore[index]
    )  # fmt: skip


def _latex(text: str) -> str:
    text = re.sub(r"sqrt (\w+)", r"sqrt(\1)", text)
    tokens = [t for t in _TOKEN.findall(text) if t != " "]
    return re.sub(r" +(?=[^\w]|$)", "", _row(tokens)).strip()


def _row(tokens: list[str]) -> str:
    result = ""
    while tokens:
        token = tokens.pop(0)
        if token == "sqrt" and tokens[:1] == ["("]:
            tokens.pop(0)
            result += rf"\sqrt{{{_row(_bracket(tokens))}}}"
        elif token in ("^", "_") and tokens:
            grouped = tokens[0] in ("(", "{")
            following = _bracket(tokens[1:], tokens[0]) if grouped else [tokens[0]]
            del tokens[: len(following) + (2 if grouped else 0)]
            result += f"{token}{{{_row(following)}}}"
        elif token == "*" and (not tokens or not re.match(r"[\w(]", tokens[0])):
            # A star at the end of a letter is no product.
            result = f"{result.rstrip()}^{{\\star}}"
        elif token in _SIGNS:
            result += _SIGNS[token]
        elif token in _FUNCTIONS:
            result += rf"\operatorname{{{_FUNCTIONS[token]}}}"
        elif token in GREEK:
            result += rf"\{'varepsilon' if token == 'epsilon' else token} "
        elif token == "sum":
            result += r"\sum "
        elif token == "E":
            result += r"\mathbb{E}\,"
        else:
            result += token
    return result


def _bracket(tokens: list[str], opening: str = "(") -> list[str]:
    """Take what stands before the bracket that closes, and the bracket."""
    depth, inside = 1, []
    closing = {"(": ")", "{": "}"}[opening]
    while tokens:
        token = tokens.pop(0)
        depth += {opening: 1, closing: -1}.get(token, 0)
        if depth == 0:
            break
        inside.append(token)
    return inside
