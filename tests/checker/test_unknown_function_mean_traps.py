"""Inferences on means of unknown functions that look right and are refused."""

from __future__ import annotations

import pytest

from slrsym.checker.term import free_symbols, num
from tests.checker.function_terms import (
    COLOURED,
    DIFFERENT,
    ONE,
    OPEN,
    WHITE,
    ZERO,
    K,
    S,
    a,
    assumed,
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
    t,
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
    X,
    add,
    apply_rule,
    arithmetic,
    eq,
    isserlis,
    letter,
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

COPIES = ("copies", (symbol("c"),), (symbol("c"),), (num(2), ("gauss", 1, ZERO, ONE)))
IN_R = ("u", "f", "R", (0,), h(g))
ABS, EXP, ROOT = ("f", "abs", h(g)), ("f", "exp", h(g)), ("^", 1, 2, h(g))
EXISTS = "not known to be tame"
CONVEX = for_all(psd(hess(z)))


# -- means that exist ------------------------------------------------------------------------------


def test_means_of_what_is_not_tame_are_not_known_to_exist():
    inner = mean(h(add(g, y)), (y, ONE_D, ONE_1))
    for body in (
        over(plus(ONE, square(h(g)))),
        EXP,
        ABS,
        ("f", "erf", h(g)),
        ROOT,
        IN_R,
        over(h(g)),
        inner,
        ("f", "max", h(g), ZERO),
        h(scale(over(h(x)), scale(EXP, g))),
        derivative(h(add(g, scale(t, x))), t, ZERO),
        times(h(x), h(g), ABS),
    ):
        refused_rule(EXISTS, "mean exists", [], mean(body, WHITE))
    refused_node("the body of M.E contains copies", mean(times(COPIES, h(g)), WHITE))
    for node in (h(g), ("E", (t,), (t,), (("gauss", 1, ZERO, ONE),)), CONVEX):
        refused_rule("no mean over matrices", "mean exists", [], node)


def test_means_of_tame_terms_exist_under_conditions_on_what_is_not_random():
    for body, asked in (
        (times(OPEN, h(g)), ("=", OPEN, OPEN)),
        (h(scale(OPEN, g)), ("=", OPEN, OPEN)),
        (h(add(g, scale(OPEN, x))), eq(scale(OPEN, x), scale(OPEN, x))),
        (times(("f", "log", t), tr(hess(g))), ("=", ("f", "log", t), ("f", "log", t))),
    ):
        shown = apply_rule("mean exists", [], mean(body, COLOURED))
        assert shown.conclusion == ("=", mean(body, COLOURED), mean(body, COLOURED))
        assert asked in shown.hypotheses.values()
        assert not any(g in free_symbols(p) for p in shown.hypotheses.values())
        refused("is not known to be (nonzero|defined)", settled, shown)
    tame = [
        square(h(g)),
        h(add(mul(A, g), b)),
        tr(scale(h(g), mul(g, turned(x)))),
        tr(hess(g)),
        dot(grad(scale(h(g), g)), a),
        ("^", 3, 1, tr(hess(g), hess(grad(g)))),
        ONE,
    ]
    for body in tame:
        assert not settled(apply_rule("mean exists", [], mean(body, WHITE))).hypotheses


# -- means that compare ----------------------------------------------------------------------------

NODE = mean(h(g), WHITE)
TWICE = times(num(2), h(g))


def test_comparisons_hold_for_all_values_of_the_variables():
    name = "compare means"
    here = assumed(("<=", h(g), times(K, ONE)))
    refused_rule("a hypothesis contains g", name, [here], NODE, (K,), (ONE,))
    everywhere = at_vector(for_all(("<=", h(z), times(K, ONE))), g)
    shown = apply_rule(name, [everywhere], NODE, (K,), (ONE,))
    one = mean(ONE, WHITE)
    assert shown.conclusion == ("<=", NODE, times(K, one))
    # Both means have to exist.
    assert [*shown.hypotheses.values()][1:] == [("=", one, one), ("=", NODE, NODE)]
    strict = at_vector(for_all(("<", h(z), times(K, ONE))), g)
    shown = apply_rule(name, [strict], NODE, (K,), (ONE,))
    assert shown.conclusion == ("<", NODE, times(K, one))
    assert [*shown.hypotheses.values()][1:] == [("=", one, one), ("=", NODE, NODE)]
    other = arithmetic(("=", h(y), times(ONE, h(y))))
    refused_rule("does not compare the body", name, [other], NODE, (ONE,), (h(y),))


def test_factors_leave_a_mean_without_its_variables():
    for factor in (dot(a, g), h(g), tr(hess(g)), times(ZERO, h(g))):
        body = times(factor, h(g))
        premise = arithmetic(("=", body, body))
        refused_rule(
            "a factor contains a variable",
            "compare means",
            [premise],
            mean(body, WHITE),
            (factor,),
            (h(g),),
        )
    copies = times(COPIES, h(x))
    premise = arithmetic(("=", h(g), h(g)))
    refused_rule("a factor contains copies", "compare means", [premise], NODE, (copies,), (h(g),))
    # The square of a mean is no mean of a square.
    squared = mean(square(h(g)), WHITE)
    premise = assumed(("=", square(h(g)), times(NODE, h(g))))
    refused_rule("a hypothesis contains g", "compare means", [premise], squared, (NODE,), (h(g),))


def test_parts_have_means():
    body = plus(h(g), neg(tr(hess(g))))
    premise = arithmetic(("=", body, plus(times(ONE, h(g)), times(num(-1), tr(hess(g))))))
    node, parts = mean(body, WHITE), (h(g), tr(hess(g)))
    shown = apply_rule("compare means", [premise], node, (ONE, num(-1)), parts)
    means = [mean(f, WHITE) for f in parts]
    assert shown.conclusion == (
        "=",
        node,
        plus(times(ONE, means[0]), times(num(-1), means[1])),
    )
    assert [*shown.hypotheses.values()] == [("=", m, m) for m in means]
    for factors, others in (((ONE,), parts), ((ONE, ONE), parts[:1]), ((), ())):
        refused_rule(
            "the numbers of factors and parts", "compare means", [premise], node, factors, others
        )
    refused_rule("does not compare the body", "compare means", [premise], node, (ONE, ONE), parts)
    refused_rule("no mean over matrices", "compare means", [premise], body, (ONE, num(-1)), parts)


def test_relations_that_do_not_compare_are_refused():
    for p in (("!=", h(g), TWICE), CONVEX, ("and", ("=", h(g), TWICE)), eq(g, g)):
        refused_rule(
            "no relation =, < or <=", "compare means", [assumed(p)], NODE, (num(2),), (h(g),)
        )
    for kind in ("<", "<="):
        backwards = assumed((kind, TWICE, h(g)))
        refused_rule(
            "does not compare the body", "compare means", [backwards], NODE, (num(2),), (h(g),)
        )


# -- stein -----------------------------------------------------------------------------------------


def stein(body, *laws, z=g):
    return apply_rule("stein for matrices", [], mean(body, *(laws or (COLOURED,))), z)


def inner_value(theorem):
    """Return the derivative inside of the right side of Stein's lemma."""
    return theorem.conclusion[2][2][0][2][0]


def test_the_inner_mean_has_the_covariances():
    body = times(dot(a, k), dot(grad(x), k))
    for wrong in (dot(a, grad(x)), tr(turned(a), S, S, grad(x)), ZERO):
        refused("another value", isserlis, mean(body, (k, S, ONE_1)), wrong)
    # E tr(Q X) F: the derivative is along A Q' B, and nothing else.
    rows, columns = letter("A", sort="S>=0"), letter("B", "N", "N", "S>=0")
    q, r, copy = letter("Q", "N", "d"), letter("R", "N", "d"), letter("X'", "d", "N")
    value = mean(times(tr(q, copy), tr(r, copy)), (copy, rows, columns))
    isserlis(value, tr(r, rows, turned(q), columns))
    for wrong in (tr(r, turned(q)), tr(r, rows, turned(q)), tr(r, turned(q), columns)):
        refused("another value", isserlis, value, wrong)


def test_all_occurrences_of_the_variable_are_moved():
    theorem = stein(times(dot(g, g), h(g)))
    moved = add(g, scale(s, k))
    inner = inner_value(theorem)
    assert inner == derivative(times(dot(moved, k), h(moved)), s, ZERO)
    zero = add(g, scale(ZERO, k))
    right = plus(times(dot(k, k), h(zero)), times(dot(zero, k), dot(grad(zero), k)))
    arithmetic(("=", inner, right))
    for wrong in (times(dot(zero, k), dot(grad(zero), k)), times(dot(k, k), h(zero))):
        refused(DIFFERENT, arithmetic, ("=", inner, wrong))
    # Only the variable that is named moves.
    both = stein(times(dot(a, g), h(add(g, y))), COLOURED, (y, ONE_D, ONE_1))
    assert inner_value(both) == derivative(times(dot(a, k), h(add(moved, y))), s, ZERO)
    other = stein(times(dot(a, y), h(add(g, y))), COLOURED, (y, ONE_D, ONE_1), z=y)
    (copy,), _, (law,) = other.conclusion[2][2][0][1:]
    assert (copy, law) == (letter("y'", "d", "1"), ("M.gauss", ONE_D, ONE_1))


FORM = "no product of tr\\(P Z\\) and one other factor"


def test_the_form_of_the_body_is_literal():
    other = (y, ONE_D, ONE_1)
    for body in (
        tr(g, turned(a)),
        dot(a, g),
        square(dot(a, g)),
        times(h(g), dot(a, g)),
        times(dot(a, g), h(g), h(g)),
        times(tr(turned(g), a), h(g)),
        times(dot(a, g)),
        times(dot(a, x), h(g)),
        times(dot(a, y), h(g)),
        plus(dot(a, g), h(g)),
        times(tr(g, turned(g)), h(g)),
        times(h(g), h(g)),
        times(tr(turned(a), A, g), h(g)),
        times(("M.tr", add(A, A)), h(g)),
    ):
        refused(FORM, stein, body, COLOURED, other)
    refused(FORM, lambda: stein(times(("M.tr", add(B, A)), h(x)), (A, ONE_D, ONE_D), z=A))
    law = (X, ONE_D, ONE_N)
    refused(FORM, lambda: stein(times(tr(A, X, turned(X)), h(x)), law, z=X))
    refused(FORM, lambda: stein(times(tr(X, turned(X)), h(x)), law, z=X))
    for z_ in (x, k, t, ("M.mul", g), letter("g", "N", "1"), S):
        refused("Z is no variable of the mean", lambda z_=z_: stein(times(dot(a, g), h(g)), z=z_))
    expectation = ("E", (t,), (times(t, h(x)),), (("gauss", 1, ZERO, ONE),))
    refused_rule("no mean over matrices", "stein for matrices", [], expectation, g)


def test_new_names_are_in_nothing_else():
    theorem = stein(times(dot(k, g), h(add(g, scale(s, k)))))
    ((copy,), (slope,), _) = theorem.conclusion[2][2][0][1:]
    assert copy == letter("g''", "d", "1")
    assert slope[2] == (("s", "s'", "R"),)
    # A name of a function or a size counts, too.
    theorem = stein(times(dot(a, g), h(g, "s")))
    assert inner_value(theorem)[2] == (("s", "s'", "R"),)


@pytest.mark.parametrize("factor", [ABS, IN_R, EXP, ROOT, over(h(g))])
def test_factors_that_are_not_differentiable_are_refused(factor):
    refused(EXISTS, stein, times(dot(a, g), factor))
    refused_rule(EXISTS, "poincare for matrices", [], mean(factor, WHITE))


def test_hessians_of_the_variable_are_not_differentiable():
    for factor in (tr(hess(g)), h(mul(hess(g), x)), times(ZERO, tr(hess(add(g, x))))):
        refused("has no derivative", stein, times(dot(a, g), factor))
        refused_rule("has no derivative", "poincare for matrices", [], mean(factor, WHITE))
    # Those of another vector are constants.
    assert not settled(stein(times(dot(a, g), times(tr(hess(x)), h(g))))).hypotheses
    # So are those at a variable that stays: refused as well, by their form.
    refused("has no derivative", stein, times(dot(a, g), tr(hess(y))), COLOURED, (y, S, ONE_1))


def test_laws_are_of_letters():
    for law in ((g, hess(x), ONE_1), (g, mul(A, turned(A)), ONE_1), (g, grad(x), ONE_1)):
        refused_node("not two covariances", mean(times(dot(a, g), h(g)), law))
    refused_node("a law has another shape", mean(h(g), (g, ONE_1, ONE_1)))


# -- poincare --------------------------------------------------------------------------------------


def test_the_bound_of_the_variance_has_all_covariances_and_variables():
    body = h(add(g, y))
    node = mean(body, COLOURED, (y, ONE_D, ONE_1))
    shown = apply_rule("poincare for matrices", [], node)
    assert not shown.hypotheses
    other = letter("y'", "d", "1")
    moved = add(add(g, scale(s, k)), add(y, scale(s, other)))
    slope = square(derivative(h(moved), s, ZERO))
    inner = mean(slope, (k, S, ONE_1), (other, ONE_D, ONE_1))
    variance = plus(mean(square(body), COLOURED, (y, ONE_D, ONE_1)), neg(square(node)))
    assert shown.conclusion == ("<=", variance, mean(inner, COLOURED, (y, ONE_D, ONE_1)))
    refused(
        "another value",
        isserlis,
        mean(square(dot(grad(x), k)), (k, S, ONE_1)),
        dot(grad(x), grad(x)),
    )
    isserlis(mean(square(dot(grad(x), k)), (k, S, ONE_1)), tr(turned(grad(x)), S, grad(x)))


def test_copies_have_names_of_their_own():
    body = h(add(g, k))
    shown = apply_rule("poincare for matrices", [], mean(body, COLOURED, (k, S, ONE_1)))
    names = shown.conclusion[2][2][0][1]
    assert names == (letter("g''", "d", "1"), letter("g'''", "d", "1"))
    # Free letters and numbers are not caught.
    shown = apply_rule("poincare for matrices", [], mean(h(add(k, scale(s, g))), COLOURED))
    (_, (copy,), (inner,), _) = shown.conclusion[2][2][0]
    assert copy == letter("g''", "d", "1")
    assert inner[3][2] == (("s", "s'", "R"),)
    for node in (h(g), ("E", (t,), (t,), (("gauss", 1, ZERO, ONE),)), CONVEX):
        refused_rule("no mean over matrices", "poincare for matrices", [], node)


def test_undefined_constants_are_asked_for():
    for shown in (
        stein(times(tr(scale(OPEN, turned(a)), g), h(g))),
        stein(times(dot(a, g), h(scale(OPEN, g)))),
        apply_rule("poincare for matrices", [], mean(times(OPEN, h(g)), WHITE)),
    ):
        refused("is not known to be (nonzero|defined)", settled, shown)
