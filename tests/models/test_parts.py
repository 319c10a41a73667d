"""Small parts of models: groups and products as keys, sums of means, starts, and refusals."""

from types import SimpleNamespace

import numpy as np
import pytest
from sympy import Rational, Symbol, cos, erf, exp, expand, hessian, sin, sqrt, symbols

from slrsym.models import (
    CriticalPoint,
    Direction,
    Directions,
    Predictor,
    Token,
    TokenSequence,
    model,
)
from slrsym.models.landscape.critical_points import _same_continuum
from slrsym.models.landscape.symmetries import RiskSymmetries
from slrsym.models.means.mean_patterns import factorise_product, pattern_of_product
from slrsym.models.means.moments import generic_gaussian_variables
from slrsym.models.means.one_sample_means import MomentSum
from slrsym.models.means.risk_terms import RiskTerms
from slrsym.models.training.fixed_points import _fixed_gram
from slrsym.models.training.initial_conditions import draw_directions

K = Symbol("K", integer=True, positive=True)
u, w, k = Direction("u", unit=True), Direction("w"), Direction("k", sphere=True)
TOKEN = Token(target=lambda X: X @ u)
SPACES = Token(cov=(1, 4), target=lambda X: X @ u)


def linear(token=TOKEN, names=None):
    return model(TokenSequence({token: 1}), Predictor(lambda X: X @ w), names=names or {})


def of_units(function, count=K):
    units = Directions("v", count)
    predictor = Predictor(lambda X: function(X, units))
    return model(TokenSequence({TOKEN: 1}), predictor)


def test_inner_products_of_groups_are_keys():
    first, second, third = (Directions(name, K) for name in "abc")
    pair = first @ second
    assert pair == second @ first
    assert pair != first @ third
    assert pair != (first, second)
    assert len({pair, second @ first, first @ first, first @ third}) == 3
    assert repr(pair) == "<a, b>"
    assert repr(first.unit(0) @ second.unit(8)) == "<a_1, b_9>"
    assert first.unit(9).name == "a_{10}"
    with pytest.raises(TypeError, match="unsupported operand"):
        first @ 3
    with pytest.raises(TypeError, match="unsupported operand"):
        u @ 3


def test_of_three_units_the_last_is_also_the_first_from_the_end():
    units = Directions("v", 3)
    assert [units[-1], units[0]] == [units[2], units[-3]]
    assert len(units) == 3
    with pytest.raises(IndexError, match="v has 3 directions; got the index -4"):
        units[-4]


@pytest.mark.parametrize("names", [("a", "b", "c"), ()])
def test_a_pair_of_groups_has_one_or_two_names(names):
    units = Directions("v", K)
    share = Predictor(lambda X: units.sum(lambda x: X @ x))
    with pytest.raises(ValueError, match="must have one or two names for <v, v>; got"):
        model(TokenSequence({TOKEN: 1}), share, names={units @ units: names})


def test_an_order_parameter_may_be_given_by_its_name():
    x, y = Direction("x"), Direction("y", unit=True)
    share, data = Predictor(lambda X: X @ x), TokenSequence({Token(target=lambda X: X @ y): 1})
    made = model(data, share, names={x @ x: "Q", x @ y: "R"})
    assert {*made.order_parameters} == {Symbol("R", real=True), Symbol("Q", positive=True)}
    with pytest.raises(ValueError, match="must have a symbol or a name for <x, y>; got 3"):
        model(data, share, names={x @ y: 3})


def test_means_that_cancel_leave_no_moment():
    z = generic_gaussian_variables(1)[0]
    mean = pattern_of_product(factorise_product(z**2, {z: w}), {})[0].mean(True)
    total = MomentSum()
    total.add(mean, (Rational(2),), Rational(3))
    total.add(mean, (Rational(5),), Rational(0))
    assert list(total.terms.values()) == [3]
    total.add(mean, (Rational(2),), Rational(-3))
    assert total.terms == {}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: of_units(lambda X, v: erf(v.sum(lambda x: X @ x))).equations("gradient-flow"),
            "must stand outside of functions of projections",
        ),
        (lambda: linear().simulate({"d": 4}, steps=1, alpha=0.1, dimensions=(1, 2)), "dimensions"),
        (
            lambda: linear(SPACES).simulate({"d": 4}, steps=1, alpha=0.1, dimensions=(4,)),
            "dimensions must be 2 numbers that add up to 4; got",
        ),
        (
            lambda: linear().simulate({}, steps=1, alpha=0.1, start=np.eye(2)[None].repeat(2, 0),
                                      runs=3),
            "start has 2 points for 3 runs; give one, or as many",
        ),
        (
            lambda: linear(names={w @ u: Symbol("risk", real=True)})
            .equations("gradient-flow", rate=1).solve({}, {"risk": 1}, 1),
            "must not have names that runs have; got risk",
        ),
    ],
)  # fmt: skip
def test_refusals(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()


@pytest.mark.parametrize(
    ("share", "where"),
    [
        (lambda X: sqrt(X @ w + 5), r"is 1.4142135623731\*I at X_\{w\} = -7"),
        (lambda X: sin(X @ w) / (X @ w), r"is nan at X_\{w\} = 0"),
        (lambda X: 1 / (X @ w - 3), r"is zoo at X_\{w\} = 3"),
        (lambda X: 1 / (2 * (X @ w) - 1), r"is zoo at X_\{w\} = 1/2"),
        (lambda X: 1 / (X @ w - X @ k - 1), r"is zoo at X_\{w\} = 1, X_\{k\} = 0"),
    ],
)
def test_shares_are_real_and_finite(share, where):
    with pytest.raises(ValueError, match=f"share must be real and finite.*{where}"):
        model(TokenSequence({TOKEN: 1}), Predictor(share))


@pytest.mark.parametrize(
    ("token", "shape"),
    [
        *((TOKEN, shape) for shape in [(1, 1), (3, 3), (2, 3), (3, 2), (2,)]),
        *((SPACES, shape) for shape in [(2, 2), (1, 2, 2), (3, 2, 2), (2, 1, 1), (2, 2, 1)]),
    ],
    ids=lambda x: str(x) if isinstance(x, tuple) else "",
)
def test_gram_matrices_of_a_start_have_the_shape_of_the_model(token, shape):
    stated = linear(token)
    values = {p.name: 0.5 for p in stated.parameters}
    with pytest.raises(
        ValueError, match=r"start, as a Gram matrix of w, u \(in this order\), must have"
    ):
        stated.simulate(values, steps=1, alpha=0.1, start=np.ones(shape))


def test_inner_products_of_eigenspaces_are_named_one_by_one():
    named = linear(SPACES, {w @ u: symbols("R S", real=True)})
    assert [named.inner_product(u, w, a).name for a in (0, 1)] == ["R", "S"]
    assert [str(named.inner_product(w, w, a)) for a in (0, 1)] == [
        r"\langle w, w\rangle_1", r"\langle w, w\rangle_2",
    ]  # fmt: skip


def point(risk=1.0, continuum=0, flat=0, index=1, plateau=False):
    state = np.zeros(1)
    return CriticalPoint(
        state, risk, risk, ((0.0, 1),), index, flat, 0, continuum, 1, 1, state[None], plateau
    )


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (point(continuum=1), point(continuum=1), True),
        (point(continuum=1, risk=1 + 2e-8), point(continuum=1), False),
        (point(continuum=1, risk=1 + 5e-9), point(continuum=1), True),
        (point(continuum=1, index=2), point(continuum=1), False),
        (point(), point(), False),
        (point(plateau=True), point(plateau=True), True),
        (point(plateau=True, risk=3.0), point(plateau=True, risk=3 + 2e-8), True),
        (point(plateau=True, risk=2.0), point(plateau=True), False),
        (point(plateau=True, continuum=1), point(continuum=1), False),
    ],
)
def test_which_points_are_of_one_continuum(first, second, same):
    assert _same_continuum(first, second) is same


def test_random_directions_have_the_products_of_the_fixed_ones():
    v = Direction("v", unit=True)
    pair = Token(mean=v, target=lambda X: X @ u)
    stated = model(
        TokenSequence({pair: 1}), Predictor(lambda X: X @ k), inner_products={u @ v: 0.6}
    )
    gram = _fixed_gram(stated.equations("gradient-flow"))
    assert np.array_equal(gram, [[1, 0.6], [0.6, 1]])
    drawn = draw_directions(stated, 5, 3, np.random.default_rng(0), gram)
    found = drawn @ np.swapaxes(drawn, -1, -2)
    assert np.allclose(found[:, 0, 1:, 1:], gram, rtol=0, atol=1e-12)
    assert np.allclose(found[:, 0, 0, 0], 1, rtol=0, atol=1e-12)
    free = model(TokenSequence({pair: 1}), Predictor(lambda X: X @ k))
    assert _fixed_gram(free.equations("gradient-flow")) is None
    assert _fixed_gram(linear(SPACES).equations("gradient-flow")) is None


def test_the_mean_of_a_start_that_depends_on_d():
    """Of the score sqrt(d) w, the number d is a parameter of the equations."""
    d = Symbol("d", positive=True)
    stated = model(TokenSequence({TOKEN: 1}), Predictor(lambda X: sqrt(d) * (X @ w)))
    runs = stated.equations("gradient-flow", rate=1).solve(
        {"d": 4}, np.array([[0.25, 0.5], [0.5, 1.0]]), 0.5, points=3, backend="numpy"
    )
    assert runs.risk.values == pytest.approx([0, 0, 0], abs=1e-12)
    assert runs.attrs["d"] == 4


def test_a_pattern_does_not_depend_on_names():
    x, y = symbols("x y", real=True)
    first, second = generic_gaussian_variables(2)
    found = []
    for at in (x, y):
        product = factorise_product(at**2 * cos(x * y) * exp(at), {x: w, y: k})
        found.append(pattern_of_product(product, {w: x, k: y}))
    assert found[0][0] is found[1][0]
    assert (found[0][1], found[1][1]) == ((k, w), (w, k))
    assert found[0][0].core == second**2 * exp(second) * cos(first * second)
    assert found[0][0].count == 2


def symmetries(*trained, fixed=(u,), target=None):
    """Return the risk symmetries of a linear student, and its order parameters."""
    token = Token(target=target or (lambda X: sum(X @ x for x in fixed)))
    stated = model(TokenSequence({token: 1}), Predictor(lambda X: sum(X @ x for x in trained)))
    states = np.random.default_rng(1).normal(size=(3, len(stated.order_parameters)))
    there = SimpleNamespace(model=stated, row=[0.5] * len(stated.parameters))
    return RiskSymmetries(there, states), stated


def test_free_directions_are_exchanged_and_those_on_spheres_are_not():
    w_1, w_2 = Direction("w_1"), Direction("w_2")
    found, stated = symmetries(w_1, w_2, k)
    state = np.arange(1.0, 1 + len(stated.order_parameters))
    at = dict(zip(stated.order_parameters, state, strict=True))
    swap = {w_1: w_2, w_2: w_1, k: k, u: u}
    image = {
        stated.inner_product(x, y): at.get(stated.inner_product(swap[x], swap[y]))
        for x in stated.trained_directions
        for y in stated.directions
    }
    expected = {tuple(state), tuple(image[p] for p in stated.order_parameters)}
    assert len(expected) == 2
    assert set(map(tuple, found.images(state))) == expected


def test_fixed_directions_are_exchanged_if_the_risk_depends_on_both():
    v = Direction("v", unit=True)
    assert len(symmetries(w, fixed=(u, v))[0].transformations) == 2
    assert len(symmetries(w, target=lambda X: X @ u + 0 * (X @ v))[0].transformations) == 1
    # Of seven there are too many orders.
    seven = [Direction(f"u_{i}", unit=True) for i in range(7)]
    assert len(symmetries(w, fixed=seven)[0].transformations) == 1


def test_products_of_fixed_directions_in_terms_of_a_parameter():
    c, v = Symbol("c", real=True), Direction("v", unit=True)
    pair = Token(mean=v, target=lambda X: X @ u)
    stated = model(
        TokenSequence({pair: 1}), Predictor(lambda X: X @ w), inner_products={u @ v: c**2}
    )
    start = dict.fromkeys(stated.order_parameters, 0.5)
    runs = stated.equations("gradient-flow", rate=1).solve(
        {"c": 0.5}, start, 0.1, points=2, backend="numpy"
    )
    assert runs.gram.sel(direction="u", other="v").values == pytest.approx([0.25, 0.25], abs=0)
    assert runs.gram.sel(direction="w", other="v").values[0] == 0.5
    unused = Token(target=lambda X: X @ u + 0 * (X @ v))
    stated = model(
        TokenSequence({unused: 1}), Predictor(lambda X: X @ w), inner_products={u @ v: c**2}
    )
    with pytest.raises(ValueError, match="values must have a number for c"):
        stated.simulate({"d": 4}, steps=1, alpha=0.1)


def test_an_exponential_of_higher_degree_is_no_change_of_measure():
    share = Predictor(lambda X: exp(-((X @ w) ** 2) * (X @ k) ** 2) * erf(X @ w))
    assert model(TokenSequence({TOKEN: 1}), share).quadrature.dimension == 2


def test_the_hessian_along_a_spike_is_that_of_the_risk():
    """A spike makes covariances quadratic in the overlaps of two directions with it."""
    h, v = Symbol("h", positive=True), Direction("v")
    token = Token(mean=u, cov={1: 1, u: h}, target=lambda X: X @ u)
    stated = model(TokenSequence({token: 1}), Predictor(lambda X: 2 * (X @ w) - 3 * (X @ v)))
    R, S = (stated.inner_product(x, u) for x in (w, v))
    norms = [stated.inner_product(*pair) for pair in ((w, w), (w, v), (v, v))]
    along, square = 1 - 2 * R + 3 * S, 4 * norms[0] - 12 * norms[1] + 9 * norms[2]
    risk = (h + 1) * along**2 + 1 - 4 * R + 6 * S + square
    assert expand(stated.risk - risk) == 0
    assert stated.hessian == hessian(risk, stated.order_parameters)


@pytest.mark.parametrize(("count", "nested"), [(1, True), (8, True), (9, False)])
def test_slopes_of_few_order_parameters_are_nested(count, nested):
    x, c = symbols("x c", real=True)
    terms = SimpleNamespace(order_parameters=(x,) * count, _state={x})
    written = RiskTerms.write_as_nested_polynomial(terms, c * x**2 + 2 * x)
    assert written == (x * (c * x + 2) if nested else c * x**2 + 2 * x)
    assert RiskTerms.write_as_nested_polynomial(terms, c**2 + c) == c**2 + c


def test_one_start_is_that_of_all_runs():
    start = np.array([[0.25, 0.3], [0.3, 1.0]])
    runs = linear().simulate({}, steps=1, alpha=0.1, start=start, runs=3, backend="numpy")
    assert runs.risk.values[:, 0] == pytest.approx([0.25 - 0.6 + 1] * 3, abs=1e-14)
