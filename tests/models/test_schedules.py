"""Schedules of parameters: values, bad ones, and the words for them."""

import numpy as np
import pytest

from slrsym.models.training.schedules import (
    Tabulated,
    as_schedule,
    describe_schedule,
    parameter_values,
    schedule_from_text,
)
from slrsym.papers.single_location.dynamics import Constant, Formula, InverseTimeDecay

STEPS = np.array([0, 1, 10, 10_000])


def test_values():
    assert Constant(0.3)(STEPS).tolist() == [0.3] * 4
    # Figure 4a: 1 / (1 + 1e-4 t).
    assert InverseTimeDecay(1, 1e-4)(STEPS) == pytest.approx(
        [1, 1 / 1.0001, 1 / 1.001, 0.5], rel=1e-15
    )
    assert InverseTimeDecay(2, 0)(STEPS).tolist() == [2.0] * 4
    assert Tabulated([3.0, 2.0, 1.0])(np.array([2, 0])).tolist() == [1.0, 3.0]


def test_what_may_be_given():
    assert as_schedule(0.5) == Constant(0.5)
    assert as_schedule(np.float32(0.5)) == Constant(0.5)
    assert as_schedule(np.array(2)) == Constant(2.0)
    assert isinstance(as_schedule([0.1, 0.2]), Tabulated)
    rule = InverseTimeDecay(1, 1e-3)
    assert as_schedule(rule) is rule
    assert as_schedule(len) is len


def test_a_table_is_not_the_callers_array():
    values = np.array([1.0, 2.0])
    table = as_schedule(values)
    values[0] = 7.0
    assert table(np.array([0])).tolist() == [1.0]


def test_temperatures_include_both_ends():
    assert parameter_values(Constant(0.3), 5, 8).tolist() == [0.3] * 4
    assert parameter_values(lambda t: 1.0 + t, 3, 3).tolist() == [4.0]
    assert parameter_values(lambda t: [1, 2, 3], 0, 2).tolist() == [1.0, 2.0, 3.0]
    assert parameter_values(lambda t: 0.5, 1, 2).tolist() == [0.5, 0.5]
    assert parameter_values([3, 2, 1, 4], 1, 2).tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        (0, "schedule must be positive and finite; got 0"),
        (-1.5, "schedule must be positive and finite; got -1.5"),
        (np.nan, "schedule must be positive and finite; got nan"),
        (None, "schedule must be a number, a list of numbers or a function of steps; got None"),
        ("cold", "schedule must be a number, a list of numbers or a function of steps; got 'cold'"),
        (1j, "schedule must be a number.*got 1j"),
        ([[1.0]], r"schedule must be a list of numbers; it has shape \(1, 1\)"),
        ([], r"schedule must be a list of numbers; it has shape \(0,\)"),
        ([1, [2, 3]], "schedule must be a number, a list"),
    ],
)
def test_what_may_not_be_given(schedule, said):
    with pytest.raises(ValueError, match=said):
        as_schedule(schedule)


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        (lambda t: -0.5, "positive and finite; it is -0.5 at step 0"),
        (lambda t: t[1:] + 1.0, r"each of 11 steps; it gave an array of shape \(10,\)"),
        (lambda t: 3.0 - t, "positive and finite; it is 0.0 at step 3"),
        (lambda t: np.where(t == 4, np.inf, 1.0), "positive and finite; it is inf at step 4"),
        (lambda t: "warm", "schedule must be a function that gives numbers; got 'warm'"),
        (lambda t: t + 1j, "schedule must be a function that gives numbers"),
        (Tabulated(np.ones(10)), "a value for each step from 0 to 10, that is 11; got 10"),
        (Tabulated([1.0, -2.0, *[1.0] * 9]), "positive and finite; it is -2.0 at step 1"),
    ],
)
def test_what_may_not_come_of_it(schedule, said):
    with pytest.raises(ValueError, match=said):
        parameter_values(schedule, 0, 10)


@pytest.mark.parametrize(
    ("given", "sorts", "said"),
    [
        (-1, ("real", "positive"), "L must be positive and finite; it is -1.0 at step 0"),
        ([0, 1, -1], ("nonnegative",), "L must be finite and not negative; it is -1.0 at step 2"),
        ([1, 2, 2.5], ("integer",), "L must be an integer; it is 2.5 at step 2"),
        (np.nan, ("real",), "L must be finite; it is nan at step 0"),
        ([1, 2], ("real",), "L must have a value for each step from 0 to 2, that is 3; got 2"),
        ("x", ("real",), "L must be a number, a list of numbers or a function of steps; got 'x'"),
        (lambda t: t[:2], ("real",), r"L must give one number, .* of 3 steps; .* shape \(2,\)"),
    ],
)
def test_parameters_of_other_sorts(given, sorts, said):
    assert parameter_values(0, 0, 2, "L", ("real", "nonnegative", "integer")).tolist() == [0.0] * 3
    with pytest.raises(ValueError, match=said):
        parameter_values(given, 0, 2, "L", sorts)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Constant(0), "lam must be positive and finite; got 0"),
        (lambda: Constant("x"), "lam must be positive and finite; got 'x'"),
        (lambda: Constant(None), "lam must be positive and finite; got None"),
        (lambda: InverseTimeDecay(-1, 1), "lam0 must be positive and finite; got -1"),
        (lambda: InverseTimeDecay(1, -1e-9), "c must be finite and not negative; got -1e-09"),
        (lambda: InverseTimeDecay(1, np.inf), "c must be finite and not negative; got inf"),
        (lambda: InverseTimeDecay(1, "x"), "c must be finite and not negative; got 'x'"),
    ],
)
def test_bad_numbers(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        ("0.1", Constant(0.1)),
        ("1/(1+1e-4*t)", InverseTimeDecay(1, 1e-4)),
        (" 2 / (1 + 0.001 t)", InverseTimeDecay(2, 1e-3)),
        ("3/(1+t)", InverseTimeDecay(3, 1)),
        (repr(Constant(1 / 3)), Constant(1 / 3)),
        (repr(InverseTimeDecay(1 / 3, 1e-4 / 7)), InverseTimeDecay(1 / 3, 1e-4 / 7)),
        ("0.1 + exp(-t/100)", Formula("0.1 + exp(-t/100)")),
    ],
)
def test_schedules_in_words(text, schedule):
    assert schedule_from_text(text) == schedule
    assert schedule_from_text(describe_schedule(schedule)) == schedule


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("1/(1+t*t)", lambda t: 1 / (1 + t * t)),
        ("2", lambda t: 2 + 0 * t),
        ("-cos(pi*t/7) + +3", lambda t: 3 - np.cos(np.pi * t / 7)),
        ("max(1e-3, exp(-t/100)) * 2**-0.5", lambda t: np.maximum(1e-3, np.exp(-t / 100)) / 2**0.5),
        ("min(sqrt(t), abs(log(t + 1) - 2)) + tanh(t) - sin(t)", lambda t: (
            np.minimum(np.sqrt(t), abs(np.log(t + 1) - 2)) + np.tanh(t) - np.sin(t)
        )),
        ("10**-400 + 1", lambda t: 1 + 0 * t),
    ],
)  # fmt: skip
def test_formulas(text, function):
    steps = np.arange(2000, dtype=np.int64)
    found = Formula(text)(steps)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, function(steps.astype(float)), rtol=1e-14, atol=0)
    assert describe_schedule(Formula(text)) == text


@pytest.mark.parametrize("text", ["t", "1/t", "9**9**9**9", "log(t)", "1 - t/2"])
def test_formulas_are_positive_and_finite(text):
    with pytest.raises(ValueError, match=r"schedule must be positive and finite; it is .* at step"):
        parameter_values(schedule_from_text(text), 0, 3)


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "1/(1+*t)", "Constant(lam=)", "1/(1-1e-4t)", "1j", "t.real", "t[0]", "exp",
        "exp()", "min(t)",
        "exp(t, t)", "exp(x=t)", "exp(*t)", "__import__('os')", "(lambda: 1)()", "t and 1", "1 < t",
        "[1, 2]", "'1'", "1 // t", "1 if t else 2", "(" * 300 + ")" * 300, "1" * 5000 + "+t", "t\0",
    ],
    ids=lambda text: text[:12] or "empty",
)  # fmt: skip
def test_other_words(text):
    with pytest.raises(ValueError, match="schedule must be a number, or a formula in the step t"):
        schedule_from_text(text)


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "0"])
def test_numbers_are_positive_and_finite(text):
    with pytest.raises(ValueError, match=f"schedule must be finite and positive; got {text}|posit"):
        schedule_from_text(text)


def test_what_has_no_words():
    assert describe_schedule(lambda t: t) == "user-given"
    assert describe_schedule(Tabulated([1.0, 2.0])) == "Tabulated(2 values)"
    for words in ("user-given", "Tabulated(2 values)"):
        with pytest.raises(ValueError, match="schedule must be a number"):
            schedule_from_text(words)
