"""Expectations and their laws."""

from __future__ import annotations

from typing import Any

from sympy import Symbol

from slrsym.export.reading.letters import Letters
from slrsym.export.reading.tokens import ReadingError
from slrsym.gaussian import Expectation
from slrsym.gaussian.law import GaussianLaw, Law, ProductLaw

__all__ = ["Expectations"]


class Expectations(Letters):
    """Reads expectations.

    Parameters
    ----------
    latex, names
        As of `Tokens`.
    """

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
        inside = self.sum()
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
