"""Risks and moments of a model's outputs at a point, estimated from sampled tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray
from sympy import Expr, Symbol

from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.kernels.machine_limits import require_memory
from slrsym.models.definition.specification import NotClosedError
from slrsym.models.sampling.estimates import Estimate
from slrsym.models.sampling.running_means import (
    Progress,
    Quantity,
    RunningMoments,
    child_seed_sequence,
    root_seed_sequence,
    sample_quantity,
)
from slrsym.models.sampling.sampled_errors import SampledErrors, Weights
from slrsym.models.sampling.token_batches import ProjectionSource, WholeTokenSource
from slrsym.models.sampling.token_laws import Geometry, TokenCase, token_cases
from slrsym.models.training.initial_conditions import equal_dimensions
from slrsym.models.training.initial_gram_matrices import initial_gram_factors
from slrsym.models.training.parameter_values import (
    add_inner_products_of_start,
    parameter_row,
    parameter_values_by_name,
    require_value_of_d,
)

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

METHODS = ("plain", "projected", "conditioned")

# What is less of a coordinate is rounding, in the root of a matrix.
_FLAT = 1e-7

# How many observations the variance without reduction is measured with.
_PILOT = 10_000


def symbols_of_samples(model: DerivedModel) -> set[Symbol]:
    """Return the parameters of a model that its samples depend on."""
    parts: list[Expr] = [model.data.noise, model.ridge, *(e for e, _ in model.shares.values())]
    parts += [*(model.data.location or ()), *model.data.correlation.values()]
    for counts, probability in model.data.mixture:
        parts.append(probability)
        for token, count in counts.items():
            parts += [count, *token.mean.terms.values(), *token.eigenvalues, *token.spikes.values()]
    parts += [] if model.readout_error is None else [model.readout_error]
    found = {s for part in parts for s in part.free_symbols}
    found -= {s for _, names in model.shares.values() for s in names.values()}
    return found - {*model.sum_symbols, *model.products_in_shares}


@dataclass(frozen=True, eq=False)
class SampledPoint:
    """A point at which tokens are sampled: the directions of a model, and all its parameters.

    Parameters
    ----------
    model : DerivedModel
    factor : ndarray, shape (spaces, p, r)
        Of the Gram matrices of the directions.
    dimensions : list of int
        Of the eigenspaces; None without d.
    row : ndarray
        The parameters of the risk.
    given : mapping of Symbol to float
        All parameters.
    reason : str or None
        Why the risk is not known.
    """

    model: DerivedModel
    factor: Array
    dimensions: list[int] | None
    row: Array
    given: Mapping[Any, float]
    reason: str | None

    @property
    def penalty(self) -> float:
        """The part of the risk that is no mean over tokens: that of ridge."""
        squares = np.sum(self.factor**2, axis=(0, 2))
        trained = self.model.trained_directions
        ridge = [float(self.model.ridge_of(x).subs(self.given)) for x in trained]
        return float(np.dot(ridge, squares[: len(trained)]) / 2)

    def rows(self, whole: bool) -> tuple[Array, list[int]]:
        """Return the directions as rows, and how many coordinates each eigenspace has."""
        if not whole or self.dimensions is None:
            widths = [self.factor.shape[-1]] * len(self.factor)
            return np.concatenate([*self.factor], axis=1), widths
        blocks = []
        for part, n in zip(self.factor, self.dimensions, strict=True):
            if part.shape[1] > n:
                # A factor may have more coordinates than its directions span.
                left, sizes, _ = np.linalg.svd(part, full_matrices=False)
                if sizes[n:].max(initial=0.0) > _FLAT:
                    raise ValueError(
                        f"start must have directions in R^{n}; these span more dimensions"
                    )
                part = (left * sizes)[:, :n]
            blocks.append(np.pad(part, ((0, 0), (0, max(0, n - part.shape[1])))))
        return np.concatenate(blocks, axis=1), self.dimensions


def sampled_point(
    model: DerivedModel, values: Mapping[Any, Any], start: Any, seed: SeedSequence
) -> SampledPoint:
    """Return the point of a start and of values of the parameters, both checked.

    Parameters
    ----------
    model : DerivedModel
    values : mapping of Symbol or str to number
    start : Any
        As of `Model.simulate`; one point.
    seed : SeedSequence
        Of a random start.

    Returns
    -------
    SampledPoint
    """
    by_name = parameter_values_by_name(model, values)
    dimensions = None
    if "d" in by_name or model.spaces > 1 or isinstance(start, str):
        dimensions = equal_dimensions(require_value_of_d(by_name), model.spaces)
    factors = initial_gram_factors(model, by_name, start, None, default_rng(seed), dimensions)
    if len(factors) != 1:
        raise ValueError(f"start must be one point; got {len(factors)}")
    reason: str | None = None
    try:
        parameters = model.parameters
    except NotClosedError as problem:
        reason, parameters = str(problem), tuple(sorted(symbols_of_samples(model), key=str))
    add_inner_products_of_start(model, by_name, factors, parameters)
    row = parameter_row(model, by_name, parameters)
    given = dict(zip(parameters, row.tolist(), strict=True))
    # What the risk does not depend on may be anything.
    given |= {s: by_name.get(s.name, 1.0) for s in symbols_of_samples(model) - set(given)}
    # Inner products that shares have beside projections are those of the start.
    places = {x: i for i, x in enumerate(model.directions)}
    for p, (x, y, space) in model.products_in_shares.items():
        given[p] = float(factors[0][space, places[x]] @ factors[0][space, places[y]])
    return SampledPoint(model, factors[0], dimensions, row, given, reason)


@dataclass(frozen=True, eq=False)
class Sampling:
    """How a point is sampled: by whole tokens, projections, or means given scores.

    Parameters
    ----------
    point : SampledPoint
    method : {'plain', 'projected', 'conditioned'}
    antithetic : bool
        Whether samples come in pairs that mirror each other.
    """

    point: SampledPoint
    method: str
    antithetic: bool = False

    def __post_init__(self) -> None:
        model = self.point.model
        if self.method != "plain" and model.reconstructed:
            raise ValueError(
                "method must be 'plain' where a token is reconstructed, as its squared length is "
                f"no projection; got {self.method!r}"
            )
        if self.method == "conditioned" and model.readout_error is not None:
            raise ValueError(
                "method must be 'plain' or 'projected' for a readout of sums, which is not affine "
                f"in them; got {self.method!r}"
            )

    @property
    def noise(self) -> float:
        """The standard deviation of the noise of the target."""
        return float(self.point.model.data.noise.subs(self.point.given))

    def geometry(self) -> Geometry:
        """Return the directions, in R^d for whole tokens and in their span otherwise."""
        whole, model = self.method == "plain", self.point.model
        if whole and self.point.dimensions is not None:
            size = 24.0 * sum(self.point.dimensions) * (len(model.directions) + 1)
            require_memory(f"whole tokens in R^{sum(self.point.dimensions)}", size)
        rows, widths = self.point.rows(whole)
        space = np.repeat(np.arange(model.spaces), widths)
        return Geometry(dict(zip(model.directions, rows, strict=True)), space)

    def cases(self) -> tuple[list[TokenCase], Geometry]:
        """Return the compositions of the sequence of tokens, and where the directions are."""
        where = self.geometry()
        return token_cases(self.point.model, where, self.point.given), where

    def source(
        self, cases: Sequence[TokenCase], where: Geometry
    ) -> ProjectionSource | WholeTokenSource:
        """Return the source of samples of these cases."""
        if self.method == "plain":
            return WholeTokenSource(cases, self.noise, where)
        return ProjectionSource(cases, self.noise, self.method == "conditioned", self.antithetic)

    def errors(
        self,
        cases: Sequence[TokenCase],
        source: ProjectionSource | WholeTokenSource,
        weights: Weights | None = None,
    ) -> SampledErrors:
        """Return the error of the model on the samples of a source."""
        averaged = source.clusters if isinstance(source, ProjectionSource) else None
        if self.method != "conditioned":
            averaged = None
        return SampledErrors(self.point.model, cases, self.point.given, averaged, weights)


@dataclass(frozen=True)
class SamplingPlan:
    """How many samples are drawn at most, for which error, and from which random numbers."""

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
        """Number of samples in one observation: 2 for antithetic pairs, else 1."""
        return 2 if self.antithetic else 1

    def sample_moments(self, quantity: Quantity, source: Any) -> RunningMoments:
        """Sample a quantity and return its running mean and variance."""
        told, each = self.progress, self.samples_per_observation
        progress = None if told is None else lambda done, error: told(each * done, error)
        return sample_quantity(
            quantity, source, child_seed_sequence(self.root, 1), self.observations, self.target,
            progress,
        )  # fmt: skip

    def variance_gain(self, quantity: Quantity, source: Any, moments: RunningMoments) -> Array:
        """Return the factor by which the variance is reduced, from a pilot sample without."""
        count = max(2, min(_PILOT, self.observations))
        pilot = sample_quantity(quantity, source, child_seed_sequence(self.root, 2), count)
        with np.errstate(divide="ignore", invalid="ignore"):
            return pilot.variance / (self.samples_per_observation * moments.variance)

    def estimate(self, moments: RunningMoments, gain: Array | None, part: int = 0) -> Estimate:
        """Return a component of the running means as an `Estimate`."""
        return Estimate(
            float(moments.mean[part]),
            float(moments.stderr[part]),
            moments.count * self.samples_per_observation,
            moments.count,
            None if gain is None else float(gain[part]),
            self.target,
        )


def make_plan(
    method: str,
    antithetic: bool,
    samples: int,
    target_stderr: float | None,
    rng: Any,
    progress: Progress | None = None,
) -> SamplingPlan:
    """Validate the arguments of an estimate and return its sampling plan."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    if not isinstance(antithetic, bool | np.bool_):
        raise ValueError(f"antithetic must be True or False; got {antithetic!r}")
    if antithetic and method == "plain":
        raise ValueError(
            "antithetic must be False for method='plain'; got True. method='projected' has pairs"
        )
    count = require_integer("samples", samples, 4 if antithetic else 2)
    target = None if target_stderr is None else require_positive("target_stderr", target_stderr)
    return SamplingPlan(
        method,
        bool(antithetic),
        count // 2 if antithetic else count,
        target,
        root_seed_sequence(rng),
        progress,
    )


def estimate_mean(
    plan: SamplingPlan, point: SampledPoint, sampled: Callable[[Sampling], tuple[Quantity, Any]]
) -> Estimate:
    """Return the mean of a quantity at a point, with the gain of variance reduction.

    Parameters
    ----------
    plan : SamplingPlan
    point : SampledPoint
    sampled : callable
        From the way of sampling to the quantity and the source of its samples.

    Returns
    -------
    Estimate
    """
    quantity, source = sampled(Sampling(point, plan.method, plan.antithetic))
    moments = plan.sample_moments(quantity, source)
    gain = None
    if plan.uses_variance_reduction:
        gain = plan.variance_gain(*sampled(Sampling(point, "projected")), moments)
    return plan.estimate(moments, gain)


def sample_risk(
    model: DerivedModel,
    values: Mapping[Any, Any],
    *,
    start: Any = "uniform",
    samples: int = 100_000,
    method: str = "projected",
    antithetic: bool = False,
    target_stderr: float | None = None,
    rng: Any = None,
    progress: Progress | None = None,
    weights: Weights | None = None,
) -> Estimate:
    """Estimate the risk of a model at a point from sampled tokens.

    Parameters
    ----------
    model : Model
    values : mapping of Symbol or str to number
        The parameters of the model.
    start : optional
        The directions: one point, as of `Model.simulate`.
    samples : int, optional
        How many samples at most, at least 2; exactly so many if there is no target. Of an odd
        number, one is left out for pairs.
    method : {'projected', 'plain', 'conditioned'}, optional
        ``plain`` draws whole tokens in R^d, as the model states them; ``projected`` their
        projections, exactly in law and at a cost free of d; ``conditioned`` the projections in
        which shares are not affine, over which the error is averaged in closed form given these.
    antithetic : bool, optional
        Whether to draw pairs of samples that mirror each other; not for ``plain``.
    target_stderr : float, optional
        Stop as soon as the standard error is as small; it is looked at after every 4096
        observations, two times at least.
    rng : int, SeedSequence, Generator or None, optional
        Where the random numbers come from.
    progress : callable, optional
        Called after each block with the samples so far and the standard error.
    weights : callable, optional
        From the scores of all tokens, shape (n, L), to their weights, in place of softmax.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If a parameter is missing or out of its range, or `start` does not fit this model.

    Notes
    -----
    Which random numbers are drawn does not depend on how many are held in memory at once, which is
    about 8 megabytes, or one token if that is larger; more samples begin with those of fewer.
    Stopping at a target makes the interval shorter than its level by a little, as any rule does
    that looks at the data. Where attention is saturated, what is left of a risk may rest on samples
    that are too rare to be met; an estimate without them is off by more than its error says.
    """
    plan = make_plan(method, antithetic, samples, target_stderr, rng, progress)
    point = sampled_point(model, values, start, child_seed_sequence(plan.root, 0))
    penalty = point.penalty

    def risks(way: Sampling) -> tuple[Quantity, Any]:
        cases, where = way.cases()
        source = way.source(cases, where)
        errors = way.errors(cases, source, weights)
        return (lambda batch: errors.risks(errors.evaluate(batch)) + penalty), source

    return estimate_mean(plan, point, risks)
