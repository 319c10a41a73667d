"""Absolute values, signs, maxima, steps and cases: closed forms against integrals of definitions.

The reference is Gauss-Legendre quadrature in floats between the places where something jumps or
bends, in one or two dimensions, and shares nothing with what it checks.
"""

import itertools
import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from sympy import (
    ITE,
    Abs,
    Derivative,
    DiracDelta,
    Heaviside,
    Matrix,
    Max,
    Min,
    Or,
    Piecewise,
    Rational,
    S,
    Symbol,
    cos,
    erf,
    exp,
    expand,
    nan,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
    tanh,
)
from sympy.stats import Exponential, Normal

import slrsym.gaussian
from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IntegrabilityError,
    expectation,
    standard_normal,
)
from tests._profile import thorough_cases, thorough_only

x, y, z, w = symbols("x y z w", real=True)
m, n, r, a, b = symbols("m n r a b", real=True)
s = Symbol("s", positive=True)
LINE = GaussianLaw({x: m}, [[s**2]])
PLANE = GaussianLaw({x: m, y: n}, [[1, r], [r, s**2]])

Function = Callable[..., Any]
ERF: Function = np.vectorize(math.erf)


def relu(u: Any) -> Any:
    return np.maximum(u, 0)


def integral(function: Function, breaks: list[float], reach: float = 9.0) -> Any:
    """Integral of a function of z against the standard normal density."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    ends = sorted(
        {-reach, reach, *np.linspace(-reach, reach, 10), *(c for c in breaks if abs(c) < reach)}
    )
    total = 0.0
    for low, high in itertools.pairwise(ends):
        places = (low + high) / 2 + (high - low) / 2 * nodes
        density = np.exp(-(places**2) / 2) / math.sqrt(2 * math.pi)
        total += (high - low) / 2 * np.sum(weights * density * function(places))
    return total


# What it is, in SymPy and in NumPy, and where it jumps or bends.
ONE = [
    (Abs(x), np.abs, [0]),
    (Abs(x) ** 3, lambda u: np.abs(u) ** 3, [0]),
    (sign(x) * x**3, lambda u: np.sign(u) * u**3, [0]),
    (Heaviside(x - a) * x**2, lambda u, a: (u > a) * u**2, ["a"]),
    (Max(x, 0), relu, [0]),
    (Max(x, 0) ** 2, lambda u: relu(u) ** 2, [0]),
    (Min(x, a), np.minimum, ["a"]),
    (Min(Max(x, -1), 1) ** 2, lambda u: np.clip(u, -1, 1) ** 2, [-1, 1]),
    (Max(x, 0) * erf(x), lambda u: relu(u) * ERF(u), [0]),
    (erf(Max(x, a)), lambda u, a: ERF(np.maximum(u, a)), ["a"]),
    (exp(-Abs(x)), lambda u: np.exp(-np.abs(u)), [0]),
    (exp(-(x**2)) * sign(x - a), lambda u, a: np.exp(-u * u) * np.sign(u - a), ["a"]),
    (sin(x) * sign(x), lambda u: np.sin(u) * np.sign(u), [0]),
    (cos(2 * x) * Max(x, a), lambda u, a: np.cos(2 * u) * np.maximum(u, a), ["a"]),
    (Piecewise((x, (x > a) & (x < b)), (0, True)),
     lambda u, a, b: u * ((u > a) & (u < b)), ["a", "b"]),
    (Piecewise((x**2, x < a), (1, x < b), (x, True)),
     lambda u, a, b: np.where(u < a, u**2, np.where(u < b, 1, u)), ["a", "b"]),
    (Piecewise((x, x**2 < 2), (0, True)), lambda u: u * (u * u < 2), [-math.sqrt(2), math.sqrt(2)]),
    (Piecewise((1, Or(x < -1, x > 2)), (0, True)), lambda u: ((u < -1) | (u > 2)) * 1.0, [-1, 2]),
    (Piecewise((x, a > 0), (1, True)), lambda u, a: u if a > 0 else 0 * u + 1, []),
    (Piecewise((x, ITE(x > 0, x < 1, x < -1)), (0, True)),
     lambda u: u * np.where(u > 0, u < 1, u < -1), [-1, 0, 1]),
    (Abs(x**2 - 1), lambda u: np.abs(u * u - 1), [-1, 1]),
    (Abs(x**2 + x + 1) * sign(x), lambda u: np.sign(u) * (u * u + u + 1), [0]),
    (Abs(x**3 - 3 * x + 2), lambda u: np.abs(u**3 - 3 * u + 2), [-2]),
    (Max(2 - exp(x), 0), lambda u: relu(2 - np.exp(u)), [math.log(2)]),
    (Abs(Abs(x) - 1), lambda u: np.abs(np.abs(u) - 1), [-1, 0, 1]),
    (Max(exp(x) - 2, 0), lambda u: relu(np.exp(u) - 2), [math.log(2)]),
    (Heaviside(tanh(x)) * x, lambda u: (u > 0) * u, [0]),
    (Derivative(Abs(x) * erf(x), x),
     lambda u: np.sign(u) * ERF(u) + np.abs(u) * 2 / math.sqrt(math.pi) * np.exp(-u * u), [0]),
]  # fmt: skip


# Twenty and more other integrands of each test.
@thorough_cases("sin(x)*sign(x)", "cos(2*x)*Max(a, x)")
@pytest.mark.parametrize("case", ONE, ids=lambda case: str(case[0]))
def test_one_variable(case):
    expr, function, breaks = case
    rng = Random(str(expr))
    value = expectation(expr, LINE)
    assert not value.has(Expectation)
    for _ in range(3):
        at = {m: rng.uniform(-1, 1), s: rng.uniform(0.4, 2)}
        ends = {"a": rng.uniform(-1, 1), "b": rng.uniform(-1, 1)}
        used = [ends[str(p)] for p in (a, b) if p in expr.free_symbols]
        places = [((ends[c] if isinstance(c, str) else c) - at[m]) / at[s] for c in breaks]
        expected = integral(lambda t: function(at[m] + at[s] * t, *used), places)  # noqa: B023
        found = complex(value.subs({**at, a: ends["a"], b: ends["b"]}).evalf(20))
        assert found.real == pytest.approx(expected, rel=1e-11, abs=1e-12)
        assert abs(found.imag) < 1e-15


TWO = [
    (Max(x, y), np.maximum, [(1, -1)]),
    (Abs(x - y), lambda u, v: np.abs(u - v), [(1, -1)]),
    (Heaviside(x) * Heaviside(y), lambda u, v: (u > 0) * (v > 0) * 1.0, [(1, 0), (0, 1)]),
    (Max(x, 0) * Max(y, 0), lambda u, v: relu(u) * relu(v), [(1, 0), (0, 1)]),
    (Max(x, 0) ** 2 * Max(y, 0) ** 2, lambda u, v: relu(u) ** 2 * relu(v) ** 2, [(1, 0), (0, 1)]),
    (sign(x) * sign(y), lambda u, v: np.sign(u) * np.sign(v), [(1, 0), (0, 1)]),
    (sign(x) * erf(y), lambda u, v: np.sign(u) * ERF(v), [(1, 0)]),
    (Abs(x * y), lambda u, v: np.abs(u * v), [(1, 0), (0, 1)]),
    (Piecewise((x, x * y > 0), (y, True)),
     lambda u, v: np.where(u * v > 0, u, v), [(1, 0), (0, 1)]),
    (Max(x, 0) * exp(y), lambda u, v: relu(u) * np.exp(v), [(1, 0)]),
    (Max(exp(x), exp(y)), lambda u, v: np.exp(np.maximum(u, v)), [(1, -1)]),
    (Max(x, y, 0), lambda u, v: relu(np.maximum(u, v)), [(1, 0), (0, 1), (1, -1)]),
]  # fmt: skip


@thorough_only
@pytest.mark.parametrize("case", TWO, ids=lambda case: str(case[0]))
def test_two_variables(case):
    expr, function, lines = case
    rng = Random(str(expr))
    value = expectation(expr, PLANE)
    assert not value.has(Expectation)
    at = {m: rng.uniform(-1, 1), n: rng.uniform(-1, 1), s: rng.uniform(0.5, 1.5)}
    at[r] = at[s] * rng.uniform(-0.9, 0.9)
    rest = math.sqrt(at[s] ** 2 - at[r] ** 2)
    # x = m + t, y = n + r t + rest u; each line is p x + q y = 0.
    forms = [(p * at[m] + q * at[n], p + q * at[r], q * rest) for p, q in lines]
    outer = [-c / d for c, d, e in forms if not e]
    for (c, d, e), (f, g, h) in itertools.combinations(forms, 2):
        outer.append((e * f - c * h) / (d * h - e * g))

    def inner(t: float) -> Any:
        breaks = [-(c + d * t) / e for c, d, e in forms if e]
        first = at[m] + t
        second = lambda u: at[n] + at[r] * t + rest * u  # noqa: E731
        return integral(lambda u: function(first + 0 * u, second(u)), breaks)

    expected = integral(lambda ts: np.array([inner(t) for t in ts]), outer)
    assert float(value.subs(at).evalf(20)) == pytest.approx(expected, rel=1e-10, abs=1e-11)


def test_arc_cosine_kernels():
    law = GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]])
    at = {r: Rational(3, 7)}
    angle = mp.acos(mp.mpf(3) / 7)
    j = [
        mp.pi - angle,
        mp.sin(angle) + (mp.pi - angle) * mp.cos(angle),
        3 * mp.sin(angle) * mp.cos(angle) + (mp.pi - angle) * (1 + 2 * mp.cos(angle) ** 2),
    ]
    kinds = [Heaviside(x) * Heaviside(y), *(Max(x, 0) ** k * Max(y, 0) ** k for k in (1, 2))]
    for expected, kind in zip(j, kinds, strict=True):
        assert float(expectation(kind, law).subs(at)) == pytest.approx(
            float(expected / (2 * mp.pi)), rel=1e-14
        )


@thorough_only
def test_the_largest_of_several():
    assert expectation(Max(x, y), standard_normal(x, y)) == 1 / sqrt(pi)
    assert expectation(Max(x, y, z), standard_normal(x, y, z)) == 3 / (2 * sqrt(pi))
    of_four = expectation(Max(x, y, z, w), standard_normal(x, y, z, w))
    assert float(of_four) == pytest.approx(1.0293753730039641, rel=1e-12)


def test_densities():
    density = expectation(DiracDelta(x - a), standard_normal(x))
    assert density.equals(exp(-(a**2) / 2) / sqrt(2 * pi))


@pytest.mark.parametrize(
    ("integrand", "why"),
    [
        (Piecewise((x, x > a)), "may have no value: add a case (value, True)"),
        (Abs(x**3 + x + a), "is not one of affine forms"),
        (Abs(x**2 - a), "has real zeros is not decided"),
        (Abs(x * y - 1), "is not one of affine forms"),
        (Abs(exp(x) - x), "is not one of affine forms"),
        (DiracDelta(x**2 - 1), "is no density of an affine form"),
    ],
    ids=str,
)
def test_what_stays_open_says_why(integrand, why):
    value = expectation(integrand, standard_normal(x, y))
    assert isinstance(value, Expectation)
    assert why in value.reason


def test_three_dependent_signs_stay_open_and_say_why():
    law = GaussianLaw({x: 1, y: 0, z: 0}, [[2, 1, 1], [1, 2, 1], [1, 1, 2]])
    value, trace = expectation(sign(x) * sign(y) * sign(z), law, trace=True)
    assert isinstance(value, Expectation)
    assert "orthant in 3 dimensions" in value.reason
    assert list(trace.reasons.values()) == [value.reason]
    assert "tanh(x)" in expectation(tanh(x), LINE).reason
    assert Expectation(x, LINE).reason == ""


def test_three_that_close():
    cov = [[2, 1, 1, 0], [1, 2, 1, 0], [1, 1, 2, 0], [0, 0, 0, 1]]
    law = GaussianLaw({x: 0, y: 0, z: 0, w: m}, cov)
    assert expectation(erf(x) * erf(y) * erf(z) * erf(w), law) == 0
    # Two signs of parallel forms are one.
    value = expectation(erf(x) * sign(x - 1) * sign(2 * x + 3), standard_normal(x))
    expected = integral(lambda u: ERF(u) * np.sign(u - 1) * np.sign(2 * u + 3), [1, -1.5])
    assert float(value) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_sign_of_a_form_that_does_not_vary_is_a_factor(place):
    """In whichever place of the product it stands."""
    names = [y, z]
    names.insert(place, x)
    varies = [[int(i == j and s != x) for j in range(3)] for i, s in enumerate(names)]
    law = GaussianLaw(dict.fromkeys(names, 0), varies)
    found = expectation(sign(names[0] + a) * sign(names[1] + a) * sign(names[2] + a), law)
    assert expand(found - sign(a) * erf(a / sqrt(2)) ** 2) == 0


def test_entries():
    one = standard_normal(x)
    assert expectation([x, [x**2], (Abs(x),)], one) == [0, [1], (sqrt(2) / sqrt(pi),)]
    assert expectation(Matrix([[x, x**2], [1, x**4]]), one) == Matrix([[0, 1], [1, 3]])
    _, trace = expectation([x, x**2], one, trace=True)
    assert len(trace) > 1


def test_normal_variables_of_sympy():
    X = Normal("X", 1, 2)
    Y = Normal("Y", [0, 1], [[1, Rational(1, 2)], [Rational(1, 2), 1]])
    law = GaussianLaw({x: 0, y: 1}, [[1, Rational(1, 2)], [Rational(1, 2), 1]])
    assert expectation(erf(X)) == expectation(erf(x), GaussianLaw({x: 1}, [[4]]))
    assert expectation(Y[0] * erf(Y[1])) == expectation(x * erf(y), law)
    with pytest.raises(TypeError, match="must be normal"):
        expectation(Exponential("E", 1))
    with pytest.raises(TypeError, match="law is missing"):
        expectation(x)
    with pytest.raises(TypeError, match="entries"):
        expectation(Y)


def test_what_diverges_or_is_no_integrand():
    one = standard_normal(x)
    for expr in (tan(x), 1 / cos(x), 1 / sin(x), 1 / tanh(x), 1 / erf(x)):
        with pytest.raises(IntegrabilityError, match="has a pole"):
            expectation(expr, one)
    assert expectation(x * S.One / x, one) == 1
    with pytest.raises(TypeError, match="must be an expression"):
        expectation(x > 1, one)
    with pytest.raises(ValueError, match="real and finite"):
        GaussianLaw({x: 0}, [[nan]])


def test_a_truncated_exponential_is_not_called_divergent():
    value = expectation(exp(x**2) * Piecewise((1, Abs(x) < 1), (0, True)), standard_normal(x))
    assert value.has(Expectation)


def test_doit_evaluates():
    assert Expectation(Abs(x), standard_normal(x)).doit() == sqrt(2) / sqrt(pi)
    value: Any = Expectation(x**2, LINE) + 1
    assert value.doit() == 1 + m**2 + s**2


@pytest.mark.parametrize("expr", [Max(x, y), x * sign(y), Abs(x) * y**2, tanh(1000 * x + 1)])
def test_digits_of_the_definition(expr):
    law = GaussianLaw({x: 0, y: Rational(1, 3)}, [[1, Rational(1, 2)], [Rational(1, 2), 1]])
    value = expectation(expr, law)
    found = Expectation(expr, law).evalf(30)
    if value.has(Expectation):
        assert abs(found - sqrt(2 / pi).evalf(30) / 1000) < Rational(1, 10**8)
    else:
        assert abs(found - value.evalf(30)) < Rational(1, 10**29)


@thorough_only
def test_kinks_in_two_dimensions_to_many_digits():
    law = GaussianLaw({x: 0, y: 0}, [[1, Rational(1, 2)], [Rational(1, 2), 1]])
    found = Expectation(sign(x) * sign(y), law).evalf(12)
    assert found == pytest.approx(1 / 3, abs=1e-11)


def test_names_of_sympy_are_left_alone():
    assert "trace" not in slrsym.gaussian.__all__
    assert all(hasattr(slrsym.gaussian, name) for name in slrsym.gaussian.__all__)
