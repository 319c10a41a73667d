"""Zeros of systems, isolated and counted: the search."""

from __future__ import annotations

import math
from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from slrsym.certify.boxes import Box, box_ball, cut, meet, middle, strictly_within, within
from slrsym.certify.fields import Functions
from slrsym.certify.search import DEPTH, Budget, Cover, leave, widest_axis
from slrsym.certify.trees import CENTRED, INSIDE, NATURAL

__all__ = ["isolate_zeros"]


def isolate_zeros(bound: Functions, domain: Box, budget: Budget) -> Cover:
    """Cut a domain until every piece has no zero of a system, or lies in a box with exactly one."""
    found = Cover()
    _isolate(bound, domain, domain, budget, found, 0)
    return found


def _isolate(
    bound: Functions, box: Box, domain: Box, budget: Budget, found: Cover, depth: int
) -> None:
    if depth > DEPTH or not budget.spend():
        leave(found, box)
        return
    if any(within(box, wide) for wide, _ in found.zeros):
        found.tree.append(INSIDE)
        return
    if excluded(bound.natural(box)):
        found.tree.append(NATURAL)
        return
    if excluded(bound.centred(box)):
        found.tree.append(CENTRED)
        return
    zero = _around_zero(bound, box, domain, found)
    if zero is not None and not any(meet(zero[0], wide) for wide, _ in found.zeros):
        found.zeros.append(zero)
        if within(box, zero[0]):
            found.tree.append(INSIDE)
            return
    axis = widest_axis(bound, box)
    found.tree.append(str(axis))
    for half in cut(box, axis):
        _isolate(bound, half, domain, budget, found, depth + 1)


def excluded(values: list[Any]) -> bool:
    """Whether some value certainly is not zero."""
    return any(value > 0 or value < 0 for value in values)


def _around_zero(bound: Functions, box: Box, domain: Box, found: Cover) -> tuple[Box, Box] | None:
    """A wide and a narrow box around a zero near a box, if Newton's method comes to one."""
    point = [(low + high) / 2 for low, high in box]
    for _ in range(8):
        step = _newton_step(bound, tuple((x, x) for x in point))
        if step is None:
            return None
        # Any numbers will do: what is found is tested.
        moved = [float(x) - s for x, s in zip(point, step, strict=True)]
        if not all(math.isfinite(x) and abs(x) < 1e6 for x in moved):
            return None
        point = [fmpq(*x.as_integer_ratio()) for x in moved]
        if all(abs(s) < 1e-15 for s in step):
            break
    at: Box = tuple((x, x) for x in point)
    if not within(at, domain) or any(within(at, wide) for wide, _ in found.zeros):
        return None
    near = [float(x) for x in point]
    if any(math.dist(near, other) < 1e-9 for other in found.missed):
        return None
    around = [tuple((x - r, x + r) for x in point) for r in _RADII]
    fitting = [box for box in around if strictly_within(box, domain)]
    wide = next((box for box in fitting if contracts(bound, box)), None)
    if wide is None:
        found.missed.append(near)
        return None
    smaller = fitting[fitting.index(wide) :]
    return wide, next(box for box in reversed(smaller) if contracts(bound, box))


# Half the sides of boxes around zeros.
_RADII = [fmpq(1, 2**k) for k in range(1, 50)]


def _newton_step(bound: Functions, point: Box) -> list[float] | None:
    values, rows = bound.slopes(point)
    with ctx.workdps(bound.dps):
        try:
            inverse = arb_mat([[x.mid() for x in row] for row in rows]).inv()
        except ZeroDivisionError:
            return None
        step = inverse * arb_mat([[value.mid()] for value in values])
        return [float(step[i, 0].mid()) for i in range(len(values))]


def contracts(bound: Functions, box: Box) -> bool:
    """Krawczyk's test: whether a system has exactly one zero in a box, and not on its boundary."""
    n = len(box)
    _, rows = bound.slopes(box)
    centre_point = middle(box)
    at_middle = bound.natural(centre_point)
    with ctx.workdps(bound.dps):
        try:
            inverse = arb_mat([[x.mid() for x in row] for row in rows]).inv()
        except ZeroDivisionError:
            return False
        inverse = arb_mat([[inverse[i, j].mid() for j in range(n)] for i in range(n)])
        sides, centre = box_ball(box), box_ball(centre_point)
        offset = arb_mat([[x - m] for x, m in zip(sides, centre, strict=True)])
        identity = arb_mat([[arb(int(i == j)) for j in range(n)] for i in range(n)])
        shift = inverse * arb_mat([[value] for value in at_middle])
        rest = (identity - inverse * arb_mat(rows)) * offset
        images = [centre[i] - shift[i, 0] + rest[i, 0] for i in range(n)]
        return all(
            arb(low) < image and image < arb(high)
            for image, (low, high) in zip(images, box, strict=True)
        )
