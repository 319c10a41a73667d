"""How many steps descent on the manifold needs, from near the saddle to the oracle."""

from sympy import And, Eq, Ge, Gt, Le, Lt, Symbol, log, pi, sqrt, symbols

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
        "$R_kappa = -N e^(-b^2 kappa^2) (nu - erf(b kappa/B))$: Lemma 7 is the planar map with "
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


# -- all phases --------------------------------------------------------------------------------

counts = n1, n2, n3, n4 = symbols("n_1:5", integer=True, nonnegative=True)
grown, of_start = symbols("W W_0", positive=True)
faster, slower_nu, slower_kappa = symbols("q_1 q_3 q_4", positive=True)
s2, s3, s4, reached, left_nu, left_kappa = symbols("s_2 s_3 s_4 r h delta", positive=True)
first_nu, first_kappa = symbols("V_0 U_0", positive=True)
bounds = (
    log(grown / of_start) / log(faster),
    reached / s2,
    log(first_nu / left_nu) / s3,
    log(first_kappa / left_kappa) / s4,
)

total = Claim(
    id="convergence-time-sum",
    title=(
        "If four phases are not over after $n_1$ to $n_4$ steps of growth, of gains $s_2$, and of "
        "contraction at the rates $s_3$ and $s_4$, then $n_1 + n_2 + n_3 + n_4$ is at most three "
        "logarithms, each divided by a rate, and $r/s_2$"
    ),
    statement=Le(sum(counts), sum(bounds), evaluate=False),
    source="new; a phase is over at most one step after its bound",
    hypotheses=[
        Gt(faster, 1),
        Le(faster**n1 * of_start, grown),
        Le(n2 * s2, reached),
        Le(slower_nu, 1 - s3),
        Ge(slower_nu**n3 * first_nu, left_nu),
        Le(slower_kappa, 1 - s4),
        Ge(slower_kappa**n4 * first_kappa, left_kappa),
    ],
)


@total.proof
def _(goal):
    """Each phase by its own bound."""
    of_growth, of_passage, of_nu = bounds[:3]
    positive = chain(log(faster)).gt(0, by=sign)
    by_growth = lemma("convergence-time-growth-count", n=n1, q=faster, V=grown, V_0=of_start)
    by_nu = lemma(
        "convergence-time-contraction-count", n=n3, q=slower_nu, s=s3, V=left_nu, V_0=first_nu
    )
    by_kappa = lemma(
        "convergence-time-contraction-count",
        n=n4, q=slower_kappa, s=s4, V=left_kappa, V_0=first_kappa,
    )  # fmt: skip
    return having(
        positive,
        chain(goal.lhs)
        .le(of_growth + n2 + n3 + n4, by=by_growth.scaled(1 / log(faster)))
        .le(of_growth + of_passage + n3 + n4, by=sign)
        .le(of_growth + of_passage + of_nu + n4, by=by_nu.scaled(1 / s3))
        .le(goal.rhs, by=by_kappa.scaled(1 / s4)),
    )


# -- the start ---------------------------------------------------------------------------------

weight, distance = Symbol("w", positive=True), Symbol("delta", positive=True)
growth_rate = Symbol("g", positive=True)

start_size = Claim(
    id="convergence-time-start",
    title="If $kappa nu >= delta$, then $g kappa + w nu >= 2 (g w delta)^(1/2)$",
    statement=Ge(
        growth_rate * kappa + weight * nu, 2 * sqrt(growth_rate * weight * distance), evaluate=False
    ),
    source="new; $w$ is $m N$: the steps of growth are logarithmic in $1/delta$",
    hypotheses=[Ge(kappa, 0), Ge(nu, 0), Ge(kappa * nu, distance)],
)


@start_size.proof
def _(goal):
    """The geometric mean is at most the arithmetic one."""
    both, difference = growth_rate * weight, growth_rate * kappa - weight * nu
    square = (
        chain(4 * both * distance)
        .le(4 * both * kappa * nu, by=sign)
        .le(4 * both * kappa * nu + difference**2, by=sign)
        .then((growth_rate * kappa + weight * nu) ** 2, by=algebra)
    )
    return chain(goal.lhs).ge(goal.rhs, by=increasing(sqrt(z), z, square))
