"""Theorem 5, by Propositions 11 and 13: almost every start finds the oracle or its mirror image.

It is true for d >= 3. For d = 2 the manifold has four points, two of which are maxima of the risk
on it.
"""

from sympy import And, Eq, Ge, Lambda, Lt

from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    alpha,
    d,
    epsilon,
    eta,
    kappa,
    nu,
    rho,
    theta,
)
from slrsym.papers.single_location.pairs import (
    AlmostEveryPairConvergesTo,
    NullPairs,
    SphereDescent,
)
from slrsym.papers.single_location.planar import (
    MAXIMA,
    MINIMA,
    ORIGIN,
    C,
    K,
    R_kappa,
    R_nu,
    as_planar_function,
    planar_map,
)
from slrsym.papers.single_location.symbolic import excess_risk_stable, risk_definition
from slrsym.proof import (
    Claim,
    D,
    Explanation,
    algebra,
    all_of,
    at,
    by_claim,
    chain,
    differentiate,
    having,
    lemma,
    sign,
)
from slrsym.proof.dynamical import (
    AlmostEveryStartConvergesTo,
    NullStarts,
    OrbitsConvergeTo,
    by_theorem,
    point_set,
)

g = planar_map()
safe_step = Lt(alpha * K, 1)

# -- on the square -----------------------------------------------------------------------------

on_the_square = Claim(
    id="theorem-5-planar",
    title=(
        "If $alpha < 1/K$, the planar map converges from almost every start in the square to a "
        "minimum of the risk"
    ),
    statement=AlmostEveryStartConvergesTo(g, MINIMA),
    source="Appendix A, for $alpha < 1/K$",
    hypotheses=[safe_step],
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
        limits=having(small, by_claim(OrbitsConvergeTo(g, five), "proposition-11")),
        few=lemma("proposition-13"),
    )


# -- on the manifold ---------------------------------------------------------------------------

# What the risk is in the overlaps, in the form of Lemma 14.
closed = epsilon**2 + excess_risk_stable()
closed_form = Eq(risk_definition(), closed, evaluate=False)
manifold = {theta: 0, eta: 0, rho: 0}

slopes = Claim(
    id="theorem-5-slopes",
    title=(
        "At points of the manifold, the partial derivatives of the risk in $kappa$ and $nu$ are "
        "those that the planar map uses"
    ),
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


def pairs_follow(goal, planar, edges):
    """What is said of pairs, by what is said of the planar map: on the square, and on its edges."""
    no_push, known = lemma("lemma-14"), lemma("theorem-5-slopes")
    stay = {f"edge_stays_{place}_{side}": algebra for place in (1, 2) for side in ("high", "low")}
    return by_theorem(
        goal,
        "from-overlaps-and-edges",
        {"planar": g, "slopes": as_planar_function((R_kappa(kappa, nu), R_nu(kappa)))},
        chain_rule=lemma("lemma-4-chain-rule"),
        vectors=lemma("manifold-step"),
        volume=lemma("manifold-volume"),
        planar=planar,
        dimension=sign,
        across_1=no_push,
        across_2=no_push,
        across_3=no_push,
        slope_1=known,
        slope_2=known,
        step_1=lemma("lemma-7", R_kappa=R_kappa(kappa, nu)),
        step_2=lemma("lemma-7", R_nu=R_nu(kappa)),
        **stay,
        **edges,
    )


def along_edges(kind, end, which=""):
    """The claims about the edges, at each of which the free coordinate tends to the fixed one."""
    small = chain(alpha * C).lt(1, by=lemma("theorem-5-step-size"))
    shown = {}
    for place, fixed in enumerate((kappa, nu), start=1):
        for side, name, value in (("high", "plus", 1), ("low", "minus", -1)):
            said = kind(g.face(fixed, value), point_set([(end * value,)]))
            known = by_claim(said, f"theorem-5-edge-{fixed}-{name}{which}")
            shown[f"edge_{place}_{side}"] = having(small, known)
    return shown


recovery = Claim(
    id="theorem-5",
    title=(
        "Almost every start on the manifold converges to the oracle or its mirror image, if $d >= "
        "3$ and $alpha < 1/K$"
    ),
    statement=And(closed_form, AlmostEveryPairConvergesTo(descent, MINIMA), evaluate=False),
    source="Theorem 5, for $alpha < 1/K$ and $d >= 3$",
    compared_to_source="weaker: for $d >= 3$, but with an explicit step size; false for $d = 2$",
    hypotheses=[safe_step, Ge(d, 3)],
    explanation=Explanation(
        "For $alpha < 1/K$ and $d >= 3$, descent from almost every start on the manifold "
        "converges to $(k*, v*)$ or to $(-k*, -v*)$. By Lemma 4, which uses Assumption 1, descent "
        "stays on the manifold, and by Lemma 7 the overlaps $(kappa, nu)$ follow the planar map, "
        "which is the same at each step, as $lambda$ is constant. By Proposition 11 they converge "
        "to one of five points, and by Proposition 13 only starts of measure 0 miss $(1, 1)$ and "
        "$(-1, -1)$, which are the oracle and its mirror image. Both propositions need the "
        "hypothesis on $alpha$. Measure 0 in the square means volume 0 on the manifold if $d >= "
        "4$. For $d = 3$ the overlaps run on the edges of the square, with the same end. For $d = "
        "2$ the theorem is false: the manifold is four points, from which descent never moves.",
        {closed_form: "The risk is equal to its closed form:"},
    ),
)


@recovery.proof
def _(goal):
    """On the manifold the overlaps follow the planar map, whatever the dimension is.

    For $d = 3$ they run on the edges of the square.
    """
    return all_of(
        chain(closed_form.lhs).then(closed_form.rhs, by=lemma("excess-risk-stable")),
        pairs_follow(
            AlmostEveryPairConvergesTo(descent, MINIMA),
            lemma("theorem-5-planar"),
            along_edges(AlmostEveryStartConvergesTo, 1),
        ),
    )


# -- Proposition 13, as the paper has it -------------------------------------------------------

pathological = point_set([*ORIGIN, *MAXIMA])

elsewhere = Claim(
    id="proposition-13-manifold",
    title=(
        "If $d >= 3$ and $alpha < 1/K$, the pairs on the manifold whose overlaps converge to $(0, "
        "0)$, $(1, -1)$ or $(-1, 1)$ have volume 0"
    ),
    statement=NullPairs(descent, pathological),
    source="Proposition 13, on the manifold; $R$ is the risk, as theorem-5 says; for $d >= 3$",
    compared_to_source="weaker: for $d >= 3$, but with an explicit step size; false for $d = 2$",
    hypotheses=[safe_step, Ge(d, 3)],
)


@elsewhere.proof
def _(goal):
    """From the same on the square, and for $d = 3$ on its edges."""
    few = along_edges(NullStarts, -1, "-few")
    return pairs_follow(goal, lemma("proposition-13"), few)
