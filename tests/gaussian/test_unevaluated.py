"""The unevaluated expectation: what it binds, and how substitution goes around it."""

import pickle
from typing import Any

import pytest
from sympy import Derivative, Eq, Integer, Rational, Symbol, cos, erf, exp, latex, srepr, symbols

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    ProductLaw,
    expectation,
    standard_normal,
)

x, y, z, a, t, r = symbols("x y z a t r", real=True)

SHIFTED = Expectation(a * x**2, GaussianLaw({x: t}, [[1]]))
NESTED = Expectation(y * Expectation(y * x**2, standard_normal(x)), standard_normal(y))
SUMMED = Expectation(
    x * IIDSum(erf(a * x), standard_normal(x), 3), ProductLaw(standard_normal(x), NoiseLaw(z, 1))
)
ALL = [SHIFTED, NESTED, SUMMED, SUMMED.integrand]


def test_parts():
    assert SHIFTED.integrand == a * x**2
    assert SHIFTED.law == GaussianLaw({x: t}, [[1]])
    assert SHIFTED.free_symbols == {a, t}
    assert SHIFTED.bound_symbols == [x]
    assert NESTED.free_symbols == set()
    assert SUMMED.free_symbols == {a}
    with pytest.raises(TypeError, match="law must be a Law"):
        Expectation(x, 3)


def test_assumptions():
    assert SHIFTED.is_real
    assert SHIFTED.is_commutative
    assert Expectation(exp(1j * x), standard_normal(x)).is_real is None


def value(expr: Any) -> Any:
    """In closed form: what substitution must get right."""
    return expr.replace(
        lambda node: isinstance(node, Expectation), lambda node: expectation(*node.args)
    ).expand()


CLOSED = a * (1 + t**2)  # of SHIFTED


def test_bound_symbols_are_left_alone():
    assert SHIFTED.subs(x, 3) == SHIFTED
    assert SHIFTED.subs(x**2, 3) == SHIFTED
    assert SHIFTED.xreplace({x: Integer(3)}) == SHIFTED
    assert (x + SHIFTED).subs(x, 3) == 3 + SHIFTED


@pytest.mark.parametrize("method", ["subs", "xreplace"])
@pytest.mark.parametrize("rule", [{a: x}, {t: x}, {a: x * y}, {a: x, t: y}, {a: 2 * t}, {a: x + t}])
def test_substitution_does_not_capture(method, rule):
    changed = getattr(SHIFTED, method)(rule)
    expected = CLOSED.xreplace(rule).expand()
    assert changed.free_symbols == expected.free_symbols
    # x is free now, and the law has a bound variable of another name.
    assert value(changed) == expected


def test_simultaneous_substitution():
    for rule in ({a: t, t: a}, {a: x, t: a}, {a: x, t: x}):
        changed = (SHIFTED + x).subs(rule, simultaneous=True)
        assert value(changed) == (x + CLOSED.subs(rule, simultaneous=True)).expand()


def test_substitution_in_nested_expectations():
    inner = Expectation(a * x, GaussianLaw({x: y}, [[1]]))
    outer = Expectation(inner * y, standard_normal(y))
    assert value(outer) == a
    assert value(outer.subs(a, y)) == y
    assert value(outer.subs(a, x)) == x
    assert value(outer.xreplace({a: x * y})) == x * y


def test_substituting_the_whole():
    assert (2 * SHIFTED).subs(SHIFTED, a) == 2 * a
    assert (2 * SHIFTED).xreplace({SHIFTED: a}) == 2 * a


def test_renaming_by_xreplace():
    assert SHIFTED.xreplace({x: y}) == Expectation(a * y**2, GaussianLaw({y: t}, [[1]]))
    # A new name that is taken by a parameter would change the meaning.
    assert SHIFTED.xreplace({x: a}) == SHIFTED
    assert SHIFTED.rename_variables({x: y}).rename_variables({y: x}) == SHIFTED


def test_iid_sum_renamed():
    total = SUMMED.integrand.args[1]
    assert total.rename_variables({x: y}) == IIDSum(erf(a * y), standard_normal(y), 3)
    assert total.subs(a, x).free_symbols == {x}
    assert total.subs(x, 2) == total


def test_equal_up_to_names():
    renamed = SHIFTED.rename_variables({x: y})
    assert renamed != SHIFTED
    assert renamed.as_dummy() == SHIFTED.as_dummy()
    assert renamed.dummy_eq(SHIFTED)
    assert not renamed.dummy_eq(SHIFTED.subs(a, 2))
    other = Expectation(x * Expectation(x * y**2, standard_normal(y)), standard_normal(x))
    assert other.as_dummy() == NESTED.as_dummy()


def test_order_of_nested_names_matters():
    left = Expectation(Expectation(x * y**2, standard_normal(x)), standard_normal(y))
    right = Expectation(Expectation(x**2 * y, standard_normal(x)), standard_normal(y))
    assert left.as_dummy() != right.as_dummy()


@pytest.mark.parametrize("node", ALL)
def test_dummies_are_real(node):
    dummy = node.as_dummy()
    assert all(symbol.is_real for symbol in dummy.atoms(Symbol))
    assert dummy.free_symbols == node.free_symbols


def test_canonical_names_do_not_clash():
    taken = Symbol("_0", real=True)
    node = Expectation(taken * x**2, standard_normal(x))
    assert node.as_dummy().free_symbols == {taken}
    assert value(node.as_dummy()) == taken


def test_equation_may_be_evaluated():
    equation = Eq(Expectation(x**4, GaussianLaw({x: 0}, [[t**2]])), 3 * t**4)
    assert equation.lhs.has(Expectation)
    assert Eq(SHIFTED, SHIFTED) == True  # noqa: E712


def test_derivative():
    assert SHIFTED.diff(x) == 0
    assert SHIFTED.diff(r) == 0
    assert SHIFTED.diff(a) == Derivative(SHIFTED, a, evaluate=False)


@pytest.mark.parametrize("node", ALL)
def test_copies(node):
    assert pickle.loads(pickle.dumps(node)) == node
    assert node.func(*node.args) == node
    names: dict[str, Any] = {}
    exec("from sympy import *\nfrom slrsym.gaussian import *", names)
    assert eval(srepr(node), names) == node


def test_printing():
    node = Expectation(cos(x**2), standard_normal(x))
    assert str(node) == "E[cos(x**2)]"
    assert latex(node) == r"\mathbb{E}\left[\cos{\left(x^{2} \right)}\right]"
    assert latex(2 * node**2).count(r"\mathbb{E}") == 1
    assert str(SUMMED.integrand.args[1]) == "IIDSum(erf(a*x), 3)"
    assert r"\sum_{\ell=1}^{3}" in latex(SUMMED)


def test_evalf_needs_values():
    assert SHIFTED.evalf() == SHIFTED
    half = SHIFTED.subs({a: Rational(1, 2), t: 2})
    assert abs(half.evalf(30) - Rational(5, 2)) < Rational(1, 10**29)
    assert abs(SHIFTED.evalf(20, subs={a: Rational(1, 2), t: 2}) - 2.5) < 1e-15
    assert abs((1 + half).evalf(20) - Rational(7, 2)) < Rational(1, 10**18)
