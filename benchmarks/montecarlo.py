"""Monte Carlo: what sampling costs as d grows, and what variance reduction gains, in one run.

Run ``python benchmarks/montecarlo.py [--samples N]``. Times are CPU times of this process; each is
the least of several. A gain of 10 is a tenth of the variance: for the same number of samples, and
for the same CPU time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from slrsym.papers.single_location import OrderParameters, Task
from slrsym.papers.single_location.models import task_model
from slrsym.papers.single_location.sampled_risk import (
    Erf,
    HardOracle,
    Linear,
    Softmax,
    risk_estimate,
)

ORACLE = OrderParameters(1, 1, 0, 0, 0)
PLACES = {
    "oracle": ORACLE,
    "on M": OrderParameters(0.4, 0.6, 0, 0, 0),
    "off M": OrderParameters(0.3, 0.6, 0.1, -0.2, 0.3),
}
KINDS = [("projected", True), ("conditioned", False), ("conditioned", True)]
REPEATS = 5


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Least CPU time of several calls, in seconds, and what the last one gave."""
    best = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        found = call()
        best = min(best, time.process_time() - start)
    return best, found


def dimensions(samples: int) -> None:
    """Compare the time of the projected estimators at d = 10 and at d = 10^6."""
    print("CPU time at d = 1,000,000 over that at d = 10")
    state = PLACES["off M"]
    for method in ("projected", "conditioned"):
        seconds = [
            timed(
                lambda d=d, method=method: risk_estimate(
                    Erf(0.1), Task(d, 10, 0.7), state, method=method, samples=samples
                )
            )[0]
            for d in (10, 10**6)
        ]
        print(f"  {'risk':9} {method:12} {seconds[1] / seconds[0]:5.2f}")
    values = {"L": 10, "gamma": 0.7, "epsilon": 0.1, "lambda": 0.1}
    seconds = [
        timed(
            lambda d=d: task_model().check(
                {**values, "d": d}, start=state._asdict(), method="projected", samples=samples
            )
        )[0]
        for d in (10, 10**6)
    ]
    print(f"  {'gradient':9} {'projected':12} {seconds[1] / seconds[0]:5.2f}")
    plain = [
        timed(lambda d=d: risk_estimate(
            Erf(0.1), Task(d, 10, 0.7), state, method="plain", samples=2000
        ))[0]
        for d in (10, 1000)
    ]  # fmt: skip
    print(f"  (risk, plain, d = 1,000 over d = 10: {plain[1] / plain[0]:.1f})")


def gains(samples: int) -> None:
    """Ratios of variances, for the same samples and for the same time."""
    task = Task(d=400, L=10, gamma=0.5**0.5, epsilon=0.1)
    print("\nvariance of projected samples over that of reduced ones: risk; d = 400, L = 10")
    print(f"  {'predictor':14}{'at':9}" + "".join(f"{_title(k):>26}" for k in KINDS))
    print(f"  {'':23}" + f"{'per sample':>14}{'per second':>12}" * len(KINDS))
    cases = [(predictor, place) for predictor in (Softmax(0.1), Erf(0.1)) for place in PLACES]
    cases += [(HardOracle(), "oracle"), (Linear(), "oracle")]
    # At d = 400 the hard oracle makes no mistake that could be sampled.
    hard = Task(d=20, L=10, gamma=0.5**0.5, epsilon=0.1)
    for predictor, place in cases:
        of = hard if isinstance(predictor, HardOracle) else task
        line = f"  {predictor.name:14}{place:9}"
        base, plain = timed(lambda p=predictor, t=of, s=place: _estimate(p, t, s, samples))
        for method, antithetic in KINDS:
            if isinstance(predictor, Linear) and method == "conditioned":
                line += f"{'-':>14}{'-':>12}"
                continue
            seconds, found = timed(
                lambda p=predictor, t=of, s=place, m=method, a=antithetic: _estimate(
                    p, t, s, samples, m, a
                )
            )
            gain = (plain.stderr / found.stderr) ** 2
            # The pilot that measures the gain is part of the time, as it is for users.
            line += f"{gain:14.2f}{gain * base / seconds:12.2f}"
        print(line)


def _estimate(
    predictor: Any,
    task: Task,
    place: str,
    samples: int,
    method: str = "projected",
    antithetic: bool = False,
) -> Any:
    return risk_estimate(
        predictor,
        task,
        PLACES[place],
        method=method,
        antithetic=antithetic,
        samples=samples,
    )


def _title(kind: tuple[str, bool]) -> str:
    method, antithetic = kind
    return method + (" pairs" if antithetic else "")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200_000)
    samples = parser.parse_args().samples
    dimensions(samples)
    gains(samples)


if __name__ == "__main__":
    main()
