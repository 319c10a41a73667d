"""Sums, products, powers, fractions and functions with names."""

import re
from typing import Any

import sympy as sp
from sympy import Add, Mul, Pow, S, Symbol

from slrsym.gaussian import erf_prime, erf_second
from tests.documents.reading.calculus import Calculus
from tests.documents.reading.tokens import ReadingError

__all__ = ["RELATIONS", "Expressions"]

_FUNCTIONS = {
    "erf": sp.erf, "erfc": sp.erfc, "exp": sp.exp, "log": sp.log, "sin": sp.sin, "cos": sp.cos,
    "tan": sp.tan, "arcsin": sp.asin, "arccos": sp.acos, "arctan": sp.atan, "sinh": sp.sinh,
    "cosh": sp.cosh, "tanh": sp.tanh, "arsinh": sp.asinh, "arcosh": sp.acosh, "artanh": sp.atanh,
    "sign": sp.sign, "max": sp.Max, "min": sp.Min,
}  # fmt: skip
RELATIONS = {"=": "=", "\\le": "<=", "<": "<", "\\ge": ">=", ">": ">", "\\neq": "!="}
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


class Expressions(Calculus):
    """Reads expressions."""

    def _sum(self) -> Any:
        negative = self._peek() == "-"
        if negative:
            self._take()
        first = self._term()
        terms = [-first if negative else first]
        while self._peek() in ("+", "-"):
            sign = self._take()
            term = self._term()
            terms.append(-term if sign == "-" else term)
        # SymPy remembers sums, and takes some values of derivatives for equal that are not.
        return terms[0] if len(terms) == 1 else Add(*terms)

    def _term(self) -> Any:
        value = self._factor()
        while True:
            token = self._peek()
            if token == "/":
                self._take()
                value = value / self._factor()
            elif token == "\\cdot":
                self._take()
                value = Mul(value, self._factor())
            elif (
                not token
                or token in RELATIONS
                or token.startswith("\\text{")
                or token in _CLOSING
                or self._differential()
            ):
                return value
            else:
                value = Mul(value, self._factor())

    def _factor(self) -> Any:
        base = self._base()
        while self._peek() == "^":
            self._take()
            base = Pow(base, self._inner(self._group())._sum())
        return base

    def _base(self) -> Any:
        return self._at_point(self._plain_base())

    def _plain_base(self) -> Any:
        """Without the bar behind it, which may be of a derivative of it."""
        token = self._peek()
        if token[:1].isdigit():
            return sp.Rational(self._take())
        if token in ("(", "["):
            self._take()
            inside = self._sum()
            self._take({"(": ")", "[": "]"}[token])
            if self._peek() == "_" and isinstance(inside, Symbol):
                return self._indexed(inside)
            return inside
        if token == "\\lvert":
            self._take()
            inside = self._sum()
            self._take("\\rvert")
            return sp.Abs(inside)
        special = {
            "\\frac": self._fraction, "\\sqrt": self._root, "\\operatorname": self._function,
            "\\mathbb": self._expectation, "\\mathrm": self._euler, "\\partial": self._derivative,
            "\\int": self._integral, "\\sum": self._series,
        }.get(token)  # fmt: skip
        if special is not None:
            return special()
        return self._letter()

    def _fraction(self) -> Any:
        self._take("\\frac")
        above, below = self._group(), self._group()
        if above.startswith("\\mathrm { d }"):
            order = re.search(r"\^ \{ (\d+) \}", above)
            below = re.sub(r"\^ \{ \d+ \}$", "", below.removeprefix("\\mathrm { d }")).strip()
            return self._differentiated(
                [(self._inner(below)._letter(), int(order[1]) if order else 1)]
            )
        return self._inner(above)._sum() / self._inner(below)._sum()

    def _root(self) -> Any:
        self._take("\\sqrt")
        return sp.sqrt(self._inner(self._group())._sum())

    def _function(self) -> Any:
        start = self.place
        self._take("\\operatorname")
        called = self._group().replace(" ", "")
        if called == "lim":
            return self._limit()
        if called not in _FUNCTIONS:
            self.place = start
            return self._letter()
        primes, power = 0, S.One
        while self._peek() == "'":
            self._take()
            primes += 1
        if self._peek() == "^":
            self._take()
            power = self._inner(self._group())._sum()
        kind = {0: _FUNCTIONS[called], 1: erf_prime, 2: erf_second}[primes]
        if primes and called != "erf":
            raise ReadingError(f"{called} has primes")
        return Pow(kind(*self._arguments()), power)

    def _euler(self) -> Any:
        self._take("\\mathrm")
        if self._group() != "e":
            raise ReadingError("an upright letter that is not e")
        if self._peek() != "^":
            return S.Exp1
        self._take("^")
        return sp.exp(self._inner(self._group())._sum())
