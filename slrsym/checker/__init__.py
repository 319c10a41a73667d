"""The proof checker: terms, theorems, inference rules and the proof log; needs python-flint."""

from slrsym.checker import (
    arithmetic,
    expectations,
    gaussian_integrals,
    iid_copies,
    integrals_and_sums,
    number_comparison,
    orbit_theorems,
)
from slrsym.checker.log import (
    Inference,
    JudgedClaim,
    ProofBuilder,
    ProvedClaims,
    describe_claim_difference,
    recheck,
)
from slrsym.checker.ring import Ring
from slrsym.checker.term import Rejected
from slrsym.checker.theorem import Theorem
