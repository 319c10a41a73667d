"""Proposition 10: minima, maxima and saddle of the risk on the square."""

from sympy import And, Eq, Ge, Gt, Integer, Le, Lt, Symbol, erf, pi, sqrt

from slrsym.gaussian import erf_prime, zeta
from slrsym.papers.single_location.notation import (
    A,
    B,
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
from slrsym.proof import (
    Claim,
    D,
    Explanation,
    algebra,
    all_of,
    at,
    by_claim,
    cases,
    chain,
    differentiate,
    lemma,
    monotone,
    sign,
)


def risk(x, y):
    """The risk on the manifold, as claim lemma-6 derives it."""
    at = t.subs(kappa, x)
    return epsilon**2 + gamma**2 * (1 - 2 * y * erf(at / A) + zeta(at, s)) + (L - 1) * zeta(0, lam)


def slope(x, y):
    """Return the derivative of the risk in kappa."""
    at = a.subs(kappa, x)
    return 2 * gamma**2 * lam * sqrt(d / 2) / A * erf_prime(at) * (erf(at / B) - y)


square = [Ge(kappa, -1), Le(kappa, 1), Ge(nu, -1), Le(nu, 1)]
right_half = [Ge(kappa, 0), Le(kappa, 1), Ge(nu, -1), Le(nu, 1)]
z = Symbol("z", real=True)

# -- extrema: first for kappa >= 0, where the sign of erf(a) is known --------------------------


def edge(y, relation):
    """How the risk changes along an edge nu = y, kappa >= 0: its derivative, and a sign."""
    start = chain(D(risk(z, y), z)).then(slope(z, y), by=differentiate)
    return start.lt(0, by=sign) if relation == "<" else start.gt(0, by=sign)


minimum_right = Claim(
    id="proposition-10-minimum-right",
    title="For $kappa >= 0$ the risk on the square is at least $R(1, 1)$",
    statement=Ge(risk(kappa, nu), risk(1, 1)),
    source="Appendix B.8",
    hypotheses=right_half,
)


@minimum_right.proof
def _(goal):
    """Raise $nu$ to 1, then $kappa$ to 1: the risk decreases along both ways."""
    return (
        chain(goal.lhs)
        .ge(risk(kappa, 1), by=sign)
        .ge(risk(1, 1), by=monotone(risk(z, 1), z, start=kappa, end=1, derivative=edge(1, "<")))
    )


maximum_right = Claim(
    id="proposition-10-maximum-right",
    title="For $kappa >= 0$ the risk on the square is at most $R(1, -1)$",
    statement=Le(risk(kappa, nu), risk(1, -1)),
    source="Appendix B.8",
    hypotheses=right_half,
)


@maximum_right.proof
def _(goal):
    """Lower $nu$ to $-1$, then raise $kappa$ to 1: the risk increases along both ways."""
    return (
        chain(goal.lhs)
        .le(risk(kappa, -1), by=sign)
        .le(risk(1, -1), by=monotone(risk(z, -1), z, start=kappa, end=1, derivative=edge(-1, ">")))
    )


mirror_risk = at(risk(kappa, nu), {kappa: -kappa, nu: -nu})


def mirrored(goal, other):
    """The same for kappa <= 0, where $(kappa, nu)$ and $(-kappa, -nu)$ have the same risk."""
    extend = lambda c, by: c.ge(goal.rhs, by=by) if isinstance(goal, Ge) else c.le(goal.rhs, by=by)  # noqa: E731
    right = extend(chain(goal.lhs), lemma(other))
    left = extend(
        chain(goal.lhs).then(mirror_risk, by=algebra), lemma(other, {kappa: -kappa, nu: -nu})
    )
    return cases(goal, (Ge(kappa, 0), right), (Le(kappa, 0), left))


minimum = Claim(
    id="proposition-10-minimum",
    title="$(1, 1)$ is a global minimum of the risk on the square",
    statement=Ge(risk(kappa, nu), risk(1, 1)),
    source="Proposition 10",
    hypotheses=square,
)


@minimum.proof
def _(goal):
    """By symmetry it is enough to look at $kappa >= 0$."""
    return mirrored(goal, "proposition-10-minimum-right")


maximum = Claim(
    id="proposition-10-maximum",
    title="$(1, -1)$ is a global maximum of the risk on the square",
    statement=Le(risk(kappa, nu), risk(1, -1)),
    source="Proposition 10",
    hypotheses=square,
)


@maximum.proof
def _(goal):
    """By symmetry it is enough to look at $kappa >= 0$."""
    return mirrored(goal, "proposition-10-maximum-right")


def corner(x, y):
    """The risk at a corner, as it is defined: in closed form SymPy knows that erf is odd."""
    return risk_definition().subs({kappa: x, nu: y, **dict.fromkeys((theta, eta, rho), 0)})


def opposite(x, y):
    return Eq(corner(-x, -y), corner(x, y), evaluate=False)


corners = Claim(
    id="proposition-10-corners",
    title="Opposite corners of the square have the same risk",
    statement=And(opposite(1, 1), opposite(1, -1), evaluate=False),
    source="Proposition 10",
)


@corners.proof
def _(goal):
    """Erf is odd, and $zeta$ is even in $t$."""

    def same(x, y):
        """Lemma 6 at both corners: SymPy writes both values alike."""
        return (
            chain(corner(-x, -y))
            .then(risk(x, y), by=lemma("lemma-6", kappa=-x, nu=-y))
            .then(corner(x, y), by=lemma("lemma-6", kappa=x, nu=y))
        )

    return all_of(same(1, 1), same(1, -1))


# -- no other extrema --------------------------------------------------------------------------

inside_right = [Ge(kappa, 0), Lt(kappa, 1), Ge(nu, -1), Le(nu, 1)]

strict_minimum = Claim(
    id="proposition-10-minimum-strict",
    title="At every point of the square with $0 <= kappa < 1$ the risk exceeds $R(1, 1)$",
    statement=Gt(risk(kappa, nu), risk(1, 1)),
    source="Proposition 10",
    hypotheses=inside_right,
)


@strict_minimum.proof
def _(goal):
    """The way in $kappa$ descends strictly."""
    return (
        chain(goal.lhs)
        .ge(risk(kappa, 1), by=sign)
        .gt(risk(1, 1), by=monotone(risk(z, 1), z, start=kappa, end=1, derivative=edge(1, "<")))
    )


strict_maximum = Claim(
    id="proposition-10-maximum-strict",
    title="At every point of the square with $0 <= kappa < 1$ the risk is below $R(1, -1)$",
    statement=Lt(risk(kappa, nu), risk(1, -1)),
    source="Proposition 10",
    hypotheses=inside_right,
)


@strict_maximum.proof
def _(goal):
    """The way in $kappa$ ascends strictly."""
    return (
        chain(goal.lhs)
        .le(risk(kappa, -1), by=sign)
        .lt(risk(1, -1), by=monotone(risk(z, -1), z, start=kappa, end=1, derivative=edge(-1, ">")))
    )


maximum_inside = Claim(
    id="proposition-10-maximum-inside",
    title="At every point of the square with $-1 < kappa < 1$ the risk is below $R(1, -1)$",
    statement=Lt(risk(kappa, nu), risk(1, -1)),
    source="Proposition 10",
    hypotheses=[Gt(kappa, -1), Lt(kappa, 1), Ge(nu, -1), Le(nu, 1)],
)


@maximum_inside.proof
def _(goal):
    """By symmetry it is enough to look at $kappa >= 0$."""
    right = chain(goal.lhs).lt(goal.rhs, by=lemma("proposition-10-maximum-strict"))
    other = lemma("proposition-10-maximum-strict", {kappa: -kappa, nu: -nu})
    left = chain(goal.lhs).then(mirror_risk, by=algebra).lt(goal.rhs, by=other)
    return cases(goal, (Ge(kappa, 0), right), (Le(kappa, 0), left))


edge_minimum = Claim(
    id="proposition-10-minimum-edge",
    title="On the edge $kappa = 1$ the risk exceeds $R(1, 1)$ for $nu < 1$",
    statement=Gt(risk(1, nu), risk(1, 1)),
    source="Proposition 10",
    hypotheses=[Lt(nu, 1)],
)


@edge_minimum.proof
def _(goal):
    """The risk is affine in $nu$, of negative slope."""
    return chain(goal.lhs).gt(goal.rhs, by=sign)


edge_maximum = Claim(
    id="proposition-10-maximum-edge",
    title="On the edge $kappa = 1$ the risk is below $R(1, -1)$ for $nu > -1$",
    statement=Lt(risk(1, nu), risk(1, -1)),
    source="Proposition 10",
    hypotheses=[Gt(nu, -1)],
)


@edge_maximum.proof
def _(goal):
    """The risk is affine in $nu$, of negative slope."""
    return chain(goal.lhs).lt(goal.rhs, by=sign)


def everywhere_else(goal, inside, edge):
    """A strict inequality by its parts for 0 <= kappa < 1 and for kappa = 1, and by symmetry."""
    extend = lambda c, by: c.gt(goal.rhs, by=by) if isinstance(goal, Gt) else c.lt(goal.rhs, by=by)  # noqa: E731
    mirror = chain(goal.lhs).then(mirror_risk, by=algebra)
    right = cases(
        goal,
        (Lt(kappa, 1), extend(chain(goal.lhs), lemma(inside))),
        (Eq(kappa, 1), extend(chain(risk(1, nu)), lemma(edge))),
    )
    mirror_edge = chain(risk(-1, nu)).then(at(risk(1, nu), {nu: -nu}), by=algebra)
    left = cases(
        goal,
        (Gt(kappa, -1), extend(mirror, lemma(inside, {kappa: -kappa, nu: -nu}))),
        (Eq(kappa, -1), extend(mirror_edge, lemma(edge, {nu: -nu}))),
    )
    return cases(goal, (Ge(kappa, 0), right), (Le(kappa, 0), left))


minimum_only = Claim(
    id="proposition-10-minimum-only",
    title="At every point of the square but $(1, 1)$ and $(-1, -1)$ the risk exceeds $R(1, 1)$",
    statement=Gt(risk(kappa, nu), risk(1, 1)),
    source="Proposition 10; on the square $kappa nu = 1$ at these two points only",
    compared_to_source="exact",
    hypotheses=[*square, Lt(kappa * nu, 1)],
)


@minimum_only.proof
def _(goal):
    """For $0 <= kappa < 1$ by the way in $kappa$, for $kappa = 1$ by that in $nu$.

    Then by symmetry.
    """
    return everywhere_else(goal, "proposition-10-minimum-strict", "proposition-10-minimum-edge")


maximum_only = Claim(
    id="proposition-10-maximum-only",
    title="At every point of the square but $(1, -1)$ and $(-1, 1)$ the risk is below $R(1, -1)$",
    statement=Lt(risk(kappa, nu), risk(1, -1)),
    source="Proposition 10; on the square $kappa nu = -1$ at these two points only",
    compared_to_source="stronger: there are no other global maxima",
    hypotheses=[*square, Gt(kappa * nu, -1)],
)


@maximum_only.proof
def _(goal):
    """As for the minimum."""
    return everywhere_else(goal, "proposition-10-maximum-strict", "proposition-10-maximum-edge")


# -- the saddle --------------------------------------------------------------------------------

b = lam * sqrt(d / 2) / A


def at_origin(f):
    return at(f, {kappa: 0, nu: 0})


hessian_entries = {
    (kappa, kappa): 8 * gamma**2 * b**2 / (pi * B),
    (kappa, nu): -4 * gamma**2 * b / sqrt(pi),
    (nu, nu): Integer(0),
}

hessian = Claim(
    id="proposition-10-hessian",
    title="The Hessian of the risk on the square at the origin, in closed form",
    statement=And(
        *(
            Eq(at_origin(D(risk(kappa, nu), x, y)), value, evaluate=False)
            for (x, y), value in hessian_entries.items()
        ),
        evaluate=False,
    ),
    source="Appendix B.8",
)


@hessian.proof
def _(goal):
    """Differentiate twice."""
    return all_of(*(chain(e.lhs).then(e.rhs, by=differentiate) for e in goal.args))


saddle = Claim(
    id="proposition-10-saddle",
    title="The origin is a nondegenerate saddle of the risk on the square",
    statement=And(
        Eq(at_origin(D(risk(kappa, nu), kappa)), 0, evaluate=False),
        Eq(at_origin(D(risk(kappa, nu), nu)), 0, evaluate=False),
        Lt(
            hessian_entries[kappa, kappa] * hessian_entries[nu, nu]
            - hessian_entries[kappa, nu] ** 2,
            0,
            evaluate=False,
        ),
        evaluate=False,
    ),
    source="Proposition 10",
)


@saddle.proof
def _(goal):
    """The gradient vanishes, and the determinant is minus a square."""
    critical = [
        chain(part.lhs).then(part.rhs, by=differentiate)
        for part in goal.args
        if isinstance(part, Eq)
    ]
    (determinant,) = (part for part in goal.args if isinstance(part, Lt))
    return all_of(*critical, chain(determinant.lhs).lt(0, by=sign))


# -- together ----------------------------------------------------------------------------------

together = Claim(
    id="proposition-10",
    title=(
        "On the square the risk is least at $(1, 1)$ and $(-1, -1)$, greatest at $(1, -1)$ and "
        "$(-1, 1)$, and has a saddle at $(0, 0)$"
    ),
    statement=And(
        minimum.statement,
        maximum.statement,
        *corners.statement.args,
        *saddle.statement.args,
        evaluate=False,
    ),
    source="Proposition 10",
    compared_to_source="exact",
    hypotheses=square,
    explanation=Explanation(
        "On the square the risk is smallest at $(1, 1)$ and $(-1, -1)$, largest at $(1, -1)$ and "
        "$(-1, 1)$, and has a saddle at $(0, 0)$. The risk does not change if both $kappa$ and "
        "$nu$ change their signs, so it is enough to look at $kappa >= 0$. There it is affine in "
        "$nu$ and does not increase, so it is smallest at $nu = 1$ and largest at $nu = -1$. On "
        "these edges the sign of the slope in $kappa$ is known, since $|erf| < 1$: the risk "
        "decreases towards $(1, 1)$ and increases towards $(1, -1)$. At the origin both slopes "
        "vanish, and the determinant of the Hessian matrix is minus a square. It enters that "
        "$lambda$, $gamma$ and $d$ are positive; otherwise slopes vanish on whole lines. That "
        "there are no other global minima and maxima is said by two further claims.",
        {
            minimum.statement: "The risk on the square is smallest at one corner:",
            maximum.statement: "It is largest at another:",
            **dict.fromkeys(corners.statement.args, "Opposite corners have the same risk:"),
            **dict.fromkeys(
                saddle.statement.args,
                "At the origin the slopes vanish, and the determinant of the Hessian is negative:",
            ),
        },
    ),
)


@together.proof
def _(goal):
    """Combine the claims of this section; proposition-10-minimum-only excludes other minima."""
    return all_of(
        chain(risk(kappa, nu)).ge(risk(1, 1), by=lemma("proposition-10-minimum")),
        chain(risk(kappa, nu)).le(risk(1, -1), by=lemma("proposition-10-maximum")),
        by_claim(corners.statement, "proposition-10-corners"),
        by_claim(saddle.statement, "proposition-10-saddle"),
    )
