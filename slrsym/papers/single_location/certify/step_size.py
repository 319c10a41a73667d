"""Certified step sizes: the largest one, a closed-form bound, and an estimate on a grid.

Theorem 5 says that there is one; its conditions are those of Propositions 8 and 12. The closed form
is by the constants of the descent lemma, that of Proposition 8. What a grid says is a hint to the
search, and no proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from slrsym.balls.boxes import (
    Box,
    Range,
    RationalOrSquareRoot,
    decimal_text_below,
    parse_task_ranges,
)
from slrsym.balls.branch_and_bound import Budget
from slrsym.kernels.arguments import float_or_nan, require_integer
from slrsym.kernels.compile import numpy_function
from slrsym.kernels.kept_programs import program_function_cached_on_disk
from slrsym.papers.single_location.certify.statements import KINDS
from slrsym.papers.single_location.paper_risk import kernel
from slrsym.prover.certificates.certificate import Certificate, CertificateOutcome
from slrsym.prover.certificates.certificate_search import DIGITS, MAX_BOXES, certify
from slrsym.registry import load_registered

# To which part of itself the step size is found.
_PRECISION = 1e-5


@cache
def _condition_kernel() -> Any:
    return numpy_function(KINDS["alpha"].parts({})[0].field.value_program)


@cache
def _step_kernel() -> Any:
    return numpy_function(
        program_function_cached_on_disk(
            "slrsym.papers.single_location.step_programs.descent_step_program"
        )(True)
    )


def _after_step(points: Any, at: Sequence[float], alpha: float) -> Any:
    """Return kappa and nu after a step of descent on the manifold."""
    lam, gamma, d = at
    # Of k and of v, what each has beside kappa and nu, and these.
    rest = np.sqrt(1 - points**2)
    whole = np.stack([rest, points], axis=-1).reshape(*points.shape[:-1], 4)
    return _step_kernel()(whole, 1.0, d, 0.0, gamma, lam, alpha)[..., 1::2]


def _grid(count: int) -> NDArray[np.float64]:
    side = np.linspace(-1, 1, count)
    return np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1)


def _conditions(points: Any, at: Sequence[float], alpha: float) -> Any:
    return _condition_kernel()(points, *at, alpha, 1.0, 0.0, 1.0)


def _allows(points: Any, at: Sequence[float], alpha: float) -> bool:
    """Return whether a step size satisfies the conditions of Theorem 5 on a grid, without proof."""
    values = _conditions(points, at, alpha)
    poles, slope, determinant = values[..., :2], values[..., 3], values[..., 4]
    if not ((poles > 0).all() and (slope > 0).all() and (determinant > 0).all()):
        return False
    inner = points[1:-1, 1:-1]
    lam, gamma, d = at
    new = _after_step(inner, at, alpha)
    risk = kernel("excess_risk")
    zero = np.zeros((*inner.shape[:-1], 3))
    before, after = (
        risk(np.concatenate([x, zero], axis=-1), lam, gamma, d, 1.0, 0.0)[..., 0]
        for x in (inner, new)
    )
    # Of the size of the risk, and of rounding.
    return bool((after <= before + 1e-14 * gamma**2).all())


def grid_step_size(lam: Any, gamma: Any, d: Any, count: int = 401) -> float:
    """Return the largest step size for Propositions 8 and 12 that passes on a grid, unproved.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `slrsym.papers.single_location.certify.alpha_bar`. Of ranges, the ends are looked at.
    count : int, optional
        How many points the grid has along a side, at least 3; of ranges, a quarter of that.

    Returns
    -------
    float
        By bisection, to five digits: the risk decreases along every step, the determinant of the
        Jacobian matrix of g is positive, and nu' grows with nu.

    Raises
    ------
    ValueError
        If `lam`, `gamma` or `d` is no number in its range, or `count` is below 3.
    """
    given = parse_task_ranges(lam, gamma, d)
    count = require_integer("count", count, 3)
    if not all(x.is_point for x in given.values()):
        count = 1 + count // 4
    corners = product(*({float(x.low), float(x.high)} for x in given.values()))
    return min(_grid_step(ends, count) for ends in corners)


def _grid_step(at: Sequence[float], count: int) -> float:
    # A coarse grid of some of the points allows more.
    high = low = float(closed_form_step_size(at[0], at[1], at[2]))
    for points in (_grid(1 + count // 4), _grid(count)):
        while not _allows(points, at, low):
            low *= 0.99
        high = max(low, high)
        while _allows(points, at, high):
            low, high = high, (2 * high if points.shape[0] < count else 1.01 * high)
        while high - low > _PRECISION * high:
            middle = (low + high) / 2
            low, high = (middle, high) if _allows(points, at, middle) else (low, middle)
    return low


def grid_points_nearest_to_failing(given: Mapping[str, Range], alpha: float) -> tuple[Box, ...]:
    """Return, as boxes, the grid points at which a step size is closest to being too large."""
    points = _grid(129)
    found: dict[Box, None] = {}
    for ends in product(*({float(x.low), float(x.high)} for x in given.values())):
        worst = _conditions(points, ends, alpha).min(axis=-1)
        at = points[np.unravel_index(int(worst.argmin()), worst.shape)]
        found[tuple((fmpq(*float(x).as_integer_ratio()),) * 2 for x in at)] = None
    return tuple(found)


def closed_form_step_size(lam: Any, gamma: Any, d: Any, digits: int = 30) -> str:
    r"""Return, as a text, a step size by a formula; all conditions hold up to it.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `alpha_bar`.
    digits : int, optional
        How many decimal digits it is computed with, 10 at least.

    Returns
    -------
    str
        A decimal number below :math:`1/\Lambda`.

    Raises
    ------
    ValueError
        If `lam`, `gamma` or `d` is no number in its range, or `digits` is below 10.

    Notes
    -----
    In the angles (see `slrsym.papers.single_location.certify.statements`) the Hessian of the risk
    has the entries :math:`R_{\kappa\kappa}(1 - \kappa^2) - \kappa R_\kappa`, :math:`R_{\kappa\nu}
    \cos\varphi \cos\psi` and :math:`-\nu R_\nu`. Let :math:`b = \lambda \sqrt{d/2}/A` and
    :math:`\mu = \max_x x \operatorname{erf}'(x) = \sqrt{2/(\pi e)}`. From

    .. math:: R_\kappa &= 2\gamma^2 b \operatorname{erf}'(b\kappa)
        (\operatorname{erf}(b\kappa/B) - \nu), \\ R_\nu &= -2\gamma^2 \operatorname{erf}(b\kappa)

    with :math:`|\operatorname{erf}| < 1`, :math:`|\nu| \le 1`, :math:`0 < \operatorname{erf}' \le
    2/\sqrt\pi` and :math:`|\operatorname{erf}''(x)| = 2 |x| \operatorname{erf}'(x) \le 2\mu`,

    .. math:: |R_{\kappa\kappa}| &\le 2\gamma^2 b^2 \Bigl(4\mu + \frac{4}{\pi B}\Bigr), \\
        |\kappa R_\kappa| &\le 4\gamma^2 \mu, \\
        |R_{\kappa\nu}| &\le \frac{4\gamma^2 b}{\sqrt\pi}, \\ |\nu R_\nu| &\le 2\gamma^2.

    So its largest eigenvalue is at most that of the matrix of bounds, :math:`K = \begin{pmatrix}
    p & q \\ q & r \end{pmatrix}` with :math:`p = 8\gamma^2 b^2 (\mu + 1/(\pi B)) + 4\gamma^2\mu`,
    :math:`q = 4\gamma^2 b/\sqrt\pi`, :math:`r = 2\gamma^2`, which is

    .. math:: \Lambda = \frac{p + r}{2} + \sqrt{\frac{(p - r)^2}{4} + q^2}.

    If :math:`\alpha\Lambda < 1`, then :math:`N - \alpha H \succeq I - \alpha H` is positive
    definite, the pole factors are at least :math:`1 - \alpha \max(p, r) > 0`, and the risk
    decreases, :math:`F' - F \le -(1 - \alpha\Lambda/2) \sum r_i \arctan(\alpha r_i)`. This holds
    for all smaller step sizes.

    The slopes typed in here are claims of the ledger, ``proposition-9-gradient-kappa`` and
    ``proposition-9-gradient-nu``.
    """
    given = parse_task_ranges(lam, gamma, d)
    with ctx.workdps(require_integer("digits", digits, 10)):
        # The product of b and gamma grows with lambda, gamma and d, and 1/B falls: a range is
        # served by its ends, where wide balls would say nothing.
        x, g, n = (given[name].high.to_ball() for name in ("lam", "gamma", "d"))
        b = x * (n / 2).sqrt() / (1 + 2 * (x * g) ** 2).sqrt()
        wide = (1 + 4 * (given["lam"].low.to_ball() * given["gamma"].low.to_ball()) ** 2).sqrt()
        mu = (2 / (arb.pi() * arb(1).exp())).sqrt()
        p = 8 * g**2 * b**2 * (mu + 1 / (arb.pi() * wide)) + 4 * g**2 * mu
        q = 4 * g**2 * b / arb.pi().sqrt()
        r = 2 * g**2
        bound = (p + r) / 2 + (((p - r) / 2) ** 2 + q**2).sqrt()
        return decimal_text_below(1 / bound, 6)


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
    """The largest step size certified, the smallest refuted, and two bounds to compare.

    Attributes
    ----------
    certificate : Certificate or None
        That of the largest step size for which everything is shown; None if there is none.
    refuted : Certificate or None
        That of the smallest step size for which something is shown not to hold.
    grid : float
        The largest step size that floating-point numbers allow on a grid, which prove nothing.
    closed_form : str
        The bound of `closed_form_step_size`.
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

    def _repr_html_(self) -> str:
        return str(
            load_registered("fields.html")(
                self, ["verdict", "alpha", "grid", "closed_form", "certificate"]
            )
        )

    @property
    def verdict(self) -> CertificateOutcome:
        """The outcome of the certification: shown or undecided."""
        return (
            CertificateOutcome.UNDECIDED if self.certificate is None else CertificateOutcome.SHOWN
        )

    @property
    def alpha(self) -> Fraction | None:
        """The certified step size; None if there is none."""
        return None if self.certificate is None else _alpha_of(self.certificate)

    @property
    def refuted_alpha(self) -> Fraction | None:
        """A step size at which the certified conditions are refuted; None if none was found."""
        return None if self.refuted is None else _alpha_of(self.refuted)

    @property
    def descent_factor_text(self) -> str | None:
        r"""A number c: a step lowers the risk by at least :math:`c \sum r \arctan(\alpha r)`.

        At least, with the slopes r in the two angles, and for every step size up to the certified
        one; see `slrsym.papers.single_location.certify.statements`, where c is called mu/2. None if
        there is none.
        """
        if self.certificate is None:
            return None
        margins = [x for label, x in self.certificate.margins.items() if "45 degrees" in label]
        return str(Decimal(min(margins, key=float)) / 2)

    @property
    def fraction_of_grid(self) -> float:
        """The certified step size divided by that of the grid; 0 if there is none."""
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
    seconds: float = math.inf,
    digits: int = DIGITS,
    note: Callable[[int], None] | None = None,
) -> StepSize:
    r"""Certify nearly the largest step size allowed by Propositions 8 and 12 on the square.

    What is shown, and why it is enough, stands in
    `slrsym.papers.single_location.certify.statements`: for that step size and for every smaller
    one, the risk decreases along every step, the map is injective with a positive Jacobian
    determinant, and the origin is a saddle of the map.

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
        For how long; by default as long as there are boxes left, so that the verdict does not
        depend on the machine.
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
    >>> found.verdict, 0.305 < found.alpha < found.refuted_alpha < 0.307
    (<CertificateOutcome.SHOWN: 'shown'>, True)
    """
    given = parse_task_ranges(lam, gamma, d)
    if tolerance is None:
        points = all(x.is_point for x in given.values())
        tolerance = _TOLERANCE if points else _RANGE_TOLERANCE
    if not 0 < float_or_nan(tolerance) < 1:
        raise ValueError(f"tolerance must lie between 0 and 1; got {tolerance!r}")
    budget = Budget(max_boxes, seconds, note)
    return _Bisection(given, tolerance, budget, digits).run()


def certify_step_size(
    lam: Any,
    gamma: Any,
    d: Any,
    alpha: Any,
    *,
    max_boxes: int = MAX_BOXES,
    seconds: float = math.inf,
    digits: int = DIGITS,
    note: Callable[[int], None] | None = None,
) -> Certificate:
    """Certify the conditions of Propositions 8 and 12 for all step sizes up to a given one.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `alpha_bar`.
    alpha : number, text, or range
        The step size.
    max_boxes, seconds, digits, note : optional
        As for `alpha_bar`.

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
    given = parse_task_ranges(lam, gamma, d)
    at = parse_task_ranges(lam, gamma, d, alpha=alpha)
    budget = Budget(max_boxes, seconds, note)
    points = grid_points_nearest_to_failing(given, float(at["alpha"].high))
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
        self.grid = grid_step_size(self.given["lam"], self.given["gamma"], self.given["d"])
        closed = closed_form_step_size(self.given["lam"], self.given["gamma"], self.given["d"])
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
        at = Range(RationalOrSquareRoot(alpha), RationalOrSquareRoot(alpha))
        found = certify(
            "alpha",
            self.given | {"alpha": at},
            budget=self.budget.sub_budget(_SHARE),
            digits=self.digits,
            suspects=grid_points_nearest_to_failing(self.given, float(alpha)),
        )
        if found.verdict is CertificateOutcome.SHOWN:
            if self.best is None or alpha > _alpha_of(self.best):
                self.best = found
            return
        self.ceiling = min(self.ceiling, float(alpha))
        least = None if self.refuted is None else _alpha_of(self.refuted)
        if found.verdict is CertificateOutcome.REFUTED and (least is None or alpha < least):
            self.refuted = found


def _rounded(alpha: Fraction, up: bool) -> Fraction:
    """Round a step size up or down to six significant digits, and return it as a fraction."""
    context = Context(prec=_FIGURES, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return Fraction(context.divide(Decimal(alpha.numerator), Decimal(alpha.denominator)))
