"""Chains of relations."""

from __future__ import annotations

import pytest
from sympy import Derivative, Eq, Ge, Gt, Le, Lt, S, symbols

from slrsym.prover.rules.calculus import algebra
from slrsym.prover.rules.chain import Chain, D, chain
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.inequalities import sign
from slrsym.prover.statements.expressions import ProofError, Refused

from ._steps import check

x, y = symbols("x y", real=True)


@pytest.mark.parametrize(
    ("relations", "kind"),
    [
        (["="], Eq),
        (["=", "="], Eq),
        (["<="], Le),
        (["=", "<=", "="], Le),
        (["<=", "<"], Lt),
        (["<", "="], Lt),
        ([">=", "="], Ge),
        ([">", ">="], Gt),
    ],
)
def test_conclusions(relations: list[str], kind: type) -> None:
    add = {"=": Chain.then, "<=": Chain.le, "<": Chain.lt, ">=": Chain.ge, ">": Chain.gt}
    steps = chain(x)
    for i, relation in enumerate(relations):
        steps = add[relation](steps, y + i, algebra)
    assert steps.conclusion == kind(x, y + len(relations) - 1, evaluate=False)
    assert steps.end == y + len(relations) - 1


def test_a_chain_that_goes_up_and_down_concludes_nothing() -> None:
    with pytest.raises(ProofError, match="mixes <= and >="):
        _ = chain(x).le(y, algebra).gt(1, algebra).conclusion


def test_an_empty_chain_concludes_nothing() -> None:
    assert chain(x).end == x
    with pytest.raises(ProofError, match="no step"):
        _ = chain(x).conclusion


def test_steps_carry_labels_and_are_checked_one_by_one() -> None:
    proof = chain((x + 1) ** 2).then(x**2 + 2 * x + 1, algebra).ge(2 * x, sign).gt(3 * x, sign)
    steps = list(proof.steps(Context(), "part"))
    assert [step.label for step in steps] == ["part.1", "part.2", "part.3"]
    with pytest.raises(Refused, match="x < 0"):
        check(proof)


def test_derivatives_are_not_evaluated() -> None:
    assert D(x**2, x) == Derivative(x**2, x, evaluate=False)
    assert D(S(1), x) != 0
