"""Derivations in dev: one test for each claim, which tries one of its steps."""

from collections.abc import Generator, Iterable
from typing import Any
from zlib import crc32

import pytest

from slrsym.pytest_plugin import ClaimCollector, ClaimItem, DerivationFileCollector

# Of a tenth of a second and more each: `slrsym verify`, README's other command, tries every step
# of them, and the folder `certify` of `tests/papers/single_location` tries what
# checks them. Other claims have steps by all the rules that would be drawn of these.
_SLOW = {
    "activation-and-second-derivative", "angle-oracle", "angle-prediction", "angle-risk",
    "angle-shift", "attention-floor", "attention-hard", "attention-lower-bound",
    "attraction-certified", "attraction-certified-far", "attraction-certified-temperatures",
    "attraction-share", "attraction-share-certified", "committee-block-signs",
    "committee-critical-rate", "committee-exchangeable-correlation", "committee-exchangeable-norm",
    "committee-exchangeable-other-overlap", "committee-exchangeable-own-overlap",
    "committee-generalisation-error", "committee-input-norm", "committee-matched-flow",
    "committee-norm-flow", "committee-norm-spread", "committee-ode-limit", "committee-overlap-flow",
    "committee-plateau-escape", "committee-plateau-fast", "committee-plateau-neutral",
    "committee-plateau-slow", "committee-second-layer-flow", "committee-slope-field-output",
    "committee-slopes-outputs", "committee-surplus-units", "committee-two-outputs",
    "convergence-time-growth-kappa", "convergence-time-run", "convergence-time-run-end",
    "convergence-time-run-growth", "convergence-time-run-kappa", "convergence-time-run-leaves",
    "convergence-time-run-middle", "convergence-time-run-nu", "convergence-time-run-opposite",
    "convergence-time-run-opposite-growth", "convergence-time-run-opposite-leaves",
    "convergence-time-run-passage", "convergence-time-run-risk", "convergence-time-run-stays",
    "critical-temperature-unique", "erf-product", "erf-product-on-line", "erf-product-other-slope",
    "excess-risk-stable", "exchanged-pair-better", "exchanged-pair-bound",
    "exp-abs-mean-derivative", "falling-lambda-avoids-swap-points", "gaussian-tilt-two",
    "hard-attention-risk", "hard-attention-two-tokens", "informative-token-variance",
    "landscape-independent", "landscape-risk", "landscape-symmetries", "lemma-14", "lemma-4",
    "lemma-6", "lemma-7", "linear-attention-risk", "manifold-attracts-for-good", "mirror-image",
    "oracle-decomposition-distance", "oracle-global-minimum", "oracle-stable-certified",
    "oracle-transverse-hessian", "oracle-unstable-certified", "other-token-distance",
    "other-token-variance", "planar-step-near-identity", "proposition-10-certified",
    "proposition-10-corners", "proposition-11", "proposition-12", "proposition-12-injective",
    "proposition-12-near-identity-kappa", "proposition-12-near-identity-nu",
    "proposition-12-slope-change", "proposition-13", "proposition-13-manifold",
    "proposition-13-maxima", "proposition-13-saddle", "proposition-15", "proposition-3",
    "proposition-3-bound", "proposition-3-given-location", "proposition-3-other-tokens",
    "proposition-3-unique", "proposition-8", "proposition-8-descent", "proposition-8-kappa-kappa",
    "proposition-8-vanishes", "proposition-9", "proposition-9-gradient-kappa", "schedule-run",
    "schedule-run-end", "schedule-run-growth", "schedule-run-growth-below",
    "schedule-run-growth-inside", "schedule-run-kappa", "schedule-run-leaves", "schedule-run-level",
    "schedule-run-middle", "schedule-run-nu", "schedule-run-passage", "schedule-run-passes",
    "schedule-run-rises", "schedule-run-stays", "several-heads-informative-pair",
    "several-heads-oracle", "several-heads-pair", "several-heads-saddle",
    "several-heads-token-error", "several-heads-turned", "several-heads-turned-token",
    "several-tokens-risk", "softmax-bayes-risk", "softmax-conditional-mean",
    "softmax-posterior-of-any-length", "softmax-tends-to-hard", "stein-multivariate",
    "sublevel-certified", "sublevel-near", "sum-of-copies", "swap-hessian", "theorem-1",
    "theorem-1-laws", "theorem-1-location", "theorem-1-location-average", "theorem-1-overlaps",
    "theorem-1-projections", "theorem-5", "theorem-5-certified", "theorem-5-edge-kappa-minus-few",
    "theorem-5-edge-kappa-plus", "theorem-5-edge-kappa-plus-few", "theorem-5-edge-nu-minus",
    "theorem-5-edge-nu-minus-few", "theorem-5-edge-nu-plus", "theorem-5-edge-nu-plus-few",
    "theorem-5-planar", "theorem-5-slopes", "uniform-starts-near-manifold",
}  # fmt: skip


class OneTestForEachClaim:
    """Plugin that collects a claim as one test, and builds its proof in the process that runs it.

    ``slrsym verify``, ``pytest derivations`` and the other profiles check every step.
    """

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collect_file(self, parent: pytest.Collector) -> Generator[None, Any, None]:
        """Replace the collectors of derivation files."""
        outcome = yield
        outcome.force_result(
            [
                _File.from_parent(parent, path=found.path, module=found.module)
                if type(found) is DerivationFileCollector
                else found
                for found in outcome.get_result()
            ]
        )


class _File(DerivationFileCollector):
    def collect(self) -> Iterable[ClaimCollector]:
        for found in super().collect():
            if found.name not in _SLOW:
                yield _Claim.from_parent(self, name=found.name, claim=found.claim)


class _Claim(ClaimCollector):
    """Collector of one test, which can be asked for by its id, as `--lf` does."""

    def collect(self) -> Iterable[pytest.Item]:
        yield _ClaimAndStep.from_parent(self, name="claim", steps=[], problem="")


class _ClaimAndStep(ClaimItem):
    def runtest(self) -> None:
        """Check the claim as a whole, and one step: by its rule and numerically."""
        *steps, claim = ClaimCollector.collect(self.parent)
        # Only the last step, which all proofs have, is not drawn.
        if drawn := steps[:-1]:
            drawn[crc32(self.parent.claim.id.encode()) % len(drawn)].runtest()
        claim.runtest()
