"""Boxes: products of intervals with rational ends, one for each variable."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

__all__ = ["Box", "box_ball", "cut", "meet", "middle", "strictly_within", "volume", "within"]

# One pair of ends for each variable.
Box = tuple[tuple[Any, Any], ...]


def box_ball(box: Box) -> list[Any]:
    """A ball for each side of a box, at the precision in force."""
    return [arb(low) if low == high else arb(low).union(arb(high)) for low, high in box]


def middle(box: Box) -> Box:
    """The point in the middle of a box."""
    return tuple(((low + high) / 2,) * 2 for low, high in box)


def cut(box: Box, axis: int) -> tuple[Box, Box]:
    """Two halves of a box."""
    low, high = box[axis]
    middle = (low + high) / 2
    return (
        (*box[:axis], (low, middle), *box[axis + 1 :]),
        (*box[:axis], (middle, high), *box[axis + 1 :]),
    )


def volume(box: Box) -> Any:
    """The product of the sides."""
    total: Any = fmpq(1)
    for low, high in box:
        total *= high - low
    return total


def within(inner: Box, outer: Box) -> bool:
    """Whether one box lies in another."""
    return all(a >= c and b <= d for (a, b), (c, d) in zip(inner, outer, strict=True))


def strictly_within(inner: Box, outer: Box) -> bool:
    """Whether one box lies in the interior of another."""
    return all(a > c and b < d for (a, b), (c, d) in zip(inner, outer, strict=True))


def meet(one: Box, other: Box) -> bool:
    """Whether two boxes have a point in common."""
    return all(a <= d and c <= b for (a, b), (c, d) in zip(one, other, strict=True))
