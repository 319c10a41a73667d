"""Records of proof logs: claims that evidence cites, earlier evidence, and claims without it."""

from __future__ import annotations

import pytest
from sympy import Eq, Gt, Symbol, erf, exp

from slrsym.gaussian import Expectation, GaussianLaw, OwensT, standard_normal, zeta
from slrsym.proof import Claim, algebra, ball_arithmetic, builtin_ledger, chain, gaussian_calculus
from slrsym.proof import sign as signs
from slrsym.prover.claims.claim import Trials
from slrsym.prover.rules.inequalities import SignRule
from slrsym.prover.tactics import emission
from slrsym.prover.tactics.judgement import judge_claim
from slrsym.prover.tactics.proof_log import (
    claim_ids_used_by,
    emit_records,
    statement_and_step_records,
)
from slrsym.prover.tactics.translation import Untranslatable

G, H, t, y = (Symbol(name, real=True) for name in "GHty")
LEDGER = builtin_ledger()
UNIT, PAIR = standard_normal(G), GaussianLaw({G: 0, H: 0}, [[1, t], [t, 1]])
OWENS, AT_ZERO = OwensT(t, y), ["owens-t-at-zero"]
TWO_FUNCTIONS = ["gaussian-factor-and-erf", "two-gaussian-factors"]


@pytest.mark.parametrize(
    ("integrand", "law", "value", "rule", "ids"),
    [
        (G, UNIT, y, gaussian_calculus, []),
        (G, UNIT, zeta(t, y), algebra, ["zeta-at-zero"]),
        (G, UNIT, y, ball_arithmetic, ["zeta-owens-t"]),
        (G, UNIT, OWENS, algebra, AT_ZERO),
        (erf(G) ** 2, UNIT, OWENS, gaussian_calculus, [*AT_ZERO, "zeta-owens-t"]),
        (erf(G) * erf(G + 1), UNIT, OWENS, gaussian_calculus,
         [*AT_ZERO, "zeta-owens-t", "erf-product-on-line"]),
        (exp(G) * erf(H), PAIR, y, gaussian_calculus, TWO_FUNCTIONS),
        (exp(G) * H, PAIR, y, gaussian_calculus, []),
    ],
)  # fmt: skip
def test_the_claims_that_evidence_cites_without_being_told(integrand, law, value, rule, ids):
    claim = Claim("it", Eq(Expectation(integrand, law), value), "test")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=rule))
    assert claim_ids_used_by(claim, LEDGER.find) == ids


def positive(hypotheses, id="it"):
    claim = Claim(id, Gt(t * y + t, 0), "test", hypotheses=hypotheses)
    claim.proof(lambda goal: chain(goal.lhs).gt(goal.rhs, by=signs))
    return claim


def test_earlier_evidence_is_used_if_its_hypotheses_still_hold(monkeypatch):
    before = judge_claim(positive((t > 0, y > 0)), LEDGER.find)
    assert not before.problem

    def judge_again(*hypotheses):
        return judge_claim(positive(hypotheses), LEDGER.find, earlier=before.record)

    # What implies the hypotheses is enough, what does not is refused.
    assert not judge_again(t > 0, y > 1).problem
    lost = judge_again(t > 0)
    assert lost.refusals["1"].startswith("the two sides are not known to compare")
    # Without a search, the evidence can come from the record alone.
    monkeypatch.setitem(emission.EMITTERS, SignRule, None)
    assert not judge_again(t > 0, y > 0).problem
    assert judge_claim(positive((t > 0, y > 0), "other"), LEDGER.find).problem


def test_an_experiment_is_an_axiom_of_its_claim():
    claim = Claim("it", Gt(t**3, -1), "test")
    claim.tested_by(lambda rng: Trials(3, "cubes"))
    ((record, emitter),) = emit_records(["it"], lambda id: claim)
    assert record["axioms"] == ["unchecked: an experiment"]
    assert emitter.outcomes == []


def test_a_claim_without_translation_has_no_record():
    claim = Claim("it", Eq(t**y, 1), "test")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))
    with pytest.raises(Untranslatable, match="the exponent of t\\*\\*y"):
        list(emit_records(["it"], lambda id: claim))
    left_out = []
    assert list(emit_records(["it"], lambda id: claim, left_out)) == []
    assert left_out == ["it"]
    (record,) = statement_and_step_records(["it"], lambda id: claim)
    assert record == {
        "claim": "it", "given": [], "statement": ["o", "unsaid"], "terms": [], "steps": []
    }  # fmt: skip
