"""Gradient and Hessian: differences of the risk, and derivatives at many digits."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slrsym.papers.single_location import gradient, hessian, risk
from slrsym.papers.single_location.paper_risk import kernel
from slrsym.papers.single_location.testing.strategies import inverse_temperatures, overlaps, tasks
from slrsym.testing import UnitSpheres, check_gradient, check_hessian

from ._examples import examples

UPPER = np.triu_indices(5)

# Where the terms of third order are larger than rounding: no huge term beside them.
MODERATE = tasks(d=(2, 400), L=(1, 20), gamma=(0.3, 3.0))
WARM = inverse_temperatures(0.03, 2.0)


# Where the term of the lowest order is small those of the next are seen as well. If they have the
# other sign they bend the line down, in one of two opposite directions.


@examples(0.25)
@given(overlaps(), inverse_temperatures(), tasks(), st.integers(0, 2**32))
def test_the_gradient_fits_the_risk(state, lam, task, seed):
    direction = np.random.default_rng(seed).standard_normal(5)
    assert any(
        check_gradient(
            lambda x: risk(x, lam, task), lambda x: gradient(x, lam, task), state, sign * direction
        ).slope
        > 1.95
        for sign in (1, -1)
    )


@examples(0.25)
@given(overlaps(), WARM, MODERATE, st.integers(0, 2**32))
def test_the_hessian_fits_the_risk(state, lam, task, seed):
    direction = np.random.default_rng(seed).standard_normal(5)
    slopes = [
        check_hessian(
            lambda x: risk(x, lam, task),
            lambda x: gradient(x, lam, task),
            lambda x, u: hessian(x, lam, task) @ u,
            state,
            sign * direction,
        ).slope
        for sign in (1, -1)
    ]
    assert max(slopes) > 2.9


class OnSpheres:
    """The risk as a function of k and v, the rows of an array; k* and v* are the first two axes."""

    def __init__(self, lam, task):
        self.rest = lam, task

    def overlaps(self, x):
        k, v = x
        return np.array([k[0], v[1], v[0], k[1], k @ v])

    def cost(self, x):
        return risk(self.overlaps(x), *self.rest)

    def chain(self, slopes, x):
        """What moves the overlaps in the direction of their slopes."""
        kappa, nu, theta, eta, rho = slopes
        result = rho * x[::-1]
        result[0, :2] += kappa, eta
        result[1, :2] += theta, nu
        return result

    def gradient(self, x):
        return self.chain(gradient(self.overlaps(x), *self.rest), x)

    def hessian(self, x, u):
        (k, v), (a, b) = x, u
        moved = np.array([a[0], b[1], b[0], a[1], a @ v + k @ b])
        state = self.overlaps(x)
        bend = self.chain(hessian(state, *self.rest) @ moved, x)
        return bend + gradient(state, *self.rest)[4] * u[::-1]


@examples(0.25)
@given(st.integers(2, 8), WARM, MODERATE, st.integers(0, 2**32))
def test_derivatives_fit_on_the_product_of_spheres(dimension, lam, task, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2, dimension))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    on, direction = OnSpheres(lam, task), rng.standard_normal((2, dimension))
    spheres = UnitSpheres()
    assert any(
        check_gradient(on.cost, on.gradient, x, sign * direction, manifold=spheres).slope > 1.95
        for sign in (1, -1)
    )
    slopes = [
        check_hessian(on.cost, on.gradient, on.hessian, x, sign * direction, manifold=spheres).slope
        for sign in (1, -1)
    ]
    assert max(slopes) > 2.9


def differences_of(name, state, lam, task):
    """Differences of the next lower derivative, of which 25 digits and more are right."""
    function = kernel({"gradient": "excess_risk", "hessian": "gradient"}[name], "mpmath")
    rest = (lam, task.gamma, task.d, task.L, 0)
    # kappa has a scale of its own.
    scale = 1 + lam * np.sqrt(task.d / 2)
    rows = []
    with mpmath.workdps(90):
        for i in range(5):
            step = mpmath.mpf(10) ** -30 / (scale if i == 0 else 1)
            ends = []
            for sign in (1, -1):
                moved = [mpmath.mpf(x) for x in state]
                moved[i] += sign * step
                ends.append(function(moved, *rest, dps=90))
            rows.append([(a - b) / (2 * step) for a, b in zip(*ends, strict=True)])
        if name == "gradient":
            return [row[0] for row in rows]
        return [rows[i][j] for i, j in zip(*UPPER, strict=True)]


def magnified(function, exact, state, lam, task):
    """By how much the rounding of one input moves the entries, as a number to add to errors."""
    inputs = [*state, lam, task.gamma, task.d, task.L]
    with mpmath.workdps(40):
        moves = []
        for i, x in enumerate(inputs):
            moved = [mpmath.mpf(y) for y in inputs]
            moved[i] = x * (1 + mpmath.mpf(2) ** -50)
            values = function(moved[:5], *moved[5:], 0, dps=40)
            moves.append(max(abs(a - b) for a, b in zip(values, exact, strict=True)))
        return max(moves)


@pytest.mark.parametrize(("name", "float_function"), [("gradient", gradient), ("hessian", hessian)])
@examples(0.05)
@given(overlaps(), inverse_temperatures(), tasks())
def test_derivatives_are_those_of_the_risk_at_many_digits(name, float_function, state, lam, task):
    differences = differences_of(name, state, lam, task)
    found = float_function(state, lam, task)
    found = found if name == "gradient" else found[UPPER]
    with mpmath.workdps(40):
        exact = kernel(name, "mpmath")(state, lam, task.gamma, task.d, task.L, 0, dps=40)
        size = max(map(abs, exact))
        # As far as differences can tell.
        gap = max(abs(a - b) for a, b in zip(differences, exact, strict=True))
        assert gap <= size * 1e-25 + 1e-25
        allowed = size * 1e-13 + magnified(kernel(name, "mpmath"), exact, state, lam, task)
        gap = max(abs(mpmath.mpf(float(a)) - b) for a, b in zip(found, exact, strict=True))
        assert gap <= allowed + mpmath.mpf(10) ** -280
