"""In two hundred random settings, deviations from the closed forms are normal, no more, no less."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import kstest

from slrsym.models.sampling.running_means import BLOCK
from slrsym.papers.single_location import risk
from slrsym.papers.single_location.linear import best_linear
from slrsym.papers.single_location.models import task_model
from slrsym.papers.single_location.sampled_risk import Erf, Linear, risk_estimate
from tests._profile import nightly_cases, thorough, thorough_only
from tests.papers.single_location.sampled_risk._settings import Setting, settings

SETTINGS = 200


def require_standard_normal(z: Sequence[float]) -> None:
    """Kolmogorov and Smirnov's test against N(0, 1), and Anderson and Darling's for normality."""
    z = np.asarray(z)
    assert z.size >= SETTINGS
    assert kstest(z, "norm").pvalue > 0.01, (z.mean(), z.std())
    found = anderson_pvalue(z)
    assert found > 0.01, found
    assert np.abs(z).max() < 4.5


def anderson_pvalue(z: np.ndarray) -> float:
    """The p-value of Anderson and Darling's statistic against N(0, 1), by simulation.

    SciPy's own tables are for a normal law whose mean and variance are those of the sample.
    """
    rng = np.random.default_rng(0)

    def statistic(x: np.ndarray) -> np.ndarray:
        n = x.shape[-1]
        x = np.sort(x, axis=-1)
        weights = 2 * np.arange(1, n + 1) - 1
        return -n - np.mean(weights * (log_ndtr(x) + log_ndtr(-x[..., ::-1])), axis=-1)

    return float(np.mean(statistic(rng.standard_normal((500, z.size))) >= statistic(z)))


def deviations(
    estimate: Callable[[Setting, int], float],
    seed: int,
    most_d: float = 1e6,
    most_t: float = np.inf,
) -> list[float]:
    return [estimate(s, i) for i, s in enumerate(settings(SETTINGS, seed, most_d, most_t))]


def erf_risk(method: str, antithetic: bool, samples: int) -> Callable[[Setting, int], float]:
    def z(s: Setting, i: int) -> float:
        found = risk_estimate(
            Erf(s.lam),
            s.task,
            s.state,
            probabilities=s.probabilities,
            method=method,
            antithetic=antithetic,
            samples=samples,
            rng=[7, i],
        )
        return found.zscore(risk(s.state, s.lam, s.task))

    return z


# Whether all methods agree is seen in test_estimators: here, dev takes some of them.
@nightly_cases("conditioned", "conditioned pairs", "pairs", "projected")
@thorough_only
@pytest.mark.parametrize(
    ("method", "antithetic", "most_d"),
    [
        ("plain", False, 12),
        thorough("projected", False, 1e6),
        thorough("projected", True, 1e6),
        thorough("conditioned", False, 1e6),
        ("conditioned", True, 1e6),
    ],
    ids=["plain", "projected", "pairs", "conditioned", "conditioned pairs"],
)
def test_the_risk_of_erf_attention(method, antithetic, most_d):
    require_standard_normal(deviations(erf_risk(method, antithetic, BLOCK), 1, most_d))


@thorough_only
@pytest.mark.parametrize("method", [thorough("plain"), "projected"])
def test_the_risk_of_linear_predictors(method):
    def z(s: Setting, i: int) -> float:
        found = risk_estimate(
            Linear(), s.task, probabilities=s.probabilities, method=method, samples=BLOCK,
            rng=[8, i],
        )  # fmt: skip
        return found.zscore(best_linear(s.task, s.probabilities).risk)

    require_standard_normal(deviations(z, 2, 12 if method == "plain" else 1e6))


@thorough_only
def test_moments_of_the_output():
    from sympy import erf

    from slrsym.gaussian import expectation
    from slrsym.papers.single_location.notation import ORDER_PARAMETERS, d, gamma, lam
    from slrsym.papers.single_location.task import (
        U1,
        V1,
        Y1,
        U,
        V,
        informative_token_law,
        other_token_law,
    )

    own = [erf(lam * U1) * V1, erf(lam * U1) ** 2 * V1**2, erf(lam * U1) * V1 * Y1]
    other = [erf(lam * U) * V, erf(lam * U) ** 2 * V**2]
    means = [expectation(f, informative_token_law()) for f in own]
    means += [expectation(f, other_token_law()) for f in other]
    names = [p.name for p in ORDER_PARAMETERS]
    for s in settings(3, 6):
        values = {d: s.task.d, gamma: s.task.gamma, lam: s.lam}
        values |= dict(zip(ORDER_PARAMETERS, s.state, strict=True))
        m, m2, my, c, c2 = (float(f.subs(values).evalf()) for f in means)
        n = s.task.L - 1
        second = m2 + n * c2 + n * (n - 1) * c**2 + 2 * n * m * c
        start = dict(zip(names, s.state, strict=True))
        there = {p.name: x for p, x in values.items() if p.name not in names}
        there |= {"L": s.task.L, "epsilon": s.task.epsilon}
        for method, antithetic in (("projected", False), ("conditioned", True)):
            found = (
                task_model()
                .check(
                    there, start=start, method=method, antithetic=antithetic, samples=40_000, rng=0
                )
                .moments
            )
            for name, value in (
                ("output", m + n * c), ("squared output", second), ("output times target", my)
            ):  # fmt: skip
                assert abs(found[name].zscore(value)) < 4.5


@thorough_only
def test_a_wrong_closed_form_is_noticed():
    # What the tests above would say, were lambda one per cent off.
    def z(s: Setting, i: int) -> float:
        found = risk_estimate(
            Erf(s.lam), s.task, s.state, method="conditioned", samples=2 * BLOCK, rng=[7, i]
        )
        return found.zscore(risk(s.state, 1.01 * s.lam, s.task))

    with pytest.raises(AssertionError):
        require_standard_normal(deviations(z, 1, 1e6))
    # And a standard error that is too small or too large by a seventh.
    honest = np.random.default_rng(1).standard_normal(SETTINGS)
    require_standard_normal(honest)
    for factor in (1.15, 0.85):
        with pytest.raises(AssertionError):
            require_standard_normal(np.random.default_rng(1).standard_normal(4 * SETTINGS) * factor)
