"""Choice of the paper's abbreviations for a claim, and their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from itertools import islice
from typing import Any

from sympy import Add, Basic, Expr, Mul, Pow, Symbol, preorder_traversal, sqrt
from sympy.core.function import AppliedUndef
from sympy.tensor.indexed import Indexed

from slrsym.documents.typeset import FormulaPrinter, to_latex, widest_unbreakable_width
from slrsym.documents.typeset.boxes import (
    Atom,
    Box,
    Operator,
    Root,
    ScriptBox,
    number_box,
    row_of_boxes,
)
from slrsym.documents.typeset.letters import MOST_PRIMES
from slrsym.documents.typeset.letters import box_of_symbol_name as drawn
from slrsym.gaussian import Expectation, IIDSum
from slrsym.gaussian.law import Law
from slrsym.papers.single_location import notation
from slrsym.papers.single_location.documents.shorthand import (
    DRIFT,
    MEAN,
    SMALL_A,
    SPREAD,
    A,
    B,
    Shorthand,
    symbol_and_function_names,
)
from slrsym.prover.statements.expressions import expression_text, free_symbols


def choose_abbreviations(
    expressions: Iterable[Any], *, risk: bool = True, risk_on_m: bool = True
) -> Shorthand:
    """Choose the paper's abbreviations that fit some expressions; return them as a Shorthand."""
    expressions = list(expressions)
    taken = symbol_and_function_names(expressions)
    spreads: Counter[Expr] = Counter()
    for expr in expressions:
        for node in preorder_traversal(expr):
            if isinstance(node, Pow) and node.exp.is_Rational and node.exp.q == 2:
                found = _spread(node.base)
                if found is not None:
                    spreads[found] += 1
    result = Shorthand(risk=risk, risk_on_m=risk_on_m)
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


def with_planar_letters(shorthand: Shorthand, shown: Collection[Basic]) -> Shorthand:
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


def planar_map_shorthand_and_letters() -> tuple[Shorthand, list[Symbol]]:
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


def _with(shorthand: Shorthand, wanted: dict[str, Expr]) -> Shorthand:
    for name, value in wanted.items():
        shorthand = shorthand.with_letter(Symbol(name, real=True), value)
    return shorthand


def _letters(expr: Basic) -> list[Symbol]:
    return [node for node in preorder_traversal(expr) if isinstance(node, Symbol)]


# What cannot be broken has to be narrower than this, in em; what a letter stands for has to be
# wider than that, and fit on a line itself.
_ROOM, _LEAST, _MOST = 33.0, 7.0, 36.0
_LETTERS = ("S", "W", "Q", "N", "M")
_MOST_LETTERS = 8
# With fewer parts a formula fits in any case.
_FEW = 35


def extend_shorthand_to_fit_page(
    shorthand: Shorthand,
    shown: Collection[Basic],
    symbols: Collection[Symbol],
    printer_of: Callable[[Shorthand], FormulaPrinter],
) -> tuple[Shorthand, FormulaPrinter]:
    """Add abbreviations until every formula fits the page; return them and the printer.

    Also the printer, which knows the formulas that it has measured.
    """
    printer = printer_of(shorthand)
    taken = symbol_and_function_names(shown)
    stem = next((x for x in _LETTERS if not any(t.startswith(x) for t in taken)), None)
    if stem is None:
        return shorthand, printer
    free = set(symbols)
    sides = [side for e in shown for side in _sides(e)]
    # A letter makes nothing wider.
    wide = [e for e in dict.fromkeys(sides) if any(islice(preorder_traversal(e), _FEW, None))]
    for place in range(1, _MOST_LETTERS + 1):
        wide = [e for e in wide if widest_unbreakable_width(printer.box(shorthand(e))) > _ROOM]
        best = _candidate(wide, shorthand, printer, free)
        if best is None:
            break
        shorthand = shorthand.with_letter(Symbol(f"{stem}_{place}", real=True), best)
        printer = printer_of(shorthand)
    return shorthand, printer


def _sides(statement: Any) -> list[Any]:
    """Return a list of the expressions on both sides of all relations in a statement."""
    if isinstance(statement, Expr):
        return [statement]
    if isinstance(statement, Law):
        return []
    return [side for arg in statement.args for side in _sides(arg)]


def _candidate(
    wide: list[Expr], shorthand: Shorthand, printer: FormulaPrinter, free: set[Symbol]
) -> Expr | None:
    """Return the subexpression whose abbreviation shortens the formulas most."""
    counts = Counter(node for side in wide for node in islice(preorder_traversal(side), 1, None))
    worth: dict[Expr, float] = {}
    for node, count in counts.items():
        if not isinstance(node, Expr) or isinstance(node, Law) or not node.args:
            continue
        own = {s for s in free_symbols(node) if isinstance(s, Symbol)}
        if not own or not own <= free or node in shorthand.local:
            continue
        if node.has(AppliedUndef, Expectation):
            continue
        width = printer.box(shorthand(node)).width
        if _LEAST < width < _MOST:
            worth[node] = (width - 2) * count
    most = max(worth.values(), default=0.0)
    return min(
        (node for node, value in worth.items() if value == most), key=expression_text, default=None
    )


NAMES: dict[str, Box] = {
    "sqrt(d/2)": Root(row_of_boxes([Atom("d"), Operator("/", "slash"), number_box(2)])),
    "R(6)": Atom("mathcal{R}"),
    "R^": Atom(r"widehat{\mathcal{R}}"),
    "R<": ScriptBox(Atom("mathcal{R}"), above=Operator("<", "prefix")),
}


def printed_letter_meanings(
    shown: list[Basic], shorthand: Shorthand, printer: FormulaPrinter
) -> dict[str, Any]:
    """Return what printed letters stand for, by their LaTeX; key `laws` has laws by symbol."""
    names: dict[str, Any] = {}
    for expr in shown:
        for node in preorder_traversal(expr):
            if isinstance(node, Indexed):
                label = to_latex(printer.symbol(node.base.label))
                names.setdefault(f"{label}_", node.base)
            elif isinstance(node, Symbol):
                names.setdefault(to_latex(printer.symbol(node)), node)
            elif isinstance(node, AppliedUndef):
                names.setdefault(to_latex(printer.symbol(node.func)), node.func)
            elif isinstance(node, Expectation | IIDSum):
                for symbol in node.law.symbols:
                    names.setdefault(to_latex(printer.symbol(symbol)), symbol)
    for function, meaning in shorthand.functions.items():
        names[to_latex(printer.symbol(function))] = meaning
        for node in meaning.expr.atoms(Symbol):
            names.setdefault(to_latex(printer.symbol(node)), node)
    for letter in shorthand.letters:
        if letter.name not in NAMES:
            names[to_latex(printer.symbol(letter))] = shorthand.meaning(letter)
    laws: dict[Symbol, Law] = dict(printer.laws or {})
    for symbol in laws:
        names.setdefault(to_latex(printer.symbol(symbol)), symbol)
    names.setdefault("d", notation.d)
    return names | {"laws": laws}


def boxes_of_clashing_symbols(
    symbols: Iterable[Symbol], names: Mapping[str, Box]
) -> dict[Symbol, Box]:
    """Return boxes with primes for those symbols that would look like another one in print."""
    taken: set[str] = set()
    found: dict[Symbol, Box] = {}
    # What differs in its assumptions alone is in the same order each time.
    for symbol in sorted(symbols, key=lambda x: (x.name, str(sorted(x.assumptions0.items())))):
        box = names.get(symbol.name) or drawn(symbol.name)
        count = 0
        # A star leaves no room for more.
        while to_latex(box) in taken and count < 2 * MOST_PRIMES:
            count += 1
            mark = "'" * count if count <= MOST_PRIMES else f"^{count}"
            found[symbol] = box = drawn(f"{symbol.name}{mark}")
        taken.add(to_latex(box))
    return found
