"""Claims on the risk of a model on matrices, its gradient, and its least value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Eq, Expr, Le, Trace

from slrsym.matrices.letters import Letter
from slrsym.matrices.means import along
from slrsym.models.matrices.matrix_risk import MatrixRisk
from slrsym.proof import Claim, algebra, chain, isserlis, positive, trace_algebra


def claims_about_model(model: MatrixRisk, name: str, source: str) -> list[Claim]:
    """Return claims that the risk and the gradient follow from the definition."""
    found = [claim_by(
        isserlis, f"{name}-risk", "The risk of the model", model.definition, model.risk, source
    )]  # fmt: skip
    taken = {y.name for y in (*model.trained, *model.parameters)}
    for x in model.trained:
        move: Any = 1
        slope = model.gradient[x]
        if isinstance(x, Letter):
            direction = "H" if "H" not in taken else "H'"
            move = Letter(direction, *x.shape)
            slope = Trace(slope.T * move)
        found.append(claim_by(
            algebra, f"{name}-gradient-{_spelled(x, model.trained)}",
            f"The gradient of the risk of the model in ${x.name}$",
            along(model.risk, (x, move)), slope, source,
        ))  # fmt: skip
    return found


def claims_about_minimum(
    risk: Expr, value: Expr, rest: Expr, parts: Sequence[Any], given: Sequence[Any],
    name: str, source: str,
) -> list[Claim]:  # fmt: skip
    """Return claims that a risk is a value plus a square, and at least the value."""
    square = Claim(
        id=f"{name}-square",
        title="The risk of the model, less a value, as traces quadratic in the distance to a point",
        hypotheses=given,
        statement=Eq(risk - value, rest, evaluate=False),
        source=source,
    )

    @square.proof
    def _(goal: Any) -> Any:
        """Complete the square."""
        return chain(goal.lhs).then(goal.rhs, by=trace_algebra)

    bound = Claim(
        id=f"{name}-minimum",
        title="The risk of the model is at least a value",
        hypotheses=given,
        statement=Le(value, risk, evaluate=False),
        source=source,
    )

    @bound.proof
    def _(goal: Any) -> Any:
        """Bound the square by traces of products of two semidefinite matrices."""
        between = risk - rest
        rule = positive(*parts)
        return chain(goal.lhs).then(between, by=trace_algebra).le(goal.rhs, by=rule)

    return [square, bound]


def claim_by(rule: Any, id: str, title: str, lhs: Any, rhs: Any, source: str) -> Claim:
    """Return the claim that two sides are equal, by one rule."""
    claim = Claim(id=id, title=title, statement=Eq(lhs, rhs, evaluate=False), source=source)

    @claim.proof
    def _(goal: Any) -> Any:
        """Compute the left side."""
        return chain(goal.lhs).then(goal.rhs, by=rule)

    return claim


def _spelled(x: Any, trained: tuple[Any, ...]) -> str:
    """Return a name in lower case that no other one has."""
    spelled = [str(y.name).lower().replace("_", "-").replace("'", "-prime") for y in trained]
    at = trained.index(x)
    return spelled[at] if spelled.count(spelled[at]) == 1 else f"{spelled[at]}-{at + 1}"
