"""What is shown of unknown functions is true in coordinates, where faults of rules are found."""

from __future__ import annotations

import random

import pytest

from tests._profile import NIGHTLY, THOROUGH, more
from tests.checker import function_values as fv
from tests.checker.fuzz.function_search import Wrong, run
from tests.checker.fuzz.functions import (
    DRAFTS,
    A,
    Functions,
    a,
    flipped,
    g,
    mean,
    moved,
    num,
    tr,
    x,
)
from tests.checker.reference import (
    matrix_functions,
    matrix_nodes,
    matrix_traces,
    matrix_words,
    nodes,
    terms,
)

RULES = (
    "compare means", "equal vectors", "generalise letters", "mean exists", "poincare for matrices",
    "specialise letters", "stein for matrices",
)  # fmt: skip


@more
def test_accepted_inferences_hold_in_coordinates():
    counts = run(6_000 if NIGHTLY else 1_250 if THOROUGH else 420, seed=11)
    for row in DRAFTS:
        assert counts[row, "shown"], row
        assert counts[f"{row}, near", "refused"], row


def test_each_rule_has_a_row():
    assert {*RULES} < {*DRAFTS}


# -- the model by itself ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_gradients_and_hessians_are_slopes(seed):
    """The slopes of h(x + t a), by the values of the polynomial alone."""
    world = fv.World(seed, {"d": 1 + seed % 3})
    t = ("s", "t", "R")
    line = moved(x, t, a)
    for order, value in (
        (1, tr(flipped(("M.grad", "h", line)), a)),
        (2, tr(flipped(a), ("M.hess", "h", line), a)),
    ):
        node = ("d", (order,), (t,), (("M.h", "h", line),), (t,))
        assert world.number(node) == world.number(value)
    assert world.matrix(("M.hess", "h", x)) == fv.flipped(world.matrix(("M.hess", "h", x)))


def test_moments_are_those_of_gaussian_numbers():
    world = fv.World(1, {"d": 2})
    law = (("M.gauss", ("M.id", "d"), ("M.id", "1")),)
    square = tr(flipped(g), g)
    # The mean of the n-th power of a chi-square variable with 2 degrees of freedom is 2^n n!.
    for n, value in ((1, 2), (2, 8), (3, 48), (4, 384)):
        assert world.number(mean((g,), ("^", n, 1, square), law)) == value
    assert world.number(mean((g,), tr(flipped(a), g), law)) == 0


def test_two_sizes_are_two_functions():
    world = fv.World(2, {"d": 2, "N": 2})
    assert world.function("h", "d") != world.function("h", "N")
    assert world.function("h", "d") != world.function("k", "d")
    assert all(max(map(sum, world.function(name, "d"))) == fv.DEGREE for name in "hk")


def test_what_is_undefined_is_not_equal_to_itself():
    world = fv.World(3, {"d": 2})
    lost = ("M.scale", num(0), ("M.scale", ("^", -1, 1, num(0)), x))
    assert not world.holds(("=", ("M.h", "h", lost), ("M.h", "h", lost)))
    assert not world.holds(("M.eq", lost, lost))


def test_formulas_about_all_letters():
    world = fv.World(4, {"d": 2})
    least = ("M.forall", (x,), (("<=", num(0), tr(flipped(x), x)),), ())
    assert world.holds(least)
    strict = ("M.forall", (x,), (("<", num(0), tr(flipped(x), x)),), ())
    world.probes = [world.matrix(("M.scale", num(0), x))]
    assert not world.holds(strict)
    other = ("M.forall", (x,), (("=", tr(flipped(x), x), tr(flipped(x), a)),), ())
    assert not world.holds(other)
    turned = ("M.forall", (A,), (("=", tr(A), tr(flipped(A))),), ())
    assert world.holds(turned)


# -- faults that are planted in the second checker -------------------------------------------------


def _forget_the_covariance(monkeypatch):
    first = matrix_functions.mean_of

    def standard(xs, f, laws):
        xs = [*xs]
        if f.head == "d":
            units = [[nodes.build("M.id", (n,)) for n in matrix_nodes.shape(v)] for v in xs]
            laws = [nodes.build("M.gauss", (), tuple(pair)) for pair in units]
        return first(xs, f, laws)

    monkeypatch.setattr(matrix_functions, "mean_of", standard)
    return ["stein for matrices"]


def _move_one_occurrence(monkeypatch):
    monkeypatch.setattr(
        matrix_functions,
        "subst",
        lambda t, line: t if matrix_nodes.is_matrix(t) else terms.subst(t, line),
    )
    return ["stein for matrices"]


def _move_the_first_variable_alone(monkeypatch):
    first = matrix_functions.moved

    def moved_once(moves, taken):
        s, line = first(moves, taken)
        return s, dict([*line.items()][:1])

    monkeypatch.setattr(matrix_functions, "moved", moved_once)
    return ["poincare for matrices"]


def _let_hypotheses_speak_of_the_variable(monkeypatch):
    monkeypatch.setattr(matrix_functions, "leaving", lambda node, hypotheses: {**hypotheses})
    return ["compare means"]


def _allow(monkeypatch, why):
    """Drop a condition of a rule, by the reason that it gives."""
    first = matrix_functions.need
    monkeypatch.setattr(
        matrix_functions, "need", lambda condition, said: first(condition or said == why, said)
    )


def _generalise_under_a_hypothesis(monkeypatch):
    _allow(monkeypatch, "a letter is free in a hypothesis")
    return ["generalise letters"]


def _allow_random_factors(monkeypatch):
    _allow(monkeypatch, "a factor is random")
    return ["compare means"]


def _take_the_letter_for_its_copy(monkeypatch):
    first = matrix_functions.fresh
    monkeypatch.setattr(
        matrix_functions, "fresh", lambda v, taken: v if v.head == "M" else first(v, taken)
    )
    return ["stein for matrices"]


def _transpose_the_order_alone(monkeypatch):
    for module in (matrix_words, matrix_traces):
        monkeypatch.setattr(module, "turned", lambda word: word[::-1])
    return ["arithmetic: functions"]


def _take_equal_vectors_for_the_same_function(monkeypatch):
    first = matrix_functions.value_at
    monkeypatch.setattr(
        matrix_functions,
        "value_at",
        lambda node, v: first(nodes.build(node.head, ("k",), node.parts), v),
    )
    return ["equal vectors"]


def _let_a_binder_catch(monkeypatch):
    monkeypatch.setattr(
        "tests.checker.reference.substitution.apart", lambda letters, taken: {v: v for v in letters}
    )
    return ["specialise letters"]


def _run_with_seeds(seeds, rows):
    for seed in seeds:
        run(250, seed, rows)


FAULTS = [
    _forget_the_covariance, _move_one_occurrence, _move_the_first_variable_alone,
    _let_hypotheses_speak_of_the_variable, _generalise_under_a_hypothesis, _allow_random_factors,
    _take_the_letter_for_its_copy, _transpose_the_order_alone,
    _take_equal_vectors_for_the_same_function, _let_a_binder_catch,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__.strip("_"))
def test_faults_of_rules_are_found(fault, monkeypatch):
    rows = fault(monkeypatch)
    with pytest.raises(Wrong):
        _run_with_seeds(range(8), rows)


def test_drafts_are_the_same_for_one_seed():
    drawn = [[DRAFTS[row](Functions(random.Random(5))) for row in DRAFTS] for _ in range(2)]
    assert drawn[0] == drawn[1]
