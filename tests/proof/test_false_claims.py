"""What the engine is worth is what it refuses: false claims, each beside a true twin.

Every false one has to be refused at the step that is wrong, and the refusal has to name it. Where
the rule and the numbers can both know, both have to refuse, each without the other's help.
"""

from __future__ import annotations

import pytest
from sympy import Symbol

from slrsym.proof import Claim, Ledger, ProofError, algebra, chain, lemma

from . import _false_algebra, _false_expectations, _false_structures
from ._claims import relation, the_step, verdict

TABLES = (_false_expectations.table, _false_algebra.table, _false_structures.table)
FALSE = [case for table in TABLES for case in table.false]
TRUE = [case for table in TABLES for case in table.true]

x = Symbol("x", real=True)


@pytest.mark.parametrize("case", FALSE, ids=str)
def test_refused(case):
    found = verdict(case.statement, case.proof, case.given)
    assert not found.accepted
    report = the_step(found, case.step)
    assert f"step {report.label} [{report.rule}] is refused" in str(report)
    assert found.failure
    if case.by in ("rule", "both"):
        assert report.refusal, "the rule accepts it"
    if case.by in ("numbers", "both"):
        assert report.contradiction, "the numbers do not contradict it"
    if case.by == "numbers":
        assert not report.refusal
    assert case.said in str(report)


@pytest.mark.parametrize("case", TRUE, ids=str)
def test_its_twin_is_accepted(case):
    found = verdict(case.statement, case.proof, case.given)
    assert found.failure == ""
    assert found.accepted


def test_there_are_enough_of_them():
    assert len({case.name for case in FALSE}) == len(FALSE) >= 100
    assert len(TRUE) >= 60
    assert sum(case.by == "both" for case in FALSE) >= 40


# -- claims among claims -----------------------------------------------------------------------


def identity(id: str, by) -> Claim:
    claim = Claim(id, relation((x + 1) ** 2, "=", x**2 + 2 * x + 1), "test")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=by))
    return claim


def checked(*claims: Claim) -> dict[str, tuple[str, str]]:
    ledger = Ledger()
    for claim in claims:
        ledger.add(claim)
    return {row.id: (row.status, row.error) for row in ledger.verify()}


def test_a_claim_that_uses_itself():
    status, error = checked(identity("own", lemma("own")))["own"]
    assert status == "failed"
    assert "step 1 [claim own] is refused: claim own is used in its own proof" in error


@pytest.mark.parametrize("length", [2, 3, 5])
def test_circles(length):
    ids = [f"claim-{i}" for i in range(length)]
    claims = [identity(id, lemma(other)) for id, other in zip(ids, [*ids[1:], ids[0]], strict=True)]
    for id, (status, error) in checked(*claims).items():
        assert status == "failed"
        assert error.startswith(f"it rests on itself: {id} -> ")
        assert error.count("->") == length


def test_what_rests_on_a_circle_is_not_proved():
    claims = [identity(*pair) for pair in (("a", lemma("b")), ("b", lemma("a")), ("c", lemma("a")))]
    assert checked(*claims)["c"] == ("open", "it rests on a, b, not proved")


def test_what_rests_on_something_false_is_not_proved():
    false = Claim("false", relation(x, "=", x + 1), "test")
    false.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))
    found = checked(false, identity("upon", lemma("false")), identity("apart", algebra))
    assert found["false"][0] == "failed"
    assert found["upon"][0] in ("open", "failed")
    assert found["apart"] == ("proved", "")


def test_an_unknown_claim():
    status, error = checked(identity("lost", lemma("no-such-claim")))["lost"]
    assert status == "failed"
    assert "step 1 [claim no-such-claim] is refused: unknown claim 'no-such-claim'" in error


def test_a_claim_without_a_proof():
    claim = Claim("bare", relation(x, "=", x), "test")
    assert checked(claim)["bare"] == ("failed", "ProofError: claim bare has no proof")


def test_a_proof_that_is_none():
    claim = Claim("odd", relation(x, "=", x), "test")
    claim.proof(lambda goal: True)
    assert "the proof returned True, which is no proof" in checked(claim)["odd"][1]


def test_a_proof_that_fails():
    claim = Claim("fails", relation(x, "=", x), "test")
    claim.proof(lambda goal: 1 / 0)
    assert checked(claim)["fails"] == ("failed", "ZeroDivisionError: division by zero")


def test_a_rule_instead_of_a_proof():
    claim = Claim("rule", relation(x, "=", x), "test")
    claim.proof(lambda goal: algebra)
    assert "the proof is a rule" in checked(claim)["rule"][1]


def test_up_and_down():
    y = Symbol("y", real=True)
    claim = Claim("mixed", relation(x, "<=", y), "test")
    claim.proof(lambda goal: chain(x).le(x + 1, by=algebra).ge(y, by=algebra))
    assert "mixes <= and >=" in checked(claim)["mixed"][1]


def test_two_claims_of_one_id():
    ledger = Ledger()
    ledger.add(identity("twice", algebra))
    ledger.add(identity("twice", algebra))
    assert ledger.problems == ["the id 'twice' stands for two claims, in <unknown> and <unknown>"]


@pytest.mark.parametrize("statement", [True, x + 1, 3, None])
def test_what_is_no_statement(statement):
    with pytest.raises(ProofError, match="claim it"):
        Claim("it", statement, "test")


@pytest.mark.parametrize("id", ["", "Lemma", "a b", "a_b", "-a", None])
def test_what_is_no_id(id):
    with pytest.raises(ProofError, match="id must be words in lower case"):
        Claim(id, relation(x, "=", x), "test")


def test_two_proofs():
    claim = identity("two", algebra)
    with pytest.raises(ProofError, match="two proofs"):
        claim.proof(lambda goal: chain(x).then(x, by=algebra))
