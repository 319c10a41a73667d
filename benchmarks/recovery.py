"""The bar of figure 4a's setting: 100,000 starts; and what the stopping rule changes.

Run ``python benchmarks/recovery.py [--runs N] [--checked N]``. First the given number of starts
is followed, over one process for each core, as ``slrsym paper single-location recovery`` does. Then
some of them are followed through all their steps, and the verdicts are compared, run by run; that
takes ten times as long for each. Seconds are those of the clock, and of all cores together.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np


def main() -> None:
    """Measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--checked", type=int, default=4000)
    chosen = parser.parse_args()

    from slrsym.papers.single_location.recovery import Setting, recover

    setting = Setting(1, 1e-4, 400, 10, 0.5**0.5, 4e-3, 120_000)
    # Compiled code is kept on disk; this makes it.
    recover(setting, 1, workers=1)
    results = {}
    for name, runs, stopping in (
        ("stopping", chosen.runs, True),
        ("to the end", chosen.checked, False),
    ):
        before, clock = os.times(), time.perf_counter()
        results[name] = recover(setting, runs, stopping=stopping)
        seconds, after = time.perf_counter() - clock, os.times()
        spent = sum(after[:4]) - sum(before[:4])
        print(
            f"{name:<12} {runs:>8,} runs {seconds:>8.1f} s {spent:>8.1f} s of all cores "
            f"{1000 * spent / runs:>8.2f} ms a run"
        )
    both = min(chosen.runs, chosen.checked)
    first, second = (data.verdict.values[:both] for data in results.values())
    print(f"{np.sum(first != second)} of {both:,} verdicts differ")


if __name__ == "__main__":
    main()
