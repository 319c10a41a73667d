"""Theorem 5, by Propositions 11 and 13: almost every start recovers the oracle, up to a sign."""

from sympy import And, Eq, Ge, Lambda, Lt

from slrsym.notation import ORDER_PARAMETERS, alpha, d, epsilon, eta, kappa, nu, rho, theta
from slrsym.planar import (
    MAXIMA,
    MINIMA,
    ORIGIN,
    C,
    K,
    R_kappa,
    R_nu,
    as_function,
    planar_map,
)
from slrsym.proof import (
    Claim,
    D,
    all_of,
    at,
    chain,
    claimed,
    differentiate,
    having,
    lemma,
    sign,
)
from slrsym.proof.dynamical import (
    AlmostEveryPairConvergesTo,
    AlmostEveryStartConvergesTo,
    OrbitsConvergeTo,
    SphereDescent,
    by_theorem,
    point_set,
)
from slrsym.symbolic import excess_risk_stable, risk_definition

g = planar_map()
safe_step = Lt(alpha * K, 1)

# -- on the square -----------------------------------------------------------------------------

on_the_square = Claim(
    id="theorem-5-planar",
    title="almost every start in the square ends in a minimum",
    statement=AlmostEveryStartConvergesTo(g, MINIMA),
    source="Appendix A, for alpha < 1/K",
    given=[safe_step],
)


@on_the_square.proof
def _(goal):
    """The iterates converge to one of five points, to three of them from few starts."""
    five = point_set([*MINIMA, *MAXIMA, *ORIGIN])
    small = chain(alpha * C).lt(1, by=lemma("theorem-5-step-size"))
    return by_theorem(
        goal,
        "all-but-few",
        {"others": (*MAXIMA, *ORIGIN)},
        limits=having(small, claimed(OrbitsConvergeTo(g, five), "proposition-11")),
        few=lemma("proposition-13"),
    )


# -- on the manifold ---------------------------------------------------------------------------

# What the risk is in the overlaps, in the form of Lemma 14.
closed = epsilon**2 + excess_risk_stable()
closed_form = Eq(risk_definition(), closed, evaluate=False)
manifold = {theta: 0, eta: 0, rho: 0}

slopes = Claim(
    id="theorem-5-slopes",
    title="the partial derivatives in kappa and nu on the manifold",
    statement=And(
        Eq(at(D(closed, kappa), manifold), R_kappa(kappa, nu), evaluate=False),
        Eq(at(D(closed, nu), manifold), R_nu(kappa), evaluate=False),
        evaluate=False,
    ),
    source="Lemma 7",
)


@slopes.proof
def _(goal):
    """Differentiate."""
    return all_of(
        chain(at(D(closed, kappa), manifold)).then(R_kappa(kappa, nu), by=differentiate),
        chain(at(D(closed, nu), manifold)).then(R_nu(kappa), by=differentiate),
    )


descent = SphereDescent(Lambda(ORDER_PARAMETERS, closed), alpha, d)

recovery = Claim(
    id="theorem-5",
    title="almost every start on the manifold recovers the oracle, up to a sign",
    statement=And(closed_form, AlmostEveryPairConvergesTo(descent, MINIMA), evaluate=False),
    source="Theorem 5, for alpha < 1/K and d >= 4",
    given=[safe_step, Ge(d, 4)],
)


@recovery.proof
def _(goal):
    """On the manifold the overlaps follow the planar map, whatever the dimension is."""
    no_push, known = lemma("lemma-14"), lemma("theorem-5-slopes")
    return all_of(
        chain(closed_form.lhs).then(closed_form.rhs, by=lemma("excess-risk-stable")),
        by_theorem(
            AlmostEveryPairConvergesTo(descent, MINIMA),
            "from-overlaps",
            {"planar": g, "slopes": as_function((R_kappa(kappa, nu), R_nu(kappa)))},
            chain_rule=lemma("lemma-4-chain-rule"),
            planar=lemma("theorem-5-planar"),
            dimension=sign,
            across_1=no_push,
            across_2=no_push,
            across_3=no_push,
            slope_1=known,
            slope_2=known,
            step_1=lemma("lemma-7", R_kappa=R_kappa(kappa, nu)),
            step_2=lemma("lemma-7", R_nu=R_nu(kappa)),
        ),
    )
