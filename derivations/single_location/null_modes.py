"""How descent leaves the null point.

Uniform starts in many dimensions lie near the point where all overlaps vanish. By the symmetries of
the risk, to first order kappa and nu move together there, and so do theta and eta.
"""

from sympy import And, Eq, Ge, Gt, Le, Lt, Subs, Symbol, asin, pi, sqrt, symbols

from slrsym.gaussian import OwensT, zeta
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    A,
    B,
    d,
    eta,
    gamma,
    kappa,
    lam,
    nu,
    s,
    t,
    theta,
)
from slrsym.papers.single_location.symbolic import risk_closed_form
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    at,
    cases,
    chain,
    differentiate,
    lemma,
    monotone,
    sign,
)

# What claim landscape-risk derives.
risk = risk_closed_form().replace(OwensT, lambda *_: (1 - zeta(t, s)) / 8)

z = zeta(0, s)
b = lam * sqrt(d / 2) / A
drift = 4 * gamma**2 * b / sqrt(pi)
friction_oracle = 8 * gamma**2 * b**2 / (pi * B)
friction_swap = d * z

x = Symbol("x", real=True)


def curvature_along(weights):
    """The second derivative at the null point as overlaps grow together, by weights."""
    moved = {p: weights.get(p, 0) * x for p in ORDER_PARAMETERS}
    return Subs(D(risk.subs(moved, simultaneous=True), (x, 2)), x, 0)


u, v = symbols("u v", real=True)
curvatures = {
    (kappa, nu): u**2 * friction_oracle - 2 * u * v * drift,
    (theta, eta): u**2 * friction_swap - 2 * u * v * drift,
}

hessian = Claim(
    id="null-hessian",
    title=(
        "The second derivatives of the risk at the null point along lines in $(kappa, nu)$, "
        "and along lines in $(theta, eta)$, in closed form"
    ),
    statement=And(
        *(
            Eq(curvature_along({first: u, second: v}), value, evaluate=False)
            for (first, second), value in curvatures.items()
        ),
        evaluate=False,
    ),
    source="new",
)


@hessian.proof
def _(goal):
    """Differentiate the risk; by claim landscape-symmetries the two pairs do not mix."""
    return all_of(*(chain(e.lhs).then(e.rhs, by=differentiate) for e in goal.args))


gap = Claim(
    id="null-friction",
    title=(
        "At the null point the second derivative of the risk in $theta$ exceeds that in $kappa$, "
        "both in closed form"
    ),
    statement=Gt(friction_swap - friction_oracle, 0),
    source="new",
)


@gap.proof
def _(goal):
    """By the lower bound of $zeta(0, s)$, which lacks the factor $B > 1$."""
    bound = 4 * s**2 / (pi * A**2)
    rest = d * bound * (4 * s**2) / (B * (B + 1))
    return (
        chain(goal.lhs)
        .then(d * (z - 4 * s**2 / (pi * (1 + 2 * s**2))) + rest, by=algebra)
        .ge(rest, by=lemma("zeta-at-zero-lower", r=s).scaled(d))
        .gt(0, by=sign)
    )


# A mode of friction f and pull p: the positive root of r^2 + f r = p^2.
f, p = (Symbol(name, positive=True) for name in ("f", "p"))
more = Symbol("h", real=True)


def root_of(friction):
    return sqrt(friction**2 + 4 * p**2)


def rate(friction):
    return (root_of(friction) - friction) / 2


root = Claim(
    id="mode-rate",
    title=(
        "$(sqrt(f^2 + 4 p^2) - f)/2$, the growth rate of a mode with friction $f$ and pull $p$, is "
        "a root of $r^2 + f r - p^2$ and decreases in $f$"
    ),
    statement=And(
        Eq(rate(f) ** 2 + f * rate(f) - p**2, 0, evaluate=False),
        Gt(rate(f) - rate(f + more), 0, evaluate=False),
        evaluate=False,
    ),
    source="new",
    hypotheses=[more > 0],
)


@root.proof
def _(goal):
    """Insert the rate into its equation; it decreases since $(f^2 + 4 p^2)^(1/2) > f$."""
    # (root_of(f) + h)^2 - root_of(f + h)^2 = 2 h (root_of(f) - f)
    factor = 4 * p**2 / ((root_of(f) + f) * (root_of(f) + more + root_of(f + more)))
    return all_of(
        chain(rate(f) ** 2 + f * rate(f) - p**2).then(0, by=algebra),
        chain(rate(f) - rate(f + more)).then(factor * more, by=algebra).gt(0, by=sign),
    )


oracle_rate, swap_rate = (rate(x).subs(p, drift) for x in (friction_oracle, friction_swap))

faster = Claim(
    id="null-oracle-mode-is-faster",
    title=(
        "At the null point the growth rate of the mode towards the oracle, in closed form, is "
        "larger than that of the mode towards a swap point"
    ),
    statement=Gt(oracle_rate - swap_rate, 0, evaluate=False),
    source="new",
)


@faster.proof
def _(goal):
    """Their pulls are equal, and the mode towards the swap point has more friction."""
    difference = friction_swap - friction_oracle
    return chain(goal.lhs).gt(
        0,
        by=lemma("mode-rate", f=friction_oracle, p=drift, h=difference).where(
            chain(difference).gt(0, by=lemma("null-friction"))
        ),
    )


# -- how the frictions differ ------------------------------------------------------------------

r = Symbol("r", positive=True)
u = 2 * r**2
wide, narrow = 1 + u, sqrt(1 + 2 * u)
friction_ratio = pi * wide * narrow * zeta(0, r) / (4 * r**2)

ratio = Claim(
    id="null-friction-ratio",
    title=(
        "At the null point, the ratio of the second derivatives of the risk in $theta$ and in "
        "$kappa$, in closed form, is a function of $s = lambda gamma$"
    ),
    statement=Eq(friction_swap / friction_oracle, at(friction_ratio, {r: s}), evaluate=False),
    source="new",
)


@ratio.proof
def _(goal):
    """Divide."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


rising = Claim(
    id="null-friction-ratio-grows",
    title=(
        "At the null point, the ratio of the second derivatives of the risk in $theta$ and in "
        "$kappa$, in closed form, increases with $lambda gamma$"
    ),
    statement=Gt(D(friction_ratio, r), 0),
    source="new",
)


@rising.proof
def _(goal):
    """By both bounds of $zeta(0, s)$, each with a factor that is positive.

    What is left is a multiple of $1 + 2 s^2 - sqrt(1 + 4 s^2)$.
    """
    z_r = zeta(0, r)
    upper, lower = pi * wide / (2 * r**3 * narrow), pi * u**2 / (2 * r**3 * narrow)
    left = 2 * u**2 / (r * wide * (wide + narrow))
    above = lower * (z_r - 4 * r**2 / (pi * wide))
    return (
        chain(goal.lhs)
        .then(2 / r + (lower - upper) * z_r, by=differentiate)
        .then(upper * (4 * r**2 / pi - z_r) + above + left, by=algebra)
        .ge(above + left, by=lemma("zeta-at-zero-bound", x=r).scaled(upper))
        .ge(left, by=lemma("zeta-at-zero-lower", r=r).scaled(lower))
        .gt(0, by=sign)
    )


# -- how the rates differ ----------------------------------------------------------------------

# Friction over pull, of the mode towards the oracle and of that towards the swap point, up to a
# factor c that does not depend on lambda.
c = Symbol("c", positive=True)
z_r = zeta(0, r)
first = r / (sqrt(wide) * narrow)
second = pi / 4 * z_r * sqrt(wide) / r
first_slope = (1 - 8 * r**4) / (sqrt(wide) ** 3 * narrow**3)
second_slope = pi / (4 * r**2 * sqrt(wide)) * (8 * r**2 / (pi * narrow) - z_r)


def steady(x):
    """1/x is the rate of a mode whose friction is x times its pull, up to a factor."""
    return sqrt(x**2 + 4) + x


rates = steady(c * second) / steady(c * first)
of_task = {r: s, c: sqrt(2 * d / pi) / gamma}

x1, x2 = symbols("x_1 x_2", positive=True)

in_friction = Claim(
    id="null-rates",
    title=(
        "For both modes at the null point, the ratio $x$ of friction to pull $p$ in closed "
        "form; the growth rate is $2 p/(x + sqrt(x^2 + 4))$"
    ),
    statement=And(
        Eq(friction_oracle / drift, at(c * first, of_task), evaluate=False),
        Eq(friction_swap / drift, at(c * second, of_task), evaluate=False),
        Eq(rate(x1 * p), 2 * p / steady(x1), evaluate=False),
        evaluate=False,
    ),
    source="new; $r = s$ and $c = (2 d/pi)^(1/2)/gamma$",
)


@in_friction.proof
def _(goal):
    """Divide; the rate is a root of a quadratic equation."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


s1, s2 = symbols("s_1 s_2", real=True)

parting = Claim(
    id="modes-part",
    title=(
        "$s_2/sqrt(x_2^2 + 4) > s_1/sqrt(x_1^2 + 4)$ if $x_2 >= x_1 > 0$, $s_2 >= 0$ and $s_2 x_1 "
        "> s_1 x_2$"
    ),
    statement=Gt(s2 / sqrt(x2**2 + 4) - s1 / sqrt(x1**2 + 4), 0, evaluate=False),
    source="new; $x$ and $s$ are friction over pull, and its derivative",
    hypotheses=[Ge(x2 - x1, 0), Ge(s2, 0), Gt(s2 * x1 - s1 * x2, 0)],
)


@parting.proof
def _(goal):
    """If $s_1 >= 0$, $s_2$ is more than $s_1 x_2/x_1$.

    And $x_2/(x_2^2 + 4)^(1/2)$ grows with $x_2$.
    """
    root1, root2 = sqrt(x1**2 + 4), sqrt(x2**2 + 4)
    rest = s1 * 4 * (x2 - x1) * (x2 + x1) / (x1 * root1 * root2 * (x2 * root1 + x1 * root2))
    ahead = (
        chain(goal.lhs)
        .then((s2 * x1 - s1 * x2) / (x1 * root2) + rest, by=algebra)
        .gt(rest, by=sign)
        .ge(0, by=sign)
    )
    return cases(goal, (Ge(s1, 0), ahead), (Lt(s1, 0), chain(goal.lhs).gt(0, by=sign)))


steeper = Claim(
    id="zeta-at-zero-steeper",
    title="$zeta(0, s) <= 8 s^2/(pi (1 + 4 s^2)^(1/2))$",
    statement=Le(z_r - 8 * r**2 / (pi * narrow), 0, evaluate=False),
    source="new; $zeta(0, s)$ is this arc sine by claim zeta-at-zero",
)


@steeper.proof
def _(goal):
    """Both sides vanish at $s = 0$, and the right one grows faster."""

    def gap(x):
        arcs = 2 / pi * asin(2 * x**2 / (1 + 2 * x**2))
        return arcs - 8 * x**2 / (pi * sqrt(1 + 4 * x**2))

    y = Symbol("y", real=True)
    faster = (2 + 4 * y**2) / (1 + 4 * y**2) - 1 / (1 + 2 * y**2)
    slope = (
        chain(D(gap(y), y))
        .then(-8 * y / (pi * sqrt(1 + 4 * y**2)) * faster, by=differentiate)
        .le(0, by=sign)
    )
    return chain(goal.lhs).le(0, by=monotone(gap(y), y, start=r, end=0, derivative=slope))


separate = Claim(
    id="null-modes-separate-with-lambda",
    title=(
        "At the null point, the ratio of the growth rates of the modes towards the oracle and "
        "towards a swap point increases with $lambda$"
    ),
    statement=Gt(D(rates, r), 0),
    source="new; the ratio of the rates by claim null-rates, where $r = lambda gamma$",
)


@separate.proof
def _(goal):
    """Friction over pull is larger for the swap point, grows there, and by a larger factor."""
    more = (
        chain(c * second - c * first)
        .ge(
            c * pi * sqrt(wide) / (4 * r) * 4 * r**2 / (pi * wide) * (1 - 1 / narrow),
            by=lemma("zeta-at-zero-lower", r=r).scaled(c * pi * sqrt(wide) / (4 * r)),
        )
        .ge(0, by=sign)
    )
    grows = chain(c * second_slope).ge(
        0, by=lemma("zeta-at-zero-steeper").scaled(c * pi / (4 * r**2 * sqrt(wide)))
    )
    crossed = (
        chain(c * second_slope * c * first - c * first_slope * c * second)
        .then(c**2 * first**2 * D(friction_ratio, r), by=differentiate)
        .gt(0, by=lemma("null-friction-ratio-grows").scaled(c**2 * first**2))
    )
    parts = lemma(
        "modes-part", x_1=c * first, x_2=c * second, s_1=c * first_slope, s_2=c * second_slope
    )
    apart = c * second_slope / sqrt((c * second) ** 2 + 4) - c * first_slope / sqrt(
        (c * first) ** 2 + 4
    )
    return (
        chain(goal.lhs)
        .then(rates * apart, by=differentiate)
        .gt(0, by=parts.where(more, grows, crossed).scaled(rates))
    )
