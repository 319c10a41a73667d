"""Gradient flow on the manifold while the inverse temperature falls, by any law of its own value.

The inverse temperature moves by lambda' = -(lambda - lambda_1) h(lambda), h >= 0, towards lambda_1
>= 0. What the proofs for a fixed one use of it is an upper bound, so that the region is kept. The
risk need not fall, as it changes with lambda; so the limit is not carried over.
"""

from sympy import Function, Ge, Le, Lt, S, Symbol, erf, sqrt, symbols

from slrsym.gaussian import erf_prime
from slrsym.papers.single_location import notation, planar
from slrsym.papers.single_location.notation import d, gamma, kappa, nu
from slrsym.proof import (
    Claim,
    algebra,
    chain,
    differentiate,
    having,
    increasing,
    lemma,
    signs,
)
from slrsym.proof.dynamical import DecaysAlong, RegionKept, by_theorem, flow

delta, nu_0, lam_0 = symbols("delta nu_0 lambda_0", positive=True)
lam_1 = Symbol("lambda_1", nonnegative=True)
p = Symbol("p", real=True)
h = Function("h", nonnegative=True)
# As a coordinate it is declared real alone.
lam = Symbol("lambda", real=True)
A, B, b, R_kappa, R_nu = (
    e.xreplace({notation.lam: lam})
    for e in (notation.A, notation.B, planar.b, planar.R_kappa(kappa, nu), planar.R_nu(kappa))
)
F = flow(
    {
        kappa: -R_kappa * (1 - kappa**2),
        nu: -R_nu * (1 - nu**2),
        lam: -(lam - lam_1) * h(lam),
    },
    positive=(lam,),
)
EDGES = (1 - kappa, 1 - nu, lam - lam_1, lam_0 - lam)
REGION = F.region(*EDGES, kappa - delta, nu - nu_0)
q = sqrt(d / 2)
SMALL = [Lt(delta, 1), Lt(nu_0, 1), Le(2 * lam_0 * q * delta, nu_0)]
SOURCE = "new: gradient flow with a falling inverse temperature"
ROOM = "for $lambda_0 sqrt(2 d) delta <= nu_0$"

edges = Claim(
    id="cooled-flow-top",
    title=(
        "Gradient flow on the manifold keeps $kappa <= 1$, $nu <= 1$ and $lambda_1 <= lambda <= "
        "lambda_0$ while $lambda$ falls towards $lambda_1$"
    ),
    source=SOURCE,
    hypotheses=[Le(lam_1, lam_0)],
    statement=RegionKept(F, F.region(*EDGES)),
)


@edges.proof
def _(goal):
    """All but the last divide their velocities."""
    k = (R_kappa * (1 + kappa), R_nu * (1 + nu), -h(lam), S.Zero)
    rises = {
        f"rises_{i}": chain(c * a).le(F.rate_of(a), by=differentiate)
        for i, (c, a) in enumerate(zip(k[:3], EDGES, strict=False), start=1)
    }
    falls = chain(S.Zero).le((lam - lam_1) * h(lam), by=signs)
    rises["rises_4"] = falls.then(F.rate_of(lam_0 - lam), by=differentiate)
    return by_theorem(goal, "flow-cofactor", {"cofactors": F.function(*k)}, **rises)


a_1, b_1, x_1 = symbols("a_1 b_1 x_1", positive=True)
bound = Claim(
    id="cooled-flow-overlap-bound",
    title="$2 x/(a b) <= nu_0$ where $0 < 2 x <= nu_0$ and $a, b >= 1$",
    source="new: used for the region of `cooled-flow-kept`",
    hypotheses=[Ge(a_1, 1), Ge(b_1, 1), Le(2 * x_1, nu_0)],
    statement=Le(2 * (x_1 / (a_1 * b_1)), nu_0, evaluate=False),
)


@bound.proof
def _(goal):
    """Multiply by $a b >= 1$."""
    split = (nu_0 * ((a_1 - 1) * b_1 + (b_1 - 1)) + (nu_0 - 2 * x_1)) / (a_1 * b_1)
    return having(
        chain(nu_0 - 2 * (x_1 / (a_1 * b_1))).then(split, by=algebra).ge(0, by=signs),
        chain(goal.lhs).le(goal.rhs, by=signs),
    )


kept = Claim(
    id="cooled-flow-kept",
    title=(
        "Gradient flow on the manifold keeps $delta <= kappa <= 1$ and $nu_0 <= nu <= 1$ while "
        f"$lambda$ falls from at most $lambda_0$, {ROOM}"
    ),
    source=SOURCE,
    hypotheses=[*SMALL, Le(lam_1, lam_0)],
    statement=RegionKept(F, REGION),
)


@kept.proof
def _(goal):
    """As at a fixed inverse temperature: $b/B <= lambda_0 sqrt(d/2)$."""
    positive = chain(kappa).ge(delta, by=signs).gt(0, by=signs)
    x = lam * q * kappa
    z = x / (A * B)
    gap, flat, front = nu - erf(z), 1 - kappa**2, 2 * gamma**2 * b * erf_prime(b * kappa)
    at_kappa = having(
        positive,
        chain(kappa).le(delta, by=signs).lt(1, by=signs),
        chain(lam_0 * delta - lam * kappa)
        .then((lam_0 - lam) * kappa + lam_0 * (delta - kappa), by=algebra)
        .ge(0, by=signs),
        chain(2 * x).le(2 * lam_0 * q * delta, by=signs).le(nu_0, by=signs),
        chain(A).ge(1, by=signs),
        chain(B).ge(1, by=signs),
        chain(b).gt(0, by=signs),
        chain(x).gt(0, by=signs),
        chain(2 * z).le(nu_0, by=lemma("cooled-flow-overlap-bound", a_1=A, b_1=B, x_1=x)),
        chain(z).ge(0, by=signs),
        chain(nu).ge(nu_0, by=signs),
        chain(gap).gt(0, by=lemma("manifold-flow-erf-below", y=z, n_0=nu_0)),
        chain(flat).gt(0, by=signs),
        chain(front).gt(0, by=signs),
        chain(F.rate_of(kappa - delta))
        .then(gap * flat * front, by=differentiate)
        .gt(0, by=lemma("positive-product-of-three", u=gap, v=flat, w=front)),
    )
    speed, room = erf(b * kappa), 1 - nu**2
    at_nu = having(
        positive,
        chain(nu).le(nu_0, by=signs).lt(1, by=signs),
        chain(b).gt(0, by=signs),
        chain(speed).gt(0, by=signs),
        chain(room).gt(0, by=signs),
        chain(F.rate_of(nu - nu_0))
        .then(2 * gamma**2 * speed * room, by=differentiate)
        .gt(0, by=lemma("positive-product-of-three", u=2 * gamma**2, v=speed, w=room)),
    )
    return by_theorem(
        goal,
        "flow-barrier",
        {"first": 4},
        first=lemma("cooled-flow-top"),
        rises_5=at_kappa,
        rises_6=at_nu,
    )


least = lam_1 * q * delta / sqrt(1 + 2 * gamma**2 * lam_0**2)
rate = 2 * gamma**2 * erf(least)
fast = Claim(
    id="cooled-flow-rate",
    title=(
        "While $lambda$ falls from at most $lambda_0$ towards $lambda_1$, the distance $1 - nu$ "
        "decays along gradient flow on the manifold from $kappa >= delta$, $nu >= nu_0$ at the "
        "rate $2 gamma^2 erf(lambda_1 sqrt(d/2) delta/sqrt(1 + 2 gamma^2 lambda_0^2))$, "
        f"{ROOM}; where $lambda_1 = 0$, it never rises"
    ),
    source=SOURCE,
    hypotheses=[*SMALL, Le(lam_1, lam_0)],
    statement=DecaysAlong(F, REGION, F.function(1 - nu), rate),
)


@fast.proof
def _(goal):
    """$b kappa$ is at least the argument in the rate."""
    top = sqrt(1 + 2 * gamma**2 * lam_0**2)
    known = having(
        chain(lam * kappa - lam_1 * delta)
        .then((lam - lam_1) * kappa + lam_1 * (kappa - delta), by=algebra)
        .ge(0, by=signs),
        chain(lam**2).le(lam_0**2, by=signs),
        chain(A).le(top, by=signs),
        chain(1 / top).le(1 / A, by=signs),
        chain(b * kappa - least)
        .then(
            q * lam_1 * delta * (1 / A - 1 / top) + q * (lam * kappa - lam_1 * delta) / A,
            by=algebra,
        )
        .ge(0, by=signs),
        chain(least).le(b * kappa, by=signs),
    )
    left = -2 * gamma**2 * (1 - nu) * ((erf(b * kappa) - erf(least)) + nu * erf(b * kappa))
    falls = having(
        chain(kappa).gt(0, by=signs),
        chain(nu).gt(0, by=signs),
        chain(b).gt(0, by=signs),
        chain(erf(least)).le(erf(b * kappa), by=increasing(erf(p), p, known=known)),
        chain(erf(b * kappa)).ge(0, by=signs),
        chain(F.rate_of(1 - nu) + rate * (1 - nu)).then(left, by=differentiate).le(0, by=signs),
    )
    return by_theorem(goal, "flow-gronwall", kept=lemma("cooled-flow-kept"), decays=falls)
