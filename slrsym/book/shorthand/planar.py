"""Letters for the planar map of Lemma 7: where a step takes a point, and the slopes there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import cache

from sympy import Basic, Expr, Symbol, preorder_traversal

from slrsym import notation
from slrsym.book.shorthand.names import names_in
from slrsym.book.shorthand.rewriting import Shorthand
from slrsym.typeset.boxes import Box, Operator, Script, identifier, number, row

__all__ = ["PLANAR_NAMES", "with_planar_letters"]


def _letter(stem: str, *below: Box) -> Box:
    return Script(identifier(stem), row(list(below)))


_PLUS = Operator("+", "prefix")
_SECOND = {x: Script(identifier(x), number(2)) for x in ("kappa", "nu")}

# How the letters are written.
PLANAR_NAMES: dict[str, Box] = {
    "kappa_+": _letter("kappa", _PLUS),
    "nu_+": _letter("nu", _PLUS),
    "kappa_2+": _letter("kappa", number(2), _PLUS),
    "nu_2+": _letter("nu", number(2), _PLUS),
    "R_kappa": _letter("R", identifier("kappa")),
    "R_nu": _letter("R", identifier("nu")),
    "R_kappa_2": _letter("R", _SECOND["kappa"]),
    "R_nu_2": _letter("R", _SECOND["nu"]),
}
_STEPS = ("kappa_+", "nu_+", "kappa_2+", "nu_2+")
# Fewer times are not worth a letter.
_OFTEN = 2


@cache
def _meanings() -> dict[str, Expr]:
    from slrsym import planar

    here = {notation.kappa: planar.kappa2, notation.nu: planar.nu2}
    slope = planar.R_kappa(notation.kappa, notation.nu)
    first = {
        "kappa_+": planar.kappa_next,
        "nu_+": planar.nu_next,
        "R_kappa": slope,
        "R_nu": planar.R_nu(notation.kappa),
    }
    second = {
        "kappa_2+": planar.kappa_next.subs(here, simultaneous=True),
        "nu_2+": planar.nu_next.subs(here, simultaneous=True),
        "R_kappa_2": slope.subs(here, simultaneous=True),
        "R_nu_2": planar.R_nu(planar.kappa2),
    }
    constants = {"C": planar.C, "K": planar.K}
    steps = {name: (first | second)[name] for name in _STEPS}
    return {**steps, **first, **second, **constants}


def with_planar_letters(shorthand: Shorthand, shown: Collection[Basic]) -> Shorthand:
    """The abbreviations, and letters for the planar map where a claim speaks of it."""
    taken = names_in(shown)
    of_map = (notation.alpha, notation.lam, notation.gamma, notation.d)
    if not {symbol.name for symbol in of_map} <= taken:
        return shorthand
    wanted = {n: v for n, v in _meanings().items() if n not in taken}
    every = _with(shorthand, wanted)
    counts: Counter[str] = Counter()
    for e in shown:
        counts.update(s.name for s in _letters(every(e)))
    # A slope is written out where the claim is not about the map.
    steps = {n for n in _STEPS if counts[n]}
    kept = steps | {n for n in ("C", "K") if counts[n] >= 1}
    if steps:
        inside = [every.inside(letter) for letter in every.local.values() if letter.name in steps]
        for e in inside:
            counts.update(s.name for s in _letters(e))
        kept |= {n for n in wanted if n.startswith("R_") and counts[n] >= _OFTEN}
    return _with(shorthand, {n: v for n, v in wanted.items() if n in kept})


def _with(shorthand: Shorthand, wanted: dict[str, Expr]) -> Shorthand:
    for name, value in wanted.items():
        shorthand = shorthand.with_letter(Symbol(name, real=True), value)
    return shorthand


def _letters(expr: Basic) -> list[Symbol]:
    return [node for node in preorder_traversal(expr) if isinstance(node, Symbol)]
