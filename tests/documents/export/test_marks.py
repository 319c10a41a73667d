"""Marks of a claim, such as "13 steps, 30 digits, checker, Coq", and the lists they are from."""

from dataclasses import replace

import pytest

from slrsym.documents.export.claim_entries import summarise_checks
from slrsym.prover.claims.ledger import ClaimSummary
from slrsym.prover.tactics import bundled_log

ROW = ClaimSummary("a", "", "", "proved", 3, 30, (), (), 0.1, "")


@pytest.fixture
def lists(monkeypatch):
    counts = {"a": (3, 3), "b": (3, 2), "c": (3, 0)}
    monkeypatch.setattr(bundled_log, "count_checked_steps_by_claim", lambda: counts)
    monkeypatch.setattr("slrsym.documents.export.claim_entries.confirmed_claims", lambda: {"a": []})
    monkeypatch.setattr(
        "slrsym.documents.export.claim_entries.coq_tactics_by_claim_and_step",
        lambda: {"b": {"1": "ring"}},
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "3 steps, 30 digits, checker, Coq"),
        ({"id": "b"}, "3 steps, 30 digits, checker 2/3, Coq 1/3"),
        ({"id": "c"}, "3 steps, 30 digits"),
        ({"steps": 1, "digits": None}, "1 step, Coq"),  # the list is of another proof
        ({"replaces": True}, "3 steps, 30 digits"),
        ({"status": "failed"}, "3 steps, 30 digits"),
        ({"steps": 0}, ""),
    ],
)
def test_marks_say_what_is_known(lists, change, said):
    assert ", ".join(summarise_checks(replace(ROW, **change))) == said
