"""Branches: that they are critical all along, and that what happens to them happens there."""

import math

import numpy as np
import pytest

from slrsym.models.landscape.continuation import ParameterLine
from slrsym.papers.single_location import Task
from slrsym.papers.single_location.dynamics.spheres import (
    overlaps_of_vectors,
    riemannian_derivatives_and_basis,
)
from slrsym.papers.single_location.landscape import (
    critical_inverse_temperature,
    find_critical_points,
    follow_branches,
    swap_margin,
    swap_point_and_excess_risk,
)
from slrsym.papers.single_location.landscape.enumeration import task_risk
from slrsym.papers.single_location.landscape.points import OVERLAP_SIGNS
from tests._profile import thorough_only


def point_of(state):
    """Vectors k and v of a critical point, in few dimensions."""
    kappa, nu, theta, eta, rho = state
    rest = [math.sqrt(max(0.0, 1 - kappa**2 - eta**2)), math.sqrt(max(0.0, 1 - theta**2 - nu**2))]
    if rho < kappa * theta + eta * nu:
        rest[1] *= -1
    return np.array([[kappa, eta, rest[0]], [theta, nu, rest[1]]])


def line_of(task):
    """The task's risk along the inverse temperature."""
    return ParameterLine(task_risk(task, 1.0), "lambda")


@thorough_only
def test_the_mixed_minimum_is_born_at_the_oracle(paper, warm):
    """The pitchfork of figure 7a: descent that missed the oracle ends on the branch from it."""
    start = point_of(warm.minima[0].state)[:, :2]
    trace = line_of(paper).follow(start, 0.9, -1, 0.05, 3.0)
    ((kind, place),) = trace.events
    assert kind == "pitchfork"
    assert math.exp(place.place) == pytest.approx(critical_inverse_temperature(paper), rel=1e-6)
    assert np.abs(overlaps_of_vectors(place.point))[:2] == pytest.approx([1, 1], abs=1e-3)


@thorough_only
def test_swap_points_begin_where_theta_reaches_one(paper, cold):
    start = point_of(next(p for p in cold.points if p.name == "swap").state)
    trace = line_of(paper).follow(start, 0.1, -1, 0.02, 3.0)
    ((kind, place),) = trace.events
    assert kind == "pitchfork"
    lam = math.exp(place.place)
    assert swap_point_and_excess_risk(paper, lam * 0.999)[0].theta == 1
    assert swap_point_and_excess_risk(paper, lam * 1.001)[0].theta < 1
    for there in trace.places:
        here = math.exp(there.place)
        theta = swap_point_and_excess_risk(paper, here)[0].theta
        assert abs(overlaps_of_vectors(there.point)[2]) == pytest.approx(theta, abs=1e-6)


def test_swap_points_lose_their_stability_to_a_saddle(paper, cold):
    """Where the saddle between the basins of figure 7b ends, swap points stop attracting."""
    saddle = point_of(next(p for p in cold.points if p.index == 1).state)
    trace = line_of(paper).follow(saddle, 0.1, 1, 0.05, 3.0)
    ((kind, place),) = trace.events
    lam = math.exp(place.place)
    assert kind == "pitchfork"
    assert lam == pytest.approx(0.92068, abs=1e-5)
    assert swap_margin(paper, lam) == pytest.approx(0, abs=1e-4)
    assert math.isnan(swap_margin(paper, 0.05))
    for factor, descending in ((0.999, 0), (1.001, 1)):
        assert (swap_margin(paper, factor * lam) > 0) == (descending == 0)
        point = point_of(swap_point_and_excess_risk(paper, factor * lam)[0])
        assert line_of(paper).indices(point, np.float64(factor * lam))[0] == descending


@pytest.fixture(scope="module")
def family():
    task = Task(d=5, L=3, gamma=0.6)
    return task, follow_branches(task, 0.3, 1.5, anchors=2, max_expected_missed=0.5)


def test_branches_are_critical_all_along(family):
    task, found = family
    for branch in found:
        slope, bend, _ = riemannian_derivatives_and_basis(branch.points, branch.values, task)
        size = np.linalg.norm(bend, axis=(1, 2))
        assert (np.linalg.norm(slope, axis=1) < 1e-7 * size).all()
        assert branch.values.min() >= 0.3 * (1 - 1e-12)
        assert branch.values.max() <= 1.5 * (1 + 1e-12)
        # Neighbours are near each other.
        assert np.abs(np.diff(branch.states, axis=0)).max() < 0.3


def test_branches_pass_through_every_critical_point(family):
    task, found = family
    lam = 0.7
    for point in find_critical_points(task, lam, max_expected_missed=0.5).points:
        if point.name == "null":
            continue
        through = []
        for branch in found:
            above = branch.values > lam
            for i in np.flatnonzero(above[1:] != above[:-1]):
                exact = line_of(task).correct(branch.points[i], lam)
                images = OVERLAP_SIGNS * overlaps_of_vectors(exact)
                if np.abs(images - point.state).max(axis=1).min() < 1e-6:
                    through.append((branch.name, branch.index[i]))
        assert len(through) == 1, point
        assert through[0][1] == point.index


def test_indices_change_only_at_events(family):
    _, found = family
    for branch in found:
        for i in np.flatnonzero(np.diff(branch.index)):
            low, high = sorted(branch.values[i : i + 2])
            assert any(low * 0.999 <= e.value <= high * 1.001 for e in branch.events)
        assert [e.value for e in branch.events] == sorted(e.value for e in branch.events)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"low": 0.5}, "low must be less than high"),
        ({"low": -1}, "lam must be positive"),
        ({"anchors": 1}, "anchors must be an integer of at least 2; got 1"),
        ({"anchors": 2.5}, "anchors must be an integer of at least 2; got 2.5"),
        ({"max_expected_missed": math.nan}, "max_expected_missed must be positive; got nan"),
        ({"rng": -1}, "rng must be an integer of at least 0; got -1"),
    ],
)
def test_bad_input(paper, arguments, said):
    with pytest.raises(ValueError, match=said):
        follow_branches(paper, **({"low": 0.1, "high": 0.5} | arguments))
