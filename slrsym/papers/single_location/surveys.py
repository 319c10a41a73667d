r"""Recipes of figures 3 and 6 and of the basins: data on grids, not along recorded runs.

The copy of the paper that this was written from has lost the settings of figures 3 and 6. Those
below are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
import xarray as xr
from numpy.typing import NDArray

from slrsym.files import SaveableComputation
from slrsym.papers.single_location.dynamics import simulate
from slrsym.papers.single_location.linear import best_linear
from slrsym.papers.single_location.paper_risk import excess_risk, gradient, hessian
from slrsym.papers.single_location.sampled_risk import Erf, Linear, risk_estimate
from slrsym.papers.single_location.task import ORACLE, Task

__all__ = ["BasinSurvey", "OracleSurvey", "SquareSurvey", "best_inverse_temperature"]


_TASK = Task(d=400, L=10, gamma=0.5**0.5)

# The solutions of equation (14), by Proposition 9.
_FIXED_POINTS = np.array([(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)])

# Of the orbits that are drawn, each with its mirror image.
_STARTS = ((-0.9, 0.97), (-0.97, 0.6), (-0.6, 0.9), (-0.75, 0.2), (-0.15, 0.8), (0.25, -0.2))


def best_inverse_temperature(task: Task) -> float:
    """Return the inverse temperature at which the oracle predictor has the least risk.

    Parameters
    ----------
    task : Task

    Returns
    -------
    float

    Examples
    --------
    >>> round(best_inverse_temperature(Task(d=400, L=10, gamma=0.5**0.5)), 3)
    0.064
    """

    def risk_at(log_lam: float) -> float:
        return float(excess_risk(ORACLE, np.exp(log_lam), task))

    # Coarsely first: the search that follows finds a minimum, not the least one.
    grid = np.linspace(np.log(1e-6), np.log(1e2), 200)
    best = int(np.argmin([risk_at(x) for x in grid]))
    around = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
    return float(np.exp(scipy.optimize.minimize_scalar(risk_at, bounds=around, method="bounded").x))


@dataclass(frozen=True)
class OracleSurvey(SaveableComputation):
    r"""Recipe of figure 3: risks of the oracle and of the best linear predictor, by dimension d.

    Locations are uniform. For each d the inverse temperature is the best one: where d is large it
    falls, while :math:`\lambda\sqrt d` grows, as Corollary 2 asks for. The paper's own range of d
    and choice of :math:`\lambda` are lost; these are ours, and so are L and :math:`\varepsilon`.

    The data are ``oracle``, ``linear``, ``lam`` over ``d``; ``oracle_estimate``, ``oracle_error``,
    ``linear_estimate``, ``linear_error`` over ``d_sampled``, errors being standard errors.

    Parameters
    ----------
    exact : tuple of int
        At which d the risks are computed.
    sampled : tuple of int
        At which d they are estimated, too.
    L : int
        Number of tokens.
    gamma, epsilon : float
        Standard deviations of the informative token and of the noise.
    samples : int
        How many, for each estimate.
    seed : int
        Of the random numbers.
    """

    exact: tuple[int, ...] = tuple(np.geomspace(10, 1e5, 61).round().astype(int).tolist())
    sampled: tuple[int, ...] = (10, 32, 100, 316, 1000, 3162, 10_000, 31_623, 100_000)
    L: int = 10
    gamma: float = 0.5**0.5
    epsilon: float = 0.1
    samples: int = 1000
    seed: int = 0

    @property
    def settings(self) -> dict[str, Any]:
        """The survey's parameters by name, on which its data depend, saved as their attributes."""
        return {
            "survey": "oracle and linear risk",
            "d_exact": list(self.exact),
            "d_sampled": list(self.sampled),
            "L": self.L,
            "gamma": self.gamma,
            "epsilon": self.epsilon,
            "samples": self.samples,
            "seed": self.seed,
        }

    def compute_data(self) -> xr.Dataset:
        """Compute exact and sampled risks of the oracle and the best linear predictor by d."""
        risks = [self._risks(d) for d in self.exact]
        estimates = [self._estimated(d, i) for i, d in enumerate(self.sampled)]
        names = ("oracle_estimate", "oracle_error", "linear_estimate", "linear_error")
        variables = {
            name: ("d", column)
            for name, column in zip(("oracle", "linear", "lam"), np.transpose(risks), strict=True)
        } | {
            name: ("d_sampled", column)
            for name, column in zip(names, np.transpose(estimates), strict=True)
        }
        coordinates = {"d": list(self.exact), "d_sampled": list(self.sampled)}
        return xr.Dataset(variables, coordinates, self.settings)

    def _task(self, d: int) -> Task:
        return Task(d, self.L, self.gamma, self.epsilon)

    def _risks(self, d: int) -> tuple[float, float, float]:
        task = self._task(d)
        lam = best_inverse_temperature(task)
        oracle = float(excess_risk(ORACLE, lam, task)) + task.epsilon**2
        return oracle, best_linear(task).risk, lam

    def _estimated(self, d: int, number: int) -> tuple[float, float, float, float]:
        task = self._task(d)
        # Neighbouring points share no random numbers, nor do the two predictors.
        attention, linear = np.random.SeedSequence([self.seed, number]).generate_state(2).tolist()
        lam = best_inverse_temperature(task)
        estimates = (
            risk_estimate(predictor, task, ORACLE, samples=self.samples, rng=seed)
            for predictor, seed in ((Erf(lam), attention), (Linear(), linear))
        )
        first, second = ((found.value, found.stderr) for found in estimates)
        return (*first, *second)


@dataclass(frozen=True)
class SquareSurvey(SaveableComputation):
    r"""Recipe of figure 6: risk, descent field, fixed points and orbits on the square.

    The setting is that of figure 4b. The paper's own is lost. The data are ``risk`` and the field
    ``flow_kappa, flow_nu`` over ``kappa, nu``, where the field is
    :math:`-(R_\kappa (1-\kappa^2), R_\nu (1-\nu^2))`; ``fixed_kappa, fixed_nu`` and
    ``fixed_kind``, a minimum, maximum or saddle, over ``fixed``; ``orbit_kappa, orbit_nu`` over
    ``orbit, time``; and ``separatrix_kappa, separatrix_nu`` over ``between``, the line of starts
    from which descent goes to the saddle.

    Parameters
    ----------
    task : Task
        Dimension, number of tokens, gamma, epsilon.
    lam : float
        Inverse temperature.
    points : int
        How many values of kappa, and of nu, the grid has.
    alpha : float
        Step size of the orbits that are drawn.
    """

    task: Task = _TASK
    lam: float = 0.1
    points: int = 161
    alpha: float = 0.02

    @property
    def settings(self) -> dict[str, Any]:
        """The survey's parameters by name, on which its data depend, saved as their attributes."""
        numbers = {name: getattr(self.task, name) for name in ("d", "L", "gamma", "epsilon")}
        own = {"lam": self.lam, "points": self.points, "alpha": self.alpha}
        return {"survey": "square", **numbers, **own}

    def compute_data(self) -> xr.Dataset:
        """Compute risk, gradient flow, fixed points, orbits, and separatrix on the square."""
        return self.compute_field_data().assign(self._orbits()).assign(self._separatrix())

    def compute_field_data(self) -> xr.Dataset:
        """Compute only risk, descent vector field and fixed points on the square, which is fast."""
        axis = np.linspace(-1, 1, self.points)
        grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
        flow = self._flow(grid)
        states = _on_manifold(grid)
        risk = excess_risk(states, self.lam, self.task) + self.task.epsilon**2
        return xr.Dataset(
            {
                "risk": (("kappa", "nu"), risk),
                "flow_kappa": (("kappa", "nu"), flow[..., 0]),
                "flow_nu": (("kappa", "nu"), flow[..., 1]),
                "fixed_kappa": ("fixed", _FIXED_POINTS[:, 0]),
                "fixed_nu": ("fixed", _FIXED_POINTS[:, 1]),
                "fixed_kind": ("fixed", np.array([self._kind(point) for point in _FIXED_POINTS])),
            },
            {"kappa": axis, "nu": axis},
            self.settings,
        )

    def _walked(self, starts: Any, steps: int, every: int) -> xr.Dataset:
        return simulate(self.task, starts, self.lam, self.alpha, steps, every, progress=False)

    def _patience(self, distance: float) -> int:
        """Return how many steps descent needs to leave the saddle from a given distance."""
        slopes = hessian(np.zeros(5), self.lam, self.task)[:2, :2]
        growth = max(-float(np.linalg.eigvalsh(slopes)[0]) * self.alpha, 1e-4)
        return int(1.5 * np.log(1 / distance) / np.log1p(growth)) + 100

    def _orbits(self) -> dict[str, Any]:
        starts = np.array(_STARTS)
        steps = self._patience(0.01)
        runs = self._walked(np.concatenate([starts, -starts]), steps, max(1, steps // 400))
        return {f"orbit_{name}": (("orbit", "time"), runs[name].values) for name in ("kappa", "nu")}

    def _separatrix(self) -> dict[str, Any]:
        """Find the separatrix by bisection, between starts that end at (1, 1) and at (-1, -1)."""
        kappa = -np.cos(np.linspace(0, np.pi / 2, 41))[1:-1]
        low, high = np.zeros_like(kappa), np.ones_like(kappa)
        steps = self._patience(1e-5)
        for _ in range(18):
            middle = (low + high) / 2
            ends = self._walked(np.stack([kappa, middle], axis=1), steps, max(1, steps))
            above = ends.kappa.values[:, -1] + ends.nu.values[:, -1] > 0
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        # From a maximum to the saddle; the other half is its mirror image.
        x, y = np.append(-1.0, kappa), np.append(1.0, (low + high) / 2)
        x, y = (np.concatenate([half, [0.0], -half[::-1]]) for half in (x, y))
        return {"separatrix_kappa": ("between", x), "separatrix_nu": ("between", y)}

    def _flow(self, grid: NDArray[np.float64]) -> NDArray[np.float64]:
        slopes = gradient(_on_manifold(grid), self.lam, self.task)[..., :2]
        return np.asarray(-slopes * (1 - grid**2))

    def _kind(self, point: NDArray[np.float64]) -> str:
        """Return the kind of a fixed point of the square: minimum, maximum or saddle."""
        state = _on_manifold(point)
        if np.any(point):
            # At a corner, by the slopes along the two edges that leave it.
            rises = -point * gradient(state, self.lam, self.task)[:2] > 0
        else:
            rises = np.linalg.eigvalsh(hessian(state, self.lam, self.task)[:2, :2]) > 0
        if rises.all():
            return "minimum"
        return "saddle" if rises.any() else "maximum"


@dataclass(frozen=True)
class BasinSurvey(SquareSurvey):
    """Recipe of the basins of descent on the square, with the end and arrival of each start.

    The data are those of `SquareSurvey`; over ``kappa, nu`` also ``end``, 1 or -1 for the two
    minima, and ``arrival``, after how many steps both overlaps are half way there; 0 and NaN for
    starts from which they are not, such as the other fixed points.

    Parameters
    ----------
    task : Task
        Dimension, number of tokens, gamma, epsilon.
    lam : float
        Inverse temperature.
    points : int
        How many values of kappa, and of nu, runs start from.
    alpha : float
        Step size.
    """

    points: int = 129

    @property
    def settings(self) -> dict[str, Any]:
        """The survey's parameters by name, on which its data depend, saved as their attributes."""
        return super().settings | {"survey": "basins"}

    def compute_data(self) -> xr.Dataset:
        """Compute the square's data, with end and arrival step of descent from each grid point."""
        data = super().compute_data()
        grid = np.stack(np.meshgrid(data.kappa, data.nu, indexing="ij"), axis=-1)
        steps = self._patience(1e-3)
        runs = self._walked(grid.reshape(-1, 2), steps, max(1, steps // 240))
        less = np.minimum(abs(runs.kappa), abs(runs.nu)).values > 0.5
        there = less & (runs.kappa.values * runs.nu.values > 0)
        end = np.where(there[:, -1], np.sign(runs.kappa.values[:, -1]), 0)
        arrival = np.where(there[:, -1], runs.step.values[there.argmax(axis=1)], np.nan)
        shape = (self.points, self.points)
        found = {"end": end.astype(np.int8), "arrival": arrival}
        over = {name: (("kappa", "nu"), values.reshape(shape)) for name, values in found.items()}
        return data.assign(over)


def _on_manifold(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([points, np.zeros((*points.shape[:-1], 3))], axis=-1)
