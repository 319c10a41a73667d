r"""Fluctuations of online SGD around the equations of motion, at a large but finite dimension.

One sample changes the order parameters p by b/d, for a vector b of products of its gradients. In
a time of 1, which is d samples, that makes a variance of :math:`\Sigma/d`, for :math:`\Sigma =
\operatorname{cov} b`. So a run is :math:`p(t) + \delta(t)/\sqrt d`, where p solves the equations of
motion with the rate of change f, and :math:`\delta` the linear stochastic differential equation

.. math:: d\delta = \nabla f(p)\,\delta\,dt + \Sigma(p)^{1/2}\,dW.

It is normal, with mean 0, and a covariance C that solves :math:`\dot C = \nabla f\,C +
C\,\nabla f^\top + \Sigma`. The sample mean of runs is off by 1/d besides, which is less.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slrsym.files import require_writable
from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.models.means.one_sample_means import total_derivative
from slrsym.models.training.solutions import (
    Trajectory,
    dataset_of_solution,
    initial_state,
    require_unreserved_names,
    save_or_raise,
    solution_times,
    solve_trajectory,
)

if TYPE_CHECKING:
    from slrsym.models.training.equation_system import EquationSystem
    from slrsym.models.training.runs import Runs

Array = NDArray[np.float64]


def solve_fluctuations(
    equations: EquationSystem,
    values: Mapping[Any, Any],
    start: Any,
    time: float,
    *,
    leading: bool,
    points: int,
    tolerance: float,
    rng: Any,
    path: str | Path | None,
) -> Runs:
    """Solve equations of motion from one start, with the covariance of runs at a given d."""
    time, tolerance = require_positive("time", time), require_positive("tolerance", tolerance)
    points = require_integer("points", points, 2)
    require_unreserved_names(equations, ())
    if path is not None:
        require_writable(path)
    by_name = {str(name): value for name, value in values.items()}
    if "d" not in by_name:
        raise ValueError(
            "values must have a number for d, on which fluctuations depend; got "
            f"{', '.join(by_name) or 'none'}"
        )
    d = require_integer("d", by_name["d"], 2)
    rates = _Rates(equations, leading)
    known = "d" in map(str, equations.parameters) or isinstance(start, str)
    rest = values if known else {k: v for k, v in values.items() if str(k) != "d"}
    state, row, gram = initial_state(equations, rest, start, rng)
    size, names = len(state), [p.name for p in equations.state]
    pairs = [f"covariance of {x} and {y}" for x in names for y in names]
    found = solve_trajectory(
        rates, equations.kind, [*names, *pairs], np.concatenate([state, np.zeros(size**2)]), row,
        solution_times(equations.kind, time, points), tolerance,
    )  # fmt: skip
    states = found.states[:, :size]
    covariance = found.states[:, size:].reshape(-1, size, size) / d
    # The risk, to first order in the order parameters.
    slopes = rates.risk_slopes(states, *row)
    with_risk = np.concatenate([np.broadcast_to(np.eye(size), covariance.shape), slopes], axis=1)
    covariance = with_risk @ covariance @ np.swapaxes(with_risk, -1, -2)
    runs = dataset_of_solution(
        equations, Trajectory(found.times, states, found.problem), row, gram,
        {"tolerance": tolerance, "d": d, "backend": "numpy"},
        {"covariance": (("time", "quantity", "other_quantity"), covariance)},
        {dimension: [*names, "risk"] for dimension in ("quantity", "other_quantity")},
    )  # fmt: skip
    return save_or_raise(equations, found, runs, time, path)


class _Rates:
    """The rate of change of a state, and of d times its covariance over runs, as one vector."""

    def __init__(self, equations: EquationSystem, leading: bool) -> None:
        self._size = len(equations.state)
        self._change = equations.compile("numpy")
        self._slopes = equations.compile("numpy", "jacobian")
        self._diffusion = equations.compile(
            "numpy", "leading_diffusion" if leading else "diffusion"
        )
        changes = equations._changes
        slopes = [total_derivative(changes.risk, p, changes.samples) for p in equations.state]
        self._risk_slopes = equations._table_of(slopes).compile("numpy")

    def __call__(self, whole: Array, *row: float) -> Array:
        size = self._size
        state, covariance = whole[:size], whole[size:].reshape(size, size)
        moved = self._slopes(state, *row).reshape(size, size) @ covariance
        spread = self._diffusion(state, *row).reshape(size, size)
        change = self._change(state, *row)
        return np.concatenate([change, (moved + moved.T + spread).ravel()])

    def risk_slopes(self, states: Array, *row: float) -> Array:
        """Return the gradient of the risk at each state, shape (count, 1, n)."""
        found: Array = self._risk_slopes(states, *row)
        return found[:, None]
