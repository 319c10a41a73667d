"""The comparison of the proved number of steps with runs."""

import math

import pytest
from sympy import lambdify

from slrsym.papers.single_location import convergence
from slrsym.papers.single_location.notation import alpha, kappa, nu
from tests._benchmarks import benchmark
from tests._profile import thorough_cases, thorough_only

program = benchmark("convergence_time")

PAPER, WARM = program.settings(0, seed=0)
# Nearly all steps are those of the contraction of 1 - kappa.
NEAR = PAPER._replace(target=1e-6)
# Growth at the saddle takes most steps.
SADDLE = PAPER._replace(lam=0.02, alpha=0.05, kappa=1e-8, nu=1e-8, target=0.2)


@thorough_only
@pytest.mark.parametrize(("setting", "factor"), [(WARM, 8), (NEAR, 1.2), (SADDLE, 1.9)])
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


@thorough_only
def test_the_table(capsys):
    program.main(["--settings", "0"])
    header, row, _ = capsys.readouterr().out.splitlines()
    assert header.split()[-3:] == ["steps", "bound", "factor"]
    taken, bound, factor = (float(cell.replace(",", "")) for cell in row.split()[-3:])
    assert bound / taken == pytest.approx(factor, abs=0.05)


NUMBERS = {
    convergence.N: 0.9, convergence.Q: 1.4, convergence.b: 0.8, convergence.B: 1.2, alpha: 0.08,
    convergence.c: 0.4, convergence.r: 0.2, convergence.q: 0.99, convergence.h: 0.05,
    convergence.v: float(convergence.nu_with_zero_kappa_slope(0.4).subs({convergence.b: 0.8,
    convergence.B: 1.2})),
}  # fmt: skip
NUMBERS[convergence.g] = float(convergence.largest_g.subs(NUMBERS))


def value(expression):
    return float(expression.subs(NUMBERS))


def iterates(x, y, count):
    """Return both overlaps after 0, 1, ..., count steps."""
    images = [image.subs(NUMBERS) for image in convergence.overlaps_after_planar_step(kappa, nu)]
    step = lambdify((kappa, nu), images, "math")
    found = [(x, y)]
    for _ in range(count):
        found.append(tuple(step(*found[-1])))
    return found


@thorough_cases("1-start0")
@pytest.mark.parametrize("start", [(1e-4, 1e-6), (1e-7, 3e-3), (0.5, 0.01)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_run_is_near_the_oracle_after_the_counts(start, sign):
    """Claims convergence-time-run and convergence-time-run-reflected."""
    counts = (
        convergence.growth_steps_bound(*start), convergence.passage_steps_bound(0),
        convergence.nu_contraction_steps_bound(convergence.v),
        convergence.kappa_contraction_steps_bound(convergence.r),
    )  # fmt: skip
    steps = sum(max(0, math.ceil(value(count))) for count in counts)
    run = iterates(sign * start[0], sign * start[1], steps + 50)
    q, h = NUMBERS[convergence.q], NUMBERS[convergence.h]
    assert all(sign * x >= q and sign * y >= 1 - h for x, y in run[steps:])
    assert not all(sign * x >= q and sign * y >= 1 - h for x, y in run)


@pytest.mark.parametrize(("x", "share"), [(1e-3, 0.9), (1e-3, 0.999), (0.2, 0.5), (0.01, 0)])
def test_a_run_from_opposite_signs_leaves_the_saddle(x, share):
    """Claims convergence-time-run-opposite and convergence-time-run-opposite-leaves."""
    g, size, level = NUMBERS[convergence.g], NUMBERS[convergence.N], NUMBERS[convergence.v]
    rate, m = NUMBERS[alpha] * g / (1 + NUMBERS[alpha] * g), value(convergence.m)
    assert value(alpha * (convergence.p + convergence.g)) <= 1
    y = -share * g * x / size
    assert y >= -level
    begin = g * x + size * y
    steps = math.ceil(
        (math.log(value(convergence.growing_combination(1, level))) - math.log(m * begin)) / rate
    )
    run = iterates(x, y, steps + 50)
    assert all(v >= level for _, v in run[steps:])
    for n, (k, v) in enumerate(run):
        grown = math.exp(n * rate) * begin * (1 - 1e-12)
        assert v >= 0 or g * k + size * v >= grown
        assert v >= level or g * k + m * size * v >= m * grown
