"""Lemma 17: the error function, its derivatives, and a linear bound."""

from sympy import Abs, And, Eq, Ge, Gt, Le, Lt, Symbol, erf, exp, pi, sqrt

from slrsym.gaussian import erf_prime, erf_second
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    at,
    cases,
    chain,
    differentiate,
    lemma,
    monotone,
    sign,
)

x, y = Symbol("x", real=True), Symbol("y", real=True)
p = Symbol("p", nonnegative=True)


first = Claim(
    id="lemma-17-i",
    title="$erf'(x) = (2/sqrt(pi)) exp(-x^2)$",
    statement=Eq(D(erf(x), x), 2 / sqrt(pi) * exp(-(x**2)), evaluate=False),
    source="Lemma 17",
    compared_to_source="exact",
    explanation=(
        "The derivative of $erf$ is $(2/sqrt(pi)) exp(-x^2)$. The error function is defined as "
        "the integral of this function from 0 to $x$, and the integrand is continuous, so the "
        "fundamental theorem of calculus applies. Nothing is supposed of $x$ but that it is real."
    ),
)


@first.proof
def _(goal):
    """By the definition of $erf$ as an integral."""
    return chain(goal.lhs).then(erf_prime(x), by=differentiate).then(goal.rhs, by=algebra)


second = Claim(
    id="lemma-17-ii",
    title="$erf''(x) = -2 x erf'(x)$",
    statement=Eq(D(erf_prime(x), x), -2 * x * erf_prime(x), evaluate=False),
    source="Lemma 17",
    compared_to_source="exact",
    explanation=(
        "The second derivative of $erf$ is $-2 x$ times the first one. By (i) the first "
        "derivative is a multiple of $exp(-x^2)$, and the chain rule gives the factor $-2 x$. "
        "Nothing is supposed of $x$ but that it is real."
    ),
)


@second.proof
def _(goal):
    """Differentiate $exp(-x^2)$."""
    return chain(goal.lhs).then(erf_second(x), by=differentiate).then(goal.rhs, by=algebra)


def gap(z):
    return 2 * z / sqrt(pi) - erf(z)


positive_side = Claim(
    id="lemma-17-iii-positive",
    title="$erf(x) <= 2x/sqrt(pi)$ for $x >= 0$",
    statement=Ge(gap(p), 0),
    source="Lemma 17, proof",
)


@positive_side.proof
def _(goal):
    """The gap vanishes at 0, and its derivative is $2/sqrt(pi) (1 - exp(-x^2)) >= 0$."""
    slope = (
        chain(D(gap(y), y)).then(2 / sqrt(pi) * (1 - exp(-(y**2))), by=differentiate).ge(0, by=sign)
    )
    return chain(gap(p)).ge(gap(0), by=monotone(gap(y), y, start=p, end=0, derivative=slope))


third = Claim(
    id="lemma-17-iii",
    title="$|erf(x)| <= 2|x|/sqrt(pi)$",
    statement=Le(Abs(erf(x)), 2 * Abs(x) / sqrt(pi)),
    source="Lemma 17",
    compared_to_source="exact",
    explanation=(
        "For every real $x$, $|erf(x)|$ is at most $2 |x|/sqrt(pi)$. Both sides are even, as "
        "$erf$ is odd, so it is enough to look at $x >= 0$. There both sides vanish at 0, and the "
        "right side grows at least as fast: by (i) the derivative of the left side is "
        "$(2/sqrt(pi)) exp(-x^2)$, which is at most $2/sqrt(pi)$."
    ),
)


@third.proof
def _(goal):
    """By oddness it is enough to look at $x >= 0$."""
    right = (
        chain(goal.lhs)
        .then(erf(x), by=algebra)
        .le(2 * x / sqrt(pi), by=lemma("lemma-17-iii-positive", p=x))
        .then(goal.rhs, by=algebra)
    )
    left = (
        chain(goal.lhs)
        .then(erf(-x), by=algebra)
        .le(2 * (-x) / sqrt(pi), by=lemma("lemma-17-iii-positive", p=-x))
        .then(goal.rhs, by=algebra)
    )
    return cases(goal, (Ge(x, 0), right), (Le(x, 0), left))


# -- what Section 2 says of erf ----------------------------------------------------------------

squashing = Claim(
    id="erf-increasing",
    title="$erf$ is increasing, lies between $-1$ and 1, and vanishes at 0",
    statement=And(
        Gt(D(erf(x), x), 0, evaluate=False),
        Eq(at(erf(x), {x: 0}), 0, evaluate=False),
        Lt(erf(x), 1, evaluate=False),
        Gt(erf(x), -1, evaluate=False),
        evaluate=False,
    ),
    source="Section 3, step 3",
    compared_to_source="exact",
)


@squashing.proof
def _(goal):
    """Its derivative is positive."""
    return all_of(
        chain(D(erf(x), x)).then(erf_prime(x), by=differentiate).gt(0, by=sign),
        chain(at(erf(x), {x: 0})).then(0, by=algebra),
        chain(erf(x)).lt(1, by=sign),
        chain(erf(x)).gt(-1, by=sign),
    )
