"""How long steps may be: the largest step size that is certified.

Theorem 5 says that there is one; its conditions are those of Propositions 8 and 12.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from slrsym.balls.boxes import Exact, Range, ranges
from slrsym.balls.search import Budget
from slrsym.certify.certificate import Certificate, Verdict
from slrsym.certify.estimates import closed_form_step, grid_step, suspects
from slrsym.certify.runner import DIGITS, MAX_BOXES, certify
from slrsym.kernels.arguments import number

__all__ = ["StepSize", "alpha_bar", "certify_alpha"]

# How many significant digits step sizes have that are tried.
_FIGURES = 6

# What is tried after the step size that a grid suggests, as part of it.
_FALLBACKS = ("0.99", "0.97", "0.95", "0.9", "0.8", "0.6", "0.4")

# The part of what is left of the budget that one step size may take.
_SHARE = 4

# How close one comes to the limit, as part of it; for a range,
# the last percent would take most of the time.
_TOLERANCE, _RANGE_TOLERANCE = 1e-4, 0.02


@dataclass(frozen=True)
class StepSize:
    """The largest step size that was certified, and what else is known.

    Attributes
    ----------
    certificate : Certificate or None
        That of the largest step size for which everything is shown; None if there is none.
    refuted : Certificate or None
        That of the smallest step size for which something is shown not to hold.
    grid : float
        The largest step size that floating-point numbers allow on a grid, which prove nothing.
    closed_form : str
        The bound of `closed_form_step`.
    attempts : int
        How many step sizes were tried.
    visited : int
        How many boxes were looked at, for all of them.
    seconds : float
        How long it took.
    """

    certificate: Certificate | None
    refuted: Certificate | None
    grid: float
    closed_form: str
    attempts: int
    visited: int
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """Whether a step size was certified."""
        return Verdict.UNDECIDED if self.certificate is None else Verdict.SHOWN

    @property
    def alpha(self) -> Fraction | None:
        """The step size."""
        return None if self.certificate is None else _alpha_of(self.certificate)

    @property
    def ceiling(self) -> Fraction | None:
        """A step size for which the conditions do not hold; None if none was found."""
        return None if self.refuted is None else _alpha_of(self.refuted)

    @property
    def descent(self) -> str | None:
        r"""A number c: a step of size alpha lowers the risk by :math:`c \sum r \arctan(\alpha r)`.

        At least, with the slopes r in the two angles, and for every step size up to the certified
        one; see `slrsym.certify.statements`, where c is called mu/2. None if there is none.
        """
        if self.certificate is None:
            return None
        margins = [x for label, x in self.certificate.margins.items() if "45 degrees" in label]
        return str(Decimal(min(margins, key=float)) / 2)

    @property
    def of_grid(self) -> float:
        """The certified step size, as part of what the grid allows."""
        return float(self.alpha or 0) / self.grid


def _alpha_of(certificate: Certificate) -> Fraction:
    return certificate.parameters["alpha"].low.radicand


def alpha_bar(
    lam: Any,
    gamma: Any,
    d: Any,
    *,
    tolerance: float | None = None,
    max_boxes: int = MAX_BOXES,
    seconds: float = 60.0,
    digits: int = DIGITS,
    note: Callable[[int], None] | None = None,
) -> StepSize:
    r"""The largest step size found for which Propositions 8 and 12 are certified on the square.

    What is shown, and why it is enough, stands in `slrsym.certify.statements`: for that step size
    and for every smaller one, the risk decreases along every step, the map is injective with a
    positive Jacobian determinant, and the origin is a saddle of the map.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        Inverse temperature, standard deviation of the informative token, dimension. A float is
        taken as the binary number that it is; ``"sqrt(1/2)"`` and ``"0.1"`` are exact. For a range,
        such as ``"0.05..0.1"``, the step size serves all of it.
    tolerance : float, optional
        How close the step size comes to one that is refuted, as part of it; by default 1e-4, and
        0.02 for ranges.
    max_boxes : int, optional
        How many boxes may be looked at, in all.
    seconds : float, optional
        For how long.
    digits : int, optional
        How many decimal digits balls are computed with.
    note : callable, optional
        Called now and then with the number of boxes looked at.

    Returns
    -------
    StepSize

    Raises
    ------
    ValueError
        If an argument is not what it should be; it names it.

    Examples
    --------
    >>> found = alpha_bar("0.1", "sqrt(1/2)", 400)
    >>> found.verdict, 0.305 < found.alpha < found.ceiling < 0.307
    (<Verdict.SHOWN: 'shown'>, True)
    """
    given = ranges(lam, gamma, d)
    if tolerance is None:
        points = all(x.is_point for x in given.values())
        tolerance = _TOLERANCE if points else _RANGE_TOLERANCE
    if not 0 < number(tolerance) < 1:
        raise ValueError(f"tolerance must lie between 0 and 1; got {tolerance!r}")
    budget = Budget(max_boxes, seconds, note)
    return _Bisection(given, tolerance, budget, digits).run()


def certify_alpha(
    lam: Any,
    gamma: Any,
    d: Any,
    alpha: Any,
    *,
    max_boxes: int = MAX_BOXES,
    seconds: float = 60.0,
    digits: int = DIGITS,
    note: Callable[[int], None] | None = None,
) -> Certificate:
    """Whether the conditions of Propositions 8 and 12 hold for a step size, and all smaller ones.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `alpha_bar`.
    alpha : number, text, or range
        The step size.
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
        Of kind ``alpha``.

    Raises
    ------
    ValueError
        If `lam`, `gamma`, `d` or `alpha` is no number in its range, a budget is not positive, or
        `digits` is below 10.
    """
    given = ranges(lam, gamma, d)
    at = ranges(lam, gamma, d, alpha=alpha)
    budget = Budget(max_boxes, seconds, note)
    points = suspects(given, float(at["alpha"].high))
    return certify("alpha", at, budget=budget, digits=digits, suspects=points)


class _Bisection:
    def __init__(
        self, given: dict[str, Range], tolerance: float, budget: Budget, digits: int
    ) -> None:
        self.given = given
        self.tolerance = tolerance
        self.budget = budget
        self.digits = digits
        self.attempts = 0
        self.best: Certificate | None = None
        self.refuted: Certificate | None = None
        # The smallest step size that is not known to serve, for whatever reason.
        self.ceiling = math.inf

    def run(self) -> StepSize:
        self.grid = grid_step(self.given["lam"], self.given["gamma"], self.given["d"])
        closed = closed_form_step(self.given["lam"], self.given["gamma"], self.given["d"])
        suggested = Fraction(self.grid)
        gap = Fraction(self.tolerance) / 4
        self._try(suggested * (1 - gap))
        self._try(suggested * (1 + gap), up=True)
        for part in _FALLBACKS:
            if self.best is None:
                self._try(suggested * Fraction(part))
        if self.best is None:
            self._try(Fraction(closed))
        while self.best is not None and not self.budget.is_over:
            low = _alpha_of(self.best)
            top = Fraction(self.ceiling) if math.isfinite(self.ceiling) else 2 * low
            if top - low <= Fraction(self.tolerance) * low:
                break
            middle = _rounded((low + top) / 2, up=False)
            if not low < middle < top:
                break
            self._try(middle)
        visited = self.budget.used
        return StepSize(
            self.best, self.refuted, self.grid, closed, self.attempts, visited, self.budget.elapsed
        )

    def _try(self, alpha: Fraction, up: bool = False) -> None:
        alpha = _rounded(alpha, up)
        if self.budget.is_over or alpha <= 0:
            return
        self.attempts += 1
        at = Range(Exact(alpha), Exact(alpha))
        found = certify(
            "alpha",
            self.given | {"alpha": at},
            budget=self.budget.part(_SHARE),
            digits=self.digits,
            suspects=suspects(self.given, float(alpha)),
        )
        if found.verdict is Verdict.SHOWN:
            if self.best is None or alpha > _alpha_of(self.best):
                self.best = found
            return
        self.ceiling = min(self.ceiling, float(alpha))
        least = None if self.refuted is None else _alpha_of(self.refuted)
        if found.verdict is Verdict.REFUTED and (least is None or alpha < least):
            self.refuted = found


def _rounded(alpha: Fraction, up: bool) -> Fraction:
    """A short decimal number beside it."""
    context = Context(prec=_FIGURES, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return Fraction(context.divide(Decimal(alpha.numerator), Decimal(alpha.denominator)))
