"""The page of statements about flows: all proved; with a wrong number, none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slrsym.prover.claims.ledger import Ledger
from slrsym.prover.claims.verification import ClaimSummary
from tests._profile import thorough, thorough_cases

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "flows.py"
TEXT = PAGE.read_text(encoding="utf-8")
HEAD, _, _REST = TEXT.partition("# [conserved]")
# The part on functions of time, and that on flows as data; each stands by itself.
OF_TIME, _, OF_FIELDS = _REST.partition("# [flow]")
# What is changed, and the claims that are false then.
WRONG = {
    "flow-balance": ("x(t) ** 2 - y(t) ** 2, x(0)", "x(t) ** 2 + y(t) ** 2, x(0)"),
    "flow-gronwall": ("Le(V(t), V(0) * exp(-2 * mu * t))", "Le(V(t), V(0) * exp(-3 * mu * t))"),
    "flow-arrival-time": ("log(V(0) / eps))]", "log(V(0) / eps) / 2)]"),
    "flow-stays-positive": ("[slower, Gt(V(0), 0)]", "[slower, Ge(V(0), 0)]"),
    "flow-crossing-time": ("(v, x(0), x(t))), t)", "(v, x(0), x(t))), 2 * t)"),
    "flow-keeps-balance": ("pair.function(u**2 - w**2)", "pair.function(u**2 - 2 * w**2)"),
    "flow-growth-limit": ("growth.points((1,))", "growth.points((2,))"),
}
# Which claims rest on others of the page.
RESTING = {"flow-gronwall": {"flow-arrival-time"}}


def verified(file: Path) -> list[ClaimSummary]:
    ledger = Ledger.load(file)
    assert not ledger.problems
    return ledger.verify()


def test_all_are_proved_and_those_on_functions_of_time_suppose_one():
    rows = verified(PAGE)
    assert len(rows) == 10
    for row in rows:
        assert row.status == "proved", row
        supposed = "supposes a solution of a differential " if f'"{row.id}"' in OF_TIME else ""
        assert row.supposes.startswith(supposed), row
        assert bool(row.supposes) is bool(supposed), row


# One that others rest on, a bound in time, and one of flows as data.
_IN_DEV = {"flow-gronwall", "flow-crossing-time", "flow-keeps-balance"}


@thorough_cases("flow-gronwall", "flow-crossing-time", "flow-keeps-balance")
@pytest.mark.parametrize("id", [id if id in _IN_DEV else thorough(id) for id in WRONG])
def test_with_a_wrong_number_it_is_refused(id, tmp_path):
    before, after = WRONG[id]
    assert TEXT.count(before) == 1
    part = OF_TIME if before in OF_TIME else OF_FIELDS
    file = tmp_path / "flows.py"
    file.write_text(HEAD + part.replace(before, after), encoding="utf-8")
    found = {row.id: row.status for row in verified(file)}
    assert found.pop(id) == "failed"
    for other in RESTING.get(id, ()):
        found.pop(other)
    assert set(found.values()) == {"proved"}


def test_the_page_shows_the_whole_file():
    page = PAGE.with_suffix(".md").read_text(encoding="utf-8")
    marks = re.findall(r"# \[\w+\]", TEXT)
    assert len(marks) == 7
    for mark in marks:
        assert mark in page
