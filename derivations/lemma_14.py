"""Lemma 14: on the manifold, the risk does not push out of it."""

from sympy import And, Eq

from slrsym.notation import epsilon, eta, rho, theta
from slrsym.proof import Claim, D, all_of, at, chain, differentiate, lemma
from slrsym.symbolic import excess_risk_stable, risk_definition

across = (theta, eta, rho)


def on_manifold(f):
    return at(f, dict.fromkeys(across, 0))


# What the risk is, and its derivatives.
closed = epsilon**2 + excess_risk_stable()
closed_form = Eq(risk_definition(), closed)

no_push = Claim(
    id="lemma-14",
    title="on the manifold the partial derivatives in theta, eta and rho vanish",
    statement=And(
        closed_form,
        *(Eq(on_manifold(D(closed, x)), 0, evaluate=False) for x in across),
        evaluate=False,
    ),
    source="Lemma 14",
)


@no_push.proof
def _(goal):
    """In closed form, what depends on the three is of second order in them."""
    slopes = [part for part in goal.args if part != closed_form]
    return all_of(
        chain(closed_form.lhs).then(closed_form.rhs, by=lemma("excess-risk-stable")),
        *(chain(part.lhs).then(0, by=differentiate) for part in slopes),
    )
