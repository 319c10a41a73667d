"""Words on states at which a trained direction has length 0.

The risk of a unit with a kink goes to its value there with a root of the squared length, times a
function of the angle: no derivative in the squared length has a limit, and the gradient in the
direction itself has another limit from each side.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sympy import Symbol

# A squared length that is 0 but for rounding.
_NO_LENGTH = 1e-290


def where_a_length_is_zero(squares: Iterable[tuple[Symbol, float]]) -> str:
    """Return in words that a trained direction has length 0, if so, or an empty text.

    Parameters
    ----------
    squares : iterable of pairs of Symbol and float
        The squared lengths of trained directions, with their values.
    """
    zero = [p for p, value in squares if value <= _NO_LENGTH]
    if not zero:
        return ""
    return (
        f". At {zero[0]} = 0 a trained direction has length 0, and the rate of a unit with a kink "
        "depends on the direction in which its length goes to 0; start at a small length"
    )
