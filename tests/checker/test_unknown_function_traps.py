"""Inferences on unknown functions, on lines and on all vectors that look right and are refused."""

from __future__ import annotations

import pytest

from slrsym.checker import ProvedClaims, Rejected
from slrsym.checker.term import (
    free_symbols,
    has_copy_sum_outside_expectation,
    num,
    require_all_well_formed,
    substitute,
)
from tests.checker.function_terms import (
    COLOURED,
    DIFFERENT,
    HALF,
    ONE,
    OPEN,
    UNDEFINED,
    WHITE,
    ZERO,
    L,
    S,
    a,
    assumed,
    at,
    at_equal,
    at_vector,
    b,
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
    refused_node,
    refused_rule,
    s,
    second_derivative_bound,
    t,
    v,
    x,
    y,
    z,
)
from tests.checker.matrix_terms import (
    ONE_1,
    ONE_D,
    A,
    D,
    N,
    X,
    add,
    apply_rule,
    arithmetic,
    eq,
    inv,
    isserlis,
    less,
    letter,
    matrix_identity,
    mean,
    mul,
    neg,
    over,
    plus,
    scale,
    settled,
    square,
    symbol,
    times,
    tr,
    turned,
)
from tests.checker.test_unknown_functions import descent

COPIES = ("copies", (symbol("c"),), (symbol("c"),), (num(2), ("gauss", 1, ZERO, ONE)))
NO_LOGIC = "the conclusion does not follow by logic"


# -- terms, words and derivatives ------------------------------------------------------------------


def test_functions_are_of_one_vector():
    refused_node("a matrix that is no vector", h(X), grad(A), hess(turned(x)), h(ONE_D), h(X, "f"))
    refused_node("s is no matrix", h(t), grad(t), hess(t))
    refused_node("is not of one vector", (*h(x), y), h(x)[:2], (*grad(x), x), (*hess(x), x))
    refused_node(
        "has no name",
        h(x, "exp"),
        grad(x, "pi"),
        hess(x, "h^2"),
        h(x, "e"),
        h(x, 1),
        h(x, ""),
        h(x, "x^*_1"),
        h(x, "x_{1}"),
    )
    refused_node("M.h is no matrix", turned(h(x)), ("M.tr", h(x)), scale(ONE, h(x)), h(h(x)))
    # Sizes of 1 are vectors, and so is what is made of them.
    require_all_well_formed([h(scale(t, ONE_1)), grad(letter("w", "1", "1")), hess(mul(A, x))])


def test_one_name_is_one_function():
    claims = ProvedClaims()
    w = letter("w", "N", "1")
    others = (
        h(w),
        dot(grad(w), grad(w)),
        tr(hess(w)),
        symbol("h"),
        tr(letter("h")),
        ("M.dim", "h"),
        ("u", "h", "R", (0,), t),
    )
    for i, other in enumerate(others):
        p = ("=", plus(h(x), other), plus(other, h(x)))
        with pytest.raises(Rejected, match="two different symbols of the name h"):
            claims.enter(f"a{i}", p, (), arithmetic(p))
    p = ("=", plus(h(x), tr(hess(y))), plus(tr(hess(y)), h(x)))
    claims.enter("b", p, (), arithmetic(p))


def test_sizes_that_become_equal_do_not_make_functions_one():
    w = letter("w", "N", "1")
    both = arithmetic(("=", plus(h(x), h(w)), plus(h(w), h(x))))
    refused_rule("two functions become one", "instance", [both], ((N, D),))
    refused_rule(
        "two functions become one", "instance", [both], ((N, num_size("2")), (D, num_size("2")))
    )
    shown = apply_rule("instance", [both], ((N, num_size("3")),))
    assert shown.conclusion[1][2] == h(letter("w", "3", "1"))
    # In a hypothesis, too; and functions of other names stay apart.
    given = apply_rule("logic", [arithmetic(("=", h(x), h(x)))], (psd(hess(w)),), ("=", h(x), h(x)))
    refused_rule("two functions become one", "instance", [given], ((N, D),))
    apart = arithmetic(("=", plus(h(x), h(w, "f")), plus(h(w, "f"), h(x))))
    assert apply_rule("instance", [apart], ((N, D),))


def num_size(n):
    return "M.dim", n


def test_instances_of_sizes_rename_letters_bound_for_all():
    """The z of N rows would become the free one of d rows."""
    wide = letter("z", "N", "1")
    p = for_all(("=", tr(z, turned(wide), wide, turned(z)), ZERO), wide)
    shown = apply_rule("instance", [assumed(p)], ((N, D),)).conclusion
    new = letter("z'", "d", "1")
    assert shown == for_all(("=", tr(z, turned(new), new, turned(z)), ZERO), new)
    two = for_all(("=", tr(wide, turned(z), z, turned(wide)), ZERO), z, wide)
    shown = apply_rule("instance", [assumed(two)], ((N, D),)).conclusion
    assert len(set(shown[1])) == 2


def test_no_size_is_zero_and_no_name_is_one():
    refused_node("has no sizes", h(letter("x", "0", "1")))
    for p in (
        ("=", tr(hess(x), A), times(tr(hess(x)), tr(A))),
        ("=", tr(hess(x), hess(x)), square(tr(hess(x)))),
        ("=", tr(grad(x), turned(grad(y)), A), times(dot(grad(x), grad(y)), tr(A))),
    ):
        refused(DIFFERENT, arithmetic, p)
        arithmetic(apply_rule("instance", [assumed(p)], ((D, num_size("1")),)).conclusion)


def test_functions_have_no_values():
    fact = arithmetic(("=", plus(h(x), ZERO), h(x)))
    for node in (h(x), grad(x), hess(x)):
        refused_rule("no symbol or function", "instance", [fact], ((node, ("f", "exp", t)),))
    for name in (("M.h", "h", "d"), ("M.h", "h", 1), ("u", "h", "R", 1)):
        value = ("lam", (t,), (("f", "exp", t),), ())
        if name[0] == "u":
            # It is a function of numbers, which does not occur.
            assert apply_rule("instance", [fact], ((name, value),)).conclusion == fact.conclusion
        else:
            refused_rule("is no matrix|malformed data", "instance", [fact], ((name, value),))


def test_third_derivatives_are_refused():
    third = derivative(h(at(t)), t, ZERO, 3)
    refused_rule("a Hessian of an unknown function has no derivative", "derivative", [], third)
    for body in (tr(hess(at(t))), tr(turned(v), hess(at(t)), v)):
        refused_rule(
            "a Hessian of an unknown function", "derivative", [], derivative(body, t, ZERO)
        )
    # It is no such derivative if t is not in it.
    arithmetic(("=", derivative(times(t, tr(hess(x))), t, ZERO), tr(hess(x))))


def test_tables_of_the_base_have_no_row_for_functions():
    law = (("gauss", 1, ZERO, ONE),)
    body = h(scale(t, x))
    node = ("E", (t,), (body,), law)
    refused_rule("M.h is not known to be moderate", "moderate", [], ("lam", (t,), (body,), ()))
    refused_rule("M.h is not known", "integrable", [], node)
    point = ("tuple", ZERO)
    refused_rule("M.h is not known to be smooth", "smooth", [], ("lam", (t,), (body,), ()), point)
    integral = ("int", (t,), (body,), (ZERO, ONE))
    premise = arithmetic(("=", body, body))
    refused_rule("M.h is not known to be continuous", "integral exists", [premise], integral)
    refused_rule("no enclosure is known of M.h", "numbers", [], ("<=", h(x), ONE), 64)
    # Without the variable it is a constant.
    assert apply_rule("integrable", [], ("E", (t,), (times(h(x), t),), law))


def test_words_with_gradients_have_an_order():
    outer = (mul(grad(x), turned(grad(y))), mul(grad(y), turned(grad(x))))
    arithmetic(("=", tr(outer[0]), tr(outer[1])))
    refused(DIFFERENT, matrix_identity, eq(*outer))
    refused(DIFFERENT, arithmetic, ("=", tr(hess(x), hess(y), A), tr(hess(y), hess(x), A)))
    refused(DIFFERENT, arithmetic, ("=", tr(hess(x), A), tr(hess(x, "f"), A)))
    refused(DIFFERENT, arithmetic, ("=", dot(grad(x), y), dot(grad(y), x)))
    # A transposed gradient is a row, where words are cut.
    rows = tr(a, turned(grad(x)), b, turned(grad(y)))
    arithmetic(("=", rows, times(dot(grad(x), b), dot(grad(y), a))))
    # A Hessian is symmetric, a product of two is not.
    arithmetic(("=", tr(hess(x), A), tr(hess(x), turned(A))))
    refused(DIFFERENT, matrix_identity, eq(turned(mul(hess(x), hess(y))), mul(hess(x), hess(y))))
    arithmetic(("=", tr(turned(grad(x)), hess(y), a), tr(turned(a), hess(y), grad(x))))


def test_values_are_known_by_their_keys():
    for node in (h, lambda w: dot(a, grad(w)), lambda w: tr(hess(w), A)):
        refused(DIFFERENT, arithmetic, ("=", node(add(x, y)), node(add(y, x))))
        refused(DIFFERENT, arithmetic, ("=", node(x), node(add(x))))
        refused(
            DIFFERENT, arithmetic, ("=", node(scale(plus(t, s), x)), node(scale(times(t, s), x)))
        )
        # Terms that are the same by their keys are one.
        arithmetic(("=", node(scale(plus(t, s), x)), node(scale(plus(s, t), x))))
    refused(DIFFERENT, arithmetic, ("=", h(x), h(x, "f")))
    assert at_equal(h(add(x, y)), add(y, x)).conclusion == ("=", h(add(x, y)), h(add(y, x)))


@pytest.mark.parametrize("node", [h, lambda w: dot(grad(w), x), lambda w: tr(hess(w))])
def test_undefined_multiples_in_a_vector_are_not_hidden(node):
    value = node(scale(OPEN, x))
    for p in (
        ("=", plus(value, neg(value)), ZERO),
        ("=", times(ZERO, value), ZERO),
        ("=", node(scale(ZERO, scale(OPEN, x))), node(scale(ZERO, scale(OPEN, x)))),
    ):
        refused(UNDEFINED, arithmetic, p)
    arithmetic(("=", value, value), given=(("!=", symbol("r"), ZERO),))


def test_hessians_have_no_inverse_and_are_no_covariances():
    refused_node("an inverse is not of a letter", inv(hess(x)), inv(grad(x)))
    refused_node("not two covariances", mean(h(g), (g, hess(x), ONE_1)))
    refused_rule("the form of the matrix does not show", "semidefinite", [], hess(x))
    refused_rule("the form of the matrix does not show", "invertible", [], hess(x))
    refused_rule("the matrix is not square", "semidefinite", [], grad(x))
    # Of 1 x 1 they are of no family, whatever their vector is; with a mirrored part they may be.
    number = letter("G", "1", "1", "S>0", "F")
    for node in (hess(number), grad(number), grad(ONE_1), hess(scale(t, ONE_1))):
        refused_rule("of one commuting family", "semidefinite", [], mul(node, number))
        refused_rule("of one commuting family", "semidefinite", [], mul(node, node))
    outer = mul(grad(x), turned(grad(x)))
    asked = apply_rule("semidefinite", [], outer).hypotheses
    assert [*asked.values()] == [eq(grad(x), grad(x))]


def test_functions_of_random_vectors_have_no_mean_by_isserlis():
    for body in (h(g), times(dot(a, g), h(g)), h(add(x, scale(t, g)))):
        refused("no polynomial in traces", isserlis, mean(body, COLOURED), body)
    for body in (
        dot(a, grad(g)),
        tr(hess(g)),
        times(ZERO, tr(hess(g))),
        dot(g, grad(add(x, g))),
        tr(scale(ZERO, hess(g))),
    ):
        refused("is at a random vector", isserlis, mean(body, COLOURED), body)
    isserlis(mean(times(square(dot(a, g)), h(x)), COLOURED), times(tr(turned(a), S, a), h(x)))
    # A gradient at another vector stays, also where a variable has its letter's name inside.
    isserlis(mean(tr(turned(g), hess(x), g), COLOURED), tr(S, hess(x)))


# -- lines -----------------------------------------------------------------------------------------

CONVEX = for_all(psd(hess(z)))


def test_convexity_at_one_point_is_not_enough():
    square_of = mul(v, turned(v))
    alone = apply_rule("instance", [assumed(psd(hess(z)))], ((z, at(t)),))
    assert psd(hess(at(t))) in alone.hypotheses.values()
    fact = apply_rule("trace of semidefinite", [], hess(at(t)), square_of)
    convex = arithmetic(("<=", ZERO, derivative(h(at(t)), t, t, 2)), [fact])
    refused_rule("a hypothesis contains the variable", "tangent", [convex], ZERO, ONE)
    # Under a condition on z, the condition is left at the point.
    inside = ("<=", dot(z, z), ONE)
    here = apply_rule(
        "specialise letters", [assumed(for_all(("implies", inside, psd(hess(z)))))], (at(t),)
    )
    assert here.conclusion[0] == "implies"
    refused_rule(NO_LOGIC, "logic", [here], tuple(here.hypotheses.values()), psd(hess(at(t))))


def test_other_constants_and_bounds_are_refused():
    refused(DIFFERENT, descent, num(1, 4))
    f = plus(h(at(t)), times(HALF, L, square(t), dot(v, v)))
    upper = for_all(psd(less(scale(L, ONE_D), hess(z))))
    refused(DIFFERENT, second_derivative_bound, f, mul(v, turned(v)), upper)
    lower = for_all(psd(add(scale(L, ONE_D), hess(z))))
    assert second_derivative_bound(f, mul(v, turned(v)), lower)


def test_the_ends_of_a_line_have_to_be_shown():
    other = add(x, scale(ONE, less(y, a)))
    refused(DIFFERENT, at_equal, h(other), y)
    refused(DIFFERENT, arithmetic, ("=", dot(grad(at(ZERO)), v), dot(grad(x), v)))
    refused_node("the sizes in a sum do not match", add(x, letter("y", "N", "1")))


def test_lines_that_are_not_differentiable_are_refused():
    for factor in (over(t), ("^", 1, 2, t)):
        slope = derivative(h(add(x, scale(factor, v))), t, ZERO)
        refused(f"{UNDEFINED}|a derivative is not known to exist", arithmetic, ("=", slope, slope))
    # A derivative does not pass a mean.
    node = derivative(mean(h(add(g, scale(t, v))), WHITE), t, ZERO)
    refused_rule("no derivative of M.E", "derivative", [], node)


def test_points_outside_of_a_sort_are_refused():
    positive = symbol("t", "R>=0")
    fact = apply_rule("trace of semidefinite", [], hess(at(positive)), mul(v, turned(v)))
    known = at_vector(CONVEX, at(positive))
    outer = apply_rule("semidefinite", [], mul(v, turned(v)))
    given = (CONVEX, *outer.hypotheses.values())
    fact = apply_rule("logic", [fact, known, outer], given, fact.conclusion)
    slope = derivative(h(at(t)), t, positive, 2)
    convex = arithmetic(("<=", ZERO, slope), [fact])
    shown = apply_rule("tangent", [convex], num(-1), ONE)
    assert ("<=", ZERO, num(-1)) in shown.hypotheses.values()
    refused(DIFFERENT, arithmetic, ("<=", ZERO, num(-1)))


# -- equal vectors ---------------------------------------------------------------------------------


def test_functions_are_equal_at_equal_vectors_alone():
    name = "equal vectors"
    for p in (
        eq(turned(x), turned(y)),
        eq(y, x),
        eq(mul(x, turned(x)), mul(y, turned(y))),
        eq(add(x), y),
    ):
        refused_rule("is another vector", name, [assumed(p)], h(x))
    for p in (
        ("=", dot(x, x), dot(y, y)),
        ("=", dot(a, x), dot(a, y)),
        ("=", h(x), h(y)),
        psd(mul(x, turned(x))),
    ):
        refused_rule("no equation of matrices", name, [assumed(p)], h(x))
    for node in (tr(x, turned(x)), x, eq(x, y), dot(grad(x), x), turned(grad(x))):
        refused_rule("no unknown function, gradient", name, [assumed(eq(x, y))], node)
    refused_node("the two matrices have other shapes", eq(x, letter("y", "N", "1")))


def test_a_function_stays_itself_at_an_equal_vector():
    shown = [
        apply_rule("equal vectors", [assumed(eq(x, y))], node(x, "f")) for node in (h, grad, hess)
    ]
    assert [p.conclusion for p in shown] == [
        ("=", h(x, "f"), h(y, "f")),
        eq(grad(x, "f"), grad(y, "f")),
        eq(hess(x, "f"), hess(y, "f")),
    ]
    assert all([*p.hypotheses.values()] == [eq(x, y)] for p in shown)
    refused_node("a part of = is no term", ("=", grad(x), grad(y)))


def test_equal_vectors_under_a_binder_have_no_hypothesis_on_its_variable():
    equation = apply_rule("equal vectors", [assumed(eq(g, x))], h(g))
    node = mean(times(dot(a, g), h(g)), WHITE)
    theorem = assumed(("=", node, ZERO))
    refused_rule(
        "a hypothesis contains g, which is bound", "rewrite", [theorem, equation], [[1, [2, 0], 2]]
    )
    everywhere = assumed(for_all(("=", h(z), ZERO)))
    equation = apply_rule("equal vectors", [assumed(eq(z, x))], h(z))
    refused_rule(
        "a hypothesis contains z, which is bound", "rewrite", [everywhere, equation], [[[2, 0], 1]]
    )
    # What has no hypothesis goes under both.
    plain = at_equal(h(z), add(z, scale(ZERO, z)))
    moved = apply_rule("rewrite", [everywhere, plain], [[[2, 0], 1]])
    assert moved.conclusion == for_all(("=", h(add(z, scale(ZERO, z))), ZERO))


# -- for all letters -------------------------------------------------------------------------------


def test_letters_of_hypotheses_are_not_generalised():
    name = "generalise letters"
    refused_rule("a hypothesis contains z", name, [assumed(psd(hess(z)))], (z,))
    refused_rule("a hypothesis contains x", name, [assumed(psd(hess(x)))], (z, x))
    # Another letter leaves what is said as it is.
    shown = apply_rule(name, [assumed(psd(hess(x)))], (z,))
    assert x in free_symbols(shown.conclusion)
    wide = letter("z", "N", "1")
    assert z in free_symbols(apply_rule(name, [assumed(psd(hess(z)))], (wide,)).conclusion)


def test_letters_that_are_bound_are_plain_and_different():
    name, fact = "generalise letters", arithmetic(("=", h(z), h(z)))
    for other in (
        S,
        letter("Q", sort="S"),
        letter("R", sort="GL"),
        D,
        t,
        h(z),
        letter("F", sort="S>0", family="F"),
        grad(z),
        turned(z),
    ):
        refused_rule("no letter of sort M without a family", name, [fact], (other,))
    for letters in ((), (z, z), (z, x, z)):
        refused_rule("binds no letter, or one twice", name, [fact], letters)
    for p in ((), (("=", h(z), h(z)),) * 2, (h(z),), (z,)):
        refused_node("has not one body, a formula", ("M.forall", (z,), p, ()))
    refused_node("a part outside", ("M.forall", (z,), (("=", h(z), h(z)),), (ONE,)))
    refused_node("not three lists", ("M.forall", (z,), (("=", h(z), h(z)),)))


def test_the_whole_conclusion_is_bound():
    p, q = psd(hess(z)), ("<=", ZERO, h(z))
    either = apply_rule("logic", [], (), ("or", p, q, ("not", p)))
    shown = apply_rule("generalise letters", [either], (z,))
    assert shown.conclusion == for_all(("or", p, q, ("not", p)))
    refused_rule(NO_LOGIC, "logic", [shown], (), ("or", p, for_all(q)))
    refused_rule("forall binds a term that is no symbol", "generalise", [either], z)


def test_a_statement_for_all_is_an_atom_of_logic():
    p = for_all(psd(hess(z)))
    renamed = for_all(psd(hess(x)), x)
    assert apply_rule("logic", [assumed(p)], (p,), renamed).conclusion == renamed
    refused_rule(NO_LOGIC, "logic", [assumed(p)], (p,), psd(hess(z)))
    refused_rule(NO_LOGIC, "logic", [assumed(psd(hess(z)))], (psd(hess(z)),), p)


def test_values_of_letters_bound_for_all_have_their_shape():
    name, p = "specialise letters", assumed(CONVEX)
    for value in (A, turned(x), letter("w", "N", "1"), t, ONE_D, psd(A)):
        refused_rule("has not the letter's shape", name, [p], (value,))
    refused_rule("a sum of copies", name, [p], (scale(COPIES, x),))
    for values in ((), (x, y)):
        refused_rule("the numbers of values and of letters differ", name, [p], values)
    two = assumed(for_all(("=", dot(z, x), h(z)), z, x))
    refused_rule("the numbers of values", name, [two], (y,))
    shown = apply_rule(name, [two], (x, z))
    assert shown.conclusion == ("=", dot(x, z), h(x))
    assert [*shown.hypotheses.values()] == [two.conclusion, eq(x, x), eq(z, z)]
    # A letter that is its own value asks for nothing.
    assert [*apply_rule(name, [two], (z, x)).hypotheses.values()] == [two.conclusion]


def test_values_have_to_be_defined():
    shown = apply_rule(
        "specialise letters", [assumed(for_all(("<=", ZERO, ONE)))], (scale(OPEN, x),)
    )
    assert eq(scale(OPEN, x), scale(OPEN, x)) in shown.hypotheses.values()
    refused(UNDEFINED, settled, shown, (for_all(("<=", ZERO, ONE)),))


def test_only_what_is_said_for_all_has_values():
    for p in (
        psd(hess(z)),
        ("or", CONVEX, psd(A)),
        ("implies", psd(A), CONVEX),
        ("forall", (t,), (("=", t, t),), ()),
    ):
        refused_rule("no statement for all matrices", "specialise letters", [assumed(p)], (x,))
    refused_rule("no statement for all", "specialise", [assumed(CONVEX)], (x,))
    # One of another function says nothing of it.
    here = at_vector(for_all(psd(hess(z, "f"))), x)
    refused_rule(NO_LOGIC, "logic", [here], tuple(here.hypotheses.values()), psd(hess(x)))


def test_a_letter_bound_inside_does_not_catch_a_value():
    inner = for_all(("=", dot(z, x), h(x)), x)
    shown = apply_rule("specialise letters", [assumed(for_all(inner))], (x,))
    new = letter("x'", "d", "1")
    assert shown.conclusion == for_all(("=", dot(x, new), h(new)), new)
    body = mean(times(dot(z, g), h(g)), WHITE)
    shown = apply_rule("specialise letters", [assumed(for_all(("=", body, ZERO)))], (g,))
    (bound,) = shown.conclusion[1][1]
    assert bound == k


# -- symbols and limits ----------------------------------------------------------------------------


def test_a_function_is_a_name_and_a_size():
    function = ("M.h", "h", "d")
    for node in (h(x), grad(x), hess(x)):
        assert free_symbols(node) == {function, x, D}
    assert free_symbols(CONVEX) == {function, D}
    assert free_symbols(h(letter("w", "3", "1"))) == {("M.h", "h", "3"), letter("w", "3", "1")}


def test_sums_of_copies_may_stand_inside_of_a_statement_for_all():
    """It is no mean over them; so it has copies, and a term with copies may be put into it."""
    p = for_all(("=", times(t, dot(z, x)), ZERO))
    inside = substitute(p, {t: COPIES})
    assert inside == for_all(("=", times(COPIES, dot(z, x)), ZERO))
    assert has_copy_sum_outside_expectation(inside)
    assert not has_copy_sum_outside_expectation(p)


def test_sums_of_many_parts_are_within_the_limits():
    parts = [letter(f"x_{i}", "d", "1") for i in range(20)]
    forwards, backwards = add(*parts), add(*reversed(parts))
    assert at_equal(hess(forwards), backwards).conclusion == eq(hess(forwards), hess(backwards))
    arithmetic(("=", dot(grad(forwards), forwards), dot(forwards, grad(forwards))))
    total = plus(*(dot(g, grad(u)) for u in parts[:5]))
    value = plus(*(tr(S, grad(u), turned(grad(w))) for u in parts[:5] for w in parts[:5]))
    assert isserlis(mean(square(total), COLOURED), value)
