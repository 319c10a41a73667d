"""Evidence of arithmetic: what it contains, and what is kept of a search for it."""

from __future__ import annotations

import pytest
from sympy import Add, Eq, exp, symbols

from slrsym.checker import Rejected
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics import arithmetic
from slrsym.prover.tactics.arithmetic import search_arithmetic_evidence
from slrsym.prover.tactics.translation import Translator
from tests.prover.tactics._shown import emitter_and_context, equal

x, y, z, t = symbols("x y z t", real=True)
NAMES = symbols("n0:66", real=True)


@pytest.fixture(autouse=True)
def _nothing_is_known(monkeypatch):
    monkeypatch.setattr(arithmetic, "EVIDENCE_CACHE", {})


def evidence(goal, *given, **options):
    """Return evidence for a goal, which the rule accepts: size, units, facts and signs."""
    words = Translator()
    found = search_arithmetic_evidence(
        words.formula(goal), tuple(map(words.formula, given)), **options
    )
    apply_rule(*found)
    return found[-1]


@pytest.mark.parametrize(
    ("goal", "given", "size", "units", "facts"),
    [
        (equal(2 + 2, 4), (), 1, 0, []),
        (equal((x + y) ** 2, x**2 + 2 * x * y + y**2), (x > 0,), 2, 0, []),
        (equal(Add(*NAMES[:40]), Add(*NAMES[:40])), (), 40, 0, []),
        (equal(Add(*NAMES[:64]), Add(*NAMES[:64])), (), 64, 0, []),
        (
            equal(
                (exp(x / 2) + 1) * (exp(x / 3) + 1), exp(5 * x / 6) + exp(x / 2) + exp(x / 3) + 1
            ),
            (),
            2,
            1,
            [],
        ),
        # Facts about other symbols are left out where the others are enough.
        (x > 0, (y < 1, x >= 2, t > y), 1, 0, [1]),
        (x > 0, (y < 1, x >= z, t > y, z > 1), 4, 0, [1, 3]),
        (Eq(x, 2), (Eq(x + y, 3), Eq(x - y, 1)), 2, 0, [0, 1]),
    ],
)
def test_what_evidence_contains(goal, given, size, units, facts):
    found = evidence(goal, *given)
    assert (found[0], len(found[1])) == (size, units)
    assert set(facts) <= set(found[2])
    assert len(found[2]) <= size


@pytest.mark.parametrize(
    ("goal", "why"),
    [
        (equal(Add(*NAMES[:65]), Add(*NAMES[:65])), "more generators"),
        (x > 0, "are not known to compare"),
    ],
)
def test_why_there_is_none(goal, why):
    with pytest.raises(Rejected, match=why):
        evidence(goal)


def test_a_search_is_made_once(monkeypatch):
    searches = []
    search = arithmetic._search_with_growing_facts
    monkeypatch.setattr(
        arithmetic, "_search_with_growing_facts", lambda *a: searches.append(a) or search(*a)
    )
    first = evidence(x + y > 0, x > 0, y > 0)
    assert evidence(x + y > 0, x > 0, y > 0) == first
    assert len(searches) == 1
    # Other hypotheses make another question, and so does another number of leading premises.
    evidence(x + y > 0, x > 0, y > 0, first=1)
    evidence(x + y > 0, x > 0, y > 1)
    assert len(searches) == 3
    for _ in range(2):
        with pytest.raises(Rejected, match="are not known to compare"):
            evidence(x > y)
    assert len(searches) == 4
    # Evidence that the proof checker no longer accepts is searched for again.
    for name in arithmetic.EVIDENCE_CACHE:
        arithmetic.EVIDENCE_CACHE[name] = [1, [], [], []]
    assert evidence(x + y > 0, x > 0, y > 0) == first
    assert len(searches) == 5


def test_a_search_that_ran_out_of_effort_is_not_kept():
    emitter, _ = emitter_and_context()
    for left in (0, 10**6):
        emitter.remaining_effort = left
        with pytest.raises(Rejected):
            evidence(x**2 + y**2 > x * y + z, emitter=emitter, effort=500)
        assert emitter.remaining_effort < left
        assert bool(arithmetic.EVIDENCE_CACHE) == (left > 0)
