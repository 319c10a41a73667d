"""Data of rules that would make false theorems: other forms, other types, and names that deceive.

Each was accepted once, or is a near variant of one that was.
"""

from __future__ import annotations

import pytest

from slrsym.checker.term import (
    Rejected,
    canonical_key,
    definedness_equation,
    num,
    parse_term,
    substitute,
)
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.log_records import tuples_to_lists
from tests.checker.attack_terms import SUM, X, Y, Z
from tests.checker.terms import NORMAL, ONE, TWO, ZERO, assume, mean

# -- sentences that rules look into ---------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        ("o", "integer"), ("o", "integer", X, ("n", 1, 2)), ("o", "integer",
        definedness_equation(X)), ("o", "psd", X), ("o", "psd", ("tuple",)), ("o", "psd", ("tuple",
        X, X, X)), ("o", "psd", ("tuple", definedness_equation(X))), ("o", "psd", ("tuple", X),
        ("tuple", X)), ("o", "moderate", X), ("o", "moderate"), ("o", "moderate", ("lam", (X,),
        (X,), (Y,))),
    ],
)  # fmt: skip
def test_sentences_of_another_form(sentence):
    with pytest.raises(Rejected):
        parse_term(tuples_to_lists(sentence))


def test_the_image_of_a_matrix_has_the_size_of_its_factor():
    p = ("o", "psd", ("tuple", X))
    for source in (p, ("tuple", X), ("tuple",), X, ("o", "integer", X)):
        for factor in ((), (X, X)):
            with pytest.raises(Rejected):
                apply_rule("psd image", [], p, source, factor)
    asked = apply_rule("psd image", [], p, ("tuple", Y), (X,)).hypotheses
    assert canonical_key(("<=", ("n", 0, 1), Y)) in asked
    assert canonical_key(definedness_equation(X)) in asked


# -- data that rules stumble over ------------------------------------------------------------------

SAID = assume(("<", ZERO, X))
STUMBLES = [
    ("generalise", [SAID], (("pi",),)), ("chain", [SAID, assume(("forall", (Y,), (
        ("<", ZERO, Y),), ()))], ()), ("defined", [SAID], ([{}],)), ("defined", [SAID], ([True],)),
    ("independent", [], (mean(("*", X, Y), (X, Y), (NORMAL, NORMAL)), [[[]], [1]])),
    ("instance", [SAID], (((("u", "f", "R", 1), ("lam", (Y,), (Y, Y), ())),),)),
    ("instance", [SAID], (((X, ("<", ZERO, Y)),),)), ("instance", [SAID], (((X, ("tuple", Y)),),)),
    ("instance", [SAID], (((X, ("oo",)),),)),
    ("instance", [SAID], (((X, ("u", "f", "R", (0, 0), ("s", "y", "R) (s z R"))),),)),
    ("theorem", [], ("null-union", ("o", "NullStarts", ("tuple", ("text", "BoxMap"), ("lam", (X,),
        (X,), ()), ("tuple", ZERO), ("tuple", ONE)), ("text", "a")),
        (("tuple", ("set", ("tuple", ZERO))),))),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(STUMBLES)))
def test_what_a_rule_cannot_read_is_refused(number):
    rule, premises, data = STUMBLES[number]
    with pytest.raises(Rejected):
        apply_rule(rule, premises, *data)


def test_rewriting_makes_no_copies_of_copies():
    outer = ("copies", (X,), (("*", X, Z),), (TWO, NORMAL))
    said = assume(("=", outer, ZERO))
    with pytest.raises(Rejected):
        apply_rule("rewrite", [said, assume(("=", Z, SUM))], [[1, [2, 0], 2]])


def test_a_conclusion_is_no_deeper_than_what_is_read():
    deep = X
    for _ in range(140):
        deep = ("f", "exp", deep)
    with pytest.raises(Rejected):
        apply_rule("instance", [assume(("=", deep, Y))], ((X, substitute(deep, {X: Z})),))


# -- data that no log could say --------------------------------------------------------------------

UNREADABLE = {
    "a name that no letter begins": mean(("*", X, ("s", "_0", "R"))),
    "a name with a space": ("*", X, ("s", "x y", "R")),
    "a name that is empty": ("s", "", "R"),
    "an unknown sort": ("s", "x", "C"),
    "an unknown function": ("f", "gamma", X),
    "a function of two arguments": ("f", "erf", X, Y),
    "a fraction not in lowest terms": ("*", X, ("n", 2, 4)),
    "a float": ("+", X, ("n", 0.5, 1)),
    "an exponent of nothing": ("^", 0, 1, X),
    "a formula for a term": ("+", X, ("=", X, Y)),
    "a law for a term": ("+", X, NORMAL),
    "a variable bound twice": ("E", (X, X), (X,), (NORMAL, NORMAL)),
    "an unknown head": ("?", X),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_rules_take_nothing_that_a_log_could_not_say(name):
    t = UNREADABLE[name]
    p = ("=", t, t)
    for rule, data in (
        ("assume", (p,)), ("logic", ((p,), p)), ("order", (t, ZERO)), ("instance", (((X, t),),)),
        ("arithmetic", ((p,), p, [8, [], [0], []])), ("absolute value", (t,)),
    ):  # fmt: skip
        premises = [assume(("<", ZERO, X))] if rule == "instance" else []
        with pytest.raises(Rejected):
            apply_rule(rule, premises, *data)


# -- objects that give other parts when they are read again ---------------------------------------

FALSE = ("<", ONE, ZERO)


class Turning(list):
    """A list that is one thing for some readings, and another one after that."""

    def __init__(self, first, second, readings):
        super().__init__(first)
        self.second, self.left = second, readings

    def __iter__(self):
        self.left -= 1
        return iter(self.second) if self.left < 0 else super().__iter__()


@pytest.mark.parametrize("readings", range(6))
def test_premises_are_read_once(readings):
    class Fake:
        hypotheses, axioms, conclusion = {}, frozenset(), FALSE

    true = apply_rule("symbol", [], X)
    with pytest.raises(Rejected):
        apply_rule("logic", Turning([true], [Fake()], readings), (), FALSE)


class Alike(str):
    """A text that is equal to another one."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("R")


@pytest.mark.parametrize(
    "term",
    [
        ("s", "x", Alike("R>0")),
        ("s", Alike("x"), "R"),
        ("f", Alike("R"), X),
        ("u", "f", Alike("R>0"), (0,), X),
        ("u", "f", "R", Turning([0], [1], 1), X),
        ("ix", Alike("c"), "R", ONE),
    ],
)
def test_words_and_orders_are_of_the_types_themselves(term):
    with pytest.raises(Rejected):
        apply_rule("assume", [], ("<", ZERO, term))


@pytest.mark.parametrize("readings", range(8))
def test_pairs_are_a_tuple(readings):
    y = ("s", "y", "R>0")
    pairs = Turning([(y, ONE)], [(y, num(-1))], readings)
    with pytest.raises(Rejected, match="tuple of pairs"):
        apply_rule("instance", [apply_rule("symbol", [], y)], pairs)
    with pytest.raises(Rejected, match="tuple of pairs"):
        apply_rule("instance", [apply_rule("symbol", [], y)], ([y, ONE],))


def test_data_of_json_are_plain():
    with pytest.raises(Rejected, match="lists, texts and integers"):
        apply_rule("numbers", [], ("<", ZERO, ONE), Turning([64], [64], 9))
    with pytest.raises(Rejected, match="lists, texts and integers"):
        apply_rule("unchecked", [], Alike("x"), (), FALSE)


# -- what reads like something else ---------------------------------------------------------------


@pytest.mark.parametrize(
    "term",
    [
        *(
            ("s", name, "R<0")
            for name in ("pi", "π", "oo", "e", "E", "x^2", "exp", "sum", "pi'", "e'", "π'", "E^*")
        ),
        ("s", "x^2", "R"),
        ("ix", "x^2", "R<0", ONE),
        *(("u", name, "R<0", (0,), X) for name in ("exp", "E", "erf'", "lam", "x^2")),
        *(("s", name, "R") for name in ("x_{1}", "a.b", "a*b", "k^", "_x", "1x", "x\n", "о", "")),
    ],
)
def test_a_name_reads_like_nothing_else(term):
    with pytest.raises(Rejected, match=r"no symbol|no function"):
        apply_rule("assume", [], ("<", term, ZERO))


@pytest.mark.parametrize("term", [
    ("s", "k^*", "R"), ("s", "W_12''", "R>0"), ("s", "e", "R"), ("s", "E", "R"), ("s", "θ_1", "R"),
    ("ix", "beta^2", "R", ONE), ("u", "q_star", "R", (0,), X),
])  # fmt: skip
def test_usual_names_are_names(term):
    assert assume(("<", term, ZERO)).conclusion == ("<", term, ZERO)


@pytest.mark.parametrize("name", ["\x1b[2A\x1b[J289 claims", "a\nb", " a", "", "ä", 7, "a" * 201])
def test_the_name_of_an_unchecked_statement_can_be_shown(name):
    with pytest.raises(Rejected, match="unchecked"):
        apply_rule("unchecked", [], name, (), FALSE)


def test_a_symbol_is_given_no_function():
    fact = apply_rule("arithmetic", [], (), ("<=", ZERO, ("^", 2, 1, X)), [4, [], [], []])
    for_all = apply_rule("generalise", [fact], X)
    assert apply_rule("specialise", [for_all], (Y,)).conclusion[2] == ("^", 2, 1, Y)
    with pytest.raises(Rejected, match="no term"):
        apply_rule("specialise", [for_all], (("lam", (Y,), (Y,), ()),))
