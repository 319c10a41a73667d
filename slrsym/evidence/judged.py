"""Which steps the kernel judges, as a log of all claims has shown, for marks in book and site.

The list is made from a log that `slrsym verify --log` has written:
``python -m slrsym.evidence.judged proofs.log``.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

JUDGED = Path(__file__).with_name("judged.json")


@cache
def judged() -> dict[str, tuple[int, int]]:
    """For each claim of the package that is in the log: its steps, and how many are judged."""
    found = json.loads(JUDGED.read_text(encoding="utf-8"))
    return {id: (steps, by_kernel) for id, (steps, by_kernel) in found.items()}


def steps_judged(path: str | Path) -> dict[str, tuple[int, int]]:
    """What a log shows; a step counts that rests on nothing which is not checked."""
    # The kernel is needed where the list is made, and not where it is read.
    from slrsym.trusted import log

    counts = {}
    for claim in log.recheck(path):
        bare = sum(any(a.startswith(log.UNCHECKED) for a in s.axioms) for s in claim.steps)
        counts[claim.id] = len(claim.steps), len(claim.steps) - bare
    return counts


def by_kernel(id: str, steps: int) -> int | None:
    """How many of a claim's steps the kernel judges; None if the list is of another proof."""
    found = judged().get(id)
    return found[1] if found and found[0] == steps else None


if __name__ == "__main__":
    lines = [f'"{id}": {json.dumps(x)}' for id, x in sorted(steps_judged(sys.argv[1]).items())]
    JUDGED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
