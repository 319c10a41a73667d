"""The last phase of descent as $lambda$ falls.

After n steps of the phase it is lambda/(1 + c n), with lambda where the phase begins. The rates of
1 - nu and of 1 - kappa are at least of the first power in it, hence a constant over 1 + c n.
"""

from sympy import And, Ge, Le, Symbol, erf, exp, log, pi, sqrt, symbols

from slrsym.papers.single_location import planar
from slrsym.papers.single_location.convergence import (
    N0,
    B,
    Bs,
    N,
    Q,
    T,
    at_step_of_schedule,
    b,
    b0,
    cooled_kappa_rate,
    cooled_nu_rate,
    cooled_run,
    cooled_start,
    cooled_steps,
    cooling,
    decay_over_cooled_steps,
    h,
    kappa_next,
    kappas,
    minus_kappa_slope,
    nu_next,
    nu_rate,
    nus,
    overlaps_after_planar_step,
    p,
    r,
    schedule,
    v,
    ys,
)  # fmt: skip
from slrsym.papers.single_location.notation import alpha, d, gamma, kappa, lam, nu
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
    title=(
        "Dividing $lambda$ by $f >= 1$ replaces $b = lambda sqrt(d/2)/A$ by a number between "
        "$b/f$ and $b$"
    ),
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
        "If $alpha Q <= 1$, $b = y b_0$, $0 < y <= 1$, a step from $kappa >= r$, $nu >= v$ "
        "multiplies $1 - nu$ by at most $1 - s y$, with $s$ in closed form"
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
        "If $alpha N_0 <= 1$, $b = y b_0$, $N = y N_0$, $y <= 1$, a step from $kappa >= r$, "
        "$nu >= 1 - h >= erf(b_0)$ multiplies $1 - kappa$ by at most $1 - s y$"
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
        "If $0 <= W <= ((1 + c k)/(1 + c T))^(-s/c) W_0$, $W' <= (1 - s/(1 + c k)) W$, $k = T + "
        "n$, then $W' <= ((1 + c l)/(1 + c T))^(-s/c) W_0$ at $l = k + 1$"
    ),
    statement=Le(after, decay_over_cooled_steps(n + 1, lost, T) * first, evaluate=False),
    source="new; $s >= 0$, $c > 0$",
    hypotheses=[
        Le(after, (1 - lost / (1 + cooling * (T + n))) * now),
        Le(now, decay_over_cooled_steps(n, lost, T) * first),
    ],
)


@telescoped.proof
def _(goal):
    """The logarithm lies below its tangent at $1 + c k$."""
    start, here, there = (1 + cooling * steps for steps in (T, T + n, T + n + 1))
    logs = chain(log(there)).le(
        log(here) + cooling / here, by=tangent(log(z), z, at=here, point=there)
    )
    before, later = (lost / cooling * (log(end) - log(start)) for end in (here, there))
    less = chain(later).le(before + lost / here, by=sign)
    values = {share: lost / here, exponent: before, next_exponent: later}
    return having(logs, less, chain(after).le(goal.rhs, by=lemma("schedule-exponent", values)))


# -- the number of steps -----------------------------------------------------------------------

far, near, rate = symbols("W_1 W_0 s", positive=True)

enough = Claim(
    id="schedule-enough",
    title=(
        "For $s, W_0, W_1 > 0$: $((1 + c k)/(1 + c T))^(-s/c) W_1 <= W_0$ once $log((1 + c k)/(1 "
        "+ c T))/c$ is at least $log(W_1/W_0)/s$"
    ),
    statement=Le(decay_over_cooled_steps(n, rate, T) * far, near, evaluate=False),
    source="new; the left side of the condition is $n$ in the limit of small $c$",
    hypotheses=[
        Ge(cooled_steps(n, T), (log(far) - log(near)) / rate),
    ],
)


@enough.proof
def _(goal):
    """The exponential is increasing."""
    times = chain(-rate * cooled_steps(n, T)).le(log(near) - log(far), by=sign)
    factor = chain(exp(-rate * cooled_steps(n, T))).le(near / far, by=increasing(exp(w), w, times))
    return having(factor, chain(goal.lhs).le(near, by=sign))


# -- runs --------------------------------------------------------------------------------------

# A run n steps after the phase has begun, and one step later.
x_n, y_n, x_next, y_next = kappas[T + n], nus[T + n], kappas[T + n + 1], nus[T + n + 1]
here = {"kappa": x_n, "nu": y_n, N: ys[T + n] * N0, b: ys[T + n] * b0, B: Bs[T + n]}

slower = Claim(
    id="schedule-falls",
    title=(
        "A sequence that rises at no step is, from step $T$ on, never above its value at step $T$"
    ),
    statement=Le(ys[T + n], ys[T], evaluate=False),
    source="new",
    hypotheses=[schedule[2]],
)


@slower.proof
def _(goal):
    """By induction."""
    one = chain(ys[T + n + 1]).le(ys[T + n], by=instance(schedule[2], T + n))
    return induction(
        goal,
        n,
        base=sign,
        step=lambda known: having(one, chain(ys[T + n + 1]).le(ys[T], by=sign)),
    )


def by_step(overlaps):
    """Begin a chain from an overlap with the step that leads to it."""
    which = (kappas, nus).index(overlaps)
    image = at_step_of_schedule(overlaps_after_planar_step(x_n, y_n)[which], T + n)
    return chain(overlaps[T + n + 1]).then(image, by=instance(cooled_run[which], T + n))


def cooled(proof):
    """Use in a proof what the schedule says at a step."""
    y_now, B_now = ys[T + n], Bs[T + n]
    return having(
        chain(y_now).le(1, by=instance(schedule[0], T + n)),
        chain(y_now * (1 + cooling * (T + n))).ge(1, by=instance(schedule[1], T + n)),
        chain(y_now).le(ys[T], by=lemma("schedule-falls")),
        chain(B_now).ge(1, by=instance(schedule[3], T + n)),
        chain(alpha * y_now * N0).le(alpha * N0, by=sign).le(1, by=sign),
        proof,
    )


stays = Claim(
    id="schedule-run-stays",
    title=(
        "If $b_t = y_t b_0$ falls, a run with short steps from $kappa_T >= r >= 0$ and $nu_T >= "
        "erf(b_T r)$ keeps $kappa >= r$, and $nu$ does not fall below $nu_T$"
    ),
    statement=And(Ge(x_n, r), Le(x_n, 1), Ge(y_n, nus[T]), Le(y_n, 1), evaluate=False),
    source="new; short steps have $alpha N_0, alpha Q, 2 alpha N_0 b_0/sqrt(pi) <= 1$",
    hypotheses=cooled_start,
)


@stays.proof
def _(goal):
    """By induction: convergence-time-stays and planar-step-stays."""
    base = all_of(
        chain(kappas[T]).ge(r, by=sign),
        chain(kappas[T]).le(1, by=sign),
        chain(nus[T]).ge(nus[T], by=sign),
        chain(nus[T]).le(1, by=sign),
    )
    one = lemma("convergence-time-stays", here)
    b_now, b_start = ys[T + n] * b0, ys[T] * b0
    argument = chain(b_now * r / Bs[T + n]).le(b_now * r, by=sign).le(b_start * r, by=sign)
    slope = alpha * N0 * 2 / sqrt(pi) * b0
    short = (
        chain(alpha * at_step_of_schedule(p, T + n))
        .le(slope * ys[T + n] ** 2, by=sign)
        .le(slope, by=sign)
        .le(1, by=sign)
    )
    at_kappa = -alpha * at_step_of_schedule(minus_kappa_slope(x_n, y_n), T + n)
    at_nu = -alpha * Q * erf(b_now * x_n)
    return induction(
        goal,
        n,
        base=base,
        step=lambda known: cooled(
            having(
                chain(x_n).ge(0, by=sign),
                chain(y_n).ge(0, by=sign),
                chain(y_n)
                .ge(erf(b_start * r), by=sign)
                .ge(erf(b_now * r / Bs[T + n]), by=increasing(erf(w), w, argument)),
                short,
                by_step(nus).ge(y_n, by=one),
                all_of(
                    by_step(kappas).ge(r, by=one),
                    by_step(kappas).le(1, by=lemma("planar-step-stays", x=x_n, y=at_kappa)),
                    chain(y_next).ge(nus[T], by=sign),
                    by_step(nus).le(1, by=lemma("planar-step-stays", x=y_n, y=at_nu)),
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
            chain(y_n).ge(nus[T], by=stay),
            chain(y_n).le(1, by=stay),
            proof,
        )
    )


def contraction(goal, overlaps, rate, which, *facts):
    """Prove by induction that the distance of an overlap from 1 falls like a power."""
    first_distance, here_distance, next_distance = (1 - overlaps[i] for i in (T, T + n, T + n + 1))
    power = 1 / (1 + cooling * (T + n))
    powers = {first: first_distance, now: here_distance, after: next_distance, lost: rate}
    step_of_distance = lemma(which, {**here, y: ys[T + n]})

    def step(known):
        return beside(
            having(
                *facts,
                chain(ys[T + n]).ge(power, by=sign),
                chain(rate).ge(0, by=sign),
                by_step(overlaps).ge(
                    1 - (1 - rate * ys[T + n]) * here_distance, by=step_of_distance
                ),
                chain(next_distance)
                .le((1 - rate * ys[T + n]) * here_distance, by=sign)
                .le((1 - rate * power) * here_distance, by=sign),
                chain(next_distance).le(
                    decay_over_cooled_steps(n + 1, rate, T) * first_distance,
                    by=lemma("schedule-power", powers),
                ),
            )
        )

    return induction(goal, n, base=sign, step=step)


run_nu = Claim(
    id="schedule-run-nu",
    title=(
        "If $b_t >= b_0/(1 + c t)$ falls, a run as in schedule-run-stays has $1 - nu$ at most $((1 "
        "+ c k)/(1 + c T))^(-s/c) (1 - nu_T)$ at $k = T + n$"
    ),
    statement=Le(
        1 - y_n,
        decay_over_cooled_steps(n, alpha * cooled_nu_rate, T) * (1 - nus[T]),
        evaluate=False,
    ),
    source="new; $nu_T >= v >= 0$; the rate $s$ is that of schedule-corner-nu",
    hypotheses=[*cooled_start, Ge(nus[T], v)],
)


@run_nu.proof
def _(goal):
    """By induction: schedule-corner-nu and schedule-power."""
    above = chain(y_n).ge(v, by=sign)
    return contraction(goal, nus, alpha * cooled_nu_rate, "schedule-corner-nu", above)


run_kappa = Claim(
    id="schedule-run-kappa",
    title=(
        "If $b_t >= b_0/(1 + c t)$ falls and $nu_T >= 1 - h >= erf(b_0)$, a run has $1 - kappa$ at "
        "most $((1 + c k)/(1 + c T))^(-s/c) (1 - kappa_T)$ at $k = T + n$"
    ),
    statement=Le(
        1 - x_n,
        decay_over_cooled_steps(n, alpha * cooled_kappa_rate, T) * (1 - kappas[T]),
        evaluate=False,
    ),
    source="new; as in schedule-run-stays; the rate $s$ is that of schedule-corner-kappa",
    hypotheses=[*cooled_start, Ge(nus[T], 1 - h), Le(h, 1 - erf(b0))],
)


@run_kappa.proof
def _(goal):
    """By induction: schedule-corner-kappa and schedule-power."""
    above = chain(y_n).ge(1 - h, by=sign)
    return contraction(goal, kappas, alpha * cooled_kappa_rate, "schedule-corner-kappa", above)
