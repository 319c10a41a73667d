"""The share of uniform starts near the oracle: against samples, and false statements."""

from fractions import Fraction

import numpy as np
import pytest

from slrsym.papers.single_location import Task, simulate
from slrsym.papers.single_location.certify import AttractedShare, Attraction
from slrsym.papers.single_location.certify.attracted_share import oracle_or_mirror_share_lower_bound
from slrsym.proof import in_words
from tests._profile import thorough, thorough_only


def near(radius="2/5", step="1/200"):
    numbers = {"dimension": 3, "tokens": 2, "variance": "1"}
    return Attraction("1", step, radius, "1/100", "5", max_boxes=300, **numbers)


def uniform(d, runs, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(2, runs, d))
    return tuple(x / np.linalg.norm(x, axis=-1, keepdims=True))


@pytest.mark.parametrize(
    ("d", "radius"), [thorough(2, 0.4), (3, 0.7), thorough(4, 0.5), thorough(6, 0.9)]
)
def test_it_is_the_share_of_samples(d, radius):
    runs = 400_000
    k, v = uniform(d, runs, d)
    seen = (2 - abs(k[:, 0] + v[:, 1]) <= radius).mean()
    bound = float(oracle_or_mirror_share_lower_bound(d, Fraction(radius).limit_denominator(10)))
    # The lower sum is off by a cell in 400, the sample by four standard errors at most.
    assert 0.98 * bound < seen + 4 * (bound / runs) ** 0.5
    assert bound > seen - 4 * (seen / runs) ** 0.5 - 0.01 * seen


@thorough_only
def test_runs_from_the_share_end_at_the_oracle():
    task, (k, v) = Task(3, 2, 1.0, 0.1), uniform(3, 300, 1)
    runs = simulate(task, (k, v), 1.0, 1 / 200, 4_000, 4_000, progress=False)
    overlaps = abs(runs.kappa + runs.nu).values
    inside = 2 - overlaps[:, 0] <= 0.4
    assert inside.sum() > 5
    assert (2 - overlaps[inside, 1] < 1e-3).all()


@pytest.mark.parametrize(
    ("attraction", "share", "why"),
    [
        # The exact probability is 0.04.
        (near(), "41/1000", "the share is shown to be 0.0399"),
        (near(), "0", "share must be positive"),
        pytest.param(near("9/10"), "1/100", "not all of", marks=thorough_only),
    ],
)
def test_what_is_not_so_is_not_shown(attraction, share, why):
    found = AttractedShare(attraction, share)
    assert why in found.reason_not_shown(found.statement)


@thorough_only
def test_what_is_so_is_shown():
    found = AttractedShare(near("1/10"), "1/500")
    assert found.reason_not_shown(found.statement) == ""


def test_it_is_evidence_for_its_own_statement_only():
    found = AttractedShare(near(), "39/1000")
    assert "d = 3" in found.box_text
    assert "evidence for" in found.reason_not_shown(in_words("something else"))
