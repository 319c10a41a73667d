"""Equations of motion: the mean change of the order parameters in a step of online descent.

Two students, with the weights v_1 and v_2 in the second layer, and a teacher, with the weight u.
The prediction is off by D = phi - y, with the noise sigma zeta of the label. A step changes the
weights by $w_k -> w_k - (eta/sqrt N) v_k g'(l_k) D x - (kappa/N) w_k$; the time is steps/N.
"""

from itertools import combinations

from sympy import Eq, Function, IndexedBase, Matrix, Sum, Symbol, erf, sqrt, symbols

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    ProductLaw,
    erf_prime,
    standard_normal,
)
from slrsym.proof import Claim, algebra, chain, gaussian_calculus, linearity, noise_moments

# The fields of two students and a teacher. Every covariance matrix is C C^T, C lower triangular.
l_1, l_2, r, zeta = symbols("l_1 l_2 r zeta", real=True)
v_1, v_2, u, R, Q = symbols("v_1 v_2 u R Q", real=True)
eta, sigma = symbols("eta sigma", positive=True)
kappa = Symbol("kappa", nonnegative=True)
C = Matrix(3, 3, lambda i, j: Symbol(f"c_{i + 1}{j + 1}", real=True) if j <= i else 0)
law = GaussianLaw(dict.fromkeys((l_1, l_2, r), 0), C * C.T)
noisy = ProductLaw(law, NoiseLaw(zeta, 1))
weights = {l_1: -v_1, l_2: -v_2, r: u}


def g(u):
    return erf(u / sqrt(2))


def slope(u):
    return erf_prime(u / sqrt(2)) / sqrt(2)


def E(f):
    return Expectation(f, law)


def over_units(mean):
    """Return the sum over all units, with the weights s_a: -v of students, u of teachers."""
    return sum(s * mean(a) for a, s in weights.items())


def over_pairs(mean):
    """Return the sum over all pairs of units, of which the mean is symmetric."""
    units = list(weights.items())
    own = sum(s**2 * mean(a, a) for a, s in units)
    return own + 2 * sum(s * t * mean(a, b) for (a, s), (b, t) in combinations(units, 2))


without_noise = v_1 * g(l_1) + v_2 * g(l_2) - u * g(r)
D = without_noise - sigma * zeta

# How the activation, its slope and the error are written.
y = Symbol("y", real=True)
written = {
    **{Function("g", real=True)(x): g(x) for x in (l_1, l_2, r, y)},
    **{Function("g'", real=True)(x): slope(x) for x in (l_1, l_2, r, y)},
    Symbol("D", real=True): D,
}

error = Claim(
    id="committee-generalisation-error",
    title=(
        "For two students and one teacher, the generalisation error is a weighted sum of mean "
        "products of the outputs of two units"
    ),
    statement=Eq(
        E(without_noise**2) / 2,
        over_pairs(lambda a, b: E(g(a) * g(b))) / 2,
        evaluate=False,
    ),
    source="Section 2",
    notation=written,
)


@error.proof
def _(goal):
    """Multiply out."""
    return chain(goal.lhs).then(goal.rhs, by=linearity)


overlap = Claim(
    id="committee-overlap-flow",
    title=(
        "For two students and one teacher, the mean velocity of a student's overlap with the "
        "teacher: weight decay, and means of a slope times a field times an output"
    ),
    statement=Eq(
        Expectation(-eta * v_1 * slope(l_1) * D * r - kappa * R, noisy),
        eta * v_1 * over_units(lambda a: E(slope(l_1) * r * g(a))) - kappa * R,
        evaluate=False,
    ),
    source="Section 2",
    notation=written,
)

norm = Claim(
    id="committee-norm-flow",
    title=(
        "For two students and one teacher, the mean velocity of the students' overlap to first "
        "order in $eta$: weight decay, and means of a slope times a field times an output"
    ),
    statement=Eq(
        Expectation(-eta * D * (v_1 * slope(l_1) * l_2 + v_2 * slope(l_2) * l_1), noisy)
        - 2 * kappa * Q,
        eta * v_1 * over_units(lambda a: E(slope(l_1) * l_2 * g(a)))
        + eta * v_2 * over_units(lambda a: E(slope(l_2) * l_1 * g(a)))
        - 2 * kappa * Q,
        evaluate=False,
    ),
    source="Section 2: the terms of first order in $eta$ and $kappa$",
    notation=written,
)

spread = Claim(
    id="committee-norm-spread",
    title=(
        "For two students and one teacher, the term of order $eta^2$ in the mean velocity of the "
        "students' overlap: means of two slopes, alone and times two outputs"
    ),
    statement=Eq(
        Expectation(eta**2 * v_1 * v_2 * slope(l_1) * slope(l_2) * D**2, noisy),
        eta**2
        * v_1
        * v_2
        * (
            over_pairs(lambda a, b: E(slope(l_1) * slope(l_2) * g(a) * g(b)))
            + sigma**2 * E(slope(l_1) * slope(l_2))
        ),
        evaluate=False,
    ),
    source="Section 2: the term of order $eta^2$",
    notation=written,
)

second_layer = Claim(
    id="committee-second-layer-flow",
    title=(
        "For two students and one teacher, the mean velocity of a second-layer weight: a sum of "
        "mean products of two outputs"
    ),
    statement=Eq(
        Expectation(-eta * g(l_1) * D, noisy),
        eta * over_units(lambda a: E(g(l_1) * g(a))),
        evaluate=False,
    ),
    source="Section 2",
    notation=written,
)


@overlap.proof
@norm.proof
@spread.proof
@second_layer.proof
def _(goal):
    """The noise is independent of the input, with mean 0 and variance 1."""
    return chain(goal.lhs).then(goal.rhs, by=noise_moments)


# -- a step in N dimensions ------------------------------------------------------------------------

N, n = symbols("N n", integer=True, positive=True)
j = Symbol("j", integer=True)
w_1, w_2, x = (IndexedBase(name, real=True) for name in ("w_1", "w_2", "x"))
a_1, a_2 = symbols("a_1 a_2", real=True)


def over_coordinates(f):
    return Sum(f, (j, 1, N))


step = Claim(
    id="committee-step",
    title=(
        "The inner product of the weights of two students after a step of online descent, "
        "exactly, with all powers of $1/N$"
    ),
    statement=Eq(
        over_coordinates(
            (w_1[j] - a_1 * x[j] - kappa / N * w_1[j]) * (w_2[j] - a_2 * x[j] - kappa / N * w_2[j])
        ),
        (1 - kappa / N) ** 2 * over_coordinates(w_1[j] * w_2[j])
        - (1 - kappa / N)
        * (a_2 * over_coordinates(w_1[j] * x[j]) + a_1 * over_coordinates(w_2[j] * x[j]))
        + a_1 * a_2 * over_coordinates(x[j] ** 2),
        evaluate=False,
    ),
    source="Section 2, with $a_k = (eta/sqrt N) v_k g'(l_k) D$",
)


@step.proof
def _(goal):
    """Multiply out, term by term."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


X, Z = symbols("X Z", real=True)
f, p = Function("f", real=True), Function("p", real=True)
input_norm = Claim(
    id="committee-input-norm",
    title=(
        "In a mean of $(p(X) + sum_i Z_i^2) f(X)$, with $n$ standard normal $Z_i$ independent "
        "of each other and of $X$, $sum_i Z_i^2$ may be replaced by $n$"
    ),
    statement=Eq(
        Expectation(f(X) * (p(X) + IIDSum(Z**2, standard_normal(Z), n)) / N, standard_normal(X)),
        n / N * Expectation(f(X), standard_normal(X))
        + Expectation(f(X) * p(X), standard_normal(X)) / N,
        evaluate=False,
    ),
    source="Section 2: $|x|^2/N$ may be replaced by 1, up to terms of order $1/N$",
)


@input_norm.proof
def _(goal):
    """The other directions are independent, and of variance 1."""
    square = Expectation(Z**2, standard_normal(Z))
    first, second = goal.rhs.args if goal.rhs.args[0].has(n) else goal.rhs.args[::-1]
    return (
        chain(goal.lhs)
        .then(first * square + second, by=noise_moments)
        .then(goal.rhs, by=gaussian_calculus)
    )
