"""Translation of claims and proof steps to Coq, as a third, independent check.

What it confirms is marked "also by Coq"; it is no part of what ``proved`` means.

What it confirms of the claims that come with the package is read here from the list that is kept.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

# For each claim the steps, by label, each with the tactic that proves it; and the claims that Coq
# confirms as a whole, each with the other claims that it supposes.
CONFIRMED = Path(__file__).with_name("confirmed.json")


@cache
def _read_confirmed_list() -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = json.loads(CONFIRMED.read_text(encoding="utf-8"))
    return found


def coq_tactics_by_claim_and_step() -> dict[str, dict[str, str]]:
    """Return, by claim id and step label, the Coq tactic that confirms a step."""
    return _read_confirmed_list()["steps"]


def confirmed_claims() -> dict[str, list[str]]:
    """Return, by id, the claims that Coq confirms as a whole, with the claims each assumes."""
    return {id: list(rests) for id, rests in _read_confirmed_list()["claims"].items()}


def is_confirmed_by_coq(id: str, label: str) -> bool:
    """Return whether Coq confirms a step of one of slrsym's own claims."""
    return label in coq_tactics_by_claim_and_step().get(id, {})


def describe_confirmed_steps(id: str, steps: int) -> str:
    """Return a sentence on how many steps of a claim Coq confirms; empty if it confirms none."""
    count = len(coq_tactics_by_claim_and_step().get(id, {}))
    if id in confirmed_claims():
        return "Also by Coq, as a whole."
    return f"Also by Coq: {count} of {steps} steps." if count else ""


def confirmed_step_count_text(id: str) -> str:
    """Return a table cell: how many steps of a claim Coq confirms, ``all``, or ``-`` for none."""
    if id in confirmed_claims():
        return "all"
    return str(len(coq_tactics_by_claim_and_step().get(id, {})) or "-")
