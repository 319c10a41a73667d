"""Marks of a claim, such as "13 steps, 30 digits, kernel, Coq", and the lists they are from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slrsym.book.claims import marks
from slrsym.claims.ledger import Row
from slrsym.evidence import judged
from slrsym.evidence.judged import by_kernel, steps_judged
from slrsym.evidence.proof_log import write_log
from slrsym.trusted import log
from slrsym.trusted.log import Judged, Stated
from tests._profile import NIGHTLY, more

ROW = Row("a", "", "", "proved", 3, 30, (), (), 0.1, "")


@pytest.fixture
def lists(monkeypatch):
    monkeypatch.setattr(judged, "judged", lambda: {"a": (3, 3), "b": (3, 2), "c": (3, 0)})
    monkeypatch.setattr("slrsym.book.claims.confirmed_claims", lambda: {"a": []})
    monkeypatch.setattr("slrsym.book.claims.confirmed", lambda: {"b": {"1": "ring"}})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "3 steps, 30 digits, kernel, Coq"),
        ({"id": "b"}, "3 steps, 30 digits, kernel 2/3, Coq 1/3"),
        ({"id": "c"}, "3 steps, 30 digits"),
        ({"steps": 1, "digits": None}, "1 step, Coq"),  # the list is of another proof
        ({"replaces": True}, "3 steps, 30 digits"),
        ({"status": "failed"}, "3 steps, 30 digits"),
        ({"steps": 0}, ""),
    ],
)
def test_marks_say_what_is_known(lists, change, said):
    assert ", ".join(marks(replace(ROW, **change))) == said


def test_the_list_is_of_claims_that_there_are(ledger):
    assert judged.judged().keys() <= ledger.claims.keys()


@more(NIGHTLY)
def test_the_kernels_list_is_true(ledger, tmp_path):
    """Of some claims, in nightly of all, the log is written anew and judged."""
    few = ["erf-increasing", "young", "lemma-16"]
    wanted = list(ledger.claims) if NIGHTLY else few
    write_log(tmp_path / "log", wanted, ledger.find)
    found = steps_judged(tmp_path / "log")
    assert set(few) <= found.keys()
    for id, (steps, count) in found.items():
        if known := by_kernel(id, steps):
            assert count >= known, id


def test_a_step_that_rests_on_something_unchecked_does_not_count(monkeypatch):
    steps = (
        Stated("1", "algebra", frozenset(), ()),
        Stated("2", "algebra", frozenset({"unchecked: a side condition"}), ()),
        Stated("3", "fubini", frozenset({"fubini"}), ()),
    )
    claim = Judged("young", (), (), frozenset(), steps)
    monkeypatch.setattr(log, "recheck", lambda path: [claim])
    assert steps_judged("log") == {"young": (3, 2)}
