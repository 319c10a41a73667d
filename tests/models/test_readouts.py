"""Readouts of sums over tokens: against exact moments of numbers, and samples in R^d."""

import itertools

import numpy as np
import pytest
from scipy.special import erf as scipy_erf
from sympy import Poly, Rational, Symbol, erf, factorial2, symbols

from slrsym.models import Direction, NotClosedError, Predictor, Token, TokenSequence, model, softmax
from tests._profile import more, thorough, thorough_cases

pytestmark = more

q, k, v = (Direction(name) for name in "qkv")
u = Direction("u", unit=True)
L = Symbol("L", integer=True, positive=True)
ONE = Token(mean=u, target=lambda X: X @ u, name="one")
OTHER = Token(cov=Rational(1, 2), name="other")
# Shares and readouts; in the second one direction stands in both sums.
APART = ([lambda X: X @ q, lambda X: (X @ k) * (X @ v)], lambda s, t: s * t)
TIED = ([lambda X: X @ k, lambda X: (X @ k) * (X @ v)], lambda s, t: s * t + t)
ERF = ([lambda X: erf(X @ q), lambda X: (X @ k) * (X @ v)], lambda s, t: s**2 + t)
# Its second order has hundreds of means, most of them in two variables.
CUBIC = ([lambda X: erf(X @ q), lambda X: erf(X @ k) * (X @ v)], lambda s, t: s**2 * t)


def stated(of, others=None, **options):
    counts = {ONE: 1, OTHER: L - 1 if others is None else others}
    return model(TokenSequence(counts, **options), Predictor(sums=of[0], readout=of[1]))


def exact_mean(polynomial, normals):
    """Return the mean of a polynomial in independent standard normal numbers."""
    total = 0
    for powers, c in Poly(polynomial, *normals).terms():
        if not any(n % 2 for n in powers):
            for n in powers:
                c *= factorial2(n - 1)
            total += c
    return total


@pytest.mark.parametrize("tokens", [1, 2, thorough(3), thorough(4)])
@pytest.mark.parametrize("of", [APART, TIED], ids=["apart", "tied"])
def test_risk_of_numbers(of, tokens):
    # In one dimension directions are numbers, and means those of polynomials.
    at = {q: Rational(2, 3), k: Rational(-1, 2), v: Rational(5, 4), u: 1}
    z = symbols(f"z_:{tokens}", real=True)

    class Number:
        def __init__(self, x):
            self.x = x

        def __matmul__(self, other):
            return self.x * at[other]

    # The square of the standard deviation of all but the first is 1/2.
    root = Symbol("root")
    listed = [Number(1 + z[0]), *(Number(root * x) for x in z[1:])]
    error = listed[0] @ u - of[1](*(sum(f(X) for X in listed) for f in of[0]))
    square = Poly((error**2).expand(), root).as_expr()
    right = sum(
        exact_mean(c, z) * Rational(1, 2) ** (n // 2)
        for (n,), c in Poly(square, root).terms()
        if n % 2 == 0
    )
    m = stated(of)
    inside = {m.inner_product(x, y): at[x] * at[y] for x in m.directions for y in m.directions}
    values = {p: inside[p] for p in m.order_parameters}
    assert m.risk.subs(values).subs(L, tokens) == right + Rational(0)


def sampled(of, rows, tokens, count, seed):
    """Return squared errors of samples in R^d, their gradients, and products of these over d.

    Of the products this is what is left at large d, where tokens are orthogonal.
    """
    rng = np.random.default_rng(seed)
    spread = np.array([1, *[np.sqrt(0.5)] * (tokens - 1)])
    X = spread[:, None] * rng.standard_normal((count, tokens, len(rows[u])))
    X[:, 0] += rows[u]
    a, b, c, y = (X @ rows[x] for x in (q, k, v, u))

    def slope(x):
        return 2 / np.sqrt(np.pi) * np.exp(-(x**2))

    one, zero = np.ones_like(a), np.zeros_like(a)
    # The sums, the derivatives of shares in q, k and v, and those of the readout.
    shares, of_shares = {
        "apart": ([a, b * c], [[one, zero, zero], [zero, c, b]]),
        "tied": ([b, b * c], [[zero, one, zero], [zero, c, b]]),
        "erf": ([scipy_erf(a), b * c], [[slope(a), zero, zero], [zero, c, b]]),
    }[of]
    s, t = (x.sum(axis=1) for x in shares)
    out, *rates = {
        "apart": (s * t, t, s), "tied": (s * t + t, t, s + 1), "erf": (s**2 + t, 2 * s, s**0),
    }[of]  # fmt: skip
    error = y[:, 0] - out
    weights = np.stack([
        -sum(r[:, None] * d[x] for r, d in zip(rates, of_shares, strict=True)) for x in range(3)
    ])  # fmt: skip
    gradient = 2 * error[:, None] * np.einsum("xsl,sld->xsd", weights, X)
    pairs = 4 * error**2 * np.einsum("xsl,ysl,l->xys", weights, weights, spread**2)
    return error**2, gradient, pairs


def score(samples, exact):
    spread = samples.std()
    return abs(samples.mean() - exact) * np.sqrt(len(samples)) / spread if spread else abs(exact)


@thorough_cases("tied-of0")
@pytest.mark.parametrize(
    ("name", "of"),
    [("tied", TIED), thorough("apart", APART), thorough("erf", ERF)],
)
def test_risk_and_motion_of_samples(name, of):
    m, tokens = stated(of), 3
    rng = np.random.default_rng(1)
    rows = {x: rng.standard_normal(4) / 3 for x in (q, k, v, u)}
    rows[u] /= np.linalg.norm(rows[u])
    square, gradient, pairs = sampled(name, rows, tokens, 150_000, 2)
    listed = m.directions
    places = {m.inner_product(x, y): rows[x] @ rows[y] for x in listed for y in listed}
    risk = m.compile("numpy", "risk")([places[p] for p in m.order_parameters], tokens)
    assert score(square, risk[0]) <= 4
    flow, online = (m.equations(kind, rate=1) for kind in ("gradient-flow", "online-sgd"))
    state = [places[p] for p in flow.state]
    change = flow.compile("numpy")(state, tokens)
    noise = online.compile("numpy")(state, tokens) - change
    for p, rate, second in zip(flow.state, change, noise, strict=True):
        x, y = (m.directions[i] for i in m.gram_indices[p][:2])
        along, both = gradient[(q, k, v).index(x)] @ rows[y], np.zeros(9)
        if y is not u:
            along = along + gradient[(q, k, v).index(y)] @ rows[x]
            both = pairs[(q, k, v).index(x), (q, k, v).index(y)]
        assert score(along, -rate) <= 4, p
        assert score(both, second) <= 4, p


def test_more_means_than_are_derived():
    words = r"^the readout sum_1\*\*2\*sum_2 of sum_1, sum_2 needs more than 500 means"
    with pytest.raises(NotClosedError, match=words):
        stated(CUBIC).equations("online-sgd", rate=1)


@pytest.mark.parametrize("backend", ["mpmath", "ball", thorough("numba"), thorough("jax")])
def test_backends_agree(backend):
    pytest.importorskip({"numba": "numba", "jax": "jax"}.get(backend, "numpy"))
    m = stated(TIED)
    state = [0.3, 0.1, 0.2, 0.5, 0.4][: len(m.order_parameters)]
    right = m.compile("numpy", "risk", "gradient", "hessian")(state, 4)
    found = m.compile(backend, "risk", "gradient", "hessian")(state, 4)
    found = [float(x.mid() if backend == "ball" else x) for x in found]
    assert found == pytest.approx(right, rel=1e-12)


def test_slopes_of_the_risk():
    m = stated(TIED)
    state = np.array([0.3, 0.1, 0.2, 0.5, 0.4])
    risk, step = m.compile("numpy", "risk"), 1e-5
    slopes = [
        (risk(state + move, 4)[0] - risk(state - move, 4)[0]) / (2 * step)
        for move in step * np.eye(5)
    ]
    assert m.compile("numpy", "gradient")(state, 4) == pytest.approx(slopes, rel=1e-8)


def test_online_sgd_in_high_dimension():
    d, runs, rate, time, tokens = 300, 32, 0.03, 1.0, 3
    m = stated(TIED, noise=Rational(1, 5))
    e = m.equations("online-sgd", rate=rate)
    start = {k @ k: 0.5, k @ v: 0.1, k @ u: 0.3, v @ v: 0.4, v @ u: 0.2}
    solved = e.solve({"L": tokens}, start, time, points=2, backend="numpy")
    gram = np.array([[0.5, 0.1, 0.3], [0.1, 0.4, 0.2], [0.3, 0.2, 1]])
    rows = np.zeros((3, d))
    rows[:, :3] = np.linalg.cholesky(gram)
    W = np.repeat(rows[None], runs, axis=0)
    rng = np.random.default_rng(6)
    for _ in range(int(time * d)):
        X = rng.standard_normal((runs, tokens, d))
        X[:, 1:] *= np.sqrt(0.5)
        X[:, 0] += W[:, 2]
        b, c, y = np.moveaxis(X @ np.swapaxes(W, 1, 2), 2, 0)
        s, t = b.sum(axis=1), (b * c).sum(axis=1)
        error = (y[:, 0] + 0.2 * rng.standard_normal(runs) - (s + 1) * t)[:, None]
        W[:, 0] += 2 * rate / d * np.einsum(
            "rl,rld->rd", error * (t[:, None] + (s[:, None] + 1) * c), X
        )  # fmt: skip
        W[:, 1] += 2 * rate / d * np.einsum("rl,rld->rd", error * (s[:, None] + 1) * b, X)
    for x, y in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2)):
        name = m.inner_product(*((k, v, u)[i] for i in (x, y))).name
        found = (W[:, x] * W[:, y]).sum(axis=1)
        assert score(found, float(solved[name][-1])) <= 4, name


def test_trained_scalars_tokens_of_one_sum_and_inner_products():
    a = Symbol("a", real=True)
    sums = [{ONE: lambda X: X @ q}, lambda X: (X @ q) * (X @ v) / (q @ q)]
    cases = [({ONE: 1, OTHER: 2}, Rational(3, 10)), ({ONE: 2}, Rational(7, 10))]
    readout = lambda s, t: a * s * t + t - (q @ v) * s**2  # noqa: E731
    m = model(TokenSequence(cases, noise=0.3), Predictor(sums=sums, readout=readout))
    assert m.scalars == (a,)
    for method in ("plain", "projected"):
        found = m.check({"d": 5, "a": 0.4}, rng=0, samples=50_000, method=method)
        assert found.is_passed
        assert len(found.z_scores) == 1 + 2 * 3
    with pytest.raises(ValueError, match=r"^method must be 'plain' or 'projected' for a readout"):
        m.check({"d": 5, "a": 0.4}, method="conditioned")
    flow = m.equations("gradient-flow", rate=1, train=a)
    state = np.array([0.5, 0.1, 0.2, 0.6, 0.3, 0.4])
    assert flow.state[-1] == a
    risk, step = flow.compile("numpy", "risk"), np.array([0, 0, 0, 0, 0, 1e-5])
    slope = (risk(state + step)[0] - risk(state - step)[0]) / 2e-5
    assert flow.compile("numpy")(state)[-1] == pytest.approx(-slope, rel=1e-8)


@pytest.mark.parametrize("share", [lambda X: X @ k, thorough(lambda X: erf(X @ k))])
def test_one_sum_is_the_predictor_of_shares(share):
    data = TokenSequence({ONE: 1, OTHER: 2}, noise=0.5)
    plain = model(data, Predictor(share))
    single = model(data, Predictor(sums=[share], readout=lambda s: s))
    both = [m.equations("online-sgd", rate=0.7, batch=2) for m in (plain, single)]
    assert both[0].state == both[1].state
    for what in ("change", "risk", "leading_diffusion"):
        right, found = (e.compile("numpy", what)([0.5, 0.3]) for e in both)
        assert found == pytest.approx(right, rel=1e-11), what


def test_descriptions_of_readouts():
    m = stated(TIED)
    assert "predictor:  sum_1*sum_2 + sum_2 of (sum_1, sum_2) = sum over tokens of (<X, k>" in repr(
        m
    )
    assert "sum_1*sum_2 + sum_2 of" in m._repr_html_()


SUMS = [lambda X: X @ k]
REFUSED = [
    ({"sums": SUMS}, "a readout has functions of a token in `sums` and a function"),
    ({"sums": SUMS, "readout": 3}, "a readout has functions of a token in `sums` and a function"),
    ({"share": SUMS[0], "sums": SUMS, "readout": abs}, "neither `share` nor `bias`"),
    ({"sums": [3], "readout": lambda s: s}, "sums must be functions of a token, or mappings"),
    ({"sums": SUMS, "readout": lambda s, t: s}, "readout must be a function of 1 sums"),
    ({"sums": SUMS, "readout": lambda s: [s]}, "readout must give an expression"),
    ({"sums": SUMS, "readout": lambda s: erf(s)}, "readout must be a polynomial in the sums"),
    ({"sums": [lambda X: softmax(X @ k) * (X @ v)], "readout": lambda s: s}, "softmax and sums"),
    ({"sums": [{Token(): SUMS[0]}], "readout": lambda s: s}, "that is none of the data"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), REFUSED)
def test_refused_readouts(options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        model(TokenSequence({ONE: 1, OTHER: 2}), Predictor(**options))


def test_another_loss_of_a_readout():
    with pytest.raises(ValueError, match="a readout of sums is for the squared error"):
        model(TokenSequence({ONE: 1}), Predictor(sums=SUMS, readout=lambda s: s), loss="huber")


def test_landscape_and_simulation_of_a_readout():
    m = stated(TIED, others=2)
    runs = m.simulate({"d": 8}, steps=200, alpha=0.01, rng=0, backend="numpy")
    assert runs.risk.values[0, -1] < runs.risk.values[0, 0]
    points = m.landscape({"d": 8}, starts=6, rng=0)
    assert all(np.isfinite(x) for p in points for x in itertools.chain([p.risk], p.state))
