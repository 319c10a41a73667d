"""Sampling plans: the validated arguments of Monte Carlo estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import ArrayLike, NDArray

from slrsym.kernels.arguments import require_integer, require_positive, require_real_array
from slrsym.papers.single_location.dynamics.initial_conditions import (
    draw_vectors_and_stars_with_overlaps,
    require_feasible,
)
from slrsym.papers.single_location.dynamics.spheres import (
    overlap_jacobian,
    tangent_basis,
    vectors_from_overlaps,
)
from slrsym.papers.single_location.linear import best_linear
from slrsym.papers.single_location.montecarlo.predictors import (
    AttentionPredictorBase,
    Linear,
    Predictor,
)
from slrsym.papers.single_location.montecarlo.sampling import (
    Estimate,
    LocationLaw,
    Progress,
    Quantity,
    RunningMoments,
    ScoreAndValueSource,
    TokenSource,
    child_seed_sequence,
    root_seed_sequence,
    sample_quantity,
    stack_estimates,
)
from slrsym.papers.single_location.task import ORACLE, PLACES, OrderParameters, Task

METHODS = ("plain", "projected", "conditioned")

# How many observations the variance without reduction is measured with.
_PILOT = 10_000

_Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class SamplingPlan:
    """The settings of a Monte Carlo estimate; created by `make_plan`."""

    predictor: Predictor
    task: Task
    locations: LocationLaw
    method: str
    antithetic: bool
    observations: int
    target: float | None
    root: SeedSequence
    progress: Progress | None

    @property
    def uses_variance_reduction(self) -> bool:
        """Whether the plan uses variance reduction."""
        return self.antithetic or self.method == "conditioned"

    @property
    def samples_per_observation(self) -> int:
        """Number of samples of the task in one observation: 2 for antithetic pairs, else 1."""
        return 2 if self.antithetic else 1

    def for_state(self, index: int) -> SamplingPlan:
        """Return the plan for one of several states, with its own random numbers."""
        return replace(self, root=child_seed_sequence(self.root, index))

    def sample_source(self, at: OrderParameters | Directions) -> TokenSource | ScoreAndValueSource:
        """Return the source of samples: whole tokens, or only the coordinates that matter."""
        if self.method != "plain":
            state = at.overlaps if isinstance(at, Directions) else at
            state = ORACLE if self.predictor.oracle else state
            return ScoreAndValueSource(
                self.task,
                replace(self.locations, fixed=isinstance(self.predictor, AttentionPredictorBase)),
                state,
                self.method == "conditioned",
                self.antithetic,
                self.predictor.mirrors_all,
            )
        if not isinstance(at, Directions):
            at = Directions.draw_with_overlaps(at, self.task, child_seed_sequence(self.root, 0))
        return self.whole_token_source(at)

    def whole_token_source(self, at: Directions, kept: bool = False) -> TokenSource:
        """Return the source of whole tokens for given directions."""
        k, v = (at.k_star, at.v_star) if self.predictor.oracle else (at.k, at.v)
        return TokenSource(self.task, self.locations, k, v, at.k_star, at.v_star, kept)

    def sample_moments(
        self,
        quantity: Quantity,
        source: TokenSource | ScoreAndValueSource,
        keep: Callable[[_Array], None] | None = None,
    ) -> RunningMoments:
        """Sample a quantity and return its running mean and covariance."""
        progress = self.progress
        if progress is not None and self.antithetic:
            told = progress

            def progress(done: int, error: float) -> None:
                told(2 * done, error)

        return sample_quantity(
            quantity,
            source,
            child_seed_sequence(self.root, 1),
            self.observations,
            self.target,
            progress,
            keep,
        )

    def variance_gain(self, quantity: Quantity, at: Any, moments: RunningMoments) -> _Array | None:
        """Return the factor by which the variance is reduced, from a pilot sample."""
        if not self.uses_variance_reduction:
            return None
        plan = replace(self, method="projected", antithetic=False)
        count = max(2, min(_PILOT, self.observations))
        pilot = sample_quantity(
            quantity, plan.sample_source(at), child_seed_sequence(self.root, 2), count
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            return pilot.variance / (self.samples_per_observation * moments.variance)

    def estimate(
        self,
        moments: RunningMoments,
        gain: _Array | None,
        convert: Callable[[_Array], Any],
    ) -> Estimate:
        """Return an `Estimate` from the moments of the samples."""
        return Estimate(
            convert(moments.mean),
            convert(moments.stderr),
            moments.count * self.samples_per_observation,
            moments.count,
            None if gain is None else convert(gain),
            self.target,
        )


def make_plan(
    predictor: Predictor,
    task: Task,
    probabilities: ArrayLike | None,
    method: str,
    antithetic: bool,
    max_samples: int,
    target_stderr: float | None,
    rng: Any,
    progress: Progress | None,
) -> SamplingPlan:
    """Validate the arguments of a Monte Carlo estimator and return its sampling plan."""
    if not isinstance(predictor, AttentionPredictorBase | Linear):
        raise TypeError(
            f"predictor must be a HardOracle, Softmax, Erf or Linear; got {predictor!r}"
        )
    if not isinstance(task, Task):
        raise TypeError(f"task must be a Task; got {task!r}")
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    if not isinstance(antithetic, bool | np.bool_):
        raise ValueError(f"antithetic must be True or False; got {antithetic!r}")
    if antithetic and method == "plain":
        raise ValueError(
            "antithetic must be False for method='plain'; got True. method='projected' has pairs"
        )
    if isinstance(predictor, Linear) and method == "conditioned":
        raise ValueError(
            "method must be 'plain' or 'projected' for a linear predictor, which has no scores; "
            "got 'conditioned'"
        )
    count = require_integer("max_samples", max_samples, 4 if antithetic else 2)
    target = None if target_stderr is None else require_positive("target_stderr", target_stderr)
    p = None if probabilities is None else require_real_array("probabilities", probabilities)
    if p is not None or isinstance(predictor, Linear):
        best = best_linear(task, p)  # which looks at the probabilities
    if isinstance(predictor, Linear):
        if predictor.coefficients is None:
            predictor = Linear(best.coefficients)
        shape = np.asarray(predictor.coefficients).shape
        if shape != (task.L, 2):
            raise ValueError(f"coefficients must have shape ({task.L}, 2); got {shape}")
    return SamplingPlan(
        predictor,
        task,
        LocationLaw(task, p),
        method,
        bool(antithetic),
        count // 2 if antithetic else count,
        target,
        root_seed_sequence(rng),
        progress,
    )


def estimate_at_states(
    plan: SamplingPlan,
    at: ArrayLike | Directions,
    estimate_at: Callable[[SamplingPlan, OrderParameters | Directions], Estimate],
) -> Estimate:
    """Estimate at one or several states; return one estimate, with arrays for several states."""
    if isinstance(at, Directions):
        require_task_dimension(at, plan.task)
        return estimate_at(plan.for_state(0), at)
    states = require_feasible_overlaps(at, plan.task)
    rows = [OrderParameters(*map(float, row)) for row in states.reshape(-1, 5)]
    found = [estimate_at(plan.for_state(i), row) for i, row in enumerate(rows)]
    return found[0] if states.ndim == 1 else stack_estimates(found, states.shape[:-1])


def require_task_dimension(at: Directions, task: Task) -> None:
    """Raise an error if vectors have another dimension than the task."""
    if at.k.shape != (task.d,):
        raise ValueError(f"at must have vectors of shape ({task.d},); got {at.k.shape}")


_SLACK = 1e-8


@dataclass(frozen=True, eq=False)
class Directions:
    r"""The vectors k and v of a predictor, and the true directions k* and v*.

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
            x = require_real_array(field.name, getattr(self, field.name))
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
                raise ValueError(
                    f"{field.name} must be a unit vector; its norm is {np.linalg.norm(x)}"
                )
        inner = float(self.k_star @ self.v_star)
        if not abs(inner) < _SLACK:
            raise ValueError(
                f"k_star and v_star must be orthogonal; their inner product is {inner}"
            )

    @classmethod
    def draw_with_overlaps(cls, state: ArrayLike, task: Task, rng: SeedSequence) -> Directions:
        """Draw vectors in R^d with given overlaps, in a random position.

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
        states = np.asarray(state, dtype=np.float64)[None]
        return cls(*(x[0] for x in draw_vectors_and_stars_with_overlaps(states, task.d, seed)))

    @property
    def overlaps(self) -> OrderParameters:
        """The five overlaps of the vectors k, v, k* and v*."""
        x = (self.k, self.v, self.k_star, self.v_star)
        return OrderParameters(*(float(x[i] @ x[j]) for i, j in PLACES))

    def in_span_basis(self) -> tuple[Directions, _Array]:
        """Return the directions in an orthonormal basis of their span, and the basis.

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


def require_feasible_overlaps(at: ArrayLike, task: Task, name: str = "at") -> _Array:
    """Return overlaps as an array; raise an error if no k, v, k*, v* in R^d have them."""
    states = require_real_array(name, at, "overlaps of shape (..., 5), or Directions")
    if states.ndim == 0 or states.shape[-1] != 5 or not states.size:
        raise ValueError(
            f"{name} must be Directions, or overlaps of shape (..., 5): "
            f"{', '.join(OrderParameters._fields)}; got the shape {states.shape}"
        )
    require_feasible(states.reshape(-1, 5), min(task.d, 4), name)
    return states


def overlap_gradients_gram_matrix(state: ArrayLike, task: Task) -> _Array:
    r"""Return the Gram matrix of the Riemannian gradients of the five overlaps."""
    (points,) = vectors_from_overlaps(np.asarray(state, dtype=np.float64)[None], task)
    along: _Array = overlap_jacobian(points) @ tangent_basis(points)
    return along @ along.T
