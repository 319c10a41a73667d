"""A lower bound on the risk of erf attention."""

from sympy import Abs, Ge, Le, Symbol, erf, pi, sqrt, symbols

from slrsym.gaussian import Expectation, erf_prime
from slrsym.papers.single_location.notation import (
    A,
    L,
    a,
    d,
    epsilon,
    eta,
    gamma,
    kappa,
    lam,
    nu,
    rho,
    s,
    theta,
)
from slrsym.papers.single_location.symbolic import risk_definition
from slrsym.papers.single_location.task import (
    U1,
    V1,
    Y1,
    U,
    V,
    informative_token_law,
    other_token_law,
)
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

# -- another token -------------------------------------------------------------------------------

other = other_token_law()
term = erf(lam * U) * V
mean = 2 * lam * rho / sqrt(pi * (1 + 2 * lam**2))
# The mean product of the term and U V - rho, whose variance is 1 + rho^2.
product = 2 * lam / sqrt(pi * (1 + 2 * lam**2)) * (1 + rho**2 / (1 + 2 * lam**2))
least = 4 / pi * lam**2 / (1 + 4 * lam**2)

# The distance of the term from any multiple of U V - rho and a constant.
p, q = symbols("p q", real=True)
square = Claim(
    id="other-token-distance",
    title=(
        "$E (V erf(lambda U) - p - q (U V - rho))^2$ is at least 0 for all $p$ and $q$, with "
        "the score $U$ and value $V$ of an uninformative token"
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
        "$V erf(lambda U)$ has a variance of at least $(4/pi) lambda^2/(1 + 4 lambda^2)$, for the "
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

token = informative_token_law()
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
        "$E (Y - V erf(lambda U) - p - q Y)^2$ is at least 0 for all $p$ and $q$, with the "
        "informative token's score $U$, value $V$ and target $Y$"
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
        "$gamma^2 (1 - c)^2$, with $gamma^2 c$ the closed form of $E[Y V erf(lambda U)]$"
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


x, y, c = Symbol("x", real=True), Symbol("y", real=True), Symbol("c", nonnegative=True)

split = Claim(
    id="erf-product-bound",
    title="$y erf(c x) <= c (x^2 + y^2)/sqrt(pi)$ for $c >= 0$",
    statement=Le(y * erf(c * x), c * (x**2 + y**2) / sqrt(pi)),
    source="new",
)


@split.proof
def _(goal):
    """By Lemma 17 (iii) the left side is at most $2 c |x| |y|/sqrt(pi)$."""
    return (
        chain(goal.lhs)
        .le(Abs(y) * Abs(erf(c * x)), by=sign)
        .le(2 * c * Abs(x) * Abs(y) / sqrt(pi), by=lemma("lemma-17-iii", x=c * x).scaled(Abs(y)))
        .then(goal.rhs - c * (Abs(x) - Abs(y)) ** 2 / sqrt(pi), by=algebra)
        .le(goal.rhs, by=sign)
    )


# Bounds on the overlaps of unit vectors k and v: k* and v* are orthogonal.
unit = [Le(kappa**2 + eta**2, 1), Le(nu**2 + theta**2, 1), Le(rho**2, 1)]
reach = 2 / sqrt(pi) * lam * drift

linear = Claim(
    id="informative-token-alignment",
    title=(
        "The mean of the informative token's term times its target, in closed form and divided by "
        "$gamma^2$, is at most $(2/sqrt(pi)) lambda sqrt(d/2)$"
    ),
    statement=Le(alignment, reach),
    source="new",
    hypotheses=unit,
)


@linear.proof
def _(goal):
    """Bound products of two overlaps by half the sum of their squares."""
    most, share = reach / A, s**2 / A**2
    steep = lam * drift * erf_prime(a) / A
    others = eta * theta - 2 * share * eta * rho * kappa
    top = (eta**2 + theta**2) / 2 + share
    small = (
        chain(others)
        .le((eta**2 + theta**2) / 2 + share * (rho**2 * eta**2 + kappa**2), by=sign)
        .le(top, by=sign)
    )
    whole = (
        chain(goal.lhs)
        .le(
            most * (kappa**2 + nu**2) / 2 + steep * others,
            by=lemma("erf-product-bound", x=kappa, y=nu, c=lam * drift / A),
        )
        .le(most * (kappa**2 + nu**2) / 2 + steep * top, by=sign)
        .le(most * (kappa**2 + nu**2) / 2 + most * top, by=sign)
        .le(most * (1 + share), by=sign)
        .le(goal.rhs, by=sign)
    )
    return having(small, whole)


# -- any directions ------------------------------------------------------------------------------

excess = risk_definition() - epsilon**2

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


# With m = (2/sqrt(pi)) lambda sqrt(d/2), the others add at least this times min(m, 1)^2.
cost = 2 * (L - 1) / (d + 2 * pi)
smaller = 2 * gamma**2 * (L - 1) / (gamma**2 * (d + 2 * pi) + 2 * (L - 1))

trade = Claim(
    id="attention-floor-trade",
    title=(
        "If $x <= lambda sqrt(2 d/pi)$, $gamma^2 (1 - x)^2$ plus $(2/pi) m lambda^2/(1 + 4 "
        "lambda^2)$ is at least $gamma^2 m/(gamma^2 (d + 2 pi) + m)$, $m = 2 (L - 1)$"
    ),
    statement=Ge(gamma**2 * (1 - x) ** 2 + (L - 1) * least, smaller, evaluate=False),
    source="new; $x$ is the $c$ of claim informative-token-variance",
    hypotheses=[Le(x, reach)],
)


@trade.proof
def _(goal):
    """If $lambda$ is small, the informative token is missed; else the others add too much."""
    low = (
        chain(lam**2)
        .then(pi / (2 * d) * (1 - (1 - reach) * (1 + reach)), by=algebra)
        .le(pi / (2 * d), by=sign)
    )
    near = (
        chain(goal.lhs)
        .then(
            gamma**2 * (1 - reach) ** 2
            + gamma**2 * (reach - x) * (reach - x + 2 * (1 - reach))
            + (L - 1) * least,
            by=algebra,
        )
        .ge(gamma**2 * (1 - reach) ** 2 + (L - 1) * least, by=sign)
        .ge(gamma**2 * (1 - reach) ** 2 + cost * reach**2, by=sign)
        .then(
            smaller + ((gamma**2 + cost) * reach - gamma**2) ** 2 / (gamma**2 + cost),
            by=algebra,
        )
        .ge(goal.rhs, by=sign)
    )
    far = chain(goal.lhs).ge((L - 1) * least, by=sign).ge(cost, by=sign).ge(goal.rhs, by=sign)
    return cases(goal, (Le(reach, 1), having(low, near)), (Ge(reach, 1), far))


floor = Claim(
    id="attention-floor",
    title=(
        "At any unit $k$, $v$ and any $lambda$, the excess risk of $erf$ attention is at "
        "least $gamma^2 m/(gamma^2 (d + 2 pi) + m)$ with $m = 2 (L - 1)$"
    ),
    statement=Ge(excess, smaller),
    source="new",
    hypotheses=unit,
)


@floor.proof
def _(goal):
    """One of two terms of the lower bound is large, whatever $lambda$ is."""
    aligned = chain(alignment).le(reach, by=lemma("informative-token-alignment"))
    both = chain(goal.lhs).ge(parts.statement.rhs, by=lemma("attention-lower-bound"))
    whole = both.ge(goal.rhs, by=lemma("attention-floor-trade", x=alignment))
    return having(aligned, whole)
