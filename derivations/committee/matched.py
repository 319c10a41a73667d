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
    Lt,
    Matrix,
    Rational,
    Symbol,
    exp,
    pi,
    sqrt,
)

from slrsym.gaussian import Expectation, standard_normal
from slrsym.proof import (
    Claim,
    all_of,
    ball_arithmetic,
    chain,
    gaussian_calculus,
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
