r"""Moments of lengths: powers and logarithms of absolute values and of roots of sums of squares.

If the quadratic function Q of a Gaussian vector is c times a noncentral chi-squared variable of r
degrees of freedom and noncentrality :math:`\lambda`, then for :math:`p > -r/2`

.. math:: \mathbb{E} Q^p = (2c)^p \frac{\Gamma(r/2 + p)}{\Gamma(r/2)}\,
          {}_1F_1(-p; r/2; -\lambda/2),

and for :math:`\lambda = 0` also :math:`\mathbb{E}\log Q = \log(2c) + \psi(r/2)`, the derivative at
p = 0 (N. L. Johnson, S. Kotz, N. Balakrishnan, *Continuous Univariate Distributions*, 2nd ed.,
chapters 18 and 29).
"""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp
from sympy import Expr, Matrix, S, Symbol

from slrsym.gaussian.forms import group_correlated_indices
from slrsym.gaussian.integrals import DivergenceError, IntegrabilityError, simplify_complex_rational
from slrsym.gaussian.kinks_as_signs import UnsupportedIntegrandError, total_degree
from slrsym.gaussian.law import GaussianLaw


class _ChiSquared(NamedTuple):
    """The law of a quadratic form: c times a noncentral chi-squared variable."""

    scale: Expr
    degrees: Expr
    noncentrality: Expr


def has_noninteger_power(expr: Expr) -> bool:
    """Return whether an expression has a power whose exponent is not an integer."""
    return any(not power.exp.is_Integer for power in expr.atoms(sp.Pow))


def group_uncorrelated_factors(
    core: Expr, law: GaussianLaw
) -> list[tuple[tuple[Symbol, ...], Expr]]:
    """Group the factors of a product such that variables of different groups are uncorrelated.

    Every factor has a variable of the law. Return the variables of each group, and its product.
    """
    factors = sp.Mul.make_args(core)
    owned = [[s for s in law.symbols if s in factor.free_symbols] for factor in factors]
    entries = [
        [max((law.covariance(s, t) != 0 for s in one for t in two), default=False) for two in owned]
        for one in owned
    ]
    found = []
    for group in group_correlated_indices([[sp.Integer(int(e)) for e in row] for row in entries]):
        symbols = tuple(s for s in law.symbols if any(s in owned[i] for i in group))
        found.append((symbols, sp.Mul(*(factors[i] for i in group))))
    return found


def radial_moment(core: Expr, law: GaussianLaw) -> Expr:
    """Return the mean of a power, or of the logarithm, of the length of a Gaussian vector.

    The integrand is a product of powers of ``Abs(u)`` and of u, for affine forms u, and of sums of
    squares of such, all with the same zeros; or the logarithm of one. Raise
    `UnsupportedIntegrandError` for others, `DivergenceError` if the moment certainly does not
    exist, and `IntegrabilityError` if the assumptions do not decide that it does.
    """
    if isinstance(core, sp.log):
        constant, inside = core.args[0].as_independent(*law.symbols, as_Add=False)
        if not constant.is_positive:
            raise UnsupportedIntegrandError(f"whether {constant} is positive is not decided")
        form, half = _common_form(inside, law)
        chi = _chi_squared(form, law)
        if chi.noncentrality != 0:
            raise UnsupportedIntegrandError(
                f"{form} has a mean, and its logarithm no closed form here"
            )
        if chi.scale.is_positive is not True:
            raise UnsupportedIntegrandError(f"whether {chi.scale} is positive is not decided")
        mean = sp.log(2 * chi.scale) + sp.digamma(chi.degrees / 2)
        return sp.log(constant) + half * sp.expand_func(sp.expand_log(mean))
    form, power = _common_form(core, law)
    chi = _chi_squared(form, law)
    excess = chi.degrees / 2 + power
    if excess.is_nonpositive:
        raise DivergenceError(
            f"not integrable: {core} has a pole where {form} = 0, inside the Gaussian's support"
        )
    if not excess.is_positive:
        names = ", ".join(sorted(map(str, power.free_symbols)))
        raise IntegrabilityError(
            f"integrability needs {excess} > 0, which the assumptions on {names} do not decide; "
            "declare them (nonnegative=True) or rewrite in symbols that are"
        )
    # At variance zero the formula for centred variables holds by continuity, unless p < 0.
    if not chi.scale.is_positive and (chi.noncentrality != 0 or not power.is_nonnegative):
        raise UnsupportedIntegrandError(f"whether {chi.scale} is positive is not decided")
    central = sp.gamma(excess) / sp.gamma(chi.degrees / 2)
    shift = sp.hyper([-power], [chi.degrees / 2], -chi.noncentrality / 2)
    return 2**power * chi.scale**power * central * (S.One if chi.noncentrality == 0 else shift)


def _common_form(core: Expr, law: GaussianLaw) -> tuple[Expr, Expr]:
    """Return a quadratic function Q >= 0 and an exponent p such that the product is Q**p."""
    bound = frozenset(law.symbols)
    form, total = None, S.Zero
    for factor in sp.Mul.make_args(core):
        base, power = factor.as_base_exp()
        if power.free_symbols & bound:
            raise UnsupportedIntegrandError(f"the exponent of {factor} is random")
        inside = base.args[0] if isinstance(base, sp.Abs) else base
        degree = total_degree(inside, bound)
        if degree == 1 and (isinstance(base, sp.Abs) or power.is_even):
            square, power = inside**2, power / 2
        elif degree == 2 and not isinstance(base, sp.Abs):
            square = inside
        else:
            raise UnsupportedIntegrandError(f"{factor} is no power of a length")
        ratio = S.One if form is None else sp.cancel(square / form)
        if ratio != 1:
            raise UnsupportedIntegrandError(f"{core} is no power of one length")
        form, total = square, total + power
    return form, total


def _chi_squared(form: Expr, law: GaussianLaw) -> _ChiSquared:
    r"""Return the scaled noncentral chi-squared law of a quadratic function, if it has one.

    With the Hessian 2P, the gradient g at the mean m and the covariance :math:`\Sigma` it is if
    :math:`P\Sigma P = cP`, :math:`P\Sigma g = cg` and :math:`Q(m) = g^T\Sigma g/(4c)`; then
    :math:`r = \operatorname{tr}(P\Sigma)/c` and :math:`\lambda = Q(m)/c`.
    """
    variables = [s for s in law.symbols if s in form.free_symbols]
    law = law.marginal(*variables)
    mean = dict(law.mean)
    half = Matrix([[form.diff(x, y) / 2 for y in variables] for x in variables])
    slope = Matrix([form.diff(x).xreplace(mean) for x in variables])
    image = half * Matrix(law.cov)
    place = next((i, j) for i in range(half.rows) for j in range(half.cols) if half[i, j] != 0)
    scale = simplify_complex_rational((image * half)[place] / half[place])
    at_mean = sp.expand(form.xreplace(mean))
    spread = (slope.T * Matrix(law.cov) * slope)[0]
    zero = [*(image * half - scale * half), *(image * slope - scale * slope)]
    zero.append(spread - 4 * scale * at_mean)
    if scale == 0 or any(simplify_complex_rational(entry) != 0 for entry in zero):
        raise UnsupportedIntegrandError(f"{form} is no multiple of a chi-squared variable")
    degrees = simplify_complex_rational(image.trace() / scale)
    return _ChiSquared(scale, degrees, simplify_complex_rational(at_mean / scale))
