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

__all__ = ["CENTRED", "INSIDE", "NATURAL", "UNDECIDED"]

NATURAL, CENTRED, INSIDE, UNDECIDED = ".", ":", "*", "?"
