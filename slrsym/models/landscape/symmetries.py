"""Symmetries of the risk: signs and permutations of directions that leave it as it is."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slrsym.models.definition.symmetries import is_proved_symmetry

if TYPE_CHECKING:
    from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

_MOST_PERMUTATIONS = 5_000
# Of more directions, signs are not tried one by one.
_MOST_SIGNED = 8


def proved_sign_symmetries(model: DerivedModel) -> Array:
    """Return signs of all directions that leave the risk as it is, by the statement of the model.

    Parameters
    ----------
    model : DerivedModel

    Returns
    -------
    ndarray of shape (n, p)
        Trained directions first, of which the first stays; a row of ones is always there.
    """
    directions = model.directions
    found = [np.ones(len(directions))]
    if len(directions) > _MOST_SIGNED or model.data.correlation or model.spaces > 1:
        return np.array(found)
    # If all change their signs, no inner product does.
    for signs in itertools.product((1,), *[(1, -1)] * (len(directions) - 1)):
        images = {x: (x, sign) for x, sign in zip(directions, signs, strict=True)}
        if -1 in signs and is_proved_symmetry(model, images):
            found.append(np.array(signs, dtype=np.float64))
    return np.array(found)


def order_of_triangle(fixed: Array) -> NDArray[np.int64]:
    """Return an order of rows in which those come first that have the fewest coordinates.

    Parameters
    ----------
    fixed : ndarray, shape (f, f)

    Returns
    -------
    ndarray of int, shape (f,)
    """
    last = [int(np.flatnonzero(row).max(initial=-1)) for row in fixed]
    return np.argsort(last, kind="stable")


def coordinate_signs(signs: Array, fixed: Array, trained: int, rest: int) -> Array:
    """Return symmetries as signs of the coordinates of trained directions.

    Parameters
    ----------
    signs : ndarray, shape (n, p)
        Of all directions, trained ones first.
    fixed : ndarray, shape (f, f)
        The fixed directions, a triangle in some order of them.
    trained : int
        How many directions are trained.
    rest : int
        How many further coordinates there are; reflections along these change nothing.

    Returns
    -------
    ndarray of shape (count, trained, f + rest)
    """
    found, order = [], order_of_triangle(fixed)
    for row in signs:
        # An axis has the sign of the direction that it was made for.
        own = row[trained:]
        columns = own[order]
        if any(columns[c] != own[i] for i, c in np.argwhere(np.abs(fixed) > 1e-12)):
            continue
        for others in itertools.product((1, -1), repeat=rest):
            # With the signs of the axes, those of the directions are the signs of coordinates.
            found.append(np.outer(row[:trained], [*columns, *others]))
    return np.array(found)


def is_fixed_by_signs(point: Array, signs: Array) -> bool:
    """Return whether symmetries leave no other point near one of coordinates 0, 1 and -1.

    Parameters
    ----------
    point : ndarray, shape (t, m)
    signs : ndarray, shape (n, t, m)
        Symmetries, as signs of the coordinates.

    Returns
    -------
    bool
    """
    keep = signs[((point == 0) | (signs == 1)).all(axis=(1, 2))]
    return bool(((keep == -1).any(axis=0) | (point != 0)).all())


class RiskSymmetries:
    """Signed permutations of directions under which the risk is invariant, acting on states."""

    def __init__(self, landscape: RiskOfTrainedDirections, states: Array) -> None:
        model = landscape.model
        self._places = {s: i for i, s in enumerate(model.order_parameters)}
        size = len(self._places)
        signs = [np.ones(size)]
        for flipped in model.flow.symmetries():
            signs.append(np.array([-1.0 if s in flipped else 1.0 for s in self._places]))
        risk = model.compiled("numpy", "risk")

        def risks(at: Array) -> Array:
            found: Array = risk(at, *landscape.row)[..., 0]
            return found

        before = risks(states)
        orders = [np.arange(size)]
        for order in self._permutations(model):
            if np.allclose(risks(states[:, order]), before, rtol=1e-9, atol=1e-12):
                orders.append(order)
        self.transformations = [(order, sign) for order in orders for sign in signs]

    def _permutations(self, model: DerivedModel) -> list[NDArray[np.int64]]:
        """Return the permutations of order parameters induced by permutations of directions."""
        trained, fixed = model.trained_directions, model.fixed_directions
        if factorial(len(trained)) * factorial(len(fixed)) > _MOST_PERMUTATIONS:
            fixed_orders: list[tuple[Any, ...]] = [fixed]
        else:
            fixed_orders = list(itertools.permutations(fixed))
        found: dict[tuple[int, ...], NDArray[np.int64]] = {}
        trained_orders = itertools.islice(itertools.permutations(trained), _MOST_PERMUTATIONS)
        for first, second in itertools.product(trained_orders, fixed_orders):
            to = dict(zip((*trained, *fixed), (*first, *second), strict=True))
            if any(x.on_sphere != y.on_sphere for x, y in to.items()):
                continue
            if (order := self._order(model, to)) is not None:
                found[tuple(order)] = np.array(order)
        found.pop(tuple(range(len(self._places))), None)
        return list(found.values())

    def _order(self, model: DerivedModel, to: Mapping[Any, Any]) -> list[int] | None:
        """Return the permutation of order parameters induced by one of directions, or None."""
        order = [0] * len(self._places)
        for symbol, (i, j, a) in model.flow.places.items():
            if symbol not in self._places:
                continue
            x, y = model.directions[i], model.directions[j]
            image = model.inner_product(to[x], to[y], a)
            if image not in self._places:
                return None
            order[self._places[symbol]] = self._places[image]
        fixed = model.fixed_directions
        same = all(
            model.inner_product(to[x], to[y], a) == model.inner_product(x, y, a)
            for x in fixed
            for y in fixed
            for a in range(model.spaces)
        )
        return order if same else None

    def images(self, state: Array) -> Array:
        """Return the images of a state under all symmetries."""
        return np.array([sign * state[order] for order, sign in self.transformations])
