"""The names that derivation files import: claims, proofs, rules and the ledger."""

from typing import TYPE_CHECKING, Any

from slrsym.claims.check import ClaimVerdict, StepReport, check_claim
from slrsym.claims.claim import Claim, Trials
from slrsym.claims.explanation import Explanation
from slrsym.claims.file_search import DerivationError
from slrsym.claims.ledger import Ledger, builtin_ledger
from slrsym.claims.verification import ClaimSummary
from slrsym.proofs.axioms import AXIOMS, Axiom
from slrsym.proofs.calculus import (
    algebra,
    definition,
    differentiate,
    fundamental_theorem,
    integral_algebra,
    limits,
    single_out,
    termwise,
)
from slrsym.proofs.chain import Chain, D, at, chain
from slrsym.proofs.classical_inequalities import (
    cauchy_schwarz,
    increasing,
    jensen,
    poincare,
    tangent,
)
from slrsym.proofs.expectations import (
    conditioning,
    differentiate_under_expectation,
    gaussian_calculus,
    independence,
    inside,
    linearity,
    noise_moments,
    peel_copy,
    price,
)
from slrsym.proofs.gaussian import complete_the_square, density, stein, substitution, symmetry
from slrsym.proofs.inequalities import (
    ball_arithmetic,
    lipschitz,
    monotone,
    piecewise,
    sign,
    taylor,
)
from slrsym.proofs.lemmas import by_citation, by_claim, in_words, lemma
from slrsym.proofs.solutions import never, only_at, solution, solution_set, split_product
from slrsym.proofs.structure import (
    all_of,
    cases,
    equal_by_derivative,
    having,
    induction,
    instance,
)
from slrsym.statements.expressions import ForAll, ProofError, Refused

if TYPE_CHECKING:
    from slrsym.crosscheck.montecarlo import MonteCarloCheck


def __getattr__(name: str) -> Any:
    """Import `MonteCarloCheck` on first use; the cross-check by sampling is slow to load."""
    if name == "MonteCarloCheck":
        from slrsym.crosscheck.montecarlo import MonteCarloCheck

        return MonteCarloCheck
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Names of SymPy's own: `import *` takes these, and leaves SymPy's alone.
signs = sign
change_of_variables = substitution

__all__ = [
    "AXIOMS",
    "Axiom",
    "Chain",
    "Claim",
    "ClaimSummary",
    "ClaimVerdict",
    "D",
    "DerivationError",
    "Explanation",
    "ForAll",
    "Ledger",
    "MonteCarloCheck",
    "ProofError",
    "Refused",
    "StepReport",
    "Trials",
    "algebra",
    "all_of",
    "at",
    "ball_arithmetic",
    "builtin_ledger",
    "by_citation",
    "by_claim",
    "cases",
    "cauchy_schwarz",
    "chain",
    "change_of_variables",
    "check_claim",
    "complete_the_square",
    "conditioning",
    "definition",
    "density",
    "differentiate",
    "differentiate_under_expectation",
    "equal_by_derivative",
    "fundamental_theorem",
    "gaussian_calculus",
    "having",
    "in_words",
    "increasing",
    "independence",
    "induction",
    "inside",
    "instance",
    "integral_algebra",
    "jensen",
    "lemma",
    "limits",
    "linearity",
    "lipschitz",
    "monotone",
    "never",
    "noise_moments",
    "only_at",
    "peel_copy",
    "piecewise",
    "poincare",
    "price",
    "signs",
    "single_out",
    "solution",
    "solution_set",
    "split_product",
    "stein",
    "symmetry",
    "tangent",
    "taylor",
    "termwise",
]
