"""Means of Laplace's distribution function.

It is sign(x) (1 - exp(-|x|)), with derivative exp(-|x|). Like the error function it is bounded,
increasing, differentiable and 0 at 0, as the paper asks for after Lemma 18.
"""

from sympy import Abs, Eq, Gt, Integral, Lt, Symbol, erf, exp, sign, sqrt, symbols

from slrsym.gaussian import Expectation, standard_normal
from slrsym.papers.single_location.notation import G
from slrsym.proof import (
    Claim,
    D,
    algebra,
    cases,
    chain,
    differentiate,
    fundamental_theorem,
    gaussian_calculus,
    inside,
    integral_algebra,
    lemma,
    linearity,
    piecewise,
)
from slrsym.proof import sign as signs

t = Symbol("t", real=True)
gamma = Symbol("gamma", positive=True)
x, z, a = symbols("x z a", real=True)
u = t + gamma * G
apart = piecewise(algebra)


def E(f):
    return Expectation(f, standard_normal(G))


def laplace(x):
    return sign(x) * (1 - exp(-Abs(x)))


is_integral = Claim(
    id="laplace-activation",
    title="The function $sign(x) (1 - exp(-|x|))$ is the integral of $exp(-|z|)$ from 0 to $x$",
    statement=Eq(laplace(x), Integral(exp(-Abs(z)), (z, 0, x)), evaluate=False),
    source="new; asked for after Lemma 18",
    explanation=(
        "The function $sign(x) (1 - exp(-|x|))$ is the integral of $exp(-|z|)$ from 0 to $x$. So "
        "it vanishes at 0, is differentiable, and increases, as its derivative $exp(-|x|)$ is "
        "positive and continuous. It is twice the distribution function of Laplace's law, minus "
        "one. All means of Lemma 18 have closed forms for it, too; that of the square of its "
        "derivative is the mean of $exp(-2 |t + gamma G|)$."
    ),
)


@is_integral.proof
def _(goal):
    """On each side of 0, an antiderivative of $exp(-|z|)$ is elementary."""
    density = exp(-Abs(z))
    above = (
        chain(goal.lhs)
        .then(1 - exp(-x), by=apart)
        .then(goal.rhs, by=fundamental_theorem(-exp(-z), z))
    )
    below = (
        chain(goal.lhs)
        .then(exp(x) - 1, by=apart)
        .then(-Integral(density, (z, x, 0)), by=fundamental_theorem(exp(z), z))
        .then(goal.rhs, by=integral_algebra)
    )
    nought = chain(0).then(Integral(density, (z, 0, 0)), by=fundamental_theorem(-exp(-z), z))
    return cases(goal, (Gt(x, 0), above), (Lt(x, 0), below), (Eq(x, 0), nought))


is_bounded = Claim(
    id="laplace-activation-bounded",
    title="The function $sign(x) (1 - exp(-|x|))$ lies between $-1$ and 1",
    statement=Lt(Abs(laplace(x)), 1),
    source="new; asked for after Lemma 18",
)


@is_bounded.proof
def _(goal):
    """Exponentials are positive."""
    return chain(goal.lhs).lt(1, by=piecewise(signs))


def right(a):
    """Return the mean of exp(-a u) where u = t + gamma G is positive."""
    return exp(a**2 * gamma**2 / 2 - a * t) * (1 + erf((t - a * gamma**2) / (sqrt(2) * gamma))) / 2


def left(a):
    """Return the mean of exp(a u) where u = t + gamma G is negative."""
    return exp(a**2 * gamma**2 / 2 + a * t) * (1 - erf((t + a * gamma**2) / (sqrt(2) * gamma))) / 2


even_mean = Claim(
    id="exp-abs-mean",
    title="The mean of $exp(-a |t + gamma G|)$ in closed form",
    statement=Eq(E(exp(-a * Abs(u))), right(a) + left(a), evaluate=False),
    source="textbook",
)


@even_mean.proof
def _(goal):
    """Exponentials times a Gaussian density are multiples of Gaussian densities."""
    split = (exp(a * u) + exp(-a * u)) / 2 - sign(u) * (exp(a * u) - exp(-a * u)) / 2
    return chain(goal.lhs).then(E(split), by=inside(apart)).then(goal.rhs, by=gaussian_calculus)


odd_mean = Claim(
    id="sign-exp-abs-mean",
    title="The mean of $sign(u) exp(-a |u|)$ for $u = t + gamma G$ in closed form",
    statement=Eq(E(sign(u) * exp(-a * Abs(u))), right(a) - left(a), evaluate=False),
    source="textbook",
)


@odd_mean.proof
def _(goal):
    """Exponentials times a Gaussian density are multiples of Gaussian densities."""
    split = sign(u) * (exp(a * u) + exp(-a * u)) / 2 - (exp(a * u) - exp(-a * u)) / 2
    return chain(goal.lhs).then(E(split), by=inside(apart)).then(goal.rhs, by=gaussian_calculus)


def even_part(a):
    return E(exp(-a * Abs(u)))


def odd_part(a):
    return E(sign(u) * exp(-a * Abs(u)))


laplace_mean = Claim(
    id="laplace-activation-mean",
    title="The mean of $sign(u) (1 - exp(-|u|))$ for $u = t + gamma G$ in closed form",
    statement=Eq(E(laplace(u)), erf(t / (sqrt(2) * gamma)) - right(1) + left(1), evaluate=False),
    source="new; asked for after Lemma 18: (ii) for this function",
)


@laplace_mean.proof
def _(goal):
    """Take the mean of $sign(u) exp(-|u|)$ from that of $sign(u)$."""
    return (
        chain(goal.lhs)
        .then(E(sign(u)) - odd_part(1), by=linearity)
        .then(erf(t / (sqrt(2) * gamma)) - odd_part(1), by=gaussian_calculus)
        .then(goal.rhs, by=lemma("sign-exp-abs-mean", a=1))
    )


laplace_derivative = Claim(
    id="laplace-activation-derivative",
    title=(
        "For $u = t + gamma G$, the mean of $exp(-|u|)$ is the derivative in $t$ of that of "
        "$sign(u) (1 - exp(-|u|))$"
    ),
    statement=Eq(D(E(laplace(u)), t), even_part(1), evaluate=False),
    source="new; asked for after Lemma 18: (i) for this function",
)


@laplace_derivative.proof
def _(goal):
    """Both sides have closed forms."""
    return (
        chain(goal.lhs)
        .then(D(laplace_mean.statement.rhs, t), by=lemma("laplace-activation-mean"))
        .then(right(1) + left(1), by=differentiate)
        .then(goal.rhs, by=lemma("exp-abs-mean", a=1))
    )


even_derivative = Claim(
    id="exp-abs-mean-derivative",
    title=(
        "For $u = t + gamma G$, the derivative in $t$ of the mean of $exp(-a |u|)$ is $-a$ times "
        "that of $sign(u) exp(-a |u|)$"
    ),
    statement=Eq(D(even_part(a), t), -a * odd_part(a), evaluate=False),
    source="new; asked for after Lemma 18: (iii) for this function",
)


@even_derivative.proof
def _(goal):
    """Both sides have closed forms."""
    return (
        chain(goal.lhs)
        .then(D(right(a) + left(a), t), by=lemma("exp-abs-mean"))
        .then(a * left(a) - a * right(a), by=differentiate)
        .then(goal.rhs, by=lemma("sign-exp-abs-mean"))
    )


laplace_square = Claim(
    id="laplace-activation-square",
    title=(
        "For $u = t + gamma G$, the mean of the square of $sign(u) (1 - exp(-|u|))$ in closed form"
    ),
    statement=Eq(
        E(laplace(u) ** 2), 1 - 2 * (right(1) + left(1)) + right(2) + left(2), evaluate=False
    ),
    source="new; asked for after Lemma 18",
)


@laplace_square.proof
def _(goal):
    """Except at 0, the square of the sign is 1."""
    return (
        chain(goal.lhs)
        .then(E((1 - exp(-Abs(u))) ** 2), by=inside(apart))
        .then(1 - 2 * even_part(1) + even_part(2), by=linearity)
        .then(1 - 2 * (right(1) + left(1)) + even_part(2), by=lemma("exp-abs-mean", a=1))
        .then(goal.rhs, by=lemma("exp-abs-mean", a=2))
    )


laplace_with_second = Claim(
    id="laplace-activation-and-second-derivative",
    title=(
        "The mean of $f(u) f''(u)$ for $u = t + gamma G$ and $f(u) = sign(u) (1 - exp(-|u|))$, in "
        "closed form"
    ),
    statement=Eq(
        E(-laplace(u) * sign(u) * exp(-Abs(u))),
        right(2) + left(2) - right(1) - left(1),
        evaluate=False,
    ),
    source="new; asked for after Lemma 18: (vi) for this function",
)


@laplace_with_second.proof
def _(goal):
    """Except at 0, the square of the sign is 1."""
    return (
        chain(goal.lhs)
        .then(E(exp(-2 * Abs(u)) - exp(-Abs(u))), by=inside(apart))
        .then(even_part(2) - even_part(1), by=linearity)
        .then(right(2) + left(2) - even_part(1), by=lemma("exp-abs-mean", a=2))
        .then(goal.rhs, by=lemma("exp-abs-mean", a=1))
    )


laplace_product = Claim(
    id="laplace-activation-and-derivative",
    title=(
        "The mean of $f(u) f'(u)$ for $u = t + gamma G$ and $f(u) = sign(u) (1 - exp(-|u|))$, in "
        "closed form"
    ),
    statement=Eq(
        E(laplace(u) * exp(-Abs(u))), right(1) - left(1) - right(2) + left(2), evaluate=False
    ),
    source="new; asked for after Lemma 18: (v) for this function",
)


@laplace_product.proof
def _(goal):
    """Multiply out; both means are known."""
    return (
        chain(goal.lhs)
        .then(odd_part(1) - odd_part(2), by=linearity)
        .then(right(1) - left(1) - odd_part(2), by=lemma("sign-exp-abs-mean", a=1))
        .then(goal.rhs, by=lemma("sign-exp-abs-mean", a=2))
    )
