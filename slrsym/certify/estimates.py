"""Step sizes that cost little: a closed form that always holds, and what floats on a grid allow.

The conditions are those of Propositions 8 and 12; the closed form is by the constants of the
descent lemma, that of Proposition 8. What a grid says is a hint to the search, and no proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from slrsym.balls.boxes import Box, Range, lower_decimal, ranges
from slrsym.certify.statements import KINDS
from slrsym.dynamics.maps import planar_program
from slrsym.kernels.arguments import whole
from slrsym.kernels.backends import numpy_function
from slrsym.models.expressions import kernel

__all__ = ["closed_form_step", "grid_step", "suspects"]

# To which part of itself the step size is found.
_PRECISION = 1e-5


@cache
def _condition_kernel() -> Any:
    return numpy_function(KINDS["alpha"].parts({})[0].field.values)


@cache
def _planar_kernel() -> Any:
    return numpy_function(planar_program())


def _grid(count: int) -> NDArray[np.float64]:
    side = np.linspace(-1, 1, count)
    return np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1)


def _conditions(points: Any, at: Sequence[float], alpha: float) -> Any:
    return _condition_kernel()(points, *at, alpha, 1.0, 0.0, 1.0)


def _allows(points: Any, at: Sequence[float], alpha: float) -> bool:
    """Whether, as far as can be seen, g is injective with a positive determinant and descends."""
    values = _conditions(points, at, alpha)
    poles, slope_nu, determinant = values[..., :2], values[..., 3], values[..., 4]
    if not ((poles > 0).all() and (slope_nu > 0).all() and (determinant > 0).all()):
        return False
    inner = points[1:-1, 1:-1]
    lam, gamma, d = at
    new = _planar_kernel()(inner, lam, gamma, d, 1.0, 0.0, alpha)[..., :2]
    risk = kernel("excess_risk")
    zero = np.zeros((*inner.shape[:-1], 3))
    before, after = (
        risk(np.concatenate([x, zero], axis=-1), lam, gamma, d, 1.0, 0.0)[..., 0]
        for x in (inner, new)
    )
    # Of the size of the risk, and of rounding.
    return bool((after <= before + 1e-14 * gamma**2).all())


def grid_step(lam: Any, gamma: Any, d: Any, count: int = 401) -> float:
    """The largest step size that floating-point numbers allow on a grid; this proves nothing.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `slrsym.certify.alpha_bar`. Of ranges, the ends are looked at.
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
    given = ranges(lam, gamma, d)
    count = whole("count", count, 3)
    if not all(x.is_point for x in given.values()):
        count = 1 + count // 4
    corners = product(*({float(x.low), float(x.high)} for x in given.values()))
    return min(_grid_step(ends, count) for ends in corners)


def _grid_step(at: Sequence[float], count: int) -> float:
    # A coarse grid of some of the points allows more.
    high = low = float(closed_form_step(at[0], at[1], at[2]))
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


def suspects(given: Mapping[str, Range], alpha: float) -> tuple[Box, ...]:
    """The points of a coarse grid where the conditions look worst, at the ends of all ranges."""
    points = _grid(129)
    found: dict[Box, None] = {}
    for ends in product(*({float(x.low), float(x.high)} for x in given.values())):
        worst = _conditions(points, ends, alpha).min(axis=-1)
        at = points[np.unravel_index(int(worst.argmin()), worst.shape)]
        found[tuple((fmpq(*float(x).as_integer_ratio()),) * 2 for x in at)] = None
    return tuple(found)


def closed_form_step(lam: Any, gamma: Any, d: Any, digits: int = 30) -> str:
    r"""A step size in closed form, for which all the conditions hold; much smaller than need be.

    Parameters
    ----------
    lam, gamma, d : number, text, or range
        As for `alpha_bar`.
    digits : int, optional
        How many decimal digits it is computed with.

    Returns
    -------
    str
        A decimal number below :math:`1/\Lambda`.

    Notes
    -----
    In the angles (see `slrsym.certify.statements`) the Hessian of the risk has the entries
    :math:`R_{\kappa\kappa}(1 - \kappa^2) - \kappa R_\kappa`, :math:`R_{\kappa\nu} \cos\varphi
    \cos\psi` and :math:`-\nu R_\nu`. Let :math:`b = \lambda \sqrt{d/2}/A` and
    :math:`\mu = \max_x x \operatorname{erf}'(x) = \sqrt{2/(\pi e)}`. From

    .. math:: R_\kappa = 2\gamma^2 b \operatorname{erf}'(b\kappa)
        (\operatorname{erf}(b\kappa/B) - \nu), \qquad R_\nu = -2\gamma^2 \operatorname{erf}(b\kappa)

    with :math:`|\operatorname{erf}| < 1`, :math:`|\nu| \le 1`, :math:`0 < \operatorname{erf}' \le
    2/\sqrt\pi` and :math:`|\operatorname{erf}''(x)| = 2 |x| \operatorname{erf}'(x) \le 2\mu`,

    .. math:: |R_{\kappa\kappa}| \le 2\gamma^2 b^2 \Bigl(4\mu + \frac{4}{\pi B}\Bigr), \quad
        |\kappa R_\kappa| \le 4\gamma^2 \mu, \quad
        |R_{\kappa\nu}| \le \frac{4\gamma^2 b}{\sqrt\pi}, \quad |\nu R_\nu| \le 2\gamma^2.

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
    given = ranges(lam, gamma, d)
    with ctx.workdps(digits):
        # The product of b and gamma grows with lambda, gamma and d, and 1/B falls: a range is
        # served by its ends, where wide balls would say nothing.
        x, g, n = (given[name].high.ball() for name in ("lam", "gamma", "d"))
        b = x * (n / 2).sqrt() / (1 + 2 * (x * g) ** 2).sqrt()
        wide = (1 + 4 * (given["lam"].low.ball() * given["gamma"].low.ball()) ** 2).sqrt()
        mu = (2 / (arb.pi() * arb(1).exp())).sqrt()
        p = 8 * g**2 * b**2 * (mu + 1 / (arb.pi() * wide)) + 4 * g**2 * mu
        q = 4 * g**2 * b / arb.pi().sqrt()
        r = 2 * g**2
        bound = (p + r) / 2 + (((p - r) / 2) ** 2 + q**2).sqrt()
        return lower_decimal(1 / bound, 6)
