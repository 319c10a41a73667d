"""Letters, with what stands below and above them, and functions that have letters for names."""

from typing import Any

import sympy as sp
from sympy import Derivative, Lambda, S, Subs, Symbol

from slrsym.gaussian import OwensT, zeta
from slrsym.gaussian.special_functions import normal_cdf, normal_pdf
from tests.documents.reading.tokens import ReadingError, Tokens

__all__ = ["Letters", "applied", "partial"]

_LETTERED = {
    "\\zeta": zeta,
    "T": OwensT,
    "\\varphi": normal_pdf,
    "\\Phi": normal_cdf,
    "\\Theta": sp.Heaviside,
}


class Letters(Tokens):
    """Reads letters."""

    def _letter(self) -> Any:
        token = self._take()
        if token in ("\\mathcal", "\\operatorname", "\\mathrm", "\\widehat"):
            token += "{" + self._group().replace(" ", "") + "}"
        if token == "\\pi" and "\\pi" not in self.names:
            return S.Pi
        if token == "\\infty":
            return S.Infinity
        below = ""
        if self._peek() == "_":
            self._take()
            inside = self._group().replace(" ", "")
            base = self.names.get(f"{token}_")
            marked = self.names.get(f"{token}^{{{self._mark()}}}_")
            if marked is not None:
                self.place += 6
                base = marked
            starred = self.names.get(f"{token}^{{\\star}}_")
            if starred is not None and self.tokens[self.place :][:4] == ["^", "{", "\\star", "}"]:
                self.place += 4
                base = starred
            if base is not None and f"{token}_{{{inside}}}" not in self.names:
                indices = [self._inner(i)._sum() for i in inside.split(",")]
                return base[tuple(indices)]
            below = f"_{{{inside}}}"
        key = token + below
        above = self._above(key)
        if above:
            key += above
        primes = 0
        while self._peek() == "'":
            self._take()
            primes += 1
        if key + "'" * primes in self.names:
            key, primes = key + "'" * primes, 0
        meaning = self.names.get(key)
        called = self._peek() == "("
        if meaning is None and called and key in _LETTERED:
            meaning = _LETTERED[key]
        if meaning is None and token == "\\delta" and below:
            indices = self._inner(inside)
            return sp.KroneckerDelta(indices._letter(), indices._letter())
        if meaning is None:
            raise ReadingError(f"unknown letter {key}")
        if isinstance(meaning, Lambda):
            # Of its own variables, if none are shown.
            return applied(meaning, self._arguments()) if called else meaning.expr
        if isinstance(meaning, type) or not isinstance(meaning, sp.Basic):
            values = self._arguments()
            return partial(meaning, 0, primes, values) if primes else meaning(*values)
        return meaning

    def _mark(self) -> str:
        """What stands above a letter, in brackets, and is no power."""
        text = self.tokens[self.place : self.place + 6]
        plain = len(text) == 6 and text[:3] == ["^", "{", "("] and text[4:] == [")", "}"]
        return f"({text[3]})" if plain else ""

    def _above(self, key: str) -> str:
        """A superscript that is part of a name; the mark of a copy is passed over."""
        if self._peek() != "^":
            return ""
        mark = self._mark()
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

    def _arguments(self) -> list[Any]:
        self._take("(")
        values = [self._sum()]
        while self._peek() == ",":
            self._take()
            values.append(self._sum())
        self._take(")")
        return values

    def _indexed(self, label: Symbol) -> Any:
        self._take("_")
        for base in self.names.values():
            if isinstance(base, sp.IndexedBase) and base.label == label:
                indices = self._inner(self._group())
                values = [indices._sum()]
                while indices._peek() == ",":
                    indices._take()
                    values.append(indices._sum())
                return base[tuple(values)]
        raise ReadingError(f"{label} has no index")


def applied(function: Lambda, values: list[Any]) -> Any:
    """A function that abbreviates, at a place."""
    pairs = dict(zip(function.variables, values, strict=True))
    return function.expr.subs(pairs, simultaneous=True)


def partial(function: Any, place: int, order: int, values: list[Any]) -> Any:
    """A derivative of an undefined function in one of its arguments, at a place."""
    if all(v.is_Symbol for v in values) and len(set(values)) == len(values):
        return Derivative(function(*values), (values[place], order), evaluate=False)
    names = [Symbol(f"xi_{i}", real=True) for i in range(1, len(values) + 1)]
    inner = Derivative(function(*names), (names[place], order), evaluate=False)
    return Subs(inner, tuple(names), tuple(values))
