"""Whether the oracle attracts from off the manifold: the curvatures of the risk there."""

from sympy import And, Eq, Gt, Subs, Symbol, erf, erfc, pi, sqrt

from slrsym.gaussian import OwensT, erf_prime, erf_second, zeta
from slrsym.notation import A, B, L, d, eta, gamma, kappa, lam, nu, rho, s, t, theta
from slrsym.proof import Claim, D, all_of, chain, differentiate, sign
from slrsym.symbolic import closed_form

# What claim landscape-risk derives.
risk = closed_form().replace(OwensT, lambda *_: (1 - zeta(t, s)) / 8)

drift = sqrt(d / 2)
t_oracle = lam * drift
a = t_oracle / A
b = lam * drift / A
# E erf(lambda U) U of another token.
c = 2 * lam / sqrt(pi * (1 + 2 * lam**2))

# Angles by which k turns from k* towards v*, and v from v* towards k*, to second order: the
# coordinates are rational, and their speed is 1 where they are 0.
x, y = Symbol("x", real=True), Symbol("y", real=True)


def turned(angle):
    """Cosine and sine of an angle that is `angle` to second order."""
    return (4 - angle**2) / (4 + angle**2), 4 * angle / (4 + angle**2)


k_cos, k_sin = turned(x)
v_cos, v_sin = turned(y)
turned_risk = risk.subs(
    {kappa: k_cos, eta: k_sin, nu: v_cos, theta: v_sin, rho: k_cos * v_sin + k_sin * v_cos},
    simultaneous=True,
)

# Slopes and curvatures of the risk in the overlaps, at the oracle.
R_kappa = -2 * gamma**2 * b * erf_prime(a) * erfc(a / B)
R_nu = -2 * gamma**2 * erf(a)
R_eta_theta = -2 * lam * gamma**2 * drift * erf_prime(a) / A
R_eta_rho = -2 * lam**2 * gamma**4 * erf_second(a) / A**2
R_theta_theta = d * zeta(t_oracle, s)
zeta_t = 2 * erf(a / B) * erf_prime(a) / A
zeta_tt = 2 * (erf_prime(a / B) * erf_prime(a) / (A**2 * B) + erf(a / B) * erf_second(a) / A**2)
R_theta_rho = 2 * lam * gamma**2 * drift * zeta_t + 2 * (L - 1) * c * drift * erf(a)
R_rho_rho = (
    2 * lam**2 * gamma**4 * zeta_tt
    + 4 * (L - 1) * c**2 / sqrt(1 + 4 * lam**2)
    + 2 * (L - 1) * (L - 2) * c**2
    + 4 * (L - 1) * c * lam * gamma**2 * erf_prime(a) / A
)

# The transverse Hessian in the plane of k* and v*.
H_kk = -R_kappa + R_rho_rho + 2 * R_eta_rho
H_kv = R_eta_theta + R_rho_rho + R_theta_rho + R_eta_rho
H_vv = -R_nu + R_theta_theta + R_rho_rho + 2 * R_theta_rho


def curvature_at_oracle(*variables):
    # One variable at a time: SymPy takes substitutions of equal values for equal.
    fixed = {x: 0, y: 0}
    if len(set(variables)) == 1:
        (variable,) = set(variables)
        other = {v: 0 for v in fixed if v is not variable}
        return Subs(D(turned_risk.subs(other), (variable, 2)), variable, 0)
    return Subs(D(turned_risk, x, y), (x, y), (0, 0))


entries = {(x,): H_kk, (x, y): H_kv, (y,): H_vv}

transverse = Claim(
    id="oracle-transverse-hessian",
    title="curvatures at the oracle in the plane of k* and v*",
    statement=And(
        *(Eq(curvature_at_oracle(*v), value, evaluate=False) for v, value in entries.items()),
        evaluate=False,
    ),
    source="new",
)


@transverse.proof
def _(goal):
    """Differentiate the risk twice along great circles."""
    return all_of(*(chain(e.lhs).then(e.rhs, by=differentiate) for e in goal.args))


across = Claim(
    id="oracle-across",
    title="curvatures at the oracle orthogonal to k* and v*",
    statement=And(Gt(-R_kappa, 0, evaluate=False), Gt(-R_nu, 0, evaluate=False), evaluate=False),
    source="new",
)


@across.proof
def _(goal):
    """Turning k, or v, out of the plane lowers kappa, or nu, and nothing else to second order."""
    return all_of(*(chain(part.lhs).gt(0, by=sign) for part in goal.args))
