"""Units that jump: flows on their risk have the jump, and online SGD is refused."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from sympy import (
    Abs,
    And,
    DiracDelta,
    Heaviside,
    Max,
    Min,
    Or,
    Piecewise,
    Rational,
    Symbol,
    erf,
    exp,
    floor,
    lambdify,
    sign,
    sqrt,
)  # fmt: skip

from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model
from slrsym.models.means.jumps import jumps_of
from tests._profile import thorough, thorough_cases

w, v, u = Direction("w"), Direction("v"), Direction("u", unit=True)
R, Q = Symbol("R", real=True), Symbol("Q", positive=True)
z, a, b = Symbol("z", real=True), Symbol("a", real=True), Symbol("b", positive=True)

JUMPING = {
    "sign": sign,
    "step": Heaviside,
    "step with a value": lambda x: Heaviside(x, 1),
    "shifted": lambda x: Heaviside(2 * x - 1),
    "sum": lambda x: x + sign(x) / 2,
    "piecewise": lambda x: Piecewise((1, x > 0), (0, True)),
    "strict or not": lambda x: Piecewise((x, x >= 1), (-1, x < -1), (0, True)),
    "band": lambda x: Piecewise((1, And(x > -1, x < 2)), (0, True)),
    "outside": lambda x: Piecewise((x, Or(x < -1, x > 1)), (0, True)),
    "square": lambda x: Piecewise((1, x**2 < 2), (0, True)),
    "step of a ramp": lambda x: Heaviside(Max(0, x - 1)),
    "condition on a ramp": lambda x: Piecewise((1, Max(0, x) > 0), (0, True)),
    "band of a distance": lambda x: x * Heaviside(1 - Abs(x)),
}
INSIDE = {
    "erf": lambda x: erf(x + Piecewise((1, x > 0), (0, True))),
    "exp": lambda x: exp(Heaviside(x)),
    "power": lambda x: (x + Heaviside(x)) ** 3,
}
CONTINUOUS = {
    "relu": lambda x: Max(0, x),
    "piecewise relu": lambda x: Piecewise((x, x > 0), (0, True)),
    "by a step": lambda x: x * Heaviside(x),
    "by a sign": lambda x: x * sign(x),
    "clipped": lambda x: Piecewise((-1, x < -1), (1, x > 1), (x, True)),
    "min and max": lambda x: Max(-1, Min(1, x)),
    "abs": Abs,
    "condition that holds": lambda x: Piecewise((x, Max(0, x) >= 0), (0, True)),
}


def stated(unit):
    data = TokenSequence({Token(target=lambda X: X @ u): 1})
    return model(data, Predictor(lambda X: unit(X @ w)), names={w @ u: R, w @ w: Q})


def assert_the_flow_descends(one, laws):
    """With slopes r_Q, r_R of the risk: Q' = -(4 Q r_Q + 2 R r_R), R' = -(2 R r_Q + r_R)."""
    flow = one.equations("gradient-flow", rate=1)
    gradient = one.compile("numpy", "gradient")
    for q, r in laws:
        found = gradient([{Q: q, R: r}[p] for p in one.order_parameters])
        slopes = dict(zip(one.order_parameters, found, strict=True))
        r_q, r_r = slopes.get(Q, 0.0), slopes.get(R, 0.0)
        exact = {Q: -4 * q * r_q - 2 * r * r_r, R: -2 * r * r_q - r_r}
        found = flow.rate_of_change_at({Q: q, R: r})
        np.testing.assert_allclose(found, [exact[p] for p in flow.state], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("unit", (JUMPING | CONTINUOUS).values(), ids=JUMPING | CONTINUOUS)
def test_the_flow_follows_the_gradient_of_the_risk(unit):
    assert_the_flow_descends(stated(unit), ((0.7, 0.3), (1.9, -1.1)))


@pytest.mark.parametrize("unit", (JUMPING | INSIDE).values(), ids=JUMPING | INSIDE)
def test_online_sgd_is_refused(unit):
    message = (
        "the predictor jumps at <X, w> = .*, and the gradient of a single sample does not show it: "
        "that of a step or a sign vanishes almost everywhere, so online SGD cannot follow it. Take "
        "a unit without jumps, such as erf, tanh or ReLU; gradient-flow descends on the mean"
    )
    with pytest.raises(ValueError, match=message):
        stated(unit).equations("online-sgd")
    with pytest.raises(ValueError, match="the predictor jumps"):
        stated(unit).solve_online_descent({}, rate=0.1, time=1, start=np.eye(2))


@pytest.mark.parametrize("unit", CONTINUOUS.values(), ids=CONTINUOUS)
def test_online_sgd_of_a_kink(unit):
    """The noise of Q is 4 E (u - f(w))^2 f'(w)^2, here by quadrature between kinks."""
    noise = stated(unit).equations("online-sgd", rate=1).noise
    f = unit(z)
    derivative = f.diff(z)
    number = lambdify(z, [f, derivative.replace(DiracDelta, lambda *_: 0)], "numpy")
    q, r = 0.7, 0.3

    def integrand(x):
        # Given w = x, u has the mean r x/q and the variance 1 - r^2/q.
        value, slope = number(x)
        square = (r * x / q - value) ** 2 + 1 - r**2 / q
        return 4 * square * slope**2 * np.exp(-(x**2) / (2 * q)) / np.sqrt(2 * np.pi * q)

    pieces = itertools.pairwise((-9, -1, 0, 1, 9))
    exact = sum(quad(integrand, *piece, epsabs=1e-13)[0] for piece in pieces)
    found = [float(e.subs({Q: q, R: r})) for e in noise]
    assert max(found) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("unit", INSIDE.values(), ids=INSIDE)
def test_a_jump_inside_of_a_function_is_refused(unit):
    with pytest.raises(ValueError, match=r"a function jumps inside of .*; write it as a sum"):
        stated(unit).equations("gradient-flow")


def test_a_jump_of_the_target_alone_is_none():
    data = TokenSequence({Token(target=lambda X: sign(X @ u)): 1})
    learner = model(data, Predictor(lambda X: X @ w), names={w @ u: R, w @ w: Q})
    assert learner.equations("online-sgd", rate=1).noise.free_symbols == {Q, R}


def test_a_trained_threshold():
    b = Symbol("b", real=True)
    data = TokenSequence({Token(target=lambda X: X @ u): 1})
    for step in (lambda x: Heaviside(x), lambda x: Piecewise((1, x > 0), (0, True))):
        learner = model(data, Predictor(lambda X, f=step: f(X @ w - b)), names={w @ u: R, w @ w: Q})
        flow = learner.equations("gradient-flow", rate=1, train=b)
        # The risk is 1 - 2 E u 1{w > b} + P(w > b), p the density of w at b.
        q, r, at = 0.7, 0.3, 0.4
        density = np.exp(-(at**2) / (2 * q)) / np.sqrt(2 * np.pi * q)
        found = flow.rate_of_change_at({Q: q, R: r, b: at})[flow.state.index(b)]
        assert found == pytest.approx(-(2 * r * at / q - 1) * density, rel=1e-9)
        with pytest.raises(ValueError, match="the predictor jumps at"):
            learner.equations("online-sgd", train=b)


@pytest.mark.parametrize(
    ("function", "jumps"),
    [
        (sign(z), [(0, 2)]),
        (z * sign(z), []),
        (sign(z) + Heaviside(3 * z - 1), [(0, 2), (Rational(1, 3), 1)]),
        (sign(z) - 2 * Heaviside(z), []),
        (Piecewise((z, z <= 2), (2, True)), []),
        (Piecewise((1, Abs(z) < 1), (0, True)), [(-1, 1), (1, -1)]),
        (Heaviside(a - z), [(a, -1)]),
        (exp(z) * Heaviside(z - a), [(a, exp(a))]),
        (Max(0, z), []),
        (sign(Max(0, z)), [(0, 1)]),
        (a * Heaviside(Max(0, z)), [(0, a / 2)]),
        (Heaviside(Abs(z) - b), [(-b, -1), (b, 1)]),
        (sign(Min(1, Max(-1, z)) + Rational(1, 2)), [(-Rational(1, 2), 2)]),
        (sign(z * sign(z) - 2), [(-2, -2), (2, 2)]),
        (Piecewise((2, Max(0, z) >= 0), (0, True)), []),
    ],
)
def test_where_functions_jump(function, jumps):
    assert list(jumps_of(function, z)) == jumps


@thorough_cases("<lambda>1")
@pytest.mark.parametrize(
    "unit",
    [lambda x: Max(0, x), lambda x: Max(x, -2 * x) - 1, lambda x: Max(1, x) - 1, lambda x: x],
)
def test_errors_in_sign_of_any_unit_and_a_label_with_noise(unit):
    """The flow is minus the gradient of the risk, whether the sign jumps by 2, by 1 or not."""
    label = Token(target=lambda X: sign(X @ u + X @ Noise("xi") / 2))
    one = model(
        TokenSequence({label: 1}), Predictor(lambda X: unit(X @ w)), loss="zero-one",
        names={w @ u: R, w @ w: Q},
    )  # fmt: skip
    assert_the_flow_descends(one, ((0.7, 0.3), (1.9, -1.1)))
    assert one.check({"d": 4}, samples=20_000, rng=0).is_passed


@thorough_cases("t0-<lambda>")
@pytest.mark.parametrize("unit", [sign, Heaviside, lambda x: x * Heaviside(x - 1)])
@pytest.mark.parametrize("t", [Rational(1, 4), thorough(0)])
def test_units_that_jump_and_a_label_with_noise(unit, t):
    """The delta function at the jump is differentiated with the label's noise in sight."""
    label = Token(target=lambda X: sign(X @ u + sqrt(t) * (X @ Noise("xi"))))
    one = model(TokenSequence({label: 1}), Predictor(lambda X: unit(X @ w)),
                names={w @ u: R, w @ w: Q})  # fmt: skip
    assert_the_flow_descends(one, ((0.7, 0.3), (1.9, -1.1), (0.5, 0.0)))


def test_a_step_of_what_touches_zero_at_a_symbol_is_refused():
    with pytest.raises(ValueError, match=r"it is not known where .* changes its sign"):
        jumps_of(sign(Max(a, z) - a), z)


def test_a_jump_of_unknown_direction_is_refused():
    c = Symbol("c", real=True)
    with pytest.raises(ValueError, match=r"in which direction c\*z changes its sign; declare"):
        jumps_of(Heaviside(c * z), z)


def test_jumps_that_round_are_refused():
    with pytest.raises(ValueError, match="share must be smooth, but for kinks and jumps by"):
        stated(floor)


def test_sampled_tokens_compare_the_risk_of_a_jump():
    found = stated(JUMPING["piecewise"]).check({"d": 4}, samples=20_000, rng=0)
    assert list(found.z_scores) == ["risk"]
    assert found.is_passed
