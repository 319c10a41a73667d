"""Step sizes: what follows from one that is below $1/C$, or below $1/K$, whatever the bounds are.

P, Q, M and N are the bounds of derivatives in `slrsym.papers.single_location.planar`; C and K are
made of them.
"""

from sympy import And, Ge, Gt, Le, Lt, Symbol, symbols

from slrsym.papers.single_location.notation import alpha
from slrsym.papers.single_location.planar import (
    C,
    K,
    M,
    N,
    P,
    Q,
    descent_constant_from_bounds,
    distance_after_step_lower_bound,
    injectivity_constant,
)
from slrsym.proof import Claim, all_of, chain, lemma, sign

# Any numbers in the places of the bounds.
bounds = dict(zip("PQMN", symbols("P Q M N", nonnegative=True), strict=True))

c, S = Symbol("c", real=True), Symbol("S", real=True)

room = Claim(
    id="step-size-room",
    title="If $alpha < 1/c$, then $1 - alpha c$ and the rate of descent $alpha (1 - alpha c)$ "
    "are positive",
    statement=And(
        Gt(1 - alpha * c, 0),
        Gt(alpha * (1 - alpha * c), 0),
        Ge(alpha * (1 - alpha * c) * S, 0),
        evaluate=False,
    ),
    source="new",
    hypotheses=[Lt(alpha * c, 1), Ge(S, 0)],
)


@room.proof
def _(goal):
    """The product of two positive numbers."""
    return all_of(
        chain(1 - alpha * c).gt(0, by=sign),
        chain(alpha * (1 - alpha * c)).gt(0, by=sign),
        chain(alpha * (1 - alpha * c) * S).ge(0, by=sign),
    )


below_descent = Claim(
    id="step-size-descent",
    title="A step size below $1/(P + Q + M/2 + N)$ is at most $1/P$ and $1/Q$",
    statement=And(Le(alpha * bounds["P"], 1), Le(alpha * bounds["Q"], 1), evaluate=False),
    source="new; $C = P + Q + M/2 + N$",
    hypotheses=[Lt(alpha * descent_constant_from_bounds(**bounds), 1)],
)


@below_descent.proof
def _(goal):
    """$C$ is the sum of these and of other numbers that are not negative."""
    total = alpha * descent_constant_from_bounds(**bounds)
    return all_of(*(chain(part.lhs).le(total, by=sign).le(1, by=sign) for part in goal.args))


below_injectivity = Claim(
    id="step-size-injectivity",
    title=(
        "A step size below $1/(3 P + 3 Q + 2 M + 2 N)$ is at most $1/P$ and $1/Q$, and below $1/(P "
        "+ Q + M/2 + N)$"
    ),
    statement=And(
        Le(alpha * bounds["P"], 1),
        Le(alpha * bounds["Q"], 1),
        Lt(alpha * descent_constant_from_bounds(**bounds), 1),
        Lt(alpha * injectivity_constant(**bounds), 1),
        evaluate=False,
    ),
    source="new; $C = P + Q + M/2 + N$ and $K = 3P + 3Q + 2M + 2N$",
    hypotheses=[Lt(alpha * injectivity_constant(**bounds), 1)],
)


@below_injectivity.proof
def _(goal):
    """$K$ is the sum of these and of other numbers that are not negative."""
    total = alpha * injectivity_constant(**bounds)
    first, second = alpha * bounds["P"], alpha * bounds["Q"]
    constant = alpha * descent_constant_from_bounds(**bounds)
    return all_of(
        chain(first).le(total, by=sign).le(1, by=sign),
        chain(second).le(total, by=sign).le(1, by=sign),
        chain(constant).le(total, by=sign).lt(1, by=sign),
        chain(total).lt(1, by=sign),
    )


w1, w2 = symbols("w_1 w_2", nonnegative=True)


together = Claim(
    id="step-size-expansion",
    title=(
        "$1 - alpha (3 P + 2 M + 2 N)$ times $w_1$ plus $1 - alpha (2 N + 3 Q)$ times $w_2$ "
        "is at least $1 - alpha K$ times $w_1 + w_2$, for distances $w_1$, $w_2$"
    ),
    statement=Ge(
        distance_after_step_lower_bound(**bounds, kappa_distance=w1, nu_distance=w2),
        (1 - alpha * injectivity_constant(**bounds)) * (w1 + w2),
        evaluate=False,
    ),
    source="Appendix B.9; $K = 3P + 3Q + 2M + 2N$",
)


@together.proof
def _(goal):
    """Each of the two shares is at most $K$."""
    return chain(goal.lhs).ge(goal.rhs, by=sign)


at_the_bounds = Claim(
    id="theorem-5-step-size",
    title=(
        "For the constants $P$, $Q$, $C$, $K$ of the planar map, a step size below $1/K$ is at "
        "most $1/P$ and $1/Q$, and below $1/C$"
    ),
    statement=And(
        Le(alpha * P, 1), Le(alpha * Q, 1), Lt(alpha * C, 1), Lt(alpha * K, 1), evaluate=False
    ),
    source="new",
    hypotheses=[Lt(alpha * K, 1)],
)


@at_the_bounds.proof
def _(goal):
    """A special case of step-size-injectivity."""
    known = lemma("step-size-injectivity", P=P, Q=Q, M=M, N=N)
    return all_of(
        chain(alpha * P).le(1, by=known),
        chain(alpha * Q).le(1, by=known),
        chain(alpha * C).lt(1, by=known),
        chain(alpha * K).lt(1, by=known),
    )
