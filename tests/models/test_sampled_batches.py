"""Descent on batches of sampled tokens: its law against steps that are taken in R^d."""

import numpy as np
import pytest
from scipy.special import erf
from scipy.stats import ks_2samp
from sympy import Rational, Symbol

from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model, softmax
from slrsym.models.training.parameter_values import parameter_row
from slrsym.models.training.simulation import make_batch_engine
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location import Task
from slrsym.papers.single_location.dynamics.stochastic import StochasticEngine
from slrsym.papers.single_location.models import task_model

ALPHA, BATCH, RUNS, STEPS = 0.3, 2, 1500, 2

# That a test fails by chance has about this probability, for each number that it compares.
LEVEL = 1e-5


def committee_of_two():
    """Two students and two teachers, whose step adds more dimensions than there are."""
    stated = committee(2, 2).model

    def gradients(rng, W, U, epsilon):
        X = rng.normal(size=(len(W), W.shape[-1]))
        scores = np.einsum("ntd,nd->nt", W, X)
        error = erf(X @ U.T / np.sqrt(2)).sum(axis=1) - erf(scores / np.sqrt(2)).sum(axis=1)
        error += epsilon * rng.normal(size=len(W))
        slopes = -2 * error[:, None] * np.sqrt(2 / np.pi) * np.exp(-(scores**2) / 2)
        return slopes[..., None] * X[:, None]

    return stated, gradients, {"epsilon": 0.5}, 5


def attention_by_softmax():
    """One token of four has a mean, and the target; softmax weighs all of them."""
    k, v = Direction("k", sphere=True), Direction("v", sphere=True)
    u, z = Direction("u", unit=True), Direction("z", unit=True)
    a = Symbol("a", positive=True)
    one = Token(mean=a * u, target=lambda X: X @ z)
    attention = Predictor(lambda X: softmax(X @ k) * (X @ v))
    stated = model(TokenSequence({one: 1, Token(): 3}), attention, inner_products={u @ z: 0})
    names = [x.name for x in stated.directions]

    def gradients(rng, W, U, a):
        X = rng.normal(size=(len(W), 4, W.shape[-1]))
        X[:, 0] += a * U[names.index("u") - 2]
        k, v = W[:, names.index("k")], W[:, names.index("v")]
        weights = np.exp(np.einsum("ncd,nd->nc", X, k))
        weights /= weights.sum(axis=1, keepdims=True)
        values = np.einsum("ncd,nd->nc", X, v)
        output = np.sum(weights * values, axis=1)
        error = X[:, 0] @ U[names.index("z") - 2] - output
        of_k = np.einsum("nc,ncd->nd", weights * (values - output[:, None]), X)
        of_v = np.einsum("nc,ncd->nd", weights, X)
        return (
            -2
            * error[:, None, None]
            * np.stack([of_k, of_v][:: 1 if names[0] == "k" else -1], axis=1)
        )

    return stated, gradients, {"a": 1.5}, 7


def noisy_clusters():
    """Two clusters, one with a spike, noise inside of the label, a fourth power, and a ridge."""
    w, u, xi = Direction("w"), Direction("u", unit=True), Noise("xi")
    label = {"target": lambda X: X @ u + X @ xi / 2}
    one, other = Token(mean=u, cov={1: 2, u: 3}, **label), Token(mean=-u, **label)
    data = TokenSequence([({one: 1}, Rational(3, 10)), ({other: 1}, Rational(7, 10))])
    stated = model(data, Predictor(lambda X: X @ w), loss=lambda y, f: (y - f) ** 4, ridge=1)

    def gradients(rng, W, U):
        n, d = len(W), W.shape[-1]
        first = rng.uniform(size=n) < 0.3
        X = rng.normal(size=(n, d)) * np.where(first, np.sqrt(2), 1)[:, None]
        X += np.where(first, np.sqrt(3) * rng.normal(size=n) + 1, -1)[:, None] * U[0]
        error = X @ U[0] + rng.normal(size=n) / 2 - np.einsum("nd,nd->n", X, W[:, 0])
        return -4 * (error**3)[:, None, None] * X[:, None] + W

    return stated, gradients, {}, 6


CASES = [committee_of_two, attention_by_softmax, noisy_clusters]


@pytest.mark.parametrize("case", CASES)
def test_the_law_is_that_of_steps_in_all_dimensions(case):
    stated, gradients, values, d = case()
    rng = np.random.default_rng(d)
    t, on_sphere = len(stated.trained_directions), stated.trained_directions[0].on_sphere
    vectors = np.linalg.qr(rng.normal(size=(d, len(stated.directions))))[0].T
    vectors[:t] += 0.4 * vectors[-1]
    vectors[:t] /= np.linalg.norm(vectors[:t], axis=1)[:, None]
    start = np.repeat(vectors[None, None], RUNS, axis=0)
    row = parameter_row(stated, values | {"d": d})
    engine = make_batch_engine(stated, start, row, {"d": d}, None, ALPHA, BATCH, seed=1)
    factor = engine.advance(np.tile(row, (STEPS, 1)), 1)[:, :, 0]
    found = factor @ np.swapaxes(factor, -1, -2)
    W, U = np.repeat(vectors[None, :t], RUNS, axis=0), vectors[t:]
    for step in range(1, STEPS + 1):
        mean = gradients(rng, np.repeat(W, BATCH, axis=0), U, *values.values())
        mean = mean.reshape(RUNS, BATCH, t, d).mean(axis=1)
        if on_sphere:
            mean -= np.sum(mean * W, axis=-1, keepdims=True) * W
        W = W - ALPHA * mean
        if on_sphere:
            W /= np.linalg.norm(W, axis=-1, keepdims=True)
        rows = np.concatenate([W, np.broadcast_to(U, (RUNS, *U.shape))], axis=1)
        gram = rows @ np.swapaxes(rows, -1, -2)
        for i, j in zip(*np.triu_indices(len(vectors)), strict=True):
            if i < t and not (on_sphere and i == j):
                one, other = found[step - 1, :, i, j], gram[:, i, j]
                assert ks_2samp(one, other, method="asymp").pvalue > LEVEL, (step, i, j)


def test_the_law_is_that_of_the_papers_engine():
    task, start = Task(9, 3, 0.8, 2.0), np.array([0.3, 0.2, 0.1, -0.2, 0.1])
    stated = task_model()
    values = {"lambda": 0.7, "gamma": 0.8, "d": 9, "L": 3, "epsilon": 2.0}
    names = [str(p) for p in stated.order_parameters]
    places = [["kappa", "nu", "theta", "eta", "rho"].index(name) for name in names]
    found = stated.simulate(
        values, steps=STEPS, alpha=0.04, runs=RUNS, batch=BATCH, every=1, rng=1,
        start=dict(zip(names, start[places], strict=True)),
    )  # fmt: skip
    engine = StochasticEngine(np.repeat(start[None], RUNS, axis=0), task, 0.04, BATCH, seed=2)
    noted = engine.advance(np.full(STEPS, 0.7), 1)
    for name, place in zip(names, places, strict=True):
        for step in range(1, STEPS + 1):
            one, other = found[name].values[:, step], noted[step - 1, :, place]
            assert ks_2samp(one, other, method="asymp").pvalue > LEVEL, (name, step)
