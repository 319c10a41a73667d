"""Every claim that comes with the package is accepted, whatever the random points."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from scipy.stats import kstest
from sympy.core.relational import Relational

from slrsym.gaussian import Expectation
from slrsym.matrices import MatrixMean
from slrsym.proof import AXIOMS, Trials
from slrsym.prover.claims.check import check_step_numerically, is_compared_with_numbers, step_seed
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.statements.expressions import ForAll, conjuncts
from slrsym.prover.tactics.bundled_log import bundled_record
from tests._granted import grant_judgements, grant_steps
from tests._profile import NIGHTLY, THOROUGH, more, nightly_only, thorough_only

# `slrsym verify` proves every claim by all rules, at seed 0. Rules know no points: the profiles ci
# and nightly compare the numbers here at others, nightly at yet more. Where all claims have just
# been verified, as in .ci/run, ci looks at what was found. Dev takes steps and experiments for
# granted, and looks at what follows from them.

# A file of `slrsym verify --json`, of all claims and by the package that is tested.
VERDICTS = os.environ.get("SLRSYM_VERDICTS")

# What has no proof, and is shown on a box.
CERTIFIED = {
    "theorem-5-certified", "theorem-5-closed-forms", "proposition-10-certified",
    "equation-14-counterexample-number", "oracle-stable-certified", "oracle-unstable-certified",
    "attraction-certified", "attraction-certified-far", "attraction-certified-temperatures",
    "attraction-share-certified", "sublevel-certified", "oracle-global-minimum",
}  # fmt: skip


def test_every_file_loads(ledger):
    assert ledger.problems == []


def granted_trials(claim, seed):
    """What `run_experiment` returns of a claim whose experiment sees nothing against it."""
    return Trials(1, "trials, taken for granted") if claim.is_empirical else None


@pytest.fixture(scope="module")
def rows(ledger):
    if VERDICTS and THOROUGH and not NIGHTLY:
        text = Path(VERDICTS).read_text(encoding="utf-8")
        return json.loads(text, object_hook=lambda entry: SimpleNamespace(**entry))
    with pytest.MonkeyPatch.context() as patch:
        # `slrsym verify` has asked the proof checker; other points are of interest here.
        (grant_judgements if THOROUGH else grant_steps)(patch)
        if not THOROUGH:
            patch.setattr("slrsym.prover.claims.check.run_experiment", granted_trials)
        return ledger.verify(seed=1)


# Each claim of derivations/ is sampled, certified and drawn a step of in dev, at another seed.
@thorough_only
@more
def test_with_its_steps_every_claim_is_proved(ledger, rows):
    assert len(rows) == len(ledger.claims)
    evidence = [row for row in rows if row.status in ("certified", "empirical")]
    for row in evidence:
        assert ledger.claims[row.id].is_empirical == (row.status == "empirical")
    boxes = {row.id: row.box for row in evidence if row.status == "certified"}
    assert set(boxes) == CERTIFIED
    assert all(boxes.values())
    others = [row for row in rows if row not in evidence]
    # Its conclusion, a sentence in words, is an axiom.
    cited = {"bayes-risk": "what is concluded in bayes-risk is cited, not checked"}
    assert {row.id: row.error for row in others if row.status != "proved"} == cited
    assert len(evidence) < len(rows) / 18
    assert all(row.steps >= 2 for row in others)
    assert {name for row in rows for name in row.axioms} <= set(AXIOMS)


def test_nothing_is_said_to_be_itself(ledger, steps):
    # What SymPy has evaluated before anyone looks is not what was meant. At the first index of an
    # induction, both sides may be the same.
    said = [
        (id, s.label, part)
        for id, found in steps.items()
        for s in found
        for part in conjuncts(s.statement)
        if not s.label.startswith("base")
    ]
    said += [(id, "claim", part) for id, c in ledger.claims.items() for part in c.statement.args]
    same = [at for *at, p in said if isinstance(p, Relational) and p.lhs == p.rhs]
    assert same == []
    assert len(said) > 1000


@thorough_only
def test_steps_hold_to_many_digits(rows):
    digits = [row.digits for row in rows if row.digits is not None]
    assert len(digits) > len(rows) / 2
    assert min(digits) >= 28


@thorough_only
@more
def test_every_claim_about_an_expectation_is_sampled(ledger, rows):
    found = {row.id: row.monte_carlo for row in rows}
    for id, claim in ledger.claims.items():
        # Nor are functions sampled of which a hypothesis says something.
        is_sampled = not any(hypothesis.has(ForAll) for hypothesis in claim.hypotheses)
        assert bool(found[id]) == (claim.statement.has(Expectation, MatrixMean) and is_sampled), id
        for item in found[id]:
            # An experiment may be about what the sampler cannot compute, such as an integral.
            assert not item.contradiction, id
            if item.refusal:
                assert claim.is_empirical, id
                continue
            assert item.samples >= 10_000
            assert item.stderr > 0
    assert sum(map(len, found.values())) < 10_000  # as the probability of a false alarm supposes


@thorough_only
@more
def test_the_deviations_of_samples_are_normal(rows):
    items = [item for row in rows for item in row.monte_carlo]
    items = [item for item in items if not item.refusal]
    z = [item.z for item in items if item.off == abs(item.z)]
    assert len(z) > 30
    assert kstest(z, "norm").pvalue > 0.001
    # Those of inequalities, which may hold by far, are on the right side.
    assert max(item.off for item in items) < 4


@nightly_only
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_the_numbers_agree_at_other_points(ledger, seed):
    for claim in ledger.claims.values():
        for number, step in enumerate(steps_of_claim(claim, ledger.find)):
            if is_compared_with_numbers(step):
                digits, contradiction, _ = check_step_numerically(
                    step, step_seed(claim, number, seed)
                )
                assert contradiction == "", f"{claim.id}, step {step.label}"
                assert digits is None or digits >= 28, f"{claim.id}, step {step.label}"


def test_the_ledger_has_every_claim_that_the_derivations_are_about(ledger):
    expected = {
        "lemma-6", "lemma-6-stable", "lemma-16", "lemma-17-i", "lemma-17-ii", "lemma-17-iii",
        "lemma-18-i", "lemma-18-ii", "lemma-18-iii", "lemma-18-iv", "lemma-18-v", "lemma-18-vi",
        "proposition-9", "proposition-9-gradient-kappa", "proposition-9-gradient-nu",
        "proposition-10-hessian", "proposition-10-maximum", "proposition-10-minimum",
        "proposition-10-saddle", "proposition-15", "stein-multivariate", "stein-one-dimensional",
        "theorem-1", "zeta-owens-t", "zeta-variance",
    }  # fmt: skip
    assert expected <= set(ledger.claims)


@thorough_only
@more
def test_theorem_1_rests_on_lemma_18_and_steins_lemma(rows):
    found = {row.id: row for row in rows}
    ids, ahead = set(), ["theorem-1"]
    while ahead:
        id = ahead.pop()
        if id not in ids:
            ids.add(id)
            ahead += found[id].depends
    assert {"proposition-15", "lemma-18-v"} <= ids
    axioms = bundled_record("theorem-1")["axioms"]
    assert {"dominated-convergence", "gaussian-normalisation"} <= set(axioms)
