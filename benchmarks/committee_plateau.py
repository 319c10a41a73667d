"""The plateau of committee machines: sampled descent beside the derived values.

``python benchmarks/committee_plateau.py [--K 3] [--eta 0.2 0.4] [--runs 24] [--d 1000]`` prints two
rows for each learning rate: the generalisation error on the plateau, and the escape rate, in units
of the learning rate. A row has the mean over runs with its standard error; the derived value at
this learning rate, of a fixed point of the equations of motion and of its largest eigenvalue; the
difference in standard errors; and the proved closed form, which is the limit of small rates.

Runs are descent in R^d from its definition, and use no derived equation. The students start equal,
with the overlap 1/sqrt(K (2 K - 1)) with each teacher, but for a small difference R - S between the
overlaps with their own teacher and with others. Once the rest has settled, the error is averaged,
and R - S is fitted by an exponential. It stays near or below a hundredth of R, where the equations
are as good as linear. Runs have a fixed seed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sympy import Symbol

from slrsym.papers.committee.surveys import (
    SampledDescent,
    committee_equations,
    diagonal_and_offdiagonal_means,
)
from slrsym.proof import builtin_ledger

Array = NDArray[np.float64]

# The difference R - S at the start; it grows some threefold until the end.
APART = 1e-3
# In units of the inverse of the learning rate: until runs have settled, how long they are then
# followed, and how often they are looked at.
SETTLE, TIME, EVERY = 5.0, 15.0, 0.1


class Row(NamedTuple):
    """A quantity as sampled, as derived at this learning rate, and in the limit of small rates."""

    name: str
    samples: Array
    derived: float
    limit: float

    @property
    def mean(self) -> float:
        """Return the mean over runs."""
        return float(self.samples.mean())

    @property
    def error(self) -> float:
        """Return the standard error of the mean."""
        return float(self.samples.std(ddof=1) / np.sqrt(len(self.samples)))

    @property
    def off(self) -> float:
        """Return the distance of the mean from the derived value, in standard errors."""
        return (self.mean - self.derived) / self.error


def sampled(K: int, eta: float, d: int, runs: int, seed: int) -> tuple[Array, Array]:
    """Return the error on the plateau and the growth rate of R - S over eta, of each run."""
    students = np.zeros((runs, K, d))
    students[:, :, :K] = 1 / np.sqrt(K * (2 * K - 1)) + APART * (np.eye(K) - 1 / K)
    descent = SampledDescent(students, K, eta, 0.0, seed)
    descent.advance(round(SETTLE / eta * d))
    steps = round(EVERY / eta * d)
    errors, logarithms = [], []
    for _ in range(round(TIME / EVERY)):
        descent.advance(steps)
        errors.append(descent.current_generalisation_errors())
        _, overlaps = descent.overlaps()
        own, others = diagonal_and_offdiagonal_means(overlaps)
        logarithms.append(np.log(own - others))
    times = np.arange(len(errors)) * steps / d
    return np.mean(errors, axis=0), np.polyfit(times, np.array(logarithms), 1)[0] / eta


def derived(K: int, eta: float) -> tuple[float, float]:
    """Return the same by the equations of motion, at their fixed point with equal students."""
    equations = committee_equations()
    values = {"M": K, "eta": eta, "sigma": 0.0}
    near = {
        "R": K * (2 * K - 1),
        "S": K * (2 * K - 1),
        "Q": (2 * K - 1) ** 2,
        "C": (2 * K - 1) ** 2,
    }
    start = [near[symbol.name] ** -0.5 for symbol in equations.state]
    (plateau,) = equations.fixed_points(values, starts=[start])
    leading = equations.linearise(plateau.state, values).eigenvalues[0]
    return plateau.risk / 2, float(leading.real) / eta


def in_the_limit(K: int) -> tuple[float, float]:
    """Return the same for small learning rates, by the claims that state them."""
    ledger, units = builtin_ledger(), Symbol("K", integer=True, positive=True)
    error, escape = (
        ledger.find(f"committee-plateau-{name}").statement.subs(units, K)
        for name in ("error", "escape")
    )
    # Of the velocities along the eigenvector, that of S is the rate, in units of 2 eta/pi.
    return float(error.rhs), 2 / np.pi * max(float(part.rhs) for part in escape.args)


def compared(K: int, eta: float, d: int, runs: int, seed: int) -> list[Row]:
    """Return the rows of a learning rate."""
    columns = zip(sampled(K, eta, d, runs, seed), derived(K, eta), in_the_limit(K), strict=True)
    names = ("error", "rate/eta")
    return [Row(name, *column) for name, column in zip(names, columns, strict=True)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--K", type=int, default=3, help="number of students and of teachers")
    parser.add_argument("--eta", type=float, nargs="+", default=[0.2, 0.4], help="learning rates")
    parser.add_argument("--runs", type=int, default=24, help="runs for each learning rate")
    parser.add_argument("--d", type=int, default=1000, help="dimension")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    start = time.process_time()
    print(f"K = {asked.K}, d = {asked.d}, {asked.runs} runs")
    print("eta   of        sampled                derived   off by     small eta")
    for number, eta in enumerate(asked.eta):
        for row in compared(asked.K, eta, asked.d, asked.runs, asked.seed + number):
            print(
                f"{eta:<5} {row.name:<9} {row.mean:.6f} +- {row.error:.6f}   {row.derived:.6f}  "
                f"{row.off:+.1f} s.e.  {row.limit:.6f}"
            )
    print(f"{time.process_time() - start:.0f} s of the processor")


if __name__ == "__main__":
    main()
