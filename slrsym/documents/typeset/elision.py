"""Elision of the terms that two consecutive lines of a derivation share."""

from __future__ import annotations

from collections import Counter

from slrsym.documents.typeset.boxes import Atom, Box, BracketedBox, Operator, RowBox, row_of_boxes

# A term of a sum, and whether it is taken away.
Term = tuple[bool, Box]

REST = Atom("cdots")


def signed_terms_of_sum(box: Box) -> list[Term]:
    """Return the terms of a typeset sum as pairs: whether it is subtracted, and its box."""
    found: list[tuple[bool, list[Box]]] = [(False, [])]
    for part in box.parts if isinstance(box, RowBox) else (box,):
        sign = part.text if isinstance(part, Operator) and part.text in ("+", "-") else ""
        if sign and part == Operator(sign, "binary", breaks=True):
            found.append((sign == "-", []))
        elif sign == "-" and found == [(False, [])]:
            found = [(True, [])]
        else:
            found[-1][1].append(part)
    return [(negative, row_of_boxes(parts)) for negative, parts in found]


def elide_terms_shared_with_previous_sum(before: Box, after: Box) -> Box:
    r"""Return a typeset sum with dots in place of the terms that it shares with an earlier sum.

    Examples
    --------
    >>> from slrsym.documents.typeset import to_latex
    >>> a, b, c, plus = *map(Atom, "abc"), Operator("+", breaks=True)
    >>> before, after = [a, plus, b, plus, a], [a, plus, c, plus, a]
    >>> to_latex(elide_terms_shared_with_previous_sum(row_of_boxes(before), row_of_boxes(after)))
    '\\cdots + c + \\cdots'
    """
    old, new = signed_terms_of_sum(before), signed_terms_of_sum(after)
    same = Counter(old) & Counter(new)
    if len(new) < 2 or not same:
        return after
    gone = list((Counter(old) - same).elements())
    shown: list[Term] = []
    for negative, term in new:
        if same[negative, term]:
            same[negative, term] -= 1
            if shown[-1:] != [(False, REST)]:
                shown.append((False, REST))
        else:
            shown.append(
                (negative, _elide_in_one_bracket(term, [t for n, t in gone if n == negative]))
            )
    parts: list[Box] = []
    for negative, term in shown:
        sign = "-" if negative else "+"
        if parts:
            parts.append(Operator(sign, "binary", breaks=True))
        elif negative:
            parts.append(Operator(sign, "prefix"))
        parts.append(term)
    return row_of_boxes(parts)


def _elide_in_one_bracket(term: Box, gone: list[Box]) -> Box:
    """Return a term with dots for what its one bracket shares with that of an earlier term."""
    parts = term.parts if isinstance(term, RowBox) else (term,)
    for other in gone:
        before = other.parts if isinstance(other, RowBox) else (other,)
        if len(before) != len(parts):
            continue
        new = [place for place, part in enumerate(parts) if part != before[place]]
        inner = [(before[place], parts[place]) for place in new]
        if len(inner) == 1 and all(isinstance(part, BracketedBox) for part in inner[0]):
            old, fence = inner[0]
            body = elide_terms_shared_with_previous_sum(old.body, fence.body)  # type: ignore[attr-defined]
            made = BracketedBox(fence.opening, body, fence.closing, fence.breaks)  # type: ignore[attr-defined]
            return row_of_boxes([*parts[: new[0]], made, *parts[new[0] + 1 :]])
    return term
