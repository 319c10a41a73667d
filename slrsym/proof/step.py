"""Links, rules and steps: what a rule of one's own is made of."""

from slrsym.proofs.step import Link, Proof, Rule, Step, axioms_of, labelled, relation
