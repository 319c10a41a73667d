r"""Basic Gaussian integrals to which all others are reduced.

Throughout, u and w are jointly Gaussian with means m_u, m_w, variances v_u, v_w and covariance c.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import sympy as sp
from sympy import Expr, Matrix, S

from slrsym.gaussian.special_functions import OwensT


class IntegrabilityError(ValueError):
    """Error for an expectation that does not exist, or whose existence is undecided."""


class DivergenceError(IntegrabilityError):
    """Error for an expectation that certainly does not exist."""


@lru_cache(maxsize=4096)
def _tidy(expr: Expr) -> Expr:
    """Write a rational expression in lowest terms, factored."""
    return sp.factor(expr) if expr.free_symbols else expr


def erf_mean(mean: Expr, variance: Expr, twice_noise_variance: int) -> Expr:
    r"""Return the mean of erf(u), or without noise of sign(u), for a Gaussian u.

    Without noise, :math:`\mathbb{E}\operatorname{sign}(u) = \operatorname{erf}(m / \sqrt{2v})`.
    """
    scale = sp.sqrt(_tidy(twice_noise_variance + 2 * variance))
    imaginary = sp.expand(mean / S.ImaginaryUnit)
    if mean.has(S.ImaginaryUnit) and not imaginary.has(S.ImaginaryUnit):
        return S.ImaginaryUnit * sp.erfi(_tidy(imaginary) / scale)
    return sp.erf(mean / scale)


def erf_product_mean(
    mean_u: Expr,
    mean_w: Expr,
    variance_u: Expr,
    variance_w: Expr,
    covariance: Expr,
    twice_noise_variance_u: int = 1,
    twice_noise_variance_w: int = 1,
) -> Expr:
    r"""Return the mean of erf(u) erf(w), or of signs, for Gaussian u and w, by Owen's T.

    Notes
    -----
    With :math:`h = \sqrt2\, m_u/A_u` and :math:`k = \sqrt2\, m_w/A_w`, where
    :math:`A^2 = 1 + 2v`, this is :math:`4 \Phi_2(h, k; \rho) - 2\Phi(h) - 2\Phi(k) + 1` for the
    bivariate normal distribution function of correlation :math:`\rho = 2c/(A_u A_w)`, and Owen
    (1956) gives :math:`\Phi_2` by T. Without noise, :math:`A^2 = 2v`, and it is that of signs.
    """
    square_u = _tidy(twice_noise_variance_u + 2 * variance_u)
    square_w = _tidy(twice_noise_variance_w + 2 * variance_w)
    scale_u, scale_w = sp.sqrt(square_u), sp.sqrt(square_w)
    covariance = _tidy(covariance)
    if covariance == 0:
        return sp.erf(mean_u / scale_u) * sp.erf(mean_w / scale_w)
    mean_u, mean_w = sp.factor(mean_u), sp.factor(mean_w)
    h, k = sp.sqrt(2) * mean_u / scale_u, sp.sqrt(2) * mean_w / scale_w
    root = sp.sqrt(_tidy(square_u * square_w - 4 * covariance**2))
    if mean_u == 0 and mean_w == 0:
        return 2 / sp.pi * sp.asin(2 * covariance / (scale_u * scale_w))
    if mean_u == 0:
        return 4 * OwensT(k, 2 * covariance / root)
    if mean_w == 0:
        return 4 * OwensT(h, 2 * covariance / root)
    if square_u == square_w and sp.expand(mean_u - mean_w) == 0:
        return 1 - 8 * OwensT(
            h, _root_of_ratio(square_u - 2 * covariance, square_u + 2 * covariance)
        )
    if square_u == square_w and sp.expand(mean_u + mean_w) == 0:
        return (
            8 * OwensT(h, _root_of_ratio(square_u + 2 * covariance, square_u - 2 * covariance)) - 1
        )
    slope_h = (mean_w * square_u - 2 * covariance * mean_u) / (mean_u * root)
    slope_k = (mean_u * square_w - 2 * covariance * mean_w) / (mean_w * root)
    general = sp.sign(mean_u) * sp.sign(mean_w) - 4 * OwensT(h, slope_h) - 4 * OwensT(k, slope_k)
    branches = []
    if mean_u.is_nonzero is not True:
        branches.append((4 * OwensT(k, 2 * covariance / root), sp.Eq(_primitive(mean_u), 0)))
    if mean_w.is_nonzero is not True:
        branches.append((4 * OwensT(h, 2 * covariance / root), sp.Eq(_primitive(mean_w), 0)))
    return sp.Piecewise(*branches, (general, True)) if branches else general


def _primitive(mean: Expr) -> Expr:
    """Return an expression divided by its numerical factor."""
    return mean.as_independent(*mean.free_symbols, as_Add=False)[1]


def _root_of_ratio(numerator: Expr, denominator: Expr) -> Expr:
    return sp.sqrt(_tidy(numerator / denominator))


def complete_square(
    quadratic: Matrix,
    linear: Matrix,
    mean: Matrix,
    cov: Matrix,
    is_positive: Callable[[Expr], bool] = lambda _: False,
) -> tuple[Expr, Expr, Matrix, Matrix]:
    r"""Return exponent, determinant, mean and covariance of exp(q) times a Gaussian density.

    For :math:`X \sim N(m, \Sigma)` and :math:`q(x) = -\tfrac12 x^T P x + b^T x`,
    :math:`\mathbb{E}[e^{q(X)} f(X)] = D^{-1/2} e^c\, \mathbb{E} f(X')` with
    :math:`X' \sim N(m', \Sigma')`, :math:`\Sigma' = (I + \Sigma P)^{-1}\Sigma`,
    :math:`m' = (I + \Sigma P)^{-1}(m + \Sigma b)`, :math:`D = \det(I + \Sigma P)` and

    .. math:: c = b^T m' - \tfrac12 m^T P m' + \tfrac12 b^T(m - m').

    The formula holds for singular :math:`\Sigma` too. `is_positive` is asked where assumptions do
    not decide that the expectation exists.
    """
    size = len(mean)
    system = Matrix.eye(size) + cov * quadratic
    determinant = _tidy(system.det(method="berkowitz"))
    _require_integrable(quadratic, system, is_positive)
    inverse = (system.adjugate() / determinant).applyfunc(_tidy)
    new_mean = (inverse * (mean + cov * linear)).applyfunc(simplify_complex_rational)
    new_cov = (inverse * cov).applyfunc(_tidy)
    # exp(q) times the density is C times the new density; evaluated at x = m' this leaves only
    # inner products, and no inverse of a covariance that may be singular.
    exponent = (
        linear.dot(new_mean) - mean.dot(quadratic * new_mean) / 2 + linear.dot(mean - new_mean) / 2
    )
    return exponent, determinant, new_mean, new_cov


def simplify_complex_rational(expr: Expr) -> Expr:
    """Write a rational expression, possibly with the imaginary unit, in lowest terms."""
    return (
        _tidy(expr)
        if not expr.has(S.ImaginaryUnit)
        else sp.factor(sp.cancel(sp.together(sp.expand(expr))))
    )


def ldl_decomposition(matrix: Matrix) -> tuple[list[Expr], Matrix] | None:
    """Return D and L with M = L D L^T, or None if a pivot vanishes and its row does not."""
    work, n = matrix.copy(), matrix.rows
    diagonal, lower = [], sp.eye(n)
    for i in range(n):
        pivot = sp.factor(work[i, i])
        diagonal.append(pivot)
        for j in range(i + 1, n):
            entry = sp.cancel(work[j, i])
            if entry == 0:
                continue
            if pivot == 0:
                return None
            lower[j, i] = sp.cancel(entry / pivot)
            for k in range(i + 1, n):
                work[j, k] = sp.cancel(work[j, k] - lower[j, i] * work[i, k])
    return diagonal, lower


def _evidently_positive(expr: Expr) -> bool | None:
    verdict = expr.is_positive
    result: bool | None = verdict if verdict is not None else sp.factor(expr).is_positive
    return result


def _evidently_semidefinite(matrix: Matrix) -> bool:
    """Return whether elimination without pivoting shows that a matrix is positive semidefinite."""
    found = ldl_decomposition(matrix)
    return found is not None and all(
        p == 0 or _evidently_positive(p) or p.is_nonnegative for p in found[0]
    )


def _require_integrable(
    quadratic: Matrix, system: Matrix, positive: Callable[[Expr], bool]
) -> None:
    if _evidently_semidefinite(quadratic):
        return
    # The eigenvalues of I + cov P are real, so all are positive if and only if every elementary
    # symmetric polynomial of them is.
    charpoly = system.charpoly()
    conditions = [_tidy((-1) ** k * c) for k, c in enumerate(charpoly.all_coeffs())][1:]
    for condition in conditions:
        verdict = _evidently_positive(condition)
        if verdict is False:
            raise DivergenceError(
                f"not integrable: the exponential outgrows the density, since {condition} > 0 fails"
            )
        if verdict is None and not positive(condition):
            names = ", ".join(sorted(map(str, condition.free_symbols)))
            raise IntegrabilityError(
                f"integrability needs {condition} > 0, which the assumptions on {names} do not "
                "decide; declare them (positive=True, negative=True) or rewrite in symbols that are"
            )
