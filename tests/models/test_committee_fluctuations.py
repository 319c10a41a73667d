"""Fluctuations of committees of erf units by single samples, against samples of their scores."""

import numpy as np
import pytest
from scipy.special import erf as scipy_erf
from sympy import Max, Rational, erf

from slrsym.models import Direction, NotClosedError, Predictor, Token, TokenSequence, model
from tests._profile import more, nightly_cases, thorough, thorough_only

pytestmark = more

w, v, u = Direction("w"), Direction("v"), Direction("u", unit=True)
COMMITTEES = {
    "one unit": ((w,), (1,)),
    "two units": ((w, v), (1, Rational(-1, 2))),
}


@nightly_cases("two units-seeds1")
@pytest.mark.parametrize(
    ("name", "seeds"), [("one unit", range(3)), thorough("two units", range(2))]
)
def test_leading_diffusion_is_the_covariance_of_products_of_gradients(name, seeds):
    units, weights = COMMITTEES[name]
    data = TokenSequence({Token(target=lambda X: erf(X @ u)): 1}, noise=Rational(1, 5))
    share = lambda X: sum(c * erf(X @ x) for c, x in zip(weights, units, strict=True))  # noqa: E731
    m = model(data, Predictor(share))
    e = m.equations("online-sgd", rate=1)
    compiled = e.compile("numpy", "leading_diffusion")
    order = [*units, u]
    for seed in seeds:
        rng = np.random.default_rng(seed)
        rows = {x: rng.standard_normal(4) / 2 for x in order}
        rows[u] /= np.linalg.norm(rows[u])
        X = rng.standard_normal((200_000, 4))
        scores = {x: X @ rows[x] for x in order}
        error = scipy_erf(scores[u]) + 0.2 * rng.standard_normal(len(X))
        error -= sum(float(c) * scipy_erf(scores[x]) for c, x in zip(weights, units, strict=True))
        slopes = {
            x: 2 * error * float(c) * 2 / np.sqrt(np.pi) * np.exp(-(scores[x] ** 2))
            for c, x in zip(weights, units, strict=True)
        }
        places = {m.inner_product(x, y): (x, y) for x in order for y in order}
        pairs = [places[p] for p in e.state]
        # To leading order changes are linear in the gradient of a sample.
        changes = np.stack([
            sum(slopes[x] * scores[y] for x, y in ((a, b), (b, a)) if x in slopes)
            for a, b in pairs
        ])  # fmt: skip
        found = np.reshape(compiled([rows[x] @ rows[y] for x, y in pairs]), (len(pairs), -1))
        centred = changes - changes.mean(axis=1, keepdims=True)
        for i, one in enumerate(centred):
            for j, other in enumerate(centred):
                product = one * other
                error_of_mean = product.std() / np.sqrt(len(X))
                assert abs(product.mean() - found[i, j]) <= 4 * error_of_mean, (seed, i, j)


@thorough_only
def test_fluctuations_that_need_too_many_means_are_refused_before_any_is_derived():
    data = TokenSequence({Token(target=lambda X: Max(0, X @ u) ** 2): 1})
    share = Predictor(lambda X: Max(0, X @ w) ** 2 + Max(0, X @ v) ** 2)
    e = model(data, share).equations("online-sgd", rate=1)
    with pytest.raises(NotClosedError, match=r"158 means .* more than 100, .* leading_diffusion"):
        _ = e.diffusion
