r"""The risk of the erf attention predictor: its definition, and what is derived from it.

The definition stands in `risk_definition`, once. Closed form, gradient and Hessian in the order
parameters are derived from it by `slrsym.gaussian`.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, ImmutableMatrix, Matrix, S, erf

from slrsym.gaussian import Expectation, IIDSum, ProductLaw, Trace, expectation
from slrsym.notation import ORDER_PARAMETERS, L, eta, lam, rho, theta
from slrsym.task import U1, V1, Y1, U, V, informative_token, noise, other_token, xi

__all__ = [
    "closed_form",
    "derivation",
    "gradient",
    "hessian",
    "on_manifold",
    "risk_definition",
]


def risk_definition() -> Expectation:
    r"""The risk (6), given the location: :math:`\mathbb{E}\,(Y - T_\lambda(X))^2`.

    Returns
    -------
    Expectation
        Of the squared error, over the informative token, the noise, and a sum of L - 1 independent
        copies of the contribution of the other tokens. The tokens are exchangeable, so every
        location gives the same expression; claim ``theorem-1-location`` averages over it.
    """
    others = IIDSum(erf(lam * U) * V, other_token(), L - 1)
    error = Y1 + xi - erf(lam * U1) * V1 - others
    return Expectation(error**2, ProductLaw(informative_token(), noise()))


@cache
def closed_form() -> Expr:
    """R(kappa, nu, theta, eta, rho), derived from the definition."""
    definition = risk_definition()
    return expectation(definition.integrand, definition.law)


def derivation() -> Trace:
    """The steps from the definition to the closed form."""
    definition = risk_definition()
    return expectation(definition.integrand, definition.law, trace=True)[1]


@cache
def gradient() -> ImmutableMatrix:
    """Partial derivatives of the risk in the order parameters, shape (5, 1)."""
    return ImmutableMatrix([closed_form().diff(p) for p in ORDER_PARAMETERS])


@cache
def hessian() -> ImmutableMatrix:
    """Second partial derivatives of the risk in the order parameters, shape (5, 5)."""
    slope = gradient()
    return ImmutableMatrix(
        Matrix(5, 5, lambda i, j: slope[min(i, j)].diff(ORDER_PARAMETERS[max(i, j)]))
    )


@cache
def on_manifold() -> Expr:
    r"""The risk :math:`R^<(\kappa, \nu)` on the invariant manifold (11)."""
    return closed_form().subs({theta: S.Zero, eta: S.Zero, rho: S.Zero})
