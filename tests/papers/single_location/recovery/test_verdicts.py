"""Verdicts and their margins, and how often they are counted."""

import numpy as np
import pytest
from scipy.stats import binomtest

from slrsym.files import write_netcdf
from slrsym.papers.single_location import Task
from slrsym.papers.single_location.dynamics import OverlapStart, simulate
from slrsym.papers.single_location.dynamics.initial_conditions import uniform_overlaps
from slrsym.papers.single_location.landscape import (
    critical_inverse_temperature,
    swap_point_and_excess_risk,
)
from slrsym.papers.single_location.landscape.points import OVERLAP_SIGNS
from slrsym.papers.single_location.recovery import (
    NEAR,
    VERDICTS,
    Setting,
    classify_states,
    fit_swap_prediction,
    recover,
    wilson_intervals,
)
from slrsym.papers.single_location.recovery.setting import (
    MOVING,
    classify_endpoints,
    count_verdicts,
    distances_to_class_change,
    endpoint_statistics,
)
from tests._profile import thorough_only

TASK, LAM = Task(400, 10, 0.5**0.5), 0.1


def test_where_states_are():
    swap, _ = swap_point_and_excess_risk(TASK, LAM)
    states = np.array([(1, 1, 0, 0, 0), swap, (0.3, 1, 0.05, 0, 0), (0.3, 0.9, 0.3, 0.9, 0.8)])
    for signs in OVERLAP_SIGNS:
        assert classify_states(signs * states, LAM, TASK).tolist() == [0, 1, 2, 3]
    # One sign alone is none of the symmetries.
    assert classify_states(np.array([1.0, -1, 0, 0, 0]), LAM, TASK) == 2
    assert classify_states(np.array(swap) * [1, 1, -1, 1, 1], LAM, TASK) == 3


@thorough_only
@pytest.mark.parametrize("lam", [0.05, 0.1, 0.6])
def test_within_its_margin_a_verdict_stays_and_beyond_it_may_change(lam):
    rng = np.random.default_rng(5)
    swap, _ = swap_point_and_excess_risk(TASK, lam)
    points = np.array([(1, 1, 0, 0, 0), swap, (0.5, 1, 0, 0, 0), (0.5, 0.5, 0.2, 0.2, 0.2)])
    states = points[rng.integers(4, size=2000)] + rng.uniform(-0.2, 0.2, (2000, 5))
    margin = distances_to_class_change(states, lam, TASK)
    assert (margin >= 0).all()
    before = classify_states(states, lam, TASK)
    step = rng.choice([-1.0, 1.0], (40, *states.shape))
    inside = classify_states(states + 0.999 * margin[:, None] * step, lam, TASK)
    assert (inside == before).all()
    outside = classify_states(states + (margin[:, None] + 1e-6) * step, lam, TASK)
    assert ((outside != before).any(axis=0)).mean() > 0.5
    assert set(before.tolist()) == {0, 1, 2, 3}
    assert margin.max() <= max(NEAR, 1)


def test_counts_and_wilson_intervals():
    verdict = np.array([[0, 0, 1, 3], [2, 2, 2, 2], [0, 4, 0, 1], [4, 4, 4, 4]], dtype=np.int8)
    assert count_verdicts(verdict).tolist() == [
        [2, 1, 0, 1, 0],
        [0, 0, 4, 0, 0],
        [2, 1, 0, 0, 1],
        [0, 0, 0, 0, 4],
    ]
    found = endpoint_statistics(count_verdicts(verdict), 4, ("cell",))
    assert found["count"].dims == ("cell", "verdict")
    # Of what has ended; of what still moves, the part of all.
    fraction = found["fraction"].values
    assert np.allclose(fraction[:3, :4].sum(axis=1), 1)
    assert np.isnan(fraction[3, :4]).all()
    assert fraction[:, 4].tolist() == [0, 0, 0.25, 1]
    assert found["upper"].values[2, 0] == wilson_intervals([2], 3)[1]
    assert np.isnan(found["upper"].values[:, 4]).all()
    lower, upper = wilson_intervals([[0, 16], [300, 150]], 300)
    known = [binomtest(n, 300).proportion_ci(method="wilson") for n in (0, 16, 300, 150)]
    ends = np.stack([lower.ravel(), upper.ravel()], axis=-1)
    np.testing.assert_allclose(ends, [(ci.low, ci.high) for ci in known], rtol=0, atol=1e-14)
    assert lower[0, 0] == 0
    assert upper[1, 0] == 1
    assert len(VERDICTS) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], 0), "total must be an integer of at least 1; got 0"),
        (([1], 2.5), "total must be an integer of at least 1; got 2.5"),
        (([3], 2), r"counts must be integers from 0 to 2; got \[3\]"),
        (([-1], 2), r"counts must be integers from 0 to 2; got \[-1\]"),
        (([0.5], 2), r"counts must be integers from 0 to 2; got \[0.5\]"),
        (([np.nan], 2), r"counts must be integers from 0 to 2; got \[nan\]"),
        (("one", 2), "counts must be real numbers; got 'one'"),
    ],
)
def test_what_wilson_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        wilson_intervals(*arguments)


@pytest.fixture(scope="module")
def creeping():
    """Runs that creep along the manifold, where scores are saturated; 20,000 steps are too few."""
    return Setting(1, 0, 50, 5, 1, 0.01, 20_000)


@thorough_only
def test_runs_that_still_move_have_not_ended(creeping):
    with pytest.warns(RuntimeWarning, match=r"[89]\d.* % of the runs still move after 20,000"):
        found = recover(creeping, 40, workers=1)
    counts = dict(zip(VERDICTS, found["count"].values.tolist(), strict=True))
    assert counts["manifold"] == 0
    assert counts["moving"] >= 30
    ended = 40 - counts["moving"]
    assert ended
    assert float(found.fraction[1]) == counts["swap"] / ended
    assert float(found.upper[0]) == wilson_intervals([0], ended)[1]
    assert fit_swap_prediction(found) is None
    # They move indeed, and what is said to have ended has.
    runs = simulate(creeping.task, OverlapStart(found.start.values), 1, 0.01, 100_000, 100_000)
    last = runs.isel(step=-1)
    states = np.stack([last[name].values for name in found.overlap.values], axis=1)
    later = classify_states(states, 1, creeping.task)
    before = found.verdict.values
    assert (later[before != MOVING] == before[before != MOVING]).all()
    assert (later[before == MOVING] == 0).mean() > 0.9


def test_a_falling_temperature_lets_runs_go_on():
    """At the inverse temperature that they have, the first ones would stay for ever."""
    setting = Setting(1, 1e-4, 400, 10, 0.5**0.5, 4e-3, 10_000)
    with pytest.warns(RuntimeWarning, match="100 % of the runs still move"):
        found = recover(setting, 10, workers=1)
    assert (found.verdict.values == MOVING).all()


def test_at_a_saddle_nothing_has_ended():
    """Above the critical inverse temperature the oracle is one, and so is the null point at any."""
    lam = 1.5 * critical_inverse_temperature(TASK)
    near = np.array([[0.999, 0.999, 0.0, 0.0, 0.0], [1e-9, 0, 0, 1e-9, 0]])
    low, high = (Setting(x, 0, TASK.d, TASK.L, TASK.gamma, 4e-3, 10**5) for x in (0.1, lam))
    assert classify_endpoints(near[:1], low).tolist() == [0]
    assert classify_endpoints(near[:1], high).tolist() == [MOVING]
    assert classify_endpoints(near[1:], low).tolist() == [MOVING]


def test_files_with_other_verdicts_are_refused(tmp_path):
    setting = Setting(0.3, 0, 20, 3, 1, 0.02, 3000)
    file = tmp_path / "runs.nc"
    found = recover(setting, 5, workers=1, path=file)
    write_netcdf(found.isel(verdict_names=slice(0, 4)), file)
    with pytest.raises(ValueError, match="verdicts of an earlier version"):
        recover(setting, 5, workers=1, path=file)


def test_a_start_does_not_depend_on_the_others():
    whole = uniform_overlaps(7, [3, 1], 0, 20)
    assert (uniform_overlaps(7, [3, 1], 5, 9) == whole[5:9]).all()
    assert uniform_overlaps(7, [3, 1], 4, 4).shape == (0, 5)
    assert not np.isin(uniform_overlaps(7, [3, 2], 0, 20), whole).any()
