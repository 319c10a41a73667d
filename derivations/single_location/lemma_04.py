"""Lemmas 14, 4 and 7: the manifold is invariant, and on it the dynamics is a planar map."""

from sympy import And, Eq, Function, Ge, Le, Matrix, sqrt, symbols

from slrsym.papers.single_location.notation import alpha, epsilon, eta, kappa, nu, rho, theta
from slrsym.papers.single_location.planar import coordinate_after_step
from slrsym.papers.single_location.symbolic import excess_risk_stable, risk_definition
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
    lemma,
)

# -- the gradient of a function of the overlaps ------------------------------------------------

# Coordinates in an orthonormal basis of R^d whose first two vectors are k* and v*, and whose first
# four span k and v, too. The fifth is orthogonal to all four vectors.
k = symbols("k_1:6", real=True)
v = symbols("v_1:6", real=True)
k_star, v_star = (1, 0, 0, 0, 0), (0, 1, 0, 0, 0)


def dot(p, q):
    return sum(x * y for x, y in zip(p, q, strict=True))


def overlaps(k, v):
    """Kappa, nu, theta, eta, rho."""
    return k[0], v[1], v[0], k[1], dot(k, v)


F = Function("F", real=True)
places = symbols("x_1:6", real=True)


def partial(number):
    """A partial derivative of F at the overlaps."""
    return at(D(F(*places), places[number]), dict(zip(places, overlaps(k, v), strict=True)))


gradient_k = [partial(0) * k_star[i] + partial(3) * v_star[i] + partial(4) * v[i] for i in range(5)]
gradient_v = [partial(1) * v_star[i] + partial(2) * k_star[i] + partial(4) * k[i] for i in range(5)]
shown = {
    symbols("r", real=True): overlaps(k, v)[4],
    symbols("f", real=True): F(*overlaps(k, v)),
    **{x: partial(i) for i, x in enumerate(symbols("F_1:6", real=True))},
}
chain_rule = Claim(
    id="lemma-4-chain-rule",
    title=(
        "The gradients of a function $F$ of the five overlaps, written out for $d = 5$: $F_kappa "
        "k* + F_eta v* + F_rho v$ in $k$, $F_theta k* + F_nu v* + F_rho k$ in $v$"
    ),
    statement=And(
        *(
            Eq(D(F(*overlaps(k, v)), x), g, evaluate=False)
            for x, g in zip((*k, *v), (*gradient_k, *gradient_v), strict=True)
        ),
        evaluate=False,
    ),
    source="(20)-(21), off the manifold, too",
    compared_to_source="stronger: at every pair of vectors, not only on the manifold",
    notation=shown,
)


@chain_rule.proof
def _(goal):
    """The chain rule; $rho$ depends on all coordinates, the others on one each."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=differentiate) for part in goal.args))


# -- Lemma 14 ----------------------------------------------------------------------------------

across = (theta, eta, rho)


def on_manifold(f):
    return at(f, dict.fromkeys(across, 0))


# What the risk is, and its derivatives.
closed = epsilon**2 + excess_risk_stable()
closed_form = Eq(risk_definition(), closed, evaluate=False)

flat = [Eq(on_manifold(D(closed, x)), 0, evaluate=False) for x in across]

no_push = Claim(
    id="lemma-14",
    title="On the manifold the partial derivatives of the risk in $theta$, $eta$ and $rho$ vanish",
    statement=And(
        closed_form,
        *flat,
        evaluate=False,
    ),
    source="Lemma 14",
    compared_to_source="exact",
    explanation=Explanation(
        "On the manifold the partial derivatives of the risk in $theta$, $eta$ and $rho$ vanish. "
        "In the closed form of the risk each term that has one of these overlaps has two of them "
        "as factors, such as $theta^2$, $eta theta$ or $theta rho$. So the derivatives in them "
        "are of first order in the three, and vanish where all are 0. The paper argues by parity; "
        "with the closed form it is enough to differentiate. What is supposed of the tokens, "
        "Assumption 1 among it, enters by the closed form alone, and nothing is supposed of "
        "$kappa$ and $nu$.",
        {
            closed_form: "The risk is equal to its closed form:",
            **dict.fromkeys(flat, "On the manifold, the closed form has the partial derivatives"),
        },
    ),
)


@no_push.proof
def _(goal):
    """In closed form, what depends on the three is of second order in them."""
    slopes = [part for part in goal.args if part != closed_form]
    return all_of(
        chain(closed_form.lhs).then(closed_form.rhs, by=lemma("excess-risk-stable")),
        *(chain(part.lhs).then(0, by=differentiate) for part in slopes),
    )


# -- one step from a point of the manifold -----------------------------------------------------

# On the manifold k is orthogonal to v*, v to k*, and k to v. So what is left of k beside k*, and of
# v beside v*, may be taken for the directions of the third and fourth vector.
square = [Ge(kappa, -1), Le(kappa, 1), Ge(nu, -1), Le(nu, 1)]
k_now = Matrix([kappa, 0, sqrt(1 - kappa**2), 0, 0])
v_now = Matrix([0, nu, 0, sqrt(1 - nu**2), 0])

# The gradients there: by the chain rule, since by Lemma 14 three of the partial derivatives vanish.
R_kappa, R_nu = symbols("R_kappa R_nu", real=True)
in_k, in_v = R_kappa * Matrix(k_star), R_nu * Matrix(v_star)
# The same, with the partial derivatives that Lemma 14 speaks of.
R_theta, R_eta, R_rho = (on_manifold(D(closed, x)) for x in across)
all_in_k = in_k + R_eta * Matrix(v_star) + R_rho * v_now
all_in_v = in_v + R_theta * Matrix(k_star) + R_rho * k_now


def step(point, gradient):
    """One step (10): along the tangent gradient, then back to the sphere."""
    moved = point - alpha * (gradient - point.dot(gradient) * point)
    return moved / sqrt(moved.dot(moved))


k_next, v_next = step(k_now, in_k), step(v_now, in_v)


def tangent(point, gradient):
    """What is left of a gradient on the sphere."""
    return gradient - point.dot(gradient) * point


# The overlaps theta, eta, rho after a step, up to positive factors: it is left out that the step
# ends on the sphere.
k_moved, v_moved = (
    k_now - alpha * tangent(k_now, all_in_k),
    v_now - alpha * tangent(v_now, all_in_v),
)
after = [v_moved.dot(Matrix(k_star)), k_moved.dot(Matrix(v_star)), k_moved.dot(v_moved)]

premises = {
    **dict.fromkeys(chain_rule.statement.args, "The gradients, by the chain rule:"),
    **dict.fromkeys(no_push.statement.args, "What Lemma 14 says:"),
}
stays = [Eq(overlap, 0, evaluate=False) for overlap in after]

invariant = Claim(
    id="lemma-4",
    title="A step of projected gradient descent does not leave the manifold",
    statement=And(
        chain_rule.statement,
        no_push.statement,
        *stays,
        evaluate=False,
    ),
    source="Lemma 4",
    compared_to_source="exact",
    hypotheses=square,
    notation=shown,
    explanation=Explanation(
        "A step of projected gradient descent from the manifold leads to the manifold again. By "
        "the chain rule the gradient in $k$ is made of $k*$, $v*$ and $v$, that in $v$ of $v*$, "
        "$k*$ and $k$, each with a partial derivative of the risk as its factor. On the manifold "
        "the derivatives in $theta$, $eta$ and $rho$ vanish by Lemma 14, so that $k$ moves in the "
        "plane of $k$ and $k*$, and $v$ in that of $v$ and $v*$. These planes are orthogonal: "
        "$k*$ and $v*$ are by Assumption 1, the other pairs since the step begins on the "
        "manifold. So all three overlaps are 0 after the step; the projection changes lengths "
        "only. Neither the step size nor $lambda$ need be small or constant.",
        premises | dict.fromkeys(stays, "After the step, $theta$, $eta$ and $rho$ are 0 again:"),
    ),
)


@invariant.proof
def _(goal):
    """By Lemma 14 a step moves $k$ in the span of $k$, $k*$, and $v$ in that of $v$, $v*$."""
    return all_of(
        by_claim(chain_rule.statement, "lemma-4-chain-rule"),
        by_claim(no_push.statement, "lemma-14"),
        *(chain(overlap).then(0, by=differentiate) for overlap in after),
    )


# -- the planar map ----------------------------------------------------------------------------

next_kappa = Eq(k_next.dot(Matrix(k_star)), coordinate_after_step(kappa, R_kappa), evaluate=False)
next_nu = Eq(v_next.dot(Matrix(v_star)), coordinate_after_step(nu, R_nu), evaluate=False)

planar_map = Claim(
    id="lemma-7",
    title=(
        "On the manifold, a step of projected gradient descent takes $(kappa, nu)$ to its "
        "image under the planar map (13)"
    ),
    statement=And(
        chain_rule.statement,
        no_push.statement,
        next_kappa,
        next_nu,
        evaluate=False,
    ),
    source="Lemma 7; the partial derivatives are those of Proposition 9's proof",
    compared_to_source="exact",
    hypotheses=square,
    notation=shown,
    explanation=Explanation(
        "On the manifold a step maps $(kappa, nu)$ to a point that is given by $kappa$, $nu$ and "
        "the slopes $R_kappa$ and $R_nu$ of the risk. By Lemma 14 the gradient in $k$ is $R_kappa "
        "k*$, and that in $v$ is $R_nu v*$. Its tangent part has the squared length $R_kappa^2 (1 "
        "- kappa^2)$ and is orthogonal to $k$. So before the projection the squared length of $k$ "
        "is $1 + alpha^2 R_kappa^2 (1 - kappa^2)$, and its product with $k*$ is $kappa - alpha "
        "R_kappa (1 - kappa^2)$: the new overlap is their quotient, with a root; $v$ moves "
        "likewise. It is used that $kappa$ and $nu$, as products of unit vectors, are in $[-1, "
        "1]$. The step size may be of any size.",
        {
            **premises,
            next_kappa: "The new overlap of $k$ and $k*$ is (12):",
            next_nu: "The new overlap of $v$ and $v*$ is (13):",
        },
    ),
)


@planar_map.proof
def _(goal):
    """The squared length before the projection is $1 + alpha^2 R_kappa^2 (1 - kappa^2)$."""
    return all_of(
        by_claim(chain_rule.statement, "lemma-4-chain-rule"),
        by_claim(no_push.statement, "lemma-14"),
        chain(k_next.dot(Matrix(k_star))).then(coordinate_after_step(kappa, R_kappa), by=algebra),
        chain(v_next.dot(Matrix(v_star))).then(coordinate_after_step(nu, R_nu), by=algebra),
    )
