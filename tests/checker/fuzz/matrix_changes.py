"""One change of a node about matrices, and other names for letters and sizes."""

from __future__ import annotations

from random import Random
from typing import Any

from slrsym.checker.extensions.matrix_language import SORTS
from slrsym.checker.term import Term, num

_SIZES = ("d", "N", "1", "2", "n", "m")
_FAMILIES = ("", "", "F", "H")
_NAMES = ("A", "B", "Q", "L", "K", "X", "Y", "Z", "X'")
_FUNCTIONS = ("h", "k", "f", "h'", "x", "d", "exp", "e", "h^2")
_FORMULAS = ("M.eq", "M.psd", "M.invertible")
OF_FUNCTIONS = ("M.h", "M.grad", "M.hess")
HEADS = frozenset({"M", "M.id", "M.dim", "M.mul", "M.add", "M.scale", "M.T", "M.inv", "M.tr",
                   "M.gauss", *OF_FUNCTIONS, *_FORMULAS})  # fmt: skip
MATRICES = frozenset({"M", "M.id", "M.mul", "M.add", "M.scale", "M.T", "M.inv", "M.grad", "M.hess"})


def changed_node(rng: Random, t: Term) -> Term:
    """Return a node with one change at its top; its sizes mostly go on to fit."""
    head = t[0]
    if head == "M":
        return _changed_letter(rng, t)
    if head in ("M.id", "M.dim"):
        return (head, rng.choice(_SIZES))
    if head in OF_FUNCTIONS and rng.random() < 0.6:
        return rng.choice(((rng.choice(OF_FUNCTIONS), *t[1:]), (head, rng.choice(_FUNCTIONS), t[2]),
                           (head, t[1], ("M.add", t[2])), (head, t[1], ("M.T", t[2]))))  # fmt: skip
    if head == "M.h":
        return ("*", num(-1), t)
    if head in MATRICES and rng.random() < 0.25:
        return rng.choice((("M.T", t), ("M.scale", num(rng.choice((-1, 0, 2))), t), ("M.mul", t),
                           ("M.add", t), ("M.T", ("M.T", t)), ("M.add", t, t)))  # fmt: skip
    if head in ("M.grad", "M.hess"):
        return ("M.T", t)
    if head in ("M.T", "M.inv"):
        return rng.choice((t[1], ({"M.T": "M.inv", "M.inv": "M.T"}[head], t[1])))
    if head == "M.scale":
        return rng.choice((t[2], (head, ("*", num(-1), t[1]), t[2]), (head, num(0), t[2])))
    if head == "M.tr":
        return rng.choice((("*", num(-1), t), ("M.tr", ("M.T", t[1])), ("M.dim", "d")))
    if head == "M.gauss":
        return rng.choice(((head, t[2], t[1]), (head, t[1]), (head, t[2], t[2])))
    if head == "M.eq":
        return rng.choice(((head, t[2], t[1]), (head, t[1], t[1]), ("M.psd", t[1])))
    if head in _FORMULAS:
        return (rng.choice(_FORMULAS), *t[1:])
    return _changed_parts(rng, t)


def _changed_letter(rng: Random, t: Term) -> Term:
    what = rng.random()
    if what < 0.2:
        return ("M.T", t)
    if what < 0.4:
        return ("M.inv", t)
    if what < 0.6:
        return ("M", rng.choice(_NAMES), *t[2:])
    if what < 0.75:
        return (*t[:2], rng.choice(SORTS), *t[3:])
    if what < 0.85:
        return (*t[:5], rng.choice(_FAMILIES))
    rows, columns = rng.choice((t[4:2:-1], (rng.choice(_SIZES), t[4]), (t[3], rng.choice(_SIZES))))
    return (*t[:3], rows, columns, t[5])


def _changed_parts(rng: Random, t: Term) -> Term:
    """Return a product or a sum with its parts in another order, or one more or less."""
    parts = list(t[1:])
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    what = rng.random()
    if what < 0.4:
        parts[i], parts[j] = parts[j], parts[i]
    elif what < 0.6:
        parts = parts[i:] + parts[:i]
    elif what < 0.7:
        parts.insert(i, parts[j])
    elif what < 0.8 and len(parts) > 1:
        del parts[i]
    elif what < 0.9 and len(parts) > 2:
        k = min(i, len(parts) - 2)
        parts[k : k + 2] = [(t[0], *parts[k : k + 2])]
    else:
        return ({"M.mul": "M.add", "M.add": "M.mul"}[t[0]], *parts)
    return (t[0], *parts)


def renamed(t: Any, old: str, new: str, where: tuple[int, ...]) -> Any:
    """Return a term with another text in the given places of letters, 1 and sizes."""
    if type(t) is not tuple or not t:
        return t
    if t[0] == "M" and len(t) == 6:
        return tuple(new if i in where and p == old else p for i, p in enumerate(t))
    if t[0] in ("M.id", "M.dim") and len(t) == 2:
        return (t[0], new) if 3 in where and t[1] == old else t
    return tuple(renamed(p, old, new, where) if type(p) is tuple else p for p in t)


def random_renaming(rng: Random, letters: list[Term]) -> tuple[str, str, tuple[int, ...]]:
    """Return what one of some letters has as a name, a size or a family, and a text for it."""
    t = rng.choice(letters)
    where, texts = rng.choice((((1,), _NAMES), ((3, 4), _SIZES), ((5,), _FAMILIES)))
    return t[where[0]], rng.choice(texts), where
