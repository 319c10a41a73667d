r"""Initial conditions of runs, as in Definition 1.

Overlaps of random vectors are drawn as such: of uniform vectors on the sphere, only coordinates
along :math:`k^\star, v^\star` and two more directions are needed, as `gaussian_coordinates` draws
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from slrsym.kernels.arguments import require_integer, require_real_array
from slrsym.models.training.initial_conditions import gaussian_coordinates
from slrsym.papers.single_location.dynamics.spheres import SLACK, gram_matrices
from slrsym.papers.single_location.task import OrderParameters, Task


@runtime_checkable
class Start(Protocol):
    """Protocol of initial conditions, which give the overlaps at which runs start."""

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        """Return the overlaps at which runs of a task start, shape (runs, 2) or (runs, 5).

        Parameters
        ----------
        task : Task
            Its dimension is that of vectors.

        Returns
        -------
        ndarray, shape (runs, 5) or (runs, 2)
            kappa, nu, theta, eta, rho; on the manifold kappa and nu, and the others are 0.

        Raises
        ------
        ValueError
            If vectors are given in another dimension.
        """
        ...


def _streams(seed: int | Sequence[int], first: int, stop: int) -> list[Generator]:
    """Return the random generators of runs `first` to `stop - 1`, one for each run."""
    return [default_rng(SeedSequence(seed, spawn_key=(i,))) for i in range(first, stop)]


@dataclass(frozen=True)
class _Drawn(Start):
    runs: int
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("runs", 1), ("seed", 0)):
            object.__setattr__(self, name, require_integer(name, getattr(self, name), least))


def uniform_overlaps(
    d: int, seed: int | Sequence[int], first: int, stop: int
) -> NDArray[np.float64]:
    """Draw the five overlaps of uniform unit vectors k and v, for runs `first` to `stop - 1`."""
    drawn = [gaussian_coordinates(rng, 2, d, 2) for rng in _streams(seed, first, stop)]
    rows = np.reshape(drawn, (-1, 2, 4)).transpose(1, 2, 0)
    (k1, k2, k_square, _), (v1, v2, v3, v_square) = rows
    k3 = np.sqrt(k_square)
    k_norm = np.sqrt(k1 * k1 + k2 * k2 + k3 * k3)
    v_norm = np.sqrt(v1 * v1 + v2 * v2 + v3 * v3 + v_square)
    cosine = (k1 * v1 + k2 * v2 + k3 * v3) / (k_norm * v_norm)
    return np.stack([k1 / k_norm, v2 / v_norm, v1 / v_norm, k2 / k_norm, cosine], axis=1)


@dataclass(frozen=True)
class UniformStart(_Drawn):
    """Uniform random k and v on the sphere, independent of each other.

    Figures 4(a), 5 and 7 start so.

    Parameters
    ----------
    runs : int
        How many runs, at least 1.
    seed : int, optional
        Of the random numbers, not negative.

    Raises
    ------
    ValueError
        If `runs` is not an integer of at least 1, or `seed` not one of at least 0.
    """

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        return uniform_overlaps(task.d, self.seed, 0, self.runs)


@dataclass(frozen=True)
class ManifoldStart(_Drawn):
    """Random starts on the invariant manifold: k orthogonal to v*, then v orthogonal to k* and k.

    That is the manifold of equation (11); figure 4(b) starts so.

    Parameters
    ----------
    runs : int
        How many runs, at least 1.
    seed : int, optional
        Of the random numbers, not negative.

    Raises
    ------
    ValueError
        If `runs` is not an integer of at least 1, or `seed` not one of at least 0.
    """

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        return np.array([self._one(rng, task.d) for rng in _streams(self.seed, 0, self.runs)])

    @staticmethod
    def _one(rng: Generator, d: int) -> tuple[float, float]:
        k1, v2 = rng.standard_normal(2)
        k_square, v_square = (rng.chisquare(n) if n > 0 else 0.0 for n in (d - 2, d - 3))
        return k1 / np.sqrt(k1 * k1 + k_square), v2 / np.sqrt(v2 * v2 + v_square)


@dataclass(frozen=True, eq=False)
class OverlapStart(Start):
    """Initial conditions given by an array of overlaps, two or five for each run.

    They are those of Theorem 1, or of Lemma 6.

    Parameters
    ----------
    values : array_like, shape (runs, 5) or (runs, 2)
        kappa, nu, theta, eta, rho; or kappa, nu on the manifold.

    Raises
    ------
    ValueError
        If the shape is another, a value is not finite, or the Gram matrix of k, v, k*, v* that the
        overlaps say is not positive semidefinite.
    """

    values: NDArray[np.float64]
    runs: int = field(init=False)

    def __post_init__(self) -> None:
        values = np.array(require_real_array("start", self.values, "an array of numbers"))
        object.__setattr__(self, "values", require_feasible(values))
        object.__setattr__(self, "runs", len(values))

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        return self.values

    def __repr__(self) -> str:
        return f"OverlapStart({self.runs} runs)"


@dataclass(frozen=True, eq=False)
class VectorStart(Start):
    r"""Initial conditions with given k and v, whose first two axes are :math:`k^\star, v^\star`.

    Parameters
    ----------
    k0, v0 : array_like, shape (d,) or (runs, d)
        Unit vectors, of length 1 to within 1e-6; they are divided by their lengths.
    k_star, v_star : array_like, shape (d,), optional
        Orthogonal unit vectors, where they are not the first two axes.

    Raises
    ------
    ValueError
        If shapes do not fit, or vectors are not of length 1, or `k_star`, `v_star` not orthogonal.
    """

    k0: NDArray[np.float64]
    v0: NDArray[np.float64]
    k_star: NDArray[np.float64] | None = None
    v_star: NDArray[np.float64] | None = None
    runs: int = field(init=False)

    def __post_init__(self) -> None:
        k, v = (np.atleast_2d(_unit_vectors(x, getattr(self, x))) for x in ("k0", "v0"))
        if k.ndim != 2 or k.shape != v.shape or k.shape[1] < 2:
            raise ValueError(
                "k0 and v0 must have the same shape, (d,) or (runs, d), with d at least 2; "
                f"got {np.shape(self.k0)} and {np.shape(self.v0)}"
            )
        d, axes = k.shape[1], []
        for axis, name in enumerate(("k_star", "v_star")):
            given = getattr(self, name)
            axes.append(np.eye(2, d)[axis] if given is None else _unit_vectors(name, given))
            if axes[-1].shape != (d,):
                raise ValueError(f"{name} must have shape ({d},); got {axes[-1].shape}")
        if abs(product := float(axes[0] @ axes[1])) > _UNIT:
            raise ValueError(f"k_star and v_star must be orthogonal; their product is {product}")
        for name, value in {"k0": k, "v0": v, "k_star": axes[0], "v_star": axes[1]}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "runs", len(k))

    @property
    def d(self) -> int:
        """The dimension d of the given vectors k and v."""
        return int(self.k0.shape[-1])

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        if task.d != self.d:
            raise ValueError(f"start must have vectors in R^{task.d}; they are in R^{self.d}")
        k, v, first, second = map(np.asarray, (self.k0, self.v0, self.k_star, self.v_star))
        found = (k @ first, v @ second, v @ first, k @ second, np.sum(k * v, axis=-1))
        return np.stack(found, axis=-1)

    def __repr__(self) -> str:
        return f"VectorStart({self.runs} runs, d={self.d})"


# How far from 1 the length of a unit vector may be, or from 0 the product of orthogonal ones.
_UNIT = 1e-6


def _unit_vectors(name: str, values: Any) -> NDArray[np.float64]:
    vectors = np.array(require_real_array(name, values, "an array of numbers"))
    lengths = np.linalg.norm(vectors, axis=-1) if vectors.ndim else np.abs(vectors)
    if not vectors.size or not (np.abs(lengths - 1) <= _UNIT).all():
        raise ValueError(f"{name} must have length 1; got {np.ravel(lengths)[:5].tolist()}")
    found: NDArray[np.float64] = vectors / lengths[..., None]
    return found


def require_feasible(
    states: NDArray[np.float64], d: int = 4, name: str = "start"
) -> NDArray[np.float64]:
    r"""Return overlaps unchanged; raise an error if no k, v, k*, v* in R^d have them."""
    if states.ndim != 2 or states.shape[1] not in (2, 5) or not len(states):
        names = OrderParameters._fields
        raise ValueError(
            f"{name} must have shape (runs, 5): {', '.join(names)}, or (runs, 2): "
            f"{', '.join(names[:2])}, with at least one run; got {states.shape}"
        )
    finite = np.isfinite(states).all(axis=1)
    _require(f"{name} must be finite", finite, states)
    values = np.linalg.eigvalsh(gram_matrices(states))
    what = f"{name} must be feasible: the Gram matrix of k, v, k*, v*"
    _require(f"{what} is not positive semidefinite", values[:, 0] >= -SLACK, states)
    if d < 4:
        _require(f"{what} has a rank above d = {d}", values[:, 3 - d] <= SLACK, states)
    return states


def _require(what: str, good: Any, states: NDArray[np.float64]) -> None:
    if not good.all():
        at = int(np.argmin(good))
        raise ValueError(f"{what}; run {at} has {states[at].tolist()}")


def as_start(start: Any) -> Start:
    """Convert a tuple of two arrays, vectors k and v, or overlaps in other form, to a start."""
    if isinstance(start, Start):
        return start
    if isinstance(start, tuple) and [type(x) for x in start] == [np.ndarray, np.ndarray]:
        return VectorStart(*start)
    return OverlapStart(start)
