"""Linear attention at the oracle: its risk."""

from sympy import Eq, Ge, Le, sqrt

from slrsym.gaussian import Expectation, IIDSum, ProductLaw
from slrsym.papers.single_location.notation import (
    L,
    d,
    epsilon,
    eta,
    gamma,
    kappa,
    lam,
    nu,
    rho,
    theta,
)
from slrsym.papers.single_location.task import (
    U1,
    V1,
    Y1,
    U,
    V,
    informative_token_law,
    noise,
    other_token_law,
    xi,
)
from slrsym.proof import Claim, algebra, chain, lemma, noise_moments, sign, stein

# The predictor (3) with the identity in the place of erf, at k = k*, v = v*.
oracle = {kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}
informative, other = informative_token_law().subs(oracle), other_token_law().subs(oracle)
others = IIDSum(lam * U * V, other, L - 1)
risk_of_linear = Expectation(
    (Y1 + xi - lam * U1 * V1 - others) ** 2, ProductLaw(informative, noise())
)

drift = sqrt(d / 2)
excess = gamma**2 * (1 - lam * drift) ** 2 + lam**2 * (gamma**4 + L - 1)

risk = Claim(
    id="linear-attention-risk",
    title="The risk of linear attention at the oracle, $k = k*$ and $v = v*$, in closed form",
    statement=Eq(risk_of_linear, epsilon**2 + excess, evaluate=False),
    source="new; Section 4, after (9), speaks of a linear activation",
)


@risk.proof
def _(goal):
    """The score of the informative token has the mean $sqrt(d/2)$; all other means vanish."""
    squared = Expectation((Y1 - lam * U1 * V1) ** 2, informative)
    mean = Expectation(Y1 - lam * U1 * V1, informative)
    squares = Expectation(lam**2 * U**2 * V**2, other)
    product = Expectation(lam * U * V, other)
    return (
        chain(goal.lhs)
        .then(
            epsilon**2
            + squared
            - 2 * (L - 1) * mean * product
            + (L - 1) * squares
            + (L - 1) * (L - 2) * product**2,
            by=noise_moments,
        )
        .then(goal.rhs, by=stein(U1, V1, Y1, U, V))
    )


weight = gamma**2 * d / 2 + gamma**4 + L - 1
best = gamma**2 * drift / weight
floor = gamma**2 * (gamma**4 + L - 1) / weight

least = Claim(
    id="linear-attention-least",
    title=(
        "At any $lambda$, the excess risk of linear attention at the oracle is at least $gamma^2 "
        "m/(m + gamma^2 d/2)$, where $m = gamma^4 + L - 1$"
    ),
    statement=Ge(risk_of_linear - epsilon**2, floor),
    source="new",
    explanation=(
        "At $k = k*$ and $v = v*$ the excess risk of linear attention is at least $gamma^2 "
        "(gamma^4 + L - 1)/(gamma^2 d/2 + gamma^4 + L - 1)$, whatever the inverse temperature. "
        "The excess risk is a quadratic polynomial in $lambda$, and this is its minimum; by claim "
        "linear-attention-attained some $lambda$ has it. For fixed $d$ it is positive, and it "
        "tends to $gamma^2$, the risk of the null predictor, if $L/d$ tends to infinity. If $L/d$ "
        "tends to 0, it tends to 0."
    ),
)


@least.proof
def _(goal):
    """Complete the square in $lambda$."""
    return (
        chain(goal.lhs)
        .then(excess, by=lemma("linear-attention-risk"))
        .then(floor + weight * (lam - best) ** 2, by=algebra)
        .ge(floor, by=sign)
    )


attained = Claim(
    id="linear-attention-attained",
    title=(
        "With $m = gamma^4 + L - 1$ and $w = m + gamma^2 d/2$, linear attention at the oracle has "
        "the excess risk $gamma^2 m/w$ at $lambda = gamma^2 sqrt(d/2)/w$"
    ),
    statement=Eq(risk_of_linear.subs(lam, best) - epsilon**2, floor, evaluate=False),
    source="new; $w = gamma^2 d/2 + gamma^4 + L - 1$",
)


@attained.proof
def _(goal):
    """The value of the polynomial at its vertex."""
    return (
        chain(goal.lhs)
        .then(excess.subs(lam, best), by=lemma("linear-attention-risk", {lam: best}))
        .then(floor, by=algebra)
    )


rate = Claim(
    id="linear-attention-rate",
    title=(
        "With $lambda = sqrt(2/d)$, linear attention at the oracle has the excess risk $2 (gamma^4 "
        "+ L - 1)/d$"
    ),
    statement=Eq(
        risk_of_linear.subs(lam, sqrt(2 / d)) - epsilon**2,
        2 * (gamma**4 + L - 1) / d,
        evaluate=False,
    ),
    source="new; at the oracle",
    explanation=(
        "At $k = k*$, $v = v*$ and $lambda = sqrt(2/d)$ the excess risk of linear attention is "
        "$2 (gamma^4 + L - 1)/d$. So it tends to 0 where $L/d$ does: linear attention is "
        "asymptotically Bayes optimal, too, at another inverse temperature than Corollary 2 "
        "supposes for $erf$. At this $lambda$ the informative token has a weight of mean 1."
    ),
)


@rate.proof
def _(goal):
    """The first square vanishes."""
    return (
        chain(goal.lhs)
        .then(excess.subs(lam, sqrt(2 / d)), by=lemma("linear-attention-risk", {lam: sqrt(2 / d)}))
        .then(goal.rhs, by=algebra)
    )


fails = Claim(
    id="linear-attention-fails",
    title=(
        "If $lambda sqrt(d/2) >= 2$, linear attention at the oracle has at least the risk of "
        "the predictor that is always zero"
    ),
    statement=Ge(risk_of_linear, epsilon**2 + gamma**2),
    source="Section 4, after (9): the reasoning would not hold for a linear activation",
    compared_to_source=(
        "stronger: an explicit bound, where the paper lets $lambda sqrt(d)$ tend to infinity"
    ),
    hypotheses=[Le(2, lam * drift)],
    explanation=(
        "If $lambda sqrt(d/2)$ is at least 2, the excess risk of linear attention at $k = k*$, $v "
        "= v*$ is at least $gamma^2$, that of the predictor that is always zero. The weight of the "
        "informative token has the mean $lambda sqrt(d/2)$, which should be 1, and which is "
        "unbounded in the regime of Corollary 2. With $erf$ it saturates at 1. By claim "
        "linear-attention-rate the failure is one of the inverse temperature: at $lambda = "
        "sqrt(2/d)$ linear attention is asymptotically optimal."
    ),
)


@fails.proof
def _(goal):
    """The weight of the informative token is off by at least 1 in the mean."""
    return (
        chain(goal.lhs)
        .then(epsilon**2 + excess, by=lemma("linear-attention-risk"))
        .ge(epsilon**2 + gamma**2 * (1 - lam * drift) ** 2, by=sign)
        .ge(goal.rhs, by=sign)
    )
