"""Run the fuzzer, print its table, and shorten what the checkers did not agree on."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter

from .campaign import Campaign
from .shrinking import shrunk


def main() -> int:
    """Return 1 if the checkers disagree anywhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many inferences")
    parser.add_argument(
        "--each", type=int, default=0,
        help="go on with each row until so many are accepted, and as many near misses",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", nargs="*", default=[], help="only these rows of the table")
    parser.add_argument("--records", type=int, default=0, help="of the log; 0 for all, -1 for none")
    parser.add_argument("--stop", action="store_true", help="at the first disagreement")
    arguments = parser.parse_args()
    # A shell ignores interrupts of what it runs in the background.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    start = time.perf_counter()
    campaign = Campaign(arguments.seed, arguments.records)
    loaded = time.perf_counter()
    tally = campaign.run(arguments.count, arguments.rows, arguments.stop, arguments.each)
    seconds = time.perf_counter() - loaded
    print(tally.table())
    print(f"{loaded - start:.0f} s to load the log; {tally.total('made') / seconds:,.0f} a second")
    seen: Counter[str] = Counter()
    for made, outcome in tally.found:
        seen[made.row] += 1
        if seen[made.row] <= 5:
            try:
                made, outcome = shrunk(made, campaign.judges)
            except Exception as reason:
                print("not shortened:", reason)
            print(f"\n{made.rule} {made.data}")
            for p in made.premises:
                print("  premise", p.hypotheses, "|-", p.conclusion)
            print(
                "  first: ",
                outcome.why[0] or "accepted",
                "\n  second:",
                outcome.why[1] or "accepted",
            )
    return 1 if tally.found else 0


if __name__ == "__main__":
    sys.exit(main())
