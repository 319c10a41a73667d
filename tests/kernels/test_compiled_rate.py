"""Steps of DOP853 in machine code are those of SciPy: the same states, at as many evaluations."""

import numpy as np
import pytest
from scipy.integrate import DOP853

from slrsym.kernels.compiled_rate import CompiledRate, CompiledSolver
from tests._profile import thorough

numba = pytest.importorskip("numba")


@numba.njit(error_model="numpy")
def coupled(y, p, out):
    """Fill in rates of three numbers that turn, decay and grow."""
    out[0] = p[0] * (y[1] - y[0])
    out[1] = y[0] * (p[1] - y[2]) - y[1]
    out[2] = y[0] * y[1] - p[2] * y[2]


@numba.njit(error_model="numpy")
def stiff(y, p, out):
    """Fill in rates with a fast part, which makes steps be rejected."""
    for k in range(3):
        out[k] = -p[0] * 4.0**k * (y[k] - np.cos(p[1] * y[(k + 1) % 3]))


def counted(equations):
    """Return equations as a function of rows, which counts in its work space."""

    @numba.njit
    def rate(states, parameters, work, index, rates):
        for k in range(len(states)):
            work[0] += 1
            equations(states[k], parameters[0], rates[k])

    return rate


def scipy_solution(equations, row, start, times, tolerance):
    """Solve by SciPy; return the states at times, and how many rates were evaluated."""
    calls = [0]

    def rate(_, y):
        calls[0] += 1
        out = np.empty(3)
        equations(y, row, out)
        return out

    solver = DOP853(rate, 0.0, start, times[-1], rtol=tolerance, atol=tolerance / 100)
    first, states = calls[0], [start]
    while solver.status == "running":
        solver.step()
        reached = times[len(states) : np.searchsorted(times, solver.t, "right")]
        if reached.size:
            states += list(solver.dense_output()(reached).T)
    return np.array(states), calls[0] - first


@pytest.mark.parametrize("points", [2, 50, thorough(5_000)])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-11])
@pytest.mark.parametrize(
    ("equations", "row", "time"),
    [(coupled, (10.0, 0.5, 8 / 3), 3.0), (coupled, (10.0, 20.0, 8 / 3), 2.0), (stiff, (3, 5), 1)],
    ids=["falling", "turning", "stiff"],
)
def test_the_steps_are_those_of_scipy(equations, row, time, tolerance, points):
    row, times = np.array(row, dtype=float), np.linspace(0, time, points)
    start = np.random.default_rng(7).normal(size=3)
    exact, calls = scipy_solution(equations, row, start, times, tolerance)
    compiled = CompiledRate(counted(equations), np.zeros(1, dtype=np.int64), 1)

    def rate(_, y):
        out = np.empty(3)
        equations(y, row, out)
        return out

    begun = DOP853(rate, 0.0, start, time, rtol=tolerance, atol=tolerance / 100)
    solver = CompiledSolver(compiled, begun, row, times, tolerance)
    work = solver._given[3]
    work[:] = 0
    rounds = 0
    while solver.status == "running":
        # So few at a time that it goes on within what it has begun.
        assert solver.advance(3, 0) is None
        rounds += 1
    assert rounds == -(-solver.steps // 3)
    assert solver.status == "finished"
    assert solver.t == time
    assert solver.done == points
    assert work[0] == calls
    np.testing.assert_allclose(solver.states, exact, rtol=1e-10, atol=1e-11)
    np.testing.assert_array_equal(solver.states[-1].round(12), solver.y.round(12))
