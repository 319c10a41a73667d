r"""Figure 9: several erf heads, equation (31), on several informative tokens.

The predictor :math:`T(X) = \sum_h \mathrm{erf}(\lambda X k_h) \cdot (X v_h)` sees a token only
through what it has in the span of all :math:`k_h, v_h, k^\star_i, v^\star_i`, so that q = 2(n + H)
coordinates are enough. `ErfHeadsExcessRisk` is the population risk in them, for unit vectors; its
descent never leaves the span. Descent from samples does: what the gradient has beyond the span is a
sum of normal vectors with given weights, whose Gram matrix has a Wishart law, drawn by the
decomposition of Bartlett. A new frame of the span follows, and runs are exact in law, whatever d.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import special

from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.kernels.compile import choose_backend, compile_program
from slrsym.kernels.kept_programs import program_function_cached_on_disk
from slrsym.papers.single_location.transformers.layer import (
    MultipleLocation,
    Real,
    ResumableRuns,
    random_stream,
)

_Array = NDArray[np.float64]

# For how many steps random numbers are drawn at once.
_DRAWN = 500


def _unit(x: _Array) -> _Array:
    # Along an axis of its own, so that a run does not depend on those beside it, to the last bit.
    return np.asarray(x / np.sqrt(np.add.reduce(x * x, axis=-1))[..., None])


def _tangent(slope: _Array, at: _Array) -> _Array:
    return np.asarray(slope - np.add.reduce(slope * at, axis=-1)[..., None] * at)


class ErfHeadsExcessRisk:
    """The excess risk of several erf heads on unit spheres, with its gradient."""

    def __init__(self, task: MultipleLocation, heads: int, backend: str = "auto") -> None:
        self._task, self._heads = task, heads
        backend = choose_backend(backend)
        self._one, self._two = (
            compile_moments(x, backend)
            for x in ("one_head_moments_program", "two_head_moments_program")
        )
        n = task.n
        # Second moments: first token, second token, of which kind, two heads, how many times.
        roles = [*range(n), n]
        same = [
            (i, i, h, g, (1 if h == g else 2) * (task.task.L - n if i == n else 1))
            for i in roles
            for h, g in combinations_with_replacement(range(heads), 2)
        ]
        if task.shared:
            same += [
                (i, j, h, g, 2)
                for i, j in combinations(range(n), 2)
                for h, g in product(range(heads), repeat=2)
            ]
        self._first, second, h, g, self._times = np.array(same).T
        # Where means and covariances of two heads are, as `two_head_moments_program` orders them.
        k, v, K, V = h, heads + h, g, heads + g
        self._seen = [(self._first, k), (self._first, v), (second, K), (second, V)]
        self._places = [(k, v), (K, V), (k, K), (k, V), (v, K), (v, V)]
        self._own = (np.arange(heads), heads + np.arange(heads))
        self._to_means = _placed(self._seen, (n + 1, 2 * heads))
        self._to_gram = _placed(self._places, (2 * heads, 2 * heads))

    def risk(self, students: _Array, stars: _Array, lam: float) -> _Array:
        """Return the excess risk of each run, shape (runs,)."""
        return self.risk_and_gradient(students, stars, lam)[0]

    def risk_and_gradient(
        self, students: _Array, stars: _Array, lam: float
    ) -> tuple[_Array, _Array]:
        """Return the excess risk, (runs,), and its tangential gradient, (runs, 2 heads, q).

        Students are k_1, ..., k_H, v_1, ..., v_H, shape (runs, 2 heads, q), in an orthonormal frame
        or in all of R^d; stars k*_1, ..., k*_n, v*_1, ..., v*_n.
        """
        task, n, runs = self._task.task, self._task.n, len(students)
        root, square, left = np.sqrt(task.d / 2), task.gamma**2, task.L - n
        centres, v_stars = stars[:, :n], stars[:, n:]
        # Means of all projections for each kind of token, and all inner products of students.
        means = np.zeros((runs, n + 1, students.shape[1]))
        means[:, :n] = root * centres @ students.transpose(0, 2, 1)
        gram = students @ students.transpose(0, 2, 1)
        # What the output has in common with an informative token.
        common = v_stars
        if self._task.shared:
            common = np.broadcast_to(v_stars.sum(axis=1, keepdims=True), v_stars.shape)
        with_Y = square * common @ students.transpose(0, 2, 1)
        spread = np.full(n + 1, task.gamma)
        spread[n] = 1.0

        # -- one head ------------------------------------------------------------------------
        k, v = self._own
        state = np.zeros((runs, n + 1, self._heads, 6))
        state[..., 0], state[..., 1] = means[:, :, k], means[:, :, v]
        state[..., 2] = spread[:, None] ** 2 * gram[:, None, k, v]
        state[:, :n, :, 3], state[:, :n, :, 4] = with_Y[:, :, k], with_Y[:, :, v]
        state[..., 5] = spread[:, None]
        first = self._one(state, lam)
        mean = first[..., 0].sum(axis=2)
        risk = square * (common * v_stars).sum(axis=(1, 2)) - 2 * first[:, :n, :, 4].sum(
            axis=(1, 2)
        )
        # Means of different tokens, which are independent: each in all pairs that it is in.
        others = left * mean[:, n:] + mean[:, :n].sum(axis=1, keepdims=True)
        weight = np.empty_like(mean)
        weight[:, :n] = left * mean[:, n:] if self._task.shared else others - mean[:, :n]
        weight[:, n] = left * (others[:, 0] - mean[:, n])
        risk = risk + (weight * mean).sum(axis=1)
        slope = 2 * weight[:, :, None, None] * first[..., 1:4]
        slope[:, :n] -= 2 * first[:, :n, :, 5:8]
        d_means, d_gram = np.zeros_like(means), np.zeros_like(gram)
        d_means[:, :, k], d_means[:, :, v] = slope[..., 0], slope[..., 1]
        d_gram[:, k, v] = (spread[:, None] ** 2 * slope[..., 2]).sum(axis=1)
        d_with_Y = -2 * np.concatenate([first[:, :n, :, 8], first[:, :n, :, 9]], axis=2)

        # -- two heads -----------------------------------------------------------------------
        pairs = np.empty((runs, len(self._times), 11))
        s = spread[self._first]
        for at, (token, student) in enumerate(self._seen):
            pairs[..., at] = means[:, token, student]
        for at, (row, column) in enumerate(self._places):
            pairs[..., 4 + at] = s**2 * gram[:, row, column]
        pairs[..., 10] = s
        second = self._two(pairs, lam) * self._times[:, None]
        risk = risk + second[..., 0].sum(axis=1)
        flat = second[..., 1:5].reshape(runs, 1, -1)
        d_means += (flat @ self._to_means).reshape(means.shape)
        flat = (second[..., 5:] * s[:, None] ** 2).reshape(runs, 1, -1)
        d_gram += (flat @ self._to_gram).reshape(gram.shape)

        gradient = root * d_means[:, :n].transpose(0, 2, 1) @ centres
        gradient += (d_gram + d_gram.transpose(0, 2, 1)) @ students
        gradient += square * d_with_Y.transpose(0, 2, 1) @ common
        return risk, _tangent(gradient, students)


def _placed(places: list[Any], shape: tuple[int, int]) -> _Array:
    """Return the matrix that sums numbers into the given places of a matrix."""
    count = len(places[0][0])
    matrix = np.zeros((count, len(places), *shape))
    for at, (row, column) in enumerate(places):
        matrix[np.arange(count), at, row, column] = 1
    return matrix.reshape(count * len(places), -1)


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
        If a number is out of its range, or d is less than 2 n + 4 H, for which runs from samples
        are not made.
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
    _rows = 2
    _together = 1000

    def __post_init__(self) -> None:
        for name in ("lam0", "alpha"):
            object.__setattr__(self, name, require_positive(name, getattr(self, name)))
        for name in ("heads", "batch", "steps", "every", "starts", "held", "seed"):
            least = 0 if name in ("steps", "held", "seed") else 1
            object.__setattr__(self, name, require_integer(name, getattr(self, name), least))
        if not 0 <= self.rate < np.inf:
            raise ValueError(f"rate must be finite and not negative; got {self.rate}")
        least = 2 * self.task.n + 4 * self.heads
        if self.task.task.d < least:
            raise ValueError(f"d must be at least 2 n + 4 H = {least}; got {self.task.task.d}")

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
        k_stars = _unit(rows[:n])
        v_stars = rows[n : 2 * n]
        return _unit(rows[2 * n :]), np.vstack([k_stars, _unit(_tangent(v_stars, k_stars))])

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
        heads, n = self.heads, self.task.n
        students = np.array(states, dtype=float).reshape(len(runs), 2 * heads, -1)
        stars = np.stack([self._start(run)[1] for run in runs])
        sampled = np.array(runs) < self.starts
        risk = ErfHeadsExcessRisk(self.task, heads)
        risks, overlaps = [], []
        for row in range(first, stop):
            begin, end = (int(self._logged[max(row - 1, 0)]), int(self._logged[row]))
            lams = [self._temperature(t) for t in range(begin, end)]
            if sampled.any():
                rngs = [
                    random_stream(self.seed, run, 1, row)
                    for run in np.array(runs)[sampled].tolist()
                ]
                for at in range(0, len(lams), _DRAWN):
                    some = lams[at : at + _DRAWN]
                    students[sampled] = self._sampled(students[sampled], stars[sampled], some, rngs)
            if not sampled.all():
                moved, fixed = students[~sampled], stars[~sampled]
                for lam in lams:
                    slope = risk.risk_and_gradient(moved, fixed, lam)[1]
                    moved = _unit(moved - self.alpha * slope)
                students[~sampled] = moved
            risks.append(risk.risk(students, stars, self._temperature(end)))
            overlaps.append(students @ stars.transpose(0, 2, 1))
        found = np.stack(overlaps, axis=1)
        k, v = found[:, :, :heads], found[:, :, heads:]
        parts = {"kappa": k[..., :n], "eta": k[..., n:], "theta": v[..., :n], "nu": v[..., n:]}
        return students.reshape(len(runs), -1), {"excess_risk": np.stack(risks, axis=1), **parts}

    def _sampled(
        self, students: _Array, stars: _Array, lams: list[float], rngs: list[Generator]
    ) -> _Array:
        """Return the heads after several steps of stochastic gradient descent on batches."""
        task, n, heads, batch = self.task.task, self.task.n, self.heads, self.batch
        runs, count, q = len(students), 2 * heads, students.shape[2]
        degrees = task.d - q - np.arange(count)
        below = np.tril_indices(count, -1)
        k_stars, v_stars = stars[:, None, :n], stars[:, None, n:]
        sizes = (batch * task.L * q, batch, len(below[0]))
        cuts = np.cumsum(sizes)
        bartlett = np.zeros((runs, count, count))
        diagonal = np.arange(count)
        normals = np.stack([rng.standard_normal((len(lams), sum(sizes))) for rng in rngs], axis=1)
        chis = np.stack([rng.chisquare(degrees, (len(lams), count)) for rng in rngs], axis=1)
        for inverse_temperature, normal, chi in zip(lams, normals, np.sqrt(chis), strict=True):
            X = normal[:, : cuts[0]].reshape(runs, batch, task.L, q)
            informative = X[:, :, :n]
            if self.task.shared:
                informative[:] = informative[:, :, :1]
            informative *= task.gamma
            informative += np.sqrt(task.d / 2) * k_stars
            y = np.add.reduce((informative * v_stars).reshape(runs, batch, -1), axis=2)
            y += task.epsilon * normal[:, cuts[0] : cuts[1]]
            tokens = X.reshape(runs, -1, q)
            seen = tokens @ students.transpose(0, 2, 1)
            scores, values = inverse_temperature * seen[:, :, :heads], seen[:, :, heads:]
            gates = special.erf(scores)
            output = np.add.reduce((gates * values).reshape(runs, batch, -1), axis=2)
            error = np.repeat(2 / batch * (output - y), task.L, axis=1)[:, :, None]
            slopes = (2 * inverse_temperature / np.sqrt(np.pi)) * np.exp(-scores * scores)
            weights = np.concatenate([error * slopes * values, error * gates], axis=2)
            inside = weights.transpose(0, 2, 1) @ tokens
            # Beyond the span tokens are noise, of the same size but for the informative ones.
            noise = weights.reshape(runs, batch, task.L, count)
            if self.task.shared:
                noise[:, :, 0] = np.add.reduce(noise[:, :, :n], axis=2)
                noise[:, :, 1:n] = 0
            noise[:, :, :n] *= task.gamma
            gram = weights.transpose(0, 2, 1) @ weights
            bartlett[:, diagonal, diagonal] = chi
            bartlett[:, below[0], below[1]] = normal[:, cuts[1] :]
            moved = np.zeros((runs, count, q + count))
            moved[:, :, :q] = students - self.alpha * _tangent(inside, students)
            moved[:, :, q:] = -self.alpha * (_root(gram) @ bartlett)
            students = _in_frame(moved, 2 * n)
        return students


def _root(gram: _Array) -> _Array:
    """Return lower triangular square roots of positive semidefinite matrices."""
    # The least shift that Cholesky's decomposition does not notice otherwise.
    shift = 1e-14 * np.trace(gram, axis1=1, axis2=2) + 1e-300
    return np.linalg.cholesky(gram + shift[:, None, None] * np.eye(gram.shape[1]))


def _in_frame(moved: _Array, fixed: int) -> _Array:
    """Return unit vectors in a frame whose first axes are the true directions."""
    triangle = np.asarray(np.linalg.qr(moved[:, :, fixed:].transpose(0, 2, 1), mode="r"))
    return _unit(np.concatenate([moved[:, :, :fixed], triangle.transpose(0, 2, 1)], axis=2))


@cache
def compile_moments(name: str, backend: str) -> Callable[..., Any]:
    """Return the compiled function of a named program of the module `erf_head_moments`."""
    return compile_program(
        program_function_cached_on_disk(
            f"slrsym.papers.single_location.transformers.erf_head_moments.{name}"
        )(),
        backend,
    )
