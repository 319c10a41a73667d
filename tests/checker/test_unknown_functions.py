"""Statements on unknown functions of vectors: accepted from start to end, and true of cubics."""

from __future__ import annotations

import json

import pytest

from slrsym.checker import recheck
from slrsym.prover.tactics.log_records import log_lines
from tests.checker.function_terms import (
    COLOURED,
    HALF,
    ONE,
    WHITE,
    ZERO,
    K,
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
    ends,
    for_all,
    g,
    grad,
    h,
    hess,
    k,
    m,
    psd,
    second_derivative_bound,
    t,
    traces,
    v,
    without_defined,
    x,
    y,
    z,
)
from tests.checker.matrix_model import Point
from tests.checker.matrix_terms import (
    ONE_D,
    ONE_N,
    D,
    X,
    add,
    apply_rule,
    arithmetic,
    discharged,
    isserlis,
    less,
    letter,
    mean,
    mul,
    neg,
    plus,
    recorded_proof,
    scale,
    square,
    symbol,
    times,
    tr,
    turned,
)
from tests.checker.matrix_terms import G as ROWS

c = symbol("c", "R>=0")
SLOPE = symbol("K", "R>=0")


# -- means (U8.1, U8.2, and the table of U5) -------------------------------------------------------


def with_inner_body(theorem, path, value, facts):
    """Replace the derivative in the inner mean of a theorem, at a path, by its value."""
    theorem = without_defined(theorem)
    slope = theorem.conclusion
    for step in path:
        slope = slope[step] if isinstance(step, int) else slope[step[0]][step[1]]
    return apply_rule("rewrite", [theorem, arithmetic(("=", slope, value), facts)], [path])


def stein(p, factor, inner, value, law=COLOURED, facts=()):
    """Show E tr(p Z) F = E value, where the derivative along the copy of Z is `inner`."""
    variable = law[0]
    node = mean(times(tr(p, variable), factor), law)
    theorem = apply_rule("stein for matrices", [], node, variable)
    theorem = with_inner_body(theorem, [2, [2, 0], [2, 0]], inner, facts)
    copy = letter(f"{variable[1]}'", *variable[3:5])
    of_copy = isserlis(mean(inner, (copy, *law[1:])), value)
    return apply_rule("rewrite", [theorem, of_copy], [[2, [2, 0]]])


def back(node, left):
    """Return what a node at g + 0 k is at g: an equation of values, or of traces."""
    equation = at_equal((*node, add(g, scale(ZERO, k))), g)
    return equation if node[0] == "M.h" else traces(equation, left)


def of_value():
    """E a'g h(g) = E a'S grad h(g) (U8.1)."""
    facts = [back(("M.grad", "h"), turned(k))]
    return stein(turned(a), h(g), times(dot(a, k), dot(grad(g), k)), tr(turned(a), S, grad(g)),
                 facts=facts)  # fmt: skip


def of_gradient():
    """E a'g b'grad h(g) = E a'S hess h(g) b."""
    facts = [traces(at_equal(hess(add(g, scale(ZERO, k))), g), turned(b), k)]
    return stein(turned(a), dot(b, grad(g)), times(dot(a, k), tr(turned(b), hess(g), k)),
                 tr(turned(a), S, hess(g), b), facts=facts)  # fmt: skip


def of_product():
    """E a'g b'g h(g) = a'S b E h(g) + E a'S grad h(g) b'g, in one mean."""
    facts = [back(("M.h", "h"), None), back(("M.grad", "h"), turned(k))]
    inner = plus(times(dot(a, k), dot(b, k), h(g)),
                 times(dot(a, k), dot(b, g), dot(grad(g), k)))  # fmt: skip
    value = plus(times(tr(turned(a), S, b), h(g)), times(tr(turned(a), S, grad(g)), dot(b, g)))
    return stein(turned(a), times(dot(b, g), h(g)), inner, value, facts=facts)


def of_length():
    """E g'g h(g) = d E h(g) + E g'grad h(g) for g ~ N(0, 1)."""
    facts = [back(("M.h", "h"), None), back(("M.grad", "h"), turned(k))]
    inner = plus(times(dot(k, k), h(g)), times(dot(g, k), dot(grad(g), k)))
    value = plus(times(D, h(g)), dot(g, grad(g)))
    return stein(turned(g), h(g), inner, value, WHITE, facts)


def of_matrix():
    """E tr(P X) tr(U X U') = tr(P A U'U B): the derivative of F along A P' B."""
    copy = letter("X'", "d", "N")
    q, r = letter("Q", "N", "d"), letter("R", "N", "d")
    law = (X, ROWS, ONE_N)
    return stein(q, tr(r, X), times(tr(q, copy), tr(r, copy)), tr(q, ROWS, turned(r)), law)


def poincare(law, value):
    """Show that the variance of h(g) is at most E value."""
    node = mean(h(g), law)
    facts = [back(("M.grad", "h"), turned(k))]
    theorem = apply_rule("poincare for matrices", [], node)
    theorem = with_inner_body(theorem, [2, [2, 0], [2, 0], 3], dot(grad(g), k), facts)
    inner = mean(square(dot(grad(g), k)), (k, *law[1:]))
    return apply_rule("rewrite", [theorem, isserlis(inner, value)], [[2, [2, 0]]])


def variance_of_lipschitz_function():
    """If |grad h| <= K everywhere, the variance of h(g) is at most K^2 (U8.2)."""
    everywhere = for_all(("<=", dot(grad(z), grad(z)), square(K)))
    bound = poincare(WHITE, dot(grad(g), grad(g)))
    known = at_vector(everywhere, g)
    premise = apply_rule("chain", [known, arithmetic(("=", square(K), times(square(K), ONE)))])
    node = mean(dot(grad(g), grad(g)), WHITE)
    compared = apply_rule("compare means", [premise], node, (square(K),), (ONE,))
    exist = [apply_rule("mean exists", [], mean(f, WHITE)) for f in (node[2][0], ONE)]
    compared = discharged(compared, *map(without_defined, exist))
    one = isserlis(mean(ONE, WHITE), ONE)
    last = arithmetic(("=", times(square(K), mean(ONE, WHITE)), square(K)), [one])
    return apply_rule("chain", [bound, compared, last])


# -- lines (U8.3) ----------------------------------------------------------------------------------

TANGENT = plus(h(x), dot(grad(x), v))


def beside_tangent(f, everywhere, goal):
    """Show a comparison of h(y) with its tangent at x, from f convex on the line."""
    convex = second_derivative_bound(f, mul(v, turned(v)), everywhere)
    above = without_defined(apply_rule("tangent", [convex], ZERO, ONE))
    facts = [*ends(h(x)), traces(at_equal(grad(at(ZERO)), x), turned(v))]
    return arithmetic(goal, [*facts, above])


def descent(factor=HALF):
    everywhere = for_all(psd(less(scale(L, ONE_D), hess(z))))
    f = plus(times(HALF, L, square(t), dot(v, v)), neg(h(at(t))))
    return beside_tangent(f, everywhere, ("<=", h(y), plus(TANGENT, times(factor, L, dot(v, v)))))


def convexity():
    return beside_tangent(h(at(t)), for_all(psd(hess(z))), ("<=", TANGENT, h(y)))


def strong_convexity():
    everywhere = for_all(psd(add(hess(z), scale(neg(m), ONE_D))))
    f = plus(h(at(t)), neg(times(HALF, m, square(t), dot(v, v))))
    return beside_tangent(f, everywhere, ("<=", plus(TANGENT, times(HALF, m, dot(v, v))), h(y)))


def mean_value(f, bound, known):
    """Show f(1) - f(0) <= bound from f' <= bound at t."""
    s = symbol("s")
    slope = derivative(f(s), s, t)
    premise = arithmetic(("<=", slope, bound), known)
    theorem = apply_rule("mean value", [premise], t, ZERO, ONE)
    zero_one = arithmetic(("<=", ZERO, ONE))
    return without_defined(discharged(theorem, zero_one))


def lipschitz():
    """If |grad h| <= K everywhere, and |y - x| = c, h(y) - h(x) is at most K c."""
    everywhere = for_all(("<=", dot(grad(z), grad(z)), square(SLOPE)))
    distance = ("=", dot(v, v), square(c))
    known = at_vector(everywhere, at(t))
    schwarz = apply_rule("cauchy-schwarz for matrices", [], grad(at(t)), ONE_D, v)
    schwarz = without_defined(discharged(schwarz, apply_rule("semidefinite", [], ONE_D)))
    slope, bound = tr(turned(grad(at(t))), ONE_D, v), times(SLOPE, c)
    product = times(dot(grad(at(t)), grad(at(t))), square(c))
    first = arithmetic(("<=", square(slope), product), [schwarz, assumed(distance)])
    second = arithmetic(("<=", product, square(bound)), [known])
    # If the slope were larger than K c, so would be its square.
    larger = arithmetic(("<", square(bound), square(slope)), [assumed(("<", bound, slope))])
    orders = [apply_rule("order", [], slope, bound),
              apply_rule("order", [], square(slope), square(bound))]  # fmt: skip
    defined = [arithmetic(("=", u, u)) for u in (slope, bound)]
    squares = apply_rule("chain", [first, second])
    at_most = apply_rule("logic", [squares, larger, *orders, *defined], (everywhere, distance),
                         ("<=", slope, bound))  # fmt: skip
    theorem = mean_value(lambda s: h(at(s)), bound, [at_most])
    return arithmetic(("<=", plus(h(y), neg(h(x))), bound), [*ends(h(x)), theorem])


def gradient_difference():
    """If u'hess h v <= K everywhere, u'grad h grows from x to y by at most K."""
    u = letter("u", "d", "1")
    everywhere = for_all(("<=", tr(turned(u), hess(z), v), K))
    theorem = mean_value(lambda s: dot(u, grad(at(s))), K, [at_vector(everywhere, at(t))])
    facts = [traces(fact, turned(u)) for fact in ends(grad(x))]
    return arithmetic(("<=", plus(dot(u, grad(y)), neg(dot(u, grad(x)))), K), [*facts, theorem])


STEIN, POINCARE = {"stein-lemma-of-matrices", "isserlis"}, {"poincare-inequality-of-matrices"}
STATEMENTS = {
    "stein-value": (of_value, STEIN), "stein-gradient": (of_gradient, STEIN),
    "stein-product": (of_product, STEIN), "stein-length": (of_length, STEIN),
    "stein-matrix": (of_matrix, STEIN),
    "poincare": (lambda: poincare(COLOURED, tr(turned(grad(g)), S, grad(g))),
                 POINCARE | {"isserlis"}),
    "poincare-lipschitz": (variance_of_lipschitz_function,
                           POINCARE | {"isserlis", "gaussian-moments", "integral-linearity"}),
    "descent": (descent, {"taylor-theorem"}), "convexity": (convexity, {"taylor-theorem"}),
    "strong-convexity": (strong_convexity, {"taylor-theorem"}),
    "lipschitz": (lipschitz, {"mean-value-theorem"}),
    "gradient-difference": (gradient_difference, {"mean-value-theorem"}),
}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_are_accepted_from_start_to_end(name, tmp_path):
    prove, axioms = STATEMENTS[name]
    with recorded_proof() as (builder, made):
        shown = prove()
    given = tuple(shown.hypotheses.values())
    assert shown.axioms == {"extension matrices", *axioms}
    everywhere = [p for p in given if p[0] == "M.forall"]
    assert given == (*everywhere, *[("=", dot(v, v), square(c))] * (name == "lipschitz"))
    assert len(everywhere) == (not name.startswith("stein") and name != "poincare")
    if not given:
        for seed, d in enumerate((1, 2, 2, 3)):
            assert Point(seed, {"d": d, "N": 2}).holds(shown.conclusion), d
    builder.record_step("1", "rule", made[id(shown)])
    record = builder.finish_claim(name, shown.conclusion, given, made[id(shown)])
    lines = log_lines({"extensions": ["matrices"]}, [json.loads(json.dumps(record))])
    log = tmp_path / "a.log"
    log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (found,) = recheck(log)
    assert (found.id, found.axioms) == (name, shown.axioms)
