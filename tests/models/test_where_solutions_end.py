"""Flows that end where directions align, and solutions that end early and say where."""

import math
import warnings
from functools import cache

import numpy as np
import pytest
import xarray as xr
from sympy import Abs, Max, Rational, Symbol, asin, atan, erf, pi, sign, sqrt, symbols

from slrsym.kernels.compiled_rate import CompiledRate
from slrsym.models import Direction, NotSolvedError, Predictor, Token, TokenSequence, model
from slrsym.models.landscape.risk_of_directions import RiskOfTrainedDirections
from slrsym.models.training import solutions as solving
from slrsym.models.training.alignment import with_limit_at_alignment
from tests._profile import more, thorough
from tests.kernels._cases import needs_numba

w, u = Direction("w"), Direction("u", unit=True)
R, Q = Symbol("R", real=True), Symbol("Q", positive=True)


# Many tests ask for the same models and equations; they are derived once.
@cache
def stated(unit, sphere=None):
    data = TokenSequence({Token(target=lambda X: unit(X @ u)): 1})
    student = sphere or w
    names = {student @ u: R} if sphere else {student @ u: R, student @ student: Q}
    return model(data, Predictor(lambda X: unit(X @ student)), names=names)


@cache
def flow(unit, kind="gradient-flow", **options):
    return stated(unit).equations(kind, **({"rate": 1} | options))


UNITS = {
    "relu": lambda z: Max(0, z),
    "leaky": lambda z: Max(z / 5, z),
    "abs": Abs,
    "squared relu": lambda z: Max(0, z) ** 2,
    "linear": lambda z: z,
}


@pytest.fixture(scope="module")
def relu():
    return flow(UNITS["relu"])


def relu_risk(q, r):
    """Return the risk by the angle t: Q/2 + 1/2 - sqrt(Q) (sin t + (pi - t) cos t)/pi."""
    angle = math.acos(min(1.0, r / math.sqrt(q)))
    kernel = math.sin(angle) + (math.pi - angle) * math.cos(angle)
    return q / 2 + 0.5 - math.sqrt(q) * kernel / math.pi


# -- alignment -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("relu", (0.5, 0.1)),
        thorough("relu", (0.5, -0.3)),
        thorough("relu", (0.25, 0.5)),
        ("leaky", (0.5, 0.1)),
        ("abs", (0.5, -0.3)),
        thorough("squared relu", (0.5, 0.1)),
        ("linear", (0.25, 0.5)),
    ],
)
def test_a_flow_ends_where_directions_align(name, begin):
    start = dict(zip("QR", begin, strict=True))
    found = flow(UNITS[name]).solve({}, start, time=60, backend="numpy")
    assert found.risk.values.min() >= 0
    assert found.risk.values[-1] < 1e-7
    assert abs(found.R.values[-1]) == pytest.approx(1, abs=1e-6)
    assert (found.Q.values >= found.R.values**2 * (1 - 1e-15)).all()


def test_the_risk_on_the_way(relu):
    found = relu.solve({}, {"Q": 0.5, "R": 0.1}, time=15, points=16, backend="numpy")
    exact = [relu_risk(q, r) for q, r in zip(found.Q.values, found.R.values, strict=True)]
    np.testing.assert_allclose(found.risk, exact, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "eigenvalues"),
    [
        ("relu", (-1, -2)),
        ("leaky", (-1.04, -2.08)),
        ("abs", (-2, -4)),
        thorough("squared relu", (-8, -12)),
        ("linear", (-2, -4)),
    ],
)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_rates_and_slopes_at_the_optimum(name, eigenvalues, backend):
    equations = flow(UNITS[name])
    np.testing.assert_allclose(equations.compile(backend)([1.0, 1.0]), 0, atol=1e-15)
    assert equations.compile(backend, "risk")([1.0, 1.0])[0] == pytest.approx(0, abs=1e-15)
    found = equations.linearise({"Q": 1, "R": 1})
    np.testing.assert_allclose(found.eigenvalues, eigenvalues, rtol=1e-12)


@pytest.mark.parametrize("q", [0.7, 1.3, 1e-6])
def test_rates_where_rounding_leads_beyond_alignment(relu, q):
    """The rates of Q and R at R^2 = Q are -2 (Q - R) and -(R - 1) for ReLU."""
    r = math.sqrt(q)
    found = relu.rate_of_change_at({"Q": q, "R": r})
    # An angle of 1e-8, which rounding makes, changes the second by its multiple.
    np.testing.assert_allclose(found, [-2 * (q - r), 1 - r], atol=1e-8)
    with pytest.raises(ValueError, match=r"the rate of change is not finite: that of Q is nan at"):
        relu.rate_of_change_at({"Q": q, "R": r * 1.1})


def test_the_optimum_is_a_fixed_point(relu):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        points = relu.fixed_points({}, rng=0, starts=12)
    assert [tuple(p.state.values()) for p in points] == [pytest.approx((1, 1), abs=1e-7)]
    assert points[0].risk == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("entries", [(0.7, 1.3, 0.4), (2.0, 0.5, -0.99)])
def test_the_form_is_the_same_function(entries):
    a, b, c = (*symbols("a b", positive=True), Symbol("c", real=True))
    value = sqrt(a) * (2 * b - 2 * c**2 / a) / sqrt(b - c**2 / a) + c**3 * asin(
        c / (sqrt(a) * sqrt(b))
    )
    at = dict(zip((a, b, c), map(Rational, map(str, entries)), strict=True))
    for f in (value, value.diff(a), value.diff(c, 2)):
        written = with_limit_at_alignment(f, a, b, c)
        assert written.has(atan) or not f.has(asin)
        assert float((f - written).subs(at).evalf(30)) == pytest.approx(0, abs=1e-25)
    smooth = asin(2 * c / (sqrt(1 + 2 * a) * sqrt(1 + 2 * b))) / pi
    assert with_limit_at_alignment(smooth, a, b, c) is smooth


def test_a_risk_of_a_solver_s_error_is_not_negative():
    """With crude steps states are inner products of vectors all the same, on a sphere, too."""
    s = Direction("s", sphere=True)
    for equations, start in (
        (flow(UNITS["linear"]), {"Q": 2.0, "R": 1.4}),
        (stated(UNITS["linear"], s).equations("gradient-flow", rate=1), {"R": 0.9}),
        (stated(UNITS["relu"], s).equations("gradient-flow", rate=1), {"R": 0.9}),
    ):
        found = equations.solve({}, start, 30, tolerance=1e-4, points=300, backend="numpy")
        assert found.risk.values.min() >= 0
        assert found.R.values[-1] == pytest.approx(1, abs=1e-3)
        assert ((1 + 1e-12) * found.gram.sel(direction=found.direction[0],
                other=found.direction[0]) >= found.R**2).all()  # fmt: skip


# -- early ends ----------------------------------------------------------------------------------


@pytest.fixture(params=["python", pytest.param("machine code", marks=needs_numba)])
def solved(request):
    """Solve x' = f(x) from x = 1, by steps of SciPy or of machine code."""

    def solve(change, kind="gradient-flow", time=1.0, points=6):
        times = solving.solution_times(kind, time, points)

        def rate(x):
            return change(x)

        if request.param == "machine code":
            rate.machine_code = CompiledRate(of_one_number(change), np.zeros(1, dtype=np.int64), 1)
        return solving.solve_trajectory(rate, kind, ["x"], np.array([1.0]), (), times, 1e-9)

    return solve


def of_one_number(change):
    """Return machine code of the rate of change of one number."""
    from numba import njit

    inner = njit(error_model="numpy")(change)

    @njit
    def rate(states, parameters, work, index, rates):
        for k in range(len(states)):
            rates[k, 0] = inner(states[k, 0])

    return rate


def test_a_rate_that_is_not_finite_ends_the_solution(solved):
    """Of x' = -1/sqrt(x) that is at t = 2/3, where x = (1 - 3t/2)^(2/3) vanishes."""
    found = solved(lambda x: -1 / np.sqrt(x))
    np.testing.assert_allclose(found.times, [0, 0.2, 0.4, 0.6, 2 / 3], atol=1e-6)
    exact = (1 - 1.5 * found.times[:-1]) ** (2 / 3)
    np.testing.assert_allclose(found.states[:-1, 0], exact, rtol=1e-7)
    assert found.problem.startswith(
        "the rate of change is not finite (dx/dt = nan) at t = 0.666666"
    )


def test_a_step_beyond_the_domain_is_made_shorter(solved):
    """X' = -x^(3/2) is defined for x >= 0 only, where x = (1 + t/2)^-2 stays."""
    found = solved(lambda x: -(x**1.5), time=1e6)
    assert found.problem is None
    np.testing.assert_allclose(found.states[-1, 0], (1 + 5e5) ** -2.0, rtol=1e-2)


def test_growth_beyond_all_numbers_ends_the_solution(solved):
    found = solved(lambda x: x * x, time=2)
    assert found.times[-1] == pytest.approx(1, abs=1e-6)
    assert np.isfinite(found.states).all()
    assert " at t = " in found.problem


def test_steps_are_bounded(solved, monkeypatch):
    monkeypatch.setattr(solving, "_MOST_STEPS", 20)
    found = solved(lambda x: -1e6 * (x - 1) + np.cos(x), time=1e9)
    assert found.problem.startswith("20 steps were not enough; it is at t = ")


def test_a_solution_that_needs_too_many_steps_ends_early(solved):
    """The fast part of a stiff equation keeps steps of 1e-6 at most."""
    found = solved(lambda x: -1e6 * (x - 1) + np.cos(x), time=1e9)
    assert found.problem.startswith("more than 200,000 steps are needed, as the last 5,000 had a ")


def test_a_step_of_descent_that_is_not_finite_ends_the_run(solved):
    found = solved(lambda x: 1e200 * x * x, "projected-descent", time=9, points=4)
    assert found.problem == "the change of step 2 is not finite, at x = 1e+200"
    assert found.times.tolist() == [0, 1]
    assert found.states.tolist() == [[1], [1e200]]


def test_what_was_solved_is_kept(relu, tmp_path):
    """Where a flow from a direction of length 0 goes is not known."""
    path = tmp_path / "ended.nc"
    said = (
        r"cannot be solved up to 5: the rate of change is not finite \(dQ/dt = nan, dR/dt = nan\) "
    )
    with pytest.raises(NotSolvedError, match=said + "at t = .*, Q = 0, R = ") as raised:
        relu.solve({}, {"Q": 0, "R": 0}, 5, path=path)
    assert str(raised.value).endswith(f"is the `result` of this error and in {path}")
    assert raised.value.result.sizes["time"] <= 2
    assert xr.open_dataset(path, engine="scipy").sizes == raised.value.result.sizes


@pytest.mark.parametrize("kind", ["online-sgd", "projected-descent"])
def test_a_rate_that_is_too_large(kind):
    equations = flow(UNITS["linear"], kind, rate=Rational(3))
    with pytest.raises(
        NotSolvedError, match=r"cannot be solved up to 3000: .* at .*Q = "
    ) as raised:
        equations.solve({}, {"Q": 0.5, "R": 0.1}, 3000, backend="numpy")
    kept = raised.value.result
    assert kept.time[-1] > 1
    assert np.isfinite(kept.Q).all()
    assert kept.Q[-1] > 1e100


@pytest.mark.parametrize("time", [0, -1, math.inf, math.nan, "long"])
def test_times_that_are_none(relu, time):
    with pytest.raises(ValueError, match="time must be positive and finite"):
        relu.solve({}, {"Q": 0.5, "R": 0.1}, time)


@pytest.mark.parametrize("begin", [(0.5, 0.9), (1.0, 1.001)])
def test_a_start_of_no_vectors_is_refused(relu, begin):
    with pytest.raises(ValueError, match=r"start must be inner products of vectors; got Q = "):
        relu.solve({}, dict(zip("QR", begin, strict=True)), 5)


def test_a_sweep_keeps_what_was_solved():
    equations = flow(UNITS["linear"], "online-sgd", rate=Symbol("rate", positive=True))
    with pytest.warns(
        RuntimeWarning, match=r"at 1 of 2 settings, .* rate = 3 and ends after [1-9]"
    ):
        found = equations.sweep(
            {"rate": [0.1, 3]}, {"Q": 0.5, "R": 0.1}, 400, workers=1, backend="numpy"
        )
    gone = np.isnan(found.Q.sel(rate=3).values)
    alone = equations.solve({"rate": 3}, {"Q": 0.5, "R": 0.1}, 10, points=6)
    assert not gone[:6].any()
    assert gone[-1]
    np.testing.assert_allclose(found.Q.sel(rate=3)[:6], alone.Q, rtol=1e-6)
    assert np.isfinite(found.risk.sel(rate=0.1)).all()


@pytest.mark.parametrize(
    ("share", "start", "alpha", "when"),
    [(lambda z: z**2, (1, 0.1), 1.0, "at step 6"), (sign, (0, 0), 0.01, "at step 1")],
)
def test_runs_that_are_lost_are_told_in_one_warning(share, start, alpha, when):
    """A run that grows beyond all numbers, or starts where there is no gradient, is told once."""
    data = TokenSequence({Token(target=lambda X: (X @ u) ** 2 + X @ u): 1})
    m = model(data, Predictor(lambda X: share(X @ w)), names={w @ u: R, w @ w: Q})
    begin = {w @ w: start[0], w @ u: start[1]}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        runs = m.simulate({}, steps=50, alpha=alpha, start=begin, backend="numpy")
    assert not np.isfinite(runs.risk.values[0, -1])
    assert len(told) == 1
    assert f"the states of 1 of 1 runs are not finite at last, such as those of run 0 {when}" in (
        str(told[0].message)
    )


def test_a_landscape_tells_how_many_searches_are_lost(monkeypatch):
    """A search that ends where the risk is not finite is counted in a warning."""
    m = stated(lambda z: z**2)
    whole = RiskOfTrainedDirections.risk_and_gradient

    def half(self, points):
        risks, gradient = whole(self, points)
        return np.where(np.arange(len(risks)) % 2, risks, np.nan), gradient

    monkeypatch.setattr(RiskOfTrainedDirections, "risk_and_gradient", half)
    with pytest.warns(RuntimeWarning, match="2 of 4 searches ended where the risk or a derivative"):
        m.landscape({"d": 10}, starts=4, rng=0)


def test_solutions_that_need_too_many_steps_say_so_early(monkeypatch):
    """What a rate of 1e30 needs is known after some hundred steps; the result is kept."""
    monkeypatch.setattr(solving, "_WINDOW", 500)
    with pytest.raises(NotSolvedError, match=r"more than 200,000 steps are needed") as told:
        flow(UNITS["linear"], rate=10**30).solve({}, {"Q": 1, "R": 0.1}, 3, backend="numpy")
    assert told.value.result.time[-1] < 1e-20
    assert abs(told.value.result.R[-1] - 1) < 1e-6


def test_steps_of_descent_end_where_a_state_stays():
    """Of 10^12 steps, those after the state stays are not taken."""
    runs = flow(UNITS["linear"], "projected-descent", rate=Rational(1, 4)).solve(
        {}, {"Q": 1, "R": 0.1}, 10**12, points=3, backend="numpy"
    )
    np.testing.assert_allclose(runs.Q, [1, 1, 1], atol=1e-12)
    assert runs.time.values.tolist() == [0, 5 * 10**11, 10**12]


def test_units_of_length_zero_bring_no_warning_of_another_library():
    """Units that start at zero stay inner products of vectors in silence."""
    both = [Direction("w_1"), Direction("w_2")]
    data = TokenSequence({Token(target=lambda X: erf(X @ u)): 1})
    m = model(data, Predictor(lambda X: sum(erf(X @ x) for x in both)))
    start = {x @ y: 0 for x in both for y in (*both, u)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runs = m.equations("gradient-flow", rate=1).solve({}, start, 10, backend="numpy")
    first, second = (runs.gram[-1, i, 2] for i in (0, 1))
    assert abs(first - second) < 1e-9


# -- a length of zero --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "risk", "rates"),
    [
        ("relu", 0.5, (0, 0.5)),
        ("abs", 1, (0, 0)),
        ("squared relu", 1.5, (0, 0)),
        ("leaky", 0.52, (0, 0.72)),
        ("linear", 1, (0, 2)),
    ],
)
def test_a_student_of_length_zero(name, risk, rates):
    """A step counts as the mean of both sides where its argument does not vary."""
    equations = flow(UNITS[name])
    for backend in ("numpy", "numba"):
        found = equations.compile(backend)([0.0, 0.0])
        np.testing.assert_allclose(found, rates, atol=1e-15)
        assert equations.compile(backend, "risk")([0.0, 0.0])[0] == pytest.approx(risk)


def test_a_flow_from_a_length_of_zero_says_why_it_ends(relu):
    with pytest.raises(NotSolvedError, match="At Q = 0 a trained direction has length 0, and the"):
        relu.solve({}, {"Q": 0.0, "R": 0.0}, time=1, backend="numpy")


@pytest.mark.parametrize("name", ["relu", "abs", "leaky"])
def test_what_has_no_value_at_a_length_of_zero_says_so(name):
    """The slope of the risk in the squared length has no limit there."""
    with pytest.raises(ValueError, match=r"the Jacobian is not finite: .* At Q = 0 a trained dir"):
        flow(UNITS[name]).linearise({"Q": 0.0, "R": 0.0})
    begin = {w @ w: 0, w @ u: 0}
    with pytest.warns(RuntimeWarning, match=r"not finite at last, .* At Q = 0 a trained direction"):
        stated(UNITS[name]).simulate({}, steps=3, alpha=0.1, start=begin, backend="numpy")


@pytest.mark.parametrize("name", ["relu", "abs", "leaky"])
def test_the_slope_in_the_squared_length_depends_on_the_angle(name):
    """At a short length and angle t it is c(t) / sqrt(Q), and c(t) changes with t."""
    stating = stated(UNITS[name])
    places = [stating.order_parameters.index(p) for p in (Q, R)]
    slope = stating.compile("numpy", "gradient")
    found = []
    for cosine in (0, 0.6):
        values = []
        for length in (1e-5, 1e-6):
            state = np.empty(2)
            state[places] = length**2, cosine * length
            values.append(slope(state)[places[0]] * length)
        assert values[0] == pytest.approx(values[1], rel=1e-3)
        found.append(values[0])
    assert abs(found[0] - found[1]) > 0.01


def test_a_peak_of_the_risk_is_no_fixed_point():
    """The risk of |z| has a peak at length 0, where rates in Q and R vanish."""
    points = flow(UNITS["abs"]).fixed_points({}, rng=0, starts=20)
    assert min(p.state[Q] for p in points) > 0.4
    assert [p.risk for p in points] == pytest.approx([0, 0, 1 - 4 / math.pi**2])


# -- derivatives by JAX --------------------------------------------------------------------------


@more
@pytest.mark.parametrize("name", ["relu", "squared relu", "abs"])
def test_jax_differentiates_the_risk_where_directions_align(name):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        stating = stated(UNITS[name])
        at = [float({Q: 1.0, R: 1.0}[p]) for p in stating.order_parameters]
        risk = stating.compile("jax", "risk")
        exact = stating.compile("numpy", "gradient")(at)
        assert np.isfinite(exact).all()
        np.testing.assert_allclose(jax.jacobian(risk)(np.array(at))[0], exact, rtol=1e-14)
        away = np.array([0.3 if p == R else 0.7 for p in stating.order_parameters])
        upper = stating.compile("numpy", "hessian")(away)
        second = jax.hessian(lambda state: risk(state)[0])(away)
        np.testing.assert_allclose(np.asarray(second)[np.triu_indices(2)], upper, rtol=1e-11)
        hessian = np.asarray(stating.compile("jax", "hessian")(np.array(at)))
        assert np.isfinite(hessian).all() == (name == "squared relu")
        assert not np.isnan(hessian).any()


@more
@pytest.mark.parametrize("kind", ["gradient-flow", "online-sgd"])
def test_jax_differentiates_rates_where_directions_align(kind):
    jax = pytest.importorskip("jax")
    e = stated(UNITS["relu"]).equations(kind, rate=1)
    slopes = e.compile("numpy", "jacobian")
    with jax.enable_x64(True):
        found = jax.jit(jax.jacobian(e.compile("jax")))
        for q, r in ((1.0, 1.0), (4.0, 2.0), (4.0, -2.0), (1.0, 0.5)):
            at = np.array([{Q: q, R: r}[p] for p in e.state])
            np.testing.assert_allclose(np.ravel(found(at)), slopes(at), atol=1e-12)


def test_an_infinite_hessian_is_said():
    stating = stated(UNITS["relu"])
    with np.errstate(divide="ignore"):
        assert np.isinf(stating.compile("numpy", "hessian")([1.0, 1.0])).all()
    with pytest.raises(ZeroDivisionError, match=r"is infinite or has no limit at .*Q = 1\.0"):
        stating.compile("mpmath", "hessian")([1.0, 1.0])
