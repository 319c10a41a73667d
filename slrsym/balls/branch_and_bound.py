"""Subdivision of boxes until a property is proved on every piece, or the budget is spent.

The property is that functions are positive, or that the zeros of a system are isolated and counted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from flint import arb_mat, ctx, fmpq

from slrsym.balls.box_functions import Functions, has_exactly_one_zero
from slrsym.balls.boxes import (
    CENTRED,
    INSIDE,
    NATURAL,
    UNDECIDED,
    Box,
    bisect,
    box_volume,
    has_common_point,
    is_strictly_within,
    is_within,
    midpoint_box,
)
from slrsym.kernels.arguments import float_or_nan, require_integer

# No box is cut more often along its sides together.
DEPTH = 160


class Budget:
    """A limit on the number of boxes and the seconds of a search."""

    def __init__(
        self,
        max_boxes: int,
        seconds: float = math.inf,
        note: Callable[[int], None] | None = None,
        _parent: Budget | None = None,
    ) -> None:
        self.max_boxes = require_integer("max_boxes", max_boxes, 1)
        if not float_or_nan(seconds) > 0:
            raise ValueError(f"seconds must be positive; got {seconds!r}")
        self.seconds = seconds
        self.note = note
        self.used = 0
        self._parent = _parent
        self._start = time.monotonic()

    def sub_budget(self, divisor: int, most: int | None = None) -> Budget:
        """Return a new budget with 1/share of the boxes and seconds that this budget has left."""
        boxes = max(1, (self.max_boxes - self.used) // divisor)
        left = max(self.seconds - self.elapsed, 1e-3)
        return Budget(boxes if most is None else min(boxes, most), left / divisor, None, self)

    def spend_box(self) -> bool:
        """Count one more box; return False if the budget is used up."""
        if self.is_over or (self._parent is not None and not self._parent.spend_box()):
            return False
        self.used += 1
        if self.note is not None and self.used % 64 == 0:
            self.note(self.used)
        return True

    @property
    def elapsed(self) -> float:
        """Seconds since this search budget was created."""
        return time.monotonic() - self._start

    @property
    def is_over(self) -> bool:
        """Whether the boxes or the seconds of the budget are used up."""
        return self.used >= self.max_boxes or self.elapsed > self.seconds


@dataclass
class Subdivision:
    """The result of a search: the subdivision tree, undecided boxes, margins, counterexample."""

    tree: list[str] = field(default_factory=list)
    undecided: list[Box] = field(default_factory=list)
    margins: list[Any] = field(default_factory=list)
    counterexample: Box | None = None
    zeros: list[tuple[Box, Box]] = field(default_factory=list)
    missed: list[list[float]] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether the search left no box undecided and found no counterexample."""
        return not self.undecided and self.counterexample is None


def best_cut_axis(functions: Functions, box: Box, which: Iterable[int] | None = None) -> int:
    """Return the index of the axis along which halving a box should narrow enclosures most."""
    sides = [float(high - low) for low, high in box]
    if len(box) == 1:
        return 0
    _, rows = functions.jacobian_enclosure(box)
    wanted = range(len(rows)) if which is None else which
    weights = [0.0] * len(box)
    for i in wanted:
        for j, slope in enumerate(rows[i]):
            size = float(slope.abs_upper())
            if not math.isfinite(size):
                return max(range(len(box)), key=sides.__getitem__)
            weights[j] = max(weights[j], size * sides[j])
    best = max(range(len(box)), key=weights.__getitem__)
    # Slopes may vanish at a point: no side stays very long beside the others.
    longest = max(range(len(box)), key=sides.__getitem__)
    return longest if sides[longest] > 16 * sides[best] or weights[best] == 0 else best


def prove_positive(functions: Functions, domain: Box, budget: Budget) -> Subdivision:
    """Subdivide a box to prove that functions are positive on it; return the subdivision."""
    found = Subdivision()
    _cover(functions, domain, budget, found, 0)
    return found


def is_positivity_refuted_at(functions: Functions, point: Box) -> bool:
    """Return whether some function is proved not to be positive at a point."""
    return any(value <= 0 for value in functions.natural_enclosure(point))


def _cover(bound: Functions, box: Box, budget: Budget, found: Subdivision, depth: int) -> None:
    if found.counterexample is not None or depth > DEPTH or not budget.spend_box():
        record_undecided_box(found, box)
        return
    values = bound.natural_enclosure(box)
    if all(value > 0 for value in values):
        _accept(found, NATURAL, values)
        return
    open_ = [i for i, value in enumerate(values) if not value > 0]
    if box:
        sharper = bound.centred_enclosure(box)
        if all(value > 0 for value in sharper):
            _accept(found, CENTRED, sharper)
            return
        open_ = [i for i, value in enumerate(sharper) if not value > 0] or open_
    if any(value <= 0 for value in values) or is_positivity_refuted_at(bound, midpoint_box(box)):
        found.counterexample = midpoint_box(box)
    if not box or found.counterexample is not None:
        record_undecided_box(found, box)
        return
    axis = best_cut_axis(bound, box, open_)
    found.tree.append(str(axis))
    for half in bisect(box, axis):
        _cover(bound, half, budget, found, depth + 1)


def _accept(found: Subdivision, mark: str, values: list[Any]) -> None:
    found.tree.append(mark)
    lowest = [value.lower() for value in values]
    found.margins = [
        low if low < least else least
        for low, least in zip(lowest, found.margins or lowest, strict=True)
    ]


def record_undecided_box(found: Subdivision, box: Box) -> None:
    """Add an undecided box to the tree and the list of a subdivision."""
    found.tree.append(UNDECIDED)
    found.undecided.append(box)


def volume_fraction(boxes: Iterable[Box], domain: Box) -> float:
    """Return the fraction of a domain's volume that some of its boxes make up."""
    long = [i for i, (low, high) in enumerate(domain) if low < high]
    whole_volume = box_volume(tuple(domain[i] for i in long))
    parts = (box_volume(tuple(box[i] for i in long)) for box in boxes)
    return float(sum(part / whole_volume for part in parts))


def isolate_zeros(functions: Functions, domain: Box, budget: Budget) -> Subdivision:
    """Subdivide a box to isolate all zeros of a system in it; return the subdivision."""
    found = Subdivision()
    _isolate(functions, domain, domain, budget, found, 0)
    return found


def _isolate(
    bound: Functions, box: Box, domain: Box, budget: Budget, found: Subdivision, depth: int
) -> None:
    if depth > DEPTH or not budget.spend_box():
        record_undecided_box(found, box)
        return
    if any(is_within(box, wide) for wide, _ in found.zeros):
        found.tree.append(INSIDE)
        return
    if has_certainly_nonzero_value(bound.natural_enclosure(box)):
        found.tree.append(NATURAL)
        return
    if has_certainly_nonzero_value(bound.centred_enclosure(box)):
        found.tree.append(CENTRED)
        return
    zero = _around_zero(bound, box, domain, found)
    if zero is not None and not any(has_common_point(zero[0], wide) for wide, _ in found.zeros):
        found.zeros.append(zero)
        if is_within(box, zero[0]):
            found.tree.append(INSIDE)
            return
    axis = best_cut_axis(bound, box)
    found.tree.append(str(axis))
    for half in bisect(box, axis):
        _isolate(bound, half, domain, budget, found, depth + 1)


def has_certainly_nonzero_value(values: list[Any]) -> bool:
    """Return whether at least one value is certainly not zero."""
    return any(value > 0 or value < 0 for value in values)


def _around_zero(
    bound: Functions, box: Box, domain: Box, found: Subdivision
) -> tuple[Box, Box] | None:
    """Return a wide and a narrow box around a zero near a box, or None if none is found."""
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
    if not is_within(at, domain) or any(is_within(at, wide) for wide, _ in found.zeros):
        return None
    near = [float(x) for x in point]
    if any(math.dist(near, other) < 1e-9 for other in found.missed):
        return None
    around = [tuple((x - r, x + r) for x in point) for r in _RADII]
    fitting = [box for box in around if is_strictly_within(box, domain)]
    wide = next((box for box in fitting if has_exactly_one_zero(bound, box)), None)
    if wide is None:
        found.missed.append(near)
        return None
    smaller = fitting[fitting.index(wide) :]
    return wide, next(box for box in reversed(smaller) if has_exactly_one_zero(bound, box))


# Half the sides of boxes around zeros.
_RADII = [fmpq(1, 2**k) for k in range(1, 50)]


def _newton_step(bound: Functions, point: Box) -> list[float] | None:
    values, rows = bound.jacobian_enclosure(point)
    with ctx.workdps(bound.dps):
        try:
            inverse = arb_mat([[x.mid() for x in row] for row in rows]).inv()
        except ZeroDivisionError:
            return None
        step = inverse * arb_mat([[value.mid()] for value in values])
        return [float(step[i, 0].mid()) for i in range(len(values))]
