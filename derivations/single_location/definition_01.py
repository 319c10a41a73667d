"""Assumption 1 and Definition 1: the meaning of the assumption, and well-defined steps."""

from sympy import And, Eq, Equivalent, Ge, Gt, IndexedBase, Le, Sum, Symbol, sqrt, symbols

from slrsym.gaussian import Expectation, standard_normal
from slrsym.papers.single_location.notation import alpha, d, gamma
from slrsym.papers.single_location.task import informative_token_coordinates_law
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    chain,
    lemma,
    never,
    only_at,
    sign,
    solution,
    solution_set,
    split_product,
    stein,
    termwise,
)

# -- Assumption 1 ------------------------------------------------------------------------------

# The overlap of k* and v*; in an orthonormal basis whose first vector is k*, the rest of v* may be
# taken for the second.
c = Symbol("c", real=True)
X = symbols("X_1:3", real=True)

mean_output = Claim(
    id="assumption-1-mean",
    title="The mean of the output is $sqrt(d/2) c$ if $k* . v* = c$",
    statement=Eq(
        Expectation(c * X[0] + sqrt(1 - c**2) * X[1], informative_token_coordinates_law(X)),
        sqrt(d / 2) * c,
        evaluate=False,
    ),
    source="Section 2, without Assumption 1",
    hypotheses=[Ge(c, -1), Le(c, 1)],
)


@mean_output.proof
def _(goal):
    """Only the coordinate along $k*$ has a mean."""
    return chain(goal.lhs).then(goal.rhs, by=stein(*X))


centred = Claim(
    id="assumption-1",
    title=(
        "$sqrt(d/2) c$, the mean of the output by claim assumption-1-mean, is 0 if and only if $c "
        "= k* . v*$ is, which is Assumption 1"
    ),
    statement=Equivalent(Eq(sqrt(d / 2) * c, 0), Eq(c, 0)),
    source="Assumption 1: not proved but supposed; this is what it comes to",
    explanation=(
        "The number $sqrt(d/2) c$ with $c = k* . v*$ is 0 if and only if $k*$ and $v*$ are "
        "orthogonal, which is what Assumption 1 supposes. It is the mean of the output by claim "
        "`assumption-1-mean`: the informative token has the mean $sqrt(d/2) k*$, and the noise has "
        "none. The first factor is positive, as the dimension is. The assumption itself is "
        "supposed, not proved: this claim says what it comes to, and other claims say what changes "
        "without it."
    ),
)


@centred.proof
def _(goal):
    """The factor $sqrt(d/2)$ is positive."""
    tree = split_product(sqrt(d / 2) * c, never(sqrt(d / 2)), only_at(c, c, 0, then=solution()))
    return solution_set(goal, (c,), tree)


# -- the norms of tokens -----------------------------------------------------------------------

norms = Claim(
    id="token-norms",
    title=(
        "The mean squared norm is $d/2 + gamma^2 d$ for the informative token, and $d$ for any "
        "other"
    ),
    statement=And(
        Eq(
            Expectation(X[0] ** 2, informative_token_coordinates_law(X))
            + (d - 1) * Expectation(X[1] ** 2, informative_token_coordinates_law(X)),
            d / 2 + gamma**2 * d,
            evaluate=False,
        ),
        Eq(d * Expectation(X[0] ** 2, standard_normal(X[0])), d, evaluate=False),
        evaluate=False,
    ),
    source="Section 2, coordinate by coordinate: along $k*$, and $d - 1$ times across",
    compared_to_source="exact",
)


@norms.proof
def _(goal):
    """Second moments of normal variables."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=stein(*X)) for part in goal.args))


equal_norms = Claim(
    id="token-norms-equal",
    title=(
        "$d/2 + gamma^2 d$ and $d$, the mean squared norms of tokens by claim token-norms, are "
        "equal if and only if $gamma^2 = 1/2$"
    ),
    statement=Equivalent(Eq(d / 2 + gamma**2 * d - d, 0), Eq(gamma, 1 / sqrt(2))),
    source="Section 2",
    compared_to_source="stronger: the paper says that $gamma^2 = 1/2$ suffices",
)


@equal_norms.proof
def _(goal):
    """A difference of squares."""
    excess = d / 2 + gamma**2 * d - d
    root = only_at(gamma - 1 / sqrt(2), gamma, 1 / sqrt(2), then=solution())
    return solution_set(
        goal, (gamma,), split_product(excess, never(d * (gamma + 1 / sqrt(2))), root)
    )


# -- Definition 1 ------------------------------------------------------------------------------

# A point k = w/|w| of the unit sphere of R^N, and any vector g in the place of the gradient.
N = Symbol("N", integer=True, positive=True)
i, n = symbols("i n", integer=True)
w, g, h = (IndexedBase(name, shape=(N,), real=True) for name in "wgh")


def total(f):
    return Sum(f, (n, 1, N))


size = total(w[n] ** 2)
k = w[n] / sqrt(size)
product = total(w[n] * g[n]) / sqrt(size)
tangent = g[n] - product * k

length = Claim(
    id="definition-1-length",
    title=(
        "A tangent step of size $alpha$ from a unit vector leads to a vector of squared "
        "length $1 + alpha^2 |g|^2$, with $g$ the tangential gradient"
    ),
    statement=Eq(
        total((k - alpha * tangent) ** 2), 1 + alpha**2 * total(tangent**2), evaluate=False
    ),
    source="Definition 1",
    hypotheses=[Gt(size, 0)],
)


@length.proof
def _(goal):
    """The step is orthogonal to $k$, which has length 1."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


well_posed = Claim(
    id="definition-1",
    title=(
        "A tangent step leads to a vector of length at least 1, so that the projection to the "
        "sphere is defined"
    ),
    statement=Ge(total((k - alpha * tangent) ** 2), 1),
    source="Definition 1",
    compared_to_source="exact",
    hypotheses=[Gt(size, 0)],
    explanation=(
        "A step of projected gradient descent never comes to the origin, so that the projection "
        "to the sphere is defined. The gradient that a step follows is tangent: what it has along "
        "the vector itself is taken off. A unit vector and a tangent change of it are orthogonal, "
        "so by Pythagoras the squared length after the change is 1 plus a square. The unit vector "
        "is written as $w$ divided by its length; it is supposed that $w$ is not zero, and "
        "nothing else: neither the step size nor the gradient need be small."
    ),
)


@well_posed.proof
def _(goal):
    """Its squared length is 1 and a sum of squares."""
    term = chain(alpha**2 * tangent.subs(n, i) ** 2).ge(0, by=sign)
    return (
        chain(goal.lhs)
        .then(1 + alpha**2 * total(tangent**2), by=lemma("definition-1-length"))
        .ge(1, by=termwise(i, 1, N, term))
    )


# -- what a step does --------------------------------------------------------------------------

orthogonal = Claim(
    id="definition-1-tangent",
    title=(
        "The gradient that a step follows is tangent, and differs from the Euclidean one only "
        "along $k$"
    ),
    statement=And(
        Eq(total(tangent * k), 0, evaluate=False),
        Eq(total(tangent * h[n]) - total(g[n] * h[n]), -product * total(k * h[n]), evaluate=False),
        evaluate=False,
    ),
    source="Definition 1; so it is the Riemannian gradient: on tangent $h$ both have one product",
    compared_to_source="exact",
    hypotheses=[Gt(size, 0)],
)


@orthogonal.proof
def _(goal):
    """The projection subtracts the component along $k$, a vector of length 1."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


# The length before the projection; by claim definition-1-length its square is the first bracket.
ell = Symbol("ell", positive=True)

moves = Claim(
    id="definition-1-moves",
    title=(
        "The squared distance from a unit vector to a tangent step from it, divided by $ell$: $1 - "
        "2/ell + (1 + alpha^2 |g|^2)/ell^2$, with $g$ the tangential gradient"
    ),
    statement=Eq(
        total(((k - alpha * tangent) / ell - k) ** 2),
        (1 + alpha**2 * total(tangent**2)) / ell**2 + 1 - 2 / ell,
        evaluate=False,
    ),
    source=(
        "Definition 1; with $ell^2 = 1 + alpha^2 |g|^2$, the length before the projection, $2 - "
        "2/ell$"
    ),
    hypotheses=[Gt(size, 0)],
)


@moves.proof
def _(goal):
    """Multiply out: the product of the unit vector with the step is 1."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)
