"""Comparison of a model with sampled tokens, and counts of recovering runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from slrsym.files import SavingFailedError
from slrsym.models.definition.specification import Direction
from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections
from slrsym.models.sampling.estimates import Estimate
from slrsym.models.sampling.running_means import RunningMoments, child_seed_sequence
from slrsym.models.sampling.sampled_errors import EvaluatedBatch, SampledErrors
from slrsym.models.sampling.sampled_risk import SampledPoint, Sampling, make_plan, sampled_point
from slrsym.models.sampling.token_batches import TokenBatch
from slrsym.models.sampling.token_laws import token_cases
from slrsym.models.training.recovery_sweep import (
    least_aligned_overlaps,
    recovery_statistics,
    require_pairs,
)
from slrsym.models.training.runs import Runs
from slrsym.models.training.simulation import simulate
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel


Array = NDArray[np.float64]


_MOMENTS = ("output", "squared output", "output times target")


@dataclass(frozen=True)
class SampledTokenComparison:
    """Comparison of a model's exact risk and gradient with averages over tokens sampled in R^d.

    Of a model whose risk is not known there is the average alone, with the `reason`. The moments
    are those of the output, its square, and its product with the target, of the squared error.
    """

    risk: float
    estimate: float
    error: float
    z_scores: dict[str, float]
    reason: str | None = None
    samples: int = 0
    method: str = "plain"
    moments: dict[str, Estimate] = field(default_factory=dict)

    @property
    def is_passed(self) -> bool:
        """Whether risk and gradient agree with sampled tokens within five standard errors."""
        # A score that is no number compares nothing.
        return self.reason is None and all(abs(z) < 5 for z in self.z_scores.values())

    def _repr_html_(self) -> str:
        return str(load_registered("fields.html")(self))

    def __repr__(self) -> str:
        if self.reason is not None:
            return (
                f"Not compared with sampled tokens: {self.reason}\n"
                f"  risk:     sampled {self.estimate:.6g}, standard error {self.error:.2g}"
            )
        scores = ", ".join(f"{name} {z:.2f}" for name, z in self.z_scores.items() if name != "risk")
        return (
            f"{'Agrees' if self.is_passed else 'Disagrees'} with sampled tokens\n"
            f"  risk:     {self.risk:.6g}; sampled {self.estimate:.6g}, standard error "
            f"{self.error:.2g}, z = {self.z_scores['risk']:.2f}\n"
            f"  z-scores: {scores}"
        )


# Up to how many normal numbers whole tokens are drawn, if nothing is said of the method.
_MOST_WHOLE = 1e9

# Of what is compared, relative to its size: less is rounding.
_ROUNDING = 1e-13


class _Derivatives:
    """The gradient and the curvature of the risk at a point, sampled and exact."""

    def __init__(self, way: Sampling, curvature: bool, seed: SeedSequence) -> None:
        point = way.point
        self.model, self.point, self.where = point.model, point, way.geometry()
        self._tangents: dict[Direction, Direction] = {}
        trained, self._widths = self.model.trained_directions, point.rows(way.method == "plain")[1]
        if curvature:
            # Room for tangents beside the directions, which whole tokens have.
            if way.method == "projected":
                self.where = self.where.with_room(len(trained))
                self._widths = [n + len(trained) for n in self._widths]
            rows = self.where.stack(trained)
            drawn = np.random.default_rng(seed).standard_normal(rows.shape)
            along = self.model.flow.spheres.project(rows, drawn)
            self._tangents = {x: Direction(f"tangent in {x}") for x in trained}
            self.where.vectors.update(zip(self._tangents.values(), along, strict=True))
        # On a sphere, what is tangent to it: the risk is not a function of lengths there.
        gram = self.where.stack(self.model.directions)
        self._gram = gram[: len(trained)] @ gram.T
        self._pairs = [
            (i, j)
            for i, x in enumerate(trained)
            for j, y in enumerate(self.model.directions)
            if not (y is x and x.on_sphere)
        ]

    @property
    def directions(self) -> list[Direction]:
        """The directions that tokens are projected on."""
        return [*self.model.directions, *self._tangents.values()]

    @property
    def names(self) -> list[str]:
        """The names of what is sampled, in order."""
        names = [str(x) for x in self.model.directions]
        slopes = [f"gradient in {names[i]}, along {names[j]}" for i, j in self._pairs]
        return slopes + ["curvature along a random geodesic"] * bool(self._tangents)

    def _radial(self, i: int, j: int) -> float:
        return float(self._gram[i, j]) if self.model.trained_directions[i].on_sphere else 0.0

    def sampled(self, errors: SampledErrors, there: EvaluatedBatch) -> Array:
        """Return one row of derivatives for each sample."""
        slopes = errors.gradients(there, self.model.directions, self.where)
        trained = self.model.trained_directions
        ridge = [float(self.model.ridge_of(x).subs(self.point.given)) for x in trained]
        columns = [
            slopes[:, i, j] - self._radial(i, j) * slopes[:, i, i] + ridge[i] * self._gram[i, j]
            for i, j in self._pairs
        ]
        if self._tangents:
            lengths = np.sum(self.where.stack(list(self._tangents.values())) ** 2, axis=1)
            columns.append(errors.curvatures(there, self._tangents, lengths) + ridge @ lengths)
        return np.array(columns).reshape(-1, len(there.error)).T

    def exact_slopes(self, gradient: Array) -> list[float]:
        """Return the slopes that the risk has, from its gradient in the order parameters."""
        factor = self.point.factor
        vectors = self.model.flow.gradient_vectors(factor, gradient)
        slopes = np.sum(vectors @ np.swapaxes(factor, -1, -2), axis=0)
        return [float(slopes[i, j] - self._radial(i, j) * slopes[i, i]) for i, j in self._pairs]

    def exact_curvature(self) -> float:
        """Return the curvature that the risk has along the geodesic."""
        t, widths = len(self._tangents), list(self._widths)
        rows = self.where.stack(self.model.directions)
        there = RiskOfTrainedDirections(self.model, self.point.row, rows[t:], widths, widths)
        return there.curvature_along(rows[:t], self.where.stack(list(self._tangents.values())))


def compare_with_sampled_tokens(
    model: DerivedModel,
    values: Mapping[Any, Any],
    *,
    start: Any = "uniform",
    samples: int = 100_000,
    method: str = "auto",
    antithetic: bool = False,
    curvature: bool = False,
    rng: Any = None,
) -> SampledTokenComparison:
    """Return a comparison of a model's risk and derivatives with averages over sampled tokens."""
    asked = "projected" if method == "auto" else method
    plan = make_plan(asked, antithetic, samples, None, rng)
    point = sampled_point(model, values, start, child_seed_sequence(plan.root, 0))
    if method == "auto" and not plan.antithetic:
        plan = replace(plan, method=_chosen_method(point, samples))
    way = Sampling(point, plan.method, plan.antithetic)
    # Given scores there are no samples of derivatives: these are drawn by themselves.
    apart = plan.method == "conditioned"
    derivatives = _Derivatives(
        replace(way, method="projected") if apart else way,
        curvature,
        child_seed_sequence(plan.root, 3),
    )
    where, penalty = derivatives.where, point.penalty
    has_outputs = model.loss is None

    def moments_of(way: Sampling, parts: tuple[bool, bool], key: int) -> RunningMoments:
        """Sample risk and outputs, derivatives, or both."""
        cases = token_cases(model, where, point.given, derivatives.directions if parts[1] else ())
        source = way.source(cases, where)
        errors = way.errors(cases, source)

        def rows(batch: TokenBatch) -> Array:
            there, found = errors.evaluate(batch), []
            if parts[0]:
                found.append(errors.risks(there) + penalty)
                if has_outputs:
                    found.append(errors.output_moments(there))
            if parts[1]:
                found.append(derivatives.sampled(errors, there))
            return np.concatenate(found, axis=1)

        root = child_seed_sequence(plan.root, key)
        return replace(plan, root=root).sample_moments(rows, source)

    found = moments_of(way, (True, not apart and point.reason is None), 1)
    names = ["risk", *_MOMENTS[: 3 * has_outputs]]
    estimates = {name: plan.estimate(found, None, k) for k, name in enumerate(names)}
    risk = estimates.pop("risk")
    told: dict[str, Any] = {"samples": risk.samples, "method": plan.method, "moments": estimates}
    if point.reason is not None:
        return SampledTokenComparison(np.nan, risk.value, risk.stderr, {}, point.reason, **told)
    exact = model.compile("numpy", "risk", "gradient")(
        model.flow.order_parameters_of_gram_factor(point.factor), *point.row
    )
    first = len(names)
    if apart:
        found, first = moments_of(replace(way, method="projected"), (False, True), 4), 0
    scores = {"risk": _score(risk, exact[0], risk.value)}
    slopes = derivatives.exact_slopes(exact[1:])
    for k, name in enumerate(derivatives.names):
        estimate = plan.estimate(found, None, first + k)
        # There is no mean over tokens across a jump, nor is the curvature of softmax one.
        if np.isfinite(estimate.value):
            value = slopes[k] if k < len(slopes) else derivatives.exact_curvature()
            scores[name] = _score(estimate, value, risk.value)
    return SampledTokenComparison(float(exact[0]), risk.value, risk.stderr, scores, **told)


def _chosen_method(point: SampledPoint, samples: int) -> str:
    """Return whole tokens where these are not too many numbers, and else projections."""
    if point.model.reconstructed:
        return "plain"
    if point.dimensions is None:
        return "projected"
    cases = point.model.role_count_cases()
    tokens = max(sum(float(n.subs(point.given)) for _, n in counts.values()) for counts, _ in cases)
    return "plain" if samples * tokens * sum(point.dimensions) <= _MOST_WHOLE else "projected"


def _score(estimate: Estimate, exact: float, scale: float) -> float:
    """Return a deviation in standard errors; 0 where it is rounding of terms of some size."""
    if abs(estimate.value - exact) <= _ROUNDING * max(abs(scale), abs(exact)):
        return 0.0
    return float(estimate.zscore(exact))


@dataclass(frozen=True)
class Recovery:
    """Fraction of runs in which all chosen pairs end aligned, with Wilson's 95 % interval.

    Runs that have left all numbers are undecided. With them the fraction is NaN, and lies between
    two bounds.
    """

    fraction: float
    interval: tuple[float, float]
    runs: Runs
    undecided: int = 0
    bounds: tuple[float, float] | None = None

    def _repr_html_(self) -> str:
        return str(load_registered("fields.html")(self, ["fraction", "interval"]))

    def __repr__(self) -> str:
        low, high = (f"{100 * x:.3g}" for x in self.interval)
        return (
            f"{share_text(self.fraction, self.bounds)} of {self.runs.sizes['run']} runs recover"
            f"{f', {self.undecided} undecided' if self.undecided else ''} "
            f"(95% interval {low} to {high} %)"
        )


def simulate_and_measure_recovery(
    model: DerivedModel,
    values: Mapping[Any, Any],
    pairs: Sequence[tuple[Direction, Direction]],
    *,
    min_overlap: float = 0.9,
    **options: Any,
) -> Recovery:
    """Return the fraction of simulated runs that end with all given pairs of directions aligned."""
    require_pairs(model, pairs, min_overlap)
    try:
        runs = simulate(model, values, **options)
    except SavingFailedError as problem:
        if problem.result is not None:
            problem.result = _recovery(problem.result, pairs, min_overlap)
        raise
    return _recovery(runs, pairs, min_overlap)


def _recovery(
    runs: Runs, pairs: Sequence[tuple[Direction, Direction]], min_overlap: float
) -> Recovery:
    least = least_aligned_overlaps(runs, pairs)
    found = {name: float(x) for name, x in recovery_statistics(least, min_overlap).items()}
    interval = found["lower"], found["upper"]
    bounds = found["count"] / len(least), (found["count"] + found["undecided"]) / len(least)
    return Recovery(found["fraction"], interval, runs, int(found["undecided"]), bounds)


def share_text(fraction: float, bounds: tuple[float, float] | None) -> str:
    """Return a fraction in per cent, or the range in which it lies if it is not known."""
    if bounds is None or np.isfinite(fraction):
        return f"{100 * fraction:.3g} %"
    return f"{100 * bounds[0]:.3g} to {100 * bounds[1]:.3g} %"
