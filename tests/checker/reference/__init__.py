"""A second proof checker, written from `docs/reference/checker.md` alone.

In progress: the schemas of the rule `theorem` are missing, and no test runs it yet.
"""

from . import arithmetic, calculus, expectations, gaussians, rules_logic, sums  # noqa: F401
from .terms import Refused
from .theorems import Theorem, prove

try:
    from . import enclosures, schemas  # noqa: F401
except ImportError:
    pass
from .log import Report, recheck

__all__ = ["Refused", "Report", "Theorem", "prove", "recheck"]
