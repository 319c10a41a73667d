r"""Figure 9: several erf heads, equation (31), on several informative tokens.

Runs of the model `multi_head`, from the same starts: on batches of sampled tokens, exactly in law,
and on the exact risk. A state has the heads in coordinates of the span of all
:math:`k_h, v_h, k^\star_i, v^\star_i`, of which q = 2(n + H) are enough, whatever d.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.kernels.compile import choose_backend
from slrsym.models.training.spheres import Spheres
from slrsym.papers.single_location.transformers.layer import (
    MultipleLocation,
    Real,
    ResumableRuns,
    random_stream,
)

_Array = NDArray[np.float64]

# NumPy takes about so many steps of two heads while machine code is compiled.
_COMPILES = 5000

_SPHERES = Spheres()


@dataclass(frozen=True)
class HeadRuns(ResumableRuns):
    r"""Recipe of figure 9: descent of erf heads on samples and on the exact risk, same starts.

    The inverse temperature is :math:`\lambda_0 / (1 + c t)` until step `held`, and then constant.

    Parameters
    ----------
    task : MultipleLocation
    heads : int
    lam0, rate : float
        Of the inverse temperature.
    held : int
        From which step on it is constant.
    alpha : float
        Step size.
    batch : int
        How many sequences a step of the runs from samples draws.
    steps, every : int
        How many steps, and after how many the runs are logged.
    starts : int
        How many uniform starts; each has two runs, first all those from samples.
    seed : int, optional
        Of the random numbers.

    Raises
    ------
    ValueError
        If a number is out of its range, or d is less than 2 n + 2 H, the number of directions.
    """

    task: MultipleLocation
    heads: int
    lam0: float
    rate: float
    held: int
    alpha: float
    batch: int
    steps: int
    every: int
    starts: int
    seed: int = 0

    # Names that parameters have in other recipes of runs.
    also_called = MappingProxyType({"runs": "starts", "lam": "lam0"})
    _runs_of = "erf heads"
    _rows = 20
    _together = 1000

    def __post_init__(self) -> None:
        for name in ("lam0", "alpha"):
            object.__setattr__(self, name, require_positive(name, getattr(self, name)))
        for name in ("heads", "batch", "steps", "every", "starts", "held", "seed"):
            least = 0 if name in ("steps", "held", "seed") else 1
            object.__setattr__(self, name, require_integer(name, getattr(self, name), least))
        if not 0 <= self.rate < np.inf:
            raise ValueError(f"rate must be finite and not negative; got {self.rate}")
        least = 2 * (self.task.n + self.heads)
        if self.task.task.d < least:
            raise ValueError(f"d must be at least 2 n + 2 H = {least}; got {self.task.task.d}")

    @property
    def runs(self) -> int:  # type: ignore[override]
        """The number of runs, two for each start."""
        return 2 * self.starts

    def _temperature(self, step: int) -> float:
        return self.lam0 / (1 + self.rate * min(step, self.held))

    def _start(self, run: int) -> tuple[_Array, _Array]:
        """Draw uniform heads and true directions, in coordinates of a common frame."""
        n, heads, d = self.task.n, self.heads, self.task.task.d
        rng = random_stream(self.seed, run % self.starts, 0)
        q = 2 * (n + heads)
        # Rows of a normal matrix in the frame of their own Gram and Schmidt.
        rows = np.tril(rng.standard_normal((q, q)), -1)
        rows[np.diag_indices(q)] = np.sqrt(rng.chisquare(d - np.arange(q)))
        k_stars = _SPHERES.normalise(rows[:n])
        v_stars = _SPHERES.normalise(_SPHERES.project(k_stars, rows[n : 2 * n]))
        return _SPHERES.normalise(rows[2 * n :]), np.vstack([k_stars, v_stars])

    def _begin(self, runs: list[int]) -> Real:
        return np.stack([self._start(run)[0].ravel() for run in runs])

    def _blank(self) -> dict[str, tuple[tuple[str, ...], Real]]:
        rows, both = (self.runs, len(self._logged)), (self.heads, self.task.n)
        names = ("kappa", "nu", "theta", "eta")
        blank: dict[str, tuple[tuple[str, ...], Real]] = {
            name: (("run", "step", "head", "star"), np.full((*rows, *both), np.nan))
            for name in names
        }
        blank["excess_risk"] = (("run", "step"), np.full(rows, np.nan))
        blank["sampled"] = (("run",), (np.arange(self.runs) < self.starts).astype(np.int8))
        return blank

    def _walk(self, runs: list[int], states: Real, first: int, stop: int) -> tuple[Real, Any]:
        students = np.array(states, dtype=float).reshape(len(runs), 2 * self.heads, -1)
        stars = np.stack([self._start(run)[1] for run in runs])
        ends = [0, *self._logged.tolist()]
        descent = HeadsDescent(self, runs, np.concatenate([students, stars], axis=1), ends[first])
        risks, overlaps = [], []
        for begin, end in pairwise(ends[first : stop + 1]):
            students = descent.advance([self._temperature(t) for t in range(begin, end)])
            risks.append(descent.excess_risks(self._temperature(end)))
            overlaps.append(students @ stars.transpose(0, 2, 1))
        found, heads, n = np.stack(overlaps, axis=1), self.heads, self.task.n
        k, v = found[:, :, :heads], found[:, :, heads:]
        parts = {"kappa": k[..., :n], "eta": k[..., n:], "theta": v[..., :n], "nu": v[..., n:]}
        return students.reshape(len(runs), -1), {"excess_risk": np.stack(risks, axis=1), **parts}


class HeadsDescent:
    """Descent of heads on batches and on the risk, by the model that states their law.

    Parameters
    ----------
    recipe : HeadRuns
    runs : list of int
        Each run on batches has random numbers of its own.
    vectors : ndarray, shape (runs, q, q)
        Heads and true directions, which are along the first axes.
    step : int
        The step that the heads belong to.
    """

    def __init__(self, recipe: HeadRuns, runs: list[int], vectors: _Array, step: int) -> None:
        # What is kept of figure 9 is found without.
        from slrsym.models.sampling.batch_descent import BatchEngine
        from slrsym.models.training.parameter_values import fixed_inner_products
        from slrsym.models.training.simulation import DescentEngine
        from slrsym.papers.single_location.models import multi_head

        several, task = recipe.task, recipe.task.task
        stated = multi_head(recipe.heads, several.n, int(several.shared))
        self._model = model = stated.model
        given = [*stated.k, *stated.v, *stated.k_star, *stated.v_star]
        self._factor = vectors[:, None, [given.index(x) for x in model.directions]]
        self._trained = [model.directions.index(x) for x in given[: 2 * recipe.heads]]
        numbers = {"gamma": task.gamma, "d": task.d, "L": task.L, "epsilon": task.epsilon}
        # The risk depends on inner products of true directions, of each run its own; the gradient
        # does not.
        gram = np.sum(self._factor[:, 0, :, None] * self._factor[:, 0, None], axis=-1)
        between = {str(p): gram[:, i, j] for p, (i, j, _) in fixed_inner_products(model)}
        names = [p.name for p in model.parameters]
        self._columns = [numbers.get(name, between.get(name, 0.0)) for name in names]
        self._row = np.array([float(numbers.get(name, 0.0)) for name in names])
        self._varying = names.index("lambda")
        self._excess = model.compiled("numpy", "excess_risk")
        # The same for all pieces of the runs.
        backend = choose_backend("auto") if recipe.steps >= _COMPILES else "numpy"
        sampled = np.array(runs) < recipe.starts
        self._engines: list[tuple[NDArray[np.bool_], Any]] = []
        if sampled.any():
            labels = np.array(runs)[sampled].tolist()
            batches = BatchEngine(
                model, self._factor[sampled], self._row, numbers, [task.d], recipe.alpha,
                recipe.batch, recipe.seed, backend, step, labels,
            )  # fmt: skip
            self._engines.append((sampled, batches))
        if not sampled.all():
            exact = DescentEngine(model, self._factor[~sampled], recipe.alpha, backend)
            self._engines.append((~sampled, exact))

    def advance(self, inverse_temperatures: list[float]) -> _Array:
        """Take a step at each inverse temperature; return the heads, shape (runs, 2 heads, q)."""
        if inverse_temperatures:
            rows = np.tile(self._row, (len(inverse_temperatures), 1))
            rows[:, self._varying] = inverse_temperatures
            for some, engine in self._engines:
                self._factor[some] = engine.advance(rows, len(rows))[-1]
        return self._factor[:, 0, self._trained]

    def excess_risks(self, inverse_temperature: float) -> _Array:
        """Return the excess risk of each run, shape (runs,)."""
        columns = [*self._columns]
        columns[self._varying] = inverse_temperature
        state = self._model.flow.order_parameters_of_gram_factor(self._factor)
        return np.asarray(self._excess(state, *columns)[..., 0])
