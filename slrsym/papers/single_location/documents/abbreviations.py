"""Choice of the paper's abbreviations for a claim, and their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

from sympy import Add, Basic, Expr, Mul, Pow, Symbol, preorder_traversal, sqrt

from slrsym.documents.export.shorthand import Shorthand, symbol_and_function_names
from slrsym.documents.typeset.boxes import (
    Atom,
    Box,
    Operator,
    Root,
    ScriptBox,
    number_box,
    row_of_boxes,
)
from slrsym.papers.single_location import notation
from slrsym.papers.single_location.documents.task_shorthand import (
    DRIFT,
    MEAN,
    SMALL_A,
    SPREAD,
    A,
    B,
    TaskShorthand,
)


def choose_abbreviations(
    expressions: Iterable[Any], *, risk: bool = True, risk_on_m: bool = True
) -> TaskShorthand:
    """Choose the paper's abbreviations that fit some expressions; return them."""
    expressions = list(expressions)
    taken = symbol_and_function_names(expressions)
    spreads: Counter[Expr] = Counter()
    for expr in expressions:
        for node in preorder_traversal(expr):
            if isinstance(node, Pow) and node.exp.is_Rational and node.exp.q == 2:
                found = _spread(node.base)
                if found is not None:
                    spreads[found] += 1
    result = TaskShorthand(risk=risk, risk_on_m=risk_on_m)
    own = notation.lam * notation.gamma
    if own in spreads:
        result.spread = own
    elif spreads:
        most = max(spreads.values())
        result.spread = min((x for x, n in spreads.items() if n == most), key=str)
    paper = any(notation.d in e.free_symbols for e in expressions)
    letters: dict[Symbol, Expr] = {}
    if paper:
        letters[DRIFT] = sqrt(notation.d / 2)
    if "s" not in taken and (paper or result.spread == own):
        letters[SPREAD] = own
    if "t" not in taken and paper:
        letters[MEAN] = notation.lam * DRIFT * notation.kappa
    if not {"A", "B"} & taken and result.spread is not None:
        inner = SPREAD if result.spread == own and SPREAD in letters else result.spread
        letters[A] = sqrt(1 + 2 * inner**2)
        letters[B] = sqrt(1 + 4 * inner**2)
        if "a" not in taken and MEAN in letters:
            letters[SMALL_A] = MEAN / A
    result.letters = letters
    return result


def has_meaning_of_notation_table(shorthand: Shorthand, letter: Symbol) -> bool:
    """Return whether a claim's abbreviations define a letter as the table of notation does."""
    own = notation.lam * notation.gamma
    mean, root = notation.lam * sqrt(notation.d / 2) * notation.kappa, sqrt(1 + 2 * own**2)
    meant = {SPREAD: own, MEAN: mean, A: root, B: sqrt(1 + 4 * own**2), SMALL_A: mean / root}
    return (
        letter in meant
        and shorthand.meaning(letter).subs(DRIFT, sqrt(notation.d / 2)) == meant[letter]
    )


def _spread(base: Expr) -> Expr | None:
    """Return x, a product of symbols, if an expression is 1 + 2 x^2 or 1 + 4 x^2; else None."""
    if not isinstance(base, Add) or len(base.args) != 2:
        return None
    one, rest = base.as_coeff_Add()
    if one != 1:
        return None
    number, square = rest.as_coeff_Mul()
    if number not in (2, 4):
        return None
    root = Mul(*(Pow(b, e / 2) for b, e in square.as_powers_dict().items()))
    letters = Mul.make_args(root)
    return root if all(x.is_Symbol for x in letters) and root**2 == square else None


def _letter(stem: str, *below: Box) -> Box:
    return ScriptBox(Atom(stem), row_of_boxes(list(below)))


_PLUS = Operator("+", "prefix")
_SECOND = {x: ScriptBox(Atom(x), number_box(2)) for x in ("kappa", "nu")}

# How the letters are written.
PLANAR_NAMES: dict[str, Box] = {
    "kappa_+": _letter("kappa", _PLUS),
    "nu_+": _letter("nu", _PLUS),
    "kappa_2+": _letter("kappa", number_box(2), _PLUS),
    "nu_2+": _letter("nu", number_box(2), _PLUS),
    "R_kappa": _letter("R", Atom("kappa")),
    "R_nu": _letter("R", Atom("nu")),
    "R_kappa_2": _letter("R", _SECOND["kappa"]),
    "R_nu_2": _letter("R", _SECOND["nu"]),
}
_STEPS = ("kappa_+", "nu_+", "kappa_2+", "nu_2+")
# Fewer times are not worth a letter.
_OFTEN = 2


@cache
def planar_step_abbreviations() -> dict[str, Expr]:
    """Return the planar map's letters and their definitions as a dict, `C` and `K` last."""
    from slrsym.papers.single_location import planar

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


def with_planar_letters(shorthand: TaskShorthand, shown: Collection[Basic]) -> TaskShorthand:
    """Return a claim's abbreviations, with the planar map's letters if its formulas use them."""
    taken = symbol_and_function_names(shown)
    of_map = (notation.alpha, notation.lam, notation.gamma, notation.d)
    if not {symbol.name for symbol in of_map} <= taken:
        return shorthand
    wanted = {n: v for n, v in planar_step_abbreviations().items() if n not in taken}
    every = _with(shorthand, wanted)
    counts: Counter[str] = Counter()
    for e in shown:
        counts.update(s.name for s in _letters(every(e)))
    # A slope is written out where the claim is not about the map.
    steps = {n for n in _STEPS if counts[n]}
    kept = steps | {n for n in ("C", "K") if counts[n] >= 1}
    if steps:
        inside = [
            every.letter_definition(letter)
            for letter in every.local.values()
            if letter.name in steps
        ]
        for e in inside:
            counts.update(s.name for s in _letters(e))
        kept |= {n for n in wanted if n.startswith("R_") and counts[n] >= _OFTEN}
    return _with(shorthand, {n: v for n, v in wanted.items() if n in kept})


def planar_map_shorthand_and_letters() -> tuple[TaskShorthand, list[Symbol]]:
    """Return abbreviations for the planar map's formulas, and their letters except `C`, `K`."""
    wanted = planar_step_abbreviations()
    shorthand = _with(choose_abbreviations(wanted.values()), wanted)
    letters = [x for x in shorthand.local.values() if x.name not in ("C", "K")]
    return shorthand, letters


@cache
def derivative_letter_definitions() -> dict[str, Expr]:
    """Return the letters of the risk's partial derivatives, with their closed forms, as a dict."""
    from slrsym.papers.single_location.symbolic import gradient

    return {f"D_{x}": value for x, value in zip(notation.ORDER_PARAMETERS, gradient(), strict=True)}


def is_defined_in_notation_table(letter: Symbol, value: Expr) -> bool:
    """Return whether the paper's table of notation defines a letter as the given expression."""
    if letter.name.startswith("D_"):
        return bool(derivative_letter_definitions().get(letter.name) == value)
    return letter.name not in ("C", "K") and planar_step_abbreviations().get(letter.name) == value


def _with(shorthand: TaskShorthand, wanted: dict[str, Expr]) -> TaskShorthand:
    for name, value in wanted.items():
        shorthand = shorthand.with_letter(Symbol(name, real=True), value)
    return shorthand


def _letters(expr: Basic) -> list[Symbol]:
    return [node for node in preorder_traversal(expr) if isinstance(node, Symbol)]


NAMES: dict[str, Box] = {
    "sqrt(d/2)": Root(row_of_boxes([Atom("d"), Operator("/", "slash"), number_box(2)])),
    "R(6)": Atom("mathcal{R}"),
    "R^": Atom(r"widehat{\mathcal{R}}"),
    "R<": ScriptBox(Atom("mathcal{R}"), above=Operator("<", "prefix")),
}
