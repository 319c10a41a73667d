"""Equal means equal: what the normal form shows, what it must not, and what it divides by."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from mpmath import mp
from sympy import (
    Abs,
    Add,
    Derivative,
    E,
    Expr,
    Float,
    Function,
    I,
    IndexedBase,
    Integral,
    Mul,
    Pow,
    Rational,
    S,
    Subs,
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
    expand,
    factor,
    lambdify,
    log,
    oo,
    pi,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
    together,
)

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, NoiseLaw, ProductLaw, standard_normal
from slrsym.proofs.context import Context
from slrsym.proofs.normal_forms import Freedom, NormalForms, partial_derivative
from slrsym.proofs.ring import NotNormalizable
from tests._profile import THOROUGH, more
from tests.proofs._fuzz import M, P, Q, X, Y, Z, points, random_hypothesis

x, y, t = symbols("x y t", real=True)
p, r = symbols("p r", positive=True)
m = Symbol("m", negative=True)
w = Symbol("w")
f, g = Function("f"), Function("g")
third = Rational(1, 3)


def ring(*given: Any, freedom: Freedom | None = None) -> NormalForms:
    return Context(tuple(given)).algebra(freedom or Freedom())


# Something that SymPy does not see to be -x.
_MINUS_X = (x - 1) ** 2 / 4 - (x + 1) ** 2 / 4

EQUAL: list[tuple[Expr, Expr]] = [
    ((x + y) ** 3, expand((x + y) ** 3)),
    ((x**2 - y**2) / (x - y), x + y),
    (1 / (1 + x**2) + x**2 / (1 + x**2), S.One),
    (1 / x - 1 / (x + 1), 1 / (x * (x + 1))),
    (1 / (1 / x + 1 / y), x * y / (x + y)),
    # Roots.
    (sqrt(8), 2 * sqrt(2)),
    (1 / sqrt(2), sqrt(2) / 2),
    (sqrt(6), sqrt(2) * sqrt(3)),
    (1 / (1 + sqrt(2)), sqrt(2) - 1),
    (sqrt(1 + x**2) ** 2, 1 + x**2),
    (1 / (sqrt(1 + x**2) - 1) - 1 / (sqrt(1 + x**2) + 1), 2 / x**2),
    (sqrt(p * (1 + x**2)), sqrt(p) * sqrt(1 + x**2)),
    (sqrt(4 + 8 * x**2), 2 * sqrt(1 + 2 * x**2)),
    (sqrt((1 + x**2) / (1 + y**2)), sqrt(1 + x**2) / sqrt(1 + y**2)),
    (sqrt(p**2 + 2 * p * sqrt(r) + r), p + sqrt(r)),
    (sqrt(x**2) ** 2, x**2),
    (sqrt(x) ** 3, x * sqrt(x)),
    (1 / (sqrt(p) + p**third), (p**third - sqrt(p)) / (p ** Rational(2, 3) - p)),
    (sqrt(m), I * sqrt(-m)),
    (Abs(x) ** 2, x**2),
    (Abs(p * x), p * Abs(x)),
    (Abs(m), -m),
    ((-1) ** third * (-m) ** third, m**third),
    # Functions.
    (exp(x) * exp(y), exp(x + y)),
    (exp(2 * x) - 1, (exp(x) - 1) * (exp(x) + 1)),
    (sqrt(exp(x)), exp(x / 2)),
    (exp((x + y) ** 2), exp(x**2) * exp(y**2) * exp(2 * x * y)),
    (E, exp(1)),
    (Pow(p, y + 2), p**2 * Pow(p, y)),
    (erf(-x), -erf(x)),
    (erf((x**2 - 1) / (x - 1)), erf(x + 1)),
    (erfc(x) + erf(x), S.One),
    (erf_prime(x), 2 / sqrt(pi) * exp(-(x**2))),
    (erf_second(x), -2 * x * erf_prime(x)),
    (normal_cdf(x) + normal_cdf(-x), S.One),
    (normal_pdf(x), exp(-(x**2) / 2) / sqrt(2 * pi)),
    (sin(x) ** 2 + cos(x) ** 2, S.One),
    (sin(x + y), sin(x) * cos(y) + cos(x) * sin(y)),
    (tan(x) * cos(x), sin(x)),
    (cosh(x) ** 2 - sinh(x) ** 2, S.One),
    (asin(x) + acos(x), pi / 2),
    (atan(y - x), -atan(x - y)),
    (OwensT(x - y, t), OwensT(y - x, t)),
    (OwensT(t, x - y), -OwensT(t, y - x)),
    (OwensT(t, _MINUS_X), -OwensT(t, x)),
    (OwensT(_MINUS_X, t), OwensT(x, t)),
    (erf(_MINUS_X), -erf(x)),
    (zeta(x - y, t - x), zeta(y - x, x - t)),
    (sqrt((m - p) ** 2), p - m),
    (sqrt((p + r) ** 2), p + r),
    (f(x * (x + 1)), f(x**2 + x)),
    (Pow(1 + x**2, y * (y + 1)), Pow(x**2 + 1, y**2 + y)),
    (IndexedBase("A")[x * (x + 1)], IndexedBase("A")[x**2 + x]),
    # What binds variables.
    (Integral(f(x), (x, 0, 1)), Integral(f(t), (t, 0, 1))),
    (Integral(2 * y * f(x), (x, 0, 1)), 2 * y * Integral(f(x), (x, 0, 1))),
    (Integral(f(x) + g(x), (x, 0, 1)), Integral(f(x), (x, 0, 1)) + Integral(g(t), (t, 0, 1))),
    (Integral(exp(x + y), (x, 0, oo)), exp(y) * Integral(exp(t), (t, 0, oo))),
    (Sum(y * f(x), (x, 0, 3)), y * Sum(f(t), (t, 0, 3))),
    (Expectation(f(x), standard_normal(x)), Expectation(f(t), standard_normal(t))),
    (Derivative(f(x, y), x, y), Derivative(f(x, y), y, x)),
    (Subs(Derivative(f(t), t), t, x), Derivative(f(x), x)),
]


@pytest.mark.parametrize(("first", "second"), EQUAL, ids=str)
def test_equal(first: Expr, second: Expr) -> None:
    assert ring().equal(first, second)
    assert not ring().equal(first, second + 1)


DIFFERENT: list[tuple[Expr, Expr]] = [
    (sqrt(x**2), x),
    (sqrt(x * y), sqrt(x) * sqrt(y)),
    (sqrt(-x), I * sqrt(x)),
    (sqrt(I), S.One),
    (sqrt(2 * I), sqrt(2)),
    (sqrt(I * p), sqrt(p)),
    (I**third, S.One),
    (sqrt(I) ** 2, S.One),
    (Pow(x**3, third), x),
    (Pow(x, y + 1), x * Pow(x, y)),
    (1 / (sqrt(2) + 2**third), 1 / (2 * 2**third)),
    (1 / (sqrt(p) + p**third), 1 / (2 * p**third)),
    (sqrt(m), -I * sqrt(-m)),
    (Abs(x), x),
    (Abs(w) ** 2, w**2),
    (sqrt(x**2 + 2 * x + 1), x + 1),
    (sqrt((m - p) ** 2), m - p),
    (exp(x) ** 2, exp(x**2)),
    (erf(x), erf(y)),
    (erf(x) ** 2, erf(x**2)),
    (OwensT(x, y), OwensT(y, x)),
    (OwensT(t, _MINUS_X), OwensT(t, x)),
    (erf(_MINUS_X), erf(x)),
    (zeta(x, y), zeta(y, x)),
    (f(x), g(x)),
    (f(x, y), f(y, x)),
    (f(-x), f(x)),
    (f(-x), -f(x)),
    (log(x**2), 2 * log(x)),
    (tanh(x), tanh(y)),
    (Integral(f(x), (x, 0, 1)), Integral(f(x), (x, 0, 2))),
    (Integral(f(x), (x, 0, oo)), Integral(f(x), (x, 1, oo))),
    (Integral(x * f(x), (x, 0, 1)), x * Integral(f(x), (x, 0, 1))),
    (Integral(f(x), (x, 0, 1)), Sum(f(x), (x, 0, 1))),
    (Integral(f(x, y), (x, 0, 1)), Integral(f(y, y), (y, 0, 1))),
    (
        Integral(Integral(f(x, y), (x, 0, 1)), (y, 0, 1)),
        Integral(Integral(f(y, x), (x, 0, 1)), (y, 0, 1)),
    ),
    (Expectation(f(x), standard_normal(x)), Expectation(f(x), GaussianLaw({x: 0}, [[2]]))),
    (Expectation(f(x), standard_normal(x)), Expectation(f(x), NoiseLaw(x, 1))),
    (Expectation(x * f(y), standard_normal(y)), Expectation(y * f(y), standard_normal(y))),
    (Derivative(f(x, y), x), Derivative(f(x, y), y)),
    (Derivative(f(x), x), Derivative(f(x), (x, 2))),
    (Subs(Derivative(f(t), t), t, x), Subs(Derivative(f(t), t), t, y)),
]


@pytest.mark.parametrize(("first", "second"), DIFFERENT, ids=str)
def test_not_equal(first: Expr, second: Expr) -> None:
    assert not ring().equal(first, second)


@pytest.mark.parametrize(
    ("first", "second", "given"),
    [
        (sqrt(x**2), x, x >= 0),
        (sqrt(x**2), -x, x <= 0),
        (Abs(x), x, x >= 0),
        (sqrt(x * y), sqrt(x) * sqrt(y), x > 0),
        (sqrt(x * y), sqrt(-x) * sqrt(-y), x < 0),
        (sqrt(x), I * sqrt(-x), x < 0),
        (1 / sqrt(x), -I / sqrt(-x), x < 0),
        (Pow(x, Rational(-3, 2)), I / (-x) ** Rational(3, 2), x < 0),
        (sqrt((x - y) ** 2), y - x, x < y),
        (sqrt(x**2 + 2 * x + 1), x + 1, x > -1),
    ],
)
def test_equal_under_a_hypothesis_only(first: Expr, second: Expr, given: Any) -> None:
    assert ring(given).equal(first, second)
    assert not ring().equal(first, second)


@pytest.mark.parametrize(
    "expr",
    [
        Float("0.5") * x,
        oo * x,
        S.NaN,
        S.ComplexInfinity,
        Pow(Add(x, -x, evaluate=False), -1, evaluate=False),
        Pow(Add(x, -x, evaluate=False), S.Half, evaluate=False),
        # These exponents may be complex, where the root of the exponential has another branch.
        sqrt(exp(I * x)),
        sqrt(exp(w)),
        sqrt(exp(f(x))),
        sqrt(exp(sqrt(x))),
        # The sign of a denominator under a root.
        sqrt(x / y),
        sqrt(1 / x),
    ],
    ids=str,
)
def test_what_has_no_normal_form(expr: Expr) -> None:
    with pytest.raises(NotNormalizable):
        ring().element(expr)


def test_a_sum_of_a_constant_has_as_many_terms_as_are_known_to_be() -> None:
    natural = Symbol("natural", integer=True, nonnegative=True)
    counting = Symbol("counting", integer=True, positive=True)
    whole = Symbol("whole", integer=True)
    number = lambda low, high: (Sum(y, (x, low, high)), (high - low + 1) * y)  # noqa: E731
    for low, high in ((1, natural), (0, natural), (2, counting), (-whole, 2 - whole), (5, 4)):
        assert ring().equal(*number(S(low), S(high))), (low, high)
    # It may be empty by more than one, or its ends between integers.
    for low, high in ((2, natural), (1, whole), (2, whole), (-whole, 0), (0, p), (third, 2)):
        assert not ring().equal(*number(S(low), S(high))), (low, high)
    assert ring(whole >= 1).equal(*number(S(2), whole))


def test_a_denominator_under_a_root_has_to_be_positive() -> None:
    assert ring(x > 0).equal(sqrt(1 / x), 1 / sqrt(x))
    with pytest.raises(NotNormalizable, match="whose sign is not known"):
        ring(x >= 0).element(sqrt(1 / x))


def test_denominators_are_reported() -> None:
    found = ring()
    assert found.equal(
        x / x.func("x", real=True) + f(1 / (y - 1)) * x / x**2, 1 + f(1 / (y - 1)) / x
    )
    assert {x, y - 1} <= set(found.denominators)
    found = ring()
    assert found.equal(tan(x) * cos(x), sin(x))
    assert found.denominators == [cos(x)]


def test_expression_is_the_same_value() -> None:
    found = ring()
    expr = (1 + x) ** 2 / sqrt(1 + y**2) + erf(x) * exp(x) * exp(y) - sqrt(12)
    again = found.expression(found.element(expr))
    assert found.equal(expr, again)
    assert abs((expr - again).subs({x: third, y: 2}).evalf(40)) < 1e-35


# -- equations that are assumed ----------------------------------------------------------------


def test_an_assumed_equation_is_used() -> None:
    found = ring()
    found.assume(2 * f(x) + x, g(x))
    assert found.equal(f(x) * y, (g(x) - x) * y / 2)
    assert found.equal(exp(f(x)), exp(g(x) / 2) * exp(-x / 2))
    assert not found.equal(f(y), (g(y) - y) / 2)


def test_an_assumed_equation_is_not_divided_by_what_may_vanish() -> None:
    found = ring()
    found.assume(x * f(y), x * g(y))
    assert not found.equal(f(y), g(y))
    assert found.equal(t * x**2 * f(y), t * x**2 * g(y))
    assert not found.equal(t * f(y), t * g(y))
    found = ring(x > 0)
    found.assume(x * f(y), x * g(y))
    assert found.equal(f(y), g(y))


def test_an_assumed_equation_is_solved_for_what_has_a_coefficient_that_cannot_vanish() -> None:
    found = ring()
    found.assume(x * f(y) + g(y), S.One)
    assert found.equal(g(y) ** 2, (1 - x * f(y)) ** 2)


@pytest.mark.parametrize(("left", "right"), [(x**2, y), (f(x) ** 2, y), (f(x), f(x) * y)])
def test_equations_that_cannot_be_solved_are_refused(left: Expr, right: Expr) -> None:
    with pytest.raises(NotNormalizable, match="cannot be solved"):
        ring().assume(left, right)


def test_trivial_equations_may_be_assumed() -> None:
    found = ring()
    found.assume((x + 1) ** 2, x**2 + 2 * x + 1)
    assert not found.equal(x, S.One)


# -- expectations ------------------------------------------------------------------------------

LINEAR = Freedom(linearity=True)
INDEPENDENT = Freedom(linearity=True, independence=True)
MOMENTS = Freedom(linearity=True, independence=True, moments=True)
_pair = GaussianLaw({x: 0, y: 0}, [[1, 0], [0, 1]])
_joint = GaussianLaw({x: 0, y: 0}, [[1, p], [p, 1 + p**2]])
_noise = NoiseLaw(y, r)
_both = ProductLaw(standard_normal(x), _noise)


@pytest.mark.parametrize(
    ("first", "second", "least"),
    [
        (
            Expectation(2 * f(x) + t, standard_normal(x)),
            2 * Expectation(f(x), standard_normal(x)) + t,
            LINEAR,
        ),
        (Expectation(f(x), _joint), Expectation(f(x), standard_normal(x)), LINEAR),
        (
            Expectation(f(x) * g(y), _pair),
            Expectation(f(x), standard_normal(x)) * Expectation(g(x), standard_normal(x)),
            INDEPENDENT,
        ),
        (
            Expectation(f(x) * g(y), _both),
            Expectation(f(x), standard_normal(x)) * Expectation(g(y), _noise),
            INDEPENDENT,
        ),
        (Expectation(y * f(x), _both), S.Zero, MOMENTS),
        (Expectation(y**2, _noise), r, MOMENTS),
        (
            Expectation(IIDSum(x, standard_normal(x), 3) ** 2, _noise),
            3 * Expectation(x**2, standard_normal(x)) + 6 * Expectation(x, standard_normal(x)) ** 2,
            MOMENTS,
        ),
    ],
)
def test_properties_of_expectations(first: Expr, second: Expr, least: Freedom) -> None:
    stages = [Freedom(), LINEAR, INDEPENDENT, MOMENTS]
    for stage in stages:
        allowed = stages.index(stage) >= stages.index(least)
        assert ring(freedom=stage).equal(first, second) is allowed


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            Expectation(f(x) * g(y), _joint),
            Expectation(f(x), _joint) * Expectation(g(y), _joint),
        ),
        (Expectation(x * f(x), standard_normal(x)), x * Expectation(f(x), standard_normal(x))),
        (Expectation(y * f(y), _noise), S.Zero),
        (Expectation(y**3, _noise), S.Zero),
        (Expectation(y**4, _noise), 3 * r**2),
        (Expectation(y**2, _both), r + 1),
    ],
)
def test_expectations_that_differ(first: Expr, second: Expr) -> None:
    assert not ring(freedom=MOMENTS).equal(first, second)


# -- partial derivatives -----------------------------------------------------------------------


def test_partial_derivatives_in_both_forms() -> None:
    head = ("partial", f, (2, 0))
    assert partial_derivative(Derivative(f(x, y), (x, 2))) == (head, (x, y))
    assert partial_derivative(Subs(Derivative(f(t, y), (t, 2)), t, x + 1)) == (head, (x + 1, y))


@pytest.mark.parametrize(
    "expr",
    [
        x,
        f(x),
        Derivative(f(x, x), x),
        Derivative(f(x**2), x),
        Derivative(x * f(x), x),
        Derivative(erf(x), x, evaluate=False),
        Subs(f(t), t, x),
    ],
)
def test_what_is_no_partial_derivative(expr: Expr) -> None:
    assert partial_derivative(expr) is None


# -- random pairs ------------------------------------------------------------------------------

_UNARY = (
    erf, erf_prime, erf_second, erfc, exp, normal_cdf, normal_pdf, sin, cos, sinh, cosh, atan, Abs,
)  # fmt: skip
_POWERS = (S.Half, S.Half, -S.Half, Rational(3, 2), third, Rational(-2, 3))


def _random(rng: random.Random, depth: int, chosen: tuple[Symbol, ...]) -> Expr:
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(chosen) if rng.random() < 0.8 else rng.choice((S(-2), S.Half, S(3), pi))

    def part() -> Expr:
        return _random(rng, depth - 1, chosen)

    kind = rng.random()
    if kind < 0.35:
        return Add(part(), part())
    if kind < 0.6:
        return Mul(part(), part())
    if kind < 0.72:
        return Pow(part(), rng.choice((2, 3, -1, -2)))
    if kind < 0.85:
        return Pow(part(), rng.choice(_POWERS))
    return OwensT(part(), part()) if kind < 0.88 else rng.choice(_UNARY)(part())


def _valid(rng: random.Random, v: Expr, u: Expr) -> Expr:
    """The same, wherever both are defined."""
    ways: list[Callable[[], Expr]] = [
        lambda: expand(u),
        lambda: together(u),
        lambda: factor(u),
        lambda: u * (1 + v**2) / (1 + v**2),
        lambda: expand(u * (v + 1)) - expand(u * v),
        lambda: u * (sin(v) ** 2 + cos(v) ** 2),
        lambda: u * exp(v) * exp(-v / 2) ** 2,
        lambda: u + erf(v) + erfc(v) - 1,
        lambda: sqrt(1 + v**2) * u / sqrt(4 + 4 * v**2) * 2,
        lambda: 2 / sqrt(pi) * exp(-(u.args[0] ** 2)) if isinstance(u, erf_prime) else 2 * u / 2,
    ]
    return rng.choice(ways)()


def _dubious(rng: random.Random, u: Expr) -> Expr:
    """Something that is the same only on some domains, if at all."""
    ways: list[Callable[[], Expr]] = [
        lambda: sqrt(u**2),
        lambda: Pow(u**3, third),
        lambda: Abs(u),
        lambda: -u,
        lambda: u + 1,
        lambda: 1 / sqrt(1 / u**2),
    ]
    if isinstance(u, Pow) and u.exp.is_Rational and not u.exp.is_Integer:
        base, power = u.args
        ways += [
            lambda: Pow(expand(base**power.p), Rational(1, power.q)),
            lambda: 1 / Pow(1 / base, power),
            lambda: I ** (2 * power) * Pow(-base, power),
            lambda: (-I) ** (2 * power) * Pow(-base, power),
            lambda: Mul(*(Pow(part, power) for part in Mul.make_args(factor(base)))),
        ] * 2
    if u.is_Function and len(u.args) == 1:
        ways += [lambda: u.func(-u.args[0]), lambda: -u.func(-u.args[0])]
    if isinstance(u, OwensT):
        ways += [lambda: OwensT(u.args[0], -u.args[1]), lambda: OwensT(u.args[1], u.args[0])]
    return rng.choice(ways)()


def _rewritten(rng: random.Random, expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    parts = list(expr.args)
    if parts and rng.random() < 0.75:
        place = 0 if isinstance(expr, Pow) else rng.randrange(len(parts))
        parts[place] = _rewritten(rng, parts[place], change)
        return expr.func(*parts)
    return change(expr)


def _defined(*sides: Expr) -> bool:
    return not any(side.has(S.NaN, S.ComplexInfinity, oo, -oo) for side in sides)


def test_valid_rewriting_is_recognised() -> None:
    found = tried = 0
    for seed in range(60):
        rng = random.Random(seed)
        chosen = tuple(rng.sample((X, Y, P, Q, M, Z), 2))
        first = _random(rng, 2, chosen)
        second = _rewritten(rng, first, partial(_valid, rng, rng.choice(chosen)))
        if not _defined(first, second):
            continue
        tried += 1
        try:
            found += ring().equal(first, second)
        except NotNormalizable:
            tried -= 1
    assert tried > 40
    assert found == tried


def _agree(first: Expr, second: Expr, zeros: list[Expr], values: dict[Symbol, Any]) -> bool | None:
    """Whether two expressions agree at a point; None if one has no value, or divides by zero."""
    names = list(values)
    numbers = [mp.mpf(int(v.p)) / int(v.q) for v in values.values()]
    try:
        left, right, *divisors = lambdify(names, [first, second, *zeros], "mpmath")(*numbers)
    except (ZeroDivisionError, ValueError, TypeError, OverflowError):
        return None
    if any(abs(d) < 1e-25 for d in divisors) or not (mp.isfinite(left) and mp.isfinite(right)):
        return None
    return bool(abs(left - right) <= 1e-15 * (1 + abs(left)))


@more
def test_what_is_reported_equal_agrees_at_random_points() -> None:
    checked = 0
    for seed in range(1000, 1320 if THOROUGH else 1160):
        rng = random.Random(seed)
        chosen = tuple(rng.sample((X, Y, P, Q, M, Z), rng.choice((1, 2))))
        given = [h for h in [random_hypothesis(rng, chosen)] if h not in (True, False)]
        first = _random(rng, rng.choice((2, 3)), chosen)
        try:
            second = _rewritten(rng, first, partial(_dubious, rng))
            if first == second or not _defined(first, second):
                continue
            found = ring(*given)
            if not found.equal(first, second):
                continue
        except NotNormalizable:
            continue
        for values in points(rng, chosen, given, 5, extreme=False):
            with mp.workdps(50):
                same = _agree(first, second, found.denominators, values)
            assert same is not False, (seed, first, second, given, values)
            checked += same is True
    assert checked > 30
