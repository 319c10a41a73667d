"""Orthant probabilities of four variables, against integrals by Owen's T and arcs of circles."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtr, owens_t
from sympy import Rational, lambdify, symbols

from slrsym.kernels.compile import compile_expressions
from slrsym.kernels.orthant_arrays import PAIRS, orthant_functions
from slrsym.kernels.orthants import OrthantMoment, OrthantProbability
from tests._profile import NIGHTLY, THOROUGH, more, thorough_only
from tests.kernels._cases import BACKENDS

NUMPY = orthant_functions(np)
P, M = NUMPY["orthant_probability"], NUMPY["orthant_moment"]
NAMES = symbols("r_1:7", real=True)


def correlations(vectors):
    rows = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    gram = rows @ np.swapaxes(rows, -1, -2)
    return [gram[..., i, j] for i, j in PAIRS]


def both_below(h, k, r):
    """The bivariate normal distribution function, by Owen (1956)."""
    root = np.sqrt((1 - r) * (1 + r))
    with np.errstate(all="ignore"):
        parts = owens_t(h, (k / h - r) / root) + owens_t(k, (h / k - r) / root)
    opposite = (h * k < 0) | ((h * k == 0) & (h + k < 0))
    return (ndtr(h) + ndtr(k)) / 2 - parts - opposite / 2


def right_values(r):
    """P and M by a quadrature over c and d, given which a and b are a quadrant."""
    R = np.eye(4)
    for (i, j), x in zip(PAIRS, r, strict=True):
        R[i, j] = R[j, i] = x
    node, weight = np.polynomial.legendre.leggauss(40)
    z = np.concatenate([(node + 1) / 2 * 1.5 + 1.5 * n for n in range(6)])
    weight = np.tile(weight * 0.75, 6)
    c, d = np.meshgrid(z, z)
    inner = R[2:, 2:]
    slopes = R[:2, 2:] @ np.linalg.inv(inner)
    left = R[:2, :2] - slopes @ R[2:, :2]
    deviation = np.sqrt(np.diag(left))
    h, k = ((slopes[i, 0] * c + slopes[i, 1] * d) / deviation[i] for i in range(2))
    given = both_below(h, k, left[0, 1] / deviation.prod())
    density = np.exp(-np.einsum("ixy,ij,jxy->xy", [c, d], np.linalg.inv(inner), [c, d]) / 2)
    density *= np.outer(weight, weight) / (2 * math.pi * math.sqrt(np.linalg.det(inner)))
    return (given * density).sum(), (given * density * c * d).sum()


@pytest.mark.parametrize("seed", range(50 if NIGHTLY else 12 if THOROUGH else 8))
def test_values_of_random_laws(seed):
    vectors = np.random.default_rng(seed).normal(size=(4, 7))
    r = correlations(vectors)
    np.testing.assert_allclose([P(*r), M(*r)], right_values(r), rtol=0, atol=1e-11)


def on_arcs(angles):
    """P and M of four vectors in a plane: the lengths of arcs, and integrals along them."""
    ends = sorted({(a + s * math.pi / 2) % (2 * math.pi) for a in angles for s in (1, -1)})
    ends = [*ends, ends[0] + 2 * math.pi]
    probability = moment = 0.0
    for low, high in pairwise(ends):
        middle = (low + high) / 2
        if all(math.cos(middle - a) > 0 for a in angles):
            c, d = angles[2:]
            probability += (high - low) / (2 * math.pi)
            # cos(x - c) cos(x - d), and the mean square of the radius is 2.
            wave = math.sin(2 * high - c - d) - math.sin(2 * low - c - d)
            moment += ((high - low) * math.cos(c - d) + wave / 2) / (2 * math.pi)
    return probability, moment


@pytest.mark.parametrize("seed", range(50 if NIGHTLY else 12 if THOROUGH else 10))
def test_singular_laws_of_vectors_in_a_plane(seed):
    rng = np.random.default_rng(seed)
    angles = rng.uniform(-2, 2, 4)
    if seed % 5 == 1:
        angles[0] = angles[2]
    if seed % 5 == 2:
        angles[0], angles[1] = angles[2], angles[3]
    if seed % 5 == 3:
        angles[:3] = angles[3]
    if seed % 5 == 4:
        angles[0] = angles[2] + math.pi
    r = correlations(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    # The root of what rounding leaves of a determinant.
    np.testing.assert_allclose([P(*r), M(*r)], on_arcs(angles), rtol=0, atol=3e-8)


@pytest.mark.parametrize("apart", [1e-2, 1e-4, 1e-6])
def test_laws_that_are_nearly_singular_are_near_those_of_arcs(apart):
    angles = np.array([0.3, 0.3 + apart, 1.2, -0.4])
    r = [math.cos(angles[i] - angles[j]) for i, j in PAIRS]
    np.testing.assert_allclose([P(*r), M(*r)], on_arcs(angles), rtol=0, atol=1e-8)


EXACT = [
    ((0, 0, 0, 0, 0, 0), 1 / 16, 1 / (8 * math.pi)),
    ((1, 1, 1, 1, 1, 1), 1 / 2, 1 / 2),
    ((-1, 0, 0, 0, 0, 0), 0, 0),
    ((0, -1, 0, 0, 0, 0), 0, 0),
    ((1, 0, 0, 0, 0, 0), 1 / 8, 1 / (4 * math.pi)),
    ((0, 1, 0, 0, 1, 0), 1 / 4, 1 / (2 * math.pi)),
    ((0, 0, 0, 0, 0, 1), 1 / 8, 1 / 8),
    ((1, 1, 0, 1, 0, 0), 1 / 4, 1 / (2 * math.pi)),
    ((0, 0, 0, 0, 0, -1), 0, 0),
]


@more
@pytest.mark.parametrize("backend", BACKENDS if THOROUGH else ["numpy"])
def test_edges_of_all_backends(backend):
    f = compile_expressions([OrthantProbability(*NAMES), OrthantMoment(*NAMES)], NAMES, (), backend)
    for r, *right in EXACT:
        found = f([float(x) for x in r])
        if backend == "ball":
            # Beside a singular matrix what is left of the path is bounded.
            assert all(x.overlaps(arb(y, 1e-15)) for x, y in zip(found, right, strict=True))
            assert all(x.rad() < 1e-4 for x in found)
        within = 1e-4 if backend == "ball" else 2e-15
        np.testing.assert_allclose([float(x) for x in found], right, rtol=0, atol=within)


@more
@pytest.mark.parametrize("backend", BACKENDS if THOROUGH else ["mpmath"])
def test_backends_agree(backend):
    f = compile_expressions([OrthantProbability(*NAMES), OrthantMoment(*NAMES)], NAMES, (), backend)
    for seed in range(2 if backend in ("ball", "mpmath") else 20):
        r = [float(x) for x in correlations(np.random.default_rng(100 + seed).normal(size=(4, 5)))]
        found = f(r)
        np.testing.assert_allclose([float(x) for x in found], [P(*r), M(*r)], rtol=0, atol=1e-15)


def test_slopes_are_those_of_differences():
    r = correlations(np.random.default_rng(3).normal(size=(4, 6)))
    for kind, f in ((OrthantProbability, P), (OrthantMoment, M)):
        for k in range(6):
            step = 1e-5 * (np.arange(6) == k)
            right = (f(*(np.array(r) + step)) - f(*(np.array(r) - step))) / 2e-5
            slope = lambdify(NAMES, kind(*NAMES).fdiff(k + 1), [{"OrthantProbability": P}, "numpy"])
            np.testing.assert_allclose(slope(*r), right, rtol=1e-8)


@thorough_only
def test_slopes_by_jax():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        r = correlations(np.random.default_rng(4).normal(size=(4, 6)))
        f = compile_expressions(
            [OrthantProbability(*NAMES), OrthantMoment(*NAMES)], NAMES, (), "jax"
        )
        found = jax.jacobian(f)(np.array(r))
        for row, kind in zip(found, (OrthantProbability, OrthantMoment), strict=True):
            for k, x in enumerate(row):
                slope = lambdify(
                    NAMES, kind(*NAMES).fdiff(k + 1), [{"OrthantProbability": P}, "numpy"]
                )
                np.testing.assert_allclose(x, slope(*r), rtol=1e-12)


def test_digits_and_balls():
    quarter = [Rational(1, 3)] * 6
    found = OrthantMoment(*quarter).evalf(30)
    with mpmath.workdps(30):
        f = compile_expressions([OrthantMoment(*NAMES)], NAMES, (), "mpmath")
        assert abs(f(quarter, dps=40)[0] - mpmath.mpf(str(found))) < mpmath.mpf(10) ** -29
    (ball,) = compile_expressions([OrthantMoment(*NAMES)], NAMES, (), "ball")(quarter)
    with ctx.workdps(40):
        assert ball.contains(arb(str(found)).mid()) or abs(ball - arb(str(found))) < 1e-28
    assert ball.rad() < 1e-25
    # A ball of correlations has the values of all in it.
    wide = [arb(0.25, 1e-3), *(arb(0.25),) * 5]
    (box,) = compile_expressions([OrthantMoment(*NAMES)], NAMES, (), "ball")(wide)
    for x in (0.2491, 0.25, 0.2509):
        assert box.contains(arb(float(M(x, *(0.25,) * 5))))
    assert box.rad() < 1e-3


@more
def test_what_is_no_number_stays_so():
    r = [math.nan, *[0.1] * 5]
    for backend in ("numpy", "numba", "mpmath") if THOROUGH else ("numpy", "mpmath"):
        f = compile_expressions([OrthantMoment(*NAMES)], NAMES, (), backend)
        assert math.isnan(float(f(np.array(r))[0]))
