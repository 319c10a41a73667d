"""Several heads, equations (30) and (31)."""

from sympy import Eq, Function, Le, Matrix, Symbol, asin, erf, pi, sqrt, symbols

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    ProductLaw,
    erf_prime,
    erf_second,
    zeta,
)
from slrsym.papers.single_location.notation import A, B, L, epsilon, gamma, lam
from slrsym.proof import Claim, chain, gaussian_calculus, noise_moments

# -- any predictor that is a sum over tokens -----------------------------------------------------

# What two informative tokens and the others add to target minus prediction: functions of their
# projections, which number one here, for short.
X1, X2, X, xi = symbols("X_1 X_2 X xi", real=True)
F, G, H = (Function(name, real=True) for name in "FGH")


def normal(x, name):
    mean, variance = Symbol(f"m_{name}", real=True), Symbol(f"v_{name}", positive=True)
    return GaussianLaw({x: mean}, [[variance]])


first, second, other = normal(X1, 1), normal(X2, 2), normal(X, 0)
copies = IIDSum(H(X), other, L)
f, g, h = Expectation(F(X1), first), Expectation(G(X2), second), Expectation(H(X), other)

decomposed = Claim(
    id="several-tokens-risk",
    title=(
        "If the errors of all tokens are functions of one normal variable each, all independent, "
        "the risk is the sum of variances plus the squared total mean"
    ),
    statement=Eq(
        Expectation(
            (F(X1) + G(X2) + copies + xi) ** 2,
            ProductLaw(first, second, NoiseLaw(xi, epsilon**2)),
        ),
        epsilon**2
        + (Expectation(F(X1) ** 2, first) - f**2)
        + (Expectation(G(X2) ** 2, second) - g**2)
        + L * (Expectation(H(X) ** 2, other) - h**2)
        + (f + g + L * h) ** 2,
        evaluate=False,
    ),
    source=(
        "Equations (30) and (31), given the locations, for two informative tokens and $L$ others, "
        "all independent; there a term depends on the projections of a token on the directions of "
        "all heads"
    ),
)


@decomposed.proof
def _(goal):
    """Products of different tokens have the product of the means for a mean."""
    return chain(goal.lhs).then(goal.rhs, by=noise_moments)


# -- what one token gives to one head ------------------------------------------------------------

# Score, value and target of an informative token: X.k, X.v, X.v*, of means m_u, m_v and 0.
U, V, Y = symbols("U V Y", real=True)
m_u, m_v, rho, nu, eta = symbols("m_u m_v rho nu eta", real=True)
token = GaussianLaw(
    {U: m_u, V: m_v, Y: 0}, gamma**2 * Matrix([[1, rho, eta], [rho, 1, nu], [eta, nu, 1]])
)
S, wide = erf(lam * U), sqrt(1 + 2 * lam**2 * gamma**2)
bell = lam / wide * erf_prime(lam * m_u / wide)

share = Claim(
    id="several-heads-mean",
    title="The mean of the term $V erf(lambda U)$ that a token adds to a head, in closed form",
    statement=Eq(
        Expectation(S * V, token),
        m_v * erf(lam * m_u / wide) + gamma**2 * rho * bell,
        evaluate=False,
    ),
    source="Equation (31)",
)


@share.proof
def _(goal):
    """Stein's lemma in the value."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


cross = Claim(
    id="several-heads-target",
    title=(
        "The mean of the term that a token adds to a head, times the token's target, in closed form"
    ),
    statement=Eq(
        Expectation(Y * S * V, token),
        gamma**2 * nu * erf(lam * m_u / wide)
        + gamma**2 * eta * (m_v - 2 * gamma**2 * rho * lam**2 * m_u / wide**2) * bell,
        evaluate=False,
    ),
    source="Equation (31)",
)


@cross.proof
def _(goal):
    """Stein's lemma in the target, then in the value."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


slope = 2 / A * erf_prime(lam * m_u / A) * erf(lam * m_u / (A * B))
curvature = (
    2
    / A**2
    * (
        erf_second(lam * m_u / A) * erf(lam * m_u / (A * B))
        + erf_prime(lam * m_u / A) * erf_prime(lam * m_u / (A * B)) / B
    )
)

own_square = Claim(
    id="several-heads-square",
    title=(
        "The second moment of the term $V erf(lambda U)$ that a token adds to a head, in terms of "
        "$zeta$ and its derivatives in closed form"
    ),
    statement=Eq(
        Expectation((S * V) ** 2, token),
        (m_v**2 + gamma**2) * zeta(lam * m_u, lam * gamma)
        + 2 * gamma**2 * rho * m_v * lam * slope
        + gamma**4 * rho**2 * lam**2 * curvature,
        evaluate=False,
    ),
    source="Equation (31)",
)


@own_square.proof
def _(goal):
    """Stein's lemma in the value."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


# -- what one token gives to two heads -----------------------------------------------------------

U1, V1, U2, V2 = symbols("U_1 V_1 U_2 V_2", real=True)
along = symbols("eta_1 nu_1 eta_2 nu_2", real=True)
chi, omega, r11, r12, r21, r22 = symbols("chi omega rho_11 rho_12 rho_21 rho_22", real=True)
rows = [[1, r11, chi, r12], [r11, 1, r21, omega], [chi, r21, 1, r22], [r12, omega, r22, 1]]
centred = GaussianLaw(dict.fromkeys((U1, V1, U2, V2), 0), rows)
both = erf(lam * U1) * V1 * erf(lam * U2) * V2
w = 1 + 2 * lam**2
r = 2 * lam**2 * chi / w

S1, S2 = erf(lam * U1), erf(lam * U2)

# Of an informative token, with the means a_1, a_2 of its values and those of its scores.
a1, a2 = symbols("a_1 a_2", real=True)
m1, m2 = symbols("m_1 m_2", real=True, nonzero=True)
seen = GaussianLaw({U1: m1, V1: a1, U2: m2, V2: a2}, gamma**2 * Matrix(rows))


def mean(integrand):
    return Expectation(integrand, seen)


D1, D2 = lam * gamma**2 * erf_prime(lam * U1), lam * gamma**2 * erf_prime(lam * U2)
B1, B2 = (lam**2 * gamma**4 * erf_second(lam * u) for u in (U1, U2))

moment = Claim(
    id="several-heads-informative-pair",
    title=(
        "The mean product of the terms that one informative token adds to two heads, reduced "
        "to means of $erf$ and its derivatives at the two scores"
    ),
    statement=Eq(
        mean(both),
        (a1 * a2 + gamma**2 * omega) * mean(S1 * S2)
        + a1 * (r12 * mean(D1 * S2) + r22 * mean(S1 * D2))
        + a2 * (r11 * mean(D1 * S2) + r21 * mean(S1 * D2))
        + r11 * r12 * mean(B1 * S2)
        + (r11 * r22 + r12 * r21) * mean(D1 * D2)
        + r21 * r22 * mean(S1 * B2),
        evaluate=False,
    ),
    source="Equation (31)",
    hypotheses=[Le(chi**2, 1)],
)


@moment.proof
def _(goal):
    """Stein's lemma takes the values away, and leaves means of the two attentions."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


pair = Claim(
    id="several-heads-pair",
    title=(
        "The mean product of the terms that an uninformative token adds to two heads, in closed "
        "form"
    ),
    statement=Eq(
        Expectation(both, centred),
        2 / pi * omega * asin(r)
        + 4 * lam**2 / (pi * sqrt(w**2 - 4 * lam**4 * chi**2))
        * (r11 * r22 + r12 * r21 - r * (r11 * r12 + r21 * r22)),
        evaluate=False,
    ),
    source="Equation (31)",
    hypotheses=[Le(chi**2, 1)],
)  # fmt: skip


@pair.proof
def _(goal):
    """The arc sine is the mean of the two attentions; Stein's lemma takes the values away."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


# With its target, whose covariances with the projections are any.
with_target = GaussianLaw(
    {U1: m1, V1: a1, U2: m2, V2: a2, Y: 0},
    gamma**2
    * Matrix(
        5, 5, lambda i, j: 1 if i == j == 4 else along[min(i, j)] if 4 in (i, j) else rows[i][j]
    ),
)
first_term, second_term = S1 * V1, S2 * V2

token_error = Claim(
    id="several-heads-token-error",
    title=(
        "The mean squared error that an informative token adds to two heads, as a sum of mean "
        "products of its target and of its terms in the heads"
    ),
    statement=Eq(
        Expectation((Y - first_term - second_term) ** 2, with_target),
        gamma**2
        - 2 * Expectation(Y * first_term, with_target)
        - 2 * Expectation(Y * second_term, with_target)
        + Expectation(first_term**2, with_target)
        + Expectation(second_term**2, with_target)
        + 2 * Expectation(first_term * second_term, with_target),
        evaluate=False,
    ),
    source=(
        "Equation (31); claims several-heads-target, several-heads-square and "
        "several-heads-informative-pair have the means, and several-tokens-risk the risk"
    ),
)


@token_error.proof
def _(goal):
    """Expand the square."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)
