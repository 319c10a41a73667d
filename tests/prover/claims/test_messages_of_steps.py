"""What a report says of a step that its rule refuses."""

from __future__ import annotations

import pytest
from sympy import Eq, Le, Rational, Symbol, erf, sin, sqrt

from slrsym.gaussian import OwensT
from slrsym.proof import Claim, Ledger, algebra, chain, sign

p, q = (Symbol(name, positive=True) for name in "pq")


def error(statement, proof):
    claim = Claim("it", statement, "test")
    claim.proof(lambda goal: proof)
    (row,) = Ledger({"it": claim}).verify()
    assert row.status == "failed"
    return row.error


@pytest.mark.parametrize(
    ("right", "said"),
    [
        (
            Rational(1, 4) - erf(p / sqrt(2)) * erf(p * q / sqrt(2)) / 4,
            "numbers agree to 30 digits; no proof was found: ",
        ),
        (Rational(1, 4), ""),
    ],
)
def test_whether_numbers_agree(right, said):
    left = OwensT(p, q) + OwensT(p * q, 1 / q)
    found = error(Eq(left, right, evaluate=False), chain(left).then(right, by=algebra))
    assert ("no proof was found" in found) == bool(said)
    assert said in found


def test_an_inequality_that_holds_at_points():
    found = error(Le(sin(p), p), chain(sin(p)).le(p, by=sign))
    assert "it holds at random points; no proof was found: " in found
