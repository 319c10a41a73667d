"""The inferences of the bundled log, with their premises as theorems of both checkers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from slrsym.checker.log import parse_inference_arguments, read_log_text_lines
from slrsym.checker.term import Term, TermReader, parse_term
from slrsym.prover.tactics.bundled_log import BUNDLED_LOG

from .both import Fact, Inference, Judges

# Of a whole inference, premises included: longer ones take longer than they find.
LONGEST = 1_500


def records() -> list[dict[str, Any]]:
    """Return the records of the bundled log, without its header."""
    return [json.loads(text) for text in list(read_log_text_lines(BUNDLED_LOG))[1:]]


def bundled(judges: Judges, few: int = 0, seed: int = 0) -> Iterator[Inference]:
    """Yield the inferences of the log; of `few` records of moderate length if that is not 0.

    A claim that is cited is taken on trust, as are numbers, which take long to enclose.
    """
    found = records()
    stated = {r["claim"]: r for r in found}
    if few:
        short = [r for r in found if 3 < len(r["lines"]) < 40 and len(str(r)) < 12_000]
        found = Random(seed).sample(short, few)
    for record in found:
        yield from _inferences(record, stated, judges)


def _inferences(
    record: dict[str, Any], stated: dict[str, dict[str, Any]], judges: Judges
) -> Iterator[Inference]:
    reader, facts = TermReader(), []
    for row in record["terms"]:
        reader.add(row)
    for name, premises, *data in record["lines"]:
        given = tuple(
            _cited(stated[p], judges) if isinstance(p, str) else facts[p] for p in premises
        )
        made = Inference(name, given, tuple(parse_inference_arguments(name, data, reader)), "log")
        if name == "numbers":
            facts.append(judges.fact(made.data[0]))
        else:
            outcome = judges(made, 60.0)
            assert outcome.verdict == "accepted", (record["claim"], made, outcome)
            assert outcome.fact is not None
            facts.append(outcome.fact)
        yield made


def _cited(record: dict[str, Any], judges: Judges) -> Fact:
    return judges.fact(parse_term(record["statement"]), [parse_term(h) for h in record["given"]])


def length(made: Inference) -> int:
    """Return how long an inference is, in parts of terms."""
    total = sum(map(_parts, made.data))
    return total + sum(_parts(t) for p in made.premises for t in (p.conclusion, *p.hypotheses))


def _parts(t: Term | Any) -> int:
    count, left = 0, [t]
    while left and count <= LONGEST:
        t, count = left.pop(), count + 1
        if type(t) in (tuple, list):
            left += t
    return count
