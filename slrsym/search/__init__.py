"""What finds proofs: rules, their engines, and the structure of proofs.

All of it is imported here, and then closed: a rule that is defined later is not the package's.
"""

from slrsym.search import closed as _closed  # noqa: F401
from slrsym.search import convexity as _convexity  # noqa: F401
from slrsym.search import enclosures as _enclosures  # noqa: F401
from slrsym.search import gaussian as _gaussian
from slrsym.search import inequalities as _inequalities  # noqa: F401
from slrsym.search import limits as _limits  # noqa: F401
from slrsym.search import pieces as _pieces  # noqa: F401
from slrsym.search import solutions as _solutions  # noqa: F401
from slrsym.search import starts as _starts  # noqa: F401
from slrsym.search import theorems as _theorems
from slrsym.search.calculus import DERIVATIVE_CLAIMS as _DERIVATIVE_CLAIMS
from slrsym.search.expectations import COPIES_CLAIMS as _COPIES_CLAIMS
from slrsym.search.step import close as _close

# The claims that rules rest on by their ids.
RULE_CLAIMS = frozenset(
    {
        _gaussian.STEIN_CLAIM,
        *_COPIES_CLAIMS,
        *(name for names in _DERIVATIVE_CLAIMS.values() for name in names),
    }
)

_close()
_theorems.close()
