"""The derivative of a step, and the rule by which runs stop."""

from dataclasses import replace

import numpy as np
import pytest

from slrsym.papers.single_location import Task, gradient
from slrsym.papers.single_location.dynamics.engines import TaskEngine
from slrsym.papers.single_location.dynamics.initial_conditions import uniform_overlaps
from slrsym.papers.single_location.dynamics.spheres import ambient_derivatives, overlaps_of_vectors
from slrsym.papers.single_location.landscape.points import OVERLAP_SIGNS
from slrsym.papers.single_location.recovery import VERDICTS
from slrsym.papers.single_location.recovery.setting import (
    build_tubes,
    follow_to_ends,
    steps_when_runs_are_classified,
)
from slrsym.papers.single_location.recovery.tubes import (
    _BLUR,
    Tube,
    _growth,
    _step,
    bound_third_derivative,
    lift_overlaps,
    rotation_directions,
    tube_around_run,
)
from tests._profile import THOROUGH, more, thorough_only


def stepped(points, lam, task, alpha):
    """Definition 1, on vectors of any length."""
    x = points / np.linalg.norm(points, axis=-1, keepdims=True)
    slope = gradient(overlaps_of_vectors(x), lam, task)
    rates = np.zeros((*x.shape[:-2], 5, 2, 4))
    for row, (i, j) in enumerate(((0, 0), (1, 1), (1, 0), (0, 1))):
        rates[..., row, i, j] = 1
    rates[..., 4, :, :] = x[..., ::-1, :]
    g = np.einsum("...p,...pij->...ij", slope, rates)
    moved = x - alpha * (g - np.sum(x * g, axis=-1, keepdims=True) * x)
    return moved / np.linalg.norm(moved, axis=-1, keepdims=True)


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    found = rng.standard_normal((6, 2, 4))
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def test_the_derivative_of_a_step(points):
    task, lam, alpha = Task(30, 4, 0.8), np.linspace(0.2, 1.5, 6), 3e-2
    after, _, found = _step(points, *ambient_derivatives(points, lam, task), alpha)
    assert np.allclose(after, stepped(points, lam, task, alpha), atol=1e-14)
    h = 1e-6
    for column in range(8):
        shift = np.zeros(8)
        shift[column] = h
        ends = [stepped(points + s * shift.reshape(2, 4), lam, task, alpha) for s in (1, -1)]
        expected = (ends[0] - ends[1]).reshape(6, 8) / (2 * h)
        assert np.allclose(found[..., column], expected, atol=1e-8)


@pytest.mark.parametrize("reach", [1e-4, 0.02])
def test_the_third_derivative_is_bounded_within_reach(reach):
    """Differences of the Hessian stay below the bound, and come near to it."""
    task, rng = Task(30, 4, 0.8), np.random.default_rng(1)
    ratios = []
    for centre in uniform_overlaps(30, 0, 0, 12):
        states = np.stack([centre, centre])
        lam = np.array([0.5, 0.515])
        centres = lift_overlaps(states)
        bound = bound_third_derivative(overlaps_of_vectors(centres), centres, lam, task, reach)
        h = rng.standard_normal((400, 8))
        h /= np.linalg.norm(h, axis=1, keepdims=True)
        away = rng.standard_normal((400, 8))
        away *= reach / np.linalg.norm(away, axis=1, keepdims=True)
        points, at = centres[0] + away.reshape(-1, 2, 4), rng.uniform(0.5, 0.515, 400)
        small = 1e-5
        ends = [
            ambient_derivatives(points + sign * small * h.reshape(-1, 2, 4), at, task)[1]
            for sign in (1, -1)
        ]
        change = ((ends[0] - ends[1]) / (2 * small)) @ h[:, :, None]
        ratios.append(np.linalg.norm(change[..., 0], axis=1).max() / bound)
    assert np.max(ratios) < 1
    assert np.max(ratios) > 0.2


def test_distances_grow_by_no_more_than_is_said():
    """One step, of states at any distance from a run that is nowhere at rest."""
    task, alpha, rng = Task(30, 4, 0.8), 3e-2, np.random.default_rng(5)
    start = lift_overlaps(uniform_overlaps(30, 1, 0, 8))
    lam, reach = np.full(1, 0.7), 0.02
    seen = []
    for x in start:
        both = np.stack([x, stepped(x[None], lam, task, alpha)[0]])
        third = bound_third_derivative(overlaps_of_vectors(both[:1]), both[:1], lam, task, reach)
        growth, excess, missed = _growth(both, lam, task, alpha, third, reach, "numpy")
        assert missed[0] < 1e-12
        tube = Tube(0, both, np.ones(2))
        for size in (1e-5, 1e-3, reach):
            near = x + size * rng.standard_normal((300, 2, 4)) / 4
            near /= np.linalg.norm(near, axis=-1, keepdims=True)
            r = tube.distances(overlaps_of_vectors(near), 0)
            near, r = near[r < reach], r[r < reach]
            after = overlaps_of_vectors(stepped(near, np.full(len(near), lam[0]), task, alpha))
            found = tube.distances(after, 1)
            assert (found <= growth[0] * r + excess[0] * r**2 + 1e-8).all()
            seen.append((found / (growth[0] * r)).max())
    assert max(seen) > 0.5


def test_turning_is_a_neutral_direction():
    states = lift_overlaps(uniform_overlaps(5, 0, 0, 8))
    task, lam, alpha = Task(30, 4, 0.8), np.full(8, 0.7), 3e-2
    after = stepped(states, lam, task, alpha)
    slopes = _step(states, *ambient_derivatives(states, lam, task), alpha)[2]
    moved = slopes @ rotation_directions(states)[..., None]
    assert np.allclose(moved[..., 0], rotation_directions(after), atol=1e-12)


def test_distances_are_the_least_over_all_symmetries(known):
    tube = known[0]
    time = len(tube.radii) // 2
    rng = np.random.default_rng(2)
    near = tube.points[time] + 1e-3 * rng.standard_normal((20, 2, 4))
    near /= np.linalg.norm(near, axis=-1, keepdims=True)
    angles = np.linspace(0, 2 * np.pi, 20_001)
    turn = np.zeros((len(angles), 2, 4, 4))
    turn[:, :, 0, 0] = turn[:, :, 1, 1] = 1
    turn[:, :, 2, 2] = np.cos(angles)[:, None]
    turn[:, :, 3, 3] = np.array([1, -1]) * np.cos(angles)[:, None]
    turn[:, :, 2, 3] = np.array([-1, 1]) * np.sin(angles)[:, None]
    turn[:, :, 3, 2] = np.sin(angles)[:, None]
    for signs in OVERLAP_SIGNS:
        found = tube.distances(signs * overlaps_of_vectors(near), time)
        for point, distance in zip(near, found, strict=True):
            turned = np.einsum("asij,nj->asni", turn, point)
            searched = np.linalg.norm(turned - tube.points[time], axis=(-1, -2)).min()
            # No turn does better, and the best of them by no more than they are apart.
            assert distance <= searched + 1e-12
            assert distance == pytest.approx(searched, abs=5e-6)


def test_who_is_inside_stays_inside(falling, known):
    """What the rule says, of states put inside at random and followed to the end."""
    times = steps_when_runs_are_classified(falling.steps)
    lam = falling.inverse_temperatures
    rng = np.random.default_rng(3)
    for tube in known:
        begun = int(np.flatnonzero(tube.radii)[0])
        for time in {begun, (begun + len(times)) // 2, len(times) - 3}:
            shift = rng.standard_normal((60, 2, 4))
            far = 0.98 * (tube.radii[time] - 2 * _BLUR)
            shift *= far / np.linalg.norm(shift, axis=(1, 2), keepdims=True)
            points = tube.points[time] + shift
            points /= np.linalg.norm(points, axis=-1, keepdims=True)
            assert tube.is_inside(overlaps_of_vectors(points), time).all()
            for later in range(time + 1, len(times)):
                engine = TaskEngine(points, falling.task, falling.alpha, "numba")
                before, after = times[later - 1], times[later]
                engine.advance(lam[before:after], int(after - before))
                points = engine.states
                assert tube.is_inside(engine.overlaps, later).all()


@more
def test_the_rule_does_not_change_verdicts(falling, constant, known):
    runs = 2000 if THOROUGH else 400
    for setting, tubes_of in (
        (falling, known),
        (constant, build_tubes(constant, 0, 10_000, "numba")),
    ):
        assert {VERDICTS[tube.verdict] for tube in tubes_of} == {"oracle", "swap"}
        short = follow_to_ends(setting, 0, 0, runs, tubes_of, "numba")
        whole = follow_to_ends(setting, 0, 0, runs, (), "numba", stopping=False)
        assert (whole.decided == setting.steps).all()
        assert (short.verdict == whole.verdict).all()
        assert short.decided.mean() < 0.7 * setting.steps
        assert (short.start == whole.start).all()
        assert len(set(whole.verdict.tolist())) == 2


def test_where_steps_are_too_large_there_is_no_tube(constant):
    """No run settles: every one is followed to its end."""
    wild = replace(constant, lam0=3.0, alpha=0.3, steps=1500)
    assert build_tubes(wild, 0, 10_000, "numba") == ()
    assert (follow_to_ends(wild, 0, 0, 5, (), "numba").decided == 1500).all()


@thorough_only
def test_a_tube_narrows_where_distances_grow(constant):
    """Backwards from the end, at a start that descent leaves: no tube is left."""
    lam = np.full(2001, 0.25)
    engine = TaskEngine(lift_overlaps(np.zeros((1, 5))), constant.task, constant.alpha)
    rows = overlaps_of_vectors(engine.advance(lam[:-1], 1))[:, 0]
    at_rest = np.concatenate([np.zeros((1, 5)), rows])
    times = np.array([0, 1000, 2000])
    tube = tube_around_run(at_rest, lam, constant.task, constant.alpha, times, 2, 0.05)
    assert tube.radii[-1] > 0
    assert tube.radii[0] == 0


def test_the_last_checkpoint_is_the_end():
    assert steps_when_runs_are_classified(1).tolist() == [1]
    assert steps_when_runs_are_classified(500).tolist() == [500]
    assert steps_when_runs_are_classified(1700).tolist() == [200, 700, 1200, 1700]
