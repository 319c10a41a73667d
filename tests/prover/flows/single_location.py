"""The false twin of `manifold-flow-to-oracle`: the limit is the mirror image of the oracle."""

from sympy import Le, Lt, symbols

from slrsym.papers.single_location.notation import B, kappa, nu
from slrsym.papers.single_location.planar import R_kappa, R_nu, b, stationarity_equations
from slrsym.proof import Claim, chain, lemma, signs
from slrsym.proof.dynamical import FlowsConvergeTo, by_theorem, flow

delta, nu_0 = symbols("delta nu_0", positive=True)
F = flow({kappa: -R_kappa(kappa, nu) * (1 - kappa**2), nu: -R_nu(kappa) * (1 - nu**2)})
REGION = F.region(1 - kappa, 1 - nu, kappa - delta, nu - nu_0)
mirrored = Claim(
    id="flow-to-oracle-false",
    source="nowhere",
    hypotheses=[Lt(delta, 1), Lt(nu_0, 1), Le(2 * b * delta, nu_0 * B)],
    statement=FlowsConvergeTo(F, REGION, F.points((-1, -1))),
)


@mirrored.proof
def _(goal):
    """As for the oracle, which is said to be outside."""
    outside = ((1, 1, 2), (1, -1, 3), (-1, 1, 2), (0, 0, 2))
    negative = {
        f"outside_{n}": chain(REGION.expr[i].subs({kappa: p, nu: q})).lt(0, by=signs)
        for n, (p, q, i) in enumerate(outside, start=1)
    }
    return by_theorem(
        goal,
        "flow-limit",
        {"equations": stationarity_equations(), "outside": outside},
        limits=lemma("manifold-flow-limits"),
        solutions=lemma("proposition-9"),
        **negative,
    )
