"""Gaussian means of a cosine and a sine."""

from sympy import Eq, Function, Lambda, Symbol, cos, exp, sin, symbols

from slrsym.gaussian import Expectation, GaussianLaw
from slrsym.proof import (
    Claim,
    D,
    ForAll,
    algebra,
    chain,
    differentiate,
    differentiate_under_expectation,
    equal_by_derivative,
    gaussian_calculus,
    inside,
    instance,
    lemma,
    linearity,
    stein,
    symmetry,
)

m, t, X = symbols("m t X", real=True)
p = Symbol("p", nonnegative=True)
f = Function("f", real=True)

law = GaussianLaw({X: 0}, [[p]])


def E(integrand):
    return Expectation(integrand, law)


rate = ForAll(t, Eq(D(f(t), t), -t * p * f(t)))
bell = Claim(
    id="rate-of-a-bell",
    title="If $f'(t) = -p t f(t)$ for all $t$, then $f(m) = f(0) exp(-p m^2/2)$",
    statement=Eq(f(m), f(0) * exp(-p * m**2 / 2), evaluate=False),
    hypotheses=[rate],
    source="textbook",
)


@bell.proof
def _(goal):
    """The product $f(m) exp(p m^2/2)$ is constant."""
    growth = exp(p * m**2 / 2)
    supposed = chain(D(f(m), m)).then(-m * p * f(m), by=instance(rate, m))
    slope = (
        chain(D(f(m) * growth, m))
        .then((D(f(m), m) + p * m * f(m)) * growth, by=differentiate)
        .then(D(f(0), m), by=algebra.using(supposed))
    )
    kept = equal_by_derivative(
        Eq(f(m) * growth, f(0), evaluate=False), m, at=0, value=algebra, derivative=slope
    )
    return chain(goal.lhs).then(goal.rhs, by=algebra.using(kept))


on_line = Claim(
    id="mean-of-cosine-on-line",
    title="$E cos(m X) = exp(-p m^2/2)$ for a centred Gaussian $X$ of variance $p$",
    statement=Eq(E(cos(m * X)), exp(-p * m**2 / 2), evaluate=False),
    source="textbook",
)


@on_line.proof
def _(goal):
    """By Stein's lemma, the derivative in $m$ is $-p m$ times the mean."""
    slope = (
        chain(D(E(cos(t * X)), t))
        .then(E(-X * sin(t * X)), by=differentiate_under_expectation)
        .then(-t * p * E(cos(t * X)), by=stein(X))
    )
    falls = lemma("rate-of-a-bell", f=Lambda(t, E(cos(t * X)))).where(slope)
    return (
        chain(goal.lhs)
        .then(E(cos(0 * X)) * goal.rhs, by=falls)
        .then(goal.rhs, by=gaussian_calculus)
    )


odd = chain(E(sin(X))).then(0, by=symmetry(X))

cosine = Claim(
    id="mean-of-cosine",
    title="$E cos(m + X) = exp(-p/2) cos m$ for a centred Gaussian $X$ of variance $p$",
    statement=Eq(E(cos(m + X)), exp(-p / 2) * cos(m), evaluate=False),
    source="textbook",
)


@cosine.proof
def _(goal):
    """By the addition theorem; the sine is odd."""
    return (
        chain(goal.lhs)
        .then(E(cos(m) * cos(X) - sin(m) * sin(X)), by=inside(algebra))
        .then(cos(m) * E(cos(X)) - sin(m) * E(sin(X)), by=linearity)
        .then(cos(m) * E(cos(X)), by=algebra.using(odd))
        .then(goal.rhs, by=lemma("mean-of-cosine-on-line", m=1))
    )


sine = Claim(
    id="mean-of-sine",
    title="$E sin(m + X) = exp(-p/2) sin m$ for a centred Gaussian $X$ of variance $p$",
    statement=Eq(E(sin(m + X)), exp(-p / 2) * sin(m), evaluate=False),
    source="textbook",
)


@sine.proof
def _(goal):
    """By the addition theorem; the sine is odd."""
    return (
        chain(goal.lhs)
        .then(E(sin(m) * cos(X) + cos(m) * sin(X)), by=inside(algebra))
        .then(sin(m) * E(cos(X)) + cos(m) * E(sin(X)), by=linearity)
        .then(sin(m) * E(cos(X)), by=algebra.using(odd))
        .then(goal.rhs, by=lemma("mean-of-cosine-on-line", m=1))
    )
