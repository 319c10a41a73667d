"""Deviations of students from the teachers, and the noise floor.

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
    Le,
    Lt,
    Matrix,
    Poly,
    Rational,
    Symbol,
    collect,
    exp,
    expand,
    fraction,
    pi,
    sqrt,
    symbols,
    together,
)

from slrsym.gaussian import Expectation, standard_normal
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    ball_arithmetic,
    chain,
    gaussian_calculus,
    having,
    lemma,
    signs,
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
        "The coefficients of $1$, $x^2$ and $-x$ in the determinant of $A - x B$, the matrix for "
        "exchangeable deviations from teachers, as polynomials in $K$"
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


p = Symbol("p", real=True)
q, s, w = symbols("q s w", positive=True)
# The discriminant, and the least root of a quadratic that is positive at 0 and falls there.
square = s**2 - 4 * p * q
least = 2 * q / (s + sqrt(square))


def quadratic(x):
    return p * x**2 - s * x + q


root = Claim(
    id="committee-block-root",
    title=(
        "$2 q/(s + sqrt(s^2 - 4 p q))$ is a root of $p x^2 - s x + q$, if $q, s > 0$ and $s^2 >= 4 "
        "p q$"
    ),
    statement=Eq(quadratic(least), 0, evaluate=False),
    source="new: of $p x^2 - s x + q$",
    hypotheses=[Ge(square, 0)],
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
        "For $K$ from 2 to 10, enclosures to six decimal places of the rate $eta_c$ of claim "
        "committee-critical-rate"
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
    """Enclose both sides of each inequality in intervals."""
    kinds = {Gt: "gt", Lt: "lt"}
    return all_of(
        *(getattr(chain(p.lhs), kinds[p.func])(p.rhs, by=ball_arithmetic) for p in goal.args)
    )


# -- how the critical learning rate falls with the number of units ---------------------------------

only = Claim(
    id="committee-block-root-least",
    title=(
        "For $q, s > 0$ and $s^2 >= 4 p q$, $p x^2 - s x + q$ is positive between 0 and its "
        "root $2 q/(s + sqrt(s^2 - 4 p q))$"
    ),
    statement=Gt(quadratic(w), 0),
    source="new: of $p x^2 - s x + q$",
    hypotheses=[Ge(square, 0), Lt(w, least)],
)


@only.proof
def _(goal):
    """Factor the quadratic: below the root both factors are positive."""
    h = sqrt(square)
    factors = (q - (s + h) * w / 2) * (q - (s - h) * w / 2) / q
    return chain(goal.lhs).then(factors, by=algebra).gt(0, by=signs)


largest = Claim(
    id="committee-block-root-above",
    title="If $p w^2 - s w + q < 0$ for $p, q, s, w > 0$, then $2 q/(s + sqrt(s^2 - 4 p q)) <= w$",
    statement=Le(least, w),
    source="new: of $p x^2 - s x + q$",
    hypotheses=[Gt(p, 0), Lt(quadratic(w), 0)],
)


@largest.proof
def _(goal):
    """The difference is a sum of positive terms."""
    h = sqrt(square)
    difference = (((s + h) * w - 2 * q) ** 2 - 4 * q * quadratic(w)) / (2 * h * w * (s + h))
    real = chain(square).then((s - 2 * p * w) ** 2 - 4 * p * quadratic(w), by=algebra)
    shown = chain(w - least).then(difference, by=algebra).ge(0, by=signs)
    return having(real.gt(0, by=signs), having(shown, chain(goal.lhs).le(w, by=signs)))


smallest = Claim(
    id="committee-block-root-below",
    title=(
        "If $p w^2 - s w + q > 0$, $s w < 2 q$ and $s^2 >= 4 p q$ for $q, s, w > 0$, then $2 "
        "q/(s + sqrt(s^2 - 4 p q)) >= w$"
    ),
    statement=Ge(least, w),
    source="new: of $p x^2 - s x + q$",
    hypotheses=[Ge(square, 0), Gt(quadratic(w), 0), Lt(s * w, 2 * q)],
)


@smallest.proof
def _(goal):
    """The difference is a quotient of positive terms."""
    h = sqrt(square)
    difference = 4 * q * quadratic(w) / ((2 * q - s * w + h * w) * (s + h))
    shown = chain(least - w).then(difference, by=algebra).ge(0, by=signs)
    return having(shown, chain(goal.lhs).ge(w, by=signs))


low, high = (sqrt(3) / K - t / K**2 for t in (Rational(3, 5), Rational(1, 2)))
PAIRS = {p: a, s: b, q: c}
signed = (
    a,
    b,
    c,
    square.subs(PAIRS),
    quadratic(low).subs(PAIRS),
    -quadratic(high).subs(PAIRS),
    (2 * q - s * low).subs(PAIRS),
)
coefficients = Claim(
    id="committee-block-signs",
    title=(
        "For $K >= 2$, the determinant of committee-block-determinants changes sign between $K x = "
        "sqrt(3) - 3/(5 K)$ and $K x = sqrt(3) - 1/(2 K)$"
    ),
    statement=And(*(Gt(x, 0, evaluate=False) for x in signed), evaluate=False),
    source="new",
    hypotheses=[Ge(K, 2)],
    notation=written,
)


@coefficients.proof
def _(goal):
    """Polynomials in $K - 2$ with positive coefficients, over powers of $K$."""

    def shown(value):
        above, below = fraction(together(value))
        m = Symbol("m")
        numbers = Poly(expand(above.subs(K, m + 2)), m).all_coeffs()[::-1]
        total = sum(x * (K - 2) ** i for i, x in enumerate(numbers)) / below
        proof = chain(value).then(total, by=algebra).gt(0, by=signs)
        for x in numbers:
            proof = having(chain(x).gt(0, by=ball_arithmetic), proof)
        return proof

    return all_of(*(shown(part.lhs) for part in goal.args))


eta = Symbol("eta", positive=True)


def determinant_at(x):
    """Return the determinant of the block at a value x of eta/pi."""
    return quadratic(x).subs(PAIRS)


critical = Claim(
    id="committee-critical-rate",
    title=(
        "For $K >= 2$, $eta_c/pi$ is the determinant's least positive root, and $K eta_c$ is "
        "between $sqrt(3) pi - 3 pi/(5 K)$ and $sqrt(3) pi - pi/(2 K)$"
    ),
    statement=And(
        Eq(determinant_at(limit_rate / pi), 0, evaluate=False),
        Gt(determinant_at(eta / pi), 0, evaluate=False),
        Ge(K * limit_rate, pi * (sqrt(3) - Rational(3, 5) / K), evaluate=False),
        Le(K * limit_rate, pi * (sqrt(3) - Rational(1, 2) / K), evaluate=False),
        evaluate=False,
    ),
    source="Section 4",
    hypotheses=[Ge(K, 2), Lt(eta, limit_rate, evaluate=False)],
    notation=written
    | {
        Function("Delta", real=True)(eta): determinant_at(eta / pi),
        Function("Delta", real=True)(eta_c(K)): determinant_at(limit_rate / pi),
    },
    explanation=(
        "For every $K >= 2$, $eta_c(K)$ is the least positive learning rate at which the "
        "determinant $Delta$ vanishes whose coefficients are those of "
        "`committee-block-determinants`: it is positive at every smaller one. By the linear "
        "equation for their covariances, which is derived for two students "
        "(`committee-matched-flow`), exchangeable deviations from the teachers stop decaying "
        "there. The product $K eta_c$ is below $sqrt(3) pi$ by at least $pi/(2 K)$ and at most $3 "
        "pi/(5 K)$, so this is its limit."
    ),
)


@critical.proof
def _(goal):
    """Bound the least root by two points at which the sign of the determinant is known."""

    def by(name, **point):
        return lemma(f"committee-block-{name}", PAIRS, **point)

    x, limit = eta / pi, limit_rate / pi
    shown = {
        Eq: lambda part: chain(part.lhs).then(0, by=by("root")),
        Gt: lambda part: chain(part.lhs).gt(0, by=by("root-least", w=x)),
        Ge: lambda part: (
            chain(part.lhs)
            .ge(K * pi * low, by=by("root-below", w=low).scaled(K * pi))
            .then(part.rhs, by=algebra)
        ),
        Le: lambda part: (
            chain(part.lhs)
            .le(K * pi * high, by=by("root-above", w=high).scaled(K * pi))
            .then(part.rhs, by=algebra)
        ),
    }
    proof = all_of(*(shown[part.func](part) for part in goal.args))
    proof = having(chain(x).lt(limit, by=signs), proof)
    for part in signed:
        proof = having(chain(part).gt(0, by=lemma("committee-block-signs")), proof)
    for part in (low, high):
        proof = having(chain(part).gt(0, by=signs), proof)
    return proof


# -- the noise floor ------------------------------------------------------------------------------

# Of K students: the covariances solve (A - x B) (v, w) = eta sigma^2/2 a, with x = eta/pi and a the
# first column of A. That is, (v, w) = eta sigma^2/2 ((1, 0) + x (A - x B)^-1 b), with b the first
# column of B, and the error is K/pi times the first row of A times (v, w). The first rows of A and
# B are the transposed first columns, but for a factor K - 1 of the second entry.
block = A - eta / pi * B
own, other, rest_of_row = block[0, 0], block[1, 0], block[1, 1]
determinant = own * rest_of_row - (K - 1) * other**2


def form(first, second):
    """Return (first, (K - 1) second) times (A - x B)^-1 times the column (first, second)."""
    # A bare number before a sum would be multiplied out, so the determinant comes first.
    return (
        rest_of_row / determinant * first**2
        - 2 * (K - 1) * first * second * other / determinant
        + (K - 1) * own / determinant * second**2
    )


floor = K * form(A[0, 0], A[1, 0])
rest = form(B[0, 0], B[1, 0])
coefficients_of_c = (c.coeff(K), c.coeff(K, 0))

second_order = Claim(
    id="committee-floor-second-order",
    title=(
        "The noise floor of $K$ students of $K$ teachers by Cramer's rule, expanded to second "
        "order in $eta$, with an exact expression of the remainder"
    ),
    statement=And(
        Eq(
            floor,
            K * (1 / sqrt(3) + eta / pi * B[0, 0] + (eta / pi) ** 2 * rest),
            evaluate=False,
        ),
        *(Gt(number, 0, evaluate=False) for number in coefficients_of_c),
        evaluate=False,
    ),
    source="Section 5: half the trace of $A V$, as the noise vanishes",
    hypotheses=[Gt(determinant, 0)],
    notation={
        Function("F", real=True)(eta): floor,
        Function("rho", real=True)(eta): rest,
        Function("Delta", real=True)(eta): determinant,
        Function("p", real=True)(eta): own,
        Function("q", real=True)(eta): other,
        Function("r", real=True)(eta): rest_of_row,
        Function("beta_1", real=True)(K): B[0, 0],
        Function("beta_2", real=True)(K): B[1, 0],
        Function("beta_3", real=True)(K): B[1, 1],
    },
    explanation=(
        "In units of $sigma^2 eta/(2 pi)$, the noise floor $F(eta)$ of $K$ students of $K$ "
        "teachers is given to second order in the learning rate, with the rest. The matrix $A - "
        "(eta/pi) B$ has the rows $p, (K - 1) q$ and $q, r$, and the determinant $Delta$. The "
        "factor $rho(eta)$ is a quotient of polynomials in $eta$ with the denominator "
        "$Delta(eta)$. At $eta = 0$ that is the polynomial $c(K)$ of "
        "`committee-block-determinants`, whose coefficients are positive by the other parts. So "
        "the rest is $O(eta^2)$. That the covariances solve this equation is derived for two "
        "students: `committee-matched-flow`."
    ),
)


@second_order.proof
def _(goal):
    """Multiply out; the coefficients are numbers."""
    return all_of(
        *(
            chain(p.lhs).gt(0, by=ball_arithmetic)
            if isinstance(p, Gt)
            else chain(p.lhs).then(p.rhs, by=algebra)
            for p in goal.args
        )
    )


# -- two students of two teachers ------------------------------------------------------------------

floor_of_two, determinant_of_two = (value.subs(K, 2) for value in (floor, determinant))
above, below = (collect(expand(part), eta) for part in fraction(together(floor_of_two)))

two = Claim(
    id="committee-floor-two-students",
    title=(
        "The noise floor of two students of two teachers is $sigma^2 eta/(2 pi)$ times a ratio of "
        "polynomials in $eta$"
    ),
    statement=Eq(floor_of_two, above / below, evaluate=False),
    source="Section 5: half the trace of $A V$",
    hypotheses=[Gt(determinant_of_two, 0)],
)


@two.proof
def _(goal):
    """Multiply out."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


FLOORS = {"0.05": "1.1801", "0.1": "1.2066", "0.2": "1.2635"}
half_unit = Rational(1, 20000)
values = {rate: (above / below).subs(eta, Rational(rate)) for rate in FLOORS}
F = Function("F", real=True)
floors = Claim(
    id="committee-floor-exact",
    title=(
        "In units of $sigma^2 eta/(2 pi)$, the noise floor of two students of two teachers is "
        "1.1801, 1.2066 and 1.2635 at $eta = 0.05$, 0.1 and 0.2"
    ),
    statement=And(
        *(
            relation
            for rate, x in FLOORS.items()
            for relation in (
                Gt(values[rate], Rational(x) - half_unit, evaluate=False),
                Lt(values[rate], Rational(x) + half_unit, evaluate=False),
            )
        ),
        evaluate=False,
    ),
    source="Section 5",
    notation={F(Rational(rate)): value for rate, value in values.items()} | {F(eta): above / below},
)


@floors.proof
def _(goal):
    """Enclose both sides of each inequality in intervals."""
    kinds = {Gt: "gt", Lt: "lt"}
    return all_of(
        *(getattr(chain(p.lhs), kinds[p.func])(p.rhs, by=ball_arithmetic) for p in goal.args)
    )
