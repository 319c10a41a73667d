"""Claims: what may be one, its symbols and its proof."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from sympy import Eq, Function, Ge, GreaterThan, Symbol, false, symbols, true
from sympy.core.relational import Relational

from slrsym.proof import Claim, algebra, chain
from slrsym.prover.claims.registration import record_created_claims
from slrsym.prover.statements.expressions import ProofError

x, y = symbols("x y", real=True)
f = Function("f")


def square(**changes: Any) -> Claim:
    options = {"id": "square", "statement": Eq((x + y) ** 2, f(x)), "source": "school", **changes}
    return Claim(**options)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *(
            ({"id": id}, "id must be words")
            for id in ("", "Square", "a b", "-a", "a-", "a--b", "a_b", 7)
        ),
        *(({"statement": said}, "evaluate=False") for said in (true, false, True, False)),
        *(({"statement": said}, "must be a relation") for said in (x, x + y, "x = y", 1.5)),
        *(({"hypotheses": [given]}, "cannot hold") for given in (false, x, x + y, 1, "x > 0")),
    ],
)
def test_what_no_claim_may_have_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ProofError, match=message):
        square(**changes)


def test_symbols_are_those_of_the_statement_and_the_hypotheses() -> None:
    z = Symbol("z", real=True)
    claim = square(hypotheses=[z > 0, True])
    assert claim.symbols == {x, y, z}
    assert claim.hypotheses == (z > 0,)
    assert claim.source == "school"
    assert claim.symbol("z") is z
    assert claim.symbol("f") is f
    assert claim.symbol(x) is x
    with pytest.raises(ProofError, match=r"no symbol 'w'; it has f, x, y, z"):
        claim.symbol("w")


def test_names_that_are_not_unique_are_refused() -> None:
    claim = square(statement=Eq(x, Symbol("x", positive=True) + 1))
    with pytest.raises(ProofError, match="no symbol 'x'"):
        claim.symbol("x")


def test_a_claim_has_one_proof() -> None:
    claim = square(statement=Eq((x + 1) ** 2, x**2 + 2 * x + 1))
    with pytest.raises(ProofError, match="no proof"):
        claim.build_proof()
    assert claim.proof_idea == ""

    @claim.proof
    def _(goal: Any) -> Any:
        """Multiply out.

        And collect.
        """
        return chain(goal.lhs).then(goal.rhs, by=algebra)

    assert claim.proof_idea == "Multiply out. And collect."
    assert claim.build_proof().conclusion == claim.statement
    with pytest.raises(ProofError, match="two proofs"):
        claim.proof(lambda goal: chain(goal.lhs))


@pytest.mark.parametrize(
    ("result", "message"),
    [(algebra, "is a rule"), (None, "returned nothing"), (1, "returned 1, which is no proof")],
)
def test_what_is_no_proof_is_refused(result: Any, message: str) -> None:
    claim = square()
    claim.proof(lambda goal: result)
    with pytest.raises(ProofError, match=message):
        claim.build_proof()


def test_claims_are_collected_in_order() -> None:
    with record_created_claims(Path("a.py")) as outer:
        first = square()
        with record_created_claims(Path("b.py")) as inner:
            second = square(id="inner")
        third = square(id="third")
    square(id="outside")
    assert outer == [first, third]
    assert inner == [second]
    files = [claim.file for claim in (first, second, third)]
    assert files == [Path(f"{name}.py") for name in "aba"]


def test_claims_are_shown() -> None:
    assert repr(square()) == "Claim('square': Eq((x + y)**2, f(x)))"
    assert square()._repr_latex_().endswith(r"$\displaystyle (x + y)^{2} = f(x)$")


@pytest.mark.parametrize("against", ["better", "stronger", "weaker: ", "false", "exact: so"])
def test_how_a_claim_stands_against_its_source_is_said_in_four_ways(against):
    with pytest.raises(
        ProofError, match="compared_to_source must be exact, or stronger, weaker or false"
    ):
        Claim("c", Eq(x, y), "here", compared_to_source=against)
    weaker = Claim("c", Eq(x, y), "here", compared_to_source="weaker: for x = 1")
    assert weaker.compared_to_source == "weaker: for x = 1"


class Near(Relational):
    rel_op = "~"


class Mine(GreaterThan):
    pass


@pytest.mark.parametrize("own", [Near(x, y), Mine(x**2, 0, evaluate=False)], ids=["new", "derived"])
def test_a_relation_of_ones_own_is_refused(own):
    name = type(own).__name__
    for statement, given in ((own, ()), (Ge(x**2, 0, evaluate=False), (own,))):
        with pytest.raises(ProofError, match=f"is a {name}, a relation that slrsym does not know"):
            Claim("own", statement, "test", hypotheses=given)


def test_a_proof_that_python_cannot_look_into_is_asked_nothing() -> None:
    """Of a function without a signature it is found out when the claim is checked."""
    with pytest.raises(ValueError, match="no signature"):
        inspect.signature(type)
    claim = square()
    claim.proof(type)
    with pytest.raises(ProofError, match=r"the proof returned <class .*, which is no proof"):
        claim.build_proof()
