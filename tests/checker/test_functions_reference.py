"""Unknown functions of vectors in the second checker: examples, and what looks like them."""
# ruff: noqa: E501 - tables of inferences

from __future__ import annotations

from typing import Any

import pytest

from tests.checker import reference
from tests.checker.matrix_logs import OPEN, arithmetic, assumed, evidence, isserlis, record, text_of
from tests.checker.matrix_nodes import (
    ONE,
    TWO,
    ZERO,
    T,
    add,
    dim,
    eq,
    equal,
    for_all,
    fun,
    grad,
    hess,
    inv,
    invertible,
    le,
    letter,
    mean,
    mul,
    num,
    one,
    plus,
    power,
    prod,
    psd,
    real,
    scale,
    slope,
    tr,
)
from tests.checker.reference.matrix_nodes import shape
from tests.checker.reference.nodes import listed
from tests.checker.reference.terms import read

x, y, z, g, a, b = (letter(name, "M", "d", "1") for name in "xyzgab")
wide, X, P = letter("w", "M", "N", "1"), letter("X", "M", "d", "N"), letter("P", "M", "d", "d")
S, J = letter("S", "S>=0", "d"), letter("J", "S>=0", "N")
L, K, c, t, s = (real(name) for name in "LKcts")
ONES, LAW, STANDARD = one("1"), (S, one("1")), (one("d"), one("1"))
MINUS = num(-1)
UNDEFINED = power(ZERO, -1)


def proved(rule: str, premises: list[Any], *data: Any) -> Any:
    return reference.prove(rule, premises, *data)


def shown(goal: Any, *facts: Any, size: int = 40) -> Any:
    """Return an equation by arithmetic, with facts."""
    return proved("arithmetic", [*facts], [], goal, evidence(size, tuple(range(len(facts)))))


def same_matrix(left: Any, right: Any) -> Any:
    """Return an equation of two matrices, by that of traces with any matrix."""
    rows, columns = shape(read(left))
    any_matrix = letter("Z_0", "M", columns, rows)
    premise = shown(eq(tr(left, any_matrix), tr(right, any_matrix)))
    return proved("matrix identity", [premise], equal(left, right), any_matrix)


def without(theorem: Any, *facts: Any, left: tuple[Any, ...] = ()) -> Any:
    """Return a theorem under other hypotheses, as facts show the ones that it had."""
    return proved("logic", [theorem, *facts], list(left), listed(theorem.conclusion))


def said(theorem: Any) -> tuple[Any, list[Any]]:
    return listed(theorem.conclusion), [listed(p) for p in theorem.hypotheses.values()]


def gradient_at_zero(at: Any, k: Any) -> Any:
    """Return that the traces of k' with the gradient at `at` and at g are equal."""
    moved = proved("equal vectors", [same_matrix(at, g)], grad(at))
    return without(proved("sandwich", [moved], T(k), ONES), same_matrix(T(k), T(k)))


def test_steins_lemma():
    node = mean([g], prod(tr(T(a), g), fun(g)), [LAW])
    first = proved("stein for matrices", [], node, g)
    k = letter("g'", "M", "d", "1")
    delta = slope([1], s, prod(tr(T(a), k), fun(add(g, scale(s, k)))), ZERO)
    assert said(first) == (eq(node, mean([g], mean([k], delta, [LAW]), [LAW])), [equal(T(a), T(a))])
    assert first.axioms == {"stein-lemma-of-matrices", "extension matrices"}
    fact = gradient_at_zero(add(g, scale(ZERO, k)), k)
    value = prod(tr(T(a), k), tr(T(grad(g)), k))
    moved = proved("rewrite", [without(first, same_matrix(T(a), T(a))), shown(eq(delta, value), fact)],
                   [[2, [2, 0], [2, 0]]])  # fmt: skip
    inner = shown_mean(mean([k], value, [LAW]), tr(T(a), S, grad(g)))
    result = proved("rewrite", [moved, inner], [[2, [2, 0]]])
    assert said(result) == (eq(node, mean([g], tr(T(a), S, grad(g)), [LAW])), [])


def shown_mean(node: Any, value: Any) -> Any:
    return proved("isserlis", [], [], eq(node, value), evidence())


def test_poincares_inequality_for_a_lipschitz_function():
    hyp = for_all([z], le(tr(T(grad(z)), grad(z)), power(K, 2)))
    first = proved("poincare for matrices", [], mean([g], fun(g), [STANDARD]))
    assert not first.hypotheses
    assert first.axioms == {"poincare-inequality-of-matrices", "extension matrices"}
    k = letter("g'", "M", "d", "1")
    delta = slope([1], s, fun(add(g, scale(s, k))), ZERO)
    squares = tr(T(grad(g)), grad(g))
    variance = plus(mean([g], power(fun(g), 2), [STANDARD]),
                    prod(MINUS, power(mean([g], fun(g), [STANDARD]), 2)))  # fmt: skip
    bound = mean([g], mean([k], power(delta, 2), [STANDARD]), [STANDARD])
    assert listed(first.conclusion) == le(variance, bound)
    value = tr(T(grad(g)), k)
    slope_is = shown(eq(delta, value), gradient_at_zero(add(g, scale(ZERO, k)), k))
    moved = proved("rewrite", [first, slope_is], [[2, [2, 0], [2, 0], 3]])
    inner = shown_mean(mean([k], power(value, 2), [STANDARD]), squares)
    moved = proved("rewrite", [moved, inner], [[2, [2, 0]]])
    at_g = proved("specialise letters", [proved("assume", [], hyp)], [g])
    assert said(at_g) == (le(squares, power(K, 2)), [hyp, equal(g, g)])
    at_g = without(at_g, same_matrix(g, g), left=(hyp,))
    at_g = proved("chain", [at_g, shown(eq(power(K, 2), prod(power(K, 2), ONE)))])
    means = proved("compare means", [at_g], mean([g], squares, [STANDARD]), [power(K, 2)], [ONE])
    assert means.axioms == {"integral-linearity", "extension matrices"}
    exist = [proved("mean exists", [], mean([g], f, [STANDARD])) for f in (ONE, squares)]
    assert all(p.axioms == {"gaussian-moments", "extension matrices"} for p in exist)
    means = without(means, *exist, left=(hyp,))
    means = proved("rewrite", [means, shown_mean(mean([g], ONE, [STANDARD]), ONE)], [[2, 2]])
    result = proved("chain", [moved, means, shown(eq(prod(power(K, 2), ONE), power(K, 2)))])
    assert said(result) == (le(variance, power(K, 2)), [hyp])


def test_the_descent_lemma():
    v = add(y, scale(MINUS, x))

    def below(x):
        return add(scale(L, one("d")), scale(MINUS, hess(x)))

    def point(t):
        return add(x, scale(t, v))

    def f(t):
        return plus(prod(num(1, 2), L, power(t, 2), tr(T(v), v)), prod(MINUS, fun(point(t))))

    hyp = for_all([z], psd(below(z)))
    first = proved("specialise letters", [proved("assume", [], hyp)], [point(t)])
    first = without(first, same_matrix(point(t), point(t)), left=(hyp,))
    square = without(proved("semidefinite", [], mul(v, T(v))), same_matrix(v, v))
    trace = without(
        proved("trace of semidefinite", [], below(point(t)), mul(v, T(v))),
        first,
        square,
        left=(hyp,),
    )
    curved = shown(le(ZERO, slope([2], t, f(t), t)), trace, size=60)
    line = without(
        proved("tangent", [curved], ZERO, ONE),
        shown(eq(ZERO, ZERO)),
        shown(eq(ONE, ONE)),
        left=(hyp,),
    )
    starts, ends = same_matrix(point(ZERO), x), same_matrix(point(ONE), y)
    value_at_x = proved("equal vectors", [starts], fun(point(ZERO)))
    value_at_y = proved("equal vectors", [ends], fun(point(ONE)))
    slope_at_x = proved(
        "sandwich", [proved("equal vectors", [starts], grad(point(ZERO)))], T(v), ONES
    )
    slope_at_x = without(slope_at_x, same_matrix(T(v), T(v)))
    d = listed(line.conclusion)[1][2][1]
    assert d == slope([1], t, f(t), ZERO)
    slope_is = shown(eq(d, prod(MINUS, tr(T(grad(x)), v))), slope_at_x)
    for equation, path in (
        (slope_is, [1, 2, 1]),
        (value_at_x, [1, 1, 2, 2]),
        (value_at_y, [2, 2, 2]),
    ):
        line = proved("rewrite", [line, equation], [path])

    def lemma(factor):
        return le(fun(y), plus(fun(x), tr(T(grad(x)), v), prod(factor, L, tr(T(v), v))))

    result = shown(lemma(num(1, 2)), line, size=60)
    assert said(result) == (lemma(num(1, 2)), [hyp])
    assert result.axioms == {"extension matrices", "taylor-theorem"}
    with pytest.raises(reference.Refused, match="sign not shown"):
        shown(lemma(num(1, 4)), line, size=60)


# -- what each rule concludes, and what it refuses -------------------------------------------------


def given(p: Any, *hyps: Any) -> Any:
    """Return a theorem that is taken on trust."""
    return proved("unchecked", [], "premise", list(hyps), p)


E_h = mean([g], fun(g), [LAW])
FAIR = prod(tr(T(a), g), fun(g))
LINE = add(x, scale(t, y))
MOVED = add(x, scale(ZERO, y))

# What a rule refuses, with a pattern of the reason: the rule, premises and data.
REFUSED: dict[str, tuple[str, str, list[Any], list[Any]]] = {
    # nodes
    "a function of a matrix": ("wrong shape", "assume", [], [eq(fun(X), fun(X))]),
    "a function of a row": ("wrong shape", "assume", [], [eq(fun(T(x)), fun(T(x)))]),
    "a function of a number": ("wrong shape", "assume", [], [eq(fun(t), fun(t))]),
    "a function of two vectors": ("wrong shape", "assume", [], [eq(["M.h", "h", x, y], ZERO)]),
    "a function of the name of a function": ("wrong shape", "assume", [], [eq(fun(x, "exp"), ZERO)]),
    "a function whose name is e": ("wrong shape", "assume", [], [eq(fun(x, "e"), ZERO)]),
    "a function with an index": ("wrong shape", "assume", [], [eq(fun(x, "h^2"), ZERO)]),
    "a gradient as a term": ("wrong shape", "assume", [], [eq(grad(x), grad(x))]),
    "a function as a matrix": ("wrong shape", "assume", [], [equal(fun(x), fun(x))]),
    "the inverse of a Hessian": ("wrong shape", "assume", [], [equal(inv(hess(x)), hess(x))]),
    "a Hessian as a covariance": ("wrong shape", "assume", [], [eq(mean([g], ONE, [(hess(x), ONES)]), ONE)]),
    "for all of no letter": ("wrong shape", "assume", [], [for_all([], eq(t, t))]),
    "for all of one letter twice": ("wrong shape", "assume", [], [for_all([z, z], eq(t, t))]),
    "for all semidefinite letters": ("wrong shape", "assume", [], [for_all([S], eq(t, t))]),
    "for all numbers": ("wrong shape", "assume", [], [for_all([t], eq(t, t))]),
    "for all with a term inside": ("wrong shape", "assume", [], [for_all([z], t)]),
    "for all with laws": ("wrong shape", "assume", [], [["M.forall", [z], [eq(t, t)], [t]]]),
    # equal vectors
    "equal transposes": ("another vector", "equal vectors", [given(equal(T(x), T(y)))], [fun(x)]),
    "equal lengths": ("another vector", "equal vectors", [given(eq(tr(T(x), x), tr(T(y), y)))], [fun(x)]),
    "the other side": ("another vector", "equal vectors", [given(equal(y, x))], [fun(x)]),
    "a vector that is equal but not the same": ("another vector", "equal vectors", [given(equal(add(y, x), z))], [fun(add(x, y))]),
    "no function": ("no function", "equal vectors", [given(equal(x, y))], [tr(T(x), x)]),
    # generalise letters
    "under a hypothesis on it": ("free in a hypothesis", "generalise letters", [given(psd(hess(z)), psd(hess(z)))], [[z]]),
    "a letter of another sort": ("wrong shape", "generalise letters", [given(psd(S))], [[S]]),
    "a size": ("wrong shape", "generalise letters", [given(le(ONE, dim("d")))], [[dim("d")]]),
    "a number": ("wrong shape", "generalise letters", [given(eq(t, t))], [[t]]),
    "a function": ("wrong shape", "generalise letters", [given(eq(fun(x), fun(x)))], [[fun(x)]]),
    "no letter": ("wrong shape", "generalise letters", [given(eq(t, t))], [[]]),
    "a letter twice": ("wrong shape", "generalise letters", [given(eq(t, t))], [[z, z]]),
    # specialise letters
    "a value of another shape": ("a matrix of its shape", "specialise letters", [given(for_all([z], psd(hess(z))))], [[wide]]),
    "a value that is a number": ("a matrix of its shape", "specialise letters", [given(for_all([z], psd(hess(z))))], [[t]]),
    "one value of two": ("no matching", "specialise letters", [given(for_all([z, x], eq(t, t)))], [[y]]),
    "no formula about all": ("no matching", "specialise letters", [given(psd(hess(z)))], [[y]]),
    "below a connective": ("no matching", "specialise letters", [given(["or", for_all([z], psd(hess(z))), eq(t, t)])], [[y]]),
    "a random value": ("without copies", "specialise letters", [given(for_all([z], psd(hess(z))))], [[scale(["copies", [t], [t], [TWO, ["gauss", 1, ZERO, ONE]]], y)]]),
    # mean exists
    "a mean of section 4": ("no mean", "mean exists", [], [["E", [t], [t], [["gauss", 1, ZERO, ONE]]]]),
    **{f"not tame: {name}": ("not tame", "mean exists", [], [mean([g], f, [LAW])]) for name, f in {
        "quotient": power(plus(ONE, power(fun(g), 2)), -1), "root": ["^", 1, 2, fun(g)],
        "exp": ["f", "exp", fun(g)], "abs": ["f", "abs", fun(g)], "unknown function": ["u", "v", "R", [0], fun(g)],
        "mean": mean([x], fun(add(x, g)), [LAW]), "derivative": slope([1], t, fun(scale(t, g)), ZERO),
    }.items()},
    # compare means
    "a hypothesis on the variable": ("free in a hypothesis", "compare means", [given(le(fun(g), prod(c, ONE)), le(fun(g), c))], [E_h, [c], [ONE]]),
    "a random factor": ("factor is random", "compare means", [given(eq(fun(g), prod(fun(g), ONE)))], [E_h, [fun(g)], [ONE]]),
    "not equal": ("another relation", "compare means", [given(["!=", fun(g), prod(c, ONE)])], [E_h, [c], [ONE]]),
    "a premise on another letter": ("another premise", "compare means", [given(le(fun(x), prod(c, ONE)))], [E_h, [c], [ONE]]),
    "fewer factors": ("a factor for each", "compare means", [given(eq(fun(g), prod(c, ONE)))], [E_h, [], [ONE]]),
    "no parts": ("a factor for each", "compare means", [given(eq(fun(g), fun(g)))], [E_h, [], []]),
    "parts that are multiplied": ("another premise", "compare means", [given(eq(power(fun(g), 2), prod(fun(g), fun(g))))], [mean([g], power(fun(g), 2), [LAW]), [ONE, ONE], [fun(g), fun(g)]]),
    # Stein
    "another letter in the trace": ("another trace", "stein for matrices", [], [mean([g], prod(tr(T(a), x), fun(g)), [LAW]), g]),
    "the other order": ("another", "stein for matrices", [], [mean([g], prod(tr(g, T(a)), fun(g)), [LAW]), g]),
    "the function first": ("another body", "stein for matrices", [], [mean([g], prod(fun(g), tr(T(a), g)), [LAW]), g]),
    "three factors": ("another body", "stein for matrices", [], [mean([g], prod(tr(T(a), g), fun(g), ONE), [LAW]), g]),
    "no function beside": ("another body", "stein for matrices", [], [mean([g], tr(T(a), g), [LAW]), g]),
    "three parts in the trace": ("another trace", "stein for matrices", [], [mean([g], prod(tr(T(a), one("d"), g), fun(g)), [LAW]), g]),
    "a transposed variable": ("another trace", "stein for matrices", [], [mean([X], prod(tr(X, T(X)), fun(a)), [(S, J)]), X]),
    "no variable": ("no variable", "stein for matrices", [], [mean([g], FAIR, [LAW]), x]),
    "a Hessian": ("Hessian", "stein for matrices", [], [mean([g], prod(tr(T(a), g), tr(hess(g))), [LAW]), g]),
    "an absolute value": ("not tame", "stein for matrices", [], [mean([g], prod(tr(T(a), g), ["f", "abs", fun(g)]), [LAW]), g]),
    # Poincaré
    "variance with a Hessian": ("Hessian", "poincare for matrices", [], [mean([g], tr(hess(g)), [LAW])]),
    "variance of a maximum": ("not tame", "poincare for matrices", [], [mean([g], ["f", "max", fun(g), ZERO], [LAW])]),
    # normal forms
    "gradients that are exchanged": ("sign not shown", "arithmetic", [], [[], eq(tr(grad(x), T(grad(y)), P), tr(grad(y), T(grad(x)), P)), evidence()]),
    "a sum in another order": ("sign not shown", "arithmetic", [], [[], eq(fun(add(x, y)), fun(add(y, x))), evidence()]),
    "another name": ("sign not shown", "arithmetic", [], [[], eq(fun(x), fun(x, "k")), evidence()]),
    "an undefined vector": ("sign not shown", "arithmetic", [], [[], eq(prod(ZERO, fun(scale(UNDEFINED, x))), ZERO), evidence()]),
    "an undefined vector of a gradient": ("sign not shown", "arithmetic", [], [[], eq(tr(scale(ZERO, grad(scale(UNDEFINED, x))), T(y)), ZERO), evidence()]),
    "a Hessian that is semidefinite": ("no form", "semidefinite", [], [hess(x)]),
    "a Hessian that is invertible": ("no form", "invertible", [], [hess(x)]),
    "a Hessian of a family": ("no form", "semidefinite", [], [mul(hess(letter("q", "S", "1", "1", "F")), letter("q", "S", "1", "1", "F"))]),
    "a mean with a gradient at the variable": ("a variable in an unknown function", "isserlis", [], [[], eq(mean([g], tr(T(grad(g)), a), [LAW]), ZERO), evidence()]),
    "a mean with a value at the variable": ("a variable in what is no product", "isserlis", [], [[], eq(mean([g], fun(g), [LAW]), ZERO), evidence()]),
    "the derivative of a Hessian": ("no derivative", "derivative", [], [slope([1], t, tr(hess(LINE)), ZERO)]),
    "the third derivative": ("no derivative", "derivative", [], [slope([3], t, fun(LINE), ZERO)]),
    "a derivative of a mean": ("no derivative", "derivative", [], [slope([1], t, mean([g], fun(add(g, scale(t, x))), [LAW]), ZERO)]),
    # instances
    "a value of a function": ("no symbol", "instance", [given(eq(fun(x), fun(x)))], [[[fun(x), fun(y)]]]),
    "functions made one by sizes": ("two functions", "instance", [given(eq(fun(x), fun(wide)))], [[[dim("N"), dim("d")]]]),
    "functions of two theorems made one": ("two functions", "instance", [given(eq(fun(x), t), eq(fun(wide), t))], [[[dim("N"), dim("d")]]]),
    # rules of the base
    "a function as a moderate one": ("not moderate", "moderate", [], [["lam", [t], [fun(LINE)], []]]),
    "a function that is smooth": ("not smooth", "smooth", [], [["lam", [t], [fun(LINE)], []], ["tuple", ZERO]]),
    "an equation below the letter": ("free in a hypothesis", "rewrite", [given(for_all([z], le(fun(z), t))), given(eq(fun(z), fun(y)), equal(z, y))], [[[[2, 0], 1]]]),
    "a part beside the inside": ("leads nowhere", "rewrite", [given(for_all([z], le(fun(z), t))), given(eq(fun(z), fun(y)))], [[[[3, 0]]]]),
    "a letter by the rule for numbers": ("no symbol", "generalise", [given(psd(hess(z)))], [z]),
    "a formula about letters by the rule for numbers": ("no matching", "specialise", [given(for_all([z], psd(hess(z))))], [[t]]),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_looks_right_is_refused(name):
    why, rule, premises, data = REFUSED[name]
    with pytest.raises(reference.Refused, match=why):
        proved(rule, premises, *data)


ACCEPTED: dict[str, tuple[str, list[Any], list[Any], Any, list[Any]]] = {
    "equal values": ("equal vectors", [given(equal(x, y))], [fun(x)], eq(fun(x), fun(y)), []),
    "equal gradients": ("equal vectors", [given(equal(x, y), psd(P))], [grad(x)], equal(grad(x), grad(y)), [psd(P)]),
    "equal Hessians": ("equal vectors", [given(equal(MOVED, x))], [hess(MOVED)], equal(hess(MOVED), hess(x)), []),
    "for all letters": ("generalise letters", [given(psd(hess(z)), psd(P))], [[z, x]], for_all([z, x], psd(hess(z))), [psd(P)]),
    "a value that a binder catches": ("specialise letters", [given(for_all([z], for_all([x], le(fun(z), fun(x)))))], [[x]],
                                      for_all([letter("x'", "M", "d", "1")], le(fun(x), fun(letter("x'", "M", "d", "1")))), [equal(x, x)]),
    "a value that may be undefined": ("specialise letters", [given(for_all([z], eq(t, t)))], [[scale(UNDEFINED, x)]], eq(t, t),
                                      [equal(scale(UNDEFINED, x), scale(UNDEFINED, x))]),
    "the letter itself": ("specialise letters", [given(for_all([z], psd(hess(z))))], [[z]], psd(hess(z)), []),
    "a mean with a factor": ("mean exists", [], [mean([g], prod(UNDEFINED, fun(scale(c, g)), tr(hess(g))), [LAW])],
                             eq(*[mean([g], prod(UNDEFINED, fun(scale(c, g)), tr(hess(g))), [LAW])] * 2), [eq(UNDEFINED, UNDEFINED), eq(c, c)]),
    "a mean with matrices": ("mean exists", [], [mean([g], tr(T(grad(mul(P, add(g, a)))), add(x, a)), [LAW])],
                             eq(*[mean([g], tr(T(grad(mul(P, add(g, a)))), add(x, a)), [LAW])] * 2), [equal(add(x, a), add(x, a))]),
    "means of a sum": ("compare means", [given(eq(fun(g), plus(prod(c, fun(g)), prod(t, fun(x)))), psd(P))], [E_h, [c, t], [fun(g), fun(x)]],
                       eq(E_h, plus(prod(c, E_h), prod(t, mean([g], fun(x), [LAW])))), [psd(P), eq(E_h, E_h), eq(*[mean([g], fun(x), [LAW])] * 2)]),
    "a bound of a mean": ("compare means", [given(["<", fun(g), prod(c, ONE)])], [E_h, [c], [ONE]], ["<", E_h, prod(c, mean([g], ONE, [LAW]))],
                          [eq(*[mean([g], ONE, [LAW])] * 2), eq(E_h, E_h)]),
    "functions of other sizes": ("instance", [given(eq(fun(x), fun(wide)))], [[[dim("N"), dim("N_1")]]], eq(fun(x), fun(letter("w", "M", "N_1", "1"))), []),
    "bound letters that sizes make one": ("instance", [given(for_all([z, letter("z", "M", "N", "1")], eq(fun(z), fun(letter("z", "M", "N", "1"), "k"))))],
                                          [[[dim("N"), dim("d")]]], for_all([letter("z'", "M", "d", "1"), letter("z''", "M", "d", "1")],
                                                                            eq(fun(letter("z'", "M", "d", "1")), fun(letter("z''", "M", "d", "1"), "k"))), []),
    "the derivative along a line": ("derivative", [], [slope([1], t, fun(LINE), ZERO)],
                                    eq(slope([1], t, fun(LINE), ZERO), tr(T(grad(add(x, scale(ZERO, y)))), add(add(scale(ONE, y))))), [eq(fun(add(x, scale(ZERO, y))), fun(add(x, scale(ZERO, y))))]),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_the_rules_conclude(name):
    rule, premises, data, conclusion, hypotheses = ACCEPTED[name]
    theorem = proved(rule, premises, *data)
    assert listed(theorem.conclusion) == conclusion
    assert sorted(map(str, said(theorem)[1])) == sorted(map(str, hypotheses))


def test_all_letters_of_a_product_move_in_stein():
    node = mean([g, x], prod(tr(mul(T(g), P), g), tr(T(g), x)), [LAW, LAW])
    k, line = letter("g'", "M", "d", "1"), add(g, scale(s, letter("g'", "M", "d", "1")))
    body = prod(tr(mul(T(line), P), k), tr(T(line), x))
    inner = mean([k], slope([1], s, body, ZERO), [LAW])
    conclusion, hypotheses = said(proved("stein for matrices", [], node, g))
    assert conclusion == eq(node, mean([g, x], inner, [LAW, LAW]))
    assert hypotheses == [] or hypotheses == [equal(P, P)]


def test_new_letters_differ_from_all_names():
    g1, s1 = letter("g'", "M", "d", "1"), real("s'")
    node = mean([g], prod(tr(T(g1), g), prod(fun(g), s, fun(g, "g''"))), [LAW])
    right = listed(proved("stein for matrices", [], node, g).conclusion)[2]
    (inner,) = right[2]
    assert inner[1] == [letter("g'''", "M", "d", "1")]
    assert inner[2][0][2] == [s1]
    both = mean([g, g1], prod(fun(g), fun(g1)), [LAW, LAW])
    (inner,) = listed(proved("poincare for matrices", [], both).conclusion)[2][2]
    assert [v[1] for v in inner[1]] == ["g''", "g'''"]


# -- records ---------------------------------------------------------------------------------------

HYP = for_all([z], le(fun(z), K))
GOOD = record(le(fun(y), K), assumed(HYP), ["specialise letters", [0], [y]],
              arithmetic(eq(tr(y, T(letter("Z", "M", "d", "1"))), tr(y, T(letter("Z", "M", "d", "1"))))),
              given=(HYP, equal(y, y)), shown=1)  # fmt: skip


def judged(tmp_path: Any, *records: Any, header: tuple[str, ...] = ("matrices",)) -> Any:
    path = tmp_path / "hand.log"
    path.write_text(text_of(list(records), list(header)), encoding="utf-8")
    return reference.recheck(path)


def test_a_record_with_functions_names_the_extension(tmp_path):
    ((_, _, axioms),) = judged(tmp_path, GOOD)
    assert axioms == {"extension matrices"}
    with pytest.raises(reference.Refused, match="of an extension"):
        judged(tmp_path, {**GOOD, "extensions": []}, header=())
    with pytest.raises(reference.Refused, match=OPEN):
        judged(tmp_path, {**GOOD, "given": [HYP]})


@pytest.mark.parametrize(
    "p",
    [
        eq(fun(x), fun(wide)),
        eq(fun(letter("h", "M", "d", "1")), t),
        eq(fun(x), real("h")),
        eq(fun(x, "d"), t),
        eq(fun(x), prod(fun(wide), ["u", "h", "R", [0], t])),
    ],
)
def test_a_record_has_one_symbol_of_a_name(p, tmp_path):
    with pytest.raises(reference.Refused, match="two symbols of one name"):
        judged(tmp_path, record(p, assumed(p), given=(p,)))


def test_keys_of_formulas_about_all_letters():
    def key(t: Any) -> str:
        return reference.keys.key(read(t))

    assert key(for_all([z], le(fun(z), t))) == key(for_all([x], le(fun(x), t)))
    assert key(for_all([z, x], eq(fun(z), t))) != key(for_all([x, z], eq(fun(z), t)))
    assert key(for_all([z], eq(t, t))) != key(for_all([wide], eq(t, t)))
    assert key(fun(x)) != key(fun(x, "k"))
    assert key(invertible(hess(x))) != key(invertible(hess(x, "k")))


def test_squares_of_five_traces_and_vectors_of_twenty_parts():
    """What a second checker has to accept (U7)."""
    long = add(*(scale(num(i), letter(f"v_{i}", "M", "d", "1")) for i in range(1, 21)))
    assert shown(eq(tr(T(grad(long)), x), tr(T(x), grad(long))), size=64)
    vectors = [grad(letter(f"v_{i}", "M", "d", "1")) for i in range(5)]
    node = mean([g], power(plus(*(tr(T(v), g) for v in vectors)), 2), [LAW])
    value = plus(*(tr(T(v), S, w) for v in vectors for w in vectors))
    assert isserlis(eq(node, value), size=64)
    assert proved("isserlis", [], [], eq(node, value), evidence(64))
