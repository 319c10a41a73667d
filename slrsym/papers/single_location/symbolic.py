r"""The risk of the erf attention predictor: definition, closed form and derivatives.

The definition stands in `risk_definition`, once. Closed form, gradient and Hessian in the order
parameters are derived from it by `slrsym.gaussian`.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, ImmutableMatrix, Matrix, S, erf, pi, sqrt

from slrsym.gaussian import Expectation, IIDSum, ProductLaw, Trace, erf_prime, expectation, zeta
from slrsym.gaussian.closed_form import closed_form_for_proofs
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    A,
    B,
    L,
    a,
    d,
    eta,
    gamma,
    lam,
    nu,
    rho,
    s,
    t,
    theta,
)
from slrsym.papers.single_location.token_laws import (
    U1,
    V1,
    Y1,
    U,
    V,
    informative_token_law,
    noise,
    other_token_law,
    xi,
)

__all__ = [
    "excess_risk_stable",
    "gradient",
    "hessian",
    "risk_closed_form",
    "risk_definition",
    "risk_derivation",
    "risk_on_manifold",
]


def risk_definition() -> Expectation:
    r"""Return the risk, equation (6), given the location: :math:`\mathbb{E}\,(Y - T_\lambda(X))^2`.

    Returns
    -------
    Expectation
        Of the squared error, over the informative token, the noise, and a sum of L - 1 independent
        copies of the contribution of the other tokens. The tokens are exchangeable, so every
        location gives the same expression; claim ``theorem-1-location`` averages over it.
    """
    others = IIDSum(erf(lam * U) * V, other_token_law(), L - 1)
    error = Y1 + xi - erf(lam * U1) * V1 - others
    return Expectation(error**2, ProductLaw(informative_token_law(), noise()))


@cache
def risk_closed_form() -> Expr:
    """Return the risk in closed form (Proposition 15), derived from the definition."""
    definition = risk_definition()
    return closed_form_for_proofs(definition.integrand, definition.law)


def risk_derivation() -> Trace:
    """Return the steps from the definition of the risk to its closed form (Proposition 15)."""
    definition = risk_definition()
    return expectation(definition.integrand, definition.law, trace=True)[1]


@cache
def gradient() -> ImmutableMatrix:
    """Return the gradient of the risk in the order parameters, shape (5, 1) (Proposition 15)."""
    return ImmutableMatrix([risk_closed_form().diff(p) for p in ORDER_PARAMETERS])


@cache
def hessian() -> ImmutableMatrix:
    """Return the Hessian of the risk in the order parameters, shape (5, 5) (Proposition 15)."""
    slope = gradient()
    return ImmutableMatrix(
        Matrix(5, 5, lambda i, j: slope[min(i, j)].diff(ORDER_PARAMETERS[max(i, j)]))
    )


@cache
def risk_on_manifold() -> Expr:
    r"""Return the risk :math:`R^<(\kappa, \nu)` on the manifold (Lemma 6), equation (11)."""
    return risk_closed_form().subs({theta: S.Zero, eta: S.Zero, rho: S.Zero})


@cache
def excess_risk_stable() -> Expr:
    """Return the excess risk as a sum in which no terms cancel; claim ``excess-risk-stable``."""
    # Given the score u of the informative token, its attention erf(u) has this mean and variance,
    # and its two derivatives in the mean of u these means.
    mean = erf(a)
    variance = zeta(t, s) - erf(a) ** 2
    slope = erf_prime(a) / A
    bend = -2 * a * slope / A
    # What erf(u) erf'(u) falls short of the product of the means.
    gap = erf(a) - erf(a / B)

    drift = sqrt(d / 2) * theta
    # E erf(lam U) V, of one of the other tokens.
    pull = 2 * lam * rho / sqrt(pi * (1 + 2 * lam**2))

    others = (L - 1) * (
        zeta(0, lam)
        + 4 * lam**2 * rho**2 / (pi * (1 + 2 * lam**2)) * (2 / sqrt(1 + 4 * lam**2) - 1)
    )
    direction = (1 - nu) * (1 + nu) + (nu - mean) ** 2 + variance
    offset = (L - 1) * pull + mean * drift
    mixing = eta - mean * rho

    return (
        others
        + gamma**2 * direction
        + offset**2
        + drift**2 * variance
        + 2 * offset * gamma * rho * s * slope
        - 2 * gamma * mixing * s * (drift * slope + gamma * rho * s * bend)
        - 4 * drift * gamma * rho * s * slope * gap
        + 2 * (gamma * rho * s) ** 2 * (erf_prime(a / B) * slope / (A * B) - bend * gap)
    )
