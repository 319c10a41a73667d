"""The comparison of the proved number of steps with runs."""

from __future__ import annotations

import pytest

from ._benchmarks import benchmark

program = benchmark("convergence_time")

PAPER, WARM = program.settings(0, seed=0)
# Nearly all steps are those of the contraction of 1 - kappa.
NEAR = PAPER._replace(target=1e-8)
# Growth at the saddle takes most steps.
SADDLE = PAPER._replace(lam=0.02, alpha=0.05, kappa=1e-8, nu=1e-8, target=0.2)


@pytest.mark.parametrize(("setting", "factor"), [(WARM, 8), (NEAR, 1.15), (SADDLE, 1.9)])
def test_no_run_takes_longer_than_the_bound(setting, factor):
    taken, bound = program.steps(setting), program.bound(setting)
    assert taken <= bound <= factor * taken


def test_random_settings_have_the_step_size_of_the_claims():
    chosen = program.settings(20, seed=3)
    assert chosen[:2] == [PAPER, WARM]
    assert chosen == program.settings(20, seed=3)
    for setting in chosen:
        assert setting.alpha * program.in_task(program.planar.C)(*setting.parameters) < 1


def test_a_run_that_takes_too_long():
    with pytest.raises(RuntimeError, match="takes more than 1000 steps"):
        program.steps(PAPER, most=1000)


def test_the_table(capsys):
    program.main(["--settings", "0"])
    header, row, _ = capsys.readouterr().out.splitlines()
    assert header.split()[-3:] == ["steps", "bound", "factor"]
    taken, bound, factor = (float(cell.replace(",", "")) for cell in row.split()[-3:])
    assert bound / taken == pytest.approx(factor, abs=0.05)
