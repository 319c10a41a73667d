"""Figures 3 and 6, and runs over the vector field: what is drawn is what is in the data."""

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.quiver import Quiver

from slrsym.documents.figures.style import COLOURS
from slrsym.papers.single_location import Task, simulate
from slrsym.papers.single_location.figures.square import (
    predictor_risks_figure,
    risk_over_square_figure,
    trajectories_figure,
)
from tests._profile import thorough_only


def test_risks_and_their_estimates(risks):
    (axes,) = predictor_risks_figure(risks).axes
    assert axes.get_xscale() == axes.get_yscale() == "log"
    lines = {drawn.get_label(): drawn for drawn in axes.lines}
    for name, label in (("linear", "best linear predictor"), ("oracle", "oracle predictor")):
        (drawn,) = (lines[found] for found in lines if found.startswith(label))
        assert np.array_equal(drawn.get_xydata(), np.stack([risks.d, risks[name]], axis=1))
        bars = next(c for c in axes.containers if c.lines[0].get_color() == drawn.get_color())
        estimate, error = risks[f"{name}_estimate"], risks[f"{name}_error"]
        assert np.array_equal(bars.lines[0].get_ydata(), estimate)
        (segments,) = (collection.get_segments() for collection in bars.lines[2])
        reach = np.stack([estimate - 2 * error, estimate + 2 * error], axis=1)
        assert np.allclose([segment[:, 1] for segment in segments], reach)


def test_the_bound_is_drawn_if_there_is_noise(risks):
    label = r"lower bound $\varepsilon^2$ of the Bayes risk"
    (axes,) = predictor_risks_figure(risks).axes
    (bound,) = (drawn for drawn in axes.lines if drawn.get_label() == label)
    assert np.allclose(bound.get_ydata(), 0.01)
    (axes,) = predictor_risks_figure(risks.assign_attrs(epsilon=0.0)).axes
    assert label not in {drawn.get_label() for drawn in axes.lines}


def test_the_risk_over_the_square(square):
    figure = risk_over_square_figure(square)
    left, right = figure.axes[:2]
    contours = left.collections[0]
    assert contours.get_array().min() <= float(square.risk.min()) + 0.2
    assert contours.get_array().max() >= float(square.risk.max()) - 0.2
    # kappa goes to the right: the corner of a maximum is the upper left one.
    marks = {drawn.get_label(): drawn for drawn in left.lines if drawn.get_marker() in "o^D"}
    assert sorted(map(tuple, marks["global maxima"].get_xydata())) == [(-1, 1), (1, -1)]
    assert sorted(map(tuple, marks["global minima"].get_xydata())) == [(-1, -1), (1, 1)]
    assert marks["saddle"].get_xydata().tolist() == [[0, 0]]
    assert len({drawn.get_marker() for drawn in marks.values()}) == 3
    for axes in (left, right):
        assert r"\kappa" in axes.get_xlabel()
        assert r"\nu" in axes.get_ylabel()
    assert {bar.get_xlabel() for bar in figure.axes[2:]} == {
        r"$R_<(\kappa, \nu)$",
        "Magnitude of the field",
    }


def test_contours_are_not_transposed(square):
    lopsided = square.assign(risk=square.kappa + 0 * square.nu)
    contours = risk_over_square_figure(lopsided).axes[0].collections[0]
    # Bands of constant kappa are higher than wide.
    boxes = [path.get_extents() for path in contours.get_paths() if len(path.vertices)]
    assert all(box.height > 1.9 and box.width < 1 for box in boxes)


@thorough_only
def test_arrows_point_along_the_field_and_are_coloured_by_its_magnitude(square):
    (arrows,) = (
        c for c in risk_over_square_figure(square).axes[1].collections if isinstance(c, Quiver)
    )
    speed = np.hypot(square.flow_kappa, square.flow_nu)
    some = {"kappa": slice(None, None, 2), "nu": slice(None, None, 2)}
    assert np.allclose(arrows.get_array().reshape(17, 17), speed.isel(some).T)
    # None where nothing moves: at the fixed points.
    assert arrows.Umask.sum() == 5
    for (x, y), u, v, hidden in zip(arrows.XY, arrows.U, arrows.V, arrows.Umask, strict=True):
        if not hidden:
            here = square.sel(kappa=x, nu=y)
            flow = np.array([here.flow_kappa, here.flow_nu])
            assert np.allclose((u, v), flow / np.linalg.norm(flow))


@thorough_only
def test_a_run_over_the_field(square):
    runs = simulate(Task(400, 10, 0.5**0.5), [[-0.3, 0.9]], 0.1, 4e-3, 500, 5)
    figure = trajectories_figure(runs, square)
    axes = figure.axes[0]
    lines = (drawn for drawn in axes.lines if drawn.get_linestyle() != "None")
    (path,) = (drawn for drawn in lines if len(drawn.get_xdata()))
    assert np.array_equal(path.get_xydata(), np.stack([runs.kappa[0], runs.nu[0]], axis=1))
    assert any(isinstance(drawn, Quiver) for drawn in axes.collections)
    assert figure.axes[1].get_ylabel() == r"Magnitude of the field at $\lambda = 0.1$"


def test_colours_are_told_apart_in_grey():
    grey = [
        np.dot(to_rgba(COLOURS[name])[:3], (0.299, 0.587, 0.114)) for name in ("blue", "orange")
    ]
    assert abs(grey[0] - grey[1]) > 0.05
