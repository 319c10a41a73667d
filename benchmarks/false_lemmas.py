"""Draw false variants of the lemmas of a page, and print how they are refused.

``python benchmarks/false_lemmas.py`` draws 402 variants of the 67 lemmas of docs/how-to/lemmas*.py,
6 of each: a constant, a sign, a bound or a hypothesis is changed. Code that shares nothing with
slrsym finds a point at which the variant fails (tests/docs/_false_lemmas.py). Then slrsym is asked,
with the proof of the true lemma and no bundled log. None may be proved. A refusal names the point
(or both numbers, if a statement has no letters), or a condition that is missing: the fact from
which the statement does not follow, or the inequality that is not shown. Each variant has a process
of its own and a limit of processor time.
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
from statistics import median
from typing import Any

from slrsym.proof import builtin_ledger
from slrsym.prover.claims.check import check_claim
from slrsym.prover.claims.ledger import load_claims

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.docs._false_lemmas import false_variants  # noqa: E402

# A statement without letters fails at no point: the refusal shows both numbers.
POINT = re.compile(r"fails at|fails: .* against|undefined")
CONDITION = re.compile(r"does not follow from|not shown|not known to compare: ")


def judge(lemma: Any, seed: int, limit: int, to: Any) -> None:
    """Draw a variant of a lemma and send how it is refused; one such process judges one variant."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    used = int(time.process_time()) + limit
    resource.setrlimit(resource.RLIMIT_CPU, (used, used + 5))
    for variant in false_variants(lemma, 1, seed):
        start = time.process_time()
        verdict = check_claim(variant, builtin_ledger().find)
        seconds = time.process_time() - start
        to.send((variant.id, verdict.accepted, verdict.failure, seconds))
    to.send(None)


def kind_of(accepted: bool, failure: str) -> str:
    """Return what a verdict on a false variant says."""
    if accepted:
        return "proved"
    if POINT.search(failure):
        return "point"
    return "condition" if CONDITION.search(failure) else "neither"


def main() -> int:
    """Print how the variants are refused; return 1 if one is proved, or too many name nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs=2, default=(1, 7), metavar=("FIRST", "END"))
    parser.add_argument("--limit", type=int, default=90, help="seconds of processor time for each")
    chosen = parser.parse_args()
    files = sorted((ROOT / "docs" / "how-to").glob("lemmas*.py"))
    lemmas = [lemma for file in files for lemma in load_claims(file)]
    context = get_context("fork")
    found: Counter[str] = Counter()
    seconds: list[float] = []
    for seed in range(*chosen.seeds):
        for lemma in lemmas:
            receive, send = context.Pipe(duplex=False)
            child = context.Process(target=judge, args=(lemma, seed, chosen.limit, send))
            child.start()
            send.close()
            try:
                while (told := receive.recv()) is not None:
                    id, accepted, failure, spent = told
                    kind = kind_of(accepted, failure)
                    found[kind] += 1
                    seconds.append(spent)
                    if kind in ("proved", "neither"):
                        print(f"{kind}: {id} (seed {seed}): {failure}", flush=True)
            except EOFError:
                found["no verdict in time"] += 1
                print(f"no verdict in time: {lemma.id} (seed {seed})", flush=True)
            child.join()
    count = found.total()
    print(f"{count} false variants of {len(lemmas)} lemmas")
    for kind in ("proved", "point", "condition", "neither", "no verdict in time"):
        print(f"{kind:>20} {found[kind]:4} {100 * found[kind] / max(1, count):6.1f} %")
    if seconds:
        print(f"seconds: median {median(seconds):.2f}, at most {max(seconds):.1f}")
    named = found["point"] + found["condition"]
    return int(found["proved"] > 0 or named < 0.9 * count)


if __name__ == "__main__":
    sys.exit(main())
