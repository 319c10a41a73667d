"""Random points: exact, inside the domain, all over it, and the same for the same seed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sympy import (
    Abs,
    And,
    Eq,
    Function,
    Ge,
    Gt,
    I,
    IndexedBase,
    Integer,
    Le,
    Lt,
    Matrix,
    Ne,
    Or,
    Rational,
    Sum,
    Symbol,
    erf,
    sqrt,
    symbols,
    sympify,
)

from slrsym.crosscheck import (
    Disagreement,
    Inconclusive,
    SharedPoints,
    compare,
    evaluate,
    is_true_at,
)
from slrsym.crosscheck.expectations import ExpectationValues
from slrsym.crosscheck.points import (
    NoPointFound,
    PointSampler,
    parameters_of_statements,
    random_test_function,
    sample_points,
)
from slrsym.crosscheck.random_values import compile_exact_decision, solve_equations_for_symbols
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, NoiseLaw, standard_normal
from slrsym.proof import Claim, chain, signs
from slrsym.prover.claims.ledger import Ledger
from tests._profile import thorough, thorough_only

x, y, z = symbols("x y z", real=True)


@pytest.fixture
def soon_tired(monkeypatch):
    """Fewer tries, where none succeeds."""
    monkeypatch.setattr("slrsym.crosscheck.points._TRIES", 400)


def draw(symbols, given=(), count=60, seed=0, laws=()):
    return sample_points(symbols, given, np.random.default_rng(seed), count, laws=laws)


@pytest.mark.parametrize(
    "assumptions",
    [
        {"positive": True},
        {"negative": True},
        {"nonnegative": True},
        {"nonpositive": True},
        {"real": True},
        {"real": True, "nonzero": True},
        {"integer": True},
        {"integer": True, "positive": True},
        {"integer": True, "nonnegative": True},
        {"even": True, "negative": True},
        {"odd": True, "positive": True},
        {"integer": False, "real": True},
        {"prime": True},
        {"rational": True, "positive": True},
        {},
    ],
)
def test_values_have_the_declared_properties(assumptions):
    s = Symbol("s", **assumptions)
    values = [point[s] for point in draw([s])]
    assert all(value.is_Rational for value in values)
    for fact, holds in assumptions.items():
        assert all(getattr(value, f"is_{fact}") is holds for value in values)
    assert len(set(values)) > 1


def test_imaginary_symbols():
    s = Symbol("s", imaginary=True)
    assert all((point[s] / I).is_Rational and point[s] != 0 for point in draw([s]))


@thorough_only
def test_contradictory_properties_give_no_point(soon_tired):
    with pytest.raises(NoPointFound, match="no point"):
        draw([Symbol("s", irrational=True)], count=1)


def test_sizes_are_moderate_and_varied():
    s = Symbol("s", positive=True)
    values = [point[s] for point in draw([s], count=400)]
    assert all(Rational(1, 64) <= value <= 4 and value.q <= 64 for value in values)
    assert 0.2 < np.mean([bool(value < Rational(1, 2)) for value in values]) < 0.6
    assert 0.2 < np.mean([bool(value > 1) for value in values]) < 0.6
    signs = [bool(point[x] > 0) for point in draw([x], count=400)]
    assert 0.4 < np.mean(signs) < 0.6


def test_positive_integers_are_small():
    n = Symbol("n", integer=True, positive=True)
    assert {point[n] for point in draw([n])} == {Integer(k) for k in range(1, 5)}


@pytest.mark.parametrize(
    "given",
    [
        [x >= -1, x <= 1],
        [And(x > Rational(1, 3), x < Rational(1, 2))],
        [x > 100],
        [x < -100],
        [-x <= 7, x <= 0],
        [x**2 < 2],
        [Or(x < -3, x > 3)],
        [Ne(x, 0)],
        [x >= 5, x <= 5],
    ],
)
def test_bounds_are_obeyed(given):
    points = draw([x], given, count=30)
    assert all(all(bool(h.xreplace(point)) for h in given) for point in points)


def test_ends_are_taken_only_where_they_are_allowed():
    closed = {point[x] for point in draw([x], [x >= -1, x <= 1], count=200)}
    assert {Integer(-1), Integer(1)} <= closed
    opened = {point[x] for point in draw([x], [x > -1, x < 1], count=200)}
    assert max(map(abs, opened)) < 1
    assert len(opened) > 20


def test_equations_are_solved():
    r = Symbol("r", positive=True)
    points = draw([x, y, z, r], [Eq(x, y + 1), Eq(2 * z - x, 3), Eq(r, y**2 + 1)], count=20)
    for point in points:
        assert point[x] == point[y] + 1
        assert 2 * point[z] - point[x] == 3
        assert point[r] == point[y] ** 2 + 1


def test_opposite_bounds_are_solved(soon_tired):
    """As at the edge of a region, where a function of it is at least and at most 0."""
    given = [Ge(x - y * z, 0), Le(x, y * z), Ge(y, Rational(1, 3)), Le(z**2, 2)]
    points = draw([x, y, z], given, count=20)
    assert all(point[x] == point[y] * point[z] for point in points)
    assert len({point[x] for point in points}) > 10


def test_gram_matrices_do_not_starve():
    overlaps = kappa, nu, theta, eta, rho = symbols("kappa nu theta eta rho", real=True)
    gram = Matrix(
        [[1, rho, kappa, eta], [rho, 1, theta, nu], [kappa, theta, 1, 0], [eta, nu, 0, 1]]
    )
    given = [s >= -1 for s in overlaps] + [s <= 1 for s in overlaps]
    for size in (3, 4):
        given += [gram.extract(at, at).det() >= 0 for at in map(list, combinations(range(4), size))]
    points = draw(overlaps, given, count=20)
    sizes = [max(abs(v) for v in point.values()) for point in points]
    for point in points:
        smallest = np.linalg.eigvalsh(np.array(gram.xreplace(point).tolist(), dtype=float))[0]
        assert smallest > -1e-12
    assert max(sizes) > Rational(1, 4)


def test_laws_have_to_be_laws():
    law = GaussianLaw({Symbol("U", real=True): 0, Symbol("W", real=True): 0}, [[x, y], [y, z]])
    noise = NoiseLaw(Symbol("xi", real=True), x - 1)
    points = draw([x, y, z], laws=[law, noise], count=20)
    assert all(p[x] >= 1 and p[z] >= 0 and p[x] * p[z] >= p[y] ** 2 for p in points)


@thorough_only
def test_numbers_with_many_common_digits_are_told_apart():
    # erf(8) is less than 1 by 1e-29, so that -1 is no value of x.
    with pytest.raises(NoPointFound, match="no point"):
        draw([x, y], [x >= -erf(y), Le(x, -1), y >= 8], count=1)
    # Both ends may be reached where they are equal.
    assert draw([x, y], [x**2 >= sqrt(y**2), Eq(y, 4), Eq(x, 2)], count=1)


def test_hypotheses_are_asked_before_equations_are_solved(monkeypatch):
    """Of a Gram matrix, most proposals are refused; to solve for what depends on it takes long."""
    x, y, z = symbols("x y z", real=True)
    solved = []
    complete = PointSampler._completed
    monkeypatch.setattr(
        PointSampler, "_completed", lambda self, p: solved.append(dict(p)) or complete(self, p)
    )
    sampler = PointSampler([x, y, z], [Eq(z, x**2 + y**2), Gt(x * y, 1)])
    point = sampler.draw(np.random.default_rng(0))
    assert point[z] == point[x] ** 2 + point[y] ** 2
    assert [p[x] * p[y] > 1 for p in solved] == [True]


def test_impossible_hypotheses_are_named(soon_tired):
    with pytest.raises(NoPointFound, match=r"x\*\*2 < -1"):
        draw([x], [Lt(x**2, -1, evaluate=False)], count=1)


@pytest.mark.parametrize("given", [(x > 1, x < 0), (x > 1, x <= 1), (x >= 1, x < 1)])
def test_bounds_that_exclude_each_other_are_named(given):
    with pytest.raises(NoPointFound, match="under the hypotheses x >"):
        draw([x], given, count=1)


def test_bounds_that_leave_one_number():
    assert draw([x], [x >= 1, x <= 1], count=3) == [{x: 1}] * 3


@pytest.mark.parametrize("kind", [Eq, Ne, Lt, Le, Gt, Ge])
def test_exact_hypotheses_hold_where_others_do(kind):
    a, b = symbols("a b", real=True)
    verdicts = set()
    for left, right in ((a**2 - b * a / 3, Abs(a - 2 * b) + 1), (a * b, b * a + 1), (a, b)):
        relation = kind(left, right, evaluate=False)
        exact = compile_exact_decision(relation)
        for point in [*draw([a, b], count=12), {a: Rational(1, 3), b: Rational(1, 3)}]:
            verdicts.add(exact(point))
            assert exact(point) == is_true_at(relation, point)
    assert verdicts == {True, False}


def test_what_needs_rounding_is_not_exact():
    a, z = Symbol("a", real=True), Symbol("z")
    assert compile_exact_decision(Le(sqrt(a), 1)) is None
    assert compile_exact_decision(Eq(z, 1)) is None
    assert compile_exact_decision(And(a > 0, a < 1)) is None


def test_a_hypothesis_must_be_a_relation():
    with pytest.raises(TypeError, match="hypothesis"):
        draw([x], [x + 1])


def test_families():
    p = IndexedBase("p", positive=True)
    n = Symbol("n", integer=True, positive=True)
    j = Symbol("j", integer=True)
    given = [Eq(Sum(p[j], (j, 1, n)), 1)]
    for point in draw([n, p], given, count=10):
        assert len(point[p]) == point[n]
        assert sum(point[p]) == 1
        assert all(entry > 0 for entry in point[p])
    assert all(len(point[p]) >= 6 for point in draw([n, p], count=5))
    shaped = IndexedBase("q", shape=(n,))
    assert all(len(point[shaped]) == point[n] for point in draw([n, shaped], count=5))


@pytest.mark.parametrize(
    ("total", "sums"),
    [
        (lambda p, i, n: Sum(p[i], (i, 1, n)), True),
        (lambda p, i, n: Sum(p[i], (i, 2, n)), False),
        (lambda p, i, n: Sum(2 * p[i], (i, 1, n)), False),
        (lambda p, i, n: Sum(p[1], (i, 1, n)), False),
    ],
)
def test_a_family_is_normalised_by_the_sum_of_all_its_entries_alone(total, sums):
    p, i = IndexedBase("p"), Symbol("i", integer=True)
    n = Symbol("n", integer=True, positive=True)
    for equation in Eq(total(p, i, n), 1), Eq(1, total(p, i, n)):
        assert solve_equations_for_symbols([equation], [n], [p])[1] == ({p: n} if sums else {})


def test_parameters_are_what_a_statement_leaves_free():
    p, n = IndexedBase("p"), Symbol("n", integer=True)
    j = Symbol("j", integer=True)
    assert set(parameters_of_statements(Sum(p[j] * x, (j, 1, n)) > y)) == {n, x, y, p}


def test_points_are_a_function_of_the_seed():
    given = [x**2 + y**2 <= 1, z > 0]
    assert draw([x, y, z], given) == draw([z, y, x], given)
    assert draw([x, y, z], given) != draw([x, y, z], given, seed=1)


@pytest.mark.parametrize("nargs", [1, 2, 3])
def test_random_functions(nargs):
    f = random_test_function(np.random.default_rng(0), nargs)
    again = random_test_function(np.random.default_rng(0), nargs)
    other = random_test_function(np.random.default_rng(1), nargs)
    point = [Rational(k, 3) for k in range(1, nargs + 1)]
    values = [evaluate(g(*point), {}).number for g in (f, again, other)]
    assert values[0] == values[1] != values[2]
    for k in range(nargs):
        # It depends on every argument.
        moved = [v + int(i == k) for i, v in enumerate(point)]
        assert evaluate(f(*moved), {}).number != values[0]


@pytest.mark.parametrize(
    ("declaration", "obeyed"),
    [
        ({}, lambda v: True),
        ({"real": True}, lambda v: True),
        ({"positive": True}, lambda v: v > 0),
        ({"nonzero": True}, lambda v: v != 0),
        ({"nonnegative": True}, lambda v: v >= 0),
        ({"negative": True}, lambda v: v < 0),
        ({"nonpositive": True}, lambda v: v <= 0),
        ({"real": True, "negative": False}, lambda v: v >= 0),
    ],
)
def test_random_functions_obey_declarations(declaration, obeyed):
    f = Function("f", **declaration)
    values = []
    for seed in range(6):
        g = random_test_function(np.random.default_rng(seed), 1, f)
        values += [evaluate(g(Rational(k, 3)), {}).number for k in range(-6, 7)]
    assert all(map(obeyed, values))
    assert len(set(values)) == len(values)


def test_other_declarations_are_refused():
    for declaration in ({"integer": True}, {"imaginary": True}, {"zero": True}):
        with pytest.raises(Inconclusive, match=r"no random function obeys the declaration of f \("):
            random_test_function(np.random.default_rng(0), 1, Function("f", **declaration))


def test_steps_on_declared_functions():
    def verdict(f, relation, bound):
        statement = relation(f(x) + f(y), bound, evaluate=False)
        claim = Claim(id="of-a-function", statement=statement, source="here")
        comparison = {Gt: "gt", Ge: "ge"}[relation]

        @claim.proof
        def _(goal):
            return getattr(chain(goal.lhs), comparison)(goal.rhs, by=signs)

        ledger = Ledger()
        ledger.add(claim)
        (row,) = ledger.verify()
        return row.status, row.error

    assert verdict(Function("f", positive=True), Gt, 0) == ("proved", "")
    assert verdict(Function("f", nonnegative=True), Ge, 0) == ("proved", "")
    assert verdict(Function("f", positive=True), Gt, 1)[0] == "failed"
    _, error = verdict(Function("f", integer=True, positive=True), Gt, 0)
    assert "no random function obeys the declaration of f (" in error
    assert "integer" in error


def test_random_functions_need_an_argument():
    with pytest.raises(ValueError, match="nargs must be at least 1; got 0"):
        random_test_function(np.random.default_rng(0), 0)


# -- far out, and near zeros of denominators ---------------------------------------------------


def extremes(statement, given=(), count=200, seed=0):
    sampler = PointSampler(parameters_of_statements(statement, *given), given)
    rng = np.random.default_rng(seed)
    return [
        *sampler.far_points([statement], rng, count),
        *sampler.points_near_pole(statement, rng, count),
    ]


def test_far_points_are_from_a_hundred_millionth_to_a_hundred_million():
    a, p, k = Symbol("a", real=True), Symbol("p", positive=True), Symbol("k", integer=True)
    points = extremes(Eq(a + p + k, 1))
    for x in (a, p):
        sizes = [abs(float(point[x])) for point in points]
        assert min(sizes) < 1e-6
        assert max(sizes) > 1e6
        assert max(sizes) <= 1.01e8
    assert max(abs(int(point[k])) for point in points) > 10**6
    assert {point[a] > 0 for point in points} == {True, False}
    assert all(point[p] > 0 for point in points)
    assert all(point[k].is_Integer for point in points)


def test_far_points_obey_hypotheses():
    a, b = symbols("a b", real=True)
    k = Symbol("k", integer=True, positive=True)
    given = [a > -1, a < 1, Eq(b, 2 * a), k <= 7]
    points = extremes(Eq(a + b, k), given)
    assert len(points) > 150
    for point in points:
        assert -1 < point[a] < 1
        assert point[b] == 2 * point[a]
        assert 1 <= point[k] <= 7
    assert min(abs(point[b]) for point in points) < Rational(1, 10**6)


def test_integers_that_count_terms_stay_small():
    k, i = Symbol("k", integer=True, positive=True), Symbol("i", integer=True)
    a = Symbol("a", real=True)
    points = extremes(Eq(Sum(a**i, (i, 1, k)), 1))
    assert max(point[k] for point in points) < 20
    assert max(abs(point[a]) for point in points) > 10**6


@pytest.mark.parametrize("base", ["a - b", thorough("3*a - b**2 + 1"), "1 - a**2", "b - 4*a**2"])
def test_denominators_are_small_at_some_points(base):
    a, b = Symbol("a", real=True), Symbol("b", real=True)
    base = sympify(base, {"a": a, "b": b})
    values = [abs(base.xreplace(point)) for point in extremes(Eq(a + b, 1 / base), [b > 0])[200:]]
    assert len(values) > 100
    assert 0 not in values
    assert min(values) < 1e-6


@pytest.mark.parametrize(
    ("statement", "holds"),
    [
        ("x < 10**6", False),
        ("1/(1 - x) > -1000", False),
        ("x**2 - x/10**4 + 10**-12 > 0", False),
        ("erf(x) < 1", True),
        ("x**2 + 1 > x", True),
        ("cosh(x) >= 1", True),
    ],
)
def test_what_fails_far_out_or_near_a_pole_is_found(statement, holds):
    x = Symbol("x", real=True)
    relation = sympify(statement.replace("10**-12", "Rational(1, 10**12)"), {"x": x})
    rng = np.random.default_rng(1)
    if holds:
        assert len(compare(relation, rng=rng, points=1, extremes=40).points) > 20
        return
    with pytest.raises(Disagreement):
        compare(relation, rng=rng, points=1, extremes=100)


# -- points that several statements share ------------------------------------------------------

MEAN = Expectation(erf(x + z) ** 2, standard_normal(z))
SHARED = (Eq(2 * MEAN, MEAN + MEAN * x / x, evaluate=False), Gt(MEAN / x, 0), Eq(MEAN, MEAN**2))


def shared(*order):
    """The points of the statements, compared at one bench in some order."""
    bench = SharedPoints(SHARED, (x > 0,), np.random.default_rng(5))
    return {i: bench.compare(SHARED[i], points=3, extremes=2).points for i in order}


def test_what_statements_share_is_evaluated_once(monkeypatch):
    asked, value = [], ExpectationValues.value
    monkeypatch.setattr(
        ExpectationValues, "value", lambda self, node: asked.append(node) or value(self, node)
    )
    bench = SharedPoints(SHARED[:2], (x > 0,), np.random.default_rng(5))
    first, second = (bench.compare(said, points=3) for said in SHARED[:2])
    assert first.points == second.points
    assert len(asked) == 3


def test_shared_points_do_not_depend_on_the_order():
    assert shared(0, 1) == shared(1, 0) == shared(0) | shared(1)


def test_what_is_false_is_seen_at_shared_points():
    with pytest.raises(Disagreement):
        shared(0, 2)
