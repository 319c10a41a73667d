"""How far a step moves each overlap.

The constants N, Q, b and B of the planar map are any positive numbers here.
"""

from sympy import And, Ge, Le, Symbol, erf, exp, pi, sqrt, symbols

from slrsym.papers.single_location.convergence import (
    B,
    N,
    Q,
    b,
    coordinate_after_planar_step,
    kappa_next,
    level,
    nu_next,
    nu_with_zero_kappa_slope,
    p,
    push,
    r,
)
from slrsym.papers.single_location.notation import alpha, kappa, nu
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    cases,
    chain,
    having,
    lemma,
    sign,
    tangent,
)

# -- one coordinate ----------------------------------------------------------------------------

x = Symbol("x", real=True)
# By how much the tangent step goes up or down, but for the factor 1 - x^2.
y = Symbol("y", nonnegative=True)


rises = Claim(
    id="planar-step-rises",
    title=(
        "Where $alpha$ times the slope is $-y$, with $0 <= y <= 1$, a step raises a coordinate $x "
        ">= 0$ by at least $y (1 - y) (1 - x^2)$"
    ),
    statement=Ge(
        coordinate_after_planar_step(x, -y) - x - y * (1 - y) * (1 - x**2), 0, evaluate=False
    ),
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
        .ge(
            up * (1 - y**2 * stretch / 2) - x - y * (1 - y) * stretch,
            by=lemma("lemma-16-one-sided", x=y**2 * stretch).scaled(up),
        )
        .then(y**2 * stretch * (2 - x - y * stretch) / 2, by=algebra)
        .ge(0, by=sign)
    )


falls = Claim(
    id="planar-step-falls",
    title=(
        "Where $alpha$ times the slope is $y$, with $0 <= y <= x$, a step lowers the coordinate "
        "$x$ by at most $y$"
    ),
    statement=Ge(coordinate_after_planar_step(x, y) - x + y, 0, evaluate=False),
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

inside = [Ge(kappa, 0), Le(kappa, 1), Ge(nu, 0), Le(nu, 1)]
small_for_kappa, small_for_nu = Le(alpha * N, 1), Le(alpha * Q, 1)

kappa_rises = Claim(
    id="convergence-time-kappa-rises",
    title=(
        "If $alpha N <= 1$ and $nu >= u = erf(b kappa/B)$, a step raises $kappa >= 0$ by at least "
        "$alpha (1 - alpha N) N e^(-b^2 kappa^2) (nu - u) (1 - kappa^2)$"
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
    small = chain(rise).le(1, by=sign)
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
    title=(
        "If $alpha p <= 1$ and $0 <= nu <= u = erf(b kappa/B)$, a step lowers $kappa$ by at most "
        "$alpha N (u - nu)$"
    ),
    statement=Ge(kappa_next - kappa + alpha * N * (level - nu), 0, evaluate=False),
    source="new; $p = 2 N b/(sqrt(pi) B)$",
    hypotheses=[*inside, Le(nu, level), Le(alpha * p, 1)],
)


@kappa_falls.proof
def _(goal):
    """By planar-step-falls; the step down is at most $alpha p kappa$, hence at most $kappa$."""
    down = -alpha * push
    short = chain(down).le(alpha * N * (level - nu), by=sign)
    small = (
        chain(down)
        .le(alpha * N * level, by=sign)
        .le(
            alpha * p * kappa,
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
    title=(
        "If $alpha Q <= 1$, a step from $kappa, nu >= 0$ raises $nu$ by at least $alpha (1 - alpha "
        "Q) Q erf(b kappa) (1 - nu^2)$"
    ),
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
    small = chain(rise).le(1, by=sign)
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


# -- what stays --------------------------------------------------------------------------------

stays = Claim(
    id="convergence-time-stays",
    title=(
        "If $alpha N, alpha Q, alpha p <= 1$, a step from $kappa >= r >= 0$ and $nu >= erf(b r/B)$ "
        "leads to $kappa >= r$, and does not lower $nu$"
    ),
    statement=And(
        Ge(kappa_next - r, 0, evaluate=False),
        Ge(nu_next - nu, 0, evaluate=False),
        evaluate=False,
    ),
    source="new; at $r = 0$, both overlaps stay nonnegative",
    hypotheses=[
        Ge(kappa, r),
        Le(kappa, 1),
        Ge(nu, nu_with_zero_kappa_slope(r)),
        Le(nu, 1),
        small_for_kappa,
        Le(alpha * p, 1),
        small_for_nu,
    ],
)


@stays.proof
def _(goal):
    """Where $kappa$ falls, it falls by at most $alpha p$ times its distance from $r$."""
    positive = chain(kappa).ge(r, by=sign).ge(0, by=sign)
    of_nu = chain(nu).ge(nu_with_zero_kappa_slope(r), by=sign).ge(0, by=sign)
    here = b * r / B
    slope = 2 / sqrt(pi) * exp(-(here**2))
    flat = (
        chain(level)
        .le(
            nu_with_zero_kappa_slope(r) + slope * (b * kappa / B - here),
            by=tangent(erf(z), z, at=here, point=b * kappa / B),
        )
        .le(nu_with_zero_kappa_slope(r) + 2 / sqrt(pi) * b / B * (kappa - r), by=sign)
    )
    part = Ge(kappa_next - r, 0, evaluate=False)
    up = (
        chain(part.lhs)
        .ge(
            kappa + alpha * (1 - alpha * N) * push * (1 - kappa**2) - r,
            by=lemma("convergence-time-kappa-rises"),
        )
        .ge(kappa - r, by=sign)
        .ge(0, by=sign)
    )
    down = (
        chain(part.lhs)
        .ge(kappa - alpha * N * (level - nu) - r, by=lemma("convergence-time-kappa-falls"))
        .ge(kappa - alpha * N * (level - nu_with_zero_kappa_slope(r)) - r, by=sign)
        .ge(kappa - alpha * p * (kappa - r) - r, by=sign)
        .then((1 - alpha * p) * (kappa - r), by=algebra)
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
