"""Derivations in dev: one test for each claim, which tries one of its steps."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any
from zlib import crc32

import pytest

from slrsym.pytest_plugin import ClaimItem, DerivationFile

# Of half a second and more each; `tests/certify` and `tests/montecarlo` try what checks them.
_SLOW = {
    "attraction-certified", "attraction-certified-temperatures", "attraction-certified-far",
    "attraction-share",
    "several-heads-pair", "several-heads-informative-pair", "softmax-bayes-risk",
    "critical-temperature-unique", "manifold-attracts-for-good", "softmax-conditional-mean",
    "softmax-posterior-of-any-length", "theorem-5", "theorem-5-planar", "oracle-global-minimum",
    "proposition-13-manifold", "proposition-12-near-identity-kappa", "lemma-4", "lemma-7",
    "proposition-15", "theorem-1-overlaps", "proposition-8-descent", "angle-oracle", "swap-hessian",
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
