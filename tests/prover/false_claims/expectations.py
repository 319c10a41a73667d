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


# The formatter would give each argument of an entry its own line.
# fmt: off

# -- Stein's lemma -----------------------------------------------------------------------------

step("Stein: sign", E(G * erf(u)), "=", -g * E(erf_prime(u)), stein(G), right=g * E(erf_prime(u)))
step("Stein: a second derivative", E(G * erf(u)), "=", g**2 * E(erf_second(u)), stein(G),
     right=g * E(erf_prime(u)))
step("Stein: a term is missing", E(G**2 * sin(u)), "=", -(g**2) * E(sin(u)), stein(G),
     right=E(sin(u)) - g**2 * E(sin(u)))
step("Stein: again and again", E(G**2 * erf(u)), "=", g**2 * E(erf_second(u)), stein(G),
     right=E(erf(u)) + g**2 * E(erf_second(u)))
step("Stein: the covariance is missing", E(U * sin(W), pair), "=", E(cos(W), pair), stein(U),
     right=third * E(cos(W), pair))
step("Stein: the own variance is missing",
     E(U * sin(U + W), pair), "=", third * E(cos(U + W), pair), stein(U),
     right=4 * third * E(cos(U + W), pair))
step("Stein: the mean is missing", E(X * sin(X), shifted), "=", v * E(cos(X), shifted), stein(X),
     right=v * E(cos(X), shifted) + m * E(sin(X), shifted))
step("Stein: the covariance squared", E(U * W, pair), "=", third**2, stein(U), right=third)
step("Stein: Isserlis, a pairing is missing", E(U**2 * W**2, pair), "=", 1 + third**2, stein(U, W),
     right=1 + 2 * third**2)
step("Stein: sixth moment", E(G**6), "=", 3, stein(G), right=15)
step("Stein: of exp(G^2)", E(G * exp(G**2)), "=", E(2 * G * exp(G**2)), stein(G), checks="rule")
step("Stein: of exp(G^2 / 3)", E(G * exp(G**2 / 3)), "=", E(2 * third * exp(G**2 / 3)), stein(G))
step("Stein: of a kink", E(G * Abs(G)), "=", 0 * G, stein(G), checks="rule")
step("Stein: of a pole", E(G / (G - 1)), "=", E(-1 / (G - 1) ** 2), stein(G), checks="rule")
step("Stein: of what is not Gaussian", E(Y**2, NoiseLaw(Y, v)), "=", v, stein(Y), checks="rule")
step("Stein: in a variable that is not there", E(G * erf(u)), "=", g * E(erf_prime(u)), stein(H),
     checks="rule")

# -- symmetry ----------------------------------------------------------------------------------

step("symmetry: of an even function", E(cos(G)), "=", 0, symmetry(G))
step("symmetry: of an odd function", E(sin(G)), "=", 1, symmetry(G), right=0)
step("symmetry: of a law with a mean", E(sin(X), shifted), "=", 0, symmetry(X))
step("symmetry: about its mean", E((X - m) ** 3, shifted), "=", m**3, symmetry(X), right=0)
step("symmetry: of one of two", E(sin(U) * sin(W), pair), "=", 0, symmetry(U))
step("symmetry: of both", E(sin(U) * W**2, pair), "=", third, symmetry(U, W), right=0)
step("symmetry: in another variable", E(sin(G + t)), "=", 0, symmetry(H))

# -- independence, linearity -------------------------------------------------------------------

both = standard_normal(G, H)
step("independence: of what is correlated",
     E(sin(U) * sin(W), pair), "=", E(sin(U), pair) * E(sin(W), pair), independence)
step("independence: of a square", E(sin(G) ** 2), "=", E(sin(G)) ** 2, independence)
step("independence: of functions of the same", E(G * sin(G)), "=", E(G) * E(sin(G)), independence)
step("independence: of a sum", E(cos(G + H), both), "=", E(cos(G)) ** 2 + 1, independence)
step("independence: by linearity alone", E(cos(G) * cos(H) + 1, both), "=", E(cos(G)) ** 2,
     linearity)
step("linearity: a square", E((G + t) ** 2), "=", (E(G) + t) ** 2, linearity,
     right=E(G**2) + 2 * t * E(G) + t**2)
step("linearity: a constant", E(2 * cos(u) + 1), "=", 2 * E(cos(u)), linearity,
     right=2 * E(cos(u)) + 1)
step("linearity: a variable taken out", E(G * cos(u)), "=", G * E(cos(u)), linearity)
step("linearity: an exponential", E(exp(u)), "=", exp(E(u)), linearity,
     right=exp(t) * E(exp(g * G)))
step("linearity: of what has no mean", E(exp(G**2) + G), "=", E(exp(G**2)), linearity,
     checks="rule")

# -- conditioning, change of variables ---------------------------------------------------------


def given_w(mean, variance):
    return E(E(cos(t + U) * W, GaussianLaw({U: mean}, [[variance]])), standard_normal(W))


true = given_w(W / 3, Rational(8, 9))
joint = E(cos(t + U) * W, pair)
step("conditioning: the variance of the marginal", joint, "=", given_w(W / 3, 1), conditioning(W),
     right=true)
step("conditioning: a deviation", joint, "=", given_w(W / 3, sqrt(8) / 3), conditioning(W),
     right=true)
step("conditioning: the sign of the regression", joint, "=", given_w(-W / 3, Rational(8, 9)),
     conditioning(W), right=true)
step("conditioning: no regression", joint, "=", given_w(0, Rational(8, 9)), conditioning(W),
     right=true)
step("conditioning: on the other variable", joint, "=", true, conditioning(U), checks="rule")
step("substitution: variance for deviation", E(cos(X), shifted), "=", E(cos(m + v * G)),
     substitution({X: m + sqrt(v) * G}, normal), right=E(cos(m + sqrt(v) * G)))
step("substitution: by a wrong image", E(cos(X), shifted), "=", E(cos(m + v * G)),
     substitution({X: m + v * G}, normal))
step("substitution: a mean dropped", E(cos(X), shifted), "=", E(cos(sqrt(v) * G)),
     substitution({X: sqrt(v) * G}, normal))
step("substitution: correlation dropped", E(sin(U) * sin(W), pair), "=", E(sin(G) * sin(H), both),
     substitution({U: G, W: H}, both))

# -- densities and squares ---------------------------------------------------------------------

bell = exp(-((x - m) ** 2) / (2 * v)) / sqrt(2 * pi * v)


def line(body):
    return Integral(body, (x, -oo, oo))


step("density: Jacobian dropped", E(cos(X), shifted), "=", line(cos(x) * bell * sqrt(v)), density,
     right=line(cos(x) * bell))
step("density: deviation for variance", E(cos(X), shifted), "=",
     line(cos(x) * exp(-((x - m) ** 2) / (2 * sqrt(v))) / sqrt(2 * pi * sqrt(v))), density)
once = complete_the_square(GaussianLaw({G: -2 * t * g / A**2}, [[1 / A**2]]))
mean = erf_prime(t / A) / A
step("square: B for A", E(erf_prime(u)), "=", erf_prime(t / B) / B, once, right=mean)
step("square: no factor", E(erf_prime(u)), "=", erf_prime(t / A), once, right=mean)
step("square: A^2 for A", E(erf_prime(u)), "=", erf_prime(t / A) / A**2, once, right=mean)
step("square: about another law", E(erf_prime(u)), "=", mean, complete_the_square(normal),
     checks="rule")
step("square: to next to nothing", E(erf_prime(u)), "=", mean * (1 + Rational(1, 10**20)),
     unchecked, checks="numeric")

# -- derivatives under the expectation ---------------------------------------------------------

under = differentiate_under_expectation
step("under E: no chain factor", D(E(erf(u)), g), "=", E(erf_prime(u)), under,
     right=E(G * erf_prime(u)))
step("under E: sign", D(E(cos(u)), t), "=", E(sin(u)), under, right=-E(sin(u)))
step("under E: of a product", D(t * E(sin(u)), t), "=", t * E(cos(u)), under,
     right=E(sin(u)) + t * E(cos(u)))
step("under E: twice", D(E(sin(u)), t, t), "=", E(sin(u)), under, right=-E(sin(u)))
step("under E: a parameter of the law", D(E(cos(X), GaussianLaw({X: t}, [[1]])), t), "=", 0, under)
step("under E: of a kink", D(E(Abs(u)), t), "=", E(u / Abs(u)), under, checks="rule")

# -- inside, noise, copies ---------------------------------------------------------------------

step("inside: without the mixed term", E((G + t) ** 2), "=", E(G**2 + t**2 + 1 * t),
     inside(algebra), right=E(G**2 + 2 * G * t + t**2))
step("inside: an inequality reversed", E(sin(G)), ">=", E(1 + 0 * G), inside(sign))
step("inside: strict", E(sin(G)), "<", E(2 + 0 * G), inside(sign), checks="rule")
step("inside: another law", E(G**2), "=", E(X**2, shifted), inside(algebra))
step("inside: a hypothesis about the variable", E(Abs(G)), "=", E(G), inside(algebra),
     given=(G > 0,))
step("a hypothesis about the variable, by linearity", E(Abs(G)), "=", E(G), linearity,
     given=(G > 0,))
noise = NoiseLaw(Y, v)
step("noise: a deviation", E(Y**2, noise), "=", sqrt(v), noise_moments, right=v)
step("noise: a mean", E(Y + t, noise), "=", t + v, noise_moments, right=t)
step("noise: a third moment", E(Y**3, noise), "=", 0, noise_moments, checks="rule")
step("noise: mixed", E((sin(u) + Y) ** 2, ProductLaw(normal, noise)), "=", E(sin(u) ** 2) + v**2,
     noise_moments, right=E(sin(u) ** 2) + v)
one = standard_normal(H)
many, more = (IIDSum(f(H), one, count) for count in (n, n + 1))
step("copies: one added twice",
     E(more), "=", E(many + 2 * f(W), ProductLaw(normal, standard_normal(W))), peel_copy,
     right=E(many + f(W), ProductLaw(normal, standard_normal(W))))
step("copies: the variance of the sum", E(IIDSum(f(H), one, 3) ** 2), "=", 3 * E(f(H) ** 2, one),
     noise_moments, right=3 * E(f(H) ** 2, one) + 6 * E(f(H), one) ** 2)
step("copies: squares of the mean", E(many**2), "=", n**2 * E(f(H), one) ** 2, noise_moments)
step("copies: one of none", E(many), "=", E(IIDSum(f(H), one, n - 1)), peel_copy, checks="rule")

# -- Lemma 18 at wrong values ------------------------------------------------------------------

step("Lemma 18 (ii): sign of the slope", E(erf(t - g * G)), "=", erf(t / sqrt(1 - 2 * g**2)),
     lemma("lemma-18-ii", gamma=-g), right=erf(t / A))
step("Lemma 18 (v): A for A B", E(erf(u) * erf_prime(u)), "=", erf(t / A) * mean,
     lemma("lemma-18-v", gamma=g), right=erf(t / (A * B)) * mean)
step("Lemma 18 (iv): 2 for root 2",
     E(erf_prime(u) ** 2), "=", 2 / sqrt(pi) * erf_prime(2 * t / B) / B,
     lemma("lemma-18-iv", gamma=g), right=2 / sqrt(pi) * erf_prime(sqrt(2) * t / B) / B)
step("Lemma 18 (i): for the derivative of an arbitrary function",
     E(Derivative(f(G), G)), "=", E(f(G)), lemma("lemma-18-i", gamma=g), checks="rule")
