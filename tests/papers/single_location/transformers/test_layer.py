"""The Transformer layer: its output from the definition, its gradient from differences."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from slrsym.papers.single_location import Task
from slrsym.papers.single_location.transformers import Layer, MultipleLocation
from slrsym.papers.single_location.transformers.layer import _Pass
from tests._profile import nightly_only, thorough_only

TASK = Task(d=12, L=4, gamma=0.7, epsilon=0.1)


def shaken(heads, seed=0, width=10):
    """A layer whose queries and biases are not zero, with sequences and outputs."""
    rng = np.random.default_rng([heads, seed])
    layer = Layer.draw_initial_weights(rng, TASK.d, heads, width)
    shaken = {name: w + 0.3 * rng.standard_normal(w.shape) for name, w in layer}
    task = MultipleLocation(TASK, n=2)
    X, y = task.draw(rng, *task.draw_stars(rng), 40)
    layer = replace(layer, **shaken)
    # Differences must not reach over a kink of ReLU.
    smooth = abs(_Pass(layer, X).hidden).min(axis=1) > 0.03
    assert smooth.sum() >= 5
    return layer, X[smooth][:7], y[smooth][:7]


def softmax(scores):
    weights = np.exp(scores)
    return weights / weights.sum(axis=-1, keepdims=True)


def by_definition(layer, x):
    """All rows of equation (29), for one sequence; the first is read out."""
    rows = np.vstack([layer.reg, x])
    centred = rows - rows.mean(axis=1, keepdims=True)
    N = centred / (centred.std(axis=1, keepdims=True) + 1e-5)
    heads, r, _ = layer.W_K.shape
    attended = [
        softmax((N @ layer.W_K[h].T) @ (layer.W_Q[h] @ N.T) / np.sqrt(r)) @ N @ layer.W_V[h]
        for h in range(heads)
    ]
    Z = rows + np.hstack(attended) @ layer.W_O
    hidden = np.maximum(Z @ layer.W_1.T + layer.b_1, 0)
    return (Z + hidden @ layer.W_2.T + layer.b_2)[0] @ layer.theta


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_the_output_is_that_of_the_definition(heads):
    layer, X, _ = shaken(heads)
    expected = [by_definition(layer, x) for x in X]
    assert np.allclose(layer.predict(X), expected, rtol=0, atol=1e-13)


@thorough_only
@pytest.mark.parametrize("heads", [1, 2, 3])
def test_each_gradient_against_differences(heads):
    layer, X, y = shaken(heads)
    slopes = layer.gradient(X, y)
    assert slopes.keys() == dict(layer).keys() == {n for n, _ in layer}
    assert ("W_O" in slopes) == (heads > 1)
    for name, w in layer:
        assert slopes[name].shape == w.shape
        differences = np.empty(w.shape)
        for at in np.ndindex(w.shape):
            # Of fourth order.
            errors = []
            for h in (-2e-3, -1e-3, 1e-3, 2e-3):
                moved = w.copy()
                moved[at] += h
                errors.append(np.square(replace(layer, **{name: moved}).predict(X) - y).mean())
            differences[at] = np.dot(errors, (1, -8, 8, -1)) / 12e-3
        scale = max(1.0, float(abs(slopes[name]).max()))
        worst = abs(slopes[name] - differences).max() / scale
        assert worst < 1e-9, (name, worst)


@pytest.mark.parametrize("heads", [1, 2])
def test_what_a_gradient_misses_is_of_second_order(heads):
    layer, X, y = shaken(heads, seed=1)
    rng = np.random.default_rng(5)
    way = {name: rng.standard_normal(w.shape) for name, w in layer}
    slope = sum((s * way[name]).sum() for name, s in layer.gradient(X, y).items())
    error = np.square(layer.predict(X) - y).mean()
    steps = np.geomspace(1e-5, 1e-3, 9)
    missed = []
    for h in steps:
        moved = replace(layer, **{name: w + h * way[name] for name, w in layer})
        missed.append(abs(np.square(moved.predict(X) - y).mean() - error - h * slope))
    order = np.polyfit(np.log(steps), np.log(missed), 1)[0]
    assert 1.9 <= order <= 2.1


def test_single_precision_is_kept():
    layer, X, y = shaken(2)
    single = replace(
        layer, **{n: w.astype(np.float32) for n, w in layer}, reg=layer.reg.astype(np.float32)
    )
    X, y = X.astype(np.float32), y.astype(np.float32)
    assert single.predict(X).dtype == np.float32
    assert all(slope.dtype == np.float32 for slope in single.gradient(X, y).values())
    assert np.allclose(single.predict(X), layer.predict(X.astype(float)), rtol=0, atol=1e-3)


def test_directions_of_weights_that_are_made_to_have_them():
    layer, _, _ = shaken(2)
    rng = np.random.default_rng(0)
    select = rng.standard_normal((2, TASK.d))
    select /= np.linalg.norm(select, axis=1, keepdims=True)
    queries = np.stack([np.outer(rng.standard_normal(6), row) for row in select])
    k, ratio = replace(layer, W_Q=queries).score_directions_and_ratios()
    assert np.allclose(abs((k * select).sum(axis=1)), 1)
    assert (ratio < 1e-12).all()
    k, ratio = Layer.draw_initial_weights(rng, 12, 2, 5).score_directions_and_ratios()
    assert np.isnan(k).all()
    assert np.isnan(ratio).all()
    # Where hidden units are always active, and no token but one is selected, the output moves with
    # the token along the direction of its values.
    (v, other) = layer.value_directions()
    assert np.allclose([np.linalg.norm(v), np.linalg.norm(other)], 1)
    through = np.eye(12) + layer.W_2 @ layer.W_1
    wanted = layer.theta @ through @ (layer.W_V[0] @ layer.W_O[:6]).T
    assert np.allclose(v, wanted / np.linalg.norm(wanted))


def test_variances_of_the_start():
    layer = Layer.draw_initial_weights(np.random.default_rng(0), 60, 2, 100)
    wanted = {"W_K": 2 / 90, "W_V": 2 / 90, "W_O": 1 / 60, "W_1": 2 / 160, "W_2": 2 / 160}
    for name, w in layer:
        if name in wanted:
            assert w.var() == pytest.approx(wanted[name], rel=0.08)
    assert not layer.W_Q.any()
    assert not layer.b_1.any()
    assert not layer.b_2.any()
    assert 0.5 < layer.theta.var() * 60**2 < 1.6
    assert 0.5 < layer.reg.var() * 60 < 1.6


def test_heads_that_do_not_divide_d():
    with pytest.raises(ValueError, match="d must be a multiple of heads = 5; got 12"):
        Layer.draw_initial_weights(np.random.default_rng(0), 12, 5, 3)


@nightly_only
@pytest.mark.parametrize("heads", [1, 2])
def test_forward_and_backward_against_torch(heads):
    """Once with torch 2.13.0 (CPU): forward 5e-15, gradients 2e-14."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    import torch

    layer, X, y = shaken(heads, seed=2, width=20)
    w = {n: torch.tensor(x, requires_grad=True) for n, x in layer}
    w.setdefault("W_O", torch.tensor(layer.W_O))
    r = layer.W_K.shape[1]
    rows = torch.cat([torch.tensor(layer.reg).expand(len(X), 1, -1), torch.tensor(X)], dim=1)
    centred = rows - rows.mean(dim=-1, keepdim=True)
    N = centred / (centred.std(dim=-1, keepdim=True, unbiased=False) + 1e-5)
    keys = torch.einsum("bld,hrd->bhlr", N, w["W_K"])
    queries = torch.einsum("bld,hrd->bhlr", N, w["W_Q"])
    values = torch.einsum("bld,hdr->bhlr", N, w["W_V"])
    A = torch.softmax(keys @ queries.transpose(-1, -2) / r**0.5, dim=-1)
    attended = (A @ values).transpose(1, 2).flatten(2)
    Z = rows + attended @ w["W_O"]
    hidden = torch.relu(torch.nn.functional.linear(Z, w["W_1"], w["b_1"]))
    out = Z + torch.nn.functional.linear(hidden, w["W_2"], w["b_2"])
    output = out[:, 0] @ w["theta"]
    assert np.allclose(layer.predict(X), output.detach().numpy(), rtol=0, atol=1e-12)
    torch.nn.functional.mse_loss(output, torch.tensor(y)).backward()
    for name, slope in layer.gradient(X, y).items():
        assert np.allclose(slope, w[name].grad.numpy(), rtol=0, atol=1e-12)
