"""False twins of claims about flows are refused, and what they cite is proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from slrsym.proof import Ledger
from tests._profile import nightly_only, thorough

FILES = {
    "scalar": (2, {"growth-formula-false", "layers-rate-false"}),
    "single_location": (1, {"flow-to-oracle-false"}),
}


# Minutes, but for the first.
@pytest.mark.parametrize(
    "name", [thorough("scalar"), *(pytest.param(f, marks=nightly_only) for f in [*FILES][1:])]
)
def test_false_twins_are_not_proved(name):
    count, false = FILES[name]
    ledger = Ledger.load(Path(__file__).with_name(f"{name}.py"))
    assert not ledger.problems
    rows = ledger.verify()
    # With those of the package that they cite.
    assert len(rows) > count
    assert {row.id for row in rows if row.status != "proved"} == false
