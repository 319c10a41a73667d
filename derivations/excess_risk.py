"""The excess risk without cancellation: the five-variable analogue of Lemma 6's stable form."""

from sympy import Eq, erf, pi, sqrt

from slrsym.gaussian import erf_prime, zeta
from slrsym.notation import A, B, L, a, d, epsilon, eta, gamma, lam, nu, rho, s, t, theta
from slrsym.proof import Claim, chain, lemma
from slrsym.risk import risk_definition

# Given the score u of the informative token, its attention erf(u) has this mean and variance, and
# its two derivatives in the mean of u these means.
mean = erf(a)
variance = zeta(t, s) - erf(a) ** 2
slope = erf_prime(a) / A
bend = -2 * a * slope / A
# What erf(u) erf'(u) falls short of the product of the means.
gap = erf(a) - erf(a / B)

drift = sqrt(d / 2) * theta
# E erf(lam U) V, of one of the other tokens.
pull = 2 * lam * rho / sqrt(pi * (1 + 2 * lam**2))

others = (L - 1) * (
    zeta(0, lam) + 4 * lam**2 * rho**2 / (pi * (1 + 2 * lam**2)) * (2 / sqrt(1 + 4 * lam**2) - 1)
)
direction = (1 - nu) * (1 + nu) + (nu - mean) ** 2 + variance
offset = (L - 1) * pull + mean * drift
mixing = eta - mean * rho

stable = (
    others
    + gamma**2 * direction
    + offset**2
    + drift**2 * variance
    + 2 * offset * gamma * rho * s * slope
    - 2 * gamma * mixing * s * (drift * slope + gamma * rho * s * bend)
    - 4 * drift * gamma * rho * s * slope * gap
    + 2 * (gamma * rho * s) ** 2 * (erf_prime(a / B) * slope / (A * B) - bend * gap)
)

excess_risk = Claim(
    id="excess-risk-stable",
    title="the excess risk without cancellation",
    statement=Eq(risk_definition() - epsilon**2, stable),
    source="new",
)


@excess_risk.proof
def _(goal):
    """Proposition 15, sorted by the variances and means of the sum and of the attention erf(u)."""
    return chain(goal.lhs).then(goal.rhs, by=lemma("proposition-15"))
