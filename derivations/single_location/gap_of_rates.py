"""The excess risk of the oracle from below.

With $l = log(d/L)$, the excess risk of the oracle is at least of the order $l L/d$ at every inverse
temperature, and at most of this order at the best one. Both constants can be as close to $4/pi$ as
one likes.
"""

from sympy import Ge, Le, Symbol, asin, atan, erf, exp, pi, sqrt

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
    D,
    algebra,
    ball_arithmetic,
    cases,
    chain,
    differentiate,
    having,
    lemma,
    monotone,
    sign,
    tangent,
)

x = Symbol("x", nonnegative=True)
z = Symbol("z", real=True)

oracle = {kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}
excess = risk_definition().subs(oracle) - epsilon**2
t1 = lam * sqrt(d / 2)
e = erf(t1 / A)
informative = gamma**2 * (1 - 2 * e + zeta(t1, s))

# -- from below ----------------------------------------------------------------------------------


def arcs(w):
    return 2 / pi * asin(2 * w**2 / (1 + 2 * w**2))


def of_others(square):
    """A lower bound on what another token adds, as a function of lambda^2."""
    return 4 / pi * square / (1 + 2 * square)


arcs_below = Claim(
    id="zeta-at-zero-below",
    title="$zeta(0, s) >= (4/pi) s^2/(1 + 2 s^2)$",
    statement=Ge(arcs(x) - of_others(x**2), 0),
    source="new; $zeta(0, s)$ is this arc sine by claim zeta-at-zero",
)


@arcs_below.proof
def _(goal):
    """Both terms vanish at $s = 0$, and their difference grows with $s$."""

    def gap(w):
        return arcs(w) - of_others(w**2)

    slope = (
        chain(D(gap(z), z))
        .then(
            8 / pi * z / (1 + 2 * z**2) * (1 / sqrt(1 + 4 * z**2) - 1 / (1 + 2 * z**2)),
            by=differentiate,
        )
        .ge(0, by=sign)
    )
    return chain(goal.lhs).ge(0, by=monotone(gap(z), z, start=x, end=0, derivative=slope))


below = Claim(
    id="oracle-lower-bound",
    title="A lower bound on the excess risk of the oracle, in terms of $erf$",
    statement=Ge(excess, gamma**2 * (1 - e) ** 2 + (L - 1) * of_others(lam**2), evaluate=False),
    source="new",
)


@below.proof
def _(goal):
    """Jensen's inequality for the informative token; an arc sine is at least its argument."""
    return (
        chain(goal.lhs)
        .then(
            gamma**2 * (1 - e) ** 2 + gamma**2 * (zeta(t1, s) - e**2) + (L - 1) * zeta(0, lam),
            by=lemma("theorem-1"),
        )
        .ge(
            gamma**2 * (1 - e) ** 2 + (L - 1) * zeta(0, lam),
            by=lemma("zeta-variance-nonnegative", t=t1, s=s).scaled(gamma**2),
        )
        .ge(goal.rhs, by=lemma("zeta-at-zero-below", x=lam).scaled(L - 1))
    )


# Any number from 0 to 1: the smaller, the better the exponent, and the worse the factor.
c = Symbol("c", nonnegative=True)
q, level, r = (Symbol(name, nonnegative=True) for name in ("q", "q_0", "r"))


def of_informative(square):
    """A lower bound on what the informative token adds, as a function of lambda^2."""
    return 4 / pi**2 * gamma**2 * atan(c) ** 2 * exp(-(1 + c**2) * d * square)


short = Claim(
    id="oracle-lower-bound-informative",
    title="A lower bound on $(1 - erf(x))^2$ that decays as $exp(-2 (1 + c^2) x^2)$",
    statement=Ge(
        (1 - erf(x)) ** 2, 4 / pi**2 * atan(c) ** 2 * exp(-2 * (1 + c**2) * x**2), evaluate=False
    ),
    source="new",
    hypotheses=[Le(c, 1)],
)


@short.proof
def _(goal):
    """Multiply the bound on $1 - erf(x)$ by $1 - erf(x)$, and once more by itself."""
    p = 2 / pi * atan(c) * exp(-(1 + c**2) * x**2)
    return (
        chain(goal.lhs)
        .ge((1 - erf(x)) * p, by=lemma("erfc-below").scaled(1 - erf(x)))
        .ge(p**2, by=lemma("erfc-below").scaled(p))
        .then(goal.rhs, by=algebra)
    )


exponential = Claim(
    id="oracle-lower-bound-elementary",
    title="A lower bound on the excess risk of the oracle, in terms of an exponential",
    statement=Ge(excess, of_informative(lam**2) + (L - 1) * of_others(lam**2), evaluate=False),
    source="new",
    hypotheses=[Le(c, 1)],
)


@exponential.proof
def _(goal):
    """The argument of $erf$ is at most $lambda sqrt(d/2)$."""
    slow, fast = (1 + c**2) * d * lam**2 / A**2, (1 + c**2) * d * lam**2
    factor = 4 / pi**2 * gamma**2 * atan(c) ** 2
    others = (L - 1) * of_others(lam**2)
    return (
        chain(goal.lhs)
        .ge(gamma**2 * (1 - e) ** 2 + others, by=lemma("oracle-lower-bound"))
        .ge(
            factor * exp(-slow) + others,
            by=lemma("oracle-lower-bound-informative", x=t1 / A).scaled(gamma**2),
        )
        .ge(factor * exp(-fast) + others, by=lemma("exp-falls", u=fast, w=slow).scaled(factor))
    )


rising = Claim(
    id="oracle-lower-bound-others-rise",
    title="$q/(1 + 2 q)$ does not decrease in $q >= 0$",
    statement=Ge(of_others(q) - of_others(level), 0),
    source="school",
    hypotheses=[Ge(q, level)],
)


@rising.proof
def _(goal):
    """The difference is a positive multiple of the difference of the arguments."""
    return (
        chain(goal.lhs)
        .then(4 / pi * (q - level) / ((1 + 2 * q) * (1 + 2 * level)), by=algebra)
        .ge(0, by=sign)
    )


every = Claim(
    id="oracle-lower-bound-every-temperature",
    title=(
        "For $q > 0$, $0 <= c <= 1$, the oracle's excess risk is at least the smaller of $(2 "
        "gamma atan(c)/pi)^2 exp(-(1 + c^2) d q)$ and $(4/pi) (L - 1) q/(1 + 2 q)$"
    ),
    statement=Ge(excess, r),
    source="new",
    hypotheses=[
        Le(c, 1),
        Le(r, of_informative(level)),
        Le(r, (L - 1) * of_others(level)),
    ],
)


@every.proof
def _(goal):
    """Up to $lambda^2 = q_0$ the informative token adds enough, and beyond it the others do."""
    both = chain(goal.lhs).ge(exponential.statement.rhs, by=lemma("oracle-lower-bound-elementary"))
    factor = 4 / pi**2 * gamma**2 * atan(c) ** 2
    w, u = (1 + c**2) * d * lam**2, (1 + c**2) * d * level
    cold = (
        both.ge(of_informative(lam**2), by=sign)
        .ge(of_informative(level), by=lemma("exp-falls", u=u, w=w).scaled(factor))
        .ge(r, by=sign)
    )
    warm = (
        both.ge((L - 1) * of_others(lam**2), by=sign)
        .ge(
            (L - 1) * of_others(level),
            by=lemma("oracle-lower-bound-others-rise", q=lam**2).scaled(L - 1),
        )
        .ge(r, by=sign)
    )
    return cases(goal, (Le(lam**2, level), cold), (Ge(lam**2, level), warm))


# -- the gap -------------------------------------------------------------------------------------

a = Symbol("a", nonnegative=True)

gap_of_rates = Claim(
    id="gap-of-rates",
    title=(
        "At every $lambda$, the oracle's excess risk is at least $(4/pi) a (L - 1)/(d + 2 a)$ "
        "if $pi a L e^((1 + c^2) a)$ is at most $d gamma^2 atan(c)^2$, $0 <= c <= 1$, $a >= "
        "0$"
    ),
    statement=Ge(excess, 4 / pi * a * (L - 1) / (d + 2 * a)),
    source="new",
    hypotheses=[Le(c, 1), Le(pi * a * L / d, gamma**2 * atan(c) ** 2 * exp(-(1 + c**2) * a))],
)


@gap_of_rates.proof
def _(goal):
    """Compare both bounds at $lambda^2 = a/d$, where the others add less."""
    value = goal.rhs
    first = chain(value).le(4 / pi * a * L / d, by=sign).le(of_informative(a / d), by=sign)
    second = chain(value).le((L - 1) * of_others(a / d), by=sign)
    every = lemma("oracle-lower-bound-every-temperature", {level: a / d, r: value})
    return having(first, having(second, chain(goal.lhs).ge(value, by=every)))


# The logarithm of d/L.
ratio = Symbol("l", positive=True)
many = L * exp(ratio)
excess_of_many = excess.subs(d, many)
loss = (1 - c**2) / (1 + c**2)

logarithm = Claim(
    id="gap-of-rates-logarithm",
    title=(
        "For $d > L$, if $a = w log(d/L)$, $0 <= c <= 1$, and $pi a <= gamma^2 atan(c)^2 "
        "(d/L)^(c^2)$, the oracle has excess risk $>= (4/pi) a (L - 1)/(d + 2 a)$"
    ),
    statement=Ge(excess_of_many, 4 / pi * loss * ratio * (L - 1) / (many + 2 * loss * ratio)),
    source="new; $w = (1 - c^2)/(1 + c^2)$",
    hypotheses=[Le(c, 1), Le(pi * loss * ratio, gamma**2 * atan(c) ** 2 * exp(c**2 * ratio))],
)


@logarithm.proof
def _(goal):
    """Take $a = w l$, so that $(1 + c^2) a = (1 - c^2) l$."""
    split = exp(-(1 + c**2) * loss * ratio)
    known = (
        chain(pi * loss * ratio * L / many)
        .le(gamma**2 * atan(c) ** 2 * exp(c**2 * ratio) * exp(-ratio), by=sign)
        .then(gamma**2 * atan(c) ** 2 * split, by=algebra)
    )
    return having(
        known, chain(goal.lhs).ge(goal.rhs, by=lemma("gap-of-rates", {d: many, a: loss * ratio}))
    )


explicit = Claim(
    id="gap-of-rates-explicit",
    title=(
        "If $d > L$, $l = log(d/L) <= (pi/4) gamma^2 exp(l/2)$, the excess risk of the oracle is "
        "at least $(1/pi) l (L - 1)/(d + l/2)$ at every $lambda$"
    ),
    statement=Ge(excess_of_many, ratio * (L - 1) / (pi * (many + ratio / 2))),
    source="new",
    hypotheses=[Le(ratio, pi / 4 * gamma**2 * exp(ratio / 2))],
)


@explicit.proof
def _(goal):
    """Take $c = 1$ and $a = l/4$."""
    largest = gamma**2 * atan(1) ** 2 * exp(-2 * ratio / 4)
    known = chain(pi * ratio / 4 * L / many).le(largest, by=sign)
    rate = lemma("gap-of-rates", {d: many, a: ratio / 4, c: 1})
    return having(known, chain(goal.lhs).ge(goal.rhs, by=rate))


tangent_at_two = Claim(
    id="gap-of-rates-ratio",
    title="$l <= (pi/4) exp(l/2)$ for $l > 0$",
    statement=Le(ratio, pi / 4 * exp(ratio / 2)),
    source="new",
)


@tangent_at_two.proof
def _(goal):
    """The tangent of $exp(l/2)$ at $l = 2$ is $e l/2$, and $pi e/8$ is more than 1."""
    more = chain(pi / 8 * exp(1)).ge(1, by=ball_arithmetic)
    return having(
        more,
        chain(goal.lhs)
        .le(pi / 8 * exp(1) * ratio, by=sign)
        .le(goal.rhs, by=tangent(pi / 4 * exp(z / 2), z, at=2, point=ratio)),
    )


large_variance = Claim(
    id="gap-of-rates-large-variance",
    title=(
        "If $gamma >= 1$ and $d > L$, the excess risk of the oracle is at least $(1/pi) l (L - "
        "1)/(d + l/2)$ at every $lambda$, where $l = log(d/L)$"
    ),
    statement=explicit.statement,
    source="new",
    hypotheses=[Ge(gamma, 1)],
)


@large_variance.proof
def _(goal):
    """Then the hypothesis of claim gap-of-rates-explicit holds."""
    known = (
        chain(ratio)
        .le(pi / 4 * exp(ratio / 2), by=lemma("gap-of-rates-ratio"))
        .le(pi / 4 * gamma**2 * exp(ratio / 2), by=sign)
    )
    return having(known, chain(goal.lhs).ge(goal.rhs, by=lemma("gap-of-rates-explicit")))
