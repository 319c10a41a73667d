"""The proof checker as judge of a claim: what it accepts, and what rests on a rule alone."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy import Eq, Limit, Symbol, erf, oo

from slrsym.checker.term import is_valid_name
from slrsym.proof import Claim, Ledger, algebra, chain, having, limits, sign
from slrsym.proof.step import Rule
from slrsym.prover.tactics.judgement import judge_claim
from slrsym.prover.tactics.translation import Translator, Untranslatable, valid_checker_name

x, y = sp.symbols("x y", real=True)


def claim(lhs, rhs, by, id="it"):
    made = Claim(id, Eq(lhs, rhs, evaluate=False), "test")
    made.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=by))
    return made


def row(made):
    (found,) = Ledger({made.id: made}).verify()
    return found


class Believer(Rule):
    name = "believer"

    def check(self, link, context):
        """Accept everything."""


def test_evidence_is_found_for_a_step_and_its_statement():
    made = claim((x + 1) ** 2, x**2 + 2 * x + 1, algebra)
    found = judge_claim(made, {}.get)
    assert (found.problem, found.refusals) == ("", {"1": "", "statement": ""})
    assert row(made).status == "proved"


def test_without_evidence_a_false_step_is_no_theorem():
    found = judge_claim(claim((x + 1) ** 2, x**2 + 2 * x + 2, algebra), {}.get)
    assert found.problem
    assert found.refusal_reason("1")


def test_refuted_steps_are_not_searched(monkeypatch):
    made = claim((x + 1) ** 2, x**2 + 2 * x + 2, algebra)
    monkeypatch.setattr(
        "slrsym.prover.tactics.emission.ProofEmitter.emit_by_rule",
        lambda *_: pytest.fail("it was searched"),
    )
    assert judge_claim(made, {}.get, refuted_step_labels=["1"]).refusal_reason("1") == "it is wrong"


def test_a_step_that_repeats_a_fact_is_refused_as_in_a_log():
    def with_links(make):
        made = Claim("it", x * y > 0, "test", hypotheses=(x >= 1, y >= 1))
        fact = chain(x * y).ge(1, by=sign)
        made.proof(lambda goal: having(fact, make(chain(x * y))))
        return row(made)

    assert with_links(lambda start: start.gt(0, by=sign)).status == "proved"
    found = with_links(lambda start: start.ge(1, by=sign).gt(0, by=sign))
    assert found.status == "failed"
    assert "it repeats a fact that its proof has shown; leave the step out" in found.error


def test_what_has_no_words_rests_on_its_rule():
    found = row(claim(Limit(erf(x), x, oo), 1, limits))
    assert (found.status, found.axioms) == ("conditional", ("rule: limits",))
    assert found.error == "the proof checker has no evidence for steps by limits"
    # As a sentence, it shows nothing of another limit.
    made = Claim("it", Eq(Limit(erf(x), x, -oo), -1, evaluate=False), "test")
    made.proof(lambda goal: chain(Limit(erf(x), x, oo)).then(1, by=limits))
    assert row(made).status == "failed"


def test_a_rule_from_outside_makes_a_claim_conditional():
    found = row(claim(x + x, 2 * x, Believer()))
    assert found.status == "conditional"
    assert any(name.startswith("rule: ") and "Believer" in name for name in found.axioms)


NAMES = ["x", "_x", "__x", "x_y", "x y", "größe", "變", "ο", "o", "x'", "u.3bf", "x" * 70, "x" * 71]


def test_different_symbols_have_different_names():
    for kind in (("s", "R"), ("u", "R>0"), ("ix", "R")):
        names = {valid_checker_name(name, *kind) for name in NAMES}
        assert all(is_valid_name(name, *kind) for name in names)
        assert len(names) == len(NAMES)
    work = Translator()
    assert len({work.term(Symbol(name, real=True)) for name in NAMES}) == len(NAMES)


def test_a_placeholder_of_the_name_of_a_symbol_is_another():
    work, place = Translator(), sp.Dummy("x", real=True)
    assert work.term(x) != work.term(place)
    work = Translator()
    assert work.term(place) != work.term(x)


def test_other_functions_of_known_names_are_not_taken_for_them():
    class erf_prime(sp.Function):  # noqa: N801
        pass

    for other in (sp.zeta(2 + x**2, 3, evaluate=False), erf_prime(x)):
        with pytest.raises(Untranslatable):
            Translator().term(other)
