r"""One step of projected gradient descent, as a map of the order parameters.

Definition 1 moves k and v on their spheres, each by the gradient at the old point:
:math:`k' \propto k - \alpha (I - k k^\top) \nabla_k R`. The risk depends on the vectors through
their inner products, so its gradients lie in the span of :math:`k, v, k^\star, v^\star`, and the
new inner products are polynomials in the old ones, divided by the new norms. That is exact in any
dimension.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, ImmutableMatrix, Matrix, S, Symbol, expand, sqrt

from slrsym.kernels import expressions
from slrsym.kernels.program import Program
from slrsym.notation import ORDER_PARAMETERS, alpha, eta, gram_matrix, kappa, nu, rho, theta

__all__ = ["PARAMETERS", "SLOPES", "overlap_map", "overlap_program", "planar_program"]

PARAMETERS = (*expressions.PARAMETERS, alpha)

# The partial derivatives of the risk at the old point.
SLOPES = tuple(Symbol(f"R_{p.name}", real=True) for p in ORDER_PARAMETERS)

# Vectors of the span, by their coefficients.
_K, _V, _K_STAR, _V_STAR = (ImmutableMatrix(4, 1, lambda i, _, j=j: int(i == j)) for j in range(4))
_FACTORS = {
    kappa: (_K, _K_STAR),
    nu: (_V, _V_STAR),
    theta: (_V, _K_STAR),
    eta: (_K, _V_STAR),
    rho: (_K, _V),
}


def _inner(x: Matrix, y: Matrix) -> Expr:
    return (x.T * gram_matrix() * y)[0, 0]


def _gradient(x: Matrix) -> Matrix:
    """The gradient of the risk in one of the vectors."""
    total = Matrix([0, 0, 0, 0])
    for p, slope in zip(ORDER_PARAMETERS, SLOPES, strict=True):
        # The gradient of an inner product in one of its factors is the other factor.
        if x in _FACTORS[p]:
            (other,) = (y for y in _FACTORS[p] if y != x)
            total += slope * other
    return total


def _step(name: str, x: Matrix) -> tuple[Matrix, Symbol, dict[Symbol, Expr]]:
    r"""Where a step takes a unit vector, but for its norm; the inverse of that; what symbols mean.

    With m the inner product of x and its gradient g, that is :math:`(1 + \alpha m) x - \alpha g`,
    and the square of the norm is
    :math:`(1 + \alpha m)^2 - 2\alpha(1 + \alpha m) m + \alpha^2 |g|^2`.
    """
    along, stretch, shrink = (
        Symbol(f"{what}_{name}", real=True) for what in ("along", "stretch", "shrink")
    )
    gradient = _gradient(x)
    square = expand((1 + alpha * along) ** 2 - 2 * alpha * (1 + alpha * along) * along)
    meanings = {
        along: _inner(x, gradient),
        stretch: 1 + alpha * along,
        shrink: 1 / sqrt(square + alpha**2 * _inner(gradient, gradient)),
    }
    return stretch * x - alpha * gradient, shrink, meanings


@cache
def overlap_map() -> tuple[tuple[Expr, ...], dict[Symbol, Expr]]:
    r"""The order parameters after a step.

    Returns
    -------
    outputs : tuple of Expr
        New kappa, nu, theta, eta, rho, in the old ones, the partial derivatives `SLOPES` of the
        risk at the old point, the step size alpha, and the symbols of `meanings`.
    meanings : dict of Symbol to Expr
        What the other symbols stand for: parts that occur more than once.
    """
    k, k_shrink, meanings = _step("k", _K)
    v, v_shrink, more = _step("v", _V)
    outputs = (
        k_shrink * _inner(k, _K_STAR),
        v_shrink * _inner(v, _V_STAR),
        v_shrink * _inner(v, _K_STAR),
        k_shrink * _inner(k, _V_STAR),
        k_shrink * v_shrink * _inner(k, v),
    )
    return outputs, meanings | more


@cache
def overlap_program() -> Program:
    """The map of the five overlaps, with the gradient computed inside.

    Returns
    -------
    Program
        Of a state of five overlaps and the parameters lambda, gamma, d, L, epsilon, alpha.
    """
    outputs, meanings = overlap_map()
    slopes = dict(zip(SLOPES, expressions.gradient(), strict=True))
    return Program.of(outputs, ORDER_PARAMETERS, PARAMETERS, given=slopes | meanings)


@cache
def planar_program() -> Program:
    """The map on the invariant manifold, where theta, eta and rho stay zero (Lemmas 4 and 7).

    Returns
    -------
    Program
        Of a state kappa, nu and the parameters lambda, gamma, d, L, epsilon, alpha.
    """
    outputs, meanings = overlap_map()
    # By Lemma 14 the slopes in theta, eta and rho vanish as well.
    on_manifold = dict.fromkeys((theta, eta, rho, *SLOPES[2:]), S.Zero)
    slopes = dict(zip(SLOPES[:2], expressions.gradient()[:2], strict=True))
    given = {x: value.subs(on_manifold) for x, value in (slopes | meanings).items()}
    planar = [new.subs(on_manifold) for new in outputs[:2]]
    return Program.of(planar, (kappa, nu), PARAMETERS, given=given)
