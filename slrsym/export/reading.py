r"""Formulas read back from their LaTeX: the grammar of what the printer writes, and no more.

It shares no code with the printer. What a letter means is looked up in the names that a claim's
entry carries; the rest is read from the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy import Add, Derivative, Integral, Lambda, Limit, Mul, Pow, S, Subs, Sum, Symbol

from slrsym.gaussian import Expectation, IIDSum, OwensT, erf_prime, erf_second, zeta
from slrsym.gaussian.functions import normal_cdf, normal_pdf
from slrsym.gaussian.law import GaussianLaw, Law, ProductLaw

__all__ = ["ReadingError", "read", "read_display"]

_NOISE = re.compile(
    r"\\begin\{align\*\}|\\end\{align\*\}|\\hspace\{[^}]*\}|\\(?:big|Big|bigg)[lr]\b"
    r"|\\,|\\q?quad\b|\\allowbreak|\{\}|&|\\\\|\\textit\{[^}]*\}"
)
_OPENING_BAR = re.compile(r"\\[bB]igg?l\s*\|")
# Not the one of a value at a point.
_CLOSING_BAR = re.compile(r"\\[bB]igg?r\s*\|(?!\s*_)")
_TOKEN = re.compile(r"\\text\{ \w+ \}|\\[A-Za-z]+|\\.|[A-Za-z]|\d+|\S")
_FUNCTIONS = {
    "erf": sp.erf, "erfc": sp.erfc, "exp": sp.exp, "log": sp.log, "sin": sp.sin, "cos": sp.cos,
    "tan": sp.tan, "arcsin": sp.asin, "arccos": sp.acos, "arctan": sp.atan, "sinh": sp.sinh,
    "cosh": sp.cosh, "tanh": sp.tanh, "arsinh": sp.asinh, "arcosh": sp.acosh, "artanh": sp.atanh,
    "sign": sp.sign, "max": sp.Max, "min": sp.Min,
}  # fmt: skip
_LETTERED = {"\\zeta": zeta, "T": OwensT, "\\varphi": normal_pdf, "\\Phi": normal_cdf}
_RELATIONS = {"=": "=", "\\le": "<=", "<": "<", "\\ge": ">=", ">": ">", "\\neq": "!="}
_CLOSING = {
    ")",
    "]",
    "}",
    "\\}",
    "|",
    "\\rvert",
    ",",
    "+",
    "-",
    "/",
    "&",
    "\\implies",
    "\\iff",
    "\\in",
}


class ReadingError(ValueError):
    """A formula is not of the grammar that the printer writes."""


def read(latex: str, names: Mapping[str, Any]) -> Any:
    """A formula without relations.

    Parameters
    ----------
    latex : str
        What `slrsym.gaussian.typeset.to_latex` wrote.
    names : mapping
        What each letter means, and under ``laws`` the declared laws.

    Returns
    -------
    Expr
        What it says.

    Raises
    ------
    ReadingError
        If it cannot be read.
    """
    reader = _Reader(latex, names)
    value = reader.sum()
    reader.require_end()
    return value


def read_display(latex: str, names: Mapping[str, Any]) -> list[Any]:
    """A displayed formula or chain.

    Parameters
    ----------
    latex : str
        An ``align*`` environment; reasons at the right are passed over.
    names : mapping
        What each letter means, and under ``laws`` the declared laws.

    Returns
    -------
    list
        Of a chain, the first side and then pairs of a relation and a side; of another statement,
        one nested tuple: ``("and", ...)``, ``("implies", ...)``, ``("iff", ...)``, ``("points",
        names, values)``, or a relation and its sides.

    Raises
    ------
    ReadingError
        If it cannot be read.
    """
    reader = _Reader(_without_reasons(latex), names)
    return reader.display()


def _without_reasons(latex: str) -> str:
    result, place = "", 0
    while (found := latex.find("\\slrwhy", place)) >= 0:
        result += latex[place:found]
        place = found + len("\\slrwhy")
        for _ in range(2):
            place = _group_end(latex, place)
    return result + latex[place:]


def _group_end(latex: str, start: int) -> int:
    depth = 0
    for place in range(start, len(latex)):
        depth += {"{": 1, "}": -1}.get(latex[place], 0)
        if depth == 0:
            return place + 1
    raise ReadingError("a brace is not closed")


class _Reader:
    def __init__(self, latex: str, names: Mapping[str, Any]) -> None:
        latex = _OPENING_BAR.sub(r"\\lvert ", _CLOSING_BAR.sub(r"\\rvert ", latex))
        self.tokens = _TOKEN.findall(_NOISE.sub(" ", latex))
        self.place = 0
        self.names = names
        self.laws: Mapping[Symbol, Law] = names.get("laws", {})
        self.open_bars = 0

    # -- tokens --------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str:
        at = self.place + ahead
        return self.tokens[at] if at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            near = " ".join(self.tokens[max(0, self.place - 5) : self.place + 5])
            raise ReadingError(f"expected {expected or 'more'}, found {token!r} near {near}")
        self.place += 1
        return token

    def require_end(self) -> None:
        if self.peek():
            near = " ".join(self.tokens[self.place : self.place + 8])
            raise ReadingError(f"what is left over: {near}")

    def group(self) -> str:
        """The tokens of a group in braces, as text."""
        self.take("{")
        depth, inside = 1, []
        while depth:
            token = self.take()
            depth += {"{": 1, "}": -1}.get(token, 0)
            inside.append(token)
        return " ".join(inside[:-1])

    def inner(self, latex: str) -> _Reader:
        return _Reader(latex, self.names)

    # -- statements ----------------------------------------------------------------------------

    def display(self) -> list[Any]:
        start = self.place
        try:
            first = self.sum()
            if not self.peek():
                return [first]
            chain = [first]
            while self.peek() in _RELATIONS and self.peek() != "\\neq":
                chain.append((_RELATIONS[self.take()], self.sum()))
            if not self.peek() and len(chain) > 1:
                return chain
        except ReadingError:
            pass
        self.place = start
        statement = self.statement()
        self.require_end()
        return [statement]

    def statement(self) -> Any:
        parts = [self.conjunct()]
        word = ""
        while self.peek() in ("\\implies", "\\iff") or self.peek().startswith("\\text{"):
            word = self.take()
            parts.append(self.conjunct())
        if not word:
            return parts[0]
        kind = {"\\implies": "implies", "\\iff": "iff"}.get(word, word[7:-2])
        return (kind, *parts)

    def conjunct(self) -> Any:
        start = self.place
        try:
            return self.relation()
        except ReadingError:
            self.place = start
        self.take("(")
        inside = self.statement()
        self.take(")")
        return inside

    def relation(self) -> Any:
        start = self.place
        points = self.points()
        if points is not None:
            return points
        self.place = start
        left = self.sum()
        sign = self.take()
        if sign not in _RELATIONS:
            raise ReadingError(f"{sign} is no relation")
        return (_RELATIONS[sign], left, self.sum())

    def points(self) -> Any:
        if "\\in" not in self.tokens[self.place :]:
            return None
        try:
            names = self.tuple_() if self.peek() == "(" else (self.sum(),)
            self.take("\\in")
            self.take("\\{")
            values = [self.tuple_() if self.peek() == "(" else (self.sum(),)]
            while self.peek() == ",":
                self.take()
                values.append(self.tuple_() if self.peek() == "(" else (self.sum(),))
            self.take("\\}")
        except ReadingError:
            return None
        return ("points", names, frozenset(values))

    def tuple_(self) -> tuple[Any, ...]:
        self.take("(")
        values = [self.sum()]
        while self.peek() == ",":
            self.take()
            values.append(self.sum())
        self.take(")")
        return tuple(values)

    # -- expressions ---------------------------------------------------------------------------

    def sum(self) -> Any:
        negative = self.peek() == "-"
        if negative:
            self.take()
        first = self.term()
        terms = [-first if negative else first]
        while self.peek() in ("+", "-"):
            sign = self.take()
            term = self.term()
            terms.append(-term if sign == "-" else term)
        # SymPy remembers sums, and takes some values of derivatives for equal that are not.
        return terms[0] if len(terms) == 1 else Add(*terms)

    def term(self) -> Any:
        value = self.factor()
        while True:
            token = self.peek()
            if token == "/":
                self.take()
                value = value / self.factor()
            elif token == "\\cdot":
                self.take()
                value = Mul(value, self.factor())
            elif not token or token in _RELATIONS or token.startswith("\\text{"):
                return value
            elif token == "|" and not self.open_bars and self.peek(1) != "_":
                value = Mul(value, self.factor())
            elif token in _CLOSING or self.differential():
                return value
            else:
                value = Mul(value, self.factor())

    def differential(self) -> bool:
        return self.tokens[self.place : self.place + 4] == ["\\mathrm", "{", "d", "}"]

    def factor(self) -> Any:
        base = self.base()
        while self.peek() == "^":
            self.take()
            base = Pow(base, self.inner(self.group()).sum())
        return base

    def base(self) -> Any:
        token = self.peek()
        if token.isdigit():
            return sp.Integer(self.take())
        if token in ("(", "["):
            self.take()
            bars, self.open_bars = self.open_bars, 0
            inside = self.sum()
            self.open_bars = bars
            self.take({"(": ")", "[": "]"}[token])
            if self.peek() == "_" and isinstance(inside, Symbol):
                return self.indexed(inside)
            return inside
        if token == "\\lvert":
            self.take()
            bars, self.open_bars = self.open_bars, 0
            inside = self.sum()
            self.open_bars = bars
            self.take("\\rvert")
            return sp.Abs(inside)
        if token == "|":
            self.take()
            self.open_bars += 1
            inside = self.sum()
            self.open_bars -= 1
            self.take("|")
            return sp.Abs(inside)
        special = {
            "\\frac": self.fraction, "\\sqrt": self.root, "\\operatorname": self.function,
            "\\mathbb": self.expectation, "\\mathrm": self.euler, "\\partial": self.derivative,
            "\\int": self.integral, "\\sum": self.series,
        }.get(token)  # fmt: skip
        if special is not None:
            return special()
        return self.letter()

    def indexed(self, label: Symbol) -> Any:
        self.take("_")
        for base in self.names.values():
            if isinstance(base, sp.IndexedBase) and base.label == label:
                indices = self.inner(self.group())
                values = [indices.sum()]
                while indices.peek() == ",":
                    indices.take()
                    values.append(indices.sum())
                return base[tuple(values)]
        raise ReadingError(f"{label} has no index")

    def fraction(self) -> Any:
        self.take("\\frac")
        above, below = self.group(), self.group()
        if above.startswith("\\mathrm { d }"):
            order = re.search(r"\^ \{ (\d+) \}", above)
            below = re.sub(r"\^ \{ \d+ \}$", "", below.removeprefix("\\mathrm { d }")).strip()
            return self.differentiated(
                [(self.inner(below).letter(), int(order[1]) if order else 1)]
            )
        return self.inner(above).sum() / self.inner(below).sum()

    def root(self) -> Any:
        self.take("\\sqrt")
        return sp.sqrt(self.inner(self.group()).sum())

    def arguments(self) -> list[Any]:
        self.take("(")
        bars, self.open_bars = self.open_bars, 0
        values = [self.sum()]
        while self.peek() == ",":
            self.take()
            values.append(self.sum())
        self.open_bars = bars
        self.take(")")
        return values

    def function(self) -> Any:
        start = self.place
        self.take("\\operatorname")
        called = self.group().replace(" ", "")
        if called == "lim":
            return self.limit()
        if called not in _FUNCTIONS:
            self.place = start
            return self.letter()
        primes, power = 0, S.One
        while self.peek() == "'":
            self.take()
            primes += 1
        if self.peek() == "^":
            self.take()
            power = self.inner(self.group()).sum()
        kind = {0: _FUNCTIONS[called], 1: erf_prime, 2: erf_second}[primes]
        if primes and called != "erf":
            raise ReadingError(f"{called} has primes")
        return Pow(kind(*self.arguments()), power)

    def euler(self) -> Any:
        self.take("\\mathrm")
        if self.group() != "e":
            raise ReadingError("an upright letter that is not e")
        if self.peek() != "^":
            return S.Exp1
        self.take("^")
        return sp.exp(self.inner(self.group()).sum())

    def limit(self) -> Any:
        self.take("_")
        under = self.inner(self.group())
        variable = under.letter()
        under.take("\\to")
        return Limit(self.term(), variable, under.sum())

    # -- letters -------------------------------------------------------------------------------

    def letter(self) -> Any:
        token = self.take()
        if token in ("\\mathcal", "\\operatorname", "\\mathrm", "\\widehat"):
            token += "{" + self.group().replace(" ", "") + "}"
        if token == "\\pi" and "\\pi" not in self.names:
            return S.Pi
        if token == "\\infty":
            return S.Infinity
        below = ""
        if self.peek() == "_":
            self.take()
            inside = self.group().replace(" ", "")
            base = self.names.get(f"{token}_")
            marked = self.names.get(f"{token}^{{{self.mark()}}}_")
            if marked is not None:
                self.place += 6
                base = marked
            if base is not None and f"{token}_{{{inside}}}" not in self.names:
                indices = [self.inner(i).sum() for i in inside.split(",")]
                return base[tuple(indices)]
            below = f"_{{{inside}}}"
        key = token + below
        above = self.above(key)
        if above:
            key += above
        primes = 0
        while self.peek() == "'":
            self.take()
            primes += 1
        meaning = self.names.get(key)
        called = self.peek() == "("
        if meaning is None and called and key in _LETTERED:
            meaning = _LETTERED[key]
        if meaning is None:
            raise ReadingError(f"unknown letter {key}")
        if isinstance(meaning, Lambda):
            return _applied(meaning, self.arguments())
        if isinstance(meaning, type) or not isinstance(meaning, sp.Basic):
            values = self.arguments()
            return _partial(meaning, 0, primes, values) if primes else meaning(*values)
        return meaning

    def mark(self) -> str:
        """What stands above a letter, in brackets, and is no power."""
        text = self.tokens[self.place : self.place + 6]
        plain = len(text) == 6 and text[:3] == ["^", "{", "("] and text[4:] == [")", "}"]
        return f"({text[3]})" if plain else ""

    def above(self, key: str) -> str:
        """A superscript that is part of a name; the mark of a copy is passed over."""
        if self.peek() != "^":
            return ""
        mark = self.mark()
        if mark and f"{key}^{{{mark}}}" in self.names:
            self.place += 6
            return f"^{{{mark}}}"
        text = self.tokens[self.place + 1 : self.place + 6]
        if text == ["{", "(", "\\ell", ")", "}"]:
            self.place += 6
            return ""
        for mark in ("\\star", "<"):
            if text[:3] == ["{", mark, "}"] and f"{key}^{{{mark}}}" in self.names:
                self.place += 4
                return f"^{{{mark}}}"
        return ""

    # -- expectations, calculus ----------------------------------------------------------------

    def expectation(self) -> Any:
        self.take("\\mathbb")
        if self.group() != "E":
            raise ReadingError("a blackboard letter that is not E")
        law: Law | None = None
        listed: list[Symbol] | None = None
        if self.peek() == "_":
            self.take()
            under = self.inner(self.group())
            if "\\sim" in under.tokens:
                law = under.law()
            else:
                listed = [under.letter()]
                while under.peek() == ",":
                    under.take()
                    listed.append(under.letter())
        self.take("[")
        bars, self.open_bars = self.open_bars, 0
        inside = self.sum()
        self.open_bars = bars
        self.take("]")
        if law is None:
            law = self.declared(inside, listed)
        return inside if law is None else Expectation(inside, law)

    def declared(self, inside: Any, listed: list[Symbol] | None) -> Law | None:
        wanted = (
            listed if listed is not None else [s for s in self.laws if s in inside.free_symbols]
        )
        blocks: dict[Law, list[Symbol]] = {}
        for symbol in wanted:
            blocks.setdefault(self.laws[symbol], []).append(symbol)
        parts = [
            block.marginal(*symbols) if isinstance(block, GaussianLaw) else block
            for block, symbols in blocks.items()
        ]
        if not parts:
            return None
        return parts[0] if len(parts) == 1 else ProductLaw(*parts)

    def law(self) -> Law:
        """The law of independent variables of one mean and variance each."""
        laws = []
        while True:
            names = [self.letter()]
            while self.peek() == ",":
                self.take()
                names.append(self.letter())
            self.take("\\sim")
            self.take("\\mathcal")
            self.group()
            mean, variance = self.arguments()
            laws += [GaussianLaw({name: mean}, [[variance]]) for name in names]
            if self.peek() != ",":
                break
            self.take()
        self.require_end()
        return laws[0] if len(laws) == 1 else ProductLaw(*laws)

    def derivative(self) -> Any:
        variables: list[tuple[Any, int]] = []
        while self.peek() == "\\partial":
            self.take()
            self.take("_")
            inside = self.group()
            order = 1
            if self.peek() == "^":
                self.take()
                order = int(self.group())
            if inside.isdigit():
                function = self.names[self.take()]
                return _partial(function, int(inside) - 1, order, self.arguments())
            variables.append((self.inner(inside).letter(), order))
        return self.differentiated(variables)

    def differentiated(self, variables: list[tuple[Any, int]]) -> Any:
        start = self.place
        token = self.peek()
        if token in ("\\mathcal", "\\widehat"):
            self.take()
            key = f"{token}{{{self.group().replace(' ', '')}}}"
            key += self.above(key)
            function = self.names.get(key)
            if isinstance(function, Lambda):
                return self.at_values(function, variables)
            self.place = start
        of = self.base()
        result = Derivative(of, *variables, evaluate=False)
        if self.peek() == "|" and self.peek(1) == "_":
            self.take()
            self.take()
            under = self.inner(self.group())
            names, values = [], []
            while True:
                names.append(under.letter())
                under.take("=")
                values.append(under.sum())
                if under.peek() != ",":
                    break
                under.take()
            return Subs(result, tuple(names), tuple(values))
        return result

    def at_values(self, function: Lambda, variables: list[tuple[Any, int]]) -> Any:
        """A derivative of an abbreviated function, at a place."""
        values = self.arguments()
        names = [v for v, _ in variables]
        bar = self.peek() == "|" and self.peek(1) == "_"
        moving = all(any(v in value.free_symbols for value in values) for v in names)
        if bar or moving:
            self_place = self.place
            result = Derivative(_applied(function, values), *variables, evaluate=False)
            if not bar:
                return result
            self.place = self_place + 2
            under = self.inner(self.group())
            at: dict[Any, Any] = {}
            while True:
                name = under.letter()
                under.take("=")
                at[name] = under.sum()
                if under.peek() != ",":
                    break
                under.take()
            return Subs(result, tuple(at), tuple(at.values()))
        inner = Derivative(function.expr, *variables, evaluate=False)
        return Subs(inner, tuple(function.variables), tuple(values))

    def bounds(self) -> tuple[str, str]:
        below = above = ""
        if self.peek() == "_":
            self.take()
            below = self.group()
        if self.peek() == "^":
            self.take()
            above = self.group()
        return below, above

    def integral(self) -> Any:
        self.take("\\int")
        below, above = self.bounds()
        inside = self.term()
        if not self.differential():
            raise ReadingError("an integral without its differential")
        self.place += 4
        variable = self.letter()
        ends = [self.inner(end).sum() for end in (below, above) if end]
        return Integral(inside, (variable, *ends))

    def series(self) -> Any:
        self.take("\\sum")
        below, above = self.bounds()
        lower = self.inner(below)
        if lower.peek() == "\\ell" and "\\ell" not in self.names:
            lower.take()
            lower.take("=")
            first, last = lower.sum(), self.inner(above).sum()
            term = self.term()
            law = self.declared(term, None)
            if law is None:
                raise ReadingError("a sum of copies of nothing random")
            return IIDSum(term, law, last - first + 1)
        index = lower.letter()
        lower.take("=")
        return Sum(self.term(), (index, lower.sum(), self.inner(above).sum()))


def _applied(function: Lambda, values: list[Any]) -> Any:
    pairs = dict(zip(function.variables, values, strict=True))
    return function.expr.subs(pairs, simultaneous=True)


def _partial(function: Any, place: int, order: int, values: list[Any]) -> Any:
    """A derivative of an undefined function in one of its arguments, at a place."""
    if all(v.is_Symbol for v in values) and len(set(values)) == len(values):
        return Derivative(function(*values), (values[place], order), evaluate=False)
    names = [Symbol(f"xi_{i}", real=True) for i in range(1, len(values) + 1)]
    inner = Derivative(function(*names), (names[place], order), evaluate=False)
    return Subs(inner, tuple(names), tuple(values))
