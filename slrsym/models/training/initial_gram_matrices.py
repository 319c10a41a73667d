"""Gram matrices that runs of a model begin with, from all forms that a start may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from sympy import Symbol, sqrt

from slrsym.files import read_start_arrays
from slrsym.models.definition.specification import Direction, InnerProduct
from slrsym.models.training.initial_conditions import draw_directions, vectors_with_gram_matrix
from slrsym.models.training.parameter_values import (
    fixed_inner_products,
    names_in_order,
    number_at,
    require_value_of_d,
)
from slrsym.models.training.runs import MODEL_RUNS

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel


Array = NDArray[np.float64]


def initial_gram_factors(
    model: DerivedModel,
    by_name: Mapping[str, Any],
    start: Any,
    runs: int | None,
    rng: np.random.Generator,
    dimensions: Sequence[int] | None,
) -> Array:
    """Return factors of the initial Gram matrices, from any of the accepted forms of `start`.

    Without a number of runs there are as many as `start` has points.
    """
    return initial_gram_matrices(model, by_name, start, runs, rng, dimensions)[1]


def initial_gram_matrices(
    model: DerivedModel,
    by_name: Mapping[str, Any],
    start: Any,
    runs: int | None,
    rng: np.random.Generator,
    dimensions: Sequence[int] | None,
) -> tuple[Array, Array]:
    """Return the initial Gram matrices, to the last bit as stated, with factors of them."""
    if isinstance(start, xr.Dataset):
        names = [x.name for x in model.directions]
        if not MODEL_RUNS.fits(start) or start.direction.values.tolist() != names:
            raise ValueError(f"start must be runs of a model of {', '.join(names)}")
        start = start.gram.isel(step=-1).values
    if isinstance(start, Path) or (isinstance(start, str) and start.endswith(".npz")):
        by_name_of = {x.name: x for x in model.directions}
        start = {by_name_of[n]: x for n, x in read_start_arrays(start, list(by_name_of)).items()}
    if isinstance(start, str):
        if start not in ("uniform", "uniform, fixed directions too"):
            raise ValueError(
                "start must be 'uniform', 'uniform, fixed directions too', vectors by direction, "
                f"a file .npz of these, or a Gram matrix; got {start!r}"
            )
        d = require_value_of_d(by_name, f"start={start!r} is drawn in R^d")
        gram, runs = None, runs or 1
        between = dict.fromkeys(p for p, _ in fixed_inner_products(model) if isinstance(p, Symbol))
        free = [p for p in between if p.name not in by_name]
        # A direction is drawn with length 1.
        squares = [model.squared_length(x) for x in model.fixed_directions]
        lengths = [1.0 if s in free else number_at(sqrt(s), by_name) for s in squares]
        if start == "uniform" and model.spaces == 1 and not free:
            gram = np.array(
                [
                    [number_at(model.inner_product(x, y), by_name) for y in model.fixed_directions]
                    for x in model.fixed_directions
                ]
            ).reshape(len(model.fixed_directions), len(model.fixed_directions))
        elif runs > 1 and model.spaces == 1 and set(free) & set(model.parameters):
            # What the risk depends on is the same for all runs.
            fixed = draw_directions(model, d, 1, rng)[0, 0, len(model.trained_directions) :]
            fixed *= np.array(lengths)[:, None]
            gram = fixed @ fixed.T
        factor = draw_directions(model, d, runs, rng, gram, dimensions)
        if gram is None:
            factor[:, :, len(model.trained_directions) :] *= np.array(lengths)[:, None]
        return factor @ np.swapaxes(factor, -1, -2), factor
    if isinstance(start, Mapping) and not (start and all(isinstance(x, Direction) for x in start)):
        return _with_factor(model, _gram_by_pairs(model, by_name, start), runs)
    if isinstance(start, Mapping):
        missing = [x.name for x in model.directions if x not in start]
        if missing:
            raise ValueError(f"start must have a vector for {missing[0]}")
        vectors = np.stack(
            np.broadcast_arrays(
                *(np.asarray(start[x], dtype=np.float64) for x in model.directions)
            ),
            axis=-2,
        )
        if not np.isfinite(vectors).all():
            lost = [
                x.name
                for i, x in enumerate(model.directions)
                if not np.isfinite(vectors[..., i, :]).all()
            ]
            raise ValueError(f"start must have finite vectors; those for {lost[0]} are not")
        vectors = vectors.reshape(-1, *vectors.shape[-2:])
        if model.spaces > 1:
            raise ValueError(
                f"start from vectors needs one eigenspace, and this model has {model.spaces}; "
                "give Gram matrices"
            )
        # Coordinates in an orthonormal basis of their span.
        factor = np.stack([np.linalg.qr(rows.T)[1].T for rows in vectors])[:, None]
        gram = (vectors @ np.swapaxes(vectors, -1, -2))[:, None]
        return _repeated(gram, runs), _repeated(factor, runs)
    if isinstance(start, xr.DataArray):
        start = _gram_by_names(model, start)
    given = np.asarray(start, dtype=np.float64)
    p = len(model.directions)
    shape = (p, p) if model.spaces == 1 else (model.spaces, p, p)
    if given.shape[-len(shape) :] != shape:
        raise ValueError(
            f"start, as a Gram matrix of {names_in_order(model)}, must have shape (..., "
            f"{model.spaces}, {p}, {p}) (without the {model.spaces} for one eigenspace); "
            f"got {given.shape}"
        )
    return _with_factor(model, given, runs)


def _with_factor(model: DerivedModel, gram: Array, runs: int | None) -> tuple[Array, Array]:
    """Return Gram matrices of a start, with factors of them, for each run."""
    p = len(model.directions)
    gram = gram.reshape(-1, model.spaces, p, p)
    try:
        factor = vectors_with_gram_matrix(gram)
    except ValueError as problem:
        raise ValueError(f"start, as a Gram matrix of {names_in_order(model)}: {problem}") from None
    return _repeated((gram + np.swapaxes(gram, -1, -2)) / 2, runs), _repeated(factor, runs)


def _gram_by_pairs(
    model: DerivedModel, by_name: Mapping[str, Any], start: Mapping[Any, Any]
) -> Array:
    """Return a Gram matrix in each eigenspace, from inner products by pair, symbol or name."""
    x, spaces = model.directions, range(model.spaces)
    pairs = {key: value for key, value in start.items() if isinstance(key, InnerProduct)}
    names = {str(key): value for key, value in start.items() if not isinstance(key, InnerProduct)}
    known = {y @ z for y in x for z in x}
    symbols = {str(model.inner_product(*pair.pair, a)) for pair in known for a in spaces}
    if unknown := sorted(map(str, {*pairs} - known)) + sorted({*names} - symbols):
        raise ValueError(
            f"start has {unknown[0]}, no inner product of the directions {', '.join(map(str, x))}"
        )
    gram = np.empty((model.spaces, len(x), len(x)))
    for i, y in enumerate(x):
        for j, z in enumerate(x):
            for a in spaces:
                product = model.inner_product(y, z, a)
                if y @ z in pairs:
                    gram[a, i, j] = np.broadcast_to(pairs[y @ z], model.spaces)[a]
                elif str(product) in names:
                    gram[a, i, j] = names[str(product)]
                elif all(s.name in by_name for s in product.free_symbols):
                    gram[a, i, j] = number_at(product, by_name)
                else:
                    raise ValueError(f"start must have a number for {y @ z}")
    return gram


def _gram_by_names(model: DerivedModel, start: xr.DataArray) -> Array:
    """Return labelled Gram matrices with the directions in the order of the model."""
    names = [x.name for x in model.directions]
    labels = [start.coords.get(dim) for dim in ("direction", "other")]
    if any(x is None or sorted(x.values.tolist()) != sorted(names) for x in labels):
        raise ValueError(
            "start, as a DataArray, must have the dimensions direction and other with the names "
            f"{', '.join(names)}"
        )
    first = [dim for dim in start.dims if dim not in ("space", "direction", "other")]
    spaces = ["space"] if "space" in start.dims else []
    ordered = start.sel(direction=names, other=names).transpose(
        *first, *spaces, "direction", "other"
    )
    found: Array = ordered.values
    return found


def _repeated(factor: Array, runs: int | None) -> Array:
    if runs in (None, len(factor)):
        return factor
    if len(factor) != 1:
        raise ValueError(f"start has {len(factor)} points for {runs} runs; give one, or as many")
    return np.repeat(factor, runs, axis=0)
