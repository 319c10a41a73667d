r"""Early stopping: tubes around pilot runs, in which all runs have the same endpoint.

Let :math:`X^\star_t` be a run that was followed to its end, in vectors (k, v) of
:math:`\mathbb{R}^8`: four dimensions hold two states, up to the symmetries of the risk, and k* and
v* are the first two axes. A step is :math:`G = u/|u|` for each vector, with
:math:`u_i = x_i - \alpha(g_i - (x_i \cdot g_i) x_i)`, and :math:`|u_i| \ge 1`. So for a state at a
distance of r, with h for the difference, P for the projection beside :math:`G(X^\star)` and K for
a bound of :math:`P u''` on the way,

.. math:: |P G(X)| \le |P u'(X^\star) h| + \tfrac12 K r^2.

K needs the third derivatives of the risk in a neighbourhood of the run. The risk is a quadratic
polynomial in theta, eta and rho and affine in nu, with coefficients of kappa: their derivatives are
enclosed by ball arithmetic, over all overlaps within reach of a piece of the run and all of its
inverse temperatures, and so K is proved (`bound_third_derivative`). Turning around k* and v* is a
neutral direction n; a state is turned so that h has no part along it. What a step brings along it,
at most b r, is turned away again; of a distance of at most S r that leaves no more than
:math:`\tfrac{0.525}{\gamma |n|} S b^2 r^2`, where gamma is the growth beside n.

The radius that is left after each step is taken backwards from the last, where it is the margin of
the verdict. Then descent, by exact steps from any state inside of the tube, ends with the same
verdict. :math:`u'` and the run itself are in double precision: by how much each step of the run
misses the next point is taken off the radius, and for rounding there are reserves. The step is that
of Definition 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise, permutations

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray
from sympy import diff

from slrsym.balls.box_functions import BoxFunctions, ParametricFunctions
from slrsym.papers.single_location.dynamics.spheres import (
    SPHERES,
    ambient_derivatives,
    gram_entries_of_orthogonal_parts,
    gram_matrices,
    overlap_jacobian,
    overlaps_of_vectors,
)
from slrsym.papers.single_location.landscape.points import OVERLAP_SIGNS
from slrsym.papers.single_location.notation import L, d, epsilon, gamma, lam
from slrsym.papers.single_location.paper_risk_expressions import (
    ON_M,
    risk_as_quadratic_off_manifold,
)
from slrsym.papers.single_location.task import Task

__all__ = ["Tube", "bound_third_derivative", "tube_around_run"]


_Array = NDArray[np.float64]

# A wider tube would need bounds farther away.
_WIDEST = 0.02
# To the square root of the rounding of overlaps, no distance is known.
_BLUR = 3e-8
_NARROWEST = 2 * _BLUR
# What rounding may add to how a step stretches distances, and to where it leads.
_ROUNDING = 1e-10
# How much wider than at the end of a piece the tube may be in it.
_WIDENING = 4.0

# A piece of a run has at most so many steps, in which overlaps and the inverse temperature change
# by so little.
_LONGEST, _SHORTEST = 1024, 16
_SPREAD, _COOLING = 0.02, 1.03
# Into how many boxes, by kappa and by the inverse temperature, a piece is cut.
_CUTS = (4, 2)
_DIGITS = 18

# With less to turn, turning is not looked upon as neutral.
_LEAST_TURN = 0.1


@dataclass(frozen=True)
class Tube:
    """A pilot run with a radius at each step, within which other runs end where it ends.

    Parameters
    ----------
    verdict : int
        Of all runs that are inside at any time.
    points : ndarray, shape (times, 2, 4)
        k and v at some steps, with k* and v* the first two axes.
    radii : ndarray, shape (times,)
        Zero before the tube begins.
    """

    verdict: int
    points: _Array
    radii: _Array

    def distances(self, states: _Array, time: int) -> _Array:
        """Return the distances of states from the pilot run, up to symmetries.

        Parameters
        ----------
        states : ndarray, shape (n, 5)
        time : int
            Which of the steps.

        Returns
        -------
        ndarray of shape (n,)
        """
        k3, v3 = self.points[time][:, 2]
        images = OVERLAP_SIGNS * states[:, None, :]
        planar = ((images - overlaps_of_vectors(self.points[time]))[..., :4] ** 2).sum(axis=-1)
        k_rest, v_rest, inner = gram_entries_of_orthogonal_parts(images)
        k_rest, v_rest = np.maximum(0.0, k_rest), np.maximum(0.0, v_rest)
        # The best rotation of what is left aligns one vector, because that of the run has rank 1.
        aligned = np.sqrt(np.maximum(0.0, k3**2 * k_rest + v3**2 * v_rest + 2 * k3 * v3 * inner))
        rest = np.maximum(0.0, k_rest + v_rest + k3**2 + v3**2 - 2 * aligned)
        return np.asarray(np.sqrt(planar + rest).min(axis=-1))

    def is_inside(self, states: _Array, time: int) -> NDArray[np.bool_]:
        """Return a flag for each state that is inside the tube.

        Parameters
        ----------
        states : ndarray, shape (n, 5)
        time : int
            Which of the steps.

        Returns
        -------
        ndarray of shape (n,), bool
        """
        if self.radii[time] <= 0:
            return np.zeros(len(states), dtype=bool)
        return np.asarray(self.distances(states, time) + _BLUR < self.radii[time])


def tube_around_run(
    states: _Array,
    lam: _Array,
    task: Task,
    alpha: float,
    times: NDArray[np.int64],
    verdict: int,
    margin: float,
    backend: str = "numpy",
) -> Tube:
    """Return the tube around a pilot run, with radii from bounds of the third derivatives.

    Parameters
    ----------
    states : ndarray, shape (n + 1, 5)
        A run in three dimensions, its last n steps.
    lam : ndarray, shape (n + 1,)
        Inverse temperatures of these.
    task : Task
    alpha : float
        Step size.
    times : ndarray of int, shape (m,)
        Steps at which the tube is wanted, the last one n; before 0 there is none.
    verdict : int
    margin : float
        How far every overlap may be at the end.
    backend : {'numpy', 'numba'}, optional

    Returns
    -------
    Tube
    """
    steps = len(states) - 1
    radii = np.zeros(steps + 1)
    # No overlap changes by more than sqrt(2) times a distance.
    radii[steps] = min(_WIDEST, margin / math.sqrt(2))
    end = steps
    while end > 0 and radii[end] > _NARROWEST:
        begin = _piece(states, lam, end)
        reach = min(_WIDEST, _WIDENING * radii[end])
        points, at = lift_overlaps(states[begin : end + 1]), lam[begin:end]
        third = bound_third_derivative(states[begin:end], points[:-1], at, task, reach)
        grown = _growth(points, at, task, alpha, third, reach, backend)
        _backwards(radii[begin : end + 1], reach, *grown)
        end = begin
    # Where it is too narrow it has not begun, also if it had been wider before.
    radii[: np.flatnonzero(radii <= _NARROWEST).max(initial=-1) + 1] = 0.0
    inside = np.maximum(times, 0)
    return Tube(verdict, lift_overlaps(states[inside]), np.where(times < 0, 0.0, radii[inside]))


def _piece(states: _Array, lam: _Array, end: int) -> int:
    """Return the first step of a piece in which overlaps and inverse temperatures hardly change."""
    length = min(_LONGEST, end)
    while length > _SHORTEST:
        few, at = states[end - length : end], lam[end - length : end]
        if np.ptp(few, axis=0).max() <= _SPREAD and at.max() <= _COOLING * at.min():
            break
        length //= 2
    return end - length


def _backwards(radii: _Array, reach: float, growth: _Array, excess: _Array, missed: _Array) -> None:
    """Fill radii backwards, in place, if a radius r grows to growth r + excess r^2 + missed."""
    after = float(radii[-1])
    found = []
    rows = zip(*(x[::-1].tolist() for x in (growth, excess, missed)), strict=True)
    for q, c, miss in rows:
        after = max(0.0, after - miss)
        # A free square root: the form that loses no digits.
        after = min(reach, 2 * after / (q + math.sqrt(q * q + 4 * c * after)))
        found.append(after)
    radii[:-1] = found[::-1]


def _growth(
    points: _Array,
    lam: _Array,
    task: Task,
    alpha: float,
    third: float,
    reach: float,
    backend: str,
) -> tuple[_Array, _Array, _Array]:
    """Return bounds of the growth of distances from the run per step, and of its rounding gap."""
    x = points[:-1]
    grad, hess = ambient_derivatives(x, lam, task, backend)
    after, length, stretch = _step(x, grad, hess, alpha)
    n = rotation_directions(points)
    size = np.linalg.norm(n, axis=-1)
    turned = (np.minimum(size[:-1], size[1:]) > max(_LEAST_TURN, 6 * reach))[:, None]
    unit = n / np.maximum(size, _LEAST_TURN)[:, None]
    before, behind = (np.where(turned, x, 0.0) for x in (unit[:-1], unit[1:]))
    stretch = stretch - (stretch @ before[:, :, None]) * before[:, None, :]
    beside = (behind[:, None, :] @ stretch)[:, 0]
    stretch -= behind[:, :, None] * beside[:, None, :]
    growth = length * _norms(stretch) + _ROUNDING
    along = length * np.linalg.norm(beside, axis=-1)

    # Bounds of derivatives here, then of u'' wherever a state may be.
    first = np.linalg.norm(grad, axis=-1).max(axis=-1)
    second = np.linalg.norm(hess, axis=(-1, -2)) + reach * third
    m = _DIMENSIONS
    radial = np.stack([hess[..., :m] @ x[:, 0, :, None], hess[..., m:] @ x[:, 1, :, None]])
    inward = np.linalg.norm(radial[..., 0], axis=-1).max(axis=0)
    moved = np.sqrt(np.maximum(0.0, length**2 - 1))
    rate = first + inward + reach * (2 * second + third)
    bound = alpha * (third + 2 * rate + math.sqrt(2) * (2 * second + third) * (reach + moved))
    # Chords of spheres leave them: -|h|^2/2 is along x.
    excess = (bound + alpha * inward + (1 + 2 * alpha * first) * moved) / 2
    # The two vectors u_i are not of one length, which turns what is along n; nor is that of others.
    uneven = (moved + alpha * reach * (second + 2 * first)) ** 2
    aside = along + uneven * (growth + along) + excess * reach
    growth = growth + uneven * aside
    whole = 1.01 * (growth + aside)
    excess = excess + whole**4 * reach / (8 * growth)
    turn = np.where(turned[:, 0], size[1:], np.inf)
    excess += 0.525 * whole * aside**2 / (growth * turn)
    # Beyond these, the series that the bounds are made of say nothing.
    wild = whole * reach > np.minimum(0.2 * turn, 0.25)
    mirrored = after * np.array([1.0, 1.0, -1.0, 1.0])
    missed = np.minimum(*(np.linalg.norm(z - points[1:], axis=(-1, -2)) for z in (after, mirrored)))
    return growth, np.where(wild, np.inf, excess), missed + _ROUNDING**2


@cache
def _coefficients() -> ParametricFunctions:
    """Return the coefficients of the risk as functions of kappa, with three derivatives each.

    They are those of the risk on the manifold, R_0(kappa) - N(kappa) nu, and the entries of the
    quadratic form off it.
    """
    first, second = ON_M
    risk = risk_as_quadratic_off_manifold()
    on = risk.on_manifold.subs(epsilon, 0)
    found = [on.subs(second, 0), -on.diff(second)]
    found += [risk.form[i, j] for i in range(3) for j in range(i, 3)]
    # One after the other: together they are simplified, which takes ten times as long.
    outputs = [g for f in found for g in accumulate([f, *3 * [first]], diff)]
    return ParametricFunctions(outputs, (first, lam), parameters={"gamma": gamma, "d": d, "L": L})


@cache
def _bound_coefficients(task: Task) -> BoxFunctions:
    given = {"gamma": arb(task.gamma), "d": arb(task.d), "L": arb(task.L)}
    return _coefficients().bind(given, _DIGITS)


def bound_third_derivative(
    states: _Array, points: _Array, lam: _Array, task: Task, reach: float
) -> float:
    r"""Return a bound of the risk's third derivatives near a piece of a run.

    Parameters
    ----------
    states : ndarray, shape (n, 5)
    points : ndarray, shape (n, 2, 4)
        The same in vectors.
    lam : ndarray, shape (n,)
        Inverse temperatures; the bound holds for all that lie between.
    task : Task
    reach : float
        How far k and v may be, together, from one of the states.

    Returns
    -------
    float
        Of :math:`|D^3 R[h, h, e]|` for all unit vectors h and e.
    """
    wide = reach * np.array([1, 1, 1, 1, math.sqrt(2)])
    low, high = states.min(axis=0) - wide, states.max(axis=0) + wide
    low[0], high[0] = max(low[0], -1.0), min(high[0], 1.0)
    third, mixed = _overlap_bounds(low, high, float(lam.min()), float(lam.max()), task)
    m = _DIMENSIONS
    # Bounds of how overlaps change with k and v; nothing is longer than 1.
    rates = np.abs(overlap_jacobian(points)).max(axis=0)
    rates[4] = np.minimum(1.0, rates[4] + reach)
    pairs = np.eye(2 * m)[np.r_[m : 2 * m, :m]]
    tensor = np.einsum("pqr,pi,qj,rk->ijk", third, rates, rates, rates)
    outer = np.einsum("i,jk->ijk", mixed @ rates, pairs)
    tensor += outer + outer.transpose(1, 0, 2) + outer.transpose(1, 2, 0)
    return float(np.linalg.norm(tensor.reshape(2 * m, -1), 2))


def _overlap_bounds(
    low: _Array, high: _Array, coldest: float, hottest: float, task: Task
) -> tuple[_Array, _Array]:
    """Return bounds of the risk's third derivatives, and second ones with rho, over a box."""
    third, mixed = np.zeros((5, 5, 5)), np.zeros(5)
    bound = _bound_coefficients(task)
    with ctx.workdps(_DIGITS):
        ends = zip(low[1:].tolist(), high[1:].tolist(), strict=True)
        second, *q = (arb((a + b) / 2, (b - a) / 2 * 1.001) for a, b in ends)
    edges, heats = (
        [fmpq(*x.as_integer_ratio()) for x in np.linspace(start, stop, cuts + 1).tolist()]
        for start, stop, cuts in zip((low[0], coldest), (high[0], hottest), _CUTS, strict=True)
    )
    for heat in pairwise(heats):
        for side in pairwise(edges):
            values = bound.natural_enclosure((side, heat))
            with ctx.workdps(_DIGITS):
                c = [values[i : i + 4] for i in range(0, len(values), 4)]
                Q = [
                    [[c[2 + _ENTRY[i][j]][n] for j in range(3)] for i in range(3)] for n in range(4)
                ]
                row = [
                    [sum(Q[n][i][j] * q[j] for j in range(3)) for i in range(3)] for n in range(4)
                ]
                cube = c[0][3] - c[1][3] * second + sum(row[3][i] * q[i] for i in range(3)) / 2
                found = {(0, 0, 0): cube, (0, 0, 1): -c[1][2]}
                found |= {(0, 0, 2 + i): row[2][i] for i in range(3)}
                found |= {(0, 2 + i, 2 + j): Q[1][i][j] for i in range(3) for j in range(i, 3)}
                for at, value in found.items():
                    most = max(third[at], float(abs(value).upper()))
                    for place in permutations(at):
                        third[place] = most
                for p, value in enumerate((row[1][2], arb(0), *Q[0][2])):
                    mixed[p] = max(mixed[p], float(abs(value).upper()))
    # For the rounding of what follows.
    return third * (1 + 1e-9), mixed * (1 + 1e-9)


_ENTRY = ((0, 1, 2), (1, 3, 4), (2, 4, 5))


def _norms(matrices: _Array) -> _Array:
    """Return the largest singular value of each matrix."""
    squares = np.swapaxes(matrices, -1, -2) @ matrices
    return np.asarray(np.sqrt(np.maximum(0.0, np.linalg.eigvalsh(squares)[:, -1])))


_DIMENSIONS = 4


def lift_overlaps(states: _Array) -> _Array:
    """Return k and v with given overlaps whose parts orthogonal to k* and v* are parallel."""
    k_square, v_square, inner = gram_entries_of_orthogonal_parts(states)
    points = np.zeros((*states.shape[:-1], 2, _DIMENSIONS))
    points[..., :2] = gram_matrices(states)[..., :2, 2:]
    first = k_square >= v_square
    large, small = (np.maximum(0.0, f(k_square, v_square)) for f in (np.maximum, np.minimum))
    larger, smaller = np.sqrt(large), np.copysign(np.sqrt(small), inner)
    # Where it is small, its square says little of it, and the product more.
    np.divide(inner, larger, out=smaller, where=small < 0.1 * large)
    points[..., 0, 2] = np.where(first, larger, smaller)
    points[..., 1, 2] = np.where(first, smaller, larger)
    return SPHERES.normalise(points)


def rotation_directions(points: _Array) -> _Array:
    """Return how k and v move under rotations that fix k* and v*, one vector for each pair."""
    result = np.zeros(points.shape)
    result[..., 3] = points[..., 2]
    return result.reshape(*points.shape[:-2], 2 * _DIMENSIONS)


def _step(
    points: _Array, grad: _Array, hess: _Array, alpha: float
) -> tuple[_Array, _Array, _Array]:
    """Return images under a step, the larger norm before projection, and the step's Jacobian."""
    m = _DIMENSIONS
    result, after = np.empty(hess.shape), np.empty(points.shape)
    longest = np.ones(points.shape[:-2])
    for i, rows in enumerate((slice(0, m), slice(m, 2 * m))):
        x, g = points[..., i, :], grad[..., i, :]
        along = np.sum(x * g, axis=-1, keepdims=True)
        moved = x - alpha * (g - along * x)
        change = -alpha * _across(x, hess[..., rows, :])
        change[..., rows] += (1 + alpha * along)[..., None] * np.eye(m)
        change[..., rows] += alpha * x[..., :, None] * g[..., None, :]
        norm = np.linalg.norm(moved, axis=-1, keepdims=True)
        after[..., i, :] = moved / norm
        longest = np.maximum(longest, norm[..., 0])
        result[..., rows, :] = _across(after[..., i, :], change) / norm[..., None]
    for i, columns in enumerate((slice(0, m), slice(m, 2 * m))):
        x = points[..., i, :]
        stretched = result[..., columns] @ x[..., :, None]
        result[..., columns] -= stretched * x[..., None, :]
    return after, longest, result


def _across(x: _Array, columns: _Array) -> _Array:
    """Project columns to the space orthogonal to a unit vector."""
    return columns - x[..., :, None] * (x[..., None, :] @ columns)
