"""Checks taken for granted, where what follows from them is looked at."""

from slrsym.prover.tactics.judgement import CheckerVerdict
from slrsym.prover.tactics.proof_log import claim_ids_used_by


class _Granted(CheckerVerdict):
    def refusal_reason(self, label):
        return ""


def grant_judgements(patch):
    """Let the proof checker accept every claim, as resting on nothing."""
    patch.setattr(
        "slrsym.prover.claims.check.judge_claim",
        lambda claim, find, *_: _Granted({}, uses=tuple(claim_ids_used_by(claim, find))),
    )


def grant_steps(patch):
    """Besides, let numbers agree with every step."""
    grant_judgements(patch)
    patch.setattr(
        "slrsym.prover.claims.check.try_numerical_check",
        lambda step, seed, shared_points=None: (None, "", ""),
    )
