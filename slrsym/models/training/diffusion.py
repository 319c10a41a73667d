"""The covariance of changes of order parameters by one step of online SGD."""

from __future__ import annotations

from sympy import Expr, ImmutableMatrix, S

from slrsym.models.definition.specification import NotClosedError
from slrsym.models.means.gradient_products import (
    GradientPair,
    SampleProductNames,
)
from slrsym.models.means.readout_means import products_of_gradients
from slrsym.models.training.rates_of_change import RatesOfChange


def covariance_of_changes(changes: RatesOfChange, leading: bool) -> ImmutableMatrix:
    """Return the covariance of changes by one step of online SGD times d, in symbols of moments.

    The leading part has terms of second order in the learning rates.
    """
    if changes.motion.kind != "online-sgd":
        raise ValueError(
            f"fluctuations are those of online-sgd, whose samples are random; {changes.motion.kind}"
            " has none"
        )
    if changes.model.uses_representatives:
        raise ValueError(
            "fluctuations leave the subspace where exchangeable units are alike: state the model "
            "with a number of units, and ask for equations without symmetric=True"
        )
    names = SampleProductNames()
    by_sample = RatesOfChange(changes.model, changes.motion, names)
    # A change is linear in the products of a sample's gradients.
    rows = [
        {
            part: slope
            for symbol, part in names.products.items()
            if (slope := (by_sample.drift[p] + by_sample.noise[p]).diff(symbol)) != 0
            and not (leading and isinstance(part, GradientPair))
        }
        for p in changes.state
    ]
    products = products_of_gradients(changes.samples)
    size = len(rows)
    places = [(i, j) for i in range(size) for j in range(i, size)]
    needed = {
        frozenset({one, other}): (one, other)
        for i, j in places
        for one in rows[i]
        for other in rows[j]
    }

    def entry(i: int, j: int) -> Expr:
        total: Expr = S.Zero
        for one, c in rows[i].items():
            for other, e in rows[j].items():
                total += c * e * products.covariance(one, other)
        return total / changes.motion.batch

    try:
        products.require_few_means(needed.values())
        upper = {(i, j): entry(i, j) for i, j in places}
    except NotClosedError as problem:
        if leading:
            raise
        raise NotClosedError(
            f"{problem}. Products of two gradients are less: leading_diffusion has the terms of "
            "second order in the learning rates alone"
        ) from None
    return ImmutableMatrix(size, size, lambda i, j: upper[min(i, j), max(i, j)])
