"""Descent on single samples: the equations of the limit against runs in R^d."""

import numpy as np
import pytest
from scipy.special import erf
from sympy import Symbol, sqrt
from sympy import erf as symbolic_erf

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention
from tests._profile import thorough, thorough_only

NOISE, D, RUNS, TIME = 0.2, 400, 8, 3


def units(sphere):
    """One unit that learns from another, free or on a sphere, with tokens of variance 1.3^2."""
    w, u = Direction("w", sphere=sphere), Direction("u", unit=True)
    token = Token(cov=1.69, target=lambda X: symbolic_erf((X @ u) / sqrt(2)))
    data = TokenSequence({token: 1}, noise=Symbol("epsilon", positive=True))
    return model(data, Predictor(lambda X: symbolic_erf((X @ w) / sqrt(2))))


def single_samples(start, rate, sphere, rng):
    """The inner products of students and teachers, in the mean over runs, at times 0, 1, ..."""
    found = np.zeros((TIME + 1, *(2 * [len(start)])))
    students = len(start) // 2
    for _ in range(RUNS):
        W, U = start[:students].copy(), start[students:]
        for step in range(TIME * D + 1):
            rows = np.concatenate([W, U])
            if step % D == 0:
                found[step // D] += rows @ rows.T / RUNS
            X = (1.3 if students == 1 else 1.0) * rng.normal(size=D)
            scores = W @ X
            error = erf(U @ X / np.sqrt(2)).sum() - erf(scores / np.sqrt(2)).sum()
            error += NOISE * rng.normal()
            slope = -2 * error * np.sqrt(2 / np.pi) * np.exp(-(scores**2) / 2)
            gradient = slope[:, None] * X
            if sphere:
                gradient -= np.sum(gradient * W, axis=1)[:, None] * W
            W = W - rate / D * gradient
            if sphere:
                W /= np.linalg.norm(W, axis=1)[:, None]
    return found


# One unit, free and on a sphere; equations as an object refuse what grows with d, too.
@thorough_only
@pytest.mark.parametrize("kind", ["free", "sphere", "two"])
def test_equations_of_the_limit_are_those_of_runs(kind):
    rng, sphere = np.random.default_rng(40), kind == "sphere"
    stated = committee(2, 2).model if kind == "two" else units(sphere)
    count = len(stated.trained_directions)
    teachers = np.linalg.qr(rng.normal(size=(D, count)))[0].T
    students = rng.normal(size=(count, D)) / np.sqrt(D) + 0.3 * teachers
    if sphere:
        students /= np.linalg.norm(students, axis=1)[:, None]
    start = np.concatenate([students, teachers])
    options = {"time": TIME, "start": start @ start.T, "points": TIME + 1}
    found = stated.solve_online_descent({"epsilon": NOISE}, rate=0.8, **options)
    sampled = single_samples(start, 0.8, sphere, rng)
    # Runs fluctuate by about 1/sqrt(d), and are off by about 1/d.
    allowed = 4 / np.sqrt(D * RUNS) + 4 / D
    assert np.abs(found.gram - sampled).max() < allowed
    # It is no descent on the risk: the second term is seen.
    slow = stated.solve_online_descent(
        {"epsilon": NOISE}, rate=0.008, **options | {"time": 100 * TIME}
    )
    assert np.abs(slow.gram - sampled).max() > allowed
    if sphere:
        assert (
            np.abs(
                found.overlap(stated.trained_directions[0], stated.trained_directions[0]) - 1
            ).max()
            < 1e-8
        )
    assert found.risk[-1] < found.risk[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: units(True).solve_online_descent({}, rate=1, time=1, start=np.eye(2)),
            "number for epsilon",
        ),
        thorough(
            lambda: attention().model.solve_online_descent({}, rate=1, time=1, start=np.eye(4)),
            "grows with d",
        ),
        (
            lambda: units(True).solve_online_descent(
                {"epsilon": 0}, rate=0, time=1, start=np.eye(2)
            ),
            "rate must",
        ),
    ],
)
def test_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"values": {"epsilon": 0}}, "epsilon must be positive and finite; it is 0.0"),
        ({"values": {"epsilon": 1, "tau": 2}}, "values has tau"),
        ({"start": np.eye(3)}, r"must have shape \(..., 1, 2, 2\)"),
        ({"start": np.diag([4, 1])}, "direction w of length 2; it must have 1"),
        ({"start": np.diag([1, 2])}, "u and u of inner product 2"),
        ({"start": [[1, 2], [2, 1]]}, "gram must be positive semidefinite"),
        ({"start": [[1, 0.5], [0, 1]]}, "gram must be symmetric"),
        ({"start": np.full((2, 2), np.nan)}, "gram must be symmetric"),
        ({"start": "uniform"}, "a number for d, as start='uniform' is drawn"),
        ({"points": 1}, "points must be an integer of at least 2; got 1"),
    ],
)
def test_numbers_and_starts_are_as_the_model_says(changed, message):
    options = {"values": {"epsilon": 1}, "rate": 1, "time": 1, "start": np.eye(2)}
    units(True).solve_online_descent(**options)
    with pytest.raises(ValueError, match=message):
        units(True).solve_online_descent(**options | changed)


@thorough_only
def test_starts_are_those_of_simulate():
    stated, values = units(True), {"epsilon": 1, "d": 30}
    options = {"rate": 0.5, "time": 1, "points": 3}
    drawn, again = (stated.solve_online_descent(values, **options, rng=5) for _ in range(2))
    same = stated.simulate(values, steps=1, alpha=0.1, runs=1, rng=5).gram[0, 0, 0].values
    np.testing.assert_array_equal(drawn.gram, again.gram)
    np.testing.assert_allclose(drawn.gram[0], same, atol=1e-14)
    vectors = np.random.default_rng(6).normal(size=(2, 30))
    rows = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    start = dict(zip(stated.directions, rows, strict=True))
    by_vectors, by_matrix = (
        stated.solve_online_descent(values, **options, start=x) for x in (start, rows @ rows.T)
    )
    np.testing.assert_allclose(by_vectors.gram, by_matrix.gram, atol=1e-9)
