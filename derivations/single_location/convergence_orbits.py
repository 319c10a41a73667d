"""Runs of descent, phase by phase.

A run is both overlaps after t steps, as sequences that satisfy the recursion of Lemma 7 for all t.
A phase begins after T steps, at any T, and n steps later it is over, or its bound holds.
"""

from sympy import And, Ge, Le, Lt, Or, Symbol, erf, exp

from slrsym.papers.single_location.convergence import (
    B,
    N,
    Q,
    b,
    c,
    ell,
    g,
    gain,
    growing_combination,
    h,
    kappa_rate,
    kappas,
    m,
    minus_kappa_slope,
    nu_rate,
    nu_with_zero_kappa_slope,
    nus,
    overlaps_after_planar_step,
    p,
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
n, T = (Symbol(name, integer=True, nonnegative=True) for name in "nT")
# A run n steps after the phase has begun, and one step later.
x, y, x_next, y_next = kappas[T + n], nus[T + n], kappas[T + n + 1], nus[T + n + 1]
here = {"kappa": x, "nu": y}

small_for_kappa, small_for_nu, small_for_fall = Le(alpha * N, 1), Le(alpha * Q, 1), Le(alpha * p, 1)
small = [small_for_kappa, small_for_nu, small_for_fall]
at_start = [Ge(kappas[T], 0), Le(kappas[T], 1), Ge(nus[T], 0), Le(nus[T], 1)]


def by_step(overlaps):
    """Begin a chain from an overlap with the step that leads to it."""
    which = (kappas, nus).index(overlaps)
    return chain(overlaps[T + n + 1]).then(
        overlaps_after_planar_step(x, y)[which], by=instance(run[which], T + n)
    )


stays = Claim(
    id="convergence-time-run-stays",
    title=(
        "With short steps, a run with $kappa_T >= r >= 0$ and $nu_T >= erf(b r/B)$ keeps $kappa >= "
        "r$ after step $T$, and $nu$ does not fall below $nu_T$"
    ),
    statement=And(Ge(x, r), Le(x, 1), Ge(y, nus[T]), Le(y, 1), evaluate=False),
    source=(
        "new; short steps have $alpha N, alpha Q, alpha p <= 1$; at $r = 0$, both overlaps stay in "
        "$[0, 1]$"
    ),
    hypotheses=[
        *run, Ge(kappas[T], r), Le(kappas[T], 1), Ge(nus[T], nu_with_zero_kappa_slope(r)),
        Le(nus[T], 1), *small
    ],
)  # fmt: skip


@stays.proof
def _(goal):
    """By induction: a step stays there, by convergence-time-stays and planar-step-stays."""
    start = all_of(
        chain(kappas[T]).ge(r, by=sign),
        chain(kappas[T]).le(1, by=sign),
        chain(nus[T]).ge(nus[T], by=sign),
        chain(nus[T]).le(1, by=sign),
    )
    enough = chain(y).ge(nu_with_zero_kappa_slope(r), by=sign)
    one = lemma("convergence-time-stays", **here)
    return induction(
        goal,
        n,
        base=start,
        step=lambda known: having(
            enough,
            by_step(nus).ge(y, by=one),
            all_of(
                by_step(kappas).ge(r, by=one),
                by_step(kappas).le(
                    1, by=lemma("planar-step-stays", x=x, y=-alpha * minus_kappa_slope(x, y))
                ),
                chain(y_next).ge(nus[T], by=sign),
                by_step(nus).le(1, by=lemma("planar-step-stays", x=y, y=-alpha * Q * erf(b * x))),
            ),
        ),
    )


def in_range(proof):
    """Use in a proof that both overlaps stay in [0, 1], nu not below its start."""
    stay = lemma("convergence-time-run-stays", r=0)
    return having(
        chain(x).ge(0, by=stay),
        chain(x).le(1, by=stay),
        chain(y).ge(nus[T], by=stay),
        chain(y).ge(0, by=sign),
        chain(y).le(1, by=stay),
        proof,
    )


# -- growth at the saddle ----------------------------------------------------------------------

rate = alpha * g / (1 + alpha * g)
steep = Le(g**2 + p * g, m * N * ell)

grows = Claim(
    id="convergence-time-run-growth",
    title=(
        "With short steps from $kappa_T, nu_T >= 0$, if $g^2 + p g <= m N l$, after $n$ steps "
        "$nu >= erf(b c/B)$ or $W = g kappa + m N nu$ is at least $e^(n s) W_T$"
    ),
    statement=Or(
        Ge(y, nu_with_zero_kappa_slope(c)),
        Ge(growing_combination(x, y), exp(n * rate) * growing_combination(kappas[T], nus[T])),
        evaluate=False,
    ),
    source=(
        "new; short steps have $alpha N, alpha Q, alpha p <= 1$; $c <= 1$; $m$, $l$ and $p$ as in "
        "convergence-time-growth"
    ),
    hypotheses=[*run, *at_start, Le(c, 1), *small, steep],
)


@grows.proof
def _(goal):
    """By induction: convergence-time-growth, or $nu$ has passed the level, below which it stays."""
    level, start = nu_with_zero_kappa_slope(c), growing_combination(kappas[T], nus[T])
    risen = by_step(nus).ge(y, by=lemma("convergence-time-stays", r=0, **here))
    here_size, next_size = growing_combination(x, y), growing_combination(x_next, y_next)

    def step(known):
        passed = Ge(y_next, level), Ge(next_size, exp((n + 1) * rate) * start)
        target = Or(*passed, evaluate=False)
        up = having(risen, chain(y_next).ge(level, by=sign))
        by_kappa = by_step(kappas).ge(
            x + alpha * (m * N * y - p * x), by=lemma("convergence-time-growth-kappa", **here)
        )
        by_nu = by_step(nus).ge(y + alpha * ell * x, by=lemma("convergence-time-growth-nu", **here))
        combined = lemma(
            "convergence-time-combination", here, kappa_1=x_next, nu_1=y_next, m=m, l=ell, p=p
        )
        powers = lemma(
            "convergence-time-growth-power",
            {"W_0": start, "W": here_size, "W'": next_size, "a": alpha * g},
        )
        grown = having(
            by_kappa,
            by_nu,
            chain(m).ge(0, by=sign),
            chain(ell).ge(0, by=sign),
            chain(here_size).ge(0, by=sign),
            chain(next_size).ge((1 + alpha * g) * here_size, by=combined),
            chain(next_size).ge(exp((n + 1) * rate) * start, by=powers),
        )
        low = cases(
            target,
            (Ge(y, level), up),
            (Ge(here_size, exp(n * rate) * start), grown),
        )
        return in_range(cases(target, (Ge(y, level), up), (Le(y, level), low)))

    return induction(goal, n, base=chain(start).ge(start, by=sign), step=step)


leaves = Claim(
    id="convergence-time-run-leaves",
    title=(
        "With short steps from $kappa_T, nu_T >= 0$, $g^2 + p g <= m N l$: $nu_(T + n) >= u = "
        "erf(b c/B)$ if $e^(n s) (g kappa_T + m N nu_T)$ is at least $g + m N u$"
    ),
    statement=Ge(y - nu_with_zero_kappa_slope(c), 0, evaluate=False),
    source=(
        "new; short steps have $alpha N < 1$ and $alpha Q, alpha p <= 1$; $c < 1$; $W$, $m$, $l$ "
        "and $p$ as in convergence-time-run-growth"
    ),
    hypotheses=[
        *run,
        *at_start,
        Lt(c, 1),
        Lt(alpha * N, 1),
        small_for_nu,
        small_for_fall,
        steep,
        Ge(
            exp(n * rate) * growing_combination(kappas[T], nus[T]),
            growing_combination(1, nu_with_zero_kappa_slope(c)),
        ),
    ],
)


@leaves.proof
def _(goal):
    """Otherwise $W$ would be larger than it can be with $kappa <= 1$."""
    level, start = nu_with_zero_kappa_slope(c), growing_combination(kappas[T], nus[T])
    grown = Ge(growing_combination(x, y), exp(n * rate) * start, evaluate=False)
    either = by_claim(Or(Ge(y, level), grown, evaluate=False), "convergence-time-run-growth")
    enough = (
        chain(m * N * (y - level))
        .then(growing_combination(x, y) - growing_combination(1, level) + g * (1 - x), by=algebra)
        .ge(exp(n * rate) * start - growing_combination(1, level) + g * (1 - x), by=sign)
        .ge(g * (1 - x), by=sign)
        .ge(0, by=sign)
    )
    values = {"P": m * N * (y - level), "a": m * N, "b": y - level}
    rest = having(
        chain(m * N).gt(0, by=sign),
        enough,
        chain(y - level).ge(0, by=lemma("other-factor-nonnegative", values)),
    )
    there = chain(y - level).ge(0, by=sign)
    return in_range(having(either, cases(goal, (Ge(y, level), there), (grown, rest))))


# -- passage of kappa --------------------------------------------------------------------------

passing = [
    *run, *at_start, *small, Le(r, 1), Ge(nus[T], v), Ge(v, nu_with_zero_kappa_slope(r)),
]  # fmt: skip
gained = alpha * gain

passes = Claim(
    id="convergence-time-run-passage",
    title=(
        "With short steps and $kappa_T >= 0$, if $nu_T >= v >= erf(b r/B)$, then $kappa_(T + "
        "n) >= r$ or $kappa_(T + n) >= n s$, with the gain $s$ of convergence-time-passage"
    ),
    statement=Or(Ge(x, r), Ge(x, n * gained), evaluate=False),
    source="new; short steps have $alpha N, alpha Q, alpha p <= 1$; $r <= 1$",
    hypotheses=passing,
)


@passes.proof
def _(goal):
    """By induction: convergence-time-passage, or $kappa$ has passed $r$, below which it stays."""

    def step(known):
        target = Or(Ge(x_next, r), Ge(x_next, (n + 1) * gained), evaluate=False)
        up = by_step(kappas).ge(r, by=lemma("convergence-time-stays", **here))
        grown = (
            by_step(kappas)
            .ge(x + gained, by=lemma("convergence-time-passage", **here))
            .ge(n * gained + gained, by=sign)
            .then((n + 1) * gained, by=algebra)
        )
        low = cases(target, (Ge(x, r), up), (Ge(x, n * gained), grown))
        enough = chain(y).ge(v, by=sign), chain(y).ge(nu_with_zero_kappa_slope(r), by=sign)
        return in_range(having(*enough, cases(target, (Ge(x, r), up), (Le(x, r), low))))

    return induction(goal, n, base=chain(kappas[T]).ge(0, by=sign), step=step)


passed = Claim(
    id="convergence-time-run-passes",
    title=(
        "With short steps from $kappa_T >= 0$, $nu_T >= v >= u = erf(b r/B)$, $kappa_(T + n) "
        ">= r$ if $n s >= r$, where $s = alpha m N (v - u)$ and $c = r$"
    ),
    statement=Ge(x - r, 0, evaluate=False),
    source="new; short steps have $alpha N, alpha Q, alpha p <= 1$; $r <= 1$",
    hypotheses=[*passing, Ge(n * gained, r)],
)


@passed.proof
def _(goal):
    """By convergence-time-run-passage."""
    far = Ge(x, n * gained, evaluate=False)
    either = by_claim(Or(Ge(x, r), far, evaluate=False), "convergence-time-run-passage")
    there = chain(x - r).ge(0, by=sign)
    through = chain(x - r).ge(n * gained - r, by=sign).ge(0, by=sign)
    return having(either, cases(goal, (Ge(x, r), there), (far, through)))


# -- contraction near the oracle ---------------------------------------------------------------

near_one = [*run, Ge(kappas[T], r), Le(kappas[T], 1), Le(nus[T], 1), *small]

nu_contracts = Claim(
    id="convergence-time-run-nu",
    title=(
        "With short steps from $kappa_T >= r$, $nu_T >= v >= erf(b r/B)$, $1 - nu_(T + n) <= "
        "e^(-n s) (1 - nu_T)$, $s = alpha (1 - alpha Q) Q erf(b r) (1 + v)$"
    ),
    statement=Le(1 - y, exp(-n * alpha * nu_rate) * (1 - nus[T]), evaluate=False),
    source="new; short steps have $alpha N, alpha Q, alpha p <= 1$",
    hypotheses=[*near_one, Ge(nus[T], v), Ge(v, nu_with_zero_kappa_slope(r))],
)


def beside(proof):
    """Use in a proof that the run stays at kappa >= r and does not lower nu."""
    stay = lemma("convergence-time-run-stays")
    return having(
        chain(nus[T]).ge(nu_with_zero_kappa_slope(r), by=sign),
        chain(x).ge(r, by=stay),
        chain(x).le(1, by=stay),
        chain(y).ge(nus[T], by=stay),
        chain(y).le(1, by=stay),
        proof,
    )


@nu_contracts.proof
def _(goal):
    """By induction: convergence-time-corner-nu."""
    rate_here, start = alpha * nu_rate, 1 - nus[T]

    def step(known):
        enough = chain(y).ge(v, by=sign)
        raised = by_step(nus).ge(
            1 - (1 - rate_here) * (1 - y), by=lemma("convergence-time-corner-nu", **here)
        )
        powers = lemma(
            "convergence-time-contraction-power",
            {"W_0": start, "W": 1 - y, "W'": 1 - y_next, "s": rate_here},
        )
        return beside(
            having(
                enough,
                raised,
                chain(1 - y_next).le((1 - rate_here) * (1 - y), by=sign),
                chain(1 - y_next).le(exp(-(n + 1) * rate_here) * start, by=powers),
            )
        )

    return induction(goal, n, base=sign, step=step)


near_oracle = [
    *near_one, Le(r, q), Le(q, 1), Ge(nus[T], 1 - h), Le(h, 1 - nu_with_zero_kappa_slope(q)),
]  # fmt: skip
lower = chain(nu_with_zero_kappa_slope(r)).le(
    nu_with_zero_kappa_slope(q), by=increasing(erf(z), z, chain(b * r / B).le(b * q / B, by=sign))
)
contracted = Le(1 - x, exp(-n * alpha * kappa_rate) * (1 - kappas[T]), evaluate=False)

kappa_contracts = Claim(
    id="convergence-time-run-kappa",
    title=(
        "With short steps from $kappa_T >= r$, $nu_T >= 1 - h >= erf(b q/B)$, $n$ steps lead "
        "to $kappa >= q$ or $1 - kappa <= e^(-n s) (1 - kappa_T)$, $s$ in closed form"
    ),
    statement=Or(Ge(x, q), contracted, evaluate=False),
    source="new; short steps have $alpha N, alpha Q, alpha p <= 1$",
    hypotheses=near_oracle,
)


@kappa_contracts.proof
def _(goal):
    """By induction: convergence-time-corner-kappa, or $kappa$ has passed $q$."""
    rate_here, start = alpha * kappa_rate, 1 - kappas[T]

    def step(known):
        bound = exp(-(n + 1) * rate_here) * start
        target = Or(Ge(x_next, q), Le(1 - x_next, bound), evaluate=False)
        up = by_step(kappas).ge(q, by=lemma("convergence-time-stays", r=q, **here))
        raised = by_step(kappas).ge(
            1 - (1 - rate_here) * (1 - x), by=lemma("convergence-time-corner-kappa", **here)
        )
        powers = lemma(
            "convergence-time-contraction-power",
            {"W_0": start, "W": 1 - x, "W'": 1 - x_next, "s": rate_here},
        )
        nearer = having(
            raised,
            chain(1 - x_next).le((1 - rate_here) * (1 - x), by=sign),
            chain(1 - x_next).le(bound, by=powers),
        )
        low = cases(target, (Ge(x, q), up), (contracted, nearer))
        enough = chain(y).ge(1 - h, by=sign), chain(y).ge(nu_with_zero_kappa_slope(q), by=sign)
        return having(
            lower,
            beside(having(*enough, cases(target, (Ge(x, q), up), (Le(x, q), low)))),
        )

    return induction(goal, n, base=chain(1 - kappas[T]).le(1 - kappas[T], by=sign), step=step)


arrives = Claim(
    id="convergence-time-run-arrives",
    title=(
        "With short steps from $kappa_T >= r$, $nu_T >= 1 - h >= erf(b q/B)$, $kappa_(T + n) "
        ">= q$ if $e^(-n s) (1 - r) <= 1 - q$, $s$ of convergence-time-corner-kappa"
    ),
    statement=Ge(x - q, 0, evaluate=False),
    source="new; short steps have $alpha N, alpha Q, alpha p <= 1$; $0 <= r <= q <= 1$",
    hypotheses=[*near_oracle, Le(exp(-n * alpha * kappa_rate) * (1 - r), 1 - q)],
)


@arrives.proof
def _(goal):
    """By convergence-time-run-kappa."""
    either = by_claim(Or(Ge(x, q), contracted, evaluate=False), "convergence-time-run-kappa")
    near = (
        chain(x - q)
        .ge(1 - q - exp(-n * alpha * kappa_rate) * (1 - kappas[T]), by=sign)
        .ge(1 - q - exp(-n * alpha * kappa_rate) * (1 - r), by=sign)
        .ge(0, by=sign)
    )
    there = chain(x - q).ge(0, by=sign)
    return having(either, cases(goal, (Ge(x, q), there), (contracted, near)))
