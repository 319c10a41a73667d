"""Expressions of the paper's risk, its derivatives, and a descent step; programs of the risk.

The excess risk is taken in the form of claim ``excess-risk-stable``. Gradient and Hessian come from
the closed form by differentiation, with zeta split into the variance of erf and the square of its
mean, and are nested polynomials, as every model's are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import (
    Expr,
    ImmutableMatrix,
    S,
    Symbol,
    asin,
    atan,
    erf,
    exp,
    factor,
    sqrt,
)

from slrsym.gaussian import OwensT, erf_prime
from slrsym.gaussian import zeta as symbolic_zeta
from slrsym.kernels.nested_polynomials import nest_in_functions
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.program import Program
from slrsym.kernels.symbolic_functions import DifferenceFromErf, ErfVariance
from slrsym.models.training.descent import risk_slope_symbol
from slrsym.papers.single_location.models import task_model
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    L,
    a,
    alpha,
    d,
    epsilon,
    gamma,
    lam,
    nu,
    s,
    t,
)
from slrsym.papers.single_location.symbolic import excess_risk_stable, risk_closed_form
from slrsym.papers.single_location.symbolic import risk_on_manifold as symbolic_on_manifold

KERNELS = ("excess_risk", "gradient", "hessian")

PARAMETERS = (lam, gamma, d, L, epsilon)


def _split(expr: Expr) -> Expr:
    """Express zeta(t, s), or Owen's T, by the variance of erf(t + s G) and its squared mean."""
    moment = ErfVariance(t, s) + erf(a) ** 2
    for node in expr.atoms(OwensT):
        expr = expr.xreplace({node: (1 - moment) / 8})
    return expr.subs(symbolic_zeta(t, s), moment)


@cache
def excess_risk() -> Expr:
    """Return the paper's excess risk as an expression in which little cancels in rounding."""
    stable = _split(excess_risk_stable())
    stable = stable.subs((nu - erf(a)) ** 2, DifferenceFromErf(nu, a) ** 2)
    stable = stable.replace(erf_prime, lambda x: erf_prime(x).rewrite(exp))
    # Near 1 an arc sine has half the digits of its argument; the claim zeta-at-zero-accurate says
    # that this is the same angle.
    return stable.replace(asin, lambda r: atan(r / sqrt(factor(1 - r**2))))


@cache
def risk() -> Expr:
    """Return the paper's risk as an expression: the excess risk plus the noise variance."""
    return excess_risk() + epsilon**2


@cache
def _split_risk() -> Expr:
    return _split(risk_closed_form())


@cache
def risk_on_manifold() -> Expr:
    """Return the paper's risk on the invariant manifold, as an expression in kappa and nu."""
    return _split(symbolic_on_manifold())


@dataclass(frozen=True)
class QuadraticRiskOffManifold:
    """The risk as a quadratic polynomial in theta, eta and rho."""

    # Its value where these vanish, in kappa and nu.
    on_manifold: Expr
    # Its second derivatives in them, 3 x 3, which depend on kappa alone.
    form: Any


@cache
def risk_as_quadratic_off_manifold() -> QuadraticRiskOffManifold:
    """Return the paper's risk as a quadratic polynomial in theta, eta and rho."""
    across = ORDER_PARAMETERS[2:]
    zero = dict.fromkeys(across, 0)
    form = ImmutableMatrix(3, 3, lambda i, j: _split_risk().diff(across[i], across[j]).subs(zero))
    return QuadraticRiskOffManifold(_split_risk().subs(zero), form)


@cache
def gradient() -> tuple[Expr, ...]:
    """Return expressions for the partial derivatives of the paper's risk in the five overlaps."""
    return tuple(_arranged(_split_risk().diff(p)) for p in ORDER_PARAMETERS)


@cache
def hessian() -> tuple[Expr, ...]:
    """Return expressions for the upper triangle of the Hessian of the paper's risk, by rows."""
    slopes = [_split_risk().diff(p) for p in ORDER_PARAMETERS]
    return tuple(
        _arranged(slopes[i].diff(ORDER_PARAMETERS[j])) for i in range(5) for j in range(i, 5)
    )


def _arranged(expr: Expr) -> Expr:
    """Write a polynomial in the order parameters and functions of them in nested (Horner) form."""
    found = nest_in_functions([expr], ORDER_PARAMETERS)
    assert found is not None, "the risk is a polynomial in functions of the order parameters"
    ((nested,), functions) = found
    return nested.xreplace(functions)


@cache
def risk_program(name: str) -> Program:
    """Return the program that computes one function of the risk, chosen by name."""
    if name not in KERNELS:
        raise ValueError(f"name must be one of {', '.join(KERNELS)}; got {name!r}")
    found = globals()[name]()
    outputs = found if isinstance(found, tuple) else (found,)
    return program_from_expressions(outputs, ORDER_PARAMETERS, PARAMETERS)


# -- a step of descent ----------------------------------------------------------------------------

# What stays on the invariant manifold, and what is 0 there.
ON_M, OFF_M = ORDER_PARAMETERS[:2], ORDER_PARAMETERS[2:]

# The partial derivatives of the risk at the old point.
SLOPES = tuple(map(risk_slope_symbol, ORDER_PARAMETERS))

# What vanishes on M, by Lemma 14 the slopes in theta, eta and rho as well.
ON_MANIFOLD = dict.fromkeys((*OFF_M, *SLOPES[2:]), S.Zero)


@cache
def overlaps_after_step() -> tuple[tuple[Expr, ...], dict[Symbol, Expr]]:
    """Return the overlaps after one step (Definition 1), with definitions of auxiliary symbols."""
    new, meanings = task_model().flow.step_map(alpha)
    return tuple(new[p] for p in ORDER_PARAMETERS), meanings
