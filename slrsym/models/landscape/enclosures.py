r"""Critical points enclosed by ball arithmetic, with the signs of their curvatures.

A point is refined by Newton's method to many digits. That a critical point lies within a small box
around it, and only one, is shown by Krawczyk's operator, applied to the equations of Lagrange.

Rotations that leave the fixed directions where they are change nothing. Let the parts of the
trained directions orthogonal to the fixed ones have rank q. Then coordinates of q directions, the
pivots, are held at zero: of the first all of these parts but one coordinate, of the second all but
two. Where the gradient vanishes in all other coordinates it vanishes altogether, and so it does in
:math:`\mathbb{R}^d`, because gradients lie in the span of the directions. Curvatures along
rotations are zero, and those of the rest are those of the slice.

A symmetry of the risk that maps the box to itself maps the critical point to itself: coordinates
that it changes the sign of are exactly zero. Points that symmetries fix altogether are critical
without any computation. The signs of the curvatures are those of the pivots of an LDL^T
decomposition in balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from flint import acb_mat, arb, arb_mat, ctx
from numpy.typing import NDArray

from slrsym.kernels.ball_backend import to_ball
from slrsym.kernels.krawczyk import krawczyk_image

_Array = NDArray[np.float64]
_DIGITS = (40, 120, 400)
_ROUNDS = 12
# Parts orthogonal to the fixed directions that are shorter may be rounding.
_NO_PART, _SHORT = 1e-9, 1e-5


@dataclass(frozen=True, eq=False)
class BallRisk:
    """The risk of a model in balls, as a function of its order parameters.

    Parameters
    ----------
    places : sequence of (int, int)
        Which two directions each order parameter is the inner product of, trained ones first.
    on_sphere : sequence of bool
        Of the trained directions.
    fixed : callable
        Returns the rows of the fixed directions, at the precision of the context, as a triangle of
        balls.
    derivatives : callable
        From order parameters and a number of digits to gradient and upper triangle of the Hessian.
    excess_risk : callable
        From order parameters and a number of digits to a ball.
    """

    places: Sequence[tuple[int, int]]
    on_sphere: Sequence[bool]
    fixed: Callable[[], list[list[Any]]]
    derivatives: Callable[[list[Any], int], list[Any]]
    excess_risk: Callable[[list[Any], int], Any]


@dataclass(frozen=True, eq=False)
class EnclosedPoint:
    """A critical point proved to lie in a small box, with rigorous bounds.

    Parameters
    ----------
    point : ndarray, shape (t, m)
        The trained directions, in coordinates of which the first f are of the fixed ones.
    radius : float
        Of the box.
    rank : int
        Of the parts orthogonal to the fixed directions, m - f.
    zeros : ndarray of bool, shape (t, m)
        Which coordinates are zero by symmetry.
    inside, across : tuple of int
        Numbers of negative, undecided and positive curvatures in these m dimensions, and in each
        further one.
    across_values : tuple of float
        Curvatures in a further dimension.
    excess_risk, gradient_norm : float
        The latter is a bound at the middle of the box.
    digits : int
        That were needed.
    """

    point: _Array
    radius: float
    rank: int
    zeros: NDArray[np.bool_]
    inside: tuple[int, int, int]
    across: tuple[int, int, int]
    across_values: tuple[float, ...]
    excess_risk: float
    gradient_norm: float
    digits: int

    @property
    def is_decided(self) -> bool:
        """Whether the sign of every curvature is proved, but for those along rotations."""
        rotations = self.rank * (self.rank - 1) // 2
        return self.inside[1] == rotations and self.across[1] == self.rank

    def inertia(self, d: int) -> tuple[int, int, int]:
        """Return the numbers of negative, undecided and positive curvatures in d dimensions."""
        more = d - self.point.shape[1]
        below, flat, above = (a + more * b for a, b in zip(self.inside, self.across, strict=True))
        return below, flat, above


def enclose_critical_point(
    risk: BallRisk, point: _Array, fixed_count: int, signs: _Array | None = None
) -> EnclosedPoint | None:
    """Prove that a critical point lies near a given point; return its enclosure, or None.

    Parameters
    ----------
    risk : BallRisk
    point : ndarray, shape (t, m)
        The trained directions; the first coordinates are in the basis in which `risk.fixed` has the
        fixed directions.
    fixed_count : int
        f, the number of fixed directions and of these coordinates.
    signs : ndarray, shape (n, t, m), optional
        Symmetries of the risk, as signs of the coordinates.

    Returns
    -------
    EnclosedPoint or None
    """
    best = None
    for most in (_NO_PART, _SHORT):
        start, pivots = _in_slice(point, fixed_count, most)
        if best is not None and len(pivots) == best.rank:
            break
        some = np.ones((1, *point.shape)) if signs is None else signs
        for digits in _DIGITS:
            with ctx.workdps(digits):
                found = _Attempt(
                    risk, start, fixed_count, pivots, some[..., : start.shape[1]], digits
                ).run()
            if found is not None:
                best = found
                if found.is_decided:
                    return best
    return best


def _in_slice(point: _Array, f: int, most: float) -> tuple[_Array, list[int]]:
    """Return a point turned into the slice, without coordinates that vanish, and its pivots."""
    inside, rest = point[:, :f], point[:, f:]
    if not rest.size:
        return inside, []
    _, triangle, order = scipy.linalg.qr(rest.T, mode="full", pivoting=True)
    rank = int((np.abs(np.diagonal(triangle)) > most).sum())
    pivots = [int(i) for i in order[:rank]]
    if rank == rest.shape[1] == 1:
        return point, pivots
    turned = np.empty((len(point), rank))
    turned[order] = triangle[:rank].T
    return np.concatenate([inside, turned], axis=1), pivots


class _Attempt:
    """One attempt to enclose a critical point, with a fixed number of digits."""

    def __init__(
        self,
        risk: BallRisk,
        point: _Array,
        fixed_count: int,
        pivots: list[int],
        signs: _Array,
        digits: int,
    ) -> None:
        self._risk, self._digits, self._pivots, self._f = risk, digits, pivots, fixed_count
        self._t, self._m = point.shape
        self._start = [[to_ball(x) for x in row] for row in point.tolist()]
        rest = self._m - fixed_count
        self._fixed = [[*row, *[arb(0)] * rest] for row in risk.fixed()]
        self._signs = [np.array(s) for s in np.unique(signs, axis=0)]
        # Of each direction the coordinates that are not held at zero.
        self._columns = [
            range(fixed_count + (pivots.index(i) + 1 if i in pivots else rest))
            for i in range(self._t)
        ]
        for i, columns in enumerate(self._columns):
            for c in range(len(columns), self._m):
                self._start[i][c] = arb(0)
        self._spheres = [i for i in range(self._t) if risk.on_sphere[i]]

    def run(self) -> EnclosedPoint | None:
        x = self._snapped(self._start, 1e-9)
        fixed = self._fixed_by_symmetry(x)
        if not fixed:
            refined = self._newton(x)
            if refined is None:
                return None
            x, weights = refined
            box = self._krawczyk(x, weights)
            if box is None:
                return None
            zeros = self._zeros(x)
            x = [
                [arb(0) if zero else b for zero, b in zip(*rows, strict=True)]
                for rows in zip(zeros, box, strict=True)
            ]
        else:
            zeros = [[bool(c == 0) for c in row] for row in x]
        if any(x[i][self._f + n].contains(0) for n, i in enumerate(self._pivots)):
            return None
        return self._described(x, zeros, fixed)

    # -- existence -----------------------------------------------------------------------------

    def _snapped(self, x: list[list[Any]], near: float) -> list[list[Any]]:
        """Round coordinates that are close to 0, 1 or -1, unless a vector would get longer."""
        found = []
        for i, row in enumerate(x):
            ends = (0, 1, -1) if self._risk.on_sphere[i] else (0,)
            rounded = [next((arb(e) for e in ends if abs(float(c) - e) < near), c) for c in row]
            found.append(
                [
                    r if r == 0 or all(o == 0 for o in rounded[:j] + rounded[j + 1 :]) else c
                    for j, (r, c) in enumerate(zip(rounded, row, strict=True))
                ]
            )
        return found

    def _keeping(self, x: list[list[Any]]) -> list[_Array]:
        """Return the symmetries that map a point to itself."""
        return [
            s
            for s in self._signs
            if all(
                c == 0 or e == 1
                for row, signs in zip(x, s, strict=True)
                for c, e in zip(row, signs, strict=True)
            )
        ]

    def _fixed_by_symmetry(self, x: list[list[Any]]) -> bool:
        """Return whether symmetries alone force the point to be critical."""
        if not all(self._risk.on_sphere) or not all(
            c in (0, 1, -1) for row in x for c in map(float, row)
        ):
            return False
        keep = self._keeping(x)
        # A gradient that all of them leave as it is, vanishes.
        return all(
            any(s[i, j] == -1 for s in keep)
            for i, row in enumerate(x)
            for j, c in enumerate(row)
            if c == 0
        )

    def _zeros(self, x: list[list[Any]]) -> list[list[bool]]:
        keep = self._keeping(x)
        return [[any(s[i, j] == -1 for s in keep) for j in range(self._m)] for i in range(self._t)]

    def _newton(self, x: list[list[Any]]) -> tuple[list[list[Any]], list[Any]] | None:
        grad, _ = self._derivatives(x)
        weights = [_dot(x[i], grad[i]).mid() for i in self._spheres]
        goal, least = 10.0 ** (-self._digits + 8), 10.0 ** (-0.7 * self._digits)
        last = np.inf
        for _ in range(_ROUNDS):
            value, rate = self._lagrange(x, weights)
            try:
                step = rate.solve(arb_mat([[v] for v in value]))
            except ZeroDivisionError:
                return None
            moves = iter(step[i, 0] for i in range(step.nrows()))
            changes = [[next(moves) for _ in columns] for columns in self._columns]
            if not all(abs(c) < 1 for row in changes for c in row):
                return None
            x = [
                [(c - s).mid() for c, s in zip(row, change, strict=False)] + row[len(change) :]
                for row, change in zip(x, changes, strict=True)
            ]
            weights = [(w - s).mid() for w, s in zip(weights, moves, strict=True)]
            size = max(float(abs(c).upper()) for row in changes for c in row)
            # Where curvatures are of different orders, rounding is larger than the goal.
            settled = size < goal or (size < least and size > last / 2)
            last = size
            if settled:
                x = self._snapped(x, 10.0 ** (-self._digits / 2))
                far = max(
                    float(abs(a - b))
                    for rows in zip(x, self._start, strict=True)
                    for a, b in zip(*rows, strict=True)
                )
                return None if far > 1e-3 else (x, weights)
        return None

    def _krawczyk(self, x: list[list[Any]], weights: list[Any]) -> list[list[Any]] | None:
        """Return the smaller box that contains the critical point, by Krawczyk's test, or None."""
        value, _ = self._lagrange(x, weights)
        scale = arb(10) ** (-(self._digits // 2))

        def radius(u: Any) -> Any:
            return scale * max(arb(1), abs(u))

        free = [row[j] for row, columns in zip(x, self._columns, strict=True) for j in columns]
        radii = [radius(u) for u in (*free, *weights)]
        wide = [
            [c + arb(0, radius(c).upper()) if j in columns else c for j, c in enumerate(row)]
            for row, columns in zip(x, self._columns, strict=True)
        ]
        _, slopes = self._lagrange(wide, [w + arb(0, radius(w).upper()) for w in weights])
        moved = krawczyk_image(value, slopes, radii)
        if moved is None:
            return None
        moves = iter(moved)
        return [
            [c + next(moves) if j in columns else c for j, c in enumerate(row)]
            for row, columns in zip(x, self._columns, strict=True)
        ]

    # -- derivatives ---------------------------------------------------------------------------

    def _order_parameters(self, x: list[list[Any]]) -> list[Any]:
        every = [*x, *self._fixed]
        return [_dot(every[i], every[j]) for i, j in self._risk.places]

    def _partial(self, x: list[list[Any]]) -> tuple[list[Any], Any]:
        """Return the derivatives of the risk in the order parameters, in balls."""
        count = len(self._risk.places)
        found = self._risk.derivatives(self._order_parameters(x), self._digits)
        upper = iter(found[count:])
        second = arb_mat(count, count)
        for i in range(count):
            for j in range(i, count):
                second[i, j] = second[j, i] = next(upper)
        return found[:count], second

    def _derivatives(self, x: list[list[Any]]) -> tuple[list[list[Any]], Any]:
        """Return gradient and Hessian in the directions as unconstrained vectors, in balls."""
        t, m, every = self._t, self._m, [*x, *self._fixed]
        partial, second = self._partial(x)
        rates = arb_mat(len(partial), t * m)
        for k, (i, j) in enumerate(self._risk.places):
            for c in range(m):
                rates[k, i * m + c] += every[j][c]
                if j < t:
                    rates[k, j * m + c] += every[i][c]
        grad = arb_mat([partial]) * rates
        hess = rates.transpose() * second * rates
        for slope, (i, j) in zip(partial, self._risk.places, strict=True):
            for c in range(m if j < t else 0):
                hess[i * m + c, j * m + c] += slope
                hess[j * m + c, i * m + c] += slope
        return [[grad[0, i * m + c] for c in range(m)] for i in range(t)], hess

    def _lagrange(self, x: list[list[Any]], weights: list[Any]) -> tuple[list[Any], Any]:
        """Return the Lagrange equations of a critical point, and their Jacobian, in balls."""
        grad, hess = self._derivatives(x)
        weight = dict(zip(self._spheres, weights, strict=True))
        free = [(i, j) for i, columns in enumerate(self._columns) for j in columns]
        size = len(free) + len(weights)
        rate = arb_mat(size, size)
        value = [grad[i][j] - weight.get(i, 0) * x[i][j] for i, j in free]
        for a, (i, j) in enumerate(free):
            for b, (k, c) in enumerate(free):
                rate[a, b] = hess[i * self._m + j, k * self._m + c]
            rate[a, a] -= weight.get(i, 0)
            if i in weight:
                side = len(free) + self._spheres.index(i)
                rate[a, side] = rate[side, a] = -x[i][j]
        value += [(1 - _dot(x[i], x[i])) / 2 for i in self._spheres]
        return value, rate

    # -- what is certain of the point ----------------------------------------------------------

    def _described(self, x: list[list[Any]], zeros: list[list[bool]], fixed: bool) -> EnclosedPoint:
        grad, hess = self._derivatives(x)
        weights = [
            _dot(x[i], grad[i]) if self._risk.on_sphere[i] else arb(0) for i in range(self._t)
        ]
        for i, weight in enumerate(weights):
            for c in range(self._m):
                hess[i * self._m + c, i * self._m + c] -= weight
        basis, rank = self._tangent(x), len(self._pivots)
        below, flat, above = inertia_of_ball_matrix(basis.transpose() * hess * basis)
        beyond = self._transverse(self._partial(x)[0], weights)
        others = [i for i in range(self._t) if i not in self._pivots]
        part = arb_mat([[beyond[i, j] for j in others] for i in others] or [[]])
        lower, level, upper = inertia_of_ball_matrix(part)
        return EnclosedPoint(
            np.array([[float(c.mid()) for c in row] for row in x]).reshape(self._t, self._m),
            max((float(c.rad()) for row in x for c in row), default=0.0),
            rank,
            np.array(zeros).reshape(self._t, self._m),
            (below, flat + rank * (rank - 1) // 2, above),
            (lower, level + rank, upper),
            _eigenvalues(beyond, rank),
            float(self._risk.excess_risk(self._order_parameters(x), self._digits).mid()),
            0.0 if fixed else self.gradient_norm(x),
            self._digits,
        )

    def _transverse(self, partial: list[Any], weights: list[Any]) -> Any:
        """Return the Hessian orthogonal to all directions, in one dimension.

        The parts of the directions orthogonal to the fixed ones are its kernel.
        """
        found = arb_mat(self._t, self._t)
        for slope, (i, j) in zip(partial, self._risk.places, strict=True):
            if j < self._t:
                found[i, j] += slope
                found[j, i] += slope
        for i, weight in enumerate(weights):
            found[i, i] -= weight
        return found

    def gradient_norm(self, x: list[list[Any]]) -> float:
        """Return a bound of the norm of the gradient on the spheres at the middle of a box."""
        middle = [[c.mid() for c in row] for row in x]
        grad, _ = self._derivatives(middle)
        column = arb_mat([[c] for row in grad for c in row])
        along = self._tangent(middle).transpose() * column
        # Bounds of the parts first: a square that is nearly zero has no root for certain.
        parts = [abs(along[i, 0]).upper() for i in range(along.nrows())]
        return float(_dot(parts, parts).sqrt().upper())

    def _tangent(self, x: list[list[Any]]) -> Any:
        """Return a basis of the tangent space of the slice at a point, as a ball matrix."""
        sizes = [len(c) - (i in self._spheres) for i, c in enumerate(self._columns)]
        basis, begin = arb_mat(self._t * self._m, sum(sizes)), 0
        for i, columns in enumerate(self._columns):
            first, part = i * self._m, x[i][: len(columns)]
            if i in self._spheres:
                lead = max(columns, key=lambda c: abs(float(part[c].mid())))
                normal = list(part)
                normal[lead] = normal[lead] + (1 if part[lead] > 0 else -1)
                square = _dot(normal, normal)
                for column, j in enumerate(c for c in columns if c != lead):
                    for c in columns:
                        entry = -2 * normal[c] * normal[j] / square
                        basis[first + c, begin + column] = entry + int(c == j)
            else:
                for c in columns:
                    basis[first + c, begin + c] = 1
            begin += sizes[i]
        return basis


def inertia_of_ball_matrix(matrix: Any) -> tuple[int, int, int]:
    """Return the numbers of negative, undecided and positive eigenvalues of a ball matrix.

    Parameters
    ----------
    matrix : arb_mat
        Symmetric.

    Returns
    -------
    tuple of int

    Notes
    -----
    Sylvester's law: a congruence, by eigenvectors in double precision, leaves the signs alone. What
    is nearly diagonal then has an LDL^T decomposition without any exchange of more than rows.
    """
    size = matrix.ncols()
    if size == 0:
        return 0, 0, 0
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


def _dot(x: list[Any], y: list[Any]) -> Any:
    return sum((a * b for a, b in zip(x, y, strict=True)), arb(0))


def _eigenvalues(matrix: Any, zeros: int) -> tuple[float, ...]:
    """Return the eigenvalues of a symmetric ball matrix, of which the least are known as zero."""
    size = matrix.nrows()
    if all(matrix[i, j] == 0 for i in range(size) for j in range(i)):
        found = [matrix[i, i].mid() for i in range(size)]
    else:
        found = [x.real.mid() for x in acb_mat(matrix.mid()).eig(algorithm="approx")]
    found.sort(key=abs)
    return tuple(sorted([0.0] * zeros + [float(x) for x in found[zeros:]]))
