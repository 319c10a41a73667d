"""Attempts to have false theorems on unknown functions accepted, alone or with other rules."""

from __future__ import annotations

import time

import pytest

from slrsym.checker.log import ProvedClaims, check_claim_record
from slrsym.checker.term import TermReader, canonical_key, free_symbols, num
from tests.checker.function_terms import (
    COLOURED,
    DIFFERENT,
    ONE,
    OPEN,
    UNDEFINED,
    WHITE,
    ZERO,
    K,
    L,
    S,
    a,
    assumed,
    at,
    at_equal,
    derivative,
    dot,
    for_all,
    g,
    grad,
    h,
    hess,
    k,
    psd,
    refused,
    refused_rule,
    s,
    t,
    v,
    x,
    y,
    z,
)
from tests.checker.matrix_terms import (
    ONE_1,
    ONE_D,
    ONE_N,
    A,
    B,
    D,
    N,
    add,
    apply_rule,
    arithmetic,
    eq,
    isserlis,
    letter,
    matrix_identity,
    mean,
    mul,
    neg,
    plus,
    scale,
    symbol,
    times,
    tr,
)

COPIES = ("copies", (symbol("c"),), (symbol("c"),), (num(2), ("gauss", 1, ZERO, ONE)))
NORMAL = ("gauss", 1, ZERO, ONE)
WIDE = letter("z", "N", "1")
SQUARE = dot(z, z)


def without_proof(conclusion, *hypotheses):
    """Return a theorem with hypotheses that it does not need, from a conclusion among them."""
    return apply_rule("logic", [], hypotheses, conclusion)


# -- binders ---------------------------------------------------------------------------------------


def test_numbers_that_contain_a_bound_letter_are_not_caught():
    """From h(t z) = 0 for all t and z does not follow that h(|z|^2 z) = 0 for all z alone."""
    everywhere = for_all(("=", h(scale(t, z)), ZERO))
    new = letter("z'", "d", "1")
    moved = for_all(("=", h(scale(SQUARE, new)), ZERO), new)
    for shown in (
        apply_rule("specialise", [assumed(("forall", (t,), (everywhere,), ()))], (SQUARE,)),
        apply_rule("instance", [assumed(everywhere)], ((t, SQUARE),)),
    ):
        assert shown.conclusion == moved
        assert z in free_symbols(shown.conclusion)
        wrong = for_all(("=", h(scale(SQUARE, z)), ZERO))
        refused_rule("does not follow by logic", "logic", [shown],
                     tuple(shown.hypotheses.values()), wrong)  # fmt: skip


def test_a_letter_bound_twice_is_that_of_the_inner_binder():
    inner = for_all(("=", h(z), ZERO))
    outer = for_all(("implies", inner, ("=", h(z), ONE)))
    shown = apply_rule("specialise letters", [assumed(outer)], (x,)).conclusion
    assert shown == ("implies", inner, ("=", h(x), ONE))


def test_induction_supposes_what_it_says_of_all_letters():
    n = symbol("n", "Z>=0")
    goal = for_all(("=", h(scale(n, z)), ZERO))
    start = for_all(("=", h(scale(ZERO, z)), ZERO))
    following = for_all(("=", h(scale(plus(n, ONE), z)), ZERO))
    base = without_proof(start, start)
    one = ("=", h(scale(n, z)), ZERO)
    step = without_proof(following, one, ("not", one))
    refused_rule("a hypothesis contains n", "induction", [base, step], n, goal)
    step = without_proof(following, goal, ("not", goal))
    refused_rule("a hypothesis contains n", "induction", [base, step], n, goal)
    fixed = for_all(("=", ZERO, ONE))
    step = without_proof(following, goal, fixed, ("not", fixed))
    shown = apply_rule("induction", [base, step], n, goal)
    assert set(shown.hypotheses.values()) == {start, fixed, ("not", fixed)}


def test_letters_inside_of_a_function_or_a_mean_are_not_generalised():
    for p in (
        ("=", h(scale(h(z), x)), ZERO),
        ("=", mean(h(add(g, z)), COLOURED), ZERO),
        ("=", derivative(h(add(x, scale(s, z))), s, ZERO), ZERO),
        eq(grad(scale(tr(hess(z)), x)), x),
    ):
        refused_rule("a hypothesis contains z", "generalise letters", [assumed(p)], (z,))
        same = ("=", h(z), times(ONE, h(z)))
        theorem = without_proof(same, p, same)
        node = mean(h(z), (z, ONE_D, ONE_1))
        refused_rule("hypothesis contains z", "compare means", [theorem], node, (ONE,), (h(z),))
    # Where it is bound it says nothing of the letter.
    everywhere = for_all(("=", h(z), ZERO))
    shown = apply_rule("generalise letters", [assumed(everywhere)], (z,)).conclusion
    assert shown == for_all(everywhere)


# -- sizes and families ----------------------------------------------------------------------------


def test_functions_that_only_binders_show_do_not_become_one():
    w = letter("w", "N", "1")
    hidden = derivative(h(scale(t, w)), t, ONE)
    under_derivative = arithmetic(("=", plus(h(x), hidden), plus(hidden, h(x))))
    p = ("=", h(x), h(x))
    in_hypothesis = apply_rule("logic", [arithmetic(p)], (for_all(psd(hess(WIDE)), WIDE),), p)
    in_mean = assumed(("=", mean(h(w), (w, ONE_N, ONE_1)), h(x)))
    for theorem in (under_derivative, in_hypothesis, in_mean):
        refused_rule("two functions become one", "instance", [theorem], ((N, D),))
        assert apply_rule("instance", [theorem], ((N, ("M.dim", "3")),))
    three = letter("w", "3", "1")
    numeral = arithmetic(("=", plus(h(x), h(three)), plus(h(three), h(x))))
    refused_rule("two functions become one", "instance", [numeral], ((D, ("M.dim", "3")),))
    # Sizes that change places leave two functions.
    both = assumed(("=", h(x), h(w)))
    shown = apply_rule("instance", [both], ((D, N), (N, D))).conclusion
    assert shown == ("=", h(letter("x", "N", "1")), h(letter("w", "d", "1")))


def test_a_hypothesis_on_another_size_does_not_become_one_on_the_bound_letter():
    p, q = ("=", h(z), h(z)), ("=", dot(WIDE, WIDE), ONE)
    theorem = apply_rule("logic", [arithmetic(p)], (q,), p)
    refused_rule("two letters become one", "instance", [theorem], ((N, D),))
    everywhere = apply_rule("generalise letters", [theorem], (z,))
    shown = apply_rule("instance", [everywhere], ((N, D),))
    assert shown.conclusion == for_all(p)
    # It is of a free letter now, so that it is not the letter that is bound.
    assert [*shown.hypotheses.values()] == [("=", dot(z, z), ONE)]
    refused_rule("a hypothesis contains z", "generalise letters", [shown], (z,))


def test_families_inside_of_a_vector_keep_their_conditions():
    first, second = (letter(name, "d", "d", "S>0", "F") for name in ("F1", "F2"))
    one, other = h(mul(first, second, x)), h(mul(second, first, x))
    refused(DIFFERENT, arithmetic, ("=", one, other))
    shown = at_equal(one, mul(second, first, x))
    assert shown.conclusion == ("=", one, other)
    refused_rule("only some letters", "instance", [shown], ((first, A),))
    both = apply_rule("instance", [shown], ((first, A), (second, B)))
    assert both.conclusion == ("=", h(mul(A, B, x)), h(mul(B, A, x)))
    assert eq(mul(A, B), mul(B, A)) in both.hypotheses.values()
    # A Hessian at a vector of the family commutes with nothing.
    node = hess(mul(first, x))
    refused(DIFFERENT, matrix_identity, eq(mul(first, node), mul(node, first)))
    refused_rule("of one commuting family", "semidefinite", [], mul(first, node))


# -- derivatives -----------------------------------------------------------------------------------


def test_third_derivatives_are_not_hidden():
    u, trace = symbol("u"), tr(hess(at(t)))
    why = "a Hessian of an unknown function has no derivative"
    for body in (plus(trace, neg(trace)), times(ZERO, trace), times(t, trace), h(scale(trace, x))):
        refused_rule(why, "derivative", [], derivative(body, t, ZERO))
    # The first of two derivatives drops it.
    dropped = ("d", (1, 1), (t, u), (plus(t, tr(hess(at(u)))),), (ZERO, ZERO))
    refused_rule(why, "derivative", [], dropped)
    twice = derivative(derivative(dot(grad(at(t)), x), t, s), s, ZERO)
    refused_rule(why, "derivative", [], twice)
    # In other variables it is a factor.
    factor = ("d", (0, 1), (t, u), (times(u, trace),), (ZERO, ZERO))
    arithmetic(("=", factor, tr(hess(at(ZERO)))))


def test_integrals_of_functions_are_not_differentiated_by_form():
    u = symbol("u")
    inside = ("int", (u,), (h(add(x, scale(times(t, u), v))),), (ZERO, ONE))
    refused_rule("M.h is not known to be continuous", "derivative", [], derivative(inside, t, ZERO))
    slope = apply_rule("derivative", [], derivative(h(add(x, scale(("f", "abs", t), v))), t, ZERO))
    assert ("!=", ZERO, ZERO) in slope.hypotheses.values()


def test_a_function_along_a_line_is_of_no_known_growth():
    """A function of numbers may be put there, but nothing shows that it is moderate."""
    node = ("E", (t,), (("u", "f", "R", (0,), t),), (NORMAL,))
    line = ("lam", (t,), (h(scale(t, x)),), ())
    shown = apply_rule(
        "instance", [apply_rule("integrable", [], node)], ((("u", "f", "R", 1), line),)
    )
    assert ("o", "moderate", line) in shown.hypotheses.values()
    refused_rule("M.h is not known to be moderate", "moderate", [], line)


# -- copies ----------------------------------------------------------------------------------------


def test_functions_of_copies_are_random():
    node = ("E", (t,), (h(scale(COPIES, x)),), (NORMAL,))
    refused_rule("not known to be moderate", "integrable", [], node)
    refused_rule("the body contains copies", "constant", [], node)
    u = symbol("u")
    factors = (times(t, h(scale(COPIES, x))), times(u, h(scale(COPIES, y))))
    both = ("E", (t, u), (times(*factors),), (NORMAL, NORMAL))
    refused_rule("both factors contain copies", "independent", [], both, [[0], [1]])
    of_h = ("copies", (t,), (h(scale(t, x)),), (num(2), NORMAL))
    refused_rule("M.h is not known to be moderate", "copies exist", [], of_h)
    equation = assumed(("=", K, COPIES))
    theorem = assumed(("=", mean(h(scale(K, g)), WHITE), ZERO))
    refused_rule("the body of M.E contains copies", "rewrite", [theorem, equation],
                 [[1, [2, 0], 2, 1]])  # fmt: skip


def test_a_statement_for_all_letters_with_copies_does_not_leave_a_mean():
    p = ("=", K, L)
    event = for_all(("=", h(scale(COPIES, z)), ZERO))
    equation = apply_rule("logic", [assumed(p)], (p, event), p)
    theorem = assumed(("=", ("E", (t,), (times(K, t),), (NORMAL,)), ZERO))
    refused_rule("a hypothesis contains the value of a sum of copies", "rewrite",
                 [theorem, equation], [[1, [2, 0], 1]])  # fmt: skip


# -- means -----------------------------------------------------------------------------------------


def test_a_mean_inside_of_a_vector_keeps_its_variable():
    inner = mean(dot(g, g), COLOURED)
    body = times(dot(a, g), h(scale(inner, g)))
    shown = apply_rule("stein for matrices", [], mean(body, COLOURED), g)
    slope = shown.conclusion[2][2][0][2][0]
    moved = add(g, scale(s, k))
    assert slope == derivative(times(dot(a, k), h(scale(inner, moved))), s, ZERO)
    assert ("=", inner, inner) in shown.hypotheses.values()
    refused_rule("no derivative of M.E", "derivative", [],
                 derivative(h(scale(mean(times(t, dot(g, g)), COLOURED), x)), t, ZERO))  # fmt: skip
    # As long as nothing says that it exists, neither does the gradient there.
    node = mean(dot(g, grad(scale(inner, x))), COLOURED)
    refused("M.E is not known to be defined", isserlis, node, ZERO)
    refused(UNDEFINED, isserlis, mean(times(ZERO, dot(a, grad(scale(OPEN, x)))), COLOURED), ZERO)
    # What is known of a free letter is not known of the variable.
    refused("another value", isserlis, mean(dot(g, g), COLOURED), num(5),
            (), (("=", dot(g, g), num(5)),))  # fmt: skip


@pytest.mark.parametrize(
    ("power", "why"),
    [
        ((0, 1), "the exponent is 0"),
        ((1, 2), "not known to be tame"),
        ((3, 2), "not known to be tame"),
        ((-1, 1), "not known to be tame"),
        ((1000, 1), "the exponent of the power is too large"),
    ],
)
def test_powers_of_random_values_are_whole_and_positive(power, why):
    for body in (("^", *power, h(g)), times(ZERO, ("^", *power, dot(a, g)))):
        refused_rule(why, "mean exists", [], mean(body, WHITE))
        refused_rule(why, "poincare for matrices", [], mean(body, WHITE))


def test_variables_of_one_name_and_two_sizes_stay_apart():
    other = letter("g", "N", "1")
    laws = (WHITE, (other, ONE_N, ONE_1))
    shown = apply_rule("poincare for matrices", [], mean(times(h(g), h(other, "f")), *laws))
    names = shown.conclusion[2][2][0][1]
    assert names == (k, letter("g''", "N", "1"))
    premise = arithmetic(("=", h(other), times(ONE, h(other))))
    refused_rule("does not compare the body", "compare means", [premise], mean(h(g), WHITE),
                 (ONE,), (h(other),))  # fmt: skip
    # A name that cannot be longer has no copy.
    last = letter("g" * 61, "d", "1")
    node = mean(times(dot(a, last), h(last)), (last, ONE_D, ONE_1))
    refused_rule("a letter has no name", "stein for matrices", [], node, last)


def test_laws_stay_those_of_letters_where_these_have_values():
    shown = apply_rule("mean exists", [], mean(h(g), COLOURED))
    for value in (hess(x), mul(A, B), scale(K, ONE_D)):
        refused_rule("the law has not two covariances", "instance", [shown], ((S, value),))


# -- logs ------------------------------------------------------------------------------------------

_X, _Z = ["M", "x", "M", "d", "1", ""], ["M", "z", "M", "d", "1", ""]
_SAID = ["=", ["M.h", "h", _Z], ["n", 0, 1]]
UNREADABLE = (
    "expected a node|has no name|parameters are missing|has no sizes|is no matrix|has no parts"
    "|has not three lists|binds what is no letter|is no term|binds a term that is no symbol"
)
FORGED = [
    ["M.h", ["h"], _X], ["M.h", None, _X], ["M.h", True, _X], ["M.h"], ["M.h", "h", [_X]],
    ["M.h", "h", ["M", "x", "M", "d", 1, ""]], ["M.h", "h", ["M", "x", "M", "d", "01", ""]],
    ["M.h", "h)", _X], ["M.h", "h h", _X], ["M.h", "h\n", _X], ["M.h", "M.h", _X],
    ["M.h", "h", ["M.psd", ["M.id", "d"]]], ["M.h", "h", ["set", _X]], ["M.h", "h", ["M.add"]],
    ["M.forall", [_Z], [_SAID]], ["M.forall", [_Z], [_SAID], [], []],
    ["M.forall", _Z, [_SAID], []], ["M.forall", [_Z], _SAID, []], ["M.forall", ["z"], [_SAID], []],
    ["M.forall", [_Z, ["s", "t", "R"]], [_SAID], []], ["M.forall", [_SAID], [_SAID], []],
    ["=", ["M.forall", [_Z], [_SAID], []], ["n", 0, 1]],
    ["lam", [["s", "t", "R"]], [["M.forall", [_Z], [_SAID], []]], []],
    ["forall", [_Z], [_SAID], []], ["d", [1], [_Z], [["M.h", "h", _Z]], [_X]],
    ["lam", [_Z], [["M.h", "h", _Z]], []], ["u", "f", "R", [0], ["M.grad", "h", _X]],
    ["f", "exp", ["M.hess", "h", _X]], ["+", ["M.grad", "h", _X], ["n", 1, 1]],
]  # fmt: skip


@pytest.mark.parametrize("node", FORGED)
def test_nodes_of_other_shapes_are_not_read(node):
    refused(UNREADABLE, TermReader().read, node)


def checked(given, statement, lines, extensions=("matrices",)):
    record = {"claim": "c", "extensions": [*extensions], "given": given, "statement": statement,
              "terms": [], "lines": lines, "steps": [], "shown": len(lines) - 1,
              "axioms": ["extension matrices"]}  # fmt: skip
    return check_claim_record(record, ProvedClaims())


def test_records_with_statements_for_all_letters_say_what_they_suppose():
    everywhere = ["M.forall", [_Z], [_SAID], []]
    here, defined = ["=", ["M.h", "h", _X], ["n", 0, 1]], ["M.eq", _X, _X]
    lines = [["assume", [], everywhere], ["specialise letters", [0], [_X]]]
    assert checked([everywhere, defined], here, lines).axioms == {"extension matrices"}
    refused("the proof supposes more", checked, [everywhere], here, lines)
    refused("the record does not name", checked, [everywhere, defined], here, lines, ())
    for data in ([_X], [[[_X]]], [[_X], [_X]], []):
        wrong = [lines[0], ["specialise letters", [0], *data]]
        why = "expected a node|specialise letters has not 1 data"
        refused(why, checked, [everywhere, defined], here, wrong)
    one = ["=", ["M.h", "h", _X], ["n", 0, 1]]
    wrong = [["assume", [], one], ["generalise letters", [0], [_X]]]
    refused("a hypothesis contains x", checked, [one], everywhere, wrong)


# -- large inputs ----------------------------------------------------------------------------------


def test_many_bound_letters_take_little_time():
    letters = tuple(letter(f"x_{i}", "N", "1") for i in range(12_000))
    theorem = assumed(for_all(("=", ZERO, ZERO), *letters))
    before = time.process_time()
    shown = apply_rule("instance", [theorem], ((N, D),)).conclusion
    assert time.process_time() - before < 3
    assert canonical_key(shown) != canonical_key(theorem.conclusion)
    laws = [(x_, ONE_N, ONE_1) for x_ in letters[:8_000]]
    before = time.process_time()
    refused_rule("too deep or too large", "poincare for matrices", [], mean(h(letters[0]), *laws))
    assert time.process_time() - before < 3
    # Of one name, each copy would have one prime more than the one before.
    alike = [letter("g", f"n_{i}", "1") for i in range(4_000)]
    laws = [(x_, ("M.id", x_[3]), ONE_1) for x_ in alike]
    before = time.process_time()
    refused_rule("too many symbols have one name", "poincare for matrices", [],
                 mean(h(alike[0]), *laws))  # fmt: skip
    assert time.process_time() - before < 1
