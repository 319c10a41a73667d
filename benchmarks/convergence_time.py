"""The proved bound on the number of steps of descent on the manifold, against runs.

Run ``python benchmarks/convergence_time.py [--settings N] [--seed N]``. The first row is the setting
of figure 4b; the others are random. A run begins near the saddle, and ends when its risk is at most
`target` above the oracle's. The bound is that of the claims ``convergence-time-...``: their free
numbers may have any values, and are chosen such that the bound is small.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit
from sympy import lambdify

from slrsym import Task, convergence, excess_risk, planar
from slrsym.convergence import level_at
from slrsym.experiments import EXPERIMENTS
from slrsym.notation import alpha, d, gamma, kappa, lam, nu
from slrsym.task import ORACLE

_PARAMETERS = (d, gamma, lam, alpha)
_CHOSEN = (convergence.c, convergence.r, convergence.h, convergence.delta)
_CHUNK = 4096


@dataclass(frozen=True)
class Setting:
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
def _compiled(*variables: Any) -> Callable[..., Any]:
    """Return a function of the parameters and of some variables, with the values of `variables`."""
    *arguments, expressions = variables
    in_task = [expr.subs(convergence.constants) for expr in expressions]
    return lambdify((*_PARAMETERS, *arguments), in_task, ["math", "scipy"], cse=True)


def _bound() -> Callable[..., Any]:
    """Return the bound as a function of the start and of the chosen numbers."""
    largest = {convergence.v: level_at(convergence.c), convergence.g: convergence.largest_g}
    return _compiled(kappa, nu, *_CHOSEN, (convergence.bound.subs(largest),))


def steps(setting: Setting, most: int = 10**7) -> int:
    """Return the number of steps until the risk is at most the target above the oracle's.

    Raises
    ------
    RuntimeError
        If it takes more than `most` steps.
    """
    after = _compiled(kappa, nu, (planar.kappa_next, planar.nu_next))
    end = excess_risk(np.array(ORACLE), setting.lam, setting.task) + setting.target
    point, done = (setting.kappa, setting.nu), 0
    while done <= most:
        orbit = np.zeros((_CHUNK, 5))
        for row in orbit:
            row[:2] = point
            point = after(*setting.parameters, *point)
        # The risk never increases along an orbit.
        above = int(np.sum(excess_risk(orbit, setting.lam, setting.task) > end))
        done += above
        if above < _CHUNK:
            return done
    raise RuntimeError(f"{setting} takes more than {most} steps")


def bound(setting: Setting) -> float:
    """Return the smallest bound found over the claims' free numbers."""
    counts = _bound()
    at_end = _compiled(convergence.h, convergence.delta, (convergence.excess_at_end,))
    level = _compiled(kappa, (convergence.level,))
    given = setting.parameters

    def chosen(place: np.ndarray) -> tuple[float, ...]:
        c, below, share, within = expit(place)
        r, v = c * below, level(*given, c)[0]
        # Both terms of the risk at the end are part of the target.
        of_nu = at_end(*given, 1, 0)[0]
        h = min(share * setting.target / of_nu, within * (1 - level(*given, 1)[0]), 1 - v)

        def missed(delta: float) -> float:
            return float(at_end(*given, h, delta)[0] - setting.target)

        delta = 1 - r if missed(1 - r) <= 0 else brentq(missed, 0, 1 - r, xtol=1e-15)
        return c, r, h, delta

    def logarithm(place: np.ndarray) -> float:
        return float(np.log(counts(*given, setting.kappa, setting.nu, *chosen(place))[0]))

    starts = product((-3, -1, 1), (-1, 1), (-2, 0), (0,))
    found = [minimize(logarithm, place, method="Nelder-Mead") for place in starts]
    return float(np.exp(min(result.fun for result in found)))


def random_setting(rng: np.random.Generator) -> Setting:
    """Return a setting in which the claims' hypothesis on the step size holds."""
    task = Task(d=int(10 ** rng.uniform(1.5, 3)), L=10, gamma=rng.uniform(0.4, 1.5))
    inverse_temperature = rng.uniform(0.4, 2) * (2 / task.d) ** 0.5
    largest = 1 / _compiled((planar.C,))(task.d, task.gamma, inverse_temperature, 0)[0]
    rate = largest * 10 ** rng.uniform(-2, -0.3)
    at_start = 10 ** rng.uniform(-5, -1, 2)
    target = task.gamma**2 * 10 ** rng.uniform(-5, -2)
    return Setting(task, inverse_temperature, rate, *at_start, target)


def settings(random: int, seed: int) -> list[Setting]:
    """Return the setting of figure 4b, from a start near the saddle, and random ones."""
    paper = EXPERIMENTS["4b"]
    rng = np.random.default_rng(seed)
    first = Setting(paper.task, 0.1, paper.alpha, 1e-2, 1e-2, 1e-3)
    return [first, *(random_setting(rng) for _ in range(random))]


def main(arguments: list[str] | None = None) -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=int, default=9, help="how many random settings")
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
