r"""Laws of the tokens in single-location regression, projected on k, v and true directions.

Given the location :math:`J_0`, the informative token is
:math:`X_{J_0} \sim N(\sqrt{d/2}\,k^\star, \gamma^2 I_d)`, every other token is standard normal in
:math:`\mathbb{R}^d`, and the output is :math:`Y = X_{J_0}\cdot v^\star + \xi`. The erf attention
predictor, equation (3), sees a token X only through :math:`U = X\cdot k` and :math:`V = X\cdot v`.
"""

from __future__ import annotations

from sympy import Matrix, Symbol, sqrt, symbols

from slrsym.gaussian import GaussianLaw, NoiseLaw, ProductLaw
from slrsym.papers.single_location.notation import d, epsilon, eta, gamma, kappa, nu, rho, theta

U1, V1, Y1 = symbols("U_1 V_1 Y_1", real=True)
U, V = symbols("U V", real=True)
xi = Symbol("xi", real=True)


def informative_token_law() -> GaussianLaw:
    r"""Return the law of the informative token's projections on k, v and v*: U1, V1 and Y1.

    Notes
    -----
    They are :math:`(X_{J_0}\cdot k,\; X_{J_0}\cdot v,\; X_{J_0}\cdot v^\star)`. Their mean is
    :math:`\sqrt{d/2}\,(\kappa, \theta, 0)`, by Assumption 1, and their covariance
    :math:`\gamma^2` times the Gram matrix of :math:`(k, v, v^\star)`. The claim
    ``theorem-1-projections`` derives both from the law of the token.
    """
    mean = {U1: sqrt(d / 2) * kappa, V1: sqrt(d / 2) * theta, Y1: 0}
    return GaussianLaw(mean, gamma**2 * Matrix([[1, rho, eta], [rho, 1, nu], [eta, nu, 1]]))


def other_token_law() -> GaussianLaw:
    r"""Return the law of :math:`(X_l\cdot k,\; X_l\cdot v)`, named U and V, for other tokens."""
    return GaussianLaw({U: 0, V: 0}, [[1, rho], [rho, 1]])


def noise() -> NoiseLaw:
    r"""Return the law of the output's noise: mean 0, variance :math:`\varepsilon^2`."""
    return NoiseLaw(xi, epsilon**2)


def informative_token_coordinates_law(names: tuple[Symbol, ...]) -> ProductLaw:
    """Return the law of an informative token's coordinates in a basis that begins with k*."""
    means = [sqrt(d / 2), *[0] * (len(names) - 1)]
    return ProductLaw(
        *(GaussianLaw({x: m}, [[gamma**2]]) for x, m in zip(names, means, strict=True))
    )
