"""The proof log of all claims that comes with the package.

Whether the log is right is not asked here: ``slrsym recheck`` judges it.
"""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

# slrsym verify --proof-log has written it.
SHIPPED = Path(__file__).with_name("ledger.log.xz")


@cache
def _lines() -> dict[str, str]:
    """The lines of the log by claim, as text: few of them are asked for."""
    with lzma.open(SHIPPED, "rt", encoding="utf-8") as lines:
        next(lines)
        return {line.split('"', 4)[3]: line for line in lines}


def record_of(id: str) -> dict[str, Any]:
    """Return what the log says of a claim; nothing if it does not know it."""
    line = _lines().get(id)
    return json.loads(line) if line else {}


@cache
def judged() -> dict[str, tuple[int, int]]:
    """For each claim of the shipped log: its steps, and how many rest on nothing unchecked."""
    counts: dict[str, tuple[int, int]] = {}
    # What rests on something unchecked: a claim by its id, its inferences by their numbers.
    bare: dict[str | int, bool] = {}
    with lzma.open(SHIPPED, "rt", encoding="utf-8") as lines:
        _, *records = map(json.loads, lines)
    for record in records:
        for number, (name, premises, *_) in enumerate(record["lines"]):
            bare[number] = name == "unchecked" or any(bare[p] for p in premises)
        ends = [end for _, _, end, *_ in record["steps"]]
        counts[record["claim"]] = len(ends), sum(not bare[end] for end in ends)
        bare[record["claim"]] = bare[record["shown"]]
    return counts


def by_kernel(id: str, steps: int) -> int | None:
    """How many of a claim's steps the kernel judges; None if the log is of another proof."""
    found = judged().get(id)
    return found[1] if found and found[0] == steps else None
