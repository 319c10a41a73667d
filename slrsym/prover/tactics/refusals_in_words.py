"""Refusals of the proof checker in the words of statements.

The checker knows no SymPy: it names a term by its canonical form, ``(^ 2 1 (s x R))``, and a kind
of term by its head, ``E``. A reader has written neither.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from slrsym.checker.term import DEPTH, SIZE, Term, canonical_key
from slrsym.prover.statements.expressions import expression_text

# What the heads of terms are called.
_KINDS = {
    "E": "an expectation", "int": "an integral", "sum": "a sum", "d": "a derivative",
    "^": "a power", "*": "a product", "+": "a sum", "f": "a function", "u": "an unknown function",
    "ix": "an entry of a sequence", "copies": "a sum of independent copies", "n": "a number",
    "s": "a symbol", "pi": "pi", "lam": "a function", "forall": "a statement for all values",
    "and": "a conjunction", "or": "a disjunction", "not": "a negation", "implies": "an implication",
    "iff": "an equivalence", "=": "an equation", "!=": "an inequality", "<": "an inequality",
    "<=": "an inequality", "o": "a statement in words", "gauss": "a Gaussian law",
    "noise": "a law of noise",
}  # fmt: skip
_HEAD = re.compile(r"(?<![\w(.])(E|int|sum|d|f|u|ix|copies|lam|\^|\*|\+)(?= is not known to be )")
# A parenthesis after a word opens the arguments of a function, as in sqrt(pi).
_TERM = re.compile(
    rf"(?<!\w)\((?:{'|'.join(map(re.escape, sorted(_KINDS, key=len, reverse=True)))})[ )]"
)
# A symbol that is called like a head, before a sign of infix notation: it begins no term.
_INFIX = re.compile(r"\(\w+ (?:[-+*/<>=!]+|and|or|implies|if|for) ")
_TOKEN = re.compile(r"[()\[\]]|'(?:[^'\\]|\\.)*'|[^\s()\[\]]+")
_RELATIONS = {"=": "=", "!=": "!=", "<": "<", "<=": "<="}
# What variables that terms bind are called: real ones, and integers.
_LETTERS = {"R": "GHUVWXY", "Z": "ijklmno"}

_AT_VECTOR = {"M.h": "{}({})", "M.grad": "grad({}, {})", "M.hess": "hess({}, {})"}
_AFTER_MATRIX = {"M.T": ".T", "M.inv": "**(-1)"}
_TOO_LONG = "the theorem is too long"
_REMEDY = (
    f": with its hypotheses, it has {SIZE:,} parts or more, or parts within more than {DEPTH} "
    "others; give long parts a name by hypotheses, such as Eq(c, ...), or prove them in claims of "
    "their own"
)
# The longest text, in characters, of an expression that is useful in a message.
_MOST = 300


def refusal_in_words(text: str, known: Iterable[tuple[Any, Term]] = ()) -> str:
    """Return a refusal with its terms as they stand in the statement, or in infix notation.

    `known` are expressions with their terms, of which the checker may give the beginning only.
    """
    parts, end = [], 0
    start = 0
    while found := _TERM.search(text, max(start, end)):
        if _INFIX.match(text, found.start()):
            start = found.end()
            continue
        term, after = _closed(text, found.start())
        parts += [text[end : found.start()], _as_stated(term, known) or _words(term)]
        end = after
    said = "".join((*parts, text[end:])).replace(_TOO_LONG, _TOO_LONG + _REMEDY)
    return _HEAD.sub(lambda found: _KINDS[found[1]], said)


def _as_stated(term: str, known: Iterable[tuple[Any, Term]]) -> str:
    """Return the text of the expression of which this is the term, or its beginning."""
    for expression, whole in known:
        if canonical_key(whole).startswith(term):
            text = expression_text(expression)
            return text if len(text) <= _MOST else ""
    return ""


def _closed(text: str, start: int) -> tuple[str, int]:
    """Return the term that begins at a parenthesis, and where it ends; it may be cut short."""
    depth = 0
    for found in _TOKEN.finditer(text, start):
        depth += (found[0] in "([") - (found[0] in ")]")
        if depth == 0:
            return text[start : found.end()], found.end()
    return text[start:], len(text)


def _words(term: str) -> str:
    said = term_in_infix_notation(term)
    if said and len(said) <= _MOST:
        return said
    return f"{_KINDS.get(_TOKEN.findall(term)[1], 'an expression')} of the statement"


def term_in_infix_notation(term: str) -> str:
    """Return a term, of which this is the canonical form, in infix notation; or an empty text."""
    try:
        return _infix(_parsed(iter(_TOKEN.findall(term)[1:])), ())
    except (StopIteration, IndexError, ValueError, KeyError, TypeError):
        return ""


def _parsed(tokens: Iterator[str], end: str = ")") -> list[Any]:
    """Return the tree of a term: lists for what stands in parentheses, tuples for sorts."""
    parts: list[Any] = []
    while (token := next(tokens)) != end:
        if token == "(":
            parts.append(_parsed(tokens))
        elif token == "[":
            parts.append(tuple(_parsed(tokens, "]")))
        else:
            parts.append(token)
    return parts


def _infix(t: Any, names: tuple[str, ...]) -> str:
    """Return a term in infix notation; `names` are those of the variables bound around it."""
    if isinstance(t, str):
        return names[-1 - int(t[1:])]
    head, *rest = t
    if head in ("s", "pi", "oo", "-oo"):
        return str(rest[0]) if rest else head
    if head == "n":
        return rest[0] if rest[1] == "1" else f"{rest[0]}/{rest[1]}"
    if head == "^":
        return _power(rest, names)
    if head in ("+", "*"):
        return _sum(rest, names) if head == "+" else _product(rest, names)
    if head == "=" and rest[0] == rest[1]:
        return f"the existence of {_infix(rest[0], names)}"
    if head in _RELATIONS:
        return f" {head} ".join(_infix(part, names) for part in rest)
    if head in ("and", "or"):
        return f" {head} ".join(f"({_infix(part, names)})" for part in rest)
    if head == "not":
        return f"not ({_infix(rest[0], names)})"
    if head in ("implies", "iff"):
        first, second = (_infix(part, names) for part in rest)
        return f"({first}) {'implies' if head == 'implies' else 'if and only if'} ({second})"
    if head in ("f", "u"):
        start = 1 if head == "f" else 3
        return f"{rest[0]}({', '.join(_infix(part, names) for part in rest[start:])})"
    if head == "ix":
        return f"{rest[0]}[{', '.join(_infix(part, names) for part in rest[2:])}]"
    place = next((i for i, part in enumerate(rest) if isinstance(part, tuple)), None)
    if place is None:
        return _of_matrices(head, rest, names)
    return _bound(head, rest[:place], rest[place], rest[place + 1 :], names)


def _of_matrices(head: str, rest: list[Any], names: tuple[str, ...]) -> str:
    """Return a matrix in infix notation, or a term or statement on matrices."""
    if head in ("M", "M.dim", "M.id"):
        return "I" if head == "M.id" else str(rest[0])
    if head in _AT_VECTOR:
        return _AT_VECTOR[head].format(rest[0], _infix(rest[1], names))
    if head == "M.add":
        return _sum(rest, names)
    if head in ("M.psd", "M.invertible"):
        kind = {"M.psd": "positive semidefinite", "M.invertible": "invertible"}[head]
        return f"{_infix(rest[0], names)} is {kind}"
    if head == "M.scale" and rest[0] == ["n", "-1", "1"]:
        return "-" + _in_parentheses(rest[1], names, ("M.add", "M.scale"))
    if head in ("M.mul", "M.scale"):
        return "*".join(_in_parentheses(part, names, ("+", "M.add", "M.scale")) for part in rest)
    if head in _AFTER_MATRIX:
        inside = ("M.add", "M.scale", "M.mul")
        return _in_parentheses(rest[0], names, inside) + _AFTER_MATRIX[head]
    if head == "M.tr":
        return f"Trace({_infix(rest[0], names)})"
    if head == "M.eq":
        return " = ".join(_infix(part, names) for part in rest)
    raise ValueError(head)


def _bound(
    head: str, before: list[Any], sorts: tuple[Any, ...], after: list[Any], names: tuple[str, ...]
) -> str:
    own: tuple[str, ...] = ()
    for sort in sorts:
        own += (next(letter for letter in _LETTERS[sort[0]] if letter not in (*names, *own)),)
    body, *others = (
        _infix(part, (*names, *own)) if i == 0 else part for i, part in enumerate(after)
    )
    variables = ", ".join(own)
    if head == "E":
        law = _law(own, others[0], names)
        return f"E[{body}]{law}"
    ends = [_infix(part, names) for part in others]
    if head in ("int", "sum"):
        name = {"int": "Integral", "sum": "Sum"}[head]
        return f"{name}({body}, ({', '.join((variables, *ends))}))"
    if head == "forall":
        return f"{body} for all {variables}"
    if head == "d":
        return f"the derivative of {body} in {variables} at {', '.join(ends)}"
    raise ValueError(head)


def _law(own: tuple[str, ...], law: Any, names: tuple[str, ...]) -> str:
    """Return what is known of the variables of an expectation, if it is one."""
    if law[0] != "gauss" or len(own) != 1:
        return f" over {', '.join(own)}"
    mean, variance = (_infix(part, names) for part in law[2:])
    return f" for a Gaussian {own[0]} of mean {mean} and variance {variance}"


def _power(rest: list[Any], names: tuple[str, ...]) -> str:
    numerator, denominator, base = rest
    text = _in_parentheses(base, names, "+*^")
    if denominator == "1":
        return f"{text}**{numerator}" if numerator[0] != "-" else f"{text}**({numerator})"
    if (numerator, denominator) == ("1", "2"):
        return f"sqrt({_infix(base, names)})"
    return f"{text}**({numerator}/{denominator})"


def _sum(rest: list[Any], names: tuple[str, ...]) -> str:
    return " + ".join(_infix(part, names) for part in rest).replace("+ -", "- ")


def _product(rest: list[Any], names: tuple[str, ...]) -> str:
    # The canonical form is sorted by text, in which numbers stand last.
    parts = sorted(rest, key=lambda part: part[0] != "n")
    sign = "-" if parts[0][:3] == ["n", "-1", "1"] and len(parts) > 1 else ""
    return sign + "*".join(_in_parentheses(part, names, "+") for part in parts[bool(sign) :])


def _in_parentheses(t: Any, names: tuple[str, ...], heads: Collection[str]) -> str:
    text = _infix(t, names)
    is_fraction = not isinstance(t, str) and t[0] == "n" and (t[2] != "1" or t[1][0] == "-")
    # What is said of its law follows a mean.
    is_apart = t[0] in heads or t[0] == "E" or (is_fraction and "^" in heads)
    return f"({text})" if is_apart else text
