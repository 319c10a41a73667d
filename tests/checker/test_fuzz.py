"""The two checkers agree on random inferences, and normal forms with a finite model."""

from __future__ import annotations

import re

import pytest

from tests._profile import NIGHTLY, THOROUGH, more, thorough_only
from tests.checker.finite_search import search
from tests.checker.fuzz.both import BY_NAME
from tests.checker.fuzz.campaign import Campaign
from tests.checker.fuzz.faults import FAULTS, ROOT, found
from tests.checker.fuzz.generators import GENERATORS
from tests.checker.fuzz.shrinking import shrunk
from tests.checker.reference.theorems import RULES as SECOND

COUNT = 100_000 if NIGHTLY else 10_000 if THOROUGH else 300
RECORDS = 20 if THOROUGH else 2


@more
@pytest.mark.parametrize("seed", [1])
def test_the_checkers_agree(seed):
    campaign = Campaign(seed, RECORDS)
    tally = campaign.run(COUNT)
    assert not tally.found, [shrunk(made, campaign.judges) for made, _ in tally.found[:3]]
    # Otherwise nothing has been compared.
    assert tally.total("accepted") > COUNT / 2
    assert tally.total("near") > COUNT / 6


def test_every_rule_and_schema_has_a_row():
    from slrsym.checker.extensions.dynamics import FLOW_SCHEMAS
    from slrsym.checker.extensions.vectors import VECTOR_SCHEMAS
    from slrsym.checker.orbit_theorems import SCHEMAS

    rows = {row.partition(":")[0] for row in GENERATORS}
    assert rows == set(SECOND)
    assert {row for row in GENERATORS if row.partition(":")[0] in BY_NAME} == {
        *(f"theorem: {name}" for name in SCHEMAS),
        *(f"vector theorem: {name}" for name in VECTOR_SCHEMAS),
        *(f"flow theorem: {name}" for name in FLOW_SCHEMAS),
    }


@thorough_only
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_is_planted_is_found(name):
    assert found(name)


def test_ten_faults_are_planted_in_each():
    for which in ("first", "second"):
        assert sum(name.startswith(which) for name in FAULTS) >= 10


@pytest.mark.parametrize("part", ["matri", "function", "flow|dynamics"])
@pytest.mark.parametrize("which", ["first", "second"])
def test_three_faults_are_planted_in_each_for_each_extension(which, part):
    files = [fault.file for name, fault in FAULTS.items() if name.startswith(which)]
    assert sum(bool(re.search(part, file)) for file in files) >= 3


@pytest.mark.parametrize("name", FAULTS)
def test_the_text_that_a_fault_replaces_stands_once_in_its_file(name):
    fault = FAULTS[name]
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.old) == 1


def test_rows_that_are_short_go_on_after_the_count():
    tally = Campaign(1, -1).run(30, ["symbol", "sign"], each=10)
    assert tally.total("made") > 30
    assert all(tally.least(row) >= 10 for row in ("symbol", "sign"))


@more
def test_normal_forms_agree_with_the_finite_model():
    finder = search(100_000 if NIGHTLY else 10_000 if THOROUGH else 500, 1)
    assert not finder.wrong, finder.wrong[:3]
    assert finder.counts["values"] > finder.counts["terms"]
    assert finder.counts["relations shown"] > 0
