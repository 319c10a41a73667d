"""Claims, proofs made of checked steps, and the ledger that says what rests on what."""

from typing import TYPE_CHECKING, Any

from slrsym.claims.check import StepReport as StepReport
from slrsym.claims.check import Verdict as Verdict
from slrsym.claims.check import check_claim as check_claim
from slrsym.claims.claim import Claim as Claim
from slrsym.claims.claim import Trials as Trials
from slrsym.claims.files import DerivationError as DerivationError
from slrsym.claims.ledger import Ledger as Ledger
from slrsym.claims.ledger import Row as Row
from slrsym.claims.ledger import builtin_ledger as builtin_ledger
from slrsym.search.axioms import AXIOMS as AXIOMS
from slrsym.search.axioms import Axiom as Axiom
from slrsym.search.calculus import algebra as algebra
from slrsym.search.calculus import definition as definition
from slrsym.search.calculus import differentiate as differentiate
from slrsym.search.calculus import fundamental_theorem as fundamental_theorem
from slrsym.search.calculus import integral_algebra as integral_algebra
from slrsym.search.calculus import single_out as single_out
from slrsym.search.calculus import termwise as termwise
from slrsym.search.chain import Chain as Chain
from slrsym.search.chain import D as D
from slrsym.search.chain import at as at
from slrsym.search.chain import chain as chain
from slrsym.search.closed import gaussian_calculus as gaussian_calculus
from slrsym.search.closed import price as price
from slrsym.search.convexity import cauchy_schwarz as cauchy_schwarz
from slrsym.search.convexity import increasing as increasing
from slrsym.search.convexity import jensen as jensen
from slrsym.search.convexity import poincare as poincare
from slrsym.search.convexity import tangent as tangent
from slrsym.search.enclosures import ball_arithmetic as ball_arithmetic
from slrsym.search.expectations import conditioning as conditioning
from slrsym.search.expectations import (
    differentiate_under_expectation as differentiate_under_expectation,
)
from slrsym.search.expectations import independence as independence
from slrsym.search.expectations import inside as inside
from slrsym.search.expectations import linearity as linearity
from slrsym.search.expectations import noise_moments as noise_moments
from slrsym.search.expectations import peel_copy as peel_copy
from slrsym.search.gaussian import complete_the_square as complete_the_square
from slrsym.search.gaussian import density as density
from slrsym.search.gaussian import stein as stein
from slrsym.search.gaussian import substitution as substitution
from slrsym.search.gaussian import symmetry as symmetry
from slrsym.search.inequalities import lipschitz as lipschitz
from slrsym.search.inequalities import monotone as monotone
from slrsym.search.inequalities import sign as sign
from slrsym.search.inequalities import taylor as taylor
from slrsym.search.lemmas import by_citation as by_citation
from slrsym.search.lemmas import claimed as claimed
from slrsym.search.lemmas import in_words as in_words
from slrsym.search.lemmas import lemma as lemma
from slrsym.search.limits import limits as limits
from slrsym.search.pieces import piecewise as piecewise
from slrsym.search.solutions import never as never
from slrsym.search.solutions import only_at as only_at
from slrsym.search.solutions import solution as solution
from slrsym.search.solutions import solution_set as solution_set
from slrsym.search.solutions import split as split
from slrsym.search.structure import all_of as all_of
from slrsym.search.structure import cases as cases
from slrsym.search.structure import equal_by_derivative as equal_by_derivative
from slrsym.search.structure import having as having
from slrsym.search.structure import induction as induction
from slrsym.statements.expressions import ProofError as ProofError
from slrsym.statements.expressions import Refused as Refused

if TYPE_CHECKING:
    from slrsym.numbers.montecarlo import MonteCarlo as MonteCarlo


def __getattr__(name: str) -> Any:
    """What samples is loaded when first asked for."""
    if name == "MonteCarlo":
        from slrsym.numbers.montecarlo import MonteCarlo

        return MonteCarlo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Names of SymPy's own: `import *` takes these, and leaves SymPy's alone.
signs = sign
change_of_variables = substitution

__all__ = [
    "AXIOMS",
    "Axiom",
    "Chain",
    "Claim",
    "D",
    "DerivationError",
    "Ledger",
    "MonteCarlo",
    "ProofError",
    "Refused",
    "Row",
    "StepReport",
    "Trials",
    "Verdict",
    "algebra",
    "all_of",
    "at",
    "ball_arithmetic",
    "builtin_ledger",
    "by_citation",
    "cases",
    "cauchy_schwarz",
    "chain",
    "change_of_variables",
    "check_claim",
    "claimed",
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
    "split",
    "stein",
    "symmetry",
    "tangent",
    "taylor",
    "termwise",
]
