r"""A certificate that the oracle and its mirror image are the only global minima of the risk.

Three facts make this, at every inverse temperature of a range:

1. Pairs whose excess risk exceeds the oracle's by at most `margin` have
   :math:`2 - |\kappa + \nu| \le r`. The bounds are those of `SublevelSet`, as functions of kappa
   and lambda.
2. Where :math:`V = 2 - \kappa - \nu \le r`, each short step of descent lowers V by a factor below
   1, which is the evidence of `Attraction` (claim ``attraction-rate``). A step from a critical
   point does not move. So V = 0 there, hence k = k* and v = v* (claim ``attraction-distance``). As
   R(-k, -v) = R(k, v), the mirror image is the only other one.
3. The risk is continuous, and the product of two spheres is compact. So there is a minimum. It is
   critical, and it lies in the set of the first fact, as the oracle does.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from slrsym.balls.boxes import decimal_or_fraction_text, parse_rational_interval, to_flint_rational
from slrsym.balls.branch_and_bound import Budget
from slrsym.papers.single_location.certify.attraction import Attraction
from slrsym.papers.single_location.certify.sublevel import (
    SublevelSet,
    reason_level_is_undecided,
    sublevel_functions,
)
from slrsym.prover.certificates.box_certificate import register_certificate_class
from slrsym.prover.certificates.own_statement import OwnStatementCertificate
from slrsym.prover.statements.words import InWords, in_words


@register_certificate_class
@dataclass(frozen=True)
class GlobalMinimum(OwnStatementCertificate):
    r"""A certificate that no pair but the oracle and its mirror image has the least risk.

    Parameters
    ----------
    attraction : Attraction
        Evidence for a neighbourhood of the oracle, with the task, the inverse temperatures and the
        radius r.
    margin : number
        By how much the excess risk of a pair may exceed the oracle's, positive.
    max_boxes : int, optional
        How many boxes in kappa and lambda may be looked at.

    Raises
    ------
    ProofError
        If a number is a float.

    Examples
    --------
    >>> near = Attraction("1/10", "1/1000", "1/100", "1/100", "5")
    >>> best = GlobalMinimum(near, "1/100000")
    >>> best.reason_not_shown(best.statement)
    ''
    """

    # Claims that turn the inequalities checked here into the statement.
    rests_on: ClassVar[tuple[str, ...]] = (
        *SublevelSet.rests_on,
        "lemma-4-chain-rule",
        "attraction-gradients",
        "attraction-form",
        "attraction-positive",
        "attraction-pivots",
        "attraction-step",
        "attraction-rate",
        "attraction-distance",
    )

    attraction: Attraction
    margin: Any
    max_boxes: int = 20_000

    @property
    def _range(self) -> tuple[Fraction, Fraction]:
        return parse_rational_interval("lam", self.attraction.lam)

    @property
    def box_text(self) -> str:
        """The box of parameters on which the certificate holds, as a text."""
        near, (low, high) = self.attraction, (decimal_or_fraction_text(x) for x in self._range)
        return (
            f"d = {near.dimension}, L = {near.tokens}, gamma^2 = {near.variance}, "
            f"lambda in [{low}, {high}], all unit k and v"
        )

    @property
    def statement(self) -> InWords:
        """The certified statement in words, with all its numbers."""
        near, (low, high) = self.attraction, (decimal_or_fraction_text(x) for x in self._range)
        return in_words(
            f"With $d = {near.dimension}$, $L = {near.tokens}$ and $gamma^2 = {near.variance}$, at "
            f"every inverse temperature from ${low}$ to ${high}$, the risk of a pair of unit "
            f"vectors $k$ and $v$ is least at $(k*, v*)$ and $(-k*, -v*)$, and nowhere else. These "
            f"are the only critical points whose risk exceeds the oracle's by at most "
            f"${self.margin}$."
        )

    def _reason_not_shown(self) -> str:
        """Check bounds for all kappa and descent near the oracle; return why they fail."""
        near = self.attraction
        if not (Fraction(self.margin) > 0 and Fraction(near.radius) < Fraction(1, 2)):
            return "margin must be positive, and the radius below 1/2"
        if reason := near.reason_not_shown(near.statement):
            return reason
        low, high = self._range
        return reason_level_is_undecided(
            sublevel_functions(near.dimension, near.tokens, str(near.variance), over_oracle=True),
            {"level": self.margin, "radius": near.radius},
            ((to_flint_rational(low), to_flint_rational(high)),),
            Budget(self.max_boxes),
        )
