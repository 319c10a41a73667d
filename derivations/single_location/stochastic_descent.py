"""Stochastic descent near the oracle."""

from sympy import Ge, IndexedBase, Le, Lt, Symbol, exp

from slrsym.papers.single_location.notation import alpha
from slrsym.proof import Claim, ForAll, chain, having, induction, instance, sign, tangent

# The mean of V = 2 - kappa - nu over the batches of all steps so far, by the number of steps.
Vs = IndexedBase("V", nonnegative=True)
time = Symbol("t", integer=True, nonnegative=True)
n = Symbol("n", integer=True, nonnegative=True)
mu, sigma, largest = (Symbol(name, positive=True) for name in ("mu", "sigma", "alpha_0"))
V, D, G = Symbol("V", nonnegative=True), Symbol("D", real=True), Symbol("G", nonnegative=True)
w = Symbol("w", real=True)

step = Claim(
    id="stochastic-step",
    title=(
        "If $D - alpha_0 G/2 >= mu V$ and $alpha <= alpha_0$, then $V - alpha D + alpha^2 (G + "
        "sigma^2)/2$ is at most $(1 - mu alpha) V + alpha^2 sigma^2/2$"
    ),
    statement=Le(
        V - alpha * D + alpha**2 * (G + sigma**2) / 2,
        (1 - mu * alpha) * V + alpha**2 * sigma**2 / 2,
        evaluate=False,
    ),
    source=(
        "new; as attraction-rate, for a step against the gradient of a batch, which has the "
        "gradient of the risk for a mean, and $sigma^2$ for the sum of its variances: by "
        "attraction-step the left side bounds the mean of $V$ after the step"
    ),
    hypotheses=[Ge(D - largest * G / 2 - mu * V, 0), Le(alpha, largest)],
)


@step.proof
def _(goal):
    """A shorter step gains more for its length."""
    shorter = chain(alpha * (D - mu * V)).ge(alpha * largest * G / 2, by=sign)
    return having(
        shorter,
        chain(alpha**2 * G / 2).le(alpha * largest * G / 2, by=sign),
        chain(goal.lhs).le(goal.rhs, by=sign),
    )


lost = mu * alpha
floor = alpha * sigma**2 / (2 * mu)
recursion = ForAll(
    time, Le(Vs[time + 1], (1 - lost) * Vs[time] + alpha**2 * sigma**2 / 2, evaluate=False)
)

run = Claim(
    id="stochastic-run",
    title=(
        "If $mu alpha < 1$ and each $V_(t + 1) <= (1 - mu alpha) V_t + alpha^2 sigma^2/2$, then "
        "$V_n <= e^(-mu alpha n) V_0 + alpha sigma^2/(2 mu)$"
    ),
    statement=Le(Vs[n], exp(-lost * n) * Vs[0] + floor, evaluate=False),
    source=(
        "new; for the means of $V$ in stochastic descent while no run has left the neighbourhood "
        "in which stochastic-step holds; how long that lasts is not proved"
    ),
    hypotheses=[Lt(lost, 1), recursion],
)


@run.proof
def _(goal):
    """By induction; $1 - mu alpha$ is at most $e^(-mu alpha)$."""
    factor = chain(1 - lost).le(exp(-lost), by=tangent(exp(w), w, at=0, point=-lost))

    def next_step(known):
        return having(
            factor,
            chain(Vs[n + 1])
            .le((1 - lost) * Vs[n] + alpha**2 * sigma**2 / 2, by=instance(recursion, n))
            .le((1 - lost) * (exp(-lost * n) * Vs[0] + floor) + alpha**2 * sigma**2 / 2, by=sign)
            .le(exp(-lost) * exp(-lost * n) * Vs[0] + floor, by=sign)
            .le(exp(-lost * (n + 1)) * Vs[0] + floor, by=sign),
        )

    return induction(goal, n, base=sign, step=next_step)
