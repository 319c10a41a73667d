"""Draw false statements about flows, and print whether they are refused, and by what.

``python benchmarks/false_flows.py`` draws 200 statements: a constant, a sign, a region or an end
point of a true one is changed, so that it is false. The proof of the true one is tried without
numbers: none may be proved. SciPy's integrators, which share nothing with slrsym's numerical check,
look for a trajectory that shows that the statement is false. Of those that they show, two in three
have to be contradicted by the numerical check, with a start and a time. Each statement has a
process of its own and a limit of processor time.
"""

from __future__ import annotations

import argparse
import re
import resource
import signal
import sys
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from slrsym.crosscheck import Inconclusive
from slrsym.crosscheck.flows import find_contradicting_trajectory

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.prover.flows._false_statements import false_statements, is_proved  # noqa: E402
from tests.prover.flows._integration import is_seen_false  # noqa: E402

_START, _TIME = re.compile(r"^from \("), re.compile(r"\btime\b|stays there|near by")


def judge(variant: Any, seed: int, limit: int, to: Any) -> None:
    """Send what proof, numbers and an independent integration say of a statement."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    used = int(time.process_time()) + limit
    resource.setrlimit(resource.RLIMIT_CPU, (used, used + 5))
    claim = variant.claim
    to.send(("seen", is_seen_false(claim)))
    try:
        found = find_contradicting_trajectory(
            claim.statement, claim.hypotheses, np.random.default_rng(seed)
        )
    except Inconclusive as reason:
        found = f"undecided: {reason}"
    to.send(("numbers", found))
    to.send(("proved", is_proved(variant)))
    to.send(None)


def main() -> int:
    """Print what becomes of each statement; return 1 if one is proved, or too few contradicted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=1, help="leave out those before this one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=120, help="seconds of processor time for each")
    chosen = parser.parse_args()
    context = get_context("fork")
    totals: Counter[str] = Counter()
    for number, variant in enumerate(false_statements(chosen.count, chosen.seed), start=1):
        if number < chosen.first:
            continue
        receive, send = context.Pipe(duplex=False)
        child = context.Process(target=judge, args=(variant, chosen.seed, chosen.limit, send))
        child.start()
        send.close()
        told: dict[str, Any] = {}
        try:
            while (pair := receive.recv()) is not None:
                told[pair[0]] = pair[1]
        except EOFError:
            totals["out of time, or broken"] += 1
        child.join()
        numbers = told.get("numbers", "no answer")
        is_contradicted = bool(_START.search(numbers) and _TIME.search(numbers))
        totals["proved"] += bool(told.get("proved"))
        totals["seen false by an independent integration"] += bool(told.get("seen"))
        totals["of these, contradicted with a start"] += bool(told.get("seen")) and is_contradicted
        totals["contradicted"] += is_contradicted
        totals["accepted by numbers"] += numbers == ""
        print(f"{number} {variant.family}: {variant.kind} {variant.part} = {variant.value}: "
              f"{'PROVED' if told.get('proof') == '' else 'refused'}; "
              f"{'seen false' if told.get('seen') else 'not seen'}; "
              f"{numbers[:110] or 'accepted by numbers'}", flush=True)  # fmt: skip
    print(*(f"{what}: {count}" for what, count in totals.items()), sep="\n")
    seen = totals["seen false by an independent integration"]
    return int(totals["proved"] > 0 or 3 * totals["of these, contradicted with a start"] < 2 * seen)


if __name__ == "__main__":
    sys.exit(main())
