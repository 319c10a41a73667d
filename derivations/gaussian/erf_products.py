"""The mean of $erf(u) erf(w)$ for correlated Gaussians."""

from sympy import Eq, Gt, Le, Lt, Symbol, asin, atan, erf, exp, pi, sign, sqrt

from slrsym.gaussian import Expectation, GaussianLaw, OwensT, erf_prime
from slrsym.proof import (
    Claim,
    D,
    algebra,
    cases,
    chain,
    conditioning,
    differentiate,
    differentiate_under_expectation,
    equal_by_derivative,
    gaussian_calculus,
    having,
    inside,
    lemma,
    linearity,
    piecewise,
    signs,
    substitution,
)

m = Symbol("m", real=True, nonzero=True)
n = Symbol("n", real=True, nonzero=True)
mu = Symbol("mu", real=True)
tau = Symbol("tau", real=True)
p = Symbol("p", positive=True)
q = Symbol("q", positive=True)
c = Symbol("c", real=True)
r = Symbol("r", positive=True)
x = Symbol("x", real=True)
y = Symbol("y", real=True)
X = Symbol("X", real=True)
Y = Symbol("Y", real=True)
U = Symbol("U", real=True)
V = Symbol("V", real=True)
P = 1 + 2 * p
Q = 1 + 2 * q
R = sqrt(P * Q - 4 * c**2)
h, k = sqrt(2) * m / sqrt(P), sqrt(2) * n / sqrt(Q)
slopes = (n * P - 2 * c * m) / (m * R), (m * Q - 2 * c * n) / (n * R)
pair = GaussianLaw({X: 0, Y: 0}, [[p, c], [c, q]])
# The entries are those of a covariance matrix.
possible = Le(c**2, p * q)


def E(f):
    return Expectation(f, pair)


reciprocals = Claim(
    id="arctangents-of-reciprocals",
    title="$atan(r) + atan(1/r) = pi/2$ for $r > 0$",
    statement=Eq(atan(r) + atan(1 / r), pi / 2, evaluate=False),
    source="textbook",
)


@reciprocals.proof
def _(goal):
    """Both sides are $pi/2$ at $r = 1$, and the two derivatives cancel."""
    slope = chain(D(goal.lhs, r)).then(D(goal.rhs, r), by=differentiate)
    return equal_by_derivative(goal, r, at=1, value=algebra, derivative=slope)


three = Claim(
    id="three-arctangents",
    title=(
        "$atan(r n w/m - y)$, $atan(m w/(n r) - y)$ and $atan(y)$ add up to $pi/2$ if $m n > 0$, "
        "else to $-pi/2$, for $r > 0$, $m, n != 0$ and $w = sqrt(1 + y^2)$"
    ),
    statement=Eq(
        atan(r * n / m * sqrt(1 + y**2) - y) + atan(m / n / r * sqrt(1 + y**2) - y) + atan(y),
        sign(m) * sign(n) * pi / 2,
        evaluate=False,
    ),
    source="new",
)


@three.proof
def _(goal):
    """At $y = 0$ the first two are of reciprocals; the three derivatives in $y$ cancel."""
    start = Eq(*(side.subs(y, 0) for side in goal.args), evaluate=False)

    def of_signs(i, j):
        return (
            chain(start.lhs)
            .then(i * j * pi / 2, by=lemma("arctangents-of-reciprocals", r=i * j * r * n / m))
            .then(start.rhs, by=piecewise(algebra))
        )

    def by_sign_of(number, proof):
        return cases(start, (Gt(number, 0), proof(1)), (Lt(number, 0), proof(-1)))

    return equal_by_derivative(
        goal,
        y,
        at=0,
        value=by_sign_of(m, lambda i: by_sign_of(n, lambda j: of_signs(i, j))),
        derivative=chain(D(goal.lhs, y)).then(D(goal.rhs, y), by=differentiate),
    )


arcsine = Claim(
    id="arcsine-by-arctangent",
    title="$asin(y/sqrt(1 + y^2)) = atan(y)$",
    statement=Eq(asin(y / sqrt(1 + y**2)), atan(y), evaluate=False),
    source="textbook",
)


@arcsine.proof
def _(goal):
    """Both sides vanish at $y = 0$ and have the same derivative."""
    slope = chain(D(goal.lhs, y)).then(D(goal.rhs, y), by=differentiate)
    return equal_by_derivative(goal, y, at=0, value=algebra, derivative=slope)


bell = Claim(
    id="gaussian-factor-and-erf",
    title=(
        "$E exp(-(mu + X)^2) erf(tau + Y)$ for correlated, centred Gaussian $X$, $Y$, in "
        "closed form"
    ),
    statement=Eq(
        E(exp(-((mu + X) ** 2)) * erf(tau + Y)),
        exp(-(mu**2) / P) / sqrt(P) * erf((tau * P - 2 * c * mu) / (sqrt(P) * R)),
        evaluate=False,
    ),
    hypotheses=[possible],
    source="new",
)


@bell.proof
def _(goal):
    """Given $X$, the variable $Y$ is Gaussian; then $X$ alone is left."""
    of_x = GaussianLaw({X: 0}, [[p]])
    given_x = GaussianLaw({Y: c * X / p}, [[q - c**2 / p]])
    factor = exp(-((mu + X) ** 2))
    closed = factor * erf((tau + c * X / p) / sqrt(1 + 2 * (q - c**2 / p)))
    return (
        chain(goal.lhs)
        .then(Expectation(Expectation(factor * erf(tau + Y), given_x), of_x), by=conditioning(X))
        .then(Expectation(closed, of_x), by=inside(gaussian_calculus))
        .then(goal.rhs, by=gaussian_calculus)
    )


bells = Claim(
    id="two-gaussian-factors",
    title=(
        "$E exp(-(mu + X)^2 - (tau + Y)^2)$ for correlated, centred Gaussian $X$, $Y$, in "
        "closed form"
    ),
    statement=Eq(
        E(exp(-((mu + X) ** 2) - (tau + Y) ** 2)),
        exp(-(Q * mu**2 - 4 * c * mu * tau + P * tau**2) / R**2) / R,
        evaluate=False,
    ),
    hypotheses=[possible],
    source="textbook",
)


@bells.proof
def _(goal):
    """As before."""
    of_x = GaussianLaw({X: 0}, [[p]])
    given_x = GaussianLaw({Y: c * X / p}, [[q - c**2 / p]])
    variance = 1 + 2 * (q - c**2 / p)
    both = exp(-((mu + X) ** 2) - (tau + Y) ** 2)
    closed = exp(-((mu + X) ** 2) - (tau + c * X / p) ** 2 / variance) / sqrt(variance)
    return (
        chain(goal.lhs)
        .then(Expectation(Expectation(both, given_x), of_x), by=conditioning(X))
        .then(Expectation(closed, of_x), by=inside(gaussian_calculus))
        .then(goal.rhs, by=gaussian_calculus)
    )


centred = Claim(
    id="erf-product-centred",
    title="$E erf(X) erf(Y)$ for correlated, centred Gaussian $X$, $Y$, as an arctangent",
    statement=Eq(E(erf(X) * erf(Y)), 2 / pi * atan(2 * c / R), evaluate=False),
    hypotheses=[possible],
    source="new",
)


@centred.proof
def _(goal):
    """The table of integrals has the arcsine."""
    return (
        chain(goal.lhs)
        .then(2 / pi * asin(2 * c / sqrt(P * Q)), by=gaussian_calculus)
        .then(goal.rhs, by=lemma("arcsine-by-arctangent", y=2 * c / R))
    )


of_slopes = Claim(
    id="arctangents-of-slopes",
    title=(
        "In the formula for $E erf(m + X) erf(n + Y)$, the arctangents of both second "
        "arguments of $T$ and of a number free of $m$, $n$ add up to $+-pi/2$"
    ),
    statement=Eq(
        atan(slopes[0]) + atan(slopes[1]) + atan(2 * c / R),
        sign(m) * sign(n) * pi / 2,
        evaluate=False,
    ),
    hypotheses=[Gt(P * Q - 4 * c**2, 0)],
    source="new",
)


@of_slopes.proof
def _(goal):
    """They are three as above, with $r = sqrt(P/Q)$ and $y = 2 c/R$."""
    r, y = sqrt(P) / sqrt(Q), 2 * c / R
    root = chain(sqrt(1 + y**2)).then(sqrt(P) * sqrt(Q) / R, by=algebra)
    first = atan(r * n / m * sqrt(1 + y**2) - y)
    second = atan(m / n / r * sqrt(1 + y**2) - y)
    return (
        chain(goal.lhs)
        .then(first + second + atan(y), by=algebra.using(root))
        .then(goal.rhs, by=lemma("three-arctangents", r=r, y=y))
    )


on_line = Claim(
    id="erf-product-on-line",
    title=(
        "A closed form of $E erf(m x + X) erf(n x + Y)$ in Owen's $T$, for real $x$, nonzero "
        "$m$ and $n$, and centred Gaussian $X$, $Y$"
    ),
    statement=Eq(
        E(erf(m * x + X) * erf(n * x + Y)),
        sign(m) * sign(n) - 4 * OwensT(h * x, slopes[0]) - 4 * OwensT(k * x, slopes[1]),
        evaluate=False,
    ),
    hypotheses=[possible],
    source="Owen (1956)",
)


@on_line.proof
def _(goal):
    """Both sides agree at $x = 0$ and have the same derivative in $x$."""
    is_positive = (
        chain(P * Q - 4 * c**2)
        .then(1 + 2 * p + 2 * q + 4 * (p * q - c**2), by=algebra)
        .gt(0, by=signs)
    )
    start = (
        chain(E(erf(X) * erf(Y)))
        .then(2 / pi * atan(2 * c / R), by=lemma("erf-product-centred"))
        .then(
            sign(m) * sign(n) - 2 / pi * (atan(slopes[0]) + atan(slopes[1])),
            by=lemma("arctangents-of-slopes"),
        )
        .then(goal.rhs.subs(x, 0), by=lemma("owens-t-at-zero"))
    )
    u, w = m * x + X, n * x + Y
    # The second mean is of the form of the first with the variables exchanged.
    exchanged = GaussianLaw({U: 0, V: 0}, [[q, c], [c, p]])
    second_mean = Expectation(exp(-((n * x + U) ** 2)) * erf(m * x + V), exchanged)
    first, second = (
        2
        * i
        * exp(-((i * x) ** 2) / W)
        / sqrt(pi * W)
        * erf((j * W - 2 * c * i) * x / (sqrt(W) * R))
        for i, j, W in ((m, n, P), (n, m, Q))
    )
    slope = (
        chain(D(goal.lhs, x))
        .then(
            E(m * erf_prime(u) * erf(w) + n * erf(u) * erf_prime(w)),
            by=differentiate_under_expectation,
        )
        .then(
            E(2 / sqrt(pi) * (m * exp(-(u**2)) * erf(w) + n * erf(u) * exp(-(w**2)))),
            by=inside(algebra),
        )
        .then(
            2 / sqrt(pi) * (m * E(exp(-(u**2)) * erf(w)) + n * E(erf(u) * exp(-(w**2)))),
            by=linearity,
        )
        .then(
            2 / sqrt(pi) * (m * E(exp(-(u**2)) * erf(w)) + n * second_mean),
            by=substitution({X: V, Y: U}, exchanged),
        )
        .then(
            first + 2 / sqrt(pi) * n * second_mean,
            by=lemma("gaussian-factor-and-erf", mu=m * x, tau=n * x),
        )
        .then(
            first + second,
            by=lemma("gaussian-factor-and-erf", mu=n * x, tau=m * x, p=q, q=p),
        )
        .then(D(goal.rhs, x), by=differentiate)
    )
    equal = equal_by_derivative(goal, x, at=0, value=start, derivative=slope)
    return having(is_positive, equal)


product = Claim(
    id="erf-product",
    title=(
        "For $m$ and $n$ other than 0, $E erf(m + X) erf(n + Y)$ in terms of Owen's $T$, with "
        "centred Gaussian $X$, $Y$"
    ),
    statement=Eq(
        E(erf(m + X) * erf(n + Y)),
        sign(m) * sign(n) - 4 * OwensT(h, slopes[0]) - 4 * OwensT(k, slopes[1]),
        evaluate=False,
    ),
    hypotheses=[possible],
    source="Owen (1956)",
)


@product.proof
def _(goal):
    """The line at $x = 1$."""
    return chain(goal.lhs).then(goal.rhs, by=lemma("erf-product-on-line", x=1))
