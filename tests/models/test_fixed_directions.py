"""Directions that only the data use are fixed; those of the predictor are trained."""

import numpy as np
import pytest
from sympy import Rational, Symbol, erf, pi

from slrsym.models import Direction, Directions, Predictor, Token, TokenSequence, model

w, u, v = Direction("w"), Direction("u"), Direction("v")
s = Direction("s", sphere=True)
student = Predictor(lambda X: erf(X @ w))
T = Symbol("T", positive=True)


def stated(token=None, predictor=student, **options):
    token = token or Token(target=lambda X: erf(X @ u))
    return model(TokenSequence({token: 1}), predictor, **options)


@pytest.mark.parametrize(
    "token",
    [
        Token(target=lambda X: erf(X @ u)),
        Token(mean=u, target=lambda X: X @ u),
        Token(cov={1: 1, u: 2}),
        Token(mean=u / 2, cov={1: 1, u: T}),
    ],
)
def test_a_direction_of_the_data_alone_is_fixed(token):
    one = stated(token)
    assert one.trained_directions == (w,)
    assert one.fixed_directions == (u,)
    assert one.inner_product(u, u) == 1
    assert repr(one).startswith("Model that trains w without constraint\n  fixed:      u\n")
    equations = one.equations("gradient-flow")
    assert set(equations.state) == {one.inner_product(w, w), one.inner_product(w, u)}
    assert "\n  trained:    w\n  fixed:      u\n" in repr(equations)


def test_the_teacher_stays_in_runs():
    runs = stated().simulate({"d": 9}, steps=20, alpha=0.3, rng=0, backend="numpy")
    np.testing.assert_allclose(runs.overlap(u, u), 1, rtol=1e-14)
    assert np.ptp(runs.overlap(w, w).values) > 0.01


def test_the_rate_is_of_what_is_trained():
    with pytest.raises(ValueError, match=r"rate has u, which is not trained \(trained: w\)"):
        stated().equations("gradient-flow", rate={u: 1})


def test_a_direction_of_predictor_and_target_is_trained():
    tied = stated(Token(target=lambda X: X @ u), Predictor(lambda X: X @ w - X @ u))
    assert tied.trained_directions == (w, u)
    assert tied.fixed_directions == ()


def test_groups_of_the_data_alone_are_fixed():
    count = Symbol("K", integer=True, positive=True)
    students, teachers = Directions("w", count), Directions("u", count)
    one = model(
        TokenSequence({Token(target=lambda X: teachers.sum(lambda x: X @ x)): 1}),
        Predictor(lambda X: students.sum(lambda x: X @ x)),
    )
    assert {x.group[0] for x in one.trained_directions} == {students}
    assert {x.group[0] for x in one.fixed_directions} == {teachers}


def test_a_stated_length():
    """The mean of erf(2z)^2 is 2 asin(8/9)/pi, and two directions of length 2 have at most 4."""
    one = stated(inner_products={u @ u: 4})
    (risk,) = one.compile("numpy", "risk")([1e-30, 0.0])
    assert risk == pytest.approx(float(2 / pi) * np.arcsin(8 / 9), rel=1e-12)
    assert "u (<u, u> = 4)" in repr(one)
    for start in ("uniform", "uniform, fixed directions too"):
        runs = one.simulate({"d": 9}, steps=2, alpha=0.1, rng=0, start=start, backend="numpy")
        np.testing.assert_allclose(runs.overlap(u, u), 4, rtol=1e-14)
    two = Token(target=lambda X: X @ u + X @ v)
    assert stated(two, inner_products={u @ u: 4, u @ v: 2}).inner_product(v, v) == 1


@pytest.mark.parametrize("start", ["uniform", "uniform, fixed directions too"])
def test_a_length_that_is_a_parameter(start):
    one = stated(inner_products={u @ u: T**2})
    runs = one.simulate({"d": 9, "T": 3}, steps=2, alpha=0.1, rng=0, start=start, backend="numpy")
    np.testing.assert_allclose(runs.overlap(u, u), 9, rtol=1e-14)


def test_sampled_tokens_with_spikes_of_any_length_and_angle():
    """Spikes that are not orthogonal add up, whatever their order."""
    token = Token(mean=u, cov={1: 1, u: T, v: Rational(1, 2)}, target=lambda X: X @ v)
    one = stated(token, inner_products={u @ u: 2, u @ v: Rational(1, 2)})
    found = one.check({"d": 5, "T": 2}, samples=40_000, rng=1)
    assert found.is_passed, found


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: stated(Token(target=lambda X: X @ s)),
            r"s has sphere=True, so it is to be trained, and the predictor does not use it\. A "
            r"direction of the data alone is fixed: Direction\('s', unit=True\)",
        ),
        (
            lambda: stated(Token(mean=w, name="one")),
            "mean of one contains w, which the predictor trains. The law of the data is fixed: "
            r"take another direction, or make w a fixed one \(unit=True\)",
        ),
        (lambda: stated(Token(cov={1: 1, w: 2})), "cov of token contains w, which the predictor"),
        (lambda: stated(inner_products={w @ w: 1}), "<w, w>, which is an order parameter"),
        (lambda: stated(inner_products={u @ u: -4}), "<u, u> = -4; it must be positive"),
        (
            lambda: stated(Token(cov=(1, 2), target=lambda X: X @ u), inner_products={u @ u: 4}),
            "<u, u> = 4; with 2 eigenspaces fixed directions have length 1",
        ),
        (
            lambda: stated(
                Token(target=lambda X: X @ u + X @ v), inner_products={u @ u: 4, u @ v: 3}
            ),
            "<u, v> = 3; of vectors of these lengths it is at most 2",
        ),
        (
            lambda: stated(
                Token(cov={1: 1, u: -Rational(3, 5), v: -Rational(3, 5)}),
                inner_products={u @ v: Rational(9, 10)},
            ),
            "cov of token must be positive: with the spikes along u, v the least eigenvalue is "
            "-0.14",
        ),
    ],
)
def test_contradictions_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
