"""What finds proofs: rules, their engines, and the structure of proofs.

All of it is imported here, and then closed: a rule that is defined later is not the package's.
"""

from slrsym.proofs import (
    convexity,
    enclosures,
    inequalities,
    limits,
    solutions,
    structure,
    theorems,
)
from slrsym.proofs import gaussian as _gaussian
from slrsym.proofs.calculus import DERIVATIVE_CLAIMS as _DERIVATIVE_CLAIMS
from slrsym.proofs.expectations import COPIES_CLAIMS as _COPIES_CLAIMS
from slrsym.proofs.step import close as _close

# The claims that rules rest on by their ids.
RULE_CLAIMS = frozenset(
    {_gaussian.STEIN_CLAIM, *_COPIES_CLAIMS, *sum(_DERIVATIVE_CLAIMS.values(), ())}
)

_close()
