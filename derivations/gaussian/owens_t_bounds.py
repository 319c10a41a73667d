"""Bounds of Owen's $T$ function by a Gaussian factor, and of the tail of $erf$ from below."""

from sympy import Ge, Le, S, Symbol, atan, erf, exp, pi, sqrt

from slrsym.gaussian import OwensT
from slrsym.proof import Claim, D, algebra, chain, differentiate, lemma, monotone, sign

y, z = Symbol("y", real=True), Symbol("z", real=True)
x = Symbol("x", nonnegative=True)
# Where the integral of Owen's T ends.
c = Symbol("c", nonnegative=True)


def owen(y, c):
    return 8 * OwensT(sqrt(2) * y, c)


def bell(y, c):
    return exp(-(1 + c**2) * y**2)


lower = Claim(
    id="owens-t-lower-bound",
    title="$8 T(sqrt(2) y, c) >= (4/pi) atan(c) exp(-(1 + c^2) y^2)$ for $c >= 0$",
    statement=Ge(owen(y, c) - 4 / pi * atan(c) * bell(y, c), 0),
    source="new",
)


@lower.proof
def _(goal):
    """Both terms vanish at $c = 0$, and their difference grows with $c$."""

    def gap(w):
        return owen(y, w) - 4 / pi * atan(w) * bell(y, w)

    slope = (
        chain(D(gap(z), z))
        .then(8 / pi * y**2 * z * atan(z) * bell(y, z), by=differentiate)
        .ge(0, by=sign)
    )
    return chain(gap(c)).ge(gap(0), by=monotone(gap(z), z, start=c, end=0, derivative=slope))


increasing_in_end = Claim(
    id="owens-t-increasing",
    title="$T(h, c) <= T(h, 1)$ for $0 <= c <= 1$",
    statement=Le(owen(y, c), owen(y, 1)),
    source="Owen (1956); $h = sqrt(2) y$",
    hypotheses=[Le(c, 1)],
)


@increasing_in_end.proof
def _(goal):
    """The integrand is positive."""
    slope = (
        chain(D(owen(y, z), z))
        .then(4 / pi * bell(y, z) / (1 + z**2), by=differentiate)
        .ge(0, by=sign)
    )
    return chain(goal.lhs).le(
        goal.rhs, by=monotone(owen(y, z), z, start=c, end=1, derivative=slope)
    )


quarter = Claim(
    id="arctangent-at-most-quarter",
    title="$(4/pi) atan(y) <= 1$ for $y <= 1$",
    statement=Le(4 / pi * atan(y), 1),
    source="school",
    hypotheses=[Le(y, 1)],
)


@quarter.proof
def _(goal):
    """The arc tangent is increasing, and $pi/4$ at 1."""
    rising = 4 / pi * atan(z)
    slope = chain(D(rising, z)).then(4 / pi / (1 + z**2), by=differentiate).ge(0, by=sign)
    return (
        chain(goal.lhs)
        .le(
            4 / pi * atan(1, evaluate=False),
            by=monotone(rising, z, start=y, end=1, derivative=slope),
        )
        .then(1, by=algebra)
    )


upper = Claim(
    id="owens-t-upper-bound",
    title=(
        "An upper bound on $8 T(sqrt(2) y, 1) - 8 T(sqrt(2) y, c)$ for $0 <= c <= "
        "1$, in terms of $atan(c)$"
    ),
    statement=Le(owen(y, 1) - owen(y, c) - (1 - 4 / pi * atan(c)) * bell(y, c), 0),
    source="new",
    hypotheses=[Le(c, 1)],
)


@upper.proof
def _(goal):
    """Both terms vanish at $c = 1$, and their difference grows with $c$."""

    def gap(w):
        return owen(y, 1) - owen(y, w) - (1 - 4 / pi * atan(w)) * bell(y, w)

    slope = (
        chain(D(gap(z), z))
        .then(2 * y**2 * z * (1 - 4 / pi * atan(z)) * bell(y, z), by=differentiate)
        .ge(0, by=lemma("arctangent-at-most-quarter", y=z).scaled(2 * y**2 * z * bell(y, z)))
    )
    return chain(gap(c)).le(gap(1), by=monotone(gap(z), z, start=c, end=1, derivative=slope))


tail = Claim(
    id="erf-tail-below",
    title="$1 - erf(y)^2 >= (4/pi) atan(c) exp(-(1 + c^2) y^2)$ for $0 <= c <= 1$",
    statement=Ge(1 - erf(y) ** 2, 4 / pi * atan(c) * bell(y, c)),
    source="new",
    hypotheses=[Le(c, 1)],
)


@tail.proof
def _(goal):
    """The left side is $8 T(sqrt(2) y, 1)$, which is at least $8 T(sqrt(2) y, c)$."""
    return (
        chain(goal.lhs)
        .then(owen(y, 1), by=lemma("owens-t-at-one", h=sqrt(2) * y))
        .ge(owen(y, c), by=lemma("owens-t-increasing"))
        .ge(goal.rhs, by=lemma("owens-t-lower-bound"))
    )


complement = Claim(
    id="erfc-below",
    title="$1 - erf(x) >= (2/pi) atan(c) exp(-(1 + c^2) x^2)$ for $x >= 0$, $0 <= c <= 1$",
    statement=Ge(1 - erf(x), 2 / pi * atan(c) * bell(x, c)),
    source="new",
    hypotheses=[Le(c, 1)],
)


@complement.proof
def _(goal):
    """$1 - erf(x)^2$ has the factor $1 + erf(x)$, which is at most 2."""
    return (
        chain(goal.lhs)
        .ge((1 - erf(x) ** 2) / 2, by=sign)
        .ge(goal.rhs, by=lemma("erf-tail-below", y=x).scaled(S.Half))
    )
