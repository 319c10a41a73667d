"""Claims that are tested: an experiment with counts stands for a proof, and is told from one."""

import io
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from sympy import Gt, Symbol

from slrsym.cli import terminal_output
from slrsym.proof import (
    Claim,
    Ledger,
    ProofError,
    Trials,
    algebra,
    chain,
    check_claim,
    in_words,
    lemma,
)

x = Symbol("x", positive=True)


def claimed(id="tested", trials=None, statement=None):
    claim = Claim(
        id=id, statement=in_words("All is well.") if statement is None else statement, source="test"
    )

    @claim.tested_by
    def _(rng):
        """By drawing numbers."""
        if trials is not None:
            return trials
        return Trials(5, f"numbers such as {rng.integers(1000)}")

    return claim


def rows(*claims, seed=0):
    ledger = Ledger()
    for claim in claims:
        ledger.claims[claim.id] = claim
    return ledger.verify(seed=seed, workers=1)


def test_counts_stand_in_the_ledger():
    (row,) = rows(claimed())
    assert row.status == "empirical"
    assert row.trials.startswith("5 numbers such as ")
    assert row.trials.endswith(", none against it")
    assert (row.steps, row.digits, row.error, row.box) == (0, None, "", "")
    assert row.as_dict()["trials"] == row.trials
    assert claimed().proof_idea == "By drawing numbers."


def test_random_numbers_are_those_of_the_claim_and_the_seed():
    (first,), (again,), (other,) = rows(claimed()), rows(claimed()), rows(claimed(), seed=1)
    assert first.trials == again.trials != other.trials
    assert rows(claimed("another"))[0].trials != first.trials


@pytest.mark.parametrize(
    ("trials", "error"),
    [
        (Trials(0, "numbers"), "no trial was made of numbers"),
        (Trials(1200, "numbers", ("7", "8")), "2 of 1,200 numbers against it: 7; 8"),
        (Trials(9, "numbers", tuple("abcde")), "5 of 9 numbers against it: a; b; c"),
        ("fine", "ProofError: claim tested: 'fine' is no slrsym.proof.Trials"),
    ],
)
def test_a_contradiction_or_no_trial_is_a_failure(trials, error):
    (row,) = rows(claimed(trials=trials))
    assert (row.status, row.error, row.trials) == ("failed", error, "")


def test_an_experiment_that_breaks_is_a_failure():
    claim = Claim(id="broken", statement=in_words("All is well."), source="test")
    claim.tested_by(lambda rng: 1 / 0)
    assert rows(claim)[0].status == "failed"


def test_what_rests_on_it_is_not_proved():
    below = claimed("below", Trials(3, "numbers"), Gt(x + 1, 0, evaluate=False))
    above = Claim(id="above", statement=Gt(x + 2, 1, evaluate=False), source="test")

    @above.proof
    def _(goal):
        """By what is only tested."""
        return chain(x + 2).then(1 + (x + 1), by=algebra).gt(1, by=lemma("below"))

    found = {row.id: row for row in rows(below, above)}
    assert found["below"].status == "empirical"
    assert found["above"].status == "conditional"
    assert "below" in found["above"].error


def test_one_kind_of_evidence_only():
    claim = claimed()
    with pytest.raises(ProofError, match="is tested, and has no proof"):
        claim.proof(lambda goal: chain(x))
    with pytest.raises(ProofError, match="has evidence already"):
        claim.tested_by(lambda rng: Trials(1, "x"))
    with pytest.raises(ProofError, match="has evidence already"):
        claim.certified_by(lambda: None)
    proved, without = (Claim(id, Gt(x, 0, evaluate=False), "test") for id in ("proved", "without"))
    proved.proof(lambda goal: chain(x))
    with pytest.raises(ProofError, match="has a proof already"):
        proved.tested_by(lambda rng: Trials(1, "x"))
    assert without.experiment(np.random.default_rng(0)) is None


def test_it_is_counted_apart():
    found = rows(claimed("one"), claimed("two", Trials(1, "x", ("x",))))
    out = io.StringIO()
    console = Console(file=out, width=200)
    for line in terminal_output.texts_on_boxes_and_trials(found):
        console.print(line)
    console.print(terminal_output.outcome_line(found[:1], 1.0))
    shown = terminal_output.claim_and_verdict_as_data(
        claimed("one"), check_claim(claimed("one"), None)
    )
    terminal_output.show_proof(SimpleNamespace(**shown), found[0], console)
    text = out.getvalue()
    assert "one empirical by 5 numbers such as" in text
    assert "0 of 1 claims proved, 1 empirical, 0 steps" in text
    assert terminal_output.outcome_line(found[:1], 1.0).style == "bold green"
    assert terminal_output.outcome_line(found, 1.0).style == "bold red"
    assert "two" not in text
