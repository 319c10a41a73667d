"""Steps near the saddle as $lambda$ falls.

Let W = g kappa + m N nu, with the numbers of the first inverse temperature. A step multiplies W by
at least 1 + alpha g y, where y is the factor by which N and b have fallen. As y is at least
1/(1 + c n) after n steps, W grows like a power of 1 + c n.
"""

from sympy import Ge, Le, Symbol, erf, exp, log, pi, sqrt

from slrsym.papers.single_location.convergence import (
    N0,
    B,
    N,
    Q,
    T,
    b,
    b0,
    c,
    cooled_ell,
    cooled_gain,
    cooled_m,
    cooled_p,
    cooling,
    decay_over_cooled_steps,
    drop,
    gain,
    kappa_next,
    level,
    m,
    nu_next,
    p,
    push,
    r,
    slope_nu,
    v,
    weight,
)  # fmt: skip
from slrsym.papers.single_location.notation import alpha, kappa, nu
from slrsym.proof import (
    Claim,
    algebra,
    cases,
    chain,
    having,
    increasing,
    lemma,
    sign,
    tangent,
)

z, w = Symbol("z", nonnegative=True), Symbol("w", real=True)
x, y = Symbol("x", positive=True), Symbol("y", positive=True)
n = Symbol("n", integer=True, nonnegative=True)


# -- one step ----------------------------------------------------------------------------------

inside = Claim(
    id="convergence-time-growth-inside",
    title=(
        "If $alpha N, alpha p <= 1$, a step from $0 <= kappa <= c$ and $nu >= 0$ raises $kappa$ by "
        "at least $alpha (m N nu - p kappa)$"
    ),
    statement=Ge(kappa_next - kappa - alpha * (m * N * nu - p * kappa), 0, evaluate=False),
    source="new; for $c, nu <= 1$; $m$ and $p$ as in convergence-time-growth-kappa",
    hypotheses=[
        Le(c, 1), Ge(kappa, 0), Le(kappa, c), Ge(nu, 0), Le(nu, 1), Le(alpha * N, 1),
        Le(alpha * p, 1),
    ],
)  # fmt: skip


@inside.proof
def _(goal):
    """If $kappa$ falls, then by little; and it rises only where $kappa <= c$."""
    flat = chain(level).le(
        2 / sqrt(pi) * b * kappa / B, by=lemma("lemma-17-iii-positive", p=b * kappa / B)
    )
    line = alpha * (m * N * nu - p * kappa)
    down = (
        chain(goal.lhs)
        .ge(-alpha * N * (level - nu) - line, by=lemma("convergence-time-kappa-falls"))
        .ge(-alpha * N * (2 / sqrt(pi) * b * kappa / B - nu) - line, by=sign)
        .then(alpha * N * nu * (1 - m), by=algebra)
        .ge(0, by=sign)
    )
    bell, least = exp(-((b * kappa) ** 2)), exp(-((b * c) ** 2))
    factor = alpha * (1 - alpha * N)
    up = having(
        chain(bell).ge(least, by=lemma("exp-falls", u=(b * c) ** 2, w=(b * kappa) ** 2)),
        chain(goal.lhs)
        .ge(factor * push * (1 - kappa**2) - line, by=lemma("convergence-time-kappa-rises"))
        .ge(factor * least * N * (nu - level) * (1 - kappa**2) - line, by=sign)
        .ge(alpha * m * N * (nu - level) - line, by=sign)
        .ge(alpha * m * N * (nu - 2 / sqrt(pi) * b * kappa / B) - line, by=sign)
        .then(alpha * p * kappa * (1 - m), by=algebra)
        .ge(0, by=sign),
    )
    return having(
        chain(kappa).le(1, by=sign),
        flat,
        chain(m).le(1, by=sign),
        cases(goal, (Ge(nu, level), up), (Le(nu, level), down)),
    )


cooler = {b: y * b0, N: y * N0}
m_now, p_now = (number.subs(cooler, simultaneous=True) for number in (m, p))
line_now = alpha * (m_now * y * N0 * nu - p_now * kappa)
gained_line = alpha * y * (weight * N0 * nu - drop * kappa)
sizes = [Le(weight, cooled_m), Ge(drop, cooled_p)]

line = Claim(
    id="schedule-growth-kappa",
    title=(
        "For $kappa, nu >= 0$, $c, alpha N_0, y <= 1$, the bound $alpha (m N nu - p kappa)$ at "
        "$b = y b_0$, $N = y N_0$ is at least $y$ times that at $y = 1$"
    ),
    statement=Ge(line_now - gained_line, 0, evaluate=False),
    source=(
        "new; $m = (1 - alpha N) e^(-b^2 c^2) (1 - c^2)$ and $p = 2 N b/(sqrt(pi) B)$; at $y = 1$, "
        "$B$ is 1 in $p$, and $m$ may be smaller, $p$ larger"
    ),
    hypotheses=[
        *sizes, Le(c, 1), Ge(kappa, 0), Ge(nu, 0), Le(alpha * N0, 1), Le(y, 1), Ge(B, 1),
    ],
)  # fmt: skip


@line.proof
def _(goal):
    """The factor $m$ rises as $y$ falls, and $p$ is at most its value at $y = 1$ times $y^2$."""
    bell, least = exp(-((y * b0 * c) ** 2)), exp(-((b0 * c) ** 2))
    return having(
        chain(bell).ge(least, by=lemma("exp-falls", u=(b0 * c) ** 2, w=(y * b0 * c) ** 2)),
        chain(alpha * y * N0).le(alpha * N0, by=sign),
        chain(m_now)
        .ge((1 - alpha * N0) * bell * (1 - c**2), by=sign)
        .ge(cooled_m, by=sign)
        .ge(weight, by=sign),
        chain(p_now).le(y**2 * cooled_p, by=sign).le(y * cooled_p, by=sign).le(y * drop, by=sign),
        chain(goal.lhs)
        .ge(alpha * (weight * y * N0 * nu - p_now * kappa) - gained_line, by=sign)
        .ge(0, by=sign),
    )


nu_line = Claim(
    id="schedule-growth-nu",
    title=(
        "If $b = y b_0$, $y, alpha Q <= 1$, $kappa >= 0$, a step adds to $nu$ in $[0, v]$ at "
        "least $alpha y l kappa$, $l = (1 - alpha Q) Q erf(b_0) (1 - v^2)$"
    ),
    statement=Ge(nu_next.subs(b, y * b0) - nu - alpha * y * slope_nu * kappa, 0, evaluate=False),
    source="new; $v <= 1$, and $l$ may be smaller",
    hypotheses=[
        Le(slope_nu, cooled_ell), Ge(kappa, 0), Le(kappa, 1), Ge(nu, 0), Le(nu, v), Le(v, 1),
        Le(alpha * Q, 1), Le(y, 1),
    ],
)  # fmt: skip


@nu_line.proof
def _(goal):
    """The error function lies above its chord from 0 to $b_0$."""
    share, factor = y * kappa, alpha * (1 - alpha * Q) * Q
    rest, less = alpha * y * cooled_ell * kappa, alpha * y * slope_nu * kappa
    return having(
        chain(nu).le(1, by=sign),
        chain(share).le(1, by=sign),
        chain(erf(y * b0 * kappa)).ge(share * erf(b0), by=lemma("erf-above-chord", r=share, w=b0)),
        chain(rest).ge(less, by=sign),
        chain(goal.lhs)
        .ge(
            factor * erf(y * b0 * kappa) * (1 - nu**2) - less,
            by=lemma("convergence-time-nu-rises", {b: y * b0}),
        )
        .ge(factor * erf(y * b0 * kappa) * (1 - nu**2) - rest, by=sign)
        .ge(factor * share * erf(b0) * (1 - nu**2) - rest, by=sign)
        .then(factor * share * erf(b0) * (v**2 - nu**2), by=algebra)
        .ge(0, by=sign),
    )


kappa_now, nu_now = (image.subs(cooler, simultaneous=True) for image in (kappa_next, nu_next))
gained = Ge(kappa_now - kappa - gained_line, 0, evaluate=False)
at_kappa = [
    *sizes, Ge(kappa, 0), Le(kappa, 1), Ge(nu, 0), Le(nu, 1), Le(c, 1), Le(y, 1), Ge(B, 1),
    Le(alpha * N0, 1), Le(alpha * cooled_p, 1),
]  # fmt: skip


def gains(goal, which):
    """Prove the gain of kappa by a claim about one step at constant inverse temperature."""
    return having(
        chain(alpha * y * N0).le(alpha * N0, by=sign).le(1, by=sign),
        chain(alpha * p_now).le(alpha * cooled_p * y**2, by=sign).le(alpha * cooled_p, by=sign),
        chain(alpha * p_now).le(1, by=sign),
        chain(kappa_now - kappa - line_now).ge(0, by=lemma(which, cooler)),
        chain(line_now - gained_line).ge(0, by=lemma("schedule-growth-kappa")),
        chain(goal.lhs).ge(0, by=sign),
    )


gain_below = Claim(
    id="schedule-gain-below",
    title=(
        "At $b = y b_0$, $N = y N_0$, $y <= 1$, a step from $0 <= nu <= erf(b c/B)$ adds at least "
        "$alpha y (m N_0 nu - p kappa)$ to $kappa >= 0$, $m$, $p$ at $y = 1$"
    ),
    statement=gained,
    source=(
        "new; $B >= 1$; $alpha N_0, alpha p <= 1$; $m$ and $p$ are those of schedule-growth-kappa "
        "at $y = 1$"
    ),
    hypotheses=[*at_kappa, Le(nu, erf(y * b0 * c / B))],
)


@gain_below.proof
def _(goal):
    """By convergence-time-growth-kappa and schedule-growth-kappa."""
    return gains(goal, "convergence-time-growth-kappa")


gain_inside = Claim(
    id="schedule-gain-inside",
    title=(
        "At $b = y b_0$, $N = y N_0$, $y <= 1$, a step from $0 <= kappa <= c$, $nu >= 0$ adds at "
        "least $alpha y (m N_0 nu - p kappa)$ to $kappa$, $m$, $p$ at $y = 1$"
    ),
    statement=gained,
    source="new; otherwise as in schedule-gain-below",
    hypotheses=[*at_kappa, Le(kappa, c)],
)


@gain_inside.proof
def _(goal):
    """By convergence-time-growth-inside and schedule-growth-kappa."""
    return gains(goal, "convergence-time-growth-inside")


passage = Claim(
    id="schedule-passage",
    title=(
        "At $b = y b_0$, $N = y N_0$, $y <= 1$, a step from $0 <= kappa <= r$, $nu >= v >= u = "
        "erf(b_0 r)$ adds at least $alpha y m N_0 (v - u)$ to $kappa$"
    ),
    statement=Ge(kappa_now - kappa - alpha * y * cooled_gain, 0, evaluate=False),
    source="new; $alpha N_0, r <= 1$, $B >= 1$; $m$ as in schedule-growth-kappa at $y = 1$",
    hypotheses=[
        Ge(kappa, 0), Le(kappa, r), Le(r, 1), Ge(nu, v), Le(nu, 1), Ge(v, erf(b0 * r)),
        Le(alpha * N0, 1), Le(y, 1), Ge(B, 1),
    ],
)  # fmt: skip


@passage.proof
def _(goal):
    """Each factor of the gain but $N$ rises as the inverse temperature falls."""
    bell, least = exp(-((y * b0 * r) ** 2)), exp(-((b0 * r) ** 2))
    lower = erf(y * b0 * r / B)
    argument = chain(y * b0 * r / B).le(y * b0 * r, by=sign).le(b0 * r, by=sign)
    gain_now = gain.subs(cooler, simultaneous=True)
    factor, left = alpha * y * N0, 1 - r**2
    return having(
        chain(lower).le(erf(b0 * r), by=increasing(erf(z), z, argument)),
        chain(lower).le(v, by=sign),
        chain(bell).ge(least, by=lemma("exp-falls", u=(b0 * r) ** 2, w=(y * b0 * r) ** 2)),
        chain(alpha * y * N0).le(alpha * N0, by=sign).le(1, by=sign),
        chain(alpha * gain_now)
        .ge((1 - alpha * N0) * factor * bell * (v - lower) * left, by=sign)
        .ge((1 - alpha * N0) * factor * least * (v - lower) * left, by=sign)
        .ge(alpha * y * cooled_gain, by=sign),
        chain(goal.lhs)
        .ge(
            alpha * gain_now - alpha * y * cooled_gain,
            by=lemma("convergence-time-passage", cooler),
        )
        .ge(0, by=sign),
    )


# -- many steps --------------------------------------------------------------------------------

gained_rate, first, now = (Symbol(name, nonnegative=True) for name in ("a", "W_0", "W"))
after = Symbol("W'", real=True)
growth_rate = gained_rate / (1 + gained_rate)
exponent, next_exponent, share = (Symbol(name, real=True) for name in "ulx")

exponents = Claim(
    id="schedule-growth-exponent",
    title="If $W >= e^u W_0 >= 0$, $W' >= e^x W$ and $l <= u + x$, then $W' >= e^l W_0$",
    statement=Ge(after, exp(next_exponent) * first, evaluate=False),
    source="new",
    hypotheses=[
        Ge(after, exp(share) * now),
        Ge(now, exp(exponent) * first),
        Le(next_exponent, exponent + share),
    ],
)


@exponents.proof
def _(goal):
    """The exponential is increasing."""
    order = chain(next_exponent).le(exponent + share, by=sign)
    return having(
        chain(exp(next_exponent)).le(exp(exponent + share), by=increasing(exp(w), w, order)),
        chain(after)
        .ge(exp(share) * now, by=sign)
        .ge(exp(share) * (exp(exponent) * first), by=sign)
        .then(exp(exponent + share) * first, by=algebra)
        .ge(goal.rhs, by=sign),
    )


factor = Claim(
    id="schedule-growth-factor",
    title="$1 + a y >= e^(s y)$, with $s = a/(1 + a)$, for $a >= 0$ and $0 < y <= 1$",
    statement=Ge(1 + gained_rate * y, exp(growth_rate * y), evaluate=False),
    source="new",
    hypotheses=[Le(y, 1)],
)


@factor.proof
def _(goal):
    """$e^(-x)$ lies above its tangent at 0; here $x = a y/(1 + a y)$."""
    lost = gained_rate * y / (1 + gained_rate * y)
    order = chain(growth_rate * y).le(lost, by=sign)
    return having(
        chain(exp(-lost)).ge(1 - lost, by=tangent(exp(w), w, at=0, point=-lost)),
        chain(goal.lhs).ge(exp(lost), by=sign).ge(goal.rhs, by=increasing(exp(w), w, order)),
    )


power = Claim(
    id="schedule-growth-power",
    title=(
        "If $W >= ((1 + c k)/(1 + c T))^(s/c) W_0$, $W' >= (1 + a/(1 + c k)) W$ and $s = a/(1 + "
        "a)$, then $W'$ satisfies the first bound at $k + 1$"
    ),
    statement=Ge(after, decay_over_cooled_steps(n + 1, -growth_rate, T) * first, evaluate=False),
    source="new; $a, W, W_0 >= 0$ and $1/(1 + c k) <= y <= 1$",
    hypotheses=[
        Ge(after, (1 + gained_rate * y) * now),
        Ge(now, decay_over_cooled_steps(n, -growth_rate, T) * first),
        Le(y, 1),
        Ge(y * (1 + cooling * (T + n)), 1),
    ],
)


@power.proof
def _(goal):
    """The logarithm lies below its tangent at $1 + c k$."""
    start, here, there = (1 + cooling * steps for steps in (T, T + n, T + n + 1))
    slope = growth_rate / cooling
    before, later = (slope * (log(end) - log(start)) for end in (here, there))
    logs = chain(log(there)).le(
        log(here) + cooling / here, by=tangent(log(x), x, at=here, point=there)
    )
    values = {share: growth_rate * y, exponent: before, next_exponent: later}
    return having(
        logs,
        chain(y).ge(1 / here, by=sign),
        chain(later).le(before + growth_rate / here, by=sign).le(before + growth_rate * y, by=sign),
        chain(1 + gained_rate * y).ge(exp(growth_rate * y), by=lemma("schedule-growth-factor")),
        chain(after)
        .ge((1 + gained_rate * y) * now, by=sign)
        .ge(exp(growth_rate * y) * now, by=sign),
        chain(after).ge(goal.rhs, by=lemma("schedule-growth-exponent", values)),
    )
