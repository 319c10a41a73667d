"""False steps by the rules for statements from textbooks, at least five for each rule."""

from sympy import (
    Abs,
    Function,
    Ge,
    Gt,
    Heaviside,
    I,
    Integral,
    Le,
    Limit,
    Lt,
    Max,
    Min,
    Piecewise,
    Rational,
    Sum,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    factorial,
    log,
    oo,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tanh,
)

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    NoiseLaw,
    erf_prime,
    normal_cdf,
    normal_pdf,
    standard_normal,
)
from slrsym.gaussian import zeta as zeta_of
from slrsym.proof import (
    D,
    algebra,
    ball_arithmetic,
    cauchy_schwarz,
    chain,
    differentiate,
    differentiate_under_expectation,
    gaussian_calculus,
    increasing,
    induction,
    inside,
    jensen,
    limits,
    piecewise,
    poincare,
    price,
    stein,
    tangent,
)
from slrsym.proof import sign as signs

from ._entries import Theme, link, says

theme = Theme()
step, holds, wrong = theme.step, theme.holds, theme.wrong

a, b, c, r, t, u, x, y = symbols("a b c r t u x y", real=True)
p, q, s = symbols("p q s", positive=True)
v = Symbol("v", nonnegative=True)
m, n = symbols("m n", integer=True)
N = Symbol("N", integer=True, nonnegative=True)
G, H, U, W = symbols("G H U W", real=True)
f, g = Function("f", real=True), Function("g", real=True)
F = Function("F")
normal = standard_normal(G)
pair = GaussianLaw({U: 0, W: 0}, [[1, r], [r, 1]])
third = GaussianLaw({U: 0, W: 0}, [[1, Rational(1, 3)], [Rational(1, 3), 1]])
correlated = (Gt(r, -1), Lt(r, 1))


def E(of, law=normal):
    return Expectation(of, law)


# The formatter would give each argument of an entry its own line.
# fmt: off

# -- the Gaussian calculus ----------------------------------------------------------------------

step("calculus: |G| by its square", E(Abs(G)), "=", 1, gaussian_calculus, right=sqrt(2 / pi))
step("calculus: a sign is no zero", E(sign(G - 1)), "=", 0, gaussian_calculus,
     right=-erf(1 / sqrt(2)))
step("calculus: ReLU without the bell", E(Max(G + b, 0)), "=", b * normal_cdf(b), gaussian_calculus,
     right=b * normal_cdf(b) + normal_pdf(b))
step("calculus: a mean of |s G| for any sign", E(Abs(a * G)), "=", a * sqrt(2 / pi),
     gaussian_calculus)
step("calculus: Sheppard with the arc cosine",
     E(sign(U) * sign(W), third), "=", 2 / pi * acos(Rational(1, 3)), gaussian_calculus,
     right=2 / pi * asin(Rational(1, 3)))
step("calculus: the larger is not that of independent ones", E(Max(U, W), third), "=", 1 / sqrt(pi),
     gaussian_calculus, right=sqrt(Rational(2, 3) / pi))
step("calculus: the integral diverges from 1/2 on", E(exp(t * G**2)), "=", 1 / sqrt(1 - 2 * t),
     gaussian_calculus, given=(Lt(t, 1),), checks="rule")
step("calculus: the root of the other sign", E(exp(t * G**2)), "=", 1 / sqrt(1 + 2 * t),
     gaussian_calculus, right=1 / sqrt(1 - 2 * t), given=(Lt(t, 0),))
step("calculus: what is undefined cancels",
     E(Abs(G)) + 1 / y - 1 / y, "<=", sqrt(2 / pi) + 1 / sin(x) - 1 / sin(x) + E(G),
     gaussian_calculus, checks="rule")
step("calculus: a degenerate law has no inverse",
     E(sign(U) * Abs(U), GaussianLaw({U: a}, [[v]])) / v, "=", a / v, gaussian_calculus,
     checks="rule")
step("calculus: noise is not Gaussian", E(Abs(x), NoiseLaw(x, 1)), "=", sqrt(2 / pi),
     gaussian_calculus)
step("calculus: a mean that is left open", E(tanh(G) ** 2), "=", Rational(1, 2), gaussian_calculus)
step("calculus: an inequality", E(Abs(G)), ">=", 1, gaussian_calculus)

degenerate = GaussianLaw({U: 0}, [[v]])
step("calculus: a form that may vanish for certain", E(sign(v * G + v)), "=", erf(1 / sqrt(2)),
     gaussian_calculus, checks="rule")
step("calculus: the square of a sign of zero", E(sign(U) ** 2, degenerate), "=", 1,
     gaussian_calculus, checks="rule")
step("calculus: two variables that may be one", E(Heaviside(U - W) ** 2, pair), "=", Rational(1, 2),
     gaussian_calculus, given=(Ge(r, -1), Le(r, 1)), checks="rule")
step("calculus: a case that may hold for certain",
     E(Piecewise((1, v * G + v > 0), (0, True))), "=", normal_cdf(1), gaussian_calculus,
     checks="rule")
step("calculus: a jump on half of the line", E(Heaviside(Max(G, 0)) ** 2), "=", Rational(1, 2),
     gaussian_calculus, checks="rule")
step("calculus: an argument that is undefined",
     E(erf(G / v) ** 2), "=", 2 / pi * asin(2 / (v**2 + 2)), gaussian_calculus, checks="rule")
step("calculus: a jump has no slope", E(G * D(Heaviside(G), G)), "=", 0, gaussian_calculus,
     checks="rule")
step("calculus: a sum that may be empty", E(G**2 * Sum(1, (n, 1, m))), "=", m, gaussian_calculus,
     checks="rule")
holds("calculus: jumps of a form with a density",
      E(Piecewise((1, Abs(G) < s), (0, True))), "=", erf(s / sqrt(2)), gaussian_calculus)
holds("calculus: Sheppard with correlation up to one",
      E(sign(U) * sign(W), pair), "=", 2 / pi * asin(r), gaussian_calculus,
      given=(Ge(r, -1), Le(r, 1)))

# -- Price's theorem ----------------------------------------------------------------------------

bells = E(erf_prime(U) * erf_prime(W), pair)
step("Price: a factor of two", D(E(U**2 * W**2, pair), r), "=", 8 * E(U * W, pair), price,
     right=4 * E(U * W, pair), given=correlated)
step("Price: one derivative alone", D(E(sin(U) * sin(W), pair), r), "=", E(cos(U) * sin(W), pair),
     price, right=E(cos(U) * cos(W), pair), given=correlated)
step("Price: minus", D(E(erf(U) * erf(W), pair), r), "=", -bells, price, checks="rule",
     given=correlated)
step("Price: half of the mixed one", D(E(U * W, pair), r), "=", Rational(1, 2), price, right=1,
     given=correlated)
step("Price: a variance counts half", D(E(G**2, GaussianLaw({G: 0}, [[s]])), s), "=", 2, price,
     right=1)
step("Price: a parameter of the integrand is forgotten", D(E(r * U * W, pair), r), "=", r, price,
     given=correlated)
step("Price: signs are not smooth", D(E(sign(U) * sign(W), pair), r), "=", 0, price, checks="rule",
     given=correlated)
step("Price: the law may be degenerate", D(E(U**2 * W**2, pair), r), "=", 4 * r, price,
     given=(Ge(r, -1), Le(r, 1)), checks="rule")

# -- tangents -----------------------------------------------------------------------------------

step("tangent: above", exp(x), "<=", 1 + x, tangent(exp(u), u, 0, x))
step("tangent: of sin", sin(x), "<=", x, tangent(sin(u), u, 0, x))
step("tangent: a logarithm from below", log(p), ">=", p - 1, tangent(log(q), q, 1, p))
step("tangent: a cube", x**3, ">=", 3 * x - 2, tangent(u**3, u, 1, x))
step("tangent: a function of positive numbers at any number", x**3, ">=", 3 * x - 2,
     tangent(q**3, q, 1, x))
step("tangent: strict", exp(x), ">", 1 + x, tangent(exp(u), u, 0, x), checks="rule")

step("tangent: what is undefined cancels", exp(x) + 1 / y, ">=", 1 + x + 1 / y,
     tangent(exp(u), u, 0, x), checks="rule")

step("tangent: a kink", Abs(x), "<=", x, tangent(-Abs(u), u, 1, x))
holds("tangent of exp", exp(x), ">=", 1 + x, tangent(exp(u), u, 0, x))

# -- increasing functions -----------------------------------------------------------------------

below = link(x, "<=", x**2 + 1, signs)
step("increasing: of a square", x**2, "<=", (x**2 + 1) ** 2 - x, increasing(u**2, u, below),
     checks="rule")

step("increasing: a decreasing one", exp(-x), "<=", exp(-(x**2) - 1), increasing(exp(-u), u, below))
step("increasing: reversed", exp(x), ">=", exp(x**2 + 1), increasing(exp(u), u, below))
step("increasing: the cosine", cos(x), "<=", cos(x**2 + 1), increasing(cos(u), u, below))
step("increasing: of positive numbers at any",
     x**3 / 3 + x**2, "<=", (x**2 + 1) ** 3 / 3 + (x**2 + 1) ** 2 - 10,
     increasing(q**3 / 3 + q**2, q, below))
step("increasing: other sides", exp(x), "<", exp(x), increasing(exp(u), u, below))
step("increasing: over a pole", -1 / (x - 2), "<=", -1 / (x**2 - 1),
     increasing(-1 / u, u, link(x - 2, "<=", x**2 - 1, signs)), checks="rule")
holds("increasing: exp", exp(x), "<=", exp(x**2 + 1), increasing(exp(u), u, below))

# -- Jensen -------------------------------------------------------------------------------------

step("Jensen: the wrong way", E(exp(G)), "<=", exp(E(G)), jensen(exp(x), x))
step("Jensen: concave the wrong way", E(log(1 + G**2)), ">=", log(E(1 + G**2)), jensen(log(p), p))
step("Jensen: neither convex nor concave", E(sin(G + 1)), ">=", sin(E(G + 1)), jensen(sin(x), x))
step("Jensen: a cube", E((G - 1) ** 3), ">=", E(G - 1) ** 3, jensen(x**3, x))
step("Jensen: a cube of positive numbers at any", E((G - 1) ** 3), ">=", E(G - 1) ** 3,
     jensen(p**3, p))
step("Jensen: another law", E(exp(G)), ">=", exp(E(G, GaussianLaw({G: 3}, [[1]]))),
     jensen(exp(x), x))
step("Jensen: another function inside", E(exp(G)), ">=", exp(E(G + 2)), jensen(exp(x), x))
step("Jensen: strict for what is linear", E(2 * G + 1), ">", 2 * E(G) + 1, jensen(2 * x + 1, x))
step("Jensen: no mean", E(exp(G**2)), ">=", exp(E(G**2)), jensen(exp(x), x))
step("Jensen: kinks are not looked into", E(-Abs(G)), ">=", -Abs(E(G)), jensen(-Abs(x), x))
step("Jensen: a variable of the law stands freely",
     E(G**2 * (G + 1) ** 2), ">=", G**2 * E(G + 1) ** 2, jensen(G**2 * x**2, x), checks="rule")
holds("Jensen", E(exp(G)), ">=", exp(E(G)), jensen(exp(x), x))

# -- Cauchy-Schwarz -----------------------------------------------------------------------------

schwarz = cauchy_schwarz(G, G + 1)
step("Schwarz: reversed", E(G * (G + 1)) ** 2, ">=", E(G**2) * E((G + 1) ** 2), schwarz)
step("Schwarz: without the square", E(G * (G + 3)), "<=", E(G**2) / 2, cauchy_schwarz(G, G + 3))
step("Schwarz: half of it", E(G * (G + 1)) ** 2, "<=", E(G**2) * E((G + 1) ** 2) / 3, schwarz)
step("Schwarz: strict", E(G**2) ** 2, "<", E(G**2) * E(G**2), cauchy_schwarz(G, G))
step("Schwarz: two laws",
     E(G**2) ** 2, "<=", E(G**2) * E(G**2, GaussianLaw({G: 0}, [[Rational(1, 2)]])),
     cauchy_schwarz(G, G))
step("Schwarz: one factor", E(G * (G + 1)) ** 2, "<=", E(G**2), schwarz, checks="rule")
step("Schwarz: minus a root", E(G * (G + 1)), "<=", -sqrt(E(G**2)) * sqrt(E((G + 1) ** 2)), schwarz)
step("Schwarz: no mean", E(exp(G**2) * G) ** 2, "<=", E(exp(2 * G**2)) * E(G**2),
     cauchy_schwarz(exp(G**2), G))
holds("Schwarz", E(f(G) * g(G)) ** 2, "<=", E(f(G) ** 2) * E(g(G) ** 2), cauchy_schwarz(f(G), g(G)))

tilted = G + G**2 / 10**30
step("Schwarz: an imaginary factor", -(E(G * tilted) ** 2), "<=", -E(G**2) * E(tilted**2),
     cauchy_schwarz(I * G, tilted), checks="rule")
step("Schwarz: a function that may be complex", E(F(G)) ** 2, "<=", E(F(G) ** 2),
     cauchy_schwarz(F(G), 1), checks="rule")

# -- Poincare -----------------------------------------------------------------------------------

step("Poincare: reversed", E(G**4) - E(G**2) ** 2, ">=", E(4 * G**2), poincare(G**2))
step("Poincare: half of it", E(G**4) - E(G**2) ** 2, "<=", E(2 * G**2) / 2, poincare(G**2))
step("Poincare: not centred", E((G + 1) ** 2), "<=", E(G**2), poincare(G + 1))
step("Poincare: the variance is forgotten",
     E(4 * G**2, GaussianLaw({G: 0}, [[4]])) - E(2 * G, GaussianLaw({G: 0}, [[4]])) ** 2, "<=", 4,
     poincare(2 * G))
step("Poincare: a jump", E(sign(G) ** 2) - E(sign(G)) ** 2, "<=", 0, poincare(sign(G)))
step("Poincare: strict", E(G**2) - E(G) ** 2, "<", E(G**2), poincare(G))
step("Poincare: the slope, not its square", E(exp(2 * G)) - E(exp(G)) ** 2, "<=", E(exp(G)),
     poincare(exp(G)))
holds("Poincare", E(G**4) - E(G**2) ** 2, "<=", E(4 * G**2), poincare(G**2))

step("Poincare: an imaginary function",
     E(tilted) ** 2 - E(tilted**2), "<=", -E((1 + 2 * G / 10**30) ** 2), poincare(I * tilted),
     checks="rule")

# -- piece by piece -----------------------------------------------------------------------------

step("pieces: the larger below one of two", Max(x, y), "<=", x, piecewise(signs))
step("pieces: a sign is at most itself", sign(x), "<=", x, piecewise(signs))
step("pieces: strict at zero", Abs(x), "<", x**2, piecewise(signs))
step("pieces: bars off", Abs(x), "=", x, piecewise(algebra))
step("pieces: Heaviside at zero", Heaviside(x) ** 2, "=", Heaviside(x), piecewise(algebra),
     checks="rule")
step("pieces: a step below a line", Heaviside(x), "<=", 2 * x, piecewise(signs))
step("pieces: the smaller", Min(x, y), "=", (x + y) / 2 - Abs(x - y), piecewise(algebra))
step("pieces: the last case", Piecewise((x, x > 0), (-2 * x, True)), "=", Abs(x),
     piecewise(algebra))
step("pieces: zero times what is undefined", Heaviside(x) * Heaviside(-1 - x) / y, "<=", 0,
     piecewise(signs), checks="rule")
step("pieces: inside a mean", E(Abs(G)), "<=", E(G), inside(piecewise(signs)))
step("pieces: a slope at a jump", D(x + Heaviside(x - pi), x), "=", 1, piecewise(differentiate),
     checks="rule")
step("pieces: a slope at a kink", D(x * sign(x), x), "=", sign(x), piecewise(differentiate),
     checks="rule")
step("pieces: a limit is of another variable", Limit(sign(x), x, 0), "=", sign(x),
     piecewise(limits))
holds("pieces", Heaviside(x), "<=", exp(x), piecewise(signs))
holds("pieces of a known sign", sign(x), "=", 1, piecewise(algebra), given=(Gt(x, 0),))

# -- limits -------------------------------------------------------------------------------------

step("limit: erf far out", Limit(erf(t), t, oo), "=", 0, limits, right=1)
step("limit: the other end", Limit(erf(t), t, -oo), "=", 1, limits, right=-1)
step("limit: of a quotient", Limit((2 * t**2 + 1) / (3 * t**2 - t), t, oo), "=", 2, limits,
     right=Rational(2, 3))
step("limit: of a wave", Limit(sin(t), t, oo), "=", 0, limits)
step("limit: what cancels", Limit(sqrt(t**2 + t) - t, t, oo), "=", 0, limits)
step("limit: tails of two kinds", Limit(erfc(t) / erfc(2 * t), t, oo), "=", 1, limits)
step("limit: from two sides", Limit(Abs(t) / t, t, 0, "+-"), "=", 1, limits)
step("limit: sin at zero", Limit(sin(3 * t) / t, t, 0), "=", 1, limits, right=3)
step("limit: exp at zero", Limit((exp(2 * t) - 1) / t, t, 0), "=", 1, limits, right=2)
step("limit: an unknown sign", Limit(erf(a * t), t, oo), "=", 1, limits, checks="rule")
step("limit: of a mean with an unknown one", Limit(zeta_of(a * t, s), t, oo), "=", 1, limits,
     checks="rule")
step("limit: of zeta", Limit(zeta_of(t, s), t, oo), "=", 0, limits, right=1)
step("limit: to infinity", Limit(t / (1 + erf(t)), t, oo), "=", 0, limits)
step("limit: atan", Limit(atan(t), t, oo), "=", 1, limits, right=pi / 2)

step("limit: zero times a mean that may not exist",
     Limit(E(exp(s * G**2 / 10**30)) / t, t, oo), "=", 0, limits, checks="rule")
step("limit: zero times an integral that diverges",
     Limit(Integral(exp(s * x**2), (x, -oo, oo)) / t, t, oo), "=", 0, limits, checks="rule")

# -- ball arithmetic ----------------------------------------------------------------------------

step("balls: too small", E(tanh(G) ** 2), "<=", Rational(39, 100), ball_arithmetic,
     right=Rational(4, 10))
step("balls: reversed", E(tanh(G) ** 2), ">=", Rational(4, 10), ball_arithmetic)
step("balls: a third digit", E(log(1 + G**2)), "<", Rational(533, 1000), ball_arithmetic,
     right=Rational(535, 1000))
step("balls: far tails count", E(exp(4 * G)), "<=", 2980, ball_arithmetic, right=2981)
step("balls: no mean", E(exp(G**2)), "<=", 10**9, ball_arithmetic)
step("balls: a pole", E(1 / G), "<=", 1, ball_arithmetic)
step("balls: a root that is not real", E(sqrt(G)), "<=", 1, ball_arithmetic, checks="rule")
step("balls: a parameter", E(tanh(a * G) ** 2), "<=", Rational(4, 10), ball_arithmetic,
     checks="rule")
step("balls: equality", E(tanh(G) ** 2), "=", Rational(394294, 1000000), ball_arithmetic)
step("balls: strict at the same number", pi, "<", pi, ball_arithmetic)

# -- induction ----------------------------------------------------------------------------------


def inductive(lhs, symbol, rhs, steps, name, label, **options):
    """An inequality for all N, by the sign at 0 and these steps."""
    goal = says(lhs, symbol, rhs)
    proof = induction(goal, N, base=signs, step=steps)
    wrong(name, goal, proof, step=label, **options)


inductive(2**N, ">=", N + 2,
          lambda h: chain(2 ** (N + 1)).ge(2 * (N + 2), by=h.scaled(2)).ge(N + 3, by=signs),
          "induction: no base", "base.1")
inductive(2**N, ">=", N**2,
          lambda h: chain(2 ** (N + 1)).ge(2 * N**2, by=h.scaled(2)).ge((N + 1) ** 2, by=signs),
          "induction: the step fails at 1", "step.2")
inductive(N**2, ">=", N * 3, lambda h: chain((N + 1) ** 2).ge(3 * N + 3, by=h),
          "induction: another inequality", "step.1")
inductive(N, ">=", 0, lambda h: chain(N + 1).ge(2, by=h.scaled(1)),
          "induction: the hypothesis shifted", "step.1", checks="rule")

inductive(1 - N, "<=", 1, lambda h: chain(-N).le(-1, by=h.scaled(-1)),
          "induction: times a negative number", "step.1", checks="rule")
inductive(N, "<=", 2 * N, lambda h: chain(N + 1).ge(2 * N + 2, by=h), "induction: reversed",
          "step.1")

# -- what is undefined, and drops out -----------------------------------------------------------

undefined = erf(1 / v)
step("slopes: of what is undefined", D(x + undefined, x), "=", 1, differentiate, checks="rule")
step("slopes: of a mean and what is undefined", D(E(x * G**2 + undefined), x), "=", E(G**2),
     differentiate_under_expectation, checks="rule")
step("Price: of what is undefined", D(E(U * W + undefined, pair), r), "=", 1, price, checks="rule",
     given=correlated)
step("Stein: zero times what is undefined", E(G * undefined), "=", 0, stein(G), checks="rule")

# -- integers, slopes, powers -------------------------------------------------------------------

half = Rational(1, 2)
step("integers: of reals", (x - half) ** 2, ">=", Rational(1, 4), signs)
step("integers: strict", (n - half) ** 2, ">", Rational(1, 4), signs)
step("integers: a larger bound", (n - half) ** 2, ">=", Rational(1, 3), signs)
step("integers: between 1 and 3", (n - 1) * (n - 3), ">=", 0, signs, checks="rule")

step("integers: a third", (n - Rational(1, 3)) ** 2, ">=", Rational(1, 4), signs,
     right=Rational(1, 9), checks="rule")

step("integers: a cube", n**3 - n, ">=", 0, signs)
step("integers: two of them", (n - N) * (n - N - 1) - n, ">=", 0, signs)

step("slope: log of any number", D(log(x), x), "=", 1 / x, differentiate, checks="rule")
step("slope: log of a square", D(log(p**2), p), "=", 1 / p**2, differentiate, right=2 / p)
step("slope: log up to the end", D(log(x), x), "=", 1 / x, differentiate, given=(Ge(x, 0),),
     checks="rule")
step("slope: bars at zero", D(Abs(x), x), "=", sign(x), differentiate, checks="rule")
step("slope: powers of two", D(2**x, x), "=", x * 2 ** (x - 1), differentiate, right=log(2) * 2**x)
step("slope: cosh", D(cosh(x), x), "=", -cosh(x), differentiate)

step("powers: Stein for an even power", E(G ** (2 * N + 2)), "=", 2 * N * E(G ** (2 * N)), stein(G),
     right=(2 * N + 1) * E(G ** (2 * N)))
step("powers: Stein for any integer", E(G ** (n + 2)), "=", (n + 1) * E(G**n), stein(G),
     checks="rule")
step("powers: factorials", factorial(N + 1), "=", N * factorial(N), algebra,
     right=(N + 1) * factorial(N))
step("powers: factorials of any integer", factorial(n + 1), "=", (n + 1) * factorial(n), algebra,
     checks="rule")
step("powers: of two", 2 ** (N + 2), "=", 2 * 2**N, algebra, right=4 * 2**N)
step("powers: of a negative number", (-2) ** (N + 1), "=", 2 * (-2) ** N, algebra)

step("kinks: Stein does not see them", E(G * Abs(G)), "=", E(Abs(G)), stein(G))
step("kinks: Stein and a jump", E(G * sign(G)), "=", 0, stein(G))
step("kinks: the smaller in algebra", Min(x, y), "=", (x + y + Abs(x - y)) / 2, algebra,
     right=(x + y - Abs(x - y)) / 2)
step("kinks: Heaviside in algebra", Heaviside(x), "=", 1 + sign(x), algebra)
