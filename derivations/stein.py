"""Stein's lemma: integration by parts against the Gaussian density."""

from sympy import Derivative, Eq, Function, Integral, Matrix, Symbol, exp, oo, pi, sqrt, symbols

from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from slrsym.notation import G
from slrsym.proof import (
    Claim,
    algebra,
    chain,
    conditioning,
    density,
    differentiate,
    fundamental_theorem,
    lemma,
    linearity,
    substitution,
)

h = Function("h", real=True)
x = Symbol("x", real=True)


def E(f):
    return Expectation(f, standard_normal(G))


def phi(z):
    return exp(-(z**2) / 2) / sqrt(2 * pi)


def line(f):
    return Integral(f, (x, -oo, oo))


one_dimensional = Claim(
    id="stein-one-dimensional",
    title="E G h(G) = E h'(G)",
    statement=Eq(E(G * h(G)), E(Derivative(h(G), G))),
    source="Stein's lemma, one variable (h smooth, of moderate growth)",
)


@one_dimensional.proof
def _(goal):
    """Integrate the derivative of h(x) phi(x), which vanishes at both ends."""
    slope = Derivative(h(x), x)
    return (
        chain(goal.lhs)
        .then(line(x * h(x) * phi(x)), by=density)
        .then(line(slope * phi(x)) - line(slope * phi(x) - x * h(x) * phi(x)), by=algebra)
        .then(line(slope * phi(x)), by=fundamental_theorem(h(x) * phi(x), x))
        .then(goal.rhs, by=density)
    )
