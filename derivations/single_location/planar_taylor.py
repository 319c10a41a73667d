"""How the derivatives of the risk change on the square, and Taylor's formula with their bounds."""

from sympy import Abs, Ge, Le, Symbol, exp

from slrsym.papers.single_location.notation import kappa, nu
from slrsym.papers.single_location.planar import (
    M,
    N,
    R_kappa,
    R_kappa_kappa,
    R_nu,
    b,
    kappa2,
    nu2,
    risk,
    second_point_conditions,
    square_conditions,
)
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    chain,
    differentiate,
    lemma,
    lipschitz,
    sign,
    taylor,
)

x = Symbol("x", real=True)
z = Symbol("z", real=True)

# -- how the partial derivatives change --------------------------------------------------------

kappa_kappa = Claim(
    id="proposition-8-kappa-kappa",
    title=(
        "Between two values of $kappa$, $R_kappa$ changes by at most $8 gamma^2 b^2 (1/sqrt(pi) + "
        "1/pi)$ times their difference"
    ),
    statement=Le(Abs(R_kappa(kappa, nu) - R_kappa(kappa2, nu)), M * Abs(kappa - kappa2)),
    source="Appendix B.6",
    hypotheses=[*square_conditions(), *second_point_conditions()],
)


@kappa_kappa.proof
def _(goal):
    """By the bound of its derivative."""
    slope = chain(D(R_kappa(z, nu), z)).then(R_kappa_kappa(z, nu), by=differentiate)
    known = lemma("proposition-8-curvature", kappa=z)
    bound = all_of(slope.le(M, by=known), slope.ge(-M, by=known))
    return chain(goal.lhs).le(
        goal.rhs, by=lipschitz(R_kappa(z, nu), z, kappa, kappa2, low=-1, high=1, bound=bound)
    )


kappa_nu = Claim(
    id="proposition-8-kappa-nu",
    title=(
        "Between two values of $nu$, $R_kappa$ changes by at most $4 gamma^2 b/sqrt(pi)$ times "
        "their difference"
    ),
    statement=Le(Abs(R_kappa(kappa, nu) - R_kappa(kappa, nu2)), N * Abs(nu - nu2)),
    source="Appendix B.6",
    hypotheses=[*square_conditions(), *second_point_conditions()],
)


@kappa_nu.proof
def _(goal):
    """It is affine in $nu$."""
    bell = N * exp(-((b * kappa) ** 2))
    slope = chain(D(R_kappa(kappa, z), z)).then(-bell, by=differentiate)
    bound = all_of(slope.le(N, by=sign), slope.ge(-N, by=sign))
    return chain(goal.lhs).le(
        goal.rhs, by=lipschitz(R_kappa(kappa, z), z, nu, nu2, low=-1, high=1, bound=bound)
    )


nu_kappa = Claim(
    id="proposition-8-nu-kappa",
    title=(
        "Between two values of $kappa$, $R_nu$ changes by at most $4 gamma^2 b/sqrt(pi)$ times "
        "their difference"
    ),
    statement=Le(Abs(R_nu(kappa) - R_nu(kappa2)), N * Abs(kappa - kappa2)),
    source="Appendix B.6",
    hypotheses=[Ge(kappa, -1), Le(kappa, 1), Ge(kappa2, -1), Le(kappa2, 1)],
)


@nu_kappa.proof
def _(goal):
    """By the bound of its derivative."""
    bell = N * exp(-((b * z) ** 2))
    slope = chain(D(R_nu(z), z)).then(-bell, by=differentiate)
    bound = all_of(slope.le(N, by=sign), slope.ge(-N, by=sign))
    return chain(goal.lhs).le(
        goal.rhs, by=lipschitz(R_nu(z), z, kappa, kappa2, low=-1, high=1, bound=bound)
    )


# -- the risk between two points ---------------------------------------------------------------

taylor_kappa = Claim(
    id="proposition-8-taylor-kappa",
    title=(
        "As a function of $kappa$, the risk on the square lies below its tangent plus a parabola "
        "with the vertex at the point of contact"
    ),
    statement=Le(
        risk(kappa2, nu),
        risk(kappa, nu) + R_kappa(kappa, nu) * (kappa2 - kappa) + M / 2 * (kappa2 - kappa) ** 2,
        evaluate=False,
    ),
    source="Appendix B.6, (22)",
    hypotheses=[*square_conditions(), Ge(kappa2, -1), Le(kappa2, 1)],
)


@taylor_kappa.proof
def _(goal):
    """Taylor's formula, with the bound of the curvature."""
    curved = (
        chain(D(risk(z, nu), z, z))
        .then(R_kappa_kappa(z, nu), by=differentiate)
        .le(M, by=lemma("proposition-8-curvature", kappa=z))
    )
    return chain(goal.lhs).le(
        goal.rhs, by=taylor(risk(z, nu), z, kappa, kappa2, low=-1, high=1, bound=curved)
    )


c, w = Symbol("c", positive=True), Symbol("w", real=True)

young = Claim(
    id="young",
    title="Young's inequality: $w x <= c (x^2 + z^2)/2$ if $|w| <= c |z|$",
    statement=Le(w * x - c / 2 * z**2 - c / 2 * x**2, 0),
    source="Young's inequality",
    hypotheses=[Le(Abs(w), c * Abs(z))],
)


@young.proof
def _(goal):
    """$(|z| - |x|)^2$ is not negative."""
    return (
        chain(goal.lhs)
        .le(Abs(w) * Abs(x) - c / 2 * z**2 - c / 2 * x**2, by=sign)
        .le(c * Abs(z) * Abs(x) - c / 2 * z**2 - c / 2 * x**2, by=sign)
        .then(-c / 2 * (Abs(z) - Abs(x)) ** 2, by=algebra)
        .le(0, by=sign)
    )


mixed = Claim(
    id="proposition-8-mixed",
    title=(
        "A step $x$ in $nu$ times the change of $R_nu$ from $kappa$ to $kappa_2$ is at most $(2 "
        "gamma^2 b/sqrt(pi)) (x^2 + (kappa_2 - kappa)^2)$"
    ),
    statement=Le(
        (R_nu(kappa2) - R_nu(kappa)) * x - N / 2 * (kappa2 - kappa) ** 2 - N / 2 * x**2, 0
    ),
    source="Appendix B.6",
    hypotheses=[Ge(kappa, -1), Le(kappa, 1), Ge(kappa2, -1), Le(kappa2, 1)],
)


@mixed.proof
def _(goal):
    """It changes by at most $N |kappa_2 - kappa|$."""
    change = R_nu(kappa2) - R_nu(kappa)
    swapped = lemma("proposition-8-nu-kappa", {kappa: kappa2, kappa2: kappa})
    small = chain(Abs(change)).le(N * Abs(kappa2 - kappa), by=swapped)
    return chain(goal.lhs).le(0, by=lemma("young", w=change, z=kappa2 - kappa, c=N).where(small))


taylor_both = Claim(
    id="proposition-8-taylor",
    title="The risk on the square lies below a paraboloid that touches it at any given point",
    statement=Le(
        risk(kappa2, nu2),
        risk(kappa, nu)
        + R_kappa(kappa, nu) * (kappa2 - kappa)
        + R_nu(kappa) * (nu2 - nu)
        + (M + N) / 2 * (kappa2 - kappa) ** 2
        + N / 2 * (nu2 - nu) ** 2,
        evaluate=False,
    ),
    source="Appendix B.6, (22), with its constants",
    hypotheses=[*square_conditions(), *second_point_conditions()],
)


@taylor_both.proof
def _(goal):
    """The risk is affine in $nu$, with a slope that changes with $kappa$."""
    change = (R_nu(kappa2) - R_nu(kappa)) * (nu2 - nu)
    squares = N / 2 * (kappa2 - kappa) ** 2 + N / 2 * (nu2 - nu) ** 2
    return (
        chain(goal.lhs)
        .then(risk(kappa2, nu) + R_nu(kappa) * (nu2 - nu) + change, by=algebra)
        .le(goal.rhs - squares + change, by=lemma("proposition-8-taylor-kappa"))
        .le(goal.rhs, by=lemma("proposition-8-mixed", x=nu2 - nu))
    )
