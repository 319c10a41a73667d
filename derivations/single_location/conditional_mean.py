"""Softmax at inverse temperature $sqrt(d/2)$ is the posterior of the location, if $gamma = 1$."""

from sympy import Eq, Ge, Gt, IndexedBase, Le, Sum, Symbol, exp, sqrt, symbols

from slrsym.papers.single_location.notation import L, d
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
    title=(
        "If $gamma = 1$, the likelihood ratio of an informative token against another is "
        "$exp(sqrt(d/2) x - d/4)$ at the score $x$"
    ),
    statement=Eq(bell(x, mean) / bell(x, 0), exp(mean * x - d / 4), evaluate=False),
    source="new",
)


@likelihood_ratio.proof
def _(goal):
    """The square of $x$ cancels, since both variances are 1."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


def likelihood(place):
    """Return the likelihood of three scores if the informative token is in this place."""
    factors = [bell(z, mean if i == place else 0) for i, z in enumerate((x1, x2, x3))]
    return factors[0] * factors[1] * factors[2]


prior = p1 * likelihood(0) + p2 * likelihood(1) + p3 * likelihood(2)
softmax = p1 * exp(mean * x1) + p2 * exp(mean * x2) + p3 * exp(mean * x3)

posterior = Claim(
    id="softmax-posterior",
    title=(
        "For $gamma = 1$ and three tokens, the weight of the first location by Bayes' formula is "
        "softmax of $sqrt(d/2) x + log p$, with the scores $x$ and prior weights $p$"
    ),
    statement=Eq(p1 * likelihood(0) / prior, p1 * exp(mean * x1) / softmax, evaluate=False),
    source="new",
)


@posterior.proof
def _(goal):
    """The density of three uninformative tokens cancels."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


# -- any number of tokens, any law of the location, any angle of k* and v* -----------------------

# Scores and values X_l . v* of the tokens, and weights of the locations; the density of all tokens,
# if none of them were informative, is the same factor whatever the location.
score, value, w = (IndexedBase(name, real=True) for name in ("x", "y", "w"))
centred = Symbol("q", positive=True)
j, l = symbols("j l", integer=True)  # noqa: E741


def joint(place):
    """The density of the tokens and the location, by the likelihood ratio of the token there."""
    return w[place] * exp(mean * score[place] - d / 4) * centred


weighted = Sum(w[l] * exp(mean * score[l]), (l, 1, L))
density = Sum(joint(l), (l, 1, L))

any_posterior = Claim(
    id="softmax-posterior-of-any-length",
    title=(
        "For $gamma = 1$ and $L$ tokens, the weight of a location by Bayes' formula is softmax of "
        "$sqrt(d/2) x + log w$, with the scores $x$ and prior weights $w$"
    ),
    statement=Eq(joint(j) / density, w[j] * exp(mean * score[j]) / weighted, evaluate=False),
    source="new",
    hypotheses=[Gt(weighted, 0), Gt(density, 0), Ge(j, 1), Le(j, L)],
)


@any_posterior.proof
def _(goal):
    """The density of $L$ uninformative tokens cancels."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


conditional_mean = Claim(
    id="softmax-conditional-mean",
    title=(
        "For $gamma = 1$, the mean of the values by the weights of Bayes' formula is softmax "
        "attention at inverse temperature $sqrt(d/2)$, with the logarithm of the prior as bias"
    ),
    statement=Eq(
        Sum(joint(j) * value[j], (j, 1, L)) / density,
        Sum(w[j] * exp(mean * score[j]) * value[j], (j, 1, L)) / weighted,
        evaluate=False,
    ),
    source=(
        "new; for $gamma = 1$, whatever $k* . v*$ is; by Bayes' formula, which is not checked "
        "here, this mean is $E[Y | X]$; equal weights give the predictor (2)"
    ),
    hypotheses=[Gt(weighted, 0), Gt(density, 0)],
)


@conditional_mean.proof
def _(goal):
    """The mean of $X_j . v*$ over the posterior of the location."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)
