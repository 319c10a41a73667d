"""Slopes as numbers: of right derivatives, of wrong ones, of retractions, of a user's own cost."""

import math

import numpy as np
import pytest

from slrsym.papers import single_location
from slrsym.papers.single_location.dynamics.engines import TaskEngine, vectors_of_start
from slrsym.testing import UnitSpheres, check_gradient, check_hessian, check_retraction
from tests._profile import THOROUGH, more
from tests.papers.single_location.dynamics._vectors import VectorEngine

TASK, LAM = single_location.Task(d=40, L=5, gamma=0.7), 0.3
STATE = np.array([0.3, 0.2, 0.1, 0.05, 0.4])
SPHERES = UnitSpheres()


def risk(state):
    return single_location.risk(state, LAM, TASK)


def gradient(state):
    return single_location.gradient(state, LAM, TASK)


def hessian(state, direction):
    return single_location.hessian(state, LAM, TASK) @ direction


# A cost of the user's own: of a matrix, and nothing to do with the paper.
WEIGHTS = np.random.default_rng(5).standard_normal((3, 4))


def own_cost(x):
    return float(np.sum(np.exp(WEIGHTS * x)))


def own_gradient(x):
    return WEIGHTS * np.exp(WEIGHTS * x)


def own_hessian(x, u):
    return WEIGHTS**2 * np.exp(WEIGHTS * x) * u


OWN_POINT = np.random.default_rng(6).standard_normal((3, 4))


@pytest.fixture
def unit_rows():
    return OWN_POINT / np.linalg.norm(OWN_POINT, axis=1, keepdims=True)


# -- gradients ---------------------------------------------------------------------------------


@more
@pytest.mark.parametrize("seed", range(5 if THOROUGH else 2))
def test_the_slope_of_a_gradient_is_two(seed):
    assert 1.99 <= check_gradient(risk, gradient, STATE, seed=seed).slope <= 2.01
    assert 1.99 <= check_gradient(own_cost, own_gradient, OWN_POINT, seed=seed).slope <= 2.01


@pytest.mark.parametrize("entry", range(5))
def test_the_slope_of_a_wrong_gradient_is_one(entry):
    def wrong(state):
        slopes = gradient(state)
        slopes[entry] *= 1.01
        return slopes

    check = check_gradient(risk, wrong, STATE)
    assert check.slope == pytest.approx(1, abs=0.1)


def test_a_gradient_that_is_hardly_wrong_is_noticed():
    check = check_gradient(own_cost, lambda x: (1 + 1e-6) * own_gradient(x), OWN_POINT)
    assert check.slope < 1.5


def test_the_remainders_are_those_of_the_formula():
    check = check_gradient(risk, gradient, STATE, np.eye(5)[0])
    t = check.steps[-1]
    exact = risk(STATE + t * np.eye(5)[0]) - risk(STATE) - t * gradient(STATE)[0]
    assert check.remainders[-1] == pytest.approx(abs(exact), rel=1e-12)
    assert check.order == 2
    assert check.used.sum() == 11


# -- Hessians ----------------------------------------------------------------------------------


@more
@pytest.mark.parametrize("seed", range(5 if THOROUGH else 2))
def test_the_slope_of_a_hessian_is_three(seed):
    assert 2.95 <= check_hessian(risk, gradient, hessian, STATE, seed=seed).slope <= 3.05
    own = check_hessian(own_cost, own_gradient, own_hessian, OWN_POINT, seed=seed)
    assert 2.95 <= own.slope <= 3.05


def test_the_slope_of_a_wrong_hessian_is_two():
    check = check_hessian(risk, gradient, lambda x, u: 1.01 * hessian(x, u), STATE)
    assert check.slope == pytest.approx(2, abs=0.05)


def test_the_slope_of_a_hessian_with_a_wrong_gradient_is_one():
    check = check_hessian(risk, lambda x: 1.01 * gradient(x), hessian, STATE)
    assert check.slope == pytest.approx(1, abs=0.05)


def test_a_cost_of_low_degree_leaves_nothing_but_rounding():
    move = np.eye(5)[1]
    # The risk is linear in nu, and quadratic in theta.
    assert check_gradient(risk, gradient, STATE, move).slope == math.inf
    assert check_hessian(risk, gradient, hessian, STATE, np.eye(5)[2]).slope == math.inf
    wrong = check_gradient(risk, lambda x: gradient(x) + move, STATE, move)
    assert wrong.slope == pytest.approx(1, abs=0.01)


# -- on manifolds ------------------------------------------------------------------------------


def tangential(x, vector):
    return vector - np.sum(x * vector, axis=1, keepdims=True) * x


def test_gradients_on_spheres(unit_rows):
    for own in (own_gradient, lambda x: tangential(x, own_gradient(x))):
        check = check_gradient(own_cost, own, unit_rows, manifold=SPHERES)
        assert 1.95 <= check.slope <= 2.05


def test_hessians_on_spheres(unit_rows):
    def riemannian(x, u):
        along = np.sum(x * own_gradient(x), axis=1, keepdims=True)
        return tangential(x, own_hessian(x, u)) - along * u

    both = (own_gradient, own_hessian), (lambda x: tangential(x, own_gradient(x)), riemannian)
    for slope, bend in both:
        check = check_hessian(own_cost, slope, bend, unit_rows, manifold=SPHERES)
        assert 2.95 <= check.slope <= 3.05
    # One of the surrounding space and one of the sphere do not go together.
    mixed = check_hessian(own_cost, own_gradient, riemannian, unit_rows, manifold=SPHERES)
    assert mixed.slope == pytest.approx(2, abs=0.05)


def test_the_slope_along_the_exponential_map_is_three_as_well(unit_rows):
    class Geodesics(UnitSpheres):
        def retract(self, point, step):
            return self.exponential(point, step)

    check = check_hessian(own_cost, own_gradient, own_hessian, unit_rows, manifold=Geodesics())
    assert 2.95 <= check.slope <= 3.05


def test_a_direction_is_made_tangential(unit_rows):
    direction = np.random.default_rng(3).standard_normal((3, 4))
    checks = [
        check_gradient(own_cost, own_gradient, unit_rows, u, manifold=SPHERES)
        for u in (direction, direction + 5 * unit_rows)
    ]
    assert checks[0].slope == pytest.approx(2, abs=0.05)
    assert checks[1].remainders == pytest.approx(checks[0].remainders, rel=1e-6, abs=1e-13)


# -- retractions -------------------------------------------------------------------------------


def test_retractions_of_the_sphere(unit_rows):
    u = tangential(unit_rows, OWN_POINT + 1)
    assert 1.95 <= check_retraction(SPHERES.retract, unit_rows, u).slope <= 2.05
    assert 1.95 <= check_retraction(SPHERES.exponential, unit_rows, u).slope <= 2.05
    second = check_retraction(SPHERES.retract, unit_rows, u, SPHERES.exponential)
    assert 2.95 <= second.slope <= 3.05


def test_the_exponential_map_goes_along_great_circles(unit_rows):
    u = tangential(unit_rows, OWN_POINT + 1)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    # By an angle each: none, a quarter, and a half of the way round.
    angles = np.array([[0.0], [np.pi / 2], [np.pi]])
    end = SPHERES.exponential(unit_rows, angles * u)
    assert end == pytest.approx(np.stack([unit_rows[0], u[1], -unit_rows[2]]), abs=1e-15)
    assert SPHERES.exponential(unit_rows, 0.3 * u) == pytest.approx(
        np.cos(0.3) * unit_rows + np.sin(0.3) * u
    )


def test_what_is_no_retraction(unit_rows):
    u = tangential(unit_rows, OWN_POINT + 1)
    slow = check_retraction(lambda x, step: SPHERES.retract(x, 0.99 * step), unit_rows, u)
    assert slow.slope == pytest.approx(1, abs=0.05)
    beside = check_retraction(lambda x, step: SPHERES.retract(x + 1e-3, step), unit_rows, u)
    assert beside.slope < 0.5


def test_a_step_of_gradient_descent_is_a_retraction_of_second_order():
    """As a function of the step size, from the tangential part of the negative gradient."""
    start = VectorEngine(np.array([STATE]), TASK, 1.0)
    point = np.stack([start.k[0], start.v[0]])
    stars = start.k_star[0], start.v_star[0]
    kappa, nu, theta, eta, rho = gradient(STATE)
    slopes = (
        np.stack([kappa * stars[0] + eta * stars[1], nu * stars[1] + theta * stars[0]])
        + rho * point[::-1]
    )
    velocity = -tangential(point, slopes)

    def moved(_, step):
        # The step is a multiple of the velocity.
        engine = VectorEngine(
            np.array([STATE]), TASK, float(np.linalg.norm(step) / np.linalg.norm(velocity))
        )
        engine.advance(np.array([LAM]), 1)
        return np.stack([engine.k[0], engine.v[0]])

    assert 1.95 <= check_retraction(moved, point, velocity).slope <= 2.05
    second = check_retraction(moved, point, velocity, SPHERES.exponential)
    assert 2.95 <= second.slope <= 3.05


def test_the_risk_falls_along_a_step_as_the_gradient_says():
    """The derivative of the risk in the step size is less the square of the tangential gradient."""
    kappa, nu, theta, eta, rho = STATE
    gram = np.array(
        [[1, rho, kappa, eta], [rho, 1, theta, nu], [kappa, theta, 1, 0], [eta, nu, 0, 1]]
    )
    r_kappa, r_nu, r_theta, r_eta, r_rho = gradient(STATE)
    # Of k and v, in terms of k, v, k*, v*.
    slopes = np.array([[0, r_rho, r_kappa, r_eta], [r_rho, 0, r_theta, r_nu]])
    squares = [g @ gram @ g - (g @ gram[i]) ** 2 for i, g in enumerate(slopes)]

    def after(alpha):
        engine = TaskEngine(vectors_of_start(STATE[None], TASK.d), TASK, float(alpha[0]))
        engine.advance(np.array([LAM]), 1)
        return risk(engine.overlaps[0])

    check = check_gradient(after, lambda alpha: [-sum(squares)], [0.0], [1.0])
    assert 1.95 <= check.slope <= 2.05


# -- the plot ----------------------------------------------------------------------------------


def test_the_plot():
    check = check_gradient(risk, gradient, STATE)
    axes = check.plot()
    assert axes.get_xscale() == axes.get_yscale() == "log"
    dots, line, dashes = axes.get_lines()
    assert len(dots.get_xdata()) == (check.remainders > 0).sum()
    assert np.array_equal(line.get_xdata(), check.steps[check.used])
    x, y = dashes.get_data()
    assert np.polyfit(np.log(x), np.log(y), 1)[0] == pytest.approx(2)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["slope 2.00", "slope 2"]


def test_the_plot_is_drawn_where_one_says(tmp_path):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    check = check_gradient(risk, gradient, STATE, np.eye(5)[1])
    assert check.plot(axes) is axes
    assert axes.get_title() == "nothing but rounding"
    figure.savefig(tmp_path / "check.png")


# -- arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: check_gradient(risk, lambda x: x[:2], STATE), r"shape \(5,\); got \(2,\)"),
        (lambda: check_gradient(lambda x: x, gradient, STATE), r"cost must have shape \(\)"),
        (lambda: check_gradient(lambda x: np.nan, gradient, STATE), "cost must be finite; got nan"),
        (lambda: check_gradient(risk, gradient, [np.inf] * 5), "point must be finite"),
        (lambda: check_gradient(risk, gradient, STATE, [1, 0]), r"direction.*got \(2,\)"),
        (lambda: check_gradient(risk, gradient, STATE, np.zeros(5)), "tangential part"),
        (
            lambda: check_gradient(risk, gradient, [1.0, 0, 0, 0, 0], [2.0, 0, 0, 0, 0],
                                   manifold=SPHERES),
            "direction must have a tangential part",
        ),
        (lambda: check_hessian(risk, gradient, lambda x, u: 1.0, STATE), "hessian at the point"),
        (lambda: check_gradient(risk, gradient, STATE, steps=[0.1, 0.2]), "20 positive numbers"),
        (
            lambda: check_gradient(risk, gradient, STATE, steps=np.linspace(1, 0.1, 30)),
            "steps must increase",
        ),
        (lambda: check_retraction(lambda x, u: 1.0, STATE, STATE), "retraction must have shape"),
    ],
)  # fmt: skip
def test_bad_arguments(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_no_such_name():
    import slrsym.testing

    with pytest.raises(AttributeError, match="no attribute 'check_everything'"):
        slrsym.testing.check_everything  # noqa: B018
    assert "check_hessian" in dir(slrsym.testing)


# -- costs that are rounded, or noisy ----------------------------------------------------------


@pytest.mark.parametrize("rounded", [np.float32, lambda x: float(np.float32(x))])
@pytest.mark.parametrize(("factor", "slope"), [(1.0, 2.0), (1.02, 1.0)])
def test_single_precision_is_recognised(rounded, factor, slope):
    """The cost stands still at the shortest steps, which says nothing of its derivative."""
    cost = lambda x: rounded(np.sum(np.sin(x.astype(np.float32))))  # noqa: E731
    check = check_gradient(cost, lambda x: factor * np.cos(x), [0.3, -0.2, 0.5])
    assert check.slope == pytest.approx(slope, abs=0.1)


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_noise_that_would_hide_a_wrong_derivative_is_no_success(factor):
    rng = np.random.default_rng(0)
    check = check_gradient(
        lambda x: np.sum(np.sin(x)) + 0.01 * rng.standard_normal(),
        lambda x: factor * np.cos(x),
        [0.3, -0.2, 0.5],
    )
    assert np.isnan(check.slope)
    assert check.plot().get_title() == "too noisy to tell"


def test_nothing_is_learnt_of_a_retraction_along_no_direction():
    with pytest.raises(ValueError, match=r"direction must not be zero; got \[0, 0\]"):
        check_retraction(UnitSpheres().retract, [1, 0], [0, 0])
