"""Corollary 2: the oracle predictor is asymptotically Bayes optimal; with a rate."""

from sympy import Eq, Ge, Integral, Le, Symbol, asin, atan, erf, exp, log, pi, sqrt

from slrsym.gaussian import OwensT, zeta
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
    cases,
    chain,
    definition,
    differentiate,
    fundamental_theorem,
    lemma,
    monotone,
    sign,
)

x = Symbol("x", nonnegative=True)
y, z, g = Symbol("y", real=True), Symbol("z", real=True), Symbol("g", real=True)
delta = Symbol("delta", positive=True)

# -- bounds of zeta and of the tail of erf -----------------------------------------------------

at_most_one = Claim(
    id="zeta-at-most-one",
    title="$zeta(t, s) <= 1$",
    statement=Le(zeta(y, g), 1),
    source="new",
)


@at_most_one.proof
def _(goal):
    """It is the mean of a square of $erf$."""
    return chain(goal.lhs).le(1, by=sign)


def arcs(w):
    return 2 / pi * asin(2 * w**2 / (1 + 2 * w**2))


quadratic = Claim(
    id="zeta-at-zero-bound",
    title="$zeta(0, s) <= (4/pi) s^2$",
    statement=Le(arcs(x) - 4 / pi * x**2, 0, evaluate=False),
    source="Appendix B.2; $zeta(0, s)$ is this arc sine by claim zeta-at-zero",
)


@quadratic.proof
def _(goal):
    """Both sides vanish at $s = 0$, and the right one grows faster."""

    def gap(w):
        return arcs(w) - 4 / pi * w**2

    slope = (
        chain(D(gap(z), z))
        .then(8 / pi * z * (1 / ((1 + 2 * z**2) * sqrt(1 + 4 * z**2)) - 1), by=differentiate)
        .le(0, by=sign)
    )
    return chain(goal.lhs).le(0, by=monotone(gap(z), z, start=x, end=0, derivative=slope))


def unit(f):
    return Integral(f, (z, 0, 1))


quarter_turn = Claim(
    id="arctangent-at-one",
    title="The integral of $(4/pi)/(1 + x^2)$ from 0 to 1 is 1",
    statement=Eq(4 / pi * unit(1 / (1 + z**2)), 1, evaluate=False),
    source="new",
)


@quarter_turn.proof
def _(goal):
    """The arc tangent of 1 is $pi/4$."""
    return chain(goal.lhs).then(1, by=fundamental_theorem(atan(z), z))


tail = Claim(
    id="erf-tail",
    title="$1 - erf(x)^2 <= exp(-x^2)$",
    statement=Ge(exp(-(y**2)) - (1 - erf(y) ** 2), 0),
    source="new",
)


@tail.proof
def _(goal):
    """By Owen's $T$ function, the left side is an integral of bells that lie below $exp(-x^2)$."""
    return (
        chain(goal.lhs)
        .then(exp(-(y**2)) - 8 * OwensT(sqrt(2) * y, 1), by=lemma("owens-t-at-one", h=sqrt(2) * y))
        .then(exp(-(y**2)) - 4 / pi * unit(exp(-(y**2) * (1 + z**2)) / (1 + z**2)), by=definition)
        .then(
            4 / pi * exp(-(y**2)) * unit(1 / (1 + z**2))
            - 4 / pi * unit(exp(-(y**2) * (1 + z**2)) / (1 + z**2)),
            by=lemma("arctangent-at-one"),
        )
        .then(4 / pi * unit(exp(-(y**2)) * (1 - exp(-(y**2) * z**2)) / (1 + z**2)), by=algebra)
        .ge(0, by=sign)
    )


complement = Claim(
    id="erfc-bound",
    title="$1 - erf(x) <= exp(-x^2)$ for $x >= 0$",
    statement=Le(1 - erf(x), exp(-(x**2))),
    source="new",
)


@complement.proof
def _(goal):
    """$1 - erf(x)^2$ has the factor $1 + erf(x)$, which is at least 1."""
    return chain(goal.lhs).le(1 - erf(x) ** 2, by=sign).le(exp(-(x**2)), by=lemma("erf-tail", y=x))


# -- the risk of the oracle predictor ----------------------------------------------------------

oracle = {kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}
excess = risk_definition().subs(oracle) - epsilon**2
t1 = lam * sqrt(d / 2)

bound = Claim(
    id="corollary-2-bound",
    title="An explicit upper bound on the excess risk of the oracle, in terms of $erf$",
    statement=Le(
        excess, 2 * gamma**2 * (1 - erf(t1 / A)) + 4 / pi * (L - 1) * lam**2, evaluate=False
    ),
    source="Appendix B.2",
)


@bound.proof
def _(goal):
    """Zeta is at most 1, and at 0 at most $(4/pi) lambda^2$."""
    others = (L - 1) * zeta(0, lam)
    return (
        chain(goal.lhs)
        .then(gamma**2 * (1 - 2 * erf(t1 / A) + zeta(t1, s)) + others, by=lemma("theorem-1"))
        .le(
            gamma**2 * (2 - 2 * erf(t1 / A)) + others,
            by=lemma("zeta-at-most-one", y=t1, g=s).scaled(gamma**2),
        )
        .le(goal.rhs, by=lemma("zeta-at-zero-bound", x=lam).scaled(L - 1))
    )


def closed_bound(square, weight):
    """The bound as a function of lambda^2, where `weight` stands for (4/pi) (L - 1)."""
    return 2 * gamma**2 * exp(-d / 2 * square / (1 + 2 * gamma**2 * square)) + weight * square


elementary = Claim(
    id="corollary-2-bound-elementary",
    title="An explicit upper bound on the excess risk of the oracle, in terms of an exponential",
    statement=Le(excess, closed_bound(lam**2, 4 / pi * (L - 1))),
    source="new",
)


@elementary.proof
def _(goal):
    """$1 - erf(x)$ is at most $exp(-x^2)$."""
    return (
        chain(goal.lhs)
        .le(bound.statement.rhs, by=lemma("corollary-2-bound"))
        .le(goal.rhs, by=lemma("erfc-bound", x=t1 / A).scaled(2 * gamma**2))
    )


nonnegative = Claim(
    id="corollary-2-nonnegative",
    title="The excess risk of the oracle is not negative",
    statement=Ge(excess, 0),
    source="(8)",
)


@nonnegative.proof
def _(goal):
    """Jensen's inequality: $zeta$ is at least the square of the mean, so squares are left."""
    e = erf(t1 / A)
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
        .ge(0, by=sign)
    )


limit_of_erf = Claim(
    id="erf-limit",
    title="$1 - erf(x) <= delta$ if $x >= 0$ and $x^2 >= log(1/delta)$",
    statement=Le(1 - erf(x), delta),
    source="Section 3, step 3, in numbers; $erf$ is odd",
    compared_to_source="stronger: with a rate",
    hypotheses=[Ge(x**2, -log(delta))],
)


@limit_of_erf.proof
def _(goal):
    """It falls short of 1 by less than $exp(-x^2)$."""
    return (
        chain(goal.lhs)
        .le(exp(-(x**2)), by=lemma("erfc-bound"))
        .le(delta, by=lemma("exp-falls", u=x**2, w=-log(delta)))
    )


# -- the limit ---------------------------------------------------------------------------------

u, w = Symbol("u", real=True), Symbol("w", real=True)

falling = Claim(
    id="exp-falls",
    title="$exp(-u) <= exp(-w)$ for $u >= w$",
    statement=Le(exp(-u) - exp(-w), 0),
    source="new",
    hypotheses=[Ge(u, w)],
)


@falling.proof
def _(goal):
    """Its derivative is negative."""
    gap = exp(-z) - exp(-w)
    slope = chain(D(gap, z)).then(-exp(-z), by=differentiate).le(0, by=sign)
    return chain(goal.lhs).le(0, by=monotone(gap, z, start=u, end=w, derivative=slope))


limit = Claim(
    id="corollary-2",
    title=(
        "The excess risk of the oracle is at most $delta$ if $lambda^2 d >= 4 log(4 "
        "gamma^2/delta)$, $lambda^2 L <= pi delta/8$ and $2 gamma^2 lambda^2 <= 1$"
    ),
    statement=Le(excess, delta),
    source=(
        "Corollary 2, in numbers: for each $delta$, $lambda sqrt(d)$ large, $lambda sqrt(L)$ small"
    ),
    compared_to_source="stronger: with explicit bounds in place of a limit",
    hypotheses=[
        Ge(lam**2 * d, 4 * log(4 * gamma**2 / delta)),
        Le(lam**2 * L, pi * delta / 8),
        Le(2 * gamma**2 * lam**2, 1),
    ],
    explanation=(
        "The excess risk of the oracle is at most $delta$, for any $delta > 0$, if $lambda^2 d$ "
        "is large and $lambda^2 L$ small enough. By Theorem 1 and bounds of $erf$ and $zeta$, the "
        "excess risk is at most an exponential in $-lambda^2 d/(2 A^2)$, times $2 gamma^2$, plus "
        "$4 lambda^2 (L - 1)/pi$. The first hypothesis, with the third, makes the exponential "
        "term at most $delta/2$: the third one says that $A^2 <= 2$. The second hypothesis makes "
        "the other term at most $delta/2$. In the paper $d$ tends to infinity with $L = o(d)$, "
        "and $lambda$ is such that $lambda sqrt(d)$ tends to infinity and $lambda sqrt(L)$ to 0; "
        "since $L >= 1$, then $lambda$ tends to 0, too, and all three hypotheses hold from some "
        "$d$ on."
    ),
)


@limit.proof
def _(goal):
    """$A^2 <= 2$ by the third hypothesis; the others make each term at most $delta/2$.

    Since $L >= 1$, the third holds where $lambda sqrt(L)$ is small enough.
    """
    first = d / 2 * lam**2 / (1 + 2 * gamma**2 * lam**2)
    middle = lam**2 * d / 4
    last = log(4 * gamma**2 / delta)
    return (
        chain(goal.lhs)
        .le(elementary.statement.rhs, by=lemma("corollary-2-bound-elementary"))
        .le(2 * gamma**2 * exp(-first) + delta / 2, by=sign)
        .le(
            2 * gamma**2 * exp(-middle) + delta / 2,
            by=lemma("exp-falls", u=first, w=middle).scaled(2 * gamma**2),
        )
        .le(delta, by=lemma("exp-falls", u=middle, w=last).scaled(2 * gamma**2))
    )


r = Symbol("r", real=True)

optimal = Claim(
    id="corollary-2-optimal",
    title=(
        "Under the conditions of Corollary 2, the risk of the oracle is at most $r + delta$ "
        "for every $r >= epsilon^2$"
    ),
    statement=Le(risk_definition().subs(oracle) - r, delta),
    source="Corollary 2, its conclusion; that $r$ is at least $epsilon^2$ is bayes-risk",
    compared_to_source="stronger: with explicit bounds in place of a limit",
    hypotheses=[*limit.hypotheses, Ge(r, epsilon**2)],
)


@optimal.proof
def _(goal):
    """The risk of the oracle is at most $epsilon^2 + delta$."""
    return chain(goal.lhs).le(epsilon**2 + delta - r, by=lemma("corollary-2")).le(delta, by=sign)


# The logarithm of d/L.
ratio = Symbol("l", positive=True)
many = L * exp(ratio)
warm = sqrt(4 * ratio / many)

rate = Claim(
    id="corollary-2-rate",
    title=(
        "If $lambda^2 = 4 l/d$ with $l = log(d/L)$ and $8 gamma^2 l <= d$, the excess risk of the "
        "oracle is at most $(2 gamma^2 + (16/pi) l) L/d$"
    ),
    statement=Le(
        excess.subs({d: many, lam: warm}, simultaneous=True),
        L / many * (2 * gamma**2 + 16 / pi * ratio),
    ),
    source="new",
    compared_to_source="stronger: with a rate of convergence",
    hypotheses=[Le(8 * gamma**2 * ratio, many)],
)


@rate.proof
def _(goal):
    """Insert this inverse temperature into both terms of the bound."""
    first = many / 2 * warm**2 / (1 + 2 * gamma**2 * warm**2)
    second = 4 / pi * (L - 1) * warm**2
    return (
        chain(goal.lhs)
        .le(
            2 * gamma**2 * exp(-first) + second,
            by=lemma("corollary-2-bound-elementary", {lam: warm, d: many}),
        )
        .le(
            2 * gamma**2 * exp(-ratio) + second,
            by=lemma("exp-falls", u=first, w=ratio).scaled(2 * gamma**2),
        )
        .le(goal.rhs, by=sign)
    )


# -- the best inverse temperature for the bound ------------------------------------------------

# The bound is convex in lambda^2. To give the best lambda for a weight (4/pi) (L - 1) takes
# Lambert's function; we give the weight for which a lambda is best, which says the same.
q, best = Symbol("q", nonnegative=True), Symbol("q_star", nonnegative=True)


def steepness(square):
    """Minus the derivative of the exponential term in lambda^2; gamma^2 d at 0, then it falls."""
    cooled = 1 + 2 * gamma**2 * square
    return gamma**2 * d / cooled**2 * exp(-d / 2 * square / cooled)


convex = Claim(
    id="corollary-2-bound-convex",
    title=(
        "For $q >= q*$, minus the derivative in $q = lambda^2$ of the exponential term of the "
        "bound, in closed form, is at most its value at $q*$"
    ),
    statement=Le(steepness(q) - steepness(best), 0),
    source="new",
    hypotheses=[Ge(q, best)],
)


@convex.proof
def _(goal):
    """Minus its derivative decreases in $lambda^2$."""
    cooled = 1 + 2 * gamma**2 * z
    gap = steepness(z) - steepness(best)
    slope = (
        chain(D(gap, z))
        .then(-steepness(z) * (4 * gamma**2 / cooled + d / 2 / cooled**2), by=differentiate)
        .le(0, by=sign)
    )
    return chain(goal.lhs).le(0, by=monotone(gap, z, start=q, end=best, derivative=slope))


best_temperature = Claim(
    id="corollary-2-best-temperature",
    title=(
        "The bound on the oracle's excess risk is least where the derivatives of its two terms in "
        "$lambda^2$, in closed form, are opposite"
    ),
    statement=Ge(
        closed_bound(q, steepness(best)) - closed_bound(best, steepness(best)), 0, evaluate=False
    ),
    source="new",
)


@best_temperature.proof
def _(goal):
    """Before the balance the bound falls in $lambda^2$, and beyond it the bound rises."""
    gap = closed_bound(z, steepness(best)) - closed_bound(best, steepness(best))
    slope = chain(D(gap, z)).then(steepness(best) - steepness(z), by=differentiate)
    beyond = slope.ge(0, by=lemma("corollary-2-bound-convex", q=z))
    before = slope.le(0, by=lemma("corollary-2-bound-convex", q=best, q_star=z))

    def side(derivative):
        return chain(goal.lhs).ge(0, by=monotone(gap, z, start=q, end=best, derivative=derivative))

    return cases(goal, (Ge(q, best), side(beyond)), (Le(q, best), side(before)))
