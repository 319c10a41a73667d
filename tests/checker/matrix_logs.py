"""Records of a log written by hand, and the log of some records.

`GOOD` and `BAD` hold one record each by name.  A bad one comes with a pattern of the reason.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

Node = list[Any]
Record = dict[str, Any]

# -- records ---------------------------------------------------------------------------------------

EXTENSION = "extension matrices"
AXIOMS = {"isserlis": ["isserlis"], "derivative": [], "term of a sum": ["induction"]}


def evidence(size: int = 20, use: tuple[int, ...] = (), answers: tuple[Any, ...] = ()) -> Node:
    return [size, [], list(use), list(answers)]


def arithmetic(goal: Node, *hyps: Node, premises: tuple[int, ...] = ()) -> Node:
    count = len(hyps) + len(premises)
    return ["arithmetic", list(premises), list(hyps), goal, evidence(use=tuple(range(count)))]


def isserlis(goal: Node, *hyps: Node, size: int = 20) -> Node:
    return ["isserlis", [], list(hyps), goal, evidence(size, use=tuple(range(len(hyps))))]


def record(statement: Node, *lines: Node, given: tuple[Node, ...] = (), **changes: Any) -> Record:
    """Return the record of a claim that the last of its inferences shows."""
    more = {name for line in lines for name in AXIOMS.get(line[0], [])}
    made = {
        "claim": "claim",
        "extensions": ["matrices"],
        "given": list(given),
        "statement": statement,
        "terms": [],
        "lines": list(lines),
        "steps": [],
        "shown": len(lines) - 1,
        "axioms": sorted(more | {EXTENSION}),
    }
    return json.loads(json.dumps({**made, **changes}))


def text_of(records: list[Record], extensions: list[str]) -> str:
    """Return a log with the digests of section 8.2."""
    header = {"format": "slrsym proof log 3", "claims": len(records), "extensions": extensions}
    lines, before = [], ""
    for made in [header, *records]:
        text = json.dumps(made, sort_keys=True, separators=(",", ":"))
        before = hashlib.sha256((before + text).encode()).hexdigest()
        lines.append(json.dumps({**made, "digest": before}) + "\n")
    return "".join(lines)


def assumed(p: Node) -> Node:
    return ["assume", [], p]


# What each rule concludes: a record by name.
GOOD: dict[str, Record] = {}
# What is refused: the row of M9 (or another heading), with a pattern of the reason, and a record.
BAD: dict[str, tuple[str, Record]] = {}


def good(name: str, statement: Node, *lines: Node, **changes: Any) -> None:
    assert name not in GOOD
    GOOD[name] = record(statement, *lines, **changes)


def bad(name: str, why: str, statement: Node, *lines: Node, **changes: Any) -> None:
    assert name not in BAD
    BAD[name] = why, record(statement, *lines, **changes)


def pair(name: str, why: str, right: Node, wrong: Node, line: Callable[[Node], Node]) -> None:
    """Add a statement and one that looks like it, each by the inference made of it."""
    good(name, right, line(right))
    bad(name, why, wrong, line(wrong))


DIFFERENT = "sign not shown"
MEAN = "another mean"
SHAPE = "wrong shape"
OPEN = "hypothesis that is not given"
