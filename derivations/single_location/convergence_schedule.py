"""The last phase of descent while the inverse temperature falls.

After n steps of the phase it is lambda/(1 + c n), with lambda where the phase begins. The rates of
1 - nu and of 1 - kappa are at least of the first power in it, hence a constant over 1 + c n.
"""

from sympy import And, Ge, Le, Symbol, erf, exp, log, pi, sqrt

from slrsym import planar
from slrsym.convergence import (
    N0,
    B,
    Bs,
    N,
    Q,
    b,
    b0,
    cooled_kappa_rate,
    cooled_nu_rate,
    cooled_run,
    cooled_start,
    cooling,
    h,
    in_schedule,
    kappa_next,
    kappas,
    minus_kappa_slope,
    nu_next,
    nu_rate,
    nus,
    overlaps_after_planar_step,
    p,
    power_of_steps,
    r,
    schedule,
    v,
    ys,
)  # fmt: skip
from slrsym.notation import alpha, d, gamma, kappa, lam, nu
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    chain,
    having,
    increasing,
    induction,
    instance,
    lemma,
    sign,
    tangent,
)

z, w = Symbol("z", positive=True), Symbol("w", real=True)
n = Symbol("n", integer=True, nonnegative=True)
# By what the inverse temperature is divided.
f = Symbol("f", positive=True)
# By what b and N are multiplied.
y = Symbol("y", positive=True)


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
        .le(b_of_task, by=sign)
    )
    lower = chain(f * b_later).ge(b_of_task, by=sign)
    return having(more, less, all_of(upper, lower))


# -- one step ----------------------------------------------------------------------------------

at_nu = {b: y * b0}

step_nu = Claim(
    id="schedule-corner-nu",
    title=(
        "If $alpha Q <= 1$ and $b = y b_0$ with $0 < y <= 1$, a step from $kappa >= r$ and $nu "
        ">= v$ multiplies $1 - nu$ by at most $1 - s y$, with $s = alpha (1 - alpha Q) Q erf(b_0 "
        "r) (1 + v)$"
    ),
    statement=Le(
        1 - nu_next.subs(at_nu) - (1 - alpha * cooled_nu_rate * y) * (1 - nu), 0, evaluate=False
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
    rest = (1 - alpha * cooled_nu_rate * y) * (1 - nu)
    return having(
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
        - (1 - alpha * cooled_kappa_rate * y) * (1 - kappa),
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
    rest = (1 - alpha * cooled_kappa_rate * y) * (1 - kappa)
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
        .ge(cooled_kappa_rate * y, by=sign)
    )
    return having(
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

lost = Symbol("s", nonnegative=True)
first, after = (Symbol(name, real=True) for name in ("W_0", "W'"))
now = Symbol("W", nonnegative=True)


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
    first_positive = chain(first).ge(0, by=sign)
    return having(
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
    statement=Le(after, power_of_steps(n + 1, lost) * first, evaluate=False),
    source="new; $c > 0$",
    hypotheses=[
        Le(after, (1 - lost / (1 + cooling * n)) * now),
        Le(now, power_of_steps(n, lost) * first),
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
    return having(logs, less, chain(after).le(goal.rhs, by=lemma("schedule-exponent", values)))


# -- runs --------------------------------------------------------------------------------------

x_n, y_n, x_next, y_next = kappas[n], nus[n], kappas[n + 1], nus[n + 1]
here = {"kappa": x_n, "nu": y_n, N: ys[n] * N0, b: ys[n] * b0, B: Bs[n]}


def by_step(overlaps):
    """Begin a chain from an overlap with the step that leads to it."""
    which = (kappas, nus).index(overlaps)
    image = in_schedule(overlaps_after_planar_step(x_n, y_n)[which], n)
    return chain(overlaps[n + 1]).then(image, by=instance(cooled_run[which], n))


def cooled(proof):
    """Use in a proof what the schedule says at a step."""
    return having(
        chain(ys[n]).le(1, by=instance(schedule[0], n)),
        chain(ys[n] * (1 + cooling * n)).ge(1, by=instance(schedule[1], n)),
        chain(Bs[n]).ge(1, by=instance(schedule[2], n)),
        chain(alpha * ys[n] * N0).le(alpha * N0, by=sign).le(1, by=sign),
        proof,
    )


stays = Claim(
    id="schedule-run-stays",
    title=(
        "If $b$ is at most $b_0$, a run with short steps from $kappa_0 >= r >= 0$ and $nu_0 >= "
        "erf(b_0 r)$ keeps $kappa >= r$, and $nu$ does not fall below $nu_0$"
    ),
    statement=And(Ge(x_n, r), Le(x_n, 1), Ge(y_n, nus[0]), Le(y_n, 1), evaluate=False),
    source="new; short steps have $alpha N_0, alpha Q, 2 alpha N_0 b_0/sqrt(pi) <= 1$",
    hypotheses=cooled_start,
)


@stays.proof
def _(goal):
    """By induction: convergence-time-stays and planar-step-stays."""
    base = all_of(
        chain(kappas[0]).ge(r, by=sign),
        chain(kappas[0]).le(1, by=sign),
        chain(nus[0]).ge(nus[0], by=sign),
        chain(nus[0]).le(1, by=sign),
    )
    one = lemma("convergence-time-stays", here)
    argument = chain(ys[n] * b0 * r / Bs[n]).le(ys[n] * b0 * r, by=sign).le(b0 * r, by=sign)
    slope = alpha * N0 * 2 / sqrt(pi) * b0
    short = (
        chain(alpha * in_schedule(p, n))
        .le(slope * ys[n] ** 2, by=sign)
        .le(slope, by=sign)
        .le(1, by=sign)
    )
    return induction(
        goal,
        n,
        base=base,
        step=lambda known: cooled(
            having(
                chain(y_n)
                .ge(erf(b0 * r), by=sign)
                .ge(erf(ys[n] * b0 * r / Bs[n]), by=increasing(erf(w), w, argument)),
                short,
                by_step(nus).ge(y_n, by=one),
                all_of(
                    by_step(kappas).ge(r, by=one),
                    by_step(kappas).le(
                        1,
                        by=lemma(
                            "planar-step-stays",
                            x=x_n,
                            y=-alpha * in_schedule(minus_kappa_slope(x_n, y_n), n),
                        ),
                    ),
                    chain(y_next).ge(nus[0], by=sign),
                    by_step(nus).le(
                        1,
                        by=lemma("planar-step-stays", x=y_n, y=-alpha * Q * erf(ys[n] * b0 * x_n)),
                    ),
                ),
            )
        ),
    )


def beside(proof):
    """Use in a proof that the run stays at kappa >= r and does not lower nu."""
    stay = lemma("schedule-run-stays")
    return cooled(
        having(
            chain(x_n).ge(r, by=stay),
            chain(x_n).le(1, by=stay),
            chain(y_n).ge(nus[0], by=stay),
            chain(y_n).le(1, by=stay),
            proof,
        )
    )


def contraction(goal, overlaps, rate, which, *facts):
    """Prove by induction that the distance of an overlap from 1 falls like a power."""
    first_distance, here_distance, next_distance = (1 - overlaps[i] for i in (0, n, n + 1))
    factor = 1 - rate / (1 + cooling * n)
    powers = {first: first_distance, now: here_distance, after: next_distance, lost: rate}

    def step(known):
        return beside(
            having(
                *facts,
                chain(ys[n]).ge(1 / (1 + cooling * n), by=sign),
                chain(rate).ge(0, by=sign),
                by_step(overlaps).ge(
                    1 - (1 - rate * ys[n]) * here_distance, by=lemma(which, {**here, y: ys[n]})
                ),
                chain(next_distance)
                .le((1 - rate * ys[n]) * here_distance, by=sign)
                .le(factor * here_distance, by=sign),
                chain(next_distance).le(
                    power_of_steps(n + 1, rate) * first_distance, by=lemma("schedule-power", powers)
                ),
            )
        )

    return induction(goal, n, base=sign, step=step)


run_nu = Claim(
    id="schedule-run-nu",
    title=(
        "If $b_0/(1 + c t) <= b_t <= b_0$, a run with short steps from $kappa_0 >= r$ and $nu_0 >= "
        "erf(b_0 r)$ has $1 - nu_n <= (1 + c n)^(-s/c) (1 - nu_0)$, with the rate $s$ of "
        "schedule-corner-nu"
    ),
    statement=Le(1 - y_n, power_of_steps(n, alpha * cooled_nu_rate) * (1 - nus[0]), evaluate=False),
    source=(
        "new; $r, v >= 0$ and $nu_0 >= v$; short steps have $alpha N_0, alpha Q, 2 alpha N_0 "
        "b_0/sqrt(pi) <= 1$"
    ),
    hypotheses=[*cooled_start, Ge(nus[0], v)],
)


@run_nu.proof
def _(goal):
    """By induction: schedule-corner-nu and schedule-power."""
    enough = chain(y_n).ge(v, by=sign)
    return contraction(goal, nus, alpha * cooled_nu_rate, "schedule-corner-nu", enough)


run_kappa = Claim(
    id="schedule-run-kappa",
    title=(
        "If $b_0/(1 + c t) <= b_t <= b_0$, a run with short steps from $kappa_0 >= r$ and $nu_0 >= "
        "1 - h >= erf(b_0)$ has $1 - kappa_n <= (1 + c n)^(-s/c) (1 - kappa_0)$, with the rate $s$ "
        "of schedule-corner-kappa"
    ),
    statement=Le(
        1 - x_n, power_of_steps(n, alpha * cooled_kappa_rate) * (1 - kappas[0]), evaluate=False
    ),
    source="new; $r >= 0$; short steps have $alpha N_0, alpha Q, 2 alpha N_0 b_0/sqrt(pi) <= 1$",
    hypotheses=[*cooled_start, Ge(nus[0], 1 - h), Le(h, 1 - erf(b0))],
)


@run_kappa.proof
def _(goal):
    """By induction: schedule-corner-kappa and schedule-power."""
    enough = chain(y_n).ge(1 - h, by=sign)
    return contraction(goal, kappas, alpha * cooled_kappa_rate, "schedule-corner-kappa", enough)
