"""Statements about flows, with their proofs."""

from sympy import Eq, Equivalent, Function, Ge, Gt, Integer, Integral, Le, Lt, Or, Symbol, exp, log

from slrsym.proof import (
    Claim,
    D,
    ForAll,
    algebra,
    all_of,
    chain,
    differentiate,
    equal_by_derivative,
    having,
    increasing,
    instance,
    integral_algebra,
    lemma,
    monotone,
    only_at,
    sign,
    signs,
    solution,
    solution_set,
    split_product,
)
from slrsym.proof.dynamical import (
    ConstantAlong,
    FlowLimitsSolve,
    FlowsConvergeTo,
    RegionKept,
    by_theorem,
    flow,
)

# Time is a nonnegative symbol: of a function of all real times, the past is supposed as well.
t, s = (Symbol(name, nonnegative=True) for name in "ts")
mu, eps = (Symbol(name, positive=True) for name in ("mu", "epsilon"))
c, v = (Symbol(name, real=True) for name in "cv")
x, y, g, V = (Function(name, real=True) for name in "xygV")

# [conserved]
layers = (
    ForAll(s, Eq(D(x(s), s), -g(x(s) * y(s)) * y(s))),
    ForAll(s, Eq(D(y(s), s), -g(x(s) * y(s)) * x(s))),
)
balance = Claim(
    id="flow-balance",
    title="Two layers of one unit keep the difference of their squares",
    hypotheses=layers,
    statement=Eq(x(t) ** 2 - y(t) ** 2, x(0) ** 2 - y(0) ** 2),
    source="gradient flow of a loss in x y",
)


@balance.proof
def _(goal):
    """Show that its derivative in time is 0."""
    velocities = [
        chain(D(f(t), t)).then(move.instantiate(t).rhs, by=instance(move, t))
        for f, move in zip((x, y), layers, strict=True)
    ]
    slope = (
        chain(D(goal.lhs, t))
        .then(2 * x(t) * D(x(t), t) - 2 * y(t) * D(y(t), t), by=differentiate)
        .then(0, by=algebra)
        .then(D(goal.rhs, t), by=differentiate)
    )
    return equal_by_derivative(goal, t, at=0, value=algebra, derivative=having(*velocities, slope))


# [gronwall]
falls = ForAll(s, Le(D(V(s), s), -2 * mu * V(s)))
rate = Claim(
    id="flow-gronwall",
    title="What falls at a rate of at least 2 mu of itself falls exponentially",
    hypotheses=[falls],
    statement=Le(V(t), V(0) * exp(-2 * mu * t)),
    source="Gronwall",
)


@rate.proof
def _(goal):
    """Show that V(s) exp(2 mu s) does not rise."""
    scaled = V(s) * exp(2 * mu * s)
    slope = having(
        chain(D(V(s), s)).le(-2 * mu * V(s), by=instance(falls, s)),
        chain(D(scaled, s))
        .then((D(V(s), s) + 2 * mu * V(s)) * exp(2 * mu * s), by=differentiate)
        .le(0, by=sign),
    )
    fallen = chain(V(t) * exp(2 * mu * t)).le(
        V(0), by=monotone(scaled, s, start=t, end=0, derivative=slope)
    )
    return having(
        fallen,
        chain(V(t))
        .then(V(t) * exp(2 * mu * t) * exp(-2 * mu * t), by=algebra)
        .le(goal.rhs, by=sign),
    )


# [epsilon]
arrives = Claim(
    id="flow-arrival-time",
    title="What falls so is at most epsilon after a time of log(V(0)/epsilon)/(2 mu)",
    hypotheses=[falls, Gt(V(0), 0), Ge(2 * mu * t, log(V(0) / eps))],
    statement=Le(V(t), eps),
    source="Gronwall",
)


@arrives.proof
def _(goal):
    """Bound the exponential at this time."""
    by_then = chain(-2 * mu * t).le(-log(V(0) / eps), by=sign)
    small = chain(exp(-2 * mu * t)).le(
        exp(-log(V(0) / eps)), by=increasing(exp(v), v, known=by_then)
    )
    return having(
        small,
        chain(V(t))
        .le(V(0) * exp(-2 * mu * t), by=lemma("flow-gronwall"))
        .le(V(0) * exp(-log(V(0) / eps)), by=sign)
        .then(eps, by=algebra),
    )


# [barrier]
slower = ForAll(s, Ge(D(V(s), s), -c * V(s)))
stays = Claim(
    id="flow-stays-positive",
    title="What falls at a rate of at most c of itself stays positive",
    hypotheses=[slower, Gt(V(0), 0)],
    statement=Gt(V(t), 0),
    source="a barrier",
)


@stays.proof
def _(goal):
    """Show that V(s) exp(c s) does not fall."""
    scaled = V(s) * exp(c * s)
    slope = having(
        chain(D(V(s), s)).ge(-c * V(s), by=instance(slower, s)),
        chain(D(scaled, s))
        .then((D(V(s), s) + c * V(s)) * exp(c * s), by=differentiate)
        .ge(0, by=sign),
    )
    risen = chain(V(t) * exp(c * t)).ge(
        V(0), by=monotone(scaled, s, start=t, end=0, derivative=slope)
    )
    return having(
        risen,
        chain(V(t))
        .then(V(t) * exp(c * t) * exp(-c * t), by=algebra)
        .ge(V(0) * exp(-c * t), by=sign)
        .gt(0, by=sign),
    )


# [time]
f = Function("f", positive=True)
moves = ForAll(s, Eq(D(x(s), s), f(x(s))))
crossing = Claim(
    id="flow-crossing-time",
    title="A flow on a line takes the integral of one over its speed",
    hypotheses=[moves],
    statement=Eq(Integral(1 / f(v), (v, x(0), x(t))), t),
    source="separation of variables",
)


@crossing.proof
def _(goal):
    """Compare both sides at time 0, and their derivatives."""
    slope = having(
        chain(D(x(t), t)).then(f(x(t)), by=instance(moves, t)),
        chain(D(goal.lhs, t))
        .then(D(x(t), t) / f(x(t)), by=differentiate)
        .then(1, by=algebra)
        .then(D(t, t), by=differentiate),
    )
    return equal_by_derivative(goal, t, at=0, value=integral_algebra, derivative=slope)


# [flow]
u, w = (Symbol(name, real=True) for name in "uw")
pair = flow({u: -g(u * w) * w, w: -g(u * w) * u})
balanced = Claim(
    id="flow-keeps-balance",
    title="The flow of any loss of a product $u w$ keeps the difference of the squares",
    statement=ConstantAlong(pair, pair.region(), pair.function(u**2 - w**2)),
    source="gradient flow of a loss in u w",
)


@balanced.proof
def _(goal):
    """Show that its derivative along the field is 0; trajectories stay in the plane."""
    plane = RegionKept(pair, pair.region())
    stays = chain(Integer(0)).le(pair.rate_of(Integer(1)), by=differentiate)
    slope = chain(pair.rate_of(u**2 - w**2)).then(0, by=differentiate)
    return by_theorem(
        goal,
        "flow-gronwall",
        kept=by_theorem(plane, "flow-cofactor", {"cofactors": pair.function(0)}, rises_1=stays),
        constant=slope,
    )


# [limit]
delta = Symbol("delta", positive=True)
growth = flow({u: u * (1 - u)})
starts = growth.region(1 - u, u - delta)
zeros = growth.function(2 * u * (1 - u))

kept = Claim(
    id="flow-growth-kept",
    title="Logistic growth stays between $delta$ and 1, for $delta < 1$",
    hypotheses=[Lt(delta, 1)],
    statement=RegionKept(growth, starts),
    source="logistic growth",
)


@kept.proof
def _(goal):
    """Divide the slope of the distance from 1 by it; at delta the size rises."""
    below = RegionKept(growth, growth.region(1 - u))
    divides = chain(-u * (1 - u)).le(growth.rate_of(1 - u), by=differentiate)
    rises = having(
        chain(u).le(delta, by=signs).lt(1, by=signs),
        chain(1 - u).gt(0, by=signs),
        chain(growth.rate_of(u - delta)).then(u * (1 - u), by=differentiate).gt(0, by=signs),
    )
    first = by_theorem(below, "flow-cofactor", {"cofactors": growth.function(-u)}, rises_1=divides)
    return by_theorem(goal, "flow-barrier", {"first": 1}, first=first, rises_2=rises)


ends = Claim(
    id="flow-growth-limits",
    title="Logistic growth from $delta$ to 1 accumulates at zeros of its speed",
    hypotheses=[Lt(delta, 1)],
    statement=FlowLimitsSolve(growth, starts, zeros),
    source="LaSalle's principle",
)


@ends.proof
def _(goal):
    """Integrate minus the speed: this function falls."""
    height = u**3 / 3 - u**2 / 2
    falls = chain(4 * u**2 * (1 - u) ** 2 + 4 * growth.rate_of(height)).then(0, by=differentiate)
    return by_theorem(
        goal,
        "flow-lasalle",
        {"function": growth.function(height), "factor": 4, "bound": 1},
        kept=lemma("flow-growth-kept"),
        bounded=all_of(chain(u).ge(-1, by=signs), chain(u).le(1, by=signs)),
        falls=falls.le(0, by=signs),
    )


rest = Claim(
    id="flow-growth-rest",
    title="Logistic growth rests at 0 and 1 alone",
    statement=Equivalent(
        Eq(2 * u * (1 - u), 0, evaluate=False), Or(Eq(u, 0), Eq(u, 1)), evaluate=False
    ),
    source="logistic growth",
)


@rest.proof
def _(goal):
    """Split the product: it is 0 where a factor is."""
    at_0 = only_at(2 * u, u, 0, then=solution())
    at_1 = only_at(1 - u, u, 1, then=solution())
    return solution_set(goal, (u,), split_product(2 * u * (1 - u), at_0, at_1))


limit = Claim(
    id="flow-growth-limit",
    title="Logistic growth converges to 1 from every start between $delta$ and 1",
    hypotheses=[Lt(delta, 1)],
    statement=FlowsConvergeTo(growth, starts, growth.points((1,))),
    source="logistic growth",
)


@limit.proof
def _(goal):
    """Leave out the point of rest 0: the second function of the region is negative there."""
    return by_theorem(
        goal,
        "flow-limit",
        {"equations": zeros, "outside": ((0, 1),)},
        limits=lemma("flow-growth-limits"),
        outside_1=chain(-delta).lt(0, by=signs),
        solutions=lemma("flow-growth-rest"),
    )
