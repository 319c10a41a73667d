"""Lemma 18: Gaussian expectations of $erf$ and its derivatives, for every real $gamma$."""

from sympy import Eq, Symbol, erf, pi, sqrt

from slrsym.gaussian import Expectation, GaussianLaw, erf_prime, erf_second, standard_normal
from slrsym.papers.single_location.notation import G
from slrsym.proof import (
    Claim,
    D,
    chain,
    complete_the_square,
    differentiate,
    differentiate_under_expectation,
    equal_by_derivative,
    lemma,
    substitution,
    symmetry,
)

t = Symbol("t", real=True)
gamma = Symbol("gamma", real=True)
u = t + gamma * G
A = sqrt(1 + 2 * gamma**2)
B = sqrt(1 + 4 * gamma**2)

# The density of G times exp(-u^2) is that of this law, up to a constant; likewise for exp(-2 u^2).
once = GaussianLaw({G: -2 * t * gamma / A**2}, [[1 / A**2]])
twice = GaussianLaw({G: -4 * t * gamma / B**2}, [[1 / B**2]])


def E(f):
    return Expectation(f, standard_normal(G))


bell_mean = Claim(
    id="lemma-18-i",
    title="$E erf'(t + gamma G) = erf'(t/c)/c$, where $c^2 = 1 + 2 gamma^2$",
    statement=Eq(E(erf_prime(u)), erf_prime(t / A) / A),
    source="Lemma 18 (i)",
    compared_to_source="stronger: for every real $gamma$, not only $gamma > 0$",
    explanation=(
        "The mean of $erf'(t + gamma G)$ is $erf'(t/A)/A$, where $A^2 = 1 + 2 gamma^2$. The "
        "exponents of $erf'$ and of the standard normal density add up to a quadratic polynomial "
        "in the variable. Completing the square leaves $exp(-t^2/A^2)$ and the integral of a "
        "Gaussian function of variance $1/A^2$, which gives the factor $1/A$. It enters that $G$ "
        "is standard normal; $t$ and $gamma$ may be any real numbers."
    ),
)


@bell_mean.proof
def _(goal):
    """Complete the square: what is left is the mass of a Gaussian."""
    return chain(goal.lhs).then(goal.rhs, by=complete_the_square(once))


erf_mean = Claim(
    id="lemma-18-ii",
    title="$E erf(t + gamma G) = erf(t/sqrt(1 + 2 gamma^2))$",
    statement=Eq(E(erf(u)), erf(t / A)),
    source="Lemma 18 (ii)",
    compared_to_source="stronger: for every real $gamma$, not only $gamma > 0$",
    explanation=(
        "The mean of $erf(t + gamma G)$ is $erf(t/A)$, where $A^2 = 1 + 2 gamma^2$. At $t = 0$ "
        "both sides vanish: the left one since $erf$ is odd and $G$ has a symmetric law. By (i), "
        "differentiation under the expectation shows that both have the same derivative in $t$; "
        "it is allowed, as $erf'$ is bounded. So they are equal for all real $t$ and $gamma$."
    ),
)


@erf_mean.proof
def _(goal):
    """Both sides vanish at $t = 0$ and have the same derivative in $t$."""
    return equal_by_derivative(
        goal,
        t,
        at=0,
        value=symmetry(G),
        derivative=chain(D(goal.lhs, t))
        .then(E(erf_prime(u)), by=differentiate_under_expectation)
        .then(erf_prime(t / A) / A, by=lemma("lemma-18-i"))
        .then(D(goal.rhs, t), by=differentiate),
    )


slope_mean = Claim(
    id="lemma-18-iii",
    title="$E erf''(t + gamma G) = erf''(t/c)/c^2$, where $c^2 = 1 + 2 gamma^2$",
    statement=Eq(E(erf_second(u)), erf_second(t / A) / A**2),
    source="Lemma 18 (iii)",
    compared_to_source="stronger: for every real $gamma$, not only $gamma > 0$",
    explanation=(
        "The mean of $erf''(t + gamma G)$ is $erf''(t/A)/A^2$, where $A^2 = 1 + 2 gamma^2$. "
        "Differentiate both sides of (i) in $t$: on the left under the expectation, which is "
        "allowed, as $erf''$ is bounded; on the right the chain rule gives a second factor $1/A$. "
        "Here, too, $t$ and $gamma$ may be any real numbers."
    ),
)


@slope_mean.proof
def _(goal):
    """Differentiate (i) in $t$."""
    return (
        chain(goal.lhs)
        .then(D(E(erf_prime(u)), t), by=differentiate_under_expectation)
        .then(D(erf_prime(t / A) / A, t), by=lemma("lemma-18-i"))
        .then(goal.rhs, by=differentiate)
    )


bell_square = Claim(
    id="lemma-18-iv",
    title="The mean $E erf'(t + gamma G)^2$, in closed form",
    statement=Eq(E(erf_prime(u) ** 2), 2 / sqrt(pi) * erf_prime(sqrt(2) * t / B) / B),
    source="Lemma 18 (iv)",
    compared_to_source="stronger: for every real $gamma$, not only $gamma > 0$",
    explanation=(
        "The mean of $erf'(t + gamma G)^2$ is a multiple of $erf'(sqrt(2) t/B)$, where $B^2 = 1 + "
        "4 gamma^2$. The square of $erf'$ is a Gaussian function with twice the exponent. So the "
        "proof of (i) applies: add this exponent to that of the normal density and complete the "
        "square. The sum of both makes $B$ of what was $A$. Here, too, $t$ and $gamma$ may be any "
        "real numbers."
    ),
)


@bell_square.proof
def _(goal):
    """Complete the square again, with twice the exponent."""
    return chain(goal.lhs).then(goal.rhs, by=complete_the_square(twice))


erf_bell = Claim(
    id="lemma-18-v",
    title="The mean $E erf(t + gamma G) erf'(t + gamma G)$, in closed form",
    statement=Eq(E(erf(u) * erf_prime(u)), erf(t / (A * B)) * erf_prime(t / A) / A),
    source="Lemma 18 (v)",
    compared_to_source="stronger: for every real $gamma$, not only $gamma > 0$",
    explanation=(
        "The mean of $erf erf'$ at $t + gamma G$ is $erf(t/(A B)) erf'(t/A)/A$. The factor $erf'$ "
        "times the normal density is, by (i), a normal density times $erf'(t/A)/A$. Under this "
        "density the argument of $erf$ has the mean $t/A^2$ and the variance $gamma^2/A^2$. So "
        "(ii) gives what is left: $erf$ of $t/A^2$ over the root of $1 + 2 gamma^2/A^2$, which is "
        "$t/(A B)$. The paper solves a linear differential equation in $t$ instead. Here, too, "
        "$t$ and $gamma$ may be any real numbers."
    ),
)


@erf_bell.proof
def _(goal):
    """Absorb $erf'$ into the law: what is left is (ii), at another mean and variance.

    The paper solves a linear differential equation instead; this way is shorter.
    """
    tilted = Expectation(erf(u), once)
    return (
        chain(goal.lhs)
        .then(erf_prime(t / A) / A * tilted, by=complete_the_square(once))
        .then(
            erf_prime(t / A) / A * E(erf(t / A**2 + gamma / A * G)),
            by=substitution({G: -2 * t * gamma / A**2 + G / A}, standard_normal(G)),
        )
        .then(goal.rhs, by=lemma("lemma-18-ii", t=t / A**2, gamma=gamma / A))
    )


erf_slope = Claim(
    id="lemma-18-vi",
    title="The mean $E erf(t + gamma G) erf''(t + gamma G)$, in closed form",
    statement=Eq(
        E(erf(u) * erf_second(u)),
        erf_second(t / A) * erf(t / (A * B)) / A**2
        + erf_prime(t / A) * erf_prime(t / (A * B)) / (A**2 * B)
        - 2 / sqrt(pi) * erf_prime(sqrt(2) * t / B) / B,
    ),
    source="Lemma 18 (vi)",
    compared_to_source="stronger: for every real $gamma$, not only $gamma > 0$",
    explanation=(
        "The mean of $erf erf''$ at $t + gamma G$ has a closed form in $erf$ and its derivatives, "
        "too. Differentiate both sides of (v) in $t$. On the left, under the expectation, the "
        "product rule gives the mean of $erf erf''$ and that of $erf'^2$, which (iv) has in "
        "closed form and which is taken away. On the right it gives two terms. Here, too, $t$ and "
        "$gamma$ may be any real numbers."
    ),
)


@erf_slope.proof
def _(goal):
    """Differentiate (v) in $t$, and take (iv) away."""
    closed = erf(t / (A * B)) * erf_prime(t / A) / A
    squared = E(erf_prime(u) ** 2)
    return (
        chain(goal.lhs)
        .then(D(E(erf(u) * erf_prime(u)), t) - squared, by=differentiate_under_expectation)
        .then(D(closed, t) - squared, by=lemma("lemma-18-v"))
        .then(D(closed, t) - 2 / sqrt(pi) * erf_prime(sqrt(2) * t / B) / B, by=lemma("lemma-18-iv"))
        .then(goal.rhs, by=differentiate)
    )
