"""Lemma 6: the risk on the invariant manifold, and a form of it without cancellation."""

from sympy import Eq, Ge, Le, erf

from slrsym.gaussian import zeta
from slrsym.papers.single_location.notation import (
    L,
    a,
    epsilon,
    eta,
    gamma,
    lam,
    nu,
    rho,
    s,
    t,
    theta,
)
from slrsym.papers.single_location.symbolic import risk_definition
from slrsym.proof import Claim, algebra, chain, lemma, sign

on_manifold = {theta: 0, eta: 0, rho: 0}

formula = epsilon**2 + gamma**2 * (1 - 2 * nu * erf(a) + zeta(t, s)) + (L - 1) * zeta(0, lam)

risk_on_manifold = Claim(
    id="lemma-6",
    title="The risk on the invariant manifold, in terms of $erf$ and $zeta$",
    statement=Eq(risk_definition().subs(on_manifold), formula, evaluate=False),
    source="Lemma 6",
    compared_to_source="exact",
    explanation=(
        "On the manifold the risk depends on $k$ and $v$ by $kappa$ and $nu$ alone, and has a "
        "closed form in $erf$ and $zeta$. It is Proposition 15 at $theta = eta = rho = 0$, where "
        "most terms have a factor 0. The informative token is weighted by $erf$ of its score: the "
        "mean of this weight, $erf(a)$, tells how much of the output is predicted, and its mean "
        "square is $zeta(t, s)$. The weight of another token is centred, and its mean square is "
        "$zeta(0, lambda)$. Assumption 1 and the laws of the tokens enter by Proposition 15; "
        "nothing is supposed of $lambda$, $d$ or $L$ but their signs."
    ),
)


@risk_on_manifold.proof
def _(goal):
    """Proposition 15 at $theta = eta = rho = 0$."""
    return chain(goal.lhs).then(goal.rhs, by=lemma("proposition-15", on_manifold))


variance = zeta(t, s) - erf(a) ** 2

stable_form = Claim(
    id="lemma-6-stable",
    title="The risk on the invariant manifold, with the square $(nu - erf(t/A))^2$ completed",
    statement=Eq(
        formula,
        epsilon**2
        + gamma**2 * ((1 - nu**2) + (nu - erf(a)) ** 2 + variance)
        + (L - 1) * zeta(0, lam),
        evaluate=False,
    ),
    source="new",
)


@stable_form.proof
def _(goal):
    """Complete the square in $nu$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


nonnegative_terms = Claim(
    id="lemma-6-lower-bound",
    title="The risk on the invariant manifold is at least $epsilon^2$",
    statement=Ge(formula, epsilon**2),
    source="new",
    hypotheses=[Le(nu, 1), Ge(nu, -1)],
)


@nonnegative_terms.proof
def _(goal):
    """Every term of the stable form but $epsilon^2$ is non-negative; the variance by Jensen."""
    without = epsilon**2 + gamma**2 * ((1 - nu**2) + (nu - erf(a)) ** 2) + (L - 1) * zeta(0, lam)
    return (
        chain(goal.lhs)
        .then(without + gamma**2 * variance, by=algebra)
        .ge(without, by=lemma("zeta-variance-nonnegative", t=t, s=s).scaled(gamma**2))
        .ge(epsilon**2, by=sign)
    )
