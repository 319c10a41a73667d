"""Expressions and programs of the paper's risk, its derivatives, and a descent step.

The excess risk is taken in the form of claim ``excess-risk-stable``. Gradient and Hessian come from
the closed form by differentiation, with zeta split into the variance of erf and the square of its
mean, and are nested polynomials, as every model's are.

A step is a map of five overlaps, or of two on M: that of the model's flow, exact in any dimension.
A state is the overlaps and no more, so that runs go on from what is logged to the last bit; unlike
coordinates of vectors they may leave the feasible set by rounding, and are put back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import (
    Dummy,
    Expr,
    Float,
    ImmutableMatrix,
    Max,
    Min,
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
from slrsym.kernels.printing import nest_polynomial, program_from_expressions
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
    eta,
    gamma,
    kappa,
    lam,
    nu,
    rho,
    s,
    t,
    theta,
)
from slrsym.papers.single_location.symbolic import excess_risk_stable, risk_closed_form
from slrsym.papers.single_location.symbolic import risk_on_manifold as symbolic_on_manifold
from slrsym.papers.single_location.token_laws import U, V

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
    state = set(ORDER_PARAMETERS)
    functions = [f for f in expr.atoms(erf, exp, ErfVariance) if f.free_symbols & state]
    names = {f: Dummy(type(f).__name__) for f in sorted(functions, key=str)}
    generators = (*names.values(), *ORDER_PARAMETERS)
    return nest_polynomial(expr.xreplace(names), generators).xreplace(
        {n: f for f, n in names.items()}
    )


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

# The overlaps at the new point.
_NEW = tuple(Symbol(f"new_{p.name}", real=True) for p in ORDER_PARAMETERS)

# The square of a norm, and some rounding.
_ONE = Float(1 + 4e-15)


@cache
def overlaps_after_step() -> tuple[tuple[Expr, ...], dict[Symbol, Expr]]:
    """Return the overlaps after one step (Definition 1), with definitions of auxiliary symbols."""
    new, meanings = task_model().flow.step_map(alpha)
    return tuple(new[p] for p in ORDER_PARAMETERS), meanings


@cache
def overlap_step_program() -> Program:
    """Return the program of one descent step of the five overlaps, gradient included."""
    outputs, meanings = overlaps_after_step()
    slopes = dict(zip(SLOPES, gradient(), strict=True))
    new = dict(zip(_NEW, outputs, strict=True))
    kappa, nu, theta, eta, rho = _NEW
    k_square, v_square, inner = (Symbol(x, real=True) for x in ("k_square", "v_square", "inner"))
    inside = {
        k_square: kappa**2 + eta**2,
        v_square: theta**2 + nu**2,
        inner: kappa * theta + eta * nu,
    }
    # The Gram matrix of what k and v have orthogonal to k* and v*, its diagonal raised a little.
    k_left, v_left = _ONE - k_square, _ONE - v_square
    room = Min(k_left, k_left * v_left - (rho - inner) ** 2)
    given = slopes | meanings | new | inside
    return program_from_expressions(
        (*_NEW, room), ORDER_PARAMETERS, (*PARAMETERS, alpha), given=given
    )


@cache
def planar_step_program() -> Program:
    """Return the program of one step on the invariant manifold, where theta = eta = rho = 0."""
    outputs, meanings = overlaps_after_step()
    slopes = dict(zip(SLOPES[:2], gradient()[:2], strict=True))
    given = {x: value.subs(ON_MANIFOLD) for x, value in (slopes | meanings).items()}
    given |= {x: value.subs(ON_MANIFOLD) for x, value in zip(_NEW[:2], outputs, strict=False)}
    room = Min(*(_ONE - x**2 for x in _NEW[:2]))
    return program_from_expressions((*_NEW[:2], room), ON_M, (*PARAMETERS, alpha), given=given)


def erf_token_share_and_derivatives_program() -> Program:
    """Return the program of a token's term of equation (3) and its derivatives in X.k and X.v."""
    part = erf(lam * U) * V
    return program_from_expressions((part, part.diff(U), part.diff(V)), (U, V), (lam,))


@cache
def feasibility_correction_program(count: int, d: int = 4) -> Program:
    r"""Return the program that corrects overlaps that rounding made infeasible.

    Notes
    -----
    What k and v have orthogonal to k* and v* has the Gram matrix

    .. math:: \begin{pmatrix} 1 - \kappa^2 - \eta^2 & \rho - \kappa\theta - \eta\nu \\
              \cdot & 1 - \theta^2 - \nu^2 \end{pmatrix}.

    Its negative eigenvalues are made 0, in three dimensions also the smaller one, in two both; and
    then the norms of k and v are made 1.
    """
    if count == 2:
        return program_from_expressions([Min(1, Max(-1, x)) for x in (kappa, nu)], (kappa, nu), ())
    names = ("k_square", "v_square", "inner", "half", "beyond", "radius", "least", "most")
    k_square, v_square, inner, half, beyond, radius, least, most = (
        Symbol(name, real=True) for name in names
    )
    k_scale, v_scale = Symbol("k_scale", real=True), Symbol("v_scale", real=True)
    # Its square is not 0.
    tiny = Float(1e-140)
    mean = 1 - (k_square + v_square) / 2
    trace, spread = (most + least) / 2, (most - least) / (2 * radius)
    given = {
        k_square: kappa**2 + eta**2,
        v_square: theta**2 + nu**2,
        inner: kappa * theta + eta * nu,
        half: (v_square - k_square) / 2,
        beyond: rho - inner,
        radius: Max(tiny, sqrt(half**2 + beyond**2)),
        most: Max(0, mean + radius) if d > 2 else S.Zero,
        least: Max(0, mean - radius) if d > 3 else S.Zero,
        k_scale: 1 / sqrt(Max(tiny**2, k_square + trace + spread * half)),
        v_scale: 1 / sqrt(Max(tiny**2, v_square + trace - spread * half)),
    }
    outputs = (
        k_scale * kappa,
        v_scale * nu,
        v_scale * theta,
        k_scale * eta,
        Max(-1, Min(1, k_scale * v_scale * (inner + spread * beyond))),
    )
    return program_from_expressions(outputs, ORDER_PARAMETERS, (), given=given)
