"""Certified fixed points on the invariant manifold: isolation, count, kinds, local rates.

The map is that of Lemma 7. The paper has no rates: the Center-Stable Manifold theorem gives none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from slrsym.balls.boxes import decimal_text_below, parse_task_ranges, to_flint_rational
from slrsym.balls.branch_and_bound import Budget
from slrsym.papers.single_location.certify.statements import KINDS
from slrsym.papers.single_location.paper_risk_expressions import ON_M
from slrsym.prover.certificates.certificate import Certificate, CertificateOutcome
from slrsym.prover.certificates.certificate_search import DIGITS, MAX_BOXES, certify

# What is claimed of the rates at the corner for the whole box around it.
_PART = Fraction(9, 10)

# The smallest box that is tried has sides of 2 to minus this power.
_SMALLEST = 2048


@dataclass(frozen=True)
class LocalRates:
    r"""The rates at which kappa and nu converge to 1, with a box in which they do.

    Attributes
    ----------
    certificate : Certificate
        Of kind ``rates``: the enclosures of both rates, and the contraction of the box.
    kappa_rate, nu_rate : tuple of Fraction
        Ends between which lies 1 less the eigenvalue of the map at (1, 1): in a step, 1 - kappa
        and 1 - nu fall by this part, to first order.
    """

    certificate: Certificate
    kappa_rate: tuple[Fraction, Fraction]
    nu_rate: tuple[Fraction, Fraction]

    @property
    def verdict(self) -> CertificateOutcome:
        """The outcome of the certification: shown, refuted or undecided."""
        return self.certificate.verdict

    @property
    def contracted_box_side(self) -> Fraction:
        """The side of the box at (1, 1) that the map contracts."""
        return self.certificate.numbers["radius"]

    @property
    def lipschitz_factor(self) -> Fraction:
        """A Lipschitz constant in the maximum norm of the map on its contracted box."""
        numbers = self.certificate.numbers
        return 1 - min(numbers[f"{x}_gain"] for x in ON_M)

    @property
    def time_ratio(self) -> float:
        """Ratio of the times in which kappa and nu converge near the oracle, by certified rates."""
        return float(self.nu_rate[0] / self.kappa_rate[1])


def certify_local_rates(
    lam: Any,
    gamma: Any,
    d: Any,
    alpha: Any,
    *,
    max_boxes: int = 20_000,
    seconds: float = math.inf,
    digits: int = DIGITS,
) -> LocalRates:
    r"""Certify the rates of convergence at the oracle (1, 1), with a box that the map contracts.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `slrsym.papers.single_location.certify.alpha_bar`.
    alpha : number, text, or range
        Step size.
    max_boxes, seconds, digits : optional
        As for `slrsym.papers.single_location.certify.alpha_bar`.

    Returns
    -------
    LocalRates

    Raises
    ------
    ValueError
        If an argument is not what it should be, or the map does not contract at (1, 1).

    Notes
    -----
    At the oracle the Jacobian matrix of g is diagonal, with entries :math:`(1 + \alpha R_\kappa)^2`
    and :math:`(1 + \alpha R_\nu)^2`. Since :math:`R_\kappa = -2 \gamma^2 b \operatorname{erf}'(b)
    \operatorname{erfc}(b/B)` is tiny where b is large, and :math:`R_\nu = -2 \gamma^2
    \operatorname{erf}(b)` is not, nu converges in a few hundred steps and kappa has to wait until
    lambda, and with it b, has come down. These are the two time scales of figure 4a.
    """
    given = parse_task_ranges(lam, gamma, d, alpha=alpha)
    budget = Budget(max_boxes, seconds)
    rates = _corner_rates(given, digits)
    numbers: dict[str, Fraction] = {}
    for name, rate in zip(ON_M, rates, strict=True):
        low = Fraction(decimal_text_below(rate, 8))
        high = -Fraction(decimal_text_below(-rate, 8))
        if not (low > 0 and high < 1):
            wide = (
                ""
                if all(x.is_point for x in given.values())
                else ", as far as is known for ranges so wide"
            )
            raise ValueError(
                f"alpha must be such that the map contracts at (1, 1); got {given['alpha']}, where "
                f"1 - {name} falls by a part of {rate.str(5)}{wide}"
            )
        numbers |= {f"{name}_rate_low": low, f"{name}_rate_high": high}
        numbers[f"{name}_gain"] = Fraction(
            decimal_text_below(arb(to_flint_rational(low * _PART)), 6)
        )

    def tried(k: int) -> Certificate:
        at = numbers | {"radius": Fraction(1, 2**k)}
        return certify("rates", given, at, budget.sub_budget(4), digits)

    small, found = 1, tried(1)
    large = 0
    while (
        found.verdict is not CertificateOutcome.SHOWN and small < _SMALLEST and not budget.is_over
    ):
        large, small = small, 2 * small
        found = tried(small)
    while found.verdict is CertificateOutcome.SHOWN and small - large > 1:
        middle = (small + large) // 2
        other = tried(middle)
        if other.verdict is CertificateOutcome.SHOWN:
            small, found = middle, other
        else:
            large = middle
    ends = [(numbers[f"{x}_rate_low"], numbers[f"{x}_rate_high"]) for x in ON_M]
    return LocalRates(found, ends[0], ends[1])


def _corner_rates(given: Any, digits: int) -> tuple[Any, Any]:
    """Return enclosures of 1 minus each eigenvalue of the planar map's Jacobian at (1, 1)."""
    zero = dict.fromkeys(KINDS["rates"].numbers, Fraction(0))
    part = next(part for part in KINDS["rates"].parts(zero) if part.name == "rates")
    with ctx.workdps(digits):
        balls = {name: x.to_ball() for name, x in given.items()}
    first, second = part.field.bind(balls, digits).natural_enclosure(())
    return first, second


def certify_fixed_points(
    lam: Any,
    gamma: Any,
    d: Any,
    *,
    max_boxes: int = MAX_BOXES,
    seconds: float = math.inf,
    digits: int = DIGITS,
    note: Callable[[int], None] | None = None,
) -> Certificate:
    """Certify the number of solutions of equations (14) in the square, each isolated in a box.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `slrsym.papers.single_location.certify.alpha_bar`. For ranges, the number is the same
        for all of them.
    max_boxes, seconds, digits, note : optional
        As for `slrsym.papers.single_location.certify.alpha_bar`.

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
    >>> found = certify_fixed_points("0.1", "sqrt(1/2)", 400)
    >>> str(found.verdict), int(found.numbers["count"])
    ('shown', 5)
    """
    budget = Budget(max_boxes, seconds, note)
    return certify("fixed-points", parse_task_ranges(lam, gamma, d), budget=budget, digits=digits)


def certify_classification(
    lam: Any,
    gamma: Any,
    d: Any,
    *,
    max_boxes: int = MAX_BOXES,
    seconds: float = math.inf,
    digits: int = DIGITS,
    note: Callable[[int], None] | None = None,
) -> Certificate:
    """Certify Proposition 10 for a box of parameters: two minima, two maxima and a saddle.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `slrsym.papers.single_location.certify.alpha_bar`.
    max_boxes, seconds, digits, note : optional
        As for `slrsym.papers.single_location.certify.alpha_bar`.

    Returns
    -------
    Certificate
        Of kind ``certify_classification``.

    Raises
    ------
    ValueError
        If `lam`, `gamma` or `d` is no number in its range, a budget is not positive, or `digits` is
        below 10.
    """
    budget = Budget(max_boxes, seconds, note)
    return certify("classification", parse_task_ranges(lam, gamma, d), budget=budget, digits=digits)
