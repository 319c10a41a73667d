"""Search for critical points of the risk of a model, up to its symmetries."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slrsym.jobs import show_progress
from slrsym.kernels.arguments import float_or_nan, require_integer
from slrsym.models.landscape.critical_point_search import SearchCoverage, search_gradient_zeros
from slrsym.models.landscape.critical_point_table import (
    CriticalPoint,
    CriticalPoints,
    number_repeated_names,
)
from slrsym.models.landscape.distinct_points import (
    FoundPoint,
    KnownPoints,
    noise_variance,
    norm_of_gradient,
)
from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections
from slrsym.models.landscape.search_starts import (
    StartDraws,
    Starts,
    first_points,
    points_between_known,
)
from slrsym.models.training.parameter_values import parameter_values_by_name
from slrsym.models.training.simulation import require_trained_directions

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

# How many searches go together; where a mean is a quadrature, few, so that progress is seen.
_BATCH, _QUADRATURES = 512, 16
# Relative to the largest curvature: below it curvatures and gradients vanish.
_FLAT, _ARRIVED = 1e-7, 1e-9
# Below it they are rounding.
_VANISHES = 1e-13
_NEAR = 1e-5
# How far along a flat direction another point of a continuum is looked for.
_ASIDE = 0.2


def search_model_critical_points(
    model: DerivedModel,
    values: Mapping[Any, Any],
    *,
    starts: int = 50,
    max_expected_missed: float | None = None,
    max_starts: int = 10_000,
    confirm: bool = False,
    names: Mapping[str, Mapping[Any, float]] | None = None,
    rng: Any = None,
    progress: bool | None = None,
) -> CriticalPoints:
    """Search for critical points of a model's risk from random starts; return a table of them."""
    require_trained_directions(model, "landscape", "gradient-flow", "fixed_points(...)")
    named = named_states(model, names or {})
    generator = np.random.default_rng(rng)
    draws = StartDraws(model, values, generator)
    starts = require_integer("starts", starts, 1)
    max_starts = require_integer("max_starts", max_starts, 1)
    if max_expected_missed is not None and not float_or_nan(max_expected_missed) > 0:
        raise ValueError(f"max_expected_missed must be positive; got {max_expected_missed!r}")
    known = search_in_batches(
        draws,
        generator,
        starts,
        max_expected_missed,
        max(starts, max_starts),
        progress,
        enclose=confirm,
    )
    if confirm and not known.are_enclosable:
        warnings.warn(
            "no point is confirmed: ball arithmetic needs closed forms, one eigenspace, and fixed "
            "directions that do not depend on each other",
            RuntimeWarning,
            stacklevel=3,
        )
    rows = _rows(known, confirm)
    rows.sort(key=lambda p: (p.risk, tuple(p.state)))
    rows = number_repeated_names(
        [replace(p, name=named_with(known, p.state, named)) for p in rows] if named else rows
    )
    coverage = SearchCoverage(known.begun, tuple(p.hits for p in rows if p.hits))
    euler = None if any(p.continuum or p.plateau for p in rows) else known.euler_sum()
    return CriticalPoints(
        tuple(p.name for p in model.order_parameters),
        tuple(rows),
        coverage,
        len(known.symmetries.transformations),
        euler,
        None if euler is None else known.euler_expected,
        known.by_name,
    )


def search_in_batches(
    draws: Starts,
    rng: np.random.Generator,
    starts: int,
    max_expected_missed: float | None,
    max_starts: int,
    progress: bool | None,
    *,
    enclose: bool = False,
    isolated: bool = False,
) -> KnownPoints:
    """Search from batches of starts, until few points are expected to be missed; return them.

    With `enclose`, points are enclosed in balls once they are found, and counted if they are; those
    that symmetries fix are known from the start. Of several batches every other one begins where
    valleys lead between known points, to saddles that starts anywhere miss. If all critical points
    are isolated up to rotations, ends where the risk is flat are none, and only counted.
    """
    known: KnownPoints | None = None
    while True:
        there, points = draws.draw(starts)
        if known is None:
            known = KnownPoints(there, draws.by_name, encloses=enclose)
            for point in known.points_fixed_by_symmetry() if known.encloses else ():
                known.add(point, hits=0)
        there, begun = known.there, known.begun
        if begun // starts % 2:
            points = points_between_known(known, points, rng)
        size = _BATCH if there.model.is_additive else _QUADRATURES
        with show_progress(progress, "searches", starts, counted=True) as shown:
            for begin in range(0, starts, size):
                some = points[begin : begin + size]
                if not begun // starts % 2:
                    some = first_points(there, some, begun + begin, rng)
                ends, lost = _searched(there, some)
                known.lost += lost
                for one in ends:
                    if isolated and one.flat and known.find(one.state) is None:
                        known.flat_ends += 1
                    else:
                        known.add(one.point, plateau=one.plateau, flat=one.flat)
                shown(len(some))
        known.begun += starts
        missed = known.coverage.expected_missed
        balanced = known.euler_sum() in (None, known.euler_expected)
        few = max_expected_missed is None or (missed <= max_expected_missed and balanced)
        if few or known.begun + starts > max_starts:
            break
    if known.lost:
        warnings.warn(
            f"{known.lost} of {known.begun} searches ended where the risk or a derivative is not "
            "finite: critical points there are not listed",
            RuntimeWarning,
            stacklevel=5,
        )
    return known


def named_states(
    model: DerivedModel, names: Mapping[str, Mapping[Any, float]]
) -> dict[str, dict[int, float]]:
    """Return the named points as order parameters by their places; raise if one is unknown."""
    found: dict[str, dict[int, float]] = {}
    places = {p.name: i for i, p in enumerate(model.order_parameters)}
    for name, state in names.items():
        by_name = parameter_values_by_name(model, state) if isinstance(state, Mapping) else None
        if by_name is None or not by_name.keys() <= places.keys():
            raise ValueError(
                f"names must map each name to order parameters ({', '.join(places)}); got "
                f"{state!r} for {name!r}"
            )
        found[name] = {places[p]: float(x) for p, x in by_name.items()}
    return found


def named_with(known: KnownPoints, state: Any, named: Mapping[str, Mapping[int, float]]) -> str:
    """Return the first name whose order parameters a state has, up to symmetries."""
    images = known.symmetries.images(np.asarray(state, dtype=np.float64))
    for name, wanted in named.items():
        places, values = list(wanted), np.array(list(wanted.values()))
        if (np.abs(images[:, places] - values).max(axis=-1, initial=0.0) < 1e-6).any():
            return name
    return ""


def _searched(there: RiskOfTrainedDirections, points: Array) -> tuple[list[FoundPoint], int]:
    """Run a search from each point; return critical points, and how many ends are not finite."""
    with np.errstate(all="ignore"):
        ends = search_gradient_zeros(
            points, there.tangent_gradient_hessian_and_basis, there.spheres.retract
        )[0]
        grad, hess, _ = there.tangent_gradient_hessian_and_basis(ends, central_differences=True)
        risks, _ = there.risk_and_gradient(ends)
    good = np.flatnonzero(np.isfinite(hess).all(axis=(1, 2)) & np.isfinite(risks))
    states = there.order_parameters_at(ends)
    found: list[FoundPoint] = []
    for i, values, vectors in zip(good, *np.linalg.eigh(hess[good]), strict=True):
        size = max(1.0, np.abs(values).max(initial=0.0))
        if np.abs(grad[i]).max(initial=0.0) <= _ARRIVED * size:
            step, bend = np.abs(vectors.T @ grad[i]), np.abs(values)
            # Where the risk is flat to rounding, Newton's method would go far nevertheless.
            far = step >= _NEAR * bend
            plateau = bool((far & (bend > _FLAT * size)).any())
            vanishing = int((far | (bend <= _VANISHES * size)).sum())
            flat = vanishing > 0 and vanishing > there.orbit_dimension(ends[i], there.widths)
            found.append(FoundPoint(ends[i], states[i], plateau=plateau, flat=flat))
    return found, len(ends) - len(good)


def _rows(known: KnownPoints, confirm: bool) -> list[CriticalPoint]:
    """Return a row of the table for each isolated critical point and each continuum of them."""
    rows: list[CriticalPoint] = []
    refused: list[float] = []
    for one in known.entries:
        row = _described(known, one, refused if confirm else None)
        twin = next((other for other in rows if _same_continuum(row, other)), None)
        if twin is None:
            rows.append(row)
        else:
            samples = np.concatenate([twin.samples, row.samples])
            first, second = sorted((twin, row), key=lambda p: -p.continuum)
            rows[rows.index(twin)] = replace(first, samples=samples, hits=first.hits + second.hits)
    return rows


def _same_continuum(row: CriticalPoint, other: CriticalPoint) -> bool:
    """Return whether two critical points belong to one continuum: equal risk and equal index.

    Where branches of it meet, a point is degenerate.
    """
    close = abs(row.risk - other.risk) <= 1e-8 * max(1.0, abs(row.risk))
    if row.plateau or other.plateau:
        return close and row.plateau == other.plateau
    either, both = row.continuum or other.continuum, (row, other)
    inside = all(p.continuum or p.kind == "degenerate" for p in both)
    return bool(close and either and inside and row.index == other.index)


def _described(known: KnownPoints, one: FoundPoint, refused: list[float] | None) -> CriticalPoint:
    """Return the table row of a critical point, or of the continuum that it belongs to.

    If it is to be confirmed, `refused` has the risks where a point could not be.
    """
    if one.enclosure is not None and one.enclosure.is_decided:
        return describe_point(known, one)
    there = known.there
    _, hess, basis = there.tangent_gradient_hessian_and_basis(one.point[None], True)
    inside, vectors = np.linalg.eigh(hess[0])
    size = max(1.0, max((abs(value) for value, _ in known.curvatures(one)), default=0.0))
    free = basis[0] @ vectors[:, np.abs(inside) <= _FLAT * size]
    risk = float(there.risk_and_gradient(one.point[None])[0][0])
    samples, continuum = _continuum(
        there, one, risk, there.directions_changing_order_parameters(one.point, free)
    )
    if refused is not None and not (continuum or one.plateau or one.enclosure is not None):
        # An attempt takes long. Where the risk is flat, hundreds of searches end beside each other.
        if not any(abs(risk - other) <= 1e-8 * max(1.0, abs(risk)) for other in refused):
            one.enclosure = known.enclosed(one.point)
        if one.enclosure is None:
            refused.append(risk)
    return describe_point(known, one, samples if continuum else None, continuum)


def describe_point(
    known: KnownPoints, one: FoundPoint, samples: Array | None = None, continuum: int = 0
) -> CriticalPoint:
    """Return the description of a critical point, with signs of curvatures in all dimensions.

    Where it is enclosed these are certain; else curvatures below rounding count as zero.
    """
    there, spectrum, enclosure = known.there_of(one.point), known.curvatures(one), one.enclosure
    copies, first = known.copies(one.state)
    noise = noise_variance(there.model, known.by_name)
    if enclosure is None:
        risk = float(there.risk_and_gradient(one.point[None])[0][0])
        excess_risk, gradient, radius = risk - noise, norm_of_gradient(there, one.point), math.nan
    else:
        excess_risk, gradient = enclosure.excess_risk, enclosure.gradient_norm
        risk, radius = excess_risk + noise, enclosure.radius
    decided = enclosure is not None and enclosure.is_decided
    if decided and enclosure is not None:
        index, flat, _ = enclosure.inertia(known.d)
    else:
        size = max(1.0, max((abs(value) for value, _ in spectrum), default=0.0))
        index = sum(n for value, n in spectrum if value < -_FLAT * size)
        flat = sum(n for value, n in spectrum if abs(value) <= _FLAT * size)
    samples = first[None] if samples is None else samples
    return CriticalPoint(
        state=samples[0],
        risk=risk,
        excess_risk=excess_risk,
        spectrum=spectrum,
        index=index,
        flat=flat,
        orbit=there.orbit_dimension(one.point) + continuum,
        continuum=continuum,
        copies=copies,
        hits=one.hits,
        samples=samples,
        plateau=one.plateau,
        gradient=gradient,
        radius=radius,
        confirmed=decided,
    )


def _continuum(
    there: RiskOfTrainedDirections, one: FoundPoint, risk: float, free: Array
) -> tuple[Array, int]:
    """Return states of the continuum around a critical point, and the dimension of the continuum.

    Curvature may vanish without a continuum: then searches from aside come back.
    """
    samples = [one.state]
    if len(free):
        steps = free.reshape(-1, *one.point.shape) * _ASIDE
        aside = there.spheres.retract(one.point[None], np.concatenate([steps, -steps]))
        samples += [
            other.state
            for other in _searched(there, aside)[0]
            if abs(there.risk_and_gradient(other.point[None])[0][0] - risk)
            <= 1e-8 * max(1.0, abs(risk))
            and np.abs(other.state - one.state).max() > 1e-3
        ]
    return np.array(samples), len(free) if len(samples) > 1 else 0
