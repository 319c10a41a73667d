"""A step size for Theorem 5 at the paper's parameters, far above the closed form; on boxes.

What is certified here holds for the parameters of a box that is stated, and is no proof for others.
"""

from sympy import And, Eq, Gt, Lt, Rational, S, erf, exp, pi, sqrt, symbols

from slrsym.kernels.symbolic_functions import DifferenceFromErf
from slrsym.papers.single_location.certify.manifold_functions import R_1 as R_KAPPA
from slrsym.papers.single_location.certify.manifold_functions import R_2 as R_NU
from slrsym.papers.single_location.certify.manifold_functions import R_11 as R_KK
from slrsym.papers.single_location.certify.manifold_functions import R_12 as R_KN
from slrsym.papers.single_location.certify.manifold_functions import R_22 as R_NN
from slrsym.papers.single_location.certify.manifold_functions import (
    ROOM,
    derivative_symbol_definitions,
    planar_map,
)
from slrsym.papers.single_location.notation import B, alpha, d, gamma, kappa, lam, nu
from slrsym.papers.single_location.planar import K, R_kappa, R_nu, b, coordinate_after_step
from slrsym.papers.single_location.planar import planar_map as planar_map_of_paper
from slrsym.proof import Claim, D, InequalitiesOnBox, all_of, chain, differentiate

# -- the Jacobian matrix of the planar map -----------------------------------------------------

step = planar_map()


# Slopes and second derivatives of the risk, whatever it is; what follows holds for any numbers.
slopes = (R_KAPPA, R_NU)
bends = ((R_KK, R_KN), (R_KN, R_NN))
coordinates = (kappa, nu)


def with_room(expr):
    return expr.subs(ROOM)


def along(i, j):
    """The derivative of the i-th image in the j-th coordinate: its slope depends on both."""
    image = coordinate_after_step(coordinates[i], slopes[i])
    through_slope = bends[i][j] * D(image, slopes[i])
    return D(image, coordinates[i]) + through_slope if i == j else through_slope


# The pole factors p, the squares of the norms N, and the numbers m of
# `slrsym.papers.single_location.certify.manifold_functions`.
factored = {
    (i, j): with_room(step.poles[i] * step.entries[i][j] / step.norms[i] ** Rational(3, 2))
    for i in range(2)
    for j in range(2)
}

jacobian = Claim(
    id="planar-jacobian",
    title=(
        "The entries of the Jacobian matrix of the planar map in $(-1, 1)^2$, by the chain rule "
        "from the second derivatives of the risk, in factorised form"
    ),
    statement=And(
        *(Eq(along(i, j), value, evaluate=False) for (i, j), value in factored.items()),
        evaluate=False,
    ),
    source=(
        "new; the chain rule, with $R_kk$, $R_kn$, $R_nn$ for the second derivatives of the risk"
    ),
    hypotheses=planar_map_of_paper().interior_conditions(),
)


@jacobian.proof
def _(goal):
    """Differentiate."""
    return all_of(
        *(chain(along(i, j)).then(value, by=differentiate) for (i, j), value in factored.items())
    )


# The slopes and second derivatives that the risk has, in terms of erf alone.
of_risk = {
    symbol: value.replace(DifferenceFromErf, lambda x, y: x - erf(y))
    for symbol, value in derivative_symbol_definitions().items()
}


def plain(expr):
    """Substitute the definitions of the symbols of the risk."""
    return expr.xreplace(of_risk)


poles, norms = (tuple(map(plain, parts)) for parts in (step.poles, step.norms))
entries = tuple(tuple(map(plain, row)) for row in step.entries)

# -- the paper's parameters --------------------------------------------------------------------

# Figure 4b: lambda = 1/10, gamma^2 = 1/2, d = 400.
paper = {gamma: 1 / sqrt(2)}
numbers = {lam: "1/10", d: 400}
largest = "3059/10000"
known = {symbol: value.xreplace(paper) for symbol, value in of_risk.items()}
determinant = entries[0][0] * entries[1][1] - entries[0][1] * entries[1][0]

conditions = Claim(
    id="theorem-5-certified",
    title=(
        "For $alpha$ up to $0.3059$, the conditions for an invertible Jacobian and for descent "
        "hold, in the task of figure 4b"
    ),
    statement=And(
        *(
            Gt(expr.xreplace(paper), 0, evaluate=False)
            for expr in (
                *poles,
                entries[0][0],
                entries[1][1],
                determinant,
                2 - norms[0],
                2 - norms[1],
            )
        ),
        evaluate=False,
    ),
    source="new; the conditions are those of the certificate of a step size",
    notation=dict(
        zip(
            symbols("h f q J_11 J_22 R_11 R_12", real=True),
            (
                known[R_KAPPA] / known[R_KN],
                -known[R_NU],
                known[R_KN] ** 2,
                *(entries[i][i].xreplace(paper) for i in (0, 1)),
                *(known[x] for x in (R_KK, R_KN)),
            ),
            strict=True,
        )
    ),
)


@conditions.certified_by
def _():
    """The conditions of Propositions 8 and 12, on the whole square and for every smaller step."""
    return InequalitiesOnBox({kappa: (-1, 1), nu: (-1, 1), alpha: (0, largest), **numbers})


# -- how far below the closed forms are --------------------------------------------------------

# The largest eigenvalue of the matrix of bounds in
# `slrsym.papers.single_location.certify.closed_form_step_size`.
mu = sqrt(2 / (pi * exp(1)))
p = 8 * gamma**2 * b**2 * (mu + 1 / (pi * B)) + 4 * gamma**2 * mu
q, r = 4 * gamma**2 * b / sqrt(pi), 2 * gamma**2
bound = (p + r) / 2 + sqrt((p - r) ** 2 / 4 + q**2)

closed_forms = Claim(
    id="theorem-5-closed-forms",
    title=(
        "In the task of figure 4b, the closed-form bounds on the step size are $0.1302$, by the "
        "descent lemma, and $1/K = 0.0336$, by Theorem 5"
    ),
    statement=And(
        Gt(1 / bound.subs(paper), Rational(1302, 10000), evaluate=False),
        Lt(1 / bound.subs(paper), Rational(1303, 10000), evaluate=False),
        Gt(1 / K.subs(paper), Rational(336, 10000), evaluate=False),
        Lt(1 / K.subs(paper), Rational(337, 10000), evaluate=False),
        evaluate=False,
    ),
    source="new; $1/K$ is the step size of Theorem 5 here",
)


@closed_forms.certified_by
def _():
    """Compare numbers; the certified step size is 2.3 and 9 times as large."""
    return InequalitiesOnBox(numbers)


# -- Propositions 9 and 10 ---------------------------------------------------------------------

signs = Claim(
    id="proposition-10-certified",
    title=(
        "On a box of parameters, the partial derivatives of the risk have the signs from which "
        "Propositions 9 and 10 follow"
    ),
    statement=And(
        Gt(-R_kappa(kappa, S.One), 0, evaluate=False),
        Gt(R_kappa(kappa, -S.One), 0, evaluate=False),
        Gt(-R_nu(kappa).diff(kappa), 0, evaluate=False),
        evaluate=False,
    ),
    source="Propositions 9 and 10, which are proved for all parameters, by other means",
)


@signs.certified_by
def _():
    """The slope in $kappa$ along two sides of the square, and the change of $R_nu$ with $kappa$."""
    return InequalitiesOnBox(
        {kappa: (-1, 1), lam: ("49/500", "51/500"), gamma: ("7/10", "71/100"), d: (390, 410)},
    )
