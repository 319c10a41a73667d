"""What is missing where no evidence is found, in the words of the statement."""

from __future__ import annotations

import pytest
from sympy import Abs, Eq, Le, Symbol, sin

from slrsym.proof import algebra, chain, sign
from tests.prover.tactics._shown import claim_of, refusals

x, y = (Symbol(name, real=True) for name in ("x", "a long name"))
p = Symbol("p", positive=True)


def reason(statement, proof):
    return refusals(claim_of(statement, proof))["1"]


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ((x**2 - y**2) / (x - y), x + y, "nonzero: -a long name + x != 0"),
        (sin(x) * y, x * y, "compare: -a long name*x + a long name*sin(x) = 0"),
    ],
)
def test_an_equation(left, right, said):
    found = reason(Eq(left, right, evaluate=False), chain(left).then(right, by=algebra))
    assert found.endswith(said)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        (sin(p), p, "-p + sin(p) <= 0"),
        (Abs(x), p, "-p + Abs(x) <= 0"),
    ],
)
def test_an_inequality(left, right, said):
    found = reason(Le(left, right), chain(left).le(right, by=sign))
    assert found.endswith(f"compare: {said}")
