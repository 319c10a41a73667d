"""Theorem 1: the risk in five order parameters."""

from sympy import (
    And,
    Eq,
    Function,
    Ge,
    Gt,
    IndexedBase,
    Integer,
    Le,
    Matrix,
    Sum,
    Symbol,
    erf,
    eye,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, ProductLaw, standard_normal, zeta
from slrsym.papers.single_location.notation import (
    A,
    L,
    d,
    epsilon,
    eta,
    gamma,
    kappa,
    lam,
    nu,
    rho,
    s,
    theta,
)
from slrsym.papers.single_location.symbolic import risk_definition
from slrsym.papers.single_location.task import (
    U1,
    V1,
    Y1,
    U,
    V,
    informative_token_coordinates_law,
    noise,
    xi,
)
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    chain,
    independence,
    induction,
    lemma,
    linearity,
    noise_moments,
    peel_copy,
    stein,
    substitution,
)

# -- the token, seen through k, v and v* -------------------------------------------------------

# An orthonormal basis whose first two vectors are k*, v*, and whose first four span k and v too.
X = symbols("X_1:5", real=True)
k = symbols("k_1:5", real=True)
v = symbols("v_1:5", real=True)
k_star, v_star = (1, 0, 0, 0), (0, 1, 0, 0)
token = informative_token_coordinates_law(X)
mean = tuple(block.mean[x] for block, x in zip(token.independent_laws(), X, strict=True))


def dot(p, q):
    return sum(a * b for a, b in zip(p, q, strict=True))


def mean_is(direction, value):
    return Eq(Expectation(dot(X, direction), token), value, evaluate=False)


def covariance_is(p, q, value):
    centred = [x - m for x, m in zip(X, mean, strict=True)]
    return Eq(Expectation(dot(centred, p) * dot(centred, q), token), value, evaluate=False)


projections = Claim(
    id="theorem-1-projections",
    title=(
        "The informative token's projections on $k$, $v$, $v*$ have the means $sqrt(d/2)$ times "
        "$kappa$, $theta$, 0, and covariances $gamma^2$ times inner products"
    ),
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
    compared_to_source="exact",
)


@projections.proof
def _(goal):
    """Every moment is a sum over coordinates, which are independent of variance $gamma^2$."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=stein(*X)) for part in goal.args))


# Another token is standard normal; m and sigma stand for both kinds.
m, sigma = Symbol("m", real=True), Symbol("sigma", positive=True)
F = Function("F", real=True)
kind = GaussianLaw({x: m if x == X[0] else 0 for x in X}, sigma**2 * eye(4))
seen = {U1: dot(X, k), V1: dot(X, v), Y1: dot(X, v_star)}
directions = (k, v, v_star)
gram = Matrix(3, 3, lambda i, j: dot(directions[i], directions[j]))
seen_law = GaussianLaw({U1: m * k[0], V1: m * v[0], Y1: 0}, sigma**2 * gram)

laws = Claim(
    id="theorem-1-laws",
    title="The projections of a token on $k$, $v$ and $v*$ are jointly Gaussian",
    statement=Eq(
        Expectation(F(U1, V1, Y1), seen_law), Expectation(F(*seen.values()), kind), evaluate=False
    ),
    source=(
        "Appendix B.1; $m = sqrt(d/2)$, $sigma = gamma$ at the location $j$, else $m = 0$, "
        "$sigma = 1$"
    ),
    compared_to_source="exact",
)


@laws.proof
def _(goal):
    """Affine images of a Gaussian vector; $F$ stands for any function."""
    return chain(goal.lhs).then(goal.rhs, by=substitution(seen, kind))


# The squared error in coordinates: the informative token X, the noise, L - 1 other tokens Z.
X2 = symbols("Z_1:5", real=True)
informative = GaussianLaw({x: sqrt(d / 2) if x == X[0] else 0 for x in X}, gamma**2 * eye(4))
others = standard_normal(*X2)
score, value = dot(X2, k), dot(X2, v)
in_coordinates = (
    seen[Y1] + xi - erf(lam * seen[U1]) * seen[V1] - IIDSum(erf(lam * score) * value, others, L - 1)
)
# The same by projections, whose covariances are the products of k, v and v*.
U1_V1_Y1 = GaussianLaw({U1: sqrt(d / 2) * k[0], V1: sqrt(d / 2) * v[0], Y1: 0}, gamma**2 * gram)
U_V = GaussianLaw({U: 0, V: 0}, gram[:2, :2])
by_projections = Y1 + xi - erf(lam * U1) * V1 - IIDSum(erf(lam * U) * V, U_V, L - 1)

overlaps = Claim(
    id="theorem-1-overlaps",
    title="The risk depends on $k$ and $v$ only through the five overlaps",
    statement=Eq(
        Expectation(in_coordinates**2, ProductLaw(informative, noise())),
        Expectation(by_projections**2, ProductLaw(U1_V1_Y1, noise())),
        evaluate=False,
    ),
    source=(
        "Theorem 1; for unit vectors $k$ and $v$ the right side is the risk at the five overlaps"
    ),
    compared_to_source="exact",
)


@overlaps.proof
def _(goal):
    """Expand the square; every moment is one of the projections."""

    def expanded(own, own_law, other, other_law):
        """From the projections of the informative token, and of another one."""
        u, w, y = own
        S, S2 = erf(lam * u) * w, erf(lam * other[0]) * other[1]
        E1, E2 = (lambda f: Expectation(f, own_law)), (lambda f: Expectation(f, other_law))
        rest = (L - 1) * E2(S2**2) + (L - 1) * (L - 2) * E2(S2) ** 2
        crossed = 2 * (L - 1) * E2(S2) * (E1(S) - E1(y))
        return E1(y**2) + epsilon**2 - 2 * E1(y * S) + E1(S**2) + rest + crossed

    first = tuple(seen.values()), informative
    return (
        chain(goal.lhs)
        .then(expanded(*first, (score, value), others), by=noise_moments)
        .then(expanded(*first, (U, V), U_V), by=substitution({U: score, V: value}, others))
        .then(expanded((U1, V1, Y1), U1_V1_Y1, (U, V), U_V), by=substitution(seen, informative))
        .then(goal.rhs, by=noise_moments)
    )


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
    title="The mean of a sum of $n$ independent copies is $n$ times the mean of one",
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
    title=(
        "The second moment of a sum of $n$ independent copies of $f$ is $n (n - 1) (E f)^2 + n E "
        "f^2$"
    ),
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
# If the information is at the place j, j - 1 of the other tokens stand before it and L - j behind.
before, behind = j - 1, L - j

location = Claim(
    id="theorem-1-location",
    title="The first two moments of the sum over other tokens do not depend on the location",
    statement=And(
        Eq(first(before) + first(behind), first(L - 1), evaluate=False),
        Eq(
            second(before) + 2 * first(before) * first(behind) + second(behind),
            second(L - 1),
            evaluate=False,
        ),
        evaluate=False,
    ),
    source=(
        "Appendix B.1; mean and second moment of what the tokens before and behind it add; the "
        "risk depends on it by these alone"
    ),
    compared_to_source="exact",
    hypotheses=[Ge(j, 1), Le(j, L)],
)


@location.proof
def _(goal):
    """All are copies of one variable, $L - 1$ of them."""
    means = [lemma("sum-of-copies-mean", n=count) for count in (before, behind, L - 1)]
    squares = [lemma("sum-of-copies", n=count) for count in (before, behind, L - 1)]

    def moment(count):
        return count * mu2 + count * (count - 1) * mu**2

    crossed = 2 * before * behind * mu**2
    return all_of(
        chain(first(before) + first(behind))
        .then(before * mu + first(behind), by=means[0])
        .then((L - 1) * mu, by=means[1])
        .then(first(L - 1), by=means[2]),
        chain(second(before) + 2 * first(before) * first(behind) + second(behind))
        .then(second(before) + 2 * before * mu * first(behind) + second(behind), by=means[0])
        .then(second(before) + crossed + second(behind), by=means[1])
        .then(moment(before) + crossed + second(behind), by=squares[0])
        .then(moment(L - 1), by=squares[1])
        .then(second(L - 1), by=squares[2]),
    )


average = Claim(
    id="theorem-1-location-average",
    title="The mean of the risk over any law of the location is the risk given any one location",
    statement=Eq(
        Sum(w[j] * risk_definition(), (j, 1, L)) / weights, risk_definition(), evaluate=False
    ),
    source="Appendix B.1",
    hypotheses=[Gt(weights, 0)],
)


@average.proof
def _(goal):
    """The probabilities $w_j / sum w$ add up to one."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


# -- the oracle --------------------------------------------------------------------------------

t_oracle = lam * sqrt(d / 2)
oracle = Claim(
    id="theorem-1",
    title="The risk of the oracle predictor, in terms of $erf$ and $zeta$",
    statement=Eq(
        risk_definition().subs({kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}),
        epsilon**2
        + gamma**2
        - 2 * gamma**2 * erf(t_oracle / A)
        + gamma**2 * zeta(t_oracle, s)
        + (L - 1) * zeta(0, lam),
    ),
    source="Theorem 1",
    compared_to_source="exact",
    explanation=(
        "The risk of the oracle predictor, where $k = k*$ and $v = v*$, is given by $erf$ and "
        "$zeta$ alone. It is Proposition 15 at $kappa = nu = 1$ and $theta = eta = rho = 0$, "
        "where every term with one of these three as a factor vanishes. Assumption 1 enters here: "
        "the oracle has the overlaps $theta = eta = rho = k* . v*$, which are 0 if $k*$ and $v*$ "
        "are orthogonal. The informative token gives the terms with $gamma^2$: the mean of its "
        "weight, $erf$, and the mean square, $zeta$. Each of the $L - 1$ other tokens gives "
        "$zeta(0, lambda)$. The noise of the output is independent of the tokens and adds its "
        "variance $epsilon^2$. The probabilities of the locations do not enter, as the risk is "
        "the same whichever token is informative."
    ),
)


@oracle.proof
def _(goal):
    """Proposition 15 at $kappa = nu = 1$ and $theta = eta = rho = 0$."""
    values = {kappa: 1, nu: 1, theta: 0, eta: 0, rho: 0}
    return chain(goal.lhs).then(goal.rhs, by=lemma("proposition-15", values))
