"""Proposition 9: the fixed points of the planar dynamics."""

from sympy import And, Eq, Equivalent, Ge, Le, Or, erf, sqrt

from slrsym.gaussian import erf_prime, zeta
from slrsym.papers.single_location.notation import (
    A,
    B,
    L,
    a,
    d,
    epsilon,
    gamma,
    kappa,
    lam,
    nu,
    s,
    t,
)
from slrsym.proof import (
    Claim,
    D,
    chain,
    differentiate,
    never,
    only_at,
    solution,
    solution_set,
    split_product,
)

# The risk on the manifold, as claim lemma-6 derives it.
risk = epsilon**2 + gamma**2 * (1 - 2 * nu * erf(a) + zeta(t, s)) + (L - 1) * zeta(0, lam)

slope = 2 * gamma**2 * lam * sqrt(d / 2) / A * erf_prime(a)
R_kappa = slope * (erf(a / B) - nu)
R_nu = -2 * gamma**2 * erf(a)
square = [Ge(kappa, -1), Le(kappa, 1), Ge(nu, -1), Le(nu, 1)]

gradient_kappa = Claim(
    id="proposition-9-gradient-kappa",
    title=(
        "On the manifold, $R_kappa = 2 gamma^2 b (erf(t/(A B)) - nu) erf'(t/A)$, where $b = lambda "
        "sqrt(d/2)/A$"
    ),
    statement=Eq(D(risk, kappa), R_kappa),
    source="Appendix B.7",
    compared_to_source="exact",
)


@gradient_kappa.proof
def _(goal):
    """The chain rule, with the derivative of $zeta$."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate)


gradient_nu = Claim(
    id="proposition-9-gradient-nu",
    title="On the manifold, $R_nu = -2 gamma^2 erf(t/A)$",
    statement=Eq(D(risk, nu), R_nu),
    source="Appendix B.7",
    compared_to_source="exact",
)


@gradient_nu.proof
def _(goal):
    """The risk is affine in $nu$."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate)


def at(x, y):
    return And(Eq(kappa, x), Eq(nu, y))


fixed_points = Claim(
    id="proposition-9",
    title="In the square, the solutions of $R_kappa (1 - kappa^2) = R_nu (1 - nu^2) = 0$ are "
    "the four corners and $(0, 0)$",
    statement=Equivalent(
        And(Eq(R_kappa * (1 - kappa**2), 0), Eq(R_nu * (1 - nu**2), 0)),
        Or(at(1, 1), at(1, -1), at(-1, 1), at(-1, -1), at(0, 0)),
    ),
    source="Proposition 9",
    compared_to_source="exact",
    hypotheses=square,
    explanation=(
        "In the square the equations (14) have exactly five solutions: the four corners and $(0, "
        "0)$. The equation for $nu$ is a product, which vanishes only where $nu$ is 1 or $-1$ or "
        "where $erf(a) = 0$, that is $kappa = 0$. If $nu$ is 1 or $-1$, then $erf(a/B) - nu$ is "
        "not 0, since $|erf| < 1$; so the equation for $kappa$ leaves $kappa = 1$ and $kappa = "
        "-1$. If $kappa = 0$, it says that $nu$ times a positive number is 0. It enters that "
        "$lambda$, $gamma$ and $d$ are positive: the slope in $kappa$ has these as factors. That "
        "a point of the square is meant is a hypothesis; no start and no step size occur."
    ),
)


@fixed_points.proof
def _(goal):
    """If $nu = +-1$, then $kappa = +-1$ since $|erf| < 1$; if $kappa = 0$, then $nu = 0$."""

    def corner(y):
        return split_product(
            R_kappa * (1 - kappa**2),
            never(slope),
            never(erf(a / B) - y),
            only_at(1 - kappa, kappa, 1, then=solution()),
            only_at(1 + kappa, kappa, -1, then=solution()),
        )

    centre = split_product(
        R_kappa * (1 - kappa**2),
        never(slope.subs(kappa, 0)),
        only_at(-nu, nu, 0, then=solution()),
    )
    tree = split_product(
        R_nu * (1 - nu**2),
        never(-2 * gamma**2),
        only_at(erf(a), kappa, 0, then=centre),
        only_at(1 - nu, nu, 1, then=corner(1)),
        only_at(1 + nu, nu, -1, then=corner(-1)),
    )
    return solution_set(goal, (kappa, nu), tree)
