"""From the saddle to the oracle as $lambda$ falls.

After growth, kappa passes a number r, and then both overlaps tend to 1. Each phase is over when
log(1 + c k)/c has risen by as much as the number of steps would at constant inverse temperature.
"""

from sympy import And, Ge, Gt, Le, Lt, Or, Symbol, erf, log

from slrsym.papers.single_location.convergence import (
    B0,
    N0,
    Bs,
    Q,
    T,
    at_step_of_schedule,
    b0,
    cooled_gain,
    cooled_kappa_rate,
    cooled_nu_rate,
    cooled_run,
    cooled_start,
    cooled_steps,
    cooling,
    decay_over_cooled_steps,
    growth_conditions,
    growth_rate,
    h,
    kappas,
    nus,
    overlaps_after_planar_step,
    q,
    r,
    schedule,
    short_steps,
    time,
    v,
    weight,
    weighted_overlaps,
    ys,
)  # fmt: skip
from slrsym.papers.single_location.notation import alpha
from slrsym.proof import (
    Claim,
    ForAll,
    all_of,
    by_claim,
    cases,
    chain,
    having,
    increasing,
    induction,
    instance,
    lemma,
    sign,
    tangent,
)

w, z = Symbol("w", positive=True), Symbol("z", nonnegative=True)
n, n3, n4 = (Symbol(name, integer=True, nonnegative=True) for name in ("n", "n_3", "n_4"))

# A run n steps after the phase has begun, and one step later.
k = T + n
x_n, y_n, x_next, y_next = kappas[k], nus[k], kappas[k + 1], nus[k + 1]
# Any number that is at most the gain of schedule-passage.
gained = Symbol("s", nonnegative=True)


# -- passage of kappa --------------------------------------------------------------------------

logarithm = Claim(
    id="schedule-logarithm",
    title="From step $k$ to step $k + 1$, $log(1 + c k)/c$ rises by at most $1/(1 + c k)$",
    statement=Le(
        cooled_steps(n + 1, T), cooled_steps(n, T) + 1 / (1 + cooling * k), evaluate=False
    ),
    source="school; $log(1 + c T)/c$ is taken from both sides",
)


@logarithm.proof
def _(goal):
    """The logarithm lies below its tangent at $1 + c k$."""
    here, there = 1 + cooling * k, 1 + cooling * (k + 1)
    below = tangent(log(w), w, at=here, point=there)
    return having(
        chain(log(there)).le(log(here) + cooling / here, by=below),
        chain(goal.lhs).le(goal.rhs, by=sign),
    )


passing = [
    *cooled_run, *schedule, *short_steps, Ge(kappas[T], 0), Le(kappas[T], 1), Le(r, 1),
    Ge(nus[T], v), Le(nus[T], 1), Ge(v, erf(b0 * r)), Le(gained, alpha * cooled_gain),
]  # fmt: skip

passes = Claim(
    id="schedule-run-passage",
    title=(
        "For short steps, $b_k >= b_0/(1 + c k)$ falling, $nu_T >= v >= erf(b_0 r)$: $kappa_k$ "
        "is at least $r$ or $s log((1 + c k)/(1 + c T))/c$, $s$ the gain"
    ),
    statement=Or(Ge(x_n, r), Ge(x_n, gained * cooled_steps(n, T)), evaluate=False),
    source="new; $kappa_T >= 0$, $k = T + n$; the gain is that at $y = 1$, or a smaller number",
    hypotheses=passing,
)


@passes.proof
def _(goal):
    """By induction: schedule-passage, or $kappa$ has passed $r$, above which it stays."""
    target = Or(Ge(x_next, r), Ge(x_next, gained * cooled_steps(n + 1, T)), evaluate=False)
    stay = lemma("schedule-run-stays", r=0)
    image = at_step_of_schedule(overlaps_after_planar_step(x_n, y_n)[0], k)
    step_up = lemma("schedule-passage", {"kappa": x_n, "nu": y_n, "y": ys[k], "B": Bs[k]})
    level = increasing(erf(z), z, chain(ys[k] * b0 * r).le(b0 * r, by=sign))
    moved = Ge(x_n, gained * cooled_steps(n, T), evaluate=False)
    far = chain(x_next).ge(r, by=lemma("schedule-run-stays", T=k, n=1))
    up = having(
        chain(ys[k]).ge(1 / (1 + cooling * k), by=sign),
        chain(gained * cooled_steps(n + 1, T)).le(
            gained * (cooled_steps(n, T) + 1 / (1 + cooling * k)),
            by=lemma("schedule-logarithm").scaled(gained),
        ),
        chain(x_next)
        .then(image, by=instance(cooled_run[0], k))
        .ge(x_n + alpha * ys[k] * cooled_gain, by=step_up)
        .ge(x_n + gained * ys[k], by=sign)
        .ge(x_n + gained / (1 + cooling * k), by=sign)
        .ge(gained * cooled_steps(n, T) + gained / (1 + cooling * k), by=sign)
        .ge(gained * cooled_steps(n + 1, T), by=sign),
    )
    low = cases(target, (Ge(x_n, r), far), (moved, up))
    step = having(
        chain(ys[k]).le(1, by=instance(schedule[0], k)),
        chain(ys[k] * (1 + cooling * k)).ge(1, by=instance(schedule[1], k)),
        chain(Bs[k]).ge(1, by=instance(schedule[3], k)),
        chain(nus[T]).ge(0, by=sign),
        chain(x_n).ge(0, by=stay),
        chain(x_n).le(1, by=stay),
        chain(y_n).ge(nus[T], by=stay).ge(v, by=sign),
        chain(y_n).le(1, by=stay),
        chain(erf(ys[k] * b0 * r)).le(erf(b0 * r), by=level).le(v, by=sign),
        chain(y_n).ge(erf(ys[k] * b0 * r), by=sign),
        cases(target, (Ge(x_n, r), far), (Le(x_n, r), low)),
    )
    return induction(goal, n, base=chain(kappas[T]).ge(0, by=sign), step=lambda known: step)


arrived = Claim(
    id="schedule-run-passes",
    title=(
        "For short steps, $b_k >= b_0/(1 + c k)$ falling, $nu_T >= v >= erf(b_0 r)$: $kappa_k >= "
        "r$ once $log((1 + c k)/(1 + c T))/c >= r/s$, $s$ the gain"
    ),
    statement=Ge(x_n - r, 0, evaluate=False),
    source="new; $kappa_T >= 0$, $k = T + n$; the gain is that at $y = 1$, or a smaller number",
    hypotheses=[*passing, Ge(gained * cooled_steps(n, T), r)],
)


@arrived.proof
def _(goal):
    """By schedule-run-passage."""
    moved = Ge(x_n, gained * cooled_steps(n, T), evaluate=False)
    either = by_claim(Or(Ge(x_n, r), moved, evaluate=False), "schedule-run-passage")
    there = chain(x_n - r).ge(0, by=sign)
    late = chain(x_n - r).ge(gained * cooled_steps(n, T) - r, by=sign).ge(0, by=sign)
    return having(either, cases(goal, (Ge(x_n, r), there), (moved, late)))


# -- from the saddle to the middle -------------------------------------------------------------

n1, n2 = (Symbol(name, integer=True, nonnegative=True) for name in ("n_1", "n_2"))
T2, middle = T + n1, T + n1 + n2


to_middle = [
    *cooled_run, *schedule, ForAll(time, Le(Bs[time], B0)), *short_steps, Ge(kappas[T], 0),
    Le(kappas[T], 1), Ge(nus[T], 0), Le(nus[T], 1), *growth_conditions, Ge(B0, 1),
    Le(B0 * r, 1), Ge(v, erf(b0 * r)), Le(v, 1), Gt(weight, 0),
    Ge(
        decay_over_cooled_steps(n1, -growth_rate, T) * weighted_overlaps(kappas[T], nus[T]),
        weighted_overlaps(1, v),
    ),
    Le(r, 1), Le(gained, alpha * cooled_gain), Ge(gained * cooled_steps(n2, T2), r),
]  # fmt: skip

halfway = Claim(
    id="schedule-run-middle",
    title=(
        "If $b_k >= b_0/(1 + c k)$ falls, short steps from $kappa_T, nu_T >= 0$, not both 0, "
        "reach $kappa_k >= r$, $nu_k >= erf(b_k r)$ after growth and passage"
    ),
    statement=And(
        Ge(kappas[middle] - r, 0),
        Ge(nus[middle] - erf(ys[middle] * b0 * r), 0),
        evaluate=False,
    ),
    source=(
        "new; numbers as in schedule-run-leaves and schedule-run-passes, whose conditions say what "
        "is enough: both times, a power of $1 + c T$ and, the first time, of $1/W_T$"
    ),
    hypotheses=to_middle,
)


@halfway.proof
def _(goal):
    """By schedule-run-leaves; then $kappa$ has passed $r$, or it does by schedule-run-passes."""
    far, high = Ge(kappas[T2] - r, 0), Ge(nus[T2] - v, 0)
    either = by_claim(Or(far, high, evaluate=False), "schedule-run-leaves", {"n": n1})
    before, level = (erf(ys[step] * b0 * r) for step in (T2, middle))
    stay = lemma("schedule-run-stays", r=0, n=n1)
    there = Ge(kappas[middle] - r, 0, evaluate=False)
    stays = having(
        chain(kappas[T2]).ge(r, by=sign),
        chain(kappas[middle]).ge(r, by=lemma("schedule-run-stays", T=T2, n=n2)),
        chain(there.lhs).ge(0, by=sign),
    )
    passes = having(
        chain(nus[T2]).ge(v, by=sign),
        chain(there.lhs).ge(0, by=lemma("schedule-run-passes", T=T2, n=n2)),
    )
    order = chain(ys[middle] * b0 * r).le(ys[T2] * b0 * r, by=sign)
    return having(
        either,
        chain(nus[T2] - before).ge(0, by=lemma("schedule-run-level", n=n1)),
        chain(nus[T2]).ge(before, by=sign),
        chain(kappas[T2]).ge(0, by=stay),
        chain(kappas[T2]).le(1, by=stay),
        chain(nus[T2]).ge(nus[T], by=stay),
        chain(nus[T2]).ge(0, by=sign),
        chain(nus[T2]).le(1, by=stay),
        chain(nus[middle]).ge(nus[T2], by=lemma("schedule-run-stays", r=0, T=T2, n=n2)),
        chain(ys[middle]).le(ys[T2], by=lemma("schedule-falls", T=T2, n=n2)),
        chain(level).le(before, by=increasing(erf(z), z, order)),
        chain(nus[middle] - level).ge(nus[T2] - level, by=sign).ge(nus[T2] - before, by=sign),
        all_of(
            cases(there, (far, stays), (high, passes)),
            chain(nus[middle] - level).ge(0, by=sign),
        ),
    )


# -- from the middle to the oracle -------------------------------------------------------------

T3, T4 = T + n3, T + n3 + n4
by_nu, by_kappa = alpha * cooled_nu_rate, alpha * cooled_kappa_rate

near = Claim(
    id="schedule-run-end",
    title=(
        "If $b_k >= b_0/(1 + c k)$ falls, short steps from $kappa_T >= r$, $nu_T >= max(v, erf(b_T "
        "r))$ reach $kappa >= q$, $nu >= 1 - h$ after two contractions long enough"
    ),
    statement=And(Ge(kappas[T4] - q, 0), Ge(nus[T4] - (1 - h), 0), evaluate=False),
    source=(
        "new; $0 < r <= q < 1$, $v < 1$, $0 < h < 1 - erf(b_0)$; at least $log((1 - v)/h)/s$ in "
        "the first, $log((1 - r)/(1 - q))/s$ in the second, each with its rate $s$"
    ),
    hypotheses=[
        *cooled_start, Ge(nus[T], v), Lt(v, 1), Gt(r, 0), Le(r, q), Lt(q, 1), Gt(h, 0),
        Lt(h, 1 - erf(b0)), Lt(alpha * N0, 1), Lt(alpha * Q, 1),
        Ge(cooled_steps(n3, T), (log(1 - v) - log(h)) / by_nu),
        Ge(cooled_steps(n4, T3), (log(1 - r) - log(1 - q)) / by_kappa),
    ],
)  # fmt: skip


@near.proof
def _(goal):
    """By schedule-run-nu and schedule-run-kappa, each for as many steps as it needs."""
    stay = lemma("schedule-run-stays", n=n3)
    first, second = (
        decay_over_cooled_steps(n3, by_nu, T),
        decay_over_cooled_steps(n4, by_kappa, T3),
    )
    enough = "schedule-enough"
    level = increasing(erf(z), z, chain(ys[T3] * b0 * r).le(ys[T] * b0 * r, by=sign))
    in_first = {"W_1": 1 - v, "W_0": h, "s": by_nu, "n": n3}
    in_second = {"W_1": 1 - r, "W_0": 1 - q, "s": by_kappa, "n": n4, "T": T3}
    return having(
        chain(by_nu).gt(0, by=sign),
        chain(by_kappa).gt(0, by=sign),
        chain(1 - nus[T3])
        .le(first * (1 - nus[T]), by=lemma("schedule-run-nu", n=n3))
        .le(first * (1 - v), by=sign)
        .le(h, by=lemma(enough, in_first)),
        chain(kappas[T3]).ge(r, by=stay),
        chain(kappas[T3]).le(1, by=stay),
        chain(nus[T3]).ge(nus[T], by=stay),
        chain(nus[T3]).le(1, by=stay),
        chain(nus[T3]).ge(1 - h, by=sign),
        chain(ys[T3]).le(ys[T], by=lemma("schedule-falls", n=n3)),
        chain(erf(ys[T3] * b0 * r)).le(erf(ys[T] * b0 * r), by=level),
        chain(nus[T]).ge(erf(ys[T3] * b0 * r), by=sign),
        chain(nus[T3]).ge(erf(ys[T3] * b0 * r), by=sign),
        chain(1 - kappas[T4])
        .le(second * (1 - kappas[T3]), by=lemma("schedule-run-kappa", n=n4, T=T3))
        .le(second * (1 - r), by=sign)
        .le(1 - q, by=lemma(enough, in_second)),
        chain(nus[T4]).ge(nus[T3], by=lemma("schedule-run-stays", n=n4, T=T3)),
        all_of(
            chain(kappas[T4] - q).ge(0, by=sign),
            chain(nus[T4] - (1 - h)).ge(0, by=sign),
        ),
    )


# -- the whole way -----------------------------------------------------------------------------

M3, M4 = middle + n3, middle + n3 + n4

whole = Claim(
    id="schedule-run",
    title=(
        "If $b_k >= b_0/(1 + c k)$ falls, short steps from $kappa_T, nu_T >= 0$, not both 0, reach "
        "$kappa >= q$, $nu >= 1 - h$ after four phases that are long enough"
    ),
    statement=And(Ge(kappas[M4] - q, 0), Ge(nus[M4] - (1 - h), 0), evaluate=False),
    source=(
        "new; what is enough is as in schedule-run-middle, and for both contractions as in "
        "schedule-run-end at $v = 0$"
    ),
    hypotheses=[
        *to_middle, Gt(r, 0), Le(r, q), Lt(q, 1), Gt(h, 0), Lt(h, 1 - erf(b0)), Lt(alpha * N0, 1),
        Lt(alpha * Q, 1), Ge(cooled_steps(n3, middle), -log(h) / by_nu.subs(v, 0)),
        Ge(cooled_steps(n4, M3), (log(1 - r) - log(1 - q)) / by_kappa),
    ],
)  # fmt: skip


@whole.proof
def _(goal):
    """By schedule-run-middle and schedule-run-end."""
    there = lemma("schedule-run-middle")
    stay = lemma("schedule-run-stays", r=0, n=n1 + n2)
    rest = lemma("schedule-run-end", T=middle, v=0)
    level = erf(ys[middle] * b0 * r)
    return having(
        chain(kappas[middle] - r).ge(0, by=there),
        chain(nus[middle] - level).ge(0, by=there),
        chain(kappas[middle]).ge(r, by=sign),
        chain(nus[middle]).ge(level, by=sign),
        chain(kappas[middle]).le(1, by=stay),
        chain(nus[middle]).ge(nus[T], by=stay).ge(0, by=sign),
        chain(nus[middle]).le(1, by=stay),
        all_of(
            chain(kappas[M4] - q).ge(0, by=rest),
            chain(nus[M4] - (1 - h)).ge(0, by=rest),
        ),
    )
