"""Gradient flow in scalars: what is kept, an explicit rate, and a formula.

With one input coordinate, of variance lambda, the loss is that of two layers u, U of one unit, up
to a constant. With white inputs of any dimension d and balanced weights, s = u U grows by
a logistic equation.
"""

from sympy import Ge, Lt, S, diff, exp, sqrt, symbols

from slrsym.proof import Claim, D, algebra, at, chain, differentiate, having, lemma, signs
from slrsym.proof.dynamical import (
    ConstantAlong,
    DecaysAlong,
    RegionKept,
    SolvedBy,
    by_theorem,
    flow,
)

s, u, U = symbols("s u U", real=True)
t, p = symbols("t p", nonnegative=True)
lam, k, d, G, delta = symbols("lambda k d G delta", positive=True)
SOURCE = "new: the flow of the loss of Section 2, in scalars"

one = Claim(
    id="exp-at-least-one",
    title="$exp(p) >= 1$ for $p >= 0$",
    source="new: used for `in-context-growth`",
    statement=Ge(exp(p), 1, evaluate=False),
)


@one.proof
def _(goal):
    """By the tangent at 0."""
    return chain(exp(p)).ge(1 + p, by=lemma("exp-above-tangent", p=p)).ge(1, by=signs)


GROWTH = flow({s: 2 * sqrt(d) * lam**2 * s * (1 - lam * k * s)})
exponent = 2 * sqrt(d) * lam**2 * t
g = exp(exponent)
there = s * g / (1 + lam * k * s * (g - 1))
growth = Claim(
    id="in-context-growth",
    title=(
        "The flow $s' = 2 sqrt(d) lambda^2 s (1 - lambda k s)$ from $s >= 0$ lasts for ever: "
        "it is $s g/(1 + lambda k s (g - 1))$ with $g = exp(2 sqrt(d) lambda^2 t)$"
    ),
    source=SOURCE,
    statement=SolvedBy(GROWTH, GROWTH.region(s), GROWTH.solution(t, there)),
)


@growth.proof
def _(goal):
    """It solves the equation, and the denominator is positive."""
    moves = having(
        chain(g).ge(1, by=lemma("exp-at-least-one", p=exponent)),
        chain(1 + lam * k * s * (g - 1)).gt(0, by=signs),
        chain(D(there, t)).then(at(GROWTH.velocities[0], {s: there}), by=differentiate),
    )
    return by_theorem(goal, "flow-solution", {"time": t}, moves_1=moves)


# The loss less its value at the optimum u U = 1/G is `gap`; the region is where it is <= -delta.
loss = G * lam**2 * u**2 * U**2 / 2 - lam**2 * u * U
gap = G * lam**2 / 2 * (u * U - 1 / G) ** 2
LAYERS = flow({u: -diff(loss, u), U: -diff(loss, U)})
BASIN = LAYERS.region(-delta - loss)
ROOM = [Lt(2 * G * delta, lam**2)]
OF_THE_LOSS = "$G lambda^2 u^2 U^2/2 - lambda^2 u U$"

balance = Claim(
    id="in-context-flow-balance",
    title=f"The gradient flow of {OF_THE_LOSS} keeps $u^2 - U^2$",
    source=SOURCE,
    statement=ConstantAlong(LAYERS, LAYERS.region(), LAYERS.function(u**2 - U**2)),
)


@balance.proof
def _(goal):
    """Its derivative along the field is 0."""
    plane = RegionKept(LAYERS, LAYERS.region())
    stays = chain(S.Zero).le(LAYERS.rate_of(S.One), by=differentiate)
    return by_theorem(
        goal,
        "flow-gronwall",
        kept=by_theorem(plane, "flow-cofactor", {"cofactors": LAYERS.function(0)}, rises_1=stays),
        constant=chain(LAYERS.rate_of(u**2 - U**2)).then(0, by=differentiate),
    )


kept = Claim(
    id="in-context-flow-kept",
    title=(
        f"The gradient flow of {OF_THE_LOSS} keeps where this loss is at most $-delta$, for "
        "$2 G delta < lambda^2$"
    ),
    source=SOURCE,
    hypotheses=ROOM,
    statement=RegionKept(LAYERS, BASIN),
)


@kept.proof
def _(goal):
    """The loss falls."""
    squares = diff(loss, u) ** 2 + diff(loss, U) ** 2
    rises = chain(S.Zero).le(squares, by=signs)
    return by_theorem(
        goal,
        "flow-cofactor",
        {"cofactors": LAYERS.function(0)},
        rises_1=rises.then(LAYERS.rate_of(-delta - loss), by=differentiate),
    )


rate = Claim(
    id="in-context-flow-rate",
    title=(
        f"Along the gradient flow of {OF_THE_LOSS} from where it is at most $-delta$, the distance "
        "to its minimum decays at the rate $4 G delta$, for $2 G delta < lambda^2$"
    ),
    source=SOURCE,
    hypotheses=ROOM,
    statement=DecaysAlong(LAYERS, BASIN, LAYERS.function(gap), 4 * G * delta),
)


@rate.proof
def _(goal):
    """There $u U lambda^2 >= delta$, and $|grad|^2 = 2 G lambda^2 (u^2 + U^2)$ times the gap."""
    quadratic = chain(G * lam**2 * u**2 * U**2 / 2).ge(0, by=signs)
    low = having(quadratic, chain(u * U * lam**2 - delta).ge(0, by=signs))
    apart = u**2 + U**2 - 2 * u * U
    square = chain(apart).then((u - U) ** 2, by=algebra).ge(0, by=signs)
    speed, value = 2 * G * lam**2 * (u**2 + U**2), goal.rate
    parts = 4 * G * (u * U * lam**2 - delta) + 2 * G * lam**2 * apart
    size = chain(speed - value).then(parts, by=algebra).ge(0, by=signs)
    falls = chain(LAYERS.rate_of(gap) + value * gap).then(-gap * (speed - value), by=differentiate)
    return by_theorem(
        goal,
        "flow-gronwall",
        kept=lemma("in-context-flow-kept"),
        decays=having(low, square, size, falls.le(0, by=signs)),
    )
