"""The critical points: what they are, that they are right, and that none is missing."""

import json
import math

import numpy as np
import pytest

from slrsym.models.landscape.critical_points import _searched
from slrsym.papers.single_location import Task, excess_risk, gradient
from slrsym.papers.single_location.commands.landscape import points_as_dict
from slrsym.papers.single_location.landscape import SearchCoverage, find_critical_points
from slrsym.papers.single_location.landscape.enumeration import task_risk
from slrsym.papers.single_location.landscape.points import (
    OVERLAP_SIGNS,
    describe_freedom_of_k_and_v,
    point_name,
)
from slrsym.papers.single_location.models import task_model
from slrsym.papers.single_location.task import OrderParameters
from tests._profile import thorough, thorough_only
from tests.papers.single_location.dynamics._vectors import VectorEngine
from tests.papers.single_location.landscape.conftest import SMALL


def near(found, **values):
    """The points with these absolute overlaps."""
    return [
        p
        for p in found.points
        if all(abs(abs(getattr(p.state, n)) - x) < 5e-4 for n, x in values.items())
    ]


def named(found, name):
    return next(p for p in found.points if p.name == name)


# -- what is known of the paper's settings -----------------------------------------------------


def test_the_landscape_of_figure_7b(cold):
    assert [p.name for p in cold.minima] == ["oracle", "swap"]
    assert named(cold, "oracle").excess_risk == pytest.approx(0.113498, abs=5e-7)
    swap = named(cold, "swap")
    assert swap.excess_risk == pytest.approx(0.115512, abs=5e-7)
    assert swap.state.theta == pytest.approx(0.630, abs=5e-4)
    assert (describe_freedom_of_k_and_v(swap.state, 400), swap.orbit) == (("v free", 397), 397)
    (saddle,) = near(cold, kappa=0.137, nu=0.588, theta=0.137, eta=0.563, rho=0.300)
    assert saddle.excess_risk == pytest.approx(0.422026, abs=5e-7)
    assert (saddle.kind, saddle.index, saddle.orbit) == ("saddle", 1, 397)


@thorough_only
def test_the_landscape_of_figure_7a(warm):
    oracle = named(warm, "oracle")
    assert (oracle.kind, oracle.index) == ("saddle", 1)
    best = warm.minima[0]
    expected = (0.302, 0.947, 0.321, 0.953, 0.806)
    assert np.abs(best.state) == pytest.approx(expected, abs=5e-4)
    assert best.excess_risk == pytest.approx(3.8066, abs=5e-5)
    assert best.excess_risk < oracle.excess_risk


@pytest.mark.parametrize("which", ["cold", "warm", thorough("small")])
def test_every_point_is_confirmed(which, request):
    found = request.getfixturevalue(which)
    d, lam = found.values["d"], found.values["lambda"]
    task = Task(d, found.values["L"], found.values["gamma"])
    assert found.is_balanced
    assert found.coverage.expected_missed <= 0.5
    risks = [p.excess_risk for p in found.points]
    assert risks == sorted(risks)
    for point in found.points:
        assert point.confirmed
        assert point.gradient < 1e-12
        assert point.flat == point.orbit
        assert sum(n for _, n in point.spectrum) == 2 * d - 2
        assert sum(n for x, n in point.spectrum if x < 0) == point.index
        assert point.excess_risk == pytest.approx(excess_risk(point.state, lam, task), rel=1e-12)


def test_no_dimension_brings_anything_new(small):
    """A search in four dimensions, where nothing is taken for granted, ends at the same points."""
    points = np.random.default_rng(3).standard_normal((400, 2, 4))
    ends, _ = _searched(
        task_risk(SMALL, 0.45, 4).there, points / np.linalg.norm(points, axis=-1, keepdims=True)
    )
    states = np.array([end.state for end in ends])
    known = np.array([p.state for p in small.points])
    images = OVERLAP_SIGNS[:, None] * known
    distance = np.abs(states[:, None, None] - images).max(axis=-1).min(axis=1)
    assert len(states) > 200
    assert (distance.min(axis=1) < 1e-5).all()
    # All but those that no random start leads to.
    assert len(np.unique(distance.argmin(axis=1))) >= len(known) - 2


# -- a second method: descent by vectors -------------------------------------------------------


def step_jacobian(point, alpha):
    """Eigenvalues of a step of descent by vectors in R^d, from differences on the spheres."""
    task, d, h = SMALL, SMALL.d, 1e-6
    engine = VectorEngine(np.array([point.state]), task, alpha)
    base = np.stack([engine.k[0], engine.v[0]])
    frame = np.zeros((2 * d - 2, 2, d))
    for side in (0, 1):
        _, _, rows = np.linalg.svd(base[side][None])
        frame[side * (d - 1) : (side + 1) * (d - 1), side] = rows[1:]
    moved = np.concatenate([base + h * frame, base - h * frame])
    moved /= np.linalg.norm(moved, axis=-1, keepdims=True)
    count = len(moved)
    engine.k, engine.v = moved[:, 0].copy(), moved[:, 1].copy()
    engine.k_star, engine.v_star = (np.tile(x, (count, 1)) for x in (engine.k_star, engine.v_star))
    engine.advance(np.array([0.45]), 1)
    after = np.stack([engine.k, engine.v], axis=1)
    change = (after[: count // 2] - after[count // 2 :]) / (2 * h)
    jacobian = np.einsum("nid,mid->nm", change, frame)
    return np.linalg.eigvals(jacobian)


def test_spectra_are_those_of_descent_by_vectors(small):
    alpha = 0.01
    for point in small.points:
        values = step_jacobian(point, alpha)
        expected = np.concatenate([[x] * n for x, n in point.step_eigenvalues(alpha)])
        assert np.abs(values.imag).max() < 1e-5
        assert np.sort(values.real) == pytest.approx(np.sort(expected), abs=2e-6)
        assert (values.real > 1 + 1e-5).sum() == point.index
        assert (np.abs(values - 1) < 2e-6).sum() == point.flat


def test_steps_that_are_too_large_overshoot(small):
    minimum = small.minima[0]
    edge = minimum.largest_step
    assert minimum.stability_text(0.99 * edge) == "attracts"
    assert minimum.stability_text(1.01 * edge) == "overshoots"
    assert np.abs(step_jacobian(minimum, 0.99 * edge)).max() <= 1 + 1e-6
    assert np.abs(step_jacobian(minimum, 1.01 * edge)).max() > 1.01
    assert small.points[-1].stability_text(edge) == "repels"


# -- coverage ----------------------------------------------------------------------------------


def test_a_missing_point_is_noticed(small):
    """Points off the plane come in eights, so that the sum without one of them is wrong."""
    short = find_critical_points(SMALL, 0.45, max_expected_missed=0.5, max_starts=6)
    assert len(short.points) < len(small.points)
    assert not short.is_balanced
    assert short.coverage.expected_missed > 0.5


def test_the_estimate_of_what_is_missed():
    assert SearchCoverage(10, (5, 5)).expected_missed == pytest.approx(2 * 9 / 6 - 2)
    assert math.isinf(SearchCoverage(3, (1, 1, 1)).expected_missed)
    assert SearchCoverage(10, (8, 1, 1)).unseen_mass == 0.2
    assert SearchCoverage(10, ()).unseen_mass == 1


def test_flat_regions_are_no_critical_points():
    """At a large inverse temperature searches end where the risk is flat to rounding."""
    found = find_critical_points(Task(400, 10, 0.5**0.5), 5.0, max_expected_missed=9.0)
    assert found.coverage.flat_ends > 0
    assert all(p.confirmed for p in found)


def test_the_search_of_the_model_ends_at_the_same_points(small):
    """From other starts, and in one dimension more."""
    values = {"d": 6, "L": 4, "gamma": 0.9, "epsilon": 0.0, "lambda": 0.45}
    model = task_model()
    again = model.landscape(
        values, starts=256, max_expected_missed=0.5, confirm=True, rng=1, progress=False
    )
    assert again.is_balanced
    assert len(again) == len(small)
    for one, other in zip(again, small, strict=True):
        assert one.confirmed
        assert (one.kind, one.index, one.flat, one.orbit, one.copies) == (
            other.kind, other.index, other.flat, other.orbit, other.copies
        )  # fmt: skip
        assert one.excess_risk == pytest.approx(other.excess_risk, rel=1e-14)
        np.testing.assert_allclose(one.state, other.state, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("d", "lam"), [(2, 0.1), thorough(3, 0.5), thorough(4, 1.0)])
def test_few_dimensions(d, lam):
    found = find_critical_points(Task(d, 3, 0.6), lam, max_expected_missed=0.5)
    assert found.is_balanced
    assert all(p.confirmed for p in found.points)
    assert ("null" in {p.name for p in found.points}) == (d >= 4)
    for point in found.points:
        assert sum(n for _, n in point.spectrum) == 2 * d - 2
        # Feasible: nothing of k and v is left over in too few dimensions.
        VectorEngine(np.array([point.state]), Task(d, 3, 0.6), 0.1)


@thorough_only
def test_the_same_seed_gives_the_same_points(small):
    again = find_critical_points(SMALL, 0.45, max_expected_missed=0.5)
    assert points_as_dict(again, SMALL) == points_as_dict(small, SMALL)
    json.dumps(points_as_dict(again, SMALL), allow_nan=False)


def test_the_null_point_is_critical_in_all_overlaps(small):
    assert np.abs(gradient(named(small, "null").state, 0.45, SMALL)).max() == 0
    assert named(small, "null").index == 2


@pytest.mark.parametrize(
    ("state", "name", "family"),
    [
        ((-1, -1, 0, 0, 0), "oracle", ("isolated", 0)),
        ((0, 0, 0.5, -1, 0), "swap", ("v free", 7)),
        ((0, 0, -1, 1, 0), "anti-swap", ("isolated", 0)),
        ((0, 0, 0, 0, -1), "aligned", ("k, v together free", 7)),
        ((0.6, 0, 0, 0.8, 0), "mixed", ("v free", 7)),
        ((0.6, 0.8, 0.6, 0.8, 1), "planar", ("isolated", 0)),
        ((0, 0, 0, 0, 0), "null", ("k, v free", 13)),
    ],
)
def test_names_and_families(state, name, family):
    overlaps_of = OrderParameters(*map(float, state))
    assert point_name(overlaps_of) == name
    assert describe_freedom_of_k_and_v(overlaps_of, 10) == family


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"lam": 0}, "lam must be positive"),
        ({"lam": math.nan}, "lam must be positive"),
        ({"max_expected_missed": 0}, "max_expected_missed must be positive"),
        ({"max_expected_missed": "few"}, "max_expected_missed must be positive; got 'few'"),
        ({"max_starts": 0}, "max_starts must be an integer of at least 1; got 0"),
        ({"max_starts": 2.5}, "max_starts must be an integer of at least 1; got 2.5"),
        ({"rng": -1}, "rng must be an integer of at least 0; got -1"),
        ({"rng": None}, "rng must be an integer of at least 0; got None"),
    ],
)
def test_bad_input(paper, arguments, said):
    with pytest.raises(ValueError, match=said):
        find_critical_points(paper, **({"lam": 0.1} | arguments))


def test_a_task_is_needed():
    with pytest.raises(TypeError, match="task must be"):
        find_critical_points((400, 10, 0.7), 0.1)


def test_a_saddle_in_a_narrow_valley_is_found():
    """Between two minima of nearly the same risk, where random starts alone do not lead."""
    found = find_critical_points(Task(6, 14, 0.12), 1.2753, max_expected_missed=0.5)
    assert found.is_balanced
    assert [p.kind for p in found.points[:2]] == ["minimum", "minimum"]
    assert any(p.index == 1 and p.name.startswith("mixed") for p in found.points)
