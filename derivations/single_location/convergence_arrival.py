"""How many steps bring a run near the oracle."""

from sympy import And, Eq, Ge, Gt, Le, Lt, Symbol, erf, exp

from slrsym.papers.single_location import notation, planar
from slrsym.papers.single_location.convergence import (
    N,
    Q,
    c,
    constants,
    ell,
    g,
    gain,
    growing_combination,
    growth_steps_bound,
    h,
    kappa_contraction_steps_bound,
    kappa_rate,
    kappas,
    m,
    nu_contraction_steps_bound,
    nu_rate,
    nu_with_zero_kappa_slope,
    nus,
    overlaps_after_planar_step,
    p,
    passage_steps_bound,
    q,
    r,
    run,
    v,
)  # fmt: skip
from slrsym.papers.single_location.notation import alpha
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    chain,
    having,
    instance,
    lemma,
    sign,
)

w = Symbol("w", real=True)
n, T, n1, n2, n3, n4 = (
    Symbol(name, integer=True, nonnegative=True) for name in ("n", "T", "n_1", "n_2", "n_3", "n_4")
)


# -- from the start to the middle --------------------------------------------------------------

steep = Le(g**2 + p * g, m * N * ell)
small = [Lt(alpha * N, 1), Le(alpha * Q, 1), Le(alpha * p, 1)]
at_start = [Ge(kappas[T], 0), Le(kappas[T], 1), Ge(nus[T], 0), Le(nus[T], 1)]
T2, T3, T4 = T + n1 + n2, T + n3, T + n3 + n4

halfway = Claim(
    id="convergence-time-run-middle",
    title=(
        "With short steps from $kappa_T, nu_T >= 0$, not both 0, $kappa >= r$, $nu >= v$ at "
        "step $T + n_1 + n_2$ if $n_1$, $n_2$ reach the bounds of growth and passage"
    ),
    statement=And(Ge(kappas[T2] - r, 0), Ge(nus[T2] - v, 0), evaluate=False),
    source=(
        "new; short steps have $alpha N < 1$ and $alpha Q, alpha p <= 1$; $g kappa_T + m N nu_T > "
        "0$ and $g^2 + p g <= m N l$ with $g > 0$; $c, r < 1$ and $erf(b r/B) < v <= erf(b c/B)$"
    ),
    hypotheses=[
        *run,
        *at_start,
        Gt(growing_combination(kappas[T], nus[T]), 0),
        Gt(g, 0),
        Lt(c, 1),
        *small,
        steep,
        Lt(r, 1),
        Gt(v, nu_with_zero_kappa_slope(r)),
        Le(v, nu_with_zero_kappa_slope(c)),
        Ge(n1, growth_steps_bound(kappas[T], nus[T])),
        Ge(n2, passage_steps_bound(0)),
    ],
)


def ranges(start, steps, level=0):
    """Show where a run is some steps after the start of a phase."""
    x, y = kappas[start + steps], nus[start + steps]
    stay = lemma("convergence-time-run-stays", T=start, n=steps, r=level)
    return [
        chain(x).ge(level, by=stay),
        chain(x).le(1, by=stay),
        chain(y).ge(nus[start], by=stay),
        chain(y).le(1, by=stay),
    ]


@halfway.proof
def _(goal):
    """Growth and passage, each for as many steps as its count."""
    middle, gained = T + n1, alpha * gain
    growing = (
        growing_combination(kappas[T], nus[T]),
        growing_combination(1, nu_with_zero_kappa_slope(c)),
        alpha * g,
    )
    grown = chain(exp(n1 * growing[2] / (1 + growing[2])) * growing[0]).ge(
        growing[1],
        by=lemma(
            "convergence-time-growth-enough", W_0=growing[0], W_1=growing[1], a=growing[2], n=n1
        ),
    )
    level = chain(nus[middle]).ge(
        nu_with_zero_kappa_slope(c), by=lemma("convergence-time-run-leaves", n=n1)
    )
    factor = chain(gained).gt(0, by=sign)
    far = chain(n2 * gained).ge(r, by=sign)
    return having(
        chain(m).gt(0, by=sign),
        chain(growing[1]).gt(0, by=sign),
        grown,
        *ranges(T, n1),
        level,
        chain(nus[middle]).ge(v, by=sign),
        chain(nus[middle]).ge(0, by=sign),
        factor,
        far,
        *ranges(middle, n2)[2:3],
        all_of(
            chain(kappas[T2] - r).ge(0, by=lemma("convergence-time-run-passes", T=middle, n=n2)),
            chain(nus[T2] - v).ge(0, by=sign),
        ),
    )


# -- from the middle to the oracle -------------------------------------------------------------

near = Claim(
    id="convergence-time-run-end",
    title=(
        "With short steps from $kappa_T >= r$, $nu_T >= v >= erf(b r/B)$, $kappa >= q$ and "
        "$nu >= 1 - h$ hold once the step counts reach the contractions' bounds"
    ),
    statement=And(Ge(kappas[T4 + n] - q, 0), Ge(nus[T4 + n] - (1 - h), 0), evaluate=False),
    source=(
        "new; short steps have $alpha N < 1$ and $alpha Q, alpha p <= 1$; $0 < r <= q < 1$, $v < "
        "1$ and $0 < h < 1 - erf(b q/B)$"
    ),
    hypotheses=[
        *run,
        Ge(kappas[T], r),
        Le(kappas[T], 1),
        Ge(nus[T], v),
        Le(nus[T], 1),
        Ge(v, nu_with_zero_kappa_slope(r)),
        Lt(v, 1),
        *small,
        Gt(r, 0),
        Le(r, q),
        Lt(q, 1),
        Gt(h, 0),
        Lt(h, 1 - nu_with_zero_kappa_slope(q)),
        Ge(n3, nu_contraction_steps_bound(v)),
        Ge(n4, kappa_contraction_steps_bound(r)),
    ],
)


@near.proof
def _(goal):
    """Both contractions, each for as many steps as its count; then the run stays."""
    by_nu, by_kappa = alpha * nu_rate, alpha * kappa_rate
    enough = "convergence-time-contraction-enough"
    first = chain(exp(-n3 * by_nu) * (1 - v)).le(
        h, by=lemma(enough, W_1=1 - v, W_0=h, s=by_nu, n=n3)
    )
    second = chain(exp(-n4 * by_kappa) * (1 - r)).le(
        1 - q, by=lemma(enough, W_1=1 - r, W_0=1 - q, s=by_kappa, n=n4)
    )
    contracted = (
        chain(1 - nus[T3])
        .le(exp(-n3 * by_nu) * (1 - nus[T]), by=lemma("convergence-time-run-nu", n=n3))
        .le(exp(-n3 * by_nu) * (1 - v), by=sign)
    )
    return having(
        chain(nus[T]).ge(nu_with_zero_kappa_slope(r), by=sign),
        chain(by_nu).gt(0, by=sign),
        chain(by_kappa).gt(0, by=sign),
        first,
        second,
        contracted,
        *ranges(T, n3, r),
        chain(nus[T3]).ge(1 - exp(-n3 * by_nu) * (1 - v), by=sign).ge(1 - h, by=sign),
        chain(kappas[T4]).ge(q, by=lemma("convergence-time-run-arrives", T=T3, n=n4)),
        chain(nus[T3]).ge(nu_with_zero_kappa_slope(r), by=sign),
        *ranges(T3, n4, r)[1:],
        chain(nus[T4]).ge(1 - h, by=sign),
        chain(nus[T4]).ge(nu_with_zero_kappa_slope(q), by=sign),
        *ranges(T4, n, q)[2:3],
        all_of(
            chain(kappas[T4 + n] - q).ge(0, by=lemma("convergence-time-run-stays", T=T4, n=n, r=q)),
            chain(nus[T4 + n] - (1 - h)).ge(0, by=sign),
        ),
    )


# -- the whole way -----------------------------------------------------------------------------

counted = [
    Gt(g, 0),
    Lt(c, 1),
    *small,
    steep,
    Gt(r, 0),
    Le(r, q),
    Lt(q, 1),
    Gt(v, nu_with_zero_kappa_slope(r)),
    Le(v, nu_with_zero_kappa_slope(c)),
    Gt(h, 0),
    Lt(h, 1 - nu_with_zero_kappa_slope(q)),
    Ge(n2, passage_steps_bound(0)),
    Ge(n3, nu_contraction_steps_bound(v)),
    Ge(n4, kappa_contraction_steps_bound(r)),
]
whole_way = [
    *run,
    *at_start,
    Gt(growing_combination(kappas[T], nus[T]), 0),
    *counted,
    Ge(n1, growth_steps_bound(kappas[T], nus[T])),
]
middle = T + n1 + n2
end = middle + n3 + n4 + n

arrives = Claim(
    id="convergence-time-run",
    title=(
        "With short steps from $kappa_T, nu_T >= 0$, not both 0, $kappa >= q$ and $nu >= 1 - "
        "h$ hold once the numbers of steps of all four phases reach their bounds"
    ),
    statement=And(Ge(kappas[end] - q, 0), Ge(nus[end] - (1 - h), 0), evaluate=False),
    source=(
        "new; short steps, $g$, $c$, $v$ as in convergence-time-run-middle, $r$, $q$, $h$ as in "
        "convergence-time-run-end; $T = 0$ is the beginning of the run"
    ),
    hypotheses=whole_way,
)


@arrives.proof
def _(goal):
    """By convergence-time-run-middle and convergence-time-run-end."""
    stay = lemma("convergence-time-run-stays", r=0, n=n1 + n2)
    half = lemma("convergence-time-run-middle")
    rest = lemma("convergence-time-run-end", T=middle)
    return having(
        chain(kappas[middle]).ge(r, by=half),
        chain(nus[middle]).ge(v, by=half),
        chain(kappas[middle]).le(1, by=stay),
        chain(nus[middle]).le(1, by=stay),
        chain(nu_with_zero_kappa_slope(c)).lt(1, by=sign),
        all_of(
            chain(kappas[end] - q).ge(0, by=rest),
            chain(nus[end] - (1 - h)).ge(0, by=rest),
        ),
    )


reflected = Claim(
    id="convergence-time-run-reflected",
    title="If $(kappa_t, nu_t)$ is a run, so is $(-kappa_t, -nu_t)$",
    statement=And(
        *(
            Eq(-overlaps[n + 1], image, evaluate=False)
            for overlaps, image in zip(
                (kappas, nus), overlaps_after_planar_step(-kappas[n], -nus[n]), strict=True
            )
        ),
        evaluate=False,
    ),
    source=(
        "new; so a start with $kappa, nu <= 0$ leads to the mirror image of the oracle, by "
        "convergence-time-run of $(-kappa_t, -nu_t)$"
    ),
    hypotheses=run,
)


@reflected.proof
def _(goal):
    """The error function is odd."""
    parts = []
    for part in goal.args:
        which = 0 if part.lhs == -kappas[n + 1] else 1
        overlaps, image = (kappas, nus)[which], overlaps_after_planar_step(kappas[n], nus[n])[which]
        fact = chain(overlaps[n + 1]).then(image, by=instance(run[which], n))
        parts.append(
            having(fact, chain(part.lhs).then(-image, by=algebra).then(part.rhs, by=algebra))
        )
    return all_of(*parts)


# -- the paper's task --------------------------------------------------------------------------

x, y = kappas[end], nus[end]
in_task = [Eq(symbol, value, evaluate=False) for symbol, value in constants.items()]
excess = planar.Q * h + planar.N * exp(-((planar.b * q) ** 2)) * (
    1 - erf(planar.b * q / notation.B)
) * (1 - q)

recovered = Claim(
    id="convergence-time-run-risk",
    title=(
        "On the manifold, in a run as in convergence-time-run, the risk exceeds the oracle's "
        "by at most $Q h$ plus $N e^(-b^2 q^2) (1 - erf(b q/B)) (1 - q)$ in the end"
    ),
    statement=Le(planar.risk(x, y) - planar.risk(1, 1), excess, evaluate=False),
    source="new; in the paper's task, otherwise as in convergence-time-run",
    hypotheses=[*in_task, *whole_way],
)


@recovered.proof
def _(goal):
    """By convergence-time-run and convergence-time-end."""
    there = lemma("convergence-time-run")
    stay = lemma("convergence-time-run-stays", r=0, n=n1 + n2 + n3 + n4 + n)
    return having(
        chain(x).ge(q, by=there),
        chain(y).ge(1 - h, by=there),
        chain(x).le(1, by=stay),
        chain(y).le(1, by=stay),
        chain(q).ge(r, by=sign).gt(0, by=sign),
        chain(goal.lhs).le(goal.rhs, by=lemma("convergence-time-end", kappa=x, nu=y, r=q, h=h)),
    )
