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

# The formatter would give each argument of an entry its own line.
# fmt: off

# -- differentiation ---------------------------------------------------------------------------

step("no chain factor", D(erf(g * t), t), "=", erf_prime(g * t), differentiate,
     right=g * erf_prime(g * t))
step("the chain factor squared", D(erf(t / A), t), "=", erf_prime(t / A) / A**2, differentiate,
     right=erf_prime(t / A) / A)
step("in gamma, as if in t", D(erf(t / A), g), "=", erf_prime(t / A) / A, differentiate,
     right=-2 * g * t * erf_prime(t / A) / A**3)
step("product without its second half", D(t * erf(t), t), "=", erf(t), differentiate,
     right=erf(t) + t * erf_prime(t))
step("quotient, sign", D(1 / (1 + t**2), t), "=", 2 * t / (1 + t**2) ** 2, differentiate,
     right=-2 * t / (1 + t**2) ** 2)
step("second derivative once", D(erf(t), t, t), "=", erf_prime(t), differentiate,
     right=erf_second(t))
step("mixed derivative", D(erf(t * g), t, g), "=", g * erf_prime(t * g), differentiate,
     right=erf_prime(t * g) + t * g * erf_second(t * g))
step("exponential", D(exp(-g * t), t), "=", exp(-g * t), differentiate, right=-g * exp(-g * t))
step("sine", D(sin(2 * t), t), "=", cos(2 * t), differentiate, right=2 * cos(2 * t))
step("arc tangent", D(atan(t / 2), t), "=", 1 / (1 + t**2 / 4), differentiate, right=2 / (4 + t**2))
step("at a kink", D(Abs(t), t), "=", t / Abs(t), differentiate, checks="rule")
step("at a branch point", D(sqrt(t), t), "=", 1 / (2 * sqrt(t)), differentiate, checks="rule")
step("of a positive root", D(sqrt(p), p), "=", 1 / sqrt(p), differentiate, right=1 / (2 * sqrt(p)))
step("across a pole", D(1 / t, t), "=", -1 / t**2, differentiate, checks="rule")
step("in a variable that is pinned", D(t**2, t) + 0 * x, "=", D(t, t), algebra,
     given=(t - Rational(1, 2) <= 0, t - Rational(1, 2) >= 0), checks="rule")
step("zeta in t, A for A B", D(zeta(t, g), t), "=", 2 * erf(t / A) * erf_prime(t / A) / A,
     differentiate, right=2 * erf(t / (A * B)) * erf_prime(t / A) / A)
step("zeta in t, factor 2", D(zeta(t, g), t), "=", erf(t / (A * B)) * erf_prime(t / A) / A,
     differentiate, right=2 * erf(t / (A * B)) * erf_prime(t / A) / A)
step("Owen's T in h, sign",
     D(OwensT(t, g), t), "=", exp(-(t**2) / 2) * erf(g * t / sqrt(2)) / (2 * sqrt(2 * pi)),
     differentiate, right=-exp(-(t**2) / 2) * erf(g * t / sqrt(2)) / (2 * sqrt(2 * pi)))
step("Owen's T in a, exponent",
     D(OwensT(t, g), g), "=", exp(-(t**2) * g**2 / 2) / (2 * pi * (1 + g**2)), differentiate,
     right=exp(-(t**2) * (1 + g**2) / 2) / (2 * pi * (1 + g**2)))
step("nothing to differentiate", t**2, "=", 2 * t, differentiate)
step("off by next to nothing", D(erf(t), t), "=", erf_prime(t) + Rational(1, 10**20), unchecked,
     checks="numeric")
step("under the integral, no factor",
     D(Integral(sin(t * x), (x, 0, 1)), t), "=", Integral(cos(t * x), (x, 0, 1)), differentiate,
     right=Integral(x * cos(t * x), (x, 0, 1)))
step("of an integral in its upper end",
     D(Integral(exp(-(x**2)), (x, 0, t)), t), "=", -2 * t * exp(-(t**2)), differentiate,
     right=exp(-(t**2)))
step("of an integral in its lower end", D(Integral(exp(-(x**2)), (x, t, 1)), t), "=", exp(-(t**2)),
     differentiate, right=-exp(-(t**2)))
step("of an integral, a boundary term dropped",
     D(Integral(exp(t * x), (x, 0, t)), t), "=", Integral(x * exp(t * x), (x, 0, t)), differentiate,
     right=Integral(x * exp(t * x), (x, 0, t)) + exp(t**2))

# -- differentiation at a point ----------------------------------------------------------------

circle = sqrt(1 - x**2)
step("on the circle, at its top", at(D(circle, x), {x: 0}), "=", 1, differentiate, right=0)
step("on the circle, on its way down", at(D(circle, x), {x: Rational(1, 4)}), "=", 1 / sqrt(15),
     differentiate, right=-1 / sqrt(15))
step("one over x, away from its pole", at(D(1 / x, x), {x: 1}), "=", 1, differentiate, right=-1)
step("a root, at its end", at(D(circle, x), {x: 1}), "=", 0, differentiate, checks="rule")
step("a kink, at its point", at(D(Abs(x), x), {x: 0}), "=", 0, differentiate, checks="rule")
for place in (-2, 0, 1, 4):
    for slope in (-1, 0, 1):
        step(f"a kink at {place}, with slope {slope}",
             at(D(Abs(x - place), x), {x: place}), "=", slope, differentiate, checks="rule")
step("a branch, at its point", at(D(sqrt(x), x), {x: 0}), "=", 0, differentiate, checks="rule")
step("a pole, at its point", at(D(1 / (x - Rational(1, 4)), x), {x: Rational(1, 4)}), "=", 0,
     differentiate, checks="rule")
step("a kink in one of two variables", at(D(Abs(x * y), x), {x: 0, y: 1}), "=", 1, differentiate,
     checks="rule")
step("a branch, at a point where its variable is not positive",
     at(D(p * sqrt(p), p), {p: 0}), "=", 0, differentiate, checks="rule")
step("a branch, where its variable is positive", at(D(sqrt(p), p), {p: 4}), "=", 4, differentiate,
     right=Rational(1, 4))
# The hypothesis speaks of a free x, and the derivative of one that is bound.
step("a kink, and a hypothesis about another x", at(D(Abs(x), x), {x: 0}), "=", 1, differentiate,
     given=(x >= 1,), checks="rule")
step("a branch, and a hypothesis about another x", at(D(x * sqrt(x), x), {x: 0}), "=", 0,
     differentiate, given=(x > 0,), checks="rule")
step("a kink at a free symbol, and a hypothesis about the bound one",
     at(D(Abs(x), x), {x: y}), "=", 1, differentiate, given=(x >= 1,), checks="rule")
step("a kink at a free symbol of the same name, which is anywhere",
     at(D(Abs(x), x), {x: x}), "=", 1, differentiate, checks="rule")

# -- the fundamental theorem -------------------------------------------------------------------

cube = Integral(3 * x**2, (x, t, g))
step("ends exchanged", cube, "=", t**3 - g**3, fundamental_theorem(x**3, x), right=g**3 - t**3)
step("lower end dropped", cube, "=", g**3, fundamental_theorem(x**3, x), right=g**3 - t**3)
step("antiderivative of another function", cube, "=", g**2 - t**2, fundamental_theorem(x**2, x))
step("Jacobian dropped in a substitution", Integral(exp(2 * x), (x, 0, t)), "=", exp(2 * t) - 1,
     fundamental_theorem(exp(2 * x) / 2, x), right=(exp(2 * t) - 1) / 2)
step("a Gaussian to infinity, its start dropped", Integral(x * exp(-(x**2)), (x, 0, oo)), "=", 0,
     fundamental_theorem(-exp(-(x**2)) / 2, x), right=Rational(1, 2))
step("a pole between the ends", Integral(1 / x**2, (x, -1, 2)), "=", -Rational(3, 2),
     fundamental_theorem(-1 / x, x))
step("a pole at an end", Integral(1 / x**2, (x, 0, 1)), "=", -1, fundamental_theorem(-1 / x, x))
step("a branch of the logarithm", Integral(1 / x, (x, -2, -1)), "=", -log(2),
     fundamental_theorem(log(x), x), checks="rule")
step("no decay at infinity", Integral(exp(-x), (x, -oo, oo)), "=", 0,
     fundamental_theorem(-exp(-x), x))
step("growth at infinity", Integral(2 * x * exp(x**2), (x, 0, oo)), "=", -1,
     fundamental_theorem(exp(x**2), x))

# -- algebra of integrals ----------------------------------------------------------------------


wave = cos(x * t)


def piece(low, high, body=wave):
    return Integral(body, (x, low, high))


step("intervals that overlap", piece(0, 1) + piece(0, 2), "=", piece(0, 3), integral_algebra)
step("intervals that meet", piece(0, 1) + piece(1, 2), "=", piece(0, 3), integral_algebra,
     right=piece(0, 2))
step("an interval reversed", piece(1, 0), "=", piece(0, 1), integral_algebra, right=-piece(0, 1))
step("an interval with a pole",
     piece(-1, 1, 1 / x**2), "=", piece(-1, 0, 1 / x**2) + piece(0, 1, 1 / x**2), integral_algebra,
     checks="rule")
step("integrands multiplied", piece(0, 1, x * exp(x)), "=", piece(0, 1, x) * piece(0, 1, exp(x)),
     algebra)
step("a constant taken in", t * piece(0, 1), "=", piece(0, t), algebra,
     right=piece(0, 1, t * cos(x * t)))
step("a variable taken out", piece(0, 1, x * cos(x * t)), "=", x * piece(0, 1), algebra)
step("halves that diverge",
     Integral(x + exp(-(x**2)), (x, -oo, oo)), "=", Integral(exp(-(x**2)), (x, -oo, oo)), algebra)
unit = Integral(exp(-(t**2) * (1 + x**2) / 2) / (1 + x**2), (x, 0, g))
step("definition of Owen's T, 2 pi", OwensT(t, g), "=", unit, definition, right=unit / (2 * pi))
