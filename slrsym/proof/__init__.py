"""The names that derivation files import: claims, proofs, rules and the ledger."""

from importlib import import_module
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
from slrsym.prover.rules.function_classes import (
    Bounded,
    Convex,
    Increasing,
    Lipschitz,
    PolyakLojasiewicz,
    Smooth,
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
from slrsym.prover.rules.lemmas import by_citation, by_claim, lemma
from slrsym.prover.rules.matrices import definite, isserlis, positive, trace_algebra
from slrsym.prover.rules.matrix_functions import averaged, lipschitz_bound, tangent_plane
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
from slrsym.prover.statements.words import in_words

if TYPE_CHECKING:
    from slrsym.crosscheck.montecarlo import MonteCarloCheck
    from slrsym.prover.certificates.inequalities_on_box import InequalitiesOnBox

# Loaded when first asked for: few derivations name them, and both are slow to load.
_LAZY = {
    "InequalitiesOnBox": "slrsym.prover.certificates.inequalities_on_box",
    "MonteCarloCheck": "slrsym.crosscheck.montecarlo",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Names of SymPy's own: `import *` takes these, and leaves SymPy's alone.
signs = sign
change_of_variables = substitution

__all__ = [
    "AXIOMS",
    "Axiom",
    "Bounded",
    "Chain",
    "Claim",
    "ClaimSummary",
    "ClaimVerdict",
    "Convex",
    "D",
    "DerivationError",
    "Explanation",
    "ForAll",
    "Increasing",
    "InequalitiesOnBox",
    "Ledger",
    "Lipschitz",
    "MonteCarloCheck",
    "PolyakLojasiewicz",
    "ProofError",
    "Refused",
    "Smooth",
    "StepReport",
    "Trials",
    "algebra",
    "all_of",
    "at",
    "averaged",
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
    "definite",
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
    "isserlis",
    "jensen",
    "lemma",
    "limits",
    "linearity",
    "lipschitz",
    "lipschitz_bound",
    "monotone",
    "never",
    "noise_moments",
    "only_at",
    "peel_copy",
    "piecewise",
    "poincare",
    "positive",
    "price",
    "signs",
    "single_out",
    "solution",
    "solution_set",
    "split_product",
    "stein",
    "symmetry",
    "tangent",
    "tangent_plane",
    "taylor",
    "termwise",
    "trace_algebra",
]
