"""Formulas that theorems say as they stand, found without a search by arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from slrsym.checker import Inference
from slrsym.checker.term import LEAVES, RELATIONS, Term, is_same_term
from slrsym.prover.tactics.log_records import RecordingProofBuilder
from slrsym.prover.tactics.subterm_paths import paths_to_subterm


def find_among_theorems(
    script: RecordingProofBuilder, shown: Sequence[Inference], p: Term
) -> Inference | None:
    """Return a proof of a formula that one of several theorems says, or None.

    Such a formula is its conclusion, or says that a term is defined which stands in it.
    """
    for line in shown:
        if is_same_term(line.theorem.conclusion, p):
            return line
    if p[0] != "=" or p[1][0] in LEAVES or not is_same_term(p[1], p[2]):
        return None
    for line in shown:
        # The sides of a relation that holds are defined, and so are their parts.
        if line.theorem.conclusion[0] in RELATIONS:
            for path in paths_to_subterm(line.theorem.conclusion, p[1]):
                return script.add("defined", [line], [*path])
    return None
