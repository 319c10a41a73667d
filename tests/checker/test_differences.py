"""What the fuzzer found: where the first checker did otherwise than its specification."""

from __future__ import annotations

import pytest

from slrsym.checker import Rejected
from slrsym.checker.theorem import apply_rule
from tests.checker.terms import NORMAL, ONE, TWO, ZERO

X, Y = ("s", "x", "R"), ("s", "y", "R")


@pytest.mark.parametrize("where", [[[0, 0], [1]], [[0], [1, 1]], [[False], [1]], [[0], [True]]])
def test_places_of_laws_and_factors_are_numbers_each_once(where):
    node = ("E", (X, Y), (("*", X, Y),), (NORMAL, NORMAL))
    assert apply_rule("independent", [], node, [[0], [1]]).conclusion[0] == "="
    with pytest.raises(Rejected):
        apply_rule("independent", [], node, where)


@pytest.mark.parametrize("sort", ["R>=0", "Z", "R!=0"])
def test_a_function_of_the_whole_box_is_of_real_numbers(sort):
    def box_map(names, low, high):
        return ("tuple", ("text", "BoxMap"), ("lam", names, names, ()),
                ("tuple", *low), ("tuple", *high))  # fmt: skip

    face, whole = box_map((X,), (ZERO,), (ONE,)), box_map((X, Y), (ZERO, ZERO), (ONE, ONE))
    goal = ("o", "DecreasesAlong", face, ("lam", (X,), (X,), ()))
    values = (whole, ONE, ZERO, ("lam", (X, Y), (X,), ()))
    assert apply_rule("theorem", [], "on-face", goal, values).conclusion == goal
    other = ("s", "z", sort)
    with pytest.raises(Rejected, match="real"):
        apply_rule("theorem", [], "on-face", goal, (*values[:3], ("lam", (X, other), (X,), ())))


@pytest.mark.parametrize(
    "function",
    [("u", "h", "Q", 1), ("u", "", "R", 1), ("ix", "h", "R", 0), ("u", 7, "R", 1), ("u", "h", "R")],
)
def test_a_function_that_gets_a_value_has_a_name_and_a_sort(function):
    fact = apply_rule("assume", [], ("<", ZERO, X))
    for variable in ("R", "Z"):
        value = ("lam", (("s", "v", variable),), (ONE,), ())
        with pytest.raises(Rejected):
            apply_rule("instance", [fact], ((function, value),))


@pytest.mark.parametrize("other", [("tuple", X), ("set",), ("<", X, Y), ("lam", (X,), (X,), ())])
def test_what_is_no_term_is_no_point(other):
    # The bodies do not speak of their variables, so that no part shows what is put there.
    i = ("s", "i", "Z")
    with pytest.raises(Rejected):
        apply_rule("term of a sum", [], ("sum", (i,), (X,), (ONE, TWO)), other)
    fact = apply_rule("unchecked", [], "test", (), ("<", ZERO, ("d", (2,), (Y,), (ONE,), (X,))))
    assert apply_rule("tangent", [fact], ONE, TWO).conclusion[0] == "<="
    for points in ((other, ONE), (ONE, other)):
        with pytest.raises(Rejected):
            apply_rule("tangent", [fact], *points)
