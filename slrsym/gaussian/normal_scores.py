r"""Means of Owen's T, and of powers of the distribution function, at a Gaussian variable.

For :math:`X \sim N(0, v)`, the derivative of :math:`\mathbb{E}\,T(X, a)` in a is the mean of
:math:`\mathrm{e}^{-X^2(1 + a^2)/2}` over :math:`2\pi(1 + a^2)`, so that

.. math:: \mathbb{E}\,T(X, a) = \frac{1}{2\pi}\arctan\frac{a}{\sqrt{1 + v + v a^2}}.

For a standard normal X, :math:`\Phi(X)` is uniform on (0, 1), so :math:`\mathbb{E}\,\Phi(X)^n =
1/(n + 1)` for n > -1; and erf(X) is uniform on (-1, 1) if v is 1/2, so that an even power n of it
has the same mean.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from sympy import Expr, S

from slrsym.gaussian.degeneracy import is_zero_sum
from slrsym.gaussian.forms import affine_form_moments
from slrsym.gaussian.integrals import DivergenceError, IntegrabilityError
from slrsym.gaussian.integrand import is_affine
from slrsym.gaussian.law import GaussianLaw
from slrsym.gaussian.special_functions import OwensT, normal_cdf


def mean_of_score(
    core: Expr, law: GaussianLaw, is_positive: Callable[[Expr], bool] = lambda _: False
) -> Expr | None:
    """Return the mean of Owen's T, or of a power of the distribution function; None for others.

    The argument is an affine form, centred in the first case, and in the second such that the
    function's values are uniformly distributed. Raise `DivergenceError` if the power certainly has
    no mean, and `IntegrabilityError` if the assumptions do not decide that it has one.
    """
    base, power = core.as_base_exp()
    if isinstance(core, OwensT):
        form, slope = core.args
    elif isinstance(base, normal_cdf) or (isinstance(base, sp.erf) and power.is_even):
        form, slope = base.args[0], power
    else:
        return None
    names = frozenset(law.symbols)
    if not is_affine(form, names) or slope.free_symbols & names:
        return None
    (mean,), ((variance,),) = affine_form_moments([form], law)
    if not is_zero_sum(mean):
        return None
    if isinstance(core, OwensT):
        return sp.atan(slope / sp.sqrt(1 + variance + variance * slope**2)) / (2 * sp.pi)
    uniform = S.One if isinstance(base, normal_cdf) else S.Half
    if not is_zero_sum(variance, -uniform):
        return None
    if (power + 1).is_nonpositive:
        raise DivergenceError(f"not integrable: {core} has a mean for an exponent above -1 only")
    if not ((power + 1).is_positive or is_positive(power + 1)):
        raise IntegrabilityError(
            f"{core} has a mean for an exponent above -1 only; declare {power} so, or positive"
        )
    return 1 / (power + 1)
