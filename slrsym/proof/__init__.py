"""The names that derivation files import: claims, proofs, rules and the ledger."""

from typing import TYPE_CHECKING, Any

from slrsym.prover.claims.check import ClaimVerdict, StepReport, check_claim
from slrsym.prover.claims.claim import Claim, Trials
from slrsym.prover.claims.explanation import Explanation
from slrsym.prover.claims.file_search import DerivationError
from slrsym.prover.claims.ledger import Ledger, builtin_ledger
from slrsym.prover.claims.verification import ClaimSummary
from slrsym.prover.rules.axioms import AXIOMS, Axiom
from slrsym.prover.rules.calculus import (
    algebra,
    definition,
    differentiate,
    fundamental_theorem,
    integral_algebra,
    limits,
    single_out,
    termwise,
)
from slrsym.prover.rules.chain import Chain, D, at, chain
from slrsym.prover.rules.classical_inequalities import (
    cauchy_schwarz,
    increasing,
    jensen,
    poincare,
    tangent,
)
from slrsym.prover.rules.expectations import (
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
from slrsym.prover.rules.gaussian import complete_the_square, density, stein, substitution, symmetry
from slrsym.prover.rules.inequalities import (
    ball_arithmetic,
    lipschitz,
    monotone,
    piecewise,
    sign,
    taylor,
)
from slrsym.prover.rules.lemmas import by_citation, by_claim, in_words, lemma
from slrsym.prover.rules.solutions import never, only_at, solution, solution_set, split_product
from slrsym.prover.rules.structure import (
    all_of,
    cases,
    equal_by_derivative,
    having,
    induction,
    instance,
)
from slrsym.prover.statements.expressions import ForAll, ProofError, Refused

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
