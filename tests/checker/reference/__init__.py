"""A second proof checker, written from the specification alone."""

from . import (
    arithmetic,
    calculus,
    enclosures,
    expectations,
    flow_schemas,
    gaussians,
    matrix_functions,
    matrix_means,
    matrix_rules,
    rules_logic,
    schemas,
    sums,
)
from .log import Report, recheck
from .terms import Refused
from .theorems import Theorem, prove

# The modules that register rules when they are imported.
RULE_MODULES = (
    arithmetic,
    calculus,
    enclosures,
    expectations,
    flow_schemas,
    gaussians,
    matrix_functions,
    matrix_means,
    matrix_rules,
    rules_logic,
    schemas,
    sums,
)

__all__ = ["Refused", "Report", "Theorem", "prove", "recheck"]
