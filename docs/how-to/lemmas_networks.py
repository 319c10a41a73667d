"""Lemmas of other papers, with their proofs: networks and attention."""

from lemma_letters import (
    E,
    G,
    U,
    W,
    a,
    c,
    correlated,
    f,
    fields,
    g,
    m,
    p,
    pair,
    possible,
    q,
    r,
    s,
    says,
    state,
    t,
)
from sympy import (
    Eq,
    Ge,
    Le,
    Max,
    Rational,
    acos,
    asin,
    erf,
    exp,
    pi,
    sign,
    sqrt,
    tanh,
)

from slrsym.proof import (
    D,
    ForAll,
    algebra,
    chain,
    differentiate,
    equal_by_derivative,
    gaussian_calculus,
    having,
    instance,
    signs,
    stein,
)


# [networks]
@state(
    "erf-committee-error",
    "The generalisation error of an erf unit that learns an erf unit",
    "Saad and Solla (1995), On-line learning in soft committee machines",
    says(
        Eq,
        E((erf(U / sqrt(2)) - erf(W / sqrt(2))) ** 2, fields) / 2,
        (asin(q / (1 + q)) + pi / 6 - 2 * asin(c / sqrt(2 * (1 + q)))) / pi,
    ),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "erf-committee-drift",
    "The drift of the overlap with the teacher, of an erf unit",
    "Saad and Solla (1995), On-line learning in soft committee machines",
    says(
        Eq,
        E(exp(-(U**2) / 2) * W * erf(W / sqrt(2)), fields),
        sqrt(2 / pi) * (1 + q - c**2) / ((1 + q) * sqrt(2 * (1 + q) - c**2)),
    ),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "perceptron-error",
    "The generalisation error of the perceptron",
    "Opper and Kinzel (1996), Statistical mechanics of generalization",
    says(Eq, E((1 - sign(U) * sign(W)) / 2, pair), acos(r) / pi),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "relu-teacher-student",
    "The risk of a ReLU unit that learns a ReLU unit, by the angle",
    "Tian (2017), An analytical formula of population gradient for two-layered ReLU network",
    says(
        Eq,
        E((Max(U, 0) - Max(W, 0)) ** 2, pair) / 2,
        Rational(1, 2) - (sqrt(1 - r**2) + r * (pi - acos(r))) / (2 * pi),
    ),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "phase-retrieval-risk",
    "The population risk of phase retrieval",
    "Sun, Qu and Wright (2018), A geometric analysis of phase retrieval",
    says(Eq, E((U**2 - W**2) ** 2, fields), 3 * q**2 + 3 - 2 * q - 4 * c**2),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "phase-retrieval-drift",
    "The drift of phase retrieval along the signal",
    "Sun, Qu and Wright (2018), A geometric analysis of phase retrieval",
    says(Eq, E((W**2 - U**2) * U * W, fields), 3 * c * (1 - q)),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


oja = ForAll(t, Eq(D(f(t), t), p * f(t) * (1 - f(t) ** 2)))
inside_ball = ForAll(t, f(t) ** 2 < 1)


@state(
    "oja-flow",
    "Along Oja's flow the squared cotangent of the angle grows at twice the gap",
    "Oja (1982), Simplified neuron model as a principal component analyzer",
    says(
        Eq,
        f(t) ** 2 / (1 - f(t) ** 2) * exp(-2 * p * t),
        f(0) ** 2 / (1 - f(0) ** 2),
    ),
    (oja, inside_ball),
)
def _(goal):
    velocity = chain(D(f(t), t)).then(p * f(t) * (1 - f(t) ** 2), by=instance(oja, t))
    below = chain(f(t) ** 2).lt(1, by=instance(inside_ball, t))
    start = chain(f(0) ** 2).lt(1, by=instance(inside_ball, 0))
    rate = 2 * f(t) * D(f(t), t) / (1 - f(t) ** 2) ** 2 - 2 * p * f(t) ** 2 / (1 - f(t) ** 2)
    slope = chain(D(goal.lhs, t)).then(rate * exp(-2 * p * t), by=differentiate)
    slope = slope.then(0, by=algebra).then(D(goal.rhs, t), by=differentiate)
    proof = equal_by_derivative(
        goal, t, at=0, value=algebra, derivative=having(below, velocity, slope)
    )
    return having(start, proof)


modes = ForAll(t, Eq(D(g(t), t), 2 * g(t) * (s - g(t))))


@state(
    "linear-network-mode",
    "The strength of a mode of a deep linear network follows a logistic curve",
    "Saxe, McClelland and Ganguli (2014), Exact solutions to deep linear networks",
    says(Eq, D((s - g(t)) / g(t) * exp(2 * s * t), t), 0),
    (modes, ForAll(t, g(t) > 0)),
)
def _(goal):
    velocity = chain(D(g(t), t)).then(2 * g(t) * (s - g(t)), by=instance(modes, t))
    positive = chain(g(t)).gt(0, by=instance(ForAll(t, g(t) > 0), t))
    quotient = -D(g(t), t) / g(t) - (s - g(t)) * D(g(t), t) / g(t) ** 2 + 2 * s * (s - g(t)) / g(t)
    slope = chain(goal.lhs).then(quotient * exp(2 * s * t), by=differentiate)
    return having(positive, velocity, slope.then(0, by=algebra))


@state(
    "em-of-two-gaussians",
    "A step of EM for two Gaussian classes, without separation, by Stein's lemma",
    "Daskalakis, Tzamos and Zampetakis (2017), Ten steps of EM suffice",
    says(Eq, E(G * tanh(a * G)), a * E(1 - tanh(a * G) ** 2)),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=stein(G))


@state(
    "shrinkage",
    "No linear shrinkage beats the oracle's risk",
    "James and Stein (1961), Estimation with quadratic loss",
    says(Ge, E((c * (m + s * G) - m) ** 2), m**2 * s**2 / (m**2 + s**2)),
)
def _(goal):
    risk = chain(goal.lhs).then(c**2 * s**2 + (1 - c) ** 2 * m**2, by=gaussian_calculus)
    best = m**2 / (m**2 + s**2)
    square = goal.rhs + (m**2 + s**2) * (c - best) ** 2
    return risk.then(square, by=algebra).ge(goal.rhs, by=signs)


# [attention]
@state(
    "positive-random-features",
    "Positive random features are unbiased for the kernel of softmax attention",
    "Choromanski and others (2021), Rethinking attention with performers",
    says(Eq, E(exp(G * a - a**2 / 2) * exp(G * c - c**2 / 2)), exp(a * c)),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "positive-random-features-variance",
    "The variance of a positive random feature",
    "Choromanski and others (2021), Rethinking attention with performers",
    says(
        Eq,
        E((exp(G * a - a**2 / 2) * exp(G * c - c**2 / 2)) ** 2) - exp(2 * a * c),
        exp(2 * a * c) * (exp((a + c) ** 2) - 1),
    ),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "softmax-of-two",
    "The softmax of two scores changes at most at a quarter of the inverse temperature",
    "Gao and Pavel (2017), On the properties of the softmax function",
    says(Le, D(exp(s * a) / (exp(s * a) + exp(s * c)), a), s / 4),
)
def _(goal):
    slope = s * exp(s * a) * exp(s * c) / (exp(s * a) + exp(s * c)) ** 2
    return chain(goal.lhs).then(slope, by=differentiate).le(goal.rhs, by=signs)
