"""Krawczyk's test, which proves that a system has exactly one zero in a box."""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat


def krawczyk_image(values: list[Any], slopes: Any, radii: list[Any]) -> list[Any] | None:
    r"""Return the Krawczyk image if it proves that a box has exactly one zero, else None.

    Here C is an approximate inverse of the derivatives f', of which `slopes` has balls over the
    box. With half sides r the offsets are :math:`(I - C f')[-r, r] - C f(m)`. If they stay below r
    in every coordinate, then f has exactly one zero in the box, and not on its boundary.
    """
    size = len(radii)
    try:
        inverse = slopes.mid().inv().mid()
    except ZeroDivisionError:
        return None
    identity = arb_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
    offset = arb_mat([[arb(0, arb(r).upper())] for r in radii])
    moved = (identity - inverse * slopes) * offset - inverse * arb_mat([[v] for v in values])
    found = [moved[i, 0] for i in range(size)]
    return found if all(abs(x) < r for x, r in zip(found, radii, strict=True)) else None
