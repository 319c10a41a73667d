"""The Bayes risk for $gamma = 1$, that of softmax attention at the oracle, as an exact integral."""

import numpy as np
from sympy import Eq, Function, Ge, Integral, Le, Symbol, exp, oo, sqrt, symbols

from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, ProductLaw, standard_normal
from slrsym.papers.single_location.notation import L, d, epsilon
from slrsym.proof import Claim, Trials, chain, fundamental_theorem, stein

# -- values given the scores ---------------------------------------------------------------------

# Scores X.k* of the informative token and of another one; what their values X.v* have besides,
# where k* and v* have the inner product c.
U, U2, W, W2 = symbols("U U_2 W W_2", real=True)
c = Symbol("c", real=True)
mean = sqrt(d / 2)
score, other = GaussianLaw({U: mean}, [[1]]), standard_normal(U2)
beside = sqrt(1 - c**2)
Y, V2 = c * U + beside * W, c * U2 + beside * W2

# Any weights that depend on the scores.
F, G = Function("F", real=True), Function("G", real=True)

own = Claim(
    id="softmax-bayes-own-value",
    title=(
        "For a standard normal token, $E V^2 f(U)$ is $E (1 - c^2 + c^2 U^2) f(U)$, with its "
        "score $U$, its value $V$ and $c = k* . v*$"
    ),
    statement=Eq(
        Expectation(Y**2 * F(U), ProductLaw(score, standard_normal(W))),
        Expectation((1 - c**2 + c**2 * U**2) * F(U), score),
        evaluate=False,
    ),
    source="new",
    hypotheses=[Le(c**2, 1)],
)


@own.proof
def _(goal):
    """Given the score, the rest of the value is independent of it, with variance $1 - c^2$."""
    return chain(goal.lhs).then(goal.rhs, by=stein(W))


another = Claim(
    id="softmax-bayes-other-value",
    title=(
        "For two standard normal tokens, $E V V_2 f(U, U_2)$ is $c^2$ times $E U U_2 f(U, "
        "U_2)$, with scores $U$, $U_2$, values $V$, $V_2$ and $c = k* . v*$"
    ),
    statement=Eq(
        Expectation(
            Y * V2 * G(U, U2), ProductLaw(score, other, standard_normal(W), standard_normal(W2))
        ),
        c**2 * Expectation(U * U2 * G(U, U2), ProductLaw(score, other)),
        evaluate=False,
    ),
    source="new",
    hypotheses=[Le(c**2, 1)],
)


@another.proof
def _(goal):
    """Given the scores, the rest of each value is centred."""
    return chain(goal.lhs).then(goal.rhs, by=stein(W, W2))


# -- the denominator -----------------------------------------------------------------------------

x, z = Symbol("x", real=True), Symbol("z", positive=True)

laplace = Claim(
    id="softmax-bayes-laplace",
    title="$1/z$ is the integral of $2 x exp(-x^2 z)$ over $x >= 0$, for $z > 0$",
    statement=Eq(Integral(2 * x * exp(-(x**2) * z), (x, 0, oo)), 1 / z, evaluate=False),
    source="new",
)


@laplace.proof
def _(goal):
    """By an antiderivative."""
    return chain(goal.lhs).then(goal.rhs, by=fundamental_theorem(-exp(-(x**2) * z) / z, x))


# -- the risk ------------------------------------------------------------------------------------


def weight(u):
    return exp(mean * u)


# Softmax is a sum of products of a value and a weight; all tokens but these are alike.
rest = IIDSum(weight(U2), other, L - 1)
fewer = IIDSum(weight(W2), standard_normal(W2), L - 2)
p_own = weight(U) / (weight(U) + rest)
p_other = weight(U2) / (weight(U) + weight(U2) + fewer)
explained = Expectation((1 - c**2 + c**2 * U**2) * p_own, score) + (L - 1) * c**2 * Expectation(
    U * U2 * p_other, ProductLaw(score, other)
)


def damped(integrand, u, law):
    return Expectation(integrand * exp(-(x**2) * weight(u)), law)


f = damped(1, U2, other)
integrand = 2 * x * (
    damped((1 - c**2 + c**2 * U**2) * weight(U), U, score) * f ** (L - 1)
    + (L - 1)
    * c**2
    * damped(U, U, score)
    * damped(U2 * weight(U2), U2, other)
    * f ** (L - 2)
)  # fmt: skip

risk = Claim(
    id="softmax-bayes-risk",
    title=(
        "The Bayes risk for $gamma = 1$, a uniform location and every $d$, $L >= 2$ and angle, as "
        "one integral of products of means, each over a single token"
    ),
    statement=Eq(
        epsilon**2 + 1 + c**2 * d / 2 - explained,
        epsilon**2 + 1 + c**2 * d / 2 - Integral(integrand, (x, 0, oo)),
        evaluate=False,
    ),
    source="new; for $gamma = 1$, a uniform location; by Fubini's theorem, not checked here, from "
    "softmax-conditional-mean and the claims above. No rule exchanges a mean and an integral over "
    "a half-line, nor knows that it converges: what falls faster than every power is here slower "
    "than a Gaussian",
    hypotheses=[Le(c**2, 1), Ge(L, 2)],
)


def bayes_risk(dimension, tokens, inner):
    """The right side without noise, by the trapezoidal rule in u and in log x."""
    m = np.sqrt(dimension / 2)
    u = np.arange(-9.5, 9.5 + m, 0.04 / max(1.0, m))
    t = np.arange(-m * (9.5 + m) / 2 - 19, m * 4.75 + 2.0, 0.05)
    step, ends = u[1] - u[0], np.exp(np.minimum(2 * t[:, None] + m * u, 7.0))
    damping = np.exp(-ends) * step / np.sqrt(2 * np.pi)
    informative, another = (np.exp(-((u - at) ** 2) / 2) for at in (m, 0.0))
    values = 1 - inner**2 + inner**2 * u**2
    # Weights times x^2, which the measure 2 dx / x has to spare.
    first = (damping * ends) @ np.stack([values * informative, u * another], axis=1)
    plain = damping @ np.stack([another, u * informative], axis=1)
    f = plain[:, 0]
    pairs = (tokens - 1) * inner**2 * plain[:, 1] * first[:, 1] * f ** (tokens - 2)
    return 1 + inner**2 * dimension / 2 - 0.1 * (first[:, 0] * f ** (tokens - 1) + pairs).sum()


@risk.tested_by
def _(rng):
    """Against the risk of softmax with $k = k*$, $v = v*$, and against tokens.

    For a proof three things are not among the rules: that the integral over $x$ converges, whose
    integrand falls faster than every power, but slower than a Gaussian; that means of
    $exp(-x^2 exp(m U))$, whose slopes are not of moderate growth, may be differentiated or split
    over a symbolic number of copies; and that a mean and an integral over a half-line change
    places, where the integrand has both signs.
    """
    from slrsym.models import softmax
    from slrsym.papers.single_location.models import attention

    angle = Symbol("c", real=True)
    model = attention(softmax, angle=angle).model
    of_softmax = model.compile("numpy", "excess_risk")
    failures, count = [], 24
    for number in range(count):
        n, tokens = int(rng.integers(2, 50)), int(np.exp(rng.uniform(np.log(2), 6)))
        inner = rng.uniform(-1, 1) if number % 3 else 0.0
        numbers = {"lambda": np.sqrt(n / 2), "gamma": 1, "d": n, "L": tokens, "epsilon": 0}
        numbers["c"] = inner
        values = [float(numbers[p.name]) for p in model.parameters]
        whole = 1 + inner**2 * n / 2
        found = bayes_risk(n, tokens, inner)
        (expected,) = of_softmax(np.array([1, 1, inner, inner, inner]), *values)
        at = f"d = {n}, L = {tokens}, c = {inner:.3f}"
        if abs(found - expected) > 1e-11 * whole:
            failures.append(f"{found} and {expected} at {at}")
        scores = rng.standard_normal((200_000 // tokens + 200, tokens))
        scores[:, 0] += np.sqrt(n / 2)
        exponent = np.sqrt(n / 2) * (scores - scores.max(axis=1, keepdims=True))
        p = np.exp(exponent) / np.exp(exponent).sum(axis=1, keepdims=True)
        beside = 1 + (p**2).sum(axis=1) - 2 * p[:, 0]
        squares = inner**2 * (scores[:, 0] - (p * scores).sum(axis=1)) ** 2
        squares += (1 - inner**2) * beside
        error = squares.std() / np.sqrt(len(squares)) + 1e-9
        if abs(squares.mean() - found) > 6 * error:
            failures.append(f"{found} and {squares.mean()} of tokens at {at}")
    return Trials(count, "settings with d up to 50 and L up to 400", tuple(failures))
