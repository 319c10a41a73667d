"""Erf heads on several locations: their risk, its descent, and descent from samples."""

from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import erf
from scipy.stats import ks_2samp

from slrsym.papers.single_location import Task
from slrsym.papers.single_location.models import multi_head
from slrsym.papers.single_location.transformers import HeadRuns, MultipleLocation
from slrsym.papers.single_location.transformers.heads import HeadsDescent
from tests._profile import thorough, thorough_only

# That a test of the law fails by chance has about this probability, for each number.
LEVEL = 1e-5


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def squared_errors(task, students, stars, lam, rng, count):
    """From the definition: tokens in R^d, and heads as equation (31) has them."""
    heads, n = len(students) // 2, task.n
    X, y = task.draw(rng, stars[:n], stars[n:], count)
    seen = X @ students.T
    output = (erf(lam * seen[..., :heads]) * seen[..., heads:]).sum(axis=(1, 2))
    return np.square(y - output)


def recipe(task, heads, starts=1, **others):
    settings = {"alpha": 0.3, "batch": 2, "steps": 2, "every": 2, "seed": 4} | others
    return HeadRuns(task, heads, lam0=0.7, rate=0.0, held=0, starts=starts, **settings)


# Two derivations of a risk take some seconds.
@pytest.mark.parametrize("shared", [thorough(False), True])
def test_the_risk_is_that_of_samples(shared):
    rng = default_rng([20, shared])
    scores = []
    for n, heads, d, L in ((2, 2, 9, 5), (2, 1, 6, 2)):
        task = MultipleLocation(Task(d, L, rng.uniform(0.4, 1.5), 0.3), n, shared)
        runs = recipe(task, heads, 6)
        starts = [runs._start(run) for run in range(6)]
        descent = HeadsDescent(runs, [*range(6)], np.stack([*map(np.vstack, starts)]), 0)
        for lam in rng.uniform(0.1, 2, 2):
            exact = descent.excess_risks(lam)
            for i, vectors in enumerate(starts):
                students, stars = (np.pad(x, ((0, 0), (0, d - x.shape[1]))) for x in vectors)
                errors = squared_errors(task, students, stars, lam, rng, 20_000)
                standard = errors.std() / np.sqrt(len(errors))
                scores.append((errors.mean() - 0.3**2 - exact[i]) / standard)
    # 24 of them: as normal ones.
    assert abs(np.mean(scores)) < 3.5 / np.sqrt(24)
    assert 0.6 < np.std(scores) < 1.4
    assert np.max(np.abs(scores)) < 4


@pytest.mark.parametrize("lam", [thorough(0.0954), 1 / 3])
def test_two_heads_have_the_risk_of_the_claim_at_the_oracle(lam):
    """Claim several-heads-oracle, against the risk that the guide on several locations prints."""
    d, L, gamma = 80, 10, 0.5**0.5
    runs = recipe(MultipleLocation(Task(d, L, gamma, 0.1), n=2), 2)
    axes = np.eye(4, 8)
    (excess,) = HeadsDescent(runs, [1], np.vstack([axes, axes])[None], 0).excess_risks(lam)
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / np.sqrt(2 * np.pi)

    def mean(power, at, spread):
        return weights @ erf(lam * (at + spread * nodes)) ** power

    at = np.sqrt(d / 2)
    own = gamma**2 * (1 - 2 * mean(1, at, gamma) + mean(2, at, gamma) + mean(2, 0, gamma))
    assert excess == pytest.approx(2 * own + 2 * (L - 2) * mean(2, 0, 1), rel=1e-9)


def steps_in_full(task, students, stars, alpha, lam, batch, steps, rng):
    """Descent of many runs from samples by the definition: tokens in all dimensions."""
    n, (runs, both, _) = task.n, students.shape
    heads = both // 2
    for _ in range(steps):
        X, y = task.draw(rng, stars[:n], stars[n:], runs * batch)
        X, y = X.reshape(runs, batch, *X.shape[1:]), y.reshape(runs, batch)
        seen = X @ students[:, None].swapaxes(2, 3)
        u, v = lam * seen[..., :heads], seen[..., heads:]
        error = 2 / batch * ((erf(u) * v).sum(axis=(2, 3)) - y)[..., None, None]
        slopes = np.concatenate([lam * 2 / np.sqrt(np.pi) * np.exp(-u * u) * v, erf(u)], axis=3)
        slope = np.einsum("rblh,rbld->rhd", error * slopes, X)
        slope -= (slope * students).sum(axis=2, keepdims=True) * students
        students = unit(students - alpha * slope)
    return students


# Large steps, so that what is beyond the span counts; with the least dimension that starts have.
@pytest.mark.parametrize(
    ("d", "L", "n", "heads", "shared", "batch", "alpha", "steps", "count"),
    [
        (8, 3, 2, 2, True, 2, 0.3, 2, 2000),
        (13, 3, 2, 2, False, 1, 0.3, 2, 2000),
        # A dimension more or less beyond it is seen, where there is none, or one.
        (4, 2, 1, 1, False, 1, 1.0, 1, 4000),
        thorough(5, 3, 1, 1, False, 2, 1.0, 1, 8000),
        thorough(6, 4, 1, 2, True, 3, 0.3, 2, 2000),
        thorough(9, 1, 1, 2, False, 1, 0.3, 2, 2000),
        thorough(12, 5, 3, 2, False, 2, 0.3, 2, 2000),
        thorough(30, 2, 2, 2, True, 5, 0.3, 2, 2000),
        thorough(30, 3, 3, 1, True, 2, 0.3, 2, 2000),
        thorough(11, 4, 2, 3, False, 2, 0.3, 2, 2000),
    ],
)
def test_runs_from_samples_are_exact_in_law(d, L, n, heads, shared, batch, alpha, steps, count):
    task, lam = MultipleLocation(Task(d, L, 0.6, 0.3), n, shared), 0.7
    runs = recipe(task, heads, count, alpha=alpha, batch=batch)
    students, stars = (np.tile(x, (count, 1, 1)) for x in runs._start(0))
    vectors = np.concatenate([students, stars], axis=1)
    found = HeadsDescent(runs, [*range(count)], vectors, 0).advance([lam] * steps)
    students, stars = (np.pad(x, ((0, 0), (0, 0), (0, d - x.shape[2]))) for x in (students, stars))
    rng = default_rng(10)
    wanted = steps_in_full(task, students, stars[0], alpha, lam, batch, steps, rng)
    numbers = []
    for moved in (found, wanted):
        gram = moved @ moved.swapaxes(1, 2)
        overlaps = moved @ stars[0, :, : moved.shape[2]].T
        numbers.append([*overlaps.reshape(count, -1).T, *gram[:, *np.triu_indices(2 * heads, 1)].T])
    pairs = zip(*numbers, strict=True)
    assert min(ks_2samp(x, y, method="asymp").pvalue for x, y in pairs) > LEVEL


def small(starts=2, **others):
    task = MultipleLocation(Task(20, 5, 0.7, 0.1), 2)
    settings = {"alpha": 2e-3, "batch": 3, "steps": 60, "every": 20} | others
    return HeadRuns(task, 2, lam0=1.0, rate=1e-2, held=30, starts=starts, **settings)


def test_runs_depend_neither_on_those_beside_them_nor_on_pieces():
    runs = small(3)
    every = runs.compute(workers=1)
    for run in (1, 4):
        states, first = runs._walk([run], runs._begin([run]), 0, 2)
        _, second = runs._walk([run], states, 2, 4)
        for name in ("kappa", "excess_risk"):
            whole = np.concatenate([first[name][0], second[name][0]])
            assert np.array_equal(whole, every[name][run])
    assert every.sampled.values.tolist() == [1, 1, 1, 0, 0, 0]
    for name in ("kappa", "nu", "theta", "eta"):
        assert np.array_equal(every[name][:3, 0], every[name][3:, 0])
        assert not np.allclose(every[name][:3, -1], every[name][3:, -1])


@thorough_only
@pytest.mark.parametrize("shared", [False, True])
def test_descent_on_the_risk_is_that_of_the_model(shared):
    task = MultipleLocation(Task(20, 5, 0.7, 0.1), 2, shared)
    runs = HeadRuns(task, 2, 1.0, 1e-2, 30, 1e-2, 1, 200, 50, starts=1)
    data = runs.compute(workers=1).isel(run=1)
    stated = multi_head(2, 2, int(shared))
    directions = [*stated.k, *stated.v, *stated.k_star, *stated.v_star]
    values = {"gamma": 0.7, "d": 20, "L": 5, "epsilon": 0.1}
    values["lambda"] = np.array([runs._temperature(t) for t in range(201)])
    start = dict(zip(directions, np.concatenate(runs._start(1)), strict=True))
    how = {"steps": 200, "alpha": 1e-2, "every": 50, "backend": "numpy"}
    found = stated.model.simulate(values, start=start, **how)
    assert np.allclose(found.excess_risk[0], data.excess_risk, rtol=1e-12, atol=0)
    for name, own, stars in (
        ("kappa", stated.k, stated.k_star),
        ("eta", stated.k, stated.v_star),
        ("theta", stated.v, stated.k_star),
        ("nu", stated.v, stated.v_star),
    ):
        for (h, x), (i, y) in product(enumerate(own), enumerate(stars)):
            seen = data[name].sel(head=h, star=i)
            assert np.allclose(found.overlap(x, y)[0], seen, rtol=0, atol=1e-12)
    assert abs(data.kappa[-1] - data.kappa[0]).max() > 0.1


def test_population_descent_goes_down():
    data = small(steps=300, every=100).compute(workers=1)
    exact = data.excess_risk.values[~data.sampled.values.astype(bool)]
    assert (np.diff(exact, axis=1) < 0).all()


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"d must be at least 2 n \+ 2 H = 8; got 7"):
        HeadRuns(MultipleLocation(Task(7, 5, 0.7), 2), 2, 1.0, 0.0, 0, 1e-3, 5, 10, 5, 1)
    with pytest.raises(ValueError, match="rate must be finite and not negative; got -1"):
        small(1, alpha=1e-3).__class__(
            MultipleLocation(Task(20, 5, 0.7), 2), 2, 1.0, -1, 0, 1e-3, 5, 10, 5, 1
        )
    with pytest.raises(ValueError, match="n must be at most L = 3; got 4"):
        MultipleLocation(Task(20, 3, 0.7), 4)
