"""Softmax at inverse temperature $sqrt(d/2)$ is the posterior of the location, if $gamma = 1$."""

from sympy import Eq, Symbol, exp, sqrt

from slrsym.notation import d
from slrsym.proof import Claim, algebra, chain

# Projections of tokens on k*: the law of the other coordinates does not depend on the location, in
# whatever direction v* lies.
x, x1, x2, x3 = (Symbol(name, real=True) for name in ("x", "x_1", "x_2", "x_3"))
p1, p2, p3 = (Symbol(name, positive=True) for name in ("p_1", "p_2", "p_3"))

mean = sqrt(d / 2)


def bell(z, m):
    """The normal density of variance 1, but for its constant."""
    return exp(-((z - m) ** 2) / 2)


likelihood_ratio = Claim(
    id="softmax-likelihood-ratio",
    title="the log likelihood ratio of a token is linear in its score",
    statement=Eq(bell(x, mean) / bell(x, 0), exp(mean * x - d / 4), evaluate=False),
    source="new",
)


@likelihood_ratio.proof
def _(goal):
    """The square of $x$ cancels, since both variances are 1."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


def likelihood(place):
    """Of three scores, if the informative token is in this place."""
    factors = [bell(z, mean if i == place else 0) for i, z in enumerate((x1, x2, x3))]
    return factors[0] * factors[1] * factors[2]


prior = p1 * likelihood(0) + p2 * likelihood(1) + p3 * likelihood(2)
softmax = p1 * exp(mean * x1) + p2 * exp(mean * x2) + p3 * exp(mean * x3)

posterior = Claim(
    id="softmax-posterior",
    title="the posterior of the location among three tokens is softmax, with the bias $log p$",
    statement=Eq(p1 * likelihood(0) / prior, p1 * exp(mean * x1) / softmax, evaluate=False),
    source="new",
)


@posterior.proof
def _(goal):
    """Numerator and denominator have the factor of three centred bells in common."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)
