"""Values of a model's parameters: by name, at each step, and with those that a start has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol

from slrsym.kernels.arguments import require_integer
from slrsym.models.definition.specification import InnerProduct
from slrsym.models.training.schedules import SORTS, ParameterSchedules

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel


Array = NDArray[np.float64]


def parameter_values_by_name(model: DerivedModel, values: Any) -> dict[str, Any]:
    """Return the parameters' values by name, where keys may be symbols or inner products."""
    if not isinstance(values, Mapping):
        raise TypeError(f"values must be a mapping of parameters to numbers; got {values!r}")
    found = {}
    for key, value in values.items():
        product = model.inner_product(*key.pair) if isinstance(key, InnerProduct) else None
        if product is None or isinstance(product, Symbol):
            found[str(product or key)] = value
        elif product != value:
            raise ValueError(f"{key} is {product} in this model; got {value}")
    return found


def require_value_of_d(by_name: Mapping[str, Any], why: str = "") -> int:
    """Return d from values by name; raise `ValueError` unless it is an integer, at least 2.

    Why it is needed is said where it is missing.
    """
    if why and "d" not in by_name:
        given = ", ".join(sorted(by_name)) or "nothing"
        raise ValueError(f"values must have a number for d, as {why}; got numbers for {given}")
    d = by_name.get("d", 0)
    return require_integer("d", int(d) if isinstance(d, float) and d.is_integer() else d, 2)


def parameter_row(
    model: DerivedModel,
    by_name: Mapping[str, Any],
    parameters: Sequence[Symbol] | None = None,
) -> Array:
    """Return the numbers of constant parameters (by default the risk's), shape (count,)."""
    parameters = model.parameters if parameters is None else parameters
    row: Array = parameter_schedules(model, by_name, 0, parameters).at(np.zeros(1, dtype=np.int64))[
        0
    ]
    return row


def parameter_schedules(
    model: DerivedModel, by_name: Mapping[str, Any], steps: int, parameters: Sequence[Symbol]
) -> ParameterSchedules:
    """Return the parameters at each step up to `steps`; raise if one is missing or unknown."""
    known = {p.name for p in parameters} | {"d"}
    known |= {p.name for p, _ in fixed_inner_products(model) if isinstance(p, Symbol)}
    unknown = sorted(by_name.keys() - known)
    if unknown:
        allowed = ", ".join(p.name for p in parameters)
        raise ValueError(f"values has {unknown[0]}, no parameter of this model ({allowed})")
    given = []
    for p in parameters:
        if p.name not in by_name:
            raise ValueError(f"values must have a number for {p.name}")
        sorts = [x for x in SORTS if x == "real" or getattr(p, f"is_{x}")]
        given.append((by_name[p.name], p.name, sorts))
    return ParameterSchedules(given, 0, steps)


def fixed_inner_products(
    model: DerivedModel,
) -> list[tuple[Expr, tuple[int, int, int]]]:
    """Return inner products of fixed directions, with their indices in the Gram matrices."""
    t = len(model.trained_directions)
    return [
        (model.inner_product(x, y, a), (i, j, a))
        for i, x in enumerate(model.fixed_directions, t)
        for j, y in enumerate(model.fixed_directions[i - t :], i)
        for a in range(model.spaces)
    ]


def add_inner_products_of_start(
    model: DerivedModel,
    by_name: dict[str, Any],
    factor: Array,
    parameters: Sequence[Symbol] | None = None,
) -> None:
    """Add the start's inner products of fixed directions to the values; raise if they disagree."""
    parameters = model.parameters if parameters is None else parameters
    gram = factor @ np.swapaxes(factor, -1, -2)
    for product, (i, j, a) in fixed_inner_products(model):
        found = gram[:, a, i, j]
        if isinstance(product, Symbol) and product not in parameters:
            continue
        if isinstance(product, Symbol) and product.name not in by_name:
            by_name[product.name] = float(found[0])
        stated = number_at(product, by_name)
        if not np.abs(found - stated).max() < 1e-9:
            raise ValueError(
                f"start has directions {model.directions[i]} and {model.directions[j]} of inner "
                f"product {found[np.abs(found - stated).argmax()]}, where the model has {stated}. "
                f"The rows of a Gram matrix are {names_in_order(model)}"
            )
    squares = np.sum(np.diagonal(gram, axis1=-2, axis2=-1), axis=1)
    for i, x in enumerate(model.trained_directions):
        if x.on_sphere and not np.abs(squares[:, i] - 1).max() < 1e-6:
            worst = squares[np.abs(squares[:, i] - 1).argmax(), i]
            raise ValueError(f"start has direction {x} of length {worst**0.5:g}; it must have 1")


def with_stated_products(model: DerivedModel, by_name: Mapping[str, Any], gram: Array) -> Array:
    """Return Gram matrices with the model's inner products of fixed directions, where it has some.

    Those of a start may differ by rounding.
    """
    found = gram.copy()
    for product, (i, j, a) in fixed_inner_products(model):
        if all(s.name in by_name for s in product.free_symbols):
            found[:, a, i, j] = found[:, a, j, i] = number_at(product, by_name)
    return found


def names_in_order(model: DerivedModel) -> str:
    """Return the names of a model's directions, for messages about their Gram matrices."""
    return f"{', '.join(map(str, model.directions))} (in this order)"


def number_at(expr: Any, by_name: Mapping[str, Any]) -> float:
    """Return an expression as a number; raise `ValueError` if one of its symbols has none."""
    if expr.free_symbols:
        missing = sorted(s.name for s in expr.free_symbols if s.name not in by_name)
        if missing:
            raise ValueError(f"values must have a number for {missing[0]}")
        expr = expr.subs({s: by_name[s.name] for s in expr.free_symbols})
    return float(expr)
