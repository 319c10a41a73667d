"""Two heads turned away from their oracle."""

from sympy import (
    And,
    Eq,
    Function,
    Integer,
    Le,
    Lt,
    Symbol,
    cos,
    diag,
    erf,
    exp,
    pi,
    sin,
    sqrt,
    symbols,
)

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    ProductLaw,
    erf_prime,
    standard_normal,
    zeta,
)
from slrsym.papers.single_location.notation import A, B, G, L, d, epsilon, gamma, lam, s
from slrsym.papers.single_location.task import noise, xi
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    at,
    chain,
    definition,
    differentiate,
    gaussian_calculus,
    having,
    independence,
    lemma,
    noise_moments,
    sign,
    stein,
    substitution,
    tangent,
)

# Two heads, whose k turn by phi in the plane of k_1*, k_2*, and whose v by psi in that of v_1*,
# v_2*: k_1 = cos(phi) k_1* - sin(phi) k_2*, k_2 = sin(phi) k_1* + cos(phi) k_2*. The informative
# token of k_1* has the mean m k_1*, and the target X.v_1* = cos(psi) X.v_1 + sin(psi) X.v_2. For
# the token of k_2*, the heads exchanged, it is the same with the angles -phi and -psi.
phi, psi = symbols("phi psi", real=True)
m = sqrt(d / 2)
t = lam * m
# A number of further heads, which do not turn.
n = Symbol("n", integer=True, nonnegative=True)
U1, V1, U2, V2, U, V = symbols("U_1 V_1 U_2 V_2 U V", real=True)


def seen(mean_1, mean_2):
    """Return the law of an informative token's scores and values, of two heads, by the means."""
    return GaussianLaw({U1: mean_1, V1: 0, U2: mean_2, V2: 0}, gamma**2 * diag(1, 1, 1, 1))


def heads(target_1, target_2):
    """Return a token's target less what two heads add for it."""
    return (target_1 - erf(lam * U1)) * V1 + (target_2 - erf(lam * U2)) * V2


turned = seen(m * cos(phi), m * sin(phi))
error = heads(cos(psi), sin(psi))


def square_of(x, y, in_v_x, in_v_y):
    """Return the second moment of an error, over gamma**2, by cosines and sines of both angles."""
    return (
        1
        - 2 * in_v_x * erf(t * x / A)
        - 2 * in_v_y * erf(t * y / A)
        + zeta(t * x, s)
        + zeta(t * y, s)
    )


of_two = square_of(cos(phi), sin(phi), cos(psi), sin(psi))

token = Claim(
    id="several-heads-turned-token",
    title=(
        "The error that an informative token adds, of two heads turned in the planes of "
        "$k_1*$, $k_2*$ and $v_1*$, $v_2*$, has mean 0 and a second moment in closed form"
    ),
    statement=And(
        Eq(Expectation(error, turned), 0, evaluate=False),
        Eq(Expectation(error**2, turned), gamma**2 * of_two, evaluate=False),
        evaluate=False,
    ),
    source="new; equations (30) and (31) with orthonormal $k_i*$, $v_i*$",
)


@token.proof
def _(goal):
    """Heads are independent, and their terms are centred."""
    mean, square = goal.args

    def normal(f):
        return Expectation(f, standard_normal(G))

    # The attention of each head: of the score as it stands, as gamma G + mean, and evaluated.
    means = {U1: t * cos(phi), U2: t * sin(phi)}

    def stage(attention, one=1):
        values = [attention(x, power) for power in (1, 2) for x in means]
        linear = cos(psi) * values[0] + sin(psi) * values[1]
        return gamma**2 * (one - 2 * linear + values[2] + values[3])

    def by_score(x, power):
        return Expectation(erf(lam * x) ** power, turned.marginal(x))

    def by_first(x, power):
        return normal(erf(means[x] + s * G) ** power) if x is U1 else by_score(x, power)

    def by_both(x, power):
        return normal(erf(means[x] + s * G) ** power)

    def first_known(x, power):
        return erf(means[x] / A) if (x, power) == (U1, 1) else by_both(x, power)

    def both_known(x, power):
        return erf(means[x] / A) if power == 1 else by_both(x, power)

    laws = standard_normal(G)
    return all_of(
        chain(mean.lhs).then(0, by=stein(V1, V2)),
        chain(square.lhs)
        .then(stage(by_score, cos(psi) ** 2 + sin(psi) ** 2), by=stein(V1, V2))
        .then(stage(by_score), by=algebra)
        .then(stage(by_first), by=substitution({U1: gamma * G + m * cos(phi)}, laws))
        .then(stage(by_both), by=substitution({U2: gamma * G + m * sin(phi)}, laws))
        .then(stage(first_known), by=lemma("lemma-18-ii", t=means[U1], gamma=s))
        .then(stage(both_known), by=lemma("lemma-18-ii", t=means[U2], gamma=s))
        .then(square.rhs, by=definition),
    )


# -- more heads, more tokens ---------------------------------------------------------------------

Z, X = symbols("Z X", real=True)
F, H = (Function(name, real=True) for name in "FH")
law_of_z, law_of_x = standard_normal(Z), standard_normal(X)
z, zz = (Expectation(H(Z) ** power, law_of_z) for power in (1, 2))
x, xx = (Expectation(F(X) ** power, law_of_x) for power in (1, 2))

sigma = Symbol("sigma", positive=True)
further = erf(lam * U) * V
rest = GaussianLaw({U: 0, V: 0}, sigma**2 * diag(1, 1))

more_heads = Claim(
    id="orthogonal-heads-added",
    title=(
        "$n$ further heads, with directions orthogonal to all others and to the token's mean, add "
        "$n sigma^2 zeta(0, lambda sigma)$ to the second moment of its error"
    ),
    statement=Eq(
        Expectation((F(X) - IIDSum(further, rest, n)) ** 2, law_of_x),
        xx + n * sigma**2 * zeta(0, lam * sigma),
        evaluate=False,
    ),
    source=(
        "new; equation (31); $F(X)$ is the error with the other heads, and $sigma$ is $gamma$ for "
        "an informative token, else 1"
    ),
)


@more_heads.proof
def _(goal):
    """The terms of the further heads are independent and centred."""
    h, hh = (Expectation(further**power, rest) for power in (1, 2))
    score = Expectation(erf(lam * U) ** 2, rest.marginal(U))
    normal = Expectation(erf(lam * sigma * G) ** 2, standard_normal(G))
    return (
        chain(goal.lhs)
        .then(xx - x**2 + n * (hh - h**2) + (x - n * h) ** 2, by=noise_moments)
        .then(xx + n * sigma**2 * score, by=stein(V))
        .then(xx + n * sigma**2 * normal, by=substitution({U: sigma * G}, standard_normal(G)))
        .then(goal.rhs, by=lemma("zeta-at-zero", s=lam * sigma))
    )


one_more = Claim(
    id="independent-token-added",
    title=(
        "If an independent error is added, the risk is the sum of both variances plus the "
        "square of the total mean"
    ),
    statement=Eq(
        Expectation((H(Z) + F(X)) ** 2, ProductLaw(law_of_z, law_of_x)),
        (zz - z**2) + (xx - x**2) + (z + x) ** 2,
        evaluate=False,
    ),
    source=(
        "Equations (30) and (31), for any number of locations, one token after another; $H(Z)$ is "
        "the error of all other tokens and the noise, $F(X)$ that of one token more"
    ),
)


@one_more.proof
def _(goal):
    """The mean of the product is the product of the means."""
    return chain(goal.lhs).then(goal.rhs, by=independence)


# -- the risk ------------------------------------------------------------------------------------

# Of the token with the mean m k_2*; its target is X.v_2* = cos(psi) X.v_2 - sin(psi) X.v_1.
W1, X1, W2, X2 = symbols("W_1 X_1 W_2 X_2", real=True)
second = GaussianLaw(
    {W2: m * cos(phi), X2: 0, W1: -m * sin(phi), X1: 0}, gamma**2 * diag(1, 1, 1, 1)
)
error_2 = (cos(psi) - erf(lam * W2)) * X2 + (-sin(psi) - erf(lam * W1)) * X1
# Of the other tokens.
Y1, Z1, Y2, Z2 = symbols("Y_1 Z_1 Y_2 Z_2", real=True)
attended = erf(lam * Y1) * Z1 + erf(lam * Y2) * Z2
others = standard_normal(Y1, Z1, Y2, Z2)


def risk_at(of_a_token):
    """Return the risk of two heads, by the second moment of a token's error over gamma**2."""
    return epsilon**2 + 2 * gamma**2 * of_a_token + 2 * L * zeta(0, lam)


turned_risk = Claim(
    id="several-heads-turned",
    title=(
        "The risk of two heads whose keys are turned in the plane of $k_1*$, $k_2*$, and whose "
        "values are turned in that of $v_1*$, $v_2*$, in closed form"
    ),
    statement=Eq(
        Expectation(
            (error + error_2 + xi - IIDSum(attended, others, L)) ** 2,
            ProductLaw(turned, second, noise()),
        ),
        risk_at(of_two),
        evaluate=False,
    ),
    source=(
        "new; equations (30) and (31) with orthonormal $k_1*$, $v_1*$, $k_2*$, $v_2*$ and $L$ "
        "uninformative tokens: keys $cos(phi) k_1* - sin(phi) k_2*$, $sin(phi) k_1* + cos(phi) "
        "k_2*$, values likewise with $psi$"
    ),
)


@turned_risk.proof
def _(goal):
    """Tokens are independent, and the second is the first with heads exchanged and other angles."""

    def moments(f, law):
        return Expectation(f, law), Expectation(f**2, law)

    (f, ff), (g, gg), (h, hh) = map(moments, (error, error_2, attended), (turned, second, others))
    expanded = epsilon**2 + (ff - f**2) + (gg - g**2) + L * (hh - h**2) + (f + g - L * h) ** 2
    square = gamma**2 * of_two
    return (
        chain(goal.lhs)
        .then(expanded, by=noise_moments)
        .then(epsilon**2 + ff + gg + L * hh, by=stein(V1, V2, X1, X2, Z1, Z2))
        .then(epsilon**2 + square + gg + L * hh, by=lemma("several-heads-turned-token"))
        .then(
            epsilon**2 + 2 * square + L * hh,
            by=lemma("several-heads-turned-token", phi=-phi, psi=-psi),
        )
        .then(goal.rhs, by=gaussian_calculus)
    )


# -- curvatures at the oracle ----------------------------------------------------------------------

reach = t / A
closed_risk = risk_at(of_two)
slopes = {
    (phi,): Integer(0),
    (psi,): Integer(0),
    (phi, phi): 4 * gamma**2 * reach * (
        erf_prime(reach) * (1 - erf(reach / B)) + 4 * reach / (pi * B)
    ),
    (phi, psi): -8 * gamma**2 * reach / sqrt(pi),
    (psi, psi): 4 * gamma**2 * erf(reach),
}  # fmt: skip


def at_oracle(f):
    """Return a function of both angles at the oracle."""
    return at(f, {phi: 0, psi: 0})


curvatures = Claim(
    id="several-heads-curvatures",
    title=(
        "The first and second derivatives of the risk of two heads in both angles by which "
        "keys and values are turned, at the oracle"
    ),
    statement=And(
        *(
            Eq(at_oracle(D(closed_risk, *angles)), value, evaluate=False)
            for angles, value in slopes.items()
        ),
        evaluate=False,
    ),
    source="new",
)


@curvatures.proof
def _(goal):
    """Differentiate once and twice."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=differentiate) for part in goal.args))


p, q = Symbol("p", positive=True), Symbol("q", positive=True)
w = Symbol("w", nonnegative=True)
determinant_of = erf(p) * (erf_prime(p) * (1 - erf(q * p)) + 4 * p * q / pi) - 4 * p / pi

bound = Claim(
    id="several-heads-determinant",
    title="$erf(x) (erf'(x) (1 - erf(q x)) + 4 q x/pi) < 4 x/pi$ for $x > 0$ and $0 < q <= 1$",
    statement=Lt(determinant_of, 0, evaluate=False),
    source="new",
    hypotheses=[Le(q, 1)],
)


@bound.proof
def _(goal):
    """$q erf(x) <= erf(q x)$, and the product of $erf$ and its slope is less than $4 x/pi$."""
    chord = chain(erf(q * p)).ge(q * erf(p), by=lemma("erf-above-chord", r=q, w=p))
    line = chain(erf(p)).le(2 * p / sqrt(pi), by=tangent(erf(w), w, at=0, point=p))
    bell = chain(exp(-(p**2))).lt(1, by=sign)
    height = 2 / sqrt(pi) * exp(-(p**2))
    product = having(
        line,
        bell,
        chain(erf(p) * erf_prime(p))
        .then(height * erf(p), by=algebra)
        .le(height * 2 * p / sqrt(pi), by=sign)
        .lt(4 * p / pi, by=sign),
    )
    above = chain(1 - erf(q * p)).gt(0, by=sign)
    return having(
        chord,
        above,
        product,
        chain(goal.lhs)
        .le(
            erf(p) * erf_prime(p) * (1 - erf(q * p)) + 4 * p / pi * erf(q * p) - 4 * p / pi, by=sign
        )
        .then((1 - erf(q * p)) * (erf(p) * erf_prime(p) - 4 * p / pi), by=algebra)
        .lt(0, by=sign),
    )


saddle = Claim(
    id="several-heads-saddle",
    title=(
        "At the oracle of two heads the slopes of the risk in the angles of keys and values "
        "vanish, and its Hessian has a negative determinant, for all $d$, $L$, $gamma$, $lambda$"
    ),
    statement=And(
        Eq(at_oracle(D(closed_risk, phi)), 0, evaluate=False),
        Eq(at_oracle(D(closed_risk, psi)), 0, evaluate=False),
        Lt(slopes[phi, phi] * slopes[psi, psi] - slopes[phi, psi] ** 2, 0, evaluate=False),
        evaluate=False,
    ),
    source=(
        "new; the Hessian is that of several-heads-curvatures; the paper asks in its appendix on "
        "several locations why heads align with the oracle's directions in part only"
    ),
)


@saddle.proof
def _(goal):
    """Differentiate; the determinant is bounded by several-heads-determinant."""
    *critical, determinant = goal.args
    return all_of(
        *(chain(part.lhs).then(part.rhs, by=differentiate) for part in critical),
        chain(determinant.lhs)
        .then(16 * gamma**4 * reach * determinant_of.subs({p: reach, q: 1 / B}), by=algebra)
        .lt(
            0,
            by=lemma("several-heads-determinant", p=reach, q=1 / B).scaled(16 * gamma**4 * reach),
        ),
    )
