"""JAX: values and derivatives to 1e-12, and what JAX makes of the functions."""

import importlib
from functools import cache

import mpmath
import numpy as np
import pytest
from scipy.special import erf, erfc, owens_t
from scipy.stats import norm
from sympy import Ne, Piecewise, Symbol, cos, exp, sin, sqrt, symbols, tanh

from slrsym.gaussian import GaussianLaw, OwensT, zeta
from slrsym.kernels import compile_expressions
from slrsym.kernels.numpy_special_functions import hermite_polynomial
from slrsym.kernels.symbolic_functions import (
    DifferenceFromErf,
    ErfCovariance,
    ErfVariance,
    Z,
    gaussian_mean,
)
from slrsym.models.definition.specification import softmax
from slrsym.models.means import softmax_risk_backends
from slrsym.papers.single_location.models import attention
from slrsym.papers.single_location.paper_risk import kernel
from slrsym.papers.single_location.task import Task
from tests._profile import THOROUGH, more, thorough, thorough_cases, thorough_only
from tests.kernels._cases import KINDS, exact, feasible, numbers, setting

jax = pytest.importorskip("jax", reason="needs JAX: pip install 'slrsym[jax]'")
special = importlib.import_module("slrsym.kernels._jax_special")
means = importlib.import_module("slrsym.kernels._jax_means")
pytestmark = more

x, y, r = symbols("x y r", real=True)
UPPER = np.triu_indices(5)


@cache
def functions_of_the_risk():
    """The compiled functions, and derivatives of the excess risk by JAX."""
    excess = kernel("excess_risk", "jax")

    def value(state, *rest):
        return excess(state, *rest)[0]

    return {
        "excess risk": excess,
        "gradient": kernel("gradient", "jax"),
        "hessian": kernel("hessian", "jax"),
        "gradient by JAX": jax.jit(jax.grad(value)),
        "hessian by JAX": jax.jit(lambda *at: jax.hessian(value)(*at)[UPPER]),
    }


def points(count):
    """States, inverse temperatures and tasks of the whole domain and of its edges."""
    rng = np.random.default_rng(5)
    for i in range(count):
        state, (lam, task) = feasible(rng, KINDS[i % len(KINDS)]), setting(rng)
        # Every fourth is at an end: steep, or flat with little noise.
        if i % 4 == 3:
            lam = 10.0
        if i % 8 == 2:
            lam, task = 1e-3, Task(10**7, 1, 0.05)
        yield state, lam, task


def relative_error(found, expected):
    size = max(map(abs, expected))
    if size < 1e-280:
        return float(np.abs(found).max())
    pairs = zip(np.ravel(found).tolist(), expected, strict=True)
    return float(max(abs(mpmath.mpf(f) - e) for f, e in pairs) / size)


@more
def test_the_risk_and_its_derivatives():
    functions, hessian = functions_of_the_risk(), kernel("hessian", "mpmath")
    for state, lam, task in points(200 if THOROUGH else 8):
        rest = (lam, *map(float, task.kernel_parameters))
        inputs = numbers(state, lam, task)
        known = {
            "excess risk": exact(0, inputs),
            "gradient": exact(1, inputs),
            "hessian": hessian(state.tolist(), *rest, dps=60),
        }
        for name, function in functions.items():
            error = relative_error(function(state, *rest), known[name.removesuffix(" by JAX")])
            assert error < 1e-12, (name, state, rest)


# -- derivatives of single functions ---------------------------------------------------------------

SMALL, LARGE = 1e-9, 6.0
SINGLE = {
    # Height and slope: flat, steep, at 0, negative; the two are told apart.
    "owens_t": (OwensT(x, y), [(0.3, 1.7), (1.7, 0.3), (0.0, 2.0), (-0.4, -3.0), (5.0, 0.2)]),
    "zeta": (zeta(x, y), [(0.3, 1.7), (1.7, 0.3), (0.0, 0.5), (LARGE, 0.4), (0.7, SMALL)]),
    "erf_variance": (ErfVariance(x, y), [(0.3, 1.7), (1.7, 0.3), (LARGE, 2.0), (0.7, SMALL)]),
    "erf_defect": (DifferenceFromErf(x, y), [(0.3, 0.5), (1.0, 3.0), (0.2, 0.0), (-0.2, -0.4)]),
    "erf_covariance": (ErfCovariance(x, y, x * y), [(0.3, 0.7), (1.4, -0.5), (0.1, 0.0)]),
}


def derivatives(function):
    """The value, the first and the second derivatives by JAX, all backwards, then all forwards."""

    def value(at):
        return function(at)[0]

    def backwards(at):
        found, once = jax.value_and_grad(value)(at)
        return [found, *once, *jax.jacrev(jax.grad(value))(at)[np.triu_indices(2)]]

    def forwards(at):
        once = jax.jacfwd(value)
        return [value(at), *once(at), *jax.jacfwd(once)(at)[np.triu_indices(2)]]

    return jax.jit(lambda at: (backwards(at), forwards(at)))


def test_owens_t_and_its_slopes_without_the_compiler(monkeypatch):
    """By SciPy, and the integrand of the definition."""
    # Arrays of JAX would be compiled for, one operation at a time.
    for name, of_arrays in (("jnp", np), ("erf", erf), ("erfc", erfc)):
        monkeypatch.setattr(special, name, of_arrays)
    heights = [-2.0, -0.4, 0.0, 0.3, 1.7, 5.0]
    h, a = map(np.ravel, np.meshgrid(heights, [-3.0, -0.6, 0.0, 0.2, 1.0, 12.0]))
    # Both branches are computed, and the one that is not taken has 1 / a.
    with np.errstate(divide="ignore"):
        found = [special._owens_t(h, a), special._owens_t_by_h(h, a), special._owens_t_by_a(h, a)]
    by_h = -norm.pdf(h) * (norm.cdf(a * h) - 0.5)
    by_a = np.exp(-h * h * (1 + a * a) / 2) / (1 + a * a) / (2 * np.pi)
    for one, known in zip(found, (owens_t(h, a), by_h, by_a), strict=True):
        np.testing.assert_allclose(one, known, rtol=1e-13, atol=1e-17)


@mpmath.workdps(30)
def test_slopes_of_the_covariance_and_of_the_defect_of_erf():
    """By differences of Plackett's integral; of x - erf(y) also where little is left."""

    def covariance(x, y, r):
        form = lambda t: mpmath.exp(-(x**2 - 2 * x * y * mpmath.sin(t) + y**2) / mpmath.cos(t) ** 2)  # noqa: E731
        return 2 / mpmath.pi * mpmath.quad(form, [0, mpmath.asin(r)])

    for at in ((0.3, 0.7, 0.4), (-0.5, 1.1, -0.6)):
        for i, slope in enumerate(special._COVARIANCE_SLOPES):
            known = mpmath.diff(covariance, at, tuple(int(k == i) for k in range(3)))
            assert float(slope(*at)) == pytest.approx(float(known), rel=1e-13)
    for a, b in ((0.3, 0.5), (1.0, 3.0), (1.0, 6.0), (-1.0, -6.0), (-0.2, 0.0)):
        assert float(special._erf_defect(a, b)) == pytest.approx(
            float(a - mpmath.erf(b)), rel=1e-14
        )
        assert float(special._erf_prime(b)) == pytest.approx(float(mpmath.diff(mpmath.erf, b)))
        assert float(special.normal_cdf(b)) == pytest.approx(float(mpmath.ncdf(b)), rel=1e-14)


def test_quadratures_without_the_compiler(monkeypatch):
    """Of exp(-2 x^2 - 0.3 / x^2 + 1) / (1 + x^2), and of E cos X and E cos X cos Y."""
    monkeypatch.setattr(special, "jnp", np)
    numbers = (2.0, 0.3, 1.0, 0.05, 1.0)
    known = mpmath.quad(
        lambda t: mpmath.exp(1 - 2 * t * t - 0.3 / t**2) / (1 + t * t), [0.05, 0.2, 0.5, 1]
    )
    with jax.disable_jit():
        found = special._integral_on_geometric_pieces(*(np.array([n]) for n in numbers))
        one = means._trapezoid(lambda z: [np.cos(z)] * 2, (0,), True, 0.4, 1.21)
        both = means._trapezoid(
            lambda z, t: [np.cos(z) * np.cos(t)], (0, 0), True, 0.4, -0.7, 1.0, 0.3, 0.5
        )
    assert found.tolist() == pytest.approx([float(known)], rel=1e-14)
    assert float(one) == pytest.approx(np.cos(0.4) * np.exp(-1.21 / 2), rel=1e-14)
    # Of the sum and of the difference, whose variances are 1 + 0.5 +- 0.6.
    exact_mean = (np.cos(-0.3) * np.exp(-2.1 / 2) + np.cos(1.1) * np.exp(-0.9 / 2)) / 2
    assert float(both) == pytest.approx(exact_mean, rel=1e-14)


def test_slopes_of_means_without_the_compiler(monkeypatch):
    """Of E cos(a X) and E cos(X) cos(a Y): in means, in covariances, and in the parameter."""

    def difference(function, i):
        def slope(*at):
            ahead, behind = (
                np.array(function(*at[:i], at[i] + s, *at[i + 1 :])) for s in (1e-4, -1e-4)
            )
            return (ahead - behind) / 2e-4

        return slope

    def with_slope(value, slope):
        value.slope = slope
        return value

    nodes, weights = np.polynomial.hermite_e.hermegauss(40)

    def mean(f, orders, gapless, *inputs):
        assert not gapless
        if len(orders) == 1:
            m, v, a = inputs
            derivative, plain = f(m + np.sqrt(v) * nodes, a)
            found, again = (
                weights @ x / np.sqrt(2 * np.pi)
                for x in (derivative, plain * hermite_polynomial(nodes, orders[0]))
            )
            assert again / v ** (orders[0] / 2) == pytest.approx(found, abs=1e-7)
            return found
        m, k, v, c, w, a = inputs
        x, z = np.sqrt(v) * nodes[:, None], np.sqrt(w - c * c / v) * nodes
        return weights @ f(m + x, k + c / v * x + z, a)[0] @ weights / (2 * np.pi)

    monkeypatch.setattr(means, "jnp", np)
    monkeypatch.setattr(means, "jnp", np)
    monkeypatch.setattr(means, "_trapezoid", mean)
    monkeypatch.setattr(means, "partial_derivative", difference)
    monkeypatch.setattr(means, "make_differentiable", with_slope)
    m, k, v, c, w, a = symbols("m k v c w a")
    # Half the means of the cosines of the sum and of the difference.
    two = sum(cos(m + s * a * k) * exp(-(v + 2 * s * a * c + a**2 * w) / 2) / 2 for s in (1, -1))
    for f, orders, known, at in (
        (lambda z, a: [np.cos(a * z)] * 2, (0,), cos(a * m) * exp(-(a**2) * v / 2),
         {m: 0.4, v: 1.7, a: 0.7}),
        (lambda z, t, a: [np.cos(z) * np.cos(a * t)], (0, 0), two,
         {m: 0.4, k: -0.7, v: 0.9, c: 0.3, w: 0.5, a: 0.8}),
    ):  # fmt: skip
        value, numbers = means.gaussian_mean(f, orders), tuple(at.values())
        assert float(value(*numbers)) == pytest.approx(float(known.subs(at)), abs=1e-13)
        for i, name in enumerate(at):
            exact = float(known.diff(name).subs(at))
            assert float(value.slope(i)(*numbers)) == pytest.approx(exact, abs=1e-7), (at, name)


def test_the_risk_of_softmax_by_a_call_of_the_host(monkeypatch):
    """Its values, its gradient, and the derivative of the values, with a formula for the risk."""

    def risk_of(mu, extra, counts, means, covs):
        slopes = np.arange(1.0, 4.0) * counts[:, None], np.ones_like(covs) * mu
        return mu * extra + counts @ means @ [1, 2, 3] + mu * covs.sum(), 7.0, *slopes

    monkeypatch.setattr(softmax_risk_backends, "numba_softmax_risk", lambda: risk_of)
    monkeypatch.setattr(softmax_risk_backends, "softmax_risk_and_derivatives", risk_of)
    # Three means and six entries of the covariance move with the state, by a matrix.
    matrix = np.random.default_rng(0).normal(size=(9, 2))
    jnp = jax.numpy

    def law_of(state, noise, mu):
        return jnp.concatenate([jnp.full((*state.shape[:-1], 1), mu), state @ matrix.T], axis=-1)

    def rest(state, noise, mu):
        numbers = jnp.concatenate([jnp.full(1, noise), matrix.ravel()])
        return jnp.broadcast_to(numbers, (*state.shape[:-1], len(numbers)))

    def counts_of(state, noise, mu):
        return jnp.broadcast_to(jnp.array([0.5, 4.0]), (*state.shape[:-1], 2))

    at, mu = np.array([[0.4, -0.3], [1.2, 0.8]]), 1.5
    with jax.disable_jit():
        several, risk = (
            softmax_risk_backends.make_jax_softmax_risk(counts_of, law_of, rest, what, 2)
            for what in (("risk", "excess_risk", "gradient"), ("risk",))
        )
        found = several(at, 0.25, mu)
        slopes = jax.grad(lambda x, mu: risk(x, 0.25, mu)[0], (0, 1))(at[0], mu)
        with pytest.raises(NotImplementedError, match="first derivatives"):
            jax.grad(lambda x: several(x, 0.25, mu)[2])(at[0])
    law = matrix @ at.T
    excess = (
        0.5 * mu + 4 * np.array([1, 2, 3]) @ law[:3] + mu * (np.array([1, 2, 2, 1, 2, 1]) @ law[3:])
    )
    gradient = np.array([4, 8, 12, *[mu] * 6]) @ matrix
    exact = np.column_stack([excess + 0.25, excess, [gradient] * 2])
    assert np.asarray(found) == pytest.approx(exact)
    assert slopes[0].tolist() == pytest.approx(gradient.tolist())
    assert float(slopes[1]) == 7


# Owen's T and the risk of attention; the compiler of JAX takes seconds for each function.
@thorough_cases("zeta", "erf_variance", "erf_covariance")
@pytest.mark.parametrize("name", SINGLE)
def test_value_and_derivatives_of_a_function(name):
    function, places = SINGLE[name]
    slopes = [function.diff(z) for z in (x, y)]
    outputs = [function, *slopes, slopes[0].diff(x), slopes[0].diff(y), slopes[1].diff(y)]
    known = compile_expressions(outputs, [x, y], [], "mpmath")
    compiled = derivatives(compile_expressions([function], [x, y], [], "jax"))
    for at in places:
        expected = known(at)
        for found in compiled(np.array(at)):
            for one, other in zip(found, expected, strict=True):
                size = max(abs(other), max(map(abs, expected)) / 1000)
                assert abs(mpmath.mpf(float(one)) - other) < 1e-12 * size, (at, found, expected)


def test_a_branch_that_is_not_taken_does_not_spoil_derivatives():
    function = Piecewise((sin(x) / x, Ne(x, 0)), (1 - x * y, True))
    compiled = compile_expressions([function], [x, y], [], "jax")
    with mpmath.workdps(30):
        at_half = mpmath.cos(0.5) / mpmath.mpf(0.5) - mpmath.sin(0.5) / mpmath.mpf(0.25)
    slope = jax.grad(lambda at: compiled(at)[0])
    assert slope(np.array([0.5, 2.0])).tolist() == pytest.approx([float(at_half), 0.0])
    assert slope(np.array([0.0, 2.0])).tolist() == [-2.0, 0.0]
    assert jax.jacrev(slope)(np.array([0.0, 2.0])).tolist() == [[0, -1], [-1, 0]]


@thorough_only
@pytest.mark.parametrize("spread", [0.3, thorough(3.0)])
def test_means_by_quadrature(spread):
    c = Symbol("c", real=True)
    mean = gaussian_mean(tanh(c * Z) * Z, GaussianLaw({Z: x}, [[y**2]]))
    compiled = jax.jit(compile_expressions([mean], [x, y], [c], "jax"))
    at, steep = np.array([0.4, spread]), 1.3

    def by_definition(m, s, c):
        nodes = [m + k * s for k in range(-9, 10)]
        form = lambda z: mpmath.tanh(c * z) * z * mpmath.npdf(z, m, s)  # noqa: E731
        return mpmath.quad(form, nodes)

    with mpmath.workdps(25):
        places = (0.4, spread, steep)
        value = by_definition(*places)
        slopes = [
            mpmath.diff(by_definition, places, order) for order in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        ]
    found, (by_state, by_c) = jax.value_and_grad(lambda s, c: compiled(s, c)[0], (0, 1))(at, steep)
    assert float(found) == pytest.approx(float(value), rel=1e-14)
    assert [*by_state.tolist(), float(by_c)] == pytest.approx([float(s) for s in slopes], rel=1e-12)


# -- transformations, shapes, errors ---------------------------------------------------------------

REST = (0.1, 0.7, 400, 10, 0.1)


def test_jit_vmap_and_broadcasting():
    risk = kernel("excess_risk", "jax")
    states = np.array([feasible(np.random.default_rng(i), "anywhere") for i in range(6)])
    plain = kernel("excess_risk")(states, *REST)
    assert np.asarray(risk(states, *REST)) == pytest.approx(plain, rel=1e-12)
    assert np.asarray(jax.jit(risk)(states, *REST)) == pytest.approx(plain, rel=1e-12)
    alone = jax.vmap(lambda state: risk(state, *REST))(states)
    assert np.asarray(alone) == pytest.approx(plain, rel=1e-12)
    assert alone.dtype == np.float64
    lams = np.array([[0.1], [0.2]])
    assert risk(states, lams, *REST[1:]).shape == (2, 6, 1)
    assert risk(states.reshape(2, 3, 5).astype(np.float32), *REST).dtype == np.float64
    slopes = jax.vmap(jax.grad(lambda state: risk(state, *REST)[0]))(states)
    assert np.asarray(slopes) == pytest.approx(kernel("gradient")(states, *REST), rel=1e-10)


@thorough_only
def test_derivatives_in_parameters():
    risk = kernel("excess_risk", "jax")
    state = np.array([0.3, 0.2, 0.1, -0.2, 0.4])
    slope = jax.grad(lambda lam: risk(state, lam, *REST[1:])[0])(0.1)
    with mpmath.workdps(60):
        step, precise = mpmath.mpf(10) ** -25, kernel("excess_risk", "mpmath")
        ahead, behind = (
            precise(state.tolist(), mpmath.mpf(0.1) + s, *REST[1:], dps=60)[0]
            for s in (step, -step)
        )
        known = float((ahead - behind) / (2 * step))
    assert float(slope) == pytest.approx(known, rel=1e-12)


def test_a_state_of_another_width_is_refused():
    with pytest.raises(ValueError, match=r"state must have shape \(\.\.\., 5\); got \(7, 3\)"):
        kernel("gradient", "jax")(np.zeros((7, 3)), *REST)


def test_single_precision_is_refused_with_the_remedy():
    compiled = kernel("gradient", "jax")
    with jax.enable_x64(False):
        for call in (lambda: compiled(np.zeros(5), *REST), lambda: compile_risk()):
            with pytest.raises(RuntimeError, match=r"config\.update\('jax_enable_x64', True\)"):
                call()


def compile_risk():
    return compile_expressions([sqrt(x)], [x], [], "jax")


# -- models ----------------------------------------------------------------------------------------


@thorough_only
def test_softmax_has_first_derivatives_and_refuses_others():
    model = attention(softmax).model
    values = {"d": 20.0, "L": 10.0, "gamma": 0.7, "lambda": 0.5, "epsilon": 0.1}
    rest = [values[p.name] for p in model.parameters]
    states = np.random.default_rng(1).uniform(-0.5, 0.5, (3, len(model.order_parameters)))
    plain = model.compile("numpy")(states, *rest)
    assert np.asarray(model.compile("jax")(states, *rest)) == pytest.approx(plain, rel=1e-13)
    compiled = model.compile("jax", "risk")

    def risk(state, *rest):
        return compiled(state, *rest)[0]

    found = jax.jit(jax.vmap(jax.value_and_grad(risk), (0, *[None] * len(rest))))(states, *rest)
    assert np.asarray(found[0]) == pytest.approx(plain[:, 0], rel=1e-13)
    assert np.asarray(found[1]) == pytest.approx(plain[:, 1:], rel=1e-12, abs=1e-15)
    with pytest.raises(NotImplementedError, match=r"compile\('jax', 'risk'\)"):
        jax.hessian(risk)(states[0], *rest)
    tokens = 1 + [p.name for p in model.parameters].index("L")
    with pytest.raises(NotImplementedError, match="first derivatives"):
        jax.grad(risk, tokens)(states[0], *rest)
