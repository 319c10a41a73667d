"""Stein's lemma: integration by parts."""

from sympy import (
    Derivative,
    Eq,
    Function,
    Integral,
    Lambda,
    Matrix,
    Subs,
    Symbol,
    exp,
    oo,
    pi,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from slrsym.papers.single_location.notation import G
from slrsym.proof import (
    Claim,
    algebra,
    chain,
    conditioning,
    density,
    differentiate,
    fundamental_theorem,
    inside,
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
    title="Stein's lemma in one variable: $E G h(G) = E h'(G)$",
    statement=Eq(E(G * h(G)), E(Derivative(h(G), G))),
    source="Stein's lemma, one variable ($h$ smooth, of moderate growth)",
)


@one_dimensional.proof
def _(goal):
    """Integrate the derivative of $h(x) phi(x)$, which vanishes at both ends."""
    slope = Derivative(h(x), x)
    return (
        chain(goal.lhs)
        .then(line(x * h(x) * phi(x)), by=density)
        .then(line(slope * phi(x)) - line(slope * phi(x) - x * h(x) * phi(x)), by=algebra)
        .then(line(slope * phi(x)), by=fundamental_theorem(h(x) * phi(x), x))
        .then(goal.rhs, by=density)
    )


# -- several variables -------------------------------------------------------------------------

X = X1, X2, X3 = symbols("X_1:4", real=True)
Z = Z1, Z2, Z3 = symbols("Z_1:4", real=True)
m1, m2, m3 = symbols("m_1:4", real=True)
c11, c21, c22, c31, c32, c33 = symbols("c_11 c_21 c_22 c_31 c_32 c_33", real=True)
g = Function("g", real=True)

# Every covariance matrix is C C^T with C lower triangular.
C = Matrix([[c11, 0, 0], [c21, c22, 0], [c31, c32, c33]])
covariance = C * C.T
law = GaussianLaw({X1: m1, X2: m2, X3: m3}, covariance)
images = {X1: m1 + c11 * Z1, X2: m2 + c21 * Z1 + c22 * Z2, X3: m3 + c31 * Z1 + c32 * Z2 + c33 * Z3}

multivariate = Claim(
    id="stein-multivariate",
    title="Stein's lemma for three jointly Gaussian variables",
    statement=Eq(
        Expectation((X1 - m1) * g(*X), law),
        sum(covariance[0, j] * Expectation(Derivative(g(*X), X[j]), law) for j in range(3)),
        evaluate=False,
    ),
    source="Stein's lemma, three jointly Gaussian variables ($g$ smooth, of moderate growth)",
)


@multivariate.proof
def _(goal):
    """Write $X = m + C Z$.

    Given the other coordinates of $Z$, this is the lemma in one variable.
    """
    at = g(*(images[x] for x in X))
    others = standard_normal(Z2, Z3)
    z = Symbol("z", real=True)
    along = Lambda(z, c11 * at.subs(Z1, z))

    def partial(j):
        return Subs(Derivative(g(*X), X[j]), X, [images[x] for x in X])

    def nested(f):
        return Expectation(Expectation(f, standard_normal(Z1)), others)

    by_chain_rule = c11 * sum(C[j, 0] * partial(j) for j in range(3))
    return (
        chain(goal.lhs)
        .then(
            Expectation(c11 * Z1 * at, standard_normal(*Z)),
            by=substitution(images, standard_normal(*Z)),
        )
        .then(nested(Z1 * c11 * at), by=conditioning(Z2, Z3))
        .then(nested(Derivative(c11 * at, Z1)), by=inside(lemma("stein-one-dimensional", h=along)))
        .then(nested(by_chain_rule), by=inside(inside(differentiate)))
        .then(Expectation(by_chain_rule, standard_normal(*Z)), by=conditioning(Z2, Z3))
        .then(
            sum(c11 * C[j, 0] * Expectation(partial(j), standard_normal(*Z)) for j in range(3)),
            by=linearity,
        )
        .then(goal.rhs, by=substitution(images, standard_normal(*Z)))
    )
