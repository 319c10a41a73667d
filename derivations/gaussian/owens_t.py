"""Owen's $T$ function: its derivatives and values."""

from sympy import Eq, Integral, Symbol, atan, erf, exp, pi, sqrt

from slrsym.gaussian import OwensT
from slrsym.proof import (
    Claim,
    D,
    chain,
    definition,
    differentiate,
    equal_by_derivative,
    fundamental_theorem,
    lemma,
)

h = Symbol("h", real=True)
a = Symbol("a", real=True)
x = Symbol("x", real=True)


def integrand(z):
    return exp(-(h**2) * (1 + z**2) / 2) / (1 + z**2) / (2 * pi)


derivative_h = Claim(
    id="owens-t-derivative-h",
    title="The derivative of Owen's $T(h, a)$ in $h$, in closed form",
    statement=Eq(
        D(OwensT(h, a), h),
        -exp(-(h**2) / 2) * erf(a * h / sqrt(2)) / (2 * sqrt(2 * pi)),
        evaluate=False,
    ),
    source="Owen (1956)",
)


@derivative_h.proof
def _(goal):
    """Under the integral the denominator cancels, and a bell is left."""
    bell = -h * exp(-(h**2) * (1 + x**2) / 2) / (2 * pi)
    primitive = -exp(-(h**2) / 2) * erf(h * x / sqrt(2)) / (2 * sqrt(2 * pi))
    return (
        chain(goal.lhs)
        .then(D(Integral(integrand(x), (x, 0, a)), h), by=definition)
        .then(Integral(bell, (x, 0, a)), by=differentiate)
        .then(goal.rhs, by=fundamental_theorem(primitive, x))
    )


derivative_a = Claim(
    id="owens-t-derivative-a",
    title="The derivative of $T(h, a)$ in $a$ is $exp(-(1 + a^2) h^2/2)/(2 pi (1 + a^2))$",
    statement=Eq(
        D(OwensT(h, a), a), exp(-(h**2) * (1 + a**2) / 2) / (2 * pi * (1 + a**2)), evaluate=False
    ),
    source="Owen (1956)",
)


@derivative_a.proof
def _(goal):
    """The integrand at the upper end."""
    return (
        chain(goal.lhs)
        .then(D(Integral(integrand(x), (x, 0, a)), a), by=definition)
        .then(goal.rhs, by=differentiate)
    )


at_zero = Claim(
    id="owens-t-at-zero",
    title="$T(0, a) = atan(a)/(2 pi)$",
    statement=Eq(OwensT(0, a, evaluate=False), atan(a) / (2 * pi), evaluate=False),
    source="Owen (1956)",
)


@at_zero.proof
def _(goal):
    """At $h = 0$ the integrand is the derivative of the arc tangent."""
    return (
        chain(goal.lhs)
        .then(Integral(1 / (1 + x**2) / (2 * pi), (x, 0, a)), by=definition)
        .then(goal.rhs, by=fundamental_theorem(atan(x) / (2 * pi), x))
    )


at_one = Claim(
    id="owens-t-at-one",
    title="$T(h, 1) = (1 - erf(h/sqrt(2))^2)/8$",
    statement=Eq(OwensT(h, 1), (1 - erf(h / sqrt(2)) ** 2) / 8),
    source="Owen (1956)",
)


@at_one.proof
def _(goal):
    """Both sides are 1/8 at $h = 0$ and have the same derivative."""
    return equal_by_derivative(
        goal,
        h,
        at=0,
        value=lemma("owens-t-at-zero", a=1),
        derivative=chain(D(goal.lhs, h))
        .then(
            -exp(-(h**2) / 2) * erf(h / sqrt(2)) / (2 * sqrt(2 * pi)),
            by=lemma("owens-t-derivative-h", a=1),
        )
        .then(D(goal.rhs, h), by=differentiate),
    )
