"""The risk of two heads at their oracle."""

from sympy import Eq, diag, erf, sqrt, symbols

from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, ProductLaw, standard_normal, zeta
from slrsym.papers.single_location.notation import A, G, L, d, epsilon, gamma, lam, s
from slrsym.papers.single_location.task import noise, xi
from slrsym.proof import (
    Claim,
    chain,
    definition,
    lemma,
    noise_moments,
    stein,
    substitution,
)

# Scores and values X.k_i, X.v_i of each informative token for both heads. At the oracle k_1*, v_1*,
# k_2*, v_2* are orthonormal: the first token has a mean along k_1*, the second one along k_2*.
m = sqrt(d / 2)
names = symbols("U_11 V_11 U_12 V_12 U_21 V_21 U_22 V_22", real=True)
U11, V11, U12, V12, U21, V21, U22, V22 = names
first = GaussianLaw({U11: m, V11: 0, U12: 0, V12: 0}, gamma**2 * diag(1, 1, 1, 1))
second = GaussianLaw({U21: 0, V21: 0, U22: m, V22: 0}, gamma**2 * diag(1, 1, 1, 1))
U1, V1, U2, V2 = others = symbols("U_1 V_1 U_2 V_2", real=True)


def heads(*projections):
    """Return what both heads add for a token, of scores and values for one head after another."""
    u1, v1, u2, v2 = projections
    return erf(lam * u1) * v1 + erf(lam * u2) * v2


rest = IIDSum(heads(*others), standard_normal(*others), L)
error = V11 + V22 + xi - heads(U11, V11, U12, V12) - heads(U21, V21, U22, V22) - rest
t1 = lam * m

oracle = Claim(
    id="several-heads-oracle",
    title=(
        "With orthonormal $k_1*$, $v_1*$, $k_2*$, $v_2*$, two informative tokens and $L$ others, "
        "the risk of two heads at the oracle, in closed form"
    ),
    statement=Eq(
        Expectation(error**2, ProductLaw(first, second, noise())),
        epsilon**2
        + 2 * gamma**2 * (1 - 2 * erf(t1 / A) + zeta(t1, s))
        + 2 * gamma**2 * zeta(0, s)
        + 2 * L * zeta(0, lam),
        evaluate=False,
    ),
    source="Equations (30) and (31)",
)


@oracle.proof
def _(goal):
    """Different tokens and different heads are independent, and every term is centred."""
    F, G2 = V11 - heads(U11, V11, U12, V12), V22 - heads(U21, V21, U22, V22)
    H = heads(*others)
    laws = (first, second, standard_normal(*others))

    def moments(term, law):
        return Expectation(term, law), Expectation(term**2, law)

    (f, ff), (g, gg), (h, hh) = map(moments, (F, G2, H), laws)
    expanded = epsilon**2 + (ff - f**2) + (gg - g**2) + L * (hh - h**2) + (f + g - L * h) ** 2

    def left(mean, square, small, other):
        """What is left once the values are removed."""
        return epsilon**2 + 2 * gamma**2 * (1 - 2 * mean + square + small) + 2 * L * other

    def normal(f):
        return Expectation(f, standard_normal(G))

    own, own_square = normal(erf(t1 + s * G)), normal(erf(t1 + s * G) ** 2)
    small, other = normal(erf(s * G) ** 2), normal(erf(lam * G) ** 2)
    # The scores and their laws; which of them have become G.
    scores = {U11: first, U22: second, U12: first, U21: second, U1: laws[2], U2: laws[2]}

    def stage(done):
        """Each score has the attention erf(lam U); the means come from the own ones."""

        def mean(x, power, in_normal):
            known = Expectation(erf(lam * x) ** power, scores[x].marginal(x))
            return in_normal if x in done else known

        def half(pair, power, in_normal):
            return sum(mean(x, power, in_normal) for x in pair) / 2

        return left(
            half((U11, U22), 1, own),
            half((U11, U22), 2, own_square),
            half((U12, U21), 2, small),
            half((U1, U2), 2, other),
        )

    proof = (
        chain(goal.lhs)
        .then(expanded, by=noise_moments)
        .then(stage(()), by=stein(V11, V12, V21, V22, V1, V2))
    )
    for done, x in enumerate(scores, start=1):
        form = gamma * G + (m if x in (U11, U22) else 0) if done <= 4 else G
        proof = proof.then(
            stage(list(scores)[:done]), by=substitution({x: form}, standard_normal(G))
        )
    return (
        proof.then(
            left(erf(t1 / A), own_square, small, other), by=lemma("lemma-18-ii", t=t1, gamma=s)
        )
        .then(left(erf(t1 / A), zeta(t1, s), small, other), by=definition)
        .then(left(erf(t1 / A), zeta(t1, s), zeta(0, s), other), by=lemma("zeta-at-zero", s=s))
        .then(goal.rhs, by=lemma("zeta-at-zero", s=lam))
    )
