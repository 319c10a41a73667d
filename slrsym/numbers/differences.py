"""Central differences of any order, by exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from sympy import Rational

__all__ = ["grid", "stencil"]


@lru_cache(maxsize=64)
def stencil(order: int, accuracy: int) -> tuple[tuple[Rational, Rational], ...]:
    """Nodes and weights of a central difference, in units of the step."""
    reach = (order + 1) // 2 + accuracy - 1
    nodes = list(range(-reach, reach + 1))
    if order % 2:
        nodes.remove(0)
    # Solve sum_j w_j x_j^k = k! [k = order] by exact elimination.
    n = len(nodes)
    rows = [
        [Rational(x) ** k for x in nodes] + [Rational(math.factorial(k) if k == order else 0)]
        for k in range(n)
    ]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    pairs = [(Rational(x), rows[i][n]) for i, x in enumerate(nodes)]
    return tuple((x, w) for x, w in pairs if w != 0)


def grid(stencils: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """All combinations of one entry of each stencil."""
    if not stencils:
        yield ()
        return
    for entry in stencils[0]:
        for rest in grid(stencils[1:]):
            yield (entry, *rest)
