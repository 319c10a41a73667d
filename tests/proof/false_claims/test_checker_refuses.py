"""The proof checker alone accepts no false step, and has evidence for true twins."""

from __future__ import annotations

import pytest

from slrsym.proofs.axioms import is_foreign
from slrsym.tactics.judgement import judge
from tests._profile import THOROUGH, more

from .test_false_claims import FALSE, TWINS

# Steps that are true for another reason than the one they name.
TRUE_OTHERWISE = {
    "calculus: in a variable that is pinned",
    "domains: value at a point: a positive symbol at -1",
    "expectations: inside: strict",
    "order: Lemma 16 by its name for another",
    "order: a slope above something negative",
    "order: an equality",
    "order: an inequality by algebra",
    "order: other ends than the step has",
    "order: strict without a strict slope",
    "order: the slope of another function",
    "orbits: a parameter of the name of a coordinate",
    "orbits: of another function",
    "structures: all of: one twice",
    # An addition theorem, which is shown without the slope.
    "structures: by derivative: a slope that stops short",
    "structures: by derivative: the slope in another variable",
    "structures: chain: <= shown, < claimed",
    # Nothing fulfils its hypotheses, which the numbers find out.
    "structures: hypotheses that exclude each other",
    "structures: induction: the step of another goal",
    "structures: solutions: outside of the domain",
    "sums and slopes: Lipschitz, a variable that is restricted",
    "sums and slopes: Taylor, a bound of the slope",
    "sums and slopes: Taylor, another parabola",
    "sums and slopes: Taylor, by the first derivative",
    "textbook: calculus: what is undefined cancels",
}


@more
@pytest.mark.parametrize("entry", FALSE if THOROUGH else FALSE[::20])
def test_the_checker_has_no_evidence_for_a_false_step(entry, request):
    claim = entry.claim
    found = judge(claim, entry._ledger(claim).find, patience=0.1)
    granted = {other.id for other in entry.others}
    shown = (
        not found.problem and not granted & {*found.uses} and not any(map(is_foreign, found.axioms))
    )
    assert shown == (request.node.callspec.id in TRUE_OTHERWISE)


# The proof checker has no words for limits, for pieces and for symbolic powers, and no enclosure of
# a mean without a closed form. A citation is checked by nobody.
WITHOUT_EVIDENCE = {
    "sums and slopes: a citation concludes what it cites",
    "textbook: balls: a third digit",
    "textbook: balls: too small",
    "textbook: calculus: jumps of a form with a density",
    "textbook: limit: atan",
    "textbook: limit: erf far out",
    "textbook: limit: exp at zero",
    "textbook: limit: of a quotient",
    "textbook: limit: of zeta",
    "textbook: limit: sin at zero",
    "textbook: limit: the other end",
    "textbook: powers: Stein for an even power",
    "textbook: powers: factorials",
}


@more
@pytest.mark.parametrize("entry", TWINS if THOROUGH else TWINS[::10])
def test_the_checker_has_evidence_for_a_true_twin(entry, request):
    claim = entry.claim
    found = judge(claim, entry._ledger(claim).find)
    shown = not found.problem and not any(found.refusals.values())
    assert shown == (request.node.callspec.id not in WITHOUT_EVIDENCE), found
