"""The language of proofs: rules with their parameters, and structures such as cases.

All of it is imported here, and then closed: a rule that is defined later is not the package's.
"""

from slrsym.prover.rules import (
    classical_inequalities,
    expectations,
    inequalities,
    matrices,
    matrix_functions,
    solutions,
    structure,
    theorems,
)
from slrsym.prover.rules.calculus import DERIVATIVE_CLAIMS as _DERIVATIVE_CLAIMS
from slrsym.prover.rules.step import end_rule_registration as _end_registration

# The claims that rules rest on by their ids.
RULE_CLAIMS = frozenset(sum(_DERIVATIVE_CLAIMS.values(), ()))

_end_registration()
