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

from typing import Any

from flint import fmpq

from slrsym.certify.fields import Box

__all__ = ["CENTRED", "INSIDE", "NATURAL", "UNDECIDED", "cut", "volume"]

NATURAL, CENTRED, INSIDE, UNDECIDED = ".", ":", "*", "?"


def cut(box: Box, axis: int) -> tuple[Box, Box]:
    """Two halves of a box.

    Parameters
    ----------
    box : Box
    axis : int
        Which side is halved.

    Returns
    -------
    tuple of Box
        The lower half first.
    """
    low, high = box[axis]
    middle = (low + high) / 2
    return (
        (*box[:axis], (low, middle), *box[axis + 1 :]),
        (*box[:axis], (middle, high), *box[axis + 1 :]),
    )


def volume(box: Box) -> Any:
    """The product of the sides.

    Parameters
    ----------
    box : Box

    Returns
    -------
    fmpq
    """
    total: Any = fmpq(1)
    for low, high in box:
        total *= high - low
    return total
