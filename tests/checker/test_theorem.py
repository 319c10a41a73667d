"""The rules of the core: what they make, and what they refuse."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slrsym.checker.term import Rejected, canonical_key, definedness_equation, is_same_term, num
from slrsym.checker.theorem import Theorem, apply_rule
from tests.checker.terms import F, I, J, N, X, Y, assume, f, total

ZERO, ONE = num(0), num(1)
A, B, C = (("<", ZERO, ("s", name, "R")) for name in "abc")


def trust(p, *given):
    return apply_rule("unchecked", [], "test", given, p)


def hypotheses(theorem):
    return set(theorem.hypotheses)


def test_nothing_else_makes_or_changes_a_theorem():
    with pytest.raises(TypeError):
        Theorem(object(), [], A, [])
    theorem = assume(A)
    with pytest.raises(AttributeError):
        theorem.conclusion = B
    with pytest.raises(TypeError):
        theorem.hypotheses[canonical_key(B)] = B
    with pytest.raises(Rejected):
        apply_rule("assume", [A], A)
    with pytest.raises(Rejected):
        apply_rule("believe", [], A)
    with pytest.raises(Rejected):
        apply_rule("assume", [], A, B)
    with pytest.raises(Rejected):
        apply_rule("assume", [], X)


formulas = st.recursive(
    st.sampled_from([A, B, C]),
    lambda p: st.one_of(
        st.tuples(st.just("not"), p),
        st.tuples(st.sampled_from(["and", "or", "implies", "iff"]), p, p),
        st.tuples(st.sampled_from(["and", "or"]), p, p, p),
    ),
    max_leaves=6,
)


def truth(p, env):
    head, parts = p[0], p[1:]
    if p in env:
        return env[p]
    values = [truth(q, env) for q in parts]
    return {
        "not": lambda: not values[0], "and": lambda: all(values), "or": lambda: any(values),
        "implies": lambda: not values[0] or values[1], "iff": lambda: values[0] == values[1],
    }[head]()  # fmt: skip


@given(st.lists(st.tuples(formulas, formulas), max_size=2), formulas, formulas)
def test_logic_is_the_truth_table(premises, given_, conclusion):
    follows = all(
        truth(conclusion, env)
        for values in product((False, True), repeat=3)
        for env in [dict(zip((A, B, C), values, strict=True))]
        if truth(given_, env) and all(not truth(h, env) or truth(p, env) for h, p in premises)
    )
    lines = [trust(p, h) for h, p in premises]
    if follows:
        assert hypotheses(apply_rule("logic", lines, (given_,), conclusion)) == {
            canonical_key(given_)
        }
    else:
        with pytest.raises(Rejected):
            apply_rule("logic", lines, (given_,), conclusion)


def test_axioms_are_kept():
    line = trust(A)
    assert apply_rule("logic", [line, assume(B)], (B,), ("and", A, B)).axioms == {"unchecked: test"}


def test_an_instance_is_one_of_the_hypotheses_too():
    line = trust(("<", X, Y), ("<", ZERO, X))
    made = apply_rule("instance", [line], ((X, Y), (Y, ("+", X, ONE))))
    assert is_same_term(made.conclusion, ("<", Y, ("+", X, ONE)))
    wanted = {
        canonical_key(("<", ZERO, Y)),
        canonical_key(definedness_equation(Y)),
        canonical_key(("<", ZERO, ("+", X, ONE))),
    }
    assert hypotheses(made) == wanted
    for pairs in (((X, Y), (X, X)), ((ONE, X),), ((X, ("lam", (X,), (X,), ())),), ((F, X),)):
        with pytest.raises(Rejected):
            apply_rule("instance", [line], pairs)


def test_an_instance_of_a_function_reaches_the_hypotheses():
    line = trust(("<", f(X, X), Y), ("<", f(Y, Y), X))
    z = ("s", "z", "R")
    made = apply_rule("instance", [line], ((F, ("lam", (X, z), (("+", X, z),), ())),))
    assert canonical_key(("<", ("+", Y, Y), X)) in hypotheses(made)
    assert is_same_term(made.conclusion, ("<", ("+", X, X), Y))


def test_generalise_and_specialise():
    with pytest.raises(Rejected):
        apply_rule("generalise", [trust(("<", X, Y), ("<", ZERO, X))], X)
    line = apply_rule("generalise", [trust(("<", X, Y), ("<", ZERO, X))], Y)
    made = apply_rule("specialise", [line], (ONE,))
    assert is_same_term(made.conclusion, ("<", X, ONE))
    assert canonical_key(("<", ZERO, ONE)) in hypotheses(made)
    for values in ((), (ONE, ONE)):
        with pytest.raises(Rejected):
            apply_rule("specialise", [line], values)
    with pytest.raises(Rejected):
        apply_rule("specialise", [trust(A)], (ONE,))


def test_induction():
    goal = ("<=", N, ("^", 2, 1, N))
    next_one = ("<=", ("+", N, ONE), ("^", 2, 1, ("+", N, ONE)))
    base, step = trust(("<=", ZERO, ("^", 2, 1, ZERO))), trust(next_one, goal)
    made = apply_rule("induction", [base, step], N, goal)
    assert is_same_term(made.conclusion, goal)
    assert not hypotheses(made)
    bound_to = ("<", N, Y)
    for lines, n, p in (
        ([base], N, goal), ([step, step], N, goal), ([base, base], N, goal),
        ([base, step], X, goal),
        ([base, trust(next_one, goal, bound_to)], N, goal), ([base, step], N, next_one),
        ([trust(("<=", ZERO, ("^", 2, 1, ZERO)), bound_to), step], N, goal),
    ):  # fmt: skip
        with pytest.raises(Rejected):
            apply_rule("induction", lines, n, p)


def test_what_a_sort_says():
    made = apply_rule("symbol", [], Y).conclusion
    assert is_same_term(made, ("and", definedness_equation(Y), ("<", ZERO, Y)))
    with pytest.raises(Rejected):
        apply_rule("symbol", [], ONE)


@pytest.mark.parametrize("a", [-1, 0, 1, None])
@pytest.mark.parametrize("b", [-1, 0, 1, None])
def test_order_is_true_of_numbers_and_of_what_is_undefined(a, b):
    x, y = ("s", "a", "R"), ("s", "b", "R")
    values = {x: a, y: b}

    def holds(p):
        if p[0] in ("and", "or", "not", "iff"):
            parts = [holds(q) for q in p[1:]]
            return {"and": all(parts), "or": any(parts), "not": not parts[0],
                    "iff": parts[0] == parts[-1]}[p[0]]  # fmt: skip
        u, v = values[p[1]], values[p[2]]
        if u is None or v is None:
            return False
        return {"=": u == v, "<": u < v, "<=": u <= v, "!=": u != v}[p[0]]

    assert holds(apply_rule("order", [], x, y).conclusion)


def test_chains():
    x, y, z = (("s", name, "R") for name in "xyz")
    le, lt, eq = trust(("<=", x, y)), trust(("<", y, z)), trust(("=", y, x))
    assert apply_rule("chain", [le, lt]).conclusion == ("<", x, z)
    assert apply_rule("chain", [eq, lt]).conclusion == ("<", x, z)
    assert apply_rule("chain", [eq, trust(("=", z, y))]).conclusion == ("=", x, z)
    assert apply_rule("chain", [le]).conclusion == ("<=", x, y)
    for lines in ([], [lt, le], [trust(("!=", x, y))], [le, le], [trust(A), trust(("not", A))]):
        with pytest.raises(Rejected):
            apply_rule("chain", lines)


def test_what_stands_in_a_relation_is_defined():
    root = ("^", 1, 2, X)
    line = trust(("<", total(I, ("*", I, root), ZERO, Y), root))
    assert apply_rule("defined", [line], [2, 3]).conclusion == definedness_equation(X)
    assert apply_rule("defined", [line], [1, [3, 1]]).conclusion == definedness_equation(Y)
    for path in ([1, [2, 0]], [3], ["x"], 2, [[1, 2, 3]]):
        with pytest.raises(Rejected):
            apply_rule("defined", [line], path)
    with pytest.raises(Rejected):
        apply_rule("defined", [trust(("not", A))], [1])


def test_equals_for_equals():
    line = trust(("<", ("+", X, Y), X))
    equation = trust(("=", X, num(2)), A)
    made = apply_rule("rewrite", [line, equation], [[1, 1]])
    assert made.conclusion == ("<", ("+", num(2), Y), X)
    assert hypotheses(made) == {canonical_key(A)}
    both = apply_rule("rewrite", [made, equation], [[2], [1, 1]])
    assert both.conclusion == ("<", ("+", X, Y), num(2))
    for lines, paths in (
        ([line], [[1]]), ([line, equation], [[1]]), ([line, equation], [1]),
        ([line, equation], 3), ([line, line], [[1]]),
    ):  # fmt: skip
        with pytest.raises(Rejected):
            apply_rule("rewrite", lines, paths)


def test_a_hypothesis_about_what_is_bound_stays_inside():
    body, low, high = f(I, X), ZERO, J
    line = trust(("<", total(I, body, low, high), Y))
    equation = (("=", body, X),)
    inside = [[1, [2, 0]]]
    in_range = (("<=", low, I), ("<=", I, high))
    made = apply_rule("rewrite", [line, trust(*equation, *in_range)], inside)
    assert is_same_term(made.conclusion, ("<", total(J, X, low, J), Y)) is True
    assert not hypotheses(made)
    with pytest.raises(Rejected, match="bound here"):
        apply_rule("rewrite", [line, trust(*equation, ("<", ZERO, I))], inside)


def test_a_range_of_an_integral_needs_ends_in_order():
    t = ("s", "t", "R")
    node = ("int", (t,), (f(t, X),), (ZERO, X))
    fact = trust(("<=", f(t, X), ONE), ("<=", ZERO, t), ("<=", t, X))
    made = apply_rule("under", [fact], node)
    asked = {
        canonical_key(("<=", ZERO, X)),
        canonical_key(definedness_equation(node)),
        canonical_key(definedness_equation(("int", (t,), (ONE,), (ZERO, X)))),
    }
    assert hypotheses(made) == asked
    equal = trust(("=", f(t, X), ONE), ("<=", ZERO, t), ("<=", t, X))
    # Nothing more than for <=, which asks for the order of the ends itself.
    assert hypotheses(apply_rule("under", [equal], node)) == asked
    # An end of the name of the variable is another thing.
    odd = ("int", (t,), (f(t, X),), (ZERO, t))
    with pytest.raises(Rejected):
        apply_rule("under", [trust(("<=", f(t, X), ONE), ("<=", t, t))], odd)


def test_under_expectations_and_sums():
    g = ("s", "G", "R")
    law = ("gauss", 1, ZERO, ONE)
    node = ("E", (g,), (f(g, X),), (law,))
    made = apply_rule("under", [trust(("<", f(g, X), ONE), A)], node)
    assert made.conclusion == ("<", node, ("E", (g,), (ONE,), (law,)))
    with pytest.raises(Rejected, match="bound here"):
        apply_rule("under", [trust(("<", f(g, X), ONE), ("<", num(-20), g))], node)
    line_up = ("int", (g,), (f(g, X),), (("-oo",), ("oo",)))
    assert apply_rule("under", [trust(("<=", f(g, X), ONE))], line_up).conclusion[0] == "<="
    down = ("int", (g,), (f(g, X),), (("oo",), ("-oo",)))
    for premise, other in (
        (trust(("<=", f(g, X), ONE)), down), (trust(("!=", f(g, X), ONE)), node),
        (trust(("<=", ONE, f(g, X))), node), (trust(A), ("d", (1,), (g,), (ZERO,), (X,))),
    ):  # fmt: skip
        with pytest.raises(Rejected):
            apply_rule("under", [premise], other)
