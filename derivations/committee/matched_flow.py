"""The equation of the deviations from matched teachers, and the velocity of norms by noise.

Let student i be teacher i plus a deviation. To first order the output is off by $D = sum_j g'(r_j)
d_j - sigma zeta$, where d_j is the field of deviation j, independent of the teachers' fields r_j.
"""

from sympy import And, Eq, Function, Gt, Matrix, Symbol, pi, sqrt, symbols

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    NoiseLaw,
    ProductLaw,
    erf_prime,
    standard_normal,
)
from slrsym.proof import (
    Claim,
    all_of,
    chain,
    gaussian_calculus,
    noise_moments,
    signs,
)

eta, sigma = symbols("eta sigma", positive=True)
r_1, r_2, d_1, d_2, zeta = symbols("r_1 r_2 d_1 d_2 zeta", real=True)
c_11, c_21, c_22 = symbols("c_11 c_21 c_22", real=True)
V = Matrix([[c_11**2, c_11 * c_21], [c_11 * c_21, c_21**2 + c_22**2]])
teachers, deviations = standard_normal(r_1, r_2), GaussianLaw({d_1: 0, d_2: 0}, V)
law = ProductLaw(teachers, deviations, NoiseLaw(zeta, 1))


def slope(u):
    return erf_prime(u / sqrt(2)) / sqrt(2)


def A(i, j):
    return Expectation(slope((r_1, r_2)[i]) * slope((r_1, r_2)[j]), teachers)


def B(*indices):
    product = 1
    for i in indices:
        product *= slope((r_1, r_2)[i])
    return Expectation(product, teachers)


D = slope(r_1) * d_1 + slope(r_2) * d_2 - sigma * zeta


# How the slope and the error are written.
y = Symbol("y", real=True)
slopes = {Function("g'", real=True)(x): slope(x) for x in (r_1, r_2, y)}


def moment(k, m):
    return Expectation((d_1, d_2)[k] * (d_1, d_2)[m], deviations)


def velocity(V):
    """Return the velocity of the covariance of two deviations, by those of all."""
    drift = A(0, 0) * V(0, 1) + A(0, 1) * V(1, 1) + A(1, 0) * V(0, 0) + A(1, 1) * V(1, 0)
    spread = sum(B(0, 1, k, m) * V(k, m) for k in range(2) for m in range(2))
    return -eta * drift + eta**2 * (spread + sigma**2 * A(0, 1))


flow = Claim(
    id="committee-matched-flow",
    title=(
        "The mean velocity of the product of small deviations of two students from their "
        "teachers: linear in the deviations' covariances, plus a noise term"
    ),
    statement=Eq(
        Expectation(
            -eta * D * (slope(r_1) * d_2 + slope(r_2) * d_1)
            + eta**2 * slope(r_1) * slope(r_2) * D**2,
            law,
        ),
        velocity(lambda k, m: V[k, m]),
        evaluate=False,
    ),
    source="Section 4: $V' = -eta (A V + V A) + eta^2 (B[V] + sigma^2 A)$",
    notation={**slopes, Symbol("D", real=True): D},
)


@flow.proof
def _(goal):
    """The noise, the deviations and the teachers' fields are independent."""
    return (
        chain(goal.lhs)
        .then(velocity(moment), by=noise_moments)
        .then(goal.rhs, by=gaussian_calculus)
    )


fourth = Claim(
    id="committee-matched-moments",
    title=(
        "The coefficients of the linear equation for deviations from the teachers: mean products "
        "of two and of four slopes, in closed form"
    ),
    statement=And(
        Eq(A(0, 0), 2 / pi / sqrt(3), evaluate=False),
        Eq(A(0, 1), 1 / pi, evaluate=False),
        Eq(B(0, 0, 0, 0), 4 / pi**2 / sqrt(5), evaluate=False),
        Eq(B(0, 0, 0, 1), 4 / pi**2 / sqrt(4) / sqrt(2), evaluate=False),
        Eq(B(0, 0, 1, 1), 4 / pi**2 / 3, evaluate=False),
        evaluate=False,
    ),
    source="Section 4",
    notation=slopes,
)


@fourth.proof
def _(goal):
    """Gaussian integrals in one variable each."""
    return all_of(*(chain(p.lhs).then(p.rhs, by=gaussian_calculus) for p in goal.args))


# -- matched students ----------------------------------------------------------------------------

Q = Symbol("Q", nonnegative=True)

# At the teacher the output is off by the noise alone.
h = Symbol("h", real=True)
field = GaussianLaw({h: 0}, [[Q]])
off = -sigma * zeta
noisy = Claim(
    id="committee-matched-noise",
    title=(
        "With noise, students equal to their teachers are no fixed point: the mean velocity of a "
        "squared norm is positive"
    ),
    statement=Gt(
        Expectation(
            -2 * eta * off * slope(h) * h + eta**2 * off**2 * slope(h) ** 2,
            ProductLaw(field, NoiseLaw(zeta, 1)),
        ),
        0,
    ),
    source="Section 4: of the weights of field $h$, where second layers are 1",
    notation=slopes | {Function("g'", real=True)(h): slope(h)},
)


@noisy.proof
def _(goal):
    """The noise is centred, so what is left is the mean square of the slope."""
    return (
        chain(goal.lhs)
        .then(eta**2 * sigma**2 * Expectation(slope(h) ** 2, field), by=noise_moments)
        .then(eta**2 * sigma**2 * 2 / pi / sqrt(1 + 2 * Q), by=gaussian_calculus)
        .gt(0, by=signs)
    )
