"""The excess risk without cancellation: the five-variable analogue of Lemma 6's stable form."""

from sympy import Eq

from slrsym.papers.single_location.notation import epsilon
from slrsym.papers.single_location.symbolic import excess_risk_stable, risk_definition
from slrsym.proof import Claim, chain, lemma

excess_risk = Claim(
    id="excess-risk-stable",
    title="The excess risk of $erf$ attention in closed form, written with differences such as "
    "$zeta(t, s) - erf(t/A)^2$",
    statement=Eq(risk_definition() - epsilon**2, excess_risk_stable(), evaluate=False),
    source="new",
)


@excess_risk.proof
def _(goal):
    """Proposition 15, sorted by the variances and means of the sum and of $erf(u)$."""
    return chain(goal.lhs).then(goal.rhs, by=lemma("proposition-15"))
