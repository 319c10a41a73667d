"""False steps about expectations, each beside a true one as near to it as possible."""

from sympy import Derivative, Function, Integral, Rational, Symbol, erf, exp, oo, pi, sqrt, symbols

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    ProductLaw,
    erf_prime,
    erf_second,
    standard_normal,
    zeta,
)
from slrsym.proof import (
    D,
    algebra,
    complete_the_square,
    conditioning,
    definition,
    density,
    differentiate_under_expectation,
    fundamental_theorem,
    independence,
    inside,
    lemma,
    linearity,
    noise_moments,
    peel_copy,
    stein,
    substitution,
    symmetry,
)

from ._claims import Table

table = Table()
step = table.step

t, g, a, b = symbols("t g a b", real=True)
c = Symbol("c", real=True)
m = Symbol("m", real=True)
v = Symbol("v", positive=True)
G, H, U, W, X, Y = symbols("G H U W X Y", real=True)
n = Symbol("n", integer=True, nonnegative=True)
f = Function("f", real=True)
u = t + g * G
A = sqrt(1 + 2 * g**2)
B = sqrt(1 + 4 * g**2)
half = Rational(1, 2)

normal = standard_normal(G)
pair = GaussianLaw({U: 0, W: 0}, [[1, half], [half, 1]])
apart = standard_normal(G, H)
shifted = GaussianLaw({X: m}, [[v]])


def E(expr, law=normal):
    return Expectation(expr, law)


# -- completing the square: Lemma 18 (i) and (iv) ----------------------------------------------

once = complete_the_square(GaussianLaw({G: -2 * t * g / A**2}, [[1 / A**2]]))
twice = complete_the_square(GaussianLaw({G: -4 * t * g / B**2}, [[1 / B**2]]))
bell = erf_prime(t / A) / A
step("bell: the factor 1/A is missing", E(erf_prime(u)), erf_prime(t / A), bell, once)
step("bell: B for A", E(erf_prime(u)), erf_prime(t / B) / B, bell, once)
step("bell: sign flipped", E(erf_prime(u)), -bell, bell, once)
step("bell: no square root", E(erf_prime(u)), erf_prime(t / A**2) / A**2, bell, once)
step(
    "bell: gamma for gamma^2",
    E(erf_prime(u)),
    erf_prime(t / sqrt(1 + 2 * g)) / sqrt(1 + 2 * g),
    bell,
    once,
    refused="rule",
)
step("bell: t for t/A", E(erf_prime(u)), erf_prime(t) / A, bell, once)
squared = 2 / sqrt(pi) * erf_prime(sqrt(2) * t / B) / B
step("bell squared: 2 for sqrt 2", E(erf_prime(u) ** 2), squared.subs(sqrt(2), 2), squared, twice)
step("bell squared: factor 2", E(erf_prime(u) ** 2), squared / 2, squared, twice)
step("bell squared: A for B", E(erf_prime(u) ** 2), bell**2, squared, twice)
step("bell squared: as a product", E(erf_prime(u) ** 2), E(erf_prime(u)) ** 2, None, twice)
wrong_centre = complete_the_square(GaussianLaw({G: 2 * t * g / A**2}, [[1 / A**2]]))
step("bell: about the wrong centre", E(erf_prime(u)), bell, None, wrong_centre, refused="rule")
wrong_width = complete_the_square(GaussianLaw({G: -2 * t * g / A**2}, [[1 / A]]))
step("bell: with the wrong width", E(erf_prime(u)), bell, None, wrong_width, refused="rule")

# -- Lemma 18 used wrongly ---------------------------------------------------------------------

second = lemma("lemma-18-ii", gamma=g)
step("mean of erf: sign", E(erf(u)), -erf(t / A), erf(t / A), second)
step("mean of erf: B for A", E(erf(u)), erf(t / B), erf(t / A), second)
step("mean of erf: t times A", E(erf(u)), erf(t * A), erf(t / A), second)
step(
    "mean of erf: at 2 gamma",
    E(erf(t + 2 * g * G)),
    erf(t / sqrt(1 + 2 * g**2)),
    erf(t / sqrt(1 + 8 * g**2)),
    lemma("lemma-18-ii", gamma=2 * g),
)
step(
    "mean of erf: of the wrong instance",
    E(erf(t + 2 * g * G)),
    erf(t / sqrt(1 + 8 * g**2)),
    None,
    lemma("lemma-18-ii", gamma=4 * g**2),
    refused="rule",
)
product = erf(t / (A * B)) * bell
step(
    "erf times bell: A for A B",
    E(erf(u) * erf_prime(u)),
    erf(t / A) * bell,
    product,
    lemma("lemma-18-v", gamma=g),
)
step(
    "erf times bell: as a product",
    E(erf(u) * erf_prime(u)),
    E(erf(u)) * E(erf_prime(u)),
    None,
    linearity,
)
step(
    "slope: A for A^2",
    E(erf_second(u)),
    erf_second(t / A) / A,
    erf_second(t / A) / A**2,
    lemma("lemma-18-iii", gamma=g),
)
step(
    "second moment: the square of the mean",
    E(erf(u) ** 2),
    E(erf(u)) ** 2,
    None,
    linearity,
)

# -- differentiation under the expectation -----------------------------------------------------

under = differentiate_under_expectation
step("in t: erf stays", D(E(erf(u)), t), E(erf(u)), E(erf_prime(u)), under)
step("in t: sign", D(E(erf(u)), t), -E(erf_prime(u)), E(erf_prime(u)), under)
step("in gamma: no chain factor", D(E(erf(u)), g), E(erf_prime(u)), E(G * erf_prime(u)), under)
step("in gamma: gamma for G", D(E(erf(u)), g), g * E(erf_prime(u)), E(G * erf_prime(u)), under)
step(
    "of a square: no factor 2",
    D(E(erf(u) ** 2), t),
    E(erf(u) * erf_prime(u)),
    2 * E(erf(u) * erf_prime(u)),
    under,
)
step("twice: bell for slope", D(E(erf(u)), t, t), E(erf_prime(u)), E(erf_second(u)), under)
moving = GaussianLaw({X: t}, [[1]])
step(
    "in a parameter of the law",
    D(E(erf(X), moving), t),
    E(erf_prime(X), moving),
    None,
    under,
    refused="rule",
)
step("of a kink", D(E(abs(u)), t), E(D(abs(u), t)), None, under, refused="rule")

# -- Stein's lemma -----------------------------------------------------------------------------

by_parts = stein(G)
step("Stein: the slope is missing", E(G * erf(u)), E(erf_prime(u)), g * E(erf_prime(u)), by_parts)
step("Stein: gamma squared", E(G * erf(u)), g**2 * E(erf_prime(u)), g * E(erf_prime(u)), by_parts)
step("Stein: no derivative", E(G * erf(u)), g * E(erf(u)), g * E(erf_prime(u)), by_parts)
step("Stein: sign", E(G * erf(u)), -g * E(erf_prime(u)), g * E(erf_prime(u)), by_parts)
step(
    "Stein: variance for covariance",
    E(U * erf(W), pair),
    E(erf_prime(W), pair),
    half * E(erf_prime(W), pair),
    stein(U),
)
step(
    "Stein: a term is missing",
    E(U * W * erf(W + t), pair),
    half * E(W * erf_prime(W + t), pair),
    half * E(W * erf_prime(W + t), pair) + half * E(erf(W + t), pair),
    stein(U),
)
step(
    "Stein: the mean is missing",
    E(X * erf(X), shifted),
    v * E(erf_prime(X), shifted),
    v * E(erf_prime(X), shifted) + m * E(erf(X), shifted),
    stein(X),
)
step(
    "Stein: deviation for variance",
    E(X * erf(X), shifted),
    sqrt(v) * E(erf_prime(X), shifted) + m * E(erf(X), shifted),
    v * E(erf_prime(X), shifted) + m * E(erf(X), shifted),
    stein(X),
)
step("Stein: fourth moment", E(G**4), 1, 3, by_parts)
step(
    "Stein: of too large a function",
    E(G * exp(G**2)),
    E(2 * G * exp(G**2)),
    None,
    by_parts,
    refused="rule",
)
step("Stein: of a step", E(G * abs(G)), E(D(abs(G), G)), None, by_parts, refused="rule")
step(
    "Stein: of noise that is not Gaussian",
    E(X**3, NoiseLaw(X, v)),
    0,
    None,
    stein(X),
    refused="both",
)
step(
    "Stein: in another variable",
    E(U * erf(W), pair),
    half * E(erf_prime(W), pair),
    None,
    stein(G),
    refused="rule",
)

# -- symmetry ----------------------------------------------------------------------------------

mirror = symmetry(G)
step("symmetry: of a shifted argument", E(erf(u)), 0, None, mirror)
step("symmetry: of an even function", E(erf(g * G) ** 2), 0, None, mirror)
step("symmetry: G squared", E(G**2 * erf(g * G) ** 2), 0, None, mirror)
step("symmetry: of an odd function", E(erf(g * G)), erf(g), 0, mirror)
step("symmetry: about zero, of a law that is not", E(erf(X), shifted), 0, None, symmetry(X))
step("symmetry: of one of two dependent variables", E(erf(U) * erf(W), pair), 0, None, symmetry(U))
step(
    "symmetry: of one of two independent variables",
    E(erf(G) * erf(H + t), apart),
    erf(t),
    0,
    mirror,
)
step("symmetry: of noise", E(X**3, NoiseLaw(X, v)), 0, None, symmetry(X))
step("symmetry: both of two dependent variables", E(erf(U) * W**2, pair), 1, 0, symmetry(U, W))

# -- independence, conditioning, linearity -----------------------------------------------------

step(
    "independence: of dependent variables",
    E(erf(U) * erf(W), pair),
    E(erf(U), pair) * E(erf(W), pair),
    None,
    independence,
)
step("independence: of a variable and itself", E(erf(u) ** 2), E(erf(u)) ** 2, None, independence)
step(
    "independence: the wrong factor",
    E(erf(t + G) * H**2, apart),
    E(erf(t + G)) * E(H, standard_normal(H)),
    E(erf(t + G)) * E(H**2, standard_normal(H)),
    independence,
)
given_w = GaussianLaw({U: W / 2}, [[Rational(3, 4)]])
too_wide = GaussianLaw({U: W / 2}, [[1]])
off_centre = GaussianLaw({U: W}, [[Rational(3, 4)]])
outer = standard_normal(W)


def nested(law):
    return E(E(erf(t + U) * W, law), outer)


right = nested(given_w)
step(
    "conditioning: variance of the marginal",
    E(erf(t + U) * W, pair),
    nested(too_wide),
    right,
    conditioning(W),
)
step(
    "conditioning: regression slope",
    E(erf(t + U) * W, pair),
    nested(off_centre),
    right,
    conditioning(W),
)
step(
    "conditioning: as if independent",
    E(erf(t + U) * W, pair),
    nested(standard_normal(U)),
    right,
    conditioning(W),
)
step("linearity: of a product", E(erf(u) * G), E(erf(u)) * E(G), None, linearity)
step("linearity: sign", E(erf(u) - G**2), E(erf(u)) + E(G**2), E(erf(u)) - E(G**2), linearity)
step(
    "linearity: a coefficient",
    E(2 * a * erf(u) + b),
    a * E(erf(u)) + b,
    2 * a * E(erf(u)) + b,
    linearity,
)
step(
    "linearity: of what has no mean",
    E(exp(G**2) - exp(G**2) + 0 * G + 1 / G - 1 / G + exp(2 * G**2)),
    E(exp(2 * G**2)) + 0,
    None,
    linearity,
    refused="rule",
)

# -- substitution, density, integrals ----------------------------------------------------------

step(
    "substitution: variance for deviation",
    E(erf(X), shifted),
    E(erf(m + v * G)),
    None,
    substitution({X: m + v * G}, normal),
)
step(
    "substitution: the mean is lost",
    E(erf(X), shifted),
    E(erf(sqrt(v) * G)),
    E(erf(m + sqrt(v) * G)),
    substitution({X: m + sqrt(v) * G}, normal),
)
step(
    "substitution: correlation is lost",
    E(erf(U) * erf(W), pair),
    E(erf(G) * erf(H), apart),
    E(erf(G) * erf(G / 2 + sqrt(3) / 2 * H), apart),
    substitution({U: G, W: G / 2 + sqrt(3) / 2 * H}, apart),
)
x = Symbol("x", real=True)
phi = exp(-(x**2) / 2) / sqrt(2 * pi)


def line(expr):
    return Integral(expr, (x, -oo, oo))


step(
    "density: not normalised",
    E(erf(u)),
    line(erf(t + g * x) * exp(-(x**2) / 2)),
    line(erf(t + g * x) * phi),
    density,
)
step(
    "density: without the half",
    E(erf(u)),
    line(erf(t + g * x) * phi.subs(x, sqrt(2) * x)),
    line(erf(t + g * x) * phi),
    density,
)
scaled = exp(-((x - m) ** 2) / (2 * v)) / sqrt(2 * pi * v)
step(
    "density: Jacobian dropped",
    E(erf(X), shifted),
    line(erf(x) * scaled * sqrt(v)),
    line(erf(x) * scaled),
    density,
)
step(
    "density: mean dropped",
    E(erf(X), shifted),
    line(erf(x) * scaled.subs(m, 0)),
    line(erf(x) * scaled),
    density,
)
degenerate = GaussianLaw({X: 0}, [[c**2]])
step(
    "density: of a law that may be a point",
    E(erf(t + X), degenerate),
    line(erf(t + x) * exp(-(x**2) / (2 * c**2)) / sqrt(2 * pi * c**2)),
    None,
    density,
    refused="rule",
)

part = Integral(2 * x, (x, 0, t))
step(
    "fundamental theorem: lower end dropped",
    Integral(2 * x, (x, 1, t)),
    t**2,
    t**2 - 1,
    fundamental_theorem(x**2, x),
)
step("fundamental theorem: sign", part, -(t**2), t**2, fundamental_theorem(x**2, x))
step(
    "fundamental theorem: wrong antiderivative",
    part,
    2 * t**2,
    None,
    fundamental_theorem(2 * x**2, x),
)
pole = Integral(1 / x**2, (x, -1, 1))
step(
    "fundamental theorem: across a pole",
    pole,
    -2,
    None,
    fundamental_theorem(-1 / x, x),
    refused="both",
)
step(
    "fundamental theorem: of no decay at infinity",
    line(1 / (1 + x**2)),
    0,
    None,
    fundamental_theorem(x / (1 + x**2), x),
    refused="both",
)
step(
    "an integral that diverges",
    line(x**2 + 1),
    line(x**2) + line(1),
    None,
    algebra,
)

# -- zeta, noise, copies -----------------------------------------------------------------------

step(
    "definition: arguments swapped",
    zeta(t, g),
    E(erf(g + t * G) ** 2),
    E(erf(t + g * G) ** 2),
    definition,
)
step("definition: no square", zeta(t, g), E(erf(t + g * G)), E(erf(t + g * G) ** 2), definition)
noise = NoiseLaw(Y, c**2)
step("noise: deviation for variance", E((Y + t) ** 2, noise), t**2 + c, t**2 + c**2, noise_moments)
step("noise: a mean", E(Y + t, noise), t + c, t, noise_moments)
step("noise: a fourth moment, as if normal", E(Y**4, noise), 3 * c**4, None, noise_moments)
joint = ProductLaw(normal, noise)
step(
    "noise: not independent",
    E((erf(u) + Y) ** 2, joint),
    E(erf(u) ** 2) + 2 * c * E(erf(u)) + c**2,
    E(erf(u) ** 2) + c**2,
    noise_moments,
)

one, other = standard_normal(H), standard_normal(W)
copies, more = IIDSum(f(H), one, n), IIDSum(f(H), one, n + 1)
with_w = ProductLaw(normal, other)
step(
    "copies: two more",
    E(more**2),
    E((copies + 2 * f(W)) ** 2, with_w),
    E((copies + f(W)) ** 2, with_w),
    peel_copy,
)
step("copies: none more", E(more**2), E(copies**2), None, peel_copy)
step(
    "copies: of no copy",
    E(copies**2),
    E(IIDSum(f(H), one, n - 1) ** 2),
    None,
    peel_copy,
    refused="rule",
)
step(
    "copies: dependent moments",
    E(IIDSum(f(H), one, 2) ** 2),
    2 * E(f(H) ** 2, one),
    2 * E(f(H) ** 2, one) + 2 * E(f(H), one) ** 2,
    noise_moments,
)

# -- inside ------------------------------------------------------------------------------------

step(
    "inside: a wrong identity",
    E((G + t) ** 2),
    E(G**2 + t**2),
    E(G**2 + 2 * G * t + t**2),
    inside(algebra),
    refused="rule",
)
step(
    "inside: true for positive numbers only",
    E(sqrt(G**2)),
    E(G),
    None,
    inside(algebra),
    refused="both",
)
step("inside: another law", E(G**2), E(X**2, shifted), None, inside(algebra))
step(
    "inside: the derivative of an arbitrary function",
    E(Derivative(f(G), G)),
    E(f(G)),
    None,
    inside(algebra),
)
