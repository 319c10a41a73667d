"""Statements from textbooks on Gaussian integrals, with their proofs."""

from sympy import (
    Abs,
    Eq,
    Function,
    Ge,
    Heaviside,
    Le,
    Limit,
    Lt,
    Max,
    Min,
    Rational,
    Symbol,
    acos,
    asin,
    cosh,
    erf,
    exp,
    log,
    oo,
    pi,
    sign,
    sqrt,
    symbols,
    tanh,
)

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    erf_prime,
    mean_erf_squared,
    normal_cdf,
    normal_pdf,
    standard_normal,
)
from slrsym.proof import (
    Claim,
    D,
    ball_arithmetic,
    cauchy_schwarz,
    chain,
    differentiate,
    equal_by_derivative,
    gaussian_calculus,
    increasing,
    induction,
    inside,
    jensen,
    limits,
    piecewise,
    poincare,
    price,
    signs,
    stein,
    tangent,
)

a, b, t, u, x = symbols("a b t u x", real=True)
p, s = symbols("p s", positive=True)
r = Symbol("r", real=True)
n = Symbol("n", integer=True)
N = Symbol("N", integer=True, nonnegative=True)
G, U, W = symbols("G U W", real=True)
f, g = Function("f", real=True), Function("g", real=True)

pair = GaussianLaw({U: 0, W: 0}, [[1, r], [r, 1]])
correlated = (r > -1, r < 1)


def E(integrand, law=None):
    return Expectation(integrand, law or standard_normal(G))


def says(relation, left, right):
    return relation(left, right, evaluate=False)


def state(id, statement, given=()):
    return Claim(id=id, statement=statement, source="textbook", hypotheses=given).proof


# [closed]
@state("mean-absolute", says(Eq, E(Abs(G)), sqrt(2 / pi)))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state("relu", says(Eq, E(Max(s * G + b, 0)), b * normal_cdf(b / s) + s * normal_pdf(b / s)))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state("probit", says(Eq, E(normal_cdf(a * G + b)), normal_cdf(b / sqrt(1 + a**2))))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state("chi-square-laplace", says(Eq, E(exp(t * G**2)), 1 / sqrt(1 - 2 * t)), (t < Rational(1, 2),))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state("chi-square-moment", says(Eq, E((U**2 + W**2) ** 2, pair), 8 + 4 * r**2), correlated)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "truncated-mean",
    says(
        Eq,
        E(G * Heaviside(G - a)) / E(Heaviside(G - a)),
        normal_pdf(a) / (1 - normal_cdf(a)),
    ),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state("clipped", says(Eq, E(Min(Max(G, -s), s) * G), erf(s / sqrt(2))))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state("hermite-orthogonality", says(Eq, E((G**3 - 3 * G) * (G**5 - 10 * G**3 + 15 * G)), 0))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


# [pairs]
@state("larger-of-two", says(Eq, E(Max(U, W), pair), sqrt((1 - r) / pi)), correlated)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state("sheppard", says(Eq, E(sign(U) * sign(W), pair), 2 / pi * asin(r)), correlated)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state("quadrant", says(Eq, E(Heaviside(U) * Heaviside(-W), pair), acos(r) / (2 * pi)), correlated)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "arc-cosine-kernel-one",
    says(
        Eq,
        E(Max(U, 0) * Max(W, 0), pair),
        (sqrt(1 - r**2) + r * (pi - acos(r))) / (2 * pi),
    ),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "arc-cosine-kernel-two",
    says(
        Eq,
        E(Max(U, 0) ** 2 * Max(W, 0) ** 2, pair),
        (3 * r * sqrt(1 - r**2) + (1 + 2 * r**2) * (pi - acos(r))) / (2 * pi),
    ),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state("hermite-pair", says(Eq, E((U**3 - 3 * U) * (W**3 - 3 * W), pair), 6 * r**3), correlated)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "mehler",
    says(Eq, E(exp(a * U - a**2 / 2) * exp(b * W - b**2 / 2), pair), exp(r * a * b)),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "price",
    says(Eq, D(E(erf(U) * erf(W), pair), r), E(erf_prime(U) * erf_prime(W), pair)),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=price)


@state("arcsine-by-price", says(Eq, E(erf(U) * erf(W), pair), 2 / pi * asin(2 * r / 3)), correlated)
def _(goal):
    bells = E(erf_prime(U) * erf_prime(W), pair)
    slope = chain(D(goal.lhs, r)).then(bells, by=price)
    slope = slope.then(4 / (pi * sqrt(9 - 4 * r**2)), by=gaussian_calculus)
    slope = slope.then(D(goal.rhs, r), by=differentiate)
    return equal_by_derivative(goal, r, at=0, value=gaussian_calculus, derivative=slope)


@state("slepian", says(Ge, D(E(exp(U + W), pair), r), 0), correlated)
def _(goal):
    return chain(goal.lhs).then(E(exp(U + W), pair), by=price).ge(0, by=signs)


# [inequalities]
@state("jensen-exponential", says(Ge, E(exp(s * Abs(G))), exp(s * sqrt(2 / pi))))
def _(goal):
    mean = chain(goal.lhs).ge(exp(E(s * Abs(G))), by=jensen(exp(x), x))
    return mean.then(goal.rhs, by=gaussian_calculus)


@state("jensen-logarithm", says(Le, E(log(1 + s * G**2)), log(1 + s)))
def _(goal):
    mean = chain(goal.lhs).le(log(E(1 + s * G**2)), by=jensen(log(p), p))
    return mean.then(goal.rhs, by=gaussian_calculus)


@state("cauchy-schwarz", says(Le, E(f(G) * g(G)) ** 2, E(f(G) ** 2) * E(g(G) ** 2)))
def _(goal):
    return chain(goal.lhs).le(goal.rhs, by=cauchy_schwarz(f(G), g(G)))


@state(
    "poincare",
    says(Le, E(tanh(a * G) ** 2) - E(tanh(a * G)) ** 2, a**2 * E((1 - tanh(a * G) ** 2) ** 2)),
)
def _(goal):
    return chain(goal.lhs).le(goal.rhs, by=poincare(tanh(a * G)))


@state("hypercontractive", says(Le, E((a + b * G) ** 4), 9 * E((a + b * G) ** 2) ** 2))
def _(goal):
    moment = chain(goal.lhs).then(a**4 + 6 * a**2 * b**2 + 3 * b**4, by=gaussian_calculus)
    return moment.le(9 * (a**2 + b**2) ** 2, by=signs).then(goal.rhs, by=gaussian_calculus)


@state("mills", says(Le, t * (1 - normal_cdf(t)), normal_pdf(t)))
def _(goal):
    excess = chain(goal.lhs).then(goal.rhs - E(Max(G - t, 0)), by=gaussian_calculus)
    return excess.le(goal.rhs, by=signs)


@state("subgaussian-tail", says(Le, 1 - normal_cdf(s), exp(-(s**2) / 2)))
def _(goal):
    tail = chain(goal.lhs).then(E(Heaviside(G - s)), by=gaussian_calculus)
    bound = tail.le(E(exp(s * (G - s))), by=inside(piecewise(signs)))
    return bound.then(goal.rhs, by=gaussian_calculus)


@state("tanh-squared", says(Le, E(tanh(G) ** 2), Rational(7, 10)))
def _(goal):
    return chain(goal.lhs).le(goal.rhs, by=ball_arithmetic)


@state("logarithm-of-a-square", says(Lt, E(log(1 + G**2)), Rational(11, 20)))
def _(goal):
    return chain(goal.lhs).lt(goal.rhs, by=ball_arithmetic)


# [calculus]
@state("slope-of-log", says(Eq, D(log(p), p), 1 / p))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=differentiate)


@state("half-integers", says(Ge, (n - Rational(1, 2)) ** 2, Rational(1, 4)))
def _(goal):
    return chain(goal.lhs).ge(goal.rhs, by=signs)


@state("bernoulli", says(Ge, 2**N, N + 1))
def _(goal):
    def step(known):
        doubled = chain(2 ** (N + 1)).ge(2 * (N + 1), by=known.scaled(2))
        return doubled.ge(N + 2, by=signs)

    return induction(goal, N, base=signs, step=step)


@state("tenth-moment", says(Eq, E(G**10), 945))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=stein(G))


@state("bell", says(Le, x**2 * exp(-(x**2)), exp(-1)))
def _(goal):
    return chain(goal.lhs).le(goal.rhs, by=tangent(exp(u - x**2), u, 0, x**2 - 1))


@state("hyperbolic-cosine", says(Le, cosh(x), exp(x**2 / 2)))
def _(goal):
    below = tangent(u**2 / 2 - log(cosh(u)), u, 0, x)
    logarithms = chain(log(cosh(x))).le(x**2 / 2, by=below)
    return chain(goal.lhs).le(goal.rhs, by=increasing(exp(u), u, logarithms))


@state("stein", says(Eq, E(G * f(G)), E(D(f(G), G))))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=stein(G))


# [limits]
@state(
    "limit-of-erf",
    says(Eq, Limit(t * (1 - erf(t) ** 2) + erf(a * t / sqrt(1 + t**2)), t, oo), erf(a)),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=limits)


@state("limit-of-zeta", says(Eq, Limit(mean_erf_squared(t, s), t, oo), 1))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=limits)


@state("limit-at-zero", says(Eq, Limit((1 - exp(-(t**2) / 2)) / t**2, t, 0), Rational(1, 2)))
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=limits)
