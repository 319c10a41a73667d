"""Students and teachers with kinks: risk, gradient and Hessian, also where both are aligned.

Right values come from integrals over the angle in the plane of two Gaussian variables, by mpmath.
"""

import math
from functools import cache

import mpmath
import numpy as np
import pytest
from sympy import Abs, Max, Rational, Symbol, sign

from slrsym.models import Direction, NotClosedError, Predictor, Token, TokenSequence, model
from tests._profile import NIGHTLY, THOROUGH, more, thorough, thorough_cases, thorough_only
from tests.kernels._cases import BACKENDS

pytestmark = more

# Of positive homogeneity: its degree, and its values at 1 and at -1.
UNITS = {
    "relu": (lambda z: Max(0, z), 1, 1, 0),
    "size": (Abs, 1, 1, 1),
    "leaky relu": (lambda z: Max(z, z / 5), 1, 1, -0.2),
    "squared relu": (lambda z: Max(0, z) ** 2, 2, 1, 0),
    "sign": (sign, 0, 1, -1),
}
SLOPES = {
    "relu": (0.5, -1),
    "size": (1, -2),
    "leaky relu": (0.52, -1.04),
    "squared relu": (2, -4),
}
Q, R = Symbol("Q", positive=True), Symbol("R", real=True)
w, u = Direction("w"), Direction("u", unit=True)
QUICK = BACKENDS if THOROUGH else ["numpy", "mpmath", "ball"]


def stated(unit, label=None, **token):
    of = Token(target=lambda X: (label or unit)(X @ u), **token)
    return model(
        TokenSequence({of: 1}), Predictor(lambda X: unit(X @ w)), names={w @ w: Q, w @ u: R}
    )


@cache
def kinked(name):
    return stated(UNITS[name][0])


@cache
def flow_of(name):
    return kinked(name).equations("gradient-flow", rate=1)


def pair_mean(name, q, r):
    """The mean of g(U) g(W) for variables of variances 1 and q and covariance r."""
    _, degree, above, below = UNITS[name]
    angle = mpmath.acos(max(-1, min(1, mpmath.mpf(r) / mpmath.sqrt(q))))

    def g(z):
        return mpmath.mpf(above if z > 0 else below) * abs(z) ** degree

    half = mpmath.pi / 2
    ends = sorted(
        {-mpmath.pi, -half, half, mpmath.pi, angle - half, angle + half, angle - 3 * half}
    )
    ends = [x for x in ends if -mpmath.pi <= x <= mpmath.pi]
    inner = mpmath.quad(lambda t: g(mpmath.cos(t)) * g(mpmath.cos(t - angle)), ends)
    return mpmath.sqrt(q) ** degree * 2**degree * math.factorial(degree) * inner / (2 * mpmath.pi)


@cache
def own_mean(name):
    with mpmath.workdps(40):
        return pair_mean(name, 1, 1)


def right_risk(name, q, r):
    return (1 + q ** UNITS[name][1]) * own_mean(name) - 2 * pair_mean(name, q, r)


def laws(count):
    rng = np.random.default_rng(0)
    lengths = rng.uniform(0.1, 2, count)
    found = [(q, math.sqrt(q) * c) for q, c in zip(lengths, rng.uniform(-1, 1, count), strict=True)]
    return [*found, (1.0, 1.0), (1.0, -1.0), (0.25, 0.5), (2.25, -1.5), (0.49, 0.7), (1.0, 0.0)]


@pytest.mark.parametrize("name", UNITS)
def test_the_risk_at_random_laws_and_where_both_are_aligned(name):
    risk = kinked(name).compile("numpy", "risk")
    for q, r in laws(50 if NIGHTLY else 12 if THOROUGH else 4):
        assert risk([q, r])[0] == pytest.approx(float(right_risk(name, q, r)), abs=1e-10)


@thorough_only
@pytest.mark.parametrize("name", ["relu", "squared relu", "leaky relu"])
def test_derivatives_at_random_laws(name):
    found = kinked(name).compile("numpy", "gradient", "hessian")
    with mpmath.workdps(25):
        for q, r in laws(3)[:3]:
            slopes = [
                mpmath.diff(lambda *x: right_risk(name, *x), (q, r), n)
                for n in ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
            ]
            right = [float(x) for x in slopes]
            assert found([q, r]) == pytest.approx(right, abs=1e-10)


@pytest.mark.parametrize("backend", QUICK)
@pytest.mark.parametrize("name", SLOPES)
def test_slopes_where_both_are_aligned(name, backend):
    _, _, above, below = UNITS[name]
    of = kinked(name)
    slopes = [float(x) for x in of.compile(backend, "gradient")([1.0, 1.0])]
    assert slopes == pytest.approx(SLOPES[name], rel=1e-12)
    assert [float(x) for x in of.gradient.subs({Q: 1, R: 1})] == pytest.approx(SLOPES[name])
    risk, _, slope = (float(x) for x in of.compile(backend, "risk", "gradient")([1.0, -1.0]))
    assert risk == pytest.approx(float(right_risk(name, 1, -1)), abs=1e-12)
    assert slope == pytest.approx(2 * above * below, abs=1e-12)


@thorough_cases(
    "size-ball", "leaky relu-ball", "squared relu-ball", "leaky relu-mpmath", "size-mpmath"
)
@pytest.mark.parametrize("backend", QUICK[1:])
@pytest.mark.parametrize("name", SLOPES)
def test_the_motion_where_both_are_aligned(name, backend):
    flow = flow_of(name)
    for state in ([1.0, 1.0], [0.25, -0.5], [1.0, 0.3]):
        for what in ("change", "jacobian"):
            right = flow.compile("numpy", what)(state)
            found = [float(x) for x in flow.compile(backend, what)(state)]
            assert np.isfinite(right).all()
            assert found == pytest.approx(right, rel=1e-12, abs=1e-12)


@thorough_only
def test_the_hessian_of_a_smoother_unit_has_a_limit():
    of = kinked("squared relu")
    assert of.hessian.subs({Q: 1, R: 1}).tolist() == [[3, 0], [0, -4]]


@thorough_only
@pytest.mark.parametrize("name", ["size", thorough("relu"), thorough("leaky relu")])
def test_flows_to_a_long_time_and_their_fixed_points(name):
    flow = flow_of(name)
    for q, r in laws(10 if THOROUGH else 1)[: None if THOROUGH else 2]:
        found = flow.solve({}, {"Q": q, "R": r}, 300, backend="numpy")
        # Students of size that are orthogonal to the teacher stay so, and of ReLU opposite ones.
        if name == "size" or r > -math.sqrt(q):
            end = right_risk(name, 4 / math.pi**2, 0) if name == "size" and r == 0 else 0
            assert found.risk.values[-1] == pytest.approx(float(end), abs=1e-8)
    assert flow.fixed_points({}, rng=0)[0].risk == pytest.approx(0, abs=1e-14)


@thorough_only
@pytest.mark.parametrize("seed", [0, *map(thorough, range(1, 5))])
def test_searches_over_the_edge_come_back(seed):
    """Beyond alignment slopes are those of the rates, which Newton's method needs."""
    flow = flow_of("squared relu")
    optimum, *others = flow.fixed_points({}, rng=seed, starts=20)
    assert list(optimum.state.values()) == pytest.approx([1, 1], abs=1e-14)
    assert optimum.risk == pytest.approx(0, abs=1e-14)
    # The slopes of this unit vanish with its length.
    for point in others:
        assert list(point.state.values()) == pytest.approx([0, 0], abs=1e-4)
        assert point.risk == pytest.approx(1.5, abs=1e-9)


@thorough_only
def test_sampled_tokens_landscape_and_descent():
    of = kinked("size")
    assert of.check({"d": 10}, rng=0).is_passed
    found = of.landscape({"d": 10}, starts=20, rng=0)
    kinds = [(p.kind, p.index, pytest.approx(p.risk, abs=1e-10)) for p in found]
    assert kinds == [("minimum", 0, 0), ("saddle", 1, 1 - 4 / math.pi**2)]
    assert found[1].state == pytest.approx([4 / math.pi**2, 0], abs=1e-8)
    runs = of.simulate({"d": 10}, steps=200, alpha=0.1, runs=2, rng=0, backend="numpy")
    assert runs.risk.values[:, -1] == pytest.approx(0, abs=1e-14)


# -- several units, other laws ---------------------------------------------------------------------


def max_error(of, values=()):
    """The largest error of gradient and Hessian against differences, at random vectors."""
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(len(of.directions), 8)) / 3
    gram = vectors @ vectors.T
    state = np.array([gram[i, j] for p, (i, j, _) in of.gram_indices.items()])
    risk, slopes, bends = (of.compile("numpy", x) for x in ("risk", "gradient", "hessian"))
    step = 1e-5 * np.eye(len(state))
    first = [(risk(state + h, *values) - risk(state - h, *values))[0] / 2e-5 for h in step]
    second = (
        np.array([slopes(state + h, *values) - slopes(state - h, *values) for h in step]) / 2e-5
    )
    second = second[np.triu_indices(len(state))]
    errors = [*(first - slopes(state, *values)), *(second - bends(state, *values))]
    return np.abs(errors).max()


def relu(z):
    return Max(0, z)


def spiked():
    lam = Symbol("lambda", positive=True)
    return stated(relu, cov={1: 1, u: lam})


def of_two_projections():
    k, v = Direction("k"), Direction("v")
    one = Token(target=lambda X: relu(X @ u) * (X @ u))
    return model(TokenSequence({one: 1, Token(): 2}), Predictor(lambda X: relu(X @ k) * (X @ v)))


def correlated():
    one, other = Token(target=lambda X: relu(X @ u)), Token()
    data = TokenSequence({one: 1, other: 1}, correlation={(one, other): Rational(1, 2)})
    return model(data, Predictor(lambda X: relu(X @ w)))


OTHERS = {"spiked": (spiked, {"lambda": 0.7}), "correlated": (correlated, {}),
          "of two projections": (of_two_projections, {})}  # fmt: skip


@thorough_only
@pytest.mark.parametrize("name", ["spiked", thorough("correlated"), thorough("of two projections")])
def test_other_laws(name):
    make, values = OTHERS[name]
    of = make()
    assert max_error(of, values.values()) < 1e-8
    assert of.check({"d": 6, **values}, rng=1).is_passed


@thorough_only
def test_two_students_of_two_teachers():
    """The saddle where both students are alike has the values of an independent computation."""
    first, second = (Direction(f"u_{i}", unit=True) for i in range(2))
    students = [Direction(f"w_{i}") for i in range(2)]
    of = model(
        TokenSequence({Token(target=lambda X: relu(X @ first) + relu(X @ second)): 1}),
        Predictor(lambda X: sum(relu(X @ x) for x in students)),
        inner_products={first @ second: 0},
    )
    found = of.landscape({"d": 6}, rng=0)
    assert found[0].risk == pytest.approx(0, abs=1e-12)
    assert (found[1].index, found[1].risk) == (1, pytest.approx(0.147226, abs=1e-6))
    assert found[1].state[:3] == pytest.approx([0.717756, 0.382977, 0.524579], abs=1e-6)
    # The equations of motion have their means by another way.
    state = np.array([0.8, 0.1, 0.3, 0.2, 0.9, -0.1, 0.4])
    slopes = dict(zip(of.order_parameters, of.compile("numpy", "gradient")(state), strict=True))
    at = dict(zip(of.order_parameters, state, strict=True))
    a, c, ap, aq, b, bp, bq = of.order_parameters
    rates = of.equations("gradient-flow", rate=1).compile("numpy")(state)
    rate_of_c = sum(slopes[p] * at[q] for p, q in ((ap, bp), (aq, bq), (bp, ap), (bq, aq)))
    rate_of_c += 2 * (slopes[a] + slopes[b]) * at[c] + slopes[c] * (at[a] + at[b])
    assert rates[1] == pytest.approx(-rate_of_c, abs=1e-12)


# -- ends ------------------------------------------------------------------------------------------


def hinge(z):
    return Max(0, 1 - z)


def hinge_risk(q, r):
    """The mean of (max(0, 1 - W) - sign U)^2, an integral over W and the law of U given W."""

    def inner(z):
        value = max(0, 1 - mpmath.sqrt(q) * z)
        left = q - r * r
        sure = mpmath.sign(r * z) if left <= 0 else mpmath.erf(r * z / mpmath.sqrt(2 * left))
        return (value**2 - 2 * value * sure + 1) * mpmath.npdf(z)

    ends = sorted({-mpmath.inf, mpmath.mpf(0), 1 / mpmath.sqrt(q), mpmath.inf})
    return mpmath.quad(inner, ends)


@thorough_cases("numpy")
@pytest.mark.parametrize("backend", BACKENDS if THOROUGH else ["numpy"])
def test_a_hinge_with_the_label_of_a_sign(backend):
    of = stated(hinge, sign)
    found = of.compile(backend, "risk", "gradient")
    for q, r in ((0.7, 0.3), (1.0, 1.0), (4.0, 2.0), (4.0, -2.0), (1.2, -0.9))[
        : 5 if THOROUGH else 2
    ]:
        # Where a density is 0, what multiplies it may be infinite.
        with np.errstate(invalid="ignore"):
            value, *slopes = (float(x) for x in found([q, r]))
        assert value == pytest.approx(float(hinge_risk(q, r)), abs=1e-10)
        if q > r * r:
            right = [mpmath.diff(hinge_risk, (q, r), n) for n in ((1, 0), (0, 1))]
            assert slopes == pytest.approx([float(x) for x in right], abs=1e-9)
        else:
            # The slope in R is -2 E hinge'(W) delta(U) 2, as W is 0 there.
            assert slopes[1] == pytest.approx(4 / math.sqrt(2 * math.pi), abs=1e-12)


def test_three_kinks_on_tokens_with_means_are_refused_in_words():
    s = Direction("s", unit=True)
    one = Token(mean=u, target=lambda X: hinge(X @ u) * hinge(X @ s))
    of = model(TokenSequence({one: 1}), Predictor(lambda X: hinge(X @ w)))
    with pytest.raises(NotClosedError, match="an integral of 3 dimensions"):
        assert of.risk
    assert not of.has_closed_form
