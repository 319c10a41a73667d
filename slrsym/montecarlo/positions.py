"""Where an estimate is made: at overlaps, or at vectors."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import ArrayLike, NDArray

from slrsym.dynamics.starts import lift, require_feasible
from slrsym.kernels.arguments import real_array
from slrsym.task import OrderParameters, Task

__all__ = ["Directions", "metric", "states_of"]


_SLACK = 1e-8

_Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Directions:
    r"""The predictor's directions and the true ones, as vectors.

    They are the k and v of the predictor, equation (3), and the k* and v* of the task (Section 2).

    Parameters
    ----------
    k, v : array_like, shape (d,)
        Those of the predictor, unit vectors.
    k_star, v_star : array_like, shape (d,)
        Those of the task, unit vectors, orthogonal.

    Raises
    ------
    ValueError
        If the vectors are not as they should be.
    """

    k: _Array
    v: _Array
    k_star: _Array
    v_star: _Array

    def __post_init__(self) -> None:
        for field in fields(self):
            x = real_array(field.name, getattr(self, field.name))
            if x.ndim != 1 or x.size < 2 or not np.isfinite(x).all():
                raise ValueError(
                    f"{field.name} must be finite and of shape (d,), d at least 2; "
                    f"got {x.shape if x.ndim != 1 else x.tolist()}"
                )
            object.__setattr__(self, field.name, x)
        for field in fields(self):
            x = getattr(self, field.name)
            if x.shape != self.k.shape:
                raise ValueError(f"{field.name} must have shape {self.k.shape}; got {x.shape}")
            if not abs(np.linalg.norm(x) - 1) < _SLACK:
                raise ValueError(f"{field.name} must be a unit vector; its norm is {_norm(x)}")
        inner = float(self.k_star @ self.v_star)
        if not abs(inner) < _SLACK:
            raise ValueError(
                f"k_star and v_star must be orthogonal; their inner product is {inner}"
            )

    @classmethod
    def at(cls, state: ArrayLike, task: Task, rng: SeedSequence) -> Directions:
        """Vectors in R^d with given overlaps, in a random position.

        Parameters
        ----------
        state : array_like, shape (5,)
        task : Task
        rng : SeedSequence
            Decides the position.

        Returns
        -------
        Directions

        Raises
        ------
        ValueError
            If no vectors in R^d have these overlaps.
        """
        seed = int(rng.generate_state(1)[0])
        return cls(*(x[0] for x in lift(np.asarray(state, dtype=np.float64)[None], task.d, seed)))

    @property
    def overlaps(self) -> OrderParameters:
        """The order parameters."""
        pairs = (
            (self.k, self.k_star),
            (self.v, self.v_star),
            (self.v, self.k_star),
            (self.k, self.v_star),
            (self.k, self.v),
        )
        return OrderParameters(*(float(x @ y) for x, y in pairs))

    def framed(self) -> tuple[Directions, _Array]:
        """The same in an orthonormal basis of few vectors.

        Returns
        -------
        directions : Directions
            Their coordinates.
        frame : ndarray, shape (d, m)
            The basis, of m <= 4 vectors.
        """
        vectors = np.stack([self.k_star, self.v_star, self.k, self.v], axis=1)
        frame = np.linalg.qr(vectors)[0]
        inside = (x @ frame for x in (self.k, self.v, self.k_star, self.v_star))
        return Directions(*(x / np.linalg.norm(x) for x in inside)), frame


def _norm(x: _Array) -> float:
    return float(np.linalg.norm(x))


def states_of(at: ArrayLike, task: Task, name: str = "at") -> _Array:
    """Overlaps, if vectors in R^d have them."""
    states = real_array(name, at, "overlaps of shape (..., 5), or Directions")
    if states.ndim == 0 or states.shape[-1] != 5 or not states.size:
        raise ValueError(
            f"{name} must be Directions, or overlaps of shape (..., 5): kappa, nu, theta, eta, "
            f"rho; got the shape {states.shape}"
        )
    require_feasible(states.reshape(-1, 5), min(task.d, 4), name)
    return states


def metric(state: OrderParameters) -> _Array:
    r"""Inner products of the overlaps' Riemannian gradients, on the product of two spheres."""
    kappa, nu, theta, eta, rho = state
    # The gradients of kappa, eta, rho in k are k*, v*, v, and those of nu, theta, rho in v are v*,
    # k*, k, all without their parts along k or v.
    in_k, in_v = [0, 3, 4], [1, 2, 4]
    gram_k = np.array([[1, 0, theta], [0, 1, nu], [theta, nu, 1]])
    gram_v = np.array([[1, 0, eta], [0, 1, kappa], [eta, kappa, 1]])
    along_k, along_v = np.array([kappa, eta, rho]), np.array([nu, theta, rho])
    result = np.zeros((5, 5))
    result[np.ix_(in_k, in_k)] += gram_k - np.outer(along_k, along_k)
    result[np.ix_(in_v, in_v)] += gram_v - np.outer(along_v, along_v)
    return result
