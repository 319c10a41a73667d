"""The excess risk as $lambda$ falls."""

from sympy import Eq, Ge, Le, Symbol, erf, exp, pi, sqrt

from slrsym.papers.single_location import planar
from slrsym.papers.single_location.convergence import (
    N0,
    Q,
    T,
    b0,
    cooled_kappa_rate,
    cooled_nu_rate,
    cooled_start,
    cooling,
    decay_over_cooled_steps,
    h,
    kappas,
    nus,
    v,
    ys,
)  # fmt: skip
from slrsym.papers.single_location.notation import A, B, alpha, d, gamma, kappa, lam, nu
from slrsym.proof import Claim, algebra, chain, having, lemma, sign

n = Symbol("n", integer=True, nonnegative=True)
# The inverse temperature at the first step.
lam0 = Symbol("lambda_0", positive=True)
scale = 2 * gamma**2 * sqrt(2 * d / pi)

linear = Claim(
    id="schedule-risk",
    title=(
        "On the manifold, for $kappa >= 0$, the risk exceeds the oracle's by at most $2 gamma^2 (2 "
        "d/pi)^(1/2) lambda$ times $2 - kappa - nu$"
    ),
    statement=Le(
        planar.risk(kappa, nu) - planar.risk(1, 1),
        scale * lam * (2 - kappa - nu),
        evaluate=False,
    ),
    source="new",
    hypotheses=[Ge(kappa, 0), Le(kappa, 1), Le(nu, 1)],
)


@linear.proof
def _(goal):
    """Bound $erf(x)$ by its tangent at 0 in convergence-time-risk."""
    x = planar.b * kappa
    flat = chain(erf(x)).le(2 / sqrt(pi) * x, by=lemma("lemma-17-iii-positive", p=x))
    return having(
        flat,
        chain(goal.lhs)
        .le(
            planar.Q * erf(x) * (1 - nu) + planar.N * exp(-(x**2)) * (1 - erf(x / B)) * (1 - kappa),
            by=lemma("convergence-time-risk"),
        )
        .le(planar.Q * erf(x) * (1 - nu) + planar.N * (1 - kappa), by=sign)
        .le(planar.Q * (2 / sqrt(pi) * x) * (1 - nu) + planar.N * (1 - kappa), by=sign)
        .le(planar.N * (1 - nu) + planar.N * (1 - kappa), by=sign)
        .then(scale * lam * (2 - kappa - nu) / A, by=algebra)
        .le(goal.rhs, by=sign),
    )


x_n, y_n = kappas[T + n], nus[T + n]
# The numbers of the planar map are those of the task at the inverse temperature of the step.
in_task = [
    Eq(lam, lam0 / (1 + cooling * (T + n)), evaluate=False),
    Eq(ys[T + n] * b0, planar.b, evaluate=False),
    Eq(ys[T + n] * N0, planar.N, evaluate=False),
    Eq(Q, planar.Q, evaluate=False),
]
of_nu = decay_over_cooled_steps(n, alpha * cooled_nu_rate, T) * (1 - nus[T])
of_kappa = decay_over_cooled_steps(n, alpha * cooled_kappa_rate, T) * (1 - kappas[T])
bound = scale * lam0 / (1 + cooling * (T + n)) * (of_nu + of_kappa)

excess = Claim(
    id="schedule-run-risk",
    title=(
        "At $lambda = lambda_0/(1 + c k)$, the risk exceeds the oracle's by at most $2 gamma^2 (2 "
        "d/pi)^(1/2) lambda$ times the bounds of the two contractions, added"
    ),
    statement=Le(planar.risk(x_n, y_n) - planar.risk(1, 1), bound, evaluate=False),
    source=(
        "new; on the manifold, above the oracle's risk at the same $lambda$; the bounds are those "
        "of schedule-run-nu and schedule-run-kappa, under their hypotheses"
    ),
    hypotheses=[*in_task, *cooled_start, Ge(nus[T], v), Ge(nus[T], 1 - h), Le(h, 1 - erf(b0))],
)


@excess.proof
def _(goal):
    """By schedule-run-nu, schedule-run-kappa and schedule-risk."""
    stay = lemma("schedule-run-stays")
    return having(
        chain(x_n).ge(0, by=stay),
        chain(x_n).le(1, by=stay),
        chain(y_n).le(1, by=stay),
        chain(1 - y_n).le(of_nu, by=lemma("schedule-run-nu")),
        chain(1 - x_n).le(of_kappa, by=lemma("schedule-run-kappa")),
        chain(goal.lhs)
        .le(scale * lam * (2 - x_n - y_n), by=lemma("schedule-risk", kappa=x_n, nu=y_n))
        .le(scale * lam * (of_nu + of_kappa), by=sign)
        .le(goal.rhs, by=sign),
    )
