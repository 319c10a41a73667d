"""The risk as a function of the trained directions, with its derivatives on the spheres.

A point has the trained directions as rows. Their coordinates are in a basis that begins with one of
the span of the fixed directions; of several eigenspaces it has a block for each. Orthogonal to all
directions the Hessian is the same everywhere, so that it is known in all d dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from slrsym.models.training.spheres import Spheres

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

# Steps of difference quotients: of the gradient in searches, and for the Hessian at their ends.
_STEP, _CENTRAL = 1e-7, 1e-5
# Of more order parameters, second derivatives take longer to derive than they save.
_MOST = 30


class RiskOfTrainedDirections:
    """The risk as a function of the trained directions, with everything else fixed.

    Parameters
    ----------
    model : DerivedModel
    row : ndarray, shape (parameters,)
        The parameters of the risk.
    fixed : ndarray, shape (f, m)
        The fixed directions, in coordinates whose first axes span them, in each eigenspace.
    dimensions : list of int
        Of the eigenspaces, d in all.
    widths : list of int, optional
        How many of the m coordinates are of each eigenspace.
    """

    def __init__(
        self,
        model: DerivedModel,
        row: Array,
        fixed: Array,
        dimensions: list[int],
        widths: list[int] | None = None,
    ) -> None:
        self.model, self.row, self.fixed, self.dimensions = model, row, fixed, dimensions
        self.widths = [fixed.shape[1]] if widths is None else widths
        self.spheres = Spheres(np.array([x.on_sphere for x in model.trained_directions]))
        self._t = len(model.trained_directions)
        ends = np.cumsum(self.widths)
        self.blocks = [slice(e - w, e) for w, e in zip(self.widths, ends, strict=True)]
        places = np.array([model.gram_indices[p] for p in model.order_parameters], dtype=np.int64)
        self._places = places.reshape(-1, 3)
        self._first, self._second, _ = self._places.T
        self._pairs = self._places.tolist()
        self._upper = np.triu_indices(len(self._pairs))
        # Of which coordinates each order parameter is an inner product.
        self._of = np.zeros((len(self._places), fixed.shape[1]))
        for k, (_, _, a) in enumerate(self._places):
            self._of[k, self.blocks[a]] = 1.0
        # The coordinates in the span of the fixed directions.
        self.span = np.any(np.abs(fixed) > 1e-12, axis=0)

    @classmethod
    def of_gram_factors(
        cls, model: DerivedModel, row: Array, factors: Array, dimensions: list[int]
    ) -> tuple[RiskOfTrainedDirections, Array]:
        """Return the risk with the fixed directions of the first Gram factor, and all points.

        Parameters
        ----------
        model : DerivedModel
        row : ndarray, shape (parameters,)
        factors : ndarray, shape (n, spaces, p, r)
            Of Gram matrices of all directions, trained ones first.
        dimensions : list of int
            Of the eigenspaces.

        Returns
        -------
        risk : RiskOfTrainedDirections
        points : ndarray, shape (n, t, m)
        """
        t, blocks, widths = len(model.trained_directions), [], []
        for a, d in enumerate(dimensions):
            # In few dimensions some coordinates do not exist.
            live = factors[:, a, :, : min(d, factors.shape[-1])]
            turn = np.eye(live.shape[-1])
            if len(model.fixed_directions):
                turn, triangle = qr(live[0, t:].T)
                diagonal = np.diagonal(triangle)
                if np.abs(diagonal).min(initial=1.0) < 1e-9 or len(triangle) < triangle.shape[1]:
                    # Where they depend on each other, the longest come first.
                    turn, triangle, _ = qr(live[0, t:].T, pivoting=True)
                    diagonal = np.diagonal(triangle)
                signs = np.ones(len(turn))
                signs[: len(diagonal)] = np.where(diagonal < 0, -1.0, 1.0)
                turn = turn * signs
            moved = live @ turn
            moved[:, t:][np.abs(moved[:, t:]) < 1e-14] = 0.0
            blocks.append(moved)
            widths.append(live.shape[-1])
        whole = np.concatenate(blocks, axis=-1)
        return cls(model, row, whole[0, t:], dimensions, widths), whole[:, :t]

    # -- order parameters ----------------------------------------------------------------------

    def _all(self, points: Array) -> Array:
        """Return all directions, the trained ones first, for each point."""
        t, m = points.shape[-2:]
        every = np.empty((*points.shape[:-2], t + len(self.fixed), m))
        every[..., :t, :], every[..., t:, :] = points, self.fixed
        return every

    def order_parameters_at(self, points: Array) -> Array:
        """Return the order parameters at points given by coordinates of trained directions."""
        return self._products(self._all(points))

    def _products(self, every: Array) -> Array:
        products = every[..., self._first, :] * every[..., self._second, :]
        if len(self.widths) > 1:
            products *= self._of
        found: Array = np.add.reduce(products, axis=-1)
        return found

    def rates(self, points: Array) -> Array:
        """Return the derivatives of the order parameters in the coordinates of directions."""
        return self._rates(self._all(points))

    def _rates(self, every: Array) -> Array:
        t, m = self._t, every.shape[-1]
        found = np.zeros((*every.shape[:-2], len(self._pairs), t, m))
        one = len(self.widths) == 1
        for k, (i, j, _) in enumerate(self._pairs):
            found[..., k, i, :] += every[..., j, :] if one else every[..., j, :] * self._of[k]
            if j < t:
                found[..., k, j, :] += every[..., i, :] if one else every[..., i, :] * self._of[k]
        return found.reshape(*found.shape[:-2], t * m)

    # -- derivatives of the risk ---------------------------------------------------------------

    @property
    def has_exact_hessian(self) -> bool:
        """Whether second derivatives are derived; else they are difference quotients."""
        return self.model.is_additive and len(self._places) <= _MOST

    def risk_and_gradient(self, points: Array) -> tuple[Array, Array]:
        """Return risk and gradient at each point, in coordinates of the trained directions."""
        found = self.model.compiled("numpy", "risk", "gradient")(
            self.order_parameters_at(points), *self.row
        )
        slopes = found[..., None, 1:]
        return found[..., 0], (slopes @ self.rates(points)).reshape(points.shape)

    def slopes(self, points: Array, row: Any = None) -> Array:
        """Return the partial derivatives of the risk in the order parameters at each point."""
        row = self.row if row is None else row
        found: Array = self.model.compiled("numpy", "gradient")(
            self.order_parameters_at(points), *row
        )
        return found

    def ambient_derivatives(self, points: Array, row: Any = None) -> tuple[Array, Array]:
        """Return gradient and Hessian of the risk of vectors without a constraint.

        `row`, if it is given, has the parameters, which broadcast with the leading axes of points.
        """
        t, m = points.shape[-2:]
        row, every = self.row if row is None else row, self._all(points)
        found = self.model.compiled("numpy", "gradient", "hessian")(self._products(every), *row)
        count = len(self._pairs)
        rates, slopes = self._rates(every), found[..., :count]
        second = np.empty((*found.shape[:-1], count, count))
        rows, columns = self._upper
        second[..., rows, columns] = second[..., columns, rows] = found[..., count:]
        gradient = (slopes[..., None, :] @ rates).reshape(points.shape)
        hessian = np.swapaxes(rates, -1, -2) @ second @ rates
        column = np.arange(m)
        # An inner product of two trained directions is bilinear in them.
        for k, (i, j, _) in enumerate(self._pairs):
            if j < t:
                weight = slopes[..., k, None] * self._of[k]
                hessian[..., i * m + column, j * m + column] += weight
                hessian[..., j * m + column, i * m + column] += weight
        return gradient, hessian

    def curvature_along(self, point: Array, along: Array) -> float:
        """Return the second derivative of the risk along geodesics with given tangents.

        `along` has the shape of a point; without a constraint a geodesic is a straight line.
        """
        count, t = len(self._pairs), len(point)
        state = self.order_parameters_at(point)
        found = self.model.compiled("numpy", "gradient", "hessian")(state, *self.row)
        second = np.empty((count, count))
        rows, columns = self._upper
        second[rows, columns] = second[columns, rows] = found[count:]
        rates = self.rates(point)
        moved = rates @ along.ravel()
        total = moved @ second @ moved
        for k, (i, j, _) in enumerate(self._pairs):
            if j < t:
                total += 2 * found[k] * np.sum(along[i] * along[j] * self._of[k])
        gradient = (found[:count] @ rates).reshape(point.shape)
        weights = self.spheres.multipliers(point, gradient)
        return float(total - weights @ np.sum(along * along, axis=-1))

    def tangent_gradient_hessian_and_basis(
        self, points: Array, central_differences: bool = False
    ) -> tuple[Array, Array, Array]:
        """Return the gradient, the Hessian and a basis of the tangent space at each point.

        Where second derivatives are not derived, or not finite in the order parameters, as at
        aligned units with a kink, the Hessian is made of differences.
        """
        if not self.has_exact_hessian:
            return self._by_differences(points, central_differences)
        with np.errstate(all="ignore"):
            gradient, hessian = self.ambient_derivatives(points)
            found = self.spheres.hessian_to_riemannian(points, gradient, hessian)
        lost = ~np.isfinite(found[1]).all(axis=(-2, -1))
        if lost.any():
            again = self._by_differences(points[lost], central_differences)
            for whole, part in zip(found, again, strict=True):
                whole[lost] = part
        return found

    def _by_differences(self, points: Array, central: bool) -> tuple[Array, Array, Array]:
        basis = self.spheres.tangent_basis(points)
        n, size, m = basis.shape
        moves = np.swapaxes(basis, -1, -2).reshape(n, m, *points.shape[1:])

        def at(step: float) -> Array:
            moved = (points[:, None] + step * moves).reshape(n * m, *points.shape[1:])
            return self.risk_and_gradient(moved)[1].reshape(n, m, size)

        _, gradient = self.risk_and_gradient(points)
        if central:
            rates = (at(_CENTRAL) - at(-_CENTRAL)) / (2 * _CENTRAL)
        else:
            rates = (at(_STEP) - gradient.reshape(n, 1, size)) / _STEP
        # What differences know of the Hessian are its products with the basis.
        hessian = np.swapaxes(rates, -1, -2) @ np.swapaxes(basis, -1, -2)
        return self.spheres.hessian_to_riemannian(points, gradient, hessian)

    # -- beyond the coordinates ----------------------------------------------------------------

    def project_on_fixed_directions(self, points: Array) -> Array:
        """Return the orthogonal projections of trained directions on the span of the fixed ones."""
        return np.where(self.span, points, 0.0)

    def transverse_matrices(self, points: Array, slopes: Array, space: int = 0) -> Array:
        """Return the Hessian orthogonal to all directions, in one dimension of an eigenspace.

        `slopes` are the partial derivatives of the risk in the order parameters. The parts of the
        directions orthogonal to the fixed ones are in its kernel.
        """
        t = self._t
        found = np.zeros((*points.shape[:-2], t, t))
        for k, (i, j, a) in enumerate(self._pairs):
            if a == space and j < t:
                found[..., i, j] += slopes[..., k]
                found[..., j, i] += slopes[..., k]
        gradient = (slopes[..., None, :] @ self.rates(points)).reshape(points.shape)
        diagonal = np.arange(t)
        found[..., diagonal, diagonal] -= self.spheres.multipliers(points, gradient)
        return found

    def transverse_curvatures(self, point: Array) -> list[tuple[Array, int]]:
        """Return curvatures orthogonal to all directions, with multiplicities, by eigenspace."""
        slopes = self.slopes(point)
        return [
            (
                np.asarray(np.linalg.eigvalsh(self.transverse_matrices(point, slopes, a)), float),
                d - self.widths[a],
            )
            for a, d in enumerate(self.dimensions)
        ]

    def orbit_dimension(self, point: Array, dimensions: Sequence[int] | None = None) -> int:
        """Return the dimension of the set of points that rotations relate to a point.

        `dimensions` are those of the eigenspaces that rotations stay in, by default all.
        """
        total = 0
        dimensions = self.dimensions if dimensions is None else dimensions
        for block, d in zip(self.blocks, dimensions, strict=True):
            rest = np.where(self.span, 0.0, point)[:, block]
            q = int(np.linalg.matrix_rank(rest, tol=1e-6))
            free = d - int(self.span[block].sum())
            total += q * free - q * (q + 1) // 2
        return total

    def directions_changing_order_parameters(self, point: Array, directions: Array) -> Array:
        """Return the combinations of tangent directions along which order parameters change."""
        if not directions.shape[1]:
            return directions.T
        vectors, sizes, _ = np.linalg.svd((self.rates(point) @ directions).T)
        found: Array = (directions @ vectors[:, : int((sizes > 1e-4).sum())]).T
        return found
