"""Search for all evidence from an empty log, and measure it.

``python benchmarks/evidence.py ledger`` searches for the steps of all claims that come with slrsym,
in as many processes as there are cores (``--workers``); ``small`` for small true claims, which are
the twins of the false claims of the tests and the textbook page, in one process. Seconds are those
of the processor.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from slrsym.prover.claims.ledger import Ledger, builtin_ledger, load_claims  # noqa: E402
from slrsym.prover.rules.axioms import is_soundness_axiom  # noqa: E402
from slrsym.prover.tactics.judgement import judge_claim  # noqa: E402


class Found(NamedTuple):
    """What the search found for a claim: its steps, those without evidence, and why."""

    id: str
    steps: int
    lacking: dict[str, str]
    on_rules: tuple[str, ...]
    seconds: float


def searched(claim: Any, find: Callable[[str], Any], effort: float) -> Found:
    """Judge a claim with evidence that is searched for anew."""
    start = time.process_time()
    # A record without inferences, so that the bundled one is not read.
    found = judge_claim(claim, find, effort, earlier={"claim": claim.id})
    lacking = {label: reason for label, reason in found.refusals.items() if reason}
    if found.problem and not lacking:
        lacking["statement"] = found.problem
    rules = tuple(filter(is_soundness_axiom, found.axioms))
    seconds = time.process_time() - start
    return Found(claim.id, len(found.refusals), lacking, rules, seconds)


@cache
def _ledger() -> Ledger:
    return builtin_ledger()


def _of_ledger(id: str, effort: float) -> Found:
    return searched(_ledger().find(id), _ledger().find, effort)


def of_ledger(workers: int, effort: float) -> Iterable[Found]:
    """Search for the evidence of all claims that come with slrsym and have a proof."""
    claims = _ledger().claims.values()
    ids = [c.id for c in claims if not c.is_empirical and c.certificate() is None]
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_of_ledger, ids, [effort] * len(ids))


def of_small_claims(effort: float) -> Iterable[Found]:
    """Search for the evidence of the twins of false claims, and of the textbook page."""
    from tests.prover.false_claims.test_false_claims import TWINS

    for param in TWINS:
        (entry,) = param.values
        claim = entry.claim
        yield searched(claim, entry._ledger(claim).find, effort)._replace(id=param.id)
    for claim in load_claims(ROOT / "docs" / "how-to" / "textbook.py"):
        yield searched(claim, _ledger().find, effort)


def main() -> None:
    """Print the claims that lack evidence, and the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("ledger", "small"))
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--effort", type=float, default=1.0)
    asked = parser.parse_args()
    start, found = time.perf_counter(), []
    made = of_small_claims(asked.effort)
    if asked.what == "ledger":
        made = of_ledger(asked.workers, asked.effort)
    for one in made:
        found.append(one)
        for label, reason in one.lacking.items():
            print(f"{one.id} {label}: {reason}", flush=True)
        for rule in one.on_rules:
            print(f"{one.id} rests on {rule}", flush=True)
    seconds = [one.seconds for one in found]
    steps, lacking = sum(one.steps for one in found), sum(len(one.lacking) for one in found)
    slowest = sorted(found, key=lambda one: -one.seconds)[:5]
    print(f"{steps - lacking} of {steps} steps of {len(found)} claims have evidence")
    print(
        f"processor time {sum(seconds):.0f} s; a claim: median {median(seconds):.2f} s, 90 % below "
        f"{quantiles(seconds, n=10)[-1]:.2f} s"
    )
    print(f"slowest: {', '.join(f'{one.id} {one.seconds:.1f} s' for one in slowest)}")
    print(f"it took {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
