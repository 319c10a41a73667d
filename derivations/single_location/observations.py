"""Experiments off the manifold, with counts."""

import numpy as np

from slrsym.proof import Claim, Trials, in_words


def random_task(rng, least_d=2, most_d=100_000, most_L=300):
    """A task whose numbers are spread over their orders of magnitude."""
    from slrsym.papers.single_location import Task

    d, L, gamma = (
        np.exp(rng.uniform(np.log(low), np.log(high)))
        for low, high in ((least_d, most_d + 1), (2, most_L + 1), (0.2, 3.0))
    )
    return Task(int(d), int(L), float(gamma))


unique = Claim(
    id="critical-temperature-unique",
    title=(
        "In each task tried, there is at most one $lambda$ at which the oracle loses its "
        "stability, and it does not regain it"
    ),
    statement=in_words(
        "With two tokens at least there is at most one inverse temperature, $lambda_c$, at which "
        "the transverse Hessian of the risk at the oracle changes between positive definite and "
        "not so; it is positive definite below."
    ),
    source="new",
)


@unique.tested_by
def _(rng):
    """Signs of its determinant and of its diagonal, on a grid of 200 $lambda$."""
    from slrsym.papers.single_location.landscape import oracle_hessian_in_angles

    count, lam, failures = 300, np.geomspace(1e-3, 1e3, 200), []
    for _ in range(count):
        task = random_task(rng)
        bend = oracle_hessian_in_angles(task, lam)
        diagonal = bend[:, 0, 0], bend[:, 1, 1]
        definite = (diagonal[0] > 0) & (diagonal[0] * diagonal[1] > bend[:, 0, 1] ** 2)
        # Once lost, it is lost; and at the least lambda it is there.
        if not definite[0] or (np.diff(definite.astype(int)) > 0).any():
            failures.append(f"{task}")
    domain = (
        "tasks with $2 <= d <= 1e5$, $2 <= L <= 300$, $0.2 <= gamma <= 3$, $1e-3 <= lambda <= 1e3$"
    )
    return Trials(count, domain, tuple(failures))


attraction = Claim(
    id="manifold-attracts-for-good",
    title=(
        "Along the planar trajectories tried, once the manifold attracts nearby points to first "
        "order, it does so at all later steps"
    ),
    statement=in_words(
        "Along a planar trajectory at a constant $lambda$ below $lambda_c$, once the manifold "
        "attracts what is near it, to first order, it does so at all later steps."
    ),
    source="new",
)


@attraction.tested_by
def _(rng):
    """The least real part of an eigenvalue of the transverse flow, along three runs for a task.

    At the saddle $(0, 0)$ the manifold repels (claim manifold-repels-at-origin), and at the oracle
    it attracts.
    """
    from slrsym.papers.single_location import simulate
    from slrsym.papers.single_location.dynamics import ManifoldStart
    from slrsym.papers.single_location.landscape import (
        critical_inverse_temperature,
        transverse_decay_rate,
    )
    from slrsym.papers.single_location.paper_risk import hessian

    runs_each, count, failures = 3, 0, []
    for _ in range(30):
        task = random_task(rng, least_d=3, most_d=3000, most_L=30)
        lam = float(min(critical_inverse_temperature(task), 3.0) * rng.uniform(0.05, 0.95))
        steepest = max(
            np.abs(hessian(point, lam, task)).max() for point in ([0] * 5, [1, 1, 0, 0, 0])
        )
        start = ManifoldStart(runs_each, int(rng.integers(2**31)))
        runs = simulate(task, start, lam, 0.5 / max(steepest, 1.0), 10_000, 100, progress=False)
        states = np.stack([runs.kappa.values, runs.nu.values], axis=-1)
        attracts = transverse_decay_rate(states, lam, task) > 0
        lost = (np.diff(attracts.astype(int)) < 0).any(axis=1)
        count += runs_each
        failures += [f"{task} at lambda = {lam:.4g}"] * int(lost.sum())
    domain = "planar runs, of tasks with $3 <= d <= 3000$, $2 <= L <= 30$, $0.2 <= gamma <= 3$"
    return Trials(count, domain, tuple(failures))


falling = Claim(
    id="falling-lambda-avoids-swap-points",
    title=(
        "In the tasks tried, fewer uniform starts end at a swap point if $lambda$ falls from 1 "
        "to a value below the critical one than if it has that value throughout"
    ),
    statement=in_words(
        "From uniform starts, fewer runs of descent end at a swap point if $lambda$ falls from 1 "
        "to its last value, below $lambda_c$, than if it has that value from the first step on."
    ),
    source="new",
)


@falling.tested_by
def _(rng):
    """As many runs of either schedule for each task: they leave the null point by other rates.

    By claim null-oracle-mode-is-faster the mode towards the oracle grows faster at any $lambda$,
    and by null-modes-separate-with-lambda the more so, the larger $lambda$ is. In the end $lambda$
    has to be below $lambda_c$, for the oracle to be stable, and small, by claim
    oracle-cost-of-others. Runs that still creep along $M$ have left swap points behind; others that
    move count against it.
    """
    import warnings

    from slrsym.papers.single_location import Task
    from slrsym.papers.single_location.landscape import critical_inverse_temperature
    from slrsym.papers.single_location.recovery import VERDICTS, Setting, classify_states, recover

    runs, steps, count, failures = 80, 3000, 6, []
    for _ in range(count):
        d, L, gamma = int(rng.integers(60, 200)), int(rng.integers(2, 8)), rng.uniform(0.5, 1)
        critical = critical_inverse_temperature(Task(d, L, gamma))
        last = float(min(critical, 1.0) * rng.uniform(0.2, 0.6))
        schedules = (1.0, (1 / last - 1) / steps), (last, 0.0)
        ends = []
        for lam0, rate in schedules:
            setting = Setting(lam0, rate, d, L, gamma, 1.2 / d, steps)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".*runs still move")
                found = recover(setting, runs, int(rng.integers(2**31)), workers=1, progress=False)
            moving = found.end[found.verdict.values == VERDICTS.index("moving")].values
            where = classify_states(moving, setting.final_lam, setting.task)
            open_ = int((where != VERDICTS.index("manifold")).sum())
            ends.append((int(found["count"][VERDICTS.index("swap")]), open_))
        if not sum(ends[0]) < ends[1][0]:
            failures.append(
                f"d = {d}, L = {L}, gamma = {gamma:.3f}, last lambda {last:.3f}: {ends}"
            )
    domain = f"tasks with {runs} runs of either schedule, $60 <= d < 200$, $2 <= L < 8$"
    return Trials(count, domain, tuple(failures))
