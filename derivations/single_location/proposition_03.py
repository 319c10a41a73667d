"""Proposition 3: the best linear predictor, and its risk."""

from sympy import (
    Eq,
    Equivalent,
    Function,
    Ge,
    Gt,
    IndexedBase,
    Le,
    Max,
    Or,
    Sum,
    Symbol,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, ProductLaw, standard_normal
from slrsym.papers.single_location.notation import L, d, epsilon, gamma
from slrsym.papers.single_location.task import informative_token_coordinates_law, noise, xi
from slrsym.proof import (
    Claim,
    algebra,
    cases,
    chain,
    lemma,
    never,
    noise_moments,
    only_at,
    sign,
    single_out,
    solution,
    solution_set,
    split_product,
    stein,
    substitution,
    termwise,
)

# -- given the location ------------------------------------------------------------------------

# The coefficients beta_l of a token, in an orthonormal basis whose first vectors are k* and v*, and
# whose third holds the rest of beta_l.
x, y, z = symbols("x y z", real=True)
X = symbols("X_1:4", real=True)
# The other tokens enter by the sum of beta_l . X_l, which is r W with a standard normal W; by claim
# proposition-3-other-tokens, one by one, r^2 is the sum of the squared norms of their coefficients.
W = Symbol("W", real=True)
spread = Symbol("r", real=True)


def squared_norm(a, b, c):
    return a**2 + b**2 + c**2


def informative(x, y, z):
    """Return the part of the squared error that the informative token contributes."""
    return gamma**2 * squared_norm(x, 1 - y, z) + d / 2 * x**2


F = Function("F", real=True)
other = standard_normal(W, *X)

other_tokens = Claim(
    id="proposition-3-other-tokens",
    title=(
        "$r W + x X_1 + y X_2 + z X_3$ has the law of $sqrt(r^2 + x^2 + y^2 + z^2) W$, for "
        "independent standard normal variables"
    ),
    statement=Eq(
        Expectation(F(sqrt(spread**2 + squared_norm(x, y, z)) * W), standard_normal(W)),
        Expectation(F(spread * W + x * X[0] + y * X[1] + z * X[2]), other),
        evaluate=False,
    ),
    source="Appendix B.3; $F$ stands for any function",
    hypotheses=[Gt(spread, 0)],
)


@other_tokens.proof
def _(goal):
    """Such a token is standard normal; both sides are functions of one Gaussian variable."""
    whole = sqrt(spread**2 + squared_norm(x, y, z))
    form = (spread * W + x * X[0] + y * X[1] + z * X[2]) / whole
    return chain(goal.lhs).then(
        Expectation(F(whole * form), other), by=substitution({W: form}, other)
    )


error = X[1] - x * X[0] - y * X[1] - z * X[2] - spread * W

given_location = Claim(
    id="proposition-3-given-location",
    title="The risk of a linear predictor given the location, in closed form",
    statement=Eq(
        Expectation(
            (error + xi) ** 2,
            ProductLaw(informative_token_coordinates_law(X), standard_normal(W), noise()),
        ),
        epsilon**2 + informative(x, y, z) + spread**2,
        evaluate=False,
    ),
    source="Appendix B.3",
)


@given_location.proof
def _(goal):
    """Every variable is centred but $X_1$, whose mean is $sqrt(d/2)$."""
    without_noise = Expectation(
        error**2, ProductLaw(informative_token_coordinates_law(X), standard_normal(W))
    )
    return (
        chain(goal.lhs)
        .then(without_noise + epsilon**2, by=noise_moments)
        .then(goal.rhs, by=stein(*X, W))
    )


# -- one token ---------------------------------------------------------------------------------

p = Symbol("p", real=True)
probability = [Ge(p, 0), Le(p, 1)]


def moment(p):
    """Second moment of a coordinate of the token other than the first."""
    return 1 + p * (gamma**2 - 1)


def share(p, x, y, z):
    """What a token adds to the risk: it is informative with probability p."""
    return p * informative(x, y, z) + (1 - p) * squared_norm(x, y, z)


def explained(p):
    """Return the decrease of the risk by the best coefficients."""
    return gamma**4 * p**2 / moment(p)


positive = Claim(
    id="proposition-3-moment",
    title=(
        "The second moment $1 + p (gamma^2 - 1)$ of a token along $v*$ is positive, if the token "
        "is informative with probability $p$"
    ),
    statement=Gt(moment(p), 0, evaluate=False),
    source="Appendix B.3",
    hypotheses=probability,
)


@positive.proof
def _(goal):
    """It lies between 1 and $gamma^2$."""
    return chain(goal.lhs).gt(0, by=sign)


squares = Claim(
    id="proposition-3-squares",
    title=(
        "The risk that a token adds to a linear predictor is its minimum plus a multiple of a "
        "square for each of the token's three coefficients"
    ),
    statement=Eq(
        share(p, x, y, z),
        p * gamma**2
        - explained(p)
        + moment(p) * (y - gamma**2 * p / moment(p)) ** 2
        + (moment(p) + p * d / 2) * x**2
        + moment(p) * z**2,
        evaluate=False,
    ),
    source="new (in place of the normal equations and the Sherman-Morrison formula)",
    hypotheses=probability,
)


@squares.proof
def _(goal):
    """Complete the square in $y$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


least_share = Claim(
    id="proposition-3-token",
    title=(
        "A token that is informative with probability $p$ adds at least $gamma^2 p - gamma^4 "
        "p^2/(1 + p (gamma^2 - 1))$ to the risk of a linear predictor"
    ),
    statement=Ge(share(p, x, y, z), p * gamma**2 - explained(p)),
    source="Appendix B.3",
    hypotheses=probability,
)


@least_share.proof
def _(goal):
    """The squares are not negative."""
    return (
        chain(goal.lhs)
        .then(squares.statement.rhs, by=lemma("proposition-3-squares"))
        .ge(goal.rhs, by=sign)
    )


bounded = Claim(
    id="proposition-3-token-bound",
    title=(
        "A token that is informative with probability $p$ lowers the least risk of a linear "
        "predictor by at most $gamma^2 max(1, gamma^2) p^2$"
    ),
    statement=Le(explained(p), gamma**2 * Max(1, gamma**2) * p**2, evaluate=False),
    source="Appendix B.3",
    hypotheses=probability,
)


@bounded.proof
def _(goal):
    """The moment is at least $gamma^2$ if $gamma <= 1$, and at least 1 otherwise."""
    low = chain(goal.lhs).le(gamma**2 * p**2, by=sign).le(goal.rhs, by=sign)
    high = chain(goal.lhs).le(gamma**4 * p**2, by=sign).le(goal.rhs, by=sign)
    return cases(goal, (Le(gamma, 1), low), (Ge(gamma, 1), high))


# -- all tokens --------------------------------------------------------------------------------

# Any non-negative weights, normalised, are a law of the location.
w = IndexedBase("w", nonnegative=True)
coefficients = [IndexedBase(name, real=True) for name in ("beta^1", "beta^2", "beta^3")]
i, j, n = symbols("i j n", integer=True)


def total(f):
    return Sum(f(n), (n, 1, L))


def beta(n):
    return [family[n] for family in coefficients]


weights = total(lambda n: w[n])
some_weight = [weights > 0]


def given_at(j):
    """The risk given the location j, as the first claim has it."""
    others = total(lambda n: squared_norm(*beta(n))) - squared_norm(*beta(j))
    return epsilon**2 + informative(*beta(j)) + others


def least_share_of(n):
    return w[n] / weights * gamma**2 - explained(w[n] / weights)


risk = Sum(w[j] / weights * given_at(j), (j, 1, L))
least = epsilon**2 + gamma**2 - total(lambda n: explained(w[n] / weights))

by_token = Claim(
    id="proposition-3-risk",
    title="The risk of a linear predictor is $epsilon^2$ plus a sum over tokens",
    statement=Eq(
        risk, epsilon**2 + total(lambda n: share(w[n] / weights, *beta(n))), evaluate=False
    ),
    source="Appendix B.3",
    hypotheses=some_weight,
)


@by_token.proof
def _(goal):
    """The probabilities add up to one."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


def term_by_term(terms):
    """For every location i, of which it is known that its probability is at most 1."""
    rest = Sum(w[n], (n, 1, i - 1)) + Sum(w[n], (n, i + 1, L))
    at_most_one = chain(w[i]).le(w[i] + rest, by=sign).then(weights, by=single_out(i))
    moment_positive = chain(moment(w[i] / weights)).gt(
        0, by=lemma("proposition-3-moment", p=w[i] / weights)
    )
    facts = (at_most_one, moment_positive)
    return termwise(i, 1, L, terms, facts, partition=w[i] / weights)


optimum = Claim(
    id="proposition-3",
    title="No linear predictor has a risk below $epsilon^2 + gamma^2$ less the sum of $gamma^4 "
    "p_l^2/(1 + p_l (gamma^2 - 1))$ over tokens, with their probabilities $p_l$",
    statement=Ge(risk, least, evaluate=False),
    source="Proposition 3",
    compared_to_source="exact",
    hypotheses=some_weight,
    explanation=(
        "No linear predictor has a risk below $epsilon^2 + gamma^2$ less a sum of one term for "
        "each token. Given the location, the tokens are independent. The error is linear in them, "
        "so the risk is a sum over tokens, in which each token has a quadratic polynomial in its "
        "coefficients along $k*$, along $v*$ and across both. Each polynomial is bounded below by "
        "its minimum, where only the coefficient along $v*$ is not zero. Assumption 1 enters "
        "here: as $k*$ is orthogonal to $v*$, the mean of the informative token says nothing of "
        "the output, and a coefficient along $k*$ only adds to the risk. The probabilities are "
        "written as $p_l = w_l/W$ with weights $w_l >= 0$ of sum $W > 0$."
    ),
)


@optimum.proof
def _(goal):
    """Bound the risk of each token from below by its minimum."""
    at = dict(zip("xyz", beta(i), strict=True))
    term = chain(share(w[i] / weights, *beta(i))).ge(
        least_share_of(i), by=lemma("proposition-3-token", p=w[i] / weights, **at)
    )
    return (
        chain(goal.lhs)
        .then(by_token.statement.rhs, by=lemma("proposition-3-risk"))
        .ge(least, by=term_by_term(term))
    )


def best(n):
    """The coefficient along v* of Proposition 3."""
    q = w[n] / weights
    return gamma**2 * q / moment(q)


attained = Claim(
    id="proposition-3-attained",
    title="The linear predictor of Proposition 3 attains the least risk",
    statement=Eq(
        epsilon**2 + total(lambda n: share(w[n] / weights, 0, best(n), 0)), least, evaluate=False
    ),
    source="Proposition 3",
    compared_to_source="exact",
    hypotheses=some_weight,
)


@attained.proof
def _(goal):
    """There the squares vanish."""
    term = chain(share(w[i] / weights, 0, best(i), 0)).then(least_share_of(i), by=algebra)
    return chain(goal.lhs).then(least, by=term_by_term(term))


lower_bound = Claim(
    id="proposition-3-bound",
    title=(
        "The least risk of linear predictors is at least $epsilon^2 + gamma^2 (1 - max(1, gamma^2) "
        "sum p_l^2)$"
    ),
    statement=Ge(
        least,
        epsilon**2 + gamma**2 * (1 - Max(1, gamma**2) * total(lambda n: (w[n] / weights) ** 2)),
        evaluate=False,
    ),
    source="Proposition 3",
    compared_to_source="exact",
    hypotheses=some_weight,
)


@lower_bound.proof
def _(goal):
    """Bound what each token saves."""
    term = chain(-explained(w[i] / weights)).ge(
        -(gamma**2) * Max(1, gamma**2) * (w[i] / weights) ** 2,
        by=lemma("proposition-3-token-bound", p=w[i] / weights),
    )
    return chain(goal.lhs).ge(goal.rhs, by=term_by_term(term))


# -- special laws of the location --------------------------------------------------------------

uniform = Claim(
    id="proposition-3-uniform",
    title=(
        "For a uniform location, the least risk of a linear predictor is $epsilon^2 + gamma^2 - "
        "gamma^4/(L - 1 + gamma^2)$"
    ),
    statement=Eq(
        epsilon**2 + gamma**2 - total(lambda n: explained(1 / L)),
        epsilon**2 + gamma**2 - gamma**4 / (L + gamma**2 - 1),
        evaluate=False,
    ),
    source="Proposition 3",
    compared_to_source="exact",
)


@uniform.proof
def _(goal):
    """$L$ equal terms."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


excess = Claim(
    id="proposition-3-excess",
    title="The least excess risk of a linear predictor as a sum of one term for each token",
    statement=Eq(
        least,
        epsilon**2
        + gamma**2
        * total(lambda n: w[n] / weights * (1 - w[n] / weights) / moment(w[n] / weights)),
        evaluate=False,
    ),
    source="new",
    hypotheses=some_weight,
)


@excess.proof
def _(goal):
    """Subtract the decrease from $gamma^2 p_l$, token by token."""
    q = w[i] / weights
    term = chain(least_share_of(i)).then(gamma**2 * q * (1 - q) / moment(q), by=algebra)
    return chain(goal.lhs).then(goal.rhs, by=term_by_term(term))


left = p * gamma**2 - explained(p)

certain = Claim(
    id="proposition-3-constant-location",
    title=(
        "A token adds no excess risk to the best linear predictor if and only if its probability "
        "is 0 or 1"
    ),
    statement=Equivalent(Eq(left, 0), Or(Eq(p, 0), Eq(p, 1))),
    source="Section 4, after Proposition 3",
    compared_to_source="stronger: in no other case is the least risk $epsilon^2$",
    hypotheses=probability,
)


@certain.proof
def _(goal):
    """A token adds nothing where its probability is 0 or 1, and there only."""
    tree = split_product(
        left,
        never(gamma**2 / moment(p)),
        only_at(p, p, 0, then=solution()),
        only_at(1 - p, p, 1, then=solution()),
    )
    return solution_set(goal, (p,), tree)


# -- the best predictor is unique --------------------------------------------------------------

steepness = gamma**2 / Max(1, gamma**2)

steep = Claim(
    id="proposition-3-steepness",
    title=(
        "The second moment $1 + p (gamma^2 - 1)$ of a token along $v*$ is at least $min(1, "
        "gamma^2)$"
    ),
    statement=Ge(moment(p), steepness, evaluate=False),
    source="new",
    hypotheses=probability,
)


@steep.proof
def _(goal):
    """It lies between 1 and $gamma^2$."""
    low = chain(goal.lhs).ge(gamma**2, by=sign).ge(goal.rhs, by=sign)
    high = chain(goal.lhs).ge(1, by=sign).ge(goal.rhs, by=sign)
    return cases(goal, (Le(gamma, 1), low), (Ge(gamma, 1), high))


def off(p, x, y, z):
    """The squared distance of coefficients from the best ones."""
    return squared_norm(x, y - gamma**2 * p / moment(p), z)


apart = Claim(
    id="proposition-3-token-unique",
    title=(
        "The risk that a token adds exceeds its minimum by at least $gamma^2/max(1, gamma^2)$ "
        "times the squared distance from the best coefficients"
    ),
    statement=Ge(
        share(p, x, y, z), p * gamma**2 - explained(p) + steepness * off(p, x, y, z), evaluate=False
    ),
    source="new",
    hypotheses=probability,
)


@apart.proof
def _(goal):
    """Each square has a factor of at least the second moment $1 + p (gamma^2 - 1)$."""
    least = p * gamma**2 - explained(p)
    squares_at = off(p, x, y, z)
    return (
        chain(goal.lhs)
        .then(squares.statement.rhs, by=lemma("proposition-3-squares"))
        .ge(least + moment(p) * squares_at, by=sign)
        .ge(goal.rhs, by=lemma("proposition-3-steepness").scaled(squares_at))
    )


unique = Claim(
    id="proposition-3-unique",
    title=(
        "The risk of a linear predictor exceeds the least one by at least $gamma^2/max(1, "
        "gamma^2)$ times the squared distance from the best one, which so is unique"
    ),
    statement=Ge(
        risk,
        least + steepness * total(lambda n: off(w[n] / weights, *beta(n))),
        evaluate=False,
    ),
    source="Proposition 3, where the best predictor is that of these coefficients",
    compared_to_source="stronger: with uniqueness, and a bound by the squared distance",
    hypotheses=some_weight,
)


@unique.proof
def _(goal):
    """Token by token."""
    at = dict(zip("xyz", beta(i), strict=True))
    q = w[i] / weights
    term = chain(share(q, *beta(i))).ge(
        least_share_of(i) + steepness * off(q, *beta(i)),
        by=lemma("proposition-3-token-unique", p=q, **at),
    )
    return (
        chain(goal.lhs)
        .then(by_token.statement.rhs, by=lemma("proposition-3-risk"))
        .ge(goal.rhs, by=term_by_term(term))
    )


# -- many tokens -------------------------------------------------------------------------------

null_predictor = Claim(
    id="proposition-3-null",
    title="The risk of the predictor that is always zero is $epsilon^2 + gamma^2$",
    statement=Eq(
        epsilon**2 + total(lambda n: share(w[n] / weights, 0, 0, 0)),
        epsilon**2 + gamma**2,
        evaluate=False,
    ),
    source="Section 4, after Proposition 3",
    compared_to_source="exact",
    hypotheses=some_weight,
)


@null_predictor.proof
def _(goal):
    """The variance of the output."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


no_better = Claim(
    id="proposition-3-null-bound",
    title="The best linear predictor is at least as good as the predictor that is always zero",
    statement=Le(least, epsilon**2 + gamma**2, evaluate=False),
    source="Section 4; by proposition-3-bound, no better in any limit where sum $p_l^2$ tends to 0",
    hypotheses=some_weight,
)


@no_better.proof
def _(goal):
    """What each token saves is not negative."""
    saved = chain(-explained(w[i] / weights)).le(0, by=sign)
    return chain(least).le(goal.rhs, by=term_by_term(saved))
