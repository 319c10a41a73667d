"""The number of steps that a phase has left.

While a phase lasts, its count is not negative, and a step lowers it by at least 1. So the phase
lasts at most one step longer than its count at its beginning.
"""

from sympy import And, Ge, Le, Symbol, log, sqrt, symbols

from slrsym.notation import kappa, nu
from slrsym.proof import Claim, algebra, all_of, chain, having, increasing, sign, tangent

# -- three kinds of counts ---------------------------------------------------------------------

z, now, after, end, rate = symbols("z W W' W_1 s", positive=True)


def counted(count, here, there):
    """Return the statement that a count is at least 0, and that a step lowers it by at least 1."""
    return And(
        Ge(count(*here), 0, evaluate=False),
        Le(count(*there), count(*here) - 1, evaluate=False),
        evaluate=False,
    )


def from_logarithms(goal, larger, smaller, share, logs):
    """Show a count to be at least 0 by the order of two numbers, and to fall by a bound on logs."""
    positive, falls = goal.args
    order = chain(log(larger)).ge(
        log(smaller), by=increasing(log(z), z, chain(larger).ge(smaller, by=sign))
    )
    return all_of(
        having(order, chain(positive.lhs).ge(0, by=sign)),
        having(share, having(logs, chain(falls.lhs).le(falls.rhs, by=sign))),
    )


growing = Claim(
    id="convergence-time-growth-count",
    title=(
        "If $W' >= (1 + s) W$ and $W <= W_1$, the count $(log(W_1) - log(W)) (1 + s)/s$ is at "
        "least 0 and falls by at least 1"
    ),
    statement=counted(lambda w: (log(end) - log(w)) * (1 + rate) / rate, [now], [after]),
    source="new",
    hypotheses=[Ge(after, (1 + rate) * now), Le(now, end)],
)


@growing.proof
def _(goal):
    """The logarithm lies below its tangent at $W'$."""
    share = chain(now / after).le(1 / (1 + rate), by=sign)
    logs = (
        chain(log(now))
        .le(log(after) + (now - after) / after, by=tangent(log(z), z, at=after, point=now))
        .le(log(after) + 1 / (1 + rate) - 1, by=sign)
    )
    return from_logarithms(goal, end, now, share, logs)


shrinking = Claim(
    id="convergence-time-contraction-count",
    title=(
        "If $W' <= (1 - s) W$ and $W >= W_1$, the count $(log(W) - log(W_1))/s$ is at least 0 and "
        "falls by at least 1"
    ),
    statement=counted(lambda w: (log(w) - log(end)) / rate, [now], [after]),
    source="new",
    hypotheses=[Le(after, (1 - rate) * now), Ge(now, end)],
)


@shrinking.proof
def _(goal):
    """The logarithm lies below its tangent at $W$."""
    share = chain(after / now).le(1 - rate, by=sign)
    logs = (
        chain(log(after))
        .le(log(now) + (after - now) / now, by=tangent(log(z), z, at=now, point=after))
        .le(log(now) - rate, by=sign)
    )
    return from_logarithms(goal, now, end, share, logs)


passing = Claim(
    id="convergence-time-passage-count",
    title="If $W' >= W + s$ and $W <= W_1$, $(W_1 - W)/s$ is at least 0 and falls by at least 1",
    statement=counted(lambda w: (end - w) / rate, [now], [after]),
    source="new",
    hypotheses=[Ge(after, now + rate), Le(now, end)],
)


@passing.proof
def _(goal):
    """The count is linear."""
    positive, falls = goal.args
    share = chain((after - now) / rate).ge(1, by=sign)
    return all_of(
        chain(positive.lhs).ge(0, by=sign),
        having(share, chain(falls.lhs).le(falls.rhs, by=sign)),
    )


# -- from a start near the saddle --------------------------------------------------------------

weight, least = symbols("m w", positive=True)
growth_rate = Symbol("g", positive=True)
smallest = 2 * sqrt(growth_rate * weight * least)

start = Claim(
    id="convergence-time-start",
    title="If $kappa nu >= w$, then $g kappa + m nu >= 2 (g m w)^(1/2)$",
    statement=Ge(growth_rate * kappa + weight * nu, smallest, evaluate=False),
    source="new; growth begins with a count that is logarithmic in $1/w$",
    hypotheses=[Ge(kappa, 0), Ge(nu, 0), Ge(kappa * nu, least)],
)


@start.proof
def _(goal):
    """The geometric mean is at most the arithmetic one."""
    both, difference = growth_rate * weight, growth_rate * kappa - weight * nu
    square = (
        chain(4 * both * least)
        .le(4 * both * kappa * nu, by=sign)
        .le(4 * both * kappa * nu + difference**2, by=sign)
        .then((growth_rate * kappa + weight * nu) ** 2, by=algebra)
    )
    return chain(goal.lhs).ge(goal.rhs, by=increasing(sqrt(z), z, square))
