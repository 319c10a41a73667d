"""Proposition 13: the starts that converge to a saddle or a maximum have measure 0."""

from sympy import Lt, pi, sqrt

from slrsym.papers.single_location.notation import B, alpha, gamma, kappa, nu
from slrsym.papers.single_location.planar import (
    MAXIMA,
    ORIGIN,
    C,
    K,
    as_planar_function,
    b,
    planar_map,
    risk,
)
from slrsym.proof import Claim, algebra, by_claim, chain, having, lemma
from slrsym.proof.dynamical import NullStarts, by_theorem, point_set

g = planar_map()
safe_step = Lt(alpha * K, 1)
R = as_planar_function(risk(kappa, nu))

# -- the maxima --------------------------------------------------------------------------------

to_maxima = Claim(
    id="proposition-13-maxima",
    title=(
        "If $alpha < 1/C$, the starts in the square from which the planar map converges to a "
        "maximum of the risk have measure 0"
    ),
    statement=NullStarts(g, MAXIMA),
    source="Appendix B.10",
    hypotheses=[Lt(alpha * C, 1)],
)


@to_maxima.proof
def _(goal):
    """The risk never increases, so that the start is a maximum itself."""
    inside = lemma("proposition-10-maximum-inside")
    return by_theorem(
        goal,
        "strict-maximum",
        {"risk": R},
        stays=lemma("proposition-8-square"),
        decreases=lemma("proposition-8"),
        less_1=chain(risk(kappa, nu)).lt(risk(1, -1), by=inside),
        less_2=inside,
    )


# -- the saddle --------------------------------------------------------------------------------

# From Proposition 12: the Jacobian matrix at the origin, and its eigenvalue above 1.
h11, h12 = 8 * gamma**2 * b**2 / (pi * B), -4 * gamma**2 * b / sqrt(pi)
matrix = ((1 - alpha * h11, -alpha * h12), (-alpha * h12, 1))
expanding = 1 - (alpha * h11 - sqrt((alpha * h11) ** 2 + 4 * (alpha * h12) ** 2)) / 2

to_origin = Claim(
    id="proposition-13-saddle",
    title=(
        "If $alpha < 1/K$, the starts in the square from which the planar map converges to the "
        "origin have measure 0"
    ),
    statement=NullStarts(g, ORIGIN),
    source="Appendix B.10",
    hypotheses=[safe_step],
)


@to_origin.proof
def _(goal):
    """They lie in preimages of a curve, the center-stable manifold."""
    saddle = lemma("proposition-12")
    return by_theorem(
        goal,
        "center-stable",
        {"matrix": matrix, "eigenvalue": expanding},
        stays=lemma("proposition-8-square"),
        fixed_1=algebra,
        fixed_2=algebra,
        entry_11=saddle,
        entry_12=saddle,
        entry_21=saddle,
        entry_22=saddle,
        eigenvalue=saddle,
        expanding=saddle,
        invertible=saddle,
    )


elsewhere = Claim(
    id="proposition-13",
    title=(
        "If $alpha < 1/K$, the starts in the square from which the planar map converges to a "
        "maximum of the risk or to the origin have measure 0"
    ),
    statement=NullStarts(g, point_set([*ORIGIN, *MAXIMA])),
    source="Proposition 13, for $alpha < 1/K$",
    compared_to_source=(
        "stronger: with an explicit step size, $1/K$; but in the square, see "
        "proposition-13-manifold"
    ),
    hypotheses=[safe_step],
    explanation=(
        "For $alpha < 1/K$ the starts in the square that converge to $(0, 0)$, $(1, -1)$ or $(-1, "
        "1)$ have measure 0. By Proposition 12 the origin is a saddle with one expanding "
        "direction, so by the centre-stable manifold theorem the points that stay near it lie on "
        "a curve. An orbit that converges to the origin is on this curve from some step on. As "
        "the map is injective with an invertible Jacobian matrix, the points that come to a null "
        "set in a given number of steps are a null set, and so is the union over all numbers of "
        "steps. The maxima are simpler: the risk never increases along an orbit, by Proposition "
        "8, and is largest there by Proposition 10, so that no orbit comes to a maximum from "
        "inside the square, whose edges have measure 0. The hypothesis on $alpha$ serves both "
        "propositions."
    ),
)


@elsewhere.proof
def _(goal):
    """Combine the claims on the saddle and on the maxima; $1/K$ is below $1/C$."""
    small = chain(alpha * C).lt(1, by=lemma("theorem-5-step-size"))
    return by_theorem(
        goal,
        "null-union",
        {"parts": (tuple(ORIGIN), tuple(MAXIMA))},
        part_1=lemma("proposition-13-saddle"),
        part_2=having(small, by_claim(NullStarts(g, MAXIMA), "proposition-13-maxima")),
    )
