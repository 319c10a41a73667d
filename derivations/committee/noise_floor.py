"""The noise floor: how far from the teachers stochastic descent stays, by the noise of the labels.

Near a matched fixed point the covariances V of the deviations solve $A V + V A = eta (B[V] +
sigma^2 A)$, where A has the entries $E g'(l_i) g'(l_j)$; see `committee-matched-flow`. To first
order in the learning rate eta, $V = eta sigma^2/2$ times the identity, and half the trace of A V is
the generalisation error.
"""

from sympy import (
    And,
    Eq,
    Equivalent,
    Gt,
    Heaviside,
    Lt,
    Rational,
    Symbol,
    pi,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, erf_prime, standard_normal
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    chain,
    gaussian_calculus,
    never,
    only_at,
    solution,
    solution_set,
    split_product,
)

eta, sigma = symbols("eta sigma", positive=True)
L, M = symbols("L M", integer=True, nonnegative=True)
A_ij = Symbol("A_ij", real=True)
floor = eta * sigma**2 / 2

# Fields of a teacher and of a surplus unit, which has vanished.
r_1, l_0 = symbols("r_1 l_0", real=True)


def squared_slope(field, variance):
    slope = erf_prime(field / sqrt(2)) / sqrt(2)
    return Expectation(slope**2, GaussianLaw({field: 0}, [[variance]]))


first_order = Claim(
    id="committee-floor",
    title=(
        "$eta sigma^2/4$ times the sum of the mean squared slopes of $M$ teachers and $L$ units of "
        "weight 0, the first-order noise floor, is $eta sigma^2 (L + M/sqrt(3))/(2 pi)$"
    ),
    statement=Eq(
        floor * (M * squared_slope(r_1, 1) + L * squared_slope(l_0, 0)) / 2,
        sigma**2 * eta / (2 * pi) * (L + M / sqrt(3)),
        evaluate=False,
    ),
    source="Section 5",
)


@first_order.proof
def _(goal):
    """Half the trace of A V."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


x, y = symbols("x y", real=True)
p, q, r, s, f, h = symbols("p q r s f h", real=True)
solved = Claim(
    id="committee-floor-solution",
    title="Cramer's rule solves the two linear equations for the covariances at the noise floor",
    statement=And(
        Eq(p * (s * f - q * h) / (p * s - q * r) + q * (p * h - r * f) / (p * s - q * r), f),
        Eq(r * (s * f - q * h) / (p * s - q * r) + s * (p * h - r * f) / (p * s - q * r), h),
        evaluate=False,
    ),
    source="Section 5: of the matrix $A - x B$ and the source",
    hypotheses=[Gt(p * s - q * r, 0)],
)


@solved.proof
def _(goal):
    """Multiply out: the determinant cancels."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


# -- linear units ------------------------------------------------------------------------------

n = Symbol("n", positive=True)
u = Symbol("u", real=True)
# The sum u of all covariances of the deviations of n linear units.
velocity = -2 * eta * n * u + eta**2 * n**2 * (u + sigma**2)
linear_floor = eta * n * sigma**2 / (2 - eta * n)

linear = Claim(
    id="committee-floor-linear",
    title=(
        "For $n$ linear units and $eta n < 2$, the sum of covariances $u = eta n sigma^2/(2 - "
        "eta n)$ is the one solution of $eta n (sigma^2 + u) = 2 u$"
    ),
    statement=Equivalent(Eq(velocity, 0), Eq(u, linear_floor)),
    source="Section 5, with $n = L + M$; the error is $u/2$",
    hypotheses=[Lt(eta * n, 2)],
)


@linear.proof
def _(goal):
    """The equation is linear."""
    rate = eta * n * (eta * n - 2)
    only = only_at(u - linear_floor, u, linear_floor, then=solution())
    return solution_set(goal, (u,), split_product(velocity, never(rate), only))


w = Symbol("w", real=True)
least_error = eta * sigma**2 * n / (4 - 2 * eta * n)

linear_error = Claim(
    id="committee-floor-linear-error",
    title=(
        "For $n$ linear units and $eta n < 2$, half the sum $u$ of covariances that stays as it "
        "is, the noise floor, is $eta sigma^2 n/(4 - 2 eta n)$"
    ),
    statement=Equivalent(Eq(velocity.subs(u, 2 * w), 0), Eq(w, least_error)),
    source="Section 5; with all second layers 1, the error $w$ is half the sum $u$",
    hypotheses=[Lt(eta * n, 2)],
)


@linear_error.proof
def _(goal):
    """The equation of claim committee-floor-linear, in the error."""
    rate = 2 * eta * n * (eta * n - 2)
    only = only_at(w - least_error, w, least_error, then=solution())
    return solution_set(goal, (w,), split_product(velocity.subs(u, 2 * w), never(rate), only))


# -- rectified linear units ----------------------------------------------------------------------

l_1, l_2 = symbols("l_1 l_2", real=True)
rectified = Claim(
    id="committee-relu-slopes",
    title=(
        "The mean products of slopes of rectified linear units with orthonormal weights: 1/2 for a "
        "unit with itself, 1/4 for two units"
    ),
    statement=And(
        Eq(Expectation(Heaviside(l_1) ** 2, standard_normal(l_1)), Rational(1, 2), evaluate=False),
        Eq(
            Expectation(Heaviside(l_1) * Heaviside(l_2), standard_normal(l_1, l_2)),
            Rational(1, 4),
            evaluate=False,
        ),
        evaluate=False,
    ),
    source="Section 5",
)


@rectified.proof
def _(goal):
    """Half of all fields are positive, and a quarter of all independent pairs."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=gaussian_calculus) for part in goal.args))


relu = Claim(
    id="committee-floor-relu",
    title=(
        "$eta sigma^2/4$ times the sum of the mean squared slopes of $M$ rectified linear "
        "units, the first-order noise floor, is $eta sigma^2 M/8$"
    ),
    statement=Eq(
        floor * M * Expectation(Heaviside(l_1) ** 2, standard_normal(l_1)) / 2,
        eta * sigma**2 * M / 8,
        evaluate=False,
    ),
    source="Section 5",
)


@relu.proof
def _(goal):
    """Half the trace of A V."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)
