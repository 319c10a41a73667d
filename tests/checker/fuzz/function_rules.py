"""Generators for the rules about unknown functions, and what these show in coordinates."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from slrsym.checker.term import Rejected

from .both import Inference, Judges, Outcome
from .function_search import Wrong, check
from .functions import DRAFTS, Changes, Draft, Functions
from .generators import GENERATORS


def _registered(row: str, draw: Callable[[Functions], Draft]) -> None:
    GENERATORS[row] = lambda m: inference(draw(Functions(m.rng)), m.judges)


def inference(draft: Draft, judges: Judges) -> Inference:
    """Return an inference for both checkers, with premises that are taken on trust."""
    premises = tuple(judges.fact(p, given) for p, given in draft.premises)
    return Inference(draft.rule, premises, draft.data, "made")


def drafted(made: Inference) -> Draft:
    """Return an inference without the theorems of a checker."""
    return Draft(made.rule, tuple((p.conclusion, p.hypotheses) for p in made.premises), made.data)


def changed(rng: Random, made: Inference, judges: Judges) -> Inference | None:
    """Return an inference with one change; None if there is none to make."""
    try:
        return inference(Changes(rng)(drafted(made)), judges)
    except (Rejected, IndexError, TypeError, ValueError):
        return None


def compared(made: Inference, outcome: Outcome, rng: Random) -> Outcome:
    """Return an outcome that says so if what both accept is false in coordinates."""
    fact = outcome.fact
    if outcome.verdict != "accepted" or fact is None:
        return outcome
    try:
        check(drafted(made), fact.conclusion, fact.hypotheses, rng.random())
    except Wrong as why:
        return outcome._replace(verdict="false", why=(str(why), str(why)))
    return outcome


for _row, _draw in DRAFTS.items():
    _registered(_row, _draw)
