r"""Critical points certified by ball arithmetic, with the signs of their curvatures.

A point is refined by Newton's method to many digits. That a critical point lies within a small box
around it, and only one, is shown by Krawczyk's operator, applied to the equations of Lagrange. A
symmetry of the risk that maps the box to itself then maps the critical point to itself: coordinates
that it changes the sign of are exactly zero. Points that symmetries fix altogether are critical
without any computation. The signs of the curvatures are those of the pivots of an LDL^T
decomposition in balls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.typing import NDArray

from slrsym.kernels.ball_backend import to_ball
from slrsym.kernels.krawczyk import krawczyk_image
from slrsym.papers.single_location.landscape.points import coordinate_signs_of_symmetries
from slrsym.papers.single_location.paper_risk import kernel
from slrsym.papers.single_location.task import Task

_Array = NDArray[np.float64]
_DIGITS = (40, 120, 400)
_ROUNDS = 12


@dataclass(frozen=True, eq=False)
class EnclosedPoint:
    """A critical point proved to lie in a small box, with rigorous bounds."""

    point: _Array
    radius: float
    zeros: NDArray[np.bool_]
    inside: tuple[int, int, int]
    across: tuple[int, int, int]
    across_values: tuple[float, float]
    excess_risk: float
    gradient_norm: float
    digits: int

    @property
    def is_decided(self) -> bool:
        """Whether the sign of every curvature is proved, except along symmetries."""
        family = int(not self.zeros[:, 2:].all())
        return self.inside[1] == 0 and self.across[1] == family


def enclose_critical_point(point: _Array, lam: float, task: Task) -> EnclosedPoint | None:
    """Prove that a critical point lies near a given point; return its enclosure, or None."""
    best = None
    for digits in _DIGITS:
        with ctx.workdps(digits):
            found = _Attempt(point, lam, task, digits).run()
        if found is not None:
            best = found
            if found.is_decided:
                break
    return best


class _Attempt:
    """One attempt to enclose a critical point, with a fixed number of digits."""

    def __init__(self, point: _Array, lam: float, task: Task, digits: int) -> None:
        self._m = point.shape[1]
        self._parameters = [lam, task.gamma, task.d, task.L, task.epsilon]
        self._digits = digits
        self._start = [to_ball(x) for x in point.ravel()]
        self._signs = [s.ravel() for s in coordinate_signs_of_symmetries(self._m)]

    def run(self) -> EnclosedPoint | None:
        x = self._snapped(self._start)
        fixed = self._fixed_by_symmetry(x)
        if not fixed:
            refined = self._newton(x)
            if refined is None:
                return None
            x, unknowns = refined
            box = self._krawczyk(unknowns)
            if box is None:
                return None
            zeros = self._zeros(x)
            enclosure = [arb(0) if zero else b for zero, b in zip(zeros, box, strict=False)]
        else:
            zeros = [bool(c == 0) for c in x]
            enclosure = list(x)
        return self._described(enclosure, zeros)

    # -- existence -----------------------------------------------------------------------------

    def _snapped(self, x: list[Any], near: float = 1e-9) -> list[Any]:
        """Round coordinates that are close to 0, 1 or -1, unless a vector would get longer."""
        rounded = [arb(round(float(c))) if abs(float(c) - round(float(c))) < near else c for c in x]
        return [
            r if r == 0 or all(o == 0 for o in _others(rounded, i, self._m)) else c
            for i, (r, c) in enumerate(zip(rounded, x, strict=True))
        ]

    def _fixed_by_symmetry(self, x: list[Any]) -> bool:
        """Return whether symmetries alone force the point to be critical."""
        if not all(c in (0, 1, -1) for c in map(float, x)):
            return False
        keep = [s for s in self._signs if all(c == 0 or e == 1 for c, e in zip(x, s, strict=True))]
        tangent = [i for i, c in enumerate(x) if c == 0]
        # A gradient that all of them leave as it is, vanishes.
        return all(any(s[i] == -1 for s in keep) for i in tangent)

    def _zeros(self, x: list[Any]) -> list[bool]:
        zeros = [False] * len(x)
        for s in self._signs:
            if all(c == 0 or e == 1 for c, e in zip(x, s, strict=True)):
                zeros = [z or e == -1 for z, e in zip(zeros, s, strict=True)]
        return zeros

    def _newton(self, x: list[Any]) -> tuple[list[Any], list[Any]] | None:
        grad, _ = self._derivatives(x)
        m = self._m
        weights = [_dot(x[:m], grad[:m]).mid(), _dot(x[m:], grad[m:]).mid()]
        unknowns = [*x, *weights]
        goal, least = 10.0 ** (-self._digits + 8), 10.0 ** (-0.7 * self._digits)
        last = np.inf
        for _ in range(_ROUNDS):
            value, rate = self._lagrange(unknowns)
            try:
                step = rate.solve(arb_mat([[v] for v in value]))
            except ZeroDivisionError:
                return None
            if not all(abs(step[i, 0]) < 1 for i in range(2 * m)):
                return None
            unknowns = [(u - step[i, 0]).mid() for i, u in enumerate(unknowns)]
            size = max(float(abs(step[i, 0]).upper()) for i in range(2 * m))
            # Where curvatures are of different orders, rounding is larger than the goal.
            settled = size < goal or (size < least and size > last / 2)
            last = size
            if settled:
                near = 10.0 ** (-self._digits / 2)
                x = self._snapped(unknowns[: 2 * m], near)
                far = max(float(abs(a - b)) for a, b in zip(x, self._start, strict=True))
                return None if far > 1e-3 else (x, [*x, *unknowns[2 * m :]])
        return None

    def _krawczyk(self, unknowns: list[Any]) -> list[Any] | None:
        """Return the smaller box that contains the critical point, by Krawczyk's test, or None."""
        value, _ = self._lagrange(unknowns)
        scale = arb(10) ** (-(self._digits // 2))
        radii = [scale * max(arb(1), abs(u)) for u in unknowns]
        box = [u + arb(0, r.upper()) for u, r in zip(unknowns, radii, strict=True)]
        _, wide = self._lagrange(box)
        moved = krawczyk_image(value, wide, radii)
        if moved is None:
            return None
        return [u + x for u, x in zip(unknowns, moved, strict=True)][: 2 * self._m]

    # -- derivatives ---------------------------------------------------------------------------

    def _state(self, x: list[Any]) -> list[Any]:
        m = self._m
        return [x[0], x[m + 1], x[m], x[1], _dot(x[:m], x[m:])]

    def _partial(self, x: list[Any]) -> list[Any]:
        """Return the partial derivatives of the risk in the overlaps, in balls."""
        slopes: list[Any] = kernel("gradient", "ball")(
            self._state(x), *self._parameters, dps=self._digits
        )
        return slopes

    def _derivatives(self, x: list[Any]) -> tuple[list[Any], Any]:
        """Return the gradient and the Hessian in k and v as unconstrained vectors, in balls."""
        m = self._m
        state = self._state(x)
        partial = self._partial(x)
        second = enclose_second_derivatives(state, self._parameters, self._digits)
        rates = arb_mat(5, 2 * m)
        for row, place in enumerate((0, m + 1, m, 1)):
            rates[row, place] = 1
        for i in range(m):
            rates[4, i], rates[4, m + i] = x[m + i], x[i]
        grad = arb_mat([partial]) * rates
        hess = rates.transpose() * second * rates
        for i in range(m):
            hess[i, m + i] += partial[4]
            hess[m + i, i] += partial[4]
        return [grad[0, i] for i in range(2 * m)], hess

    def _lagrange(self, unknowns: list[Any]) -> tuple[list[Any], Any]:
        """Return the Lagrange equations of a critical point, and their Jacobian, in balls."""
        m = self._m
        x, weights = unknowns[: 2 * m], unknowns[2 * m :]
        grad, hess = self._derivatives(x)
        rate = arb_mat(2 * m + 2, 2 * m + 2)
        value = []
        for i in range(2 * m):
            side = i // m
            value.append(grad[i] - weights[side] * x[i])
            for j in range(2 * m):
                rate[i, j] = hess[i, j] - (weights[side] if i == j else 0)
            rate[i, 2 * m + side] = rate[2 * m + side, i] = -x[i]
        for side in (0, 1):
            part = x[side * m : (side + 1) * m]
            value.append((1 - _dot(part, part)) / 2)
        return value, rate

    # -- what is certain of the point ----------------------------------------------------------

    def _described(self, x: list[Any], zeros: list[bool]) -> EnclosedPoint:
        m = self._m
        grad, hess = self._derivatives(x)
        k_weight, v_weight = _dot(x[:m], grad[:m]), _dot(x[m:], grad[m:])
        for i in range(m):
            hess[i, i] -= k_weight
            hess[m + i, m + i] -= v_weight
        basis = _tangent(x, m)
        inside = inertia_of_ball_matrix(basis.transpose() * hess * basis)
        inner_slope = self._partial(x)[-1]
        beyond = [c for i, c in enumerate(x) if i % m >= 2]
        if m > 2 and any(not c.contains(0) for c in beyond):
            # The first of the two is a rotation of k and v.
            trace = -k_weight - v_weight
            below, flat, above = inertia_of_ball_matrix(arb_mat([[trace]]))
            across, values = (below, flat + 1, above), (0.0, float(trace.mid()))
        else:
            pair = arb_mat([[-k_weight, inner_slope], [inner_slope, -v_weight]])
            across = inertia_of_ball_matrix(pair)
            values = _pair_values(pair)
        if beyond and not all(c == 0 for c in beyond) and all(c.contains(0) for c in beyond):
            across = (0, 2, 0)
        (risk,) = kernel("excess_risk", "ball")(self._state(x), *self._parameters, dps=self._digits)
        return EnclosedPoint(
            np.array([float(c.mid()) for c in x]).reshape(2, m),
            max(float(c.rad()) for c in x),
            np.array(zeros).reshape(2, m),
            inside,
            across,
            values,
            float(risk.mid()),
            self._gradient_norm(x),
            self._digits,
        )

    def _gradient_norm(self, x: list[Any]) -> float:
        if self._fixed_by_symmetry(x):
            return 0.0
        middle = [c.mid() for c in x]
        grad, _ = self._derivatives(middle)
        along = _tangent(middle, self._m).transpose() * arb_mat([[s] for s in grad])
        # Bounds of the parts first: a square that is nearly zero has no root for certain.
        parts = [abs(along[i, 0]).upper() for i in range(along.nrows())]
        return float(_dot(parts, parts).sqrt().upper())


def enclose_second_derivatives(state: list[Any], parameters: Iterable[Any], digits: int) -> Any:
    """Return the matrix of second derivatives of the risk in the overlaps, in balls."""
    upper = iter(kernel("hessian", "ball")(state, *parameters, dps=digits))
    second = arb_mat(5, 5)
    for i in range(5):
        for j in range(i, 5):
            second[i, j] = second[j, i] = next(upper)
    return second


def inertia_of_ball_matrix(matrix: Any) -> tuple[int, int, int]:
    """Return the numbers of negative, undecided and positive eigenvalues of a ball matrix.

    Notes
    -----
    Sylvester's law: a congruence, by eigenvectors in double precision, leaves the signs alone. What
    is nearly diagonal then has an LDL^T decomposition without any exchange of more than rows.
    """
    size = matrix.nrows()
    middle = np.array([[float(matrix[i, j].mid()) for j in range(size)] for i in range(size)])
    # Equal scales, so that directions that do not interact stay apart.
    _, vectors = np.linalg.eigh((middle + middle.T) / 2)
    vectors[np.abs(vectors) < 1e-13] = 0.0
    if abs(np.linalg.det(vectors)) < 0.5:
        return 0, size, 0
    turn = arb_mat(size, size, [arb(float(c)) for c in vectors.ravel()])
    left = turn.transpose() * matrix * turn
    rows = [[left[i, j] for j in range(size)] for i in range(size)]
    below = above = 0
    remaining = list(range(size))
    while remaining:
        pivot = max(remaining, key=lambda i: float(abs(rows[i][i]).lower()))
        head = rows[pivot][pivot]
        if head.contains(0) or not head.is_finite():
            break
        below, above = below + int(head < 0), above + int(head > 0)
        remaining.remove(pivot)
        for i in remaining:
            for j in remaining:
                rows[i][j] = rows[i][j] - rows[i][pivot] * rows[pivot][j] / head
    return below, len(remaining), above


def _others(x: list[Any], i: int, m: int) -> list[Any]:
    first = i // m * m
    return [x[j] for j in range(first, first + m) if j != i]


def _dot(x: list[Any], y: list[Any]) -> Any:
    return sum((a * b for a, b in zip(x, y, strict=True)), arb(0))


def _pair_values(pair: Any) -> tuple[float, float]:
    half = (pair[0, 0] + pair[1, 1]) / 2
    gap = (((pair[0, 0] - pair[1, 1]) / 2) ** 2 + pair[0, 1] ** 2).mid().sqrt()
    if pair[0, 1] == 0:
        low, high = sorted((float(pair[0, 0].mid()), float(pair[1, 1].mid())))
        return low, high
    return float((half - gap).mid()), float((half + gap).mid())


def _tangent(x: list[Any], m: int) -> Any:
    """Return a basis of the tangent space of the two spheres at k and v, as a ball matrix."""
    basis = arb_mat(2 * m, 2 * m - 2)
    for side in (0, 1):
        part = x[side * m : (side + 1) * m]
        lead = max(range(m), key=lambda i: abs(float(part[i].mid())))
        normal = list(part)
        normal[lead] = normal[lead] + (1 if part[lead] > 0 else -1)
        square = _dot(normal, normal)
        columns = [j for j in range(m) if j != lead]
        for column, j in enumerate(columns):
            for i in range(m):
                entry = -2 * normal[i] * normal[j] / square
                basis[side * m + i, side * (m - 1) + column] = entry + int(i == j)
    return basis
