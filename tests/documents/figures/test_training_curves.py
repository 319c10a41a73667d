"""Curves of runs of any model: lines are medians, bands quantiles."""

import matplotlib as mpl
import numpy as np
import pytest

from tests.documents.figures._models import Q, R, pair

mpl.use("agg")


@pytest.fixture(scope="module")
def runs():
    return pair().simulate({"d": 20}, steps=60, alpha=0.05, runs=40, rng=0, backend="numpy")


def test_lines_are_medians_and_bands_quantiles(runs):
    ax = runs.plot("R", band=0.5)
    line, *edges = (x.get_ydata() for x in ax.lines)
    values = runs.R.transpose("step", "run").values
    assert np.allclose(line, np.median(values, axis=1))
    assert np.allclose(edges, np.quantile(values, [0.25, 0.75], axis=1))
    assert len(ax.collections) == 1
    assert ax.get_xlabel() == "step"
    assert ax.get_ylabel() == "$R$"
    assert len(runs.plot("R", band=0).lines) == 1


def test_by_default_order_parameters_and_the_risk(runs):
    above, below = runs.plot()
    assert [x.get_text() for x in above.get_legend().get_texts()] == ["$Q$", "$R$"]
    assert np.allclose(below.lines[0].get_ydata(), np.median(runs.risk, axis=0))
    # Each of the lines has its own dashes, which are seen in grey.
    assert len({str(x.get_linestyle()) + str(x._dash_pattern) for x in above.lines[::3]}) == 2
    ax = mpl.figure.Figure().subplots()
    assert runs.plot(ax=ax) is ax
    assert runs.plot([R, Q, "risk"], ax=ax) is ax


def test_a_solution_is_one_line():
    solved = pair().equations("gradient-flow", rate=1).solve(start={Q: 0.5, R: 0.1}, time=2)
    ax = solved.plot(R)
    assert ax.get_xlabel() == "time"
    assert np.allclose(ax.lines[0].get_ydata(), solved.R)
    assert not ax.collections


def test_plots_of_xarray_are_there(runs):
    assert callable(runs.plot.scatter)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quantities": "S"}, "quantities must be of Q, R, .*; got 'S'"),
        ({"band": 1}, "band must be the share of runs in it, from 0 to below 1; got 1"),
        ({"band": "wide"}, "band must be"),
    ],
)
def test_bad_input_is_named(runs, options, message):
    with pytest.raises(ValueError, match=message):
        runs.plot(**options)
    with pytest.raises(ValueError, match="runs must have a dimension step or time"):
        runs.isel(step=0).plot("R")
