"""The proved bound on the number of steps of descent on the manifold, against runs.

Run ``python benchmarks/convergence_time.py [--settings N] [--seed N]``. The first two rows are
of figure 4b's task, the others are random. A run begins near the saddle, and ends when its risk is
at most `target` above the oracle's. The bound is that of the claims ``convergence-time-...``: their
free numbers may have any values, and are chosen such that the bound is small.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit
from sympy import Expr, Symbol, lambdify

from slrsym.papers.single_location import Task, convergence, excess_risk, planar, simulate
from slrsym.papers.single_location.convergence import nu_with_zero_kappa_slope
from slrsym.papers.single_location.experiments import EXPERIMENTS
from slrsym.papers.single_location.notation import alpha, d, gamma, kappa, lam, nu
from slrsym.papers.single_location.task import ORACLE

_PARAMETERS = (d, gamma, lam, alpha)
# The contraction of 1 - kappa is cut in so many parts, each with a rate of its own.
_PARTS = 16


class Setting(NamedTuple):
    """A task, how descent is run, where it begins, and how near to the oracle's risk it ends."""

    task: Task
    lam: float
    alpha: float
    kappa: float
    nu: float
    target: float

    @property
    def parameters(self) -> tuple[float, ...]:
        """The values of d, gamma, lambda and alpha."""
        return self.task.d, self.task.gamma, self.lam, self.alpha


@cache
def in_task(expression: Expr, *variables: Symbol) -> Callable[..., float]:
    """Return an expression as a function of the parameters of a setting and of the variables."""
    in_paper = expression.subs(convergence.constants)
    made: Callable[..., float] = lambdify(
        (*_PARAMETERS, *variables), in_paper, ["math", "scipy"], cse=True
    )
    return made


def steps(setting: Setting, most: int = 10**7) -> int:
    """Return the number of steps until the risk is at most the target above the oracle's.

    Raises
    ------
    RuntimeError
        If it takes more than `most` steps.
    """
    end = excess_risk(np.array(ORACLE), setting.lam, setting.task) + setting.target
    start, tried = [[setting.kappa, setting.nu]], 1000
    while tried <= most:
        runs = simulate(setting.task, start, setting.lam, setting.alpha, tried, progress=False)
        reached = runs.excess_risk.values[0] <= end
        if reached.any():
            return int(reached.argmax())
        tried *= 10
    raise RuntimeError(f"{setting} takes more than {most} steps")


def bound(setting: Setting) -> float:
    """Return the smallest bound found over the claims' free numbers."""
    c, r, h, q = convergence.c, convergence.r, convergence.h, convergence.q
    largest = {convergence.v: nu_with_zero_kappa_slope(c), convergence.g: convergence.largest_g}
    before = convergence.bound - convergence.contraction
    until_corner = in_task(before.subs(largest), kappa, nu, c, r, h)
    contraction = in_task(convergence.contraction, r, q, h)
    at_end = in_task(convergence.excess_at_end, h, q)
    level = in_task(convergence.level, kappa)
    given = setting.parameters

    def counted(place: np.ndarray) -> float:
        c, below, share, within = expit(place)
        r, v = c * below, level(*given, c)
        # Both terms of the risk at the end are part of the target.
        of_nu = at_end(*given, 1, 1)
        h = min(share * setting.target / of_nu, 1 - v)

        def missed(q: float) -> float:
            return at_end(*given, h, q) - setting.target

        q = r if missed(r) <= 0 else brentq(missed, r, 1, xtol=1e-15)
        if q > r:
            h = min(h, within * (1 - level(*given, q)))
        ends = 1 - np.geomspace(1 - r, 1 - q, _PARTS + 1)
        parts = (contraction(*given, *pair, h) for pair in pairwise(ends))
        first = until_corner(*given, setting.kappa, setting.nu, c, r, h)
        return float(first + (sum(parts) if q > r else 0))

    starts = product((-3, -1, 1), (-1, 1), (-2, 0), (0,))
    found = [
        minimize(lambda place: np.log(counted(place)), start, method="Nelder-Mead")
        for start in starts
    ]
    return float(np.exp(min(result.fun for result in found)))


def random_setting(rng: np.random.Generator) -> Setting:
    """Return a setting in which the claims' hypothesis on the step size holds."""
    task = Task(d=int(10 ** rng.uniform(1.5, 3)), L=10, gamma=rng.uniform(0.4, 1.5))
    inverse_temperature = rng.uniform(0.4, 2) * (2 / task.d) ** 0.5
    largest = 1 / in_task(planar.C)(task.d, task.gamma, inverse_temperature, 0)
    rate = largest * 10 ** rng.uniform(-2, -0.3)
    at_start = 10 ** rng.uniform(-5, -1, 2)
    target = task.gamma**2 * 10 ** rng.uniform(-5, -2)
    return Setting(task, inverse_temperature, rate, *at_start, target)


def settings(random: int, seed: int) -> list[Setting]:
    """Return two settings of figure 4b's task, at its lambda and at twice that, and random ones."""
    paper = EXPERIMENTS["4b"]
    rng = np.random.default_rng(seed)
    first = Setting(paper.task, 0.1, paper.alpha, 1e-2, 1e-2, 1e-3)
    return [first, first._replace(lam=0.2), *(random_setting(rng) for _ in range(random))]


def main(arguments: list[str] | None = None) -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=int, default=8, help="how many random settings")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    print(
        f"{'d':>5}{'gamma':>7}{'lambda':>8}{'alpha':>9}{'kappa':>9}{'nu':>9}{'target':>9}"
        f"{'steps':>9}{'bound':>10}{'factor':>8}"
    )
    for setting in settings(chosen.settings, chosen.seed):
        taken, proved = steps(setting), bound(setting)
        print(
            f"{setting.task.d:>5}{setting.task.gamma:>7.2f}{setting.lam:>8.3f}{setting.alpha:>9.1e}"
            f"{setting.kappa:>9.1e}{setting.nu:>9.1e}{setting.target:>9.1e}"
            f"{taken:>9,}{proved:>10,.0f}{proved / taken:>8.1f}"
        )


if __name__ == "__main__":
    main()
