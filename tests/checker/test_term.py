"""Terms: reading with limits, one printing, substitution without capture."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slrsym.checker.conditions_on_values import substitution_conditions
from slrsym.checker.term import (
    DEPTH,
    Rejected,
    TermReader,
    bound_variables,
    canonical_key,
    free_symbols,
    is_same_term,
    num,
    parse_term,
    places_and_subterms,
    replace_parts,
    substitute,
)
from slrsym.prover.tactics.log_records import TermTable, tuples_to_lists
from tests.checker.terms import F, I, J, N, X, Y, f, renamed, terms, total, value

numbers = st.integers(-3, 3).map(Fraction)
environments = st.fixed_dictionaries({X: numbers, Y: numbers, I: numbers, J: numbers})


@given(terms, terms, environments)
def test_substitution_means_what_it_says(t, e, env):
    assert value(substitute(t, {X: e}), env) == value(t, {**env, X: value(e, env)})


@given(terms, environments)
def test_values_are_put_all_at_once(t, env):
    swapped = substitute(t, {X: Y, Y: X})
    assert value(swapped, env) == value(t, {**env, X: env[Y], Y: env[X]})


@given(terms, terms, environments)
def test_a_function_is_put_in(t, body, env):
    z = ("s", "z", "R")
    # Both variables count: a point that may be undefined is not lost.
    function = ("lam", (X, z), (("+", body, X, z),), ())
    put = substitute(t, {F: function})
    assert F not in free_symbols(put) or F in free_symbols(body)


@given(terms)
def test_names_of_bound_variables_do_not_matter(t):
    assert canonical_key(renamed(t)) == canonical_key(t)


@pytest.mark.parametrize(
    "binder",
    [
        lambda v: ("int", (v,), (("*", X, v),), (num(0), X)),
        lambda v: ("E", (v,), (("*", X, v),), (("gauss", 1, X, num(1)),)),
        lambda v: ("d", (2,), (v,), (("*", X, v),), (X,)),
        lambda v: ("lam", (v,), (("*", X, v),), ()),
    ],
)
def test_a_variable_that_would_catch_a_value_is_renamed(binder):
    v, other = ("s", "v", "R"), ("s", "v'", "R")
    put = substitute(binder(v), {X: v})
    assert put == substitute(binder(other), {X: v})
    assert bound_variables(put) == (other,)


def bracketed(t):
    """With all the brackets that there may be, from the right."""
    if t[0] in ("s", "n"):
        return t
    parts = {place: bracketed(p) for place, p in places_and_subterms(t)}
    t = replace_parts(t, parts)
    if t[0] in ("+", "*"):
        last = t[-1]
        for p in t[-2:0:-1]:
            last = (t[0], p, last)
        return last
    return t


@given(st.lists(terms, min_size=2, max_size=4), st.sampled_from("+*"))
def test_brackets_do_not_matter(parts, head):
    t = (head, *parts)
    assert (
        canonical_key(bracketed(t)) == canonical_key(t) == canonical_key((head, *reversed(parts)))
    )
    other = "*" if head == "+" else "+"
    assert not is_same_term((head, X, (other, Y, num(2))), (head, X, Y, num(2)))


@given(terms, terms, environments)
def test_terms_that_print_alike_mean_the_same(a, b, env):
    if canonical_key(a) == canonical_key(b):
        assert value(a, env) == value(b, env)


def test_a_closed_sum_reads_the_same_under_another():
    # Counting levels from the outside would confuse these two.
    own, outer = f(J, num(1)), f(I, num(1))
    first = total(I, total(J, own, num(0), num(2)), num(0), num(2))
    second = total(I, total(J, outer, num(0), num(2)), num(0), num(2))
    assert not is_same_term(first, second)


@given(st.lists(st.one_of(terms, st.tuples(st.just("<"), terms, terms)), min_size=1, max_size=4))
def test_what_is_written_is_read(wanted):
    table, reader = TermTable(), TermReader()
    numbers = [table.row_number(t) for t in wanted]
    for row in json.loads(json.dumps(table.rows)):
        reader.add(row)
    assert [reader.read(n) for n in numbers] == wanted
    assert [parse_term(json.loads(json.dumps(tuples_to_lists(t)))) for t in wanted] == wanted


@pytest.mark.parametrize(
    "data",
    [
        [], "x", None, 3, ["no", 1], ["n", 2, 4], ["n", 1, 0], ["n", 1.5, 1], ["n", True, 1],
        ["n", 1], ["n", 10**4000, 1], ["s", "x", "C"], ["s", "x) (s y", "R"], ["s", "", "R"],
        ["s", "x y", "R"], ["^", 0, 1, ["n", 1, 1]], ["^", 2, 4, ["n", 1, 1]], ["+"],
        ["f", "exp", ["n", 1, 1], ["n", 1, 1]], ["f", "gamma", ["n", 1, 1]],
        ["=", ["n", 1, 1]], ["=", ["n", 1, 1], ["oo"]], ["and"], ["and", ["n", 1, 1]],
        ["not", ["=", ["pi"], ["pi"]], ["=", ["pi"], ["pi"]]], ["u", "f", "R", [0], ["pi"], ["pi"]],
        ["u", "f", "R", [-1], ["pi"]], ["u", "f", "R", [[0]], ["pi"]],
        ["sum", [["s", "i", "R"]], [["pi"]], [["n", 1, 1], ["n", 2, 1]]],
        ["sum", [["s", "i", "Z"]], [["pi"]], [["n", 1, 1], ["oo"]]],
        ["sum", [["s", "i", "Z"]], [["pi"]], [["n", 1, 1]]],
        ["sum", [["pi"]], [["pi"]], [["n", 1, 1], ["n", 2, 1]]],
        ["int", [["s", "x", "R>0"]], [["pi"]], [["n", 1, 1], ["n", 2, 1]]],
        ["d", [1], [["s", "n", "Z"]], [["pi"]], [["n", 1, 1]]],
        ["d", [1, 1], [["s", "x", "R"]], [["pi"]], [["n", 1, 1]]],
        ["E", [["s", "x", "R"], ["s", "x", "R"]], [["pi"]], [["noise", ["pi"]], ["noise", ["pi"]]]],
        ["E", [["s", "x", "R"]], [["pi"]], [["gauss", 1, ["pi"]]]],
        ["E", [["s", "x", "R"]], [["pi"]], [["gauss", 2, *[["pi"]] * 6]]],
        ["forall", [["s", "x", "R"]], [["pi"]], []], ["text", 3], ["lam", [], [["pi"]], []],
        ["+", 0, 1], ["o", "a b"],
    ],
)  # fmt: skip
def test_what_is_no_term_is_refused(data):
    with pytest.raises(Rejected):
        parse_term(data)


def test_depth_and_size_have_limits_that_references_cannot_pass():
    nested = ["pi"]
    for _ in range(DEPTH - 1):
        nested = ["+", nested]
    assert parse_term(nested)
    nested = ["+", ["+", nested]]
    with pytest.raises(Rejected, match="deep"):
        parse_term(nested)
    reader = TermReader()
    reader.add(["pi"])
    for k in range(15):
        reader.add(["+", k, k])
    with pytest.raises(Rejected, match="large"):
        reader.add(["+", 15, 15])


def test_what_a_sort_asks():
    assert substitution_conditions(X, Y) == [("=", Y, Y)]
    assert substitution_conditions(Y, X) == [("<", num(0), X)]
    assert substitution_conditions(N, X) == [("o", "integer", X), ("<=", num(0), X)]
    assert substitution_conditions(X, X) == []
    square = ("lam", (X,), (("^", 2, 1, X),), ())
    sign, growth = substitution_conditions(("u", "g", "R>=0", 1), square)
    assert sign == ("forall", (X,), (("<=", num(0), ("^", 2, 1, X)),), ())
    assert growth == ("o", "moderate", square)
    with pytest.raises(Rejected):
        substitution_conditions(("u", "g", "R", 2), square)
    with pytest.raises(Rejected):
        substitution_conditions(("u", "g", "R", 1), ("lam", (Y,), (Y,), ()))


def test_a_derivative_takes_its_point_and_no_more():
    at_x = ("d", (1,), (X,), (("*", X, Y),), (X,))
    put = substitute(at_x, {X: num(3)})
    assert put == ("d", (1,), (X,), (("*", X, Y),), (num(3),))
    slope = ("u", "f", "R", (1, 0), X, Y)
    g = ("lam", (X, ("s", "z", "R")), (("*", X, ("s", "z", "R")),), ())
    assert substitute(slope, {F: g})[0] == "d"
