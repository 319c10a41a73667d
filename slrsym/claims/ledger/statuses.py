"""The status of a claim, from its own verdict and from those below it; never promoted."""

from __future__ import annotations

from collections.abc import Mapping

from slrsym.claims.checker import Verdict
from slrsym.claims.citation import CITED
from slrsym.claims.claim import Claim
from slrsym.claims.ledger.dependencies import circle, reachable
from slrsym.claims.ledger.rows import Row

__all__ = ["row_of"]


def row_of(claim: Claim, verdicts: Mapping[str, Verdict]) -> Row:
    """The row of a claim."""
    verdict = verdicts[claim.id]
    depends = {id: v.depends for id, v in verdicts.items()}
    below = reachable(claim.id, depends)
    axioms = {a for id in (claim.id, *below) if id in verdicts for a in verdicts[id].axioms}
    status, error = "proved", ""
    if not verdict.accepted:
        status, error = "failed", verdict.failure or "the proof has no steps"
    elif claim.id in below:
        way = circle(claim.id, depends)
        status, error = "failed", f"it rests on itself: {' -> '.join(way)}"
    elif verdict.box:
        status = "certified"
    elif verdict.trials:
        status = "tested"
    elif rotten := sorted(id for id in below if not _is_sound(id, verdicts, depends)):
        status, error = "open", f"it rests on {', '.join(rotten)}, not proved"
    elif cited := [id for id in (claim.id, *sorted(below)) if _cites(verdicts[id])]:
        status = "cited"
        error = f"what is concluded in {', '.join(cited)} is cited, not checked"
    return Row(
        claim.id,
        claim.title,
        claim.source,
        status,
        len(verdict.reports),
        verdict.digits,
        tuple(sorted(axioms)),
        verdict.depends,
        verdict.seconds,
        error,
        verdict.monte_carlo,
        verdict.box if status == "certified" else "",
        str(verdict.trials) if status == "tested" else "",
    )


def _is_sound(
    id: str, verdicts: Mapping[str, Verdict], depends: Mapping[str, tuple[str, ...]]
) -> bool:
    """Whether a claim's own steps prove it: what is certified on a box, or tested, is not."""
    if id not in verdicts or id in reachable(id, depends):
        return False
    return verdicts[id].accepted and not (verdicts[id].box or verdicts[id].trials)


def _cites(verdict: Verdict) -> bool:
    return any(report.rule == CITED for report in verdict.reports)
