"""Random starts of models: the law of their inner products is that of vectors drawn in full."""

import numpy as np
import pytest
from scipy.stats import ks_2samp
from sympy import Rational

from slrsym.models import model
from slrsym.models.training.initial_conditions import draw_directions, vectors_with_gram_matrix
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention

RUNS = 3000


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def require_one_law(factor, vectors, dimensions):
    """Compare all inner products in each space; `vectors` has shape (runs, directions, d)."""
    parts = np.split(vectors, np.cumsum(dimensions)[:-1], axis=-1)
    for a, part in enumerate(parts):
        drawn, full = (x @ np.swapaxes(x, 1, 2) for x in (factor[:, a], part))
        for i in range(drawn.shape[1]):
            for j in range(i + 1):
                # Products that are fixed are so up to rounding.
                pair = (x[:, i, j].round(9) for x in (drawn, full))
                assert ks_2samp(*pair).pvalue > 1e-4


@pytest.mark.parametrize("orthogonal", [True, False])
@pytest.mark.parametrize("dimensions", [(1, 2), (2, 2), (3, 9)])
def test_the_law_in_two_eigenspaces(dimensions, orthogonal):
    rng, d = np.random.default_rng(sum(dimensions)), sum(dimensions)
    one = attention(cov=(Rational(1, 2), 2))
    given = {one.k_star @ one.v_star: 0} if orthogonal else None
    stated = model(one.model.data, one.model.predictor, inner_products=given)
    factor = draw_directions(stated, d, RUNS, rng, dimensions=dimensions)
    vectors = unit(rng.standard_normal((RUNS, 4, d)))
    if orthogonal:
        first, second = vectors[:, 2], vectors[:, 3]
        along = np.sum(first * second, axis=-1, keepdims=True)
        vectors[:, 3] = unit(second - along * first)
    require_one_law(factor, vectors, dimensions)


@pytest.mark.parametrize("cosine", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("d", [2, 3, 10])
def test_the_law_beside_given_directions(d, cosine):
    """Also where the given directions are one, and span less than there are of them."""
    rng, stated = np.random.default_rng(d), attention().model
    gram = np.array([[1, cosine], [cosine, 1]])
    factor = draw_directions(stated, d, RUNS, rng, gram)
    vectors = unit(rng.standard_normal((RUNS, 4, d)))
    vectors[:, 2:] = 0
    vectors[:, 2, 0], vectors[:, 3, :2] = 1, (cosine, np.sqrt(1 - cosine**2))
    require_one_law(factor, vectors, [d])


def test_roots_of_gram_matrices():
    """Of one or of many; what rounding leaves of a singular one is exactly 0."""
    rows = np.random.default_rng(0).standard_normal((5, 2, 4, 3))
    gram = rows @ np.swapaxes(rows, -1, -2)
    root = vectors_with_gram_matrix(gram)
    np.testing.assert_allclose(root @ np.swapaxes(root, -1, -2), gram, atol=1e-13)
    assert (vectors_with_gram_matrix(gram[1, 0]) == root[1, 0]).all()
    assert (root.any(axis=-2).sum(axis=-1) == 3).all()
    for bad, said in (([[1, 2], [0, 1]], "symmetric"), ([[1, 2], [2, 1]], "least .* is -1")):
        with pytest.raises(ValueError, match=f"gram must be .*{said}"):
            vectors_with_gram_matrix([np.eye(2), bad])


@pytest.mark.parametrize(("i", "j"), [(1, 2), (1, 3), (2, 3), (1, 1)])
def test_all_products_of_fixed_directions_are_compared(i, j):
    """Several have the same value in the model, and each is looked at in the start."""
    stated, gram = committee(1, 3).model, np.eye(4)
    gram[i, j] = gram[j, i] = 0.5
    first, second = sorted((f"u_{i}", f"u_{j}"))
    with pytest.raises(ValueError, match=f"start has directions {first} and {second} of inner"):
        stated.simulate({"epsilon": 0}, steps=1, alpha=0.01, start=gram, backend="numpy")
