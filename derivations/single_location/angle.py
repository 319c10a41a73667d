"""Without Assumption 1: the keys and values of the informative token have $k* . v* = c$."""

from sympy import Eq, Function, Le, Lt, Symbol, erf, eye, pi, sqrt, symbols

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    ProductLaw,
    erf_prime,
    standard_normal,
)
from slrsym.papers.single_location.notation import (
    A,
    G,
    L,
    a,
    d,
    eta,
    gamma,
    kappa,
    lam,
    nu,
    rho,
    s,
    t,
    theta,
)
from slrsym.papers.single_location.symbolic import risk_definition
from slrsym.papers.single_location.task import (
    U1,
    V1,
    Y1,
    U,
    V,
    informative_token_law,
    noise,
    other_token_law,
    xi,
)
from slrsym.proof import (
    Claim,
    D,
    at,
    chain,
    differentiate,
    lemma,
    noise_moments,
    sign,
    stein,
    substitution,
)

c = Symbol("c", real=True)
drift = sqrt(d / 2)
one, other = informative_token_law(), other_token_law()
u1, u = one.marginal(U1), other.marginal(U)

# The output has the mean sqrt(d/2) c, and is distributed about it as under the assumption.
error = Y1 + drift * c + xi - erf(lam * U1) * V1 - IIDSum(erf(lam * U) * V, other, L - 1)
own = Expectation(erf(lam * U1) * V1, one)
rest = Expectation(erf(lam * U) * V, other)

centred = Claim(
    id="angle-output",
    title="The Gaussian variable that stands for the output less its mean $sqrt(d/2) c$ has mean 0",
    statement=Eq(Expectation(Y1, one), 0, evaluate=False),
    source="Section 2",
)


@centred.proof
def _(goal):
    """Its law is centred; that the output has the mean $sqrt(d/2) c$ is claim assumption-1-mean."""
    return chain(goal.lhs).then(0, by=stein(Y1))


shifted = Claim(
    id="angle-shift",
    title=(
        "The risk of the model in which $k*$ and $v*$ are not orthogonal, in terms of the risk "
        "of the model in which they are and of the mean prediction"
    ),
    statement=Eq(
        Expectation(error**2, ProductLaw(one, noise())),
        risk_definition() + d / 2 * c**2 - 2 * drift * c * (own + (L - 1) * rest),
        evaluate=False,
    ),
    source="Section 2, without Assumption 1",
)


@shifted.proof
def _(goal):
    """Expand the square: the mean of the output multiplies the mean error."""
    more = 2 * drift * c * Expectation(Y1, one)
    return (
        chain(goal.lhs)
        .then(goal.rhs + more, by=noise_moments)
        .then(goal.rhs, by=lemma("angle-output"))
    )


pull = 2 * lam / sqrt(pi * (1 + 2 * lam**2))
prediction = Claim(
    id="angle-prediction",
    title="The mean of the prediction of $erf$ attention, in closed form",
    statement=Eq(
        own + (L - 1) * rest,
        drift * theta * erf(a) + lam * gamma**2 * rho * erf_prime(a) / A + (L - 1) * pull * rho,
        evaluate=False,
    ),
    source="Section 2, without Assumption 1",
)


@prediction.proof
def _(goal):
    """Stein's lemma removes the values; Lemma 18 evaluates the remaining means."""
    S1 = erf(lam * U1)

    def stage(mean, bell, others):
        return drift * theta * mean + lam * gamma**2 * rho * bell + (L - 1) * others

    def EG(f):
        return Expectation(f, standard_normal(G))

    of_score = Expectation(S1, u1), Expectation(erf_prime(lam * U1), u1)
    of_normal = EG(erf(t + s * G)), EG(erf_prime(t + s * G))
    slope = lam * rho * EG(erf_prime(lam * G))
    return (
        chain(goal.lhs)
        .then(stage(*of_score, rest), by=stein(V1))
        .then(stage(*of_score, lam * rho * Expectation(erf_prime(lam * U), u)), by=stein(V))
        .then(
            stage(*of_normal, lam * rho * Expectation(erf_prime(lam * U), u)),
            by=substitution({U1: drift * kappa + gamma * G}, standard_normal(G)),
        )
        .then(stage(*of_normal, slope), by=substitution({U: G}, standard_normal(G)))
        .then(stage(erf(a), of_normal[1], slope), by=lemma("lemma-18-ii", t=t, gamma=s))
        .then(stage(erf(a), erf_prime(a) / A, slope), by=lemma("lemma-18-i", t=t, gamma=s))
        .then(goal.rhs, by=lemma("lemma-18-i", t=0, gamma=lam))
    )


angle = Claim(
    id="angle-risk",
    title=(
        "The risk of the model with an angle between $k*$ and $v*$: that of Proposition 15 plus "
        "terms in closed form"
    ),
    statement=Eq(
        Expectation(error**2, ProductLaw(one, noise())),
        risk_definition() + d / 2 * c**2 - 2 * drift * c * prediction.statement.rhs,
        evaluate=False,
    ),
    source="Section 2, without Assumption 1",
)


@angle.proof
def _(goal):
    """The mean prediction in closed form."""
    return (
        chain(goal.lhs)
        .then(shifted.statement.rhs, by=lemma("angle-shift"))
        .then(goal.rhs, by=lemma("angle-prediction"))
    )


# -- the manifold, and the oracle ----------------------------------------------------------------

more = d / 2 * c**2 - 2 * drift * c * prediction.statement.rhs
flat = {theta: 0, eta: 0, rho: 0}


def slope(p):
    """Return the partial derivative of what an angle adds to the risk, on the manifold."""
    return at(D(more, p), flat)


pulled = Claim(
    id="angle-manifold",
    title=(
        "On the manifold, if $k* . v* = c$: the product with $k*$ of the gradient in $v$ of the "
        "terms that $c$ adds to the risk, in closed form"
    ),
    statement=Eq(
        slope(theta) + kappa * slope(rho),
        -c * (d * erf(a) + 2 * kappa * (lam * gamma**2 * drift * erf_prime(a) / A
                                        + (L - 1) * pull * drift)),
        evaluate=False,
    ),
    source="Section 4, without Assumption 1",
)  # fmt: skip


@pulled.proof
def _(goal):
    """Term by term."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate)


K, C = Symbol("kappa", positive=True), Symbol("c", positive=True)
leaves = Claim(
    id="angle-manifold-is-left",
    title=(
        "If $k* . v* = c > 0$, the product with $k*$ of the risk's gradient in $v$, in closed "
        "form, is negative on the manifold wherever $kappa > 0$"
    ),
    statement=Lt(
        (pulled.statement.rhs - 2 * gamma**2 * c * erf(a)).subs({kappa: K, c: C}),
        0,
        evaluate=False,
    ),
    source="Section 4, without Assumption 1",
)


@leaves.proof
def _(goal):
    """Every term has the sign of $-c$."""
    return chain(goal.lhs).lt(0, by=sign)


# The plane of k* and v*, in an orthonormal basis that begins with k*.
X1, X2 = symbols("X_1:3", real=True)
plane = GaussianLaw({X1: drift, X2: 0}, gamma**2 * eye(2))
along_v_star = c * X1 + sqrt(1 - c**2) * X2
oracle = {kappa: 1, nu: 1, theta: c, eta: c, rho: c}
F = Function("F", real=True)

at_oracle = Claim(
    id="angle-oracle",
    title=(
        "If $k* . v* = c$, the law at the overlaps $(1, 1, c, c, c)$, those of the oracle $k = "
        "k*$, $v = v*$, is that of the projections on $k*$, $v*$ and $v*$"
    ),
    statement=Eq(
        Expectation(
            F(U1, V1, Y1),
            GaussianLaw(
                {U1: drift * oracle[kappa], V1: drift * oracle[theta], Y1: drift * c},
                one.cov.subs(oracle),
            ),
        ),
        Expectation(F(X1, along_v_star, along_v_star), plane),
        evaluate=False,
    ),
    source="Section 4, without Assumption 1",
    hypotheses=[Le(c**2, 1)],
)


@at_oracle.proof
def _(goal):
    """These give the law of the projections on $k*$, $v*$ and $v*$; $F$ stands for any function."""
    images = {U1: X1, V1: along_v_star, Y1: along_v_star}
    return chain(goal.lhs).then(goal.rhs, by=substitution(images, plane))
