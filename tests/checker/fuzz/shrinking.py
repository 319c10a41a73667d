"""Make an inference on which the checkers differ shorter, as long as they still differ."""

from __future__ import annotations

from collections.abc import Iterator

from slrsym.checker.term import Rejected, num

from .both import Fact, Inference, Judges, Outcome
from .bundled import length
from .places import kind_of, nodes, put

_SMALL = (num(0), num(1), ("s", "x", "R"))


def shrunk(made: Inference, judges: Judges, tries: int = 600) -> tuple[Inference, Outcome]:
    """Return a shorter inference, on which the same one of the checkers refuses."""
    outcome = judges(made)
    sides = [bool(why) for why in outcome.why]
    found = True
    while found and tries > 0:
        found = False
        for other in _shorter(made, judges):
            tries -= 1
            said = judges(other)
            if said.verdict == "different" and [bool(why) for why in said.why] == sides:
                made, outcome, found = other, said, True
                break
            if tries <= 0:
                break
    return made, outcome


def _shorter(made: Inference, judges: Judges) -> Iterator[Inference]:
    size = length(made)
    for i, p in enumerate(made.premises):
        for j in range(len(p.hypotheses)):
            left = [h for k, h in enumerate(p.hypotheses) if k != j]
            yield from _with_premise(made, i, p.conclusion, left, judges)
        for conclusion in _terms(p.conclusion):
            yield from _with_premise(made, i, conclusion, p.hypotheses, judges)
    for i, d in enumerate(made.data):
        for t in _terms(d):
            other = made._replace(data=(*made.data[:i], t, *made.data[i + 1 :]))
            if length(other) < size:
                yield other


def _with_premise(
    made: Inference, i: int, conclusion: object, hypotheses: object, judges: Judges
) -> Iterator[Inference]:
    try:
        fact: Fact = judges.fact(conclusion, hypotheses, "shrunk")  # type: ignore[arg-type]
    except (Rejected, TypeError, IndexError):
        return
    yield made._replace(premises=(*made.premises[:i], fact, *made.premises[i + 1 :]))


def _terms(t: object) -> Iterator[object]:
    """Yield shorter terms: a part for the whole, or something small for a part."""
    for path, part in nodes(t, 300):
        if kind_of(part) == "term":
            for small in _SMALL:
                if part != small and (len(repr(part)) > len(repr(small))):
                    yield put(t, path, small)
        for _, inner in nodes(part, 60)[1:]:
            if kind_of(inner) == kind_of(part):
                yield put(t, path, inner)
