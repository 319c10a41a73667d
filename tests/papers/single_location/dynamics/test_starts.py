"""Where runs start: the laws of random starts, overlaps that are given, vectors that have them."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import ks_2samp

from slrsym.papers.single_location import simulate
from slrsym.papers.single_location.dynamics import (
    ManifoldStart,
    OverlapStart,
    UniformStart,
    VectorStart,
)
from slrsym.papers.single_location.dynamics.initial_conditions import (
    as_start,
    require_feasible,
)
from slrsym.papers.single_location.dynamics.spheres import gram_matrices
from slrsym.papers.single_location.task import Task
from tests._profile import thorough
from tests.papers.single_location.dynamics._vectors import draw_vectors_and_stars_with_overlaps

RUNS = 4000


def on_the_sphere(rng, shape):
    x = rng.standard_normal(shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def orthogonal(x, *directions):
    """What of x is orthogonal to unit vectors that are orthogonal to one another, made a unit."""
    for direction in directions:
        x = x - np.sum(x * direction, axis=-1, keepdims=True) * direction
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def overlaps_of(k, v, k_star, v_star):
    pairs = ((k, k_star), (v, v_star), (v, k_star), (k, v_star), (k, v))
    return np.stack([np.sum(x * y, axis=-1) for x, y in pairs], axis=-1)


def drawn_in_full(d, rng, manifold=False):
    """The overlaps of vectors drawn in R^d, by section 4 of the paper."""
    k_star = on_the_sphere(rng, (RUNS, d))
    v_star = orthogonal(rng.standard_normal((RUNS, d)), k_star)
    if not manifold:
        return overlaps_of(
            on_the_sphere(rng, (RUNS, d)), on_the_sphere(rng, (RUNS, d)), k_star, v_star
        )
    k = orthogonal(rng.standard_normal((RUNS, d)), v_star)
    # In two dimensions k is k* or its opposite: nothing of it is left beside k*.
    beside = orthogonal(k, k_star) if d > 2 else np.zeros_like(k)
    return overlaps_of(
        k, orthogonal(rng.standard_normal((RUNS, d)), k_star, beside), k_star, v_star
    )


def features(states):
    """Overlaps, and what tells their joint law from the product of their laws."""
    if states.shape[1] == 2:
        kappa, nu = states.T
        return np.stack([kappa, nu, kappa * nu, kappa**2 + nu**2], axis=1)
    kappa, nu, theta, eta, rho = states.T
    beyond = rho - kappa * theta - eta * nu
    return np.column_stack(
        [
            states,
            beyond,
            kappa**2 + eta**2,
            kappa * theta * rho,
            rho**2 - kappa**2,
            kappa * nu - theta * eta,
        ]
    )


@pytest.mark.parametrize("d", [thorough(2), 3, 4, 5, 50])
def test_the_law_on_the_sphere(d):
    drawn = features(UniformStart(RUNS, seed=d).overlaps(Task(d, 5, 1.0)))
    full = features(drawn_in_full(d, np.random.default_rng(d)))
    for i in range(drawn.shape[1]):
        # What is 0 in two dimensions is so up to rounding.
        assert ks_2samp(drawn[:, i].round(12), full[:, i].round(12)).pvalue > 1e-4


@pytest.mark.parametrize("d", [thorough(2), 3, 4, 5, 50])
def test_the_law_on_the_manifold(d):
    states = ManifoldStart(RUNS, seed=d).overlaps(Task(d, 5, 1.0))
    full = drawn_in_full(d, np.random.default_rng(d), manifold=True)
    # What is left of a vector may be little, and less exact than it was.
    assert np.abs(full[:, 2:]).max() < 1e-6
    drawn, full = features(states), features(full[:, :2])
    for i in range(drawn.shape[1]):
        assert ks_2samp(drawn[:, i].round(9), full[:, i].round(9)).pvalue > 1e-4


@pytest.mark.parametrize("d", [thorough(4), 50, thorough(10**9)])
def test_moments(d):
    states = UniformStart(10_000, seed=1).overlaps(Task(d, 5, 1.0))
    # Each square has the mean 1/d and the variance 2 (d - 1) / (d^2 (d + 2)).
    for square in (states**2).T:
        assert abs(square.mean() * d - 1) < 4.5 * np.sqrt(2 / len(square))
    assert (np.abs(states.mean(axis=0)) < 4.5 / np.sqrt(d * len(states))).all()


def test_a_start_in_a_large_space_needs_none():
    tracemalloc.start()
    try:
        states = UniformStart(100).overlaps(Task(10**9, 10, 1.0))
        plane = ManifoldStart(100).overlaps(Task(10**9, 10, 1.0))
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
    assert states.shape == (100, 5)
    assert plane.shape == (100, 2)
    assert 1e-6 < np.abs(states).max() < 1e-3


@pytest.mark.parametrize("start", [UniformStart, ManifoldStart])
def test_a_run_does_not_depend_on_others(start):
    task = Task(400, 10, 0.7)
    many = start(50, seed=3).overlaps(task)
    assert (start(7, seed=3).overlaps(task) == many[:7]).all()
    assert not (start(50, seed=4).overlaps(task) == many).any()
    assert len(np.unique(many[:, 0])) == 50


@pytest.mark.parametrize("start", [UniformStart, ManifoldStart])
@pytest.mark.parametrize("d", [2, 3, 4, 400])
def test_random_starts_are_feasible(start, d):
    states = start(500).overlaps(Task(d, 3, 1.0))
    require_feasible(states, d)
    assert np.linalg.eigvalsh(gram_matrices(states))[:, 0].min() > -4e-15


def test_given_overlaps():
    start = OverlapStart([[0.1, 0.2, 0.3, 0.4, 0.1], [1, 1, 0, 0, 0]])
    assert start.runs == 2
    assert start.overlaps(Task(4, 1, 1.0)).tolist() == [[0.1, 0.2, 0.3, 0.4, 0.1], [1, 1, 0, 0, 0]]
    assert repr(start) == "OverlapStart(2 runs)"
    assert as_start([[0.1, 0.2]]).values.tolist() == [[0.1, 0.2]]
    assert as_start(start) is start


def test_given_overlaps_are_a_copy():
    values = np.array([[0.1, 0.2]])
    start = OverlapStart(values)
    values[0, 0] = 0.9
    assert start.values[0, 0] == 0.1


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0, 0, 0, 0, 0], r"start must have shape \(runs, 5\).*got \(5,\)"),
        ([[0, 0, 0]], r"got \(1, 3\)"),
        (np.zeros((0, 5)), r"at least one run; got \(0, 5\)"),
        ([[0, 0, np.nan, 0, 0]], "start must be finite; run 0 has"),
        ([[0, 0], [np.inf, 0]], "start must be finite; run 1 has"),
        (
            [[0.9, 0, 0.9, 0, 0]],
            r"start must be feasible: the Gram matrix of k, v, k\*, v\* is not",
        ),
        ([[0, 0], [0, 1.001]], r"not positive semidefinite; run 1 has \[0.0, 1.001\]"),
        ([[0.8, 0, 0, 0.8, 0]], "not positive semidefinite"),
        ("sphere", "start must be an array of numbers; got 'sphere'"),
        ([[0, 0], [0]], "start must be an array of numbers"),
        ([[1j, 0]], "start must be an array of numbers"),
        (None, "start must be an array of numbers; got None"),
    ],
)
def test_bad_overlaps(values, said):
    with pytest.raises(ValueError, match=said):
        as_start(values)


@pytest.mark.parametrize("d", [2, 3, 5, 40])
def test_given_vectors(d):
    """Their overlaps, in any orthonormal directions; as two arrays, too."""
    rng = np.random.default_rng(d)
    k, v = on_the_sphere(rng, (2, 7, d))
    k_star = on_the_sphere(rng, d)
    v_star = orthogonal(rng.standard_normal(d), k_star)
    task = Task(d, 3, 1.0)
    found = VectorStart(k, v, k_star, v_star)
    assert found.runs == 7
    expected = overlaps_of(k, v, k_star, v_star)
    np.testing.assert_allclose(found.overlaps(task), expected, rtol=0, atol=1e-14)
    axes = np.eye(d)[:2]
    for start, of in (((k, v), (k, v)), ((k[0], v[0]), (k[:1], v[:1]))):
        made = simulate(task, start, 0.3, 0.01, 2, backend="numpy", progress=False)
        first = np.stack([made[x].values[:, 0] for x in ("kappa", "nu", "theta", "eta", "rho")], -1)
        np.testing.assert_allclose(first, overlaps_of(*of, *axes), rtol=0, atol=1e-14)
        assert made.attrs["start"] == f"VectorStart({len(of[0])} runs, d={d})"


def test_a_tuple_of_two_arrays_is_vectors_and_all_else_overlaps():
    row = np.array([0.6, 0.8])
    assert isinstance(as_start((row, row)), VectorStart)
    for overlaps in (np.array([row, row]), [row, row], ([0.6, 0.8], [0.6, 0.8])):
        assert isinstance(as_start(overlaps), OverlapStart)


ONE = np.eye(4)[:2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((2 * ONE, ONE), r"k0 must have length 1; got \[2.0, 2.0\]"),
        ((ONE, np.zeros((2, 4))), "v0 must have length 1; got"),
        ((ONE, ONE * np.nan), "v0 must have length 1; got"),
        ((ONE, ONE[:1]), r"the same shape, .*got \(2, 4\) and \(1, 4\)"),
        ((ONE[None], ONE[None]), r"the same shape, .*got \(1, 2, 4\)"),
        (([[1.0]], [[1.0]]), "with d at least 2"),
        ((1.0, 1.0), "the same shape"),
        ((np.zeros((0, 4)), np.zeros((0, 4))), "k0 must have length 1"),
        (("k", ONE), "k0 must be an array of numbers; got 'k'"),
        ((ONE, ONE, ONE[0], ONE[0]), "k_star and v_star must be orthogonal; their product is 1.0"),
        ((ONE, ONE, ONE[0], ONE), r"v_star must have shape \(4,\); got \(2, 4\)"),
        ((ONE, ONE, [1.0, 0.0]), r"k_star must have shape \(4,\); got \(2,\)"),
    ],
)
def test_bad_vectors(given, said):
    with pytest.raises(ValueError, match=said):
        VectorStart(*given)


def test_vectors_of_another_dimension():
    with pytest.raises(ValueError, match=r"start must have vectors in R\^9; they are in R\^4"):
        VectorStart(ONE, ONE).overlaps(Task(9, 3, 1.0))


def test_what_is_feasible_depends_on_the_dimension():
    rng = np.random.default_rng(2)
    for d in (2, 3, 4):
        states = drawn_in_full(d, rng)[:100]
        for less in range(2, 6):
            if less < d:
                with pytest.raises(ValueError, match=f"has a rank above d = {less}; run 0"):
                    require_feasible(states, less)
            else:
                assert require_feasible(states, less) is states


@pytest.mark.parametrize("start", [UniformStart, ManifoldStart])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0,), "runs must be an integer of at least 1; got 0"),
        ((2.0,), "runs must be an integer of at least 1; got 2.0"),
        ((True,), "runs must be an integer of at least 1; got True"),
        ((1, -1), "seed must be an integer of at least 0; got -1"),
        ((1, None), "seed must be an integer of at least 0; got None"),
    ],
)
def test_bad_numbers(start, arguments, said):
    with pytest.raises(ValueError, match=said):
        start(*arguments)


def awkward(d):
    """Overlaps of vectors in R^d: near one another, near a plane, at corners."""
    rng = np.random.default_rng(d)
    k, v = rng.normal(size=(2, 500, min(d, 4))) * 10.0 ** rng.uniform(-12, 0, (2, 500, min(d, 4)))
    k[:9], v[:9] = np.eye(min(d, 4))[0], np.eye(min(d, 4))[1]
    v[9:19] = k[9:19]
    k, v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (k, v))
    k_star, v_star = np.eye(min(d, 4))[:2]
    return overlaps_of(k, v, k_star, v_star)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 50])
def test_vectors_have_the_overlaps(d):
    states = awkward(d)
    vectors = draw_vectors_and_stars_with_overlaps(states, d, seed=5)
    assert all(x.shape == (500, d) for x in vectors)
    # No less exact where k and v are close to the plane of k* and v*, or to each other.
    assert np.abs(overlaps_of(*vectors) - states).max() < 4e-15
    for x in vectors:
        assert np.linalg.norm(x, axis=1) == pytest.approx(1, abs=1e-15)
    assert np.abs(np.sum(vectors[2] * vectors[3], axis=1)).max() < 1e-15


def test_vectors_on_the_manifold():
    states = np.array([[0.3, -0.7]])
    found = overlaps_of(*draw_vectors_and_stars_with_overlaps(states, 10))
    assert found[0] == pytest.approx([0.3, -0.7, 0, 0, 0], abs=1e-15)


def test_the_position_is_random_and_of_the_run():
    states = UniformStart(RUNS // 4, seed=1).overlaps(Task(6, 1, 1.0))
    k, _, k_star, _ = draw_vectors_and_stars_with_overlaps(states, 6, seed=2)
    few = draw_vectors_and_stars_with_overlaps(states[:3], 6, seed=2)
    assert (few[0] == k[:3]).all()
    assert not np.allclose(draw_vectors_and_stars_with_overlaps(states[:3], 6, seed=3)[0], few[0])
    # Every direction is as likely: a coordinate has the law of that of a uniform vector.
    uniform = on_the_sphere(np.random.default_rng(3), (RUNS, 6))
    for x in (k, k_star):
        for axis in (0, 5):
            assert ks_2samp(x[:, axis], uniform[:, axis]).pvalue > 1e-4


@pytest.mark.parametrize(
    ("state", "d"),
    [([0.1, 0.2, 0.3, 0.4, 0.1], 2), ([0.1, 0.2, 0.3, 0.4, 0.1], 3), ([0.9, 0, 0.9, 0, 0], 9)],
)
def test_overlaps_of_no_vectors(state, d):
    with pytest.raises(ValueError, match=rf"no vectors in R\^{min(d, 4)} have the overlaps \[0"):
        draw_vectors_and_stars_with_overlaps(np.array([state]), d)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_no_vectors_are_made_of_overlaps_that_none_have(d):
    states = np.random.default_rng(0).uniform(-1, 1, (200, 5))
    none = np.linalg.eigvalsh(gram_matrices(states))[:, 0] < -0.01
    assert none.sum() > 50
    for state in states[none]:
        with pytest.raises(ValueError, match="overlap"):
            draw_vectors_and_stars_with_overlaps(state[None], d)
