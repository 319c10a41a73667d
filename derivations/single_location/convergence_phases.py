"""The gain of a step in each phase of descent."""

from sympy import Ge, Le, Symbol, erf, exp, pi, sqrt, symbols

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
    kappa_next,
    kappa_rate,
    level,
    m,
    nu_next,
    nu_rate,
    nu_with_zero_kappa_slope,
    p,
    push,
    q,
    r,
    v,
)  # fmt: skip
from slrsym.papers.single_location.notation import alpha, kappa, nu
from slrsym.proof import Claim, algebra, cases, chain, having, increasing, lemma, sign

z = Symbol("z", nonnegative=True)


small_for_kappa, small_for_nu = Le(alpha * N, 1), Le(alpha * Q, 1)

# -- growth at the saddle ----------------------------------------------------------------------

below = [Le(c, 1), Ge(kappa, 0), Le(kappa, 1), Ge(nu, 0), Le(nu, nu_with_zero_kappa_slope(c))]
small = [small_for_kappa, Le(alpha * p, 1)]

letters = dict(zip(symbols("m l p", real=True), (m, ell, p), strict=True))

growth_kappa = Claim(
    id="convergence-time-growth-kappa",
    title=(
        "If $alpha N, alpha p <= 1$, a step from $kappa >= 0$ and $0 <= nu <= erf(b c/B)$ "
        "raises $kappa$ by at least $alpha (m N nu - p kappa)$"
    ),
    statement=Ge(kappa_next - kappa - alpha * (m * N * nu - p * kappa), 0, evaluate=False),
    source="new; for $c <= 1$",
    hypotheses=[*below, *small],
    notation=letters,
)


@growth_kappa.proof
def _(goal):
    """If $kappa$ falls, then by little; and it rises only where $kappa <= c$."""
    inside_here = chain(nu).le(nu_with_zero_kappa_slope(c), by=sign).le(1, by=sign)
    flat = chain(level).le(
        2 / sqrt(pi) * b * kappa / B, by=lemma("lemma-17-iii-positive", p=b * kappa / B)
    )
    line = alpha * (m * N * nu - p * kappa)
    factor = chain(m).le(1, by=sign)
    down = (
        chain(goal.lhs)
        .ge(
            -alpha * N * (level - nu) - line,
            by=lemma("convergence-time-kappa-falls").where(inside_here),
        )
        .ge(-alpha * N * (2 / sqrt(pi) * b * kappa / B - nu) - line, by=sign)
        .then(alpha * N * nu * (1 - m), by=algebra)
        .ge(0, by=sign)
    )
    rise = alpha * (1 - alpha * N) * push * (1 - kappa**2)
    bell = chain(exp(-((b * kappa) ** 2))).ge(
        exp(-((b * c) ** 2)), by=lemma("exp-falls", u=(b * c) ** 2, w=(b * kappa) ** 2)
    )
    up = having(
        bell,
        chain(goal.lhs)
        .ge(rise - line, by=lemma("convergence-time-kappa-rises").where(inside_here))
        .ge(
            alpha * (1 - alpha * N) * N * exp(-((b * c) ** 2)) * (nu - level) * (1 - kappa**2)
            - line,
            by=sign,
        )
        .ge(alpha * m * N * (nu - level) - line, by=sign)
        .ge(alpha * m * N * (nu - 2 / sqrt(pi) * b * kappa / B) - line, by=sign)
        .then(alpha * p * kappa * (1 - m), by=algebra)
        .ge(0, by=sign),
    )
    higher = (
        chain(nu)
        .le(nu_with_zero_kappa_slope(c), by=sign)
        .le(level, by=increasing(erf(z), z, chain(b * c / B).le(b * kappa / B, by=sign)))
    )
    low = cases(goal, (Ge(nu, level), up), (Le(nu, level), down))
    return having(
        flat, factor, cases(goal, (Ge(kappa, c), having(higher, down)), (Le(kappa, c), low))
    )


growth_nu = Claim(
    id="convergence-time-growth-nu",
    title=(
        "If $alpha Q <= 1$, a step from $kappa >= 0$ and $0 <= nu <= erf(b c/B)$ raises $nu$ "
        "by at least $alpha l kappa$"
    ),
    statement=Ge(nu_next - nu - alpha * ell * kappa, 0, evaluate=False),
    source="new; for $c <= 1$",
    hypotheses=[*below, small_for_nu],
    notation=letters,
)


@growth_nu.proof
def _(goal):
    """The error function lies above its chord from 0 to $b$."""
    inside_here = chain(nu).le(nu_with_zero_kappa_slope(c), by=sign).le(1, by=sign)
    line = alpha * ell * kappa
    factor = alpha * (1 - alpha * Q) * Q * (1 - nu**2)
    return having(
        inside_here,
        chain(goal.lhs)
        .ge(
            factor * erf(b * kappa) - line,
            by=lemma("convergence-time-nu-rises"),
        )
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


# W = g kappa + m N nu grows where g^2 + p g <= m N l.
slope_nu, least = symbols("l m", nonnegative=True)
new_kappa, new_nu = symbols("kappa_1 nu_1", real=True)
drop = Symbol("p", nonnegative=True)

combined = Claim(
    id="convergence-time-combination",
    title=(
        "If $kappa >= 0$, $nu$ gain $alpha (m N nu - p kappa)$, $alpha l kappa$ or more, $g "
        "kappa + m N nu$ grows at least $1 + alpha g$ times if $g^2 + p g <= m N l$"
    ),
    statement=Ge(
        g * new_kappa + least * N * new_nu - (1 + alpha * g) * (g * kappa + least * N * nu),
        0,
        evaluate=False,
    ),
    source="new",
    hypotheses=[
        Ge(kappa, 0),
        Ge(new_kappa - kappa - alpha * (least * N * nu - drop * kappa), 0),
        Ge(new_nu - nu - alpha * slope_nu * kappa, 0),
        Le(g**2 + drop * g, least * N * slope_nu),
    ],
)


@combined.proof
def _(goal):
    """The gain is linear in both overlaps."""
    by_nu = alpha * slope_nu * kappa
    return (
        chain(goal.lhs)
        .ge(
            g * (kappa + alpha * (least * N * nu - drop * kappa))
            + least * N * new_nu
            - (1 + alpha * g) * (g * kappa + least * N * nu),
            by=sign,
        )
        .ge(
            g * (kappa + alpha * (least * N * nu - drop * kappa))
            + least * N * (nu + by_nu)
            - (1 + alpha * g) * (g * kappa + least * N * nu),
            by=sign,
        )
        .then(alpha * kappa * (least * N * slope_nu - g**2 - drop * g), by=algebra)
        .ge(0, by=sign)
    )


growth = Claim(
    id="convergence-time-growth",
    title=(
        "With short steps and $g^2 + p g <= m N l$, a step from $kappa >= 0$, $0 <= nu <= "
        "erf(b c/B)$ multiplies $g kappa + m N nu$ by at least $1 + alpha g$"
    ),
    statement=Ge(
        growing_combination(kappa_next, nu_next) - (1 + alpha * g) * growing_combination(kappa, nu),
        0,
        evaluate=False,
    ),
    source="new; for $c <= 1$; $m$, $l$ and $p$ are those of the two claims before",
    hypotheses=[*below, *small, small_for_nu, Le(g**2 + p * g, m * N * ell)],
    notation=letters,
)


@growth.proof
def _(goal):
    """By the two claims before."""
    values = {new_kappa: kappa_next, new_nu: nu_next, least: m, slope_nu: ell, drop: p}
    by_kappa = chain(kappa_next - kappa - alpha * (m * N * nu - p * kappa)).ge(
        0, by=lemma("convergence-time-growth-kappa")
    )
    by_nu = chain(nu_next - nu - alpha * ell * kappa).ge(0, by=lemma("convergence-time-growth-nu"))
    return having(
        chain(m).ge(0, by=sign),
        chain(ell).ge(0, by=sign),
        chain(goal.lhs).ge(
            0, by=lemma("convergence-time-combination", values).where(by_kappa, by_nu)
        ),
    )


# -- the way to the corner ---------------------------------------------------------------------

passage = Claim(
    id="convergence-time-passage",
    title=(
        "If $alpha N <= 1$, a step from $0 <= kappa <= r$ and $nu >= v >= u = erf(b r/B)$ "
        "raises $kappa$ by at least $alpha m N (v - u)$, with $m$ at $c = r$"
    ),
    statement=Ge(kappa_next - kappa - alpha * gain, 0, evaluate=False),
    source="new",
    hypotheses=[
        Ge(kappa, 0),
        Le(kappa, r),
        Le(r, 1),
        Ge(nu, v),
        Le(nu, 1),
        Ge(v, nu_with_zero_kappa_slope(r)),
        small_for_kappa,
    ],
)


@passage.proof
def _(goal):
    """Each factor of the gain falls as $kappa$ rises."""
    factor, rest = alpha * (1 - alpha * N) * N, alpha * gain
    lower = chain(level).le(
        nu_with_zero_kappa_slope(r),
        by=increasing(erf(z), z, chain(b * kappa / B).le(b * r / B, by=sign)),
    )
    here, there = exp(-((b * kappa) ** 2)), exp(-((b * r) ** 2))
    bell = chain(here).ge(there, by=lemma("exp-falls", u=(b * r) ** 2, w=(b * kappa) ** 2))
    above = chain(nu).ge(v, by=sign).ge(level, by=sign)
    known = chain(nu).ge(0, by=sign), chain(kappa).le(r, by=sign).le(1, by=sign)
    return having(
        lower,
        bell,
        above,
        chain(goal.lhs)
        .ge(
            factor * here * (nu - level) * (1 - kappa**2) - rest,
            by=lemma("convergence-time-kappa-rises").where(*known),
        )
        .ge(factor * there * (nu - level) * (1 - kappa**2) - rest, by=sign)
        .ge(factor * there * (v - nu_with_zero_kappa_slope(r)) * (1 - kappa**2) - rest, by=sign)
        .ge(0, by=sign),
    )


corner_nu = Claim(
    id="convergence-time-corner-nu",
    title=(
        "If $alpha Q <= 1$, a step from $kappa >= r >= 0$, $nu >= v >= 0$ multiplies $1 - nu$ "
        "by at most $1 - alpha (1 - alpha Q) Q erf(b r) (1 + v)$"
    ),
    statement=Le(1 - nu_next - (1 - alpha * nu_rate) * (1 - nu), 0, evaluate=False),
    source="new",
    hypotheses=[Ge(kappa, r), Le(kappa, 1), Ge(nu, v), Le(nu, 1), small_for_nu],
)


@corner_nu.proof
def _(goal):
    """$1 - nu^2$ is $(1 - nu) (1 + nu)$."""
    factor = alpha * (1 - alpha * Q) * Q
    rest = (1 - alpha * nu_rate) * (1 - nu)
    higher = chain(erf(b * kappa)).ge(
        erf(b * r), by=increasing(erf(z), z, chain(b * kappa).ge(b * r, by=sign))
    )
    known = (
        chain(kappa).ge(r, by=sign).ge(0, by=sign),
        chain(nu).ge(v, by=sign).ge(0, by=sign),
    )
    return having(
        higher,
        chain(goal.lhs)
        .le(
            1 - nu - factor * erf(b * kappa) * (1 - nu**2) - rest,
            by=lemma("convergence-time-nu-rises").where(*known),
        )
        .le(1 - nu - factor * erf(b * r) * (1 - nu**2) - rest, by=sign)
        .then(-factor * erf(b * r) * (1 - nu) * (nu - v), by=algebra)
        .le(0, by=sign),
    )


corner_kappa = Claim(
    id="convergence-time-corner-kappa",
    title=(
        "If $alpha N <= 1$, a step from $0 <= r <= kappa <= q$ and $nu >= 1 - h >= erf(b "
        "q/B)$ multiplies $1 - kappa$ by at most $1 - s$, with $s$ in closed form"
    ),
    statement=Le(1 - kappa_next - (1 - alpha * kappa_rate) * (1 - kappa), 0, evaluate=False),
    source="new",
    hypotheses=[
        Ge(kappa, r),
        Le(kappa, q),
        Le(q, 1),
        Ge(nu, 1 - h),
        Le(nu, 1),
        Le(h, 1 - nu_with_zero_kappa_slope(q)),
        small_for_kappa,
    ],
)


@corner_kappa.proof
def _(goal):
    """$1 - kappa^2$ is $(1 - kappa) (1 + kappa)$."""
    factor = alpha * (1 - alpha * N) * N
    rest = (1 - alpha * kappa_rate) * (1 - kappa)
    lower = chain(level).le(
        nu_with_zero_kappa_slope(q),
        by=increasing(erf(z), z, chain(b * kappa / B).le(b * q / B, by=sign)),
    )
    here, there = exp(-((b * kappa) ** 2)), exp(-((b * q) ** 2))
    bell = chain(here).ge(there, by=lemma("exp-falls", u=(b * q) ** 2, w=(b * kappa) ** 2))
    above = chain(nu).ge(1 - h, by=sign).ge(level, by=sign)
    inside = chain(kappa).le(q, by=sign).le(1, by=sign)
    known = inside, chain(nu).ge(nu_with_zero_kappa_slope(q), by=sign).ge(0, by=sign)
    return having(
        chain(kappa).ge(r, by=sign).ge(0, by=sign),
        lower,
        bell,
        above,
        chain(goal.lhs)
        .le(
            1 - kappa - factor * here * (nu - level) * (1 - kappa**2) - rest,
            by=lemma("convergence-time-kappa-rises").where(*known),
        )
        .le(1 - kappa - factor * there * (nu - level) * (1 - kappa**2) - rest, by=sign)
        .le(
            1
            - kappa
            - factor * there * (1 - nu_with_zero_kappa_slope(q) - h) * (1 - kappa**2)
            - rest,
            by=sign,
        )
        .then(
            -factor * there * (1 - nu_with_zero_kappa_slope(q) - h) * (1 - kappa) * (kappa - r),
            by=algebra,
        )
        .le(0, by=sign),
    )
