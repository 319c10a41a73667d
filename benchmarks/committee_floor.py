"""The noise floor of committee machines: sampled descent beside the derived values.

``python benchmarks/committee_floor.py [--surplus 0 2] [--eta 0.4] [--runs 24] [--d 1000]`` prints a
row for each number L of surplus students, with the generalisation error that is left, in units of
sigma^2 eta/(2 pi): the mean over runs with its standard error; the derived value at this learning
rate, a fixed point of the equations of motion; the difference in standard errors; and the derived
first order. Runs are descent in R^d from its definition, and use no derived equation. They have a
fixed seed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from slrsym.papers.committee.surveys import NoiseFloorSurvey


def compared(survey: NoiseFloorSurvey) -> list[tuple[int, float, float, float, float]]:
    """Return L, the sampled floor, its standard error, the derived floor, and its first order."""
    data = survey.compute_data()
    return [
        (int(L), *(float(data[name].sel(L=L)) for name in ("sampled", "error", "solved")),
         float(data.first_order.sel(L=L)))
        for L in data.L
    ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--surplus", type=int, nargs="+", default=[0, 2], help="numbers L")
    parser.add_argument("--eta", type=float, default=0.4, help="learning rate")
    parser.add_argument("--sigma", type=float, default=0.1, help="standard deviation of the noise")
    parser.add_argument("--runs", type=int, default=24, help="runs for each L")
    parser.add_argument("--d", type=int, default=1000, help="dimension")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    survey = NoiseFloorSurvey(
        surplus=tuple(asked.surplus), rates=(asked.eta,), sigma=asked.sigma, runs=asked.runs,
        d=asked.d, seed=asked.seed,
    )  # fmt: skip
    start = time.process_time()
    print(
        f"M = {survey.teachers}, eta = {asked.eta}, sigma = {asked.sigma}, d = {asked.d}, "
        f"{asked.runs} runs"
    )
    print("L   sampled            derived  off by    first order")
    for L, sampled, error, solved, order in compared(survey):
        off = (sampled - solved) / error
        print(f"{L:<3} {sampled:.4f} +- {error:.4f}   {solved:.4f}  {off:+.1f} s.e.  {order:.4f}")
    print(f"{time.process_time() - start:.0f} s of the processor")


if __name__ == "__main__":
    main()
