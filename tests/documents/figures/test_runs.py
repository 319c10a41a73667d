"""Figures 4a, 4b, 5, 7a, 7b: what is drawn is what is in the data."""

import numpy as np
import pytest
import xarray as xr

from slrsym.documents.figures import draw
from slrsym.documents.figures.style import COLOURS, absolute_value_tex
from slrsym.papers.single_location.figures.runs import (
    _finer,
    choose_distinct_run_indices,
    runs_figure,
)
from tests._profile import thorough_only


@pytest.fixture
def panels(runs):
    return runs_figure(runs).axes


def line(axes, number=-1):
    return axes.lines[number].get_xydata().T


def band(axes, number=0):
    """Lower and upper edge of a band, at each step."""
    points = axes.collections[number].get_paths()[0].vertices
    steps = np.unique(points[:, 0])
    return np.array([(points[points[:, 0] == t, 1].min(), points[points[:, 0] == t, 1].max())
                     for t in steps]).T  # fmt: skip


@thorough_only
def test_lines_are_means_over_runs(panels, runs):
    risk, overlaps, _, distance = panels
    for axes, number, values in (
        (risk, 0, runs.excess_risk),
        (overlaps, 0, abs(runs.kappa)),
        (overlaps, -1, abs(runs.nu)),
        (distance, 0, runs.distance),
    ):
        x, y = line(axes, number)
        assert np.array_equal(x, runs.step)
        assert np.allclose(y, values.values.mean(axis=0), rtol=1e-14, atol=0)
        assert np.allclose(
            band(axes, number), np.percentile(values, (2.5, 97.5), axis=0), rtol=1e-12, atol=0
        )


@thorough_only
def test_axes(panels):
    risk, overlaps, paths, distance = panels
    assert risk.get_yscale() == distance.get_yscale() == "log"
    assert overlaps.get_yscale() == "linear"
    assert [axes.get_title("left") for axes in panels] == ["(a)", "(b)", "(c)", "(d)"]
    assert "Excess risk" in risk.get_ylabel()
    assert "oracle parameters" in overlaps.get_ylabel()
    assert "mathcal{M}" in distance.get_ylabel()
    assert r"\kappa" in paths.get_xlabel()
    assert r"\nu" in paths.get_ylabel()
    for axes in (risk, overlaps, distance):
        assert axes.get_xlabel() == "Step $t$"
        # The last number does not stand beyond the edge.
        assert axes.get_xlim() == (0, 4080)


@thorough_only
def test_the_legend_names_the_right_lines(panels):
    legend = panels[1].get_legend()
    named = {
        text.get_text(): handle.get_color()
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
    }
    letters = (
        (absolute_value_tex(r"\kappa"), COLOURS["blue"]),
        (absolute_value_tex(r"\nu"), COLOURS["orange"]),
    )
    assert named == dict(letters)
    assert [drawn.get_color() for drawn in panels[1].lines if drawn.get_label()[0] != "_"] == list(
        named.values()
    )


@thorough_only
def test_trajectories_are_those_of_runs_that_part(panels, runs):
    chosen = choose_distinct_run_indices(runs)
    assert chosen[0] == 0
    assert len(chosen) == 3
    ends = [(float(runs.kappa[i, -1]), float(runs.nu[i, -1])) for i in chosen]
    assert min(np.hypot(*np.subtract(ends[i], ends[j])) for i, j in ((0, 1), (0, 2), (1, 2))) > 0.5
    paths = [drawn for drawn in panels[2].lines if len(drawn.get_xdata()) > 1]
    for i, drawn in zip(chosen, paths, strict=True):
        # All points that are logged, and more between the first, where runs move far.
        points = {tuple(point) for point in drawn.get_xydata()}
        logged = np.stack([runs.kappa[i], runs.nu[i]], axis=1)
        assert points >= {tuple(point) for point in logged}
        moves = np.hypot(*np.diff(drawn.get_xydata(), axis=0).T)
        assert moves.max() < np.hypot(*np.diff(logged, axis=0).T).max() / 4
        assert len(points) > 2 * len(logged)
    # An empty circle where a path begins, and a full one where it ends.
    marks = [drawn for drawn in panels[2].lines if len(drawn.get_xdata()) == 1]
    for i, (begin, end) in zip(chosen, zip(marks[::2], marks[1::2], strict=True), strict=True):
        assert begin.get_xydata().tolist() == [[runs.kappa[i, 0], runs.nu[i, 0]]]
        assert end.get_xydata().tolist() == [[runs.kappa[i, -1], runs.nu[i, -1]]]
        assert begin.get_markerfacecolor() == "white" != end.get_markerfacecolor()


def test_runs_that_end_together_are_shown_by_two():
    assert choose_distinct_run_indices(_ending((0.9, 1.0), (0.95, 1.0), (0.92, 1.0))) == [0, 1]
    assert choose_distinct_run_indices(_ending((0.9, 1.0))) == [0]
    assert choose_distinct_run_indices(_ending((1, 1), (1, 1), (-1, -1), (0, 0))) == [0, 2, 3]
    # Of equal ones the first, whatever the rounding.
    tiny = 1 + 4e-16
    assert choose_distinct_run_indices(_ending((1, 1), (-1, -1), (-tiny, -tiny))) == [0, 1]


def _ending(*ends):
    kappa, nu = np.array(ends)[:, None].transpose(2, 0, 1)
    return xr.Dataset({"kappa": (("run", "step"), kappa), "nu": (("run", "step"), nu)})


def test_each_run_on_demand_in_the_colour_of_its_end(runs, monkeypatch):
    # After a fifth of the steps.
    monkeypatch.setattr("slrsym.papers.single_location.figures.runs._RECOVERED", 0.5)
    risk, overlaps, _, distance = runs_figure(runs, each_run=True).axes
    last = abs(runs.isel(step=-1))
    well = ((last.kappa > 0.5) & (last.nu > 0.5)).values
    assert 0 < well.sum() < len(well)
    for axes, overlap in ((distance, "distance"), (overlaps, "kappa"), (risk, "excess_risk")):
        for some, colour in ((well, COLOURS["blue"]), (~well, COLOURS["orange"])):
            mine = {tuple(x.get_ydata()) for x in axes.lines if x.get_color() == colour}
            values = abs(runs[overlap].values[some])
            assert mine >= {tuple(row) for row in values}
            assert any(np.allclose(row, values.mean(axis=0), rtol=1e-14) for row in mine)
        assert not axes.collections
    assert {text.get_text() for text in overlaps.get_legend().get_texts()} == {
        f"{well.sum()} recover", f"{(~well).sum()} do not",
        absolute_value_tex(r"\kappa"), absolute_value_tex(r"\nu")
    }  # fmt: skip
    assert "each of 12 runs, by where it ends" in risk.figure.get_suptitle()


def test_figure_7b_shows_each_run(runs):
    assert len(draw("7b", runs).axes[3].lines) > len(draw("4a", runs).axes[3].lines) == 1


def test_a_distance_of_zero_is_said(on_manifold):
    distance = runs_figure(on_manifold).axes[3]
    assert not distance.lines
    assert "exactly 0 in every run" in distance.texts[0].get_text()
    assert distance.get_yscale() == "log"


@thorough_only
def test_distances_too_small_to_matter_are_cut(runs):
    tiny = runs.assign(distance=runs.distance * 1e-7)
    assert runs_figure(tiny).axes[3].get_ylim()[0] == 1e-8
    low, high = runs_figure(runs.assign(distance=0 * runs.distance + 0.5)).axes[3].get_ylim()
    assert low < 0.5 < high


def test_the_setting_is_said(runs, on_manifold):
    shown = runs_figure(runs).get_suptitle()
    said = (r"\lambda = 0.1", r"\alpha = 4\cdot 10^{-3}", "d = 400", "L = 10", r"\gamma^2 = 0.5")
    for part in (*said, "on the sphere", "mean over 12 runs", "2.5th to 97.5th percentile"):
        assert part in shown
    shown = runs_figure(on_manifold).get_suptitle()
    assert r"\lambda_t = 1/(1 + 10^{-3}\,t)" in shown
    assert r"\alpha = 4\cdot 10^{-3}" in shown
    assert r"start on $\mathcal{M}$" in shown
    unknown = on_manifold.assign_attrs(schedule="user-given", start="Overlaps(4 runs)")
    shown = runs_figure(unknown.isel(run=[0])).get_suptitle()
    assert "from a table" in shown
    assert "given start" in shown
    assert "One run" in shown


@thorough_only
def test_a_temperature_that_falls_has_an_index(runs, on_manifold):
    constant, falling = (runs_figure(x).axes[0].get_ylabel() for x in (runs, on_manifold))
    assert r"R_\lambda -" in constant
    assert r"R_{\lambda_t}" in falling


@thorough_only
def test_the_beginning_of_sampled_runs_is_made_again_from_the_same_numbers(sampled):
    chosen = [0, 3]
    finer = _finer(sampled, chosen)
    assert finer.sizes["step"] > 3 * sampled.sizes["step"]
    both = np.intersect1d(finer.step, sampled.step)
    assert np.array_equal(both, sampled.step)
    for name in ("kappa", "nu"):
        assert finer[name].sel(step=both).equals(sampled[name].isel(run=chosen).drop_attrs())


# The setting that is said without batches.
@thorough_only
def test_batches_are_said(runs):
    assert "Batches" not in runs_figure(runs).get_suptitle()
    drawn = runs.assign_attrs(batch=5, seed=0)
    assert "Batches of 5; lines: mean over 12 runs" in runs_figure(drawn).get_suptitle()
    noisy = runs_figure(drawn.assign_attrs(task_epsilon=0.1)).get_suptitle()
    assert r"Batches of 5, $\varepsilon = 0.1$; lines" in noisy


def test_runs_without_a_step(on_manifold):
    runs_figure(on_manifold.isel(step=[0]))
