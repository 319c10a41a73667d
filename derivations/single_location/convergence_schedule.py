"""The last phase of descent while the inverse temperature falls.

After n steps of the phase it is lambda/(1 + c n), with lambda where the phase begins. The rates of
1 - nu and of 1 - kappa are at least of the first power in it, hence a constant over 1 + c n.
"""

from sympy import And, Ge, Le, Symbol, erf, exp, log, sqrt

from slrsym import planar
from slrsym.convergence import (
    B,
    N,
    Q,
    b,
    h,
    kappa_next,
    nu_next,
    nu_rate,
    r,
    v,
)  # fmt: skip
from slrsym.notation import alpha, d, gamma, kappa, lam, nu
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    chain,
    having,
    increasing,
    lemma,
    sign,
    tangent,
)

z, w = Symbol("z", positive=True), Symbol("w", real=True)
n = Symbol("n", integer=True, nonnegative=True)
# By what the inverse temperature is divided; b and N where the phase begins.
f = Symbol("f", positive=True)
# By what b and N are multiplied.
y = Symbol("y", positive=True)
b0, N0 = (Symbol(name, positive=True) for name in ("b_0", "N_0"))


def knowing(*facts_and_proof):
    """Show facts one after the other, and use them in the proof at the end."""
    *facts, proof = facts_and_proof
    for fact in reversed(facts):
        proof = having(fact, proof)
    return proof


# -- the constants of the planar map -----------------------------------------------------------

b_of_task = planar.b
b_later = b_of_task.subs(lam, lam / f)

falls = Claim(
    id="schedule-scale",
    title="Divided by $f >= 1$, an inverse temperature has a $b$ between $b/f$ and $b$",
    statement=And(
        Le(b_later, b_of_task, evaluate=False),
        Ge(f * b_later, b_of_task, evaluate=False),
        evaluate=False,
    ),
    source="new; $b = lambda (d/2)^(1/2)/A$ as in Lemma 7",
    hypotheses=[Ge(f, 1)],
)


@falls.proof
def _(goal):
    """$A$ is less than before, but not by a factor of $f$."""
    spread = 2 * lam**2 * gamma**2
    more = chain(sqrt(f**2 + spread)).ge(
        sqrt(1 + spread), by=increasing(sqrt(z), z, chain(f**2 + spread).ge(1 + spread, by=sign))
    )
    less = chain(sqrt(1 + spread / f**2)).le(
        sqrt(1 + spread),
        by=increasing(sqrt(z), z, chain(1 + spread / f**2).le(1 + spread, by=sign)),
    )
    upper = (
        chain(b_later)
        .then(lam * sqrt(d / 2) / sqrt(f**2 + spread), by=algebra)
        .le(lam * sqrt(d / 2) / sqrt(1 + spread), by=sign)
        .then(b_of_task, by=algebra)
    )
    lower = (
        chain(f * b_later)
        .then(lam * sqrt(d / 2) / sqrt(1 + spread / f**2), by=algebra)
        .ge(lam * sqrt(d / 2) / sqrt(1 + spread), by=sign)
        .then(b_of_task, by=algebra)
    )
    return knowing(more, less, all_of(upper, lower))


# -- one step ----------------------------------------------------------------------------------

slower_nu_rate = nu_rate.subs(b, b0)
at_nu = {b: y * b0}

step_nu = Claim(
    id="schedule-corner-nu",
    title=(
        "If $alpha Q <= 1$ and $b = y b_0$ with $0 < y <= 1$, a step from $kappa >= r$ and $nu "
        ">= v$ multiplies $1 - nu$ by at most $1 - s y$, with $s = alpha (1 - alpha Q) Q erf(b_0 "
        "r) (1 + v)$"
    ),
    statement=Le(
        1 - nu_next.subs(at_nu) - (1 - alpha * slower_nu_rate * y) * (1 - nu), 0, evaluate=False
    ),
    source="new; $r, v >= 0$",
    hypotheses=[
        Ge(kappa, r), Le(kappa, 1), Ge(nu, v), Le(nu, 1), Le(alpha * Q, 1), Le(y, 1)
    ],
)  # fmt: skip


@step_nu.proof
def _(goal):
    """The error function lies above its chord."""
    higher = chain(erf(y * b0 * r)).ge(y * erf(b0 * r), by=lemma("erf-above-chord", r=y, w=b0 * r))
    rest = (1 - alpha * slower_nu_rate * y) * (1 - nu)
    return knowing(
        higher,
        chain(goal.lhs)
        .le(
            (1 - alpha * nu_rate.subs(at_nu)) * (1 - nu) - rest,
            by=lemma("convergence-time-corner-nu", {b: y * b0}),
        )
        .then(
            -alpha * (1 - alpha * Q) * Q * (1 + v) * (1 - nu) * (erf(y * b0 * r) - y * erf(b0 * r)),
            by=algebra,
        )
        .le(0, by=sign),
    )


slower_kappa_rate = (1 - alpha * N0) * N0 * exp(-(b0**2)) * (1 - erf(b0) - h) * (1 + r)
at_kappa = {b: y * b0, N: y * N0}

step_kappa = Claim(
    id="schedule-corner-kappa",
    title=(
        "If $alpha N_0 <= 1$, $b = y b_0$ and $N = y N_0$ with $0 < y <= 1$, a step from $kappa >= "
        "r$ and $nu >= 1 - h >= erf(b_0)$ multiplies $1 - kappa$ by at most $1 - s y$, with $s = "
        "alpha (1 - alpha N_0) N_0 m (1 + r)$ and $m = e^(-b_0^2) (1 - erf(b_0) - h)$"
    ),
    statement=Le(
        1 - kappa_next.subs(at_kappa, simultaneous=True)
        - (1 - alpha * slower_kappa_rate * y) * (1 - kappa),
        0,
        evaluate=False,
    ),
    source="new; $r >= 0$ and $B >= 1$",
    hypotheses=[
        Ge(kappa, r), Le(kappa, 1), Ge(nu, 1 - h), Le(nu, 1), Le(h, 1 - erf(b0)),
        Le(alpha * N0, 1), Le(y, 1), Ge(B, 1),
    ],
)  # fmt: skip


@step_kappa.proof
def _(goal):
    """Each factor of the rate but $N$ rises as the inverse temperature falls."""
    bn, Nn = y * b0, y * N0
    rate_now = (1 - alpha * Nn) * Nn * exp(-(bn**2)) * (1 - erf(bn / B) - h) * (1 + r)
    rest = (1 - alpha * slower_kappa_rate * y) * (1 - kappa)
    lower = chain(erf(bn / B)).le(
        erf(b0), by=increasing(erf(w), w, chain(bn / B).le(bn, by=sign).le(b0, by=sign))
    )
    bell = chain(exp(-(bn**2))).ge(exp(-(b0**2)), by=lemma("exp-falls", u=b0**2, w=bn**2))
    near = (1 + r) * (1 - erf(b0) - h)
    short = chain(alpha * Nn).le(alpha * N0, by=sign).le(1, by=sign)
    room = chain(h).le(1 - erf(b0), by=sign).le(1 - erf(bn / B), by=sign)
    slower = (
        chain(rate_now)
        .ge((1 - alpha * Nn) * Nn * exp(-(bn**2)) * near, by=sign)
        .ge((1 - alpha * Nn) * Nn * exp(-(b0**2)) * near, by=sign)
        .ge((1 - alpha * N0) * Nn * exp(-(b0**2)) * near, by=sign)
        .then(slower_kappa_rate * y, by=algebra)
    )
    return knowing(
        lower,
        bell,
        short,
        room,
        slower,
        chain(goal.lhs)
        .le(
            (1 - alpha * rate_now) * (1 - kappa) - rest,
            by=lemma("convergence-time-corner-kappa", {b: bn, N: Nn}, q=1),
        )
        .le(0, by=sign),
    )


# -- many steps --------------------------------------------------------------------------------

cooling, lost = Symbol("c", positive=True), Symbol("s", nonnegative=True)
first, after = (Symbol(name, real=True) for name in ("W_0", "W'"))
now = Symbol("W", nonnegative=True)


def power(steps, rate):
    """Return (1 + c n)^(-s/c), by which the distance has fallen after some steps at least."""
    return exp(-rate / cooling * log(1 + cooling * steps))


share, exponent, next_exponent = (Symbol(name, real=True) for name in "xul")

exponents = Claim(
    id="schedule-exponent",
    title=(
        "If $0 <= W <= e^(-u) W_0$, $W' <= (1 - x) W$ and $l <= u + x$, then $W' <= e^(-l) W_0$"
    ),
    statement=Le(after, exp(-next_exponent) * first, evaluate=False),
    source="new",
    hypotheses=[
        Le(after, (1 - share) * now),
        Le(now, exp(-exponent) * first),
        Le(next_exponent, exponent + share),
    ],
)


@exponents.proof
def _(goal):
    """$e^(-x)$ lies above its tangent at 0."""
    factor = chain(1 - share).le(exp(-share), by=tangent(exp(w), w, at=0, point=-share))
    slower = chain(exp(-share - exponent)).le(
        exp(-next_exponent),
        by=increasing(exp(w), w, chain(-share - exponent).le(-next_exponent, by=sign)),
    )
    positive = chain(exp(-exponent) * first).ge(now, by=sign).ge(0, by=sign)
    first_positive = (
        chain(first).then(exp(exponent) * (exp(-exponent) * first), by=algebra).ge(0, by=sign)
    )
    return knowing(
        factor,
        slower,
        positive,
        first_positive,
        chain(after)
        .le((1 - share) * now, by=sign)
        .le(exp(-share) * now, by=sign)
        .le(exp(-share) * (exp(-exponent) * first), by=sign)
        .then(exp(-share - exponent) * first, by=algebra)
        .le(goal.rhs, by=sign),
    )


telescoped = Claim(
    id="schedule-power",
    title=(
        "If $s, W >= 0$, $W <= (1 + c n)^(-s/c) W_0$ and $W' <= (1 - s/(1 + c n)) W$, then $W' <= "
        "(1 + c (n + 1))^(-s/c) W_0$"
    ),
    statement=Le(after, power(n + 1, lost) * first, evaluate=False),
    source="new; $c > 0$",
    hypotheses=[
        Le(after, (1 - lost / (1 + cooling * n)) * now),
        Le(now, power(n, lost) * first),
    ],
)


@telescoped.proof
def _(goal):
    """The logarithm lies below its tangent at $1 + c n$."""
    here, there = 1 + cooling * n, 1 + cooling * (n + 1)
    logs = chain(log(there)).le(
        log(here) + cooling / here, by=tangent(log(z), z, at=here, point=there)
    )
    less = chain(lost / cooling * log(there)).le(lost / cooling * log(here) + lost / here, by=sign)
    values = {
        share: lost / here,
        exponent: lost / cooling * log(here),
        next_exponent: lost / cooling * log(there),
    }
    return knowing(logs, less, chain(after).le(goal.rhs, by=lemma("schedule-exponent", values)))
