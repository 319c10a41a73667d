"""Faults of a ledger as a whole, and attempts to be called proved without a proof."""

from __future__ import annotations

import dataclasses

import pytest
from sympy import Eq, Function, Ne, Piecewise, Rational, Symbol, cos, sin

from slrsym.proof import (
    Claim,
    ClaimSummary,
    ClaimVerdict,
    Ledger,
    ProofError,
    algebra,
    all_of,
    by_claim,
    cases,
    chain,
    check_claim,
    equal_by_derivative,
    induction,
    lemma,
    sign,
    solution_set,
    split_product,
)
from slrsym.prover.rules.step import Proof, Rule
from tests._granted import grant_steps
from tests._profile import THOROUGH, more

from ._entries import known, link, says, unchecked

x, y = Symbol("x", real=True), Symbol("y", real=True)
far = 10**9
square = says((x + 1) ** 2, "=", x**2 + 2 * x + 1)
pythagoras = says(sin(x) ** 2, "=", 1 - cos(x) ** 2)


def of(id: str, by: Rule) -> Claim:
    return known(id, square, link(square.lhs, "=", square.rhs, by))


def rows(*claims: Claim) -> dict[str, ClaimSummary]:
    ledger = Ledger()
    for claim in claims:
        ledger.add(claim)
    return {row.id: row for row in ledger.verify()}


def checked(statement, proof) -> ClaimVerdict:
    claim = known("it", statement, proof)
    return check_claim(claim, Ledger({"it": claim}).find)


# -- circles -----------------------------------------------------------------------------------


def test_a_claim_that_uses_itself():
    row = rows(of("own", lemma("own")))["own"]
    assert row.status == "failed"
    assert row.error.startswith("step 1 [claim own] is refused: ")
    assert "no proof was found: claim own is used in its own proof" in row.error


def test_a_claim_that_is_itself_as_it_stands():
    row = rows(known("own", square, by_claim(square, "own")))["own"]
    assert "no proof was found: claim own is used in its own proof" in row.error


@pytest.mark.parametrize("length", [2, 3, 4])
def test_a_circle_is_named(length):
    ids = [f"c-{i}" for i in range(length)]
    following = dict(zip(ids, ids[1:] + ids[:1], strict=True))
    for row in rows(*(of(id, lemma(following[id])) for id in ids)).values():
        way = [row.id]
        while len(way) <= length:
            way.append(following[way[-1]])
        assert (row.status, row.error) == ("failed", f"it rests on itself: {' -> '.join(way)}")


def test_a_circle_through_a_statement_and_a_step():
    first = known("first", square, by_claim(square, "second"))
    found = rows(first, of("second", lemma("first")))
    assert {row.status for row in found.values()} == {"failed"}
    assert "first -> second -> first" in found["first"].error


def test_the_same_without_a_circle():
    found = rows(of("first", lemma("second")), of("second", algebra))
    assert {row.status for row in found.values()} == {"proved"}


def test_what_rests_on_a_circle_is_open():
    found = rows(of("a", lemma("b")), of("b", lemma("a")), of("c", lemma("a")))
    assert (found["c"].status, found["c"].error) == ("conditional", "it rests on a, b, not proved")


def test_what_rests_on_what_is_false_is_not_proved():
    false = known("false", says(x, "=", x + 1), link(x, "=", x + 1, algebra))
    between = known("between", says(y, "=", y + 1), by_claim(says(y, "=", y + 1), "false", {x: y}))
    found = rows(false, between, of("apart", algebra))
    assert found["false"].status == "failed"
    assert found["between"].status in ("conditional", "failed")
    assert found["apart"].status == "proved"


# -- what is missing ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "by", [lemma("nowhere"), lemma("nowhere").scaled(2)], ids=["as is", "scaled"]
)
def test_a_missing_dependency(by):
    row = rows(of("lost", by))["lost"]
    assert row.status == "failed"
    assert "no proof was found: unknown claim 'nowhere'" in row.error


def test_no_proof():
    assert (
        rows(Claim("bare", square, "test"))["bare"].error == "ProofError: claim bare has no proof"
    )


def test_no_step():
    assert "no step" in rows(known("empty", square, chain(square.lhs)))["empty"].error


def test_no_case_and_no_part():
    assert not checked(square, cases(square)).accepted
    assert not checked(square, all_of()).accepted


@pytest.mark.parametrize("nothing", [None, True, 1, "proved", square, algebra])
def test_what_is_no_proof(nothing):
    row = rows(known("odd", square, nothing))["odd"]
    assert row.status == "failed"
    assert "the proof " in row.error.splitlines()[0]
    assert "_entries.py" in row.error


def test_a_proof_that_raises():
    claim = Claim("raises", square, "test")
    claim.proof(lambda goal: 1 / 0)
    assert rows(claim)["raises"].error == "ZeroDivisionError: division by zero"


def test_a_rule_that_crashes_is_named():
    class Crash(Rule):
        name = "crash"

        def check(self, link, context):
            raise RecursionError("too deep")

    assert "step 1 [crash] is refused" in rows(of("deep", Crash()))["deep"].error


def test_the_first_of_two_claims_of_one_id_stands():
    ledger = Ledger()
    true, false = (
        of("twice", algebra),
        known("twice", says(x, "=", x + 1), link(x, "=", x + 1, algebra)),
    )
    ledger.add(true)
    ledger.add(false)
    assert ledger.find("twice") is true
    assert "the id 'twice' stands for two claims" in ledger.problems[0]


def test_a_chain_that_goes_up_and_down():
    mixed = chain(x).le(x + 1, by=sign).ge(y, by=sign)
    assert "mixes <= and >=" in checked(says(x, "<=", y), mixed).failure


@pytest.mark.parametrize(
    "build",
    [
        lambda: induction(Ne(x, x + 1), x, base=algebra, step=lambda h: h),
        lambda: equal_by_derivative(says(x, "<=", x), x, at=0, value=algebra, derivative=algebra),
        lambda: solution_set(square, [x], split_product(x)),
        lambda: chain(x).then(x, by=square),
        lambda: chain(x).then(x, by=None),
    ],
    ids=["induction", "by derivative", "solutions", "a statement as a rule", "no rule"],
)
def test_what_cannot_be_built(build):
    with pytest.raises(ProofError):
        build()


# -- rules and proofs of one's own -------------------------------------------------------------


def test_what_no_random_point_shows_rests_on_the_foreign_rule_alone():
    spike = Piecewise((1, Eq(x, Rational(1, 7**20))), (0, True))
    found = checked(says(spike, "=", 0), link(spike, "=", 0, unchecked))
    assert not found.accepted or any("Unchecked" in name for name in found.axioms)
    assert "no words" in checked(says(spike, "=", 0), link(spike, "=", 0, algebra)).failure


def test_a_foreign_rule_cannot_hide_by_a_module_name():
    class Hidden(Rule):
        __module__ = "slrsym.prover.rules.calculus"
        name = "hidden"

        def check(self, link, context):
            """Accepts everything."""

    found = checked(pythagoras, link(pythagoras.lhs, "=", pythagoras.rhs, Hidden()))
    assert any("Hidden" in name for name in found.axioms)


def test_a_foreign_rule_cannot_take_its_axiom_back():
    class Shy(Rule):
        name = "shy"

        def check(self, link, context):
            """Accepts everything."""

    Shy.axioms = lambda self, link: ()
    found = checked(pythagoras, link(pythagoras.lhs, "=", pythagoras.rhs, Shy()))
    assert any("Shy" in name for name in found.axioms)


def test_a_foreign_kind_of_proof_cannot_hide_by_a_module_name():
    with pytest.raises(ProofError, match="a new kind of proof"):

        class Hidden(Proof):
            __module__ = "slrsym.prover.rules.structure"
            conclusion = says(far - x, ">=", 0)

            def steps(self, context, label=""):
                return ()


def test_a_rule_of_the_package_takes_no_word_for_it():
    from slrsym.prover.rules.chain import StructuralRule

    anything = StructuralRule("anything")
    found = checked(pythagoras, link(pythagoras.lhs, "=", pythagoras.rhs, anything))
    assert not found.accepted or found.axioms


# -- forged evidence ---------------------------------------------------------------------------


@pytest.fixture
def refused() -> ClaimVerdict:
    found = checked(says(x, "=", x + 1), link(x, "=", x + 1, algebra))
    assert not found.accepted
    return found


def test_a_verdict_is_not_changed(refused):
    with pytest.raises(dataclasses.FrozenInstanceError):
        refused.error = ""
    with pytest.raises(dataclasses.FrozenInstanceError):
        refused.reports[0].refusal = ""
    with pytest.raises(AttributeError):
        refused.accepted = True


def test_a_report_without_blame_is_not_read_from_its_text(refused):
    assert not any(r.accepted for r in refused.reports)
    assert all("is refused" in str(r) for r in refused.reports)


def test_a_status_is_not_promoted():
    row = rows(known("false", says(x, "=", x + 1), link(x, "=", x + 1, algebra)))["false"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.status = "proved"


def test_a_claim_is_not_called_something_else_after_its_proof():
    claim = of("it", algebra)
    for name in ("statement", "hypotheses", "file", "_way"):
        with pytest.raises(AttributeError, match=f"claim it stays as it was made: {name}"):
            setattr(claim, name, says(x, "=", x + 1))
        with pytest.raises(AttributeError, match=f"{name} cannot be deleted"):
            delattr(claim, name)
    assert check_claim(claim, Ledger({"it": claim}).find).accepted


@more
def test_an_own_claim_does_not_stand_in_for_one_that_a_rule_rests_on(monkeypatch):
    from sympy import erf, exp, pi, sqrt

    from slrsym.gaussian import OwensT
    from slrsym.proof import D, differentiate

    slope = says(D(OwensT(x, 2), x), "=", -exp(-(x**2) / 2) * erf(sqrt(2) * x) / (2 * sqrt(2 * pi)))
    id = "owens-t-derivative-h"
    ledger = Ledger()
    ledger.add(known(id, square, link(square.lhs, "=", square.rhs, algebra)))
    ledger.add(known("it", slope, link(slope.lhs, "=", slope.rhs, differentiate)))
    assert f"{id!r} is that of a claim of the package" in ledger.problems[0]
    # Which claim is checked is the question; whether its steps hold is looked at elsewhere.
    if not THOROUGH:
        grant_steps(monkeypatch)
    found = {row.id: row for row in ledger.verify()}
    assert found["it"].status == "proved"
    assert found[id].steps > 2


# -- functions that are not what they say ------------------------------------------------------


def test_a_function_with_a_false_sign():
    class Claimed(Function):
        def _eval_is_positive(self):
            return True

        def _eval_evalf(self, prec):
            return sin(self.args[0])._eval_evalf(prec)

    assert not checked(says(Claimed(x), ">", 0), link(Claimed(x), ">", 0, sign)).accepted


def test_a_function_with_a_false_derivative():
    from sympy import erf

    from slrsym.proof import D, differentiate

    class Crooked(erf):
        @classmethod
        def eval(cls, argument):
            return None

        def fdiff(self, argindex=1):
            return cos(self.args[0])

    assert not checked(
        says(D(Crooked(x), x), "=", cos(x)), link(D(Crooked(x), x), "=", cos(x), differentiate)
    ).accepted
