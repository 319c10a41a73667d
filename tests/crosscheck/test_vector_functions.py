"""Concrete functions of vectors: their derivatives, means, and hypotheses that they satisfy."""

from __future__ import annotations

import numpy as np
import pytest
from flint import Ordering, arb, fmpq, fmpq_mpoly_ctx
from numpy.polynomial.hermite_e import hermegauss
from numpy.random import default_rng
from sympy import Eq, Ge, Gt, Identity, Le, Symbol, Trace, sin

from slrsym.crosscheck import Disagreement, Inconclusive, NoPointFound
from slrsym.crosscheck.matrices import compare_matrices, floats_at_matrix_point
from slrsym.crosscheck.vector_functions import VectorFunction, random_vector_function
from slrsym.crosscheck.waves import Wave, as_ball, sign_of_difference
from slrsym.matrices import ForAllMatrices, Loewner, MatrixMean, Size, along, matrix
from slrsym.matrices import smooth_function as function
from slrsym.proof import Convex, Lipschitz, PolyakLojasiewicz, Smooth
from tests._profile import thorough_only

d = Size("d")
h, k = function("h", d), function("k", d)
x, y, v, z = (matrix(name, d, 1) for name in "xyvz")
A = matrix("A", d)
L, m = Symbol("L", nonnegative=True), Symbol("m", nonnegative=True)
B = Symbol("B", real=True)


def value(e):
    return float(as_ball(e))


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_are_those_of_the_values(seed):
    f = random_vector_function(3, default_rng(seed))
    point, step = [fmpq(1, 3), fmpq(-2, 5), fmpq(1, 2)], fmpq(1, 10**6)
    for places in ((), (0,), (2, 1), (1, 1)):
        for i in range(3):
            sides = [[c + sign * step * (j == i) for j, c in enumerate(point)] for sign in (1, -1)]
            above, below = (value(f.at(side, places)) for side in sides)
            slope = (above - below) / (2 * float(int(step.p) / int(step.q)))
            assert value(f.at(point, (*places, i))) == pytest.approx(slope, abs=1e-7, rel=1e-7)
    floats = np.array([[float(int(c.p) / int(c.q))] for c in point])
    assert f.samples(floats, 0) == pytest.approx(value(f.at(point)))
    for order, exact in ((1, [[c] for c in f.gradient(point)]), (2, f.hessian(point))):
        exact = [[value(c) for c in row] for row in exact]
        np.testing.assert_allclose(f.samples(floats, order), exact, atol=1e-12)
    balls = [as_ball(c) for c in point]
    assert abs(value(f.at(balls, (0,))) - value(f.at(point, (0,)))) < 1e-12


def test_means_of_waves_are_those_of_quadrature():
    ring = fmpq_mpoly_ctx.get([("z", 2)], Ordering.lex)
    p, q = ring.gens()
    wave = (Wave.cosine(p / 2 - q + 1, fmpq(1, 3), fmpq(2)) + p * q) * (p**2 + 3 * q)
    wave = wave * Wave.sine(q / 3, fmpq(1, 5), fmpq(-1)) + p**4 - 1 / fmpq(2)
    nodes, weights = hermegauss(40)
    a, b = np.meshgrid(nodes, nodes)
    plain = (2 * np.cos(a / 2 - b + 4 / 3) + a * b) * (a**2 + 3 * b)
    plain = plain * -np.sin(b / 3 + 1 / 5) + a**4 - 0.5
    expected = np.sum(plain * np.outer(weights, weights)) / (2 * np.pi)
    assert value(wave.mean()) == pytest.approx(expected, rel=1e-12)
    assert (wave - wave).mean().ball().contains(0)
    assert value((Wave.cosine(p, fmpq(0), fmpq(1)) ** 2).mean()) == pytest.approx(
        (1 + np.exp(-2)) / 2
    )


def test_waves_that_depend_on_variables_have_no_value():
    p, _ = fmpq_mpoly_ctx.get([("z", 2)], Ordering.lex).gens()
    wave = Wave.cosine(p, fmpq(0), fmpq(1))
    for make in (wave.ball, lambda: 1 / wave, lambda: wave + arb(1), lambda: wave * arb(1),
                 lambda: Wave.cosine(p * p, fmpq(0), fmpq(1))):  # fmt: skip
        with pytest.raises(Inconclusive):
            make()
    one = Wave.cosine(fmpq(0), fmpq(0), fmpq(3))
    assert value(1 / one) == pytest.approx(1 / 3)
    assert value(fmpq(6) / one - 2 * one + one / fmpq(2)) == pytest.approx(-2.5)
    assert value(one + arb(1)) == value(one * arb(4) - 8) == 4
    assert sign_of_difference(one, fmpq(3)) == 0 == sign_of_difference(one, one)
    assert sign_of_difference(Wave.cosine(fmpq(1), fmpq(0), fmpq(1)), fmpq(1)) == -1


def equal(a, b):
    return Eq(a, b, evaluate=False)


TRUE = [
    equal(along(h(x), (x, v)), Trace(h.gradient(x).T * v)),
    equal(along(Trace(h.hessian(A * x)), (x, 0 * v + v)), along(Trace(h.hessian(A * x)), (x, v))),
    equal(h.hessian(x) * v, (v.T * h.hessian(x)).T),
    equal(h(x - h.gradient(y)), h(-h.gradient(y) + x)),
    ForAllMatrices(z, equal(h.hessian(z), h.hessian(z).T)),
    Le(0, MatrixMean(h(x) ** 2, (x, Identity(d), Identity(1)))),
]
# The third holds for polynomials of degree 3, the fourth in one dimension.
WRONG = [
    equal(h(x), k(x)), equal(h(x + y), h(x) + h(y)),
    equal(h.hessian(x + y) + h.hessian(x - y), 2 * h.hessian(x)),
    equal(h.hessian(x), Trace(h.hessian(x)) * Identity(d)),
    equal(along(h(A * x), (x, v)), Trace(h.gradient(A * x).T * v)),
    equal(h.gradient(x) * h.gradient(y).T, h.gradient(y) * h.gradient(x).T),
    Loewner(h.hessian(x)), ForAllMatrices(z, Ge(h(z), 0)),
]  # fmt: skip


@pytest.mark.parametrize("statement", TRUE, ids=str)
def test_true_statements_hold(statement):
    for seed in range(2):
        compare_matrices(statement, (), default_rng(seed))


@pytest.mark.parametrize("statement", WRONG, ids=str)
def test_wrong_statements_are_refuted_with_the_functions(statement):
    with pytest.raises(Disagreement, match=r"h = a"):
        compare_matrices(statement, (), default_rng(1))


@pytest.mark.parametrize("seed", range(3))
def test_functions_satisfy_their_hypotheses_at_all_vectors(seed):
    given = [Convex(h, m), Smooth(h, L), Gt(m, 0), Gt(L, 0)]
    point = floats_at_matrix_point(Le(m, L), [*given, Ge(L, 3 * m)], default_rng(seed))
    f, low, high = point[h], point[m], point[L]
    at = default_rng(seed).normal(scale=9, size=(400, f.size, 1))
    curvatures = np.linalg.eigvalsh(f.samples(at, 2))
    assert low - 1e-9 <= curvatures.min()
    assert curvatures.max() <= high + 1e-9
    # They come near to one of the bounds.
    assert curvatures.min() < 1.5 * low or curvatures.max() > high / 1.5
    point = floats_at_matrix_point(Le(0, L), [Lipschitz(h, L)], default_rng(seed))
    slopes = point[h].samples(at[:, : point[h].size], 1)
    assert np.linalg.norm(slopes, axis=(1, 2)).max() <= point[L] + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_functions_satisfy_the_inequality_of_polyak_and_lojasiewicz(seed):
    given = [PolyakLojasiewicz(h, m, B), Smooth(h, L), Gt(m, 0), Gt(L, m)]
    point = floats_at_matrix_point(Le(m, L + B), given, default_rng(seed))
    f, modulus, least, most = (point[name] for name in (h, m, B, L))
    at = default_rng(seed).normal(scale=9, size=(400, f.size, 1))
    above = f.samples(at, 0) - least
    assert (2 * modulus * above <= (f.samples(at, 1) ** 2).sum(axis=(1, 2)) + 1e-9).all()
    assert np.abs(np.linalg.eigvalsh(f.samples(at, 2))).max() <= most + 1e-9


def test_what_the_inequality_of_polyak_and_lojasiewicz_does_not_say_is_refuted():
    given = [PolyakLojasiewicz(h, m, B), Gt(m, 0)]
    square = Trace(h.gradient(x).T * h.gradient(x))
    compare_matrices(Le(2 * m * (h(x) - B), square), given, default_rng(0))
    for wrong in (Le(3 * m * (h(x) - B), square), Le(h(x), B), Ge(2 * m * (h(x) - B), square)):
        with pytest.raises(Disagreement, match="h = a quadratic polynomial"):
            compare_matrices(wrong, given, default_rng(0))
    with pytest.raises(NoPointFound, match="no functions and matrices"):
        compare_matrices(
            Le(m, L), [*given, Smooth(h, L), Gt(m, 2 * L), Ge(h(x), B + 1)], default_rng(0)
        )


@thorough_only
def test_hypotheses_without_known_functions_say_so():
    rng = default_rng(0)
    for given in (
        Le(h(z) ** 2, Trace(h.gradient(z).T * h.gradient(z))), Le(Trace(h.gradient(z).T * z), 0),
        Ge(Trace(h.hessian(z) * h.hessian(z)), 1), Le(Trace(z.T * z), 1), equal(h(z), 0),
    ):  # fmt: skip
        with pytest.raises(Inconclusive, match=r"no (functions|values) are known"):
            compare_matrices(Le(h(x), 1), [ForAllMatrices(z, given)], rng)
    contradictory = [Convex(h, 1), ForAllMatrices(z, Loewner(-h.hessian(z)))]
    with pytest.raises(NoPointFound, match="no functions and matrices"):
        compare_matrices(Le(h(x), 1), contradictory, rng)
    with pytest.raises(Inconclusive, match="no value in coordinates"):
        compare_matrices(Le(sin(h(x)), 1), [], rng)


def test_functions_are_told_in_words():
    linear = (fmpq(1), (0,))
    wave = (fmpq(1), (fmpq(1),), fmpq(0))
    assert str(VectorFunction(1, (linear,), ())) == "a linear polynomial"
    assert str(VectorFunction(1, ((fmpq(1), (0, 0)),), (wave,))) == (
        "a quadratic polynomial and a cosine"
    )
    assert str(VectorFunction(1, (), (wave, wave))) == "two cosines"
    assert str(VectorFunction(1, (), ())) == "a constant"


AT_ONE_VECTOR = {
    "minimiser": (Ge(h(y), h(x)), [Convex(h), Eq(h.gradient(x), 0 * x, evaluate=False)]),
    "value": (Le((h(y) - m) ** 2, L**2 * Trace((y - x).T * (y - x))),
              [Lipschitz(h, L), Eq(m, h(x), evaluate=False)]),
    "both": (Ge(h(y), m), [Convex(h), Eq(h(x), m, evaluate=False),
                           Eq(h.gradient(x), 0 * x, evaluate=False)]),
}  # fmt: skip


@pytest.mark.parametrize("name", AT_ONE_VECTOR)
def test_functions_have_the_gradient_and_the_value_that_hypotheses_give_them(name):
    statement, given = AT_ONE_VECTOR[name]
    compare_matrices(statement, given, default_rng(0))
    with pytest.raises(Disagreement):
        compare_matrices(statement.func(*statement.args[::-1]), given, default_rng(0))


def test_gradients_that_a_bound_does_not_allow_are_not_found():
    given = [Lipschitz(h, 1), Eq(h.gradient(x), 5 * x, evaluate=False)]
    with pytest.raises(NoPointFound):
        compare_matrices(Le(h(x), 1), given, default_rng(0))
