"""The risk of hard attention, predictor (1)."""

from sympy import Abs, Eq, Ge, Heaviside, IndexedBase, Le, Sum, Symbol, erf, exp, sqrt, symbols

from slrsym.gaussian import Expectation, GaussianLaw, ProductLaw, standard_normal
from slrsym.papers.single_location.notation import d, epsilon, gamma, lam
from slrsym.papers.single_location.task import noise, xi
from slrsym.proof import (
    Claim,
    Trials,
    algebra,
    cases,
    chain,
    gaussian_calculus,
    having,
    in_words,
    independence,
    lemma,
    noise_moments,
    sign,
    stein,
    termwise,
)

# -- given the scores ----------------------------------------------------------------------------

# The informative token has the weight p, and the value gamma H. The other ones, with weights w_l,
# enter by the sum of w_l X_l.v*, which is r W with a standard normal W, and r^2 the sum of w_l^2.
p, r = symbols("p r", real=True)
H, W = symbols("H W", real=True)
values = ProductLaw(standard_normal(H), standard_normal(W), noise())

given_scores = Claim(
    id="attention-given-scores",
    title=(
        "At $v = v*$, given the scores, the risk is $epsilon^2 + gamma^2 (1 - p)^2 + r^2$ with "
        "the informative weight $p$ and the sum $r^2$ of the other squared weights"
    ),
    statement=Eq(
        Expectation((gamma * H + xi - p * gamma * H - r * W) ** 2, values),
        epsilon**2 + gamma**2 * (1 - p) ** 2 + r**2,
        evaluate=False,
    ),
    source=(
        "new; at $v = v*$ values are independent of the scores; $p$ is the weight of the "
        "informative token, $r^2$ the sum of the squared other weights"
    ),
)


@given_scores.proof
def _(goal):
    """The values are independent and centred."""
    error = gamma * H - p * gamma * H - r * W
    without_noise = Expectation(error**2, standard_normal(H, W))
    return (
        chain(goal.lhs)
        .then(without_noise + epsilon**2, by=noise_moments)
        .then(goal.rhs, by=stein(H, W))
    )


# -- two tokens ----------------------------------------------------------------------------------

U1, U2, V1, V2 = symbols("U_1 U_2 V_1 V_2", real=True)
mean = sqrt(d / 2)


def normal(x, mean, variance):
    return GaussianLaw({x: mean}, [[variance]])


# Score and value of the informative token, and of the other one; who has the larger score.
scores = ProductLaw(normal(U1, mean, gamma**2), standard_normal(U2))
values_of_two = ProductLaw(normal(V1, 0, gamma**2), standard_normal(V2))
ahead = Heaviside(U1 - U2)
squared_error = ahead * (V1 + xi - V1) ** 2 + (1 - ahead) * (V1 + xi - V2) ** 2

two_tokens = Claim(
    id="hard-attention-two-tokens",
    title="The risk of hard attention (1) at the oracle, for two tokens, in closed form",
    statement=Eq(
        Expectation(squared_error, ProductLaw(scores, values_of_two, noise())),
        epsilon**2 + (1 + gamma**2) / 2 * (1 - erf(sqrt(d) / (2 * sqrt(1 + gamma**2)))),
        evaluate=False,
    ),
    source="(1), for $L = 2$; two equal scores, of probability 0, count half for each token",
)


@two_tokens.proof
def _(goal):
    """A wrong token costs $1 + gamma^2$; its probability is a normal distribution function."""
    behind = Expectation(1 - ahead, scores)
    return (
        chain(goal.lhs)
        .then(
            epsilon**2
            + Expectation((1 - ahead) * (V1 - V2) ** 2, ProductLaw(scores, values_of_two)),
            by=noise_moments,
        )
        .then(epsilon**2 + behind * Expectation((V1 - V2) ** 2, values_of_two), by=independence)
        .then(epsilon**2 + behind * (1 + gamma**2), by=stein(V1, V2))
        .then(goal.rhs, by=gaussian_calculus)
    )


# -- softmax -------------------------------------------------------------------------------------

# The token with the largest score s has the value v; the other ones are behind by at least g.
n = Symbol("n", integer=True, positive=True)
s, v = symbols("s v", real=True)
g = Symbol("g", nonnegative=True)
w, y = IndexedBase("w", nonnegative=True), IndexedBase("y", real=True)
i, m = symbols("i m", integer=True)


def total(f):
    return Sum(f(m), (m, 1, n))


def score(m):
    return s - g - w[m]


softmax = (exp(lam * s) * v + total(lambda m: exp(lam * score(m)) * y[m])) / (
    exp(lam * s) + total(lambda m: exp(lam * score(m)))
)

tends = Claim(
    id="softmax-tends-to-hard",
    title=(
        "If a token of value $v$ leads all others, of values $y_m$, by $g$ or more in score, "
        "(2) is within $exp(-lambda g) sum |y_m - v|$ of hard attention (1)"
    ),
    statement=Le(Abs(softmax - v), exp(-lam * g) * total(lambda m: Abs(y[m] - v)), evaluate=False),
    source=(
        "Section 3, step 2, with a rate: $v$ is the value of the token with the largest score, "
        "$y_m$ are those of the others"
    ),
    compared_to_source="stronger: with a rate, for any tokens",
)


@tends.proof
def _(goal):
    """The difference is a mean of $y_m - v$ with weights of at most $exp(-lambda g)$."""

    def weight(m):
        return exp(-lam * (g + w[m]))

    mass, sum_of_gaps = total(weight), total(lambda m: weight(m) * (y[m] - v))
    bound = total(lambda m: exp(-lam * g) * Abs(y[m] - v))
    positive = chain(mass).ge(0, by=termwise(i, 1, n, chain(weight(i)).ge(0, by=sign)))

    def one_side(orientation):
        """Bound the difference, or its opposite."""
        gap = orientation * (y[i] - v)
        term = (
            chain(weight(i) * gap)
            .le(weight(i) * Abs(y[i] - v), by=sign)
            .le(
                exp(-lam * g) * Abs(y[i] - v),
                by=lemma("exp-falls", u=lam * (g + w[i]), w=lam * g).scaled(Abs(y[i] - v)),
            )
        )
        below_sum = (
            chain(goal.lhs)
            .then(Abs(sum_of_gaps / (1 + mass)), by=algebra)
            .then(orientation * sum_of_gaps / (1 + mass), by=algebra)
            .le(orientation * sum_of_gaps, by=sign)
        )
        if orientation < 0:
            # The sign goes to each term.
            opposite = total(lambda m: orientation * weight(m) * (y[m] - v))
            below_sum = below_sum.then(opposite, by=algebra)
        return below_sum.le(bound, by=termwise(i, 1, n, term)).then(goal.rhs, by=algebra)

    return having(
        positive,
        cases(goal, (Ge(sum_of_gaps, 0), one_side(1)), (Le(sum_of_gaps, 0), one_side(-1))),
    )


# -- any number of tokens ------------------------------------------------------------------------

any_length = Claim(
    id="hard-attention-risk",
    title=(
        "Hard attention (1) at the oracle has the risk $epsilon^2 + (1 + gamma^2) (1 - q)$ if the "
        "informative token has the largest score with probability $q$"
    ),
    statement=in_words(
        "The risk of the predictor (1) is epsilon^2 + (1 + gamma^2) (1 - q), where q, the mean of "
        "Phi(U)^(L - 1) over a normal U of mean sqrt(d/2) and variance gamma^2, is the probability "
        "that the informative token has the largest score; Phi is the normal distribution function."
    ),
    source="(1); proved for two tokens, claim hard-attention-two-tokens",
)


@any_length.tested_by
def _(rng):
    """The formula by quadrature, against the squared errors of sampled sequences.

    For a proof, the proof checker has no products of symbolically many factors, and its sums of
    copies are smooth, so that no function of them is the indicator of the largest score.
    """
    import numpy as np
    from scipy.special import ndtr

    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    weights = weights / np.sqrt(2 * np.pi)
    failures, count, samples = [], 24, 40_000
    for _ in range(count):
        tokens = int(np.exp(rng.uniform(np.log(2), np.log(40))))
        mean = np.sqrt(np.exp(rng.uniform(np.log(2), np.log(30))) / 2)
        deviation, noise = rng.uniform(0.2, 2), rng.uniform(0.2, 1)
        hit = weights @ ndtr(mean + deviation * nodes) ** (tokens - 1)
        expected = noise**2 + (1 + deviation**2) * (1 - hit)
        scores, values = rng.standard_normal((2, samples, tokens))
        scores[:, 0] = mean + deviation * scores[:, 0]
        values[:, 0] *= deviation
        attended = values[np.arange(samples), scores.argmax(axis=1)]
        squares = (values[:, 0] + noise * rng.standard_normal(samples) - attended) ** 2
        error = squares.std() / np.sqrt(samples) + 1e-9
        if abs(squares.mean() - expected) > 6 * error:
            failures.append(f"{expected} and {squares.mean()} at L = {tokens}, gamma = {deviation}")
    return Trials(count, "settings with d up to 30 and L up to 40", tuple(failures))
