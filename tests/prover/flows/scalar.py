"""The false twins of `in-context-growth` and `in-context-flow-rate`: twice as fast, or more."""

from sympy import Lt, diff, exp, sqrt, symbols

from slrsym.proof import Claim, D, algebra, at, chain, differentiate, having, lemma, signs
from slrsym.proof.dynamical import DecaysAlong, SolvedBy, by_theorem, flow

s, u, U = symbols("s u U", real=True)
t = symbols("t", nonnegative=True)
lam, k, d, G, delta = symbols("lambda k d G delta", positive=True)
GROWTH = flow({s: 2 * sqrt(d) * lam**2 * s * (1 - lam * k * s)})
exponent = 4 * sqrt(d) * lam**2 * t
g = exp(exponent)
there = s * g / (1 + lam * k * s * (g - 1))
faster = Claim(
    id="growth-formula-false",
    source="nowhere",
    statement=SolvedBy(GROWTH, GROWTH.region(s), GROWTH.solution(t, there)),
)


@faster.proof
def _(goal):
    """As for the true formula."""
    moves = having(
        chain(g).ge(1, by=lemma("exp-at-least-one", p=exponent)),
        chain(1 + lam * k * s * (g - 1)).gt(0, by=signs),
        chain(D(there, t)).then(at(GROWTH.velocities[0], {s: there}), by=differentiate),
    )
    return by_theorem(goal, "flow-solution", {"time": t}, moves_1=moves)


loss = G * lam**2 * u**2 * U**2 / 2 - lam**2 * u * U
gap = G * lam**2 / 2 * (u * U - 1 / G) ** 2
LAYERS = flow({u: -diff(loss, u), U: -diff(loss, U)})
fast = Claim(
    id="layers-rate-false",
    source="nowhere",
    hypotheses=[Lt(2 * G * delta, lam**2)],
    statement=DecaysAlong(
        LAYERS, LAYERS.region(-delta - loss), LAYERS.function(gap), 9 * G * delta
    ),
)


@fast.proof
def _(goal):
    """As for the true rate."""
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
