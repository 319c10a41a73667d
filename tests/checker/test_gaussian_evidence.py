"""Steps of the Gaussian calculus as inferences of the kernel, from claims of the package."""

from __future__ import annotations

import pytest

from slrsym.checker import ProvedClaims, recheck
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.tactics import (
    expectation_inequalities,
    gaussian_rules,
    solution_sets_by_cases,
    structure,
)
from slrsym.prover.tactics.bundled_log import BUNDLED_LOG
from slrsym.prover.tactics.log_records import log_lines
from slrsym.prover.tactics.log_reuse import EarlierInferences, read_log_records
from slrsym.prover.tactics.proof_log import emit_claim
from tests._profile import THOROUGH, more

# Imported for what they register.
FAMILIES = (structure, solution_sets_by_cases, gaussian_rules, expectation_inequalities)
# Claims, and the steps of them that need the calculus; what they cite is taken on trust here.
STEPS = {
    "stein-multivariate": ["1", "2", "4", "5", "6", "7"],
    "sum-of-copies": ["base.1", "step.1", "step.2"],
    "bayes-bound": ["1", "2"],
    "triangle-inequality": ["1", "2"],
    "assumption-1-mean": ["1"],
    "lemma-18-i": ["1"],
    "lemma-18-ii": ["value.1", "derivative.1"],
    # What is left of bells leads back to itself by Stein's lemma.
    "several-heads-target": ["1"],
    # Sums inside a square are kept whole; new variables are put in.
    "theorem-1-overlaps": ["1", "2", "3", "4"],
}
# Searched for in ci; in dev the evidence of the bundled log is judged again.
SLOW = {"triangle-inequality", "lemma-18-ii", "theorem-1-overlaps", "several-heads-target"}


@pytest.fixture(scope="module")
def shipped():
    return read_log_records(BUNDLED_LOG)


@pytest.mark.parametrize("id", [pytest.param(id, marks=more) if id in SLOW else id for id in STEPS])
def test_steps_have_evidence_that_is_judged_again(id, ledger, shipped, tmp_path):
    book, made = ProvedClaims(), []
    known_records = shipped if id in SLOW and not THOROUGH else {}

    def add(name):
        for used in dict.fromkeys(
            u for s in steps_of_claim(ledger.find(name), ledger.find) for u in s.uses
        ):
            if used not in known and used != name:
                known.add(used)
                add(used)
        earlier = EarlierInferences(known_records.get(name, {}))
        record, emission = emit_claim(ledger.find(name), ledger.find, book, earlier)
        made.append(record)
        return emission

    known = {id}
    outcomes = {o.label: o.refusal for o in add(id).outcomes}
    assert {label: outcomes[label] for label in STEPS[id]} == dict.fromkeys(STEPS[id], "")
    file = tmp_path / "proofs.log"
    file.write_text("\n".join(log_lines({"seed": 0}, made)) + "\n", encoding="utf-8")
    judged = {found.id: found for found in recheck(file)}
    rests_on = {step.label: step.axioms for step in judged[id].steps}
    assert not any(a.startswith("unchecked") for label in STEPS[id] for a in rests_on[label])
