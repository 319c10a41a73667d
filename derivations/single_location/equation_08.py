"""The Bayes bound (8): no predictor has a risk below that of the noise."""

from sympy import Eq, Function, Ge, Gt, IndexedBase, Sum, symbols

from slrsym.gaussian import Expectation, ProductLaw, standard_normal
from slrsym.papers.single_location.bayes_risk import BAYES_RISK
from slrsym.papers.single_location.notation import L, epsilon
from slrsym.papers.single_location.task import noise, xi
from slrsym.proof import Claim, algebra, chain, lemma, noise_moments, sign
from slrsym.proof.dynamical import by_theorem

# The mean of the output given tokens and location, and what a predictor says there.
m, p = symbols("m p", real=True)

pythagoras = Claim(
    id="bayes-bound-given-tokens",
    title=(
        "Given the tokens and the location, the mean squared error of a prediction $p$ is "
        "$epsilon^2 + (m - p)^2$, $m$ being the mean of the output"
    ),
    statement=Eq(Expectation((m + xi - p) ** 2, noise()), (m - p) ** 2 + epsilon**2),
    source="(8), proof",
    compared_to_source="stronger: for any prediction, even one that knows the location",
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
    title=(
        "If the mean of the output and the prediction are smooth functions of one normal "
        "variable, the risk is at least $epsilon^2$"
    ),
    statement=Ge(Expectation((output(Z) + xi - predictor(Z)) ** 2, law), epsilon**2),
    source="(8), for $m = E[Y | X, J_0]$ and $p$ smooth functions of one normal variable",
)


@bayes_bound.proof
def _(goal):
    """Pythagoras: the squared distance of $p$ and $m$ comes on top of the variance of the noise."""
    distance = Expectation((output(Z) - predictor(Z)) ** 2, standard_normal(Z))
    return chain(goal.lhs).then(distance + epsilon**2, by=noise_moments).ge(epsilon**2, by=sign)


# -- measurable predictors of the whole matrix of tokens ---------------------------------------

# Given the matrix, the location is l with a probability w_l/W: the prior times the density of the
# matrix given l, over the sum of these. The output then is y_l = X_l . v*, and noise.
l = symbols("l", integer=True)  # noqa: E741
w, y = IndexedBase("w", real=True), IndexedBase("y", real=True)
weights = Sum(w[l], (l, 1, L))


def average(term):
    return Sum(w[l] * term, (l, 1, L)) / weights


best = average(y[l])

given_matrix = Claim(
    id="bayes-risk-given-tokens",
    title=(
        "Given the tokens, the mean squared error of a prediction $p$ is that of the mean value $m "
        "= sum w_l y_l/sum w_l$ plus $(m - p)^2$"
    ),
    statement=Eq(
        average((y[l] - p) ** 2 + epsilon**2),
        average((y[l] - best) ** 2 + epsilon**2) + (best - p) ** 2,
        evaluate=False,
    ),
    source="(8), proof; the mean of $y_l = X_l . v*$ is $E[Y | X]$",
    hypotheses=[Gt(weights, 0)],
)


@given_matrix.proof
def _(goal):
    """The deviations from a mean add up to 0."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


bayes_risk = Claim(
    id="bayes-risk",
    title=(
        "No measurable predictor has a smaller risk than $E[Y | X]$, nor a risk below $epsilon^2$"
    ),
    statement=BAYES_RISK,
    source="(8)",
    compared_to_source="exact",
)


@bayes_risk.proof
def _(goal):
    """By an axiom on conditional expectation; what it asks for is Pythagoras given the tokens."""
    return by_theorem(
        goal,
        "conditional-risk",
        {"noise": noise()},
        given_location=lemma("bayes-bound-given-tokens"),
        given_tokens=lemma("bayes-risk-given-tokens"),
        at_least=chain((m - p) ** 2 + epsilon**2).ge(epsilon**2, by=sign),
    )
