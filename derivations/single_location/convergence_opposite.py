"""Starts whose overlaps have opposite signs.

Where kappa >= 0 >= nu and U = g kappa + N nu > 0, a run grows out of the saddle as from any other
start. By the reflection of both overlaps, so it does where kappa <= 0 <= nu and U < 0.
"""

from sympy import And, Ge, Le, Lt, Or, Symbol, erf, exp

from slrsym.papers.single_location.convergence import (
    B,
    N,
    Q,
    b,
    c,
    coordinate_after_planar_step,
    ell,
    g,
    growing_combination,
    kappa_next,
    kappas,
    level,
    m,
    minus_kappa_slope,
    nu_next,
    nu_with_zero_kappa_slope,
    nus,
    overlaps_after_planar_step,
    p,
    push,
    run,
)  # fmt: skip
from slrsym.papers.single_location.notation import alpha, kappa, nu
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    by_claim,
    cases,
    chain,
    having,
    induction,
    instance,
    lemma,
    sign,
)

x, y = Symbol("x", real=True), Symbol("y", nonnegative=True)


# -- one step ----------------------------------------------------------------------------------

rises = Claim(
    id="planar-step-rises-below",
    title=(
        "Where $alpha$ times the slope is $-y$, with $0 <= y <= 1$, a step raises a coordinate $x "
        "<= 0$ by at least $y (1 - y) (1 - x^2)$"
    ),
    statement=Ge(
        coordinate_after_planar_step(x, -y) - x - y * (1 - y) * (1 - x**2), 0, evaluate=False
    ),
    source="new; planar-step-rises is about $x >= 0$",
    hypotheses=[Ge(x, -1), Le(x, 0), Le(y, 1)],
)


@rises.proof
def _(goal):
    """The projection raises a negative coordinate; Lemma 16 bounds the loss of a positive one."""
    stretch = 1 - x**2
    up = x + y * stretch
    gain = y * (1 - y) * stretch
    above = (
        chain(goal.lhs)
        .ge(
            up * (1 - y**2 * stretch / 2) - x - gain,
            by=lemma("lemma-16-one-sided", x=y**2 * stretch).scaled(up),
        )
        .then(y**2 * stretch * (2 - x - y * stretch) / 2, by=algebra)
        .ge(0, by=sign)
    )
    below = (
        chain(goal.lhs)
        .ge(
            up - x - gain,
            by=lemma("projection-shortens", w=y**2 * stretch).scaled(-up),
        )
        .then(y**2 * stretch, by=algebra)
        .ge(0, by=sign)
    )
    return cases(goal, (Ge(up, 0), above), (Le(up, 0), below))


opposite = [Ge(kappa, 0), Le(kappa, 1), Ge(nu, -1), Le(nu, 0)]
outwards = g * kappa + N * nu
fall = Le(alpha * (p + g), 1)

kappa_falls = Claim(
    id="convergence-time-opposite-kappa",
    title=(
        "Where $kappa >= 0 >= nu$ and $g kappa + N nu >= 0$, a step adds at least "
        "$alpha (N nu - p kappa)$ to $kappa$, if $alpha (p + g) <= 1$"
    ),
    statement=Ge(kappa_next - kappa - alpha * (N * nu - p * kappa), 0, evaluate=False),
    source="new; $p = 2 N b/(sqrt(pi) B)$",
    hypotheses=[*opposite, Ge(outwards, 0), fall],
)


@kappa_falls.proof
def _(goal):
    """By planar-step-falls; the step down is at most $alpha (p + g) kappa$, hence $kappa$."""
    down, most = -alpha * push, alpha * (p * kappa - N * nu)
    flat = chain(alpha * N * level).le(
        alpha * p * kappa,
        by=lemma("lemma-17-iii-positive", p=b * kappa / B).scaled(alpha * N),
    )
    short = chain(down).le(alpha * N * (level - nu), by=sign).le(most, by=sign)
    small = short.le(alpha * (p + g) * kappa, by=sign).le(kappa, by=sign)
    return having(
        flat,
        chain(down).ge(0, by=sign),
        small,
        short,
        chain(goal.lhs)
        .ge(most - down, by=lemma("planar-step-falls", x=kappa, y=down))
        .ge(0, by=sign),
    )


new_kappa, drop = Symbol("kappa_1", real=True), Symbol("p", nonnegative=True)

keeps = Claim(
    id="convergence-time-opposite-sign",
    title=(
        "If $kappa >= 0$, $g kappa + N nu >= 0$, $alpha (p + g) <= 1$ and $kappa$ gains at "
        "least $alpha (N nu - p kappa)$ in a step, it stays at least 0"
    ),
    statement=Ge(new_kappa, 0, evaluate=False),
    source="new",
    hypotheses=[
        Ge(kappa, 0),
        Ge(outwards, 0),
        Ge(new_kappa - kappa - alpha * (N * nu - drop * kappa), 0),
        Le(alpha * (drop + g), 1),
    ],
)


@keeps.proof
def _(goal):
    """The gain is at least $-alpha (p + g) kappa$."""
    return (
        chain(new_kappa)
        .ge(kappa + alpha * (N * nu - drop * kappa), by=sign)
        .ge(kappa - alpha * (drop + g) * kappa, by=sign)
        .ge(0, by=sign)
    )


nu_rises = Claim(
    id="convergence-time-opposite-nu",
    title=(
        "If $alpha Q <= 1$, a step from $kappa >= 0 >= nu >= -erf(b c/B)$ raises $nu$ by at "
        "least $alpha l kappa$"
    ),
    statement=Ge(nu_next - nu - alpha * ell * kappa, 0, evaluate=False),
    source="new; as convergence-time-growth-nu, where $nu >= 0$",
    hypotheses=[
        Ge(kappa, 0), Le(kappa, 1), Ge(nu, -nu_with_zero_kappa_slope(c)), Le(nu, 0),
        Le(alpha * Q, 1),
    ],
)  # fmt: skip


@nu_rises.proof
def _(goal):
    """By planar-step-rises-below, and the error function lies above its chord from 0 to $b$."""
    rise, line = alpha * Q * erf(b * kappa), alpha * ell * kappa
    factor = alpha * (1 - alpha * Q) * Q * (1 - nu**2)
    bounded = chain(rise).le(alpha * Q, by=sign)
    return having(
        chain(nu).ge(-1, by=sign),
        bounded,
        chain(rise).le(1, by=sign),
        chain(goal.lhs)
        .ge(
            rise * (1 - rise) * (1 - nu**2) - line,
            by=lemma("planar-step-rises-below", x=nu, y=rise),
        )
        .ge(factor * erf(b * kappa) - line, by=sign)
        .ge(
            factor * kappa * erf(b) - line,
            by=lemma("erf-above-chord", r=kappa, w=b).scaled(factor),
        )
        .then(
            alpha
            * (1 - alpha * Q)
            * Q
            * kappa
            * erf(b)
            * (nu_with_zero_kappa_slope(c) ** 2 - nu**2),
            by=algebra,
        )
        .ge(0, by=sign),
    )


# -- a run -------------------------------------------------------------------------------------

n, T = (Symbol(name, integer=True, nonnegative=True) for name in "nT")
# The run n steps after T, and one step later.
k, u, k_next, u_next = kappas[T + n], nus[T + n], kappas[T + n + 1], nus[T + n + 1]
here = {"kappa": k, "nu": u}
rate, begin = alpha * g / (1 + alpha * g), g * kappas[T] + N * nus[T]
U, U_next = g * k + N * u, g * k_next + N * u_next
start = [
    *run,
    Ge(kappas[T], 0),
    Le(kappas[T], 1),
    Ge(nus[T], -nu_with_zero_kappa_slope(c)),
    Le(nus[T], 0),
    Ge(begin, 0),
    Le(alpha * N, 1),
    Le(alpha * Q, 1),
    fall,
]


def by_step(overlaps):
    """Begin a chain from an overlap with the step that leads to it."""
    which = (kappas, nus).index(overlaps)
    return chain(overlaps[T + n + 1]).then(
        overlaps_after_planar_step(k, u)[which], by=instance(run[which], T + n)
    )


def combined(factor):
    """Use convergence-time-combination for the run, with a factor of the gain of kappa."""
    return lemma(
        "convergence-time-combination", here, kappa_1=k_next, nu_1=u_next, m=factor, l=ell, p=p
    )


def multiplied(first, now, after):
    """Use convergence-time-growth-power for a quantity of the run."""
    values = {"W_0": first, "W": now, "W'": after, "a": alpha * g}
    return lemma("convergence-time-growth-power", values)


def outwards_facts():
    """Show that U grows by a factor where nu is at most 0."""
    return [
        chain(U).ge(0, by=sign),
        chain(u).ge(-nu_with_zero_kappa_slope(c), by=sign),
        chain(u).ge(-1, by=sign),
        by_step(kappas).ge(
            k + alpha * (N * u - p * k), by=lemma("convergence-time-opposite-kappa", **here)
        ),
        by_step(nus).ge(u + alpha * ell * k, by=lemma("convergence-time-opposite-nu", **here)),
        chain(U_next).ge((1 + alpha * g) * U, by=combined(1)),
    ]


grown = Ge(U, exp(n * rate) * begin, evaluate=False)

outgrows = Claim(
    id="convergence-time-run-opposite",
    title=(
        "With short steps from $kappa_T >= 0 >= nu_T >= -erf(b c/B)$, $U_T >= 0$, $g^2 + p g "
        "<= N l$: $kappa >= 0$, and $nu >= 0$ or $U = g kappa + N nu >= e^(n s) U_T$"
    ),
    statement=And(
        Ge(k, 0),
        Le(k, 1),
        Ge(u, nus[T]),
        Le(u, 1),
        Or(Ge(u, 0), grown, evaluate=False),
        evaluate=False,
    ),
    source=(
        "new; short steps have $alpha N, alpha Q, alpha (p + g) <= 1$; $g^2 + p g <= N l$; $s = "
        "alpha g/(1 + alpha g)$"
    ),
    hypotheses=[*start, Le(g**2 + p * g, N * ell)],
)


@outgrows.proof
def _(goal):
    """By induction: $U$ grows as in convergence-time-growth, or $nu$ is positive and stays so."""
    base = all_of(
        chain(kappas[T]).ge(0, by=sign),
        chain(kappas[T]).le(1, by=sign),
        chain(nus[T]).ge(nus[T], by=sign),
        chain(nus[T]).le(1, by=sign),
        chain(begin).ge(begin, by=sign),
    )
    bound = exp((n + 1) * rate) * begin
    below_one = [
        by_step(kappas).le(
            1, by=lemma("planar-step-stays", x=k, y=-alpha * minus_kappa_slope(k, u))
        ),
        by_step(nus).le(1, by=lemma("planar-step-stays", x=u, y=-alpha * Q * erf(b * k))),
    ]
    whole = And(
        Ge(k_next, 0),
        Le(k_next, 1),
        Ge(u_next, nus[T]),
        Le(u_next, 1),
        Or(Ge(u_next, 0), Ge(U_next, bound), evaluate=False),
        evaluate=False,
    )
    stay = lemma("convergence-time-stays", r=0, **here)
    positive = having(
        chain(alpha * p).le(alpha * (p + g), by=sign).le(1, by=sign),
        by_step(nus).ge(u, by=stay),
        all_of(
            by_step(kappas).ge(0, by=stay),
            below_one[0],
            chain(u_next).ge(nus[T], by=sign),
            below_one[1],
            chain(u_next).ge(0, by=sign),
        ),
    )
    negative = having(
        chain(ell).ge(0, by=sign),
        *outwards_facts(),
        chain(u_next).ge(u, by=sign),
        all_of(
            chain(k_next).ge(
                0, by=lemma("convergence-time-opposite-sign", here, kappa_1=k_next, p=p)
            ),
            below_one[0],
            chain(u_next).ge(nus[T], by=sign),
            below_one[1],
            chain(U_next).ge(bound, by=multiplied(begin, U, U_next)),
        ),
    )
    low = cases(whole, (Ge(u, 0), positive), (grown, negative))
    step = cases(whole, (Ge(u, 0), positive), (Le(u, 0), low))
    return induction(goal, n, base=base, step=lambda known: step)


# -- out of the saddle -------------------------------------------------------------------------

W, least = growing_combination(k, u), m * begin
enough = Ge(W, exp(n * rate) * least, evaluate=False)
quicker = [*start, Le(c, 1), Le(g**2 + p * g, m * N * ell)]
either = Or(Ge(u, nu_with_zero_kappa_slope(c)), enough, evaluate=False)

grows = Claim(
    id="convergence-time-run-opposite-growth",
    title=(
        "From $kappa_T >= 0 >= nu_T >= -erf(b c/B)$, $U = g kappa_T + N nu_T >= 0$, $n$ short "
        "steps lead to $nu >= erf(b c/B)$ or $g kappa + m N nu >= e^(n s) m U$"
    ),
    statement=either,
    source=(
        "new; short steps have $alpha N, alpha Q, alpha (p + g) <= 1$; $g^2 + p g <= m N l$; $c <= "
        "1$; $s = alpha g/(1 + alpha g)$"
    ),
    hypotheses=quicker,
)


def in_ranges(proof):
    """Use in a proof the ranges of the overlaps, by convergence-time-run-opposite."""
    ahead = lemma("convergence-time-run-opposite")
    return having(
        chain(ell).ge(0, by=sign),
        chain(m).ge(0, by=sign),
        chain(m).le(1, by=sign),
        chain(g**2 + p * g).le(m * N * ell, by=sign).le(N * ell, by=sign),
        chain(k).ge(0, by=ahead),
        chain(k).le(1, by=ahead),
        chain(u).ge(nus[T], by=ahead),
        chain(u).le(1, by=ahead),
        chain(alpha * p).le(alpha * (p + g), by=sign).le(1, by=sign),
        proof,
    )


@grows.proof
def _(goal):
    """By induction: where $nu <= 0$, by $U$, which is less; else by convergence-time-growth."""
    base = (
        chain(growing_combination(kappas[T], nus[T]))
        .then(least + (1 - m) * g * kappas[T], by=algebra)
        .ge(least, by=sign)
    )
    W_next, factor = growing_combination(k_next, u_next), exp((n + 1) * rate)
    target = Or(Ge(u_next, nu_with_zero_kappa_slope(c)), Ge(W_next, factor * least), evaluate=False)
    past = having(
        by_step(nus).ge(u, by=lemma("convergence-time-stays", r=0, **here)),
        chain(u_next).ge(nu_with_zero_kappa_slope(c), by=sign),
    )
    as_before = having(
        by_step(kappas).ge(
            k + alpha * (m * N * u - p * k), by=lemma("convergence-time-growth-kappa", **here)
        ),
        by_step(nus).ge(u + alpha * ell * k, by=lemma("convergence-time-growth-nu", **here)),
        chain(W).ge(0, by=sign),
        chain(W_next).ge((1 + alpha * g) * W, by=combined(m)),
        chain(W_next).ge(factor * least, by=multiplied(least, W, W_next)),
    )
    below = cases(target, (Ge(u, nu_with_zero_kappa_slope(c)), past), (enough, as_before))
    upper = cases(
        target,
        (Ge(u, nu_with_zero_kappa_slope(c)), past),
        (Le(u, nu_with_zero_kappa_slope(c)), below),
    )
    by_U = having(
        *outwards_facts(),
        chain(k_next).ge(0, by=lemma("convergence-time-opposite-sign", here, kappa_1=k_next, p=p)),
        chain(U_next).ge(factor * begin, by=multiplied(begin, U, U_next)),
        chain(W_next)
        .then(m * U_next + (1 - m) * g * k_next, by=algebra)
        .ge(m * U_next, by=sign)
        .ge(factor * least, by=sign),
    )
    known = by_claim(Or(Ge(u, 0), grown, evaluate=False), "convergence-time-run-opposite")
    lower = having(known, cases(target, (Ge(u, 0), upper), (grown, by_U)))
    step = in_ranges(cases(target, (Ge(u, 0), upper), (Le(u, 0), lower)))
    return induction(goal, n, base=having(chain(m).le(1, by=sign), base), step=lambda known: step)


leaves = Claim(
    id="convergence-time-run-opposite-leaves",
    title=(
        "From $kappa_T >= 0 >= nu_T >= -erf(b c/B)$, $U = g kappa_T + N nu_T >= 0$, $nu >= "
        "erf(b c/B)$ after $n$ short steps if $e^(n s) m U >= g + m N erf(b c/B)$"
    ),
    statement=Ge(u - nu_with_zero_kappa_slope(c), 0, evaluate=False),
    source="new; as in convergence-time-run-opposite-growth, with $alpha N < 1$ and $c < 1$",
    hypotheses=[
        *quicker,
        Lt(c, 1),
        Lt(alpha * N, 1),
        Ge(exp(n * rate) * least, growing_combination(1, nu_with_zero_kappa_slope(c))),
    ],
)


@leaves.proof
def _(goal):
    """Otherwise $g kappa + m N nu$ would be larger than it can be with $kappa <= 1$."""
    level = nu_with_zero_kappa_slope(c)
    positive = (
        chain(m * N * (u - level))
        .then(W - growing_combination(1, level) + g * (1 - k), by=algebra)
        .ge(exp(n * rate) * least - growing_combination(1, level) + g * (1 - k), by=sign)
        .ge(g * (1 - k), by=sign)
        .ge(0, by=sign)
    )
    values = {"P": m * N * (u - level), "a": m * N, "b": u - level}
    rest = having(
        chain(m * N).gt(0, by=sign),
        positive,
        chain(u - level).ge(0, by=lemma("other-factor-nonnegative", values)),
    )
    there = chain(u - level).ge(0, by=sign)
    known = by_claim(either, "convergence-time-run-opposite-growth")
    return in_ranges(having(known, cases(goal, (Ge(u, level), there), (enough, rest))))
