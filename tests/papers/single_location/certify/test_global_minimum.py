"""The oracle as the only global minimum: against the risk of many pairs, and false statements."""

import numpy as np
import pytest

from slrsym.papers.single_location.certify import Attraction, GlobalMinimum
from slrsym.papers.single_location.paper_risk import excess_risk
from slrsym.proof import in_words
from tests._profile import thorough, thorough_only

from .test_sublevel import TASK, overlaps, pairs, slopes, unit


def near(lam, step="1/20000"):
    return Attraction(lam, step, "1/200", "1/10000", "4", max_boxes=400)


@thorough_only
@pytest.mark.parametrize("lam", [0.0908, 0.095, 0.1])
def test_no_pair_has_less_risk(lam):
    """Of random pairs and of what lowers their risk for a while, as claim oracle-global-minimum."""
    k, v = pairs(np.random.default_rng(3), 4_000)
    oracle = excess_risk(np.array([1.0, 1, 0, 0, 0]), lam, TASK)
    seen = 0
    for _ in range(150):
        state = overlaps(k, v)
        above = excess_risk(state, lam, TASK) - oracle
        assert above.min() > -1e-12
        small = above <= 1e-5
        assert (2 - abs(state[small, 0] + state[small, 1]) <= 1 / 200).all()
        seen += small.sum()
        k, v = (unit(x - 0.004 * by) for x, by in zip((k, v), slopes(k, v, lam), strict=True))
    assert seen > 500


# Single inverse temperatures; a bound that is too low in other cases.
@pytest.mark.parametrize(
    ("attraction", "margin", "why"),
    [
        # Swap points have less risk than the oracle.
        thorough(near("0.0906"), "1/100000", "a bound is not above the level"),
        # They have 0.002014 more.
        thorough(near("1/10"), "202/100000", "a bound is not above the level"),
        (near("1/10"), "0", "margin must be positive"),
        (near("1/10", "1"), "1/100000", "not all of"),
    ],
)
def test_what_is_not_so_is_not_shown(attraction, margin, why):
    found = GlobalMinimum(attraction, margin)
    assert why in found.reason_not_shown(found.statement)


@thorough_only
def test_a_range_of_inverse_temperatures():
    narrow = GlobalMinimum(near("0.1..0.1001"), "1/100000")
    assert narrow.reason_not_shown(narrow.statement) == ""
    assert "lambda in [0.1, 0.1001]" in narrow.box_text
    across = GlobalMinimum(near("0.0907..0.0908"), "1/1000000")
    assert across.reason_not_shown(across.statement) != ""


def test_other_statements_and_few_boxes():
    few = GlobalMinimum(near("1/10"), "1/100000", max_boxes=3)
    assert "left open" in few.reason_not_shown(few.statement)
    assert "evidence for" in few.reason_not_shown(in_words("something else"))
