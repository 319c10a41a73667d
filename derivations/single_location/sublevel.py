"""A sublevel set of the risk, on all of the two spheres, near the oracle and its mirror image.

Descent with small steps does not leave a sublevel set. In the task of figure 7b every pair $k$, $v$
of small risk lies near the oracle or its mirror image, where by attraction-certified-far each step
leads nearer to it. The next critical value that is known is that of the swap points.
"""

from sympy import And, Ge, Gt, Le, Lt, Rational, Symbol, erf, sqrt, symbols

from slrsym.gaussian import Expectation, OwensT, standard_normal, zeta
from slrsym.papers.single_location.certify import Attraction, GlobalMinimum, SublevelSet
from slrsym.papers.single_location.certify.sublevel import quadratic_form_entries_and_risk_bounds
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    G,
    L,
    d,
    epsilon,
    eta,
    gamma,
    kappa,
    lam,
    nu,
    rho,
    s,
    t,
    theta,
)
from slrsym.papers.single_location.symbolic import risk_closed_form
from slrsym.proof import Claim, algebra, all_of, ball_arithmetic, chain, definition, lemma, sign

# -- the risk for a given k, from below --------------------------------------------------------

# At a given kappa; the claims attraction-quadratic and landscape-risk say what these are.
R_0, A, B, C, E, F = symbols("R_0 A B C E F", real=True)
N = Symbol("N", nonnegative=True)
mu = Symbol("mu", positive=True)
bound = quadratic_form_entries_and_risk_bounds((R_0, N, A, B, C, E, F), kappa, mu)
a, c, f, b, e = (bound[name] for name in "acfbe")

# What v has along the rest of k, beyond k* and v*, and the length of that rest.
w = Symbol("w", real=True)
square = 1 - kappa**2
r = sqrt(square - eta**2)
product = kappa * theta + eta * nu + r * w


def risk_at(p):
    """The risk where the product of k and v is p."""
    across = A * theta**2 + 2 * B * theta * eta + 2 * C * theta * p + 2 * E * eta * p + F * p**2
    return R_0 - N * nu + across / 2


# The letters of the proof: entries of the form, and how far v points along k and across it.
letters = a_1, c_1, f_1, b_1, e_1 = symbols("a_1 c_1 f_1 b_1 e_1", real=True)
form = a_1 * theta**2 + 2 * c_1 * theta * rho + f_1 * rho**2
form = form + 2 * eta * (b_1 * theta + e_1 * rho)
minor = a_1 * f_1 - c_1**2
lost = (f_1 * b_1**2 - 2 * c_1 * b_1 * e_1 + a_1 * e_1**2) / minor

least = Claim(
    id="sublevel-form",
    title=(
        "A positive definite quadratic form in $theta$ and $rho$ plus linear terms proportional to "
        "$eta$ is at least a multiple of $-eta^2$"
    ),
    statement=Ge(form / 2, -(eta**2) / 2 * lost, evaluate=False),
    source="school",
    hypotheses=[Gt(a_1, 0), Gt(minor, 0)],
)


@least.proof
def _(goal):
    """Complete the squares of $theta$, then of $rho$."""
    first = a_1 * (theta + (c_1 * rho + b_1 * eta) / a_1) ** 2
    second = minor / a_1 * (rho + eta * (e_1 * a_1 - b_1 * c_1) / minor) ** 2
    return chain(goal.lhs).then(goal.rhs + (first + second) / 2, by=algebra).ge(goal.rhs, by=sign)


across = eta * w - r * nu
multiplier = Claim(
    id="sublevel-multiplier",
    title=(
        "A lower bound, with a multiplier $mu$ for the length of $v$, on $R_0 - N nu$ plus a "
        "quadratic form in $theta$, $eta$ and $rho$, a form that the risk has"
    ),
    statement=Ge(
        risk_at(product),
        R_0
        - mu
        - N**2 * r**2 / (4 * mu * square)
        + (
            a * theta**2
            + 2 * c * theta * product
            + f * product**2
            + 2 * eta * (b * theta + e * product)
        )
        / 2,
        evaluate=False,
    ),
    source="new; $theta^2 + nu^2 + w^2 <= 1$, and $nu$ by $rho - kappa theta$ and the rest of $v$",
    hypotheses=[
        Le(kappa**2 + eta**2, 1),
        Le(theta**2 + nu**2 + w**2, 1),
        Gt(kappa, -1),
        Lt(kappa, 1),
    ],
    notation={Symbol("r", nonnegative=True): r, rho: product},
)


@multiplier.proof
def _(goal):
    """The difference is a square plus $mu$ times the squared length of the rest of $v$."""
    beyond = mu * (1 - theta**2 - nu**2 - w**2)
    rest = mu / square * (across + N * r / (2 * mu)) ** 2
    return chain(goal.lhs).then(goal.rhs + beyond + rest, by=algebra).ge(goal.rhs, by=sign)


level = Symbol("l", real=True)
lower = R_0 - mu - N**2 * r**2 / (4 * mu * square) - eta**2 / 2 * lost
ends = (R_0 - mu - N**2 / (4 * mu), R_0 - mu - square / 2 * lost)

affine = Claim(
    id="sublevel-affine",
    title=(
        "A lower bound that is affine in $eta^2$ is at least $l$ for $eta^2 <= 1 - kappa^2$ "
        "if it is at least $l$ at $eta^2 = 0$ and at $eta^2 = 1 - kappa^2$"
    ),
    statement=Ge(lower, level, evaluate=False),
    source="new; sublevel-multiplier and sublevel-form; $eta^2 <= 1 - kappa^2$",
    hypotheses=[
        *(Ge(end, level, evaluate=False) for end in ends),
        Gt(minor, 0),
        Le(kappa**2 + eta**2, 1),
        Gt(kappa, -1),
        Lt(kappa, 1),
    ],
)


@affine.proof
def _(goal):
    """The bound is a mean of both end values, with the weight $eta^2/(1 - kappa^2)$ of the last."""
    share = eta**2 / square
    first, last = (end - level for end in ends)
    return (
        chain(goal.lhs)
        .then(level + (square - eta**2) / square * first + share * last, by=algebra)
        .ge(level, by=sign)
    )


most = Symbol("nu_1", real=True)
lost_near = (F * B**2 - 2 * C * B * E + A * E**2) / (A * F - C**2)

near = Claim(
    id="sublevel-near",
    title=(
        "Where $nu <= nu_1$, a lower bound in terms of $kappa$ and $nu_1$ on $R_0 - N nu$ plus a "
        "quadratic form in $theta$, $eta$ and $rho$, a form that the risk has"
    ),
    statement=Ge(risk_at(rho), R_0 - N * most - square / 2 * lost_near, evaluate=False),
    source="new; used for $kappa$ near 1, where it is above the level if $nu$ is not near 1",
    hypotheses=[Gt(A, 0), Gt(A * F - C**2, 0), Le(nu, most), Le(kappa**2 + eta**2, 1)],
)


@near.proof
def _(goal):
    """By sublevel-form; the least value of the form is not positive."""
    squares = B**2 / A + (E * A - B * C) ** 2 / (A * (A * F - C**2))
    least_form = lemma("sublevel-form", a_1=A, c_1=C, f_1=F, b_1=B, e_1=E)
    return (
        chain(goal.lhs)
        .ge(R_0 - N * nu - eta**2 / 2 * lost_near, by=least_form)
        .then(R_0 - N * nu - eta**2 / 2 * squares, by=algebra)
        .ge(R_0 - N * most - square / 2 * squares, by=sign)
        .then(goal.rhs, by=algebra)
    )


# -- where the risk is small -------------------------------------------------------------------

paper = SublevelSet("1/10", "231/2000", "3/20")

small_risk = Claim(
    id="sublevel-certified",
    title=(
        "In the task of figure 7b, all pairs with an excess risk of at most 0.1155 have $2 - "
        "|kappa + nu| <= 3/20$"
    ),
    statement=paper.statement,
    source="new; figure 7b's task and $lambda$; $R(-k, -v) = R(k, v)$, landscape-symmetries",
)


@small_risk.certified_by
def _():
    """Ball arithmetic shows the bounds of sublevel-affine and sublevel-near, for all $kappa$."""
    return paper


best = GlobalMinimum(Attraction("0.0908..0.1", "1/1000", "1/200", "1/1000", "2"), "1/100000")

global_minimum = Claim(
    id="oracle-global-minimum",
    title=(
        "In the task of figure 7b, at inverse temperatures from 0.0908 to 0.1, the oracle and its "
        "mirror image are the only global minima of the risk"
    ),
    statement=best.statement,
    source="new; at 0.09072 swap points have less risk: sublevel-exchange",
)


@global_minimum.certified_by
def _():
    """Ball arithmetic as for sublevel-certified and attraction-certified; compactness."""
    return best


# -- why no larger one, and why not at every inverse temperature -------------------------------

# What claim landscape-risk derives, for figure 7b's task without noise of the output.
risk = risk_closed_form().replace(OwensT, lambda *_: (1 - zeta(t, s)) / 8)
risk = risk.subs({d: 400, L: 10, gamma: 1 / sqrt(2), epsilon: 0})


def excess_risk(at, *overlaps):
    """The excess risk at the overlaps, in their order."""
    return risk.subs({lam: at, **dict(zip(ORDER_PARAMETERS, overlaps, strict=True))})


tenth, level_of_paper = Rational(1, 10), Rational(231, 2000)
# At k = v* it is a parabola in theta.
parabola = excess_risk(tenth, 0, 0, theta, 1, 0)
vertex = -parabola.diff(theta).subs(theta, 0) / parabola.diff(theta, 2)
at_swap = parabola.subs(theta, vertex)

swap_level = Claim(
    id="sublevel-swap",
    title="In the task of figure 7b, a swap point has an excess risk between 0.1155 and 0.11552",
    statement=And(
        Gt(at_swap, level_of_paper, evaluate=False),
        Lt(at_swap, level_of_paper + Rational(1, 50_000), evaluate=False),
        evaluate=False,
    ),
    source="new; figure 7b's task; swap-critical, landscape-risk",
)


@swap_level.proof
def _(goal):
    """Compare numbers."""
    low, high = goal.args
    return all_of(
        chain(at_swap).gt(low.rhs, by=ball_arithmetic),
        chain(at_swap).lt(high.rhs, by=ball_arithmetic),
    )


twentieth = Rational(1, 20)
exchanged = excess_risk(twentieth, 0, 0, 1, 1, 0)
at_oracle = excess_risk(twentieth, 1, 1, 0, 0, 0)

exchanged_is_better = Claim(
    id="sublevel-temperature",
    title=(
        "In the task of figure 7b, but at inverse temperature 1/20, the exchanged pair $k = v*$, "
        "$v = k*$ has less risk than the oracle"
    ),
    statement=Lt(exchanged, at_oracle, evaluate=False),
    source="new; figure 7b's task, with another $lambda$; landscape-risk",
)


@exchanged_is_better.proof
def _(goal):
    """Two numbers, 0.050 and 0.079, the second with a mean that ball arithmetic integrates."""
    by_mean = at_oracle.replace(
        zeta, lambda m, n: Expectation(erf(m + n * G) ** 2, standard_normal(G))
    )
    return chain(goal.lhs).lt(by_mean, by=ball_arithmetic).then(goal.rhs, by=definition)


# -- where the oracle and the swap points change their order -----------------------------------


def least_at_swap(inverse_temperature):
    """Return the excess risk at the vertex of the parabola at k = v*."""
    at_exchange = excess_risk(inverse_temperature, 0, 0, theta, 1, 0)
    lowest = -at_exchange.diff(theta).subs(theta, 0) / at_exchange.diff(theta, 2)
    return at_exchange.subs(theta, lowest)


before, after = Rational(9072, 100_000), Rational(9073, 100_000)

exchange = Claim(
    id="sublevel-exchange",
    title=(
        "In the task of figure 7b with another $lambda$, the swap points have less risk than the "
        "oracle at $lambda = 0.09072$, and more at $lambda = 0.09073$"
    ),
    statement=And(
        Lt(least_at_swap(before), excess_risk(before, 1, 1, 0, 0, 0), evaluate=False),
        Lt(excess_risk(after, 1, 1, 0, 0, 0), least_at_swap(after), evaluate=False),
        evaluate=False,
    ),
    source="new; figure 7b's task, with another $lambda$; swap-least, landscape-risk",
)


def with_mean(expr):
    """Return the expression with zeta as the mean that it stands for."""
    return expr.replace(zeta, lambda m, n: Expectation(erf(m + n * G) ** 2, standard_normal(G)))


@exchange.proof
def _(goal):
    """Compare numbers, which differ by less than 0.000003 at both $lambda$."""
    first, last = goal.args
    return all_of(
        chain(first.lhs)
        .lt(with_mean(first.rhs), by=ball_arithmetic)
        .then(first.rhs, by=definition),
        chain(last.lhs).then(with_mean(last.lhs), by=definition).lt(last.rhs, by=ball_arithmetic),
    )
