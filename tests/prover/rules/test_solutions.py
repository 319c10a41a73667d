"""Solution sets: complete, correct, and inside of the domain."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import And, Basic, Equivalent, Or, erf, exp, symbols

from slrsym.prover.rules.solutions import never, only_at, solution, solution_set, split_product
from slrsym.prover.statements.expressions import (
    ProofError,
    Refused,
    disjuncts,
    flatten_conjunctions_and_disjunctions,
)

from ._steps import check, eq

x, y = symbols("x y", real=True)
p = symbols("p", positive=True)


def goal(equations: list[Any], *points: dict[Any, Any]) -> Equivalent:
    system = And(*(eq(e, 0) for e in equations), evaluate=False)
    listed = [And(*(eq(u, v) for u, v in point.items()), evaluate=False) for point in points]
    return Equivalent(system, Or(*listed, evaluate=False), evaluate=False)


_SQUARE = p * x**2 - p
_SPLIT = split_product(
    _SQUARE, only_at(x - 1, x, 1, solution()), only_at(p * (x + 1), x, -1, solution())
)

_CUBE = p * x**3 - p * x
_ROOTS = (
    only_at(x - 1, x, 1, solution()),
    only_at(p * x, x, 0, solution()),
    only_at(x + 1, x, -1, solution()),
)


def test_all_solutions_are_found() -> None:
    check(solution_set(goal([_SQUARE], {x: 1}, {x: -1}), [x], _SPLIT))


def test_a_solution_that_is_left_out_is_missed() -> None:
    with pytest.raises(Refused, match="does not follow by logic"):
        check(solution_set(goal([_CUBE], {x: 1}, {x: 0}), [x], split_product(_CUBE, *_ROOTS)))


def test_a_value_that_solves_nothing_is_refused() -> None:
    with pytest.raises(Refused):
        check(solution_set(goal([_SQUARE], {x: 1}, {x: -1}, {x: 2}), [x], _SPLIT))


def test_on_a_smaller_domain_a_factor_never_vanishes() -> None:
    tree = split_product(_CUBE, *_ROOTS[:2], never(x + 1))
    proof = solution_set(goal([_CUBE], {x: 1}, {x: 0}), [x], tree)
    check(proof, x >= 0)
    with pytest.raises(Refused, match=r"x \+ 1|x - 1"):
        check(proof)


@pytest.mark.parametrize(
    "tree",
    [
        split_product(_SQUARE, only_at(x - 1, x, 1, solution())),
        split_product(
            _SQUARE, only_at(x - 1, x, 1, solution()), only_at(p * (x + 1), x, 1, solution())
        ),
        split_product(_SQUARE, only_at(_SQUARE, x, 1, solution())),
    ],
)
def test_trees_that_do_not_hold(tree: Any) -> None:
    with pytest.raises(Refused):
        check(solution_set(goal([_SQUARE], {x: 1}, {x: -1}), [x], tree))


def test_several_unknowns_and_injective_functions() -> None:
    first, second = erf(p * x) * exp(y), (y - 2) * (x + y + 1)
    inner = split_product(
        second, only_at(2 * (y - 2), y, 2, solution()), only_at((y + 1) / 2, y, -1, solution())
    )
    tree = split_product(first, only_at(erf(p * x), x, 0, inner), never(exp(y)))
    check(solution_set(goal([first, second], {x: 0, y: 2}, {x: 0, y: -1}), [x, y], tree))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (solution(), "has no value yet"),
        (never(x), "has to be split"),
        (split_product(x, never(x)), "not one of the equations"),
        (split_product(_SQUARE, solution()), "never"),
        (split_product(_SQUARE, only_at(_SQUARE, y, 1, solution())), "not an unknown"),
    ],
)
def test_trees_that_are_malformed(tree: Any, message: str) -> None:
    with pytest.raises(ProofError, match=message):
        check(solution_set(goal([_SQUARE], {x: 1}, {x: -1}), [x], tree))


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (eq(x, 1), "must be an equivalence"),
        (goal([_SQUARE], {x: 1}, {y: 1}), "does not give"),
        (goal([_SQUARE], {x: 1}, {x: 1, y: 1}), "does not give"),
    ],
)
def test_goals_that_are_refused(statement: Any, message: str) -> None:
    with pytest.raises(ProofError, match=message):
        solution_set(statement, [x], _SPLIT)


def test_statements_that_sympy_leaves_nested_are_flattened() -> None:
    """As SymPy does from version 1.15 on, if it is asked not to evaluate."""

    def raw(kind: Any, *args: Any) -> Any:
        return Basic.__new__(kind, *args)

    a, b, c = eq(x, 1), eq(y, 1), eq(y, 2)
    nested = raw(Or, raw(And, raw(And, a), b), raw(And, c))
    assert nested != Or(And(a, b), c)
    assert flatten_conjunctions_and_disjunctions(nested) == Or(And(a, b), c)
    both = Equivalent(raw(And, a), nested, evaluate=False)
    assert flatten_conjunctions_and_disjunctions(both) == Equivalent(
        a, Or(And(a, b), c), evaluate=False
    )
    assert flatten_conjunctions_and_disjunctions(a) == a
    assert disjuncts(a) == (a,)
