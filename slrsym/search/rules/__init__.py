"""The rules by which a step of a proof may be justified."""

from slrsym.search.rules.algebra import algebra as algebra
from slrsym.search.rules.calculus import DERIVATIVE_CLAIMS
from slrsym.search.rules.calculus import definition as definition
from slrsym.search.rules.calculus import differentiate as differentiate
from slrsym.search.rules.calculus import fundamental_theorem as fundamental_theorem
from slrsym.search.rules.calculus import integral_algebra as integral_algebra
from slrsym.search.rules.expectations import COPIES_CLAIMS, STEIN_CLAIM
from slrsym.search.rules.expectations import complete_the_square as complete_the_square
from slrsym.search.rules.expectations import conditioning as conditioning
from slrsym.search.rules.expectations import density as density
from slrsym.search.rules.expectations import (
    differentiate_under_expectation as differentiate_under_expectation,
)
from slrsym.search.rules.expectations import independence as independence
from slrsym.search.rules.expectations import inside as inside
from slrsym.search.rules.expectations import linearity as linearity
from slrsym.search.rules.expectations import noise_moments as noise_moments
from slrsym.search.rules.expectations import peel_copy as peel_copy
from slrsym.search.rules.expectations import stein as stein
from slrsym.search.rules.expectations import substitution as substitution
from slrsym.search.rules.expectations import symmetry as symmetry
from slrsym.search.rules.lemmas import lemma as lemma
from slrsym.search.rules.order import monotone as monotone
from slrsym.search.rules.order import sign as sign
from slrsym.search.rules.slopes import lipschitz as lipschitz
from slrsym.search.rules.slopes import taylor as taylor
from slrsym.search.rules.sums import single_out as single_out
from slrsym.search.rules.sums import termwise as termwise

# The claims that rules rest on by their ids.
RULE_CLAIMS = frozenset(
    {STEIN_CLAIM, *COPIES_CLAIMS, *(name for names in DERIVATIVE_CLAIMS.values() for name in names)}
)
