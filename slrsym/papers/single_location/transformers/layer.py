r"""One Transformer layer (29), the task with several informative tokens, and resumable runs.

With :math:`N = \mathrm{LayerNorm}([\mathrm{reg}; X])` and heads :math:`h = 1, \dots, H`,

.. math::
    A_h &= \mathrm{softmax}\bigl( (N W_{K,h}^\top)(W_{Q,h} N^\top) / \sqrt r \bigr), \\
    Z &= [\mathrm{reg}; X] + [A_1 N W_{V,1}, \dots, A_H N W_{V,H}]\, W_O, \\
    T(X) &= \theta \cdot \bigl( z + W_2\, \mathrm{ReLU}(W_1 z + b_1) + b_2 \bigr),

where z is the first row of Z, so that of A only the first row matters. LayerNorm has no parameters;
reg is not trained; with one head :math:`W_O` is the identity, and not trained. The task is that of
equation (30): the output depends on n tokens in place of one.

Runs are made in pieces over processes, so that they can be interrupted, saved, and gone on with. A
piece is some rows of the log for some runs. Every row has random numbers of its own, so that runs
are the same, to the last bit, however they were cut, and however many stand beside them.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import DTypeLike, NDArray

from slrsym.files import SaveableComputation, require_writable
from slrsym.jobs import Jobs, iterate_results, show_progress
from slrsym.kernels.arguments import require_integer
from slrsym.kernels.machine_limits import count_cores
from slrsym.papers.single_location.task import Task, task_settings

# Added to standard deviations.
_LEAST = 1e-5


def _normalised(X: Real) -> Real:
    """Return LayerNorm of the tokens, without trained parameters."""
    centred = X - X.mean(axis=-1, keepdims=True)
    deviation = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True))
    centred /= deviation + centred.dtype.type(_LEAST)
    return np.asarray(centred)


@dataclass(frozen=True)
class Layer:
    """The weights of a Transformer layer with H heads.

    Parameters
    ----------
    reg : ndarray, shape (d,)
        The register token.
    W_K, W_Q : ndarray, shape (H, r, d)
        Keys and queries.
    W_V : ndarray, shape (H, d, r)
        Values.
    W_O : ndarray, shape (H * r, d)
        What heads are put together by.
    W_1, W_2 : ndarray, shapes (m, d) and (d, m)
        Of the multilayer perceptron.
    b_1, b_2 : ndarray, shapes (m,) and (d,)
    theta : ndarray, shape (d,)
        The read-out.
    """

    reg: Real
    W_K: Real
    W_Q: Real
    W_V: Real
    W_O: Real
    W_1: Real
    W_2: Real
    b_1: Real
    b_2: Real
    theta: Real

    @classmethod
    def draw_initial_weights(
        cls, rng: Generator, d: int, heads: int, width: int, dtype: DTypeLike = np.float64
    ) -> Layer:
        """Draw the random initial weights of a Transformer layer, and return the layer.

        Entries are centred and normal, with variance 2/(rows + columns), but 1/d of reg and of
        `W_O`, and 1/d^2 of theta; queries and biases are zero. With one head, whose values are
        square, this is also 1/d for `W_V`.

        Parameters
        ----------
        rng : Generator
        d, heads, width : int
            Dimension, a multiple of the number of heads, that number, and how many hidden units.
        dtype : dtype, optional
            Single or double precision.

        Returns
        -------
        Layer

        Raises
        ------
        ValueError
            If d is not a multiple of the number of heads.
        """
        if d % heads:
            raise ValueError(f"d must be a multiple of heads = {heads}; got {d}")
        r, m = d // heads, width

        def normal(variance: float, *shape: int) -> Real:
            return np.asarray(np.sqrt(variance) * rng.standard_normal(shape), dtype)

        return cls(
            reg=normal(1 / d, d),
            W_K=normal(2 / (r + d), heads, r, d),
            W_Q=np.zeros((heads, r, d), dtype),
            W_V=normal(2 / (r + d), heads, d, r),
            W_O=np.eye(d, dtype=dtype) if heads == 1 else normal(1 / d, d, d),
            W_1=normal(2 / (m + d), m, d),
            W_2=normal(2 / (m + d), d, m),
            b_1=np.zeros(m, dtype),
            b_2=np.zeros(d, dtype),
            theta=normal(1 / d**2, d),
        )

    def __iter__(self) -> Iterator[tuple[str, Real]]:
        """Yield the name and value of each trained weight."""
        for field in fields(self):
            if field.name != "reg" and (field.name != "W_O" or len(self.W_K) > 1):
                yield field.name, getattr(self, field.name)

    def predict(self, X: Real) -> Real:
        """Return the outputs of the layer on sequences.

        Parameters
        ----------
        X : ndarray, shape (count, L, d)

        Returns
        -------
        ndarray of shape (count,)
        """
        return _Pass(self, X).output

    def gradient(self, X: Real, y: Real) -> dict[str, Real]:
        """Return the gradient of the mean squared error in each weight.

        Parameters
        ----------
        X : ndarray, shape (count, L, d)
        y : ndarray, shape (count,)

        Returns
        -------
        dict of str to ndarray
            For each weight that is trained an array of its shape.
        """
        return _Pass(self, X).backward(y)

    def score_directions_and_ratios(self) -> tuple[Real, Real]:
        """Return each head's leading direction of scores, and its second to first singular value.

        Returns
        -------
        k : ndarray of shape (H, d)
            The first right singular vector of the product of W_K transposed and W_Q; its sign means
            nothing. It is undefined, and NaN, where queries are zero.
        ratio : ndarray of shape (H,)
            The second singular value over the first.
        """
        k = np.full((len(self.W_K), self.W_K.shape[2]), np.nan)
        ratio = np.full(len(k), np.nan)
        for h, (W_K, W_Q) in enumerate(zip(self.W_K, self.W_Q, strict=True)):
            if W_Q.any():
                _, values, right = np.linalg.svd(W_K.T.astype(float) @ W_Q)
                k[h], ratio[h] = right[0], values[1] / values[0]
        return k, ratio

    def value_directions(self) -> Real:
        """Return each head's linear map from a selected token to the output, as a unit vector.

        Returns
        -------
        ndarray of shape (H, d)
            The unit vector of theta (I + W_2 W_1) (W_V W_O)^T for each head, with its block of W_O.
        """
        read = self.theta + self.theta @ self.W_2 @ self.W_1
        blocks = self.W_O.reshape(len(self.W_V), -1, self.W_O.shape[1])
        v = np.einsum("d,hrd,her->he", read, blocks, self.W_V)
        return np.asarray(v / np.linalg.norm(v, axis=1, keepdims=True))


class _Pass:
    """The forward pass of the layer on some sequences, with all values for backpropagation."""

    def __init__(self, layer: Layer, X: Real) -> None:
        self.layer = layer
        heads, r, d = layer.W_K.shape
        self.root = X.dtype.type(np.sqrt(r))
        self.N = np.empty((len(X), X.shape[1] + 1, d), X.dtype)
        self.N[:, 0] = self.n = _normalised(layer.reg)
        self.N[:, 1:] = _normalised(X)
        # The first row of scores: keys of the register token against queries of all.
        self.keys = layer.W_K @ self.n
        self.u = np.einsum("hrd,hr->hd", layer.W_Q, self.keys) / self.root
        scores = self.N @ self.u.T
        scores -= scores.max(axis=1, keepdims=True)
        self.A = np.exp(scores)
        self.A /= self.A.sum(axis=1, keepdims=True)
        self.selected = self.A.transpose(0, 2, 1) @ self.N
        values = [self.selected[:, h] @ layer.W_V[h] for h in range(heads)]
        self.values = np.concatenate(values, axis=1)
        self.z = layer.reg + (self.values if heads == 1 else self.values @ layer.W_O)
        self.hidden = self.z @ layer.W_1.T + layer.b_1
        self.active = np.maximum(self.hidden, 0)
        self.o = self.z + self.active @ layer.W_2.T + layer.b_2
        self.output = self.o @ layer.theta

    def backward(self, y: Real) -> dict[str, Real]:
        """Return the derivative of the mean squared error in each weight, by backpropagation."""
        layer, N, A = self.layer, self.N, self.A
        heads, r, d = layer.W_K.shape
        error = (2 / len(y) * (self.output - y)).astype(N.dtype)
        d_o = error[:, None] * layer.theta
        d_hidden = (d_o @ layer.W_2) * (self.hidden > 0)
        d_z = d_o + d_hidden @ layer.W_1
        gradient = {
            "theta": error @ self.o,
            "b_2": d_o.sum(axis=0),
            "W_2": d_o.T @ self.active,
            "b_1": d_hidden.sum(axis=0),
            "W_1": d_hidden.T @ self.z,
        }
        d_values = d_z
        if heads > 1:
            gradient["W_O"] = self.values.T @ d_z
            d_values = d_z @ layer.W_O.T
        d_values = d_values.reshape(-1, heads, r)
        gradient["W_V"] = np.stack([self.selected[:, h].T @ d_values[:, h] for h in range(heads)])
        d_selected = np.stack([d_values[:, h] @ layer.W_V[h].T for h in range(heads)], axis=2)
        d_A = N @ d_selected
        # Softmax: of a change of the weights what is left after its mean.
        d_scores = A * (d_A - (A * d_A).sum(axis=1, keepdims=True))
        d_u = d_scores.reshape(-1, heads).T @ N.reshape(-1, d) / self.root
        gradient["W_Q"] = self.keys[:, :, None] * d_u[:, None, :]
        gradient["W_K"] = np.einsum("hrd,hd->hr", layer.W_Q, d_u)[:, :, None] * self.n
        return gradient


# Matrices are too small to be shared between cores; BLAS tries, and is slower by far.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def random_stream(seed: int, run: int, *place: int) -> Generator:
    """Return the random generator of a run, for one purpose or log row."""
    return default_rng(SeedSequence(seed, spawn_key=(run, *place)))


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let processes that start within the block use one thread each."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def results_from_processes(jobs: Jobs, workers: int) -> Iterator[tuple[Any, Any]]:
    """Yield each job's name and result as it finishes, in other processes or in this one."""
    with _one_thread_each() if workers > 1 else nullcontext():
        yield from iterate_results(jobs, None, workers)


class ResumableRuns(SaveableComputation, ABC):
    """Base class of computations of runs that can be interrupted and resumed."""

    task: MultipleLocation
    runs: int
    steps: int
    every: int

    _runs_of: str
    # How many rows of the log a piece has, and how many runs at most.
    _rows: int
    _together: int

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters on which the runs depend, as attributes of the data."""
        of: Any = self
        numbers = {field.name: getattr(self, field.name) for field in fields(of)[1:]}
        return {"runs_of": self._runs_of, **self.task.settings, **numbers}

    @abstractmethod
    def _begin(self, runs: list[int]) -> Real:
        """Return the initial states of some runs, shape (runs, size)."""

    @abstractmethod
    def _walk(self, runs: list[int], states: Real, first: int, stop: int) -> tuple[Real, Any]:
        """Advance runs by the log rows from `first` to `stop`; return states and log.

        Returns the states there, and a dictionary of what is logged: arrays (runs, rows, ...).
        """

    @abstractmethod
    def _blank(self) -> dict[str, tuple[tuple[str, ...], Real]]:
        """Return the dimensions of each logged variable, with an array of NaN."""

    @property
    def _logged(self) -> Any:
        return np.append(np.arange(0, self.steps, self.every), self.steps)

    def compute(
        self,
        path: str | Path | None = None,
        progress: bool | None = None,
        workers: int | None = None,
    ) -> xr.Dataset:
        """Compute the runs, and save them to a path at the end and when interrupted.

        They are made by as many processes as there are cores, or with one worker in this one.
        """
        data = xr.Dataset(
            self._blank(),
            {"run": np.arange(self.runs, dtype=np.int32), "step": self._logged.astype(np.int32)},
            self.settings | {f"version_{name}": version(name) for name in ("slrsym", "numpy")},
        )
        data["rows"] = ("run", np.zeros(self.runs, dtype=np.int32))
        data["state"] = (("run", "weight"), self._begin(list(range(self.runs))))
        return self.complete(data.assign_attrs(seconds=0.0), path, progress, workers)

    def complete(
        self,
        data: xr.Dataset,
        path: str | Path | None = None,
        progress: bool | None = None,
        workers: int | None = None,
    ) -> xr.Dataset:
        """Complete interrupted runs and save them; return complete runs unchanged."""
        if "state" not in data:
            return data
        if path is not None:
            require_writable(path)
        data = data.copy(deep=True)
        logged = self._logged
        begin = time.perf_counter()
        try:
            left = self.steps * self.runs - int(logged[np.maximum(data.rows - 1, 0)].sum())
            with show_progress(progress, "steps", left) as shown:
                for runs, first, stop, states, values in self._pieces(data, workers):
                    for name, value in values.items():
                        data[name][runs, first:stop] = value
                    data["state"][runs], data["rows"][runs] = states, stop
                    shown(len(runs) * int(logged[stop - 1] - logged[max(first - 1, 0)]))
            data = data.drop_vars(["state", "rows"])
        finally:
            # What is complete is kept, whatever came in between.
            data.attrs["seconds"] += time.perf_counter() - begin
            self._kept(data, path)
        return data

    def _pieces(self, data: xr.Dataset, workers: int | None) -> Iterator[Any]:
        """Yield missing parts of the log as they are computed, with the states at their ends."""
        workers = workers or count_cores()
        rows, states = data.rows.values.copy(), data.state.values
        groups: list[list[int]] = []
        for row in np.unique(rows[rows < len(self._logged)]):
            same = np.flatnonzero(rows == row)
            parts = max(-(-len(same) // self._together), min(workers, len(same)))
            groups += [part.tolist() for part in np.array_split(same, parts)]

        def job(group: list[int], at: Real) -> Any:
            first = int(rows[group[0]])
            stop = min(first + self._rows, len(self._logged))
            return (group, first, stop), self._walk, (group, at, first, stop)

        jobs = deque(job(group, states[group]) for group in groups)
        for (group, first, stop), (at, values) in results_from_processes(
            jobs, min(workers, len(groups))
        ):
            rows[group] = stop
            if stop < len(self._logged):
                jobs.append(job(group, at))
            yield group, first, stop, at, values


# Of double precision, or of single where speed is what matters.
Real = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class MultipleLocation:
    r"""The task of regression with several informative tokens.

    Tokens :math:`X_{J_i} = \sqrt{d/2}\, k^\star_i + \gamma G_i` at n distinct locations are
    informative, the others are standard normal, and
    :math:`Y = \sum_i X_{J_i} \cdot v^\star_i + \xi`.

    Parameters
    ----------
    task : Task
        Dimension, number of tokens, gamma, epsilon.
    n : int, optional
        How many tokens are informative, from 1 to `task.L`.
    shared : bool, optional
        Whether the informative tokens have the same noise G, as in the paper's notebooks. Its text
        says that they are independent.

    Raises
    ------
    ValueError
        If `n` is not an integer from 1 to L.
    """

    task: Task
    n: int = 1
    shared: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", require_integer("n", self.n, 1))
        if self.n > self.task.L:
            raise ValueError(f"n must be at most L = {self.task.L}; got {self.n}")

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters of the task, as attributes of data."""
        noise = "shared" if self.shared else "independent"
        return {**task_settings(self.task), "task_n": self.n, "task_noise": noise}

    def draw_stars(self, rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        r"""Draw uniform true directions, each :math:`v^\star_i` orthogonal to :math:`k^\star_i`.

        Parameters
        ----------
        rng : Generator

        Returns
        -------
        k_star, v_star : ndarray, each of shape (n, d)
        """
        k, v = rng.standard_normal((2, self.n, self.task.d))
        k /= np.linalg.norm(k, axis=1, keepdims=True)
        v -= (v * k).sum(axis=1, keepdims=True) * k
        return k, v / np.linalg.norm(v, axis=1, keepdims=True)

    def draw(self, rng: Generator, k_star: Real, v_star: Real, count: int) -> tuple[Real, Real]:
        """Draw sequences of tokens and their outputs.

        The informative tokens come first: for what treats all tokens alike, and only for that, this
        is as good as any other law of the locations.

        Parameters
        ----------
        rng : Generator
        k_star, v_star : ndarray, shape (n, d)
        count : int

        Returns
        -------
        X : ndarray of shape (count, L, d)
        y : ndarray of shape (count,)
        """
        task, kind = self.task, k_star.dtype.type
        X = rng.standard_normal((count, task.L, task.d), dtype=kind)
        informative = X[:, : self.n]
        if self.shared:
            informative[:] = informative[:, :1]
        informative *= kind(task.gamma)
        informative += kind(np.sqrt(task.d / 2)) * k_star
        noise = kind(task.epsilon) * rng.standard_normal(count, dtype=kind)
        return X, np.einsum("bnd,nd->b", informative, v_star) + noise
