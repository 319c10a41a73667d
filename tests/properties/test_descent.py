r"""Proposition 8, with a step size that is known to be small enough.

On the manifold k and v move on great circles. With :math:`\kappa = \cos\varphi`,
:math:`\nu = \cos\psi` and :math:`F(\varphi, \psi) = R^<(\cos\varphi, \cos\psi)`, a step of
projected gradient descent turns k by the angle :math:`\arctan(\alpha F_\varphi)` against the
gradient, and v by :math:`\arctan(\alpha F_\psi)`: the tangent that is added to a unit vector is
orthogonal to it.
If M bounds the norm of the Hessian of F, Taylor's formula gives

.. math:: F(\text{next}) - F \le -\sum_i |F_i| \delta_i + \frac M2 \sum_i \delta_i^2,
          \qquad \delta_i = \arctan(\alpha |F_i|) \le \alpha |F_i|,

which is at most :math:`-(1 - \alpha M/2) \sum_i |F_i| \arctan(\alpha |F_i|)`. So the risk falls for
any :math:`\alpha < 2/M`, and because of :math:`\arctan x \ge x - x^2/2`, it falls by
:math:`\alpha (1 - C\alpha)` times the square of the gradient at least, with
:math:`C = (M + \max_i |F_i|)/2`: the form of the paper, with a constant.

The Hessian of F has the entries :math:`\sin^2\varphi\,R_{\kappa\kappa} - \cos\varphi\,R_\kappa`,
:math:`\sin\varphi \sin\psi\,R_{\kappa\nu}` and :math:`-\cos\psi\,R_\nu`; its norm is at most the
larger of its row sums. `bounds` has bounds of these derivatives on the whole square, from
:math:`|\operatorname{erf}(a/B) - \nu| \le 2`, :math:`|\operatorname{erf}'| \le 2/\sqrt\pi` and
:math:`|\operatorname{erf}''| \le 2\sqrt{2/(\pi e)}`.
"""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erf

from slrsym.papers.single_location import (
    OrderParameters,
    Task,
    excess_risk,
    gradient,
    hessian,
    simulate,
)
from slrsym.papers.single_location.testing.strategies import (
    inverse_temperatures,
    log_uniform,
    manifold_overlaps,
    tasks,
)

from ._examples import EPS, costly, examples


class Bounds(NamedTuple):
    """Of the derivatives of the risk on the square, of the Hessian's norm and of the slopes."""

    kappa: float
    nu: float
    kappa_kappa: float
    kappa_nu: float

    @property
    def norm(self):
        """M: the larger of two row sums of the Hessian in angles."""
        return max(self.kappa_kappa + self.kappa, self.nu) + self.kappa_nu

    @property
    def slope(self):
        return max(self.kappa, self.nu)


def bounds(lam, task):
    s = lam * task.gamma
    b = lam * math.sqrt(task.d / 2) / math.sqrt(1 + 2 * s * s)
    narrow = b / math.sqrt(1 + 4 * s * s)
    first, second = 2 / math.sqrt(math.pi), 2 * math.sqrt(2 / (math.pi * math.e))
    scale = 2 * task.gamma**2
    return Bounds(
        kappa=scale * b * first * 2,
        nu=scale * float(erf(b)),
        kappa_kappa=scale * b * (b * second * 2 + first * narrow * first),
        kappa_nu=scale * b * first,
    )


@given(tasks(), inverse_temperatures(), st.lists(manifold_overlaps(), min_size=1, max_size=20))
def test_the_bounds_hold_on_the_square(task, lam, points):
    bound, slack = bounds(lam, task), 1 + 1e-12
    slopes = np.abs(gradient(points, lam, task))
    bends = hessian(points, lam, task)
    assert (slopes[:, 0] <= bound.kappa * slack).all()
    assert (slopes[:, 1] <= bound.nu * slack).all()
    assert (np.abs(bends[:, 0, 0]) <= bound.kappa_kappa * slack).all()
    assert (np.abs(bends[:, 0, 1]) <= bound.kappa_nu * slack).all()
    assert (bends[:, 1, 1] == 0).all()
    # In angles, as the argument above has it.
    cosines, sines = (np.array(points)[:, :2], np.sqrt(1 - np.array(points)[:, :2] ** 2))
    signed = gradient(points, lam, task)[:, :2]
    angular = bends[:, :2, :2] * sines[:, :, None] * sines[:, None, :]
    angular[:, [0, 1], [0, 1]] -= cosines * signed
    norms = np.linalg.norm(angular, 2, axis=(1, 2))
    assert (norms <= bound.norm * slack).all()


def test_the_bounds_are_not_far_off():
    """Of the largest norm of the Hessian on a grid they are a small multiple."""
    angles = np.linspace(0, np.pi, 201)
    grid = np.stack(np.meshgrid(np.cos(angles), np.cos(angles)), axis=-1).reshape(-1, 2)
    points = np.pad(grid, ((0, 0), (0, 3)))
    for lam, task in (
        (0.1, Task(400, 10, 0.7)),
        (0.02, Task(50, 3, 1.5)),
        (1.0, Task(100, 1, 0.3)),
    ):
        sines = np.sqrt(1 - grid**2)
        angular = hessian(points, lam, task)[:, :2, :2] * sines[:, :, None] * sines[:, None, :]
        angular[:, [0, 1], [0, 1]] -= grid * gradient(points, lam, task)[:, :2]
        largest = np.linalg.norm(angular, 2, axis=(1, 2)).max()
        assert largest <= bounds(lam, task).norm <= 3.5 * largest


@costly()
@given(tasks(), inverse_temperatures(), manifold_overlaps(), st.floats(0.001, 0.999))
def test_the_risk_falls_below_the_step_size(task, lam, point, share):
    bound = bounds(lam, task)
    alpha = share * 2 / bound.norm
    runs = simulate(task, [point[:2]], lam, alpha, 20, backend="numpy", progress=False)
    states = np.stack([runs[name].values[0] for name in OrderParameters._fields], axis=-1)
    values = excess_risk(states, lam, task)
    room = np.sqrt(1 - np.minimum(1, states[:, :2] ** 2))
    slopes = np.abs(gradient(states, lam, task)[:, :2]) * room
    promised = (1 - alpha * bound.norm / 2) * np.sum(slopes * np.arctan(alpha * slopes), axis=1)
    # Rounding of the values, and of kappa and nu, which the derivatives magnify.
    slack = 32 * EPS * (values[0] + 2 * bound.kappa + 2 * bound.nu)
    assert (np.diff(values) <= -promised[:-1] + slack).all()
    # In the form of Proposition 8.
    constant = (bound.norm + bound.slope) / 2
    fall = alpha * (1 - constant * alpha) * np.sum(slopes**2, axis=1)
    assert (np.diff(values) <= -fall[:-1] + slack).all()


@examples(0.1)
@given(tasks(d=(10, 400), L=(1, 50), gamma=(0.3, 2.0)), log_uniform(0.2, 1.0), st.data())
def test_runs_end_at_a_fixed_point(task, score, data):
    """Propositions 8 and 11, and Theorem 5: steps shrink, and the oracle or its mirror is met."""
    # Of larger scores erf has saturated: the end is the same, but descent takes very long.
    lam = score / math.sqrt(task.d / 2)
    inside = st.floats(0.1, 0.95) | st.floats(-0.95, -0.1)
    start = [data.draw(inside), data.draw(inside)]
    alpha = 1 / bounds(lam, task).norm
    runs = simulate(task, [start], lam, alpha, 4000, 1, backend="numpy", progress=False)
    kappa, nu = runs.kappa.values[0], runs.nu.values[0]
    moves = np.hypot(np.diff(kappa), np.diff(nu))
    # The risk falls, at every one of thousands of steps.
    values = runs.excess_risk.values[0]
    assert (np.diff(values) <= 32 * EPS * values[0]).all()
    assert moves[-1] <= 1e-9 * moves.max()
    assert abs(kappa[-1]) == pytest.approx(1, abs=1e-9)
    assert nu[-1] == pytest.approx(kappa[-1], abs=1e-9)
    # By now all but flat: what the fall of the risk allows.
    assert np.sum(moves**2) <= 4 * alpha * (values[0] - values[-1]) * (1 + 1e-9) + 1e-12


def test_a_step_that_is_too_large_lets_the_risk_rise():
    """The bound is there for a reason: a few times as far there are states that go up."""
    task, lam = Task(400, 10, 0.7), 0.1
    alpha = 8 * 2 / bounds(lam, task).norm
    rng = np.random.default_rng(0)
    runs = simulate(
        task, rng.uniform(-1, 1, (200, 2)), lam, alpha, 50, backend="numpy",
        progress=False,
    )  # fmt: skip
    assert np.diff(runs.excess_risk.values, axis=1).max() > 0.01
