"""Starts of sequences that hypotheses exclude only after many entries are no counterexamples."""

import pytest
from sympy import Abs, And, Eq, Ge, Gt, IndexedBase, Le, Or, Rational, Sum, Symbol

from slrsym.proof import ForAll
from slrsym.prover.claims import counterexamples
from slrsym.prover.claims.continued_sequences import Continuation
from slrsym.prover.claims.instances import opened
from slrsym.prover.claims.solutions_in_numbers import Recursion
from tests.prover.claims.test_counterexamples import found_for

e, d = IndexedBase("e", real=True), IndexedBase("d", real=True)
i, n = (Symbol(name, integer=True, nonnegative=True) for name in "in")
c = Symbol("c", nonnegative=True)


def for_all(*bodies):
    return [opened(ForAll(i, body)) for body in bodies]


def lasts(known, *bodies, at=None):
    parts = for_all(*bodies)
    return Continuation(Recursion.among(parts), parts, at or {}).lasts(known, 100)[0]


ONE, QUARTER = Rational(1), Rational(1, 4)
# How the sequence goes on, a start that lasts for 100 entries, and one that is excluded later.
STARTS = {
    "a step down": ([Eq(e[i + 1], e[i] - 1), Ge(e[i], -150)], 0, -60),
    "a power": ([Eq(e[i + 1], Rational(3, 2) * e[i]), Le(Abs(e[i]), 10**6)], 0, QUARTER),
    "squares": ([Eq(e[i + 1], e[i] ** 2), Le(e[i], 1000)], -1, 1 + QUARTER),
    "a large bound": ([Eq(e[i + 1], e[i] ** 2), Le(e[i], 10**200)], 1, 9),
    "two conditions": ([Eq(e[i + 1], 2 * e[i]), And(Le(e[i], 9), Ge(e[i], -9))], 0, QUARTER),
    "one of two": ([Eq(e[i + 1], e[i] - 1), Or(Ge(e[i], -9), Le(e[i], -20))], -20, QUARTER),
    "an undefined entry": ([Eq(e[i + 1], 1 / (e[i] - 1)), Le(Abs(e[i]), 9)], 0, 1 + ONE),
    "at most": ([Le(e[i + 1], 2 * e[i]), Ge(e[i], 0), Le(e[i], 9)], 1, -1),
    "at least": ([Ge(e[i + 1], e[i] + 1), Le(e[i], 150)], 1, 60),
}


@pytest.mark.parametrize("id", STARTS)
def test_starts(id):
    bodies, lasting, excluded = STARTS[id]
    assert lasts({e[0]: ONE * lasting}, *bodies)
    assert not lasts({e[0]: ONE * excluded}, *bodies)


def test_entries_that_nothing_determines_are_chosen():
    falls, least = Le(e[i + 1], e[i] - d[i]), Ge(e[i], 0)
    known = {e[0]: ONE, d[0]: ONE / 8}
    assert lasts(known, falls, least)
    # No 0, and not the same for ever, but half of the last one.
    assert lasts(known, falls, least, Gt(d[i], 0))
    assert not lasts(known, falls, least, Eq(d[i + 1], d[i]))
    assert not lasts(known, falls, least, Ge(d[i], c), at={c: ONE / 16})


def test_what_cannot_be_tried_excludes_nothing():
    assert lasts({e[0]: ONE}, Eq(e[i + 1], e[i]), Le(Sum(e[n], (n, 0, i)), 9))
    # Numbers that are too large for floats.
    assert lasts({e[0]: 9 * ONE}, Eq(e[i + 1], e[i] ** 2), Ge(e[i], 0))
    assert lasts({e[2]: ONE}, Eq(e[i + 1], e[i] + e[i - 1]), Le(e[i], 10**30))


def test_no_start_is_told_that_a_hypothesis_excludes_later(monkeypatch):
    monkeypatch.setattr(counterexamples, "_STARTS", 5)
    given = [ForAll(i, Eq(e[i + 1], 2 * e[i])), ForAll(i, Le(Abs(e[i]), 10**6))]
    assert found_for(Le(e[0] ** 2, e[0]), given) == ""
    assert "e[0] = " in found_for(Le(e[0] ** 2, e[0]), given[:1])
