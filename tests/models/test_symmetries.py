"""Symmetries of the risk that follow from the statement of a model."""

import itertools

import numpy as np
import pytest
from sympy import Rational, Symbol, erf

from slrsym.models import Direction, Directions, Noise, Predictor, Token, TokenSequence, model
from slrsym.models.definition.symmetries import is_proved_symmetry
from slrsym.models.landscape.symmetries import proved_sign_symmetries

from ._grams import gram_of_products, products_of_fixed_directions


def _signed(count):
    for order in itertools.permutations(range(count)):
        for signs in itertools.product((1, -1), repeat=count):
            yield order, signs


def _models():
    x, y = Direction("x"), Direction("y")
    u, v = Direction("u", unit=True), Direction("v", unit=True)
    s = Symbol("s", positive=True)
    yield (
        "products",
        {"s": 0.7},
        model(
            TokenSequence({Token(cov=s, target=lambda X: (X @ u) * (X @ v)): 1}),
            Predictor(lambda X: (X @ x) * (X @ y)),
            inner_products={u @ v: 0},
        ),
    )
    yield (
        "spikes",
        {"s": 0.7},
        model(
            TokenSequence(
                {
                    Token(u, {1: s, v: 2}, lambda X: X @ u, "a"): 1,
                    Token(-v, {1: s, u: 2}, lambda X: X @ v, "b"): 1,
                }
            ),
            Predictor(lambda X: erf(X @ x)),
            inner_products={u @ v: 0},
        ),
    )
    yield (
        "uneven counts",
        {},
        model(
            TokenSequence({Token(u, name="a"): 1, Token(v, name="b"): 2}),
            Predictor(lambda X: (X @ x) ** 2),
            inner_products={u @ v: 0},
        ),
    )
    yield (
        "noise",
        {},
        model(
            TokenSequence({Token(target=lambda X: X @ u + (X @ Noise("xi"))): 1}),
            Predictor(lambda X: X @ x + (X @ y)),
        ),
    )
    yield (
        "a loss that is odd",
        {},
        model(
            TokenSequence({Token(target=lambda X: X @ u): 1}),
            Predictor(lambda X: X @ x),
            loss=lambda label, out: label * out + (out**2) / 2,
        ),
    )
    yield (
        "a loss that is no square",
        {},
        model(
            TokenSequence({Token(u, target=lambda X: X @ u): 1}),
            Predictor(lambda X: X @ x),
            loss=lambda label, out: -label * out,
        ),
    )
    yield (
        "lengths",
        {},
        model(
            TokenSequence({Token(target=lambda X: X @ u + X @ v): 1}),
            Predictor(lambda X: X @ x + X @ y),
            inner_products={u @ v: 0, v @ v: 2} if not v.is_unit else {u @ v: Rational(1, 3)},
        ),
    )


@pytest.mark.parametrize(
    ("name", "values", "stated"), list(_models()), ids=[name for name, *_ in _models()]
)
def test_proved_symmetries_leave_the_risk_as_it_is(name, values, stated):
    """Every signed permutation is asked: what is proved holds in numbers; much of it is found."""
    directions, t = stated.directions, len(stated.trained_directions)
    rng = np.random.default_rng(1)
    factor = rng.standard_normal((len(directions), 6))
    held = gram_of_products(stated, products_of_fixed_directions(stated, values))[t:, t:]
    factor[t:, : len(held)] = np.linalg.cholesky(held)
    factor[t:, len(held) :] = 0
    gram = factor @ factor.T
    risk = stated.compile("numpy", "risk")
    row = [values[p.name] for p in stated.parameters]

    def at(g):
        return float(
            risk(np.array([g[stated.gram_indices[p][:2]] for p in stated.order_parameters]), *row)[
                0
            ]
        )

    proved, holding = 0, 0
    for order, signs in _signed(len(directions)):
        if any((i < t) != (j < t) for i, j in enumerate(order)):
            continue
        images = {x: (directions[j], s) for x, j, s in zip(directions, order, signs, strict=True)}
        moved = gram[np.ix_(order, order)] * np.outer(signs, signs)
        stays = abs(at(moved) - at(gram)) < 1e-10 * abs(at(gram))
        stays = stays and np.allclose(moved[t:, t:], gram[t:, t:])
        told = is_proved_symmetry(stated, images)
        assert stays or not told
        proved, holding = proved + told, holding + stays
    # All are found.
    assert proved == holding >= 2


def test_signs_of_a_loss_that_is_no_square_have_to_leave_it():
    """Its mean changes its sign with it."""
    found = {name: len(proved_sign_symmetries(stated)) for name, _, stated in _models()}
    assert found == {
        "products": 4, "spikes": 1, "uneven counts": 4, "noise": 1, "a loss that is odd": 1,
        "a loss that is no square": 1, "lengths": 1,
    }  # fmt: skip


def test_products_that_are_symbols_stay_unless_they_may_move():
    u, v = Direction("u", unit=True), Direction("v", unit=True)
    x = Direction("x")
    stated = model(
        TokenSequence({Token(target=lambda X: (X @ u) * (X @ v)): 1}),
        Predictor(lambda X: (X @ x) ** 2),
    )
    images = {x: (x, 1), u: (u, 1), v: (v, -1)}
    assert not is_proved_symmetry(stated, images)
    assert not is_proved_symmetry(stated, images, any_fixed=True)
    images = {x: (x, 1), u: (u, -1), v: (v, -1)}
    assert is_proved_symmetry(stated, images)


@pytest.mark.parametrize("what", ["correlated tokens", "a readout", "a count that is a symbol"])
def test_nothing_is_said_of(what):
    """The proof is for sums over independent tokens of directions that are written out."""
    u, x = Direction("u", unit=True), Direction("x")
    one, two = Token(target=lambda X: X @ u, name="a"), Token(name="b")
    tokens, predictor, correlation = {one: 1, two: 1}, Predictor(lambda X: X @ x), None
    if what == "correlated tokens":
        correlation = {(one, two): Rational(1, 2)}
    elif what == "a readout":
        predictor = Predictor(sums=[lambda X: X @ x], readout=lambda s: s)
    else:
        w = Directions("w", Symbol("K", integer=True, positive=True))
        predictor = Predictor(lambda X: w.sum(lambda y: erf(X @ y)))
    stated = model(TokenSequence(tokens, correlation=correlation), predictor)
    assert not is_proved_symmetry(stated, {y: (y, 1) for y in stated.directions})
