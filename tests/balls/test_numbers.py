"""Exact numbers, their ranges, and what is refused."""

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from slrsym.balls.boxes import (
    decimal_text_below,
    parse_parameter_range,
    parse_rational_interval,
    parse_rational_or_root,
)
from tests._profile import thorough_only


@pytest.mark.parametrize(
    ("value", "square"),
    [
        ("0.1", Fraction(1, 100)),
        (0.1, Fraction(0.1) ** 2),
        ("1/3", Fraction(1, 9)),
        ("sqrt(1/2)", Fraction(1, 2)),
        ("sqrt(0.5)", Fraction(1, 2)),
        ("1e-3", Fraction(1, 10**6)),
        (Fraction(2, 3), Fraction(4, 9)),
        (400, Fraction(160000)),
    ],
)
def test_numbers_are_taken_as_they_are(value, square):
    assert parse_rational_or_root("x", value).square == square
    assert parse_rational_or_root(
        "x", str(parse_rational_or_root("x", value))
    ) == parse_rational_or_root("x", value)


@pytest.mark.parametrize(
    "value",
    ["", "a", "1/0", "-1", "sqrt(-1)", "0x1", "nan", "inf", float("nan"), float("inf"), True, None,
     "1e99999", "__import__('os')", [1], 1j],
)  # fmt: skip
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ValueError, match="gamma must be"):
        parse_parameter_range("gamma", value if value != [1] else [[1]])


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("lam", "0.2..0.1", "goes upwards"),
        ("lam", 0, "must be positive"),
        ("lam", "0..1", "must be positive"),
        ("d", "1.5", "at least 2"),
        ("L", "1/2", "at least 1"),
        ("lam", (1, 2, 3), "two ends"),
        ("d", "1e51", "at most 1e50"),
        ("lam", "1e-400", "at least 1e-50"),
        ("lam", "1..1e1000", "at most 1e50"),
    ],
)
def test_ranges_that_are_refused(name, value, why):
    with pytest.raises(ValueError, match=f"{name} must be .*{why}|{why}"):
        parse_parameter_range(name, value)


@thorough_only
@given(
    st.fractions(0, 10, max_denominator=1000),
    st.fractions(Fraction(1, 100), 10, max_denominator=1000),
    st.booleans(),
)
def test_halves_cover_a_range(low, more, root):
    ends = [f"sqrt({x})" if root else str(x) for x in (low + Fraction(1, 7), low + more + 1)]
    whole = parse_parameter_range("lam", ends)
    left, right = whole.halves()
    assert (left.low, left.high, right.high) == (whole.low, right.low, whole.high)
    assert whole.to_ball().contains(left.high.to_ball())


@given(st.floats(-1e30, 1e30), st.integers(2, 8))
def test_lower_decimals_are_below(x, digits):
    text = decimal_text_below(arb(x), digits)
    assert Fraction(text) < Fraction(x)
    assert Fraction(x) - Fraction(text) <= abs(Fraction(x)) * 10 ** (3 - digits) + 1


def test_balls_hold_the_number():
    with ctx.workdps(30):
        ball = parse_rational_or_root("gamma", "sqrt(1/2)").to_ball()
        assert (ball * ball).contains(arb(1) / 2)
        assert ball.rad() < 1e-28


def test_intervals_of_any_sign():
    assert parse_rational_interval("t", "-0.5..1/3") == (Fraction(-1, 2), Fraction(1, 3))
    with pytest.raises(ValueError, match="t must be a rational number"):
        parse_rational_interval("t", "sqrt(2)")
    with pytest.raises(ValueError, match="t must be an interval that goes upwards"):
        parse_rational_interval("t", (1, 0))
