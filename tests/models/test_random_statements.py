"""Models with other losses, outputs, kinks and readouts, drawn at random.

Each is refused in words before anything is compiled, or agrees with tokens in R^d, and on two
backends to twelve digits.
"""

import re
from datetime import UTC, datetime
from random import Random

import numpy as np
import pytest
from sympy import Abs, Max, Rational, Symbol, erf, sign, tanh

from slrsym.gaussian import IntegrabilityError
from slrsym.models import (
    Direction,
    Noise,
    NotClosedError,
    Predictor,
    Token,
    TokenSequence,
    model,
)
from tests._profile import NIGHTLY, THOROUGH, more

pytestmark = more

UNITS = {
    "linear": lambda x: x,
    "erf": erf,
    "tanh": tanh,
    "square": lambda x: x**2,
    "relu": lambda x: Max(0, x),
    "hinge": lambda x: Max(0, 1 - x),
    "leaky": lambda x: Max(x, x / 5),
    "abs": Abs,
    "ramp": lambda x: Max(0, x - Rational(1, 2)),
}
# What equations of motion refuse in words: jumps in single samples, long second orders of readouts.
REFUSED = "the predictor jumps at|means of products of functions|has no gradient"
LABEL_LOSSES = ("logistic", "hinge", "squared hinge", "exponential", "perceptron", "zero-one")
NUMBER_LOSSES = ("square", "absolute", "huber")
u, s = Direction("u", unit=True), Direction("s", unit=True)
w, v = Direction("w"), Direction("v")
SEEDS = range(2)
if NIGHTLY:
    FIRST = 1000 * (datetime.now(UTC).toordinal() % 1000)
    SEEDS = range(FIRST, FIRST + 300)
elif THOROUGH:
    SEEDS = range(4)


def drawn(seed):
    """Draw a model, and return it with words for how it was drawn."""
    rng = Random(seed)
    kind = rng.choice(["labels", "numbers", "list", "vector", "readout", "committee"])
    name, other = rng.choice(list(UNITS)), rng.choice(list(UNITS))
    f, g = UNITS[name], UNITS[other]
    words = {"seed": seed, "kind": kind, "unit": name, "other": other}
    mean = rng.choice([0, u, Rational(1, 2) * s])
    cov = rng.choice([1, Rational(1, 2), {1: 1, u: Rational(3, 2)}])
    a, L = Symbol("a", real=True), Symbol("L", integer=True, positive=True)
    xi, options, counts = Noise("xi"), {"inner_products": {u @ s: 0}}, None
    if kind == "labels":
        options["loss"] = words["loss"] = rng.choice(LABEL_LOSSES)
        level = rng.choice([0, Rational(1, 3)])
        target, share = (lambda X: sign(X @ u + level * (X @ xi))), (lambda X: f(X @ w))
    elif kind == "numbers":
        options["loss"] = words["loss"] = rng.choice(NUMBER_LOSSES)
        target, share = (lambda X: g(X @ u)), (lambda X: f(X @ w))
    elif kind == "list":
        target, share = (lambda X: [g(X @ u), X @ s]), (lambda X: [f(X @ w), a * (X @ w) + X @ v])
    elif kind == "vector":
        target, share = (lambda X: X), (lambda X: f(X @ w) * w + g(X @ v) * v)
    elif kind == "committee":
        target, share = (lambda X: g(X @ u)), (lambda X: f(X @ w) + a * f(X @ v))
    else:
        target = lambda X: X @ u  # noqa: E731
        sums = [lambda X: f(X @ w), lambda X: (X @ w) * (X @ v)]
        readout = rng.choice([lambda x, y: x * y, lambda x, y: a * x + y, lambda x, y: x**2 + y])
        counts = {Token(mean, cov, target): 1, Token(name="other"): rng.choice([2, L - 1])}
        share = None
    token = Token(mean, cov, target)
    counts = counts or {token: 1}
    # In a model without s, nothing says what its inner product with u is.
    for given in (options, {k: x for k, x in options.items() if k != "inner_products"}):
        predictor = Predictor(share) if share else Predictor(sums=sums, readout=readout)
        try:
            return model(TokenSequence(counts), predictor, **given), words
        except ValueError as problem:
            if "no inner product of this model" not in str(problem):
                raise
    raise AssertionError(words)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_statement_drawn_at_random(seed):
    check_statement(seed)


def check_statement(seed):
    """Check a statement, and return False if it is refused before anything is compiled."""
    stated, words = drawn(seed)
    numbers = {"d": 6, "a": 0.4, "L": 3}
    try:
        found = stated.compile("numpy", "risk", "gradient")
    except NotClosedError:
        return False
    except IntegrabilityError as problem:
        if "the risk of this model may not be finite" in str(problem):
            return False
        raise
    values = {p.name: numbers[p.name] for p in stated.parameters} | {"d": 6}
    checked = stated.check(values, samples=20_000, rng=seed)
    assert checked.is_passed, (checked, words)
    # Of degree 8 the risk of some readouts is steep: longer steps leave the numbers.
    runs = stated.simulate(values, steps=4, alpha=1e-6, rng=seed, backend="numpy")
    assert np.isfinite(runs.risk.values).all(), words
    state = [float(runs[p.name].values[0, 0]) for p in stated.order_parameters]
    row = [values[p.name] for p in stated.parameters]
    right = found(state, *row)
    assert np.isfinite(right).all(), words
    digits = [float(x) for x in stated.compile("mpmath", "risk", "gradient")(state, *row, dps=20)]
    assert digits == pytest.approx(right, abs=1e-12 * np.abs(right).max()), words
    # The second order of a readout is a polynomial in hundreds of means.
    quick = words["kind"] != "readout" or NIGHTLY
    for kind in ("gradient-flow", "online-sgd") if quick else ("gradient-flow",):
        try:
            e = stated.equations(kind, rate=1)
        except NotClosedError:
            continue
        except ValueError as problem:
            if re.search(REFUSED, str(problem)):
                continue
            raise
        change = e.compile("numpy")
        at = [dict(zip(stated.order_parameters, state, strict=True)).get(p, 0.5) for p in e.state]
        assert np.isfinite(change(at, *(values[p.name] for p in e.parameters))).all(), words
    return True
