"""Sets of Gram matrices that descent keeps, and the steps that are compiled for them."""

import itertools

import numpy as np
import pytest
from sympy import Max, Rational, Symbol, erf, sqrt, tanh

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.training import reduced_steps, simulation
from slrsym.models.training.invariant_sets import find_invariant_set
from slrsym.models.training.reduced_steps import (
    find_reduced_step,
    symmetric_coordinates,
)
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from tests._profile import thorough, thorough_cases, thorough_only

from ._grams import gram_of_products, products_of_fixed_directions


def on_manifold(activation=erf):
    """Return erf attention on the manifold of the first paper."""
    a = attention(activation)
    overlaps = zip([0.3, -0.02, 0.9], [-0.2, 0.5, 0.4], strict=True)
    grams = [
        gram_of_products(a.model, {(a.k, a.k_star): x, (a.v, a.v_star): y}) for x, y in overlaps
    ]
    values = {"lambda": 0.3, "gamma": 0.7, "d": 30, "L": 5, "epsilon": 0.1}
    return a.model, np.array(grams), values, {"theta", "eta", "rho"}, 4


def in_sector(students=3, teachers=3):
    """Return a committee where each student has one teacher, and all are alike."""
    c = committee(students, teachers)
    pairs = list(itertools.product(range(students), range(teachers)))
    products = {
        (c.students[i], c.teachers[n]): 0.4 if i % teachers == n else -0.1 for i, n in pairs
    }
    products |= {
        (c.students[i], c.students[j]): 0.9 if i == j else 0.05
        for i in range(students) for j in range(i + 1)
    }  # fmt: skip
    return c.model, gram_of_products(c.model, products)[None], {"epsilon": 0.0}, set(), 4


def of_angle():
    """Return two units with a kink, alike, and teachers that are not orthogonal."""
    w = [Direction(f"w_{i}", sphere=True) for i in (1, 2)]
    u = [Direction(f"u_{i}", unit=True) for i in (1, 2)]
    relu = Predictor(lambda X: sum(Max(0, X @ x) for x in w))
    data = TokenSequence({Token(target=lambda X: sum(Max(0, X @ x) for x in u)): 1})
    stated = model(data, relu, inner_products={u[0] @ u[1]: Rational(1, 4)})
    products = {(x, y): 0.3 if i == j else 0.1 for i, x in enumerate(w) for j, y in enumerate(u)}
    return (
        stated,
        gram_of_products(
            stated, products | {(w[0], w[1]): -0.2} | products_of_fixed_directions(stated, {})
        )[None],
        {},
        set(),
        4,
    )


def of_two_heads():
    """Return two heads and two informative tokens, which change places together."""
    m = multi_head(2, 2)
    products = dict.fromkeys([*zip(m.k, m.k_star, strict=True)], 0.3)
    products |= dict.fromkeys(zip(m.v, m.v_star, strict=True), -0.4)
    values = {"lambda": 0.3, "gamma": 0.7, "d": 30, "L": 5, "epsilon": 0.1}
    gram = gram_of_products(m.model, products)
    x = m.model.inner_product
    for group in (m.k_star, m.v_star):
        values[str(x(*group))] = 0.0
    values |= {str(x(a, b)): 0.0 for a in m.k_star for b in m.v_star}
    return m.model, gram[None], {n: v for n, v in values.items() if n != "0"}, set(), 4


def of_spaces():
    """Return attention whose covariances have two eigenspaces, on a manifold."""
    a = attention(cov=(Rational(1, 2), Rational(3, 2)), other_cov=(1, 2))
    gram = np.zeros((2, 4, 4))
    for space, share in enumerate((0.25, 0.75)):
        gram[space] = share * gram_of_products(
            a.model, {(a.k, a.k_star): 0.3, (a.v, a.v_star): -0.2}
        )
    values = {"lambda": 0.3, "gamma": 0.7, "d": 30, "L": 5, "epsilon": 0.1}
    return a.model, gram[None], values, set(), 8


CASES = [on_manifold, in_sector, of_angle, of_two_heads, of_spaces]


def _used(stated, values):
    names = {p.name for p in stated.parameters}
    return {name: x for name, x in values.items() if name in names}


@pytest.fixture
def whole_steps(monkeypatch):
    """Return a function that simulates without a reduced step."""

    def simulate(stated, *args, **options):
        with monkeypatch.context() as patch:
            patch.setattr(simulation, "find_reduced_step", lambda *_: None)
            return stated.simulate(*args, **options)

    return simulate


@pytest.mark.parametrize(
    ("make", "backend"),
    [
        *((make, "numpy") for make in CASES if make is not of_two_heads),
        thorough(of_two_heads, "numpy"),
        thorough(on_manifold, "numba"),
        thorough(of_angle, "numba"),
    ],
)
def test_reduced_runs_are_those_of_the_whole_step(make, backend, whole_steps):
    stated, gram, values, zeros, size = make()
    values = _used(stated, values)
    options = {"steps": 300, "alpha": 0.02, "start": gram, "every": 100, "backend": backend}
    found, expected = stated.simulate(values, **options), whole_steps(stated, values, **options)
    for name in expected.data_vars:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, atol=1e-12)
    assert found.attrs == expected.attrs
    assert found.sizes == expected.sizes
    # They moved.
    assert abs(expected.gram.values[:, -1] - expected.gram.values[:, 0]).max() > 0.01
    for name in zeros:
        assert (found[name] == 0).all()
    step, _ = find_reduced_step(stated, gram.reshape(len(gram), -1, *gram.shape[-2:]))
    assert len(step.program.state) == size


def _alone():
    """Return units that are not alike, of any start, beside one fixed direction of length 2."""
    w = [Direction("w_1"), Direction("w_2", sphere=True)]
    u = Direction("u")
    data = TokenSequence({Token(target=lambda X: erf(X @ u)): 1})
    stated = model(
        data, Predictor(lambda X: erf(X @ w[0]) + 2 * (X @ w[1])), inner_products={u @ u: 4}
    )
    products = {(w[0], u): 0.3, (w[1], u): 0.5, (w[0], w[1]): 0.2, (u, u): 4}
    return stated, gram_of_products(stated, products)[None], {}


def _off_manifold():
    stated, gram, values, *_ = on_manifold()
    return stated, 0.9 * gram + 0.1 * (np.ones((4, 4)) * 0.2 + 0.8 * np.eye(4)), values


@thorough_only
@pytest.mark.parametrize("make", [_alone, thorough(_off_manifold)])
def test_few_coordinates_are_written_out_for_machine_code(make, whole_steps):
    stated, gram, values = make()
    t = len(stated.trained_directions)
    gram[:, t:, t:] = gram_of_products(stated, products_of_fixed_directions(stated, values))[t:, t:]
    values = _used(stated, values)
    options = {"steps": 200, "alpha": 0.02, "start": gram, "every": 50, "backend": "numba"}
    found, expected = stated.simulate(values, **options), whole_steps(stated, values, **options)
    np.testing.assert_allclose(found.gram, expected.gram, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.excess_risk, expected.excess_risk, rtol=1e-12)
    assert abs(expected.gram.values[:, -1] - expected.gram.values[:, 0]).max() > 0.01
    # To the last bit, though one run is taken by itself, and several by one instruction.
    beside = np.concatenate([gram[:1], *[gram * 0.99 + 0.01 * gram[:1]] * 4])
    beside[:, t:, t:] = gram[0, t:, t:]
    diagonal = np.arange(len(stated.directions))
    beside[:, diagonal, diagonal] = gram[0, diagonal, diagonal]
    among = stated.simulate(values, **options | {"start": beside})
    alone = stated.simulate(values, **options | {"start": gram[:1]})
    assert (among.gram[0] == alone.gram[0]).all()
    step, _ = find_reduced_step(stated, gram[:, None])
    assert step.is_whole
    assert len(step.program.state) == t * len(stated.directions)


@thorough_cases("of_two_heads")
@pytest.mark.parametrize("make", CASES)
def test_equal_entries_stay_equal_to_the_last_bit(make):
    stated, gram, values, _, _ = make()
    values = _used(stated, values)
    runs = stated.simulate(values, steps=50, alpha=0.02, start=gram, every=10, backend="numpy")
    before, after = (runs.gram.isel(step=n).values for n in (0, -1))
    kept = find_invariant_set(stated, before)
    assert not kept.is_whole
    assert find_invariant_set(stated, after) == kept
    # So runs that go on from these are on the set as well.
    more = stated.simulate(values, steps=50, alpha=0.02, start=runs, every=10, backend="numpy")
    together = stated.simulate(values, steps=100, alpha=0.02, start=gram, backend="numpy")
    np.testing.assert_allclose(more.gram[:, -1], together.gram[:, -1], rtol=1e-12, atol=1e-13)


def test_a_start_that_is_not_on_a_set_takes_the_whole_step(monkeypatch):
    monkeypatch.setattr(simulation, "ReducedEngine", lambda *_: pytest.fail("it is reduced"))
    stated, gram, values, *_ = on_manifold()
    values = _used(stated, values)
    near = gram.copy()
    # An overlap of 1e-16 is none.
    near[0, 0, 1] = near[0, 1, 0] = 1e-16
    for start in (near, "uniform"):
        stated.simulate(values | {"d": 30}, steps=2, alpha=0.01, start=start, backend="numpy")
    # One run is enough.
    assert find_reduced_step(stated, near[:, None])[0].is_whole
    assert not find_reduced_step(stated, near[1:, None])[0].is_whole


def test_symmetries_of_a_start_alone_are_not_taken():
    """An activation that is not odd keeps less; a teacher that is not alike keeps nothing."""
    stated, gram, *_ = on_manifold(lambda s: Max(0, s))
    kept = find_invariant_set(stated, gram[:, None])
    k, v, k_star, v_star = (
        [x.name for x in stated.directions].index(n) for n in ("k", "v", r"k^\star", r"v^\star")
    )
    # Attention to -k is other, and so theta and rho move; but v and v* may change their signs.
    assert kept.entries[k][k_star][2] == 1
    assert kept.entries[k][v][2] == 0
    assert kept.entries[v][k_star][2] == 0
    assert kept.entries[k][v_star][2] == 0
    w = [Direction(f"w_{i}", sphere=True) for i in (1, 2)]
    u = Direction("u", unit=True)
    data = TokenSequence({Token(target=lambda X: erf(X @ u)): 1})
    uneven = model(data, Predictor(lambda X: erf(X @ w[0]) + 2 * erf(X @ w[1])))
    even = model(data, Predictor(lambda X: erf(X @ w[0]) + erf(X @ w[1])))
    gram = gram_of_products(even, {(w[0], u): 0.3, (w[1], u): 0.3, (w[0], w[1]): 0.2})[None, None]
    assert find_invariant_set(uneven, gram).is_whole
    assert not find_invariant_set(even, gram).is_whole


def test_coordinates_have_the_gram_matrix():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((4, 2, 5, 7))
    gram = vectors @ np.swapaxes(vectors, -1, -2)
    for trained in (0, 2, 5):
        found = symmetric_coordinates(gram, trained)
        np.testing.assert_allclose(found @ np.swapaxes(found, -1, -2), gram, atol=1e-12)
        assert (found[..., trained:, :trained] == 0).all()


def test_directions_in_a_plane_take_the_whole_step():
    """Their rank, which coordinates in a basis keep, would be kept up to rounding alone."""
    stated, gram, *_ = in_sector()
    flat = gram.copy()
    # What students have beside the teachers is one vector.
    t = len(stated.trained_directions)
    across = flat[..., :t, t:]
    flat[..., :t, :t] = across @ np.swapaxes(across, -1, -2) + 0.25
    assert not find_invariant_set(stated, flat[:, None]).is_whole
    assert find_reduced_step(stated, flat[:, None]) is None
    # Nothing at all is kept, as zeros are.
    flat[..., :t, :t] -= 0.25
    assert find_reduced_step(stated, flat[:, None]) is not None


def test_runs_with_other_fixed_directions_take_the_whole_step():
    stated, gram, *_ = of_angle()
    both = np.concatenate([gram, gram])[:, None]
    assert find_reduced_step(stated, both) is not None
    both[1, 0, 2, 3] = both[1, 0, 3, 2] = 0.3
    assert find_reduced_step(stated, both) is None


def test_slopes_without_a_value_on_the_set_take_the_whole_step(monkeypatch):
    stated, gram, *_ = on_manifold(tanh)
    plain = reduced_steps._simplified

    def with_pole(outputs, given):
        return plain([outputs[0] / (outputs[0] - outputs[0]), *outputs[1:]], given)

    monkeypatch.setattr(reduced_steps, "_simplified", with_pole)
    monkeypatch.setenv("SLRSYM_FRESH", "1")
    assert find_reduced_step(stated, gram[:, None]) is None


def test_a_schedule_moves_the_constants_of_a_reduced_step(whole_steps):
    stated, gram, values, *_ = on_manifold()
    values = _used(stated, values) | {"lambda": np.linspace(0.3, 0.1, 101)}
    options = {"steps": 100, "alpha": 0.02, "start": gram, "backend": "numpy"}
    found, expected = stated.simulate(values, **options), whole_steps(stated, values, **options)
    np.testing.assert_allclose(found.gram, expected.gram, atol=1e-13)
    np.testing.assert_allclose(found.excess_risk, expected.excess_risk, rtol=1e-12)


def test_the_root_of_two_is_no_symmetry():
    """Equal numbers are no reason: lengths of 1 and of a symbol differ by the statement."""
    w = [Direction(f"w_{i}") for i in (1, 2)]
    u = [Direction(f"u_{i}") for i in (1, 2)]
    data = TokenSequence({Token(target=lambda X: sum(erf(X @ x / sqrt(2)) for x in u)): 1})
    q = Symbol("q", positive=True)
    stated = model(
        data,
        Predictor(lambda X: sum(erf(X @ x / sqrt(2)) for x in w)),
        inner_products={u[0] @ u[1]: 0, u[1] @ u[1]: q},
    )
    gram = np.eye(4)[None, None] + 0.1
    gram[..., 2, 3] = gram[..., 3, 2] = 0
    gram[..., 2, 2] = gram[..., 3, 3] = 1
    kept = find_invariant_set(stated, gram)
    # Students change places; teachers do not.
    assert kept.entries[1][1][:2] == (0, 0)
    assert kept.entries[3][3][:2] == (3, 3)
