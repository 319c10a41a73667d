"""Expectations and their laws."""

from typing import Any

from sympy import Symbol

from slrsym.gaussian import Expectation
from slrsym.gaussian.law import GaussianLaw, Law, ProductLaw
from tests.documents.reading.letters import Letters
from tests.documents.reading.tokens import ReadingError

__all__ = ["Expectations"]


class Expectations(Letters):
    """Reads expectations."""

    def _expectation(self) -> Any:
        self._take("\\mathbb")
        if self._group() != "E":
            raise ReadingError("a blackboard letter that is not E")
        law: Law | None = None
        listed: list[Symbol] | None = None
        if self._peek() == "_":
            self._take()
            under = self._inner(self._group())
            if "\\sim" in under.tokens:
                law = under._law()
            else:
                listed = [under._letter()]
                while under._peek() == ",":
                    under._take()
                    listed.append(under._letter())
        self._take("[")
        inside = self._sum()
        self._take("]")
        if law is None:
            law = self._declared(inside, listed)
        return inside if law is None else Expectation(inside, law)

    def _declared(self, inside: Any, listed: list[Symbol] | None) -> Law | None:
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

    def _law(self) -> Law:
        """The law of independent variables of one mean and variance each."""
        laws = []
        while True:
            names = [self._letter()]
            while self._peek() == ",":
                self._take()
                names.append(self._letter())
            self._take("\\sim")
            self._take("\\mathcal")
            self._group()
            mean, variance = self._arguments()
            laws += [GaussianLaw({name: mean}, [[variance]]) for name in names]
            if self._peek() != ",":
                break
            self._take()
        self._require_end()
        return laws[0] if len(laws) == 1 else ProductLaw(*laws)
