"""A lower bound on the risk of erf attention."""

from sympy import Abs, Ge, Le, Min, S, Symbol, erf, pi, sqrt, symbols

from slrsym.gaussian import Expectation, erf_prime
from slrsym.notation import A, L, a, d, epsilon, eta, gamma, kappa, lam, nu, rho, s, theta
from slrsym.proof import (
    Claim,
    algebra,
    cases,
    chain,
    gaussian_calculus,
    having,
    lemma,
    noise_moments,
    sign,
)
from slrsym.symbolic import risk_definition
from slrsym.task import U1, V1, Y1, U, V, informative_token, other_token

# -- another token -------------------------------------------------------------------------------

other = other_token()
term = erf(lam * U) * V
mean = 2 * lam * rho / sqrt(pi * (1 + 2 * lam**2))
# The mean product of the term and U V - rho, whose variance is 1 + rho^2.
product = 2 * lam / sqrt(pi * (1 + 2 * lam**2)) * (1 + rho**2 / (1 + 2 * lam**2))
least = 2 / pi * lam**2 / (1 + 2 * lam**2)

# The distance of the term from any multiple of U V - rho and a constant.
p, q = symbols("p q", real=True)
square = Claim(
    id="other-token-distance",
    title=(
        "The mean square of $V erf(lambda U) - p - q (U V - rho)$ is not negative for all $p$ and "
        "$q$, for a token's score $U$ and value $V$"
    ),
    statement=Ge(Expectation((term - p - q * (U * V - rho)) ** 2, other), 0),
    source="school",
    hypotheses=[Le(rho**2, 1)],
)


@square.proof
def _(goal):
    """It is the mean of a square."""
    return chain(goal.lhs).ge(0, by=sign)


spread = Claim(
    id="other-token-variance",
    title=(
        "$V erf(lambda U)$ has a variance of at least $(2/pi) lambda^2/(1 + 2 lambda^2)$, for the "
        "score $U$ and value $V$ of an uninformative token"
    ),
    statement=Ge(Expectation(term**2, other) - Expectation(term, other) ** 2, least),
    source="new",
    hypotheses=[Le(rho**2, 1)],
)


@spread.proof
def _(goal):
    """It is at least that of the best multiple of $U V - rho$."""
    best = product / (1 + rho**2)
    rest = Expectation((term - mean - best * (U * V - rho)) ** 2, other)
    return (
        chain(goal.lhs)
        .then(rest + product**2 / (1 + rho**2), by=gaussian_calculus)
        .ge(product**2 / (1 + rho**2), by=lemma("other-token-distance", p=mean, q=best))
        .ge(goal.rhs, by=sign)
    )


# -- the informative token -----------------------------------------------------------------------

token = informative_token()
drift = sqrt(d / 2)
own = erf(lam * U1) * V1
error_mean = -drift * theta * erf(a) - lam * gamma**2 * rho * erf_prime(a) / A
# The mean of own Y_1, divided by gamma^2.
alignment = (
    nu * erf(a)
    + lam * eta * theta * drift * erf_prime(a) / A
    - 2 * eta * rho * s**2 / A**2 * a * erf_prime(a)
)

distance = Claim(
    id="informative-token-distance",
    title=(
        "The mean square of $Y - V erf(lambda U) - p - q Y$ is not negative for all $p$ and $q$, "
        "for the informative token's score $U$, value $V$ and target $Y$"
    ),
    statement=Ge(Expectation((Y1 - own - p - q * Y1) ** 2, token), 0),
    source="school",
)


@distance.proof
def _(goal):
    """It is the mean of a square."""
    return chain(goal.lhs).ge(0, by=sign)


error_variance = Claim(
    id="informative-token-variance",
    title=(
        "The error $Y - V erf(lambda U)$ of the informative token has a variance of at least "
        "$gamma^2 (1 - c)^2$, $c = E[Y V erf(lambda U)]/gamma^2$"
    ),
    statement=Ge(
        Expectation((Y1 - own) ** 2, token) - Expectation(Y1 - own, token) ** 2,
        gamma**2 * (1 - alignment) ** 2,
        evaluate=False,
    ),
    source="new; $gamma^2 c$ is the mean of the token's term times the output",
)


@error_variance.proof
def _(goal):
    """It is at least that of the best multiple of the output."""
    rest = Expectation((Y1 - own - error_mean - (1 - alignment) * Y1) ** 2, token)
    return (
        chain(goal.lhs)
        .then(rest + goal.rhs, by=gaussian_calculus)
        .ge(goal.rhs, by=lemma("informative-token-distance", p=error_mean, q=1 - alignment))
    )


overlaps = (kappa, nu, theta, eta, rho)
unit = [relation(x, end) for x in overlaps for relation, end in ((Ge, -1), (Le, 1))]
reach = 2 / sqrt(pi) * lam * drift

linear = Claim(
    id="informative-token-alignment",
    title=(
        "The mean of the informative token's term times its target is at most $3 gamma^2 "
        "(2/sqrt(pi)) lambda sqrt(d/2)$"
    ),
    statement=Le(alignment, 3 * reach),
    source="new",
    hypotheses=unit,
)


@linear.proof
def _(goal):
    """Erf and its derivative are at most linear and constant, with the factor $2/sqrt(pi)$."""
    bent = 2 * s**2 / A**2 * erf_prime(a)
    near = chain(Abs(a)).le(lam * drift, by=sign)
    steep = lam * drift * erf_prime(a) / A
    return having(
        near,
        chain(goal.lhs)
        .le(nu * erf(a) + eta * theta * steep + bent * Abs(a), by=sign)
        .le(nu * erf(a) + steep + bent * Abs(a), by=sign)
        .le(Abs(erf(a)) + steep + bent * Abs(a), by=sign)
        .le(2 / sqrt(pi) * Abs(a) + steep + bent * Abs(a), by=lemma("lemma-17-iii", x=a))
        .le(reach + steep + bent * lam * drift, by=sign)
        .le(reach + steep + 2 / sqrt(pi) * lam * drift, by=sign)
        .le(goal.rhs, by=sign),
    )


# -- any directions ------------------------------------------------------------------------------

excess = risk_definition() - epsilon**2
# Two values of lambda^2.
square_of, level_of = Symbol("q", nonnegative=True), Symbol("q_0", nonnegative=True)

parts = Claim(
    id="attention-lower-bound",
    title=(
        "A lower bound on the excess risk of $erf$ attention, at any unit $k$, $v$ and any $lambda$"
    ),
    statement=Ge(excess, gamma**2 * (1 - alignment) ** 2 + (L - 1) * least, evaluate=False),
    source="new",
    hypotheses=[Le(rho**2, 1)],
)


@parts.proof
def _(goal):
    """The risk is the sum of the variances of all tokens' terms, and a square."""
    f, h = Expectation(Y1 - own, token), Expectation(term, other)
    informative = Expectation((Y1 - own) ** 2, token) - f**2
    another = Expectation(term**2, other) - h**2
    return (
        chain(goal.lhs)
        .then(informative + (L - 1) * another + (f - (L - 1) * h) ** 2, by=noise_moments)
        .ge(
            gamma**2 * (1 - alignment) ** 2 + (L - 1) * another + (f - (L - 1) * h) ** 2,
            by=lemma("informative-token-variance"),
        )
        .ge(goal.rhs + (f - (L - 1) * h) ** 2, by=lemma("other-token-variance").scaled(L - 1))
        .ge(goal.rhs, by=sign)
    )


x = Symbol("x", real=True)
smaller = Min(gamma**2 / 4, (L - 1) / (36 * d + pi))

near_miss = Claim(
    id="quarter-square",
    title="$(1 - x)^2 >= 1/4$ for $x <= 1/2$",
    statement=Ge((1 - x) ** 2, S.One / 4, evaluate=False),
    source="school",
    hypotheses=[Le(x, S.Half)],
)


@near_miss.proof
def _(goal):
    """The difference is the product of $1/2 - x$ and $3/2 - x$."""
    return (
        chain(goal.lhs)
        .then(S.One / 4 + (S.Half - x) * (3 * S.Half - x), by=algebra)
        .ge(goal.rhs, by=sign)
    )


trade = Claim(
    id="attention-floor-trade",
    title=(
        "If $x <= 3 (2/sqrt(pi)) lambda sqrt(d/2)$, $gamma^2 (1 - x)^2 + (L - 1) w$ is at least "
        "the smaller one of $gamma^2/4$ and $(L - 1)/(36 d + pi)$, where $w = (2/pi) lambda^2/(1 + "
        "2 lambda^2)$"
    ),
    statement=Ge(gamma**2 * (1 - x) ** 2 + (L - 1) * least, smaller, evaluate=False),
    source="new; $x$ is the $c$ of claim informative-token-variance",
    hypotheses=[Le(x, 3 * reach)],
)


@trade.proof
def _(goal):
    """If $lambda$ is small, the informative token is missed; else the others add too much."""
    level = pi / (72 * d)
    missed = (
        chain(goal.lhs)
        .ge(gamma**2 * (1 - x) ** 2, by=sign)
        .ge(gamma**2 / 4, by=lemma("quarter-square").scaled(gamma**2))
        .ge(goal.rhs, by=sign)
    )
    # In a form that no hypothesis has: a step must not suppose what it says.
    low = chain(2 * x).le(x + 3 * reach, by=sign).le(x + S.Half, by=sign)
    larger = chain(lam**2).ge(level, by=sign)
    rising = lemma("oracle-lower-bound-others-rise", {square_of: lam**2, level_of: level})
    added = (
        chain(goal.lhs)
        .ge((L - 1) * least, by=sign)
        .ge((L - 1) * least.subs(lam, sqrt(level)), by=rising.scaled((L - 1) / 2))
        .then((L - 1) / (36 * d + pi), by=algebra)
        .ge(goal.rhs, by=sign)
    )
    return cases(
        goal,
        (Le(3 * reach, S.Half), having(low, missed)),
        (Ge(3 * reach, S.Half), having(larger, added)),
    )


floor = Claim(
    id="attention-floor",
    title=(
        "At any unit $k$, $v$ and any $lambda$, the excess risk of $erf$ attention is at least "
        "$min(gamma^2/4, (L - 1)/(36 d + pi))$"
    ),
    statement=Ge(excess, smaller),
    source="new",
    hypotheses=unit,
)


@floor.proof
def _(goal):
    """One of two terms of the lower bound is large, whatever $lambda$ is."""
    straight = chain(rho**2).le(1, by=sign)
    aligned = chain(alignment).le(3 * reach, by=lemma("informative-token-alignment"))
    both = chain(goal.lhs).ge(parts.statement.rhs, by=lemma("attention-lower-bound"))
    whole = both.ge(goal.rhs, by=lemma("attention-floor-trade", x=alignment))
    return having(straight, having(aligned, whole))
