"""Equations of motion against the closed forms of committee machines, which share no code."""

import mpmath
import numpy as np
import pytest
from sympy import Float, Rational, Symbol, erf, exp, lambdify, pi, sqrt, symbols

from slrsym.models import Direction, Directions, Predictor, Token, TokenSequence, model
from slrsym.models.means.mean_patterns import MeanPattern
from slrsym.models.means.moments import covariance_symbol, generic_gaussian_variables
from slrsym.papers.committee.models import committee as committee_of_units
from slrsym.papers.single_location.models import attention
from slrsym.proof import builtin_ledger, check_claim
from tests._profile import THOROUGH, more, thorough, thorough_cases, thorough_only

from . import _committee_forms as forms


def g(u):
    return erf(u / sqrt(2))


def committee(students, teachers, *, trained=False, correlated=False):
    """Units with a second layer v, whose teachers have one, too."""
    w = [Direction(f"w_{i}") for i in range(students)]
    u = [Direction(f"u_{n}", unit=True) for n in range(teachers)]
    v = symbols(f"v_:{students}", real=True)
    v_star = symbols(f"s_:{teachers}", real=True)
    target = Token(target=lambda X: sum(a * g(X @ x) for a, x in zip(v_star, u, strict=True)))
    stated = model(
        TokenSequence({target: 1}, noise=Symbol("sigma", nonnegative=True)),
        Predictor(lambda X: sum(a * g(X @ x) for a, x in zip(v, w, strict=True))),
        inner_products=None if correlated else {x @ y: 0 for i, x in enumerate(u) for y in u[:i]},
    )
    eta, eta_v, kappa = symbols("eta eta_v kappa", nonnegative=True)
    rate = dict.fromkeys(w, eta / 2) | (dict.fromkeys(v, eta_v / 2) if trained else {})
    equations = stated.equations("online-sgd", rate=rate, decay=kappa, train=v if trained else ())
    return stated, equations, v, v_star


def covariance(students, teachers, rng, correlated=False, size=0.6):
    """A Gram matrix of free students and unit teachers."""
    U = np.linalg.qr(rng.normal(size=(teachers + students + 2, teachers)))[0].T
    if correlated:
        U = U + 0.4 * U.mean(axis=0)
        U /= np.linalg.norm(U, axis=1)[:, None]
    W = size * rng.normal(size=(students, U.shape[1])) / np.sqrt(U.shape[1]) + 0.2 * U.sum(axis=0)
    rows = np.concatenate([W, U])
    return rows @ rows.T


def values_of(v, v_star, second, target, numbers):
    named = dict(zip(map(str, v), second, strict=True))
    named |= dict(zip(map(str, v_star), target, strict=True))
    return named | numbers


# Fewer units, and the first of the claims; the ledger has the invariance of the subspace.
@thorough_only
@pytest.mark.parametrize(("students", "teachers"), [(1, 1), (2, 3), (3, 2)])
def test_derived_equations_are_the_closed_forms(students, teachers):
    stated, equations, v, v_star = committee(students, teachers, trained=True, correlated=True)
    rng = np.random.default_rng(students)
    change = equations.compile("numpy")
    numbers = {"eta": 0.7, "eta_v": 0.3, "kappa": 0.2, "sigma": 0.4}
    for _ in range(50):
        C = covariance(students, teachers, rng, correlated=True)
        second, target = rng.normal(size=students), rng.normal(size=teachers)
        found = values_of(v, v_star, second, target, numbers)
        for i, x in enumerate(stated.directions):
            for j, y in enumerate(stated.directions):
                found[str(stated.inner_product(x, y))] = C[i, j]
        state = [found[p.name] for p in equations.state]
        row = [found[p.name] for p in equations.parameters]
        moved = change(np.array(state), *row)
        expected, slopes = forms.rates_of_change(C, second, target, 0.7, 0.3, 0.2, 0.4)
        wanted = {str(stated.inner_product(x, y)): expected[i, j]
                  for i, x in enumerate(stated.directions)
                  for j, y in enumerate(stated.directions)}  # fmt: skip
        wanted |= dict(zip(map(str, v), slopes, strict=True))
        assert moved == pytest.approx([wanted[p.name] for p in equations.state], abs=1e-12)
        s = np.concatenate([-second, target])
        risk = equations.compile("numpy", "risk")(np.array(state), *row)[0]
        assert risk == pytest.approx(2 * forms.error(C, s) + 0.16, abs=1e-12)


SETTINGS = {
    "one unit": (1, 1, {}),
    "two of two": (2, 2, {"eta": 1.0}),
    "three of two": (3, 2, {}),
    "four of four": (4, 4, {}),
    "a second layer": (2, 2, {"eta_v": 0.3}),
    "correlated teachers": (2, 3, {"correlated": True}),
    "weight decay": (2, 2, {"kappa": 0.05}),
    "noise": (3, 3, {"sigma": 0.3, "eta": 0.8}),
}


@thorough_cases(
    "a second layer",
    "two of two",
    "three of two",
    "four of four",
    "correlated teachers",
    "weight decay",
    "noise",
)
@pytest.mark.parametrize("setting", SETTINGS)
def test_trajectories_are_those_of_the_closed_forms(setting):
    students, teachers, given = SETTINGS[setting]
    options = dict(given)
    correlated, trained = options.pop("correlated", False), "eta_v" in options
    numbers = {"eta": 0.5, "eta_v": 0.0, "kappa": 0.0, "sigma": 0.0} | options
    _, equations, v, v_star = committee(students, teachers, trained=trained, correlated=correlated)
    rng = np.random.default_rng(7)
    C = covariance(students, teachers, rng, correlated)
    second, target = 1 + 0.2 * rng.normal(size=students), 1 + 0.2 * rng.normal(size=teachers)
    times = np.linspace(0, 20, 5)
    used = {p.name for p in equations.parameters} | {str(x) for x in v}
    values = values_of(v, v_star, second, target, numbers)
    runs = equations.solve(
        {name: value for name, value in values.items() if name in used},
        C, 20, points=5, tolerance=1e-11, backend="numpy",
    )  # fmt: skip
    grams, seconds = forms.trajectory(C, second, target, times, **numbers)
    assert np.abs(runs.gram.values - grams).max() < 1e-8
    if trained:
        found = np.stack([runs[x.name].values for x in v], axis=-1)
        assert np.abs(found - seconds).max() < 1e-8


# -- patterns ------------------------------------------------------------------------------------


def slope(u):
    return sqrt(2 / pi) * exp(-(u**2) / 2)


@thorough_only
def test_patterns_are_the_integrals_of_saad_and_solla():
    """S1 to S4, each at 50 random covariances."""
    Z = generic_gaussian_variables(4)
    cases = {
        "i2": (g(Z[0]) * g(Z[1]), 2),
        "i3": (slope(Z[0]) * Z[1] * g(Z[2]), 3),
        "j2": (slope(Z[0]) * slope(Z[1]), 2),
        "i4": (slope(Z[0]) * slope(Z[1]) * g(Z[2]) * g(Z[3]), 4),
    }
    rng = np.random.default_rng(3)
    for name, (core, count) in cases.items():
        found = MeanPattern(core, count).centred_mean
        assert found is not None
        value = lambdify(found.arguments, found.value)
        for _ in range(50):
            rows = rng.normal(size=(count, 4))
            C = rows @ rows.T
            entries = {covariance_symbol(i, j): C[i, j] for i in range(count) for j in range(count)}
            derived = value(*(entries[a] for a in found.arguments))
            assert derived == pytest.approx(getattr(forms, name)(C, *range(count)), abs=1e-12)


def test_exponentials_beside_erf_change_the_measure():
    """E exp(-X^2 - X/2) erf(Y), and E exp(X - Y) erf(Y), as integrals over the normal law."""
    Z = generic_gaussian_variables(2)
    for function, known in (
        (exp(-(Z[0] ** 2) - Z[0] / 2) * erf(Z[1]), lambda x, y: mpmath.exp(-x * (x + 0.5))),
        (exp(Z[0] - Z[1]) * erf(Z[1]), lambda x, y: mpmath.exp(x - y)),
    ):
        pattern = MeanPattern(function, 2).general_mean
        numbers = {"m_0": 0.3, "m_1": -0.4, "c_0_0": 1.2, "c_0_1": 0.5, "c_1_1": 0.8}
        at = {a: numbers[a.name] for a in pattern.arguments}
        nodes, weights = np.polynomial.hermite_e.hermegauss(40)
        x = 0.3 + np.sqrt(1.2) * nodes[:, None]
        y = -0.4 + 0.5 / 1.2 * (x - 0.3) + np.sqrt(0.8 - 0.25 / 1.2) * nodes
        values = np.vectorize(lambda x, y, known=known: float(known(x, y) * mpmath.erf(y)))(x, y)
        exact = weights @ values @ weights / 2 / np.pi
        assert float(pattern.value.subs(at)) == pytest.approx(exact, rel=1e-9)
        for argument in pattern.arguments:
            gap = pattern.slope(argument).value - pattern.value.diff(argument)
            assert abs(float(gap.subs(at))) < 1e-14


# -- exchangeable units --------------------------------------------------------------------------


def alike(count, g=g):
    w, u = Directions("w", count), Directions("u", count, unit=True)
    return model(
        TokenSequence({Token(target=lambda X: u.sum(lambda x: g(X @ x))): 1},
                 noise=Symbol("sigma", nonnegative=True)),
        Predictor(lambda X: w.sum(lambda x: g(X @ x))),
        inner_products={u @ u: 0}, names={w @ w: ("Q", "C"), w @ u: ("R", "S")},
    )  # fmt: skip


K = Symbol("K", integer=True, positive=True)
POINT = {"R": 0.3, "S": 0.1, "Q": 0.6, "C": 0.2}


@pytest.mark.parametrize("count", [1, 2, 5])
def test_equations_of_any_number_of_units_are_the_closed_forms(count):
    equations = alike(K).equations("online-sgd", rate=0.35)
    rates = equations.rate_of_change_at(POINT, {"K": count, "sigma": 0.2})
    found = dict(zip(map(str, equations.state), rates, strict=True))
    eye, ones = np.eye(count), np.ones((count, count))
    R, Q = (POINT[a] * eye + POINT[b] * (ones - eye) for a, b in (("R", "S"), ("Q", "C")))
    C = np.block([[Q, R], [R.T, eye]])
    change, _ = forms.rates_of_change(C, np.ones(count), np.ones(count), 0.7, sigma=0.2)
    assert found["Q"] == pytest.approx(change[0, 0], abs=1e-12)
    assert found["R"] == pytest.approx(change[0, count], abs=1e-12)
    if count > 1:
        assert found["C"] == pytest.approx(change[0, 1], abs=1e-12)
        assert found["S"] == pytest.approx(change[0, count + 1], abs=1e-12)
    named = {s: (POINT | {"K": count, "sigma": 0.2})[s.name] for s in equations.risk.free_symbols}
    s = np.concatenate([-np.ones(count), np.ones(count)])
    risk = float(equations.risk.subs(named))
    assert risk == pytest.approx(2 * forms.error(C, s) + 0.04, abs=1e-12)


def test_equations_of_alike_units_are_those_of_all_of_them():
    stated = alike(3)
    symmetric = stated.equations("online-sgd", rate=0.35, symmetric=True)
    whole = stated.equations("online-sgd", rate=0.35)
    values = {"sigma": 0.2}
    found = dict(
        zip(map(str, symmetric.state), symmetric.rate_of_change_at(POINT, values), strict=True)
    )
    named = {"Q_{11}": "Q", "Q_{12}": "C", "R_{11}": "R", "R_{12}": "S", "R_{31}": "S"}
    point = {
        p: POINT["QC"[p.name[3] != p.name[4]] if p.name[0] == "Q" else "RS"[p.name[3] != p.name[4]]]
        for p in whole.state
    }
    change = dict(zip(map(str, whole.state), whole.rate_of_change_at(point, values), strict=True))
    for single, of_class in named.items():
        assert change[single] == pytest.approx(found[of_class], abs=1e-13)


@pytest.mark.parametrize("count", [thorough(2), 3, 7])
def test_the_plateau_and_its_spectrum(count):
    """S11 and S13, in units of 2 eta / pi."""
    equations = alike(K).equations("gradient-flow", rate=0.5)
    values = {"K": count, "sigma": 0}
    level, flat = 1 / np.sqrt(count * (2 * count - 1)), 1 / (2 * count - 1)
    plateau = {"R": level, "S": level, "Q": flat, "C": flat}
    assert equations.rate_of_change_at(plateau, values) == pytest.approx(0, abs=1e-14)
    root = np.sqrt(4 * count**2 - 1)
    wanted = [
        count / ((2 * count + 1) * root), 0, -2 * count * (2 * count - 1) / root,
        -count * (2 * count - 1) ** 2 / ((2 * count + 1) * root),
    ]  # fmt: skip
    found = equations.linearise(plateau, values).eigenvalues * np.pi / 2
    assert found == pytest.approx(sorted(wanted, reverse=True), abs=1e-12)


@more
def test_equations_in_jax():
    """The rate of change, its Jacobian by JAX, and many numbers of units at once."""
    jax = pytest.importorskip("jax", reason="needs JAX: pip install 'slrsym[jax]'")
    equations = alike(K).equations("online-sgd", rate=0.35)
    state, _ = equations.numerical_values(POINT, {"K": 3, "sigma": 0.2})
    assert [p.name for p in equations.parameters] == ["K", "sigma"]
    with jax.enable_x64(True):
        change = equations.compile("jax")
        slopes = jax.jit(jax.jacobian(change))(state, 3.0, 0.2)
        many = jax.vmap(change, (None, 0, None))(state, np.array([2.0, 3.0, 5.0]), 0.2)
    for found, units in zip(np.asarray(many), (2, 3, 5), strict=True):
        assert found == pytest.approx(
            equations.rate_of_change_at(state, {"K": units, "sigma": 0.2}), abs=1e-13
        )
    derived = equations.compile("numpy", "jacobian")(state, 3.0, 0.2).reshape(4, 4)
    assert np.abs(np.asarray(slopes) - derived).max() < 1e-13


def test_fixed_points_are_certified_where_they_are_isolated():
    equations = alike(K).equations("gradient-flow", rate=0.5)
    points = equations.fixed_points({"K": 3, "sigma": 0}, starts=8, rng=0, certified=True)
    best = points[0]
    assert [best.state[p] for p in equations.state] == pytest.approx([1, 0, 1, 0], abs=1e-9)
    assert best.is_certified
    assert best.risk == pytest.approx(0, abs=1e-12)
    level = 15**-0.5
    # On the plateau an eigenvalue vanishes, so that nothing can be shown.
    (plateau,) = equations.fixed_points(
        {"K": 3, "sigma": 0}, starts=[[0.2, 0.2, level, level]], certified=True
    )
    assert not plateau.is_certified


# -- other motions -------------------------------------------------------------------------------


@pytest.mark.parametrize("sphere", [False, True])
def test_a_step_of_descent_is_that_of_simulate(sphere):
    w, u = [Direction(f"w_{i}", sphere=sphere) for i in range(2)], Direction("u", unit=True)
    stated = model(
        TokenSequence({Token(target=lambda X: g(X @ u)): 1}),
        Predictor(lambda X: sum(g(X @ x) for x in w)),
    )
    C = covariance(2, 1, np.random.default_rng(1))
    if sphere:
        size = np.sqrt(np.diag(C))
        C = C / np.outer(size, size)
    runs = stated.simulate({}, steps=40, alpha=0.1, start=C, every=10, backend="numpy")
    found = stated.equations("projected-descent").solve(
        {"rate": 0.1}, C, 40, points=5, backend="numpy"
    )
    assert np.abs(found.gram.values - runs.gram.values[0, :, 0]).max() < 1e-12


@thorough_only
def test_gradient_flow_is_descent_with_small_steps_in_each_eigenspace():
    stated = attention(cov=(1, 4), other_cov=(2, 1)).model
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(2, 4, 6))
    rows /= np.sqrt(np.sum(rows**2, axis=(0, 2)))[None, :, None]
    gram = rows @ rows.transpose(0, 2, 1)
    values = {"d": 8, "lambda": 0.3, "L": 3, "gamma": 1, "epsilon": 0.1}
    used = {p.name for p in stated.parameters}
    values = {name: x for name, x in values.items() if name in used}
    options = {"start": gram, "every": 1}
    step = stated.simulate(values, steps=1, alpha=1e-5, backend="numpy", **options)
    equations = stated.equations("gradient-flow", rate=1)
    flow = equations.solve(values, gram, 1e-5, points=2, backend="numpy").gram.values[1]
    assert np.abs(flow - gram).max() > 1e-6
    assert np.abs(flow - step.gram.values[0, 1]).max() < 1e-3 * np.abs(flow - gram).max()


@thorough_only
def test_an_inverse_temperature_is_trained():
    """The change of a trained scalar is the slope of the risk, by differences."""
    stated = attention().model
    lam = next(p for p in stated.parameters if p.name == "lambda")
    equations = stated.equations("gradient-flow", rate={lam: 2}, train=lam)
    point = {"kappa": 0.3, "nu": 0.2, "theta": 0.1, "eta": -0.2, "rho": 0.15}
    values = {"d": 20, "L": 3, "gamma": 0.7, "epsilon": 0.1, "rate": 1}
    found = equations.rate_of_change_at(point | {"lambda": 0.5}, values)[-1]
    risk = stated.compile("numpy", "risk")
    state = [point[p.name] for p in stated.order_parameters]
    ends = [
        risk(state, *[{**values, "lambda": x}[p.name] for p in stated.parameters])[0]
        for x in (0.5 + 1e-5, 0.5 - 1e-5)
    ]
    assert found == pytest.approx(-2 * (ends[0] - ends[1]) / 2e-5, rel=1e-7)


# -- the object ----------------------------------------------------------------------------------


@thorough_only
def test_backends_agree_and_the_jacobian_is_that_of_the_drift():
    _, equations, v, v_star = committee(2, 1, trained=True)
    rng = np.random.default_rng(4)
    C = covariance(2, 1, rng)
    named = values_of(v, v_star, [0.7, 1.2], [1.1], {"eta": 0.7, "eta_v": 0.3, "kappa": 0.1,
                                                     "sigma": 0.3})  # fmt: skip
    for i, x in enumerate(equations.model.directions):
        for j, y in enumerate(equations.model.directions):
            named[str(equations.model.inner_product(x, y))] = C[i, j]
    state = [named[p.name] for p in equations.state]
    row = [named[p.name] for p in equations.parameters]
    for what in ("change", "jacobian", "risk"):
        arrays = equations.compile("numpy", what)(np.array([state, state]), *row)[1]
        if what == "change":
            assert equations.compile("numba")(state, *row) == pytest.approx(arrays, abs=1e-13)
        exact = equations.compile("mpmath", what)(state, *row, dps=30)
        assert [float(x) for x in exact] == pytest.approx(arrays.tolist(), abs=1e-13)
        balls = equations.compile("ball", what)(state, *row, dps=30)
        assert all(abs(float(x.mid()) - y) < 1e-13 for x, y in zip(balls, arrays, strict=True))
    jacobian = equations.linearise(state, dict(zip(equations.parameters, row, strict=True))).matrix
    change = equations.compile("numpy")
    for k in range(len(state)):
        move = 1e-6 * np.eye(len(state))[k]
        column = (change(state + move, *row) - change(state - move, *row)) / 2e-6
        assert jacobian[:, k] == pytest.approx(column, abs=1e-8)
    written = equations.jacobian.xreplace({s: Float(named[s.name]) for s in
                                           equations.jacobian.free_symbols})  # fmt: skip
    assert np.array(written, dtype=float) == pytest.approx(jacobian, abs=1e-12)


@thorough_only
@more
def test_claims_are_proved_and_a_slip_is_found():
    find = builtin_ledger().find
    equations = committee_of_units(1, 1).model.equations("online-sgd")
    claims = equations.claims("m")
    assert [c.id for c in claims] == ["m-drift-1", "m-noise-1", "m-drift-2"]
    assert all(check_claim(claim, find).accepted for claim in (claims if THOROUGH else claims[2:]))
    equations.__dict__["drift"] = equations.drift * Rational(999, 1000)
    assert not check_claim(equations.claims("m")[0], find).accepted


@thorough_only
@more
def test_the_symmetric_subspace_is_proved_to_be_invariant():
    find = builtin_ledger().find
    equations = alike(2).equations("gradient-flow", symmetric=True)
    claims = equations.claims("m")
    assert len(claims) == 7
    assert all(check_claim(claim, find).accepted for claim in (claims if THOROUGH else claims[:1]))
    equations.__dict__["drift"] = equations.drift * Rational(999, 1000)
    assert not check_claim(equations.claims("m")[0], find).accepted


@thorough_only
@more
def test_any_two_of_any_number_of_units_are_proved_to_move_as_their_class():
    """In dev, of units that square their input, in a fifth of the time."""
    find = builtin_ledger().find
    equations = alike(K, g if THOROUGH else lambda u: u**2).equations("gradient-flow")
    claims = equations.claims("m")
    assert [c.id for c in claims] == [
        "m-drift-1", "m-drift-2", "m-drift-3", "m-drift-4", "m-drift-4-reversed",
    ]  # fmt: skip
    assert all(check_claim(c, find).accepted for c in (claims if THOROUGH else claims[:1]))
    # One unit too many, in the equations and in the count of the others.
    equations.__dict__["drift"] = equations.drift.subs(K, K + 1)
    assert not check_claim(equations.claims("m")[0], find).accepted
