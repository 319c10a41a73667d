"""How a box was cut, as a text: the boxes it was cut into cover it by construction.

A letter says what became of a box, before what became of its parts: a digit is the number of the
variable in the middle of whose range the box was cut, and the lower half comes first. All else is
a mark at a leaf.

========  ==========================================================================================
mark      what was seen of the leaf
========  ==========================================================================================
``.``     enough, by evaluating the functions over it
``:``     enough, by the mean value theorem
``*``     it lies in a box that is listed: one that holds exactly one zero
``?``     nothing
========  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator

from slrsym.balls.boxes import Box, cut

__all__ = ["CENTRED", "INSIDE", "NATURAL", "UNDECIDED", "leaves"]

NATURAL, CENTRED, INSIDE, UNDECIDED = ".", ":", "*", "?"


def leaves(box: Box, marks: Iterator[str]) -> Iterator[tuple[Box, str]]:
    """The boxes that a tree cuts a box into: they cover it, whatever the marks are."""
    mark = next(marks, "")
    if mark.isdigit() and int(mark) < len(box):
        for half in cut(box, int(mark)):
            yield from leaves(half, marks)
    elif mark in (NATURAL, CENTRED, INSIDE) and mark:
        yield box, mark
    else:
        raise ValueError(f"no mark of a leaf: {mark!r}")
