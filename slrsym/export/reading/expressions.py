"""Sums, products, powers, fractions and functions with names."""

from __future__ import annotations

import re
from typing import Any

import sympy as sp
from sympy import Add, Mul, Pow, S, Symbol

from slrsym.export.reading.calculus import Calculus
from slrsym.export.reading.tokens import ReadingError
from slrsym.gaussian import erf_prime, erf_second

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
    """Reads expressions.

    Parameters
    ----------
    latex, names
        As of `Tokens`.
    """

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
            elif (
                not token
                or token in RELATIONS
                or token.startswith("\\text{")
                or token in _CLOSING
                or self.differential()
            ):
                return value
            else:
                value = Mul(value, self.factor())

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
            inside = self.sum()
            self.take({"(": ")", "[": "]"}[token])
            if self.peek() == "_" and isinstance(inside, Symbol):
                return self.indexed(inside)
            return inside
        if token == "\\lvert":
            self.take()
            inside = self.sum()
            self.take("\\rvert")
            return sp.Abs(inside)
        special = {
            "\\frac": self.fraction, "\\sqrt": self.root, "\\operatorname": self.function,
            "\\mathbb": self.expectation, "\\mathrm": self.euler, "\\partial": self.derivative,
            "\\int": self.integral, "\\sum": self.series,
        }.get(token)  # fmt: skip
        if special is not None:
            return special()
        return self.letter()

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
