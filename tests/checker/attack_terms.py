"""Terms that attacks on the rules share, and what the rules make of them."""

from __future__ import annotations

from slrsym.checker.term import num
from slrsym.checker.theorem import apply_rule
from tests.checker.terms import NORMAL, TWO

X, Y, Z = (("s", name, "R") for name in "xyz")
SUM = ("copies", (Y,), (Y,), (TWO, NORMAL))
HALF = num(1, 2)


def arithmetic(p, hypotheses=(), premises=()):
    use = list(range(len(hypotheses) + len(premises)))
    return apply_rule("arithmetic", list(premises), tuple(hypotheses), p, [40, [], use, []])
