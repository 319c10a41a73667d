"""Equations of motion on a grid of parameters: each point is a solution of its own."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import xarray as xr
from sympy import Symbol

import slrsym.models.training.solutions_on_grid as sweeps
from slrsym.files import DamagedFileError
from slrsym.models import Direction, Directions, Predictor, Token, TokenSequence, model
from slrsym.models.means import mean_patterns
from tests._profile import thorough_only

w, u = Direction("w"), Direction("u", unit=True)
START = {"R": 0.1, "Q": 0.5}
GRID = {"rate": [0.1, 0.2, 0.4], "sigma": [0.0, 0.5]}


@pytest.fixture(scope="module")
def linear():
    return linear_equations()


def linear_equations():
    names = {w @ u: Symbol("R", real=True), w @ w: Symbol("Q", positive=True)}
    noise = Symbol("sigma", nonnegative=True)
    data = TokenSequence({Token(target=lambda X: X @ u): 1}, noise=noise)
    return model(data, Predictor(lambda X: X @ w), names=names).equations("online-sgd")


def solved(equations, values=None, **options):
    options = {"points": 11, "backend": "numpy", "workers": 1, "progress": False} | options
    return equations.sweep(GRID if values is None else values, START, 5.0, **options)


def test_each_point_is_a_solution_of_its_own(linear):
    found = solved(linear)
    assert dict(found.sizes) == {"rate": 3, "sigma": 2, "time": 11}
    for rate in GRID["rate"]:
        for sigma in GRID["sigma"]:
            values = {"rate": rate, "sigma": sigma}
            alone = linear.solve(values, START, 5.0, points=11, backend="numpy")
            for name in ("R", "Q", "risk"):
                np.testing.assert_array_equal(found.sel(values)[name], alone[name])


def test_a_number_is_no_axis(linear):
    found = solved(linear, {"rate": [0.1, 0.3], "sigma": 0.5})
    assert dict(found.sizes) == {"rate": 2, "time": 11}
    assert found.attrs["sigma"] == 0.5


def test_steps_of_descent_have_a_grid(linear):
    steps = linear.model.equations("projected-descent")
    found = steps.sweep({"rate": [0.1, 0.2], "sigma": 0}, START, 20, workers=1, progress=False)
    alone = steps.solve({"rate": 0.2, "sigma": 0}, START, 20)
    np.testing.assert_array_equal(found.R.sel(rate=0.2), alone.R)
    assert found.time[-1] == 20


@thorough_only
def test_a_random_start_is_the_same_at_each_point(linear):
    values = {"rate": [0.1, 0.2], "sigma": 0, "d": 50}
    found = linear.sweep(values, "uniform", 1, rng=3, points=2, workers=1, progress=False)
    assert found.Q.isel(time=0).values.tolist() == [float(found.Q[0, 0])] * 2


@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(2)])
def test_an_executor_gives_the_same(linear, make):
    with make() as executor:
        xr.testing.assert_identical(solved(linear, executor=executor), solved(linear))


@thorough_only
def test_processes_give_the_same(linear):
    xr.testing.assert_identical(solved(linear, workers=2), solved(linear))


def test_an_interrupted_sweep_goes_on(linear, tmp_path, monkeypatch):
    path, whole, cells = tmp_path / "grid.nc", sweeps.solve_grid_cell, []

    def interrupted(*arguments):
        if len(cells) == 4:
            raise KeyboardInterrupt
        cells.append(arguments)
        return whole(*arguments)

    monkeypatch.setattr(sweeps, "solve_grid_cell", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solved(linear, path=path)
    assert len(list((tmp_path / "grid.nc.parts").glob("cell-*"))) == 4
    with pytest.raises(ValueError, match=r"parts with tolerance = 1e-09; needed is tolerance = 1e"):
        solved(linear, path=path, tolerance=1e-6)

    later = []
    monkeypatch.setattr(sweeps, "solve_grid_cell", lambda *a: later.append(a) or whole(*a))
    found = solved(linear, path=path)
    assert len(later) == 2
    assert [p.name for p in tmp_path.iterdir()] == ["grid.nc"]
    xr.testing.assert_identical(found, solved(linear))

    # A complete file is read.
    later.clear()
    read = solved(linear, path=path)
    assert not later
    xr.testing.assert_equal(read, found)
    assert read["R"].sel(rate=0.2, sigma=0.5)[-1] == found["R"].sel(rate=0.2, sigma=0.5)[-1]
    with pytest.raises(
        ValueError, match=r"solutions with rate = \[0.1, 0.2, 0.4\]; needed is rate"
    ):
        solved(linear, GRID | {"rate": [0.1]}, path=path)


def test_another_start_is_another_grid(linear, tmp_path):
    solved(linear, path=tmp_path / "grid.nc")
    with pytest.raises(ValueError, match="solutions with digest"):
        linear.sweep(GRID, START | {"R": 0.2}, 5.0, points=11, backend="numpy",
                     path=tmp_path / "grid.nc")  # fmt: skip


def test_formulas_made_anew_are_the_same_grid(linear):
    """A sweep that goes on in another process has other objects for the same equations."""
    before = sweeps._digest(linear, [])
    mean_patterns._pattern.cache_clear()
    assert sweeps._digest(linear_equations(), []) == before


@thorough_only
def test_where_there_is_no_solution_the_grid_says_so(linear):
    with pytest.warns(RuntimeWarning, match=r"up to 400 at 1 of 2 settings.*first has rate = 2"):
        found = linear.sweep({"rate": [0.1, 2.0], "sigma": 0}, START, 400, points=3,
                             backend="numpy", workers=1, progress=False)  # fmt: skip
    assert np.isfinite(found.sel(rate=0.1).risk).all()
    assert np.isnan(found.sel(rate=2.0).risk).values.tolist() == [False, True, True]


def test_a_grid_that_is_solved_warns_of_nothing(linear):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solved(linear)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rate": [0.1, 0.1], "sigma": 0}, "rate must have different values; got 0.1 twice"),
        ({"rate": [], "sigma": 0}, "rate must be a number or a list of them"),
        ({"rate": [[0.1]], "sigma": 0}, "rate must be a number or a list of them"),
        ({"rate": [0.1, np.inf], "sigma": 0}, "rate must be finite"),
        ({"rate": ["a"], "sigma": 0}, r"rate must be finite; got \['a'\]"),
        ({"rate": [0.1]}, "values must have a number for sigma"),
        ({"rate": [0.1], "sigma": 0, "x": [1]}, "x"),
        ({"rate": [0.1], "sigma": 0, "R": [1]}, "values must not have a list for R"),
    ],
)
def test_bad_grids(linear, values, message):
    with pytest.raises(ValueError, match=message):
        solved(linear, values)


def test_sizes_are_integers():
    K = Symbol("K", integer=True, positive=True)
    units, teachers = Directions("w", K), Directions("u", K, unit=True)
    data = TokenSequence({Token(target=lambda X: teachers.sum(lambda x: X @ x)): 1})
    predictor = Predictor(lambda X: units.sum(lambda x: X @ x))
    names = {units @ units: ("Q", "C"), units @ teachers: ("R", "S")}
    stated = model(data, predictor, inner_products={teachers @ teachers: 0}, names=names)
    equations = stated.equations("gradient-flow", rate=0.1)
    start = {"Q": 0.2, "C": 0, "R": 0, "S": 0}
    with pytest.raises(ValueError, match=r"K must be integers; got \[2, 2.5\]"):
        equations.sweep({"K": [2, 2.5]}, start, 1.0)
    found = equations.sweep({"K": [2, 3]}, start, 1.0, points=2, workers=1)
    assert found.K.values.tolist() == [2, 3]
    assert found.K.dtype.kind == "i"


def test_a_file_of_something_else_is_refused(linear, tmp_path):
    path = tmp_path / "other.nc"
    xr.Dataset({"x": ("a", [1.0])}).to_netcdf(path, engine="scipy")
    with pytest.raises(DamagedFileError, match="no file of solutions on a grid"):
        solved(linear, path=path)
