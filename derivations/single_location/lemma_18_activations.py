"""Means of smooth activation functions.

The paper has the error function, and asks for other activation functions. With M and Z the means
of a function and of its square at t + gamma G, the other means of Lemma 18 are derivatives in t.
"""

from sympy import Derivative, Eq, Function, Ge, Le, S, Subs, Symbol, erf, sign, sqrt, symbols

from slrsym.gaussian import Expectation, GaussianLaw, OwensT, standard_normal, zeta
from slrsym.papers.single_location.notation import G
from slrsym.proof import (
    Claim,
    D,
    ForAll,
    algebra,
    chain,
    definition,
    differentiate_under_expectation,
    inside,
    instance,
    lemma,
    linearity,
    price,
    stein,
    substitution,
)

t = Symbol("t", real=True)
gamma = Symbol("gamma", positive=True)
x = Symbol("x", real=True)
u = t + gamma * G
normal = standard_normal(G)


def E(f):
    return Expectation(f, normal)


# -- smooth activation functions ---------------------------------------------------------------

sigma = Function("sigma", real=True)
M = E(sigma(u))
Z = E(sigma(u) ** 2)


def derivative(n):
    """Return the derivative of order n of the activation function, at t + gamma G."""
    return Subs(Derivative(sigma(x), (x, n)), x, u)


first = Claim(
    id="activation-derivative",
    title="The mean of $sigma'(t + gamma G)$ is the derivative in $t$ of that of $sigma$",
    statement=Eq(E(derivative(1)), D(M, t), evaluate=False),
    source="new; asked for after Lemma 18: (i) from (ii)",
    explanation=(
        "The mean of $sigma'(t + gamma G)$ is $M'(t)$, where $M(t)$ is the mean of $sigma(t + "
        "gamma G)$. The function $sigma$ may be any smooth one that is, with all its derivatives, "
        "bounded by a multiple of $exp(c |x|)$ for some $c$. In Lemma 18, (i) follows from (ii) "
        "in this way."
    ),
)


@first.proof
def _(goal):
    """Differentiate under the expectation."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate_under_expectation)


second = Claim(
    id="activation-second-derivative",
    title="The mean of $sigma''(t + gamma G)$ is the second derivative in $t$ of that of $sigma$",
    statement=Eq(E(derivative(2)), D(M, (t, 2)), evaluate=False),
    source="new; asked for after Lemma 18: (iii) from (ii)",
)


@second.proof
def _(goal):
    """Differentiate twice under the expectation."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate_under_expectation)


with_first = Claim(
    id="activation-and-derivative",
    title=(
        "The mean of $sigma sigma'$ at $t + gamma G$ is half the derivative in $t$ of the mean of "
        "$sigma^2$"
    ),
    statement=Eq(E(sigma(u) * derivative(1)), D(Z, t) / 2, evaluate=False),
    source="new; asked for after Lemma 18: (v) from the second moment",
)


@with_first.proof
def _(goal):
    """The derivative of $sigma^2$ is $2 sigma sigma'$."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate_under_expectation)


with_second = Claim(
    id="activation-and-second-derivative",
    title=(
        "The mean of $sigma sigma''$ at $t + gamma G$ is half the second derivative in $t$ of the "
        "mean of $sigma^2$, less the mean of $sigma'^2$"
    ),
    statement=Eq(
        E(sigma(u) * derivative(2)), D(Z, (t, 2)) / 2 - E(derivative(1) ** 2), evaluate=False
    ),
    source="new; asked for after Lemma 18: (vi) from (iv) and the second moment",
)


@with_second.proof
def _(goal):
    """The second derivative of $sigma^2$ is $2 sigma sigma'' + 2 sigma'^2$."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate_under_expectation)


weighted = Claim(
    id="activation-times-variable",
    title=(
        "The mean of $G sigma(t + gamma G)$ is $gamma$ times the derivative in $t$ of the mean of "
        "$sigma(t + gamma G)$"
    ),
    statement=Eq(E(G * sigma(u)), gamma * D(M, t), evaluate=False),
    source="new; asked for after Lemma 18: by Stein's lemma",
)


@weighted.proof
def _(goal):
    """By Stein's lemma, this is $gamma$ times the mean of $sigma'$."""
    return (
        chain(goal.lhs)
        .then(gamma * E(derivative(1)), by=stein(G))
        .then(goal.rhs, by=lemma("activation-derivative"))
    )


b = Symbol("b", real=True)
rises = ForAll(x, Ge(D(sigma(x), x), 0))
is_below = ForAll(x, Le(sigma(x), b))
is_odd = ForAll(x, Eq(sigma(-x), -sigma(x)))

rising = Claim(
    id="activation-mean-increases",
    title="If $sigma' >= 0$ everywhere, the mean of $sigma(t + gamma G)$ does not decrease in $t$",
    statement=Ge(D(M, t), 0, evaluate=False),
    hypotheses=[rises],
    source="new; asked for after Lemma 18",
)


@rising.proof
def _(goal):
    """The derivative is a mean of values of $sigma'$."""
    return (
        chain(goal.lhs)
        .then(E(derivative(1)), by=differentiate_under_expectation)
        .ge(E(S.Zero), by=inside(instance(rises, u)))
        .then(0, by=linearity)
    )


bounded = Claim(
    id="activation-mean-bounded",
    title="If $sigma <= b$ everywhere, the mean of $sigma(t + gamma G)$ is at most $b$",
    statement=Le(M, b),
    hypotheses=[is_below],
    source="new; asked for after Lemma 18",
    explanation=(
        "If $sigma(x) <= b$ for all $x$, the mean of $sigma(t + gamma G)$ is at most $b$. The same "
        "of $-sigma$ is the bound from below. So the mean, as a function of $t$, is bounded and "
        "increasing where $sigma$ is, and 0 at 0 if $sigma$ is odd."
    ),
)


@bounded.proof
def _(goal):
    """The mean of a constant is the constant."""
    return chain(goal.lhs).le(E(b), by=inside(instance(is_below, u))).then(b, by=linearity)


vanishing = Claim(
    id="activation-mean-at-zero",
    title="If $sigma$ is odd, the mean of $sigma(t + gamma G)$ vanishes at $t = 0$",
    statement=Eq(E(sigma(gamma * G)), 0, evaluate=False),
    hypotheses=[is_odd],
    source="new; asked for after Lemma 18",
)


@vanishing.proof
def _(goal):
    """The law of $G$ is that of $-G$."""
    mirrored = E(sigma(-gamma * G))
    minus = (
        chain(mirrored)
        .then(E(-sigma(gamma * G)), by=inside(instance(is_odd, gamma * G)))
        .then(-goal.lhs, by=linearity)
    )
    return (
        chain(goal.lhs)
        .then((goal.lhs + mirrored) / 2, by=substitution({G: -G}, normal))
        .then(0, by=algebra.using(minus))
    )


X = Symbol("X", real=True)
v = Symbol("v", positive=True)
law = GaussianLaw({X: t}, [[v]])
of_law = Expectation(sigma(X), law)
by_standard = substitution({X: t + sqrt(v) * G}, normal)

as_standard = Claim(
    id="activation-under-normal-law",
    title=(
        "The mean of $sigma$ under the normal law of mean $t$ and variance $v$ is the mean of "
        "$sigma(t + sqrt(v) G)$"
    ),
    statement=Eq(of_law, M.subs(gamma, sqrt(v)), evaluate=False),
    source="textbook",
)


@as_standard.proof
def _(goal):
    """The variable $t + sqrt(v) G$ has this law."""
    return chain(goal.lhs).then(goal.rhs, by=by_standard)


heat = Claim(
    id="activation-heat-equation",
    title="The mean of $sigma$ under a normal law solves the heat equation in mean and variance",
    statement=Eq(D(of_law, v), D(of_law, (t, 2)) / 2, evaluate=False),
    source="new; asked for after Lemma 18",
)


@heat.proof
def _(goal):
    """By Price's theorem, the left side is half the mean of $sigma''$."""
    curvature = Expectation(D(sigma(X), (X, 2)), law)
    at_gamma = {gamma: sqrt(v)}
    return (
        chain(goal.lhs)
        .then(curvature / 2, by=price)
        .then(E(derivative(2)).subs(at_gamma) / 2, by=by_standard)
        .then(
            D(M.subs(at_gamma), (t, 2)) / 2,
            by=lemma("activation-second-derivative", gamma=sqrt(v)),
        )
        .then(goal.rhs, by=lemma("activation-under-normal-law"))
    )


# -- sums of error functions -------------------------------------------------------------------

a1, a2 = symbols("a_1 a_2", real=True, nonzero=True)
w1, w2 = symbols("w_1 w_2", real=True)
X1, X2 = symbols("X_1 X_2", real=True)


def mixture(x):
    return w1 * erf(a1 * x) + w2 * erf(a2 * x)


def spread(a):
    """Return the factor of Lemma 18 (ii) for the function erf(a x)."""
    return sqrt(1 + 2 * a**2 * gamma**2)


mixture_mean = Claim(
    id="erf-sum-mean",
    title="The mean of $w_1 erf(a_1 u) + w_2 erf(a_2 u)$ for $u = t + gamma G$ in closed form",
    statement=Eq(
        E(mixture(u)),
        w1 * erf(a1 * t / spread(a1)) + w2 * erf(a2 * t / spread(a2)),
        evaluate=False,
    ),
    source="new; asked for after Lemma 18: (ii) for this function",
)


@mixture_mean.proof
def _(goal):
    """Use Lemma 18 (ii) twice."""
    first_mean, second_mean = (E(erf(a * t + a * gamma * G)) for a in (a1, a2))
    return (
        chain(goal.lhs)
        .then(w1 * first_mean + w2 * second_mean, by=linearity)
        .then(
            w1 * erf(a1 * t / spread(a1)) + w2 * second_mean,
            by=lemma("lemma-18-ii", t=a1 * t, gamma=a1 * gamma),
        )
        .then(goal.rhs, by=lemma("lemma-18-ii", t=a2 * t, gamma=a2 * gamma))
    )


both = sqrt(1 + 2 * (a1**2 + a2**2) * gamma**2)
cross_mean = (
    sign(a1) * sign(a2)
    - 4 * OwensT(sqrt(2) * a1 * t / spread(a1), a2 / (a1 * both))
    - 4 * OwensT(sqrt(2) * a2 * t / spread(a2), a1 / (a2 * both))
)

cross = Claim(
    id="erf-product-of-slopes",
    title="The mean of $erf(a_1 u) erf(a_2 u)$ for $u = t + gamma G$, by Owen's $T$",
    statement=Eq(E(erf(a1 * u) * erf(a2 * u)), cross_mean, evaluate=False),
    source="new; asked for after Lemma 18",
)


@cross.proof
def _(goal):
    """The two arguments are correlated Gaussian variables."""
    p, q, c = a1**2 * gamma**2, a2**2 * gamma**2, a1 * a2 * gamma**2
    pair = GaussianLaw({X1: 0, X2: 0}, [[p, c], [c, q]])
    P, Q = 1 + 2 * p, 1 + 2 * q
    root = chain(sqrt(P * Q - 4 * c**2)).then(both, by=algebra)
    R = root.start
    first_h, second_h = sqrt(2) * a1 * t / sqrt(P), sqrt(2) * a2 * t / sqrt(Q)
    first_slope = (a2 * P - 2 * c * a1) / (a1 * R)
    second_slope = (a1 * Q - 2 * c * a2) / (a2 * R)
    return (
        chain(goal.lhs)
        .then(
            Expectation(erf(a1 * t + X1) * erf(a2 * t + X2), pair),
            by=substitution({X1: a1 * gamma * G, X2: a2 * gamma * G}, normal),
        )
        .then(
            sign(a1) * sign(a2)
            - 4 * OwensT(first_h, first_slope)
            - 4 * OwensT(second_h, second_slope),
            by=lemma("erf-product-on-line", m=a1, n=a2, x=t, p=p, q=q, c=c),
        )
        .then(goal.rhs, by=algebra.using(root))
    )


mixture_square = Claim(
    id="erf-sum-square",
    title=(
        "The mean square of $w_1 erf(a_1 u) + w_2 erf(a_2 u)$ for $u = t + gamma G$, by $zeta$ "
        "and Owen's $T$"
    ),
    statement=Eq(
        E(mixture(u) ** 2),
        w1**2 * zeta(a1 * t, a1 * gamma)
        + w2**2 * zeta(a2 * t, a2 * gamma)
        + 2 * w1 * w2 * cross_mean,
        evaluate=False,
    ),
    source="new; asked for after Lemma 18",
)


@mixture_square.proof
def _(goal):
    """Multiply the square out."""
    squares = w1**2 * E(erf(a1 * u) ** 2) + w2**2 * E(erf(a2 * u) ** 2)
    product = 2 * w1 * w2 * E(erf(a1 * u) * erf(a2 * u))
    return (
        chain(goal.lhs)
        .then(squares + product, by=linearity)
        .then(squares + 2 * w1 * w2 * cross_mean, by=lemma("erf-product-of-slopes"))
        .then(goal.rhs, by=definition)
    )
