"""Statements about flows, with their proofs."""

from sympy import Eq, Function, Ge, Gt, Integral, Le, Symbol, exp, log

from slrsym.proof import (
    Claim,
    D,
    ForAll,
    algebra,
    chain,
    differentiate,
    equal_by_derivative,
    having,
    increasing,
    instance,
    integral_algebra,
    lemma,
    monotone,
    sign,
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
