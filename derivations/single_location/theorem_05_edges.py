"""Theorem 5 on the edges of the square, where all pairs of the manifold lie if $d = 3$."""

from sympy import Lt

from slrsym.papers.single_location.notation import alpha, kappa, nu
from slrsym.papers.single_location.planar import (
    FIXED_POINTS,
    C,
    R_kappa,
    R_nu,
    as_planar_function,
    planar_map,
    risk,
)
from slrsym.proof import Claim, algebra, by_claim, chain, lemma
from slrsym.proof.dynamical import (
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    NullStarts,
    OrbitsConvergeTo,
    by_theorem,
    lambda_of_coordinates,
    point_set,
)

g = planar_map()
small_step = Lt(alpha * C, 1)
R = as_planar_function(risk(kappa, nu))


def edge(fixed, free, at):
    """Claims about the edge where one coordinate is `at`: that the other one tends to it, too."""
    side = "plus" if at == 1 else "minus"
    on_edge, here = g.face(fixed, at), {fixed: at}
    of_edge = {"whole": g, "fixed": fixed, "value": at}
    slope = {kappa: R_kappa(kappa, nu), nu: R_nu(kappa)}[free].subs(here)
    cost = lambda_of_coordinates((free,), risk(kappa, nu).subs(here))
    end, start = point_set([(at,)]), point_set([(-at,)])

    few = Claim(
        id=f"theorem-5-edge-{fixed}-{side}-few",
        title=(
            f"On the edge ${fixed} = {at}$, the starts from which the planar map converges to "
            f"${free} = {-at}$ have measure 0 if $alpha < 1/C$"
        ),
        statement=NullStarts(on_edge, start),
        source="Proposition 13 on an edge, for $alpha < 1/C$",
        hypotheses=[small_step],
    )

    @few.proof
    def _(goal):
        """The risk is largest at this end, and a step lowers it."""
        inside = lemma("proposition-10-maximum-only", here)
        return by_theorem(
            goal,
            "strict-maximum",
            {"risk": cost},
            stays=by_claim(
                on_edge.invariance_condition(), "planar-step-stays", {"x": free, "y": alpha * slope}
            ),
            decreases=by_theorem(
                DecreasesAlong(on_edge, cost),
                "on-face",
                {**of_edge, "of": R},
                kept=algebra,
                whole=lemma("proposition-8"),
            ),
            less_1=chain(on_edge.value_before_step(cost)).lt(risk(1, -1), by=inside),
        )

    along = Claim(
        id=f"theorem-5-edge-{fixed}-{side}",
        title=(
            f"On the edge ${fixed} = {at}$, the planar map converges from almost every start to "
            f"${free} = {at}$ if $alpha < 1/C$"
        ),
        statement=AlmostEveryStartConvergesTo(on_edge, end),
        source="new, for $alpha < 1/C$",
        hypotheses=[small_step],
    )

    @along.proof
    def _(goal):
        """Every orbit converges to an end of the edge, and few orbits to the other end."""
        limits = by_theorem(
            OrbitsConvergeTo(on_edge, point_set([(1,), (-1,)])),
            "on-face",
            {**of_edge, "of": FIXED_POINTS},
            kept=algebra,
            whole=lemma("proposition-11"),
        )
        others = {"others": tuple(start)}
        return by_theorem(goal, "all-but-few", others, limits=limits, few=lemma(few.id))


for value in (1, -1):
    edge(nu, kappa, value)
    edge(kappa, nu, value)
