"""False steps about expectations: Stein, symmetry, conditioning, independence, substitution."""

from sympy import (
    Abs,
    Derivative,
    Function,
    Integral,
    Rational,
    Symbol,
    cos,
    erf,
    exp,
    oo,
    pi,
    sin,
    sqrt,
    symbols,
)

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    ProductLaw,
    erf_prime,
    erf_second,
    standard_normal,
)
from slrsym.proof import (
    D,
    algebra,
    complete_the_square,
    conditioning,
    density,
    differentiate_under_expectation,
    independence,
    inside,
    lemma,
    linearity,
    noise_moments,
    peel_copy,
    sign,
    stein,
    substitution,
    symmetry,
)

from ._entries import Theme, unchecked

theme = Theme()
step = theme.step

t, g, m, c, x = symbols("t g m c x", real=True)
v = Symbol("v", positive=True)
G, H, U, W, X, Y = symbols("G H U W X Y", real=True)
n = Symbol("n", integer=True, nonnegative=True)
f = Function("f", real=True)
u = t + g * G
A, B = sqrt(1 + 2 * g**2), sqrt(1 + 4 * g**2)
third = Rational(1, 3)

normal = standard_normal(G)
pair = GaussianLaw({U: 0, W: 0}, [[1, third], [third, 1]])
shifted = GaussianLaw({X: m}, [[v]])


def E(expr, law=normal):
    return Expectation(expr, law)


# -- Stein's lemma -----------------------------------------------------------------------------

step("Stein: sign", E(G * erf(u)), -g * E(erf_prime(u)), g * E(erf_prime(u)), stein(G))
step(
    "Stein: a second derivative",
    E(G * erf(u)),
    g**2 * E(erf_second(u)),
    g * E(erf_prime(u)),
    stein(G),
)
step(
    "Stein: a term is missing",
    E(G**2 * sin(u)),
    -(g**2) * E(sin(u)),
    E(sin(u)) - g**2 * E(sin(u)),
    stein(G),
)
step(
    "Stein: again and again",
    E(G**2 * erf(u)),
    g**2 * E(erf_second(u)),
    E(erf(u)) + g**2 * E(erf_second(u)),
    stein(G),
)
step(
    "Stein: the covariance is missing",
    E(U * sin(W), pair),
    E(cos(W), pair),
    third * E(cos(W), pair),
    stein(U),
)
step(
    "Stein: the own variance is missing",
    E(U * sin(U + W), pair),
    third * E(cos(U + W), pair),
    4 * third * E(cos(U + W), pair),
    stein(U),
)
step(
    "Stein: the mean is missing",
    E(X * sin(X), shifted),
    v * E(cos(X), shifted),
    v * E(cos(X), shifted) + m * E(sin(X), shifted),
    stein(X),
)
step("Stein: the covariance squared", E(U * W, pair), third**2, third, stein(U))
step(
    "Stein: Isserlis, a pairing is missing",
    E(U**2 * W**2, pair),
    1 + third**2,
    1 + 2 * third**2,
    stein(U, W),
)
step("Stein: sixth moment", E(G**6), 3, 15, stein(G))
step("Stein: of exp(G^2)", E(G * exp(G**2)), E(2 * G * exp(G**2)), None, stein(G), checks="rule")
step("Stein: of exp(G^2 / 3)", E(G * exp(G**2 / 3)), E(2 * third * exp(G**2 / 3)), None, stein(G))
step("Stein: of a kink", E(G * Abs(G)), 0 * G, None, stein(G), checks="rule")
step("Stein: of a pole", E(G / (G - 1)), E(-1 / (G - 1) ** 2), None, stein(G), checks="rule")
step("Stein: of what is not Gaussian", E(Y**2, NoiseLaw(Y, v)), v, None, stein(Y), checks="rule")
step(
    "Stein: in a variable that is not there",
    E(G * erf(u)),
    g * E(erf_prime(u)),
    None,
    stein(H),
    checks="rule",
)

# -- symmetry ----------------------------------------------------------------------------------

step("symmetry: of an even function", E(cos(G)), 0, None, symmetry(G))
step("symmetry: of an odd function", E(sin(G)), 1, 0, symmetry(G))
step("symmetry: of a law with a mean", E(sin(X), shifted), 0, None, symmetry(X))
step("symmetry: about its mean", E((X - m) ** 3, shifted), m**3, 0, symmetry(X))
step("symmetry: of one of two", E(sin(U) * sin(W), pair), 0, None, symmetry(U))
step("symmetry: of both", E(sin(U) * W**2, pair), third, 0, symmetry(U, W))
step("symmetry: in another variable", E(sin(G + t)), 0, None, symmetry(H))

# -- independence, linearity -------------------------------------------------------------------

both = standard_normal(G, H)
step(
    "independence: of what is correlated",
    E(sin(U) * sin(W), pair),
    E(sin(U), pair) * E(sin(W), pair),
    None,
    independence,
)
step("independence: of a square", E(sin(G) ** 2), E(sin(G)) ** 2, None, independence)
step("independence: of functions of the same", E(G * sin(G)), E(G) * E(sin(G)), None, independence)
step("independence: of a sum", E(cos(G + H), both), E(cos(G)) ** 2 + 1, None, independence)
step(
    "independence: by linearity alone",
    E(cos(G) * cos(H) + 1, both),
    E(cos(G)) ** 2,
    None,
    linearity,
)
step(
    "linearity: a square",
    E((G + t) ** 2),
    (E(G) + t) ** 2,
    E(G**2) + 2 * t * E(G) + t**2,
    linearity,
)
step("linearity: a constant", E(2 * cos(u) + 1), 2 * E(cos(u)), 2 * E(cos(u)) + 1, linearity)
step("linearity: a variable taken out", E(G * cos(u)), G * E(cos(u)), None, linearity)
step("linearity: an exponential", E(exp(u)), exp(E(u)), exp(t) * E(exp(g * G)), linearity)
step(
    "linearity: of what has no mean", E(exp(G**2) + G), E(exp(G**2)), None, linearity, checks="rule"
)

# -- conditioning, change of variables ---------------------------------------------------------


def given_w(mean, variance):
    return E(E(cos(t + U) * W, GaussianLaw({U: mean}, [[variance]])), standard_normal(W))


true = given_w(W / 3, Rational(8, 9))
joint = E(cos(t + U) * W, pair)
step("conditioning: the variance of the marginal", joint, given_w(W / 3, 1), true, conditioning(W))
step("conditioning: a deviation", joint, given_w(W / 3, sqrt(8) / 3), true, conditioning(W))
step(
    "conditioning: the sign of the regression",
    joint,
    given_w(-W / 3, Rational(8, 9)),
    true,
    conditioning(W),
)
step("conditioning: no regression", joint, given_w(0, Rational(8, 9)), true, conditioning(W))
step("conditioning: on the other variable", joint, true, None, conditioning(U), checks="rule")
step(
    "substitution: variance for deviation",
    E(cos(X), shifted),
    E(cos(m + v * G)),
    E(cos(m + sqrt(v) * G)),
    substitution({X: m + sqrt(v) * G}, normal),
)
step(
    "substitution: by a wrong image",
    E(cos(X), shifted),
    E(cos(m + v * G)),
    None,
    substitution({X: m + v * G}, normal),
)
step(
    "substitution: a mean dropped",
    E(cos(X), shifted),
    E(cos(sqrt(v) * G)),
    None,
    substitution({X: sqrt(v) * G}, normal),
)
step(
    "substitution: correlation dropped",
    E(sin(U) * sin(W), pair),
    E(sin(G) * sin(H), both),
    None,
    substitution({U: G, W: H}, both),
)

# -- densities and squares ---------------------------------------------------------------------

bell = exp(-((x - m) ** 2) / (2 * v)) / sqrt(2 * pi * v)


def line(body):
    return Integral(body, (x, -oo, oo))


step(
    "density: Jacobian dropped",
    E(cos(X), shifted),
    line(cos(x) * bell * sqrt(v)),
    line(cos(x) * bell),
    density,
)
step(
    "density: deviation for variance",
    E(cos(X), shifted),
    line(cos(x) * exp(-((x - m) ** 2) / (2 * sqrt(v))) / sqrt(2 * pi * sqrt(v))),
    None,
    density,
)
once = complete_the_square(GaussianLaw({G: -2 * t * g / A**2}, [[1 / A**2]]))
mean = erf_prime(t / A) / A
step("square: B for A", E(erf_prime(u)), erf_prime(t / B) / B, mean, once)
step("square: no factor", E(erf_prime(u)), erf_prime(t / A), mean, once)
step("square: A^2 for A", E(erf_prime(u)), erf_prime(t / A) / A**2, mean, once)
step(
    "square: about another law",
    E(erf_prime(u)),
    mean,
    None,
    complete_the_square(normal),
    checks="rule",
)
step(
    "square: to next to nothing",
    E(erf_prime(u)),
    mean * (1 + Rational(1, 10**20)),
    None,
    unchecked,
    checks="numeric",
)

# -- derivatives under the expectation ---------------------------------------------------------

under = differentiate_under_expectation
step("under E: no chain factor", D(E(erf(u)), g), E(erf_prime(u)), E(G * erf_prime(u)), under)
step("under E: sign", D(E(cos(u)), t), E(sin(u)), -E(sin(u)), under)
step("under E: of a product", D(t * E(sin(u)), t), t * E(cos(u)), E(sin(u)) + t * E(cos(u)), under)
step("under E: twice", D(E(sin(u)), t, t), E(sin(u)), -E(sin(u)), under)
step("under E: a parameter of the law", D(E(cos(X), GaussianLaw({X: t}, [[1]])), t), 0, None, under)
step("under E: of a kink", D(E(Abs(u)), t), E(u / Abs(u)), None, under, checks="rule")

# -- inside, noise, copies ---------------------------------------------------------------------

step(
    "inside: without the mixed term",
    E((G + t) ** 2),
    E(G**2 + t**2 + 1 * t),
    E(G**2 + 2 * G * t + t**2),
    inside(algebra),
)
step("inside: an inequality reversed", E(sin(G)), E(1 + 0 * G), None, inside(sign), relation=">=")
step("inside: strict", E(sin(G)), E(2 + 0 * G), None, inside(sign), relation="<", checks="rule")
step("inside: another law", E(G**2), E(X**2, shifted), None, inside(algebra))
step(
    "inside: a hypothesis about the variable",
    E(Abs(G)),
    E(G),
    None,
    inside(algebra),
    given=(G > 0,),
)
step(
    "a hypothesis about the variable, by linearity",
    E(Abs(G)),
    E(G),
    None,
    linearity,
    given=(G > 0,),
)
noise = NoiseLaw(Y, v)
step("noise: a deviation", E(Y**2, noise), sqrt(v), v, noise_moments)
step("noise: a mean", E(Y + t, noise), t + v, t, noise_moments)
step("noise: a third moment", E(Y**3, noise), 0, None, noise_moments, checks="rule")
step(
    "noise: mixed",
    E((sin(u) + Y) ** 2, ProductLaw(normal, noise)),
    E(sin(u) ** 2) + v**2,
    E(sin(u) ** 2) + v,
    noise_moments,
)
one = standard_normal(H)
many, more = (IIDSum(f(H), one, count) for count in (n, n + 1))
step(
    "copies: one added twice",
    E(more),
    E(many + 2 * f(W), ProductLaw(normal, standard_normal(W))),
    E(many + f(W), ProductLaw(normal, standard_normal(W))),
    peel_copy,
)
step(
    "copies: the variance of the sum",
    E(IIDSum(f(H), one, 3) ** 2),
    3 * E(f(H) ** 2, one),
    3 * E(f(H) ** 2, one) + 6 * E(f(H), one) ** 2,
    noise_moments,
)
step("copies: squares of the mean", E(many**2), n**2 * E(f(H), one) ** 2, None, noise_moments)
step("copies: one of none", E(many), E(IIDSum(f(H), one, n - 1)), None, peel_copy, checks="rule")

# -- Lemma 18 at wrong values ------------------------------------------------------------------

step(
    "Lemma 18 (ii): sign of the slope",
    E(erf(t - g * G)),
    erf(t / sqrt(1 - 2 * g**2)),
    erf(t / A),
    lemma("lemma-18-ii", gamma=-g),
)
step(
    "Lemma 18 (v): A for A B",
    E(erf(u) * erf_prime(u)),
    erf(t / A) * mean,
    erf(t / (A * B)) * mean,
    lemma("lemma-18-v", gamma=g),
)
step(
    "Lemma 18 (iv): 2 for root 2",
    E(erf_prime(u) ** 2),
    2 / sqrt(pi) * erf_prime(2 * t / B) / B,
    2 / sqrt(pi) * erf_prime(sqrt(2) * t / B) / B,
    lemma("lemma-18-iv", gamma=g),
)
step(
    "Lemma 18 (i): for the derivative of an arbitrary function",
    E(Derivative(f(G), G)),
    E(f(G)),
    None,
    lemma("lemma-18-i", gamma=g),
    checks="rule",
)
