"""The fixed points on the invariant manifold, isolated, counted and told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slrsym.certify.certificate import Certificate
from slrsym.certify.numbers import ranges
from slrsym.certify.runner import DIGITS, MAX_BOXES, certify
from slrsym.certify.search import Budget

__all__ = ["classification", "fixed_points"]


def fixed_points(
    lam: Any,
    gamma: Any,
    d: Any,
    *,
    max_boxes: int = MAX_BOXES,
    seconds: float = 60.0,
    digits: int = DIGITS,
    note: Callable[[int], None] | None = None,
) -> Certificate:
    """All solutions of equations (14) in the square, isolated and counted.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `slrsym.certify.alpha_bar`. For ranges, the number is the same for all of them.
    max_boxes : int, optional
        How many boxes may be looked at.
    seconds : float, optional
        For how long.
    digits : int, optional
        How many decimal digits balls are computed with.
    note : callable, optional
        Called now and then with the number of boxes looked at.

    Returns
    -------
    Certificate
        Of kind ``fixed-points``; ``numbers["count"]`` says how many there are.

    Raises
    ------
    ValueError
        If `lam`, `gamma` or `d` is no number in its range, a budget is not positive, or `digits` is
        below 10.

    Examples
    --------
    >>> found = fixed_points("0.1", "sqrt(1/2)", 400)
    >>> str(found.verdict), int(found.numbers["count"])
    ('shown', 5)
    """
    budget = Budget(max_boxes, seconds, note)
    return certify("fixed-points", ranges(lam, gamma, d), budget=budget, digits=digits)


def classification(
    lam: Any,
    gamma: Any,
    d: Any,
    *,
    max_boxes: int = MAX_BOXES,
    seconds: float = 60.0,
    digits: int = DIGITS,
    note: Callable[[int], None] | None = None,
) -> Certificate:
    """Proposition 10: two minima, two maxima and a saddle, for all parameters of a box.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `slrsym.certify.alpha_bar`.
    max_boxes : int, optional
        How many boxes may be looked at.
    seconds : float, optional
        For how long.
    digits : int, optional
        How many decimal digits balls are computed with.
    note : callable, optional
        Called now and then with the number of boxes looked at.

    Returns
    -------
    Certificate
        Of kind ``classification``.

    Raises
    ------
    ValueError
        If `lam`, `gamma` or `d` is no number in its range, a budget is not positive, or `digits` is
        below 10.
    """
    budget = Budget(max_boxes, seconds, note)
    return certify("classification", ranges(lam, gamma, d), budget=budget, digits=digits)
