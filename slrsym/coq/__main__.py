"""Maintain the list of confirmed steps: ``python -m slrsym.coq check|search FOLDER|table``.

``check`` compiles the development of the list, and fails if Coq confirms less. ``search`` tries all
other goals, too, which takes the better part of an hour, and writes the list anew. ``table FILE``
writes how many steps of each kind are confirmed into a page, between its two marks.
"""

import re
import sys
from pathlib import Path

from slrsym.coq import CONFIRMED, confirmed_claims, coq_tactics_by_claim_and_step
from slrsym.coq.coq_calls import prune_development_and_list_axioms
from slrsym.coq.development import CoqDevelopment
from slrsym.prover.claims.ledger import builtin_ledger


def main(wanted: str, target: str) -> None:
    """Check the list of confirmed steps, search for it anew, or write its table to a page."""
    ledger = builtin_ledger()
    made = CoqDevelopment.from_claims(ledger.claims, ledger.find)
    made.store_known_proofs(coq_tactics_by_claim_and_step(), confirmed_claims())
    if wanted == "table":
        page = Path(target)
        marks = r"(<!-- table -->\n).*(<!-- end of the table -->)"
        rows = [
            ("steps", "all", "can be said", "confirmed"),
            ("---", *3 * ["---:"]),
            *made.step_count_rows(),
        ]
        lines = "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)
        page.write_text(
            re.sub(marks, rf"\1{lines}\2", page.read_text(encoding="utf-8"), flags=re.S),
            encoding="utf-8",
        )
        return
    axioms = prune_development_and_list_axioms(made, Path(target), search=wanted == "search")
    for row in made.step_count_rows():
        print(*row, sep="\t")
    print(f"{len(made.whole)} claims as a whole; axioms:", *axioms, sep="\n  ")
    if wanted == "search":
        made.write_confirmed_steps(CONFIRMED)
    there = {(goal.claim, goal.label) for goal in made.all_goals if goal.name in made.tactics}
    listed = {
        (id, label) for id, labels in coq_tactics_by_claim_and_step().items() for label in labels
    }
    for kind, steps in (("lost", listed - there), ("new", there - listed)):
        for id, label in sorted(steps):
            print(f"{kind}: {id}, {label}")
    claims = sorted(set(confirmed_claims()) - set(made.whole))
    if made.refused or listed - there or claims:
        sys.exit(f"lost as a whole: {claims}; not read back: {made.refused}")


if __name__ == "__main__":
    main(*sys.argv[1:])
