"""How many steps descent needs."""

from sympy import Ge, Le, Lt, Symbol, erf, exp, log, symbols

from slrsym.papers.single_location import notation, planar
from slrsym.papers.single_location.notation import kappa, nu
from slrsym.papers.single_location.planar import N, Q, b
from slrsym.proof import (
    Claim,
    D,
    algebra,
    chain,
    differentiate,
    having,
    increasing,
    lemma,
    monotone,
    sign,
)

y, z = Symbol("y", nonnegative=True), Symbol("z", real=True)

# -- all phases --------------------------------------------------------------------------------

positive = Symbol("x", positive=True)
top, size, least_size, a, s2, s3, s4 = symbols("W_1 W W_0 a s_2 s_3 s_4", positive=True)
r, v, q, h = symbols("r v q h", positive=True)
kappa2, nu3, kappa4 = symbols("kappa_2 nu_3 kappa_4", real=True)


def total(size, kappa2, nu3, kappa4):
    """Return the sum of the counts at the beginnings of four phases, and a step for each phase."""
    of_growth = (log(top) - log(size)) * (1 + a) / a
    of_nu, of_kappa = (log(1 - nu3) - log(h)) / s3, (log(1 - kappa4) - log(1 - q)) / s4
    return 4 + of_growth + (r - kappa2) / s2 + of_nu + of_kappa


def compared(larger, smaller):
    """Show that the logarithm keeps the order of two numbers."""
    order = chain(larger).ge(smaller, by=sign)
    return chain(log(larger)).ge(log(smaller), by=increasing(log(positive), positive, order))


added = Claim(
    id="convergence-time-sum",
    title=(
        "The bound on the steps of the four phases is largest if each phase begins at its "
        "least value: $W = W_0$, $kappa = 0$, $nu = v$ and $kappa = r$"
    ),
    statement=Le(total(size, kappa2, nu3, kappa4), total(least_size, 0, v, r), evaluate=False),
    source=(
        "new; growth begins at $W >= W_0$, the passage at $kappa_2$, the contraction of $1 - nu$ "
        "at $nu_3$, and that of $1 - kappa$ up to $kappa = q$ at $kappa_4$; a phase lasts at most "
        "one step longer than its count; if the last is cut in parts, each has its own $r$ and $q$"
    ),
    hypotheses=[
        Ge(size, least_size),
        Ge(kappa2, 0),
        Ge(nu3, v),
        Lt(nu3, 1),
        Ge(kappa4, r),
        Lt(kappa4, 1),
        Lt(q, 1),
    ],
)


@added.proof
def _(goal):
    """Each count is largest where its phase begins as early as it can."""
    parts = (
        chain(goal.lhs)
        .le(total(least_size, kappa2, nu3, kappa4), by=sign)
        .le(total(least_size, 0, nu3, kappa4), by=sign)
        .le(total(least_size, 0, v, kappa4), by=sign)
        .le(goal.rhs, by=sign)
    )
    for larger, smaller in ((size, least_size), (1 - v, 1 - nu3), (1 - r, 1 - kappa4)):
        parts = having(compared(larger, smaller), parts)
    return parts


# -- the risk ----------------------------------------------------------------------------------


B = notation.B


def slope(x):
    """Return minus the slope of the risk in kappa, at kappa = x and nu = 1."""
    return N * exp(-((b * x) ** 2)) * (1 - erf(b * x / B))


def with_larger(x, larger, proof):
    """Use in a proof that both factors of the slope are smaller at the larger number."""
    farther = chain(b * larger / B).ge(b * x / B, by=sign)
    falls = lemma("exp-falls", u=(b * larger) ** 2, w=(b * x) ** 2)
    bell = chain(exp(-((b * larger) ** 2))).le(exp(-((b * x) ** 2)), by=falls)
    level = chain(erf(b * larger / B)).ge(erf(b * x / B), by=increasing(erf(y), y, farther))
    positive = chain(larger).ge(0, by=sign)
    return having(positive, having(bell, having(level, proof)))


convex = Claim(
    id="convergence-time-risk-in-kappa",
    title=(
        "At $nu = 1$ on the manifold, the risk exceeds that of the oracle, where $kappa >= 0$, by "
        "at most $N e^(-b^2 kappa^2) (1 - erf(b kappa/B)) (1 - kappa)$"
    ),
    statement=Le(
        planar.risk(kappa, 1) - planar.risk(1, 1), slope(kappa) * (1 - kappa), evaluate=False
    ),
    source="new; on the manifold, for $kappa >= 0$; $N$ as in convergence-time-slope",
    hypotheses=[Ge(kappa, 0), Le(kappa, 1)],
)


@convex.proof
def _(goal):
    """The slope of the risk has its largest absolute value at the left end."""
    sloped = planar.risk(z, 1) + slope(kappa) * z
    rises = (
        chain(D(sloped, z))
        .then(slope(kappa) - slope(z), by=differentiate)
        .ge(slope(kappa) - N * exp(-((b * kappa) ** 2)) * (1 - erf(b * z / B)), by=sign)
        .ge(0, by=sign)
    )
    rising = with_larger(kappa, z, rises)
    return chain(goal.lhs).le(
        goal.rhs, by=monotone(sloped, z, start=kappa, end=1, derivative=rising)
    )


excess = Claim(
    id="convergence-time-risk",
    title=(
        "On the manifold the risk exceeds the oracle's by at most $Q erf(x) (1 - nu)$ plus $N "
        "e^(-x^2) (1 - erf(x/B)) (1 - kappa)$, where $x = b kappa >= 0$"
    ),
    statement=Le(
        planar.risk(kappa, nu) - planar.risk(1, 1),
        Q * erf(b * kappa) * (1 - nu) + slope(kappa) * (1 - kappa),
        evaluate=False,
    ),
    source="new; on the manifold, for $kappa >= 0$; $N$ and $Q$ as in convergence-time-slope",
    hypotheses=[Ge(kappa, 0), Le(kappa, 1)],
)


@excess.proof
def _(goal):
    """The risk is linear in $nu$; at $nu = 1$ see convergence-time-risk-in-kappa."""
    by_nu = Q * erf(b * kappa) * (1 - nu)
    return (
        chain(goal.lhs)
        .then(planar.risk(kappa, 1) - planar.risk(1, 1) + by_nu, by=algebra)
        .le(goal.rhs, by=lemma("convergence-time-risk-in-kappa"))
    )


reached = Claim(
    id="convergence-time-end",
    title=(
        "On the manifold, where $kappa >= r > 0$ and $nu >= 1 - h$, the risk is at most $Q h + N "
        "e^(-b^2 r^2) (1 - erf(b r/B)) (1 - r)$ above that of the oracle"
    ),
    statement=Le(
        planar.risk(kappa, nu) - planar.risk(1, 1), Q * h + slope(r) * (1 - r), evaluate=False
    ),
    source="new; with $r = q$ when all phases are over",
    hypotheses=[Ge(kappa, r), Le(kappa, 1), Ge(nu, 1 - h), Le(nu, 1)],
)


@reached.proof
def _(goal):
    """Both terms of the bound fall as $kappa$ and $nu$ grow."""
    by_nu, left = Q * erf(b * kappa) * (1 - nu), 1 - kappa
    return with_larger(
        r,
        kappa,
        chain(goal.lhs)
        .le(by_nu + slope(kappa) * left, by=lemma("convergence-time-risk"))
        .le(Q * h + slope(kappa) * left, by=sign)
        .le(Q * h + N * exp(-((b * r) ** 2)) * (1 - erf(b * kappa / B)) * left, by=sign)
        .le(Q * h + slope(r) * left, by=sign)
        .le(goal.rhs, by=sign),
    )
