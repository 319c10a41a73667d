"""Ways that random faults, and the coverage of branches, showed to be untried."""

from __future__ import annotations

from contextlib import suppress
from math import erf, sqrt
from pathlib import Path

import pytest
from scipy.stats import norm

from slrsym.checker import ProvedClaims, Rejected, differentiation
from slrsym.checker.arithmetic import binder_keys_in_facts, learn_relation, require_relation_holds
from slrsym.checker.expectations import moderate_growth_conditions
from slrsym.checker.log import JudgedClaim, JudgedStep, describe_claim_difference, recheck
from slrsym.checker.ring import ExponentUnitTooCoarse, Ring
from slrsym.checker.term import (
    TermReader,
    canonical_key,
    definedness_equation,
    neg,
    num,
    parse_term,
    substitute,
)
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.log_records import (
    RecordingProofBuilder,
    TermTable,
    log_lines,
    tuples_to_lists,
)
from slrsym.prover.tactics.sign_search import RELATION_OF
from tests.checker.terms import NORMAL, ONE, TWO, ZERO, fn, mean, proved
from tests.checker.test_means import value
from tests.checker.test_schemas import PLANE, SQUARE, G, box_map, lam, theorem

x, y, t, z, p, q = (("s", name, "R") for name in "xytzpq")
m, n, w = ("s", "m", "R<0"), ("s", "n", "R>=0"), ("s", "w", "R>0")


def shown(statement, *given, size=16, units=(), use=None):
    use = list(range(len(given))) if use is None else use
    return apply_rule("arithmetic", [], given, statement, [size, list(units), use, []])


def found(statement, *given):
    return proved(statement, given)


def power(base, e, r=1):
    return ("^", e, r, base)


def integral(body, low=ONE, high=TWO):
    return ("int", (t,), (body,), (low, high))


# -- generators -----------------------------------------------------------------------------------


def test_sequences_of_one_name_are_told_apart_by_their_indices():
    i, j = ("s", "i", "Z"), ("s", "j", "Z")
    short, long = ("ix", "a", "R", i), ("ix", "a", "R", i, j)
    for first, second in ((short, long), (long, short)):
        shown(("=", ("+", first, second), ("+", second, first)))
        with pytest.raises(Rejected, match="not known to compare"):
            shown(("=", first, second))


def test_a_fact_on_a_numerator_is_enough_whatever_the_denominator():
    # The numerator is known as a whole, and its factors are not.
    product, below = ("*", x, y), ("s", "c", "R!=0")
    shown(("<=", ("*", product, power(below, -1)), ZERO), ("=", product, ZERO))


# -- logic ----------------------------------------------------------------------------------------


def test_both_or_neither():
    a, b, c = (("<", ZERO, v) for v in (x, y, z))
    both = ("iff", a, b)
    for given, right in ((a, b), (b, a), (("not", a), ("not", b)), (("not", b), ("not", a))):
        assert apply_rule("logic", [], (both, given), right)
        for wrong in (c, ("not", c), ("not", right)):
            with pytest.raises(Rejected, match="does not follow"):
                apply_rule("logic", [], (both, given), wrong)


# -- functions at opposite points -----------------------------------------------------------------

PARITY = {"erf": -1, "asin": -1, "atan": -1, "sin": -1, "cos": 1, "sinh": -1, "cosh": 1, "tanh": -1}


@pytest.mark.parametrize("name", PARITY)
def test_odd_and_even_functions(name):
    given = (("<=", power(x, 2), ONE),) if name == "asin" else ()
    given += (("<=", ZERO, ("+", ONE, neg(power(x, 2)))),) if name == "asin" else ()
    at, opposite = fn(name, x), fn(name, neg(x))
    assert shown(("=", opposite, ("*", num(PARITY[name]), at)), *given)
    for factor in (-PARITY[name], 2 * PARITY[name], 0):
        with pytest.raises(Rejected):
            shown(("=", opposite, ("*", num(factor), at)), *given)


@pytest.mark.parametrize(("name", "signs"), [("owens", (1, -1)), ("zeta", (1, 1))])
def test_functions_of_two_arguments_at_opposite_points(name, signs):
    at = fn(name, x, y)
    for place, sign in enumerate(signs):
        opposite = fn(name, *(neg(a) if i == place else a for i, a in enumerate((x, y))))
        assert shown(("=", opposite, ("*", num(sign), at)))
        with pytest.raises(Rejected):
            shown(("=", opposite, ("*", num(-sign), at)))
    with pytest.raises(Rejected):
        shown(("=", at, fn(name, x, x)))


# -- what a relation that holds says, and what is asked of one ------------------------------------


def test_what_holds_is_defined():
    assert shown(("!=", x, ZERO), ("=", power(x, -1), y))
    assert shown(("<", ZERO, z), ("<", ZERO, power(z, -1)))


def test_a_conjunction_is_taken_apart():
    both = ("and", ("<", ZERO, x), ("and", ("<", ZERO, y), ("<", ZERO, z)))
    assert shown(("<", ZERO, ("+", x, y, z)), both, use=[0, 1, 2])
    with pytest.raises(Rejected):
        shown(("<", ZERO, ("+", x, y, z)), both, use=[0, 1])


def test_what_is_defined_in_a_sum_alone_does_not_leave_it():
    i, k = ("s", "i", "Z"), ("s", "k", "Z>=0")
    terms = ("sum", (i,), (("*", i, fn("log", k)),), (ONE, k))
    with pytest.raises(Rejected):
        found(("=", terms, ("*", fn("log", k), ("sum", (i,), (i,), (ONE, k)))))


def test_denominators_of_a_sign_and_of_none():
    form = ("+", power(x, 2), ("*", x, z), power(z, 2))
    assert found(("<=", ("*", form, power(m, -1)), ZERO))
    assert shown(("<=", ZERO, ("*", x, power(z, -1))), ("<=", ZERO, ("*", x, z)), ("!=", z, ZERO))
    with pytest.raises(Rejected):
        shown(("<=", ZERO, ("*", x, power(z, -1))), ("!=", z, ZERO))


def test_roots():
    assert shown(("=", power(num(12), 1, 2), ("*", TWO, power(num(3), 1, 2))))
    assert shown(("=", power(neg(power(m, -1)), 1, 2), power(neg(m), -1, 2)))
    product = power(("*", n, x), 1, 2)
    with pytest.raises(Rejected, match="another factor may be 0"):
        shown(("=", product, product), ("<=", ZERO, ("*", n, x)))
    for side in (x, neg(x)):
        assert shown(("<=", side, power(power(x, 2), 1, 2)))
    with pytest.raises(Rejected):
        shown(("=", x, power(power(x, 2), 1, 2)))
    far = fn("exp", ("*", power(w, 1, 2), x))
    assert shown(("=", ("*", far, far), fn("exp", ("*", TWO, power(w, 1, 2), x))),
                 units=[[[["1", 0, 1, 2, 1]], [["1"]], "1"]])  # fmt: skip


def test_the_argument_of_an_odd_increasing_function_has_the_sign_of_its_value():
    row = ["inverse", [["1", 1, 1]], [["1", 1, 1]]]

    def is_shown(name, kind):
        return played(("<", ZERO, x), row, (kind, ZERO, fn(name, x)))

    for name, kind, right in (("erf", "<", True), ("tanh", "<", True), ("erf", "<=", False),
                              ("cos", "<", False), ("cosh", "<", False)):  # fmt: skip
        assert bool(is_shown(name, kind)) is right


def played(statement, entry, *given):
    """The statement, with an entry in answer to one of the questions; None if it is not shown."""
    asked = []

    def note(ring, p, sign):
        asked.append([RELATION_OF[sign], ring.facts.to_json(p)])

    ring = Ring(8, {}, note, {}, binder_keys_in_facts(given))
    with suppress(Rejected):
        for fact in given:
            learn_relation(ring, fact)
        require_relation_holds(ring, statement)
    for question in asked:
        with suppress(Rejected):
            data = [8, [], list(range(len(given))), [[*question, [entry]]]]
            return apply_rule("arithmetic", [], given, statement, data)
    return None


def test_a_combination_is_equal_and_not_a_multiple():
    form = [["1", 0, 2], ["1", 0, 1, 1, 1], ["1", 1, 2]]
    rows = [["1", [[[["1", 0, 1], ["1/2", 1, 1]], 2]]], ["3/4", [[[["1", 1, 1]], 2]]]]
    squares = ("+", power(x, 2), ("*", x, y), power(y, 2))
    assert played(("<=", ZERO, squares), ["sign", form, rows, [["1"]]])
    opposite = [["-1", *powers] for _, *powers in form]
    assert not played(("<=", squares, num(-1)), ["sign", opposite, rows, [["1"]]])
    assert not played(("<=", squares, ZERO), ["sign", opposite, rows, [["1"]]])


def test_products_of_exponentials_have_no_factor():
    one = [["1"]]
    for factor, right in (("1", True), ("1/2", False), ("2", False), ("-1", False)):
        row = ["exp", [[factor, 1, 1]], one]
        statement = ("<=", ONE, ("*", num(*map(int, (factor + "/1").split("/")[:2])), fn("exp", n)))
        assert bool(played(statement, row)) is right


def test_every_entry_of_an_image_is_asked_for():
    p = ("o", "psd", ("tuple", w, x, x, w))
    asked = apply_rule("psd image", [], p, ("tuple", w), (ONE, ONE)).hypotheses
    assert canonical_key(("=", x, w)) in asked


def test_every_entry_of_a_matrix_is_where_it_stands():
    a, b, c = w, x, n
    source = ("o", "psd", ("tuple", a, b, b, c))
    identity, exchange = (ONE, ZERO, ZERO, ONE), (ZERO, ONE, ONE, ZERO)
    assert set(apply_rule("psd image", [], source, source, identity).hypotheses) == {
        canonical_key(source)
    }
    other = ("o", "psd", ("tuple", c, b, b, a))
    assert set(apply_rule("psd image", [], other, source, exchange).hypotheses) == {
        canonical_key(source)
    }
    assert (
        canonical_key(("=", c, a))
        in apply_rule("psd image", [], other, source, identity).hypotheses
    )


def test_owens_function_has_the_sign_of_its_second_argument():
    assert shown(("<", ZERO, fn("owens", x, w)))
    assert shown(("<", fn("owens", x, m), ZERO))
    for false in (("<=", ZERO, fn("owens", w, x)), ("<", ZERO, fn("owens", w, m))):
        with pytest.raises(Rejected):
            shown(false)


# -- what stands in an integral, and does not vary there ------------------------------------------


def test_factors_leave_an_integral():
    assert found(("=", integral(fn("exp", ("+", x, t)), ZERO, ONE),
                  ("*", fn("exp", x), integral(fn("exp", t), ZERO, ONE))))  # fmt: skip
    below = ("+", ONE, power(t, 2))
    inverse = power(below, -1)
    assert found(
        ("=", integral(power(("*", below, w), -1)), ("*", power(w, -1), integral(inverse)))
    )
    with pytest.raises(Rejected):
        found(("=", integral(power(("*", below, z), -1)), ("*", power(z, -1), integral(inverse))))
    # Each denominator to its own power.
    for other in (power(("+", below, ONE), -1), power(below, -3), inverse):
        with pytest.raises(Rejected):
            found(("=", integral(power(below, -2)), integral(other)))


def test_every_part_of_an_integrand_counts():
    whole = integral(("+", x, t, ("*", w, power(t, 2))))
    parts = ("+", x, integral(t), ("*", w, integral(power(t, 2))))
    assert found(("=", whole, parts))
    for less in (x, ("+", x, integral(t))):
        with pytest.raises(Rejected):
            found(("=", whole, less))


def test_integers_keep_away_from_zero():
    above, below = ("s", "k", "Z>0"), ("s", "k", "Z<0")
    assert shown(("<=", ONE, above))
    assert shown(("<=", below, num(-1)))
    for false in (("<=", TWO, above), ("<=", below, num(-2)), ("<=", ONE, below),
                  ("<=", above, num(-1))):  # fmt: skip
        with pytest.raises(Rejected):
            shown(false)


def test_units_that_are_too_coarse_are_said():
    both = ("*", fn("exp", t), fn("exp", ("*", num(1, 2), t)))
    with pytest.raises(ExponentUnitTooCoarse):
        shown(("=", both, ("+", both, ZERO)))
    finer = [[["1", 0, 1]], [["1"]], "1/2"]
    assert shown(("=", both, ("+", both, ZERO)), units=[finer])


def test_slopes_that_are_cited_are_of_free_arguments():
    slope = ("d", (1,), (t,), (fn("zeta", t, t),), (x,))
    cited = apply_rule("unchecked", (), "a test", (), ("=", slope, ZERO))
    other = ("d", (1,), (t,), (fn("zeta", t, y),), (x,))
    with pytest.raises(Rejected, match="cite it"):
        apply_rule("derivative", [cited], other)
    with pytest.raises(Rejected):
        apply_rule("arithmetic", [cited], (), ("=", other, ZERO), [8, [], [], []])
    # Of a good one, wherever it stands among the premises.
    for there, here in ((("*", x, y), ("*", w, z)), (y, w)):
        good = ("=", ("d", (1,), (t,), (fn("zeta", t, y),), (x,)), there)
        right = apply_rule("unchecked", (), "a test", (), good)
        before = [
            apply_rule("logic", [], (), ("or", ("=", x, y), ("not", ("=", x, y)))),
            cited,
            right,
        ]
        at = ("d", (1,), (t,), (fn("zeta", t, w),), (z,))
        assert apply_rule("arithmetic", before, (), ("=", at, here), [8, [], [], []])


def test_the_slope_of_a_bell():
    slope = ("d", (1,), (t,), (fn("erf_prime", t),), (x,))
    assert shown(("=", slope, ("*", num(-2), x, fn("erf_prime", x))))
    with pytest.raises(Rejected):
        shown(("=", slope, ("*", TWO, x, fn("erf_prime", x))))


# -- expectations ---------------------------------------------------------------------------------

NOISE = ("noise", w)


def test_noise():
    first, second = apply_rule("noise", [], NOISE).conclusion[1:]
    assert canonical_key(first[2]) == canonical_key(ZERO)
    assert second[2] == w
    with pytest.raises(Rejected):
        apply_rule("noise", [], NORMAL)
    inside = ("lam", (x,), (mean(("+", ("*", x, y), t), (y,), (NOISE,)),), ())
    assert apply_rule("moderate", [], inside)
    with pytest.raises(Rejected, match="degree above 2"):
        apply_rule(
            "moderate", [], ("lam", (x,), (mean(("*", x, power(y, 3)), (y,), (NOISE,)),), ())
        )
    with pytest.raises(Rejected, match="variable of another one"):
        apply_rule("moderate", [], ("lam", (w,), (mean(y, (y,), (NOISE,)),), ()))
    for body in (power(y, 1, 2), power(y, -1), fn("erf", y)):
        with pytest.raises(Rejected):
            apply_rule("moderate", [], ("lam", (x,), (mean(("*", x, body), (y,), (NOISE,)),), ()))


def test_noise_goes_over_into_noise():
    node = mean(("*", x, y), (x, y), (NORMAL, NOISE))
    forms = ("lam", (p, q), (p, q), ())
    made = apply_rule("image", [], node, forms, (NORMAL, NOISE))
    assert made.conclusion[2] == mean(("*", p, q), (p, q), (NORMAL, NOISE))
    for values, laws in (
        ((q, p), (NORMAL, NOISE)),
        ((p, ("+", p, q)), (NORMAL, NOISE)),
        ((("+", p, q), q), (NORMAL, NOISE)),
        ((p, q), (NORMAL, NORMAL)),
    ):
        with pytest.raises(Rejected, match="noise"):
            apply_rule("image", [], node, ("lam", (p, q), values, ()), laws)
    twice = mean(("*", x, y), (x, y), (NOISE, NOISE))
    with pytest.raises(Rejected, match="the same noise"):
        apply_rule("image", [], twice, ("lam", (p, q), (p, p), ()), (NOISE, NOISE))


def test_an_image_is_of_a_matrix():
    for wrong in (("o", "integer", ("+", w)), ("o", "moderate", lam(x)), ("=", w, w)):
        with pytest.raises(Rejected, match="no covariance matrix"):
            apply_rule("psd image", [], wrong, ("tuple", w), (ONE,))
    with pytest.raises(Rejected, match="a factor is no term"):
        apply_rule("psd image", [], ("o", "psd", ("tuple", ZERO)), ("tuple", w), (("tuple", w),))


def test_the_exponential_of_a_sum():
    made = apply_rule("exponential of a sum", [], fn("exp", ("+", x, y)))
    assert made.conclusion[2] == ("*", fn("exp", x), fn("exp", y))
    assert set(made.hypotheses) == {
        canonical_key(definedness_equation(x)),
        canonical_key(definedness_equation(y)),
    }
    for other in (fn("exp", x), fn("erf", ("+", x, y))):
        with pytest.raises(Rejected):
            apply_rule("exponential of a sum", [], other)


def test_independence_keeps_every_factor():
    body = ("*", x, fn("erf", x), y, fn("sin", y))
    made = apply_rule("independent", [], mean(body, (x, y), (NORMAL, NORMAL)), [[0], [1, 2]])
    left, right = mean(("*", x, fn("erf", x))), mean(("*", y, fn("sin", y)), (y,))
    assert made.conclusion[2] == ("*", left, right)
    single = apply_rule("independent", [], mean(("*", x, y), (x, y), (NORMAL, NORMAL)), [[0], [1]])
    assert single.conclusion[2] == ("*", mean(x), mean(y, (y,)))


def test_a_derivative_does_not_catch_the_variable_of_a_law():
    def slope(name):
        inner = mean(("*", fn("erf", name), fn("sin", x)), (name,))
        return apply_rule("derivative of expectation", [], ("d", (1,), (t,), (inner,), (y,)))

    assert canonical_key(slope(t).conclusion[2]) == canonical_key(slope(z).conclusion[2])


def test_the_density_of_a_law():
    made = apply_rule("density", [], mean(fn("erf", x), laws=(("gauss", 1, num(1, 3), num(4, 5)),)))
    (integrand,) = made.conclusion[2][2]
    for place in (-2, 0, 1, 3):
        here = value(substitute(integrand, {x: num(place)}))
        assert here == pytest.approx(erf(place) * norm.pdf(place, 1 / 3, sqrt(4 / 5)), rel=1e-12)
    with pytest.raises(Rejected, match="one Gaussian variable"):
        apply_rule("density", [], mean(x, laws=(NOISE,)))


def test_price_asks_for_all_means():
    law = ("gauss", 2, ZERO, ZERO, ONE, t, t, ONE)
    node = mean(("*", fn("sin", p), fn("sin", q)), (p, q), (law,))
    made = apply_rule("price", [], ("d", (1,), (t,), (node,), (x,)))
    terms = [part for term in made.conclusion[2][1:] for part in term[1:]]
    means = [part for part in terms if part[0] == "E"]
    assert means
    for part in terms:
        assert part == num(1, 2) or canonical_key(definedness_equation(part)) in made.hypotheses


def test_the_variable_of_a_bend_is_a_variable():
    for point in (("u", "R", "R", (0,), x), ("+", x, ONE), ("s", "x", "R!=0")):
        slope = ("d", (2,), (t,), (power(t, 2),), (point,))
        bend = apply_rule("unchecked", (), "a test", (), ("<=", ZERO, slope))
        with pytest.raises(Rejected, match="no interval"):
            apply_rule("tangent", [bend], ZERO, ONE)


# -- orbits ---------------------------------------------------------------------------------------


def test_a_box_has_as_many_ends_as_coordinates():
    whole = box_map(x)
    for low, high in ((2, 1), (1, 2), (2, 2), (1, 0)):
        ends = (("tuple", *(num(-1),) * low), ("tuple", *(ONE,) * high))
        with pytest.raises(Rejected, match="different numbers"):
            theorem("decrease", ("o", "DecreasesAlong", (*whole[:3], *ends), SQUARE))


@pytest.mark.parametrize("head", ["d", "E", "int"])
def test_a_sentence_on_orbits_is_about_a_function(head):
    _, names, body, _ = SQUARE
    outside = {"d": names, "E": (NORMAL,) * len(names), "int": (ZERO, ONE)}[head]
    orders = ((0,) * len(names),) if head == "d" else ()
    with pytest.raises(Rejected, match="no function"):
        theorem("decrease", ("o", "DecreasesAlong", G, (head, *orders, names, body, outside)))


def test_decrease_on_a_face():
    whole = ("lam", (x, y), (("+", power(x, 2), power(y, 2)),), ())
    goal = ("o", "DecreasesAlong", G, SQUARE)
    made = theorem("on-face", goal, PLANE, ONE, ONE, whole)
    assert canonical_key(("o", "DecreasesAlong", PLANE, whole)) in made.hypotheses
    with pytest.raises(Rejected, match="not 2 variables"):
        theorem("on-face", goal, PLANE, ONE, ONE, SQUARE)


def test_sums_and_products_of_smooth_functions_are_smooth():
    body = ("+", fn("exp", ("*", TWO, x)), power(x, 3))
    assert apply_rule("smooth", [], lam(body), ("tuple", y))
    with pytest.raises(Rejected):
        apply_rule("smooth", [], lam(fn("max", x, ONE)), ("tuple", y))


# -- the log --------------------------------------------------------------------------------------


def test_binders_are_read():
    for term in (("d", (1,), (x,), (fn("erf", x),), (y,)), ("lam", (x,), (x,), ()),
                 ("o", "words", ("text", "any words"))):  # fmt: skip
        assert parse_term(tuples_to_lists(term)) == term
    for term in (["d", [1], [["s", "x", "R"]], [["s", "x", "R"]], [["oo"]]],
                 ["d", 1, [["s", "x", "R"]], [["s", "x", "R"]], [["s", "y", "R"]]],
                 ["text", "two", "words"]):  # fmt: skip
        with pytest.raises(Rejected):
            parse_term(term)


@pytest.mark.parametrize("name", ["f", "g", "d"])
def test_what_is_written_is_read(name):
    """Check that binders and functions are read as they are written."""
    table, reader = TermTable(), TermReader()
    terms = [mean(("u", name, "R", (1,), x)), integral(power(t, 2)), ("u", name, "R", (0,), y),
             ("forall", (x,), (definedness_equation(x),), ())]  # fmt: skip
    numbers = [table.row_number(term) for term in terms]
    for row in table.rows:
        reader.add(row)
    assert [reader.read(number) for number in numbers] == terms


def test_a_function_is_put_in_when_a_log_is_read(tmp_path):
    script = RecordingProofBuilder(ProvedClaims())
    supposed = script.add("assume", (), ("<", ZERO, ("u", "f", "R", (0,), x)))
    line = script.add("instance", [supposed], ((("u", "f", "R", 1), lam(fn("exp", x))),))
    given = tuple(line.theorem.hypotheses.values())
    record = script.finish_claim("it", ("<", ZERO, fn("exp", x)), given, line)
    path = tmp_path / "a.log"
    path.write_text("".join(f"{line}\n" for line in log_lines({"seed": 0}, [record])))
    assert [claim.id for claim in recheck(path)] == ["it"]


SAID = {
    "claim": "it", "given": [tuples_to_lists(("<", ZERO, x))], "statement": tuples_to_lists(("=", x,
    x)), "terms": [tuples_to_lists(("=", x, x)), tuples_to_lists(("<", ZERO, x))], "steps": [["1",
    0, [1]]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({}, ""),
        ({"statement": tuples_to_lists(("=", y, y))}, "statement"),
        ({"statement": tuples_to_lists(("!=", x, ZERO))}, "statement"),
        ({"statement": tuples_to_lists(("<", x, x))}, "statement"),
        ({"given": []}, "hypotheses"),
        ({"given": [tuples_to_lists(("<", ZERO, y))]}, "hypotheses"),
        ({"given": SAID["given"] * 2}, "hypotheses"),
        ({"steps": []}, "steps"),
        ({"steps": [["2", 0, [1]]]}, "steps"),
        ({"steps": [["1", 0, []]]}, "hypotheses of step 1"),
        ({"steps": [["1", 0, [0]]]}, "hypotheses of step 1"),
        ({"steps": [["1", 0, [0, 1]]]}, ""),
        ({"terms": [tuples_to_lists(("=", y, y)), tuples_to_lists(("<", ZERO, x))]}, "steps"),
    ],
)
def test_what_a_derivation_says_is_compared(change, name):
    step = JudgedStep("1", "a rule", frozenset(), ("=", x, x), (("<", ZERO, x),))
    judged = JudgedClaim("it", ("=", x, x), (("<", ZERO, x),), frozenset(), (step,), ())
    assert describe_claim_difference(judged, SAID | change) == name


def test_a_log_without_claims_is_none(tmp_path):
    path = tmp_path / "empty.log"
    path.write_text("".join(f"{line}\n" for line in log_lines({"seed": 0}, [])))
    with pytest.raises(Rejected, match="no record"):
        recheck(path)


def test_the_matrix_of_a_quadratic_form_in_an_exponent():
    """Of a x^2 + b x z + c z^2 it is that of second derivatives, with the other sign."""
    z = ("s", "z", "R")
    for a, b, c in ((-1, 1, -1), (-2, -3, -5), (-7, 2, -1)):
        form = ("+", ("*", num(a), power(x, 2)), ("*", num(b), x, z), ("*", num(c), power(z, 2)))
        (psd,) = moderate_growth_conditions(fn("exp", form), frozenset({x, z}))
        assert [value(entry) for entry in psd[2][1:]] == [-2 * a, -b, -b, -2 * c]


@pytest.mark.parametrize("place", range(3))
def test_steins_lemma_differentiates_in_one_variable_at_a_time(place):
    names = tuple(("s", name, "R") for name in "rst")
    rows = [[num(9), num(1), num(2)], [num(1), num(8), num(3)], [num(2), num(3), num(7)]]
    law = ("gauss", 3, ZERO, ZERO, ZERO, *(c for row in rows for c in row))
    h = ("lam", names, (("u", "h", "R", (0, 0, 0), *names),), ())
    made = apply_rule("stein", [], ("E", names, (ONE,), (law,)), h, place)
    terms = made.conclusion[2][1:]
    assert [t[1] for t in terms] == rows[place]
    assert [t[2][2][0][1] for t in terms] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def test_one_function_differentiates():
    """And no method of SymPy does, whose results nobody asks where they hold."""
    room = Path(differentiation.__file__).parent
    found = {file.name: file.read_text(encoding="utf-8") for file in room.glob("*.py")}
    assert not [name for name, text in found.items() if ".diff(" in text or "import sympy" in text]
    assert [name for name, text in found.items() if "def derivative(" in text] == [
        "differentiation.py"
    ]
