"""Gradient flow on the manifold: it converges to the oracle from every start with $kappa, nu > 0$.

Every start with 0 < kappa, nu <= 1 lies in one of the regions, `manifold-flow-starts`. The flow is
symmetric: with (kappa, nu) its trajectories have (-kappa, -nu), so that those with kappa, nu < 0
converge to the mirror image of the oracle, `manifold-flow-to-mirror`.
"""

from sympy import And, Ge, Gt, Le, Lt, Symbol, erf, exp, pi, sqrt, symbols

from slrsym.gaussian import erf_prime
from slrsym.papers.single_location.notation import B, gamma, kappa, nu
from slrsym.papers.single_location.planar import R_kappa, R_nu, b, risk, stationarity_equations
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    ball_arithmetic,
    chain,
    differentiate,
    having,
    increasing,
    lemma,
    signs,
)
from slrsym.proof.dynamical import (
    DecaysAlong,
    FlowLimitsSolve,
    FlowsConvergeTo,
    RegionKept,
    by_theorem,
    flow,
)

delta, nu_0, n_0 = symbols("delta nu_0 n_0", positive=True)
y = Symbol("y", nonnegative=True)
u, v, w = symbols("u v w", real=True)
F = flow({kappa: -R_kappa(kappa, nu) * (1 - kappa**2), nu: -R_nu(kappa) * (1 - nu**2)})
SMALL = [Lt(delta, 1), Lt(nu_0, 1), Le(2 * b * delta, nu_0 * B)]
SOURCE = "new: gradient flow in place of the descent of Section 5"


def top(name, s, what):
    claim = Claim(
        id=f"manifold-flow-{name}top",
        title=f"Gradient flow on the manifold keeps {what}",
        source=SOURCE,
        statement=RegionKept(F, F.region(1 - s * kappa, 1 - s * nu)),
    )

    @claim.proof
    def _(goal):
        """The distances divide their velocities."""
        x, n = s * kappa, s * nu
        k = (s * R_kappa(kappa, nu) * (1 + x), s * R_nu(kappa) * (1 + n))
        return by_theorem(
            goal,
            "flow-cofactor",
            {"cofactors": F.function(*k)},
            rises_1=chain(k[0] * (1 - x)).le(F.rate_of(1 - x), by=differentiate),
            rises_2=chain(k[1] * (1 - n)).le(F.rate_of(1 - n), by=differentiate),
        )

    return claim


top("", 1, "$kappa <= 1$ and $nu <= 1$")
top("mirror-", -1, "$kappa >= -1$ and $nu >= -1$")

below = Claim(
    id="manifold-flow-erf-below",
    title="$erf(y) < nu$ where $nu >= n_0 >= 2 y$, $n_0 > 0$ and $y >= 0$",
    source="new: used for the region of `manifold-flow-kept`",
    hypotheses=[Le(2 * y, n_0), Ge(nu, n_0)],
    statement=Gt(nu - erf(y), 0, evaluate=False),
)


@below.proof
def _(goal):
    """$erf(y) <= 2 y/sqrt(pi)$, and $sqrt(pi) > 1$."""
    split = (n_0 * (sqrt(pi) - 1) + (n_0 - 2 * y)) / sqrt(pi)
    return having(
        chain(sqrt(pi)).gt(1, by=ball_arithmetic),
        chain(n_0 - 2 * y / sqrt(pi)).then(split, by=algebra).gt(0, by=signs),
        chain(erf(y)).le(2 * y / sqrt(pi), by=lemma("lemma-17-iii-positive", p=y)),
        chain(goal.lhs).gt(0, by=signs),
    )


three = Claim(
    id="positive-product-of-three",
    title="A product of three positive numbers is positive",
    source="new: used for the region of `manifold-flow-kept`",
    hypotheses=[Gt(u, 0), Gt(v, 0), Gt(w, 0)],
    statement=Gt(u * v * w, 0, evaluate=False),
)


@three.proof
def _(goal):
    """A product of three positive numbers."""
    return chain(goal.lhs).gt(0, by=signs)


half = Claim(
    id="manifold-flow-overlap-bound",
    title="$2 u kappa/v <= nu_0$ where $2 u delta <= nu_0 v$, $kappa <= delta$ and $u, v > 0$",
    source="new: used for the region of `manifold-flow-kept`",
    hypotheses=[Le(2 * u * delta, nu_0 * v), Gt(u, 0), Gt(v, 0), Le(kappa, delta)],
    statement=Le(2 * (u * kappa / v), nu_0, evaluate=False),
)


@half.proof
def _(goal):
    """Multiply by $v$."""
    return having(
        chain(nu_0 * v - 2 * u * kappa).ge(0, by=signs),
        chain(nu_0 - 2 * (u * kappa / v))
        .then((nu_0 * v - 2 * u * kappa) / v, by=algebra)
        .ge(0, by=signs),
        chain(goal.lhs).le(goal.rhs, by=signs),
    )


# The regions of starts near the oracle, and near its mirror image.
SIDES = {
    "": (1, "$delta <= kappa <= 1$ and $nu_0 <= nu <= 1$", "$kappa >= delta$, $nu >= nu_0$"),
    "mirror-": (
        -1, "$-1 <= kappa <= -delta$ and $-1 <= nu <= -nu_0$",
        "$kappa <= -delta$, $nu <= -nu_0$",
    ),
}  # fmt: skip
REGIONS = {
    name: F.region(1 - s * kappa, 1 - s * nu, s * kappa - delta, s * nu - nu_0)
    for name, (s, *_) in SIDES.items()
}
ROOM = "for $2 b delta <= nu_0 B$ with $b = lambda sqrt(d/2)/A$"


def kept(name):
    s, region, _ = SIDES[name]
    claim = Claim(
        id=f"manifold-flow-{name}kept",
        title=f"Gradient flow on the manifold keeps {region}, {ROOM}",
        source=SOURCE,
        hypotheses=SMALL,
        statement=RegionKept(F, REGIONS[name]),
    )

    @claim.proof
    def _(goal):
        """At $|kappa| = delta$ the slope pushes on, as $|nu| >= nu_0 > erf(b delta/B)$."""
        x, n = s * kappa, s * nu
        positive = chain(x).ge(delta, by=signs).gt(0, by=signs)
        z = b * x / B
        gap, flat, front = n - erf(z), 1 - kappa**2, 2 * gamma**2 * b * erf_prime(b * kappa)
        at_kappa = having(
            positive,
            chain(x).le(delta, by=signs).lt(1, by=signs),
            chain(b).gt(0, by=signs),
            chain(B).gt(0, by=signs),
            chain(n).ge(nu_0, by=signs),
            chain(2 * z).le(nu_0, by=lemma("manifold-flow-overlap-bound", u=b, v=B, kappa=x)),
            chain(z).ge(0, by=signs),
            chain(gap).gt(0, by=lemma("manifold-flow-erf-below", y=z, n_0=nu_0, nu=n)),
            chain(flat).gt(0, by=signs),
            chain(front).gt(0, by=signs),
            chain(F.rate_of(x - delta))
            .then(gap * flat * front, by=differentiate)
            .gt(0, by=lemma("positive-product-of-three", u=gap, v=flat, w=front)),
        )
        speed, room = s * erf(b * kappa), 1 - nu**2
        at_nu = having(
            positive,
            chain(n).le(nu_0, by=signs).lt(1, by=signs),
            chain(speed).gt(0, by=signs),
            chain(1 - n).gt(0, by=signs),
            chain(1 + n).ge(1 + nu_0, by=signs).gt(0, by=signs),
            chain(room)
            .then((1 - n) * (1 + n), by=algebra)
            .gt(0, by=lemma("positive-product-of-three", u=1 - n, v=1 + n, w=1)),
            chain(F.rate_of(n - nu_0))
            .then(2 * gamma**2 * speed * room, by=differentiate)
            .gt(0, by=lemma("positive-product-of-three", u=2 * gamma**2, v=speed, w=room)),
        )
        return by_theorem(
            goal,
            "flow-barrier",
            {"first": 2},
            first=lemma(f"manifold-flow-{name}top"),
            rises_3=at_kappa,
            rises_4=at_nu,
        )

    return claim


def limits(name):
    claim = Claim(
        id=f"manifold-flow-{name}limits",
        title=(
            f"Gradient flow on the manifold from {SIDES[name][2]} accumulates at solutions of "
            f"the equations (14), {ROOM}"
        ),
        source=SOURCE,
        hypotheses=SMALL,
        statement=FlowLimitsSolve(F, REGIONS[name], stationarity_equations()),
    )

    @claim.proof
    def _(goal):
        """The risk is a Lyapunov function."""
        r, e = risk(kappa, nu), goal.equations.expr
        change = e[0] ** 2 + e[1] ** 2 + F.rate_of(r)
        slopes = (
            chain(D(r, kappa)).then(R_kappa(kappa, nu), by=lemma("proposition-9-gradient-kappa")),
            chain(D(r, nu)).then(R_nu(kappa), by=lemma("proposition-9-gradient-nu")),
        )
        left = -(R_kappa(kappa, nu) ** 2) * (1 - kappa**2) * kappa**2
        left -= R_nu(kappa) ** 2 * (1 - nu**2) * nu**2
        falls = having(*slopes, chain(change).then(left, by=algebra).le(0, by=signs))
        inside = all_of(
            *(
                link
                for x in (kappa, nu)
                for link in (chain(x).ge(-1, by=signs), chain(x).le(1, by=signs))
            )
        )
        return by_theorem(
            goal,
            "flow-lasalle",
            {"function": F.function(r), "factor": 1, "bound": 1},
            kept=lemma(f"manifold-flow-{name}kept"),
            bounded=inside,
            falls=falls,
        )

    return claim


def converges(name, id, what):
    s, _, starts = SIDES[name]
    claim = Claim(
        id=f"manifold-flow-{id}",
        title=f"Gradient flow on the manifold converges to {what} from every start with {starts}, "
        f"{ROOM}",
        source=SOURCE,
        hypotheses=SMALL,
        statement=FlowsConvergeTo(F, REGIONS[name], F.points((s, s))),
    )

    @claim.proof
    def _(goal):
        """Of the five points of Proposition 9 only one is in the region."""
        outside = ((-s, -s, 2), (s, -s, 3), (-s, s, 2), (0, 0, 2))
        negative = {
            f"outside_{n}": chain(REGIONS[name].expr[i].subs({kappa: p, nu: q})).lt(0, by=signs)
            for n, (p, q, i) in enumerate(outside, start=1)
        }
        return by_theorem(
            goal,
            "flow-limit",
            {"equations": stationarity_equations(), "outside": outside},
            limits=lemma(f"manifold-flow-{name}limits"),
            solutions=lemma("proposition-9"),
            **negative,
        )

    return claim


for side in SIDES:
    kept(side)
    limits(side)
converges("", "to-oracle", "the oracle")
converges("mirror-", "to-mirror", "the mirror image of the oracle")

# -- every start ----------------------------------------------------------------------------------

kappa_0, nu_1 = symbols("kappa_0 nu_1", positive=True)
room = kappa_0 * nu_1 * B / (4 * b + B)
starts = Claim(
    id="manifold-flow-starts",
    title=(
        "Every start with $0 < kappa_0, nu_1 <= 1$ is in a region of `manifold-flow-to-oracle`, "
        "with $nu_0 = nu_1/2$ and $delta = kappa_0 nu_1 B/(4 b + B)$"
    ),
    source=SOURCE,
    hypotheses=[Le(kappa_0, 1), Le(nu_1, 1)],
    statement=And(
        Lt(room, 1, evaluate=False),
        Lt(nu_1 / 2, 1, evaluate=False),
        Le(2 * b * room, nu_1 / 2 * B, evaluate=False),
        Ge(kappa_0 - room, 0, evaluate=False),
        Ge(nu_1 - nu_1 / 2, 0, evaluate=False),
        evaluate=False,
    ),
)


@starts.proof
def _(goal):
    """Divide by $4 b + B > 0$."""
    whole = 4 * b + B
    parts = (
        chain(1 - room)
        .then(((1 - kappa_0 * nu_1) * B + 4 * b) / whole, by=algebra)
        .gt(0, by=signs),
        chain(nu_1 / 2 * B - 2 * b * room)
        .then(nu_1 * B * ((1 - kappa_0) * 4 * b + B) / (2 * whole), by=algebra)
        .ge(0, by=signs),
    )
    left = kappa_0 * ((1 - nu_1) * B + 4 * b) / whole
    return having(
        chain(b).gt(0, by=signs),
        chain(B).gt(0, by=signs),
        chain(1 - kappa_0 * nu_1).ge(0, by=signs),
        *parts,
        all_of(
            chain(room).lt(1, by=signs),
            chain(nu_1 / 2).lt(1, by=signs),
            chain(2 * b * room).le(nu_1 / 2 * B, by=signs),
            chain(kappa_0 - room).then(left, by=algebra).ge(0, by=signs),
            chain(nu_1 - nu_1 / 2).ge(0, by=signs),
        ),
    )


# -- how fast -------------------------------------------------------------------------------------

p = Symbol("p", real=True)
rate_of_nu = 2 * gamma**2 * erf(b * delta)
fast = Claim(
    id="manifold-flow-rate",
    title=(
        "Along gradient flow on the manifold from $kappa >= delta$, $nu >= nu_0$, the distance "
        f"$1 - nu$ decays at the rate $2 gamma^2 erf(b delta)$, {ROOM}"
    ),
    source=SOURCE,
    hypotheses=SMALL,
    statement=DecaysAlong(F, REGIONS[""], F.function(1 - nu), rate_of_nu),
)


@fast.proof
def _(goal):
    """$erf(b kappa) >= erf(b delta)$."""
    known = chain(b * delta).le(b * kappa, by=signs)
    left = -2 * gamma**2 * (1 - nu) * ((erf(b * kappa) - erf(b * delta)) + nu * erf(b * kappa))
    falls = having(
        chain(kappa).gt(0, by=signs),
        chain(nu).gt(0, by=signs),
        chain(erf(b * delta)).le(erf(b * kappa), by=increasing(erf(p), p, known=known)),
        chain(F.rate_of(1 - nu) + rate_of_nu * (1 - nu))
        .then(left, by=differentiate)
        .le(0, by=signs),
    )
    return by_theorem(goal, "flow-gronwall", kept=lemma("manifold-flow-kept"), decays=falls)


rate_of_kappa = 2 * gamma**2 * b * erf_prime(b) * (nu_0 - erf(b / B))
faster = Claim(
    id="manifold-flow-rate-kappa",
    title=(
        "Along gradient flow on the manifold from $kappa >= delta$, $nu >= nu_0 > erf(b/B)$, the "
        "distance $1 - kappa$ decays at the rate $2 gamma^2 b erf'(b) (nu_0 - erf(b/B))$, for $2 b "
        "delta <= nu_0 B$ with $b = lambda sqrt(d/2)/A$"
    ),
    source=SOURCE,
    hypotheses=[*SMALL, Lt(erf(b / B), nu_0)],
    statement=DecaysAlong(F, REGIONS[""], F.function(1 - kappa), rate_of_kappa),
)


@faster.proof
def _(goal):
    """$erf(b kappa/B) <= erf(b/B)$ and $erf'(b kappa) >= erf'(b)$."""
    front, gap = erf_prime(b * kappa), nu - erf(b * kappa / B)
    below = chain(b * kappa / B).le(b / B, by=signs)
    square = chain(-(b**2)).le(-((b * kappa) ** 2), by=signs)
    bell = chain(exp(-(b**2))).le(exp(-((b * kappa) ** 2)), by=increasing(exp(p), p, known=square))
    speed = 2 * gamma**2 * b
    left = (
        -(1 - kappa)
        * speed
        * (
            kappa * front * gap
            + (front - erf_prime(b)) * gap
            + erf_prime(b) * (gap - nu_0 + erf(b / B))
        )
    )
    falls = having(
        chain(kappa).gt(0, by=signs),
        chain(b).gt(0, by=signs),
        chain(B).gt(0, by=signs),
        chain(erf(b * kappa / B)).le(erf(b / B), by=increasing(erf(p), p, known=below)),
        chain(gap - nu_0 + erf(b / B)).ge(0, by=signs),
        chain(gap).gt(0, by=signs),
        bell,
        chain(front - erf_prime(b))
        .then(2 / sqrt(pi) * (exp(-((b * kappa) ** 2)) - exp(-(b**2))), by=algebra)
        .ge(0, by=signs),
        chain(erf_prime(b)).gt(0, by=signs),
        chain(front).gt(0, by=signs),
        chain(F.rate_of(1 - kappa) + rate_of_kappa * (1 - kappa))
        .then(left, by=differentiate)
        .le(0, by=signs),
    )
    return by_theorem(goal, "flow-gronwall", kept=lemma("manifold-flow-kept"), decays=falls)
