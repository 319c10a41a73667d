"""Statements on linear attention for all sizes: accepted from evidence, and true in coordinates."""

from __future__ import annotations

import itertools
import json

import pytest

from slrsym.checker import Rejected, recheck
from slrsym.checker.term import num
from slrsym.prover.tactics.log_records import log_lines
from slrsym.prover.tactics.matrix_means import mean_as_term
from tests._profile import one_in
from tests.checker.matrix_model import Point, least_eigenvalue_below
from tests.checker.matrix_terms import (
    DEFINITION,
    HALF,
    I1,
    I2,
    I3,
    MINIMUM,
    ONE,
    ONE_1,
    ONE_D,
    ONE_N,
    REST,
    SAMPLES,
    A,
    B,
    D,
    G,
    H,
    L,
    N,
    S,
    T,
    U,
    X,
    Z,
    add,
    along,
    apply_rule,
    arithmetic,
    at_least,
    discharged,
    eq,
    g,
    gradient_in_matrix,
    gradient_in_scalar,
    inv,
    isserlis,
    k,
    less,
    letter,
    loss,
    matrix_identity,
    mean,
    mul,
    neg,
    noise_floor,
    over,
    plus,
    recorded_proof,
    scale,
    settled,
    square,
    squared_error,
    symbol,
    t,
    times,
    tr,
    turned,
    u,
)

G0, L0 = symbol("g0", "R>0"), symbol("l0", "R>0")
ABOVE = tuple(("M.psd", less(m, scale(c, ONE_D))) for m, c in ((L, L0), (G, G0)))
K7 = letter("K", sort="GL")
DEFINITION_7 = eq(K7, add(scale(k, mul(T, L)), scale(noise_floor(T), ONE_D)))
EXACT = (("1", "1"), ("1", "2"), ("2", "1"), ("2", "2"), ("3", "2"))


def gradient_of_matrix(task=T):
    moved = loss(task, U=add(U, scale(t, H)))
    return arithmetic(("=", along(moved, t), tr(turned(gradient_in_matrix(task)), H)))


def gradient_of_scalar(task=T):
    return arithmetic(("=", along(loss(task, u=plus(u, t)), t), gradient_in_scalar(task)))


def balance(task=T):
    later = plus(u, neg(times(t, gradient_in_scalar(task))))
    moved = less(U, scale(t, gradient_in_matrix(task)))
    return arithmetic(("=", along(plus(square(later), neg(tr(moved, turned(moved)))), t), num(0)))


def sandwich(definition, left, right):
    equation = apply_rule("assume", [], definition)
    return settled(apply_rule("sandwich", [equation], left, right), (definition,))


def completed_square():
    """Show l - m = tr(G L (u U - g) L (u U - g)')/2."""
    defined = sandwich(DEFINITION, ONE_D, mul(L, U, L, turned(U)))
    square_of = times(HALF, tr(G, L, REST, L, turned(REST)))
    return arithmetic(("=", plus(loss(ONE_D), neg(MINIMUM)), square_of), [defined])


def minimum():
    positive = apply_rule("trace of semidefinite", [], mul(G, L), mul(REST, L, turned(REST)))
    return at_least(MINIMUM, loss(ONE_D), completed_square(), settled(positive))


def unique_minimum():
    definite = settled(apply_rule("definite trace", [], mul(G, L), REST, L))
    value = tr(mul(G, L), REST, L, turned(REST))
    at_minimum = ("=", loss(ONE_D), MINIMUM)
    equal = arithmetic(
        ("=", num(0), value), [completed_square(), apply_rule("assume", [], at_minimum)]
    )
    order = apply_rule("order", [], num(0), value)
    given = (at_minimum, DEFINITION)
    is_zero = apply_rule("logic", [definite, equal, order], given, definite.conclusion[1])
    traces = settled(apply_rule("sandwich", [is_zero], ONE_D, Z), given)
    said = arithmetic(("=", tr(scale(u, U), Z), tr(g, Z)), [traces])
    return apply_rule("matrix identity", [said], eq(scale(u, U), g), Z)


def general_square():
    """Show I7 for P = U: the square of U - K^-1 T."""
    best = mul(inv(K7), T)
    rest = less(U, best)
    defined = [
        sandwich(DEFINITION_7, mul(L, turned(U), L), best),
        sandwich(DEFINITION_7, mul(L, T, turned(inv(K7)), L), best),
    ]
    least = plus(times(HALF, tr(L, T)), times(num(-1, 2), tr(L, T, L, best)))
    quadratic = times(k, tr(L, T, L, rest, L, turned(rest)))
    inner = plus(quadratic, times(noise_floor(T), tr(L, rest, L, turned(rest))))
    said = ("=", plus(loss(T, u=ONE), neg(least)), times(HALF, inner))
    return arithmetic(said, defined)


def gradient_bound():
    """Show I8: 2 u^2 g0 l0^2 (l - m) is at most the squared length of dl/dU."""
    other, (above_l, above_g) = turned(REST), (p[1] for p in ABOVE)
    products = [
        settled(apply_rule("trace of semidefinite", [], p, q), ABOVE)
        for p, q in (
            (mul(G, L, above_l, G), mul(REST, L, L, other)),
            (mul(G, L, above_g), mul(REST, L, L, other)),
            (mul(G, L), mul(REST, L, above_l, other)),
        )
    ]
    first, second, third = (p.conclusion[2] for p in products)
    value = times(square(u), plus(first, times(L0, second), times(L0, G0, third)))
    small = times(square(u), G0, square(L0), tr(G, L, REST, L, other))
    slope = scale(u, mul(G, L, REST, L))
    large = tr(slope, turned(slope))
    bound = at_least(small, large, arithmetic(("=", plus(large, neg(small)), value)), *products)
    # The slope is dl/dU, and the trace 2 (l - m).
    gradient = gradient_in_matrix(ONE_D)
    defined = [
        sandwich(DEFINITION, ONE_D, mul(L, U, L, turned(gradient))),
        sandwich(DEFINITION, ONE_D, mul(L, U, L, turned(slope))),
    ]
    length = arithmetic(("=", tr(gradient, turned(gradient)), large), defined)
    distance = plus(loss(ONE_D), neg(MINIMUM))
    said = times(num(2), square(u), G0, square(L0), distance)
    gap = arithmetic(("=", said, small), [completed_square()])
    return apply_rule("chain", [gap, bound, length])


STATEMENTS = {
    "I1": lambda: isserlis(*I1), "I2": lambda: isserlis(*I2), "I3": lambda: isserlis(*I3),
    "I3-white": lambda: isserlis(squared_error(ONE_D), times(num(2), loss(ONE_D))),
    "I4": lambda: gradient_of_matrix(ONE_D), "I4-scalar": lambda: gradient_of_scalar(ONE_D),
    "gradient": gradient_of_matrix, "gradient-scalar": gradient_of_scalar,
    "I5": balance, "I6": completed_square, "I6-minimum": minimum, "I6-unique": unique_minimum,
    "I7": general_square, "I8": gradient_bound,
}  # fmt: skip


def point_for(theorem, seed, d, n):
    """Return a point at which the hypotheses of a theorem hold."""
    point = Point(seed, {"d": int(d), "N": int(n)})
    for hypothesis in theorem.hypotheses.values():
        if hypothesis[0] == "M.eq" and hypothesis[1][0] == "M":
            point.letters[hypothesis[1]] = point.matrix(hypothesis[2])
    for hypothesis in theorem.hypotheses.values():
        if hypothesis in ABOVE:
            number, at = hypothesis[1][2][2][1], hypothesis[1][1]
            point.numbers[number] = least_eigenvalue_below(point.letter(at))
    return point


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_are_accepted_and_true(name):
    with recorded_proof() as (builder, made):
        shown = STATEMENTS[name]()
    given = tuple(shown.hypotheses.values())
    allowed = {
        "I6": {"M.eq"}, "I6-minimum": {"M.eq"}, "I6-unique": {"M.eq", "="}, "I7": {"M.eq"},
        "I8": {"M.eq", "M.psd"},
    }  # fmt: skip
    assert {p[0] for p in given} == allowed.get(name, set())
    assert shown.axioms == {"extension matrices"} | ({"isserlis"} if "I3" in name or name in
                                                     ("I1", "I2") else set())  # fmt: skip
    if name != "I6-unique":
        for seed, (d, n) in enumerate(EXACT if name != "I2" else EXACT[:4]):
            point = point_for(shown, seed, d, n)
            assert all(map(point.holds, given)), (name, d, n)
            assert point.holds(shown.conclusion), (name, d, n)
    builder.record_step("1", "rule", made[id(shown)])
    record = builder.finish_claim(name, shown.conclusion, given, made[id(shown)])
    assert record["extensions"] == ["matrices"]


def test_a_log_of_statements_is_accepted(tmp_path):
    """It is refused if a record does not name the extension, or if a symbol's place is forged."""
    records = []
    for name in ("I1", "I3", "I6-minimum", "I6-unique"):
        with recorded_proof() as (builder, made):
            shown = STATEMENTS[name]()
            line = made[id(shown)]
            builder.record_step("1", "rule", line)
            given = tuple(shown.hypotheses.values())
            records.append(builder.finish_claim(name, shown.conclusion, given, line))
    records = json.loads(json.dumps(records))

    def written(made, header=("matrices",)):
        path = tmp_path / "a.log"
        lines = log_lines({"extensions": list(header)}, made)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    assert [claim.id for claim in recheck(written(records))] == [r["claim"] for r in records]
    for record in records:
        with pytest.raises(Rejected, match="which the record does not name"):
            recheck(written([{**record, "extensions": []}], ()))
    with pytest.raises(Rejected, match="is not accepted"):
        recheck(written(records), ())


def test_heads_alone_need_the_extension(tmp_path):
    """A record that speaks of traces and uses base rules alone names the extension, too."""
    with recorded_proof() as (builder, made):
        shown = arithmetic(("=", tr(A, B), tr(B, A)))
    builder.record_step("1", "rule", made[id(shown)])
    record = builder.finish_claim("turn", shown.conclusion, (), made[id(shown)])
    record = json.loads(json.dumps(record))
    assert {line[0] for line in record["lines"]} == {"arithmetic"}
    assert record["extensions"] == record["axioms"][0].split()[1:] == ["matrices"]
    path = tmp_path / "a.log"
    for named, is_right in ((["matrices"], True), ([], False)):
        lines = log_lines({"extensions": named}, [{**record, "extensions": named}])
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        if is_right:
            assert recheck(path)[0].axioms == {"extension matrices"}
        else:
            with pytest.raises(Rejected, match="a head of the extension matrices"):
                recheck(path)


def test_other_means():
    """E |W g|^2 = tr W'W; E g'A g g'B g; E tr S^k for white samples."""
    vector, one_r = letter("g", "d", "1"), letter("W", "r", "d")
    law = (vector, ONE_D, ONE_1)
    isserlis(mean(tr(turned(vector), turned(one_r), one_r, vector), law), tr(turned(one_r), one_r))
    pair = times(*(tr(turned(vector), m, vector) for m in (A, B)))
    value = plus(times(tr(A), tr(B)), tr(A, B), tr(A, turned(B)))
    assert Point(1, {"d": 3}).holds(isserlis(mean(pair, law), value).conclusion)
    white = (X, ONE_D, ONE_N)
    cubic = plus(square(N), times(num(3), N, D), times(num(3), N), square(D),
                 times(num(3), D), num(4))  # fmt: skip
    isserlis(mean(tr(S, S, S), white), times(D, cubic, over(N, 2)))


def test_instances_of_letters_ask_for_their_sort():
    fact = arithmetic(("=", tr(L, T), tr(T, L)))
    for letter_of, value, asked in (
        (T, mul(A, turned(A)), [("M.psd", mul(A, turned(A)))]),
        (L, scale(G0, L), [("M.psd", scale(G0, L)), ("M.invertible", scale(G0, L))]),
    ):
        assert [*apply_rule("instance", [fact], ((letter_of, value),)).hypotheses.values()] == asked
    inverse = arithmetic(("=", tr(inv(K7), K7), D))
    with pytest.raises(Rejected, match="an inverse is not of a letter"):
        apply_rule("instance", [inverse], ((K7, mul(A, B)),))
    # A covariance may be another letter, and no other matrix.
    value = isserlis(*I1)
    both = apply_rule("instance", [value], ((L, letter("M_2", sort="S>0")),))
    assert [p[0] for p in both.hypotheses.values()] == ["M.psd", "M.invertible"]
    with pytest.raises(Rejected, match="not two covariances"):
        apply_rule("instance", [value], ((L, scale(num(2), L)),))


def test_a_family_has_values_as_a_whole():
    first, second = (letter(name, sort="S>0", family="F") for name in "JK")
    fact = arithmetic(("=", tr(first, A, first, second), tr(first, A, second, first)))
    values = {first: add(first, second), second: second}
    shown = apply_rule("instance", [fact], tuple(values.items()))
    asked = [*shown.hypotheses.values()]
    commuting = eq(mul(*values.values()), mul(*[*values.values()][::-1]))
    assert asked == [("M.psd", values[first]), ("M.invertible", values[first]), commuting]
    assert not settled(shown).hypotheses
    with pytest.raises(Rejected, match="only some letters of a commuting family"):
        apply_rule("instance", [fact], ((first, A),))


def test_sizes_have_other_sizes_as_values():
    wide = arithmetic(("=", tr(X, turned(X)), tr(turned(X), X)))
    to = lambda n, m: apply_rule("instance", [wide], ((("M.dim", n), ("M.dim", m)),))  # noqa: E731
    assert to("N", "3").conclusion[1] == tr(letter("X", "d", "3"), turned(letter("X", "d", "3")))
    unit = arithmetic(("=", tr(ONE_D), D))
    three = apply_rule("instance", [unit], ((D, ("M.dim", "3")),))
    assert three.conclusion == ("=", tr(("M.id", "3")), ("M.dim", "3"))
    arithmetic(("=", ("M.dim", "3"), num(3)))
    # The mean of a bound letter follows.
    value = isserlis(*I1)
    small = apply_rule("instance", [value], ((N, ("M.dim", "2")),))
    assert Point(3, {"d": 2}).holds(small.conclusion)
    other = letter("A", "N", "N")
    two = arithmetic(("=", times(tr(A), tr(other)), times(tr(other), tr(A))))
    with pytest.raises(Rejected, match="two letters become one"):
        apply_rule("instance", [two], ((N, D),))


def test_a_bound_letter_does_not_catch_a_value():
    """With X put for Z, the bound X gets another name."""
    square_x = letter("X")
    s = mul(square_x, turned(square_x))
    value = isserlis(mean(tr(s, Z), (square_x, L, ONE_D)), times(D, tr(L, Z)))
    moved = apply_rule("instance", [value], ((Z, square_x),))
    (bound,) = moved.conclusion[1][1]
    assert bound[1] == "X'"
    assert Point(5, {"d": 2}).holds(moved.conclusion)


def test_rules_on_semidefinite_matrices():
    square_of = mul(A, turned(A))
    assert not settled(apply_rule("semidefinite", [], add(square_of, scale(num(2), L)))).hypotheses
    assert not settled(apply_rule("invertible", [], add(L, square_of))).hypotheses
    assert not settled(apply_rule("invertible", [], mul(G, inv(L), turned(inv(K7))))).hypotheses
    bound = settled(apply_rule("cauchy-schwarz for matrices", [], A, mul(G, L), mul(A, B)))
    assert Point(2, {"d": 3}).holds(bound.conclusion)
    known = apply_rule("assume", [], ("M.psd", less(L, T)))
    assert apply_rule("symmetric", [known]).conclusion == eq(turned(less(L, T)), less(L, T))
    other = add(scale(num(-1), T), L)
    equal = apply_rule("equal matrices", [known, matrix_identity(eq(less(L, T), other))])
    assert equal.conclusion == ("M.psd", other)
    assert apply_rule("size", [], N).conclusion[2] == ("<=", num(1), N)
    assert discharged(known, known).conclusion == known.conclusion


def test_five_samples_pass_and_six_are_refused():
    def mean_of(count):
        letters = [*map(letter, "ABCHJ")][: count - 1]
        parts = [p for pair in itertools.zip_longest([S] * count, letters) for p in pair if p]
        return mean(tr(*parts, Z), SAMPLES)

    value = mean_as_term(mean_of(5))
    assert len(value) == 946
    assert isserlis(mean_of(5), value).conclusion[2] == value
    # A wrong value is refused after all the work.
    with pytest.raises(Rejected, match=r"more generators|another value"):
        isserlis(mean_of(5), num(0))
    with pytest.raises(Rejected, match="more work"):
        isserlis(mean_of(6), num(0))


@pytest.mark.parametrize("seed", one_in(10, list(range(100))))
def test_semidefinite_by_form_is_semidefinite(seed):
    """Whatever settles without hypotheses has no negative principal minor."""
    import random

    rng = random.Random(seed)

    def draw(depth):
        if depth == 0:
            return rng.choice([L, G, T, A, ONE_D, inv(L), U])
        kind = rng.choice(["mul", "add", "T", "scale", "mirror", "mirror"])
        if kind == "mul":
            return mul(*(draw(depth - 1) for _ in range(rng.randint(1, 3))))
        if kind == "add":
            return add(draw(depth - 1), draw(depth - 1))
        if kind == "T":
            return turned(draw(depth - 1))
        if kind == "scale":
            return scale(num(rng.choice([-1, 0, 1, 2])), draw(depth - 1))
        b = draw(depth - 1)
        return mul(b, *([draw(depth - 1)] * rng.randint(0, 1)), turned(b))

    accepted = 0
    for _ in range(30):
        m = draw(rng.randint(1, 3))
        for head, name in (("M.psd", "semidefinite"), ("M.invertible", "invertible")):
            try:
                shown = settled(apply_rule(name, [], m))
            except Rejected:
                continue
            accepted += 1
            for d in (1, 2, 4):
                assert Point(seed, {"d": d}).holds((head, m)), (m, d)
            assert not shown.hypotheses
    assert accepted


def test_bound_letters_are_renamed_at_other_sizes():
    """X of d x N is free, and X of d x M bound: at M = N they stay apart."""
    bound, law = letter("X", "d", "M"), ("M.id", "M")
    free = tr(X, turned(X))
    value = isserlis(
        mean(times(free, tr(bound, turned(bound))), (bound, L, law)),
        times(free, ("M.dim", "M"), tr(L)),
    )
    moved = apply_rule("instance", [value], ((("M.dim", "M"), N),))
    assert moved.conclusion[1][1][0] == letter("X'", "d", "N")
    assert Point(1, {"d": 2, "N": 3}).holds(moved.conclusion)
    both = mean(tr(bound, turned(bound), X, turned(X)), (bound, L, law), SAMPLES)
    value = isserlis(both, times(("M.dim", "M"), N, tr(L, L)))
    moved = apply_rule("instance", [value], ((("M.dim", "M"), N),))
    assert [x[1] for x in moved.conclusion[1][1]] == ["X'", "X''"]
    assert Point(2, {"d": 2, "N": 2}).holds(moved.conclusion)
