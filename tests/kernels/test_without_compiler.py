"""Functions for Numba, run by Python, and those of NumPy: each against another computation."""

import importlib.util
import math
import struct
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from scipy.special import erf, erfc, erfcx, ndtr
from scipy.special import owens_t as scipy_owens_t
from sympy import Max, Min, Piecewise, Rational, cos, sin, symbols

from slrsym.gaussian import GaussianLaw, OwensT, normal_cdf
from slrsym.kernels import numba_backend, numpy_special_functions
from slrsym.kernels._numba_owens import owens_t
from slrsym.kernels.numba_backend import compile_loop, iterate_compiled, numba_function
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.symbolic_functions import gaussian_mean
from slrsym.models.means import softmax_risk, softmax_risk_backends
from tests._profile import thorough_only
from tests.models.test_laplace import plain_means

numba = pytest.importorskip("numba", reason="needs numba: pip install numba")
special = pytest.importorskip("slrsym.kernels._numba_special")
softmax = pytest.importorskip("slrsym.models.means._numba_softmax")


@pytest.fixture
def plain(monkeypatch):
    """The module of special functions, which Numba leaves as they are."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    module = loaded(special.__file__)
    module._as_bits = lambda number: struct.unpack("<q", struct.pack("<d", number))[0]
    module._as_float = lambda bits: struct.unpack("<d", struct.pack("<Q", bits % 2**64))[0]
    module.owens_t = owens_t
    return module


def loaded(file):
    """The module of a file, made once more."""
    spec = importlib.util.spec_from_file_location("plain", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def plain_softmax(plain, monkeypatch):
    """The module of the means under softmax, likewise."""
    monkeypatch.setitem(sys.modules, special.__name__, plain)
    return loaded(softmax.__file__)


@pytest.fixture
def generated(plain, monkeypatch):
    """Make the backend take its generated modules without compiling them."""

    def module(source):
        text = f"{numba_backend._HEAD}BLOCK, LANES = {numba_backend.BLOCK}, 8\n{source}"
        exec(text, scope := {})
        found = SimpleNamespace(**scope)
        # Others import from it.
        monkeypatch.setitem(sys.modules, numba_backend.module_name(source), found)
        return found

    monkeypatch.setitem(sys.modules, special.__name__, plain)
    monkeypatch.setattr(numba_backend, "import_generated_module", module)
    monkeypatch.setattr(softmax_risk_backends, "import_generated_module", module)


def integral(function, end):
    """The integral from 0 to a number, on pieces that are shorter towards both ends."""
    nodes, weights = leggauss(20)
    near = 2.0 ** np.arange(-24, 0)
    ends = end * np.array([0, *near, *(1 - near[-2::-1]), 1])
    half, middle = np.diff(ends)[:, None] / 2, (ends[1:] + ends[:-1])[:, None] / 2
    return np.sum(half * weights * function(middle + half * nodes))


@pytest.mark.parametrize(
    ("name", "exact", "places"),
    [
        ("exp", np.exp, [*np.linspace(-708.1, 709.7, 60), 1e-9, 0.3465, -0.3467, 709.78]),
        ("erf", erf, [*np.linspace(-7, 7, 57), 1e-9, 0.9999, -1.0001, 5.99, 6.01, 1e9]),
        ("fall", lambda w: -np.expm1(-w), [1e-9, 0.1, 0.3399, 0.3401, 1.0, 6.0, 60.0]),
        ("tail", erfcx, [0.0, 0.01, 0.5, 1.0, 4.0, 9.0, 26.0, 1e3]),
    ],
)
def test_functions_of_one_number(name, exact, places, plain, plain_softmax):
    function = getattr(plain_softmax if name in ("fall", "tail") else plain, name)
    for x in places:
        found = function(x, 1.0) if name == "tail" else function(x)
        assert found == pytest.approx(exact(x), rel=4e-15 if name == "tail" else 7e-16, abs=0)


def test_the_exponential_at_the_ends_of_doubles(plain):
    values = {-740.0: math.exp(-740), -1e9: 0.0, 710.0: math.inf, 1e9: math.inf, 0.0: 1.0}
    assert {x: plain.exp(x) for x in values} == values


def test_the_variance_of_erf(plain):
    """The integral from 0 to 1 - l, by each piece of the table."""
    for low in (1e-4, 0.02, 0.3, 0.71, 0.95, 0.9999):
        methods = [
            (module.evaluate_erf_variance_integral, module.decay_coefficients(low, 1 - low))
            for module in (plain, numpy_special_functions)
        ]
        for e in (0.0, 0.3, 4.0, 50.0, 600.0):
            exact = integral(
                lambda y, e=e, a=low: np.exp(-e * y * (2 * a + y)) / (1 + (a + y) ** 2), 1 - low
            )
            for evaluate, coefficients in methods:
                assert evaluate(e, coefficients) == pytest.approx(exact, rel=3e-15)
            pair = np.array([low, 1 - low])
            again = numpy_special_functions.evaluate_erf_variance_integral(e, pair)
            assert again == pytest.approx(exact, rel=3e-15)


def test_the_difference_from_erf(plain):
    for x, y in ((0.4, 0.3), (1.0, 5.0), (-1.0, -5.0), (-0.2, 0.0)):
        exact = erfc(5.0) * np.sign(y) if abs(x) == 1 else x - erf(y)
        assert plain.erf_defect(x, y) == pytest.approx(exact, rel=1e-14)


def test_the_covariance_of_erf(plain):
    """By Plackett's integral, over the angle whose sine is the correlation."""
    for x, y, r in (
        (0.3, -0.5, 0.4), (0.3, -0.5, -0.4), (-1.2, 0.7, 0.95), (2.0, 2.0, 0.9), (2.0, -2.0, -0.9),
        (0.0, 0.0, 0.5), (0.6, 0.0, 0.99), (4.0, 3.5, 0.7), (15.0, 14.0, 0.9), (1e-8, 2e-8, 0.3),
        (6.0, -6.0, 0.2), (3.0, 0.1, 0.999),
    ):  # fmt: skip
        exact = integral(
            lambda t, x=x, y=y: np.exp(-(x * x - 2 * x * y * np.sin(t) + y * y) / np.cos(t) ** 2),
            math.asin(r),
        )
        for module in (plain, numpy_special_functions):
            found = module.erf_covariance(x, y, r)
            assert found == pytest.approx(2 / math.pi * exact, rel=1e-12, abs=0), (x, y, r)


def test_the_covariance_of_erf_at_the_ends(plain):
    rows = np.array([
        (math.nan, 0.0, 0.5, math.nan),
        (0.0, math.nan, 0.5, math.nan),
        (0.1, 0.2, math.nan, math.nan),
        (0.1, 0.2, 1.001, math.nan),
        (0.1, 0.2, -1.001, math.nan),
        (0.1, 0.2, 0.0, 0.0),
        (0.0, 0.0, -1.0, -1.0),
        (30.0, -1.0, 0.5, 0.0),
        # 1 - |a - b| - ab for the values a and b of erf, at the correlation 1.
        (0.4, 0.4, 1.0, 1 - erf(0.4) ** 2),
        (0.3, 0.9, -1.0, -(1 - erf(0.9) - erf(0.3) + erf(0.3) * erf(0.9))),
    ])  # fmt: skip
    *inputs, exact = rows.T
    by_numpy = numpy_special_functions.erf_covariance(*inputs)
    for found in ([plain.erf_covariance(*row[:3]) for row in rows.tolist()], by_numpy.tolist()):
        assert found == pytest.approx(exact.tolist(), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize(("mu", "spread"), [(0.7, 0.0), (0.8, 1.1), (2.0, 0.05), (6.0, 1.4)])
def test_means_of_a_role(mu, spread, plain_softmax):
    """Of one score for all, of nodes that move with the bell, and of nodes that stay."""
    x = -mu * 0.3 + (1 + mu * spread) * np.array([-6.0, -1.3, 0.2, 2.9])
    for tokens in (1.0, 1e6):
        found = plain_softmax.role_means(x, mu, 0.3, spread, tokens)
        assert found == pytest.approx(plain_means(x, mu, 0.3, spread), abs=1e-12)


x, y, p, m, n = symbols("x y p m n", real=True)
v, w = symbols("v w", positive=True)


@pytest.mark.parametrize("count", [1, 7, 300])
@pytest.mark.parametrize("parameter", ["one", "many"])
def test_rows(count, parameter, generated):
    """Of fewer states than a block has, of more, and with a parameter for each."""
    rng = np.random.default_rng(count)
    outputs = [p * x + y, Max(x, y, p) - Min(x, y), normal_cdf(x), OwensT(x, y),
               Piecewise((x, x > y), (p, True)) * Rational(1, 3)]  # fmt: skip
    function = numba_function(program_from_expressions(outputs, [x, y], [p]))
    states = rng.normal(size=(count, 2))
    a, b = states.T
    c = 0.3 if parameter == "one" else rng.normal(size=count)
    exact = [c * a + b, np.maximum(np.maximum(a, b), c) - np.minimum(a, b), ndtr(a),
             scipy_owens_t(a, b), np.where(a > b, a, c) / 3]  # fmt: skip
    assert function(states, c) == pytest.approx(np.stack(exact, axis=-1), abs=1e-15)
    assert function(states[:0], 0.3).shape == (0, 5)


@pytest.mark.parametrize(("count", "workers"), [(1, None), (5, 2), (300, 1)])
@pytest.mark.parametrize("many", [False, True])
def test_a_step_taken_many_times(count, workers, many, generated):
    """With one parameter for all steps, or one for each; every second state is noted."""
    program = program_from_expressions([p * x + 1], [x], [p])
    runs = "for i in range(first, first + runs):\n    "
    loop = compile_loop(
        program,
        "more",
        f"{runs}states[i, 0] += more",
        f"{runs}states[i, 0] = body(states[i, 0], *fixed)[0]",
        f"{runs}states[i, 0] *= 2",
        f"{runs}noted[row, i, 0] = states[i, 0]",
    )
    start, factors = np.arange(float(count))[:, None], np.array([0.5, 0.5, 3.0, 0.5, 2.0])
    factors = factors if many else factors[:1]
    last, noted = iterate_compiled(loop, start, [factors], 5, 2, 10.0, workers=workers)
    states = [start + 10]
    for i in range(4):
        states.append(states[-1] * factors[i if many else 0] + 1)
    assert noted.tolist() == np.array([states[2], states[4]]).tolist()
    # What is noted ends with the last row.
    assert last.tolist() == (2 * states[4]).tolist()


@pytest.mark.parametrize("spread", [0.0, 0.7, 2.5])
def test_means_of_one_variable(spread, generated):
    """Of derivatives of the sine, whose mean falls with half of the variance."""
    mean = gaussian_mean(sin(x), GaussianLaw({x: m}, [[v]]))
    outputs = [mean, mean.diff(m), mean.diff(m, 2), mean.diff(m, 3)]
    found = numba_function(program_from_expressions(outputs, [m], [v]))([0.4], spread**2)
    fall = math.exp(-(spread**2) / 2)
    exact = [math.sin(0.4), math.cos(0.4), -math.sin(0.4), -math.cos(0.4)]
    assert found == pytest.approx(fall * np.array(exact), abs=1e-14)


@thorough_only
def test_means_of_two_variables(generated):
    """The sine of one variable times the cosine of another: half the sines of sum, difference."""
    a, b, c = 1.5, 0.4, 0.2
    mean = gaussian_mean(sin(x) * cos(y), GaussianLaw({x: m, y: n}, [[v, p], [p, w]]))
    program = program_from_expressions([mean.diff(m)], [m, n], [v, p, w])
    fall = np.exp(-(a + c + 2 * b) / 2), np.exp(-(a + c - 2 * b) / 2)
    (found,) = numba_function(program)([0.7, 0.2], a, b, c)
    assert found == pytest.approx(fall @ np.cos((0.9, 0.5)) / 2, abs=1e-13)


def test_the_risk_of_softmax(plain_softmax, generated, monkeypatch):
    monkeypatch.setitem(sys.modules, softmax.__name__, plain_softmax)
    monkeypatch.setattr(plain_softmax, "role_means", softmax_risk.role_means)
    rng = np.random.default_rng(3)
    counts, means, roots = np.array([1.0, 3.0]), rng.normal(size=(2, 3)), rng.normal(size=(2, 3, 3))
    law = counts, means, roots @ roots.transpose(0, 2, 1)
    risk = softmax_risk_backends.numba_softmax_risk.__wrapped__()
    for extra in (0.0, 1.0):
        exact = softmax_risk.softmax_risk_and_derivatives(0.9, extra, *law)
        for part, known in zip(risk(0.9, extra, *law), exact, strict=True):
            assert part == pytest.approx(known, rel=1e-11, abs=1e-11)
