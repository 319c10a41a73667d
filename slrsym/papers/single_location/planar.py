"""The planar dynamics (12)-(13) in symbols, with its constants, for Propositions 8 to 13.

The formulas are typed in as the paper has them, to be spoken of in statements; that they are what
follows from the definition of the risk are claims: ``lemma-6`` for the risk on the manifold,
``proposition-9-gradient-kappa`` and ``-nu`` for its slopes, ``lemma-7`` for the map. What is
computed with comes from `slrsym.papers.single_location.symbolic`.
"""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, FiniteSet, Lambda, Symbol, erf, exp, pi, sqrt
from sympy.logic.boolalg import Boolean

from slrsym.gaussian import erf_prime, zeta
from slrsym.papers.single_location.notation import (
    A,
    B,
    L,
    alpha,
    d,
    epsilon,
    gamma,
    kappa,
    lam,
    nu,
    s,
    t,
)
from slrsym.prover.statements.maps import BoxMap, box_map, lambda_of_coordinates, point_set

b = lam * sqrt(d / 2) / A

# A second point of the square.
kappa2, nu2 = Symbol("kappa_2", real=True), Symbol("nu_2", real=True)


def risk(x: Any, y: Any) -> Expr:
    """Return the risk on the manifold at (x, y), as the claim ``lemma-6`` states it."""
    score = t.subs(kappa, x)
    return Add(
        epsilon**2,
        gamma**2 * (1 - 2 * y * erf(score / A) + zeta(score, s)),
        (L - 1) * zeta(0, lam),
    )


def R_kappa(x: Any, y: Any) -> Expr:
    """Return the derivative of the risk on the manifold in kappa, at (x, y)."""
    return 2 * gamma**2 * b * erf_prime(b * x) * (erf(b * x / B) - y)


def R_nu(x: Any) -> Expr:
    """Return the derivative of the risk on the manifold in nu, which depends on kappa = x only."""
    return -2 * gamma**2 * erf(b * x)


def R_kappa_kappa(x: Any, y: Any) -> Expr:
    """Return the second derivative of the risk on the manifold in kappa, at (x, y)."""
    bell = exp(-((b * x) ** 2))
    return -8 * gamma**2 * b**2 / sqrt(pi) * (b * x) * bell * (
        erf(b * x / B) - y
    ) + 8 * gamma**2 * b**2 / pi / B * bell * exp(-((b * x / B) ** 2))


# Bounds of R_kappa, of R_nu, of the second derivative in kappa, and of the mixed one.
P = 8 * gamma**2 * b / sqrt(pi)
Q = 2 * gamma**2
M = 8 * gamma**2 * b**2 * (1 / sqrt(pi) + 1 / pi)
N = 4 * gamma**2 * b / sqrt(pi)


def descent_constant_from_bounds(P: Any, Q: Any, M: Any, N: Any) -> Expr:
    """Return the constant C of the descent inequality: steps below 1/C do not raise the risk."""
    return P + Q + (M + N) / 2 + N / 2


def injectivity_constant(P: Any, Q: Any, M: Any, N: Any) -> Expr:
    """Return the constant K for which step sizes below 1/K make the map injective."""
    return 3 * P + 3 * Q + 2 * M + 2 * N


C, K = descent_constant_from_bounds(P, Q, M, N), injectivity_constant(P, Q, M, N)


def distance_after_step_lower_bound(
    P: Any, Q: Any, M: Any, N: Any, kappa_distance: Any, nu_distance: Any
) -> Expr:
    """Bound the distance of two points' images from below, by the distances in kappa and nu."""
    in_kappa, in_nu = 3 * alpha * P + 2 * alpha * M, 3 * alpha * Q
    return (1 - in_kappa - 2 * alpha * N) * kappa_distance + (
        1 - 2 * alpha * N - in_nu
    ) * nu_distance


def coordinate_after_step(x: Any, slope: Any) -> Expr:
    """Return kappa or nu after a descent step from x, given the risk's slope in it (Lemma 7)."""
    stretch = 1 - x**2
    return (x - alpha * slope * stretch) / sqrt(1 + alpha**2 * slope**2 * stretch)


kappa_next, nu_next = (
    coordinate_after_step(kappa, R_kappa(kappa, nu)),
    coordinate_after_step(nu, R_nu(kappa)),
)

# By how much a step lowers the risk, up to a factor.
slack = R_kappa(kappa, nu) ** 2 * (1 - kappa**2) + R_nu(kappa) ** 2 * (1 - nu**2)


def as_planar_function(value: Any) -> Lambda:
    """Return the SymPy Lambda of kappa and nu that one or several expressions define."""
    return lambda_of_coordinates((kappa, nu), value)


def planar_map() -> BoxMap:
    """Return the planar map (13), one descent step in (kappa, nu), as a map of the square."""
    return box_map({kappa: kappa_next, nu: nu_next})


def square_conditions() -> tuple[Boolean, ...]:
    """Return the conditions that kappa and nu lie in [-1, 1]."""
    return planar_map().inside_conditions()


def second_point_conditions() -> tuple[Boolean, ...]:
    """Return the conditions that a second point (kappa', nu') lies in the square."""
    return planar_map().inside_conditions((kappa2, nu2))


def stationarity_equations() -> Lambda:
    """Return the left-hand sides of the equations (14) as a function of kappa and nu."""
    return as_planar_function((R_kappa(kappa, nu) * (1 - kappa**2), R_nu(kappa) * (1 - nu**2)))


MINIMA: FiniteSet = point_set([(1, 1), (-1, -1)])
MAXIMA: FiniteSet = point_set([(1, -1), (-1, 1)])
ORIGIN: FiniteSet = point_set([(0, 0)])
FIXED_POINTS: FiniteSet = point_set([*MINIMA, *MAXIMA, *ORIGIN])
