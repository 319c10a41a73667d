"""Squares in the exponent, absorbed into a Gaussian law: the other variables stay Gaussian."""

from sympy import Eq, Function, Lambda, Matrix, Symbol, exp, sqrt, symbols

from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from slrsym.proof import (
    Claim,
    chain,
    complete_the_square,
    conditioning,
    gaussian_calculus,
    inside,
    lemma,
    linearity,
    substitution,
)

# -- one variable ------------------------------------------------------------------------------

G, x = symbols("G x", real=True)
m, t = symbols("m t", real=True)
h = Function("h", real=True)
narrow = 1 + t**2
left = GaussianLaw({G: -m * t / narrow}, [[1 / narrow]])

one = Claim(
    id="gaussian-tilt-one",
    title=(
        "$E exp(-(m + t G)^2/2) h(G)$ is a constant times a mean of $h$ at another Gaussian "
        "variable"
    ),
    statement=Eq(
        Expectation(exp(-((m + t * G) ** 2) / 2) * h(G), standard_normal(G)),
        exp(-(m**2) / (2 * narrow))
        / sqrt(narrow)
        * Expectation(h(-m * t / narrow + G / sqrt(narrow)), standard_normal(G)),
        evaluate=False,
    ),
    source="new: one standard normal variable ($h$ of moderate growth)",
)


@one.proof
def _(goal):
    """Complete the square, and write the new variable by a standard one."""
    return (
        chain(goal.lhs)
        .then(
            exp(-(m**2) / (2 * narrow)) / sqrt(narrow) * Expectation(h(G), left),
            by=complete_the_square(left),
        )
        .then(
            goal.rhs, by=substitution({G: -m * t / narrow + G / sqrt(narrow)}, standard_normal(G))
        )
    )


# -- two of four variables ---------------------------------------------------------------------

U, V, W, Z = X = symbols("U V W Z", real=True)
G1, G2, G3, G4 = normals = symbols("G_1:5", real=True)
f = Function("f", real=True)

# Every covariance matrix is C C^T with C lower triangular.
C = Matrix(4, 4, lambda i, j: Symbol(f"c_{i + 1}{j + 1}", real=True) if j <= i else 0)
covariance = C * C.T
law = GaussianLaw(dict.fromkeys(X, 0), covariance)
images = {y: sum(C[i, j] * normals[j] for j in range(4)) for i, y in enumerate(X)}

# The determinant of I plus the covariance of U and V: it is (1 + p)(1 + q) - r^2.
a, b, c = C[0, 0], C[1, 0], C[1, 1]
wide = 1 + a**2 + b**2 + c**2 + a**2 * c**2
# Once V is absorbed, and then U: the exponent that V leaves is -(s G_1)^2/2.
small = 1 + c**2
s = sqrt(a**2 + b**2 / small)
root = sqrt(1 + s**2)
at = f(images[W], images[Z])
without_v = at.subs(G2, -b * c * G1 / small + G2 / sqrt(small))
without_both = without_v.subs(G1, G1 / root)
# W and Z as they are after that.
after = {W: without_both.args[0], Z: without_both.args[1]}
whole = standard_normal(*normals)

two = Claim(
    id="gaussian-tilt-two",
    title=(
        "$E exp(-U^2/2) exp(-V^2/2) f(W, Z)$ is a constant times the mean of $f$ at other "
        "Gaussian variables"
    ),
    statement=Eq(
        Expectation(exp(-(U**2) / 2) * exp(-(V**2) / 2) * f(W, Z), law),
        Expectation(without_both, whole) / sqrt(wide),
        evaluate=False,
    ),
    source="new: four jointly Gaussian variables ($f$ of moderate growth)",
)


@two.proof
def _(goal):
    """Absorb the second variable given the first, and then the first."""
    bell, second = exp(-((a * G1) ** 2) / 2), exp(-((b * G1 + c * G2) ** 2) / 2)
    rest, both = exp(-((b * G1) ** 2) / (2 * small)), exp(-((s * G1) ** 2) / 2)
    along_2 = Lambda(x, bell * at.subs(G2, x))
    along_1 = Lambda(x, without_v.subs(G1, x) / sqrt(small))

    def given(y, integrand, factor=1):
        others = standard_normal(*(g for g in normals if g is not y))
        return Expectation(factor * Expectation(integrand, standard_normal(y)), others)

    left = rest / sqrt(small) * bell * without_v
    return (
        chain(goal.lhs)
        .then(Expectation(bell * second * at, whole), by=substitution(images, whole))
        .then(given(G2, bell * second * at), by=conditioning(G1, G3, G4))
        .then(
            given(G2, bell * without_v, rest / sqrt(small)),
            by=inside(lemma("gaussian-tilt-one", m=b * G1, t=c, h=along_2)),
        )
        .then(given(G2, left), by=inside(linearity))
        .then(Expectation(left, whole), by=conditioning(G1, G3, G4))
        .then(Expectation(both * without_v / sqrt(small), whole), by=gaussian_calculus)
        .then(given(G1, both * without_v / sqrt(small)), by=conditioning(G2, G3, G4))
        .then(
            given(G1, without_both / sqrt(small), 1 / root),
            by=inside(lemma("gaussian-tilt-one", m=0, t=s, h=along_1)),
        )
        .then(given(G1, without_both / sqrt(small) / root), by=inside(linearity))
        .then(Expectation(without_both / sqrt(small) / root, whole), by=conditioning(G2, G3, G4))
        .then(goal.rhs, by=linearity)
    )
