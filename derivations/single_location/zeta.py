"""The function $zeta$ (7): its derivatives, its closed form by Owen's $T$, its variance form."""

from sympy import Eq, Ge, Integral, Symbol, asin, atan, erf, exp, pi, sqrt

from slrsym.gaussian import (
    Expectation,
    OwensT,
    erf_prime,
    erf_second,
    standard_normal,
    zeta,
)
from slrsym.papers.single_location.notation import G
from slrsym.proof import (
    Claim,
    D,
    algebra,
    chain,
    definition,
    differentiate,
    differentiate_under_expectation,
    equal_by_derivative,
    integral_algebra,
    lemma,
    linearity,
    sign,
    stein,
)

t = Symbol("t", real=True)
s = Symbol("s", real=True)
x = Symbol("x", real=True)
u = t + s * G
A = sqrt(1 + 2 * s**2)
B = sqrt(1 + 4 * s**2)
h = sqrt(2) * t / A


def E(f):
    return Expectation(f, standard_normal(G))


derivative_t = Claim(
    id="zeta-derivative",
    title="The derivative of $zeta(t, s)$ in $t$ is $2 erf(t/(A B)) erf'(t/A)/A$",
    statement=Eq(D(zeta(t, s), t), 2 * erf(t / (A * B)) * erf_prime(t / A) / A),
    source="Appendix E.2",
    compared_to_source="exact",
)


@derivative_t.proof
def _(goal):
    """Differentiate under the expectation; Lemma 18 (v) evaluates the result."""
    return (
        chain(goal.lhs)
        .then(D(E(erf(u) ** 2), t), by=definition)
        .then(E(2 * erf(u) * erf_prime(u)), by=differentiate_under_expectation)
        .then(goal.rhs, by=lemma("lemma-18-v", t=t, gamma=s))
    )


derivative_s = Claim(
    id="zeta-derivative-s",
    title="The derivative of $zeta(t, s)$ in $s$, in closed form",
    statement=Eq(
        D(zeta(t, s), s),
        2 * s * (
            erf_second(t / A) * erf(t / (A * B)) / A**2
            + erf_prime(t / A) * erf_prime(t / (A * B)) / (A**2 * B)
        ), evaluate=False),
    source="new",
)  # fmt: skip


@derivative_s.proof
def _(goal):
    """The same, with one use of Stein's lemma."""
    bell = E(erf_prime(u) ** 2)
    slope = E(erf(u) * erf_second(u))
    closed_slope = (
        erf_second(t / A) * erf(t / (A * B)) / A**2
        + erf_prime(t / A) * erf_prime(t / (A * B)) / (A**2 * B)
        - 2 / sqrt(pi) * erf_prime(sqrt(2) * t / B) / B
    )
    return (
        chain(goal.lhs)
        .then(D(E(erf(u) ** 2), s), by=definition)
        .then(E(2 * G * erf(u) * erf_prime(u)), by=differentiate_under_expectation)
        .then(2 * s * bell + 2 * s * slope, by=stein(G))
        .then(2 * s * bell + 2 * s * closed_slope, by=lemma("lemma-18-vi", t=t, gamma=s))
        .then(goal.rhs, by=lemma("lemma-18-iv", t=t, gamma=s))
    )


at_zero = Claim(
    id="zeta-at-zero",
    title="$zeta(0, s) = (2/pi) asin(2 s^2/A^2)$",
    statement=Eq(E(erf(s * G) ** 2), 2 / pi * asin(2 * s**2 / (1 + 2 * s**2)), evaluate=False),
    source="new",
)


@at_zero.proof
def _(goal):
    """Both sides vanish at $s = 0$ and have the same derivative in $s$."""
    v = s * G
    bell = E(erf_prime(v) ** 2)
    slope = E(erf(v) * erf_second(v))
    return equal_by_derivative(
        goal,
        s,
        at=0,
        value=linearity,
        derivative=chain(D(goal.lhs, s))
        .then(E(2 * G * erf(v) * erf_prime(v)), by=differentiate_under_expectation)
        .then(2 * s * bell + 2 * s * slope, by=stein(G))
        .then(2 * s * bell + 2 * s * (4 / pi / (A**2 * B) - bell), by=lemma("lemma-18-vi-centred"))
        .then(D(goal.rhs, s), by=differentiate),
    )


centred = Claim(
    id="lemma-18-vi-centred",
    title="$E erf(s G) erf''(s G) = 4/(pi A^2 B) - E erf'(s G)^2$",
    statement=Eq(E(erf(s * G) * erf_second(s * G)), 4 / pi / (A**2 * B) - E(erf_prime(s * G) ** 2)),
    source="Lemma 18 (iv), (vi) at $t = 0$",
)


@centred.proof
def _(goal):
    """Both parts of Lemma 18 at $t = 0$."""
    return (
        chain(goal.lhs)
        .then(4 / pi / (A**2 * B) - 4 / pi / B, by=lemma("lemma-18-vi", t=0, gamma=s))
        .then(goal.rhs, by=lemma("lemma-18-iv", t=0, gamma=s))
    )


arcs = Claim(
    id="zeta-at-zero-arctangent",
    title="$zeta(0, s) = 1 - (4/pi) atan(1/B)$",
    statement=Eq(2 / pi * asin(2 * s**2 / (1 + 2 * s**2)), 1 - 4 / pi * atan(1 / B)),
    source="new",
)


accurate = Claim(
    id="zeta-at-zero-accurate",
    title="$asin(2 s^2/A^2) = atan(2 s^2/B)$",
    statement=Eq(asin(2 * s**2 / (1 + 2 * s**2)), atan(2 * s**2 / B)),
    source="new: how the kernels compute $zeta(0, s)$, accurately where the sine is near 1",
)


@arcs.proof
@accurate.proof
def _(goal):
    """Both sides vanish at $s = 0$ and have the same derivative."""
    return equal_by_derivative(
        goal,
        s,
        at=0,
        value=algebra,
        derivative=chain(D(goal.lhs, s)).then(D(goal.rhs, s), by=differentiate),
    )


second_moment = Claim(
    id="zeta-second-moment",
    title="$E erf(t + s G)^2 = 1 - 8 T(h, 1/B)$, where $h = sqrt(2) t/A$",
    statement=Eq(E(erf(u) ** 2), 1 - 8 * OwensT(h, 1 / B)),
    source="new",
)


@second_moment.proof
def _(goal):
    """Both sides agree at $t = 0$ and have the same derivative in $t$."""
    return equal_by_derivative(
        goal,
        t,
        at=0,
        value=chain(E(erf(s * G) ** 2))
        .then(2 / pi * asin(2 * s**2 / (1 + 2 * s**2)), by=lemma("zeta-at-zero"))
        .then(1 - 4 / pi * atan(1 / B), by=lemma("zeta-at-zero-arctangent")),
        derivative=chain(D(goal.lhs, t))
        .then(E(2 * erf(u) * erf_prime(u)), by=differentiate_under_expectation)
        .then(2 * erf(t / (A * B)) * erf_prime(t / A) / A, by=lemma("lemma-18-v", gamma=s))
        .then(D(goal.rhs, t), by=differentiate),
    )


closed_form = Claim(
    id="zeta-owens-t",
    title="$zeta(t, s) = 1 - 8 T(h, 1/B)$, where $h = sqrt(2) t/A$",
    statement=Eq(zeta(t, s), 1 - 8 * OwensT(h, 1 / B)),
    source="new",
)


@closed_form.proof
def _(goal):
    """Zeta is the second moment."""
    return (
        chain(goal.lhs)
        .then(E(erf(u) ** 2), by=definition)
        .then(goal.rhs, by=lemma("zeta-second-moment"))
    )


def bell(z):
    return exp(-(h**2) * (1 + z**2) / 2) / (1 + z**2)


variance_form = Claim(
    id="zeta-variance",
    title=(
        "$zeta(t, s) - erf(t/A)^2$ is $4/pi$ times the integral of $exp(-(1 + x^2) t^2/A^2)/(1 + "
        "x^2)$ from $1/B$ to 1"
    ),
    statement=Eq(
        zeta(t, s) - erf(t / A) ** 2, 4 / pi * Integral(bell(x), (x, 1 / B, 1)), evaluate=False
    ),
    source="new",
)


@variance_form.proof
def _(goal):
    """$1 - erf(h/sqrt 2)^2$ is $8 T(h, 1)$, so the difference is one of two values of $T$."""
    return (
        chain(goal.lhs)
        .then(1 - 8 * OwensT(h, 1 / B) - erf(t / A) ** 2, by=lemma("zeta-owens-t"))
        .then(8 * OwensT(h, 1) - 8 * OwensT(h, 1 / B), by=lemma("owens-t-at-one", h=h))
        .then(
            4 / pi * Integral(bell(x), (x, 0, 1)) - 4 / pi * Integral(bell(x), (x, 0, 1 / B)),
            by=definition,
        )
        .then(goal.rhs, by=integral_algebra)
    )


nonnegative = Claim(
    id="zeta-variance-nonnegative",
    title="$zeta(t, s) >= erf(t/A)^2$",
    statement=Ge(zeta(t, s) - erf(t / A) ** 2, 0),
    source="new (Jensen's inequality)",
)


@nonnegative.proof
def _(goal):
    """The integrand is positive, and $1/B$ is at most 1."""
    return (
        chain(goal.lhs)
        .then(4 / pi * Integral(bell(x), (x, 1 / B, 1)), by=lemma("zeta-variance"))
        .ge(0, by=sign)
    )
