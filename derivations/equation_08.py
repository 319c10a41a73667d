"""The Bayes bound (8): no predictor has a risk below that of the noise."""

from sympy import Eq, Function, Ge, symbols

from slrsym.gaussian import Expectation, ProductLaw, standard_normal
from slrsym.notation import epsilon
from slrsym.proof import Claim, chain, noise_moments, sign
from slrsym.task import noise, xi

# The mean of the output given tokens and location, and what a predictor says there.
m, p = symbols("m p", real=True)

pythagoras = Claim(
    id="bayes-bound-given-tokens",
    title="squared error of any prediction, given tokens and location",
    statement=Eq(Expectation((m + xi - p) ** 2, noise()), (m - p) ** 2 + epsilon**2),
    source="(8), proof",
    against="stronger: for any number that a predictor says, with the location known, too",
)


@pythagoras.proof
def _(goal):
    """The noise is centred, and independent of what the prediction is made from."""
    return chain(goal.lhs).then(goal.rhs, by=noise_moments)


# Tokens and location together are a random element; what it gives, m and p, are functions of it.
Z = symbols("Z", real=True)
output, predictor = (Function(name, real=True) for name in ("m", "p"))
law = ProductLaw(standard_normal(Z), noise())

bayes_bound = Claim(
    id="bayes-bound",
    title="the risk of any predictor is at least epsilon^2",
    statement=Ge(Expectation((output(Z) + xi - predictor(Z)) ** 2, law), epsilon**2),
    source="(8), for m = E[Y | X, J_0] and p smooth functions of one normal variable",
    against="weaker: p is smooth; at given tokens, bayes-bound-given-tokens is for all predictors",
)


@bayes_bound.proof
def _(goal):
    """Pythagoras: the squared distance of p and m comes on top of the variance of the noise."""
    distance = Expectation((output(Z) - predictor(Z)) ** 2, standard_normal(Z))
    return chain(goal.lhs).then(distance + epsilon**2, by=noise_moments).ge(epsilon**2, by=sign)
