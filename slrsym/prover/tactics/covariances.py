"""Quick tests of covariance matrices for semidefiniteness."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Indexed
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean

from slrsym.gaussian.integrals import ldl_decomposition
from slrsym.prover.statements.expressions import Sentence


def is_plainly_semidefinite(matrix: sp.Matrix) -> bool:
    """Return whether the symbols' assumptions show a matrix to be positive semidefinite.

    If they do not, a claim on the law has the hypothesis that the law exists.
    """
    found = ldl_decomposition(matrix)
    if found is None:
        return False
    diagonal, lower = found
    divided = [
        pivot
        for i, pivot in enumerate(diagonal)
        if any(lower[j, i] != 0 for j in range(i + 1, len(diagonal)))
    ]
    return all(p.is_positive for p in divided) and all(p.is_nonnegative for p in diagonal)


_TRIES = 500


def has_negative_eigenvalue_at_random_point(
    matrix: sp.Matrix, hypotheses: Iterable[Boolean]
) -> bool:
    """Return whether random values under the hypotheses give a matrix a negative eigenvalue.

    If so, no proof that the matrix is semidefinite is searched. False proves nothing: the random
    points may have missed such a point, or a hypothesis may have no value.
    """
    open_ones, related = list(hypotheses), list[Boolean]()
    names: set[sp.Symbol] = set(matrix.free_symbols)
    while linked := [h for h in open_ones if h.free_symbols & names]:
        open_ones = [h for h in open_ones if h not in linked]
        related += linked
        names = names.union(*(h.free_symbols for h in linked))
    order = sorted(names, key=str)
    # What is said of unknown functions, or for all values, has no truth value at a point.
    if any(h.has(Sentence, AppliedUndef, Indexed) for h in related):
        return False
    if any(not x.is_real or x.is_nonpositive for x in order):
        return False
    columns = [_random_values(x, np.random.default_rng(i)) for i, x in enumerate(order)]
    try:
        values = sp.lambdify(order, [sp.And(*related), *matrix], "numpy")(*columns)
    except (ArithmeticError, NameError, NotImplementedError, TypeError, ValueError):
        return False
    holds, *entries = (np.broadcast_to(v, _TRIES) for v in values)
    found = np.stack(entries, axis=-1)[holds].reshape(-1, *matrix.shape)
    if not found.size or not np.isfinite(found).all():
        return False
    least = np.linalg.eigvalsh(found)[:, 0]
    return bool((least < -1e-6 * np.abs(found).max(axis=(1, 2))).any())


def _random_values(symbol: sp.Symbol, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw values for a symbol that fit its assumptions, positive ones on a logarithmic scale."""
    values: NDArray[np.float64] = rng.standard_normal(_TRIES)
    if symbol.is_integer:
        values = np.ceil(10 * np.abs(values))
    elif symbol.is_nonnegative:
        values = np.exp(2 * values)
    return values
