"""How slow the last phase of descent is."""

from sympy import Ge, Le, Symbol, erf, exp, sqrt

from slrsym.papers.single_location.convergence import (
    B,
    N,
    b,
    coordinate_after_planar_step,
    fastest_kappa_rate,
    kappa_next,
    level,
    nu_with_zero_kappa_slope,
    push,
    r,
)
from slrsym.papers.single_location.notation import alpha, kappa, nu
from slrsym.proof import Claim, algebra, cases, chain, having, increasing, lemma, sign

z = Symbol("z", nonnegative=True)

x, y = Symbol("x", real=True), Symbol("y", nonnegative=True)
# The length of the tangent step before the projection, squared.
w, positive = Symbol("w", nonnegative=True), Symbol("z", positive=True)

shorter = Claim(
    id="projection-shortens",
    title="$1/sqrt(1 + w) <= 1$ for $w >= 0$",
    statement=Le(1 / sqrt(1 + w), 1, evaluate=False),
    source="school; the projection to the sphere divides by such a root",
)


@shorter.proof
def _(goal):
    """The square root grows."""
    root = chain(sqrt(1 + w)).ge(
        1, by=increasing(sqrt(positive), positive, chain(1 + w).ge(1, by=sign))
    )
    return having(root, chain(goal.lhs).le(1, by=sign))


up = Claim(
    id="planar-step-up-at-most",
    title=(
        "Where $alpha$ times the slope is $-y <= 0$, a step raises a coordinate $x >= 0$ by at "
        "most $y (1 - x^2)$"
    ),
    statement=Le(coordinate_after_planar_step(x, -y), x + y * (1 - x**2), evaluate=False),
    source="new; $y$ is the step size times the slope",
    hypotheses=[Ge(x, 0), Le(x, 1)],
)


@up.proof
def _(goal):
    """The projection shortens the tangent step."""
    known = lemma("projection-shortens", w=y**2 * (1 - x**2))
    return chain(goal.lhs).le(goal.rhs, by=known.scaled(goal.rhs))


down = Claim(
    id="planar-step-down",
    title="Where the slope is not negative, a step does not raise a coordinate $x >= 0$",
    statement=Le(coordinate_after_planar_step(x, y), x, evaluate=False),
    source="new; $y$ is the step size times the slope",
    hypotheses=[Ge(x, 0), Le(x, 1)],
)


@down.proof
def _(goal):
    """The tangent step lowers it, and the projection shortens the vector."""
    known = lemma("projection-shortens", w=y**2 * (1 - x**2))
    length = sqrt(1 + y**2 * (1 - x**2))
    return chain(goal.lhs).le(x / length, by=sign).le(x, by=known.scaled(x))


slowest = Claim(
    id="convergence-time-corner-slowness",
    title=(
        "Where $kappa >= r >= 0$ and $nu >= 0$, a step multiplies $1 - kappa$ by at least $1 - 2 "
        "alpha N e^(-b^2 r^2) (1 - erf(b r/B))$"
    ),
    statement=Ge(
        1 - kappa_next - (1 - alpha * fastest_kappa_rate) * (1 - kappa), 0, evaluate=False
    ),
    source=(
        "new; with $r$ near 1 and $h$ near 0 the rate of convergence-time-corner-kappa is this "
        "one, but for the factor $1 - alpha N$"
    ),
    hypotheses=[Ge(kappa, r), Le(kappa, 1), Le(nu, 1), Ge(nu, 0)],
)


@slowest.proof
def _(goal):
    """A step up moves $kappa$ little, and a step down does not lower $1 - kappa$."""
    rise, rest = alpha * push, (1 - alpha * fastest_kappa_rate) * (1 - kappa)
    here, there = exp(-((b * kappa) ** 2)), exp(-((b * r) ** 2))
    bell = chain(here).le(there, by=lemma("exp-falls", u=(b * kappa) ** 2, w=(b * r) ** 2))
    lower = chain(level).ge(
        nu_with_zero_kappa_slope(r),
        by=increasing(erf(z), z, chain(b * kappa / B).ge(b * r / B, by=sign)),
    )
    up = (
        chain(goal.lhs)
        .ge(
            1 - kappa - rise * (1 - kappa**2) - rest,
            by=lemma("planar-step-up-at-most", x=kappa, y=rise),
        )
        .ge(1 - kappa - 2 * rise * (1 - kappa) - rest, by=sign)
        .ge(1 - kappa - 2 * alpha * N * here * (1 - level) * (1 - kappa) - rest, by=sign)
        .ge(1 - kappa - 2 * alpha * N * there * (1 - level) * (1 - kappa) - rest, by=sign)
        .ge(
            1
            - kappa
            - 2 * alpha * N * there * (1 - nu_with_zero_kappa_slope(r)) * (1 - kappa)
            - rest,
            by=sign,
        )
        .ge(0, by=sign)
    )
    low = (
        chain(goal.lhs)
        .ge(1 - kappa - rest, by=lemma("planar-step-down", x=kappa, y=-rise))
        .ge(0, by=sign)
    )
    positive = chain(kappa).ge(r, by=sign).ge(0, by=sign)
    either = cases(goal, (Ge(nu, level), up), (Le(nu, level), low))
    return having(positive, having(bell, having(lower, either)))


dies = Claim(
    id="convergence-time-corner-exponent",
    title=(
        "The bound $2 N e^(-b^2 r^2) (1 - erf(b r/B))$ on the rate at which $1 - kappa$ falls "
        "where $kappa >= r$ is at most $2 N e^(-(1 + 1/B^2) b^2 r^2)$"
    ),
    statement=Le(fastest_kappa_rate, 2 * N * exp(-(1 + 1 / B**2) * (b * r) ** 2), evaluate=False),
    source="new; the left side is the rate of convergence-time-corner-slowness",
)


@dies.proof
def _(goal):
    """By the bound on $1 - erf$."""
    factor = 2 * N * exp(-((b * r) ** 2))
    return (
        chain(goal.lhs)
        .le(factor * exp(-((b * r / B) ** 2)), by=lemma("erfc-bound", x=b * r / B).scaled(factor))
        .then(goal.rhs, by=algebra)
    )
