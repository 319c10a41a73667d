"""Proposition 8: the risk decreases along the iterates, whose accumulation points solve (14).

Every constant is explicit, and with them the step size below which this holds.
"""

from sympy import And, Ge, Le, Lt, Symbol, symbols

from slrsym.papers.single_location.notation import alpha, epsilon, kappa, nu
from slrsym.papers.single_location.planar import (
    C,
    M,
    N,
    P,
    Q,
    R_kappa,
    R_nu,
    as_planar_function,
    kappa2,
    kappa_next,
    nu2,
    nu_next,
    planar_map,
    risk,
    slack,
    square_conditions,
    stationarity_equations,
)
from slrsym.proof import Claim, all_of, chain, having, lemma, sign
from slrsym.proof.dynamical import (
    AccumulationPointsSolve,
    DecreasesAlong,
    StepsVanish,
    VanishesAlong,
    by_theorem,
)

g = planar_map()

sizes_of = {"P": P, "Q": Q, "M": M, "N": N}

# -- the descent -------------------------------------------------------------------------------

small_step = Lt(alpha * C, 1)


def both(expr, high, low, by):
    """Proofs of both bounds, by one claim that says both."""
    return chain(expr).le(high, by=by), chain(expr).ge(low, by=by)


stays_kappa, stays_nu = (
    both(after, 1, -1, lemma("planar-step-stays", x=x, y=alpha * slope))
    for after, x, slope in (
        (kappa_next, kappa, R_kappa(kappa, nu)),
        (nu_next, nu, R_nu(kappa)),
    )
)

on_the_square = Claim(
    id="proposition-8-square",
    title="The planar map does not leave the square $|kappa| <= 1$, $|nu| <= 1$",
    statement=g.invariance_condition(),
    source="Section 5",
    hypotheses=square_conditions(),
)


@on_the_square.proof
def _(goal):
    """Neither coordinate leaves $[-1, 1]$."""
    return all_of(*stays_kappa, *stays_nu)


descent = Claim(
    id="proposition-8-descent",
    title=(
        "A step of the planar map with $alpha < 1/C$ lowers the risk by at least $alpha (1 - alpha "
        "C) S$, where $S = R_kappa^2 (1 - kappa^2) + R_nu^2 (1 - nu^2)$"
    ),
    statement=Le(
        risk(kappa_next, nu_next) - risk(kappa, nu) + alpha * (1 - alpha * C) * slack,
        0,
        evaluate=False,
    ),
    source="Proposition 8, with $C = P + Q + M/2 + N$",
    compared_to_source="stronger: with explicit constants",
    hypotheses=[*square_conditions(), small_step],
)


@descent.proof
def _(goal):
    """A step in both coordinates descends on the paraboloid of Taylor's formula."""
    slopes = (
        *both(R_kappa(kappa, nu), P, -P, lemma("proposition-8-slope-kappa")),
        *both(R_nu(kappa), Q, -Q, lemma("proposition-8-slope-nu")),
    )
    sizes = lemma("step-size-descent", **sizes_of)
    small = [chain(alpha * size).le(1, by=sizes) for size in (P, Q)]
    descends = lemma(
        "planar-step-descends",
        x=kappa, x_2=nu, p=R_kappa(kappa, nu), q=R_nu(kappa), P=P, Q=Q, c=(M + N) / 2, c_2=N / 2,
    )  # fmt: skip
    return (
        chain(goal.lhs)
        .le(
            R_kappa(kappa, nu) * (kappa_next - kappa)
            + R_nu(kappa) * (nu_next - nu)
            + (M + N) / 2 * (kappa_next - kappa) ** 2
            + N / 2 * (nu_next - nu) ** 2
            + alpha * (1 - alpha * C) * slack,
            by=lemma("proposition-8-taylor", {kappa2: kappa_next, nu2: nu_next}).where(
                *stays_kappa, *stays_nu
            ),
        )
        .le(0, by=descends.where(*slopes, *small))
    )


# -- steps and equations are small where the descent is ----------------------------------------

x, slope = Symbol("x", real=True), Symbol("p", real=True)

term = Claim(
    id="proposition-8-term",
    title="$p^2 (1 - x^2) >= 0$ for $|x| <= 1$",
    statement=Ge(slope**2 * (1 - x**2), 0),
    source="new",
    hypotheses=[Ge(x, -1), Le(x, 1)],
)


@term.proof
def _(goal):
    """Neither factor is negative."""
    return chain(goal.lhs).ge(0, by=sign)


nonnegative = Claim(
    id="proposition-8-nonnegative",
    title="$S = R_kappa^2 (1 - kappa^2) + R_nu^2 (1 - nu^2)$ is not negative on the square",
    statement=Ge(slack, 0),
    source="Proposition 8",
    hypotheses=square_conditions(),
)


@nonnegative.proof
def _(goal):
    """Neither of its two terms is negative."""
    return (
        chain(goal.lhs)
        .ge(
            R_nu(kappa) ** 2 * (1 - nu**2),
            by=lemma("proposition-8-term", x=kappa, p=R_kappa(kappa, nu)),
        )
        .ge(0, by=lemma("proposition-8-term", x=nu, p=R_nu(kappa)))
    )


squares = Claim(
    id="squares-of-equations",
    title="$(p (1 - x^2))^2 <= p^2 (1 - x^2)$ for $|x| <= 1$",
    statement=Le((slope * (1 - x**2)) ** 2, slope**2 * (1 - x**2)),
    source="new",
    hypotheses=[Ge(x, -1), Le(x, 1)],
)


@squares.proof
def _(goal):
    """$1 - x^2$ is at most 1, so that its square is at most itself."""
    return chain(goal.lhs).le(goal.rhs, by=sign)


equations = Claim(
    id="proposition-8-equations",
    title=(
        "On the square, the sum of the squares of $R_kappa (1 - kappa^2)$ and $R_nu (1 - "
        "nu^2)$ is at most $R_kappa^2 (1 - kappa^2) + R_nu^2 (1 - nu^2)$"
    ),
    statement=Ge(
        slack - (R_kappa(kappa, nu) * (1 - kappa**2)) ** 2 - (R_nu(kappa) * (1 - nu**2)) ** 2,
        0,
        evaluate=False,
    ),
    source="Proposition 8",
    hypotheses=square_conditions(),
)


@equations.proof
def _(goal):
    """Add the bounds on the squares of both equations."""
    rest = R_nu(kappa) ** 2 * (1 - nu**2) - (R_nu(kappa) * (1 - nu**2)) ** 2
    return (
        chain(goal.lhs)
        .ge(rest, by=lemma("squares-of-equations", x=kappa, p=R_kappa(kappa, nu)))
        .ge(0, by=lemma("squares-of-equations", x=nu, p=R_nu(kappa)))
    )


nearby = Claim(
    id="proposition-8-distance",
    title=(
        "A step of the planar map moves by a squared distance of at most $alpha^2 S$, where $S = "
        "R_kappa^2 (1 - kappa^2) + R_nu^2 (1 - nu^2)$"
    ),
    statement=Le(
        (kappa_next - kappa) ** 2 + (nu_next - nu) ** 2 - alpha**2 * slack, 0, evaluate=False
    ),
    source="Proposition 8",
    hypotheses=square_conditions(),
)


@nearby.proof
def _(goal):
    """Add the bounds on the squared displacements of both coordinates."""
    return (
        chain(goal.lhs)
        .le(
            (nu_next - nu) ** 2 - alpha**2 * R_nu(kappa) ** 2 * (1 - nu**2),
            by=lemma("planar-step-distance", x=kappa, y=alpha * R_kappa(kappa, nu)),
        )
        .le(0, by=lemma("planar-step-distance", x=nu, y=alpha * R_nu(kappa)))
    )


u, w = symbols("u w", real=True)

less_alone = Claim(
    id="proposition-8-less",
    title="$u <= 0$ if $u + w <= 0$ and $w >= 0$",
    statement=Le(u, 0),
    source="new",
    hypotheses=[Le(u + w, 0), Ge(w, 0)],
)


@less_alone.proof
def _(goal):
    """It is at most the sum."""
    return chain(u).le(u + w, by=sign).le(0, by=sign)


# -- along the iterates ------------------------------------------------------------------------

decreases = DecreasesAlong(g, as_planar_function(risk(kappa, nu)))
vanishes = VanishesAlong(g, as_planar_function(slack))

slack_vanishes = Claim(
    id="proposition-8-vanishes",
    title=(
        "Along every orbit of the planar map, $S = R_kappa^2 (1 - kappa^2) + R_nu^2 (1 - nu^2)$ "
        "tends to 0 if $alpha < 1/C$"
    ),
    statement=vanishes,
    source="Proposition 8, for $alpha < 1/C$",
    hypotheses=[small_step],
)


@slack_vanishes.proof
def _(goal):
    """All descents together cannot be more than the risk at the start."""
    return by_theorem(
        goal,
        "bounded-descent",
        {
            "risk": as_planar_function(risk(kappa, nu)),
            "rate": alpha * (1 - alpha * C),
            "floor": epsilon**2,
        },
        stays=lemma("proposition-8-square"),
        descends=lemma("proposition-8-descent"),
        nonnegative=lemma("proposition-8-nonnegative"),
        bounded=lemma("lemma-6-lower-bound"),
        rate=lemma("step-size-room", c=C, S=1),
    )


limits = Claim(
    id="proposition-8",
    title=(
        "If $alpha < 1/C$, along orbits of the planar map the risk never rises, steps tend to "
        "0, and limit points have $R_kappa (1 - kappa^2) = R_nu (1 - nu^2) = 0$"
    ),
    statement=And(
        decreases,
        StepsVanish(g),
        AccumulationPointsSolve(g, stationarity_equations()),
        evaluate=False,
    ),
    source="Proposition 8, for $alpha < 1/C$",
    compared_to_source="stronger: with an explicit step size, $1/C$",
    hypotheses=[small_step],
    explanation=(
        "For $alpha < 1/C$ the risk never increases along an orbit, the steps tend to 0, and "
        "accumulation points solve (14). Taylor's formula, with explicit bounds of the second "
        "derivatives of the risk on the square, shows that a step lowers the risk by at least "
        "$alpha (1 - alpha C) S$, where $S$ is the sum of the squared slopes, weighted by $1 - "
        "kappa^2$ and $1 - nu^2$. The hypothesis on $alpha$ makes this factor positive. As the "
        "risk is bounded below on the square, the values of $S$ along an orbit have a finite sum, "
        "so they tend to 0. The squared length of a step is at most $alpha^2 S$, and the squares "
        "of the left sides of (14) are at most $S$; so they tend to 0, too, and by continuity "
        "(14) holds at every accumulation point. The start is any point of the square."
    ),
)


@limits.proof
def _(goal):
    """Steps and equations are bounded by the descent, which tends to 0."""
    stays, vanishing = lemma("proposition-8-square"), lemma("proposition-8-vanishes")
    function = as_planar_function(slack)
    change = g.value_after_step(decreases.function) - g.value_before_step(decreases.function)
    paid = alpha * (1 - alpha * C) * slack
    positive = having(
        chain(slack).ge(0, by=lemma("proposition-8-nonnegative")),
        chain(paid).ge(0, by=lemma("step-size-room", c=C, S=slack)),
    )
    less = chain(change).le(
        0,
        by=lemma("proposition-8-less", u=change, w=paid).where(
            chain(change + paid).le(0, by=lemma("proposition-8-descent")), positive
        ),
    )
    return all_of(
        by_theorem(decreases, "decrease", stays=stays, decreases=less),
        by_theorem(
            StepsVanish(g),
            "small-steps",
            {"slack": function, "factor": alpha**2},
            stays=stays,
            steps=lemma("proposition-8-distance"),
            vanishes=vanishing,
        ),
        by_theorem(
            AccumulationPointsSolve(g, stationarity_equations()),
            "limits-solve",
            {"slack": function, "factor": 1},
            stays=stays,
            equations=lemma("proposition-8-equations"),
            vanishes=vanishing,
        ),
    )
