"""Propositions 9 and 10: the fixed points on the manifold, and of which kind they are."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erf

from slrsym.papers.single_location import OrderParameters, excess_risk, gradient, hessian, simulate
from slrsym.papers.single_location.paper_risk import kernel
from slrsym.papers.single_location.testing.strategies import (
    inverse_temperatures,
    log_uniform,
    manifold_overlaps,
    schedules,
    step_sizes,
    tasks,
)

from ._examples import EPS, costly, examples

FIXED = [(0, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)]


def scores(lam, task):
    """What multiplies kappa in the arguments of erf, a = b kappa, and the narrower a / B."""
    s = lam * task.gamma
    b = lam * math.sqrt(task.d / 2) / math.sqrt(1 + 2 * s * s)
    return b, b / math.sqrt(1 + 4 * s * s)


def on_manifold(kappa, nu):
    return OrderParameters(kappa, nu, 0.0, 0.0, 0.0)


@costly()
@given(tasks(d=(4, 10**7)), schedules(), step_sizes())
def test_the_five_points_are_fixed(task, schedule, alpha):
    states = np.array(FIXED, dtype=float)
    table, steps = [*schedule, schedule[-1]], len(schedule)
    runs = simulate(task, states, table, alpha, steps, backend="numpy", progress=False)
    ends = np.stack([runs[name].values for name in OrderParameters._fields], axis=-1)
    # Without any rounding: at these points a factor of each tangent is zero.
    assert (ends[..., :2] == states[:, None]).all()
    assert (ends[..., 2:] == 0).all()


@given(tasks(), inverse_temperatures(), manifold_overlaps())
def test_off_the_fixed_points_the_signs_are_known(task, lam, point):
    kappa, nu = point[:2]
    b, narrow = scores(lam, task)
    slopes = gradient(point, lam, task)
    # The risk falls as nu follows the sign of kappa, unless the product with erf underflows,
    if kappa == 0 or abs(narrow * kappa) > 1e-300:
        assert np.sign(slopes[1]) == -np.sign(kappa)
    # and as erf(a / B) approaches nu, wherever the difference is more than rounding.
    gap = erf(narrow * kappa) - nu
    scale = 2 * task.gamma**2 * b * 2 / math.sqrt(math.pi) * math.exp(-min((b * kappa) ** 2, 700))
    if abs(gap) > 1e-9 and scale > 1e-280:
        assert np.sign(slopes[0]) == np.sign(gap)
        # The exponent has lost as many digits as it is large.
        allowed = 1e-13 * (1 + (b * kappa) ** 2) / abs(gap)
        assert abs(slopes[0] / (scale * gap) - 1) < allowed


@cache
def ball_kernels():
    return kernel("gradient", "ball"), kernel("hessian", "ball")


class Equations:
    """What has to vanish: R_kappa, R_nu or both, in the variables that are left free.

    By (14) that is R_kappa or 1 - kappa^2, and R_nu or 1 - nu^2. So kappa and nu are ends of their
    interval, and the other derivative vanishes, or both derivatives do.
    """

    def __init__(self, parameters, digits, kappa=None, nu=None):
        self.parameters, self.digits = parameters, digits
        self.fixed = (kappa, nu)
        self.free = [i for i, x in enumerate(self.fixed) if x is None]

    def _at(self, box):
        sides = iter(box)
        point = [next(sides) if x is None else (x, x) for x in self.fixed]
        # A midpoint and a radius in floats would not hold all of a narrow interval.
        return [*(arb(low).union(arb(high)) for low, high in point), 0, 0, 0]

    def values(self, box):
        slopes = ball_kernels()[0](self._at(box), *self.parameters, dps=self.digits)
        return [slopes[i] for i in self.free]

    def determinant(self, box):
        """Of the Jacobian; the Hessian is there row by row, kappa kappa, kappa nu, ..., nu nu."""
        upper = ball_kernels()[1](self._at(box), *self.parameters, dps=self.digits)
        bends = {(0, 0): upper[0], (0, 1): upper[1], (1, 1): upper[5]}
        if len(self.free) == 1:
            return bends[self.free[0], self.free[0]]
        return bends[0, 0] * bends[1, 1] - bends[0, 1] ** 2

    def zeros(self, known=(), most=5000):
        """Those of the known zeros that are the only ones in a box; there are none elsewhere.

        A box is left out where a component is certainly not zero. Where every matrix in the
        enclosure of the Jacobian is regular the map is injective: there is one zero at most.
        """
        found = set()
        # Not through the middle, so that a zero there is inside of a box.
        edges = list(itertools.pairwise((-1.0, -0.375, 0.4375, 1.0)))
        boxes = list(itertools.product(edges, repeat=len(self.free)))
        for _ in range(most):
            if not boxes:
                return found
            box = boxes.pop()
            if any(not value.contains(0) for value in self.values(box)):
                continue
            inside = [x for x in known if all(a < c < b for c, (a, b) in zip(x, box, strict=True))]
            if inside and not self.determinant(box).contains(0):
                found.update(inside)
                continue
            wide = max(range(len(box)), key=lambda i: box[i][1] - box[i][0])
            low, high = box[wide]
            assert high - low > 1e-9, f"{box} may hold another zero"
            cut = low + 0.48 * (high - low)
            boxes += [(*box[:wide], x, *box[wide + 1 :]) for x in ((low, cut), (cut, high))]
        raise AssertionError(f"{len(boxes)} boxes are left undecided")


@examples(0.1)
@given(log_uniform(0.05, 12.0), log_uniform(0.01, 3.0), log_uniform(0.05, 5.0))
def test_a_search_of_the_whole_square_finds_no_others(b, s, gamma):
    # What the equations depend on: how steep erf is in kappa, and how spread scores are.
    lam = s / gamma
    parameters = (lam, gamma, 2 * (b / lam) ** 2 * (1 + 2 * s * s), 1, 0)
    # Next to the corners erf is as close to 1 as exp(-b^2).
    digits = 30 + int(b * b)
    assert Equations(parameters, digits).zeros({(0, 0)}) == {(0, 0)}
    for end in (-1, 1):
        assert not Equations(parameters, digits, kappa=end).zeros()
        assert not Equations(parameters, digits, nu=end).zeros()


@given(tasks(), inverse_temperatures(), st.lists(manifold_overlaps(), min_size=1, max_size=20))
def test_the_aligned_corners_are_minima_and_the_others_maxima(task, lam, points):
    (low, also_low), (high, also_high) = (
        excess_risk([on_manifold(*x) for x in pair], lam, task) for pair in (FIXED[1:3], FIXED[3:])
    )
    assert low == also_low
    assert high == also_high
    between = excess_risk(points, lam, task)
    slack = 16 * EPS * high
    assert (between >= low - slack).all()
    assert (between <= high + slack).all()


@examples(0.5)
@given(tasks(d=(2, 1000)), inverse_temperatures(1e-3, 0.7))
def test_the_corners_are_strict(task, lam):
    """On the circles of angles a corner's Hessian is diagonal: less kappa R_kappa, nu R_nu."""
    exponent = scores(lam, task)[0] ** 2
    # In balls, of so many digits that what is left of the exponentials is seen.
    digits = 30 + int(exponent)
    slope = kernel("gradient", "ball")
    with ctx.workdps(digits):
        for kappa, nu in FIXED[1:]:
            parameters = (lam, task.gamma, task.d, task.L, 0)
            r_kappa, r_nu = slope([kappa, nu, 0, 0, 0], *parameters, dps=digits)[:2]
            sign = 1 if kappa == nu else -1
            assert -sign * kappa * r_kappa > 0
            assert -sign * nu * r_nu > 0


@given(tasks(), inverse_temperatures())
def test_the_centre_is_a_saddle(task, lam):
    b, narrow = scores(lam, task)
    found = hessian(on_manifold(0, 0), lam, task)[:2, :2]
    mixed = -4 * task.gamma**2 * b / math.sqrt(math.pi)
    # Proposition 10.
    assert found == pytest.approx(
        np.array([[8 * task.gamma**2 * b * narrow / math.pi, mixed], [mixed, 0]]), rel=1e-13
    )
    assert np.linalg.det(found) < 0
    low, high = np.linalg.eigvalsh(found)
    assert low < 0 < high
