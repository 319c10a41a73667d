"""Linear programs that write a polynomial as a combination of others with nonnegative coefficients.

A polynomial is a dictionary from monomials to coefficients.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack

Polynomial: TypeAlias = Mapping[Any, Any]
# The status of SciPy for a program whose costs have no lower bound.
_UNBOUNDED = 3


def drop_vanishing_terms(
    terms: Sequence[Polynomial], target: Polynomial, is_free: Sequence[bool]
) -> list[int] | None:
    """Return the indices of terms whose coefficients may differ from 0, or None if none can do.

    A monomial that the target lacks, and that has one sign in all terms, is in no combination with
    nonnegative coefficients; so its terms go, until there is no such monomial. A program would find
    out as well, in a hundred times the time. The coefficient of a term may be negative if it is
    free.
    """
    holders: defaultdict[Hashable, list[int]] = defaultdict(list)
    # By monomial: how many terms can raise and lower its coefficient.
    counts: defaultdict[Hashable, list[int]] = defaultdict(lambda: [0, 0])
    for j, term in enumerate(terms):
        for monomial, c in term.items():
            holders[monomial].append(j)
            counts[monomial][0] += is_free[j] or c > 0
            counts[monomial][1] += is_free[j] or c < 0
    if any(not counts[monomial][int(c < 0)] for monomial, c in target.items()):
        return None
    kept, left = [True] * len(terms), [m for m in counts if m not in target]
    while left:
        monomial = left.pop()
        if all(counts[monomial]):
            continue
        for j in holders[monomial]:
            if not kept[j]:
                continue
            kept[j] = False
            for other, c in terms[j].items():
                side = counts[other]
                side[0] -= is_free[j] or c > 0
                side[1] -= is_free[j] or c < 0
                if other not in target:
                    if not all(side) and any(side):
                        left.append(other)
                elif not side[int(target[other] < 0)]:
                    return None
    return [j for j, keep in enumerate(kept) if keep]


def combine_nonnegatively_in_floating_point(
    terms: Sequence[Polynomial],
    target: Polynomial,
    is_free: Sequence[bool],
    costs: Sequence[float],
    is_positive: Sequence[bool] | None = None,
) -> tuple[list[float] | None, float, int]:
    """Return the cheapest combination of terms that is equal to a polynomial, and what it took.

    That is: the coefficients, or None if there is no combination; the sum of those of positive
    terms, which have to sum to at least 1e-4 if `is_positive` says which they are; and the work, in
    entries of the program times iterations. The arguments are those of `drop_vanishing_terms`, and
    what a unit of each coefficient costs.
    """
    rows = {monomial: i for i, monomial in enumerate({**target, **dict.fromkeys(
        m for term in terms for m in term)})}  # fmt: skip
    strict = is_positive is not None
    height, width = len(rows) + strict, len(terms) + strict
    entries = [(rows[m], j, _as_float(c)) for j, term in enumerate(terms) for m, c in term.items()]
    if is_positive is not None:
        entries += [(len(rows), j, 1.0) for j, positive in enumerate(is_positive) if positive]
        entries.append((len(rows), len(terms), -1.0))
    at, across, values = zip(*entries, strict=True)
    matrix = csr_matrix((values, (at, across)), shape=(height, width))
    right = np.zeros(height)
    for monomial, c in target.items():
        right[rows[monomial]] = _as_float(c)
    least: list[float | None] = [None if free else 0.0 for free in is_free]
    least += [1e-4] * strict
    prices = [*costs, *[0.0] * strict]
    result = linprog(
        prices, A_eq=matrix, b_eq=right, bounds=[(low, None) for low in least], method="highs",
        options={"maxiter": 5000},
    )  # fmt: skip
    work = 30 + result.nit * (1 + matrix.nnz // 1000)
    if result.status == _UNBOUNDED:
        # Free terms depend on one another, and negative coefficients seem to gain something: here a
        # free coefficient is the difference of two that are not negative, and each costs.
        free = [j for j, is_one in enumerate(is_free) if is_one]
        least = [*(low or 0.0 for low in least), *[0.0] * len(free)]
        result = linprog(
            [*prices, *(prices[j] for j in free)], A_eq=hstack([matrix, -matrix[:, free]]),
            b_eq=right, bounds=[(low, None) for low in least], method="highs",
            options={"maxiter": 5000},
        )  # fmt: skip
        work += result.nit * (1 + matrix.nnz // 1000)
        if result.status == 0:
            result.x, negative = np.split(result.x, [width])
            result.x[free] -= negative
    if result.status != 0:
        return None, 0.0, work
    coefficients = [float(x) for x in result.x[: len(terms)]]
    return coefficients, float(result.x[-1]) if strict else 0.0, work


def _as_float(c: Any) -> float:
    c = fmpq(c)
    return float(int(c.p)) / float(int(c.q))
