"""The proof log of all claims that comes with the package.

This module reads the log without checking it; ``slrsym recheck`` checks it.
"""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

# Written by slrsym verify --proof-log.
BUNDLED_LOG = Path(__file__).with_name("ledger.log.xz")


@cache
def _unparsed_records() -> dict[str, str]:
    """Return the records of the bundled log by the claim's id, as text that is not parsed yet."""
    with lzma.open(BUNDLED_LOG, "rt", encoding="utf-8") as lines:
        next(lines)
        return {line.split('"', 4)[3]: line for line in lines}


def forget_log() -> None:
    """Forget the bundled log as it was read, after it was written again."""
    _unparsed_records.cache_clear()
    count_checked_steps_by_claim.cache_clear()


def bundled_record(id: str) -> dict[str, Any]:
    """Return the record of a claim in the bundled log; empty if there is none."""
    line = _unparsed_records().get(id)
    return json.loads(line) if line else {}


@cache
def count_checked_steps_by_claim() -> dict[str, tuple[int, int]]:
    """Return, for each claim in the bundled log, its number of steps and of those fully checked."""
    counts: dict[str, tuple[int, int]] = {}
    # Whether a claim, by its id, or an inference, by its number, rests on an unchecked axiom.
    bare: dict[str | int, bool] = {}
    with lzma.open(BUNDLED_LOG, "rt", encoding="utf-8") as lines:
        _, *records = map(json.loads, lines)
    for record in records:
        for number, (name, premises, *_) in enumerate(record["lines"]):
            bare[number] = name == "unchecked" or any(bare[p] for p in premises)
        ends = [end for _, _, end, *_ in record["steps"]]
        counts[record["claim"]] = len(ends), sum(not bare[end] for end in ends)
        bare[record["claim"]] = bare[record["shown"]]
    return counts


def count_claim_steps_with_evidence(id: str, steps: int) -> int | None:
    """Return how many steps of a claim have evidence; None if the log has another proof of it."""
    found = count_checked_steps_by_claim().get(id)
    return found[1] if found and found[0] == steps else None
