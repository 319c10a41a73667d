"""Sums of tokens that are drawn as sums: covariances with fixed weights, exactly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from slrsym.models.sampling.cluster_draws import ClusterSums
from tests.models.test_sampled_batches import (
    attention_by_softmax,
    batches,
    committee_of_two,
    correlated_tokens,
    noisy_clusters,
    start_of,
)

# So many that sums are drawn, where a share does not depend on all coordinates.
BATCH, SAMPLES = 40, 3


@pytest.mark.parametrize(
    ("case", "whole"),
    [
        (committee_of_two, True), (attention_by_softmax, False), (noisy_clusters, False),
        (correlated_tokens, False),
    ],
)  # fmt: skip
def test_covariances_are_those_of_tokens(case, whole):
    """Sums and projections are linear in the numbers: their covariances are products."""
    stated, _, values, d = case()
    engine, row = batches(stated, values, start_of(stated, d), [d], BATCH, 1)
    engine._set_parameters(row.tolist())
    frames, laws, t = engine._frames, engine._laws, len(stated.trained_directions)
    rows, rng, run = frames.rows(engine.states), np.random.default_rng(3), np.zeros(SAMPLES, int)
    draws = [draw for some in engine._draws for draw in some]
    assert all(draw.is_whole for draw in draws) == whole
    for draw in draws:
        spreads = [frames.spread(laws.scales[role.token]) for role in draw.members]
        weights = [rng.normal(size=(t, SAMPLES, draw.count)) for _ in draw.members]
        size = SAMPLES * draw.count * draw.each

        def found(numbers, draw=draw, spreads=spreads, weights=weights, size=size):
            sums = ClusterSums(draw, laws, rows, spreads, t)
            tokens = numbers[:size].reshape(SAMPLES, draw.count, -1)
            sums.add(run, weights, tokens, SAMPLES)
            parts = np.concatenate(sums.projections(run, tokens), axis=-1)
            return sums.gradients(numbers[None, size:]).ravel(), parts

        zero = np.zeros(size + draw.rest)
        at_zero = found(zero)
        units = [found(unit) for unit in np.eye(zero.size)]
        of_sums = np.array([total - at_zero[0] for total, _ in units])
        of_tokens = np.array([parts - at_zero[1] for _, parts in units])

        roots = [
            np.column_stack([np.diag(spread), *(np.sqrt(c) * rows[0, u] for u, c in spikes)])
            for spread, spikes in zip(
                spreads, ([*laws.spikes[r.token].items()] for r in draw.members), strict=True
            )
        ]  # fmt: skip
        both = draw.mixing @ draw.mixing.T
        members = range(len(draw.members))
        of_pairs = [[both[i, j] * roots[i] @ roots[j].T for j in members] for i in members]
        expected = sum(
            np.kron(np.einsum("tnc,unc->tu", weights[i], weights[j]), of_pairs[i][j])
            for i in members for j in members
        )  # fmt: skip
        assert_allclose(of_sums.T @ of_sums, expected, atol=1e-12)
        begins = np.cumsum([0, *map(len, draw.columns)])
        for j in members:
            columns = zip(draw.columns[j], draw.members[j].directions, strict=True)
            for k, (column, x) in enumerate(columns):
                if column >= len(draw.vectors):
                    continue
                along = rows[0, stated.directions.index(x)]
                covariance = np.einsum("nz,nsc->zsc", of_sums, of_tokens[..., begins[j] + k])
                wanted = sum(
                    np.einsum("tsc,w->twsc", weights[i], of_pairs[i][j] @ along) for i in members
                )
                assert_allclose(covariance, wanted.reshape(covariance.shape), atol=1e-12)
