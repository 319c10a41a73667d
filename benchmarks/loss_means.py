"""Print the worst errors of means of losses at random laws, beside integrals that share no code.

Of each loss and unit, with a noisy sign as the label, it compiles risk, gradient, drift and
terms of second order, and compares them with the rules of tests/models/test_loss_means.py: at so
many random laws, and where student and teacher are aligned, opposite, and at right angles.

    python benchmarks/loss_means.py --laws 50
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.models.test_loss_means import integrals_of_sign, laws, of_sign

LOSSES = ["hinge", "squared hinge", "exponential", "absolute", "logistic", "huber"]
UNITS = ["linear", "relu", "erf"]


def worst_errors(loss: str, unit: str, count: int, noise: float) -> list[float]:
    """Return the worst errors of risk, gradient, drift and second order, each over all laws."""
    of: Any = of_sign(loss, unit)
    risk = of.compile("numpy", "risk", "gradient")
    flow = of.equations("gradient-flow", rate=1).compile("numpy")
    online = of.equations("online-sgd", rate=1).compile("numpy")
    errors = []
    for q, r in laws(count, seed=7):
        mean, along_w, along_u, second = integrals_of_sign(loss, unit, q, r, noise)
        value, in_q, in_r = risk([q, r], noise)
        moved = flow([q, r], noise)
        added = online([q, r], noise) - moved
        slopes = [2 * q * in_q + r * in_r - along_w, 2 * r * in_q + in_r - along_u]
        drift = [moved[0] + 2 * along_w, moved[1] + along_u]
        parts = ([value - mean], slopes, drift, [added[0] - second, added[1]])
        errors.append([np.max(np.abs(part)) for part in parts])
    return [float(x) for x in np.max(errors, axis=0)]


def main() -> None:
    """Print a row for each loss and unit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--laws", type=int, default=50, help="random laws for each")
    parser.add_argument("--noise", type=float, default=0.25, help="its variance in the label")
    parser.add_argument("--units", nargs="+", choices=UNITS, default=UNITS, help="the units")
    parser.add_argument("--losses", nargs="+", choices=LOSSES, default=LOSSES, help="the losses")
    given = parser.parse_args()
    # Others on the machine go first.
    os.nice(10)
    print("| loss | unit | bar | risk | gradient | drift | second order |")
    print("|---|---|--:|--:|--:|--:|--:|", flush=True)
    for unit in given.units:
        for loss in given.losses:
            is_closed = loss != "logistic" and unit != "erf"
            found = worst_errors(loss, unit, given.laws, given.noise)
            cells = " | ".join(f"{x:.0e}" for x in found)
            bar = "1e-10" if is_closed else "1e-8"
            print(f"| {loss} | {unit} | {bar} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
