"""The flow across the manifold, against steps of descent and against the oracle's Hessian."""

import numpy as np
import pytest

from slrsym.papers.single_location import Task, simulate
from slrsym.papers.single_location.landscape import (
    critical_inverse_temperature,
    oracle_hessian_in_angles,
    transverse_decay_rate,
    transverse_flow_matrix,
)

SQUARE = np.array([(0.3, -0.4), (0.9, 0.95), (0.0, 0.0), (-0.2, 0.7), (0.5, 0.5)])


@pytest.mark.parametrize(("d", "L", "gamma", "lam"), [(40, 6, 0.7, 0.4), (9, 3, 1.2, 1.0)])
def test_it_is_what_a_small_step_does(d, L, gamma, lam):
    task, alpha, h = Task(d, L, gamma), 1e-5, 1e-4
    for point in SQUARE:
        start = np.zeros((6, 5))
        start[:, :2] = point
        start[:3, 2:] = h * np.eye(3)
        start[3:, 2:] = -h * np.eye(3)
        runs = simulate(task, start, lam, alpha, 1, backend="numpy")
        after = np.stack([runs[name].values[:, -1] for name in ("theta", "eta", "rho")], axis=1)
        step = (after[:3] - after[3:]).T / (2 * h)
        found = (np.eye(3) - step) / alpha
        expected = transverse_flow_matrix(point, lam, task)
        assert found == pytest.approx(expected, abs=1e-3 * np.abs(expected).max())


def test_at_the_oracle_it_has_the_curvatures_of_the_risk(paper):
    for lam in (0.05, 0.5, 1.2):
        values = np.sort(np.linalg.eigvals(transverse_flow_matrix([1, 1], lam, paper)).real)
        bend = np.linalg.eigvalsh(oracle_hessian_in_angles(paper, lam))
        # And rho by itself, to second order of what is orthogonal to k* and v*.
        for value in bend:
            assert np.abs(values - value).min() < 1e-9 * np.abs(values).max()


def test_the_manifold_attracts_near_the_oracle_below_the_critical_temperature(paper):
    critical = critical_inverse_temperature(paper)
    corner = np.array([(1, 1), (-1, -1)])
    assert (transverse_decay_rate(corner, 0.99 * critical, paper) > 0).all()
    assert (transverse_decay_rate(corner, 1.01 * critical, paper) < 0).all()
    lams = np.array([0.01, 0.1, 1.0])
    assert (transverse_decay_rate(np.zeros((3, 2)), lams, paper) < 0).all()


@pytest.mark.parametrize(
    ("point", "said"), [([0, 0, 0], "must have shape"), ([1.5, 0], "must lie in"), (0.5, "shape")]
)
def test_bad_input(paper, point, said):
    with pytest.raises(ValueError, match=said):
        transverse_flow_matrix(point, 0.1, paper)
