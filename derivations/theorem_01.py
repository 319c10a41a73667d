"""Theorem 1: how the risk comes to depend on the five order parameters only."""

from sympy import And, Eq, Function, Gt, IndexedBase, Integer, Sum, Symbol, erf, sqrt, symbols

from slrsym.gaussian import Expectation, IIDSum, standard_normal, zeta
from slrsym.notation import A, L, d, epsilon, eta, gamma, kappa, lam, nu, rho, s, theta
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    chain,
    independence,
    induction,
    lemma,
    linearity,
    peel_copy,
    stein,
)
from slrsym.symbolic import risk_definition
from slrsym.task import token_law

# -- the token, seen through k, v and v* -------------------------------------------------------

# An orthonormal basis whose first two vectors are k*, v*, and whose first four span k and v too.
X = symbols("X_1:5", real=True)
k = symbols("k_1:5", real=True)
v = symbols("v_1:5", real=True)
k_star, v_star = (1, 0, 0, 0), (0, 1, 0, 0)
token = token_law(X)
mean = tuple(block.mean[x] for block, x in zip(token.blocks(), X, strict=True))


def dot(p, q):
    return sum(a * b for a, b in zip(p, q, strict=True))


def mean_is(direction, value):
    return Eq(Expectation(dot(X, direction), token), value, evaluate=False)


def covariance_is(p, q, value):
    centred = [x - m for x, m in zip(X, mean, strict=True)]
    return Eq(Expectation(dot(centred, p) * dot(centred, q), token), value, evaluate=False)


projections = Claim(
    id="theorem-1-projections",
    title="mean and covariance of a token's projections",
    statement=And(
        mean_is(k, sqrt(d / 2) * dot(k, k_star)),
        mean_is(v, sqrt(d / 2) * dot(v, k_star)),
        mean_is(v_star, Integer(0)),
        covariance_is(k, k, gamma**2 * dot(k, k)),
        covariance_is(k, v, gamma**2 * dot(k, v)),
        covariance_is(v, v, gamma**2 * dot(v, v)),
        covariance_is(k, v_star, gamma**2 * dot(k, v_star)),
        covariance_is(v, v_star, gamma**2 * dot(v, v_star)),
        covariance_is(v_star, v_star, gamma**2),
        evaluate=False,
    ),
    source="Appendix B.1, (16)-(17)",
)


@projections.proof
def _(goal):
    """Every moment is a sum over coordinates, which are independent of variance gamma^2."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=stein(*X)) for part in goal.args))


# -- sums of independent copies ----------------------------------------------------------------

n = Symbol("n", integer=True, nonnegative=True)
f = Function("f", real=True)
W1, W2, W3, W4, Z = symbols("W_1:5 Z", real=True)
one, other = standard_normal(W1, W2), standard_normal(W3, W4)


def total(count):
    return IIDSum(f(W1, W2), one, count)


def first(count):
    return Expectation(total(count), standard_normal(Z))


def second(count):
    return Expectation(total(count) ** 2, standard_normal(Z))


mu, mu2 = Expectation(f(W1, W2), one), Expectation(f(W1, W2) ** 2, one)
joint = peel_copy.joint(standard_normal(Z), one, {W1: W3, W2: W4})

copies_mean = Claim(
    id="sum-of-copies-mean",
    title="mean of a sum of independent copies",
    statement=Eq(first(n), n * mu),
    source="Appendix B.1",
)


@copies_mean.proof
def _(goal):
    """By induction: one more copy adds its mean."""

    def step(hypothesis):
        return (
            chain(first(n + 1))
            .then(Expectation(total(n) + f(W3, W4), joint), by=peel_copy)
            .then(first(n) + mu, by=independence)
            .then((n + 1) * mu, by=hypothesis)
        )

    return induction(goal, n, base=linearity, step=step)


copies_square = Claim(
    id="sum-of-copies",
    title="second moment of a sum of independent copies",
    statement=Eq(second(n), n * mu2 + n * (n - 1) * mu**2, evaluate=False),
    source="Appendix B.1",
)


@copies_square.proof
def _(goal):
    """By induction: one more copy adds its second moment and twice the product of means."""

    def step(hypothesis):
        return (
            chain(second(n + 1))
            .then(Expectation((total(n) + f(W3, W4)) ** 2, joint), by=peel_copy)
            .then(second(n) + 2 * first(n) * mu + mu2, by=independence)
            .then(second(n) + 2 * n * mu**2 + mu2, by=lemma("sum-of-copies-mean"))
            .then((n + 1) * mu2 + (n + 1) * n * mu**2, by=hypothesis)
        )

    return induction(goal, n, base=linearity, step=step)


# -- the location ------------------------------------------------------------------------------

w = IndexedBase("w", real=True)
j = Symbol("j", integer=True)
weights = Sum(w[j], (j, 1, L))

location = Claim(
    id="theorem-1-location",
    title="the risk does not depend on the law of the location",
    statement=Eq(
        Sum(w[j] * risk_definition(), (j, 1, L)) / weights, risk_definition(), evaluate=False
    ),
    source="Appendix B.1",
    given=[Gt(weights, 0)],
)


@location.proof
def _(goal):
    """Given the location the risk is the same, and the probabilities w_j / sum w add up to one."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


# -- the oracle --------------------------------------------------------------------------------

t_oracle = lam * sqrt(d / 2)
oracle = Claim(
    id="theorem-1",
    title="the risk of the oracle predictor",
    statement=Eq(
        risk_definition().subs({kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}),
        epsilon**2
        + gamma**2
        - 2 * gamma**2 * erf(t_oracle / A)
        + gamma**2 * zeta(t_oracle, s)
        + (L - 1) * zeta(0, lam),
    ),
    source="Theorem 1",
)


@oracle.proof
def _(goal):
    """Proposition 15 at kappa = nu = 1 and theta = eta = rho = 0."""
    values = {kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}
    return chain(goal.lhs).then(goal.rhs, by=lemma("proposition-15", values))
