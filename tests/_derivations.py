"""Derivations in dev: one test for each claim, which tries one of its steps."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any
from zlib import crc32

import pytest

from slrsym.pytest_plugin import ClaimItem, DerivationFile

# Of a fifth of a second and more each: `slrsym verify`, README's other command, tries every step of
# them, and `tests/certify` and `tests/montecarlo` try what checks them.
_SLOW = {
    "angle-oracle", "angle-shift", "attention-floor", "attention-lower-bound",
    "attraction-certified", "attraction-certified-far", "attraction-certified-temperatures",
    "attraction-share", "committee-exchangeable-correlation", "committee-exchangeable-norm",
    "committee-exchangeable-other-overlap", "committee-exchangeable-own-overlap",
    "committee-generalisation-error", "committee-matched-flow", "committee-norm-flow",
    "committee-norm-spread", "committee-ode-limit", "committee-overlap-flow",
    "committee-second-layer-flow", "committee-slope-field-output", "committee-slopes-outputs",
    "committee-surplus-units", "critical-temperature-unique", "gaussian-tilt-two",
    "hard-attention-risk", "informative-token-variance", "landscape-independent", "landscape-risk",
    "lemma-14", "lemma-4", "lemma-7", "manifold-attracts-for-good", "mirror-image",
    "oracle-global-minimum", "oracle-transverse-hessian", "other-token-variance",
    "planar-step-near-identity", "proposition-12", "proposition-12-injective",
    "proposition-12-near-identity-kappa", "proposition-13", "proposition-13-manifold",
    "proposition-13-maxima", "proposition-13-saddle", "proposition-15",
    "proposition-3-given-location", "proposition-8", "proposition-8-descent",
    "proposition-9-gradient-kappa", "several-heads-informative-pair", "several-heads-oracle",
    "several-heads-pair", "several-tokens-risk", "softmax-bayes-risk", "softmax-conditional-mean",
    "softmax-posterior-of-any-length", "softmax-tends-to-hard", "stein-multivariate",
    "sum-of-copies", "swap-hessian", "theorem-1-laws", "theorem-1-overlaps",
    "theorem-1-projections", "theorem-5", "theorem-5-edge-kappa-plus", "theorem-5-edge-nu-minus",
    "theorem-5-planar", "uniform-starts-near-manifold",
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
                _File.from_parent(parent, path=found.path)
                if type(found) is DerivationFile
                else found
                for found in outcome.get_result()
            ]
        )


class _File(DerivationFile):
    def collect(self) -> Iterable[pytest.Item]:
        for claim in super().collect():
            if claim.name not in _SLOW:
                yield _Claim.from_parent(claim, name="claim", steps=[], problem="")


class _Claim(ClaimItem):
    def runtest(self) -> None:
        """Check the claim as a whole, and one step: by its rule and numerically."""
        *steps, claim = self.parent.collect()
        # Only the last step, which all proofs have, is not drawn.
        if drawn := steps[:-1]:
            drawn[crc32(self.parent.claim.id.encode()) % len(drawn)].runtest()
        claim.runtest()
