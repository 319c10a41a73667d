"""The Gaussian means of which the equations of motion are made.

The activation is $g(u) = erf(u/sqrt 2)$. Local fields are jointly Gaussian and centred; their
covariances are the order parameters. Two fields may be one and the same.
"""

from sympy import Eq, Ge, Le, Matrix, asin, erf, pi, sqrt, symbols

from slrsym.gaussian import Expectation, GaussianLaw, erf_prime
from slrsym.proof import Claim, chain, gaussian_calculus

a, b, c = symbols("a b c", real=True)
c_aa, c_bb, c_cc = symbols("c_aa c_bb c_cc", nonnegative=True)
c_ab, c_ac, c_bc = symbols("c_ab c_ac c_bc", real=True)

pair = GaussianLaw({a: 0, b: 0}, [[c_aa, c_ab], [c_ab, c_bb]])
C = Matrix([[c_aa, c_ab, c_ac], [c_ab, c_bb, c_bc], [c_ac, c_bc, c_cc]])
triple = GaussianLaw({a: 0, b: 0, c: 0}, C)
is_law_of_two = Le(c_ab**2, c_aa * c_bb)
is_law_of_three = [
    is_law_of_two, Le(c_ac**2, c_aa * c_cc), Le(c_bc**2, c_bb * c_cc), Ge(C.det(), 0)
]  # fmt: skip


def g(u):
    return erf(u / sqrt(2))


def slope(u):
    return erf_prime(u / sqrt(2)) / sqrt(2)


outputs = Claim(
    id="committee-two-outputs",
    title=(
        "$I_2$, the mean product of the outputs at two fields $a$, $b$ with covariance $c_ab$, is "
        "$(2/pi) asin(c_ab/(sqrt(1 + c_aa) sqrt(1 + c_bb)))$"
    ),
    statement=Eq(
        Expectation(g(a) * g(b), pair),
        2 / pi * asin(c_ab / sqrt((1 + c_aa) * (1 + c_bb))),
        evaluate=False,
    ),
    source="Section 1",
    hypotheses=[is_law_of_two],
    explanation=(
        "Two units of a committee agree as far as their weights do: the mean product of their "
        "outputs is an arc sine of the covariance, scaled by the variances plus 1. The 1 is the "
        "variance of the Gaussian of which $erf$ is the distribution function. It enters that the "
        "fields are centred; they may be degenerate, or one and the same."
    ),
)


@outputs.proof
def _(goal):
    """The arc sine law of two centred Gaussians."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


slopes = Claim(
    id="committee-two-slopes",
    title=(
        "$J_2$, the mean product of the slopes at two fields $a$, $b$ with covariance $c_ab$, is "
        "$(2/pi)/sqrt((1 + c_aa) (1 + c_bb) - c_ab^2)$"
    ),
    statement=Eq(
        Expectation(slope(a) * slope(b), pair),
        2 / pi / sqrt((1 + c_aa) * (1 + c_bb) - c_ab**2),
        evaluate=False,
    ),
    source="Section 1",
    hypotheses=[is_law_of_two],
)


@slopes.proof
def _(goal):
    """A Gaussian integral in two variables."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


gradient = Claim(
    id="committee-slope-field-output",
    title="$I_3$, the mean of a slope times a field times an output, in closed form",
    statement=Eq(
        Expectation(slope(a) * b * g(c), triple),
        2
        / pi
        * (c_bc * (1 + c_aa) - c_ab * c_ac)
        / ((1 + c_aa) * sqrt((1 + c_aa) * (1 + c_cc) - c_ac**2)),
        evaluate=False,
    ),
    source="Section 1",
    hypotheses=is_law_of_three,
    explanation=(
        "This mean is what a step of descent adds to an overlap, to first order in the learning "
        "rate. Stein's lemma takes the field away; what is left are means of two slopes, and of "
        "the derivative of a slope and an output."
    ),
)


@gradient.proof
def _(goal):
    """Stein's lemma takes the field away."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)
