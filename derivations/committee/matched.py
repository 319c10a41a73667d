"""Students that are equal to the teachers: deviations from them, and the largest learning rate.

As many students as teachers, K of each, with orthonormal teachers and all second layers 1. Let
student i be teacher i plus a small deviation. To first order, the output is off by a sum of g'(r_i)
times the field of deviation i, which is independent of the teachers' fields r. So the covariances
V of the deviations follow a linear equation with the coefficients E g'(r_i) g'(r_j) and
E g'(r_i) g'(r_j) g'(r_k) g'(r_l). For exchangeable students V has one value v on the diagonal and
one, w, off it.
"""

from sympy import (
    And,
    Eq,
    Gt,
    Limit,
    Lt,
    Matrix,
    Rational,
    Symbol,
    exp,
    expand,
    oo,
    pi,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, standard_normal
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    ball_arithmetic,
    chain,
    gaussian_calculus,
    lemma,
    limits,
)

r = Symbol("r", real=True)
n = Symbol("n", nonnegative=True)
K = Symbol("K", positive=True)
eta = Symbol("eta", positive=True)

power = Claim(
    id="committee-slope-moment",
    title="The mean of $exp(-n r^2/2)$, of which the moments of the slope of $g$ are made",
    statement=Eq(
        Expectation(exp(-n * r**2 / 2), standard_normal(r)), 1 / sqrt(1 + n), evaluate=False
    ),
    source="COMMITTEE S14",
)


@power.proof
def _(goal):
    """A Gaussian integral."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


def e(n):
    return 1 / sqrt(1 + n)


A = Matrix([[e(2), (K - 1) * e(1) ** 2], [e(1) ** 2, e(2) + (K - 2) * e(1) ** 2]]) * 2 / pi
B = (
    Matrix(
        [
            [
                e(4) + (K - 1) * e(2) ** 2,
                2 * (K - 1) * e(3) * e(1) + (K - 1) * (K - 2) * e(2) * e(1) ** 2,
            ],
            [
                2 * e(3) * e(1) + (K - 2) * e(2) * e(1) ** 2,
                2 * e(2) ** 2 + 4 * (K - 2) * e(2) * e(1) ** 2 + (K - 2) * (K - 3) * e(1) ** 4,
            ],
        ]
    )
    * 4
    / pi**2
)
M = eta * B - 2 * A

# The determinant of the block is a eta^2 - b eta + c.
c = 4 * A.det()
a = B.det()
b = 2 * (A[0, 0] * B[1, 1] + A[1, 1] * B[0, 0] - A[0, 1] * B[1, 0] - A[1, 0] * B[0, 1])
limit_rate = 2 * c / (b + sqrt(b**2 - 4 * a * c))

rates = {2: "2.306828", 3: "1.620675", 4: "1.249393", 5: "1.016448", 6: "0.856663",
         7: "0.740258", 8: "0.651685", 9: "0.582032", 10: "0.525824"}  # fmt: skip
half = Rational(1, 2 * 10**6)

numbers = Claim(
    id="committee-critical-rates",
    title="The learning rate at which the symmetric block loses stability, for $K$ from 2 to 10",
    statement=And(
        *(
            relation
            for k, x in rates.items()
            for relation in (
                Gt(limit_rate.subs(K, k), Rational(x) - half, evaluate=False),
                Lt(limit_rate.subs(K, k), Rational(x) + half, evaluate=False),
            )
        ),
        evaluate=False,
    ),
    source="COMMITTEE S14",
)


@numbers.proof
def _(goal):
    """Enclose both sides."""
    kinds = {Gt: "gt", Lt: "lt"}
    return all_of(
        *(getattr(chain(p.lhs), kinds[p.func])(p.rhs, by=ball_arithmetic) for p in goal.args)
    )


# -- many units ----------------------------------------------------------------------------------

k = Symbol("k", real=True)
a_0, a_1, a_2, b_0, b_1, c_0, c_1 = symbols("a_0 a_1 a_2 b_0 b_1 c_0 c_1", real=True)
b_2 = Symbol("b_2", positive=True)


def scaled(k, a_0, a_1, a_2, b_0, b_1, b_2, c_0, c_1):
    """Return k times the smaller root of a x^2 - b x + c, with polynomials a, b and c in k."""
    x = 1 / k
    size = b_2 + b_1 * x + b_0 * x**2
    inside = size**2 - 4 * (a_2 + a_1 * x + a_0 * x**2) * (c_1 + c_0 * x) * x
    return 2 * (c_1 + c_0 * x) / (size + sqrt(inside))


root_limit = Claim(
    id="committee-root-limit",
    title="The smaller root of a quadratic equation whose coefficients grow, times $k$",
    statement=Eq(
        Limit(scaled(k, a_0, a_1, a_2, b_0, b_1, b_2, c_0, c_1), k, oo), c_1 / b_2, evaluate=False
    ),
    source="COMMITTEE S14",
)


@root_limit.proof
def _(goal):
    """Compare leading terms."""
    return chain(goal.lhs).then(goal.rhs, by=limits)


def coefficients(polynomial, degree):
    return [expand(polynomial).coeff(K, i) for i in range(degree + 1)]


VALUES = (*coefficients(a, 2), *coefficients(b, 2), *coefficients(c, 1))

many = Claim(
    id="committee-critical-rate-many",
    title="With many units the critical learning rate is $sqrt(3) pi/K$",
    statement=Eq(Limit(scaled(k, *VALUES), k, oo), sqrt(3) * pi, evaluate=False),
    source="COMMITTEE S14",
)


@many.proof
def _(goal):
    """Compare leading terms: $c_1/b_2$ is $sqrt(3) pi$."""
    names = (a_0, a_1, a_2, b_0, b_1, b_2, c_0, c_1)
    values = {name.name: value for name, value in zip(names, VALUES, strict=True)}
    positive = chain(values["b_2"]).gt(0, by=ball_arithmetic)
    return (
        chain(goal.lhs)
        .then(
            values["c_1"] / values["b_2"],
            by=lemma("committee-root-limit", **values).where(positive),
        )
        .then(goal.rhs, by=algebra)
    )
