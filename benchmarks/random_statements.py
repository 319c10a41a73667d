"""Run random statements of models as the nightly test does, with a limit of time for each draw.

It prints a line for each draw that fails or is stopped, and counts at the end:

    python benchmarks/random_statements.py --draws 300 --seconds 120
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from slrsym.models import NotClosedError
from tests.models.test_random_statements import check_statement, drawn


class Stopped(BaseException):
    """A draw that took longer than its limit."""


def stop(_: int, __: FrameType | None) -> None:
    """Stop the draw that runs."""
    raise Stopped


def outcome(seed: int, seconds: float) -> tuple[str, str]:
    """Return how a draw ended, and words that say why."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return ("agreed" if check_statement(seed) else "refused"), ""
    except Stopped:
        return "stopped", f"after {seconds:.0f} s of processor time"
    except NotClosedError as problem:
        return "failed", f"refused after it was compiled: {problem}"
    except Exception as problem:
        return "failed", f"{type(problem).__name__}: {problem}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main() -> None:
    """Run the draws and print their outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first draw")
    parser.add_argument("--draws", type=int, default=300, help="how many draws")
    parser.add_argument("--seconds", type=float, default=120, help="processor time of a draw")
    given = parser.parse_args()
    signal.signal(signal.SIGPROF, stop)
    counts: Counter[str] = Counter()
    for seed in range(given.first, given.first + given.draws):
        start = time.process_time()
        how, why = outcome(seed, given.seconds)
        counts[how] += 1
        if why:
            words = {k: v for k, v in drawn(seed)[1].items() if k != "seed"}
            print(f"{seed}: {how} {words}: {why}", flush=True)
        else:
            print(f"{seed}: {how}, {time.process_time() - start:.1f} s", flush=True)
    print(", ".join(f"{n} {how}" for how, n in sorted(counts.items())))


if __name__ == "__main__":
    main()
