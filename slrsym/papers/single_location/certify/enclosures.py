"""Enclosures of the risk, its derivatives, and zeta over boxes.

The risk is that of equation (6), zeta that of equation (7).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from slrsym.balls.box_functions import BoxFunctions, CertificatePart
from slrsym.balls.boxes import (
    Box,
    bisect,
    decimal_text_below,
    midpoint_box,
    parse_parameter_range,
    parse_rational_interval,
)
from slrsym.balls.branch_and_bound import Budget, best_cut_axis
from slrsym.kernels.arguments import require_integer
from slrsym.papers.single_location.certify.statements import KINDS
from slrsym.prover.certificates.certificate import Certificate, CertificateOutcome
from slrsym.prover.certificates.certificate_search import DIGITS, certify
from slrsym.registry import load_registered

# After how many cuts the bounds should have become tighter by a tenth.
_PATIENCE = 32

QUANTITIES = ("risk", "gradient", "hessian", "zeta")


@dataclass(frozen=True)
class Enclosure:
    """Bounds of some functions over a box, with the certificate that proves them.

    Attributes
    ----------
    certificate : Certificate
        That the values lie between the bounds.
    bounds : mapping of str to pairs of float
        A lower and an upper bound for each function.
    seen : mapping of str to pairs of float
        The least and the largest value found at points of the box; the bounds cannot be tighter.
    """

    certificate: Certificate
    bounds: Mapping[str, tuple[float, float]]
    seen: Mapping[str, tuple[float, float]]

    def _repr_html_(self) -> str:
        return str(load_registered("fields.html")(self, ["verdict", "bounds", "seen"]))

    @property
    def verdict(self) -> CertificateOutcome:
        """The outcome of the certification: shown or undecided."""
        return self.certificate.verdict


def enclosure(
    quantity: str,
    box: Mapping[str, Any],
    *,
    tolerance: float = 0.01,
    max_boxes: int = 4000,
    seconds: float = math.inf,
    digits: int = DIGITS,
    **parameters: Any,
) -> Enclosure:
    """Return certified bounds of the risk, its derivatives or zeta over a box of arguments.

    Parameters
    ----------
    quantity : {'risk', 'gradient', 'hessian', 'zeta'}
        The risk, its five partial derivatives, its fifteen second ones, or zeta(t, s).
    box : mapping of str to number or interval
        For kappa, nu, theta, eta, rho: a number or a pair of numbers, 0 for those left out. For
        zeta, only t.
    tolerance : float, optional
        By how much the bounds may be wider than the range seen, as part of it.
    max_boxes : int, optional
        Into how many boxes the box is cut at most.
    seconds : float, optional
        For how long at most, each for finding bounds and for showing them; by default as long as
        there are boxes left, so that they do not depend on the machine.
    digits : int, optional
        How many decimal digits balls are computed with.
    **parameters : number, text, or range
        lam, gamma, d, L and epsilon (0 if left out); for zeta, s.

    Returns
    -------
    Enclosure

    Raises
    ------
    ValueError
        If there is no such quantity, or an argument is not what it should be.

    Examples
    --------
    >>> found = enclosure("zeta", {"t": (0, 1)}, s="1/2")
    >>> str(found.verdict), found.bounds["zeta"][0] < 0.22 < 0.63 < found.bounds["zeta"][1]
    ('shown', True)
    """
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity must be one of {', '.join(QUANTITIES)}; got {quantity!r}")
    kind = KINDS[f"enclosure-{quantity}"]
    given = parameters if "s" in kind.names else {"epsilon": 0} | parameters
    if set(given) != set(kind.names):
        wanted = ", ".join(kind.names)
        raise ValueError(f"parameters must be {wanted}; got {', '.join(parameters) or 'none'}")
    at = {name: parse_parameter_range(name, given[name]) for name in kind.names}
    variables = [name.removesuffix("_from") for name in kind.numbers if name.endswith("_from")]
    strange = set(box) - set(variables)
    if strange:
        raise ValueError(f"box must be of {', '.join(variables)}; got {', '.join(sorted(strange))}")
    numbers = dict.fromkeys(kind.numbers, Fraction(0))
    for name in variables:
        numbers[f"{name}_from"], numbers[f"{name}_to"] = parse_rational_interval(
            name, box.get(name, 0)
        )
    (part,) = kind.parts(numbers)
    with ctx.workdps(require_integer("digits", digits, 10)):
        balls = {name: x.to_ball() for name, x in at.items()}
    finder = _Finder(part, part.field.bind(balls, digits), tolerance)
    finder.run(Budget(max_boxes, seconds))
    labels = [label.removesuffix(" from below") for label in part.labels[::2]]
    bounds, seen = {}, {}
    for i, label in enumerate(labels):
        low, high = finder.rounded(i)
        numbers[f"{label}_above"], numbers[f"{label}_below"] = low, high
        bounds[label] = (float(low), float(high))
        seen[label] = (finder.least[i], finder.most[i])
    found = certify(f"enclosure-{quantity}", at, numbers, Budget(8 * max_boxes, seconds), digits)
    return Enclosure(found, bounds, seen)


class _Finder:
    """A search, by cutting a box, for bounds of functions that can probably be proved."""

    def __init__(self, part: CertificatePart, bound: BoxFunctions, tolerance: float) -> None:
        self.bound = bound
        self.tolerance = tolerance
        count = len(bound.field.outputs)
        self.least, self.most = [math.inf] * count, [-math.inf] * count
        self.leaves: list[_Leaf] = []
        self._add(part.domain)

    def run(self, budget: Budget) -> None:
        before, cuts = math.inf, 0
        while budget.spend_box():
            gap, i, leaf = self._worst()
            if gap <= self.tolerance or leaf is None:
                return
            # Parameters in ranges set a limit to what cuts can do.
            if cuts % _PATIENCE == 0:
                if gap > 0.9 * before:
                    return
                before = gap
            cuts += 1
            if all(low == high for low, high in leaf.box):
                return
            self.leaves.remove(leaf)
            for half in bisect(leaf.box, best_cut_axis(self.bound, leaf.box, [i])):
                self._add(half)

    def rounded(self, i: int) -> tuple[Fraction, Fraction]:
        low = min(leaf.lows[i] for leaf in self.leaves)
        high = max(leaf.highs[i] for leaf in self.leaves)
        # The proof is given some room, so that it needs few boxes.
        room = abs(high - low) * self.tolerance / 2 + 1e-15 * max(abs(low), abs(high)) + 1e-24
        return (
            Fraction(decimal_text_below(arb(low - room), 8)),
            -Fraction(decimal_text_below(arb(-high - room), 8)),
        )

    def _add(self, box: Box) -> None:
        natural, sharper = self.bound.natural_enclosure(box), self.bound.centred_enclosure(box)
        values = [_narrower(a, b) for a, b in zip(natural, sharper, strict=True)]
        lows, highs = [float(x.lower()) for x in values], [float(x.upper()) for x in values]
        self.leaves.append(_Leaf(box, lows, highs))
        for i, value in enumerate(self.bound.natural_enclosure(midpoint_box(box))):
            self.least[i] = min(self.least[i], float(value.mid()))
            self.most[i] = max(self.most[i], float(value.mid()))

    def _worst(self) -> tuple[float, int, _Leaf | None]:
        """Return the largest relative gap between bound and values, with its function and box."""
        worst: tuple[float, int, _Leaf | None] = (0.0, 0, None)
        for i, (least, most) in enumerate(zip(self.least, self.most, strict=True)):
            lowest = min(self.leaves, key=lambda leaf, i=i: leaf.lows[i])  # type: ignore[misc]
            highest = max(self.leaves, key=lambda leaf, i=i: leaf.highs[i])  # type: ignore[misc]
            extent = highest.highs[i] - lowest.lows[i]
            gaps = ((least - lowest.lows[i], lowest), (highest.highs[i] - most, highest))
            for gap, leaf in gaps:
                if extent > 1e-20 and gap / extent > worst[0]:
                    worst = (gap / extent, i, leaf)
        return worst


@dataclass(eq=False)
class _Leaf:
    box: Box
    lows: list[float]
    highs: list[float]


def _narrower(one: Any, other: Any) -> Any:
    if not other.is_finite():
        return one
    if not one.is_finite() or other.rad() < one.rad():
        return other
    return one
