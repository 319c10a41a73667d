"""The proved bound on the last phase of descent as the inverse temperature falls, against runs.

Run ``python benchmarks/convergence_schedule.py [--settings N] [--seed N]``. The first five rows are
of figure 4b's task, the others are random. The inverse temperature is lambda/(1 + c n) after n
steps. A run ends when 1 - kappa and 1 - nu are at most `target`. The bound cuts the run in 16
parts. The claims ``schedule-run-nu`` and ``schedule-run-kappa`` are used for each part, with the
inverse temperature and the bounds where it begins. The last column has the factor for 4 parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import erfc, erfinv
from sympy import Expr, Symbol, lambdify

from slrsym.models.training.schedules import InverseTimeDecay
from slrsym.papers.single_location import Task, convergence, planar, simulate
from slrsym.papers.single_location.convergence import decay_over_cooled_steps
from slrsym.papers.single_location.experiments import EXPERIMENTS
from slrsym.papers.single_location.notation import alpha, d, gamma, lam

_IN_PAPER = {
    convergence.N0: planar.N, convergence.b0: planar.b, convergence.Q: planar.Q,
}  # fmt: skip
# In how many parts a run is cut, and in how many for the last column.
_PARTS, _FEW_PARTS = 16, 4
_STEPS = Symbol("n", integer=True, nonnegative=True)


class Setting(NamedTuple):
    """A task, how descent is run, where it begins, and at which distance from the oracle it ends.

    The inverse temperature is `lam` at the start, and falls at the rate `cooling`.
    """

    task: Task
    lam: float
    cooling: float
    alpha: float
    kappa: float
    nu: float
    target: float


@cache
def in_task(expression: Expr, *variables: Symbol) -> Callable[..., float]:
    """Return an expression as a function of d, gamma, lambda and alpha, and of the variables."""
    in_paper = expression.subs(_IN_PAPER)
    made: Callable[..., float] = lambdify(
        (d, gamma, lam, alpha, *variables), in_paper, ["math", "scipy"], cse=True
    )
    return made


def steps(setting: Setting, most: int = 10**7) -> int:
    """Return the number of steps until both distances are at most the target.

    Raises
    ------
    RuntimeError
        If it takes more than `most` steps.
    """
    schedule = InverseTimeDecay(setting.lam, setting.cooling)
    start, tried = [[setting.kappa, setting.nu]], 1000
    while tried <= most:
        runs = simulate(setting.task, start, schedule, setting.alpha, tried, progress=False)
        farther = 1 - np.minimum(runs.kappa.values[0], runs.nu.values[0])
        if (farther <= setting.target).any():
            return int((farther <= setting.target).argmax())
        tried *= 10
    raise RuntimeError(f"{setting} takes more than {most} steps")


def distances(setting: Setting, count: int, parts: int = _PARTS) -> tuple[float, float]:
    """Return bounds on 1 - kappa and 1 - nu after so many steps, by the claims for each part."""
    c, r, v, h = convergence.cooling, convergence.r, convergence.v, convergence.h
    of_nu = in_task(
        decay_over_cooled_steps(_STEPS, alpha * convergence.cooled_nu_rate), c, _STEPS, r, v
    )
    of_kappa = in_task(
        decay_over_cooled_steps(_STEPS, alpha * convergence.cooled_kappa_rate), c, _STEPS, r, h
    )
    d, gamma, cooling = setting.task.d, setting.task.gamma, setting.cooling
    scale = in_task(planar.b)
    # A run stays at kappa >= r if nu is at least the error function of b r.
    least = min(setting.kappa, erfinv(setting.nu) / scale(d, gamma, setting.lam, setting.alpha))
    from_kappa, from_nu = 1 - least, 1 - setting.nu
    edges = ((1 + cooling * count) ** np.linspace(0, 1, parts + 1) - 1) / cooling
    for begin, end in pairwise(dict.fromkeys(edges.round().astype(int).tolist())):
        fallen = 1 + cooling * begin
        given = d, gamma, setting.lam / fallen, setting.alpha, cooling / fallen, end - begin
        kappa_factor = 1.0
        if from_nu < erfc(scale(*given[:4])):
            kappa_factor = of_kappa(*given, 1 - from_kappa, from_nu)
        from_nu *= of_nu(*given, 1 - from_kappa, 1 - from_nu)
        from_kappa *= kappa_factor
    return from_kappa, from_nu


def bound(setting: Setting, parts: int = _PARTS, most: float = 1e15) -> float:
    """Return the number of steps after which the claims bound both distances by the target.

    It is infinite if it is above `most`.
    """

    def is_near(count: int) -> bool:
        return max(distances(setting, count, parts)) <= setting.target

    enough = 1
    while not is_near(enough):
        enough *= 2
        if enough > most:
            return np.inf
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        enough, too_few = (middle, too_few) if is_near(middle) else (enough, middle)
    return enough


def random_setting(rng: np.random.Generator) -> Setting:
    """Return a setting in which the claims' hypotheses on the step size hold."""
    task = Task(d=int(10 ** rng.uniform(1.5, 3)), L=10, gamma=rng.uniform(0.4, 1.5))
    inverse_temperature = rng.uniform(0.4, 3) * (2 / task.d) ** 0.5
    largest = 1 / in_task(planar.C)(task.d, task.gamma, inverse_temperature, 0)
    rate = largest * 10 ** rng.uniform(-2, -0.3)
    cooling = rate * 10 ** rng.uniform(-2, 0)
    start, target = rng.uniform(0.3, 0.7, size=2), 10 ** rng.uniform(-4, -2)
    return Setting(task, inverse_temperature, cooling, rate, *start, target)


def settings(random: int, seed: int) -> list[Setting]:
    """Return settings of figure 4b's task, and random ones."""
    rng = np.random.default_rng(seed)
    paper = EXPERIMENTS["4b"]
    first = Setting(paper.task, 0.1, 1e-4, paper.alpha, 0.5, 0.5, 1e-2)
    return [
        first, first._replace(cooling=1e-3), first._replace(cooling=1e-2),
        first._replace(lam=0.2, cooling=1e-3), first._replace(lam=1.0),
        *(random_setting(rng) for _ in range(random)),
    ]  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=int, default=8, help="how many random settings")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    print(
        f"{'d':>5}{'gamma':>7}{'lambda':>8}{'c':>9}{'alpha':>9}{'kappa':>7}{'nu':>6}{'target':>9}"
        f"{'steps':>9}{'bound':>10}{'factor':>8}{'in 4':>8}"
    )
    for setting in settings(chosen.settings, chosen.seed):
        taken, proved = steps(setting), bound(setting)
        print(
            f"{setting.task.d:>5}{setting.task.gamma:>7.2f}{setting.lam:>8.3f}"
            f"{setting.cooling:>9.1e}{setting.alpha:>9.1e}{setting.kappa:>7.2f}{setting.nu:>6.2f}"
            f"{setting.target:>9.1e}{taken:>9,}{proved:>10,.0f}{proved / taken:>8.1f}"
            f"{bound(setting, _FEW_PARTS) / taken:>8.1f}"
        )


if __name__ == "__main__":
    main()
