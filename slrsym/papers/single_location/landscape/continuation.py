r"""Pseudo-arclength continuation of branches of critical points in the inverse temperature.

The unknowns are k, v and log(lambda). A step along the tangent of the branch is corrected by
Newton's method, orthogonal to it, so that a branch may turn back. It ends where it leaves the range
of lambda, or where it meets its own mirror image under a symmetry of the risk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.compile import numpy_function
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.program import Program, program_function_cached_on_disk
from slrsym.papers.single_location import symbolic
from slrsym.papers.single_location.dynamics.spheres import (
    ambient_gradient_and_lagrangian_hessian,
    lagrange_multipliers,
    overlap_jacobian,
    overlaps_of_vectors,
    retract_to_spheres,
    tangent_basis,
)
from slrsym.papers.single_location.landscape.points import coordinate_signs_of_symmetries
from slrsym.papers.single_location.notation import ORDER_PARAMETERS, lam
from slrsym.papers.single_location.paper_risk import gradient
from slrsym.papers.single_location.paper_risk_expressions import PARAMETERS
from slrsym.papers.single_location.task import Task

_Array = NDArray[np.float64]

_FIRST, _SHORTEST, _LONGEST = 0.02, 1e-9, 0.1
_MOST_STEPS = 4000
# Tangents of neighbouring places may differ by an angle with this cosine.
_BEND = 0.98
# Relative to the largest curvature.
_NOISE = 1e-11


def gradient_derivative_in_lambda_program() -> Program:
    """Return the program of the derivative in lambda of the gradient of the risk."""
    return program_from_expressions(
        list(symbolic.gradient().diff(lam)), ORDER_PARAMETERS, PARAMETERS
    )


@cache
def _rate_in_lam() -> Any:
    return numpy_function(
        program_function_cached_on_disk(
            "slrsym.papers.single_location.landscape.continuation.gradient_derivative_in_lambda_program"
        )()
    )


@dataclass(frozen=True, eq=False)
class BranchPoint:
    """A critical point on a branch, with the tangent of the branch there."""

    point: _Array
    log_lam: float
    tangent: _Array
    descending: int


@dataclass(frozen=True, eq=False)
class HalfBranch:
    """A branch followed from a critical point in one direction, with its events."""

    places: tuple[BranchPoint, ...]
    events: tuple[tuple[str, BranchPoint], ...]


def _equations(point: _Array, log_lam: float, task: Task) -> tuple[_Array, _Array, _Array]:
    """Return the gradient, its Jacobian in (tangent coordinates, log lambda), and the basis."""
    lam = math.exp(log_lam)
    grad, hess = ambient_gradient_and_lagrangian_hessian(point, lam, task)
    basis = tangent_basis(point)
    partial = lam * _rate_in_lam()(overlaps_of_vectors(point), lam, *task.kernel_parameters)
    column = basis.T @ (overlap_jacobian(point).T @ partial)
    jacobian = np.column_stack([basis.T @ hess @ basis, column])
    return basis.T @ grad.ravel(), jacobian, basis


def correct_to_critical_point(point: _Array, lam: float, task: Task) -> _Array | None:
    """Return the critical point near a given point by Newton's method, or None."""
    start = point
    for _ in range(20):
        grad, jacobian, basis = _equations(point, math.log(lam), task)
        step = -np.linalg.lstsq(jacobian[:, :-1], grad, rcond=1e-14)[0]
        size = float(np.linalg.norm(step))
        if size > 0.5:
            return None
        point = retract_to_spheres(point, (basis @ step).reshape(point.shape))
        if size < 1e-12:
            break
    return point if np.abs(point - start).max() < 0.3 else None


def morse_indices_and_outer_curvatures(
    points: _Array, lam: Any, task: Task
) -> tuple[_Array, _Array, NDArray[np.bool_]]:
    """Return indices within the given dimensions, curvatures in further ones, certainty flags.

    Shapes are (..., 2, m) and (...) to (...), (..., 2) and (...).
    """
    grad, hess = ambient_gradient_and_lagrangian_hessian(points, lam, task)
    basis = tangent_basis(points)
    values = np.linalg.eigvalsh(np.swapaxes(basis, -1, -2) @ hess @ basis)
    weights = lagrange_multipliers(points, grad)
    pair = -weights[..., None] * np.eye(2)
    pair[..., 0, 1] = pair[..., 1, 0] = gradient(overlaps_of_vectors(points), lam, task)[..., 4]
    beyond = np.abs(points[..., 2:]).max(axis=(-2, -1), initial=0.0) > 1e-6
    one = np.stack([np.zeros(beyond.shape), -weights.sum(axis=-1)], axis=-1)
    across = np.where(beyond[..., None], one, np.linalg.eigvalsh(pair))
    noise = _NOISE * np.abs(values).max(axis=-1, keepdims=True)
    sure = (np.abs(values) > noise).all(axis=-1)
    sure &= ((np.abs(across) > noise) | (across == 0.0)).all(axis=-1)
    return (values < 0).sum(axis=-1), across, sure


def follow_branch(
    point: _Array, lam: float, task: Task, direction: int, low: float, high: float
) -> HalfBranch:
    """Follow the branch through a critical point in one direction, and return that half."""
    ends = math.log(low), math.log(high)
    here = _place(point, math.log(lam), task, None, direction)
    places, events = [here], []
    length = _FIRST
    while len(places) < _MOST_STEPS and length > _SHORTEST:
        there = _step(here, length, task)
        if there is None:
            length /= 2
            continue
        # Past the end of the range there is nothing to look at.
        outside = not ends[0] <= there.log_lam <= ends[1]
        turned = there.tangent[-1] * here.tangent[-1] < 0
        if not outside and (turned or there.descending != here.descending):
            kind, event = _located(here, length, task, turned)
            events.append((kind, event))
            if kind == "pitchfork":
                places.append(event)
                break
        if outside:
            edge = ends[0] if there.log_lam < ends[0] else ends[1]
            last = correct_to_critical_point(here.point, math.exp(edge), task)
            if last is not None:
                places.append(_place(last, edge, task, here.tangent, 0))
            break
        here = there
        places.append(here)
        length = min(_LONGEST, 1.4 * length)
        if len(places) > 10 and _returned(places[0], here, length):
            break
    return HalfBranch(tuple(places), tuple(events))


def _returned(first: BranchPoint, here: BranchPoint, length: float) -> bool:
    same = abs(first.log_lam - here.log_lam) < length / 2
    return bool(same and np.abs(first.point - here.point).max() < length / 2)


def _place(
    point: _Array, log_lam: float, task: Task, before: _Array | None, direction: int
) -> BranchPoint:
    _, jacobian, basis = _equations(point, log_lam, task)
    null = np.linalg.svd(jacobian)[2][-1]
    tangent = np.append(basis @ null[:-1], null[-1])
    forward = tangent[-1] * direction if before is None else tangent @ before
    values = np.linalg.eigvalsh((jacobian[:, :-1] + jacobian[:, :-1].T) / 2)
    descending = int((values < -_NOISE * np.abs(values).max()).sum())
    return BranchPoint(point, log_lam, tangent if forward >= 0 else -tangent, descending)


def _step(here: BranchPoint, length: float, task: Task) -> BranchPoint | None:
    """Return the branch's point an arc length on; None if Newton fails or it bends sharply."""
    moved = length * here.tangent
    point = retract_to_spheres(here.point, moved[:-1].reshape(here.point.shape))
    log_lam = here.log_lam + moved[-1]
    for _ in range(8):
        grad, jacobian, basis = _equations(point, log_lam, task)
        across = np.append(here.tangent[:-1] @ basis, here.tangent[-1])
        matrix = np.vstack([jacobian, across * np.abs(jacobian).max()])
        try:
            change = -np.linalg.solve(matrix, np.append(grad, 0.0))
        except np.linalg.LinAlgError:
            return None
        size = float(np.linalg.norm(change))
        if size > length:
            return None
        point = retract_to_spheres(point, (basis @ change[:-1]).reshape(point.shape))
        log_lam += float(change[-1])
        if size < 1e-11:
            break
    else:
        if size > 1e-8:
            return None
    there = _place(point, log_lam, task, here.tangent, 0)
    straight = there.tangent @ here.tangent > _BEND
    return there if straight else None


def _located(here: BranchPoint, length: float, task: Task, turned: bool) -> tuple[str, BranchPoint]:
    """Locate a fold, fork or change of stability by bisection; return its kind and point."""
    low, high, best = 0.0, length, here
    for _ in range(50):
        middle = (low + high) / 2
        there = _step(here, middle, task)
        if there is None:
            break
        best = there
        after = (
            there.tangent[-1] * here.tangent[-1] < 0
            if turned
            else there.descending != here.descending
        )
        low, high = (low, middle) if after else (middle, high)
        if high - low < 1e-10:
            break
    if not turned:
        return "crossing", best
    return ("pitchfork" if _mirrored(best) else "fold"), best


def _mirrored(place: BranchPoint) -> bool:
    """Return whether a symmetry fixes the point and reverses the branch through it."""
    signs = coordinate_signs_of_symmetries(place.point.shape[1])
    tangent = place.tangent[:-1].reshape(place.point.shape)
    for sign in signs[1:]:
        fixed = np.abs(sign * place.point - place.point).max() < 0.05
        if fixed and np.sum(sign * tangent * tangent) < -0.95 * np.sum(tangent**2):
            return True
    return False
