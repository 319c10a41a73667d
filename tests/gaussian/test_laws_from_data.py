"""Laws whose covariance was computed in floats, singular up to rounding: accepted, never wrong."""

import mpmath
import numpy as np
import pytest
from sympy import (
    Abs,
    Eq,
    Float,
    Heaviside,
    I,
    ImmutableMatrix,
    Max,
    Ne,
    Piecewise,
    Rational,
    cos,
    erf,
    exp,
    floor,
    lambdify,
    sign,
    sqrt,
    symbols,
    tanh,
)

from slrsym.gaussian import Expectation, GaussianLaw, NoiseLaw, ProductLaw, expectation
from tests._profile import THOROUGH, more, one_in, thorough

x, y, z, r, s = NAMES = symbols("x y z r s", real=True)
SIZES = np.array([1e-8, 1.0, 1e8])


def data(seed, count, size=3):
    return np.random.default_rng(seed).normal(size=(size, count))


def law_of(cov, mean=None):
    size = np.shape(cov)[0]
    names = symbols(f"x:{size}", real=True) if size > 3 else NAMES[:size]
    return GaussianLaw(dict(zip(names, mean or [0] * size, strict=True)), cov)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("seed", one_in(4, range(12)))
def test_covariances_of_few_samples_are_accepted(seed, count):
    """In units of any size, to single precision, as correlations, and not quite symmetric."""
    points = data(seed, count)
    scaled = points * np.roll(SIZES, seed)[:, None]
    uneven = np.cov(points)
    uneven[0, 1] = np.nextafter(uneven[0, 1], 9)
    single = points.astype(np.float32)
    for cov in (
        np.cov(points), np.cov(scaled), np.corrcoef(scaled), uneven,
        np.cov(single), np.cov(single, dtype=np.float32), np.corrcoef(single, dtype=np.float32),
        np.cov(points).tolist(), ImmutableMatrix(np.cov(points)),
    ):  # fmt: skip
        law = law_of(cov)
        assert law.cov == law.cov.T
        np.testing.assert_allclose(np.array(law.cov, dtype=float), np.array(cov, float), rtol=1e-6)


@pytest.mark.parametrize(("size", "count"), [(10, 4), (20, 8), thorough(30, 29), thorough(30, 60)])
def test_large_covariances(size, count):
    law = law_of(np.cov(data(1, count, size)))
    first, second = law.symbols[:2]
    v, w, c = law.cov[0, 0], law.cov[1, 1], law.cov[0, 1]
    spread = float(v + w - 2 * c)
    assert float(expectation(Max(first, second), law)) == pytest.approx(
        (spread / 2 / np.pi) ** 0.5, rel=1e-13
    )


def test_one_variable_and_other_kinds_of_numbers():
    cov = np.cov([1.0, 2.0, 4.0])
    assert float(GaussianLaw({x: np.float32(0.5)}, cov).cov[0, 0]) == float(cov)
    mixed = GaussianLaw({x: 0, y: Rational(1, 3)}, [[Rational(1, 2), np.float64(0.5)], [0.5, 0.5]])
    assert expectation(Abs(x - y), mixed) == pytest.approx(1 / 3)
    irrational = [[2, 2**0.5], [2**0.5, 1]]
    assert float(expectation(Abs(x - sqrt(2) * y), law_of(irrational))) < 1e-7
    assert law_of([[sqrt(2), 0.1], [0.1, 1]]).cov[0, 0] == sqrt(2)


@pytest.mark.parametrize(
    ("cov", "message"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], r"minor of \(x, y\) is -3.0+ < 0 beyond rounding"),
        ([[1.0, 1 + 1e-9], [1 + 1e-9, 1.0]], r"minor of \(x, y\) is -2.0+E-9 < 0"),
        ([[1.0, -0.6, -0.6], [-0.6, 1, -0.6], [-0.6, -0.6, 1]], r"\(x, y, z\) is -0.512"),
        ([[1.0, 0.9, 0.1], [0.9, 1.0, 0.9], [0.1, 0.9, 1.0]], r"\(x, y, z\) is -0.468"),
        ([[1e-16, 2e-8], [2e-8, 1.0]], r"minor of \(x, y\)"),
        ([[-1e-300, 0.0], [0.0, 1.0]], r"minor of \(x\)"),
        ([[0.0, 1e-20], [1e-20, 1.0]], r"minor of \(x, y\)"),
        ([[1.0, 0.5], [0.5 + 1e-9, 1.0]], r"not symmetric: cov\[1, 0\] = 0.5"),
        ([[1.0, np.nan], [np.nan, 1.0]], r"cov\[0, 1\] must be real and finite; got nan"),
        ([[1.0, 0.0], [0.0, np.inf]], r"cov\[1, 1\] must be real and finite; got oo"),
        ([[1.0, 1j], [-1j, 1.0]], r"cov\[0, 1\] must be real and finite"),
        ([[1, Rational(10**20 + 1, 10**20)], [Rational(10**20 + 1, 10**20), 1]], "minor"),
    ],
)
def test_what_is_no_covariance_is_refused(cov, message):
    with pytest.raises(ValueError, match=message):
        law_of(np.array(cov) if np.array(cov).dtype.kind == "f" else cov)


def test_large_indefinite_matrices_are_refused():
    for entries in (np.cov(data(2, 5, 20)), np.eye(20)):
        entries[4, 4] *= 0.5
        entries[4, 5] = entries[5, 4] = (entries[4, 4] * entries[5, 5]) ** 0.5 * 1.01
        with pytest.raises(ValueError, match="minor of"):
            law_of(entries)
    singular = np.cov(data(2, 5, 20))
    singular[7, 7] *= 1 - 1e-9
    with pytest.raises(ValueError, match="beyond rounding"):
        law_of(singular)
    exact = ImmutableMatrix(20, 20, lambda i, j: 20 if i == j else -1)
    assert law_of(exact.tolist()).cov == exact
    with pytest.raises(ValueError, match="minor of"):
        law_of((exact - 2 * ImmutableMatrix.eye(20)).tolist())


def by_quadrature(f, mean, slope):
    """The mean of f along the line mean + slope G, in pieces between its kinks."""
    with mpmath.workdps(20):
        mean, slope = [[mpmath.mpf(float(v)) for v in vector] for vector in (mean, slope)]
        forms = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, -1, 0), (1, 0, -1), (0, 1, -1)]
        pairs = [(mpmath.fdot(c, mean), mpmath.fdot(c, slope)) for c in forms]
        kinks = [-m / v for m, v in pairs if v and abs(m / v) < 12]
        places = sorted([-12, *kinks, *range(-11, 12), 12])
        at = lambda g: f(*(m + v * g for m, v in zip(mean, slope, strict=True)))  # noqa: E731
        return mpmath.quadgl(lambda g: at(g) * mpmath.npdf(g), places)


KINKED = [
    Max(x, y, 0), Abs(x - y), sign(x) * sign(y), Heaviside(x - y), x * Max(y, z),
    Piecewise((x, y > z), (z, True)), Abs(x) * Abs(z), sign(x) * erf(y), Max(x, 0) * Max(y, 0),
    erf(x) * erf(z), x**2 * y, cos(x - y) * z, exp(x / 4) * Max(y, 0), x * sign(y) * z,
]  # fmt: skip


@more
@pytest.mark.parametrize("f", one_in(2, KINKED), ids=str)
def test_means_under_laws_of_rank_one(f):
    """By the line that the vector moves along, which is known from the data."""
    for seed in range(3 if THOROUGH else 1):
        points = data(seed, 2)
        mean = points.mean(axis=1)
        law = law_of(np.cov(points), mean.tolist())
        number = lambdify((x, y, z), f, ["mpmath", {"Heaviside": lambda u, _: float(u > 0)}])
        known = by_quadrature(number, mean, (points[:, 0] - points[:, 1]) / 2**0.5)
        closed = expectation(f, law)
        assert closed.is_real
        assert not closed.has(I, Expectation)
        # The forms are as wide as their rounding, of which roots are taken.
        assert abs(closed - known) < 1e-7
        value = Expectation(f, law).evalf()
        assert value.is_Float
        assert abs(value - closed) < 1e-13


@pytest.mark.parametrize("f", [x * y * z, erf(x) * erf(y), cos(x - z) * y, exp(x / 3 - y / 5)])
def test_means_under_laws_of_rank_two(f):
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / np.sqrt(2 * np.pi)
    points = data(3, 3)
    mean = points.mean(axis=1)
    basis = np.array([[1, -1, 0], [1, 1, -2]]).T / np.sqrt([2, 6])
    slopes = points @ basis / np.sqrt(2)
    grid = np.stack(np.meshgrid(nodes, nodes)).reshape(2, -1)
    at = mean[:, None] + slopes @ grid
    values = lambdify((x, y, z), f, ["scipy", "numpy"])(*at)
    known = values @ np.outer(weights, weights).ravel()
    closed = expectation(f, law_of(np.cov(points), mean.tolist()))
    assert closed.is_Float
    assert float(closed) == pytest.approx(known, abs=4e-9)


def test_what_does_not_vary_is_known():
    """Equal columns differ by nothing, and their signs agree."""
    points = data(5, 4)
    law = law_of(np.cov(np.stack([points[0], points[0], -points[0]])))
    assert expectation(Piecewise((1, x >= y), (0, True)), law).is_number
    assert expectation(sign(x) * sign(y), law) == pytest.approx(1)
    assert expectation(sign(x) * sign(z), law) == pytest.approx(-1)
    assert expectation(Abs(x + z), law) == 0
    assert expectation(Piecewise((1, Eq(x, y)), (0, True)), law).is_number


@pytest.mark.parametrize("seed", range(3))
def test_conditional_laws_and_images(seed):
    law = law_of(np.cov(data(seed, 2)), [0.1, 0.2, 0.3])
    given = law.conditional({x: 0.5})
    assert given.cov == ImmutableMatrix.zeros(2)
    assert given.mean[y].is_Float
    with pytest.raises(ValueError, match=r"covariance of \(x, y\) is singular"):
        law.conditional({x: 0.5, y: 0.5})
    wider = law_of(np.cov(data(seed, 3))).conditional({x: 0.5})
    assert all(wider.cov[i, i] > 0 for i in range(2))
    assert wider.conditional({y: 1}).cov[0, 0] == 0
    image = law.linear_image({r: x - y, s: 0.1 * x + z})
    assert image.cov[0, 0] > 0
    assert image.conditional({r: 1}).cov[0, 0] == 0


def test_parameters_beside_floats():
    """A singular block of floats beside a variance without value, and independent parts."""
    cov = ImmutableMatrix.diag(ImmutableMatrix(np.cov(data(0, 2))[:2, :2]), r**2)
    law = GaussianLaw({x: 0, y: 0, z: 0}, cov)
    value = expectation(sign(x) * sign(y) * z**2 + Max(x, 0) * Max(y, 0), law)
    assert not value.has(I)
    assert abs(abs(value.diff(r, 2)) - 2) < 1e-14
    product = ProductLaw(GaussianLaw({x: 0, y: 0}, cov[:2, :2]), NoiseLaw(z, 0.3))
    assert float(expectation(z**2 * sign(x) * sign(y), product)) == pytest.approx(
        float(np.sign(cov[0, 1])) * 0.3
    )


def test_what_does_not_close_keeps_the_law_that_was_given():
    law = law_of(np.cov(data(0, 2)), [0.5, 0, 0.25])
    for left, names in ((tanh(x) * y, (x, y)), (tanh(x) * erf(x * y * z), (x, y, z))):
        (node,) = expectation(left + Max(x, 0), law).atoms(Expectation)
        assert node.law in (law, law.marginal(*names))
        assert node.law.has(Float)


def test_close_correlations_keep_their_digits():
    """Floats are taken for the rationals that they are: 1 - r^2 loses nothing."""
    for gap in (1e-3, 1e-7, 1e-11, 1e-14):
        close = 1 - gap
        with mpmath.workdps(40):
            known = mpmath.sqrt(4 * (1 - mpmath.mpf(close)) / mpmath.pi)
        law = law_of([[1.0, close], [close, 1.0]])
        assert float(expectation(Abs(x - y), law)) == pytest.approx(float(known), rel=1e-14)


ROUNDED = law_of([[0.1, 0.3], [0.3, 0.9]])


@pytest.mark.parametrize(
    ("condition", "law", "value"),
    [
        (3 * x >= y, ROUNDED, 1),
        (3 * x > y, ROUNDED, 0),
        (Eq(3 * x, y), ROUNDED, 1),
        (Ne(3 * x, y), ROUNDED, 0),
        ((3 * x > y) | (x > 0), ROUNDED, 0.5),
        (3 * x * z >= y * z, ProductLaw(ROUNDED, law_of([[2.0]]).rename_variables({x: z})), 1),
        (Eq(Max(3 * x, y), y), ROUNDED, 1),
        (0.1 * x + 0.2 * x >= 0.3 * y, law_of([[1, 1], [1, 1]]), 1),
        (x > y, law_of([[1, 1], [1, 1]], [0.1 + 0.2, 0.3]), 0),
        (y >= 0.4 * x, law_of(np.cov([[1.0, 2.0], [0.3, 0.7]])), 1),
    ],
)
def test_numbers_and_closed_forms_see_the_same_rounding(condition, law, value):
    mean = Expectation(Piecewise((1, condition), (0, True)), law)
    assert float(mean.evalf()) == value == float(expectation(mean.integrand, law))


def test_numbers_of_other_kinks_without_variance():
    form = 3 * x - y
    for kink in (
        Heaviside(form, 1), 1 - sign(form) ** 2, floor(form + 1), exp(Max(3 * x, y) - y)
    ):  # fmt: skip
        assert float(Expectation(kink, ROUNDED)) == 1


def test_images_and_forms_of_three_variables_see_rounding():
    image = ROUNDED.linear_image({z: 3 * x - y, r: x})
    assert image.cov[0, 0] == 0
    points = data(7, 9, 2)
    law = law_of(np.cov([*points, 0.3 * points[0] + 0.7 * points[1]]))
    form = z - 0.3 * x - 0.7 * y
    for value in (0, 1):
        for step in (
            Expectation(Heaviside(z, value), image),
            Expectation(Heaviside(form, value), law),
        ):
            assert float(expectation(step.integrand, step.law)) == value == float(step)
