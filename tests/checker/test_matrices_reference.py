"""The extension `matrices` of the second checker: records by hand, and values in coordinates."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from tests._profile import THOROUGH, more
from tests.checker import matrix_look_alikes, matrix_records, reference  # noqa: F401 - all records
from tests.checker import matrix_values as mv
from tests.checker.matrix_expressions import (
    ALPHABET,
    Expressions,
    formed,
    letters_of_shape,
    moved,
    random_body,
    random_mean,
    random_word,
    trace,
)
from tests.checker.matrix_logs import BAD, GOOD, arithmetic, record, text_of
from tests.checker.matrix_nodes import A, B, M, N, c, eq, tr
from tests.checker.reference.arithmetic import Forms
from tests.checker.reference.matrix_means import mean as mean_of
from tests.checker.reference.matrix_means import terms_of
from tests.checker.reference.nodes import listed
from tests.checker.reference.terms import read


@pytest.fixture
def judge(tmp_path) -> Callable[..., Any]:
    def judged(*records: Any, header: tuple[str, ...] = ("matrices",)) -> Any:
        path = tmp_path / "hand.log"
        path.write_text(text_of(list(records), list(header)), encoding="utf-8")
        return reference.recheck(path)

    return judged


@pytest.mark.parametrize("name", GOOD)
def test_records_by_hand_are_accepted(name, judge):
    ((_, _, axioms),) = judge(GOOD[name])
    assert "extension matrices" in axioms


@pytest.mark.parametrize("name", BAD)
def test_what_looks_like_them_is_refused(name, judge):
    why, made = BAD[name]
    with pytest.raises(reference.Refused, match=why):
        judge(made)


# -- records that name the extension, and others ---------------------------------------------------

PLAIN = eq(c, c)
ABOUT = eq(tr(A, B), tr(B, A))


def test_a_record_that_uses_the_extension_names_it(judge):
    for made in GOOD.values():
        with pytest.raises(reference.Refused, match="of an extension"):
            judge({**made, "extensions": []}, header=())
    with pytest.raises(reference.Refused, match="not allowed"):
        judge(GOOD["size"], header=())


def test_a_record_that_uses_no_extension_names_none(judge):
    made = record(PLAIN, arithmetic(PLAIN), extensions=[], axioms=[])
    assert judge(made, header=())
    with pytest.raises(reference.Refused, match="does not use"):
        judge({**made, "extensions": ["matrices"]})
    with pytest.raises(reference.Refused, match="no record names"):
        judge(made)


UNUSED = {
    "row": {"terms": [tr(A)]},
    "part of a row": {"terms": [["tuple", A]]},
    "statement of a step": {
        "lines": [arithmetic(PLAIN), arithmetic(ABOUT)],
        "shown": 0,
        "steps": [["1", "rule", 1, ABOUT, []]],
    },
    "data of an inference": {"lines": [arithmetic(PLAIN), arithmetic(ABOUT)], "shown": 0},
    "symbol of an instance": {
        "lines": [arithmetic(PLAIN), ["instance", [0], [[N, M]]]],
        "shown": 0,
    },
    "hypothesis": {"given": [ABOUT]},
}


@pytest.mark.parametrize("place", UNUSED)
def test_a_head_that_is_read_anywhere_asks_for_the_name_alone(place, judge):
    """The theorem that is shown has no axiom of the extension, as nothing of it was used."""
    made = record(PLAIN, arithmetic(PLAIN), axioms=[], **{"shown": 0, **UNUSED[place]})
    assert judge(made) == [("claim", len(made["steps"]), frozenset())]
    with pytest.raises(reference.Refused, match="a head of an extension"):
        judge({**made, "extensions": []}, header=())


def test_the_axiom_comes_with_a_head_in_the_data(judge):
    instance = ["instance", [0], [[c, tr(A)]]]
    made = record(eq(tr(A), tr(A)), arithmetic(PLAIN), instance, given=(eq(tr(A), tr(A)),))
    assert judge(made)
    with pytest.raises(reference.Refused, match="the axioms are"):
        judge({**made, "axioms": []})


def test_who_cites_reads_no_head_and_has_the_axiom(judge):
    """A tautology that a cited claim about matrices shows: no head is read here."""
    cited = record(ABOUT, arithmetic(ABOUT))
    citing = record(PLAIN, ["logic", ["claim"], [PLAIN], PLAIN], given=(PLAIN,))
    citing.update(claim="other", extensions=[])
    assert [axioms for _, _, axioms in judge(cited, citing)] == [{"extension matrices"}] * 2
    with pytest.raises(reference.Refused, match="does not use"):
        judge(cited, {**citing, "extensions": ["matrices"]})
    with pytest.raises(reference.Refused, match="the axioms are"):
        judge(cited, {**citing, "axioms": []})


JUNK = [
    None, 0, "", "n", "1", "S>0", [], ["n"], ["M.id", "n"], ["M.id", ["n"]], ["M.mul"], A, N,
    ["M", 1, 2, 3, 4, 5], ["M.gauss", ["pi"], ["pi"]], ["M.T", A], ["M.inv", A],
    ["M.E", [A], [c], []],
]  # fmt: skip


@more
@pytest.mark.parametrize("seed", range(400 if THOROUGH else 40))
def test_malformed_records_are_refused_and_end_in_nothing_else(seed, judge):
    rng = random.Random(seed)
    before = GOOD[rng.choice(sorted(GOOD))]
    made = json.loads(json.dumps(before))
    places = [(data, i) for data in lists_in(list(made.values())) for i in range(len(data))]
    data, i = rng.choice([(data, i) for data, i in places if data is not places[0][0]])
    if rng.random() < 0.2:
        del data[i]
    else:
        data[i] = rng.choice(JUNK)
    if made != before:
        with pytest.raises(reference.Refused):
            judge(made)


def lists_in(data: Any) -> Iterator[list[Any]]:
    """Yield a list and all lists in it."""
    if isinstance(data, list):
        yield data
        for part in data:
            yield from lists_in(part)


# -- values in coordinates -------------------------------------------------------------------------

SIZES = {"n": 4, "m": 5}


def normal_form(t: Any) -> tuple[Forms, Any]:
    forms = Forms(64, [], [], {})
    return forms, forms.nf(read(t))


def value_of(forms: Forms, fraction: Any, world: mv.World) -> Fraction:
    """Return the value of a fraction, each generator by the word or the symbol that it is."""
    values = []
    for data in forms.generators:
        if data[0] == "dim":
            values.append(Fraction(world.size(data[1])))
        elif data[0] == "s":
            values.append(world.symbols[data[1], data[2]])
        else:
            values.append(trace_of_word(data[1], world))

    def at(p: Any) -> Fraction:
        total = Fraction(0)
        for m, number in p.terms.items():
            part = Fraction(number)
            for v, e in zip(values, forms.ring.exponents(m), strict=False):
                part *= v**e
            total += part
        return total

    return at(fraction[0]) / at(fraction[1])


def trace_of_word(word: Any, world: mv.World) -> Fraction:
    out = None
    for letter, inverse, transposed in word:
        a = world.letters[letter.params]
        a = mv.inverse(a) if inverse else a
        a = mv.flipped(a) if transposed else a
        out = a if out is None else mv.times(out, a)
    return sum((out[i][i] for i in range(len(out))), Fraction(0))


@more
@pytest.mark.parametrize("seed", range(400 if THOROUGH else 40))
def test_normal_forms_have_the_values_of_traces(seed):
    rng = random.Random(seed)
    make = Expressions(rng)
    for _ in range(5):
        n = make.size()
        t = ["M.tr", make.matrix(n, n, rng.randint(0, 3))]
        forms, fraction = normal_form(t)
        world = mv.random_world(rng, SIZES, t, ["s", "c", "R"])
        assert value_of(forms, fraction, world) == mv.number(t, world), t


@more
@pytest.mark.parametrize("seed", range(300 if THOROUGH else 30))
def test_moves_keep_a_cyclic_word(seed):
    rng = random.Random(seed)
    for _ in range(10):
        word = other = random_word(rng)
        for _ in range(rng.randint(1, 12)):
            other = moved(rng, other)
        forms = Forms(64, [], [], {})
        assert forms.nf(read(trace(word))) == forms.nf(read(trace(other))), (word, other)


@more
@pytest.mark.parametrize("seed", range(200 if THOROUGH else 20))
def test_cyclic_words_are_equal_exactly_if_their_values_are(seed):
    """Matrices of four rows tell words of seven letters apart, if their eigenvalues differ."""
    rng = random.Random(seed)
    worlds = [mv.random_world(rng, {"n": 4}, *ALPHABET) for _ in range(4)]
    equal = 0
    for _ in range(15):
        word = random_word(rng)
        other = list(word)
        rng.shuffle(other)
        for i, x in enumerate(other):
            if rng.random() < 0.1:
                other[i] = ["M.T", x]
        forms = Forms(64, [], [], {})
        a, b = (forms.nf(read(trace(w))) for w in (word, other))
        values = ([mv.number(trace(w), world) for w in (word, other)] for world in worlds)
        same = all(x == y for x, y in values)
        assert (a == b) == same, (word, other)
        equal += same
    assert equal


# -- means -----------------------------------------------------------------------------------------


def as_term(rest: dict[Any, Any]) -> Any:
    """Return the sum of counts times sizes times traces as a term."""
    parts = []
    for words, sizes in rest.items():
        for dims, count in sizes.items():
            factors = [["n", count, 1], *(["M.dim", n] for n in dims)]
            for w in words:
                x = [
                    ["M.inv", ["M", *a.params]] if inverse else ["M", *a.params]
                    for a, inverse, _ in w
                ]
                factors.append(
                    trace([["M.T", y] if z[2] else y for y, z in zip(x, w, strict=True)])
                )
            parts.append(["*", *factors])
    return ["+", *parts] if parts else ["n", 0, 1]


@more
@pytest.mark.parametrize("seed", range(300 if THOROUGH else 30))
def test_means_are_those_of_polynomials_in_gaussian_numbers(seed):
    rng = random.Random(seed)
    t = random_mean(rng, 6 if THOROUGH and seed % 3 == 0 else 4)
    node, forms = read(t), Forms(64, [], [], {})
    laws = dict(zip(node.vars, node.outside, strict=True))
    sizes = {"n": rng.randint(1, 3), "m": rng.randint(1, 2)}
    world = mv.random_world(rng, sizes, t, ["s", "c", "R"])
    total = Fraction(0)
    for words, factor in terms_of(forms, node.inside[0], frozenset(node.vars)).items():
        found = mv.number(as_term(mean_of(words, laws)), world)
        total += value_of(forms, factor, world) * found
    assert total == mv.number(t, world), t


@more
@pytest.mark.parametrize("seed", range(100 if THOROUGH else 12))
def test_isserlis_shows_the_mean_and_no_other_value(seed):
    """All letters are variables, and all sizes numerals: the mean is a number."""
    rng = random.Random(seed)
    variables = [
        ["M", "X", "M", "2", "3", ""],
        ["M", "Y", "M", "2", "2", ""],
        ["M", "g", "M", "2", "1", ""],
    ]
    variables = rng.sample(variables, rng.randint(1, 2))
    body = random_body(rng, variables, [["M.id", "2"]], 4)
    body = without_names(body)
    t = ["M.E", variables, [body], [["M.gauss", ["M.id", x[3]], ["M.id", x[4]]] for x in variables]]
    world = mv.World(symbols={("c", "R"): Fraction(0)})
    value = mv.number(t, world)

    def judged(v: Fraction) -> Any:
        goal = ["=", t, ["n", v.numerator, v.denominator]]
        return reference.prove("isserlis", [], [], goal, [8, [], [], []])

    assert judged(value).axioms == {"isserlis", "extension matrices"}
    for other in (value + 1, value / 2 + 1, -value - 1):
        if other != value:
            with pytest.raises(reference.Refused, match="another mean"):
                judged(other)


def without_names(t: Any) -> Any:
    """Return a term with numbers in the place of its symbols and sizes that are names."""
    if isinstance(t, list):
        if t[:1] == ["s"] or t == ["M.dim", "n"]:
            return ["n", 3, 2]
        return [without_names(p) for p in t]
    return t


def test_five_factors_with_four_letters_between_are_a_mean():
    """The mean of tr(S A S B S C S D S Z), S = X X'/N: 945 pairings."""
    X = ["M", "X", "M", "d", "N", ""]
    S = ["M.scale", ["^", -1, 1, ["M.dim", "N"]], ["M.mul", X, ["M.T", X]]]
    between = [["M", name, "M", "d", "d", ""] for name in "ABCDZ"]
    body = trace([y for x in between for y in (S, x)])
    node = read(["M.E", [X], [body], [["M.gauss", ["M.id", "d"], ["M.id", "N"]]]])
    ((words, _),) = terms_of(Forms(64, [], [], {}), node.inside[0], frozenset(node.vars)).items()
    means = mean_of(words, dict(zip(node.vars, node.outside, strict=True)))
    assert sum(count for sizes in means.values() for count in sizes.values()) == 945
    factor = ["^", -5, 1, ["M.dim", "N"]]
    goal = [
        "=",
        ["M.E", [X], [body], [["M.gauss", ["M.id", "d"], ["M.id", "N"]]]],
        ["*", factor, as_term(means)],
    ]
    assert reference.prove("isserlis", [], [], goal, [64, [], [], []])


# -- what rules conclude, in coordinates -----------------------------------------------------------


def check_in_worlds(rng: random.Random, theorem: Any, count: int = 6) -> int:
    """Assert the conclusion wherever the hypotheses hold; return how often they did."""
    hyps, said = [listed(h) for h in theorem.hypotheses.values()], listed(theorem.conclusion)
    held = 0
    for _ in range(count):
        sizes = {"n": rng.randint(1, 3), "m": rng.randint(1, 3), "k": rng.randint(1, 2)}
        world = mv.random_world(rng, sizes, said, *hyps)
        try:
            if all(mv.holds(h, world) for h in hyps):
                held += 1
                assert mv.holds(said, world), (said, hyps, world)
        except mv.Unknown:
            continue
    return held


def inferences(rng: random.Random, make: Expressions) -> tuple[str, list[Any], list[Any]]:
    """Return a random inference: the rule, its premises and its data."""
    n, k = make.size(), make.size()
    rule = rng.choice(["semidefinite", "semidefinite", "invertible", "trace of semidefinite",
                       "definite trace", "cauchy-schwarz for matrices", "sandwich", "symmetric",
                       "equal matrices", "size"])  # fmt: skip
    square = [formed(make, n, 2) for _ in range(2)]
    if rule in ("semidefinite", "invertible"):
        return rule, [], square[:1]
    if rule == "trace of semidefinite":
        return rule, [], square
    if rule == "definite trace":
        return rule, [], [formed(make, n, 1), make.matrix(n, k, 1), formed(make, k, 1)]
    if rule == "cauchy-schwarz for matrices":
        return rule, [], [make.matrix(n, k, 1), formed(make, n, 1), make.matrix(n, k, 1)]
    if rule == "size":
        return rule, [], [["M.dim", n]]
    a = square[0]
    other = rng.choice([a, ["M.T", a], ["M.scale", ["n", 1, 1], a]])
    equal = reference.prove("assume", [], ["M.eq", a, other])
    if rule == "sandwich":
        return rule, [equal], [make.matrix(k, n, 1), make.matrix(n, k, 1)]
    head = "M.psd" if rule == "symmetric" or rng.random() < 0.5 else "M.invertible"
    said = reference.prove("assume", [], [head, a])
    return rule, [said] if rule == "symmetric" else [said, equal], []


@more
@pytest.mark.parametrize("seed", range(200 if THOROUGH else 15))
def test_what_the_rules_conclude_holds_wherever_their_hypotheses_do(seed):
    rng = random.Random(seed)
    make, held = Expressions(rng), 0
    for _ in range(20):
        rule, premises, data = inferences(rng, make)
        try:
            theorem = reference.prove(rule, premises, *data)
        except reference.Refused:
            continue
        held += check_in_worlds(rng, theorem)
    assert held


@more
@pytest.mark.parametrize("seed", range(200 if THOROUGH else 15))
def test_instances_hold_wherever_their_conditions_do(seed):
    """Cyclic words that are equal, of which letters and sizes get other values."""
    rng = random.Random(seed)
    make, held = Expressions(rng), 0
    for _ in range(12):
        word = random_word(rng)
        other = moved(rng, moved(rng, moved(rng, word)))
        goal = ["=", trace(word), trace(other)]
        theorem = reference.prove("arithmetic", [], [], goal, [20, [], [], []])
        letters = [["M", *x] for x in mv.letters_in(goal)]
        if rng.random() < 0.2:
            pairs = [[["M.dim", "n"], ["M.dim", rng.choice(["m", "1", "2", "n"])]]]
        else:
            pairs = []
            for x in letters:
                way = rng.random()
                if way < 0.3 or (not x[5] and rng.random() < 0.3):
                    values = [y for y in letters_of_shape("n", "n") if y[2] in ("S>0", "GL")]
                    pairs.append([x, rng.choice(values)])
                elif way < 0.6:
                    pairs.append([x, formed(make, "n", 1)])
                elif x[5]:
                    pairs.append(
                        [x, rng.choice([y for y in letters_of_shape("n", "n") if y[5] == "H"])]
                    )
        try:
            theorem = reference.prove("instance", [theorem], pairs)
        except reference.Refused:
            continue
        held += check_in_worlds(rng, theorem)
    assert held


@more
@pytest.mark.parametrize("seed", range(100 if THOROUGH else 10))
def test_derivatives_of_traces_are_those_of_polynomials(seed):
    """The value of a trace is a polynomial in x: its derivative follows from values at points."""
    rng = random.Random(seed)
    x = ["s", "x", "R"]
    make = Expressions(rng)
    ways = [x, ["^", 2, 1, x], ["+", ["n", 1, 1], ["*", ["s", "c", "R"], x]]]
    make.number = lambda: rng.choice(ways)  # type: ignore[method-assign]
    for _ in range(5):
        n = make.size()
        t = ["M.tr", make.matrix(n, n, 2)]
        node = ["d", [1], [x], [t], [x]]
        theorem = reference.prove("derivative", [], node)
        slope = listed(theorem.conclusion.parts[1])
        world = mv.random_world(rng, {"n": 2, "m": 2}, t, slope, x)
        degree = str(t).count("'x'") * 2
        points = [Fraction(i) for i in range(degree + 1)]
        values = []
        for p in points:
            world.symbols["x", "R"] = p
            values.append(mv.number(t, world))
        world.symbols["x", "R"] = here = Fraction(1, 3)
        assert mv.number(slope, world) == derivative_at(points, values, here), t


def derivative_at(points: list[Fraction], values: list[Fraction], x: Fraction) -> Fraction:
    """Return the derivative at x of the polynomial with these values, by divided differences."""
    table, coefficients = list(values), []
    for k in range(len(points)):
        coefficients.append(table[0])
        table = [
            (b - a) / (points[i + k + 1] - points[i]) for i, (a, b) in enumerate(pairwise(table))
        ]
    value, slope = Fraction(0), Fraction(0)
    for a, p in zip(reversed(coefficients), reversed(points), strict=True):
        value, slope = value * (x - p) + a, slope * (x - p) + value
    return slope
