r"""One step of projected gradient descent, as a map of the order parameters.

Definition 1 moves k and v on their spheres, each by the gradient at the old point:
:math:`k' \propto k - \alpha (I - k k^\top) \nabla_k R`. The risk depends on the vectors through
their inner products, so its gradients lie in the span of :math:`k, v, k^\star, v^\star`, and the
new inner products are polynomials in the old ones, divided by the new norms. That is exact in any
dimension.
"""

from __future__ import annotations

from functools import cache

from sympy import (
    Add,
    Expr,
    Float,
    ImmutableMatrix,
    Matrix,
    Max,
    Min,
    Mul,
    Poly,
    S,
    Symbol,
    erf,
    expand,
    sqrt,
)

from slrsym.kernels.program import Program
from slrsym.laws import U, V
from slrsym.models import expressions
from slrsym.notation import ORDER_PARAMETERS, alpha, eta, gram_matrix, kappa, lam, nu, rho, theta

PARAMETERS = (*expressions.PARAMETERS, alpha)

# The partial derivatives of the risk at the old point.
SLOPES = tuple(Symbol(f"R_{p.name}", real=True) for p in ORDER_PARAMETERS)

# What vanishes there, by Lemma 14 the slopes in theta, eta and rho as well.
ON_MANIFOLD = dict.fromkeys((theta, eta, rho, *SLOPES[2:]), S.Zero)

# The overlaps at the new point.
_NEW = tuple(Symbol(f"new_{p.name}", real=True) for p in ORDER_PARAMETERS)

# The square of a norm, and some rounding.
_ONE = Float(1 + 4e-15)

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
    return expand((x.T * gram_matrix() * y)[0, 0])


def _gradient(x: Matrix) -> Matrix:
    """The gradient of the risk in one of the vectors."""
    total = Matrix([0, 0, 0, 0])
    for p, slope in zip(ORDER_PARAMETERS, SLOPES, strict=True):
        # The gradient of an inner product in one of its factors is the other factor.
        if x in _FACTORS[p]:
            (other,) = (y for y in _FACTORS[p] if y != x)
            total += slope * other
    return total


class _Step:
    r"""The step of one vector x, to :math:`(x - \alpha \tau) / |x - \alpha \tau|`.

    Here :math:`\tau = g - (x \cdot g) x` is the part of the gradient g that is tangent to the
    sphere, so that the square of the norm is :math:`1 + \alpha^2 \tau \cdot g`. Inner products with
    the tangent are gathered by slopes: the coefficient :math:`1 - \kappa^2`, say, is small near the
    oracle, and as a difference of large terms it would be lost in rounding.
    """

    def __init__(self, name: str, x: Matrix) -> None:
        self.meanings: dict[Symbol, Expr] = {}
        self._name = name
        gradient = _gradient(x)
        self._tangent = gradient - _inner(x, gradient) * x
        self.along = self._named("along", _inner(x, gradient))
        # No product with x itself, to which the tangent is orthogonal.
        self._with = {y: self._product(y) for y in (_K, _V, _K_STAR, _V_STAR) if y != x}
        square = alpha**2 * self.dot(gradient)
        # Never negative; but rounding does not know, where the gradient is large and not tangent.
        self.shrink = self._named("shrink", 1 / sqrt(1 + Max(0, square)))

    def _named(self, what: str, meaning: Expr) -> Symbol:
        symbol = Symbol(f"{what}_{self._name}", real=True)
        self.meanings[symbol] = meaning
        return symbol

    def _product(self, y: Matrix) -> Symbol:
        name = {_K: "k", _V: "v", _K_STAR: "k_star", _V_STAR: "v_star"}[y]
        terms = Poly(_inner(self._tangent, y), *SLOPES).terms()
        gathered = Add(
            *(c * Mul(*(r**n for r, n in zip(SLOPES, powers, strict=True))) for powers, c in terms)
        )
        return self._named(f"tangent_{name}", gathered)

    def dot(self, y: Matrix) -> Expr:
        """The inner product of the tangent and a vector of the span."""
        parts = zip((_K, _V, _K_STAR, _V_STAR), y, strict=True)
        return Add(*(self._with.get(x, S.Zero) * c for x, c in parts))


@cache
def overlap_map() -> tuple[tuple[Expr, ...], dict[Symbol, Expr]]:
    r"""The order parameters after a step."""
    k, v = _Step("k", _K), _Step("v", _V)
    # Of the two tangents; that of v is its gradient less a multiple of v.
    both = k.dot(_gradient(_V)) - v.along * k.dot(_V)
    outputs = (
        k.shrink * (kappa - alpha * k.dot(_K_STAR)),
        v.shrink * (nu - alpha * v.dot(_V_STAR)),
        v.shrink * (theta - alpha * v.dot(_K_STAR)),
        k.shrink * (eta - alpha * k.dot(_V_STAR)),
        k.shrink * v.shrink * (rho - alpha * (k.dot(_V) + v.dot(_K)) + alpha**2 * both),
    )
    return outputs, k.meanings | v.meanings


@cache
def overlap_program() -> Program:
    """The map of the five overlaps, with the gradient computed inside."""
    outputs, meanings = overlap_map()
    slopes = dict(zip(SLOPES, expressions.gradient(), strict=True))
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
    return Program.of((*_NEW, room), ORDER_PARAMETERS, PARAMETERS, given=given)


@cache
def planar_program() -> Program:
    """The map on the invariant manifold, where theta, eta and rho stay zero (Lemmas 4 and 7)."""
    outputs, meanings = overlap_map()
    slopes = dict(zip(SLOPES[:2], expressions.gradient()[:2], strict=True))
    given = {x: value.subs(ON_MANIFOLD) for x, value in (slopes | meanings).items()}
    given |= {x: value.subs(ON_MANIFOLD) for x, value in zip(_NEW[:2], outputs, strict=False)}
    room = Min(*(_ONE - x**2 for x in _NEW[:2]))
    return Program.of((*_NEW[:2], room), (kappa, nu), PARAMETERS, given=given)


def token_program() -> Program:
    """A token's part of the prediction, equation (3), and its derivatives in X.k and X.v."""
    part = erf(lam * U) * V
    return Program.of((part, part.diff(U), part.diff(V)), (U, V), (lam,))


@cache
def restoring_program(count: int, d: int = 4) -> Program:
    r"""Overlaps moved into the feasible set, from which rounding has taken them.

    Notes
    -----
    What k and v have orthogonal to k* and v* has the Gram matrix

    .. math:: \begin{pmatrix} 1 - \kappa^2 - \eta^2 & \rho - \kappa\theta - \eta\nu \\
              \cdot & 1 - \theta^2 - \nu^2 \end{pmatrix}.

    Its negative eigenvalues are made 0, in three dimensions also the smaller one, in two both; and
    then the norms of k and v are made 1.
    """
    if count == 2:
        return Program.of([Min(1, Max(-1, x)) for x in (kappa, nu)], (kappa, nu), ())
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
    return Program.of(outputs, ORDER_PARAMETERS, (), given=given)
