"""A step size in closed form, by the constants of the descent lemma.

The lemma is that of Proposition 8.
"""

from __future__ import annotations

from typing import Any

from flint import arb, ctx

from slrsym.certify.numbers import lower_decimal, ranges

__all__ = ["closed_form_step"]


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
