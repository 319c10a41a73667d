"""Links, rules, steps and tactics, for users who write a rule of their own."""

from slrsym.prover.rules.step import (
    Link,
    Proof,
    Rule,
    Step,
    axioms_added_by_rule,
    join_labels,
    relation,
)
from slrsym.prover.tactics.registration import tactic
