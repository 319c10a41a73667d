"""Keeps the list of what Coq confirms: ``python -m slrsym.coq check|search FOLDER``.

``check`` compiles the development of the list, and fails if Coq confirms less. ``search`` tries all
other goals, too, which takes the better part of an hour, and writes the list anew.
"""

import sys
from pathlib import Path

from slrsym.claims.ledger import builtin_ledger
from slrsym.coq.development import CONFIRMED, Development, confirmed, confirmed_claims
from slrsym.coq.running import checked


def main(wanted: str, folder: str) -> None:
    """Check the list, or make it anew."""
    ledger = builtin_ledger()
    made = Development.of(ledger.claims, ledger.find)
    known, whole = confirmed(), confirmed_claims()
    made.use(known, whole)
    axioms = checked(made, Path(folder), search=wanted == "search")
    print(
        f"{len(made.tactics)} of {len(made.all_goals)} steps, {len(made.whole)} claims as a whole"
    )
    print("axioms:", *axioms, sep="\n  ")
    if wanted == "search":
        made.write(CONFIRMED)
    lost = sum(map(len, known.values())) - len(made.tactics), len(whole) - len(made.whole)
    if made.refused or max(lost) > 0:
        sys.exit(f"lost: {lost[0]} steps and {lost[1]} claims; not read back: {made.refused}")


if __name__ == "__main__":
    main(*sys.argv[1:])
