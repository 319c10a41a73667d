"""Flows of matrices: against integration in coordinates, formulas, and what is conserved."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import xarray as xr
from numpy.random import default_rng
from scipy.integrate import solve_ivp
from scipy.optimize import approx_fprime
from sympy import Eq, Indexed, Rational, Sum, Symbol, Trace, symbols

from slrsym.crosscheck.matrices import compare_matrices
from slrsym.matrices import Size, along, covariance, matrix
from slrsym.models import NotSolvedError
from slrsym.models.matrices import LinearAttention, LinearNetwork, MatrixModel, Prompt, Regression
from tests._profile import thorough

d, N, h, k = (Size(name) for name in "dNhk")
L, T = covariance("L", d, definite=True, family="F"), covariance("T", d)
U, V, A = matrix("U", d), matrix("V", d), matrix("A", k, d)
u, v, r_u, r_U = symbols("u v r_u r_U", real=True)
sigma = Symbol("sigma", nonnegative=True)
HALF = Rational(1, 2)
MERGED = LinearAttention(lambda p: u * p.b.T * U * p.x)
STANDARD = MatrixModel(Prompt(d, N, covariance=L, noise=sigma), MERGED)
VALUES = {"L": [1.0, 2.0, 0.5], "N": 7, "sigma": 0.4}


def loss_in_coordinates(eigenvalues, N, noise, u, U, task=None):
    """Half of the mean squared error for inputs of a diagonal covariance, by hand."""
    L, T = np.diag(eigenvalues), np.eye(len(eigenvalues)) if task is None else task
    c = (np.trace(L @ T) + noise**2) / N
    square = (1 + 1 / N) * np.trace(L @ T @ L @ U @ L @ U.T) + c * np.trace(L @ U @ L @ U.T)
    return u**2 / 2 * square - u * np.trace(L @ T @ L @ U) + np.trace(L @ T) / 2


def test_a_flow_is_that_of_an_own_integration():
    """The gradient is written out again; the paths agree to 1e-8."""
    start = {"u": 0.3, "U": default_rng(0).standard_normal((3, 3)) / 3}
    L, N, noise = np.diag(VALUES["L"]), 7, 0.4
    G = (1 + 1 / N) * L + (np.trace(L) + noise**2) / N * np.eye(3)

    def velocity(t, y):
        u, U = y[0], y[1:].reshape(3, 3)
        back = u**2 * G @ L @ U @ L - u * L @ L
        return -np.array([u * np.trace(G @ L @ U @ L @ U.T) - np.trace(L @ L @ U), *back.ravel()])

    own = solve_ivp(velocity, (0, 5), [0.3, *start["U"].ravel()], "DOP853", rtol=1e-12, atol=1e-13)
    flow = STANDARD.equations(rate=HALF)
    runs = flow.solve(VALUES, start, 5.0, points=11, tolerance=1e-11)
    assert isinstance(runs, xr.Dataset)
    assert runs.U.dims == ("time", "row", "column")
    np.testing.assert_allclose(runs.u[-1], own.y[0, -1], atol=1e-8)
    np.testing.assert_allclose(runs.U[-1].values.ravel(), own.y[1:, -1], atol=1e-8)
    ends = loss_in_coordinates(VALUES["L"], N, noise, own.y[0, -1], runs.U[-1].values)
    assert float(runs.risk[-1]) == pytest.approx(2 * ends, abs=1e-8)
    assert runs.attrs["sigma"] == 0.4
    # The balance, and the descent.
    balance = runs.u**2 - (runs.U**2).sum(("row", "column"))
    np.testing.assert_allclose(balance, balance[0], atol=1e-9)
    assert (np.diff(runs.risk) < 0).all()


def test_the_flow_of_white_inputs_is_a_logistic_curve():
    """For U a multiple of the identity, u U grows by the formula of one logistic equation."""
    flow = MatrixModel(Prompt(d, N), MERGED).equations(rate=HALF).reduced()
    a = Symbol("U", real=True)
    assert flow.state == (a, u)
    size, pairs, s0 = 5, 9, 1e-3
    start = {"U": (s0 / 5**0.5) ** 0.5, "u": (s0 * 5**0.5) ** 0.5}
    runs = flow.solve({"d": size, "N": pairs}, start, 8.0, tolerance=1e-12)
    k = 1 + (1 + size) / pairs
    s = 1 / (k + (1 / s0 - k) * np.exp(-2 * size**0.5 * runs.time.values))
    np.testing.assert_allclose(runs.u * runs.U[:, 0], s, rtol=1e-9)
    np.testing.assert_allclose(runs.risk, size * (1 - 2 * s + k * s**2), rtol=1e-9)
    at = {a: 0.3, u: 0.7, d: size, N: pairs}
    assert float(flow.drift[a].subs(at)) == pytest.approx(0.7 - 0.7**2 * k * 0.3)
    assert float(flow.drift[u].subs(at)) == pytest.approx(size * (0.3 - 0.7 * k * 0.3**2))
    s = 0.7 * 0.3
    assert float(flow.risk.subs(at)) == pytest.approx(size * (1 - 2 * s + k * s**2))


def test_eigenvalues_move_as_those_of_the_matrices():
    flow = STANDARD.equations(rate=HALF)
    reduced = flow.reduced("F")
    first = [0.2, -0.1, 0.4]
    small = reduced.solve(VALUES, {"U": first, "u": 0.5}, 3.0, points=5, tolerance=1e-11)
    turn = np.linalg.qr(default_rng(1).standard_normal((3, 3)))[0]
    turned = {**VALUES, "L": turn @ np.diag(VALUES["L"]) @ turn.T}
    start = {"U": turn @ np.diag(first) @ turn.T, "u": 0.5}
    large = flow.solve(turned, start, 3.0, points=5, tolerance=1e-11)
    for time in range(5):
        back = turn.T @ large.U[time].values @ turn
        np.testing.assert_allclose(back, np.diag(small.U[time].values), atol=1e-9)
    np.testing.assert_allclose(small.risk, large.risk, rtol=1e-9)
    assert set(map(str, reduced.state)) == {"U[i]", "u"}


def test_shown_equations_in_eigenvalues_are_those_that_are_solved():
    flow = STANDARD.equations(rate=HALF)
    reduced, eigenvalues, at = flow.reduced("F"), VALUES["L"], [0.2, -0.1, 0.4]
    bases = {"L": eigenvalues, "U": at}
    numbers = {N: 7, sigma: 0.4, u: 0.5}

    def value(e, i):
        for s in e.atoms(Sum):
            e = e.subs(s, sum(value(s.function, j) for j in range(3)))
        for x in e.atoms(Indexed):
            e = e.subs(x, bases[x.base.name][i])
        return float(e.subs(numbers))

    found = flow.compile()(np.diag(at), 0.5, np.diag(eigenvalues), 7.0, 3.0, 0.4)
    entry, number = (reduced.drift[x] for x in reduced.state)
    np.testing.assert_allclose(np.diag(found[0]), [value(entry, i) for i in range(3)])
    assert float(found[1]) == pytest.approx(value(number, 0))
    risk = STANDARD.risk_at({"U": np.diag(at), "u": 0.5}, VALUES)
    assert value(reduced.risk, 0) == pytest.approx(risk)


def test_conserved_quantities():
    both = MatrixModel(
        Prompt(d, N, covariance=L, task=T, noise=sigma),
        LinearAttention(lambda p: u * p.b.T * U * p.x + v * p.b.T * V * p.x),
    )
    assert set(both.equations().conserved) == {
        u**2 - Trace(U * U.T), v**2 - Trace(V * V.T), u * v - Trace(U * V.T)
    }  # fmt: skip
    (kept,) = STANDARD.equations(rate={u: r_u, U: r_U}).conserved
    assert kept in (c := r_U * u**2 - r_u * Trace(U * U.T), -c)
    key, query = matrix("k", d, 1), matrix("q", d, 1)
    rank_one = MatrixModel(
        Prompt(d, N, covariance=L), LinearAttention(lambda p: v * p.b.T * key * query.T * p.x)
    )
    moved = rank_one.equations()
    assert len(moved.conserved) == 2
    for c in (*moved.conserved, *STANDARD.equations().conserved):
        flow = moved if c.has(key, query) else STANDARD.equations()
        moves = list(flow.drift.items())
        compare_matrices(Eq(along(c, *moves), 0, evaluate=False), (), default_rng(2), 2)


def test_networks_conserve_a_matrix_for_each_hidden_layer():
    net = LinearNetwork([d, h, h, k])
    flow = MatrixModel(Regression(A, covariance=T), net).equations()
    W_1, W_2, W_3 = net.matrices
    assert {*flow.conserved} == {W_1 * W_1.T - W_2.T * W_2, W_2 * W_2.T - W_3.T * W_3}
    rng = default_rng(3)
    start = {"W_1": rng.standard_normal((2, 3)), "W_2": rng.standard_normal((2, 2)),
             "W_3": rng.standard_normal((4, 2))}  # fmt: skip
    values = {"A": rng.standard_normal((4, 3)), "T": [1.0, 0.5, 0.2], "rate": 0.5}
    runs = flow.solve(values, start, 1.0, points=3, tolerance=1e-11)
    assert runs.W_1.dims == ("time", "row_W_1", "column_W_1")
    first, second = (runs[f"W_{i}"].values for i in (1, 2))
    kept = first @ first.swapaxes(1, 2) - second.swapaxes(1, 2) @ second
    np.testing.assert_allclose(kept[-1], kept[0], atol=1e-9)


def test_layers_conserve_nothing_of_the_kind():
    A_1, A_2 = matrix("A_1", d), matrix("A_2", d)
    flow = MatrixModel(Prompt(d, N), LinearAttention(layers=[A_1, A_2])).equations()
    assert flow.conserved == []
    with pytest.raises(ValueError, match="projected-descent conserves no"):
        STANDARD.equations("projected-descent").conserved  # noqa: B018


def test_steps_of_descent_are_those_of_the_gradient():
    steps = STANDARD.equations("projected-descent", rate=0.01)
    runs = steps.solve(VALUES, {"u": 0.3, "U": np.eye(3) / 5}, 3, points=4)
    U, u = np.eye(3) / 5, 0.3
    for time in range(1, 4):

        def risk(y):
            return 2 * loss_in_coordinates(VALUES["L"], 7, 0.4, y[0], y[1:].reshape(3, 3))

        y = np.array([u, *U.ravel()])
        y = y - 0.01 * approx_fprime(y, risk, 1e-7)
        u, U = y[0], y[1:].reshape(3, 3)
        assert float(runs.u[time]) == pytest.approx(u, abs=1e-7)
    np.testing.assert_allclose(runs.time, [0, 1, 2, 3])


@pytest.mark.parametrize("backend", [thorough("numba")])
def test_other_backends_solve_the_same(backend):
    start = {"u": 0.3, "U": np.eye(3) / 5}
    flow = STANDARD.equations(rate=HALF)
    a, b = (flow.solve(VALUES, start, 2.0, backend=x) for x in ("numpy", backend))
    np.testing.assert_allclose(a.U, b.U, rtol=1e-9)


def test_merged_heads_have_two_critical_values():
    """The minimum, and a continuum with u = 0 at which the risk is that of no prediction."""
    found = STANDARD.equations(rate=HALF).fixed_points(VALUES, starts=4, rng=0, tolerance=1e-8)
    L, N, noise = np.diag(VALUES["L"]), 7, 0.4
    G = (1 + 1 / N) * L + (np.trace(L) + noise**2) / N * np.eye(3)
    least = np.trace(L) - np.trace(L @ L @ np.linalg.inv(G))
    assert [p.risk for p in found] == pytest.approx([least, np.trace(L)])
    best, zero = found
    np.testing.assert_allclose(best.point[u] * best.point[U], np.linalg.inv(G), atol=1e-7)
    assert abs(zero.point[u]) < 1e-6
    assert repr(best).startswith("MatrixFixedPoint(risk")


def test_heads_of_rank_one_rest_at_each_set_of_eigenvectors():
    """For each set of eigenvectors, one head for each has v = G_i^(-1/3), k = q = v e_i."""
    heads = [(Symbol(f"v_{i}", real=True), matrix(f"k_{i}", d, 1), matrix(f"q_{i}", d, 1))
             for i in range(3)]  # fmt: skip
    m = MatrixModel(
        Prompt(d, N, covariance=L),
        LinearAttention(lambda p: sum((v * p.b.T * k * q.T * p.x for v, k, q in heads[1:]),
                                      heads[0][0] * p.b.T * heads[0][1] * heads[0][2].T * p.x)),
    )  # fmt: skip
    flow = m.equations(rate=1)
    lam, pairs = np.array([1.0, 2.0, 0.5]), 7
    G = (1 + 1 / pairs) * lam + lam.sum() / pairs
    points, wanted = [], []
    for count in range(4):
        for chosen in combinations(range(3), count):
            point = {x.name: np.zeros(3) for head in heads for x in head[1:]}
            point |= {head[0].name: 0.0 for head in heads}
            for head, i in zip(heads, chosen, strict=False):
                size = G[i] ** (-1 / 3)
                point |= {head[0].name: size, head[1].name: size * np.eye(3)[i],
                          head[2].name: size * np.eye(3)[i]}  # fmt: skip
            points.append(point)
            wanted.append(lam.sum() - sum(lam[i] ** 2 / G[i] for i in chosen))
    values = {"L": lam, "N": pairs}
    found = flow.fixed_points(values, starts=points, tolerance=1e-12)
    assert [p.risk for p in found] == pytest.approx(sorted(wanted), abs=1e-9)
    assert len(found) == 8


def test_eigenvalues_that_move_alone_have_exact_fixed_points():
    one = MatrixModel(Prompt(d, N, covariance=L, noise=sigma), LinearAttention(layers=[U]))
    (point,) = one.equations(rate=1).reduced("F").fixed_points()
    ((x, value),) = point.items()
    i, lam = x.indices[0], x.base.__class__("L", real=True)
    total = Sum(lam[Symbol("j", integer=True, positive=True)],
                (Symbol("j", integer=True, positive=True), 1, d))  # fmt: skip
    wanted = 1 / ((1 + 1 / N) * lam[i] + (total + sigma**2) / N)
    assert ((value - wanted) * lam[i]).simplify() == 0
    teacher = covariance("A", d, family="F")
    with pytest.raises(TypeError, match="teacher"):
        Regression(None, covariance=L)
    net = MatrixModel(Regression(teacher, covariance=L), LinearNetwork([d, d, d]))
    points = net.equations(rate=1).reduced("F").fixed_points()
    assert {len(p) for p in points} == {1, 2}
    with pytest.raises(ValueError, match="move each other"):
        STANDARD.equations().reduced("F").fixed_points()


def test_a_flow_that_ends_early_says_so():
    flow = STANDARD.equations("projected-descent", rate=1e6)
    with pytest.raises(NotSolvedError, match="cannot be solved up to 50") as caught:
        flow.solve(VALUES, {"u": 3.0, "U": np.eye(3)}, 50)
    assert caught.value.result.sizes["time"] > 1


def test_results_are_saved(tmp_path):
    flow = STANDARD.equations(rate=HALF)
    runs = flow.solve(VALUES, {"u": 0.3, "U": np.eye(3)}, 1.0, points=3, path=tmp_path / "a.nc")
    with xr.open_dataset(tmp_path / "a.nc") as kept:
        np.testing.assert_array_equal(kept.U, runs.U)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda f: f.solve(VALUES, {"u": 1}, 1.0), "values must have U"),
        (lambda f: f.solve(VALUES, "uniform", 1.0), "start must be a mapping of U, u"),
        (lambda f: f.solve(VALUES, {"u": 1, "U": np.eye(2)}, 1.0), "with d = 3"),
        (lambda f: f.solve(VALUES, {"u": 1, "U": np.eye(3)}, -1.0), "time must be positive"),
        (lambda f: f.solve(VALUES, {"u": 1, "U": np.eye(3)}, backend="jax"), "backend must be"),
        (lambda f: f.reduced(), "L is of the family F"),
        (lambda f: f.reduced("E"), "L is of the family F; the equations are reduced for the"),
        (lambda f: f.reduced("F").solve(VALUES, {"u": 1, "U": [1, 2]}, 1.0), "d eigenvalues of"),
        (lambda f: f.reduced("F").solve(VALUES, {"u": 1}, 1.0), "values must have U"),
        (lambda f: f.reduced("F").solve({**VALUES, "L": [1, 2, 0]}, {"u": 1, "U": 1}),
         "L must be positive definite"),
        (lambda f: f.reduced("F").solve({**VALUES, "x": 0}, {"u": 1, "U": 1}), "values has x"),
        (lambda f: STANDARD.equations(rate=-1), "rate must be real and not negative"),
        (lambda f: STANDARD.equations(rate={V: 1}), "rate has V, which is not trained"),
        (lambda f: STANDARD.equations().solve({**VALUES, "rate": -1}, {"u": 1, "U": np.eye(3)}),
         "rate must not be negative|rate must be nonnegative|rate must be positive"),
        (lambda f: MatrixModel(Regression(A), LinearNetwork([d, k])).equations().reduced(),
         "W_1 is k x d"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(make, said):
    with pytest.raises(ValueError, match=said):
        make(STANDARD.equations(rate=HALF))
