"""Texts about claims: titles, proof ideas, justifications of steps, and assumptions.

Titles and ideas are plain text, written for a terminal. Formulas in them stand between dollar
signs, in the same plain notation, such as ``$E erf'(t + gamma G)$``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sympy import Basic, Expr, Lambda, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.tensor.indexed import Indexed

from slrsym.documents.export.document import (
    Block,
    ClaimReference,
    Inline,
    LatexMath,
    Math,
    Paragraph,
    Text,
    join_list,
)
from slrsym.documents.export.matrix_letters import function_sentences, matrix_sentences
from slrsym.documents.typeset import Box, FormulaPrinter, PrintingOrder
from slrsym.documents.typeset.boxes import (
    Atom,
    RowBox,
    comma_separated_row,
    number_box,
    relation_box,
    row_of_boxes,
)
from slrsym.documents.typeset.letters import GREEK, tex_name_of_greek_letter
from slrsym.gaussian.law import Law, ProductLaw
from slrsym.matrices import Letter, SmoothFunction
from slrsym.prover.claims.claim import Claim
from slrsym.prover.rules.axioms import AXIOMS
from slrsym.prover.rules.lemmas import Lemma
from slrsym.prover.statements.words import InWords

_FUNCTIONS = {
    "erf": "erf", "erfc": "erfc", "exp": "exp", "log": "log", "atan": "arctan", "asin": "arcsin",
    "sinh": "sinh", "cos": "cos", "sin": "sin", "Cov": "Cov", "Var": "Var", "max": "max",
    "min": "min", "tr": "tr",
}  # fmt: skip
_SIGNS = {
    "<=": r"\le ", ">=": r"\ge ", "=>": r"\Rightarrow ", "!=": r"\ne ", "+-": r"\pm ",
    "->": r"\to ", "*": r"\,", ".": r"\cdot ", "in": r"\in ", "infinity": r"\infty ",
    "grad": r"\nabla ", "sum": r"\sum ", "E": r"\mathbb{E}\,", "{": r"\{", "}": r"\}", "%": r"\%",
    "#": r"\#", "&": r"\&", "~": r"\sim ", "^": r"\wedge ", "_": r"\_",
}  # fmt: skip
_TOKEN = re.compile(r"\d+e-?\d+|[A-Za-z]+|\d+(?:\.\d+)?|<=|>=|=>|!=|\+-|->|\S")


def _latex(text: str) -> str:
    """Convert a formula in plain notation to LaTeX; LaTeX, with a backslash, stays as it is."""
    if "\\" in text:
        return text.strip()
    # A star at the end of a letter is no product.
    text = re.sub(r"(?<=\w)\*(?![\w(])", "\u22c6", text)
    tokens = _TOKEN.findall(re.sub(r"sqrt (\w+)", r"sqrt(\1)", text))
    return re.sub(r" +(?=[^\w]|$)", "", _row(tokens)).strip()


def _row(tokens: list[str]) -> str:
    result = ""
    while tokens:
        token = tokens.pop(0)
        if token == "sqrt" and tokens[:1] == ["("]:
            tokens.pop(0)
            result += rf"\sqrt{{{_row(_bracket(tokens))}}}"
        elif token in ("^", "_") and result and tokens:
            scripts = [_script(tokens)]
            while tokens[:1] == ["_"] == [token] and len(tokens) > 1:
                tokens.pop(0)
                scripts.append(_script(tokens))
            result += f"{token}{{{' '.join(scripts)}}}"
        elif token == "\u22c6":
            result = f"{result.rstrip()}^{{\\star}}"
        elif token in _SIGNS:
            result += _SIGNS[token]
        elif token in _FUNCTIONS:
            result += rf"\operatorname{{{_FUNCTIONS[token]}}}"
        elif token in GREEK:
            result += rf"\{'varepsilon' if token == 'epsilon' else token} "
        elif not token.isascii():
            shown = _character(token)
            result += f"{shown[1:-1]} " if shown[0] == "$" else rf"\text{{{shown}}}"
        elif power := re.fullmatch(r"(\d+)e(-?\d+)", token):
            factor = "" if power[1] == "1" else rf"{power[1]}\cdot "
            result += rf"{factor}10^{{{power[2]}}}"
        elif len(token) > 2 and token.isalpha():
            result += rf"\operatorname{{{token}}}"
        else:
            result += token
    return result


def _script(tokens: list[str]) -> str:
    """Remove a subscript or superscript from the front of the tokens, and return its LaTeX."""
    first = tokens.pop(0)
    if first == "-" and tokens:
        return f"-{_script(tokens)}"
    return _row(_bracket(tokens, first) if first in ("(", "{") else [first])


def _bracket(tokens: list[str], opening: str = "(") -> list[str]:
    """Remove the tokens up to the closing bracket, and return those inside."""
    depth, inside = 1, []
    closing = {"(": ")", "{": "}"}[opening]
    while tokens:
        token = tokens.pop(0)
        depth += {opening: 1, closing: -1}.get(token, 0)
        if depth == 0:
            break
        inside.append(token)
    return inside


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
_NAMED = re.compile("|".join(map(re.escape, _SPECIAL)))
_CODE = re.compile(r"`+([^`]+)`+")
_OPENING_QUOTE = re.compile(r'(?<![^\s(\[])"')

_LATIN = set("àáâäåæçèéêëìíîïñòóôöøùúûüßÀÁÄÅÉÖØÜ–—‘’“”")
# What stands above or below a letter, as TeX puts it there.
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
_LETTERS = {
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "Æ": r"\AE{}",
    "…": r"\dots{}",
}
_SYMBOLS = {
    "≤": "le", "≥": "ge", "≠": "ne", "≈": "approx", "±": "pm", "×": "times", "·": "cdot",
    "⋅": "cdot", "→": "to", "⇒": "Rightarrow", "∞": "infty", "∈": "in", "∂": "partial",
    "∇": "nabla", "∑": "sum", "∫": "int", "⟂": "perp", "⋆": "star", "°": "circ", "−": "-",
    "²": "^2", "³": "^3", "′": "'", "ℝ": "mathbb{R}", "√": "surd",
}  # fmt: skip


def escape_latex(text: str) -> str:
    """Escape plain text for LaTeX."""
    parts = _CODE.split(text)
    # Every second one stood between backticks.
    parts[::2] = [
        _characters(_OPENING_QUOTE.sub("``", part).replace('"', "''")) for part in parts[::2]
    ]
    parts[1::2] = [f"\\texttt{{{_characters(part)}}}" for part in parts[1::2]]
    return "".join(parts)


def _characters(text: str) -> str:
    text = _NAMED.sub(lambda match: _SPECIAL[match[0]], text)
    return "".join(map(_character, unicodedata.normalize("NFC", text)))


def _character(c: str) -> str:
    if c.isascii() or c in _LATIN:
        return c
    if c in _LETTERS:
        return _LETTERS[c]
    if c in _SYMBOLS:
        sign = _SYMBOLS[c]
        return f"$\\{sign}$" if sign[0].isalpha() else f"${sign}$"
    greek = tex_name_of_greek_letter(c)
    if greek:
        return f"$\\{greek}$"
    base, *marks = list(unicodedata.normalize("NFD", c))
    if base.isascii() and len(marks) == 1 and marks[0] in _ACCENTS:
        base = f"\\{base}" if base in "ij" else base
        return f"\\{_ACCENTS[marks[0]]}{{{base}}}"
    return "?"


# What a reason may be wide, in em, beyond the name of the claim.
_ROOM = 22.0


def split_at_dollar_signs(text: str) -> tuple[Inline, ...]:
    r"""Split plain text at dollar signs into words and formulas.

    Examples
    --------
    >>> split_at_dollar_signs("slope of $zeta$ at $t = 0$")
    (Text(text='slope of '), LatexMath(latex='\\zeta'), Text(text=' at '), LatexMath(latex='t=0'))
    """
    parts = text.split("$")
    # A dollar that has no other is one.
    if len(parts) % 2 == 0:
        return (Text(text),)
    made = (LatexMath(_latex(p)) if place % 2 else Text(p) for place, p in enumerate(parts))
    return tuple(part for part in made if part not in (Text(""), LatexMath("")))


# A statement of the paper as one speaks of it.
_NAMED_STATEMENT = re.compile(
    r"\b(Theorem|Lemma|Proposition|Corollary|Definition|Assumption) (\d+)(?: \(([ivx]+)\))?"
)


def insert_references(parts: Iterable[Inline], known: Collection[str]) -> tuple[Inline, ...]:
    """Replace names such as "Lemma 4" in a text by references to known claims.

    Examples
    --------
    >>> insert_references((Text("By Lemma 4."),), ["lemma-4"])
    (Text(text='By '), ClaimReference(id='lemma-4'), Text(text='.'))
    """
    made: list[Inline] = []
    for part in parts:
        if not isinstance(part, Text):
            made.append(part)
            continue
        place = 0
        for found in _NAMED_STATEMENT.finditer(part.text):
            id = "-".join(x for x in (found[1].lower(), *found.groups()[1:]) if x)
            if id in known:
                made += [Text(part.text[place : found.start()]), ClaimReference(id)]
                place = found.end()
        made.append(Text(part.text[place:]))
    return tuple(part for part in made if part != Text(""))


def put_dollars_around_ranges(box: str) -> str:
    """Return a parameter box's text with each parameter and its range between dollar signs."""
    return re.sub(r"([^,\[]+\[[^]]*\]|[^,]+)(, )?", r"$\1$\2", box)


def justification_of_rule(
    rule: Any, printer: FormulaPrinter, shorten: Any, find: Any
) -> tuple[Inline, ...]:
    """Return the justification of a step in words, from its rule, as pieces of a paragraph."""
    if isinstance(rule, Lemma):
        return (ClaimReference(rule.id), *_values(rule, printer, shorten, find))
    if rule.name in AXIOMS:
        return (Text(rule.name.replace("-", " ")),)
    inner = getattr(rule, "by", None)
    if inner is not None and rule.name == f"inside the expectation, {inner.name}":
        return (
            Text("inside the expectation, "),
            *justification_of_rule(inner, printer, shorten, find),
        )
    if rule.name.startswith("claim "):
        return (ClaimReference(rule.name.removeprefix("claim ")),)
    variables = getattr(rule, "variables", None)
    if variables and rule.name.startswith("Stein's lemma in "):
        letters = comma_separated_row(map(printer.symbol, variables))
        return (Text("Stein\u2019s lemma in "), Math(letters))
    if rule.name.startswith("the term ") and isinstance(getattr(rule, "place", None), Expr):
        return (Text("the term "), Math(printer.box(rule.place)), Text(" of a sum"))
    of, variable = getattr(rule, "of", None), getattr(rule, "variable", None)
    if isinstance(of, Expr) and isinstance(variable, Symbol) and rule.name == "monotonicity":
        return (Text("monotonicity in "), Math(printer.symbol(variable)))
    return split_at_dollar_signs(rule.name)


def _values(rule: Lemma, printer: FormulaPrinter, shorten: Any, find: Any) -> tuple[Inline, ...]:
    """Return, for a cited lemma, text that lists the values of its symbols if it is short."""
    try:
        claim: Claim = find(rule.id)
        pairs = [(claim.symbol(symbol), value) for symbol, value in rule.values]
    except Exception:  # what cannot be looked up has failed already
        return ()
    boxes: list[Box] = []
    for symbol, value in pairs:
        short = value.expr if isinstance(value, Lambda) else shorten(value)
        if getattr(short, "name", None) == symbol.name or isinstance(value, Lambda):
            continue
        boxes.append(relation_box(printer.symbol(symbol), "to", printer.box(short, inline=True)))
    row = comma_separated_row(boxes)
    return (Text(", "), Math(row)) if boxes and row.width <= _ROOM and row.height < 2 else ()


# -- what a claim supposes ----------------------------------------------------------------------

# The paper's letters, in the order in which it writes them in products and sums.
ORDER = PrintingOrder(
    [
        *("alpha", "epsilon", "L", "lambda", "gamma", "sqrt(d/2)", "d", "s", "t", "a", "A", "B"),
        *("eta", "theta", "rho", "kappa", "nu", "Y_1", "xi"),
    ]
)


def free_symbols_of_statements(statements: Iterable[Basic]) -> list[Any]:
    """Return the free symbols of some statements; for an indexed family, one of its members."""
    statements = list(statements)
    indexed: dict[Any, Any] = {}
    for node in sorted(set().union(*(e.atoms(Indexed) for e in statements)), key=str):
        indexed.setdefault(node.base.label, node)
    free = set().union(*(e.free_symbols for e in statements))
    plain = {s for s in free if isinstance(s, Symbol | Letter) and s not in indexed}
    # A statement in words holds them as the name of a symbol.
    plain -= {s for e in statements for words in e.atoms(InWords) for s in words.free_symbols}
    return [*sorted(plain, key=str), *indexed.values()]


def arbitrary_functions_in(shown: Iterable[Basic]) -> list[Any]:
    """Return the undefined functions that occur in some expressions, and those of vectors."""
    shown = list(shown)
    first: dict[tuple[str, int], AppliedUndef] = {}
    for f in sorted(set().union(*(e.atoms(AppliedUndef) for e in shown)), key=str):
        first.setdefault((f.func.__name__, len(f.args)), f)
    of_vectors = set().union(*(e.atoms(SmoothFunction) for e in shown))
    return [*first.values(), *sorted(of_vectors, key=str)]


def assumption_paragraphs(
    symbols: Iterable[Symbol],
    functions: Iterable[Any],
    given: Iterable[Any],
    laws: Mapping[Symbol, Law],
    printer: FormulaPrinter,
    order: Sequence[str] = (),
) -> tuple[Block, ...]:
    """Return one paragraph, or none, with the assumptions: domains, functions, laws, hypotheses.

    Symbols whose names are in an order are listed in it.
    """
    sentences: list[tuple[Inline, ...]] = []
    symbols, functions = list(symbols), list(functions)
    letters = [x for x in symbols if isinstance(x, Letter)]
    numbers = [x for x in symbols if not isinstance(x, Letter)]
    declared = [Math(box) for box in _domains(numbers, printer, order)]
    of_vectors = [f for f in functions if isinstance(f, SmoothFunction)]
    functions = [f for f in functions if not isinstance(f, SmoothFunction)]
    named = sorted({(f.func.__name__, len(f.args)) for f in functions})
    if declared:
        sentences.append((Text("Let "), *join_list(declared), Text(".")))
    sentences += matrix_sentences(letters, printer)
    for name, count in named:
        box = printer.names.get(name) or printer.symbol(Symbol(name))
        kind = "real function" if count == 1 else f"real function of {count} variables"
        sentences.append((
            Text("Let "), Math(box), Text(f" be a smooth {kind} of moderate growth."),
        ))  # fmt: skip
    sentences += function_sentences(of_vectors, printer)
    hypotheses = [Math(box) for box in hypothesis_formulas(list(given), printer)]
    if hypotheses:
        sentences.append((Text("Suppose "), *join_list(hypotheses), Text(".")))
    blocks = list(dict.fromkeys(laws.values()))
    if blocks:
        independent = len(blocks) > 1 or isinstance(blocks[0], ProductLaw)
        tail = ", independent." if independent else "."
        sentences.append((*join_list([Math(box) for box in _laws(blocks, printer)]), Text(tail)))
    parts: list[Inline] = []
    for sentence in sentences:
        parts += [Text(" "), *sentence] if parts else sentence
    return (Paragraph(tuple(parts)),) if parts else ()


def _laws(laws: Iterable[Law], printer: FormulaPrinter) -> list[Box]:
    """Return formulas that state laws, with random variables of the same law listed together."""
    letters: dict[tuple[Box, ...], list[Box]] = {}
    for box in map(printer.law, laws):
        first, *said = box.parts if isinstance(box, RowBox) else (box,)
        letters.setdefault(tuple(said), []).append(first)
    return [row_of_boxes([comma_separated_row(of), *said]) for said, of in letters.items()]


def _domains(
    symbols: Iterable[Symbol], printer: FormulaPrinter, order: Sequence[str] = ()
) -> list[Box]:
    """Return formulas that state the domains of symbols, one for all symbols of a domain."""
    kinds: dict[tuple[str, str], list[Symbol]] = {}
    for symbol in _in_order(symbols, printer, order):
        kinds.setdefault(_domain(symbol), []).append(symbol)
    boxes = []
    for (sign, right), members in kinds.items():
        of = number_box(right) if right.isdigit() else Atom(right)
        boxes.append(relation_box(comma_separated_row(map(printer.box, members)), sign, of))
    return boxes


def _in_order(
    symbols: Iterable[Symbol], printer: FormulaPrinter, listed: Sequence[str]
) -> list[Symbol]:
    """Return symbols sorted in the printer's order, but those of listed names as they are listed.

    In a product eta and theta stand before the others.
    """
    ordered = sorted(symbols, key=printer.order.symbol_key)
    here = [s for s in ordered if getattr(s, "name", "") in listed]
    rest = iter(sorted(here, key=lambda s: listed.index(s.name)))
    return [next(rest) if s in here else s for s in ordered]


def _domain(symbol: Symbol) -> tuple[str, str]:
    if symbol.is_integer:
        least = "1" if symbol.is_positive else "0" if symbol.is_nonnegative else ""
        return ("in", rf"mathbb{{Z}}_{{\ge {least}}}" if least else "mathbb{Z}")
    for holds, sign in (
        (symbol.is_positive, ">"), (symbol.is_negative, "<"), (symbol.is_nonnegative, "ge"),
        (symbol.is_nonpositive, "le"), (symbol.is_nonzero, "neq"),
    ):  # fmt: skip
        if holds:
            return (sign, "0")
    return ("in", "mathbb{R}" if symbol.is_real else "mathbb{C}")


# How an inequality is written with its smaller side at the left.
_BOUNDS = {"<": "<", "<=": "le", ">": "<", ">=": "le"}


def hypothesis_formulas(given: list[Any], printer: FormulaPrinter) -> list[Box]:
    """Return formulas of hypotheses, with two bounds of one expression joined."""
    low: dict[Any, Any] = {}
    high: dict[Any, Any] = {}
    for hypothesis in filter(_is_bound, given):
        side = low if hypothesis.rel_op in (">", ">=") else high
        side.setdefault(hypothesis.lhs, hypothesis)
    boxes: list[Box] = []
    for hypothesis in given:
        of = hypothesis.lhs if _is_bound(hypothesis) else None
        pair: tuple[Any, Any] = (low.get(of), high.get(of))
        # A second bound on the same side stands by itself.
        if None in pair or hypothesis not in pair:
            boxes.append(printer.box(hypothesis))
        elif hypothesis == next(h for h in given if h in pair):
            (below, least), (above, most) = (
                (_BOUNDS[bound.rel_op], printer.box(bound.rhs)) for bound in pair
            )
            row = relation_box(least, below, printer.box(of))
            boxes.append(relation_box(row, above, most))
    return boxes


def _is_bound(hypothesis: Any) -> bool:
    """Return whether a hypothesis is an inequality on a letter, or has a number as right side."""
    if not isinstance(hypothesis, Relational) or hypothesis.rel_op not in _BOUNDS:
        return False
    return bool(hypothesis.rhs.is_number or hypothesis.lhs.is_Symbol)
