"""The key, a canonical printing of terms (section 3)."""

import json

from .nodes import BINDERS, Node

_UNORDERED = frozenset(("+", "*", "=", "!=", "and", "or", "iff", "set"))
_FLAT = frozenset(("+", "*", "and", "or"))
_KEYS = {}


def key(t):
    """Return the canonical printing of a term."""
    if t.memo_key is None:
        t.memo_key = printed(t, ())
    return t.memo_key


def printed(t, names):
    """Return the printing of a term inside of variables (innermost last)."""
    if t.head in ("s", "M") and t in names:
        return f"b{names[::-1].index(t)}"
    if names and t.free.isdisjoint(names):
        return key(t)
    if not names and t.memo_key is not None:
        return t.memo_key
    tag = (t, names)
    if names and tag in _KEYS:
        return _KEYS[tag]
    pieces = [t.head]
    for p in t.params:
        pieces.append(json.dumps(p) if t.head == "text" else str(p))
    if t.head in BINDERS:
        pieces.append(f"[{' '.join(' '.join(x.params[1:]) for x in t.vars)}]")
        inner = names + t.vars
        shown = [printed(p, inner) for p in t.inside] + [printed(p, names) for p in t.outside]
    else:
        parts = flattened(t.head, t.parts) if t.head in _FLAT else t.parts
        shown = [printed(p, names) for p in parts]
        if t.head in _UNORDERED:
            shown.sort()
    out = f"({' '.join(pieces + shown)})"
    if names:
        _KEYS[tag] = out
    return out


def flattened(head, parts):
    """Return the parts with brackets of the same head removed."""
    out = []
    for p in parts:
        if p.head == head:
            out.extend(flattened(head, p.parts))
        else:
            out.append(p)
    return out


def same(a, b):
    """Tell whether two terms have the same key."""
    return a is b or key(a) == key(b)


def show(data, limit=300):
    """Return a printing of anything for messages; a node may be ill-formed."""
    try:
        text = key(data) if isinstance(data, Node) else data if type(data) is str else repr(data)
    except (AttributeError, IndexError, TypeError, ValueError, RecursionError):
        text = f"a node {data.head}" if isinstance(data, Node) else "something too long"
    return text if len(text) <= limit else text[:limit] + "..."
