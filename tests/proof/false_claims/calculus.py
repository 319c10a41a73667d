"""False derivatives and integrals."""

from sympy import (
    Abs,
    Integral,
    Rational,
    Symbol,
    atan,
    cos,
    erf,
    exp,
    log,
    oo,
    pi,
    sin,
    sqrt,
    symbols,
)

from slrsym.gaussian import OwensT, erf_prime, erf_second, zeta
from slrsym.proof import (
    D,
    algebra,
    at,
    definition,
    differentiate,
    fundamental_theorem,
    integral_algebra,
)

from ._entries import Theme, unchecked

theme = Theme()
step = theme.step

x, y, t, g = symbols("x y t g", real=True)
p = Symbol("p", positive=True)
A, B = sqrt(1 + 2 * g**2), sqrt(1 + 4 * g**2)

# -- differentiation ---------------------------------------------------------------------------

step("no chain factor", D(erf(g * t), t), erf_prime(g * t), g * erf_prime(g * t), differentiate)
step(
    "the chain factor squared",
    D(erf(t / A), t),
    erf_prime(t / A) / A**2,
    erf_prime(t / A) / A,
    differentiate,
)
step(
    "in gamma, as if in t",
    D(erf(t / A), g),
    erf_prime(t / A) / A,
    -2 * g * t * erf_prime(t / A) / A**3,
    differentiate,
)
step(
    "product without its second half",
    D(t * erf(t), t),
    erf(t),
    erf(t) + t * erf_prime(t),
    differentiate,
)
step(
    "quotient, sign",
    D(1 / (1 + t**2), t),
    2 * t / (1 + t**2) ** 2,
    -2 * t / (1 + t**2) ** 2,
    differentiate,
)
step("second derivative once", D(erf(t), t, t), erf_prime(t), erf_second(t), differentiate)
step(
    "mixed derivative",
    D(erf(t * g), t, g),
    g * erf_prime(t * g),
    erf_prime(t * g) + t * g * erf_second(t * g),
    differentiate,
)
step("exponential", D(exp(-g * t), t), exp(-g * t), -g * exp(-g * t), differentiate)
step("sine", D(sin(2 * t), t), cos(2 * t), 2 * cos(2 * t), differentiate)
step("arc tangent", D(atan(t / 2), t), 1 / (1 + t**2 / 4), 2 / (4 + t**2), differentiate)
step("at a kink", D(Abs(t), t), t / Abs(t), None, differentiate, checks="rule")
step("at a branch point", D(sqrt(t), t), 1 / (2 * sqrt(t)), None, differentiate, checks="rule")
step("of a positive root", D(sqrt(p), p), 1 / sqrt(p), 1 / (2 * sqrt(p)), differentiate)
step("across a pole", D(1 / t, t), -1 / t**2, None, differentiate, checks="rule")
step(
    "in a variable that is pinned",
    D(t**2, t) + 0 * x,
    D(t, t),
    None,
    algebra,
    given=(t - Rational(1, 2) <= 0, t - Rational(1, 2) >= 0),
    checks="rule",
)
step(
    "zeta in t, A for A B",
    D(zeta(t, g), t),
    2 * erf(t / A) * erf_prime(t / A) / A,
    2 * erf(t / (A * B)) * erf_prime(t / A) / A,
    differentiate,
)
step(
    "zeta in t, factor 2",
    D(zeta(t, g), t),
    erf(t / (A * B)) * erf_prime(t / A) / A,
    2 * erf(t / (A * B)) * erf_prime(t / A) / A,
    differentiate,
)
step(
    "Owen's T in h, sign",
    D(OwensT(t, g), t),
    exp(-(t**2) / 2) * erf(g * t / sqrt(2)) / (2 * sqrt(2 * pi)),
    -exp(-(t**2) / 2) * erf(g * t / sqrt(2)) / (2 * sqrt(2 * pi)),
    differentiate,
)
step(
    "Owen's T in a, exponent",
    D(OwensT(t, g), g),
    exp(-(t**2) * g**2 / 2) / (2 * pi * (1 + g**2)),
    exp(-(t**2) * (1 + g**2) / 2) / (2 * pi * (1 + g**2)),
    differentiate,
)
step("nothing to differentiate", t**2, 2 * t, None, differentiate)
step(
    "off by next to nothing",
    D(erf(t), t),
    erf_prime(t) + Rational(1, 10**20),
    None,
    unchecked,
    checks="numeric",
)
step(
    "under the integral, no factor",
    D(Integral(sin(t * x), (x, 0, 1)), t),
    Integral(cos(t * x), (x, 0, 1)),
    Integral(x * cos(t * x), (x, 0, 1)),
    differentiate,
)
step(
    "of an integral in its upper end",
    D(Integral(exp(-(x**2)), (x, 0, t)), t),
    -2 * t * exp(-(t**2)),
    exp(-(t**2)),
    differentiate,
)
step(
    "of an integral in its lower end",
    D(Integral(exp(-(x**2)), (x, t, 1)), t),
    exp(-(t**2)),
    -exp(-(t**2)),
    differentiate,
)
step(
    "of an integral, a boundary term dropped",
    D(Integral(exp(t * x), (x, 0, t)), t),
    Integral(x * exp(t * x), (x, 0, t)),
    Integral(x * exp(t * x), (x, 0, t)) + exp(t**2),
    differentiate,
)

# -- differentiation at a point ----------------------------------------------------------------

circle = sqrt(1 - x**2)
step("on the circle, at its top", at(D(circle, x), {x: 0}), 1, 0, differentiate)
step(
    "on the circle, on its way down",
    at(D(circle, x), {x: Rational(1, 4)}),
    1 / sqrt(15),
    -1 / sqrt(15),
    differentiate,
)
step("one over x, away from its pole", at(D(1 / x, x), {x: 1}), 1, -1, differentiate)
step("a root, at its end", at(D(circle, x), {x: 1}), 0, None, differentiate, checks="rule")
step("a kink, at its point", at(D(Abs(x), x), {x: 0}), 0, None, differentiate, checks="rule")
for place in (-2, 0, 1, 4):
    for slope in (-1, 0, 1):
        step(
            f"a kink at {place}, with slope {slope}",
            at(D(Abs(x - place), x), {x: place}),
            slope,
            None,
            differentiate,
            checks="rule",
        )
step("a branch, at its point", at(D(sqrt(x), x), {x: 0}), 0, None, differentiate, checks="rule")
step(
    "a pole, at its point",
    at(D(1 / (x - Rational(1, 4)), x), {x: Rational(1, 4)}),
    0,
    None,
    differentiate,
    checks="rule",
)
step(
    "a kink in one of two variables",
    at(D(Abs(x * y), x), {x: 0, y: 1}),
    1,
    None,
    differentiate,
    checks="rule",
)
step(
    "a branch, at a point where its variable is not positive",
    at(D(p * sqrt(p), p), {p: 0}),
    0,
    None,
    differentiate,
    checks="rule",
)
step(
    "a branch, where its variable is positive",
    at(D(sqrt(p), p), {p: 4}),
    4,
    Rational(1, 4),
    differentiate,
)
# The hypothesis speaks of a free x, and the derivative of one that is bound.
step(
    "a kink, and a hypothesis about another x",
    at(D(Abs(x), x), {x: 0}),
    1,
    None,
    differentiate,
    given=(x >= 1,),
    checks="rule",
)
step(
    "a branch, and a hypothesis about another x",
    at(D(x * sqrt(x), x), {x: 0}),
    0,
    None,
    differentiate,
    given=(x > 0,),
    checks="rule",
)
step(
    "a kink at a free symbol, and a hypothesis about the bound one",
    at(D(Abs(x), x), {x: y}),
    1,
    None,
    differentiate,
    given=(x >= 1,),
    checks="rule",
)
step(
    "a kink at a free symbol of the same name, which is anywhere",
    at(D(Abs(x), x), {x: x}),
    1,
    None,
    differentiate,
    checks="rule",
)

# -- the fundamental theorem -------------------------------------------------------------------

cube = Integral(3 * x**2, (x, t, g))
step("ends exchanged", cube, t**3 - g**3, g**3 - t**3, fundamental_theorem(x**3, x))
step("lower end dropped", cube, g**3, g**3 - t**3, fundamental_theorem(x**3, x))
step("antiderivative of another function", cube, g**2 - t**2, None, fundamental_theorem(x**2, x))
step(
    "Jacobian dropped in a substitution",
    Integral(exp(2 * x), (x, 0, t)),
    exp(2 * t) - 1,
    (exp(2 * t) - 1) / 2,
    fundamental_theorem(exp(2 * x) / 2, x),
)
step(
    "a Gaussian to infinity, its start dropped",
    Integral(x * exp(-(x**2)), (x, 0, oo)),
    0,
    Rational(1, 2),
    fundamental_theorem(-exp(-(x**2)) / 2, x),
)
step(
    "a pole between the ends",
    Integral(1 / x**2, (x, -1, 2)),
    -Rational(3, 2),
    None,
    fundamental_theorem(-1 / x, x),
)
step("a pole at an end", Integral(1 / x**2, (x, 0, 1)), -1, None, fundamental_theorem(-1 / x, x))
step(
    "a branch of the logarithm",
    Integral(1 / x, (x, -2, -1)),
    -log(2),
    None,
    fundamental_theorem(log(x), x),
    checks="rule",
)
step(
    "no decay at infinity",
    Integral(exp(-x), (x, -oo, oo)),
    0,
    None,
    fundamental_theorem(-exp(-x), x),
)
step(
    "growth at infinity",
    Integral(2 * x * exp(x**2), (x, 0, oo)),
    -1,
    None,
    fundamental_theorem(exp(x**2), x),
)

# -- algebra of integrals ----------------------------------------------------------------------


wave = cos(x * t)


def piece(low, high, body=wave):
    return Integral(body, (x, low, high))


step("intervals that overlap", piece(0, 1) + piece(0, 2), piece(0, 3), None, integral_algebra)
step("intervals that meet", piece(0, 1) + piece(1, 2), piece(0, 3), piece(0, 2), integral_algebra)
step("an interval reversed", piece(1, 0), piece(0, 1), -piece(0, 1), integral_algebra)
step(
    "an interval with a pole",
    piece(-1, 1, 1 / x**2),
    piece(-1, 0, 1 / x**2) + piece(0, 1, 1 / x**2),
    None,
    integral_algebra,
    checks="rule",
)
step(
    "integrands multiplied",
    piece(0, 1, x * exp(x)),
    piece(0, 1, x) * piece(0, 1, exp(x)),
    None,
    algebra,
)
step("a constant taken in", t * piece(0, 1), piece(0, t), piece(0, 1, t * cos(x * t)), algebra)
step("a variable taken out", piece(0, 1, x * cos(x * t)), x * piece(0, 1), None, algebra)
step(
    "halves that diverge",
    Integral(x + exp(-(x**2)), (x, -oo, oo)),
    Integral(exp(-(x**2)), (x, -oo, oo)),
    None,
    algebra,
)
unit = Integral(exp(-(t**2) * (1 + x**2) / 2) / (1 + x**2), (x, 0, g))
step("definition of Owen's T, 2 pi", OwensT(t, g), unit, unit / (2 * pi), definition)
