"""Figures 8 and 10: a Transformer layer trained by one-pass stochastic gradient descent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
import xarray as xr

from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.kernels.machine_limits import require_memory
from slrsym.papers.single_location.transformers.layer import (
    Layer,
    MultipleLocation,
    Real,
    ResumableRuns,
    random_stream,
)


@dataclass(frozen=True)
class LayerRuns(ResumableRuns):
    """Recipe of figures 8 and 10: training runs of a Transformer layer on fresh sequences.

    Parameters
    ----------
    task : MultipleLocation
    heads, width : int
        How many heads, whose rank is d / heads, and how many hidden units.
    alpha : float
        Step size.
    batch : int
        How many sequences a step draws.
    steps, every : int
        How many steps, and after how many the run is logged.
    runs : int
    seed : int, optional
        Of the random numbers.
    test : int, optional
        How many sequences, drawn once a run, the risk is estimated from.

    Raises
    ------
    ValueError
        If a number is out of its range, or d is not a multiple of the number of heads.
    """

    task: MultipleLocation
    heads: int
    width: int
    alpha: float
    batch: int
    steps: int
    every: int
    runs: int
    seed: int = 0
    test: int = 1000

    _runs_of = "a Transformer layer"
    _rows = 5
    _together = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", require_positive("alpha", self.alpha))
        least = {"steps": 0, "seed": 0}
        for name in ("heads", "width", "batch", "steps", "every", "runs", "seed", "test"):
            object.__setattr__(
                self, name, require_integer(name, getattr(self, name), least.get(name, 1))
            )
        if self.task.task.d % self.heads:
            d = self.task.task.d
            raise ValueError(f"d must be a multiple of heads = {self.heads}; got {d}")
        d, tokens = self.task.task.d, self.task.task.L + 1
        # Weights and their gradients; tokens, what is made of them, and the gradients of these.
        size = 8 * (4 * d * d + 2 * d * self.width)
        size += 4 * max(self.batch, self.test) * tokens * (10 * d + 2 * self.width)
        require_memory(f"d = {d:,} with batch = {self.batch:,}", size)

    def _layer(self, run: int) -> Layer:
        rng, d = random_stream(self.seed, run, 0), self.task.task.d
        return Layer.draw_initial_weights(rng, d, self.heads, self.width, np.float32)

    def _begin(self, runs: list[int]) -> Real:
        return np.stack([_flat(self._layer(run)) for run in runs])

    def _blank(self) -> dict[str, tuple[tuple[str, ...], Real]]:
        rows = (self.runs, len(self._logged))
        heads, n = self.heads, self.task.n
        shapes: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
            "excess_risk": ((), ()),
            "kappa": (("head", "star"), (heads, n)),
            "nu": (("head", "star"), (heads, n)),
            "ratio": (("head",), (heads,)),
        }
        return {
            name: (("run", "step", *dims), np.full((*rows, *shape), np.nan, np.float32))
            for name, (dims, shape) in shapes.items()
        }

    def _walk(self, runs: list[int], states: Real, first: int, stop: int) -> tuple[Real, Any]:
        walked = [
            self._walk_one(run, state, first, stop) for run, state in zip(runs, states, strict=True)
        ]
        values = {name: np.stack([v[name] for _, v in walked]) for name in walked[0][1]}
        return np.stack([state for state, _ in walked]), values

    def _walk_one(self, run: int, state: Real, first: int, stop: int) -> tuple[Real, Any]:
        task, alpha = self.task, np.float32(self.alpha)
        rng = random_stream(self.seed, run, 1)
        k_star, v_star = (x.astype(np.float32) for x in task.draw_stars(rng))
        seen, wanted = task.draw(rng, k_star, v_star, self.test)
        layer = _shaped(self._layer(run), state)
        rows: dict[str, list[Any]] = {"excess_risk": [], "kappa": [], "nu": [], "ratio": []}
        for row in range(first, stop):
            # Fresh random numbers for each row.
            rng = random_stream(self.seed, run, 2, row)
            for _ in range(self._logged[row] - self._logged[row - 1] if row else 0):
                X, y = task.draw(rng, k_star, v_star, self.batch)
                slopes = layer.gradient(X, y)
                for name, weights in layer:
                    weights -= alpha * slopes[name]
            k, ratio = layer.score_directions_and_ratios()
            error = np.square(layer.predict(seen) - wanted).mean(dtype=np.float64)
            rows["excess_risk"].append(error - task.task.epsilon**2)
            rows["kappa"].append(k @ k_star.T)
            rows["nu"].append(layer.value_directions() @ v_star.T)
            rows["ratio"].append(ratio)
        return _flat(layer), {name: np.array(x) for name, x in rows.items()}


def _flat(layer: Layer) -> Real:
    return np.concatenate([weights.ravel() for _, weights in layer])


def _shaped(like: Layer, state: Real) -> Layer:
    """Return a layer with weights from a flat state vector."""
    names, weights = zip(*like, strict=True)
    parts = np.split(state, np.cumsum([w.size for w in weights])[:-1])
    shaped = (part.reshape(w.shape).copy() for part, w in zip(parts, weights, strict=True))
    return replace(like, **dict(zip(names, shaped, strict=True)))


def overlaps_with_matched_stars(data: xr.Dataset) -> xr.Dataset:
    """Return each head's overlaps with the pair of true directions assigned to it at the end.

    Parameters
    ----------
    data : Dataset
        With overlaps over ``run, step, head, star``, as `LayerRuns` and `HeadRuns` make them.

    Returns
    -------
    Dataset
        The overlaps with the matched star alone. The best matching has the largest sum of the
        absolute values of all of them.
    """
    overlaps = data[[name for name, x in data.items() if "star" in x.dims]]
    last = abs(overlaps).isel(step=-1).to_array().sum("variable").transpose("run", "head", "star")
    order = np.array(
        [scipy.optimize.linear_sum_assignment(-x)[1] for x in np.nan_to_num(last.values)]
    )
    heads = np.arange(order.shape[1])
    star = xr.DataArray(order, dims=("run", "head"))
    return overlaps.isel(head=xr.DataArray(heads, dims="head"), star=star)
