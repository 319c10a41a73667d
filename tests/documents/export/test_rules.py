"""The table of rules in the documentation, and the rules that steps of the ledger name."""

import re
from pathlib import Path

import pytest

from slrsym.documents.export.rule_entries import _TABLE, rule_entry, rule_id_from_name
from slrsym.prover.claims import step_name
from slrsym.prover.rules.claim_steps import steps_of_claim

TABLE = Path(__file__).parents[3] / "docs" / "reference" / "rules.md"
ROWS = re.findall(r"^\| \{py:obj\}`~slrsym\.proof\.(\w+)` \|(.*)\|$", TABLE.read_text(), re.M)


def test_every_rule_has_a_row_in_words_of_its_own():
    assert [id for id, _ in ROWS] == [id for id, _, _ in _TABLE]
    for id, cells in ROWS:
        entry = rule_entry(id, "")
        assert entry.accepts in cells.replace("\\|", "|")
        assert f" | {entry.kind} | " in cells
        assert f"| {entry.kind} | {entry.evidence} |" in TABLE.read_text()


@pytest.mark.parametrize("id", ["lemma-18-ii", "proposition-9", "token-norms", "planar-step-along"])
def test_a_step_of_the_table_is_one_of_that_rule(ledger, id):
    """Examples that have a name are steps of the ledger, by that rule."""
    steps = {step_name(id, s.label): s for s in steps_of_claim(ledger.find(id), ledger.find)}
    named = [(rule, name) for rule, cells in ROWS for name in re.findall(r", ([\w.-]+) $", cells)]
    for rule, name in named:
        if name in steps:
            assert rule_id_from_name(steps[name].rule.name) == rule
    # What only says how steps fit together has no page; all else has one.
    silent = {"the proof concludes the statement"}
    for step in steps.values():
        assert rule_id_from_name(step.rule.name) or step.rule.name in silent
