"""Softmax by one integral over another: each part against a plain sum or an identity."""

import flint
import mpmath
import numpy as np
import pytest
from scipy.special import gamma as factorial
from scipy.special import ndtr

from slrsym.models.means import softmax_risk, softmax_risk_balls
from slrsym.models.means.softmax_risk import (
    _MpmathRole,
    log_grid_nodes,
    mpmath_softmax_risk_value,
    role_means,
    softmax_risk_and_derivatives,
)
from slrsym.models.means.softmax_risk_balls import _Role, ball_softmax_risk_value
from tests._profile import thorough_cases, thorough_only

UPPER = np.triu_indices(3)


def plain_means(x, mu, mean, spread):
    """E[w^k exp(-w) z^j] on a grid so fine that nothing can be wrong with it, and 1 - M_00."""
    z = np.linspace(-9.5, 9.5, 40_001)
    bell = np.exp(-z * z / 2)
    bell /= bell.sum()
    w = np.exp(np.minimum(x[:, None] + mu * (mean + spread * z), 6.6))
    rows = [w**k * np.exp(-w) for k in range(4)]
    return np.array([row * z**j @ bell for row in rows for j in range(4)] + [-np.expm1(-w) @ bell])


@pytest.mark.parametrize(
    ("mu", "mean", "spread"), [(0.7, 0.4, 0.0), (0.0, 2.0, 1.3), (0.8, -0.6, 1.1), (3.0, 0.5, 0.2),
                               (6.0, 0.3, 1.4), (40.0, -1.2, 0.9)]
)  # fmt: skip
def test_means_of_a_role(mu, mean, spread):
    """Of one score for all, of nodes that move with the bell, and of nodes that stay."""
    scale = 1 + mu * spread
    x = -mu * mean + scale * np.linspace(-8, 4, 13)
    found, exact = role_means(x, mu, mean, spread, 1.0), plain_means(x, mu, mean, spread)
    if mu * spread == 0:
        # The odd powers of z have the mean 0, and the third power of w is the last.
        assert not found[1:16:2].any()
    assert found.shape == exact.shape == (17, 13)
    assert np.abs(found - exact).max() < 1e-13 * max(1.0, np.abs(exact).max())


def test_means_of_a_role_among_many():
    """Where the rare token counts, they are right relative to themselves."""
    mu, spread, tokens = 5.0, 1.2, 1e9
    x = -mu * spread * np.linspace(6.5, 8.0, 4)
    found, exact = role_means(x, mu, 0.0, spread, tokens), plain_means(x, mu, 0.0, spread)
    assert (tokens * exact[16] < 1).any()
    assert np.abs(found[16] / exact[16] - 1).max() < 1e-6
    assert np.abs(found[4] / exact[4] - 1).max() < 1e-6


@pytest.mark.parametrize("extra", [0.0, 1.0, 1e-6, 30.0])
@pytest.mark.parametrize("tokens", [1.0, 7.0, 1e4, 1e9])
@pytest.mark.parametrize("mu", [0.3, 4.0, 60.0])
def test_weights_add_up_to_one(mu, tokens, extra):
    """Those of all tokens, and what is added to the sum of exponentials."""
    mean, spread = 0.3, 1.1
    law = np.array([mean]), np.array([spread]), np.array([tokens])
    x, weight = log_grid_nodes(mu, extra, *law)
    table = role_means(x, mu, mean, spread, tokens)
    near = np.log1p(-np.minimum(table[16], 0.5))
    log_f = np.where(table[16] < 0.5, near, np.log(np.maximum(table[0], 1e-300)))
    total = tokens * np.sum(weight * table[4] * np.exp((tokens - 1) * log_f))
    # The weight of what is added is the integral of extra exp(-extra s) M_00^n.
    total += np.sum(weight * extra * np.exp(x) * np.exp(tokens * log_f))
    assert abs(total - 1) < 1e-12


def test_nodes_begin_and_end_where_nothing_is_left():
    """Of one role: on the left w is 1e-16, on the right exp(-w) is nothing."""
    mu, mean, spread = 2.0, np.array([0.5]), np.array([1.5])
    x, weight = log_grid_nodes(mu, 0.0, mean, spread, np.ones(1))
    left, reach = softmax_risk.log_grid_ends(1.0)
    assert (left, reach) == (softmax_risk.LEFT, softmax_risk.REACH)
    step = weight[0]
    assert x[0] == pytest.approx(-mu * (0.5 + reach * 1.5) + left, abs=step)
    assert x[-1] == pytest.approx(-mu * (0.5 - reach * 1.5) + softmax_risk.RIGHT, abs=step)
    assert np.diff(x) == pytest.approx(step)
    # A role without tokens says nothing, and the steepest of several roles decides the step.
    several = log_grid_nodes(
        mu, 0.0, np.array([0.5, 9.0]), np.array([1.5, 9.0]), np.array([1.0, 0.0])
    )
    assert np.array_equal(several[0], x)
    narrow = log_grid_nodes(mu, 0.0, np.array([0.5, 0.5]), np.array([1.5, 0.3]), np.ones(2))
    assert narrow[1][0] == pytest.approx(max(softmax_risk.STEP_1, step / 5))
    # Among many, the largest of all scores is far out.
    left, reach = softmax_risk.log_grid_ends(1e6)
    assert left == pytest.approx(softmax_risk.LEFT - np.log(1e6))
    assert 1e6 * ndtr(-reach) < ndtr(-softmax_risk.REACH)
    x, _ = log_grid_nodes(mu, 0.0, np.zeros(1), np.ones(1), np.array([1e6]))
    assert 30 < 1e6 * ndtr(x[-1] / mu) < 300
    x, weight = log_grid_nodes(mu, 0.5, mean, spread, np.ones(1))
    # With something added, powers of s against its exponential are factorials.
    for power in (1, 2, 3.5):
        found = np.sum(weight * np.exp(power * x))
        assert found == pytest.approx(factorial(power) / 0.5**power, rel=1e-12)


def random_law(rng, roles):
    means = rng.normal(size=(roles, 3))
    roots = rng.normal(size=(roles, 3, 3))
    return means, roots @ roots.transpose(0, 2, 1) + 0.2 * np.eye(3)


def flat(means, covs):
    return [*means.ravel(), *covs[:, UPPER[0], UPPER[1]].ravel()]


CASES = [(0, 0.0, [1.0, 3.0]), (1, 0.4, [2.0, 0.0, 1.0])]


@pytest.mark.parametrize(("seed", "extra", "counts"), CASES)
def test_slopes_are_those_of_the_risk(seed, extra, counts):
    """Each against differences: in mu, in means, and in entries of the covariances."""
    rng = np.random.default_rng(seed)
    mu, counts = 0.9, np.array(counts)
    means, covs = random_law(rng, len(counts))
    _, by_mu, by_means, by_covs = softmax_risk_and_derivatives(mu, extra, counts, means, covs)
    step = 1e-4

    def along(of_mu, of_means, of_covs):
        def at(n):
            moved = covs + n * step * of_covs
            return softmax_risk_and_derivatives(
                mu + n * step * of_mu, extra, counts, means + n * step * of_means, moved
            )[0]

        return (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * step)

    zero, none = np.zeros_like(means), np.zeros_like(covs)
    assert by_mu == pytest.approx(along(1.0, zero, none), abs=1e-8)
    for r in range(len(counts)):
        for i in range(3):
            one = zero.copy()
            one[r, i] = 1.0
            assert by_means[r, i] == pytest.approx(along(0.0, one, none), abs=1e-8)
            for j in range(i, 3):
                one = none.copy()
                one[r, i, j] = one[r, j, i] = 1.0
                assert by_covs[r, i, j] == pytest.approx(along(0.0, zero, one), abs=1e-8)


# One case of each.
@thorough_cases("1-0.4-counts1", "3-0.0-counts2")
@pytest.mark.parametrize(("seed", "extra", "counts"), [*CASES, (3, 0.0, [1.0, 2.0, 1.0])])
def test_the_risk_to_more_digits_and_in_balls(seed, extra, counts):
    rng = np.random.default_rng(seed)
    counts = [n for n in counts if n]
    means, covs = random_law(rng, len(counts))
    law = flat(means, covs)
    found = softmax_risk_and_derivatives(0.9, extra, np.array(counts), means, covs)[0]
    with mpmath.workdps(12):
        mp_counts = [mpmath.mpf(n) for n in counts]
        exact = mpmath_softmax_risk_value(
            mpmath.mpf(0.9), mpmath.mpf(extra), mp_counts, [mpmath.mpf(float(x)) for x in law]
        )
    assert found == pytest.approx(float(exact), rel=1e-11)
    ball = ball_softmax_risk_value(0.9, extra, counts, [float(x) for x in law])
    assert float(ball.rad()) < 1e-9
    assert abs(float(ball) - found) < 1e-11 * found


@thorough_only
def test_balls_are_narrow_where_scores_are_steep():
    rng = np.random.default_rng(5)
    counts = [1.0, 2.0]
    means, covs = random_law(rng, 2)
    found = softmax_risk_and_derivatives(2.5, 1.0, np.array(counts), means, covs)[0]
    ball = ball_softmax_risk_value(2.5, 1.0, counts, [float(x) for x in flat(means, covs)])
    assert float(ball.rad()) < 1e-9
    assert abs(float(ball) - found) < 1e-11 * found


@pytest.mark.parametrize("extra", [0.0, 0.02])
def test_the_risk_of_one_token(extra):
    """Its weight is exp(mu U) / (exp(mu U) + extra), of which the mean is over the score alone."""
    mu, mean, cov = 0.9, [0.2, -1.3, 0.7], [1.44, 0.4, -0.6, 1.9, 0.3, 1.1]
    z, weights = np.polynomial.hermite_e.hermegauss(120)
    (b_v, b_y), w = np.array(cov[1:3]) / 1.2, np.exp(mu * (mean[0] + 1.2 * z))
    w, v, y = w / (w + extra), mean[1] + b_v * z, mean[2] + b_y * z
    varies = cov[5] - b_y**2 - 2 * w * (cov[4] - b_v * b_y) + w**2 * (cov[3] - b_v**2)
    exact = weights @ ((y - w * v) ** 2 + varies) / weights.sum()
    covs = np.zeros((1, 3, 3))
    covs[0][UPPER] = cov
    covs[0].T[UPPER] = cov
    found = softmax_risk_and_derivatives(mu, extra, np.ones(1), np.array([mean]), covs)[0]
    assert found == pytest.approx(exact, rel=1e-10)
    with mpmath.workdps(4):
        numbers = [list(map(mpmath.mpf, z)) for z in ([mu, extra], [1], mean + cov)]
        assert mpmath_softmax_risk_value(*numbers[0], *numbers[1:]) == pytest.approx(
            exact, rel=1e-4
        )


@pytest.mark.parametrize("mu", [0.25, 2.0])
@mpmath.workdps(12)
def test_means_of_a_role_by_mpmath(mu):
    """To all digits, up to where hardly anything is left."""
    mean, cov, finer = [0.2, -1.3, 0.7], [1.44, 0.4, -0.6, 1.9, 0.3, 1.1], mpmath.mpf(15) / 17
    reach = mpmath.sqrt(34 * mpmath.log(10))
    right = mpmath.log(17 * mpmath.log(10) + 12)
    role = _MpmathRole(mpmath.mpf(mu), mean, cov, mpmath.mpf(1.2), finer, reach, right)
    m_v, m_y, b_v, b_y = mean[1], mean[2], cov[1] / 1.2, cov[2] / 1.2
    v_v, v_y = cov[3] - b_v**2, cov[4] - b_v * b_y
    z = np.linspace(-9.5, 9.5, 4001)
    bell = np.exp(-z * z / 2)
    bell /= bell.sum()
    v, y = m_v + b_v * z, m_y + b_y * z
    for x in (-7.0, -1.0, 1.0, 2.0, 2.9, 3.3):
        w = np.exp(x + mu * (mean[0] + 1.2 * z))
        weight = np.exp(-w) * bell
        values = (1, w * v, y, w * (v * y + v_y), w * w * (v * v + v_v))
        exact = [float(np.sum(weight * f)) for f in values]
        assert list(map(float, role.at(mpmath.mpf(x)))) == pytest.approx(exact, rel=1e-11)


@thorough_only
@pytest.mark.parametrize(("mu", "spread"), [(0.7, 0.0), (0.8, 1.1), (6.0, 1.4)])
def test_means_of_a_role_by_numba(mu, spread):
    """Summed in another order, with a polynomial for exp."""
    by_numba = pytest.importorskip("slrsym.models.means._numba_softmax").role_means
    x = -mu * 0.3 + (1 + mu * spread) * np.linspace(-8, 4, 13)
    for tokens in (1.0, 1e6):
        found = by_numba(x, mu, 0.3, spread, tokens)
        assert np.abs(found - role_means(x, mu, 0.3, spread, tokens)).max() < 1e-12


@pytest.mark.parametrize("folds", [3, 6, 12])
@pytest.mark.parametrize("mu", [0.3, 2.0])
def test_balls_of_coarse_sums_hold_the_means(folds, mu, monkeypatch):
    """Few e-foldings make wide balls, which have to hold the exact means all the same."""
    monkeypatch.setattr(softmax_risk_balls, "_FOLDS", folds)
    monkeypatch.setattr(softmax_risk_balls, "_REACH", 3)
    mean, cov = [0.2, -1.3, 0.7], [1.3, 0.4, -0.6, 1.9, 0.3, 1.1]
    role, sd = _Role(flint.arb(mu), mean, cov), np.sqrt(cov[0])
    m_v, m_y, b_v, b_y = mean[1], mean[2], cov[1] / sd, cov[2] / sd
    v_v, v_y = cov[3] - b_v**2, cov[4] - b_v * b_y
    z = np.linspace(-9.5, 9.5, 20_001)
    bell = np.exp(-z * z / 2)
    bell /= bell.sum()
    v, y = m_v + b_v * z, m_y + b_y * z
    widest = 0.0
    for s in np.exp(np.linspace(-5, 3, 9)):
        w = s * np.exp(mu * (mean[0] + sd * z))
        weight = np.exp(-w) * bell
        exact = [
            np.sum(weight * f) for f in (1, w * v, y, w * (v * y + v_y), w * w * (v * v + v_v))
        ]
        for ball, value in zip(role.means(flint.arb(float(s))), exact, strict=True):
            assert ball.overlaps(flint.arb(value, 1e-12 * (1 + abs(value))))
            widest = max(widest, float(ball.rad()))
    assert widest < 60 * np.exp(-folds / 3)


def held(monkeypatch, folds, cut=0.0):
    """The radius of a ball of coarse sums, which holds the risk, with nodes cut off at the ends."""
    rng = np.random.default_rng(3)
    counts = [1.0, 2.0]
    means, covs = random_law(rng, 2)
    exact = softmax_risk_and_derivatives(0.8, 0.5, np.array(counts), means, covs)[0]
    ends = softmax_risk_balls._range

    def narrower(*arguments):
        start, stop, step = ends(*arguments)
        return start + cut * (stop - start), stop - cut * (stop - start), step

    monkeypatch.setattr(softmax_risk_balls, "_FOLDS", folds)
    monkeypatch.setattr(softmax_risk_balls, "_range", narrower)
    ball = ball_softmax_risk_value(0.8, 0.5, counts, [float(x) for x in flat(means, covs)])
    assert ball.overlaps(flint.arb(exact, 1e-11 * exact))
    return float(ball.rad())


@pytest.mark.parametrize("folds", [1, 2, 8, 12, 20])
def test_balls_of_coarse_sums_hold_the_risk(folds, monkeypatch):
    assert held(monkeypatch, folds) < 1e5 * np.exp(-folds)


@pytest.mark.parametrize("cut", [0.1, 0.2, 0.3, 0.4])
def test_balls_of_too_few_nodes_hold_the_risk(cut, monkeypatch):
    """What lies beyond the ends is bounded, too: more than rounding, and not without sense."""
    assert 1e-9 < held(monkeypatch, 30, cut) < 1e10
