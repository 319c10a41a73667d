"""What the engine refuses: every false entry by the checks that should know, every twin by none."""

from __future__ import annotations

import pytest

from slrsym.claims.check import StepReport
from slrsym.statements.expressions import spoken

from ..._profile import THOROUGH, more
from . import (
    calculus,
    domains,
    expectations,
    holes,
    identities,
    orbits,
    order,
    starts,
    structures,
    sums_and_slopes,
    textbook,
)
from ._entries import numbers_alone, rule_alone

THEMES = {
    "holes": holes.theme,
    "identities": identities.theme,
    "calculus": calculus.theme,
    "order": order.theme,
    "expectations": expectations.theme,
    "structures": structures.theme,
    "domains": domains.theme,
    "sums and slopes": sums_and_slopes.theme,
    "orbits": orbits.theme,
    "starts": starts.theme,
    "textbook": textbook.theme,
}


def listed(kind: str) -> list:
    return [
        pytest.param(entry, id=f"{name}: {entry}")
        for name, theme in THEMES.items()
        for entry in getattr(theme, kind)
    ]


FALSE, TWINS = listed("false"), listed("twins")


@pytest.mark.parametrize("entry", FALSE)
def test_refused(entry):
    step, seed = entry.the_step()
    by_rule = rule_alone(step)
    # Where only the rule is asked, the numbers may take long to find out that they do not know.
    asked = entry.checks != "rule" or not by_rule
    by_numbers = numbers_alone(step, seed) if asked else ""
    assert by_rule or by_numbers, "SOUNDNESS: both checks accept a false step"
    if entry.checks in ("rule", "both"):
        assert by_rule, f"SOUNDNESS: the rule accepts a false step; the numbers say: {by_numbers}"
    if entry.checks in ("numeric", "both"):
        assert by_numbers, f"the numbers accept a false step; the rule says: {by_rule}"
    report = StepReport(
        step.label, step.rule.name, spoken(step.statement), None, by_rule, by_numbers
    )
    assert not report.accepted
    assert str(report).startswith(f"step {step.label} [{step.rule.name}] is refused: ")


# What is refused is asked everywhere; that its twin is not, in dev of every third.
@more
@pytest.mark.parametrize("entry", TWINS if THOROUGH else TWINS[::3])
def test_twin_accepted(entry):
    found = entry.verdict()
    assert found.failure == ""
    assert found.accepted


def test_there_are_enough(capsys):
    with capsys.disabled():
        print(f"\n{len(FALSE)} false statements by hand, {len(holes.theme.false)} of holes")
    assert len(FALSE) >= 600
    assert len(holes.theme.false) >= 80
    false = [p.values[0] for p in FALSE]
    assert len({p.id for p in FALSE}) == len(FALSE) >= 190
    assert len(TWINS) >= 60
    assert sum(e.checks in ("numeric", "both") for e in false) >= 40
