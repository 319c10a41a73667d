"""Deviations of students from the teachers.

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
    Function,
    Ge,
    Gt,
    Lt,
    Matrix,
    Rational,
    Symbol,
    collect,
    exp,
    expand,
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
)

r = Symbol("r", real=True)
n = Symbol("n", nonnegative=True)
K = Symbol("K", positive=True)

power = Claim(
    id="committee-slope-moment",
    title="$E exp(-n r^2/2) = 1/sqrt(1 + n)$ for a standard normal $r$",
    statement=Eq(
        Expectation(exp(-n * r**2 / 2), standard_normal(r)), 1 / sqrt(1 + n), evaluate=False
    ),
    source="Section 4",
)


@power.proof
def _(goal):
    """A Gaussian integral."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


def e(n):
    return 1 / sqrt(1 + n)


# The block is (4/pi) (eta/pi B - A): the factors of A and B are taken out.
A = Matrix([[e(2), (K - 1) * e(1) ** 2], [e(1) ** 2, e(2) + (K - 2) * e(1) ** 2]])
B = Matrix(
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
# With x = eta/pi, the determinant of x B - A is a x^2 - b x + c.
products = (
    B[0, 0] * B[1, 1] - B[0, 1] * B[1, 0],
    A[0, 0] * B[1, 1] + A[1, 1] * B[0, 0] - A[0, 1] * B[1, 0] - A[1, 0] * B[0, 1],
    A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0],
)
a, b, c = (collect(expand(product), K) for product in products)

determinants = Claim(
    id="committee-block-determinants",
    title=(
        "The determinant that decides whether exchangeable deviations from the teachers decay: "
        "its coefficients in $eta/pi$ are polynomials in $K$"
    ),
    statement=And(
        *(Eq(p, q, evaluate=False) for p, q in zip(products, (a, b, c), strict=True)),
        evaluate=False,
    ),
    source="Section 4: the block is $(4/pi)(x B - A)$ with $x = eta/pi$",
)


@determinants.proof
def _(goal):
    """Multiply out."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


p, q = symbols("p q", real=True)
s = Symbol("s", positive=True)
root = Claim(
    id="committee-block-root",
    title="$2 q/(s + sqrt(s^2 - 4 p q))$ is a root of $p x^2 - s x + q$",
    statement=Eq(
        p * (2 * q / (s + sqrt(s**2 - 4 * p * q))) ** 2
        - s * (2 * q / (s + sqrt(s**2 - 4 * p * q)))
        + q,
        0,
        evaluate=False,
    ),
    source="new: of $p x^2 - s x + q$",
    hypotheses=[Ge(s**2 - 4 * p * q, 0)],
)


@root.proof
def _(goal):
    """Put it into the polynomial."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


limit_rate = 2 * pi * c / (b + sqrt(b**2 - 4 * (a * c)))
rates = {2: "2.306828", 3: "1.620675", 4: "1.249393", 5: "1.016448", 6: "0.856663",
         7: "0.740258", 8: "0.651685", 9: "0.582032", 10: "0.525824"}  # fmt: skip
half = Rational(1, 2 * 10**6)

# How the learning rate and the coefficients are written.
eta_c = Function("eta_c", real=True)
written = {
    **{Function(name, real=True)(K): value for name, value in zip("abc", (a, b, c), strict=True)},
    **{eta_c(k): limit_rate.subs(K, k) for k in rates},
    eta_c(K): limit_rate,
}

numbers = Claim(
    id="committee-critical-rates",
    title=(
        "The learning rate at which exchangeable deviations from the teachers stop decaying, for "
        "$K$ from 2 to 10, to six decimal places"
    ),
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
    source="Section 4",
    notation=written,
)


@numbers.proof
def _(goal):
    """Enclose both sides."""
    kinds = {Gt: "gt", Lt: "lt"}
    return all_of(
        *(getattr(chain(p.lhs), kinds[p.func])(p.rhs, by=ball_arithmetic) for p in goal.args)
    )
