"""Statements at random points: whether both sides of every relation agree there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator
from sympy import (
    default_sort_key,
    sympify,
)

from slrsym.gaussian.law import Law
from slrsym.numbers.balls import NotALaw, Undecided
from slrsym.numbers.evaluator import Judge, place
from slrsym.numbers.integrands import with_functions
from slrsym.numbers.points import NoPoint, Sampler, parameters

_MOST_REJECTED = 200


@dataclass(frozen=True)
class Comparison:
    """A statement held at every point at which it was examined."""

    relation: Any
    points: tuple[Mapping[Any, Any], ...]
    digits: int | None


def compare(
    relation: Any,
    given: Iterable[Any] = (),
    *,
    rng: Generator,
    points: int = 3,
    digits: int = 30,
    functions: Mapping[Any, Any] | None = None,
    extremes: int = 0,
) -> Comparison:
    """Examine a statement at random exact points of its domain.

    Besides, at so many points far out, and near zeros of denominators, where numbers can decide.

    Notes
    -----
    An equality is accepted if both sides agree to all but two of the digits asked for, and are not
    seen to differ in these two. Agreement is relative to the larger side; or to the largest term
    added on the way, where both sides are below 1e-15 of that. A strict inequality whose sides are
    equal to twice the digits is rejected.
    """
    statement = with_functions(sympify(relation), functions or {})
    hypotheses = [sympify(h) for h in given]
    symbols = parameters(statement, *hypotheses)
    laws = sorted(statement.atoms(Law), key=default_sort_key)
    sampler = Sampler(symbols, hypotheses, laws)
    wanted = points if parameters(statement) else 1
    used: list[Mapping[Any, Any]] = []
    agreed = math.inf
    rejected = 0
    while len(used) < wanted:
        point = sampler.draw(rng)
        judge = Judge(point, digits)
        try:
            verdict = judge.holds(statement)
        except NotALaw as reason:
            rejected += 1
            if rejected > _MOST_REJECTED:
                raise NoPoint(f"{reason}, at each of {rejected} points{place(point)}") from None
            continue
        except Undecided as reason:
            raise Undecided(f"{reason}{place(point)}") from reason
        if not verdict:
            raise judge.disagreement(statement)
        used.append(point)
        agreed = min(agreed, judge.agreed)
    for point in sampler.extremes(statement, rng, extremes):
        judge = Judge(point, digits, lenient=True)
        try:
            if not judge.holds(statement):
                raise judge.disagreement(statement)
        except (NotALaw, Undecided):
            continue
        used.append(point)
    return Comparison(relation, tuple(used), None if agreed == math.inf else int(agreed))
