"""How many steps descent on the manifold needs, from near the saddle to the oracle."""

from sympy import And, Eq, Ge, Gt, Le, Lt, Symbol, exp, log, pi, sqrt, symbols

from slrsym import planar
from slrsym.convergence import constants, p, push
from slrsym.notation import alpha, gamma, kappa, nu
from slrsym.planar import C, M, N, P, Q, b
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    chain,
    differentiate,
    equal_by_derivative,
    having,
    increasing,
    induction,
    lemma,
    sign,
    tangent,
)

# -- the paper's task --------------------------------------------------------------------------

slope = Claim(
    id="convergence-time-slope",
    title=(
        "$R_kappa = -N e^(-b^2 kappa^2) (nu - erf(b kappa/B))$, so that Lemma 7 is the planar map with "
        "$N = 4 gamma^2 b/sqrt(pi)$ and $Q = 2 gamma^2$"
    ),
    statement=Eq(planar.R_kappa(kappa, nu), -push.subs(constants), evaluate=False),
    source="Lemma 7; $R_nu$ is $-Q erf(b kappa)$ as it stands",
)


@slope.proof
def _(goal):
    """By the definition of $erf'$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


fall = p.subs(constants)

sizes = Claim(
    id="convergence-time-step-size",
    title="A step size below $1/C$ is at most $1/N$, $1/Q$ and $1/p$",
    statement=And(Le(alpha * N, 1), Le(alpha * Q, 1), Le(alpha * fall, 1), evaluate=False),
    source="new; $p = 2 N b/(sqrt(pi) B)$",
    hypotheses=[Lt(alpha * C, 1)],
)


@sizes.proof
def _(goal):
    """$N$ is half of $P$, and $p$ at most half of $M$."""
    known = lemma("step-size-descent", P=P, Q=Q, M=M, N=N)
    return all_of(
        chain(alpha * N).le(alpha * P, by=sign).le(1, by=known),
        chain(alpha * Q).le(1, by=known),
        chain(alpha * fall)
        .le(8 * alpha * gamma**2 * b**2 / pi, by=sign)
        .le(alpha * M / 2, by=sign)
        .le(alpha * C, by=sign)
        .le(1, by=sign),
    )


# -- from one step to n ------------------------------------------------------------------------

n = Symbol("n", integer=True, nonnegative=True)
now, following, start = symbols("W W' W_0", nonnegative=True)
q = Symbol("q", positive=True)

repeated = Claim(
    id="convergence-time-induction-growth",
    title="Induction step: if $W_n >= q^n W_0$ and $W_(n + 1) >= q W_n$, it holds at $n + 1$",
    statement=Ge(following, q ** (n + 1) * start, evaluate=False),
    source="new; $W$ and $W'$ are $W_n$ and $W_(n + 1)$",
    hypotheses=[Ge(now, q**n * start), Ge(following, q * now)],
)


@repeated.proof
def _(goal):
    """Multiply by $q$."""
    steps = chain(following).ge(q * now, by=sign).ge(q * q**n * start, by=sign)
    return steps.then(goal.rhs, by=algebra)


contracted = Claim(
    id="convergence-time-induction-contraction",
    title="Induction step: if $W_n <= q^n W_0$ and $W_(n + 1) <= q W_n$, it holds at $n + 1$",
    statement=Le(following, q ** (n + 1) * start, evaluate=False),
    source="new; $W$ and $W'$ are $W_n$ and $W_(n + 1)$",
    hypotheses=[Le(now, q**n * start), Le(following, q * now)],
)


@contracted.proof
def _(goal):
    """Multiply by $q$."""
    steps = chain(following).le(q * now, by=sign).le(q * q**n * start, by=sign)
    return steps.then(goal.rhs, by=algebra)


step = Symbol("s", positive=True)

added = Claim(
    id="convergence-time-induction-passage",
    title="Induction step: if $W_n >= n s + W_0$ and $W_(n + 1) >= W_n + s$, it holds at $n + 1$",
    statement=Ge(following, (n + 1) * step + start, evaluate=False),
    source="new; $W$ and $W'$ are $W_n$ and $W_(n + 1)$",
    hypotheses=[Ge(now, n * step + start), Ge(following, now + step)],
)


@added.proof
def _(goal):
    """Add $s$."""
    return chain(following).ge(now + step, by=sign).ge(goal.rhs, by=sign)


# -- how many steps a phase takes --------------------------------------------------------------

x, y, z, first, last = symbols("x y z V_0 V", positive=True)

product = Claim(
    id="log-of-product",
    title="$log(x y) = log(x) + log(y)$",
    statement=Eq(log(x * y), log(x) + log(y), evaluate=False),
    source="school",
)


@product.proof
def _(goal):
    """Both sides agree at $y = 1$, and have the derivative $1/y$ in $y$."""
    return equal_by_derivative(
        goal,
        y,
        at=1,
        value=algebra,
        derivative=chain(D(goal.lhs, y))
        .then(1 / y, by=differentiate)
        .then(D(goal.rhs, y), by=differentiate),
    )


powers = Claim(
    id="log-of-power",
    title="$log(q^n) = n log(q)$",
    statement=Eq(log(q**n), n * log(q), evaluate=False),
    source="school",
)


@powers.proof
def _(goal):
    """The logarithm of a product is the sum of the logarithms."""

    def following(known):
        return (
            chain(log(q ** (n + 1)))
            .then(log(q**n) + log(q), by=lemma("log-of-product", x=q**n, y=q))
            .then(n * log(q) + log(q), by=known)
            .then((n + 1) * log(q), by=algebra)
        )

    return induction(goal, n, base=algebra, step=following)


growing = Claim(
    id="convergence-time-growth-count",
    title="If $q^n V_0 <= V$, then $n log(q) <= log(V/V_0)$",
    statement=Le(n * log(q), log(last / first), evaluate=False),
    source="new; $q$ is $1 + alpha g$",
    hypotheses=[Le(q**n * first, last)],
)


@growing.proof
def _(goal):
    """Take logarithms."""
    known = chain(q**n).le(last / first, by=sign)
    return (
        chain(goal.lhs)
        .then(log(q**n), by=lemma("log-of-power"))
        .le(goal.rhs, by=increasing(log(z), z, known))
    )


# What is left of a distance after a step is at most its part q.
rate = Symbol("s", positive=True)

shrinking = Claim(
    id="convergence-time-contraction-count",
    title="If $q^n V_0 >= V$ and $q <= 1 - s$, then $n s <= log(V_0/V)$",
    statement=Le(n * rate, log(first / last), evaluate=False),
    source="new; $s$ is $alpha$ times the rate",
    hypotheses=[Le(q, 1 - rate), Ge(q**n * first, last)],
)


@shrinking.proof
def _(goal):
    """The logarithm of $q$ is at most $q - 1$."""
    known = chain(last / first).le(q**n, by=sign)
    below = chain(log(q)).le(q - 1, by=tangent(log(z), z, at=1, point=q)).le(-rate, by=sign)
    logs = chain(log(last / first)).le(log(q**n), by=increasing(log(z), z, known))
    inverse = chain(0).then(
        log(first / last) + log(last / first),
        by=lemma("log-of-product", x=first / last, y=last / first),
    )
    return having(
        below,
        having(
            logs,
            having(
                inverse,
                chain(goal.lhs)
                .le(-n * log(q), by=sign)
                .then(-log(q**n), by=lemma("log-of-power"))
                .le(-log(last / first), by=sign)
                .then(goal.rhs, by=algebra),
            ),
        ),
    )
