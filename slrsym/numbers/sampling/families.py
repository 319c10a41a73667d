"""Random entries of indexed families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from numpy.random import Generator
from sympy import Add, Expr, Rational, S
from sympy.tensor.indexed import IndexedBase

from slrsym.numbers.sampling.bounds import Bounds, declared
from slrsym.numbers.sampling.rationals import random_value

__all__ = ["random_entries"]

# How many entries a family has at least that does not say it.
_ENTRIES = 6


def random_entries(
    family: IndexedBase, summing_to_one: Expr | None, point: Mapping[Any, Any], rng: Generator
) -> tuple[Rational, ...] | dict[tuple[int, ...], Rational] | None:
    """Random entries with the properties that the label of a family declares."""
    shape = family.shape or ()
    if len(shape) > 1:
        return _array(family, [size.xreplace(point) for size in shape], rng)
    length = summing_to_one if summing_to_one is not None or not shape else shape[0]
    if length is None:
        whole = [int(v) for x, v in point.items() if x.is_Symbol and x.is_integer]
        number = max([_ENTRIES, *whole])
    else:
        length = length.xreplace(point)
        if not length.is_Integer or length < 0:
            return None
        number = int(length)
    label = family.label
    bounds = declared(label)
    if summing_to_one is not None:
        bounds = bounds.narrowed(Bounds(low=S.Zero))
    entries = [random_value(label, bounds, rng, S.One) for _ in range(number)]
    if any(entry is None for entry in entries):
        return None
    if summing_to_one is not None:
        total = Add(*entries)
        return None if total == 0 else tuple(entry / total for entry in entries)
    return tuple(entries)


def _array(
    family: IndexedBase, sizes: Sequence[Expr], rng: Generator
) -> dict[tuple[int, ...], Rational] | None:
    """Entries of a family with several indices, by its indices; None where it has no sizes."""
    if any(not size.is_Integer or size < 0 for size in sizes):
        return None
    places = list(product(*(range(1, int(size) + 1) for size in sizes)))
    label = family.label
    drawn = [random_value(label, declared(label), rng, S.One) for _ in places]
    if any(entry is None for entry in drawn):
        return None
    return {place: entry for place, entry in zip(places, drawn, strict=True) if entry is not None}
