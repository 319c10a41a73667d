"""The paper's task in the bounds on steps."""

from sympy import And, Eq, Lt, pi

from slrsym.papers.single_location import planar
from slrsym.papers.single_location.convergence import constants, p, push
from slrsym.papers.single_location.notation import alpha, gamma, kappa, nu
from slrsym.papers.single_location.planar import C, M, N, P, Q, b
from slrsym.proof import Claim, algebra, all_of, chain, sign

slope = Claim(
    id="convergence-time-slope",
    title=(
        "The slope $R_kappa$ of Lemma 7 is $-N e^(-b^2 kappa^2) (nu - u)$, where $u = erf(b "
        "kappa/B)$ and $N = 4 gamma^2 b/sqrt(pi)$"
    ),
    statement=Eq(planar.R_kappa(kappa, nu), -push.subs(constants), evaluate=False),
    source="Lemma 7; $R_nu$ is $-Q erf(b kappa)$ as it stands",
)


@slope.proof
def _(goal):
    """By the definition of $erf'$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


fall = p.subs(constants)

sizes = Claim(
    id="convergence-time-step-size",
    title=(
        "A step size below $1/C$ is below $1/N$, $1/Q$ and $1/p$, where $N = 4 gamma^2 "
        "b/sqrt(pi)$, $Q = 2 gamma^2$ and $p = 2 N b/(sqrt(pi) B)$"
    ),
    statement=And(Lt(alpha * N, 1), Lt(alpha * Q, 1), Lt(alpha * fall, 1), evaluate=False),
    source="new; $p = 2 N b/(sqrt(pi) B)$",
    hypotheses=[Lt(alpha * C, 1)],
)


@sizes.proof
def _(goal):
    """Each is at most $C$: $N$ is half of $P$, and $p$ is at most half of $M$."""
    return all_of(
        chain(alpha * N).le(alpha * P, by=sign).le(alpha * C, by=sign).lt(1, by=sign),
        chain(alpha * Q).le(alpha * C, by=sign).lt(1, by=sign),
        chain(alpha * fall)
        .le(8 * alpha * gamma**2 * b**2 / pi, by=sign)
        .le(alpha * M / 2, by=sign)
        .le(alpha * C, by=sign)
        .lt(1, by=sign),
    )
