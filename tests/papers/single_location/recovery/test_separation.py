"""What tells the starts that lead to swap points, and how it is drawn."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from slrsym.papers.single_location import hessian
from slrsym.papers.single_location.dynamics.engines import TaskEngine, vectors_of_start
from slrsym.papers.single_location.figures.recovery import (
    starts_by_endpoint_figure,
    sweep_figure,
    varying_parameter_names,
)
from slrsym.papers.single_location.recovery import (
    Setting,
    components_along_modes,
    fit_swap_prediction,
    modes,
    setting_of_runs,
    sweep,
)


def test_modes_grow_near_the_null_point_as_they_should(falling):
    """By the map itself: a small state along a mode grows at its rate, and turns nowhere."""
    setting = Setting(0.7, 0.0, 60, 5, 0.5**0.5, 1e-3, 1)
    bend = hessian(np.zeros(5), 0.7, setting.task)
    assert np.abs(bend[:2, 2:]).max() == 0
    assert np.abs(bend[2:4, 4]).max() == 0
    for i, mode in zip((0, 2), modes(setting), strict=True):
        state = np.zeros((1, 5))
        state[0, i : i + 2] = 1e-6 * np.array(mode.weights)
        points = vectors_of_start(state, setting.d)
        engine = TaskEngine(points, setting.task, setting.alpha, "numba")
        engine.advance(np.full(1, 0.7), 1)
        assert np.allclose(engine.overlaps, (1 + setting.alpha * mode.rate) * state, atol=1e-15)
        assert mode.rate > 0


def test_sizes_of_modes_do_not_depend_on_symmetries():
    setting = Setting(0.7, 0.0, 60, 5, 0.5**0.5, 1e-3, 1)
    states = setting.draw_starts(0, 0, 50)
    sizes = components_along_modes(states, setting)
    assert np.allclose(components_along_modes(states * [-1, -1, -1, -1, 1], setting), sizes)
    assert np.allclose(components_along_modes(states * [1, 1, -1, -1, -1], setting), sizes)
    assert sizes.shape == (50, 2)


def test_what_tells_swap_points(data):
    found = fit_swap_prediction(data)
    swapped = data.verdict.values == 1
    eta = np.abs(data.start.sel(overlap="eta").values)
    wins = (eta[swapped][:, None] > eta[~swapped]).mean()
    assert found.auc["|eta|"] == pytest.approx(wins)
    # The modes tell more than any overlap does.
    assert found.auc["mode to the oracle"] < 0.2
    assert found.auc["mode to a swap point"] > 0.7
    assert found.fit_auc > max(0.9, 1 - found.auc["mode to the oracle"])
    assert found.weights[0] < 0 < found.weights[1]
    # The likelihood is at its largest: nothing is left that goes with the residuals.
    sizes = components_along_modes(data.start.values, setting_of_runs(data))
    scores = found.intercept + sizes @ np.array(found.weights)
    rest = swapped - 1 / (1 + np.exp(-scores))
    assert np.abs(np.column_stack([np.ones(len(sizes)), sizes]).T @ rest / len(rest)).max() < 1e-4
    statistic = mannwhitneyu(scores[swapped], scores[~swapped]).statistic
    assert found.fit_auc == pytest.approx(statistic / swapped.sum() / (~swapped).sum())


def test_nothing_is_said_of_few_runs(data):
    few = data.isel(run=slice(0, 20))
    assert fit_swap_prediction(few) is None
    # A picture there is.
    assert len(starts_by_endpoint_figure(few).axes) == 3


def test_the_basin_picture(data):
    figure = starts_by_endpoint_figure(data)
    left, right, _ = figure.axes
    labels = [text.get_text() for text in left.get_legend().get_texts()]
    assert labels == ["oracle", "swap", "even odds"]
    counts = [len(points.get_offsets()) for points in left.collections]
    assert counts == data["count"].values[:2].tolist()
    drawn = right.collections[0].get_array()
    assert drawn.min() == 0
    assert drawn.max() > 0.7
    assert r"\nu" in left.get_xlabel()
    assert r"\eta" in left.get_ylabel()


@pytest.mark.filterwarnings("ignore:.*runs still move:RuntimeWarning")
def test_pictures_of_grids():
    small = {"steps": 4000, "runs": 2, "workers": 1, "rate": 0}
    line = sweep(lam0=[0.01, 1, 0.3], d=10, **small)
    (axes,) = sweep_figure(line).axes
    assert axes.get_xscale() == "log"
    assert axes.lines[0].get_xdata().tolist() == [0.01, 0.3, 1]
    plane = sweep(lam0=[0.2, 0.3], d=[10, 20, 30], **small)
    assert varying_parameter_names(plane) == ["lam0", "d"]
    figure = sweep_figure(plane)
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["10", "20", "30"]
    written = [text.get_text() for text in figure.axes[1].texts]
    swap, moving = (
        plane["count"].sel(verdict=x).squeeze().transpose("d", "lam0").values.ravel().tolist()
        for x in ("swap", "moving")
    )
    shown = {
        (swapped, more): "?" if more == 2 else f"{50 * swapped}%"
        for swapped in (0, 1, 2)
        for more in (0, 2)
    } | {(n, 1): f"{50 * n} to\n{50 * n + 50}%" for n in (0, 1)}
    assert written == [shown[pair] for pair in zip(swap, moving, strict=True)]
    with pytest.raises(ValueError, match="one or two"):
        sweep_figure(sweep(d=10, **small))


def test_a_picture_shows_the_possible_range_where_runs_move():
    data = sweep(lam0=[0.2, 0.3], d=10, steps=4000, runs=4, workers=1, rate=0)
    rows = data["count"].transpose(..., "lam0", "verdict").values.reshape(2, -1)
    # oracle, swap, manifold, elsewhere, moving
    rows[:] = [[0, 2, 0, 0, 2], [1, 3, 0, 0, 0]]
    figure = sweep_figure(data)
    (axes,) = figure.axes
    figure.draw_without_rendering()
    swap = axes.lines[1]
    assert swap.get_ydata()[0] == 0.75
    assert swap.get_markevery() == [1]
    band = axes.collections[1].get_paths()[0].vertices
    assert {0.5, 1.0} <= {y for x, y in band if x == 0.2}
    box, page = figure.legends[0].get_window_extent(), figure.bbox
    assert page.x0 <= box.x0 < box.x1 <= page.x1
