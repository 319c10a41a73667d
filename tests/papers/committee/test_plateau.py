"""The benchmark of the plateau: that it tells derived values from others."""

import numpy as np

from tests._benchmarks import benchmark
from tests._profile import thorough_only

plateau = benchmark("committee_plateau")


@thorough_only
def test_sampled_plateaus_are_the_derived_ones():
    for row in plateau.compared(3, 0.4, 1000, 8, seed=1):
        assert abs(row.off) < 3
        # At this learning rate the limit of small ones is far off.
        assert row.mean - row.limit > 10 * row.error


# The same equations are drawn beside samples in tests/documents/figures.
@thorough_only
def test_derived_values_tend_to_the_closed_form():
    limit = np.array(plateau.in_the_limit(3))
    far = [np.abs(np.array(plateau.derived(3, eta)) / limit - 1) for eta in (1e-2, 1e-3)]
    assert (far[0] < 0.01).all()
    assert (far[1] < 0.11 * far[0]).all()
