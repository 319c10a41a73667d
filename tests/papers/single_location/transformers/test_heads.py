"""Erf heads on several locations: their risk, its descent, and descent from samples."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import erf

from slrsym.papers.single_location import Task, excess_risk
from slrsym.papers.single_location.transformers import HeadRuns, MultipleLocation
from slrsym.papers.single_location.transformers.heads import (
    ErfHeadsExcessRisk,
    _in_frame,
    _root,
    compile_moments,
)
from tests._profile import thorough


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def positions(rng, task, heads, runs, pull=0.7):
    """Unit vectors in R^d, near the stars or not: students (runs, 2 heads, d) and stars."""
    n, d = task.n, task.task.d
    stars = np.stack([np.concatenate(task.draw_stars(rng)) for _ in range(runs)])
    students = rng.standard_normal((runs, 2 * heads, d)) / np.sqrt(d)
    mixing = rng.standard_normal((runs, 2 * heads, 2 * n)) * pull
    return unit(students + mixing @ stars), stars


def squared_errors(task, students, stars, lam, rng, count):
    """From the definition: tokens in R^d, and heads as equation (31) has them."""
    heads, n = len(students) // 2, task.n
    X, y = task.draw(rng, stars[:n], stars[n:], count)
    seen = X @ students.T
    output = (erf(lam * seen[..., :heads]) * seen[..., heads:]).sum(axis=(1, 2))
    return np.square(y - output)


# Runs from samples, and from exact moments; another inverse temperature.
@pytest.mark.parametrize("shared", [thorough(False), True])
def test_the_risk_is_that_of_samples(shared):
    rng = default_rng([20, shared])
    scores = []
    for n, heads, d, L in ((1, 2, 5, 4), (2, 2, 9, 5), (2, 1, 8, 2), (3, 2, 10, 6), (2, 3, 7, 3)):
        task = MultipleLocation(Task(d, L, rng.uniform(0.4, 1.5), 0.3), n, shared)
        students, stars = positions(rng, task, heads, 4)
        for lam in rng.uniform(0.1, 2, 2):
            exact = ErfHeadsExcessRisk(task, heads).risk(students, stars, lam)
            for i in range(4):
                errors = squared_errors(task, students[i], stars[i], lam, rng, 20_000)
                standard = errors.std() / np.sqrt(len(errors))
                scores.append((errors.mean() - 0.3**2 - exact[i]) / standard)
    # 40 of them: as normal ones.
    assert abs(np.mean(scores)) < 3.5 / np.sqrt(40)
    assert 0.6 < np.std(scores) < 1.4
    assert np.max(np.abs(scores)) < 4


@pytest.mark.parametrize("lam", [thorough(0.0954), 1 / 3])
def test_two_heads_have_the_risk_of_the_claim_at_the_oracle(lam):
    """Claim several-heads-oracle, against the risk that the guide on several locations prints."""
    d, L, gamma = 80, 10, 0.5**0.5
    risk = ErfHeadsExcessRisk(MultipleLocation(Task(d, L, gamma, 0.1), n=2), heads=2)
    axes = np.eye(8)[None, :, :]
    (excess,), _ = risk.risk_and_gradient(axes[:, :4], axes[:, :4], lam)
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / np.sqrt(2 * np.pi)

    def mean(power, at, spread):
        return weights @ erf(lam * (at + spread * nodes)) ** power

    at = np.sqrt(d / 2)
    own = gamma**2 * (1 - 2 * mean(1, at, gamma) + mean(2, at, gamma) + mean(2, 0, gamma))
    assert excess == pytest.approx(2 * own + 2 * (L - 2) * mean(2, 0, 1), rel=1e-9)


def test_one_head_on_one_token_is_the_papers_model():
    rng = default_rng(1)
    task = Task(30, 6, 0.8)
    students, stars = positions(rng, MultipleLocation(task), 1, 50)
    k, v = students.transpose(1, 0, 2)
    k_star, v_star = stars.transpose(1, 0, 2)
    states = [(k, k_star), (v, v_star), (v, k_star), (k, v_star), (k, v)]
    overlaps = np.stack([(a * b).sum(axis=1) for a, b in states], axis=1)
    for lam in (0.05, 0.5, 3.0):
        wanted = excess_risk(overlaps, lam, task)
        found = ErfHeadsExcessRisk(MultipleLocation(task), 1).risk(students, stars, lam)
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("heads", [1, 2, 3])
def test_the_gradient_against_differences(heads, shared):
    rng = default_rng([heads, shared])
    task = MultipleLocation(Task(15, 5, 0.7), 2 if heads < 3 else 3, shared)
    students, stars = positions(rng, task, heads, 20)
    risk = ErfHeadsExcessRisk(task, heads)
    way = rng.standard_normal(students.shape)
    way -= (way * students).sum(axis=-1, keepdims=True) * students
    _, slope = risk.risk_and_gradient(students, stars, 0.6)
    assert abs((slope * students).sum(axis=-1)).max() < 1e-11
    h = 1e-3
    at = [risk.risk(unit(students + t * h * way), stars, 0.6) for t in (-2, -1, 1, 2)]
    difference = np.tensordot((1, -8, 8, -1), at, axes=1) / (12 * h)
    # What turning the vectors adds is of the same order as the error of the difference.
    steps = np.geomspace(1e-4, 1e-2, 9)
    start = risk.risk(students, stars, 0.6)
    expected = (slope * way).sum(axis=(1, 2))
    missed = [
        abs(risk.risk(unit(students + t * way), stars, 0.6) - start - t * expected) for t in steps
    ]
    orders = np.polyfit(np.log(steps), np.log(missed), 1)[0]
    assert 1.9 < np.median(orders) < 2.1
    scale = np.abs(expected).max()
    assert abs(difference - expected).max() < 1e-6 * scale


@pytest.mark.parametrize("backend", [thorough("numpy"), "numba"])
def test_second_moments_and_their_derivatives(backend):
    if backend == "numba":
        pytest.importorskip("numba")
    rng = default_rng(7)
    function = compile_moments("two_head_moments_program", backend)

    def moment(state, s=0.8, lam=0.9):
        rest = np.broadcast_to((s,), (*state.shape[:-1], 1))
        return function(np.concatenate([state, rest], axis=-1), lam)

    state = rng.uniform(-0.3, 0.3, (40, 10))
    state[:, :4] = rng.standard_normal((40, 4))
    found = moment(state)
    h = 1e-3
    for i in range(10):
        moved = state[:, None] + h * np.array([-2, -1, 1, 2])[:, None] * np.eye(10)[i]
        slope = moment(moved)[..., 0] @ np.array([1, -8, 8, -1]) / (12 * h)
        assert np.allclose(found[:, 1 + i], slope, rtol=1e-9, atol=1e-9)


def test_second_moments_by_quadrature():
    rng = default_rng(3)
    function = compile_moments("two_head_moments_program", "numpy")
    x, weights = np.polynomial.hermite_e.hermegauss(90)
    weights = weights / weights.sum()
    s, lam = 0.7, 1.3
    for case in range(12):
        root = rng.standard_normal((4, 4))
        root *= s / np.linalg.norm(root, axis=1, keepdims=True)
        mean = rng.uniform(-1, 1, 4)
        # Also where the closed form of two erf has other cases.
        mean[[0, 2]] *= [(1, 1), (0, 1), (1, 0), (0, 0)][case % 4]
        c = root @ root.T
        state = [*mean, c[0, 1], c[2, 3], c[0, 2], c[0, 3], c[1, 2], c[1, 3], s]
        # In two dimensions: given U and u, the others have a mean and a covariance.
        low = np.linalg.cholesky(c[::2, ::2])
        u = low @ np.stack(np.meshgrid(x, x, indexing="ij")).reshape(2, -1)
        slope = np.linalg.solve(c[::2, ::2], c[::2, 1::2]).T
        rest = c[1::2, 1::2] - slope @ c[::2, 1::2]
        V, v = mean[1::2, None] + slope @ u
        gates = erf(lam * (mean[0] + u[0])) * erf(lam * (mean[2] + u[1]))
        wanted = np.outer(weights, weights).ravel() @ (gates * (V * v + rest[0, 1]))
        assert function(np.array(state), lam)[0] == pytest.approx(wanted, abs=1e-11)


def test_descent_in_the_span_is_descent_in_all_dimensions():
    rng = default_rng(0)
    task = MultipleLocation(Task(40, 6, 0.7), 2)
    students, stars = positions(rng, task, 2, 3)
    both = np.concatenate([stars, students], axis=1)
    frames = np.linalg.qr(both.transpose(0, 2, 1))[0]
    small, axes = students @ frames, stars @ frames
    risk = ErfHeadsExcessRisk(task, 2)
    for _ in range(200):
        students = unit(students - 2e-3 * risk.risk_and_gradient(students, stars, 0.4)[1])
        small = unit(small - 2e-3 * risk.risk_and_gradient(small, axes, 0.4)[1])
    assert np.allclose(
        students @ stars.transpose(0, 2, 1), small @ axes.transpose(0, 2, 1), atol=1e-12
    )


def steps_in_full(task, students, stars, alpha, lam, batch, steps, rng):
    """Descent from samples by the definition: tokens in all dimensions."""
    n, heads = task.n, len(students) // 2
    for _ in range(steps):
        X, y = task.draw(rng, stars[:n], stars[n:], batch)
        seen = X @ students.T
        u, v = lam * seen[..., :heads], seen[..., heads:]
        error = 2 / batch * ((erf(u) * v).sum(axis=(1, 2)) - y)
        slope_k = error[:, None, None] * lam * 2 / np.sqrt(np.pi) * np.exp(-u * u) * v
        slopes = np.concatenate([slope_k, error[:, None, None] * erf(u)], axis=2)
        slope = np.einsum("blh,bld->hd", slopes, X)
        slope -= (slope * students).sum(axis=1, keepdims=True) * students
        students = unit(students - alpha * slope)
    return students


def sampled_and_full(task, heads, alpha, steps, count):
    """Overlaps of students after steps in the span, and in all dimensions."""
    lam, batch = 0.5, 2
    runs = HeadRuns(task, heads, lam, 0.0, 0, alpha, batch, steps, steps, 1, seed=4)
    students, stars = runs._start(0)
    many, fixed = (np.broadcast_to(x, (count, *x.shape)).copy() for x in (students, stars))
    seeds = np.random.SeedSequence(9).spawn(count)
    found = runs._sampled(many, fixed, [lam] * steps, [default_rng(seed) for seed in seeds])
    rng = default_rng(10)
    wide = [np.pad(x, ((0, 0), (0, task.task.d - x.shape[1]))) for x in (students, stars)]
    wanted = np.stack(
        [steps_in_full(task, *wide, alpha, lam, batch, steps, rng) for _ in range(count)]
    )
    upper = np.triu_indices(2 * heads, 1)
    for students, known in ((found, stars), (wanted, wide[1])):
        gram = students @ students.transpose(0, 2, 1)
        yield np.hstack([(students @ known.T).reshape(count, -1), gram[:, *upper]])


@pytest.mark.parametrize(
    ("d", "n", "shared", "alpha", "steps", "count"),
    [
        # Large steps, so that what is beyond the span counts; in 13 dimensions it has the least.
        (13, 2, False, 0.3, 3, 1500),
        thorough(30, 2, False, 0.3, 3, 1500),
        thorough(13, 2, True, 0.3, 3, 1500),
        thorough(30, 2, True, 0.3, 3, 1500),
        # One dimension more or less beyond it is a large part of three.
        thorough(7, 1, False, 1.0, 1, 8000),
    ],
)
def test_runs_from_samples_are_exact_in_law(d, n, shared, alpha, steps, count):
    task = MultipleLocation(Task(d, 3, 0.4, 0.2), n, shared)
    one, two = sampled_and_full(task, n, alpha, steps, count)
    # Means, and all second moments, by the deviation of their differences.
    centre = two.mean(axis=0)
    products = [
        np.einsum("ri,rj->rij", x - centre, x - centre).reshape(count, -1) for x in (one, two)
    ]
    for a, b in ((one, two), products):
        deviation = np.sqrt((a.var(axis=0) + b.var(axis=0)) / count)
        scores = (a.mean(axis=0) - b.mean(axis=0)) / deviation
        assert np.max(np.abs(scores)) < 5
        assert np.std(scores) < 1.5


def test_frames_keep_all_inner_products():
    rng = default_rng(2)
    moved = rng.standard_normal((5, 4, 12))
    framed = _in_frame(moved, 4)
    whole = unit(moved)
    assert framed.shape == (5, 4, 8)
    assert np.allclose(framed @ framed.transpose(0, 2, 1), whole @ whole.transpose(0, 2, 1))
    assert np.allclose(framed[..., :4], whole[..., :4])
    # Also where the Gram matrix is singular.
    low = np.einsum("rij,rkj->rik", moved[..., :2], moved[..., :2])
    root = _root(low)
    assert np.allclose(root @ root.transpose(0, 2, 1), low, atol=1e-6)


def small(starts=2, **others):
    task = MultipleLocation(Task(20, 5, 0.7, 0.1), 2)
    settings = {"alpha": 2e-3, "batch": 3, "steps": 60, "every": 20} | others
    return HeadRuns(task, 2, lam0=1.0, rate=1e-2, held=30, starts=starts, **settings)


def test_runs_do_not_depend_on_those_beside_them():
    runs = small(3)
    every = runs.compute(workers=1)
    for run in (1, 4):
        _, values = runs._walk([run], runs._begin([run]), 0, 4)
        assert np.array_equal(values["kappa"][0], every.kappa[run])
        assert np.array_equal(values["excess_risk"][0], every.excess_risk[run])
    assert every.sampled.values.tolist() == [1, 1, 1, 0, 0, 0]
    for name in ("kappa", "nu", "theta", "eta"):
        assert np.array_equal(every[name][:3, 0], every[name][3:, 0])
        assert not np.allclose(every[name][:3, -1], every[name][3:, -1])


def test_population_descent_goes_down():
    data = small(steps=300, every=100).compute(workers=1)
    exact = data.excess_risk.values[~data.sampled.values.astype(bool)]
    assert (np.diff(exact, axis=1) < 0).all()


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"d must be at least 2 n \+ 4 H = 12; got 11"):
        HeadRuns(MultipleLocation(Task(11, 5, 0.7), 2), 2, 1.0, 0.0, 0, 1e-3, 5, 10, 5, 1)
    with pytest.raises(ValueError, match="rate must be finite and not negative; got -1"):
        small(1, alpha=1e-3).__class__(
            MultipleLocation(Task(20, 5, 0.7), 2), 2, 1.0, -1, 0, 1e-3, 5, 10, 5, 1
        )
    with pytest.raises(ValueError, match="n must be at most L = 3; got 4"):
        MultipleLocation(Task(20, 3, 0.7), 4)
