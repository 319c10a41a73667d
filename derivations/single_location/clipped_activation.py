"""Means of a clipped linear function.

The function max(-1, min(1, x)) is bounded and 0 at 0, but not differentiable at -1 and 1, and
constant beyond them.
"""

from sympy import Abs, Eq, Max, Min, Symbol, erf, exp, pi, sign, sqrt, symbols

from slrsym.gaussian import Expectation, standard_normal
from slrsym.papers.single_location.notation import G
from slrsym.proof import (
    Claim,
    D,
    algebra,
    chain,
    conditioning,
    differentiate,
    gaussian_calculus,
    inside,
    lemma,
    linearity,
    piecewise,
    substitution,
)

t = Symbol("t", real=True)
gamma = Symbol("gamma", positive=True)
x = Symbol("x", real=True)
u = t + gamma * G
apart = piecewise(algebra)


def E(f):
    return Expectation(f, standard_normal(G))


def clipped(x):
    return Max(-1, Min(1, x))


def clipped_derivative_at(x):
    """Return 1 where |x| < 1, 0 where |x| > 1, and 1/2 in between."""
    return (sign(x + 1) - sign(x - 1)) / 2


def normal_abs(m):
    """Return the mean of the absolute value of m + gamma G."""
    density = sqrt(2 / pi) * gamma * exp(-(m**2) / (2 * gamma**2))
    return m * erf(m / (sqrt(2) * gamma)) + density


by_distances = Claim(
    id="clipped-by-absolute-values",
    title="Clipped to $[-1, 1]$, a number $x$ is $(|x + 1| - |x - 1|)/2$",
    statement=Eq(clipped(x), (Abs(x + 1) - Abs(x - 1)) / 2, evaluate=False),
    source="textbook",
)


@by_distances.proof
def _(goal):
    """Distinguish the cases of $x < -1$, $|x| < 1$ and $x > 1$."""
    return chain(goal.lhs).then(goal.rhs, by=apart)


clipped_mean = Claim(
    id="clipped-activation-mean",
    title="The mean of $u$ clipped to $[-1, 1]$, for $u = t + gamma G$, in closed form",
    statement=Eq(E(clipped(u)), (normal_abs(t + 1) - normal_abs(t - 1)) / 2, evaluate=False),
    source="new; asked for after Lemma 18: (ii) for this function",
    explanation=(
        "The mean of $t + gamma G$, clipped to $[-1, 1]$, has a closed form in $erf$ and $exp$. "
        "The function is bounded and 0 at 0, but lacks the derivative at $-1$ and 1 that the paper "
        "asks for. Elsewhere the derivative is $(sign(x + 1) - sign(x - 1))/2$; its mean is the "
        "derivative in $t$ of that of the function, as if this were smooth."
    ),
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
    id="probability-of-unit-interval",
    title="The probability that $t + gamma G$ is in $[-1, 1]$, in closed form",
    statement=Eq(E(clipped_derivative_at(u)), inside_mean, evaluate=False),
    source="textbook",
)


@clipped_inside.proof
def _(goal):
    """The mean of the sign of a Gaussian variable is known."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


clipped_derivative = Claim(
    id="clipped-activation-derivative",
    title=(
        "The derivative in $t$ of the mean of $u = t + gamma G$ clipped to $[-1, 1]$ is the "
        "probability that $u$ is in $[-1, 1]$"
    ),
    statement=Eq(D(E(clipped(u)), t), E(clipped_derivative_at(u)), evaluate=False),
    source="new; asked for after Lemma 18: (i) for this function",
)


@clipped_derivative.proof
def _(goal):
    """Both sides have closed forms."""
    return (
        chain(goal.lhs)
        .then(D(clipped_mean.statement.rhs, t), by=lemma("clipped-activation-mean"))
        .then(inside_mean, by=differentiate)
        .then(goal.rhs, by=lemma("probability-of-unit-interval"))
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
    title="The square of $x$ clipped to $[-1, 1]$ is $1 - ((1 - x)|x + 1| + (1 + x)|x - 1|)/2$",
    statement=Eq(
        clipped(x) ** 2, 1 + ((x - 1) * Abs(x + 1) - (x + 1) * Abs(x - 1)) / 2, evaluate=False
    ),
    source="textbook",
)


@by_squares.proof
def _(goal):
    """Distinguish the cases of $x < -1$, $|x| < 1$ and $x > 1$."""
    return chain(goal.lhs).then(goal.rhs, by=apart)


clipped_square = Claim(
    id="clipped-activation-square",
    title="The mean square of $u$ clipped to $[-1, 1]$, for $u = t + gamma G$, in closed form",
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
            1 + ((t - 1) * E(above) - (t + 1) * E(below)) / 2 + gamma**2 * inside_mean,
            by=lemma("stein-absolute-value", t=t - 1),
        )
        .then(goal.rhs, by=gaussian_calculus)
    )


clipped_product = Claim(
    id="clipped-activation-and-derivative",
    title=(
        "The mean of $f(u) f'(u)$ for $u = t + gamma G$, where $f$ clips to $[-1, 1]$, in closed "
        "form"
    ),
    statement=Eq(
        E(clipped(u) * clipped_derivative_at(u)),
        (normal_abs(t + 1) - normal_abs(t - 1)) / 2
        - (erf((t + 1) / (sqrt(2) * gamma)) + erf((t - 1) / (sqrt(2) * gamma))) / 2,
        evaluate=False,
    ),
    source="new; asked for after Lemma 18: (v) for this function",
)


@clipped_product.proof
def _(goal):
    """Write the clipped number by absolute values, and multiply out in each case."""
    distances = Abs(u + 1) - Abs(u - 1)
    return (
        chain(goal.lhs)
        .then(
            E(distances / 2 * clipped_derivative_at(u)),
            by=inside(lemma("clipped-by-absolute-values", x=u)),
        )
        .then(E((distances - sign(u + 1) - sign(u - 1)) / 2), by=inside(apart))
        .then(goal.rhs, by=gaussian_calculus)
    )
