"""Models stated with floats, which are kept as the rationals that were meant."""

import numpy as np
import pytest
from sympy import Float, Rational, Symbol, erf, erfc

from slrsym.models import Direction, Predictor, Token, TokenSequence, model

Q, R = Symbol("Q", positive=True), Symbol("R", real=True)


def stated(share, *, numbers, bias=0, mean=0):
    """Return a model with a mixture, a spike, noise and lengths, from given numbers."""
    half, third, tenth = numbers
    u, k, w = Direction("u"), Direction("k"), Direction("w")
    one = Token(cov={1: half, k: tenth}, mean=third * k, target=lambda X: half * (X @ u))
    data = TokenSequence([({one: 1}, half), ({Token(): 1}, 1 - half)], noise=tenth)
    return model(
        data,
        Predictor(lambda X: third * share(X @ w)),
        inner_products={u @ u: half, k @ u: tenth},
        names={w @ w: Q, w @ u: R},
    )


@pytest.mark.parametrize(
    ("share", "kind"),
    [(lambda z: z / 4 + 0.25 * z, "online-sgd"), (lambda z: erf(0.2 * z), "gradient-flow")],
)
def test_floats_in_a_model_are_the_rationals_that_were_meant(share, kind):
    """The equations of a model in floats are those in rationals, without a float."""
    floats = stated(share, numbers=(0.5, 1 / 3, np.float64(0.1)))
    exact = stated(share, numbers=(Rational(1, 2), Rational(1, 3), Rational(1, 10)))
    found = floats.equations(kind, rate=0.25, decay=0.1)
    expected = exact.equations(kind, rate=Rational(1, 4), decay=Rational(1, 10))
    assert not (found.drift.has(Float))
    assert not (found.noise.has(Float))
    assert not (found.risk.has(Float))
    assert found.drift.expand() == expected.drift.expand()
    assert found.noise.expand() == expected.noise.expand()


def test_claims_of_a_model_in_floats_are_stated_in_rationals():
    """Before, "-1.0 is a float; write -1" was said of a number that nobody had written."""
    u, w = Direction("u"), Direction("w")
    data = TokenSequence({Token(target=lambda X: X @ u, cov=0.5): 1}, noise=0.5)
    m = model(data, Predictor(lambda X: 0.5 * (X @ w)), names={w @ w: Q, w @ u: R})
    claims = m.equations("online-sgd", rate=0.5, decay=0.1).claims("floats")
    claims += m.claims("floats-of-model")
    assert claims
    assert not any(claim.statement.has(Float) for claim in claims)


def test_erfc_is_a_unit_as_erf_is():
    """A unit of erfc is 1 - erf, and closes."""
    u, w = Direction("u"), Direction("w")

    def risk(unit):
        data = TokenSequence({Token(target=lambda X: unit(X @ u)): 1})
        return model(data, Predictor(lambda X: unit(X @ w)), names={w @ w: Q, w @ u: R}).risk

    assert risk(erfc) == risk(lambda z: 1 - erf(z))
