"""Generators of inferences, by the names of rules; the rows of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from slrsym.checker.term import Rejected, Term

from .both import Fact, Inference, Judges
from .terms import Terms


class Maker:
    """What a generator makes inferences from: chance, terms and theorems."""

    def __init__(self, rng: Random, judges: Judges) -> None:
        self.rng, self.judges, self.t = rng, judges, Terms(rng)

    def fact(self, conclusion: Term, hypotheses: Sequence[Term] = ()) -> Fact:
        return self.judges.fact(conclusion, hypotheses)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def hypotheses(self, *more: Term, without: Sequence[Term] = ()) -> list[Term]:
        """Return some hypotheses, mostly such that do not speak of some symbols."""
        from slrsym.checker.term import free_symbols

        found = [
            h
            for h in self.t.hypotheses()
            if not free_symbols(h) & set(without) or self.chance(0.05)
        ]
        return [*found, *more]


GENERATORS: dict[str, Callable[[Maker], Inference]] = {}


def generator(row: str) -> Callable[[Any], Any]:
    """Register a generator of a rule: it returns premises and data, mostly of a valid instance."""

    def register(function: Callable[[Maker], tuple[Any, ...]]) -> Any:
        def made(maker: Maker) -> Inference:
            premises, *data = function(maker)
            rule = row.partition(":")[0]
            return Inference(rule, tuple(premises), tuple(data), "made")

        GENERATORS[row] = made
        return function

    return register


def attempt(row: str, maker: Maker) -> Inference | None:
    """Return an inference of a row; None if what was chosen does not go together."""
    try:
        return GENERATORS[row](maker)
    except Rejected:
        return None
