r"""Sampling of the task until the standard error is small enough.

An attention predictor sees a token through its score :math:`u = X\cdot k` and its value
:math:`v = X\cdot v`, and the task's output through :math:`y = X_{J_0}\cdot v^\star + \xi`. So two
coordinates of each token and a third one of the informative token stand for d, exactly in law.
Given the scores, what is left is Gaussian, with means that are affine in the scores and constant
variances; an expectation over it can be taken in closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from slrsym.kernels.arguments import float_or_nan, warn_of_long_work
from slrsym.papers.single_location.dynamics.spheres import gram_matrices
from slrsym.papers.single_location.task import OrderParameters, Task

# Each block of so many observations has its own stream of random numbers, and the standard error
# is looked at after each.
BLOCK = 4096

Progress: TypeAlias = Callable[[int, float], None]


# What is averaged: a function from a batch of samples to rows of values, one for each sample.
Quantity: TypeAlias = Callable[["Batch"], NDArray[np.float64]]


def child_seed_sequence(root: SeedSequence, *key: int) -> SeedSequence:
    """Return a child of a seed sequence by its key, without changing the seed sequence."""
    return SeedSequence(root.entropy, spawn_key=(*root.spawn_key, *key), pool_size=root.pool_size)


def root_seed_sequence(rng: Any) -> SeedSequence:
    """Return the seed sequence of a random generator or seed; return a seed sequence as it is."""
    if isinstance(rng, np.random.Generator):
        return SeedSequence(rng.integers(2**32, size=4).tolist())
    if isinstance(rng, SeedSequence):
        # A copy: whoever passes it in does not see it change.
        return child_seed_sequence(rng)
    try:
        if isinstance(rng, bool | float):
            raise TypeError
        return SeedSequence(rng)
    except (TypeError, ValueError):
        raise ValueError(
            "rng must be an integer that is not negative, a SeedSequence, a Generator or None; "
            f"got {rng!r}"
        ) from None


def sample_quantity(
    quantity: Quantity,
    source: TokenSource | ScoreAndValueSource,
    root: SeedSequence,
    observations: int,
    target_stderr: float | None = None,
    progress: Progress | None = None,
    keep: Callable[[NDArray[np.float64]], None] | None = None,
) -> RunningMoments:
    """Sample a quantity to a number of observations or a target error; return its moments."""
    moments = RunningMoments()
    block, begun = 0, perf_counter()
    while moments.count < observations:
        count = min(BLOCK, observations - moments.count)
        for batches in source.batches(child_seed_sequence(root, block), count):
            rows = quantity(batches[0])
            for other in batches[1:]:
                rows = (rows + quantity(other)) / 2
            moments.add(rows)
            if keep is not None:
                keep(rows)
        block += 1
        if block == 1 and target_stderr is None:
            took = perf_counter() - begun
            warn_of_long_work(
                f"{observations:,} samples", took * (observations / moments.count - 1)
            )
        error = float(moments.stderr.max())
        if progress is not None:
            progress(moments.count, error)
        # The first block may have missed what is rare, and seem better than it is; where there was
        # no spread at all, nothing rare has been met yet.
        if target_stderr is not None and block >= 2 and 0 < error <= target_stderr:
            break
    return moments


# Up to this many components the whole covariance is kept, not the variances alone.
_SMALL = 16


class RunningMoments:
    """Running mean and covariance of samples, updated without loss of precision.

    Each part gives its own mean and centred sum of squares; two of these are merged as in T. F.
    Chan, G. H. Golub, R. J. LeVeque, *Algorithms for computing the sample variance* (1983).
    """

    def __init__(self) -> None:
        self.count = 0
        # Arrays as soon as there are observations, which say how many components there are.
        self.mean: Any = 0.0
        self._squares: Any = 0.0

    def add(self, rows: NDArray[np.float64]) -> None:
        """Update the running mean and covariance with observations, one in each row."""
        if not len(rows):
            return
        mean = rows.mean(axis=0)
        centred = rows - mean
        apart = mean - self.mean
        total = self.count + len(rows)
        weight = self.count * (len(rows) / total)
        if rows.shape[1] <= _SMALL:
            self._squares += centred.T @ centred + weight * np.outer(apart, apart)
        else:
            self._squares += np.einsum("ni,ni->i", centred, centred) + weight * apart**2
        self.mean = self.mean + apart * (len(rows) / total)
        self.count = total

    @property
    def variance(self) -> NDArray[np.float64]:
        """The variance of each component of one observation, shape (size,)."""
        squares = np.diag(self._squares) if self._squares.ndim == 2 else self._squares
        return np.asarray(squares / (self.count - 1))

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The covariance of one observation, shape (size, size)."""
        if self._squares.ndim < 2:
            raise ValueError(f"covariances are kept for at most {_SMALL} components")
        return np.asarray(self._squares / (self.count - 1))

    @property
    def stderr(self) -> NDArray[np.float64]:
        """The standard errors of the mean, shape (size,)."""
        return np.sqrt(self.variance / self.count)


# Of a mean of many terms, relative to it.
_ROUNDING = 8 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Estimate:
    """A Monte Carlo estimate: the mean over independent observations, with its error.

    Attributes
    ----------
    value : float or ndarray
        The mean. Its shape is that of the estimated quantity, after the leading axes of the states.
    stderr : float or ndarray, the shape of `value`
        The standard error of each of its components.
    samples : int or ndarray of int, the shape of the leading axes
        How many times the task was sampled; both of an antithetic pair count.
    observations : int or ndarray of int, the shape of the leading axes
        How many independent terms the mean has: as many as samples, or half as many for pairs.
    gain : float, ndarray of the shape of `value`, or None
        By which factor variance reduction made the variance smaller, for the same number of samples
        of the task; less than 1 if it made it larger. None where there was nothing to reduce.
    target_stderr : float or None
        The standard error that was asked for.
    """

    value: Any
    stderr: Any
    samples: Any
    observations: Any
    gain: Any = None
    target_stderr: float | None = None

    @property
    def is_reached(self) -> bool:
        """Whether the standard error is below the target; true if there is no target."""
        return self.target_stderr is None or bool(np.all(self.stderr <= self.target_stderr))

    def interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """Return lower and upper ends of the estimate's confidence intervals, by Student's law.

        Parameters
        ----------
        level : float, optional
            The probability that it holds the true value, in (0, 1).

        Returns
        -------
        low, high : float or ndarray

        Raises
        ------
        ValueError
            If the level is not in (0, 1).
        """
        share = float_or_nan(level)
        if not 0 < share < 1:
            raise ValueError(f"level must lie in (0, 1); got {level!r}")
        half = stdtrit(self._aligned(self.observations) - 1, (1 + share) / 2) * self.stderr
        return self.value - half, self.value + half

    def zscore(self, reference: ArrayLike) -> Any:
        """Return the estimate's deviation from a reference value, in standard errors.

        Parameters
        ----------
        reference : array_like
            It broadcasts with the value.

        Returns
        -------
        float or ndarray
            Zero where the two are equal up to rounding; infinite where they differ and the standard
            error is zero.
        """
        other = np.asarray(reference, dtype=np.float64)
        apart = np.asarray(self.value) - other
        rounding = _ROUNDING * np.maximum(np.abs(self.value), np.abs(other))
        with np.errstate(divide="ignore", invalid="ignore"):
            z = apart / self.stderr
        return np.where(np.abs(apart) <= rounding, 0.0, z)[()]

    def _aligned(self, counts: Any) -> Any:
        """Reshape counts so that they broadcast with the estimate's value."""
        counts = np.asarray(counts)
        return counts.reshape(counts.shape + (1,) * (np.ndim(self.value) - counts.ndim))


@dataclass(frozen=True)
class Quantile:
    """A quantile of a sampled distribution, with its 95 % confidence interval.

    The interval is made of order statistics: how many of n values lie below a quantile is binomial,
    whatever the law (David and Nagaraja, *Order Statistics*, 3rd ed., Section 7.1).

    Attributes
    ----------
    level : float
        The probability below it.
    value, low, high : float
        The quantile of the sample, and the order statistics that enclose that of the law.
    """

    level: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class OutputSummary:
    """Moments and quantiles of a predictor's output.

    The output is T(X), as equations (1) to (3) define it.

    Attributes
    ----------
    mean : Estimate
        Of the output T.
    second_moment : Estimate
        Of T^2.
    with_target : Estimate
        Of the product of T and the task's output Y.
    quantiles : tuple of Quantile
        Of T, from the samples themselves; empty if these were conditioned or paired.
    """

    mean: Estimate
    second_moment: Estimate
    with_target: Estimate
    quantiles: tuple[Quantile, ...]

    @property
    def std(self) -> float:
        """The standard deviation of the output T."""
        return float(np.sqrt(max(0.0, self.second_moment.value - self.mean.value**2)))


def stack_estimates(estimates: Sequence[Estimate], shape: tuple[int, ...]) -> Estimate:
    """Combine the estimates for several states to one estimate with array values."""

    def joined(name: str) -> Any:
        parts = np.array([getattr(e, name) for e in estimates])
        return parts.reshape(shape + parts.shape[1:])[()]

    gain = None if estimates[0].gain is None else joined("gain")
    return Estimate(
        joined("value"),
        joined("stderr"),
        joined("samples"),
        joined("observations"),
        gain,
        estimates[0].target_stderr,
    )


# How many numbers are drawn at once, if a single sample does not need more.
_MOST_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Batch:
    """A batch of samples: scores, values and outputs, or conditional variances given scores."""

    u: NDArray[np.float64]
    v: NDArray[np.float64]
    y: NDArray[np.float64]
    place: NDArray[np.intp]
    var_own: float = 0.0
    var_other: float = 0.0
    var_y: float = 0.0
    cov: float = 0.0
    tokens: NDArray[np.float64] | None = None

    def informative_entry(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the entry of each row of an array at that sample's informative token."""
        return np.take_along_axis(x, self.place[:, None], axis=1)[:, 0]

    def array_by_token_kind(self, informative: float, other: float) -> NDArray[np.float64]:
        """Return an array with one number at informative tokens and another at all others."""
        result = np.full(self.u.shape, other)
        np.put_along_axis(result, self.place[:, None], informative, axis=1)
        return result


@dataclass(frozen=True, eq=False)
class LocationLaw:
    """The distribution of the location of the informative token."""

    task: Task
    probabilities: NDArray[np.float64] | None
    fixed: bool = False

    def draw(self, rng: Generator, n: int) -> NDArray[np.intp]:
        """Draw the location of the informative token for n samples, numbered from 0."""
        if self.fixed:
            return np.zeros(n, dtype=np.intp)
        uniform = rng.random(n)
        if self.probabilities is None:
            return (uniform * self.task.L).astype(np.intp)
        steps = np.cumsum(self.probabilities)
        # Rounding must not lead beyond the last location that is possible.
        last = int(np.flatnonzero(self.probabilities)[-1])
        return np.minimum(np.searchsorted(steps, uniform, side="right"), last)


@dataclass(frozen=True, eq=False)
class TokenSource:
    """Source of samples that draws whole tokens in R^m, as the task is defined."""

    task: Task
    locations: LocationLaw
    k: NDArray[np.float64]
    v: NDArray[np.float64]
    k_star: NDArray[np.float64]
    v_star: NDArray[np.float64]
    kept: bool = False

    def batches(self, seed: SeedSequence, n: int) -> Iterator[tuple[Batch, ...]]:
        """Yield samples in batches of bounded memory, whose size does not affect the samples."""
        places, normals, noises = map(default_rng, seed.spawn(3))
        m, L = self.k.size, self.task.L
        rows = max(1, _MOST_NUMBERS // (L * m))
        for first in range(0, n, rows):
            size = min(rows, n - first)
            place = self.locations.draw(places, size)
            # All tokens of these samples, or one sample's in parts, one after the other.
            count = L if self.kept else max(1, _MOST_NUMBERS // (size * m))
            u, v, y = np.empty((size, L)), np.empty((size, L)), np.empty(size)
            for start in range(0, L, count):
                tokens = normals.standard_normal((size, min(count, L - start), m))
                (here,) = np.nonzero((start <= place) & (place < start + count))
                own = here, place[here] - start
                tokens[own] *= self.task.gamma
                tokens[own] += np.sqrt(self.task.d / 2) * self.k_star
                part = slice(start, start + count)
                u[:, part], v[:, part] = tokens @ self.k, tokens @ self.v
                y[here] = tokens[own] @ self.v_star
            y += self.task.epsilon * noises.standard_normal(size)
            yield (Batch(u, v, y, place, tokens=tokens if self.kept else None),)


@dataclass(frozen=True, eq=False)
class ScoreAndValueSource:
    """Source of samples that draws only scores, values and outputs, from given overlaps."""

    task: Task
    locations: LocationLaw
    state: OrderParameters
    conditioned: bool = False
    antithetic: bool = False
    mirrors_all: bool = True

    def batches(self, seed: SeedSequence, n: int) -> Iterator[tuple[Batch, ...]]:
        """Yield samples in batches of bounded memory, whose size does not affect the samples."""
        places, *streams = map(default_rng, seed.spawn(9))
        rows = max(1, _MOST_NUMBERS // (2 * self.task.L))
        for first in range(0, n, rows):
            size = min(rows, n - first)
            place = self.locations.draw(places, size)
            normals = self._normals(streams[:4], size)
            batch = self._batch(place, *normals)
            if not self.antithetic:
                yield (batch,)
                continue
            mirrored: tuple[Any, ...] = tuple(None if x is None else -x for x in normals)
            if not self.mirrors_all:
                mirrored = self._with_fresh_others(mirrored, streams[4:], place)
            yield batch, self._batch(place, *mirrored)

    def _normals(self, streams: list[Generator], size: int) -> tuple[Any, ...]:
        """Draw the normal variables from which scores, values, outputs and noise are computed."""
        L = self.task.L
        shapes: list[tuple[int, ...]] = [(size, L), (size, L), (size,), (size,)]
        wanted = shapes[:1] if self.conditioned else shapes
        drawn = [rng.standard_normal(s) for rng, s in zip(streams, wanted, strict=False)]
        return (*drawn, *[None] * (4 - len(drawn)))

    def _with_fresh_others(
        self, mirrored: tuple[Any, ...], streams: list[Generator], place: NDArray[np.intp]
    ) -> tuple[Any, ...]:
        fresh = self._normals(streams, len(place))
        own = np.arange(len(place)), place
        for new, old in zip(fresh[:2], mirrored[:2], strict=True):
            if new is not None:
                new[own] = old[own]
        return (*fresh[:2], *mirrored[2:])

    def _batch(
        self,
        place: NDArray[np.intp],
        along_k: NDArray[np.float64],
        beside: NDArray[np.float64] | None,
        apart: NDArray[np.float64] | None,
        noise: NDArray[np.float64] | None,
    ) -> Batch:
        # The inner products of k, and those of v, with k, v, k*, v*.
        (_, inner, k_mean, k_output), (*_, v_mean, v_output) = gram_matrices(self.state)[:2]
        gamma, epsilon = self.task.gamma, self.task.epsilon
        signal = np.sqrt(self.task.d / 2)
        own = np.arange(len(place)), place
        u, v = along_k.copy(), inner * along_k
        # What is left of v, and of v*, beside k: lengths, and the part that v* shares with v.
        rest_v, rest_y = max(0.0, 1 - inner**2), max(0.0, 1 - k_output**2)
        shared = v_output - k_output * inner
        if beside is not None and apart is not None and noise is not None:
            v += np.sqrt(rest_v) * beside
            # By feasibility the part of v* along what is left of v is no longer than v* allows.
            part = np.clip(shared / np.sqrt(rest_v), -1, 1) if rest_v > 0 else 0.0
            y = part * beside[own] + np.sqrt(max(0.0, rest_y - part**2)) * apart
            y = gamma * (k_output * along_k[own] + y) + epsilon * noise
        else:
            y = gamma * k_output * along_k[own]
        u[own] = signal * k_mean + gamma * u[own]
        v[own] = signal * v_mean + gamma * v[own]
        if not self.conditioned:
            return Batch(u, v, y, place)
        g2 = gamma**2
        return Batch(u, v, y, place, g2 * rest_v, rest_v, g2 * rest_y + epsilon**2, g2 * shared)
