"""Proposition 12: the map is injective, with invertible Jacobian, and the origin is a saddle."""

from sympy import Abs, And, Eq, Ge, Gt, Integer, Le, Lt, Symbol, pi, sqrt, symbols

from slrsym.papers.single_location.notation import B, alpha, gamma, kappa, nu
from slrsym.papers.single_location.planar import (
    ORIGIN,
    K,
    M,
    N,
    P,
    Q,
    R_kappa,
    R_nu,
    b,
    coordinate_after_step,
    distance_after_step_lower_bound,
    kappa2,
    kappa_next,
    nu2,
    nu_next,
    planar_map,
    second_point_conditions,
    square_conditions,
)
from slrsym.proof import (
    Claim,
    D,
    Explanation,
    algebra,
    all_of,
    at,
    by_claim,
    chain,
    differentiate,
    having,
    lemma,
    sign,
)
from slrsym.proof.dynamical import (
    Injective,
    InvertibleJacobian,
    LocalDiffeomorphism,
    by_theorem,
)

g = planar_map()

sizes_of = {"P": P, "Q": Q, "M": M, "N": N}

# -- the map is injective ----------------------------------------------------------------------

safe_step = Lt(alpha * K, 1)
kappa_next2 = coordinate_after_step(kappa2, R_kappa(kappa2, nu2))
nu_next2 = coordinate_after_step(nu2, R_nu(kappa2))
way_kappa, way_nu = Abs(kappa - kappa2), Abs(nu - nu2)


def both(expr, high, low, by):
    """Proofs of both bounds, by one claim that says both."""
    return chain(expr).le(high, by=by), chain(expr).ge(low, by=by)


step_sizes = lemma("theorem-5-step-size")
small = {size: chain(alpha * size).le(1, by=step_sizes) for size in (P, Q)}

slope_change = Claim(
    id="proposition-12-slope-change",
    title=(
        "Between two points of the square, $R_kappa$ changes by at most $M$ times the change of "
        "$kappa$ plus $N$ times the change of $nu$"
    ),
    statement=Le(Abs(R_kappa(kappa, nu) - R_kappa(kappa2, nu2)), M * way_kappa + N * way_nu),
    source="Appendix B.9",
    hypotheses=[*square_conditions(), *second_point_conditions()],
)


@slope_change.proof
def _(goal):
    """Change first $kappa$, and then $nu$."""
    first = R_kappa(kappa, nu) - R_kappa(kappa2, nu)
    second = R_kappa(kappa2, nu) - R_kappa(kappa2, nu2)
    return chain(goal.lhs).le(
        goal.rhs,
        by=lemma(
            "triangle-inequality", u_1=first, u_2=second, U_1=M * way_kappa, U_2=N * way_nu
        ).where(
            chain(Abs(first)).le(M * way_kappa, by=lemma("proposition-8-kappa-kappa")),
            chain(Abs(second)).le(N * way_nu, by=lemma("proposition-8-kappa-nu", kappa=kappa2)),
        ),
    )


def near_identity(name, after, after2, x, x2, p, p2, size, change, changed, bounds):
    """Claim that the map moves a coordinate by nearly the same amount at nearby points."""
    claim = Claim(
        id=f"proposition-12-near-identity-{name}",
        title=(
            f"If $alpha <= 1/{'P' if name == 'kappa' else 'Q'}$, at points $u$ apart in $kappa$ "
            f"and $w$ in $nu$ the planar map moves ${name}$ by amounts that differ by at most "
            + ("$alpha ((3 P + 2 M) u + 2 N w)$" if name == "kappa" else "$alpha (2 N u + 3 Q w)$")
        ),
        statement=Le(
            Abs(after - x - (after2 - x2)),
            3 * alpha * size * Abs(x - x2) + 2 * alpha * change,
            evaluate=False,
        ),
        source="Appendix B.9, with its constants",
        hypotheses=[*square_conditions(), *second_point_conditions(), Le(alpha * size, 1)],
    )

    @claim.proof
    def _(goal):
        """By planar-step-near-identity, with the bounds on the slope and on its change."""
        return chain(goal.lhs).le(
            goal.rhs,
            by=lemma(
                "planar-step-near-identity", x=x, x_2=x2, p=p, p_2=p2, P=size, Delta=change
            ).where(
                *both(p, size, -size, lemma(bounds)),
                *both(
                    p2,
                    size,
                    -size,
                    lemma(bounds, {kappa: kappa2, **({nu: nu2} if name == "kappa" else {})}),
                ),
                chain(Abs(p - p2)).le(change, by=lemma(changed)),
            ),
        )

    return claim


near_kappa = near_identity(
    "kappa",
    kappa_next,
    kappa_next2,
    kappa,
    kappa2,
    R_kappa(kappa, nu),
    R_kappa(kappa2, nu2),
    P,
    M * way_kappa + N * way_nu,
    "proposition-12-slope-change",
    "proposition-8-slope-kappa",
)
near_nu = near_identity(
    "nu",
    nu_next,
    nu_next2,
    nu,
    nu2,
    R_nu(kappa),
    R_nu(kappa2),
    Q,
    N * way_kappa,
    "proposition-8-nu-kappa",
    "proposition-8-slope-nu",
)

injective = Claim(
    id="proposition-12-injective",
    title=(
        "If $alpha < 1/K$, the planar map keeps points apart in $|kappa| + |nu|$ by a factor of "
        "at least $1 - alpha K$, so it is injective"
    ),
    statement=Ge(
        Abs(kappa_next - kappa_next2) + Abs(nu_next - nu_next2),
        (1 - alpha * K) * (way_kappa + way_nu),
        evaluate=False,
    ),
    source="Proposition 12, for $alpha < 1/K$ with $K = 3P + 3Q + 2M + 2N$",
    hypotheses=[*square_conditions(), *second_point_conditions(), safe_step],
)


@injective.proof
def _(goal):
    """The map is near the identity."""
    in_kappa, in_nu = 3 * alpha * P + 2 * alpha * M, 3 * alpha * Q
    slower = distance_after_step_lower_bound(
        **sizes_of, kappa_distance=way_kappa, nu_distance=way_nu
    )
    first = near_kappa.statement
    second = near_nu.statement
    return (
        chain(goal.lhs)
        .ge(
            slower,
            by=lemma(
                "near-identity-expands",
                u_1=kappa - kappa2,
                u_2=nu - nu2,
                U_1=kappa_next - kappa_next2,
                U_2=nu_next - nu_next2,
                s_1=in_kappa,
                s_2=2 * alpha * N,
                s_3=2 * alpha * N,
                s_4=in_nu,
            ).where(
                chain(first.lhs).le(
                    first.rhs, by=lemma("proposition-12-near-identity-kappa").where(small[P])
                ),
                chain(second.lhs).le(
                    second.rhs, by=lemma("proposition-12-near-identity-nu").where(small[Q])
                ),
            ),
        )
        .ge(goal.rhs, by=lemma("step-size-expansion", **sizes_of, w_1=way_kappa, w_2=way_nu))
    )


# -- the origin is a saddle --------------------------------------------------------------------

h11, h12 = 8 * gamma**2 * b**2 / (pi * B), -4 * gamma**2 * b / sqrt(pi)


def at_origin(f):
    return at(f, {kappa: 0, nu: 0})


jacobian_entries = {
    (kappa_next, kappa): 1 - alpha * h11,
    (kappa_next, nu): -alpha * h12,
    (nu_next, kappa): -alpha * h12,
    (nu_next, nu): Integer(1),
}

jacobian = Claim(
    id="proposition-12-jacobian",
    title=(
        "The Jacobian matrix of the planar map at the origin is the identity less $alpha$ times "
        "the Hessian of the risk"
    ),
    statement=And(
        *(
            Eq(at_origin(D(image, x)), entry, evaluate=False)
            for (image, x), entry in jacobian_entries.items()
        ),
        evaluate=False,
    ),
    source="Appendix B.9",
)


@jacobian.proof
def _(goal):
    """Differentiate."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=differentiate) for part in goal.args))


# The eigenvalues of a symmetric matrix [[1 - h, k], [k, 1]].


def eigenvalues(h, k):
    root = sqrt(h**2 + 4 * k**2)
    return 1 - (h + root) / 2, 1 - (h - root) / 2


def of_a_saddle(h, k):
    """Return the statement that these are eigenvalues, in $(0, 1)$ and $(1, infinity)$."""
    contracting, expanding = eigenvalues(h, k)
    return (
        Eq((1 - h - contracting) * (1 - contracting) - k**2, 0, evaluate=False),
        Eq((1 - h - expanding) * (1 - expanding) - k**2, 0, evaluate=False),
        # SymPy would find some of these obvious, and leave them out.
        Gt(contracting, 0, evaluate=False),
        Lt(contracting, 1, evaluate=False),
        Gt(expanding, 1, evaluate=False),
    )


h, k = Symbol("h", positive=True), Symbol("k", real=True, nonzero=True)

saddle = Claim(
    id="proposition-12-eigenvalues",
    title=(
        "For $h > 0$ and $k$ other than 0 with $h + |k| < 1$, the matrix with the rows $(1 - "
        "h, k)$ and $(k, 1)$ has one eigenvalue in $(0, 1)$ and one above 1"
    ),
    statement=And(*of_a_saddle(h, k), evaluate=False),
    source="Appendix B.9; $h = alpha h_11$ and $k = -alpha h_12$",
    hypotheses=[Lt(h + Abs(k), 1)],
)


@saddle.proof
def _(goal):
    """Roots of the characteristic polynomial; $(h^2 + 4 k^2)^(1/2)$ is at most $h + 2 |k|$."""
    contracting, expanding = eigenvalues(h, k)
    return all_of(
        chain((1 - h - contracting) * (1 - contracting) - k**2).then(0, by=algebra),
        chain((1 - h - expanding) * (1 - expanding) - k**2).then(0, by=algebra),
        chain(contracting).ge(1 - (h + h + 2 * Abs(k)) / 2, by=sign).gt(0, by=sign),
        chain(contracting).lt(1, by=sign),
        chain(expanding).gt(1, by=sign),
    )


saddle_step = Claim(
    id="proposition-12-step-size",
    title=(
        "If $alpha < 1/K$, the Hessian entries at the origin satisfy the condition for a saddle of "
        "the planar map, $alpha (h_11 + |h_12|) < 1$"
    ),
    statement=Lt(alpha * h11 + Abs(alpha * h12), 1),
    source="new",
    hypotheses=[safe_step],
)


@saddle_step.proof
def _(goal):
    """The entries of the Hessian are among the summands of $K$."""
    return chain(goal.lhs).le(alpha * K, by=sign).lt(1, by=sign)


# -- together ----------------------------------------------------------------------------------

at_the_origin = of_a_saddle(alpha * h11, -alpha * h12)

together = Claim(
    id="proposition-12",
    title=(
        "If $alpha < 1/K$, the planar map is injective with an invertible Jacobian matrix, and has "
        "a saddle at the origin"
    ),
    statement=And(
        LocalDiffeomorphism(g, ORIGIN),
        Injective(g),
        InvertibleJacobian(g),
        *jacobian.statement.args,
        *at_the_origin,
        evaluate=False,
    ),
    source="Proposition 12, for $alpha < 1/K$",
    compared_to_source="stronger: with an explicit step size, $1/K$",
    hypotheses=[safe_step],
    notation=dict(
        zip(
            symbols("w h k", real=True),
            (sqrt((alpha * h11) ** 2 + 4 * (alpha * h12) ** 2), alpha * h11, -alpha * h12),
            strict=True,
        )
    ),
    explanation=Explanation(
        "For $alpha < 1/K$ the planar map is injective, its Jacobian matrix is nowhere singular, "
        "and $(0, 0)$ is a saddle of it. The map differs from the identity by $alpha$ times a "
        "function whose slopes are bounded on the square. So it keeps points apart: the distance "
        "of two images is at least $1 - alpha K$ times that of the points. The hypothesis on "
        "$alpha$ makes this factor positive, so that no two points have one image, and no "
        "direction is lost by the derivative. At the origin the Jacobian matrix is $I - alpha H$, "
        "where $H$ is the Hessian matrix of the risk. The determinant of $H$ is negative by "
        "Proposition 10, so one eigenvalue of the Jacobian matrix is above 1; the other one is "
        "below 1, and positive as $alpha$ is small.",
        {
            **dict.fromkeys(
                jacobian.statement.args,
                "At the origin the Jacobian matrix of the map has the entries",
            ),
            **dict.fromkeys(
                at_the_origin[2:],
                "At $(0, 0)$ the Jacobian matrix has an eigenvalue in $(0, 1)$ and one above 1:",
            ),
            **dict.fromkeys(at_the_origin[:2], "Both are roots of its characteristic polynomial:"),
        },
    ),
)


@together.proof
def _(goal):
    """The map keeps points apart by a factor that is positive; so does its derivative."""
    apart = {"second": (kappa2, nu2), "factor": 1 - alpha * K}
    shown = {
        "expands": lemma("proposition-12-injective"),
        "factor": lemma("step-size-room", c=K, S=1),
    }
    below = chain(alpha * h11 + Abs(alpha * h12)).lt(1, by=lemma("proposition-12-step-size"))
    regular = by_theorem(InvertibleJacobian(g), "expansion-invertible", apart, **shown)
    return all_of(
        by_theorem(LocalDiffeomorphism(g, ORIGIN), "local-inverse", invertible=regular),
        by_theorem(Injective(g), "expansion-injective", apart, **shown),
        regular,
        by_claim(jacobian.statement, "proposition-12-jacobian"),
        having(
            below,
            by_claim(
                And(*at_the_origin, evaluate=False),
                "proposition-12-eigenvalues",
                {"h": alpha * h11, "k": -alpha * h12},
            ),
        ),
    )
