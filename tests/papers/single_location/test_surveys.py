"""What figures 3 and 6 show."""

import numpy as np
import pytest
import xarray as xr

from slrsym.documents.figures.recipes import load_or_compute
from slrsym.papers.single_location import Task, excess_risk, simulate
from slrsym.papers.single_location.surveys import (
    BasinSurvey,
    OracleSurvey,
    SquareSurvey,
    best_inverse_temperature,
)
from tests._profile import thorough_only

ORACLE = (1, 1, 0, 0, 0)


@pytest.fixture(scope="module")
def oracle():
    return OracleSurvey(exact=(10, 100, 1000, 10**6), sampled=(10, 1000), samples=20_000)


@pytest.fixture(scope="module")
def risks(oracle):
    return oracle.compute()


@pytest.fixture(scope="module")
def square():
    return SquareSurvey(points=41, alpha=0.1).compute()


@pytest.mark.parametrize(("d", "L", "gamma"), [(10, 10, 0.7), (400, 10, 0.7), (10**6, 100, 2.0)])
def test_no_temperature_is_better_than_the_best(d, L, gamma):
    task = Task(d, L, gamma)
    best = best_inverse_temperature(task)
    least = excess_risk(ORACLE, best, task)
    assert least <= excess_risk(np.tile(ORACLE, (400, 1)), np.geomspace(1e-5, 10, 400), task).min()
    assert least < min(excess_risk(ORACLE, factor * best, task) for factor in (0.99, 1.01))


@thorough_only
def test_the_oracle_approaches_the_bound_and_linear_prediction_does_not(risks):
    assert (np.diff(risks.oracle) < 0).all()
    assert (risks.oracle > 0.01).all()
    assert float(risks.oracle[-1]) == pytest.approx(0.01, rel=0.02)
    assert (risks.oracle < risks.linear).all()
    assert np.allclose(risks.linear, 0.01 + 0.5 - 0.25 / 9.5, rtol=1e-12)


def test_risks_include_the_noise(oracle, risks):
    task = Task(100, oracle.L, oracle.gamma)
    exact = excess_risk(ORACLE, float(risks.lam.sel(d=100)), task) + oracle.epsilon**2
    assert float(risks.oracle.sel(d=100)) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize("name", ["oracle", "linear"])
def test_estimates_agree_with_the_risks(risks, name):
    exact = risks[name].sel(d=risks.d_sampled.values).values
    far = (risks[f"{name}_estimate"].values - exact) / risks[f"{name}_error"].values
    assert (np.abs(far) < 4).all()
    assert (risks[f"{name}_error"] / risks[f"{name}_estimate"] < 0.03).all()


@thorough_only
def test_estimates_share_no_random_numbers(oracle, risks):
    again = OracleSurvey(exact=(10,), sampled=(10, 10), samples=100).compute()
    assert again.oracle_estimate[0] != again.oracle_estimate[1]
    assert again.linear_estimate[0] != again.linear_estimate[1]


@thorough_only
def test_a_survey_is_saved_whole(tmp_path, risks, oracle):
    file = tmp_path / "risks.nc"
    made = oracle.compute(file)
    assert oracle.read(file).equals(made)
    assert made.equals(risks)


@thorough_only
def test_kinds_of_the_fixed_points(square):
    points = zip(square.fixed_kappa.values, square.fixed_nu.values, strict=True)
    kinds = dict(zip(points, square.fixed_kind.values, strict=True))
    assert kinds == {
        (1, 1): "minimum",
        (-1, -1): "minimum",
        (1, -1): "maximum",
        (-1, 1): "maximum",
        (0, 0): "saddle",
    }


def test_minima_and_maxima_are_global(square):
    at = {kind: square.fixed_kind == kind for kind in ("minimum", "maximum")}
    for kind, extreme in (("minimum", square.risk.min()), ("maximum", square.risk.max())):
        for kappa, nu in zip(square.fixed_kappa[at[kind]], square.fixed_nu[at[kind]], strict=True):
            assert float(square.risk.sel(kappa=kappa, nu=nu)) == pytest.approx(float(extreme))


def test_the_field_vanishes_at_the_fixed_points_alone(square):
    speed = np.hypot(square.flow_kappa, square.flow_nu)
    still = {
        (float(square.kappa[i]), float(square.nu[j])) for i, j in np.argwhere(speed.values == 0)
    }
    assert still == {(1, 1), (-1, -1), (1, -1), (-1, 1), (0, 0)}


def test_the_field_is_where_descent_goes(square):
    start = np.array([(0.3, -0.4), (-0.9, 0.2), (0.05, 0.95)])
    alpha = 1e-6
    runs = simulate(Task(400, 10, 0.5**0.5), start, 0.1, alpha, 1, backend="numpy")
    moved = np.stack([runs.kappa[:, 1] - runs.kappa[:, 0], runs.nu[:, 1] - runs.nu[:, 0]], axis=1)
    kappa, nu = (xr.DataArray(column, dims="run") for column in start.T)
    some = square.sel(kappa=kappa, nu=nu, method="nearest")
    field = np.stack([some.flow_kappa, some.flow_nu], axis=1)
    assert np.allclose(moved / alpha, field, rtol=1e-4, atol=1e-6)


def test_the_risk_is_that_of_the_manifold(square):
    task = Task(400, 10, 0.5**0.5)
    assert float(square.risk.sel(kappa=1, nu=1)) == pytest.approx(excess_risk(ORACLE, 0.1, task))
    noisy = SquareSurvey(Task(400, 10, 0.5**0.5, 0.5), points=3).compute_field_data()
    assert np.allclose(noisy.risk - SquareSurvey(points=3).compute_field_data().risk, 0.25)


@pytest.fixture(scope="module")
def basins():
    return BasinSurvey(points=21, alpha=0.1).compute()


def test_the_separatrix_is_the_line_between_the_basins(basins):
    x, y = basins.separatrix_kappa.values, basins.separatrix_nu.values
    assert (x[0], y[0], x[-1], y[-1]) == (-1, 1, 1, -1)
    assert np.array_equal(x, -x[::-1])
    assert np.array_equal(y, -y[::-1])
    inner = slice(1, -1)
    for side in (1, -1):
        starts = np.stack([x[inner], np.clip(y[inner] + side * 1e-3, -1, 1)], axis=1)
        ends = simulate(Task(400, 10, 0.5**0.5), starts, 0.1, 0.1, 3000, 3000)
        assert (side * ends.kappa[:, -1] > 0.5).all()
        assert (side * ends.nu[:, -1] > 0.5).all()


def test_saved_data_are_found_again(tmp_path):
    survey, file = BasinSurvey(points=5, alpha=0.1), tmp_path / "basins.nc"
    made = load_or_compute(survey, file)
    assert load_or_compute(survey, file).equals(made)


def test_where_descent_goes_and_how_soon(basins):
    end, arrival = basins.end.values, basins.arrival.values
    assert np.array_equal(end, -end[::-1, ::-1])
    # All but the saddle and the maxima arrive; near a minimum at once.
    assert set(zip(*np.nonzero(end == 0), strict=True)) == {(10, 10), (0, 20), (20, 0)}
    assert np.isnan(arrival[end == 0]).all()
    assert (end[11:, 11:] == 1).all()
    assert arrival[-1, -1] == 0 < arrival[11, 11]
    line = np.interp(basins.kappa, basins.separatrix_kappa, basins.separatrix_nu)
    assert ((basins.nu.values > line[:, None] + 0.01) <= (end == 1)).all()
