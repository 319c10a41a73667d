"""Descent on batches of sampled tokens: its law against steps that are taken in R^d."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import erf
from scipy.stats import ks_2samp
from sympy import Rational, Symbol, sign

from slrsym.kernels.numba_backend import NoMachineCodeError
from slrsym.models import Direction, Noise, Predictor, Token, TokenSequence, model, softmax
from slrsym.models.training.parameter_values import add_inner_products_of_start, parameter_row
from slrsym.models.training.runs import load
from slrsym.models.training.simulation import make_sample_engine
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import task_model
from tests._profile import thorough
from tests.kernels._cases import needs_numba

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


def correlated_tokens():
    """Two tokens whose noises have the correlation 1/2, with variances of their own."""
    w, u = Direction("w", sphere=True), Direction("u", unit=True)
    one, other = Token(mean=2 * u, cov=2, target=lambda X: X @ u), Token()
    data = TokenSequence({one: 1, other: 1}, correlation={(one, other): Rational(1, 2)})
    stated = model(data, Predictor(lambda X: (X @ w) ** 2))

    def gradients(rng, W, U):
        noises = rng.normal(size=(2, len(W), W.shape[-1]))
        first = 2 * U[0] + np.sqrt(2) * noises[0]
        second = (noises[0] + np.sqrt(3) * noises[1]) / 2
        scores = [np.einsum("nd,nd->n", X, W[:, 0]) for X in (first, second)]
        error = first @ U[0] - scores[0] ** 2 - scores[1] ** 2
        of_w = scores[0][:, None] * first + scores[1][:, None] * second
        return -4 * error[:, None, None] * of_w[:, None]

    return stated, gradients, {}, 4


def vectors_in_eigenspaces():
    """A predictor that gives a vector, so that shares have inner products, in two eigenspaces."""
    w, v = Direction("w"), Direction("v", sphere=True)
    u, z = Direction("u", unit=True), Direction("z", unit=True)
    data = TokenSequence({Token(cov=(1, 2), target=lambda X: (X @ u) * z): 1})
    stated = model(data, Predictor(lambda X: (X @ w) * v))
    assert [x.name for x in stated.directions] == ["w", "v", "u", "z"]

    def gradients(rng, W, U):
        X = rng.normal(size=(len(W), W.shape[-1])) * np.sqrt(
            np.repeat([1, 2], W.shape[-1] // 7 * np.array([3, 4]))
        )
        w, v = np.moveaxis(W, 1, 0)
        score = np.einsum("nd,nd->n", X, w)[:, None]
        left = (X @ U[0])[:, None] * U[1] - score * v
        of_w = np.einsum("nd,nd->n", left, v)[:, None] * X
        return -2 * np.stack([of_w, score * left], axis=1)

    return stated, gradients, {}, (3, 4)


CASES = [
    committee_of_two, attention_by_softmax, noisy_clusters, correlated_tokens,
    vectors_in_eigenspaces,
]  # fmt: skip


def batches(stated, values, vectors, spaces, batch=BATCH, runs=RUNS, backend="numpy"):
    """The engine of runs that start from the same vectors."""
    blocks = np.split(vectors, np.cumsum(spaces)[:-1], axis=1)
    blocks = [np.pad(x, ((0, 0), (0, max(spaces) - x.shape[1]))) for x in blocks]
    start = np.repeat(np.stack(blocks)[None], runs, axis=0)
    by_name = values | {"d": sum(spaces)}
    add_inner_products_of_start(stated, by_name, start)
    row = parameter_row(stated, by_name)
    how = {"batch": batch, "seed": 1, "backend": backend}
    return make_sample_engine(stated, start, row, by_name, spaces, ALPHA, **how), row


def start_of(stated, d):
    """Random vectors, of length 1, with overlaps."""
    rng, t = np.random.default_rng(d), len(stated.trained_directions)
    vectors = np.linalg.qr(rng.normal(size=(d, len(stated.directions))))[0].T
    vectors[:t] += 0.4 * vectors[-1]
    return vectors / np.linalg.norm(vectors, axis=1)[:, None]


def require_law_of_steps(stated, engine, row, vectors, gradients):
    """Compare inner products after each step with those of vectors in R^d.

    The gradients of all runs are those of a step from trained and fixed vectors.
    """
    t, runs = len(stated.trained_directions), len(engine.states)
    on_sphere = np.array([x.on_sphere for x in stated.trained_directions])
    factor = engine.advance(np.tile(row, (STEPS, 1)), 1)
    found = np.sum(factor @ np.swapaxes(factor, -1, -2), axis=2)
    W, U = np.repeat(vectors[None, :t], runs, axis=0), vectors[t:]
    for step in range(STEPS):
        mean = gradients(step, W, U)
        along = np.sum(mean * W, axis=-1, keepdims=True) * on_sphere[:, None]
        W = W - ALPHA * (mean - along * W)
        W /= np.where(on_sphere[:, None], np.linalg.norm(W, axis=-1, keepdims=True), 1)
        rows = np.concatenate([W, np.broadcast_to(U, (runs, *U.shape))], axis=1)
        gram = rows @ np.swapaxes(rows, -1, -2)
        for i, j in zip(*np.triu_indices(len(vectors)), strict=True):
            if i < t and not (i == j and on_sphere[i]):
                # What stays 0 has no law but that of rounding.
                one, other = np.round([found[step, :, i, j], gram[:, i, j]], 10)
                assert ks_2samp(one, other, method="asymp").pvalue > LEVEL, (step, i, j)


@pytest.mark.parametrize("case", CASES)
def test_the_law_is_that_of_steps_in_all_dimensions(case):
    stated, gradients, values, dimensions = case()
    spaces = np.atleast_1d(dimensions).tolist()
    vectors, rng = start_of(stated, sum(spaces)), np.random.default_rng(7)

    def mean_gradients(step, W, U):
        each = gradients(rng, np.repeat(W, BATCH, axis=0), U, *values.values())
        return each.reshape(RUNS, BATCH, *W.shape[1:]).mean(axis=1)

    engine, row = batches(stated, values, vectors, spaces)
    require_law_of_steps(stated, engine, row, vectors, mean_gradients)


@needs_numba
@pytest.mark.parametrize("case", [*map(thorough, CASES[:2]), CASES[2], *map(thorough, CASES[3:])])
@pytest.mark.parametrize("batch", [1, 40])
def test_both_backends_draw_the_same_numbers(case, batch):
    """With one sample of a step, and several: whole tokens are drawn, or sums of their noise."""
    stated, _, values, dimensions = case()
    spaces = np.atleast_1d(dimensions).tolist()
    vectors = start_of(stated, sum(spaces))
    if case is vectors_in_eigenspaces:
        with pytest.raises(NoMachineCodeError, match="batch for a predictor with a readout"):
            batches(stated, values, vectors, spaces, batch, 2, "numba")
        return
    found = []
    for backend in ("numpy", "numba"):
        engine, row = batches(stated, values, vectors, spaces, batch, 2, backend)
        found.append(engine.advance(np.tile(row, (4, 1)), 2))
    # A fourth power throws runs far away.
    assert_allclose(found[0], found[1], rtol=1e-10, atol=1e-11)
    assert np.abs(found[0][-1] - found[0][0]).max() > 1e-3


def test_a_run_does_not_depend_on_others_nor_on_where_it_is_interrupted():
    stated, _, values, d = noisy_clusters()
    vectors = start_of(stated, d)
    together, row = batches(stated, values, vectors, [d], runs=3)
    alone, _ = batches(stated, values, vectors, [d], runs=1)
    found = together.advance(np.tile(row, (6, 1)), 2)
    parts = [alone.advance(np.tile(row, (steps, 1)), 2) for steps in (2, 4)]
    assert found.shape[:2] == (3, 3)
    assert_allclose(np.concatenate(parts)[:, 0], found[:, 0], rtol=1e-10, atol=1e-10)
    assert (found[:, 0] != found[:, 1]).any()


def test_runs_say_their_batches_and_go_on(tmp_path):
    m, file = task_model(), tmp_path / "runs.nc"
    values = {"lambda": lambda t: 1 / (1 + t), "gamma": 0.8, "d": 30, "L": 3, "epsilon": 0.5}
    how = {"steps": 4, "alpha": 0.01, "batch": 2, "rng": 3, "progress": False}
    runs = m.simulate(values, runs=2, path=file, **how)
    assert runs.attrs["batch"] == 2
    again = m.simulate(values, runs=2, **how)
    assert (again.gram.values == runs.gram.values).all()
    assert (m.simulate(values, runs=2, **how | {"rng": 4}).gram.values != runs.gram.values).any()
    more = m.simulate(values, start=file, **how)
    assert load(file).attrs["seed"] == runs.attrs["seed"] == again.attrs["seed"]
    assert_allclose(more.gram.values[:, 0], runs.gram.values[:, -1], atol=1e-12)
    gram = runs.gram.values[:, :, 0]
    assert_allclose(gram[..., [0, 1], [0, 1]], 1)
    assert_allclose(gram[..., 2:, 2:], np.broadcast_to(np.eye(2), (2, 5, 2, 2)), atol=1e-12)


VALUES = {"lambda": 0.5, "gamma": 0.8, "d": 30, "L": 3, "epsilon": 0.5}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"batch": 0}, "batch must be an integer of at least 1; got 0"),
        (
            {"backend": "numba", "batch": None, "samples": 5},
            "backend must be 'auto' or 'numpy' with samples; got 'numba'",
        ),
        (
            {"dimensions": [10, 20]},
            r"dimensions must be 1 numbers that add up to 30; got \[10, 20\]",
        ),
        (
            {"values": VALUES | {"L": [3, 4, 4]}},
            "L must be the same at all steps with batch, as numbers of tokens depend on it",
        ),
    ],
)
def test_what_batches_refuse(changes, said):
    given = {"values": VALUES, "steps": 2, "alpha": 0.1, "batch": 2, "start": dict.fromkeys(
        ("kappa", "nu", "theta", "eta", "rho"), 0.0)} | changes  # fmt: skip
    with pytest.raises(ValueError, match=said):
        task_model().simulate(**given)


def test_models_that_have_no_batches():
    w, u = Direction("w"), Direction("u", unit=True)
    jump = model(
        TokenSequence({Token(target=lambda X: X @ u): 1}), Predictor(lambda X: sign(X @ w))
    )
    how = {"steps": 2, "alpha": 0.1, "batch": 2, "start": {w @ w: 1.0, w @ u: 0.0}}
    with pytest.raises(ValueError, match="the predictor jumps at <X, w> = 0"):
        jump.simulate({"d": 5}, **how)
    same = model(TokenSequence({Token(target=lambda X: X @ u): 1}), Predictor(lambda X: X @ w))
    with pytest.raises(ValueError, match=r"values must have a number for d, as samples are drawn"):
        same.simulate({}, **how)
    with pytest.raises(ValueError, match=r"start must have directions in R\^1"):
        batches(same, {}, np.eye(2), [2])[0]._frames.__class__(np.eye(2)[None, None], 1, [1])
    tied = model(TokenSequence({Token(target=lambda X: X): 1}), Predictor(lambda X: (X @ w) * w))
    with pytest.raises(ValueError, match="batch must not be given for a model that reconstructs"):
        tied.simulate({"d": 5}, **how | {"start": {w @ w: 1.0}})
