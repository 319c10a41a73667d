"""Places in terms of the first checker, whatever they are: nested tuples with a head."""

from __future__ import annotations

from typing import Any

from slrsym.checker.term import BINDERS, FORMULAS, LEAVES, PARAMETERS, Term, is_term

from .matrix_changes import MATRICES

Path = tuple[int, ...]


def is_node(t: Any) -> bool:
    return type(t) is tuple and bool(t) and type(t[0]) is str and t[0] in PARAMETERS


def nodes(t: Any, limit: int = 4_000) -> list[tuple[Path, Term]]:
    """Return all nodes of a term with their places, variables of binders included."""
    found: list[tuple[Path, Term]] = []
    left: list[tuple[Path, Any]] = [((), t)]
    while left and len(found) < limit:
        path, part = left.pop()
        if is_node(part):
            found.append((path, part))
            if part[0] in LEAVES:
                continue
            start = 1 + PARAMETERS[part[0]]
            left += [((*path, i), part[i]) for i in range(start, len(part))]
        elif type(part) is tuple:
            left += [((*path, i), p) for i, p in enumerate(part) if type(p) is tuple]
    return found


def put(t: Any, path: Path, new: Any) -> Any:
    """Return the term with another part at a place."""
    if not path:
        return new
    i, *rest = path
    return (*t[:i], put(t[i], tuple(rest), new), *t[i + 1 :])


def exchanged(t: Any, old: Any, new: Any) -> Any:
    """Return the term with another part wherever one stands, bound or not."""
    if t == old:
        return new
    if type(t) is tuple:
        parts = tuple(exchanged(p, old, new) for p in t)
        return t if all(a is b for a, b in zip(parts, t, strict=True)) else parts
    return t


def kind_of(t: Term) -> str:
    """Return the class of a node: what may stand for it."""
    if is_term(t):
        return "term"
    if t[0] in FORMULAS:
        return "formula"
    if t[0] in MATRICES:
        return "matrix"
    return "law" if t[0] in ("gauss", "noise") else t[0]


def is_binder(t: Any) -> bool:
    return is_node(t) and t[0] in BINDERS and len(t) == 4 + PARAMETERS[t[0]]
