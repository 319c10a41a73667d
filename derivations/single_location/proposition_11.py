"""Proposition 11: the iterates converge to one of the five points of Proposition 9."""

from sympy import Lt

from slrsym.papers.single_location.notation import alpha
from slrsym.papers.single_location.planar import FIXED_POINTS, C, planar_map, stationarity_equations
from slrsym.proof import Claim, lemma
from slrsym.proof.dynamical import OrbitsConvergeTo, by_theorem

converges = Claim(
    id="proposition-11",
    title=(
        "If $alpha < 1/C$, every orbit of the planar map converges to one of the five fixed points"
    ),
    statement=OrbitsConvergeTo(planar_map(), FIXED_POINTS),
    source="Proposition 11, for $alpha < 1/C$",
    compared_to_source="stronger: with an explicit step size, $1/C$",
    hypotheses=[Lt(alpha * C, 1)],
    explanation=(
        "For $alpha < 1/C$ every orbit in the square converges to one of the five points of "
        "Proposition 9. By Proposition 8 the steps of an orbit tend to 0, and for a bounded "
        "sequence this makes the set of its accumulation points connected. Also by Proposition 8, "
        "every accumulation point solves (14), so it is one of the five points of Proposition 9. "
        "A connected set of some of five points is one point, and a bounded sequence with one "
        "accumulation point converges to it. The hypothesis on the step size enters by "
        "Proposition 8 alone; that orbits stay in the square makes them bounded. No start is left "
        "out, and which of the five points is reached is not said."
    ),
)


@converges.proof
def _(goal):
    """The set of accumulation points is connected, and part of a finite set."""
    return by_theorem(
        goal,
        "connected-limits",
        {"equations": stationarity_equations()},
        stays=lemma("proposition-8-square"),
        steps=lemma("proposition-8"),
        limits=lemma("proposition-8"),
        solutions=lemma("proposition-9"),
    )
