"""Lemma 18 beyond the error function: the same means for other activation functions."""

from sympy import (
    Abs,
    Derivative,
    Eq,
    Function,
    Ge,
    Gt,
    Integral,
    Le,
    Lt,
    Max,
    Min,
    Subs,
    Symbol,
    erf,
    exp,
    pi,
    sign,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, OwensT, standard_normal, zeta
from slrsym.notation import G
from slrsym.proof import (
    Claim,
    D,
    algebra,
    at,
    cases,
    chain,
    conditioning,
    definition,
    differentiate,
    differentiate_under_expectation,
    fundamental_theorem,
    gaussian_calculus,
    inside,
    integral_algebra,
    lemma,
    linearity,
    piecewise,
    price,
    stein,
    substitution,
)
from slrsym.proof import sign as signs

t = Symbol("t", real=True)
gamma = Symbol("gamma", positive=True)
x, z = symbols("x z", real=True)
u = t + gamma * G


def E(f):
    return Expectation(f, standard_normal(G))


# -- smooth activation functions ---------------------------------------------------------------

sigma = Function("sigma", real=True)
M = E(sigma(u))
Z = E(sigma(u) ** 2)


def slope(n):
    """Return the derivative of order n of the activation function, at t + gamma G."""
    return Subs(Derivative(sigma(x), (x, n)), x, u)


first = Claim(
    id="activation-derivative",
    title="The mean of $sigma'(t + gamma G)$ is the derivative in $t$ of that of $sigma$",
    statement=Eq(E(slope(1)), D(M, t), evaluate=False),
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
    statement=Eq(E(slope(2)), D(M, (t, 2)), evaluate=False),
    source="new; asked for after Lemma 18: (iii) from (ii)",
)


@second.proof
def _(goal):
    """Differentiate twice under the expectation."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate_under_expectation)


with_slope = Claim(
    id="activation-and-derivative",
    title="The mean of $sigma sigma'$ at $t + gamma G$ is half the derivative of that of $sigma^2$",
    statement=Eq(E(sigma(u) * slope(1)), D(Z, t) / 2, evaluate=False),
    source="new; asked for after Lemma 18: (v) from the second moment",
)


@with_slope.proof
def _(goal):
    """The derivative of $sigma^2$ is $2 sigma sigma'$."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate_under_expectation)


with_bend = Claim(
    id="activation-and-second-derivative",
    title=(
        "The mean of $sigma sigma''$ at $t + gamma G$ follows from those of $sigma^2$ and "
        "$sigma'^2$"
    ),
    statement=Eq(E(sigma(u) * slope(2)), D(Z, (t, 2)) / 2 - E(slope(1) ** 2), evaluate=False),
    source="new; asked for after Lemma 18: (vi) from (iv) and the second moment",
)


@with_bend.proof
def _(goal):
    """The second derivative of $sigma^2$ is $2 sigma sigma'' + 2 sigma'^2$."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate_under_expectation)


weighted = Claim(
    id="activation-times-variable",
    title="The mean of $G sigma(t + gamma G)$ is $gamma$ times the derivative of that of $sigma$",
    statement=Eq(E(G * sigma(u)), gamma * D(M, t), evaluate=False),
    source="new; asked for after Lemma 18: by Stein's lemma",
)


@weighted.proof
def _(goal):
    """By Stein's lemma, this is $gamma$ times the mean of $sigma'$."""
    return (
        chain(goal.lhs)
        .then(gamma * E(slope(1)), by=stein(G))
        .then(goal.rhs, by=lemma("activation-derivative"))
    )


X = Symbol("X", real=True)
v = Symbol("v", positive=True)
law = GaussianLaw({X: t}, [[v]])
of_law = Expectation(sigma(X), law)

as_standard = Claim(
    id="activation-under-normal-law",
    title="A mean under the normal law of mean $t$ and variance $v$ is that at $t + sqrt(v) G$",
    statement=Eq(of_law, M.subs(gamma, sqrt(v)), evaluate=False),
    source="textbook",
)


@as_standard.proof
def _(goal):
    """The variable $t + sqrt(v) G$ has this law."""
    return chain(goal.lhs).then(
        goal.rhs, by=substitution({X: t + sqrt(v) * G}, standard_normal(G))
    )


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
        .then(
            E(slope(2)).subs(at_gamma) / 2,
            by=substitution({X: t + sqrt(v) * G}, standard_normal(G)),
        )
        .then(
            D(M.subs(at_gamma), (t, 2)) / 2,
            by=lemma("activation-second-derivative", gamma=sqrt(v)),
        )
        .then(goal.rhs, by=lemma("activation-under-normal-law"))
    )


# -- the distribution function of Laplace's law, centred ---------------------------------------

a = Symbol("a", real=True)


def laplace(x):
    return sign(x) * (1 - exp(-Abs(x)))


apart = piecewise(algebra)


def at_zero(goal):
    """Return the proof of an equality at x = 0."""
    return chain(at(goal.lhs, {x: 0})).then(at(goal.rhs, {x: 0}), by=algebra)


is_integral = Claim(
    id="laplace-activation",
    title="The function $sign(x) (1 - exp(-|x|))$ is the integral of $exp(-|z|)$ from 0 to $x$",
    statement=Eq(laplace(x), Integral(exp(-Abs(z)), (z, 0, x)), evaluate=False),
    source="new; asked for after Lemma 18",
    explanation=(
        "The function $sign(x) (1 - exp(-|x|))$ is the integral of $exp(-|z|)$ from 0 to $x$. So "
        "it vanishes at 0, is differentiable, and increases, as its derivative $exp(-|x|)$ is "
        "positive and continuous. It is twice the distribution function of Laplace's law, minus "
        "one. All means of Lemma 18 have closed forms for it, too."
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


def by_sign(goal):
    """Return the proof of an equality for x > 0, for x < 0 and at 0."""
    shown = chain(goal.lhs).then(goal.rhs, by=apart)
    return cases(goal, (Gt(x, 0), shown), (Lt(x, 0), shown), (Eq(x, 0), at_zero(goal)))


even = Claim(
    id="exp-abs-by-sign",
    title="$exp(-a |x|)$ as a sum of exponentials of $a x$ and $-a x$ with the sign of $x$",
    statement=Eq(
        exp(-a * Abs(x)),
        (exp(a * x) + exp(-a * x)) / 2 - sign(x) * (exp(a * x) - exp(-a * x)) / 2,
        evaluate=False,
    ),
    source="textbook",
)


@even.proof
def _(goal):
    """Distinguish the signs of $x$."""
    return by_sign(goal)


odd = Claim(
    id="sign-exp-abs-by-sign",
    title="$sign(x) exp(-a |x|)$ as a sum of exponentials with the sign of $x$",
    statement=Eq(
        sign(x) * exp(-a * Abs(x)),
        sign(x) * (exp(a * x) + exp(-a * x)) / 2 - (exp(a * x) - exp(-a * x)) / 2,
        evaluate=False,
    ),
    source="textbook",
)


@odd.proof
def _(goal):
    """Distinguish the signs of $x$."""
    return by_sign(goal)


def right(a):
    """Return the mean of exp(-a u) where u = t + gamma G is positive."""
    return (
        exp(a**2 * gamma**2 / 2 - a * t)
        * (1 + erf((t - a * gamma**2) / (sqrt(2) * gamma)))
        / 2
    )


def left(a):
    """Return the mean of exp(a u) where u = t + gamma G is negative."""
    return (
        exp(a**2 * gamma**2 / 2 + a * t)
        * (1 - erf((t + a * gamma**2) / (sqrt(2) * gamma)))
        / 2
    )


even_mean = Claim(
    id="exp-abs-mean",
    title="The mean of $exp(-a |t + gamma G|)$ in closed form",
    statement=Eq(E(exp(-a * Abs(u))), right(a) + left(a), evaluate=False),
    source="textbook",
)


@even_mean.proof
def _(goal):
    """Exponentials times a Gaussian density are multiples of Gaussian densities."""
    split = even.statement.rhs.subs(x, u)
    return (
        chain(goal.lhs)
        .then(E(split), by=inside(lemma("exp-abs-by-sign", x=u)))
        .then(goal.rhs, by=gaussian_calculus)
    )


odd_mean = Claim(
    id="sign-exp-abs-mean",
    title="The mean of $sign(u) exp(-a |u|)$ for $u = t + gamma G$ in closed form",
    statement=Eq(E(sign(u) * exp(-a * Abs(u))), right(a) - left(a), evaluate=False),
    source="textbook",
)


@odd_mean.proof
def _(goal):
    """As before."""
    split = odd.statement.rhs.subs(x, u)
    return (
        chain(goal.lhs)
        .then(E(split), by=inside(lemma("sign-exp-abs-by-sign", x=u)))
        .then(goal.rhs, by=gaussian_calculus)
    )


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


laplace_slope = Claim(
    id="laplace-activation-derivative",
    title="The derivative in $t$ of $E sigma(t + gamma G)$ is $E sigma'$ for Laplace's law, too",
    statement=Eq(D(E(laplace(u)), t), even_part(1), evaluate=False),
    source="new; asked for after Lemma 18: (i) for this function",
)


@laplace_slope.proof
def _(goal):
    """Both sides have closed forms."""
    return (
        chain(goal.lhs)
        .then(D(laplace_mean.statement.rhs, t), by=lemma("laplace-activation-mean"))
        .then(right(1) + left(1), by=differentiate)
        .then(goal.rhs, by=lemma("exp-abs-mean", a=1))
    )


laplace_bend = Claim(
    id="laplace-activation-second-derivative",
    title="The second derivative in $t$ of $E sigma(t + gamma G)$ for Laplace's law",
    statement=Eq(D(even_part(a), t), -a * odd_part(a), evaluate=False),
    source="new; asked for after Lemma 18: (iii) for this function",
)


@laplace_bend.proof
def _(goal):
    """Both sides have closed forms."""
    return (
        chain(goal.lhs)
        .then(D(right(a) + left(a), t), by=lemma("exp-abs-mean"))
        .then(a * left(a) - a * right(a), by=differentiate)
        .then(goal.rhs, by=lemma("sign-exp-abs-mean"))
    )


laplace_squared = Claim(
    id="laplace-activation-squared",
    title="The square of $sign(x) (1 - exp(-|x|))$ is $(1 - exp(-|x|))^2$",
    statement=Eq(laplace(x) ** 2, (1 - exp(-Abs(x))) ** 2, evaluate=False),
    source="textbook",
)


@laplace_squared.proof
def _(goal):
    """Both sides vanish at 0."""
    return by_sign(goal)


laplace_square = Claim(
    id="laplace-activation-square",
    title="sq",
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
        .then(E((1 - exp(-Abs(u))) ** 2), by=inside(lemma("laplace-activation-squared", x=u)))
        .then(1 - 2 * even_part(1) + even_part(2), by=linearity)
        .then(1 - 2 * (right(1) + left(1)) + even_part(2), by=lemma("exp-abs-mean", a=1))
        .then(goal.rhs, by=lemma("exp-abs-mean", a=2))
    )


laplace_product = Claim(
    id="laplace-activation-and-derivative",
    title="prod",
    statement=Eq(
        E(laplace(u) * exp(-Abs(u))), right(1) - left(1) - right(2) + left(2), evaluate=False
    ),
    source="new; asked for after Lemma 18: (v) for this function",
)


@laplace_product.proof
def _(goal):
    """Except at 0, the square of the sign is 1."""
    return (
        chain(goal.lhs)
        .then(odd_part(1) - odd_part(2), by=linearity)
        .then(right(1) - left(1) - odd_part(2), by=lemma("sign-exp-abs-mean", a=1))
        .then(goal.rhs, by=lemma("sign-exp-abs-mean", a=2))
    )


# -- the clipped linear function ---------------------------------------------------------------


def clipped(x):
    return Max(-1, Min(1, x))


def clipped_slope(x):
    """Return 1 where |x| < 1, 0 where |x| > 1, and 1/2 in between."""
    return (sign(x + 1) - sign(x - 1)) / 2


def normal_abs(m):
    """Return the mean of the absolute value of m + gamma G."""
    density = sqrt(2 / pi) * gamma * exp(-(m**2) / (2 * gamma**2))
    return m * erf(m / (sqrt(2) * gamma)) + density


by_distances = Claim(
    id="clipped-by-absolute-values",
    title="Clipped to $[-1, 1]$, a number $x$ is half the difference of $|x + 1|$ and $|x - 1|$",
    statement=Eq(clipped(x), (Abs(x + 1) - Abs(x - 1)) / 2, evaluate=False),
    source="textbook",
)


@by_distances.proof
def _(goal):
    """Distinguish the cases."""
    return chain(goal.lhs).then(goal.rhs, by=apart)


clipped_mean = Claim(
    id="clipped-activation-mean",
    title="The mean of $t + gamma G$, clipped to $[-1, 1]$, in closed form",
    statement=Eq(E(clipped(u)), (normal_abs(t + 1) - normal_abs(t - 1)) / 2, evaluate=False),
    source="new; asked for after Lemma 18: (ii) for this function",
)


@clipped_mean.proof
def _(goal):
    """The mean of the absolute value of a Gaussian variable is known."""
    return (
        chain(goal.lhs)
        .then(E((Abs(u + 1) - Abs(u - 1)) / 2), by=inside(lemma("clipped-by-absolute-values", x=u)))
        .then(goal.rhs, by=gaussian_calculus)
    )


inside_mean = (erf((t + 1) / (sqrt(2) * gamma)) - erf((t - 1) / (sqrt(2) * gamma))) / 2

clipped_inside = Claim(
    id="clipped-activation-slope",
    title="The probability that $t + gamma G$ lies in $[-1, 1]$, in closed form",
    statement=Eq(E(clipped_slope(u)), inside_mean, evaluate=False),
    source="textbook",
)


@clipped_inside.proof
def _(goal):
    """The mean of the sign of a Gaussian variable is known."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


clipped_derivative = Claim(
    id="clipped-activation-derivative",
    title="The derivative in $t$ of $E sigma(t + gamma G)$ is $E sigma'$ for the clipped, too",
    statement=Eq(D(E(clipped(u)), t), E(clipped_slope(u)), evaluate=False),
    source="new; asked for after Lemma 18: (i) for this function",
)


@clipped_derivative.proof
def _(goal):
    """Both sides have closed forms."""
    return (
        chain(goal.lhs)
        .then(D(clipped_mean.statement.rhs, t), by=lemma("clipped-activation-mean"))
        .then(inside_mean, by=differentiate)
        .then(goal.rhs, by=lemma("clipped-activation-slope"))
    )


G1, G2 = symbols("G_1 G_2", real=True)

weighted_abs = Claim(
    id="stein-absolute-value",
    title="Stein's lemma for the absolute value: $E G |t + gamma G|$ in closed form",
    statement=Eq(E(G * Abs(u)), gamma * erf(t / (sqrt(2) * gamma)), evaluate=False),
    source="textbook",
    explanation=(
        "The mean of $G |t + gamma G|$ is $gamma$ times that of the sign of $t + gamma G$, as if "
        "Stein's lemma applied, which asks for a smooth function. Write $G$ as the sum of two "
        "independent variables over $sqrt(2)$. The mean over one of them is a smooth function of "
        "the other, to which the lemma applies."
    ),
)


@weighted_abs.proof
def _(goal):
    """Write $G$ as a sum of two variables; the mean over one is smooth in the other."""
    two, one = standard_normal(G1, G2), standard_normal(G1)
    part = t + gamma / sqrt(2) * G1
    w = part + gamma / sqrt(2) * G2
    smooth = part * erf(part / gamma) + gamma / sqrt(pi) * exp(-(part**2) / gamma**2)
    return (
        chain(goal.lhs)
        .then(
            Expectation((G1 + G2) / sqrt(2) * Abs(w), two),
            by=substitution({G: (G1 + G2) / sqrt(2)}, two),
        )
        .then(
            Expectation(G1 * Abs(w), two) / sqrt(2) + Expectation(G2 * Abs(w), two) / sqrt(2),
            by=linearity,
        )
        .then(sqrt(2) * Expectation(G1 * Abs(w), two), by=substitution({G1: G2, G2: G1}, two))
        .then(Expectation(sqrt(2) * G1 * Abs(w), two), by=linearity)
        .then(
            Expectation(Expectation(sqrt(2) * G1 * Abs(w), standard_normal(G2)), one),
            by=conditioning(G1),
        )
        .then(Expectation(sqrt(2) * G1 * smooth, one), by=inside(gaussian_calculus))
        .then(goal.rhs, by=gaussian_calculus)
    )


by_squares = Claim(
    id="clipped-square-by-absolute-values",
    title="The square of $x$, clipped to $[-1, 1]$, by $|x + 1|$ and $|x - 1|$",
    statement=Eq(
        clipped(x) ** 2, 1 + ((x - 1) * Abs(x + 1) - (x + 1) * Abs(x - 1)) / 2, evaluate=False
    ),
    source="textbook",
)


@by_squares.proof
def _(goal):
    """Distinguish the cases."""
    return chain(goal.lhs).then(goal.rhs, by=apart)


clipped_square = Claim(
    id="clipped-activation-square",
    title="The mean of the square of $t + gamma G$, clipped to $[-1, 1]$, in closed form",
    statement=Eq(
        E(clipped(u) ** 2),
        1
        + ((t - 1) * normal_abs(t + 1) - (t + 1) * normal_abs(t - 1)) / 2
        + gamma**2 * inside_mean,
        evaluate=False,
    ),
    source="new; asked for after Lemma 18",
)


@clipped_square.proof
def _(goal):
    """By Stein's lemma for the absolute value."""
    above, below = Abs(t + 1 + gamma * G), Abs(t - 1 + gamma * G)
    signs_of = erf((t + 1) / (sqrt(2) * gamma)), erf((t - 1) / (sqrt(2) * gamma))
    split = by_squares.statement.rhs.subs(x, u)
    return (
        chain(goal.lhs)
        .then(E(split), by=inside(lemma("clipped-square-by-absolute-values", x=u)))
        .then(
            1
            + ((t - 1) * E(above) - (t + 1) * E(below)) / 2
            + gamma * (E(G * above) - E(G * below)) / 2,
            by=linearity,
        )
        .then(
            1
            + ((t - 1) * E(above) - (t + 1) * E(below)) / 2
            + gamma * (gamma * signs_of[0] - E(G * below)) / 2,
            by=lemma("stein-absolute-value", t=t + 1),
        )
        .then(
            1
            + ((t - 1) * E(above) - (t + 1) * E(below)) / 2
            + gamma**2 * inside_mean,
            by=lemma("stein-absolute-value", t=t - 1),
        )
        .then(goal.rhs, by=gaussian_calculus)
    )


by_product = Claim(
    id="clipped-product-by-absolute-values",
    title="The clipped function times its derivative, by absolute values and signs",
    statement=Eq(
        clipped(x) * clipped_slope(x),
        (Abs(x + 1) - Abs(x - 1) - sign(x + 1) - sign(x - 1)) / 2,
        evaluate=False,
    ),
    source="textbook",
)


@by_product.proof
def _(goal):
    """Distinguish the cases."""
    return (
        chain(goal.lhs)
        .then(
            (Abs(x + 1) - Abs(x - 1)) / 2 * clipped_slope(x),
            by=lemma("clipped-by-absolute-values"),
        )
        .then(goal.rhs, by=apart)
    )


clipped_product = Claim(
    id="clipped-activation-and-derivative",
    title="The mean of the clipped function times its derivative, in closed form",
    statement=Eq(
        E(clipped(u) * clipped_slope(u)),
        (normal_abs(t + 1) - normal_abs(t - 1)) / 2
        - (erf((t + 1) / (sqrt(2) * gamma)) + erf((t - 1) / (sqrt(2) * gamma))) / 2,
        evaluate=False,
    ),
    source="new; asked for after Lemma 18: (v) for this function",
)


@clipped_product.proof
def _(goal):
    """The means of absolute values and signs are known."""
    split = by_product.statement.rhs.subs(x, u)
    return (
        chain(goal.lhs)
        .then(E(split), by=inside(lemma("clipped-product-by-absolute-values", x=u)))
        .then(goal.rhs, by=gaussian_calculus)
    )
