"""The oracle decomposition (9): the terms of the informative token and of the others."""

from sympy import Eq, Function, IndexedBase, Le, Sum, Symbol, erf, pi, sqrt, symbols

from slrsym.gaussian import Expectation, IIDSum, standard_normal, zeta
from slrsym.papers.single_location.notation import (
    L,
    d,
    epsilon,
    eta,
    gamma,
    kappa,
    lam,
    nu,
    rho,
    theta,
)
from slrsym.papers.single_location.symbolic import risk_definition
from slrsym.papers.single_location.task import (
    U1,
    V1,
    Y1,
    U,
    V,
    informative_token_law,
    other_token_law,
)
from slrsym.proof import (
    Claim,
    chain,
    lemma,
    noise_moments,
    single_out,
    stein,
    substitution,
)

# -- the sum over tokens -----------------------------------------------------------------------

# The projections X_l . k* and X_l . v* of the tokens, and the location.
scores, outputs = IndexedBase("U", real=True), IndexedBase("V", real=True)
j = Symbol("J_0", integer=True)
l = Symbol("l", integer=True)  # noqa: E741


def attended(index):
    return erf(lam * scores[index]) * outputs[index]


decomposition = Claim(
    id="oracle-decomposition",
    title="The oracle predictor is a term of the informative token plus a sum over the others",
    statement=Eq(
        Sum(attended(l), (l, 1, L)),
        attended(j) + Sum(attended(l), (l, 1, j - 1)) + Sum(attended(l), (l, j + 1, L)),
        evaluate=False,
    ),
    source="(9)",
    compared_to_source="exact",
    hypotheses=[Le(1, j), Le(j, L)],
)


@decomposition.proof
def _(goal):
    """Single out the term of the location."""
    return chain(goal.lhs).then(goal.rhs, by=single_out(j))


# -- the laws of both parts, for the oracle ----------------------------------------------------

oracle = {kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}
f = Function("f", real=True)
G, H = symbols("G H", real=True)
normals = standard_normal(G, H)

informative = Claim(
    id="oracle-decomposition-informative",
    title=(
        "The informative token has the score $sqrt(d/2) + gamma G$ and the value $gamma H$, with "
        "independent standard normal $G$, $H$"
    ),
    statement=Eq(
        Expectation(f(U1, V1), informative_token_law().subs(oracle).marginal(U1, V1)),
        Expectation(f(sqrt(d / 2) + gamma * G, gamma * H), normals),
        evaluate=False,
    ),
    source="(9), for every smooth $f$ of moderate growth",
)


@informative.proof
def _(goal):
    """Standardise."""
    return chain(goal.lhs).then(
        goal.rhs, by=substitution({U1: sqrt(d / 2) + gamma * G, V1: gamma * H}, normals)
    )


others = Claim(
    id="oracle-decomposition-others",
    title="Score and value of any other token are independent standard normal variables",
    statement=Eq(
        Expectation(f(U, V), other_token_law().subs(oracle)),
        Expectation(f(G, H), normals),
        evaluate=False,
    ),
    source="(9), for every smooth $f$ of moderate growth",
)


@others.proof
def _(goal):
    """Rename the variables: the law is already standard."""
    return chain(goal.lhs).then(goal.rhs, by=substitution({U: G, V: H}, normals))


# -- how large they are ------------------------------------------------------------------------

noise_of_others = IIDSum(erf(lam * U) * V, other_token_law().subs(oracle), L - 1)

magnitude = Claim(
    id="oracle-decomposition-magnitude",
    title="The other tokens add an error of mean square at most $(4/pi) lambda^2 (L - 1)$",
    statement=Le(Expectation(noise_of_others**2, standard_normal(G)), 4 / pi * (L - 1) * lam**2),
    source="Section 4, after (9)",
)


@magnitude.proof
def _(goal):
    """$L - 1$ independent centred terms, each of mean square $zeta(0, lambda)$."""
    squares = Expectation(erf(lam * U) ** 2 * V**2, other_token_law().subs(oracle))
    mean = Expectation(erf(lam * U) * V, other_token_law().subs(oracle))
    return (
        chain(goal.lhs)
        .then((L - 1) * squares + (L - 1) * (L - 2) * mean**2, by=noise_moments)
        .then(
            (L - 1) * Expectation(erf(lam * U) ** 2, other_token_law().subs(oracle).marginal(U)),
            by=stein(V),
        )
        .then((L - 1) * zeta(0, lam), by=lemma("zeta-at-zero", s=lam))
        .le(goal.rhs, by=lemma("zeta-at-zero-bound", x=lam).scaled(L - 1))
    )


distance = Claim(
    id="oracle-decomposition-distance",
    title=(
        "The excess risk of the oracle is the mean squared distance of its prediction from "
        "$E[Y | X, J_0]$"
    ),
    statement=Eq(
        Expectation(
            (erf(lam * U1) * V1 + noise_of_others - Y1) ** 2, informative_token_law().subs(oracle)
        ),
        risk_definition().subs(oracle) - epsilon**2,
    ),
    source="Section 4, after (9)",
)


@distance.proof
def _(goal):
    """The noise is independent of the rest."""
    return chain(goal.lhs).then(goal.rhs, by=noise_moments)
