"""Verdicts and their margins, and how often they are counted."""

import numpy as np
import pytest
from scipy.stats import binomtest

from slrsym import Task
from slrsym.dynamics.starts import uniform_overlaps
from slrsym.landscape import swap_point
from slrsym.landscape.symmetry import OVERLAP_SIGNS
from slrsym.recovery import NEAR, VERDICTS, verdicts, wilson
from slrsym.recovery.statistics import counted, tally
from slrsym.recovery.verdicts import margins

TASK, LAM = Task(400, 10, 0.5**0.5), 0.1


def test_where_states_are():
    swap, _ = swap_point(TASK, LAM)
    states = np.array([(1, 1, 0, 0, 0), swap, (0.3, 1, 0.05, 0, 0), (0.3, 0.9, 0.3, 0.9, 0.8)])
    for signs in OVERLAP_SIGNS:
        assert verdicts(signs * states, LAM, TASK).tolist() == [0, 1, 2, 3]
    # One sign alone is none of the symmetries.
    assert verdicts(np.array([1.0, -1, 0, 0, 0]), LAM, TASK) == 2
    assert verdicts(np.array(swap) * [1, 1, -1, 1, 1], LAM, TASK) == 3


@pytest.mark.parametrize("lam", [0.05, 0.1, 0.6])
def test_within_its_margin_a_verdict_stays_and_beyond_it_may_change(lam):
    rng = np.random.default_rng(5)
    swap, _ = swap_point(TASK, lam)
    points = np.array([(1, 1, 0, 0, 0), swap, (0.5, 1, 0, 0, 0), (0.5, 0.5, 0.2, 0.2, 0.2)])
    states = points[rng.integers(4, size=2000)] + rng.uniform(-0.2, 0.2, (2000, 5))
    margin = margins(states, lam, TASK)
    assert (margin >= 0).all()
    before = verdicts(states, lam, TASK)
    step = rng.choice([-1.0, 1.0], (40, *states.shape))
    inside = verdicts(states + 0.999 * margin[:, None] * step, lam, TASK)
    assert (inside == before).all()
    outside = verdicts(states + (margin[:, None] + 1e-6) * step, lam, TASK)
    assert ((outside != before).any(axis=0)).mean() > 0.5
    assert set(before.tolist()) == {0, 1, 2, 3}
    assert margin.max() <= max(NEAR, 1)


def test_counts_and_wilson_intervals():
    verdict = np.array([[0, 0, 1, 3], [2, 2, 2, 2]], dtype=np.int8)
    assert tally(verdict).tolist() == [[2, 1, 0, 1], [0, 0, 4, 0]]
    found = counted(tally(verdict), 4, ("cell",))
    assert found["count"].dims == ("cell", "verdict")
    assert np.allclose(found["fraction"].sum("verdict"), 1)
    lower, upper = wilson([[0, 16], [300, 150]], 300)
    p, z = 16 / 300, 1.959963984540054
    centre = (p + z**2 / 600) / (1 + z**2 / 300)
    half = z / (1 + z**2 / 300) * np.sqrt(p * (1 - p) / 300 + z**2 / 360_000)
    assert np.allclose([lower[0, 1], upper[0, 1]], [centre - half, centre + half], atol=1e-14)
    assert lower[0, 0] == 0
    assert upper[1, 0] == 1
    assert upper[0, 0] == binomtest(0, 300).proportion_ci(method="wilson").high
    assert len(VERDICTS) == 4


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
        wilson(*arguments)


def test_a_start_does_not_depend_on_the_others():
    whole = uniform_overlaps(7, [3, 1], 0, 20)
    assert (uniform_overlaps(7, [3, 1], 5, 9) == whole[5:9]).all()
    assert uniform_overlaps(7, [3, 1], 4, 4).shape == (0, 5)
    assert not np.isin(uniform_overlaps(7, [3, 2], 0, 20), whole).any()
