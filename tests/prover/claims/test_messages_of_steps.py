"""What a report says of a step that its rule refuses."""

from __future__ import annotations

import re

import pytest
from sympy import Eq, Le, Rational, Symbol, erf, sin, sqrt

from slrsym.gaussian import OwensT
from slrsym.proof import Claim, Ledger, algebra, chain, sign
from slrsym.prover.claims.check import StepReport
from slrsym.prover.tactics.refusals_in_words import refusal_in_words

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


def test_a_theorem_that_is_too_long():
    """The message shows the ends of the statement, and says what to do."""
    refusal = refusal_in_words("the theorem is too long")
    assert "with its hypotheses, it has 100,000 parts or more" in refusal
    assert refusal.endswith("or prove them in claims of their own")
    long = sum(Symbol(f"x_{k}", real=True) ** 2 for k in range(300))
    report = StepReport("1", "algebra", Eq(long, p, evaluate=False), None, refusal, "")
    assert len(str(report)) < 2000 < len(report.statement)
    assert re.search(r"it says x_0\*\*2 \+ .* \(\.\.\. [\d,]+ characters left out", str(report))
    assert str(report).endswith("x_99**2 = p")


@pytest.mark.parametrize("count", [151, 400])
def test_a_statement_that_is_too_deep(count):
    deep = p
    for _ in range(count):
        deep = sin(deep, evaluate=False)
    found = error(Eq(deep, q, evaluate=False), chain(p).then(q, by=algebra))
    assert "a statement has parts within more than 150 others; name a part inside" in found
