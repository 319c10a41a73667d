"""The excess risk of the oracle from above."""

from sympy import Le, Symbol, atan, erf, exp, pi, sqrt

from slrsym.gaussian import OwensT, zeta
from slrsym.papers.single_location.notation import (
    A,
    B,
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
from slrsym.proof import Claim, chain, lemma, sign

y = Symbol("y", real=True)
x = Symbol("x", nonnegative=True)
oracle = {kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}
excess = risk_definition().subs(oracle) - epsilon**2
t1 = lam * sqrt(d / 2)
e = erf(t1 / A)

# The argument of Owen's T in zeta, but for the factor sqrt(2).
h = t1 / A
decay = exp(-d * lam**2 / B**2)

variance = Claim(
    id="zeta-variance-bound",
    title="$zeta(t, s) - erf(t/A)^2 <= exp(-(1 + 1/B^2) t^2/A^2)$",
    statement=Le(zeta(y, s) - erf(y / A) ** 2, exp(-(1 + 1 / B**2) * (y / A) ** 2)),
    source="new",
)


@variance.proof
def _(goal):
    """The left side is a difference of two values of $T$; its bound has a factor of at most 1."""

    def owen(end):
        return 8 * OwensT(sqrt(2) * y / A, end)

    below_one = chain(1 / B).le(1, by=sign)
    return (
        chain(goal.lhs)
        .then(1 - owen(1 / B) - erf(y / A) ** 2, by=lemma("zeta-owens-t", t=y, s=s))
        .then(owen(1) - owen(1 / B), by=lemma("owens-t-at-one", h=sqrt(2) * y / A))
        .le(
            (1 - 4 / pi * atan(1 / B)) * goal.rhs,
            by=lemma("owens-t-upper-bound", y=y / A, c=1 / B).where(below_one),
        )
        .le(goal.rhs, by=sign)
    )


square = Claim(
    id="erfc-squared-bound",
    title="$(1 - erf(x))^2 <= exp(-2 x^2)$ for $x >= 0$",
    statement=Le((1 - erf(x)) ** 2, exp(-2 * x**2), evaluate=False),
    source="new",
)


@square.proof
def _(goal):
    """Square the bound $1 - erf(x) <= exp(-x^2)$."""
    return (
        chain(goal.lhs)
        .le((1 - erf(x)) * exp(-(x**2)), by=lemma("erfc-bound").scaled(1 - erf(x)))
        .le(goal.rhs, by=lemma("erfc-bound").scaled(exp(-(x**2))))
    )


bound = Claim(
    id="oracle-upper-bound",
    title=(
        "An upper bound on the excess risk of the oracle: an exponential plus a multiple of "
        "$lambda^2$"
    ),
    statement=Le(excess, 2 * gamma**2 * decay + 4 / pi * (L - 1) * lam**2),
    source="new; better than claim corollary-2-bound-elementary if $lambda gamma$ is small",
)


@bound.proof
def _(goal):
    """The square of the mean error and the variance decay alike."""
    others = (L - 1) * zeta(0, lam)
    fast, slow = d * lam**2 / A**2, d * lam**2 / B**2
    return (
        chain(goal.lhs)
        .then(
            gamma**2 * (1 - e) ** 2 + gamma**2 * (zeta(t1, s) - e**2) + others,
            by=lemma("theorem-1"),
        )
        .le(
            gamma**2 * (1 - e) ** 2 + gamma**2 * decay + others,
            by=lemma("zeta-variance-bound", y=t1).scaled(gamma**2),
        )
        .le(
            gamma**2 * exp(-fast) + gamma**2 * decay + others,
            by=lemma("erfc-squared-bound", x=h).scaled(gamma**2),
        )
        .le(2 * gamma**2 * decay + others, by=lemma("exp-falls", u=fast, w=slow).scaled(gamma**2))
        .le(goal.rhs, by=lemma("zeta-at-zero-bound", x=lam).scaled(L - 1))
    )


# The logarithm of d/L.
ratio, delta = Symbol("l", positive=True), Symbol("delta", positive=True)
many = L * exp(ratio)
warm = sqrt((1 + delta) * ratio / many)

rate = Claim(
    id="sharp-rate",
    title=(
        "If $lambda^2 = a/d$ with $a = (1 + delta) log(d/L)$ and $4 gamma^2 a <= delta d$, "
        "the excess risk of the oracle is at most $(2 gamma^2 + (4/pi) a) L/d$"
    ),
    statement=Le(
        excess.subs({d: many, lam: warm}, simultaneous=True),
        L / many * (2 * gamma**2 + 4 / pi * (1 + delta) * ratio),
    ),
    source="new",
    hypotheses=[Le(4 * gamma**2 * (1 + delta) * ratio, delta * many)],
)


@rate.proof
def _(goal):
    """By the hypothesis $B^2$ is at most $1 + delta$."""
    exponent = many * warm**2 / (1 + 4 * gamma**2 * warm**2)
    second = 4 / pi * (L - 1) * warm**2
    return (
        chain(goal.lhs)
        .le(
            2 * gamma**2 * exp(-exponent) + second,
            by=lemma("oracle-upper-bound", {lam: warm, d: many}),
        )
        .le(
            2 * gamma**2 * exp(-ratio) + second,
            by=lemma("exp-falls", u=exponent, w=ratio).scaled(2 * gamma**2),
        )
        .le(goal.rhs, by=sign)
    )
