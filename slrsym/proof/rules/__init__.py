"""The rules by which a step of a proof may be justified."""

from slrsym.proof.rules.algebra import algebra as algebra
from slrsym.proof.rules.calculus import DERIVATIVE_CLAIMS
from slrsym.proof.rules.calculus import definition as definition
from slrsym.proof.rules.calculus import differentiate as differentiate
from slrsym.proof.rules.calculus import fundamental_theorem as fundamental_theorem
from slrsym.proof.rules.calculus import integral_algebra as integral_algebra
from slrsym.proof.rules.expectations import COPIES_CLAIMS, STEIN_CLAIM
from slrsym.proof.rules.expectations import complete_the_square as complete_the_square
from slrsym.proof.rules.expectations import conditioning as conditioning
from slrsym.proof.rules.expectations import density as density
from slrsym.proof.rules.expectations import (
    differentiate_under_expectation as differentiate_under_expectation,
)
from slrsym.proof.rules.expectations import independence as independence
from slrsym.proof.rules.expectations import inside as inside
from slrsym.proof.rules.expectations import linearity as linearity
from slrsym.proof.rules.expectations import noise_moments as noise_moments
from slrsym.proof.rules.expectations import peel_copy as peel_copy
from slrsym.proof.rules.expectations import stein as stein
from slrsym.proof.rules.expectations import substitution as substitution
from slrsym.proof.rules.expectations import symmetry as symmetry
from slrsym.proof.rules.lemmas import lemma as lemma
from slrsym.proof.rules.order import monotone as monotone
from slrsym.proof.rules.order import sign as sign
from slrsym.proof.rules.slopes import lipschitz as lipschitz
from slrsym.proof.rules.slopes import taylor as taylor
from slrsym.proof.rules.sums import single_out as single_out
from slrsym.proof.rules.sums import termwise as termwise

# The claims that rules rest on by their ids.
RULE_CLAIMS = frozenset(
    {STEIN_CLAIM, *COPIES_CLAIMS, *(name for names in DERIVATIVE_CLAIMS.values() for name in names)}
)
