"""Proposition 15: the closed form of the risk, from its definition."""

from sympy import Eq, erf, pi, sqrt

from slrsym.gaussian import Expectation, erf_prime, erf_second, standard_normal, zeta
from slrsym.papers.single_location.notation import (
    A,
    B,
    G,
    L,
    a,
    d,
    epsilon,
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
    other_token_law,
)
from slrsym.proof import (
    Claim,
    algebra,
    chain,
    definition,
    lemma,
    noise_moments,
    stein,
    substitution,
)

# What the paper's formula is made of.
drift = sqrt(d / 2)
c = 2 * lam / sqrt(pi * (1 + 2 * lam**2))
zeta_t = 2 * erf(t / (A * B)) * erf_prime(t / A) / A
zeta_tt = 2 * (
    erf_prime(t / (A * B)) * erf_prime(t / A) / (A**2 * B)
    + erf(t / (A * B)) * erf_second(t / A) / A**2
)

formula = (
    epsilon**2
    + gamma**2
    - 2 * (
        gamma**2 * nu * erf(a)
        + lam * gamma**2 * drift * eta * theta * erf_prime(a) / A
        + lam**2 * gamma**4 * eta * rho * erf_second(a) / A**2
    )
    + (d / 2 * theta**2 + gamma**2) * zeta(t, s)
    + 2 * lam * gamma**2 * drift * theta * rho * zeta_t
    + lam**2 * gamma**4 * rho**2 * zeta_tt
    + (L - 1) * (
        zeta(0, lam) + 8 / pi * lam**2 * rho**2 / ((1 + 2 * lam**2) * sqrt(1 + 4 * lam**2))
    )
    + (L - 1) * (L - 2) * c**2 * rho**2
    + 2 * (L - 1) * c * rho * (drift * theta * erf(a) + lam * gamma**2 * rho * erf_prime(a) / A)
)  # fmt: skip

one = informative_token_law()
other = other_token_law()
u1 = one.marginal(U1)
u = other.marginal(U)


def E1(f):
    """Return the mean over the informative token."""
    return Expectation(f, one)


def E2(f):
    """Return the mean over another token."""
    return Expectation(f, other)


def EG(f):
    """Return the mean over a standard normal variable."""
    return Expectation(f, standard_normal(G))


def assembled(output, predictor, square, others, others_square):
    """The expanded square, from its parts.

    `output` is the pair E Y^2 (without noise) and E (T_1 - Y), `predictor` is E Y T_1, `square` is
    E T_1^2; `others` and `others_square` are the moments of another token's contribution.
    """
    signal, own = output
    return (
        signal
        + epsilon**2
        - 2 * predictor
        + square
        + (L - 1) * others_square
        + (L - 1) * (L - 2) * others**2
        + 2 * (L - 1) * others * own
    )


proposition_15 = Claim(
    id="proposition-15",
    title="The risk in closed form, as a function of the five overlaps",
    statement=Eq(risk_definition(), formula, evaluate=False),
    source="Proposition 15",
    compared_to_source="exact",
    explanation=(
        "The risk depends on $k$ and $v$ by the five overlaps alone, and has a closed form in "
        "$erf$, its derivatives and $zeta$. Given the location the tokens are independent and "
        "Gaussian, so the squared error expands into means of a polynomial times $erf$, or "
        "$erf^2$, of a score. The scores and values are jointly normal; their covariances are "
        "products of $k$, $v$ and $v*$, their means products with $k*$, which are the overlaps, "
        "as all four are unit vectors. Stein's lemma turns each factor of the polynomial into a "
        "derivative. Means over one normal variable are left, which Lemma 18 and $zeta$ close. By "
        "Assumption 1 the output has mean 0. The noise of the output is centred and independent "
        "of the tokens, and adds its variance. The risk is the same given each location, so the "
        "probabilities of the locations do not occur."
    ),
)


@proposition_15.proof
def _(goal):
    """Expand the square; Stein removes the polynomials; Lemma 18 closes what is left."""
    S1, S = erf(lam * U1), erf(lam * U)
    expanded = assembled(
        (E1(Y1**2), E1(S1 * V1) - E1(Y1)),
        E1(Y1 * S1 * V1),
        E1(S1**2 * V1**2),
        E2(S * V),
        E2(S**2 * V**2),
    )
    # Without Y1: its covariances are gamma^2 nu with V1 and gamma^2 eta with U1.
    without_output = assembled(
        (gamma**2, E1(S1 * V1)),
        gamma**2 * nu * E1(S1) + lam * gamma**2 * eta * E1(erf_prime(lam * U1) * V1),
        E1(S1**2 * V1**2),
        E2(S * V),
        E2(S**2 * V**2),
    )

    def informative(erf_mean, bell, slope, square, product, bells, slopes):
        """What is left of the informative token once V1 is removed, too."""
        own = drift * theta * erf_mean + lam * gamma**2 * rho * bell
        cross = gamma**2 * nu * erf_mean + lam * gamma**2 * eta * (
            drift * theta * bell + lam * gamma**2 * rho * slope
        )
        squares = (
            (d / 2 * theta**2 + gamma**2) * square
            + 4 * lam * gamma**2 * drift * theta * rho * product
            + 2 * lam**2 * gamma**4 * rho**2 * (bells + slopes)
        )
        return own, cross, squares

    def table(f):
        """The seven expectations that remain of the informative token, of a score that f makes."""
        return [
            f(lambda x: erf(x)),
            f(lambda x: erf_prime(x)),
            f(lambda x: erf_second(x)),
            f(lambda x: erf(x) ** 2),
            f(lambda x: erf(x) * erf_prime(x)),
            f(lambda x: erf_prime(x) ** 2),
            f(lambda x: erf(x) * erf_second(x)),
        ]

    def stage(remaining, others, others_square):
        own, cross, squares = informative(*remaining)
        return assembled((gamma**2, own), cross, squares, others, others_square)

    in_scores = table(lambda g: Expectation(g(lam * U1), u1))
    in_normals = table(lambda g: EG(g(t + s * G)))
    closed = [
        erf(a),
        erf_prime(a) / A,
        erf_second(a) / A**2,
        EG(erf(t + s * G) ** 2),
        erf(t / (A * B)) * erf_prime(a) / A,
        2 / sqrt(pi) * erf_prime(sqrt(2) * t / B) / B,
        erf_second(a) * erf(t / (A * B)) / A**2
        + erf_prime(a) * erf_prime(t / (A * B)) / (A**2 * B)
        - 2 / sqrt(pi) * erf_prime(sqrt(2) * t / B) / B,
    ]
    names = ["ii", "i", "iii", None, "v", "iv", "vi"]

    def others(bell, square, bells, slopes):
        """E S V and E S^2 V^2 once V is removed."""
        return lam * rho * bell, square + 2 * lam**2 * rho**2 * (bells + slopes)

    score = [erf_prime(lam * U), S**2, erf_prime(lam * U) ** 2, S * erf_second(lam * U)]
    in_u = others(*(Expectation(g, u) for g in score))
    in_g = others(*(EG(g.subs(U, G)) for g in score))
    C = sqrt(1 + 2 * lam**2)
    D = sqrt(1 + 4 * lam**2)
    root = 2 / sqrt(pi)
    square = EG(erf(lam * G) ** 2)
    bells, slopes = EG(erf_prime(lam * G) ** 2), EG(erf(lam * G) * erf_second(lam * G))

    proof = (
        chain(goal.lhs)
        .then(expanded, by=noise_moments)
        .then(without_output, by=stein(Y1))
        .then(stage(in_scores, E2(S * V), E2(S**2 * V**2)), by=stein(V1))
        .then(stage(in_scores, *in_u), by=stein(V))
        .then(
            stage(in_normals, *in_u),
            by=substitution({U1: drift * kappa + gamma * G}, standard_normal(G)),
        )
        .then(stage(in_normals, *in_g), by=substitution({U: G}, standard_normal(G)))
    )
    # Lemma 18, one part at a time, at mean t and spread s.
    remaining = list(in_normals)
    for place, name in enumerate(names):
        if name is not None:
            remaining[place] = closed[place]
            proof = proof.then(stage(remaining, *in_g), by=lemma(f"lemma-18-{name}", t=t, gamma=s))
    remaining[3] = zeta(t, s)
    return (
        proof.then(stage(remaining, *in_g), by=definition)
        .then(
            stage(remaining, *others(root / C, square, bells, slopes)),
            by=lemma("lemma-18-i", t=0, gamma=lam),
        )
        .then(
            stage(remaining, *others(root / C, zeta(0, lam), bells, slopes)),
            by=lemma("zeta-at-zero", s=lam),
        )
        .then(
            stage(remaining, *others(root / C, zeta(0, lam), bells, root**2 / (C**2 * D) - bells)),
            by=lemma("lemma-18-vi-centred", s=lam),
        )
        .then(goal.rhs, by=algebra)
    )
