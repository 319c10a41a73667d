r"""A certified lower bound on the share of uniform starts that converge to the oracle.

`Attraction` shows that descent converges to the oracle from every start with
:math:`\kappa + \nu \ge 2 - r`. As (-k, -v) is the same predictor as (k, v) (claim
``mirror-image``), it converges to the mirror image from every start with
:math:`\kappa + \nu \le r - 2`. For uniform k and v on the unit sphere, kappa and nu are
independent with

.. math:: P(\kappa \ge x) = \tfrac12 I_{1 - x^2}\big(\tfrac{d - 1}{2}, \tfrac12\big)

for :math:`x \ge 0`, where I is the regularised incomplete beta function. With r below 1, both sets
are disjoint, and each has the probability of :math:`\kappa + \nu \ge 2 - r`. It is bounded from
below by a sum over cells :math:`x_i \le \kappa < x_{i + 1}`, in each of which nu is at least
:math:`2 - r - x_i`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from flint import arb, ctx

from slrsym.balls.boxes import to_flint_rational
from slrsym.papers.single_location.certify.attraction import Attraction
from slrsym.prover.certificates.box_certificate import register_certificate_class
from slrsym.prover.certificates.certificate_search import DIGITS
from slrsym.prover.certificates.own_statement import OwnStatementCertificate
from slrsym.prover.statements.words import InWords, in_words

# Into how many cells the values of kappa are divided.
_CELLS = 400


@register_certificate_class
@dataclass(frozen=True)
class AttractedShare(OwnStatementCertificate):
    r"""A certificate that a share of uniform starts converges to the oracle or its mirror image.

    Parameters
    ----------
    attraction : Attraction
        Evidence for a neighbourhood of the oracle, with the task, the inverse temperature and the
        radius r.
    share : number
        The probability that is exceeded, positive.

    Raises
    ------
    ProofError
        If a number is a float.

    Examples
    --------
    A share that is not reached is told from one that is.

    >>> near = Attraction("1", "1/200", "2/5", "1/100", "5", dimension=3, tokens=2, variance="1")
    >>> share = AttractedShare(near, "1/20")
    >>> share.reason_not_shown(share.statement)
    'the share is shown to be 0.0399000 at least'
    """

    # Claims that turn the inequalities checked here into the statement.
    rests_on: ClassVar[tuple[str, ...]] = (*Attraction.rests_on, "mirror-image")

    attraction: Attraction
    share: Any

    @property
    def box_text(self) -> str:
        """The box of parameters on which the certificate holds, as a text."""
        return self.attraction.box_text

    @property
    def statement(self) -> InWords:
        """The certified statement in words, with all its numbers."""
        near = self.attraction
        return in_words(
            f"With $d = {near.dimension}$, $L = {near.tokens}$ and $gamma^2 = {near.variance}$, at "
            f"inverse temperature ${near.lam}$, projected descent with any step size up to "
            f"${near.step}$ converges to the oracle or to its mirror image from uniform $k$ and "
            f"$v$ with a probability of more than ${self.share}$."
        )

    def _reason_not_shown(self) -> str:
        """Check the neighbourhood and its probability; return why they fail, or an empty text."""
        if Fraction(self.share) <= 0:
            return "share must be positive"
        near = self.attraction
        least = oracle_or_mirror_share_lower_bound(near.dimension, Fraction(near.radius))
        if not least > arb(to_flint_rational(Fraction(self.share))):
            return f"the share is shown to be {least.str(6, radius=False)} at least"
        return near.reason_not_shown(near.statement)


def oracle_or_mirror_share_lower_bound(dimension: int, radius: Fraction) -> arb:
    """Return a ball with a lower bound on the share of starts near the oracle or its mirror image.

    Examples
    --------
    In three dimensions kappa and nu are uniform, and the probability is a quarter of the square of
    the radius.

    >>> bound = oracle_or_mirror_share_lower_bound(3, Fraction(2, 5))
    >>> bound.str(4, radius=False)
    '0.03990'
    """
    with ctx.workdps(DIGITS):
        tails = []
        for i in range(_CELLS + 1):
            # From 1 - r, below which nu would have to exceed 1, to 1.
            x = to_flint_rational(1 - radius + radius * Fraction(i, _CELLS))
            exponent = arb(dimension - 1) / 2
            tails.append(arb(1 - x * x).beta_lower(exponent, arb(0.5), regularized=1) / 2)
        # At the end of a cell kappa is x_(i + 1), and 2 - r - x_i is x_(n - i).
        cells = ((tails[i] - tails[i + 1]) * tails[_CELLS - i] for i in range(_CELLS))
        return 2 * sum(cells, arb(0))
