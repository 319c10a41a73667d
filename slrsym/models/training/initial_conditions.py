"""Random directions in coordinates of their span, for the paper's task and for any model.

Coordinates of Gaussian vectors in the basis that Gram and Schmidt make of them are independent:
normal beside the diagonal, and on it roots of chi squares (Bartlett, 1933). So the law is exact and
the cost does not depend on d. Each run has its own stream of random numbers, so that it does not
depend on how many stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

if TYPE_CHECKING:
    from slrsym.models.means.risk import ExactRisk

Array = NDArray[np.float64]


def gaussian_coordinates(rng: Generator, count: int, d: int, known_count: int) -> Array:
    """Draw Gaussian vectors in coordinates of their span, with squares on the diagonal.

    On the diagonal, behind the known vectors, are the squares of coordinates.
    """
    rows = np.zeros((count, known_count + count))
    for row, before in zip(rows, range(known_count, known_count + count), strict=True):
        inside = min(before, d)
        row[:inside] = rng.standard_normal(inside)
        row[before] = rng.chisquare(d - before) if before < d else 0.0
    return rows


def draw_directions(
    model: ExactRisk,
    d: int,
    runs: int,
    rng: Generator,
    gram: Array | None = None,
    dimensions: Sequence[int] | None = None,
) -> Array:
    """Return random trained directions, uniform on spheres, and fixed ones, as coordinates."""
    t, f = len(model.trained_directions), len(model.fixed_directions)
    spaces = require_dimensions(dimensions, d, model.spaces)
    given = len(spaces) == 1 and gram is not None
    basis = vectors_with_gram_matrix(gram) if given else np.empty((f, 0))
    basis = basis[:, basis.any(axis=0)]
    rank, count = basis.shape[1], t if given else f + t
    if rank > d:
        names = ", ".join(x.name for x in model.fixed_directions)
        raise ValueError(f"d must be at least {rank}, the rank of {names}; got {d}")
    # One stream for each run, as the paper's task has them.
    drawn = [[gaussian_coordinates(x, count, n, rank) for n in spaces] for x in rng.spawn(runs)]
    factor, diagonal = np.array(drawn), np.arange(count)
    factor[..., diagonal, rank + diagonal] = np.sqrt(factor[..., diagonal, rank + diagonal])
    if given:
        known = np.broadcast_to(np.pad(basis, ((0, 0), (0, t))), (runs, 1, f, rank + t))
        factor = np.concatenate([factor, known], axis=-2)
    else:
        # The fixed directions came first, whose triangle is smaller.
        factor = np.roll(factor, t, axis=-2)
        for i, x in enumerate(model.fixed_directions, t):
            for j, y in enumerate(model.fixed_directions[: i - t], t):
                if model.fixed_inner_product(x, y) == 0:
                    overlap = np.sum(factor[:, :, i] * factor[:, :, j], axis=(-1, -2))
                    factor[:, :, i] -= overlap[:, None, None] * factor[:, :, j]
            factor[:, :, i] /= np.linalg.norm(factor[:, :, i], axis=(1, 2))[:, None, None]
    lengths = np.linalg.norm(factor[:, :, :t], axis=(1, 3))
    lengths = np.where([x.on_sphere for x in model.trained_directions], lengths, np.sqrt(d))
    factor[:, :, :t] /= lengths[:, None, :, None]
    return factor


def require_dimensions(dimensions: Sequence[int] | None, d: int, spaces: int) -> list[int]:
    """Return dimensions of eigenspaces, d for a single one; raise unless they add up to d."""
    found = [d] if dimensions is None else list(dimensions)
    if len(found) != spaces or sum(found) != d:
        raise ValueError(f"dimensions must be {spaces} numbers that add up to {d}; got {found}")
    return found


def equal_dimensions(d: int, spaces: int) -> list[int]:
    """Return dimensions of eigenspaces that add up to d and differ by one at most."""
    return [d // spaces + (space < d % spaces) for space in range(spaces)]


def vectors_with_gram_matrix(gram: Any) -> Array:
    """Return vectors, as rows, with a given Gram matrix; of several matrices, with each."""
    matrix = np.asarray(gram, dtype=np.float64)
    if not np.allclose(matrix, np.swapaxes(matrix, -1, -2), rtol=1e-9, atol=1e-9):
        raise ValueError(f"gram must be symmetric, of finite numbers; got {matrix.tolist()}")
    values, vectors = np.linalg.eigh(matrix)
    most = values[..., -1:]
    if (values < -1e-9 * np.maximum(1.0, most)).any():
        raise ValueError(
            f"gram must be positive semidefinite; its least eigenvalue is {values.min()}"
        )
    root: Array = vectors * np.sqrt(np.where(values > 1e-14 * most, values, 0.0))[..., None, :]
    return root
