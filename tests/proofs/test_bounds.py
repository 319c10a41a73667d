"""Ranges contain every value, refuse what may be undefined, and are not wider than need be."""

from __future__ import annotations

import random

import pytest
from mpmath import mpf
from sympy import (
    Abs,
    And,
    Derivative,
    Eq,
    EulerGamma,
    Expr,
    Function,
    Ge,
    Gt,
    Heaviside,
    I,
    Integral,
    Le,
    Max,
    Min,
    Mul,
    Ne,
    Or,
    Piecewise,
    Rational,
    S,
    Sum,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    floor,
    log,
    oo,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tanh,
)

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, NoiseLaw, standard_normal
from slrsym.proofs.intervals import REALS, NoRange, RealInterval
from slrsym.proofs.ranges import GivenValues, RangeFinder
from tests._profile import THOROUGH, more
from tests.proofs._fuzz import (
    SYMBOLS,
    Unclear,
    points,
    random_expression,
    random_hypothesis,
    sharp_value,
)

x, y = symbols("x y", real=True)
p = Symbol("p", positive=True)
q = Symbol("q", nonnegative=True)
m = Symbol("m", negative=True)
k = Symbol("k", integer=True)
n = Symbol("n", integer=True, nonnegative=True)
half = Rational(1, 2)


def range_of(expr: Expr, facts: GivenValues | None = None) -> RealInterval:
    return RangeFinder(facts or GivenValues()).range(S(expr))


def interval(text: str) -> RealInterval:
    low, high = text[1:-1].split(",")
    return RealInterval(S(low), S(high), text[0] == "(", text[-1] == ")")


# -- intervals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "low_open", "high_open", "message"),
    [
        (1, 0, False, False, "empty"),
        (1, 1, True, False, "empty"),
        (1, 1, False, True, "empty"),
        (0.5, 1, False, False, "low must be a rational number"),
        (0, pi, False, False, "high must be a rational number"),
    ],
)
def test_what_is_no_interval_is_refused(
    low: Expr, high: Expr, low_open: bool, high_open: bool, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        RealInterval(low, high, low_open, high_open)


@pytest.mark.parametrize(
    ("computed", "wanted"),
    [
        (interval("[0,1]") + interval("(2,3]"), "(2,4]"),
        (interval("[0,1]") - interval("(2,3]"), "[-3,-1)"),
        (interval("(0,oo)") + interval("(-oo,0)"), "(-oo,oo)"),
        (interval("[-1,2]") * interval("[-3,1]"), "[-6,3]"),
        (interval("(0,2)") * interval("[0,3]"), "[0,6)"),
        (interval("(0,2)") * interval("(0,3]"), "(0,6)"),
        (interval("[0,1]") * interval("(0,oo)"), "[0,oo)"),
        (interval("[0,0]") * interval("(-oo,oo)"), "[0,0]"),
        (abs(interval("(-3,2]")), "[0,3)"),
        (abs(interval("(-3,-2]")), "[2,3)"),
        (abs(interval("[-2,2)")), "[0,2]"),
        (interval("(0,2]").reciprocal(), "[1/2,oo)"),
        (interval("[-2,0)").reciprocal(), "(-oo,-1/2]"),
        (interval("[1,oo)").reciprocal(), "(0,1]"),
        (interval("[-3,2]").power(2), "[0,9]"),
        (interval("[-3,2)").power(3), "[-27,8)"),
        (interval("(0,2]").power(-2), "[1/4,oo)"),
        (interval("[-5,5]").power(0), "[1,1]"),
        (interval("[4,9)").root(2), "[2,3)"),
        (interval("[0,8)").rational_power(Rational(2, 3)), "[0,4)"),
        (interval("(1,8]").rational_power(Rational(-1, 3)), "[1/2,1)"),
        (interval("[0,1)").hull(interval("(-1,1]")), "(-1,1]"),
        (interval("[0,3]").within(interval("(1,5]")), "(1,3]"),
        (interval("[0,1]").within(interval("[2,3]")), "[0,1]"),
        (interval("[0,1]").without_zero(), "(0,1]"),
        (interval("[-1,1]").without_zero(), "[-1,1]"),
        (-interval("(1,2]"), "[-2,-1)"),
    ],
)
def test_interval_arithmetic(computed: RealInterval, wanted: str) -> None:
    assert computed == interval(wanted)


@pytest.mark.parametrize(
    "action",
    [
        lambda: interval("[-1,1]").reciprocal(),
        lambda: interval("[0,1]").reciprocal(),
        lambda: interval("[-1,1]").power(-1),
        lambda: interval("[-1,1]").root(2),
        lambda: interval("[0,0]").without_zero(),
    ],
)
def test_interval_arithmetic_refuses_what_is_undefined(action: object) -> None:
    with pytest.raises(NoRange):
        action()  # type: ignore[operator]


def test_disjoint_intervals_have_nothing_in_common() -> None:
    assert interval("[0,1)").intersection(interval("[1,2]")) is None
    assert interval("[0,1]").intersection(interval("[1,2]")) == interval("[1,1]")


@pytest.mark.parametrize(
    ("text", "positive", "nonnegative", "negative", "nonpositive", "zero"),
    [
        ("(0,1]", True, True, False, False, False),
        ("[0,1]", False, True, False, False, False),
        ("[-1,0)", False, False, True, True, False),
        ("[-1,0]", False, False, False, True, False),
        ("[0,0]", False, True, False, True, True),
        ("(-1,1)", False, False, False, False, False),
    ],
)
def test_questions_about_intervals(
    text: str, positive: bool, nonnegative: bool, negative: bool, nonpositive: bool, zero: bool
) -> None:
    found = interval(text)
    assert (found.positive, found.nonnegative) == (positive, nonnegative)
    assert (found.negative, found.nonpositive, found.zero) == (negative, nonpositive, zero)
    assert found.nonzero is (0 not in found)


def test_products_and_powers_agree_with_sampled_values() -> None:
    rng = random.Random(5)
    ends = [S(v) / 2 for v in range(-6, 7)]
    for _ in range(300):
        a, b = (
            RealInterval(*sorted(rng.sample(ends, 2)), rng.random() < 0.5, rng.random() < 0.5)
            for _ in "ab"
        )
        u, v = (r.low + (r.high - r.low) * Rational(rng.randint(1, 15), 16) for r in (a, b))
        assert u + v in a + b
        assert u * v in a * b
        assert u - v in a - b
        assert abs(u) in abs(a)
        for power in (2, 3, 5):
            assert u**power in a.power(power)
        if b.nonzero:
            assert 1 / v in b.reciprocal()
            assert v**-2 in b.power(-2)


def test_ends_that_are_long_are_rounded_outwards() -> None:
    third = Rational(10**9, 3 * 10**9 + 1)
    found = RealInterval(-third, third).shortened(16)
    assert found.low < -third
    assert found.high > third
    assert max(abs(found.low.p), found.low.q).bit_length() <= 18


# -- expressions -------------------------------------------------------------------------------

EXACT: list[tuple[Expr, str]] = [
    (Rational(-2, 3), "[-2/3,-2/3]"),
    (x, "(-oo,oo)"),
    (p, "(0,oo)"),
    (q, "[0,oo)"),
    (m, "(-oo,0)"),
    (n, "[0,oo)"),
    (Symbol("j", integer=True, positive=True), "[1,oo)"),
    (x**2 + 1, "[1,oo)"),
    (1 / (1 + x**2), "(0,1]"),
    (p / m, "(-oo,0)"),
    (Abs(x) + 2, "[2,oo)"),
    (sqrt(q + 4), "[2,oo)"),
    (exp(-p), "(0,1)"),
    (exp(x), "(0,oo)"),
    (p**x, "(0,oo)"),
    (log(1 + p), "(0,oo)"),
    (erf(x), "(-1,1)"),
    (erf(p), "(0,1)"),
    (erfc(p), "(0,1)"),
    (tanh(m), "(-1,0)"),
    (normal_cdf(q), "[1/2,1)"),
    (sin(x) * cos(y), "[-1,1]"),
    (cosh(x), "[1,oo)"),
    (Max(x, 1), "[1,oo)"),
    (Min(p, 1), "(0,1]"),
    (sign(x), "[-1,1]"),
    (sign(q), "[0,1]"),
    (Heaviside(x), "[0,1]"),
    (Heaviside(p), "[1,1]"),
    (zeta(x, y), "[0,1)"),
    (zeta(p, y), "(0,1)"),
    (OwensT(x, y), "(-1/4,1/4)"),
    (OwensT(x, 1), "(0,1/8]"),
    (OwensT(x, -p), "(-1/4,0)"),
    (Piecewise((x**2, x > 0), (1, True)), "[0,oo)"),
    (Integral(p, (x, 1, 3)), "(0,oo)"),
    (Integral(x**2, (x, 2, 1)), "(-4,-1)"),
    (Integral(1 / x, (x, 1, 2)), "(1/2,1)"),
    (Integral(x, (x, oo, oo)), "[0,0]"),
    (Integral(exp(-(x**2)), (x, -oo, oo)), "(0,oo)"),
    (Integral(exp(-(x**2)), (x, oo, -oo)), "(-oo,0)"),
    (Sum(1 / (k + 1), (k, 0, n)), "(0,oo)"),
    (Sum(k, (k, 1, n)), "[0,oo)"),
    (Expectation(x**2 + 1, standard_normal(x)), "[1,oo)"),
    (Expectation(-exp(x), NoiseLaw(x, p)), "(-oo,0)"),
    (IIDSum(x**2 + 1, NoiseLaw(x, 1), 3), "[3,oo)"),
    (Function("f", positive=True)(x), "(0,oo)"),
]


@pytest.mark.parametrize(("expr", "wanted"), EXACT, ids=str)
def test_ranges_that_are_known_exactly(expr: Expr, wanted: str) -> None:
    assert range_of(expr) == interval(wanted)


@pytest.mark.parametrize(
    ("expr", "inside", "outside"),
    [
        (pi, "3.14159265358979", "3.14159265358980"),
        (S.Exp1, "2.71828182845904", "2.71828182845905"),
        (exp(S(1) / 3), "1.3956", "1.3957"),
        (erf_prime(0 * x + half), "0.87878257", "0.87878258"),
        (normal_pdf(half), "0.35206532", "0.35206533"),
        (acos(half), "1.04719755", "1.04719756"),
    ],
)
def test_constants_are_enclosed_tightly(expr: Expr, inside: str, outside: str) -> None:
    found = range_of(expr)
    assert Rational(inside) < found.low < found.high < Rational(outside)


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        (erf_second(x), "-0.97", "0.97"),
        (erf_prime(x), "0", "1.1284"),
        (normal_pdf(x), "0", "0.39895"),
        (atan(x), "-1.5708", "1.5708"),
        (asin(sin(x)), "-1.5708", "1.5708"),
    ],
)
def test_bounded_functions(expr: Expr, low: str, high: str) -> None:
    found = range_of(expr)
    assert Rational(low) <= found.low
    assert found.high <= Rational(high)


@pytest.mark.parametrize("at", [10**9, -(10**9), Rational(1, 10**9)])
@pytest.mark.parametrize("function", [erf, erfc, tanh, normal_cdf, exp, erf_prime, atan])
def test_extreme_arguments_keep_strict_bounds(function: type, at: Rational) -> None:
    found = range_of(function(p * at))
    least = range_of(function(x))
    assert found.low >= least.low
    assert found.high <= least.high
    assert range_of(1 + function(at)).high <= least.high + 1


UNDEFINED = [
    1 / x,
    1 / q,
    x / (x - y),
    sqrt(x),
    q**-half,
    log(x),
    log(q),
    asin(p),
    acos(x),
    x**p,
    Mul(0, 1 / x, evaluate=False),
    Piecewise((x, x > 0)),
    Piecewise((1 / x, Ne(x, 0)), (1, True)),
    Sum(p**k, (k, 5, 3)),
    Sum(1, (k, 0, x)),
    Integral(p, (x, 0, y)),
    Integral(x),
    Integral(1 / x, (x, -1, 1)),
    Expectation(1 / x, standard_normal(x)),
    Expectation(x, GaussianLaw({x: 1 / y}, [[1]])),
    IIDSum(x, NoiseLaw(x, 1), k),
    Symbol("w"),
    Symbol("w", complex=True) ** 2,
    Function("f")(x),
    Function("f", positive=True)(1 / x),
    I,
    oo,
    EulerGamma,
    floor(x),
    Derivative(exp(x), x),
    Heaviside(x, 2),
]


@pytest.mark.parametrize("expr", UNDEFINED, ids=str)
def test_what_may_be_undefined_has_no_range(expr: Expr) -> None:
    with pytest.raises(NoRange):
        range_of(expr)


# -- hypotheses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expr", "given", "wanted"),
    [
        (x, [x > 1], "(1,oo)"),
        (x, [x >= 1, x < 3], "[1,3)"),
        (y, [x >= 1, y - x > 2], "(3,oo)"),
        (x, [2 * x + y <= 4, y >= 0], "(-oo,2]"),
        (x, [x**2 < 4], "(-2,2)"),
        (p, [p**2 <= 4], "(0,2]"),
        (m, [m**2 <= 4], "[-2,0)"),
        (x, [Eq(x, 3)], "[3,3]"),
        (k, [k > 1, k < Rational(7, 2)], "[2,3]"),
        (x, [And(x > 0, x < 1)], "(0,1)"),
        (exp(x), [exp(x) >= 2], "[2,oo)"),
        (1 / x, [x >= 2], "(0,1/2]"),
        (1 / x, [Ne(x, 0)], "(-oo,oo)"),
        (x**-2, [Ne(x, 0)], "(0,oo)"),
        (1 / (x - y), [Ne(x, y)], "(-oo,oo)"),
        (asin(p), [p <= 1, p >= 1], None),
        # Nothing may be read off these.
        (x, [Or(x > 1, x > 2)], "(-oo,oo)"),
        (x, [x > y], "(-oo,oo)"),
        (x, [Gt(x, 1 / y)], "(-oo,oo)"),
        (x, [Gt(Integral(x, (x, 0, y)), 5)], "(-oo,oo)"),
    ],
)
def test_hypotheses_narrow_ranges(expr: Expr, given: list[Expr], wanted: str | None) -> None:
    found = range_of(expr, GivenValues(given))
    if wanted is None:
        assert found.high - found.low < Rational(1, 10**30)
    else:
        assert found == interval(wanted)


@pytest.mark.parametrize("given", [[x > 1, x < 0], [Eq(x, 1), Eq(x, 2)], [p < -1]])
def test_contradictory_hypotheses_are_no_error(given: list[Expr]) -> None:
    assert isinstance(range_of(x + p, GivenValues(given)), RealInterval)


def test_hypotheses_do_not_reach_bound_variables() -> None:
    facts = GivenValues([x > 5])
    assert range_of(Integral(x, (x, 0, 1)), facts).high == 1
    assert range_of(Expectation(x, standard_normal(x)), facts) == REALS
    assert range_of(Sum(k, (k, 0, 3)), GivenValues([k > 5])).low == 0


def test_a_bound_of_a_power_bounds_its_base() -> None:
    inside = {
        x**2 <= 4: [-2, 2],
        x**3 <= 8: [-5, 2],
        x**-2 <= 4: [-9, -1, 1, 9],
        1 / x <= 2: [-9, 1],
    }
    for hypothesis, values in inside.items():
        found = range_of(x, GivenValues([hypothesis]))
        assert all(S(value) in found for value in values), hypothesis
    assert range_of(x, GivenValues([x**2 <= 4])) == RealInterval(S(-2), S(2))
    assert range_of(p, GivenValues([p**2 <= 4])).high == 2


def test_sums_and_integrals_over_several_ranges() -> None:
    first, second = symbols("first second", integer=True)
    for kind in (Sum, Integral):
        ranges = (first, 0, 2), (second, 1, 4)
        found, size = range_of(kind(first + 1, *ranges), GivenValues()), kind(1, *ranges).doit()
        assert kind(first + 1, *ranges).doit() in found
        # No wider than what the ends allow.
        assert size <= found.low <= found.high <= 3 * size
        inner = kind(first, (first, 0, second), (second, 1, 4))
        assert inner.doit() in range_of(inner, GivenValues())


@pytest.mark.parametrize("slope", [-9, -2, -Rational(5, 4), -1, 0, Rational(4, 5), 1, 7])
def test_owens_t_is_largest_at_zero(slope: Expr) -> None:
    found = range_of(OwensT(x, slope), GivenValues())
    for h in (0, Rational(1, 9), -1, 3):
        assert found.low <= OwensT(h, slope).evalf(90) <= found.high
    between = range_of(OwensT(x, y), GivenValues([y >= min(slope, 0), y <= max(slope, 0)]))
    assert between.low <= OwensT(0, slope).evalf(90) <= between.high
    # No wider than the half turn that its angle makes, whatever h.
    assert max(abs(found.low), abs(found.high)) <= abs(atan(S(slope)).evalf(30)) / (2 * pi) + 1e-9


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("power", [4, 9])
def test_numbers_out_of_all_proportion_are_rounded_outwards(sign: int, power: int) -> None:
    """Values of exp(10^9) and the like, whose digits nobody wants."""
    large = S(10) ** power
    between = [sign * x >= large, sign * x <= 2 * large]
    huge = range_of(sinh(x), GivenValues(between))
    assert sign * oo in (huge.low, huge.high)
    assert all(end * sign > S(10) ** 100 for end in (huge.low, huge.high))
    tiny = range_of(sign * exp(-large), GivenValues())
    assert all(0 <= end * sign < S(10) ** -100 for end in (tiny.low, tiny.high))
    assert tiny.low != tiny.high


def test_what_is_declared_nonzero_may_stand_below() -> None:
    n, m = symbols("n m", real=True, nonzero=True)
    for below in (n, n * m, n**3, Function("f", real=True, nonzero=True)(x)):
        assert range_of(1 / below, GivenValues()) == REALS
    for below in (x, n * x, n + m, Function("f", real=True)(x)):
        with pytest.raises(NoRange):
            range_of(1 / below, GivenValues())


def test_facts_are_hashable_and_can_be_extended() -> None:
    facts = GivenValues([x > 1])
    assert facts.extended(x < 2) == GivenValues([x > 1, x < 2])
    assert hash(facts) == hash(GivenValues([x > 1]))
    assert GivenValues([Ge(x, 1), Le(x, 2), Ne(x, y), Eq(x, y)]).nonzeros == (x - y,)
    assert GivenValues([Eq(2, x), Eq(y, y + x)]).values == ((x, S(2)),)


# -- random expressions ------------------------------------------------------------------------


@more
def test_ranges_contain_random_values() -> None:
    checked = 0
    for seed in range(280 if THOROUGH else 70):
        rng = random.Random(seed)
        chosen = tuple(rng.sample(SYMBOLS, 2))
        given = [
            h for h in (random_hypothesis(rng, chosen) for _ in "ab") if h not in (True, False)
        ]
        expr = random_expression(rng, 3, chosen)
        if expr.has(S.NaN, S.ComplexInfinity, I, oo, -oo):
            continue
        try:
            found = range_of(expr, GivenValues(given))
        except NoRange:
            continue
        for values in points(rng, chosen, given, 6, extreme=True):
            try:
                value = sharp_value(expr, values)
            except Unclear:
                continue
            checked += 1
            for end, side, is_open in (
                (found.low, 1, found.low_open),
                (found.high, -1, found.high_open),
            ):
                if end.is_infinite:
                    continue
                if isinstance(value, Rational):
                    excess = side * (value - end)
                    assert excess > 0 or (excess == 0 and not is_open), (seed, expr, given, values)
                else:
                    excess = side * (value - mpf(int(end.p)) / int(end.q))
                    assert excess > -1e-13 * (1 + abs(value)), (seed, expr, given, values)
    assert checked > (500 if THOROUGH else 125)
