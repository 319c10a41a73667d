"""Predictors that give a vector or a list: against the loss of samples in R^d, by this file."""

import numpy as np
import pytest
from scipy.special import erf as scipy_erf
from sympy import Symbol, erf, sign, tanh

from slrsym.models import Direction, Directions, Noise, Predictor, Token, TokenSequence, model
from tests._profile import more, thorough

pytestmark = more

Q, R = Symbol("Q", positive=True), Symbol("R", real=True)
w, v, u = Direction("w"), Direction("v"), Direction("u", unit=True)
SPIKE = 1.5
UNITS = {
    "linear": (lambda x: x, lambda x: x, np.ones_like),
    "erf": (erf, scipy_erf, lambda x: 2 / np.sqrt(np.pi) * np.exp(-(x**2))),
    "tanh": (tanh, np.tanh, lambda x: 1 / np.cosh(x) ** 2),
}


def autoencoder(name, *weights):
    f = UNITS[name][0]
    data = TokenSequence({Token(cov={1: 1, u: SPIKE}, target=lambda X: X): 1})
    return model(data, Predictor(lambda X: sum(f(X @ x) * x for x in weights)))


def sampled(name, W, spike, count, seed):
    """Return samples of |x - sum_k w_k f(w_k.x)|^2 and of its gradient in the rows of W."""
    _, f, slope = UNITS[name]
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, W.shape[1]))
    X += (np.sqrt(1 + SPIKE) - 1) * (X @ spike)[:, None] * spike
    hidden = X @ W.T
    left = X - f(hidden) @ W
    back = slope(hidden) * (left @ W.T)
    gradient = -2 * (f(hidden)[:, :, None] * left[:, None] + back[:, :, None] * X[:, None])
    return (left**2).sum(axis=1), gradient


def score(samples, exact):
    return abs(samples.mean() - exact) * np.sqrt(len(samples)) / samples.std()


@pytest.mark.parametrize("name", ["erf", thorough("linear"), thorough("tanh")])
def test_a_tied_autoencoder_in_all_dimensions(name):
    m = autoencoder(name, w, v)
    rng = np.random.default_rng(1)
    W, spike = rng.standard_normal((2, 6)) / 3, rng.standard_normal(6)
    spike /= np.linalg.norm(spike)
    risk, gradient = sampled(name, W, spike, 200_000, 2)
    rows = dict(zip((w, v, u), (*W, spike), strict=True))
    pairs = {m.inner_product(x, y): rows[x] @ rows[y] for x in rows for y in rows}
    state = [pairs[p] for p in m.order_parameters]
    assert score(risk, m.compile("numpy", "risk")(state, 6)[0]) <= 4
    change = m.equations("gradient-flow", rate=1).compile("numpy")(state, 6)
    online = m.equations("online-sgd", rate=1)
    noise = online.compile("numpy")(state, 6) - change
    for p, rate, second in zip(online.state, change, noise, strict=True):
        i, j, _ = m.gram_indices[p]
        along = gradient[:, i] @ (*W, spike)[j]
        if j < 2:
            along = along + gradient[:, j] @ W[i]
        assert score(along, -rate) <= 4, p
        # Of the product of two gradients, divided by d, this is what is left at large d.
        found = _slopes(name, W, spike, i, j) if j < 2 else np.zeros(10)
        assert second == pytest.approx(found.mean(), abs=4 * found.std() / np.sqrt(len(found))), p


def _slopes(name, W, spike, i, j):
    """Return samples of the product of a loss's derivatives in two projections."""
    _, f, slope = UNITS[name]
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200_000, W.shape[1]))
    X += (np.sqrt(1 + SPIKE) - 1) * (X @ spike)[:, None] * spike
    hidden, gram = X @ W.T, W @ W.T
    # D = |x|^2 - 2 sum_k f(h_k) h_k + sum_kl f(h_k) f(h_l) w_k.w_l
    parts = 2 * slope(hidden) * (f(hidden) @ gram - hidden) - 2 * f(hidden)
    return parts[:, i] * parts[:, j]


def test_a_linear_autoencoder_finds_the_spike():
    m = autoencoder("linear", w)
    flow = m.equations("gradient-flow", rate=1).solve(
        {"d": 10}, {w @ w: 0.1, w @ u: 0.1}, 30, points=2
    )
    assert flow.risk.values[-1] == pytest.approx(10 - 1, abs=1e-9)
    (least, *_), at = m.landscape({"d": 6}, starts=8, rng=0), [1, 1]
    assert [least.risk, *least.state] == pytest.approx([5, *at], abs=1e-9)


def test_fluctuations_of_an_autoencoder():
    m = autoencoder("linear", w)
    e = m.equations("online-sgd", rate=1)
    rng = np.random.default_rng(4)
    q, r = 0.6, 0.4
    found = np.reshape(e.compile("numpy", "leading_diffusion")([q, r], 10), (2, 2))
    U, other = rng.standard_normal((2, 400_000))
    W = r * np.sqrt(1 + SPIKE) * U + np.sqrt(q - r * r) * other
    U = np.sqrt(1 + SPIKE) * U
    slope, inside = 2 * W * q - 4 * W, W * W
    # The gradient of W^2 |w|^2 has a part along w beside that along the token.
    steps = -np.stack([2 * (slope * W + 2 * inside * q), slope * U + 2 * inside * r])
    steps -= steps.mean(axis=1, keepdims=True)
    products = steps[:, None] * steps[None]
    errors = products.std(axis=-1) / np.sqrt(products.shape[-1])
    assert (abs(products.mean(axis=-1) - found) <= 4 * errors).all()


def test_an_inner_product_is_a_number_in_shares_and_losses():
    data = TokenSequence({Token(cov={1: 1, u: 2}, target=lambda X: X @ u): 1})
    names = {w @ w: Q, w @ u: R}
    scaled = model(data, Predictor(lambda X: 2 * (X @ w) / (w @ w)), names=names)
    q, r = 0.7, 0.3
    right = 3 - 4 * 3 * r / q + 4 * (q + 2 * r * r) / q**2
    assert scaled.compile("numpy", "risk")([q, r])[0] == pytest.approx(right, rel=1e-14)
    assert scaled.check({"d": 5}, rng=0, samples=20_000).is_passed
    plain = TokenSequence({Token(cov={1: 1, u: SPIKE}): 1})
    stated = model(
        plain, Predictor(lambda X: X @ w), names=names,
        loss=lambda _, h: -2 * h * erf(h) + (w @ w) * erf(h) ** 2,
    )  # fmt: skip
    whole = autoencoder("erf", w).compile("numpy", "risk", "gradient")([q, r], 8)
    found = stated.compile("numpy", "risk", "gradient")([q, r])
    assert np.add(found, [8 + SPIKE, 0, 0]) == pytest.approx(whole, rel=1e-13)
    operators = [w @ w + 1, 1 + w @ w, 1 - w @ w, w @ w - 1, 1 / (w @ w), (w @ w) ** 2, -(w @ w)]
    (x,) = (w @ w + 1).free_symbols
    assert operators == [x + 1, 1 + x, 1 - x, x - 1, 1 / x, x**2, -x]


def test_a_vector_as_target():
    data = TokenSequence({Token(target=lambda X: (X @ u) * u): 1})
    m = model(data, Predictor(lambda X: (X @ w) * w), names={w @ w: Q, w @ u: R})
    assert m.order_parameters == (Q, R)
    assert m.risk.expand() == Q**2 - 2 * R**2 + 1


def test_a_reconstruction_is_checked_by_whole_tokens():
    data = TokenSequence({Token(mean=v, cov={1: 2, u: SPIKE}, target=lambda X: X): 1})
    m = model(data, Predictor(lambda X: erf(X @ w) * w))
    found = m.check({"d": 6}, rng=3, samples=50_000)
    assert found.is_passed
    assert found.method == "plain"
    with pytest.raises(ValueError, match=r"^method must be 'plain' where a token is reconstr"):
        m.check({"d": 6}, method="projected")


@pytest.mark.parametrize("name", ["erf", thorough("linear")])
def test_the_square_of_a_list(name):
    f, of, _ = UNITS[name]
    xi = Noise("xi")
    token = Token(target=lambda X: [f(X @ u), X @ xi])
    share = Predictor(lambda X: [f(X @ w), (X @ w) * (X @ v)])
    m = model(TokenSequence({token: 1}), share)
    assert m.check({"d": 5}, rng=0, samples=20_000).is_passed
    rng = np.random.default_rng(5)
    W, V, U = (rng.standard_normal(5) / 2 for _ in range(3))
    U /= np.linalg.norm(U)
    X, noise = rng.standard_normal((200_000, 5)), rng.standard_normal(200_000)
    loss = (of(X @ U) - of(X @ W)) ** 2 + (noise - (X @ W) * (X @ V)) ** 2
    pairs = {m.inner_product(x, y): a @ b for x, a in ((w, W), (v, V)) for y, b in
             ((w, W), (v, V), (u, U))}  # fmt: skip
    state = [pairs[p] for p in m.order_parameters]
    assert score(loss, m.compile("numpy", "risk")(state)[0]) <= 4
    assert "squared error" in repr(m.equations("gradient-flow"))


def test_a_loss_of_two_lists():
    token = Token(target=lambda X: [X @ u, 2])
    m = model(
        TokenSequence({token: 1}), Predictor(lambda X: [X @ w, X @ v]),
        loss=lambda y, f: (y[0] - f[0]) ** 2 + y[1] * f[1] ** 2,
    )  # fmt: skip
    assert m.check({"d": 5}, rng=0, samples=20_000).is_passed


DESCRIBED = {
    "<X, w>*w": lambda X: (X @ w) * w,
    "(<X, w>, 0)": lambda X: [X @ w, 0],
}


@pytest.mark.parametrize("words", DESCRIBED)
def test_descriptions_of_outputs(words):
    listed = words.startswith("(")
    token = Token(target=(lambda X: [X @ u, 1]) if listed else (lambda X: X))
    m = model(TokenSequence({token: 1}), Predictor(DESCRIBED[words]))
    assert f"predictor:  sum over tokens of {words}" in repr(m)
    assert "w" in m._repr_html_()


def _whole(X):
    return X


REFUSED = [
    (_whole, lambda X: X @ w, {}, "the predictor gives no vector"),
    (_whole, lambda X: (X @ w) * w, {"loss": "huber"}, "whose loss is the squared distance"),
    (_whole, lambda X: (X @ w) * w, {"count": 2}, "a predictor that gives a vector is for data of"),
    (_whole, lambda X: (X @ w) * w, {"noise": 1}, "noise=1 is for targets that are numbers"),
    (_whole, lambda X: (X @ w) * w, {"cov": (1, 2)}, "a token as target is for covariances"),
    (lambda X: X @ u, lambda X: (X @ w) * w, {}, "and so must the target of token"),
    (lambda X: X @ u, lambda X: [X @ w, 0], {}, "a list of 2 outputs, and the target must be"),
    (lambda X: [0, 1], lambda X: [X @ w, 0], {"count": 2}, "a list of outputs is for data of one"),
    (lambda X: [0, 1], lambda X: X @ w, {"loss": "huber"}, "is for one label; the target is"),
    (lambda X: X @ u, lambda X: (X @ w) / (v @ v), {}, "one of its directions in no projection"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "share", "options", "words"), REFUSED)
def test_refused_outputs(target, share, options, words):
    token = Token(cov=options.get("cov", 1), target=target)
    data = TokenSequence({token: options.get("count", 1)}, noise=options.get("noise", 0))
    with pytest.raises((ValueError, TypeError), match=words):
        _ = model(data, Predictor(share), loss=options.get("loss", "square")).risk


def test_inner_products_of_units_that_are_counted_by_a_symbol():
    K = Symbol("K", integer=True, positive=True)
    units = Directions("w", K)
    data = TokenSequence({Token(target=lambda X: sign(X @ u)): 1})
    share = Predictor(lambda X: units.sum(lambda x: (X @ x) / (x @ x)))
    with pytest.raises(ValueError, match="state their number"):
        model(data, share)
