"""Inferences on matrices that look right and are wrong: ten variants of each are refused."""

from __future__ import annotations

import random

import pytest

from slrsym.checker import ProvedClaims, Rejected
from slrsym.checker.term import num, require_all_well_formed
from slrsym.checker.theorem import apply_rule
from tests._profile import THOROUGH, more
from tests.checker.matrix_model import Point
from tests.checker.matrix_terms import (
    ONE_1,
    ONE_D,
    ONE_N,
    SAMPLES,
    A,
    B,
    C,
    D,
    G,
    H,
    K,
    L,
    N,
    P,
    S,
    T,
    U,
    X,
    Y,
    Z,
    add,
    arithmetic,
    eq,
    g,
    inv,
    is_refused,
    isserlis,
    less,
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
    t,
    times,
    tr,
    turned,
    u,
    value_of_two,
)

ZERO, ONE, TWO = num(0), num(1), num(2)
# Matrices between two S, none of which is symmetric.
BETWEEN = [A, turned(A), mul(A, B), mul(B, turned(A)), mul(T, L), add(A, B), scale(TWO, A),
           mul(A, L, B), mul(U, T), less(A, T)]  # fmt: skip
NAMES = ["A", "B", "C", "H", "U", "Z", "a", "alpha", "W_1", "rho"]
S_2 = scale(over(N), mul(Y, turned(Y)))
BOTH_SAMPLES = (SAMPLES, (Y, L, ONE_N))


def refuses_relations(claims):
    """See that arithmetic refuses relations that are false at some point."""
    claims = list(claims)
    assert len(claims) >= 10
    for p in claims:
        assert any(not Point(i, {"d": d, "N": n}).holds(p)
                   for i, (d, n) in enumerate([(4, 3), (1, 2), (2, 1)])), p  # fmt: skip
        with pytest.raises(Rejected):
            arithmetic(p)


def refuses_means(claims):
    """See that `isserlis` refuses values that are false at some point."""
    claims = list(claims)
    assert len(claims) >= 10
    for value_of, value in claims:
        p = ("=", value_of, value)
        assert any(not Point(i, {"d": d, "N": n}).holds(p)
                   for i, (d, n) in enumerate([(2, 3), (2, 1), (1, 2)])), p  # fmt: skip
        with pytest.raises(Rejected, match=r"another value|more generators"):
            isserlis(value_of, value)


def refuses_nodes(nodes):
    nodes = list(nodes)
    assert len(nodes) >= 10
    for node in nodes:
        with pytest.raises(Rejected):
            require_all_well_formed([node])


def refuses_inferences(inferences):
    inferences = list(inferences)
    assert len(inferences) >= 10
    for name, premises, *data in inferences:
        assert is_refused(name, premises, *data), (name, data)


def keeps_open(inferences):
    """See that a condition of each inference has no proof."""
    inferences = list(inferences)
    assert len(inferences) >= 10
    for name, *data in inferences:
        theorem = apply_rule(name, [], *data)
        with pytest.raises(Rejected):
            settled(theorem)


# -- means -----------------------------------------------------------------------------------------


def test_dependent_copies_are_not_independent():
    refuses_means((mean(tr(S, a, S_2, Z), *BOTH_SAMPLES), value_of_two(a)) for a in BETWEEN)
    refuses_means((mean(tr(S, a, S, Z), SAMPLES), tr(L, a, L, Z)) for a in BETWEEN)
    isserlis(mean(tr(S, A, S_2, Z), *BOTH_SAMPLES), tr(L, A, L, Z))


def test_the_mean_of_a_product_is_not_the_product_of_the_means():
    refuses_means(
        (mean(times(tr(S, a), tr(S, Z)), SAMPLES), times(tr(L, a), tr(L, Z))) for a in BETWEEN
    )


def test_one_sample_and_many_are_not_all():
    def at_one(a):
        return plus(tr(L, a, L, Z), tr(L, turned(a), L, Z), times(tr(a, L), tr(L, Z)))

    refuses_means((mean(tr(S, a, S, Z), SAMPLES), at_one(a)) for a in BETWEEN)
    refuses_means((mean(tr(S, a, S, Z), SAMPLES), tr(L, a, L, Z)) for a in BETWEEN)
    # The symbol N is not the size N.
    refuses_means(
        (mean(tr(S, a, S, Z), SAMPLES),
         plus(tr(L, a, L, Z), times(over(symbol("N", "Z>0")), plus(
             tr(L, turned(a), L, Z), times(tr(a, L), tr(L, Z))))))
        for a in BETWEEN
    )  # fmt: skip


def test_values_with_transposes_or_factors_exchanged_are_wrong():
    for change in (
        lambda a: plus(tr(L, turned(a), L, Z), times(over(N), plus(
            tr(L, a, L, Z), times(tr(a, L), tr(L, Z))))),
        lambda a: plus(tr(L, a, L, Z), times(over(N), plus(
            tr(L, turned(a), L, Z), times(tr(a, L), tr(Z))))),
        lambda a: plus(tr(L, a, L, Z), times(over(N), plus(
            tr(L, turned(a), L, Z), times(tr(a), tr(L, L, Z))))),
    ):  # fmt: skip
        refuses_means((mean(tr(S, a, S, Z), SAMPLES), change(a)) for a in BETWEEN)


def test_means_of_what_is_no_polynomial_are_refused():
    trace = tr(X, turned(X))
    bodies = [
        over(trace), ("^", 1, 2, trace), ("f", "exp", trace), ("f", "abs", trace),
        tr(scale(trace, A)), tr(scale(over(trace), A)), times(trace, over(trace)),
        ("^", 9, 1, tr(turned(X), Y)), ("u", "h", "R", (0,), trace), over(plus(ONE, trace)),
        plus(tr(A), over(tr(X, turned(X), A))), tr(A, scale(tr(S), B)),
    ]  # fmt: skip
    refuses_inferences(("isserlis", (), (), ("=", mean(b, SAMPLES), v), [30, [], [], []])
                       for b in bodies for v in (ONE, b))  # fmt: skip
    # Nor does a mean pass a derivative.
    moved = [tr(scale(t, mul(X, turned(X), a))) for a in BETWEEN]
    refuses_inferences(
        ("derivative", (), ("d", (1,), (t,), (mean(b, SAMPLES),), (ZERO,))) for b in moved
    )


def test_laws_are_of_letters_that_are_covariances():
    general, bound = letter("W"), letter("V", "d", "d")
    law = {
        "sum": add(L, ONE_D), "negative": scale(num(-1), L), "plain": general, "product": mul(L, L),
        "symmetric": letter("Q", sort="S"), "inverse": g, "turned": turned(L), "shape": ONE_N,
        "bound": bound, "regular": letter("Q", sort="GL"), "number": ONE,
    }  # fmt: skip
    refuses_nodes(mean(tr(X, turned(X)), (X, c, ONE_N)) for c in law.values())
    refuses_nodes(mean(tr(bound, A), (bound, ONE_D, c)) for c in law.values())
    copies = ("copies", (symbol("y"),), (symbol("y"),), (TWO, ("gauss", 1, ZERO, ONE)))
    refuses_nodes(
        [mean(times(copies, tr(S, a)), SAMPLES) for a in BETWEEN]
        + [mean(tr(S), (x, L, ONE_N)) for x in (L, P, turned(X), A, symbol("x"))]
        + [mean(tr(S), SAMPLES, SAMPLES), ("M.E", (), (tr(S),), ()), ("M.E", (X,), (tr(S),), ())]
    )


# -- words -----------------------------------------------------------------------------------------


def test_transposes_and_orders_of_factors_are_kept():
    refuses_relations(("=", tr(a, B, C), tr(turned(a), B, C)) for a in BETWEEN)
    refuses_relations(("=", tr(a, B, C), tr(C, B, a)) for a in BETWEEN)
    refuses_relations(("=", tr(a, B, a, B), tr(a, a, B, B)) for a in BETWEEN)


def test_only_letters_of_one_family_commute():
    other = letter("K", sort="S>0", family="F_2")
    alone = letter("K", sort="S>0")
    pairs = [(L, other), (L, alone), (L, P), (T, P), (L, A), (T, letter("Q", sort="S")),
             (G, T), (g, T), (inv(other), L), (inv(alone), inv(L))]  # fmt: skip
    refuses_relations(("=", tr(a, b, a, b), tr(a, a, b, b)) for a, b in pairs)
    refuses_relations(("=", tr(a, b, H), tr(b, a, H)) for a, b in pairs)
    arithmetic(("=", tr(L, G, A), tr(G, L, A)))


def test_inverses_cancel_only_beside_each_other():
    r, s = (letter(name, sort="GL") for name in "RS")
    wrong = [
        ((inv(r), inv(s), r, s), D), ((inv(r), turned(r)), D), ((r, A, inv(r)), tr(A, A)),
        ((r, s, inv(r)), D), ((inv(L), T, L), D), ((L, T, inv(L), T), tr(T)),
        ((inv(r), turned(r), s), tr(s)), ((r, r, inv(s)), tr(r)), ((r, A, inv(r), B), tr(A, B)),
        ((turned(inv(r)), r, A), tr(A)),
    ]  # fmt: skip
    refuses_relations(("=", tr(*word), value) for word, value in wrong)
    arithmetic(("=", tr(inv(r), A, r), tr(A)))
    arithmetic(("=", tr(inv(s), inv(r), r, s), D))


def test_identities_of_small_matrices_are_no_identities():
    """The antisymmetric sum over permutations vanishes for d up to 3, and is refused as a whole."""

    def antisymmetric(a, b, c, *rest):
        return plus(times(tr(a), tr(b), tr(c)), neg(times(tr(a, b), tr(c))),
                    neg(times(tr(a, c), tr(b))), neg(times(tr(b, c), tr(a))), tr(a, b, c),
                    tr(a, c, b))  # fmt: skip

    refuses_relations(("=", antisymmetric(a, B, C), ZERO) for a in BETWEEN)
    # At a numeral of two it is true, and nothing that words show.
    two = [letter(name, "2", "2") for name in "ABC"]
    vanishing = ("=", antisymmetric(*two), ZERO)
    assert Point(1, {}).holds(vanishing)
    with pytest.raises(Rejected):
        arithmetic(vanishing)


# -- sizes -----------------------------------------------------------------------------------------


def test_sizes_are_equal_by_name_alone():
    number = [("M.dim", n) for n in ("2", "3", "7", "11", "999")]
    refuses_relations(
        [("=", D, n) for n in number] + [("=", tr(ONE_D), n) for n in (TWO, num(3), num(1, 2))]
        + [("=", tr(ONE_D), tr(ONE_N)), ("=", D, N), ("=", D, symbol("d", "Z>0")),
           ("<=", TWO, D), ("<=", N, D)]
    )  # fmt: skip
    refuses_nodes(
        ("M.id", n)
        for n in ("0", "-1", "01", "1000", "", "d+1", "1.5", "e", "E", "x^2", 0, 1, None, ("d",))
    )
    wrong = [("1", "2"), ("2", "1"), ("d", "2"), ("2", "d"), ("N", "d"), ("d", "d'"), ("3", "03"),
             ("d", "1"), ("N", "1"), ("N", "N_2")]  # fmt: skip
    refuses_nodes(mul(letter("A", "d", a), letter("B", b, "d")) for a, b in wrong)


def test_shapes_have_to_match():
    column = letter("x", "d", "1")
    nodes = [
        tr(X), mul(X, X), add(mul(X, turned(X)), mul(turned(X), X)), letter("A", "d", "N", "S"),
        letter("A", "d", "N", "S>0"), letter("A", "d", "N", "GL"), add(X, turned(X)), eq(A, X),
        ("M.psd", X), ("M.invertible", X), mul(column, column), tr(column), add(A, column),
        mul(X, A), scale(A, A), tr(symbol("x")), ("M.T", ONE), ("+", A, B), ("=", A, B),
        ("M.mul",), ("M.add",), ("M.tr", A, B), ("M.scale", TWO, A, B),
    ]  # fmt: skip
    refuses_nodes(nodes)
    assert is_refused("trace of semidefinite", (), L, ONE_N)


def test_one_name_is_one_symbol():
    claims = ProvedClaims()
    for i, name in enumerate(NAMES):
        plain = letter(name)
        for other in (letter(name, "N", "N"), letter(name, sort="S"), letter(name, sort="GL"),
                      letter(name, sort="S>0", family="F")):  # fmt: skip
            p = ("=", times(tr(plain), tr(other)), times(tr(other), tr(plain)))
            with pytest.raises(Rejected, match="two different symbols of the name"):
                claims.enter(f"a{i}", p, (), arithmetic(p))
    for i, size in enumerate(NAMES):
        unit, number = ("M.dim", size), symbol(size)
        p = ("=", plus(unit, number), plus(number, unit))
        with pytest.raises(Rejected, match="two different symbols of the name"):
            claims.enter(f"b{i}", p, (), arithmetic(p))


def test_letters_do_not_become_one_by_sizes():
    for name in NAMES:
        a, b = letter(name), letter(name, "N", "N")
        fact = arithmetic(("=", times(tr(a), tr(b)), times(tr(b), tr(a))))
        assert is_refused("instance", [fact], ((N, D),))
        bound = letter(name, "d", "N")
        outside = letter(name, "d", "d")
        both = arithmetic(("=", tr(outside, bound, turned(bound)), tr(bound, turned(bound),
                                                                      outside)))  # fmt: skip
        assert is_refused("instance", [both], ((N, D),))
        assert is_refused("instance", [fact], ((D, TWO),))
        assert is_refused("instance", [fact], ((D, symbol("n", "Z>0")),))
        assert is_refused("generalise", [fact], a)
        assert is_refused("generalise", [fact], D)


# -- inverses and semidefinite matrices ------------------------------------------------------------


def test_inverses_are_of_letters_that_have_one():
    refuses_nodes(
        [inv(m) for m in BETWEEN] + [inv(m) for m in (T, P, ONE_D, g, mul(X, turned(X)),
                                                      letter("Q", sort="S"), X)]
    )  # fmt: skip


def test_what_may_be_singular_is_not_definite():
    singular = [P, T, scale(TWO, P), mul(P, P), turned(P), add(P, T), mul(A, turned(A)),
                mul(X, turned(X)), scale(ZERO, L), mul(L, P)]  # fmt: skip
    keeps_open(("definite trace", p, A, L) for p in singular)
    keeps_open(("definite trace", L, A, p) for p in singular)
    for p in singular:
        try:
            theorem = apply_rule("invertible", [], p)
        except Rejected:
            continue
        with pytest.raises(Rejected):
            settled(theorem)


def test_products_and_differences_are_not_semidefinite():
    wrong = [mul(L, T), mul(T, P), A, letter("Q", sort="S"), less(L, T), scale(num(-1), L),
             mul(A, B), mul(A, A), mul(L, A, turned(L)), add(L, A), mul(L, K, T),
             mul(A, T, turned(B)), add(L, scale(num(-1), ONE_D)), mul(turned(A), B)]  # fmt: skip
    keeps_open(("trace of semidefinite", p, L) for p in wrong)
    keeps_open(("cauchy-schwarz for matrices", A, p, B) for p in wrong)


def test_letters_of_a_family_have_no_values_alone():
    fact = arithmetic(("=", tr(L, G, A), tr(G, L, A)))
    values = [T, P, ONE_D, mul(A, turned(A)), letter("M_2", sort="S>0"), scale(TWO, L), add(L, T),
              K, g, mul(L, L)]  # fmt: skip
    refuses_inferences(("instance", [fact], ((L, v),)) for v in values)
    refuses_inferences(("instance", [fact], ((G, v),)) for v in values)
    for v in (T, P, mul(A, turned(A)), letter("M_2", sort="S>0")):
        theorem = apply_rule("instance", [fact], ((L, v), (G, G)))
        with pytest.raises(Rejected):
            settled(theorem)


# -- what may be undefined -------------------------------------------------------------------------


def test_undefined_multiples_are_not_hidden():
    """1/x with x = 0 hides in a factor 0, a difference, a trace of 0, or a power."""
    r = over(symbol("r"))
    hidden = [scale(r, a) for a in BETWEEN]
    for change in (
        lambda m: ("=", tr(scale(ZERO, m)), ZERO), lambda m: ("=", tr(less(m, m)), ZERO),
        lambda m: ("=", times(ZERO, tr(m)), ZERO),
        lambda m: ("=", tr(mul(scale(ZERO, A), m)), ZERO),
        lambda m: ("=", tr(add(scale(ZERO, m), ONE_D)), D),
    ):  # fmt: skip
        for m in hidden:
            with pytest.raises(Rejected):
                arithmetic(change(m))
    for m in hidden:
        zero = apply_rule("assume", [], eq(A, B))
        theorem = apply_rule("sandwich", [zero], scale(ZERO, m), ONE_D)
        assert any(h[0] == "M.eq" and h[1] == scale(ZERO, m) for h in theorem.hypotheses.values())
        with pytest.raises(Rejected):
            settled(theorem, (eq(A, B),))
        theorem = apply_rule("semidefinite", [], mul(m, turned(m)))
        with pytest.raises(Rejected):
            settled(theorem)
        theorem = apply_rule("definite trace", [], L, m, L)
        with pytest.raises(Rejected):
            settled(theorem)
        with pytest.raises(Rejected):
            settled(apply_rule("instance", [arithmetic(("=", tr(A, B), tr(B, A)))], ((A, m),)))


def test_a_derivative_asks_what_its_multiples_ask():
    root = scale(("^", 1, 2, t), A)
    for a in BETWEEN:
        node = ("d", (1,), (t,), (tr(root, a),), (ZERO,))
        theorem = apply_rule("derivative", [], node)
        assert any(h[:2] == ("<", ZERO) for h in theorem.hypotheses.values())
        with pytest.raises(Rejected):
            arithmetic(("=", node, ZERO))


# -- equations of matrices -------------------------------------------------------------------------


def test_a_letter_of_which_a_hypothesis_speaks_stands_for_no_other():
    for a in BETWEEN:
        for given in (eq(Z, ONE_D), ("M.psd", Z), ("=", tr(a, Z), tr(B, Z)), eq(mul(Z, Z), A)):
            p = ("=", tr(a, Z), tr(B, Z))
            premise = apply_rule("logic", [apply_rule("assume", [], p)], (p, given), p)
            assert is_refused("matrix identity", [premise], eq(a, B), Z)
    refuses_inferences(
        ("matrix identity", [arithmetic(("=", tr(a, z), tr(a, z)))], eq(a, a), z)
        for a in (A, mul(A, B), turned(A))
        for z in (L, T, letter("Q", sort="S"), letter("R", sort="GL"))
    )
    refuses_inferences(
        ("matrix identity", [arithmetic(("=", tr(A, a, Z), tr(a, Z, A)))], eq(mul(A, a), mul(a, A)),
         Z) for a in BETWEEN
    )  # fmt: skip
    for a in (mul(A, Z), Z):
        premise = arithmetic(("=", tr(a, Z), tr(a, Z)))
        assert is_refused("matrix identity", [premise], eq(a, a), Z)


@more
def test_expressions_that_blow_up_are_refused_at_once():
    sums = add(A, B)
    for n in range(18, 28) if THOROUGH else (18, 27):
        with pytest.raises(Rejected, match="more work"):
            apply_rule("arithmetic", (), (), ("=", tr(*[sums] * n), ZERO), [64, [], [], []])
    many = [*map(letter, "ABCHJ")]
    six = mean(tr(*(m for i in range(5) for m in (S, many[i])), S, Z), SAMPLES)
    with pytest.raises(Rejected, match="more work"):
        isserlis(six, ZERO)


def test_random_identities_are_told_from_near_misses():
    """Of 300 near misses, each false at a point, none is accepted."""
    rng, refused = random.Random(7), 0
    letters = [A, B, turned(A), L, G, T, g, U, H, turned(B)]
    while refused < 300:
        word = [rng.choice(letters) for _ in range(rng.randint(3, 6))]
        other, kind = [*word], rng.randrange(4)
        i, j = rng.sample(range(len(word)), 2)
        if kind == 0:
            other[i], other[j] = other[j], other[i]
        elif kind == 1:
            other[i] = other[i][1] if other[i][0] == "M.T" else turned(other[i])
        elif kind == 2:
            other[i] = rng.choice(letters)
        else:
            other = [turned(m) for m in other]
        p = ("=", plus(tr(*word), square(u)), plus(tr(*other), square(u)))
        if Point(refused, {"d": len(word)}).holds(p):
            arithmetic(p)
        else:
            refused += 1
            assert is_refused("arithmetic", (), (), p, [40, [], [], []])


def test_columns_are_vectors():
    """A trace is cut at a size 1: what is a number may be moved, and nothing else."""
    x, y = (letter(name, "d", "1") for name in "xy")
    word = tr(x, turned(y), A, x, turned(y))
    arithmetic(("=", word, times(tr(turned(y), A, x), tr(turned(y), x))))
    refuses_relations(("=", tr(turned(x), a, y), tr(turned(y), a, x)) for a in BETWEEN)
    assert ONE_1[1] == "1"
    arithmetic(("=", tr(ONE_1), ONE))
