"""The page of statements about flows: all proved; with a wrong number, none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slrsym.prover.claims.ledger import Ledger
from slrsym.prover.claims.verification import ClaimSummary

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "flows.py"
TEXT = PAGE.read_text(encoding="utf-8")
# What is changed, and the claims that are false then.
WRONG = {
    "flow-balance": ("x(t) ** 2 - y(t) ** 2, x(0)", "x(t) ** 2 + y(t) ** 2, x(0)"),
    "flow-gronwall": ("Le(V(t), V(0) * exp(-2 * mu * t))", "Le(V(t), V(0) * exp(-3 * mu * t))"),
    "flow-arrival-time": ("log(V(0) / eps))]", "log(V(0) / eps) / 2)]"),
    "flow-stays-positive": ("[slower, Gt(V(0), 0)]", "[slower, Ge(V(0), 0)]"),
    "flow-crossing-time": ("(v, x(0), x(t))), t)", "(v, x(0), x(t))), 2 * t)"),
}


def verified(file: Path) -> list[ClaimSummary]:
    ledger = Ledger.load(file)
    assert not ledger.problems
    return ledger.verify()


def test_all_are_proved_and_suppose_a_function():
    rows = verified(PAGE)
    assert len(rows) == 5
    for row in rows:
        assert row.status == "proved", row
        assert row.supposes.startswith("supposes a function for all times"), row


@pytest.mark.parametrize("id", WRONG)
def test_with_a_wrong_number_it_is_refused(id, tmp_path):
    before, after = WRONG[id]
    assert TEXT.count(before) == 1
    file = tmp_path / "flows.py"
    file.write_text(TEXT.replace(before, after), encoding="utf-8")
    found = {row.id: row.status for row in verified(file)}
    assert found.pop(id) == "failed"
    found.pop("flow-arrival-time", None)  # It rests on another one.
    assert set(found.values()) == {"proved"}


def test_the_page_shows_the_whole_file():
    page = PAGE.with_suffix(".md").read_text(encoding="utf-8")
    marks = re.findall(r"# \[\w+\]", TEXT)
    assert len(marks) == 5
    for mark in marks:
        assert mark in page
