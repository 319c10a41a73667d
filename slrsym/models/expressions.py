"""What the kernels compute: the derived expressions, arranged so that no digits are lost.

The excess risk is taken in the form of claim ``excess-risk-stable``. Gradient and Hessian come from
the closed form by differentiation, with zeta split into the variance of erf and the square of its
mean, and are nested polynomials, as every model's are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Add, Dummy, Expr, ImmutableMatrix, Mul, Poly, erf, exp, expand, factor

from slrsym.gaussian import OwensT, erf_prime
from slrsym.gaussian import zeta as symbolic_zeta
from slrsym.kernels.functions import ErfDefect, ErfVariance
from slrsym.kernels.printing import printed
from slrsym.kernels.program import Program
from slrsym.notation import ORDER_PARAMETERS, L, a, d, epsilon, gamma, lam, nu, s, t
from slrsym.symbolic import closed_form, excess_risk_stable
from slrsym.symbolic import on_manifold as symbolic_on_manifold


def nested(expr: Expr, generators: Sequence[Expr]) -> Expr:
    """A polynomial in the generators, nested, its coefficients factored.

    Factoring keeps the relative accuracy of coefficients such as (L - 1)(L - 2).
    """
    polynomial = Poly(expand(expr), *generators)
    terms = {powers: factor(coefficient) for powers, coefficient in polynomial.terms()}
    return _nested(terms, tuple(generators))


def _nested(terms: dict[tuple[int, ...], Expr], generators: tuple[Expr, ...]) -> Expr:
    """The polynomial, with the generator taken out that most of its terms have."""
    uses = [sum(powers[i] > 0 for powers in terms) for i in range(len(generators))]
    i = uses.index(max(uses))
    if uses[i] < 2:
        return Add(
            *(
                coefficient * Mul(*(g**n for g, n in zip(generators, powers, strict=True)))
                for powers, coefficient in terms.items()
            )
        )
    least = min(powers[i] for powers in terms if powers[i])
    inside = {
        (*powers[:i], powers[i] - least, *powers[i + 1 :]): coefficient
        for powers, coefficient in terms.items()
        if powers[i]
    }
    outside = {powers: coefficient for powers, coefficient in terms.items() if not powers[i]}
    product = generators[i] ** least * _nested(inside, generators)
    return product + _nested(outside, generators) if outside else product


KERNELS = ("excess_risk", "gradient", "hessian")

PARAMETERS = (lam, gamma, d, L, epsilon)


def _split(expr: Expr) -> Expr:
    """The expression with zeta(t, s), or Owen's T in its stead, as a variance and a mean."""
    moment = ErfVariance(t, s) + erf(a) ** 2
    for node in expr.atoms(OwensT):
        expr = expr.xreplace({node: (1 - moment) / 8})
    return expr.subs(symbolic_zeta(t, s), moment)


@cache
def excess_risk() -> Expr:
    """The excess risk, in the form without cancellation."""
    stable = _split(excess_risk_stable())
    stable = stable.subs((nu - erf(a)) ** 2, ErfDefect(nu, a) ** 2)
    stable = stable.replace(erf_prime, lambda x: erf_prime(x).rewrite(exp))
    return stable.replace(symbolic_zeta, lambda m, v: symbolic_zeta(m, v).doit())


@cache
def risk() -> Expr:
    """The risk: the excess risk on top of the noise."""
    return excess_risk() + epsilon**2


@cache
def _plain() -> Expr:
    return _split(closed_form())


@cache
def on_manifold() -> Expr:
    """The risk on the invariant manifold, in kappa and nu."""
    return _split(symbolic_on_manifold())


@dataclass(frozen=True)
class QuadraticRisk:
    """The risk as a quadratic polynomial in theta, eta and rho."""

    # Its value where these vanish, in kappa and nu.
    on_manifold: Expr
    # Its second derivatives in them, 3 x 3, which depend on kappa alone.
    form: Any


@cache
def quadratic_risk() -> QuadraticRisk:
    """The risk by powers of theta, eta and rho: there are none but of the second degree."""
    across = ORDER_PARAMETERS[2:]
    zero = dict.fromkeys(across, 0)
    form = ImmutableMatrix(3, 3, lambda i, j: _plain().diff(across[i], across[j]).subs(zero))
    return QuadraticRisk(_plain().subs(zero), form)


@cache
def gradient() -> tuple[Expr, ...]:
    """The five partial derivatives of the risk."""
    return tuple(_arranged(_plain().diff(p)) for p in ORDER_PARAMETERS)


@cache
def hessian() -> tuple[Expr, ...]:
    """The second partial derivatives, row by row of the upper triangle."""
    slopes = [_plain().diff(p) for p in ORDER_PARAMETERS]
    return tuple(
        _arranged(slopes[i].diff(ORDER_PARAMETERS[j])) for i in range(5) for j in range(i, 5)
    )


def _arranged(expr: Expr) -> Expr:
    """A polynomial in the state and the functions of it, nested."""
    state = set(ORDER_PARAMETERS)
    functions = [f for f in expr.atoms(erf, exp, ErfVariance) if f.free_symbols & state]
    names = {f: Dummy(type(f).__name__) for f in sorted(functions, key=str)}
    generators = (*names.values(), *ORDER_PARAMETERS)
    return nested(expr.xreplace(names), generators).xreplace({n: f for f, n in names.items()})


@cache
def program(name: str) -> Program:
    """The program of one of the functions of the risk."""
    if name not in KERNELS:
        raise ValueError(f"name must be one of {', '.join(KERNELS)}; got {name!r}")
    found = globals()[name]()
    outputs = found if isinstance(found, tuple) else (found,)
    return printed(outputs, ORDER_PARAMETERS, PARAMETERS)
