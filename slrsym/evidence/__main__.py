"""``python -m slrsym.evidence FILE [ID ...]`` writes a proof log and counts what has evidence."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from slrsym.claims.check import steps_of
from slrsym.claims.claim import Claim
from slrsym.evidence import expectations, gaussian_rules, solutions, structure
from slrsym.evidence.emission import Emission, emit
from slrsym.proof import builtin_ledger
from slrsym.trusted import Book, recheck, written

__all__ = ["emitted", "in_order"]

# Imported for what they register.
FAMILIES = (structure, solutions, expectations, gaussian_rules)


def in_order(ids: Iterable[str], find: Callable[[str], Claim]) -> list[str]:
    """The claims and those that they use, each after those."""
    order: dict[str, None] = {}
    open_ones: set[str] = set()

    def visit(id: str) -> None:
        if id in order or id in open_ones:
            return
        open_ones.add(id)
        for step in steps_of(find(id), find):
            for used in step.uses:
                visit(used)
        order[id] = None

    for id in ids:
        visit(id)
    return list(order)


def emitted(
    ids: Iterable[str], find: Callable[[str], Claim]
) -> Iterator[tuple[dict[str, Any], Emission]]:
    """The record of each claim, those that it uses before it, and how its steps fared."""
    book = Book()
    for id in in_order(ids, find):
        yield emit(find(id), find, book)


def main(path: str, ids: list[str]) -> None:
    """Write the log, judge it again, and print how many steps of each kind have evidence."""
    ledger, start = builtin_ledger(), time.perf_counter()
    records, all_of, with_evidence = [], Counter[str](), Counter[str]()
    for record, emission in emitted(ids or ledger.claims, ledger.find):
        records.append(record)
        for outcome in emission.outcomes:
            all_of[outcome.kind] += 1
            with_evidence[outcome.kind] += not outcome.refusal
    made = time.perf_counter() - start
    Path(path).write_text("".join(f"{line}\n" for line in written({"seed": 0}, records)))
    start = time.perf_counter()
    judged = recheck(path)
    whole = sum(not any(a.startswith("unchecked") for a in j.axioms) for j in judged)
    for kind, count in all_of.most_common():
        print(f"{with_evidence[kind]:5} of {count:5}  {kind}")
    print(f"{sum(with_evidence.values()):5} of {sum(all_of.values()):5}  steps with evidence")
    print(f"{whole:5} of {len(judged):5}  claims that rest on no unchecked step")
    size = Path(path).stat().st_size / 1e6
    print(
        f"made in {made:.1f} s, {size:.2f} MB, judged again in {time.perf_counter() - start:.1f} s"
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
