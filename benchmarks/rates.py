"""The proved bounds on the excess risk of erf attention, against the least risk that is found.

Run ``python benchmarks/rates.py [--settings N] [--seed N]``. For each random task it prints the
least excess risk of the oracle over all inverse temperatures, with the bounds of
`gap-of-rates-explicit` and `sharp-rate`; and the least one that a search finds over the overlaps,
too, with the bound of `attention-floor`. The bounds are the sides of the claims' statements.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.optimize import minimize
from sympy import Expr, Symbol

import slrsym
from slrsym.papers.single_location import Task, excess_risk
from slrsym.papers.single_location.surveys import best_inverse_temperature
from slrsym.papers.single_location.task import ORACLE

# The share delta of `sharp-rate` that is lost to the logarithm.
_DELTA = 0.1


def _random_tasks(count: int, seed: int) -> list[Task]:
    """Draw tasks in which the condition of `gap-of-rates-explicit` holds."""
    rng, found = np.random.default_rng(seed), list[Task]()
    while len(found) < count:
        L = int(rng.integers(5, 200))
        d = round(L * np.exp(rng.uniform(2, 7)))
        task = Task(d, L, float(rng.uniform(0.6, 1.5)))
        ratio = np.log(d / L)
        if ratio <= np.pi / 4 * task.gamma**2 * np.exp(ratio / 2):
            found.append(task)
    return found


def _bound(claim: str, task: Task) -> float:
    """Return the side of a claim's statement that is free of random variables."""
    side: Expr = slrsym.ledger().claims[claim].statement.rhs
    values = {
        "d": task.d, "L": task.L, "gamma": task.gamma, "l": np.log(task.d / task.L),
        "delta": _DELTA,
    }  # fmt: skip
    return float(
        side.xreplace({s: values[s.name] for s in side.free_symbols if isinstance(s, Symbol)})
    )


def _least(task: Task, seed: int) -> float:
    """Search for the least excess risk over overlaps and inverse temperatures.

    Starts are the oracle, the exchanged pair k = v*, v = k*, and vectors in the plane of k* and v*.
    """

    def risk(x: np.ndarray) -> float:
        a, b, log_lam = x
        state = np.array([np.cos(a), np.cos(b), np.sin(b), np.sin(a), np.sin(a + b)])
        return float(excess_risk(state, np.exp(log_lam), task))

    rng = np.random.default_rng(seed)
    first = np.log(best_inverse_temperature(task))
    starts = [(0.0, 0.0, first), (np.pi / 2, np.pi / 2, np.log(np.pi / 2 / task.d) / 2)]
    starts += [(*rng.uniform(-np.pi, np.pi, 2), first) for _ in range(30)]
    ends = [
        minimize(risk, start, method="Nelder-Mead", options={"maxiter": 4000}) for start in starts
    ]
    return min(float(end.fun) for end in ends)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--settings", type=int, default=8, help="how many tasks")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    heads = ("below", "oracle", "above", "ratio", "floor", "found", "ratio")
    print(f"{'d':>7} {'L':>4}  gamma " + "".join(f"{head:>9}" for head in heads))
    for number, task in enumerate(_random_tasks(asked.settings, asked.seed)):
        oracle = float(excess_risk(ORACLE, best_inverse_temperature(task), task))
        below, above = _bound("gap-of-rates-explicit", task), _bound("sharp-rate", task)
        floor, found = _bound("attention-floor", task), _least(task, number)
        print(
            f"{task.d:7} {task.L:4}  {task.gamma:5.2f} {below:9.1e}{oracle:9.1e}{above:9.1e}"
            f"{oracle / below:9.1f}{floor:9.1e}{found:9.1e}{found / floor:9.2f}"
        )


if __name__ == "__main__":
    main()
