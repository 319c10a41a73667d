"""Values for symbols: bound variables stay bound, and capture nothing."""

from __future__ import annotations

import pytest
from sympy import (
    And,
    Derivative,
    Dummy,
    Eq,
    Equivalent,
    Function,
    Ge,
    Gt,
    Implies,
    Integral,
    Lambda,
    Le,
    Limit,
    Lt,
    Ne,
    Not,
    Or,
    Rational,
    S,
    Subs,
    Sum,
    Symbol,
    Tuple,
    expand,
    latex,
    symbols,
)

from slrsym.gaussian import Expectation, standard_normal
from slrsym.prover.statements import expressions
from slrsym.prover.statements.expressions import (
    AtPoint,
    ForAll,
    bound_and_derivative_variables,
    expression_text,
    find_ambiguous_subs,
    infix_text,
    rename_clashing_bound_variables,
    substitute_simultaneously,
)

x, y, z = symbols("x y z", real=True)
i, j, n = symbols("i j n", integer=True, positive=True)
f = Function("f")


@pytest.mark.parametrize(
    ("expr", "values", "meaning"),
    [
        # A value that names the bound variable.
        (Integral(x * y, (x, 0, 1)), {y: x}, x / 2),
        (Sum(i * y, (i, 1, 3)), {y: i}, 6 * i),
        # The end of a range is outside of it, and speaks of the free variable of the same name.
        (Integral(x * y, (x, 0, x)), {y: x}, x**3 / 2),
        (Integral(x * y, (x, 0, x)), {x: S(2)}, 2 * y),
        (Sum(i * y, (i, 1, i)), {y: i}, i**2 * (i + 1) / 2),
        # The end of an inner range is inside of the outer one.
        (Integral(x * z, (x, 0, y), (y, 0, 2)), {z: x}, 4 * x / 3),
        (Integral(x * z, (x, 0, y), (y, 0, 2)), {z: y}, 4 * y / 3),
        (Integral(x * z, (x, 0, y), (y, 0, y)), {z: y}, y**4 / 6),
        (Limit(x * y + z, x, z), {y: x}, x * z + z),
        (Subs(x * y, x, z), {y: x}, x * z),
        (Lambda(x, x * y)(z), {y: x}, x * z),
        # All at once.
        (x + 2 * y, {x: y, y: x}, y + 2 * x),
        (x * Integral(x * y, (x, 0, 1)), {x: y, y: x}, x * y / 2),
    ],
    ids=str,
)
def test_values_are_put_for_what_is_free(expr, values, meaning):
    assert expand(substitute_simultaneously(expr, values).doit() - meaning) == 0


def test_a_mean_keeps_its_variable():
    mean = Expectation(x * y, standard_normal(x))
    found = substitute_simultaneously(mean, {y: x})
    assert found.free_symbols == {x}
    assert found != Expectation(x * x, standard_normal(x))
    assert substitute_simultaneously(mean, {x: S(5)}).free_symbols == {y}


def test_relations_stay_relations():
    assert substitute_simultaneously(Lt(x, 1), {x: S.Zero}) == Lt(0, 1, evaluate=False)
    both = substitute_simultaneously(Eq(x, y) & Lt(x, 1), {x: S.Zero, y: S.Zero})
    assert set(both.args) == {Eq(0, 0, evaluate=False), Lt(0, 1, evaluate=False)}


def test_a_derivative_at_a_point():
    slope = Derivative(f(x, y), x)
    assert substitute_simultaneously(slope, {y: S(2)}).has(f)
    twice = AtPoint(Derivative(f(x, y), x, y), (x, y), (z, z))
    assert substitute_simultaneously(twice, {z: Rational(1, 2)}) == AtPoint(
        Derivative(f(x, y), x, y), (x, y), (Rational(1, 2), Rational(1, 2))
    )


def test_points_of_equal_coordinates_are_kept_apart():
    first, second = (AtPoint(Derivative(f(x, y), x, other), (x, y), (0, 0)) for other in (x, y))
    assert first != second
    assert find_ambiguous_subs(first + second) is None
    confused = Subs(Derivative(f(x, y), x), (x, y), (0, 0))
    assert find_ambiguous_subs(1 + confused) == confused
    assert find_ambiguous_subs(Subs(Derivative(f(x, y), x), (x, y), (0, 1))) is None


def test_bound_variables_are_renamed_where_they_clash_and_nowhere_else():
    whole = Integral(x * Sum(i * x, (i, 1, n)), (x, 0, y)) + Lambda(z, z + y)(1)
    assert rename_clashing_bound_variables(whole, {y}) == whole
    renamed = rename_clashing_bound_variables(whole, {x, i})
    assert not bound_and_derivative_variables(renamed) & {x, i}
    assert renamed.doit() == whole.doit()
    assert all(isinstance(s, Dummy) and s.is_real for s in bound_and_derivative_variables(renamed))
    assert bound_and_derivative_variables(
        Tuple(Subs(f(x), x, y), Limit(x, x, 0), Lambda(z, z + 1))
    ) == {x, z}
    assert bound_and_derivative_variables(Derivative(f(y), y)) == {y}
    slope = Derivative(Integral(f(x) * y**2, (x, 0, 1)), y)
    assert bound_and_derivative_variables(slope) == {x, y}
    renamed = rename_clashing_bound_variables(slope, {x})
    assert renamed.has(Dummy)
    assert bound_and_derivative_variables(renamed) & {x, y} == {y}


@pytest.mark.parametrize(
    ("expr", "values", "wanted"),
    [
        (Derivative(f(x, y), x), {y: z}, Derivative(f(x, z), x)),
        (Derivative(f(x, y), x), {x: z}, Derivative(f(z, y), z)),
        (Derivative(f(x, y), x), {x: y, y: x}, Derivative(f(y, x), y)),
        # At what depends on the variable, or is no symbol, the derivative is taken first.
        (Derivative(f(x, y), x), {x: y}, Subs(Derivative(f(x, y), x), x, y)),
        (Derivative(f(x, y), x), {y: x}, Subs(Derivative(f(x, y), x), y, x)),
        (Derivative(f(x, y), x), {x: S(2)}, Subs(Derivative(f(x, y), x), x, 2)),
        (Derivative(f(x, y), x), {y: x + z}, Subs(Derivative(f(x, y), x), y, x + z)),
    ],
)
def test_derivatives_stay_those_of_the_same_function(expr, values, wanted):
    assert substitute_simultaneously(expr, values) == wanted


def test_what_has_nothing_to_put_in_stays():
    whole = Eq(x, y)
    assert substitute_simultaneously(whole, {}) is whole
    assert substitute_simultaneously("x", {x: y}) == "x"
    assert substitute_simultaneously(whole, {z: x}) == whole


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({y: S(3)}, Lt(x, 3)),
        # The variable is bound: a value of its name is left out, and one with it does not catch it.
        ({x: S(3)}, Lt(x, y)),
        ({x: S(3), y: S(2)}, Lt(x, 2)),
    ],
)
def test_a_statement_for_all_keeps_its_variable(values, wanted):
    assert substitute_simultaneously(ForAll(x, Lt(x, y)), values) == ForAll(x, wanted)


def test_a_value_is_not_caught_by_for_all():
    found = substitute_simultaneously(ForAll(x, Lt(x, y)), {y: x + 1})
    assert found.variable != x
    assert found.variable.is_real
    assert found.instantiate(z) == Lt(z, x + 1)


@pytest.mark.parametrize(
    ("variable", "domain"),
    [
        (x, "real "), (n, "positive integers "), (Symbol("k", integer=True), "integers "),
        (Symbol("p", positive=True), "positive real "), (Symbol("p", negative=True),
        "negative real "), (Symbol("p", nonnegative=True), "nonnegative real "),
        (Symbol("p", nonpositive=True), "nonpositive real "),
        (Symbol("p", real=True, nonzero=True), "nonzero real "),
    ],
)  # fmt: skip
def test_for_all_is_said_with_its_domain(variable, domain):
    said = ForAll(variable, Lt(variable, y, evaluate=False))
    assert str(said) == f"{variable} < y for all {domain}{variable}"
    assert latex(said) == rf"{variable} < y \text{{ for all {domain}}} {variable}"


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (Eq(x, y), "x = y"), (Ne(x, y), "x != y"), (Le(x, y), "x <= y"), (Lt(x, y), "x < y"),
        (Ge(x, y), "x >= y"), (Gt(x, y), "x > y"),
        (Not(And(Lt(x, 1), Lt(y, 1)), evaluate=False), "not ((x < 1) and (y < 1))"),
        (Or(Lt(y, 1), Lt(x, 1)), "(x < 1) or (y < 1)"),
        (Implies(Lt(y, 1), Lt(x, 1), evaluate=False), "(y < 1) => (x < 1)"),
        (Equivalent(Lt(y, 1), Lt(x, 1), evaluate=False), "(x < 1) <=> (y < 1)"),
    ],
)  # fmt: skip
def test_statements_are_read_between_their_sides(statement, text):
    assert infix_text(statement) == text


def test_texts_are_those_of_sympy_whatever_was_printed_before(monkeypatch):
    monkeypatch.setattr(expressions._CachingTextPrinter, "_MOST", 1)
    monkeypatch.setattr(expressions, "_printer", expressions._CachingTextPrinter())
    terms = [x * y + f(z), f(x + y) ** 2, x * y + f(z), Sum(i * x, (i, 1, n))]
    assert [expression_text(t) for t in terms] == list(map(str, terms))
    # Equal to SymPy, and read otherwise.
    slopes = [Subs(Derivative(f(x, y), v), (x, y), (0, 0)) for v in (x, y)]
    assert [expression_text(t) for t in slopes] == list(map(str, slopes))
