"""Lemma 16: a bound on the distance of $1/sqrt(1 + x)$ from 1."""

from sympy import Abs, Le, Rational, Symbol, sqrt

from slrsym.proof import Claim, D, algebra, chain, differentiate, lemma, monotone, sign

x = Symbol("x", nonnegative=True)
y = Symbol("y", real=True)


def h(z):
    return 1 - 1 / sqrt(1 + z) - z / 2


one_sided = Claim(
    id="lemma-16-one-sided",
    title="$1 - 1/sqrt(1 + x) - x/2 <= 0$ for $x >= 0$",
    statement=Le(h(x), 0),
    source="Lemma 16, proof",
)


@one_sided.proof
def _(goal):
    """$H$ vanishes at 0 and decreases, since its derivative is negative."""
    slope = (
        chain(D(h(y), y))
        .then(((1 + y) ** Rational(-3, 2) - 1) / 2, by=differentiate)
        .le(0, by=sign)
    )
    return chain(h(x)).le(h(0), by=monotone(h(y), y, start=x, end=0, derivative=slope))


lemma_16 = Claim(
    id="lemma-16",
    title="$|1/sqrt(1 + x) - 1| <= x/2$ for $x >= 0$",
    statement=Le(Abs(1 / sqrt(1 + x) - 1), x / 2, evaluate=False),
    source="Lemma 16",
    compared_to_source="exact",
    explanation=(
        "For $x >= 0$ the number $1/sqrt(1 + x)$ differs from 1 by at most $x/2$. The root is at "
        "least 1, so the absolute value is $1 - 1/sqrt(1 + x)$; this is where $x >= 0$ enters. "
        "The difference of both sides vanishes at $x = 0$. Its derivative in $x$ has one sign, as "
        "$(1 + x)^(-3/2) <= 1$ for $x >= 0$: so the left side grows no faster than the right one, "
        "and never exceeds it."
    ),
)


@lemma_16.proof
def _(goal):
    """$1/sqrt(1+x)$ is at most 1, so the absolute value is the one-sided difference."""
    return (
        chain(goal.lhs)
        .then(1 - 1 / sqrt(1 + x), by=algebra)
        .le(x / 2, by=lemma("lemma-16-one-sided"))
    )
