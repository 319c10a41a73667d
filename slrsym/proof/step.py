"""Links, rules and steps, for writing a rule of one's own."""

from slrsym.proofs.step import Link, Proof, Rule, Step, axioms_of, labelled, relation
