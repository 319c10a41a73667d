"""Runs that leave the saddle as $lambda$ falls.

A run begins after T steps with kappa and nu at least 0. Then W = g kappa + m N_0 nu grows until nu
has passed a level and kappa a number r, or nu a number v.
"""

from sympy import Ge, Gt, Le, Or, Symbol, erf

from slrsym.papers.single_location.convergence import (
    B0,
    N0,
    B,
    Bs,
    N,
    T,
    at_step_of_schedule,
    b,
    b0,
    cooled_run,
    cooling,
    decay_over_cooled_steps,
    drop,
    g,
    growth_conditions,
    growth_rate,
    kappas,
    nus,
    overlaps_after_planar_step,
    r,
    schedule,
    short_steps,
    slope_nu,
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
    algebra,
    by_claim,
    cases,
    chain,
    having,
    increasing,
    induction,
    instance,
    lemma,
    sign,
)

z = Symbol("z", nonnegative=True)
n = Symbol("n", integer=True, nonnegative=True)
# B is never above its first value B_0, and the level is that at kappa = B_0 r.
bounded = ForAll(time, Le(Bs[time], B0))

# A run n steps after the phase has begun, and one step later.
k = T + n
x_n, y_n, x_next, y_next = kappas[k], nus[k], kappas[k + 1], nus[k + 1]
here = {"kappa": x_n, "nu": y_n, N: ys[k] * N0, b: ys[k] * b0, B: Bs[k]}
level, next_level = erf(ys[k] * b0 * r), erf(ys[k + 1] * b0 * r)

start = weighted_overlaps(kappas[T], nus[T])
size, next_size = weighted_overlaps(x_n, y_n), weighted_overlaps(x_next, y_next)
grown = Ge(size, decay_over_cooled_steps(n, -growth_rate, T) * start, evaluate=False)
next_grown = Ge(next_size, decay_over_cooled_steps(n + 1, -growth_rate, T) * start, evaluate=False)
from_saddle = [
    *cooled_run, *schedule, bounded, *short_steps, Ge(kappas[T], 0), Le(kappas[T], 1),
    Ge(nus[T], 0), Le(nus[T], 1),
]  # fmt: skip
growing = [*from_saddle, *growth_conditions, Ge(B0, 1), Le(B0 * r, 1), Ge(v, erf(b0 * r)), Le(v, 1)]


def by_step(overlaps):
    """Begin a chain from an overlap with the step that leads to it."""
    which = (kappas, nus).index(overlaps)
    image = at_step_of_schedule(overlaps_after_planar_step(x_n, y_n)[which], k)
    return chain(overlaps[k + 1]).then(image, by=instance(cooled_run[which], k))


def in_range(*facts):
    """Use in a proof the schedule at a step, and that both overlaps stay in [0, 1]."""
    stay = lemma("schedule-run-stays", r=0)
    return having(
        chain(ys[k]).le(1, by=instance(schedule[0], k)),
        chain(ys[k] * (1 + cooling * k)).ge(1, by=instance(schedule[1], k)),
        chain(ys[k + 1]).le(ys[k], by=instance(schedule[2], k)),
        chain(Bs[k]).ge(1, by=instance(schedule[3], k)),
        chain(x_n).ge(0, by=stay),
        chain(x_n).le(1, by=stay),
        chain(y_n).ge(nus[T], by=stay),
        chain(y_n).ge(0, by=sign),
        chain(y_n).le(1, by=stay),
        *facts,
    )


def with_levels(*facts):
    """Use in a proof how the levels of nu compare."""
    b_now = ys[k] * b0
    falls = chain(ys[k + 1] * b0 * r).le(b_now * r, by=sign)
    least = chain(b_now * r).le(b0 * r, by=sign)
    with_B = chain(b_now * r).le(b_now * (B0 * r) / Bs[k], by=sign)
    return (
        chain(Bs[k]).le(B0, by=instance(bounded, k)),
        chain(next_level).le(level, by=increasing(erf(z), z, falls)),
        chain(level).le(erf(b0 * r), by=increasing(erf(z), z, least)).le(v, by=sign),
        chain(level).le(erf(b_now * (B0 * r) / Bs[k]), by=increasing(erf(z), z, with_B)),
        *facts,
    )


def grows(which, *facts):
    """Prove that W has grown at the next step, by a claim about the gain of kappa."""
    values = {"kappa": x_n, "nu": y_n, "y": ys[k]}
    combined = {
        "kappa": x_n, "nu": y_n, "kappa_1": x_next, "nu_1": y_next, "alpha": alpha * ys[k], "N": N0,
    }  # fmt: skip
    powers = {"W_0": start, "W": size, "W'": next_size, "a": alpha * g, "y": ys[k]}
    factor = 1 + alpha * g * ys[k]
    return in_range(
        *facts,
        by_step(kappas).ge(
            x_n + alpha * ys[k] * (weight * N0 * y_n - drop * x_n),
            by=lemma(which, {**values, "B": Bs[k], "c": B0 * r}),
        ),
        by_step(nus).ge(
            y_n + alpha * ys[k] * slope_nu * x_n, by=lemma("schedule-growth-nu", values)
        ),
        chain(start).ge(0, by=sign),
        chain(size).ge(0, by=sign),
        chain(next_size).ge(factor * size, by=lemma("convergence-time-combination", combined)),
        chain(next_size).ge(next_grown.rhs, by=lemma("schedule-growth-power", powers)),
    )


numbers = (
    "$B_t <= B_0$, $B_0 r <= 1$, $erf(b_0 r) <= v <= 1$; $m$ and $p$ are those of "
    "schedule-growth-kappa at $y = 1$, $c = B_0 r$, $l$ that of schedule-growth-nu; or $m$, $l$ "
    "are smaller, $p$ larger"
)

below = Claim(
    id="schedule-run-growth-below",
    title=(
        "For short steps and falling $b_k >= b_0/(1 + c k)$, $W_k >= ((1 + c k)/(1 + c T))^(s/c) "
        "W_T$ passes on to step $k + 1$ if $nu_k <= erf(b_k r)$"
    ),
    statement=next_grown,
    source=(
        "new; $W = g kappa + m N_0 nu$, $kappa_T, nu_T >= 0$, $s = alpha g/(1 + alpha g)$, "
        f"$g^2 + p g <= m N_0 l$; {numbers}"
    ),
    hypotheses=[*growing, grown, Le(y_n, level)],
)


@below.proof
def _(goal):
    """By schedule-gain-below and schedule-growth-power."""
    facts = with_levels(
        chain(y_n).le(erf(ys[k] * b0 * (B0 * r) / Bs[k]), by=sign),
        chain(y_n).le(v, by=sign),
    )
    return grows("schedule-gain-below", *facts)


inside = Claim(
    id="schedule-run-growth-inside",
    title=(
        "For short steps and falling $b_k >= b_0/(1 + c k)$, $W_k >= ((1 + c k)/(1 + c T))^(s/c) "
        "W_T$ passes on to step $k + 1$ if $kappa_k <= r$, $nu_k <= v$"
    ),
    statement=next_grown,
    source="new; otherwise as in schedule-run-growth-below",
    hypotheses=[*growing, grown, Le(x_n, r), Le(y_n, v)],
)


@inside.proof
def _(goal):
    """By schedule-gain-inside and schedule-growth-power."""
    small = chain(r).le(B0 * r, by=sign)
    return grows("schedule-gain-inside", small, chain(x_n).le(B0 * r, by=sign))


rises = Claim(
    id="schedule-run-rises",
    title=(
        "If $b_k >= b_0/(1 + c k)$ falls, short steps from $kappa_T, nu_T >= 0$ have $nu_k >= "
        "erf(b_k r)$ or $W_k >= ((1 + c k)/(1 + c T))^(s/c) W_T$"
    ),
    statement=Or(Ge(y_n, level), grown, evaluate=False),
    source="new; $W = g kappa + m N_0 nu$, $s = alpha g/(1 + alpha g)$; " + numbers,
    hypotheses=growing,
)


@rises.proof
def _(goal):
    """By induction; a $nu$ that is above the level stays there, as it rises and the level falls."""
    target = Or(Ge(y_next, next_level), next_grown, evaluate=False)
    risen = chain(y_next).ge(y_n, by=lemma("schedule-run-stays", r=0, T=k, n=1))
    up = having(risen, chain(y_n).ge(next_level, by=sign), chain(y_next).ge(next_level, by=sign))
    down = chain(next_grown.lhs).ge(next_grown.rhs, by=lemma("schedule-run-growth-below"))
    low = cases(target, (Ge(y_n, level), up), (grown, down))
    step = in_range(*with_levels(cases(target, (Ge(y_n, level), up), (Le(y_n, level), low))))
    return induction(goal, n, base=chain(start).ge(start, by=sign), step=lambda known: step)


grows_on = Claim(
    id="schedule-run-growth",
    title=(
        "If $b_k >= b_0/(1 + c k)$ falls, short steps from $kappa_T, nu_T >= 0$ have $kappa_k >= "
        "r$, $nu_k >= v$ or $W_k >= ((1 + c k)/(1 + c T))^(s/c) W_T$"
    ),
    statement=Or(Ge(x_n, r), Ge(y_n, v), grown, evaluate=False),
    source="new; as in schedule-run-rises",
    hypotheses=growing,
)


@grows_on.proof
def _(goal):
    """By induction: where $kappa_k >= r$, it stays there, or $nu$ is below the level still."""
    target = Or(Ge(x_next, r), Ge(y_next, v), next_grown, evaluate=False)
    either = by_claim(Or(Ge(y_n, level), grown, evaluate=False), "schedule-run-rises")
    stays = chain(x_next).ge(r, by=lemma("schedule-run-stays", T=k, n=1))
    risen = chain(y_next).ge(y_n, by=lemma("schedule-run-stays", r=0, T=k, n=1))
    up = having(risen, chain(y_next).ge(v, by=sign))
    by_level, by_kappa = (
        chain(next_grown.lhs).ge(next_grown.rhs, by=lemma(f"schedule-run-growth-{which}"))
        for which in ("below", "inside")
    )
    low = cases(target, (Ge(y_n, level), stays), (Le(y_n, level), by_level))
    far = cases(target, (Ge(y_n, level), stays), (grown, low))
    near = cases(target, (Ge(y_n, v), up), (Le(y_n, v), by_kappa))
    still = cases(target, (Ge(x_n, r), far), (Le(x_n, r), near))
    step = in_range(
        *with_levels(either, cases(target, (Ge(x_n, r), far), (Ge(y_n, v), up), (grown, still)))
    )
    return induction(goal, n, base=chain(start).ge(start, by=sign), step=lambda known: step)


# -- the end of growth -------------------------------------------------------------------------

long_enough = [
    *growing, Gt(weight, 0),
    Ge(decay_over_cooled_steps(n, -growth_rate, T) * start, weighted_overlaps(1, v)),
]  # fmt: skip


def grown_enough():
    """Prove that nu is at least v if W has grown as long as it can."""
    difference = weight * N0 * (y_n - v)
    values = {"P": difference, "a": weight * N0, "b": y_n - v}
    return having(
        chain(weight * N0).gt(0, by=sign),
        chain(difference)
        .then(size - weighted_overlaps(1, v) + g * (1 - x_n), by=algebra)
        .ge(grown.rhs - weighted_overlaps(1, v) + g * (1 - x_n), by=sign)
        .ge(g * (1 - x_n), by=sign)
        .ge(0, by=sign),
        chain(y_n - v).ge(0, by=lemma("other-factor-nonnegative", values)),
    )


passes_level = Claim(
    id="schedule-run-level",
    title=(
        "If $b_k >= b_0/(1 + c k)$ falls, short steps from $kappa_T, nu_T >= 0$ have $nu_k >= "
        "erf(b_k r)$ once $((1 + c k)/(1 + c T))^(s/c) W_T >= g + m N_0 v$"
    ),
    statement=Ge(y_n - level, 0, evaluate=False),
    source="new; as in schedule-run-rises, $m > 0$; $n$ is a power of $1/W_T$ times a constant",
    hypotheses=long_enough,
)


@passes_level.proof
def _(goal):
    """Otherwise $W$ would be larger than it can be with $kappa <= 1$."""
    either = by_claim(Or(Ge(y_n, level), grown, evaluate=False), "schedule-run-rises")
    there = chain(y_n - level).ge(0, by=sign)
    rest = having(grown_enough(), there)
    return in_range(*with_levels(either, cases(goal, (Ge(y_n, level), there), (grown, rest))))


leaves = Claim(
    id="schedule-run-leaves",
    title=(
        "If $b_k >= b_0/(1 + c k)$ falls, short steps have $kappa_k >= r$ or $nu_k >= v$ once "
        "$((1 + c k)/(1 + c T))^(s/c) W_T >= g + m N_0 v$"
    ),
    statement=Or(Ge(x_n - r, 0), Ge(y_n - v, 0), evaluate=False),
    source="new; as in schedule-run-rises, $m > 0$; $n$ is a power of $1/W_T$ times a constant",
    hypotheses=long_enough,
)


@leaves.proof
def _(goal):
    """Otherwise $W$ would be larger than it can be with $kappa <= 1$."""
    either = by_claim(Or(Ge(x_n, r), Ge(y_n, v), grown, evaluate=False), "schedule-run-growth")
    far, high = chain(x_n - r).ge(0, by=sign), chain(y_n - v).ge(0, by=sign)
    return in_range(
        either, cases(goal, (Ge(x_n, r), far), (Ge(y_n, v), high), (grown, grown_enough()))
    )
