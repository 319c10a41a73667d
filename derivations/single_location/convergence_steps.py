"""One step of descent on the manifold: the least gain of each overlap, phase by phase."""

from sympy import And, Ge, Le, Symbol, erf, exp, pi, sqrt, symbols

from slrsym.notation import alpha, kappa, nu
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    cases,
    chain,
    having,
    increasing,
    lemma,
    sign,
    tangent,
)

# -- one coordinate ----------------------------------------------------------------------------

x = Symbol("x", real=True)
# By how much the tangent step goes up or down, but for the factor 1 - x^2.
y = Symbol("y", nonnegative=True)


def moved(x, y):
    """Return where a step takes the coordinate x, by Lemma 7; y is step size times slope."""
    return (x - y * (1 - x**2)) / sqrt(1 + y**2 * (1 - x**2))


rises = Claim(
    id="planar-step-rises",
    title="A step up moves a coordinate $x >= 0$ by at least $y (1 - y) (1 - x^2)$",
    statement=Ge(moved(x, -y) - x - y * (1 - y) * (1 - x**2), 0, evaluate=False),
    source="new; $y$ is the step size times the slope, and at most 1",
    hypotheses=[Ge(x, 0), Le(x, 1), Le(y, 1)],
)


@rises.proof
def _(goal):
    """Lemma 16 bounds the loss by the projection."""
    stretch = 1 - x**2
    up = x + y * stretch
    return (
        chain(goal.lhs)
        .then(up / sqrt(1 + y**2 * stretch) - x - y * (1 - y) * stretch, by=algebra)
        .ge(
            up * (1 - y**2 * stretch / 2) - x - y * (1 - y) * stretch,
            by=lemma("lemma-16-one-sided", x=y**2 * stretch).scaled(up),
        )
        .then(y**2 * stretch * (2 - x - y * stretch) / 2, by=algebra)
        .ge(0, by=sign)
    )


falls = Claim(
    id="planar-step-falls",
    title="A step down by $y <= x$ moves a coordinate $x >= 0$ by at most $y$",
    statement=Ge(moved(x, y) - x + y, 0, evaluate=False),
    source="new; $y$ is the step size times the slope",
    hypotheses=[Ge(x, 0), Le(x, 1), Le(y, x)],
)


@falls.proof
def _(goal):
    """The loss by the projection is less than the tangent step falls short of $y$."""
    stretch = 1 - x**2
    down = x - y * stretch
    short = y * x**2 - x * y**2 * stretch / 2
    return (
        chain(goal.lhs)
        .ge(
            down * (1 - y**2 * stretch / 2) - x + y,
            by=lemma("lemma-16-one-sided", x=y**2 * stretch).scaled(down),
        )
        .then(short + y**3 * stretch**2 / 2, by=algebra)
        .ge(short, by=sign)
        .then(x * y * (x - y * stretch / 2), by=algebra)
        .ge(0, by=sign)
    )


# -- the error function ------------------------------------------------------------------------

fraction, w, z = symbols("r w z", nonnegative=True)

chord = Claim(
    id="erf-above-chord",
    title="$erf(r w) >= r erf(w)$ for $w >= 0$ and $r$ from 0 to 1",
    statement=Ge(erf(fraction * w) - fraction * erf(w), 0, evaluate=False),
    source="school",
    hypotheses=[Le(fraction, 1)],
)


@chord.proof
def _(goal):
    """The error function is concave: it lies below its tangent at $r w$."""
    here = fraction * w
    slope = 2 / sqrt(pi) * exp(-(here**2))
    end = chain(erf(w)).le(erf(here) + slope * (w - here), by=tangent(erf(z), z, at=here, point=w))
    zero = chain(0).le(erf(here) - slope * here, by=tangent(erf(z), z, at=here, point=0))
    return having(
        end,
        having(
            zero,
            chain(goal.lhs)
            .ge(erf(here) - fraction * (erf(here) + slope * (w - here)), by=sign)
            .then((1 - fraction) * (erf(here) - slope * here), by=algebra)
            .ge(0, by=sign),
        ),
    )


# -- both coordinates, with any numbers for the constants ---------------------------------------

bounds = dict(zip(("N", "Q", "b", "B"), symbols("N Q b B", positive=True), strict=True))
N, Q, b, B = bounds.values()

# Where kappa neither rises nor falls if nu is there, and its slope in kappa times N at 0.
level, fall = erf(b * kappa / B), N * 2 / sqrt(pi) * b / B
push = N * exp(-((b * kappa) ** 2)) * (nu - level)

kappa_next, nu_next = moved(kappa, -alpha * push), moved(nu, -alpha * Q * erf(b * kappa))

inside = [Ge(kappa, 0), Le(kappa, 1), Ge(nu, 0), Le(nu, 1)]
small_for_kappa, small_for_nu = Le(alpha * N, 1), Le(alpha * Q, 1)

kappa_rises = Claim(
    id="convergence-time-kappa-rises",
    title=(
        "If $nu >= u = erf(b kappa/B)$, a step raises $kappa$ by at least $alpha (1 - alpha N) N "
        "e^(-b^2 kappa^2) (nu - u) (1 - kappa^2)$"
    ),
    statement=Ge(
        kappa_next - kappa - alpha * (1 - alpha * N) * push * (1 - kappa**2), 0, evaluate=False
    ),
    source="new",
    hypotheses=[*inside, Ge(nu, level), small_for_kappa],
)


@kappa_rises.proof
def _(goal):
    """By planar-step-rises."""
    rise = alpha * push
    gain = alpha * (1 - alpha * N) * push * (1 - kappa**2)
    bounded = (
        chain(rise)
        .le(alpha * N * (nu - level), by=sign)
        .le(alpha * N * nu, by=sign)
        .le(alpha * N, by=sign)
    )
    small = chain(rise).le(alpha * N, by=sign).le(1, by=sign)
    return having(
        bounded,
        chain(goal.lhs)
        .ge(
            rise * (1 - rise) * (1 - kappa**2) - gain,
            by=lemma("planar-step-rises", x=kappa, y=rise).where(small),
        )
        .then(rise * (alpha * N - rise) * (1 - kappa**2), by=algebra)
        .ge(0, by=sign),
    )


kappa_falls = Claim(
    id="convergence-time-kappa-falls",
    title="If $nu <= u = erf(b kappa/B)$, a step lowers $kappa$ by at most $alpha N (u - nu)$",
    statement=Ge(kappa_next - kappa + alpha * N * (level - nu), 0, evaluate=False),
    source="new; $p = 2 N b/(sqrt(pi) B)$",
    hypotheses=[*inside, Le(nu, level), Le(alpha * fall, 1)],
)


@kappa_falls.proof
def _(goal):
    """By planar-step-falls; the step down is at most $alpha p kappa$, hence at most $kappa$."""
    down = -alpha * push
    short = chain(down).le(alpha * N * (level - nu), by=sign)
    small = (
        chain(down)
        .le(alpha * N * (level - nu), by=sign)
        .le(alpha * N * level, by=sign)
        .le(
            alpha * fall * kappa,
            by=lemma("lemma-17-iii-positive", p=b * kappa / B).scaled(alpha * N),
        )
        .le(kappa, by=sign)
    )
    return having(
        short,
        chain(goal.lhs)
        .ge(
            alpha * N * (level - nu) - down,
            by=lemma("planar-step-falls", x=kappa, y=down).where(small),
        )
        .ge(0, by=sign),
    )


nu_rises = Claim(
    id="convergence-time-nu-rises",
    title="A step raises $nu$ by at least $alpha (1 - alpha Q) Q erf(b kappa) (1 - nu^2)$",
    statement=Ge(
        nu_next - nu - alpha * (1 - alpha * Q) * Q * erf(b * kappa) * (1 - nu**2),
        0,
        evaluate=False,
    ),
    source="new",
    hypotheses=[*inside, small_for_nu],
)


@nu_rises.proof
def _(goal):
    """By planar-step-rises."""
    rise = alpha * Q * erf(b * kappa)
    gain = alpha * (1 - alpha * Q) * Q * erf(b * kappa) * (1 - nu**2)
    bounded = chain(rise).le(alpha * Q, by=sign)
    small = chain(rise).le(alpha * Q, by=sign).le(1, by=sign)
    return having(
        bounded,
        chain(goal.lhs)
        .ge(
            rise * (1 - rise) * (1 - nu**2) - gain,
            by=lemma("planar-step-rises", x=nu, y=rise).where(small),
        )
        .then(rise * (alpha * Q - rise) * (1 - nu**2), by=algebra)
        .ge(0, by=sign),
    )


# -- growth at the saddle ----------------------------------------------------------------------

# Any number from 0 to 1: growth is shown as long as nu is below the level there.
c = Symbol("c", nonnegative=True)


def level_at(x):
    return erf(b * x / B)


# The least factors of the gains in kappa and in nu.
m = (1 - alpha * N) * exp(-((b * c) ** 2)) * (1 - c**2)
ell = (1 - alpha * Q) * Q * erf(b) * (1 - level_at(c) ** 2)

below = [Le(c, 1), Ge(kappa, 0), Le(kappa, 1), Ge(nu, 0), Le(nu, level_at(c))]
small = [small_for_kappa, Le(alpha * fall, 1)]

below_one = chain(level_at(c)).le(1, by=sign)

growth_kappa = Claim(
    id="convergence-time-growth-kappa",
    title="While $nu <= erf(b c/B)$, a step raises $kappa$ by at least $alpha (m N nu - p kappa)$",
    statement=Ge(kappa_next - kappa - alpha * (m * N * nu - fall * kappa), 0, evaluate=False),
    source="new; $m = (1 - alpha N) e^(-b^2 c^2) (1 - c^2)$ and $p = 2 N b/(sqrt(pi) B)$",
    hypotheses=[*below, *small],
)


@growth_kappa.proof
def _(goal):
    """If $kappa$ falls, then by little; and it rises only where $kappa <= c$."""
    inside_here = chain(nu).le(level_at(c), by=sign).le(1, by=sign)
    flat = chain(level).le(
        2 / sqrt(pi) * b * kappa / B, by=lemma("lemma-17-iii-positive", p=b * kappa / B)
    )
    line = alpha * (m * N * nu - fall * kappa)
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
    gain = alpha * (1 - alpha * N) * push * (1 - kappa**2)
    bell = chain(exp(-((b * kappa) ** 2))).ge(
        exp(-((b * c) ** 2)), by=lemma("exp-falls", u=(b * c) ** 2, w=(b * kappa) ** 2)
    )
    up = having(
        bell,
        chain(goal.lhs)
        .ge(gain - line, by=lemma("convergence-time-kappa-rises").where(inside_here))
        .ge(
            alpha * (1 - alpha * N) * N * exp(-((b * c) ** 2)) * (nu - level) * (1 - kappa**2)
            - line,
            by=sign,
        )
        .ge(alpha * m * N * (nu - level) - line, by=sign)
        .ge(alpha * m * N * (nu - 2 / sqrt(pi) * b * kappa / B) - line, by=sign)
        .then(alpha * fall * kappa * (1 - m), by=algebra)
        .ge(0, by=sign),
    )
    higher = (
        chain(nu)
        .le(level_at(c), by=sign)
        .le(level, by=increasing(erf(z), z, chain(b * c / B).le(b * kappa / B, by=sign)))
    )
    return having(
        flat,
        having(
            factor,
            cases(
                goal,
                (Ge(kappa, c), having(higher, down)),
                (Le(kappa, c), cases(goal, (Ge(nu, level), up), (Le(nu, level), down))),
            ),
        ),
    )


growth_nu = Claim(
    id="convergence-time-growth-nu",
    title="While $nu <= erf(b c/B)$, a step raises $nu$ by at least $alpha l kappa$",
    statement=Ge(nu_next - nu - alpha * ell * kappa, 0, evaluate=False),
    source="new; $l = (1 - alpha Q) Q erf(b) (1 - erf(b c/B)^2)$",
    hypotheses=[*below, small_for_nu],
)


@growth_nu.proof
def _(goal):
    """The error function lies above its chord from 0 to $b$."""
    inside_here = chain(nu).le(level_at(c), by=sign).le(1, by=sign)
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
        .then(alpha * (1 - alpha * Q) * Q * kappa * erf(b) * (level_at(c) ** 2 - nu**2), by=algebra)
        .ge(0, by=sign),
    )


# W = g kappa + m N nu grows where g^2 + p g <= m N l.
g, slope_nu, least = symbols("g l m", nonnegative=True)
new_kappa, new_nu = symbols("kappa_1 nu_1", real=True)
drop = Symbol("p", nonnegative=True)

combined = Claim(
    id="convergence-time-combination",
    title=(
        "If $kappa$ gains at least $alpha (m N nu - p kappa)$ and $nu$ at least $alpha l kappa$, "
        "then $g kappa + m N nu$ grows by the factor $1 + alpha g$, where $g^2 + p g <= m N l$"
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
        "While $nu <= erf(b c/B)$, a step multiplies $g kappa + m N nu$ by at least $1 + alpha g$, "
        "where $g^2 + p g <= m N l$"
    ),
    statement=Ge(
        g * kappa_next + m * N * nu_next - (1 + alpha * g) * (g * kappa + m * N * nu),
        0,
        evaluate=False,
    ),
    source="new; $m$, $l$ and $p$ are those of the two claims before",
    hypotheses=[*below, *small, small_for_nu, Le(g**2 + fall * g, m * N * ell)],
)


@growth.proof
def _(goal):
    """By the two claims before."""
    factor = chain(m).ge(0, by=sign)
    other = chain(ell).ge(0, by=sign)
    values = {
        new_kappa: kappa_next,
        new_nu: nu_next,
        least: m,
        slope_nu: ell,
        drop: fall,
    }
    return having(
        factor,
        having(
            other,
            chain(goal.lhs).ge(
                0,
                by=lemma("convergence-time-combination", values).where(
                    chain(kappa_next - kappa - alpha * (m * N * nu - fall * kappa)).ge(
                        0, by=lemma("convergence-time-growth-kappa")
                    ),
                    chain(nu_next - nu - alpha * ell * kappa).ge(
                        0, by=lemma("convergence-time-growth-nu")
                    ),
                ),
            ),
        ),
    )


# -- what stays --------------------------------------------------------------------------------

# Any two numbers that the overlaps have passed.
start, low = symbols("r v", nonnegative=True)

stays = Claim(
    id="convergence-time-stays",
    title=(
        "A step from $kappa >= r$ and $nu >= erf(b r/B)$ leads to $kappa >= r$, and does not lower "
        "$nu$"
    ),
    statement=And(
        Ge(kappa_next - start, 0, evaluate=False),
        Ge(nu_next - nu, 0, evaluate=False),
        evaluate=False,
    ),
    source="new; at $r = 0$, both overlaps stay nonnegative",
    hypotheses=[
        Ge(kappa, start),
        Le(kappa, 1),
        Ge(nu, level_at(start)),
        Le(nu, 1),
        *small,
        small_for_nu,
    ],
)


@stays.proof
def _(goal):
    """Where $kappa$ falls, it falls by at most $alpha p$ times its distance from $r$."""
    positive = chain(kappa).ge(start, by=sign).ge(0, by=sign)
    of_nu = chain(nu).ge(level_at(start), by=sign).ge(0, by=sign)
    here = b * start / B
    slope = 2 / sqrt(pi) * exp(-(here**2))
    flat = (
        chain(level)
        .le(
            level_at(start) + slope * (b * kappa / B - here),
            by=tangent(erf(z), z, at=here, point=b * kappa / B),
        )
        .le(level_at(start) + 2 / sqrt(pi) * b / B * (kappa - start), by=sign)
    )
    part = Ge(kappa_next - start, 0, evaluate=False)
    up = (
        chain(part.lhs)
        .ge(
            kappa + alpha * (1 - alpha * N) * push * (1 - kappa**2) - start,
            by=lemma("convergence-time-kappa-rises"),
        )
        .ge(kappa - start, by=sign)
        .ge(0, by=sign)
    )
    down = (
        chain(part.lhs)
        .ge(kappa - alpha * N * (level - nu) - start, by=lemma("convergence-time-kappa-falls"))
        .ge(kappa - alpha * N * (level - level_at(start)) - start, by=sign)
        .ge(kappa - alpha * fall * (kappa - start) - start, by=sign)
        .then((1 - alpha * fall) * (kappa - start), by=algebra)
        .ge(0, by=sign)
    )
    rising = (
        chain(nu_next - nu)
        .ge(
            alpha * (1 - alpha * Q) * Q * erf(b * kappa) * (1 - nu**2),
            by=lemma("convergence-time-nu-rises"),
        )
        .ge(0, by=sign)
    )
    first = having(flat, cases(part, (Ge(nu, level), up), (Le(nu, level), down)))
    return all_of(having(positive, having(of_nu, first)), having(positive, having(of_nu, rising)))


# -- the way to the corner ---------------------------------------------------------------------

passage = Claim(
    id="convergence-time-passage",
    title=(
        "While $kappa <= r$ and $nu >= v >= erf(b r/B)$, a step raises $kappa$ by at least $alpha (1 "
        "- alpha N) N e^(-b^2 r^2) (v - erf(b r/B)) (1 - r^2)$"
    ),
    statement=Ge(
        kappa_next
        - kappa
        - alpha
        * (1 - alpha * N)
        * N
        * exp(-((b * start) ** 2))
        * (low - level_at(start))
        * (1 - start**2),
        0,
        evaluate=False,
    ),
    source="new",
    hypotheses=[
        Ge(kappa, 0),
        Le(kappa, start),
        Le(start, 1),
        Ge(nu, low),
        Le(nu, 1),
        Ge(low, level_at(start)),
        small_for_kappa,
    ],
)


@passage.proof
def _(goal):
    """Each factor of the gain falls as $kappa$ rises."""
    gain = alpha * (1 - alpha * N) * N
    lower = chain(level).le(
        level_at(start), by=increasing(erf(z), z, chain(b * kappa / B).le(b * start / B, by=sign))
    )
    bell = chain(exp(-((b * kappa) ** 2))).ge(
        exp(-((b * start) ** 2)), by=lemma("exp-falls", u=(b * start) ** 2, w=(b * kappa) ** 2)
    )
    end = exp(-((b * start) ** 2)) * (low - level_at(start)) * (1 - start**2)
    above = chain(nu).ge(low, by=sign).ge(level_at(start), by=sign).ge(level, by=sign)
    known = chain(nu).ge(0, by=sign), chain(kappa).le(start, by=sign).le(1, by=sign)
    return having(
        lower,
        having(
            bell,
            having(
                above,
                chain(goal.lhs)
                .ge(
                    gain * exp(-((b * kappa) ** 2)) * (nu - level) * (1 - kappa**2) - gain * end,
                    by=lemma("convergence-time-kappa-rises").where(*known),
                )
                .ge(
                    gain * exp(-((b * start) ** 2)) * (nu - level) * (1 - kappa**2) - gain * end,
                    by=sign,
                )
                .ge(
                    gain * exp(-((b * start) ** 2)) * (low - level_at(start)) * (1 - kappa**2)
                    - gain * end,
                    by=sign,
                )
                .ge(0, by=sign),
            ),
        ),
    )


corner_nu = Claim(
    id="convergence-time-corner-nu",
    title=(
        "Where $kappa >= r$ and $nu >= v$, a step multiplies $1 - nu$ by at most $1 - alpha (1 - "
        "alpha Q) Q erf(b r) (1 + v)$"
    ),
    statement=Le(
        1 - nu_next - (1 - alpha * (1 - alpha * Q) * Q * erf(b * start) * (1 + low)) * (1 - nu),
        0,
        evaluate=False,
    ),
    source="new",
    hypotheses=[Ge(kappa, start), Le(kappa, 1), Ge(nu, low), Le(nu, 1), small_for_nu],
)


@corner_nu.proof
def _(goal):
    """$1 - nu^2$ is $(1 - nu) (1 + nu)$."""
    factor = alpha * (1 - alpha * Q) * Q
    rate = factor * erf(b * start) * (1 + low)
    higher = chain(erf(b * kappa)).ge(
        erf(b * start), by=increasing(erf(z), z, chain(b * kappa).ge(b * start, by=sign))
    )
    known = (
        chain(kappa).ge(start, by=sign).ge(0, by=sign),
        chain(nu).ge(low, by=sign).ge(0, by=sign),
    )
    return having(
        higher,
        chain(goal.lhs)
        .le(
            1 - nu - factor * erf(b * kappa) * (1 - nu**2) - (1 - rate) * (1 - nu),
            by=lemma("convergence-time-nu-rises").where(*known),
        )
        .le(1 - nu - factor * erf(b * start) * (1 - nu**2) - (1 - rate) * (1 - nu), by=sign)
        .then(-factor * erf(b * start) * (1 - nu) * (nu - low), by=algebra)
        .le(0, by=sign),
    )


gap = Symbol("h", nonnegative=True)

corner_kappa = Claim(
    id="convergence-time-corner-kappa",
    title=(
        "Where $kappa >= r$ and $nu >= 1 - h >= erf(b/B)$, a step multiplies $1 - kappa$ by at most "
        "$1 - alpha (1 - alpha N) N e^(-b^2) (1 - erf(b/B) - h) (1 + r)$"
    ),
    statement=Le(
        1
        - kappa_next
        - (1 - alpha * (1 - alpha * N) * N * exp(-(b**2)) * (1 - level_at(1) - gap) * (1 + start))
        * (1 - kappa),
        0,
        evaluate=False,
    ),
    source="new",
    hypotheses=[
        Ge(kappa, start),
        Le(kappa, 1),
        Ge(nu, 1 - gap),
        Le(nu, 1),
        Le(gap, 1 - level_at(1)),
        small_for_kappa,
    ],
)


@corner_kappa.proof
def _(goal):
    """$1 - kappa^2$ is $(1 - kappa) (1 + kappa)$."""
    factor = alpha * (1 - alpha * N) * N
    end = exp(-(b**2)) * (1 - level_at(1) - gap)
    lower = chain(level).le(
        level_at(1), by=increasing(erf(z), z, chain(b * kappa / B).le(b / B, by=sign))
    )
    positive = chain(kappa).ge(start, by=sign).ge(0, by=sign)
    bell = chain(exp(-((b * kappa) ** 2))).ge(
        exp(-(b**2)), by=lemma("exp-falls", u=b**2, w=(b * kappa) ** 2)
    )
    above = chain(nu).ge(1 - gap, by=sign).ge(level_at(1), by=sign).ge(level, by=sign)
    known = chain(nu).ge(level_at(1), by=sign).ge(0, by=sign)
    rest = (1 - factor * end * (1 + start)) * (1 - kappa)
    return having(
        positive,
        having(
            lower,
            having(
                bell,
                having(
                    above,
                    chain(goal.lhs)
                    .le(
                        1
                        - kappa
                        - factor * exp(-((b * kappa) ** 2)) * (nu - level) * (1 - kappa**2)
                        - rest,
                        by=lemma("convergence-time-kappa-rises").where(known),
                    )
                    .le(
                        1 - kappa - factor * exp(-(b**2)) * (nu - level) * (1 - kappa**2) - rest,
                        by=sign,
                    )
                    .le(1 - kappa - factor * end * (1 - kappa**2) - rest, by=sign)
                    .then(-factor * end * (1 - kappa) * (kappa - start), by=algebra)
                    .le(0, by=sign),
                ),
            ),
        ),
    )
