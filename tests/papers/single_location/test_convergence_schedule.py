"""The comparison of the proved bound under a falling inverse temperature with runs."""

import math

import numpy as np
import pytest

from slrsym.models.training.schedules import InverseTimeDecay
from slrsym.papers.single_location import convergence, excess_risk, simulate
from slrsym.papers.single_location.notation import alpha
from slrsym.papers.single_location.task import ORACLE
from tests._benchmarks import benchmark
from tests._profile import thorough

program = benchmark("convergence_schedule")

PAPER, FALLING = program.settings(0, seed=0)[:2]
# The inverse temperature falls to less than a tenth.
COLD = PAPER._replace(lam=0.3, cooling=5e-3, alpha=0.02)
NEAR = FALLING._replace(kappa=0.9, nu=0.95, target=1e-5)


@pytest.mark.parametrize(("setting", "factor"), [thorough(FALLING, 1.6), (COLD, 2.5), (NEAR, 1.5)])
def test_no_run_takes_longer_than_the_bound(setting, factor):
    taken, bound = program.steps(setting), program.bound(setting)
    assert taken <= bound <= factor * taken
    assert bound < program.bound(setting, parts=4)


@pytest.mark.parametrize("setting", [FALLING, COLD, NEAR])
def test_no_step_is_above_the_bounds_on_the_distances(setting):
    """Claims schedule-run-nu and schedule-run-kappa."""
    schedule = InverseTimeDecay(setting.lam, setting.cooling)
    start = [[setting.kappa, setting.nu]]
    runs = simulate(setting.task, start, schedule, setting.alpha, 2000, 100, progress=False)
    for count, kappa, nu in zip(
        runs.step.values.tolist(), runs.kappa.values[0], runs.nu.values[0], strict=True
    ):
        of_kappa, of_nu = program.distances(setting, count)
        assert 1 - kappa <= of_kappa * (1 + 1e-9)
        assert 1 - nu <= of_nu * (1 + 1e-9)
        # Claim schedule-risk.
        here = schedule(np.array(count)).item()
        above = excess_risk(np.array([kappa, nu, 0, 0, 0]), here, setting.task) - excess_risk(
            np.array(ORACLE), here, setting.task
        )
        scale = 2 * setting.task.gamma**2 * math.sqrt(2 * setting.task.d / math.pi) * here
        assert above <= scale * (of_kappa + of_nu)


NUMBERS = {
    convergence.N0: 0.9, convergence.Q: 1.4, convergence.b0: 0.8, convergence.B0: 1.2, alpha: 0.08,
    convergence.cooling: 0.01, convergence.r: 0.2, convergence.v: 0.3, convergence.h: 0.2,
}  # fmt: skip


@pytest.mark.parametrize("start", [(1e-2, 1e-2), (1e-3, 0), (0, 1e-3)])
def test_a_run_leaves_the_saddle_as_the_inverse_temperature_falls(start):
    """Claims schedule-run-level, schedule-run-leaves, schedule-run-passes."""
    at_level = {convergence.c: 1.2 * 0.2}
    m, ell, p, gain = (
        float(number.subs(at_level).subs(NUMBERS))
        for number in (
            convergence.cooled_m, convergence.cooled_ell, convergence.cooled_p,
            convergence.cooled_gain,
        )
    )  # fmt: skip
    size, rate, cooling = 0.9, NUMBERS[alpha], 0.01
    g = (math.sqrt(p**2 + 4 * m * size * ell) - p) / 2
    s = rate * g / (1 + rate * g)
    times = math.log((g + m * size * 0.3) / (g * start[0] + m * size * start[1])) / s
    leaves = math.ceil(math.expm1(cooling * times) / cooling)
    passes = math.ceil((1 + cooling * leaves) * math.exp(cooling * 0.2 / (rate * gain)) / cooling)
    kappa, nu = start
    for n in range(passes + 1):
        y = 1 / (1 + cooling * n)
        # B falls to 1, as in the task.
        scale, B = 0.8 * y, math.sqrt(1 + 0.44 * y**2)
        if n >= leaves:
            assert kappa >= 0.2 or nu >= 0.3
            assert nu >= math.erf(scale * 0.2)
        bell = math.exp(-((scale * kappa) ** 2))
        slope = rate * size * y * bell * (nu - math.erf(scale * kappa / B))
        kappa, nu = (
            (x + up * (1 - x**2)) / math.sqrt(1 + up**2 * (1 - x**2))
            for x, up in ((kappa, slope), (nu, rate * 1.4 * math.erf(scale * kappa)))
        )
    assert kappa >= 0.2


def test_all_settings_have_the_step_size_of_the_claims():
    chosen = program.settings(20, seed=3)
    assert chosen == program.settings(20, seed=3)
    for setting in chosen:
        given = setting.task.d, setting.task.gamma, setting.lam, setting.alpha
        for condition in convergence.short_steps:
            assert program.in_task(condition.lhs)(*given) <= condition.rhs


def test_a_run_that_takes_too_long():
    with pytest.raises(RuntimeError, match="takes more than 1000 steps"):
        program.steps(PAPER, most=1000)


def test_a_bound_that_is_too_large():
    assert program.bound(PAPER, parts=1, most=10**6) == math.inf


def test_the_table(capsys, monkeypatch):
    monkeypatch.setattr(program, "settings", lambda random, seed: [FALLING])
    program.main(["--settings", "0"])
    header, row = capsys.readouterr().out.splitlines()
    assert header.split()[-5:] == ["steps", "bound", "factor", "in", "4"]
    taken, bound, factor, few = (float(cell.replace(",", "")) for cell in row.split()[-4:])
    assert bound / taken == pytest.approx(factor, abs=0.05)
    assert factor < few
