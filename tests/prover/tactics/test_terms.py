"""Numerical values of terms, paths in them, and the translation of expressions to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special
from sympy import (
    Abs,
    Derivative,
    Function,
    IndexedBase,
    KroneckerDelta,
    Max,
    Rational,
    Sum,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    erf,
    erfc,
    exp,
    log,
    oo,
    pi,
    sin,
    sqrt,
    tanh,
)

from slrsym.checker.term import num, substitute
from slrsym.gaussian import OwensT, erf_prime, erf_second, zeta
from slrsym.prover.tactics.numerical_values import (
    are_surely_different,
    are_values_close,
    value_at_pseudorandom_point,
)
from slrsym.prover.tactics.subterm_paths import (
    paths_to_subterm,
    paths_to_symbol,
    replace_at_path,
    subterm_similarity,
)
from slrsym.prover.tactics.translation import Translator, Untranslatable

x, y = (Symbol(name, real=True) for name in "xy")
p = Symbol("p", positive=True)
i, n = (Symbol(name, integer=True) for name in "in")
f = Function("f", real=True)
v = IndexedBase("v", real=True)
X, Y, ZERO, ONE = ("s", "x", "R"), ("s", "y", "R"), num(0), num(1)


def value(expr):
    return value_at_pseudorandom_point(Translator().term(expr))


a, b = value(x), value(y)
nodes, weights = np.polynomial.hermite_e.hermegauss(80)
mean_of_square = weights @ special.erf(a + b * nodes) ** 2 / math.sqrt(2 * math.pi)


@pytest.mark.parametrize(
    ("expr", "number"),
    [
        (Rational(2, 3) * x - y, 2 / 3 * a - b),
        (x * y * pi, a * b * math.pi),
        (x ** Rational(3, 2) / y, a**1.5 / b),
        (exp(x) + log(y), math.exp(a) + math.log(b)),
        (erf(x), math.erf(a)),
        (Abs(x - 2), 2 - a),
        (erf_prime(x), 2 / math.sqrt(math.pi) * math.exp(-(a**2))),
        (erf_second(x), -4 * a / math.sqrt(math.pi) * math.exp(-(a**2))),
        (sin(x) + cos(y) * tanh(x), math.sin(a) + math.cos(b) * math.tanh(a)),
        (atan(x) - asin(y), math.atan(a) - math.asin(b)),
        (Max(x, y, 0), max(a, b)),
        (OwensT(x, y), special.owens_t(a, b)),
        (zeta(x, y), mean_of_square),
        # No value is known.
        (log(x - 1), None),
        (f(x), None),
        (Sum(v[i], (i, 1, 3)), None),
    ],
)
def test_a_term_has_the_value_of_its_expression(expr, number):
    found = value(expr)
    assert found is None if number is None else found == pytest.approx(number, rel=1e-9)


def test_a_division_by_zero_has_no_value():
    assert value_at_pseudorandom_point(("^", -1, 1, ZERO)) is None


def test_values_are_different_or_close_or_unknown():
    assert 0.1 <= a <= 0.7
    assert 0.1 <= b <= 0.7
    assert a != b
    assert are_values_close(1, 1 + 1e-10)
    assert not are_values_close(1, 1 + 1e-8)
    assert not are_values_close(None, None)
    assert are_surely_different(X, Y)
    assert not are_surely_different(("*", X, num(2)), ("+", X, X))
    unknown = ("u", "f", "R", (0,), X)
    assert not are_surely_different(unknown, X)
    assert not are_surely_different(X, unknown)


# The derivative of x y in x at the place x: inside, x is another variable.
SLOPE = ("d", (1,), (X,), (("*", X, Y),), (X,))


def test_paths_lead_to_free_symbols_alone():
    whole = ("+", X, SLOPE)
    free = paths_to_symbol(whole, X)
    assert free == [(1,), (2, (4, 0))]
    for path in free:
        whole = replace_at_path(whole, path, ONE)
    assert whole == ("+", ONE, ("d", (1,), (X,), (("*", X, Y),), (ONE,)))
    assert paths_to_symbol(SLOPE, Y) == [((3, 0), 2)]
    assert paths_to_symbol(Y, X) == []


def test_paths_lead_through_the_binders_that_are_named():
    product = ("*", X, Y)
    whole = ("+", product, SLOPE)
    assert paths_to_subterm(whole, product) == [(1,)]
    assert paths_to_subterm(whole, product, through=("d",)) == [(1,), (2, (3, 0))]
    assert paths_to_subterm(whole, product, through=("sum",)) == [(1,)]


def test_the_similarity_is_the_fraction_of_common_subterms():
    assert subterm_similarity(("+", X, Y), ("*", X, Y)) == 2 / 4
    assert subterm_similarity(("+", X, Y), ("+", X, Y)) == 1
    assert subterm_similarity(X, Y) == 0


def function(name, *arguments):
    return ("f", name, *arguments)


N, INDEX = ("s", "n", "Z"), ("s", "i", "Z")


@pytest.mark.parametrize(
    ("expr", "term"),
    [
        (oo, ("oo",)),
        (-oo, ("-oo",)),
        (exp(1), function("exp", ONE)),
        (sqrt(x), ("^", 1, 2, X)),
        (p**x, function("exp", ("*", function("log", ("s", "p", "R>0")), X))),
        (erfc(x), ("+", ONE, ("*", num(-1), function("erf", X)))),
        (f(x, 1), ("u", "f", "R", (0, 0), X, ONE)),
        (v[n], ("ix", "v", "R", N)),
        (Derivative(f(x, y), y, x, y), ("d", (2, 1), (Y, X),
         (("u", "f", "R", (0, 0), X, Y),), (Y, X))),
        (Sum(v[i], (i, 0, n)), ("sum", (INDEX,), (("ix", "v", "R", INDEX),), (ZERO, N))),
    ],
)  # fmt: skip
def test_an_expression_is_translated(expr, term):
    assert Translator().term(expr) == term


@pytest.mark.parametrize(("difference", "number"), [(0, 1), (1, 0), (2, 0), (-1, 0), (-3, 0)])
def test_a_kronecker_delta_is_a_function_of_integers(difference, number):
    delta = Translator().term(KroneckerDelta(n, i))
    at = substitute(delta, {N: num(2 + difference), INDEX: num(2)})
    assert value_at_pseudorandom_point(at) == number


def test_other_powers_and_deltas_have_no_translation():
    for expr in (x**y, KroneckerDelta(x, y)):
        with pytest.raises(Untranslatable):
            Translator().term(expr)


def test_an_arc_cosine_is_translated_by_the_arc_sine():
    assert value(acos(x)) == pytest.approx(math.acos(a))
