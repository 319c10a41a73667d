"""The exchanged pair $k = v*$, $v = k*$."""

from sympy import Ge, Le, Rational, Symbol, atan, exp, pi, sqrt

from slrsym.gaussian import zeta
from slrsym.papers.single_location.notation import (
    A,
    L,
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
from slrsym.proof import (
    Claim,
    algebra,
    ball_arithmetic,
    chain,
    gaussian_calculus,
    having,
    lemma,
    sign,
)

a, c = Symbol("a", nonnegative=True), Symbol("c", nonnegative=True)

exchanged = {kappa: 0, nu: 0, theta: 1, eta: 1, rho: 0}
excess = risk_definition().subs(exchanged) - epsilon**2

bound = Claim(
    id="exchanged-pair-bound",
    title="An explicit upper bound on the excess risk of the exchanged pair $k = v*$, $v = k*$",
    statement=Le(
        excess,
        gamma**2
        + 2 * lam**2 / pi * (2 * gamma**4 + gamma**2 * d + 2 * (L - 1))
        - 4 * lam * gamma**2 * sqrt(d / 2) / (sqrt(pi) * A),
    ),
    source="new",
)


@bound.proof
def _(goal):
    """$zeta(0, s)$ is at most $(4/pi) s^2$, for the informative token and for the others."""
    pull = 4 * lam * gamma**2 * sqrt(d / 2) / (sqrt(pi) * A)
    return (
        chain(goal.lhs)
        .then(
            gamma**2 + (gamma**2 + d / 2) * zeta(0, s) + (L - 1) * zeta(0, lam) - pull,
            by=gaussian_calculus,
        )
        .le(
            gamma**2 + (gamma**2 + d / 2) * 4 / pi * s**2 + (L - 1) * zeta(0, lam) - pull,
            by=lemma("zeta-at-zero-bound", x=s).scaled(gamma**2 + d / 2),
        )
        .le(goal.rhs, by=lemma("zeta-at-zero-bound", x=lam).scaled(L - 1))
    )


tuned = sqrt(pi / (2 * d))
cost = ((pi + 2) * gamma**4 + 2 * (L - 1)) / d

rate = Claim(
    id="exchanged-pair-rate",
    title=(
        "With $lambda^2 = pi/(2 d)$, the excess risk of the exchanged pair $k = v*$, $v = k*$ is "
        "at most $((pi + 2) gamma^4 + 2 (L - 1))/d$"
    ),
    statement=Le(excess.subs(lam, tuned), cost),
    source="new",
)


@rate.proof
def _(goal):
    """There the three terms of order 1 cancel, up to a factor $1 - 1/A$."""
    width = sqrt(1 + 2 * gamma**2 * tuned**2)
    return (
        chain(goal.lhs)
        .le(bound.statement.rhs.subs(lam, tuned), by=lemma("exchanged-pair-bound", {lam: tuned}))
        .then(2 * gamma**2 * (1 - 1 / width) + (2 * gamma**4 + 2 * (L - 1)) / d, by=algebra)
        .le(goal.rhs, by=lemma("lemma-16-one-sided", x=pi * gamma**2 / d).scaled(2 * gamma**2))
    )


# -- beside the oracle ---------------------------------------------------------------------------

oracle = {kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}
at_oracle = risk_definition().subs(oracle) - epsilon**2
# A dimension of at least 1200 L; so written, random points of it are found.
large = 1200 * L + Symbol("m", nonnegative=True)

better = Claim(
    id="exchanged-pair-better",
    title=(
        "If $1/2 <= gamma^2 <= 1$, $L >= 20$ and $d >= 1200 L$, the oracle's excess risk at any "
        "$lambda$ is at least $((pi + 2) gamma^4 + 2 (L - 1))/d$"
    ),
    statement=Le(cost.subs(d, large), at_oracle.subs(d, large)),
    source="new; $d = 1200 L + m$; so the exchanged pair has at most the risk of the oracle",
    hypotheses=[Ge(gamma, 1 / sqrt(2)), Le(gamma, 1), Ge(L, 20)],
)


@better.proof
def _(goal):
    """Compare the bound with that of claim gap-of-rates."""
    floor = 8 / pi * (L - 1) / (large + 4)
    cold = chain(1200 * pi * exp(-4)).ge(64, by=ball_arithmetic)
    hypothesis = (
        chain(2 * pi * L / large)
        .le(pi**2 / 32 * exp(-4), by=sign)
        .le(gamma**2 * atan(1) ** 2 * exp(-4), by=sign)
    )
    compared = (
        chain(goal.lhs)
        .le((pi + 2 + 2 * (L - 1)) / large, by=sign)
        .le(Rational(23, 10) * (L - 1) / large, by=sign)
        .le(floor, by=sign)
        .le(goal.rhs, by=lemma("gap-of-rates", {a: 2, c: 1, d: large}))
    )
    return having(cold, having(hypothesis, compared))
