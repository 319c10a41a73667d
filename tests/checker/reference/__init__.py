"""A second proof checker, written from the specification alone."""

from .theorems import Theorem, prove
from .terms import Refused
from . import (
    arithmetic,
    calculus,
    enclosures,
    expectations,
    gaussians,  # noqa: F401
    rules_logic,
    schemas,
    sums,
)
from .log import Report, recheck

__all__ = ["Refused", "Report", "Theorem", "prove", "recheck"]
