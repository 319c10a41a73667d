"""The risk of two heads at any directions, equation (31) assembled.

The claim is proved. It waits here until its statement, of 26 lines, is short enough for a page:
its means need names or closed forms.
"""

from sympy import Eq, Matrix, erf, symbols

from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, ProductLaw
from slrsym.notation import L, epsilon, gamma, lam
from slrsym.proof import (
    Claim,
    chain,
    linearity,
    noise_moments,
)
from slrsym.task import noise, xi

# Scores and values X.k_i, X.v_i of each informative token for both heads.
names = symbols("U_11 V_11 U_12 V_12 U_21 V_21 U_22 V_22", real=True)
U11, V11, U12, V12, U21, V21, U22, V22 = names
U1, V1, U2, V2 = others = symbols("U_1 V_1 U_2 V_2", real=True)


def heads(*projections):
    """Return what both heads add for a token, of scores and values for one head after another."""
    u1, v1, u2, v2 = projections
    return erf(lam * u1) * v1 + erf(lam * u2) * v2


# The inner products of k_1, v_1, k_2, v_2; the means of both tokens' scores and values, and the
# inner products of k_i, v_i with v_j*. The target of token j is Y_j = X.v_j*, of mean 0.
chi, omega, r11, r12, r21, r22 = symbols("chi omega rho_11 rho_12 rho_21 rho_22", real=True)
gram = [[1, r11, chi, r12], [r11, 1, r21, omega], [chi, r21, 1, r22], [r12, omega, r22, 1]]
Y1, Y2 = symbols("Y_1 Y_2", real=True)


def informative_token(place, variables, target):
    """Return the law of a token's scores and values for both heads, and of its target."""
    means = symbols(f"m_{place}(1:5)", real=True)
    along = symbols(f"eta_{place}1 nu_{place}1 eta_{place}2 nu_{place}2", real=True)
    rows = [[*row, along[i]] for i, row in enumerate(gram)] + [[*along, 1]]
    return GaussianLaw(
        {**dict(zip(variables, means, strict=True)), target: 0}, gamma**2 * Matrix(rows)
    )


tokens = (
    ((U11, V11, U12, V12), informative_token(1, names[:4], Y1), Y1),
    (
        (U21, V21, U22, V22),
        informative_token(2, names[4:], Y2),
        Y2,
    ),
)
plain = GaussianLaw(dict.fromkeys(others, 0), gram)


def attended(projections, law, target=0):
    """Return the mean and the second moment of target less prediction, by means of single terms."""
    u1, v1, u2, v2 = projections
    terms = erf(lam * u1) * v1, erf(lam * u2) * v2

    def mean(f):
        return Expectation(f, law)

    first = mean(target) if target else 0
    second = mean(target**2) if target else 0
    first -= sum(map(mean, terms))
    second -= 2 * sum(mean(target * f) for f in terms) if target else 0
    second += sum(mean(f**2) for f in terms) + 2 * mean(terms[0] * terms[1])
    return first, second


(f, ff), (g, gg) = (attended(*token) for token in tokens)
h, hh = attended(others, plain)
any_error = (
    Y1 + Y2 + xi - heads(*tokens[0][0]) - heads(*tokens[1][0]) - IIDSum(heads(*others), plain, L)
)

any_directions = Claim(
    id="several-heads-risk",
    title="The risk of two heads with two informative tokens and $L$ others, by means of one token",
    statement=Eq(
        Expectation(any_error**2, ProductLaw(tokens[0][1], tokens[1][1], noise())),
        epsilon**2 + (ff - f**2) + (gg - g**2) + L * (hh - h**2) + (f + g + L * h) ** 2,
        evaluate=False,
    ),
    source="Equations (30) and (31); claims several-heads-... and lemma-18-... have these means",
)


@any_directions.proof
def _(goal):
    """The risk is the variances of all tokens' errors and the square of their mean."""

    def moments(projections, law, target=0):
        error = target - heads(*projections)
        return Expectation(error, law), Expectation(error**2, law)

    (a, aa), (b, bb) = (moments(*token) for token in tokens)
    c, cc = moments(others, plain)
    whole = epsilon**2 + (aa - a**2) + (bb - b**2) + L * (cc - c**2) + (a + b + L * c) ** 2
    return chain(goal.lhs).then(whole, by=noise_moments).then(goal.rhs, by=linearity)
