"""Losses other than the square: risk, motion and second order against integrals of this file."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from sympy import Rational, Symbol, cosh, erf, log, sign, sqrt

from slrsym.kernels.numpy_special_functions import compute_normal_means
from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model
from tests._profile import NIGHTLY, THOROUGH, more, thorough, thorough_only

pytestmark = more

Q, R, tau = Symbol("Q", positive=True), Symbol("R", real=True), Symbol("tau", positive=True)
w, u = Direction("w"), Direction("u", unit=True)
xi = Noise("xi")
NAMES = {w @ w: Q, w @ u: R}

# The loss of a label v and an output f, its derivative in f, and where it has a kink for v = 1.
LOSSES = {
    "logistic": (
        lambda v, f: np.logaddexp(0, -v * f), lambda v, f: -v / (1 + math.exp(v * f)), None
    ),
    "hinge": (lambda v, f: max(0, 1 - v * f), lambda v, f: -v * (v * f < 1), 1),
    "squared hinge": (
        lambda v, f: max(0, 1 - v * f) ** 2, lambda v, f: -2 * v * max(0, 1 - v * f), 1
    ),
    "exponential": (lambda v, f: math.exp(-v * f), lambda v, f: -v * math.exp(-v * f), None),
    "perceptron": (lambda v, f: max(0, -v * f), lambda v, f: -v * (v * f < 0), 0),
}  # fmt: skip


def of_noisy_sign(loss):
    label = Token(target=lambda X: sign(X @ u + sqrt(tau) * (X @ xi)))
    return model(TokenSequence({label: 1}), Predictor(lambda X: X @ w), loss=loss, names=NAMES)


def laws(count):
    rng = np.random.default_rng(0)
    lengths = rng.uniform(0.1, 2, count)
    return [(q, math.sqrt(q) * c) for q, c in zip(lengths, rng.uniform(-1, 1, count), strict=True)]


def integrals(name, q, r, t):
    """Return E D, E[D_w W], E[D_w U] and E[D_w^2], of W and a label sign(U + sqrt(t) noise)."""
    value, slope, kink = LOSSES[name]
    found = np.zeros(4)
    spread = math.sqrt(1 + t - r * r / q)
    for v in (1, -1):
        ends = sorted(
            {-14 * math.sqrt(q), 0, 14 * math.sqrt(q), *([] if kink is None else [v * kink])}
        )
        ends = [x for x in ends if abs(x) <= 14 * math.sqrt(q)]

        def parts(f, v=v):
            middle = r * f / q
            at = middle / spread
            chance = norm.cdf(v * at)
            # U = middle + a share of what is left.
            rest = (1 - r * r / q) / spread * norm.pdf(at) * v
            weight = norm.pdf(f, scale=math.sqrt(q))
            d = slope(v, f)
            return weight * np.array(
                [value(v, f) * chance, d * f * chance, d * (middle * chance + rest), d * d * chance]
            )

        for i in range(4):
            for low, high in itertools.pairwise(ends):
                found[i] += quad(lambda f, i=i: parts(f)[i], low, high, epsabs=1e-13, limit=200)[0]
    return found


@pytest.mark.parametrize(
    "name",
    [
        "logistic",
        thorough("hinge"),
        thorough("squared hinge"),
        thorough("exponential"),
        "perceptron",
    ],
)
def test_risk_and_motion_of_noisy_labels(name):
    of = of_noisy_sign(name)
    risk, flow = of.compile("numpy", "risk", "gradient"), of.equations("gradient-flow", rate=1)
    change = flow.compile("numpy")
    online = of.equations("online-sgd", rate=1).compile("numpy")
    for q, r in laws(50 if NIGHTLY else 12 if THOROUGH else 2):
        mean, along_w, along_u, second = integrals(name, q, r, 0.25)
        value, in_q, in_r = risk([q, r], 0.25)
        assert value == pytest.approx(mean, abs=1e-10)
        assert [2 * q * in_q + r * in_r, 2 * r * in_q + in_r] == pytest.approx(
            [along_w, along_u], abs=1e-9
        )
        assert change([q, r], 0.25) == pytest.approx([-2 * along_w, -along_u], abs=1e-9)
        assert online([q, r], 0.25) - change([q, r], 0.25) == pytest.approx([second, 0], abs=1e-9)


def test_the_square_as_a_function_of_label_and_output():
    label = Token(target=lambda X: erf(X @ u))
    data, share = TokenSequence({label: 1}), Predictor(lambda X: erf(X @ w))
    plain = model(data, share, names=NAMES)
    stated = model(data, share, names=NAMES, loss=lambda y, f: (y - f) ** 2)
    for q, r in laws(5):
        for what in ("risk", "gradient", "hessian"):
            right = plain.compile("numpy", what)([q, r])
            assert stated.compile("numpy", what)([q, r]) == pytest.approx(right, abs=1e-14)
    rates = [
        x.equations("online-sgd", rate=1).compile("numpy")([0.7, 0.3]) for x in (plain, stated)
    ]
    assert rates[0] == pytest.approx(rates[1], abs=1e-14)


def test_a_mixture_of_classes_and_sampled_tokens():
    mu = Symbol("mu", positive=True)
    plus = Token(mean=mu * u, target=lambda X: 1, name="plus")
    minus = Token(mean=-mu * u, target=lambda X: -1, name="minus")
    data = TokenSequence([({plus: 1}, 0.5), ({minus: 1}, 0.5)])
    of = model(data, Predictor(lambda X: X @ w), loss="logistic", names=NAMES)
    value = of.compile("numpy", "risk")([0.7, 0.3], 1.2)[0]
    right = quad(lambda z: np.logaddexp(0, -(0.36 + math.sqrt(0.7) * z)) * norm.pdf(z), -12, 12)[0]
    assert value == pytest.approx(right, abs=1e-10)
    assert of.check({"d": 5, "mu": 1.2}, rng=0, samples=20_000).is_passed


@thorough_only
def test_sampled_tokens():
    assert of_noisy_sign("hinge").check({"d": 5, "tau": 0.5}, rng=0, samples=20_000).is_passed


@pytest.mark.parametrize("backend", ["numpy", thorough("numba")])
def test_logistic_loss_of_labels_with_little_noise(backend):
    of = of_noisy_sign("logistic")
    risk = of.compile(backend, "risk", "gradient")
    change = of.equations("gradient-flow", rate=1).compile(backend)
    for q, t, side in itertools.product((0.01, 0.7, 1, 25), (1e-4, 1e-6, 1e-9, 0), (1, -1)):
        r, root = side * math.sqrt(q), math.sqrt(q)

        def mean(f, root=root):
            return 2 * quad(lambda z: f(root * z) * norm.pdf(z), 0, 14, epsabs=1e-15)[0]

        # log(1 + exp(-y f)) = log(2 cosh(f / 2)) - y f / 2, and E y U = sqrt(2 / (pi (1 + t))).
        at_label = math.sqrt(2 / math.pi / (1 + t))
        value, _, in_r = risk([q, r], t)
        right = mean(lambda f: np.logaddexp(f / 2, -f / 2)) - r * at_label / 2
        assert value == pytest.approx(right, abs=1e-13)
        assert in_r == pytest.approx(-at_label / 2, abs=1e-13)
        tilt = mean(lambda f: f * math.tanh(f / 2)) / 2
        moved = [-2 * (tilt - r * at_label / 2), -(r / q * tilt - at_label / 2)]
        assert change([q, r], t) == pytest.approx(moved, abs=1e-11)


@pytest.mark.parametrize("backend", ["numpy", "mpmath", thorough("numba")])
def test_a_mean_that_no_grid_finds(backend):
    of = of_noisy_sign("logistic")
    if backend != "mpmath":
        point = r"its integrand overflows.* Q = 1000000, R = 1000, tau = 0\.25$"
        with pytest.raises(ArithmeticError, match=point):
            of.compile(backend, "risk")([1e6, 1e3], 0.25)
        states = [[1, 0.5], [2, 0.5], [1e6, 1e3], [1, 0.5], [1e6, 1e3]]
        with pytest.raises(ArithmeticError, match=r"R = 1000, tau = 0\.3$"):
            of.compile(backend, "risk")(states, [0.1, 0.2, 0.3, 0.4, 0.5])
    if backend == "numpy":
        with pytest.raises(ArithmeticError, match=point):
            of.equations("gradient-flow", rate=1).compile(backend)([1e6, 1e3], 0.25)
    risk = of.compile(backend, "risk")
    assert float(risk([1, 1], 0)[0]) == pytest.approx(0.4071169029460071, abs=1e-13)


def test_a_peak_between_all_first_nodes():
    def peak(z, width):
        bell = np.exp(-z * z / width**2 / 2)
        return bell, bell

    found = compute_normal_means(peak, (0,), 0.17, 1.0, 1e-3)
    right = 1e-3 / math.sqrt(1 + 1e-6) * math.exp(-(0.17**2) / 2 / (1 + 1e-6))
    assert found == pytest.approx(right, rel=1e-12)
    with pytest.raises(ArithmeticError, match="changes too fast"):
        compute_normal_means(peak, (0,), 0.0, 1.0, 1e-4)


def test_a_loss_of_ones_own():
    label = Token(target=lambda X: X @ u)
    of = model(
        TokenSequence({label: 1}), Predictor(lambda X: X @ w), names=NAMES,
        loss=lambda y, f: log(cosh(y - f)),
    )  # fmt: skip
    right = quad(lambda z: math.log(math.cosh(math.sqrt(1.1) * z)) * norm.pdf(z), -12, 12)[0]
    assert of.compile("numpy", "risk")([0.7, 0.3])[0] == pytest.approx(right, abs=1e-8)


def test_three_classes():
    a, b = Direction("a"), Direction("b")
    c = Direction("c", unit=True)
    tokens = [Token(mean=m * c, target=lambda X, n=n: n) for n, m in enumerate((2, 0, -1))]
    data = TokenSequence([({t: 1}, p) for t, p in zip(tokens, (0.25, 0.5, 0.25), strict=True)])
    of = model(data, Predictor(lambda X: [X @ a, X @ b, 0]), loss="cross-entropy")
    found = of.check({"d": 5}, rng=0, samples=20_000)
    assert found.is_passed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"loss": "log"}, "loss must be one of square, absolute, huber, logistic"),
        ({"loss": "hinge", "target": lambda X: X @ u}, "is for labels 1 and -1; the target is"),
        ({"loss": "hinge", "count": 2}, "a loss other than the square is for data of one token"),
        ({"loss": "hinge", "noise": 0.1}, "write it in the label"),
        ({"loss": "cross-entropy"}, "integral of K - 1 dimensions"),
        ({"loss": "hinge", "share": lambda X: [X @ w, 0]}, "is for a predictor of one output"),
    ],
)
def test_what_is_refused(options, words):
    token = Token(target=options.get("target", lambda X: sign(X @ u)))
    data = TokenSequence({token: options.get("count", 1)}, noise=options.get("noise", 0))
    with pytest.raises(ValueError, match=words):
        model(data, Predictor(options.get("share", lambda X: X @ w)), loss=options["loss"])


@pytest.mark.parametrize("units", [1, thorough(2)])
def test_fluctuations_of_the_square_as_a_loss(units):
    label = Token(target=lambda X: X @ u)
    data, share = TokenSequence({label: 1}), Predictor(lambda X: units * (X @ w))
    plain = model(data, share, names=NAMES)
    stated = model(data, share, names=NAMES, loss=lambda y, f: (y - f) ** 2)
    both = [x.equations("online-sgd", rate=0.7, batch=3, momentum=0.4) for x in (plain, stated)]
    for what in (None, "diffusion", "leading_diffusion"):
        for q, r in laws(3):
            right, found = (x.compile("numpy", *([what] if what else []))([q, r]) for x in both)
            assert found == pytest.approx(right, rel=1e-13), what


@pytest.mark.parametrize("name", ["perceptron", thorough("logistic"), thorough("hinge")])
def test_covariance_of_sampled_steps(name):
    q, r, t, count = 0.7, 0.3, 0.25, 400_000
    e = of_noisy_sign(name).equations("online-sgd", rate=1)
    found = np.reshape(e.compile("numpy", "leading_diffusion")([q, r], t), (2, 2))
    rng = np.random.default_rng(1)
    U, noise = rng.standard_normal((2, count))
    W = r * U + math.sqrt(q - r * r) * rng.standard_normal(count)
    v = np.sign(U + math.sqrt(t) * noise)
    slope = {
        "perceptron": -v * (v * W < 0), "hinge": -v * (v * W < 1),
        "logistic": -v / (1 + np.exp(v * W)),
    }[name]  # fmt: skip
    steps = np.stack([-2 * slope * W, -slope * U])
    steps -= steps.mean(axis=1, keepdims=True)
    products = steps[:, None] * steps[None]
    errors = products.std(axis=-1) / math.sqrt(count)
    assert (abs(products.mean(axis=-1) - found) <= 4 * errors).all()


def test_descriptions_name_the_loss():
    def stated(**given):
        token = Token(target=lambda X: sign(X @ u))
        return model(TokenSequence({token: 1}), Predictor(lambda X: X @ w), **given)

    of = stated(loss="hinge")
    flow = of.equations("gradient-flow", rate=1)
    assert "\n  loss:       hinge loss" in repr(of)
    assert "on the hinge loss" in repr(flow)
    assert "hinge loss" in of._repr_html_()
    assert "on the hinge loss" in flow._repr_html_()
    assert "stated loss" in repr(stated(loss=lambda y, f: (y - f) ** 4))
    assert "loss" not in repr(stated())
    assert "on the squared error" in repr(stated().equations("gradient-flow", rate=1))


@pytest.mark.parametrize("loss", ["square", thorough("hinge")])
def test_ridge_is_added_to_any_loss(loss):
    def stated(ridge):
        token = Token(target=lambda X: sign(X @ u))
        return model(TokenSequence({token: 1}), Predictor(lambda X: X @ w), loss=loss, ridge=ridge)

    plain, more = stated(0), stated(Rational(3, 5))
    at = [0.7, 0.4] if plain.order_parameters[0].is_positive else [0.4, 0.7]
    lengths = [Rational(3, 10) if p.is_positive else 0 for p in plain.order_parameters]
    # The Hessian of the hinge loss takes half a minute to derive.
    orders = (("gradient", lengths), ("hessian", [0, 0, 0]))[: 1 if loss == "hinge" else 2]
    for what, added in orders:
        without, found = (m.compile("numpy", what)(at) for m in (plain, more))
        assert np.asarray(found) - without == pytest.approx([float(x) for x in added], abs=1e-14)
    (without,), (found,) = (m.compile("numpy", "risk")(at) for m in (plain, more))
    assert found - without == pytest.approx(0.3 * 0.7, abs=1e-14)


def test_the_perceptron_loss_of_an_erf_unit_on_a_mixture():
    """Its mean has no form without branches at R = 0, where the means of the classes vanish."""
    half = Rational(1, 2)
    tokens = (Token(mean=y * u, target=lambda X, y=y: y, name=f"class {y}") for y in (1, -1))
    data = TokenSequence([({token: 1}, half) for token in tokens])
    m = model(data, Predictor(lambda X: erf(X @ w)), loss="perceptron", names=NAMES)
    assert m.quadrature.reason == "no closed form is known of the mean of erf(z), z normal"
    found = m.compile("numpy", "risk", "gradient")

    def own(q, r):
        weighted = lambda z: math.erf(z) * math.exp(-((z + r) ** 2) / (2 * q))  # noqa: E731
        return quad(weighted, 0, 30, epsabs=1e-15)[0] / math.sqrt(2 * math.pi * q)

    h = 1e-4
    for q, r in ((0.7, 0.0), (0.7, 0.3), (0.7, -0.8)):
        value, *slopes = found([q, r])
        assert value == pytest.approx(own(q, r), abs=1e-13)
        moved = [own(q + h, r) - own(q - h, r), own(q, r + h) - own(q, r - h)]
        assert slopes == pytest.approx([x / (2 * h) for x in moved], abs=1e-7)
